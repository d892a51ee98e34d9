//! `orbitscope replay SCRIPT FOLLOWED`: a saved counterexample, a saved walk or a trace, followed to its end or as far
//! as it goes, and shown.

use std::io::IsTerminal;
use std::path::Path;
use std::time::Instant;

use serde_json::json;

use super::args::{Colour, FollowMode, OutputFormat, ReplayArgs};
use super::asked::{self, AskedScript};
use super::output::Output;
use super::signals::Signals;
use super::{
    BUG, FULL, LATE, SCRIPT, USAGE, colour, complain, limits, messages, script, stderr_colour,
};
use crate::animate::engine::split_trace;
use crate::animate::model::EventKind;
use crate::animate::partings;
use crate::animate::replayed::WalkParting;
use crate::report::follow::{ReplayMode, Verified};
use crate::report::inputs::inputs;
use crate::report::json::counterexample;
use crate::report::numbers::counted;
use crate::report::run_file::RunFile;
use crate::report::text::replayed;
use crate::source::{Cancel, Diagnostic, Kind, Limits, SourceMap, Stop, visible};
use orbitscope_engine::check::Options;
use orbitscope_language::script::load::Loaded;

/// The schema of the JSON output for traces and walks.
const SCHEMA: &str = "orbitscope.replay-walk/1";

/// Exit code where a counterexample does not come about.
pub(super) const DIFFERS: u8 = 1;

/// Replays a trace, a walk or a counterexample. Returns the exit code.
pub fn replay(args: &ReplayArgs) -> u8 {
    let args = match args.settled() {
        Ok(args) => args,
        Err(why) => {
            complain(&why);
            return USAGE;
        }
    };
    let mode = match args.mode {
        FollowMode::Steps => ReplayMode::Steps,
        FollowMode::Strict => ReplayMode::Strict,
        FollowMode::Events => ReplayMode::Events,
        FollowMode::Orbit => ReplayMode::Orbit,
    };
    if args.counterexample.trim_start().starts_with('<') {
        return followed_trace(&args, mode);
    }
    let saved = match SavedRun::read(&args.counterexample, args.color) {
        Ok(saved) => saved,
        Err(code) => return code,
    };
    let steps_only = matches!(mode, ReplayMode::Steps | ReplayMode::Strict);
    let is_walk = saved.is_walk();
    if args.process.is_some() || !steps_only || (!is_walk && mode != ReplayMode::default()) {
        complain(if is_walk {
            "a session tells its processes and all of its steps: --mode steps or strict, and no process"
        } else {
            "--mode is for traces and sessions, and a process for traces"
        });
        return USAGE;
    }
    if is_walk {
        followed_walk(&args, &saved.file, mode)
    } else {
        followed_counterexample(&args, &saved)
    }
}

/// A file of runs, and which of its counterexamples is meant.
pub struct SavedRun {
    /// The file.
    pub file: RunFile,
    /// The number of the counterexample, from 1.
    number: usize,
    /// Whether the number was given.
    is_numbered: bool,
}

impl SavedRun {
    /// Reads the file that is named, `FILE` or `FILE#2`. An error is reported, and its exit code returned.
    pub fn read(given: &str, color: Colour) -> Result<Self, u8> {
        let cancel = Cancel::default();
        let signals = Signals::cancelling(&cancel);
        let (path, number) = place(given);
        let file = RunFile::read(Path::new(path), &cancel);
        let file = file.map_err(|error| refused(&error, &SourceMap::default(), &signals, color))?;
        Ok(Self {
            file,
            number: number.unwrap_or(1),
            is_numbered: number.is_some(),
        })
    }

    /// Whether it is a walk, and no counterexample.
    pub fn is_walk(&self) -> bool {
        self.file.run.counterexamples.is_empty() && !self.is_numbered
    }

    /// Loads the script and verifies the counterexample. An error is reported, and its exit code returned.
    pub fn verified(
        &self,
        path: &Path,
        limits: Limits,
        color: Colour,
    ) -> Result<(Loaded, Verified), u8> {
        let cancel = Cancel::default();
        let signals = Signals::cancelling(&cancel);
        let loaded = script::read(path, &signals, &cancel, &limits);
        let errors = messages::exit_code(&loaded.diagnostics);
        // Other errors may have nothing to do with the assertion; if they have, following it says so.
        if [USAGE, LATE, FULL].contains(&errors) {
            let colour = stderr_colour(color);
            messages::diagnostics(&loaded.diagnostics, &loaded.sources, colour);
            let late = limits.deadline.is_some_and(|d| Instant::now() >= d);
            return Err(signals.code().unwrap_or(if late { LATE } else { errors }));
        }
        let options = Options {
            limits,
            ..Options::default()
        };
        match self.file.verify(self.number, &loaded, &options, &cancel) {
            Ok(found) => {
                if !found.changed.is_empty() {
                    let changed = found.changed.join(" and ");
                    complain(&format!(
                        "{changed} changed since the counterexample was saved; it comes about all the same"
                    ));
                }
                Ok((loaded, found))
            }
            Err(error) => Err(refused(&error, &loaded.sources, &signals, color)),
        }
    }
}

