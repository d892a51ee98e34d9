//! Looks now and then whether the files of the script are as they were when they were read.
//!
//! Times and sizes are checked once a second, and only a file in which these have changed is read. A thread of its
//! own does that, for which no other waits: a network disk that does not answer blocks it alone.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::thread;
use std::time::{Duration, SystemTime};

use super::files;
use crate::animate::model::Input;

/// Time between two looks.
const EVERY: Duration = Duration::from_millis(1_000);
/// A file is missed for so many looks before it counts as gone: editors replace files by others.
const MISSED: u32 = 3;

/// The watched files; the number grows with each change of the list.
#[derive(Debug, Default)]
struct WatchedFiles {
    round: u64,
    inputs: Vec<Input>,
}

/// Looks until it is dropped.
#[derive(Debug)]
pub(super) struct DiskWatch(Arc<Mutex<WatchedFiles>>);

impl DiskWatch {
    /// Starts the watch; `tell` is called with the names of all changed files, whenever these differ from the last
    /// call. If there is no thread to be had, files are not watched, and nothing else is lost.
    pub(super) fn start(tell: impl Fn(Vec<String>) -> bool + Send + 'static) -> Self {
        let watched = Arc::new(Mutex::new(WatchedFiles::default()));
        let theirs = Arc::downgrade(&watched);
        let check = move || watch(&theirs, tell);
        let _ = thread::Builder::new().name("disk".to_owned()).spawn(check);
        Self(watched)
    }

    /// Looks at these files from now on.
    pub(super) fn watch_files(&self, inputs: &[Input]) {
        let mut watched = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        watched.round += 1;
        watched.inputs = inputs.to_vec();
    }
}

/// The last seen state of a file.
struct SeenFile {
    input: Input,
    /// Time and size when it was read last.
    stamp: Option<(Option<SystemTime>, u64)>,
    /// Whether it ever existed: standard input is no file.
    existed: bool,
    missed: u32,
    differs: bool,
}

impl SeenFile {
    fn check(&mut self) {
        let path = Path::new(&self.input.path);
        let Ok(about) = std::fs::metadata(path) else {
            self.missed += u32::from(self.existed);
            self.differs |= self.missed >= MISSED;
            return;
        };
        self.missed = 0;
        self.existed = true;
        let stamp = (about.modified().ok(), about.len());
        if self.stamp == Some(stamp) {
            return;
        }
        let Some(hash) = files::script_text(path) else {
            return;
        };
        self.stamp = Some(stamp);
        self.differs = self.input.hash.strip_prefix("sha256:") != Some(&hash);
    }
}

fn watch(watched: &Weak<Mutex<WatchedFiles>>, tell: impl Fn(Vec<String>) -> bool) {
    let mut round = 0;
    let mut seen: Vec<SeenFile> = Vec::new();
    let mut reported: Vec<String> = Vec::new();
    loop {
        {
            let Some(watched) = watched.upgrade() else {
                return;
            };
            let now = watched.lock().unwrap_or_else(PoisonError::into_inner);
            if now.round != round {
                round = now.round;
                let fresh = |input: &Input| SeenFile {
                    input: input.clone(),
                    stamp: None,
                    existed: false,
                    missed: 0,
                    differs: false,
                };
                seen = now.inputs.iter().map(fresh).collect();
                reported.clear();
            }
        }
        seen.iter_mut().for_each(SeenFile::check);
        let differing = seen.iter().filter(|file| file.differs);
        let differing: Vec<String> = differing.map(|file| file.input.path.clone()).collect();
        if differing != reported {
            reported.clone_from(&differing);
            if !tell(differing) {
                return;
            }
        }
        thread::sleep(EVERY);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::channel;

    #[test]
    fn what_changed_before_the_first_look_is_told_whatever_the_encoding() {
        let name = format!("orbitscope-disk-early-{}.csp", std::process::id());
        let path = std::env::temp_dir().join(name);
        let (to, reported) = channel();
        let watch = DiskWatch::start(move |names| to.send(names).is_ok());
        let soon = Duration::from_secs(20);
        // Latin-1, with the line ends of old systems.
        std::fs::write(&path, b"-- \xe9\rP = STOP\r").unwrap();
        let hash = format!("sha256:{}", files::script_text(&path).unwrap());
        let expected = {
            use sha2::{Digest, Sha256};
            let digest = Sha256::digest("-- \u{e9}\nP = STOP\n");
            let hex: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
            format!("sha256:{hex}")
        };
        assert_eq!(hash, expected);
        let path_text = path.display().to_string();
        let input = Input {
            path: path_text,
            hash,
        };
        std::fs::write(&path, b"-- \xe9\rP = SKIP\r").unwrap();
        watch.watch_files(&[input]);
        assert_eq!(reported.recv_timeout(soon).unwrap().len(), 1);
        std::fs::write(&path, "-- \u{e9}\nP = STOP\n").unwrap();
        assert!(reported.recv_timeout(soon).unwrap().is_empty());
        drop(watch);
        std::fs::remove_file(&path).unwrap();
    }

    #[test]
    fn a_file_that_changes_and_changes_back_is_told_of() {
        let name = format!("orbitscope-disk-{}.csp", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::write(&path, "P = STOP").unwrap();
        let hash = format!("sha256:{}", files::contents(&path).unwrap());
        let (to, reported) = channel();
        let watch = DiskWatch::start(move |names| to.send(names).is_ok());
        let named = path.display().to_string();
        watch.watch_files(&[Input { path: named, hash }]);
        let soon = Duration::from_secs(20);
        thread::sleep(Duration::from_millis(50));
        std::fs::write(&path, "P = SKIP; STOP").unwrap();
        assert_eq!(reported.recv_timeout(soon).unwrap().len(), 1);
        std::fs::write(&path, "P = STOP").unwrap();
        assert!(reported.recv_timeout(soon).unwrap().is_empty());
        drop(watch);
        std::fs::remove_file(&path).unwrap();
    }
}
