//! Facts about the data of the screen: panes show them, commands depend on them, and nothing here changes anything.

use super::app::{App, Load, ShownState, View};
use super::command::Availability;
use super::comparing::WhichSide;
use super::paired::CheckPair;
use crate::animate::comparison::{RelationView, WitnessView};
use crate::animate::model::{
    AskedStrategy, CheckOutcome, Counterexample, ErrorText, PlannedView, StateComparison,
    StrategyKind, TransitionView, TypeInfo, TypeOrdering,
};
use crate::animate::sentences::{self, Heading};
use crate::animate::session::{Fetched, Session};
use crate::report::reduction;

/// Whether the script is loaded.
pub fn is_ready(app: &App) -> Availability {
    match app.load {
        Load::Ready(_) => Ok(()),
        Load::Loading => Err("the script is still loading".to_string()),
        Load::Failed(_) => Err("the script has errors".to_string()),
    }
}

/// Whether a process is open.
pub fn has_session(app: &App) -> Availability {
    match app.session {
        Some(_) => Ok(()),
        None => Err("no process is open".to_string()),
    }
}

/// Whether there is a state that could be evaluated, or may still turn out to be one.
pub fn has_state(app: &App) -> Availability {
    has_session(app)?;
    match app.session.as_ref().and_then(Session::fetched) {
        Some(Err(_)) => Err("this state could not be evaluated: e".to_string()),
        _ => Ok(()),
    }
}

/// Whether the shown form of the state marks the changes of the last step.
pub fn shows_changes(app: &App) -> Availability {
    has_state(app)?;
    match app.animate.show {
        ShownState::Both | ShownState::Raw => Ok(()),
        ShownState::Rep => Err("only the representative is shown: s".to_string()),
        ShownState::Counted => Err("only counters are shown: s".to_string()),
    }
}

/// Whether the present state was not reached by steps alone: it was renamed by hand, or comes after one that was.
#[must_use]
pub fn is_what_if(app: &App) -> bool {
    let history = app.session.as_ref().map(|session| &session.history);
    history.is_some_and(|history| !history.is_reached(history.current()))
}

/// Whether a transition is selected.
pub fn can_take(app: &App) -> Availability {
    match selected(app) {
        Some(_) => Ok(()),
        // The more telling reason first.
        None if has_failure(app).is_ok() => Err("this state could not be evaluated".to_string()),
        None => Err("there is no transition".to_string()),
    }
}

/// Whether there is a step to undo.
pub fn can_undo(app: &App) -> Availability {
    match app.session.as_ref().map(|s| s.history.depth()) {
        Some(1..) => Ok(()),
        _ => Err("nothing to undo".to_string()),
    }
}

/// Whether there is a step to redo.
pub fn can_redo(app: &App) -> Availability {
    let further = |s: &Session| s.history.line().len() > s.history.path().len();
    match app.session.as_ref().map(further) {
        Some(true) => Ok(()),
        _ => Err("nothing to redo".to_string()),
    }
}

/// Whether the present state has transitions.
pub fn can_walk(app: &App) -> Availability {
    match app.session.as_ref().and_then(Session::view) {
        Some(view) if !view.transitions.is_empty() => Ok(()),
        Some(_) => Err("there is no transition".to_string()),
        None => Err("the state is not known yet".to_string()),
    }
}

/// Whether the last event is possible here.
pub fn can_repeat(app: &App) -> Availability {
    let session = app.session.as_ref();
    match session.map(|s| (s.last_event(), s.repeatable())) {
        Some((_, Some(_))) => Ok(()),
        Some((Some(event), None)) => Err(format!("{event} is not possible here")),
        _ => Err("the last step has no event to repeat".to_string()),
    }
}

/// Whether the history has several branches.
pub fn has_branches(app: &App) -> Availability {
    match app.session.as_ref().map(|s| s.history.leaves().len()) {
        Some(2..) => Ok(()),
        _ => Err("there is one branch only".to_string()),
    }
}

/// Whether the representative of the present state can be explained.
pub fn can_explain(app: &App) -> Availability {
    match app.session.as_ref().and_then(Session::view) {
        Some(view) if view.representative.is_some() => Ok(()),
        Some(view) => Err(view.no_representative.clone()),
        None => Err("the state is not known yet".to_string()),
    }
}

/// Whether the present state could not be evaluated.
pub fn has_failure(app: &App) -> Availability {
    match app.session.as_ref().and_then(Session::fetched) {
        Some(Err(_)) => Ok(()),
        _ => Err("there is no error".to_string()),
    }
}

