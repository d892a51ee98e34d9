//! The Check view: an assertion with reduction and without it.

use super::super::app::{Msg, Pane, Status, WorkReached};
use super::super::paired::PairStage;
use super::super::{layout, status_line};
use super::{Harness, model, pane, real, real_within, screen, scripted};
use crate::animate::model::{CheckOutcome, Progress, TwoRuns, Verdict};
use crate::animate::worker::Request;
use crate::check::Options;
use crate::report::checks;
use crate::script::load::load;
use crate::source::{Cancel, Limits, WorkStage};

const SIZES: [(u16, u16); 3] = [(120, 36), (80, 24), (60, 16)];

fn shot(name: &str, harness: &mut Harness) {
    for size in SIZES {
        harness.app.size = size;
        let name = format!("both_{name}_{}x{}", size.0, size.1);
        insta::assert_snapshot!(name, screen(&harness.app));
    }
    harness.app.size = SIZES[0];
}

fn outcome(harness: &Harness, at: usize) -> CheckOutcome {
    match &harness.app.checks.status[at] {
        Status::Done(outcome) => (**outcome).clone(),
        other => panic!("{other:?}"),
    }
}

/// What the two runs of an assertion came to.
fn runs(harness: &Harness, number: usize) -> (CheckOutcome, TwoRuns) {
    match &harness.app.checks.pairs[&number].stage {
        PairStage::Over(reduced, runs) => ((**reduced).clone(), (**runs).clone()),
        other => panic!("{other:?}"),
    }
}

#[test]
fn reduced_and_full_side_by_side() {
    let mut harness = Harness::new(SIZES[0]);
    harness.press("4 b");
    harness.settle();
    // The list keeps the keys wherever there is room for both.
    assert_eq!(harness.app.pane(), Pane::Assertions);
    shot("over", &mut harness);
    // One that fails, with its counterexample.
    harness.press("j j b");
    shot("fails", &mut harness);
    // Other assertions have no such pane.
    harness.press("k");
    assert!(!layout::visible(&harness.app, Pane::Both));
}

#[test]
fn the_full_run_is_told_while_it_runs_and_can_be_cancelled() {
    let mut harness = Harness::held(SIZES[0]);
    harness.press_only("4 b");
    harness.wait_for("the run without reduction", |app| {
        let stage = app.checks.pairs.get(&1).map(|pair| &pair.stage);
        app.pending.is_empty()
            && matches!(stage, Some(PairStage::Unreduced(_, so_far)) if so_far.states > 0)
    });
    shot("running", &mut harness);
    // Asked again, nothing is queued.
    harness.press_only("b x");
    assert_eq!(harness.app.note, "it is being checked");
    harness.press_only("X");
    harness.settle();
    assert_eq!(outcome(&harness, 0).verdict, Verdict::Holds);
    let (_, TwoRuns::Compared { unreduced, .. }) = runs(&harness, 1) else {
        panic!("there is a reduction");
    };
    assert_eq!(unreduced.verdict, Verdict::Inconclusive("cancelled".into()));
    let text = pane(&harness.app, Pane::Both, 76, 16);
    assert!(text.contains("(cancelled): nothing is compared"), "{text}");
    assert!(!harness.app.checks.active());
}

/// The numbers are those of the command line: both run what stands in `report`.
#[test]
fn the_screen_says_what_the_command_line_says() {
    let mut harness = real("two_buffers", None);
    harness.press("4 b");
    harness.settle();
    let path = model("two_buffers");
    let options = Options {
        count_full: true,
        ..Options::default()
    };
    let loaded = load(&path, None).unwrap();
    let run = |options: &Options| checks::run(&loaded, 1, options, &Cancel::default(), &mut |_| {});
    let one = run(&options);
    let pair = TwoRuns::run(&one, &options, &path, run);
    let (reduced, shown) = runs(&harness, 1);
    assert_eq!(reduced.represented, one.represented);
    let states = |runs: &TwoRuns| match runs {
        TwoRuns::Compared {
            unreduced,
            comparison,
            ..
        } => (unreduced.progress.states, comparison.clone()),
        TwoRuns::NotReduced => panic!("there is a reduction"),
    };
    assert_eq!(states(&shown), states(&pair));
    let text = pane(&harness.app, Pane::Both, 76, 16);
    for said in [
        "states             5          9     1.8",
        "orbits add up to 9 states, 14 transitions: factor 1.8",
        "group order 2: no factor of states exceeds it",
        "both agree",
    ] {
        assert!(text.contains(said), "{said}: {text}");
    }
}

