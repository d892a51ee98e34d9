//! Commits of a search on disk, and going on from the last one.
//!
//! A commit is made before a round: then the states that were met are settled, and no table is being filled. The
//! manifest, which is renamed into its place, alone says what counts. Where several processes share a search, all make
//! their files whole, and then the first one writes a manifest for all. A search that goes on repeats its first states,
//! which are few, in memory: so the tables are filled as they were. After that, states that needed the evaluator were
//! noted, and random runs: they are expanded, and made, again in the same order.

use std::sync::Arc;
use std::time::Instant;

use serde::{Deserialize, Serialize};

use super::{End, LazyProduct, OngoingSearch, ViolatingState};
use crate::machine::FormatId;
use crate::machine::digests::MachineDigests;
use crate::reductions::partial_order::Looks;
use crate::search::disk_frontier::{DiskFrontier, FrontierMark};
use crate::search::disk_store::{DiskBudget, DiskStore, StoreMark};
use crate::search::distributed::Distributed;
use crate::search::distributed::ending::{Done, RoundEnd, agreed, end_of, garbled};
use crate::search::distributed::settling::{from_the_first, to_the_first};
use crate::search::expansion::IsFresh;
use crate::search::figures::{RunCounts, StepCounts};
use crate::search::misses::{Misses, MissesMark, NotedMiss};
use crate::search::on_disk::{BegunMark, Commits, SearchFolder, TableSizes};
use crate::search::product::{ProductScratch, ProductState};
use crate::source::diagnostic::Result;
use crate::source::{Diagnostic, Stop};
use crate::spill::{Space, SpillError, checksum, manifest};

/// Makes the random runs again that were made when so many states were stored. Returns the limit that ended them early.
pub type RunsRepeated<'a> = &'a mut dyn FnMut(&mut LazyProduct<'_>, usize) -> Result<Option<Stop>>;

/// What is known of a search that was interrupted.
#[derive(Serialize, Deserialize)]
pub struct Manifest {
    /// How it was asked for, in the words of who did.
    pub asked: String,
    /// The last commit, by process; empty if there was none.
    pub commit: Vec<SearchMark>,
}

impl Manifest {
    /// Of a search that has not committed yet.
    #[must_use]
    pub fn empty(asked: &str) -> Self {
        Self {
            asked: asked.to_owned(),
            commit: Vec::new(),
        }
    }
}

/// A commit of one process.
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
        if let Some(others) = &self.others {
            return others.begun;
        }
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
        let mut others = self.others.take();
        let done = self.commit_with(others.as_deref_mut(), lazy, threads);
        self.others = others;
        match done {
            Ok(()) => Ok(None),
            Err(end) => end_of(end).map(Some),
        }
    }

    fn commit_with(
        &mut self,
        mut others: Option<&mut Distributed>,
        lazy: &mut LazyProduct<'_>,
        threads: usize,
    ) -> Done<()> {
        self.settle_with(others.as_deref_mut(), threads)?;
        let mark = self.mark(lazy);
        let Some(disk) = &mut self.disk else {
            return Ok(());
        };
        let folder = &disk.commits.folder;
        let write = |commit| {
            let asked = folder.asked.clone();
            manifest::write(&folder.space, &Manifest { asked, commit }).map_err(RoundEnd::from)
        };
        let written = match others.as_deref() {
            None => write(vec![mark?]),
            Some(others) => {
                let text = mark.map(|mark| ron::to_string(&mark).unwrap_or_default());
                let texts = to_the_first(others, text)?;
                match others.own() {
                    0 => marks_of(&texts).and_then(write),
                    _ => Ok(()),
                }
            }
        };
        agreed(others.as_deref(), written)?;
        disk.commits.last = Some(Instant::now());
        let swept = disk.store.sweep().map_err(RoundEnd::from);
        if let Some(others) = others.as_deref_mut() {
            others.disk.is_due = false;
        }
        agreed(others.as_deref(), swept)
    }

    /// Makes the files of this process whole.
    fn mark(&mut self, lazy: &mut LazyProduct<'_>) -> Done<SearchMark> {
        let Some(disk) = &mut self.disk else {
            return Err(RoundEnd::Stopped(Stop::Disk));
        };
        let tables = TablesMark {
            sizes: disk.tables,
            sample: sample(lazy, &disk.store)?,
        };
        let widths = self.depth.widths.split_last().map_or(&[][..], |all| all.1);
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
    }

    /// Notes random runs that were made when so many states were stored: they filled tables. Where states are on disk or
    /// shared, the search ends if a limit `stopped` the runs of one process: they could not be repeated.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub fn note_runs(
        &mut self,
        lazy: &LazyProduct<'_>,
        stored: usize,
        stopped: Option<Stop>,
    ) -> Result<()> {
        if self.is_in_memory() {
            return Ok(());
        }
        let noted = match (stopped, &mut self.disk) {
            (Some(stop), _) => Err(RoundEnd::Stopped(stop)),
            (None, Some(disk)) => disk.misses.note_runs(stored).map_err(RoundEnd::from),
            (None, None) => Ok(()),
        };
        if let Err(end) = agreed(self.others.as_deref(), noted) {
            self.end = End::Stopped(end_of(end)?);
        } else if let Some(disk) = &mut self.disk {
            disk.tables = sizes(lazy);
        }
        Ok(())
    }

    /// Goes on from the last commit in this folder. Returns whether there was one: of a search that used sleep sets as
    /// this one does.
    ///
    /// # Errors
    /// Files that are damaged, or of another search.
    pub fn take_up(
        &mut self,
        lazy: &mut LazyProduct<'_>,
        (folder, budget): (&SearchFolder, DiskBudget),
        repeat_runs: RunsRepeated<'_>,
    ) -> Result<bool> {
        let begun = self.begun(lazy);
        let others = self.others.as_deref();
        let opened = last_commit(folder, &begun, others).and_then(|mark| match mark {
            None => Ok(None),
            Some(mark) => {
                let files = reopen(lazy, (&folder.space, &mark, budget), repeat_runs);
                let counted = files.and_then(|files| {
                    let counts = others.map(|_| files.1.states()).transpose()?;
                    Ok((files, counts))
                });
                agreed(others, counted).map(|files| Some((mark, files)))
            }
        });
        let (mark, (files, counts)) = match opened {
            Ok(None) => return Ok(false),
            Ok(Some(opened)) => opened,
            Err(end) => {
                self.end = End::Stopped(end_of(end)?);
                return Ok(true);
            }
        };
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
        if let Some((others, counts)) = self.others.as_mut().zip(counts) {
            others.counts = counts;
        }
        self.go_on_from(files, commits, layout);
        let before = RunCounts {
            states: self.states() as u64,
            transitions: mark.steps.transitions,
            representatives: mark.steps.representatives,
        };
        if let Some(disk) = &mut self.disk {
            disk.commits.before = before;
        }
        Ok(true)
    }
}

