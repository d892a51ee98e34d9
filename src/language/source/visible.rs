//! Text that comes from a script, a file name or an argument, made harmless for a terminal.
//!
//! A terminal obeys some characters instead of showing them: with escape sequences a script could
//! draw a verdict of its own, and with marks of direction a line could read other than it is. Such
//! characters are written as escapes: `\u{1b}`.

use std::borrow::Cow;

/// The text with everything that a terminal would obey as visible escapes. Newlines and tabs stay.
#[must_use]
pub fn visible(text: &str) -> Cow<'_, str> {
    escaped(text, |c| !matches!(c, '\n' | '\t') && is_obeyed(c))
}

/// The same for text on one line, such as the name of a file: newlines and tabs are written as `\n` and `\t`, since
/// a name must not begin a line of its own.
#[must_use]
pub fn visible_line(text: &str) -> Cow<'_, str> {
    escaped(text, is_obeyed)
}

fn escaped(text: &str, obeyed: impl Fn(char) -> bool) -> Cow<'_, str> {
    // Nearly all text is harmless and is not copied.
    if !text.chars().any(&obeyed) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if obeyed(c) {
            push_escape(&mut out, c);
        } else {
            out.push(c);
        }
    }
    Cow::Owned(out)
}

/// Adds one character, as an escape if a terminal would obey it.
pub(super) fn push_visible(out: &mut String, c: char) {
    if is_obeyed(c) {
        push_escape(out, c);
    } else {
        out.push(c);
    }
}

fn push_escape(out: &mut String, c: char) {
    match c {
        '\n' => out.push_str("\\n"),
        '\t' => out.push_str("\\t"),
        '\r' => out.push_str("\\r"),
        c => out.extend(c.escape_unicode()),
    }
}

/// Control characters of both sets (C0 with DEL, and C1), and marks that turn, hide or join text.
fn is_obeyed(c: char) -> bool {
    c.is_control()
        || matches!(
            c,
            '\u{AD}'
                | '\u{61C}'
                | '\u{180E}'
                | '\u{200B}'..='\u{200F}'
                | '\u{2028}'..='\u{202E}'
                | '\u{2060}'..='\u{206F}'
                | '\u{FEFF}'
                | '\u{FFF9}'..='\u{FFFB}'
                | '\u{E0000}'..='\u{E007F}'
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_obeys_is_escaped() {
        assert_eq!(visible("a\u{1b}[2K\u{7}b"), "a\\u{1b}[2K\\u{7}b");
        assert_eq!(visible("\u{9b}1G\u{7f}\r"), "\\u{9b}1G\\u{7f}\\r");
        assert_eq!(visible("\u{202e}live\u{2066}"), "\\u{202e}live\\u{2066}");
        assert_eq!(visible("x\n\ty"), "x\n\ty");
        assert_eq!(visible_line("x\n\ty"), "x\\n\\ty");
    }

    #[test]
    fn all_other_text_is_left_alone() {
        let text = "P = naïve → 日本語 \u{1F600}";
        assert!(matches!(visible(text), Cow::Borrowed(t) if t == text));
    }

    #[test]
    fn no_control_character_survives() {
        let all: String = (0..=0x11_0000).filter_map(char::from_u32).collect();
        assert!(!visible_line(&all).chars().any(char::is_control));
        let kept: Vec<char> = visible(&all).chars().filter(|c| c.is_control()).collect();
        assert_eq!(kept, ['\t', '\n']);
    }
}
