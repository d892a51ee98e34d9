//! The strategies for symmetry of values, by name.

use super::nvalues::{EdgeKinds, NeighbourCounts};
use super::ordering::TypeOrdering;
use super::strategy::{Ordering, OrderingBy, Strategy};
use super::{bubble, counters, exact, sorted, walk};
use crate::machine::{Format, Machine};

/// The strategies by name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum StrategyKind {
    /// Lemma 53 as an algorithm: follow references, with `ordering` as the fallback.
    Walk,
    /// `walk`, with individualisation and refinement as the fallback: the default.
    #[default]
    Exact,
    /// Defs. 36 to 40.
    Ordering,
    /// The same with n' of Sec. 7.5 in the place of n.
    OrderingN1,
    /// The same with n'' of Sec. 7.5.
    OrderingN2,
    /// Sec. 7.6, ties by component index.
    Sorted,
    /// Sec. 7.6, least over all permutations of equal components.
    Segmented,
    /// Adjacent transpositions of values while one makes the state less.
    Bubble,
    /// Counters: the number of components of each family in each control state.
    Counters,
}

impl StrategyKind {
    /// All strategies in the order in which they are explained: that of the paper first.
    pub const SHOWN: [Self; 9] = [
        Self::Ordering,
        Self::Walk,
        Self::Exact,
        Self::Sorted,
        Self::Segmented,
        Self::OrderingN1,
        Self::OrderingN2,
        Self::Bubble,
        Self::Counters,
    ];

    /// All strategies, the default first.
    pub const ALL: [Self; 9] = [
        Self::Exact,
        Self::Walk,
        Self::Ordering,
        Self::OrderingN1,
        Self::OrderingN2,
        Self::Sorted,
        Self::Segmented,
        Self::Bubble,
        Self::Counters,
    ];

    /// The implementation; `ordering` in the literal reading of Def. 38.
    #[must_use]
    pub fn strategy(self) -> &'static dyn Strategy {
        match self {
            Self::Walk => &walk::Walk,
            Self::Exact => &exact::Exact,
            Self::Ordering => &Ordering(TypeOrdering::Appearance),
            Self::OrderingN1 => &OrderingBy(EdgeKinds),
            Self::OrderingN2 => &OrderingBy(NeighbourCounts),
            Self::Sorted => &sorted::Sorted,
            Self::Segmented => &sorted::Segmented,
            Self::Bubble => &bubble::Bubble,
            Self::Counters => &counters::Counters,
        }
    }

    /// The condition under which all states of an orbit get the same representative, and a search keeps one of them:
    /// a phrase for use after the name and a colon. Elsewhere a search may keep several, which costs memory and
    /// changes no verdict. (This is about states. Beside a specification node that is several states, or that
    /// holds a set of values, two pairs of one orbit may be kept even so.)
    #[must_use]
    pub fn exact_for(self) -> &'static str {
        match self {
            Self::Walk => {
                "exact where following references from components that no permutation moves, or that \
                 look like no other, tells all values apart, but for interchangeable ones (Lemma 53)"
            }
            Self::Exact => "exact for all states, as long as 20,000 images are enough for one",
            Self::Ordering => {
                "exact where it chooses only among components that are fully symmetric (Prop. 50), and \
                 elements of sets are told apart"
            }
            Self::OrderingN1 => {
                "as ordering, but it does not count: whether there is an edge, and not how many (n' of \
                 Sec. 7.5), so it chooses more often"
            }
            Self::OrderingN2 => {
                "as ordering, but it sees how many neighbours there are and not by which variables (n'' \
                 of Sec. 7.5), so it chooses more often"
            }
            Self::Sorted => {
                "exact where control states alone tell the values of each type apart (Sec. 7.6)"
            }
            Self::Segmented => {
                "exact where each type by itself indexes components, and 5,040 orders of equal values are \
                 enough (Sec. 7.6)"
            }
            Self::Bubble => {
                "exact where components that can be exchanged hold no value but the single one of their \
                 label, and the others hold values one by one, not in sets"
            }
            Self::Counters => {
                "exact where it applies: where no component holds a value but the single one of its \
                 label; refused elsewhere"
            }
        }
    }

    /// The reason why it does not apply to a network, in a sentence; `None` if it does.
    pub fn obstacle(self, machine: &mut Machine, format: &Format) -> Option<String> {
        match self {
            Self::Counters => counters::obstacle(machine, format),
            _ => None,
        }
    }

    /// The strategy with this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|kind| kind.strategy().name() == name)
    }
}
