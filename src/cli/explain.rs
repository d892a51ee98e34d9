//! `orbitscope explain FILE [PROCESS]`: one state, and everything that is claimed about its symmetry,
//! so that each claim can be held to another computation from outside.

use std::fmt::Write;

use serde_json::{Value, json};
use unicode_width::UnicodeWidthStr;

use super::args::{ExplainArgs, OutputFormat};
use super::asked::{self, AskedScript, GivenState};
use super::output::Output;
use super::{USAGE, complain};
use crate::animate::counted::{CountedFamily, counted};
use crate::animate::engine::split_trace;
use crate::animate::groups;
use crate::animate::model::{
    ComponentView, EventKind, Explanation, RepView, StateId, StateView, TransitionView,
    TypeOrdering, UniquenessView, WayView,
};
use crate::animate::{sentences, summary};
use crate::report::numbers;
use crate::report::parted::PartedText;
use crate::report::words::components_json;
use crate::source::hash::IndexSet;
use crate::source::visible;

/// Columns that the local states of the raw state may take before they push the others aside.
const STATE_MAX: usize = 60;

/// A state, the way to it, and the claims on it.
struct Shown {
    process: String,
    /// The events on the way there, hidden ones included.
    path: Vec<String>,
    view: StateView,
    /// The explanation of the representative; absent where nothing is permuted.
    explanation: Option<Explanation>,
}

/// Goes to the state and explains it. Returns the exit code.
pub fn run(args: &ExplainArgs) -> u8 {
    let shown = match explain(args) {
        Ok(shown) => shown,
        Err(code) => return code,
    };
    let mut output = Output::default();
    match args.answer.format {
        OutputFormat::Text => output.write(&visible(&text(&shown, args.step))),
        OutputFormat::Json => output.json(&format!("{:#}\n", document(&shown))),
    }
    output.code(0)
}

/// Loads, opens, walks and asks.
fn explain(args: &ExplainArgs) -> Result<Shown, u8> {
    let mut asked = AskedScript::load(
        &args.file,
        asked::limits(args.answer.memory, args.answer.timeout),
    )?;
    let (process, state) = asked_for(args);
    let given = match (state, &args.trace) {
        (Some(text), _) => asked.state(&args.file, &text, args.answer.timeout)?,
        (None, Some(trace)) => GivenState::After(split_trace(trace)),
        (None, None) => GivenState::Walk(args.seed, args.random.unwrap_or(0)),
    };
    let process = asked.process_of(process, std::slice::from_ref(&given))?;
    let (state, path) = asked.reach(&process, &given)?;
    let view = asked.engine.view(state);
    let view = view.map_err(|failure| asked.refused(&[failure]))?;
    // Where nothing is permuted, there is nothing to explain; and where components are permuted and no values, no
    // component is ordered.
    let reduced = view
        .representative
        .as_ref()
        .filter(|rep| !rep.is_of_structure());
    let explanation = reduced.map(|_| asked.engine.explain(state, TypeOrdering::Appearance));
    let explanation = explanation.transpose().map_err(|f| asked.refused(&[f]))?;
    if let Some(step) = args.step {
        let steps = explanation.as_ref().map_or(0, |e| e.trace.steps.len());
        if step == 0 || step > steps {
            complain(&format!(
                "there is no step {step}: the computation has {steps}"
            ));
            return Err(USAGE);
        }
    }
    Ok(Shown {
        process,
        path,
        view,
        explanation,
    })
}

/// The process and the state that are named; either may be left out.
fn asked_for(args: &ExplainArgs) -> (Option<String>, Option<String>) {
    match (&args.process, &args.state) {
        (Some(only), None) if asked::is_state(only) => (None, Some(only.clone())),
        (process, state) => (process.clone(), state.clone()),
    }
}

