//! The built-in functions that make processes, step by step.

use super::support::load;

const PRELUDE: &str = "
channel a, b, c, d
channel n, m : {0..1}
external prioritise, prioritise_nocache, prioritisepo, loop, chase, deter, trace_watchdog
transparent normal
";

/// Every state that `ROOT` reaches, in the order of a search in breadth, as `state: label→number`.
fn graph(script: &str, root: &str) -> Vec<String> {
    let mut e = load(&format!("{PRELUDE}\n{script}\nROOT = {root}\n"));
    let mut states = match e.process_named("ROOT") {
        Ok(root) => vec![root],
        Err(d) => return vec![format!("{} {}", d.code, d.message)],
    };
    let mut lines = Vec::new();
    while lines.len() < states.len() {
        let t = states[lines.len()];
        let mut line = format!("{}:", e.show_term(t));
        for (label, next) in e.step(t).expect("steps") {
            let at = states.iter().position(|s| *s == next);
            let at = at.unwrap_or_else(|| {
                states.push(next);
                states.len() - 1
            });
            line += &format!(" {}→{at}", e.show_event(label));
        }
        lines.push(line);
    }
    lines
}

#[track_caller]
fn check(script: &str, root: &str, expected: &[&str]) {
    assert_eq!(graph(script, root), expected, "{root}");
}

#[test]
fn priority_by_levels() {
    // What is available counts, not what is first in the list.
    check(
        "",
        "prioritise(a -> STOP [] b -> STOP [] c -> STOP [] d -> STOP, <{a}, {b}, {c}>)",
        &[
            "prioritise(ROOT.a, <{a}, {b}, {c}>): a→1 d→1",
            "prioritise(STOP, <{a}, {b}, {c}>):",
        ],
    );
    check(
        "",
        "prioritise_nocache(b -> STOP [] c -> STOP, <{a}, {b}, {c}>)",
        &[
            "prioritise(ROOT.b, <{a}, {b}, {c}>): b→1",
            "prioritise(STOP, <{a}, {b}, {c}>):",
        ],
    );
    // Applied again to what follows, it is still applied once.
    check(
        "P = a -> prioritise(P, <{}, {a}>)",
        "P",
        &["P: a→1", "prioritise(P, <{}, {a}>): a→1"],
    );
    // τ and ✓ are as important as the first set; what is outside the order goes on beside them.
    let p = "((a -> STOP [] b -> STOP [] c -> STOP) [> STOP, <{a}, {b}>)";
    let first = &graph("", &format!("prioritise{p}"))[0];
    assert!(first.ends_with(": a→1 c→1 τ→1"), "{first}");
    let first = &graph("", "prioritise(SKIP [] a -> STOP [] b -> STOP, <{a}, {b}>)")[0];
    assert!(first.ends_with(": a→1 ✓→2"), "{first}");
    // An event of two sets belongs to the first.
    let first = &graph("", "prioritise(a -> STOP [] b -> STOP, <{}, {a, b}, {b}>)")[0];
    assert!(first.ends_with(": a→1 b→1"), "{first}");
    check(
        "",
        "prioritise(STOP, <>)",
        &["E0440 `prioritise` needs at least one set of events"],
    );
}

#[test]
fn priority_by_an_order() {
    let order = "{a, b, c, d}, {(a, b), (b, c)}, {a, d}";
    let first = |p: &str| graph("", &format!("prioritisepo({p}, {order})")).remove(0);
    // The order is closed: `a` is above `c` although `b` is not there.
    let line = first("a -> STOP [] c -> STOP [] d -> STOP");
    assert!(line.ends_with(": a→1 d→1"), "{line}");
    let line = first("b -> STOP [] c -> STOP [] d -> STOP");
    assert!(line.ends_with(": b→1 d→1"), "{line}");
    // What is not maximal is below τ and ✓.
    let line = first("(b -> STOP [] d -> STOP) [> STOP");
    assert!(line.ends_with(": d→1 τ→1"), "{line}");
    let line = first("b -> STOP [] SKIP");
    assert!(line.ends_with(": ✓→1"), "{line}");
    // Events that are not named are not held back.
    let line = first("(n.0 -> STOP) [> STOP");
    assert!(line.ends_with(": n.0→1 τ→1"), "{line}");
    let wrong = |rest: &str| graph("", &format!("prioritisepo(STOP, {rest})")).remove(0);
    assert_eq!(
        wrong("{a, b, c}, {(a, b), (b, c), (c, a)}, {}"),
        "E0442 the order of priorities is cyclic: `a` is below itself"
    );
    assert_eq!(
        wrong("{a, b}, {(a, b)}, {b}"),
        "E0443 `b` is said to be maximal, but `a` is above it"
    );
    assert_eq!(
        wrong("{a}, {}, {b}"),
        "E0441 `b` is not one of the events given to `prioritisepo`"
    );
}

