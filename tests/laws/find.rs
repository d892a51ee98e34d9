//! Searches for a state: what is found is shortest, can be walked, and ends as it was asked, by a search of the
//! unreduced system with conditions that are written once more here; what is not found is nowhere.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use orbitscope::animate::engine::ScriptEngine;
use orbitscope::animate::model::{
    EventKind, FOUND_STATES_MAX as STATES_MAX, FindStart, FoundView, FoundWord, StateId, StateView,
};
use proptest::prelude::*;

use crate::support::{repository, script, tiers};

/// A condition, and what it means.
type Case = (&'static str, fn(&StateView) -> bool);

fn is(view: &StateView, label: &str, name: &str, args: &[&str]) -> bool {
    let own = view.components.iter().find(|c| c.label() == label);
    own.is_some_and(|c| {
        let values = c.args.iter().map(|(_, v)| v.as_str());
        c.name == name
            && (args.is_empty()
                || args.len() == c.args.len()
                    && values.zip(args).all(|(v, a)| *a == "_" || *a == v))
    })
}

fn offers(view: &StateView, event: &str) -> bool {
    let visible = |t: &orbitscope::animate::model::TransitionView| t.kind == EventKind::Visible;
    view.transitions
        .iter()
        .any(|t| visible(t) && t.event == event)
}

const STACK: [Case; 12] = [
    ("Thread[T0] = Pushing(T0, _)", |v| {
        is(v, "Thread[T0]", "Pushing", &["_", "_"])
    }),
    ("Thread[T1] is Pushing(T1, B)", |v| {
        is(v, "Thread[T1]", "Pushing", &["T1", "B"])
    }),
    ("Node[N1] = Node(N1, A, N0)", |v| {
        is(v, "Node[N1]", "Node", &["N1", "A", "N0"])
    }),
    (
        "Node[N1] = Node(N1, A, N0) and Node[N0] is Node(_, B, _)",
        |v| {
            is(v, "Node[N1]", "Node", &["N1", "A", "N0"])
                && is(v, "Node[N0]", "Node", &["_", "B", "_"])
        },
    ),
    ("some Thread is Popping and not Lock is Lock", |v| {
        v.components
            .iter()
            .any(|c| c.family == "Thread" && c.name == "Popping")
            && !is(v, "Lock", "Lock", &[])
    }),
    ("every Node is Node", |v| {
        v.components
            .iter()
            .all(|c| c.family != "Node" || c.name == "Node")
    }),
    ("offers pop.T0.A", |v| offers(v, "pop.T0.A")),
    ("offers pop.T1.{B} and Top = Top(N0)", |v| {
        offers(v, "pop.T1.B") && is(v, "Top", "Top", &["N0"])
    }),
    ("can getNext.T0", |v| {
        v.transitions
            .iter()
            .any(|t| t.event.starts_with("getNext.T0."))
    }),
    ("deadlock", |v| v.deadlocked),
    ("terminated or (stable and no Thread is Pushing)", |v| {
        v.terminated
            || v.transitions.iter().all(|t| t.kind == EventKind::Visible)
                && v.components
                    .iter()
                    .all(|c| c.family != "Thread" || c.name != "Pushing")
    }),
    // Never: a node does not refer to itself.
    ("Node[N0] = Node(N0, _, N0)", |v| {
        is(v, "Node[N0]", "Node", &["_", "_", "N0"])
    }),
];

/// The list stack with fewer values.
fn small_stack() -> PathBuf {
    let text = std::fs::read_to_string(repository("models/list_stack.csp")).expect("the model");
    let text = text
        .replace("Null | N0 | N1 | N2 | N3 | N4 | N5", "Null | N0 | N1")
        .replace("T0 | T1 | T2", "T0 | T1")
        .replace("A | B | C | D", "A | B");
    script("find_list_stack.csp", text)
}

/// The least number of steps to a state of which something holds; nothing if there is none.
fn nearest(
    engine: &mut ScriptEngine,
    from: StateId,
    holds: &mut dyn FnMut(&StateView) -> bool,
) -> Option<usize> {
    let mut depth = BTreeMap::from([(from, 0_usize)]);
    let mut queue = std::collections::VecDeque::from([from]);
    while let Some(state) = queue.pop_front() {
        let view = engine.view(state).expect("it can be shown");
        let here = depth[&state];
        if holds(&view) {
            return Some(here);
        }
        for step in view.transitions {
            depth.entry(step.target).or_insert_with(|| {
                queue.push_back(step.target);
                here + 1
            });
        }
    }
    None
}

/// That what was found can be walked, and ends as it was asked.
fn walked(engine: &mut ScriptEngine, found: &FoundView, holds: &mut dyn FnMut(&StateView) -> bool) {
    let mut here = found.from;
    for step in &found.steps {
        let view = engine.view(here).expect("it can be shown");
        let same = |t: &&orbitscope::animate::model::TransitionView| {
            (t.target, t.kind) == (step.target, step.kind) && t.event == step.event
        };
        assert!(view.transitions.iter().any(|t| same(&t)), "{step:?}");
        here = step.target;
    }
    let last = engine.view(here).expect("it can be shown");
    assert!(holds(&last), "{:?}", last.components);
}

fn agrees(
    engine: &mut ScriptEngine,
    from: StateId,
    condition: &str,
    holds: &mut dyn FnMut(&StateView) -> bool,
) -> FoundView {
    let found = engine
        .find_state(from, FindStart::Here, condition, STATES_MAX)
        .unwrap_or_else(|failure| panic!("{}", failure.detail));
    let expected = nearest(engine, from, holds);
    match (&found.word, expected) {
        (FoundWord::Found, Some(steps)) => {
            assert_eq!(found.steps.len(), steps, "{condition}");
            walked(engine, &found, holds);
        }
        (FoundWord::Nowhere, None) => {}
        other => panic!("{condition}: {other:?}"),
    }
    found
}

#[test]
fn what_is_found_is_shortest_and_ends_as_it_was_asked() {
    let mut engine = ScriptEngine::load(small_stack()).expect("it is sound");
    let first = engine.open("System").expect("it can be opened");
    for (condition, mut holds) in STACK {
        let found = agrees(&mut engine, first, condition, &mut holds);
        assert!(found.reduced, "{condition}: {}", found.not_reduced);
    }
}

#[test]
fn from_a_state_that_is_not_symmetric_likewise() {
    let mut engine = ScriptEngine::load(small_stack()).expect("it is sound");
    let mut state = engine.open("System").expect("it can be opened");
    for n in 0..9_usize {
        let view = engine.view(state).expect("it can be shown");
        state = view.transitions[(n * 5 + 2) % view.transitions.len()].target;
    }
    for (condition, mut holds) in STACK {
        agrees(&mut engine, state, condition, &mut holds);
    }
}

#[test]
fn a_reduced_search_looks_at_fewer_states() {
    let mut engine = ScriptEngine::load(small_stack()).expect("it is sound");
    let first = engine.open("System").expect("it can be opened");
    let find = |engine: &mut ScriptEngine, text: &str| {
        let found = engine.find_state(first, FindStart::Beginning, text, STATES_MAX);
        found.expect("it is a condition").states
    };
    let named = find(&mut engine, "Node[N0] = Node(N0, _, N0)");
    let unnamed = find(&mut engine, "deadlock");
    let mut all = 0;
    nearest(&mut engine, first, &mut |_| {
        all += 1;
        false
    });
    assert!(unnamed < named && named < all, "{unnamed} {named} {all}");
}

#[test]
fn limits_and_mistakes_are_told() {
    let mut engine = ScriptEngine::load(small_stack()).expect("it is sound");
    let first = engine.open("System").expect("it can be opened");
    let found = engine
        .find_state(first, FindStart::Here, "deadlock", 10)
        .expect("a condition");
    assert!(
        matches!(found.word, FoundWord::Stopped(..)),
        "{}",
        found.text()
    );
    let mistake = |engine: &mut ScriptEngine, text: &str| {
        let found = engine.find_state(first, FindStart::Here, text, STATES_MAX);
        found.expect_err("it means nothing").summary
    };
    for (text, column, said) in [
        ("Thred[T0] = Choose", 1, "Thread[T0]"),
        ("deadlock or some Nod is Node", 13, "Node"),
        ("Thread[T0] = Push(T0)", 1, "Pushing"),
        ("Thread[T0] = Pushing(T0)", 1, "2 values"),
        ("offers psh.T0", 1, "push"),
        ("stable stable", 8, "expected"),
    ] {
        let summary = mistake(&mut engine, text);
        assert!(summary.contains(&format!("column {column}:")), "{summary}");
        assert!(summary.contains(said), "{summary}");
    }
    // A hidden event is none that is offered, and one that can happen.
    assert!(mistake(&mut engine, "offers lock.T0").contains("visible"));
    let found = engine.find_state(first, FindStart::Here, "can lock.T0", STATES_MAX);
    assert_eq!(found.expect("a condition").word, FoundWord::Found);
}

fn text(parts: &[u8]) -> String {
    const BODIES: [&str; 8] = [
        "a.me -> @(me, x)",
        "b.me?y -> @(me, y)",
        "b?y!me -> @(y, me)",
        "x != me & a.x -> @(x, x)",
        "c -> @(me, me)",
        "b.me.x -> @(x, me)",
        "a?y -> @(me, y)",
        "x == me & c -> STOP",
    ];
    let at = |n: usize| BODIES[usize::from(parts[n]) % BODIES.len()];
    let with = |body: &str, name: &str| body.replace('@', name);
    let set = ["{||}", "{|a|}", "{|c|}", "{|a, c|}"][usize::from(parts[4]) % 4];
    format!(
        "datatype S = S0 | S1 | S2
         channel a : S
         channel b : S.S
         channel c
         Proc(me, x) = {} [] {}
         Other(me, x) = {} [] {}
         System = (|| s : S @ [{{| a.s, b.s.t, c | t <- S |}}] Proc(s, s)) [|{set}|] (|~| s : S @ Other(s, s))\n",
        with(at(0), "Proc"),
        with(at(1), "Other"),
        with(at(2), "Other"),
        with(at(3), "Proc"),
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(tiers::cases(120)))]

    /// On random scripts, from where they begin and from elsewhere, for conditions that name values.
    #[test]
    fn searches_agree_with_the_unreduced_system(
        parts in proptest::collection::vec(any::<u8>(), 5),
        walk in proptest::collection::vec(0usize..8, 0..4),
        one in 0usize..3,
        two in 0usize..3,
    ) {
        let path = script("find_random.csp", text(&parts));
        let mut engine = ScriptEngine::load(path).expect("it is sound");
        let Ok(mut state) = engine.open("System") else { return Ok(()) };
        for draw in walk {
            let Ok(view) = engine.view(state) else { return Ok(()) };
            if view.transitions.is_empty() { break }
            state = view.transitions[draw % view.transitions.len()].target;
        }
        let Ok(view) = engine.view(state) else { return Ok(()) };
        let label = view.components[one % view.components.len()].label();
        for (condition, event) in [
            ("deadlock".to_owned(), None),
            (format!("can a.S{one}"), Some(format!("a.S{one}"))),
            (format!("can b.S{one}.S{two}"), Some(format!("b.S{one}.S{two}"))),
            (format!("can b.S{one}.S{two} and not can a.S{two}"), None),
            (format!("{label} is \"Proc(S{one}, S{two})\""), None),
        ] {
            let text = condition.clone();
            let mut holds = |v: &StateView| {
                let can = |event: &str| v.transitions.iter().any(|t| t.event == event);
                match (&event, text.as_str()) {
                    (Some(event), _) => can(event),
                    (None, "deadlock") => v.deadlocked,
                    (None, other) if other.starts_with("can") => {
                        can(&format!("b.S{one}.S{two}")) && !can(&format!("a.S{two}"))
                    }
                    (None, _) => v.components.iter().any(|c| {
                        c.label() == label && c.text == format!("Proc(S{one}, S{two})")
                    }),
                }
            };
            match engine.find_state(state, FindStart::Here, &condition, STATES_MAX) {
                Ok(_) => {
                    agrees(&mut engine, state, &condition, &mut holds);
                }
                // No event of the process begins like that.
                Err(failure) => prop_assert!(failure.summary.contains("begins with"), "{}", failure.detail),
            }
        }
    }
}

