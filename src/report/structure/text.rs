//! The symmetry of a network as text.

use std::fmt::Write;

use num_bigint::BigUint;

use super::{GeneratorView, MissView, NetworkSymmetry, StructureGroupView};
use crate::lab::examined::NamesMatter;
use crate::numbers::{counted, grouped, thousands};
use crate::source::visible_line;

/// Names in a list before the rest is counted.
const LISTED_MAX: usize = 24;
/// Names in a cycle before the rest is left out.
const CYCLE_MAX: usize = 12;
/// Cycles of a generator.
const CYCLES_SHOWN: usize = 6;
/// Largest number of generators shown.
const GENERATORS_SHOWN: usize = 12;

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
fn listed(names: impl ExactSizeIterator<Item = String>) -> String {
    let more = names.len().saturating_sub(LISTED_MAX);
    let mut text = names.take(LISTED_MAX).collect::<Vec<_>>().join(", ");
    if more > 0 {
        let _ = write!(text, " and {} more", thousands(more as u128));
    }
    text
}

impl NetworkSymmetry {
    fn names<'a>(&'a self, numbers: &'a [usize]) -> impl ExactSizeIterator<Item = String> + 'a {
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

/// The symmetry that the text alone would have shown.
#[must_use]
pub fn text_alone(view: &NetworkSymmetry) -> String {
    let types = view.types.iter();
    let types = types.map(|(name, size)| format!("{name} ({size} values)"));
    let copies = view.copies.iter();
    let copies = copies.map(|(name, size)| format!("copies of {name} ({size})"));
    let all: Vec<String> = types.chain(copies).collect();
    match all.len() {
        0 => "no symmetric datatype, and no copies of a component".to_owned(),
        _ => format!("{}: order {}", all.join(", "), grouped(&view.known)),
    }
}

/// The symmetry that the structure shows beyond the text, in a sentence.
#[must_use]
pub fn difference(view: &NetworkSymmetry) -> Option<String> {
    let order = view.found.as_ref().ok()?.order.as_ref()?;
    let one = BigUint::from(1u32);
    let known = &view.known;
    Some(if *order == one && *known == one {
        "Neither the text nor the structure tells of any.".to_owned()
    } else if *known == one {
        "The text alone tells of none of it.".to_owned()
    } else if order == known {
        "As many as the text tells.".to_owned()
    } else if order > known && order % known == BigUint::default() {
        format!(
            "{} times as many as the text tells.",
            grouped(&(order / known))
        )
    } else if order > known {
        "More than the text tells.".to_owned()
    } else if view.found.as_ref().is_ok_and(|group| !group.complete) {
        "Fewer than the text tells: there is more to find, but looking would have taken too long."
            .to_owned()
    } else if view.names_matter == NamesMatter::Yes {
        "Fewer than the text tells, since every event has to stay what it is here.".to_owned()
    } else {
        "Fewer than the text tells: several permutations of values do the same to local states, or the network \
         does not bear them out."
            .to_owned()
    })
}

/// The influence of the names of events, in a sentence.
#[must_use]
pub fn names_sentence(matter: NamesMatter) -> &'static str {
    match matter {
        NamesMatter::No => "Events may be permuted: nobody tells them apart.",
        NamesMatter::Tied => "Events may be permuted if that takes the specification to itself.",
        NamesMatter::Yes => {
            "Every event stays what it is: the specification tells events apart, and has too many states to be \
             permuted with them."
        }
    }
}

fn heading(view: &NetworkSymmetry) -> String {
    let subject = visible_line(&view.subject);
    match view.assertion {
        Some(number) => format!("assertion {number}: {subject}"),
        None => subject.into_owned(),
    }
}

/// The full text on the symmetry of a network.
#[must_use]
pub fn text(view: &NetworkSymmetry) -> String {
    let mut text = heading(view) + "\n";
    let mut line = |name: &str, value: &str| {
        let _ = writeln!(text, "  {name:<13}{}", visible_line(value));
    };
    let count = thousands(view.components.len() as u128);
    let all: Vec<usize> = (0..view.components.len()).collect();
    line(
        "components",
        &format!("{count}: {}", listed(view.names(&all))),
    );
    line("events", names_sentence(view.names_matter));
    match &view.found {
        Err(why) => line("group", &format!("not looked for: {why}")),
        Ok(group) => {
            line("group", &orders(group));
            for orbit in group.orbits.iter().filter(|orbit| orbit.len() > 1) {
                line("orbit", &listed(view.names(orbit)));
            }
            let fixed = group.fixed();
            match fixed.len() {
                0 => {}
                all if all == view.components.len() => line("fixed", "all of them"),
                _ => line("fixed", &listed(view.names(&fixed))),
            }
            for (number, generator) in group.generators.iter().enumerate() {
                if number == GENERATORS_SHOWN {
                    let more = group.generators.len() - number;
                    line(
                        "",
                        &format!("and {}", counted(more as u64, "more generator")),
                    );
                    break;
                }
                let mut name = format!("generator {}", number + 1);
                for shown in view.generator_lines(generator) {
                    line(&name, &shown);
                    name.clear();
                }
            }
        }
    }
    line("the text", &text_alone(view));
    if let Some(difference) = difference(view) {
        line("", &difference);
    }
    if let Ok(group) = &view.found {
        for (number, miss) in group.misses.iter().enumerate() {
            let name = if number == 0 { "almost" } else { "" };
            line(name, &view.miss_text(miss));
        }
        line("looked at", &looked_at(view, group));
    }
    text
}

fn looked_at(view: &NetworkSymmetry, group: &StructureGroupView) -> String {
    format!(
        "{} and {}, in {} (compiling: {})",
        counted_in_groups(group.graph.0, "vertex", "vertices"),
        counted_in_groups(group.graph.1, "edge", "edges"),
        time(view.seconds.1),
        time(view.seconds.0)
    )
}

fn time(seconds: f64) -> String {
    format!("{seconds:.3} s")
}

fn counted_in_groups(count: usize, one: &str, several: &str) -> String {
    let word = if count == 1 { one } else { several };
    format!("{} {word}", thousands(count as u128))
}

/// The text on the symmetry of a network in a paragraph.
#[must_use]
pub fn brief(view: &NetworkSymmetry) -> String {
    let mut text = heading(view) + "\n";
    let mut line = |value: &str| {
        let _ = writeln!(text, "  {}", visible_line(value));
    };
    let count = counted_in_groups(view.components.len(), "component", "components");
    match &view.found {
        Err(why) => line(&format!("{count}; symmetry was not looked for: {why}")),
        Ok(group) if group.is_trivial() => line(&format!("{count}, no symmetry")),
        Ok(group) => {
            let moved = group.orbits.iter().filter(|orbit| orbit.len() > 1).count();
            let orbits = counted_in_groups(moved, "orbit", "orbits");
            let fixed = group.fixed().len();
            line(&format!("{count}, group {}", orders(group)));
            if moved > 0 {
                line(&format!("{orbits} of several components, {fixed} fixed"));
            }
            if let Some(generator) = group.generators.first() {
                line(&view.generator_lines(generator)[0]);
            }
        }
    }
    line(&format!("the text: {}", text_alone(view)));
    if let Ok(group) = &view.found
        && let Some(miss) = group.misses.first()
    {
        line(&format!("almost: {}", view.miss_text(miss)));
    }
    text
}
