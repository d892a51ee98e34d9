//! Results in the form that FDR4 gives them: a counterexample is a behaviour of the implementation, and beside a
//! refinement one of the specification.

use crate::report::outcome::{CheckOutcome, Counterexample, CounterexampleStep, Ending, Verdict};
use crate::report::parted::PartedText;
use crate::report::words::EventKind;
use orbitscope_language::script::core::{Assertion, AssertionKind};

/// The name of a silent step.
pub const TAU: &str = "τ";
/// The name of termination.
pub const TICK: &str = "✓";

/// The result of an assertion.
pub struct FdrResult<'a> {
    /// The outcome of the check.
    pub outcome: &'a CheckOutcome,
    /// The answer.
    pub answer: FdrAnswer,
    /// The counterexamples, shortest first.
    pub counterexamples: Vec<FdrCounterexample>,
}

/// The answer to an assertion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FdrAnswer {
    /// It holds.
    Passed,
    /// It fails.
    Failed,
    /// There is no verdict: the reason.
    Undecided(String),
}

impl<'a> FdrResult<'a> {
    /// The result of a check of an assertion.
    pub fn of(outcome: &'a CheckOutcome, assertion: &Assertion) -> Self {
        let answer = match &outcome.verdict {
            Verdict::Holds => FdrAnswer::Passed,
            Verdict::Fails => FdrAnswer::Failed,
            Verdict::Approximate(why) | Verdict::Inconclusive(why) => {
                FdrAnswer::Undecided(why.clone())
            }
            Verdict::Error(failure) => FdrAnswer::Undecided(failure.detail.trim_end().to_owned()),
        };
        let is_refinement = matches!(assertion.kind, AssertionKind::Refinement { .. });
        // A run also shows that a negated assertion holds, or that there is a trace: then it is no counterexample.
        let has_failed = answer == FdrAnswer::Failed;
        let found = outcome.counterexamples().filter(|_| has_failed);
        Self {
            outcome,
            answer,
            counterexamples: found
                .map(|found| FdrCounterexample::of(found, is_refinement))
                .collect(),
        }
    }
}

/// A counterexample.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FdrCounterexample {
    /// How it violates the assertion.
    pub kind: FdrViolation,
    /// The run of the specification meanwhile, if there is one.
    pub specification: Option<FdrBehaviour>,
    /// The run that violates the assertion.
    pub implementation: FdrBehaviour,
}

/// How an assertion is violated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FdrViolation {
    /// An event that is not allowed.
    Trace,
    /// A refusal that is not allowed.
    MinAcceptance,
    /// A deadlock.
    Deadlock,
    /// A divergence.
    Divergence,
    /// An event that can be performed and refused after the same trace.
    Determinism,
    /// A trace that is missing, or that should be.
    HasTrace,
}

impl FdrViolation {
    /// Its name in JSON, and its name in texts.
    pub fn names(self) -> (&'static str, &'static str) {
        match self {
            Self::Trace => ("trace", "Trace"),
            Self::MinAcceptance => ("min_acceptance", "Min Acceptance"),
            Self::Deadlock => ("deadlock", "Deadlock"),
            Self::Divergence => ("divergence", "Divergence"),
            Self::Determinism => ("determinism", "Determinism"),
            Self::HasTrace => ("has_trace", "Has Trace"),
        }
    }
}

/// A run of a process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FdrBehaviour {
    /// The process, as written; empty for a specification.
    pub process: String,
    /// Its kind.
    pub kind: FdrBehaviourKind,
    /// Its events.
    pub trace: Vec<FdrEvent>,
    /// The event after the trace that is not allowed.
    pub error_event: Option<String>,
    /// The events offered at its end, where all others are refused; those of a specification that it allows.
    pub offered: Option<PartedText>,
    /// The number of events before the loop that repeats for ever.
    pub loop_start: Option<usize>,
}

/// The kind of a behaviour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FdrBehaviourKind {
    /// Events, the last of which is not allowed.
    Trace,
    /// Events and a refusal.
    Failure,
    /// Events that repeat.
    Loop,
    /// Events that violate nothing.
    Irrelevant,
}

impl FdrBehaviourKind {
    /// Its name in JSON, and its name in texts.
    pub fn names(self) -> (&'static str, &'static str) {
        match self {
            Self::Trace => ("trace", "Trace"),
            Self::Failure => ("min_acceptance", "Failure"),
            Self::Loop => ("loop", "Loop"),
            Self::Irrelevant => ("irrelevant", "Irrelevant"),
        }
    }
}

