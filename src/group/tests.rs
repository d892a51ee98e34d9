//! Groups and automorphisms against brute force over all permutations, and graphs whose groups are known.

use num_bigint::BigUint;
use proptest::prelude::*;

use super::{
    AutomorphismGroup, ColouredGraph, Colouring, GraphBuilder, PointOrbits, PointPermutation,
    StabiliserChain, automorphisms,
};
use crate::source::diagnostic::Result;

const ENOUGH: u64 = 1 << 40;

fn go_on(_: usize) -> Result<()> {
    Ok(())
}

/// A graph as plain data: colours of vertices, and edges as from, to and colour.
type Plain = (Vec<u32>, Vec<(u32, u32, u32)>);

fn built((colours, edges): &Plain) -> ColouredGraph {
    let mut builder = GraphBuilder::default();
    for colour in colours {
        builder.vertex(*colour);
    }
    for (from, to, colour) in edges {
        builder.edge(*from, *to, *colour);
    }
    builder.finish().expect("all ends are vertices")
}

/// Small graphs: few colours, so that some have symmetries.
fn graphs(vertices: u32) -> impl Strategy<Value = Plain> {
    let colours = |n| proptest::collection::vec(prop_oneof![4 => Just(7u32), 1 => Just(3)], n);
    let sized = (1..=vertices).prop_flat_map(move |n| {
        let edge = (0..n, 0..n, prop_oneof![3 => Just(0u32), 1 => Just(9)]);
        let count = (n * n) as usize / 2;
        let directed = proptest::collection::vec(edge, 0..=count);
        (colours(n as usize), directed, any::<bool>())
    });
    sized.prop_map(|(colours, mut edges, both_ways)| {
        if both_ways {
            let back: Vec<_> = edges.iter().map(|(a, b, c)| (*b, *a, *c)).collect();
            edges.extend(back);
        }
        (colours, edges)
    })
}

/// All permutations of so many points, by their images.
fn all_permutations(points: u32) -> Vec<Vec<u32>> {
    let mut all = vec![Vec::new()];
    for point in 0..points {
        let longer = all.iter().flat_map(|images: &Vec<u32>| {
            (0..=images.len()).map(move |at| {
                let mut images = images.clone();
                images.insert(at, point);
                images
            })
        });
        all = longer.collect();
    }
    all
}

/// By definition: colours and edges are kept.
fn keeps((colours, edges): &Plain, images: &[u32]) -> bool {
    let to = |v: u32| images[v as usize];
    let same_colours = (0..colours.len()).all(|v| colours[v] == colours[images[v] as usize]);
    same_colours
        && edges
            .iter()
            .all(|(a, b, c)| edges.contains(&(to(*a), to(*b), *c)))
}

fn of(images: &[u32]) -> PointPermutation {
    PointPermutation::new(images).expect("a permutation")
}

fn found(plain: &Plain) -> AutomorphismGroup {
    automorphisms(&built(plain), ENOUGH, &go_on).expect("nothing stops it")
}

fn chain(degree: u32, generators: &[PointPermutation], preferred: &[u32]) -> StabiliserChain {
    let chain = StabiliserChain::new(degree, generators, preferred, None, &go_on);
    chain.expect("nothing stops it").expect("it is small")
}

/// The group that permutations generate, by multiplying until nothing is new.
fn closure(degree: u32, generators: &[PointPermutation]) -> Vec<PointPermutation> {
    let mut all = vec![PointPermutation::identity(degree)];
    let mut next = 0;
    while next < all.len() {
        for generator in generators {
            let product = all[next].then(generator);
            if !all.contains(&product) {
                all.push(product);
            }
        }
        next += 1;
    }
    all
}

/// Orbits of two points and more, by definition.
fn orbits_of(degree: u32, group: &[PointPermutation]) -> Vec<Vec<u32>> {
    let mut orbits: Vec<Vec<u32>> = Vec::new();
    for point in 0..degree {
        if orbits.iter().any(|orbit| orbit.contains(&point)) {
            continue;
        }
        let mut orbit: Vec<u32> = group.iter().map(|g| g.apply(point)).collect();
        orbit.sort_unstable();
        orbit.dedup();
        if orbit.len() > 1 {
            orbits.push(orbit);
        }
    }
    orbits
}

/// Everything that a chain says, against all elements of the group.
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
    // What is done to the preferred points.
    let on_preferred =
        |g: &PointPermutation| -> Vec<u32> { preferred.iter().map(|p| g.apply(*p)).collect() };
    let mut actions: Vec<Vec<u32>> = group.iter().map(on_preferred).collect();
    actions.sort_unstable();
    actions.dedup();
    assert_eq!(
        chain.order_on(chain.preferred_levels()),
        BigUint::from(actions.len())
    );
    // All elements, each once, the identity first.
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
        // What fixes the preferred points, and no more.
        let stabiliser = chain.pointwise_stabiliser(&preferred, &go_on).expect("nothing stops it");
        let stabiliser = closure(degree * 1000, &stabiliser.expect("it is small"));
        let fixing = group.iter().filter(|g| preferred.iter().all(|p| g.apply(*p) == *p));
        prop_assert_eq!(stabiliser.len(), fixing.clone().count());
        prop_assert!(fixing.into_iter().all(|g| stabiliser.contains(g)));
    }
}

/// Vertices of one colour with edges both ways.
fn undirected(vertices: u32, edges: impl IntoIterator<Item = (u32, u32)>) -> ColouredGraph {
    let mut builder = GraphBuilder::default();
    for _ in 0..vertices {
        builder.vertex(0);
    }
    for (a, b) in edges {
        builder.link(a, b, 0);
    }
    builder.finish().expect("all ends are vertices")
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

fn pairs(n: u32) -> impl Iterator<Item = (u32, u32)> {
    (0..n).flat_map(move |a| (0..a).map(move |b| (a, b)))
}

fn petersen() -> ColouredGraph {
    let edges = (0..5).flat_map(|i| [(i, (i + 1) % 5), (i, i + 5), (i + 5, (i + 2) % 5 + 5)]);
    undirected(10, edges)
}

fn cube(dimension: u32) -> ColouredGraph {
    let edges = (0..1 << dimension).flat_map(|v| (0..dimension).map(move |i| (v, v ^ (1 << i))));
    undirected(1 << dimension, edges)
}

/// Two strongly regular graphs that refinement cannot tell apart, on 16 vertices each.
fn rook(from: u32) -> impl Iterator<Item = (u32, u32)> {
    let related = |a: u32, b: u32| a / 4 == b / 4 || a % 4 == b % 4;
    pairs(16)
        .filter(move |(a, b)| related(*a, *b))
        .map(move |(a, b)| (a + from, b + from))
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
