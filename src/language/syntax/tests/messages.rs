//! What people read when they make the classic slips.

use std::path::Path;

use crate::source::render::render_all;
use crate::syntax::parse_text;

fn show(text: &str) -> String {
    let parsed = parse_text(Path::new("t.csp"), text);
    render_all(&parsed.diagnostics, &parsed.sources, false)
}

#[test]
fn negative_set() {
    insta::assert_snapshot!(show("S = {-1, 2}\nP = STOP"), @r#"
    error[E0102]: this comment is never closed
     --> t.csp:1:5
      |
    1 | S = {-1, 2}
      |     ^^ `{-` opens a comment
      |
      = help: a set that begins with a negative number needs a blank: `{ -1}`
    "#);
}

#[test]
fn map_without_blank() {
    insta::assert_snapshot!(show("m = (|1 => 2|)"), @r"
    error[E0123]: a map begins with `(| `, with a blank
     --> t.csp:1:5
      |
    1 | m = (|1 => 2|)
      |     ^^ a blank is missing after this
    ");
}

#[test]
fn equals_for_comparison() {
    insta::assert_snapshot!(show("f(x) = if x = 1 then STOP else SKIP"), @r"
    error[E0120]: `=` defines; it does not compare
     --> t.csp:1:13
      |
    1 | f(x) = if x = 1 then STOP else SKIP
      |             ^ write `==`
    ");
}

#[test]
fn parallel_without_alphabet() {
    insta::assert_snapshot!(show("P = Q || R"), @r"
    error[E0121]: `||` needs to know the alphabets
     --> t.csp:1:7
      |
    1 | P = Q || R
      |       ^^ no sets of events
      |
      = help: write `P [|A|] Q`, `P [A||B] Q` or `P ||| Q` between processes, `or` between conditions
    ");
}

#[test]
fn comparison_in_sequence() {
    insta::assert_snapshot!(show("s = <x | x <- t, x > 3>"), @r"
    error[E0122]: this `>` closes the sequence
     --> t.csp:1:20
      |
    1 | s = <x | x <- t, x > 3>
      |                    ^ - left over
      |                    |
      |                    closes `<…`
      |
      = help: inside `<…>` put comparisons in parentheses: `<x | x <- s, (x > 3)>`
    ");
}

#[test]
fn missing_within() {
    insta::assert_snapshot!(show("f(x) = let y = 1\nQ = STOP"), @r"
    error[E0103]: this `let` has no `within`
     --> t.csp:1:8
      |
    1 | f(x) = let y = 1
      |        ^^^ opened here
    2 | Q = STOP
      |        - the declaration ends here
    ");
}

#[test]
fn missing_else() {
    insta::assert_snapshot!(show("P = if b then STOP\nQ = STOP"), @r#"
    error[E0103]: this `if` is not complete: it needs `then` and `else`
     --> t.csp:1:5
      |
    1 | P = if b then STOP
      |     ^^           - the declaration ends here
      |     |
      |     opened here
    "#);
}

#[test]
fn missing_then() {
    insta::assert_snapshot!(show("P = if b STOP else SKIP"), @r#"
    error[E0101]: expected `then` or an operator, found `STOP`
     --> t.csp:1:10
      |
    1 | P = if b STOP else SKIP
      |          ^^^^ not expected here
    "#);
}

#[test]
fn double_ampersand() {
    insta::assert_snapshot!(show("P = a && b & STOP"), @r"
    error[E0126]: `&&` is not an operator of CSPm
     --> t.csp:1:7
      |
    1 | P = a && b & STOP
      |       ^^
      |
      = help: `and` between conditions; `b & P` is a guarded process
    ");
}

#[test]
fn exclamation_mark() {
    insta::assert_snapshot!(show("P = !b & STOP"), @r"
    error[E0126]: `!` does not negate
     --> t.csp:1:5
      |
    1 | P = !b & STOP
      |     ^ write `not`
      |
      = help: `c!x` is an output on a channel
    ");
}

#[test]
fn option_typo() {
    insta::assert_snapshot!(show("assert P :[deadlok free [F]]"), @r"
    error[E0110]: there is no property or option called `deadlok free`
     --> t.csp:1:12
      |
    1 | assert P :[deadlok free [F]]
      |            ^^^^^^^^^^^^ did you mean `deadlock free`?
    ");
}

#[test]
fn unclosed() {
    insta::assert_snapshot!(show("P = (a -> STOP\nQ = STOP"), @r#"
    error[E0103]: `(` is never closed: `)` is missing
     --> t.csp:1:5
      |
    1 | P = (a -> STOP
      |     ^        - the declaration ends here
      |     |
      |     opened here
    "#);
}

#[test]
fn missing_body() {
    insta::assert_snapshot!(show("P = a ->\nQ = STOP"), @r#"
    error[E0101]: this declaration is not complete
     --> t.csp:1:8
      |
    1 | P = a ->
      |        ^ expected an expression after this
    "#);
}

#[test]
fn two_errors() {
    insta::assert_snapshot!(show("P = a STOP\nQ = b ->-> STOP\nR = STOP"), @r#"
    error[E0101]: expected an operator, found `STOP`
     --> t.csp:1:7
      |
    1 | P = a STOP
      |       ^^^^ not expected here

    error[E0101]: expected an expression, found `->`
     --> t.csp:2:9
      |
    2 | Q = b ->-> STOP
      |         ^^ not expected here
    "#);
}

#[test]
fn chain() {
    insta::assert_snapshot!(show("P = Q [|A|] R [|B|] S\nb = x < y < z"), @r#"
    error[E0105]: parallel operators with alphabets cannot be chained without parentheses
     --> t.csp:1:15
      |
    1 | P = Q [|A|] R [|B|] S
      |     --------- ^^^^^ second operator
      |     |
      |     first one in here
      |
      = help: write `(P [|A|] Q) [|B|] R` or `P [|A|] (Q [|B|] R)`

    error[E0105]: comparisons cannot be chained without parentheses
     --> t.csp:2:11
      |
    2 | b = x < y < z
      |     ----- ^ second operator
      |     |
      |     first one in here
      |
      = help: write `x < y and y < z`
    "#);
}

#[test]
fn field_without_arrow() {
    insta::assert_snapshot!(show("P = c?x & STOP"), @r#"
    error[E0107]: a communication must be followed by `->` and a process
     --> t.csp:1:5
      |
    1 | P = c?x & STOP
      |     ^^^^ `?`, `!` and `$` are only allowed before `->`
    "#);
}

#[test]
fn long_arrow() {
    insta::assert_snapshot!(show("P = (a --> STOP)"), @r"
    error[E0124]: `--` begins a comment, also in `-->`
     --> t.csp:1:8
      |
    1 | P = (a --> STOP)
      |        ^^^ the rest of this line is a comment
      |
      = help: the arrow is `->`
    ");
}

#[test]
fn reserved_word() {
    insta::assert_snapshot!(show("f(print) = 1"), @r"
    error[E0125]: `print` is a reserved word and cannot be a name
     --> t.csp:1:3
      |
    1 | f(print) = 1
      |   ^^^^^ choose another name
    ");
}

#[test]
fn comparison_for_definition() {
    insta::assert_snapshot!(show("x == 3"), @r"
    error[E0128]: `==` compares; a definition needs `=`
     --> t.csp:1:3
      |
    1 | x == 3
      |   ^^ write `=`
    ");
}

#[test]
fn underscore() {
    insta::assert_snapshot!(show("f(x) = _ + 1"), @r"
    error[E0132]: `_` is only allowed in patterns
     --> t.csp:1:8
      |
    1 | f(x) = _ + 1
      |        ^
    ");
}

#[test]
fn minus_in_a_pattern() {
    insta::assert_snapshot!(show("f(-true) = 1"), @r"
    error[E0132]: in a pattern, a minus stands before a number only
     --> t.csp:1:4
      |
    1 | f(-true) = 1
      |    ^^^^
    ");
}

#[test]
fn glued_annotation() {
    insta::assert_snapshot!(show("f::(Int)->Int\nf(x) = x"), @r#"
    error[E0112]: a type annotation needs a blank beside `::`
     --> t.csp:1:2
      |
    1 | f::(Int)->Int
      |  ^^ write ` :: `
      |
      = help: without a blank, `a::b` means the `b` of the module `a`
    "#);
}

#[test]
fn stray_bracket() {
    insta::assert_snapshot!(show("P = f(x))"), @r"
    error[E0103]: this `)` closes nothing
     --> t.csp:1:9
      |
    1 | P = f(x))
      |         ^ nothing is open here
    ");
}

#[test]
fn hide_twice() {
    insta::assert_snapshot!(show("P = Q \\\\ {a}"), @r"
    error[E0126]: hiding is written with a single `\`
     --> t.csp:1:7
      |
    1 | P = Q \\ {a}
      |       ^^ one too many
    ");
}

#[test]
fn misplaced() {
    insta::assert_snapshot!(show("P = let channel c\nwithin STOP"), @r#"
    error[E0108]: a channel declaration cannot stand inside `let`
     --> t.csp:1:9
      |
    1 | P = let channel c
      |         ^^^^^^^^^ not allowed here
      |
      = help: move it to the top level of the file
    "#);
}

/// Each property and option may end with a colon, which is not that of the next option.
#[test]
fn properties_may_end_with_a_colon() {
    for form in [
        ":[deterministic]:",
        ":[deadlock free [F]]:",
        ":[livelock-free]: :[partial order reduce]",
        ":[deadlock free]::[tau priority]: {a}",
        ":[deadlock free]: [tau priority]: {a}",
        ":[deadlock free]\n: [tau priority over]: {a}",
        ":[divergence free]: :[partial order reduce [precise]]: :[symmetry reduce]::[tau priority]: {a}",
        ":[has trace]: <a> :[partial order reduce]:",
        "[T= P :[partial order reduce]:",
        "[F= P :[symmetry reduce]::[partial order reduce]:",
        "[FD= P :[symmetry reduce]: T :[partial order reduce]: [tau priority]: {}",
        ":[deadlock free] :[symmetry reduce]:",
        "[T= P :[partial order reduce] :[symmetry reduce]:",
        "[T= P :[symmetry reduce]: T, U",
    ] {
        let text = format!("channel a\nP = a -> P\nassert P {form}\nQ = P\n");
        let parsed = parse_text(Path::new("t.csp"), &text);
        assert!(
            parsed.diagnostics.is_empty(),
            "{form}: {:?}",
            parsed.diagnostics
        );
        assert_eq!(parsed.file.decls.len(), 4, "{form}");
    }
    // What follows the colon is a definition in each of its forms, and no list of types.
    for next in [
        "Q(x) = P",
        "f(x)(y) = x",
        "<x>^xs = <1, 2>",
        "(x, y) = (1, 2)",
        "x.y = 1.2",
    ] {
        let text = format!("channel a\nP = a -> P\nassert P [F= P :[symmetry reduce]:\n{next}\n");
        let parsed = parse_text(Path::new("t.csp"), &text);
        assert!(
            parsed.diagnostics.is_empty(),
            "{next}: {:?}",
            parsed.diagnostics
        );
    }
}

/// What textbooks and other tools write is told in the words of CSPm, at the right place.
#[test]
fn forms_of_textbooks_and_other_tools_are_translated() {
    for (text, place, message, hint) in [
        (
            "datatype\n\nchannel a",
            "1:1",
            "this `datatype` declares nothing",
            "datatype T = A | B",
        ),
        (
            "nametype\nchannel a : {0..1}",
            "1:1",
            "this `nametype` declares nothing",
            "nametype N = {0..3}",
        ),
        (
            "P = STOP |[ {a} ]| SKIP",
            "1:10",
            "is written `[|…|]`",
            "`P [|{a}|] Q`",
        ),
        (
            "P = STOP {a}||{b} SKIP",
            "1:10",
            "stand in brackets",
            "`P [{a}||{b}] Q`",
        ),
        (
            "P = STOP A||B SKIP",
            "1:10",
            "stand in brackets",
            "`P [A||B] Q`",
        ),
        (
            "P = (a -> STOP | b -> STOP)",
            "1:16",
            "`|` does not join processes",
            "write `[]`",
        ),
        (
            "P = a -> STOP | b -> STOP",
            "1:15",
            "`|` does not join processes",
            "write `[]`",
        ),
        (
            "P = mu X @ a -> X",
            "1:5",
            "`mu` is not CSPm",
            "`X = a -> X`",
        ),
        (
            "P = mu X . a -> X",
            "1:5",
            "`mu` is not CSPm",
            "`X = a -> X`",
        ),
        ("P = μ X @ a -> X", "1:5", "`μ` is not CSPm", "`X = a -> X`"),
        (
            "P = Q[[a/b]]",
            "1:9",
            "renaming is written with `<-`",
            "`P[[b <- a]]`",
        ),
        (
            "P = Q[[c <- d, a/b]]",
            "1:17",
            "renaming is written with `<-`",
            "`P[[b <- a]]`",
        ),
        (
            "P = Q[[a -> b]]",
            "1:10",
            "renaming is written with `<-`",
            "`P[[a <- b]]`",
        ),
        (
            "assert P |= LTL: \"[]<>a\"",
            "1:10",
            "temporal logic",
            "assert Spec [T= P",
        ),
        ("#define N 3;", "1:1", "`#define` is not CSPm", "`N = 3`"),
        (
            "P = STOP\n#define N 3",
            "2:1",
            "`#define` is not CSPm",
            "`N = 3`",
        ),
        (
            "channel c 0;",
            "1:11",
            "channels have no buffers",
            "`channel c : {0..3}`",
        ),
        (
            "#assert P() deadlockfree;",
            "1:1",
            "`#assert` is not CSPm",
            "`assert P :[deadlock free]`",
        ),
        (
            "P() = STOP\n#assert P() deadlockfree;",
            "2:1",
            "`#assert` is not CSPm",
            ":[deadlock free]",
        ),
    ] {
        let shown = show(text);
        let place = format!("t.csp:{place}\n");
        let right = shown.contains(&place) && shown.contains(message) && shown.contains(hint);
        assert!(right, "{text}:\n{shown}");
    }
}
