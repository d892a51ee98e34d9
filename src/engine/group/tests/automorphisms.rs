//! Unit tests of the search for automorphisms.

use std::collections::BTreeSet;

use canonical_form::Canonize;
use num_bigint::BigUint;
use proptest::prelude::*;

use super::*;
use crate::group::{Colouring, PointOrbits};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(crate::tiers::cases(2_000)))]

    #[test]
    fn the_automorphisms_are_all_that_keep_the_graph(plain in graphs(6)) {
        let vertices = plain.0.len() as u32;
        let all = all_permutations(vertices);
        let (kept, others): (Vec<_>, Vec<_>) = all.iter().partition(|p| keeps(&plain, p));
        let graph = built(&plain);
        for p in &kept {
            prop_assert!(graph.is_automorphism(&of(p)));
        }
        for p in &others {
            prop_assert!(!graph.is_automorphism(&of(p)));
        }
        let mut group = found(&plain);
        prop_assert!(group.complete);
        prop_assert_eq!(&group.order, &BigUint::from(kept.len()));
        let chain = chain(vertices, &group.generators, &[]);
        prop_assert_eq!(chain.order(), &group.order);
        prop_assert!(kept.iter().all(|p| chain.contains(&of(p))));
        prop_assert!(!others.iter().any(|p| chain.contains(&of(p))));
        let kept: Vec<PointPermutation> = kept.iter().map(|p| of(p)).collect();
        prop_assert_eq!(group.orbits.orbits(), orbits_of(vertices, &kept));
        let lengths: u64 = group.base.iter().map(|b| u64::from(b.1)).product();
        prop_assert_eq!(BigUint::from(lengths), group.order);
    }

    #[test]
    fn refinement_does_not_depend_on_numbers((plain, images) in graphs(8).prop_flat_map(|plain| {
        let images: Vec<u32> = (0..plain.0.len() as u32).collect();
        (Just(plain), Just(images).prop_shuffle())
    })) {
        let to = |v: u32| images[v as usize];
        let mut colours = plain.0.clone();
        for v in 0..plain.0.len() as u32 {
            colours[to(v) as usize] = plain.0[v as usize];
        }
        let edges = plain.1.iter().map(|(a, b, c)| (to(*a), to(*b), *c)).collect();
        let other = (colours, edges);
        let (one, number) = Colouring::refined(&built(&plain), &go_on).expect("nothing stops it");
        let (two, other_number) = Colouring::refined(&built(&other), &go_on).expect("nothing stops it");
        prop_assert_eq!(number, other_number);
        prop_assert_eq!(one.starts(), two.starts());
        for v in 0..plain.0.len() as u32 {
            prop_assert_eq!(one.cell_of(v), two.cell_of(to(v)));
        }
        // It is equitable: vertices of a cell have equally many edges of each kind to each cell.
        let kinds = |v: u32| {
            let out = plain.1.iter().filter(|e| e.0 == v).map(|e| (0, e.2, one.cell_of(e.1), e.1));
            let back = plain.1.iter().filter(|e| e.1 == v).map(|e| (1, e.2, one.cell_of(e.0), e.0));
            let mut all: Vec<_> = out.chain(back).collect();
            all.sort_unstable();
            all.dedup();
            all.into_iter().map(|(way, colour, cell, _)| (way, colour, cell)).collect::<Vec<_>>()
        };
        for start in one.starts() {
            let cell = one.members(start);
            prop_assert!(cell.iter().all(|v| kinds(*v) == kinds(cell[0])));
            prop_assert!(cell.iter().all(|v| plain.0[*v as usize] == plain.0[cell[0] as usize]));
        }
    }

    #[test]
    fn with_little_work_it_is_a_subgroup_and_says_so((plain, budget) in (graphs(8), 0u64..200)) {
        let graph = built(&plain);
        let group = automorphisms(&graph, budget, &go_on).expect("nothing stops it");
        prop_assert!(group.generators.iter().all(|g| graph.is_automorphism(g)));
        let whole = found(&plain);
        prop_assert!(!group.complete || group.order == whole.order);
        let chain = chain(plain.0.len() as u32, &group.generators, &[]);
        prop_assert_eq!(chain.order(), &group.order);
    }
}

