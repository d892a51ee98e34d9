//! The examples of the paper's Sec. 7, computed on real networks.

use crate::support::tiers;
use std::path::Path;
use std::rc::Rc;

use orbitscope::check::plan::atom_types;
use orbitscope::eval::Evaluator;
use orbitscope::machine::network::RuleScratch;
use orbitscope::machine::{FormatId, LocalId, Machine, Miss, Network};
use orbitscope::script::core::GlobalKind;
use orbitscope::script::load::load_text;
use orbitscope::script::symmetric::{Trust, symmetric_types};
use orbitscope::source::hash::IndexSet;
use orbitscope::source::{Cancel, Limits};
use orbitscope::symmetry::context::StateContext;
use orbitscope::symmetry::ordering::TypeOrdering;
use orbitscope::symmetry::picks::{self, Ground, Uniqueness};
use orbitscope::symmetry::strategy::{Ordering, Strategy};
use orbitscope::symmetry::trace::Step;
use orbitscope::symmetry::{
    Representative, StrategyKind,
    record::{RecordNames, Recorder},
};
use orbitscope::value::Atom;
use proptest::prelude::*;

/// A process whose global states can be reached by naming events.
pub(super) struct World {
    machine: Machine,
    network: Network,
    out: Representative,
}

pub(super) type State = Vec<LocalId>;

impl World {
    pub(super) fn new(text: &str, process: &str) -> Self {
        let loaded = load_text(Path::new("example.csp"), text);
        assert!(!loaded.has_errors(), "{:?}", loaded.diagnostics);
        let script = Rc::clone(&loaded.script);
        let global = script
            .globals
            .iter()
            .find(|g| *g.name == *process)
            .expect("the process exists");
        let GlobalKind::Value(body) = &global.kind else {
            panic!("{process} has parameters")
        };
        let types: Vec<_> = symmetric_types(&script, &loaded.types, &[body], Trust::Nothing)
            .into_iter()
            .filter(|t| t.is_usable())
            .collect();
        let eval = Evaluator::new(Rc::clone(&script), &Limits::default(), Cancel::default());
        let mut machine = Machine::new(eval, atom_types(&script, &types));
        let term = machine.eval.process(body).expect("it evaluates");
        let network = Network::new(&mut machine, term, 100_000).expect("it unrolls");
        network.first().mappable().expect("it is symmetric");
        Self {
            machine,
            network,
            out: Representative::default(),
        }
    }

    fn complete<R>(
        &mut self,
        mut attempt: impl FnMut(&Machine, &Network, &mut Representative) -> Result<R, Miss>,
    ) -> R {
        loop {
            match attempt(&self.machine, &self.network, &mut self.out) {
                Ok(done) => return done,
                Err(miss) => self
                    .machine
                    .resolve(&mut self.network, &miss)
                    .expect("it resolves"),
            }
        }
    }

    pub(super) fn after(&mut self, events: &[&str]) -> State {
        let mut state = self.network.initial().to_vec();
        for wanted in events {
            let at = state.clone();
            let found = self.complete(|machine, network, _| {
                let mut found = Vec::new();
                let mut scratch = RuleScratch::default();
                network.successors::<Miss>(
                    machine.locals(),
                    FormatId(0),
                    &at,
                    &mut scratch,
                    |s| {
                        found.push((s.event, s.locals.to_vec()));
                        Ok(())
                    },
                )?;
                Ok(found)
            });
            let next = found
                .into_iter()
                .find(|(event, _)| self.machine.show_event(*event) == *wanted);
            state = next.unwrap_or_else(|| panic!("{wanted} is not possible")).1;
        }
        state
    }

    fn permute(&mut self, state: &State, image: &[Atom]) -> State {
        self.complete(|machine, network, _| {
            let mut out = Vec::new();
            network.permute(machine.locals(), FormatId(0), state, image, &mut out)?;
            Ok(out)
        })
    }

    fn representative(&mut self, state: &State, strategy: &dyn Strategy) -> State {
        self.complete(|machine, network, out| {
            let context = StateContext {
                atoms: machine.atoms(),
                locals: machine.locals(),
                network,
                format: FormatId(0),
                state,
                node: 0,
                spec_atoms: &[],
                spec_atoms_ordered: true,
            };
            strategy.representative(&context, out)?;
            Ok(out.locals.clone())
        })
    }

    fn judged(&mut self, state: &State) -> Uniqueness {
        self.complete(|machine, network, out| {
            let context = StateContext {
                atoms: machine.atoms(),
                locals: machine.locals(),
                network,
                format: FormatId(0),
                state,
                node: 0,
                spec_atoms: &[],
                spec_atoms_ordered: true,
            };
            picks::uniqueness(TypeOrdering::Appearance, &context, out)
        })
    }

