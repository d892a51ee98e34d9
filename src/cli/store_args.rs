//! Arguments of `check` for searches on disk, and going on with one that was interrupted.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use clap::{Args, Parser};
use serde::{Deserialize, Serialize};

use super::args::{CheckArgs, Cli, Subcommand};
use super::process_args::ProcessArgs;
use super::units;
use crate::animate::model::Verdict;
use orbitscope_engine::check::StorePlan;
use orbitscope_engine::mesh::SearchKey;
use orbitscope_engine::search::breadth_first::committing::Manifest;
use orbitscope_engine::search::on_disk::SearchFolder;
use orbitscope_engine::spill::{Space, SpillError, checksum, holds_search, manifest};
use orbitscope_language::script::load::Loaded;

/// Where a check keeps its states. A check that goes on takes the arguments that it was begun with, and behind them those
/// of now: of limits and forms of results the last one holds.
#[derive(Clone, Debug, Default, Args)]
pub struct StoreArgs {
    /// Keep the states of a check that has very many in files of this folder; main memory (`--memory`) holds those met
    /// lately. The result is the same. For one assertion, and not with `--adaptive`, `--both`, `--rep flood` or
    /// `--rep buckets`.
    #[arg(long, value_name = "DIR", conflicts_with_all = ["both", "adaptive"])]
    pub store: Option<PathBuf>,
    /// Stop the check when these files take this much, as 500M or 100G. Default: when the disk is full.
    #[arg(long, value_name = "SIZE", value_parser = units::size, overrides_with = "disk")]
    pub disk: Option<usize>,
    /// Take the states to disk when there are N. Default: 262144.
    #[arg(long, value_name = "N", value_parser = units::count, requires = "store")]
    pub store_after: Option<usize>,
    /// Make the files whole every so often, so that an interrupted check goes on from there. Default: 30s.
    #[arg(long, value_name = "TIME", value_parser = units::duration, overrides_with = "commit_every")]
    pub commit_every: Option<Duration>,
    /// Go on with the check whose states are in this folder, where it was interrupted, as it was asked for; limits and
    /// the form of results may be given anew.
    #[arg(long, value_name = "DIR", conflicts_with_all = [
        "store", "file", "assertions", "symmetry", "no_symmetry", "structure", "types", "rep", "state_symmetry",
        "no_merging", "counterexamples",
    ])]
    pub resume: Option<PathBuf>,
    /// How a check that goes on was asked for.
    #[arg(skip)]
    resumed: Option<ResumedWords>,
}

/// The words of a check that goes on.
#[derive(Clone, Debug)]
struct ResumedWords {
    /// Those that it was begun with, and those of now behind them.
    all: Vec<OsString>,
    /// Those of now, without the folder.
    now: Vec<OsString>,
}

/// How a check was asked for; a manifest holds it.
#[derive(Serialize, Deserialize)]
struct CheckCommand {
    version: String,
    /// A random number, by which machines that share it know its files.
    search: u64,
    /// The folder that names of files begin in.
    folder: PathBuf,
    /// The arguments after `check`.
    args: Vec<String>,
    /// Over the text of the script and all that it includes.
    script: u64,
}

const VERSION: &str = env!("CARGO_PKG_VERSION");

