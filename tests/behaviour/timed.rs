//! Timed sections against tock-CSP written by hand: the same transition systems, up to strong
//! bisimulation.

use crate::support;
use crate::support::lts;
use std::collections::BTreeSet;
use std::path::Path;
use std::rc::Rc;

use orbitscope::eval::Evaluator;
use orbitscope::script::{Checked, check as checked};
use orbitscope::source::{Cancel, Diagnostic, Limits, Severity};
use orbitscope::symmetry::StrategyKind;
use orbitscope::syntax::parse_text;

/// What every script here starts with.
const HEAD: &str = "\
channel tock, a, b
channel c : {0..2}
channel d : {0..2}.{0..1}
f(c.x) = x
f(d.x.y) = x + y
f(_) = 1
zero(_) = 0
-- by hand
TOCKS(n, P) = if n == 0 then P else tock -> TOCKS(n - 1, P)
TS = tock -> TS
TK = (tock -> TK) [] SKIP
";

fn load(text: &str) -> Checked {
    let parsed = parse_text(Path::new("test.csp"), text);
    assert!(!parsed.has_errors(), "{:?}", parsed.diagnostics);
    checked(parsed.file, parsed.sources)
}

fn errors(checked: &Checked) -> Vec<&Diagnostic> {
    let all = checked.diagnostics.iter();
    all.filter(|d| d.severity == Severity::Error).collect()
}

#[track_caller]
fn one_error(text: &str, code: &str, at: &str) -> Diagnostic {
    let checked = load(text);
    let found: Vec<(&str, &str)> = errors(&checked)
        .iter()
        .map(|d| {
            (
                d.code,
                d.span.map_or("", |s| checked.script.sources.text(s)),
            )
        })
        .collect();
    assert_eq!(found, [(code, at)]);
    errors(&checked)[0].clone()
}

fn evaluator(text: &str) -> Evaluator {
    let checked = load(text);
    assert!(errors(&checked).is_empty(), "{:?}", checked.diagnostics);
    let script = Rc::new(checked.script);
    Evaluator::new(script, &Limits::default(), Cancel::default())
}

/// Whether two definitions are strongly bisimilar.
fn same_systems(text: &str, [p, q]: [&str; 2]) -> bool {
    let mut e = evaluator(text);
    let roots = [p, q].map(|name| {
        e.process_named(name)
            .unwrap_or_else(|d| panic!("{name}: {d:?}"))
    });
    lts::bisimilar(&mut e, roots[0], roots[1], 10_000)
        .unwrap_or_else(|why| panic!("{why}"))
        .0
}

/// `timed` inside `section`, and `by_hand` outside, are the same.
#[track_caller]
fn same_in(section: &str, timed: &str, by_hand: &str) {
    let text = format!("{HEAD}{section} {{\n{timed}\n}}\n{by_hand}\n");
    assert!(same_systems(&text, ["P", "H"]), "{timed}\n{by_hand}");
}

#[track_caller]
fn same(timed: &str, by_hand: &str) {
    same_in("Timed(f)", timed, by_hand);
}

#[test]
fn bisimulation_tells_processes_apart() {
    let text = format!(
        "{HEAD}P = a -> (b -> STOP [] a -> STOP)\nQ = a -> b -> STOP [] a -> a -> STOP\nR = a -> (a -> STOP [] b -> STOP)\n"
    );
    assert!(!same_systems(&text, ["P", "Q"]));
    assert!(same_systems(&text, ["P", "R"]));
}

#[test]
fn a_prefix_waits_and_then_takes_its_time() {
    same("P = a -> P", "H = tock -> H [] a -> tock -> H");
    same_in("Timed", "P = a -> P", "H = tock -> H [] a -> tock -> H");
    same_in("Timed(zero)", "P = a -> P", "H = tock -> H [] a -> H");
    same_in(
        "Timed(\\ _ @ 3)",
        "P = a -> P",
        "H = tock -> H [] a -> TOCKS(3, H)",
    );
}

