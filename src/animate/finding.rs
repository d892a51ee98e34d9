//! Conditions held to the states of an open process, and the shortest way to one that meets them.

use super::bound::{BoundCondition, Refused, StateReader};
use super::conditions::{Condition, ConditionError, parse};
use super::engine::ScriptEngine;
use super::model::{ErrorText, FindStart, FoundStepView, FoundView, FoundWord, StateId};
use super::opened::AnimatedProcess;
use crate::lab::explore::{ExploredKey, raw_arrows};
use crate::lab::find::{FoundEnd, FoundRun, FoundStep, Sought, SoughtState, find};
use crate::report::words;
use crate::source::diagnostic::Result as Checked;
use crate::source::{Budget, Diagnostic, Limits};

/// Default limit of the states that a search keeps.
pub const STATES_MAX: usize = 2_000_000;
/// Why a search was not reduced that had begun so.
const ASYMMETRIC: &str = "permutations do not map a form that the network takes to itself";

impl ScriptEngine {
    /// The shortest way to a state of which a condition holds, from a state or from where its process
    /// begins.
    ///
    /// # Errors
    /// Errors in the condition, and evaluation errors.
    pub fn find_state(
        &mut self,
        state: StateId,
        start: FindStart,
        text: &str,
        states_max: usize,
    ) -> Result<FoundView, ErrorText> {
        let condition = parse(text).map_err(|error| condition_error(text, &error))?;
        let budget = self.budget.clone();
        let found = self.at(state, |open| {
            Ok(open.find_state(state, start, &condition, &budget, states_max))
        })?;
        self.settled(state, text, found)
    }

    /// Whether a condition holds of a state.
    ///
    /// # Errors
    /// The errors of [`ScriptEngine::find_state`].
    pub fn holds_of(&mut self, state: StateId, text: &str) -> Result<bool, ErrorText> {
        let condition = parse(text).map_err(|error| condition_error(text, &error))?;
        let found = self.at(state, |open| Ok(open.holds_of(state, &condition)))?;
        self.settled(state, text, found)
    }

    fn settled<R>(
        &mut self,
        state: StateId,
        text: &str,
        found: Result<R, Refused>,
    ) -> Result<R, ErrorText> {
        match found {
            Ok(found) => Ok(found),
            Err(Refused::Condition(error)) => Err(condition_error(text, &error)),
            // Only to put it into words.
            Err(Refused::Diagnostic(diagnostic)) => self.at(state, |_| Err(diagnostic)),
        }
    }
}

/// A mistake with its place in the condition.
fn condition_error(text: &str, error: &ConditionError) -> ErrorText {
    let (from, to) = error.at;
    let summary = format!("condition, column {}: {}", from + 1, error.message);
    let marks = "^".repeat(to.saturating_sub(from).max(1));
    let line = text.replace(['\n', '\t'], " ");
    let detail = format!("{summary}\n\n  | {line}\n  | {}{marks}", " ".repeat(from));
    ErrorText::new(summary, detail)
}

