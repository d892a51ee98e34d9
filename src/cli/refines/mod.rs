//! `orbitscope refines FILE…`: checks scripts and prints results as FDR4's program of that name does, so that tools
//! which call it can call this one. What is known of its output is told in `assets/manual/refines.md`.

pub mod args;
mod behaviour;
mod json;
mod plain;
mod session;
mod sink;

use std::ffi::OsString;
use std::io::IsTerminal;
use std::path::Path;

use self::args::{RefinesArgs, RefinesFormat};
use self::behaviour::FdrResult;
use self::json::JsonResults;
use self::plain::PlainResults;
use self::sink::{ReadScript, ResultSink};
use super::args::{Colour, ProgressMode};
use super::meter::Meter;
use super::output::Output;
use super::prints::{self, Printed};
use super::signals::Signals;
use super::{BUG, FULL, LATE, SCRIPT, USAGE};
use super::{colour, complain, limits, messages, script, stderr_colour};
use crate::report::checks;
use crate::report::outcome::{CheckOutcome, Verdict};
use crate::source::{Cancel, Kind, Severity, Stop};
use orbitscope_engine::check::Options;
use orbitscope_engine::check::shared_systems::SharedSystems;
use orbitscope_language::script::load::Loaded;

/// The arguments of the program, with the name of this command where the program was called `refines`: a link of that
/// name stands in for FDR4's program.
pub fn called_as(arguments: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let mut all: Vec<OsString> = arguments.collect();
    let name = all.first().map(Path::new).and_then(Path::file_stem);
    if name.is_some_and(|name| name == "refines") {
        all.insert(1, "refines".into());
    }
    all
}

/// Checks the scripts. Returns the exit code.
pub fn run(args: &RefinesArgs) -> u8 {
    if args.version {
        let mut output = Output::default();
        output.write(concat!("orbitscope ", env!("CARGO_PKG_VERSION"), "\n"));
        return output.code(0);
    }
    if let Some(why) = args.refused() {
        complain(why);
        return USAGE;
    }
    let mut options = Options {
        limits: limits::default_limits(),
        ..Options::default()
    };
    let effect = match args.session.apply(&mut options) {
        Ok(effect) => effect,
        Err(why) => {
            complain(&why);
            return USAGE;
        }
    };
    warn_of_idle(args, effect.idle);
    let cancel = Cancel::default();
    let signals = Signals::cancelling(&cancel);
    let colour = is_coloured(args);
    let mut all = RefinesRun {
        args,
        options,
        shares: effect.shares,
        cancel,
        signals,
        output: Output::coloured(colour),
        sink: sink(args, colour),
        worst: 0,
    };
    let text = all.sink.start();
    all.write(&text);
    for file in &args.files {
        if all.is_over() {
            break;
        }
        all.script(file);
    }
    all.code()
}

/// Names flags without effect, all in one line.
fn warn_of_idle(args: &RefinesArgs, idle: Vec<&'static str>) {
    let divide = args.divide.then_some("--divide");
    let all: Vec<&str> = divide.into_iter().chain(idle).collect();
    if !all.is_empty() && !args.quiet {
        complain(&format!("without effect here: {}", all.join(", ")));
    }
}

/// Whether answers are coloured.
fn is_coloured(args: &RefinesArgs) -> bool {
    match args.format {
        Some(RefinesFormat::Colour) => true,
        None => colour(Colour::Auto, std::io::stdout().is_terminal()),
        Some(_) => false,
    }
}

/// The format that was asked for.
fn sink(args: &RefinesArgs, colour: bool) -> Box<dyn ResultSink> {
    match args.format {
        Some(RefinesFormat::Json) => Box::new(JsonResults::new(false, args.reveal_taus)),
        Some(RefinesFormat::FramedJson) => Box::new(JsonResults::new(true, args.reveal_taus)),
        _ => Box::new(PlainResults {
            brief: args.brief,
            quiet: args.quiet,
            colour,
            reveals: args.reveal_taus,
        }),
    }
}

/// A run over all scripts.
struct RefinesRun<'a> {
    args: &'a RefinesArgs,
    options: Options,
    /// Whether assertions share compiled processes.
    shares: bool,
    cancel: Cancel,
    signals: Signals,
    output: Output,
    sink: Box<dyn ResultSink>,
    /// The exit code so far, without that of a signal.
    worst: u8,
}

