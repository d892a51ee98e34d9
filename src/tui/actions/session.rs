//! Walks that are saved, opened and followed once more.

use std::path::PathBuf;

use super::{animate, showing};
use crate::animate::history::History;
use crate::animate::model::ErrorText;
use crate::animate::partings;
use crate::animate::replayed::{Rewalked, StepDetails, StepQuery, TraceRun, WalkParting};
use crate::animate::session::Session;
use crate::animate::worker::{Reply, Request};
use crate::app::{App, Effect, SEED, View};
use crate::command::Availability;
use crate::lessons::room::LessonRoom;
use crate::report::follow::ReplayMode;
use crate::report::numbers::counted;
use crate::report::run_file::RunFile;
use crate::report::runs::RecordedRun;
use crate::requests::{ask, open};
use crate::saving::{AwaitedWriting, OpeningSession, Purpose, SessionWriting, SessionWritten};
use crate::source::visible_line;
use crate::stakes;

/// Writes the session to its file.
pub fn write(app: &mut App, _: usize) -> Vec<Effect> {
    write_to(app, None)
}

/// Writes it to a file that is named, or to the one that it is in, or to a new one.
pub fn write_to(app: &mut App, to: Option<PathBuf>) -> Vec<Effect> {
    let Some(session) = &app.session else {
        return Vec::new();
    };
    let (ids, asked) = session.without_details();
    let purpose = Purpose::Write(to);
    app.files.awaited = Some(AwaitedWriting { ids, purpose });
    if asked.is_empty() {
        return write_now(app);
    }
    // The engine knows which of several states an event leads to was meant.
    app.note = "saving ...".to_owned();
    request_details(app, asked)
}

/// Asks for more of steps.
pub fn request_details(app: &mut App, asked: Vec<StepQuery>) -> Vec<Effect> {
    ask(app, Request::StepDetails(asked)).into_iter().collect()
}

/// Handles the details of steps that a file awaits.
pub fn receive_details(app: &mut App, result: Result<Vec<StepDetails>, ErrorText>) -> Vec<Effect> {
    let Some(awaited) = &app.files.awaited else {
        return Vec::new();
    };
    match (result, &mut app.session) {
        (Ok(details), Some(session)) => {
            session.learn_steps(&awaited.ids, details);
            if awaited.purpose == Purpose::Reload {
                app.files.awaited = None;
                return stakes::begin_reload(app);
            }
            write_now(app)
        }
        (Ok(_), None) => Vec::new(),
        (Err(failure), _) => {
            let what = match awaited.purpose {
                Purpose::Write(_) => "nothing was saved",
                Purpose::Reload => "the script was not reloaded",
            };
            app.note = format!("{what}: {}", failure.summary);
            app.files.awaited = None;
            app.files.quitting = false;
            Vec::new()
        }
    }
}

/// The walk and the settings of the view, as a file holds them; the script has no name there yet.
#[must_use]
pub fn recorded(app: &App) -> Option<RunFile> {
    let session = app.session.as_ref()?;
    let inputs = app.info().map_or(&[][..], |info| &info.inputs);
    Some(RunFile::new(inputs, session.record(), stakes::shown(app)))
}

fn write_now(app: &mut App) -> Vec<Effect> {
    let awaited = app.files.awaited.take();
    let to = match awaited.map(|awaited| awaited.purpose) {
        Some(Purpose::Write(to)) => Some(to),
        _ => None,
    };
    let (Some(to), Some(session), Some(entries)) = (
        to,
        recorded(app),
        app.session.as_ref().map(|s| s.history.ids().count()),
    ) else {
        return Vec::new();
    };
    vec![Effect::WriteSession(Box::new(SessionWriting {
        session,
        script: app.path.clone(),
        to,
        known: app.files.file.clone(),
        entries,
    }))]
}

/// A session was written, or could not be.
pub fn written(app: &mut App, result: Result<SessionWritten, String>) -> Vec<Effect> {
    let quitting = std::mem::take(&mut app.files.quitting);
    match result {
        Ok(written) => {
            let name = written.file.path.display().to_string();
            app.note = format!("saved to {}{}", visible_line(&name), written.remark);
            app.files.saved = written.entries;
            app.files.file = Some(written.file);
            if quitting {
                vec![Effect::Quit]
            } else {
                Vec::new()
            }
        }
        Err(why) => {
            app.failed = Some(why.clone());
            app.note = why;
            Vec::new()
        }
    }
}

/// Follows the walk of a session that is to be opened.
pub fn open_session(app: &mut App) -> Option<Vec<Effect>> {
    let walk = app.files.opening.as_ref()?.session.run.clone();
    let request = Request::Rewalk(Box::new(walk), ReplayMode::Steps);
    Some(ask(app, request).into_iter().collect())
}

