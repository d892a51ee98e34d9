//! Unit tests of this folder: permutations, partitions and their buckets, `walk` and `exact`.

use std::path::Path;

use proptest::prelude::*;

use super::context::StateContext;
use super::exact::Exact;
use super::nvalues::EdgeCounts;
use super::observe::Unwatched;
use super::ordering::OrderingScratch;
use super::partition::{OrderedPartition, Vector};
use super::watch::Course;
use super::{Permutation, Representative, StrategyKind};
use crate::check::plan::{Demand, plans_of};
use crate::check::system::System;
use crate::machine::network::RuleScratch;
use crate::machine::{FormatId, LocalId, Miss};
use crate::script::core::GlobalKind;
use crate::script::load::load_text;
use crate::source::Budget;
use crate::value::{Atom, AtomTypes};

/// Values of one type.
fn atoms(count: usize) -> AtomTypes {
    let members = (0..count as u32).map(crate::script::core::CtorId);
    AtomTypes::new(&[("T".into(), members.collect())])
}

/// A permutation, decoded from numbers: each picks the image among the values that are left.
fn permutation(numbers: &[usize]) -> Permutation {
    let mut left: Vec<u16> = (0..numbers.len() as u16).collect();
    let image = numbers.iter().map(|n| Atom(left.remove(n % left.len())));
    Permutation::from_image(&image.collect::<Vec<_>>())
}

/// Components with these keys; all of one key have as many variables.
fn vector(components: &[(u64, Vec<u16>)]) -> Vector {
    let mut vector = Vector::default();
    for (key, held) in components {
        vector.keys.push(*key);
        vector.starts.push(vector.atoms.len() as u32);
        vector.atoms.extend(held.iter().map(|a| Atom(*a)));
        vector.groups.extend(0..held.len() as u16);
        vector.compound.extend(held.iter().map(|_| false));
        vector.kinds.extend(held.iter().map(|_| 0));
        vector.identity.push(None);
    }
    vector.starts.push(vector.atoms.len() as u32);
    vector.late = components.len();
    vector
}

/// The places of a value by definition: for each occurrence the number of variables in the
/// blocks before, plus its index in its own block.
fn places(vector: &Vector, blocks: &OrderedPartition, atom: Atom) -> Vec<u32> {
    let mut found = Vec::new();
    let mut before = 0;
    for block in 0..blocks.len() {
        let members = blocks.block(block);
        for component in members {
            let range = vector.variables(*component);
            let here = range.clone().filter(|v| vector.atoms[*v] == atom);
            found.extend(here.map(|v| before + (v - range.start) as u32));
        }
        before += vector.variables(members[0]).len() as u32;
    }
    found.sort_unstable();
    found
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn permutations_are_a_group(
        (a, b) in (1usize..8).prop_flat_map(|n| {
            let numbers = || proptest::collection::vec(0usize..8, n);
            (numbers(), numbers())
        })
    ) {
        let (p, q) = (permutation(&a), permutation(&b));
        let identity = Permutation::identity(a.len());
        prop_assert_eq!(&p.then(&p.inverse()), &identity);
        prop_assert_eq!(&p.inverse().then(&p), &identity);
        prop_assert_eq!(&p.then(&identity), &p);
        prop_assert_eq!(p.then(&q).inverse(), q.inverse().then(&p.inverse()));
        for atom in 0..a.len() as u16 {
            prop_assert_eq!(p.then(&q).apply(Atom(atom)), q.apply(p.apply(Atom(atom))));
        }
        // The cycles say where each value goes.
        let types = atoms(a.len());
        let cycles = p.cycles(&types, 0, &|atom| atom.0.to_string());
        for cycle in cycles.trim_matches(|c| c == '(' || c == ')').split(")(") {
            let members: Vec<u16> = cycle.split(' ').filter_map(|m| m.parse().ok()).collect();
            for (at, member) in members.iter().enumerate() {
                let next = members[(at + 1) % members.len()];
                prop_assert_eq!(p.apply(Atom(*member)), Atom(next));
            }
        }
        prop_assert_eq!(cycles == "id", p == identity);
    }

    #[test]
    fn partitions_keep_their_invariants(
        held in proptest::collection::vec((0u64..3, proptest::collection::vec(0u16..6, 3)), 1..8)
    ) {
        let held: Vec<(u64, Vec<u16>)> = held
            .into_iter()
            .map(|(key, held)| (key, held[..1 + key as usize].to_vec()))
            .collect();
        let vector = vector(&held);
        let mut blocks = OrderedPartition::default();
        blocks.start(&vector);
        blocks.assert_consistent(&vector);
        let keys = blocks.order.iter().map(|c| vector.keys[*c as usize]);
        prop_assert!(keys.is_sorted(), "blocks ascend by key");
        blocks.fill_buckets(&vector, 6);
        for atom in (0..6).map(Atom) {
            prop_assert_eq!(blocks.places(atom), places(&vector, &blocks, atom));
        }
        // Def. 36 ends with one component a block, and never mixes what step 1 has parted.
        let mut scratch = OrderingScratch::default();
        scratch.vector = vector;
        scratch.order_components(EdgeCounts, &atoms(6), &mut Unwatched);
        prop_assert!(scratch.blocks.is_discrete());
        let keys = scratch.blocks.order.iter().map(|c| held[*c as usize].0);
        prop_assert!(keys.is_sorted());
    }
}

