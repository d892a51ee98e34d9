//! In which states a search looks for steps that are enough.
//!
//! To look takes several times as long as to follow the steps of a state. Where next to nothing is left out that is
//! done for nothing; then it is done in a few states of each depth, and in all of them again as soon as there is
//! something to be left out. In the others all steps are followed, which is always enough. It goes by counts of rounds
//! that are over, so that it does not depend on threads.

/// Where few states are looked at: one of so many.
const ONE_OF: usize = 16;
/// Where few are looked at, it is decided how to go on after one transition of so many.
const SOONER: u64 = 32;
/// It pays to look if one step of so many is left out, or saves a state.
const WORTH_IT: u64 = 64;

/// In which states a search looks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Looks {
    at_few: bool,
    /// Transitions of the states that were looked at since it was last decided, and of these what was saved.
    transitions: u64,
    saved: u64,
}

impl Looks {
    /// Transitions of states that were looked at until it is decided how to go on.
    pub const AFTER: u64 = 8_192;

    /// Whether it looks at a state, given its number among those of its depth.
    #[inline]
    #[must_use]
    pub fn at(self, state: usize) -> bool {
        !self.at_few || state.is_multiple_of(ONE_OF)
    }

    /// Decides where to look from now on: in a round the states that were looked at had so many transitions, and so many
    /// of them were left out or led to states that were passed. It is decided once there are so many.
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
        // The first of a depth is one of them, so no depth is passed over.
        assert!(looks.at(0));
        looks.go_on(63, 0, AFTER);
        assert_eq!(count(looks), 10);
        looks.go_on(1, 1, AFTER);
        assert_eq!(count(looks), 160);
        // What was saved before does not count.
        looks.go_on(AFTER, AFTER / WORTH_IT - 1, AFTER);
        assert_eq!(count(looks), 10);
    }
}
