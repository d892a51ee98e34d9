//! Classic slips, recognised by what stands around the place of a syntax error.

use super::errors::{Context, Found, code, innermost, is_keyword};
use crate::source::Diagnostic;

/// A message for a slip that many people make, if this is one.
pub(crate) fn recognise(
    context: &Context<'_>,
    place: usize,
    expected: &[String],
) -> Option<Diagnostic> {
    let rest = &context.text[place..];
    let operator_due = expected.iter().any(|e| e == "an operator");
    let operand_due = expected.iter().any(|e| e == "an expression");
    wrong_token(context, place, rest, operator_due, operand_due)
        .or_else(|| comparison_in_sequence(context, place, operator_due))
        .or_else(|| arrow_comment(context, place))
        .or_else(|| double_hiding(context, place))
        .or_else(|| property(context, place, expected))
        .or_else(|| reserved(context, place, expected))
}

fn at(context: &Context<'_>, place: usize, len: usize, message: &str) -> Diagnostic {
    Diagnostic::error(code::SYNTAX, context.span(place, len), message)
}

/// A token of another language, or of CSPm in the wrong place.
fn wrong_token(
    context: &Context<'_>,
    place: usize,
    rest: &str,
    operator_due: bool,
    operand_due: bool,
) -> Option<Diagnostic> {
    let line = context.text[..place].rfind('\n').map_or(0, |n| n + 1);
    let own_line = line <= context.start;
    let before = context.text[context.start..place].trim_end();
    if rest.starts_with("&&") {
        let d = at(context, place, 2, "`&&` is not an operator of CSPm");
        return Some(d.note("write `and` between booleans; `b & P` is a guarded process"));
    }
    if operator_due && rest.starts_with("||") && !rest.starts_with("|||") {
        let d = at(context, place, 2, "`||` needs to know the alphabets");
        return Some(d.label("no sets of events").note(
            "write `P [|A|] Q`, `P [A||B] Q` or `P ||| Q` between processes, `or` between booleans",
        ));
    }
    if rest.starts_with("==") && is_head(before) && operator_is_definition(context, place) {
        let d = at(context, place, 2, "`==` compares; a definition needs `=`");
        return Some(d.label("write `=`"));
    }
    let definition = rest.starts_with('=') && !rest.starts_with("==") && !rest.starts_with("=>");
    if operator_due && definition && (own_line || innermost(context, place).is_some()) {
        let unindented = !own_line && super::files::looks_like_declaration(&context.text[line..]);
        if !unindented {
            let d = at(context, place, 1, "`=` defines; it does not compare");
            return Some(d.label("not expected here").note("to compare, write `==`"));
        }
    }
    if operand_due && rest.starts_with('!') {
        let d = at(context, place, 1, "`!` is not an operator on booleans");
        return Some(d.note("write `not b`; `c!x` is an output on a channel"));
    }
    if operand_due && rest.starts_with("<-") {
        let d = at(context, place, 2, "`<-` is one token");
        return Some(d.note("write a blank in between: `< -1>`"));
    }
    if operand_due && rest.starts_with('_') {
        let d = at(context, place, 1, "`_` is only allowed in patterns");
        return Some(d.note("names begin with a letter"));
    }
    if operand_due
        && rest.starts_with('|')
        && before.ends_with('(')
        && before.len() + context.start == place
    {
        let d = at(
            context,
            place - 1,
            2,
            "a map literal begins with `(| `, with a blank",
        );
        return Some(d.label("a blank is missing after this"));
    }
    if operator_due && rest.starts_with("/=") || rest.starts_with(":=") {
        let d = at(context, place, 2, "there is no such operator");
        return Some(d.note("`!=` means not equal, `==` equal, `=` defines"));
    }
    None
}

/// Whether the text so far is the left side of a definition.
fn is_head(before: &str) -> bool {
    !before.is_empty() && !before.contains('=') && !before.starts_with("assert")
}

fn operator_is_definition(context: &Context<'_>, place: usize) -> bool {
    let head = &context.text[context.start..place];
    let word = head
        .split(|c: char| !c.is_ascii_alphanumeric())
        .next()
        .unwrap_or_default();
    !head.contains('\n')
        && (!is_keyword(word) || matches!(word, "nametype" | "datatype" | "subtype"))
}

