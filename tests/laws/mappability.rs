//! Mappability (Def. 29, Sec. 6.1) is verified, whatever the script promises. Here the values that
//! are permuted are forced, although the scripts name some of them.

use std::path::Path;
use std::rc::Rc;

use orbitscope::check::plan::atom_types;
use orbitscope::eval::Evaluator;
use orbitscope::machine::{Machine, Network};
use orbitscope::script::core::{GlobalKind, TypeId};
use orbitscope::script::load::load_text;
use orbitscope::script::symmetric::SymmetricType;
use orbitscope::source::{Cancel, Diagnostic, Limits};

/// The network of `System`, with all values of the first datatype taken for interchangeable.
fn verify(script: &str) -> Result<(), Box<Diagnostic>> {
    let loaded = load_text(Path::new("forced.csp"), script);
    assert!(!loaded.has_errors(), "{:?}", loaded.diagnostics);
    let script = Rc::clone(&loaded.script);
    let members = script.types[0].clauses.iter().map(|c| c.0).collect();
    let forced = SymmetricType::believed(TypeId(0), members);
    let eval = Evaluator::new(Rc::clone(&script), &Limits::default(), Cancel::default());
    let mut machine = Machine::new(eval, atom_types(&script, &[forced]));
    let global = script
        .globals
        .iter()
        .find(|g| *g.name == *"System")
        .expect("there is a System");
    let GlobalKind::Value(body) = &global.kind else {
        panic!("System has no parameters")
    };
    let term = machine.eval.process(body).expect("it evaluates");
    let network = Network::new(&mut machine, term, 10_000).expect("it unrolls");
    network.first().mappable()
}

const FAMILY: &str = "datatype T = A | B | C
channel c, d : T
P(x) = c.x -> d.x -> P(x)
";

#[test]
fn a_symmetric_network_is_mappable() {
    verify(&format!(
        "{FAMILY}System = (||| x : T @ P(x)) [| {{|c|}} |] (||| x : T @ P(x))"
    ))
    .expect("mappable");
    verify(&format!(
        "{FAMILY}System = || x : T @ [{{|c.x, d.x|}}] P(x)"
    ))
    .expect("mappable");
}

#[test]
fn a_component_without_an_image_is_named() {
    let error = verify(&format!("{FAMILY}System = P(A) ||| P(B)")).expect_err("C has no component");
    assert_eq!(error.code, "E0511");
    assert!(error.message.contains("P("), "{}", error.message);
    assert!(
        error.message.contains("permutation of T"),
        "{}",
        error.message
    );
}

#[test]
fn a_rule_without_an_image_is_named() {
    let script = format!(
        "{FAMILY}R = c?x -> R
System = (||| x : T @ P(x)) [| {{|c.A|}} |] R"
    );
    let error = verify(&script).expect_err("only c.A is synchronised");
    assert_eq!(error.code, "E0512");
    assert!(error.message.contains("perform c."), "{}", error.message);
}

#[test]
fn a_renaming_of_one_value_has_no_image() {
    let script = format!("{FAMILY}System = (||| x : T @ P(x)) [[c.A <- d.A]]");
    assert_eq!(
        verify(&script).expect_err("only A is renamed").code,
        "E0512"
    );
}

#[test]
fn priorities_are_mapped_with_what_stands_below_them() {
    let with = |system: &str| {
        let head = "external prioritise, prioritisepo\nQ(x) = c.x -> d.x -> Q(x)\n";
        verify(&format!("{head}{FAMILY}System = {system}"))
    };
    let all = "(||| x : T @ P(x))";
    with(&format!("prioritise({all}, <{{|c|}}, {{|d|}}>)")).expect("the same for all values");
    with("||| x : T @ prioritise(P(x), <{c.x}, {|d|}>)").expect("each value has its own");
    with("prioritise(||| x : T @ prioritise(P(x), <{c.x}, {|d|}>), <{|d|}, {|c|}>)")
        .expect("one above the other");
    let cyclic = "{(c.A, d.B), (c.B, d.C), (c.C, d.A)}";
    for uneven in [
        format!("prioritise({all}, <{{c.A}}, {{c.B, c.C}}>)"),
        format!("prioritise({all}, <{{}}, {{c.A}}>)"),
        format!("prioritisepo({all}, Events, {{(c.x, d.A) | x <- T}}, {{|c|}})"),
        // Mapped to itself by the cycle through all values, but not by a swap.
        format!("prioritisepo({all}, Events, {cyclic}, {{|c|}})"),
        "||| x : T @ prioritise(P(x), <{c.A}, {|d|}>)".to_owned(),
        "prioritise(P(A), <{}, {|c|}>) ||| P(B) ||| P(C)".to_owned(),
        "prioritise(||| x : T @ prioritise(P(x), <{c.A}, {|d|}>), <{|d|}, {|c|}>)".to_owned(),
        // No rule has an event of `c`, but all except `c.A` of the second family hold back those of `d`.
        format!(
            "prioritise({all} ||| ((||| x : T @ Q(x)) [|{{c.A}}|] STOP), <{{|c|}}, {{|d|}}>) [|{{|c|}}|] STOP"
        ),
    ] {
        let error = with(&uneven).expect_err(&uneven);
        assert_eq!(error.code, "E0512", "{uneven}");
        assert!(error.message.contains("priority"), "{}", error.message);
    }
}

/// A component that behaves differently for one value although its label does not show it.
#[test]
fn components_that_reach_other_states_are_found() {
    let script =
        format!("{FAMILY}Q(x) = if x == A then STOP else c.x -> Q(x)\nSystem = ||| x : T @ Q(x)");
    assert!(verify(&script).is_err());
}