    fn show(&mut self, state: &State) -> Vec<String> {
        state
            .iter()
            .map(|local| self.machine.show_local(*local))
            .collect()
    }

    /// Every permutation of the group, by its images.
    fn group(&self) -> Vec<Vec<Atom>> {
        let mut all = vec![Vec::new()];
        for kind in 0..self.machine.atoms().kinds() {
            let range: Vec<u16> = self.machine.atoms().atoms(kind as u8).collect();
            all = all
                .into_iter()
                .flat_map(|prefix: Vec<Atom>| {
                    permutations(&range).into_iter().map(move |p| {
                        prefix
                            .iter()
                            .copied()
                            .chain(p.into_iter().map(Atom))
                            .collect()
                    })
                })
                .collect();
        }
        all
    }

    pub(super) fn orbit(&mut self, state: &State) -> Vec<State> {
        let mut orbit = IndexSet::default();
        for image in self.group() {
            let moved = self.permute(state, &image);
            orbit.insert(moved);
        }
        orbit.into_iter().collect()
    }

    pub(super) fn representatives(
        &mut self,
        states: &[State],
        strategy: &dyn Strategy,
    ) -> Vec<State> {
        let mut found = IndexSet::default();
        for state in states {
            let representative = self.representative(state, strategy);
            found.insert(representative);
        }
        found.into_iter().collect()
    }
}

fn permutations(items: &[u16]) -> Vec<Vec<u16>> {
    if items.is_empty() {
        return vec![Vec::new()];
    }
    (0..items.len())
        .flat_map(|at| {
            let mut rest = items.to_vec();
            let first = rest.remove(at);
            permutations(&rest).into_iter().map(move |mut p| {
                p.insert(0, first);
                p
            })
        })
        .collect()
}

const APPEARANCE: Ordering = Ordering(TypeOrdering::Appearance);
const IDENTITIES: Ordering = Ordering(TypeOrdering::IdentitiesFirst);

pub(super) const EXAMPLE37: &str = include_str!("../../models/example37.csp");
pub(super) const RING: &str = include_str!("../../models/ring.csp");
const LIST: [&str; 4] = [
    "init.N4.B.Null",
    "init.N0.B.N4",
    "init.N1.B.N0",
    "init.N3.B.N1",
];
pub(super) const PAIRS: [&str; 4] = [
    "init.N0.A.N1",
    "init.N1.A.N2",
    "init.N2.B.N3",
    "init.N3.B.N0",
];

#[test]
fn example_37_has_the_printed_partitions() {
    let mut world = World::new(EXAMPLE37, "Nodes");
    let state = world.after(&LIST);
    let recorder = world.complete(|machine, network, out| {
        let context = StateContext {
            atoms: machine.atoms(),
            locals: machine.locals(),
            network,
            format: FormatId(0),
            state: &state,
            node: 0,
            spec_atoms: &[],
            spec_atoms_ordered: true,
        };
        let mut recorder = Recorder::new(RecordNames::default());
        APPEARANCE.watched(&context, out, &mut recorder)?;
        Ok(recorder)
    });
    let trace = recorder.trace;
    let Step::Initial { after, .. } = &trace.steps[0] else {
        panic!("step 1 comes first")
    };
    assert_eq!(*after, vec![vec![2, 5], vec![0, 1, 3], vec![4]]);
    let Step::Count { tables, .. } = &trace.steps[1] else {
        panic!("then the count")
    };
    let (block, table) = &tables[1];
    assert_eq!(*block, 1);
    // The n-values as printed, semicolons left out.
    assert_eq!(table.rows[0], (0, vec![0, 1, 1, 0, 3, 1, 0, 0, 1, 1]));
    assert_eq!(table.rows[1], (1, vec![0, 1, 1, 0, 3, 1, 0, 1, 1, 0]));
    assert_eq!(table.rows[2], (3, vec![0, 1, 0, 0, 3, 1, 0, 1, 1, 0]));
    let free = &tables[0].1;
    assert_eq!(
        free.rows,
        vec![(2, vec![1, 0, 0, 0]), (5, vec![1, 0, 0, 0])]
    );
    let Step::Split { after, .. } = &trace.steps[2] else {
        panic!("then the split")
    };
    assert_eq!(*after, vec![vec![2, 5], vec![3], vec![0], vec![1], vec![4]]);
    assert_eq!(trace.order, vec![2, 5, 3, 0, 1, 4]);
}

#[test]
fn example_37_has_one_representative_for_1440_states() {
    let mut world = World::new(EXAMPLE37, "Nodes");
    let state = world.after(&LIST);
    let orbit = world.orbit(&state);
    assert_eq!(orbit.len(), 1440);
    assert_eq!(world.representatives(&orbit, &APPEARANCE).len(), 1);
    assert_eq!(
        world.judged(&state),
        Uniqueness::Proved(Ground::FullySymmetric)
    );
}

