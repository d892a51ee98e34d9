//! Dives: runs of the unreduced system that go one way at random, where a search step by step takes long.
//!
//! A search that goes through all states of a depth before the next one finds a shortest counterexample, and may need
//! hours for one of thirty steps that nearly every run meets. Where partial order reduction is asked for, counterexamples
//! need not be shortest; there the search rests now and then, and some runs are tried. They prove nothing, but what one
//! of them ends in is as wrong as anything that a search finds: each step is one of the unreduced system, and the same
//! is looked at in each state.
//!
//! The choices are those of a generator that begins alike in every run of the program, and when dives are made depends
//! on what was counted, not on time: so all of it is deterministic.

mod pairs;

use super::conclude::ending;
use super::outcome::{DivesMade, RawCounterexample, RunEnding};
use crate::machine::EventId;
use crate::search::breadth_first::{SearchControl, Sides};
use crate::search::counterexample::{ProductTransition, RawRun, RawStep, moves, raw_step};
use crate::search::product::{ProductMiss, ProductState, Violation};
use crate::source::diagnostic::Result;
use crate::source::hash::IndexSet;
use crate::specification::Specification;

/// Steps of the shortest dive.
const LENGTH: usize = 64;
/// How often that is doubled at most.
const DOUBLED_MAX: u32 = 8;
/// States stored for each step of a dive: a step takes as long as several states do, and dives are made by one thread.
const STEPS_EACH: usize = 4;
/// As how many states one of the specification counts.
const MET: usize = 64;
/// States of the specification that dives may meet, if they have not met as many before.
const MET_MIN: usize = 1_000_000;

/// The dives of one check.
#[derive(Debug)]
pub(super) struct Dives {
    /// What the search has to have come to before the next ones ([`effort`]).
    next: usize,
    /// Whether the search that goes on may rest for them.
    pub(super) active: bool,
    /// What the choices are made by; never zero.
    random: u64,
    made: DivesMade,
    /// What one of them ended in.
    pub(super) found: Option<RawCounterexample>,
}

/// What dives are held to, and when it is the turn of the search again.
#[derive(Clone, Copy)]
struct DiveBounds {
    /// Whether divergence is wrong.
    divergence: bool,
    /// States met in the specification.
    met_max: usize,
    /// Dives and steps in all; not within a dive.
    taken_max: usize,
}

impl DiveBounds {
    fn are_met(self, sides: &Sides<'_>, control: &SearchControl<'_>) -> bool {
        met(sides.specification.as_deref()) > self.met_max
            || control.limits.reached(control.cancel, 0).is_some()
    }
}

/// How one dive goes.
struct DivePlan {
    /// Its steps, unless they are chosen on the way.
    steps: Option<Vec<ProductTransition>>,
    /// How many it has at most.
    length: usize,
    /// Whether silent ones are chosen first.
    silent_first: bool,
}

/// What is seen of a state.
struct Look {
    moves: Vec<ProductTransition>,
    violation: Option<Violation>,
}

/// How many states of a specification dives may meet before it is the turn of the search again.
pub(super) fn met_max(specification: Option<&Specification>) -> usize {
    let met = met(specification);
    met + (met / 2).max(MET_MIN)
}

/// How much has been done: states stored by the search, and met in the specification, of which each took more.
pub(super) fn effort(stored: usize, specification: Option<&Specification>) -> usize {
    stored + MET * met(specification)
}

/// States met in the specification. Of one component little has to be found out for each.
fn met(specification: Option<&Specification>) -> usize {
    let several = |of: &&Specification| of.network().first().components().len() > 1;
    specification.filter(several).map_or(0, Specification::met)
}

impl Dives {
    pub(super) fn new(after: usize) -> Self {
        Self {
            next: after,
            active: false,
            random: 0x9e37_79b9_7f4a_7c15,
            made: DivesMade::default(),
            found: None,
        }
    }

