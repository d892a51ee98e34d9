//! Systems compiled once for several checks of a run.
//!
//! A check compiles its implementation into its own machine, and then changes that machine: the specification and the
//! search intern into the same tables, so reusing it would change the numbers of the next check. A freshly compiled
//! machine, though, depends only on the process and the plan. So it is kept in that condition while a later assertion
//! has the same process, and each check works on a copy: its results, counts and texts are the same as without sharing.
//!
//! Processes are equal here if they have the same text, wherever they stand. Their place makes a difference where
//! - a value refers to code of the expression itself (a function, or a delayed evaluation): then the system is not
//!   kept;
//! - an error is reported at the expression: then the caller repeats the check without sharing.
//!
//! The script is also compiled once, before any evaluation: each check begins with a copy.
//!
//! Kept systems count as memory of the program. They are dropped once no later assertion needs them, and all of them
//! where the program occupies half of its memory limit.

use std::rc::Rc;

use super::plan::{Plan, PlanKey};
use super::system::System;
use crate::eval::Evaluator;
use crate::machine::Machine;
use crate::process::term::Term;
use crate::script::core::Script;
use crate::script::fingerprint::{Fingerprints, StrongHash};
use crate::script::load::Loaded;
use crate::source::diagnostic::Result;
use crate::source::hash::Map;
use crate::source::{Budget, Limits, memory};

/// Compiled systems shared by the checks of one run.
#[derive(Default)]
pub struct SharedSystems {
    /// The process of the assertion being checked.
    present: Option<CheckedProcess>,
    /// The process of each later assertion, and how many times the assertion is checked.
    later: Map<usize, (ProcessHashes, usize)>,
    /// The number of later checks of each process.
    awaited: Map<ProcessHashes, usize>,
    /// The number of later checks.
    left: usize,
    kept: Vec<KeptSystem>,
    /// The compiled script, and the bounds that it was compiled within.
    compiled: Option<(([usize; 6], u64), Evaluator)>,
    /// How often the script was compiled.
    compilations: usize,
    /// Whether the present check uses a copy.
    was_used: bool,
    /// The number of checks that used a copy.
    uses: usize,
}

/// Hashes of the process of an assertion and of its events below silence.
type ProcessHashes = (StrongHash, Option<StrongHash>);

/// A checked process: its assertion (from 0) and hashes.
#[derive(Clone)]
struct CheckedProcess {
    index: usize,
    hashes: ProcessHashes,
}

/// A system as it was compiled, before any search.
struct KeptSystem {
    of: CheckedProcess,
    plan: PlanKey,
    /// Bounds on the work of compiling, apart from time and the memory of the program.
    bounds: [usize; 6],
    calls_max: u64,
    system: System,
    /// Its memory in bytes, roughly.
    bytes: usize,
}

/// Systems are dropped where the program occupies this part of its memory limit.
const PART: usize = 2;
/// Systems of at most this part of the memory limit cannot be the cause that it is reached.
const SMALL_PART: usize = 16;

impl SharedSystems {
    /// Creates the store for a run that checks these assertions (from 0), in this order.
    #[must_use]
    pub fn for_assertions(script: &Script, indices: impl IntoIterator<Item = usize>) -> Self {
        let mut this = Self::default();
        this.announce(script, indices);
        this
    }

    /// Replaces the list of assertions to check; kept systems have to be of the same script.
    pub fn announce(&mut self, script: &Script, indices: impl IntoIterator<Item = usize>) {
        let prints = Fingerprints::new(script);
        let about = |index: usize| {
            let assertion = script.assertions.get(index)?;
            let below = assertion.tau_priority.as_ref();
            let hashes = (
                prints.of_expr(assertion.subject()),
                below.map(|set| prints.of_expr(set)),
            );
            Some((index, hashes))
        };
        (self.left, self.later, self.awaited) = (0, Map::default(), Map::default());
        for (index, hashes) in indices.into_iter().filter_map(about) {
            self.later.entry(index).or_insert((hashes, 0)).1 += 1;
            *self.awaited.entry(hashes).or_default() += 1;
            self.left += 1;
        }
    }

    /// Whether a later assertion has a process with these hashes.
    fn is_awaited(&self, hashes: &ProcessHashes) -> bool {
        self.awaited.get(hashes).is_some_and(|times| *times > 0)
    }

    /// Begins the check of an assertion, and drops systems that neither it nor a later one needs.
    pub fn begin(&mut self, index: usize, limits: &Limits) {
        let found = self.later.get_mut(&index).filter(|(_, times)| *times > 0);
        self.present = found.map(|(hashes, times)| {
            let hashes = *hashes;
            *times -= 1;
            self.left -= 1;
            if let Some(awaited) = self.awaited.get_mut(&hashes) {
                *awaited -= 1;
            }
            CheckedProcess { index, hashes }
        });
        self.was_used = false;
        let mut kept = std::mem::take(&mut self.kept);
        let present = self.present.as_ref().map(|of| of.hashes);
        kept.retain(|kept| Some(kept.of.hashes) == present || self.is_awaited(&kept.of.hashes));
        self.kept = kept;
        if !has_room(limits, 0) {
            self.kept.clear();
            self.compiled = None;
        }
    }

