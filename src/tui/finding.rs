//! What the search for a state remembers: data only.

use crate::animate::history::HistoryId;
use crate::animate::model::{ErrorText, StateId};
use crate::animate::model::{FindStart, FoundView, FoundWord};
use crate::source::hash::Map;

/// What random walks stop at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StopAt {
    /// At nothing.
    #[default]
    Nothing,
    /// Where the condition holds that was searched for last.
    Condition,
    /// After a visible event.
    Visible,
}

/// What is searched for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FindQuestion {
    /// From where in the history.
    pub place: HistoryId,
    /// The state there.
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
    /// Where the next search begins.
    pub start: FindStart,
    /// What the engine was asked.
    pub question: Option<FindQuestion>,
    /// What is wrong with the condition, or why it was not found.
    pub failure: Option<ErrorText>,
    /// What came of the last search, in a sentence.
    pub said: String,
    /// Where random walks stop.
    pub stop: StopAt,
    /// Whether the random walk has taken a step.
    pub has_walked: bool,
    /// Of which states it is known whether the condition holds of them at which walks stop.
    holds: Map<StateId, Result<bool, ErrorText>>,
    /// The condition at which walks stop.
    watched: String,
}

/// States of which is remembered whether the condition holds.
const HOLDS_MAX: usize = 20_000;

impl FindData {
    /// Takes in what a search came to; the way, if there is one.
    pub fn learn(
        &mut self,
        told: Result<FoundView, ErrorText>,
    ) -> Option<(FindQuestion, FoundView)> {
        let question = self.question.take()?;
        match told {
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

    /// Whether the watched condition holds of a state, if that is known.
    #[must_use]
    pub fn known(&self, state: StateId) -> Option<&Result<bool, ErrorText>> {
        self.holds.get(&state)
    }

    /// Takes in whether it does.
    pub fn learn_holds(&mut self, state: StateId, text: &str, told: Result<bool, ErrorText>) {
        if text != self.watched {
            return;
        }
        if self.holds.len() >= HOLDS_MAX {
            self.holds.clear();
        }
        self.holds.insert(state, told);
    }

    /// Forgets what is about states of an engine that is not used any more.
    pub fn forget_states(&mut self) {
        (self.question, self.failure) = (None, None);
        self.said.clear();
        self.has_walked = false;
        self.holds.clear();
    }

    /// Forgets what was not found out, to ask once more.
    pub fn forget_failures(&mut self) {
        self.holds.retain(|_, told| told.is_ok());
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
