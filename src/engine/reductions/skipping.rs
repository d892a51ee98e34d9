//! Path compression under partial order reduction: intermediate states in which a single step suffices are skipped, so
//! they are not stored, and no representative is computed for them.

use super::partial_order::{PartialOrder, PartialOrderScratch};
use super::steps::StepTarget;
use crate::machine::network::{RuleScratch, Successor};
use crate::machine::{EventId, FormatId, LocalId, Locals, Miss, Network};

/// Consecutive skipped states, at most, so that a long path is not explored again and again.
const SKIPPED_MAX: u64 = 256;

/// A step of a state that may be skipped.
#[derive(Clone, Copy, Debug)]
struct SkippableStep {
    event: EventId,
    rule: u32,
    format: FormatId,
    /// The end of its part of [`SkippingScratch::changed`].
    end: usize,
}

/// Buffers of one thread.
#[derive(Debug, Default)]
pub(crate) struct SkippingScratch {
    order: PartialOrderScratch,
    /// The steps of the present state.
    steps: Vec<SkippableStep>,
    /// The components that each step changes, with their new local states. Of a thousand most stay the same, so only
    /// these are recorded of a successor.
    changed: Vec<(u16, LocalId)>,
    /// A skipped state, to detect a cycle.
    skipped: Vec<LocalId>,
}

/// The network and the reduction that skips states.
#[derive(Clone, Copy)]
pub(crate) struct StateSkipping<'a> {
    pub(crate) order: &'a PartialOrder,
    pub(crate) network: &'a Network,
    pub(crate) locals: &'a Locals,
}

/// Counts of skipped states.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct SkippedStates {
    pub(crate) states: u64,
    /// Their steps.
    pub(crate) steps: u64,
}

impl StateSkipping<'_> {
    /// Follows a step while a single step suffices in its target, and reports each step on the way.
    ///
    /// These steps are invisible, so the node stays the same. A refusal that violates the specification on the way does
    /// so at the end, too.
    #[inline]
    pub(crate) fn skip(
        &self,
        step: &mut StepTarget,
        (rules, scratch): (&mut RuleScratch, &mut SkippingScratch),
        note: &mut impl FnMut(&StepTarget),
    ) -> Result<SkippedStates, Miss> {
        let mut skipped = SkippedStates::default();
        scratch.keep(step);
        while let Some(steps) = self.skip_one(step, rules, scratch)? {
            note(step);
            skipped.states += 1;
            skipped.steps += steps;
            // A cycle of such states is cut somewhere (R. P. Brent's cycle detection).
            if scratch.skipped == step.locals || skipped.states == SKIPPED_MAX {
                break;
            }
            if skipped.states.is_power_of_two() {
                scratch.keep(step);
            }
        }
        Ok(skipped)
    }

    /// Moves a step to the successor of its target, if a single step suffices there. Returns the number of steps of the
    /// target.
    fn skip_one(
        &self,
        step: &mut StepTarget,
        rules: &mut RuleScratch,
        scratch: &mut SkippingScratch,
    ) -> Result<Option<u64>, Miss> {
        let SkippingScratch {
            order: buffers,
            steps,
            changed,
            ..
        } = scratch;
        steps.clear();
        changed.clear();
        let (place, count) = ((step.format, &step.locals[..]), step.locals.len());
        let mut is_skippable = true;
        self.network
            .successors::<Miss>(self.locals, place.0, place.1, rules, |successor| {
                // A state that can terminate is checked even if unstable; and other formats are unknown.
                is_skippable &= successor.event != EventId::TICK && successor.locals.len() == count;
                note_changes(&successor, place.1, changed);
                steps.push(SkippableStep {
                    event: successor.event,
                    rule: successor.rule,
                    format: successor.format,
                    end: changed.len(),
                });
                Ok(())
            })?;
        if !is_skippable {
            return Ok(None);
        }
        let all = (steps.iter().map(|of| of.rule), step.rule);
        let Some(rule) = self.order.one_enough(place, all, buffers) else {
            return Ok(None);
        };
        let Some(at) = steps.iter().position(|of| of.rule == rule) else {
            return Ok(None);
        };
        let from = at.checked_sub(1).map_or(0, |before| steps[before].end);
        let taken = steps[at];
        (step.event, step.rule, step.format) = (taken.event, taken.rule, taken.format);
        for (component, to) in &changed[from..taken.end] {
            step.locals[usize::from(*component)] = *to;
        }
        Ok(Some(steps.len() as u64))
    }
}

/// Appends the components that a successor changes in a state.
fn note_changes(successor: &Successor<'_>, before: &[LocalId], changed: &mut Vec<(u16, LocalId)>) {
    let after = successor.locals;
    if successor.keeps_form() {
        let to = |mover: u16| (mover, after[usize::from(mover)]);
        changed.extend(successor.movers().map(to));
        return;
    }
    // At the end of an operator, components that do not move may change.
    let both = (0u16..).zip(before).zip(after);
    let differ = both.filter(|((_, before), after)| before != after);
    changed.extend(differ.map(|((component, _), after)| (component, *after)));
}

impl SkippingScratch {
    fn keep(&mut self, step: &StepTarget) {
        self.skipped.clear();
        self.skipped.extend_from_slice(&step.locals);
    }
}