/// The last commit of this process, if there was one of a search that began as this one does.
fn last_commit(
    folder: &SearchFolder,
    begun: &BegunMark,
    others: Option<&Distributed>,
) -> Done<Option<SearchMark>> {
    let Some(others) = others else {
        return Ok(commit_in(folder, begun, 1)?.pop());
    };
    let texts = match others.own() {
        0 => commit_in(folder, begun, others.processes()).map(|marks| {
            let texts = marks
                .iter()
                .map(|mark| ron::to_string(mark).unwrap_or_default());
            texts.collect()
        }),
        _ => Ok(Vec::new()),
    };
    let text = from_the_first(others, texts)?;
    Ok(marks_of(text.as_slice())?.pop())
}

/// The last commit in a folder, by process; empty if there was none of a search that uses sleep sets as this one does.
fn commit_in(folder: &SearchFolder, begun: &BegunMark, processes: usize) -> Done<Vec<SearchMark>> {
    let space = &folder.space;
    let manifest: Option<Manifest> = manifest::read(space.folder())?;
    let marks = manifest.map_or(Vec::new(), |manifest| manifest.commit);
    let Some(first) = marks.first() else {
        return Ok(Vec::new());
    };
    if marks.len() != processes {
        let what = format!(
            "it is shared by {processes} processes now, and was by {}",
            marks.len()
        );
        return Err(mismatch(space, &what).into());
    }
    if first.begun.sleeping != begun.sleeping {
        return Ok(Vec::new());
    }
    if first.begun != *begun {
        let what = "this script or these options come to other states";
        return Err(mismatch(space, what).into());
    }
    Ok(marks)
}

/// The marks of these texts.
fn marks_of(texts: &[String]) -> Done<Vec<SearchMark>> {
    let mark =
        |(process, text): (usize, &String)| ron::from_str(text).map_err(|_| garbled(process));
    texts.iter().enumerate().map(mark).collect()
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

/// Opens the files of a commit, and fills the tables as they were.
fn reopen(
    lazy: &mut LazyProduct<'_>,
    (space, mark, budget): (&Arc<Space>, &SearchMark, DiskBudget),
    repeat_runs: RunsRepeated<'_>,
) -> Done<(DiskStore, DiskFrontier, Misses)> {
    let store = DiskStore::reopen(space, &mark.store, budget)?;
    let frontier = DiskFrontier::reopen(space, &mark.frontier)?;
    let mut misses = Misses::reopen(space, &mark.misses)?;
    replay(lazy, &mut misses, repeat_runs)?;
    let tables = TablesMark {
        sizes: sizes(lazy),
        sample: sample(lazy, &store)?,
    };
    match tables == mark.tables {
        true => Ok((store, frontier, misses)),
        false => Err(mismatch(space, "its states come out with other numbers").into()),
    }
}

/// Expands the states that were noted again, and makes the runs: so the tables are filled as they were.
fn replay(
    lazy: &mut LazyProduct<'_>,
    misses: &mut Misses,
    repeat_runs: RunsRepeated<'_>,
) -> Done<()> {
    let mut stopped = None;
    let mut scratch = ProductScratch::default();
    // Not called: partial order reduction that asks is not used on disk.
    let is_fresh = |_: &[u8]| false;
    misses.replay(|noted| {
        let (bytes, sleep, looks) = match noted {
            _ if stopped.is_some() => return Ok(()),
            NotedMiss::State(bytes, sleep, looks) => (bytes, sleep, looks),
            NotedMiss::Runs(stored) => {
                stopped = repeat_runs(lazy, stored)?;
                return Ok(());
            }
        };
        let expanded = lazy.complete(|product| {
            let is_fresh = looks.then_some(&is_fresh as IsFresh<'_>);
            product.expand_for_search((bytes, sleep), &mut scratch, is_fresh, |_, _| Ok(()))
        });
        expanded.map(|_| ())
    })?;
    stopped.map_or(Ok(()), |stop| Err(RoundEnd::Stopped(stop)))
}
