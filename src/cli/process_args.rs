//! Arguments of `check` for a search that several processes share, and the other processes.
//!
//! This process starts the others for the same check, and meets them on sockets of this machine. All run the same
//! check; this one alone writes results.

use std::ffi::OsString;
use std::fmt::Display;
use std::io::{self, Read, Write};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Instant;

use clap::Args;

use super::hosts::call_hosts;
use super::job::write_job;
use super::sharing::{ENDING, LostProcess, MEETING, OtherProcesses, SharingProcesses, noting};
use super::store_args::{StoreArgs, StoredSearch, script_hash};
use super::units;
use crate::source::Cancel;
use orbitscope_engine::check::{ProcessPlan, StorePlan};
use orbitscope_engine::mesh::meeting::Meeting;
use orbitscope_engine::mesh::{LinkEnd, Mesh, OnEnd, SearchKey};
use orbitscope_engine::spill::checksum;
use orbitscope_language::script::load::Loaded;

/// The processes of a check.
#[derive(Clone, Debug, Default, Args)]
pub struct ProcessArgs {
    /// Share the search between this many processes of this machine. The result is the same. On one machine threads are
    /// faster: this shows what several machines would do. For one assertion; with `--store` each has its states on disk.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=64),
        conflicts_with_all = ["resume", "both", "adaptive"])]
    pub processes: Option<u8>,
    /// Share the search with the workers that this file lists, one a line: an ADDRESS as node7:4000, where `orbitscope
    /// worker` listens, or ssh:HOST, where it is started. The script is sent to them. The result is the same. For one
    /// assertion; with `--store` each has its states on its own disk.
    #[arg(long, value_name = "FILE",
        conflicts_with_all = ["resume", "both", "adaptive", "processes"])]
    pub hosts: Option<PathBuf>,
    /// The key that the workers hold: a file of at least 32 bytes that no one else may read (mode 600). Workers that are
    /// started through ssh are sent it, or one for this check.
    #[arg(long, value_name = "FILE", requires = "hosts")]
    pub key: Option<PathBuf>,
    /// Share the states when there are N. Default: 262144.
    #[arg(long, value_name = "N", value_parser = units::count)]
    pub share_after: Option<usize>,
    /// The number of this process, and where the first one listens.
    #[arg(long, hide = true, value_name = "NUMBER@ADDRESS")]
    joins: Option<String>,
}

impl ProcessArgs {
    /// The number of processes.
    pub fn number(&self) -> usize {
        self.processes.map_or(1, usize::from)
    }

    /// Whether this process was started by another one: it writes nothing.
    pub fn is_started(&self) -> bool {
        self.joins.is_some()
    }

    /// What of it holds for a worker that was called.
    pub fn of_worker(&self) -> Self {
        Self {
            share_after: self.share_after,
            ..Self::default()
        }
    }

    /// Whether the arguments go together.
    ///
    /// # Errors
    /// There is nothing to share the states with, or more than one assertion.
    fn fits(&self, assertions: usize) -> Result<(), String> {
        let option = match (self.processes, &self.hosts, self.share_after) {
            (_, Some(_), _) => "--hosts",
            (Some(_), None, _) => "--processes",
            (None, None, Some(_)) => {
                return Err("`--share-after` is for `--processes` and `--hosts`".to_owned());
            }
            (None, None, None) => return Ok(()),
        };
        let is_shared = self.number() > 1 || self.hosts.is_some();
        match is_shared && assertions != 1 {
            true => Err(format!(
                "`{option}` is for one assertion (`-a N`), and {assertions} are to be checked"
            )),
            false => Ok(()),
        }
    }

    /// The number of this process; that of the first one is 0.
    pub fn own(&self) -> usize {
        let number = self.joins.as_ref().and_then(|joins| joins.split_once('@'));
        number.map_or(0, |(number, _)| number.parse().unwrap_or(0))
    }

