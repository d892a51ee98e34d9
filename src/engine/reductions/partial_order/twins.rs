//! Twin rules, which differ in the copy that takes part ([`crate::machine::copies`]).
//!
//! Let rule `t` be enabled, with copy `a` in it, and let its *twin* have copy `b` instead. Let copies offer the event
//! in one local state alone; `a` is in it, and steps that do not disturb the event leave it there. Take a run without
//! rules of a closed set with `t` that ends with the twin. Before that `b` is in the same local state as `a`, so
//! exchanging them fixes the state, and the run ends in the same state as with `t` instead of the twin, with `a` and
//! `b` exchanged. As `t` is enabled all the time, it can as well be fired first. The difference is invisible, since
//! exchanging copies changes no event. So the twins of a step need not be kept beside it, and have no needs.

use std::ops::Range;

use super::tables::{LabelTable, RulePart};
use crate::machine::EventId;
use crate::machine::copies::Copies;
use crate::machine::rules::Rule;
use crate::source::hash::IndexMap;

/// The twins of each rule.
#[derive(Clone, Debug, Default)]
pub(super) struct RuleTwins {
    /// Ranges of a list, by rule.
    of: Vec<Range<u32>>,
    listed: Vec<u32>,
}

/// Twins of all rules together, at most.
const TWINS_MAX: usize = 1 << 20;

impl RuleTwins {
    /// Finds the twins of rules, given the labels of the participants and the number of places that offer each label.
    pub(super) fn new<'p>(
        rules: &[Rule],
        copies: &Copies,
        parts: impl Fn(u32) -> &'p [RulePart],
        labels: &[LabelTable],
    ) -> Self {
        let mut this = Self::default();
        if copies.is_empty() {
            return this;
        }
        let numbers: IndexMap<&Rule, u32> = rules.iter().zip(0..).collect();
        for (number, rule) in (0u32..).zip(rules) {
            let from = this.listed.len() as u32;
            let sets = copies.sets().iter();
            let mut taking_part = sets.filter_map(|set| Some((set, only_one(rule, set)?)));
            // One set is enough: rules with several are rare.
            if let Some((set, at)) = taking_part.next()
                && labels[parts(number)[at].label as usize].places == 1
                && this.listed.len() < TWINS_MAX
            {
                let others = set.iter().filter(|other| **other != rule.parts[at].0);
                let images = others.map(|other| with(rule, at, *other));
                this.listed
                    .extend(images.filter_map(|image| numbers.get(&image).copied()));
            }
            this.of.push(from..this.listed.len() as u32);
        }
        this
    }

    /// The twins of a rule.
    pub(super) fn of(&self, rule: u32) -> &[u32] {
        let range = self.of.get(rule as usize).cloned().unwrap_or_default();
        &self.listed[range.start as usize..range.end as usize]
    }
}

/// The index of the only member of a set among the participants of a rule, if there is just one.
fn only_one(rule: &Rule, set: &[u16]) -> Option<usize> {
    let parts = rule.parts.iter().enumerate();
    let mut members = parts.filter(|(_, part)| set.contains(&part.0));
    let (at, _) = members.next()?;
    members.next().is_none().then_some(at)
}

/// The rule with another component for one of its participants.
fn with(rule: &Rule, at: usize, other: u16) -> Rule {
    let mut parts: Vec<(u16, EventId)> = rule.parts.to_vec();
    parts[at].0 = other;
    parts.sort_unstable();
    Rule {
        parts: parts.into(),
        ..rule.clone()
    }
}
