//! Calls.

use std::rc::Rc;

use super::builtins::builtin_arguments;
use super::code::{ClauseCode, PatternCode, Unit, UnitBody, UnitId};
use super::environment::capture;
use super::fail::{fail, internal};
use super::frame::{Call, Frame, SlotValue, Tail, bind};
use super::guard::{CallGuard, TRACE_MAX};
use super::interpreter::Interpreter;
use super::pattern::Matcher;
use super::program::Program;
use super::relations::applied;
use crate::source::diagnostic::Result;
use crate::source::stack::deep;
use crate::source::{Diagnostic, Span};
use crate::value::{Data, Value};

impl Interpreter {
    /// Calls a value with one group of arguments.
    pub(super) fn apply(&mut self, f: Value, args: Vec<SlotValue>, span: Span) -> Result<Tail> {
        match self.values.store.data(f) {
            Data::Closure { code, env } => {
                // What a closure captures was evaluated, as far as it could be, when it was made.
                let captured = env.iter().map(|v| SlotValue::Value(*v)).collect();
                self.apply_unit(*code, captured, args, span)
            }
            Data::Builtin(builtin) => {
                let builtin = *builtin;
                let args = builtin_arguments(self, builtin, &args, span)?;
                self.builtin(builtin, &args, span).map(Tail::Value)
            }
            Data::Applied(builtin, first) => {
                let (builtin, first) = (*builtin, first.clone());
                let args = builtin_arguments(self, builtin, &args, span)?;
                applied(&mut self.values, builtin, &first, &args, span).map(Tail::Value)
            }
            _ => {
                let message = format!("`{}` is not a function", self.values.short(f));
                Err(fail("E0415", message, span))
            }
        }
    }

    /// Calls a unit with one group of arguments.
    pub(super) fn apply_unit(
        &mut self,
        id: UnitId,
        captured: Vec<SlotValue>,
        args: Vec<SlotValue>,
        span: Span,
    ) -> Result<Tail> {
        let unit = Rc::clone(self.program.unit(id));
        let (function, given, mut all) = match &unit.body {
            UnitBody::Function { .. } => (id, 0, Vec::new()),
            UnitBody::Partial { function, groups } => {
                let at = (unit.captures as usize).min(captured.len());
                (*function, *groups, captured[at..].to_vec())
            }
            _ => return Err(internal(span)),
        };
        // The values given before count as captured ones of the partial application, behind those
        // of the function.
        let target = Rc::clone(self.program.unit(function));
        let UnitBody::Function { arity, .. } = &target.body else {
            return Err(internal(span));
        };
        let wanted = arity.get(given).copied().unwrap_or(0);
        if wanted != args.len() {
            let message = format!(
                "`{}` takes {wanted} argument{}, {} given",
                target.name,
                if wanted == 1 { "" } else { "s" },
                args.len()
            );
            return Err(fail("E0412", message, span));
        }
        all.extend(args);
        let mut captured = captured;
        captured.truncate(target.captures as usize);
        // Not the last group of arguments: what is given so far is captured by the unit for the
        // rest.
        if given + 1 < arity.len() {
            captured.extend(all);
            let env = captured.iter().map(|h| capture(self, h, span));
            let env = env.collect::<Result<Box<[Value]>>>()?;
            let code = function + given as UnitId + 1;
            let closure = self.values.store.intern(Data::Closure { code, env });
            return Ok(Tail::Value(closure));
        }
        Ok(Tail::Call(Call {
            unit: function,
            captured,
            args: all,
            span,
        }))
    }

    /// Makes a call, and the calls in tail position that it ends in.
    pub(super) fn call(&mut self, call: Call) -> Result<Value> {
        let (unit, span) = (call.unit, call.span);
        self.values.descend(span)?;
        let key = if self.values.guard.is_watched() {
            call.key(&mut self.values.store)
        } else {
            None
        };
        let result = match key {
            Some(key) if !self.values.guard.enter(key) => {
                Err(endless(self.program.unit(unit), span))
            }
            Some(key) => {
                let result = self.call_chain(call);
                self.values.guard.leave(key);
                result
            }
            None => self.call_chain(call),
        };
        self.values.guard.ascend();
        result
    }

