//! Whether circles of two sizes are the same but for their length.

use std::collections::{BTreeMap, BTreeSet};

use super::{LetterId, RingReading, RingWindow};

/// Neighbouring equal letters of the first words of several sizes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FirstRun {
    /// The letter.
    pub letter: LetterId,
    /// How many of them; `None` for as many as there is room for.
    pub length: Option<usize>,
}

/// What tells letters apart: their colour, and the windows in which they stand, where, by the colours there.
type Signature = (u32, Vec<(usize, Vec<u32>, Vec<u32>)>);

impl RingReading {
    /// The same circle, read in the other direction.
    #[must_use]
    pub fn mirrored(&self) -> Self {
        let back = |letters: &[LetterId]| letters.iter().rev().copied().collect();
        let mirrored = |window: &RingWindow| RingWindow {
            before: back(&window.before),
            after: back(&window.after),
        };
        // The first cell stays the first one.
        let mut first: Vec<LetterId> = back(&self.first);
        first.rotate_right(1);
        Self {
            first,
            windows: self.windows.iter().map(mirrored).collect(),
            ..self.clone()
        }
    }

    /// The letters of another size that correspond to these, by number, if with them it has the same windows. Where
    /// several choices do, initial states that look alike are preferred.
    #[must_use]
    pub fn letters_of(&self, other: &Self) -> Option<Vec<LetterId>> {
        if self.letters.len() != other.letters.len() || self.windows.len() != other.windows.len() {
            return None;
        }
        let start = |ring: &Self| -> Vec<u32> {
            // A first guess: which letters are in the initial state.
            let occurs = |n: usize| ring.first.contains(&(n as LetterId));
            (0..ring.letters.len())
                .map(|n| u32::from(occurs(n)))
                .collect()
        };
        let guessed = matched((self, start(self)), (other, start(other)));
        guessed.or_else(|| {
            let equal = vec![0; self.letters.len()];
            matched((self, equal.clone()), (other, equal))
        })
    }

    fn signature(&self, colours: &[u32], letter: usize) -> Signature {
        let of = |letters: &[LetterId]| letters.iter().map(|l| colours[usize::from(*l)]).collect();
        let mut places = Vec::new();
        for window in &self.windows {
            let both = window.before.iter().chain(&window.after).enumerate();
            for (at, _) in both.filter(|(_, found)| usize::from(**found) == letter) {
                places.push((at, of(&window.before), of(&window.after)));
            }
        }
        places.sort_unstable();
        (colours[letter], places)
    }

    fn renamed(&self, letters: &[LetterId]) -> BTreeSet<RingWindow> {
        let of = |word: &[LetterId]| word.iter().map(|l| letters[usize::from(*l)]).collect();
        let renamed = |window: &RingWindow| RingWindow {
            before: of(&window.before),
            after: of(&window.after),
        };
        self.windows.iter().map(renamed).collect()
    }
}

/// Letters of `b` for those of `a` that map colours to colours and windows to windows (colour refinement, and a choice
/// where it leaves several letters alike).
fn matched(a: (&RingReading, Vec<u32>), b: (&RingReading, Vec<u32>)) -> Option<Vec<LetterId>> {
    let (one, other) = refined(a, b)?;
    let cell = |colours: &[u32], colour: u32| -> Vec<usize> {
        (0..colours.len())
            .filter(|n| colours[*n] == colour)
            .collect()
    };
    let many = one
        .1
        .iter()
        .copied()
        .find(|colour| cell(&one.1, *colour).len() > 1);
    let Some(colour) = many else {
        let of = |colour: &u32| cell(&other.1, *colour).first().map(|n| *n as LetterId);
        let letters: Vec<LetterId> = one.1.iter().map(of).collect::<Option<_>>()?;
        return (one.0.renamed(&letters) == other.0.windows).then_some(letters);
    };
    // No colour is larger than the number of letters.
    let fresh = one.1.len() as u32;
    let chosen = *cell(&one.1, colour).first()?;
    cell(&other.1, colour).into_iter().find_map(|image| {
        let (mut one, mut other) = (one.clone(), other.clone());
        one.1[chosen] = fresh;
        other.1[image] = fresh;
        matched(one, other)
    })
}

type ColouredRing<'a> = (&'a RingReading, Vec<u32>);

/// Refines the colours of two circles alike; `None` if they differ.
fn refined<'a>(
    a: ColouredRing<'a>,
    b: ColouredRing<'a>,
) -> Option<(ColouredRing<'a>, ColouredRing<'a>)> {
    let (mut one, mut other) = (a, b);
    let mut before = 0;
    loop {
        let of = |(ring, colours): &ColouredRing<'_>| -> Vec<Signature> {
            (0..colours.len())
                .map(|n| ring.signature(colours, n))
                .collect()
        };
        let (left, right) = (of(&one), of(&other));
        let mut names: BTreeMap<&Signature, u32> = BTreeMap::new();
        left.iter().for_each(|signature| {
            names.insert(signature, 0);
        });
        (0..)
            .zip(names.values_mut())
            .for_each(|(number, name)| *name = number);
        let name = |signature: &Signature| names.get(signature).copied();
        one.1 = left.iter().map(name).collect::<Option<_>>()?;
        other.1 = right.iter().map(name).collect::<Option<_>>()?;
        let sorted = |colours: &[u32]| {
            let mut colours = colours.to_vec();
            colours.sort_unstable();
            colours
        };
        if sorted(&one.1) != sorted(&other.1) {
            return None;
        }
        if names.len() == before {
            return Some((one, other));
        }
        before = names.len();
    }
}

/// What the initial words of several sizes have in common: runs of letters, one of which may be as long as there is
/// room for. `None` if there is nothing of this form. The words stand in the order of their lengths.
#[must_use]
pub fn first_words(words: &[Vec<LetterId>]) -> Option<Vec<FirstRun>> {
    let runs = |word: &Vec<LetterId>| -> Vec<(LetterId, usize)> {
        word.chunk_by(|a, b| a == b)
            .map(|run| (run[0], run.len()))
            .collect()
    };
    let all: Vec<Vec<(LetterId, usize)>> = words.iter().map(runs).collect();
    let (first, last) = (all.first()?, all.last()?);
    let letters = |runs: &[(LetterId, usize)]| runs.iter().map(|run| run.0).collect::<Vec<_>>();
    if all.iter().any(|runs| letters(runs) != letters(first)) {
        return None;
    }
    let is_constant = |at: usize| all.iter().all(|runs| runs[at].1 == first[at].1);
    let growing = (0..first.len()).filter(|at| !is_constant(*at)).count();
    let run = |(at, (letter, length)): (usize, &(LetterId, usize))| FirstRun {
        letter: *letter,
        length: is_constant(at).then_some(*length),
    };
    (growing == 1 && last.len() == first.len()).then(|| first.iter().enumerate().map(run).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn initial_words_have_one_run_that_grows() {
        let run = |letter, length| FirstRun { letter, length };
        let words = [vec![1, 0, 0], vec![1, 0, 0, 0], vec![1, 0, 0, 0, 0]];
        assert_eq!(
            first_words(&words),
            Some(vec![run(1, Some(1)), run(0, None)])
        );
        assert_eq!(
            first_words(&[vec![2, 2], vec![2, 2, 2]]),
            Some(vec![run(2, None)])
        );
        assert_eq!(first_words(&[vec![0, 1, 0, 1], vec![0, 1, 0, 1, 0]]), None);
        assert_eq!(first_words(&[vec![0, 1], vec![0, 0, 1, 1]]), None);
    }
}
