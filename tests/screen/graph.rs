//! The graph with the real engine: what it draws is held to the unreduced machine, and to orbits by going through
//! all permutations; and walking on it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::Instant;

use orbitscope::animate::engine::ScriptEngine;
use orbitscope::animate::model::{
    Neighbourhood, NeighbourhoodRequest, PictureForm, PictureRequest,
};
use orbitscope::source::{Cancel, Limits};
use orbitscope::tui::app::{Msg, View};
use orbitscope::tui::drawing::picture;

use super::net::{Bounds, State};
use super::oracle::Oracle;
use super::session::Screen;
use super::support::{repository, say, script};
use crate::support::tiers;

fn asked(
    engine: &mut ScriptEngine,
    process: &str,
    radius: usize,
    full: bool,
) -> NeighbourhoodRequest {
    NeighbourhoodRequest {
        state: engine.open(process).expect("it can be opened"),
        before: Vec::new(),
        radius,
        full,
        path: Vec::new(),
    }
}

fn around(path: &Path, process: &str, radius: usize, full: bool) -> Neighbourhood {
    let mut engine = ScriptEngine::load(path.to_path_buf()).expect("a script");
    let asked = asked(&mut engine, process, radius, full);
    engine.neighbourhood(&asked).expect("surroundings")
}

/// A process of a script, by its name.
fn first(path: &Path) -> String {
    let engine = ScriptEngine::load(path.to_path_buf()).expect("a script");
    engine.info().processes[0].clone()
}

/// Holds a picture around the initial state to the raw machine; gives how many boxes it has.
fn hold(path: &Path, process: &str, radius: usize, full: bool) -> usize {
    let found = around(path, process, radius, full);
    let mut oracle = Oracle::open(path, process, Bounds::default()).expect("it can be opened");
    // Which types the screen permutes is told by a view.
    let mut engine = ScriptEngine::load(path.to_path_buf()).expect("a script");
    let state = engine.open(process).expect("it can be opened");
    let view = engine.view(state).expect("a state");
    let initial = oracle.raw.initial();
    oracle
        .compare(&initial, &view)
        .expect("what the raw machine says");
    // The raw state of each box, by going along the transition that it says to be reached by.
    let mut raw: Vec<State> = Vec::new();
    let mut orbits: BTreeMap<Vec<String>, usize> = BTreeMap::new();
    for (at, place) in found.boxes.iter().enumerate() {
        let texts: Vec<String> = place.components.iter().map(|c| c.text.clone()).collect();
        let state = match &place.way {
            None => oracle.raw.initial(),
            Some((from, step)) => {
                let steps = oracle.raw.steps(&raw[*from]).expect("it can be evaluated");
                let mut same = steps.into_iter().filter(|((kind, event, after), _)| {
                    (*kind, after) == (step.kind, &texts) && step.event == *event
                });
                same.next().expect("the raw machine does it, too").1
            }
        };
        assert_eq!(oracle.raw.texts(&state), texts);
        oracle.pass(&state);
        raw.push(state);
        let orbit = match full {
            true => None,
            false => oracle.orbit_of(&texts),
        };
        let Some(orbit) = orbit else { continue };
        let (least, size) = (orbit.least.clone(), orbit.size);
        if let Some(said) = &place.size {
            assert_eq!(said.to_string(), size.to_string(), "{texts:?}");
        }
        if found.orbits_known && found.reduces {
            assert_eq!(orbits.insert(least, at), None, "two boxes are one orbit");
        }
    }
    for (at, place) in found.boxes.iter().enumerate() {
        if !place.expanded {
            continue;
        }
        let steps = oracle.raw.steps(&raw[at]).expect("it can be evaluated");
        let distinct: BTreeSet<_> = steps.iter().map(|(step, _)| step.clone()).collect();
        assert!(place.transitions >= distinct.len() && place.transitions <= steps.len());
        let inside: usize = found.leaving(at).map(|edge| edge.multiplicity()).sum();
        assert_eq!(inside + place.outside, place.transitions);
        assert_eq!(place.deadlocked, steps.is_empty() && !place.terminated);
        assert_eq!(place.more == 0, place.outside == 0);
        for edge in found.leaving(at) {
            for step in &edge.steps {
                let event = (step.kind, step.event.as_str());
                let leads = distinct.iter().any(|(kind, event_, texts)| {
                    let moved = step.movers.iter().all(|(_, after)| texts.contains(after));
                    let to = match found.reduces && !full {
                        true => oracle.orbit_of(texts).is_none_or(|orbit| {
                            orbits.get(&orbit.least).is_none_or(|to| *to == edge.to)
                        }),
                        false => {
                            let target = &found.boxes[edge.to].components;
                            target.iter().map(|c| &c.text).eq(texts)
                        }
                    };
                    (*kind, event_.as_str()) == event && moved && to
                });
                assert!(leads, "{step:?} does not lead to box {}", edge.to);
            }
        }
    }
    found.boxes.len()
}