/// Reports why a run is not shown. Returns the exit code.
fn refused(error: &Diagnostic, sources: &SourceMap, signals: &Signals, color: Colour) -> u8 {
    // The error is only a consequence of the signal.
    if let Some(code) = signals.code() {
        return code;
    }
    let shown = std::slice::from_ref(error);
    messages::diagnostics(shown, sources, stderr_colour(color));
    messages::hint(shown);
    match error.kind {
        Kind::Differs => DIFFERS,
        Kind::Usage => USAGE,
        Kind::Stopped(Stop::Memory) => FULL,
        Kind::Stopped(_) => LATE,
        Kind::Bug => BUG,
        _ => SCRIPT,
    }
}

/// The file, and the number of the counterexample in it.
fn place(given: &str) -> (&str, Option<usize>) {
    match given.rsplit_once('#') {
        // A file may have such a sign in its own name: then it is the file.
        Some((path, number)) if !Path::new(given).exists() => match number.parse() {
            Ok(number) => (path, Some(number)),
            Err(_) => (given, None),
        },
        _ => (given, None),
    }
}

/// Follows the counterexample and shows it. Returns the exit code.
fn followed_counterexample(args: &ReplayArgs, saved: &SavedRun) -> u8 {
    let mut limits = limits::default_limits();
    if let Some(timeout) = args.timeout {
        limits = limits.with_timeout(timeout);
    }
    let (loaded, found) = match saved.verified(&args.file, limits, args.color) {
        Ok(done) => done,
        Err(code) => return code,
    };
    let colour =
        args.format == OutputFormat::Text && colour(args.color, std::io::stdout().is_terminal());
    let mut output = Output::coloured(colour);
    let text = &loaded.script.assertions[found.assertion - 1].text;
    match args.format {
        OutputFormat::Text => {
            let shown = replayed(found.assertion, text, &found.counterexample, colour);
            output.write(&shown);
        }
        OutputFormat::Json => {
            let document = json!({
                "schema": "orbitscope.replay/1",
                "inputs": inputs(&loaded.sources),
                "changed": found.changed,
                "index": found.assertion,
                "assertion": &**text,
                "counterexample": counterexample(&found.counterexample),
            });
            output.json(&format!("{document:#}\n"));
        }
    }
    output.code(0)
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
    output.code(if whole { 0 } else { DIFFERS })
}

/// Loads the script that is asked about; an exit code if that fails.
fn asked_script(args: &ReplayArgs) -> Result<AskedScript, u8> {
    AskedScript::load(&args.file, asked::limits(None, args.timeout))
}

fn followed_trace(args: &ReplayArgs, mode: ReplayMode) -> u8 {
    let mut script = match asked_script(args) {
        Ok(script) => script,
        Err(code) => return code,
    };
    let trace = split_trace(&args.counterexample);
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

fn followed_walk(args: &ReplayArgs, file: &RunFile, mode: ReplayMode) -> u8 {
    let mut script = match asked_script(args) {
        Ok(script) => script,
        Err(code) => return code,
    };
    let walk = &file.run;
    let found = match script.engine.rewalk(walk, mode) {
        Ok(found) => found,
        Err(failure) => return script.refused(&[failure]),
    };
    let changed = file.changed(&script.engine.info().inputs);
    let document = json!({
        "schema": SCHEMA,
        "followed": partings::replayed(walk, &found),
        "of": partings::steps(walk),
        "differing": found.differing,
        "changed": changed,
        "parted": found.partings.iter().map(parted_json).collect::<Vec<_>>(),
    });
    let mut text = format!("{}.\n", partings::short(walk, &found));
    for sentence in partings::sentences(walk, &found) {
        text += &format!("{sentence}\n");
    }
    if !changed.is_empty() {
        text += &format!("Changed since it was saved: {}.\n", changed.join(", "));
    }
    print(args, &document, &text, found.partings.is_empty())
}
