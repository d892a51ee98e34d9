//! The search for a certificate that no element of a group found in the structure takes one state to another
//! ([`super::structural_certificate`]), and for the element that moves the fewest components if there is one.

use num_bigint::BigUint;

use super::point_colours::{Coloured, PairOrbits};
use super::refute::way_to;
use super::structural::StructuralGroup;
use super::structural_certificate::{
    PointCell, PointRefutation, RefutedPoint, StructuralCertificate,
};
use crate::group::{PointOrbits, PointPermutation, Poll, StabiliserChain};
use crate::source::diagnostic::Result;
use crate::source::hash::Map;
use crate::source::stack::deep;
use crate::structure::element::Automorphism;

/// Elements tried for the one that moves the fewest components, at most.
const ELEMENTS_MAX: u32 = 100_000;

/// The action of a group on points.
#[derive(Clone, Debug)]
pub struct PointGroup {
    /// Number of points.
    pub degree: u32,
    /// Generators.
    pub generators: Vec<PointPermutation>,
    /// The order of the action.
    pub order: BigUint,
}

impl PointGroup {
    /// The action on points of a group without nodes of a specification.
    #[must_use]
    pub fn of(group: &StructuralGroup) -> Self {
        Self {
            degree: group.structure().points.count() as u32,
            generators: group
                .generators()
                .iter()
                .map(Automorphism::on_points)
                .collect(),
            order: group.order().to_big(),
        }
    }

    /// The stabiliser of a point, with an element that takes it to each point of its orbit; `None` if the chain would be
    /// too large.
    fn at(&self, point: u32, poll: Poll<'_>) -> Result<Option<PointStabiliser>> {
        let Self {
            degree,
            generators,
            order,
        } = self;
        let chain = StabiliserChain::new(*degree, generators, &[point], Some(order), poll)?;
        Ok(chain.map(|chain| {
            let levels = chain.preferred_levels();
            let mut to = Map::default();
            to.insert(point, PointPermutation::identity(*degree));
            for level in 0..levels {
                for (place, image) in chain.orbit(level).enumerate() {
                    to.insert(image, chain.transversal_element(level, place));
                }
            }
            PointStabiliser {
                fixing: Self {
                    degree: *degree,
                    generators: chain.generators(levels),
                    order: chain.order() / chain.order_on(levels),
                },
                to,
            }
        }))
    }

    /// The same group conjugated by an element, so that it fixes the image of each fixed point.
    fn conjugated(&self, by: &PointPermutation) -> Self {
        let back = by.inverse();
        let conjugate = |g: &PointPermutation| back.then(g).then(by);
        Self {
            generators: self.generators.iter().map(conjugate).collect(),
            ..self.clone()
        }
    }
}

/// The stabiliser of a point and its transversal.
struct PointStabiliser {
    fixing: PointGroup,
    to: Map<u32, PointPermutation>,
}

/// Outcome of the search.
#[derive(Debug)]
pub enum PointAnswer {
    /// No element takes `A` to `B`.
    Refuted(StructuralCertificate),
    /// An element that does.
    Found(PointPermutation),
    /// The search was given up.
    GivenUp,
}

/// Searches for a certificate that no element of `group` takes the points `a` to the points `b`, or for such an
/// element, in at most `nodes` nodes of a tree. `automorphisms` are elements that take `b` to itself.
///
/// # Errors
/// Any error of `poll`.
pub fn refute(
    group: &PointGroup,
    (a, b): (&[u32], &[u32]),
    automorphisms: &[PointPermutation],
    nodes: usize,
    poll: Poll<'_>,
) -> Result<PointAnswer> {
    let mut wanted = b.to_vec();
    wanted.sort_unstable();
    let mut search = PointSearch {
        a,
        b: &wanted,
        automorphisms,
        nodes,
        path: Vec::new(),
        poll,
    };
    search.answer(group, &PointPermutation::identity(group.degree))
}

