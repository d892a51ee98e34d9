//! Permutations of a network in words.

use std::fmt::Write;

use super::{GeneratorView, MissView, NetworkSymmetry, StructureGroupView};
use crate::lab::examined::NamesMatter;
use crate::numbers::{counted, grouped, thousands};

/// Names in a list before the rest is counted.
const LISTED_MAX: usize = 24;
/// Names in a cycle before the rest is left out.
const CYCLE_MAX: usize = 12;
/// Cycles of a generator.
const CYCLES_SHOWN: usize = 6;

/// `Cell(0) -> Cell(1) -> Cell(0)`, long cycles shortened in the middle.
#[must_use]
pub fn arrows(cycle: &[String]) -> String {
    let Some(first) = cycle.first() else {
        return String::new();
    };
    let mut text = String::new();
    for (at, name) in cycle.iter().enumerate() {
        if cycle.len() > CYCLE_MAX && at == CYCLE_MAX - 1 {
            text.push_str(".. -> ");
        }
        if cycle.len() <= CYCLE_MAX || at < CYCLE_MAX - 1 || at == cycle.len() - 1 {
            let _ = write!(text, "{name} -> ");
        }
    }
    text + first
}

/// Some names of a list, and the number of the others.
pub(super) fn listed(names: impl ExactSizeIterator<Item = String>) -> String {
    let more = names.len().saturating_sub(LISTED_MAX);
    let mut text = names.take(LISTED_MAX).collect::<Vec<_>>().join(", ");
    if more > 0 {
        let _ = write!(text, " and {} more", thousands(more as u128));
    }
    text
}

impl NetworkSymmetry {
    pub(super) fn names<'a>(
        &'a self,
        numbers: &'a [usize],
    ) -> impl ExactSizeIterator<Item = String> + 'a {
        let named = |at: &usize| self.components[*at].clone();
        numbers.iter().map(named)
    }

    /// The action of a permutation on components: `A -> B -> A, C -> D -> C`.
    #[must_use]
    pub fn cycles_text(&self, cycles: &[Vec<usize>]) -> String {
        let shown = cycles.iter().take(CYCLES_SHOWN);
        let shown = shown.map(|cycle| arrows(&self.names(cycle).collect::<Vec<_>>()));
        let mut text = shown.collect::<Vec<_>>().join(", ");
        if cycles.len() > CYCLES_SHOWN {
            let more = (cycles.len() - CYCLES_SHOWN) as u64;
            let _ = write!(text, " and {}", counted(more, "more cycle"));
        }
        text
    }

    /// A near miss, in a sentence.
    #[must_use]
    pub fn miss_text(&self, miss: &MissView) -> String {
        let mut text = format!("{} fails: ", self.cycles_text(&miss.components));
        text.push_str(&miss.reasons.join("; "));
        text.push('.');
        if miss.all {
            text.push_str(" All else is respected.");
        }
        text
    }

    /// The action of a generator, in a line or two.
    #[must_use]
    pub fn generator_lines(&self, generator: &GeneratorView) -> Vec<String> {
        let mut lines = Vec::new();
        if !generator.components.is_empty() {
            lines.push(self.cycles_text(&generator.components));
        } else if let Some((component, before, after)) = &generator.local {
            lines.push(format!(
                "moves no component, but local states: {} in {before} becomes {after}",
                self.components[*component]
            ));
        } else {
            lines.push("moves events alone".to_owned());
        }
        if generator.event_cycles > 0 {
            let shown = generator.events.iter().take(CYCLES_SHOWN);
            let shown = shown.map(|cycle| arrows(cycle));
            let mut text = format!("events {}", shown.collect::<Vec<_>>().join(", "));
            let more = generator.event_cycles.saturating_sub(CYCLES_SHOWN);
            if more > 0 {
                let _ = write!(text, " and {}", counted(more as u64, "more cycle"));
            }
            lines.push(text);
        }
        lines
    }
}

/// The order of a group, with its name: `C5, of order 5`.
#[must_use]
pub fn orders(group: &StructureGroupView) -> String {
    let least = if group.complete { "" } else { "at least " };
    let mut text = match (&group.name, &group.order) {
        (Some(name), Some(order)) if name != "1" => {
            format!("{name}, of order {least}{}", grouped(order))
        }
        (_, Some(order)) => format!("of order {least}{}", grouped(order)),
        (_, None) => "of an order that is not known".to_owned(),
    };
    if group.order.as_ref() != Some(&group.order_with_events) {
        let _ = write!(
            text,
            " on states; {least}{} with those that move events alone",
            grouped(&group.order_with_events)
        );
    }
    text
}

/// The influence of the names of events, in a sentence.
#[must_use]
pub fn names_sentence(matter: NamesMatter) -> &'static str {
    match matter {
        NamesMatter::No => "Events may be permuted: no specification distinguishes them.",
        NamesMatter::Tied => "Events may be permuted if that takes the specification to itself.",
        NamesMatter::Yes => {
            "Every event stays what it is: the specification tells events apart, and has too many states to be \
             permuted with them."
        }
    }
}

/// `1 vertex`, `2,345 vertices`
pub(super) fn counted_in_groups(count: usize, one: &str, several: &str) -> String {
    let word = if count == 1 { one } else { several };
    format!("{} {word}", thousands(count as u128))
}