/// A walk was followed.
pub fn rewalked(
    app: &mut App,
    walk: &RecordedRun,
    result: Result<Box<Rewalked>, ErrorText>,
) -> Vec<Effect> {
    let Some(opening) = app.files.opening.take() else {
        return Vec::new();
    };
    let found = match result {
        Ok(found) => found,
        Err(failure) => {
            app.note = format!("the walk was not followed: {}", failure.summary);
            return open(app, walk.process_of(walk.here));
        }
    };
    let report = report(app, &opening.session, walk, &found);
    let Some(history) = History::rebuilt(walk, &found) else {
        app.tell(
            "Nothing of the walk could be replayed",
            &report.join("\n\n"),
        );
        let first = app.info().and_then(|i| i.processes.first().cloned());
        return first.map_or_else(Vec::new, |first| open(app, &first));
    };
    resume(app, history);
    if let Some(session) = &mut app.session {
        session.load_all(&found.counterexamples);
    }
    let view = stakes::show_again(app, &opening.session.view);
    let mut effects = showing::show(app, view);
    if let Some(path) = app.files.recovering.take() {
        // Kept as the walk of this program, and then not needed twice.
        let own = app.files.keeper.clone();
        if let (Some(own), Some(session)) = (own, recorded(app)) {
            app.files.kept = walk.entries.len();
            effects.push(Effect::Keep(Box::new(session), own, true));
            effects.push(Effect::Forget(path));
        }
    }
    app.note = format!("the session is open: {}", partings::short(walk, &found));
    // The part that was not replayed is still in the file, and must not be lost by saving over it.
    app.files.saved = match &opening.file {
        Some(_) if found.partings.is_empty() => walk.entries.len(),
        _ => 0,
    };
    // Neither must the counterexamples in it, since a walk is saved without any.
    let is_walk = walk.counterexamples.is_empty();
    app.files.file = opening
        .file
        .filter(|_| is_walk && found.partings.is_empty());
    if !report.is_empty() {
        app.tell("What became of the walk", &report.join("\n\n"));
    }
    effects
}

/// The report on a walk that was opened; empty if all of it is unchanged.
fn report(app: &App, session: &RunFile, walk: &RecordedRun, found: &Rewalked) -> Vec<String> {
    let mut report = partings::sentences(walk, found);
    if report.is_empty() {
        return report;
    }
    let changed = app.info().map(|i| session.changed(&i.inputs));
    let changed = changed.unwrap_or_default();
    let changed: Vec<_> = changed.iter().map(|c| visible_line(c)).collect();
    report.insert(0, format!("{}.", partings::short(walk, found)));
    report.push(if changed.is_empty() {
        "The script is as it was then: the session, or the program, is another one.".to_owned()
    } else {
        format!("Changed since it was saved: {}.", changed.join(", "))
    });
    report
}

/// Goes on in another history.
pub fn resume(app: &mut App, history: History) {
    app.session = Some(Session::resumed(history, SEED));
    app.open_failure = None;
    animate::moved(app);
}

/// Handles a trace that was followed. If silent steps were left out, a search for them begins.
fn traced(
    app: &mut App,
    process: String,
    trace: Vec<String>,
    mode: ReplayMode,
    result: Result<Box<TraceRun>, ErrorText>,
) -> Vec<Effect> {
    let before = app.files.half.take();
    let mut run = match (result, &before) {
        (Ok(run), _) => run,
        // The earlier result is still valid.
        (Err(_), Some(before)) => before.clone(),
        (Err(failure), None) => {
            let title = "The trace could not be followed";
            app.failed = Some(format!("{title}: {}", failure.summary));
            app.tell(title, &failure.detail);
            return Vec::new();
        }
    };
    if run.parted.is_some() && mode == ReplayMode::Steps {
        app.files.half = Some(run);
        let request = Request::Trace(process, trace, ReplayMode::Events);
        return ask(app, request).into_iter().collect();
    }
    // Silent steps are added only if the trace can be followed further with them.
    if let Some(before) = before.filter(|before| run.followed <= before.followed) {
        let same = run.followed == before.followed;
        let why = run.parted.take().filter(|_| same);
        run = before;
        // Why it is not possible after any silent steps says more than why it is not possible at once.
        run.parted = why.or(run.parted);
    }
    let Some(first) = run.first else {
        return Vec::new();
    };
    let session = app
        .session
        .get_or_insert_with(|| app.settings.session(&process, first, SEED));
    let entries = session.history.ids().count();
    session.walk_along(&process, &run);
    // The trace is still where it came from.
    app.files.saved += session.history.ids().count() - entries;
    animate::moved(app);
    let effects = showing::show(app, View::Animate);
    app.note = trace_note(&run);
    if let Some(parting) = &run.parted {
        tell_parting(app, &run, parting, trace.len());
    }
    effects
}

