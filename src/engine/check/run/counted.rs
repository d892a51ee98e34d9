//! Statistics of a check that has ended: its reduction, and the sizes of its systems.

use super::Check;
use crate::check::conclude::Conclusion;
use crate::check::look_bounds::{LookBounds, Looking};
use crate::check::outcome::{CheckVerdict, Outcome, RuledOut, Statistics, UnmergedStates};
use crate::check::reduction::Reduction;
use crate::check::structural::{StructureFound, find};
use crate::eval::Growing;
use crate::machine::bisimilar::MergedStates;
use crate::reductions::table::ReductionKind;
use crate::search::breadth_first::{End, OngoingSearch, Search, SearchControl};
use crate::search::keeping::KeepingKind;
use crate::search::represented::{Counted, count_distinct};
use crate::source::diagnostic::Result;
use crate::source::{Limits, Stop};
use crate::specification::Specification;

/// States counted without merging, at most: some milliseconds.
const COUNTED_MAX: usize = 1_000;
/// Steps of work for that count, at most: some milliseconds.
const COUNTING_MAX: u64 = 1 << 17;
/// The same where a structural group permutes components, divided by their number.
const COUNTING_BY_STRUCTURE: u64 = 1 << 20;
/// Steps of work of a search for a structural group up to which it is repeated for the count: some milliseconds.
const LOOKED_MAX: u64 = 1_000_000;

impl Check {
    /// The reduction of a complete search, without types whose values never occurred.
    pub(super) fn reduction_used(&mut self) -> Option<Reduction> {
        let used = self.reduction.as_ref()?;
        if used.structure.is_some() || used.types.is_empty() {
            return Some(used.clone());
        }
        let compared = self.specification.as_ref().map(Specification::network);
        Reduction::met(
            &mut self.machine,
            &self.network,
            compared,
            self.reductions.keeping,
        )
    }

    /// Counts the states without merging of local states, if the merged search was complete and the count is possible;
    /// the verdict does not depend on it.
    pub(super) fn unmerged_states(
        &mut self,
        outcome: &Outcome,
        control: &SearchControl<'_>,
    ) -> Option<UnmergedStates> {
        let figures = &outcome.statistics.figures;
        let all_found = outcome.missing.is_empty()
            && outcome.counterexamples.is_empty()
            && !matches!(outcome.verdict, CheckVerdict::Stopped(_));
        // Other searches store something else.
        let is_plain = self.assertion.trace.is_none()
            && self.reductions.partial_order().is_none()
            && self.reductions.keeping == KeepingKind::default();
        let is_merged = outcome.statistics.merged > 0;
        let most = COUNTED_MAX.min(control.limits.states_max);
        if !(all_found && is_plain && is_merged) || figures.states >= most {
            return None;
        }
        let limits = Limits {
            states_max: most,
            ..control.limits.clone()
        };
        let mut control = SearchControl {
            limits: &limits,
            threads: control.threads,
            collapse_after: control.collapse_after,
            cancel: control.cancel,
            progress: &mut |_| {},
        };
        let merged = self.network.replace_merged(MergedStates::default());
        let searched = self.searched_unmerged(&mut control);
        self.network.replace_merged(merged);
        let run = searched.ok()??;
        match run.end() {
            End::Exhausted => Some(UnmergedStates::Exactly(run.states())),
            // But not because of its work.
            End::Stopped(Stop::States) if !run.is_overworked() => {
                Some(UnmergedStates::MoreThan(most))
            }
            End::Violated | End::Stopped(_) => None,
        }
    }

    /// Searches without merging of local states. A structural group is searched for anew, since that of the merged
    /// network need not be one of this network.
    fn searched_unmerged(
        &mut self,
        control: &mut SearchControl<'_>,
    ) -> Result<Option<OngoingSearch>> {
        let Some(group) = self.structure.group.take() else {
            return self.searched_through(control).map(Some);
        };
        let is_soon_found = self
            .structure
            .looked
            .is_some_and(|looked| looked.work <= LOOKED_MAX);
        let looking = Looking::new(LookBounds::BY_ITSELF);
        let (machine, network) = (&mut self.machine, &self.network);
        let found = match is_soon_found {
            true => find(
                machine,
                network,
                self.specification.as_mut(),
                self.structure.preserved,
                &looking,
            ),
            false => Ok(StructureFound::Limited),
        };
        let run = match found {
            Ok(StructureFound::Group(unmerged)) => {
                self.structure.group = Some(unmerged);
                self.searched_through(control).map(Some)
            }
            Ok(_) => Ok(None),
            Err(error) => Err(error),
        };
        self.structure.group = Some(group);
        run
    }

