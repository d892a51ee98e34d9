//! `orbitscope replay SCRIPT '<a, b>'` and `replay SCRIPT FILE.ron`: replay of a trace or a saved session until it
//! cannot be followed further.

use std::path::Path;

use serde_json::json;

use super::args::{FollowMode, OutputFormat, ReplayArgs};
use super::asked::{self, AskedScript};
use super::output::Output;
use super::{USAGE, complain, replay};
use crate::animate::engine::split_trace;
use crate::animate::model::EventKind;
use crate::animate::partings;
use crate::animate::recorded::{ReplayMode, WalkParting};
use crate::animate::session_file::{SessionFile, is_session};
use crate::report::numbers::counted;
use crate::source::{Cancel, visible};

/// The schema of the JSON output.
const SCHEMA: &str = "orbitscope.replay-walk/1";

/// Replays a trace, a session or a saved counterexample. Returns the exit code.
pub fn replay(args: &ReplayArgs) -> u8 {
    let args = match args.settled() {
        Ok(args) => args,
        Err(why) => {
            complain(&why);
            return USAGE;
        }
    };
    let given = args.counterexample.trim_start();
    if given.starts_with('<') || is_session(Path::new(given)) {
        run(&args)
    } else {
        replay::run(&args)
    }
}

/// Follows the walk and shows it. Returns the exit code.
fn run(args: &ReplayArgs) -> u8 {
    let mode = match args.mode {
        FollowMode::Steps => ReplayMode::Steps,
        FollowMode::Strict => ReplayMode::Strict,
        FollowMode::Events => ReplayMode::Events,
        FollowMode::Orbit => ReplayMode::Orbit,
    };
    let given = args.counterexample.trim();
    let is_trace = given.starts_with('<');
    let steps_only = matches!(mode, ReplayMode::Steps | ReplayMode::Strict);
    if !is_trace && (!steps_only || args.process.is_some()) {
        complain(
            "a session tells its processes and all of its steps: --mode steps or strict, and no process",
        );
        return USAGE;
    }
    let session = if is_trace {
        None
    } else {
        match SessionFile::read(Path::new(given), &Cancel::default()) {
            Ok(session) => Some(session),
            Err(message) => {
                complain(&message);
                return USAGE;
            }
        }
    };
    let limits = asked::limits(None, args.timeout);
    let mut script = match AskedScript::load(&args.file, limits) {
        Ok(script) => script,
        Err(code) => return code,
    };
    match session {
        Some(session) => followed_session(args, &mut script, &session, mode),
        None => followed_trace(args, &mut script, given, mode),
    }
}

fn parted_json(parting: &WalkParting) -> serde_json::Value {
    json!({
        "step": parting.step,
        "wanted": parting.wanted,
        "why": parting.why,
        "enabled": parting.enabled,
        "nearest": parting.nearest,
    })
}

fn print(args: &ReplayArgs, document: &serde_json::Value, text: &str, whole: bool) -> u8 {
    let mut output = Output::coloured(false);
    match args.format {
        OutputFormat::Text => output.write(&visible(text)),
        OutputFormat::Json => output.json(&format!("{document:#}\n")),
    }
    output.code(if whole { 0 } else { replay::DIFFERS })
}

fn followed_trace(
    args: &ReplayArgs,
    script: &mut AskedScript,
    given: &str,
    mode: ReplayMode,
) -> u8 {
    let trace = split_trace(given);
    let process = args.process.clone();
    let process = process.unwrap_or_else(|| script.first_process());
    let run = match script.engine.trace(&process, &trace, mode) {
        Ok(run) => run,
        Err(failure) => return script.refused(&[failure]),
    };
    let kind = |kind: EventKind| match kind {
        EventKind::Tau => "tau",
        EventKind::Tick => "tick",
        EventKind::Visible => "visible",
    };
    let steps: Vec<_> = run
        .steps
        .iter()
        .map(|(taken, _)| json!({ "kind": kind(taken.kind), "event": taken.event, "movers": taken.movers }))
        .collect();
    let document = json!({
        "schema": SCHEMA,
        "process": process,
        "followed": run.followed,
        "of": trace.len(),
        "added": run.added,
        "steps": steps,
        "renamed": run.renamed.iter().map(|(n, by)| json!({ "step": n, "by": by })).collect::<Vec<_>>(),
        "parted": run.parted.as_ref().map(parted_json),
    });
    let mut text = String::new();
    for (n, (taken, _)) in run.steps.iter().enumerate() {
        text += &format!("{:>4}  {:<8}{}\n", n + 1, kind(taken.kind), taken.text());
    }
    let all = counted(trace.len() as u64, "step");
    text += &if run.parted.is_none() {
        format!("{process}: all of {all} were followed")
    } else {
        format!("{process}: {} of {all} were followed", run.followed)
    };
    if run.added > 0 {
        let added = counted(run.added as u64, "silent step");
        text += &format!("; {added} found besides");
    }
    text += ".\n";
    for (step, by) in &run.renamed {
        text += &format!("Step {step} is another one than was given, by {by}.\n");
    }
    if run.others > 0 {
        let others = counted(run.others as u64, "state");
        text += &format!("The same trace leads to {others} besides.\n");
    }
    if let Some(parting) = &run.parted {
        text += &format!("It ends at {}.\n", parting.text());
    }
    print(args, &document, &text, run.parted.is_none())
}

fn followed_session(
    args: &ReplayArgs,
    script: &mut AskedScript,
    session: &SessionFile,
    mode: ReplayMode,
) -> u8 {
    let walk = match session.walk() {
        Ok(walk) => walk,
        Err(message) => {
            complain(&message);
            return USAGE;
        }
    };
    let found = match script.engine.rewalk(&walk, mode) {
        Ok(found) => found,
        Err(failure) => return script.refused(&[failure]),
    };
    let changed = session.changed(&script.engine.info().inputs);
    let document = json!({
        "schema": SCHEMA,
        "followed": partings::replayed(&walk, &found),
        "of": partings::steps(&walk),
        "differing": found.differing,
        "changed": changed,
        "parted": found.partings.iter().map(parted_json).collect::<Vec<_>>(),
    });
    let mut text = format!("{}.\n", partings::short(&walk, &found));
    for sentence in partings::sentences(&walk, &found) {
        text += &format!("{sentence}\n");
    }
    if !changed.is_empty() {
        text += &format!("Changed since it was saved: {}.\n", changed.join(", "));
    }
    print(args, &document, &text, found.partings.is_empty())
}
