//! What several checks of a run have in common is compiled once.
//!
//! A check compiles its implementation into a machine of its own, and asks more and more of that machine: the
//! specification and the search intern into the same tables, so a machine that was used by one check would give
//! other numbers to the next. But before anything else is asked of it, the machine of the same process by the same plan
//! is the same whoever makes it. So it is kept as it is then, for as long as a later assertion is about the same
//! process, and each check goes on with a copy of its own: what it finds, counts and says is what it would be without.
//!
//! Two processes are the same here if they are written alike, wherever they stand. That each was written at another
//! place makes a difference where
//! - a value refers to code of the expression itself (a function, or what is evaluated later): then it is not kept;
//! - an error is reported in the place of the expression: then whoever runs the check does so again without this.
//!
//! The script itself, too, is compiled once, before anything is evaluated: each check begins with a copy.
//!
//! Kept systems are memory of the program like any other. They are given up as soon as no later assertion needs
//! them, and all of them where the program has come to occupy half of what it may.

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

/// The systems that checks of one run share.
#[derive(Default)]
pub struct SharedSystems {
    /// What the assertion that is checked now is about.
    present: Option<CheckedProcess>,
    /// What each assertion that is checked later is about, and how often it is.
    later: Map<usize, (ProcessHashes, usize)>,
    /// How many of these are about the same process.
    awaited: Map<ProcessHashes, usize>,
    /// How many there are.
    left: usize,
    kept: Vec<KeptSystem>,
    /// The compiled script, and the bounds that it was compiled within.
    compiled: Option<(([usize; 6], u64), Evaluator)>,
    /// How often the script was compiled.
    compilations: usize,
    /// Whether the present check has gone on with a copy.
    was_used: bool,
    /// How many checks have.
    uses: usize,
}

/// Hashes of the process of an assertion and of the events that it puts below silence.
type ProcessHashes = (StrongHash, Option<StrongHash>);

/// What is checked: an assertion (from 0), and hashes of its process.
#[derive(Clone)]
struct CheckedProcess {
    index: usize,
    hashes: ProcessHashes,
}

/// A system as it was before anything was asked of it.
struct KeptSystem {
    of: CheckedProcess,
    plan: PlanKey,
    /// What bounds the work of compiling, apart from time and the memory of the program.
    bounds: [usize; 6],
    calls_max: u64,
    system: System,
    /// What it takes, roughly.
    bytes: usize,
}

/// Systems are given up where the program occupies this part of what it may.
const PART: usize = 2;
/// Where what is kept takes no more than this part of the memory allowed, no check ends because of it.
const SMALL_PART: usize = 16;

impl SharedSystems {
    /// For a run that checks these assertions (from 0), in this order.
    #[must_use]
    pub fn for_assertions(script: &Script, indices: impl IntoIterator<Item = usize>) -> Self {
        let mut this = Self::default();
        this.announce(script, indices);
        this
    }

    /// Says anew which assertions are checked from now on; what is kept has to be of the same script.
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

    /// Whether a later assertion is about a process with these hashes.
    fn is_awaited(&self, hashes: &ProcessHashes) -> bool {
        self.awaited.get(hashes).is_some_and(|times| *times > 0)
    }

    /// Says that the check of an assertion begins, and gives up what neither it nor a later one needs.
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

    /// Gives up all that is kept, and keeps nothing for the present check. Whether its outcome may have depended on
    /// that: on where a process stands in the text, or, if it is memory that has ended it, on how much there was left.
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

    /// How many checks did not have to compile their implementation.
    #[must_use]
    pub fn uses(&self) -> usize {
        self.uses
    }

    /// How often the script was compiled for all checks.
    #[must_use]
    pub fn compilations(&self) -> usize {
        self.compilations
    }

    /// An evaluator that has evaluated nothing yet: a copy of one that is kept, or a new one.
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

    /// The implementation of the present check as `make` makes it: a copy of one that is kept, or a new one.
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
                    // The last one needs no copy.
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

/// Whether the program may take so many bytes to keep something.
fn has_room(limits: &Limits, bytes: usize) -> bool {
    let occupied = || memory::resident().unwrap_or(0).saturating_add(bytes);
    limits.resident_max == usize::MAX || occupied() < limits.resident_max / PART
}

/// What compiling may depend on, apart from time and the memory of the program as a whole.
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
