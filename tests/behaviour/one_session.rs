//! What checker and animator share: loading, the choice of a plan, and how both name things.

use crate::support::script;
use orbitscope::animate::engine::ScriptEngine;
use orbitscope::animate::model::Engine;

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