/// The search for two states.
struct PointSearch<'a> {
    a: &'a [u32],
    /// Ascending.
    b: &'a [u32],
    automorphisms: &'a [PointPermutation],
    /// Number of nodes that may still be expanded.
    nodes: usize,
    /// The images chosen so far.
    path: Vec<u32>,
    poll: Poll<'a>,
}

impl PointSearch<'_> {
    /// Searches for a certificate below the present picks: `group` fixes their images, and `element` takes them there.
    fn answer(&mut self, group: &PointGroup, element: &PointPermutation) -> Result<PointAnswer> {
        if self.nodes == 0 {
            return Ok(PointAnswer::GivenUp);
        }
        self.nodes -= 1;
        let moved: Vec<u32> = self.a.iter().map(|p| element.apply(*p)).collect();
        let mut sorted = moved.clone();
        sorted.sort_unstable();
        if sorted == self.b {
            return Ok(PointAnswer::Found(element.clone()));
        }
        let sides = Coloured {
            names: self.a,
            left: &moved,
            right: self.b,
        };
        let mut orbits = PointOrbits::of(group.degree, &group.generators);
        let mut colours: Vec<u32> = sides.points().map(|p| orbits.root_of(p)).collect();
        if let Some(inside) = sides.uneven(&colours) {
            return Ok(PointAnswer::Refuted(numbers(inside, &mut orbits, element)));
        }
        if let Some(mut pairs) = PairOrbits::of(group, self.poll)?
            && let Some(found) = sides.refine(&mut colours, &mut pairs, self.poll)?
        {
            return Ok(PointAnswer::Refuted(StructuralCertificate::Pairs(found)));
        }
        self.branch(group, element, (&sides, &colours, &mut orbits))
    }

    /// Refutes each possible image of a point of the smallest colour that the group moves.
    fn branch(
        &mut self,
        group: &PointGroup,
        element: &PointPermutation,
        (sides, colours, orbits): (&Coloured<'_>, &[u32], &mut PointOrbits),
    ) -> Result<PointAnswer> {
        let (left, right) = colours.split_at(self.a.len());
        let size = |at: &usize| right.iter().filter(|c| **c == left[*at]).count();
        let open = (0..left.len()).filter(|at| orbits.size_of(sides.left[*at]) > 1);
        // Every point of `A` fixed by the group is one of `B`, or numbers would tell them apart.
        let Some(at) = open.min_by_key(size) else {
            return Ok(PointAnswer::GivenUp);
        };
        let Some(stabiliser) = group.at(sides.left[at], self.poll)? else {
            return Ok(PointAnswer::GivenUp);
        };
        let fixes = |map: &&PointPermutation| self.path.iter().all(|b| map.apply(*b) == *b);
        let known: Vec<PointPermutation> =
            self.automorphisms.iter().filter(fixes).cloned().collect();
        let mut refuted: Vec<RefutedPoint> = Vec::new();
        let partners = right.iter().zip(self.b).filter(|(c, _)| **c == left[at]);
        for partner in partners.map(|(_, b)| *b) {
            let why = match like(&known, &refuted, partner) {
                Some(why) => why,
                None => {
                    // Points of one colour are in one orbit.
                    let Some(step) = stabiliser.to.get(&partner) else {
                        return Ok(PointAnswer::GivenUp);
                    };
                    let (below, element) = (stabiliser.fixing.conjugated(step), element.then(step));
                    self.path.push(partner);
                    let answer = deep(|| self.answer(&below, &element))?;
                    self.path.pop();
                    match answer {
                        PointAnswer::Refuted(why) => PointRefutation::By { element, why },
                        other => return Ok(other),
                    }
                }
            };
            refuted.push(RefutedPoint { partner, why });
        }
        let pick = self.a[at];
        Ok(PointAnswer::Refuted(StructuralCertificate::Tree {
            pick,
            refuted,
        }))
    }
}

