//! States that a search with partial order reduction passes: one step alone is enough to lead on from them, so they are
//! not stored, and no representative is taken of them.

use super::{Product, ProductMiss, StepTarget};
use crate::check::keeping::RawPair;
use crate::check::partial_order::{PartialOrder, PartialOrderScratch};
use crate::machine::network::RuleScratch;
use crate::machine::{EventId, FormatId, LocalId};

/// States that are passed one after the other: what is on a long way is not to be looked at again and again.
const PASSED_MAX: u64 = 256;

/// Buffers of one thread.
#[derive(Debug, Default)]
pub(super) struct PassingScratch {
    order: PartialOrderScratch,
    /// Event and rule of each step of the state that is looked at, with the format that it leads to.
    steps: Vec<(EventId, u32, FormatId)>,
    /// The local states that they lead to, one state after the other.
    targets: Vec<LocalId>,
    /// A state that was passed, to notice when it comes again.
    passed: Vec<LocalId>,
}

impl PassingScratch {
    fn keep(&mut self, step: &StepTarget) {
        self.passed.clear();
        self.passed.extend_from_slice(&step.locals);
    }
}

impl StepTarget {
    /// A step of a rule that leads to a pair.
    pub(in crate::check) fn to(event: EventId, rule: u32, pair: RawPair<'_>) -> Self {
        Self {
            event,
            rule,
            node: pair.node,
            format: pair.format,
            locals: pair.locals.to_vec(),
        }
    }
}

impl Product<'_> {
    /// A step and those that are taken after it before something is stored: the last one leads there. It is the step
    /// alone where nothing is passed.
    pub(in crate::check) fn until_stored(
        &self,
        first: StepTarget,
    ) -> Result<Vec<StepTarget>, ProductMiss> {
        let mut steps = vec![first];
        let Some(order) = self.partial_order.filter(|order| order.passes()) else {
            return Ok(steps);
        };
        let (mut rules, mut scratch) = (RuleScratch::default(), PassingScratch::default());
        let mut step = steps[0].clone();
        let mut note = |step: &StepTarget| steps.push(step.clone());
        self.pass_and(order, &mut step, (&mut rules, &mut scratch), &mut note)?;
        Ok(steps)
    }

    /// Goes on from where a step leads as long as one step alone is enough there. How many states are passed by that,
    /// and how many steps they have.
    ///
    /// What is seen does not happen on the way, so the node stays. What the specification refuses there is refused
    /// where it leads to, too.
    pub(super) fn pass(
        &self,
        order: &PartialOrder,
        step: &mut StepTarget,
        (rules, scratch): (&mut RuleScratch, &mut PassingScratch),
    ) -> Result<(u64, u64), ProductMiss> {
        self.pass_and(order, step, (rules, scratch), &mut |_| {})
    }

    /// The same, and notes each step on the way.
    #[inline]
    fn pass_and(
        &self,
        order: &PartialOrder,
        step: &mut StepTarget,
        (rules, scratch): (&mut RuleScratch, &mut PassingScratch),
        note: &mut impl FnMut(&StepTarget),
    ) -> Result<(u64, u64), ProductMiss> {
        let (mut passed, mut all) = (0, 0);
        if self.is_cut_off(step.node)? {
            return Ok((0, 0));
        }
        scratch.keep(step);
        while passed < PASSED_MAX {
            let Some(steps) = self.pass_one(order, step, rules, scratch)? else {
                break;
            };
            note(step);
            passed += 1;
            all += steps;
            // A cycle of such states ends somewhere (R. P. Brent's way to notice it).
            if scratch.passed == step.locals {
                break;
            }
            if passed.is_power_of_two() {
                scratch.keep(step);
            }
        }
        Ok((passed, all))
    }

    /// Takes a step to where it leads on to, if one step alone is enough there; how many there are.
    fn pass_one(
        &self,
        order: &PartialOrder,
        step: &mut StepTarget,
        rules: &mut RuleScratch,
        scratch: &mut PassingScratch,
    ) -> Result<Option<u64>, ProductMiss> {
        let PassingScratch {
            order: buffers,
            steps,
            targets,
            ..
        } = scratch;
        steps.clear();
        targets.clear();
        let (place, count) = ((step.format, &step.locals[..]), step.locals.len());
        let mut is_passable = true;
        self.network.successors::<ProductMiss>(
            self.locals,
            place.0,
            place.1,
            rules,
            |successor| {
                // What can terminate is looked at even if it is not stable; and other forms are not known.
                is_passable &= successor.event != EventId::TICK && successor.locals.len() == count;
                steps.push((successor.event, successor.rule, successor.format));
                targets.extend(successor.locals);
                Ok(())
            },
        )?;
        if !is_passable {
            return Ok(None);
        }
        let all = (steps.iter().map(|of| of.1), step.rule);
        let Some(rule) = order.one_enough(place, all, buffers) else {
            return Ok(None);
        };
        let Some(at) = steps.iter().position(|of| of.1 == rule) else {
            return Ok(None);
        };
        (step.event, step.rule, step.format) = steps[at];
        step.locals.copy_from_slice(&targets[at * count..][..count]);
        Ok(Some(steps.len() as u64))
    }
}
