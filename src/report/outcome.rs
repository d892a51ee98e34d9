//! The end of a check in words and figures, as plain data: for screens, text, JSON and files.

use num_bigint::BigUint;
use serde::{Deserialize, Serialize};

use super::inputs::Input;
use super::keys::RunKeys;
use super::numbers;
use super::parted::PartedText;
use super::reduction::{PlanView, SymmetrySummary, sentences};
use super::words::{ErrorText, EventKind};
use crate::check::adaptive::AdaptiveUsed;
use crate::check::outcome::{DivesMade, StructureLooked, StructureUse, UnmergedStates};
use crate::machine::Growing;
use crate::source::Stop;
use crate::specification::SpecificationMerged;

/// What is said where there is symmetry that is not used.
const IDLE: &str =
    "The structure of the network is symmetric, but that hardly moves any state that is reached.";
/// What is said where symmetry in the structure takes longer than it saves.
const COSTLY: &str =
    "The structure of the network is symmetric, but to reduce by that takes longer than it saves.";

/// Said of a number of states.
const AFTER_MERGING: &str = "after merging equal local states";

/// Said of what a strategy is exact for.
const BESIDE_SETS: &str = "; that is said of states: nodes of this specification are several states or hold sets of values, \
                           and of pairs of a state and such a node two pairs of one orbit may be kept";

/// How far a check is.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Progress {
    /// Depth of the breadth-first search.
    pub ply: usize,
    /// States stored.
    pub states: u64,
    /// Transitions found.
    pub transitions: u64,
    /// States still to expand.
    pub frontier: u64,
    /// Since the start.
    pub seconds: f64,
    /// Bytes held by the search.
    pub bytes: u64,
    /// Representatives that were taken of successors; none without reduction.
    pub representatives: u64,
    /// Of these, how many are known to be what every state of their orbit leads to; none if it is not known of
    /// the strategy, or of the specification.
    pub unique: Option<u64>,
    /// Bytes of the whole program in main memory, where the operating system tells.
    pub resident: Option<u64>,
}

/// The end of a check.
#[derive(Clone, Debug, PartialEq)]
pub struct CheckOutcome {
    /// Number of the assertion in its script, from 1.
    pub number: usize,
    /// The assertion as written.
    pub text: String,
    /// The answer, or why there is none.
    pub verdict: Verdict,
    /// What was counted by the end.
    pub progress: Progress,
    /// The reduction, if there was one.
    pub symmetry: Option<SymmetrySummary>,
    /// What that rests on, or why there was none, or not more; absent if it did not come to that.
    pub plan: Option<PlanView>,
    /// Why it fails.
    pub counterexample: Option<Counterexample>,
    /// Further counterexamples, if they were asked for: no shorter, each to another state or event.
    pub others: Vec<Counterexample>,
    /// Why it could not be checked, or not to the end, or what in the text makes it fail.
    pub diagnostic: Option<Box<crate::source::Diagnostic>>,
    /// Why an assertion about the text fails, for people.
    pub explanation: Option<ErrorText>,
    /// What ended it early, if something did.
    pub stopped: Option<Stop>,
    /// What was asked for and is not here, with the limit that came first, though there is a verdict.
    pub missing: Vec<String>,
    /// Sizes and times.
    pub details: Option<Details>,
    /// States and transitions of the unreduced system, if they were counted.
    pub represented: Option<(BigUint, BigUint)>,
    /// What an adaptive search was like, if it was one.
    pub adaptive: Option<AdaptiveUsed>,
    /// The files that were checked.
    pub inputs: Vec<Input>,
}

impl CheckOutcome {
    /// What is said of its reduction, as far as it came to a plan.
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

    /// What came of looking for symmetry in the structure, if it was looked for.
    pub(super) fn structure_use(&self) -> Option<StructureUse> {
        let looked = self.details.as_ref()?.structure_looked?;
        Some(looked.came)
    }

    /// How many states there are, and by what they are counted.
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

    /// Whether equal local states were merged, so that states may be fewer than those of the script.
    #[must_use]
    pub fn merges(&self) -> bool {
        self.details
            .as_ref()
            .is_some_and(|details| details.merged > 0)
    }

    /// What the strategy is exact for.
    #[must_use]
    pub fn exact_for(&self) -> Option<String> {
        let symmetry = self.symmetry.as_ref()?;
        let holds_sets = self.details.as_ref().is_some_and(|d| d.holds_sets);
        let beside = if holds_sets { BESIDE_SETS } else { "" };
        Some(format!("{}{beside}", symmetry.exact_for))
    }

    /// What state symmetry left out, if somebody asked for it.
    #[must_use]
    pub fn state_symmetry_sentence(&self) -> Option<String> {
        let alike = self.details.as_ref()?.alike?;
        let steps = numbers::counted(alike, "step");
        let all = numbers::counted(self.progress.transitions, "transition");
        Some(format!(
            "state symmetry left out {steps} of {all}: each leads to the orbit that another one leads to"
        ))
    }