    /// Lets them begin at once, whatever was done by now.
    pub(super) fn begin_again(&mut self) {
        self.next = 0;
    }

    /// What they came to, if there were any.
    pub(super) fn made(&self) -> Option<DivesMade> {
        (self.made.dives > 0).then_some(self.made)
    }

    /// Whether it is their turn.
    pub(super) fn are_due(&self, effort: usize) -> bool {
        self.active && self.found.is_none() && effort >= self.next
    }

    /// Dives until so many steps were made, or states of the specification met, that it is the turn of the search again;
    /// or until something wrong is found. Ends early at a limit, which the search will meet as well.
    ///
    /// # Errors
    /// An evaluation error of a state that they come to, or a limit of those that evaluation has.
    pub(super) fn make(
        &mut self,
        sides: &mut Sides<'_>,
        (divergence, met_max): (bool, usize),
        stored: usize,
        control: &SearchControl<'_>,
    ) -> Result<()> {
        let before = effort(stored, sides.specification.as_deref());
        let bounds = DiveBounds {
            divergence,
            met_max,
            taken_max: self.taken() + before / STEPS_EACH + LENGTH,
        };
        while self.found.is_none() && self.goes_on((sides, bounds), control) {
            self.found = self.dive(sides, bounds, control)?;
        }
        self.made.found = self.found.is_some();
        self.next = 2 * effort(stored, sides.specification.as_deref());
        Ok(())
    }

    /// Dives and steps. One that can take no step counts as well, or there would be no end of them.
    fn taken(&self) -> usize {
        self.made.dives + self.made.steps
    }

    /// Whether it is not the turn of the search yet.
    fn goes_on(
        &self,
        (sides, bounds): (&Sides<'_>, DiveBounds),
        control: &SearchControl<'_>,
    ) -> bool {
        self.taken() < bounds.taken_max && !bounds.are_met(sides, control)
    }

    /// How the next dive goes. Every second one is twice as long as every first, every fourth twice as long as that, and
    /// so on: how long it takes to what is wrong is not known. Where it matters what is refused, every other one takes
    /// silent steps first: nothing has to be found out for these in the specification, and they lead to where something
    /// is refused. Where a system is held to itself, every other one is found by looking at pairs of runs first.
    fn plan(
        &mut self,
        sides: &mut Sides<'_>,
        bounds: DiveBounds,
        control: &SearchControl<'_>,
    ) -> Result<DivePlan> {
        self.made.dives += 1;
        let number = self.made.dives;
        let steps = match sides.demands.determinism && number % 2 == 1 {
            true => self.find_refusing(sides, bounds, control)?,
            false => None,
        };
        let length = match &steps {
            // And its end is looked at.
            Some(steps) => steps.len() + 1,
            None => LENGTH << number.trailing_zeros().min(DOUBLED_MAX),
        };
        let refusals = sides.demands.looks_at_offers() || sides.demands.progress;
        // A system that is held to itself can do whatever it may, so only what it refuses can be wrong.
        let first = usize::from(sides.demands.determinism);
        Ok(DivePlan {
            steps,
            length,
            silent_first: refusals && number % 2 == first,
        })
    }

    /// One dive.
    fn dive(
        &mut self,
        sides: &mut Sides<'_>,
        bounds: DiveBounds,
        control: &SearchControl<'_>,
    ) -> Result<Option<RawCounterexample>> {
        let plan = self.plan(sides, bounds, control)?;
        let mut at = ProductState::initial(sides.network);
        let mut run = RawRun {
            initial: at.clone(),
            steps: Vec::new(),
        };
        // The states since the last visible event.
        let mut silent = IndexSet::from_iter([at.clone()]);
        while run.steps.len() < plan.length {
            if bounds.are_met(sides, control) {
                return Ok(None);
            }
            let Some(look) = look(sides, &at)? else {
                return Ok(None);
            };
            if let Some(violation) = look.violation {
                if let Violation::Event(event) = violation {
                    let refused = look.moves.iter().find(|step| step.event == event);
                    run.steps
                        .extend(refused.map(|step| taken(sides, &at, step, None)));
                }
                return Ok(Some(shown(ending(violation), run)));
            }
            let step = match &plan.steps {
                Some(steps) => steps.get(run.steps.len()),
                None => self.choose_first(&look.moves, plan.silent_first),
            };
            let Some(step) = step else {
                return Ok(None);
            };
            let step = follow(sides, &at, step)?;
            self.made.steps += 1;
            at = step.after.clone();
            let event = step.event;
            run.steps.push(step);
            if event != EventId::TAU {
                silent.clear();
            }
            let (place, is_new) = silent.insert_full(at.clone());
            if bounds.divergence && !is_new && !is_cut_off(sides, &at)? {
                let lap = silent.len() - place;
                return Ok(Some(shown(RunEnding::Divergence { lap, laps: 1 }, run)));
            }
        }
        Ok(None)
    }

    /// One of the steps that do not end the process; a silent one, if there is one and these come first.
    fn choose_first<'m>(
        &mut self,
        moves: &'m [ProductTransition],
        silent_first: bool,
    ) -> Option<&'m ProductTransition> {
        let only_silent = silent_first && moves.iter().any(|step| step.event == EventId::TAU);
        self.choose(moves, |event| match only_silent {
            true => event == EventId::TAU,
            false => event != EventId::TICK,
        })
    }

    /// One of the steps with certain events.
    fn choose<'m>(
        &mut self,
        moves: &'m [ProductTransition],
        is_wanted: impl Fn(EventId) -> bool,
    ) -> Option<&'m ProductTransition> {
        let wanted = || moves.iter().filter(|step| is_wanted(step.event));
        let count = wanted().count();
        if count == 0 {
            return None;
        }
        // Xorshift (G. Marsaglia, *Xorshift RNGs*, 2003).
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        let number = (self.random >> 32) as usize % count;
        wanted().nth(number)
    }
}

