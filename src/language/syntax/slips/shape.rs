//! Slips in the shape of a declaration: comments, separators, missing words.

use super::super::words::{defines, looks_like_declaration};
use super::{Found, Slip, code, innermost, is_keyword, word};
use crate::source::Diagnostic;

/// Comments of other languages.
pub(super) fn comment(slip: &Slip<'_>) -> Option<Diagnostic> {
    let text = slip.context.text;
    // `a // b`: the first slash was read as a division.
    let second = slip.touching() == Some('/') && slip.rest.starts_with(['/', '*']);
    let place = if second { slip.place - 1 } else { slip.place };
    let opening = ["//", "/*", "#", "%", ";;"]
        .into_iter()
        .find(|o| text[place..].starts_with(o))?;
    // `#` and `%` are operators, and `;;` may be a slip for `;`: only at the start of a declaration
    // are they meant as comments.
    if place != slip.context.start && !matches!(opening, "//" | "/*") {
        return None;
    }
    let error = slip.at(
        code::COMMENT,
        place,
        opening.len(),
        format!("`{opening}` does not begin a comment"),
    );
    Some(match opening {
        "/*" => error.label("write `{-`, and `-}` at its end"),
        _ => error.write_here("--"),
    })
}

/// `#include "x.csp"`, `include x.csp`.
pub(super) fn include(slip: &Slip<'_>) -> Option<Diagnostic> {
    let declaration = slip.context.text[slip.context.start..].trim_start();
    let start = slip.context.text.len() - declaration.len();
    // The parser went on from the declaration before, and stopped at the `#`.
    let start = if slip.rest.starts_with("#include") {
        slip.place
    } else {
        start
    };
    let text = &slip.context.text[start..];
    let line = text.lines().next().unwrap_or_default();
    if let Some(rest) = line.strip_prefix("#include") {
        let file = rest.trim().trim_matches(['"', '<', '>', '\'']);
        let message = "`include` is written without `#`";
        return Some(
            slip.at(code::FOREIGN, start, 1, message)
                .leave_out()
                .note(format!("write `include \"{file}\"`")),
        );
    }
    if word(line) != "include" {
        return None;
    }
    let file = line.strip_prefix("include")?.trim();
    // `include = 3` is the slip of a reserved word.
    let bare = file.starts_with(|c: char| !matches!(c, '"' | '='));
    if !bare || slip.place > start + line.len() {
        return None;
    }
    let at = start + line.find(file)?;
    let message = "the name of an included file stands in quotes";
    let name = file.trim_matches(['<', '>', '\'']);
    Some(
        slip.at(code::SYNTAX, at, file.len(), message)
            .write_here(&format!("\"{name}\"")),
    )
}

/// `M::f.0 = …`, `M::f(x) = …`: a definition of a name in a module, from outside.
pub(super) fn qualified(slip: &Slip<'_>) -> Option<Diagnostic> {
    let start = slip.context.start;
    let text = slip.context.text[start..].trim_start();
    let start = slip.context.text.len() - text.len();
    let line = text.lines().next().unwrap_or_default();
    let module = word(line);
    let name = line[module.len()..].strip_prefix("::").map(word)?;
    if module.is_empty() || name.is_empty() || defines(line).is_none() {
        return None;
    }
    if slip.place > start + line.len() {
        return None;
    }
    let len = module.len() + 2 + name.len();
    let message = format!("a name of the module `{module}` is defined inside of it");
    Some(
        slip.at(code::NAME, start, len, message)
            .label("a definition begins with a name of its own")
            .note(format!(
                "move it between `module {module}` and `endmodule`, or give it another name than `{name}`"
            )),
    )
}

/// `channel a;`
pub(super) fn separator(slip: &Slip<'_>) -> Option<Diagnostic> {
    let rest = slip.rest.strip_prefix(';')?;
    let line = rest.lines().next().unwrap_or_default();
    // Anything after the `;` makes it a sequential composition with an error in it.
    line.trim()
        .is_empty()
        .then(|| super::stray_semicolon(slip.context, slip.place))
}

/// `datatype T = A : X`, `datatype T = A(X)`, `datatype T = {A, B}`, `channel c.X`.
pub(super) fn constructors(slip: &Slip<'_>) -> Option<Diagnostic> {
    let next = slip.rest.chars().next()?;
    let text = slip.context.text;
    let line = text[..slip.place].rfind('\n').map_or(0, |n| n + 1);
    // The error belongs to the next declaration, which these words are not about.
    if line > slip.context.start && looks_like_declaration(&text[line..]) {
        return None;
    }
    let here = |message: &str| slip.here(code::CONSTRUCTORS, next.len_utf8(), message);
    match (slip.head(), next) {
        ("datatype" | "subtype", ':' | '(') if slip.expects("`|`") => Some(
            here("the fields of a constructor follow a `.`")
                .write_here(".")
                .note("as in `datatype T = C.{0..3}.Bool | D`"),
        ),
        ("datatype" | "subtype", '{' | '<') if slip.expects("a name") => Some(
            here("a datatype is a list of constructors, not a set")
                .note("write `datatype T = A | B`; a set of values is named by `nametype T = {…}`"),
        ),
        ("datatype" | "subtype", ',') => {
            Some(here("constructors are separated by `|`").write_here("|"))
        }
        ("channel", '.' | '=' | '(') => Some(
            here("the type of a channel follows a `:`")
                .write_here(":")
                .note("as in `channel c : {0..3}.Bool`"),
        ),
        _ => None,
    }
}

