//! Frames and calls.

use std::rc::Rc;

use super::code::{Body, Clause, Code, Slot, Unit, UnitId};
pub(super) use super::lazy::Held;
use super::lazy::suspended_bytes;
use super::{Evaluator, nowhere};
use crate::source::diagnostic::Result;
use crate::source::stack::deep;
use crate::source::{Diagnostic, Span};
use crate::value::{Data, Value, ValueError, ValueResult};

/// From this depth on calls are watched for one that is made while it is being evaluated.
const WATCHED_DEPTH: usize = 2000;
/// Frames kept of a call trace.
const TRACE_MAX: usize = 10;
/// Calls between two looks at the cancel flag.
const POLL_EVERY: u64 = 1024;

/// The variables of a unit that runs.
pub(super) type Frame = Vec<Held>;

/// A call that is about to happen.
#[derive(Debug)]
pub(super) struct Call {
    pub unit: UnitId,
    pub captured: Vec<Held>,
    pub args: Vec<Held>,
    pub span: Span,
}

/// The result of an expression in tail position.
pub(super) enum Outcome {
    Value(Value),
    Call(Call),
}

impl Evaluator {
    pub(super) fn unit(&self, id: UnitId) -> Rc<Unit> {
        Rc::clone(self.program.unit(id))
    }

    /// Gives an error on values its place.
    pub(super) fn at<T>(&self, result: ValueResult<T>, span: Span) -> Result<T> {
        result.map_err(|error| self.fail_value(&error, span))
    }

    pub(super) fn fail_value(&self, error: &ValueError, span: Span) -> Box<Diagnostic> {
        let (code, text) = self.store.explain(error, &self.script);
        let stops = matches!(error, ValueError::Stopped(_) | ValueError::Full);
        if !stops {
            return Box::new(Diagnostic::error(code, span, text));
        }
        self.stopped.set(true);
        // What is written nowhere (a sequence that goes on, say) belongs to what was evaluated before.
        let span = if span == nowhere() {
            self.lately.get()
        } else {
            span
        };
        let full = matches!(error, ValueError::Full);
        let mut error = Diagnostic::error(code, span, text);
        if full {
            error = error.note(
                "perhaps a recursion that builds ever larger values does not end; if the script is meant to need so much, `--memory` allows more",
            );
        }
        error.span = error.span.filter(|span| *span != nowhere());
        Box::new(error)
    }

    pub(super) fn fail_at(
        &self,
        code: &'static str,
        text: impl Into<String>,
        span: Span,
    ) -> Box<Diagnostic> {
        Box::new(Diagnostic::error(code, span, text))
    }

    /// The place of a variable in a frame.
    pub(super) fn held(frame: &Frame, slot: Slot, span: Span) -> Result<Held> {
        match frame.get(slot as usize) {
            Some(Held::Empty) | None => Err(Self::unbound(span)),
            Some(held) => Ok(held.clone()),
        }
    }

    /// Calls a value with one group of arguments.
    pub(super) fn apply(&mut self, f: Value, args: Vec<Held>, span: Span) -> Result<Outcome> {
        match self.store.data(f) {
            Data::Closure { code, env } => {
                let captured = env.iter().map(|v| Held::Value(*v)).collect();
                self.apply_unit(*code, captured, args, span)
            }
            Data::Builtin(builtin) => {
                let builtin = *builtin;
                let values = self.builtin_args(builtin, &args, span)?;
                self.builtin(builtin, &values, span).map(Outcome::Value)
            }
            Data::Applied(builtin, first) => {
                let (builtin, first) = (*builtin, first.clone());
                let values = self.builtin_args(builtin, &args, span)?;
                let v = self.applied(builtin, &first, &values, span)?;
                Ok(Outcome::Value(v))
            }
            _ => {
                let shown = self.store.show_short(f, &self.script);
                let message = format!("`{shown}` is not a function");
                Err(Box::new(Diagnostic::error("E0415", span, message)))
            }
        }
    }

