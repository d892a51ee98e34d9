//! Assertions that are checked with reduction and without it: how far both runs are.

use crate::animate::model::{CheckOutcome, Progress, TwoRuns, Verdict};

/// Two runs of one assertion.
#[derive(Clone, Debug)]
pub struct CheckPair {
    /// The stage of the two runs.
    pub stage: PairStage,
    /// The outcome before: it may have more than a run that only counts.
    before: Option<Box<CheckOutcome>>,
}

/// The stage of two runs.
#[derive(Clone, Debug)]
pub enum PairStage {
    /// The one with reduction is waiting or running.
    Reduced,
    /// The first one has this outcome, and the other one is running.
    Unreduced(Box<CheckOutcome>, Progress),
    /// Both ended.
    Over(Box<CheckOutcome>, Box<TwoRuns>),
}

impl CheckPair {
    /// Two runs that are requested, and the known outcome of the assertion.
    #[must_use]
    pub fn asked(before: Option<&CheckOutcome>) -> Self {
        Self {
            stage: PairStage::Reduced,
            before: before.cloned().map(Box::new),
        }
    }

    /// Whether one of the runs is still to end.
    #[must_use]
    pub fn is_active(&self) -> bool {
        !matches!(self.stage, PairStage::Over(..))
    }

    /// The better of two outcomes: a verdict is not given up for none.
    #[must_use]
    pub fn kept(&self, outcome: Box<CheckOutcome>) -> Box<CheckOutcome> {
        let is_open = matches!(outcome.verdict, Verdict::Inconclusive(_));
        match &self.before {
            Some(before) if is_open => before.clone(),
            _ => outcome,
        }
    }
}
