//! Functions such as `seq` are trusted where they see events and networks are put together, and the
//! network is judged afterwards. What a component does must not depend on them.

use crate::support::{check, options, script, sound, unmerged, verdict};
use orbitscope::animate::engine::ScriptEngine;
use orbitscope::animate::model::{CheckOutcome, Verdict};
use orbitscope::symmetry::StrategyKind;

const TYPES: &str = "datatype T = A | B | C
channel c, d : T
channel bad, go
";

/// The only assertion of a script, with reduction asked for, left open, and forbidden.
fn outcomes(name: &str, text: &str) -> [CheckOutcome; 3] {
    let loaded = sound(&script(name, format!("{TYPES}{text}")));
    [Some(true), None, Some(false)].map(|symmetry| {
        check(
            &loaded,
            1,
            &unmerged(options(symmetry, StrategyKind::default(), 1)),
        )
    })
}

/// A script that must not be reduced: asked for, reduction is refused with one of the codes; left
/// open, the script is checked as it is.
#[track_caller]
fn refused(name: &str, text: &str, code: &str) {
    let [asked, open, plain] = outcomes(name, text);
    let found = asked.diagnostic.as_ref().map(|d| d.code);
    assert_eq!(found, Some(code), "{:?}", asked.verdict);
    assert!(matches!(asked.verdict, Verdict::Error(_)));
    assert_eq!(open.symmetry, None, "{text}");
    assert_eq!(verdict(&open), verdict(&plain));
    assert_eq!(open.progress.states, plain.progress.states);
    assert!(["pass", "fail"].contains(&&*verdict(&plain)), "{plain:?}");
}

/// A script that is reduced, with the verdict of the unreduced check.
#[track_caller]
fn reduced(name: &str, text: &str) -> [CheckOutcome; 3] {
    let all = outcomes(name, text);
    let [asked, open, plain] = &all;
    for outcome in [asked, open] {
        let summary = outcome.symmetry.as_ref().expect("it is reduced");
        assert_eq!(summary.group_order, 6u32.into());
        assert_eq!(verdict(outcome), verdict(plain));
        assert!(outcome.progress.states < plain.progress.states);
    }
    all
}

#[test]
fn lists_of_events_that_make_up_a_network_do_no_harm() {
    let text = "P(x) = c.x -> d.x -> P(x)
Q = [] x : T @ c.x -> Q
Parts = <(Q, seq({(c.x, d.x) | x <- T}))>
Renamed = || (S, R) <- set(Parts) @ [{|d|}] S[[a <- b | (a, b) <- set(R)]]
System = (||| x : T @ P(x)) [|{|d|}|] Renamed
assert CHAOS({|c, d|}) [T= System";
    reduced("lists.csp", text);
}

#[test]
fn a_component_that_lists_events_is_not_permuted() {
    let text = "P(x) = c.x -> ( ; e : seq({|d|}) @ e -> SKIP); P(x)
System = ||| x : T @ P(x)
assert CHAOS({|c, d|}) [T= System";
    refused("component.csp", text, "E0513");
}

#[test]
fn an_event_from_a_list_is_a_constant() {
    // `first` has been evaluated by the time the component needs it.
    let text = "first = head(seq({|c|}))
P = go -> first -> P
System = P ||| (c?x -> STOP)
assert CHAOS({|go, c|}) [T= System";
    refused("constant.csp", text, "E0513");
    // Here the component's code is innocent: its argument is not.
    let text = "P(e) = e -> P(e)
Q = c?x -> Q
System = P(head(seq({|c|}))) ||| Q
assert CHAOS({|c|}) [T= System";
    refused("argument.csp", text, "E0511");
    let text = "P = c?x -> P
Q = c?x -> c?y -> Q
System = P [|{head(seq({|c|}))}|] Q
assert CHAOS({|c|}) [T= System";
    refused("shared.csp", text, "E0512");
}

#[test]
fn functions_and_suspended_values_are_looked_into() {
    let text = "first(s) = head(seq(s))
P(f) = go -> f({|c|}) -> P(f)
System = P(first)
assert CHAOS({|c, go|}) [T= System";
    refused("function.csp", text, "E0513");
    let text = "P(f) = go -> head(f({|c|})) -> P(f)
System = P(seq)
assert CHAOS({|c, go|}) [T= System";
    refused("builtin.csp", text, "E0513");
    let text = "long(n) = if n == 0 then head(seq({|c|})) else long(n - 1)
P(pair) = go -> (let (a, b) = pair within b -> P(pair))
System = P((0, long(5000)))
assert CHAOS({|c, go|}) [T= System";
    let [asked, open, plain] = outcomes("suspended.csp", text);
    assert!(matches!(asked.verdict, Verdict::Error(_)), "{asked:?}");
    assert_eq!(open.symmetry, None);
    assert_eq!(verdict(&open), verdict(&plain));
}

#[test]
fn channels_with_fields_from_a_list_are_not_permuted() {
    let text = "channel e : {x | c.x <- set(tail(seq({|c|})))}
P = [] y : {|e|} @ y -> P
System = P ||| STOP
assert CHAOS({|e|}) [T= System";
    refused("channel.csp", text, "E0513");
}

#[test]
fn a_function_that_no_component_reaches_does_no_harm() {
    let text = "P(x) = c.x -> d.x -> P(x)
unused = seq({|c, d|})
listed = seq({(c.x, d.x) | x <- T})
System = (||| x : T @ P(x))[[a <- b | (a, b) <- set(listed)]]
assert CHAOS({|d|}) [T= System";
    reduced("apart.csp", text);
}

#[test]
fn the_animator_reduces_what_a_check_would() {
    let text = "P(x) = c.x -> d.x -> P(x)
Q = [] x : T @ c.x -> Q
Parts = <(Q, seq({(c.x, d.x) | x <- T}))>
Renamed = || (S, R) <- set(Parts) @ [{|d|}] S[[a <- b | (a, b) <- set(R)]]
System = (||| x : T @ P(x)) [|{|d|}|] Renamed
First = ; e : seq({|c|}) @ e -> STOP
assert System :[deadlock free]";
    let path = script("animated.csp", format!("{TYPES}{text}"));
    let mut engine = ScriptEngine::load(path).expect("it loads");
    let state = engine.open("System").expect("it opens");
    let view = engine.view(state).expect("it has a view");
    assert_eq!(view.transitions.len(), 3);
    let orbits: Vec<_> = view.transitions.iter().map(|t| t.orbit).collect();
    assert_eq!(orbits, [orbits[0]; 3], "one orbit");
    let state = engine.open("First").expect("it opens");
    let view = engine.view(state).expect("it can be stepped");
    assert_eq!(view.transitions.len(), 1);
}
