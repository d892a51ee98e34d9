//! The end of a check in words and figures, as plain data: for screens, text, JSON and files.

use num_bigint::BigUint;
use serde::Serialize;

use super::inputs::Input;
use super::keys::RunKeys;
use super::numbers;
use super::parted::PartedText;
pub use super::progress::Progress;
use super::reduction::{PlanView, SymmetrySummary, sentences};
use super::words::{ErrorText, EventKind};
use crate::check::adaptive::AdaptiveUsed;
use crate::check::outcome::{SimulationFigures, StructureLooked, StructureUse, UnmergedStates};
use crate::machine::Growing;
use crate::search::figures::{DiskFigures, ProcessFigures};
use crate::source::Stop;
use crate::specification::SpecificationMerged;

/// The hint where there is symmetry that is not used.
const IDLE: &str =
    "The structure of the network is symmetric, but that hardly moves any state that is reached.";
/// The hint where symmetry in the structure takes longer than it saves.
const COSTLY: &str =
    "The structure of the network is symmetric, but to reduce by that takes longer than it saves.";

/// Said of a number of states.
const AFTER_MERGING: &str = "after merging equal local states";

/// The addition to the states for which a strategy is exact.
const BESIDE_SETS: &str = "; that is said of states: nodes of this specification are several states or hold sets of values, \
                           and of pairs of a state and such a node two pairs of one orbit may be kept";

/// The end of a check.
#[derive(Clone, Debug, PartialEq)]
pub struct CheckOutcome {
    /// Number of the assertion in its script, from 1.
    pub number: usize,
    /// The assertion as written.
    pub text: String,
    /// The answer, or why there is none.
    pub verdict: Verdict,
    /// The figures at the end.
    pub progress: Progress,
    /// The reduction, if there was one.
    pub symmetry: Option<SymmetrySummary>,
    /// The basis of the reduction, or why there was none, or not more; absent if the check did not reach a plan.
    pub plan: Option<PlanView>,
    /// The counterexample, if it fails.
    pub counterexample: Option<Counterexample>,
    /// Further counterexamples, if they were asked for: no shorter, each to another state or event.
    pub others: Vec<Counterexample>,
    /// The error that prevented or ended the check, or the text that makes it fail.
    pub diagnostic: Option<Box<crate::source::Diagnostic>>,
    /// Why an assertion about the text fails, for people.
    pub explanation: Option<ErrorText>,
    /// The limit or signal that ended it early, if any.
    pub stopped: Option<Stop>,
    /// Requested results that are missing although there is a verdict, with the limit that was reached.
    pub missing: Vec<String>,
    /// Sizes and times, if there are any.
    pub details: Option<Details>,
    /// States and transitions of the unreduced system, if they were counted.
    pub represented: Option<(BigUint, BigUint)>,
    /// The figures of an adaptive search, if it was one.
    pub adaptive: Option<AdaptiveUsed>,
    /// The files that were checked.
    pub inputs: Vec<Input>,
}

impl CheckOutcome {
    /// Sentences on its reduction, if it reached a plan.
    #[must_use]
    pub fn reduction_sentences(&self) -> Option<Vec<String>> {
        let plan = self.plan.as_ref()?;
        let structure = self.structure_use();
        let mut lines = sentences(self.symmetry.as_ref(), plan, "strategy", structure);
        match structure {
            Some(StructureUse::Idle) => lines.push(IDLE.to_string()),
            Some(StructureUse::Costly) => lines.push(COSTLY.to_string()),
            _ => {}
        }
        let partial_order = self.partial_order_sentence();
        let state_symmetry = self.state_symmetry_sentence();
        let given_up = self.details.iter().flat_map(Details::given_up);
        let besides = partial_order
            .into_iter()
            .chain(state_symmetry)
            .chain(given_up);
        lines.extend(besides.map(|sentence| format!("Besides: {sentence}.")));
        Some(lines)
    }