/// Graphs that refinement alone does not split: of each vertex as many edges lead out as in.
fn blind_graphs(vertices: u32) -> impl Strategy<Value = Plain> {
    let sized = (1..=vertices).prop_flat_map(|n| {
        let permutation = Just((0..n).collect::<Vec<u32>>()).prop_shuffle();
        proptest::collection::vec(permutation, 1..=3)
    });
    sized.prop_map(|permutations| {
        let edges = permutations.iter().flat_map(|p| (0u32..).zip(p));
        let edges = edges.flat_map(|(a, b)| [(a, *b, 0), (*b, a, 0)]);
        (vec![0; permutations[0].len()], edges.collect())
    })
}

/// A graph as another implementation sees it.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Foreign {
    colours: Vec<u32>,
    edges: BTreeSet<(u32, u32, u32)>,
}

impl Canonize for Foreign {
    fn size(&self) -> usize {
        self.colours.len()
    }

    fn apply_morphism(&self, p: &[usize]) -> Self {
        let to = |v: u32| p[v as usize] as u32;
        let mut colours = self.colours.clone();
        for (v, colour) in self.colours.iter().enumerate() {
            colours[p[v]] = *colour;
        }
        let edges = self.edges.iter().map(|(a, b, c)| (to(*a), to(*b), *c));
        Self {
            colours,
            edges: edges.collect(),
        }
    }

    fn invariant_color(&self, u: usize) -> u64 {
        u64::from(self.colours[u])
    }

    fn invariant_neighborhood(&self, u: usize) -> impl Iterator<Item = (usize, u64)> {
        let u = u as u32;
        self.edges.iter().flat_map(move |(a, b, c)| {
            let out = (*a == u).then_some((*b as usize, u64::from(*c) * 2));
            let back = (*b == u).then_some((*a as usize, u64::from(*c) * 2 + 1));
            out.into_iter().chain(back)
        })
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(crate::tiers::cases(1_000)))]

    #[test]
    fn there_are_as_many_automorphisms_as_another_implementation_counts(
        plain in prop_oneof![graphs(12), blind_graphs(14)]
    ) {
        let group = found(&plain);
        prop_assert!(group.complete);
        // It counts them one by one.
        if group.order <= BigUint::from(2_000u32) {
            let (colours, edges) = plain;
            let foreign = Foreign { colours, edges: edges.into_iter().collect() };
            let counted = foreign.canonical().automorphisms().count();
            prop_assert_eq!(&group.order, &BigUint::from(counted));
        }
    }
}

#[track_caller]
fn assert_order(graph: &ColouredGraph, order: impl Into<BigUint>) -> AutomorphismGroup {
    let group = automorphisms(graph, ENOUGH, &go_on).expect("nothing stops it");
    assert!(group.complete);
    let order: BigUint = order.into();
    assert_eq!(group.order, order);
    // The chain knows nothing of that order, and proves its own.
    let chain = chain(graph.len() as u32, &group.generators, &[]);
    assert_eq!(*chain.order(), order);
    group
}

fn shrikhande(from: u32) -> impl Iterator<Item = (u32, u32)> {
    let related = |a: u32, b: u32| {
        let difference = ((4 + a / 4 - b / 4) % 4, (4 + a % 4 - b % 4) % 4);
        matches!(difference, (0, 1 | 3) | (1 | 3, 0) | (1, 1) | (3, 3))
    };
    pairs(16)
        .filter(move |(a, b)| related(*a, *b))
        .map(move |(a, b)| (a + from, b + from))
}

