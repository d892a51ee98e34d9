//! Whether and when symmetry is looked for in the structure of what is checked, and whether it is worth its price.

use std::time::Instant;

use num_bigint::BigUint;

use super::Check;
use crate::check::outcome::{StructureLooked, StructureUse};
use crate::check::reduction::Reduction;
use crate::check::represented::{Counted, count};
use crate::check::search::{End, Search, SearchControl, Stop, search};
use crate::check::structural::{LookBounds, StructureFound, chosen, find, states_before};
use crate::source::diagnostic::Result;
use crate::source::{Diagnostic, Limits};

/// States that are searched to see what a group is worth.
const TRIED: usize = 5_000;
/// A group is worth its price if these stand for more than five states for every four.
const WORTH: (usize, usize) = (5, 4);

impl Check {
    /// Looks for a group in the structure of both sides that does more than exchanging copies, if that is
    /// still to be done; somebody may want that there is one.
    pub(super) fn look_for_structure(&mut self) -> Result<()> {
        let Some(apart) = self.unlooked.take() else {
            return Ok(());
        };
        let (machine, network) = (&mut self.machine, &mut self.network);
        let begun = Instant::now();
        // Who demands it, waits.
        let bounds = match self.demanded {
            true => LookBounds::ON_DEMAND,
            false => LookBounds::BY_ITSELF,
        };
        let found = find(machine, network, self.specification.as_mut(), apart, bounds)?;
        let mut looked = StructureLooked {
            seconds: begun.elapsed().as_secs_f64(),
            states_before: 0,
            came: StructureUse::None,
        };
        match found {
            StructureFound::Group(group) => {
                let group = chosen(group, self.keeping, self.span)?;
                // Exchanging copies is a part of it.
                network.give_up_copies();
                self.reduction = Some(Reduction::by_structure(machine, network, &group));
                self.structure = Some(group);
                looked.came = StructureUse::Used;
            }
            none if self.demanded => {
                let why = none.why_none();
                return Err(Box::new(Diagnostic::error("E0516", self.span, why)));
            }
            _ => {}
        }
        self.looked = Some(looked);
        Ok(())
    }

    /// Searches. Where looking for symmetry in the structure takes long, it is done only once the search has
    /// shown that it takes longer, and then the search begins anew; and a group that was found is given up again
    /// if it hardly moves any state.
    pub(super) fn searched(&mut self, control: &mut SearchControl<'_>) -> Result<Search> {
        let before = states_before(&self.machine, &self.network);
        if self.unlooked.is_some() && before < control.limits.states_max {
            let threads = control.threads;
            let found = self.search_some(before, threads, control)?;
            if found.end != End::Stopped(Stop::States) {
                return Ok(found);
            }
            let states_before = found.figures.states as u64;
            drop(found);
            self.look_for_structure()?;
            if let Some(looked) = &mut self.looked {
                looked.states_before = states_before;
            }
        }
        if self.structure.is_some() && !self.demanded && TRIED < control.limits.states_max {
            // With one thread: which states are met first is not to depend on how many there are.
            let found = self.search_some(TRIED, 1, control)?;
            if found.end != End::Stopped(Stop::States) {
                return Ok(found);
            }
            if !self.is_worth_it(&found, control)? {
                self.structure = None;
                self.reduction = None;
                if let Some(looked) = &mut self.looked {
                    looked.came = StructureUse::Idle;
                }
            }
        }
        search(&mut self.sides(), control)
    }

    /// Searches so many states at most.
    fn search_some(
        &mut self,
        states_max: usize,
        threads: usize,
        control: &mut SearchControl<'_>,
    ) -> Result<Search> {
        let limits = Limits {
            states_max,
            ..control.limits.clone()
        };
        let mut few = SearchControl {
            threads,
            limits: &limits,
            cancel: control.cancel,
            progress: control.progress,
        };
        search(&mut self.sides(), &mut few)
    }

    /// Whether the states that were met stand for many more.
    fn is_worth_it(&mut self, found: &Search, control: &SearchControl<'_>) -> Result<bool> {
        let kept = BigUint::from(found.figures.states);
        Ok(match count(&mut self.sides(), &found.store, control)? {
            Counted::Exactly(all) => all.states * WORTH.1 > kept * WORTH.0,
            Counted::Unknown | Counted::Stopped(_) => true,
        })
    }
}
