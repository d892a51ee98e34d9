//! Single tokens: those of other languages, those of papers, and those of CSPm in a wrong place.

use super::super::scan::Open;
use super::super::words::looks_like_declaration;
use super::{Slip, code, innermost, is_keyword, word};
use crate::source::Diagnostic;

/// `=` for `==`, and the other way round.
pub(super) fn equals(slip: &Slip<'_>) -> Option<Diagnostic> {
    let rest = slip.rest;
    if rest.starts_with(":=") && is_head(slip) {
        let d = slip.here(code::DEFINES, 2, "a definition is written with `=`");
        return Some(d.write_here("="));
    }
    if rest.starts_with("==") && is_head(slip) {
        let d = slip.here(code::DEFINES, 2, "`==` compares; a definition needs `=`");
        return Some(d.write_here("="));
    }
    let definition = rest.starts_with('=') && !rest.starts_with("==") && !rest.starts_with("=>");
    if !(slip.operator && definition) {
        return None;
    }
    let text = slip.context.text;
    let line = text[..slip.place].rfind('\n').map_or(0, |n| n + 1);
    // On a later line outside of brackets, `x = …` is rather a definition in the wrong column than
    // a comparison.
    let own_line = line <= slip.context.start;
    let inside = innermost(slip.context, slip.place).is_some();
    let next = !own_line && looks_like_declaration(&text[line..]);
    if !(own_line || inside) || next {
        return None;
    }
    // As Prolog writes it.
    let (len, write) = if rest.starts_with("=<") {
        (2, "<=")
    } else {
        (1, "==")
    };
    let d = slip.here(code::COMPARE, len, "`=` defines; it does not compare");
    Some(d.write_here(write))
}

/// Whether the text so far is the left side of a definition.
fn is_head(slip: &Slip<'_>) -> bool {
    let head = slip.head();
    let declares = !is_keyword(head) || matches!(head, "nametype" | "datatype" | "subtype");
    !slip.before.is_empty() && !slip.before.contains('=') && slip.on_first_line() && declares
}

/// `P || Q` between processes, `a || b` between booleans.
pub(super) fn parallel(slip: &Slip<'_>) -> Option<Diagnostic> {
    let bars = slip.rest.starts_with("||") && !slip.rest.starts_with("|||");
    if !(slip.operator && bars) {
        return None;
    }
    // Nothing tells processes from conditions here; the operand to the left is all that there is to
    // guess from.
    if looks_boolean(slip.before) {
        let d = slip.here(code::FOREIGN, 2, "`||` does not join conditions");
        return Some(d.write_here("or"));
    }
    let d = slip.here(code::ALPHABETS, 2, "`||` needs to know the alphabets");
    Some(d.label("no sets of events").note(
        "write `P [|A|] Q`, `P [A||B] Q` or `P ||| Q` between processes, `or` between conditions",
    ))
}

/// Whether the operand that a text ends with is a comparison or another condition.
fn looks_boolean(before: &str) -> bool {
    let marks = ["->", "then", "else", "within", "&", "@", "(", "\n"];
    let start = marks
        .iter()
        .filter_map(|m| before.rfind(m).map(|n| n + m.len()))
        .max()
        .unwrap_or(0);
    let operand = &before[start..];
    let operand = operand
        .find(" = ")
        .map_or(operand, |n| operand.get(n + 3..).unwrap_or_default());
    [
        "==", "!=", " < ", " > ", "<=", ">=", " and ", " or ", "not ",
    ]
    .iter()
    .any(|op| operand.contains(op))
}

