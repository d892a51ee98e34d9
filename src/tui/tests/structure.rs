//! The Structure view, driven by keys.

use super::super::app::{Pane, View};
use super::{Harness, at_the_seventeen, pane, screen};

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

#[test]
fn a_state_that_cannot_be_evaluated_says_so() {
    let mut harness = at_the_seventeen((120, 36));
    harness.press("G enter 7");
    let text = harness.screen();
    assert!(text.contains("This cannot be told"), "{text}");
}

#[test]
fn without_a_process_there_is_nothing_to_show() {
    let harness = Harness::opened((120, 36), "NoSuch");
    let mut harness = harness;
    harness.press("esc 7");
    assert!(harness.screen().contains("7 Structure"));
}
