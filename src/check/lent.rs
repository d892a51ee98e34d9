//! Buffers of threads that are kept from one piece of work to the next, since what was found before is looked at first.

use std::sync::Mutex;

use super::search::lock;

/// The buffers of one thread, which go back when it is done.
pub(super) struct Lent<'a, S: Default> {
    pub(super) own: S,
    resting: &'a Mutex<Vec<S>>,
}

impl<'a, S: Default> Lent<'a, S> {
    /// Some that no thread uses just now, or new ones.
    pub(super) fn of(resting: &'a Mutex<Vec<S>>, new: impl FnOnce() -> S) -> Self {
        let kept = lock(resting).pop();
        let own = kept.unwrap_or_else(new);
        Self { own, resting }
    }
}

impl<S: Default> Drop for Lent<'_, S> {
    fn drop(&mut self) {
        lock(self.resting).push(std::mem::take(&mut self.own));
    }
}
