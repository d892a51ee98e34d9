//! Searches for states, typed on the screen.

use super::super::app::{Overlay, View};
use super::super::panes;
use super::{Harness, at_the_seventeen, events, real, screen, scripted, step};

#[test]
fn the_way_is_a_branch_of_the_history() {
    let mut harness = Harness::opened((120, 36), "Pushers");
    harness.press("enter enter");
    let before = step(&harness);
    harness.press("7 f");
    harness.press_only("some space Node space is space Node");
    for size in [(120, 36), (80, 24), (60, 16)] {
        harness.app.size = size;
        insta::assert_snapshot!(format!("find_{}x{}", size.0, size.1), screen(&harness.app));
    }
    harness.app.size = (120, 36);
    harness.press("enter");
    assert_eq!(harness.app.view, View::Animate, "{}", harness.screen());
    assert_eq!(step(&harness), before + 1);
    assert!(
        harness.app.note.contains("found after 1 step"),
        "{}",
        harness.app.note
    );
    harness.press("f down enter");
    assert_eq!(step(&harness), 3);
}

#[test]
fn what_is_nowhere_changes_nothing() {
    let mut harness = Harness::opened((120, 36), "Pushers");
    harness.press("enter enter");
    let before = harness.app.session.as_ref().unwrap().current();
    harness.press("f deadlock space and space offers space push enter");
    assert_eq!(harness.app.session.as_ref().unwrap().current(), before);
    assert!(
        harness.app.note.starts_with("not reachable"),
        "{}",
        harness.app.note
    );
}

#[test]
fn mistakes_are_shown_where_they_can_be_mended() {
    let mut harness = at_the_seventeen((120, 36));
    harness.press("f some space Thred space is space Thread enter");
    assert_eq!(harness.app.overlay, Some(Overlay::Find));
    let text = harness.screen();
    assert!(
        text.contains("no family is called") && text.contains("^^^^^"),
        "{text}"
    );
    for _ in 0.."ed is Thread".len() {
        harness.press("backspace");
    }
    harness.press("ea tab");
    assert_eq!(harness.app.find.text, "some Thread");
    harness.press("esc");
    assert_eq!(harness.app.overlay, None);
}

#[test]
fn random_steps_stop_where_the_condition_holds() {
    let mut harness = Harness::new((120, 36));
    harness.press("f offers space push enter R F");
    let note = "random walks stop where offers push";
    assert!(harness.app.note.contains(note), "{}", harness.app.note);
    harness.press("9r");
    assert_eq!(step(&harness), 4);
    let note = "stopped: offers push";
    assert!(harness.app.note.starts_with(note), "{}", harness.app.note);
    harness.press("F 1 9r");
    assert!(step(&harness) > 4);
    let trace = harness.app.session.as_ref().unwrap().trace_text();
    assert!(trace.starts_with("<push."), "{trace}");
}

/// What a process can do later is not known at once.
#[test]
fn events_that_are_not_known_yet_are_looked_for() {
    let text = "channel a, b\nP = a -> (Q ||| Q)\nQ = b -> Q\n";
    let mut harness = scripted(text, Some("P"));
    harness.press("f offers space b enter");
    assert_eq!(events(&harness), ["a"]);
    // Each search begins with an empty line; the one before comes back.
    harness.press("f");
    assert!(harness.app.find.text.is_empty());
    harness.press("ctrl-p backspace c enter");
    let text = harness.screen();
    assert!(
        text.contains("no visible event of this process begins with `c`"),
        "{text}"
    );
}

/// The window's examples are about the script at hand, and each of them can be searched for.
#[test]
fn examples_can_be_typed() {
    let text = "channel hello, bye : {0..1}\nUser(i) = hello.i -> bye.i -> User(i)\n\
                System = User(0) ||| User(1) ||| (hello.0 -> STOP)\n";
    for mut harness in [real("example37", None), scripted(text, Some("System"))] {
        let examples = panes::find::examples(&harness.app);
        assert_eq!(examples.len(), 4, "{examples:?}");
        for (typed, _) in examples {
            harness.press("f");
            assert!(harness.screen().contains(&typed), "{typed}");
            harness.app.find.text.clone_from(&typed);
            harness.press("enter");
            assert_eq!(harness.app.find.failure, None, "{typed}");
        }
    }
}