/// A full run that comes to a limit is held to what orbits add up to, and the factor is told all the same.
#[test]
fn the_full_run_may_come_to_a_limit() {
    let limits = Limits {
        states_max: 1_000,
        ..Limits::default()
    };
    let options = Options {
        limits,
        ..Options::default()
    };
    let mut harness = real_within("philosophers", None, &options);
    harness.press("4 b");
    harness.settle();
    let (reduced, _) = runs(&harness, 1);
    assert_eq!(reduced.represented.unwrap().0, 4_325u32.into());
    let text = pane(&harness.app, Pane::Both, 76, 16);
    assert!(text.contains("1,000 so far  >= "), "{text}");
    assert!(text.contains("by orbits"), "{text}");
    assert!(text.contains("came to no verdict"), "{text}");
    // What is known with reduction stays.
    assert_eq!(outcome(&harness, 0).verdict, Verdict::Holds);
}

/// All representatives of `exact` that were not given up are unique, and the counters say so.
#[test]
fn how_many_representatives_are_unique_is_told() {
    let mut harness = real("two_buffers", None);
    harness.press("4 x");
    harness.settle();
    let progress = outcome(&harness, 0).progress;
    assert!(progress.representatives > 0);
    assert_eq!(progress.unique, Some(progress.representatives));
    let text = pane(&harness.app, Pane::Progress, 50, 16);
    assert!(text.contains("unique       all of them"), "{text}");
    assert!(text.contains("nodes (normal)"), "{text}");
    // Beside a set in the specification nothing is claimed.
    let mut harness = real("tree_broadcast", None);
    harness.press("4 x");
    harness.settle();
    assert_eq!(outcome(&harness, 0).progress.unique, None);
    let text = pane(&harness.app, Pane::Progress, 50, 16);
    assert!(text.contains("unique       not known"), "{text}");
}

#[test]
fn what_is_not_reduced_has_nothing_to_compare() {
    let text = "channel a, b\nP = a -> b -> P\nassert P :[deadlock free]\n";
    let mut harness = scripted(text, None);
    harness.press("4 b");
    let text = pane(&harness.app, Pane::Both, 76, 16);
    assert!(text.contains("there is nothing to compare"), "{text}");
}

/// Where only two panes fit, the figures of the check that runs are there, and nothing says that nothing runs.
#[test]
fn a_run_is_seen_on_a_small_terminal() {
    let mut harness = Harness::held((80, 24));
    harness.press("4 j");
    harness.press_only("x");
    harness.wait_for("figures", |app| {
        app.checks
            .running
            .as_ref()
            .is_some_and(|(_, p)| p.states > 0)
            && app.pending.is_empty()
    });
    for keys in ["tab", "tab", "k", "j", "j"] {
        let text = harness.screen();
        assert!(text.contains("checking 2"), "{text}");
        assert!(!text.contains("Not checked yet"), "{text}");
        harness.press_only(keys);
    }
    harness.press_only("X");
    harness.settle();
}

/// Two assertions that fail, one of them in three ways.
const SEVERAL: &str = "channel a, b, c\nP = a -> b -> P [] b -> STOP [] c -> a -> STOP\n\
                       assert STOP [T= P\nassert P :[deadlock free]\nassert P [T= P\n";

