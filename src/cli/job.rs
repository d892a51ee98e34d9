//! What a worker is sent of a check ([`super::hosts`]): its arguments, and the script with its includes.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Parser;

use super::args::{CheckArgs, Cli, Subcommand};
use super::store_args::StoredSearch;
use orbitscope_engine::mesh::words::{Words, put, put_bytes};
use orbitscope_language::script::load::Loaded;

/// Names and texts of files.
type SentFiles = Vec<(PathBuf, String)>;

/// A job that was received.
pub struct ReceivedJob {
    /// The arguments that say what is searched, and how. Those that name files are left out: a worker opens no file that
    /// another machine names.
    pub args: CheckArgs,
    /// The files of the script, the main one first.
    pub files: SentFiles,
    /// Whether its states are to be on disk.
    pub stored: Option<StoredSearch>,
}

/// Writes what each worker is sent: whether the states are to be on disk, the number of the arguments and these, and for
/// each file of the script its name and its text.
///
/// # Errors
/// An argument that is no text.
pub fn write_job(
    words: &[OsString],
    loaded: &Loaded,
    stored: Option<StoredSearch>,
) -> Result<Vec<u8>, String> {
    let mut job = Vec::new();
    put(&mut job, u64::from(stored.is_some()));
    if let Some(StoredSearch { search, goes_on }) = stored {
        put(&mut job, search);
        put(&mut job, u64::from(goes_on));
    }
    put(&mut job, words.len() as u64);
    for word in words {
        let text = word.to_str();
        let text = text.ok_or_else(|| format!("{} is no text", word.display()))?;
        put_bytes(&mut job, text.as_bytes());
    }
    for file in loaded.sources.files() {
        put_bytes(&mut job, file.path.to_string_lossy().as_bytes());
        put_bytes(&mut job, file.text.as_bytes());
    }
    Ok(job)
}

/// Reads a job.
///
/// # Errors
/// It cannot be read, or its arguments are none of a check.
pub fn read_job(body: &[u8]) -> Result<ReceivedJob, String> {
    let (stored, words, files) = parts(body).ok_or("what was sent cannot be read")?;
    let words = ["orbitscope", "check"]
        .map(str::to_owned)
        .into_iter()
        .chain(words);
    let cli = Cli::try_parse_from(words).map_err(|error| error.to_string())?;
    let Some(Subcommand::Check(args)) = cli.command else {
        return Err("what was sent is no check".to_owned());
    };
    let args = CheckArgs {
        file: PathBuf::new(),
        save: None,
        store: args.store.of_worker(),
        processes: args.processes.of_worker(),
        ..args
    };
    Ok(ReceivedJob {
        args,
        files,
        stored,
    })
}

/// Whether the states are to be on disk, the words of the arguments, and the files.
fn parts(body: &[u8]) -> Option<(Option<StoredSearch>, Vec<String>, SentFiles)> {
    let mut job = Words(body);
    let stored = match job.number()? {
        0 => None,
        _ => Some(StoredSearch {
            search: job.number()?,
            goes_on: job.number()? != 0,
        }),
    };
    let text = |job: &mut Words<'_>| String::from_utf8(job.bytes()?.to_vec()).ok();
    let mut words = Vec::new();
    for _ in 0..job.number()? {
        words.push(text(&mut job)?);
    }
    let mut files = Vec::new();
    while !job.is_over() {
        files.push((text(&mut job)?.into(), text(&mut job)?));
    }
    Some((stored, words, files))
}
