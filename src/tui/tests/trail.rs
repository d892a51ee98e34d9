//! Counterexamples of all kinds and sizes: what is on the screen, and that all of it can be reached.

use super::super::app::{App, Pane, Status};
use super::super::layout;
use super::super::panes::counterexample::TrailTable;
use super::super::theme::{Palette, Role, Theme};
use super::super::trail::{TrailRow, has_end};
use super::fake::{event, label, local};
use super::{Harness, at_the_seventeen, panes, screen};
use crate::animate::model::{
    CheckOutcome, Counterexample, CounterexampleStep, Ending, EventKind, PlanView, Verdict,
};

const SIZES: [(u16, u16); 3] = [(120, 36), (80, 24), (60, 16)];

/// A screen on which assertion 3 has failed with this run, and its table is focused.
fn reading(path: Counterexample, size: (u16, u16)) -> Harness {
    let mut harness = Harness::new(size);
    harness.press("4 j j");
    harness.app.checks.status[2] = Status::Done(Box::new(CheckOutcome {
        plan: Some(PlanView::default()),
        counterexample: Some(path),
        ..CheckOutcome::new(3, String::new(), Verdict::Fails)
    }));
    harness.app.focus_on(Pane::Counterexample);
    harness
}

fn step(name: &str, kind: EventKind, changes: Vec<(usize, String)>) -> CounterexampleStep {
    CounterexampleStep {
        kind,
        event: event(name),
        changes: changes
            .into_iter()
            .map(|(c, text)| (c, local(&text)))
            .collect(),
        spec: Some("Spec".to_string()),
        ..CounterexampleStep::default()
    }
}

/// An intruder who learns one fact after the other, and two agents.
fn attack(facts: usize) -> Counterexample {
    let fact = |n: usize| format!("PK.(pkA, Sq.<Na, N{n}>)");
    let mut components = vec!["User[Alice]".to_string(), "User[Bob]".to_string()];
    let mut initial = vec![
        "Send(Alice, <Na>)".to_string(),
        "Send(Bob, <Nb>)".to_string(),
    ];
    for n in 0..facts {
        components.push(format!("ignorantof[{}]", fact(n)));
        initial.push(format!("ignorantof({})", fact(n)));
    }
    let knows = |n: usize| (n + 2, format!("knows({})", fact(n)));
    let mut steps = vec![
        step(
            "",
            EventKind::Tau,
            vec![(1, "Send.comm(Bob, <Nb>, Cameron)".to_string())],
        ),
        step(
            "take.Bob.Cameron.PK.(pkC, Sq.<Nb, Bob>)",
            EventKind::Tau,
            vec![(1, "Send.comm#2(Bob, <Nb>, Cameron)".to_string()), knows(0)],
        ),
    ];
    for n in 1..facts {
        let event = format!("infer.({{{}}}, {})", fact(n - 1), fact(n));
        steps.push(step(&event, EventKind::Tau, vec![knows(n - 1), knows(n)]));
    }
    let session = "Session(Alice, Bob, Na, <>)".to_string();
    steps.push(step(
        "fake.Bob.Alice.PK.(pkA, Na)",
        EventKind::Tau,
        vec![(0, session), knows(0)],
    ));
    let mut last = step("error", EventKind::Visible, vec![(0, "STOP".to_string())]);
    last.spec = None;
    steps.push(last);
    Counterexample {
        process: "System".to_string(),
        components: components.iter().map(|text| label(text)).collect(),
        initial: initial.iter().map(|text| local(text)).collect(),
        initial_spec: "Spec".to_string(),
        steps,
        reason: "After <> the specification allows nothing. The implementation performs error."
            .to_string(),
        ending: Ending::Refused {
            event: "error".to_string(),
            allowed: "{}".into(),
        },
        ..Counterexample::default()
    }
}

/// The same run with another ending.
fn ending_with(ending: Ending, steps: usize) -> Counterexample {
    let mut path = attack(3);
    path.steps.truncate(steps);
    path.ending = ending;
    path.reason = "What is wrong, in a sentence.".to_string();
    path
}

fn endings() -> Vec<Ending> {
    let text = |s: &str| s.to_string();
    vec![
        Ending::Deadlock,
        Ending::Performed,
        Ending::Divergence { lap: 2, laps: 1 },
        Ending::Divergence { lap: 3, laps: 2 },
        Ending::Refusal {
            offered: "{close.Alice}".into(),
            acceptances: vec![text("{a, b}"), text("{c}")],
        },
        Ending::Refusal {
            offered: "{}".into(),
            acceptances: Vec::new(),
        },
        Ending::Revival {
            event: text("a"),
            offered: "{a, close.Alice}".into(),
            acceptances: vec![text("{a, b}"), text("{a, c}")],
        },
        Ending::Revival {
            event: text("a"),
            offered: "{a}".into(),
            acceptances: Vec::new(),
        },
        Ending::Ambiguity {
            refused: "{a}".into(),
            offered: "{b}".into(),
        },
        Ending::Unable {
            event: text("a"),
            offered: "{b}".into(),
        },
        Ending::Reluctant {
            event: text("a"),
            offered: "{b}".into(),
        },
    ]
}

