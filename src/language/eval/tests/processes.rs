//! The operators, step by step: each line of an expectation is a label and the state it leads to.

use super::support::{explore, load};

const PRELUDE: &str = "
datatype Colour = Red | Green
channel a, b, c, d
channel n, m : {0..2}
channel t : {0..1}.Colour
";

fn steps(script: &str, process: &str) -> Vec<String> {
    let mut e = load(&format!("{PRELUDE}\n{script}\nROOT = {process}\n"));
    let root = match e.process_named("ROOT") {
        Ok(root) => root,
        Err(d) => return vec![format!("{} {}", d.code, d.message)],
    };
    match e.step(root) {
        Ok(steps) => steps
            .into_iter()
            .map(|(label, next)| format!("{} {}", e.show_event(label), e.show_term(next)))
            .collect(),
        Err(d) => vec![format!("{} {}", d.code, d.message)],
    }
}

fn check(script: &str, process: &str, expected: &[&str]) {
    assert_eq!(steps(script, process), expected, "{process}");
}

#[test]
fn prefixes() {
    check("", "a -> STOP", &["a STOP"]);
    check(
        "",
        "n?x -> m!x -> STOP",
        &["n.0 ROOT.m(0)", "n.1 ROOT.m(1)", "n.2 ROOT.m(2)"],
    );
    check("", "n?x:{1, 2} -> STOP", &["n.1 STOP", "n.2 STOP"]);
    check(
        "",
        "t?x -> SKIP",
        &[
            "t.0.Red SKIP",
            "t.0.Green SKIP",
            "t.1.Red SKIP",
            "t.1.Green SKIP",
        ],
    );
    check(
        "",
        "t?x?y:{Red} -> P(x)\nP(x) = n!x -> STOP",
        &["t.0.Red P(0)", "t.1.Red P(1)"],
    );
    check("", "t?x.Red -> STOP", &["t.0.Red STOP", "t.1.Red STOP"]);
    check("", "t.1?x -> STOP", &["t.1.Red STOP", "t.1.Green STOP"]);
    check(
        "P(e) = e?x -> STOP",
        "P(t.0)",
        &["t.0.Red STOP", "t.0.Green STOP"],
    );
    check("", "[] e : {a, n.1} @ e -> STOP", &["a STOP", "n.1 STOP"]);
    check(
        "",
        "n!5 -> STOP",
        &[
            "E0418 `n.5` is outside the type of its channel: field 1 is `5`, which is not in `{0, 1, 2}`",
        ],
    );
    check(
        "",
        "n?x -> n!(x + 1) -> STOP",
        &["n.0 ROOT.n(0)", "n.1 ROOT.n(1)", "n.2 ROOT.n(2)"],
    );
}

