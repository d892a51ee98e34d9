//! Removal of all files of a search that is over.

use std::fs;

use super::SpillError;
use super::space::Space;

/// How the names of files begin that searches write.
const OURS: [&str; 6] = ["lock", "log-", "manifest", "misses", "run-", "waiting-"];

impl Space {
    /// Whether there are files in the folder that no search wrote.
    ///
    /// # Errors
    /// [`SpillError::Io`] if the folder cannot be read.
    pub fn has_others(&self) -> Result<bool, SpillError> {
        let is_ours = |name: &String| OURS.iter().any(|begin| name.starts_with(begin));
        Ok(!self.names()?.iter().all(is_ours))
    }

    /// Removes all files of the search, and the folder if nothing else is in it.
    ///
    /// # Errors
    /// [`SpillError::Io`] if a file cannot be removed.
    pub fn clear(&self) -> Result<(), SpillError> {
        // The manifest first: what is left without one is of no search.
        let mut names = self.names()?;
        names.sort_by_key(|name| !name.starts_with("manifest"));
        for name in names {
            if OURS.iter().any(|begin| name.starts_with(begin)) {
                self.remove(&name)?;
            }
        }
        // It stays where there is something else.
        let _ = fs::remove_dir(self.folder());
        Ok(())
    }
}