/// `->` and `<-` in each other's place.
pub(super) fn arrows(slip: &Slip<'_>) -> Option<Diagnostic> {
    let rest = slip.rest;
    if slip.operand && rest.starts_with("<-") {
        let d = slip.here(code::SYNTAX, 2, "`<-` is one token");
        return Some(d.note("write a blank in between: `< -1>`"));
    }
    if slip.operator && rest.starts_with("<-") {
        let d = slip.here(code::ARROW, 2, "`<-` is not the arrow of a process");
        return Some(
            d.write_here("->")
                .note("`x <- S` draws x from S in a comprehension; `P[[a <- b]]` renames"),
        );
    }
    // `\x -> e` and `\x. e`, as other languages write functions.
    let arrow = rest.starts_with("->") || rest.starts_with('.');
    if arrow && slip.expects("`@`") && slip.before.contains('\\') {
        let len = if rest.starts_with('.') { 1 } else { 2 };
        let d = slip.here(code::FOREIGN, len, "the body of a function follows an `@`");
        return Some(d.write_here("@").note("as in `\\ x @ x + 1`"));
    }
    let colon = rest.starts_with(':') && !rest.starts_with("::") && !rest.starts_with(":[");
    if slip.operator && colon && slip.head() == "assert" {
        let d = slip.here(code::ASSERTION, 1, "a property stands in `:[…]`");
        return Some(d.write_here(":[").note("as in `assert P :[deadlock free]`"));
    }
    if slip.operator && colon && !is_keyword(slip.head()) {
        let d = slip.here(code::FOREIGN, 1, "`:` is not an operator");
        return Some(d.note(
            "`x : S` draws x from S in a comprehension; `<x>^s` puts x in front of a sequence",
        ));
    }
    if slip.operator && rest.starts_with("=>") {
        let d = slip.here(code::FOREIGN, 2, "`=>` stands in maps and types only");
        return Some(
            d.note("`b & P` is a guarded process, `a -> P` a prefix, `not b or c` an implication"),
        );
    }
    None
}

/// Operators of other languages, with the text before the place that belongs to them, the text from
/// the place on, and what is written instead.
const OPERATORS: [(&str, &str, &str); 13] = [
    (
        "",
        "&&",
        "`and` between conditions; `b & P` is a guarded process",
    ),
    // With a first part: the parser has read it as an operator of CSPm and stopped at the second
    // part.
    ("/", "=", "`!=` is not equal"),
    ("", "/=", "`!=` is not equal"),
    ("<", ">", "`!=` is not equal; `<>` is the empty sequence"),
    ("", "~=", "`!=` is not equal"),
    ("", "~", "`not b` negates a condition"),
    ("+", "+", "`s^t` joins sequences"),
    ("", "++", "`s^t` joins sequences"),
    ("*", "*", "there are no powers; `*` multiplies"),
    (
        "",
        "!!",
        "there is no indexing; `head(s)` and `tail(s)` take a sequence apart",
    ),
    ("", "::", "`<x>^s` puts x in front of a sequence"),
    (
        "!",
        "!",
        "there is no indexing; `head(s)` and `tail(s)` take a sequence apart",
    ),
    ("=", "=", "`==` compares"),
];

/// Words that are operators elsewhere.
const WORDS: [(&str, &str); 9] = [
    (
        "in",
        "`x <- S` draws x from S; `member(x, S)` tells whether it is in there",
    ),
    ("mod", "`a % b` is the remainder"),
    ("div", "`a / b` divides integers"),
    ("xor", "`a != b` holds when exactly one of them does"),
    ("union", "`union(A, B)` is a function of two sets"),
    ("inter", "`inter(A, B)` is a function of two sets"),
    ("diff", "`diff(A, B)` is a function of two sets"),
    ("elem", "`elem(x, s)` is a function"),
    ("member", "`member(x, S)` is a function"),
];

