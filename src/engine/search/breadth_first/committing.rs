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
use crate::reductions::sleep::SleepSets;
use crate::search::disk_store::{DiskBudget, DiskStore, StoreMark};
use crate::search::figures::StepCounts;
use crate::search::misses::{Misses, MissesMark};
use crate::search::on_disk::{
    BegunMark, Commits, OnDisk, SearchFolder, TableSizes, TakenUp, failed, or_stop,
};
use crate::search::product::{ProductScratch, ProductState};
use crate::search::store::{StateStore, StoredId};
use crate::source::diagnostic::Result;
use crate::source::{Diagnostic, Stop};
use crate::spill::log::{Log, LogMark};
use crate::spill::{Space, SpillError, checksum, manifest};

/// Frontier states whose components are compared when a search goes on.
const SAMPLE: usize = 64;

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
    waiting: WaitingMark,
    ply: usize,
    steps: StepCounts,
    violations: Vec<ViolatingState>,
    widths: Vec<usize>,
    sleeps: bool,
}

/// The states that wait to be expanded: a file of the frontier, the next one so far, and their sleep sets.
#[derive(Serialize, Deserialize)]
struct WaitingMark {
    name: String,
    words: LogMark,
    /// States of both.
    frontier: usize,
    next: usize,
    /// States of the frontier that were expanded.
    expanded: usize,
}

