//! Runs as plain data, which outlive the machine that they were made on: walks of a person, and counterexamples with
//! the assertion that they violate. A file holds them ([`super::run_file`]), and they are replayed before they are
//! believed ([`super::follow`]).

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::outcome::{CheckOutcome, Counterexample, CounterexampleStep, Ending};
use super::parted::{PartedText, compact};
use super::words::EventKind;

/// The text in a trace for a silent step without a hidden event.
pub const SILENT: &str = "tau";

/// An event as a trace has it: without white space, or the sign for a silent step without one.
#[must_use]
pub fn traced(event: &PartedText) -> PartedText {
    if event.is_empty() {
        SILENT.into()
    } else {
        event.compact()
    }
}

/// The label of a transition that was taken.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TakenStep {
    /// τ, ✓ or visible.
    pub kind: EventKind,
    /// The event, as in the transition.
    pub event: String,
    /// The components that moved, where there is no event to show: as `Thread[T0] -> Pushing(T0, A)`.
    pub movers: String,
}

impl TakenStep {
    /// Makes a step of an event, or of the components that moved.
    #[must_use]
    pub fn new<'a>(
        kind: EventKind,
        event: &str,
        movers: impl Iterator<Item = (String, &'a str)>,
    ) -> Self {
        // Movers are kept only where there is no event: otherwise two steps that look the same would differ.
        let movers = if event.is_empty() {
            let moves: Vec<_> = movers.map(|(who, to)| format!("{who} -> {to}")).collect();
            moves.join(", ")
        } else {
            String::new()
        };
        Self {
            kind,
            event: event.to_string(),
            movers,
        }
    }

    /// A step of a counterexample.
    #[must_use]
    pub fn of(counterexample: &Counterexample, step: &CounterexampleStep) -> Self {
        let labels = counterexample.components_after(step);
        let movers = step.changes.iter().map(|(index, after)| {
            let who = labels.get(*index).map(ToString::to_string);
            (who.unwrap_or_default(), after.as_str())
        });
        Self::new(step.kind, &step.event, movers)
    }

    /// The event, or the components that moved.
    #[must_use]
    pub fn text(&self) -> &str {
        if self.event.is_empty() {
            &self.movers
        } else {
            &self.event
        }
    }
}

/// A forest of steps. Entries are numbered in the order in which they were made.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename = "Forest", deny_unknown_fields)]
pub struct RecordedRun {
    /// The paths that are counterexamples.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub counterexamples: Vec<RecordedCounterexample>,
    /// The entries, in order.
    pub entries: Vec<RecordedEntry>,
    /// Letters, and the entries that have them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub marks: Vec<(char, usize)>,
    /// The entry of the user.
    #[serde(default)]
    pub here: usize,
    /// The targets of redo, where it does not lead to the entry that was made last.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub redo: Vec<(usize, usize)>,
}

/// An entry of a forest.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename = "Entry")]
pub enum RecordedEntry {
    /// A process was opened.
    #[serde(rename = "Open")]
    Opened(String),
    /// A step was taken.
    Step(RecordedStep),
    /// The values of a state were renamed.
    #[serde(rename = "Rename")]
    Renamed(RecordedRenaming),
}

/// A step, described so that it can be found again.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecordedStep {
    /// The number of the entry that it was taken from; otherwise the one before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<usize>,
    /// The event; for τ the one that was hidden, or empty.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub event: String,
    /// τ, ✓ or visible.
    #[serde(default, skip_serializing_if = "is_visible")]
    pub kind: EventKind,
    /// The components that moved, where there is no event to show.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub movers: String,
    /// The number of the state among those that the event leads to, from 1, where there are several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub choice: Option<usize>,
    /// The fingerprint of the state that it led to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<String>,
}

/// A permutation of the values of a state.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecordedRenaming {
    /// The number of the entry with the state; otherwise the one before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<usize>,
    /// The permutation, as `(N0 N3)(A B)`.
    pub by: String,
}

/// A path of a forest that violates an assertion.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecordedCounterexample {
    /// Number of the assertion, from 1.
    pub assertion: usize,
    /// The assertion as written.
    pub text: String,
    /// The violation at its end.
    pub ending: RecordedEnding,
    /// The last entry of the path; of a divergence, where the state of the loop recurs.
    pub end: usize,
}

/// The kind of the violation at the end of a counterexample, as [`Ending`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the variants are those of `Ending`")]
pub enum RecordedEnding {
    Refused,
    Deadlock,
    Refusal,
    Revival,
    Ambiguity,
    Performed,
    Unable,
    Reluctant,
    Divergence { lap: usize, laps: usize },
}

impl From<&Ending> for RecordedEnding {
    fn from(ending: &Ending) -> Self {
        match *ending {
            Ending::Refused { .. } => Self::Refused,
            Ending::Deadlock => Self::Deadlock,
            Ending::Refusal { .. } => Self::Refusal,
            Ending::Revival { .. } => Self::Revival,
            Ending::Ambiguity { .. } => Self::Ambiguity,
            Ending::Performed => Self::Performed,
            Ending::Unable { .. } => Self::Unable,
            Ending::Reluctant { .. } => Self::Reluctant,
            Ending::Divergence { lap, laps } => Self::Divergence { lap, laps },
        }
    }
}

