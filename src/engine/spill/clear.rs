//! The folder of a search before it begins and after it is over.

use std::fs;
use std::path::Path;

use super::SpillError;
use super::manifest;
use super::space::{LOCK, Space};

/// How the names of files begin that searches write, but for the lock.
const OURS: [&str; 7] = [
    "frontier", "log-", "manifest", "misses", "run-", "silent-", "steps-",
];

/// Whether a folder holds a search.
#[must_use]
pub fn holds_search(folder: &Path) -> bool {
    folder.join(manifest::NAME).exists()
}

impl Space {
    /// Whether there is anything in the folder besides the lock, and a first manifest that was not finished.
    ///
    /// # Errors
    /// [`SpillError::Io`] if the folder cannot be read.
    pub fn is_taken(&self) -> Result<bool, SpillError> {
        let entries = fs::read_dir(self.folder()).map_err(|e| self.failed(self.folder(), e))?;
        for entry in entries {
            let name = entry
                .map_err(|e| self.failed(self.folder(), e))?
                .file_name();
            if name != LOCK && name != manifest::ASIDE {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Removes all files of the search, and the folder if nothing else is in it. To be called once the manifest names no
    /// file: an end in the middle then leaves a search that has not begun.
    ///
    /// # Errors
    /// [`SpillError::Io`] if a file cannot be removed.
    pub fn clear(&self) -> Result<(), SpillError> {
        let names = self.names()?;
        let ours = names
            .iter()
            .filter(|name| OURS.iter().any(|begin| name.starts_with(begin)));
        let (last, files): (Vec<_>, Vec<_>) = ours.partition(|name| *name == manifest::NAME);
        for name in files.into_iter().chain(last) {
            self.remove(name)?;
        }
        self.leave();
        Ok(())
    }

    /// Removes the lock, and the folder if nothing else is in it.
    pub fn leave(&self) {
        let _ = self.remove(LOCK);
        // It stays where there is something else.
        let _ = fs::remove_dir(self.folder());
    }
}