/// A process of a script, reduced by all that is symmetric in it.
fn open(text: &str) -> System {
    let loaded = load_text(Path::new("test.csp"), text);
    assert!(!loaded.has_errors(), "{:?}", loaded.diagnostics);
    let is_it = |name: &str| name == "P";
    let body = loaded.script.globals.iter().find_map(|g| match &g.kind {
        GlobalKind::Value(body) if is_it(&g.name) => Some(body),
        _ => None,
    });
    let body = body.expect("the script defines P");
    let plans = plans_of(&loaded, &[body], &Demand::default()).expect("there is a plan");
    System::open(&loaded, body, &plans[0], &Budget::default(), 1_000).expect("it opens")
}

fn complete<R>(
    system: &mut System,
    mut work: impl FnMut(&StateContext<'_>) -> Result<R, Miss>,
    state: &[LocalId],
) -> R {
    let System { machine, network } = system;
    let done = machine.complete(network, |machine, network| {
        work(&StateContext::alone(machine, network, FormatId(0), state))
    });
    done.expect("it evaluates")
}

/// The successors of a state in the raw system.
fn successors(system: &mut System, state: &[LocalId]) -> Vec<Vec<LocalId>> {
    complete(
        system,
        |context| {
            let (mut next, mut buffers) = (Vec::new(), RuleScratch::default());
            let (locals, format) = (context.locals, context.format);
            let network = context.network;
            network.successors::<Miss>(locals, format, context.state, &mut buffers, |s| {
                next.push(s.locals.to_vec());
                Ok(())
            })?;
            Ok(next)
        },
        state,
    )
}

/// The states of the raw system, up to a bound.
fn states(system: &mut System, most: usize) -> Vec<Vec<LocalId>> {
    let mut found = vec![system.network.initial().to_vec()];
    let mut at = 0;
    while at < found.len() && found.len() < most {
        let here = found[at].clone();
        for state in successors(system, &here) {
            if !found.contains(&state) {
                found.push(state);
            }
        }
        at += 1;
    }
    found
}

/// The states of a long run, which the numbers choose.
fn run(system: &mut System, choices: &[usize]) -> Vec<Vec<LocalId>> {
    let mut met = vec![system.network.initial().to_vec()];
    for (at, choice) in choices.iter().enumerate() {
        let next = successors(system, &met[at]);
        met.push(next[choice % next.len()].clone());
    }
    met
}

/// The state and its images under all permutations of values of one type of three or four.
fn orbit(system: &mut System, state: &[LocalId]) -> Vec<Vec<LocalId>> {
    let count = system.machine.atoms().len();
    let codes = (0..count.pow(count as u32)).map(|code| {
        let digit = |at| code / count.pow(at as u32) % count;
        (0..count).map(digit).collect::<Vec<_>>()
    });
    let mut images = Vec::new();
    for numbers in codes {
        // Each permutation, several times.
        let image = permutation(&numbers);
        let moved = complete(
            system,
            |context| {
                let mut out = Vec::new();
                let (locals, format) = (context.locals, context.format);
                let network = context.network;
                network.permute(locals, format, context.state, image.image(), &mut out)?;
                Ok(out)
            },
            state,
        );
        if !images.contains(&moved) {
            images.push(moved);
        }
    }
    images
}

const RING: &str = "datatype T = A | B | C | D
channel pass : T.T
channel on : T
Node(me, next) = pass!me!next -> Node(me, next) [] pass?x:diff(T, {me})!me -> on.me -> Node(me, x)
P = (||| x : T @ Free(x)) [| {| on |} |] Watch({})
Free(x) = on.x -> pass.x?y -> Free(x)
Watch(seen) = on?x:diff(T, seen) -> Watch(union(seen, {x})) [] pass?x?y -> Watch(diff(seen, {y}))
";

fn represented(system: &mut System, kind: StrategyKind, state: &[LocalId]) -> Representative {
    complete(
        system,
        |context| {
            let mut out = Representative {
                counting: true,
                ..Representative::default()
            };
            kind.strategy().representative(context, &mut out)?;
            Ok(out)
        },
        state,
    )
}

#[test]
fn strategies_choose_in_the_orbit_and_exact_chooses_one() {
    let mut system = open(RING);
    assert_eq!(system.machine.atoms().len(), 4, "four values are permuted");
    let mut several = 0;
    for state in states(&mut system, 60) {
        let orbit = orbit(&mut system, &state);
        several += usize::from(orbit.len() > 1);
        let exact = represented(&mut system, StrategyKind::Exact, &state);
        let order = exact.stabiliser.as_ref().map(|order| order.to_big());
        assert_eq!(order, Some((24 / orbit.len()).into()), "the stabiliser");
        for kind in StrategyKind::SHOWN {
            let out = represented(&mut system, kind, &state);
            assert!(orbit.contains(&out.locals), "{kind:?} leaves the orbit");
        }
        for other in &orbit {
            let out = represented(&mut system, StrategyKind::Exact, other);
            assert_eq!(out.locals, exact.locals, "one representative an orbit");
        }
    }
    assert!(several > 10, "orbits of one state prove nothing");
}

/// Values of two types that lead to components, and components that hold one of each.
const LINKS: &str = "datatype T = A | B | C | D | E | F
datatype U = K | L | M
channel link, cut : T.T.U
channel keep, drop : U.T
channel see : T
None(me) = link!me?y:diff(T, {me})?u -> Both(me, y, u) [] see.me -> None(me)
Both(me, x, u) = cut!me!x!u -> None(me)
Empty(u) = keep!u?x -> Full(u, x)
Full(u, x) = drop!u!x -> Empty(u)
Eye = see?x -> Seen(x)
Seen(x) = see?y -> Seen(y)
P = ((||| x : T @ None(x)) [| {| see |} |] Eye) ||| (||| u : U @ Empty(u))
";

proptest! {
    #![proptest_config(ProptestConfig { cases: 8, failure_persistence: None, ..ProptestConfig::default() })]

    /// Values are named as sets without a watcher, and one by one with a watcher.
    #[test]
    fn what_is_watched_is_what_is_done_unwatched(
        choices in proptest::collection::vec(any::<usize>(), 200),
    ) {
        for text in [RING, LINKS] {
            let mut system = open(text);
            for state in run(&mut system, &choices) {
                let image = represented(&mut system, StrategyKind::Exact, &state).locals;
                for state in [state, image] {
                    let (watched, unwatched) = complete(
                        &mut system,
                        |context| {
                            let mut watched = Representative::default();
                            Exact.watched(context, &mut watched, &mut Course::default())?;
                            let mut unwatched = Representative::default();
                            let exact = StrategyKind::Exact.strategy();
                            exact.representative(context, &mut unwatched)?;
                            Ok([watched, unwatched].map(|out| (out.image, out.locals)).into())
                        },
                        &state,
                    );
                    prop_assert_eq!(watched, unwatched);
                }
            }
        }
    }
}
