//! Sampling of the states in which a search looks for a stubborn set.
//!
//! The search for a stubborn set takes several times as long as following the steps of a state. If next to nothing is
//! left out, it is made in a few states of each depth only, and again in all of them once steps are left out there. In
//! the others all steps are followed, which is always sound. The decision uses counts of complete rounds, so that it
//! does not depend on threads.

use serde::{Deserialize, Serialize};

/// The sampling rate: one state of this number.
const ONE_OF: usize = 16;
/// When sampling, the decision is made after the transitions divided by this number.
const SOONER: u64 = 32;
/// The search pays if one step of this number is left out, or saves a state.
const WORTH_IT: u64 = 64;

/// The states in which a search looks for a stubborn set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Looks {
    at_few: bool,
    /// Transitions of these states since the last decision, and those saved.
    transitions: u64,
    saved: u64,
}

impl Looks {
    /// Transitions of these states between decisions.
    pub const AFTER: u64 = 8_192;

    /// Whether to search in a state, given its number among those of its depth.
    #[inline]
    #[must_use]
    pub fn at(self, state: usize) -> bool {
        !self.at_few || state.is_multiple_of(ONE_OF)
    }

    /// Updates the decision after a round: the states searched had `transitions`, of which `saved` were left out or led
    /// to skipped states. A decision is made after the number `after`.
    pub fn go_on(&mut self, transitions: u64, saved: u64, after: u64) {
        self.transitions += transitions;
        self.saved += saved;
        let sooner = (after / SOONER).max(1);
        let enough = if self.at_few { sooner } else { after };
        if self.transitions >= enough {
            *self = Self {
                at_few: self.saved * WORTH_IT < self.transitions,
                ..Self::default()
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_are_looked_at_while_that_saves_nothing() {
        const AFTER: u64 = 64 * SOONER;
        let mut looks = Looks::default();
        let count = |looks: Looks| (0..160).filter(|state| looks.at(*state)).count();
        looks.go_on(AFTER - 1, 0, AFTER);
        assert_eq!(count(looks), 160);
        looks.go_on(1, 0, AFTER);
        assert_eq!(count(looks), 10);
        // The first of a depth is sampled, so no depth is skipped.
        assert!(looks.at(0));
        looks.go_on(63, 0, AFTER);
        assert_eq!(count(looks), 10);
        looks.go_on(1, 1, AFTER);
        assert_eq!(count(looks), 160);
        // Earlier savings do not count.
        looks.go_on(AFTER, AFTER / WORTH_IT - 1, AFTER);
        assert_eq!(count(looks), 10);
    }
}
