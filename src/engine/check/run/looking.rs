//! Structural symmetry in a check: when to search for it, and whether the group pays.

use std::time::Instant;

use super::Check;
use crate::check::conclude::may_diverge;
use crate::check::look_bounds::{LookBounds, Looking};
use crate::check::outcome::{StructureLooked, StructureUse};
use crate::check::reduction::Reduction;
use crate::check::structural::{
    PreservedProperties, StructureFound, chosen, find, states_before, unless_limited, work_before,
};
use crate::machine::bisimilar::MergedStates;
use crate::machine::copies::Copies;
use crate::reductions::partial_order::PartialOrder;
use crate::search::breadth_first::{OngoingSearch, Search, SearchControl};
use crate::search::figures::search_work;
use crate::search::product::Demands;
use crate::search::represented::{SomeOrbits, some_orbits};
use crate::source::Diagnostic;
use crate::source::diagnostic::Result;
use crate::symmetry::structural::StructuralGroup;

/// Numbers of states after which a group is judged: its cost shows in the first ones, its benefit only in many.
const TRIED: [usize; 4] = [2, 32, 500, 5_000];
/// Number of states for each orbit above which a group pays.
const WORTH: f64 = 1.25;
/// Work with the group, as a multiple of that without, up to which it pays.
const WORK: f64 = 1.5;
/// The same where the search permutes values without the group.
const WORK_BESIDE: f64 = 1.0;
/// The real work of a transition, as a multiple of the least that is counted.
const PLAIN: f64 = 4.0;
/// Work in a search that permutes values, in steps of a structural group and as multiples of the least that is counted
/// for a transition: a transition, the representative of its target, and a leaf of the search for that. Measured on
/// rings of cells that hold values, and on the list stack.
const TRANSITION: f64 = 0.5;
const REPRESENTED: f64 = 0.75;
const LEAF: f64 = 8.0;
/// Steps of work that a group may cost before it is judged.
const TRIED_WORK: f64 = 10_000_000.0;

/// Weight of a stored state where the search skips states without storing them.
const WITH_SKIPPED: usize = 64;

/// A late search for symmetry is not made if the states still to come are at most this part of those so far.
const REST: f64 = 0.5;

/// The reduction that a structural group replaced.
struct ReducedBefore {
    copies: Vec<Copies>,
    reduction: Option<Reduction>,
    /// The merged local states, if more of them are merged now.
    merged: Option<MergedStates>,
}

/// The search for a structural group of a check.
pub(super) struct StructureSearch {
    /// The group, if the check is reduced by it.
    pub(super) group: Option<Box<StructuralGroup>>,
    /// The reduction that it replaced.
    replaced: Option<ReducedBefore>,
    /// The properties that the group has to preserve, while the search is pending.
    pending: Option<PreservedProperties>,
    /// The same properties, pending or not.
    pub(super) preserved: PreservedProperties,
    /// Steps of work of the check's search after which the next attempt is made.
    again_after: u64,
    /// Whether an option asks for a group, which is then used whether it pays or not.
    pub(super) demanded: bool,
    /// Cost and result of the search.
    pub(super) looked: Option<StructureLooked>,
}

impl StructureSearch {
    /// Creates the initial state; `looks` if a search is to be made.
    pub(super) fn new(preserved: PreservedProperties, looks: bool, demanded: bool) -> Self {
        Self {
            group: None,
            replaced: None,
            pending: looks.then_some(preserved),
            preserved,
            again_after: 0,
            demanded,
            looked: None,
        }
    }
}

/// The kind of states that orbits are sampled from.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sampled {
    /// One state of each orbit.
    Representatives,
    /// All states of each orbit, or one of each smaller orbit in it.
    Stored,
}

/// The estimated benefit of a group.
struct Worth {
    /// Whether to use it, and if not, why.
    came: StructureUse,
    /// Steps of work for a representative.
    work: f64,
}

