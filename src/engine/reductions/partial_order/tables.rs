//! Tables of a network by rule and by label, and the reasons why a network has none.

use std::ops::Range;

use super::rule_sets::RuleSet;

/// A participant of a rule, with the global number of its label.
#[derive(Clone, Copy, Debug)]
pub(super) struct RulePart {
    pub(super) component: u16,
    pub(super) label: u32,
}

/// The rules of a label and the labels that it disturbs, as ranges of one list.
#[derive(Clone, Debug, Default)]
pub(super) struct LabelTable {
    pub(super) rules: RuleSet,
    /// The number of places that offer it.
    pub(super) places: u32,
    /// The rules of the labels that disturb it, if known.
    pub(super) disturbing: Option<RuleSet>,
    /// The labels that it disturbs, if known.
    pub(super) disturbed: Range<u32>,
}

/// Reasons why no steps are left out, for display.
pub(super) const OPEN: &str =
    "some component was not explored to the end, or the network takes other forms";
pub(super) const LARGE: &str = "the local states of its components and their events are too many";
pub(super) const PRIORITIES: &str = "some steps are taken before others (priority, or `chase`)";