    /// What partial order reduction left out, or why it left out nothing, if somebody asked for it.
    #[must_use]
    pub fn partial_order_sentence(&self) -> Option<String> {
        let found = self.details.as_ref()?.left_out.as_ref()?;
        Some(match found {
            Ok(LeftOut {
                steps,
                passed,
                unlooked,
                rules_out_divergence,
                rules_out_deadlock,
                dives,
                specification,
            }) => {
                let merged = specification.map_or(String::new(), merged_words);
                let dived = dives.map_or(String::new(), dives_words);
                let is_open = *steps > 0 || *passed > 0 || dives.is_some_and(|dives| dives.found);
                let steps = numbers::counted(*steps, "step");
                let passed = match passed {
                    0 => String::new(),
                    n => format!(
                        ", passed {} without storing them",
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
                    "partial order reduction left out {steps}{passed}{unlooked}{ruled_out}{merged}{dived}{shortest}"
                )
            }
            Err(why) => format!("no partial order reduction: {why}"),
        })
    }

    /// Whether there is a shorter counterexample, as the end of a sentence.
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

    /// All counterexamples, shortest first.
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
    /// Of these, how many by something else than the strategy is named for; and what that was.
    pub fallbacks: (u64, &'static str),
    /// Local states in all.
    pub local_states: usize,
    /// Of those, how many a bisimilar one stands for; once for each component.
    pub merged: usize,
    /// How many states there are where none are merged, if that was counted.
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
    /// Formats: structures of parallel operators that were met.
    pub formats: usize,
    /// Whether the components may be others than those of an unreduced check: parallel compositions that
    /// permutations move stay inside of one.
    pub kept_together: bool,
    /// Compressed processes whose parts became components, since they were too large.
    pub opened: usize,
    /// Ends of stored states that stand once each however many states end with them; none where all states stand in
    /// full.
    pub ends: Option<usize>,
    /// Steps that were not followed, since where they lead is met from another state (`src/engine/reductions/sleep.rs`).
    pub slept: u64,
    /// Steps that state symmetry left out; `None` without the option or without reduction.
    pub alike: Option<u64>,
    /// Whether nodes of the specification are several states or hold sets of values: then what a strategy is exact for is
    /// said of states, and two pairs of a state and a node that are of one orbit may be kept.
    pub holds_sets: bool,
    /// Parameters of processes that grew along the local states, if a limit ended the search.
    pub growing: Vec<Growing>,
    /// What partial order reduction left out, or why it left out nothing; nothing where nobody asked for it.
    pub left_out: Option<Result<LeftOut, String>>,
    /// What came of looking for a counterexample that is shorter than one found with steps left out, if that was done.
    pub shortest: Option<ShortestView>,
    /// Seconds until the search began.
    pub compile_seconds: f64,
    /// What looking for symmetry in the structure took, if that was done.
    pub structure_looked: Option<StructureLooked>,
    /// Of the states, how many are only remembered, since another one of their orbit was reached.
    pub beside: usize,
    /// Seconds of the search.
    pub search_seconds: f64,
    /// The most bytes of the whole process so far, where the operating system tells.
    pub peak: Option<usize>,
}

impl Details {
    /// How many states there are where no local states are merged, if they were counted to the end.
    #[must_use]
    pub fn states_before_merging(&self) -> Option<usize> {
        self.unmerged_states.and_then(UnmergedStates::number)
    }

    /// What was given up for its size before the search, a sentence each.
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

/// What was normalised instead of a specification, as the end of a sentence.
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

/// What came of runs that were tried at random, as the end of a sentence.
fn dives_words(made: DivesMade) -> String {
    let dives = numbers::counted(made.dives as u64, "dive");
    let steps = numbers::counted(made.steps as u64, "step");
    match made.found {
        true => format!("; the last of {dives} at random ({steps} in all) met the counterexample"),
        false => format!("; {dives} at random ({steps} in all) met nothing that is wrong"),
    }
}

/// What partial order reduction left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// Steps.
    pub steps: u64,
    /// States from which one step was enough, and which were not stored: a state counts each time that it is passed.
    pub passed: u64,
    /// Steps of the states at which it was not looked for what can be left out, since that was hardly ever found.
    pub unlooked: u64,
    /// Whether the components alone rule divergence out.
    pub rules_out_divergence: bool,
    /// Whether they rule deadlock out; not looked at where it is not asked about.
    pub rules_out_deadlock: bool,
    /// Runs that were tried at random, if there were any.
    pub dives: Option<DivesMade>,
    /// What a large specification was made smaller by, if that was done.
    pub specification: Option<SpecificationMerged>,
}

/// What came of looking for a shorter counterexample by a search with all steps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShortestView {
    /// States of that search.
    pub states: u64,
    /// How many steps fewer there are by that; or why it was ended.
    pub shorter: Result<u64, String>,
}

/// The answer to an assertion.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// It holds.
    Holds,
    /// It does not.
    Fails,
    /// Nothing was found that is wrong, by a search that proves nothing: the text says why.
    Approximate(String),
    /// A limit was reached, or it was cancelled: the text says which.
    Inconclusive(String),
    /// It could not be checked.
    Error(ErrorText),
}

