//! Priorities in a structure: the rules that wait, and the rules that hold them back.
//!
//! Symmetries fix operators with priority, and their classes. A rule has the waits of its image, and a
//! way to hold others back has an image that holds the same back: then a rule has to wait in a
//! state if and only if its image has to in the image of the state, by induction over nested operators.

use std::collections::BTreeSet;

use crate::machine::rules::Rules;
use crate::machine::waiting::Wait;
use crate::source::hash::IndexSet;

/// Properties of a rule of a structure besides its labels and its result.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum RuleTag {
    /// It is a rule of the network, with these waits.
    Waits(Vec<Wait>),
    /// It is a way to hold others back: at this operator, of this class, with its own waits.
    Holds(usize, u32, Vec<Wait>),
}

impl RuleTag {
    /// The tag of a way to hold others back.
    pub(super) fn holds(node: usize, class: u32, waits: &[Wait]) -> Self {
        let mut waits = waits.to_vec();
        waits.sort_unstable();
        Self::Holds(node, class, waits)
    }
}

/// The tags of each rule of a structure, by its number.
#[derive(Debug, Default)]
pub(super) struct RuleTags(Vec<BTreeSet<RuleTag>>);

impl RuleTags {
    /// Adds a tag to a rule.
    pub(super) fn add(&mut self, rule: u32, tag: RuleTag) {
        let at = rule as usize;
        if at >= self.0.len() {
            self.0.resize(at + 1, BTreeSet::new());
        }
        self.0[at].insert(tag);
    }

    /// The class of each rule: equal for equal tags.
    pub(super) fn classes(&self) -> Vec<u32> {
        let mut kinds: IndexSet<&BTreeSet<RuleTag>> = IndexSet::default();
        let number = |tags| kinds.insert_full(tags).0 as u32;
        self.0.iter().map(number).collect()
    }
}

/// The waits of a rule of a format.
pub(super) fn waits(rules: &Rules, rule: usize) -> RuleTag {
    let mut waits = rules.priorities().waits_of(rule).to_vec();
    waits.sort_unstable();
    RuleTag::Waits(waits)
}
