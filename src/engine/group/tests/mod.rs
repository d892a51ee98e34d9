//! Unit tests of groups and automorphisms: against brute force over all permutations, and on known graphs.

mod automorphisms;
mod chains;
mod names;

use proptest::prelude::*;

use super::{
    AutomorphismGroup, ColouredGraph, GraphBuilder, PointPermutation, StabiliserChain,
    automorphisms,
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

fn cycle(points: &[u32], degree: u32) -> PointPermutation {
    let next = points.iter().cycle().skip(1);
    let moves = points.iter().copied().zip(next.copied());
    PointPermutation::of_moves(degree, moves).expect("a cycle")
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