/// A set of an input is taken at its word: all of it that the pattern matches goes through the channel.
#[test]
fn the_set_of_an_input_has_to_fit_the_field() {
    let script = "datatype D = A.{0..2} | B.{0..2}.{0..2} | C
        subtype S = A.{0..1} | C
        channel data : D
        channel sub : S
        subtype R = B.{0}.{0..1}
        channel part : R
        channel two : {0..2}.{0..3}
        channel joint : {0.1, 1.0}
        channel after : {0..1}.D.{0..1}
        channel seqs : {<>, <0>}";
    let outside = |process: &str, event: &str, part: &str| {
        let found = steps(script, process);
        let [message] = &found[..] else {
            panic!("{process}: {found:?}");
        };
        let start = format!("E0418 `{event}` is outside");
        let end = format!("is `{part}`, which is not in");
        let right = message.starts_with(&start) && message.contains(&end);
        assert!(right, "{process}: {message}");
    };
    outside("two?x:{2, 3}!1 -> STOP", "two.3", "3");
    outside("two$x:{2, 3}!1 -> STOP", "two.3", "3");
    outside("two!1?y:{3, 4} -> STOP", "two.1.4", "4");
    outside("two?x?y:{x + 3, 0} -> STOP", "two.1.4", "4");
    outside("two?p:{0.1, 1.5} -> STOP", "two.1.5", "5");
    outside("two?x.y:{1}.{5} -> STOP", "two.1.5", "5");
    outside("after?x:{1, 2}?z?y -> STOP", "after.2", "2");
    outside("after.0?z:{C, A.1}?y:{0, 7} -> STOP", "after.0.A.1.7", "7");
    outside("after.0.A?i:{1, 9}?y -> STOP", "after.0.A.9", "A.9");
    outside("after.0.B?i:{9}?k?y -> STOP", "B.9", "9");
    outside("data?(A.x):{C, A.i | i <- {2, 3}} -> STOP", "A.3", "3");
    outside("sub?x:{C, A.2} -> STOP", "sub.A.2", "A.2");
    outside("sub$x:{C, A.2} -> STOP", "sub.A.2", "A.2");
    outside("sub.A?x:{1, 2} -> STOP", "sub.A.2", "A.2");
    outside("part.B?i:{0, 1}?k -> STOP", "part.B.1", "B.1");
    outside("joint?p:{0.1, 1.1} -> STOP", "joint.1.1", "1.1");
    outside("joint.0?y:{0, 1} -> STOP", "joint.0.0", "0.0");
    // Without end, or too long to be listed.
    outside("two?x:Int!0 -> STOP", "two.-1", "-1");
    outside("two?x:{1..}!0 -> STOP", "two.3", "3");
    outside("two?x:{0..1000000000}!0 -> STOP", "two.3", "3");
    outside("two?4:Int!0 -> STOP", "two.4", "4");
    outside("seqs?s:Seq({0}) -> STOP", "seqs.<0, 0>", "<0, 0>");
    // What the pattern does not match is no event.
    for process in [
        "two?4!0 -> STOP",
        "two?1:{2, 7}!0 -> STOP",
        "sub?C:{A.2} -> STOP",
        "two?x:{}!9 -> STOP",
    ] {
        assert_eq!(steps(script, process), [""; 0], "{process}");
    }
    check(script, "two?2:Int!0 -> STOP", &["two.2.0 STOP"]);
    check(script, "sub?C:{C, A.2} -> STOP", &["sub.C STOP"]);
}

/// Paths are a name space of their own, whichever of them is nearer.
#[test]
fn plain_names_do_not_hide_modules() {
    let script = "module Lamp
exports
  glow = 7
  channel on
endmodule
module Outer
  module Lamp
  exports
    dim = 2
  endmodule
exports
  y = Lamp::glow + Lamp::dim - 2
endmodule
module Store(k)
exports
  v = k
endmodule
instance Left = Store(7)
glow = 7
channel two : {0..2}.{0..3}
F(Lamp) = n!(Lamp::glow % 3 + Lamp) -> STOP
G(Left) = n!(Left::v % 3 + Left) -> STOP
H(<Lamp>) = n!(Lamp::glow % 3 + Lamp) -> STOP";
    for process in [
        "F(0)",
        "G(0)",
        "H(<0>)",
        "(\\ Lamp @ n!(Lamp::glow % 3 + Lamp) -> STOP)(0)",
        "(let Lamp = 0 within n!(Lamp::glow % 3 + Lamp) -> STOP)",
        "(let Lamp(x) = x within n!(Lamp::glow % 3 + Lamp(0)) -> STOP)",
        "[] Lamp : {0} @ n!(Lamp::glow % 3 + Lamp) -> STOP",
        "n!head(<Lamp::glow % 3 + Lamp | Lamp <- <0>>) -> STOP",
        "n!(Outer::y % 3) -> STOP",
    ] {
        assert_eq!(steps(script, process), ["n.1 STOP"], "{process}");
    }
    check(
        script,
        "two?Lamp:{2}!(Lamp::glow % 3 + Lamp) -> STOP",
        &["two.2.3 STOP"],
    );
    check(
        script,
        "two?Left:{2}!(Left::v % 3 + Left) -> STOP",
        &["two.2.3 STOP"],
    );
}