/// What of the table is on the screen.
fn table<T>(app: &App, say: impl Fn(&TrailTable<'_>) -> T) -> T {
    let (columns, rows) = layout::inner(app, Pane::Counterexample);
    let path = super::super::facts::counterexample(app).unwrap();
    say(&TrailTable::new(app, path, (columns.into(), rows.into())))
}

#[test]
fn screens_of_an_attack() {
    let mut harness = reading(attack(40), SIZES[0]);
    for (name, keys) in [
        ("start", "0"),
        ("third", "l l l"),
        ("component", "j j j j"),
        ("unfolded", "0 g g l l l i"),
        ("end", "$"),
        ("all", "d G"),
    ] {
        harness.press(keys);
        for size in SIZES {
            harness.app.size = size;
            let name = format!("trail_{name}_{}x{}", size.0, size.1);
            insta::assert_snapshot!(name, screen(&harness.app));
        }
        harness.app.size = SIZES[0];
    }
}

/// Each ending is told at the last column, with the reason below, at each size.
#[test]
fn every_ending_is_told() {
    for ending in endings() {
        for steps in [0, 1, 5] {
            let lap = match ending {
                Ending::Divergence { lap, .. } => lap,
                _ => 0,
            };
            if lap > steps {
                continue;
            }
            let path = ending_with(ending.clone(), steps);
            assert!(has_end(&path));
            let mut harness = reading(path, SIZES[0]);
            harness.press("$");
            for size in SIZES {
                harness.app.size = size;
                let text = screen(&harness.app);
                let fails = ending != Ending::Performed;
                assert_eq!(
                    text.contains("VIOLATION What is wrong"),
                    fails,
                    "{ending:?}\n{text}"
                );
                assert!(
                    text.contains(&format!(" of {steps} | rows")),
                    "{ending:?}\n{text}"
                );
            }
        }
    }
}

/// Whatever the size of the run: each key answers, each step and each row can be selected, and what is selected
/// is on the screen.
#[test]
fn large_runs_are_walked() {
    let mut long = attack(2);
    let last = long.steps.pop().unwrap();
    for n in 0..5000 {
        let text = format!("Session(Alice, {n})");
        let event = if n % 3 == 0 {
            format!("a.{n}")
        } else {
            format!("b.{n}")
        };
        long.steps
            .push(step(&event, EventKind::Visible, vec![(0, text)]));
    }
    long.steps.push(last);
    let mut huge = attack(5);
    let value = |n: usize| format!("Send({}, {n}, {})", "x, ".repeat(3300), "y".repeat(100));
    huge.initial[1] = local(&value(0));
    huge.steps[0].changes = vec![(1, local(&value(1)))];
    huge.steps[1].changes = vec![(1, local(&value(2)))];
    for path in [long, attack(300), huge] {
        let steps = path.steps.len();
        for size in SIZES {
            let mut harness = reading(path.clone(), size);
            let start = std::time::Instant::now();
            for key in [
                "$", "0", "l", "l", "G", "k", "d", "G", "i", "esc", "$", "h", "h", "v", "$", "v",
            ] {
                harness.press_only(key);
                let text = screen(&harness.app);
                assert!(table(&harness.app, |t| {
                    let (row, column) = t.selected();
                    let at = t.trail.columns.iter().position(|c| c == column);
                    t.rows.contains(&row) && at.is_some_and(|at| t.window.contains(&at))
                }));
                assert!(
                    harness.app.overlay.is_some() || text.contains(&format!(" of {steps} | rows")),
                    "{text}"
                );
            }
            assert!(start.elapsed().as_secs() < 20, "{:?}", start.elapsed());
        }
    }
}

/// A value of ten thousand characters is read in full, and two that differ at their ends look different.
#[test]
fn long_values_open_in_full() {
    let mut path = attack(3);
    let value = |n: usize| format!("Send({}END{n})", "x, ".repeat(3300));
    path.initial[1] = local(&value(0));
    path.steps[0].changes = vec![(1, local(&value(1)))];
    path.steps[1].changes = vec![(1, local(&value(2)))];
    let mut harness = reading(path, SIZES[1]);
    harness.press("l j j j j");
    assert_eq!(
        table(&harness.app, |t| t.selected().0),
        TrailRow::Component(1)
    );
    let text = screen(&harness.app);
    assert!(text.contains("END1") && text.contains("END0"), "{text}");
    harness.press("i G");
    let text = screen(&harness.app);
    assert!(text.contains("event"), "{text}");
}

/// The run is followed to the step that was selected; there the screen says what is wrong.
#[test]
fn a_run_is_followed_to_its_violation() {
    let mut harness = Harness::new(SIZES[0]);
    harness.press("4 j j x");
    harness.app.focus_on(Pane::Counterexample);
    harness.press("$ enter");
    for size in SIZES {
        harness.app.size = size;
        harness.app.focus_on(Pane::State);
        let text = screen(&harness.app);
        assert!(text.contains("VIOLATION"), "{text}");
        insta::assert_snapshot!(format!("followed_{}x{}", size.0, size.1), text);
    }
    harness.press("u");
    let text = screen(&harness.app);
    assert!(
        !text.contains("VIOLATION") && text.contains("spec"),
        "{text}"
    );
    // The other pane is focused: Check comes back as it was left.
    harness.press("4 0 l l enter");
    let session = harness.app.session.as_ref().unwrap();
    assert_eq!(session.followed().map(|place| place.steps), Some(2));
}

/// With many components, what a step changed is on the screen at every size, with what it was in full or cut
/// where the two differ.
#[test]
fn what_moved_is_in_sight() {
    let mut harness = Harness::new(SIZES[0]);
    harness.press("4 j j x");
    harness.app.focus_on(Pane::Counterexample);
    harness.press("0 enter s");
    for _ in 0..8 {
        harness.press("U");
        let session = harness.app.session.as_ref().unwrap();
        let changed: Vec<String> = session.changed().into_iter().flatten().collect();
        for size in [(120, 30), (80, 24), (60, 16)] {
            harness.app.size = size;
            harness.app.focus_on(Pane::State);
            let text = screen(&harness.app);
            for old in &changed {
                assert!(text.contains(old.as_str()), "{old}\n{text}");
            }
        }
        harness.app.size = SIZES[0];
    }
    harness.press("d");
    assert!(screen(&harness.app).contains("d: all components"));
    harness.press("/ Top enter");
    insta::assert_snapshot!("state_filtered", screen(&harness.app));
}

/// The text of a frame is the same in every theme, and ASCII is ASCII.
#[test]
fn themes_change_no_text() {
    let mut apps = vec![at_the_seventeen(SIZES[0]).app];
    let mut harness = reading(attack(40), SIZES[0]);
    harness.press("$");
    apps.push(harness.app);
    for app in &mut apps {
        for size in SIZES {
            app.size = size;
            let text = |app: &mut App, palette| {
                app.theme = Theme {
                    palette,
                    ascii: false,
                };
                screen(app)
            };
            let mono = text(app, Palette::Mono);
            for palette in Palette::ALL {
                assert_eq!(mono, text(app, palette));
            }
            app.theme.ascii = true;
            assert!(screen(app).is_ascii());
        }
    }
}

/// What goes wrong is said with a sign or a word on each line that is in its colour.
#[test]
fn what_is_wrong_has_a_sign() {
    for ending in endings() {
        let mut harness = reading(ending_with(ending, 3), SIZES[0]);
        harness.app.theme = Theme::new(true, false);
        harness.press("$ l");
        let fail = harness.app.theme.style(Role::Fail);
        let mut signed = false;
        for line in panes::build(&harness.app, Pane::Counterexample, 100, 20).lines {
            let marked = line.spans.iter().any(|span| span.style == fail);
            let text: String = line.spans.iter().map(|s| s.content.as_ref()).collect();
            let signs = ["X ", "VIOLATION", "What is"];
            // A cell of several lines has its sign on the first.
            signed = marked && (signed || signs.iter().any(|s| text.contains(s)));
            assert!(!marked || signed, "{text}");
        }
    }
}

/// Below the least size no key changes what cannot be seen.
#[test]
fn without_room_only_quitting_acts() {
    let mut harness = at_the_seventeen(SIZES[0]);
    harness.app.size = (40, 10);
    let before = harness.app.session.as_ref().unwrap().history.current();
    harness.press("enter u 4 x : j");
    let session = harness.app.session.as_ref().unwrap();
    assert_eq!(session.history.current(), before);
    assert!(harness.app.overlay.is_none() && !harness.quit);
    assert!(screen(&harness.app).contains("q and Ctrl-z"));
    // The walk is not saved, which is asked about here, too.
    harness.press("q");
    assert!(!harness.quit && screen(&harness.app).contains("not saved"));
    harness.press("y");
    assert!(harness.quit);
}

/// Silent steps of the history are taken together, but for those that a person looks for.
#[test]
fn silent_steps_of_the_history_are_one_line() {
    let mut harness = at_the_seventeen(SIZES[0]);
    harness.press("H i");
    let text = screen(&harness.app);
    assert!(text.contains("silent steps, to"), "{text}");
    let before = panes::history::lines(&harness.app).len();
    assert!(before < 15);
    // From line to line up to the beginning.
    for _ in 0..before {
        harness.press("k");
    }
    assert_eq!(harness.app.animate.history, Some(0));
    insta::assert_snapshot!("history_folded", screen(&harness.app));
    harness.press("i");
    assert_eq!(panes::history::lines(&harness.app).len(), 15);
}