#[test]
fn the_time_depends_on_the_event() {
    same("P = c?x -> P", "H = tock -> H [] c?x -> TOCKS(x, H)");
    same("P = c!2 -> P", "H = tock -> H [] c.2 -> TOCKS(2, H)");
    same(
        "P = d?x?y -> P",
        "H = tock -> H [] d?x?y -> TOCKS(x + y, H)",
    );
    same(
        "P = d?_!1 -> P",
        "H = tock -> H [] d?x!1 -> TOCKS(x + 1, H)",
    );
    same(
        "P = d?x:{1,2}?_ -> P",
        "H = tock -> H [] d?x:{1,2}?y -> TOCKS(x + y, H)",
    );
    same(
        "P = d?1?y -> P",
        "H = tock -> H [] d.1?y -> TOCKS(1 + y, H)",
    );
    same(
        "P = d?x.y -> c!x -> P",
        "H = tock -> H [] d?x.y -> TOCKS(x + y, G(x))\nG(x) = tock -> G(x) [] c!x -> TOCKS(x, H)",
    );
    same(
        "P = d.2?y:{0} -> c!y -> P",
        "H = tock -> H [] d.2.0 -> TOCKS(2, G)\nG = tock -> G [] c!0 -> H",
    );
}

#[test]
fn a_prefix_over_nothing_lets_time_pass() {
    same("P = c?_:{} -> P", "H = TS");
}

#[test]
fn stop_and_skip_let_time_pass() {
    same("P = STOP", "H = TS");
    same("P = SKIP", "H = TK");
    same("P = TSTOP", "H = TS");
    same(
        "P = SKIP ; a -> STOP",
        "H = TK ; G\nG = tock -> G [] a -> tock -> TS",
    );
}

#[test]
fn waiting() {
    same("P = WAIT(0)", "H = TK");
    same("P = WAIT(3)", "H = TOCKS(3, TK)");
    same("P = WAIT(1) ; STOP", "H = TOCKS(1, TK) ; TS");
    same("wait = WAIT\nP = wait(2)", "H = TOCKS(2, TK)");
}

#[test]
fn choices_and_interrupts_are_not_resolved_by_time() {
    let ab = "A = tock -> A [] a -> tock -> A\nB = tock -> B [] b -> tock -> B\n";
    let q = "Q = a -> Q\nR = b -> R\n";
    let both =
        |timed: &str, hand: &str| same(&format!("{q}P = {timed}"), &format!("{ab}H = {hand}"));
    both("Q [] R", "A [+{tock}+] B");
    both("Q /\\ R", "A /+{tock}+\\ B");
    both("Q [+{a}+] R", "A [+{a,tock}+] B");
    both("Q /+{b}+\\ R", "A /+{b,tock}+\\ B");
    both("Q |~| R", "A |~| B");
    both("Q [> R", "A [> B");
    both("Q [|{a}|> R", "A [|{a}|> B");
}

#[test]
fn what_stands_side_by_side_agrees_on_time() {
    let ab = "A = tock -> A [] a -> tock -> A\nB = tock -> B [] b -> tock -> B\n";
    let q = "Q = a -> Q\nR = b -> R\n";
    let both =
        |timed: &str, hand: &str| same(&format!("{q}P = {timed}"), &format!("{ab}H = {hand}"));
    both("Q ||| R", "A [|{tock}|] B");
    both("Q [|{a}|] Q", "A [|{a,tock}|] A");
    both("Q [{a} || {b}] R", "A [{a,tock} || {b,tock}] B");
    both("(Q ||| R) \\ {a}", "(A [|{tock}|] B) \\ {a}");
    both("Q[[a <- b]]", "B");
}

#[test]
fn guards() {
    same(
        "Q(n) = n > 0 & a -> Q(n - 1)\nP = Q(1)",
        "H = tock -> H [] a -> tock -> TS",
    );
    same("P = false & SKIP", "H = TS");
}

#[test]
fn replicated_operators() {
    let g = "G(x) = tock -> G(x) [] c!x -> TOCKS(x, TS)\n";
    let all = |timed: &str, hand: &str| same(&format!("P = {timed}"), &format!("{g}H = {hand}"));
    all(
        "[] x : {0..2} @ c!x -> STOP",
        "[+{tock}+] x : {0..2} @ G(x)",
    );
    all(
        "||| x : {0..2} @ c!x -> STOP",
        "[|{tock}|] x : {0..2} @ G(x)",
    );
    all(
        "[|{c.1}|] x : {0..2} @ c!x -> STOP",
        "[|{c.1, tock}|] x : {0..2} @ G(x)",
    );
    all(
        "|| x : {0..2} @ [{c.x}] c!x -> STOP",
        "|| x : {0..2} @ [{c.x, tock}] G(x)",
    );
    all(
        "[+{c.1}+] x : {0..2} @ c!x -> STOP",
        "[+{c.1, tock}+] x : {0..2} @ G(x)",
    );
    all("|~| x : {0..2} @ c!x -> STOP", "|~| x : {0..2} @ G(x)");
    all(
        "; x : <1,2> @ c!x -> SKIP",
        "K(1) ; K(2)\nK(x) = tock -> K(x) [] c!x -> TOCKS(x, TK)",
    );
    for op in ["[]", "|||", "[|{a}|]", "[+{a}+]"] {
        all(&format!("{op} x : {{}} @ c!x -> STOP"), "TS");
    }
    all("|| x : {} @ [{c.x}] c!x -> STOP", "TS");
    all("; x : <> @ c!x -> SKIP", "TK");
    all("[] x : {0..2}, x > 5 @ c!x -> STOP", "TS");
}

