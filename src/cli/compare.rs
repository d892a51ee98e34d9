//! `orbitscope compare FILE [PROCESS] A B`: whether two states are of one orbit, by which permutation or
//! why not, and where the runs of the ordering part.

use std::fmt::Write;

use serde_json::{Value, json};
use unicode_width::UnicodeWidthStr;

use super::args::{CompareArgs, OutputFormat};
use super::asked::{self, AskedScript};
use super::explain::{padded, path_text};
use super::output::Output;
use super::{BUG, LATE, USAGE, complain};
use crate::animate::comparison::{
    CertificateView, PicksView, RefutationView, RefutedView, RelationView, StateComparison,
    WitnessView,
};
use crate::animate::model::TypePermutation;
use crate::animate::sentences;
use crate::report::numbers;
use crate::report::words::components_json;
use crate::source::visible;

/// Columns that the states of A may take before they push those of B aside.
const STATE_MAX: usize = 60;

/// Two states and the ways to them.
struct ComparedStates {
    process: String,
    paths: Vec<Vec<String>>,
    found: StateComparison,
}

/// Goes to both states and compares them. Returns the exit code.
pub fn run(args: &CompareArgs) -> u8 {
    let shown = match compare(args) {
        Ok(shown) => shown,
        Err(code) => return code,
    };
    let mut output = Output::default();
    match args.answer.format {
        OutputFormat::Text => output.write(&visible(&text(&shown))),
        OutputFormat::Json => output.json(&format!("{:#}\n", document(&shown))),
    }
    let found = &shown.found;
    let is_fault = found.parting.as_ref().is_some_and(|p| p.is_fault());
    output.code(match found.relation {
        _ if is_fault => BUG,
        RelationView::Same | RelationView::SameOrbit(_) => 0,
        RelationView::Bisimilar { .. } | RelationView::Different(_) => 1,
        RelationView::OtherFormat | RelationView::Undecided { .. } => LATE,
    })
}

/// Loads, goes to both states and asks.
fn compare(args: &CompareArgs) -> Result<ComparedStates, u8> {
    let (process, a, b) = match &args.states[..] {
        [a, b] => (None, a, b),
        [process, a, b] => (Some(process.clone()), a, b),
        _ => {
            complain("two states are compared: FILE [PROCESS] A B");
            return Err(USAGE);
        }
    };
    let mut asked = AskedScript::load(
        &args.file,
        asked::limits(args.answer.memory, args.answer.timeout),
    )?;
    let given = [
        asked.state(&args.file, a, args.answer.timeout)?,
        asked.state(&args.file, b, args.answer.timeout)?,
    ];
    let process = asked.process_of(process, &given)?;
    let (mut states, mut paths) = (Vec::new(), Vec::new());
    for state in &given {
        let (state, path) = asked.reach(&process, state)?;
        states.push(state);
        paths.push(path);
    }
    let found = asked.engine.compare(states[0], states[1]);
    let found = found.map_err(|failure| asked.refused(&[failure]))?;
    Ok(ComparedStates {
        process,
        paths,
        found,
    })
}

/// The document of the schema `orbitscope.compare/1`.
fn document(shown: &ComparedStates) -> Value {
    let found = &shown.found;
    let side = |at: usize| {
        let side = if at == 0 { &found.a } else { &found.b };
        json!({
            "path": shown.paths[at],
            "components": components_json(&side.components),
            "representative": components_json(&side.representative),
        })
    };
    let mut document = json!({
        "schema": "orbitscope.compare/1",
        "process": shown.process,
        "a": side(0),
        "b": side(1),
        "relation": found.relation.word(),
        "verdict": found.verdict(),
        "why": found.why().into_iter().map(|line| line.text).collect::<Vec<_>>(),
        "parting": found.parting.as_ref().map(|parting| json!({
            "kind": parting.word,
            "step": parting.step.map(|step| step + 1),
            "text": parting.text,
        })),
        "picks": picks(&found.picks),
    });
    match &found.relation {
        RelationView::SameOrbit(found) => document["witness"] = witness(found),
        RelationView::Bisimilar {
            witness: found,
            components,
        } => {
            document["witness"] = witness(found);
            document["bisimilar"] = json!(components);
        }
        RelationView::Different(found) => document["certificate"] = certificate(found),
        RelationView::Undecided { nodes } => document["nodes"] = json!(nodes),
        RelationView::Same | RelationView::OtherFormat => {}
    }
    document
}

