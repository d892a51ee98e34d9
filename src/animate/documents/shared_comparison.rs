//! Two states as a page to share, put together from what is said of them elsewhere.

use super::shared_run::{explained, item, part, representative};
use super::{GivenStates, path_text};
use crate::comparison::{RelationView, StateComparison};
use crate::model::{ComponentView, StateView};
use crate::report::document::{Document, Tone};
use crate::report::page::rings::{RingDrawing, longest_cycles};
use crate::report::page::{PagePart, SharedPage};

/// Two states that are compared.
pub struct SharedComparison {
    /// The name of the script.
    pub script: String,
    /// The states.
    pub given: GivenStates,
    /// Both in full.
    pub views: [StateView; 2],
}

impl SharedComparison {
    /// The page on the comparison.
    #[must_use]
    pub fn page(&self) -> SharedPage {
        let (given, found) = (&self.given, &self.given.found);
        let told = given.document();
        let mut facts = Document::default();
        facts.labelled(Tone::Plain, "script", self.script.as_str());
        facts.labelled(Tone::Plain, "process", given.process.as_str());
        for (name, path) in ["state A", "state B"].into_iter().zip(&given.paths) {
            let path = format!("after {}", path_text(path));
            facts.labelled(Tone::Plain, name, path);
        }
        let mut parts = vec![part("", facts)];
        let mut section = |heading: &str, name: &str| {
            let mut document = Document::default();
            document.append(&told, &[name]);
            if !document.sections.is_empty() {
                parts.push(part(heading, document));
            }
        };
        section("Verdict", "verdict");
        let mut both = Document::default();
        let image = match found.arrows() {
            Some(_) => "becomes in B",
            None => "component of B",
        };
        both.table(found.images([
            "component of A",
            "local state",
            "",
            image,
            "local state there",
        ]));
        let both = PagePart {
            drawing: found.drawing(),
            ..part("State A and state B", both)
        };
        section("Representatives", "representatives");
        section("Where the computations part", "parting");
        section("Other choices", "picks");
        parts.insert(2, both);
        for (name, view) in ["state A", "state B"].into_iter().zip(&self.views) {
            parts.push(Self::own_part(name, view));
        }
        SharedPage {
            title: format!("Two states of {}", given.process),
            parts,
            steps: Vec::new(),
        }
    }

    /// The representative and the orbit of a state.
    fn own_part(name: &str, view: &StateView) -> PagePart {
        let mut document = representative(view);
        document.append(&explained(view), &["representative"]);
        part(&format!("Representative of {name}"), document)
    }
}

impl StateComparison {
    /// The component of B that each of A is taken to, if a permutation is known that does so.
    pub(super) fn arrows(&self) -> Option<&Vec<usize>> {
        match &self.relation {
            RelationView::SameOrbit(witness) | RelationView::Bisimilar { witness, .. } => {
                Some(&witness.arrows)
            }
            _ => None,
        }
    }

    /// The components of A on circles, where the permutation moves them in circles.
    fn drawing(&self) -> Option<RingDrawing> {
        let rings = longest_cycles(&cycles_of(self.arrows()?));
        let differs = |(at, component): (usize, &ComponentView)| {
            let there = self.b.components.get(at);
            item(
                component,
                there.is_none_or(|there| there.text != component.text),
            )
        };
        let items = self.a.components.iter().enumerate().map(differs);
        (!rings.is_empty()).then(|| RingDrawing {
            caption: "The components of state A: each arrow leads to the one that a component becomes in state B. \
                      Those with a * have another local state there."
                .to_owned(),
            items: items.collect(),
            rings,
        })
    }
}

/// The cycles of a permutation, in the order of their first points.
fn cycles_of(images: &[usize]) -> Vec<Vec<usize>> {
    let mut seen = vec![false; images.len()];
    let mut cycles = Vec::new();
    for first in 0..images.len() {
        let mut cycle = Vec::new();
        let mut at = first;
        while seen.get(at) == Some(&false) {
            seen[at] = true;
            cycle.push(at);
            at = images[at];
        }
        if cycle.len() > 1 {
            cycles.push(cycle);
        }
    }
    cycles
}
