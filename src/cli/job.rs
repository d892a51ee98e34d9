//! What a worker is sent of a check ([`super::hosts`]): its arguments, and the script with its includes.

use std::path::PathBuf;

use clap::Parser;

use super::args::{CheckArgs, Cli, Subcommand};
use super::store_args::StoreArgs;
use orbitscope_engine::mesh::words::Words;

/// Names and texts of files.
type SentFiles = Vec<(PathBuf, String)>;

/// A job that was received.
pub struct ReceivedJob {
    /// The arguments that say what is searched, and how. Those that name files are left out: a worker opens no file that
    /// another machine names.
    pub args: CheckArgs,
    /// The files of the script, the main one first.
    pub files: SentFiles,
}

/// Reads a job.
///
/// # Errors
/// It cannot be read, or its arguments are none of a check.
pub fn read_job(body: &[u8]) -> Result<ReceivedJob, String> {
    let (words, files) = parts(body).ok_or("what was sent cannot be read")?;
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
        store: StoreArgs::default(),
        processes: args.processes.of_worker(),
        ..args
    };
    Ok(ReceivedJob { args, files })
}

/// The words of the arguments, and the files.
fn parts(body: &[u8]) -> Option<(Vec<String>, SentFiles)> {
    let mut job = Words(body);
    let text = |job: &mut Words<'_>| String::from_utf8(job.bytes()?.to_vec()).ok();
    let mut words = Vec::new();
    for _ in 0..job.number()? {
        words.push(text(&mut job)?);
    }
    let mut files = Vec::new();
    while !job.is_over() {
        files.push((text(&mut job)?.into(), text(&mut job)?));
    }
    Some((words, files))
}