    fn call_chain(&mut self, mut call: Call) -> Result<Value> {
        let mut rounds = 0u64;
        // A call of this chain: meeting it again means that the chain has no end. It is replaced
        // ever more seldom, so a cycle of any length is found.
        let mut marked: Option<Call> = None;
        // The one before it: what has grown from the one to the other may be why there is no end.
        let mut marked_before: Option<Call> = None;
        loop {
            let (unit, span) = (call.unit, call.span);
            if marked.as_ref().is_some_and(|marked| marked.same(&call)) {
                return Err(endless(self.program.unit(unit), span));
            }
            if rounds.is_power_of_two() {
                marked_before = marked.replace(call.mark());
            }
            let mut reached = deep(|| self.enter_clause(call));
            if let Ok(Tail::Call(next)) = &reached
                && let Err(error) = self.values.count_call(next.span)
            {
                reached = Err(error);
            }
            match reached {
                Ok(Tail::Value(v)) => return Ok(v),
                Ok(Tail::Call(next)) => {
                    // Tail calls take no room on the stack, but they count like others.
                    rounds += 1;
                    call = next;
                }
                Err(error) => {
                    if self.values.guard.ends_recursion(&error) {
                        let late = 1u64 << rounds.max(1).ilog2();
                        let marks = [(late / 2, marked_before), (late, marked)];
                        let marks = marks
                            .iter()
                            .filter_map(|(at, call)| Some((*at, call.as_ref()?)));
                        self.waiting.note_row(&self.values.store, rounds, marks);
                    }
                    return Err(traced(&self.program, &self.values.guard, error, unit, span));
                }
            }
        }
    }

    fn enter_clause(&mut self, call: Call) -> Result<Tail> {
        let unit = Rc::clone(self.program.unit(call.unit));
        let UnitBody::Function { clauses, .. } = &unit.body else {
            return Err(internal(call.span));
        };
        // One frame for all clauses: a clause that does not match leaves nothing that a later one
        // reads.
        let mut frame = call.captured;
        frame.resize(unit.frame as usize, SlotValue::Empty);
        let Some(clause) = self.choose(clauses, &call.args, &mut frame, call.span)? else {
            return Err(no_clause(self, &unit, &call.args, call.span));
        };
        let result = self.tail(&clause.body, &mut frame);
        if let Err(error) = &result
            && self.values.guard.ends_recursion(error)
        {
            let (store, depth) = (&self.values.store, self.values.guard.depth());
            self.waiting.note(store, call.unit, &call.args, depth);
        }
        result
    }

    /// The first clause whose patterns match.
    fn choose<'c>(
        &mut self,
        clauses: &'c [ClauseCode],
        args: &[SlotValue],
        frame: &mut Frame,
        span: Span,
    ) -> Result<Option<&'c ClauseCode>> {
        'clauses: for clause in clauses {
            for (pattern, arg) in clause.patterns.iter().zip(args) {
                match pattern {
                    // These two do not need the argument, so it is not evaluated.
                    PatternCode::Wild => {}
                    PatternCode::Bind(slot) => bind(frame, *slot, arg.clone()),
                    _ => {
                        let v = self.forced(arg, span)?;
                        if !self.matches(pattern, v, frame, span)? {
                            continue 'clauses;
                        }
                    }
                }
            }
            return Ok(Some(clause));
        }
        Ok(None)
    }

    /// Matches a value and binds the variables of the pattern.
    pub(super) fn matches(
        &mut self,
        pattern: &PatternCode,
        v: Value,
        frame: &mut Frame,
        span: Span,
    ) -> Result<bool> {
        let force = self;
        Matcher { force, frame, span }.matches(pattern, v)
    }
}

/// The error that a call matches no clause. It shows the arguments that can be evaluated.
fn no_clause(
    run: &mut Interpreter,
    unit: &Unit,
    args: &[SlotValue],
    span: Span,
) -> Box<Diagnostic> {
    let mut shown = Vec::new();
    for arg in args {
        shown.push(match run.forced(arg, span) {
            Ok(v) => run.values.short(v),
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
fn traced(
    program: &Program,
    guard: &CallGuard,
    mut error: Box<Diagnostic>,
    unit: UnitId,
    span: Span,
) -> Box<Diagnostic> {
    let name = &program.unit(unit).name;
    guard.name_stop(&mut error, name);
    // A recursion is one line, however deep.
    let again = |last: &(String, Span)| last.0 == **name && last.1 == span;
    if error.trace.len() < TRACE_MAX && !error.trace.last().is_some_and(again) {
        error.trace.push((name.to_string(), span));
    }
    error
}

fn endless(unit: &Unit, span: Span) -> Box<Diagnostic> {
    let message = format!("the recursion of `{}` does not end", unit.name);
    Box::new(
        Diagnostic::error("E0411", span, message)
            .also(unit.span, format!("`{}` is defined here", unit.name)),
    )
}