impl Check {
    /// Searches for a structural group beyond exchanged copies, if this is pending, within `bounds`. If an option asks
    /// for a group, there has to be one; else a search that reaches its bounds stays pending.
    pub(super) fn look_for_structure(&mut self, bounds: LookBounds) -> Result<()> {
        let Some(apart) = self.structure.pending.take() else {
            return Ok(());
        };
        let merged = self.merge_wholly();
        let (machine, network) = (&mut self.machine, &mut self.network);
        let (begun, looking) = (Instant::now(), Looking::new(bounds));
        let found = find(
            machine,
            network,
            self.specification.as_mut(),
            apart,
            &looking,
        );
        let found = if self.structure.demanded {
            found
        } else {
            unless_limited(found)
        }?;
        let mut looked = self.looked_again(begun, &looking);
        let mut later = looking.is_over();
        if let (Some(merged), false) = (&merged, matches!(found, StructureFound::Group(_))) {
            self.network.replace_merged(merged.clone());
        }
        match found {
            StructureFound::Group(group) => {
                let group = chosen(group, self.reductions.keeping, self.assertion.span)?;
                self.reduce_by(group, merged);
                looked.came = StructureUse::Used;
            }
            StructureFound::NoMore { untied: true, .. } if bounds.may_tie_more() => {
                looked.came = StructureUse::Untied;
                later = true;
            }
            none if self.structure.demanded => {
                let why = none.why_none();
                return Err(Box::new(Diagnostic::error(
                    "E0516",
                    self.assertion.span,
                    why,
                )));
            }
            StructureFound::Limited => looked.came = StructureUse::Limited,
            StructureFound::TooLarge(_) => looked.came = StructureUse::TooLarge,
            StructureFound::NoMore { untied: true, .. } => looked.came = StructureUse::Untied,
            _ => {}
        }
        if later {
            self.structure.pending = Some(apart);
            self.structure.again_after =
                LookBounds::again_after(looked.work, self.permutes_values());
        }
        self.structure.looked = Some(looked);
        Ok(())
    }

    /// The cost of all searches for a group so far, the last of which has just ended.
    fn looked_again(&mut self, begun: Instant, looking: &Looking) -> StructureLooked {
        let before = self.structure.looked.take();
        StructureLooked {
            seconds: begun.elapsed().as_secs_f64() + before.map_or(0.0, |looked| looked.seconds),
            work: looking.done() + before.map_or(0, |looked| looked.work),
            searched: 0,
            states_before: 0,
            came: StructureUse::None,
        }
    }

    fn permutes_values(&self) -> bool {
        !self.machine.atoms().is_empty()
    }

    /// Merges all bisimilar local states, also those that permutations of values keep apart: a structural group needs
    /// no representative of a class that permutations of values preserve. Returns the former ones, if that makes a
    /// difference.
    fn merge_wholly(&mut self) -> Option<MergedStates> {
        let merged = self.network.first().merged();
        // Partial order reduction has tables of the former ones.
        let differs = merged.kept_apart > 0.0 && self.reductions.partial_order.is_none();
        let wholly = differs.then(|| merged.wholly())?;
        Some(self.network.replace_merged(wholly))
    }

    /// Reduces by a group, given the local states that were merged before if more of them are merged now.
    pub(super) fn reduce_by(&mut self, group: Box<StructuralGroup>, merged: Option<MergedStates>) {
        let by_structure = Reduction::by_structure(&mut self.machine, &self.network, &group);
        self.structure.replaced = Some(ReducedBefore {
            // Exchanged copies are part of the group.
            copies: self.network.give_up_copies(),
            reduction: self.reduction.replace(by_structure),
            merged,
        });
        self.structure.group = Some(group);
    }

    /// Explores states until the search for symmetry was made, which waits until it takes less time than the
    /// exploration.
    fn search_until_looked(
        &mut self,
        run: &mut OngoingSearch,
        control: &mut SearchControl<'_>,
    ) -> Result<()> {
        let order = self.reductions.partial_order();
        let each = match order.is_some_and(PartialOrder::skips_states) {
            true => WITH_SKIPPED,
            false => 1,
        };
        let (machine, network) = (&self.machine, &self.network);
        let before = match (self.structure.demanded, self.permutes_values()) {
            (true, _) => 0,
            (false, false) => states_before(machine, network) / each,
            // Few states of large orbits take as long as many of small ones.
            (false, true) => {
                let again = &mut self.structure.again_after;
                *again = (*again).max(work_before(machine, network));
                0
            }
        };
        self.go_on(run, control, before.min(self.states_in_memory()))?;
        let components = self.network.first().components().len();
        while !run.is_over() && self.structure.pending.is_some() && !self.has_simulated_violation()
        {
            let states = run.states();
            if states >= self.states_in_memory() {
                self.look_late(run, control, Some(LookBounds::BEFORE_LEAVING))?;
                self.structure.pending = None;
                break;
            }
            let is_time = run.work(components) >= self.structure.again_after;
            let rest = run.rest().filter(|_| !self.structure.demanded);
            if is_time && rest.is_none_or(|rest| rest > states as f64 * REST) {
                self.look_late(run, control, None)?;
            } else {
                // By one depth.
                self.go_on(run, control, states + 1)?;
            }
        }
        Ok(())
    }

