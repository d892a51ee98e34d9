//! Terms behind the help.

use super::super::app::{Overlay, Pane};
use super::super::help;
use super::super::overlay::ItemAction;
use super::at_the_seventeen;

/// The words of the screen come before all keys, those of the focused pane first: the help explains what it is opened
/// on.
#[test]
fn the_help_explains_the_words_of_the_screen() {
    for size in [(120, 36), (80, 24), (60, 16)] {
        let mut harness = at_the_seventeen(size);
        harness.press("?");
        let text = harness.screen();
        assert!(text.contains("Words on this screen"), "{text}");
        assert!(text.contains("All states that one state becomes"), "{text}");
        harness.press("esc");
    }
    let mut harness = at_the_seventeen((120, 36));
    harness.app.focus_on(Pane::Representative);
    let items = help::items(&harness.app, "");
    let words: Vec<_> = items
        .iter()
        .filter(|item| matches!(item.action, ItemAction::Term(_)))
        .collect();
    // The title of the pane, and what stands beside it.
    assert_eq!(words[0].title, "representative");
    assert_eq!(words[1].title, "the only one");
    assert!(
        words[0].detail.ends_with("(Def. 16)"),
        "{}",
        words[0].detail
    );
    let keys = items.iter().position(|item| item.title == "undo a step");
    let last = items
        .iter()
        .rposition(|item| matches!(item.action, ItemAction::Term(_)));
    assert!(last < keys);
    // A search finds words that the screen does not have.
    let found = help::items(&harness.app, "livelock");
    assert!(found.iter().any(|item| item.title == "divergence"));
}

#[test]
fn a_second_question_mark_lists_the_terms_of_the_pane_first() {
    for size in [(120, 36), (80, 24), (60, 16)] {
        let mut harness = at_the_seventeen(size);
        harness.press("? ?");
        let text = harness.screen();
        assert!(text.contains("> ?_"), "{text}");
        // The transitions speak of orbits and of silent steps; deadlocks come later.
        let items = help::items(&harness.app, "?");
        let at = |name: &str| items.iter().position(|item| item.title == name);
        assert_eq!(items[0].keys, "here");
        assert!(at("orbit") < at("deadlock"), "{size:?}");
        assert!(items[at("deadlock").unwrap()].keys.is_empty());
        harness.press("d e a d l o c k enter");
        let Some(Overlay::Message { title, text, .. }) = &harness.app.overlay else {
            panic!("{}", harness.screen());
        };
        assert_eq!(title, "deadlock");
        assert!(text.contains("orbitscope check builtin:"), "{text}");
        harness.press("esc");
        assert!(harness.app.overlay.is_none());
    }
}
