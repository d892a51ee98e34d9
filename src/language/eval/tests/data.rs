//! Expressions and what they evaluate to.

use super::support::{global_value, load};

/// Declarations that the expressions below may use.
const PRELUDE: &str = "
datatype Colour = Red | Green | Blue
subtype Warm = Red
datatype Op = Put.Colour | Get
datatype Tree = Leaf | Fork.Tree.Tree
datatype Deep = Mk.Op.Int
nametype Pair = {0..1}.Colour
channel c : {0..2}.Colour
channel d : Pair
channel o : Colour.Op
channel i : Int
channel tick
fact(n) = if n == 0 then 1 else n * fact(n - 1)
curried(x)(y, z) = x + y * z
twice(f) = \\ x @ f(f(x))
rev(<>) = <>
rev(<x>^s) = rev(s)^<x>
name(Put.x) = (1, x)
name(Get) = (2, Red)
last(s^<x>) = x
first(c.x.y) = (x, y)
one({x}) = x
one(_) = 0
(left, right) = (3, 4)
<p, q> = <5, 6>
count(n, m) = if n == 0 then m else count(n - 1, m + 1)
ignore(x, y) = x
fail = error(\"no\")
";

fn shown(expression: &str) -> String {
    let mut e = load(&format!("{PRELUDE}\nresult = {expression}\n"));
    let script = std::rc::Rc::clone(e.script());
    let index = script.globals.iter().position(|g| &*g.name == "result");
    let index = index.expect("defined");
    let id = crate::script::core::GlobalId(index as u32);
    match global_value(&mut e, id, script.globals[index].span) {
        Ok(v) => e.show(v),
        Err(d) => format!("{} {}", d.code, d.message),
    }
}

fn check(cases: &[(&str, &str)]) {
    let wrong: Vec<_> = cases
        .iter()
        .map(|(expression, value)| (*expression, *value, shown(expression)))
        .filter(|(_, value, found)| value != found)
        .collect();
    assert_eq!(wrong, []);
}

#[test]
fn arithmetic_and_functions() {
    check(&[
        ("1 + 2 * 3", "7"),
        ("(-7) / 2", "-4"),
        ("(-7) % 2", "1"),
        ("fact(20)", "2432902008176640000"),
        ("curried(1)(2, 3)", "7"),
        ("twice(\\ x @ x * 2)(5)", "20"),
        ("let f = curried(10) within f(1, 1)", "11"),
        (
            "let f(x) = if x == 0 then 0 else g(x - 1)\n g(x) = f(x) + 1 within f(3)",
            "3",
        ),
        ("let x = y\n y = 4 within x + 1", "5"),
        ("let (a, b) = (1, 2) within a + b", "3"),
        (
            "let k = 5\n f(x) = if x == 0 then k else f(x - 1) within f(9)",
            "5",
        ),
        ("left + right + p + q", "18"),
        ("count(100000, 0)", "100000"),
        ("ignore(1, fail)", "1"),
        ("ignore(1, head(<>))", "1"),
        ("let x = fail within 2", "2"),
        ("if 1 < 2 and not 2 < 1 then 'a' else 'b'", "'a'"),
        ("false and fail == 1", "false"),
    ]);
}

#[test]
fn sequences_sets_and_maps() {
    check(&[
        ("rev(<1..4>)", "<4, 3, 2, 1>"),
        ("<1, 2>^<3>", "<1, 2, 3>"),
        ("#<1..10>", "10"),
        ("<x * y | x <- <1..3>, y <- <x..3>, x != y>", "<2, 3, 6>"),
        ("\"ab\"^\"c\"", "\"abc\""),
        ("{3, 1, 2, 1}", "{1, 2, 3}"),
        ("{1..3} == {3, 2, 1}", "true"),
        (
            "{(x, y) | x <- {0..1}, y <- {x..1}}",
            "{(0, 0), (0, 1), (1, 1)}",
        ),
        ("card(Set({1..5}))", "32"),
        ("union({1}, {2})", "{1, 2}"),
        ("diff({1..5}, {2..3})", "{1, 4, 5}"),
        ("inter({1..5}, Int)", "{1, 2, 3, 4, 5}"),
        ("Union({{1}, {2, 3}})", "{1, 2, 3}"),
        ("Inter({{1, 2}, {2, 3}})", "{2}"),
        ("member(7, {3..})", "true"),
        ("member(<1, 1>, Seq({1}))", "true"),
        ("member(<1, 2>, Seq({1}))", "false"),
        ("seq({3, 1})", "<1, 3>"),
        ("set(<3, 1, 3>)", "{1, 3}"),
        ("<1, 2> <= <1, 2, 3>", "true"),
        ("{1} < {1, 2}", "true"),
        ("(1, 2) < (1, 3)", "true"),
        ("mapLookup((| 1 => 2, 3 => 4 |), 3)", "4"),
        ("mapToList(mapUpdate(emptyMap, 1, 2))", "<(1, 2)>"),
        ("mapDelete((| 1 => 2, 3 => 4 |), 1)", "(| 3 => 4 |)"),
        (
            "mapUpdateMultiple((| 1 => 2 |), <(1, 5), (2, 6)>)",
            "(| 1 => 5, 2 => 6 |)",
        ),
        ("mapMember(mapFromList(<(1, 2)>), 2)", "false"),
        ("{Red, Blue} == Colour", "false"),
        ("diff(Colour, Warm)", "{Green, Blue}"),
        ("show((Put.Red, <1>))", "\"(Put.Red, <1>)\""),
    ]);
}

#[test]
fn dots_and_patterns() {
    check(&[
        ("name(Put.Blue)", "(1, Blue)"),
        ("name(Get)", "(2, Red)"),
        ("last(<1, 2, 9>)", "9"),
        ("first(c.1.Red)", "(1, Red)"),
        ("one({4})", "4"),
        ("one({4, 5})", "0"),
        ("Op", "{Put.Red, Put.Green, Put.Blue, Get}"),
        ("{Put.x | x <- Warm}", "{Put.Red}"),
        ("Mk.Put.Red.5", "Mk.Put.Red.5"),
        ("let Mk.x.n = Mk.Put.Red.5 within (x, n)", "(Put.Red, 5)"),
        ("Fork.Leaf.(Fork.Leaf.Leaf)", "Fork.Leaf.Fork.Leaf.Leaf"),
        ("member(Fork.Leaf.Leaf, Tree)", "true"),
        ("{| c.1 |}", "{c.1.Red, c.1.Green, c.1.Blue}"),
        ("card({| c, d |})", "15"),
        ("card({| o |})", "12"),
        (
            "{| o.Red.Put |}",
            "{o.Red.Put.Red, o.Red.Put.Green, o.Red.Put.Blue}",
        ),
        ("extensions(d.1)", "{Red, Green, Blue}"),
        ("extensions(o.Red.Put)", "{Red, Green, Blue}"),
        ("productions(c.2)", "{c.2.Red, c.2.Green, c.2.Blue}"),
        ("member(i.77, {| i |})", "true"),
        ("member(tick, Events)", "true"),
        ("{x | c.x.Red <- {| c |}}", "{0, 1, 2}"),
        ("{x | Put.x <- Op}", "{Red, Green, Blue}"),
        ("{x | d.x <- {| d |}} == Pair", "true"),
        ("card(Pair)", "6"),
    ]);
}

#[test]
fn errors_have_codes() {
    for (expression, code) in [
        ("1 + head(<>)", "E0406"),
        ("card(Int)", "E0402"),
        ("{x | x <- Tree}", "E0402"),
        ("member(c.7.Red, {| c |})", "E0418"),
        ("diff(Seq({0}), Seq({1})) == {}", "E0423"),
        ("9223372036854775807 + 1", "E0404"),
        ("1 / 0", "E0405"),
        ("fail", "E0419"),
        ("last(<>)", "E0413"),
        ("let {x} = {1, 2} within x", "E0414"),
        ("let x = x within x", "E0410"),
        ("let f(x) = f(x) within f(1)", "E0411"),
        ("let f(x) = f(1 - x) within f(1)", "E0411"),
        ("let f(x) = 1 + f(x + 1) within f(1)", "E0421"),
        ("{x | x <- {0..9999999}}", "E0403"),
        ("mapLookup(emptyMap, 1)", "E0406"),
    ] {
        let found = shown(expression);
        assert!(found.starts_with(code), "{expression}: {found}");
    }
}