/// The tables of a search: equal ones number everything alike.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct TablesMark {
    sizes: TableSizes,
    /// Digests of the components of some states of the frontier.
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

    /// Commits a search whose states are on disk: `expanded` states of the frontier were, and `next` has the states
    /// met by them.
    pub(super) fn commit(
        &mut self,
        lazy: &mut LazyProduct<'_>,
        (frontier, expanded, asleep): (&[StoredId], usize, &SleepSets),
        next: &mut Vec<StoredId>,
        threads: usize,
    ) -> Result<Option<Stop>> {
        if let Some(stop) = self.settle(next, threads)? {
            return Ok(Some(stop));
        }
        let Some(disk) = &mut self.disk else {
            return Ok(None);
        };
        let tables = TablesMark {
            sizes: disk.tables,
            sample: sample(lazy, &disk.store, frontier).map_err(|error| failed(&error))?,
        };
        let widths = self.depth.widths.split_last().map_or(&[][..], |all| all.1);
        let mark = |disk: &mut OnDisk| {
            let words = (frontier, &next[..], asleep, &self.depth.asleep);
            Ok(SearchMark {
                begun: disk.commits.begun,
                tables,
                store: disk.store.commit()?,
                misses: disk.misses.commit()?,
                waiting: write_words(&disk.commits, words, expanded)?,
                ply: self.figures.ply,
                steps: self.figures.steps,
                violations: self.violations.clone(),
                widths: widths.to_vec(),
                sleeps: self.savings.sleeps,
            })
        };
        let written = mark(disk).and_then(|search| {
            let manifest = Manifest {
                asked: disk.commits.folder.asked.clone(),
                search: Some(search),
            };
            manifest::write(&disk.commits.folder.space, &manifest)?;
            // The file of words that counts now is left alone by the next commit.
            disk.commits.count += 1;
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
        let files = reopen(space, &mark, budget).map_err(|error| failed(&error))?;
        let (store, mut misses, waiting) = files;
        let (frontier, next, asleep) =
            waiting.ok_or_else(|| mismatch(space, "its list of waiting states is too short"))?;
        replay(lazy, &mut misses)?;
        self.store = StateStore::new(lazy.product().layout());
        self.depth.frontier = frontier;
        self.depth.widths = mark.widths;
        self.depth.asleep = asleep.0;
        self.figures.ply = mark.ply;
        self.figures.steps = mark.steps;
        self.violations = mark.violations;
        self.savings.sleeps = mark.sleeps;
        let commits = Commits {
            // The next one leaves the file alone that counts now.
            count: usize::from(mark.waiting.name == words_name(0)),
            last: Some(Instant::now()),
            ..Commits::new(folder, mark.begun)
        };
        let taken_up = TakenUp {
            expanded: mark.waiting.expanded,
            next,
            asleep: asleep.1,
        };
        let tables = TablesMark {
            sizes: sizes(lazy),
            sample: sample(lazy, &store, &self.depth.frontier).map_err(|error| failed(&error))?,
        };
        if tables != mark.tables {
            return Err(mismatch(space, "its states come out with other numbers"));
        }
        let taken_up = Some(taken_up);
        self.disk = Some(Box::new(OnDisk::new(store, misses, commits, taken_up)));
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

/// Nodes of some states of the frontier, and digests of their components.
fn sample(
    lazy: &mut LazyProduct<'_>,
    store: &DiskStore,
    frontier: &[StoredId],
) -> std::result::Result<Vec<String>, SpillError> {
    let (mut known, mut state) = (MachineDigests::default(), ProductState::default());
    let each = frontier.iter().step_by((frontier.len() / SAMPLE).max(1));
    each.map(|id| {
        lazy.product().unpack(&store.bytes(*id)?, &mut state);
        let place = (&*lazy.network, FormatId(state.format));
        let digest = lazy.machine.digest_state(place, &state.locals, &mut known);
        Ok(format!("{} {digest:?}", state.node))
    })
    .collect()
}

/// The names of the files of words, which take turns.
fn words_name(count: usize) -> String {
    format!("waiting-{}", count % 2)
}

/// Frontier and next frontier with the sleep sets of both.
type Waiting<'w> = (&'w [StoredId], &'w [StoredId], &'w SleepSets, &'w SleepSets);

/// Writes what waits to be expanded, in words of four bytes.
fn write_words(
    commits: &Commits,
    (frontier, next, asleep, asleep_next): Waiting<'_>,
    expanded: usize,
) -> std::result::Result<WaitingMark, SpillError> {
    let name = words_name(commits.count);
    let mut log = Log::create(&commits.folder.space, &name)?;
    log.begin_stretch(4)?;
    for id in frontier.iter().chain(next) {
        log.push(&id.0.to_le_bytes())?;
    }
    for sets in [asleep, asleep_next] {
        sets.words(&mut |word| log.push(&word.to_le_bytes()))?;
    }
    Ok(WaitingMark {
        name,
        words: log.commit()?,
        frontier: frontier.len(),
        next: next.len(),
        expanded,
    })
}

/// Frontier and next frontier, and the sleep sets of both.
type ReadWords = (Vec<StoredId>, Vec<StoredId>, (SleepSets, SleepSets));

/// Reads what [`write_words`] wrote; `None` if there is less.
fn read_words(
    space: &Arc<Space>,
    mark: &WaitingMark,
) -> std::result::Result<Option<ReadWords>, SpillError> {
    let log = Log::reopen(space, &mark.name, &mark.words)?;
    let mut reader = log.reader(0);
    let mut words = Vec::with_capacity(log.len());
    while let Some(bytes) = reader.next(&log)? {
        let word = bytes.first_chunk();
        words.push(word.map_or(0, |word| u32::from_le_bytes(*word)));
    }
    let mut rest = words.into_iter();
    let mut ids = |count| {
        let ids: Vec<StoredId> = rest.by_ref().take(count).map(StoredId).collect();
        (ids.len() == count).then_some(ids)
    };
    let (frontier, next) = (ids(mark.frontier), ids(mark.next));
    let asleep = SleepSets::from_words(&mut rest).zip(SleepSets::from_words(&mut rest));
    let ids = frontier.zip(next);
    Ok(ids.zip(asleep).map(|((a, b), c)| (a, b, c)))
}

/// Opens the files of a commit.
fn reopen(
    space: &Arc<Space>,
    mark: &SearchMark,
    budget: DiskBudget,
) -> std::result::Result<(DiskStore, Misses, Option<ReadWords>), SpillError> {
    Ok((
        DiskStore::reopen(space, &mark.store, budget)?,
        Misses::reopen(space, &mark.misses)?,
        read_words(space, &mark.waiting)?,
    ))
}

/// Expands the states that were noted again: so the tables are filled as they were.
fn replay(lazy: &mut LazyProduct<'_>, misses: &mut Misses) -> Result<()> {
    let mut scratch = ProductScratch::default();
    misses.replay(|bytes, sleep| {
        let expanded = lazy.complete(|product| {
            product.expand_for_search((bytes, sleep), &mut scratch, None, |_, _| Ok(()))
        });
        expanded.map(|_| ())
    })
}
