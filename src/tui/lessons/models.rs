//! The models that are shipped in the program, for lessons that need no file of anybody's.

use std::io;
use std::path::PathBuf;

use super::places;
use crate::source::write::write_whole;

/// Name and text of each.
const MODELS: [(&str, &str); 6] = [
    ("example37", include_str!("../../../models/example37.csp")),
    ("ring", include_str!("../../../models/ring.csp")),
    ("list_stack", include_str!("../../../models/list_stack.csp")),
    ("stack_aba", include_str!("../../../models/stack_aba.csp")),
    (
        "philosophers",
        include_str!("../../../models/philosophers.csp"),
    ),
    (
        "two_buffers",
        include_str!("../../../models/two_buffers.csp"),
    ),
];

/// The names of all.
pub fn names() -> impl Iterator<Item = &'static str> {
    MODELS.iter().map(|(name, _)| *name)
}

/// The text of one.
#[must_use]
pub fn builtin(name: &str) -> Option<&'static str> {
    MODELS
        .iter()
        .find(|(known, _)| *known == name)
        .map(|(_, text)| *text)
}

/// A file that holds a shipped model: the engine reads scripts from disk. It is put into the folder of what
/// the program remembers, or where that cannot be written, into the one for temporary files.
///
/// # Errors
/// Neither could be written.
pub fn on_disk(name: &str) -> io::Result<PathBuf> {
    let text = builtin(name).ok_or(io::ErrorKind::NotFound)?;
    let kept = places::state_folder().map(|folder| folder.join("models"));
    // The number of the process keeps instances of different people apart.
    let own = format!("orbitscope-{}", std::process::id());
    let temporary = std::env::temp_dir().join(own);
    let mut last = io::Error::from(io::ErrorKind::NotFound);
    for folder in kept.into_iter().chain([temporary]) {
        let path = folder.join(format!("{name}.csp"));
        // Another instance may read it: what is right is left alone.
        if std::fs::read(&path).is_ok_and(|there| there == text.as_bytes()) {
            return Ok(path);
        }
        let written =
            std::fs::create_dir_all(&folder).and_then(|()| write_whole(&path, text.as_bytes()));
        match written {
            Ok(()) => return Ok(path),
            Err(error) => last = error,
        }
    }
    Err(last)
}
