//! Rust text as the tidy test reads it: without comments, literals and tests.

/// The text with comments and the contents of string and character literals turned into blanks; lines
/// stay where they are.
pub fn code_of(text: &str) -> String {
    let chars: Vec<char> = text.chars().collect();
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    let starts = |at: usize, what: &str| {
        what.chars()
            .enumerate()
            .all(|(n, c)| chars.get(at + n) == Some(&c))
    };
    let blank = |out: &mut String, from: usize, to: usize| {
        out.extend(
            chars[from..to]
                .iter()
                .map(|c| if *c == '\n' { '\n' } else { ' ' }),
        );
    };
    while at < chars.len() {
        let from = at;
        if starts(at, "//") {
            while at < chars.len() && chars[at] != '\n' {
                at += 1;
            }
            blank(&mut out, from, at);
        } else if starts(at, "/*") {
            let mut depth = 0;
            loop {
                if starts(at, "/*") {
                    depth += 1;
                    at += 2;
                } else if starts(at, "*/") {
                    depth -= 1;
                    at += 2;
                } else {
                    at += 1;
                }
                if depth == 0 || at >= chars.len() {
                    break;
                }
            }
            at = at.min(chars.len());
            blank(&mut out, from, at);
        } else if let Some(hashes) = raw_string(&chars, at) {
            let close: String = std::iter::once('"')
                .chain("#".repeat(hashes).chars())
                .collect();
            at += 2 + hashes;
            while at < chars.len() && !starts(at, &close) {
                at += 1;
            }
            at = (at + close.len()).min(chars.len());
            out.push('"');
            blank(&mut out, from + 1, at - 1);
            out.push('"');
        } else if chars[at] == '"' {
            at += 1;
            while at < chars.len() && chars[at] != '"' {
                at += if chars[at] == '\\' { 2 } else { 1 };
            }
            at = (at + 1).min(chars.len());
            out.push('"');
            blank(&mut out, from + 1, at - 1);
            out.push('"');
        } else if let Some(len) = char_literal(&chars, at) {
            at += len;
            out.push('\'');
            blank(&mut out, from + 1, at - 1);
            out.push('\'');
        } else {
            out.push(chars[at]);
            at += 1;
        }
    }
    out
}

/// The number of `#` of a raw string that starts here.
fn raw_string(chars: &[char], at: usize) -> Option<usize> {
    let word_before = at > 0 && (chars[at - 1].is_alphanumeric() || chars[at - 1] == '_');
    if chars[at] != 'r' || word_before {
        return None;
    }
    let hashes = chars[at + 1..].iter().take_while(|c| **c == '#').count();
    (chars.get(at + 1 + hashes) == Some(&'"')).then_some(hashes)
}

/// The length of a character literal that starts here; a lifetime is none.
fn char_literal(chars: &[char], at: usize) -> Option<usize> {
    if chars[at] != '\'' {
        return None;
    }
    if chars.get(at + 1) == Some(&'\\') {
        let len = chars[at + 3..].iter().position(|c| *c == '\'')?;
        return Some(len + 4);
    }
    (chars.get(at + 2) == Some(&'\'')).then_some(3)
}

/// Code with every item under `#[cfg(test)]` turned into blanks.
pub fn without_tests(code: &str) -> String {
    const MARK: &str = "#[cfg(test)]";
    let mut out = String::with_capacity(code.len());
    let mut rest = code;
    while let Some(at) = rest.find(MARK) {
        out.push_str(&rest[..at]);
        let (mut depth, mut end) = (0usize, rest.len());
        for (n, c) in rest[at + MARK.len()..].char_indices() {
            match c {
                '{' => depth += 1,
                // The end of a struct whose last field is for tests.
                '}' if depth == 0 => {
                    end = at + MARK.len() + n;
                    break;
                }
                '}' => depth -= 1,
                _ => {}
            }
            if depth == 0 && matches!(c, '}' | ';') {
                end = at + MARK.len() + n + 1;
                break;
            }
        }
        out.extend(rest[at..end].chars().filter(|c| *c == '\n'));
        rest = &rest[end..];
    }
    out + rest
}
