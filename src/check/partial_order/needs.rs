//! What has to happen before a component offers an event.

use super::label_steps::{LabelSteps, has};
use crate::source::hash::IndexSet;

/// What has to happen before a component offers a label.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Needed {
    /// Every way to it goes through each of these labels: a set.
    Labels(Box<[u64]>),
    /// There is no way to it.
    Never,
}

impl Needed {
    /// The next label from one on that has to happen and is not among some others.
    #[inline]
    pub(super) fn next(&self, from: u32, without: &[u64]) -> Option<u32> {
        let Self::Labels(set) = self else {
            return None;
        };
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

    /// Whether a label has to happen.
    pub(super) fn has(&self, label: u32) -> bool {
        match self {
            Self::Labels(set) => has(set, label),
            Self::Never => false,
        }
    }
}

/// What is needed, by place and label: numbers of the list of what there is.
///
/// It is nothing where the label is offered; elsewhere what all steps `(d, s')` agree on, the common part of
/// `{d} ∪ needed(s')`. The largest solution is found by starting from all labels and taking away. Where the label is
/// not to be reached it stays all of them, the label itself among them.
pub(super) fn needed(steps: &LabelSteps) -> (Vec<u32>, Vec<Needed>) {
    let (labels, words) = (steps.labels(), steps.words());
    let mut before: Vec<Vec<u32>> = vec![Vec::new(); steps.len()];
    for from in 0..steps.len() {
        for (_, to) in steps.of(from) {
            before[*to as usize].push(from as u32);
        }
    }
    // The empty one is no set of labels.
    let mut sets: IndexSet<Box<[u64]>> = IndexSet::default();
    let mut numbers = vec![0; steps.len() * labels];
    let mut common = Common {
        of: vec![0; steps.len() * words],
        set: vec![0; words],
        waiting: Vec::new(),
    };
    for label in 0..labels {
        common.find(steps, &before, label as u32);
        for (place, set) in common.of.chunks(words).enumerate() {
            let never = has(set, label as u32) && !steps.offers(place, label as u32);
            let set = if never { &[] } else { set };
            let known = sets.get_index_of(set);
            let number = known.unwrap_or_else(|| sets.insert_full(set.into()).0);
            numbers[place * labels + label] = number as u32;
        }
    }
    let needed = sets.into_iter().map(|set| match set.is_empty() {
        true => Needed::Never,
        false => Needed::Labels(set),
    });
    (numbers, needed.collect())
}

/// What is needed for one label.
struct Common {
    /// A set of labels for each place.
    of: Vec<u64>,
    set: Vec<u64>,
    /// Places of which a successor has changed.
    waiting: Vec<u32>,
}

impl Common {
    fn find(&mut self, steps: &LabelSteps, before: &[Vec<u32>], label: u32) {
        let words = steps.words();
        self.of.fill(u64::MAX);
        for place in (0..steps.len()).filter(|place| steps.offers(*place, label)) {
            self.of[place * words..][..words].fill(0);
            self.waiting.extend(&before[place]);
        }
        while let Some(place) = self.waiting.pop() {
            let place = place as usize;
            if steps.offers(place, label) {
                continue;
            }
            self.set.fill(u64::MAX);
            for (by, to) in steps.of(place) {
                let further = &self.of[*to as usize * words..][..words];
                for (word, (one, other)) in self.set.iter_mut().zip(further).enumerate() {
                    let is_here = *by as usize / 64 == word;
                    *one &= other | u64::from(is_here) << (by % 64);
                }
            }
            let old = &mut self.of[place * words..][..words];
            if old != &self.set[..] {
                old.copy_from_slice(&self.set);
                self.waiting.extend(&before[place]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::check::partial_order::commuting;
    use crate::check::partial_order::label_steps::random_steps;

    /// Whether a label can be offered after steps none of which has another one.
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
            let (numbers, all) = needed(&steps);
            for place in 0..steps.len() {
                for label in 0..steps.labels() as u32 {
                    let number = numbers[place * steps.labels() + label as usize];
                    // No step has a label as large as that.
                    let is_reached = is_reached_without(&steps, place, label, u32::MAX);
                    let found = &all[number as usize];
                    prop_assert_eq!(found == &Needed::Never, !is_reached);
                    let (mut labels, without) = (Vec::new(), vec![0; steps.words()]);
                    let after = |labels: &[u32]| labels.last().map_or(0, |last| last + 1);
                    while let Some(next) = found.next(after(&labels), &without) {
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
                // All that `a` leads to at once goes along, by the same labels.
                let mut place = from % steps.len();
                let mut aside: Vec<u32> = steps.on(place, a).iter().map(|step| step.1).collect();
                for choice in walk {
                    let calm = steps.of(place).iter().filter(|step| !disturbs(step.0));
                    let Some((by, to)) = calm.clone().nth(usize::from(choice) % calm.count().max(1)) else {
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
