//! Orbit comparison of two states: a permutation that takes one to the other, or a proof that there is none.
//!
//! The answer does not depend on the correctness of the search. A permutation is applied before it is reported,
//! and its absence is shown by a certificate ([`super::certificate`]) that can be checked without this crate. If
//! neither is found within the bounds, the comparison is undecided.
//!
//! 1. The components are counted by key, and classes of values are refined in both states together: most
//!    states of different orbits differ in that.
//! 2. Where they do not, `exact` gives both states their representatives. If these are equal, the permutation
//!    of `A` followed by the inverse of that of `B` takes `A` to `B`.
//! 3. Otherwise a tree of choices is refuted, with the automorphisms that `exact` has found on the way.
//!
//! The values of a specification play no part: states are compared, not pairs.

use super::Permutation;
use super::certificate::Certificate;
use super::context::StateContext;
use super::exact::Exact;
use super::joint::Joint;
use super::refute::{Answer, Refuting};
use super::strategy::Representative;
use super::watch::Automorphisms;
use super::witness::{self, OrbitWitness};
use crate::machine::order::Order;
use crate::machine::{LocalId, Miss};
use crate::value::Atom;

/// Nodes of a certificate's tree that are expanded at most.
pub const NODES_MAX: usize = 10_000;
/// Nodes of the search for a permutation that moves few values that are expanded at most in large groups.
const LEAST_NODES_MAX: usize = 2_000;
/// Order of a group up to which that search goes on to its end: its tree has fewer than four nodes for each element.
const ELEMENTS_MAX: u64 = 100_000;

/// Relation of two states of one network, `A` and `B`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Relation {
    /// They are the same state.
    Same,
    /// They are of one orbit.
    SameOrbit(OrbitWitness),
    /// They are of different orbits, but of one once bisimilar local states are merged (Sec. 7.4).
    Bisimilar {
        /// The permutation from one to the other once they are merged.
        witness: OrbitWitness,
        /// The components of `A` whose local states are only bisimilar to those of their images.
        components: Vec<u16>,
    },
    /// They are of different orbits, with a proof.
    Different(Certificate),
    /// They are of different formats. Orbits are known within one format only, so this is left open.
    OtherFormat,
    /// The search was given up at its bound.
    Undecided {
        /// Number of nodes that were expanded.
        nodes: usize,
    },
}

/// Comparison of two states. It keeps its results, so that it can be resumed after a miss, once the tables hold
/// the missing image.
#[derive(Debug)]
pub struct Comparing {
    nodes_max: usize,
    out: Representative,
    /// Results of `exact` for both states, and for both with bisimilar local states merged.
    known: [Option<Exactly>; 4],
}

/// The result of `exact` for a state.
#[derive(Debug)]
struct Exactly {
    image: Vec<Atom>,
    locals: Vec<LocalId>,
    stabiliser: Option<Order>,
    /// Known automorphisms of the state.
    automorphisms: Vec<Vec<Atom>>,
}

/// The states that a comparison is about.
#[derive(Clone, Copy)]
enum Of {
    Given = 0,
    Merged = 2,
}

impl Default for Comparing {
    fn default() -> Self {
        Self::within(NODES_MAX)
    }
}

impl Comparing {
    /// A comparison that expands at most this many nodes.
    #[must_use]
    pub fn within(nodes_max: usize) -> Self {
        Self {
            nodes_max,
            out: Representative::default(),
            known: [None, None, None, None],
        }
    }

    /// The relation of two states: the same two in every call.
    ///
    /// # Errors
    /// An image that the tables do not hold.
    pub fn relation(
        &mut self,
        a: &StateContext<'_>,
        b: &StateContext<'_>,
    ) -> Result<Relation, Miss> {
        // Permutations are applied within a format. They might still take one process to the other: its operators may
        // hold values that no rule of the format shows any more.
        if a.format != b.format {
            return Ok(Relation::OtherFormat);
        }
        if a.state == b.state {
            return Ok(Relation::Same);
        }
        match self.orbits(a, b, Of::Given)? {
            Relation::SameOrbit(witness) => Ok(Relation::SameOrbit(witness)),
            other => Ok(self.bisimilar(a, b)?.unwrap_or(other)),
        }
    }

