//! The rules of the type checker: for each, scripts that keep it and scripts that break it.

use crate::support::front::{checked, errors};
use orbitscope::script::core::{ChannelId, CtorId, GlobalId, VariableId};
use orbitscope::source::Diagnostic;

/// What the scripts here can use.
const PRELUDE: &str = "
channel a
channel n : {0..3}
channel nb : {0..3}.Bool
channel nn : {0..3}.{0..3}
datatype T = A | B.{0..3} | C.{0..3}.Bool | D.T
datatype P = Stopped | Holds.Proc
channel t : T
";

/// Code and place of every error in a script after the prelude.
pub fn found(text: &str) -> Vec<(&'static str, String)> {
    let checked = checked(&format!("{PRELUDE}{text}\n"));
    let sources = &checked.script.sources;
    let place = |d: &Diagnostic| d.span.map_or("", |s| sources.text(s)).to_owned();
    errors(&checked)
        .into_iter()
        .map(|d| (d.code, place(d)))
        .collect()
}

#[track_caller]
pub fn fine(texts: &[&str]) {
    for text in texts {
        assert_eq!(found(text), [], "{text}");
    }
}

/// Each script has one error, of this code, at this text.
#[track_caller]
pub fn wrong(cases: &[(&str, &str, &str)]) {
    for (text, code, place) in cases {
        let found = found(text);
        let found: Vec<(&str, &str)> = found.iter().map(|(c, p)| (*c, p.as_str())).collect();
        assert_eq!(found, [(*code, *place)], "{text}");
    }
}

/// The error in a script after the prelude.
#[track_caller]
pub fn error(text: &str) -> Diagnostic {
    let checked = checked(&format!("{PRELUDE}{text}\n"));
    let errors = errors(&checked);
    assert_eq!(errors.len(), 1, "{errors:?}");
    errors[0].clone()
}

/// The type of a top-level name.
#[track_caller]
fn type_of(text: &str, name: &str) -> String {
    let checked = checked(&format!("{PRELUDE}{text}\n"));
    assert_eq!(errors(&checked), Vec::<&Diagnostic>::new(), "{text}");
    let globals = &checked.script.globals;
    let at = globals.iter().position(|g| &*g.name == name);
    checked
        .types
        .show(GlobalId(at.expect("it is defined") as u32))
}

#[track_caller]
fn types(cases: &[(&str, &str)]) {
    for (text, expected) in cases {
        assert_eq!(type_of(text, "f"), *expected, "{text}");
    }
}

// ----------------------------------------------------------------------------------- plain rules

#[test]
fn literals_and_operators() {
    types(&[
        ("f = 1 + 2 * 3", "Int"),
        ("f = -1 / 2 % 3", "Int"),
        ("f = true and not False or 1 < 2", "Bool"),
        ("f = 'c'", "Char"),
        ("f = \"text\"", "<Char>"),
        ("f = (1, true, 'c')", "(Int, Bool, Char)"),
        ("f = <1, 2> ^ <3..5>", "<Int>"),
        ("f = #<true>", "Int"),
        ("f = {1..}", "{Int}"),
        ("f = (| 1 => true |)", "(| Int => Bool |)"),
        ("f(x) = if x then 1 else 2", "(Bool) -> Int"),
        ("f = \\ x, y @ x + y", "(Int, Int) -> Int"),
        ("f(x, y) = x == y", "Eq a => (a, a) -> Bool"),
        ("f(x, y) = x < y", "Ord a => (a, a) -> Bool"),
        ("f(x) = {x}", "Set a => (a) -> {a}"),
        (
            "f = { x + y | x <- {1, 2}, (y, true) <- {(1, true)} }",
            "{Int}",
        ),
        ("f = < (x, y) | x <- <1, 2>, y <- \"ab\" >", "<(Int, Char)>"),
    ]);
    wrong(&[
        ("f = 1 + true", "E0301", "true"),
        ("f = not 1", "E0301", "1"),
        ("f = <1, 'c'>", "E0301", "'c'"),
        ("f = {1, true}", "E0301", "true"),
        ("f = <1> ^ {2}", "E0301", "{2}"),
        ("f = #{1}", "E0301", "{1}"),
        ("f = {1..true}", "E0301", "true"),
        ("f = if true then 1 else 'c'", "E0301", "'c'"),
        ("f = (| 1 => 2, true => 3 |)", "E0301", "true"),
        ("f = 1 == true", "E0301", "true"),
        ("f = { x | x <- {1}, x }", "E0301", "x"),
        ("f = < x | x <- {1} >", "E0301", "{1}"),
        ("f = { x | x <- <1> }", "E0301", "<1>"),
    ]);
}

