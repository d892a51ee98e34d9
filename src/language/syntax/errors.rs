//! Syntax errors in human words: codes, what was expected, what was found, and hints.

use pest::error::{Error, ErrorVariant, InputLocation};

use super::grammar::Rule;
use super::scan::{Brackets, Open, Problem};
use super::slips;
use super::words::{code, is_keyword, looks_like_declaration};
use crate::source::{Diagnostic, FileId, Span};

/// The declaration in which an error was found.
pub(crate) struct Context<'a> {
    pub(crate) file: FileId,
    /// The whole file with its comments.
    pub(crate) original: &'a str,
    /// The same with blanks for comments, at the same offsets.
    pub(crate) text: &'a str,
    /// The offset of the beginning of the declaration.
    pub(crate) start: usize,
}

impl Context<'_> {
    /// A place in the file: whole characters of its text.
    pub(crate) fn span(&self, start: usize, len: usize) -> Span {
        let mut from = start.min(self.text.len());
        let mut to = (start + len).min(self.text.len());
        // A length that was guessed may end inside a character.
        while !self.text.is_char_boundary(from) {
            from -= 1;
        }
        while !self.text.is_char_boundary(to) {
            to += 1;
        }
        Span {
            file: self.file,
            start: from as u32,
            end: to as u32,
        }
    }
}

/// The offset of the error in the text that was parsed.
pub(crate) fn position(error: &Error<Rule>) -> usize {
    match error.location {
        InputLocation::Pos(at) | InputLocation::Span((at, _)) => at,
    }
}

/// The message for a comment or string without end.
pub(crate) fn lexical(file: FileId, problem: &Problem, text: &str) -> Diagnostic {
    let span = |start: usize, end: usize| Span {
        file,
        start: start as u32,
        end: end as u32,
    };
    match *problem {
        Problem::OpenComment { start } => {
            let error = Diagnostic::error(
                code::OPEN_COMMENT,
                span(start, start + 2),
                "this comment is never closed",
            )
            .label("`{-` opens a comment");
            // `{-1, 2}` is the usual way to open a comment by accident.
            if text[start + 2..].starts_with(|c: char| c.is_ascii_alphanumeric()) {
                error.note("a set that begins with a negative number needs a blank: `{ -1}`")
            } else {
                error.note("block comments nest: every `{-` needs a `-}`")
            }
        }
        Problem::OpenString { start, end } => Diagnostic::error(
            code::OPEN_STRING,
            span(start, end),
            "this string does not end on its line",
        )
        .label("a `\"` is missing"),
    }
}

/// Brackets that are too deep for the parser.
pub(crate) fn nesting(file: FileId, brackets: &Brackets<'_>, max: usize) -> Diagnostic {
    let span = |open: Open| Span {
        file,
        start: open.start as u32,
        end: (open.start + open.text.len()) as u32,
    };
    let message = "brackets nest too deeply";
    let label = format!("{} levels; the limit is {max}", brackets.deepest);
    match brackets.deepest_at {
        Some((outer, inner)) => Diagnostic::error(code::TOO_DEEP, span(outer), message)
            .label(label)
            .also(span(inner), "the innermost bracket"),
        None => Diagnostic::nowhere(code::TOO_DEEP, message).note(label),
    }
}

/// The message for a declaration that could not be parsed.
pub(crate) fn syntax(context: &Context<'_>, error: &Error<Rule>) -> Diagnostic {
    let place = context.start + position(error);
    let expected = match &error.variant {
        ErrorVariant::ParsingError { positives, .. } => expectations(positives),
        // Of pest itself, where the stack does not suffice: an estimate in `files` is too low then.
        ErrorVariant::CustomError { .. } => {
            return Diagnostic::error(
                code::TOO_DEEP,
                context.span(context.start, 1),
                "this declaration nests too deeply to be read",
            );
        }
    };
    // From the most particular to the general: known slips, then what is not closed or not
    // complete, then what was expected.
    if let Some(diagnostic) = slips::recognise(context, place, &expected) {
        return diagnostic;
    }
    let open = innermost(context, place);
    if let Some(diagnostic) = unfinished(context, place, &expected, open) {
        return diagnostic;
    }
    let found = Found::at(context.text, place);
    let message = format!("expected {}, found {}", list(&expected), found.words);
    let mut diagnostic = Diagnostic::error(code::SYNTAX, context.span(place, found.len), message)
        .label("not expected here");
    if let Some(open) = open.filter(|o| expected.iter().any(|e| e == &quoted(o.close))) {
        diagnostic = diagnostic.also(
            context.span(open.start, open.text.len()),
            format!("`{}` is still open here", open.text),
        );
    }
    diagnostic
}