/// Targets by orbit, numbered in the order of the transitions; one number for all targets of an orbit.
fn orbits(view: &StateView) -> Vec<usize> {
    let mut known: IndexSet<StateId> = IndexSet::default();
    let number = |t: &TransitionView| known.insert_full(t.orbit).0;
    view.transitions.iter().map(number).collect()
}

/// The document of the schema `orbitscope.explain/1`.
fn document(shown: &Shown) -> Value {
    let view = &shown.view;
    let steps = shown.explanation.iter().flat_map(|e| {
        let headings = sentences::headings(e).into_iter().enumerate();
        headings.map(|(at, heading)| {
            json!({
                "title": heading.title,
                "detail": heading.detail,
                "choice": heading.choice,
                "sentences": sentences::sentences(e, at),
            })
        })
    });
    let transitions = view.transitions.iter().zip(orbits(view));
    let mut document = json!({
        "schema": "orbitscope.explain/1",
        "process": shown.process,
        "path": shown.path,
        "components": components_json(&view.components),
        "counters": counters(view),
        "deadlocked": view.deadlocked,
        "terminated": view.terminated,
        "transitions": transitions.map(|(t, orbit)| transition(t, orbit)).collect::<Vec<_>>(),
        "representative": Value::Null,
        "no_representative": view.no_representative,
        "steps": steps.collect::<Vec<_>>(),
    });
    if let Some(rep) = &view.representative {
        claims(&mut document, rep);
    }
    document
}