#[test]
fn functions_and_arguments() {
    types(&[
        ("f(x)(y) = x + y", "(Int) -> (Int) -> Int"),
        ("f() = 1", "() -> Int"),
        ("f(g, x) = g(g(x))", "((a) -> a, a) -> a"),
        ("f(<>) = 0\nf(<x>^s) = x + f(s)", "(<Int>) -> Int"),
        ("f({}) = 0\nf({x}) = x", "({Int}) -> Int"),
        (
            "f(x @@ (y, z)) = (x, y + 1)",
            "((Int, a)) -> ((Int, a), Int)",
        ),
        ("f(x) = error(\"no\")", "(a) -> b"),
        ("f = let id(x) = x within (id(1), id(true))", "(Int, Bool)"),
        ("f = mapLookup(mapFromList(<(1, 'c')>), 1)", "Char"),
        ("f = set(concat(<<1>>))", "{Int}"),
    ]);
    wrong(&[
        ("g(x) = x\nf = g(1, 2)", "E0305", "g(1, 2)"),
        ("f = head(<>, <>)", "E0305", "head(<>, <>)"),
        ("f = let g(x) = x within g()", "E0305", "g()"),
        ("f = 3(4)", "E0304", "3"),
        ("g(x) = x + 1\nf = g(true)", "E0301", "true"),
        ("f(0) = 1\nf(true) = 2", "E0301", "true"),
        ("f(0) = 1\nf(1) = true", "E0301", "true"),
        ("f(x) = f", "E0302", "f"),
        ("f(x) = x(x)", "E0302", "x"),
        ("f(<x>^y) = x + y", "E0301", "y"),
    ]);
}

#[test]
fn only_functions_and_annotated_values_of_a_let_are_polymorphic() {
    fine(&[
        "f = let g(x) = <x> within (g(1), g(true))",
        "f = let g :: <a>\n g = <> within (<1>^g, <true>^g)",
    ]);
    wrong(&[("f = let g = <> within (<1>^g, <true>^g)", "E0301", "g")]);
}

// ------------------------------------------------------------------------------------ constraints

#[test]
fn equality() {
    fine(&[
        "f = {1} == {2} and <A> == <> and (1, a) != (2, a) and (B.0) == A",
        "f = (| 1 => 2 |) == emptyMap",
        "g(x, s) = member(x, s)\nf = g(n.0, {|n|})",
    ]);
    wrong(&[
        ("f = STOP == SKIP", "E0303", "STOP"),
        ("f = {STOP} == {}", "E0303", "{STOP}"),
        ("f = elem(STOP, <>)", "E0303", "STOP"),
        ("f = card({STOP})", "E0303", "{STOP}"),
        ("f = Stopped == Stopped", "E0303", "Stopped"),
        ("f = (Holds.STOP) == Stopped", "E0303", "(Holds.STOP)"),
        ("g(x, y) = x == y\nf = g(STOP, STOP)", "E0303", "STOP"),
        ("g({x}) = 1\nf = g({STOP})", "E0303", "{STOP}"),
        ("channel c : P", "E0303", "P"),
        ("channel c : {\\ x @ x}", "E0303", "\\ x @ x"),
    ]);
    // A datatype that holds processes by way of another.
    wrong(&[("datatype Q = R.P | S.Q\nf(x) = x == (S.x)", "E0303", "x")]);
}

#[test]
fn order() {
    fine(&["f = 1 < 2 and 'a' <= 'b' and {1} < {2} and <A> <= <A> and (1, 'c') > (0, 'd')"]);
    wrong(&[
        ("f = true < false", "E0303", "true"),
        ("f = A < A", "E0303", "A"),
        ("f = a < a", "E0303", "a"),
        ("f = STOP < STOP", "E0303", "STOP"),
        ("f = {STOP} < {}", "E0303", "{STOP}"),
    ]);
}

#[test]
fn elements_of_sets_and_keys() {
    fine(&["f = {STOP, SKIP}", "f = {{STOP}}", "f = (| STOP => 1 |)"]);
    wrong(&[
        ("f = {\\ x @ x}", "E0303", "\\ x @ x"),
        ("f = Map({}, {\\ x @ x})", "E0303", "\\ x @ x"),
        ("f = set(<\\ x @ x>)", "E0303", "<\\ x @ x>"),
    ]);
}