#[test]
fn known_graphs_have_their_groups() {
    assert_order(&undirected(0, []), 1u32);
    assert_order(&undirected(1, []), 1u32);
    assert_order(&petersen(), 120u32);
    assert_order(&undirected(8, pairs(8)), 40_320u32);
    assert_order(&undirected(8, []), 40_320u32);
    assert_order(&undirected(7, (0..7).map(|i| (i, (i + 1) % 7))), 14u32);
    let mut factor = 1u32;
    for dimension in 1..=6 {
        factor *= 2 * dimension;
        assert_order(&cube(dimension), factor);
    }
    // Frucht: cubic, and without any symmetry.
    let frucht = [
        (0, 1),
        (1, 2),
        (2, 3),
        (3, 4),
        (4, 5),
        (5, 6),
        (6, 0),
        (0, 7),
        (1, 7),
        (2, 8),
        (3, 9),
        (4, 9),
        (5, 10),
        (6, 10),
        (7, 11),
        (8, 11),
        (8, 9),
        (10, 11),
    ];
    assert_order(&undirected(12, frucht), 1u32);
    // A torus of 5 times 5, and one of 5 times 7.
    let torus = |w: u32, h: u32| {
        let at = move |x: u32, y: u32| (x % w) * h + y % h;
        let cells = (0..w).flat_map(move |x| (0..h).map(move |y| (x, y)));
        let edges =
            cells.flat_map(move |(x, y)| [(at(x, y), at(x + 1, y)), (at(x, y), at(x, y + 1))]);
        undirected(w * h, edges)
    };
    assert_order(&torus(5, 5), 200u32);
    assert_order(&torus(5, 7), 140u32);
    // A complete binary tree of four levels: 2 to the power of its 7 inner nodes.
    assert_order(&undirected(15, (1..15).map(|v| (v, (v - 1) / 2))), 128u32);
    // Two Petersen graphs: 120 * 120 * 2.
    let petersens = petersen();
    let edges = (0..10).flat_map(|v| petersens.outgoing(v).map(move |(_, to)| (v, to)));
    let both: Vec<(u32, u32)> = edges
        .flat_map(|(a, b)| [(a, b), (a + 10, b + 10)])
        .collect();
    assert_order(&undirected(20, both), 28_800u32);
}

#[test]
fn what_refinement_cannot_tell_apart_is_searched() {
    assert_order(&undirected(16, rook(0)), 1_152u32);
    assert_order(&undirected(16, shrikhande(0)), 192u32);
    assert_order(
        &undirected(32, rook(0).chain(rook(16))),
        2 * 1_152u32 * 1_152,
    );
    // They are not exchanged, and that takes a search to see.
    let both = undirected(32, rook(0).chain(shrikhande(16)));
    assert_eq!(
        Colouring::refined(&both, &go_on)
            .expect("nothing stops it")
            .0
            .cells(),
        1
    );
    assert_order(&both, 1_152u32 * 192);
}

/// The graph of Cai, Fürer and Immerman over the complete graph of four vertices, with an edge twisted or not,
/// twice in one graph.
fn twisted(first: bool, second: bool) -> ColouredGraph {
    let base: Vec<(u32, u32)> = pairs(4).collect();
    let mut builder = GraphBuilder::default();
    for twist in [first, second] {
        let ends: Vec<[u32; 2]> = base
            .iter()
            .map(|_| [builder.vertex(0), builder.vertex(0)])
            .collect();
        for v in 0..4 {
            let own = (0..base.len()).filter(|e| base[*e].0 == v || base[*e].1 == v);
            let own: Vec<usize> = own.collect();
            for mask in [0b000u32, 0b011, 0b101, 0b110] {
                let inner = builder.vertex(1);
                for (at, edge) in own.iter().enumerate() {
                    let crossed = twist && *edge == 0 && base[0].0 == v;
                    let end = (mask >> at & 1) as usize ^ usize::from(crossed);
                    builder.link(inner, ends[*edge][end], 0);
                }
            }
        }
    }
    builder.finish().expect("all ends are vertices")
}