/// Symbols of papers, with what is written instead.
const SYMBOLS: [(&str, &str); 34] = [
    ("→⟶⇾", "write `->`"),
    ("←⟵", "write `<-`"),
    ("□◻▢☐⊡", "write `[]`"),
    ("⊓⨅", "write `|~|`"),
    ("∥‖⫴⦀", "write `[|A|]`, `[A||B]` or `|||`"),
    ("∖⧵", "write `\\`"),
    ("≤⩽", "write `<=`"),
    ("≥⩾", "write `>=`"),
    ("≠", "write `!=`"),
    ("≡≙≜", "write `=`"),
    ("∈", "write `<-` to draw from a set, `member(x, S)` to ask"),
    ("∉", "write `not member(x, S)`"),
    ("∪⋃", "write `union(A, B)`"),
    ("∩⋂", "write `inter(A, B)`"),
    ("⊆⊂", "write `<=`"),
    ("∅", "write `{}`"),
    ("∧", "write `and`"),
    ("∨", "write `or`"),
    ("¬", "write `not`"),
    ("⟨〈", "write `<`"),
    ("⟩〉", "write `>`"),
    ("⌢⁀", "write `^`"),
    ("•●∙", "write `@`"),
    ("·", "write `.`"),
    ("⊑", "write `[T=`, `[F=` or `[FD=`"),
    ("×", "write `*` between numbers, `.` between sets"),
    ("÷", "write `/`"),
    ("−–—‐", "write `-`"),
    ("“”„", "write `\"`"),
    ("‘’‚", "write `'`"),
    ("…‥", "write `..`"),
    ("⟦", "write `[[`"),
    ("⟧", "write `]]`"),
    ("λ", "write `\\ x @ e`"),
];

/// Tokens of other languages or of papers.
pub(super) fn foreign(slip: &Slip<'_>) -> Option<Diagnostic> {
    symbol(slip)
        .or_else(|| negation(slip))
        .or_else(|| operator(slip))
        .or_else(|| {
            let word = word(slip.rest);
            let (_, note) = WORDS.iter().find(|(w, _)| slip.operator && *w == word)?;
            let message = format!("`{word}` is not an operator of CSPm");
            Some(slip.here(code::FOREIGN, word.len(), message).note(*note))
        })
}

fn symbol(slip: &Slip<'_>) -> Option<Diagnostic> {
    let c = slip.rest.chars().next().filter(|c| !c.is_ascii())?;
    if let Some((_, write)) = SYMBOLS.iter().find(|(all, _)| all.contains(c)) {
        let message = format!("`{c}` is not a symbol of CSPm");
        let d = slip.here(code::FOREIGN, c.len_utf8(), message);
        let only = write
            .strip_prefix("write `")
            .and_then(|w| w.strip_suffix('`'));
        return Some(match only.filter(|w| !w.contains('`')) {
            Some(write) => d.write_here(write),
            None => d.label(*write),
        });
    }
    if c.is_alphabetic() {
        let text = &slip.context.text[..slip.place];
        // The whole word is marked, not only the letter at which the parser stopped.
        let front = text.len() - text.trim_end_matches(part_of_word).len();
        let back = slip.rest.len() - slip.rest.trim_start_matches(part_of_word).len();
        let d = slip.at(
            code::NAME,
            slip.place - front,
            front + back,
            format!("`{c}` cannot be part of a name"),
        );
        return Some(d.note("names are made of the letters a to z and A to Z, digits and `_`"));
    }
    None
}

fn part_of_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// `!b`.
fn negation(slip: &Slip<'_>) -> Option<Diagnostic> {
    if !slip.operand || !slip.rest.starts_with('!') || slip.touching() == Some('!') {
        return None;
    }
    let d = slip.here(code::FOREIGN, 1, "`!` does not negate");
    Some(
        d.fix("not ")
            .label("write `not`")
            .note("`c!x` is an output on a channel"),
    )
}

fn operator(slip: &Slip<'_>) -> Option<Diagnostic> {
    let text = slip.context.text;
    let (front, back, note) = OPERATORS.iter().find(|(front, back, _)| {
        let touching = text[slip.context.start..slip.place].ends_with(front);
        // With the front part read as an operator, an operand is due; without one, an operator.
        let due = if front.is_empty() {
            slip.operator || *back == "&&"
        } else {
            slip.operand
        };
        touching && due && slip.rest.starts_with(back)
    })?;
    let start = slip.place - front.len();
    let message = format!("`{front}{back}` is not an operator of CSPm");
    let d = slip.at(code::FOREIGN, start, front.len() + back.len(), message);
    // These notes are one thing to write; it stands under the place itself.
    Some(match note.strip_suffix(" is not equal") {
        Some(write) => d.write_here(write.trim_matches('`')),
        None => d.note(*note),
    })
}

