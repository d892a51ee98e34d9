//! Labels that come before a component offers an event.

use std::collections::VecDeque;

use super::label_steps::LabelSteps;
use crate::source::hash::IndexSet;

/// The needs of each place for each label: a set of labels that are on every way to an offer of that label. If no way
/// leads to an offer, the set contains all labels, itself included.
#[derive(Clone, Debug, Default)]
pub(super) struct NeedsTable {
    /// Row numbers by place: many places of a large component have the same needs.
    rows: Vec<u32>,
    /// The sets of all labels, one row after the other.
    sets: Vec<u64>,
    labels: usize,
    /// Words of a set.
    words: usize,
}

/// The needs of one place: an offset in the words of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct NeedsOfPlace(u32);

impl NeedsTable {
    /// Computes the table of a component.
    ///
    /// A place has no needs for a label that it offers; otherwise the intersection of `{d} ∪ needed(s')` over all its
    /// steps `(d, s')`. The largest solution is found from full sets by removal. If the label is unreachable, the set
    /// stays full.
    pub(super) fn new(steps: &LabelSteps) -> Self {
        let (labels, words) = (steps.labels(), steps.words());
        let mut before: Vec<Vec<u32>> = vec![Vec::new(); steps.len()];
        for from in 0..steps.len() {
            for (_, to) in steps.of(from) {
                // Several labels to one place count once.
                let of_target = &mut before[*to as usize];
                if of_target.last() != Some(&(from as u32)) {
                    of_target.push(from as u32);
                }
            }
        }
        let row = labels * words;
        let mut all = vec![0; steps.len() * row];
        let mut common = Common {
            of: vec![0; steps.len() * words],
            set: vec![0; words],
            waiting: VecDeque::new(),
            is_waiting: vec![false; steps.len()],
        };
        for label in 0..labels {
            common.find(steps, &before, label as u32);
            for (place, set) in common.of.chunks(words).enumerate() {
                all[place * row + label * words..][..words].copy_from_slice(set);
            }
        }
        let mut known: IndexSet<&[u64]> = IndexSet::default();
        let rows = match row {
            0 => vec![0; steps.len()],
            _ => all
                .chunks(row)
                .map(|row| known.insert_full(row).0 as u32)
                .collect(),
        };
        Self {
            rows,
            sets: known.into_iter().flatten().copied().collect(),
            labels,
            words,
        }
    }

    /// The needs of a place.
    pub(super) fn of(&self, place: u32) -> NeedsOfPlace {
        NeedsOfPlace(self.rows[place as usize])
    }

    /// The needs of a place for a label.
    #[inline]
    pub(super) fn set(&self, of: NeedsOfPlace, label: u32) -> &[u64] {
        let at = of.0 as usize * self.labels + label as usize;
        &self.sets[at * self.words..][..self.words]
    }
}

/// The next label in a set, from `from` on, that is not in another set.
#[inline]
pub(super) fn next_without(set: &[u64], from: u32, without: &[u64]) -> Option<u32> {
    let from_word = from as usize / 64;
    let words = set.iter().zip(without).enumerate().skip(from_word);
    for (number, (word, without)) in words {
        let mut left = word & !without;
        if number == from_word {
            left = left >> (from % 64) << (from % 64);
        }
        if left != 0 {
            return Some(number as u32 * 64 + left.trailing_zeros());
        }
    }
    None
}

/// The computation for one label.
struct Common {
    /// A set of labels for each place.
    of: Vec<u64>,
    set: Vec<u64>,
    /// Places with a changed successor, each once.
    waiting: VecDeque<u32>,
    is_waiting: Vec<bool>,
}

