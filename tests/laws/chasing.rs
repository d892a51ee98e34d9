//! `chase` above the components of a network: silent steps one by one, the first of them always.

use crate::support::tiers;
use std::path::Path;

use crate::support::processes::{MAY_TERMINATE, processes};
use crate::support::{check, counts, length, options, replay, script, sound, verdict};
use orbitscope::eval::Evaluator;
use orbitscope::machine::network::RuleScratch;
use orbitscope::machine::{EventId, FormatId, LocalId, Machine, Miss, Network};
use orbitscope::script::load::load_text;
use orbitscope::source::hash::IndexSet;
use orbitscope::source::{Cancel, Limits};
use orbitscope::symmetry::StrategyKind;
use orbitscope::value::AtomTypes;
use proptest::prelude::*;

/// States of one network that are looked at.
const STATES_MAX: usize = 2_000;

/// What is chased, and what stands around it (around `@`): operators that keep the order of their
/// operands, so that its components are the first ones.
const NETWORKS: [(&str, &str); 6] = [
    ("(P0 [| A |] Q0) \\ A", "@"),
    ("(P0 ||| Q0) \\ B", "@ [a <-> a] R0"),
    ("(P0 [a <-> b] Q0) [| {c} |] P0", "(@ [b <-> c] R0) \\ A"),
    (
        "((P0 ||| Q0)[[a <- b, a <- c]]) \\ {b}",
        "(@[[c <- a]]) [a <-> c] (R0 ||| P0)",
    ),
    (
        "(|| i : {0, 1, 2} @ [Alphabet(i)] Of(i)) \\ {b}",
        "@ [c <-> b] (R0 [| {a} |] Q0)",
    ),
    (
        "chase((P0 ||| Q0) \\ A) [| {b} |] R0",
        "(@ [a <-> a] P0)[[b <- c]]",
    ),
];

const PRELUDE: &str = "channel a, b, c
external chase
A = {a}
B = {b, c}
Of(0) = P0
Of(1) = Q0
Of(2) = R0
Alphabet(0) = {a, b}
Alphabet(1) = {b, c}
Alphabet(2) = {a, c}
";

/// A step of a network: what it performs, who moves, and where it leads.
type Step = (EventId, Vec<u16>, Vec<LocalId>);

fn steps(machine: &mut Machine, network: &mut Network, state: &[LocalId]) -> Vec<Step> {
    loop {
        let mut found = Vec::new();
        let done = network.successors::<Miss>(
            machine.locals(),
            FormatId(0),
            state,
            &mut RuleScratch::default(),
            |s| {
                found.push((s.event, s.movers().collect(), s.locals.to_vec()));
                Ok(())
            },
        );
        match done {
            Ok(()) => {
                found.sort_unstable();
                return found;
            }
            Err(miss) => machine.resolve(network, &miss).expect("it evaluates"),
        }
    }
}

/// Compares a chased network with what it is made of, state by state.
///
/// One more network does not look ahead: which silent step is the first must not depend on what was
/// seen before, and on when.
fn chases(machine: &mut Machine, [chased, around, inner]: [&str; 3]) -> Result<(), TestCaseError> {
    let given = [
        (chased, STATES_MAX),
        (around, STATES_MAX),
        (inner, STATES_MAX),
        (chased, 1),
    ];
    let [mut chased, mut around, mut inner, mut later] = given.map(|(name, ahead)| {
        let term = machine.eval.process_named(name).expect("it evaluates");
        Network::new(machine, term, ahead).expect("it has a network")
    });
    // Nothing may grow here, so that the components of all three are the same.
    let components = inner.initial().len();
    prop_assert_eq!(chased.initial(), around.initial());
    prop_assert_eq!(&chased.initial()[..components], inner.initial());
    let mut states: IndexSet<Vec<LocalId>> = [chased.initial().to_vec()].into_iter().collect();
    let mut at = 0;
    while at < states.len().min(STATES_MAX) {
        let state = states[at].clone();
        at += 1;
        let found = steps(machine, &mut chased, &state);
        prop_assert_eq!(&found, &steps(machine, &mut later, &state));
        let possible = steps(machine, &mut around, &state);
        let (own, others): (Vec<Step>, Vec<Step>) = found
            .iter()
            .cloned()
            .partition(|step| step.1.iter().any(|mover| usize::from(*mover) < components));
        let silent: Vec<Step> = steps(machine, &mut inner, &state[..components])
            .into_iter()
            .filter(|step| step.0 == EventId::TAU)
            .collect();
        if silent.is_empty() {
            prop_assert_eq!(&found, &possible);
        } else {
            // One of the silent steps, and what the others do by themselves.
            prop_assert_eq!(own.len(), 1);
            let lead = silent
                .iter()
                .any(|step| step.2[..] == own[0].2[..components]);
            prop_assert!(lead && own[0].0 == EventId::TAU);
            prop_assert_eq!(&own[0].2[components..], &state[components..]);
            let alone = |step: &Step| step.1.iter().all(|m| usize::from(*m) >= components);
            let possible: Vec<Step> = possible.into_iter().filter(alone).collect();
            prop_assert_eq!(others, possible);
        }
        states.extend(found.into_iter().map(|step| step.2));
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(tiers::cases(100)))]

    #[test]
    fn the_first_silent_step_is_taken(definitions in processes(MAY_TERMINATE)) {
        let mut text = format!("{PRELUDE}{definitions}");
        for (i, (inner, around)) in NETWORKS.iter().enumerate() {
            let [chased, plain] = [format!("chase({inner})"), format!("({inner})")]
                .map(|operand| around.replace('@', &operand));
            text += &format!("Inner{i} = {inner}\nChased{i} = {chased}\nAround{i} = {plain}\n");
        }
        let loaded = load_text(Path::new("chasing.csp"), &text);
        let eval = Evaluator::new(loaded.script, &Limits::default(), Cancel::default());
        let mut machine = Machine::new(eval, AtomTypes::none());
        for (i, network) in NETWORKS.iter().enumerate() {
            let names = ["Chased", "Around", "Inner"].map(|name| format!("{name}{i}"));
            chases(&mut machine, names.each_ref().map(String::as_str))
                .map_err(|e| TestCaseError::fail(format!("{network:?}: {e}\n{definitions}")))?;
        }
    }
}

