//! Independence of the events of a component in all of its local states.
//!
//! Event `b` *disturbs* event `a` if in some local state that offers both, `b` leads to one that does not offer `a`, or
//! `b` and then `a` leads to a local state that `a` and then `b` does not lead to. During events that do not disturb
//! `a`, it stays offered, and can as well be taken first. In a queue, adding at the end and removing from the beginning
//! do not disturb each other, though both move the queue.

use super::label_steps::{LabelSteps, put};

/// Work counted for a pair of labels: the result has room for all pairs.
const LOOKS_OF_PAIR: usize = 8;

/// Entries of a table for each step: with more, nearly all would be of labels without steps.
const ENTRIES_MAX: usize = 4;

/// For each label the set of labels that disturb it; `None` if that takes more work than `looks`, which is reduced by
/// the work done.
pub(super) fn disturbing(steps: &LabelSteps, looks: &mut usize) -> Option<Vec<u64>> {
    let (labels, words) = (steps.labels(), steps.words());
    *looks = looks.checked_sub(labels.checked_mul(labels * LOOKS_OF_PAIR)?)?;
    let mut found = vec![0; labels * words];
    let on = StepsOn::new(steps, ENTRIES_MAX);
    for place in 0..steps.len() {
        let own = steps.offers_of(place);
        for a in steps.offered(place) {
            *looks = looks.checked_sub(words)?;
            for word in 0..words {
                // Labels known to disturb it need not be tested again.
                let mut left = own[word] & !found[a as usize * words + word];
                while left != 0 {
                    let b = word as u32 * 64 + left.trailing_zeros();
                    left &= left - 1;
                    let pairs = on.of(place, a).len() * on.of(place, b).len();
                    *looks = looks.checked_sub(pairs)?;
                    if !stays(&on, place, a, b) {
                        put(&mut found[a as usize * words..][..words], b);
                    }
                }
            }
        }
    }
    Some(found)
}

/// The steps of a component on each label, with a table if most labels are offered at most places.
struct StepsOn<'s> {
    steps: &'s LabelSteps,
    /// For each place the beginnings of the steps of each label among its own, and the end; or empty.
    from: Vec<u32>,
}

impl<'s> StepsOn<'s> {
    /// Creates a table if it has at most this number of entries for each step.
    fn new(steps: &'s LabelSteps, entries_max: usize) -> Self {
        let mut from = Vec::new();
        let row = steps.labels() + 1;
        if steps.len() * row <= steps.steps().saturating_mul(entries_max) {
            from.reserve_exact(steps.len() * row);
            for place in 0..steps.len() {
                let (own, mut at) = (steps.of(place), 0);
                for label in 0..row as u32 {
                    while own.get(at).is_some_and(|step| step.0 < label) {
                        at += 1;
                    }
                    from.push(at as u32);
                }
            }
        }
        Self { steps, from }
    }

    #[inline]
    fn of(&self, place: usize, label: u32) -> &'s [(u32, u32)] {
        if self.from.is_empty() {
            return self.steps.on(place, label);
        }
        let at = place * (self.steps.labels() + 1) + label as usize;
        &self.steps.of(place)[self.from[at] as usize..self.from[at + 1] as usize]
    }
}

/// Whether `b` does not disturb `a` at a place that offers both.
fn stays(on: &StepsOn<'_>, place: usize, a: u32, b: u32) -> bool {
    on.of(place, b).iter().all(|(_, after_b)| {
        let after_b = *after_b as usize;
        let reached_at_once = |end: u32| {
            let mut firsts = on.of(place, a).iter();
            firsts.any(|(_, after_a)| {
                let mut ends = on.of(*after_a as usize, b).iter();
                ends.any(|(_, other)| *other == end)
            })
        };
        let mut ends = on.of(after_b, a).iter();
        on.steps.offers(after_b, a) && ends.all(|(_, end)| reached_at_once(*end))
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::label_steps::random_steps;
    use super::*;

    proptest! {
        #[test]
        fn steps_are_looked_up(steps in random_steps(), has_table in any::<bool>()) {
            let on = StepsOn::new(&steps, if has_table { usize::MAX } else { 0 });
            prop_assert!(on.from.is_empty() || has_table);
            for place in 0..steps.len() {
                for label in 0..steps.labels() as u32 {
                    prop_assert_eq!(on.of(place, label), steps.on(place, label));
                }
            }
        }
    }
}
