//! Captured values of environments. States are compared by their environments, so captured values are evaluated
//! wherever possible.

use super::code::Slot;
use super::fail::internal;
use super::frame::{Frame, SlotValue, read_slot};
use super::interpreter::Interpreter;
use super::whole::whole;
use crate::source::Span;
use crate::source::diagnostic::Result;
use crate::value::Value;
use crate::value::views::without_views;

/// Calls allowed to evaluating what is captured: more than to an argument, since two states that
/// are equal would be told apart if only one of them were evaluated.
const CAPTURE_CALLS: u64 = 200_000;

/// A variable as a value for an environment. One that cannot be evaluated (now) is captured as
/// it stands: only its use is an error.
pub(super) fn capture(run: &mut Interpreter, binding: &SlotValue, span: Span) -> Result<Value> {
    // Two views of equal items have different handles, and would make two states of one.
    let v = capture_views(run, binding, span)?;
    Ok(without_views(&mut run.values.store, v))
}

/// [`capture`]; where something is not evaluated, there may be views left.
fn capture_views(run: &mut Interpreter, binding: &SlotValue, span: Span) -> Result<Value> {
    let thunk = match binding {
        SlotValue::Empty => return Err(internal(span)),
        SlotValue::Value(v) => return complete(run, *v, span),
        SlotValue::Lazy(thunk) => thunk,
    };
    if let Some(v) = thunk.done() {
        return complete(run, v, span);
    }
    // What is stuck is known by its handle, and the handle of a thunk costs a walk through what it
    // captures: so only if there is anything to find.
    if run.suspended.some_stuck() {
        let waiting = thunk.suspend(&mut run.values.store, span)?;
        if run.suspended.is_stuck(waiting) {
            return Ok(waiting);
        }
    }
    let forced = run.experiment(CAPTURE_CALLS, span, |run| run.force(thunk, span))?;
    match forced {
        Some(v) => complete(run, v, span),
        None => {
            let waiting = thunk.suspend(&mut run.values.store, span)?;
            run.suspended.give_up(waiting);
            Ok(waiting)
        }
    }
}

/// The value with all its parts evaluated if that is possible.
fn complete(run: &mut Interpreter, v: Value, span: Span) -> Result<Value> {
    if !run.values.store.flags(v).is_partial() || run.suspended.is_stuck(v) {
        return Ok(v);
    }
    // A part that cannot be evaluated leaves the whole as it is; in part it is not replaced.
    let whole = run.experiment(CAPTURE_CALLS, span, |run| whole(run, v, span))?;
    if whole.is_none() {
        run.suspended.give_up(v);
    }
    Ok(whole.unwrap_or(v))
}

/// The values of several variables for an environment.
pub(super) fn captures(
    run: &mut Interpreter,
    slots: &[Slot],
    frame: &Frame,
    span: Span,
) -> Result<Box<[Value]>> {
    slots
        .iter()
        .map(|slot| {
            let binding = read_slot(frame, *slot, span)?;
            capture(run, &binding, span)
        })
        .collect()
}
