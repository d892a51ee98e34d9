//! The letters of a family, collected before anything else is read: what an expression such as `.` means depends on
//! all of them.

use crate::alphabet::{Alphabet, PADDING};
use crate::source::Diagnostic;
use crate::source::hash::IndexSet;
use crate::tokens::{PatternToken, PatternTokenKind};

/// The letters that `alphabet` lists; without it those of steps and of automata of configurations, in the order of
/// the text.
///
/// # Errors
/// A letter that may not be one.
pub fn collected(tokens: &[PatternToken<'_>]) -> Result<Alphabet, Box<Diagnostic>> {
    let mut listed = IndexSet::default();
    let mut used = IndexSet::default();
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        let statement = statement_length(&tokens[at..]);
        match (token.kind, token.text) {
            (PatternTokenKind::Name, "alphabet") => {
                let names = &tokens[at + 1..at + statement];
                let names = names.iter().filter(|t| t.kind == PatternTokenKind::Name);
                for name in names {
                    if name.text == PADDING {
                        let message = "`#` is the padding, and no letter";
                        return Err(Box::new(Diagnostic::error("E0903", name.span, message)));
                    }
                    listed.insert(name.text);
                }
                at += statement;
                continue;
            }
            (PatternTokenKind::Name, "steps") => {
                used.extend(of_expression(&tokens[at + 1..at + statement]));
                at += statement;
                continue;
            }
            (PatternTokenKind::Name, "systemTransitions" | "validConfigurations") => {
                used.extend(of_block(&tokens[at + 1..at + statement]));
                at += statement;
                continue;
            }
            // What is within it is read as if it stood alone.
            (PatternTokenKind::Name, "model") => {}
            (PatternTokenKind::Name, _) => {
                at += statement;
                continue;
            }
            _ => {}
        }
        at += 1;
    }
    let letters = if listed.is_empty() { used } else { listed };
    Ok(Alphabet::new(
        letters.into_iter().map(str::to_owned).collect(),
    ))
}

/// The tokens of a statement: up to its `;`, or to the end of its block.
fn statement_length(tokens: &[PatternToken<'_>]) -> usize {
    let mut depth = 0_usize;
    for (at, token) in tokens.iter().enumerate() {
        match token.kind {
            PatternTokenKind::Sign('{') => depth += 1,
            PatternTokenKind::Sign('}') if depth <= 1 => return at + 1,
            PatternTokenKind::Sign('}') => depth -= 1,
            PatternTokenKind::Sign(';') if depth == 0 => return at + 1,
            _ => {}
        }
    }
    tokens.len()
}

/// The names of an expression over pairs, behind the name of its action.
fn of_expression<'t>(tokens: &'t [PatternToken<'t>]) -> impl Iterator<Item = &'t str> {
    let colon = tokens
        .iter()
        .position(|t| t.kind == PatternTokenKind::Sign(':'));
    let body = &tokens[colon.map_or(tokens.len(), |at| at + 1)..];
    let slash = |at: usize| {
        body.get(at)
            .is_some_and(|t| t.kind == PatternTokenKind::Sign('/'))
    };
    body.iter().enumerate().filter_map(move |(at, token)| {
        // `I` alone is the identity.
        let is_letter = token.text != "I" || slash(at + 1) || at > 0 && slash(at - 1);
        let is_name = token.kind == PatternTokenKind::Name && token.text != PADDING;
        (is_name && is_letter).then_some(token.text)
    })
}

/// The names behind the targets of transitions.
fn of_block<'t>(tokens: &'t [PatternToken<'t>]) -> impl Iterator<Item = &'t str> {
    let arrows = tokens.iter().enumerate();
    let arrows = arrows.filter(|(_, token)| token.kind == PatternTokenKind::Arrow);
    arrows.flat_map(move |(at, _)| {
        let behind = tokens.get(at + 2..).unwrap_or_default();
        let ends = |t: &PatternToken<'_>| matches!(t.kind, PatternTokenKind::Sign(';' | '}' | '('));
        let label = behind.iter().take_while(move |t| !ends(t));
        let names = label.filter(|t| t.kind == PatternTokenKind::Name && t.text != PADDING);
        names.map(|t| t.text)
    })
}
