//! Guards against endless evaluation: the depth and the number of calls, calls that depend on themselves, and the
//! limits that the user sets.

use std::cell::Cell;

use super::fail::{fail, nowhere};
use crate::source::diagnostic::Result;
use crate::source::hash::Set;
use crate::source::{Cancel, Diagnostic, Kind, Limits, Span};
use crate::value::Value;

/// From this depth on calls are watched for one that is made while it is being evaluated.
const WATCHED_DEPTH: usize = 2000;
/// Frames kept of a call trace.
pub(super) const TRACE_MAX: usize = 10;
/// Calls between two looks at the cancel flag.
const POLL_EVERY: u64 = 1024;

/// Counts calls and remembers those that are being evaluated.
#[derive(Clone, Debug)]
pub(super) struct CallGuard {
    limits: Limits,
    cancel: Cancel,
    /// Calls within calls, now: at most `limits.depth_max`.
    depth: usize,
    /// Calls so far. Never goes back, so it can be compared over time.
    calls: u64,
    /// The number of calls at which the innermost experiment ends. An experiment within another
    /// never ends later.
    calls_end: u64,
    /// Calls below a certain depth that are being evaluated.
    calling: Set<Value>,
    /// Whether a limit or the user has ended the evaluation that runs.
    stopped: Cell<bool>,
    /// The place in the script that was evaluated last: for errors that have none of their own.
    lately: Cell<Span>,
}

/// The state at the beginning of an experiment, to return to.
#[derive(Clone, Copy, Debug)]
#[must_use]
pub(super) struct ExperimentStart {
    depth: usize,
    calls_end: u64,
}

impl CallGuard {
    pub(super) fn new(limits: &Limits, cancel: Cancel) -> Self {
        Self {
            limits: limits.clone(),
            cancel,
            depth: 0,
            calls: 0,
            calls_end: u64::MAX,
            calling: Set::default(),
            stopped: Cell::new(false),
            lately: Cell::new(nowhere()),
        }
    }

    pub(super) fn limit(&mut self, limits: &Limits, cancel: Cancel) {
        self.limits = limits.clone();
        self.cancel = cancel;
    }

    /// To be called where an evaluation begins that is not part of another: an error leaves the
    /// marks of the calls that it came out of.
    pub(super) fn begin(&mut self) {
        self.calling.clear();
        self.depth = 0;
        self.calls_end = u64::MAX;
        self.stopped.set(false);
    }

    /// Forgets the place that was evaluated last if it is one of these.
    pub(super) fn forget_place_in(&self, places: Span) {
        let lately = self.lately.get();
        if lately.file == places.file && places.start <= lately.start && lately.end <= places.end {
            self.lately.set(nowhere());
        }
    }

    pub(super) fn limits(&self) -> &Limits {
        &self.limits
    }
    pub(super) fn cancel(&self) -> &Cancel {
        &self.cancel
    }

    /// Counts a call. Returns whether the limits should be checked now.
    pub(super) fn count(&mut self, span: Span) -> Result<bool> {
        self.calls += 1;
        // What sequences go on with is written nowhere.
        if span != nowhere() {
            self.lately.set(span);
        }
        if self.calls >= self.limits.calls_max {
            // The whole evaluation ends, not just an experiment in it.
            let span = self.stop(span);
            return Err(fail("E0498", "given up: it takes too many calls", span));
        }
        // Never seen by a person: whoever made the experiment drops it.
        if self.calls >= self.calls_end {
            return Err(fail("E0498", "given up: it may not be needed", span));
        }
        Ok(self.calls.is_multiple_of(POLL_EVERY))
    }

    /// One level deeper; an error beyond the limit.
    pub(super) fn descend(&mut self, span: Span) -> Result<()> {
        if self.depth >= self.limits.depth_max {
            let message = format!("more than {} calls within calls", self.limits.depth_max);
            return Err(Box::new(
                Diagnostic::error("E0421", span, message)
                    .note("a call that is the last thing a function does takes no room: an accumulating parameter helps"),
            ));
        }
        self.depth += 1;
        Ok(())
    }

    /// Back from one level deeper. An experiment that failed in between may have set the depth back
    /// already.
    pub(super) fn ascend(&mut self) {
        self.depth = self.depth.saturating_sub(1);
    }

    /// Whether calls are deep enough to look for cycles. Looking costs an entry in the store for
    /// every call, and few recursions get here.
    pub(super) fn is_watched(&self) -> bool {
        self.depth > WATCHED_DEPTH
    }

    /// Says that a call is being evaluated. False if it was already: then it never ends.
    pub(super) fn enter(&mut self, call: Value) -> bool {
        self.calling.insert(call)
    }

    pub(super) fn leave(&mut self, call: Value) {
        self.calling.remove(&call);
    }

    /// Allows this many calls until [`CallGuard::end_experiment`].
    pub(super) fn begin_experiment(&mut self, calls: u64) -> ExperimentStart {
        let (depth, calls_end) = (self.depth, self.calls_end);
        // An experiment within an experiment: the outer one must end in time, too.
        self.calls_end = calls_end.min(self.calls + calls);
        ExperimentStart { depth, calls_end }
    }

    /// Forgets how deep the experiment was when it failed.
    pub(super) fn end_experiment(&mut self, mark: ExperimentStart) {
        self.depth = mark.depth;
        self.calls_end = mark.calls_end;
    }

    /// Notes that the whole evaluation ends. Where: the given place, or the last one known, since
    /// what is written nowhere (a sequence that goes on, say) belongs to what was evaluated before.
    pub(super) fn stop(&self, span: Span) -> Span {
        self.stopped.set(true);
        if span == nowhere() {
            self.lately.get()
        } else {
            span
        }
    }

    pub(super) fn is_stopped(&self) -> bool {
        self.stopped.get()
    }

    /// Whether an error ends a recursion that might go on for ever: at a limit, or by its depth.
    pub(super) fn ends_recursion(&self, error: &Diagnostic) -> bool {
        self.stopped.get() || error.kind == Kind::TooDeep
    }

    /// Calls within calls, now.
    pub(super) fn depth(&self) -> usize {
        self.depth
    }

    /// An evaluation that is stopped says in which definition: the innermost one that has a name.
    pub(super) fn name_stop(&self, error: &mut Diagnostic, name: &str) {
        if self.stopped.get() && error.trace.is_empty() && !error.message.contains(", in `") {
            error.message.push_str(&format!(", in `{name}`"));
        }
    }
}
