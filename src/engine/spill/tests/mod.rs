//! Unit tests of the files of a search.

mod damaged;
mod filter;
mod full;
mod killed;
mod log;
mod manifest;
mod runs;
mod search;
mod space;

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;

use super::space::LOCK;
use super::{Space, SpillError};

/// Set for a copy of this program that does something in a folder: the folder.
const FOLDER: &str = "ORBITSCOPE_TEST_SPILL_FOLDER";

/// A hash by which keys are sorted as by themselves.
fn first_bytes(key: &[u8]) -> u64 {
    let mut first = [0; 8];
    let most = key.len().min(8);
    first[..most].copy_from_slice(&key[..most]);
    u64::from_be_bytes(first)
}

/// A folder that is removed when it is dropped.
struct Folder(PathBuf);

impl Folder {
    /// A folder that is not there yet, of a name that no other test uses. It is in memory if possible: these tests sync
    /// files thousands of times, and what is not synced is known without a disk.
    fn new(name: &str) -> Self {
        let memory = Path::new("/dev/shm");
        let above = match memory.is_dir() {
            true => memory.to_path_buf(),
            false => std::env::temp_dir(),
        };
        let process = std::process::id();
        let folder = Self(above.join(format!("orbitscope-spill-{name}-{process}")));
        folder.remove();
        folder
    }

    fn path(&self) -> &Path {
        &self.0
    }

    fn open(&self) -> Arc<Space> {
        Space::open(&self.0, None).expect("it opens")
    }

    fn remove(&self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }

    /// The files but the lock, by name, with their bytes.
    fn files(&self) -> Vec<(String, Vec<u8>)> {
        let entries = std::fs::read_dir(&self.0).expect("a folder");
        let names = entries.map(|e| e.expect("a file").file_name().into_string().expect("text"));
        let mut names: Vec<String> = names.filter(|name| name != LOCK).collect();
        names.sort_unstable();
        let read = |name: String| {
            let bytes = std::fs::read(self.0.join(&name)).expect("a file");
            (name, bytes)
        };
        names.into_iter().map(read).collect()
    }

    /// Makes the files what they were.
    fn restore(&self, files: &[(String, Vec<u8>)]) {
        self.remove();
        std::fs::create_dir_all(&self.0).expect("a folder");
        for (name, bytes) in files {
            std::fs::write(self.0.join(name), bytes).expect("room");
        }
    }

    /// Bytes of all files.
    fn bytes(&self) -> u64 {
        let files = self.files();
        files.iter().map(|(_, bytes)| bytes.len() as u64).sum()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        self.remove();
    }
}

/// A test of this program, as another process that is told a folder.
fn copy_of_this(test: &str, folder: &Folder) -> Command {
    let mut command = Command::new(std::env::current_exe().expect("this program"));
    command
        .args(["--exact", &format!("spill::tests::{test}"), "--nocapture"])
        .env(FOLDER, folder.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    command
}

/// The folder, in such a copy.
fn folder_of_copy() -> Option<PathBuf> {
    std::env::var_os(FOLDER).map(PathBuf::from)
}

fn start(command: &mut Command) -> Child {
    command.spawn().expect("this program")
}

/// A number without pattern (SplitMix64).
fn mixed(n: u64) -> u64 {
    let z = n.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[track_caller]
fn assert_damaged<T>(result: Result<T, SpillError>) -> String {
    match result {
        Err(SpillError::Damaged { path, why }) => format!("{} {why}", path.display()),
        Err(error) => panic!("{error:?}"),
        Ok(_) => panic!("no error"),
    }
}

#[track_caller]
fn assert_full<T>(result: Result<T, SpillError>) {
    match result {
        Err(SpillError::Full { .. }) => {}
        Err(error) => panic!("{error:?}"),
        Ok(_) => panic!("no error"),
    }
}
