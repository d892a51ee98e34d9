//! Opening control states: what a suspended process expression does first.

use std::rc::Rc;

use super::code::{Head, UnitBody};
use super::fail::{fail, internal};
use super::frame::{Frame, SlotValue};
use super::generators::DrawnFrom;
use super::interpreter::Interpreter;
use super::operators::Operators;
use super::prefix::Communication;
use super::program::Program;
use crate::process::Unfolded;
use crate::process::term::{ControlState, Term, TermData};
use crate::source::Span;
use crate::source::diagnostic::Result;
use crate::source::hash::Map;
use crate::source::stack::deep;
use crate::value::Value;

impl Interpreter {
    /// Makes a suspended operand ready to run.
    pub(super) fn settle(&mut self, t: Term) -> Result<Term> {
        match self.terms.data(t).clone() {
            TermData::Call { control, env } if is_suspended(&self.program, control) => {
                // What it opens to may be suspended again: `P = Q`, `Q = R`.
                let t = open_term(self, control, &env)?;
                self.settle(t)
            }
            // Only the left operand runs now.
            TermData::Seq(p, q) => {
                let p = deep(|| self.settle(p))?;
                Ok(self.terms.intern(&self.values.store, TermData::Seq(p, q)))
            }
            _ => Ok(t),
        }
    }

    /// Opens a control state.
    pub(super) fn open(&mut self, control: ControlState, env: &[Value]) -> Result<Unfolded> {
        let unit = Rc::clone(self.program.control_unit(control));
        let UnitBody::Head(head) = &unit.body else {
            return Err(internal(unit.span));
        };
        // The environment of a state is what its code captures.
        let mut frame: Frame = env.iter().map(|v| SlotValue::Value(*v)).collect();
        frame.resize(unit.frame as usize, SlotValue::Empty);
        self.values.descend(unit.span)?;
        let result = open_head(self, head, &mut frame, unit.span);
        self.values.guard.ascend();
        result
    }
}

/// The operator behind a control state. A prefix is none: then it is the control state itself.
pub(super) fn open_term(
    run: &mut Interpreter,
    control: ControlState,
    env: &[Value],
) -> Result<Term> {
    // A prefix may offer millions of events, which nobody asked for.
    if !begins_with_prefix(&run.program, control)
        && let Unfolded::Term(t) = run.open(control, env)?
    {
        return Ok(t);
    }
    Ok(run.terms.call(&run.values.store, control, env))
}

fn is_suspended(program: &Program, control: ControlState) -> bool {
    program.control(control).is_some_and(|info| info.suspended)
}

fn begins_with_prefix(program: &Program, control: ControlState) -> bool {
    let Some(info) = program.control(control) else {
        return false;
    };
    // One with a `$` field begins with an internal choice.
    matches!(&program.unit(info.unit).body, UnitBody::Head(Head::Prefix(prefix)) if prefix.rest.is_none())
}

fn open_head(
    run: &mut Interpreter,
    head: &Head,
    frame: &mut Frame,
    span: Span,
) -> Result<Unfolded> {
    let term = match head {
        Head::Prefix(prefix) => {
            let mut communication = Communication {
                run,
                frame,
                prefix,
                span,
                followers: Map::default(),
            };
            if prefix.rest.is_none() {
                return Ok(Unfolded::Prefixes(communication.events()?));
            }
            communication.internal_choice()?
        }
        Head::ExtChoice(operands) => {
            let operands = Operators { run, frame }.all_terms(operands)?;
            run.terms.ext_choice(&run.values.store, operands)
        }
        Head::IntChoice(operands) => {
            let operands = Operators { run, frame }.all_terms(operands)?;
            run.terms.int_choice(&run.values.store, operands)
        }
        Head::ReplicatedExt(stmts, body) => {
            let operands = Operators { run, frame }.row_terms(stmts, DrawnFrom::Sets, body)?;
            run.terms.ext_choice(&run.values.store, operands)
        }
        Head::ReplicatedInt(stmts, body) => {
            let operands = Operators { run, frame }.row_terms(stmts, DrawnFrom::Sets, body)?;
            if operands.is_empty() {
                let message = "internal choice over the empty set is not defined";
                return Err(fail("E0420", message, span));
            }
            run.terms.int_choice(&run.values.store, operands)
        }
        Head::Other(code) => run.term(code, frame)?,
    };
    Ok(Unfolded::Term(term))
}
