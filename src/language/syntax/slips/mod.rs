//! Classic slips, recognised by what stands around the place of a syntax error.

mod dialects;
mod shape;
mod tokens;

use super::errors::{Context, Found, innermost};
use super::words::{code, is_keyword};
use crate::source::{Diagnostic, edit_distance};

/// A message for a slip that many people make, if this is one.
pub(crate) fn recognise(
    context: &Context<'_>,
    place: usize,
    expected: &[String],
) -> Option<Diagnostic> {
    let slip = Slip::new(context, place, expected);
    // The order matters: each function looks at little, and trusts that those before it have taken
    // what is more particular. Those that only look at the shape of a whole declaration, such as
    // `no_equals`, come last, as they would take nearly everything.
    dialects::recognise(&slip)
        .or_else(|| shape::include(&slip))
        .or_else(|| shape::qualified(&slip))
        .or_else(|| shape::comment(&slip))
        .or_else(|| shape::separator(&slip))
        .or_else(|| shape::constructors(&slip))
        .or_else(|| shape::renaming(&slip))
        .or_else(|| tokens::equals(&slip))
        .or_else(|| tokens::parallel(&slip))
        .or_else(|| tokens::arrows(&slip))
        .or_else(|| tokens::foreign(&slip))
        .or_else(|| tokens::brackets(&slip))
        .or_else(|| tokens::names(&slip))
        .or_else(|| shape::comparison_in_sequence(&slip))
        .or_else(|| shape::arrow_comment(&slip))
        .or_else(|| shape::double_hiding(&slip))
        .or_else(|| property(context, place, expected))
        .or_else(|| reserved(&slip))
        .or_else(|| shape::within(&slip))
        .or_else(|| shape::no_equals(&slip))
}

/// A `;` at the end of a declaration, at a place.
pub(crate) fn stray_semicolon(context: &Context<'_>, place: usize) -> Diagnostic {
    Diagnostic::error(
        code::SEPARATOR,
        context.span(place, 1),
        "declarations are not separated by `;`",
    )
    .leave_out()
    .note("a declaration ends with its line; `P ; Q` is the process Q after the end of P")
}

/// The place of a syntax error and what is around it.
struct Slip<'a> {
    context: &'a Context<'a>,
    place: usize,
    /// From the place on.
    rest: &'a str,
    /// The declaration up to the place, without blanks at its end.
    before: &'a str,
    expected: &'a [String],
    operator: bool,
    operand: bool,
}

impl<'a> Slip<'a> {
    fn new(context: &'a Context<'a>, place: usize, expected: &'a [String]) -> Self {
        let expects = |what: &str| expected.iter().any(|e| e == what);
        Self {
            context,
            place,
            // The text without comments: a slip is never found in one.
            rest: &context.text[place..],
            before: context.text[context.start..place].trim_end(),
            expected,
            operator: expects("an operator"),
            operand: expects("an expression"),
        }
    }

    fn expects(&self, what: &str) -> bool {
        self.expected.iter().any(|e| e == what)
    }

    /// The character right before the place.
    fn touching(&self) -> Option<char> {
        self.context.text[self.context.start..self.place]
            .chars()
            .next_back()
    }

    /// An error at the place.
    fn here(&self, code: &'static str, len: usize, message: impl Into<String>) -> Diagnostic {
        self.at(code, self.place, len, message)
    }

    fn at(
        &self,
        code: &'static str,
        place: usize,
        len: usize,
        message: impl Into<String>,
    ) -> Diagnostic {
        Diagnostic::error(code, self.context.span(place, len), message)
    }

    /// The first word of the declaration.
    fn head(&self) -> &'a str {
        word(&self.context.text[self.context.start..])
    }

    /// Whether the place stands on the first line of the declaration.
    fn on_first_line(&self) -> bool {
        !self.context.text[self.context.start..self.place].contains('\n')
    }
}

/// The letters, digits and underscores that a text begins with.
fn word(text: &str) -> &str {
    let len = text
        .bytes()
        .take_while(|b| b.is_ascii_alphanumeric() || *b == b'_')
        .count();
    &text[..len]
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
        // Not beyond the line, nor into a model in brackets of its own.
        .find([']', '\n', '['])
        .map_or(context.text.len(), |n| word_start + n);
    let written = context.text[word_start..end].trim();
    let start = word_start + context.text[word_start..end].len()
        - context.text[word_start..end].trim_start().len();
    // The word itself is right, and what is wrong comes after it.
    if written.is_empty() || expected.iter().any(|e| e == "`]`") && PROPERTIES.contains(&written) {
        return None;
    }
    let error = Diagnostic::error(
        code::ASSERTION,
        context.span(start, written.len()),
        format!("there is no property or option called `{written}`"),
    );
    let best = PROPERTIES
        .iter()
        .min_by_key(|p| edit_distance(p, written))
        // Generous, as the properties are long and far from each other.
        .filter(|p| edit_distance(p, written) <= 6);
    Some(match best {
        Some(best) => error.did_you_mean_here(best),
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

/// A reserved word where a name is needed.
fn reserved(slip: &Slip<'_>) -> Option<Diagnostic> {
    let name_due = slip.expects("a name") || slip.expects("a pattern");
    // `within` after `let` is no attempt at a name.
    let after_let = slip.before.ends_with("let") && !slip.rest.starts_with("within");
    let found = Found::at(slip.context.text, slip.place);
    let word = &slip.rest[..found.len];
    if !(name_due || after_let) || !is_keyword(word) || slip.place == slip.context.start {
        return None;
    }
    let message = format!("`{word}` is a reserved word and cannot be a name");
    let error = slip.here(code::RESERVED, found.len, message);
    Some(error.label("choose another name"))
}
