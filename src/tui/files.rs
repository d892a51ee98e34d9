//! Files of walks, written and named.

use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use super::saving::{KnownFile, OpeningSession, SessionWriting, SessionWritten};
use crate::report::run_file::{ENDING, RunFile, named_from, unused_name};
use crate::source::Cancel;
use crate::source::encoding::{decode, normal_newlines};
use crate::source::read::{Source, bounded};
use crate::source::visible_line;
use crate::source::write::{write_own, write_whole};

/// Largest file whose contents are compared.
const BYTES_MAX: u64 = 64 << 20;

/// The digest of a file's contents; `None` if it does not exist or cannot be read.
#[must_use]
pub fn contents(path: &Path) -> Option<String> {
    let bytes = bounded(Source::Regular(path), BYTES_MAX, &Cancel::default(), None).ok()?;
    Some(hash(&bytes))
}

/// The digest of a script's text after decoding.
#[must_use]
pub fn script_text(path: &Path) -> Option<String> {
    let bytes = bounded(Source::Regular(path), BYTES_MAX, &Cancel::default(), None).ok()?;
    Some(hash(normal_newlines(decode(bytes).text).as_bytes()))
}

fn hash(bytes: &[u8]) -> String {
    let digest = Sha256::digest(bytes);
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Writes a text to a new file in the present folder. Returns the note on it.
#[must_use]
pub fn write_text(script: &str, what: &str, ending: &str, text: &str) -> String {
    let word = what.split(' ').next().unwrap_or("text");
    let path = unused_name(script, &format!("-{word}"), ending);
    let name = path.display();
    match write_own(&path, text.as_bytes()) {
        Ok(()) => format!("the {what} was written to {name}"),
        Err(error) => format!("nothing was written: {name}: {error}"),
    }
}

/// A session to open, with the digest that shows whether its file is unchanged.
#[must_use]
pub fn opening(given: Option<&(RunFile, PathBuf)>) -> Option<Box<OpeningSession>> {
    let (session, path) = given?;
    let file = contents(path).map(|hash| KnownFile {
        path: path.clone(),
        hash,
    });
    let session = session.clone();
    Some(Box::new(OpeningSession { session, file }))
}

/// Writes a session; never over a file with other contents than were read or written here.
///
/// # Errors
/// A sentence that says why it was not written.
pub fn write_session(writing: &SessionWriting) -> Result<SessionWritten, String> {
    let (path, remark) = place(writing)?;
    let name = path.display();
    let mut session = writing.session.clone();
    *session.script_name() = named_from(&path, Path::new(&writing.script));
    let text = session.text();
    let text = text.map_err(|error| format!("nothing was saved: {error}"))?;
    // If the user has named the file, a link there is followed.
    let write = match writing.to {
        Some(_) => write_whole,
        None => write_own,
    };
    write(&path, text.as_bytes())
        .map_err(|error| format!("nothing was saved: {name} cannot be written: {error}"))?;
    Ok(SessionWritten {
        file: KnownFile {
            hash: hash(text.as_bytes()),
            path,
        },
        entries: writing.entries,
        remark,
    })
}

/// The path of a session, and a remark on it.
fn place(writing: &SessionWriting) -> Result<(PathBuf, String), String> {
    // A path that is free, or that of a file which this program wrote.
    let free = |path: &Path, known: Option<&KnownFile>| {
        path.symlink_metadata().is_err()
            || known.is_some_and(|k| k.path == path && contents(path).as_ref() == Some(&k.hash))
    };
    let known = writing.known.as_ref();
    if let Some(path) = &writing.to {
        let name = visible_line(&path.display().to_string()).into_owned();
        return if free(path, known) {
            Ok((path.clone(), String::new()))
        } else {
            Err(format!(
                "nothing was saved: {name} is there already and holds something else; name another file"
            ))
        };
    }
    match known {
        Some(known) if free(&known.path, Some(known)) => Ok((known.path.clone(), String::new())),
        Some(known) => {
            let path = unused_name(&writing.script, "", ENDING);
            let old = known.path.display().to_string();
            let remark = format!("; {} has changed and was left alone", visible_line(&old));
            Ok((path, remark))
        }
        None => Ok((unused_name(&writing.script, "", ENDING), String::new())),
    }
}