/// Brackets that mean something else here.
pub(super) fn brackets(slip: &Slip<'_>) -> Option<Diagnostic> {
    let rest = slip.rest;
    // `(|x => y|)` reads as a parenthesis with a strange start.
    if slip.operand && rest.starts_with('|') && slip.touching() == Some('(') {
        let message = "a map begins with `(| `, with a blank";
        let d = slip.at(code::MAP, slip.place - 1, 2, message);
        return Some(d.label("a blank is missing after this"));
    }
    let Some(open) = innermost(slip.context, slip.place) else {
        let close = closing(rest).filter(|_| slip.operator)?;
        let d = slip.here(
            code::OPEN_BRACKET,
            close.len(),
            format!("this `{close}` closes nothing"),
        );
        return Some(d.label("nothing is open here"));
    };
    // The parser took `[1, 2]` for the beginning of a replicated link, which is all that `[` can
    // begin.
    let list = open.text == "[" && slip.expects("`<->`") && rest.starts_with([',', '|', ']', '.']);
    if list && !slip.before.trim_start().starts_with("assert") {
        let d = slip.at(code::FOREIGN, open.start, 1, "`[` does not begin a list");
        return Some(
            d.label("write `<`, and `>` at the end")
                .note("sequences are written `<1, 2>`, `<1..9>` and `<x | x <- s>`"),
        );
    }
    if let Some(d) = mismatched(slip, &open) {
        return Some(d);
    }
    let refines = open.text == "[" && slip.head() == "assert" && rest.starts_with('=');
    refines.then(|| {
        slip.here(code::ASSERTION, 1, "there is no such refinement")
            .note("write `P [T= Q`, `P [F= Q` or `P [FD= Q`")
    })
}

/// The closing bracket that a text begins with.
fn closing(text: &str) -> Option<&'static str> {
    ["|)", "|}", "|]", "]]", ")", "}", "]"]
        .into_iter()
        .find(|c| text.starts_with(c))
}

/// A bracket that closes another one than the innermost.
fn mismatched(slip: &Slip<'_>, open: &Open) -> Option<Diagnostic> {
    let close = closing(slip.rest).filter(|c| *c != open.close && slip.operator)?;
    // An `if` or `let` that a bracket ends is better reported as not complete. `<` may have been a
    // comparison after all. And a longer bracket that begins with the right one closes it.
    if matches!(open.close, "else" | "within" | ">") || close.starts_with(open.close) {
        return None;
    }
    let (open_text, wanted) = (open.text, open.close);
    let message = format!("`{open_text}` is closed by `{wanted}`, not by `{close}`");
    Some(
        slip.here(code::OPEN_BRACKET, close.len(), message)
            .label(format!("`{wanted}` is due here"))
            .also(
                slip.context.span(open.start, open_text.len()),
                "opened here",
            ),
    )
}

/// Names that are none.
pub(super) fn names(slip: &Slip<'_>) -> Option<Diagnostic> {
    let text = slip.context.text;
    if slip.operand && slip.rest.starts_with('_') {
        let len = word(slip.rest).len();
        return Some(if len == 1 {
            slip.here(code::MISUSED, len, "`_` is only allowed in patterns")
        } else {
            slip.here(code::NAME, len, "names begin with a letter")
        });
    }
    let part = word(slip.rest).len();
    // Nothing else can follow the minus of a pattern.
    let only_number = matches!(slip.expected, [one] if one == "a number");
    if only_number && part > 0 && slip.before.ends_with('-') {
        let message = "in a pattern, a minus stands before a number only";
        return Some(slip.here(code::MISUSED, part, message));
    }
    if slip.touching() == Some('\'') && part > 0 {
        let before = &text[..slip.place];
        let front = before
            .trim_end_matches('\'')
            .trim_end_matches(part_of_word)
            .len();
        let d = slip.at(
            code::NAME,
            front,
            slip.place - front + part,
            "primes can only stand at the end of a name",
        );
        return Some(d);
    }
    None
}
