//! What the screen knows of files of its walk.

use std::path::PathBuf;

use crate::animate::history::HistoryId;
use crate::animate::model::ScriptInfo;
use crate::animate::recorded::TraceRun;
use crate::animate::session_file::SessionFile;

/// A file, and what was in it when it was last read or written here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownFile {
    /// Where it is.
    pub path: PathBuf,
    /// The hash of its contents.
    pub hash: String,
}

/// A session that is to be opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpeningSession {
    /// What it holds.
    pub session: SessionFile,
    /// Where it was read from; none if it was kept when the program ended unexpectedly.
    pub file: Option<KnownFile>,
}

/// A session that is to be written.
#[derive(Clone, Debug, PartialEq)]
pub struct SessionWriting {
    /// What is to be in the file; it has no name for the script yet, since that depends on the folder.
    pub session: SessionFile,
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
    /// Where it is now.
    pub file: KnownFile,
    /// Entries of the walk.
    pub entries: usize,
    /// What to say besides.
    pub remark: String,
}

/// What is to be written once the engine has told what a record needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AwaitedWriting {
    /// The entries that it was asked about.
    pub ids: Vec<HistoryId>,
    /// What for.
    pub purpose: Purpose,
}

/// What the engine is asked about steps for.
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
    /// When that began.
    pub since: u64,
    /// What is known of it, once it is loaded and its walk is followed.
    pub info: Option<ScriptInfo>,
}

/// What is known of files of the walk.
#[derive(Clone, Debug, Default)]
pub struct WalkFiles {
    /// A session to open once the script is there.
    pub opening: Option<Box<OpeningSession>>,
    /// The file that the walk was read from or written to last.
    pub file: Option<KnownFile>,
    /// How many entries of the history are in that file.
    pub saved: usize,
    /// Files of the script that are not as they were when they were read.
    pub changed: Vec<String>,
    /// The script is being loaded again.
    pub reloading: Option<Reloading>,
    /// What is being written.
    pub awaited: Option<AwaitedWriting>,
    /// A trace that was followed step by step as far as it went, while its silent steps are looked for.
    pub half: Option<Box<TraceRun>>,
    /// The file that keeps the walk while the program runs.
    pub keeper: Option<PathBuf>,
    /// How many entries of the history are in it.
    pub kept: usize,
    /// A walk that was left behind by a program that ended unexpectedly, and its file.
    pub left: Option<(SessionFile, PathBuf)>,
    /// The file of a walk that was left behind and is being opened.
    pub recovering: Option<PathBuf>,
    /// When the engine was last asked while it had nothing to do.
    pub busy_since: u64,
    /// Whether to end the program once it is written.
    pub quitting: bool,
}
