//! A relation as the text of a file that [`crate::format`] reads.

use std::fmt::Write;

use crate::alphabet::Alphabet;
use crate::automaton::Nfa;

/// The relation as a `pattern` with a comment above it.
#[must_use]
pub fn pattern_text(relation: &Nfa, alphabet: &Alphabet, comment: &str) -> String {
    let mut text = String::new();
    for line in comment.lines() {
        let _ = writeln!(text, "// {line}");
    }
    let listed = |states: &mut dyn Iterator<Item = u32>| {
        let names: Vec<String> = states.map(|state| state.to_string()).collect();
        names.join(", ")
    };
    text.push_str("pattern {\n");
    let _ = writeln!(
        text,
        "  init: {};",
        listed(&mut relation.initial().iter().copied())
    );
    let states = 0..relation.states() as u32;
    for from in states.clone() {
        for (pair, to) in relation.edges(from) {
            let _ = writeln!(text, "  {from} -> {to} {};", alphabet.pair_name(*pair));
        }
    }
    let mut accepting = states.filter(|state| relation.accepts_in(*state));
    let _ = writeln!(text, "  accepting: {};", listed(&mut accepting));
    text.push_str("}\n");
    text
}