/// Which counterexample is shown: the event that its first step takes, and the note.
fn shown(harness: &Harness) -> (usize, String, String) {
    let path = super::super::facts::counterexample(&harness.app).unwrap();
    let first = path.steps[0].event.to_string();
    (harness.app.checks.selected, first, harness.app.note.clone())
}

#[test]
fn one_goes_from_counterexample_to_counterexample() {
    let mut harness = scripted(SEVERAL, None);
    // Nothing was checked yet.
    harness.press("4 ]");
    assert!(harness.app.note.contains("there is no counterexample"));
    harness.press_only("5x");
    harness.settle();
    harness.press("j x k");
    assert_eq!(outcome(&harness, 0).counterexamples().count(), 3);
    let text = harness.screen();
    assert!(text.contains("FAIL 1 step, +2"), "{text}");
    assert!(text.contains("Counterexample  #1, 1 of 3"), "{text}");
    let text = pane(&harness.app, Pane::Explanation, 100, 30);
    assert!(text.contains("Its 3 counterexamples"), "{text}");
    let mut seen = vec![shown(&harness).1];
    for n in 2..=3 {
        harness.press("]");
        let (at, event, note) = shown(&harness);
        assert_eq!(
            (at, note),
            (0, format!("counterexample {n} of 3 of assertion 1"))
        );
        seen.push(event);
    }
    seen.sort();
    assert_eq!(seen, ["a", "b", "c"]);
    // Behind the last one those of the next assertion; there it ends.
    harness.press("]");
    assert_eq!(shown(&harness).0, 1);
    harness.press("]");
    assert!(
        harness.app.note.ends_with("the last one"),
        "{}",
        harness.app.note
    );
    harness.press("[");
    assert_eq!(shown(&harness).2, "counterexample 3 of 3 of assertion 1");
    // Followed in Animate, another one is followed in its place; one that was followed is only gone to.
    let followed = |harness: &Harness| {
        let session = harness.app.session.as_ref().unwrap();
        let place = session.followed().unwrap();
        (
            place.path.steps[0].event.clone(),
            session.history.ids().count(),
        )
    };
    harness.press("enter");
    let (last, entries) = followed(&harness);
    assert_eq!(last, seen_at(&harness, 2));
    harness.press("[");
    let (before, more) = followed(&harness);
    assert_eq!(before, seen_at(&harness, 1));
    assert!(more > entries);
    let status = status_line::left(&harness.app, false);
    assert!(
        status.contains("VIOLATION: end of counterexample #1, 2 of 3: 1 of 1"),
        "{status}"
    );
    harness.press("]");
    assert_eq!(followed(&harness), (last, more));
    let status = status_line::left(&harness.app, false);
    assert!(
        status.contains("VIOLATION: end of counterexample #1, 3 of 3: 1 of 1"),
        "{status}"
    );
}

/// Once all are asked for, the first that fails is selected, at its violation: `Enter` goes there.
#[test]
fn the_first_failure_is_selected() {
    let mut harness = Harness::new(SIZES[0]);
    harness.press("4 a");
    let failing = |harness: &Harness| {
        let verdicts = harness.app.checks.status.iter().map(|status| match status {
            Status::Done(outcome) => outcome.verdict == Verdict::Fails,
            _ => panic!("not checked"),
        });
        verdicts.collect::<Vec<bool>>()
    };
    let first = failing(&harness).iter().position(|fails| *fails);
    assert_eq!(Some(harness.app.checks.selected), first);
    let count = harness.app.checks.status.len();
    let note = format!("1 of {count} hold, assertion 3 FAILS, 1 without a verdict");
    assert_eq!(harness.app.note, note);
    let text = harness.screen();
    assert!(text.contains("VIOLATION"), "{text}");
    harness.press("enter");
    let status = status_line::left(&harness.app, false);
    assert!(status.contains("VIOLATION: end of"), "{status}");
    // An assertion that is selected meanwhile stays selected.
    let mut harness = Harness::new(SIZES[0]);
    harness.press("4");
    harness.press_only("a j");
    harness.settle();
    assert_eq!(harness.app.checks.selected, 1);
}

