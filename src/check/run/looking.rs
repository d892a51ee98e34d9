//! Whether and when symmetry is looked for in the structure of what is checked, and whether it is worth its price.

use std::time::Instant;

use super::Check;
use crate::check::outcome::{StructureLooked, StructureUse};
use crate::check::partial_order::PartialOrder;
use crate::check::product::Demands;
use crate::check::reduction::Reduction;
use crate::check::represented::some_orbits;
use crate::check::search::{OngoingSearch, Search, SearchControl};
use crate::check::structural::{
    LookBounds, StructureFound, chosen, find, states_before, unless_limited,
};
use crate::machine::copies::Copies;
use crate::source::Diagnostic;
use crate::source::diagnostic::Result;

/// States that are searched to see what a group is worth.
const TRIED: usize = 5_000;
/// A group is worth its price if one state stands for more than so many.
const WORTH: f64 = 1.25;

/// States that count for one where a search passes states without storing them.
const WITH_PASSED: usize = 64;

/// It is not looked for late if what is likely to come is no more than this part of the states so far.
const REST: f64 = 0.5;

/// What a check was reduced by before a group was found in the structure.
pub(super) struct ReducedBefore {
    copies: Vec<Copies>,
    reduction: Option<Reduction>,
}

/// What states are that a sample of orbits is taken from.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sampled {
    /// One of each orbit.
    Representatives,
    /// All of each orbit.
    Raw,
}

impl Check {
    /// Looks for a group in the structure of both sides that does more than exchanging copies, if that is
    /// still to be done; somebody may want that there is one.
    pub(super) fn look_for_structure(&mut self, by_itself: LookBounds) -> Result<()> {
        let Some(apart) = self.unlooked.take() else {
            return Ok(());
        };
        let (machine, network) = (&mut self.machine, &mut self.network);
        let begun = Instant::now();
        // Who demands it, waits.
        let bounds = match self.demanded {
            true => LookBounds::ON_DEMAND,
            false => by_itself,
        };
        let found = find(machine, network, self.specification.as_mut(), apart, bounds);
        let found = match self.demanded {
            true => found,
            false => unless_limited(found),
        }?;
        let mut looked = StructureLooked {
            seconds: begun.elapsed().as_secs_f64(),
            states_before: 0,
            came: StructureUse::None,
        };
        match found {
            StructureFound::Group(group) => {
                let group = chosen(group, self.keeping, self.span)?;
                let by_structure = Reduction::by_structure(machine, network, &group);
                self.before = Some(ReducedBefore {
                    // Exchanging copies is a part of it.
                    copies: network.give_up_copies(),
                    reduction: self.reduction.replace(by_structure),
                });
                self.structure = Some(group);
                looked.came = StructureUse::Used;
            }
            none if self.demanded => {
                let why = none.why_none();
                return Err(Box::new(Diagnostic::error("E0516", self.span, why)));
            }
            StructureFound::Limited => looked.came = StructureUse::Limited,
            StructureFound::NoMore | StructureFound::Unknown(_) => {}
        }
        self.looked = Some(looked);
        Ok(())
    }

    /// Searches. Where looking for symmetry in the structure takes long, it is done only once the search has
    /// shown that it takes longer; and a group that was found is given up again if it hardly moves any state.
    pub(super) fn searched(&mut self, control: &mut SearchControl<'_>) -> Result<Search> {
        let mut run = OngoingSearch::begin(&mut self.sides())?;
        if self.is_answered() {
            return Ok(run.finish(&self.sides(), control));
        }
        if self.unlooked.is_some() {
            let passes = self.sides().partial_order.is_some_and(PartialOrder::passes);
            let each = if passes { WITH_PASSED } else { 1 };
            let before = states_before(&self.machine, &self.network) / each;
            self.go_on(&mut run, control, before)?;
            while !run.is_over() && self.unlooked.is_some() && !self.has_dived() {
                let states = run.store().len();
                if run.rest().is_none_or(|rest| rest > states as f64 * REST) {
                    self.look_late(&mut run, control)?;
                } else {
                    // By a depth.
                    self.go_on(&mut run, control, states + 1)?;
                }
            }
        } else if self.structure.is_some() && !self.demanded {
            self.go_on(&mut run, control, TRIED)?;
            if !run.is_over()
                && !self.has_dived()
                && !self.is_worth_it(&run, Sampled::Representatives)?
            {
                self.give_up_structure();
                run = OngoingSearch::begin(&mut self.sides())?;
            }
        }
        if self.looked.map(|looked| looked.came) == Some(StructureUse::Limited) {
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
    fn is_answered(&mut self) -> bool {
        let asks_deadlock = Demands {
            progress: true,
            ..Demands::default()
        };
        let (divergence, demands) = (self.divergence, self.demands);
        let deadlock = demands == asks_deadlock;
        let asks_more = self.specification.is_some() || !deadlock && demands != Demands::default();
        let order = self.sides().partial_order;
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
        self.look_for_structure(LookBounds::LATE)?;
        if let Some(looked) = &mut self.looked {
            looked.states_before = run.store().len() as u64;
        }
        if self.structure.is_none() {
            return Ok(());
        }
        if !self.is_worth_it(run, Sampled::Raw)? {
            self.give_up_structure();
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
            self.give_up_structure();
            if let Some(looked) = &mut self.looked {
                looked.came = StructureUse::Limited;
            }
        }
        Ok(())
    }

    /// Goes back to what the check was reduced by before.
    fn give_up_structure(&mut self) {
        self.structure = None;
        if let Some(before) = self.before.take() {
            self.network.take_back_copies(before.copies);
            self.reduction = before.reduction;
        }
        if let Some(looked) = &mut self.looked {
            looked.came = StructureUse::Idle;
        }
    }

    /// Whether the orbits of the states that were met are so large that it pays to keep one of each alone.
    fn is_worth_it(&mut self, run: &OngoingSearch, sampled: Sampled) -> Result<bool> {
        let orbits = some_orbits(&mut self.sides(), run.store())?;
        let count = orbits.len() as f64;
        let mean = match sampled {
            Sampled::Representatives => orbits.iter().sum::<f64>() / count,
            // Of `n` states in orbits of this size there are `n / size` orbits.
            Sampled::Raw => count / orbits.iter().map(|size| 1.0 / size).sum::<f64>(),
        };
        // It is worth while where nobody can tell, too.
        Ok(orbits.is_empty() || mean > WORTH)
    }
}
