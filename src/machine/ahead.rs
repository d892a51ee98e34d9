//! Exploring a component on its own, ahead of the search.
//!
//! What a component can reach by itself tells the events that make rules, the width of its codes in
//! packed states, and which of its states are bisimilar. It may be much more than the network ever needs,
//! or have no end: an unbounded queue beside a process that fails at once. So only so much is explored
//! before the search; a component that is larger is explored on demand. Whenever that shows an event that
//! makes new rules, the component is explored twice as far as before, since each such event makes all rules
//! anew. What was found to be all that a component can reach before the search stays all that is called
//! complete.
//!
//! A parallel composition that a component reaches is not explored as a state of that component where the
//! network will take it apart: its interleavings may be very many more than the local states of its parts,
//! and the search never sees them.

use super::format::{Component, Reach, Tree};
use super::mappable::generators;
use super::rules::Rules;
use super::turns::{is_at_root, may_change};
use super::{LocalId, Machine};
use crate::source::diagnostic::Result;
use crate::source::hash::IndexSet;

/// Local states explored between two looks at the limits.
const POLL_EVERY: usize = 64;
/// Local states of a component that are explored before the search.
const FIRST: usize = 20_000;
/// How much is done to explore a component before the search, as [`Machine::effort`] counts.
const EFFORT: usize = 2_000_000;

/// A component, and how far it may be explored.
pub(super) struct Place<'a> {
    pub(super) tree: &'a Tree,
    pub(super) components: &'a [Component],
    pub(super) component: usize,
    /// Local states at most.
    pub(super) most: usize,
}

/// How far a component was explored that was not explored to the end.
#[derive(Debug, Default)]
pub(super) struct Ahead {
    met: IndexSet<LocalId>,
    /// The first of `met` that was not expanded.
    at: usize,
    effort: usize,
    /// Whether evaluation failed: then there is no going on.
    failed: bool,
}

impl Machine {
    /// Explores what a component can reach on its own. Stops quietly at an evaluation error or at the
    /// limit: then the component is explored on demand.
    pub(super) fn explore_ahead(
        &mut self,
        place: &Place<'_>,
        initial: LocalId,
        rules: &mut Rules,
    ) -> Reach {
        let mut ahead = Ahead::default();
        ahead.met.insert(initial);
        let bounds = (place.most.min(FIRST), EFFORT);
        let complete = self.explore(place, &mut ahead, bounds, rules);
        let locals = ahead.met.iter().copied().collect();
        let done = ahead.at >= ahead.met.len();
        Reach {
            locals,
            complete,
            ahead: if done { Ahead::default() } else { ahead },
        }
    }

    /// Explores a component that was not explored to the end twice as far as before.
    pub(super) fn explore_further(
        &mut self,
        place: &Place<'_>,
        reach: &mut Reach,
        rules: &mut Rules,
    ) {
        let ahead = &mut reach.ahead;
        let bounds = (
            (2 * ahead.met.len()).min(place.most),
            (2 * ahead.effort).max(EFFORT),
        );
        if ahead.at < ahead.met.len() && !ahead.failed {
            self.explore(place, ahead, bounds, rules);
        }
    }

    /// Goes on until there are more than so many local states or the effort is more than that; whether
    /// everything was explored.
    fn explore(
        &mut self,
        place: &Place<'_>,
        ahead: &mut Ahead,
        (most, effort): (usize, usize),
        rules: &mut Rules,
    ) -> bool {
        let mut complete = true;
        while ahead.at < ahead.met.len() {
            let local = ahead.met[ahead.at];
            let stop = ahead.at.is_multiple_of(POLL_EVERY) && self.eval.check_time().is_err();
            if !stop && ahead.at > 0 && self.is_taken_apart(place, local).unwrap_or(false) {
                // It may stay inside all the same: below operators that end, or because of the rules.
                let is_static = self.locals.shape(self.locals.shape_of(local)).is_static;
                complete &= is_static && self.atoms.is_empty();
                ahead.at += 1;
                continue;
            }
            // Terms that grow without bound take more and more time each.
            let enough = ahead.met.len() > most || ahead.effort > effort;
            if stop || enough {
                return false;
            }
            if self.expand(local).is_err() {
                ahead.failed = true;
                return false;
            }
            if self.note_events(rules, place.component, local).is_err() {
                return false;
            }
            ahead.effort += self.effort(local);
            let transitions = self.locals.transitions(local).unwrap_or(&[]);
            ahead.met.extend(transitions.iter().map(|t| t.1));
            ahead.at += 1;
        }
        complete
    }
    /// Whether a component that reaches a local state changes the format, as far as components tell:
    /// permutations have to map those of the new format to each other ([`super::mappable`]). Its rules are
    /// not known before it is made.
    fn is_taken_apart(&mut self, place: &Place<'_>, local: LocalId) -> Result<bool> {
        let component = place.component;
        if !may_change(&self.locals, place.tree, component as u16, local) {
            return Ok(false);
        }
        if self.atoms.is_empty() {
            return Ok(true);
        }
        let kept_together = self.kept_together;
        let term = self.term_of(local);
        let unrolled = if is_at_root(place.tree, component as u16) {
            self.unroll_at_root(term)
        } else {
            self.unroll(term)
        };
        // Whether the search comes here is not known yet.
        self.kept_together = kept_together;
        let unrolled = unrolled?;
        if matches!(unrolled.tree, Tree::Leaf(_)) {
            return Ok(false);
        }
        let mut labels: Vec<LocalId> = place.components.iter().map(|c| c.initial).collect();
        labels.splice(component..=component, unrolled.leaves);
        labels.sort_unstable();
        Ok(generators(&self.atoms).iter().all(|generator| {
            let image = |l: &LocalId| self.permute_local(*l, &generator.image);
            let mut images: Vec<LocalId> = labels.iter().map(image).collect();
            images.sort_unstable();
            images == labels
        }))
    }
}
