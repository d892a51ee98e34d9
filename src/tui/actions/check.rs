//! Commands of the Check view.

use super::general;
use super::motion::Far;
use crate::animate::model::{CheckRequest, Counterexample, PlannedView};
use crate::animate::reduction;
use crate::animate::worker::Request;
use crate::tui::app::{App, Effect, Pane, Status, View};
use crate::tui::command::Availability;
use crate::tui::panes;

/// Whether the script has assertions.
pub fn has_assertions(app: &App) -> Availability {
    match app.info() {
        Some(info) if !info.assertions.is_empty() => Ok(()),
        Some(_) => Err("the script has no assertions".to_string()),
        None => general::is_ready(app),
    }
}

/// Whether a check is running or waits.
pub fn is_active(app: &App) -> Availability {
    if app.checks.active() {
        Ok(())
    } else {
        Err("no check is running".to_string())
    }
}

/// The counterexample of the selected assertion.
#[must_use]
pub fn counterexample(app: &App) -> Option<&Counterexample> {
    app.checks.outcome()?.counterexample.as_ref()
}

/// Whether there is one.
pub fn has_counterexample(app: &App) -> Availability {
    match counterexample(app) {
        Some(_) => Ok(()),
        None => Err("there is no counterexample".to_string()),
    }
}

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
pub fn run(app: &mut App, _: usize) -> Vec<Effect> {
    submit(app, app.checks.selected).into_iter().collect()
}

/// Checks all assertions.
pub fn run_all(app: &mut App, _: usize) -> Vec<Effect> {
    (0..app.checks.status.len())
        .filter_map(|at| submit(app, at))
        .collect()
}

/// Queues an assertion unless it is being checked.
pub fn submit(app: &mut App, at: usize) -> Option<Effect> {
    let number = app.info()?.assertions.get(at)?.number;
    let status = app.checks.status.get_mut(at)?;
    if matches!(status, Status::Queued | Status::Running) {
        app.note = "it is being checked".to_string();
        return None;
    }
    *status = Status::Queued;
    Some(Effect::Check(CheckRequest {
        number,
        symmetry: app.checks.reduction,
    }))
}

/// Stops all checks.
pub fn cancel(_: &mut App, _: usize) -> Vec<Effect> {
    vec![Effect::CancelChecks]
}

/// Where the symmetry is verified, insisted on, off in turn.
pub fn reduction(app: &mut App, _: usize) -> Vec<Effect> {
    app.checks.reduction = match app.checks.reduction {
        None => Some(true),
        Some(true) => Some(false),
        Some(false) => None,
    };
    Vec::new()
}

/// Whether it is still to be asked what is planned for the selected assertion: its number, and the
/// reduction asked for.
#[must_use]
pub fn unplanned(app: &App) -> Option<(usize, Option<bool>)> {
    let key = selected(app).filter(|_| app.view == View::Check)?;
    (!app.checks.planned.contains_key(&key)).then_some(key)
}

/// The number of the selected assertion, and the reduction asked for.
fn selected(app: &App) -> Option<(usize, Option<bool>)> {
    let assertion = app.info()?.assertions.get(app.checks.selected)?;
    Some((assertion.number, app.checks.reduction))
}

/// What is planned for the selected assertion, once the engine has told.
#[must_use]
pub fn planned(app: &App) -> Option<&PlannedView> {
    let planned = app.checks.planned.get(&selected(app)?)?;
    planned.as_ref().ok()
}

/// What the selected assertion is reduced by, in full, with a title.
#[must_use]
pub fn symmetry_report(app: &App) -> (String, String) {
    let Some((number, _)) = selected(app) else {
        return (
            "Symmetry".to_string(),
            "The script has no assertions.".to_string(),
        );
    };
    let title = format!("Symmetry of assertion {number}");
    let outcome = app.checks.outcome();
    let mut text = match (outcome.and_then(reduction::of_check), planned(app)) {
        (Some(lines), _) => lines.join("\n"),
        (None, Some(planned)) => reduction::planned_sentences(planned).join("\n"),
        (None, None) => "It is not yet known.".to_string(),
    };
    let plan = outcome.and_then(|o| o.plan.as_ref());
    let instead = plan.and_then(|p| p.instead.as_ref());
    if let Some(instead) = instead.filter(|i| i.has_more()) {
        text += &format!("\n\n{}", instead.detail.trim_end());
    }
    if let Some(Err(failure)) = selected(app).and_then(|key| app.checks.planned.get(&key)) {
        text += &format!("\n\n{}", failure.detail.trim_end());
    }
    if let Some(planned) = planned(app) {
        let types = general::types_text(&planned.all, "What it reaches of the script");
        text += &format!("\n\n{types}");
    }
    (title, text)
}

/// How reductions are asked for.
#[must_use]
pub fn reduction_word(reduction: Option<bool>) -> &'static str {
    match reduction {
        None => "where verified",
        Some(true) => "on",
        Some(false) => "off",
    }
}

/// Follows the counterexample in Animate.
pub fn animate(app: &mut App, _: usize) -> Vec<Effect> {
    let Some(path) = counterexample(app).cloned() else {
        return Vec::new();
    };
    let request = Request::Replay(Box::new(path));
    if app.pending.contains(&request) {
        return Vec::new();
    }
    app.note = "following the counterexample".to_string();
    app.pending.push(request.clone());
    vec![Effect::Ask(request)]
}

/// Saves the counterexamples of the selected assertion.
pub fn save(app: &mut App, _: usize) -> Vec<Effect> {
    let Some(outcome) = app.checks.outcome() else {
        return Vec::new();
    };
    vec![Effect::Save(Box::new(outcome.clone()))]
}

/// All events, or the visible ones.
pub fn visible(app: &mut App, _: usize) -> Vec<Effect> {
    app.checks.visible_only = !app.checks.visible_only;
    app.checks.column = 0;
    Vec::new()
}

/// Shows the path in the reduced automaton, or the violation.
pub fn quotient(app: &mut App, _: usize) -> Vec<Effect> {
    app.checks.quotient = !app.checks.quotient;
    app.focus_on(Pane::Explanation);
    app.scroll[Pane::Explanation as usize] = 0;
    Vec::new()
}

/// Next steps.
pub fn right(app: &mut App, count: usize) -> Vec<Effect> {
    scroll(app, Far::Rows(count as isize))
}

/// Steps before.
pub fn left(app: &mut App, count: usize) -> Vec<Effect> {
    scroll(app, Far::Rows(-(count as isize)))
}

/// First step.
pub fn first(app: &mut App, _: usize) -> Vec<Effect> {
    scroll(app, Far::Top)
}

/// Last step.
pub fn last(app: &mut App, _: usize) -> Vec<Effect> {
    scroll(app, Far::Bottom)
}

fn scroll(app: &mut App, far: Far) -> Vec<Effect> {
    let columns = panes::counterexample::columns(app);
    app.checks.column = far.from(app.checks.column, columns, 1);
    Vec::new()
}
