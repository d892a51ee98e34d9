//! Two states compared, and what is said of them held to brute force over all permutations and to the checker
//! of certificates: for the tests in `compare`.

use std::cell::RefCell;
use std::collections::BTreeMap;

use orbitscope::machine::network::RuleScratch;
use orbitscope::machine::{FormatId, LocalId, Miss, ShapeId};
use orbitscope::symmetry::Representative;
use orbitscope::symmetry::certificate::Certificate;
use orbitscope::symmetry::compare::{Comparing, Relation};
use orbitscope::symmetry::ordering::TypeOrdering;
use orbitscope::symmetry::parting::{self, Parting};
use orbitscope::symmetry::picks::{self, PickTable};
use orbitscope::symmetry::strategy::{Ordering, Strategy};
use orbitscope::symmetry::witness::OrbitWitness;
use proptest::prelude::{ProptestConfig, any};
use proptest::test_runner::TestRunner;

use super::certificates::{Checker, takes};
use super::exact::{Subject, context};
use crate::support::tiers;

pub(super) type State = Vec<LocalId>;

/// What came of the comparisons, so that a test can see that it tried what it is about.
#[derive(Debug, Default)]
pub(super) struct Seen {
    pub(super) same: usize,
    pub(super) orbits: usize,
    pub(super) bisimilar: usize,
    pub(super) keys: usize,
    pub(super) profiles: usize,
    pub(super) trees: usize,
    pub(super) images: usize,
    pub(super) choices: usize,
    pub(super) ties: usize,
    pub(super) never: usize,
}

impl Subject {
    pub(super) fn related(&mut self, a: &[LocalId], b: &[LocalId]) -> Relation {
        let mut comparing = Comparing::default();
        self.complete(|machine, network| {
            let (a, b) = (
                context(machine, network, a, &[]),
                context(machine, network, b, &[]),
            );
            comparing.relation(&a, &b)
        })
    }

    pub(super) fn parted(
        &mut self,
        a: &[LocalId],
        b: &[LocalId],
        witness: Option<&OrbitWitness>,
    ) -> Parting {
        self.complete(|machine, network| {
            let (a, b) = (
                context(machine, network, a, &[]),
                context(machine, network, b, &[]),
            );
            let mut out = Representative::default();
            parting::parting(TypeOrdering::Appearance, &a, &b, witness, &mut out)
        })
    }

    pub(super) fn by_ordering(&mut self, state: &[LocalId]) -> State {
        self.complete(|machine, network| {
            let mut out = Representative::default();
            let context = context(machine, network, state, &[]);
            Ordering(TypeOrdering::Appearance).representative(&context, &mut out)?;
            Ok(out.locals)
        })
    }

    pub(super) fn picked(&mut self, state: &[LocalId]) -> PickTable {
        self.complete(|machine, network| {
            let mut out = Representative::default();
            let context = context(machine, network, state, &[]);
            picks::table(TypeOrdering::Appearance, &context, &mut out)
        })
    }

    /// The states after each event that has a name of these.
    pub(super) fn after(
        &mut self,
        state: &[LocalId],
        is_wanted: impl Fn(&str) -> bool,
    ) -> Vec<State> {
        let found = self.complete(|machine, network| {
            let mut found = Vec::new();
            let mut scratch = RuleScratch::default();
            let locals = machine.locals();
            network.successors::<Miss>(locals, FormatId(0), state, &mut scratch, |s| {
                found.push((s.event, s.locals.to_vec()));
                Ok(())
            })?;
            Ok(found)
        });
        let mut found = found.into_iter();
        let wanted = found
            .by_ref()
            .filter(|(e, _)| is_wanted(&self.machine.show_event(*e)));
        wanted.map(|(_, to)| to).collect()
    }

    /// The state after these events.
    pub(super) fn at(&mut self, events: &[&str]) -> State {
        let mut state = self.network.initial().to_vec();
        for event in events {
            let next = self.after(&state, |e| e == *event);
            state = next.first().unwrap_or_else(|| panic!("{event}")).clone();
        }
        state
    }