impl RefinesRun<'_> {
    fn is_json(&self) -> bool {
        use RefinesFormat::{FramedJson, Json};
        matches!(self.args.format, Some(Json | FramedJson))
    }

    /// Whether nothing more is to be done.
    fn is_over(&self) -> bool {
        self.cancel.is_cancelled() || self.output.is_broken()
    }

    fn write(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        if self.is_json() {
            self.output.json(text);
        } else {
            self.output.write(text);
        }
    }

    /// Reads a script and checks its assertions.
    fn script(&mut self, file: &Path) {
        let name = file.display().to_string();
        let is_json = self.is_json();
        let limits = self.options.limits.clone();
        let written = |loaded: &Loaded, _| {
            if is_json {
                Output::default().json(&json::unread(&name, loaded));
            }
        };
        let loaded = script::read_or_end(file, &self.signals, &self.cancel, &limits, &written);
        self.report_diagnostics(&loaded);
        let code = messages::exit_code(&loaded.diagnostics);
        self.note(code);
        let checks = code == 0 && !self.args.typecheck;
        let printed = if checks {
            prints::evaluate(&loaded, &limits, &self.cancel)
        } else {
            Vec::new()
        };
        self.report_unprinted(&printed, &loaded);
        let text = self.sink.script(&ReadScript {
            name: &name,
            loaded: &loaded,
            printed: &printed,
        });
        self.write(&text);
        if checks {
            self.assertions(&loaded);
        }
        let text = self.sink.end_script();
        self.write(&text);
    }

    /// Writes errors to standard error, and warnings unless they are unwanted. Callers take any line of a run that
    /// only checks types for an error, and JSON has the warnings.
    fn report_diagnostics(&self, loaded: &Loaded) {
        let all = !self.args.quiet && !self.args.typecheck && !self.is_json();
        let shown = loaded.diagnostics.iter();
        let shown = shown.filter(|d| all || d.severity == Severity::Error);
        let shown: Vec<_> = shown.cloned().collect();
        messages::diagnostics(&shown, &loaded.sources, stderr_colour(Colour::Auto));
    }

    /// Writes the errors of `print` expressions to standard error.
    fn report_unprinted(&mut self, printed: &[Printed], loaded: &Loaded) {
        let errors = printed
            .iter()
            .filter_map(|print| print.value.as_ref().err());
        let errors: Vec<_> = errors.map(|error| (**error).clone()).collect();
        messages::diagnostics(&errors, &loaded.sources, stderr_colour(Colour::Auto));
        self.note(messages::exit_code(&errors));
    }

    fn assertions(&mut self, loaded: &Loaded) {
        let assertions = &loaded.script.assertions;
        let mut shared = if self.shares {
            SharedSystems::for_assertions(&loaded.script, 0..assertions.len())
        } else {
            SharedSystems::default()
        };
        for (at, assertion) in assertions.iter().enumerate() {
            // Assertions that are left after a signal are not reported.
            if self.is_over() {
                break;
            }
            shared.begin(at, &self.options.limits);
            let outcome = self.check(loaded, at + 1, &mut shared);
            let text = self.sink.result(&FdrResult::of(&outcome, assertion));
            self.write(&text);
            self.note(code_of(&outcome));
        }
    }

    fn check(&self, loaded: &Loaded, number: usize, shared: &mut SharedSystems) -> CheckOutcome {
        let mut meter = Meter::new(self.progress_mode(), &[]);
        let mut report = |progress| meter.show(number, &progress);
        let how = (&self.options, &self.cancel);
        let outcome = checks::run_sharing(loaded, number, how, shared, &mut report);
        meter.clear();
        outcome
    }

    /// Progress is for a person before a terminal: programs read both streams.
    fn progress_mode(&self) -> ProgressMode {
        let is_seen = !self.args.quiet && std::io::stderr().is_terminal();
        if is_seen {
            ProgressMode::Auto
        } else {
            ProgressMode::None
        }
    }

    /// Notes the exit code of a part of the run.
    fn note(&mut self, code: u8) {
        // 101 outranks 2 and 3, which outrank limits.
        let rank = |code| {
            [0, LATE, FULL, SCRIPT, USAGE, BUG]
                .iter()
                .position(|c| *c == code)
        };
        if rank(code) > rank(self.worst) {
            self.worst = code;
        }
    }

    fn code(&self) -> u8 {
        let of_signal = self.signals.code();
        let code = match self.worst {
            0 | LATE | FULL => of_signal.unwrap_or(self.worst),
            worst => worst,
        };
        self.output.code(code)
    }
}

/// The exit code of a check: that an assertion fails is no error.
fn code_of(outcome: &CheckOutcome) -> u8 {
    let is_bug = || {
        outcome
            .diagnostic
            .as_ref()
            .is_some_and(|d| d.kind == Kind::Bug)
    };
    match outcome.verdict {
        Verdict::Holds | Verdict::Fails => 0,
        Verdict::Error(_) if is_bug() => BUG,
        Verdict::Error(_) => SCRIPT,
        Verdict::Approximate(_) | Verdict::Inconclusive(_) => match outcome.stopped {
            Some(Stop::Memory) => FULL,
            _ => LATE,
        },
    }
}