/// The counters of a state, without the permutation of components.
fn counters(view: &StateView) -> Value {
    let family = |f: CountedFamily| {
        let states = f.states.iter();
        let states = states.map(|(state, count)| json!({ "state": state, "count": count }));
        json!({ "family": f.family, "states": states.collect::<Vec<_>>() })
    };
    counted(view).into_iter().map(family).collect()
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

/// Adds the claims on the orbit, with numbers as texts: they have any length.
fn claims(document: &mut Value, rep: &RepView) {
    let permutation = rep.permutation.iter().map(|p| {
        let map = p.map.iter().map(|(from, to)| json!([from, to]));
        json!({ "type": p.name, "cycles": p.cycles, "map": map.collect::<Vec<_>>() })
    });
    document["representative"] = components_json(&rep.components);
    document["source"] = json!(rep.source);
    document["permutation"] = permutation.collect();
    document["strategy"] = json!(rep.strategy);
    document["orbit_size"] = json!(rep.orbit.as_ref().map(ToString::to_string));
    document["group_order"] = json!(rep.group_order.to_string());
    document["unique"] = json!(rep.uniqueness.word());
    document["why"] = json!(rep.uniqueness.why());
    if let UniquenessView::PicksDisagree(found) = &rep.uniqueness {
        let way = |way: &WayView| json!({ "picks": way.picks, "representative": components_json(&way.representative) });
        document["picks"] = json!([way(&found.here), way(&found.there)]);
        document["witness"] = json!({
            "components": components_json(&found.witness),
            "representative": components_json(&found.representative),
        });
    }
}

/// The explanation as text.
fn text(shown: &Shown, only: Option<usize>) -> String {
    let view = &shown.view;
    let mut text = format!("{} after {}\n", shown.process, path_text(&shown.path));
    table(&mut text, view);
    if only.is_none() {
        text.push_str("\ncounters\n");
        for family in counted(view) {
            let _ = writeln!(text, "  {}", family.line());
        }
    }
    if let Some(rep) = &view.representative {
        let permutation = sentences::permutation_parts(rep).join("  ");
        let _ = writeln!(text, "\npermutation  {permutation}");
        let _ = writeln!(text, "strategy     {}", rep.strategy);
        let size = sentences::orbit_text(rep);
        let _ = writeln!(
            text,
            "orbit        {}",
            size.as_deref().unwrap_or("unknown")
        );
        uniqueness(&mut text, &rep.uniqueness);
    } else {
        let _ = writeln!(text, "\nno representative: {}", view.no_representative);
    }
    if let Some(explanation) = &shown.explanation {
        steps(&mut text, explanation, only);
    }
    if let Some(rep) = view
        .representative
        .as_ref()
        .filter(|rep| rep.is_of_structure())
    {
        text.push('\n');
        for (head, line) in summary::of_structure(rep) {
            let _ = writeln!(text, "  {head:<7} {line}");
        }
    }
    // A request for one step of the computation gets only that.
    if only.is_none() {
        transitions(&mut text, view);
    }
    text
}

pub(super) fn path_text(path: &[String]) -> String {
    match path {
        [] => "no event".to_owned(),
        path => format!("<{}>", path.join(", ")),
    }
}

/// The table of components with their images.
fn table(text: &mut String, view: &StateView) {
    let label = view.components.iter().map(|c| c.label().width()).max();
    let state = view.components.iter().map(|c| c.text.width()).max();
    let (label, state) = (label.unwrap_or(0), state.unwrap_or(0).min(STATE_MAX));
    for (at, component) in view.components.iter().enumerate() {
        let becomes = view.representative.as_ref().and_then(|rep| {
            // `source` says of each component of the representative where it came from. Here it is
            // asked the other way round.
            let to = rep.source.iter().position(|from| *from == at)?;
            rep.components.get(to)
        });
        let becomes = becomes.map(|c| format!("  ->  {}  {}", c.label(), c.text));
        let own = padded(&component.label(), label);
        let state = match &becomes {
            Some(_) => padded(&component.text, state),
            None => component.text.clone(),
        };
        let _ = writeln!(text, "  {own}  {state}{}", becomes.unwrap_or_default());
    }
}

pub(super) fn padded(text: &str, columns: usize) -> String {
    format!("{text}{}", " ".repeat(columns.saturating_sub(text.width())))
}

fn steps(text: &mut String, explanation: &Explanation, only: Option<usize>) {
    text.push('\n');
    for (at, heading) in sentences::headings(explanation).into_iter().enumerate() {
        if only.is_some_and(|n| n != at + 1) {
            continue;
        }
        let sign = if heading.choice { "!" } else { "." };
        let _ = writeln!(
            text,
            "{:>3}{sign} {}: {}",
            at + 1,
            heading.title,
            heading.detail
        );
        for sentence in sentences::sentences(explanation, at) {
            let _ = writeln!(text, "       {sentence}");
        }
    }
}

fn transitions(text: &mut String, view: &StateView) {
    let all = numbers::counted(view.transitions.len() as u64, "transition");
    let targets = groups::orbit_count(view);
    let _ = match &view.representative {
        Some(_) => writeln!(
            text,
            "\n{all}, to {}",
            numbers::counted(targets as u64, "orbit")
        ),
        None => writeln!(text, "\n{all}"),
    };
    for group in groups::group(view, view.representative.is_some(), "") {
        let times = match group.members.len() {
            1 => String::new(),
            n => format!("  x{n}"),
        };
        let kind = if group.kind == EventKind::Tau {
            "tau "
        } else {
            ""
        };
        let _ = writeln!(text, "  {kind}{}{times}   {}", group.label, group.with);
    }
}

/// The uniqueness of the representative, with the ground.
fn uniqueness(text: &mut String, known: &UniquenessView) {
    let ground = match known {
        UniquenessView::Unknown(why) => format!(": {why}"),
        _ => String::new(),
    };
    let _ = writeln!(text, "uniqueness   {}{ground}", known.badge());
    let UniquenessView::PicksDisagree(found) = known else {
        return;
    };
    let mut line = |head: &str, components: &[ComponentView]| {
        let states: Vec<String> = components.iter().map(sentences::compact).collect();
        let _ = writeln!(text, "    {head}: {}", states.join("  "));
    };
    for way in [&found.here, &found.there] {
        line(&way.picks.join(", "), &way.representative);
    }
    line("so the state", &found.witness);
    line("gets", &found.representative);
}