/// The first event of a counterexample of the first assertion.
fn seen_at(harness: &Harness, which: usize) -> String {
    let outcome = outcome(harness, 0);
    let path = outcome.counterexamples().nth(which).unwrap();
    path.steps[0].event.to_string()
}

#[test]
fn a_cell_is_copied_in_full() {
    let mut harness = scripted(SEVERAL, None);
    harness.press("4 x tab tab");
    assert_eq!(harness.app.pane(), Pane::Counterexample);
    harness.press("l y");
    assert!(
        harness.screen().contains("i  selected cell in full"),
        "{}",
        harness.screen()
    );
    harness.others.clear();
    harness.press("i");
    let copied = format!("{:?}", harness.others);
    assert!(
        copied.contains("selected cell in full") && copied.contains("event"),
        "{copied}"
    );
    // In Animate a component that is selected.
    harness.press("1 tab j y");
    harness.others.clear();
    harness.press("i");
    let copied = format!("{:?}", harness.others);
    assert!(copied.contains("P"), "{copied}");
}

/// Rates and the peak of memory say nothing about what took less than a second.
#[test]
fn rates_are_told_of_long_checks_alone() {
    let mut harness = real("two_buffers", None);
    harness.press("4 x");
    harness.settle();
    let quick = pane(&harness.app, Pane::Progress, 50, 16);
    assert!(outcome(&harness, 0).progress.seconds < 1.0);
    for word in ["states/s", "each second", "peak"] {
        assert!(!quick.contains(word), "{word}: {quick}");
    }
    let Status::Done(found) = &mut harness.app.checks.status[0] else {
        panic!("it is checked");
    };
    found.progress.seconds = 1.5;
    let long = pane(&harness.app, Pane::Progress, 50, 16);
    for word in ["states/s", "each second", "peak"] {
        assert!(long.contains(word), "{word}: {long}");
    }
}

#[test]
fn what_is_asked_stands_there_before_a_check() {
    let mut harness = Harness::new(SIZES[0]);
    harness.press("4 j");
    for size in SIZES {
        harness.app.size = size;
        let name = format!("check_asked_{}x{}", size.0, size.1);
        insta::assert_snapshot!(name, screen(&harness.app));
    }
    harness.app.size = SIZES[0];
    // The components of the open process are known, those of another one are not.
    let text = |harness: &Harness| pane(&harness.app, Pane::Explanation, 200, 16);
    assert!(!text(&harness).contains("component"), "{}", text(&harness));
    let mut harness = Harness::opened(SIZES[0], "Pushers");
    harness.press("4");
    let said = "where it is open: ";
    assert!(text(&harness).contains(said), "{}", text(&harness));
    // What the person chose holds, and what was found takes the place of what was asked.
    harness.press("o o");
    let said = "Reduction is switched off (o).";
    assert!(text(&harness).contains(said), "{}", text(&harness));
    harness.press("o x");
    harness.settle();
    let text = text(&harness);
    assert!(
        text.contains("It holds.") && !text.contains("asked"),
        "{text}"
    );
}