#[test]
fn buffers() {
    check(
        "",
        "BUFFER(2, {(n.x, m.x) | x <- {0..1}})",
        &[
            "BUFFER(2, <>): n.0→1 n.1→2",
            "BUFFER(2, <m.0>): n.0→3 n.1→4 m.0→0",
            "BUFFER(2, <m.1>): n.0→5 n.1→6 m.1→0",
            "BUFFER(2, <m.0, m.0>): m.0→1",
            "BUFFER(2, <m.0, m.1>): m.0→2",
            "BUFFER(2, <m.1, m.0>): m.1→1",
            "BUFFER(2, <m.1, m.1>): m.1→2",
        ],
    );
    check(
        "",
        "BUFFER(0, {(a, b)})",
        &["E0444 the capacity of a buffer has to be at least 1, not 0"],
    );
    check(
        "",
        "BUFFER(1, {(a, b), (b, c)})",
        &["E0445 `b` is used twice by one buffer"],
    );
}

#[test]
fn loops() {
    check(
        "",
        "loop(a -> SKIP)",
        &["loop(ROOT.a): a→1", "SKIP ; loop(ROOT.a): τ→0"],
    );
    check("", "loop(SKIP)", &["loop(SKIP): τ→0"]);
    check("", "loop(STOP)", &["loop(STOP):"]);
}

#[test]
fn chasing() {
    // One τ is followed, and hides what was offered beside it.
    check(
        "",
        "chase((a -> STOP) [> (b -> STOP |~| c -> STOP))",
        &["chase(ROOT.a [> ROOT.b): b→1", "chase(STOP):"],
    );
    // A divergence stays one.
    check(
        "",
        "chase(a -> DIV)",
        &["chase(ROOT.a): a→1", "chase(DIV): τ→1"],
    );
    check("P = a -> P", "chase(P \\ {a})", &["chase(P \\ {a}): τ→0"]);
    check("", "chase(SKIP)", &["chase(SKIP): ✓→1", "Ω:"]);
    check("P = a -> chase(P)", "P", &["P: a→1", "chase(P): a→1"]);
    // It looks ahead, but not into itself.
    let text = "P(k) = a -> (chase(P((k + 1) % 3)) [| {a} |] Q)\nQ = a -> Q |~| b -> SKIP";
    let mut e = load(&format!("{PRELUDE}\n{text}\nROOT = chase(P(0))\n"));
    let mut state = e.process_named("ROOT").expect("evaluates");
    for _ in 0..6 {
        let steps = e.step(state).expect("steps");
        let shown: Vec<String> = steps.iter().map(|s| e.show_event(s.0)).collect();
        assert_eq!(shown, ["a"]);
        state = steps[0].1;
    }
    // It does not choose between visible transitions; `deter` does.
    let p = "(a -> b -> STOP [] a -> c -> STOP)";
    assert!(graph("", &format!("chase{p}"))[0].ends_with(": a→1 a→2"));
    check(
        "",
        &format!("deter{p}"),
        &["deter(ROOT.a): a→1", "deter(ROOT.b): b→2", "deter(STOP):"],
    );
}

#[test]
fn watchdogs() {
    check(
        "P = a -> (b -> P |~| c -> SKIP)",
        "trace_watchdog(P, {a, b}, d)",
        &[
            "trace_watchdog(P, {a, b}, d): a→1 b→2",
            "trace_watchdog(P.b, {a, b}, d): a→2 b→0",
            "d -> STOP: d→3",
            "STOP:",
        ],
    );
    check(
        "",
        "trace_watchdog(STOP |~| SKIP, {a}, d)",
        &[
            "trace_watchdog(ROOT.…, {a}, d): a→1 ✓→2",
            "d -> STOP: d→3",
            "Ω:",
            "STOP:",
        ],
    );
}

#[test]
fn links_may_mention_the_variables_of_a_replication() {
    // A chain of cells; the last has no neighbour, and its link would be no event.
    check(
        "channel up, down : {0..2}\nCell(i) = up.i -> down.i -> STOP",
        "([down.i <-> up.i + 1] i <- <0..2> @ Cell(i)) \\ {up.0}",
        &[
            "(Cell(0) [{(down.0, up.1)}] (Cell(1) [{(down.1, up.2)}] Cell(2))) \\ {up.0}: τ→1",
            "(Cell.down(0) [{(down.0, up.1)}] (Cell(1) [{(down.1, up.2)}] Cell(2))) \\ {up.0}: τ→2",
            "(STOP [{(down.0, up.1)}] (Cell.down(1) [{(down.1, up.2)}] Cell(2))) \\ {up.0}: τ→3",
            "(STOP [{(down.0, up.1)}] (STOP [{(down.1, up.2)}] Cell.down(2))) \\ {up.0}: down.2→4",
            "(STOP [{(down.0, up.1)}] (STOP [{(down.1, up.2)}] STOP)) \\ {up.0}:",
        ],
    );
}
