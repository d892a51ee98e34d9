//! Reachable local states of a component on its own, explored ahead of the search.
//!
//! They determine the events that make rules, the width of the component's codes in
//! packed states, and its bisimilar states. There may be far more than the network ever needs,
//! or infinitely many: an unbounded queue beside a process that fails at once. So only a bounded part is explored
//! before the search; a larger component is explored on demand. Whenever that shows an event that
//! makes new rules, the component is explored twice as far as before, since each such event derives all rules
//! again. Only a component that was explored completely before the search is ever
//! called complete.
//!
//! A parallel composition that a component reaches is not explored as a state of that component where the
//! network will unroll it: its interleavings may be far more than the local states of its parts,
//! and the search never visits them.

use super::composition::Composition;
use super::generators::generators;
use super::ids::LocalId;
use super::seen::Seen;
use super::shared::Machine;
use super::tree::Tree;
use super::unroll::{unroll, unroll_at_root};
use crate::source::Diagnostic;
use crate::source::diagnostic::Result;
use crate::source::hash::IndexSet;

/// Local states explored between two checks of the limits.
const POLL_EVERY: usize = 64;
/// Local states of a component that are explored before the search, at most.
const FIRST: usize = 65_536;
/// Effort to explore a component before the search, at most ([`Machine::effort`]).
const EFFORT: usize = 2_000_000;

/// Bounds on the exploration of a component.
#[derive(Clone, Copy, Debug)]
pub(super) struct ExploreBounds {
    /// Local states before the search.
    first: usize,
    /// Effort before the search.
    effort: usize,
    /// Local states at most.
    most: usize,
}

impl ExploreBounds {
    /// Bounds where the search can go on with the unexplored part.
    pub(super) fn ahead(most: usize) -> Self {
        Self {
            first: most.min(FIRST),
            effort: EFFORT,
            most,
        }
    }

    /// Bounds for a compressed process, which is wanted completely: it was explored to compress it.
    pub(super) fn to_the_end(most: usize) -> Self {
        Self {
            first: most,
            effort: usize::MAX,
            most,
        }
    }
}

/// A component, and the bounds of its exploration.
pub(super) struct ExploredComponent<'a> {
    pub(super) composition: &'a Composition,
    pub(super) component: usize,
    pub(super) bounds: ExploreBounds,
}

/// The local states that a component reaches on its own, as far as explored.
#[derive(Clone, Debug, Default)]
pub struct Reach {
    /// In order of discovery: the position is the code of the local state in a packed state. Fixed once
    /// the search begins.
    pub locals: Vec<LocalId>,
    /// Whether `locals` is complete.
    pub complete: bool,
    /// The frontier to go on from if it is not.
    ahead: ExploredAhead,
}

/// The unfinished exploration of a component.
#[derive(Clone, Debug, Default)]
struct ExploredAhead {
    met: IndexSet<LocalId>,
    /// Index of the first unexpanded entry of `met`.
    at: usize,
    effort: usize,
    /// Whether evaluation failed: then exploration cannot go on.
    failed: bool,
    /// The evaluator's error if a limit ended it.
    ended: Option<Box<Diagnostic>>,
}

impl Reach {
    /// All local states of the component, if they are complete.
    #[must_use]
    pub fn all(&self) -> Option<&[LocalId]> {
        self.complete.then_some(&self.locals)
    }

    /// Number of local states at which a bound on exploring ahead ended it.
    pub(super) fn cut_at(&self) -> Option<usize> {
        let is_cut = !self.ahead.failed && self.ahead.at < self.ahead.met.len();
        is_cut.then(|| self.ahead.met.len())
    }

    /// The evaluator's error if a limit ended the exploration.
    pub(super) fn ended(&self) -> Option<Box<Diagnostic>> {
        self.ahead.ended.clone()
    }

    /// Explores a component on its own. Stops without an error at an evaluation error or at a
    /// limit: then the component is explored on demand.
    pub(super) fn explore(
        machine: &mut Machine,
        subject: &ExploredComponent<'_>,
        seen: &mut Seen,
    ) -> Self {
        let mut ahead = ExploredAhead::default();
        let initial = subject.composition.components()[subject.component].initial;
        let is_compressed = machine.is_compressed(initial);
        let ExploreBounds { first, effort, .. } = match is_compressed {
            true => subject.bounds,
            false => ExploreBounds::ahead(subject.bounds.most),
        };
        let too_many = !is_compressed && ahead.go_through_orbits(machine, subject, first, seen);
        if !too_many {
            ahead.met.insert(initial);
        }
        let complete = !too_many && ahead.go_on(machine, subject, (first, effort), seen);
        let locals = ahead.met.iter().copied().collect();
        // The parts that are not needed to go on are dropped: there may be many components, with large reaches.
        let done = ahead.at >= ahead.met.len();
        Self {
            locals,
            complete,
            ahead: if done {
                ExploredAhead::default()
            } else {
                ahead
            },
        }
    }

    /// Explores an incomplete component twice as far as before.
    pub(super) fn explore_further(
        &mut self,
        machine: &mut Machine,
        subject: &ExploredComponent<'_>,
        seen: &mut Seen,
    ) {
        let ahead = &mut self.ahead;
        let bounds = (
            (2 * ahead.met.len()).min(subject.bounds.most),
            (2 * ahead.effort).max(EFFORT),
        );
        if ahead.at < ahead.met.len() && !ahead.failed {
            ahead.go_on(machine, subject, bounds, seen);
        }
    }
}

