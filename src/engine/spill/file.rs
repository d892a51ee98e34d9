//! A file of a search that is written at its end and read anywhere.

use std::fs::File;
use std::hash::{BuildHasher, RandomState};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::checksum::checksum;
use super::{Space, SpillError};

/// The first bytes of every file.
const MAGIC: [u8; 8] = *b"orbspill";
/// The number of the format of files, to be changed with it.
const FORMAT: u32 = 3;
/// Bytes before the first block.
pub(super) const HEADER: u64 = 32;

/// What a file holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FileContent {
    /// Records by number.
    Log = 1,
    /// Sorted keys.
    Run = 2,
}

/// A file that is written at its end.
#[derive(Debug)]
pub(super) struct SpillFile {
    space: Arc<Space>,
    name: String,
    path: PathBuf,
    file: File,
    /// Bytes until the end.
    length: u64,
    /// A number that no other file has.
    id: u64,
    /// Whether all of it is on the disk.
    is_synced: bool,
    /// Whether syncing failed. The system may have thrown away what it could not write, so trying again proves nothing.
    is_lost: bool,
}

impl SpillFile {
    /// Creates a file. One of the same name is replaced.
    pub(super) fn create(
        space: &Arc<Space>,
        name: &str,
        content: FileContent,
    ) -> Result<Self, SpillError> {
        // Random keys of the standard library: a number that no other file has, also of other searches.
        let id = RandomState::new().hash_one(name);
        let mut file = Self {
            space: Arc::clone(space),
            name: name.to_owned(),
            path: space.path(name),
            file: space.create(name)?,
            length: 0,
            id,
            is_synced: false,
            is_lost: false,
        };
        file.append(&header(content, id))?;
        Ok(file)
    }

    /// Opens a file that was created with this number, and had this length when it was synced. What was written after
    /// that is cut off.
    pub(super) fn reopen(
        space: &Arc<Space>,
        name: &str,
        content: FileContent,
        (id, length): (u64, u64),
    ) -> Result<Self, SpillError> {
        let path = space.path(name);
        let file = space.open_file(name)?;
        let about = file.metadata().map_err(|e| space.failed(&path, e))?;
        let mut file = Self {
            space: Arc::clone(space),
            name: name.to_owned(),
            path,
            file,
            length: about.len(),
            id,
            is_synced: true,
            is_lost: false,
        };
        if file.length < length.max(HEADER) {
            return Err(file.damaged("is shorter than it was"));
        }
        let mut found = [0; HEADER as usize];
        file.read(0, &mut found)?;
        if found != header(content, id) {
            return Err(file.damaged(wrong_header(&found)));
        }
        file.cut(length.max(HEADER))?;
        Ok(file)
    }

    /// Its name in the folder.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// Its path.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// The number that no other file has.
    pub(super) fn id(&self) -> u64 {
        self.id
    }

    /// Bytes until its end.
    pub(super) fn length(&self) -> u64 {
        self.length
    }

    /// The error that says what is wrong with the file.
    pub(super) fn damaged(&self, why: impl Into<String>) -> SpillError {
        SpillError::Damaged {
            path: self.path.clone(),
            why: why.into(),
        }
    }

    /// Appends bytes: all of them, or none.
    pub(super) fn append(&mut self, bytes: &[u8]) -> Result<(), SpillError> {
        self.is_synced = false;
        let handle = (&self.file, &*self.path);
        self.space.write(handle, bytes, self.length)?;
        self.length += bytes.len() as u64;
        Ok(())
    }

    /// Cuts the file.
    fn cut(&mut self, length: u64) -> Result<(), SpillError> {
        if length < self.length {
            // Not to be synced for its own sake: bytes behind the end do no harm.
            self.space
                .cut((&self.file, &self.path), self.length, length)?;
            self.length = length;
        }
        Ok(())
    }

    /// Fills `into` with the bytes at a place.
    pub(super) fn read(&self, at: u64, into: &mut [u8]) -> Result<(), SpillError> {
        let read = self.space.read(&self.file, into, at);
        read.map_err(|error| match error.kind() {
            io::ErrorKind::UnexpectedEof => self.damaged("is shorter than it was"),
            _ => self.space.failed(&self.path, error),
        })
    }

    /// Waits until all of it is on the disk.
    pub(super) fn sync(&mut self) -> Result<(), SpillError> {
        if self.is_lost {
            let error = io::Error::other("what was written may be lost");
            return Err(self.space.failed(&self.path, error));
        }
        if self.is_synced {
            return Ok(());
        }
        let synced = self.space.sync((&self.file, &self.path));
        self.is_synced = synced.is_ok();
        self.is_lost = synced.is_err();
        synced
    }
}

/// The number of four bytes at a place.
pub(super) fn number(bytes: &[u8], at: usize) -> u32 {
    bytes[at..]
        .first_chunk()
        .map_or(0, |four| u32::from_le_bytes(*four))
}

/// The number of eight bytes at a place.
pub(super) fn long_number(bytes: &[u8], at: usize) -> u64 {
    u64::from(number(bytes, at)) | u64::from(number(bytes, at + 4)) << 32
}

/// The first bytes of a file.
fn header(content: FileContent, id: u64) -> [u8; HEADER as usize] {
    let mut bytes = [0; HEADER as usize];
    bytes[..8].copy_from_slice(&MAGIC);
    bytes[8..12].copy_from_slice(&FORMAT.to_le_bytes());
    bytes[12..16].copy_from_slice(&(content as u32).to_le_bytes());
    bytes[16..24].copy_from_slice(&id.to_le_bytes());
    let sum = checksum(&[], &bytes[..24]);
    bytes[24..].copy_from_slice(&sum.to_le_bytes());
    bytes
}

/// What is wrong with the first bytes of a file, as the rest of a sentence.
fn wrong_header(found: &[u8; HEADER as usize]) -> &'static str {
    let sum = checksum(&[], &found[..24]).to_le_bytes();
    match found {
        _ if found[..8] != MAGIC => "is no file of a search",
        _ if found[24..] != sum => "does not match its checksum at the beginning",
        _ if found[8..12] != FORMAT.to_le_bytes() => "has the format of another version",
        _ => "is a file of another search, or of another name",
    }
}
