//! The compressions of transition systems, against their definitions by brute force on random small
//! systems: the bisimulations as greatest fixed points, and traces, stable failures and divergences as
//! sets, which no compression may change.

use crate::support::tiers;
use std::collections::{BTreeMap, BTreeSet};

use crate::support::behaviour::{closure, diverges, same_behaviour, seen};
use orbitscope::lts::{
    self, Builder, Compression, Lts, Name, Part, Reduced, TAU, TICK, Weak, Work,
};
use proptest::prelude::*;

const ALL: [Compression; 7] = [
    Compression::Explore,
    Compression::Strong,
    Compression::TauLoops,
    Compression::Weak,
    Compression::Delay,
    Compression::Diamond,
    Compression::Normal,
];

/// A system by rows; the last state is the one after ✓.
fn system(rows: &[Vec<(u32, u32)>]) -> Lts {
    let mut builder = Builder::default();
    for row in rows {
        builder.push(row.iter().copied());
    }
    builder.finish()
}

/// τ, ✓ and three more events, between at most seven states.
fn rows() -> impl Strategy<Value = Vec<Vec<(u32, u32)>>> {
    (2u32..8).prop_flat_map(|n| {
        let event = prop_oneof![4 => Just(TAU), 1 => Just(TICK), 6 => 2u32..5];
        let row = prop::collection::vec((event, 0..n), 0..4);
        prop::collection::vec(row, n as usize).prop_map(move |mut rows| {
            for (event, to) in rows.iter_mut().flatten() {
                if *event == TICK {
                    *to = n;
                }
            }
            rows.push(Vec::new());
            rows
        })
    })
}

fn compress(lts: &Lts, how: Compression) -> Reduced {
    let looks: Vec<u32> = lts.states().collect();
    compress_with(lts, 0, how, &looks)
}

fn compress_with(lts: &Lts, initial: u32, how: Compression, looks: &[u32]) -> Reduced {
    let work = Work {
        looks,
        poll: &|_| Ok(()),
    };
    lts::compress(lts, initial, how, work).expect("nothing stops it")
}

type Relation = BTreeSet<(u32, u32)>;

/// The largest relation in which `matched` holds of every pair, as do its turned pairs.
fn greatest(lts: &Lts, matched: impl Fn(&Relation, u32, u32) -> bool) -> Relation {
    let mut related: Relation = lts
        .states()
        .flat_map(|s| lts.states().map(move |t| (s, t)))
        .collect();
    loop {
        let kept: Relation = related
            .iter()
            .copied()
            .filter(|(s, t)| matched(&related, *s, *t) && matched(&related, *t, *s))
            .collect();
        if kept.len() == related.len() {
            return kept;
        }
        related = kept;
    }
}

fn strongly(lts: &Lts) -> Relation {
    greatest(lts, |related, s, t| {
        lts.steps(s).iter().all(|(a, x)| {
            let mut steps = lts.steps(t).iter();
            steps.any(|(b, y)| a == b && related.contains(&(*x, *y)))
        })
    })
}

fn weakly(lts: &Lts, kind: Weak) -> Relation {
    greatest(lts, |related, s, t| {
        if diverges(lts, s) != diverges(lts, t) {
            return false;
        }
        lts.steps(s).iter().all(|(a, x)| {
            let before = closure(lts, [t]);
            let after: BTreeSet<u32> = if *a == TAU {
                before
            } else {
                let steps = before.iter().flat_map(|u| lts.steps(*u));
                let direct = steps.filter(|(b, _)| a == b).map(|(_, y)| *y);
                match kind {
                    Weak::Delay => direct.collect(),
                    Weak::Weak => closure(lts, direct),
                }
            };
            after.iter().any(|y| related.contains(&(*x, *y)))
        })
    })
}

/// Two systems side by side; states of the second come after those of the first.
fn beside(a: &Lts, b: &Lts) -> Lts {
    let mut builder = Builder::default();
    for s in a.states() {
        builder.push(a.steps(s).iter().copied());
    }
    let by = a.len() as u32;
    for s in b.states() {
        builder.push(b.steps(s).iter().map(|(event, to)| (*event, to + by)));
    }
    builder.finish()
}

fn related_first(a: &Lts, s: u32, b: &Lts, t: u32) -> bool {
    strongly(&beside(a, b)).contains(&(s, t + a.len() as u32))
}

