//! What tests do to files: they end the process at a moment, or fill the disk. In release builds none of that is there.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{LazyLock, Mutex};

use crate::source::threads::lock;

/// The environment variable with the number of the change, from 1, at which the process ends: right before it, or in the
/// middle of a write.
pub(super) const END_AT: &str = "ORBITSCOPE_END_AT";
/// The environment variable that makes this end one by loss of power: what was not synced is lost.
pub(super) const LOSE: &str = "ORBITSCOPE_LOSE_UNSYNCED";
/// The environment variable with the number of bytes after which writes of a folder fail as on a full disk.
pub(super) const FULL_AFTER: &str = "ORBITSCOPE_FULL_AFTER";

/// A change of a file that is about to be made.
#[derive(Clone, Copy, Debug)]
pub(super) enum Change<'a> {
    Create(&'a Path),
    /// Bytes are written at a place, which is the end.
    Write(&'a Path, u64),
    Cut,
    Sync(&'a Path),
    SyncNames,
    Rename(&'a Path, &'a Path),
    Remove(&'a Path),
}

/// What a loss of power would take, if a test asks for one.
#[derive(Debug, Default)]
struct Unsynced {
    /// How many bytes of files are on the disk for certain, where not all are.
    files: BTreeMap<PathBuf, u64>,
    /// Files whose names may not be on the disk.
    names: BTreeSet<PathBuf>,
}

static UNSYNCED: Mutex<Unsynced> = Mutex::new(Unsynced {
    files: BTreeMap::new(),
    names: BTreeSet::new(),
});

impl Unsynced {
    /// Takes note of a change.
    fn note(&mut self, change: Change<'_>) {
        match change {
            Change::Create(path) => {
                self.files.insert(path.to_path_buf(), 0);
                self.names.insert(path.to_path_buf());
            }
            Change::Write(path, at) => {
                self.files.entry(path.to_path_buf()).or_insert(at);
            }
            // Nobody counts on bytes that were cut off.
            Change::Cut => {}
            Change::Sync(path) => {
                self.files.remove(path);
            }
            Change::SyncNames => self.names.clear(),
            Change::Rename(from, to) => {
                let (bytes, is_new) = (self.files.remove(from), self.names.remove(from));
                self.files.extend(bytes.map(|n| (to.to_path_buf(), n)));
                // In the place of a file whose name is on the disk, either one is there: this takes the new one.
                let is_new = is_new && !to.exists();
                self.names.extend(is_new.then(|| to.to_path_buf()));
            }
            Change::Remove(path) => {
                self.files.remove(path);
                self.names.remove(path);
            }
        }
    }

    /// Loses it.
    fn lose(&self) {
        let is_longer = |file: &File, bytes| file.metadata().is_ok_and(|m| m.len() > bytes);
        for (path, bytes) in &self.files {
            if let Ok(file) = OpenOptions::new().write(true).open(path)
                && is_longer(&file, *bytes)
            {
                let _ = file.set_len(*bytes);
            }
        }
        for path in &self.names {
            let _ = std::fs::remove_file(path);
        }
    }
}

/// Whether any of that is there.
const ARE_THERE: bool = cfg!(any(test, debug_assertions));

/// A number that a variable gives, if variables count.
fn given(variable: &str) -> Option<u64> {
    if !ARE_THERE {
        return None;
    }
    std::env::var(variable).ok()?.parse().ok()
}

/// Counts a change that is about to be made, and ends the process if it is the one. Returns whether it is the one and
/// the caller has to make half of it before [`end`]: that is so for writes.
pub(super) fn before(change: Change<'_>) -> bool {
    /// Changes of files until now.
    static CHANGES: AtomicU64 = AtomicU64::new(0);
    static AT: LazyLock<Option<u64>> = LazyLock::new(|| given(END_AT));
    let Some(at) = *AT else {
        return false;
    };
    let is_last = CHANGES.fetch_add(1, Ordering::Relaxed) + 1 == at;
    match change {
        _ if !is_last => lock(&UNSYNCED).note(change),
        Change::Write(..) => {
            lock(&UNSYNCED).note(change);
            return true;
        }
        _ => end(),
    }
    false
}

/// Ends the process.
pub(super) fn end() {
    if given(LOSE).is_some() {
        lock(&UNSYNCED).lose();
    }
    std::process::abort();
}

/// What a test sees and changes of a folder.
#[derive(Debug)]
pub(super) struct Hooks {
    /// Bytes that can be written. The disk may have more.
    room: AtomicU64,
    /// How often files were read.
    reads: AtomicU64,
    /// Whether a full disk shows only when files are synced.
    refuses_syncs: AtomicBool,
}

impl Hooks {
    /// As much room as the variable says, or without end.
    pub(super) fn new() -> Self {
        let room = given(FULL_AFTER).unwrap_or(u64::MAX);
        Self {
            room: AtomicU64::new(room),
            reads: AtomicU64::new(0),
            refuses_syncs: AtomicBool::new(false),
        }
    }

    /// From here on writes fail as on a full disk after so many bytes, in the middle of a write.
    #[cfg(test)]
    pub(super) fn leave_room(&self, bytes: u64) {
        self.room.store(bytes, Ordering::Relaxed);
    }

    /// Whether syncing fails from here on as on a full disk.
    #[cfg(test)]
    pub(super) fn refuse_syncs(&self, refuses: bool) {
        self.refuses_syncs.store(refuses, Ordering::Relaxed);
    }

    /// How often files were read.
    #[cfg(test)]
    pub(super) fn reads(&self) -> u64 {
        self.reads.load(Ordering::Relaxed)
    }

    /// Takes room for a write. Returns how many of its bytes fit.
    pub(super) fn take(&self, bytes: usize) -> usize {
        if !ARE_THERE {
            return bytes;
        }
        let less = |room: u64| match room {
            u64::MAX => room,
            _ => room.saturating_sub(bytes as u64),
        };
        let (set, fetch) = (Ordering::Relaxed, Ordering::Relaxed);
        let room = self.room.fetch_update(set, fetch, |room| Some(less(room)));
        bytes.min(usize::try_from(room.unwrap_or_default()).unwrap_or(usize::MAX))
    }

    /// Fails if a sync is to fail.
    pub(super) fn before_sync(&self) -> io::Result<()> {
        match ARE_THERE && self.refuses_syncs.load(Ordering::Relaxed) {
            true => Err(io::ErrorKind::StorageFull.into()),
            false => Ok(()),
        }
    }

    /// Counts a read.
    pub(super) fn note_read(&self) {
        if ARE_THERE {
            self.reads.fetch_add(1, Ordering::Relaxed);
        }
    }
}