/// The innermost bracket that is open at a place.
pub(crate) fn innermost(context: &Context<'_>, place: usize) -> Option<Open> {
    Brackets::run(context.text, context.start, place)
        .open
        .last()
        .copied()
}

/// The next declaration (or the end) came before this one was complete.
fn unfinished(
    context: &Context<'_>,
    place: usize,
    expected: &[String],
    open: Option<Open>,
) -> Option<Diagnostic> {
    let line = context.text[..place].rfind('\n').map_or(0, |n| n + 1);
    let at_end = context.text[place..].trim().is_empty();
    // The parser goes past the end of a line where an expression may go on. So an error at the
    // beginning of the next declaration is an error of this one.
    let before_next = line > context.start && looks_like_declaration(&context.text[line..]);
    if !at_end && !before_next {
        return None;
    }
    // What the next declaration opens does not count.
    let limit = if at_end { place } else { line };
    let last = context.text[context.start..limit].trim_end();
    let end = context.start + last.len();
    let open = if at_end {
        open
    } else {
        innermost(context, limit)
    };
    if let Some(open) = open {
        return Some(never_closed(context, open, end));
    }
    // A `;` is an operator, so the parser has gone on to look for its right side.
    if last.ends_with(';') {
        return Some(slips::stray_semicolon(context, end - 1));
    }
    // The mark stands under the last character that there is: behind it is nothing to underline.
    let width = last.chars().next_back().map_or(1, char::len_utf8);
    let first = context.text[context.start..].split_whitespace().next();
    // Unless the text is over, what the parser expected belongs to the next line, where it gave up.
    let expected = if matches!(first, Some("datatype" | "subtype" | "channel")) {
        "a name".to_owned()
    } else if at_end {
        list(expected)
    } else {
        "an expression".to_owned()
    };
    Some(
        Diagnostic::error(
            code::SYNTAX,
            context.span(end.saturating_sub(width), width),
            "this declaration is not complete",
        )
        .label(format!("expected {expected} after this")),
    )
}

/// A bracket, `if` or `let` that is still open where its declaration ends.
fn never_closed(context: &Context<'_>, open: Open, end: usize) -> Diagnostic {
    let message = match open.close {
        "else" => "this `if` is not complete: it needs `then` and `else`".to_owned(),
        "within" => "this `let` has no `within`".to_owned(),
        close => format!("`{}` is never closed: `{close}` is missing", open.text),
    };
    Diagnostic::error(
        code::OPEN_BRACKET,
        context.span(open.start, open.text.len()),
        message,
    )
    .label("opened here")
    .also(
        context.span(end.saturating_sub(1), 1),
        "the declaration ends here",
    )
}

/// The token at a place, in words.
pub(crate) struct Found {
    pub(crate) words: String,
    pub(crate) len: usize,
}

impl Found {
    pub(crate) fn at(text: &str, place: usize) -> Self {
        let rest = &text[place..];
        let Some(first) = rest.chars().next() else {
            return Self {
                words: "the end of the file".to_owned(),
                len: 0,
            };
        };
        // Before the token: the text of a newline cannot be shown.
        if first == '\n' {
            return Self {
                words: "the end of the line".to_owned(),
                len: 1,
            };
        }
        let len = token_len(rest);
        let token = &rest[..len];
        let words = if is_keyword(token) {
            format!("the reserved word `{token}`")
        } else if first.is_control() || !first.is_ascii() && first.is_whitespace() {
            // These cannot be seen, or look like a plain blank.
            format!("the character U+{:04X}", first as u32)
        } else {
            format!("`{token}`")
        };
        Self { words, len }
    }
}

/// Operators of more than one character, longest first.
const OPERATORS: [&str; 38] = [
    "[RD=", "[VD=", "[FD=", "[T=", "[F=", "[R=", "[V=", "|||", "|~|", "<->", "=>*", "[]", "[>",
    "[|", "[[", "[+", "|]", "|>", "|}", "|)", "|\\", "||", "/\\", "/+", "+\\", "+]", "]]", "->",
    "<-", "<=", ">=", "==", "!=", "&&", "=>", "@@", "::", "..",
];

pub(crate) fn token_len(rest: &str) -> usize {
    let word = rest
        .bytes()
        .take_while(|b| b.is_ascii_alphanumeric() || *b == b'_')
        .count();
    if word > 0 {
        return word + rest[word..].bytes().take_while(|b| *b == b'\'').count();
    }
    OPERATORS
        .iter()
        .find(|op| rest.starts_with(**op))
        .map_or_else(
            || rest.chars().next().map_or(0, char::len_utf8),
            |op| op.len(),
        )
}

fn quoted(token: &str) -> String {
    format!("`{token}`")
}

/// `a`, `a or b`, `a, b or c`.
fn list(items: &[String]) -> String {
    match items {
        [] => "something else".to_owned(),
        [only] => only.clone(),
        [first @ .., last] => format!("{} or {last}", first.join(", ")),
    }
}

