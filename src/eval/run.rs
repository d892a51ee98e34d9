//! Frames, lazy values and calls.

use std::cell::RefCell;
use std::rc::Rc;
use std::time::Instant;

use super::Evaluator;
use super::code::{Arg, Body, Clause, Code, Delayed, Slot, Unit, UnitId};
use crate::source::diagnostic::Result;
use crate::source::stack::deep;
use crate::source::{Diagnostic, Span};
use crate::value::{Data, Value, ValueError, ValueResult};

/// Calls in tail position before a loop is taken to be endless: a multiple of the depth limit.
const TAIL_FACTOR: u64 = 50;
/// Frames kept of a call trace.
const TRACE_MAX: usize = 10;
/// Calls between two looks at the cancel flag.
const POLL_EVERY: u64 = 1024;

/// What a variable holds.
#[derive(Clone, Debug, Default)]
pub(super) enum Held {
    /// Not bound yet.
    #[default]
    Empty,
    Value(Value),
    Lazy(Rc<RefCell<Thunk>>),
}

/// A value that is evaluated when it is first needed.
#[derive(Debug)]
pub(super) enum Thunk {
    Waiting(UnitId, Box<[Held]>),
    Running,
    Done(Value),
}

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
        Rc::clone(&self.program.units[id as usize])
    }

    /// Gives an error on values its place.
    pub(super) fn at<T>(&self, result: ValueResult<T>, span: Span) -> Result<T> {
        result.map_err(|error| self.fail_value(&error, span))
    }

    pub(super) fn fail_value(&self, error: &ValueError, span: Span) -> Box<Diagnostic> {
        let (code, text) = self.store.explain(error, &self.script);
        Box::new(Diagnostic::error(code, span, text))
    }

    /// The place of a variable in a frame.
    pub(super) fn held(frame: &Frame, slot: Slot, span: Span) -> Result<Held> {
        match frame.get(slot as usize) {
            Some(Held::Empty) | None => Err(Box::new(Diagnostic::error(
                "E0499",
                span,
                "a variable was used before it was bound",
            ))),
            Some(held) => Ok(held.clone()),
        }
    }

    /// The value of a variable, evaluated now if it was not yet.
    pub(super) fn forced(&mut self, held: &Held, span: Span) -> Result<Value> {
        match held {
            Held::Empty => Err(Box::new(Diagnostic::error(
                "E0499",
                span,
                "a variable was used before it was bound",
            ))),
            Held::Value(v) => self.settled(*v, span),
            Held::Lazy(thunk) => {
                let v = self.force(thunk, span)?;
                self.settled(v, span)
            }
        }
    }

    /// A value that was captured while it could not be evaluated is evaluated now.
    pub(super) fn settled(&mut self, v: Value, span: Span) -> Result<Value> {
        let Data::Closure { code, env } = self.store.data(v) else {
            return Ok(v);
        };
        let (code, env) = (*code, env.clone());
        if matches!(self.program.units[code as usize].body, Body::Thunk(_)) {
            self.force_unit(code, env, span)
        } else {
            Ok(v)
        }
    }

    fn force(&mut self, thunk: &Rc<RefCell<Thunk>>, span: Span) -> Result<Value> {
        let state = std::mem::replace(&mut *thunk.borrow_mut(), Thunk::Running);
        match state {
            Thunk::Done(v) => {
                *thunk.borrow_mut() = Thunk::Done(v);
                Ok(v)
            }
            Thunk::Running => Err(Box::new(Diagnostic::error(
                "E0410",
                span,
                "the value of this variable depends on itself",
            ))),
            Thunk::Waiting(unit, captured) => {
                let result = self.run_thunk(unit, captured.to_vec(), span);
                *thunk.borrow_mut() = match &result {
                    Ok(v) => Thunk::Done(*v),
                    Err(_) => Thunk::Waiting(unit, captured),
                };
                result
            }
        }
    }

    /// Runs a thunk with these captured values.
    pub(super) fn run_thunk(
        &mut self,
        id: UnitId,
        captured: Vec<Held>,
        span: Span,
    ) -> Result<Value> {
        let unit = self.unit(id);
        let Body::Thunk(code) = &unit.body else {
            return Err(Self::internal(span));
        };
        self.descend(span)?;
        let mut frame = captured;
        frame.resize(unit.frame as usize, Held::Empty);
        let result = deep(|| self.eval(code, &mut frame));
        self.depth -= 1;
        result
    }

    /// The value of a lifted definition or of a captured thunk: found once for each environment.
    pub(super) fn force_unit(
        &mut self,
        unit: UnitId,
        env: Box<[Value]>,
        span: Span,
    ) -> Result<Value> {
        let captured = env.iter().map(|v| Held::Value(*v)).collect();
        let key = self.store.intern(Data::Closure { code: unit, env });
        if let Some(known) = self.forced_units.get(&key) {
            return Ok(*known);
        }
        if !self.forcing.insert(key) {
            let name = Rc::clone(&self.unit(unit).name);
            let message = format!("the value of `{name}` depends on itself");
            return Err(Box::new(Diagnostic::error("E0410", span, message)));
        }
        let result = self.run_thunk(unit, captured, span);
        self.forcing.remove(&key);
        if let Ok(v) = result {
            self.forced_units.insert(key, v);
        }
        result
    }

    /// A variable as a value for an environment. A lazy variable that cannot be evaluated (now) is
    /// captured as it stands, as a closure without parameters: only its use is an error.
    pub(super) fn capture(&mut self, held: &Held, span: Span) -> Result<Value> {
        let thunk = match held {
            Held::Value(v) => return Ok(*v),
            Held::Empty => return Err(Self::internal(span)),
            Held::Lazy(thunk) => thunk,
        };
        let error = match self.force(thunk, span) {
            Ok(v) => return Ok(v),
            Err(error) => error,
        };
        if self.poll(span).is_err() {
            return Err(error);
        }
        let waiting = match &*thunk.borrow() {
            Thunk::Waiting(unit, captured) => Some((*unit, captured.clone())),
            _ => None,
        };
        let Some((unit, captured)) = waiting else {
            return Err(error);
        };
        let env = captured.iter().map(|h| self.capture(h, span));
        let env = env.collect::<Result<Box<[Value]>>>()?;
        Ok(self.store.intern(Data::Closure { code: unit, env }))
    }

    /// The values of several variables for an environment.
    pub(super) fn captures(
        &mut self,
        slots: &[Slot],
        frame: &Frame,
        span: Span,
    ) -> Result<Box<[Value]>> {
        slots
            .iter()
            .map(|slot| {
                let held = Self::held(frame, *slot, span)?;
                self.capture(&held, span)
            })
            .collect()
    }

    /// A lazy value.
    pub(super) fn delay(delayed: &Delayed, frame: &Frame, span: Span) -> Result<Held> {
        let captured = delayed
            .captures
            .iter()
            .map(|slot| Self::held(frame, *slot, span))
            .collect::<Result<Box<[Held]>>>()?;
        let thunk = Thunk::Waiting(delayed.unit, captured);
        Ok(Held::Lazy(Rc::new(RefCell::new(thunk))))
    }

    /// Evaluates the arguments of a call. One that fails is kept lazy: it may not be needed.
    pub(super) fn args(&mut self, args: &[Arg], frame: &mut Frame) -> Result<Vec<Held>> {
        let mut values = Vec::with_capacity(args.len());
        for arg in args {
            values.push(match arg {
                Arg::Now(code) => Held::Value(self.eval(code, frame)?),
                Arg::Slot(slot) => match frame.get(*slot as usize) {
                    Some(held) => held.clone(),
                    None => Held::Empty,
                },
                Arg::Try(delayed, span) => {
                    let lazy = Self::delay(delayed, frame, *span)?;
                    match self.forced(&lazy, *span) {
                        Ok(v) => Held::Value(v),
                        Err(error) if self.poll(*span).is_err() => return Err(error),
                        Err(_) => lazy,
                    }
                }
            });
        }
        Ok(values)
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
                let mut values = Vec::with_capacity(args.len());
                for arg in &args {
                    values.push(self.forced(arg, span)?);
                }
                self.builtin(builtin, &values, span).map(Outcome::Value)
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
        self.descend(call.span)?;
        let mut call = call;
        let mut rounds = 0u64;
        let result = loop {
            let (unit, span) = (call.unit, call.span);
            let before = (call.args.clone(), unit);
            let outcome = deep(|| self.enter_clause(call)).map_err(|e| self.traced(e, unit, span));
            match outcome {
                Ok(Outcome::Value(v)) => break Ok(v),
                Err(error) => break Err(error),
                Ok(Outcome::Call(next)) => {
                    rounds += 1;
                    let same = next.unit == before.1 && same_values(&next.args, &before.0);
                    if same || rounds > TAIL_FACTOR * self.limits.depth_max as u64 {
                        break Err(self.endless(unit, span));
                    }
                    if rounds.is_multiple_of(POLL_EVERY)
                        && let Err(error) = self.poll(span)
                    {
                        break Err(error);
                    }
                    call = next;
                }
            }
        };
        self.depth -= 1;
        result
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
        if error.trace.len() < TRACE_MAX {
            let name = self.program.units[unit as usize].name.to_string();
            error.trace.push((name, span));
        }
        error
    }

    fn endless(&self, unit: UnitId, span: Span) -> Box<Diagnostic> {
        let unit = &self.program.units[unit as usize];
        let message = format!("the recursion of `{}` does not end", unit.name);
        Box::new(
            Diagnostic::error("E0411", span, message)
                .also(unit.span, format!("`{}` is defined here", unit.name)),
        )
    }

    /// One level deeper; an error beyond the limit.
    pub(super) fn descend(&mut self, span: Span) -> Result<()> {
        self.calls += 1;
        if self.calls.is_multiple_of(POLL_EVERY) {
            self.poll(span)?;
        }
        if self.depth >= self.limits.depth_max {
            let message = format!(
                "the recursion does not end within {} nested calls",
                self.limits.depth_max
            );
            return Err(Box::new(Diagnostic::error("E0411", span, message)));
        }
        self.depth += 1;
        Ok(())
    }

    /// Looks at the cancel flag and at the clock.
    pub(super) fn poll(&self, span: Span) -> Result<()> {
        if self.cancel.is_cancelled() {
            return Err(Box::new(Diagnostic::error("E0701", span, "cancelled")));
        }
        if self
            .limits
            .deadline
            .is_some_and(|end| Instant::now() >= end)
        {
            let message = "the time allowed for evaluation is over";
            return Err(Box::new(Diagnostic::error("E0702", span, message)));
        }
        Ok(())
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

/// Whether two lists of arguments are the same, as far as that can be told cheaply.
fn same_values(a: &[Held], b: &[Held]) -> bool {
    a.len() == b.len()
        && a.iter().zip(b).all(|(x, y)| match (x, y) {
            (Held::Value(v), Held::Value(w)) => v == w,
            _ => false,
        })
}
