//! The Structure view, driven by keys.

use super::super::actions::structure::shown;
use super::super::app::{Pane, View};
use super::{Harness, at_the_seventeen, pane, screen};
use crate::animate::model::ErrorText;
use crate::animate::worker::Reply;

#[test]
fn seven_shows_the_tree_and_who_waits() {
    let mut harness = at_the_seventeen((120, 36));
    harness.press("7");
    assert_eq!(harness.app.view, View::Structure);
    for size in [(120, 36), (80, 24), (60, 16)] {
        harness.app.size = size;
        insta::assert_snapshot!(
            format!("structure_{}x{}", size.0, size.1),
            screen(&harness.app)
        );
    }
}

#[test]
fn siblings_fold_and_unfold() {
    let mut harness = at_the_seventeen((120, 36));
    harness.press("7 j j j");
    assert!(pane(&harness.app, Pane::Operators, 60, 30).contains("6 x Node[*]"));
    harness.press("i");
    let text = pane(&harness.app, Pane::Operators, 60, 30);
    assert!(text.contains("Node[N5]") && !text.contains("6 x"), "{text}");
    // The one that was selected stays so, and folds them again.
    harness.press("i");
    assert!(pane(&harness.app, Pane::Operators, 60, 30).contains("6 x Node[*]"));
    harness.press("g g enter");
    let text = pane(&harness.app, Pane::Operators, 60, 30);
    assert!(
        text.contains("6 free, 5 waits") && !text.contains("Lock"),
        "{text}"
    );
}

#[test]
fn enter_goes_to_who_waits() {
    let mut harness = at_the_seventeen((120, 36));
    harness.press("7 tab tab");
    assert_eq!(harness.app.pane(), Pane::Waits);
    harness.press("G enter");
    assert_eq!(harness.app.pane(), Pane::Operators);
    let text = pane(&harness.app, Pane::Part, 60, 30);
    assert!(
        text.starts_with("Thread[") || text.starts_with("Lock") || text.starts_with("Node["),
        "{text}"
    );
}

/// Each state has an answer of its own, also one that was seen before.
#[test]
fn the_structure_shown_is_that_of_the_present_state() {
    let mut harness = at_the_seventeen((120, 36));
    for keys in ["7", "1 u 7", "1 u 7", "1 U 7", "1 enter 7"] {
        harness.press(keys);
        let session = harness.app.session.as_ref().unwrap();
        let state = session.view().unwrap().components.iter().map(|c| &c.text);
        let shown = shown(&harness.app).unwrap().components.iter();
        assert!(shown.map(|c| &c.state).eq(state), "{keys}");
    }
}

/// After a cancelled request the view is left, and asks again when it is shown.
#[test]
fn what_was_cancelled_is_asked_for_again() {
    let mut harness = at_the_seventeen((120, 36));
    let state = harness.app.session.as_ref().unwrap().current();
    harness.press("7");
    let late = ErrorText::line("cancelled");
    let late = Reply::Structure(state, Err(late));
    harness.app.answers.learn(late, true);
    assert!(harness.screen().contains("This cannot be told: cancelled"));
    harness.press("1 7");
    assert!(harness.screen().contains("6 x Node[*]"));
}

#[test]
fn a_state_that_cannot_be_evaluated_says_so() {
    let mut harness = at_the_seventeen((120, 36));
    harness.press("G enter 7");
    let text = harness.screen();
    // Once, over the whole view.
    let failure = "This state could not be evaluated";
    assert_eq!(text.matches(failure).count(), 1, "{text}");
    harness.press("1");
    let text = harness.screen();
    assert_eq!(text.matches(failure).count(), 1, "{text}");
    assert!(text.contains("History"), "{text}");
}

#[test]
fn without_a_process_there_is_nothing_to_show() {
    let harness = Harness::opened((120, 36), "NoSuch");
    let mut harness = harness;
    harness.press("esc 7");
    assert!(harness.screen().contains("7 Structure"));
}
