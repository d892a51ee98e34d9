//! Where components are in the text, and which part of it a step takes: on real scripts, held to what the
//! names of states and events say.

use std::path::Path;

use crate::support::{repository, script};
use orbitscope::animate::engine::ScriptEngine;
use orbitscope::animate::model::{Listing, ScriptPlace, StateView, TransitionView};
use orbitscope::source::Span;

/// All places at which something may be.
fn all(places: &[ScriptPlace]) -> impl Iterator<Item = Span> + '_ {
    let each = places.iter();
    each.flat_map(|p| std::iter::once(p.span).chain(p.also.iter().copied()))
}

fn text(listing: &Listing, span: Span) -> &str {
    let file = listing.file(span.file).expect("a file of the script");
    &file.text.text()[span.start as usize..span.end as usize]
}

/// `Thread` of `Thread.push#2`; nothing for what is no state of a single definition.
fn definition(name: &str) -> Option<&str> {
    let is_plain = |c: char| c.is_alphanumeric() || "_'.#…$:".contains(c);
    let plain = name.chars().all(is_plain);
    let builtin = ["STOP", "SKIP", "Ω", "DIV", "CHAOS", "RUN"].contains(&name);
    let first = name.split(['.', '#']).next();
    first.filter(|_| plain && !builtin)
}

/// How often something could be held to a name.
#[derive(Default)]
struct Held {
    states: usize,
    steps: usize,
}

fn look(
    engine: &mut ScriptEngine,
    view: &StateView,
    step: Option<&TransitionView>,
    renames: bool,
    held: &mut Held,
) {
    let listing = engine.info().listing.clone();
    let found = engine.places(view.id, step).expect("places");
    assert_eq!(found.components.len(), view.components.len());
    for (component, places) in view.components.iter().zip(&found.components) {
        let Some(name) = definition(&component.name) else {
            continue;
        };
        let around = all(places).filter_map(|span| listing.definition_of(span));
        let names: Vec<&str> = around.map(|e| e.name.as_str()).collect();
        // The instances of a module stand in one text.
        let last = |name: &str| name.rsplit("::").next().map(str::to_owned);
        let fits = names.iter().any(|n| last(n) == last(name));
        assert!(fits, "{}: {names:?}", component.text);
        held.states += 1;
    }
    let Some(step) = step else {
        return;
    };
    let movers: Vec<usize> = step.movers.iter().map(|(at, ..)| *at).collect();
    let told: Vec<usize> = found.branches.iter().map(|(at, _)| *at).collect();
    assert_eq!(told, movers);
    let channel = step.event.split('.').next().unwrap_or_default();
    for (at, places) in &found.branches {
        let before = &view.components[*at];
        if definition(&before.name).is_none() {
            continue;
        }
        assert!(!places.is_empty(), "{}: {}", before.text, step.event);
        // What is taken belongs to the state that was left: it stands in it, or in what it calls.
        let here: Vec<Span> = all(&found.components[*at]).collect();
        let within = |s: &Span| here.iter().any(|h| h.start <= s.start && s.end <= h.end);
        let calls = |s: &Span| listing.definition_of(*s).is_some();
        assert!(
            all(places).all(|s| within(&s) || calls(&s)),
            "{}",
            before.text
        );
        if !renames && !channel.is_empty() && channel != "✓" {
            let told: Vec<&str> = all(places).map(|span| text(&listing, span)).collect();
            let fits = told.iter().any(|t| t.starts_with(channel));
            assert!(fits, "{} of {}: {told:?}", step.event, before.text);
            held.steps += 1;
        }
    }
}

/// Walks at random, and looks at every state on the way.
fn walk(path: &Path, process: &str, steps: usize, renames: bool) -> Held {
    let mut engine = ScriptEngine::load(path.to_path_buf()).expect("it loads");
    let mut held = Held::default();
    let mut seed: u64 = 7;
    let mut state = engine.open(process).expect("it opens");
    let initial = state;
    for _ in 0..steps {
        let view = engine.view(state).expect("a state");
        look(&mut engine, &view, None, renames, &mut held);
        if view.transitions.is_empty() {
            state = initial;
            continue;
        }
        for _ in 0..4 {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let n = (seed >> 33) as usize % view.transitions.len();
            let step = &view.transitions[n];
            look(&mut engine, &view, Some(step), renames, &mut held);
            state = step.target;
        }
    }
    held
}

