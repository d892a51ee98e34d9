//! Outcome of a check: the verdict, why an assertion fails, and statistics.

use super::adaptive::AdaptiveUsed;
use super::reduction::Reduction;
use crate::eval::Growing;
use crate::machine::EventId;
use crate::machine::bisimilar::MergingBound;
use crate::search::breadth_first::Figures;
use crate::search::counterexample::{RawRun, RawStep};
use crate::search::represented::Represented;
use crate::source::Stop;
use crate::specification::SpecificationMerged;

/// The verdict on an assertion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CheckVerdict {
    /// The assertion holds.
    Holds,
    /// The assertion fails.
    Fails,
    /// No violation found, by a search that proves nothing ([`crate::search::keeping::Keeping::proves`]).
    Unproved,
    /// A limit or a cancellation came before the verdict.
    Stopped(Stop),
}

/// The end of a run: a violation of the assertion, or the result of following a trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RunEnding {
    /// No violation: the run performs the trace.
    Performed,
    /// The run performs as much of the trace as can be.
    Unable {
        /// The event of the trace that should come next.
        event: EventId,
        /// The events that can come next, in some state after the same events.
        offered: Vec<EventId>,
    },
    /// The last state refuses the next event of the trace.
    Reluctant {
        /// The event that it refuses.
        event: EventId,
    },
    /// The specification does not allow the last event.
    Refused,
    /// The last state has no transitions.
    Deadlock,
    /// The last state refuses more than the specification does.
    Refusal,
    /// The last state refuses more, while it can perform some event, than the specification does while it can.
    Revival,
    /// The last state refuses an event that is possible after the same trace.
    Ambiguity,
    /// The last `lap` steps, all τ, can be repeated for ever: up to a renaming in each lap, until after `laps` laps the
    /// same state is reached.
    Divergence {
        /// Steps of one lap.
        lap: usize,
        /// Laps until the state recurs.
        laps: usize,
    },
}

/// A violation and the run of the unreduced system that leads to it.
#[derive(Clone, Debug)]
pub struct RawCounterexample {
    /// The violation at the end of the run.
    pub ending: RunEnding,
    /// The run, from the initial state.
    pub run: RawRun,
    /// For a divergence, the laps after the first, until the state recurs; empty if they are too many to show.
    pub further: Vec<RawStep>,
}

/// Violations that the components of a system rule out on their own, without a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RuledOut {
    /// Divergence.
    pub divergence: bool,
    /// Deadlock.
    pub deadlock: bool,
}

/// The number of states of a search that merges no local states.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnmergedStates {
    /// This number.
    Exactly(usize),
    /// More than this number.
    MoreThan(usize),
}

impl UnmergedStates {
    /// The number, if the count was completed.
    #[must_use]
    pub fn number(self) -> Option<usize> {
        match self {
            Self::Exactly(states) => Some(states),
            Self::MoreThan(_) => None,
        }
    }
}

