//! A run by its states and events themselves, so that a run from one machine is followed in another without
//! comparing words: two states can look the same.

use crate::check::Check;
use crate::check::plan::PlanKey;
use crate::machine::FormatId;
use crate::machine::digests::{Digest, MachineDigests};
use crate::search::counterexample::{RawRun, RawStep};
use crate::search::product::ProductState;

/// Digests that identify the states and events of a run in every machine of its script.
#[derive(Clone, Debug)]
pub struct RunKeys {
    /// The plan by which the process was checked.
    pub plan: PlanKey,
    /// The digest of the first state.
    pub initial: Digest,
    /// The steps: for each the event, before it was hidden, and the state that it leads to.
    pub steps: Vec<(Digest, Digest)>,
}

/// Two runs are one if they go through the same states, however they were found.
impl PartialEq for RunKeys {
    fn eq(&self, other: &Self) -> bool {
        (self.initial, &self.steps) == (other.initial, &other.steps)
    }
}

impl Eq for RunKeys {}

impl RunKeys {
    /// Computes the digests of a run that a check has found.
    #[must_use]
    pub fn of(check: &mut Check, run: &RawRun) -> Self {
        // One cache for the whole run: from state to state most components stay as they are.
        let mut known = MachineDigests::default();
        let (machine, network) = (&mut check.machine, &check.network);
        let mut state = |pair: &ProductState, known: &mut MachineDigests| {
            machine.digest_state((network, FormatId(pair.format)), &pair.locals, known)
        };
        let initial = state(&run.initial, &mut known);
        let after: Vec<Digest> = run
            .steps
            .iter()
            .map(|s| state(&s.after, &mut known))
            .collect();
        let machine = &check.machine;
        let event = |step: &RawStep| machine.digest_event(step.shown, &mut known);
        let events: Vec<Digest> = run.steps.iter().map(event).collect();
        Self {
            plan: check.plan().clone(),
            initial,
            steps: events.into_iter().zip(after).collect(),
        }
    }
}