/// Each form of assertion, and the sentence on it.
const ASKED: &[(&str, &str)] = &[
    ("P [T= Q", "It holds if every trace of Q is one of P."),
    (
        "not P [T= Q",
        "It holds unless every trace of Q is one of P.",
    ),
    (
        "P [F= Q",
        "It holds if every trace of Q is one of P, and what Q refuses after a trace P can refuse after it.",
    ),
    (
        "P [FD= Q",
        "It holds if every trace of Q is one of P, and what Q refuses after a trace P can refuse after it, and Q does not \
         diverge, up to where P diverges.",
    ),
    (
        "P :[deadlock free [F]]",
        "It holds if no reachable state of P is stuck without having terminated.",
    ),
    (
        "P :[deadlock free]",
        "It holds if no reachable state of P is stuck without having terminated, and P never goes on for ever without a \
         visible event.",
    ),
    (
        "P :[divergence free]",
        "It holds if P never goes on for ever without a visible event.",
    ),
    (
        "P :[deterministic [F]]",
        "It holds if P never refuses, after a trace, an event that it can perform after the same trace.",
    ),
    (
        "P :[has trace [T]]: <a, b>",
        "It holds if P can perform <a, b>.",
    ),
    (
        "P :[has trace]: <a, b>",
        "It holds if P can perform <a, b>, and on the way neither refuses the next event nor diverges.",
    ),
    (
        "P :[symmetric]: D",
        "It holds if the text of P treats all values of D alike.",
    ),
    (
        "P [] P [] P [] P [] P [] P [] P [] P [T= Q :[tau priority]: {a}",
        "It holds if every trace of Q is one of the specification. An event of {a} happens only where neither τ nor ✓ \
         can.",
    ),
];

#[test]
fn each_form_of_assertion_is_asked_in_plain_words() {
    let mut text = "channel a, b\ndatatype D = X | Y\nP = a -> b -> P\nQ = P\n".to_owned();
    for (assertion, _) in ASKED {
        text += &format!("assert {assertion}\n");
    }
    let harness = scripted(&text, None);
    let asked = &harness.app.info().unwrap().assertions;
    for (asked, (assertion, said)) in asked.iter().zip(ASKED) {
        assert_eq!(asked.question.sentences.join(" "), *said, "{assertion}");
    }
    assert_eq!(asked.len(), ASKED.len());
}

/// Before a check has figures, what its thread has reached is told; so it is of a request to the engine that takes long.
#[test]
fn the_stage_of_long_work_is_told() {
    let mut harness = Harness::new(SIZES[0]);
    harness.press("4");
    harness.app.checks.status[0] = Status::Running;
    harness.app.checks.running = Some((1, Progress::default()));
    let mut told = |checks, engine| {
        harness.send(Msg::Reached(WorkReached { engine, checks }));
        pane(&harness.app, Pane::Progress, 60, 8)
    };
    let none = "compiling: no state has been searched yet";
    assert!(told(None, None).contains(none));
    for (stage, said) in [
        (
            WorkStage::Compiling,
            "compiling: 12,400 local states so far",
        ),
        (WorkStage::Compressing, "compress it: 12,400 states so far"),
        (WorkStage::Normalising, "specification: 12,400 nodes so far"),
        (WorkStage::Looking, "in the structure: 12,400 steps so far"),
    ] {
        let text = told(Some((stage, 12_400)), None);
        assert!(text.contains(said), "{said}: {text}");
        assert!(text.contains("no state has been searched yet"), "{text}");
    }
    // A search tells its own figures, but for the time in which it stands still.
    harness.app.checks.running = Some((1, some_progress()));
    let mut told = |stage| {
        let checks = Some((stage, 77));
        harness.send(Msg::Reached(WorkReached {
            engine: None,
            checks,
        }));
        pane(&harness.app, Pane::Progress, 60, 8)
    };
    assert!(!told(WorkStage::Compiling).contains("77"));
    assert!(told(WorkStage::Looking).contains("77 steps so far"));
    assert!(told(WorkStage::Diverging).contains("looking for divergence: 77 steps so far"));
    harness.app.checks.running = None;
    harness.app.checks.status[0] = Status::Idle;
    harness.app.pending.push(Request::Open("System".to_owned()));
    harness.app.now = harness.app.files.busy_since + 3_000;
    let engine = Some((WorkStage::Compiling, 12_400));
    harness.send(Msg::Reached(WorkReached {
        engine,
        checks: None,
    }));
    let text = status_line::left(&harness.app, false);
    let said = "opening System, 3 s, 12,400 local states so far ... Esc cancels";
    assert!(text.contains(said), "{text}");
}

fn some_progress() -> Progress {
    Progress {
        ply: 3,
        states: 20,
        ..Progress::default()
    }
}