/// `P[[a -> b]]`, `P[[a = b]]`.
pub(super) fn renaming(slip: &Slip<'_>) -> Option<Diagnostic> {
    // Only with the renaming innermost: an arrow in brackets within it may be right.
    let open = innermost(slip.context, slip.place).filter(|o| o.text == "[[")?;
    // The parser can stop at the bracket itself, where it has another meaning.
    let inside = slip.context.text.get(open.start + 2..slip.place)?;
    // The pair in which the parser stopped; those before it are right.
    let pair = inside.rfind(',').map_or(0, |n| n + 1);
    let arrow = inside[pair..]
        .find("->")
        // `<->` is the arrow of links.
        .filter(|n| !inside[pair..*n + pair].ends_with('<'))
        .map(|n| (open.start + 2 + pair + n, 2));
    let place = match arrow {
        Some(found) => found,
        None if slip.rest.starts_with("=>") => (slip.place, 2),
        None if slip.rest.starts_with('=') => (slip.place, 1),
        None => return None,
    };
    Some(
        slip.at(
            code::ARROW,
            place.0,
            place.1,
            "renaming is written with `<-`",
        )
        .write_here("<-")
        .note("`P[[a <- b]]` performs b where P performs a"),
    )
}

/// `<x | x <- s, x > 3>`.
pub(super) fn comparison_in_sequence(slip: &Slip<'_>) -> Option<Diagnostic> {
    let before = slip.before;
    let closes = before.ends_with('>')
        && !["->", "[>", "|>", "<>"]
            .iter()
            .any(|op| before.ends_with(op));
    let operand = slip
        .rest
        .starts_with(|c: char| c.is_ascii_alphanumeric() || matches!(c, '(' | '{' | '<' | '#'));
    // One past the `>`, since `before` ends with it.
    let gt = slip.context.start + before.len();
    let same_line = !slip.context.text[gt..slip.place].contains('\n');
    if !(closes && operand && slip.operator && same_line) {
        return None;
    }
    let left_over = Found::at(slip.context.text, slip.place).len;
    Some(
        slip.at(code::CLOSES, gt - 1, 1, "this `>` closes the sequence")
            .label("closes `<…`")
            .also(slip.context.span(slip.place, left_over), "left over")
            .note("inside `<…>` put comparisons in parentheses: `<x | x <- s, (x > 3)>`"),
    )
}

/// `a --> P` begins a comment.
pub(super) fn arrow_comment(slip: &Slip<'_>) -> Option<Diagnostic> {
    // The text with comments: in the other one the arrow has been blanked.
    let original = slip.context.original;
    let end = slip.context.start + slip.before.len();
    let after = original[end..].trim_start_matches([' ', '\t']);
    if !after.starts_with("-->") {
        return None;
    }
    let start = original.len() - after.len();
    Some(
        slip.at(
            code::COMMENT,
            start,
            3,
            "`--` begins a comment, also in `-->`",
        )
        .label("the rest of this line is a comment")
        .note("the arrow is `->`"),
    )
}

/// `P \\ A`, as backslashes are written in strings.
pub(super) fn double_hiding(slip: &Slip<'_>) -> Option<Diagnostic> {
    // The parser took the second backslash for a function and stopped further on, so it is looked
    // for in what was read.
    let found = slip.before.rfind("\\\\")?;
    let start = slip.context.start + found;
    let error = slip.at(
        code::FOREIGN,
        start,
        2,
        "hiding is written with a single `\\`",
    );
    Some(error.label("one too many"))
}

/// The body of a `let` without `within`.
pub(super) fn within(slip: &Slip<'_>) -> Option<Diagnostic> {
    let open = innermost(slip.context, slip.place).filter(|o| o.close == "within")?;
    if !(slip.expects("`=`") || slip.expects("`within`")) {
        return None;
    }
    let text = slip.context.text;
    let line = text[..slip.place].rfind('\n').map_or(0, |n| n + 1);
    // Then it is the end of the declaration that is missing: `unfinished` says so.
    if line > open.start && looks_like_declaration(&text[line..]) {
        return None;
    }
    let start = line + text[line..slip.place].len() - text[line..slip.place].trim_start().len();
    // With the place on the line of the `let`, nothing says where the body begins.
    let (at, len) = if start > open.start {
        (start, slip.place.saturating_sub(start).max(1))
    } else {
        (slip.place, Found::at(text, slip.place).len)
    };
    Some(
        slip.at(
            code::OPEN_BRACKET,
            open.start,
            3,
            "this `let` has no `within`",
        )
        .label("opened here")
        .also(
            slip.context.span(at, len),
            "this is read as one more definition",
        )
        .note("write `let … within` and then the expression"),
    )
}

/// `P a -> P`: a definition without `=`.
pub(super) fn no_equals(slip: &Slip<'_>) -> Option<Diagnostic> {
    let head = slip.head();
    let plain = !head.is_empty() && !is_keyword(head) && slip.on_first_line();
    let begins = slip
        .rest
        .starts_with(|c: char| c.is_ascii_alphanumeric() || matches!(c, '<' | '{' | '['));
    // With a `=` further left, this is no head any more.
    if !plain || !begins || !slip.expects("`=`") || slip.before.contains('=') {
        return None;
    }
    let len = word(slip.rest).len().max(1);
    Some(
        slip.here(code::DEFINES, len, "this definition has no `=`")
            .label("`=` is missing before this"),
    )
}