    /// The result of the search for symmetry in the structure, if there was one.
    pub(super) fn structure_use(&self) -> Option<StructureUse> {
        let search = self.details.as_ref()?.structure_looked?;
        Some(search.came)
    }

    /// The number of states, and the unit in which they are counted.
    #[must_use]
    pub fn states(&self) -> String {
        let states = numbers::counted(self.progress.states, "state");
        if !self.merges() {
            return states;
        }
        let found = self.details.as_ref().and_then(|d| d.unmerged_states);
        let left = numbers::grouped(&self.progress.states.into());
        match found {
            None => format!("{states} {AFTER_MERGING}"),
            Some(UnmergedStates::Exactly(all)) => {
                let all = numbers::counted(all as u64, "state");
                format!("{all}, {left} {AFTER_MERGING}")
            }
            Some(UnmergedStates::MoreThan(most)) => {
                let most = numbers::counted(most as u64, "state");
                format!("more than {most}, {left} {AFTER_MERGING}")
            }
        }
    }

    /// Whether bisimilar local states were merged, so that states may be fewer than those of the script.
    #[must_use]
    pub fn merges(&self) -> bool {
        self.details
            .as_ref()
            .is_some_and(|details| details.merged > 0)
    }

    /// The states for which the strategy is exact.
    #[must_use]
    pub fn exact_for(&self) -> Option<String> {
        let symmetry = self.symmetry.as_ref()?;
        let holds_sets = self.details.as_ref().is_some_and(|d| d.holds_sets);
        let for_sets = if holds_sets { BESIDE_SETS } else { "" };
        Some(format!("{}{for_sets}", symmetry.exact_for))
    }

    /// The steps that state symmetry left out, as a sentence, if it was asked for.
    #[must_use]
    pub fn state_symmetry_sentence(&self) -> Option<String> {
        let alike = self.details.as_ref()?.alike?;
        let steps = numbers::counted(alike, "step");
        let all = numbers::counted(self.progress.transitions, "transition");
        Some(format!(
            "state symmetry left out {steps} of {all}: each leads to the orbit that another one leads to"
        ))
    }

    /// The steps that partial order reduction left out, or why it left out none, as a sentence, if it was asked for.
    #[must_use]
    pub fn partial_order_sentence(&self) -> Option<String> {
        let found = self.details.as_ref()?.left_out.as_ref()?;
        Some(match found {
            Ok(LeftOut {
                steps,
                skipped,
                unlooked,
                rules_out_divergence,
                rules_out_deadlock,
                simulation,
                specification,
            }) => {
                let merged = specification.map_or(String::new(), merged_words);
                let simulated = simulation.map_or(String::new(), simulation_words);
                let is_open =
                    *steps > 0 || *skipped > 0 || simulation.is_some_and(|made| made.found);
                let steps = numbers::counted(*steps, "step");
                let skipped = match skipped {
                    0 => String::new(),
                    n => format!(
                        ", skipped {} without storing them",
                        numbers::counted(*n, "state")
                    ),
                };
                let unlooked = match unlooked {
                    0 => String::new(),
                    n => format!(
                        "; at states with {} it did not look for them, having found hardly any before",
                        numbers::counted(*n, "step")
                    ),
                };
                let ruled_out = match (rules_out_divergence, rules_out_deadlock) {
                    (true, true) => "; the components alone rule divergence and deadlock out",
                    (true, false) => "; the components alone rule divergence out",
                    (false, true) => "; the components alone rule deadlock out",
                    (false, false) => "",
                };
                let shortest = self.shortest_words(is_open).unwrap_or_default();
                format!(
                    "partial order reduction left out {steps}{skipped}{unlooked}{ruled_out}{merged}{simulated}{shortest}"
                )
            }
            Err(why) => format!("no partial order reduction: {why}"),
        })
    }

