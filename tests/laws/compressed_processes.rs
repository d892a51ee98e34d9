//! Compressions in scripts: random small processes, alone and under operators, have the same traces,
//! stable failures and divergences with them and without.

use crate::support::tiers;
use std::path::Path;

use crate::support::behaviour::same_behaviour;
use crate::support::processes::{MAY_TERMINATE, processes};
use orbitscope::eval::Evaluator;
use orbitscope::lts::{Builder, Lts};
use orbitscope::process::term::{Label, Term};
use orbitscope::script::load::load_text;
use orbitscope::source::hash::IndexSet;
use orbitscope::source::{Cancel, Limits, Severity};
use proptest::prelude::*;

/// What has more states is not compared.
const STATES_MAX: usize = 300;

const PRELUDE: &str = "
channel a, b, c
transparent explicate, diamond, normal, sbisim, dbisim, wbisim, tau_loop_factor, model_compress
external prioritise, prioritisepo, chase, deter
A = {a}
B = {b, c}
";

const COMPRESSIONS: [&str; 8] = [
    "explicate",
    "sbisim",
    "wbisim",
    "dbisim",
    "tau_loop_factor",
    "diamond",
    "normal",
    "model_compress",
];

/// Contexts; `@` is replaced by `K(P)` on one side and by `P` on the other.
const CONTEXTS: [&str; 14] = [
    "@",
    "(@ [| A |] Q) \\ {b}",
    "@ ||| @",
    "@ ; Q",
    "Q ; @",
    "@ [] Q",
    "@ [> Q",
    "Q /\\ @",
    "@ /\\ Q",
    "@ [| {b} |> Q",
    "(@[[a <- b, a <- c]]) [A || B] Q",
    "a -> @ |~| b -> normal(c -> @)",
    "normal(diamond(@) [| B |] sbisim(R)) \\ B",
    "LOOPING(@)",
];

/// The same for operators that see more: here nothing at all may change.
const STRICT: [&str; 12] = [
    "prioritise(@, <{}, A, B>)",
    "prioritise(@ ||| Q, <B, A>) [| A |] R",
    "prioritise(@, <{b}, {a}>)",
    "prioritise((@ [| A |] Q) \\ A, <{}, B>)",
    "prioritise((@[[a <- b]] ||| Q) \\ {c}, <{}, {a}, {b}>)",
    "prioritise(prioritise(@ ; Q, <{}, B>) [] R, <A, {b}, {c}>)",
    "prioritise(wbisim(prioritise(@, <A, B>)) ||| dbisim(Q), <{c}, {a, b}>) \\ {c}",
    "prioritisepo(@ ||| Q, union(A, B), {(a, b), (c, a)}, {c})",
    "prioritisepo((@ ||| Q) \\ {c}, union(A, B), {(b, a)}, {b, c}) [| B |] R",
    "prioritisepo(@, {a, b}, {(b, a)}, {})",
    "chase(@ [] Q)",
    "chase(Q ||| @) \\ {a}",
];

/// Compositions that are compressed as a whole, the states of their operands first.
const COMPOSED: [&str; 10] = [
    "(P [| A |] Q) ||| R",
    "((P ||| Q) \\ {a}) [| B |] R",
    "(P ||| P) [| {c} |] (Q[[a <- b]])",
    "prioritise((P ||| Q) [| A |] R, <{}, A, B>)",
    "prioritisepo(P ||| Q, union(A, B), {(a, b), (c, a)}, {c}) ||| R",
    "(P ; Q) ||| (P [| {b} |> R)",
    "(P [A || B] (Q /\\ R)) \\ {b}",
    "((P [| A |] Q) \\ A ||| (Q [| A |] P) \\ A) ; R",
    "(normal(P) ||| Q) [| B |] (sbisim(R) ||| P)",
    "(P [> Q) ||| (a -> Q [] R)",
];

/// Compressions that name each state by states of the process alone.
const NAMING_STATES: [&str; 4] = ["sbisim", "wbisim", "dbisim", "tau_loop_factor"];

