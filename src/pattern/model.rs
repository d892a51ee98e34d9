//! A family of systems: configurations are words, and its steps are a relation between words of equal length (Def. 1
//! of the paper).

use crate::alphabet::{Alphabet, Letter, Symbol, WordPair};
use crate::automaton::{Dfa, Nfa, NfaBuilder};
use crate::limits::LimitWatch;
use crate::source::Stop;

/// The steps of one action.
#[derive(Clone, Debug)]
pub struct ActionSteps {
    /// The name of the action; empty if it has none.
    pub name: String,
    /// Accepts the pairs of words that are a step, by its smallest deterministic automaton without a dead state.
    pub steps: Nfa,
    /// The same as a complete automaton, which goes on with pairs of paddings.
    pub(crate) padded: Dfa,
}

/// A family as automata.
#[derive(Clone, Debug)]
pub struct FamilyModel {
    /// The letters of configurations.
    pub alphabet: Alphabet,
    /// The steps, one for each action.
    pub actions: Vec<ActionSteps>,
    /// The configurations: S of the paper. Steps from or to other words do not count.
    pub configurations: Nfa,
    /// Whether every word is a configuration.
    pub all_words: bool,
    /// The configurations as a complete automaton, which goes on with paddings.
    pub(crate) padded: Dfa,
}

impl FamilyModel {
    /// A family from the automata of its steps, by action, and of its configurations (every word if there is none).
    ///
    /// # Errors
    /// The limit that is reached.
    pub fn new(
        alphabet: Alphabet,
        steps: Vec<(String, Nfa)>,
        configurations: Option<Nfa>,
        watch: &LimitWatch,
    ) -> Result<Self, Stop> {
        let letters = alphabet.size() as usize + 1;
        let all = match configurations {
            Some(given) => given,
            None => every_word(alphabet.letters(), watch)?,
        };
        let smallest = all.minimal(letters, watch)?;
        let padded = smallest.padded(alphabet.padding());
        let every = every_word(alphabet.letters(), watch)?;
        let all_words = crate::automaton::not_included(&every, &all, watch)?.is_none();
        let mut actions = Vec::new();
        for (name, steps) in steps {
            let smallest = steps.minimal(alphabet.pairs(), watch)?;
            actions.push(ActionSteps {
                name,
                steps: smallest.to_nfa(),
                padded: smallest.padded(alphabet.both_ended()),
            });
        }
        Ok(Self {
            configurations: smallest.to_nfa(),
            alphabet,
            actions,
            all_words,
            padded,
        })
    }

    /// Whether a word is a configuration.
    #[must_use]
    pub fn is_configuration(&self, word: &[Letter]) -> bool {
        self.configurations.accepts(word)
    }

    /// Whether there is a step of some action between two configurations.
    #[must_use]
    pub fn is_step(&self, from: &[Letter], to: &[Letter]) -> bool {
        let both = self.is_configuration(from) && self.is_configuration(to);
        both && from.len() == to.len() && {
            let pairs = self.alphabet.joined(from, to);
            self.actions
                .iter()
                .any(|action| action.steps.accepts(&pairs))
        }
    }

    /// The steps of an action between configurations.
    ///
    /// # Errors
    /// The limit that is reached.
    pub fn steps_inside(&self, action: &ActionSteps, watch: &LimitWatch) -> Result<Nfa, Stop> {
        let inside = self.pairs_from(&action.steps, &self.configurations, watch)?;
        let alphabet = &self.alphabet;
        inside.product(&self.configurations, watch, |pair, letter| {
            (alphabet.parts(pair).1 == letter).then_some(pair)
        })
    }

    /// The pairs of a relation without padding whose first word is in a language.
    ///
    /// # Errors
    /// The limit that is reached.
    pub(crate) fn pairs_from(
        &self,
        relation: &Nfa,
        inputs: &Nfa,
        watch: &LimitWatch,
    ) -> Result<Nfa, Stop> {
        relation.product(inputs, watch, |pair, letter| {
            (self.alphabet.parts(pair).0 == letter).then_some(pair)
        })
    }

    /// A shortest step from a configuration to a word that is none: such steps do not count, and are seldom meant.
    ///
    /// # Errors
    /// The limit that is reached.
    pub fn step_out(&self, watch: &LimitWatch) -> Result<Option<WordPair>, Stop> {
        for action in &self.actions {
            let from_inside = self.pairs_from(&action.steps, &self.configurations, watch)?;
            let targets = from_inside.mapped(watch, |pair| Some(self.alphabet.parts(pair).1))?;
            if crate::automaton::not_included(&targets, &self.configurations, watch)?.is_none() {
                continue;
            }
            let inside = self.steps_inside(action, watch)?;
            let out = crate::automaton::not_included(&from_inside, &inside, watch)?;
            return Ok(out.map(|pairs| words_of(&self.alphabet, &pairs)));
        }
        Ok(None)
    }
}

/// All words over these letters.
fn every_word(letters: impl IntoIterator<Item = Symbol>, watch: &LimitWatch) -> Result<Nfa, Stop> {
    let mut builder = NfaBuilder::default();
    let state = builder.state();
    builder.begin(state);
    builder.accept(state);
    for letter in letters {
        builder.edge(state, Some(letter), state);
    }
    builder.finish(watch)
}

/// The two words of pairs, without padding.
#[must_use]
pub fn words_of(alphabet: &Alphabet, pairs: &[Symbol]) -> WordPair {
    let parts = pairs.iter().map(|pair| alphabet.parts(*pair));
    let (inputs, outputs): (Vec<Letter>, Vec<Letter>) = parts.unzip();
    (alphabet.unpadded(inputs), alphabet.unpadded(outputs))
}
