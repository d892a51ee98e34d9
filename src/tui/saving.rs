//! The files of a walk.

use std::path::PathBuf;

use crate::animate::history::HistoryId;
use crate::animate::model::ScriptInfo;
use crate::animate::replayed::TraceRun;
use crate::report::run_file::RunFile;

/// A file, and its contents when it was last read or written here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownFile {
    /// The path.
    pub path: PathBuf,
    /// The hash of its contents.
    pub hash: String,
}

/// A session that is to be opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpeningSession {
    /// The session.
    pub session: RunFile,
    /// The file it was read from; `None` if it was recovered after a crash.
    pub file: Option<KnownFile>,
}

/// A session that is to be written.
#[derive(Clone, Debug, PartialEq)]
pub struct SessionWriting {
    /// The session to write; it has no name for the script yet, since that depends on the folder.
    pub session: RunFile,
    /// The script, as the user gave it.
    pub script: String,
    /// The file that was asked for; otherwise the one that is known, or a new one.
    pub to: Option<PathBuf>,
    /// The file that the walk was read from, or written to before.
    pub known: Option<KnownFile>,
    /// Entries of the walk.
    pub entries: usize,
}

/// A session that was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionWritten {
    /// The present file.
    pub file: KnownFile,
    /// Entries of the walk.
    pub entries: usize,
    /// A remark for the user.
    pub remark: String,
}

/// A file to write once the engine has described the steps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AwaitedWriting {
    /// The entries that it was asked about.
    pub ids: Vec<HistoryId>,
    /// The purpose of the file.
    pub purpose: Purpose,
}

/// The purpose of a request for details of steps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// To write them to this file, or to the one that is known, or to a new one.
    Write(Option<PathBuf>),
    /// To follow them with the script as it is now.
    Reload,
}

/// A script that is being loaded once more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reloading {
    /// The time when it began.
    pub since: u64,
    /// The facts about the script, once it is loaded and its walk is followed.
    pub info: Option<ScriptInfo>,
}

/// The files of the walk.
#[derive(Clone, Debug, Default)]
pub struct WalkFiles {
    /// A session to open once the script is there.
    pub opening: Option<Box<OpeningSession>>,
    /// The file that the walk was read from or written to last.
    pub file: Option<KnownFile>,
    /// The number of history entries in that file.
    pub saved: usize,
    /// Files of the script that are not as they were when they were read.
    pub changed: Vec<String>,
    /// The script is being loaded again.
    pub reloading: Option<Reloading>,
    /// The file that is being written.
    pub awaited: Option<AwaitedWriting>,
    /// A trace that was followed only in part, while its silent steps are searched for.
    pub half: Option<Box<TraceRun>>,
    /// The file that keeps the walk while the program runs.
    pub keeper: Option<PathBuf>,
    /// The number of history entries in it.
    pub kept: usize,
    /// A walk that was left behind by a program that ended unexpectedly, and its file.
    pub left: Option<(RunFile, PathBuf)>,
    /// The file of a walk that was left behind and is being opened.
    pub recovering: Option<PathBuf>,
    /// When the engine was last asked while it had nothing to do.
    pub busy_since: u64,
    /// Whether to quit once it is written.
    pub quitting: bool,
}
