//! A process as a system: the machine that evaluates it and the network that it is, made by a plan. The
//! checker makes its implementations so, and the animator what it opens.

use std::rc::Rc;

use super::plan::{Plan, atom_types};
use crate::eval::Evaluator;
use crate::machine::{Machine, Network};
use crate::process::term::Term;
use crate::script::core::Expr;
use crate::script::load::Loaded;
use crate::source::Budget;
use crate::source::diagnostic::Result;

/// A process, ready to be explored.
pub struct System {
    /// The tables and the evaluator.
    pub machine: Machine,
    /// The process.
    pub network: Network,
}

impl System {
    /// The process that an expression stands for. Its components are explored ahead, as far as they have
    /// at most so many local states.
    ///
    /// # Errors
    /// An evaluation error or a limit.
    pub fn open(
        loaded: &Loaded,
        expr: &Expr,
        plan: &Plan,
        budget: &Budget,
        ahead: usize,
    ) -> Result<Self> {
        let process = |machine: &mut Machine| machine.eval.process(expr);
        Self::made(loaded, plan, budget, ahead, process)
    }

    /// The process that `make` makes.
    ///
    /// # Errors
    /// As [`System::open`].
    pub fn made(
        loaded: &Loaded,
        plan: &Plan,
        budget: &Budget,
        ahead: usize,
        make: impl FnOnce(&mut Machine) -> Result<Term>,
    ) -> Result<Self> {
        let script = &loaded.script;
        let eval = Evaluator::new(Rc::clone(script), &budget.limits, budget.cancel.clone());
        let mut machine = Machine::new(eval, atom_types(script, &plan.types));
        machine.set_trusting(plan.trusting);
        machine.set_exchanging(plan.exchanging);
        let term = make(&mut machine)?;
        let network = Network::new(&mut machine, term, ahead)?;
        Ok(Self { machine, network })
    }
}
