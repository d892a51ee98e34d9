//! Searches for states, typed on the screen.

use super::super::app::{Overlay, View};
use super::{Harness, at_the_seventeen, screen};

#[test]
fn the_way_is_a_branch_of_the_history() {
    let mut harness = at_the_seventeen((120, 36));
    let before = harness.app.session.as_ref().unwrap().history.depth();
    harness.press("7 f");
    harness.press_only("can");
    for size in [(120, 36), (80, 24), (60, 16)] {
        harness.app.size = size;
        insta::assert_snapshot!(format!("find_{}x{}", size.0, size.1), screen(&harness.app));
    }
    harness.app.size = (120, 36);
    harness.press("enter");
    assert_eq!(harness.app.view, View::Animate);
    assert_eq!(
        harness.app.session.as_ref().unwrap().history.depth(),
        before + 1
    );
    assert!(
        harness.app.note.contains("found after 1 step"),
        "{}",
        harness.app.note
    );
    harness.press("f down enter");
    assert_eq!(harness.app.session.as_ref().unwrap().history.depth(), 1);
}

#[test]
fn what_is_nowhere_changes_nothing() {
    let mut harness = at_the_seventeen((120, 36));
    let before = harness.app.session.as_ref().unwrap().current();
    harness.press("f deadlock enter");
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
    harness.press("f some space Thred enter");
    assert_eq!(harness.app.overlay, Some(Overlay::Find));
    let text = harness.screen();
    assert!(
        text.contains("no family is called") && text.contains("^^^^^"),
        "{text}"
    );
    harness.press("backspace backspace ead tab");
    assert!(
        harness.app.find.text.starts_with("some Thread"),
        "{}",
        harness.app.find.text
    );
    harness.press("esc");
    assert_eq!(harness.app.overlay, None);
}

#[test]
fn random_steps_stop_where_the_condition_holds() {
    let mut harness = Harness::new((120, 36));
    harness.press("f can space getTop.T0.Null enter u F");
    assert!(
        harness
            .app
            .note
            .contains("random walks stop where can getTop"),
        "{}",
        harness.app.note
    );
    harness.press("9r");
    assert_eq!(harness.app.session.as_ref().unwrap().history.depth(), 1);
    assert!(
        harness.app.note.starts_with("stopped: can getTop"),
        "{}",
        harness.app.note
    );
    harness.press("F 1 9r");
    let trace = harness.app.session.as_ref().unwrap().trace_text();
    assert_eq!(trace, "<push.T0.B>");
}
