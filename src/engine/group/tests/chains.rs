//! Unit tests of stabiliser chains.

use num_bigint::BigUint;
use proptest::prelude::*;

use super::*;

/// Checks all results of a chain against the elements of the group.
fn assert_chain_of(chain: &StabiliserChain, group: &[PointPermutation], preferred: &[u32]) {
    let degree = chain.degree();
    assert_eq!(*chain.order(), BigUint::from(group.len()));
    assert_eq!(chain.order_on(usize::MAX), *chain.order());
    assert_eq!(chain.orbits(), orbits_of(degree, group));
    // The base begins with preferred points, in their order.
    let base: Vec<u32> = (0..chain.levels()).map(|l| chain.base(l)).collect();
    let mut wanted = preferred.iter();
    assert!(
        base[..chain.preferred_levels()]
            .iter()
            .all(|b| wanted.any(|p| p == b))
    );
    for level in 0..=chain.levels() {
        let fixed = &base[..level];
        let stabiliser: Vec<PointPermutation> = group
            .iter()
            .filter(|g| fixed.iter().all(|b| g.apply(*b) == *b))
            .cloned()
            .collect();
        let generated = closure(degree, &chain.generators(level));
        assert_eq!(generated.len(), stabiliser.len());
        assert!(generated.iter().all(|g| stabiliser.contains(g)));
        if level == chain.levels() {
            assert_eq!(stabiliser.len(), 1);
            continue;
        }
        let mut orbit: Vec<u32> = stabiliser.iter().map(|g| g.apply(base[level])).collect();
        orbit.sort_unstable();
        orbit.dedup();
        let mut told: Vec<u32> = chain.orbit(level).collect();
        assert_eq!(told[0], base[level]);
        for (place, point) in told.iter().enumerate() {
            let element = chain.transversal_element(level, place);
            assert_eq!(element.apply(base[level]), *point);
            assert!(stabiliser.contains(&element));
        }
        told.sort_unstable();
        assert_eq!(told, orbit);
    }
    // The action on the preferred points.
    let on_preferred =
        |g: &PointPermutation| -> Vec<u32> { preferred.iter().map(|p| g.apply(*p)).collect() };
    let mut actions: Vec<Vec<u32>> = group.iter().map(on_preferred).collect();
    actions.sort_unstable();
    actions.dedup();
    assert_eq!(
        chain.order_on(chain.preferred_levels()),
        BigUint::from(actions.len())
    );
    assert_elements_of(chain, group);
}

/// Checks that all elements are enumerated, each once, the identity first.
fn assert_elements_of(chain: &StabiliserChain, group: &[PointPermutation]) {
    let mut elements = chain.elements();
    let mut all = Vec::new();
    while let Some(images) = elements.next() {
        all.push(chain.permutation(images));
    }
    assert!(all[0].is_identity());
    assert_eq!(all.len(), group.len());
    assert!(all.iter().all(|g| group.contains(g)));
    all.sort_unstable_by(|a, b| a.moves().cmp(b.moves()));
    all.dedup();
    assert_eq!(all.len(), group.len());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(crate::tiers::cases(800)))]

    #[test]
    fn a_chain_is_the_group_that_is_generated((degree, generators, preferred) in (1u32..=6).prop_flat_map(|n| {
        let points: Vec<u32> = (0..n).collect();
        let permutation = Just(points.clone()).prop_shuffle();
        let preferred = Just(points).prop_shuffle();
        let count = 0..=n as usize;
        (Just(n), proptest::collection::vec(permutation, 0..3), (preferred, count))
    })) {
        // Points further apart: what is not moved is not kept.
        let spread = |images: &Vec<u32>| {
            let moves = (0u32..).zip(images).map(|(at, to)| (at * 1000, to * 1000));
            PointPermutation::of_moves(degree * 1000, moves).expect("a permutation")
        };
        let generators: Vec<PointPermutation> = generators.iter().map(spread).collect();
        let preferred: Vec<u32> = preferred.0[..preferred.1].iter().map(|p| p * 1000).collect();
        let group = closure(degree * 1000, &generators);
        let chain = chain(degree * 1000, &generators, &preferred);
        assert_chain_of(&chain, &group, &preferred);
        // The pointwise stabiliser of the preferred points.
        let stabiliser = chain.pointwise_stabiliser(&preferred, &go_on).expect("nothing stops it");
        let stabiliser = closure(degree * 1000, &stabiliser.expect("it is small"));
        let fixing = group.iter().filter(|g| preferred.iter().all(|p| g.apply(*p) == *p));
        prop_assert_eq!(stabiliser.len(), fixing.clone().count());
        prop_assert!(fixing.into_iter().all(|g| stabiliser.contains(g)));
    }
}

