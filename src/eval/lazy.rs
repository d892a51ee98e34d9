//! Call by need: values that are evaluated when they are first needed, and at most once.
//!
//! What is bound but perhaps never used (an argument, a `let`, a part of a tuple) is evaluated at
//! once *as an experiment*, for a limited number of calls: so most values are plain values, equal
//! ones have equal handles, and a long recursion does not pile up suspended work. If the experiment
//! fails, the expression stays suspended, and an error in it is an error only where it is used.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use super::Evaluator;
use super::code::{Arg, Body, Delayed, Slot, UnitId};
use super::run::Frame;
use crate::source::diagnostic::Result;
use crate::source::stack::deep;
use crate::source::{Diagnostic, Span};
use crate::value::{Data, Value};

/// Calls allowed to the experiment with an argument.
const ARGUMENT_CALLS: u64 = 300;
/// Calls allowed to evaluating what an environment captures: more, because states are compared by
/// what their environments hold.
const CAPTURE_CALLS: u64 = 200_000;
/// After this many failures no more experiments are made with an argument.
const FAILURES_MAX: u8 = 16;
/// Bytes that a suspended expression takes, roughly.
const THUNK_BYTES: usize = 120;

thread_local! {
    static THUNKS: Cell<usize> = const { Cell::new(0) };
}

/// What a variable holds.
#[derive(Clone, Debug, Default)]
pub(super) enum Held {
    /// Not bound yet.
    #[default]
    Empty,
    Value(Value),
    Lazy(Rc<Thunk>),
}

/// A value that is evaluated when it is first needed.
#[derive(Debug)]
pub(super) struct Thunk(RefCell<State>);

#[derive(Debug)]
enum State {
    Waiting(UnitId, Box<[Held]>),
    Running,
    Done(Value),
}

impl Thunk {
    fn new(unit: UnitId, captured: Box<[Held]>) -> Rc<Self> {
        THUNKS.set(THUNKS.get() + 1);
        Rc::new(Self(RefCell::new(State::Waiting(unit, captured))))
    }

    /// What it has to evaluate still.
    fn waiting(&self) -> Option<UnitId> {
        match &*self.0.borrow() {
            State::Waiting(unit, _) => Some(*unit),
            _ => None,
        }
    }

    /// The value, if it is known.
    fn done(&self) -> Option<Value> {
        match &*self.0.borrow() {
            State::Done(v) => Some(*v),
            _ => None,
        }
    }
}

impl Drop for Thunk {
    /// Suspended expressions can hold each other in a long chain: it is taken apart in a loop.
    fn drop(&mut self) {
        THUNKS.set(THUNKS.get().saturating_sub(1));
        let State::Waiting(_, captured) = self.0.replace(State::Running) else {
            return;
        };
        let mut open = captured.into_vec();
        while let Some(held) = open.pop() {
            if let Held::Lazy(rc) = held
                && let Some(thunk) = Rc::into_inner(rc)
                && let State::Waiting(_, inner) = thunk.0.replace(State::Running)
            {
                open.extend(inner.into_vec());
            }
        }
    }
}

impl Held {
    /// Whether two variables certainly hold the same.
    pub(super) fn same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Lazy(a), Self::Lazy(b)) if Rc::ptr_eq(a, b) => true,
            _ => match (self.known(), other.known()) {
                (Some(a), Some(b)) => a == b,
                _ => false,
            },
        }
    }

    /// The value, if it is evaluated already.
    pub(super) fn known(&self) -> Option<Value> {
        match self {
            Self::Empty => None,
            Self::Value(v) => Some(*v),
            Self::Lazy(thunk) => thunk.done(),
        }
    }
}

/// Bytes taken by suspended expressions, roughly.
pub(super) fn suspended_bytes() -> usize {
    THUNKS.get() * THUNK_BYTES
}

