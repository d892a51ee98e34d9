//! What a check finds out: the verdict, why an assertion fails, and what was counted.

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

/// Whether an assertion holds: what a check finds, before anybody puts it into words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CheckVerdict {
    /// It does.
    Holds,
    /// It does not.
    Fails,
    /// Nothing was found that is wrong, by a search that proves nothing ([`crate::search::keeping::Keeping::proves`]).
    Unproved,
    /// A limit or a cancellation came first.
    Stopped(Stop),
}

/// What a run ends in: a violation of what was asked, or what it shows of a trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RunEnding {
    /// No violation: the run performs the trace.
    Performed,
    /// The run performs as much of the trace as can be.
    Unable {
        /// What should come next.
        event: EventId,
        /// What can come next, in some state after the same events.
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
    /// The last `lap` steps, all τ, can be repeated for ever: with other names each time, until after
    /// `laps` of them the state is the same again.
    Divergence {
        /// Steps of one lap.
        lap: usize,
        /// Laps until the state is the same.
        laps: usize,
    },
}

/// A violation and the run of the unreduced system that leads to it.
#[derive(Clone, Debug)]
pub struct RawCounterexample {
    /// What goes wrong at its end.
    pub ending: RunEnding,
    /// How it comes about.
    pub run: RawRun,
    /// For a divergence, the laps after the first, until the state is the same; none if they are very
    /// many.
    pub further: Vec<RawStep>,
}

/// What the components of a system alone rule out, as far as it was looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RuledOut {
    /// That a run is silent for ever.
    pub divergence: bool,
    /// That it deadlocks.
    pub deadlock: bool,
}

/// How many states a search meets that merges no local states.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnmergedStates {
    /// So many.
    Exactly(usize),
    /// More than so many.
    MoreThan(usize),
}

impl UnmergedStates {
    /// How many, if they were counted to the end.
    #[must_use]
    pub fn number(self) -> Option<usize> {
        match self {
            Self::Exactly(states) => Some(states),
            Self::MoreThan(_) => None,
        }
    }
}

/// What was counted.
#[derive(Clone, Debug, Default)]
pub struct Statistics {
    /// Of the search.
    pub figures: Figures,
    /// Of the whole check, compilation included.
    pub seconds: f64,
    /// Of these, until the search began.
    pub compile_seconds: f64,
    /// Of these, for the search alone: what follows looks for divergence, unwinds counterexamples and
    /// counts what was represented.
    pub search_seconds: f64,
    /// Seconds of processor time that the program used meanwhile, on all threads, where that is told.
    pub search_cpu: Option<f64>,
    /// Local states given to the evaluator: one an orbit.
    pub evaluated: usize,
    /// Local states in all.
    pub local_states: usize,
    /// Of those, how many a bisimilar one stands for; once for each component.
    pub merged: usize,
    /// How many states there are where none are merged, if that is soon counted.
    pub unmerged_states: Option<UnmergedStates>,
    /// The bound that kept more from being merged, if there was one.
    pub merging_bound: Option<MergingBound>,
    /// Nodes of the specification made, if there is one.
    pub nodes: Option<usize>,
    /// Whether these are known to be those of the normal form (Def. 3), with no two bisimilar.
    pub normal: bool,
    /// Whether some of them hold a set of values, or are several states that permutations exchange: then two pairs of
    /// one orbit may be kept.
    pub holds_sets: bool,
    /// Parameters of processes that grow along the local states, if a limit ended the search: perhaps there are
    /// infinitely many of these.
    pub growing: Vec<Growing>,
    /// Components of the initial state.
    pub components: usize,
    /// Rules of all formats.
    pub rules: usize,
    /// Formats: structures of parallel operators that were met.
    pub formats: usize,
    /// Whether the components may be others than those of an unreduced check.
    pub kept_together: bool,
    /// Compressed processes whose parts became components, since they were too large.
    pub opened: usize,
    /// Whether steps were left out by state symmetry.
    pub state_symmetry: bool,
    /// Whether steps might be left out by partial order, or why not; none where nobody asked for it. If so, what the
    /// components alone rule out, which nothing had to be searched for then.
    pub partial_order: Option<Result<RuledOut, &'static str>>,
    /// What came of looking for a shorter counterexample than one that was found with steps left out, if that was done.
    pub shortest: Option<ShortestSought>,
    /// The runs that were tried at random, if there were any.
    pub dives: Option<DivesMade>,
    /// What a large specification was made smaller by, if that was done.
    pub specification_merged: Option<SpecificationMerged>,
    /// What the strategy does where it cannot do what it is named for.
    pub instead: &'static str,
    /// What looking for symmetry in the structure took, if that was done.
    pub structure_looked: Option<StructureLooked>,
    /// What the search stands for, if that was asked for and is known.
    pub represented: Option<Represented>,
    /// What an adaptive search was like, if it was one.
    pub adaptive: Option<AdaptiveUsed>,
}

/// What looking for symmetry in the structure of the network took, and whether it was worth it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StructureLooked {
    /// Seconds that it took.
    pub seconds: f64,
    /// Steps of work that were done, as [`super::look_bounds`] counts them.
    pub work: u64,
    /// The same of the search, before it was looked for the last time.
    pub searched: u64,
    /// States that were searched before.
    pub states_before: u64,
    /// What came of it.
    pub came: StructureUse,
}

/// What came of looking for symmetry in the structure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StructureUse {
    /// The check is reduced by it.
    Used,
    /// There is some, but it hardly moves any state that is reached, so the search goes without.
    Idle,
    /// There is some, but to find representatives takes longer than it saves, so the search goes without.
    Costly,
    /// There is none, or it is not known.
    None,
    /// There is none without the specification, which is too large to be permuted with the network.
    Untied,
    /// There is some, which would take too much room.
    TooLarge,
    /// Looking reached a limit of time or memory, or took as long as it may for a search of this length, and was given
    /// up.
    Limited,
}

/// Runs that were tried at random.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DivesMade {
    /// How many.
    pub dives: usize,
    /// Their steps in all.
    pub steps: usize,
    /// Whether the last one ended in what is shown.
    pub found: bool,
}

/// States of the second search, if nothing else limits them earlier.
pub const SHORTEST_STATES: usize = 1_000_000;

/// What came of looking for a shorter counterexample.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShortestSought {
    /// States of the search with all steps.
    pub states: usize,
    /// How many steps fewer the counterexample has by that; or why that search was ended before it was known.
    pub shorter: Result<usize, Stop>,
}

/// The end of a check.
#[derive(Debug)]
pub struct Outcome {
    /// The answer, `not` taken into account.
    pub verdict: CheckVerdict,
    /// What was counted and measured on the way.
    pub statistics: Statistics,
    /// The reduction, if there was one.
    pub reduction: Option<Reduction>,
    /// Why the assertion (without its `not`) fails: shortest first, at most as many as were asked for.
    pub counterexamples: Vec<RawCounterexample>,
    /// What was asked for and could not be had, though there is a verdict.
    pub missing: Vec<Missing>,
}

/// Something that there is not, although the verdict is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Missing {
    /// What it is called within a sentence, as `the counterexample`.
    pub what: &'static str,
    /// The limit that cut it off; none if it cannot be told.
    pub stop: Option<Stop>,
}
