//! Arguments and parts of values, which may never be needed.
//!
//! They are evaluated at once *as an experiment*, for a limited number of calls: so most values are plain values,
//! equal ones have equal handles, and a long recursion does not pile up suspended work. If the experiment fails, the
//! expression stays suspended, and an error in it is an error only where it is used.

use super::code::{Arg, Slot};
use super::fail::{internal, unbound};
use super::frame::{Frame, SlotValue, Thunk, delay, read_slot, suspend};
use super::interpreter::Interpreter;
use crate::source::Span;
use crate::source::diagnostic::Result;
use crate::value::Value;

/// Calls allowed to the experiment with an argument.
const ARGUMENT_CALLS: u64 = 300;

/// The value of something that may not be needed, if it is found quickly.
fn tried(run: &mut Interpreter, arg: &Arg, frame: &mut Frame) -> Result<Option<Value>> {
    match arg {
        // It cannot go wrong, so it has no unit to be suspended as.
        Arg::Now(code) => run.eval(code, frame).map(Some),
        Arg::Slot(slot) => Ok(frame.get(*slot as usize).and_then(SlotValue::known)),
        Arg::Cheap(code, delayed) => {
            // Arithmetic on values that are known takes less time than suspending it. If it fails,
            // that is an error only where the result is used.
            let known = |slot: &Slot| {
                let binding = frame.get(*slot as usize);
                binding
                    .and_then(SlotValue::known)
                    .is_some_and(|v| !run.values.store.flags(v).is_partial())
            };
            if delayed.captures.iter().all(known) {
                Ok(run.eval(code, frame).ok())
            } else {
                Ok(None)
            }
        }
        Arg::Try(delayed, span) => {
            // An argument that is never found quickly, in a loop that makes millions of calls,
            // would cost as many experiments.
            if !run.suspended.is_argument_hopeful(delayed.unit) {
                return Ok(None);
            }
            let captured = delayed.captures.iter();
            let captured = captured.map(|slot| read_slot(frame, *slot, *span));
            let captured = captured.collect::<Result<Vec<SlotValue>>>()?;
            let found = run.experiment(ARGUMENT_CALLS, *span, |this| {
                this.run_thunk(delayed.unit, captured, *span)
            })?;
            if found.is_none() {
                run.suspended.note_failed_argument(delayed.unit);
            }
            Ok(found)
        }
    }
}

/// The arguments of a call. What is not found quickly is kept lazy: it may not be needed.
pub(super) fn arguments(
    run: &mut Interpreter,
    args: &[Arg],
    frame: &mut Frame,
) -> Result<Vec<SlotValue>> {
    let mut values = Vec::with_capacity(args.len());
    for arg in args {
        values.push(match arg {
            // A variable is passed on as it is: suspended again, it would be a chain of thunks.
            Arg::Slot(slot) => frame.get(*slot as usize).cloned().unwrap_or_default(),
            _ => match (tried(run, arg, frame)?, arg) {
                (Some(v), _) => SlotValue::Value(v),
                (None, Arg::Try(delayed, span)) => delay(delayed, frame, *span)?,
                (None, Arg::Cheap(code, delayed)) => delay(delayed, frame, code.span)?,
                // `tried` has no experiment to fail with these.
                (None, Arg::Now(_) | Arg::Slot(_)) => SlotValue::Empty,
            },
        });
    }
    Ok(values)
}

/// A part of a value that is being made: suspended if it is not found quickly.
pub(super) fn part(
    run: &mut Interpreter,
    arg: &Arg,
    frame: &mut Frame,
    span: Span,
) -> Result<Value> {
    if let Arg::Slot(slot) = arg {
        return match read_slot(frame, *slot, span)? {
            SlotValue::Value(v) => Ok(v),
            SlotValue::Lazy(thunk) => variable_part(run, &thunk, span),
            SlotValue::Empty => Err(unbound(span)),
        };
    }
    match (tried(run, arg, frame)?, arg) {
        (Some(v), _) => Ok(v),
        (None, Arg::Try(delayed, span)) => suspend(&mut run.values.store, delayed, frame, *span),
        (None, Arg::Cheap(code, delayed)) => {
            suspend(&mut run.values.store, delayed, frame, code.span)
        }
        (None, Arg::Now(_) | Arg::Slot(_)) => Err(internal(span)),
    }
}

/// A lazy variable as a part of a value. Failures are counted by what defines it, since it may
/// become a part in very many places.
fn variable_part(run: &mut Interpreter, thunk: &Thunk, span: Span) -> Result<Value> {
    let unit = thunk.waiting();
    if unit.is_none_or(|unit| run.suspended.is_hopeful(unit)) {
        let found = run.experiment(ARGUMENT_CALLS, span, |run| run.force(thunk, span))?;
        if let Some(v) = found {
            return Ok(v);
        }
        if let Some(unit) = unit {
            run.suspended.note_failure(unit);
        }
    }
    thunk.suspend(&mut run.values.store, span)
}

pub(super) fn parts(
    run: &mut Interpreter,
    args: &[Arg],
    frame: &mut Frame,
    span: Span,
) -> Result<Vec<Value>> {
    args.iter().map(|arg| part(run, arg, frame, span)).collect()
}