#[test]
fn the_places_of_all_shipped_models_are_those_of_their_states() {
    let mut held = Held::default();
    for entry in std::fs::read_dir(repository("models")).expect("models") {
        let path = entry.expect("a file").path();
        if path.extension().is_none_or(|e| e != "csp") {
            continue;
        }
        let source = std::fs::read_to_string(&path).expect("a text");
        // What is renamed or made of time has other names outside than in the text.
        let renames = source.contains("[[") || source.contains("Timed");
        let engine = ScriptEngine::load(path.clone()).expect("it loads");
        for process in engine.info().processes.iter().take(2) {
            let found = walk(&path, process, 40, renames);
            held.states += found.states;
            held.steps += found.steps;
        }
    }
    assert!(
        held.states > 1_000 && held.steps > 500,
        "{} {}",
        held.states,
        held.steps
    );
}

/// The text of what each mover takes, and of what else it may be.
fn taken(name: &str, source: &str, process: &str, event: &str) -> Vec<String> {
    let path = script(name, source);
    let mut engine = ScriptEngine::load(path).expect("it loads");
    let state = engine.open(process).expect("it opens");
    let view = engine.view(state).expect("a state");
    let mut steps = view.transitions.iter();
    let step = steps.find(|t| t.event == event).expect("the event");
    let listing = engine.info().listing.clone();
    let found = engine.places(state, Some(step)).expect("places");
    let each = found.branches.iter().flat_map(|(_, places)| places);
    let each = each.map(|p| {
        let also: Vec<String> = p.also.iter().map(|s| s.start.to_string()).collect();
        format!(
            "{}@{} {}",
            text(&listing, p.span),
            p.span.start,
            also.join(",")
        )
    });
    each.map(|text| text.trim_end().to_owned()).collect()
}

#[test]
fn the_branch_that_a_step_takes_is_found_through_operators() {
    let source = "channel a, b, c : {0..1}\nQ = STOP\n\
                  P = a!0 -> Q [] b?x:{1} -> Q [] (c.1 -> Q |~| c.0 -> Q)\n\
                  R = (P \\ {|a|}) [[b <- c]]\n\
                  S = (a.0 -> SKIP) ; b.0 -> Q\n\
                  T = let U(n) = if n == 0 then a.1 -> Q else b.1 -> U(0) within U(1)\n\
                  V = a$x:{0,1} -> Q\n\
                  W = (a.0 -> a.1 -> Q) [] (a.0 -> b.1 -> Q)\n";
    let at = |text: &str, from: &str| {
        let base = source.find(from).expect("a definition");
        format!(
            "{text}@{}",
            base + source[base..].find(text).expect("a part")
        )
    };
    let of = |process: &str, event: &str| taken("branches.csp", source, process, event);
    assert_eq!(of("P", "a.0"), [at("a!0", "P =")]);
    assert_eq!(of("P", "b.1"), [at("b?x:{1}", "P =")]);
    // The internal choice is the branch, and not an event of it.
    let chosen = [at("c.0 -> Q", "P ="), at("c.1 -> Q", "P =")];
    assert!(chosen.contains(&of("P", "")[0]));
    assert_eq!(of("R", "c.1"), [at("b?x:{1}", "P =")]);
    assert_eq!(of("S", "a.0"), [at("a.0", "S =")]);
    assert_eq!(of("T", "b.1"), [at("b.1", "T =")]);
    assert_eq!(of("V", ""), [at("a$x:{0,1}", "V =")]);
    // The rest tells them apart: only one of the two leads to where the step leads.
    assert_eq!(of("W", "a.0").len(), 1);
}

#[test]
fn equal_expressions_are_told_with_all_their_places() {
    let source = "channel a, b\nP = b -> a -> STOP\nQ = b -> b -> a -> STOP\nR = a -> STOP\n";
    let found = taken("equal.csp", source, "R", "a");
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(
        found[0].starts_with("a@") && found[0].matches(',').count() == 1,
        "{found:?}"
    );
}
