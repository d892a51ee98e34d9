//! Where the states of a check are: in the memory of this process, on disk, or shared with other processes.

use super::args::CheckArgs;
use super::sharing::{LostProcess, SharingProcesses};
use super::store_args;
use crate::animate::model::{CheckOutcome, Stop, Verdict};
use crate::report::{checks, words};
use crate::source::Cancel;
use crate::source::threads::lock;
use orbitscope_engine::check::{Options, ProcessPlan, StorePlan};
use orbitscope_language::script::load::Loaded;

/// Where the states of a check go once they are many.
#[derive(Default)]
pub struct Placement {
    store: Option<StorePlan>,
    processes: Option<ProcessPlan>,
    /// Those that this one has started end when this is dropped.
    sharing: SharingProcesses,
    lost: LostProcess,
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
            .plan(
                (assertions, &args.file),
                (loaded, (&args.store, store.as_ref())),
                (cancel, &lost),
            )
            .inspect_err(|_| store_args::give_up(store.as_ref()))?;
        let (processes, sharing) = shared.unzip();
        Ok(Self {
            store,
            processes,
            sharing: sharing.unwrap_or_default(),
            lost,
        })
    }

    /// The addresses of the other processes, by process from 1, where they have any.
    pub fn names(&self) -> &[String] {
        self.sharing.names()
    }

    /// Adds it to the options of a check.
    pub fn apply(&self, options: &mut Options) {
        options.store.clone_from(&self.store);
        options.processes.clone_from(&self.processes);
    }

    /// Whether a process is lost.
    pub fn has_lost(&self) -> bool {
        self.lost.process().is_some()
    }

    /// Says of a check that ended because a process is lost that this was the reason, and which one it was.
    pub fn explained(&self, outcome: CheckOutcome, interrupted: bool) -> CheckOutcome {
        let lost = match outcome.stopped {
            // A terminal sends the signal to the processes that this one has started, too, and they may be faster.
            Some(Stop::Process(_)) if interrupted => {
                return CheckOutcome {
                    verdict: Verdict::Inconclusive(words::stop_text(Stop::Cancelled).to_owned()),
                    stopped: Some(Stop::Cancelled),
                    ..outcome
                };
            }
            Some(Stop::Process(process)) => Some(self.lost.lately().unwrap_or(process)),
            // Another process may know before this one which one is lost, and end the check for all.
            Some(Stop::Cancelled) if self.processes.is_some() && !interrupted => self.lost.lately(),
            _ => None,
        };
        let Some(process) = lost else {
            return outcome;
        };
        CheckOutcome {
            verdict: Verdict::Inconclusive(checks::lost(process, self.sharing.name(process))),
            stopped: Some(Stop::Process(process)),
            ..outcome
        }
    }

    /// After the last verdict: says how to go on with a check that was interrupted, by words before the name of its folder,
    /// or removes its files.
    pub fn leave(&mut self, verdicts: &[&Verdict], goes_on: &str) -> Option<String> {
        let is_over = |v: &&Verdict| !matches!(v, Verdict::Inconclusive(_) | Verdict::Error(_));
        if self.store.is_some() && verdicts.iter().all(is_over) {
            self.sharing.finish();
        }
        // Files of processes that still run could not be removed.
        self.sharing.end();
        let mesh = self.processes.as_ref();
        let processes = mesh.map_or(1, |plan| lock(&plan.mesh).processes());
        store_args::leave((self.store.as_ref(), processes), verdicts, goes_on)
    }
}
