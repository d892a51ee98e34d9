//! The Source view.

use std::path::Path;

use super::super::app::{App, Msg, Pane, View};
use super::super::panes;
use super::super::theme::{Palette, Theme};
use super::{Harness, UNSOUND, at_the_seventeen, real_file, screen, scripted};
use crate::check::Options;
use crate::source::FileId;

const SIZES: [(u16, u16); 4] = [(120, 36), (80, 24), (60, 16), (170, 40)];

fn shot(name: &str, app: &mut App) {
    for size in SIZES {
        app.size = size;
        insta::assert_snapshot!(format!("{name}_{}x{}", size.0, size.1), screen(app));
    }
    app.size = SIZES[0];
}

/// A script of this text in the Source view, which need not be one that can be used.
fn reading(text: &str, size: (u16, u16)) -> Harness {
    let mut harness = scripted(text, None);
    harness.app.size = size;
    harness.press("6 g g");
    harness
}

/// What stands under the cursor.
fn under(harness: &Harness) -> String {
    let reading = &harness.app.reading;
    let text = reading.text().unwrap();
    text.text()[reading.cursor.offset..]
        .chars()
        .take(6)
        .collect()
}

#[test]
fn source() {
    let mut harness = at_the_seventeen(SIZES[0]);
    harness.press("6");
    shot("source", &mut harness.app);
    harness.press("tab");
    shot("source_outline", &mut harness.app);
    harness.press("tab");
    shot("source_symmetry", &mut harness.app);
    harness.press("1");
    harness.app.size = (170, 40);
    harness.press("j");
    insta::assert_snapshot!("source_docked_170x40", harness.screen());
}

#[test]
fn a_script_that_cannot_be_used_is_shown_with_its_errors() {
    let mut harness = real_file(Path::new(UNSOUND), None, &Options::default());
    assert_eq!(harness.app.view, View::Source);
    shot("source_unsound", &mut harness.app);
    harness.press("D");
    let text = harness.screen();
    assert!(text.contains("2 | P = a -> -> STOP"), "{text}");
    assert!(text.contains("4 | Q = b?x -> [] STOP)"), "{text}");
    // Every view says why it has nothing else to show.
    for view in ["esc 4", "2"] {
        harness.press(view);
        let text = harness.screen();
        assert!(text.contains("2 | P = a -> -> STOP"), "{text}");
        assert!(text.contains("R reads the script again"), "{text}");
    }
}

#[test]
fn the_cursor_goes_to_names_and_definitions_and_back() {
    let text = "datatype D = A | B\nchannel c : D\nP(x) = c!x -> Q -- P\nQ = P(A)\n";
    let mut harness = reading(text, SIZES[0]);
    harness.press("w w");
    assert_eq!(under(&harness), "A | B\n");
    harness.press("j j l");
    assert_eq!(under(&harness), "Q -- P");
    harness.press("enter");
    assert_eq!(under(&harness), "Q = P(");
    harness.press("w g d");
    assert_eq!(under(&harness), "P(x) =");
    assert!(
        harness.screen().contains("P :: (D) -> Proc"),
        "{}",
        harness.screen()
    );
    harness.press("ctrl-o ctrl-o");
    assert_eq!(under(&harness), "Q -- P");
    harness.press("b");
    assert_eq!(under(&harness), "x -> Q");
    harness.press("enter");
    assert_eq!(under(&harness), "x) = c");
    harness.press("G g g l l h");
    assert_eq!(under(&harness), "atatyp");
}

#[test]
fn a_text_is_searched() {
    let text = "P = a -> STOP\nQ = b -> STOP\nR = a -> Stop\nchannel a, b\n";
    let mut harness = reading(text, SIZES[0]);
    harness.press("/ s t o p enter");
    assert_eq!(under(&harness), "STOP\nQ");
    harness.press("n n");
    assert_eq!(under(&harness), "Stop\nc");
    harness.press("n");
    assert_eq!(under(&harness), "STOP\nQ");
    assert!(harness.screen().contains("other end"));
    harness.press("N");
    assert_eq!(under(&harness), "Stop\nc");
    harness.press("esc / S t enter n");
    assert_eq!(under(&harness), "Stop\nc");
    harness.press("/ z z z");
    harness.press("esc");
    assert_eq!(under(&harness), "Stop\nc");
}

#[test]
fn the_text_follows_what_is_selected() {
    let mut harness = at_the_seventeen((170, 40));
    let shown = harness.screen();
    assert!(shown.contains("Source liststack.csp"), "{shown}");
    let first = harness.app.reading.cursor;
    // Another component of the same transition, without leaving the state.
    harness.press("J");
    assert_ne!(harness.app.reading.cursor, first);
    harness.press("K");
    assert_eq!(harness.app.reading.cursor, first);
    harness.press("6 tab j");
    assert_eq!(harness.app.reading.mover, 1);
    assert_ne!(harness.app.reading.cursor, first);
    // Who reads elsewhere is not taken back.
    harness.press("tab tab g g");
    assert_eq!(harness.app.pane(), Pane::Source);
    assert_eq!(harness.app.reading.cursor.offset, 0);
    harness.press(".");
    assert_ne!(harness.app.reading.cursor.offset, 0);
}

/// Whatever stands in a text, and wherever the cursor is: what is drawn fits, and no panic.
#[test]
fn any_text_is_drawn() {
    let long = format!("P = {}\n", "ab\t日{- x -}\u{301} ".repeat(8_000));
    let texts = [
        "",
        "\n",
        "\r\n\r\n",
        "\tx\u{1b}[2J\u{202e}日本\0y",
        "{- never closed\n\n\n",
        "日本語",
        &long,
    ];
    for text in texts {
        for size in [(170, 40), (120, 36), (80, 24), (60, 16)] {
            let mut harness = reading(text, size);
            for key in "G g g $ $ w b l h } { n pgdn pgup / x enter N i esc tab j enter".split(' ')
            {
                harness.press(key);
                let _ = screen(&harness.app);
                let content = panes::build(&harness.app, Pane::Source, 40, 10);
                assert!(
                    content.lines.iter().all(|l| l.width() <= 40),
                    "{text:?} {key}"
                );
                let reading = &harness.app.reading;
                let length = reading.text().map_or(0, |t| t.text().len());
                assert!(reading.cursor.offset <= length);
            }
        }
    }
}

/// The mouse puts the cursor where it points.
#[test]
fn a_click_puts_the_cursor() {
    use crossterm::event::{KeyModifiers, MouseButton, MouseEvent, MouseEventKind};
    let mut harness = reading("P = STOP\nQ = STOP\n", SIZES[0]);
    let event = |kind| MouseEvent {
        kind,
        column: 11,
        row: 3,
        modifiers: KeyModifiers::NONE,
    };
    harness.send(Msg::Mouse(event(MouseEventKind::Down(MouseButton::Left))));
    assert_eq!(under(&harness), "STOP\n");
    assert_eq!(harness.app.reading.cursor.file, FileId(0));
    harness.send(Msg::Mouse(event(MouseEventKind::ScrollDown)));
    let _ = screen(&harness.app);
}

#[test]
fn without_colour_and_in_ascii_the_text_is_the_same() {
    let mut harness = at_the_seventeen(SIZES[0]);
    harness.press("6");
    let mut text = |colour, ascii| {
        harness.app.theme = Theme {
            palette: if colour { Palette::Dark } else { Palette::Mono },
            background: None,
            ascii,
        };
        screen(&harness.app)
    };
    assert_eq!(text(false, false), text(true, false));
    assert!(text(true, true).is_ascii());
}