/// What follows is evaluated once for several events: that has to be what follows each of them.
#[test]
fn what_follows_may_mention_some_inputs() {
    let script = "channel w : {0..2}.{0..1}.{0..2}
        channel s : {<>, <0>, <1, 2>}.{0..1}
        P(v) = n!(v % 3) -> STOP
        f(v) = v + 1";
    let sorted = |process: &str| {
        let mut all = steps(script, process);
        all.sort();
        all
    };
    let bodies = [
        "P(7)",
        "P(x)",
        "P(y)",
        "P(z)",
        "P(10 * x + z)",
        "P(x * y + z)",
        "(let g(v) = v + z within P(g(y)))",
        "(let u = f(x) within (let v = u + z within P(v)))",
        "n!z -> m!(x + z) -> STOP",
        "n?x -> m!(x + y) -> STOP",
        "(if y == 0 then P(z) else STOP)",
        "(|~| i : {x, z} @ P(i))",
    ];
    for body in bodies {
        let once = sorted(&format!("w?x?y?z -> {body}"));
        assert!(once.len() >= 18, "{once:?}");
        let each = format!("[] x : {{0..2}}, y : {{0..1}}, z : {{0..2}} @ w.x.y.z -> {body}");
        assert_eq!(once, sorted(&each), "{body}");
    }
    // Patterns that bind several variables, or none, and a field that mentions an input.
    let pairs = [
        (
            "w?x?_?z:{x..2} -> P(z)",
            "[] x : {0..2}, y : {0..1}, z : {x..2} @ w.x.y.z -> P(z)",
        ),
        (
            "w?x.y?z -> P(y)",
            "[] x : {0..2}, y : {0..1}, z : {0..2} @ w.x.y.z -> P(y)",
        ),
        (
            "w?x?y!x -> P(x)",
            "[] x : {0..2}, y : {0..1} @ w.x.y.x -> P(x)",
        ),
        ("s?<1, x>?y -> P(x)", "[] y : {0..1} @ s.<1, 2>.y -> P(2)"),
        (
            "s?x?y -> P(length(x))",
            "[] x : {<>, <0>, <1, 2>}, y : {0..1} @ s.x.y -> P(length(x))",
        ),
    ];
    for (once, each) in pairs {
        let once = sorted(once);
        assert!(once.len() >= 2, "{once:?}");
        assert_eq!(once, sorted(each));
    }
}

#[test]
fn nondeterministic_fields() {
    check(
        "",
        "n$x:{0, 2} -> STOP",
        &["τ ROOT.$(n.0)", "τ ROOT.$(n.2)"],
    );
    check(
        "",
        "n$x:{} -> STOP",
        &["E0420 internal choice over the empty set is not defined"],
    );
    let mut e = load(&format!("{PRELUDE}\nROOT = t$x?y -> m!x -> ROOT\n"));
    let root = e.process_named("ROOT").expect("evaluates");
    assert_eq!(explore(&mut e, root, 100).expect("steps"), (5, 8));
}

#[test]
fn choices() {
    check("", "a -> STOP [] b -> SKIP [] STOP", &["a STOP", "b SKIP"]);
    check("", "a -> STOP |~| b -> STOP", &["τ ROOT.a", "τ ROOT.b"]);
    check(
        "P = a -> STOP |~| b -> STOP",
        "P [] c -> STOP",
        &["τ P.a [] ROOT.c", "τ P.b [] ROOT.c", "c STOP"],
    );
    check("", "SKIP [] a -> STOP", &["a STOP", "✓ Ω"]);
    check(
        "",
        "|~| x : {0..1} @ n!x -> STOP",
        &["τ ROOT.n(0)", "τ ROOT.n(1)"],
    );
    check("", "[] x : {0..1} @ n!x -> STOP", &["n.0 STOP", "n.1 STOP"]);
    check("", "[] x : {} @ n!x -> STOP", &[]);
    check(
        "",
        "|~| x : {} @ n!x -> STOP",
        &["E0420 internal choice over the empty set is not defined"],
    );
    check("", "(a -> STOP) [> (b -> STOP)", &["a STOP", "τ ROOT.b"]);
    check("", "1 > 2 & a -> STOP [] b -> STOP", &["b STOP"]);
}

