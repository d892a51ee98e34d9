//! Making and writing a picture within limits.

use std::cell::Cell;

use crate::source::{Budget, Stop};

/// Vertices and edges between two looks at the limits.
const POLL_EVERY: usize = 256;

/// The limits of a picture, and whether one was reached while it was made or written: then the partial picture is of
/// no use.
#[derive(Clone, Debug, Default)]
pub struct GraphWatch {
    budget: Budget,
    stop: Cell<Option<Stop>>,
}

impl GraphWatch {
    /// A watch over these limits.
    #[must_use]
    pub fn new(budget: &Budget) -> Self {
        Self {
            budget: budget.clone(),
            stop: Cell::default(),
        }
    }

    /// The items, or those before a limit is reached.
    pub fn each<'a, T: 'a>(
        &'a self,
        items: impl IntoIterator<Item = T> + 'a,
    ) -> impl Iterator<Item = T> + 'a {
        let items = items.into_iter().enumerate();
        items.map_while(move |(at, item)| {
            if at.is_multiple_of(POLL_EVERY) && self.stop.get().is_none() {
                let Budget { limits, cancel } = &self.budget;
                self.stop.set(limits.reached(cancel, 0));
            }
            self.stop.get().is_none().then_some(item)
        })
    }

    /// The limit that was reached, if one was.
    #[must_use]
    pub fn stopped(&self) -> Option<Stop> {
        self.stop.get()
    }
}