    /// The result of the search for a shorter counterexample, as the end of a sentence.
    fn shortest_words(&self, may_be_longer: bool) -> Option<String> {
        let Some(sought) = self.details.as_ref()?.shortest.as_ref() else {
            let is_open = may_be_longer && self.counterexample.is_some();
            return is_open.then(|| "; there may be a shorter counterexample".to_owned());
        };
        let states = numbers::counted(sought.states, "state");
        Some(match &sought.shorter {
            Ok(0) => {
                format!("; a search of {states} with all steps found no shorter counterexample")
            }
            Ok(n) => {
                let fewer = numbers::counted(*n, "step");
                format!(
                    "; a search of {states} with all steps made the counterexample {fewer} shorter"
                )
            }
            Err(why) => format!(
                "; there may be a shorter counterexample: a search of {states} with all steps was given up ({why})"
            ),
        })
    }

    /// An outcome of which nothing but the verdict is known.
    #[must_use]
    pub fn new(number: usize, text: String, verdict: Verdict) -> Self {
        Self {
            number,
            text,
            verdict,
            progress: Progress::default(),
            symmetry: None,
            plan: None,
            counterexample: None,
            others: Vec::new(),
            diagnostic: None,
            explanation: None,
            stopped: None,
            missing: Vec::new(),
            adaptive: None,
            details: None,
            represented: None,
            inputs: Vec::new(),
        }
    }

    /// Iterates over all counterexamples, shortest first.
    pub fn counterexamples(&self) -> impl Iterator<Item = &Counterexample> {
        self.counterexample.iter().chain(&self.others)
    }
}

/// Sizes and times of a check.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Details {
    /// Local states given to the evaluator: one an orbit.
    pub evaluated: usize,
    /// Representatives that the search took.
    pub representatives: u64,
    /// The number of these by another strategy than the named one, and which.
    pub fallbacks: (u64, &'static str),
    /// Local states in all.
    pub local_states: usize,
    /// The number of those that a bisimilar one represents; once for each component.
    pub merged: usize,
    /// The number of states without merging, if that was counted.
    pub unmerged_states: Option<UnmergedStates>,
    /// Why no more were merged, if a bound kept them from it.
    pub merging_given_up: Option<String>,
    /// Nodes of the specification that were made, if there is one.
    pub nodes: Option<usize>,
    /// Whether these are known to be those of the normal form, with no two bisimilar.
    pub normal: bool,
    /// Components of the initial state.
    pub components: usize,
    /// Rules of all formats.
    pub rules: usize,
    /// The number of formats found: configurations of the parallel operators.
    pub formats: usize,
    /// Whether the components may differ from those of an unreduced check: parallel compositions that permutations
    /// move stay inside of one.
    pub kept_together: bool,
    /// Compressed processes whose parts became components, since they were too large.
    pub opened: usize,
    /// Ends of stored states, each stored once for all states with it; none where states are stored in full.
    pub ends: Option<usize>,
    /// What the files of a search on disk come to; `None` in memory.
    pub disk: Option<DiskFigures>,
    /// What several processes have exchanged; `None` for one.
    pub processes: Option<ProcessFigures>,
    /// The number of steps that sleep sets left out, since they commute with steps from another state
    /// (`src/engine/reductions/sleep.rs`).
    pub slept: u64,
    /// Steps that state symmetry left out; `None` without the option or without reduction.
    pub alike: Option<u64>,
    /// Whether nodes of the specification are several states or hold sets of values: then the exactness of a
    /// strategy is one for states, and two pairs of a state and a node that are of one orbit may be kept.
    pub holds_sets: bool,
    /// Parameters of processes that grew along the local states, if a limit ended the search.
    pub growing: Vec<Growing>,
    /// The steps that partial order reduction left out, or why it left out none; absent where it was not asked for.
    pub left_out: Option<Result<LeftOut, String>>,
    /// The result of the search for a shorter counterexample than one found with steps left out, if there was one.
    pub shortest: Option<ShortestView>,
    /// Seconds until the search began.
    pub compile_seconds: f64,
    /// The cost of the search for symmetry in the structure, if there was one.
    pub structure_looked: Option<StructureLooked>,
    /// The number of states that are only remembered, since another one of their orbit was reached.
    pub unreached: usize,
    /// Seconds of the search.
    pub search_seconds: f64,
    /// Peak memory of the whole process so far, where the operating system reports it.
    pub peak: Option<usize>,
}