#[test]
fn example_41_as_printed_needs_identities_first() {
    let mut world = World::new(EXAMPLE37, "Nodes");
    let state = world.after(&LIST);
    let printed = world.representative(&state, &IDENTITIES);
    assert_eq!(
        world.show(&printed),
        [
            "FreeNode(N0)",
            "FreeNode(N1)",
            "Node(N2, A, N4)",
            "Node(N3, A, N5)",
            "Node(N4, A, N3)",
            "Node(N5, A, Null)"
        ]
    );
    // The literal Def. 38 orders the types as Example 39 says: <N2, N5, N3, N1, N0, N4>.
    let literal = world.representative(&state, &APPEARANCE);
    assert_eq!(
        world.show(&literal),
        [
            "FreeNode(N0)",
            "FreeNode(N1)",
            "Node(N2, A, N3)",
            "Node(N3, A, N4)",
            "Node(N4, A, N5)",
            "Node(N5, A, Null)"
        ]
    );
}

#[test]
fn example_43_reduces_24_rings_to_2() {
    let mut world = World::new(RING, "Ring");
    let state = world.after(&PAIRS);
    let orbit = world.orbit(&state);
    assert_eq!(orbit.len(), 24);
    let literal = world.representatives(&orbit, &APPEARANCE);
    let mut shown: Vec<_> = literal.iter().map(|r| world.show(r).join(" ")).collect();
    shown.sort();
    assert_eq!(
        shown,
        [
            "Node(N0, A, N1) Node(N1, A, N2) Node(N2, B, N3) Node(N3, B, N0)",
            "Node(N0, A, N1) Node(N1, B, N2) Node(N2, B, N3) Node(N3, A, N0)",
        ]
    );
    let Uniqueness::PicksDisagree(found) = world.judged(&state) else {
        panic!("the choice is not of a fully symmetric block")
    };
    assert_eq!(found.here.picks, [(vec![0, 1, 2, 3], 0)]);
    assert_eq!(found.there.picks, [(vec![0, 1, 2, 3], 1)]);
    assert!(orbit.contains(&found.witness.0));
    let printed = world.representatives(&orbit, &IDENTITIES);
    let mut shown: Vec<_> = printed.iter().map(|r| world.show(r).join(" ")).collect();
    shown.sort();
    assert_eq!(
        shown,
        [
            "Node(N0, A, N3) Node(N1, B, N2) Node(N2, A, N0) Node(N3, B, N1)",
            "Node(N0, A, N3) Node(N1, B, N2) Node(N2, B, N0) Node(N3, A, N1)",
        ]
    );
}

#[test]
fn rings_with_other_data_are_unique() {
    let mut world = World::new(RING, "Ring");
    for data in ["ABAB", "AAAB", "AAAA"] {
        let events: Vec<String> = data
            .chars()
            .enumerate()
            .map(|(n, d)| format!("init.N{n}.{d}.N{}", (n + 1) % 4))
            .collect();
        let events: Vec<&str> = events.iter().map(String::as_str).collect();
        let state = world.after(&events);
        let orbit = world.orbit(&state);
        assert_eq!(
            world.representatives(&orbit, &APPEARANCE).len(),
            1,
            "{data}"
        );
        let known = world.judged(&state);
        assert!(
            matches!(known, Uniqueness::Proved(_) | Uniqueness::AllPicksAgree(_)),
            "{data}: {known:?}"
        );
    }
}

/// Sec. 7.3: four threads that hold all pairs of two data.
#[test]
fn four_threads_with_pairs_have_two_representatives() {
    let script = "datatype ThreadID = T1 | T2 | T3 | T4
        datatype Data = A | B
        channel set : ThreadID.Data.Data
        Thread(me) = set.me?x?y -> Thread'(me, x, y)
        Thread'(me, x, y) = set.me.x.y -> Thread'(me, x, y)
        Threads = ||| t : ThreadID @ Thread(t)";
    let mut world = World::new(script, "Threads");
    let state = world.after(&["set.T1.A.A", "set.T2.A.B", "set.T3.B.A", "set.T4.B.B"]);
    let orbit = world.orbit(&state);
    assert_eq!(world.representatives(&orbit, &APPEARANCE).len(), 2);
}

/// Sec. 7.6: step 3 splits one block, and step 2 then splits the other in a compatible way.
#[test]
fn two_lists_of_length_two_have_one_representative() {
    let mut world = World::new(EXAMPLE37, "Nodes");
    let state = world.after(&[
        "init.N4.B.Null",
        "init.N0.B.N4",
        "init.N1.B.Null",
        "init.N3.B.N1",
    ]);
    let orbit = world.orbit(&state);
    assert_eq!(world.representatives(&orbit, &APPEARANCE).len(), 1);
}

