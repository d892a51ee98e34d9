//! Concurrent datatypes as their authors modelled them, reduced by symmetry: correct ones hold, wrong
//! ones fail, and what a reduced search stands for is what an unreduced search finds.

use crate::support::{check, corpus, options, replay, say, sound, unmerged, verdict};
use orbitscope::animate::model::CheckOutcome;
use orbitscope::check::Options;
use orbitscope::symmetry::StrategyKind;

const LOWE: &str = "lowe-viewabs/CSP";
const QUEUE: &str =
    "libcspm-symmetry-branch/tests/static_assertions/should_pass/lockfreequeuelin.csp";

/// Script, assertion, verdict, order of the group.
///
/// The `Omit` variants differ from the scripts they are made of in annotations for another tool alone,
/// so they come out alike. Deadlocks are those of the models: a stack whose nodes are used up keeps
/// its lock, and a watchdog takes part only in pushes of its language.
const EXPECTED: [(&str, usize, &str, u128); 19] = [
    ("lockBasedStack.csp", 1, "pass", 48),
    ("lockBasedStack.csp", 2, "fail", 48),
    ("lockBasedStackOmitNext.csp", 1, "pass", 48),
    ("lockBasedStackOmitNext.csp", 2, "fail", 48),
    ("lockBasedStackErr1.csp", 1, "fail", 30_240),
    ("lockBasedStackErr1.csp", 2, "fail", 30_240),
    ("lockBasedStackErr2.csp", 1, "fail", 30_240),
    ("lockBasedStackErr2.csp", 2, "fail", 30_240),
    ("TreiberStack.csp", 1, "fail", 240),
    ("TreiberStack.csp", 2, "pass", 240),
    ("TreiberStackOmitCreator.csp", 1, "fail", 240),
    ("TreiberStackOmitCreator.csp", 2, "pass", 240),
    ("TreiberStackOmitNext.csp", 1, "fail", 240),
    ("TreiberStackOmitNext.csp", 2, "pass", 240),
    ("lockFreeQueue.csp", 1, "pass", 1440),
    ("lockFreeQueueOmitNext.csp", 1, "pass", 1440),
    ("test-fileX.csp", 1, "pass", 4320),
    ("test-fileX.csp", 2, "pass", 4320),
    ("test-fileX.csp", 3, "fail", 4320),
];

/// Reduced, with everything counted.
fn counted() -> Options {
    Options {
        count_full: true,
        ..options(Some(true), StrategyKind::Exact, 2)
    }
}

#[track_caller]
fn is_reduced(outcome: &CheckOutcome, expected: &str, order: u128) {
    assert_eq!(verdict(outcome), expected, "{}", outcome.text);
    let symmetry = outcome.symmetry.as_ref().expect("it is reduced");
    assert_eq!(symmetry.group_order, order.into(), "{}", outcome.text);
    assert_eq!(outcome.counterexample.is_some(), expected == "fail");
}

#[test]
fn stacks_and_queues_run_reduced_and_their_errors_are_found() {
    let Some(corpus) = corpus("stacks_and_queues_run_reduced_and_their_errors_are_found") else {
        return;
    };
    for (name, number, expected, order) in EXPECTED {
        let path = corpus.join(LOWE).join(name);
        let loaded = sound(&path);
        for strategy in [StrategyKind::Walk, StrategyKind::Ordering] {
            let outcome = check(&loaded, number, &options(Some(true), strategy, 2));
            is_reduced(&outcome, expected, order);
            if let Some(found) = &outcome.counterexample {
                replay(&path, found).unwrap_or_else(|e| panic!("{name} #{number}: {e}"));
            }
        }
    }
}

#[test]
fn a_lock_free_queue_is_linearizable() {
    let Some(corpus) = corpus("a_lock_free_queue_is_linearizable") else {
        return;
    };
    let loaded = sound(&corpus.join(QUEUE));
    for number in [1, 2, 9] {
        let outcome = check(&loaded, number, &options(Some(true), StrategyKind::Walk, 2));
        is_reduced(&outcome, "pass", 4);
    }
}

/// A reduced check stands for as many states and transitions as the unreduced one has.
fn stands_for_all(path: &std::path::Path, numbers: &[usize]) {
    let loaded = sound(path);
    for number in numbers {
        let reduced = check(&loaded, *number, &counted());
        let plain = check(
            &loaded,
            *number,
            &unmerged(options(Some(false), StrategyKind::Walk, 2)),
        );
        assert_eq!(verdict(&reduced), verdict(&plain));
        let of = |o: &CheckOutcome| (o.progress.states, o.progress.transitions);
        let (states, transitions) = of(&plain);
        let expected = Some((states.into(), transitions.into()));
        assert_eq!(
            reduced.represented,
            expected,
            "{} #{number}",
            path.display()
        );
        let (few, _) = of(&reduced);
        say(&format!(
            "{} #{number}: {few} states for {states}",
            path.file_name().unwrap_or_default().to_string_lossy()
        ));
    }
}

#[test]
fn reduced_checks_stand_for_all_states() {
    let Some(corpus) = corpus("reduced_checks_stand_for_all_states") else {
        return;
    };
    stands_for_all(&corpus.join(LOWE).join("lockBasedStack.csp"), &[1]);
    stands_for_all(&corpus.join(LOWE).join("lockFreeQueue.csp"), &[1]);
    stands_for_all(&corpus.join(QUEUE), &[1, 2]);
}

#[test]
#[ignore = "millions of states"]
fn large_reduced_checks_stand_for_all_states() {
    let Some(corpus) = corpus("large_reduced_checks_stand_for_all_states") else {
        return;
    };
    stands_for_all(&corpus.join(LOWE).join("TreiberStack.csp"), &[2]);
    stands_for_all(&corpus.join(LOWE).join("test-fileX.csp"), &[1, 2]);
}