/// The expected tokens, the most helpful first, without repetition.
fn expectations(rules: &[Rule]) -> Vec<String> {
    let mut words: Vec<(u8, String)> = rules
        .iter()
        .filter_map(|r| describe(*r))
        .map(|(rank, text)| (rank, text.to_owned()))
        .collect();
    // By rank, then by the words: the order of the grammar means nothing to a reader.
    words.sort();
    words.dedup();
    let has = |what: &str| words.iter().any(|(_, w)| w == what);
    // Where an expression may stand, a name and a number may, too; where an operator may, so may
    // what only separates. To list these as well would bury the answer.
    let (operand, operator) = (has("an expression"), has("an operator"));
    words
        .into_iter()
        .map(|(_, w)| w)
        .filter(|w| {
            !(operand && matches!(w.as_str(), "a pattern" | "a name" | "a number" | "`||`"))
        })
        .filter(|w| !(operator && matches!(w.as_str(), "`,`" | "`|`" | "`..`" | "`=`")))
        .collect()
}

/// A rule in words, and how early to mention it. Nothing for what would only confuse.
// Longer than other functions, as it is a table: one line for each rule of the grammar that has a
// name for people. Parts of a table would not read better than the whole. Ranks: 0 what must come,
// 1 a bracket to close, 2 a symbol, 3 an operand, 4 an operator, 5 a separator, 6 the end.
fn describe(rule: Rule) -> Option<(u8, &'static str)> {
    use Rule as R;
    Some(match rule {
        R::kw_then => (0, "`then`"),
        R::kw_else => (0, "`else`"),
        R::kw_within => (0, "`within`"),
        R::kw_exports => (0, "`exports`"),
        R::kw_endmodule => (0, "`endmodule`"),
        R::close_paren => (1, "`)`"),
        R::close_set => (1, "`}`"),
        R::close_prods => (1, "`|}`"),
        R::close_seq => (1, "`>`"),
        R::close_map => (1, "`|)`"),
        R::close_links | R::close_alpha | R::property_close => (1, "`]`"),
        R::close_rename => (1, "`]]`"),
        R::close_par | R::close_except => (1, "`|]`"),
        R::close_sync => (1, "`+]`"),
        R::close_sync_interrupt => (1, "`+\\`"),
        R::at => (2, "`@`"),
        R::from | R::colon => (2, "`<-`"),
        R::link_arrow => (2, "`<->`"),
        R::double_bar | R::alpha_rest => (2, "`||`"),
        R::maps_to => (2, "`=>`"),
        R::alphabet => (2, "an alphabet in `[…]`"),
        R::equals => (2, "`=`"),
        R::expr
        | R::seq_expr
        | R::data
        | R::seq_data
        | R::paren
        | R::set
        | R::seq
        | R::path
        | R::prods
        | R::map
        | R::one
        | R::condition
        | R::seq_condition => (3, "an expression"),
        R::pattern
        | R::pat_dot
        | R::pat_concat
        | R::wild
        | R::pat_paren
        | R::pat_seq
        | R::pat_set
        | R::neg_int
        | R::generator => (3, "a pattern"),
        R::ident | R::names | R::constructor => (3, "a name"),
        R::int => (3, "a number"),
        R::str => (3, "an expression"),
        R::arrow
        | R::guard
        | R::seq_comp
        | R::int_choice
        | R::interleave
        | R::ext_choice
        | R::sliding
        | R::interrupt
        | R::parallel
        | R::sync_choice
        | R::sync_interrupt
        | R::link_or_alpha
        | R::dot
        | R::eq
        | R::ne
        | R::le
        | R::ge
        | R::lt
        | R::gt
        | R::and
        | R::or
        | R::plus
        | R::minus
        | R::times
        | R::divide
        | R::modulo
        | R::concat => (4, "an operator"),
        R::type_expr
        | R::type_dot
        | R::type_tuple
        | R::type_set
        | R::type_seq
        | R::type_map
        | R::scheme => (3, "a type"),
        R::refinement | R::refines => (2, "a refinement such as `[T=`"),
        R::property_colon => (2, "a property in `:[…]`"),
        R::deadlock | R::divergence | R::deterministic | R::has_trace | R::symmetric => (
            2,
            "`deadlock free`, `divergence free`, `deterministic` or `has trace`",
        ),
        R::tau_priority | R::partial_order | R::symmetry => (
            2,
            "`tau priority`, `partial order reduce` or `symmetry reduce`",
        ),
        R::comma => (5, "`,`"),
        R::bar => (5, "`|`"),
        R::dots => (5, "`..`"),
        R::decl_end | R::end_of_text | R::newline => (6, "the end of the declaration"),
        _ => return None,
    })
}
