//! Whether and when symmetry is looked for in the structure of what is checked, and whether it is worth its price.

use std::time::Instant;

use super::Check;
use crate::check::look_bounds::{LookBounds, Looking};
use crate::check::outcome::{StructureLooked, StructureUse};
use crate::check::reduction::Reduction;
use crate::check::structural::{
    KeptApart, StructureFound, chosen, find, states_before, unless_limited,
};
use crate::machine::copies::Copies;
use crate::reductions::partial_order::PartialOrder;
use crate::search::breadth_first::{OngoingSearch, Search, SearchControl};
use crate::search::figures::search_work;
use crate::search::product::Demands;
use crate::search::represented::{SomeOrbits, some_orbits};
use crate::source::Diagnostic;
use crate::source::diagnostic::Result;
use crate::symmetry::structural::StructuralGroup;

/// States that are searched to see what a group is worth: how long it takes to reduce by it shows in the first ones,
/// and how much it saves in all of them.
const TRIED: [usize; 4] = [2, 32, 500, 5_000];
/// A group is worth its price if one state stands for more than so many.
const WORTH: f64 = 1.25;
/// And if a search with it takes no more than so many times the work of one without it.
const WORK: f64 = 1.5;
/// What a transition really takes, for each step of work that is counted at the least.
const PLAIN: f64 = 4.0;
/// Steps of work that a group may cost until it has to be worth it.
const TRIED_WORK: f64 = 10_000_000.0;

/// States that count for one where a search passes states without storing them.
const WITH_PASSED: usize = 64;

/// It is not looked for late if what is likely to come is no more than this part of the states so far.
const REST: f64 = 0.5;

/// What a check was reduced by before a group was found in the structure.
struct ReducedBefore {
    copies: Vec<Copies>,
    reduction: Option<Reduction>,
}

/// The search for a group in the structure of what is checked.
pub(super) struct StructureSearch {
    /// The group that was found, if the check is reduced by it.
    pub(super) group: Option<Box<StructuralGroup>>,
    /// What the check was reduced by before.
    replaced: Option<ReducedBefore>,
    /// What a group has to keep, while one is still to be looked for.
    pending: Option<KeptApart>,
    /// The same, whether it is still to be looked for or not.
    pub(super) watched: KeptApart,
    /// Steps of work of the search after which it is looked for again.
    again_after: u64,
    /// Whether it was asked for by name, so that it is used whether it pays or not.
    pub(super) demanded: bool,
    /// How much work looking for it took, and what came of it.
    pub(super) looked: Option<StructureLooked>,
}

impl StructureSearch {
    /// Before anything was looked for; `looks` if that is to be done.
    pub(super) fn new(watched: KeptApart, looks: bool, demanded: bool) -> Self {
        Self {
            group: None,
            replaced: None,
            pending: looks.then_some(watched),
            watched,
            again_after: 0,
            demanded,
            looked: None,
        }
    }
}

/// What states are that a sample of orbits is taken from.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sampled {
    /// One of each orbit.
    Representatives,
    /// All of each orbit.
    Raw,
}

/// What a group is worth.
struct Worth {
    /// Whether it is to be used, and if not, why.
    came: StructureUse,
    /// Steps of work that it takes to find a representative.
    work: f64,
}