#[test]
fn sequence_and_takeover() {
    check("", "SKIP ; a -> STOP", &["τ ROOT.a"]);
    check("P = a -> SKIP ; P", "P", &["a SKIP ; P.P"]);
    check(
        "",
        "(a -> STOP) /\\ (b -> STOP)",
        &["a STOP /\\ ROOT.b", "b STOP"],
    );
    check("", "SKIP /\\ (b -> STOP)", &["✓ Ω", "b STOP"]);
    check("", "(a -> b -> STOP) [| {a} |> SKIP", &["a SKIP"]);
    check(
        "",
        "(a -> b -> STOP) [| {b} |> SKIP",
        &["a ROOT.b [|{b}|> SKIP"],
    );
    check("", "; x : <0, 1> @ n!x -> SKIP", &["n.0 SKIP ; ROOT.n(1)"]);
    check("", "; x : <> @ n!x -> SKIP", &["✓ Ω"]);
}

// Long: a table of processes and their steps, which is read row by row.
#[test]
fn parallel_operators() {
    check(
        "",
        "(a -> SKIP) ||| (b -> STOP)",
        &["a ROOT.b ||| SKIP", "b ROOT.a ||| STOP"],
    );
    check("", "SKIP ||| SKIP", &["τ Ω ||| SKIP"]);
    check("", "SKIP ||| STOP", &["τ Ω ||| STOP"]);
    check("", "||| x : {} @ STOP", &["✓ Ω"]);
    check(
        "",
        "(a -> STOP) [| {a} |] (a -> SKIP)",
        &["a STOP [|{a}|] SKIP"],
    );
    check(
        "",
        "(a -> STOP) [| {a} |] (b -> SKIP)",
        &["b ROOT.a [|{a}|] SKIP"],
    );
    check(
        "",
        "(a -> b -> STOP) [ {a} || {a, b} ] (a -> STOP)",
        &["a ROOT.b || STOP"],
    );
    check(
        "",
        "(b -> STOP) [ {a} || {a, b} ] (b -> STOP)",
        &["b ROOT.b || STOP"],
    );
    check(
        "",
        "(a -> STOP) [a <-> b] (b -> SKIP)",
        &["τ STOP [{(a, b)}] SKIP"],
    );
    check(
        "",
        "(c -> STOP) [a <-> b] (b -> SKIP)",
        &["c STOP [{(a, b)}] ROOT.b"],
    );
    for (links, told) in [
        ("a <-> b, a <-> c", "`a` of the left is linked twice"),
        ("a <-> c, b <-> c", "`c` of the right is linked twice"),
        ("a <-> b, a <-> b", "`a` of the left is linked twice"),
        (
            "n.x <-> n.0 | x <- {1, 2}",
            "`n.0` of the right is linked twice",
        ),
        ("n <-> n, n.1 <-> n.1", "`n.1` of the left is linked twice"),
    ] {
        let told = format!("E0446 {told}");
        check("", &format!("(a -> STOP) [{links}] STOP"), &[&told]);
        check("", &format!("[{links}] i : <1, 2> @ STOP"), &[&told]);
    }
    // What the last would be linked with need not make sense; and events of two sides may be the same.
    check("", "[a <-> b, a <-> c] i : <1> @ a -> STOP", &["a STOP"]);
    check(
        "",
        "(a -> STOP) [a <-> b, b <-> a] (c -> STOP)",
        &["c ROOT.a [{(a, b), (b, a)}] STOP"],
    );
    check(
        "",
        "(a -> b -> STOP) [+ {a} +] (a -> c -> STOP)",
        &["a ROOT.b [+{a}+] ROOT.c"],
    );
    check("", "(b -> STOP) [+ {a} +] (a -> STOP)", &["b STOP"]);
    check(
        "",
        "(a -> STOP) /+ {a} +\\ (a -> SKIP)",
        &["a STOP /+{a}+\\ SKIP"],
    );
    check(
        "",
        "(b -> STOP) /+ {a} +\\ (c -> SKIP)",
        &["b STOP /+{a}+\\ ROOT.c", "c SKIP"],
    );
}

