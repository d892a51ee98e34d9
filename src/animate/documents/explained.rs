//! A state with everything that is claimed about its symmetry, so that each claim can be held to another computation
//! from outside.

use serde_json::{Value, json};

use super::counts::EdgeTables;
use super::{STATE_MAX, path_text};
use crate::checkable::CheckableStates;
use crate::counted::{CountedFamily, counted};
use crate::model::{
    EventKind, RepView, StateId, StateView, StepView, StrategyRecord, TransitionView,
    UniquenessView, WayView,
};
use crate::report::document::{Document, DocumentTable, TableColumn, Tone};
use crate::report::numbers;
use crate::report::parted::PartedText;
use crate::report::words::{ComponentView, components_json};
use crate::sentences::Heading;
use crate::source::hash::IndexSet;
use crate::strategy::permutation_json;
use crate::{groups, sentences, summary};

/// A state, the way to it, and the claims on it.
pub struct ExplainedState {
    /// The process.
    pub process: String,
    /// The events on the way there, hidden ones included.
    pub path: Vec<String>,
    /// The state.
    pub view: StateView,
    /// How the representative was chosen; absent where nothing is permuted, or components are.
    pub record: Option<StrategyRecord>,
    /// What a checker of the claims needs.
    pub data: Option<CheckableStates>,
}

impl ExplainedState {
    /// The whole explanation, or that of one `step` alone, counted from 1. The facts are a document of the schema
    /// `orbitscope.explain/1`.
    #[must_use]
    pub fn document(&self, step: Option<usize>) -> Document {
        let view = &self.view;
        let mut document = Document::default();
        let heading = format!("{} after {}", self.process, path_text(&self.path));
        document
            .section("state")
            .say(Tone::Strong, heading)
            .table(self.images())
            .fact("schema", "orbitscope.explain/1")
            .fact("process", self.process.as_str())
            .fact("path", self.path.clone())
            .fact("components", components_json(&view.components))
            .fact("deadlocked", view.deadlocked)
            .fact("terminated", view.terminated)
            .fact("no_representative", view.no_representative.as_str());
        if let Some(data) = &self.data {
            document.fact(data.word(), data.json());
        }
        let families = counted(view);
        if step.is_none() {
            document
                .gap()
                .section("counters")
                .say(Tone::Strong, "counters");
            for family in &families {
                document.deeper(1, Tone::Plain, family.line());
            }
        }
        document.fact("counters", families.iter().map(counter).collect::<Value>());
        document.gap().section("representative");
        match &view.representative {
            Some(rep) => representative(rep, &mut document),
            None => {
                let why = format!("no representative: {}", view.no_representative);
                document
                    .say(Tone::Dim, why)
                    .fact("representative", Value::Null);
            }
        }
        self.steps(step, &mut document);
        if let Some(rep) = view.representative.as_ref().filter(|r| r.is_of_structure()) {
            document
                .gap()
                .append(&summary::of_structure(rep), &["summary"]);
        }
        self.transitions(step.is_none(), &mut document);
        document
    }

    /// Each component and its image in the representative.
    fn images(&self) -> DocumentTable {
        let state = TableColumn::texts(Some(STATE_MAX));
        let text = TableColumn::texts(None);
        let view = &self.view;
        let mut table = match &view.representative {
            Some(_) => {
                DocumentTable::new(vec![text.clone(), state, text.clone(), text.clone(), text])
            }
            None => DocumentTable::new(vec![text.clone(), text]),
        };
        for (at, component) in view.components.iter().enumerate() {
            let mut cells = vec![component.label(), component.text.clone()];
            if let Some(rep) = &view.representative {
                // `source` says of each component of the representative where it came from. Here it is asked the other
                // way round.
                let to = rep.source.iter().position(|from| *from == at);
                let image = to.and_then(|to| rep.components.get(to));
                cells.extend(match image {
                    Some(image) => ["->".to_owned(), image.label(), image.text.clone()],
                    None => <[String; 3]>::default(),
                });
            }
            table.row(Tone::Plain, cells);
        }
        table
    }

    fn steps(&self, only: Option<usize>, document: &mut Document) {
        let mut facts = Vec::new();
        let is_shown = |at: usize| only.is_none_or(|step| step == at + 1);
        match &self.record {
            None => {}
            Some(StrategyRecord::Ordering(explanation)) => {
                document.gap().section("steps");
                for (at, heading) in sentences::headings(explanation).into_iter().enumerate() {
                    let said = sentences::sentences(explanation, at);
                    let counts = EdgeTables::of(explanation, at);
                    if is_shown(at) {
                        let sign = if heading.choice { "!" } else { "." };
                        step_lines((at, sign), &heading, &said, document);
                        if let Some(counts) = &counts {
                            counts.write(only.is_some(), document);
                        }
                    }
                    let mut fact = step_fact(&heading, &said);
                    if let Some(counts) = &counts {
                        fact["counts"] = counts.json();
                    }
                    facts.push(fact);
                }
            }
            Some(StrategyRecord::Other(view)) => {
                document.gap().section("steps");
                for (at, step) in view.steps.iter().enumerate() {
                    let heading = Heading::of(step);
                    if is_shown(at) {
                        step_lines((at, step.mark.sign()), &heading, &step.sentences, document);
                        document.table(step_state(step));
                    }
                    let mut fact = step_fact(&heading, &step.sentences);
                    let state = step.state.iter();
                    let state = state.map(|(head, text)| json!({ "head": head, "text": text }));
                    fact["state"] = state.collect();
                    facts.push(fact);
                }
                if only.is_none() {
                    document.gap();
                    for remark in view.remarks() {
                        document.say(Tone::Dim, remark);
                    }
                }
            }
        }
        document.fact("steps", facts);
    }

