//! Ten thousand random keys, at all sizes: no panic, and every frame can be drawn.

use crossterm::event::{KeyModifiers, MouseButton, MouseEvent, MouseEventKind};

use super::super::app::Msg;
use super::super::keys;
use super::{Harness, screen};

// Without `q` and `ctrl-c`, which end the screen.
const KEYS: [&str; 73] = [
    "a",
    "b",
    "c",
    "c",
    "d",
    "e",
    "g",
    "h",
    "i",
    "j",
    "k",
    "l",
    "m",
    "n",
    "o",
    "p",
    "r",
    "s",
    "t",
    "u",
    "v",
    "w",
    "x",
    "y",
    "z",
    "B",
    "D",
    "E",
    "G",
    "H",
    "M",
    "N",
    "O",
    "R",
    "S",
    "V",
    ",",
    "T",
    "U",
    "X",
    "Y",
    "0",
    "1",
    "2",
    "3",
    "4",
    "5",
    "5",
    "8",
    "+",
    "-",
    "=",
    "enter",
    "esc",
    "tab",
    "shift-tab",
    "space",
    "backspace",
    "up",
    "down",
    "left",
    "right",
    "home",
    "end",
    "pgup",
    "pgdn",
    "?",
    ":",
    "/",
    "$",
    "]",
    "'",
    ".",
];

const SIZES: [(u16, u16); 9] = [
    (120, 36),
    (80, 24),
    (60, 16),
    (40, 10),
    (1, 1),
    (200, 70),
    (110, 17),
    (80, 60),
    (119, 25),
];

#[test]
fn thousands_of_keys() {
    let mut harness = Harness::new(SIZES[0]);
    // The generator of Knuth's MMIX: the same keys in every run, so that a failure can be found
    // again. The upper half of its bits is used, since the lower ones are hardly random.
    let mut random: u64 = 42;
    let mut draw = |below: usize| {
        random = random
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (random >> 33) as usize % below
    };
    let keys = match crate::tiers::is_thorough() {
        true => 10_000,
        false => 2_000,
    };
    for step in 0..keys {
        // Numbers without common divisors: sizes, clicks and frames meet in all combinations.
        if step % 37 == 0 {
            let (w, h) = SIZES[draw(SIZES.len())];
            harness.send(Msg::Resize(w, h));
        }
        if step % 11 == 0 {
            let kinds = [
                MouseEventKind::Down(MouseButton::Left),
                MouseEventKind::ScrollDown,
                MouseEventKind::ScrollUp,
            ];
            let event = MouseEvent {
                kind: kinds[draw(3)],
                column: draw(usize::from(harness.app.size.0)) as u16,
                row: draw(usize::from(harness.app.size.1)) as u16,
                modifiers: KeyModifiers::NONE,
            };
            harness.send(Msg::Mouse(event));
        }
        let key = KEYS[draw(KEYS.len())];
        harness.send(Msg::Key(keys::press(key).unwrap()));
        // Time passes, so that what plays goes on.
        harness.send(Msg::Tick(step * 40));
        // Not waited for: keys have to work while the engine is busy.
        harness.deliver();
        if step % 3 == 0 {
            let _ = screen(&harness.app);
        }
    }
    // The second check lasts until it is cancelled, and `settle` would wait for it.
    harness.press_only("esc esc esc esc X");
    harness.settle();
    harness.app.size = SIZES[0];
    let text = harness.screen();
    assert!(text.contains("1 Animate"), "{text}");
}