#[test]
fn complete_values() {
    fine(&[
        "channel c : T.{A, B.0}",
        "datatype U = X.{B.0, A}",
        "nametype U = {B.0}",
        "f = t?x:{B.0, A} -> STOP",
    ]);
    wrong(&[
        ("channel c : {B}", "E0303", "{B}"),
        ("datatype U = X.{B}", "E0303", "{B}"),
        ("nametype U = {B}", "E0303", "{B}"),
        (
            "datatype U = G.{0} | H.{1}\nchannel c : U\nf = c?x:{G, H}?y -> STOP",
            "E0303",
            "x",
        ),
    ]);
    assert_eq!(
        found("datatype U = G.{0}\nchannel c : U\nf = c?x?y -> STOP").len(),
        1
    );
}

#[test]
fn yieldable_values() {
    types(&[
        ("f = {| n, a, nb.0 |}", "{Event}"),
        ("f = {| B, C.0 |}", "{T}"),
        ("f(x) = {| x |}", "Yieldable b => (a=>*b) -> {b}"),
        ("f = productions(n)", "{Event}"),
        ("f = extensions(nb)", "{Int.Bool}"),
        ("f(x) = extensions(x)", "Yieldable b => (a=>b) -> {a}"),
    ]);
    wrong(&[
        ("f = {| 1 |}", "E0303", "1"),
        ("f = {| n, B |}", "E0301", "B"),
        ("f = productions(<1>)", "E0303", "<1>"),
        ("f = extensions(a)", "E0301", "a"),
    ]);
}

// ------------------------------------------------------------------------------------------- dots

#[test]
fn fields_of_channels_and_constructors() {
    types(&[
        ("f = nb", "Int=>Bool=>Event"),
        ("f = nb.0", "Bool=>Event"),
        ("f = nb.0.true", "Event"),
        ("f(x) = nb.x", "(Int.Bool) -> Event"),
        ("f(x) = nb.x.true", "(Int) -> Event"),
        ("f(x) = D.x", "(T) -> T"),
        ("f = t.C.0.true", "Event"),
        ("f = t.D.D.A", "Event"),
        ("f(B.x) = x\nf(C.x.y) = if y then x else 0", "(T) -> Int"),
        ("f(nb.x) = x", "(Event) -> Int.Bool"),
        ("f(x.y) = x", "(a.b) -> a"),
        ("f(x, y) = x.y", "(a, b) -> a.b"),
        ("f(c, x) = c.x -> STOP", "(a=>Event, a) -> Proc"),
        (
            "f(c) = c?x -> c!x -> STOP",
            "Complete a => (a=>Event) -> Proc",
        ),
    ]);
    wrong(&[
        ("f = n.true", "E0301", "true"),
        ("f = B.true", "E0301", "true"),
        ("f = C.0.1", "E0301", "1"),
        ("f = t.B.true -> STOP", "E0301", "true"),
        ("f(B.x) = not x", "E0301", "x"),
        ("f = n.0.1 -> STOP", "E0307", "n.0.1"),
        ("f = nb.0 -> STOP", "E0306", "nb.0"),
        ("f = n -> STOP", "E0306", "n"),
        ("f = A -> STOP", "E0301", "A"),
        ("f = n?x?y -> STOP", "E0307", "n?x?y"),
    ]);
}

#[test]
fn what_is_whole_is_not_split() {
    wrong(&[
        ("g(x.y) = y\nf = g(B)", "E0301", "B"),
        ("g(x.y) = y\nf = g(n.0)", "E0301", "n.0"),
        ("x.y = B", "E0301", "B"),
        ("f = let x.y = n.0 within x", "E0301", "n.0"),
        ("f :: (T) -> Bool\nf(_.b) = b", "E0301", "_.b"),
    ]);
}

#[test]
fn events_with_input() {
    fine(&[
        "f = nb?x -> nb!x -> STOP",
        "f = nb?x?y -> nb.x!y -> STOP",
        "f = nb?x.y -> nb!x!y -> STOP",
        "f = t?B.x -> n!x -> STOP",
        "f = nb$x?y:{true} -> STOP",
        "f(c, x) = let y = {| x |} within c?y : {x} -> c?x -> STOP",
    ]);
    wrong(&[
        ("f = n?x -> a!x -> STOP", "E0307", "a!x"),
        ("f = nb?x -> n!x -> STOP", "E0307", "n!x"),
        ("f = n?x:<1> -> STOP", "E0301", "<1>"),
        ("f = n?x:{true} -> STOP", "E0301", "x"),
        ("f = n?true -> STOP", "E0301", "true"),
    ]);
}

// -------------------------------------------------------------------------------------- processes

