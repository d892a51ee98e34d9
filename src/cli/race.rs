//! `orbitscope race FILE [PROCESS | -a N]`: the same search with each strategy, and its cost.

use std::fmt::Write as _;
use std::io::{IsTerminal, Write as _};
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::json;

use super::args::{ProgressMode, RaceArgs};
use super::json::tool;
use super::output::Output;
use super::signals::Signals;
use super::{BUG, FULL, LATE, SCRIPT, USAGE, asked, complain, messages, script, stderr_colour};
use crate::animate::engine::ScriptEngine;
use crate::animate::model::{AskedStrategy, KeepingKind};
use crate::animate::openable::processes;
use crate::report::document::Document;
use crate::report::inputs::inputs;
use crate::report::numbers;
use crate::report::outcome::{Counterexample, Progress};
use crate::report::race::{self, DoubledView, RaceEvent, RaceOutcome, RaceRow, RowEnd};
use crate::report::words::ErrorText;
use crate::source::{Bounds, Cancel, Limits, Severity, Stop, models, render};
use orbitscope_engine::check::Options;
use orbitscope_engine::lab::race::{RaceOptions, RaceSubject};
use orbitscope_language::script::load::{Loaded, load_within};

/// The least time that a script has to be read.
const READING: Duration = Duration::from_millis(500);

/// Runs the race. Returns the exit code.
pub fn run(args: &RaceArgs) -> u8 {
    let cancel = Cancel::default();
    let signals = Signals::cancelling(&cancel);
    // Checked here, as for other commands about processes: a script that is read twice has to be a file.
    if let Err(error) = models::readable(&args.file) {
        complain(&format!("cannot read {}: {error}", args.file.display()));
        return USAGE;
    }
    let strategies = match RaceOptions::named(&args.rep) {
        Ok(strategies) => strategies,
        Err(message) => {
            complain(&message);
            return USAGE;
        }
    };
    let begun = Instant::now();
    // Reading has a moment in any case: each strategy is to say for itself that its time is over.
    let timeout = args.timeout.map(|time| time.max(READING));
    let mut limits = asked::limits(args.memory, timeout);
    limits.states_max = args.max_states.unwrap_or(limits.states_max);
    let defaults = Options::default();
    let race = RaceOptions {
        strategies,
        options: Options {
            types: args.types.clone(),
            threads: args.workers.map_or(defaults.threads, usize::from),
            limits: limits.clone(),
            ..defaults
        },
        timeout: None,
        // A tenth is left to try the commands that the report gives.
        deadline: args
            .timeout
            .and_then(|time| begun.checked_add(time / 10 * 9)),
    };
    let loaded = script::read_or_end(&args.file, &signals, &cancel, &limits, &|_, _| {});
    tell(&loaded, args);
    let errors = messages::exit_code(&loaded.diagnostics);
    if [USAGE, LATE, FULL].contains(&errors) {
        return signals.code().unwrap_or(errors);
    }
    let run = RaceCommand {
        args,
        race: &race,
        cancel: &cancel,
        signals: &signals,
        limits: &limits,
    };
    match run.subject(&loaded) {
        Ok(()) => errors,
        Err(code) => code,
    }
}

/// Shows errors, and warnings unless they are unwanted.
fn tell(loaded: &Loaded, args: &RaceArgs) {
    let shown = |d: &&crate::source::Diagnostic| !args.quiet || d.severity == Severity::Error;
    let shown: Vec<_> = loaded.diagnostics.iter().filter(shown).cloned().collect();
    messages::diagnostics(&shown, &loaded.sources, stderr_colour(args.color));
}

/// A run of the program.
struct RaceCommand<'a> {
    args: &'a RaceArgs,
    race: &'a RaceOptions,
    cancel: &'a Cancel,
    signals: &'a Signals,
    limits: &'a Limits,
}