/// The system with a state that is in one of several by τ, and that state.
fn in_one_of(lts: &Lts, members: &[u32]) -> (Lts, u32) {
    if let [one] = members {
        return (lts.clone(), *one);
    }
    let mut builder = Builder::default();
    for s in lts.states() {
        builder.push(lts.steps(s).iter().copied());
    }
    builder.push(members.iter().map(|s| (TAU, *s)));
    (builder.finish(), lts.len() as u32)
}

fn sizes(reduced: &Reduced) -> (usize, usize) {
    (reduced.lts.len(), reduced.lts.transitions())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(tiers::cases(400)))]

    #[test]
    fn strong_bisimulation_is_the_greatest_fixed_point(rows in rows()) {
        let lts = system(&rows);
        let related = strongly(&lts);
        let found = lts::bisimulation(&lts, &lts::Partition::coarse(lts.len()), &|_| Ok(()))
            .expect("nothing stops it");
        for s in lts.states() {
            for t in lts.states() {
                let same = found.class[s as usize] == found.class[t as usize];
                prop_assert_eq!(same, related.contains(&(s, t)), "{} {}", s, t);
            }
        }
    }

    #[test]
    fn weak_bisimulations_are_the_greatest_fixed_points(rows in rows()) {
        // Cycles of τ have been factored out when they are computed.
        let lts = compress(&system(&rows), Compression::TauLoops).lts;
        for kind in [Weak::Weak, Weak::Delay] {
            let related = weakly(&lts, kind);
            let found = lts::weak_bisimulation(&lts, kind, &|_| Ok(())).expect("it ends");
            for s in lts.states() {
                for t in lts.states() {
                    let same = found.class[s as usize] == found.class[t as usize];
                    prop_assert_eq!(same, related.contains(&(s, t)), "{:?} {} {}", kind, s, t);
                }
            }
        }
    }

    #[test]
    fn quotients_are_bisimilar_to_what_they_are_quotients_of(rows in rows()) {
        let lts = system(&rows);
        for (how, kind) in [
            (Compression::Strong, None),
            (Compression::TauLoops, Some(Weak::Delay)),
            (Compression::Weak, Some(Weak::Weak)),
            (Compression::Delay, Some(Weak::Delay)),
        ] {
            let quotient = compress(&lts, how).lts;
            let both = beside(&lts, &quotient);
            let related = match kind {
                None => strongly(&both),
                Some(kind) => weakly(&both, kind),
            };
            prop_assert!(related.contains(&(0, lts.len() as u32)), "{how:?} {quotient:?}");
            // No two states of it are.
            let alike = match (how, kind) {
                (Compression::TauLoops, _) => continue,
                (_, None) => strongly(&quotient),
                (_, Some(kind)) => weakly(&quotient, kind),
            };
            let different = alike.iter().find(|(s, t)| s != t);
            prop_assert_eq!(different, None, "{:?}", how);
        }
    }

    #[test]
    fn components_of_tau_are_those_that_reach_each_other(rows in rows()) {
        let lts = system(&rows);
        let found = lts::silent_components(&lts);
        for s in lts.states() {
            for t in lts.states() {
                let (class, other) = (found.class[s as usize], found.class[t as usize]);
                let forth = closure(&lts, [s]).contains(&t);
                let back = closure(&lts, [t]).contains(&s);
                prop_assert_eq!(class == other, forth && back);
                prop_assert!(!forth || class >= other);
            }
        }
    }

    #[test]
    fn traces_failures_and_divergences_stay(rows in rows()) {
        let lts = system(&rows);
        for how in ALL {
            let reduced = compress(&lts, how);
            let same = same_behaviour(&lts, 0, &reduced.lts, 0);
            prop_assert!(same.is_ok(), "{how:?} {same:?} {reduced:?}");
        }
    }

    #[test]
    fn once_is_enough(rows in rows()) {
        let lts = system(&rows);
        for how in ALL {
            let once = compress(&lts, how);
            let twice = compress(&once.lts, how);
            // What reached what by τ before, `diamond` hides from itself, and then drops fewer targets of an event.
            if how == Compression::Diamond {
                let same = same_behaviour(&once.lts, 0, &twice.lts, 0);
                prop_assert!(same.is_ok(), "{same:?} {once:?} {twice:?}");
                prop_assert!(twice.lts.len() <= once.lts.len(), "{once:?} {twice:?}");
                continue;
            }
            prop_assert!(related_first(&once.lts, 0, &twice.lts, 0), "{how:?} {once:?} {twice:?}");
            prop_assert_eq!(sizes(&once), sizes(&twice), "{:?}", how);
        }
    }

    #[test]
    fn sizes_do_not_grow(rows in rows()) {
        let lts = system(&rows);
        let (reached, _) = lts.reachable(0);
        for how in ALL {
            let reduced = compress(&lts, how);
            prop_assert_eq!(reduced.lts.len(), reduced.names.len());
            let bound = match how {
                // The initial state may become one of several; the others are states of old.
                Compression::Diamond => reached.len() + 1,
                Compression::Normal => normal_states(&reached),
                _ => reached.len(),
            };
            prop_assert!(reduced.lts.len() <= bound, "{how:?} {reduced:?}");
        }
    }

    #[test]
    fn what_is_silent_is_stable_after_one_tau_or_diverges(rows in rows()) {
        let lts = system(&rows);
        for how in [Compression::Diamond, Compression::Normal] {
            let reduced = compress(&lts, how).lts;
            for s in reduced.states().skip(1) {
                let mut silent = reduced.silent(s).iter();
                let ends = |to| to == s || reduced.is_stable(to);
                prop_assert!(silent.all(|(_, to)| ends(*to)), "{how:?}");
            }
        }
        // After a trace a normal system is in states that differ in what they offer.
        let normal = compress(&lts, Compression::Normal).lts;
        for s in normal.states() {
            let mut offers: BTreeMap<u32, BTreeSet<Vec<u32>>> = BTreeMap::new();
            for (event, to) in normal.visible(s) {
                let mut offer = normal.initials(*to);
                offer.extend((!normal.is_stable(*to)).then_some(TAU));
                prop_assert!(offers.entry(*event).or_default().insert(offer));
            }
        }
    }

    #[test]
    fn a_state_without_tau_refuses_what_a_state_of_the_system_refuses(rows in rows()) {
        let lts = system(&rows);
        let (reached, _) = lts.reachable(0);
        let offers = |lts: &Lts| -> BTreeSet<Vec<u32>> {
            lts.states().filter(|s| lts.is_stable(*s)).map(|s| lts.initials(s)).collect()
        };
        for how in ALL {
            let left = offers(&compress(&lts, how).lts);
            prop_assert!(left.is_subset(&offers(&reached)), "{how:?} {left:?}");
        }
    }

    #[test]
    fn a_state_that_is_whole_does_what_its_members_do(rows in rows()) {
        let lts = system(&rows);
        for how in ALL {
            let reduced = compress_with(&lts, 0, how, &vec![0; lts.len()]);
            for (s, names) in reduced.names.iter().enumerate().skip(1) {
                for Name { members, part } in names {
                    if *part == Part::Whole {
                        let (from, initial) = in_one_of(&lts, members);
                        let same = same_behaviour(&from, initial, &reduced.lts, s as u32);
                        prop_assert!(same.is_ok(), "{how:?} {s} {same:?} {reduced:?}");
                    }
                }
            }
        }
    }

    /// What makes compressed states terms that can be permuted: whatever is done to the states of the
    /// system is done to the compressed system by doing it to the names.
    #[test]
    fn numbers_of_states_mean_nothing(
        rows in rows(),
        seed in any::<u64>(),
        looks in prop::collection::vec(0u32..3, 9),
    ) {
        let lts = system(&rows);
        let order = shuffled(lts.len(), seed);
        let place = |s: u32| order.iter().position(|x| *x == s).expect("a permutation") as u32;
        let row = |s: &u32| lts.steps(*s).iter().map(|(e, to)| (*e, place(*to))).collect();
        let moved = system(&order.iter().map(row).collect::<Vec<_>>());
        let moved_looks: Vec<u32> = order.iter().map(|s| looks[*s as usize]).collect();
        for how in ALL {
            let one = compress_with(&lts, 0, how, &looks[..lts.len()]);
            let other = compress_with(&moved, place(0), how, &moved_looks);
            prop_assert_eq!(sizes(&one), sizes(&other), "{:?}", how);
            let places: Vec<u32> = lts.states().map(place).collect();
            let (one, other) = (by_name(&one, |s| places[s as usize]), by_name(&other, |s| s));
            prop_assert!(one.is_some() && one == other, "{how:?} {one:?} {other:?}");
        }
    }
}

