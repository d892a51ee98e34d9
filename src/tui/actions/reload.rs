//! A script that changed on disk: it is loaded once more beside the engine that is used, its walk is followed, and
//! only then does the new engine take the place of the old one.

use super::starting::ready;
use super::{animate, race, session, source};
use crate::animate::history::History;
use crate::animate::model::{ErrorText, LoadFailure, ScriptInfo};
use crate::animate::partings;
use crate::animate::replayed::Rewalked;
use crate::animate::worker::{EngineAnswer, Reply, Request};
use crate::answers::Answers;
use crate::app::{App, Effect, Load, Status};
use crate::command::Availability;
use crate::comparing::CompareData;
use crate::graphing::GraphData;
use crate::playing::PlayingData;
use crate::racing::RaceData;
use crate::report::follow::ReplayMode;
use crate::report::runs::RecordedRun;
use crate::saving::{AwaitedWriting, Purpose};
use crate::sizing::SizesData;
use crate::source::visible_line;
use crate::structuring::StructureData;
use crate::trail::TrailPlace;
use crate::{facts, stakes};

/// Whether there is a text that was not loaded: a changed script, or one with errors.
pub fn can_reload(app: &App) -> Availability {
    if app.files.reloading.is_some() {
        return Err("the script is being reloaded; Esc cancels".to_owned());
    }
    let failed = matches!(app.load, Load::Failed(_));
    if failed || !app.files.changed.is_empty() {
        Ok(())
    } else {
        Err("the script is as it was when it was read".to_owned())
    }
}

/// Loads the script again if it changed, and goes to the initial state otherwise.
pub fn restart(app: &mut App, _: usize) -> Vec<Effect> {
    match can_reload(app) {
        Ok(()) => reload(app, 1),
        Err(_) => animate::undo(app, usize::MAX),
    }
}

/// Whether there is a text to reload, or a state to go back from.
pub fn can_restart(app: &App) -> Availability {
    can_reload(app).or_else(|_| facts::can_undo(app))
}

/// Files of the script are not as they were, or are so again.
pub fn disk_changed(app: &mut App, names: Vec<String>) -> Vec<Effect> {
    app.files.changed = names;
    if !app.files.changed.is_empty() {
        // Earlier notes are outdated, and would cover this one until the next key.
        app.note.clear();
    }
    Vec::new()
}

/// Loads the script again.
pub fn reload(app: &mut App, _: usize) -> Vec<Effect> {
    if let Err(why) = can_reload(app) {
        app.note = why;
        return Vec::new();
    }
    app.note.clear();
    app.animate.walk = None;
    let without_details = app.session.as_ref().map(|s| s.without_details());
    let (ids, asked) = without_details.unwrap_or_default();
    // While the old engine knows which of several states an event leads to was meant.
    if !asked.is_empty() && app.info().is_some() {
        let purpose = Purpose::Reload;
        app.files.awaited = Some(AwaitedWriting { ids, purpose });
        return session::request_details(app, asked);
    }
    stakes::begin_reload(app)
}

/// The new engine has answered.
pub fn answered(app: &mut App, answer: EngineAnswer) -> Vec<Effect> {
    if app.files.reloading.is_none() {
        return vec![Effect::DropNext];
    }
    match answer.reply {
        Reply::Ready(Ok(info)) => loaded(app, info),
        Reply::Ready(Err(failure)) => refused(app, failure, answer.cancelled),
        Reply::Rewalk(walk, _, result) => rewalked(app, &walk, result),
        // It was the only request.
        _ => Vec::new(),
    }
}

fn loaded(app: &mut App, info: ScriptInfo) -> Vec<Effect> {
    let Some(walk) = app.session.as_ref().map(|s| s.record()) else {
        // There was nothing to go on with: as if the script had just been opened.
        app.files.reloading = None;
        app.files.changed.clear();
        let mut effects = vec![Effect::SwapEngine];
        effects.extend(ready(app, info));
        return effects;
    };
    if let Some(reloading) = &mut app.files.reloading {
        reloading.info = Some(info);
    }
    vec![follow(walk)]
}

fn follow(walk: RecordedRun) -> Effect {
    Effect::AskNext(Request::Rewalk(Box::new(walk), ReplayMode::Steps))
}

fn refused(app: &mut App, failure: LoadFailure, cancelled: bool) -> Vec<Effect> {
    app.files.reloading = None;
    if cancelled {
        app.note = "cancelled: the script was not reloaded".to_owned();
    } else if app.info().is_none() {
        // Nothing is lost: there was no script before either.
        source::unsound(app, failure);
    } else {
        let details: Vec<_> = failure.errors.iter().map(|f| f.detail.trim_end()).collect();
        let kept = "What was loaded before is still here, and R tries again.";
        let text = format!("{}\n\n{kept}", details.join("\n\n"));
        app.tell("The script cannot be used as it is now", &text);
    }
    vec![Effect::DropNext]
}

