//! Two states: their relation and the ground for it, where the runs of the ordering part, and what other picks lead to.

use num_bigint::BigUint;
use serde_json::{Value, json};

use super::{STATE_MAX, path_text};
use crate::comparison::{
    CertificateView, PicksView, RefutationView, RefutedView, RelationView, StateComparison,
    WitnessView,
};
use crate::report::document::{Document, DocumentTable, TableColumn, Tone};
use crate::report::numbers;
use crate::report::words::components_json;
use crate::sentences;
use crate::strategy::permutation_json;

/// Two states and the ways to them.
pub struct GivenStates {
    /// The process.
    pub process: String,
    /// The events on the way to each.
    pub paths: [Vec<String>; 2],
    /// Their comparison.
    pub found: StateComparison,
    /// Whether a strategy was asked for, so that its representatives are shown.
    pub shows_representatives: bool,
}

impl GivenStates {
    /// All that is known of the two. The facts are a document of the schema `orbitscope.compare/1`.
    #[must_use]
    pub fn document(&self) -> Document {
        let found = &self.found;
        let mut document = Document::default();
        let [a, b] = &self.paths;
        document
            .section("states")
            .say(Tone::Strong, self.process.as_str())
            .say(Tone::Plain, format!("state A after {}", path_text(a)))
            .say(Tone::Plain, format!("state B after {}", path_text(b)))
            .gap()
            .table(found.images(<[&str; 5]>::default()))
            .gap()
            .fact("schema", "orbitscope.compare/1")
            .fact("process", self.process.as_str());
        for (name, path, side) in [("a", a, &found.a), ("b", b, &found.b)] {
            let side = json!({
                "path": path,
                "components": components_json(&side.components),
                "representative": components_json(&side.representative),
            });
            document.fact(name, side);
        }
        document.fact("strategy", found.strategy.name());
        if let Some(data) = &found.data {
            document.fact(data.word(), data.json());
        }
        found.verdict_in(&mut document);
        if self.shows_representatives {
            let name = found.strategy.name().unwrap_or_default();
            let heading = format!("representatives by {name}, of state A and of state B");
            document
                .gap()
                .section("representatives")
                .say(Tone::Strong, heading)
                .table(found.representatives());
        }
        let parting = found.parting.as_ref();
        if let Some(parting) = parting {
            document
                .gap()
                .section("parting")
                .say(Tone::Plain, parting.text.as_str());
        }
        let parting = parting.map(|parting| {
            json!({
                "kind": parting.word,
                "step": parting.step.map(|step| step + 1),
                "text": parting.text,
            })
        });
        document.fact("parting", parting);
        if found.picks.outcomes.len() > 1 {
            document.gap().section("picks");
            found.picks.lines(&mut document);
        }
        document.fact("picks", found.picks.json());
        document
    }
}

