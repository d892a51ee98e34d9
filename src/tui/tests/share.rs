//! Pages to share, from the views that show what is on them.

use super::super::app::{Effect, Pane};
use super::{Harness, at_the_seventeen, real};

/// The last file that was written: its subject, the end of its name, and its text.
fn written(harness: &Harness) -> Option<(&'static str, &'static str, &str)> {
    let mut files = harness.others.iter().filter_map(|effect| match effect {
        Effect::CopyToFile(what, ending, text) => Some((*what, *ending, text.as_str())),
        _ => None,
    });
    files.next_back()
}

#[test]
fn the_walk_to_the_present_state_is_written() {
    let mut harness = at_the_seventeen((120, 36));
    let steps = harness.app.session.as_ref().unwrap().history.depth();
    harness.press("E");
    assert!(harness.screen().contains("h a page for a browser"));
    harness.press("h");
    let (what, ending, text) = written(&harness).unwrap();
    assert_eq!((what, ending), ("walk", ".html"));
    assert_eq!(text.matches("<article").count(), steps + 1);
    // What was undone is no part of the way.
    harness.press("u E t");
    let (what, ending, text) = written(&harness).unwrap();
    assert_eq!((what, ending), ("walk", ".txt"));
    assert!(text.contains(&format!("length         {} steps\n", steps - 1)));
    let trace = harness.app.session.as_ref().unwrap().trace_text();
    let joined: String = text.split_whitespace().collect();
    assert!(joined.contains(&trace.replace(' ', "")), "{text}");
}

#[test]
fn a_counterexample_is_written_where_it_is_shown() {
    let mut harness = real("two_buffers", None);
    harness.press("4 E h");
    assert!(harness.screen().contains("there is no counterexample"));
    assert_eq!(written(&harness), None);
    harness.press("j j x");
    harness.app.focus_on(Pane::Counterexample);
    harness.press("E t");
    let (what, _, text) = written(&harness).unwrap();
    assert_eq!(what, "counterexample");
    assert!(text.starts_with("Counterexample of assertion 3: "));
}

#[test]
fn a_comparison_is_written_with_the_ways_to_both_states() {
    let mut harness = at_the_seventeen((120, 36));
    harness.press("3 E h");
    assert_eq!(written(&harness), None);
    harness.press("1 u m a U c a");
    let verdict = harness.app.session.as_ref().unwrap();
    let (a, b) = harness.app.compare.states().unwrap();
    let found = verdict.comparison(a, b, harness.app.compare.by).unwrap();
    let verdict = found.as_ref().unwrap().verdict();
    harness.press("E t");
    let (what, ending, text) = written(&harness).unwrap();
    assert_eq!((what, ending), ("comparison", ".txt"));
    let joined = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(joined.contains(&verdict), "{text}");
    assert!(joined.contains("state A after <") && joined.contains("state B after <"));
    // Two transitions that lead to one orbit: the ways end with them.
    harness.press("1 c enter E t");
    assert_eq!(written(&harness).unwrap().0, "comparison");
}
