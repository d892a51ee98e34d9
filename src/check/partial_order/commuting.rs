//! Which events of a component commute, whatever local state it is in.
//!
//! Event `b` *disturbs* event `a` if in some local state that offers both, `b` leads to one that does not offer `a`,
//! or `b` and then `a` leads to a local state that `a` and then `b` does not lead to. While only events happen that
//! do not disturb `a`, it stays offered, and can as well be taken first. In a queue, putting something at its end
//! and taking something from its beginning do not disturb each other, though both move the queue.

use super::label_steps::{LabelSteps, put};

/// Looks that a pair of labels counts for: the result has room for all of them.
const LOOKS_OF_PAIR: usize = 8;

/// For each label the labels that disturb it, one set after the other; none if that takes more than so many `looks`.
/// Those that it took are taken away.
pub(super) fn disturbing(steps: &LabelSteps, looks: &mut usize) -> Option<Vec<u64>> {
    let (labels, words) = (steps.labels(), steps.words());
    *looks = looks.checked_sub(labels.checked_mul(labels * LOOKS_OF_PAIR)?)?;
    let mut found = vec![0; labels * words];
    for place in 0..steps.len() {
        let own = steps.offers_of(place);
        for a in steps.offered(place) {
            *looks = looks.checked_sub(words)?;
            for word in 0..words {
                // What is known to disturb it does not have to be looked at again.
                let mut left = own[word] & !found[a as usize * words + word];
                while left != 0 {
                    let b = word as u32 * 64 + left.trailing_zeros();
                    left &= left - 1;
                    let pairs = steps.on(place, a).len() * steps.on(place, b).len();
                    *looks = looks.checked_sub(pairs)?;
                    if !stays(steps, place, a, b) {
                        put(&mut found[a as usize * words..][..words], b);
                    }
                }
            }
        }
    }
    Some(found)
}

/// Whether `b` does not disturb `a` at a place that offers both.
fn stays(steps: &LabelSteps, place: usize, a: u32, b: u32) -> bool {
    steps.on(place, b).iter().all(|(_, after_b)| {
        let after_b = *after_b as usize;
        let reached_at_once = |end: u32| {
            let mut firsts = steps.on(place, a).iter();
            firsts.any(|(_, after_a)| {
                let mut ends = steps.on(*after_a as usize, b).iter();
                ends.any(|(_, other)| *other == end)
            })
        };
        let mut ends = steps.on(after_b, a).iter();
        steps.offers(after_b, a) && ends.all(|(_, end)| reached_at_once(*end))
    })
}
