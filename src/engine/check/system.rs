//! Compiled systems: a process as a network, with the machine that evaluates it, by a plan. The checker makes its
//! implementations so, and the animator the processes that it opens.

use std::rc::Rc;

use super::plan::{Plan, atom_types};
use crate::eval::Evaluator;
use crate::machine::{Machine, Network};
use crate::process::term::Term;
use crate::script::core::Expr;
use crate::script::load::Loaded;
use crate::source::diagnostic::Result;
use crate::source::{Budget, Kind};

/// Local states of a component explored before the first state is shown.
const SHOWN_AHEAD: usize = 20_000;
/// Calls of the evaluator for that: some seconds. A local state may never yield its transitions: then nothing is
/// explored ahead. Calls are counted, since with a clock a slow machine could use another plan.
const SHOWN_AHEAD_CALLS: u64 = 5_000_000;

/// A compiled process, ready to be explored.
#[derive(Clone)]
pub struct System {
    /// The tables and the evaluator.
    pub machine: Machine,
    /// The process.
    pub network: Network,
}

impl System {
    /// Compiles the process of an expression. Components with at most `ahead` local states are explored completely.
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

    /// Compiles it for display, where first states are wanted soon: exploration ahead is optional, and reduced if a
    /// limit is in its way.
    ///
    /// # Errors
    /// As [`System::open`].
    pub fn shown(loaded: &Loaded, expr: &Expr, plan: &Plan, budget: &Budget) -> Result<Self> {
        // Memory freed by an attempt before may still count as that of the process, and must not prevent this one.
        let open =
            |budget: &Budget, ahead| Self::open(loaded, expr, plan, &budget.from_now(), ahead);
        let mut ahead = budget.clone();
        ahead.limits.calls_max = SHOWN_AHEAD_CALLS;
        match open(&ahead, SHOWN_AHEAD) {
            Err(error)
                // A cancellation ends the opening. Otherwise the limit on exploration ahead is the likely reason, so
                // the process is opened without; another limit will show again.
                if matches!(error.kind, Kind::GivenUp | Kind::Stopped(_))
                    && !budget.cancel.is_cancelled() =>
            {
                open(budget, 0)
            }
            done => done,
        }
    }

    /// Compiles the process that `make` returns.
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

    /// Compiles it with an evaluator that has evaluated nothing yet.
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
