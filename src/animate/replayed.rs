//! The results of replays as plain data: how far a run or a trace could be followed, and where it parted.

use super::transition::StateId;
use crate::report::outcome::Counterexample;
use crate::report::parted::PartedText;
use crate::report::runs::TakenStep;
use crate::source::edit_distance;

/// The result of a replay.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rewalked {
    /// The present place of each entry; `None` if it was not reached.
    pub places: Vec<Option<Place>>,
    /// The partings, where branches ended early.
    pub partings: Vec<WalkParting>,
    /// Entries whose state is not the one that it was, although the step was possible.
    pub differing: Vec<usize>,
    /// The counterexamples that were verified, and their states.
    pub counterexamples: Vec<(Counterexample, Vec<StateId>)>,
    /// Why others were not, a sentence each.
    pub unverified: Vec<String>,
}

/// An entry that was reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The state.
    pub state: StateId,
    /// The step as it is now; none for the beginning of a process.
    pub taken: Option<TakenStep>,
}

/// A parting: the point beyond which a walk or a trace could not be followed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WalkParting {
    /// The entry, or the step of a trace, that was not reached.
    pub entry: usize,
    /// The number of the step, counted from the beginning of its branch, from 1; 0 for the beginning itself.
    pub step: usize,
    /// The wanted step.
    pub wanted: String,
    /// The possible steps, each once; empty if they are not the reason.
    pub enabled: Vec<String>,
    /// The possible step that is most similar to the wanted one.
    pub nearest: Option<String>,
    /// Why it was not reached.
    pub why: String,
}

/// A trace from the user, followed until it could not be followed further.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TraceRun {
    /// The state that it begins in.
    pub first: Option<StateId>,
    /// The steps that were taken, and where each led.
    pub steps: Vec<(TakenStep, StateId)>,
    /// The number of given steps among them.
    pub followed: usize,
    /// The number of silent steps found besides.
    pub added: usize,
    /// Steps that were renamed, from 1, with the permutation that takes the given ones to them.
    pub renamed: Vec<(usize, String)>,
    /// Other states that the same trace leads to.
    pub others: usize,
    /// Why it ended early.
    pub parted: Option<WalkParting>,
}

/// A step that was taken, of which a record wants to know more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StepQuery {
    /// The state before it.
    pub from: StateId,
    /// The step that was taken.
    pub taken: TakenStep,
    /// The state after it.
    pub to: StateId,
}

/// Details of a step.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StepDetails {
    /// The number of the state among those that the event leads to, if there are several.
    pub choice: Option<usize>,
    /// The fingerprint of the one that it led to.
    pub state: String,
}

/// Events that are listed where a walk parts.
const LISTED: usize = 12;

impl WalkParting {
    /// Makes a parting from the wanted step and the possible ones.
    #[must_use]
    pub fn of(entry: usize, step: usize, wanted: String, mut enabled: Vec<PartedText>) -> Self {
        enabled.sort_by(|a, b| a.as_str().cmp(b));
        enabled.dedup();
        let nearest = nearest(&wanted, &enabled);
        let why = if enabled.is_empty() {
            "nothing is possible there".to_owned()
        } else {
            "it is not possible there".to_owned()
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

    /// The parting in one or two sentences.
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

/// The event that is most similar to the wanted one, unless all are very different.
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
