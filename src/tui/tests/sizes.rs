//! What holds for other sizes, in the Check view.

use super::super::app::{Pane, View};
use super::super::layout;
use super::super::racing::JobStage;
use super::{Harness, pane, real, scripted};

/// The lines of the pane, without blanks at their ends.
fn text(harness: &Harness) -> String {
    pane(&harness.app, Pane::Sizes, 118, 40)
}

#[test]
fn an_assertion_at_every_size() {
    let mut harness = real("two_buffers", Some("Q"));
    harness.press("4");
    assert!(!layout::reachable(&harness.app).contains(&Pane::Sizes));
    harness.press("n");
    harness.settle();
    assert_eq!(
        (harness.app.view, harness.app.pane()),
        (View::Check, Pane::Sizes)
    );
    let said = text(&harness);
    for expected in [
        "T: holds at 2, as written; 3 and more: holds. PROVED: nobody compares",
        "2  holds         5  T(2): 2",
        "checked",
        "and the specification follows every map of values",
    ] {
        assert!(said.contains(expected), "{expected}: {said}");
    }
    // The words of the theorem are explained on `?`.
    harness.press("?");
    let help = harness.screen();
    for word in ["PROVED", "nobody compares"] {
        assert!(help.contains(word), "{word}: {help}");
    }
    harness.press("esc");
    // The one that fails.
    harness.press("esc j j n");
    harness.settle();
    let said = text(&harness);
    assert!(
        said.contains("fails. PROVED: a part of the whole"),
        "{said}"
    );
    harness.press("esc");
    assert!(!layout::visible(&harness.app, Pane::Sizes));
}

#[test]
fn a_process_as_a_circle() {
    let mut harness = real("round_table", Some("Table"));
    harness.press("4 N");
    harness.settle();
    let said = text(&harness);
    for expected in [
        "Table as a circle",
        "9 letters, 12 windows",
        "agrees",
        "PROVED for every n",
        "fails: c c c is reached, and no step changes it",
        "That it agrees for other N is not proved.",
    ] {
        assert!(said.contains(expected), "{expected}: {said}");
    }
}

#[test]
fn what_cannot_be_answered_says_why() {
    let mut harness = real("two_buffers", Some("Q"));
    harness.press("4 N");
    harness.settle();
    assert!(text(&harness).contains("no definition of the script is a number"));
    let mut harness = real("round_table", Some("Mixed"));
    harness.press("4 N");
    harness.settle();
    let said = text(&harness);
    assert!(
        said.contains("It is not read as automata: nothing is proved."),
        "{said}"
    );
    let mut harness = scripted("P = STOP\nassert P :[deadlock free]\n", Some("P"));
    harness.press("4 n");
    harness.settle();
    assert!(text(&harness).contains("nothing in it has a size"));
}

#[test]
fn a_question_can_be_cancelled_and_asked_again() {
    let script = "datatype D = D0 | D1\nchannel c : D.{0..400}\nP(n) = n < 400 & c?x!n -> P(n + 1)\n\
                  Q = ||| d : D @ P(0)\nassert Q [T= Q\n";
    let mut harness = scripted(script, Some("Q"));
    harness.press_only("4 n");
    harness.wait_for("a first size", |app| app.sizes.found.is_some());
    harness.press_only("n");
    assert!(harness.screen().contains("other sizes are being looked at"));
    harness.press_only("X");
    harness.settle();
    assert_eq!(harness.app.sizes.stage, JobStage::Ended);
    assert!(text(&harness).contains("not decided"), "{}", text(&harness));
    assert!(!text(&harness).contains("more sizes are searched"));
}
