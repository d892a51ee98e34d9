//! The structure of a process, what its components are ready for, and its wait-for graph.

use serde_json::{Value, json};

use super::path_text;
use crate::model::StructureView;
use crate::report::columns::{padded, width};
use crate::report::document::{Document, Tone};
use crate::source::hash::Set;
use crate::structure::{CycleView, EventClass, OfferView, StandingView, StructureNode, WaitView};

/// Columns that a label and a local state may take before they push what is beside them aside.
const COLUMN_MAX: usize = 40;

/// A state, the way to it, and how it is put together.
pub struct GivenStructure {
    /// The process.
    pub process: String,
    /// The events on the way to the state.
    pub path: Vec<String>,
    /// Its structure.
    pub view: StructureView,
}

impl GivenStructure {
    /// All that is known; with `unfold`, operands of one form are shown apart. The facts are a document of the schema
    /// `orbitscope.structure/1`.
    #[must_use]
    pub fn document(&self, unfold: bool) -> Document {
        let view = &self.view;
        let mut document = Document::default();
        let heading = format!("{} after {}", self.process, path_text(&self.path));
        document
            .section("tree")
            .say(Tone::Strong, heading)
            .fact("schema", "orbitscope.structure/1")
            .fact("process", self.process.as_str())
            .fact("path", self.path.clone());
        let apart: Set<usize> = if unfold {
            (0..view.nodes.len()).collect()
        } else {
            Set::default()
        };
        for row in view.rows(&apart, &Set::default()) {
            let depth = view.nodes[row.node].depth;
            document.deeper(depth + 1, Tone::Plain, view.row_text(&row));
        }
        document.gap().append(&view.whole(), &["whole"]).gap();
        view.components_in(&mut document);
        view.waits_in(&mut document);
        view.facts(&mut document);
        document
    }
}

impl StructureView {
    /// The state as a whole: whether it is stuck, what is possible, and who waits for whom in a circle.
    #[must_use]
    pub fn whole(&self) -> Document {
        let mut document = Document::default();
        let tone = if self.is_deadlock {
            Tone::Bad
        } else {
            Tone::Strong
        };
        let refuses = match self.is_stable {
            true => self.refuses.or_nothing(),
            false => "nothing: only stable states refuse".to_owned(),
        };
        document
            .section("whole")
            .say(tone, self.headline())
            .labelled(Tone::Plain, "possible", self.initials.or_nothing())
            .labelled(Tone::Plain, "refuses", refuses);
        for cycle in &self.cycles {
            document.labelled(Tone::Plain, "cycle", self.cycle_text(cycle));
        }
        document
    }

    fn components_in(&self, document: &mut Document) {
        document
            .section("components")
            .say(Tone::Strong, "components");
        let most = |of: fn(&StandingView) -> &str| {
            let widths = self.components.iter().map(|c| width(of(c)));
            widths.max().unwrap_or(0).min(COLUMN_MAX)
        };
        let (label, state) = (most(|c| &c.label), most(|c| &c.state));
        for component in &self.components {
            let text = format!(
                "{}  {}  {}",
                padded(&component.label, label),
                padded(&component.state, state),
                component.standing.word()
            );
            document.deeper(1, component.standing.tone(), text);
            for offer in &component.offers {
                document.deeper(3, Tone::Dim, self.offer_text(offer));
            }
        }
    }

    fn waits_in(&self, document: &mut Document) {
        if !self.waits.is_empty() {
            document
                .gap()
                .section("waits")
                .say(Tone::Strong, "who waits for whom");
        }
        for wait in &self.waits {
            let label = |at: usize| &self.components[at].label;
            let (from, to) = (label(wait.from), label(wait.to));
            let never = match wait.never {
                true => "  (never again ready for it)",
                false => "",
            };
            let text = format!("{from} -> {to}  {}{never}", wait.events.text());
            document.deeper(1, Tone::Plain, text);
        }
        if self.omitted > 0 {
            document.deeper(1, Tone::Dim, format!(".. and {} more", self.omitted));
        }
    }

    fn facts(&self, document: &mut Document) {
        let all = self.components.iter().map(StandingView::json);
        let cycles = self.cycles.iter().map(|cycle| self.cycle_json(cycle));
        document
            .fact(
                "nodes",
                self.nodes
                    .iter()
                    .map(StructureNode::json)
                    .collect::<Value>(),
            )
            .fact("components", all.collect::<Value>())
            .fact("stable", self.is_stable)
            .fact("deadlocked", self.is_deadlock)
            .fact("terminated", self.is_terminated)
            .fact("initials", self.initials.json())
            .fact("refuses", self.refuses.json())
            .fact(
                "waits",
                self.waits.iter().map(WaitView::json).collect::<Value>(),
            )
            .fact("waits_omitted", self.omitted)
            .fact("cycles", cycles.collect::<Value>());
    }

    fn cycle_json(&self, cycle: &CycleView) -> Value {
        let steps = cycle.steps.iter();
        let steps =
            steps.map(|(component, event)| json!({ "component": component, "event": event }));
        json!({ "steps": steps.collect::<Vec<_>>(), "text": self.cycle_text(cycle) })
    }
}

impl EventClass {
    fn json(&self) -> Value {
        json!({ "pieces": self.pieces, "count": self.count, "whole": self.is_whole })
    }

    /// The events, or that there are none.
    #[must_use]
    pub fn or_nothing(&self) -> String {
        match self.count {
            0 => "nothing".to_owned(),
            _ => self.text(),
        }
    }
}

impl StructureNode {
    fn json(&self) -> Value {
        json!({
            "depth": self.depth,
            "parent": self.parent,
            "operator": (!self.is_leaf()).then_some(self.sign),
            "words": self.words,
            "set": (!self.set.is_empty()).then_some(&self.set),
            "components": [self.components.0, self.components.1],
            "form": self.form,
        })
    }
}

impl WaitView {
    fn json(&self) -> Value {
        json!({
            "from": self.from,
            "to": self.to,
            "events": self.events.json(),
            "never": self.never,
        })
    }
}

impl StandingView {
    fn json(&self) -> Value {
        let offer = |offer: &OfferView| {
            json!({
                "events": offer.events.json(),
                "fate": offer.fate.tag(),
                "missing": offer.missing,
                "several_ways": offer.several,
            })
        };
        json!({
            "label": self.label,
            "state": self.state,
            "standing": self.standing.tag(),
            "stable": self.is_stable,
            "offers": self.offers.iter().map(offer).collect::<Vec<_>>(),
            "refuses": self.refuses.json(),
        })
    }
}
