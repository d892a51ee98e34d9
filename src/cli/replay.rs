//! `orbitscope replay SCRIPT FILE`: a saved counterexample, followed to its end and shown.

use std::io::IsTerminal;
use std::path::Path;
use std::time::Instant;

use serde_json::json;

use super::args::{Colour, FollowMode, OutputFormat, ReplayArgs};
use super::output::Output;
use super::signals::Signals;
use super::{
    BUG, FULL, LATE, SCRIPT, USAGE, colour, complain, limits, messages, script, stderr_colour,
};
use crate::report::inputs::inputs;
use crate::report::json::counterexample;
use crate::report::saved::{self, Verified};
use crate::report::text::replayed;
use crate::source::{Cancel, Kind, Limits, Stop};
use orbitscope_engine::check::Options;
use orbitscope_language::script::load::Loaded;

/// Exit code where a counterexample does not come about.
pub(super) const DIFFERS: u8 = 1;

/// Follows the run and shows it. Returns the exit code.
pub fn run(args: &ReplayArgs) -> u8 {
    if args.mode != FollowMode::default() || args.process.is_some() {
        complain("--mode is for traces and sessions, and a process for traces");
        return USAGE;
    }
    let mut limits = limits::default_limits();
    if let Some(timeout) = args.timeout {
        limits = limits.with_timeout(timeout);
    }
    let (loaded, found) = match verified(&args.file, &args.counterexample, limits, args.color) {
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

/// Loads a script and verifies a counterexample, `FILE` or `FILE#2`. An error is reported, and its exit code
/// returned.
pub fn verified(
    path: &Path,
    given: &str,
    limits: Limits,
    color: Colour,
) -> Result<(Loaded, Verified), u8> {
    let cancel = Cancel::default();
    let signals = Signals::cancelling(&cancel);
    let loaded = script::read(path, &signals, &cancel, &limits);
    let colour = stderr_colour(color);
    let errors = messages::exit_code(&loaded.diagnostics);
    // Other errors may have nothing to do with the assertion; if they have, following it says so.
    if [USAGE, LATE, FULL].contains(&errors) {
        messages::diagnostics(&loaded.diagnostics, &loaded.sources, colour);
        let late = limits.deadline.is_some_and(|d| Instant::now() >= d);
        return Err(signals.code().unwrap_or(if late { LATE } else { errors }));
    }
    let options = Options {
        limits,
        ..Options::default()
    };
    let (saved, number) = place(given);
    let found = saved::read(Path::new(saved), &cancel)
        .and_then(|file| file.verify(number, &loaded, &options, &cancel));
    match found {
        Ok(found) => {
            if !found.changed.is_empty() {
                let changed = found.changed.join(" and ");
                complain(&format!(
                    "{changed} changed since the counterexample was saved; it comes about all the same"
                ));
            }
            Ok((loaded, found))
        }
        Err(error) => {
            // The error is only a consequence of the signal.
            if let Some(code) = signals.code() {
                return Err(code);
            }
            let shown = std::slice::from_ref(&*error);
            messages::diagnostics(shown, &loaded.sources, colour);
            messages::hint(shown);
            Err(match error.kind {
                Kind::Differs => DIFFERS,
                Kind::Usage => USAGE,
                Kind::Stopped(Stop::Memory) => 5,
                Kind::Stopped(_) => 4,
                Kind::Bug => BUG,
                _ => SCRIPT,
            })
        }
    }
}

/// The file, and the number of the counterexample in it.
fn place(given: &str) -> (&str, usize) {
    match given.rsplit_once('#') {
        // A file may have such a sign in its own name: then it is the file.
        Some((path, number)) if !Path::new(given).exists() => match number.parse() {
            Ok(number) => (path, number),
            Err(_) => (given, 1),
        },
        _ => (given, 1),
    }
}
