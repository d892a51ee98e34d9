//! Keys by name: the registry, the help and the tests speak of `enter`, `ctrl-d`, `g g`.

use crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

/// The name of a key, or nothing for events that are no key presses.
#[must_use]
pub fn name(event: KeyEvent) -> Option<String> {
    // Some terminals report releases. Repetitions are presses.
    if event.kind == KeyEventKind::Release {
        return None;
    }
    let shifted = event.modifiers.contains(KeyModifiers::SHIFT);
    let base = match event.code {
        KeyCode::Char(' ') => "space".to_string(),
        // Shift is in the character already.
        KeyCode::Char(c) => c.to_string(),
        KeyCode::Enter => "enter".to_string(),
        KeyCode::Esc => "esc".to_string(),
        // Terminals say it in either of two ways.
        KeyCode::Tab if shifted => "shift-tab".to_string(),
        KeyCode::Tab => "tab".to_string(),
        KeyCode::BackTab => "shift-tab".to_string(),
        KeyCode::Backspace => "backspace".to_string(),
        KeyCode::Delete => "delete".to_string(),
        KeyCode::Up => "up".to_string(),
        KeyCode::Down => "down".to_string(),
        KeyCode::Left => "left".to_string(),
        KeyCode::Right => "right".to_string(),
        KeyCode::Home => "home".to_string(),
        KeyCode::End => "end".to_string(),
        KeyCode::PageUp => "pgup".to_string(),
        KeyCode::PageDown => "pgdn".to_string(),
        KeyCode::F(n) => format!("f{n}"),
        _ => return None,
    };
    Some(if event.modifiers.contains(KeyModifiers::CONTROL) {
        // With Shift or Caps Lock the letter may come as a capital: it is the same key.
        format!("ctrl-{}", base.to_lowercase())
    } else if event.modifiers.contains(KeyModifiers::ALT) {
        format!("alt-{base}")
    } else {
        base
    })
}

/// The key press with a name from [`name`].
#[must_use]
pub fn press(name: &str) -> Option<KeyEvent> {
    if let Some(rest) = name.strip_prefix("ctrl-") {
        let mut event = press(rest)?;
        event.modifiers |= KeyModifiers::CONTROL;
        return Some(event);
    }
    if let Some(rest) = name.strip_prefix("alt-") {
        let mut event = press(rest)?;
        event.modifiers |= KeyModifiers::ALT;
        return Some(event);
    }
    let code = match name {
        "space" => KeyCode::Char(' '),
        "enter" => KeyCode::Enter,
        "esc" => KeyCode::Esc,
        "tab" => KeyCode::Tab,
        "shift-tab" => KeyCode::BackTab,
        "backspace" => KeyCode::Backspace,
        "delete" => KeyCode::Delete,
        "up" => KeyCode::Up,
        "down" => KeyCode::Down,
        "left" => KeyCode::Left,
        "right" => KeyCode::Right,
        "home" => KeyCode::Home,
        "end" => KeyCode::End,
        "pgup" => KeyCode::PageUp,
        "pgdn" => KeyCode::PageDown,
        _ if function(name).is_some() => KeyCode::F(function(name)?),
        _ => {
            let mut chars = name.chars();
            let c = chars.next()?;
            if chars.next().is_some() {
                return None;
            }
            KeyCode::Char(c)
        }
    };
    Some(KeyEvent::new(code, KeyModifiers::NONE))
}

/// The number of a function key.
fn function(name: &str) -> Option<u8> {
    let number = name.strip_prefix('f')?.parse().ok()?;
    (1..=12).contains(&number).then_some(number)
}

/// Names of keys with more than one letter.
pub const NAMED: [&str; 16] = [
    "space",
    "enter",
    "esc",
    "tab",
    "shift-tab",
    "backspace",
    "delete",
    "up",
    "down",
    "left",
    "right",
    "home",
    "end",
    "pgup",
    "pgdn",
    "f1",
];

/// Stands for any letter as the second key of a sequence.
pub const LETTER: &str = "letter";

/// The letter that a key types.
#[must_use]
pub fn letter(name: &str) -> Option<char> {
    let mut chars = name.chars();
    let letter = chars.next().filter(char::is_ascii_alphabetic)?;
    chars.next().is_none().then_some(letter)
}

/// The text of a key for users.
#[must_use]
pub fn shown(name: &str) -> String {
    match name {
        "enter" => "Enter".to_string(),
        "esc" => "Esc".to_string(),
        "tab" => "Tab".to_string(),
        "shift-tab" => "Shift-Tab".to_string(),
        "space" => "Space".to_string(),
        "pgup" => "PgUp".to_string(),
        "pgdn" => "PgDn".to_string(),
        "home" => "Home".to_string(),
        "end" => "End".to_string(),
        "up" => "Up".to_string(),
        "down" => "Down".to_string(),
        "left" => "Left".to_string(),
        "right" => "Right".to_string(),
        _ if function(name).is_some() => name.to_uppercase(),
        "g g" => "gg".to_string(),
        _ => match (name.strip_prefix("ctrl-"), name.strip_suffix(LETTER)) {
            (Some(key), _) => format!("Ctrl-{key}"),
            (None, Some(first)) => format!("{first}a-z"),
            (None, None) => name.to_string(),
        },
    }
}

/// A digit, if the key is one.
#[must_use]
pub fn digit(name: &str) -> Option<usize> {
    match name.as_bytes() {
        [d @ b'0'..=b'9'] => Some(usize::from(d - b'0')),
        _ => None,
    }
}

/// Whether a key edits a text that is typed.
#[must_use]
pub fn types(key: &str) -> bool {
    matches!(key, "space" | "backspace") || key.chars().nth(1).is_none()
}

/// Longest line that is typed, in bytes: longer ones were pasted by mistake, and are drawn with every frame.
pub const LINE_MAX: usize = 2000;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_presses_agree() {
        for key in [
            "a",
            "G",
            "space",
            "enter",
            "esc",
            "tab",
            "shift-tab",
            "ctrl-c",
            "pgdn",
            "f1",
            "?",
        ] {
            assert_eq!(press(key).and_then(name).as_deref(), Some(key));
        }
        assert_eq!(press("nonsense"), None);
    }

    #[test]
    fn releases_are_no_keys() {
        let mut event = press("a").unwrap();
        event.kind = KeyEventKind::Release;
        assert_eq!(name(event), None);
        event.kind = KeyEventKind::Repeat;
        assert_eq!(name(event).as_deref(), Some("a"));
    }
}
