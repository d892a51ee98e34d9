//! Paths that are printed can be given back: the trace through some states leads to the last of them, with hidden events
//! and with events that lead to several states.

use orbitscope::animate::engine::{ScriptEngine, split_trace};
use proptest::prelude::*;

use crate::random_scripts::{Dice, generate};
use crate::support::{repository, script, tiers};

/// Steps of a walk at most.
const STEPS: usize = 9;

/// Walks through a process and gives the path back. Returns the trace, unless the process cannot be animated.
fn given_back(engine: &mut ScriptEngine, process: &str, dice: &mut Dice<'_>) -> Option<String> {
    let mut states = vec![engine.open(process).ok()?];
    for _ in 0..STEPS {
        let Ok(view) = engine.view(*states.last()?) else {
            break;
        };
        if view.transitions.is_empty() {
            break;
        }
        let at = dice.below(view.transitions.len());
        states.push(view.transitions[at].target);
    }
    let trace = engine.trace_through(&states).expect("its own steps");
    let text = format!("<{}>", trace.join(", "));
    let reached = engine.after(process, &split_trace(&text));
    let reached = reached.unwrap_or_else(|failure| panic!("{text}: {}", failure.detail));
    assert_eq!(Some(&reached), states.last(), "{process} after {text}");
    Some(text)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: tiers::cases(160), ..ProptestConfig::default() })]

    #[test]
    fn a_path_of_a_random_script_leads_to_the_same_state(
        bytes in prop::collection::vec(any::<u8>(), 0..60),
        steps in prop::collection::vec(any::<u8>(), STEPS),
    ) {
        let text = generate(&bytes);
        let path = script("given_path.csp", &text);
        let mut engine = ScriptEngine::load(path).expect("a script");
        for process in ["System", "Whole"] {
            given_back(&mut engine, process, &mut Dice(steps.iter()));
        }
    }
}

/// Numbers and hidden events occur in these paths, so that the law above is about something.
#[test]
fn paths_have_hidden_events_and_numbers() {
    let mut engine = ScriptEngine::load(repository("models/list_stack.csp")).expect("a script");
    let walk = |engine: &mut ScriptEngine, n: u8| {
        let steps: Vec<u8> = (0..STEPS as u8)
            .map(|k| n.wrapping_mul(31).wrapping_add(k * 7))
            .collect();
        given_back(engine, "System", &mut Dice(steps.iter())).expect("a walk")
    };
    let all: Vec<String> = (0..40).map(|n| walk(&mut engine, n)).collect();
    let all = all.join(" ");
    assert!(all.contains("tau#"), "{all}");
    let path = script(
        "given_hidden.csp",
        "channel a, b, c\nP = (a -> b -> STOP [] a -> c -> STOP [] b -> STOP) \\ {a}\n",
    );
    let mut engine = ScriptEngine::load(path).expect("a script");
    let walks = [[0], [1], [2]].map(|way| given_back(&mut engine, "P", &mut Dice(way.iter())));
    assert!(
        walks
            .iter()
            .flatten()
            .any(|trace| trace.starts_with("<tau (a)#2")),
        "{walks:?}"
    );
}
