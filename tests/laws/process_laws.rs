//! Laws of CSP on random small processes: what the definitions of the operators imply, compared as
//! transition systems.

use crate::support::lts;
use crate::support::tiers;
use std::collections::BTreeSet;
use std::path::Path;

use crate::support::lts::Lts;
use crate::support::processes::{FOR_EVER, MAY_TERMINATE, processes};
use orbitscope::eval::Evaluator;
use orbitscope::machine::network::RuleScratch;
use orbitscope::machine::{FormatId, LocalId, Machine, Miss, Network};
use orbitscope::process::term::{Label, Term};
use orbitscope::script::load::load_text;
use orbitscope::source::hash::IndexSet;
use orbitscope::source::{Cancel, Limits, Severity};
use orbitscope::value::AtomTypes;
use proptest::prelude::*;

/// States of both sides of a law; what has more is not compared.
const STATES_MAX: usize = 4_000;

const PRELUDE: &str = "
channel a, b, c, hidden, bark
external prioritise, prioritisepo, chase, deter, loop, trace_watchdog
Sigma = {a, b, c}
A = {a}
B = {b, c}
";

/// Both sides are strongly bisimilar.
const LAWS: [(&str, &str); 42] = [
    ("P [] STOP", "P"),
    ("P |~| Q", "Q |~| P"),
    ("(P [] Q) [] R", "P [] (Q [] R)"),
    ("(P ||| Q) ||| R", "P ||| (Q ||| R)"),
    ("P [Events || Events] Q", "P [| Events |] Q"),
    ("P \\ {}", "P"),
    ("(P \\ A) \\ B", "P \\ union(A, B)"),
    ("P |\\ A", "P \\ diff(Events, A)"),
    ("P[[a <- a]]", "P"),
    (
        "(a -> P)[[a <- b, a <- c]]",
        "b -> P[[a <- b, a <- c]] [] c -> P[[a <- b, a <- c]]",
    ),
    ("(P[[a <- b, c <- b]]) \\ {b}", "P \\ Sigma"),
    ("(P ; Q) ; R", "P ; (Q ; R)"),
    ("STOP ; P", "STOP"),
    ("P /\\ STOP", "P"),
    ("STOP /\\ P", "P"),
    ("P /+ {} +\\ Q", "P /\\ Q"),
    ("P [+ {} +] Q", "P [] Q"),
    ("P [| {} |> Q", "P"),
    ("(a -> P) [| A |> Q", "a -> Q"),
    ("(b -> P) [| A |> Q", "b -> (P [| A |> Q)"),
    ("P [> Q", "(P [] hidden -> Q) \\ {hidden}"),
    (
        "P [a <-> b] Q",
        "((P[[a <- hidden]]) [| {hidden} |] (Q[[b <- hidden]])) \\ {hidden}",
    ),
    ("loop(P)", "P ; loop(P)"),
    // Expansion: one step of the parallel operators and of the choices that synchronise.
    (
        "(a -> P) [| A |] (a -> Q [] b -> R)",
        "a -> (P [| A |] Q) [] b -> ((a -> P) [| A |] R)",
    ),
    (
        "(a -> P [] b -> R) [union(A, {b}) || union(A, {c})] (a -> Q [] c -> P)",
        "a -> (P [union(A, {b}) || union(A, {c})] Q)
           [] b -> (R [union(A, {b}) || union(A, {c})] (a -> Q [] c -> P))
           [] c -> ((a -> P [] b -> R) [union(A, {b}) || union(A, {c})] P)",
    ),
    ("(b -> P) [A || B] Q", "STOP [A || B] Q"),
    ("(a -> P) [+ A +] (a -> Q)", "a -> (P [+ A +] Q)"),
    ("(a -> P) [+ A +] (b -> Q)", "b -> Q"),
    ("(b -> P) [+ A +] (c -> Q)", "b -> P [] c -> Q"),
    (
        "(P |~| Q) [+ A +] STOP",
        "(P [+ A +] STOP) |~| (Q [+ A +] STOP)",
    ),
    ("SKIP [+ A +] (a -> Q)", "SKIP"),
    ("(a -> P) /+ A +\\ (a -> Q)", "a -> (P /+ A +\\ Q)"),
    ("(a -> P) /+ A +\\ (b -> Q)", "b -> Q"),
    (
        "(b -> P) /+ A +\\ (c -> Q)",
        "b -> (P /+ A +\\ (c -> Q)) [] c -> Q",
    ),
    ("prioritise(P, <{}>)", "P"),
    ("prioritise(P, <Events>)", "P"),
    // The middle one does nothing; without it the two would be made one.
    (
        "prioritise(prioritise(prioritise(P, <A, B>), <{}>), <A, B>)",
        "prioritise(P, <A, B>)",
    ),
    (
        "prioritise(prioritise(P, <{}, A, B>), <{}, A>)",
        "prioritise(P, <{}, A, B>)",
    ),
    (
        "prioritise(P, <A, B>)",
        "prioritisepo(P, Sigma, {(x, y) | x <- A, y <- B}, A)",
    ),
    ("prioritisepo(P, Sigma, {}, Sigma)", "P"),
    ("RUN(A)", "RUNNING(A)"),
    ("BUFFER(3, {(a, b)})", "FILLED(3, 0)"),
];

