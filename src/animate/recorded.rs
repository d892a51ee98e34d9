//! A walk as plain data that outlives the engine it was made with: what a file of it holds, and what is
//! followed once more when a script is loaded again.

use sha2::{Digest, Sha256};

use super::history::TakenStep;
use super::transition::StateId;
use crate::report::parted::PartedText;
use crate::report::words::{ComponentView, EventKind};
use crate::source::edit_distance;

/// A forest of steps. Entries are numbered in the order in which they were made.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RecordedWalk {
    /// What was done, in this order.
    pub entries: Vec<RecordedEntry>,
    /// Letters, and the entries that have them.
    pub marks: Vec<(char, usize)>,
    /// Where the person is.
    pub here: usize,
    /// Where redo leads from an entry, if not to the one that was made last.
    pub redo: Vec<(usize, usize)>,
}

/// One entry of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RecordedEntry {
    /// A process was opened.
    Opened(String),
    /// A step was taken from another entry.
    Step {
        /// The number of that entry.
        from: usize,
        /// What was done there.
        step: RecordedStep,
    },
    /// The values of the state of another entry were renamed.
    Renamed {
        /// The number of that entry.
        from: usize,
        /// By which permutation, as `(N0 N3)(A B)`.
        cycles: String,
    },
}

/// A step, told so that it is found again.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RecordedStep {
    /// τ, ✓ or visible.
    pub kind: EventKind,
    /// The event; for τ the one that was hidden, or empty.
    pub event: String,
    /// Who moved, where there is no event to tell.
    pub movers: String,
    /// Which of the states that the event leads to, from 1, where there are several.
    pub choice: Option<usize>,
    /// The fingerprint of the state that it led to.
    pub state: Option<String>,
}

impl RecordedStep {
    /// The event, or who moved.
    #[must_use]
    pub fn text(&self) -> String {
        match (self.event.is_empty(), self.movers.is_empty()) {
            (false, _) => self.event.clone(),
            (true, false) => format!("{SILENT} ({})", self.movers),
            (true, true) => SILENT.to_owned(),
        }
    }
}

/// What stands in a trace for a silent step that no hidden event has made.
pub const SILENT: &str = "tau";

/// How a walk is followed once more.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ReplayMode {
    /// Each step as it was told; where its state is another one now, that is said.
    #[default]
    Steps,
    /// The same, and each state has to be the one that it was.
    Strict,
    /// Only visible events are told: silent steps between them are found, as few as possible.
    Events,
    /// A step may be another one that differs by a permutation of symmetric values.
    Orbit,
}

/// What came of following it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rewalked {
    /// For each entry where it is now; none if it was not reached.
    pub places: Vec<Option<Place>>,
    /// Where branches ended early.
    pub partings: Vec<WalkParting>,
    /// Entries whose state is not the one that it was, although the step was possible.
    pub differing: Vec<usize>,
}

/// An entry that was reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// Its state.
    pub state: StateId,
    /// The step as it is now; none for the beginning of a process.
    pub taken: Option<TakenStep>,
}

/// Where a walk or a trace could not be followed further.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WalkParting {
    /// The entry, or the step of a trace, that was not reached.
    pub entry: usize,
    /// Which step it is, counted from the beginning of its branch, from 1; 0 for the beginning itself.
    pub step: usize,
    /// What should have been done there.
    pub wanted: String,
    /// What can be done there, each once; empty if that is not why.
    pub enabled: Vec<String>,
    /// Of that, what is most like it.
    pub nearest: Option<String>,
    /// Why it was not reached.
    pub why: String,
}

/// A trace that was followed, as far as it went.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TraceRun {
    /// The state that it begins in.
    pub first: Option<StateId>,
    /// The steps that were taken, and where each led.
    pub steps: Vec<(TakenStep, StateId)>,
    /// How many of the steps that were given are among them.
    pub followed: usize,
    /// How many silent steps were found besides.
    pub added: usize,
    /// Steps that stand for others, from 1, with the permutation that takes what was given to them.
    pub renamed: Vec<(usize, String)>,
    /// Other states that the same trace leads to.
    pub others: usize,
    /// Why it ended early.
    pub parted: Option<WalkParting>,
}