/// Says where a trace of so many steps could not be followed any further.
fn tell_parting(app: &mut App, run: &TraceRun, parting: &WalkParting, of: usize) {
    let text = format!(
        "{} of {} were followed, and you are at their end.\n\n{}.\n\nA hidden event is a step by its name, `tau` one without a name, and a#2 the second state that a leads to.",
        run.followed,
        counted(of as u64, "step"),
        parting.text()
    );
    let title = "The trace could not be followed to its end";
    app.failed = Some(format!("{title}: {}", parting.text()));
    app.tell(title, &text);
}

/// The note on a trace that was followed.
fn trace_note(run: &TraceRun) -> String {
    let steps = counted(run.steps.len() as u64, "step");
    let mut note = format!("started after {steps}: u goes back along them");
    if run.added > 0 {
        let added = counted(run.added as u64, "silent step");
        note += &format!("; {added} of them found");
    }
    if run.others > 0 {
        note += &format!(
            "; the trace leads to {} more: a#2 means the second",
            counted(run.others as u64, "state")
        );
    }
    note
}

/// Steps after which a walk is kept once more.
const KEPT_EVERY: usize = 20;

/// Keeps the walk if enough was done since that was done last.
pub fn keep(app: &mut App) -> Option<Effect> {
    let path = app.files.keeper.clone()?;
    let entries = app.session.as_ref()?.history.ids().count();
    // Another walk was opened, which is shorter.
    app.files.kept = app.files.kept.min(entries);
    if entries < app.files.kept.max(app.files.saved).max(1) + KEPT_EVERY {
        return None;
    }
    app.files.kept = entries;
    let session = recorded(app)?;
    Some(Effect::Keep(Box::new(session), path, false))
}

/// Handles an end that the user did not ask for: unsaved data are kept.
pub fn terminated(app: &mut App) -> Vec<Effect> {
    if let Some(room) = &mut app.lesson {
        return out_of_lesson(room, terminated);
    }
    let unsaved = stakes::unsaved(app) > 0;
    let kept = app.files.keeper.clone().filter(|_| unsaved);
    let kept = kept.and_then(|path| Some(Effect::Keep(Box::new(recorded(app)?), path, true)));
    kept.into_iter().chain([Effect::Quit]).collect()
}

/// The person ends the program at once: a walk about which `q` would have asked is kept.
pub fn interrupted(app: &mut App) -> Vec<Effect> {
    if let Some(room) = &mut app.lesson {
        return out_of_lesson(room, interrupted);
    }
    if stakes::is_long(app) {
        terminated(app)
    } else {
        vec![Effect::Quit]
    }
}

/// The program ends while a lesson is taken: its place is kept, and the parked session ends as it does by itself.
fn out_of_lesson(room: &mut LessonRoom, end: fn(&mut App) -> Vec<Effect>) -> Vec<Effect> {
    let kept = room
        .keep(true, room.arrived)
        .map(|kept| Effect::KeepLesson(Box::new(kept)));
    let mut own = end(&mut room.parked);
    ended(&room.parked, &mut own);
    kept.into_iter().chain(own).collect()
}

/// The person ends the program: unless something is kept in this moment, nothing needs to be.
pub fn ended(app: &App, effects: &mut Vec<Effect>) {
    let keeps = |effect: &Effect| matches!(effect, Effect::Keep(_, _, true));
    if app.files.kept > 0
        && !effects.iter().any(keeps)
        && let Some(at) = effects.iter().position(|e| *e == Effect::Quit)
        && let Some(path) = app.files.keeper.clone()
    {
        effects.insert(at, Effect::Forget(path));
    }
}

/// Says that a walk was left behind.
pub fn offer(app: &mut App) {
    if let Some((session, _)) = &app.files.left {
        let steps = counted(partings::steps(&session.run) as u64, "step");
        app.note = format!("a walk of {steps} was kept when the program ended: Ctrl-o opens it");
    }
}

/// Whether a walk of a crashed program can be recovered.
pub fn can_recover(app: &App) -> Availability {
    match (&app.files.left, stakes::unsaved(app)) {
        (None, _) => Err("no walk was left behind".to_owned()),
        (Some(_), 0) => Ok(()),
        (Some(_), _) => Err("save this walk first: W".to_owned()),
    }
}

/// Opens the walk that was left behind.
pub fn recover(app: &mut App, _: usize) -> Vec<Effect> {
    let Some((session, path)) = app.files.left.take() else {
        return Vec::new();
    };
    app.files.recovering = Some(path);
    app.files.opening = Some(Box::new(OpeningSession {
        session,
        file: None,
    }));
    open_session(app).unwrap_or_default()
}

/// Handles a reply on walks. Returns the effects.
pub fn answer(app: &mut App, reply: Reply) -> Vec<Effect> {
    match reply {
        Reply::Rewalk(walk, _, result) => rewalked(app, &walk, result),
        Reply::Trace(process, trace, mode, result) => traced(app, process, trace, mode, result),
        Reply::StepDetails(_, result) => receive_details(app, result),
        _ => Vec::new(),
    }
}