/// Statistics of a check.
#[derive(Clone, Debug, Default)]
pub struct Statistics {
    /// Counters of the search.
    pub figures: Figures,
    /// Seconds of the whole check, compilation included.
    pub seconds: f64,
    /// Seconds of these until the search began.
    pub compile_seconds: f64,
    /// Seconds of these in the search alone, without the detection of divergence, the unwinding of counterexamples and
    /// the counting of represented states.
    pub search_seconds: f64,
    /// Processor seconds of the program during the search, on all threads, if the system reports them.
    pub search_cpu: Option<f64>,
    /// Local states evaluated: one of each orbit.
    pub evaluated: usize,
    /// Local states in total.
    pub local_states: usize,
    /// Local states merged into a bisimilar one, counted for each component.
    pub merged: usize,
    /// The number of states without merging, if it could be counted quickly.
    pub unmerged_states: Option<UnmergedStates>,
    /// The bound that limited merging, if one was reached.
    pub merging_bound: Option<MergingBound>,
    /// Nodes of the normalised specification, if there is one.
    pub nodes: Option<usize>,
    /// Whether the nodes are known to be those of the normal form (Def. 3), with no two bisimilar.
    pub normal: bool,
    /// Whether some nodes hold a set of values, or are several states that permutations exchange: then two pairs of one
    /// orbit may be stored.
    pub holds_sets: bool,
    /// Parameters of processes that grow along the local states, if a limit ended the search: there may be infinitely
    /// many local states.
    pub growing: Vec<Growing>,
    /// Components of the initial state.
    pub components: usize,
    /// Rules of all formats.
    pub rules: usize,
    /// Formats reached: structures of parallel operators.
    pub formats: usize,
    /// Whether the components may be others than those of an unreduced check.
    pub kept_together: bool,
    /// Compressed processes that were too large and whose parts became components instead.
    pub opened: usize,
    /// Whether state symmetry left out steps.
    pub state_symmetry: bool,
    /// Partial order reduction: `None` if not asked for, else whether it applies or why not, with the violations that
    /// the components alone rule out, for which no search was needed.
    pub partial_order: Option<Result<RuledOut, &'static str>>,
    /// Result of the search for a shortest counterexample, if a reduction had left out steps and the search was made.
    pub shortest: Option<ShortestSought>,
    /// Random runs, if there were any.
    pub simulation: Option<SimulationFigures>,
    /// Compression of a large specification, if it was compressed.
    pub specification_merged: Option<SpecificationMerged>,
    /// The fallback of the strategy, for states for which it is not exact.
    pub instead: &'static str,
    /// Search for structural symmetry, if there was one.
    pub structure_looked: Option<StructureLooked>,
    /// The number of states represented, if asked for and known.
    pub represented: Option<Represented>,
    /// Figures of adaptive reduction, if it was used.
    pub adaptive: Option<AdaptiveUsed>,
}

/// Cost and result of the search for structural symmetry.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StructureLooked {
    /// Seconds spent.
    pub seconds: f64,
    /// Steps of work, as counted by [`super::look_bounds`].
    pub work: u64,
    /// Steps of work of the check's search before the last attempt.
    pub searched: u64,
    /// States searched before.
    pub states_before: u64,
    /// Its result.
    pub came: StructureUse,
}

/// The result of a search for structural symmetry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StructureUse {
    /// The group reduces the check.
    Used,
    /// The group moves hardly any reached state, so it is not used.
    Idle,
    /// The group is not used: computing representatives takes longer than it saves.
    Costly,
    /// No group was found, or the structure is not known.
    None,
    /// No group without the specification, which is too large to be permuted with the network.
    Untied,
    /// The group would take too much memory.
    TooLarge,
    /// The search reached a limit of time or memory, or the work that a search of this length allows, and was given up.
    Limited,
}

/// Random runs made during a search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SimulationFigures {
    /// Number of runs.
    pub runs: usize,
    /// Steps of all runs together.
    pub steps: usize,
    /// Whether the last run ended in the violation that is reported.
    pub found: bool,
}

/// States of the second search, at most.
pub const SHORTEST_STATES: usize = 1_000_000;

/// The result of the search for a shortest counterexample.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShortestSought {
    /// States stored by the search without reduction of steps.
    pub states: usize,
    /// By how many steps the counterexample became shorter, or the limit that ended that search.
    pub shorter: Result<usize, Stop>,
}

/// The outcome of a check.
#[derive(Debug)]
pub struct Outcome {
    /// The verdict, with `not` applied.
    pub verdict: CheckVerdict,
    /// Statistics of the check.
    pub statistics: Statistics,
    /// The symmetry reduction, if one was used.
    pub reduction: Option<Reduction>,
    /// Counterexamples to the assertion without its `not`: shortest first, at most as many as were asked for.
    pub counterexamples: Vec<RawCounterexample>,
    /// Results that were asked for but are missing.
    pub missing: Vec<Missing>,
}

/// A result that is missing although the verdict is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Missing {
    /// Its name within a sentence, as `the counterexample`.
    pub what: &'static str,
    /// The limit that prevented it, if known.
    pub stop: Option<Stop>,
}
