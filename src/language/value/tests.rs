//! Properties of the order of values and of splitting them into shape and atoms.

use proptest::prelude::*;

use super::dots::suffix;
use super::shapes::fill;
use super::views::{joined, slice, without_views};
use super::{Atom, AtomTypes, Data, LazySet, Value, ValueStore};
use crate::script::core::{ChannelId, CtorId};
use crate::source::Limits;

/// Constructors 0 to 3 and 4 to 6 are atoms of two types; 7 is a constant, 8 takes a field.
const CONSTRUCTORS: u32 = 9;

fn types() -> AtomTypes {
    let ctors = |range: std::ops::Range<u32>| range.map(CtorId).collect();
    AtomTypes::new(&[("Node".into(), ctors(0..4)), ("Data".into(), ctors(4..7))])
}

fn store() -> ValueStore {
    let mut store = ValueStore::new(&Limits::default(), 1, CONSTRUCTORS as usize, 1);
    let ints = store.int_range(None, None);
    for i in 0..CONSTRUCTORS {
        let fields = if i == 8 { vec![ints] } else { Vec::new() };
        store.declared_mut().set_ctor(CtorId(i), fields);
    }
    store
        .declared_mut()
        .set_channel(ChannelId(0), vec![ints, ints]);
    store
}

/// A value to be built in a store.
#[derive(Clone, Debug)]
enum Plan {
    Int(i64),
    Ctor(u32),
    Tuple(Vec<Plan>),
    Seq(Vec<Plan>),
    Set(Vec<Plan>),
    Map(Vec<(Plan, Plan)>),
    Dot(Box<Plan>, Box<Plan>),
    Productions(Vec<Plan>),
}

fn plan() -> impl Strategy<Value = Plan> {
    let leaf = prop_oneof![
        (0..3i64).prop_map(Plan::Int),
        (0..CONSTRUCTORS).prop_map(Plan::Ctor),
    ];
    leaf.prop_recursive(4, 40, 5, |inner| {
        let many = prop::collection::vec(inner.clone(), 0..5);
        let pairs = prop::collection::vec((inner.clone(), inner.clone()), 0..4);
        prop_oneof![
            prop::collection::vec(inner.clone(), 2..4).prop_map(Plan::Tuple),
            many.clone().prop_map(Plan::Seq),
            many.clone().prop_map(Plan::Set),
            pairs.prop_map(Plan::Map),
            many.prop_map(Plan::Productions),
            (inner.clone(), inner).prop_map(|(a, b)| Plan::Dot(a.into(), b.into())),
        ]
    })
}

fn build(store: &mut ValueStore, plan: &Plan) -> Value {
    let all = |store: &mut ValueStore, ps: &[Plan]| {
        ps.iter().map(|p| build(store, p)).collect::<Vec<_>>()
    };
    match plan {
        Plan::Int(i) => store.int(*i),
        Plan::Ctor(c) => store.ctor(CtorId(*c)),
        Plan::Tuple(ps) => {
            let items = all(store, ps);
            store.tuple(items)
        }
        Plan::Seq(ps) => {
            let items = all(store, ps);
            store.seq(items)
        }
        Plan::Set(ps) => {
            let items = all(store, ps);
            store.set(items)
        }
        Plan::Map(pairs) => {
            let built = pairs
                .iter()
                .map(|(k, v)| (build(store, k), build(store, v)))
                .collect();
            store.map(built)
        }
        Plan::Dot(a, b) => {
            let (a, b) = (build(store, a), build(store, b));
            store.extend(a, b)
        }
        Plan::Productions(ps) => {
            let mut heads = all(store, ps);
            store.sort(&mut heads);
            heads.dedup();
            store.lazy(LazySet::Productions(heads.into()))
        }
    }
}

/// A permutation of each type.
fn permutation() -> impl Strategy<Value = Vec<Atom>> {
    let nodes = Just((0..4u16).collect::<Vec<_>>()).prop_shuffle();
    let data = Just((4..7u16).collect::<Vec<_>>()).prop_shuffle();
    (nodes, data).prop_map(|(mut all, data)| {
        all.extend(data);
        all.into_iter().map(Atom).collect()
    })
}

/// The value that a plan means after renaming: independent of the code under test.
fn renamed(plan: &Plan, map: &[Atom]) -> Plan {
    let all = |ps: &[Plan]| ps.iter().map(|p| renamed(p, map)).collect();
    match plan {
        Plan::Int(i) => Plan::Int(*i),
        Plan::Ctor(c) => Plan::Ctor(map.get(*c as usize).map_or(*c, |atom| u32::from(atom.0))),
        Plan::Tuple(ps) => Plan::Tuple(all(ps)),
        Plan::Seq(ps) => Plan::Seq(all(ps)),
        Plan::Set(ps) => Plan::Set(all(ps)),
        Plan::Productions(ps) => Plan::Productions(all(ps)),
        Plan::Map(pairs) => Plan::Map(
            pairs
                .iter()
                .map(|(k, v)| (renamed(k, map), renamed(v, map)))
                .collect(),
        ),
        Plan::Dot(a, b) => Plan::Dot(renamed(a, map).into(), renamed(b, map).into()),
    }
}