impl ExploredAhead {
    /// Explores one local state of each orbit until the orbits together have more than `most` local states. False if
    /// they have fewer, or if the number is not known; then nothing is noted.
    ///
    /// If no permutation moves the first local state, the component reaches whole orbits (Prop. 24). The events of all
    /// members follow from the representatives, so that far fewer states are evaluated and renamed before the
    /// component is known to be too large.
    fn go_through_orbits(
        &mut self,
        machine: &mut Machine,
        subject: &ExploredComponent<'_>,
        most: usize,
        seen: &mut Seen,
    ) -> bool {
        let ExploredComponent {
            composition,
            component,
            ..
        } = *subject;
        let initial = composition.components()[component].initial;
        if machine.atoms.is_empty() || !machine.locals.atoms_of(initial).is_empty() {
            return false;
        }
        let mut orbits: IndexSet<LocalId> = std::iter::once(initial).collect();
        let (mut at, mut states, mut effort) = (0, 1usize, 0);
        while states <= most {
            let Some(&local) = orbits.get_index(at) else {
                return false;
            };
            let stop = at.is_multiple_of(POLL_EVERY) && machine.check_compiling().is_err();
            let tree = composition.tree();
            // Parallel compositions and errors are handled by the full exploration.
            let changes = tree.may_change(&machine.locals, component as u16, local);
            if stop || changes || machine.expand(local).is_err() {
                return false;
            }
            effort += machine.effort(local);
            if effort > EFFORT {
                return false;
            }
            let targets = machine.locals.transitions(local).unwrap_or(&[]).to_vec();
            for (_, target) in targets {
                let (orbit, _) = machine.canonical(target);
                if orbits.insert(orbit) {
                    // Then several tuples of atoms are one state, and several representatives one orbit.
                    if machine.locals.is_grouped(orbit) {
                        return false;
                    }
                    states =
                        states.saturating_add(machine.atoms.images(machine.locals.atoms_of(orbit)));
                }
            }
            at += 1;
        }
        // If a limit stops this, the full exploration meets it again.
        let mut explored = orbits.iter().take(at);
        let _ = explored.try_for_each(|local| seen.note(machine, component, *local).map(|_| ()));
        *self = Self {
            met: orbits,
            at,
            effort,
            ..Self::default()
        };
        true
    }

    /// Goes on until there are more than `most` local states or the effort exceeds `effort`. Returns whether
    /// everything was explored.
    fn go_on(
        &mut self,
        machine: &mut Machine,
        subject: &ExploredComponent<'_>,
        (most, effort): (usize, usize),
        seen: &mut Seen,
    ) -> bool {
        let mut complete = true;
        while self.at < self.met.len() {
            let local = self.met[self.at];
            let stop = self.at.is_multiple_of(POLL_EVERY) && machine.check_compiling().is_err();
            // The first one is the component itself: to unroll that again would not end.
            if !stop && self.at > 0 && subject.is_taken_apart(machine, local).unwrap_or(false) {
                // It may be kept inside all the same: below operators that end, or because of the rules.
                let shape = machine.locals.shape_of(local);
                complete &= machine.locals.shape(shape).is_static && machine.atoms.is_empty();
                self.at += 1;
                continue;
            }
            // The cost of a step grows with terms that grow without bound.
            let enough = self.met.len() > most || self.effort > effort || machine.is_impatient();
            if stop || enough {
                return false;
            }
            if let Err(error) = machine.expand(local) {
                self.failed = true;
                self.ended = Some(error).filter(|error| error.stop().is_some());
                return false;
            }
            if seen.note(machine, subject.component, local).is_err() {
                return false;
            }
            self.effort += machine.effort(local);
            let transitions = machine.locals.transitions(local).unwrap_or(&[]);
            self.met.extend(transitions.iter().map(|t| t.1));
            self.at += 1;
        }
        complete
    }
}

impl ExploredComponent<'_> {
    /// Whether a component that reaches a local state changes the format, by the components alone:
    /// permutations have to map those of the new format to each other ([`super::mappable`]). Its rules are
    /// not known before it is made.
    fn is_taken_apart(&self, machine: &mut Machine, local: LocalId) -> Result<bool> {
        let (tree, component) = (self.composition.tree(), self.component);
        if !tree.may_change(&machine.locals, component as u16, local) {
            return Ok(false);
        }
        if machine.atoms.is_empty() {
            return Ok(true);
        }
        let term = machine.term_of(local);
        // It is not known yet whether the search comes here, so nothing is noted as kept together.
        let unrolled = if tree.has_at_root(component as u16) {
            unroll_at_root(machine, term)?
        } else {
            unroll(machine, term)?
        };
        if unrolled.kept_together {
            machine.note_kept_ahead();
        }
        if matches!(unrolled.tree, Tree::Leaf(_)) {
            return Ok(false);
        }
        let mut labels = self.composition.labels();
        labels.splice(component..=component, unrolled.leaves);
        // As multisets: which component is mapped to which does not matter here.
        labels.sort_unstable();
        let is_mapped = generators(&machine.atoms).iter().all(|generator| {
            let image = |l: &LocalId| machine.permute_local(*l, &generator.image);
            let mut images: Vec<LocalId> = labels.iter().map(image).collect();
            images.sort_unstable();
            images == labels
        });
        if !is_mapped {
            machine.note_kept_ahead();
        }
        Ok(is_mapped)
    }
}