/// An event of a behaviour.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FdrEvent {
    /// Its name; `τ` for a silent step.
    pub name: String,
    /// The event that was hidden; its name for all others.
    pub revealed: String,
}

impl FdrEvent {
    fn of(step: &CounterexampleStep) -> Self {
        let shown = step.event.as_str();
        let (name, revealed) = match step.kind {
            EventKind::Tau if shown.is_empty() => (TAU, TAU),
            EventKind::Tau => (TAU, shown),
            EventKind::Tick => (TICK, TICK),
            EventKind::Visible => (shown, shown),
        };
        Self {
            name: name.to_owned(),
            revealed: revealed.to_owned(),
        }
    }
}

/// The parts of a counterexample that depend on how it ends.
struct EndingParts {
    kind: FdrViolation,
    behaviour: FdrBehaviourKind,
    error_event: Option<String>,
    offered: Option<PartedText>,
    /// The error event and the offer of the specification.
    beside: (Option<String>, Option<PartedText>),
}

impl EndingParts {
    fn of(ending: &Ending) -> Self {
        use FdrBehaviourKind::{Failure, Irrelevant, Loop, Trace};
        let parts = |kind, behaviour, offered| Self {
            kind,
            behaviour,
            error_event: None,
            offered,
            beside: (None, None),
        };
        match ending {
            Ending::Refused { event, allowed } => Self {
                error_event: Some(event.clone()),
                beside: (None, Some(allowed.clone())),
                ..parts(FdrViolation::Trace, Trace, None)
            },
            Ending::Deadlock => {
                let nothing = PartedText::set(&[""; 0]);
                parts(FdrViolation::Deadlock, Failure, Some(nothing))
            }
            Ending::Refusal { offered, .. } => {
                parts(FdrViolation::MinAcceptance, Failure, Some(offered.clone()))
            }
            Ending::Revival { event, offered, .. } => Self {
                error_event: Some(event.clone()),
                ..parts(FdrViolation::MinAcceptance, Failure, Some(offered.clone()))
            },
            Ending::Ambiguity { refused, offered } => Self {
                beside: (exact(refused).and_then(|all| all.into_iter().next()), None),
                ..parts(FdrViolation::Determinism, Failure, Some(offered.clone()))
            },
            // Of an assertion that there is no such trace.
            Ending::Performed => parts(FdrViolation::HasTrace, Irrelevant, None),
            Ending::Unable { offered, .. } | Ending::Reluctant { offered, .. } => {
                parts(FdrViolation::HasTrace, Failure, Some(offered.clone()))
            }
            Ending::Divergence { .. } => parts(FdrViolation::Divergence, Loop, None),
        }
    }
}

impl FdrCounterexample {
    fn of(found: &Counterexample, is_refinement: bool) -> Self {
        let steps = match &found.ending {
            // The last step is the event that is not allowed.
            Ending::Refused { .. } => &found.steps[..found.steps.len().saturating_sub(1)],
            _ => &found.steps[..],
        };
        let loop_start = match found.ending {
            Ending::Divergence { lap, .. } => Some(found.steps.len().saturating_sub(lap)),
            _ => None,
        };
        let parts = EndingParts::of(&found.ending);
        let trace: Vec<FdrEvent> = steps
            .iter()
            .chain(&found.further)
            .map(FdrEvent::of)
            .collect();
        // A property has no specification, but nondeterminism is two behaviours.
        let has_two = is_refinement || parts.kind == FdrViolation::Determinism;
        let visible = || trace.iter().filter(|event| event.name != TAU).cloned();
        let (error_event, offered) = parts.beside;
        let specification = has_two.then(|| FdrBehaviour {
            process: String::new(),
            kind: FdrBehaviourKind::Irrelevant,
            trace: visible().collect(),
            error_event,
            offered,
            loop_start: None,
        });
        Self {
            kind: parts.kind,
            specification,
            implementation: FdrBehaviour {
                process: found.process.clone(),
                kind: parts.behaviour,
                trace,
                error_event: parts.error_event,
                offered: parts.offered,
                loop_start,
            },
        }
    }
}

/// The events of a set that is written out; `None` if some stand for several, or are only counted.
pub fn exact(set: &PartedText) -> Option<Vec<String>> {
    let is_one = |item: &str| !item.contains(['*', '{', ' ']);
    let all: Vec<String> = set.items().map(str::to_owned).collect();
    all.iter().all(|item| is_one(item)).then_some(all)
}