fn shown(ending: RunEnding, run: RawRun) -> RawCounterexample {
    RawCounterexample {
        ending,
        run,
        further: Vec::new(),
    }
}

/// A step to a node, or one that is not allowed.
fn taken(
    sides: &Sides<'_>,
    at: &ProductState,
    step: &ProductTransition,
    node: Option<u32>,
) -> RawStep {
    let after = ProductState {
        node: node.unwrap_or_default(),
        format: step.format.0,
        locals: step.locals.clone(),
    };
    raw_step(sides, at, step, after, node.is_some())
}

/// A step that is allowed, which may have to find out where it leads.
fn follow(sides: &mut Sides<'_>, at: &ProductState, step: &ProductTransition) -> Result<RawStep> {
    let node = sides.complete(|product| {
        let from = product.followed_from_state(at)?;
        product.follow(from, step.event)
    })?;
    Ok(taken(sides, at, step, node))
}

fn is_cut_off(sides: &mut Sides<'_>, at: &ProductState) -> Result<bool> {
    sides.complete(|product| product.is_cut_off(at.node))
}

/// What a state can do, and what is wrong with it; none where the specification allows all from there on.
fn look(sides: &mut Sides<'_>, at: &ProductState) -> Result<Option<Look>> {
    sides.complete(|product| {
        if product.is_cut_off(at.node)? {
            return Ok(None);
        }
        let moves = moves(product, at)?;
        let mut initials: Vec<EventId> = moves.iter().map(|step| step.event).collect();
        // What a state refuses makes the shorter counterexample.
        let mut violation = product.violation(at.node, &mut initials)?;
        if violation.is_none() {
            for step in &moves {
                if !product.allows(at.node, step.event)? {
                    violation = Some(Violation::Event(step.event));
                    break;
                }
            }
        }
        Ok::<_, ProductMiss>(Some(Look { moves, violation }))
    })
}