impl Evaluator {
    /// Runs `f` with a bound on the number of calls. None if it failed for whatever reason but one
    /// that ends the evaluation as a whole.
    pub(super) fn experiment<T>(
        &mut self,
        calls: u64,
        span: Span,
        f: impl FnOnce(&mut Self) -> Result<T>,
    ) -> Result<Option<T>> {
        let (end, depth) = (self.calls_end, self.depth);
        self.calls_end = end.min(self.calls + calls);
        let result = f(self);
        self.calls_end = end;
        self.depth = depth;
        match result {
            Ok(v) => Ok(Some(v)),
            // What has to end altogether is no experiment that failed.
            Err(error) if self.stopped.get() => Err(error),
            Err(_) => {
                self.poll(span)?;
                Ok(None)
            }
        }
    }

    /// The value of a variable, evaluated now if it was not yet.
    pub(super) fn forced(&mut self, held: &Held, span: Span) -> Result<Value> {
        match held {
            Held::Empty => Err(Self::unbound(span)),
            Held::Value(v) => self.settled(*v, span),
            Held::Lazy(thunk) => {
                let v = self.force(thunk, span)?;
                self.settled(v, span)
            }
        }
    }

    pub(super) fn unbound(span: Span) -> Box<Diagnostic> {
        let message = "a variable was used before it was bound";
        Box::new(Diagnostic::error("E0499", span, message))
    }

    /// A value that was not evaluated when it was captured or became a part of another is evaluated
    /// now. Its parts may still be suspended.
    pub(super) fn settled(&mut self, v: Value, span: Span) -> Result<Value> {
        let mut v = v;
        while let Data::Suspended { code, env } = self.store.data(v) {
            let (code, env) = (*code, env.clone());
            v = self.force_unit(code, env, span)?;
        }
        Ok(v)
    }

