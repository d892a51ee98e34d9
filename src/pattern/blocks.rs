//! Automata that are written transition by transition: `{ init: s; s -> t a/b; accepting: t; }`.

use crate::alphabet::{Alphabet, Symbol};
use crate::automaton::NfaBuilder;
use crate::expression::{SymbolKind, letter};
use crate::source::hash::IndexMap;
use crate::source::{Diagnostic, nearest};
use crate::tokens::{PatternToken, PatternTokenKind, TokenReader, TokenResult, unknown};

/// What a block is read with.
pub struct AutomatonBlock<'a> {
    /// The letters.
    pub alphabet: &'a Alphabet,
    /// What labels its transitions.
    pub kind: SymbolKind,
    /// The keyword before it.
    pub keyword: PatternToken<'a>,
}

/// The states of a block by their names.
#[derive(Default)]
struct BlockStates<'t> {
    numbers: IndexMap<&'t str, u32>,
    builder: NfaBuilder,
    initial: Vec<PatternToken<'t>>,
    accepting: Vec<PatternToken<'t>>,
}

impl<'t> BlockStates<'t> {
    fn number(&mut self, name: &'t str) -> u32 {
        let builder = &mut self.builder;
        *self.numbers.entry(name).or_insert_with(|| builder.state())
    }
}

/// Reads a block.
///
/// # Errors
/// What is wrong with it.
pub fn block<'t>(
    reader: &mut TokenReader<'t>,
    context: &AutomatonBlock<'_>,
) -> TokenResult<NfaBuilder> {
    reader.require('{')?;
    let mut states = BlockStates::default();
    while !reader.is_at('}') {
        let name = reader.name("a state, `init`, `accepting` or `}`")?;
        if reader.is_at(':') {
            let listed = match name.text {
                "init" => &mut states.initial,
                "accepting" => &mut states.accepting,
                _ => return Err(unknown(name, &["init", "accepting"])),
            };
            reader.take();
            loop {
                listed.push(reader.name("a state")?);
                if !reader.take_sign(',') {
                    break;
                }
            }
        } else {
            transition(reader, context, name, &mut states)?;
        }
        reader.require(';')?;
    }
    reader.take();
    finished(states, context)
}

fn transition<'t>(
    reader: &mut TokenReader<'t>,
    context: &AutomatonBlock<'_>,
    from: PatternToken<'t>,
    states: &mut BlockStates<'t>,
) -> TokenResult<()> {
    if reader.peek().kind != PatternTokenKind::Arrow {
        return Err(reader.expected("`->`"));
    }
    reader.take();
    let to = reader.name("a state")?;
    let symbol = label(reader, context)?;
    let (from, to) = (states.number(from.text), states.number(to.text));
    states.builder.edge(from, symbol, to);
    Ok(())
}

/// A letter or a pair; nothing, or `(epsilon)`, where nothing is read.
fn label(
    reader: &mut TokenReader<'_>,
    context: &AutomatonBlock<'_>,
) -> TokenResult<Option<Symbol>> {
    if reader.is_at('(') {
        reader.take();
        let word = reader.name("`epsilon`")?;
        if word.text != "epsilon" {
            return Err(unknown(word, &["epsilon"]));
        }
        reader.require(')')?;
        return Ok(None);
    }
    if reader.is_at(';') {
        return Ok(None);
    }
    let with_padding = context.kind == SymbolKind::PaddedPairs;
    let token = reader.name("a label or `;`")?;
    let input = letter(context.alphabet, token, with_padding)?;
    if context.kind == SymbolKind::Letters {
        return Ok(Some(input));
    }
    reader.require('/')?;
    let second = reader.name("a letter")?;
    let output = letter(context.alphabet, second, with_padding)?;
    let pair = context.alphabet.pair(input, output);
    if pair == context.alphabet.both_ended() {
        let message = "no pair is made of two paddings";
        return Err(Box::new(Diagnostic::error(
            "E0904",
            token.span.to(second.span),
            message,
        )));
    }
    Ok(Some(pair))
}

/// Marks the initial and the accepting states.
fn finished(mut states: BlockStates<'_>, context: &AutomatonBlock<'_>) -> TokenResult<NfaBuilder> {
    for (listed, what) in [(&states.initial, "init"), (&states.accepting, "accepting")] {
        if listed.is_empty() {
            let message = format!("this automaton has no `{what}`");
            let diagnostic = Diagnostic::error("E0903", context.keyword.span, message);
            return Err(Box::new(diagnostic.note(format!("add `{what}: STATE;`"))));
        }
    }
    // A state without transitions may be initial; one that is accepting has to occur before.
    for token in std::mem::take(&mut states.initial) {
        let number = states.number(token.text);
        states.builder.begin(number);
    }
    for token in &states.accepting {
        let Some(number) = states.numbers.get(token.text) else {
            let message = format!("no transition leads to the state `{}`", token.text);
            let diagnostic = Diagnostic::error("E0902", token.span, message);
            let near = nearest(token.text, states.numbers.keys().copied());
            return Err(Box::new(match near.first() {
                Some(name) => diagnostic.did_you_mean(name),
                None => diagnostic,
            }));
        };
        states.builder.accept(*number);
    }
    Ok(states.builder)
}
