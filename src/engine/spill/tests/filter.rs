//! Filters: what was added is held, and little else.

use proptest::prelude::*;

use super::super::filter::Filter;
use super::mixed;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(crate::tiers::cases(800)))]

    #[test]
    fn what_was_added_is_held(
        bytes in 0usize..20_000,
        hashes in proptest::collection::vec((any::<u64>(), 0u8..50), 0..500),
    ) {
        let mut filter = Filter::new(bytes);
        prop_assert!(filter.heap_bytes() <= bytes.max(64));
        for (at, (hash, halves)) in hashes.iter().enumerate() {
            filter.add(*hash);
            if *halves == 0 {
                let before = filter.heap_bytes();
                filter.halve();
                let is_half = filter.heap_bytes() == before / 2;
                prop_assert!(is_half || before / 64 % 2 == 1 && filter.heap_bytes() == before);
                prop_assert!(hashes[..at].iter().all(|(hash, _)| filter.may_hold(*hash)));
            }
        }
        prop_assert!(hashes.iter().all(|(hash, _)| filter.may_hold(*hash)));
    }
}

/// The part of some hashes that are held though they were not added, at so many bits a key.
fn held_by_mistake(bits: usize, hash: impl Fn(u64) -> u64) -> f64 {
    held_once_halved(bits, 0, hash)
}

/// The same of a filter that began with more bytes, and was halved so often.
fn held_once_halved(bits: usize, halved: usize, hash: impl Fn(u64) -> u64) -> f64 {
    const KEYS: u64 = 100_000;
    let mut filter = Filter::new((KEYS as usize * bits / 8) << halved);
    (0..KEYS).for_each(|n| filter.add(hash(n)));
    (0..halved).for_each(|_| filter.halve());
    assert!((0..KEYS).all(|n| filter.may_hold(hash(n))));
    let held = (KEYS..3 * KEYS)
        .filter(|n| filter.may_hold(hash(*n)))
        .count();
    held as f64 / (2 * KEYS) as f64
}

#[test]
fn little_else_is_held() {
    assert!(held_by_mistake(64, mixed) < 0.0001);
    for (bits, most) in [(16, 0.003), (10, 0.013), (8, 0.026), (4, 0.2)] {
        let part = held_by_mistake(bits, mixed);
        assert!(part < most && part > most / 3.0, "{part} at {bits}");
    }
}

#[test]
fn a_filter_that_was_halved_is_as_one_that_began_so() {
    for halved in 1..5 {
        let part = held_once_halved(8, halved, mixed);
        assert!((0.026 / 3.0..0.026).contains(&part), "{part} {halved}");
    }
}

/// Hashes of one shard have some bits in common, wherever these are.
#[test]
fn hashes_may_have_bits_in_common() {
    for bit in [0, 6, 20, 40, 58] {
        let mask = 0x3f << bit;
        let part = held_by_mistake(10, |n| mixed(n) & !mask | (0x15 << bit));
        assert!(part < 0.014, "{part} with bits from {bit}");
    }
    // Not even a hash is needed, if numbers are in order.
    let part = held_by_mistake(10, |n| n);
    assert!(part < 0.014, "{part} of numbers");
}

#[test]
fn an_empty_filter_holds_nothing() {
    let filter = Filter::new(1000);
    assert!((0..10_000).all(|n| !filter.may_hold(mixed(n))));
}