    /// Calls a unit with one group of arguments.
    pub(super) fn apply_unit(
        &mut self,
        id: UnitId,
        captured: Vec<Held>,
        args: Vec<Held>,
        span: Span,
    ) -> Result<Outcome> {
        let unit = self.unit(id);
        let (function, given, mut all) = match &unit.body {
            Body::Function { .. } => (id, 0, Vec::new()),
            Body::Partial { function, groups } => {
                let at = (unit.captures as usize).min(captured.len());
                (*function, *groups, captured[at..].to_vec())
            }
            _ => return Err(Self::internal(span)),
        };
        let target = self.unit(function);
        let Body::Function { arity, .. } = &target.body else {
            return Err(Self::internal(span));
        };
        let wanted = arity.get(given).copied().unwrap_or(0);
        if wanted != args.len() {
            let message = format!(
                "`{}` takes {wanted} argument{}, {} given",
                target.name,
                if wanted == 1 { "" } else { "s" },
                args.len()
            );
            return Err(Box::new(Diagnostic::error("E0412", span, message)));
        }
        all.extend(args);
        let mut captured = captured;
        captured.truncate(target.captures as usize);
        if given + 1 < arity.len() {
            captured.extend(all);
            let env = captured.iter().map(|h| self.capture(h, span));
            let env = env.collect::<Result<Box<[Value]>>>()?;
            let code = function + given as UnitId + 1;
            let closure = self.store.intern(Data::Closure { code, env });
            return Ok(Outcome::Value(closure));
        }
        Ok(Outcome::Call(Call {
            unit: function,
            captured,
            args: all,
            span,
        }))
    }

    /// Makes a call, and the calls in tail position that it ends in.
    pub(super) fn call(&mut self, call: Call) -> Result<Value> {
        let (unit, span) = (call.unit, call.span);
        self.descend(span)?;
        let key = match self.depth {
            ..=WATCHED_DEPTH => None,
            _ => self.call_key(&call),
        };
        let result = match key {
            Some(key) if !self.calling.insert(key) => Err(self.endless(unit, span)),
            Some(key) => {
                let result = self.call_chain(call);
                self.calling.remove(&key);
                result
            }
            None => self.call_chain(call),
        };
        self.depth = self.depth.saturating_sub(1);
        result
    }

    /// What tells a call from others, if all its arguments are evaluated.
    fn call_key(&mut self, call: &Call) -> Option<Value> {
        let all = call.captured.iter().chain(&call.args);
        let env = all.map(Held::known).collect::<Option<Box<[Value]>>>()?;
        let code = call.unit;
        Some(self.store.intern(Data::Closure { code, env }))
    }

    fn call_chain(&mut self, mut call: Call) -> Result<Value> {
        let mut rounds = 0u64;
        // A call of this chain: meeting it again means that the chain has no end. It is replaced
        // ever more seldom, so a cycle of any length is found.
        let mut marked: Option<(UnitId, Vec<Held>, Vec<Held>)> = None;
        loop {
            let (unit, span) = (call.unit, call.span);
            match &marked {
                Some((u, captured, args))
                    if *u == unit && same(args, &call.args) && same(captured, &call.captured) =>
                {
                    return Err(self.endless(unit, span));
                }
                _ => {}
            }
            if rounds.is_power_of_two() {
                marked = Some((unit, call.captured.clone(), call.args.clone()));
            }
            let outcome = deep(|| self.enter_clause(call)).map_err(|e| self.traced(e, unit, span));
            match outcome? {
                Outcome::Value(v) => return Ok(v),
                Outcome::Call(next) => {
                    rounds += 1;
                    let counted = self.count_call(next.span);
                    counted.map_err(|e| self.traced(e, unit, span))?;
                    call = next;
                }
            }
        }
    }

    fn enter_clause(&mut self, call: Call) -> Result<Outcome> {
        let unit = self.unit(call.unit);
        let Body::Function { clauses, .. } = &unit.body else {
            return Err(Self::internal(call.span));
        };
        let mut frame = call.captured;
        frame.resize(unit.frame as usize, Held::Empty);
        let Some(clause) = self.choose(clauses, &call.args, &mut frame, call.span)? else {
            return Err(self.no_clause(&unit, &call.args, call.span));
        };
        self.tail(&clause.body, &mut frame)
    }

