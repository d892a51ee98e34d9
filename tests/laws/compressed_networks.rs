//! Scripts that are too large without compressions, and small with them.

use crate::support::{
    bounded, check, corpus, options, repository, script, sound, unmerged, verdict,
};
use orbitscope::symmetry::StrategyKind;

/// States of a check; without compressions all of these have more.
const STATES_MAX: usize = 100_000;

/// Below the examples of a book: script, number of an assertion, and what its author says of it.
const CASES: [(&str, usize, &str); 18] = [
    ("chapter13/matmul.csp", 3, "pass"),
    ("chapter13/matmul.csp", 4, "pass"),
    ("chapter13/matmul.csp", 5, "pass"),
    ("chapter13/matmul.csp", 6, "pass"),
    ("chapter13/matmul.csp", 7, "pass"),
    ("chapter13/subtrack.csp", 3, "pass"),
    ("chapter13/subtrack.csp", 4, "fail"),
    ("chapter13/virtroute.csp", 5, "pass"),
    ("chapter15/ddb.csp", 2, "pass"),
    ("appendixC/philsc.csp", 3, "fail"),
    ("appendixC/philsc.csp", 6, "fail"),
    ("appendixC/philsc.csp", 7, "pass"),
    ("appendixC/philsc.csp", 8, "pass"),
    ("appendixC/philsc.csp", 14, "pass"),
    ("appendixC/scheduler.csp", 1, "pass"),
    ("appendixC/scheduler.csp", 3, "pass"),
    ("appendixC/scheduler.csp", 4, "pass"),
    ("appendixC/scheduler.csp", 9, "pass"),
];

#[test]
fn compressions_make_large_networks_small() {
    let Some(corpus) = corpus("compressions_make_large_networks_small") else {
        return;
    };
    for (script, number, expected) in CASES {
        let path = corpus.join("fdr-examples/fdr-examples/tpc").join(script);
        let loaded = sound(&path);
        let options = bounded(options(None, StrategyKind::default(), 1), STATES_MAX);
        let found = check(&loaded, number, &options);
        assert_eq!(verdict(&found), expected, "{script} #{number}");
    }
}

/// Below priority, τ has to stay where it is: here it keeps `a` from happening.
#[test]
fn networks_do_not_compress_below_priority() {
    let text = "channel a, b
transparent normal, sbisim
external prioritise
P = (a -> STOP) [> STOP
Q = b -> Q
assert STOP [T= prioritise((normal(P) ||| Q) \\ {b}, <{}, {a}>)
assert STOP [T= prioritise((sbisim(P) ||| STOP) ||| normal(STOP), <{}, {a}>)
assert STOP [T= normal(P) ||| STOP
";
    let loaded = sound(&script("below_priority.csp", text));
    for (number, expected) in [(1, "pass"), (2, "pass"), (3, "fail")] {
        let options = options(None, StrategyKind::default(), 1);
        assert_eq!(
            verdict(&check(&loaded, number, &options)),
            expected,
            "#{number}"
        );
    }
}

/// A compressed state that a permutation leaves alone is known, although no term had a value of a
/// symmetric type before.
#[test]
fn compressed_states_are_named_with_symmetry_in_mind() {
    let text = "datatype S = S0 | S1
datatype U = U0 | U1
channel a : S
channel c : U
transparent sbisim
P(v) = a?x -> P(v)
assert sbisim(c?v -> P(v)) :[deadlock free]
";
    let loaded = sound(&script("named.csp", text));
    let options = unmerged(options(Some(true), StrategyKind::Walk, 1));
    let found = check(&loaded, 1, &options);
    assert_eq!(verdict(&found), "pass");
    assert_eq!(found.progress.states, 2, "the initial state and a class");
}

/// Scripts in the style of generated ones, and whether each of their assertions holds.
const GENERATED: [(&str, &[&str]); 3] = [
    (
        "patrol",
        &["pass", "fail", "pass", "fail", "pass", "fail", "pass"],
    ),
    (
        "sorting",
        &[
            "pass", "pass", "pass", "pass", "pass", "fail", "fail", "pass", "pass",
        ],
    ),
    (
        "fleet",
        &[
            "pass", "pass", "pass", "pass", "pass", "pass", "pass", "pass",
        ],
    ),
];

/// Large networks of many small processes, each compressed before the whole is. What can be searched without
/// compressions comes out the same.
#[test]
fn generated_scripts_are_compressed_and_say_the_same_without() {
    let how = bounded(options(None, StrategyKind::default(), 2), STATES_MAX);
    let mut compared = 0;
    for (name, expected) in GENERATED {
        let path = repository(&format!("tests/data/generated/{name}.csp"));
        let text = std::fs::read_to_string(&path).expect("it can be read");
        let kept = text.lines().filter(|l| !l.starts_with("transparent"));
        let mut plain = kept.collect::<Vec<_>>().join("\n");
        for function in ["sbisim", "wbisim", "dbisim", "normal", "diamond"] {
            plain += &format!("\n{function}(P) = P\n");
        }
        let plain = sound(&script(&format!("plain_{name}.csp"), &plain));
        let compressed = sound(&path);
        for (at, expected) in expected.iter().enumerate() {
            let found = check(&compressed, at + 1, &how);
            assert_eq!(verdict(&found), *expected, "{name} #{}", at + 1);
            let without = verdict(&check(&plain, at + 1, &how));
            if !without.starts_with("inconclusive") {
                assert_eq!(without, *expected, "{name} #{} as it is", at + 1);
                compared += 1;
            }
        }
    }
    assert!(compared >= 12, "{compared} were compared");
}