#[test]
fn a_chain_of_many_sparse_generators_is_small_or_not_made() {
    // Transpositions of neighbours, far apart: S_60 on points that are spread over a million.
    let at = |i: u32| i * 16_000 + 5;
    let swap =
        |i: u32| PointPermutation::of_moves(1_000_000, [(at(i), at(i + 1)), (at(i + 1), at(i))]);
    let generators: Vec<PointPermutation> = (0..59).filter_map(swap).collect();
    let chain = chain(1_000_000, &generators, &[at(30), at(3), 77]);
    assert_eq!(chain.support().len(), 60);
    assert_eq!(
        (chain.base(0), chain.base(1), chain.preferred_levels()),
        (at(30), at(3), 2)
    );
    let factorial: BigUint = (1..=60u32).map(BigUint::from).product();
    assert_eq!(*chain.order(), factorial);
    assert_eq!(chain.order_on(2), BigUint::from(60u32 * 59));
    // Half a million exchanges that have nothing to do with one another.
    let swap =
        |i: u32| PointPermutation::of_moves(1_000_000, [(2 * i, 2 * i + 1), (2 * i + 1, 2 * i)]);
    let generators: Vec<PointPermutation> = (0..500_000).filter_map(swap).collect();
    let chain = StabiliserChain::new(1_000_000, &generators, &[], None, &go_on);
    assert!(chain.expect("nothing stops it").is_none());
}

/// The order of the group that permutations generate, and the work that it took to find it.
fn order_and_work(degree: u32, generators: &[PointPermutation]) -> (BigUint, usize) {
    let work = std::cell::Cell::new(0);
    let count = |steps: usize| {
        work.set(work.get() + steps);
        Ok(())
    };
    let chain = StabiliserChain::new(degree, generators, &[], None, &count);
    let order = chain
        .expect("nothing stops it")
        .expect("it is small")
        .order()
        .clone();
    (order, work.get())
}

/// Generators that lead from the last point to the first make a chain whose base is not theirs. For any number of
/// points, it does not depend on luck how long it takes.
#[test]
fn chains_of_all_permutations_take_polynomial_work() {
    for n in [3u32, 8, 24, 48, 95, 96, 97, 124, 129] {
        let all: BigUint = (1..=n).map(BigUint::from).product();
        let exchange = |a: u32| cycle(&[a, a + 1], n);
        let neighbours: Vec<_> = (0..n - 1).rev().map(exchange).collect();
        let star: Vec<_> = (1..n).rev().map(|a| cycle(&[0, a], n)).collect();
        let turn: Vec<u32> = (0..n).collect();
        let few = vec![cycle(&turn, n), exchange(0)];
        for generators in [neighbours, star, few] {
            let (order, work) = order_and_work(n, &generators);
            assert_eq!(order, all, "{n} points");
            let most = 1_000 + 40 * (n as usize).pow(3);
            assert!(work <= most, "{n} points: {work}");
        }
    }
}

/// Blocks with all permutations in each, independently, and permuted in all ways.
#[test]
fn chains_of_wreath_products_take_polynomial_work() {
    for (size, count) in [(2u32, 20u32), (6, 9), (10, 10), (3, 32)] {
        let degree = size * count;
        let block = |number: u32| number * size..(number + 1) * size;
        let mut generators = Vec::new();
        for number in 1..count {
            let pairs = block(0).zip(block(number));
            let both = pairs.flat_map(|(a, b)| [(a, b), (b, a)]);
            generators.push(PointPermutation::of_moves(degree, both).expect("an exchange"));
        }
        for number in 0..count {
            let of_block: Vec<u32> = block(number).collect();
            generators.extend(of_block.windows(2).map(|pair| cycle(pair, degree)));
        }
        let inside: BigUint = (1..=size).map(BigUint::from).product();
        let outside: BigUint = (1..=count).map(BigUint::from).product();
        let (order, work) = order_and_work(degree, &generators);
        assert_eq!(order, inside.pow(count) * outside);
        assert!(
            work <= 100 * (degree as usize).pow(3),
            "{size} {count}: {work}"
        );
    }
}