/// The same, of three sequential processes: replicated operators, and how operators nest.
const LAWS_OF_THREE: [(&str, &str); 5] = [
    (
        "[| A |] i : {0, 1, 2} @ Of(i)",
        "P0 [| A |] (Q0 [| A |] R0)",
    ),
    (
        "|| i : {0, 1, 2} @ [Alphabet(i)] Of(i)",
        "P0 [{a, b} || Sigma] (Q0 [{b, c} || {a, c}] R0)",
    ),
    ("; i : <0, 1, 2> @ Of(i)", "P0 ; Q0 ; R0"),
    (
        "[+ A +] i : {0, 1, 2} @ Of(i)",
        "P0 [+ A +] (Q0 [+ A +] R0)",
    ),
    (
        "[a <-> b] i : <0, 1, 2> @ Of(i)",
        "P0 [a <-> b] (Q0 [a <-> b] R0)",
    ),
];

/// The same, for processes that do not terminate.
const LAWS_WITHOUT_TERMINATION: [(&str, &str); 6] = [
    ("P [| {} |] Q", "P ||| Q"),
    ("P [+ Events +] Q", "P [| Events |] Q"),
    ("P /+ Events +\\ Q", "P [| Events |] Q"),
    ("P [| Events |] RUN(Sigma)", "P"),
    ("P ; Q", "P"),
    ("loop(P)", "P"),
];

/// Both sides are weakly bisimilar, for processes that do not terminate: the end of one operand of a
/// parallel operator shows as a τ.
const LAWS_UP_TO_TAU: [(&str, &str); 6] = [
    ("P ||| SKIP", "P"),
    ("(P [] Q) ||| SKIP", "P [] Q"),
    (
        "P [A || B] Q",
        "(P [| B |] SKIP2(B)) [| {} |] (Q [| A |] SKIP2(A))",
    ),
    ("SKIP [| A |] SKIP", "SKIP"),
    ("SKIP [| A |] (b -> SKIP)", "b -> SKIP"),
    ("(SKIP [A || B] SKIP) ; P", "SKIP ; P"),
];

const DEFINITIONS: &str = "
SKIP2(X) = SKIP
Of(0) = P0
Of(1) = Q0
Of(2) = R0
Alphabet(i) = nth(i, <{a, b}, {b, c}, {a, c}>)
nth(i, s) = if i == 0 then head(s) else nth(i - 1, tail(s))
Again = ((P0 ||| Q0) ; a -> Again) [] R0
RUNNING(X) = [] x : X @ x -> RUNNING(X)
FILLED(n, k) = (k < n & a -> FILLED(n, k + 1)) [] (k > 0 & b -> FILLED(n, k - 1))
";

