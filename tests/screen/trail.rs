//! Counterexamples of real scripts, read in Check and followed in Animate; ways to visible events.

use orbitscope::animate::model::EventKind;
use orbitscope::tui::app::{Msg, Pane};

use super::session::Screen;
use super::support::{corpus, repository, script};

const SIZES: [(u16, u16); 3] = [(120, 36), (80, 24), (60, 16)];

/// Checks assertion `number` (from 1) and reads its counterexample.
fn reading(path: &std::path::Path, number: usize) -> Screen {
    let mut screen = Screen::open_at(path, None);
    screen.press("4");
    for _ in 1..number {
        screen.press("j");
    }
    screen.press("x");
    screen.app.focus_on(Pane::Counterexample);
    screen
}

/// At each size the end of the run says what is wrong, in Check and where it is followed.
#[test]
fn violations_are_told_where_they_happen() {
    for (model, number) in [
        ("database", 3),
        ("peterson", 2),
        ("philosophers", 3),
        ("stack_aba", 1),
        ("two_buffers", 3),
    ] {
        let path = repository(&format!("models/{model}.csp"));
        let mut screen = reading(&path, number);
        screen.press("$");
        for (columns, rows) in SIZES {
            screen.send(Msg::Resize(columns, rows));
            let text = screen.text();
            assert!(text.contains("VIOLATION"), "{model}\n{text}");
        }
        screen.send(Msg::Resize(120, 36));
        screen.press("enter");
        screen.compare();
        for (columns, rows) in SIZES {
            screen.send(Msg::Resize(columns, rows));
            screen.app.focus_on(Pane::State);
            let text = screen.text();
            assert!(text.contains("VIOLATION"), "{model}\n{text}");
        }
        screen.send(Msg::Resize(120, 36));
        let place = screen.session().followed().map(|place| place.steps);
        assert_eq!(place, Some(screen.session().history.depth()));
        screen.press("u");
        assert!(!screen.text().contains("VIOLATION"));
        screen.compare();
    }
}

/// What revivals and refusal testing see, in Check and where the run is followed.
#[test]
fn what_has_to_be_seen_is_told() {
    let path = script(
        "trail_finer.csp",
        "transparent normal\nchannel a, b, c\nP = normal((a -> STOP) [> STOP)\n\
         Q = normal((a -> STOP) |~| STOP)\nassert P [V= Q\n\
         S = (b -> a -> STOP [] a -> STOP) |~| (b -> c -> STOP) |~| (a -> STOP)\nT = b -> a -> STOP\n\
         assert S [R= T\n",
    );
    let mut screen = reading(&path, 1);
    screen.press("$");
    let text = screen.text();
    assert!(
        text.contains("X refuses too much") && text.contains("X never settles with a"),
        "{text}"
    );
    assert!(text.contains("No stable state of the"), "{text}");
    // The animator opens the process as it was checked, although the script compresses it.
    screen.press("enter");
    let text = screen.text();
    assert!(
        text.contains("VIOLATION") && text.contains("it was opened as for the check"),
        "{text}"
    );
    let mut screen = reading(&path, 2);
    screen.press("0 l");
    let text = screen.text();
    assert!(
        text.contains("seen") && text.contains("nothing on offer but {b} before step 1"),
        "{text}"
    );
    screen.press("$");
    let text = screen.text();
    assert!(
        text.contains("VIOLATION After <b>, with nothing on offer but {b} before step 1,"),
        "{text}"
    );
    screen.press("enter");
    screen.compare();
    assert!(screen.text().contains("VIOLATION"), "{}", screen.text());
}

/// A loop of silent steps, and what a state refuses.
#[test]
fn divergences_and_refusals_are_told() {
    let path = script(
        "trail_endings.csp",
        "channel a, b, c\nP = a -> Q\nQ = b -> c -> Q\nassert P \\ {b, c} :[divergence free]\n\
         R = a -> (b -> STOP |~| c -> STOP)\nS = a -> (b -> STOP [] c -> STOP)\nassert S [F= R\n",
    );
    let mut screen = reading(&path, 1);
    screen.press("$");
    let text = screen.text();
    assert!(
        text.contains("X DIVERGES") && text.contains("tau loop"),
        "{text}"
    );
    let mut screen = reading(&path, 2);
    screen.press("$");
    let text = screen.text();
    assert!(
        text.contains("X refuses") && text.contains("X wants"),
        "{text}"
    );
}

/// `t` takes silent steps and one visible event, and the states on the way are those of the process.
#[test]
fn the_next_visible_event_is_taken() {
    for (model, process) in [
        ("list_stack", "System"),
        ("two_buffers", "Q"),
        ("peterson", "System"),
    ] {
        let path = repository(&format!("models/{model}.csp"));
        let mut screen = Screen::open_at(&path, None);
        for _ in 0..3 {
            let before = screen.session().history.depth();
            screen.press("t");
            screen.compare();
            let history = &screen.session().history;
            if history.depth() == before {
                assert!(
                    screen.app.note.contains("no visible event"),
                    "{model} {process}"
                );
                break;
            }
            let trace = history.visible_trace();
            assert!(!trace.is_empty(), "{model} {process}");
            let line = history.line();
            let kinds = line[before + 1..=history.depth()].iter().map(|id| {
                match &history.node(*id).origin {
                    orbitscope::animate::history::Origin::Step(taken) => taken.kind,
                    _ => EventKind::Tau,
                }
            });
            let visible = kinds.filter(|kind| *kind != EventKind::Tau).count();
            assert_eq!(visible, 1, "{model} {process}");
        }
    }
    let path = script(
        "trail_silent.csp",
        "channel a\nP = a -> P\nQ = P \\ {a}\nassert Q :[deadlock free]\n",
    );
    let mut screen = Screen::open_at(&path, Some("Q"));
    screen.press("t");
    assert!(
        screen.app.note.contains("none of them") || screen.app.note.contains("no visible"),
        "{}",
        screen.app.note
    );
}

/// The attack on the protocol of Needham and Schroeder: a hundred components, 76 steps.
#[test]
fn the_attack_can_be_followed() {
    let Some(corpus) = corpus("the_attack_can_be_followed") else {
        return;
    };
    let path = corpus.join("fdr-examples/fdr-examples/tpc/chapter15/nspk.csp");
    for (columns, rows) in [(120, 36), (80, 24)] {
        let mut screen = reading(&path, 1);
        screen.send(Msg::Resize(columns, rows));
        let mut seen = String::new();
        screen.press("0");
        for _ in 0..14 {
            seen += &screen.text();
            screen.press("l");
        }
        screen.press("$");
        seen += &screen.text();
        for what in [
            "take.Alice.Cameron.PK.(pkC, Sq.<Na, Alice>)",
            "infer x",
            "fake.Alice.Bob.Encrypt.(Nb, Sq.<Bob, Cmessage>)",
            "X allows nothing",
            "VIOLATION",
            "of 76 | rows",
        ] {
            assert!(seen.contains(what) || columns < 100, "{what}\n{seen}");
        }
        assert!(
            seen.contains("VIOLATION") && seen.contains("infer x"),
            "{seen}"
        );
        screen.press("enter");
        screen.compare();
        assert!(screen.text().contains("VIOLATION"), "{}", screen.text());
    }
}
