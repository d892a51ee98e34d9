//! A whole computation in a few lines.

use super::model::{Explanation, RepView};
use super::sentences::{
    ComponentNames, blocks, new_blocks, orbit_text, sentences, sets, type_order_text,
};
use crate::report::document::{Document, Tone};
use crate::report::numbers::grouped;
use crate::symmetry::StructuralKind;
use crate::symmetry::trace::Step;

/// The summary where the symmetry was found in the structure of the network, as the section `summary`.
#[must_use]
pub fn of_structure(rep: &RepView) -> Document {
    let mut document = Document::default();
    document.section("summary");
    let found = format!(
        "in the structure of the network: {} permutations of components, local states and events",
        grouped(&rep.group_order)
    );
    let is_local = rep.strategy == StructuralKind::Local.name();
    let least = match rep.uniqueness.is_certain() && !is_local {
        true => "of all images of the state, this is the least",
        false => "an image of the state; whether it is the least is not known",
    };
    document
        .labelled(Tone::Plain, "found", found)
        .labelled(Tone::Plain, "least", least);
    for pi in &rep.permutation {
        document.labelled(Tone::Plain, "renaming", pi.cycles.as_str());
    }
    if let Some(orbit) = orbit_text(rep) {
        document.labelled(Tone::Plain, "orbit", orbit);
    }
    document.labelled(Tone::Plain, "it is", rep.uniqueness.claim());
    document
}

/// The summary of a whole computation, as the section `summary`.
#[must_use]
pub fn summary(explanation: &Explanation) -> Document {
    let names = ComponentNames::new(&explanation.components);
    let steps = &explanation.trace.steps;
    let splits = steps.iter().any(|s| matches!(s, Step::Split { .. }));
    let mut document = Document::default();
    document.section("summary");
    let certain = explanation.representative.uniqueness.is_certain();
    let mut picks = Picks {
        open: None,
        certain,
    };
    for (at, step) in steps.iter().enumerate() {
        // Anything but another pick ends a run of picks.
        if !matches!(step, Step::Choice { .. }) {
            picks.finish(&names, &mut document);
        }
        match step {
            Step::Initial { after, .. } => {
                let text = format!("by control state and other values: {}", blocks(after.len()));
                let sets: Vec<_> = after.iter().map(|b| names.set(b)).collect();
                document.labelled(Tone::Plain, "step 1", text).labelled(
                    Tone::Plain,
                    "step 1",
                    sets.join("  "),
                );
            }
            Step::Split { round, .. } => {
                for sentence in sentences(explanation, at) {
                    document.labelled(Tone::Plain, format!("step 2.{round}"), sentence);
                }
            }
            // Shown only where step 2 did nothing at all; otherwise its splits describe it.
            Step::FixedPoint { round: 1, .. } if !splits => {
                let text = "compare n-values: equal in each block, nothing splits";
                document.labelled(Tone::Plain, "step 2", text);
            }
            Step::Choice { .. } => picks.add(&names, step, &mut document),
            Step::Tie {
                values, harmless, ..
            } => {
                let (tone, harm) = match (*harmless, certain) {
                    (true, _) => (Tone::Plain, "stand alone: harmless"),
                    (false, true) => (Tone::Plain, "in tuples: any order gives the same"),
                    (false, false) => (Tone::Open, "in tuples: may matter"),
                };
                let text = format!("nothing tells {} apart  {harm}", values.join(", "));
                document.labelled(tone, "sets", text);
            }
            Step::Count { .. }
            | Step::FixedPoint { .. }
            | Step::Ordered
            | Step::Types
            | Step::Generated => {}
        }
    }
    picks.finish(&names, &mut document);
    result_lines(explanation, &names, &mut document);
    document
}

/// Picks that take one block apart, gathered into one line.
struct Picks {
    open: Option<Pick>,
    /// Whether all picks lead to the same representative.
    certain: bool,
}

struct Pick {
    block: Vec<usize>,
    parts: Vec<Vec<usize>>,
    /// Whether every pick was harmless.
    harmless: bool,
}

impl Picks {
    /// Adds a choice, and the line before it if that is finished.
    fn add(&mut self, names: &ComponentNames, step: &Step, document: &mut Document) {
        let Step::Choice {
            block,
            fully_symmetric,
            before,
            after,
            ..
        } = step
        else {
            return;
        };
        let members = before.get(*block).cloned().unwrap_or_default();
        let parts = new_blocks(before, after);
        if let Some(open) = &mut self.open
            // The block is the rest of the one before: the same block is split further, one line for all.
            && open.parts.last() == Some(&members)
        {
            open.parts.pop();
            open.parts.extend(parts);
            open.harmless &= fully_symmetric;
            return;
        }
        self.finish(names, document);
        self.open = Some(Pick {
            block: members,
            parts,
            harmless: *fully_symmetric,
        });
    }

    fn finish(&mut self, names: &ComponentNames, document: &mut Document) {
        let Some(open) = self.open.take() else {
            return;
        };
        let (tone, harm) = match (open.harmless, self.certain) {
            (true, _) | (false, true) => (Tone::Plain, "any pick gives the same"),
            (false, false) => (Tone::Open, "perhaps not symmetric: may matter"),
        };
        let (all, parts) = (names.set(&open.block), sets(names, &open.parts));
        document.labelled(tone, "step 3", format!("{all} -> {parts}  {harm}"));
    }
}

fn result_lines(explanation: &Explanation, names: &ComponentNames, document: &mut Document) {
    let order = explanation.trace.order.iter();
    let order: Vec<_> = order.map(|c| names.of(*c)).collect();
    document.labelled(Tone::Plain, "order", order.join(" "));
    let types = &explanation.trace.type_orders;
    let width = types.iter().map(|t| t.name.len()).max().unwrap_or_default();
    for order in types {
        let text = format!("{:width$} {}", order.name, type_order_text(order));
        document.labelled(Tone::Plain, "types", text);
    }
    let rep = &explanation.representative;
    let arrows = rep.permutation.iter().map(|p| {
        let arrows: Vec<_> = p.map.iter().map(|(a, b)| format!("{a}->{b}")).collect();
        arrows.join(" ")
    });
    let arrows = arrows.collect::<Vec<_>>().join("   ");
    document.labelled(Tone::Plain, "renaming", arrows);
    if let Some(orbit) = orbit_text(rep) {
        document.labelled(Tone::Plain, "orbit", orbit);
    }
}
