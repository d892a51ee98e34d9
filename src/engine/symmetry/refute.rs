//! The search for a certificate that no permutation takes one state to another.
//!
//! Classes of values are refined in both states together; where they agree to the end, a value of `A` is
//! chosen, and each partner in `B` is refuted in turn ([`super::certificate`]). Of partners in one orbit of the
//! known automorphisms of `B` one is refuted, and for each other one the certificate has the automorphism.

use super::Permutation;
use super::certificate::{Certificate, Refutation, Refuted};
use super::context::StateContext;
use super::joint::{Classes, Joint};
use super::witness::takes;
use crate::machine::Miss;
use crate::source::stack::deep;
use crate::value::Atom;

/// Outcome of the search.
#[derive(Debug)]
pub(super) enum Answer {
    /// No permutation takes `A` to `B`.
    Refuted(Certificate),
    /// A permutation that does.
    Found(Vec<Atom>),
    /// The search was given up.
    GivenUp,
}

/// The search for two states.
pub(super) struct Refuting<'a, 'b> {
    pub(super) a: &'a StateContext<'b>,
    pub(super) b: &'a StateContext<'b>,
    pub(super) joint: &'a Joint<'b>,
    /// Known automorphisms of `B`.
    pub(super) automorphisms: &'a [Vec<Atom>],
    /// Number of nodes that may still be expanded.
    pub(super) nodes: usize,
    /// The images chosen so far.
    pub(super) path: Vec<Atom>,
}

impl Refuting<'_, '_> {
    /// Searches for a certificate, given the present classes.
    pub(super) fn answer(&mut self, mut classes: Classes) -> Result<Answer, Miss> {
        if self.nodes == 0 || self.a.locals.is_interrupted() {
            return Ok(Answer::GivenUp);
        }
        self.nodes -= 1;
        if let Err(profile) = self.joint.refine(&mut classes) {
            return Ok(Answer::Refuted(Certificate::Profile(profile)));
        }
        let Some(cell) = self.joint.choose(&classes) else {
            let image = self.joint.image(&classes);
            return Ok(match takes(self.a, self.b, &image)? {
                true => Answer::Found(image),
                false => Answer::Refuted(Certificate::Image(Permutation::from_image(&image))),
            });
        };
        let pick = cell.left[0];
        // Automorphisms that fix the images chosen so far.
        let stay = |map: &&Vec<Atom>| self.path.iter().all(|b| map[usize::from(b.0)] == *b);
        let known: Vec<&Vec<Atom>> = self.automorphisms.iter().filter(stay).collect();
        let mut refuted: Vec<Refuted> = Vec::new();
        for partner in cell.right {
            let why = match like(&known, &refuted, partner) {
                Some(why) => why,
                None => {
                    let below = self.joint.set_apart(&classes, pick, partner);
                    self.path.push(partner);
                    // The recursion has one level a value, and there may be some hundred.
                    let answer = deep(|| self.answer(below))?;
                    self.path.pop();
                    match answer {
                        Answer::Refuted(certificate) => Refutation::By(certificate),
                        other => return Ok(other),
                    }
                }
            };
            refuted.push(Refuted { partner, why });
        }
        Ok(Answer::Refuted(Certificate::Tree { pick, refuted }))
    }
}

/// A product of known automorphisms that takes a value to one with a refutation of its own.
fn like(known: &[&Vec<Atom>], refuted: &[Refuted], value: Atom) -> Option<Refutation> {
    if known.is_empty() {
        return None;
    }
    let by_itself = |of: Atom| {
        let mut all = refuted.iter();
        all.any(|r| r.partner == of && matches!(r.why, Refutation::By(_)))
    };
    let steps = known.iter().flat_map(|map| {
        let step = Permutation::from_image(map);
        let back = step.inverse();
        [step, back]
    });
    let steps: Vec<Permutation> = steps.collect();
    let identity = Permutation::identity(known[0].len());
    let acts = (Permutation::apply, Permutation::then);
    let (partner, by) = way_to((value, identity), &steps, acts, by_itself)?;
    Some(Refutation::Like { partner, by })
}

/// A product of `steps` that takes a value to a wanted one, and that value, by breadth-first search. `start` is the value
/// with the identity; permutations are applied and multiplied by the functions of `acts`.
pub(super) fn way_to<V: Copy + PartialEq, P: Clone>(
    start: (V, P),
    steps: &[P],
    (apply, then): (impl Fn(&P, V) -> V, impl Fn(&P, &P) -> P),
    is_wanted: impl Fn(V) -> bool,
) -> Option<(V, P)> {
    let mut met = vec![start];
    let mut at = 0;
    while let Some((here, way)) = met.get(at).cloned() {
        if is_wanted(here) {
            return Some((here, way));
        }
        for step in steps {
            let next = apply(step, here);
            if met.iter().all(|(other, _)| *other != next) {
                met.push((next, then(&way, step)));
            }
        }
        at += 1;
    }
    None
}