fn evaluator(text: &str) -> Evaluator {
    let loaded = load_text(Path::new("laws.csp"), text);
    let mut all = loaded.diagnostics.iter();
    let error = all.find(|d| d.severity == Severity::Error);
    assert!(error.is_none(), "{error:?}\n{text}");
    Evaluator::new(loaded.script, &Limits::default(), Cancel::default())
}

fn root(e: &mut Evaluator, name: &str) -> Term {
    e.process_named(name).expect("it can be evaluated")
}

/// A script with both sides of every law as definitions.
fn with_laws(definitions: &str, laws: &[(&str, &str)]) -> String {
    let mut text = format!("{PRELUDE}{DEFINITIONS}{definitions}");
    for (i, (left, right)) in laws.iter().enumerate() {
        text += &format!("Left{i} = {left}\nRight{i} = {right}\n");
    }
    text
}

fn all_hold(definitions: &str, laws: &[(&str, &str)]) -> Result<(), TestCaseError> {
    all_hold_for(definitions, laws, |lts| lts)
}

/// Both sides are bisimilar in what `seen` makes of their transition systems.
fn all_hold_for(
    definitions: &str,
    laws: &[(&str, &str)],
    seen: impl Fn(Lts) -> Lts,
) -> Result<(), TestCaseError> {
    let mut e = evaluator(&with_laws(definitions, laws));
    for (i, (left, right)) in laws.iter().enumerate() {
        let p = root(&mut e, &format!("Left{i}"));
        let q = root(&mut e, &format!("Right{i}"));
        let both = lts::explore(&mut e, &[p, q], STATES_MAX).expect("it can be explored");
        if both.complete {
            let both = seen(both);
            let class = both.classes();
            let same = class[state(&both, p)] == class[state(&both, q)];
            prop_assert!(same, "{left}  is not  {right}\n{definitions}");
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(tiers::cases(100)))]

    #[test]
    fn laws(definitions in processes(MAY_TERMINATE)) {
        all_hold(&definitions, &LAWS)?;
        all_hold_for(&definitions, &LAWS_OF_THREE, |lts| lts.saturated())?;
    }

    #[test]
    fn laws_without_termination(definitions in processes(FOR_EVER)) {
        all_hold(&definitions, &LAWS_WITHOUT_TERMINATION)?;
        all_hold(&definitions, &LAWS_OF_THREE)?;
        all_hold_for(&definitions, &LAWS_UP_TO_TAU, |lts| lts.saturated())?;
    }

    #[test]
    fn a_network_does_what_its_term_does(definitions in processes(MAY_TERMINATE)) {
        let laws: Vec<(&str, &str)> = NETWORKS.iter().map(|n| (*n, "STOP")).collect();
        let mut machine = Machine::new(evaluator(&with_laws(&definitions, &laws)), AtomTypes::none());
        for (i, law) in NETWORKS.iter().enumerate() {
            let term = root(&mut machine.eval, &format!("Left{i}"));
            if let Some((lts, first)) = with_network(&mut machine, term) {
                // A network spares the τ by which a part of several components terminates.
                let class = lts.saturated().classes();
                prop_assert_eq!(class[0], class[first], "{}\n{}", law, definitions);
            }
        }
    }

    #[test]
    fn chase_and_deter_refine(definitions in processes(MAY_TERMINATE)) {
        let text = format!("{PRELUDE}{definitions}Chased = chase(P)\nDetermined = deter(P)\n");
        let mut e = evaluator(&text);
        let roots = ["P", "Chased", "Determined"].map(|name| root(&mut e, name));
        let lts = lts::explore(&mut e, &roots, STATES_MAX).expect("it can be explored");
        prop_assume!(lts.complete);
        let [p, chased, determined] = roots.map(|t| state(&lts, t));
        prop_assert!(traces_of(&lts, chased, p), "{text}");
        prop_assert!(traces_of(&lts, determined, chased), "{text}");
        for s in reachable(&lts, chased) {
            let silent = lts.steps[s].iter().any(|x| x.0 == Label::Tau);
            // What is silent diverges: it goes nowhere else.
            prop_assert!(!silent || lts.steps[s].len() == 1 && silently_for_ever(&lts, s), "{text}");
        }
        for s in reachable(&lts, determined) {
            let labels: BTreeSet<Label> = lts.steps[s].iter().map(|x| x.0).collect();
            prop_assert_eq!(labels.len(), lts.steps[s].len());
        }
        let only = |s: &usize| {
            lts.steps[*s].len() == 1 || lts.steps[*s].iter().all(|x| x.0 != Label::Tau)
        };
        if reachable(&lts, p).iter().all(only) {
            let class = lts.saturated().classes();
            prop_assert_eq!(class[p], class[chased], "{}", text);
        }
    }

    #[test]
    fn a_trace_watchdog_barks_at_what_is_no_trace(definitions in processes(FOR_EVER)) {
        let text = format!(
            "{PRELUDE}{definitions}Watched = Q [| Sigma |] trace_watchdog(P, Sigma, bark)\n"
        );
        let mut e = evaluator(&text);
        let roots = ["P", "Q", "Watched"].map(|name| root(&mut e, name));
        let lts = lts::explore(&mut e, &roots, STATES_MAX).expect("it can be explored");
        prop_assume!(lts.complete);
        let [p, q, watched] = roots.map(|t| state(&lts, t));
        let mut labels = reachable(&lts, watched).into_iter().flat_map(|s| &lts.steps[s]);
        let barks = labels.any(|(label, _)| e.show_event(*label) == "bark");
        prop_assert_eq!(barks, !traces_of(&lts, q, p), "{}", text);
    }
}

