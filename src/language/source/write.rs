//! Writing files so that there is a whole one or none.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use super::read::never_wait;

/// Time after which writing to a full pipe is given up.
const PATIENCE: Duration = Duration::from_secs(10);
/// Interval between two attempts to write.
const POLL: Duration = Duration::from_millis(5);
/// Names tried for the file that becomes the one asked for.
const ATTEMPTS: u32 = 100;

/// Writes a file that a person has named. A regular file, or one that does not exist, is replaced in one step once
/// everything is on the disk; an error before that changes nothing. Anything else, such as a device or a pipe, is
/// written to, as long as it takes bytes.
///
/// # Errors
/// Errors of the operating system.
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
        return write_through(&target, bytes);
    }
    replace(&target, known.as_ref(), bytes)
}

/// Writes a file whose name the user has not chosen: as [`write_whole`], but an existing link is replaced and not
/// followed, and anything else that is not a regular file is left alone.
///
/// # Errors
/// Errors of the operating system; the path is not a regular file.
pub fn write_own(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let known = match fs::symlink_metadata(path) {
        Ok(about) => Some(about),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(error),
    };
    if known
        .as_ref()
        .is_some_and(|m| !m.is_file() && !m.is_symlink())
    {
        return Err(io::Error::other("what is there is no regular file"));
    }
    // Nothing is kept of a link.
    replace(path, known.filter(fs::Metadata::is_file).as_ref(), bytes)
}

/// Writes to what is no regular file. Neither created nor cut: a device has no content to replace.
fn write_through(target: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut options = OpenOptions::new();
    never_wait(options.write(true));
    let mut file = options
        .open(target)
        .map_err(|error| match has_no_reader(&error) {
            true => io::Error::other("nobody reads from it"),
            false => error,
        })?;
    let mut left = bytes;
    let mut taken = Instant::now();
    while !left.is_empty() {
        match file.write(left) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(n) => {
                left = &left[n..];
                taken = Instant::now();
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                if taken.elapsed() >= PATIENCE {
                    return Err(io::Error::other("nobody takes what is written to it"));
                }
                thread::sleep(POLL);
            }
            Err(error) => return Err(error),
        }
    }
    file.flush()
}

/// Puts a file with these bytes into the place of `target`, with the permissions of what is there.
fn replace(target: &Path, known: Option<&fs::Metadata>, bytes: &[u8]) -> io::Result<()> {
    clear_leftovers(target);
    // In the same folder, so that both are on one file system: only there a renaming is one step.
    let (file, beside) = create_beside(target)?;
    let written = fill(file, bytes)
        .and_then(|()| match known {
            Some(old) => fs::set_permissions(&beside, old.permissions()),
            None => Ok(()),
        })
        .and_then(|()| fs::rename(&beside, target));
    if written.is_err() {
        // What went wrong first is what is told.
        let _ = fs::remove_file(&beside);
    }
    written
}

/// Whether opening failed because a pipe or a socket has no reader.
fn has_no_reader(error: &io::Error) -> bool {
    #[cfg(unix)]
    {
        error.raw_os_error() == Some(rustix::io::Errno::NXIO.raw_os_error())
    }
    #[cfg(not(unix))]
    {
        let _ = error;
        false
    }
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

/// Age at which a file of a process that seems to run is taken for a leftover: process ids are reused.
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

/// Whether a process runs; true if that is unknown.
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

    /// Leftovers of killed processes are removed; files of other programs and of running processes stay, and so do
    /// links.
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

    /// Names chosen by the program never follow a link.
    #[cfg(unix)]
    #[test]
    fn a_link_of_the_programs_own_is_replaced_and_a_pipe_left_alone() {
        let folder = folder("own");
        let (link, victim) = (folder.join("link"), folder.join("victim"));
        fs::write(&victim, b"precious").unwrap();
        for to in ["victim", "nowhere", "link"] {
            let _ = fs::remove_file(&link);
            std::os::unix::fs::symlink(to, &link).unwrap();
            write_own(&link, b"one").unwrap();
            assert!(fs::symlink_metadata(&link).unwrap().is_file());
            assert_eq!(fs::read(&link).unwrap(), b"one");
        }
        assert_eq!(fs::read(&victim).unwrap(), b"precious");
        write_own(&link, b"two").unwrap();
        assert_eq!(fs::read(&link).unwrap(), b"two");
        let pipe = folder.join("pipe");
        let made = std::process::Command::new("mkfifo").arg(&pipe).status();
        assert!(made.unwrap().success());
        assert!(write_own(&pipe, b"one").is_err());
        assert!(write_own(&folder, b"one").is_err());
        // One that a person has named is not waited for, either.
        let error = write_whole(&pipe, b"one").unwrap_err();
        assert_eq!(error.to_string(), "nobody reads from it");
        assert_eq!(names(&folder), ["link", "pipe", "victim"]);
        fs::remove_dir_all(folder).unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn a_pipe_with_a_reader_gets_all_of_a_long_text() {
        let folder = folder("pipe");
        let pipe = folder.join("pipe");
        let made = std::process::Command::new("mkfifo").arg(&pipe).status();
        assert!(made.unwrap().success());
        let text: Vec<u8> = (0..1_000_000u32).map(|n| n as u8).collect();
        let (opened, from) = (std::sync::mpsc::channel(), pipe.clone());
        let reader = thread::spawn(move || {
            // Open for both, so that opening does not wait; reading ends with the text.
            let file = OpenOptions::new().read(true).write(true).open(&from);
            let mut read = vec![0; 1_000_000];
            opened.0.send(()).unwrap();
            io::Read::read_exact(&mut file.unwrap(), &mut read).unwrap();
            read
        });
        opened.1.recv().unwrap();
        write_whole(&pipe, &text).unwrap();
        assert!(reader.join().unwrap() == text);
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
