//! States that are passed with partial order reduction: one step alone is enough to lead on from them, so they are not
//! stored, and no representative is taken of them.

use super::partial_order::{PartialOrder, PartialOrderScratch};
use super::steps::StepTarget;
use crate::machine::network::{RuleScratch, Successor};
use crate::machine::{EventId, FormatId, LocalId, Locals, Miss, Network};

/// States that are passed one after the other: what is on a long way is not to be looked at again and again.
const PASSED_MAX: u64 = 256;

/// A step of a state that may be passed.
#[derive(Clone, Copy, Debug)]
struct PassedStep {
    event: EventId,
    rule: u32,
    format: FormatId,
    /// Where its part of [`PassingScratch::changed`] ends.
    end: usize,
}

/// Buffers of one thread.
#[derive(Debug, Default)]
pub(crate) struct PassingScratch {
    order: PartialOrderScratch,
    /// The steps of the state that is looked at.
    steps: Vec<PassedStep>,
    /// Which components change, one step after the other, and where to. Of a thousand most stay as they are, so nothing
    /// else is noted of a successor.
    changed: Vec<(u16, LocalId)>,
    /// A state that was passed, to notice when it comes again.
    passed: Vec<LocalId>,
}

/// What is passed in which network.
#[derive(Clone, Copy)]
pub(crate) struct Passing<'a> {
    pub(crate) order: &'a PartialOrder,
    pub(crate) network: &'a Network,
    pub(crate) locals: &'a Locals,
}

/// How much was passed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Passed {
    pub(crate) states: u64,
    /// Steps that they have.
    pub(crate) steps: u64,
}

impl Passing<'_> {
    /// Goes on from where a step leads as long as one step alone is enough there, and notes each step on the way.
    ///
    /// What is seen does not happen on the way, so the node stays. What the specification refuses there is refused
    /// where it leads to, too.
    #[inline]
    pub(crate) fn pass(
        &self,
        step: &mut StepTarget,
        (rules, scratch): (&mut RuleScratch, &mut PassingScratch),
        note: &mut impl FnMut(&StepTarget),
    ) -> Result<Passed, Miss> {
        let mut passed = Passed::default();
        scratch.keep(step);
        while let Some(steps) = self.pass_one(step, rules, scratch)? {
            note(step);
            passed.states += 1;
            passed.steps += steps;
            // A cycle of such states ends somewhere (R. P. Brent's way to notice it).
            if scratch.passed == step.locals || passed.states == PASSED_MAX {
                break;
            }
            if passed.states.is_power_of_two() {
                scratch.keep(step);
            }
        }
        Ok(passed)
    }

    /// Takes a step to where it leads on to, if one step alone is enough there; how many there are.
    fn pass_one(
        &self,
        step: &mut StepTarget,
        rules: &mut RuleScratch,
        scratch: &mut PassingScratch,
    ) -> Result<Option<u64>, Miss> {
        let PassingScratch {
            order: buffers,
            steps,
            changed,
            ..
        } = scratch;
        steps.clear();
        changed.clear();
        let (place, count) = ((step.format, &step.locals[..]), step.locals.len());
        let mut is_passable = true;
        self.network
            .successors::<Miss>(self.locals, place.0, place.1, rules, |successor| {
                // What can terminate is looked at even if it is not stable; and other forms are not known.
                is_passable &= successor.event != EventId::TICK && successor.locals.len() == count;
                note_changes(&successor, place.1, changed);
                steps.push(PassedStep {
                    event: successor.event,
                    rule: successor.rule,
                    format: successor.format,
                    end: changed.len(),
                });
                Ok(())
            })?;
        if !is_passable {
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

/// Appends what a successor has changed in a state.
fn note_changes(successor: &Successor<'_>, before: &[LocalId], changed: &mut Vec<(u16, LocalId)>) {
    let after = successor.locals;
    if successor.keeps_form() {
        let to = |mover: u16| (mover, after[usize::from(mover)]);
        changed.extend(successor.movers().map(to));
        return;
    }
    // Where an operator has ended, components may change that do not move.
    let both = (0u16..).zip(before).zip(after);
    let differ = both.filter(|((_, before), after)| before != after);
    changed.extend(differ.map(|((component, _), after)| (component, *after)));
}

impl PassingScratch {
    fn keep(&mut self, step: &StepTarget) {
        self.passed.clear();
        self.passed.extend_from_slice(&step.locals);
    }
}
