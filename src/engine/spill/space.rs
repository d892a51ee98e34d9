//! The folder of a search: its lock, the bytes that its files take, and every change of a file.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use super::SpillError;
use super::hooks::{self, Change, Hooks};

/// The file that is locked for as long as a process uses the folder.
pub(super) const LOCK: &str = "orbitscope.lock";

/// The folder of a search, and how many bytes its files take.
///
/// Every change of a file goes through here: so bytes are counted, a full disk is told from other errors, and tests can
/// end the process before each change.
#[derive(Debug)]
pub struct Space {
    folder: PathBuf,
    /// Bytes that all files together may take.
    most: u64,
    /// Bytes that they take.
    used: AtomicU64,
    /// Whether files were created, renamed or removed since the folder was synced.
    stale: AtomicBool,
    hooks: Hooks,
    lock: File,
}

impl Space {
    /// Opens a folder, which is made if it is not there, and takes its lock. All files together may take `most` bytes.
    ///
    /// # Errors
    /// [`SpillError::Busy`] if another [`Space`] has the lock, in this process or in another;
    /// [`SpillError::Io`] if the folder cannot be made, read or locked.
    pub fn open(folder: &Path, most: Option<u64>) -> Result<Arc<Self>, SpillError> {
        make(folder).map_err(|error| SpillError::of(folder, 0, error))?;
        let path = folder.join(LOCK);
        let failed = |error| SpillError::of(&path, 0, error);
        let lock = OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(false)
            .open(&path)
            .map_err(failed)?;
        lock.try_lock().map_err(|error| match error {
            TryLockError::WouldBlock => SpillError::Busy {
                path: folder.to_path_buf(),
            },
            TryLockError::Error(error) => failed(error),
        })?;
        let space = Self {
            folder: folder.to_path_buf(),
            most: most.unwrap_or(u64::MAX),
            used: AtomicU64::new(0),
            stale: AtomicBool::new(true),
            hooks: Hooks::new(),
            lock,
        };
        for name in space.names()? {
            space
                .used
                .fetch_add(length_of(&space.path(&name)), Ordering::Relaxed);
        }
        Ok(Arc::new(space))
    }

    /// The folder.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Bytes that all files of the folder take now.
    #[must_use]
    pub fn used(&self) -> u64 {
        self.used.load(Ordering::Relaxed)
    }

    /// The path of a file.
    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// The names of all files, sorted.
    pub(super) fn names(&self) -> Result<Vec<String>, SpillError> {
        let failed = |error| self.failed(&self.folder, error);
        let mut names = Vec::new();
        for entry in fs::read_dir(&self.folder).map_err(failed)? {
            // No file of ours has a name that is not text.
            if let Ok(name) = entry.map_err(failed)?.file_name().into_string() {
                names.push(name);
            }
        }
        names.sort_unstable();
        Ok(names)
    }

    /// An error of the system about a file.
    pub(super) fn failed(&self, path: &Path, error: io::Error) -> SpillError {
        SpillError::of(path, self.used(), error)
    }

    /// Creates a file to read and write, without content, whether there was one or not.
    pub(super) fn create(&self, name: &str) -> Result<File, SpillError> {
        let path = self.path(name);
        hooks::before(Change::Create(&path));
        let before = length_of(&path);
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(true);
        let file = options.open(&path).map_err(|e| self.failed(&path, e))?;
        self.give_back(before);
        self.stale.store(true, Ordering::Relaxed);
        Ok(file)
    }