#[test]
fn hiding_renaming_and_constants() {
    check("", "(a -> b -> SKIP) \\ {a}", &["τ ROOT.b \\ {a}"]);
    check("", "SKIP \\ {a}", &["✓ Ω"]);
    check("", "(a -> SKIP) |\\ {a}", &["a SKIP |\\ {a}"]);
    check("", "(a -> SKIP) |\\ {b}", &["τ SKIP |\\ {b}"]);
    check(
        "",
        "(n?x -> STOP)[[n <- m]]",
        &[
            "m.0 STOP[[{(n.0, m.0), (n.1, m.1), (n.2, m.2)}]]",
            "m.1 STOP[[{(n.0, m.0), (n.1, m.1), (n.2, m.2)}]]",
            "m.2 STOP[[{(n.0, m.0), (n.1, m.1), (n.2, m.2)}]]",
        ],
    );
    check(
        "",
        "(a -> STOP)[[a <- b, a <- c]]",
        &["b STOP[[{(a, b), (a, c)}]]", "c STOP[[{(a, b), (a, c)}]]"],
    );
    check("", "RUN({a, b})", &["a RUN({a, b})", "b RUN({a, b})"]);
    check("", "CHAOS({a})", &["τ STOP", "a CHAOS({a})"]);
    check("", "DIV", &["τ DIV"]);
    check("transparent sbisim", "sbisim(a -> STOP)", &["a STOP"]);
}

#[test]
fn equal_texts_share_a_control_state() {
    let mut e = load(
        "channel a, b : {0..1}\n\
         P(x) = a.x -> b!x -> Q(x)\n\
         Q(y) = a.y -> b!y -> Q(y)\n\
         F(p) = b!p -> Q(p)\n",
    );
    // P and Q have one body, and what follows its event is F.
    assert_eq!(e.control_count(), 2);
    assert!(e.process_named("P").is_err());
}

#[test]
fn dead_variables_are_cut() {
    let mut e = load(
        "channel a : {0..3}\nP(x, y) = a.x -> Q(y)\nQ(y) = a.y -> STOP\n\
         R = P(0, 1)\nS = a?z -> Q(1)\n",
    );
    let r = e.process_named("R").expect("evaluates");
    assert_eq!(explore(&mut e, r, 10).expect("steps"), (3, 2));
    let description = e.describe(r);
    assert_eq!(description.name, "P");
    let args: Vec<String> = description.args.iter().map(|a| a.0.clone()).collect();
    assert_eq!(args, ["x", "y"]);
}

#[test]
fn local_definitions_may_be_processes() {
    for script in [
        "channel a\nP = let AS = a -> AS within AS \\ {a}\n",
        "channel a\nP = let X = (a -> SKIP) ; X within X\n",
        "channel a\nF(Y) = a -> Y\nP = F(P)\n",
        "channel a\nF(Y) = a -> SKIP ; Y\nP = F(P)\n",
        "channel a\nP = let F(0) = a -> F(1)\nF(n) = a -> G(n)\nG(n) = F(n - 1) within F(0)\n",
        "channel a\nAdd(P, Q) = P [| {a} |] Q\nA = a -> A\nP = Add(A, A)\n",
    ] {
        let mut e = load(script);
        let p = e.process_named("P").expect("evaluates");
        let (states, _) = explore(&mut e, p, 100).expect("steps");
        assert!(states <= 5, "{script}: {states}");
    }
}

#[test]
fn interleaving_counts() {
    let mut e = load(
        "channel a, b : {0..3}\nP(i) = a.i -> b.i -> P(i)\nS = ||| i : {0..3} @ P(i)\n\
         T = || i : {0..3} @ [{| a.i, b |}] P(i)\n",
    );
    let s = e.process_named("S").expect("evaluates");
    assert_eq!(explore(&mut e, s, 1000).expect("steps"), (16, 64));
    let t = e.process_named("T").expect("evaluates");
    assert_eq!(explore(&mut e, t, 1000).expect("steps").0, 16);
}