/// Operators of networks over the three processes, one below the other.
const NETWORKS: [&str; 30] = [
    "P0 ||| Q0",
    "P0 [| A |] (Q0 ||| R0)",
    "(P0 ||| Q0) [| B |] R0",
    "((P0 [| A |] Q0) \\ A) ||| R0",
    "((P0 ||| Q0)[[a <- b, a <- c]]) [| {b} |] R0",
    "P0 [Sigma || B] (Q0 [B || Sigma] R0)",
    "(P0 [a <-> b] Q0) [c <-> c] R0",
    "|| i : {0, 1, 2} @ [Alphabet(i)] Of(i)",
    "((P0 ||| Q0) ; R0) ||| P0",
    "prioritise(P0 ||| Q0, <A, B>)",
    "prioritise(P0 [| A |] (Q0 ||| R0), <{}, A, B>) \\ A",
    "prioritise(P0 ||| Q0, <{}, B>) [| B |] R0",
    "prioritise((P0 ||| Q0)[[a <- b, a <- c]], <{b}, {c}>)[[c <- a, b <- a]]",
    "prioritisepo((P0 [| A |] Q0) \\ A, Sigma, {(b, c)}, {b}) ||| R0",
    "prioritise(prioritise(P0 ||| Q0, <A, {b}>) [| {b} |] R0, <{c}, {b}>)",
    "prioritise(prioritisepo(P0 ||| Q0, Sigma, {(a, b), (b, c), (a, c)}, A), <{c}, {}, A>)",
    "prioritise(P0, <{}, A>) ||| P0 ||| prioritise(P0, <{}, B>)",
    "prioritise((P0 ||| Q0) ; (Q0 [| {b} |] R0), <{a}, {b}, {c}>)",
    "(P0 ||| Q0) ; R0",
    "(((P0 [| A |] Q0) ; R0) \\ B) ; (P0 ||| P0)",
    "(P0 ||| Q0) [] R0",
    "((P0 ||| Q0) [] (Q0 [| A |] R0)) \\ B",
    "(P0 ||| Q0) /\\ R0",
    "P0 /\\ (Q0 ||| R0)",
    "((P0 ||| Q0) [| A |> R0)[[a <- b, b <- c]]",
    "((P0 ||| Q0) ; (Q0 ||| R0)) /\\ (R0 [] (P0 ||| P0))",
    "((P0 ||| Q0) [| {b} |> (Q0 ||| R0)) [] R0",
    "((P0 ||| Q0) [] R0) ; (Q0 ||| Q0)",
    "((P0 ||| Q0) [| B |> (R0 /\\ (P0 ||| R0))) \\ {a}",
    "Again",
];