impl StoreArgs {
    /// Where the states go, if they go to disk.
    ///
    /// # Errors
    /// More than one assertion, a folder that cannot be used, or one that holds another search.
    pub fn plan(
        &self,
        assertions: usize,
        file: &Path,
        loaded: &Loaded,
        processes: &ProcessArgs,
    ) -> Result<Option<StorePlan>, String> {
        let Some(folder) = &self.store else {
            return match (self.disk, self.commit_every) {
                (None, None) => Ok(None),
                _ => Err("`--disk` and `--commit-every` are for `--store`".to_owned()),
            };
        };
        if file == Path::new("-") {
            return Err(
                "`--store` is for a script in a file: it is read again to go on".to_owned(),
            );
        }
        if assertions != 1 {
            return Err(format!(
                "`--store` is for one assertion (`-a N`), and {assertions} are to be checked"
            ));
        }
        let most = self.disk.map(|bytes| (bytes / processes.number()) as u64);
        if processes.is_started() {
            // The first process knows what counts of its files.
            let space = open(&of_process(folder, processes.own()), most)?;
            return Ok(Some(self.in_space(space, String::new())));
        }
        let space = open(folder, most)?;
        let known = read(folder)?;
        let script = script_hash(loaded);
        let asked = match (&known, self.resumed.is_some()) {
            (Some((text, asked)), true) if asked.script == script => text.clone(),
            (Some(_), true) => {
                return Err("the script has changed since the check was interrupted".to_owned());
            }
            (Some(_), false) => {
                let folder = folder.display();
                return Err(format!(
                    "{folder} holds a check that was interrupted: `orbitscope check --resume {folder}` goes on with \
                     it; else remove the folder"
                ));
            }
            (None, _) if space.is_taken().map_err(|error| error.to_string())? => {
                space.leave();
                return Err(format!("{} holds other files", folder.display()));
            }
            (None, _) => {
                let asked = asked_now(script)?;
                write_empty(&space, &asked).map_err(|error| error.to_string())?;
                asked
            }
        };
        Ok(Some(self.in_space(space, asked)))
    }

    fn in_space(&self, space: Arc<Space>, asked: String) -> StorePlan {
        StorePlan {
            folder: SearchFolder {
                space,
                asked,
                commit_every: self.commit_every.unwrap_or(StorePlan::COMMIT_EVERY),
            },
            resume: self.resumed.is_some(),
            after: self.store_after.unwrap_or(StorePlan::AFTER),
            budget: None,
        }
    }

    /// The arguments after `check` that it is asked for with.
    pub fn words(&self) -> Vec<OsString> {
        let resumed = self.resumed.as_ref().map(|words| words.all.clone());
        resumed.unwrap_or_else(|| after_check().collect())
    }

    /// The arguments that another process of this machine takes part with.
    pub fn words_of_another(&self) -> Vec<OsString> {
        match (&self.resumed, &self.store) {
            (Some(words), Some(folder)) => {
                let begin = ["check".into(), "--resume".into(), folder.into()];
                begin.into_iter().chain(words.now.clone()).collect()
            }
            _ => std::env::args_os().skip(1).collect(),
        }
    }

    /// What of it holds for a worker that was called.
    pub fn of_worker(&self) -> Self {
        Self {
            store: None,
            resume: None,
            resumed: None,
            ..self.clone()
        }
    }

    /// Where a worker keeps its states: in a folder of this search within its own.
    ///
    /// # Errors
    /// A folder that cannot be used.
    pub fn plan_of_worker(
        &self,
        (within, most): (&Path, Option<usize>),
        stored: StoredSearch,
    ) -> Result<StorePlan, String> {
        let folder = within.join(format!("search-{:016x}", stored.search));
        let most = self.disk.into_iter().chain(most).min();
        let space = open(&folder, most.map(|bytes| bytes as u64))?;
        Ok(StorePlan {
            resume: stored.goes_on,
            ..self.in_space(space, String::new())
        })
    }
}

/// A search whose states are on disk, as other machines know it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoredSearch {
    /// Its number.
    pub search: u64,
    /// Whether it goes on where it was interrupted.
    pub goes_on: bool,
}

impl StoredSearch {
    /// That of a plan.
    pub fn of(plan: &StorePlan) -> Option<Self> {
        let asked: CheckCommand = ron::from_str(&plan.folder.asked).ok()?;
        Some(Self {
            search: asked.search,
            goes_on: plan.resume,
        })
    }
}

/// The folder of a process within that of a search: the files of the first one are in the folder itself.
fn of_process(folder: &Path, process: usize) -> PathBuf {
    folder.join(format!("process-{process}"))
}