#[test]
fn operators_of_processes() {
    fine(&[
        "f = (STOP [] SKIP |~| DIV) ||| (a -> STOP ; SKIP) /\\ STOP [> STOP",
        "f = STOP [| {|n|} |] STOP [[ n <- n, n.0 <- a ]] \\ {a} |\\ {a}",
        "f = (STOP [ {a} || {|n|} ] STOP) [| {a} |> STOP",
        "f = STOP [ n <-> n ] STOP",
        "f = [] x : {0..3} @ n.x -> STOP",
        "f = ; x : <0, 1> @ n.x -> SKIP",
        "f = || x : {0..3} @ [{n.x}] n.x -> STOP",
        "f = STOP [[ nb.x <- nb.y | x <- {0..3}, y <- {0..3} ]]",
        "f = STOP [+ {a} +] (STOP /+ {a} +\\ STOP)",
        "f = 1 < 2 & STOP",
    ]);
    wrong(&[
        ("f = STOP [] 1", "E0301", "1"),
        ("f = STOP \\ a", "E0301", "a"),
        ("f = STOP \\ {n}", "E0301", "{n}"),
        ("f = STOP [| {1} |] STOP", "E0301", "{1}"),
        ("f = STOP [[ n <- a ]]", "E0301", "a"),
        ("f = STOP [[ n <- nb ]]", "E0301", "nb"),
        ("f = STOP [[ A <- A ]]", "E0301", "A"),
        ("f = STOP [ n <-> a ] STOP", "E0301", "a"),
        ("f = 1 & STOP", "E0301", "1"),
        ("f = ; x : {0} @ STOP", "E0301", "{0}"),
        ("f = [] x : <0> @ STOP", "E0301", "<0>"),
        ("assert a [T= STOP", "E0301", "a"),
        ("assert STOP :[has trace]: <a, n>", "E0301", "n"),
        ("assert STOP [T= STOP :[tau priority]: {n}", "E0301", "{n}"),
    ]);
}

// ------------------------------------------------------------------------------------ declarations

#[test]
fn declared_types() {
    fine(&[
        "nametype R = {0..3}.Bool\nchannel c : R\nf = c.0.true -> STOP",
        "subtype S = B.{0} | A\nf(x) = member(x, S)\ng = f(D.A)",
        "subtype S = C.{0}\nchannel c : S",
        "channel c : ({0..1}, Bool)\nf = c!(1, true) -> STOP",
        "datatype L = Nil | Cons.{0..1}.L\nf = (Cons.0.Cons.1.Nil) == Nil",
        "datatype U = V.W | X\ndatatype W = Y.U | Z\nf = V.Y.V.Z",
    ]);
    wrong(&[
        ("channel c : 3", "E0301", "3"),
        ("channel c : {}", "E0311", "c"),
        ("datatype U = X.{}", "E0311", "X"),
        ("datatype U = X.3", "E0301", "3"),
        ("nametype U = 3", "E0301", "3"),
        ("subtype S = B.{true}", "E0301", "{true}"),
        ("subtype S = B.{0}.{1}", "E0312", "{0}.{1}"),
    ]);
}

#[test]
fn annotations() {
    fine(&[
        "f :: Eq a => (a, {a}) -> Bool\nf(x, s) = member(x, s)",
        "f :: (a=>*Event, a=>*T) -> Proc\nf(x, y) = STOP\ng = f(a, A)",
        "f :: Set k => (k, v) -> (| k => v |)\nf(k, v) = (| k => v |)",
        "f :: (T) -> T\nf(B.x) = D.B.x\nf(x) = x",
        "f :: Int=>Bool=>Event\nf = nb",
        "f :: Ord a => (a, a) -> Bool\nf(x, y) = x < y or x == y",
        "f :: ((a) -> b, <a>) -> <b>\nf(g, s) = <g(x) | x <- s>",
        "x, y :: Int\nx = 1\ny = 2",
    ]);
    wrong(&[
        ("f :: Bool\nf = 3", "E0301", "3"),
        ("f :: (a) -> a\nf(x) = x + 1", "E0310", "x"),
        ("f :: (a, b) -> a\nf(x, y) = y", "E0310", "y"),
        ("f :: (a, a) -> Bool\nf(x, y) = x == y", "E0310", "x"),
        ("f :: (a) -> {a}\nf(x) = {x}", "E0310", "x"),
        ("f :: Nonsense\nf = 1", "E0308", "Nonsense"),
        ("f :: Foo a => (a) -> a\nf(x) = x", "E0309", "Foo"),
        ("f :: (Int=>*Event) -> Proc\nf(x) = STOP", "E0314", "Int"),
        ("f :: (Int) -> Int\nf(x, y) = x", "E0305", "f"),
        ("f :: Int\nf(x) = x", "E0305", "f"),
        (
            "f = let g :: (a) -> a\n g(x) = x + 1 within g(1)",
            "E0310",
            "x",
        ),
    ]);
}