    /// Runs the search of the check. An expensive search for symmetry is made only once the check has taken longer; a
    /// group is given up if it moves hardly any state.
    pub(super) fn searched(&mut self, control: &mut SearchControl<'_>) -> Result<Search> {
        let mut run = OngoingSearch::begin(&mut self.lazy_product())?;
        if self.is_answered() {
            return Ok(run.finish(&self.lazy_product(), control));
        }
        // What a short attempt without types has stored could take longer to reduce than the attempt.
        let is_short = self.attempt.patience.is_some() && !self.permutes_values();
        if self.structure.pending.is_some() && !is_short {
            self.search_until_looked(&mut run, control)?;
        } else if self.structure.group.is_some() && !self.structure.demanded {
            for states in TRIED {
                self.go_on(&mut run, control, states)?;
                if run.is_over() || self.has_simulated_violation() {
                    break;
                }
                let worth = self.worth(&run, Sampled::Representatives)?;
                let is_last = states == TRIED[TRIED.len() - 1];
                let has_cost = worth.work * run.representatives() as f64 > TRIED_WORK;
                let why = match worth.came {
                    StructureUse::Costly if has_cost || is_last => StructureUse::Costly,
                    StructureUse::Idle if is_last => StructureUse::Idle,
                    _ => continue,
                };
                self.give_up_structure(why);
                run = OngoingSearch::begin(&mut self.lazy_product())?;
                break;
            }
        }
        if self.structure.looked.map(|looked| looked.came) == Some(StructureUse::Limited) {
            // Freed memory may still count as memory of the process.
            let limits = control.limits.from_now();
            self.machine.eval.set_limits(&limits);
            let mut control = SearchControl {
                threads: control.threads,
                collapse_after: control.collapse_after,
                limits: &limits,
                cancel: control.cancel,
                progress: control.progress,
            };
            return self.finished(run, &mut control);
        }
        self.finished(run, control)
    }

    /// Whether the components alone rule out all violations asked for: divergence, deadlock or both.
    fn is_answered(&self) -> bool {
        let asks_deadlock = Demands {
            progress: true,
            ..Demands::default()
        };
        let (divergence, demands) = (self.assertion.divergence, self.assertion.demands);
        let deadlock = demands == asks_deadlock;
        let asks_more = self.specification.is_some() || !deadlock && demands != Demands::default();
        let order = self.reductions.partial_order();
        !asks_more
            && (divergence || deadlock)
            && order.is_some_and(|order| {
                (!divergence || order.ends_silence()) && (!deadlock || order.never_deadlocks())
            })
    }

    fn finished(
        &mut self,
        mut run: OngoingSearch,
        control: &mut SearchControl<'_>,
    ) -> Result<Search> {
        self.go_beyond_memory(&mut run, control)?;
        self.go_on(&mut run, control, usize::MAX)?;
        // A random run that ended in a violation has interrupted the search.
        let is_whole = !self.has_simulated_violation();
        let divergence = self.assertion.divergence && is_whole;
        let counts = self.assertion.count_full && is_whole;
        let mut lazy = self.lazy_product();
        let cycles = match divergence && may_diverge(&lazy) {
            true => control.limits.violations_max.max(1),
            false => 0,
        };
        match run.is_distributed() {
            true => run.leave_others(&mut lazy, control, (cycles, counts))?,
            false => run.leave_disk(&mut lazy, control, cycles)?,
        }
        Ok(run.finish(&self.lazy_product(), control))
    }

