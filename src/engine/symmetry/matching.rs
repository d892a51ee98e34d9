//! The pairwise test of SMC: a search for a permutation that takes one state to another.
//!
//! Classes of values are refined in both states together ([`super::joint`]). Where they agree to the end,
//! a value of the one state is mapped to each partner in the other in turn, until every value has an image;
//! then the permutation is applied.

use super::context::StateContext;
use super::joint::{Classes, Joint};
use super::witness::takes;
use crate::machine::Miss;
use crate::source::stack::deep;
use crate::value::Atom;

/// Outcome of a test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PairwiseAnswer {
    /// A permutation that takes one to the other, up to exchanges of copies.
    Alike(Vec<Atom>),
    /// There is none.
    Different,
    /// The test was given up at its bound.
    GivenUp,
}

/// Searches for a permutation that takes `a` to `b` and that `accepts` admits (it checks
/// the effect on the specification's state). Expands at most `nodes` nodes.
///
/// An image that the tables do not hold.
/// An image that the tables do not hold.
pub fn alike<E: From<Miss>>(
    a: &StateContext<'_>,
    b: &StateContext<'_>,
    nodes_max: usize,
    accepts: impl FnMut(&[Atom]) -> Result<bool, E>,
) -> Result<PairwiseAnswer, E> {
    if a.format != b.format || a.spec_atoms.len() != b.spec_atoms.len() {
        return Ok(PairwiseAnswer::Different);
    }
    let joint = Joint::new(a, b);
    if joint.compare_keys().is_some() {
        return Ok(PairwiseAnswer::Different);
    }
    let mut classes = joint.start();
    if a.spec_atoms_ordered && b.spec_atoms_ordered {
        // The first goes to the first, and so on.
        for (left, right) in a.spec_atoms.iter().zip(b.spec_atoms) {
            if a.atoms.kind(*left) != b.atoms.kind(*right) {
                return Ok(PairwiseAnswer::Different);
            }
            classes = joint.set_apart(&classes, *left, *right);
        }
    }
    let mut matching = Matching {
        a,
        b,
        joint: &joint,
        accepts,
        nodes: nodes_max,
    };
    matching.descend(classes)
}

struct Matching<'a, 'b, F> {
    a: &'a StateContext<'b>,
    b: &'a StateContext<'b>,
    joint: &'a Joint<'b>,
    accepts: F,
    /// Number of nodes that may still be expanded.
    nodes: usize,
}

impl<F> Matching<'_, '_, F> {
    fn descend<E: From<Miss>>(&mut self, mut classes: Classes) -> Result<PairwiseAnswer, E>
    where
        F: FnMut(&[Atom]) -> Result<bool, E>,
    {
        if self.nodes == 0 || self.a.locals.is_interrupted() {
            return Ok(PairwiseAnswer::GivenUp);
        }
        self.nodes -= 1;
        if self.joint.refine(&mut classes).is_err() {
            return Ok(PairwiseAnswer::Different);
        }
        // Values that only the specification mentions have to be distinguished, too.
        let cell = self.joint.choose(&classes);
        let Some(cell) = cell.or_else(|| self.joint.choose_among(&classes, self.a.spec_atoms))
        else {
            let image = self.joint.image(&classes);
            let is_it = takes(self.a, self.b, &image)? && (self.accepts)(&image)?;
            return Ok(match is_it {
                true => PairwiseAnswer::Alike(image),
                false => PairwiseAnswer::Different,
            });
        };
        for partner in cell.right {
            let below = self.joint.set_apart(&classes, cell.left[0], partner);
            match deep(|| self.descend(below))? {
                PairwiseAnswer::Different => {}
                answer => return Ok(answer),
            }
        }
        Ok(PairwiseAnswer::Different)
    }
}
