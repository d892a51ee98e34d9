//! The limits of one piece of work, looked at often and cheaply.

use std::cell::Cell;

use crate::source::{Budget, Stop};

/// Steps between two looks at the clock.
const EVERY: u32 = 256;

/// Looks at the limits of a computation, and counts the bytes that it holds.
#[derive(Debug)]
pub struct LimitWatch {
    budget: Budget,
    steps: Cell<u32>,
    bytes: Cell<usize>,
}

impl LimitWatch {
    /// A watch over work that begins now.
    #[must_use]
    pub fn new(budget: &Budget) -> Self {
        Self {
            budget: budget.clone(),
            // The first step looks: a deadline that is over already is seen at once.
            steps: Cell::new(EVERY - 1),
            bytes: Cell::new(0),
        }
    }

    /// Counts one step of the work.
    ///
    /// # Errors
    /// The limit that is reached.
    pub fn step(&self) -> Result<(), Stop> {
        let steps = self.steps.get() + 1;
        self.steps.set(steps % EVERY);
        match steps < EVERY {
            true => Ok(()),
            false => self.look(),
        }
    }

    /// Looks at the limits now.
    ///
    /// # Errors
    /// The limit that is reached.
    pub fn look(&self) -> Result<(), Stop> {
        let stop = self
            .budget
            .limits
            .reached(&self.budget.cancel, self.bytes.get());
        stop.map_or(Ok(()), Err)
    }

    /// Counts bytes that the work holds from now on.
    pub fn hold(&self, bytes: usize) {
        self.bytes.set(self.bytes.get().saturating_add(bytes));
    }

    /// Counts bytes that the work has given back.
    pub fn release(&self, bytes: usize) {
        self.bytes.set(self.bytes.get().saturating_sub(bytes));
    }
}