#[test]
fn boxes_are_orbits_and_edges_are_transitions() {
    let mut boxes = 0;
    for (model, process) in [
        ("two_buffers", ""),
        ("philosophers", ""),
        ("ring", ""),
        ("peterson", ""),
        ("list_stack", ""),
        ("example37", ""),
    ] {
        let path = repository(&format!("models/{model}.csp"));
        let process = match process {
            "" => first(&path),
            name => name.to_owned(),
        };
        for full in [false, true] {
            boxes += hold(&path, &process, 3, full);
        }
    }
    say(&format!("graph: {boxes} boxes held to the raw machine"));
    assert!(boxes > 60);
}

/// By brute force: as many as the stabiliser says, all of one orbit.
#[test]
fn members_are_all_states_of_an_orbit() {
    let mut whole = 0;
    for model in [
        "two_buffers",
        "philosophers",
        "ring",
        "peterson",
        "list_stack",
    ] {
        let path = repository(&format!("models/{model}.csp"));
        let mut engine = ScriptEngine::load(path).expect("a script");
        let process = engine.info().processes[0].clone();
        let asked = asked(&mut engine, &process, 3, false);
        let found = engine.neighbourhood(&asked).expect("surroundings");
        for place in found.boxes {
            let told = engine.members(place.state).expect("states");
            assert_eq!(told.members[0].state, place.state);
            let distinct: BTreeSet<_> = told.members.iter().map(|m| m.state).collect();
            assert_eq!(distinct.len(), told.members.len());
            let size = place.size.expect("the size of a small orbit is known");
            if told.is_cut {
                assert!(size > told.members.len().into());
                continue;
            }
            whole += 1;
            assert_eq!(size, told.members.len().into());
            for member in told.members.iter().take(12) {
                let view = engine.view(member.state).expect("a state");
                assert_eq!(view.orbit, place.orbit);
                assert_eq!(view.components, member.components);
            }
        }
    }
    assert!(whole > 20, "{whole}");
}

#[test]
fn it_is_the_same_each_time() {
    let path = repository("models/list_stack.csp");
    let process = first(&path);
    assert_eq!(
        around(&path, &process, 4, false),
        around(&path, &process, 4, false)
    );
}

#[test]
fn what_is_cancelled_has_no_picture() {
    let path = repository("models/list_stack.csp");
    let mut engine = ScriptEngine::load(path).expect("a script");
    let process = engine.info().processes[0].clone();
    let asked = asked(&mut engine, &process, 6, false);
    let cancel = Cancel::default();
    cancel.cancel();
    engine.cancelled_by(&cancel);
    assert!(engine.neighbourhood(&asked).is_err());
    assert!(engine.members(asked.state).is_err());
    engine.cancelled_by(&Cancel::default());
    assert!(engine.neighbourhood(&asked).is_ok());
}

fn opened(text: &str, name: &str) -> Screen {
    let mut screen = Screen::open_at(&script(name, text), None);
    screen.press("5");
    screen
}

#[test]
fn a_deadlock_and_what_has_terminated_are_told() {
    let screen = opened(
        "channel a, b\nP = a -> STOP [] b -> SKIP\nassert P :[deadlock free]\n",
        "graph_deadlock.csp",
    );
    let text = screen.text();
    assert!(
        text.contains("DEADLOCK") && text.contains("TERMINATED"),
        "{text}"
    );
    assert!(text.contains("╔"), "{text}");
}

#[test]
fn a_state_that_cannot_be_evaluated_is_a_box_with_an_error() {
    let mut screen = opened(
        "channel a, b : {0..2}\nP(n) = a.n -> P(1) [] b.n -> Q(n)\nQ(n) = (if 2 / n == 1 then a.0 else b.0) -> P(0)\n\
         S = P(0)\nassert S :[deadlock free]\n",
        "graph_error.csp",
    );
    let text = screen.text();
    assert!(text.contains("ERROR"), "{text}");
    // Each box, there and back.
    for _ in 0..6 {
        screen.press("j enter");
        screen.compare();
        screen.press("k enter l");
        screen.compare();
    }
}

