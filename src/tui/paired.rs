//! Assertions that are checked with reduction and without it: how far both runs are.

use crate::animate::model::{CheckOutcome, Progress, TwoRuns, Verdict};

/// Two runs of one assertion.
#[derive(Clone, Debug)]
pub struct CheckPair {
    /// How far they are.
    pub stage: PairStage,
    /// What was known of the assertion before: it may be more than what a run comes to that counts.
    before: Option<Box<CheckOutcome>>,
}

/// How far two runs are.
#[derive(Clone, Debug)]
pub enum PairStage {
    /// The one with reduction waits or is under way.
    Reduced,
    /// It came to this, and the other one is under way.
    Unreduced(Box<CheckOutcome>, Progress),
    /// Both are over.
    Over(Box<CheckOutcome>, Box<TwoRuns>),
}

impl CheckPair {
    /// Two runs that are asked for, and what is known of the assertion.
    #[must_use]
    pub fn asked(before: Option<&CheckOutcome>) -> Self {
        Self {
            stage: PairStage::Reduced,
            before: before.cloned().map(Box::new),
        }
    }

    /// Whether something of it is still to come.
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