impl Details {
    /// The number of states without merging, if they were counted to the end.
    #[must_use]
    pub fn states_before_merging(&self) -> Option<usize> {
        self.unmerged_states.and_then(UnmergedStates::number)
    }

    /// Sentences on the reductions that were given up for their size before the search.
    #[must_use]
    pub fn given_up(&self) -> Vec<String> {
        let opened = (self.opened > 0).then(|| {
            let compressions = numbers::counted(self.opened as u64, "compression");
            format!(
                "{compressions} left out, for the size of what would be compressed: its parts are components"
            )
        });
        let merging = self.merging_given_up.as_ref();
        let merging = merging.map(|why| format!("merging equal local states was given up: {why}"));
        opened.into_iter().chain(merging).collect()
    }
}

/// The object that was normalised instead of a specification, as the end of a sentence.
fn merged_words(merged: SpecificationMerged) -> String {
    let explored = numbers::counted(merged.explored as u64, "state");
    let states = numbers::thousands(merged.states as u128);
    let up_to = match merged.permutations {
        1 => String::new(),
        n => format!(" (up to {n} permutations of its events)"),
    };
    format!(
        "; the specification's {explored}{up_to} were merged into {states} before it was normalised"
    )
}

/// The result of random simulation, as the end of a sentence.
fn simulation_words(made: SimulationFigures) -> String {
    let runs = numbers::counted(made.runs as u64, "random run");
    let steps = numbers::counted(made.steps as u64, "step");
    if made.found {
        format!("; the last of {runs} ({steps} in all) met the counterexample")
    } else {
        format!("; {runs} ({steps} in all) met nothing that is wrong")
    }
}

/// The effect of partial order reduction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// The number of steps left out.
    pub steps: u64,
    /// States from which one step was enough, and which were not stored: a state counts each time that it is skipped.
    pub skipped: u64,
    /// The number of states at which reduction was not tried, since it had hardly ever succeeded.
    pub unlooked: u64,
    /// Whether the components alone rule divergence out.
    pub rules_out_divergence: bool,
    /// Whether the components rule deadlock out; false where it is not asked about.
    pub rules_out_deadlock: bool,
    /// Runs that were tried at random, if there were any.
    pub simulation: Option<SimulationFigures>,
    /// The merging of a large specification, if that was done.
    pub specification: Option<SpecificationMerged>,
}

/// The result of a search with all steps for a shorter counterexample.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShortestView {
    /// The number of states of that search.
    pub states: u64,
    /// The number of steps that it saves; or why the search was ended.
    pub shorter: Result<u64, String>,
}

/// The answer to an assertion.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// The assertion holds.
    Holds,
    /// The assertion fails.
    Fails,
    /// No violation was found by a search that proves nothing: the text says why.
    Approximate(String),
    /// A limit was reached, or it was cancelled: the text says which.
    Inconclusive(String),
    /// The assertion could not be checked.
    Error(ErrorText),
}

/// The violation at the end of a counterexample. Sets of events are in words.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum Ending {
    /// The specification does not allow the last event.
    Refused {
        /// The event that is not allowed.
        event: String,
        /// The events that are allowed.
        allowed: PartedText,
    },
    /// There are no transitions.
    Deadlock,
    /// The last state refuses more than the specification does.
    Refusal {
        /// The events that the process offers.
        offered: PartedText,
        /// The minimal acceptances of the specification.
        acceptances: Vec<String>,
    },
    /// The last state refuses more, while it can perform an event, than the specification does while it can.
    Revival {
        /// The refused event.
        event: String,
        /// The events that the process offers.
        offered: PartedText,
        /// The minimal acceptances of the specification that have the event.
        acceptances: Vec<String>,
    },
    /// The last state refuses an event that is possible after the same trace.
    Ambiguity {
        /// The events that it refuses although they are possible.
        refused: PartedText,
        /// The events that the process offers.
        offered: PartedText,
    },
    /// No violation: the run performs the wanted trace.
    #[default]
    Performed,
    /// The run performs as much of the trace that was asked for as can be.
    Unable {
        /// The next event of the trace.
        event: String,
        /// The events that are possible.
        offered: PartedText,
    },
    /// The last state refuses the next event of the trace that was asked for.
    Reluctant {
        /// The event that is missing.
        event: String,
        /// The events that the process offers.
        offered: PartedText,
    },
    /// The last steps, all τ, can be repeated for ever.
    Divergence {
        /// The number of steps of a lap.
        lap: usize,
        /// The number of laps until the state is the same: names differ after each.
        laps: usize,
    },
}

