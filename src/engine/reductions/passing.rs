//! States that are passed with partial order reduction: one step alone is enough to lead on from them, so they are not
//! stored, and no representative is taken of them.

mod known;

pub(crate) use known::room_of_each;

use super::partial_order::{PartialOrder, PartialOrderScratch};
use super::steps::StepTarget;
use crate::machine::network::{RuleScratch, Successor};
use crate::machine::{EventId, FormatId, LocalId, Locals, Miss, Network};
use known::KnownWays;

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
    ways: KnownWays,
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

impl Passed {
    fn and(self, other: Self) -> Self {
        Self {
            states: self.states + other.states,
            steps: self.steps + other.steps,
        }
    }

    fn without(self, other: Self) -> Self {
        Self {
            states: self.states - other.states,
            steps: self.steps - other.steps,
        }
    }
}

impl Passing<'_> {
    /// Goes on from where a step leads as long as one step alone is enough there, and notes each step on the way; not those
    /// of a way that the buffers remember.
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
        scratch.ways.begin();
        loop {
            let from = cfg!(debug_assertions).then(|| step.clone());
            if let Some(rest) = scratch.ways.find(self.network, step, passed) {
                debug_assert!(self.leads(from, (step, rest), (rules, scratch)));
                passed = passed.and(rest);
                break;
            }
            let Some(steps) = self.pass_one(step, rules, scratch)? else {
                break;
            };
            note(step);
            passed.states += 1;
            passed.steps += steps;
            // A cycle of such states ends somewhere (R. P. Brent's way to notice it). Where that is depends on where it
            // was begun, and so does the end of a way that is too long: neither is remembered.
            if scratch.passed == step.locals || passed.states == PASSED_MAX {
                return Ok(passed);
            }
            if passed.states.is_power_of_two() {
                scratch.keep(step);
            }
        }
        scratch.ways.end(step, passed);
        Ok(passed)
    }

    /// Whether a way leads where it is remembered to, and passes as much.
    fn leads(
        &self,
        from: Option<StepTarget>,
        (end, passed): (&StepTarget, Passed),
        (rules, scratch): (&mut RuleScratch, &mut PassingScratch),
    ) -> bool {
        from.is_none_or(|mut step| {
            let ways = std::mem::take(&mut scratch.ways);
            let gone = self.pass(&mut step, (rules, scratch), &mut |_| {});
            scratch.ways = ways;
            gone.is_ok_and(|gone| gone == passed) && step == *end
        })
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
    /// Remembers ways in so many bytes.
    pub(crate) fn with_room(bytes: usize) -> Self {
        Self {
            ways: KnownWays::with_room(bytes),
            ..Self::default()
        }
    }

    fn keep(&mut self, step: &StepTarget) {
        self.passed.clear();
        self.passed.extend_from_slice(&step.locals);
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::check::{Check, Options};
    use crate::script::load::load_text;
    use crate::search::product::ProductMiss;
    use crate::source::Cancel;
    use crate::source::hash::Set;

    /// Three that take some silent steps, with a way back to one of them, and meet a fourth.
    fn meeting(steps: u32, back: u32) -> String {
        format!(
            "R = {{1..3}}\nchannel s, a, b : R\nP(i, k) = k < {steps} & s.i -> P(i, k + 1)\n  \
             [] k == {back} & s.i -> P(i, 0) [] k == {steps} & (a.i -> P(i, 0) [] b.i -> STOP)\n\
             Q = a?i -> b?j -> Q\n\
             S = ((||| i : R @ P(i, 0)) [| {{|a, b|}} |] Q) \\ {{|s|}}\nassert STOP [T= S\n"
        )
    }

    /// All steps of a system: where the way after each leads is asked of what is remembered, and gone anew. How many
    /// steps there are, and states on the ways.
    fn ways_of_all_steps(text: &str) -> (usize, u64) {
        let loaded = load_text(Path::new("ways.csp"), text);
        let how = Options {
            partial_order: Some(true),
            ..Options::default()
        };
        let cancel = Cancel::default();
        let mut check = Check::prepare(&loaded, 0, &how, &cancel).expect("it compiles");
        let mut sides = check.sides();
        // So little that ways take one another's places.
        let (mut rules, mut shared) = (RuleScratch::default(), PassingScratch::with_room(1 << 10));
        let mut waiting = vec![sides.network.initial().to_vec()];
        let mut met: Set<Vec<LocalId>> = waiting.iter().cloned().collect();
        let (mut count, mut passed) = (0, 0);
        while let Some(state) = waiting.pop() {
            let ways = sides.complete(|product| {
                let mut steps = Vec::new();
                product.network.successors::<ProductMiss>(
                    product.locals,
                    FormatId(0),
                    &state,
                    &mut rules,
                    |successor| {
                        steps.push(StepTarget::new(0, &successor));
                        Ok(())
                    },
                )?;
                let passing = Passing {
                    order: product.partial_order.expect("it was asked for"),
                    network: product.network,
                    locals: product.locals,
                };
                let mut ways = Vec::new();
                for step in steps {
                    let [mut known, mut gone] = [step.clone(), step.clone()];
                    let buffers = (&mut rules, &mut shared);
                    let known_passed = passing.pass(&mut known, buffers, &mut |_| {})?;
                    let (mut alone, mut noted) = (PassingScratch::default(), 0);
                    let buffers = (&mut rules, &mut alone);
                    let gone_passed = passing.pass(&mut gone, buffers, &mut |_| noted += 1)?;
                    assert_eq!((&known, known_passed), (&gone, gone_passed), "{text}");
                    assert_eq!(noted, gone_passed.states);
                    ways.push((step, gone_passed));
                }
                Ok(ways)
            });
            for (step, way) in ways.expect("it is searched") {
                count += 1;
                passed += way.states;
                if met.insert(step.locals.clone()) {
                    waiting.push(step.locals);
                }
            }
        }
        (count, passed)
    }

    #[test]
    fn known_ways_lead_where_they_would_be_gone() {
        for (steps, back) in [(1, 9), (3, 9), (5, 9), (3, 2), (5, 3)] {
            let (count, passed) = ways_of_all_steps(&meeting(steps, back));
            assert!(count > 50, "{steps} {back}: {count}");
            assert!(passed > 50, "{steps} {back}: {passed}");
        }
    }
}
