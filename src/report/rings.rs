//! A circle of components at several sizes, and the family of automata that is read off it.

use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::source::visible_line;
use orbitscope_engine::lab::ring::{
    FirstRun, LetterId, NoRing, RingReading, RingWindow, first_words,
};

/// What was found at one size.
#[derive(Clone, Debug)]
pub enum RingAtSize {
    /// It was read, and is the circle of the first size that was read: so many words and pairs of words are reached.
    Agrees(usize, usize),
    /// It was read, and is another circle.
    Differs,
    /// It was not read.
    Unread(NoRing),
    /// The script has an error at this size, or a limit was reached.
    Failed(String),
}

/// The sizes of a circle.
#[derive(Clone, Debug, Default)]
pub struct RingSizes {
    /// What was found at each size, in ascending order.
    pub sizes: Vec<(usize, RingAtSize)>,
    /// What was read at the first size that was.
    pub base: Option<RingReading>,
    /// The initial words of all sizes that agree, in the letters of the first.
    first: Vec<Vec<LetterId>>,
}

impl RingSizes {
    /// Adds what was read at the next size.
    pub fn add(&mut self, size: usize, read: Result<RingReading, NoRing>) {
        let found = match (read, &self.base) {
            (Err(why), _) => RingAtSize::Unread(why),
            (Ok(reading), None) => {
                let counts = (reading.words, reading.pairs);
                self.first.push(reading.first.clone());
                self.base = Some(reading);
                RingAtSize::Agrees(counts.0, counts.1)
            }
            (Ok(reading), Some(base)) => match base.letters_of(&reading) {
                None => RingAtSize::Differs,
                Some(letters) => {
                    let number = |letter: &LetterId| {
                        let at = letters.iter().position(|known| known == letter);
                        at.unwrap_or(0) as LetterId
                    };
                    self.first.push(reading.first.iter().map(number).collect());
                    RingAtSize::Agrees(reading.words, reading.pairs)
                }
            },
        };
        self.sizes.push((size, found));
    }

    /// Adds a size at which the script cannot be read.
    pub fn add_failure(&mut self, size: usize, why: String) {
        self.sizes.push((size, RingAtSize::Failed(why)));
    }

    /// The sizes that agree.
    #[must_use]
    pub fn agreeing(&self) -> Vec<usize> {
        let agrees = |found: &&(usize, RingAtSize)| matches!(found.1, RingAtSize::Agrees(..));
        self.sizes
            .iter()
            .filter(agrees)
            .map(|found| found.0)
            .collect()
    }

    /// Whether a size is another circle.
    #[must_use]
    pub fn differs(&self) -> bool {
        let mut all = self.sizes.iter();
        all.any(|found| matches!(found.1, RingAtSize::Differs))
    }

    /// What stands in the middle, with its numbers of local states at the first and the last size, if they grow.
    #[must_use]
    pub fn growing_middle(&self) -> Option<(&str, usize, usize)> {
        let middles = self.sizes.iter().filter_map(|(_, found)| match found {
            RingAtSize::Unread(NoRing::Middle(name, states)) => Some((name, *states)),
            _ => None,
        });
        let middles: Vec<_> = middles.collect();
        let ((name, first), (_, last)) = (*middles.first()?, *middles.last()?);
        (last > first).then_some((name, first, last))
    }

    /// What the initial words have in common, if that is one run of letters that grows.
    #[must_use]
    pub fn initial(&self) -> Option<Vec<FirstRun>> {
        // Of one word nothing is known.
        (self.first.len() > 1).then(|| first_words(&self.first))?
    }

    /// The family as a text, with a comment about what it was read off; `None` if nothing was read.
    #[must_use]
    pub fn family(&self, about: &str) -> Option<String> {
        let base = self.base.as_ref()?;
        let mut text = format!("// {about}\n");
        for (number, letter) in (0..).zip(&base.letters) {
            let _ = writeln!(text, "// {}: {}", letter_name(number), visible_line(letter));
        }
        let names = (0..)
            .zip(&base.letters)
            .map(|(number, _)| letter_name(number));
        let names: Vec<String> = names.collect();
        let _ = writeln!(text, "model {{\n  alphabet: {};", names.join(" "));
        for window in &base.windows {
            for steps in placements(window) {
                let _ = writeln!(text, "  steps: {steps};");
            }
        }
        let least = vec!["."; base.cells].join(" ");
        let _ = writeln!(text, "  configurations: {least} .*;");
        if let Some(runs) = self.initial() {
            let _ = writeln!(text, "  initial: {};", self.initial_words(&runs));
        }
        text.push_str("}\n");
        Some(text)
    }

    fn initial_words(&self, runs: &[FirstRun]) -> String {
        let mut words = Vec::new();
        let shortest = self.first.first().map_or(&[][..], |word| word);
        let lengths = shortest.chunk_by(|a, b| a == b).map(<[_]>::len);
        for (run, least) in runs.iter().zip(lengths) {
            let letter = letter_name(run.letter);
            words.extend(std::iter::repeat_n(letter.clone(), least));
            if run.length.is_none() {
                words.push(format!("{letter}*"));
            }
        }
        words.join(" ")
    }

    /// The letters with their local states, and what was found at each size, as JSON.
    #[must_use]
    pub fn json(&self) -> (Value, Value) {
        let letters = self.base.iter().flat_map(|base| (0..).zip(&base.letters));
        let letters =
            letters.map(|(n, states)| json!({ "name": letter_name(n), "states": states }));
        let sizes = self.sizes.iter().map(|(size, found)| match found {
            RingAtSize::Agrees(words, pairs) => {
                json!({ "size": size, "outcome": "agrees", "words": words, "pairs": pairs })
            }
            RingAtSize::Differs => json!({ "size": size, "outcome": "differs" }),
            RingAtSize::Unread(why) => {
                json!({ "size": size, "outcome": "not read", "reason": why.reason() })
            }
            RingAtSize::Failed(why) => json!({ "size": size, "outcome": "error", "reason": why }),
        });
        (letters.collect(), sizes.collect())
    }
}

/// The name of a letter in the text of a family.
#[must_use]
pub fn letter_name(letter: LetterId) -> String {
    const ALPHABET: &[u8] = b"abcdefghijklmnopqrstuvwxyz";
    match ALPHABET.get(usize::from(letter)) {
        Some(name) => char::from(*name).to_string(),
        None => format!("x{letter}"),
    }
}

/// A window at every place of a word: within it, and around its end.
fn placements(window: &RingWindow) -> Vec<String> {
    let pairs = window.before.iter().zip(&window.after);
    let pairs: Vec<String> = pairs
        .map(|(before, after)| format!("{}/{}", letter_name(*before), letter_name(*after)))
        .collect();
    let mut all = vec![format!("I* {} I*", pairs.join(" "))];
    for at in 1..pairs.len() {
        let (last, first) = pairs.split_at(at);
        all.push(format!("{} I* {}", first.join(" "), last.join(" ")));
    }
    all
}