fn evaluator(text: &str) -> Evaluator {
    let loaded = load_text(Path::new("compressed.csp"), text);
    let mut all = loaded.diagnostics.iter();
    let error = all.find(|d| d.severity == Severity::Error);
    assert!(error.is_none(), "{error:?}\n{text}");
    Evaluator::new(loaded.script, &Limits::default(), Cancel::default())
}

/// The transition system of a definition; none if it is too large.
fn explore(e: &mut Evaluator, name: &str, labels: &mut IndexSet<Label>) -> Option<Lts> {
    explored(e, name, labels, STATES_MAX).map(|(lts, _)| lts)
}

/// The same with the states; none if it has more than so many.
fn explored(
    e: &mut Evaluator,
    name: &str,
    labels: &mut IndexSet<Label>,
    most: usize,
) -> Option<(Lts, IndexSet<Term>)> {
    labels.insert(Label::Tau);
    labels.insert(Label::Tick);
    let root = e.process_named(name).expect("it can be evaluated");
    let mut states: IndexSet<Term> = [root].into_iter().collect();
    let mut builder = Builder::default();
    let mut at = 0;
    while let Some(t) = states.get_index(at).copied() {
        at += 1;
        let mut row = Vec::new();
        for (label, next) in e.step(t).expect("it moves") {
            let event = labels.insert_full(label).0 as u32;
            row.push((event, states.insert_full(next).0 as u32));
        }
        builder.push(row);
        if states.len() > most {
            return None;
        }
    }
    Some((builder.finish(), states))
}

fn agree(definitions: &str, contexts: &[&str], how: &str) -> Result<(), TestCaseError> {
    let mut text = format!("{PRELUDE}{definitions}LOOPING(X) = a -> LOOPING(X) [] c -> X\n");
    for (i, context) in contexts.iter().enumerate() {
        let with = context.replace('@', &format!("{how}(P)"));
        let without = context.replace('@', "P");
        text += &format!("With{i} = {with}\nWithout{i} = {without}\n");
    }
    let mut e = evaluator(&text);
    for (i, context) in contexts.iter().enumerate() {
        let mut labels = IndexSet::default();
        let without = explore(&mut e, &format!("Without{i}"), &mut labels);
        let with = explore(&mut e, &format!("With{i}"), &mut labels);
        if let (Some(with), Some(without)) = (with, without) {
            let same = same_behaviour(&with, 0, &without, 0);
            prop_assert!(
                same.is_ok(),
                "{how}(P) in {context}: {same:?}\n{definitions}"
            );
        }
    }
    Ok(())
}

/// What a compressed state shows is a state that the process itself comes to.
fn assert_met(e: &mut Evaluator, with: &IndexSet<Term>, without: &IndexSet<Term>, how: &str) {
    let met: IndexSet<String> = without.iter().map(|t| e.show_term(*t)).collect();
    for state in with {
        let shown = e.show_term(*state);
        let of = shown
            .strip_prefix(how)
            .and_then(|s| s.strip_prefix('('))
            .and_then(|s| s.strip_suffix(')'));
        // What can do nothing is `STOP`, and what has terminated is the same for all.
        assert!(
            of.is_none_or(|of| met.contains(of)),
            "{how} shows {shown}, which is none of {met:?}"
        );
    }
}