/// The name of a state: nothing for the initial one.
type Named = BTreeSet<(Vec<u32>, Part)>;

/// A compressed system as transitions between names; none if two states have one name.
fn by_name(
    reduced: &Reduced,
    place: impl Fn(u32) -> u32,
) -> Option<BTreeMap<Named, BTreeSet<(u32, Named)>>> {
    let named = |s: u32| -> Named {
        let names = if s == 0 {
            &[][..]
        } else {
            &reduced.names[s as usize]
        };
        let moved = names.iter().map(|name| {
            let mut members: Vec<u32> = name.members.iter().map(|m| place(*m)).collect();
            members.sort_unstable();
            (members, name.part.clone())
        });
        moved.collect()
    };
    let mut found = BTreeMap::new();
    for s in reduced.lts.states() {
        let steps = reduced.lts.steps(s).iter();
        let steps = steps.map(|(event, to)| (*event, named(*to))).collect();
        if found.insert(named(s), steps).is_some() {
            return None;
        }
    }
    Some(found)
}

/// States of the normal form as its description says: one for each minimal acceptance of each node,
/// one more where they do not offer everything or the node diverges, and the initial one.
fn normal_states(lts: &Lts) -> usize {
    let mut nodes: BTreeSet<BTreeSet<u32>> = [closure(lts, [0])].into();
    let mut open: Vec<BTreeSet<u32>> = nodes.iter().cloned().collect();
    while let Some(node) = open.pop() {
        for event in seen(lts, &node).events {
            let steps = node.iter().flat_map(|s| lts.steps(*s));
            let next = closure(lts, steps.filter(|x| x.0 == event).map(|x| x.1));
            if nodes.insert(next.clone()) {
                open.push(next);
            }
        }
    }
    let parts = |node: &BTreeSet<u32>| {
        let seen = seen(lts, node);
        let offered: BTreeSet<u32> = seen.acceptances.iter().flatten().copied().collect();
        seen.acceptances.len() + usize::from(seen.diverges || offered != seen.events)
    };
    1 + nodes.iter().map(parts).sum::<usize>()
}