/// The transition that Enter takes: the selected member of the selected group.
#[must_use]
pub fn selected(app: &App) -> Option<&TransitionView> {
    let session = app.session.as_ref()?;
    session.member(app.animate.group, app.animate.member)
}

/// The comparison of the two states, if the engine has replied.
#[must_use]
pub fn compared(app: &App) -> Option<&Fetched<StateComparison>> {
    let (a, b) = app.compare.states()?;
    app.session.as_ref()?.comparison(a, b, app.compare.by)
}

/// The permutation that takes A to B, if one is known.
#[must_use]
pub fn witness(found: &StateComparison) -> Option<&WitnessView> {
    match &found.relation {
        RelationView::SameOrbit(witness) | RelationView::Bisimilar { witness, .. } => Some(witness),
        _ => None,
    }
}

/// The steps of the strategy on one of the two states; none for symmetry in the structure, where there are none.
#[must_use]
pub fn run_of(app: &App, side: WhichSide) -> Option<Result<Vec<Heading>, &ErrorText>> {
    let state = app.compare.of(side)?.state;
    let session = app.session.as_ref()?;
    match app.compare.by {
        AskedStrategy::Usual | AskedStrategy::Values(StrategyKind::Ordering) => {
            let run = session.explanation(state, TypeOrdering::Appearance)?;
            Some(run.as_ref().map(|run| sentences::headings(run)))
        }
        AskedStrategy::Values(kind) => {
            let run = session.strategy(state, kind)?.as_ref();
            Some(run.map(|run| run.steps.iter().map(Heading::of).collect()))
        }
        AskedStrategy::Structure(_) => None,
    }
}

/// Whether the script has assertions.
pub fn has_assertions(app: &App) -> Availability {
    match app.info() {
        Some(info) if !info.assertions.is_empty() => Ok(()),
        Some(_) => Err("the script has no assertions".to_string()),
        None => is_ready(app),
    }
}

/// Whether a check, a race or a question about other sizes is running or waits.
pub fn is_active(app: &App) -> Availability {
    if app.is_checking() {
        Ok(())
    } else {
        Err("no check is running".to_string())
    }
}

/// The counterexample of the selected assertion.
#[must_use]
pub fn counterexample(app: &App) -> Option<&Counterexample> {
    let outcome = app.checks.outcome()?;
    outcome.counterexamples().nth(app.checks.trail.which)
}

/// Whether there is a counterexample.
pub fn has_counterexample(app: &App) -> Availability {
    match counterexample(app) {
        Some(_) => Ok(()),
        None => Err("there is no counterexample".to_string()),
    }
}

/// The two runs of the selected assertion, if they were asked for.
#[must_use]
pub fn pair(app: &App) -> Option<&CheckPair> {
    app.checks.pairs.get(&selected_number(app)?)
}

/// The number of the selected assertion, and the reduction asked for.
fn selected_assertion(app: &App) -> Option<(usize, Option<bool>)> {
    // The plan depends on both, so both are its key.
    let assertion = app.info()?.assertions.get(app.checks.selected)?;
    Some((assertion.number, app.checks.reduction))
}

/// The number of the selected assertion.
#[must_use]
pub fn selected_number(app: &App) -> Option<usize> {
    selected_assertion(app).map(|(number, _)| number)
}

/// The key of the selected assertion's plan if it is unknown: its number, and the requested reduction.
#[must_use]
pub fn unplanned(app: &App) -> Option<(usize, Option<bool>)> {
    let key = selected_assertion(app).filter(|_| app.view == View::Check)?;
    (!app.checks.planned.contains_key(&key)).then_some(key)
}

/// The plan of the selected assertion or why it cannot be checked, if the engine has replied.
#[must_use]
pub fn planning(app: &App) -> Option<&Result<PlannedView, ErrorText>> {
    app.checks.planned.get(&selected_assertion(app)?)
}

/// The plan of the selected assertion, if there is one.
#[must_use]
pub fn planned(app: &App) -> Option<&PlannedView> {
    planning(app)?.as_ref().ok()
}

