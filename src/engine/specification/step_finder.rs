//! Steps of a specification's states: all of them, or those left by partial order reduction.

use std::sync::Mutex;

use crate::machine::network::RuleScratch;
use crate::machine::{EventId, FormatId, LocalId, Locals, Machine, Miss, Network};
use crate::reductions::partial_order::{PartialOrder, PartialOrderScratch};
use crate::reductions::skipping::{SkippingScratch, StateSkipping};
use crate::reductions::steps::StepTarget;
use crate::source::diagnostic::Result;
use crate::source::threads::{PooledScratch, in_parallel, lock};

/// A borrowed state of the specification's network.
pub type SpecState<'a> = (FormatId, &'a [LocalId]);

/// The way to find steps, with its buffers.
#[derive(Debug, Default)]
pub struct StepFinder {
    /// Partial order reduction, if steps are left out.
    partial_order: Option<PartialOrder>,
    /// Threads for finding steps under reduction.
    threads: usize,
    /// A pool of scratch buffers.
    pool: Mutex<Vec<FinderScratch>>,
}

/// The steps found for a state.
#[derive(Debug)]
pub(super) struct SpecSteps {
    pub(super) steps: Vec<StepTarget>,
    /// Whether the state is represented by the targets of the steps that suffice.
    pub(super) is_replaced: bool,
}

/// Buffers of one thread.
#[derive(Debug, Default)]
struct FinderScratch {
    rules: RuleScratch,
    choosing: PartialOrderScratch,
    skipping: SkippingScratch,
}

impl StepFinder {
    /// Creates a finder that leaves out steps where silent ones suffice, in a network where no run is silent for ever.
    ///
    /// The targets of such steps represent the state: together they have its traces and stable failures. Finding them
    /// takes long, so it uses this number of threads.
    #[must_use]
    pub fn leaving_out(partial_order: PartialOrder, threads: usize) -> Self {
        debug_assert!(partial_order.ends_silence());
        Self {
            partial_order: Some(partial_order),
            threads,
            ..Self::default()
        }
    }

    /// Whether it leaves out steps.
    #[must_use]
    pub fn leaves_out(&self) -> bool {
        self.partial_order.is_some()
    }

    /// The steps of a state.
    ///
    /// # Errors
    /// An evaluation error or a limit.
    pub(super) fn find(
        &self,
        machine: &mut Machine,
        network: &mut Network,
        state: SpecState<'_>,
    ) -> Result<SpecSteps> {
        let mut scratch = PooledScratch::take(&self.pool, FinderScratch::default);
        machine.complete(network, |machine, network| {
            self.look_at((machine.locals(), network), state, &mut scratch)
        })
    }

    /// The steps of several states, on all threads, converted by the caller's function; `None` where a table entry is
    /// missing.
    pub(super) fn find_together<T: Send>(
        &self,
        tables: (&Locals, &Network),
        states: &[SpecState<'_>],
        wanted: impl Fn(SpecSteps) -> T + Sync,
    ) -> Vec<Option<T>> {
        let found: Vec<Mutex<Option<T>>> = states.iter().map(|_| Mutex::default()).collect();
        in_parallel(
            self.threads,
            states.len(),
            || PooledScratch::take(&self.pool, FinderScratch::default),
            |scratch, n| {
                let steps = self.look_at(tables, states[n], scratch).ok();
                *lock(&found[n]) = steps.map(&wanted);
            },
        );
        let taken = found.iter().map(|found| lock(found).take());
        taken.collect()
    }

    fn look_at(
        &self,
        (locals, network): (&Locals, &Network),
        (format, state): SpecState<'_>,
        scratch: &mut FinderScratch,
    ) -> std::result::Result<SpecSteps, Miss> {
        let mut steps: Vec<StepTarget> = Vec::new();
        network.successors::<Miss>(locals, format, state, &mut scratch.rules, |s| {
            steps.push(StepTarget::new(0, &s));
            Ok(())
        })?;
        let Some(order) = &self.partial_order else {
            return Ok(SpecSteps {
                steps,
                is_replaced: false,
            });
        };
        let skipping = StateSkipping {
            order,
            network,
            locals,
        };
        let is_replaced = only_enough(skipping, (format, state), &mut steps, scratch)?;
        for step in &mut steps {
            // Exchanging copies changes no event, so one state represents all that are equal up to that.
            let copies = network.format(step.format).copies();
            copies.settle(&mut step.locals);
        }
        Ok(SpecSteps { steps, is_replaced })
    }
}

/// Removes steps of a state where silent ones suffice, and returns whether that was so. Extends the others over states
/// where a single step suffices.
fn only_enough(
    skipping: StateSkipping<'_>,
    state: SpecState<'_>,
    found: &mut Vec<StepTarget>,
    scratch: &mut FinderScratch,
) -> std::result::Result<bool, Miss> {
    let terminates = found.iter().any(|step| step.event == EventId::TICK);
    let rules = found.iter().map(|step| step.rule);
    let choosing = &mut scratch.choosing;
    let is_enough = !terminates && skipping.order.choose(state, rules, choosing);
    if is_enough {
        found.retain(|step| choosing.keeps(step.rule));
    }
    for step in found {
        // The events of these steps do not matter.
        let event = step.event;
        let buffers = (&mut scratch.rules, &mut scratch.skipping);
        skipping.skip(step, buffers, &mut |_| {})?;
        step.event = event;
    }
    Ok(is_enough)
}