const PIPE: &str = "channel c : {0..3}.{0, 1}
external chase
Copy(i) = c.i?x -> c.i+1!x -> Copy(i)
Pipe = (|| i : {0..2} @ [{|c.i, c.i+1|}] Copy(i)) \\ {|c.1, c.2|}
Chased = chase(Pipe)
Held(s) = (#s < 3 & c.0?x -> Held(s^<x>)) [] (#s > 0 & c.3!head(s) -> Held(tail(s)))
Few(n) = (n < 2 & c.0?x -> Few(n + 1)) [] (n > 0 & c.3?x -> Few(n - 1))
assert Held(<>) [FD= Chased
assert Chased :[deadlock free [FD]]
assert Chased :[divergence free]
assert Chased :[deterministic [FD]]
assert Few(0) [T= Chased ||| STOP
assert (Chased [| {|c|} |] c.0.0 -> c.0.1 -> STOP) :[deadlock free [F]]
assert (Chased \\ {|c|}) :[divergence free]
assert Chased :[has trace [F]]: <c.0.1, c.0.0, c.3.1>
";

/// What silence leads to does not depend on its order here: both ways to chase must agree.
#[test]
fn it_does_not_matter_where_it_is_chased() {
    let expected = [
        "pass", "pass", "pass", "pass", "fail", "fail", "fail", "pass",
    ];
    let path = script("chasing.csp", PIPE);
    let outside = sound(&path);
    // A specification that chases keeps all of it inside of components.
    let inside = format!("{PIPE}assert chase(STOP) [T= STOP\n");
    let inside_path = script("chasing_inside.csp", inside);
    let inside = sound(&inside_path);
    for (number, expected) in (1..).zip(expected) {
        let [outside, inside] =
            [(&outside, &path), (&inside, &inside_path)].map(|(loaded, path)| {
                let found = check(loaded, number, &options(None, StrategyKind::Walk, 2));
                assert_eq!(verdict(&found), expected, "#{number}");
                if let Some(example) = &found.counterexample {
                    assert_eq!(replay(path, example), Ok(()), "#{number}");
                }
                found
            });
        let components = |found: &orbitscope::animate::model::CheckOutcome| {
            found.details.as_ref().map(|d| d.components)
        };
        assert!(components(&outside) > components(&inside), "#{number}");
        assert!(counts(&outside).0 >= counts(&inside).0, "#{number}");
        assert!(length(&outside) >= length(&inside), "#{number}");
    }
}

/// Priority looks at single states, compressions forget them: with either, what is chased stays whole.
#[test]
fn it_stays_inside_where_somebody_looks_at_its_states() {
    let with = |more: &str| {
        let text = format!("{PIPE}{more}");
        let loaded = sound(&script("chasing_with.csp", text));
        let found = check(&loaded, 2, &options(None, StrategyKind::Walk, 1));
        assert_eq!(verdict(&found), "pass");
        found.details.map(|d| d.components)
    };
    assert_eq!(with(""), Some(3));
    for more in [
        "external prioritise\nWaits = prioritise(Chased, <{}, Events>)\n",
        "transparent normal\nSmall = normal(Chased)\n",
        "assert Chased [T= STOP\n",
        "assert STOP [T= STOP :[tau priority]: {|c|}\n",
    ] {
        assert_eq!(with(more), Some(1), "{more}");
    }
}