impl RaceCommand<'_> {
    /// Finds the subject of the race, and runs it. The exit code is an error unless it is 0.
    fn subject(&self, loaded: &Loaded) -> Result<(), u8> {
        if let Some(number) = self.args.assertion {
            let count = loaded.script.assertions.len();
            let Some(index) = number.checked_sub(1).filter(|index| *index < count) else {
                complain(&format!(
                    "there is no assertion {number}; the script has {count}"
                ));
                return Err(USAGE);
            };
            return self.go(loaded, RaceSubject::Assertion(index), "");
        }
        let named = self.args.process.clone();
        let Some(process) = named.or_else(|| processes(loaded).into_iter().next()) else {
            complain("the script has no process without parameters: name one");
            return Err(USAGE);
        };
        if let Some(expr) = loaded.process(&process) {
            return self.go(loaded, RaceSubject::Process(expr), &process);
        }
        // Any other expression: the script once more, with the expression behind it.
        let bounds = Bounds::new(self.limits, self.cancel);
        let read = script::bounded_by(self.signals, self.cancel, self.limits, &bounds, || {
            load_within(&self.args.file, Some(&process), &bounds)
        });
        let colour = stderr_colour(self.args.color);
        let with = match read {
            Ok(with) => with,
            Err(errors) => {
                messages::diagnostics(&errors.diagnostics, &errors.sources, colour);
                return Err(SCRIPT);
            }
        };
        let fresh = |d: &&crate::source::Diagnostic| {
            d.severity == Severity::Error && !loaded.diagnostics.contains(d)
        };
        let fresh: Vec<_> = with.diagnostics.iter().filter(fresh).cloned().collect();
        messages::diagnostics(&fresh, &with.sources, colour);
        match with.given() {
            Some(expr) if fresh.is_empty() => self.go(&with, RaceSubject::Process(expr), &process),
            _ => {
                complain(&format!("`{process}` is no process of the script"));
                Err(SCRIPT)
            }
        }
    }

    /// Runs the strategies, and reports their results.
    fn go(&self, loaded: &Loaded, subject: RaceSubject<'_>, process: &str) -> Result<(), u8> {
        let of_assertion = matches!(subject, RaceSubject::Assertion(_));
        let mut meter = RaceMeter::new(self.args);
        let ran = race::run(
            loaded,
            subject,
            process,
            self.race,
            self.cancel,
            &mut |event| match event {
                RaceEvent::Strategies(_) => {}
                RaceEvent::Progress(name, progress) => meter.progress(name, &progress),
                RaceEvent::Row(row) => meter.row(row, of_assertion),
            },
        );
        let done = match ran {
            Ok(done) => done,
            Err(error) => {
                let colour = stderr_colour(self.args.color);
                let code = messages::exit_code(std::slice::from_ref(&error));
                messages::diagnostics(&[*error], &loaded.sources, colour);
                return Err(self.signals.code().unwrap_or(code));
            }
        };
        let rows: Vec<Document> = (done.rows.iter())
            .map(|row| self.row_document(row, of_assertion, loaded))
            .collect();
        let mut document = done.document(&rows, self.race.options.threads);
        let code = self.code(&done);
        document
            .fact("schema", "orbitscope.race/1")
            .fact("tool", tool())
            .fact("inputs", json!(inputs(&loaded.sources)))
            .fact("exit_code", code);
        let code = Output::default().document(&document, self.args.format, code);
        self.errors(&done, loaded);
        match code {
            0 => Ok(()),
            code => Err(code),
        }
    }

    fn row_document(&self, row: &RaceRow, of_assertion: bool, loaded: &Loaded) -> Document {
        let found = row.doubled.as_ref();
        let command = found.and_then(|found| self.command(row.strategy, found));
        let mut document = row.document(of_assertion, command.as_deref());
        let diagnostic = match &row.end {
            RowEnd::Refused(error, _) => Some(render::to_json(error, &loaded.sources)),
            _ => None,
        };
        document.fact("diagnostic", diagnostic);
        document
    }

    /// Reports the errors that kept strategies from their search, each once.
    fn errors(&self, done: &RaceOutcome, loaded: &Loaded) {
        let mut known = Vec::new();
        for row in &done.rows {
            // Beside strategies that came to their end, the note below the table says enough.
            let wanted = !done.rows.iter().any(RaceRow::has_ended) || race::is_fault(row);
            if let RowEnd::Refused(error, _) = &row.end
                && wanted
                && !known.contains(&**error)
            {
                known.push((**error).clone());
            }
        }
        messages::diagnostics(&known, &loaded.sources, stderr_colour(self.args.color));
        messages::hint(&known);
        if !done.disagreement.is_empty() {
            complain(&format!(
                "internal error: the strategies disagree: {}; please report this with the script",
                done.disagreement
            ));
        }
    }

    /// The exit code: 0 if a strategy came to its end, with any verdict.
    fn code(&self, done: &RaceOutcome) -> u8 {
        let rows = &done.rows;
        let stopped = |by: fn(Stop) -> bool| {
            let stop = |row: &RaceRow| matches!(row.end, RowEnd::Stopped(stop) if by(stop));
            rows.iter().any(stop)
        };
        if !done.disagreement.is_empty() || rows.iter().any(race::is_fault) {
            BUG
        } else if let Some(code) = self.signals.code() {
            code
        } else if rows.iter().any(RaceRow::has_ended) {
            0
        } else if stopped(|stop| stop == Stop::Memory) {
            FULL
        } else if stopped(|_| true) {
            LATE
        } else {
            SCRIPT
        }
    }

    /// The command that compares the two states, if it does: it was tried.
    fn command(&self, strategy: &str, found: &DoubledView) -> Option<String> {
        // Other ways to remember states choose no representatives.
        let by = KeepingKind::named(strategy).and_then(|kind| AskedStrategy::try_from(kind).ok());
        let by = by.unwrap_or_default();
        let process = &found.states[0].run.process;
        let [a, b] = self.traces(found).ok()?;
        let mut engine = self.engine().ok()?;
        let first = engine.after(process, &a).ok()?;
        let second = engine.after(process, &b).ok()?;
        let compared = engine.compare(first, second, by).ok()?;
        // Of other states than these it would be misleading.
        (compared.relation.word() == "same-orbit").then(|| {
            let quoted = |text: &str| format!("'{}'", text.replace('\'', "'\\''"));
            let trace = |trace: &[String]| quoted(&format!("<{}>", trace.join(", ")));
            let rep = match by.name() {
                Some(name) => format!(" --rep {name}"),
                None => String::new(),
            };
            format!(
                "orbitscope compare{rep} {} {} {} {}",
                quoted(&self.args.file.display().to_string()),
                quoted(process),
                trace(&a),
                trace(&b)
            )
        })
    }

    /// The traces that lead to both states.
    fn traces(&self, found: &DoubledView) -> Result<[Vec<String>; 2], ErrorText> {
        let mut engine = self.engine()?;
        let mut trace = |run: &Counterexample| {
            let states = engine.replay(run)?;
            engine.trace_through(&states)
        };
        let [a, b] = &found.states;
        Ok([trace(&a.run)?, trace(&b.run)?])
    }

    /// The script as `compare` loads it, each time anew: earlier requests could make a difference.
    fn engine(&self) -> Result<ScriptEngine, ErrorText> {
        let limits = self.limits.from_now();
        let path: &Path = &self.args.file;
        let engine = {
            // The text is not shown.
            let bounds = Bounds::new(&limits, self.cancel);
            ScriptEngine::load_bounded(path.to_path_buf(), limits, self.cancel, &bounds)
        };
        engine.map_err(|mut failure| failure.errors.swap_remove(0))
    }
}

