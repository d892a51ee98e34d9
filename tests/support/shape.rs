//! Trees without places and parentheses, to be compared.

use orbitscope::syntax::ast::File;

/// A tree as text, without places and parentheses: equal for two texts that mean the same.
pub fn shape(file: &File) -> String {
    let text = format!("{:?}", file.decls);
    let mut out = String::with_capacity(text.len() / 2);
    // For each bracket that is open, whether it belongs to a parenthesis and is left out.
    let mut open: Vec<Bracket> = Vec::new();
    let mut rest = text.as_str();
    while let Some(first) = rest.chars().next() {
        if let Some(after) = after_span(rest) {
            rest = after;
        } else if let Some(after) = after_parenthesis(rest) {
            // `Expr { kind: Paren(`
            open.extend([Bracket::LeftOut, Bracket::LeftOut]);
            rest = after;
        } else if let '"' | '\'' = first {
            let end = literal_end(rest);
            out.push_str(&rest[..end]);
            rest = &rest[end..];
        } else {
            match first {
                '(' | '[' | '{' => open.push(Bracket::Kept),
                ')' | ']' | '}' if open.pop() == Some(Bracket::LeftOut) => {
                    rest = &rest[1..];
                    continue;
                }
                _ => {}
            }
            if first != ' ' {
                out.push(first);
            }
            rest = &rest[first.len_utf8()..];
        }
    }
    out
}

#[derive(PartialEq)]
enum Bracket {
    Kept,
    LeftOut,
}

fn after_span(rest: &str) -> Option<&str> {
    let inside = rest
        .strip_prefix(", span: Span {")
        .or_else(|| rest.strip_prefix(", Span {"))?;
    inside.split_once('}').map(|(_, after)| after)
}

fn after_parenthesis(rest: &str) -> Option<&str> {
    rest.strip_prefix("Expr { kind: Paren(")
        .or_else(|| rest.strip_prefix("Pattern { kind: Paren("))
}

/// The end of a literal as `Debug` writes it.
fn literal_end(text: &str) -> usize {
    let mut chars = text.char_indices();
    let quote = chars.next().map(|c| c.1);
    while let Some((at, c)) = chars.next() {
        if c == '\\' {
            chars.next();
        } else if Some(c) == quote {
            return at + 1;
        }
    }
    text.len()
}
