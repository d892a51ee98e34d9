//! Sorting by expensive comparisons, with checks of the limits in between.

use std::cmp::Ordering;
use std::collections::VecDeque;

use crate::source::diagnostic::Result;

/// Comparisons between two checks of the limits, about.
const POLL_EVERY: usize = 16;

/// Merge sort of distinct items, ascending.
///
/// # Errors
/// Any error of `poll`.
pub(super) fn sorted<T: Copy>(
    items: &[T],
    compare: impl Fn(T, T) -> Ordering,
    poll: impl Fn() -> Result<()>,
) -> Result<Vec<T>> {
    let mut runs: VecDeque<Vec<T>> = VecDeque::new();
    for few in items.chunks(POLL_EVERY / 2) {
        poll()?;
        let mut few = few.to_vec();
        few.sort_by(|a, b| compare(*a, *b));
        runs.push_back(few);
    }
    while let Some(one) = runs.pop_front() {
        let Some(other) = runs.pop_front() else {
            return Ok(one);
        };
        poll()?;
        // Ascending or descending input needs few comparisons.
        let is_before = |one: &[T], other: &[T]| match (one.last(), other.first()) {
            (Some(a), Some(b)) => compare(*a, *b).is_le(),
            _ => true,
        };
        if is_before(&one, &other) {
            runs.push_back([one, other].concat());
            continue;
        }
        if is_before(&other, &one) {
            runs.push_back([other, one].concat());
            continue;
        }
        let mut merged = Vec::with_capacity(one.len() + other.len());
        let (mut one, mut other) = (&one[..], &other[..]);
        while let (Some((a, rest)), Some((b, others))) = (one.split_first(), other.split_first()) {
            if merged.len().is_multiple_of(POLL_EVERY) {
                poll()?;
            }
            match compare(*a, *b) {
                Ordering::Greater => {
                    merged.push(*b);
                    other = others;
                }
                _ => {
                    merged.push(*a);
                    one = rest;
                }
            }
        }
        merged.extend_from_slice(one);
        merged.extend_from_slice(other);
        runs.push_back(merged);
    }
    Ok(Vec::new())
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;
    use crate::source::Diagnostic;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn all_items_come_in_order(items in proptest::collection::vec(0u32..1000, 0..200)) {
            let found = sorted(&items, |a, b| a.cmp(&b), || Ok(()));
            let mut by_definition = items;
            by_definition.sort_unstable();
            prop_assert_eq!(found.expect("nothing stops it"), by_definition);
        }

        #[test]
        fn a_limit_ends_it_soon(count in 0usize..2_000, looks in 0usize..100) {
            let items: Vec<usize> = (0..count).rev().collect();
            let (compared, looked) = (Cell::new(0), Cell::new(0));
            let compare = |a: usize, b: usize| {
                compared.set(compared.get() + 1);
                a.cmp(&b)
            };
            let stop = || {
                looked.set(looked.get() + 1);
                match looked.get() > looks {
                    true => Err(Box::new(Diagnostic::nowhere("E0702", "enough"))),
                    false => Ok(()),
                }
            };
            let ended = sorted(&items, compare, stop).is_err();
            prop_assert_eq!(ended, looked.get() > looks);
            prop_assert!(compared.get() <= 3 * POLL_EVERY * (looks + 1));
        }
    }
}