/// A step that was taken, of which a record wants to know more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StepAsked {
    /// Where it began.
    pub from: StateId,
    /// What was done.
    pub taken: TakenStep,
    /// Where it led.
    pub to: StateId,
}

/// More of such a step.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StepTold {
    /// Which of the states that the event leads to, if there are several.
    pub choice: Option<usize>,
    /// The fingerprint of the one that it led to.
    pub state: String,
}

/// Events that are listed where a walk parts.
const LISTED: usize = 12;

impl WalkParting {
    /// Where somebody is, what they wanted to do, and what they can do.
    #[must_use]
    pub fn of(entry: usize, step: usize, wanted: String, mut enabled: Vec<PartedText>) -> Self {
        enabled.sort_by(|a, b| a.as_str().cmp(b));
        enabled.dedup();
        let nearest = nearest(&wanted, &enabled);
        let why = match enabled.is_empty() {
            true => "nothing is possible there".to_owned(),
            false => "it is not possible there".to_owned(),
        };
        Self {
            entry,
            step,
            wanted,
            enabled: enabled.into_iter().map(String::from).collect(),
            nearest,
            why,
        }
    }

    /// All of it in one or two sentences.
    #[must_use]
    pub fn text(&self) -> String {
        let mut text = match self.step {
            0 => format!("{}: {}", self.wanted, self.why),
            step => format!("step {step}, {}: {}", self.wanted, self.why),
        };
        if let Some(nearest) = &self.nearest {
            text += &format!("; nearest is {nearest}");
        }
        if !self.enabled.is_empty() {
            let listed = self.enabled.iter().take(LISTED).map(String::as_str);
            text += &format!("; possible are {}", listed.collect::<Vec<_>>().join(", "));
            let more = self.enabled.len().saturating_sub(LISTED);
            if more > 0 {
                text += &format!(" and {more} more");
            }
        }
        text
    }
}

/// Of several events the one that is most like what was wanted, unless all are very different.
fn nearest(wanted: &str, among: &[PartedText]) -> Option<String> {
    let scored = among.iter().map(|event| {
        let rest = wanted.strip_prefix(event.head());
        let same_channel = rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
        // The same channel with other values is nearer than any other channel.
        (!same_channel, edit_distance(wanted, event), event.as_str())
    });
    let (other, far, text) = scored.min()?;
    let length = wanted.chars().count().max(text.chars().count());
    (!other || 2 * far <= length).then(|| text.to_owned())
}

/// What tells states of one process apart from one run of the program to the next: what a person reads of them.
#[must_use]
pub fn fingerprint(components: &[ComponentView]) -> String {
    let mut hash = Sha256::new();
    for component in components {
        hash.update(component.label());
        hash.update([0]);
        hash.update(&component.text);
        hash.update([1]);
    }
    // Eight bytes: a walk has few states, and what is found is looked at by its event, too.
    let digest = hash.finalize();
    digest.iter().take(8).map(|b| format!("{b:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_event_is_of_the_same_channel_or_spelled_alike() {
        let enabled = [
            PartedText::event("lock", &["T1"]),
            PartedText::event("push", &["T0", "B"]),
            PartedText::event("pop", &["T0", "A"]),
        ];
        assert_eq!(nearest("push.T0.A", &enabled).unwrap(), "push.T0.B");
        assert_eq!(nearest("puhs.T0.B", &enabled).unwrap(), "push.T0.B");
        assert_eq!(nearest("unrelated", &enabled), None);
        assert_eq!(nearest("x", &[]), None);
    }

    #[test]
    fn a_parting_says_what_was_possible_and_is_never_without_an_end() {
        let some = WalkParting::of(3, 2, "a.1".into(), vec!["a.2".into(), "a.2".into()]);
        let text = "step 2, a.1: it is not possible there; nearest is a.2; possible are a.2";
        assert_eq!(some.text(), text);
        let none = WalkParting::of(3, 2, "a".into(), Vec::new());
        assert_eq!(none.text(), "step 2, a: nothing is possible there");
    }
}
