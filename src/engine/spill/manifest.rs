//! The manifest: the one file that says what of the others counts.
//!
//! It is written aside, synced and renamed. So there is always the old one or the new one, whatever happens.

use std::fs;
use std::io;
use std::path::Path;

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::checksum::checksum;
use super::{Space, SpillError};

/// The name of the manifest.
pub(super) const NAME: &str = "manifest";
/// The name that it has while it is written.
pub(super) const ASIDE: &str = "manifest.new";
/// The first word of the text.
const MAGIC: &str = "orbitscope-manifest";
/// The number of the format, to be changed with it.
const FORMAT: u32 = 1;

/// Replaces the manifest. Once this returns, the new one stands, also after a loss of power. The files that it names have
/// to be committed before.
///
/// # Errors
/// [`SpillError::Full`] and [`SpillError::Io`]. Then the old one or the new one stands; the new one only if the folder
/// could not be synced.
pub fn write<T: Serialize>(space: &Space, manifest: &T) -> Result<(), SpillError> {
    let path = space.path(ASIDE);
    let body = ron::to_string(manifest)
        .map_err(|error| space.failed(&path, io::Error::other(error.to_string())))?;
    let sum = checksum(&[u64::from(FORMAT)], body.as_bytes());
    let text = format!("{MAGIC} {FORMAT} {sum:016x}\n{body}\n");
    if let Err(error) = write_aside(space, &path, text.as_bytes()) {
        // What went wrong first is what is told.
        let _ = space.remove(ASIDE);
        return Err(error);
    }
    space.rename(ASIDE, NAME)?;
    space.sync_names()
}

/// Writes the text beside the old one, and waits until it is on the disk.
fn write_aside(space: &Space, path: &Path, text: &[u8]) -> Result<(), SpillError> {
    let file = space.create(ASIDE)?;
    space.write((&file, path), text, 0)?;
    space.sync((&file, path))
}

/// Reads the manifest of a folder. There may be none.
///
/// # Errors
/// [`SpillError::Damaged`] if it is not what was written, or of another version; [`SpillError::Io`].
pub fn read<T: DeserializeOwned>(folder: &Path) -> Result<Option<T>, SpillError> {
    let path = folder.join(NAME);
    let damaged = |why: &str| SpillError::Damaged {
        path: path.clone(),
        why: why.to_owned(),
    };
    let bytes = match fs::read(&path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(SpillError::of(&path, 0, error)),
    };
    let text = String::from_utf8(bytes).map_err(|_| damaged("is no text"))?;
    let (first, body) = text.split_once('\n').unwrap_or((&text, ""));
    let Some(rest) = first.strip_prefix(MAGIC) else {
        return Err(damaged("is no manifest"));
    };
    let Some((format, sum)) = rest.trim_start().split_once(' ') else {
        return Err(damaged("is no manifest"));
    };
    if format != FORMAT.to_string() {
        return Err(damaged("has the format of another version"));
    }
    let body = body.strip_suffix('\n').unwrap_or(body);
    let expected = checksum(&[u64::from(FORMAT)], body.as_bytes());
    if sum != format!("{expected:016x}") {
        return Err(damaged("does not match its checksum"));
    }
    let manifest =
        ron::from_str(body).map_err(|error| damaged(&format!("cannot be read: {error}")))?;
    Ok(Some(manifest))
}
