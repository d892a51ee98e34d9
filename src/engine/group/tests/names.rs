//! Unit tests of names of groups and of their decompositions.

use num_bigint::BigUint;
use proptest::prelude::*;

use super::*;
use crate::group::{GroupName, block_systems, factors, name_of, symmetric_columns, wreath_product};

#[track_caller]
fn assert_name(degree: u32, generators: &[PointPermutation], name: &str) {
    let found = name_of(degree, generators, None, &go_on).expect("nothing stops it");
    assert_eq!(
        found.as_ref().map_or(String::new(), ToString::to_string),
        name
    );
    if let Some(found) = found {
        assert_eq!(found.order(), *chain(degree, generators, &[]).order());
    }
}

#[track_caller]
fn assert_name_of(graph: &ColouredGraph, name: &str) {
    let group = automorphisms(graph, ENOUGH, &go_on).expect("nothing stops it");
    let known = name_of(
        graph.len() as u32,
        &group.generators,
        Some(&group.order),
        &go_on,
    );
    let known = known.expect("nothing stops it");
    assert_eq!(
        known.as_ref().map_or(String::new(), ToString::to_string),
        name
    );
    assert_name(graph.len() as u32, &group.generators, name);
}

#[test]
fn groups_have_their_names() {
    let ring = |n: u32| cycle(&(0..n).collect::<Vec<u32>>(), n);
    let mirror = |n: u32| of(&(0..n).map(|i| (n - i) % n).collect::<Vec<u32>>());
    assert_name(5, &[], "1");
    assert_name(2, &[ring(2)], "S2");
    assert_name(3, &[ring(3)], "C3");
    assert_name(5, &[ring(5)], "C5");
    assert_name(12, &[ring(12)], "C12");
    assert_name(12, &[ring(12), mirror(12)], "D12");
    assert_name(4, &[ring(4), mirror(4)], "D4");
    assert_name(3, &[ring(3), mirror(3)], "S3");
    assert_name(6, &[ring(6), cycle(&[0, 1], 6)], "S6");
    assert_name(6, &[cycle(&[0, 1, 2, 3, 4], 6), cycle(&[3, 4, 5], 6)], "A6");
    // The quaternions have no name here.
    let i = of(&[1, 2, 3, 0, 5, 6, 7, 4]);
    let j = of(&[4, 7, 6, 5, 2, 1, 0, 3]);
    assert_eq!(closure(8, &[i.clone(), j.clone()]).len(), 8);
    assert_name(8, &[i, j], "");
    // The affine maps of a line of five points, of order 20, neither.
    let times_two = of(&[0, 2, 4, 1, 3]);
    assert_name(5, &[ring(5), times_two], "");
    // Cycles of two and three points, as one generator and as two.
    assert_name(5, &[cycle(&[0, 1], 5).then(&cycle(&[2, 3, 4], 5))], "C6");
    assert_name(5, &[cycle(&[0, 1], 5), cycle(&[2, 3, 4], 5)], "C3 x S2");
    assert_name(
        8,
        &[cycle(&[0, 1, 2, 3], 8), cycle(&[4, 5, 6, 7], 8)],
        "C4 x C4",
    );
    // The same on two orbits.
    let both =
        |a: &[u32]| cycle(a, 8).then(&cycle(&a.iter().map(|p| 7 - p).collect::<Vec<_>>(), 8));
    assert_name(8, &[both(&[0, 1, 2, 3]), both(&[0, 1])], "S4");
    assert_name(8, &[both(&[0, 1, 2, 3]), both(&[0, 2])], "D4");
}

#[test]
fn graphs_have_names_of_groups() {
    assert_name_of(&undirected(9, (0..9).map(|i| (i, (i + 1) % 9))), "D9");
    assert_name_of(&cube(2), "D4");
    assert_name_of(&cube(3), "S2 wr S3");
    assert_name_of(&cube(4), "S2 wr S4");
    assert_name_of(&cube(6), "S2 wr S6");
    assert_name_of(&undirected(16, rook(0)), "S4 wr S2");
    assert_name_of(&petersen(), "");
    // Three edges, and a path beside them.
    assert_name_of(
        &undirected(9, [(0, 1), (2, 3), (4, 5), (6, 7), (7, 8)]),
        "S2 wr S3 x S2",
    );
    // The binary tree of three levels.
    assert_name_of(&undirected(7, (1..7).map(|v| (v, (v - 1) / 2))), "D4");
}