    /// Searches for structural symmetry late, and reduces the states stored so far; within `bounds`, or those that the
    /// search so far has earned.
    fn look_late(
        &mut self,
        run: &mut OngoingSearch,
        control: &mut SearchControl<'_>,
        bounds: Option<LookBounds>,
    ) -> Result<()> {
        let searched = run.work(self.network.first().components().len());
        self.look_for_structure(match (bounds, self.structure.demanded) {
            (_, true) => LookBounds::ON_DEMAND,
            (Some(bounds), false) => bounds,
            (None, false) => LookBounds::late(searched, self.permutes_values()),
        })?;
        if let Some(looked) = &mut self.structure.looked {
            looked.searched = searched;
            looked.states_before = run.states() as u64;
        }
        if self.structure.group.is_none() {
            return Ok(());
        }
        let came = self.worth(run, Sampled::Stored)?.came;
        if !self.structure.demanded && came != StructureUse::Used {
            self.give_up_structure(came);
            return Ok(());
        }
        // The proviso of partial order reduction relies on the order of expansion, which merging orbits would change;
        // and states skipped on the way to a state may not be on the way to its representative.
        let mut lazy = self.lazy_product();
        if lazy
            .partial_order
            .is_some_and(|order| order.has_proviso() || order.skips_states())
        {
            *run = OngoingSearch::begin(&mut lazy)?;
            return Ok(());
        }
        if run.reduce(&mut self.lazy_product(), control)?.is_some() {
            // An unreduced search takes as much time, but not both stores.
            self.give_up_structure(StructureUse::Limited);
        }
        Ok(())
    }

    /// Returns to the former reduction.
    pub(super) fn forget_structure(&mut self) {
        self.structure.group = None;
        if let Some(before) = self.structure.replaced.take() {
            self.return_to(before);
        }
    }

    /// Returns to the former reduction, and notes why.
    fn give_up_structure(&mut self, came: StructureUse) {
        self.forget_structure();
        if let Some(looked) = &mut self.structure.looked {
            looked.came = came;
        }
    }

    /// Reduces as before. Returns the present reduction.
    fn return_to(&mut self, before: ReducedBefore) -> ReducedBefore {
        let copies = self.network.give_up_copies();
        self.network.take_back_copies(before.copies);
        let merged = before
            .merged
            .map(|merged| self.network.replace_merged(merged));
        ReducedBefore {
            copies,
            reduction: std::mem::replace(&mut self.reduction, before.reduction),
            merged,
        }
    }

    /// Samples the orbits of the states reached under the reduction that the group replaced.
    fn orbits_before(&mut self, run: &OngoingSearch) -> Result<SomeOrbits> {
        let group = self.structure.group.take();
        let Some(before) = self.structure.replaced.take() else {
            return Ok(SomeOrbits::default());
        };
        let by_group = self.return_to(before);
        let found = some_orbits(&mut self.lazy_product(), run.store());
        self.structure.replaced = Some(self.return_to(by_group));
        self.structure.group = group;
        found
    }

    /// Estimates whether the group saves enough states for its representatives to pay.
    fn worth(&mut self, run: &OngoingSearch, sampled: Sampled) -> Result<Worth> {
        let orbits = some_orbits(&mut self.lazy_product(), run.store())?;
        let work = orbits.work;
        let is_reduced = |before: &ReducedBefore| before.reduction.is_some();
        let is_beside = self.structure.replaced.as_ref().is_some_and(is_reduced);
        let before = match is_beside {
            true => self.orbits_before(run)?,
            false => SomeOrbits {
                sizes: vec![Some(1.0); orbits.sizes.len()],
                order: 1.0,
                ..SomeOrbits::default()
            },
        };
        // The states that would be stored without the group, for each orbit: all of it, or one of each smaller orbit
        // in it.
        let shares = orbits.sizes.iter().zip(&before.sizes);
        let shares = shares.filter_map(|(size, smaller)| Some((*size)? / (*smaller)?));
        let count = shares.clone().count() as f64;
        let stored = match sampled {
            // If no orbit is known: no share is larger where the group contains the one before, since stabilisers grow.
            _ if count == 0.0 => orbits.order / before.order,
            Sampled::Representatives => shares.sum::<f64>() / count,
            // Of `n` stored states that are `share` in each orbit there are `n / share` orbits.
            Sampled::Stored => count / shares.map(|share| 1.0 / share).sum::<f64>(),
        };
        let step = search_work(1, 0, self.network.first().components().len()) as f64;
        // A transition with its representative without the group, and the rest of one with the group. Where only
        // copies are exchanged, a representative costs little.
        let (plain, without, most) = match is_beside && self.permutes_values() {
            true => {
                let represented = REPRESENTED + LEAF * before.leaves;
                let plain = TRANSITION * step;
                (plain, plain + represented * step, WORK_BESIDE)
            }
            false => (PLAIN * step, PLAIN * step, WORK),
        };
        let came = match () {
            () if stored <= WORTH => StructureUse::Idle,
            () if plain + work > most * stored * without => StructureUse::Costly,
            () => StructureUse::Used,
        };
        Ok(Worth { came, work })
    }
}
