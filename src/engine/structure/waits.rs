//! Priorities in a blueprint: which rules wait, and for what.
//!
//! Operators with priority stay what they are here, and so do their classes. A rule waits where its image does, and a
//! way to hold others back has an image that holds the same back: then whether a rule has to wait is the same for a
//! state and its image, by induction over operators within one another.

use std::collections::BTreeSet;

use crate::machine::rules::Rules;
use crate::machine::waiting::Wait;
use crate::source::hash::IndexSet;

/// What a rule of a blueprint has to keep besides its labels and its result.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum RuleTag {
    /// It is a rule of the network, which waits there.
    Waits(Vec<Wait>),
    /// It is a way to hold others back: at this operator, of this class, unless it waits there itself.
    Holds(usize, u32, Vec<Wait>),
}

impl RuleTag {
    /// That of a way to hold others back.
    pub(super) fn holds(node: usize, class: u32, waits: &[Wait]) -> Self {
        let mut waits = waits.to_vec();
        waits.sort_unstable();
        Self::Holds(node, class, waits)
    }
}

/// The tags of each rule of a blueprint, by its number.
#[derive(Debug, Default)]
pub(super) struct RuleTags(Vec<BTreeSet<RuleTag>>);

impl RuleTags {
    /// Adds one to what a rule has.
    pub(super) fn add(&mut self, rule: u32, tag: RuleTag) {
        let at = rule as usize;
        if at >= self.0.len() {
            self.0.resize(at + 1, BTreeSet::new());
        }
        self.0[at].insert(tag);
    }

    /// A number for each rule that is equal where the tags are.
    pub(super) fn classes(&self) -> Vec<u32> {
        let mut kinds: IndexSet<&BTreeSet<RuleTag>> = IndexSet::default();
        let number = |tags| kinds.insert_full(tags).0 as u32;
        self.0.iter().map(number).collect()
    }
}

/// What a rule of a format waits for.
pub(super) fn waits(rules: &Rules, rule: usize) -> RuleTag {
    let mut waits = rules.priorities().waits_of(rule).to_vec();
    waits.sort_unstable();
    RuleTag::Waits(waits)
}