    fn force(&mut self, thunk: &Rc<Thunk>, span: Span) -> Result<Value> {
        let state = thunk.0.replace(State::Running);
        match state {
            State::Done(v) => {
                thunk.0.replace(State::Done(v));
                Ok(v)
            }
            State::Running => {
                let message = "the value of this variable depends on itself";
                Err(Box::new(Diagnostic::error("E0410", span, message)))
            }
            State::Waiting(unit, captured) => {
                let result = self.run_thunk(unit, captured.to_vec(), span);
                thunk.0.replace(match &result {
                    Ok(v) => State::Done(*v),
                    Err(_) => State::Waiting(unit, captured),
                });
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
        self.descend(span)?;
        let mut frame = captured;
        let result = match &unit.body {
            Body::Thunk(code) => {
                frame.resize(unit.frame as usize, Held::Empty);
                deep(|| self.eval(code, &mut frame))
            }
            Body::Resume {
                comp,
                generator,
                slots,
            } => deep(|| self.resume(comp, *generator, slots, &frame, unit.frame)),
            _ => Err(Self::internal(span)),
        };
        self.depth = self.depth.saturating_sub(1);
        result
    }

    /// The value of a lifted definition or of a suspended expression: found once for each
    /// environment.
    pub(super) fn force_unit(
        &mut self,
        unit: UnitId,
        env: Box<[Value]>,
        span: Span,
    ) -> Result<Value> {
        let captured = env.iter().map(|v| Held::Value(*v)).collect();
        let key = self.store.intern(Data::Suspended { code: unit, env });
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

    /// A variable as a value for an environment. One that cannot be evaluated (now) is captured as
    /// it stands: only its use is an error.
    pub(super) fn capture(&mut self, held: &Held, span: Span) -> Result<Value> {
        let v = self.capture_views(held, span)?;
        Ok(self.store.without_views(v))
    }

    /// [`Evaluator::capture`]; where something is not evaluated, there may be views left.
    fn capture_views(&mut self, held: &Held, span: Span) -> Result<Value> {
        match held {
            Held::Empty => Err(Self::internal(span)),
            Held::Value(v) => self.complete(*v, span),
            Held::Lazy(thunk) => {
                if let Some(v) = thunk.done() {
                    return self.complete(v, span);
                }
                if !self.stuck.is_empty() {
                    let waiting = self.suspend_thunk(thunk, span)?;
                    if self.stuck.contains(&waiting) {
                        return Ok(waiting);
                    }
                }
                let forced =
                    self.experiment(CAPTURE_CALLS, span, |this| this.force(thunk, span))?;
                match forced {
                    Some(v) => self.complete(v, span),
                    None => {
                        let waiting = self.suspend_thunk(thunk, span)?;
                        self.stuck.insert(waiting);
                        Ok(waiting)
                    }
                }
            }
        }
    }

    /// The value with all its parts evaluated if that is possible.
    fn complete(&mut self, v: Value, span: Span) -> Result<Value> {
        if !self.store.is_partial(v) || self.stuck.contains(&v) {
            return Ok(v);
        }
        let whole = self.experiment(CAPTURE_CALLS, span, |this| this.whole(v, span))?;
        if whole.is_none() {
            self.stuck.insert(v);
        }
        Ok(whole.unwrap_or(v))
    }

    fn suspend_thunk(&mut self, thunk: &Rc<Thunk>, span: Span) -> Result<Value> {
        let waiting = match &*thunk.0.borrow() {
            State::Waiting(unit, captured) => (*unit, captured.clone()),
            State::Done(v) => return Ok(*v),
            State::Running => {
                let message = "the value of this variable depends on itself";
                return Err(Box::new(Diagnostic::error("E0410", span, message)));
            }
        };
        let (code, captured) = waiting;
        let env = captured
            .iter()
            .map(|h| deep(|| self.capture_as_is(h, span)));
        let env = env.collect::<Result<Box<[Value]>>>()?;
        Ok(self.store.intern(Data::Suspended { code, env }))
    }

    /// A variable as a value without evaluating it.
    fn capture_as_is(&mut self, held: &Held, span: Span) -> Result<Value> {
        match held {
            Held::Empty => Err(Self::internal(span)),
            Held::Value(v) => Ok(*v),
            Held::Lazy(thunk) => self.suspend_thunk(thunk, span),
        }
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

    /// A suspended expression as a value.
    pub(super) fn suspended(
        &mut self,
        delayed: &Delayed,
        frame: &Frame,
        span: Span,
    ) -> Result<Value> {
        let env = delayed.captures.iter().map(|slot| {
            let held = Self::held(frame, *slot, span)?;
            self.capture_as_is(&held, span)
        });
        let env = env.collect::<Result<Box<[Value]>>>()?;
        let code = delayed.unit;
        Ok(self.store.intern(Data::Suspended { code, env }))
    }

    /// A lazy variable.
    pub(super) fn delay(delayed: &Delayed, frame: &Frame, span: Span) -> Result<Held> {
        let captured = delayed
            .captures
            .iter()
            .map(|slot| Self::held(frame, *slot, span))
            .collect::<Result<Box<[Held]>>>()?;
        Ok(Held::Lazy(Thunk::new(delayed.unit, captured)))
    }

    /// The value of something that may not be needed, if it is found quickly.
    fn tried(&mut self, arg: &Arg, frame: &mut Frame) -> Result<Option<Value>> {
        match arg {
            Arg::Now(code) => self.eval(code, frame).map(Some),
            Arg::Slot(slot) => Ok(frame.get(*slot as usize).and_then(Held::known)),
            Arg::Cheap(code, delayed) => {
                let known = |slot: &Slot| {
                    let held = frame.get(*slot as usize);
                    held.and_then(Held::known)
                        .is_some_and(|v| !self.store.is_partial(v))
                };
                if delayed.captures.iter().all(known) {
                    Ok(self.eval(code, frame).ok())
                } else {
                    Ok(None)
                }
            }
            Arg::Try(delayed, span, failures) => {
                if failures.get() >= FAILURES_MAX {
                    return Ok(None);
                }
                let captured = delayed.captures.iter();
                let captured = captured.map(|slot| Self::held(frame, *slot, *span));
                let captured = captured.collect::<Result<Vec<Held>>>()?;
                let found = self.experiment(ARGUMENT_CALLS, *span, |this| {
                    this.run_thunk(delayed.unit, captured, *span)
                })?;
                if found.is_none() {
                    failures.set(failures.get() + 1);
                }
                Ok(found)
            }
        }
    }

    /// The arguments of a call. What is not found quickly is kept lazy: it may not be needed.
    pub(super) fn args(&mut self, args: &[Arg], frame: &mut Frame) -> Result<Vec<Held>> {
        let mut values = Vec::with_capacity(args.len());
        for arg in args {
            values.push(match arg {
                Arg::Slot(slot) => frame.get(*slot as usize).cloned().unwrap_or_default(),
                _ => match (self.tried(arg, frame)?, arg) {
                    (Some(v), _) => Held::Value(v),
                    (None, Arg::Try(delayed, span, _)) => Self::delay(delayed, frame, *span)?,
                    (None, Arg::Cheap(code, delayed)) => Self::delay(delayed, frame, code.span)?,
                    (None, Arg::Now(_) | Arg::Slot(_)) => Held::Empty,
                },
            });
        }
        Ok(values)
    }

    /// A part of a value that is being made: suspended if it is not found quickly.
    pub(super) fn part(&mut self, arg: &Arg, frame: &mut Frame, span: Span) -> Result<Value> {
        if let Arg::Slot(slot) = arg {
            let held = Self::held(frame, *slot, span)?;
            return match held {
                Held::Value(v) => Ok(v),
                Held::Lazy(thunk) => {
                    let unit = thunk.waiting();
                    let failures = unit.and_then(|unit| self.failures.get(&unit)).copied();
                    if failures.is_some_and(|n| n >= FAILURES_MAX) {
                        return self.suspend_thunk(&thunk, span);
                    }
                    let found =
                        self.experiment(ARGUMENT_CALLS, span, |this| this.force(&thunk, span))?;
                    if let Some(v) = found {
                        return Ok(v);
                    }
                    if let Some(unit) = unit {
                        *self.failures.entry(unit).or_insert(0) += 1;
                    }
                    self.suspend_thunk(&thunk, span)
                }
                Held::Empty => Err(Self::unbound(span)),
            };
        }
        match (self.tried(arg, frame)?, arg) {
            (Some(v), _) => Ok(v),
            (None, Arg::Try(delayed, span, _)) => self.suspended(delayed, frame, *span),
            (None, Arg::Cheap(code, delayed)) => self.suspended(delayed, frame, code.span),
            (None, Arg::Now(_) | Arg::Slot(_)) => Err(Self::internal(span)),
        }
    }

    pub(super) fn parts(
        &mut self,
        args: &[Arg],
        frame: &mut Frame,
        span: Span,
    ) -> Result<Vec<Value>> {
        args.iter().map(|arg| self.part(arg, frame, span)).collect()
    }

    /// The value with all its parts evaluated: what is compared, put into a set, or shown.
    pub(super) fn whole(&mut self, v: Value, span: Span) -> Result<Value> {
        if !self.store.is_partial(v) {
            return Ok(v);
        }
        self.descend(span)?;
        let whole = deep(|| self.whole_parts(v, span));
        self.depth = self.depth.saturating_sub(1);
        whole
    }

    fn whole_parts(&mut self, v: Value, span: Span) -> Result<Value> {
        let v = self.settled(v, span)?;
        let all = |this: &mut Self, items: &[Value]| {
            let whole = items.iter().map(|item| this.whole(*item, span));
            whole.collect::<Result<Vec<Value>>>()
        };
        Ok(match self.store.data(v).clone() {
            Data::Tuple(items) => {
                let items = all(self, &items)?;
                self.store.tuple(items)
            }
            Data::Seq(_) | Data::View { .. } | Data::Stream { .. } => {
                let items = self.listed(v, span)?;
                let items = all(self, &items)?;
                self.store.seq(items)
            }
            Data::Map(pairs) => {
                let mut whole = Vec::with_capacity(pairs.len());
                for (key, value) in &pairs {
                    whole.push((*key, self.whole(*value, span)?));
                }
                self.store.map(whole)
            }
            _ => v,
        })
    }

    /// Evaluates an expression and all parts of its value.
    pub(super) fn eval_whole(
        &mut self,
        code: &super::code::Code,
        frame: &mut Frame,
    ) -> Result<Value> {
        let v = self.eval(code, frame)?;
        self.whole(v, code.span)
    }
}
