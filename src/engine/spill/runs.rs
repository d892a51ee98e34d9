//! The runs of a search: keys by shard, in the order of their hashes, in few files.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::run::{KeyRun, RunMark, compare, file_name, is_file_name};
use super::run_reader::{ShardReader, WantedKeys, find};
use super::run_writer::RunWriter;
use super::{Space, SpillError};

pub use super::run::KeyHash;

/// So many runs of one level are merged.
const MERGED: usize = 4;
/// Runs with less keys than this to the power of [`MERGED`] are of one level.
const LEAST: u32 = 6;

/// Sorted keys by shard, in runs of which each is a file. Keys are sorted by their hashes, and those of one hash by their
/// bytes.
#[derive(Debug)]
pub struct Runs {
    space: Arc<Space>,
    shards: usize,
    hash_of: KeyHash,
    /// The number of the next run.
    next: u64,
    runs: Vec<KeyRun>,
    /// Files that were merged since the last mark, which names them.
    merged: Vec<String>,
    /// Files that only marks before the last one name.
    unnamed: Vec<String>,
}

/// The runs as they were when they were committed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunsMark {
    shards: u64,
    next: u64,
    runs: Vec<RunMark>,
}

/// The level of a run. A run of the next level has four times as many keys, about.
fn level(run: &KeyRun) -> u32 {
    run.keys.checked_ilog(MERGED as u64).unwrap_or(0).max(LEAST)
}

/// Removes files of runs but for some.
fn remove_others(space: &Space, kept: &[String]) -> Result<(), SpillError> {
    for name in space.names()? {
        if is_file_name(&name) && !kept.contains(&name) {
            space.remove(&name)?;
        }
    }
    Ok(())
}

impl Runs {
    /// No runs. Files of runs that are in the folder are removed, as far as that is possible, and marks of them are void.
    /// A folder is for one `Runs`.
    #[must_use]
    pub fn create(space: &Arc<Space>, shards: usize, hash_of: KeyHash) -> Self {
        // One that stays is replaced once its number comes.
        let _ = remove_others(space, &[]);
        Self {
            space: Arc::clone(space),
            shards,
            hash_of,
            next: 0,
            runs: Vec::new(),
            merged: Vec::new(),
            unnamed: Vec::new(),
        }
    }

    /// Writes a run with these keys of all shards, as [`Runs::add_by`].
    #[cfg(test)]
    pub(super) fn add(&mut self, bytes: usize, keys: &[Vec<u8>]) -> Result<(), SpillError> {
        self.add_by(bytes, &mut |from| keys[keys.len().min(from)..].to_vec())
    }

    /// Writes a run. `keys` is called with the number of a shard, and returns the keys of that one, and of some that follow:
    /// of each, sorted, distinct keys of `bytes` bytes, joined, with at least one byte. Without any key nothing is left.
    ///
    /// # Errors
    /// [`SpillError::Full`] and [`SpillError::Io`], also if keys are not sorted and distinct. Then nothing has changed.
    pub fn add_by(
        &mut self,
        bytes: usize,
        keys: &mut dyn FnMut(usize) -> Vec<Vec<u8>>,
    ) -> Result<(), SpillError> {
        let (folder, shards, hash_of) = (Arc::clone(&self.space), self.shards, self.hash_of);
        let run = self.write(bytes, |writer| {
            let mut shard = 0;
            while shard < shards {
                let some = keys(shard);
                shard += some.len();
                let is_whole = |keys: &Vec<u8>| {
                    keys.is_empty() || bytes > 0 && keys.len().is_multiple_of(bytes)
                };
                if some.is_empty() || shard > shards || !some.iter().all(is_whole) {
                    let why = "keys of a run have a wrong length or number of shards";
                    return Err(SpillError::misuse(folder.folder(), why));
                }
                for keys in some {
                    for key in keys.chunks(bytes.max(1)) {
                        writer.push(hash_of(key), key)?;
                    }
                    writer.end_shard()?;
                }
            }
            Ok(())
        })?;
        match run.keys {
            0 => self.space.remove(run.file.name())?,
            _ => self.runs.push(run),
        }
        Ok(())
    }

