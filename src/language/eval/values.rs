//! The values, with what all work on them needs: the limits that it keeps to, and the names that its
//! errors mention. Work that takes no more than this evaluates nothing.

use std::rc::Rc;

use super::fail::{fail, nowhere};
use super::frame::suspended_bytes;
use super::guard::CallGuard;
use crate::process::term::Term;
use crate::script::core::Script;
use crate::source::diagnostic::Result;
use crate::source::{Cancel, Diagnostic, Limits, Span};
use crate::value::dots::as_set;
use crate::value::{Data, Value, ValueError, ValueResult, ValueStore};

/// The values of one script.
#[derive(Clone, Debug)]
pub(super) struct Values {
    pub store: ValueStore,
    pub guard: CallGuard,
    script: Rc<Script>,
}

impl Values {
    pub(super) fn new(script: Rc<Script>, limits: &Limits, cancel: Cancel) -> Self {
        let (channels, ctors) = (script.channels.len(), script.ctors.len());
        let mut store = ValueStore::new(limits, channels, ctors, script.types.len());
        store.limit(limits, &cancel);
        let guard = CallGuard::new(limits, cancel);
        Self {
            store,
            guard,
            script,
        }
    }

    pub(super) fn limit(&mut self, limits: &Limits, cancel: Cancel) {
        self.store.limit(limits, &cancel);
        self.guard.limit(limits, cancel);
    }

    pub(super) fn script(&self) -> &Rc<Script> {
        &self.script
    }

    /// A value for a message.
    pub(super) fn short(&self, v: Value) -> String {
        self.store.show_short(v, &self.script)
    }

    /// Gives an error on values its place.
    pub(super) fn at<T>(&self, result: ValueResult<T>, span: Span) -> Result<T> {
        result.map_err(|error| self.fail_value(&error, span))
    }

    /// An error on values as a diagnostic.
    pub(super) fn fail_value(&self, error: &ValueError, span: Span) -> Box<Diagnostic> {
        let (code, text) = self.store.explain(error, &self.script);
        let stops = matches!(error, ValueError::Stopped(_) | ValueError::Full);
        if !stops {
            return fail(code, text, span);
        }
        // Whoever meets this limit may not know that it can be raised.
        let full = matches!(error, ValueError::Full);
        let mut error = Diagnostic::error(code, self.guard.stop(span), text);
        if full {
            error = error.note(
                "perhaps a recursion that builds ever larger values does not end; if the script is meant to need so much, `--memory` allows more",
            );
        }
        error.span = error.span.filter(|span| *span != nowhere());
        Box::new(error)
    }

    /// The error that a value is not of the kind needed (named with its article).
    pub(super) fn unexpected(&self, wanted: &'static str, v: Value, span: Span) -> Box<Diagnostic> {
        self.fail_value(&ValueError::Expected(wanted, v), span)
    }

    /// Looks at the cancel flag, at the clock, and at the memory taken.
    pub(super) fn poll(&self, span: Span) -> Result<()> {
        // Thunks are no values, but a recursion may pile them up all the same.
        self.at(self.store.poll(suspended_bytes()), span)
    }

    /// To be called at every step of work that calls no function.
    pub(super) fn look(&self, span: Span) -> Result<()> {
        self.at(self.store.look(), span)
    }

    /// Counts a call. Experiments end at a bound on calls, and limits are checked now and then.
    pub(super) fn count_call(&mut self, span: Span) -> Result<()> {
        if self.guard.count(span)? {
            self.poll(span)?;
        }
        Ok(())
    }

    /// Counts a call within the one that runs; an error if there are too many. To be followed by
    /// [`CallGuard::ascend`], unless an error ends everything.
    pub(super) fn descend(&mut self, span: Span) -> Result<()> {
        self.count_call(span)?;
        self.guard.descend(span)
    }

    /// The maximum number of elements of a set or sequence.
    pub(super) fn elements_max(&self) -> usize {
        self.guard.limits().elements_max
    }

    /// Checks that a sequence is not too long.
    pub(super) fn check_length(&self, length: usize, span: Span) -> Result<()> {
        let max = self.elements_max();
        if length <= max {
            return Ok(());
        }
        let text = format!("a sequence of more than {max} elements");
        Err(fail("E0403", text, span))
    }

    /// The truth value that a value must be.
    pub(super) fn truth(&self, v: Value, span: Span) -> Result<bool> {
        self.at(self.store.as_bool(v), span)
    }

    /// A value read as a set (a product or a tuple of sets too).
    pub(super) fn set_from(&mut self, v: Value, span: Span) -> Result<Value> {
        match as_set(&mut self.store, v) {
            Some(set) => Ok(set),
            None => Err(self.unexpected("a set", v, span)),
        }
    }

    /// A value read as a set, in its normal form: small lazy ones are listed, so that equal sets are
    /// equal handles.
    pub(super) fn settled_set(&mut self, v: Value, span: Span) -> Result<Value> {
        let set = self.set_from(v, span)?;
        let settled = self.store.sets().settle(set);
        self.at(settled, span)
    }

    /// The two parts of a pair.
    pub(super) fn pair(&self, v: Value, span: Span) -> Result<(Value, Value)> {
        match self.store.data(v) {
            Data::Tuple(parts) if parts.len() == 2 => Ok((parts[0], parts[1])),
            _ => Err(self.unexpected("a pair", v, span)),
        }
    }

    /// A process as a value.
    pub(super) fn process(&mut self, t: Term) -> Value {
        self.store.intern(Data::Process(t.0))
    }

    /// The process that a value is.
    pub(super) fn term(&self, v: Value, span: Span) -> Result<Term> {
        match self.store.data(v) {
            Data::Process(number) => Ok(Term(*number)),
            _ => Err(self.unexpected("a process", v, span)),
        }
    }
}
