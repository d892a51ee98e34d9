//! Walks that are kept while the program runs, so that a signal, a crash or a terminal that goes away loses little.
//!
//! Each running program has a file of its own in the user's folder for state, named after the script. It is written
//! now and then, as a whole, and removed when the user quits. A file whose program does not run any more was left by
//! a crash, and its walk is offered at the next start.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use sha2::{Digest, Sha256};

use super::stored;
use crate::report::run_file::{ENDING, RunFile};
use crate::source::write::write_own;
use crate::source::{Cancel, visible_line};

/// The folder; none if the system has no place for such files.
fn folder() -> Option<PathBuf> {
    stored::place("kept")
}

/// Time after which walks that were never recovered are removed.
const KEPT_FOR: Duration = Duration::from_secs(60 * 24 * 3600);

/// The script and the program in the name of a file: the first part as from [`stem`].
fn parts(name: &str) -> Option<(&str, i32)> {
    let rest = name.strip_suffix(ENDING)?;
    let (stem, number) = rest.split_at(rest.find('-')? + 1);
    Some((stem, number.parse().ok()?))
}

/// The common beginning of the file names of a script.
fn stem(script: &Path) -> Option<String> {
    let whole = script.canonicalize().ok()?;
    let digest = Sha256::digest(whole.as_os_str().as_encoded_bytes());
    let hash: String = digest.iter().take(6).map(|b| format!("{b:02x}")).collect();
    Some(format!("{hash}-"))
}

/// The file of this program for a script.
#[must_use]
pub fn own(script: &Path) -> Option<PathBuf> {
    let name = format!("{}{}{ENDING}", stem(script)?, std::process::id());
    Some(folder()?.join(name))
}

/// The latest walk of a script that a program which does not run any more has left behind.
#[must_use]
pub fn left_behind(script: &Path) -> Option<(RunFile, PathBuf)> {
    let stem = stem(script)?;
    let files = std::fs::read_dir(folder()?).ok()?;
    let now = std::time::SystemTime::now();
    let mut found: Vec<(std::time::SystemTime, PathBuf)> = Vec::new();
    for file in files.flatten() {
        let name = file.file_name();
        let Some((of, number)) = name.to_str().and_then(parts) else {
            continue;
        };
        let written = file.metadata().and_then(|about| about.modified());
        let Ok(written) = written else {
            continue;
        };
        // If the number was reused, the offer only comes later.
        if stored::runs(number) {
            continue;
        }
        // There was time enough to recover it.
        if now.duration_since(written).is_ok_and(|age| age > KEPT_FOR) {
            forget(&file.path());
        } else if of == stem {
            found.push((written, file.path()));
        }
    }
    found.sort();
    found.into_iter().rev().find_map(|(_, path)| {
        let session = RunFile::read(&path, &Cancel::default()).ok()?;
        Some((session, path))
    })
}

/// When it was asked that a walk be kept or forgotten, among all that was asked.
///
/// Walks are written beside the screen, so that two writings can be under way: the later wish is the one that counts,
/// whichever thread comes first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct KeepTurn(u64);

impl KeepTurn {
    /// Takes the next turn: called before the work is handed to another thread.
    #[must_use]
    pub fn next() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Self(NEXT.fetch_add(1, Ordering::Relaxed))
    }
}

/// Works on a file unless a later turn was done already; waits for work in progress. So once the last turn was done,
/// no other is in progress, and none can follow.
fn in_turn<T>(path: &Path, turn: KeepTurn, work: impl FnOnce() -> T) -> Option<T> {
    static DONE: Mutex<BTreeMap<PathBuf, KeepTurn>> = Mutex::new(BTreeMap::new());
    let mut done = DONE.lock().unwrap_or_else(PoisonError::into_inner);
    if done.get(path).is_some_and(|last| *last > turn) {
        return None;
    }
    done.insert(path.to_path_buf(), turn);
    Some(work())
}

/// Writes a walk to the file that keeps it, unless that was done with a later one.
///
/// # Errors
/// Why it is not kept.
pub fn keep(path: &Path, session: &RunFile, turn: KeepTurn) -> Result<(), String> {
    in_turn(path, turn, || write(path, session)).unwrap_or(Ok(()))
}

fn write(path: &Path, session: &RunFile) -> Result<(), String> {
    let name = visible_line(&path.display().to_string()).into_owned();
    let failed =
        |error: std::io::Error| format!("the walk is not kept, W saves it: {error}: {name}");
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(failed)?;
    }
    let mut session = session.clone();
    let script = session.script_name();
    let whole = Path::new(script.as_str());
    let whole = whole.canonicalize().map_err(failed)?;
    *script = whole.display().to_string();
    write_own(path, session.text()?.as_bytes()).map_err(failed)
}

/// Removes a file that is not needed any more; that it cannot be removed is no harm.
pub fn forget(path: &Path) {
    let remove = || {
        let _ = std::fs::remove_file(path);
    };
    let _ = in_turn(path, KeepTurn::next(), remove);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_later_wish_counts_whichever_comes_first() {
        let path = Path::new("of no script");
        let (first, second) = (KeepTurn::next(), KeepTurn::next());
        assert_eq!(in_turn(path, second, || "second"), Some("second"));
        assert_eq!(in_turn(path, first, || "first"), None);
        assert_eq!(
            in_turn(Path::new("another"), first, || "first"),
            Some("first")
        );
        assert_eq!(in_turn(path, KeepTurn::next(), || "third"), Some("third"));
    }
}
