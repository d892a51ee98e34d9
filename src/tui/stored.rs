//! Small files in RON that are kept from one run to the next, each written as a whole.

use std::path::{Path, PathBuf};

use etcetera::{BaseStrategy, choose_base_strategy};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::source::Cancel;
use crate::source::read::{Source, Unread, bounded};
use crate::source::write::write_own;

/// Largest size of such a file.
const BYTES_MAX: u64 = 1024 * 1024;

/// `ORBITSCOPE_STATE_DIR`, else `orbitscope` in the platform's folder for states.
fn state_folder() -> Option<PathBuf> {
    let own = std::env::var_os("ORBITSCOPE_STATE_DIR").filter(|value| !value.is_empty());
    own.map(PathBuf::from).or_else(|| {
        let platform = choose_base_strategy().ok()?;
        let folder = platform.state_dir().unwrap_or_else(|| platform.data_dir());
        Some(folder.join("orbitscope"))
    })
}

/// The place of a file or folder with this name in the folder for states.
#[must_use]
pub fn place(name: &str) -> Option<PathBuf> {
    Some(state_folder()?.join(name))
}

/// Says that there is no folder for states.
#[must_use]
pub fn no_folder() -> String {
    "there is no folder for it: neither HOME nor ORBITSCOPE_STATE_DIR is set".to_owned()
}

/// Reads a file's text.
///
/// # Errors
/// Why there is none.
pub fn text_of(path: &Path, most: u64) -> Result<String, String> {
    match bounded(Source::Regular(path), most, &Cancel::default(), None) {
        Ok(bytes) => String::from_utf8(bytes).map_err(|error| {
            let at = error.utf8_error().valid_up_to();
            format!("it is no text: byte {at} is not UTF-8")
        }),
        Err(Unread::Failed(error)) => Err(error.to_string()),
        Err(Unread::TooLong) => Err(format!("it has more than {most} bytes")),
        Err(Unread::Irregular | Unread::Stopped(_)) => Err("it is no regular file".to_owned()),
    }
}

/// Reads such a file.
///
/// # Errors
/// Why it cannot be used.
pub fn parsed<T: DeserializeOwned>(path: &Path) -> Result<T, String> {
    let text = text_of(path, BYTES_MAX)?;
    ron::from_str(&text).map_err(|error| format!("{}: {}", error.span.start, error.code))
}

/// Reads such a file; with a note if it cannot be used, which says that `what` not read.
#[must_use]
pub fn read<T: DeserializeOwned + Default>(path: &Path, what: &str) -> (T, String) {
    if !path.exists() {
        return (T::default(), String::new());
    }
    match parsed(path) {
        Ok(read) => (read, String::new()),
        Err(why) => {
            let note = format!("{what} not read: {}: {why}", path.display());
            (T::default(), note)
        }
    }
}

/// Writes such a file, in a folder that is made if there is none.
///
/// # Errors
/// Why it cannot be written.
pub fn write<T: Serialize>(path: &Path, what: &T) -> Result<(), String> {
    let failed = |why: String| format!("{} cannot be written: {why}", path.display());
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(|error| failed(error.to_string()))?;
    }
    let text = ron::to_string(what).map_err(|error| failed(error.to_string()))?;
    write_own(path, text.as_bytes()).map_err(|error| failed(error.to_string()))
}

/// Changes such a file. It is read again just before, so that changes of other instances stay.
///
/// # Errors
/// Why it is not changed: a file that a person may have written is not overwritten.
pub fn change<T>(path: &Path, what: &str, change: impl FnOnce(&mut T)) -> Result<(), String>
where
    T: DeserializeOwned + Default + Serialize + Clone + PartialEq,
{
    let (mut data, trouble): (T, _) = read(path, what);
    if !trouble.is_empty() {
        return Err(trouble);
    }
    let before = data.clone();
    change(&mut data);
    if data == before {
        return Ok(());
    }
    write(path, &data)
}

/// Whether a process with this number exists, which may be another one than before.
#[must_use]
pub fn runs(number: i32) -> bool {
    #[cfg(unix)]
    {
        use rustix::process::{Pid, test_kill_process};
        match Pid::from_raw(number) {
            // A process of another user exists, too.
            Some(pid) => test_kill_process(pid) != Err(rustix::io::Errno::SRCH),
            None => false,
        }
    }
    #[cfg(not(unix))]
    {
        number == std::process::id() as i32
    }
}