/// Compositions under compressions, the states of whose operands are compared from the third state on.
fn composed_agree(definitions: &str) -> Result<(), TestCaseError> {
    for (i, composed) in COMPOSED.iter().enumerate() {
        let mut text = format!("{PRELUDE}{definitions}Without = {composed}\n");
        for how in COMPRESSIONS {
            text += &format!("With_{how} = {how}({composed})\n");
        }
        let mut e = evaluator(&text);
        e.merge_operands_after(3);
        let mut labels = IndexSet::default();
        let Some((without, raw)) = explored(&mut e, "Without", &mut labels, STATES_MAX) else {
            continue;
        };
        for how in COMPRESSIONS {
            let found = explored(&mut e, &format!("With_{how}"), &mut labels, STATES_MAX);
            let Some((with, states)) = found else {
                continue;
            };
            let same = same_behaviour(&with, 0, &without, 0);
            prop_assert!(same.is_ok(), "{how} of {i}: {same:?}\n{definitions}");
            if NAMING_STATES.contains(&how) {
                assert_met(&mut e, &states, &raw, how);
            }
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: tiers::cases(40),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn compressed_is_the_same_everywhere(definitions in processes(MAY_TERMINATE)) {
        for how in COMPRESSIONS {
            agree(&definitions, &CONTEXTS, how)?;
        }
    }

    #[test]
    fn nothing_changes_where_more_is_seen(definitions in processes(MAY_TERMINATE)) {
        for how in COMPRESSIONS {
            agree(&definitions, &STRICT, how)?;
        }
    }

    #[test]
    fn operands_are_compressed_before_compositions(definitions in processes(MAY_TERMINATE)) {
        composed_agree(&definitions)?;
    }
}

fn states(text: &str, name: &str) -> usize {
    let mut labels = IndexSet::default();
    let found = explore(
        &mut evaluator(&format!("{PRELUDE}{text}")),
        name,
        &mut labels,
    );
    found.expect("it is small").len()
}

#[test]
fn compressed_processes_are_as_small_as_they_should_be() {
    // Three places one after the other: eight states, four of which can be told apart.
    let places = "channel l, m, n, r
Place(i, o) = i -> o -> Place(i, o)
Three = ((Place(l, m) [| {m} |] Place(m, n)) [| {n} |] Place(n, r)) \\ {m, n}
";
    for (how, expected) in [
        ("explicate", 8),
        ("sbisim", 8),
        ("tau_loop_factor", 8),
        ("wbisim", 4),
        ("dbisim", 4),
        ("diamond", 4),
        ("normal", 4),
        ("model_compress", 4),
    ] {
        let text = format!("{places}System = {how}(Three)\n");
        assert_eq!(states(&text, "System"), expected, "{how}");
    }
}

/// A process that meets its own compression is what it would be without.
#[test]
fn recursion_through_a_compression() {
    for how in COMPRESSIONS {
        let text = format!(
            "P = {how}(a -> b -> P)\nQ = {how}(a -> {how}(b -> Q) [] c -> R)\nR = {how}(b -> Q)\n"
        );
        assert_eq!(states(&text, "P"), 2, "{how}");
        assert!(states(&text, "Q") <= 3, "{how}");
    }
}

#[test]
fn recursion_without_an_event_is_an_error() {
    for text in [
        "P = normal(P)",
        "P = sbisim(Q)\nQ = P",
        "P = normal(Q) [] a -> P\nQ = diamond(P)",
    ] {
        let mut e = evaluator(&format!("{PRELUDE}{text}\n"));
        let stepped = e.process_named("P").and_then(|t| e.step(t));
        assert_eq!(stepped.map_err(|d| d.code), Err("E0411"), "{text}");
    }
}

#[test]
fn what_is_infinite_ends_at_a_limit() {
    let text =
        format!("{PRELUDE}channel n : Int\nP(i) = n.i -> P(i + 1)\nSystem = b -> normal(P(0))\n");
    let loaded = load_text(Path::new("infinite.csp"), &text);
    let limits = Limits {
        states_max: 1_000,
        ..Limits::default()
    };
    let mut e = Evaluator::new(loaded.script, &limits, Cancel::default());
    let root = e.process_named("System").expect("it can be evaluated");
    let next = e.step(root).expect("an event comes first")[0].1;
    let error = e.step(next).expect_err("it has no end");
    assert_eq!(error.code, "E0708");
    assert!(
        error.span.is_some() && error.message.contains("1000"),
        "{error:?}"
    );

    let cancel = Cancel::default();
    let loaded = load_text(Path::new("infinite.csp"), &text);
    let mut e = Evaluator::new(loaded.script, &Limits::default(), cancel.clone());
    let root = e.process_named("System").expect("it can be evaluated");
    let next = e.step(root).expect("an event comes first")[0].1;
    cancel.cancel();
    assert_eq!(e.step(next).map_err(|d| d.code), Err("E0701"));
}

/// Seven parts of fifteen states, of which three can be told apart: the composition has 170 million states by itself, and
/// 2,187 that are not equal. Each is shown as one that the composition comes to.
#[test]
fn equal_states_of_parts_are_merged_before_the_whole_is_explored() {
    let parts = |n: usize| {
        format!(
            "channel d, e, f : {{0..6}}
Part(i, x) = d.i -> e.i -> Part(i, (x + 1) % 5) [] f.i -> a -> Part(i, (x + 2) % 5)
Net = [| {{a}} |] i : {{0..{n}}} @ Part(i, 0)
System = sbisim(Net)\n"
        )
    };
    let large = format!("{PRELUDE}{}", parts(6));
    let mut labels = IndexSet::default();
    let found = explored(&mut evaluator(&large), "System", &mut labels, 3_000);
    assert_eq!(found.expect("it is small").1.len(), 2_187);

    let mut e = evaluator(&format!("{PRELUDE}{}", parts(2)));
    let mut labels = IndexSet::default();
    let (_, with) = explored(&mut e, "System", &mut labels, 100).expect("it is small");
    let (_, without) = explored(&mut e, "Net", &mut labels, 4_000).expect("it has 3,375 states");
    assert_eq!(with.len(), 27);
    assert_met(&mut e, &with, &without, "sbisim");
}

/// What a part could do by itself, and never does in its composition, is not asked for where it has no end, and does not
/// matter where it is wrong.
#[test]
fn parts_without_end_stay_as_they_are() {
    let text = "channel n : Int
channel d : {0..40}
Endless(i) = n.i -> Endless(i + 1)
Guarded = d?x -> Guarded [] n.0 -> normal(Endless(1)) [] n.1 -> a -> Wrong(deep(1)) [] n.2 -> a -> Wrong(head(<>))
  [] n.3 -> a -> Never
deep(x) = 1 + deep(x + 1)
Wrong(x) = if x > 0 then STOP else SKIP
Never = Never [] d.0 -> STOP
Line(x) = x < 40 & d.x -> Line(x + 1) [] x == 40 & STOP
System = sbisim((Guarded [| {| n, d |} |] Line(0)) ||| Run(0))
Run(x) = x < 40 & a -> Run(x + 1) [] x == 40 & STOP\n";
    let mut labels = IndexSet::default();
    let mut e = evaluator(&format!("{PRELUDE}{text}"));
    let found = explored(&mut e, "System", &mut labels, 2_000);
    assert_eq!(found.expect("it is small").1.len(), 41 * 41);
}

/// Each state of an operand comes with every state of the others. Its transitions are computed once, also where the operand
/// is a composition itself: stepping it anew would take more than twice as many calls as there are states.
#[test]
fn operands_that_are_compositions_are_stepped_once() {
    let text = "channel d : {0..3}.{0..11}
Line(i, x) = x < 11 & d.i.x -> Line(i, x + 1) [] x == 11 & STOP
Inner = (Line(0, 0) ||| Line(1, 0)) \\ {b}
Outer = (Inner ||| Line(2, 0)) \\ {c}
System = sbisim(Outer ||| Line(3, 0))\n";
    let loaded = load_text(Path::new("stepped_once.csp"), &format!("{PRELUDE}{text}"));
    let states = 12u64.pow(4);
    let limits = Limits {
        calls_max: 2 * states,
        ..Limits::default()
    };
    let mut e = Evaluator::new(loaded.script, &limits, Cancel::default());
    let root = e.process_named("System").expect("it can be evaluated");
    let steps = e.step(root).expect("there are enough calls");
    assert_eq!(steps.len(), 4);
}