/// The arguments of a check that goes on: those that it was asked for with, and those of now.
///
/// # Errors
/// No check was interrupted there, or it was one of another version.
pub fn as_asked(args: &CheckArgs) -> Result<Option<CheckArgs>, String> {
    let Some(folder) = &args.store.resume else {
        return Ok(None);
    };
    // A process that was started by another one, which has the lock, reads it too.
    let lock = |folder: &Path| match args.processes.is_started() {
        true => Ok(None),
        false => open(folder, None).map(Some),
    };
    let (folder, asked) = interrupted(folder, lock)?;
    std::env::set_current_dir(&asked.folder)
        .map_err(|error| format!("{}: {error}", asked.folder.display()))?;
    goes_on(folder, asked.args, of_now()).map(Some)
}

/// The arguments of the check that was interrupted in a folder. Unlike for [`as_asked`] the folder of this process stays, and
/// names of files begin at the root.
///
/// # Errors
/// As [`as_asked`].
pub fn as_asked_in(folder: &Path) -> Result<CheckArgs, String> {
    let lock = |folder: &Path| {
        let space = Space::open(folder, None).map_err(|error| error.to_string());
        space.map(Some)
    };
    let (folder, asked) = interrupted(folder, lock)?;
    let mut args = goes_on(folder, asked.args, Vec::new())?;
    let ProcessArgs { hosts, key, .. } = &mut args.processes;
    let names = [hosts.as_mut(), key.as_mut()].into_iter().flatten();
    for name in names.chain([&mut args.file]) {
        *name = asked.folder.join(&*name);
    }
    Ok(args)
}

/// How the check in a folder was asked for.
fn interrupted(
    folder: &Path,
    lock: impl Fn(&Path) -> Result<Option<Arc<Space>>, String>,
) -> Result<(PathBuf, CheckCommand), String> {
    let nothing = || format!("no check was interrupted in {}", folder.display());
    // It is not made, as `Space::open` would.
    let folder = folder.canonicalize().map_err(|_| nothing())?;
    if !holds_search(&folder) {
        return Err(nothing());
    }
    let lock = lock(&folder)?;
    let (_, asked) = read(&folder)?.ok_or_else(nothing)?;
    drop(lock);
    if asked.version != VERSION {
        let version = asked.version;
        return Err(format!(
            "the check was begun by version {version}, and this is {VERSION}"
        ));
    }
    Ok((folder, asked))
}

/// The arguments of the check in a folder, and others behind them.
fn goes_on(folder: PathBuf, args: Vec<String>, now: Vec<OsString>) -> Result<CheckArgs, String> {
    let before = args.into_iter().map(OsString::from);
    let all: Vec<_> = before.chain(now.iter().cloned()).collect();
    let words = ["orbitscope".into(), "check".into()];
    let words = words.iter().chain(&all);
    let cli = Cli::try_parse_from(words).map_err(|error| error.to_string())?;
    let Some(Subcommand::Check(mut args)) = cli.command else {
        return Err(format!("no check was interrupted in {}", folder.display()));
    };
    args.store.store = Some(folder);
    args.store.resumed = Some(ResumedWords { all, now });
    Ok(args)
}

/// Opens a folder; a process that was just killed may take a moment to leave it.
fn open(folder: &Path, most: Option<u64>) -> Result<Arc<Space>, String> {
    const TRIES: u32 = 40;
    for _ in 1..TRIES {
        match Space::open(folder, most) {
            Err(SpillError::Busy { .. }) => std::thread::sleep(Duration::from_millis(100)),
            other => return other.map_err(|error| error.to_string()),
        }
    }
    Space::open(folder, most).map_err(|error| error.to_string())
}

/// The arguments after `check`.
fn after_check() -> impl Iterator<Item = OsString> {
    let words = std::env::args_os().skip_while(|word| word != "check");
    words.skip(1)
}

