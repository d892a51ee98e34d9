//! Values of character and string literals.

use std::rc::Rc;

/// The character of `'c'` or `'\n'`.
pub(super) fn character(text: &str) -> char {
    let mut inner = text.chars().skip(1);
    match inner.next() {
        Some('\\') => inner.next().map_or('\\', unescaped),
        Some(c) => c,
        // Cannot be: the grammar gives two quotes with something in between.
        None => '\'',
    }
}

/// The text of `"…"`.
pub(super) fn string(text: &str) -> Rc<str> {
    let inner = text
        .get(1..text.len().saturating_sub(1))
        .unwrap_or_default();
    let mut out = String::with_capacity(inner.len());
    let mut chars = inner.chars();
    while let Some(c) = chars.next() {
        if c == '\\' {
            // A backslash at the very end cannot be: it would have escaped the closing quote.
            out.extend(chars.next().map(unescaped));
        } else {
            out.push(c);
        }
    }
    Rc::from(out)
}

/// The value of an escape sequence, a backslash and this character: mostly the character itself.
fn unescaped(c: char) -> char {
    match c {
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        other => other,
    }
}