impl StateComparison {
    /// Each component of A, and its image in B, below these heads; the one at its place where that is unknown.
    pub(super) fn images(&self, heads: [&'static str; 5]) -> DocumentTable {
        let (a, b) = (&self.a.components, &self.b.components);
        let arrows = self.arrows();
        let mut columns = heads.map(TableColumn::headed);
        columns[1].most = Some(STATE_MAX);
        let mut table = DocumentTable::new(columns.into());
        for at in 0..a.len().max(b.len()) {
            let to = arrows.map_or(at, |arrows| arrows[at]);
            let sign = if arrows.is_some() { "->" } else { "  " };
            let cells = |component: Option<&crate::model::ComponentView>| {
                component.map_or_else(Default::default, |c| [c.label(), c.text.clone()])
            };
            let ([own, state], [other, image]) = (cells(a.get(at)), cells(b.get(to)));
            // Where no permutation is known, components stand beside themselves.
            let tone = match arrows.is_none() && state != image {
                true => Tone::Changed,
                false => Tone::Plain,
            };
            table.row(tone, vec![own, state, sign.to_owned(), other, image]);
        }
        table
    }

    /// The representatives beside one another.
    fn representatives(&self) -> DocumentTable {
        let text = || TableColumn::texts(None);
        let state = TableColumn::texts(Some(STATE_MAX));
        let mut table = DocumentTable::new(vec![text(), state, text(), text(), text()]);
        let both = self.a.representative.iter().zip(&self.b.representative);
        for (a, b) in both {
            let (sign, tone) = match a == b {
                true => ("=", Tone::Plain),
                false => ("#", Tone::Changed),
            };
            let cells = [&a.label(), &*a.text, sign, &b.label(), &*b.text];
            table.row(tone, cells.map(str::to_owned).to_vec());
        }
        table
    }

    fn verdict_in(&self, document: &mut Document) {
        let why = self.why();
        document
            .section("verdict")
            .say(Tone::Strong, self.verdict());
        for line in &why {
            document.deeper(line.depth + 1, Tone::Plain, line.text.as_str());
        }
        let why: Value = why.into_iter().map(|line| line.text).collect();
        document
            .fact("relation", self.relation.word())
            .fact("verdict", self.verdict())
            .fact("group", self.group.as_deref())
            .fact(
                "other_group",
                self.other.as_ref().map(
                    |other| json!({ "group": other.group, "relation": other.relation.word() }),
                ),
            )
            .fact("why", why);
        match &self.relation {
            RelationView::SameOrbit(found) => {
                document.fact("witness", found.json());
            }
            RelationView::Bisimilar {
                witness,
                components,
            } => {
                document
                    .fact("witness", witness.json())
                    .fact("bisimilar", components.clone());
            }
            RelationView::Different(found) => {
                document.fact("certificate", found.json());
            }
            RelationView::Undecided { nodes } => {
                document.fact("nodes", *nodes);
            }
            RelationView::Same | RelationView::OtherFormat => {}
        }
    }
}

impl WitnessView {
    fn json(&self) -> Value {
        let mut witness = json!({
            "permutation": permutation_json(&self.permutation),
            "arrows": self.arrows,
            "moved": self.moved,
            "moves": self.moves,
            "least": self.is_least,
            "ways": self.ways.as_ref().map(ToString::to_string),
        });
        if let Some(element) = &self.element {
            witness["element"] = json!(element);
        }
        witness
    }
}

impl CertificateView {
    fn json(&self) -> Value {
        let mut value = match self {
            Self::Keys { key, left, right } => json!({ "key": key, "a": left, "b": right }),
            Self::Profile(found) => json!({
                "round": found.round,
                "a": found.class.0,
                "b": found.class.1,
                "others": { "a": found.rest.0, "b": found.rest.1 },
                "place": {
                    "of": found.side,
                    "component": found.component,
                    "state": found.state,
                    "variable": found.variable,
                },
                "times": found.times,
                "times_others": found.others,
            }),
            Self::Tree { pick, refuted } => {
                let refuted: Value = refuted.iter().map(RefutedView::json).collect();
                json!({ "pick": pick, "refuted": refuted })
            }
            Self::LeastImages {
                component,
                left,
                right,
                images: (a, b),
            } => {
                let number = |n: &Option<BigUint>| n.as_ref().map(ToString::to_string);
                let images = json!({ "a": number(a), "b": number(b) });
                json!({ "component": component, "a": left, "b": right, "images": images })
            }
            Self::Structural(reason) => return reason.json(),
            Self::Image(image) => json!({ "permutation": permutation_json(image) }),
        };
        value["kind"] = json!(self.word());
        value
    }
}

impl RefutedView {
    fn json(&self) -> Value {
        match &self.why {
            RefutationView::By(why) => json!({ "partner": self.partner, "by": why.json() }),
            RefutationView::Like(other, by) => json!({
                "partner": self.partner,
                "like": other,
                "permutation": permutation_json(by),
            }),
        }
    }
}

impl PicksView {
    fn lines(&self, document: &mut Document) {
        let all = self.outcomes.iter().map(|(_, count)| *count);
        let all = numbers::counted(all.sum::<usize>() as u64, "way");
        let more = match self.complete {
            true => "",
            false => ", and there are more",
        };
        document.say(Tone::Strong, format!("{all} to pick in state A{more}:"));
        for (way, count) in &self.outcomes {
            let states: Vec<String> = way.representative.iter().map(sentences::compact).collect();
            document
                .deeper(1, Tone::Plain, format!("{count}  {}", states.join("  ")))
                .deeper(2, Tone::Dim, format!(" as by {}", way.picks.join(", ")));
        }
    }

    fn json(&self) -> Value {
        let outcomes = self.outcomes.iter().map(|(way, count)| {
            json!({
                "ways": count,
                "picks": way.picks,
                "representative": components_json(&way.representative),
            })
        });
        json!({ "complete": self.complete, "outcomes": outcomes.collect::<Vec<_>>() })
    }
}
