//! Whatever stands in a script, a terminal draws it and does nothing else.

use super::{screen, scripted};

const EVIL: &str = "\u{1b}[2J\u{1b}]0;x\u{7}\u{9b}1G\u{85}\u{202e}\u{2066}\u{200f}\u{feff}\u{7f}";

#[test]
fn names_and_values_draw_nothing_of_their_own() {
    let text = format!(
        "datatype D = A | B\nchannel a : D\nP(s, d) = a.d -> (if s == \"\" then STOP else P(s, d))\n\
         Q = P(\"{EVIL}\", A)\nassert Q [T= P(\"{EVIL}\", B)\nassert not Q :[has trace]: <a.A>\n"
    );
    let mut harness = scripted(&text, Some("Q"));
    let mut seen = 0;
    let harmful = |c: char| {
        (c.is_control() && c != '\n')
            || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
    };
    for keys in [
        "enter", "w", "l", "1", "H", "esc", "V", "esc", "4", "x", "j x", "enter", "?",
    ] {
        harness.press(keys);
        let text = screen(&harness.app);
        let found = text.chars().find(|c| harmful(*c));
        assert_eq!(found, None, "{keys}: {text:?}");
        // What is left of the sequence once its escape is drawn as a sign: the value really was
        // shown.
        seen += usize::from(text.contains("[2J"));
    }
    assert!(
        seen >= 2,
        "the value was never on the screen: {}",
        screen(&harness.app)
    );
}