    /// Writes a run with keys of `bytes` bytes. If that fails, there is no file.
    fn write(
        &mut self,
        bytes: usize,
        fill: impl FnOnce(&mut RunWriter) -> Result<(), SpillError>,
    ) -> Result<KeyRun, SpillError> {
        let number = self.next;
        let written = RunWriter::new(&self.space, number, bytes).and_then(|mut writer| {
            fill(&mut writer)?;
            writer.finish()
        });
        match written {
            Ok(run) => {
                self.next += 1;
                Ok(run)
            }
            Err(error) => {
                // What went wrong first is what is told.
                let _ = self.space.remove(&file_name(number));
                Err(error)
            }
        }
    }

    /// Merges where there are four runs of about one size, as often as needed, so that there are few. Of each run one
    /// block is in memory.
    ///
    /// # Errors
    /// [`SpillError::Full`], [`SpillError::Damaged`] and [`SpillError::Io`]. Then the runs hold the same keys as before.
    pub fn merge(&mut self) -> Result<(), SpillError> {
        while let Some(level) = self.crowded() {
            let inputs: Vec<usize> = (0..self.runs.len())
                .filter(|at| level == self::level(&self.runs[*at]))
                .collect();
            let merged = self.merged(&inputs)?;
            // From the last one on, so that places stay what they are.
            let before: Vec<KeyRun> = inputs
                .iter()
                .rev()
                .map(|at| self.runs.remove(*at))
                .collect();
            // Where the oldest one was: the latest runs stay the last ones.
            let place = inputs.first().copied().unwrap_or(0);
            self.runs.insert(place, merged);
            for run in before {
                let name = run.file.name().to_owned();
                match run.is_named {
                    true => self.merged.push(name),
                    false => self.space.remove(&name)?,
                }
            }
        }
        Ok(())
    }

    /// The lowest level with so many runs that they are merged.
    fn crowded(&self) -> Option<u32> {
        let mut levels: Vec<u32> = self.runs.iter().map(level).collect();
        levels.sort_unstable();
        let mut windows = levels.windows(MERGED);
        windows.find(|w| w[0] == w[MERGED - 1]).map(|w| w[0])
    }

    /// Writes one run with the keys of several.
    fn merged(&mut self, inputs: &[usize]) -> Result<KeyRun, SpillError> {
        let runs = std::mem::take(&mut self.runs);
        let bytes = inputs.iter().map(|at| runs[*at].bytes).max().unwrap_or(0);
        let (shards, hash_of) = (self.shards, self.hash_of);
        let merged = self.write(bytes, |writer| {
            for shard in 0..shards {
                let readers = inputs.iter();
                let readers = readers.map(|at| ShardReader::new(&runs[*at], shard, hash_of));
                merge_shard(readers.collect(), writer)?;
                writer.end_shard()?;
            }
            Ok(())
        });
        self.runs = runs;
        merged
    }

    /// Calls `found` with the place of each of these keys that is in a run: once for each, in no order. The keys are
    /// sorted, distinct, joined, and `bytes` long each. Keys of other lengths are equal if they differ by zeros at the
    /// end only. Each block is read at most once; threads that look in several shards do not wait for each other.
    ///
    /// # Errors
    /// [`SpillError::Damaged`] and [`SpillError::Io`].
    pub fn find(
        &self,
        shard: usize,
        bytes: usize,
        keys: &[u8],
        found: &mut dyn FnMut(usize),
    ) -> Result<(), SpillError> {
        if shard >= self.shards {
            return Err(self.no_shard(shard));
        }
        let hash_of = self.hash_of;
        let wanted = WantedKeys {
            keys,
            bytes,
            hash_of,
        };
        debug_assert!(wanted.ascend(), "keys are sorted and distinct");
        let mut places: Vec<usize> = (0..wanted.count()).collect();
        let mut block = Vec::new();
        // The latest first: it has what is met most often, and what is found there is not looked for elsewhere.
        for run in self.runs.iter().rev() {
            find((run, shard), wanted, &mut places, &mut block, found)?;
        }
        Ok(())
    }

    /// Calls `each` with all keys of a shard, run after run. They may end with more or fewer zeros than when they were
    /// added.
    ///
    /// # Errors
    /// [`SpillError::Damaged`] and [`SpillError::Io`].
    pub fn each(&self, shard: usize, each: &mut dyn FnMut(&[u8])) -> Result<(), SpillError> {
        if shard >= self.shards {
            return Err(self.no_shard(shard));
        }
        for run in &self.runs {
            let mut reader = ShardReader::new(run, shard, self.hash_of);
            while reader.next()? {
                each(reader.key());
            }
        }
        Ok(())
    }