#[test]
fn an_infinite_process_has_a_picture() {
    let mut screen = opened(
        "channel up, down : Int\nN(n) = up.n -> N(n+1) [] n > 0 & down.n -> N(n-1)\nS = N(0)\nassert S :[deadlock free]\n",
        "graph_infinite.csp",
    );
    let text = screen.text();
    for _ in 0..20 {
        screen.press("j enter");
        screen.compare();
    }
    assert!(
        screen.session().history.depth() >= 10,
        "{text}\n{}",
        screen.text()
    );
}

#[test]
fn three_hundred_components_have_a_picture() {
    let begun = Instant::now();
    let mut screen = opened(
        "channel a : {0..299}\nP(i) = a.i -> P(i)\nQ(i) = a.i -> a.i -> Q(i)\n\
         S = ||| i : {0..299} @ Q(i)\nassert S :[deadlock free]\n",
        "graph_wide.csp",
    );
    // All components are alike: up to symmetry there is one step.
    screen.compare();
    let text = screen.text();
    assert!(!text.contains("cut: at most"), "{text}");
    screen.press("o");
    let text = screen.text();
    assert!(text.contains("cut: at most 200"), "{text}");
    screen.press("j l l enter");
    screen.compare();
    for size in [(80, 24), (60, 16)] {
        screen.send(Msg::Resize(size.0, size.1));
        screen.press("j h h h k l");
        assert!(picture(&screen.app).is_some());
        screen.text();
    }
    say(&format!("graph: 300 components in {:?}", begun.elapsed()));
}

#[test]
fn walking_on_the_graph_is_walking_on_the_machine() {
    let models = [
        "list_stack",
        "ring",
        "philosophers",
        "two_buffers",
        "stack_aba",
    ];
    let keys = [
        "j", "j", "j", "j", "j", "enter", "enter", "enter", "enter", "enter", "k", "h", "l", "l",
        "o", "i", "i", "+", "-", "u", "m", "a", "'", "tab", "1", "5", "5", "5", "5", "/", "esc",
        "esc", "esc", "G", "home", "pgdn", "z", "down", "right",
    ];
    let count = if tiers::tries_all() { 2_000 } else { 300 };
    let mut moved = 0;
    for (nth, model) in models.into_iter().enumerate() {
        let path = repository(&format!("models/{model}.csp"));
        let mut screen = Screen::start(&path, None, Limits::default());
        screen.settle();
        screen.press("5");
        let mut random = nth as u64 + 1;
        let mut below = |n: usize| {
            random = random
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (random >> 33) as usize % n
        };
        let sizes = [(120, 36), (80, 24), (60, 16), (200, 60)];
        for pressed in 0..count {
            screen.key(keys[below(keys.len())]);
            screen.settle();
            screen.send(Msg::Tick(pressed * 200));
            if below(25) == 0 {
                let (width, height) = sizes[below(sizes.len())];
                screen.send(Msg::Resize(width, height));
                screen.settle();
            }
            screen.text();
            screen.compare();
        }
        moved += screen.session().history.ids().count();
    }
    say(&format!(
        "graph: {moved} entries of histories held to the raw machine"
    ));
    assert!(moved > 30, "{moved}");
}

#[test]
fn files_hold_the_whole_graph() {
    let path = repository("models/two_buffers.csp");
    let engine = ScriptEngine::load(path).expect("a script");
    let mut texts = BTreeSet::new();
    for form in [
        PictureForm::Dot,
        PictureForm::Svg,
        PictureForm::Aut,
        PictureForm::Json,
        PictureForm::Graphml,
    ] {
        for (full, vertices) in [(false, 5), (true, 9)] {
            let asked = PictureRequest {
                process: "Q".to_owned(),
                full,
                form,
            };
            let made = engine.picture(&asked).expect("a text");
            assert_eq!((made.vertices, made.is_whole), (vertices, true), "{form:?}");
            assert!(texts.insert(made.text));
        }
    }
}

#[test]
fn a_counterexample_is_marked() {
    let path = repository("models/stack_aba.csp");
    let mut screen = Screen::open_at(&path, None);
    screen.press("4 x");
    let failing = screen
        .app
        .checks
        .status
        .iter()
        .position(|_| screen.app.checks.outcome().is_some());
    assert!(failing.is_some());
    screen.press("a");
    let assertions = screen.app.info().expect("loaded").assertions.len();
    for _ in 0..assertions {
        screen.press("enter");
        if screen.app.view == View::Animate {
            break;
        }
        screen.press("j");
    }
    assert_eq!(screen.app.view, View::Animate);
    screen.press("5");
    let picture = picture(&screen.app).expect("a picture");
    let marked = picture.around.boxes.iter().filter(|b| b.on_path).count();
    assert!(marked > 1, "{marked}: {}", screen.text());
}
