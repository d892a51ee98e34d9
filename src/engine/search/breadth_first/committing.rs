//! Commits of a search on disk, and going on from the last one.
//!
//! A commit is made before a round: then the states that were met are settled, and no table is being filled. The
//! manifest, which is renamed into its place, alone says what counts. A search that goes on repeats its first states,
//! which are few, in memory: so the tables are filled as they were. After that, states that needed the evaluator were
//! noted, and are expanded again in the same order.

use std::sync::Arc;
use std::time::Instant;

use serde::{Deserialize, Serialize};

use super::{LazyProduct, OngoingSearch, ViolatingState};
use crate::machine::FormatId;
use crate::machine::digests::MachineDigests;
use crate::reductions::partial_order::Looks;
use crate::search::disk_frontier::{DiskFrontier, FrontierMark};
use crate::search::disk_store::{DiskBudget, DiskStore, StoreMark};
use crate::search::expansion::IsFresh;
use crate::search::figures::StepCounts;
use crate::search::misses::{Misses, MissesMark};
use crate::search::on_disk::{
    BegunMark, Commits, OnDisk, SearchFolder, TableSizes, failed, or_stop,
};
use crate::search::product::{ProductScratch, ProductState};
use crate::source::diagnostic::Result;
use crate::source::{Diagnostic, Stop};
use crate::spill::{Space, SpillError, checksum, manifest};

/// What is known of a search that was interrupted.
#[derive(Serialize, Deserialize)]
pub struct Manifest {
    /// How it was asked for, in the words of who did.
    pub asked: String,
    /// The last commit, if there was one.
    pub search: Option<SearchMark>,
}

/// A commit.
#[derive(Serialize, Deserialize)]
pub struct SearchMark {
    /// The search when it went to disk.
    begun: BegunMark,
    tables: TablesMark,
    store: StoreMark,
    misses: MissesMark,
    frontier: FrontierMark,
    ply: usize,
    steps: StepCounts,
    violations: Vec<ViolatingState>,
    widths: Vec<usize>,
    sleeps: bool,
    looks: Looks,
}

/// The tables of a search: equal ones number everything alike.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct TablesMark {
    sizes: TableSizes,
    /// Digests of the components of some states.
    sample: Vec<String>,
}

/// Something that does not fit the files of a search.
fn mismatch(space: &Space, what: &str) -> Box<Diagnostic> {
    let folder = space.folder().display();
    let text = format!("the search in {folder} cannot go on: {what}");
    Box::new(Diagnostic::nowhere("E0712", text))
}

impl OngoingSearch {
    /// The search as it goes to disk.
    pub(super) fn begun(&self, lazy: &LazyProduct<'_>) -> BegunMark {
        let states = self.depth.frontier.iter();
        BegunMark {
            states: self.store.len(),
            transitions: self.figures.steps.transitions,
            frontier: states.fold(0, |sum, id| checksum(&[sum], &self.store.pair(*id))),
            sleeping: lazy.sleeping().is_some(),
        }
    }

    /// Commits a search whose states are on disk.
    pub(super) fn commit(
        &mut self,
        lazy: &mut LazyProduct<'_>,
        threads: usize,
    ) -> Result<Option<Stop>> {
        if let Some(stop) = self.settle(threads)? {
            return Ok(Some(stop));
        }
        let Some(disk) = &mut self.disk else {
            return Ok(None);
        };
        let tables = TablesMark {
            sizes: disk.tables,
            sample: sample(lazy, &disk.store).map_err(|error| failed(&error))?,
        };
        let widths = self.depth.widths.split_last().map_or(&[][..], |all| all.1);
        let mark = |disk: &mut OnDisk| {
            Ok(SearchMark {
                begun: disk.commits.begun,
                tables,
                store: disk.store.commit()?,
                misses: disk.misses.commit()?,
                frontier: disk.frontier.commit()?,
                ply: self.figures.ply,
                steps: self.figures.steps,
                violations: self.violations.clone(),
                widths: widths.to_vec(),
                sleeps: self.savings.sleeps,
                looks: self.savings.looks,
            })
        };
        let written = mark(disk).and_then(|search| {
            let manifest = Manifest {
                asked: disk.commits.folder.asked.clone(),
                search: Some(search),
            };
            manifest::write(&disk.commits.folder.space, &manifest)?;
            disk.store.sweep()
        });
        disk.commits.last = Some(Instant::now());
        or_stop(written).map(std::result::Result::err)
    }

