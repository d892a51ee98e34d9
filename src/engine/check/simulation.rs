//! Random simulation: runs of the unreduced system that choose steps at random, where a breadth-first search takes
//! long.
//!
//! A breadth-first search finds a shortest counterexample, but may need hours for one of thirty steps that nearly every
//! run contains. Under partial order reduction, counterexamples need not be shortest; there the search pauses now and
//! then for some runs. They prove nothing, but a violation found by one is a violation: each step is one of the
//! unreduced system, and each state is checked as in the search.
//!
//! Runs are deterministic: choices come from a generator with a fixed seed, and runs begin at counts of states, not at
//! times.

mod pairs;

use super::conclude::ending;
use super::outcome::{RawCounterexample, RunEnding, SimulationFigures};
use crate::machine::EventId;
use crate::search::breadth_first::{LazyProduct, SearchControl};
use crate::search::counterexample::{ProductTransition, RawRun, RawStep, moves, raw_step};
use crate::search::product::{ProductMiss, ProductState, Violation};
use crate::source::Stop;
use crate::source::diagnostic::Result;
use crate::source::hash::IndexSet;
use crate::specification::Specification;

/// Steps of the shortest run.
const LENGTH: usize = 64;
/// Doublings of that length, at most.
const DOUBLED_MAX: u32 = 8;
/// States stored for each step of a run: a step takes as long as several states do, and runs use one thread.
const STEPS_EACH: usize = 4;
/// Stored states that one state of the specification counts for.
const MET: usize = 64;
/// States of the specification that runs may reach, if they have not reached as many before.
const MET_MIN: usize = 1_000_000;

/// The random runs of one check.
#[derive(Debug)]
pub(super) struct Simulation {
    /// The effort of the search ([`effort`]) at which the next runs begin.
    next: usize,
    /// Whether the search in progress may pause for runs.
    pub(super) active: bool,
    /// State of the random generator; never zero.
    random: u64,
    made: SimulationFigures,
    /// The violation that a run ended in.
    pub(super) found: Option<RawCounterexample>,
}

/// Bounds of random runs, and when the search goes on.
#[derive(Clone, Copy)]
struct SimulationBounds {
    /// Whether divergence is a violation.
    divergence: bool,
    /// States of the specification reached, at most.
    met_max: usize,
    /// Runs plus steps, at most; not checked within a run.
    taken_max: usize,
}

impl SimulationBounds {
    fn are_met(self, lazy: &LazyProduct<'_>, control: &SearchControl<'_>) -> bool {
        met(lazy.specification.as_deref()) > self.met_max
            || control.limits.reached(control.cancel, 0).is_some()
    }
}

/// The plan of one run.
struct SimulationPlan {
    /// Its steps; `None` if they are chosen during the run.
    steps: Option<Vec<ProductTransition>>,
    /// Steps at most.
    length: usize,
    /// Whether silent steps are preferred.
    silent_first: bool,
}

/// The transitions of a state, and its violation.
struct ExaminedMoves {
    moves: Vec<ProductTransition>,
    violation: Option<Violation>,
}

/// The number of states of a specification that runs may have reached before the search goes on.
fn met_max(specification: Option<&Specification>) -> usize {
    let met = met(specification);
    met + (met / 2).max(MET_MIN)
}

/// The effort so far: states stored by the search, plus weighted states reached in the specification.
pub(super) fn effort(stored: usize, specification: Option<&Specification>) -> usize {
    stored + MET * met(specification)
}

/// States reached in the specification. Those of a single component cost little and are not counted.
fn met(specification: Option<&Specification>) -> usize {
    let several = |of: &&Specification| of.network().first().components().len() > 1;
    specification.filter(several).map_or(0, Specification::met)
}

impl Simulation {
    pub(super) fn new(after: usize) -> Self {
        Self {
            next: after,
            active: false,
            random: 0x9e37_79b9_7f4a_7c15,
            made: SimulationFigures::default(),
            found: None,
        }
    }

    /// Makes the next runs due at once.
    pub(super) fn begin_again(&mut self) {
        self.next = 0;
    }

    /// Statistics of the runs, if there were any.
    pub(super) fn made(&self) -> Option<SimulationFigures> {
        (self.made.runs > 0).then_some(self.made)
    }

    /// Whether the next runs are due.
    pub(super) fn are_due(&self, effort: usize) -> bool {
        self.active && self.found.is_none() && effort >= self.next
    }

    /// Makes runs until a bound on steps or on states of the specification (`met_most` of them at most) is reached, or a
    /// violation is found. Returns the limit that ended them early, if one did.
    ///
    /// # Errors
    /// An evaluation error of a state of a run, or a limit of the evaluation.
    pub(super) fn make(
        &mut self,
        lazy: &mut LazyProduct<'_>,
        (divergence, met_most): (bool, usize),
        stored: usize,
        control: &SearchControl<'_>,
    ) -> Result<Option<Stop>> {
        let before = effort(stored, lazy.specification.as_deref());
        let bounds = SimulationBounds {
            divergence,
            met_max: met_max(lazy.specification.as_deref()).min(met_most),
            taken_max: self.taken() + before / STEPS_EACH + LENGTH,
        };
        while self.found.is_none() && self.goes_on((lazy, bounds), control) {
            self.found = self.simulate(lazy, bounds, control)?;
        }
        self.made.found = self.found.is_some();
        self.next = 2 * effort(stored, lazy.specification.as_deref());
        Ok(control.limits.reached(control.cancel, 0))
    }

