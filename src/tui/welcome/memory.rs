//! Data stored from one run to the next: the scripts that were opened, and whether the page is shown at the start.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::source::models;
use crate::stored;

/// Scripts that are remembered.
const RECENT_MAX: usize = 10;

/// The stored data.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct WelcomeMemory {
    /// Whether the page is left out at the start.
    pub skip: bool,
    /// The scripts that were opened, latest first: whole paths, or names of models of the program.
    pub recent: Vec<String>,
}

/// What is said to be not read if the file is no such file.
const RECENT: &str = "recent scripts were";

fn file() -> Result<PathBuf, String> {
    stored::place("welcome.ron").ok_or_else(stored::no_folder)
}

/// Reads the stored data; with a note if the file could not be used.
#[must_use]
pub fn remembered() -> (WelcomeMemory, String) {
    let read = file().map(|path| stored::read::<WelcomeMemory>(&path, RECENT));
    let (mut memory, note) = read.unwrap_or_default();
    memory.recent.truncate(RECENT_MAX);
    (memory, note)
}

/// Remembers that a script was opened. One whose path is no text cannot be typed either, and is left out.
///
/// # Errors
/// Why it is not remembered.
pub fn remember(script: &str) -> Result<(), String> {
    remember_in(&file()?, script)
}

fn remember_in(path: &Path, script: &str) -> Result<(), String> {
    let whole = match models::named(Path::new(script)) {
        Some(_) => Some(script.to_owned()),
        // Standard input is gone by then.
        None if script == "-" => None,
        None => std::path::absolute(script)
            .ok()
            .and_then(|path| path.into_os_string().into_string().ok()),
    };
    let Some(whole) = whole else {
        return Ok(());
    };
    stored::change(path, RECENT, |memory: &mut WelcomeMemory| {
        memory.recent.retain(|other| *other != whole);
        memory.recent.insert(0, whole);
        memory.recent.truncate(RECENT_MAX);
    })
}

/// Remembers whether the page is to be left out at the start.
///
/// # Errors
/// Why that is not remembered.
pub fn skip(skip: bool) -> Result<(), String> {
    let change = |memory: &mut WelcomeMemory| memory.skip = skip;
    stored::change(&file()?, RECENT, change)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn remembered_in(path: &Path) -> (WelcomeMemory, String) {
        stored::read(path, RECENT)
    }

    #[test]
    fn the_latest_ten_are_remembered_and_foreign_files_left_alone() {
        let own = format!("orbitscope-welcome-{}", std::process::id());
        let folder = std::env::temp_dir().join(own);
        let _ = std::fs::remove_dir_all(&folder);
        let path = folder.join("deep/welcome.ron");
        for n in 0..12 {
            remember_in(&path, &format!("/scripts/{n}.csp")).unwrap();
        }
        remember_in(&path, "/scripts/5.csp").unwrap();
        remember_in(&path, "builtin:ring").unwrap();
        remember_in(&path, "-").unwrap();
        let skip = |memory: &mut WelcomeMemory| memory.skip = true;
        stored::change(&path, RECENT, skip).unwrap();
        let (memory, note) = remembered_in(&path);
        assert_eq!((memory.recent.len(), note.as_str()), (10, ""));
        assert_eq!(
            memory.recent[..3],
            ["builtin:ring", "/scripts/5.csp", "/scripts/11.csp"]
        );
        assert!(memory.skip && !memory.recent.contains(&"/scripts/2.csp".to_owned()));
        for text in ["(skip: maybe)", "\u{1b}[2J", "[1]"] {
            std::fs::write(&path, text).unwrap();
            let (memory, note) = remembered_in(&path);
            assert!(
                memory.recent.is_empty() && note.contains("were not read"),
                "{note}"
            );
            assert!(remember_in(&path, "x.csp").is_err());
            assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
        }
        std::fs::remove_dir_all(folder).unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn a_link_is_replaced_and_a_pipe_is_told_of() {
        let own = format!("orbitscope-welcome-link-{}", std::process::id());
        let folder = std::env::temp_dir().join(own);
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).unwrap();
        let (path, victim) = (folder.join("welcome.ron"), folder.join("victim"));
        std::fs::write(&victim, "(recent: [\"/a.csp\"])").unwrap();
        std::os::unix::fs::symlink(&victim, &path).unwrap();
        remember_in(&path, "/b.csp").unwrap();
        assert_eq!(remembered_in(&path).0.recent, ["/b.csp", "/a.csp"]);
        assert!(!path.is_symlink());
        let left = std::fs::read_to_string(&victim).unwrap();
        assert_eq!(left, "(recent: [\"/a.csp\"])");
        std::fs::remove_file(&path).unwrap();
        let made = std::process::Command::new("mkfifo").arg(&path).status();
        assert!(made.unwrap().success());
        let why = remember_in(&path, "/c.csp").unwrap_err();
        assert!(why.contains("no regular file"), "{why}");
        std::fs::remove_dir_all(folder).unwrap();
    }
}