impl AnimatedProcess {
    fn find_state(
        &mut self,
        state: StateId,
        start: FindStart,
        condition: &Condition,
        budget: &Budget,
        states_max: usize,
    ) -> Result<FoundView, Refused> {
        let from = match start {
            FindStart::Here => state,
            FindStart::Beginning => self.initial(),
        };
        let (format, locals) = self.state(from);
        let key = (format, locals.into_boxed_slice());
        let bound = BoundCondition::new(self, &key, condition)?;
        let obstacle = self.values_obstacle(format);
        let alone = if obstacle.is_empty() {
            bound.alone.clone()
        } else {
            obstacle
        };
        let reduces = alone.is_empty();
        let mut not_reduced = alone;
        // Limits go for the search as a whole.
        let limits: Limits = budget.limits.from_now();
        let budget = Budget {
            limits,
            cancel: budget.cancel.clone(),
        };
        let search = (&key, bound, states_max);
        let (run, reduces) = self.search(search, reduces, &budget)?;
        if !reduces && not_reduced.is_empty() {
            not_reduced = ASYMMETRIC.to_owned();
        }
        let (word, steps) = match run.end {
            FoundEnd::Found(steps) => (FoundWord::Found, self.worded(&key, steps)?),
            FoundEnd::Nowhere => (FoundWord::Nowhere, Vec::new()),
            FoundEnd::Stopped(stop) => {
                let why = words::stop_text(stop).to_owned();
                (FoundWord::Stopped(stop, why), Vec::new())
            }
            FoundEnd::Asymmetric => (FoundWord::Nowhere, Vec::new()),
        };
        if let (FoundWord::Found, Some(last)) = (&word, steps.last()) {
            self.confirm(last.target, condition)?;
        }
        Ok(FoundView {
            from,
            word,
            steps,
            states: run.states,
            reduced: reduces,
            not_reduced,
        })
    }

    /// Searches, once more without permutations if these turn out not to map the network to itself.
    fn search(
        &mut self,
        (key, bound, states_max): (&ExploredKey, BoundCondition, usize),
        mut reduces: bool,
        budget: &Budget,
    ) -> Result<(FoundRun, bool), Refused> {
        let mut reader = StateReader::new(bound);
        loop {
            let sought = Sought {
                from: key.clone(),
                carried: reader.bound.carried.clone(),
                reduces,
                states_max,
                budget,
            };
            let words = &mut self.words;
            let run = find(
                &mut self.machine,
                &mut self.network,
                &sought,
                &mut |machine, network, state| reader.holds(machine, network, words, state),
            )?;
            if !matches!(run.end, FoundEnd::Asymmetric) {
                return Ok((run, reduces));
            }
            reduces = false;
        }
    }

    /// Verifies on the raw machine that the end of a run satisfies the condition.
    fn confirm(&mut self, state: StateId, condition: &Condition) -> Result<(), Refused> {
        if self.holds_of(state, condition)? {
            Ok(())
        } else {
            let message = "internal error: the run that was found does not end as it was asked";
            Err(Refused::Diagnostic(Box::new(Diagnostic::nowhere(
                "E0799", message,
            ))))
        }
    }

    fn holds_of(&mut self, state: StateId, condition: &Condition) -> Result<bool, Refused> {
        let (format, locals) = self.state(state);
        let key = (format, locals.into_boxed_slice());
        let bound = BoundCondition::new(self, &key, condition)?;
        let arrows = raw_arrows(&mut self.machine, &mut self.network, &key)?;
        let carried = bound.carried.clone();
        let sought = SoughtState {
            key: &key,
            carried: &carried,
            arrows: &arrows,
        };
        let mut reader = StateReader::new(bound);
        let (machine, network) = (&mut self.machine, &self.network);
        Ok(reader.holds(machine, network, &mut self.words, &sought)?)
    }

    /// Steps of a run in words.
    fn worded(&mut self, from: &ExploredKey, steps: Vec<FoundStep>) -> Checked<Vec<FoundStepView>> {
        let mut here = from.clone();
        let mut steps_view = Vec::with_capacity(steps.len());
        for (event, shown, target) in steps {
            let labels = self.words.labels(&mut self.machine, &self.network, here.0);
            let mut changes = Vec::new();
            for (n, label) in labels.into_iter().enumerate() {
                let (before, after) = (here.1.get(n), target.1.get(n));
                if before != after
                    && let Some(after) = after
                {
                    let after = self.words.text(&mut self.machine, *after);
                    changes.push((label.into(), after.into()));
                }
            }
            steps_view.push(FoundStepView {
                kind: words::kind(event),
                event: words::shown(&self.machine, shown).into(),
                changes,
                target: self.intern(target.0, &target.1),
            });
            here = target;
        }
        Ok(steps_view)
    }
}
