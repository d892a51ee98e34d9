//! Long work on values keeps to limits: it looks at them now and then.

use std::cell::Cell;

use super::interner::Interner;
use super::{Value, ValueError, ValueResult};
use crate::source::{Cancel, Limits};

/// Elements between two looks at the limits.
const POLL_EVERY: usize = 1024;
/// Elements that are sorted without a look.
const SORTED_AT_ONCE: usize = 1 << 15;

/// Limits of long work on values. The caller passes the bytes that the values occupy.
#[derive(Clone, Debug)]
pub(super) struct WorkLimits {
    limits: Limits,
    cancel: Cancel,
    /// The number of calls of [`WorkLimits::look`]: many short pieces of work reach a check in the end as well. A
    /// `Cell`, since work that only reads values calls it, too.
    looks: Cell<u32>,
}

impl WorkLimits {
    pub(super) fn new(limits: &Limits) -> Self {
        Self {
            limits: limits.clone(),
            cancel: Cancel::default(),
            looks: Cell::default(),
        }
    }

    pub(super) fn replace(&mut self, limits: &Limits, cancel: &Cancel) {
        self.limits = limits.clone();
        self.cancel = cancel.clone();
    }

    /// The maximum number of elements of a set that is listed.
    pub(super) fn elements_max(&self) -> usize {
        self.limits.elements_max
    }

    /// The maximum number of bytes of values.
    pub(super) fn bytes_max(&self) -> usize {
        self.limits.values_max
    }

    /// A look at the limits; the error is that the work has to stop.
    pub(super) fn poll(&self, bytes: usize) -> ValueResult<()> {
        // This reads the clock, which is why it is not done for every element.
        if let Some(stop) = self.limits.reached(&self.cancel, 0) {
            Err(ValueError::Stopped(stop))
        } else if bytes > self.limits.values_max {
            Err(ValueError::Full)
        } else {
            Ok(())
        }
    }

    /// Calls [`WorkLimits::poll`] every thousandth time.
    pub(super) fn look(&self, bytes: usize) -> ValueResult<()> {
        let looks = self.looks.get().wrapping_add(1);
        self.looks.set(looks);
        if (looks as usize).is_multiple_of(POLL_EVERY) {
            self.poll(bytes)
        } else {
            Ok(())
        }
    }

    /// [`WorkLimits::poll`] with every thousandth element.
    pub(super) fn poll_at(&self, i: usize, bytes: usize) -> ValueResult<()> {
        // Not at 0: work on fewer elements than that never pays for a look.
        if i % POLL_EVERY == POLL_EVERY - 1 {
            self.poll(bytes)
        } else {
            Ok(())
        }
    }
}

/// The values in order ([`Interner::compare`]).
pub(super) fn sorted(
    values: &Interner,
    limits: &WorkLimits,
    mut items: Vec<Value>,
) -> ValueResult<Vec<Value>> {
    // What was listed from sets in order is mostly in order already.
    if items.is_sorted_by(|a, b| values.compare(*a, *b).is_le()) {
        return Ok(items);
    }
    // A sort of the whole could not be ended before it is done, however long that takes. So
    // runs are sorted and then merged in rounds, with looks in between.
    for run in items.chunks_mut(SORTED_AT_ONCE) {
        values.sort(run);
        limits.poll(values.bytes())?;
    }
    let mut width = SORTED_AT_ONCE;
    while width < items.len() {
        let mut merged = Vec::with_capacity(items.len());
        for pair in items.chunks(2 * width) {
            let (a, b) = pair.split_at(width.min(pair.len()));
            merge(values, limits, a, b, &mut merged)?;
        }
        items = merged;
        width *= 2;
    }
    Ok(items)
}

fn merge(
    values: &Interner,
    limits: &WorkLimits,
    a: &[Value],
    b: &[Value],
    out: &mut Vec<Value>,
) -> ValueResult<()> {
    let (mut i, mut j) = (0, 0);
    while i < a.len() && j < b.len() {
        limits.poll_at(i + j, values.bytes())?;
        // From the left where both are equal: as stable as the sort of the runs.
        if values.compare(a[i], b[j]).is_le() {
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