    /// Runs plus steps. A run without steps counts too, so that runs always end.
    fn taken(&self) -> usize {
        self.made.runs + self.made.steps
    }

    /// Whether further runs may be made before the search goes on.
    fn goes_on(
        &self,
        (lazy, bounds): (&LazyProduct<'_>, SimulationBounds),
        control: &SearchControl<'_>,
    ) -> bool {
        self.taken() < bounds.taken_max && !bounds.are_met(lazy, control)
    }

    /// Plans the next run. Every second run is twice as long as every first, every fourth twice as long as that, and so
    /// on, since the length to a violation is unknown. Where refusals matter, every other run prefers silent steps:
    /// these need no new nodes of the specification, and lead to stable states. For determinism, every other run is
    /// taken from a pair of runs.
    fn plan(
        &mut self,
        lazy: &mut LazyProduct<'_>,
        bounds: SimulationBounds,
        control: &SearchControl<'_>,
    ) -> Result<SimulationPlan> {
        self.made.runs += 1;
        let number = self.made.runs;
        let steps = match lazy.demands.determinism && number % 2 == 1 {
            true => self.find_refusing(lazy, bounds, control)?,
            false => None,
        };
        let length = match &steps {
            // One more, to check its last state.
            Some(steps) => steps.len() + 1,
            None => LENGTH << number.trailing_zeros().min(DOUBLED_MAX),
        };
        let refusals = lazy.demands.looks_at_offers() || lazy.demands.progress;
        // For determinism the system is its own specification, so only refusals can be violations.
        let first = usize::from(lazy.demands.determinism);
        Ok(SimulationPlan {
            steps,
            length,
            silent_first: refusals && number % 2 == first,
        })
    }

    /// Makes one run.
    fn simulate(
        &mut self,
        lazy: &mut LazyProduct<'_>,
        bounds: SimulationBounds,
        control: &SearchControl<'_>,
    ) -> Result<Option<RawCounterexample>> {
        let plan = self.plan(lazy, bounds, control)?;
        let mut at = ProductState::initial(lazy.network);
        let mut run = RawRun {
            initial: at.clone(),
            steps: Vec::new(),
        };
        // The states since the last visible event.
        let mut silent = IndexSet::from_iter([at.clone()]);
        while run.steps.len() < plan.length {
            if bounds.are_met(lazy, control) {
                return Ok(None);
            }
            let Some(examined) = examine(lazy, &at)? else {
                return Ok(None);
            };
            if let Some(violation) = examined.violation {
                if let Violation::Event(event) = violation {
                    let refused = examined.moves.iter().find(|step| step.event == event);
                    run.steps
                        .extend(refused.map(|step| taken(lazy, &at, step, None)));
                }
                return Ok(Some(shown(ending(violation), run)));
            }
            let step = match &plan.steps {
                Some(steps) => steps.get(run.steps.len()),
                None => self.choose_first(&examined.moves, plan.silent_first),
            };
            let Some(step) = step else {
                return Ok(None);
            };
            let step = follow(lazy, &at, step)?;
            self.made.steps += 1;
            at = step.after.clone();
            let event = step.event;
            run.steps.push(step);
            if event != EventId::TAU {
                silent.clear();
            }
            let (place, is_new) = silent.insert_full(at.clone());
            if bounds.divergence && !is_new && !is_cut_off(lazy, &at)? {
                let lap = silent.len() - place;
                return Ok(Some(shown(RunEnding::Divergence { lap, laps: 1 }, run)));
            }
        }
        Ok(None)
    }

    /// Chooses a step that does not end the process; a silent one, if there is one and silent steps are preferred.
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

    /// Chooses one of the steps with certain events.
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

/// Classifies a step: to a node, or not allowed.
fn taken(
    lazy: &LazyProduct<'_>,
    at: &ProductState,
    step: &ProductTransition,
    node: Option<u32>,
) -> RawStep {
    let after = ProductState {
        node: node.unwrap_or_default(),
        format: step.format.0,
        locals: step.locals.clone(),
    };
    raw_step(lazy, at, step, after, node.is_some())
}

/// Follows an allowed step; may expand the specification for its target.
fn follow(
    lazy: &mut LazyProduct<'_>,
    at: &ProductState,
    step: &ProductTransition,
) -> Result<RawStep> {
    let node = lazy.complete(|product| {
        let from = product.followed_from_state(at)?;
        product.follow(from, step.event)
    })?;
    Ok(taken(lazy, at, step, node))
}

fn is_cut_off(lazy: &mut LazyProduct<'_>, at: &ProductState) -> Result<bool> {
    lazy.complete(|product| product.is_cut_off(at.node))
}

/// The transitions of a state and its violation. Returns `None` where the specification allows everything from there
/// on.
fn examine(lazy: &mut LazyProduct<'_>, at: &ProductState) -> Result<Option<ExaminedMoves>> {
    lazy.complete(|product| {
        if product.is_cut_off(at.node)? {
            return Ok(None);
        }
        let moves = moves(product, at)?;
        let mut initials: Vec<EventId> = moves.iter().map(|step| step.event).collect();
        // A violation by refusal gives the shorter counterexample.
        let mut violation = product.violation(at.node, &mut initials)?;
        if violation.is_none() {
            for step in &moves {
                if !product.allows(at.node, step.event)? {
                    violation = Some(Violation::Event(step.event));
                    break;
                }
            }
        }
        Ok::<_, ProductMiss>(Some(ExaminedMoves { moves, violation }))
    })
}