#[test]
fn segmented_is_unique_on_the_types_that_it_permutes() {
    let mut world = World::new(RING, "Ring");
    let state = world.after(&PAIRS);
    let strategy = StrategyKind::Segmented.strategy();
    let orbit = world.orbit(&state);
    // Data indexes no family, so the two colourings stay apart: at most one representative for each.
    assert!(world.representatives(&orbit, strategy).len() <= 2);
    assert!(
        world
            .representatives(&orbit, StrategyKind::Sorted.strategy())
            .len()
            >= 2
    );
}

/// A random walk, then a random permutation.
fn walk() -> impl proptest::strategy::Strategy<Value = (Vec<usize>, Vec<usize>)> {
    (
        prop::collection::vec(0usize..1000, 0..40),
        prop::collection::vec(0usize..1000, 16),
    )
}

/// A permutation of the group from numbers (Fisher and Yates).
fn permutation(world: &World, numbers: &[usize]) -> Vec<Atom> {
    let atoms = world.machine.atoms();
    let mut image: Vec<Atom> = (0..atoms.len() as u16).map(Atom).collect();
    let mut next = numbers.iter().cycle();
    for kind in 0..atoms.kinds() {
        let range = atoms.atoms(kind as u8);
        for at in (range.start + 1..range.end).rev() {
            let other =
                range.start as usize + next.next().unwrap_or(&0) % (at - range.start + 1) as usize;
            image.swap(at as usize, other);
        }
    }
    image
}

fn successors(world: &mut World, state: &State) -> Vec<(String, State)> {
    let found = world.complete(|machine, network, _| {
        let mut found = Vec::new();
        let mut scratch = RuleScratch::default();
        network.successors::<Miss>(machine.locals(), FormatId(0), state, &mut scratch, |s| {
            found.push((s.event, s.locals.to_vec()));
            Ok(())
        })?;
        Ok(found)
    });
    found
        .into_iter()
        .map(|(event, to)| (world.machine.show_event(event), to))
        .collect()
}

const SCRIPTS: [(&str, &str); 4] = [
    (include_str!("../../models/list_stack.csp"), "System"),
    (include_str!("../../models/database.csp"), "System"),
    (include_str!("../../models/philosophers.csp"), "System"),
    (include_str!("../../models/tree_broadcast.csp"), "System"),
];

proptest! {
    #![proptest_config(ProptestConfig { cases: tiers::cases(24), ..ProptestConfig::default() })]

    /// Where the algorithm made no choice but of blocks that are fully symmetric, all states of the
    /// orbit get the same representative (Prop. 50); and it is one of the orbit.
    #[test]
    fn representatives_agree_where_uniqueness_is_claimed((steps, numbers) in walk(), which in 0usize..4) {
        let (text, process) = SCRIPTS[which];
        let mut world = World::new(text, process);
        let mut state = world.network.initial().to_vec();
        for step in steps {
            let next = successors(&mut world, &state);
            if next.is_empty() { break; }
            state = next[step % next.len()].1.clone();
        }
        let here = world.representative(&state, &APPEARANCE);
        let claimed = world.out.scratch.choices.iter().all(|c| c.fully_symmetric);
        let image = world.out.image.clone();
        prop_assert_eq!(&world.permute(&state, &image), &here);
        let pi = permutation(&world, &numbers);
        let moved = world.permute(&state, &pi);
        let there = world.representative(&moved, &APPEARANCE);
        let claimed_there = world.out.scratch.choices.iter().all(|c| c.fully_symmetric);
        prop_assert_eq!(claimed_there, claimed);
        if claimed {
            prop_assert_eq!(world.show(&here), world.show(&there));
        }
    }

    /// `(s, a, s')` is a transition iff `(π(s), π(a), π(s'))` is: what Lemma 31 promises of a mappable
    /// network, and Prop. 24 of its components.
    #[test]
    fn transitions_commute_with_permutations((steps, numbers) in walk(), which in 0usize..4) {
        let (text, process) = SCRIPTS[which];
        let mut world = World::new(text, process);
        let pi = permutation(&world, &numbers);
        let mut state = world.network.initial().to_vec();
        for step in steps.into_iter().chain([0]) {
            let next = successors(&mut world, &state);
            let moved = world.permute(&state, &pi);
            let mut there: Vec<State> = successors(&mut world, &moved).into_iter().map(|s| s.1).collect();
            let mut here: Vec<State> = Vec::new();
            for (_, to) in &next {
                here.push(world.permute(to, &pi));
            }
            here.sort();
            there.sort();
            prop_assert_eq!(here, there);
            if next.is_empty() { break; }
            state = next[step % next.len()].1.clone();
        }
    }
}
