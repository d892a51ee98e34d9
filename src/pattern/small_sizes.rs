//! Runs of small members of a family, searched word by word before anything is proved of all sizes.

use std::cell::Cell;

use crate::alphabet::Letter;
use crate::automaton::Nfa;
use crate::limits::LimitWatch;
use crate::model::FamilyModel;
use crate::shortest::shortest;
use crate::source::Stop;

/// The largest size that is searched: words are packed into one number.
pub const SIZE_MAX: usize = 8;
/// Steps that are followed in a search of one size, before larger sizes are given up.
const STEPS_MAX: usize = 200_000;
/// Bits of a letter in a packed word.
const BITS: usize = 6;

/// What searches of small sizes found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SmallSizes {
    /// The largest size of which all reachable configurations were looked at, if any; all smaller ones were, too.
    pub complete_to: Option<usize>,
    /// A shortest run to a bad configuration, of the smallest size that has one: its configurations.
    pub bad_run: Option<Vec<Vec<Letter>>>,
}

/// Searches the sizes from 0 on for runs from the one set of words to the other.
///
/// # Errors
/// The limit that is reached.
pub fn search_small_sizes(
    model: &FamilyModel,
    initial: &Nfa,
    bad: &Nfa,
    watch: &LimitWatch,
) -> Result<SmallSizes, Stop> {
    let mut found = SmallSizes::default();
    for size in 0..=SIZE_MAX {
        let search = SizeSearch {
            model,
            size,
            followed: Cell::new(0),
        };
        found.bad_run = search.run(initial, bad, watch)?;
        if found.bad_run.is_some() || search.followed.get() > STEPS_MAX {
            break;
        }
        found.complete_to = Some(size);
    }
    Ok(found)
}

struct SizeSearch<'a> {
    model: &'a FamilyModel,
    size: usize,
    followed: Cell<usize>,
}

impl SizeSearch<'_> {
    fn run(
        &self,
        initial: &Nfa,
        bad: &Nfa,
        watch: &LimitWatch,
    ) -> Result<Option<Vec<Vec<Letter>>>, Stop> {
        /// Before the first word.
        const START: u64 = u64::MAX;
        let successors = |word: u64, next: &mut Vec<(u64, u64)>| {
            if self.followed.get() > STEPS_MAX {
                return;
            }
            let mut after = Vec::new();
            match word {
                START => self.spell(initial, &mut after),
                _ => self.step(word, &mut after),
            }
            self.followed.set(self.followed.get() + after.len() + 1);
            after.retain(|word| self.model.is_configuration(&self.unpacked(*word)));
            next.extend(after.into_iter().map(|word| (word, word)));
        };
        let is_bad = |word: u64| word != START && bad.accepts(&self.unpacked(word));
        let found = shortest(watch, [START], successors, is_bad)?;
        Ok(found.map(|run| run.into_iter().map(|word| self.unpacked(word)).collect()))
    }

    fn unpacked(&self, word: u64) -> Vec<Letter> {
        let at = |n: usize| (word >> (BITS * n)) as Letter & ((1 << BITS) - 1);
        (0..self.size).map(at).collect()
    }

    /// The words of this size that an automaton accepts.
    fn spell(&self, language: &Nfa, found: &mut Vec<u64>) {
        let all = language.initial().to_vec();
        let mut todo = vec![(all, 0_usize, 0_u64)];
        while let Some((states, length, word)) = todo.pop() {
            if found.len() + todo.len() > STEPS_MAX {
                self.followed.set(STEPS_MAX + 1);
                return;
            }
            if length == self.size {
                if states.iter().any(|state| language.accepts_in(*state)) {
                    found.push(word);
                }
                continue;
            }
            for letter in self.model.alphabet.letters() {
                let after = language.after(&states, letter);
                if !after.is_empty() {
                    let word = word | u64::from(letter) << (BITS * length);
                    todo.push((after, length + 1, word));
                }
            }
        }
    }

    /// The words after a step of any action.
    fn step(&self, word: u64, found: &mut Vec<u64>) {
        let alphabet = &self.model.alphabet;
        let letters = self.unpacked(word);
        for action in &self.model.actions {
            let steps = &action.steps;
            let firsts = steps.initial().iter();
            let mut todo: Vec<(u32, usize, u64)> = firsts.map(|state| (*state, 0, 0)).collect();
            while let Some((state, length, word)) = todo.pop() {
                if length == self.size {
                    if steps.accepts_in(state) {
                        found.push(word);
                    }
                    continue;
                }
                for (pair, to) in steps.edges(state) {
                    let (input, output) = alphabet.parts(*pair);
                    if input == letters[length] {
                        let word = word | u64::from(output) << (BITS * length);
                        todo.push((*to, length + 1, word));
                    }
                }
            }
        }
    }
}
