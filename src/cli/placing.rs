//! Where the states of a check are: in the memory of this process, on disk, or shared with other processes.

use std::sync::Arc;
use std::sync::atomic::{AtomicU16, Ordering};

use super::args::CheckArgs;
use super::process_args::OtherProcesses;
use super::store_args;
use crate::animate::model::{CheckOutcome, Stop, Verdict};
use crate::report::checks;
use crate::source::Cancel;
use crate::source::threads::lock;
use orbitscope_engine::check::{Options, ProcessPlan, StorePlan};
use orbitscope_language::script::load::Loaded;

/// Where the states of a check go once they are many.
#[derive(Default)]
pub struct Placement {
    store: Option<StorePlan>,
    processes: Option<ProcessPlan>,
    /// They end when this is dropped.
    others: OtherProcesses,
    lost: LostProcess,
}

/// The number of a process that was lost.
#[derive(Clone)]
pub struct LostProcess(Arc<AtomicU16>);

impl LostProcess {
    const NONE: u16 = u16::MAX;

    /// Notes a process that was lost, if it is the first.
    pub fn note(&self, process: usize) {
        let (now, relaxed) = (process as u16, Ordering::Relaxed);
        let _ = self.0.compare_exchange(Self::NONE, now, relaxed, relaxed);
    }

    fn process(&self) -> Option<u16> {
        Some(self.0.load(Ordering::Relaxed)).filter(|process| *process != Self::NONE)
    }
}

impl Default for LostProcess {
    fn default() -> Self {
        Self(Arc::new(AtomicU16::new(Self::NONE)))
    }
}

impl Placement {
    /// What the arguments ask for.
    ///
    /// # Errors
    /// What is asked for is not for this many assertions, or a folder or processes that cannot be used.
    pub fn plan(
        args: &CheckArgs,
        assertions: usize,
        loaded: &Loaded,
        cancel: &Cancel,
    ) -> Result<Self, String> {
        let lost = LostProcess::default();
        // First: the others go on with what it finds in the folder.
        let store = args
            .store
            .plan(assertions, &args.file, loaded, &args.processes)?;
        let shared = args
            .processes
            .plan((assertions, &args.file), loaded, (cancel, &lost))
            .inspect_err(|_| store_args::give_up(store.as_ref()))?;
        let (processes, others) = shared.unzip();
        Ok(Self {
            store,
            processes,
            others: others.unwrap_or_default(),
            lost,
        })
    }

    /// Adds it to the options of a check.
    pub fn apply(&self, options: &mut Options) {
        options.store.clone_from(&self.store);
        options.processes.clone_from(&self.processes);
    }

    /// Says of a check that was cancelled because a process is lost that this was the reason.
    pub fn explained(&self, outcome: CheckOutcome) -> CheckOutcome {
        match (outcome.stopped, self.lost.process()) {
            (Some(Stop::Cancelled), Some(process)) => CheckOutcome {
                verdict: Verdict::Inconclusive(checks::lost(process)),
                stopped: Some(Stop::Process(process)),
                ..outcome
            },
            _ => outcome,
        }
    }

    /// After the last result: says how to go on with a check that was interrupted, or removes its files.
    pub fn leave<T>(&mut self, outcomes: &[(CheckOutcome, T)]) {
        // Files of processes that still run could not be removed.
        self.others = OtherProcesses::default();
        let mesh = self
            .processes
            .as_ref()
            .map(|plan| lock(&plan.mesh).processes());
        store_args::leave(self.store.as_ref(), mesh.unwrap_or(1), outcomes);
    }
}