    fn transitions(&self, shows: bool, document: &mut Document) {
        let view = &self.view;
        let orbits = orbits(view);
        let facts = view.transitions.iter().zip(&orbits);
        let facts: Value = facts.map(|(t, orbit)| transition(t, *orbit)).collect();
        document.fact("transitions", facts);
        if !shows {
            return;
        }
        let all = numbers::counted(view.transitions.len() as u64, "transition");
        let is_reduced = view.representative.is_some();
        document.gap().section("transitions");
        if is_reduced {
            let targets = numbers::counted(groups::orbit_count(view) as u64, "orbit");
            document.say(Tone::Strong, format!("{all}, to {targets}"));
        } else {
            document.say(Tone::Strong, all);
        }
        for group in groups::group(view, is_reduced, "") {
            let times = match group.members.len() {
                1 => String::new(),
                n => format!("  x{n}"),
            };
            let kind = match group.kind {
                EventKind::Tau => "tau ",
                _ => "",
            };
            let text = format!("{kind}{}{times}   {}", group.label, group.with);
            document.deeper(1, Tone::Plain, text);
        }
    }
}

/// A step as lines of the text.
fn step_lines(
    (at, sign): (usize, &str),
    heading: &Heading,
    said: &[String],
    document: &mut Document,
) {
    let (title, detail) = (&heading.title, &heading.detail);
    let tone = match sign {
        "!" => Tone::Open,
        _ => Tone::Plain,
    };
    document.say(tone, format!("{:>3}{sign} {title}: {detail}", at + 1));
    for sentence in said {
        document.deeper(3, Tone::Plain, format!(" {sentence}"));
    }
}

fn step_fact(heading: &Heading, said: &[String]) -> Value {
    json!({
        "title": heading.title,
        "detail": heading.detail,
        "choice": heading.choice,
        "sentences": said,
    })
}

/// The values after a step, in lines of their own.
fn step_state(step: &StepView) -> DocumentTable {
    let mut table = DocumentTable::new(vec![TableColumn::default(); 3]);
    for (head, text) in &step.state {
        table.row(
            Tone::Plain,
            vec!["   ".to_owned(), head.clone(), text.clone()],
        );
    }
    table
}

/// Targets by orbit, numbered in the order of the transitions; one number for all targets of an orbit.
fn orbits(view: &StateView) -> Vec<usize> {
    let mut known: IndexSet<StateId> = IndexSet::default();
    let number = |t: &TransitionView| known.insert_full(t.orbit).0;
    view.transitions.iter().map(number).collect()
}

fn counter(family: &CountedFamily) -> Value {
    let states = family.states.iter();
    let states = states.map(|(state, count)| json!({ "state": state, "count": count }));
    json!({ "family": family.family, "states": states.collect::<Vec<_>>() })
}

fn transition(t: &TransitionView, orbit: usize) -> Value {
    let movers = t.movers.iter();
    let mover = |(component, before, after): &(usize, PartedText, PartedText)| json!({ "component": component, "before": before, "after": after });
    json!({
        "event": t.event,
        "kind": t.kind,
        "orbit": orbit,
        "movers": movers.map(mover).collect::<Vec<_>>(),
    })
}

/// The claims on the representative and its orbit, with numbers as texts in the facts: they have any length.
fn representative(rep: &RepView, document: &mut Document) {
    let size = sentences::orbit_text(rep).unwrap_or_else(|| "unknown".to_owned());
    let unique = &rep.uniqueness;
    let ground = match unique {
        UniquenessView::Unknown(why) => format!(": {why}"),
        _ => String::new(),
    };
    let tone = if unique.is_certain() {
        Tone::Good
    } else {
        Tone::Open
    };
    document
        .labelled(
            Tone::Plain,
            "permutation",
            sentences::cycles(&rep.permutation).join("  "),
        )
        .labelled(Tone::Plain, "strategy", rep.strategy.as_str())
        .labelled(Tone::Plain, "orbit", size)
        .labelled(tone, "uniqueness", format!("{}{ground}", unique.claim()))
        .fact("representative", components_json(&rep.components))
        .fact("source", rep.source.clone())
        .fact("permutation", permutation_json(&rep.permutation))
        .fact("strategy", rep.strategy.as_str())
        .fact("orbit_size", rep.orbit.as_ref().map(ToString::to_string))
        .fact("group_order", rep.group_order.to_string())
        .fact("unique", unique.word())
        .fact("why", unique.why());
    disagreement(unique, document);
}

/// Two states of one orbit with different representatives, and the ways to pick that lead to them.
fn disagreement(unique: &UniquenessView, document: &mut Document) {
    let mut line = |head: &str, components: &[ComponentView]| {
        let states: Vec<String> = components.iter().map(sentences::compact).collect();
        document.deeper(2, Tone::Open, format!("{head}: {}", states.join("  ")));
    };
    let other = match unique {
        UniquenessView::PicksDisagree(found) => {
            for way in [&found.here, &found.there] {
                line(&way.picks.join(", "), &way.representative);
            }
            line("so the state", &found.other.witness);
            &found.other
        }
        UniquenessView::StatesDisagree(other) => {
            line("the state", &other.witness);
            &**other
        }
        UniquenessView::Proved(_)
        | UniquenessView::AllPicksAgree(_)
        | UniquenessView::Unknown(_) => return,
    };
    line("gets", &other.representative);
    if let UniquenessView::PicksDisagree(found) = unique {
        let way = |way: &WayView| json!({ "picks": way.picks, "representative": components_json(&way.representative) });
        document.fact("picks", vec![way(&found.here), way(&found.there)]);
    }
    document.fact(
        "witness",
        json!({
            "components": components_json(&other.witness),
            "representative": components_json(&other.representative),
        }),
    );
}