#[test]
fn shipped_models_without_reduction_and_with() {
    let cases: [(&str, &str, &str); 5] = [
        ("models/two_buffers.csp", "Q", "offers r.B"),
        ("models/peterson.csp", "", "deadlock"),
        ("models/ring.csp", "", "stable"),
        ("models/timed_crossing.csp", "", "deadlock"),
        ("models/database.csp", "", "terminated"),
    ];
    for (path, process, condition) in cases {
        let path: PathBuf = repository(Path::new(path).to_str().expect("a path"));
        let mut engine = ScriptEngine::load(path.clone()).expect("it is sound");
        let process = match process {
            "" => engine.info().processes[0].clone(),
            named => named.to_owned(),
        };
        let first = engine.open(&process).expect("it can be opened");
        let found = engine.find_state(first, FindStart::Here, condition, 3_000);
        let found =
            found.unwrap_or_else(|failure| panic!("{}: {}", path.display(), failure.detail));
        if let FoundWord::Found = found.word {
            let text = condition.to_owned();
            let steps = found.steps.len();
            let mut at = found.from;
            for step in &found.steps {
                assert!(
                    !engine.holds_of(at, &text).expect("a condition"),
                    "none is shorter"
                );
                at = step.target;
            }
            assert!(engine.holds_of(at, &text).expect("a condition"), "{steps}");
        }
    }
}

/// The second of two components of one label is no image of a first one: a search that names it is not reduced.
#[test]
fn a_component_with_a_numbered_label_is_found_by_the_shortest_way() {
    let path = script(
        "numbered_labels.csp",
        "datatype T = T0 | T1 | T2\nchannel a, b, c : T\nP(x) = a.x -> Q(x)\nQ(x) = b.x -> P(x)\n\
         S = (||| x : T @ P(x)) [|{|a|}|] ((||| x : T @ P(x))[[ b <- c ]])\n",
    );
    let mut engine = ScriptEngine::load(path).expect("it is sound");
    let start = engine.open("S").expect("it can be opened");
    let mut steps = |condition: &str| {
        let found = engine.find_state(start, FindStart::Here, condition, STATES_MAX);
        let found = found.unwrap_or_else(|error| panic!("{condition}: {}", error.summary));
        assert_eq!(found.word, FoundWord::Found);
        found.steps.len()
    };
    assert_eq!(steps("P[T0 2nd] is Q"), 1);
    assert_eq!(steps("P[T0 2nd] is P and P[T0] is Q"), 2);
    assert_eq!(steps("P[T1] is Q and P[T0] is P"), 1);
}