    /// What step 1 sees of a state.
    pub(super) fn looks(&self, state: &[LocalId]) -> Vec<ShapeId> {
        let shapes = state.iter().map(|l| self.machine.locals().shape_of(*l));
        let mut shapes: Vec<ShapeId> = shapes.collect();
        shapes.sort_unstable();
        shapes
    }

    pub(super) fn merged(&self, state: &[LocalId]) -> State {
        let mut merged = state.to_vec();
        self.network.first().merged().apply(&mut merged);
        merged
    }

    /// Holds what is said of two states to brute force.
    pub(super) fn is_related_rightly(&mut self, a: &[LocalId], b: &[LocalId], seen: &mut Seen) {
        let all = self.images(a);
        let exchanges = all.len() / self.images.len();
        let hits: Vec<usize> = (0..all.len()).filter(|n| all[*n] == b).collect();
        let relation = self.related(a, b);
        let witness = match &relation {
            Relation::Same => {
                seen.same += 1;
                assert_eq!(a, b);
                return;
            }
            Relation::SameOrbit(witness) => {
                seen.orbits += 1;
                assert!(!hits.is_empty() && a != b);
                let ways = witness.ways.as_ref().map(|ways| ways.to_big());
                assert_eq!(ways, Some(hits.len().into()));
                let moved = |hit: &usize| {
                    let image = self.images[hit / exchanges].iter().enumerate();
                    image.filter(|(n, to)| *n != usize::from(to.0)).count()
                };
                let least = hits.iter().map(moved).min();
                assert!(witness.is_least);
                assert_eq!(Some(witness.moved), least, "{witness:?}");
                self.is_witness(a, b, witness);
                Some(witness)
            }
            Relation::Bisimilar {
                witness,
                components,
            } => {
                seen.bisimilar += 1;
                assert!(hits.is_empty() && !components.is_empty());
                let (a, b) = (self.merged(a), self.merged(b));
                self.is_witness(&a, &b, witness);
                None
            }
            Relation::Different(certificate) => {
                assert!(hits.is_empty(), "{certificate:?}");
                let (one, other) = (self.merged(a), self.merged(b));
                assert!(!self.images(&one).contains(&other));
                let accepted = Checker::new(self, a, b).accepts(certificate);
                assert_eq!(accepted, Ok(()), "{certificate:#?}");
                *match certificate {
                    Certificate::Keys { .. } => &mut seen.keys,
                    Certificate::Profile(_) => &mut seen.profiles,
                    Certificate::Tree { .. } => &mut seen.trees,
                    Certificate::Image(_) => &mut seen.images,
                } += 1;
                None
            }
            Relation::OtherFormat => panic!("of one format"),
            Relation::Undecided { nodes } => panic!("undecided after {nodes}"),
        };
        self.part_rightly(a, b, witness, seen);
    }

    /// Holds what is said of the runs of `ordering` to the representatives that they lead to.
    fn part_rightly(
        &mut self,
        a: &[LocalId],
        b: &[LocalId],
        witness: Option<&OrbitWitness>,
        seen: &mut Seen,
    ) {
        let agree = self.by_ordering(a) == self.by_ordering(b);
        let parting = self.parted(a, b, witness);
        match (&parting, witness) {
            (Parting::Step { .. }, None) => assert!(!agree),
            (Parting::Never { .. }, Some(_)) => {
                seen.never += 1;
                assert!(agree);
            }
            (Parting::Choice { picked, block, .. }, Some(witness)) => {
                seen.choices += 1;
                let to = |c: &u16| witness.arrows[usize::from(*c)];
                assert!(block.0.contains(&picked.0) && block.1.contains(&picked.1));
                assert_eq!(block.0.len(), block.1.len());
                assert!(
                    to(&picked.0) != picked.1 || block.0.len() > 2,
                    "{parting:?}"
                );
            }
            (Parting::Tie { .. }, Some(_)) => seen.ties += 1,
            _ => panic!("{parting:?} {witness:?}"),
        }
    }

