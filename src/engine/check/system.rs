//! A process as a system: the machine that evaluates it and the network that it is, made by a plan. The
//! checker makes its implementations so, and the animator what it opens.

use std::rc::Rc;

use super::plan::{Plan, atom_types};
use crate::eval::Evaluator;
use crate::machine::{Machine, Network};
use crate::process::term::Term;
use crate::script::core::Expr;
use crate::script::load::Loaded;
use crate::source::diagnostic::Result;
use crate::source::{Budget, Kind};

/// How far components are explored before there is a first state to show.
const SHOWN_AHEAD: usize = 20_000;
/// The calls for that: some seconds. A local state may never come to its transitions: then nothing is
/// explored ahead. Counted, since a clock would let a slow machine open a process by another plan.
const SHOWN_AHEAD_CALLS: u64 = 5_000_000;

/// A process, ready to be explored.
#[derive(Clone)]
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

    /// The same for somebody who wants to see first states soon: what is explored ahead is a convenience,
    /// and if there is a limit in its way, less has to do.
    ///
    /// # Errors
    /// As [`System::open`].
    pub fn shown(loaded: &Loaded, expr: &Expr, plan: &Plan, budget: &Budget) -> Result<Self> {
        // Memory that an attempt before this one has given back may still count as the process's:
        // it must not keep this one from beginning.
        let open =
            |budget: &Budget, ahead| Self::open(loaded, expr, plan, &budget.from_now(), ahead);
        let mut ahead = budget.clone();
        ahead.limits.calls_max = SHOWN_AHEAD_CALLS;
        match open(&ahead, SHOWN_AHEAD) {
            Err(error)
                // If it was the person who stopped it, opening ends. Otherwise it was likely the
                // limit on looking ahead, so it is opened once more without; if it was another one,
                // that will show again.
                if matches!(error.kind, Kind::GivenUp | Kind::Stopped(_))
                    && !budget.cancel.is_cancelled() =>
            {
                open(budget, 0)
            }
            done => done,
        }
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
        let script = Rc::clone(&loaded.script);
        let eval = Evaluator::new(script, &budget.limits, budget.cancel.clone());
        Self::made_by(eval, plan, ahead, make)
    }

    /// The same by an evaluator that has evaluated nothing yet.
    ///
    /// # Errors
    /// As [`System::open`].
    pub(super) fn made_by(
        eval: Evaluator,
        plan: &Plan,
        ahead: usize,
        make: impl FnOnce(&mut Machine) -> Result<Term>,
    ) -> Result<Self> {
        let script = &Rc::clone(eval.script());
        let mut machine = Machine::new(eval, atom_types(script, &plan.types));
        machine.set_trusting(plan.trusting);
        machine.set_exchanging(plan.exchanging);
        machine.set_patience(plan.patience.as_ref().map(|patience| patience.local_states));
        if plan.states {
            machine.eval.show_states();
        }
        let term = make(&mut machine)?;
        let network = Network::new(&mut machine, term, ahead)?;
        machine.check_patience()?;
        Ok(Self { machine, network })
    }
}