// ---------------------------------------------------------------------------------------- messages

/// The texts under the second places.
fn labels(d: &Diagnostic) -> Vec<&str> {
    d.labels.iter().map(|l| l.text.as_str()).collect()
}

#[test]
fn both_places_are_shown() {
    let d = error("f(x) = if x then x + 1 else 0");
    assert_eq!(labels(&d), ["found to be Bool here"]);
    let d = error("g(b) = not b\nf = g(1)");
    assert_eq!(labels(&d), ["the parameter that it is for"]);
    let d = error("f = <1, true>");
    assert_eq!(labels(&d), ["as this one"]);
    let d = error("f = nb.0 -> STOP");
    assert_eq!(
        labels(&d),
        ["the channel is declared here: Int=>Bool=>Event"]
    );
    let d = error("g(x, y) = x + y\nf = g(1)");
    assert_eq!(d.message, "`g` takes 2 arguments, but 1 is given");
    assert_eq!(labels(&d), ["defined here, for (Int, Int)"]);
}

#[test]
fn the_declaration_that_a_type_comes_from_is_shown() {
    let d = error("f = (n.0) + 1");
    assert_eq!(labels(&d), ["`n` is declared here: Int=>Event"]);
    let d = error("g(x.y) = y\nf = g(B)");
    let expected = [
        "`B` is declared here: Int=>T",
        "the parameter that it is for",
    ];
    assert_eq!(labels(&d), expected);
    let d = error("g(x) = {x}\nf = g(1) + 2");
    assert_eq!(labels(&d), ["`g` is declared here: (a) -> {a}"]);
    let d = error("f = Stopped == Stopped");
    assert!(labels(&d).contains(&"this constructor holds what cannot be"));
}

#[test]
fn the_definition_is_named() {
    let d = error("f(x) = x + true");
    assert_eq!(d.notes, ["in the definition of `f`"]);
    let d = error("f = let g = 1 + true within g");
    assert_eq!(d.notes, ["in the definition of `g`"]);
    let d = error("channel c : 3");
    assert_eq!(d.notes, ["in the channel `c`"]);
    let d = error("assert 3 :[deadlock free]");
    assert_eq!(d.notes, ["in this assertion"]);
}

#[test]
fn a_broken_definition_causes_no_other_errors() {
    wrong(&[
        ("g(x) = x + true\nf = g(STOP) and g(2, 3)", "E0301", "true"),
        ("g = 1 + true\nf = g [] STOP\nh = not g", "E0301", "true"),
        ("channel c : 3\nf = c.1.2!3 -> STOP", "E0301", "3"),
        (
            "datatype U = X.3 | Y\nf(X.2) = 1\ng = Y == X.true",
            "E0301",
            "3",
        ),
        ("Q = a -> 3\nf = Q [] a -> Q", "E0301", "3"),
    ]);
    let both = found("g(x) = x + true\nf = g(1) + 'c'\nh = not 3");
    let codes: Vec<&str> = both.iter().map(|(_, place)| place.as_str()).collect();
    assert_eq!(codes, ["true", "'c'", "3"]);
}

// ----------------------------------------------------------------------------- asking for types

#[test]
fn types_of_channels_constructors_and_variables_can_be_asked_for() {
    let text = format!("{PRELUDE}f(x) = let g(y) = (x + 1, y) within g(true)\n");
    let checked = checked(&text);
    let script = &checked.script;
    let channel = script.channels.iter().position(|c| &*c.name == "nb");
    let channel = ChannelId(channel.expect("it is declared") as u32);
    assert_eq!(checked.types.show_channel(channel), "Int=>Bool=>Event");
    let ctor = script.ctors.iter().position(|c| &*c.name == "C");
    let ctor = CtorId(ctor.expect("it is declared") as u32);
    assert_eq!(checked.types.show_ctor(ctor), "Int=>Bool=>T");
    let local = |name: &str| {
        let at = script.locals.iter().position(|l| &**l == name);
        checked
            .types
            .show_local(VariableId(at.expect("it is bound") as u32))
    };
    assert_eq!(local("x"), "Int");
    assert_eq!(local("g"), "(a) -> (Int, a)");
}