    /// Meets the processes that share the search, if there are to be several.
    ///
    /// # Errors
    /// More than one assertion, or processes that cannot be started or do not come.
    pub fn plan(
        &self,
        (assertions, file): (usize, &Path),
        (loaded, store): (&Loaded, (&StoreArgs, Option<&StorePlan>)),
        (cancel, lost): (&Cancel, &LostProcess),
    ) -> Result<Option<(ProcessPlan, SharingProcesses)>, String> {
        let is_alone = self.number() == 1 && self.joins.is_none();
        if !is_alone && file == Path::new("-") {
            return Err(
                "`--processes` is for a script in a file: each process reads it".to_owned(),
            );
        }
        self.fits(assertions)?;
        let after = self.share_after.unwrap_or(StorePlan::AFTER);
        let not_met =
            |error: &dyn Display| format!("the processes of the search do not meet: {error}");
        if let Some(list) = &self.hosts {
            let mut sharing = SharingProcesses::default();
            let files = (&**list, self.key.as_deref());
            let (words, stored) = (store.0.words(), store.1.and_then(StoredSearch::of));
            let job = write_job(&words, loaded, stored)?;
            let called = call_hosts(files, &job, (cancel, lost), &mut sharing);
            let mesh = called.map_err(|why| not_met(&why))?;
            return Ok(Some((ProcessPlan::new(mesh, after), sharing)));
        }
        if is_alone {
            return Ok(None);
        }
        let processes = self.number();
        let version = checksum(&[script_hash(loaded)], env!("CARGO_PKG_VERSION").as_bytes());
        let met = match &self.joins {
            None => host(
                (processes, version),
                &store.0.words_of_another(),
                (cancel, lost),
            ),
            Some(joins) => join(joins, (processes, version), cancel),
        };
        let (mesh, children) = met.map_err(|error| not_met(&error))?;
        Ok(Some((ProcessPlan::new(mesh, after), children.into())))
    }
}

fn host(
    (processes, about): (usize, u64),
    words: &[OsString],
    (cancel, lost): (&Cancel, &LostProcess),
) -> io::Result<(Mesh, OtherProcesses)> {
    let key = SearchKey::random()?;
    let listener = Meeting::listen()?;
    let address = listener.local_addr()?;
    let mut children = OtherProcesses::default();
    for number in 1..processes {
        children.0.push(start(words, (number, address), &key)?);
    }
    let children = Mutex::new(children);
    let begun = Instant::now();
    let gives_up = || {
        let is_over = |child: &mut Child| !matches!(child.try_wait(), Ok(None));
        let mut children = children
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        cancel.is_cancelled() || begun.elapsed() > MEETING || children.0.iter_mut().any(is_over)
    };
    let meeting = Meeting {
        key,
        about,
        processes,
        gives_up: &gives_up,
    };
    let sockets = meeting.host(&listener)?;
    let mesh = Mesh::new(0, sockets, &noting(cancel, lost))?;
    let children = children.into_inner();
    Ok((
        mesh,
        children.unwrap_or_else(std::sync::PoisonError::into_inner),
    ))
}

/// Starts a process with these arguments.
fn start(
    words: &[OsString],
    (number, first): (usize, SocketAddr),
    key: &SearchKey,
) -> io::Result<Child> {
    let mut child = Command::new(std::env::current_exe()?)
        .args(words)
        .arg(format!("--joins={number}@{first}"))
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()?;
    // Neither arguments nor the environment: other users may read those.
    if let Some(mut stdin) = child.stdin.take() {
        stdin.write_all(key.bytes())?;
    }
    Ok(child)
}

fn join(
    joins: &str,
    (processes, about): (usize, u64),
    cancel: &Cancel,
) -> io::Result<(Mesh, OtherProcesses)> {
    let wrong = || io::Error::other("`--joins` is for processes that this program starts");
    let (number, first) = joins.split_once('@').ok_or_else(wrong)?;
    let number: usize = number.parse().map_err(|_| wrong())?;
    let first: SocketAddr = first.parse().map_err(|_| wrong())?;
    if !(1..processes).contains(&number) {
        return Err(wrong());
    }
    let mut key = [0; 32];
    io::stdin().read_exact(&mut key)?;
    let begun = Instant::now();
    let gives_up = || cancel.is_cancelled() || begun.elapsed() > MEETING;
    let meeting = Meeting {
        key: SearchKey::new(key),
        about,
        processes,
        gives_up: &gives_up,
    };
    let sockets = meeting.join(number, first)?;
    let cancel = cancel.clone();
    let on_end: OnEnd = Arc::new(move |_, how| {
        if how == LinkEnd::Left {
            return;
        }
        cancel.cancel();
        thread::sleep(ENDING);
        // Without the first process there is no one to tell.
        std::process::exit(i32::from(super::LATE));
    });
    Ok((
        Mesh::new(number, sockets, &on_end)?,
        OtherProcesses::default(),
    ))
}