/// Shows how far the strategies are: a line for each, with a bar.
struct RaceMeter {
    mode: ProgressMode,
    rewrite: bool,
    next: Instant,
}

impl RaceMeter {
    fn new(args: &RaceArgs) -> Self {
        let mode = if args.quiet {
            ProgressMode::None
        } else {
            args.progress
        };
        Self {
            mode,
            rewrite: mode == ProgressMode::Auto && std::io::stderr().is_terminal(),
            next: Instant::now(),
        }
        .later()
    }

    fn later(mut self) -> Self {
        self.next = Instant::now() + self.wait();
        self
    }

    fn wait(&self) -> Duration {
        if self.rewrite {
            Duration::from_millis(100)
        } else {
            Duration::from_secs(10)
        }
    }

    fn progress(&mut self, name: &str, progress: &Progress) {
        if self.mode == ProgressMode::None || Instant::now() < self.next {
            return;
        }
        self.next = Instant::now() + self.wait();
        let line = line(name, progress);
        let mut stderr = std::io::stderr();
        let _ = if self.rewrite {
            write!(stderr, "\r\x1b[K{line}")
        } else {
            writeln!(stderr, "{line}")
        };
        let _ = stderr.flush();
    }

    /// On a terminal the line of a strategy stays as it was at the end.
    fn row(&mut self, row: &RaceRow, of_assertion: bool) {
        if self.rewrite {
            let line = line(row.strategy, &row.progress);
            let ended = row.ended(of_assertion);
            let _ = writeln!(std::io::stderr(), "\r\x1b[K{line}  {ended}");
        }
    }
}

/// A bar with a mark for each doubling of the number of states, so that all lines always fit beside one another.
fn line(name: &str, progress: &Progress) -> String {
    let doublings = u64::BITS - progress.states.leading_zeros();
    let mut line = format!("{name:<12}{:<25}", "#".repeat(doublings as usize));
    let states = numbers::thousands(progress.states.into());
    let _ = write!(
        line,
        "{states:>13} states  {:>9}  {:.0} s",
        numbers::bytes(progress.bytes),
        progress.seconds
    );
    line
}
