//! Terms behind the help.

use super::super::app::Overlay;
use super::super::help;
use super::at_the_seventeen;

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