impl Check {
    /// Looks for a group in the structure of both sides that does more than exchanging copies, if that is
    /// still to be done; somebody may want that there is one. What takes longer than it may is left for later.
    pub(super) fn look_for_structure(&mut self, bounds: LookBounds) -> Result<()> {
        let Some(apart) = self.structure.pending.take() else {
            return Ok(());
        };
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
        let before = self.structure.looked.take();
        let mut looked = StructureLooked {
            seconds: begun.elapsed().as_secs_f64() + before.map_or(0.0, |looked| looked.seconds),
            work: looking.done() + before.map_or(0, |looked| looked.work),
            searched: 0,
            states_before: 0,
            came: StructureUse::None,
        };
        let mut later = looking.is_over();
        match found {
            StructureFound::Group(group) => {
                let group = chosen(group, self.reductions.keeping, self.assertion.span)?;
                self.reduce_by(group);
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
            self.structure.again_after = LookBounds::again_after(looked.work);
        }
        self.structure.looked = Some(looked);
        Ok(())
    }

    fn reduce_by(&mut self, group: Box<StructuralGroup>) {
        let by_structure = Reduction::by_structure(&mut self.machine, &self.network, &group);
        self.structure.replaced = Some(ReducedBefore {
            // Exchanging copies is a part of it.
            copies: self.network.give_up_copies(),
            reduction: self.reduction.replace(by_structure),
        });
        self.structure.group = Some(group);
    }

    /// Searches until symmetry was looked for in the structure, once that takes less than the search.
    fn search_until_looked(
        &mut self,
        run: &mut OngoingSearch,
        control: &mut SearchControl<'_>,
    ) -> Result<()> {
        let order = self.reductions.partial_order();
        let each = match order.is_some_and(PartialOrder::passes) {
            true => WITH_PASSED,
            false => 1,
        };
        let before = match self.structure.demanded {
            true => 0,
            false => states_before(&self.machine, &self.network) / each,
        };
        self.go_on(run, control, before)?;
        let components = self.network.first().components().len();
        while !run.is_over() && self.structure.pending.is_some() && !self.has_dived() {
            let states = run.store().len();
            let is_time = run.work(components) >= self.structure.again_after;
            let rest = run.rest().filter(|_| !self.structure.demanded);
            if is_time && rest.is_none_or(|rest| rest > states as f64 * REST) {
                self.look_late(run, control)?;
            } else {
                // By a depth.
                self.go_on(run, control, states + 1)?;
            }
        }
        Ok(())
    }

    /// Searches. Where looking for symmetry in the structure takes long, it is done only once the search has
    /// shown that it takes longer; and a group that was found is given up again if it hardly moves any state.
    pub(super) fn searched(&mut self, control: &mut SearchControl<'_>) -> Result<Search> {
        let mut run = OngoingSearch::begin(&mut self.sides())?;
        if self.is_answered() {
            return Ok(run.finish(&self.sides(), control));
        }
        if self.structure.pending.is_some() {
            self.search_until_looked(&mut run, control)?;
        } else if self.structure.group.is_some() && !self.structure.demanded {
            for states in TRIED {
                self.go_on(&mut run, control, states)?;
                if run.is_over() || self.has_dived() {
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
                run = OngoingSearch::begin(&mut self.sides())?;
                break;
            }
        }
        if self.structure.looked.map(|looked| looked.came) == Some(StructureUse::Limited) {
            // What was given back may still count as memory of the process.
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

    /// Whether the components alone rule out all that is asked about: divergence, deadlock or both.
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
        self.go_on(&mut run, control, usize::MAX)?;
        Ok(run.finish(&self.sides(), control))
    }

    /// Looks for symmetry in the structure, and reduces what was searched by then.
    fn look_late(
        &mut self,
        run: &mut OngoingSearch,
        control: &mut SearchControl<'_>,
    ) -> Result<()> {
        let searched = run.work(self.network.first().components().len());
        self.look_for_structure(match self.structure.demanded {
            true => LookBounds::ON_DEMAND,
            false => LookBounds::late(searched),
        })?;
        if let Some(looked) = &mut self.structure.looked {
            looked.searched = searched;
            looked.states_before = run.store().len() as u64;
        }
        if self.structure.group.is_none() {
            return Ok(());
        }
        let came = self.worth(run, Sampled::Raw)?.came;
        if !self.structure.demanded && came != StructureUse::Used {
            self.give_up_structure(came);
            return Ok(());
        }
        // Its proviso rests on the order in which states are expanded, which putting orbits together would change; and
        // what was passed on the way to a state may not be on the way to its representative.
        let mut sides = self.sides();
        if sides
            .partial_order
            .is_some_and(|order| order.has_proviso() || order.passes())
        {
            *run = OngoingSearch::begin(&mut sides)?;
            return Ok(());
        }
        if run.reduce(&mut self.sides(), control)?.is_some() {
            // A search without reduction takes as much time, but not both stores.
            self.give_up_structure(StructureUse::Limited);
        }
        Ok(())
    }

    /// Goes back to what the check was reduced by before; for what came of looking.
    fn give_up_structure(&mut self, came: StructureUse) {
        self.structure.group = None;
        if let Some(before) = self.structure.replaced.take() {
            self.network.take_back_copies(before.copies);
            self.reduction = before.reduction;
        }
        if let Some(looked) = &mut self.structure.looked {
            looked.came = came;
        }
    }

    /// What a group is worth: whether the orbits of the states that were met are so large that it pays to keep one of
    /// each alone, and to find it.
    fn worth(&mut self, run: &OngoingSearch, sampled: Sampled) -> Result<Worth> {
        let SomeOrbits { sizes, work } = some_orbits(&mut self.sides(), run.store())?;
        let count = sizes.len() as f64;
        let mean = match sampled {
            Sampled::Representatives => sizes.iter().sum::<f64>() / count,
            // Of `n` states in orbits of this size there are `n / size` orbits.
            Sampled::Raw => count / sizes.iter().map(|size| 1.0 / size).sum::<f64>(),
        };
        // A transition takes so much at least; with the group one of each orbit, and its representative.
        let plain = PLAIN * search_work(1, 0, self.network.first().components().len()) as f64;
        let came = match () {
            // The sizes of orbits are unknown: the group is used.
            () if sizes.is_empty() => StructureUse::Used,
            () if mean <= WORTH => StructureUse::Idle,
            () if plain + work > WORK * mean * plain => StructureUse::Costly,
            () => StructureUse::Used,
        };
        Ok(Worth { came, work })
    }
}
