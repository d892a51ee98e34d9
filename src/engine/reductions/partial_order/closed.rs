//! Definition of a closed set of rules ([`super`]), which debug builds assert for every set found.

use super::label_steps::has;
use super::rule_sets::RuleSet;
use super::tables::RulePart;
use super::{PartialOrder, PartialOrderScratch};

impl PartialOrder {
    /// Whether a set of rules is closed in the present state; some of its rules are taken to have no needs.
    pub(super) fn is_closed(
        &self,
        is_in: &dyn Fn(u32) -> bool,
        twins: &[u32],
        scratch: &PartialOrderScratch,
    ) -> bool {
        let all_in = |rules: RuleSet| self.sets.members(rules).all(is_in);
        let is_independent = |part: &RulePart, is_enabled: bool| {
            let own = usize::from(part.component);
            let (ways, place) = (&self.components[own], scratch.places[own]);
            let is_inside = all_in(ways.able(place));
            if is_enabled {
                let disturbing = self.labels[part.label as usize].disturbing;
                return is_inside || disturbing.is_some_and(all_in);
            }
            let first = self.firsts[own];
            let own_label = part.label - first;
            let needed = ways.needed(ways.needs(place), own_label);
            let is_held = needed.is_some_and(|set| {
                let all_of = |label: u32| all_in(self.labels[(first + label) as usize].rules);
                let holds = |label| has(set, label) && all_of(label);
                has(set, own_label) || (0..ways.labels()).any(holds)
            });
            !ways.offers(place, own_label) && (is_inside || is_held)
        };
        (0..self.parts.len() as u32).all(|rule| {
            let mut parts = self.parts(rule).iter();
            let is_independent = match scratch.steps[rule as usize] > 0 {
                true => parts.all(|part| is_independent(part, true)),
                false => parts.any(|part| is_independent(part, false)),
            };
            !is_in(rule) || twins.contains(&rule) || is_independent
        })
    }
}