    /// Goes on from the last commit in this folder. Returns whether there was one: of a search that used sleep sets as
    /// this one does.
    ///
    /// # Errors
    /// Files that are damaged, or of another search.
    pub fn take_up(
        &mut self,
        lazy: &mut LazyProduct<'_>,
        folder: &SearchFolder,
        budget: DiskBudget,
    ) -> Result<bool> {
        let space = &folder.space;
        let manifest: Option<Manifest> = manifest::read(space).map_err(|error| failed(&error))?;
        let Some(mark) = manifest.and_then(|manifest| manifest.search) else {
            return Ok(false);
        };
        let begun = self.begun(lazy);
        if mark.begun.sleeping != begun.sleeping {
            return Ok(false);
        }
        if mark.begun != begun {
            return Err(mismatch(
                space,
                "this script or these options come to other states",
            ));
        }
        let (store, frontier, mut misses) =
            reopen(space, &mark, budget).map_err(|error| failed(&error))?;
        replay(lazy, &mut misses)?;
        let tables = TablesMark {
            sizes: sizes(lazy),
            sample: sample(lazy, &store).map_err(|error| failed(&error))?,
        };
        if tables != mark.tables {
            return Err(mismatch(space, "its states come out with other numbers"));
        }
        self.depth.widths = mark.widths;
        self.figures.ply = mark.ply;
        self.figures.steps = mark.steps;
        self.violations = mark.violations;
        self.savings.sleeps = mark.sleeps;
        self.savings.looks = mark.looks;
        let commits = Commits {
            last: Some(Instant::now()),
            ..Commits::new(folder, mark.begun)
        };
        let layout = lazy.product().layout();
        self.go_on_from((store, frontier, misses), commits, layout);
        Ok(true)
    }
}

/// The sizes of the tables.
pub(super) fn sizes(lazy: &LazyProduct<'_>) -> TableSizes {
    TableSizes {
        local_states: lazy.machine.locals().len(),
        formats: lazy.network.formats().len(),
        nodes: lazy.specification.as_ref().map(|s| s.made()),
    }
}

/// Nodes of the last states of all shards, and digests of their components.
fn sample(
    lazy: &mut LazyProduct<'_>,
    store: &DiskStore,
) -> std::result::Result<Vec<String>, SpillError> {
    let (mut known, mut state) = (MachineDigests::default(), ProductState::default());
    let each = store.last_states();
    each.map(|id| {
        lazy.product().unpack(&store.bytes(id)?, &mut state);
        let place = (&*lazy.network, FormatId(state.format));
        let digest = lazy.machine.digest_state(place, &state.locals, &mut known);
        Ok(format!("{} {digest:?}", state.node))
    })
    .collect()
}

/// Opens the files of a commit.
fn reopen(
    space: &Arc<Space>,
    mark: &SearchMark,
    budget: DiskBudget,
) -> std::result::Result<(DiskStore, DiskFrontier, Misses), SpillError> {
    Ok((
        DiskStore::reopen(space, &mark.store, budget)?,
        DiskFrontier::reopen(space, &mark.frontier)?,
        Misses::reopen(space, &mark.misses)?,
    ))
}

/// Expands the states that were noted again: so the tables are filled as they were.
fn replay(lazy: &mut LazyProduct<'_>, misses: &mut Misses) -> Result<()> {
    let mut scratch = ProductScratch::default();
    // Not called: partial order reduction that asks is not used on disk.
    let is_fresh = |_: &[u8]| false;
    misses.replay(|bytes, (sleep, looks)| {
        let expanded = lazy.complete(|product| {
            let is_fresh = looks.then_some(&is_fresh as IsFresh<'_>);
            product.expand_for_search((bytes, sleep), &mut scratch, is_fresh, |_, _| Ok(()))
        });
        expanded.map(|_| ())
    })
}
