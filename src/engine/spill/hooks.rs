//! Moments at which a test ends the process or fills the disk. In release builds there are none.

use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};

/// The environment variable with the number of the change, from 1, at which the process ends.
pub(super) const END_AT: &str = "ORBITSCOPE_END_AT";
/// The environment variable with the number of bytes after which writes of a folder fail as on a full disk.
pub(super) const FULL_AFTER: &str = "ORBITSCOPE_FULL_AFTER";

/// Changes of files until now: writes, syncs, creations, cuts, renamings and removals.
static CHANGES: AtomicU64 = AtomicU64::new(0);

/// A number that a variable gives, in debug builds.
fn given(variable: &str) -> Option<u64> {
    if !cfg!(debug_assertions) {
        return None;
    }
    std::env::var(variable).ok()?.parse().ok()
}

/// Counts a change that is about to be made. Returns whether the process has to end instead.
pub(super) fn ends_now() -> bool {
    static AT: LazyLock<Option<u64>> = LazyLock::new(|| given(END_AT));
    let Some(at) = *AT else {
        return false;
    };
    CHANGES.fetch_add(1, Ordering::Relaxed) + 1 == at
}

/// Ends the process if the test wants that, before a change.
pub(super) fn before_change() {
    if ends_now() {
        std::process::abort();
    }
}

/// The room on a disk that may be made smaller than it is.
#[derive(Debug)]
pub(super) struct Room(AtomicU64);

impl Room {
    /// As much as the variable says, or without end.
    pub(super) fn new() -> Self {
        Self(AtomicU64::new(given(FULL_AFTER).unwrap_or(u64::MAX)))
    }

    /// Leaves room for so many bytes.
    #[cfg(test)]
    pub(super) fn leave(&self, bytes: u64) {
        self.0.store(bytes, Ordering::Relaxed);
    }

    /// Takes room for a write. Returns how many of its bytes fit.
    pub(super) fn take(&self, bytes: usize) -> usize {
        if !cfg!(debug_assertions) {
            return bytes;
        }
        let less = |room: u64| match room {
            u64::MAX => room,
            _ => room.saturating_sub(bytes as u64),
        };
        let (set, fetch) = (Ordering::Relaxed, Ordering::Relaxed);
        let room = self.0.fetch_update(set, fetch, |room| Some(less(room)));
        bytes.min(usize::try_from(room.unwrap_or_default()).unwrap_or(usize::MAX))
    }
}