fn shuffled(n: usize, mut seed: u64) -> Vec<u32> {
    let mut order: Vec<u32> = (0..n as u32).collect();
    for i in (1..n).rev() {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        order.swap(i, (seed >> 33) as usize % (i + 1));
    }
    order
}

/// A chain, in which every round of refinement splits off one state: quadratic work would show.
#[test]
fn a_long_chain_is_told_apart_in_time() {
    const LENGTH: u32 = 200_000;
    let mut builder = Builder::default();
    for s in 0..LENGTH {
        builder.push([(2, s + 1)]);
    }
    builder.push([]);
    let lts = builder.finish();
    assert_eq!(
        compress(&lts, Compression::Strong).lts.len(),
        LENGTH as usize + 1
    );
    assert_eq!(
        compress(&lts, Compression::Normal).lts.len(),
        LENGTH as usize + 1
    );
}

/// A long chain of τs is nothing to a compression, and does not need a deep stack.
#[test]
fn a_long_chain_of_taus_vanishes() {
    const LENGTH: u32 = 200_000;
    let mut builder = Builder::default();
    for s in 0..LENGTH {
        builder.push([(TAU, s + 1)]);
    }
    builder.push([(2, 0)]);
    let lts = builder.finish();
    for (how, states) in [
        (Compression::TauLoops, LENGTH as usize + 1),
        (Compression::Diamond, 1),
        (Compression::Normal, 1),
    ] {
        assert_eq!(compress(&lts, how).lts.len(), states, "{how:?}");
    }
}

#[test]
fn a_limit_ends_the_work() {
    use orbitscope::source::Diagnostic;
    let lts = system(&[vec![(2, 1), (3, 0)], vec![(2, 0)], vec![]]);
    let stop: &dyn Fn(usize) -> orbitscope::source::diagnostic::Result<()> =
        &|_| Err(Box::new(Diagnostic::nowhere("E0702", "enough".to_owned())));
    for how in [Compression::Weak, Compression::Diamond, Compression::Normal] {
        let work = Work {
            looks: &[0, 1, 2],
            poll: stop,
        };
        let ended = lts::compress(&lts, 0, how, work);
        assert!(ended.is_err(), "{how:?}");
    }
}
