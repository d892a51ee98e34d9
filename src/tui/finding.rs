//! The data of the search for a state.

use crate::animate::history::HistoryId;
use crate::animate::model::{ErrorText, StateId};
use crate::animate::model::{FindStart, FoundView, FoundWord};
use crate::source::hash::Map;

/// The stop condition of random walks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StopAt {
    /// No condition.
    #[default]
    Nothing,
    /// The condition that was searched for last.
    Condition,
    /// After a visible event.
    Visible,
}

/// A search for a state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FindQuestion {
    /// From where in the history.
    pub place: HistoryId,
    /// The first state.
    pub state: StateId,
    /// From there, or from where the process begins.
    pub start: FindStart,
    /// The condition.
    pub text: String,
}

/// The data of the search.
#[derive(Clone, Debug, Default)]
pub struct FindData {
    /// The condition that is being typed, or was typed last.
    pub text: String,
    /// The first state of the next search.
    pub start: FindStart,
    /// The running search.
    pub question: Option<FindQuestion>,
    /// The error in the condition, or the reason for a failure.
    pub failure: Option<ErrorText>,
    /// The result of the last search, in a sentence.
    pub said: String,
    /// The stop condition of random walks.
    pub stop: StopAt,
    /// Whether the random walk has taken a step.
    pub has_walked: bool,
    /// The value of the stop condition on each state for which it is known.
    holds: Map<StateId, Result<bool, ErrorText>>,
    /// The condition at which walks stop.
    watched: String,
}

/// States of which is remembered whether the condition holds.
const HOLDS_MAX: usize = 20_000;

impl FindData {
    /// Takes in the result of a search. Returns the path, if there is one.
    pub fn learn(
        &mut self,
        answer: Result<FoundView, ErrorText>,
    ) -> Option<(FindQuestion, FoundView)> {
        let question = self.question.take()?;
        match answer {
            Ok(found) => {
                self.failure = None;
                self.said = found.text();
                matches!(found.word, FoundWord::Found).then_some((question, found))
            }
            Err(failure) => {
                self.said = failure.summary.clone();
                self.failure = Some(failure);
                None
            }
        }
    }

    /// Whether the stop condition holds of a state, if that is known.
    #[must_use]
    pub fn known(&self, state: StateId) -> Option<&Result<bool, ErrorText>> {
        self.holds.get(&state)
    }

    /// Takes in whether it does.
    pub fn learn_holds(&mut self, state: StateId, text: &str, answer: Result<bool, ErrorText>) {
        if text != self.watched {
            return;
        }
        if self.holds.len() >= HOLDS_MAX {
            self.holds.clear();
        }
        self.holds.insert(state, answer);
    }

    /// Forgets data on states of an engine that is not used any more.
    pub fn forget_states(&mut self) {
        (self.question, self.failure) = (None, None);
        self.said.clear();
        self.has_walked = false;
        self.holds.clear();
    }

    /// Forgets failures, to ask again.
    pub fn forget_failures(&mut self) {
        self.holds.retain(|_, answer| answer.is_ok());
    }

    /// The condition at which walks stop; nothing if they do not stop at one.
    #[must_use]
    pub fn watched(&self) -> Option<&str> {
        (self.stop == StopAt::Condition).then_some(&*self.watched)
    }

    /// Watches for a condition.
    pub fn watch(&mut self, text: &str) {
        if self.watched != text {
            self.holds.clear();
            self.watched = text.to_string();
        }
        self.stop = StopAt::Condition;
    }
}