fn permutation(parts: &[TypePermutation]) -> Value {
    let part = |p: &TypePermutation| {
        let map = p.map.iter().map(|(from, to)| json!([from, to]));
        json!({ "type": p.name, "cycles": p.cycles, "map": map.collect::<Vec<_>>() })
    };
    parts.iter().map(part).collect()
}

fn witness(found: &WitnessView) -> Value {
    json!({
        "permutation": permutation(&found.permutation),
        "arrows": found.arrows,
        "moved": found.moved,
        "moves": found.moves,
        "least": found.is_least,
        "ways": found.ways.as_ref().map(ToString::to_string),
    })
}

fn certificate(found: &CertificateView) -> Value {
    let mut value = match found {
        CertificateView::Keys { key, left, right } => {
            json!({ "key": key, "a": left, "b": right })
        }
        CertificateView::Profile(found) => json!({
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
        CertificateView::Tree { pick, refuted } => {
            let one = |found: &RefutedView| match &found.why {
                RefutationView::By(why) => {
                    json!({ "partner": found.partner, "by": certificate(why) })
                }
                RefutationView::Like(other, by) => json!({
                    "partner": found.partner,
                    "like": other,
                    "permutation": permutation(by),
                }),
            };
            json!({ "pick": pick, "refuted": refuted.iter().map(one).collect::<Vec<_>>() })
        }
        CertificateView::LeastImages {
            component,
            left,
            right,
        } => json!({ "component": component, "a": left, "b": right }),
        CertificateView::Image(image) => json!({ "permutation": permutation(image) }),
    };
    value["kind"] = json!(found.word());
    value
}

fn picks(found: &PicksView) -> Value {
    let outcomes = found.outcomes.iter().map(|(way, count)| {
        json!({
            "ways": count,
            "picks": way.picks,
            "representative": components_json(&way.representative),
        })
    });
    json!({ "complete": found.complete, "outcomes": outcomes.collect::<Vec<_>>() })
}

/// The comparison as text.
fn text(shown: &ComparedStates) -> String {
    let found = &shown.found;
    let mut text = format!("{}\n", shown.process);
    let _ = writeln!(text, "state A after {}", path_text(&shown.paths[0]));
    let _ = writeln!(text, "state B after {}\n", path_text(&shown.paths[1]));
    table(&mut text, found);
    let _ = writeln!(text, "\n{}", found.verdict());
    for line in found.why() {
        let _ = writeln!(text, "{}{}", "  ".repeat(line.depth + 1), line.text);
    }
    if let Some(parting) = &found.parting {
        let _ = writeln!(text, "\n{}", parting.text);
    }
    table_of_picks(&mut text, &found.picks);
    text
}

/// Each component of A, and its image in B; the one at its place where that is unknown.
fn table(text: &mut String, found: &StateComparison) {
    let (a, b) = (&found.a.components, &found.b.components);
    let labels = a.iter().chain(b).map(|c| c.label().width());
    let label = labels.max().unwrap_or(0);
    let state = a.iter().map(|c| c.text.width()).max();
    let state = state.unwrap_or(0).min(STATE_MAX);
    let arrows = match &found.relation {
        RelationView::SameOrbit(witness) | RelationView::Bisimilar { witness, .. } => {
            Some(&witness.arrows)
        }
        _ => None,
    };
    for at in 0..a.len().max(b.len()) {
        let to = arrows.map_or(at, |arrows| arrows[at]);
        let sign = if arrows.is_some() { "->" } else { "  " };
        let own = a.get(at).map_or_else(String::new, |c| {
            format!("{}  {}", padded(&c.label(), label), padded(&c.text, state))
        });
        let other = b.get(to);
        let other = other.map(|c| format!("{}  {}", padded(&c.label(), label), c.text));
        let line = format!(
            "  {}  {sign}  {}",
            padded(&own, label + 2 + state),
            other.unwrap_or_default()
        );
        let _ = writeln!(text, "{}", line.trim_end());
    }
}

/// Only where ways to pick differ.
fn table_of_picks(text: &mut String, found: &PicksView) {
    if found.outcomes.len() < 2 {
        return;
    }
    let all = found.outcomes.iter().map(|(_, count)| *count);
    let all = numbers::counted(all.sum::<usize>() as u64, "way");
    let more = if found.complete {
        ""
    } else {
        ", and there are more"
    };
    let _ = writeln!(text, "\n{all} to pick in state A{more}:");
    for (way, count) in &found.outcomes {
        let states: Vec<String> = way.representative.iter().map(sentences::compact).collect();
        let _ = writeln!(text, "  {count}  {}", states.join("  "));
        let _ = writeln!(text, "     as by {}", way.picks.join(", "));
    }
}
