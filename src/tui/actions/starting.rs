//! The start of the screen: the process that is opened once the script is loaded.

use super::session;
use crate::animate::model::ScriptInfo;
use crate::animate::worker::Request;
use crate::app::{App, Effect, Load, Status};
use crate::report::follow::ReplayMode;
use crate::requests::{ask, open};

/// The script is there: something of it is opened.
pub fn ready(app: &mut App, info: ScriptInfo) -> Vec<Effect> {
    let watch = Effect::LookAt(info.inputs.clone());
    let mut effects = begin(app, info);
    session::offer(app);
    // An error of the settings is shown once.
    let notice = std::mem::take(&mut app.settings.notice);
    if !notice.is_empty() {
        app.note = notice;
    }
    effects.push(watch);
    effects
}

fn begin(app: &mut App, info: ScriptInfo) -> Vec<Effect> {
    // One entry an assertion: the other lists are indexed by it.
    app.checks.status = vec![Status::Idle; info.assertions.len()];
    let warnings = info.diagnostics.len();
    if warnings > 0 {
        let plural = if warnings == 1 { "" } else { "s" };
        app.note = format!("{warnings} message{plural} about the script: D shows them");
    }
    let process = app.process.clone().or_else(|| first_process(&info));
    // A trace on the command line wins over the script's, which is about the usual process.
    let trace = match (&app.trace, &app.process) {
        (Some(trace), _) => trace.clone(),
        (None, None) => info.trace.clone(),
        (None, Some(_)) => Vec::new(),
    };
    app.reading.read(&info.listing);
    app.load = Load::Ready(info);
    // Following it opens its process.
    if let Some(found) = app.counterexample.take() {
        let request = Request::Replay(Box::new(found));
        return ask(app, request).into_iter().collect();
    }
    if let Some(effects) = session::open_session(app) {
        return effects;
    }
    let Some(process) = process else {
        return Vec::new();
    };
    app.opens_first = true;
    // The engine answers in order: the process is open when the trace is followed.
    let mut effects = open(app, &process);
    if !trace.is_empty() {
        let request = Request::Trace(process, trace, ReplayMode::Steps);
        app.pending.push(request.clone());
        effects.push(Effect::Ask(request));
    }
    effects
}

/// The process to start with: one that is called System or Main, otherwise the first.
fn first_process(info: &ScriptInfo) -> Option<String> {
    let usual = |name: &&String| {
        let name = name.to_lowercase();
        name == "system" || name == "main"
    };
    let mut processes = info.processes.iter();
    let named = processes.clone().find(usual);
    named.or(processes.next()).cloned()
}
