//! Writing files so that there is a whole one or none.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Names tried for the file that becomes the one asked for.
const ATTEMPTS: u32 = 100;

/// Writes a file. A regular file, or one that does not exist, is replaced in one step once everything
/// is on the disk; whatever goes wrong before leaves things as they were. Anything else, such as a
/// device or a pipe, is written to.
///
/// # Errors
/// Those of the operating system.
pub fn write_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    // A link stays a link: the file that it leads to is replaced.
    let target = match fs::canonicalize(path) {
        Ok(target) => target,
        Err(error) if error.kind() == io::ErrorKind::NotFound => path.to_path_buf(),
        Err(error) => return Err(error),
    };
    // The permissions are kept as well, so they are asked before the file is replaced.
    let known = fs::metadata(&target).ok();
    if known.as_ref().is_some_and(|m| !m.is_file()) {
        // Neither created nor cut: a device has no content to replace.
        let mut file = OpenOptions::new().write(true).open(&target)?;
        return file.write_all(bytes).and_then(|()| file.flush());
    }
    clear_leftovers(&target);
    // In the same folder, so that both are on one file system: only there a renaming is one step.
    let (file, beside) = create_beside(&target)?;
    let written = fill(file, bytes)
        .and_then(|()| match known {
            Some(old) => fs::set_permissions(&beside, old.permissions()),
            None => Ok(()),
        })
        .and_then(|()| fs::rename(&beside, &target));
    if written.is_err() {
        // What went wrong first is what is told.
        let _ = fs::remove_file(&beside);
    }
    written
}

fn fill(mut file: File, bytes: &[u8]) -> io::Result<()> {
    file.write_all(bytes)?;
    // Before the renaming: otherwise a crash could leave the new name with nothing behind it.
    file.sync_all()
}

/// A new file in the folder of `target`.
fn create_beside(target: &Path) -> io::Result<(File, PathBuf)> {
    let name = target
        .file_name()
        .ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "not the name of a file"))?;
    let mut attempt = 0;
    loop {
        // Built from the name as it is, since it need not be UTF-8.
        let mut beside = std::ffi::OsString::from(".");
        beside.push(name);
        beside.push(format!(".{}-{attempt}.new", std::process::id()));
        let path = target.with_file_name(beside);
        // `create_new`: a file or link of that name that somebody else has put there is never
        // written to.
        match OpenOptions::new().write(true).create_new(true).open(&path) {
            Ok(file) => return Ok((file, path)),
            Err(error)
                if error.kind() == io::ErrorKind::AlreadyExists && attempt + 1 < ATTEMPTS =>
            {
                attempt += 1;
            }
            Err(error) => return Err(error),
        }
    }
}

/// How old a file of a process that seems to run is when it is taken for a leftover: numbers of processes are used again.
const LEFT_AFTER: Duration = Duration::from_secs(24 * 60 * 60);

/// Removes what processes left in the folder of a file that were killed while they wrote. What cannot be removed
/// stays.
fn clear_leftovers(target: &Path) {
    let folder = target.parent().filter(|folder| *folder != Path::new(""));
    let Ok(entries) = fs::read_dir(folder.unwrap_or(Path::new("."))) else {
        return;
    };
    for entry in entries.flatten() {
        let Some(writer) = entry.file_name().to_str().and_then(writer_of) else {
            continue;
        };
        // Of a link itself, never of what it leads to.
        let Ok(about) = fs::symlink_metadata(entry.path()) else {
            continue;
        };
        let age = about.modified().ok().and_then(|time| time.elapsed().ok());
        let is_old = age.is_some_and(|age| age > LEFT_AFTER);
        if about.is_file() && (is_old || !may_run(writer)) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// The number of the process that has made a file of this name, as `.NAME.PID-N.new`, if it is one of ours.
fn writer_of(name: &str) -> Option<u32> {
    let rest = name.strip_prefix('.')?.strip_suffix(".new")?;
    let (target, numbers) = rest.rsplit_once('.')?;
    let (process, attempt) = numbers.split_once('-')?;
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    if target.is_empty() || !is_number(process) || !is_number(attempt) {
        return None;
    }
    process.parse().ok()
}

/// Whether a process runs, as far as that can be told.
#[cfg(unix)]
fn may_run(process: u32) -> bool {
    use rustix::process::{Pid, test_kill_process};
    let number = i32::try_from(process).ok().and_then(Pid::from_raw);
    number.is_some_and(|pid| test_kill_process(pid) != Err(rustix::io::Errno::SRCH))
}

#[cfg(not(unix))]
fn may_run(_: u32) -> bool {
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(name: &str) -> PathBuf {
        let folder =
            std::env::temp_dir().join(format!("orbitscope-write-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        folder
    }

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        let mut names: Vec<String> = entries
            .map(|e| e.unwrap().file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn files_are_made_and_replaced() {
        let folder = folder("replace");
        let path = folder.join("x");
        write_whole(&path, b"one").unwrap();
        write_whole(&path, b"two").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"two");
        assert_eq!(names(&folder), ["x"]);
        fs::remove_dir_all(folder).unwrap();
    }

    /// What a killed process has left goes; files of others, of processes that run, and links stay.
    #[cfg(unix)]
    #[test]
    fn leftovers_of_dead_processes_are_cleared() {
        let folder = folder("leftovers");
        let mut dead = std::process::Command::new("true").spawn().unwrap();
        let number = dead.id();
        dead.wait().unwrap();
        let gone = [
            format!(".x.{number}-0.new"),
            format!(".other.json.{number}-12.new"),
        ];
        let kept = [
            format!(".x.{}-0.new", std::process::id()),
            format!("x.{number}-0.new"),
            format!(".x.{number}-0.old"),
            format!(".x.{number}.new"),
            format!(".{number}-0.new"),
        ];
        for name in gone.iter().chain(&kept) {
            fs::write(folder.join(name), b"half").unwrap();
        }
        let link = format!(".y.{number}-1.new");
        std::os::unix::fs::symlink("x", folder.join(&link)).unwrap();
        write_whole(&folder.join("x"), b"one").unwrap();
        let mut expected: Vec<String> = kept.into_iter().chain([link, "x".to_owned()]).collect();
        expected.sort();
        assert_eq!(names(&folder), expected);
        fs::remove_dir_all(folder).unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn what_goes_wrong_leaves_nothing() {
        let folder = folder("wrong");
        assert!(write_whole(&folder.join("no/such/x"), b"one").is_err());
        assert!(write_whole(&folder, b"one").is_err());
        assert!(write_whole(Path::new("/"), b"one").is_err());
        assert!(names(&folder).is_empty());
        let link = folder.join("link");
        fs::write(folder.join("x"), b"one").unwrap();
        std::os::unix::fs::symlink("x", &link).unwrap();
        write_whole(&link, b"two").unwrap();
        assert_eq!(fs::read(folder.join("x")).unwrap(), b"two");
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        fs::remove_dir_all(folder).unwrap();
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_full_device_is_an_error_and_stays_a_device() {
        use std::os::unix::fs::FileTypeExt;
        let full = Path::new("/dev/full");
        let error = write_whole(full, b"one").unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::StorageFull);
        assert!(fs::metadata(full).unwrap().file_type().is_char_device());
    }
}