    /// Drops all systems, and keeps none for the present check. Returns whether its outcome may have depended on
    /// sharing: on the place of a process in the text, or, if memory ended it, on the memory left.
    pub fn give_up(&mut self, limits: &Limits, memory_ended: bool) -> bool {
        let bytes: usize = self.kept.iter().map(|kept| kept.bytes).sum();
        let matters = match memory_ended {
            true => limits.resident_max != usize::MAX && bytes > limits.resident_max / SMALL_PART,
            false => self.was_used,
        };
        if matters {
            self.uses -= usize::from(self.was_used);
            self.was_used = false;
            self.present = None;
            self.kept.clear();
            self.compiled = None;
        }
        matters
    }

    /// The number of checks that did not compile their implementation.
    #[must_use]
    pub fn uses(&self) -> usize {
        self.uses
    }

    /// The number of times that the script was compiled.
    #[must_use]
    pub fn compilations(&self) -> usize {
        self.compilations
    }

    /// A fresh evaluator: a copy of the kept one, or a new one.
    fn evaluator(&mut self, loaded: &Loaded, budget: &Budget) -> Evaluator {
        let script = &loaded.script;
        let bounds = bounds(&budget.limits);
        if let Some((within, kept)) = &self.compiled
            && *within == bounds
            && Rc::ptr_eq(kept.script(), script)
        {
            let mut eval = kept.clone();
            eval.go_on_within(budget, None);
            return eval;
        }
        self.compilations += 1;
        let eval = Evaluator::new(Rc::clone(script), &budget.limits, budget.cancel.clone());
        if self.left > 0 && has_room(&budget.limits, 0) {
            self.compiled = Some((bounds, eval.clone()));
        }
        eval
    }

    /// The implementation of the present check: a copy of a kept one, or a new one from `make`.
    pub(super) fn system(
        &mut self,
        loaded: &Loaded,
        plan: &Plan,
        budget: &Budget,
        make: impl FnOnce(&mut Machine) -> Result<Term>,
    ) -> Result<System> {
        let ahead = budget.limits.local_states_max;
        let Some(of) = self.present.clone() else {
            return System::made(loaded, plan, budget, ahead, make);
        };
        let key = PlanKey::new(&loaded.script, plan);
        let (bounds, calls_max) = bounds(&budget.limits);
        let is_needed = self.is_awaited(&of.hashes);
        let same = |kept: &KeptSystem| {
            let alike = kept.of.hashes == of.hashes && kept.plan == key;
            alike && kept.bounds == bounds && kept.calls_max == calls_max
        };
        if let Some(at) = self.kept.iter().position(same) {
            let (first_at, mut system) =
                match is_needed && has_room(&budget.limits, self.kept[at].bytes) {
                    true => (self.kept[at].of.index, self.kept[at].system.clone()),
                    // The last check of a process takes the system itself.
                    false => {
                        let last = self.kept.swap_remove(at);
                        (last.of.index, last.system)
                    }
                };
            let first = loaded.script.assertions.get(first_at);
            let apart = first.filter(|_| first_at != of.index);
            let apart = apart.map(|assertion| assertion.span);
            system.machine.go_on_within(budget, apart);
            self.uses += usize::from(!self.was_used);
            self.was_used = true;
            return Ok(system);
        }
        let before = memory::resident().unwrap_or(0);
        let eval = self.evaluator(loaded, budget);
        let system = System::made_by(eval, plan, ahead, make)?;
        let bytes = memory::resident().unwrap_or(0).saturating_sub(before);
        let bytes = bytes.max(system.machine.eval.store().bytes());
        let assertion = &loaded.script.assertions[of.index];
        let eval = &system.machine.eval;
        let mut written = std::iter::once(assertion.subject()).chain(&assertion.tau_priority);
        if is_needed && has_room(&budget.limits, bytes) && written.all(|expr| eval.is_free_of(expr))
        {
            self.kept.push(KeptSystem {
                of,
                plan: key,
                bounds,
                calls_max,
                system: system.clone(),
                bytes,
            });
        }
        Ok(system)
    }
}

/// Whether the program may use this number of bytes for keeping systems.
fn has_room(limits: &Limits, bytes: usize) -> bool {
    let occupied = || memory::resident().unwrap_or(0).saturating_add(bytes);
    limits.resident_max == usize::MAX || occupied() < limits.resident_max / PART
}

/// The limits that compiling may depend on, apart from time and the memory of the program as a whole.
fn bounds(limits: &Limits) -> ([usize; 6], u64) {
    let sizes = [
        limits.states_max,
        limits.memory_max,
        limits.elements_max,
        limits.depth_max,
        limits.values_max,
        limits.local_states_max,
    ];
    (sizes, limits.calls_max)
}
