//! Long work on values keeps to limits: it looks at them now and then.

use super::{Store, Value, ValueError, ValueResult};
use crate::source::{Cancel, Limits};

/// Elements between two looks at the limits.
const POLL_EVERY: usize = 1024;
/// Elements that are sorted without a look.
const SORTED_AT_ONCE: usize = 1 << 15;

impl Store {
    /// Replaces the bounds that long work on values keeps to.
    pub fn limit(&mut self, limits: &Limits, cancel: &Cancel) {
        self.limits = limits.clone();
        self.cancel = cancel.clone();
    }

    /// To be called now and then by long work on values, `more` bytes of which are not counted yet.
    ///
    /// # Errors
    /// When it has to stop.
    pub fn poll(&self, more: usize) -> ValueResult<()> {
        // This reads the clock, which is why it is not done for every element.
        if let Some(stop) = self.limits.reached(&self.cancel, 0) {
            Err(ValueError::Stopped(stop))
        } else if self.bytes().saturating_add(more) > self.limits.values_max {
            Err(ValueError::Full)
        } else {
            Ok(())
        }
    }

    /// To be called at every step of long work on values: looks at the limits every thousandth time.
    ///
    /// # Errors
    /// When it has to stop.
    pub fn look(&self) -> ValueResult<()> {
        // A count for the store as a whole: many short pieces of work come to a look in the end as
        // well. It is a `Cell`, since also work that only reads the store looks.
        let looks = self.looks.get().wrapping_add(1);
        self.looks.set(looks);
        if (looks as usize).is_multiple_of(POLL_EVERY) {
            self.poll(0)
        } else {
            Ok(())
        }
    }

    /// [`Store::poll`] with every thousandth element.
    pub(super) fn poll_at(&self, i: usize) -> ValueResult<()> {
        // Not at 0: work on fewer elements than that never pays for a look.
        if i % POLL_EVERY == POLL_EVERY - 1 {
            self.poll(0)
        } else {
            Ok(())
        }
    }

    /// The values in order ([`Store::compare`]).
    pub(super) fn sorted(&self, mut items: Vec<Value>) -> ValueResult<Vec<Value>> {
        // What was listed from sets in order is mostly in order already.
        if items.is_sorted_by(|a, b| self.compare(*a, *b).is_le()) {
            return Ok(items);
        }
        // A sort of the whole could not be ended before it is done, however long that takes. So
        // runs are sorted and then merged in rounds, with looks in between.
        for run in items.chunks_mut(SORTED_AT_ONCE) {
            self.sort(run);
            self.poll(0)?;
        }
        let mut width = SORTED_AT_ONCE;
        while width < items.len() {
            let mut merged = Vec::with_capacity(items.len());
            for pair in items.chunks(2 * width) {
                let (a, b) = pair.split_at(width.min(pair.len()));
                self.merge(a, b, &mut merged)?;
            }
            items = merged;
            width *= 2;
        }
        Ok(items)
    }

    fn merge(&self, a: &[Value], b: &[Value], out: &mut Vec<Value>) -> ValueResult<()> {
        let (mut i, mut j) = (0, 0);
        while i < a.len() && j < b.len() {
            self.poll_at(i + j)?;
            // From the left where both are equal: as stable as the sort of the runs.
            if self.compare(a[i], b[j]).is_le() {
                out.push(a[i]);
                i += 1;
            } else {
                out.push(b[j]);
                j += 1;
            }
        }
        out.extend_from_slice(&a[i..]);
        out.extend_from_slice(&b[j..]);
        Ok(())
    }

    /// [`Store::set`] of perhaps very many elements.
    ///
    /// # Errors
    /// When it has to stop.
    pub fn set_of(&mut self, items: Vec<Value>) -> ValueResult<Value> {
        let mut items = self.sorted(items)?;
        items.dedup();
        Ok(self.ascending_set(items))
    }
}