    /// Opens a file to read and write. It has to be there.
    pub(super) fn open_file(&self, name: &str) -> Result<File, SpillError> {
        let path = self.path(name);
        let opened = OpenOptions::new().read(true).write(true).open(&path);
        opened.map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => SpillError::Damaged {
                path: path.clone(),
                why: "is missing".to_owned(),
            },
            _ => self.failed(&path, error),
        })
    }

    /// Writes bytes at the end of a file, which is at `at`: all of them, or none.
    pub(super) fn write(
        &self,
        (file, path): (&File, &Path),
        bytes: &[u8],
        at: u64,
    ) -> Result<(), SpillError> {
        let wanted = bytes.len() as u64;
        let with = |used: u64| used.checked_add(wanted).filter(|all| *all <= self.most);
        let (set, fetch) = (Ordering::Relaxed, Ordering::Relaxed);
        if self.used.fetch_update(set, fetch, with).is_err() {
            return Err(self.failed(path, io::ErrorKind::StorageFull.into()));
        }
        if hooks::before(Change::Write(path, at)) {
            let _ = write_all_at(file, &bytes[..bytes.len() / 2], at);
            hooks::end();
        }
        let fits = self.hooks.take(bytes.len());
        let written = write_all_at(file, &bytes[..fits], at).and_then(|()| match fits {
            _ if fits < bytes.len() => Err(io::ErrorKind::StorageFull.into()),
            _ => Ok(()),
        });
        written.map_err(|error| {
            // What was written of it takes room. If that stays, it is behind the end, where it does no harm.
            let _ = file.set_len(at);
            self.give_back(wanted);
            self.failed(path, error)
        })
    }

    /// Cuts a file that has `before` bytes.
    pub(super) fn cut(
        &self,
        (file, path): (&File, &Path),
        before: u64,
        length: u64,
    ) -> Result<(), SpillError> {
        hooks::before(Change::Cut);
        file.set_len(length).map_err(|e| self.failed(path, e))?;
        self.give_back(before.saturating_sub(length));
        Ok(())
    }

    /// Waits until the content of a file is on the disk.
    pub(super) fn sync(&self, (file, path): (&File, &Path)) -> Result<(), SpillError> {
        hooks::before(Change::Sync(path));
        let synced = self.hooks.before_sync().and_then(|()| file.sync_data());
        synced.map_err(|e| self.failed(path, e))
    }

    /// Waits until the names of files that were created, renamed or removed are on the disk.
    pub(super) fn sync_names(&self) -> Result<(), SpillError> {
        if !self.stale.swap(false, Ordering::Relaxed) {
            return Ok(());
        }
        hooks::before(Change::SyncNames);
        // Elsewhere a folder cannot be opened, and need not be.
        #[cfg(unix)]
        File::open(&self.folder)
            .and_then(|folder| folder.sync_all())
            .map_err(|error| {
                self.stale.store(true, Ordering::Relaxed);
                self.failed(&self.folder, error)
            })?;
        Ok(())
    }

    /// Gives a file another name, in the place of the file that has it.
    pub(super) fn rename(&self, from: &str, to: &str) -> Result<(), SpillError> {
        let (source, path) = (self.path(from), self.path(to));
        hooks::before(Change::Rename(&source, &path));
        let before = length_of(&path);
        fs::rename(&source, &path).map_err(|e| self.failed(&path, e))?;
        self.give_back(before);
        self.stale.store(true, Ordering::Relaxed);
        Ok(())
    }

    /// Removes a file. It is no error if there is none.
    pub(super) fn remove(&self, name: &str) -> Result<(), SpillError> {
        let path = self.path(name);
        hooks::before(Change::Remove(&path));
        let before = length_of(&path);
        match fs::remove_file(&path) {
            Ok(()) => {
                self.give_back(before);
                self.stale.store(true, Ordering::Relaxed);
                Ok(())
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            Err(error) => Err(self.failed(&path, error)),
        }
    }

    /// Fills `into` with the bytes at a place of a file.
    pub(super) fn read(&self, file: &File, into: &mut [u8], at: u64) -> io::Result<()> {
        self.hooks.note_read();
        read_exact_at(file, into, at)
    }

    /// Counts bytes that files do not take any more.
    fn give_back(&self, bytes: u64) {
        let (set, fetch) = (Ordering::Relaxed, Ordering::Relaxed);
        // It never fails: the new value is always given.
        let _ = self
            .used
            .fetch_update(set, fetch, |used| Some(used.saturating_sub(bytes)));
    }

    /// From here on writes fail as on a full disk after so many bytes, in the middle of a write.
    #[cfg(test)]
    pub(super) fn leave_room(&self, bytes: u64) {
        self.hooks.leave_room(bytes);
    }

    /// Whether syncing fails from here on as on a full disk.
    #[cfg(test)]
    pub(super) fn refuse_syncs(&self, refuses: bool) {
        self.hooks.refuse_syncs(refuses);
    }

    /// Whether the names of all files are on the disk.
    #[cfg(test)]
    pub(super) fn has_names(&self) -> bool {
        !self.stale.load(Ordering::Relaxed)
    }

    /// How often files were read.
    #[cfg(test)]
    pub(super) fn reads(&self) -> u64 {
        self.hooks.reads()
    }
}

impl Drop for Space {
    fn drop(&mut self) {
        // Closing it is not enough: a process that another thread starts just now has the file open for a moment, and
        // the lock with it.
        let _ = self.lock.unlock();
    }
}

/// Makes a folder unless it is there.
fn make(folder: &Path) -> io::Result<()> {
    if folder.is_dir() {
        return Ok(());
    }
    fs::create_dir_all(folder)?;
    // Its name is to be on the disk before anything counts on what is in it. Where the folder above may not be read,
    // that is left to the system.
    #[cfg(unix)]
    if let Some(above) = folder.parent() {
        let is_here = above.as_os_str().is_empty();
        let above = if is_here { Path::new(".") } else { above };
        let _ = File::open(above).and_then(|above| above.sync_all());
    }
    Ok(())
}

/// Bytes of a file; none if there is no such file.
fn length_of(path: &Path) -> u64 {
    let about = fs::symlink_metadata(path).ok();
    about
        .filter(fs::Metadata::is_file)
        .map_or(0, |about| about.len())
}

/// Writes all bytes at a place of a file.
#[cfg(unix)]
fn write_all_at(file: &File, bytes: &[u8], at: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::write_all_at(file, bytes, at)
}

/// Writes all bytes at a place of a file.
#[cfg(windows)]
fn write_all_at(file: &File, mut bytes: &[u8], mut at: u64) -> io::Result<()> {
    while !bytes.is_empty() {
        match std::os::windows::fs::FileExt::seek_write(file, bytes, at)? {
            0 => return Err(io::ErrorKind::WriteZero.into()),
            n => (bytes, at) = (&bytes[n..], at + n as u64),
        }
    }
    Ok(())
}

/// Fills `into` with the bytes at a place of a file.
#[cfg(unix)]
fn read_exact_at(file: &File, into: &mut [u8], at: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, into, at)
}

/// Fills `into` with the bytes at a place of a file.
#[cfg(windows)]
fn read_exact_at(file: &File, mut into: &mut [u8], mut at: u64) -> io::Result<()> {
    while !into.is_empty() {
        match std::os::windows::fs::FileExt::seek_read(file, into, at)? {
            0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            n => (into, at) = (&mut into[n..], at + n as u64),
        }
    }
    Ok(())
}