/// A violation, in the names of the unreduced system (Sec. 3.5), already replayed there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counterexample {
    /// The implementation, as an expression over the script.
    pub process: String,
    /// Labels of the components, as `Node[N0]`.
    pub components: Vec<PartedText>,
    /// Their local states at the start.
    pub initial: Vec<PartedText>,
    /// The specification's state at the start; empty if there is no specification.
    pub initial_spec: String,
    /// The steps, one a transition.
    pub steps: Vec<CounterexampleStep>,
    /// The violation at the end, as one or two sentences.
    pub reason: String,
    /// The violation at the end.
    pub ending: Ending,
    /// The steps of the laps after the first, for a divergence whose loop closes after several (empty if they are
    /// very many).
    pub further: Vec<CounterexampleStep>,
    /// Length of the path in the reduced automaton; equal to `steps.len()`.
    pub quotient: Vec<String>,
    /// Its states and events themselves, so that it is replayed without comparing words.
    pub keys: Option<RunKeys>,
}

impl Counterexample {
    /// Whether it is a run that answers an assertion, and not only the way to a state.
    #[must_use]
    pub fn is_of_assertion(&self) -> bool {
        !self.components.is_empty()
    }

    /// The noun for it in texts.
    #[must_use]
    pub fn word(&self) -> &'static str {
        if self.is_of_assertion() {
            "counterexample"
        } else {
            "trace"
        }
    }

    /// The components of the state after a step: they are others where the network has changed.
    #[must_use]
    pub fn components_after<'a>(&'a self, step: &'a CounterexampleStep) -> &'a [PartedText] {
        step.components.as_ref().unwrap_or(&self.components)
    }
}

/// A transition of a counterexample.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CounterexampleStep {
    /// τ, ✓ or visible.
    pub kind: EventKind,
    /// The event as it is shown; for τ the event that was hidden, or empty.
    pub event: PartedText,
    /// The components that move, with their local state after. Where the step leads to other components, all of
    /// these.
    pub changes: Vec<(usize, PartedText)>,
    /// The event that each of them performs itself, before renaming and hiding; empty for τ. None where
    /// the step leads to other components.
    pub events: Vec<(usize, PartedText)>,
    /// The components of the state afterwards, if they are others than those that the run begins with.
    pub components: Option<Vec<PartedText>>,
    /// The offer of the state before the step, if it matters that all other events were refused there (refusal
    /// testing).
    pub observed: Option<String>,
    /// The specification's state after; `None` if it cannot follow.
    pub spec: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_a_search_are_told_in_words() {
        let disk = DiskFigures {
            bytes: 3 << 20,
            looked_up: 5,
            committed: None,
            before: crate::search::figures::RunCounts::default(),
        };
        let mut progress = Progress::default();
        assert_eq!(progress.on_disk(), None);
        (progress.transitions, progress.disk) = (1_000, Some(disk));
        let expected = "3.0 MiB on disk, 0.5 % looked up";
        assert_eq!(progress.on_disk().as_deref(), Some(expected));
        let committed = Some(std::time::Duration::from_millis(12_900));
        progress.disk = Some(DiskFigures { committed, ..disk });
        let expected = format!("{expected}, committed 12 s ago");
        assert_eq!(progress.on_disk(), Some(expected));
    }
}