/// `<x | x <- s, x > 3>`.
fn comparison_in_sequence(
    context: &Context<'_>,
    place: usize,
    operator_due: bool,
) -> Option<Diagnostic> {
    let before = context.text[context.start..place].trim_end();
    let closes = before.ends_with('>')
        && !["->", "[>", "|>", "<>"]
            .iter()
            .any(|op| before.ends_with(op));
    let operand = context.text[place..]
        .starts_with(|c: char| c.is_ascii_alphanumeric() || matches!(c, '(' | '{' | '<' | '#'));
    let same_line = !context.text[context.start + before.len()..place].contains('\n');
    if !(closes && operand && operator_due && same_line) {
        return None;
    }
    let gt = context.start + before.len() - 1;
    Some(
        at(context, gt, 1, "this `>` closes the sequence")
            .label("closes `<…`")
            .also(
                context.span(place, Found::at(context.text, place).len),
                "left over",
            )
            .note("inside `<…>` put comparisons in parentheses: `<x | x <- s, (x > 3)>`"),
    )
}

/// `a --> P` begins a comment.
fn arrow_comment(context: &Context<'_>, place: usize) -> Option<Diagnostic> {
    let before = context.text[context.start..place].trim_end();
    let end = context.start + before.len();
    let after = context.original[end..].trim_start_matches([' ', '\t']);
    let start = context.original.len() - after.len();
    if !after.starts_with("-->") {
        return None;
    }
    Some(
        at(context, start, 3, "`--` begins a comment, also in `-->`")
            .label("the rest of this line is a comment")
            .note("the arrow is `->`"),
    )
}

/// `P \\ A`, as backslashes are written in strings.
fn double_hiding(context: &Context<'_>, place: usize) -> Option<Diagnostic> {
    let found = context.text[context.start..place].rfind("\\\\")?;
    Some(
        at(
            context,
            context.start + found,
            2,
            "hiding is written with a single `\\`",
        )
        .label("one too many"),
    )
}

/// A word in `:[…]` that is no property or option.
fn property(context: &Context<'_>, place: usize, expected: &[String]) -> Option<Diagnostic> {
    let before = context.text[context.start..place].trim_end();
    let in_brackets = before.ends_with('[') && before[..before.len() - 1].trim_end().ends_with(':');
    let word_start = context.text[..place].rfind('[')? + 1;
    let inside_words = !context.text[word_start..place].contains(']')
        && context.text[..word_start - 1].trim_end().ends_with(':');
    if !(in_brackets || inside_words) || !before.trim_start().starts_with("assert") {
        return None;
    }
    let end = context.text[word_start..]
        .find([']', '\n', '['])
        .map_or(context.text.len(), |n| word_start + n);
    let written = context.text[word_start..end].trim();
    let start = word_start + context.text[word_start..end].len()
        - context.text[word_start..end].trim_start().len();
    if written.is_empty() || expected.iter().any(|e| e == "`]`") && PROPERTIES.contains(&written) {
        return None;
    }
    let error = at(
        context,
        start,
        written.len(),
        &format!("there is no property or option called `{written}`"),
    );
    let best = PROPERTIES
        .iter()
        .min_by_key(|p| distance(p, written))
        .filter(|p| distance(p, written) <= 6);
    Some(match best {
        Some(best) => error.label(format!("did you mean `{best}`?")),
        None => error.note(format!("known are: {}", PROPERTIES.join(", "))),
    })
}

const PROPERTIES: [&str; 10] = [
    "deadlock free",
    "divergence free",
    "livelock free",
    "deterministic",
    "has trace",
    "symmetric",
    "tau priority",
    "tau priority over",
    "partial order reduce",
    "symmetry reduce",
];

/// The number of single-character changes between two words.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().take(40).collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = i;
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let change = diagonal + usize::from(x != *y);
            diagonal = row[j + 1];
            row[j + 1] = change.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

/// A reserved word where a name is needed.
fn reserved(context: &Context<'_>, place: usize, expected: &[String]) -> Option<Diagnostic> {
    let name_due = expected.iter().any(|e| e == "a name" || e == "a pattern");
    let found = Found::at(context.text, place);
    let word = &context.text[place..place + found.len];
    if !name_due || !is_keyword(word) || place == context.start {
        return None;
    }
    Some(
        at(
            context,
            place,
            found.len,
            &format!("`{word}` is a reserved word and cannot be a name"),
        )
        .label("choose another name"),
    )
}
