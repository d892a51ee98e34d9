//! From one counterexample to another, of the same assertion or of others.

use crate::actions::{animate, check, race};
use crate::animate::model::Counterexample;
use crate::app::{App, Effect, Status, View};
use crate::command::Availability;
use crate::trail::TrailPlace;

/// A counterexample: its assertion, as an index into those of the script, and which one of it.
type ListedRun<'a> = ((usize, usize), &'a Counterexample);

/// The known counterexamples, assertion by assertion.
fn all(app: &App) -> Vec<ListedRun<'_>> {
    let mut found = Vec::new();
    for (at, status) in app.checks.status.iter().enumerate() {
        if let Status::Done(outcome) | Status::Stale(outcome) = status {
            let runs = outcome.counterexamples().enumerate();
            found.extend(runs.map(|(n, path)| ((at, n), path)));
        }
    }
    found
}

/// The counterexample that is shown: in Animate the one that is followed.
fn current(app: &App, all: &[ListedRun<'_>]) -> (usize, usize) {
    let followed = app.session.as_ref().and_then(|s| s.followed());
    let followed = followed.filter(|_| app.view == View::Animate);
    let known = followed.and_then(|place| all.iter().find(|(_, path)| *path == place.path));
    known.map_or((app.checks.selected, app.checks.trail.which), |(at, _)| *at)
}

/// Whether there is another counterexample to go to.
pub fn has_others(app: &App) -> Availability {
    let all = all(app);
    let here = current(app, &all);
    match all
        .iter()
        .any(|(at, _)| *at != here || app.view == View::Animate)
    {
        true => Ok(()),
        false if all.is_empty() => {
            Err("there is no counterexample: 4 shows the assertions, x checks one".to_string())
        }
        false => {
            Err("there is no other counterexample: 5x looks for five of one assertion".to_string())
        }
    }
}

/// Goes to the next one.
pub fn next(app: &mut App, count: usize) -> Vec<Effect> {
    go(app, count as isize)
}

/// Goes to the one before.
pub fn previous(app: &mut App, count: usize) -> Vec<Effect> {
    go(app, -(count as isize))
}

fn go(app: &mut App, by: isize) -> Vec<Effect> {
    let found = all(app);
    let here = current(app, &found);
    // The place of the one that is shown; between others if the selected assertion has none.
    let before = found.iter().filter(|(at, _)| *at < here).count() as isize;
    let is_here = found.iter().any(|(at, _)| *at == here);
    let to = match (is_here, by > 0) {
        (true, _) | (false, false) => before + by,
        (false, true) => before + by - 1,
    };
    let last = found.len() as isize - 1;
    let to = to.clamp(0, last.max(0));
    let Some(((at, which), path)) = found.get(to as usize) else {
        return Vec::new();
    };
    let (at, which) = (*at, *which);
    let same = (at, which) == here;
    let path = (*path).clone();
    app.checks.selected = at;
    app.checks.seeks_failure = false;
    race::put_away(app);
    if !same {
        app.checks.trail = TrailPlace {
            which,
            ..TrailPlace::default()
        };
    }
    let words = words(app, at, which);
    let is_end = same && is_here;
    app.note = match by > 0 {
        true if is_end => format!("{words}: the last one"),
        false if is_end => format!("{words}: the first one"),
        _ => words,
    };
    if app.view != View::Animate || is_end {
        return Vec::new();
    }
    // Its run may be a branch of the history already.
    let session = app.session.as_mut();
    if session.is_some_and(|session| session.follow_again(&path)) {
        animate::moved(app);
        check::go_along(app, &path);
        return Vec::new();
    }
    check::animate(app, 1)
}

/// `counterexample 2 of 3 of assertion 1`
fn words(app: &App, at: usize, which: usize) -> String {
    let outcome = match app.checks.status.get(at) {
        Some(Status::Done(outcome) | Status::Stale(outcome)) => outcome,
        _ => return String::new(),
    };
    let all = outcome.counterexamples().count();
    format!(
        "counterexample {} of {all} of assertion {}",
        which + 1,
        outcome.number
    )
}

/// The label of a run in the status line, if there are several: `#3, 2 of 5`.
#[must_use]
pub fn label(app: &App, path: &Counterexample) -> Option<String> {
    let found = all(app);
    let ((at, which), _) = found.iter().find(|(_, known)| *known == path)?;
    let (Status::Done(outcome) | Status::Stale(outcome)) = app.checks.status.get(*at)? else {
        return None;
    };
    let number = outcome.number;
    match outcome.counterexamples().count() {
        _ if found.len() < 2 => None,
        1 => Some(format!("#{number}")),
        all => Some(format!("#{number}, {} of {all}", which + 1)),
    }
}
