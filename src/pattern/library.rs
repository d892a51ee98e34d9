//! Permutations of positions that are regular, for words of every length (Theorem 1 of the paper and what follows it).

use crate::alphabet::{Alphabet, Letter};
use crate::automaton::{Nfa, NfaBuilder, not_included};
use crate::limits::LimitWatch;
use crate::model::FamilyModel;
use crate::source::Stop;

/// A permutation of positions by its name. Positions count from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LibraryPattern {
    /// Every letter from position k on moves one to the right, the last one to k: (k k+1 … n).
    Rotation(usize),
    /// The letters at positions i and i+1 change places: (i i+1).
    Swap(usize),
    /// The word backwards: (1 n)(2 n-1)…, which is no regular relation.
    Reflection,
}

/// The largest position that a name may hold: automata of the library have as many states.
pub const POSITION_MAX: usize = 64;

impl LibraryPattern {
    /// Those that are tried by default.
    pub const USUAL: [Self; 5] = [
        Self::Rotation(1),
        Self::Rotation(2),
        Self::Swap(1),
        Self::Swap(2),
        Self::Reflection,
    ];

    /// The pattern that a name as `rotation:2` means.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        let (word, position) = match name.split_once(':') {
            Some((word, position)) => (word, Some(position.parse::<usize>().ok()?)),
            None => (name, None),
        };
        let position = match position {
            Some(1..=POSITION_MAX) | None => position.unwrap_or(1),
            Some(_) => return None,
        };
        match word {
            "rotation" => Some(Self::Rotation(position)),
            "swap" => Some(Self::Swap(position)),
            "reflection" if !name.contains(':') => Some(Self::Reflection),
            _ => None,
        }
    }

    /// `rotation`, `rotation:2`, `swap:1`, `reflection`
    #[must_use]
    pub fn name(self) -> String {
        match self {
            Self::Rotation(1) => "rotation".to_owned(),
            Self::Rotation(from) => format!("rotation:{from}"),
            Self::Swap(at) => format!("swap:{at}"),
            Self::Reflection => "reflection".to_owned(),
        }
    }

    /// As a permutation of positions, in cycles.
    #[must_use]
    pub fn cycles(self) -> String {
        match self {
            Self::Rotation(from) => format!("({from} {} … n)", from + 1),
            Self::Swap(at) => format!("({at} {})", at + 1),
            Self::Reflection => "(1 n)(2 n-1)…".to_owned(),
        }
    }

    /// The relation over an alphabet; `None` of the reflection, which is not regular (Prop. 3).
    ///
    /// # Errors
    /// The limit that is reached.
    pub fn relation(self, alphabet: &Alphabet, watch: &LimitWatch) -> Result<Option<Nfa>, Stop> {
        match self {
            Self::Rotation(from) => rotation(alphabet, from - 1, watch).map(Some),
            Self::Swap(at) => swap(alphabet, at - 1, watch).map(Some),
            Self::Reflection => Ok(None),
        }
    }
}

/// States that read `count` equal pairs one after the other and accept; returns the last of them.
fn equal_prefix(builder: &mut NfaBuilder, alphabet: &Alphabet, count: usize) -> u32 {
    let mut last = builder.state();
    builder.begin(last);
    builder.accept(last);
    for _ in 0..count {
        let next = builder.state();
        for letter in alphabet.letters() {
            builder.edge(last, Some(alphabet.pair(letter, letter)), next);
        }
        builder.accept(next);
        last = next;
    }
    last
}

/// The output of each place is the input of the place before, from `first` (counted from 0) on. A state holds the
/// letter that was read last, and the one that was guessed to be the last of all, as it is written at `first`.
fn rotation(alphabet: &Alphabet, first: usize, watch: &LimitWatch) -> Result<Nfa, Stop> {
    let mut builder = NfaBuilder::default();
    let base = equal_prefix(&mut builder, alphabet, first);
    for guessed in alphabet.letters() {
        let states: Vec<u32> = alphabet.letters().map(|_| builder.state()).collect();
        let state = |letter: Letter| states[letter as usize];
        for read in alphabet.letters() {
            builder.edge(base, Some(alphabet.pair(read, guessed)), state(read));
            for next in alphabet.letters() {
                watch.step()?;
                builder.edge(state(read), Some(alphabet.pair(next, read)), state(next));
            }
        }
        builder.accept(state(guessed));
    }
    builder.finish(watch)
}

/// The letters at `first` and behind it (counted from 0) change places; words that are too short stay as they are.
fn swap(alphabet: &Alphabet, first: usize, watch: &LimitWatch) -> Result<Nfa, Stop> {
    let mut builder = NfaBuilder::default();
    let base = equal_prefix(&mut builder, alphabet, first);
    let rest = builder.state();
    builder.accept(rest);
    for a in alphabet.letters() {
        builder.edge(rest, Some(alphabet.pair(a, a)), rest);
        for b in alphabet.letters() {
            watch.step()?;
            let middle = builder.state();
            builder.edge(base, Some(alphabet.pair(a, b)), middle);
            builder.edge(middle, Some(alphabet.pair(b, a)), rest);
            if a == b {
                builder.accept(middle);
            }
        }
    }
    builder.finish(watch)
}

/// The name of the pattern of the library, or of its inverse, that a relation without padding agrees with on all
/// configurations.
///
/// # Errors
/// The limit that is reached.
pub fn recognised(
    model: &FamilyModel,
    relation: &Nfa,
    watch: &LimitWatch,
) -> Result<Option<String>, Stop> {
    let alphabet = &model.alphabet;
    let restricted = |relation: &Nfa| model.pairs_from(relation, &model.configurations, watch);
    let own = restricted(relation)?;
    for known in LibraryPattern::USUAL {
        let Some(library) = known.relation(alphabet, watch)? else {
            continue;
        };
        let inverse = library.mapped(watch, |pair| {
            let (input, output) = alphabet.parts(pair);
            Some(alphabet.pair(output, input))
        })?;
        for (other, word) in [(library, ""), (inverse, "the inverse of ")] {
            let other = restricted(&other)?;
            let is_same = not_included(&own, &other, watch)?.is_none()
                && not_included(&other, &own, watch)?.is_none();
            if is_same {
                return Ok(Some(format!("{word}{}", known.name())));
            }
        }
    }
    Ok(None)
}