#[test]
fn timed_priority_is_priority_over_tock() {
    let by_hand = |p: &str| format!("external prioritise\nH = prioritise({p}, <{{}}, {{tock}}>)");
    let a = "A = tock -> A [] a -> tock -> TS\n";
    same(
        "P = timed_priority((a -> STOP) \\ {a})",
        &format!("{a}{}", by_hand("A \\ {a}")),
    );
    // Internal events come first; what the environment can do waits.
    same(
        "P = timed_priority((a -> STOP) \\ {a})",
        "H = (a -> TS) \\ {a}",
    );
    same("P = timed_priority(a -> STOP)", &format!("{a}H = A"));
    same("now = timed_priority\nP = now(SKIP)", "H = SKIP");
}

#[test]
fn sections_nest_and_inner_durations_win() {
    let text = "Q = a -> Q\nTimed(zero) {\nR = b -> R\n}\nP = Q [] R";
    same(
        text,
        "A = tock -> A [] a -> tock -> A\nB = tock -> B [] b -> B\nH = A [+{tock}+] B",
    );
}

#[test]
fn sections_in_a_let() {
    let text = format!(
        "{HEAD}P = let\n  n = 2\n  Timed(\\ _ @ n) {{\n    Q = a -> (R [] SKIP)\n    R = b -> STOP\n  }}\n within Q\n\
         H = tock -> H [] a -> TOCKS(2, B [+{{tock}}+] TK)\nB = tock -> B [] b -> TOCKS(2, TS)\n"
    );
    assert!(same_systems(&text, ["P", "H"]));
}

#[test]
fn timed_names_hide_those_outside() {
    let by_hand = "H = TOCKS(2, TK)";
    same("P = WAIT(2)", &format!("WAIT(n) = STOP\n{by_hand}"));
    let text = format!(
        "{HEAD}WAIT(n) = STOP\nP = let\n  Timed {{\n    Q = WAIT(2)\n  }}\n within Q\n{by_hand}\n"
    );
    assert!(same_systems(&text, ["P", "H"]));
    same(
        "WAIT(n) = a -> STOP\nP = WAIT(2)",
        "H = tock -> H [] a -> tock -> TS",
    );
}

#[test]
fn what_is_made_for_a_section_is_no_cause_for_warnings() {
    let text = "channel tock, a\nP = let\n  Timed(\\ _ @ 1) {\n    Q = a -> WAIT(1)\n  }\n within Q\nassert P :[deadlock free]\n";
    let loaded = support::sound(&support::script("timed_let.csp", text));
    assert!(loaded.diagnostics.is_empty(), "{:?}", loaded.diagnostics);
}

#[test]
fn the_nearest_tock_counts() {
    let text = "channel a\nT(tock) = let\n  Timed {\n    Q = a -> Q\n  }\n within Q\nchannel tick\nP = T(tick)\nH = tick -> H [] a -> tick -> H\n";
    assert!(same_systems(text, ["P", "H"]));
    let text = "channel a\nmodule M\n  channel tock\nexports\n  Timed {\n    Q = a -> Q\n  }\n  H = tock -> H [] a -> tock -> H\nendmodule\nP = M::Q\nH = M::H\n";
    assert!(same_systems(text, ["P", "H"]));
}

#[test]
fn sections_in_modules_with_parameters() {
    let text = format!(
        "{HEAD}module M(n)\nexports\n  Timed(\\ _ @ n) {{\n    Q = a -> Q\n  }}\nendmodule\ninstance I = M(1)\ninstance J = M(2)\nP = I::Q [|{{tock}}|] J::Q\n\
         A = tock -> A [] a -> tock -> A\nB = tock -> B [] a -> tock -> tock -> B\nH = A [|{{tock}}|] B\n"
    );
    assert!(same_systems(&text, ["P", "H"]));
}