    /// Whether a witness takes one state to the other, component by component.
    pub(super) fn is_witness(&mut self, a: &[LocalId], b: &[LocalId], witness: &OrbitWitness) {
        let image = witness.permutation.image();
        assert!(takes(self, a, b, image));
        let mut to = witness.arrows.clone();
        to.sort_unstable();
        assert!(to.into_iter().eq(0..a.len() as u16));
        for (component, to) in witness.arrows.iter().enumerate() {
            let local = self.machine.permute_local(a[component], image);
            assert_eq!(local, b[usize::from(*to)]);
            let format = self.network.first();
            let place = format.find_image(&mut self.machine, component, image);
            let mut sets = format.copies().sets().iter();
            let exchanged = |set: &Vec<u16>| set.contains(&(component as u16)) && set.contains(to);
            assert!(place == Some(usize::from(*to)) || sets.any(exchanged));
        }
    }

    /// One state of each orbit, with its orbit.
    pub(super) fn orbits(&mut self, states: &[State]) -> Vec<Vec<State>> {
        let mut found: BTreeMap<State, Vec<State>> = BTreeMap::new();
        for state in states {
            let mut all = self.images(state);
            all.sort();
            all.dedup();
            found.insert(all[0].clone(), all);
        }
        found.into_values().collect()
    }

    /// Compares each pair of orbits, by members that a number chooses; in a thorough run, each member of the
    /// one with one of the other.
    pub(super) fn compare_orbits(&mut self, orbits: &[Vec<State>], seen: &mut Seen) {
        let mut number = 1;
        for first in orbits {
            for second in orbits {
                let turns = if tiers::is_thorough() { first.len() } else { 1 };
                for turn in 0..turns {
                    number = (number * 48_271) % 2_147_483_647;
                    let a = &first[(number + turn) % first.len()];
                    let b = &second[number / 7 % second.len()];
                    self.is_related_rightly(a, b, seen);
                }
            }
        }
    }
}

/// Random pairs along a walk: images of one state, states that nearly look alike, and others.
pub(super) fn walk_pairs(subject: &mut Subject, pairs: usize, seed: usize, seen: &mut Seen) {
    let mut number = seed.wrapping_mul(2_654_435_761) % 2_147_483_647 + 1;
    let mut below = move |n: usize| {
        number = number * 48_271 % 2_147_483_647;
        (number >> 5) % n
    };
    let first = subject.network.initial().to_vec();
    let mut state = first.clone();
    let mut earlier = first.clone();
    for _ in 0..pairs {
        let mut next: Vec<State> = Vec::new();
        for (to, _) in subject.successors(&state, &[]) {
            next.push(to);
        }
        if next.is_empty() {
            next.push(first.clone());
        }
        let here = next[below(next.len())].clone();
        // Those that step 1 does not tell from it.
        let looks = subject.looks(&here);
        let alike: Vec<&State> = next.iter().filter(|s| subject.looks(s) == looks).collect();
        let other = match below(4) {
            0 => here.clone(),
            1 => earlier.clone(),
            _ => alike[below(alike.len())].clone(),
        };
        let images = subject.images(&other);
        let other = images[below(images.len())].clone();
        subject.is_related_rightly(&here, &other, seen);
        if below(4) == 0 {
            earlier.clone_from(&state);
        }
        state.clone_from(&here);
    }
}

/// Pairs of each walk.
const PAIRS: usize = 20;

/// Random pairs of states of a script: 2,000 in a thorough run.
pub(super) fn random_pairs(name: &str, text: &str) -> Seen {
    let both = RefCell::new((Subject::new(name, text), Seen::default()));
    for_random(tiers::cases(100), &any::<u32>(), |seed| {
        let (subject, seen) = &mut *both.borrow_mut();
        walk_pairs(subject, PAIRS, seed as usize, seen);
    });
    both.into_inner().1
}

/// Tries random inputs on one subject, which takes longer to make than to use.
pub(super) fn for_random<S: proptest::strategy::Strategy>(
    cases: u32,
    inputs: &S,
    test: impl Fn(S::Value),
) {
    let config = ProptestConfig {
        cases,
        failure_persistence: None,
        ..ProptestConfig::default()
    };
    let tried = TestRunner::new(config).run(inputs, |input| {
        test(input);
        Ok(())
    });
    tried.unwrap_or_else(|why| panic!("{why}"));
}
