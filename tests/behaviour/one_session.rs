//! What checker and animator share: loading, the choice of a plan, and how both name things.

use crate::support::{check, options, replay, script, sound};
use orbitscope::animate::engine::ScriptEngine;
use orbitscope::report::run_file::{self, RunFile};
use orbitscope::source::Cancel;
use orbitscope::source::write::write_whole;
use orbitscope::symmetry::StrategyKind;

#[test]
fn an_expression_beside_the_script_is_called_as_it_is_written() {
    let path = script(
        "beside.csp",
        "datatype V = A | B | C\nchannel a : V\nP(x) = a.x -> P(x)\nbig = <0 .. 5>\n",
    );
    let mut engine = ScriptEngine::load(path).expect("it loads");
    let mut said = String::new();
    for process in [
        "P(A) ||| P(B)",
        "a.A -> P(B)",
        "a?x -> P(x) [] a?y -> P(y) [] a?z -> P(z) [] STOP",
        "P(if 1 / 0 == 1 then A else B)",
        "if head(<>) == 1 then STOP else SKIP",
        "P(1)",
        "P(nowhere)",
        "P(A",
        "1",
        "\\x @ P(x)",
        "let X = X within X",
        "head(<P(A)>)",
    ] {
        match engine.open(process) {
            Ok(state) => said += &format!("{process}: {:?}\n", engine.view(state)),
            Err(failure) => said += &format!("{process}: {failure:?}\n"),
        }
    }
    assert!(!said.contains("given"), "{said}");
    assert!(said.contains("a.A -> P(B): Ok"), "{said}");
}

/// Components come and go while `M` runs: each step is told in those that there are after it.
#[test]
fn a_run_across_a_change_of_the_network_names_the_components_of_each_state() {
    let path = script(
        "changes.csp",
        "datatype S = A | B
channel a : S
channel e
P(x) = a.x -> SKIP
M = a?x -> ((P(x) [|{e}|] (P(x) ||| P(x))) ; (a.x -> e -> STOP))
assert RUN({|a|}) [T= M
",
    );
    let loaded = sound(&path);
    for symmetry in [None, Some(false)] {
        let outcome = check(&loaded, 1, &options(symmetry, StrategyKind::default(), 1));
        let found = outcome.counterexample.as_ref().expect("it fails");
        let mut others = 0;
        let mut count = found.components.len();
        for step in &found.steps {
            let labels = found.components_after(step);
            assert!(step.changes.iter().all(|(c, _)| *c < labels.len()));
            if labels.len() != count {
                assert_eq!(step.changes.len(), labels.len(), "{step:?}");
                others += 1;
            }
            count = labels.len();
        }
        if symmetry == Some(false) {
            assert!(others >= 2, "the network changes twice");
        }
        replay(&path, found).expect("the animator can follow it");
        let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR"));
        let path = folder.join("changes.run.ron");
        run_file::save(&path, [&outcome], write_whole).expect("it can be saved");
        let file = RunFile::read(&path, &Cancel::default()).expect("it can be read");
        let how = options(None, StrategyKind::default(), 1);
        let again = file.verify(1, &loaded, &how, &Cancel::default());
        let again = again.expect("it comes about").counterexample;
        assert_eq!(again.steps, found.steps);
    }
}