    /// The first clause whose patterns match.
    fn choose<'c>(
        &mut self,
        clauses: &'c [Clause],
        args: &[Held],
        frame: &mut Frame,
        span: Span,
    ) -> Result<Option<&'c Clause>> {
        for clause in clauses {
            let mut matched = true;
            for (pattern, arg) in clause.patterns.iter().zip(args) {
                if !self.matches_held(pattern, arg, frame, span)? {
                    matched = false;
                    break;
                }
            }
            if matched {
                return Ok(Some(clause));
            }
        }
        Ok(None)
    }

    fn no_clause(&mut self, unit: &Unit, args: &[Held], span: Span) -> Box<Diagnostic> {
        let mut shown = Vec::new();
        for arg in args {
            shown.push(match self.forced(arg, span) {
                Ok(v) => self.store.show_short(v, &self.script),
                Err(_) => "_".to_owned(),
            });
        }
        let message = format!(
            "no clause of `{}` matches ({})",
            unit.name,
            shown.join(", ")
        );
        Box::new(
            Diagnostic::error("E0413", span, message)
                .also(unit.span, format!("`{}` is defined here", unit.name)),
        )
    }

    /// Adds a call to the trace of an error that comes out of it.
    fn traced(&self, mut error: Box<Diagnostic>, unit: UnitId, span: Span) -> Box<Diagnostic> {
        let name = &self.program.unit(unit).name;
        self.name_stop(&mut error, name);
        // A recursion is one line, however deep.
        let again = |last: &(String, Span)| last.0 == **name && last.1 == span;
        if error.trace.len() < TRACE_MAX && !error.trace.last().is_some_and(again) {
            error.trace.push((name.to_string(), span));
        }
        error
    }

    /// An evaluation that is stopped says in which definition: the innermost one that has a name.
    pub(super) fn name_stop(&self, error: &mut Diagnostic, name: &str) {
        if self.stopped.get() && error.trace.is_empty() && !error.message.contains(", in `") {
            error.message.push_str(&format!(", in `{name}`"));
        }
    }

    fn endless(&self, unit: UnitId, span: Span) -> Box<Diagnostic> {
        let unit = self.program.unit(unit);
        let message = format!("the recursion of `{}` does not end", unit.name);
        Box::new(
            Diagnostic::error("E0411", span, message)
                .also(unit.span, format!("`{}` is defined here", unit.name)),
        )
    }

    /// One level deeper; an error beyond the limit.
    pub(super) fn descend(&mut self, span: Span) -> Result<()> {
        self.count_call(span)?;
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

    /// Counts a call: experiments are bounded by it, and now and then somebody may want to stop.
    pub(super) fn count_call(&mut self, span: Span) -> Result<()> {
        self.calls += 1;
        if span != nowhere() {
            self.lately.set(span);
        }
        if self.calls >= self.calls_end {
            let message = "given up: it may not be needed";
            return Err(Box::new(Diagnostic::error("E0498", span, message)));
        }
        if self.calls.is_multiple_of(POLL_EVERY) {
            self.poll(span)?;
        }
        Ok(())
    }

    /// Looks at the cancel flag, at the clock, and at the memory taken.
    pub(super) fn poll(&self, span: Span) -> Result<()> {
        let polled = self.store.poll(suspended_bytes());
        polled.map_err(|error| self.fail_value(&error, span))
    }

    /// To be called at every step of work that calls no function.
    pub(super) fn look(&self, span: Span) -> Result<()> {
        self.store
            .look()
            .map_err(|error| self.fail_value(&error, span))
    }

    pub(super) fn internal(span: Span) -> Box<Diagnostic> {
        Box::new(
            Diagnostic::error("E0499", span, "internal error: code of the wrong kind")
                .note("please report this script"),
        )
    }

    /// Evaluates an expression to a value.
    pub(super) fn eval(&mut self, code: &Code, frame: &mut Frame) -> Result<Value> {
        match deep(|| self.tail(code, frame))? {
            Outcome::Value(v) => Ok(v),
            Outcome::Call(call) => self.call(call),
        }
    }
}

/// Whether two lists of variables certainly hold the same.
fn same(a: &[Held], b: &[Held]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(x, y)| x.same(y))
}