/// The certificate by the orbit of some points.
fn numbers(
    inside: PointCell,
    orbits: &mut PointOrbits,
    element: &PointPermutation,
) -> StructuralCertificate {
    let left = inside.left.first().map(|p| element.apply(*p));
    let member = left.or(inside.right.first().copied()).unwrap_or_default();
    let root = orbits.root_of(member);
    let mut all = orbits.orbits().into_iter();
    StructuralCertificate::Numbers {
        orbit: all
            .find(|orbit| orbit.contains(&root))
            .unwrap_or_else(|| vec![root]),
        inside,
    }
}

/// A product of known automorphisms that takes a point to one with a refutation of its own.
fn like(
    known: &[PointPermutation],
    refuted: &[RefutedPoint],
    point: u32,
) -> Option<PointRefutation> {
    let identity = PointPermutation::identity(known.first()?.degree());
    let inverses = known.iter().map(PointPermutation::inverse);
    let steps: Vec<PointPermutation> = known.iter().cloned().chain(inverses).collect();
    let by_itself = |of: u32| {
        let mut all = refuted.iter();
        all.any(|r| r.partner == of && matches!(r.why, PointRefutation::By { .. }))
    };
    let then = PointPermutation::then;
    let (partner, by) = way_to(
        (point, identity),
        &steps,
        (PointPermutation::apply, then),
        by_itself,
    )?;
    Some(PointRefutation::Like { partner, by })
}

