//! Call by need: values that are evaluated when they are first needed, and at most once; and
//! experiments, which evaluate something that may not be needed, for a while.

use std::rc::Rc;

use super::code::{UnitBody, UnitId};
use super::comprehension;
use super::fail::{depends_on_itself, internal, unbound};
use super::force::Force;
use super::frame::{SlotValue, Thunk, ThunkStage};
use super::interpreter::Interpreter;
use crate::source::Span;
use crate::source::diagnostic::Result;
use crate::source::stack::deep;
use crate::value::{Data, Value};

impl Interpreter {
    /// Runs `f` with a bound on the number of calls. Returns `None` if it failed, and an error only if that ends the
    /// evaluation as a whole.
    pub(super) fn experiment<T>(
        &mut self,
        calls: u64,
        span: Span,
        f: impl FnOnce(&mut Self) -> Result<T>,
    ) -> Result<Option<T>> {
        // The depth is set back as well: an error leaves the depth of the call that it came out of.
        let mark = self.values.guard.begin_experiment(calls);
        let result = f(self);
        self.values.guard.end_experiment(mark);
        match result {
            Ok(v) => Ok(Some(v)),
            // What has to end altogether is no experiment that failed.
            Err(error) if self.values.guard.is_stopped() => Err(error),
            Err(_) => {
                // What waited in it does not any more.
                self.waiting.clear();
                // The experiment may have failed because it met a limit itself.
                self.values.poll(span)?;
                Ok(None)
            }
        }
    }

    /// The value of a variable, evaluated now if it was not yet.
    pub(super) fn forced(&mut self, binding: &SlotValue, span: Span) -> Result<Value> {
        match binding {
            SlotValue::Empty => Err(unbound(span)),
            SlotValue::Value(v) => self.settled(*v, span),
            SlotValue::Lazy(thunk) => {
                // A thunk may evaluate to a value that is suspended itself, such as the item of a
                // list.
                let v = self.force(thunk, span)?;
                self.settled(v, span)
            }
        }
    }

    pub(super) fn force(&mut self, thunk: &Thunk, span: Span) -> Result<Value> {
        match thunk.begin() {
            ThunkStage::Done(v) => {
                thunk.end(ThunkStage::Done(v));
                Ok(v)
            }
            ThunkStage::Running => Err(depends_on_itself("the value of this variable", span)),
            ThunkStage::Waiting(unit, captured) => {
                let result = self.run_thunk(unit, captured.to_vec(), span);
                thunk.end(match &result {
                    Ok(v) => ThunkStage::Done(*v),
                    // It may succeed later: an experiment only was too short for it, say.
                    Err(_) => ThunkStage::Waiting(unit, captured),
                });
                result
            }
        }
    }

    /// Runs a thunk with these captured values.
    pub(super) fn run_thunk(
        &mut self,
        id: UnitId,
        captured: Vec<SlotValue>,
        span: Span,
    ) -> Result<Value> {
        let unit = Rc::clone(self.program.unit(id));
        self.values.descend(span)?;
        // What is captured comes first in the frame of the unit.
        let mut frame = captured;
        let result = match &unit.body {
            UnitBody::Thunk(code) => {
                frame.resize(unit.frame as usize, SlotValue::Empty);
                deep(|| self.eval(code, &mut frame))
            }
            UnitBody::Resume {
                comp,
                generator,
                slots,
            } => deep(|| comprehension::resume(self, comp, *generator, slots, &frame, unit.frame)),
            _ => Err(internal(span)),
        };
        self.values.guard.ascend();
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
        let captured = env.iter().map(|v| SlotValue::Value(*v)).collect();
        let store = &mut self.values.store;
        // Equal environments have equal handles, so the key finds what was evaluated before, by
        // whatever variable it was reached.
        let key = store.intern(Data::Suspended { code: unit, env });
        if let Some(known) = self.suspended.known(key) {
            return Ok(known);
        }
        if !self.suspended.enter(key) {
            let name = &self.program.unit(unit).name;
            return Err(depends_on_itself(&format!("the value of `{name}`"), span));
        }
        let result = self.run_thunk(unit, captured, span);
        self.suspended.leave(key, result.as_ref().ok().copied());
        result
    }
}