/// What is wrong at the end of a counterexample. Sets of events are in words.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum Ending {
    /// Nothing is said to be wrong: it is a trace that somebody gave.
    #[default]
    Given,
    /// The specification does not allow the last event.
    Refused {
        /// That event.
        event: String,
        /// What it does allow.
        allowed: PartedText,
    },
    /// There are no transitions.
    Deadlock,
    /// The last state refuses more than the specification does.
    Refusal {
        /// What it offers.
        offered: PartedText,
        /// What the specification may offer at least.
        acceptances: Vec<String>,
    },
    /// The last state refuses more, while it can perform an event, than the specification does while it can.
    Revival {
        /// That event.
        event: String,
        /// What it offers.
        offered: PartedText,
        /// What the specification may offer at least with that event.
        acceptances: Vec<String>,
    },
    /// The last state refuses what is possible after the same trace.
    Ambiguity {
        /// The events that it refuses although they are possible.
        refused: PartedText,
        /// What it offers.
        offered: PartedText,
    },
    /// Nothing: the run performs the trace that was asked for.
    Performed,
    /// The run performs as much of the trace that was asked for as can be.
    Unable {
        /// What should come next.
        event: String,
        /// What can come next.
        offered: PartedText,
    },
    /// The last state refuses the next event of the trace that was asked for.
    Reluctant {
        /// That event.
        event: String,
        /// What it offers.
        offered: PartedText,
    },
    /// The last steps, all τ, can be repeated for ever.
    Divergence {
        /// How many steps.
        lap: usize,
        /// How often until the state is the same: names are other ones each time.
        laps: usize,
    },
}

/// A violation, in the names of the unreduced system (Sec. 3.5), already replayed there.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Counterexample {
    /// The implementation, as an expression over the script.
    pub process: String,
    /// Labels of the components, as `Node[N0]`.
    pub components: Vec<PartedText>,
    /// Their local states at the start.
    pub initial: Vec<PartedText>,
    /// The specification's state at the start; empty if there is no specification.
    pub initial_spec: String,
    /// One entry a transition.
    pub steps: Vec<CounterexampleStep>,
    /// What is wrong at the end, as one or two sentences.
    pub reason: String,
    /// What is wrong at the end.
    pub ending: Ending,
    /// For a divergence whose loop closes after several laps: the steps of the laps after the first
    /// (none if they are very many).
    pub further: Vec<CounterexampleStep>,
    /// Length of the path in the reduced automaton; equal to `steps.len()`.
    pub quotient: Vec<String>,
    /// Its states and events themselves, if it comes from a check and not from a file.
    #[serde(skip)]
    pub keys: Option<RunKeys>,
}

impl Counterexample {
    /// What it is called.
    #[must_use]
    pub fn word(&self) -> &'static str {
        if self.is_given() {
            "trace"
        } else {
            "counterexample"
        }
    }

    /// A trace that somebody gave, to be followed from the initial state of a process.
    #[must_use]
    pub fn given(process: &str, trace: &[String]) -> Self {
        let step = |event: &String| CounterexampleStep {
            event: event.as_str().into(),
            ..CounterexampleStep::default()
        };
        Self {
            process: process.to_owned(),
            steps: trace.iter().map(step).collect(),
            // Nothing is said of components: `is_given` goes by that.
            ..Self::default()
        }
    }

    /// The components of the state after a step: they are others where the network has changed.
    #[must_use]
    pub fn components_after<'a>(&'a self, step: &'a CounterexampleStep) -> &'a [PartedText] {
        step.components.as_ref().unwrap_or(&self.components)
    }

    /// Whether it came from [`Counterexample::given`]: then steps may be hidden, whatever their kind.
    #[must_use]
    pub fn is_given(&self) -> bool {
        self.components.is_empty()
    }
}

/// One transition of a counterexample.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CounterexampleStep {
    /// τ, ✓ or visible.
    pub kind: EventKind,
    /// The event as it is shown; for τ the event that was hidden, or empty.
    pub event: PartedText,
    /// Components that move, with their local state after. Where the step leads to other components, all
    /// of these.
    pub changes: Vec<(usize, PartedText)>,
    /// The event that each of them performs itself, before renaming and hiding; empty for τ. None where
    /// the step leads to other components.
    pub events: Vec<(usize, PartedText)>,
    /// The components of the state afterwards, if they are others than those that the run begins with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub components: Option<Vec<PartedText>>,
    /// What the state before the step offers, if it matters that all else was seen to be refused there (refusal
    /// testing).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub observed: Option<String>,
    /// The specification's state after; `None` if it cannot follow.
    pub spec: Option<String>,
}
