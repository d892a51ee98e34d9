//! Checks that were interrupted, and the screen: which there are of a script, and how they go on there.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use super::args::CheckArgs;
use super::check::{chosen, same_file};
use super::check_options::options;
use super::limits::limits;
use super::placing::Placement;
use super::store_args::as_asked_in;
use crate::animate::checker::{CheckRunner, InterruptedCheck, StoredChecks};
use crate::animate::kept_compiling::CheckRoom;
use crate::animate::model::{CheckEvent, CheckOutcome, Verdict};
use crate::report::checks;
use crate::source::Cancel;
use orbitscope_engine::spill::holds_search;
use orbitscope_language::script::load::{Loaded, load};

/// Entries of a folder that are looked at: one with more is no folder of scripts.
const ENTRIES_MAX: usize = 2_000;

/// The stored checks of a script.
pub fn stored_checks(script: &Path) -> StoredChecks {
    let (near, own) = (script.to_path_buf(), script.to_path_buf());
    StoredChecks {
        find: Arc::new(move || near_to(&near)),
        resume: Arc::new(move |folder| resume(folder, &own)),
    }
}

/// The folders in the present one, and beside the script, in which a check of the script was interrupted.
fn near_to(script: &Path) -> Vec<String> {
    let beside = script
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    let mut found: Vec<String> = Vec::new();
    let mut known: Vec<PathBuf> = Vec::new();
    for folder in [Some(Path::new(".")), beside].into_iter().flatten() {
        let Ok(entries) = std::fs::read_dir(folder) else {
            continue;
        };
        for entry in entries.take(ENTRIES_MAX).flatten() {
            let path = entry.path();
            let path = path.strip_prefix(".").unwrap_or(&path);
            // First what costs little. One that another process uses is not interrupted.
            if holds_search(path) && as_asked_of(path, script).is_ok() {
                let whole = path.canonicalize().unwrap_or_default();
                if !known.contains(&whole) {
                    known.push(whole);
                    found.push(path.display().to_string());
                }
            }
        }
    }
    found.sort();
    found
}

/// The arguments of the check of a script that was interrupted in a folder.
fn as_asked_of(folder: &Path, script: &Path) -> Result<CheckArgs, String> {
    let args = as_asked_in(folder)?;
    match same_file(&args.file, script) {
        true => Ok(args),
        false => Err(format!(
            "the check in {} is one of another script: {}",
            folder.display(),
            args.file.display()
        )),
    }
}

/// The assertion of the check in a folder, and how it goes on.
fn resume(folder: &Path, script: &Path) -> Result<InterruptedCheck, String> {
    let args = as_asked_of(folder, script)?;
    let number = only(&read(script)?, &args)?;
    let script = script.to_path_buf();
    let run: CheckRunner = Arc::new(move |_, room, cancel, report| {
        let outcome = go_on((&args, &script), room, cancel, report);
        let outcome = outcome.unwrap_or_else(|why| {
            // The check stays as it was interrupted.
            CheckOutcome::new(number, String::new(), Verdict::Inconclusive(why))
        });
        report(CheckEvent::Finished(Box::new(outcome)));
    });
    Ok((number, run))
}

fn read(script: &Path) -> Result<Loaded, String> {
    let loaded = load(script, None);
    loaded.map_err(|_| format!("{} cannot be read", script.display()))
}

/// The assertion that a stored check is about.
fn only(loaded: &Loaded, args: &CheckArgs) -> Result<usize, String> {
    match chosen(loaded, args)?[..] {
        [number] => Ok(number),
        _ => Err("the script has changed since the check was interrupted".to_owned()),
    }
}

fn go_on(
    (args, script): (&CheckArgs, &Path),
    room: &mut CheckRoom,
    cancel: &Cancel,
    report: &mut dyn FnMut(CheckEvent),
) -> Result<CheckOutcome, String> {
    let limits = limits(args, Instant::now());
    let loaded = read(script)?;
    let number = only(&loaded, args)?;
    let mut place = Placement::plan(args, 1, &loaded, cancel)?;
    let mut options = options(args, limits);
    place.apply(&mut options);
    let (loaded, shared) = room.begun(script, loaded, number, &options.limits);
    let mut progress = |progress| report(CheckEvent::Progress(progress));
    let how = (&options, cancel);
    let outcome = checks::run_sharing(loaded, number, how, shared, &mut progress);
    let interrupted = cancel.is_cancelled() && !place.has_lost();
    let mut outcome = place.explained(outcome, interrupted);
    let said = place.leave(&[&outcome.verdict], ":resume");
    if let (Some(said), Verdict::Inconclusive(why)) = (said, &mut outcome.verdict) {
        *why = format!("{why}; {said}");
    }
    Ok(outcome)
}
