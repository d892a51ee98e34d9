//! Bounded reading of files, which may be long or never end: at most a given number of bytes, until cancelled.

use std::fs::{File, OpenOptions};
use std::io::{self, Read};
use std::path::Path;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use super::{Cancel, Stop};

/// Interval between two looks at the request to stop.
const POLL: Duration = Duration::from_millis(20);

/// Why a file was not read.
#[derive(Debug)]
pub enum Unread {
    /// An error of the operating system.
    Failed(io::Error),
    /// It is no regular file, and nothing else will do.
    Irregular,
    /// It has more bytes than may be read.
    TooLong,
    /// A limit or a cancellation ended the read.
    Stopped(Stop),
}

/// Opens a file for reading. Some files of the system pretend to be regular and wait for something to
/// happen when they are read: that is an error then.
///
/// # Errors
/// Errors of the operating system.
pub fn open(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true);
    // Only regular files: a pipe that is opened so would seem empty until somebody writes.
    if std::fs::metadata(path).is_ok_and(|about| about.is_file()) {
        never_wait(&mut options);
    }
    options.open(path)
}

/// Opens a regular file for reading, and nothing else; none for what is something else. That is asked of the file that
/// was opened: between a look at a path and opening it another file may take its place.
///
/// # Errors
/// Errors of the operating system.
pub fn open_regular(path: &Path) -> io::Result<Option<File>> {
    // To open a device may do something by itself.
    if !std::fs::metadata(path)?.is_file() {
        return Ok(None);
    }
    let mut options = OpenOptions::new();
    never_wait(options.read(true));
    let file = options.open(path)?;
    Ok(file.metadata()?.is_file().then_some(file))
}

/// Keeps opening, reading and writing from waiting for anybody; has no effect on files that are on a disk.
pub(super) fn never_wait(options: &mut OpenOptions) {
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        options.custom_flags(rustix::fs::OFlags::NONBLOCK.bits().cast_signed());
    }
}

/// A source of bytes: a file or standard input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source<'a> {
    /// A file of any type, named pipes included.
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
    let (path, any) = match source {
        Source::File(path) => (Some(path.to_owned()), true),
        Source::Regular(path) => (Some(path.to_owned()), false),
        Source::Stdin => (None, true),
    };
    let all = move || match path {
        Some(path) if any => limited(open(&path)?, most).map(Some),
        Some(path) => match open_regular(&path)? {
            Some(file) => limited(file, most).map(Some),
            None => Ok(None),
        },
        None => limited(io::stdin().lock(), most).map(Some),
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
            Ok(Ok(None)) => return Err(Unread::Irregular),
            Ok(Ok(Some(bytes))) if bytes.len() as u64 > most => return Err(Unread::TooLong),
            Ok(Ok(Some(bytes))) => return Ok(bytes),
            Ok(Err(error)) => return Err(Unread::Failed(error)),
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
        // Refused at once: no deadline has to come.
        let refused = bounded(Source::Regular(&pipe), 9, &Cancel::default(), None);
        assert!(matches!(refused, Err(Unread::Irregular)));
        std::fs::remove_file(&pipe).unwrap();
    }
}