/// The arguments of this run, without the folder to go on with.
fn of_now() -> Vec<OsString> {
    let mut words = after_check();
    let mut kept = Vec::new();
    while let Some(word) = words.next() {
        if word == "--resume" {
            words.next();
        } else if !word.to_string_lossy().starts_with("--resume=") {
            kept.push(word);
        }
    }
    kept
}

fn asked_now(script: u64) -> Result<String, String> {
    let text = |word: OsString| {
        word.into_string()
            .map_err(|word| format!("{} is no text, so `--store` cannot note it", word.display()))
    };
    let failed = |error: io::Error| error.to_string();
    let asked = CheckCommand {
        version: VERSION.to_owned(),
        search: checksum(&[], SearchKey::random().map_err(failed)?.bytes()),
        folder: std::env::current_dir().map_err(failed)?,
        args: after_check().map(text).collect::<Result<_, _>>()?,
        script,
    };
    ron::to_string(&asked).map_err(|error| error.to_string())
}

/// Writes a manifest that names no file.
fn write_empty(space: &Space, asked: &str) -> Result<(), SpillError> {
    manifest::write(space, &Manifest::empty(asked))
}

/// How the check in a folder was asked for, if there is one.
fn read(folder: &Path) -> Result<Option<(String, CheckCommand)>, String> {
    let found = manifest::read::<Manifest>(folder).map_err(|error| error.to_string())?;
    let Some(found) = found else {
        return Ok(None);
    };
    let asked = ron::from_str(&found.asked).map_err(|error| error.to_string())?;
    Ok(Some((found.asked, asked)))
}

/// Over the text of the script and all that it includes.
pub(super) fn script_hash(loaded: &Loaded) -> u64 {
    let texts = loaded.sources.files().iter();
    texts.fold(0, |sum, file| checksum(&[sum], file.text.as_bytes()))
}

/// Leaves the folder of a check that could not begin as it was.
pub fn give_up(plan: Option<&StorePlan>) {
    if let Some(plan) = plan.filter(|plan| !plan.resume) {
        // What stays is told when the folder is used again.
        let _ = plan.folder.space.clear();
    }
}

/// Says how to go on with a check that was interrupted, by words before the name of its folder. Removes the files of one
/// that was not, of so many processes, unless it ended with an error on disk.
pub fn leave(
    (plan, processes): (Option<&StorePlan>, usize),
    verdicts: &[&Verdict],
    goes_on: &str,
) -> Option<String> {
    let StorePlan { folder, .. } = plan?;
    let is_interrupted = |verdict: &&Verdict| matches!(verdict, Verdict::Inconclusive(_));
    if verdicts.is_empty() || verdicts.iter().any(is_interrupted) {
        let name = shown(folder.space.folder());
        return Some(format!(
            "the check was interrupted: `{goes_on} {name}` goes on with it"
        ));
    }
    let is_error = |verdict: &&Verdict| matches!(verdict, Verdict::Error(_));
    let has_error = verdicts.iter().any(is_error);
    let commit = manifest::read::<Manifest>(folder.space.folder());
    let has_none = |found: &Manifest| found.commit.is_empty();
    if has_error && !matches!(&commit, Ok(Some(found)) if has_none(found)) {
        return None;
    }
    let cleared = write_empty(&folder.space, &folder.asked)
        .map_err(|error| error.to_string())
        .and_then(|()| clear_all(&folder.space, processes));
    cleared.err()
}

/// Removes the files of all processes.
fn clear_all(space: &Space, processes: usize) -> Result<(), String> {
    for process in 1..processes {
        let folder = of_process(space.folder(), process);
        // It may be on another machine.
        if folder.is_dir() {
            let own = open(&folder, None)?;
            own.clear().map_err(|error| error.to_string())?;
        }
    }
    space.clear().map_err(|error| error.to_string())
}

fn shown(folder: &Path) -> String {
    crate::source::visible_line(&folder.display().to_string()).into_owned()
}