    /// The same without merging.
    fn orbits(
        &mut self,
        a: &StateContext<'_>,
        b: &StateContext<'_>,
        of: Of,
    ) -> Result<Relation, Miss> {
        let joint = Joint::new(a, b);
        if let Some((key, left, right)) = joint.compare_keys() {
            return Ok(Relation::Different(Certificate::Keys { key, left, right }));
        }
        let mut classes = joint.start();
        if let Err(profile) = joint.refine(&mut classes) {
            return Ok(Relation::Different(Certificate::Profile(profile)));
        }
        let (here, there) = (of as usize, of as usize + 1);
        self.represent(a, here)?;
        self.represent(b, there)?;
        let [Some(first), Some(second)] = [&self.known[here], &self.known[there]] else {
            return Ok(Relation::Undecided { nodes: 0 });
        };
        let mut found = None;
        if first.locals == second.locals {
            let back = Permutation::from_image(&second.image).inverse();
            let image = Permutation::from_image(&first.image).then(&back);
            if witness::takes(a, b, image.image())? {
                found = Some(image.image().to_vec());
            }
        }
        if found.is_none() {
            let mut refuting = Refuting {
                a,
                b,
                joint: &joint,
                automorphisms: &second.automorphisms,
                nodes: self.nodes_max,
                path: Vec::new(),
            };
            match refuting.answer(joint.start())? {
                Answer::Refuted(certificate) => return Ok(Relation::Different(certificate)),
                // `exact` may have been given up, and the tree may still find a permutation.
                Answer::Found(image) => found = Some(image),
                Answer::GivenUp => {}
            }
        }
        let Some(given) = found else {
            return Ok(Relation::Undecided {
                nodes: self.nodes_max,
            });
        };
        let witness = witness(a, b, &joint, &given, first.stabiliser.clone())?;
        Ok(witness.map_or(Relation::Undecided { nodes: 0 }, Relation::SameOrbit))
    }

    /// Runs `exact` on a state, unless its result is known.
    fn represent(&mut self, context: &StateContext<'_>, slot: usize) -> Result<(), Miss> {
        if self.known[slot].is_some() {
            return Ok(());
        }
        let mut automorphisms = Automorphisms::default();
        self.out.counting = true;
        self.out.stabiliser = None;
        Exact.watched(context, &mut self.out, &mut automorphisms)?;
        self.known[slot] = Some(Exactly {
            image: self.out.image.clone(),
            locals: self.out.locals.clone(),
            stabiliser: self.out.stabiliser.take(),
            automorphisms: automorphisms.0,
        });
        Ok(())
    }

    /// Compares the orbits of the two states once bisimilar local states are merged.
    fn bisimilar(
        &mut self,
        a: &StateContext<'_>,
        b: &StateContext<'_>,
    ) -> Result<Option<Relation>, Miss> {
        let merged = a.network.format(a.format).merged();
        let (mut left, mut right) = (a.state.to_vec(), b.state.to_vec());
        merged.apply(&mut left);
        merged.apply(&mut right);
        if left == a.state && right == b.state {
            return Ok(None);
        }
        let one = StateContext { state: &left, ..*a };
        let other = StateContext {
            state: &right,
            ..*b
        };
        let Relation::SameOrbit(witness) = self.orbits(&one, &other, Of::Merged)? else {
            return Ok(None);
        };
        let image = witness.permutation.image();
        let mut components = Vec::new();
        for (component, to) in (0..).zip(&witness.arrows) {
            let local = a.locals.permute(a.state[usize::from(component)], image)?;
            if local != b.state[usize::from(*to)] {
                components.push(component);
            }
        }
        Ok(Some(Relation::Bisimilar {
            witness,
            components,
        }))
    }
}

/// The witness with the fewest moved values, from any permutation that takes `A` to `B`.
fn witness(
    a: &StateContext<'_>,
    b: &StateContext<'_>,
    joint: &Joint<'_>,
    given: &[Atom],
    ways: Option<Order>,
) -> Result<Option<OrbitWitness>, Miss> {
    let elements = (0..a.atoms.kinds()).try_fold(1u64, |product, kind| {
        let values = a.atoms.atoms(kind as u8).len() as u64;
        (1..=values).try_fold(product, u64::checked_mul)
    });
    let elements = elements.filter(|elements| *elements <= ELEMENTS_MAX);
    let nodes = elements.map_or(0, |elements| 4 * elements as usize);
    let nodes = nodes.max(LEAST_NODES_MAX);
    let (image, is_least) = witness::least(a, b, joint, given, nodes)?;
    let permutation = Permutation::from_image(&image);
    let arrows = witness::arrows(a, b, &image)?;
    Ok(arrows.map(|arrows| OrbitWitness {
        moved: witness::moved(&image),
        permutation,
        arrows,
        is_least,
        ways,
    }))
}