/// What a network does, behind what its term does.
fn with_network(machine: &mut Machine, term: Term) -> Option<(Lts, usize)> {
    type State = (FormatId, Vec<LocalId>);
    let mut lts = lts::explore(&mut machine.eval, &[term], STATES_MAX).expect("it can be explored");
    let first = lts.states.len();
    let mut network = Network::new(machine, term, STATES_MAX).expect("it has a network");
    let mut states: IndexSet<State> = IndexSet::default();
    states.insert((FormatId(0), network.initial().to_vec()));
    let mut at = 0;
    while let Some((format, locals)) = states.get_index(at).cloned() {
        at += 1;
        let mut steps = Vec::new();
        loop {
            steps.clear();
            let done = network.successors::<Miss>(
                machine.locals(),
                format,
                &locals,
                &mut RuleScratch::default(),
                |s| {
                    steps.push((s.event, (s.format, s.locals.to_vec())));
                    Ok(())
                },
            );
            match done {
                Ok(()) => break,
                Err(miss) => machine.resolve(&mut network, &miss).expect("it evaluates"),
            }
        }
        let to_lts = |(event, next)| {
            (
                machine.events().label(event),
                first + states.insert_full(next).0,
            )
        };
        lts.steps.push(steps.into_iter().map(to_lts).collect());
        lts.states.push(term);
        if states.len() > STATES_MAX {
            return None;
        }
    }
    lts.complete.then_some((lts, first))
}

fn state(lts: &Lts, t: Term) -> usize {
    let at = lts.states.iter().position(|s| *s == t);
    at.expect("a root is a state")
}

fn reachable(lts: &Lts, from: usize) -> Vec<usize> {
    let mut seen: BTreeSet<usize> = [from].into();
    let mut all = vec![from];
    let mut next = 0;
    while next < all.len() {
        for (_, to) in &lts.steps[all[next]] {
            if seen.insert(*to) {
                all.push(*to);
            }
        }
        next += 1;
    }
    all
}

/// Whether a chain of τs without any choice comes back to a state.
fn silently_for_ever(lts: &Lts, from: usize) -> bool {
    let mut seen = BTreeSet::new();
    let mut at = from;
    while seen.insert(at) {
        match lts.steps[at][..] {
            [(Label::Tau, next)] => at = next,
            _ => return false,
        }
    }
    true
}

/// Whether every trace of `q` is one of `p`: sets of states of `p`, one for each trace.
fn traces_of(lts: &Lts, q: usize, p: usize) -> bool {
    let close = |set: &mut BTreeSet<usize>| {
        let mut open: Vec<usize> = set.iter().copied().collect();
        while let Some(s) = open.pop() {
            for (label, to) in &lts.steps[s] {
                if *label == Label::Tau && set.insert(*to) {
                    open.push(*to);
                }
            }
        }
    };
    let mut start: BTreeSet<usize> = [p].into();
    close(&mut start);
    let mut seen: BTreeSet<(usize, BTreeSet<usize>)> = [(q, start.clone())].into();
    let mut open = vec![(q, start)];
    while let Some((s, set)) = open.pop() {
        for (label, to) in &lts.steps[s] {
            let mut after = set.clone();
            if *label != Label::Tau {
                let all = set.iter().flat_map(|x| &lts.steps[*x]);
                after = all.filter(|x| x.0 == *label).map(|x| x.1).collect();
                close(&mut after);
            }
            if after.is_empty() {
                return false;
            }
            if seen.insert((*to, after.clone())) {
                open.push((*to, after));
            }
        }
    }
    true
}
