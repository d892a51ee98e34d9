//! Boolean constraints, solved within limits.

use std::cell::Cell;

use batsat::{Callbacks, Lit, Solver, SolverInterface, lbool};

use crate::limits::LimitWatch;
use crate::source::{Budget, Stop};

/// A variable or its negation (`!literal`).
pub type Literal = Lit;

/// Decisions of the solver between two looks at the clock.
const EVERY: u32 = 64;

/// Ends the solver at a limit.
struct SolverLimits {
    budget: Budget,
    asked: Cell<u32>,
    /// Once a limit is reached, it stays so: the solver asks again before it ends.
    is_reached: Cell<bool>,
}

impl Callbacks for SolverLimits {
    fn stop(&self) -> bool {
        let asked = self.asked.get() + 1;
        self.asked.set(asked % EVERY);
        if asked == EVERY && !self.is_reached.get() {
            let reached = self.budget.limits.reached(&self.budget.cancel, 0);
            self.is_reached.set(reached.is_some());
        }
        self.is_reached.get()
    }
}

/// A set of clauses that grows, and its solver.
pub struct ClauseSet<'a> {
    solver: Solver<SolverLimits>,
    watch: &'a LimitWatch,
    clause: Vec<Literal>,
    clauses: usize,
}

impl<'a> ClauseSet<'a> {
    /// No clauses, to be solved within limits.
    #[must_use]
    pub fn new(budget: &Budget, watch: &'a LimitWatch) -> Self {
        let limits = SolverLimits {
            budget: budget.clone(),
            asked: Cell::new(0),
            is_reached: Cell::new(false),
        };
        Self {
            solver: Solver::new(Default::default(), limits),
            watch,
            clause: Vec::new(),
            clauses: 0,
        }
    }

    /// A new variable.
    pub fn literal(&mut self) -> Literal {
        Lit::new(self.solver.new_var_default(), true)
    }

    /// New variables.
    pub fn literals(&mut self, count: usize) -> Vec<Literal> {
        (0..count).map(|_| self.literal()).collect()
    }

    /// Requires one of some literals.
    ///
    /// # Errors
    /// The limit that is reached.
    pub fn any(&mut self, literals: impl IntoIterator<Item = Literal>) -> Result<(), Stop> {
        self.watch.step()?;
        self.clause.clear();
        self.clause.extend(literals);
        self.clauses += 1;
        // What is already impossible is found when it is solved.
        let _ = self.solver.add_clause_reuse(&mut self.clause);
        Ok(())
    }

    /// Allows at most one of some literals.
    ///
    /// # Errors
    /// The limit that is reached.
    pub fn at_most_one(&mut self, literals: &[Literal]) -> Result<(), Stop> {
        for (at, one) in literals.iter().enumerate() {
            for other in &literals[at + 1..] {
                self.any([!*one, !*other])?;
            }
        }
        Ok(())
    }

    /// The number of clauses that were added.
    #[must_use]
    pub fn clauses(&self) -> usize {
        self.clauses
    }

    /// Whether the clauses can be satisfied together. If so, [`ClauseSet::holds`] tells of each literal.
    ///
    /// # Errors
    /// The limit that is reached.
    pub fn solve(&mut self) -> Result<bool, Stop> {
        self.watch.look()?;
        let answer = self.solver.solve_limited(&[]);
        if answer == lbool::TRUE {
            return Ok(true);
        }
        if answer == lbool::FALSE {
            return Ok(false);
        }
        self.watch.look()?;
        // The solver was stopped by a limit that is no limit any more, such as one on memory.
        Err(Stop::Memory)
    }

    /// Whether a literal is true in the solution that was found.
    #[must_use]
    pub fn holds(&self, literal: Literal) -> bool {
        self.solver.value_lit(literal) == lbool::TRUE
    }
}