    fn searched_through(&mut self, control: &mut SearchControl<'_>) -> Result<OngoingSearch> {
        let mut run = OngoingSearch::begin(&mut self.lazy_product())?;
        // A representative under a structural group takes longer the more components there are.
        let components = self.network.first().components().len() as u64;
        run.bound_work(match &self.structure.group {
            Some(_) => COUNTING_BY_STRUCTURE / components.max(1),
            None => COUNTING_MAX,
        });
        run.go_on(&mut self.lazy_product(), control, usize::MAX)?;
        Ok(run)
    }

    /// Counts the represented states by a structural group, where the strategy does not know the sizes of orbits: beside
    /// a node of the specification that holds sets of values. The group has to permute nodes, and to contain the
    /// permutations that the search was reduced by.
    pub(super) fn count_by_structure(
        &mut self,
        search: &Search,
        conclusion: &mut Conclusion,
        control: &SearchControl<'_>,
    ) -> Result<()> {
        let is_reduced = self.reduction.is_some() && self.structure.group.is_none();
        // Where processes have shared the search, each has only a part of the states.
        let has_all = search.counted.is_none();
        if !is_reduced || !has_all || self.machine.kept_together() {
            return Ok(());
        }
        let looking = Looking::new(LookBounds::IN_USE_TOO);
        let found = find(
            &mut self.machine,
            &self.network,
            self.specification.as_mut(),
            self.structure.preserved,
            &looking,
        );
        let group = match found {
            Ok(StructureFound::Group(group)) => group,
            Ok(_) => return Ok(()),
            // There is a verdict, which no limit takes back.
            Err(error) => {
                let stop = error.stop().ok_or(error)?;
                conclusion.add_represented(Counted::Stopped(stop));
                return Ok(());
            }
        };
        self.reduce_by(group, None);
        let counted = count_distinct(&mut self.lazy_product(), search, control);
        self.forget_structure();
        conclusion.add_represented(counted?);
        Ok(())
    }

    /// The parameters that grew when a limit ended the search.
    pub(super) fn growing(&self, verdict: CheckVerdict) -> Vec<Growing> {
        match verdict {
            CheckVerdict::Stopped(_) => self.machine.growing(),
            _ => Vec::new(),
        }
    }

    /// Sizes of the compiled systems.
    pub(super) fn sizes(&self) -> Statistics {
        let formats = self.network.formats();
        Statistics {
            evaluated: self.machine.evaluated(),
            local_states: self.machine.locals().len(),
            merged: formats.first().map_or(0, |f| f.merged().count),
            merging_bound: formats.first().and_then(|f| f.merged().bound),
            nodes: self.specification.as_ref().map(Specification::len),
            holds_sets: self
                .specification
                .as_ref()
                .is_some_and(|s| !s.all_ordered()),
            normal: self
                .specification
                .as_ref()
                .is_some_and(Specification::is_normal),
            components: formats.first().map_or(0, |f| f.components().len()),
            rules: formats.iter().map(|f| f.rules().list().len()).sum(),
            formats: formats.len(),
            kept_together: self.machine.kept_together(),
            state_symmetry: self.reductions.used.contains(ReductionKind::StateSymmetry)
                && self.reduction.is_some(),
            opened: self.machine.opened(),
            partial_order: self.reductions.partial_order.as_ref().map(|found| {
                let ruled_out = found.as_ref().map(|order| RuledOut {
                    divergence: order.ends_silence(),
                    deadlock: order.never_deadlocks(),
                });
                ruled_out.map_err(|why| *why)
            }),
            instead: match &self.structure.group {
                Some(group) => group.kind().instead(),
                None => self.reductions.keeping.instead(),
            },
            structure_looked: self.structure.looked,
            simulation: self.attempt.simulation.made(),
            specification_merged: self.compression.merged,
            ..Statistics::default()
        }
    }
}