fn rewalked(
    app: &mut App,
    walk: &RecordedRun,
    result: Result<Box<Rewalked>, ErrorText>,
) -> Vec<Effect> {
    let found = match result {
        Ok(found) => found,
        Err(failure) => {
            app.files.reloading = None;
            app.note = format!("the script was not reloaded: {}", failure.summary);
            return vec![Effect::DropNext];
        }
    };
    // The person has gone on meanwhile.
    if let Some(now) = app.session.as_ref().map(|s| s.record())
        && now != *walk
    {
        return vec![follow(now)];
    }
    let info = app.files.reloading.take().and_then(|r| r.info);
    let Some(info) = info else {
        return vec![Effect::DropNext];
    };
    let report = partings::sentences(walk, &found);
    let shown = stakes::shown(app);
    let mut effects = vec![Effect::SwapEngine, Effect::LookAt(info.inputs.clone())];
    if facts::is_active(app).is_ok() {
        // They are about a text that is gone.
        effects.push(Effect::CancelChecks);
    }
    exchange(app, info);
    match History::rebuilt(walk, &found) {
        Some(history) => {
            session::resume(app, history);
            stakes::show_again(app, &shown);
        }
        None => {
            app.session = None;
            let first = app.info().and_then(|i| i.processes.first().cloned());
            effects.extend(first.map_or_else(Vec::new, |p| crate::requests::open(app, &p)));
        }
    }
    animate::moved(app);
    // A file of it does not have the walk as it is now.
    if !found.partings.is_empty() {
        app.files.saved = 0;
        app.files.file = None;
    }
    app.note = format!("reloaded: {}", partings::short(walk, &found));
    if !report.is_empty() {
        let head = format!("{}.\n\n", partings::short(walk, &found));
        app.tell("What became of the walk", &(head + &report.join("\n\n")));
    }
    effects
}

/// Replaces the facts about the old script by those about the new one.
fn exchange(app: &mut App, info: ScriptInfo) {
    let old = app.info().map(|i| i.assertions.clone()).unwrap_or_default();
    let mut before: Vec<_> = old
        .into_iter()
        .zip(std::mem::take(&mut app.checks.status))
        .collect();
    let selected = before.get(app.checks.selected).map(|(a, _)| a.text.clone());
    let status = info.assertions.iter().map(|assertion| {
        let same = before.iter().position(|(a, _)| a.text == assertion.text);
        match same.map(|at| before.remove(at).1) {
            // The outcome is about the old text.
            Some(Status::Done(outcome) | Status::Stale(outcome)) => Status::Stale(outcome),
            _ => Status::Idle,
        }
    });
    app.checks.status = status.collect();
    let again = info.assertions.iter();
    let again = again
        .enumerate()
        .find(|(_, a)| Some(&a.text) == selected.as_ref());
    app.checks.selected = again.map_or(0, |(n, _)| n);
    app.checks.planned.clear();
    app.checks.running = None;
    app.checks.pairs.clear();
    app.checks.rates.clear();
    app.checks.trail = TrailPlace::default();
    app.checks.peak = 0;
    app.path.clone_from(&info.path);
    app.reading.read(&info.listing);
    app.load = Load::Ready(info);
    // Answers to these would be about states of the old engine.
    app.pending.clear();
    app.compare = CompareData::default();
    app.race = RaceData::default();
    app.sizes = SizesData::default();
    race::put_away(app);
    app.graph = GraphData::default();
    app.answers = Answers::default();
    app.structure = StructureData::default();
    app.playing = PlayingData::default();
    app.find.forget_states();
    app.orbit.state = None;
    app.files.changed.clear();
    app.files.awaited = None;
}

/// The notice on files that changed; `None` if none did.
#[must_use]
pub fn notice(app: &App) -> Option<String> {
    if let Some(reloading) = &app.files.reloading {
        let seconds = app.now.saturating_sub(reloading.since) / 1_000;
        let what = match reloading.info {
            None => "reloading the script",
            Some(_) => "replaying the walk",
        };
        return Some(format!("{what}, {seconds} s ... Esc cancels"));
    }
    let first = app.files.changed.first()?;
    let name = std::path::Path::new(first).file_name();
    let name = name.map_or_else(|| first.clone(), |n| n.to_string_lossy().into_owned());
    Some(format!(
        "{} changed on disk: R reloads",
        visible_line(&name)
    ))
}
