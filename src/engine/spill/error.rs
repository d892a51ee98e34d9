//! What can go wrong with the files of a search.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// An error of the files of a search.
#[derive(Debug)]
pub enum SpillError {
    /// There is no more room: the disk, a quota, the largest size of a file, or the bytes that the search may take.
    Full {
        /// The file that was being written.
        path: PathBuf,
        /// Bytes that all files of the search took then.
        used: u64,
    },
    /// Another process holds the lock of the folder.
    Busy {
        /// The folder.
        path: PathBuf,
    },
    /// A file is not what was written: a checksum, a length, an order or a format is wrong.
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it, as the rest of a sentence that begins with the file: "ends too early".
        why: String,
    },
    /// The system could not do something with a file.
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        error: io::Error,
    },
}

impl SpillError {
    /// The error of the system, as one of its own kind if there is no more room.
    pub(super) fn of(path: &Path, used: u64, error: io::Error) -> Self {
        use io::ErrorKind::{FileTooLarge, QuotaExceeded, StorageFull};
        let path = path.to_path_buf();
        match error.kind() {
            StorageFull | QuotaExceeded | FileTooLarge => Self::Full { path, used },
            _ => Self::Io { path, error },
        }
    }

    /// The error of a caller that asks for what cannot be.
    pub(super) fn misuse(path: &Path, what: impl Into<String>) -> Self {
        Self::Io {
            path: path.to_path_buf(),
            error: io::Error::new(io::ErrorKind::InvalidInput, what.into()),
        }
    }
}

impl fmt::Display for SpillError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Full { path, used } => {
                let path = path.display();
                write!(f, "there is no room for `{path}`, with {used} bytes used")
            }
            Self::Busy { path } => write!(f, "`{}` is used by another process", path.display()),
            Self::Damaged { path, why } => write!(f, "`{}` {why}", path.display()),
            Self::Io { path, error } => write!(f, "`{}`: {error}", path.display()),
        }
    }
}

impl std::error::Error for SpillError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io { error, .. } => Some(error),
            _ => None,
        }
    }
}
