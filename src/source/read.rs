//! Reading files that may be long, or never end: never more than was asked for, and never for longer than
//! somebody wants to wait.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use super::{Cancel, Stop};

/// How often it is asked whether anybody still waits.
const POLL: Duration = Duration::from_millis(20);

/// Why a file was not read.
#[derive(Debug)]
pub enum Unread {
    /// What the operating system says.
    Failed(io::Error),
    /// It is no regular file, and nothing else will do.
    Irregular,
    /// It has more bytes than may be read.
    TooLong,
    /// Nobody waits any longer.
    Stopped(Stop),
}

/// Opens a file for reading. Some files of the system pretend to be regular and wait for something to
/// happen when they are read: that is an error then.
///
/// # Errors
/// Those of the operating system.
pub fn open(path: &Path) -> io::Result<File> {
    let mut options = std::fs::OpenOptions::new();
    options.read(true);
    #[cfg(target_os = "linux")]
    if std::fs::metadata(path).is_ok_and(|about| about.is_file()) {
        // Only regular files: a pipe that is opened so would seem empty until somebody writes.
        use std::os::unix::fs::OpenOptionsExt as _;
        /// `O_NONBLOCK`, which has no effect on files that are on a disk.
        const NEVER_WAIT: i32 = 0o4000;
        options.custom_flags(NEVER_WAIT);
    }
    options.open(path)
}

/// What may be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source<'a> {
    /// A file, whatever it is: a pipe may have a name, too.
    File(&'a Path),
    /// A regular file only.
    Regular(&'a Path),
    /// Standard input.
    Stdin,
}

/// All bytes, if there are at most `most`; ends when cancelled, or at the deadline.
///
/// # Errors
/// Why there is nothing.
pub fn bounded(
    source: Source<'_>,
    most: u64,
    cancel: &Cancel,
    deadline: Option<Instant>,
) -> Result<Vec<u8>, Unread> {
    let path: Option<PathBuf> = match source {
        Source::File(path) => Some(path.to_owned()),
        Source::Regular(path) => {
            // Asked before the thread is made: to open a pipe may wait for ever.
            let about = std::fs::metadata(path).map_err(Unread::Failed)?;
            if !about.is_file() {
                return Err(Unread::Irregular);
            }
            Some(path.to_owned())
        }
        Source::Stdin => None,
    };
    let all = move || match path {
        Some(path) => limited(open(&path)?, most),
        None => limited(io::stdin().lock(), most),
    };
    // A thread that waits for ever is left behind, and ends with the program.
    let (done, result) = channel();
    let reader = thread::Builder::new().spawn(move || {
        // Nobody may listen any more.
        let _ = done.send(all());
    });
    reader.map_err(Unread::Failed)?;
    loop {
        match result.recv_timeout(POLL) {
            Ok(Ok(bytes)) if bytes.len() as u64 > most => return Err(Unread::TooLong),
            Ok(read) => return read.map_err(Unread::Failed),
            // The thread ended without an answer: it has panicked.
            Err(RecvTimeoutError::Disconnected) => {
                let lost = io::Error::other("reading it failed");
                return Err(Unread::Failed(lost));
            }
            // Asked only when nothing has come for a while: a file that is there is read even if
            // somebody has just cancelled.
            Err(RecvTimeoutError::Timeout) if cancel.is_cancelled() => {
                return Err(Unread::Stopped(Stop::Cancelled));
            }
            Err(RecvTimeoutError::Timeout) => {
                if deadline.is_some_and(|d| Instant::now() >= d) {
                    return Err(Unread::Stopped(Stop::Time));
                }
            }
        }
    }
}

/// One byte more than allowed shows that there are too many.
fn limited(from: impl Read, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    from.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(source: Source<'_>, most: u64) -> Result<Vec<u8>, Unread> {
        let soon = Instant::now() + Duration::from_millis(300);
        bounded(source, most, &Cancel::default(), Some(soon))
    }

    #[test]
    fn no_more_is_read_than_allowed() {
        let path = std::env::temp_dir().join(format!("orbitscope-read-{}", std::process::id()));
        std::fs::write(&path, b"12345").unwrap();
        assert_eq!(read(Source::File(&path), 5).unwrap(), b"12345");
        let long = read(Source::Regular(&path), 4);
        assert!(matches!(long, Err(Unread::TooLong)), "{long:?}");
        std::fs::remove_file(&path).unwrap();
        assert!(matches!(
            read(Source::Regular(&path), 4),
            Err(Unread::Failed(_))
        ));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn what_never_ends_is_given_up() {
        let zero = Path::new("/dev/zero");
        assert!(matches!(
            read(Source::File(zero), 1 << 20),
            Err(Unread::TooLong)
        ));
        assert!(matches!(
            read(Source::Regular(zero), 9),
            Err(Unread::Irregular)
        ));
        let pipe = std::env::temp_dir().join(format!("orbitscope-pipe-{}", std::process::id()));
        let made = std::process::Command::new("mkfifo").arg(&pipe).status();
        assert!(made.unwrap().success());
        assert!(matches!(
            read(Source::File(&pipe), 9),
            Err(Unread::Stopped(Stop::Time))
        ));
        let cancel = Cancel::default();
        cancel.cancel();
        let stopped = bounded(Source::File(&pipe), 9, &cancel, None);
        assert!(matches!(stopped, Err(Unread::Stopped(Stop::Cancelled))));
        std::fs::remove_file(&pipe).unwrap();
    }
}
