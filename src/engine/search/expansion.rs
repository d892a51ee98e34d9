//! Expansion of a pair: its transitions, and the stored form of their targets.

use super::keeping::{KeepingScratch, Kept};
use super::product::{Expansion, Product, ProductMiss, ProductScratch, Violation};
use crate::machine::{EventId, FormatId};
use crate::reductions::partial_order::PartialOrder;
use crate::reductions::sleep::{Movers, SleepStep, Sleeping};
use crate::reductions::steps::RawPair;
use crate::reductions::steps::StepTarget;

/// Whether a stored form is new.
pub(super) type IsFresh<'f> = &'f dyn Fn(&[u8]) -> bool;

impl Product<'_> {
    /// Calls `emit` for every transition of a packed state with the stored form of its target, or `None` if the target
    /// is not a state of the automaton (the specification refuses the event, or it is ✓, after which there are no
    /// transitions).
    ///
    /// # Errors
    /// A missing table entry; `emit` may have been called by then.
    pub fn expand(
        &self,
        bytes: &[u8],
        scratch: &mut ProductScratch,
        emit: impl FnMut(EventId, Option<&Kept>) -> Result<(), ProductMiss>,
    ) -> Result<Expansion, ProductMiss> {
        scratch.sleeping.begin(None, &[]);
        self.expand_by(bytes, scratch, None, emit)
    }

    /// Expands with only those transitions that a search has to follow. `sleep` is the sleep set, if there are any;
    /// `is_fresh` is true for stored forms that are new, if a stubborn set is to be searched.
    ///
    /// # Errors
    /// As [`Product::expand`].
    pub(super) fn expand_for_search(
        &self,
        (bytes, sleep): (&[u8], Option<&[Movers]>),
        scratch: &mut ProductScratch,
        is_fresh: Option<IsFresh<'_>>,
        emit: impl FnMut(EventId, Option<&Kept>) -> Result<(), ProductMiss>,
    ) -> Result<Expansion, ProductMiss> {
        let left_out = self.partial_order.zip(is_fresh);
        let commuting = self.sleeping.filter(|_| sleep.is_some());
        scratch.sleeping.begin(commuting, sleep.unwrap_or(&[]));
        self.expand_by(bytes, scratch, left_out, emit)
    }

    /// Follows the steps of a stubborn set, among all steps of a state.
    fn follow_enough(
        &self,
        (order, is_fresh): (&PartialOrder, IsFresh<'_>),
        scratch: &mut ProductScratch,
        expansion: &mut Expansion,
        emit: &mut impl FnMut(EventId, Option<&Kept>) -> Result<(), ProductMiss>,
    ) -> Result<(), ProductMiss> {
        let ProductScratch {
            at,
            rules,
            keeping,
            kept,
            steps,
            partial_order,
            skipping,
            ..
        } = scratch;
        let place = (FormatId(at.format), &at.locals[..]);
        let of_steps = steps.iter().map(|step| step.rule);
        let chosen = order.choose(place, of_steps, partial_order);
        let mut is_enough = chosen && !order.has_proviso();
        // Before any step is extended by skipped states: it then ends by another rule.
        let enough = steps.iter().filter(|step| partial_order.keeps(step.rule));
        let others = if chosen {
            steps.len() - enough.count()
        } else {
            0
        };
        // Steps of the stubborn set first: their targets decide whether they suffice.
        for of_kept in [true, false] {
            if !of_kept && (is_enough || !chosen) {
                expansion.steps.left_out += others as u64;
                break;
            }
            let now = steps
                .iter_mut()
                .filter(|step| !chosen || partial_order.keeps(step.rule) == of_kept);
            for step in now {
                if order.skips_states() {
                    let skipped = self.skip(order, step, (rules, skipping), &mut |_| {})?;
                    expansion.steps.skipped += skipped.states;
                    expansion.steps.transitions += skipped.steps;
                    expansion.steps.left_out += skipped.steps - skipped.states;
                }
                self.remember(step.pair(), keeping, kept, expansion)?;
                is_enough = is_enough || (chosen && is_fresh(&kept.key));
                emit(step.event, Some(kept))?;
            }
        }
        Ok(())
    }

    /// Notes that a step is followed, and computes the sleep set of its target.
    #[inline]
    fn fall_asleep(
        &self,
        step: SleepStep,
        format: FormatId,
        sleeping: &mut Sleeping,
        scratch: &KeepingScratch,
    ) {
        let found = &scratch.representative;
        if self.strategy.is_none() {
            return sleeping.follow(step, Some);
        }
        // A fallback may have permuted otherwise.
        if found.fell_back {
            return sleeping.follow(step, |_| None);
        }
        if let Some(group) = self.structure() {
            return sleeping.follow(step, |component| {
                group.component(&found.structural, component)
            });
        }
        if found.near.moves_nothing() {
            return sleeping.follow(step, Some);
        }
        let images = self.network.format(format).images();
        sleeping.follow(step, |component| {
            let image = images.image(usize::from(component), &found.image);
            image.map(|component| component as u16)
        });
    }

    // In one piece: all of it writes to the buffers that are split at its beginning.
    #[inline]
    fn expand_by(
        &self,
        bytes: &[u8],
        scratch: &mut ProductScratch,
        left_out: Option<(&PartialOrder, IsFresh<'_>)>,
        mut emit: impl FnMut(EventId, Option<&Kept>) -> Result<(), ProductMiss>,
    ) -> Result<Expansion, ProductMiss> {
        let ProductScratch {
            at,
            rules,
            keeping,
            kept,
            initials,
            twins,
            steps,
            sleeping,
            ..
        } = scratch;
        steps.clear();
        let near = &mut keeping.representative.near;
        self.stand_at(bytes, at, near);
        let mut expansion = Expansion::default();
        let node = at.node;
        if self.is_cut_off(node)? {
            return Ok(expansion);
        }
        let leave_out = self.find_twins(at, twins, near);
        initials.clear();
        let collect = self.demands.looks_at_offers();
        let mut refused = None;
        if self.demands.refusal_testing {
            // All events have to be known before the first is followed.
            self.initials(at, rules, initials)?;
        }
        let from = self.followed_from(node, initials)?;
        initials.clear();
        self.network.successors(
            self.locals,
            FormatId(at.format),
            &at.locals,
            rules,
            |successor| {
                // Counted before steps are left out: figures and violation are those of the whole state.
                expansion.steps.transitions += 1;
                if collect {
                    initials.push(successor.event);
                }
                // Exchanging the twins fixes this state, so the remaining transition leads to the same orbit.
                if leave_out && twins.makes_superfluous(successor.movers()) {
                    return Ok(());
                }
                let Some(next) = self.follow(from, successor.event)? else {
                    // Not the end of it: the others may lead to counterexamples that are requested too.
                    refused.get_or_insert(Violation::Event(successor.event));
                    if sleeping.is_on() {
                        // Behind a visible step it may be allowed, so its components do not sleep there.
                        sleeping.note(SleepStep::of(&successor));
                    }
                    return emit(successor.event, None);
                };
                if successor.event == EventId::TICK {
                    return emit(successor.event, None);
                }
                let step = match sleeping.is_on() {
                    true => SleepStep::of(&successor),
                    false => SleepStep::default(),
                };
                if sleeping.has(step) {
                    expansion.steps.slept += 1;
                    return Ok(());
                }
                if self.state_symmetry || left_out.is_some() {
                    steps.push(StepTarget::new(next, &successor));
                    return Ok(());
                }
                let pair = RawPair {
                    node: next,
                    format: successor.format,
                    locals: successor.locals,
                };
                self.say_how_near(at, &successor, keeping);
                self.remember(pair, keeping, kept, &mut expansion)?;
                if sleeping.is_on() {
                    self.fall_asleep(step, successor.format, sleeping, keeping);
                    std::mem::swap(&mut kept.sleep, &mut sleeping.after);
                }
                emit(successor.event, Some(kept))
            },
        )?;
        if let Some(by) = left_out {
            self.follow_enough(by, scratch, &mut expansion, &mut emit)?;
        } else if !steps.is_empty() {
            let to_follow = self.steps_to_follow(at, steps, &mut keeping.representative)?;
            let mut to_follow = to_follow.into_iter().peekable();
            for (number, step) in steps.iter().enumerate() {
                if to_follow.next_if_eq(&number).is_none() {
                    // A step followed before leads to the same orbit.
                    expansion.steps.alike += 1;
                    sleeping.note(step.sleep);
                    continue;
                }
                self.remember(step.pair(), keeping, kept, &mut expansion)?;
                self.fall_asleep(step.sleep, step.format, sleeping, keeping);
                std::mem::swap(&mut kept.sleep, &mut sleeping.after);
                emit(step.event, Some(kept))?;
            }
        }
        // A refusal makes the shorter counterexample.
        expansion.violation = if self.demands.progress && expansion.steps.transitions == 0 {
            // Set here: events are not collected for this demand alone.
            Some(Violation::Deadlock)
        } else if collect {
            self.violation(node, &mut scratch.initials)?
        } else {
            None
        }
        .or(refused);
        Ok(expansion)
    }
}