/// The reduction of the selected assertion, in full, with a title.
#[must_use]
pub fn symmetry_report(app: &App) -> (String, String) {
    let Some((number, _)) = selected_assertion(app) else {
        return (
            "Symmetry".to_string(),
            "The script has no assertions.".to_string(),
        );
    };
    let title = format!("Symmetry of assertion {number}");
    let outcome = app.checks.outcome();
    // The reduction of a finished check says more than its plan.
    let mut text = match (
        outcome.and_then(CheckOutcome::reduction_sentences),
        planned(app),
    ) {
        (Some(lines), _) => lines.join("\n"),
        (None, Some(planned)) => reduction::planned_sentences(planned).join("\n"),
        (None, None) => "It is not yet known.".to_string(),
    };
    let plan = outcome.and_then(|o| o.plan.as_ref());
    let instead = plan.and_then(|p| p.instead.as_ref());
    if let Some(instead) = instead.filter(|i| i.has_more()) {
        text += &format!("\n\n{}", instead.detail.trim_end());
    }
    if let Some(Err(failure)) = planning(app) {
        text += &format!("\n\n{}", failure.detail.trim_end());
    }
    if let Some(planned) = planned(app) {
        let types = types_text(&planned.all, "What it reaches of the script");
        text += &format!("\n\n{types}");
    }
    (title, text)
}

/// The name of a requested reduction.
#[must_use]
pub fn reduction_word(reduction: Option<bool>) -> &'static str {
    match reduction {
        None => "where verified",
        Some(true) => "on",
        Some(false) => "off",
    }
}

/// The errors and warnings to be shown.
#[must_use]
pub fn all_messages(app: &App) -> Vec<&ErrorText> {
    let of_script: &[ErrorText] = match &app.load {
        Load::Loading => &[],
        Load::Ready(info) => &info.diagnostics,
        Load::Failed(failures) => failures,
    };
    of_script.iter().chain(&app.open_failure).collect()
}

/// Whether no process is open for a reason that stays.
#[must_use]
pub fn cannot_open(app: &App) -> bool {
    app.session.is_none() && (app.open_failure.is_some() || matches!(app.load, Load::Failed(_)))
}

/// Why the present state could not be evaluated.
#[must_use]
pub fn state_failure(app: &App) -> Option<&ErrorText> {
    app.session.as_ref()?.fetched()?.as_ref().err()
}

/// Whether the view has nothing to show but why no process is open, or the present state could not be evaluated. The
/// text is there in any case, and assertions may be about other processes; what is compared are other states.
#[must_use]
pub fn shows_failure(app: &App) -> bool {
    match app.view {
        View::Source => false,
        View::Check => cannot_open(app) && app.info().is_none(),
        View::Compare => cannot_open(app),
        _ => cannot_open(app) || state_failure(app).is_some(),
    }
}

/// Whether there are any messages.
pub fn has_messages(app: &App) -> Availability {
    if all_messages(app).is_empty() {
        Err("there are none".to_string())
    } else {
        Ok(())
    }
}

/// Whether views of the open process go by the structure of its network, so that strategies for values show a part of
/// its symmetry.
#[must_use]
pub fn goes_by_structure(app: &App) -> bool {
    let reduction = app.session.as_ref().and_then(|session| session.reduction());
    let used = reduction.and_then(|reduction| reduction.used.as_ref());
    used.is_some_and(|used| used.structure.is_some())
}

/// The reduction of the open process, in full, with a title.
#[must_use]
pub fn process_report(app: &App) -> (String, String) {
    let session = app.session.as_ref();
    // Known once one state of the process was described.
    let open = session.and_then(|s| Some((s, s.reduction()?)));
    let Some((session, reduction)) = open else {
        let types = app.info().map_or(&[][..], |info| &info.types);
        let title = "Symmetry of the script as a whole: no process is open".to_string();
        return (title, types_text(types, "The script"));
    };
    let title = format!("Symmetry of {}", session.history.process());
    let mut text = reduction::of_process(reduction).join("\n");
    if let Some(view) = session.view()
        && view.representative.is_none()
        && reduction.used.is_some()
    {
        text += &format!("\nNot in this state: {}", view.no_representative);
    }
    if let Some(instead) = reduction.plan.instead.as_ref().filter(|i| i.has_more()) {
        text += &format!("\n\n{}", instead.detail.trim_end());
    }
    let types = types_text(&reduction.types, "What it reaches of the script");
    (title, format!("{text}\n\n{types}"))
}

/// The symmetry of datatypes in the text.
#[must_use]
pub fn types_text(types: &[TypeInfo], what: &str) -> String {
    if types.is_empty() {
        format!("{what} has no datatype with two or more atomic values.")
    } else {
        format!(
            "Datatypes and their interchangeable values, by the text:\n\n{}",
            reduction::type_report(types)
        )
    }
}