impl Common {
    fn find(&mut self, steps: &LabelSteps, before: &[Vec<u32>], label: u32) {
        let words = steps.words();
        self.of.fill(u64::MAX);
        for place in (0..steps.len()).filter(|place| steps.offers(*place, label)) {
            self.of[place * words..][..words].fill(0);
            self.wait(&before[place]);
        }
        // A queue: places near the label are then mostly known before those farther away.
        while let Some(place) = self.waiting.pop_front() {
            let place = place as usize;
            self.is_waiting[place] = false;
            if steps.offers(place, label) {
                continue;
            }
            self.set.fill(u64::MAX);
            for (by, to) in steps.of(place) {
                let further = &self.of[*to as usize * words..][..words];
                let (word, bit) = (*by as usize / 64, 1 << (by % 64));
                let kept = self.set[word] & bit;
                for (one, other) in self.set.iter_mut().zip(further) {
                    *one &= other;
                }
                self.set[word] |= kept;
            }
            let old = &mut self.of[place * words..][..words];
            if old != &self.set[..] {
                old.copy_from_slice(&self.set);
                self.wait(&before[place]);
            }
        }
    }

    fn wait(&mut self, places: &[u32]) {
        for place in places {
            if !std::mem::replace(&mut self.is_waiting[*place as usize], true) {
                self.waiting.push_back(*place);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::reductions::partial_order::commuting;
    use crate::reductions::partial_order::label_steps::{has, random_steps};

    /// Whether a label can be offered after steps without another label.
    fn is_reached_without(steps: &LabelSteps, from: usize, label: u32, without: u32) -> bool {
        let (mut met, mut at) = (vec![from], 0);
        while let Some(place) = met.get(at).copied() {
            at += 1;
            if steps.offers(place, label) {
                return true;
            }
            for (by, to) in steps.of(place) {
                if *by != without && !met.contains(&(*to as usize)) {
                    met.push(*to as usize);
                }
            }
        }
        false
    }

    proptest! {
        #[test]
        fn what_is_needed_is_on_every_way(steps in random_steps()) {
            let table = NeedsTable::new(&steps);
            for place in 0..steps.len() {
                for label in 0..steps.labels() as u32 {
                    let found = table.set(table.of(place as u32), label);
                    // No label is as large as that.
                    let is_reached = is_reached_without(&steps, place, label, u32::MAX);
                    prop_assert_eq!(has(found, label), !is_reached);
                    let (mut labels, without) = (Vec::new(), vec![0; steps.words()]);
                    let after = |labels: &[u32]| labels.last().map_or(0, |last| last + 1);
                    while let Some(next) = next_without(found, after(&labels), &without) {
                        labels.push(next);
                    }
                    let is_on_all = |other: &u32| !is_reached_without(&steps, place, label, *other);
                    let by_definition: Vec<u32> =
                        (0..steps.labels() as u32).filter(is_on_all).collect();
                    prop_assert!(!is_reached || labels == by_definition);
                }
            }
        }

        #[test]
        fn what_does_not_disturb_can_come_later(steps in random_steps(), from in 0_usize..5, walk in any::<[u8; 6]>()) {
            let found = commuting::disturbing(&steps, &mut usize::MAX.clone()).unwrap_or_default();
            let words = steps.words();
            for a in steps.offered(from % steps.len()).collect::<Vec<_>>() {
                let disturbs = |b: u32| has(&found[a as usize * words..], b);
                // All direct successors by `a` go along, by the same labels.
                let mut place = from % steps.len();
                let mut aside: Vec<u32> = steps.on(place, a).iter().map(|step| step.1).collect();
                for choice in walk {
                    let independent = steps.of(place).iter().filter(|step| !disturbs(step.0));
                    let Some((by, to)) = independent.clone().nth(usize::from(choice) % independent.count().max(1)) else {
                        break;
                    };
                    place = *to as usize;
                    let further = aside.iter().flat_map(|at| steps.on(*at as usize, *by));
                    aside = further.map(|step| step.1).collect();
                    prop_assert!(steps.offers(place, a), "it stays offered");
                    let ends = steps.on(place, a).iter();
                    prop_assert!(ends.clone().all(|end| aside.contains(&end.1)), "and leads to the same");
                }
            }
        }
    }
}
