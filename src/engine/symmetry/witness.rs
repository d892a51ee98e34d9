//! Witnesses that two states are in one orbit: a permutation, the image of each component, and a permutation
//! that moves as few values as possible.
//!
//! The last is a branch-and-bound search. Values are classified in both states together ([`super::joint`]);
//! a permutation takes class to class, so of each class at least those values move that are members in
//! one state only. A value is chosen, and each value of its class is tried as its image, itself first. A
//! branch whose bound is no better than the best result is pruned, and so the first branch is often the
//! only one. If all branches were tried, nothing moves fewer values; if there were too many, the
//! best result is taken, and reported as uncertain.

use super::Permutation;
use super::certificate::Cell;
use super::context::StateContext;
use super::joint::{Classes, Joint};
use crate::machine::order::Order;
use crate::machine::{LocalId, Miss};
use crate::source::stack::deep;
use crate::value::Atom;

/// A permutation that takes `A` to `B`, up to exchanges of copies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OrbitWitness {
    /// The permutation `π`.
    pub permutation: Permutation,
    /// For each component of `A` its image in `B`. Copies with the same local state are fixed where possible.
    pub arrows: Vec<u16>,
    /// Number of values that `π` moves.
    pub moved: usize,
    /// Whether it is certain that no permutation that takes `A` to `B` moves fewer.
    pub is_least: bool,
    /// Number of ways to take `A` to `B` by permutations of values and exchanges of copies:
    /// `|Stab(A)|`. `None` if that is not known.
    pub ways: Option<Order>,
}

/// Whether a permutation takes `A` to `B`, up to exchanges of copies.
///
/// # Errors
/// An image that the tables do not hold.
pub fn takes(a: &StateContext<'_>, b: &StateContext<'_>, image: &[Atom]) -> Result<bool, Miss> {
    let mut found = Vec::new();
    a.image(image, &mut found)?;
    let mut wanted = b.state.to_vec();
    b.network.format(b.format).copies().settle(&mut wanted);
    Ok(a.format == b.format && found == wanted)
}

/// The image in `B` of each component of `A`, if the permutation takes `A` to `B`.
///
/// # Errors
/// An image that the tables do not hold.
pub(super) fn arrows(
    a: &StateContext<'_>,
    b: &StateContext<'_>,
    image: &[Atom],
) -> Result<Option<Vec<u16>>, Miss> {
    let format = a.network.format(a.format);
    let mut arrows = Vec::with_capacity(a.state.len());
    let mut images = Vec::with_capacity(a.state.len());
    for (component, local) in a.state.iter().enumerate() {
        let to = format.component_image(a.locals, component, image)?;
        arrows.push(to.unwrap_or(component) as u16);
        images.push(a.locals.permute(*local, image)?);
    }
    for set in format.copies().sets() {
        pair_copies(set, &images, b.state, &mut arrows);
    }
    let mut both = arrows.iter().zip(&images);
    let agree = both.all(|(to, image)| b.state[usize::from(*to)] == *image);
    Ok(agree.then_some(arrows))
}

/// Pairs copies, which may be exchanged: each goes to one with the same local state.
fn pair_copies(set: &[u16], images: &[LocalId], wanted: &[LocalId], arrows: &mut [u16]) {
    let stays = |c: &u16| images[usize::from(*c)] == wanted[usize::from(*c)];
    let mut free: Vec<u16> = set.iter().copied().filter(|c| !stays(c)).collect();
    for copy in set {
        let image = images[usize::from(*copy)];
        let place = free.iter().position(|to| wanted[usize::from(*to)] == image);
        arrows[usize::from(*copy)] = match place {
            Some(place) if !stays(copy) => free.remove(place),
            _ => *copy,
        };
    }
}

/// How many values a permutation moves.
pub(super) fn moved(image: &[Atom]) -> usize {
    let moves = |(from, to): &(usize, &Atom)| *from != usize::from(to.0);
    image.iter().enumerate().filter(moves).count()
}

/// Searches for a permutation from `A` to `B` that moves as few values as possible, starting from a given one, in
/// at most `nodes` nodes. The flag says whether certainly none moves fewer.
///
/// # Errors
/// An image that the tables do not hold.
pub(super) fn least(
    a: &StateContext<'_>,
    b: &StateContext<'_>,
    joint: &Joint<'_>,
    given: &[Atom],
    nodes_max: usize,
) -> Result<(Vec<Atom>, bool), Miss> {
    let mut search = LeastMoveSearch {
        a,
        b,
        joint,
        best: given.to_vec(),
        moved: moved(given),
        nodes: nodes_max,
    };
    let mut classes = joint.start();
    // They are of one orbit, so no class has different numbers of members.
    if joint.refine(&mut classes).is_ok() {
        search.descend(&classes)?;
    }
    let is_certain = search.nodes > 0;
    Ok((search.best, is_certain))
}

struct LeastMoveSearch<'a, 'b> {
    a: &'a StateContext<'b>,
    b: &'a StateContext<'b>,
    joint: &'a Joint<'b>,
    best: Vec<Atom>,
    moved: usize,
    /// Number of nodes that may still be expanded.
    nodes: usize,
}

impl LeastMoveSearch<'_, '_> {
    fn descend(&mut self, classes: &Classes) -> Result<(), Miss> {
        if self.bound(classes) >= self.moved || self.nodes == 0 {
            return Ok(());
        }
        let Some(cell) = self.joint.choose(classes) else {
            let image = self.joint.image(classes);
            if moved(&image) < self.moved && takes(self.a, self.b, &image)? {
                self.moved = moved(&image);
                self.best = image;
            }
            return Ok(());
        };
        // A value that may be fixed, if there is one.
        let stays = cell.left.iter().find(|atom| cell.right.contains(atom));
        let chosen = stays.unwrap_or(&cell.left[0]);
        let mut partners = cell.right.clone();
        partners.sort_by_key(|partner| partner != chosen);
        for partner in partners {
            if self.nodes == 0 || self.a.locals.is_interrupted() {
                self.nodes = 0;
                break;
            }
            self.nodes -= 1;
            let mut below = self.joint.set_apart(classes, *chosen, partner);
            if self.joint.refine(&mut below).is_ok() {
                deep(|| self.descend(&below))?;
            }
        }
        Ok(())
    }

    /// A lower bound on the number of values moved.
    fn bound(&self, classes: &Classes) -> usize {
        let cells = self.joint.cells(classes);
        let alone = |cell: &Cell| {
            let left = cell.left.iter();
            left.filter(|atom| !cell.right.contains(atom)).count()
        };
        cells.iter().map(alone).sum()
    }
}
