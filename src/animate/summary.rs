//! A whole computation in a few lines.

use super::model::{Explanation, RepView};
use super::sentences::{
    ComponentNames, blocks, new_blocks, orbit_text, sentences, sets, type_order_text,
};
use crate::report::numbers::grouped;
use crate::symmetry::trace::Step;

/// At the end of a line about picks that may matter.
pub const DOUBTFUL: &str = "perhaps not symmetric: may matter";

/// The summary where the symmetry was found in the structure of the network.
#[must_use]
pub fn of_structure(rep: &RepView) -> Vec<(String, String)> {
    let line = |head: &str, text: String| (head.to_string(), text);
    let mut lines = vec![line(
        "found",
        format!(
            "in the structure of the network: {} permutations of components, local states and events",
            grouped(&rep.group_order)
        ),
    )];
    let least = if rep.uniqueness.is_certain() {
        "of all images of the state, this is the least"
    } else {
        "an image of the state; whether it is the least is not known"
    };
    lines.push(line("least", least.to_string()));
    lines.extend(
        rep.permutation
            .iter()
            .map(|pi| line("pi", pi.cycles.clone())),
    );
    lines.extend(orbit_text(rep).map(|text| line("orbit", text)));
    lines.push(line("unique", rep.uniqueness.badge()));
    lines
}

/// A summary of a whole computation: a heading and a text for each line.
#[must_use]
pub fn summary(explanation: &Explanation) -> Vec<(String, String)> {
    let names = ComponentNames::new(&explanation.components);
    let steps = &explanation.trace.steps;
    let splits = steps.iter().any(|s| matches!(s, Step::Split { .. }));
    let mut lines = Vec::new();
    let certain = explanation.representative.uniqueness.is_certain();
    let mut picks = Picks {
        open: None,
        certain,
    };
    for (at, step) in steps.iter().enumerate() {
        // Anything but another pick ends a run of picks.
        if !matches!(step, Step::Choice { .. }) {
            lines.extend(picks.finish(&names));
        }
        match step {
            Step::Initial { after, .. } => {
                let text = format!("by control state and other values: {}", blocks(after.len()));
                lines.push(("step 1".to_string(), text));
                let sets: Vec<_> = after.iter().map(|b| names.set(b)).collect();
                lines.push((String::new(), sets.join("  ")));
            }
            Step::Split { round, .. } => {
                let head = format!("step 2.{round}");
                let said = sentences(explanation, at).into_iter();
                lines.extend(said.map(|sentence| (head.clone(), sentence)));
            }
            // Shown only where step 2 did nothing at all; otherwise its splits describe it.
            Step::FixedPoint { round: 1, .. } if !splits => lines.push((
                "step 2".to_string(),
                "refine by n-values: fixed point at once, nothing splits".to_string(),
            )),
            Step::Choice { .. } => lines.extend(picks.add(&names, step)),
            Step::Tie {
                values, harmless, ..
            } => {
                let harm = match (*harmless, certain) {
                    (true, _) => "stand alone: harmless",
                    (false, true) => "in tuples: any order gives the same",
                    (false, false) => "in tuples: may matter",
                };
                let text = format!("nothing tells {} apart  {harm}", values.join(", "));
                lines.push(("sets".to_string(), text));
            }
            Step::Count { .. }
            | Step::FixedPoint { .. }
            | Step::Ordered
            | Step::Types
            | Step::Generated => {}
        }
    }
    lines.extend(picks.finish(&names));
    result_lines(explanation, &names, &mut lines);
    lines
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
    /// Adds a choice. Returns the line before it if that is finished.
    fn add(&mut self, names: &ComponentNames, step: &Step) -> Option<(String, String)> {
        let Step::Choice {
            block,
            fully_symmetric,
            before,
            after,
            ..
        } = step
        else {
            return None;
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
            return None;
        }
        let line = self.finish(names);
        self.open = Some(Pick {
            block: members,
            parts,
            harmless: *fully_symmetric,
        });
        line
    }

    fn finish(&mut self, names: &ComponentNames) -> Option<(String, String)> {
        let open = self.open.take()?;
        let harm = match (open.harmless, self.certain) {
            (true, _) => "fully symmetric",
            (false, true) => "any pick gives the same",
            (false, false) => DOUBTFUL,
        };
        let (all, parts) = (names.set(&open.block), sets(names, &open.parts));
        Some(("step 3".to_string(), format!("{all} -> {parts}  {harm}")))
    }
}

fn result_lines(
    explanation: &Explanation,
    names: &ComponentNames,
    lines: &mut Vec<(String, String)>,
) {
    let order: Vec<_> = explanation
        .trace
        .order
        .iter()
        .map(|c| names.of(*c))
        .collect();
    lines.push(("order".to_string(), order.join(" ")));
    let types = &explanation.trace.type_orders;
    let width = types.iter().map(|t| t.name.len()).max().unwrap_or_default();
    for (at, order) in types.iter().enumerate() {
        let head = if at == 0 { "types" } else { "" };
        let text = format!("{:width$} {}", order.name, type_order_text(order));
        lines.push((head.to_string(), text));
    }
    let rep = &explanation.representative;
    let arrows = rep.permutation.iter().map(|p| {
        let arrows: Vec<_> = p.map.iter().map(|(a, b)| format!("{a}->{b}")).collect();
        arrows.join(" ")
    });
    lines.push(("pi".to_string(), arrows.collect::<Vec<_>>().join("   ")));
    lines.extend(orbit_text(rep).map(|text| ("orbit".to_string(), text)));
}
