//! Commands of the Check view.

use std::path::PathBuf;

use super::race;
use crate::animate::model::{CheckRequest, Counterexample};
use crate::animate::worker::Request;
use crate::app::{App, Effect, Pane, Status};
use crate::paired::CheckPair;
use crate::source::visible_line;
use crate::trail::TrailPlace;
use crate::{facts, layout};

/// Goes to the counterexample, or checks.
pub fn open(app: &mut App, count: usize) -> Vec<Effect> {
    match app.checks.outcome() {
        None => run(app, count),
        Some(outcome) if outcome.counterexample.is_some() => animate(app, count),
        Some(_) => {
            app.focus_on(Pane::Explanation);
            Vec::new()
        }
    }
}

/// Checks the selected assertion.
pub fn run(app: &mut App, count: usize) -> Vec<Effect> {
    let wanted = Wanted {
        counterexamples: count,
        ..Wanted::default()
    };
    submit(app, app.checks.selected, wanted)
        .into_iter()
        .collect()
}

/// Checks the selected assertion with reduction and without it, and shows both beside one another.
pub fn run_both(app: &mut App, _: usize) -> Vec<Effect> {
    let Some(effect) = submit(
        app,
        app.checks.selected,
        Wanted {
            both: true,
            ..Wanted::default()
        },
    ) else {
        return Vec::new();
    };
    // It is shown at once, and the list keeps the keys wherever there is room for both.
    app.lower[app.view as usize] = Pane::Both;
    if !layout::visible(app, Pane::Both) {
        app.focus_on(Pane::Both);
    }
    vec![effect]
}

/// Queues all assertions, in order, but for those that are being checked. The first that fails will be selected.
pub fn run_all(app: &mut App, _: usize) -> Vec<Effect> {
    app.checks.seeks_failure = true;
    (0..app.checks.status.len())
        .filter_map(|at| submit(app, at, Wanted::default()))
        .collect()
}

/// The options of a check to begin.
#[derive(Clone, Copy, Debug)]
pub struct Wanted {
    /// A second run without reduction, to compare.
    pub both: bool,
    /// The number of counterexamples to find, if it fails.
    pub counterexamples: usize,
}

impl Default for Wanted {
    fn default() -> Self {
        Self {
            both: false,
            counterexamples: 1,
        }
    }
}

/// Queues an assertion unless it is being checked.
pub fn submit(app: &mut App, at: usize, wanted: Wanted) -> Option<Effect> {
    if let Err(why) = is_unchanged(app) {
        app.note = why;
        return None;
    }
    let number = app.info()?.assertions.get(at)?.number;
    let status = app.checks.status.get_mut(at)?;
    let pair = app.checks.pairs.get(&number);
    // Asked for twice, it would be checked twice.
    if matches!(status, Status::Queued | Status::Running) || pair.is_some_and(CheckPair::is_active)
    {
        app.note = "it is being checked".to_string();
        return None;
    }
    if wanted.both {
        let before = match status {
            Status::Done(outcome) => Some(&**outcome),
            _ => None,
        };
        app.checks.pairs.insert(number, CheckPair::asked(before));
    }
    *status = Status::Queued;
    race::put_away(app);
    if at == app.checks.selected {
        // The ones that were found before are gone.
        app.checks.trail = TrailPlace::default();
    }
    Some(Effect::Check(CheckRequest {
        number,
        symmetry: app.checks.reduction,
        both: wanted.both,
        counterexamples: wanted.counterexamples,
    }))
}

/// Whether what would be checked is the text that is shown.
fn is_unchanged(app: &App) -> Result<(), String> {
    match app.files.changed.is_empty() {
        true => Ok(()),
        false => {
            Err("the script changed on disk: R reloads it, and then it can be checked".to_owned())
        }
    }
}

/// Whether a check of the script was interrupted in a folder near to it.
///
/// # Errors
/// None was found.
pub fn has_interrupted(app: &App) -> Result<(), String> {
    match app.checks.interrupted.is_empty() {
        true => Err("no interrupted check was found; :resume FOLDER names one".to_owned()),
        false => Ok(()),
    }
}

/// Goes on with the first check that was found to be interrupted.
pub fn resume_near(app: &mut App, _: usize) -> Vec<Effect> {
    let Some(folder) = app.checks.interrupted.first() else {
        return Vec::new();
    };
    resume(app, folder.into()).unwrap_or_else(|why| {
        app.note = why;
        Vec::new()
    })
}

/// Goes on with the check that was interrupted in a folder.
///
/// # Errors
/// The script has changed.
pub fn resume(app: &mut App, folder: PathBuf) -> Result<Vec<Effect>, String> {
    is_unchanged(app)?;
    race::put_away(app);
    let name = folder.display().to_string();
    app.checks.interrupted.retain(|known| *known != name);
    app.note = format!("going on with the check in {}", visible_line(&name));
    Ok(vec![Effect::Resume(folder)])
}

/// Stops the running check and those that wait.
pub fn cancel(_: &mut App, _: usize) -> Vec<Effect> {
    vec![Effect::CancelChecks]
}

/// Cycles through the modes of reduction: verified, required, off.
pub fn reduction(app: &mut App, _: usize) -> Vec<Effect> {
    app.checks.reduction = match app.checks.reduction {
        None => Some(true),
        Some(true) => Some(false),
        Some(false) => None,
    };
    Vec::new()
}

/// Follows the counterexample in Animate.
pub fn animate(app: &mut App, _: usize) -> Vec<Effect> {
    let Some(path) = facts::counterexample(app).cloned() else {
        return Vec::new();
    };
    let request = Request::Replay(Box::new(path));
    // Following it takes its time: the key may be pressed again meanwhile.
    if app.pending.contains(&request) {
        return Vec::new();
    }
    app.note = "following the counterexample".to_string();
    app.pending.push(request.clone());
    vec![Effect::Ask(request)]
}

/// Goes along a run that was followed, from its first state to the place of the user in its table; one that has no
/// table, as from a file, to its end, where tables begin.
pub fn go_along(app: &mut App, path: &Counterexample) {
    if !path.is_of_assertion() {
        return;
    }
    let is_shown = facts::counterexample(app) == Some(path);
    let end = TrailPlace::default().step;
    let place = if is_shown { app.checks.trail.step } else { end };
    let steps = place.min(path.steps.len());
    if let Some(session) = &mut app.session {
        session.redo(steps);
    }
    super::animate::moved(app);
}

/// Saves the counterexamples of the selected assertion.
pub fn save(app: &mut App, _: usize) -> Vec<Effect> {
    let Some(outcome) = app.checks.outcome() else {
        return Vec::new();
    };
    vec![Effect::Save(Box::new(outcome.clone()))]
}

/// Shows the path in the reduced automaton, or the violation.
pub fn quotient(app: &mut App, _: usize) -> Vec<Effect> {
    app.checks.quotient = !app.checks.quotient;
    app.focus_on(Pane::Explanation);
    app.scroll[Pane::Explanation as usize] = 0;
    Vec::new()
}
