//! What is remembered of a race: data only.

use crate::animate::history::HistoryId;
use crate::animate::model::{Counterexample, ErrorText, Progress};
use crate::animate::racer::{RaceNews, RaceRequest};
use crate::report::race::RaceRow;

/// How far a race is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RaceStage {
    /// None was asked for.
    #[default]
    Idle,
    /// It waits for checks.
    Queued,
    /// Strategies are searching.
    Running,
    /// It has ended, or could not begin.
    Ended,
}

/// Two states of one orbit that are being followed, to be compared.
#[derive(Clone, Debug, PartialEq)]
pub struct FollowedPair {
    /// The runs that lead to them.
    pub runs: [Counterexample; 2],
    /// Where the first one leads in the history, once it was followed.
    pub first: Option<HistoryId>,
}

/// A race of strategies.
#[derive(Clone, Debug, Default)]
pub struct RaceData {
    /// What was asked for last.
    pub request: Option<RaceRequest>,
    /// How far it is.
    pub stage: RaceStage,
    /// The strategies that take part, in order.
    pub names: Vec<&'static str>,
    /// The strategy that is searching, and how far it is.
    pub running: Option<(&'static str, Progress)>,
    /// What the strategies came to, in order.
    pub rows: Vec<RaceRow>,
    /// What finished strategies disagree in, which is a fault.
    pub disagreement: String,
    /// Why there could be no race.
    pub failure: Option<ErrorText>,
    /// The selected strategy, by its place in the list.
    pub selected: usize,
    /// States on the way to Compare.
    pub following: Option<FollowedPair>,
}

impl RaceData {
    /// Whether a race is going on, or waits.
    #[must_use]
    pub fn is_active(&self) -> bool {
        matches!(self.stage, RaceStage::Queued | RaceStage::Running)
    }

    /// What is known of the selected strategy.
    #[must_use]
    pub fn row(&self) -> Option<&RaceRow> {
        self.rows.get(self.selected)
    }

    /// Whether strategies race through the search of an assertion.
    #[must_use]
    pub fn is_of_assertion(&self) -> bool {
        matches!(self.request, Some(RaceRequest::Assertion(_)))
    }

    /// Begins a race: nothing is left of the one before.
    pub fn ask(&mut self, request: RaceRequest) {
        *self = Self {
            request: Some(request),
            stage: RaceStage::Queued,
            ..Self::default()
        };
    }

    /// Takes in what happened.
    pub fn learn(&mut self, news: RaceNews) {
        match news {
            RaceNews::Started => self.stage = RaceStage::Running,
            RaceNews::Strategies(names) => self.names = names,
            RaceNews::Progress(name, progress) => self.running = Some((name, progress)),
            RaceNews::Row(row) => {
                self.running = None;
                // Who looks at the last row goes on with the race; who chose another one stays there.
                if self.selected + 1 == self.rows.len() {
                    self.selected += 1;
                }
                self.rows.push(*row);
            }
            RaceNews::Ended(ended) => {
                self.running = None;
                self.stage = RaceStage::Ended;
                match ended {
                    Ok(done) => {
                        self.disagreement = done.disagreement;
                        self.rows = done.rows;
                        // The first one with something to compare.
                        let doubled = self.rows.iter().position(|row| row.doubled.is_some());
                        self.selected = doubled.unwrap_or(0);
                    }
                    Err(failure) => self.failure = Some(failure),
                }
            }
        }
    }
}