#[test]
fn outside_a_section_nothing_changes() {
    let text = format!(
        "{HEAD}Timed(f) {{\nQ = a -> STOP\n}}\nP = Q [] b -> STOP\nA = tock -> A [] a -> tock -> TS\nH = A [] b -> STOP\n"
    );
    assert!(same_systems(&text, ["P", "H"]));
}

#[test]
fn states_are_shown_by_their_definition() {
    let text = format!("{HEAD}Timed(f) {{\nP = a -> c?x -> Q(x)\nQ(n) = b -> P\n}}\n");
    let checked = load(&text);
    let script = Rc::new(checked.script);
    let mut e = Evaluator::new(script, &Limits::default(), Cancel::default());
    let mut names = BTreeSet::new();
    let mut open = vec![e.process_named("P").expect("defined")];
    while let Some(t) = open.pop() {
        if names.insert(e.show_term(t)) {
            open.extend(e.step(t).expect("steps").into_iter().map(|s| s.1));
        }
    }
    let names: Vec<String> = names.into_iter().collect();
    assert_eq!(
        names,
        [
            "P",
            "P after a(1)",
            "P after c(1, 1)",
            "P after c(1, 2)",
            "P after c(2, 2)",
            "P.c",
            "Q",
            "Q after b(1)"
        ]
    );
}

#[test]
fn refinement_sees_time() {
    let text = format!(
        "{HEAD}Timed {{\nP = a -> P\nQ = a -> WAIT(1) ; Q\n}}\nassert P [T= Q\nassert Q [T= P\nassert P :[deadlock free]\nassert P \\ {{tock}} :[divergence free]\n"
    );
    let loaded = support::sound(&support::script("timed_refinement.csp", &text));
    let options = support::options(None, StrategyKind::default(), 1);
    let verdicts: Vec<String> = (1..=4)
        .map(|i| support::verdict(&support::check(&loaded, i, &options)))
        .collect();
    assert_eq!(verdicts, ["pass", "fail", "pass", "fail"]);
}

// -------------------------------------------------------------------------------------- errors

#[test]
fn a_section_needs_tock() {
    let d = one_error("Timed { }", "E0223", "Timed");
    assert_eq!(d.notes.len(), 1);
    one_error(
        "channel a\nTimed(\\ _ @ 1) {\nP = a -> STOP ||| WAIT(3)\n}",
        "E0223",
        "Timed",
    );
}

#[test]
fn what_timed_sections_do_not_have() {
    let text = |p: &str| format!("{HEAD}Timed(f) {{\nP = {p}\n}}");
    one_error(&text("c$x -> STOP"), "E0224", "x");
    one_error(&text("STOP [a <-> b] STOP"), "E0225", "STOP [a <-> b] STOP");
    one_error(
        &text("[a <-> b] i : <> @ STOP"),
        "E0225",
        "[a <-> b] i : <> @ STOP",
    );
}

#[test]
fn names_of_timed_sections_are_not_known_outside() {
    let d = one_error("P = WAIT(5)", "E0201", "WAIT");
    assert_eq!(d.notes, ["`WAIT` exists in Timed sections only"]);
    one_error(
        &format!("{HEAD}Timed {{}}\nP = timed_priority(STOP)"),
        "E0201",
        "timed_priority",
    );
}

#[test]
fn durations_map_events_to_numbers() {
    one_error(
        &format!("{HEAD}Timed(\\ _ @ true) {{\n}}"),
        "E0301",
        "\\ _ @ true",
    );
    let checked = load(&format!("{HEAD}Timed(3) {{\n}}"));
    assert_eq!(errors(&checked).len(), 1, "{:?}", checked.diagnostics);
    let checked = load("tock = 3\nchannel a\nTimed {\nP = a -> P\n}");
    assert!(!errors(&checked).is_empty());
}

#[test]
fn negative_times_are_reported_when_they_come_up() {
    let text = format!("{HEAD}Timed {{\nP = WAIT(0 - 1)\n}}");
    let checked = load(&text);
    let script = Rc::new(checked.script);
    let mut e = Evaluator::new(script, &Limits::default(), Cancel::default());
    let root = e.process_named("P").expect("a process");
    let d = e.step(root).expect_err("a negative time");
    assert_eq!(d.message, "the script reports: a time is negative");
}