/// Places in a ring, or all alike, and data that can be exchanged: every place can hold every datum.
fn places_and_data(places: u32, data: u32, in_ring: bool) -> ColouredGraph {
    let mut builder = GraphBuilder::default();
    let first: Vec<u32> = (0..places).map(|_| builder.vertex(0)).collect();
    let holds: Vec<Vec<u32>> = (0..places)
        .map(|_| (0..data).map(|_| builder.vertex(1)).collect())
        .collect();
    for (at, own) in holds.iter().enumerate() {
        for (datum, holding) in own.iter().enumerate() {
            builder.edge(first[at], *holding, 0);
            for (other, held) in holds.iter().enumerate() {
                let is_next = other == (at + 1) % holds.len();
                if (in_ring && is_next) || (!in_ring && other != at) {
                    builder.edge(*holding, held[datum], 1);
                }
            }
        }
    }
    builder.finish().expect("all ends are vertices")
}

#[test]
fn places_and_data_are_told_apart_though_both_move_the_same_points() {
    assert_name_of(&places_and_data(4, 2, true), "C4 x S2");
    assert_name_of(&places_and_data(5, 2, true), "C10");
    assert_name_of(&places_and_data(6, 3, true), "C6 x S3");
    assert_name_of(&places_and_data(4, 3, false), "S4 x S3");
    assert_name_of(&places_and_data(3, 5, false), "S5 x S3");
}

#[test]
fn factors_columns_blocks_and_wreath_products_are_found() {
    let swap = |a, b| cycle(&[a, b], 9);
    let generators = [
        swap(0, 1),
        swap(3, 4),
        swap(1, 2),
        PointPermutation::identity(9),
        swap(4, 3),
    ];
    assert_eq!(factors(9, &generators), [vec![0, 2], vec![1, 4]]);
    // Three columns of three points.
    let rows = |a: u32, b: u32| {
        swap(a, b)
            .then(&swap(a + 3, b + 3))
            .then(&swap(8 - a, 8 - b))
    };
    let generators = [rows(0, 1), rows(1, 2)];
    let columns = |degree, generators: &[PointPermutation]| {
        symmetric_columns(degree, generators, &go_on).expect("nothing stops it")
    };
    assert_eq!(
        columns(9, &generators),
        Some(vec![vec![0, 3, 8], vec![1, 4, 7], vec![2, 5, 6]])
    );
    let rotation = rows(0, 1).then(&rows(1, 2));
    assert_eq!(columns(9, std::slice::from_ref(&rotation)), None);
    // An exchange and the rotation lead everywhere, though exchanges alone do not.
    assert!(columns(9, &[rotation, rows(0, 1)]).is_some());
    // S3 on six points in another way than on three, so there are no columns of one point each.
    let regular = [of(&[1, 0, 3, 2, 5, 4]), of(&[2, 5, 4, 1, 0, 3])];
    assert_eq!(closure(6, &regular).len(), 6);
    assert_eq!(columns(6, &regular), None);
    // A hexagon: three pairs of opposite corners, two triangles.
    let hexagon = [cycle(&[0, 1, 2, 3, 4, 5], 6), of(&[0, 5, 4, 3, 2, 1])];
    let pairs = vec![vec![0, 3], vec![1, 4], vec![2, 5]];
    let triangles = vec![vec![0, 2, 4], vec![1, 3, 5]];
    let systems = block_systems(&hexagon, &go_on).expect("nothing stops it");
    assert_eq!(systems, [pairs.clone(), triangles.clone()]);
    let order = BigUint::from(12u32);
    for blocks in [&pairs, &triangles] {
        let found = wreath_product(&hexagon, blocks, &order, &go_on).expect("nothing stops it");
        assert!(found.is_none());
    }
    let no_systems = [
        vec![],
        vec![vec![], vec![]],
        vec![vec![0, 1], vec![2, 3], vec![4, 5]],
        vec![vec![0, 3], vec![1, 4]],
        vec![vec![0, 3], vec![1, 4], vec![2, 9]],
        vec![vec![0, 3], vec![1, 4, 2, 5]],
    ];
    for blocks in no_systems {
        let found = wreath_product(&hexagon, &blocks, &order, &go_on).expect("nothing stops it");
        assert!(found.is_none());
    }
    let six = [
        cycle(&[0, 3], 6),
        cycle(&[0, 1, 2, 3, 4, 5], 6),
        of(&[1, 0, 2, 4, 3, 5]),
    ];
    let order = chain(6, &six, &[]).order().clone();
    let wreath = wreath_product(&six, &pairs, &order, &go_on).expect("nothing stops it");
    let wreath = wreath.expect("S2 wr S3");
    assert_eq!(wreath.bottom_order, BigUint::from(2u32));
    assert_eq!(wreath.top_order, BigUint::from(6u32));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(crate::tiers::cases(2_000)))]

    #[test]
    fn names_tell_the_order_and_what_is_common_to_all_such_groups(plain in graphs(7)) {
        let group = found(&plain);
        let name = name_of(plain.0.len() as u32, &group.generators, None, &go_on);
        let Some(name) = name.expect("nothing stops it") else {
            return Ok(());
        };
        prop_assert_eq!(&name.order(), &group.order);
        let elements = closure(plain.0.len() as u32, &group.generators[..]);
        if elements.len() <= 720 {
            let mut orders: Vec<BigUint> = elements.iter().map(PointPermutation::order).collect();
            orders.sort_unstable();
            prop_assert_eq!(orders, orders_of_elements(&name), "{}", name);
        }
    }
}

