//! Unit tests of the files of a search.

mod log;
mod runs;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::Space;

/// A folder that is removed when it is dropped.
struct Folder(PathBuf);

impl Folder {
    /// An empty folder, of a name that no other test uses.
    fn new(name: &str) -> Self {
        let path = format!("orbitscope-spill-{name}-{}", std::process::id());
        let folder = Self(std::env::temp_dir().join(path));
        let _ = std::fs::remove_dir_all(&folder.0);
        folder
    }

    fn path(&self) -> &Path {
        &self.0
    }

    fn open(&self) -> Arc<Space> {
        Space::open(&self.0, None).expect("it opens")
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Bytes of the files of a folder by their lengths.
fn bytes_in(folder: &Path) -> u64 {
    let entries = std::fs::read_dir(folder).expect("a folder");
    let lengths = entries.map(|e| e.expect("a file").metadata().expect("a length").len());
    lengths.sum()
}