    /// The error of a caller that names a shard that is not there.
    fn no_shard(&self, shard: usize) -> SpillError {
        SpillError::misuse(self.space.folder(), format!("there is no shard {shard}"))
    }

    /// Bytes held in memory: the indices of the runs.
    #[must_use]
    pub fn heap_bytes(&self) -> usize {
        let runs = self.runs.capacity() * size_of::<KeyRun>();
        runs + self.runs.iter().map(KeyRun::heap_bytes).sum::<usize>()
    }

    /// Bytes of the files of all runs, without those that wait for [`Runs::sweep`].
    #[must_use]
    pub fn disk_bytes(&self) -> u64 {
        self.runs.iter().map(KeyRun::length).sum()
    }

    /// How many runs there are.
    #[must_use]
    pub fn count(&self) -> usize {
        self.runs.len()
    }

    /// Waits until all runs are on the disk.
    ///
    /// # Errors
    /// [`SpillError::Full`] and [`SpillError::Io`]. After an error of syncing, no commit of these runs succeeds.
    pub fn commit(&mut self) -> Result<RunsMark, SpillError> {
        let runs = self.runs.iter_mut();
        let runs = runs.map(KeyRun::commit).collect::<Result<_, _>>()?;
        self.space.sync_names()?;
        for run in &mut self.runs {
            run.is_named = true;
        }
        self.unnamed.append(&mut self.merged);
        Ok(RunsMark {
            shards: self.shards as u64,
            next: self.next,
            runs,
        })
    }

    /// Removes files of runs that were merged before the last commit. To be called only once a manifest with its mark
    /// stands.
    ///
    /// # Errors
    /// [`SpillError::Io`].
    pub fn sweep(&mut self) -> Result<(), SpillError> {
        while let Some(name) = self.unnamed.last() {
            self.space.remove(name)?;
            self.unnamed.pop();
        }
        Ok(())
    }

    /// The runs as they were at a mark. Files of runs that it does not name are removed.
    ///
    /// # Errors
    /// [`SpillError::Damaged`] if a file is missing, has another length, or an index that is not what it was; what is
    /// wrong with a block is found when it is read. [`SpillError::Io`].
    pub fn reopen(
        space: &Arc<Space>,
        (shards, hash_of): (usize, KeyHash),
        mark: &RunsMark,
    ) -> Result<Self, SpillError> {
        if mark.shards != shards as u64 {
            return Err(SpillError::Damaged {
                path: space.folder().to_path_buf(),
                why: format!("has {} shards, where there should be {shards}", mark.shards),
            });
        }
        let runs = mark.runs.iter();
        let runs = runs
            .map(|mark| KeyRun::reopen(space, shards, mark))
            .collect::<Result<Vec<KeyRun>, _>>()?;
        let kept: Vec<String> = runs.iter().map(|run| file_name(run.number)).collect();
        remove_others(space, &kept)?;
        Ok(Self {
            space: Arc::clone(space),
            shards,
            hash_of,
            next: mark.next,
            runs,
            merged: Vec::new(),
            unnamed: Vec::new(),
        })
    }
}

/// Writes the keys of a shard of several runs, each key once.
fn merge_shard(readers: Vec<ShardReader<'_>>, writer: &mut RunWriter) -> Result<(), SpillError> {
    let mut left = Vec::with_capacity(readers.len());
    for mut reader in readers {
        if reader.next()? {
            left.push(reader);
        }
    }
    loop {
        // Few runs are merged at a time, so no heap is needed.
        let order = |a: &ShardReader<'_>, b: &ShardReader<'_>| {
            let by_hash = a.hash().cmp(&b.hash());
            by_hash.then_with(|| compare(a.key(), b.key()))
        };
        let all = left.iter().enumerate();
        let Some((least, reader)) = all.min_by(|(_, a), (_, b)| order(a, b)) else {
            return Ok(());
        };
        if !writer.is_last(reader.hash(), reader.key()) {
            writer.push(reader.hash(), reader.key())?;
        }
        if !left[least].next()? {
            left.swap_remove(least);
        }
    }
}