/// The orders of all elements of a group with a name, ascending: from a group that is made by the definition.
fn orders_of_elements(name: &GroupName) -> Vec<BigUint> {
    let (degree, generators) = made(name);
    let elements = closure(degree, &generators);
    let mut orders: Vec<BigUint> = elements.iter().map(PointPermutation::order).collect();
    orders.sort_unstable();
    orders
}

/// Generators of a group with a name, on points where it acts as the name says.
fn made(name: &GroupName) -> (u32, Vec<PointPermutation>) {
    let ring = |n: u32| cycle(&(0..n).collect::<Vec<u32>>(), n);
    let small = |n: &BigUint| u32::try_from(n).expect("it is small");
    match name {
        GroupName::Trivial => (1, Vec::new()),
        GroupName::Symmetric(n) => (*n, vec![ring(*n), cycle(&[0, 1], *n)]),
        GroupName::Alternating(n) => (*n, (2..*n).map(|i| cycle(&[0, 1, i], *n)).collect()),
        GroupName::Cyclic(n) => (small(n), vec![ring(small(n))]),
        GroupName::Dihedral(n) => {
            let n = small(n);
            let mirror = of(&(0..n).map(|i| (n - i) % n).collect::<Vec<u32>>());
            (n, vec![ring(n), mirror])
        }
        GroupName::Wreath(bottom, top) => {
            let ((size, bottom), (count, top)) = (made(bottom), made(top));
            let degree = size * count;
            let within = bottom
                .iter()
                .map(|g| PointPermutation::of_moves(degree, g.moves()));
            let blocks = top.iter().map(|g| {
                let images = (0..degree).map(|p| g.apply(p / size) * size + p % size);
                PointPermutation::new(&images.collect::<Vec<u32>>())
            });
            (degree, within.chain(blocks).flatten().collect())
        }
        GroupName::Product(parts) => {
            let (mut degree, mut all) = (0, Vec::new());
            for part in parts {
                let (more, generators) = made(part);
                for g in generators {
                    let moves = g.moves().map(|(p, to)| (p + degree, to + degree));
                    all.extend(PointPermutation::of_moves(degree + more, moves));
                }
                degree += more;
            }
            (degree, all)
        }
    }
}
