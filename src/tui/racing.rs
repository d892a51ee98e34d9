//! The data of a race.

use crate::animate::history::HistoryId;
use crate::animate::model::{AskedStrategy, Counterexample, ErrorText, Progress};
use crate::animate::racer::{RaceNews, RaceRequest};
use crate::report::race::RaceRow;

/// The stage of something that waits for checks and takes long.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum JobStage {
    /// None was asked for.
    #[default]
    Idle,
    /// It waits for checks.
    Queued,
    /// It is under way.
    Running,
    /// It has ended, or could not begin.
    Ended,
}

impl JobStage {
    /// Whether it waits or is under way.
    #[must_use]
    pub fn is_active(self) -> bool {
        matches!(self, Self::Queued | Self::Running)
    }
}

/// Two states of one orbit that are being followed, to be compared.
#[derive(Clone, Debug, PartialEq)]
pub struct FollowedPair {
    /// The runs that lead to them.
    pub runs: [Counterexample; 2],
    /// The strategy that keeps them apart; the usual one for ways to remember states that choose no representatives.
    pub by: AskedStrategy,
    /// The entry of the first one in the history, once it was followed.
    pub first: Option<HistoryId>,
}

/// A race of strategies.
#[derive(Clone, Debug, Default)]
pub struct RaceData {
    /// The last request.
    pub request: Option<RaceRequest>,
    /// The stage.
    pub stage: JobStage,
    /// The strategies that take part, in order.
    pub names: Vec<&'static str>,
    /// The strategy that is searching, and how far it is.
    pub running: Option<(&'static str, Progress)>,
    /// The results of the strategies, in order.
    pub rows: Vec<RaceRow>,
    /// The disagreement of finished strategies, which is a fault.
    pub disagreement: String,
    /// Why there could be no race.
    pub failure: Option<ErrorText>,
    /// The selected strategy, by its place in the list.
    pub selected: usize,
    /// States on the way to Compare.
    pub following: Option<FollowedPair>,
}

impl RaceData {
    /// Whether a race is running or waiting.
    #[must_use]
    pub fn is_active(&self) -> bool {
        self.stage.is_active()
    }

    /// The result of the selected strategy.
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
            stage: JobStage::Queued,
            ..Self::default()
        };
    }

    /// Takes in news of the race.
    pub fn learn(&mut self, news: RaceNews) {
        match news {
            RaceNews::Started => self.stage = JobStage::Running,
            RaceNews::Strategies(names) => self.names = names,
            RaceNews::Progress(name, progress) => self.running = Some((name, progress)),
            RaceNews::Row(row) => {
                self.running = None;
                // A selection of the last row follows the race; any other stays.
                if self.selected + 1 == self.rows.len() {
                    self.selected += 1;
                }
                self.rows.push(*row);
            }
            RaceNews::Ended(ended) => {
                self.running = None;
                self.stage = JobStage::Ended;
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