#[test]
fn twisted_copies_are_not_exchanged() {
    let graph = |first, second| {
        let group = automorphisms(&twisted(first, second), ENOUGH, &go_on);
        group.expect("nothing stops it").order
    };
    let (plain, crossed, mixed) = (graph(false, false), graph(true, true), graph(false, true));
    // Each two times the square for the exchange; one of either without it.
    assert_eq!(&plain * &crossed, &mixed * &mixed * 4u32);
}

/// The load balancer of *symmetry from channel diagrams* (Sec. 6): six clients, two load balancers with
/// three clients each, three servers. The seven generators that are printed there give 432 elements.
#[test]
fn the_load_balancer_has_432_symmetries() {
    let mut builder = GraphBuilder::default();
    let clients: Vec<u32> = (0..6).map(|_| builder.vertex(0)).collect();
    let balancers: Vec<u32> = (0..2).map(|_| builder.vertex(1)).collect();
    let servers: Vec<u32> = (0..3).map(|_| builder.vertex(2)).collect();
    for (at, client) in clients.iter().enumerate() {
        builder.link(*client, balancers[at / 3], 0);
    }
    for balancer in &balancers {
        for server in &servers {
            builder.edge(*balancer, *server, 1);
        }
    }
    let graph = builder.finish().expect("all ends are vertices");
    let group = assert_order(&graph, 432u32);
    assert_eq!(
        PointOrbits::of(11, &group.generators).orbits(),
        [vec![0, 1, 2, 3, 4, 5], vec![6, 7], vec![8, 9, 10]]
    );
}

#[test]
fn copies_and_rings_take_little_work() {
    // A path that ends in a fork, a hundred times at one hub: S_100, and the forks.
    let mut builder = GraphBuilder::default();
    let hub = builder.vertex(0);
    for _ in 0..100 {
        let path: Vec<u32> = (0..20).map(|_| builder.vertex(1)).collect();
        builder.edge(hub, path[0], 0);
        for step in path.windows(2) {
            builder.edge(step[0], step[1], 0);
        }
        let (a, b) = (builder.vertex(2), builder.vertex(2));
        builder.edge(path[19], a, 0);
        builder.edge(path[19], b, 0);
    }
    let graph = builder.finish().expect("all ends are vertices");
    let group = automorphisms(&graph, 1_000_000, &go_on).expect("nothing stops it");
    assert!(group.complete);
    let factorial: BigUint = (1..=100u32).map(BigUint::from).product();
    assert_eq!(group.order, factorial << 100);
    // A ring of 500 such, one way: 500 rotations.
    let mut builder = GraphBuilder::default();
    for at in 0..500 {
        let first = builder.vertex(0);
        builder.edge(first, (first + 3) % 1500, 0);
        for _ in 0..2 {
            let inner = builder.vertex(1);
            builder.edge(first, inner, inner % 3);
        }
        assert_eq!(first, at * 3);
    }
    let graph = builder.finish().expect("all ends are vertices");
    let group = automorphisms(&graph, 1_000_000, &go_on).expect("nothing stops it");
    assert_eq!((group.complete, group.order), (true, BigUint::from(500u32)));
}

#[test]
fn a_search_is_stopped_by_its_budget_and_by_its_poll() {
    let graph = cube(8);
    let group = automorphisms(&graph, 30_000, &go_on).expect("nothing stops it");
    assert!(!group.complete);
    assert!(group.work < 60_000);
    let stop = |work: usize| match work > 50_000 {
        true => Err(Box::new(crate::source::diagnostic::Diagnostic::nowhere(
            "E0901", "stopped",
        ))),
        false => Ok(()),
    };
    assert!(automorphisms(&graph, ENOUGH, &stop).is_err());
}