fn is_visible(kind: &EventKind) -> bool {
    *kind == EventKind::Visible
}

impl RecordedStep {
    /// Records a step that was taken from the entry before.
    #[must_use]
    pub fn new(taken: TakenStep, state: Option<String>) -> Self {
        Self {
            event: taken.event,
            kind: taken.kind,
            movers: taken.movers,
            state,
            ..Self::default()
        }
    }

    /// The event as a trace has it.
    #[must_use]
    pub fn traced(&self) -> String {
        if self.event.is_empty() {
            SILENT.to_owned()
        } else {
            compact(&self.event)
        }
    }

    /// The event, or the components that moved.
    #[must_use]
    pub fn text(&self) -> String {
        match (self.event.is_empty(), self.movers.is_empty()) {
            (false, _) => self.event.clone(),
            (true, false) => format!("{SILENT} ({})", self.movers),
            (true, true) => SILENT.to_owned(),
        }
    }
}

impl RecordedRun {
    /// Adds the counterexamples of an outcome, each from the initial state of its process.
    pub fn add(&mut self, outcome: &CheckOutcome) {
        for found in outcome.counterexamples() {
            self.entries
                .push(RecordedEntry::Opened(found.process.clone()));
            self.entries.extend(steps_of(found));
            self.counterexamples.push(RecordedCounterexample {
                assertion: outcome.number,
                text: outcome.text.clone(),
                ending: (&found.ending).into(),
                end: self.entries.len() - 1,
            });
        }
    }

    /// The entry before another one; none before the beginning of a process.
    #[must_use]
    pub fn before(&self, n: usize) -> Option<usize> {
        let from = match self.entries.get(n)? {
            RecordedEntry::Opened(_) => return None,
            RecordedEntry::Step(step) => step.from,
            RecordedEntry::Renamed(renaming) => renaming.from,
        };
        from.or(n.checked_sub(1))
    }

    /// The entries from the beginning of a process to an entry, both of them included.
    #[must_use]
    pub fn path_to(&self, n: usize) -> Vec<usize> {
        let mut path: Vec<usize> = std::iter::successors(Some(n), |n| self.before(*n)).collect();
        path.reverse();
        path
    }

    /// The process that leads to an entry.
    #[must_use]
    pub fn process_of(&self, n: usize) -> &str {
        let root = self.path_to(n).first().and_then(|n| self.entries.get(*n));
        match root {
            Some(RecordedEntry::Opened(process)) => process,
            _ => "",
        }
    }

    /// Checks that entries come after those that they go on from, and that all entries that are named exist.
    ///
    /// # Errors
    /// The first contradiction.
    pub fn assert_whole(&self) -> Result<(), String> {
        let count = self.entries.len();
        for (n, entry) in self.entries.iter().enumerate() {
            let opens = matches!(entry, RecordedEntry::Opened(_));
            match self.before(n) {
                None if !opens => return Err(format!("entry {n} goes on from no other")),
                Some(from) if from >= n => {
                    return Err(format!(
                        "entry {n} goes on from entry {from}, but there are only {n} before it"
                    ));
                }
                _ => {}
            }
        }
        let marks = self.marks.iter();
        let marks = marks.map(|(letter, n)| (format!("mark {letter:?}"), *n));
        let redo = self.redo.iter().flat_map(|(from, to)| [*from, *to]);
        let ends = self.counterexamples.iter().map(|c| c.end);
        let named = marks
            .chain(redo.map(|n| ("the target of a redo".to_owned(), n)))
            .chain(ends.map(|n| ("the end of a counterexample".to_owned(), n)))
            .chain([("`here`".to_owned(), self.here)]);
        for (what, n) in named {
            if n >= count {
                let last = count.saturating_sub(1);
                return Err(format!("{what} is entry {n}, but the last one is {last}"));
            }
        }
        match self.marks.iter().find(|(c, _)| !c.is_alphanumeric()) {
            Some((letter, _)) => Err(format!("mark {letter:?} is no letter")),
            None => Ok(()),
        }
    }
}

/// The steps of a counterexample with those of its further laps, with the fingerprints of their states.
fn steps_of(found: &Counterexample) -> Vec<RecordedEntry> {
    let mut texts = found.initial.clone();
    let steps = found.steps.iter().chain(&found.further);
    let recorded = steps.map(|step| {
        // Where there are other components afterwards, all of them are listed.
        let count = found.components_after(step).len();
        texts.resize(count, PartedText::default());
        for (component, text) in &step.changes {
            if let Some(known) = texts.get_mut(*component) {
                known.clone_from(text);
            }
        }
        let state = fingerprint(texts.iter().map(PartedText::as_str));
        RecordedEntry::Step(RecordedStep::new(TakenStep::of(found, step), Some(state)))
    });
    recorded.collect()
}

/// The fingerprint of a state, equal in different runs of the program: a digest of the texts of its local states.
#[must_use]
pub fn fingerprint<'a>(texts: impl Iterator<Item = &'a str>) -> String {
    let mut hash = Sha256::new();
    for text in texts {
        hash.update(text);
        hash.update([0]);
    }
    // Eight bytes: a run has few states, and a match must agree in its event, too.
    let digest = hash.finalize();
    digest.iter().take(8).map(|b| format!("{b:02x}")).collect()
}