proptest! {
    #[test]
    fn filling_a_split_gives_the_value_back(plan in plan()) {
        let (mut store, types) = (store(), types());
        let v = build(&mut store, &plan);
        let mut atoms = Vec::new();
        let shape = store.shapes().split(v, &types, &mut atoms);
        prop_assert_eq!(fill(&mut store, shape, &atoms, &types), v);
    }

    #[test]
    fn renaming_a_value_is_building_the_renamed_value(plan in plan(), map in permutation()) {
        let (mut store, types) = (store(), types());
        let v = build(&mut store, &plan);
        let wanted = build(&mut store, &renamed(&plan, &map));
        prop_assert_eq!(store.shapes().rename(v, &map, &types), wanted);
    }

    #[test]
    fn the_shape_is_invariant_under_renaming(plan in plan(), map in permutation()) {
        let (mut store, types) = (store(), types());
        let v = build(&mut store, &plan);
        let w = store.shapes().rename(v, &map, &types);
        let (mut a, mut b) = (Vec::new(), Vec::new());
        prop_assert_eq!(store.shapes().split(v, &types, &mut a), store.shapes().split(w, &types, &mut b));
        prop_assert_eq!(a.len(), b.len());
    }

    #[test]
    fn renaming_twice_is_renaming_by_the_composition(
        plan in plan(), first in permutation(), second in permutation(),
    ) {
        let (mut store, types) = (store(), types());
        let v = build(&mut store, &plan);
        let both: Vec<Atom> = first.iter().map(|a| second[a.0 as usize]).collect();
        let once = store.shapes().rename(v, &first, &types);
        prop_assert_eq!(store.shapes().rename(once, &second, &types), store.shapes().rename(v, &both, &types));
    }

    #[test]
    fn a_split_appends_to_the_atoms_that_are_there(plan in plan()) {
        let (mut store, types) = (store(), types());
        let v = build(&mut store, &plan);
        let mut atoms = vec![Atom(1), Atom(5)];
        let shape = store.shapes().split(v, &types, &mut atoms);
        prop_assert_eq!(&atoms[..2], &[Atom(1), Atom(5)]);
        prop_assert_eq!(fill(&mut store, shape, &atoms, &types), v);
    }

    #[test]
    fn the_order_does_not_depend_on_handles(a in plan(), b in plan()) {
        let (mut one, mut two) = (store(), store());
        let (x, y) = (build(&mut one, &a), build(&mut one, &b));
        let (w, v) = (build(&mut two, &b), build(&mut two, &a));
        prop_assert_eq!(one.compare(x, y), two.compare(v, w));
        prop_assert_eq!(one.compare(x, y), one.compare(y, x).reverse());
        prop_assert_eq!(one.compare(x, y).is_eq(), x == y);
    }
}

#[test]
fn a_set_of_all_atoms_of_a_type_is_its_own_shape() {
    let (mut store, types) = (store(), types());
    let all: Vec<Value> = (4..7).map(|i| store.ctor(CtorId(i))).collect();
    let some = store.set(all[..2].to_vec());
    let all = store.set(all);
    let mut atoms = Vec::new();
    assert_eq!(store.shapes().split(all, &types, &mut atoms), all);
    assert!(atoms.is_empty());
    store.shapes().split(some, &types, &mut atoms);
    assert_eq!(atoms, [Atom(4), Atom(5)]);
}

#[test]
fn dots_fill_the_fields_of_constructors_first() {
    let mut store = store();
    let (channel, ctor) = (store.channel(ChannelId(0)), store.ctor(CtorId(8)));
    let (one, two) = (store.int(1), store.int(2));
    let event = store.join(&[channel, ctor, one, two]);
    let field = store.dot(vec![ctor, one]);
    assert_eq!(store.data(event), &Data::Dot([channel, field, two].into()));
    assert!(store.dotted().is_complete(event));
    let partial = store.join(&[channel, ctor]);
    assert_eq!(store.dotted().missing(partial).len(), 2);
    assert_eq!(
        suffix(&mut store, partial, event),
        Some(store.dot(vec![one, two]))
    );
}

#[test]
fn what_is_joined_to_a_view_leaves_other_views_alone() {
    let mut store = store();
    let items: Vec<Value> = (0..100).map(|i| store.int(i)).collect();
    let whole = store.seq(items);
    let front = slice(&mut store, whole, 0, 50);
    let mut made = Vec::new();
    for end in [-1, -2] {
        let end = store.int(end);
        let end = store.seq([end]);
        // The first takes the free places beside the view; the second finds them taken.
        for (a, b) in [(front, end), (whole, end), (end, whole), (front, whole)] {
            let list = |v: Value| store.known_items(v, 0, store.known_length(v).unwrap_or(0));
            let all = [list(a), list(b)].concat();
            made.push((joined(&mut store, a, b), store.seq(all)));
        }
    }
    for (view, wanted) in made {
        assert!(store.compare(view, wanted).is_eq());
        assert_eq!(without_views(&mut store, view), wanted);
    }
}