/// Of the products of an element of the stabiliser of `A` and `given`, which takes `A` to `B`, one that moves the fewest
/// components; `of` has the component of each point. `None` if there are too many to try.
///
/// # Errors
/// Any error of `poll`.
pub fn fewest_moved(
    stabiliser: &PointGroup,
    given: &PointPermutation,
    of: &[u32],
    poll: Poll<'_>,
) -> Result<Option<PointPermutation>> {
    let PointGroup {
        degree,
        generators,
        order,
    } = stabiliser;
    if *order > ELEMENTS_MAX.into() {
        return Ok(None);
    }
    let chain = StabiliserChain::new(*degree, generators, &[], Some(order), poll)?;
    let Some(chain) = chain.filter(|chain| chain.order() == order) else {
        return Ok(None);
    };
    let image: Vec<u32> = (0..*degree).map(|p| of[given.apply(p) as usize]).collect();
    // One point of each component.
    let first = (0..*degree).filter(|p| *p == 0 || of[*p as usize] != of[*p as usize - 1]);
    let place = |p: u32| chain.support().binary_search(&p).ok();
    let first: Vec<(u32, Option<usize>)> = first.map(|p| (p, place(p))).collect();
    let (mut best, mut fewest) = (given.clone(), usize::MAX);
    let mut elements = chain.elements();
    while let Some(images) = elements.next() {
        poll(first.len())?;
        let moves = |(p, place): &&(u32, Option<usize>)| {
            let to = place.map_or(*p, |place| images[place]);
            image[to as usize] != of[*p as usize]
        };
        let moved = first.iter().filter(moves).count();
        if moved < fewest {
            (fewest, best) = (moved, chain.permutation(images).then(given));
        }
    }
    Ok(Some(best))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::hash::IndexSet;
    use proptest::prelude::*;

    fn of(images: &[u32]) -> PointPermutation {
        PointPermutation::new(images).expect("a permutation")
    }

    /// All elements, by multiplying until nothing is new.
    fn closure(degree: u32, generators: &[PointPermutation]) -> Vec<PointPermutation> {
        let mut all = IndexSet::from_iter([PointPermutation::identity(degree)]);
        let mut next = 0;
        while let Some(element) = all.get_index(next).cloned() {
            all.extend(generators.iter().map(|g| element.then(g)));
            next += 1;
        }
        all.into_iter().collect()
    }

    /// Permutations of `components`, each with `locals` local states, which follow along.
    fn acting(components: &[Vec<u32>], locals: u32) -> PointGroup {
        let degree = components[0].len() as u32 * locals;
        let lifted = |map: &Vec<u32>| {
            let image = |p: u32| map[(p / locals) as usize] * locals + p % locals;
            of(&(0..degree).map(image).collect::<Vec<_>>())
        };
        let generators: Vec<PointPermutation> = components.iter().map(lifted).collect();
        let order = closure(degree, &generators).len().into();
        PointGroup {
            degree,
            generators,
            order,
        }
    }

    fn rotation(n: u32) -> Vec<u32> {
        (0..n).map(|c| (c + 1) % n).collect()
    }

    fn state(locals: &[u32], kinds: u32) -> Vec<u32> {
        (0..).zip(locals).map(|(c, l)| c * kinds + l).collect()
    }

    fn sorted(mut points: Vec<u32>) -> Vec<u32> {
        points.sort_unstable();
        points
    }

    fn image(map: &PointPermutation, points: &[u32]) -> Vec<u32> {
        sorted(points.iter().map(|p| map.apply(*p)).collect())
    }

    fn answer(group: &PointGroup, a: &[u32], b: &[u32]) -> PointAnswer {
        let all = closure(group.degree, &group.generators);
        let fixing = all.iter().filter(|g| image(g, b) == sorted(b.to_vec()));
        let fixing: Vec<PointPermutation> = fixing.cloned().collect();
        refute(group, (a, b), &fixing, 1_000, &|_| Ok(())).expect("nothing stops it")
    }

    fn certificate(group: &PointGroup, a: &[u32], b: &[u32]) -> StructuralCertificate {
        match answer(group, a, b) {
            PointAnswer::Refuted(found) => found,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn numbers_of_tokens_in_a_ring_differ() {
        let ring = acting(&[rotation(4)], 2);
        let (a, b) = (state(&[1, 1, 0, 1], 2), state(&[0, 1, 1, 0], 2));
        let inside = PointCell {
            left: vec![4],
            right: vec![0, 6],
        };
        let orbit = vec![0, 2, 4, 6];
        let expected = StructuralCertificate::Numbers { orbit, inside };
        assert_eq!(certificate(&ring, &a, &b), expected);
    }

    #[test]
    fn neighbours_in_a_ring_are_told_apart_by_pairs() {
        let ring = acting(&[rotation(5)], 2);
        let (a, b) = (state(&[1, 1, 0, 0, 0], 2), state(&[1, 0, 1, 0, 0], 2));
        let StructuralCertificate::Pairs(found) = certificate(&ring, &a, &b) else {
            panic!("pairs do not tell them apart");
        };
        assert_eq!(found.round, 1);
        assert_ne!(found.because.times, found.because.others);
    }

    /// Components are the edges of a complete graph on six vertices, which are permuted in all ways; a state is a graph.
    /// A cycle of six edges and two triangles are alike to every counting of pairs.
    #[test]
    fn a_cycle_and_two_triangles_need_a_tree() {
        let edges: Vec<(u32, u32)> = (0..6).flat_map(|a| (0..a).map(move |b| (b, a))).collect();
        let moved = |map: [u32; 6]| -> Vec<u32> {
            let image = |(a, b): &(u32, u32)| {
                let (a, b) = (map[*a as usize], map[*b as usize]);
                let edge = (a.min(b), a.max(b));
                edges.iter().position(|e| *e == edge).expect("an edge") as u32
            };
            edges.iter().map(image).collect()
        };
        let graphs = acting(&[moved([1, 2, 3, 4, 5, 0]), moved([1, 0, 2, 3, 4, 5])], 2);
        assert_eq!(graphs.order, 720u32.into());
        let state = |graph: &[(u32, u32)]| {
            let is_edge = |e: &(u32, u32)| u32::from(graph.contains(e));
            state(&edges.iter().map(is_edge).collect::<Vec<_>>(), 2)
        };
        let cycle = state(&[(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (0, 5)]);
        let triangles = state(&[(0, 1), (1, 2), (0, 2), (3, 4), (4, 5), (3, 5)]);
        let StructuralCertificate::Tree { refuted, .. } = certificate(&graphs, &cycle, &triangles)
        else {
            panic!("counting tells them apart");
        };
        let alike = |r: &&RefutedPoint| matches!(r.why, PointRefutation::Like { .. });
        let count = refuted.iter().filter(alike).count();
        assert_eq!(count + 1, refuted.len(), "{refuted:?}");
    }

    /// Checks a certificate against all elements that take the points picked so far to their images.
    fn holds(
        all: &[PointPermutation],
        (a, b): (&[u32], &[u32]),
        picked: &[(u32, u32)],
        found: &StructuralCertificate,
    ) -> bool {
        let takes = |g: &&PointPermutation| picked.iter().all(|(p, q)| g.apply(*p) == *q);
        let allowed: Vec<&PointPermutation> = all.iter().filter(takes).collect();
        match found {
            StructuralCertificate::Numbers { orbit, inside } => {
                let to = |p: u32, q: u32| allowed.iter().any(|g| g.apply(p) == q);
                let left = a.iter().filter(|p| orbit.iter().any(|q| to(**p, *q)));
                let right = b.iter().filter(|q| orbit.contains(q));
                let both = (left.count(), right.count());
                let closed = orbit.iter().all(|q| {
                    allowed.iter().all(|g| {
                        let back = g.inverse();
                        allowed
                            .iter()
                            .all(|h| orbit.contains(&h.apply(back.apply(*q))))
                    })
                });
                closed && both == (inside.left.len(), inside.right.len()) && both.0 != both.1
            }
            StructuralCertificate::Pairs(found) => {
                found.class.left.len() != found.class.right.len()
            }
            StructuralCertificate::Tree { pick, refuted } => b.iter().all(|q| {
                let below = [picked, &[(*pick, *q)]].concat();
                match refuted.iter().find(|r| r.partner == *q).map(|r| &r.why) {
                    None => !allowed
                        .iter()
                        .any(|g| g.apply(*pick) == *q && image(g, a) == b),
                    Some(PointRefutation::By { element, why }) => {
                        let takes = below.iter().all(|(p, q)| element.apply(*p) == *q);
                        takes && all.contains(element) && holds(all, (a, b), &below, why)
                    }
                    Some(PointRefutation::Like { partner, by }) => {
                        let fixes = picked.iter().all(|(_, q)| by.apply(*q) == *q);
                        fixes && by.apply(*q) == *partner && image(by, b) == b
                    }
                }
            }),
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]
        /// A permutation is found exactly if there is one, and the one that moves the fewest components moves no more than
        /// any other.
        #[test]
        fn answers_agree_with_all_elements(
            maps in proptest::collection::vec(Just((0u32..5).collect::<Vec<_>>()).prop_shuffle(), 1..3),
            a in proptest::collection::vec(0u32..2, 5),
            b in proptest::collection::vec(0u32..2, 5),
        ) {
            let group = acting(&maps, 2);
            let (a, b) = (state(&a, 2), state(&b, 2));
            let all = closure(group.degree, &group.generators);
            let of: Vec<u32> = (0..group.degree).map(|p| p / 2).collect();
            let moved = |g: &PointPermutation| (0..5).filter(|c| of[g.apply(2 * c) as usize] != *c).count();
            let ways: Vec<&PointPermutation> = all.iter().filter(|g| image(g, &a) == b).collect();
            match answer(&group, &a, &b) {
                PointAnswer::Found(map) => {
                    prop_assert!(ways.contains(&&map));
                    let fixing = all.iter().filter(|g| image(g, &a) == a).cloned().collect();
                    let stabiliser = PointGroup { generators: fixing, order: ways.len().into(), ..group };
                    let least = fewest_moved(&stabiliser, &map, &of, &|_| Ok(())).expect("nothing stops it");
                    let least = least.expect("they are few");
                    prop_assert!(ways.contains(&&least));
                    prop_assert_eq!(ways.iter().map(|g| moved(g)).min(), Some(moved(&least)));
                }
                PointAnswer::Refuted(found) => {
                    prop_assert!(ways.is_empty());
                    prop_assert!(holds(&all, (&a, &b), &[], &found), "{:?}", found);
                }
                PointAnswer::GivenUp => prop_assert!(false, "it was given up"),
            }
        }
    }
}
