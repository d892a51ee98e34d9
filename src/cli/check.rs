//! `orbitscope check FILE`: assertions without a screen.

use std::io::IsTerminal;
use std::path::Path;
use std::time::Instant;

use super::args::{CheckArgs, ProgressMode, ResultFormat};
use super::check_options::{fits, options};
use super::json::{self, Ticker};
use super::limits::limits;
use super::meter::Meter;
use super::output::Output;
use super::placing::Placement;
use super::prints::{self, Printed};
use super::signals::Signals;
use super::{
    BUG, FULL, LATE, SCRIPT, USAGE, colour, complain, messages, script, stderr_colour, store_args,
};
use crate::animate::model::{CheckOutcome, Stop, Verdict};
use crate::report::both::{self, TwoRuns};
use crate::report::summary::RunSummary;
use crate::report::{checks, numbers, run_file, text, words};
use crate::source::write::write_whole;
use crate::source::{Cancel, Diagnostic, Kind, Limits, Severity, visible_line};
use crate::tui;
use orbitscope_engine::check::Options;
use orbitscope_engine::check::shared_systems::SharedSystems;
use orbitscope_language::script::load::Loaded;

/// Checks what the arguments ask for. Returns the exit code.
pub fn run(args: &CheckArgs) -> u8 {
    let again = store_args::as_asked(args).map(|again| checked(again.as_ref().unwrap_or(args)));
    again.unwrap_or_else(|message| {
        complain(&message);
        USAGE
    })
}

fn checked(args: &CheckArgs) -> u8 {
    // Before the script is read: the time allowed is that of the whole run.
    let begun = Instant::now();
    let cancel = Cancel::default();
    let signals = Signals::cancelling(&cancel);
    let limits = limits(args, begun);
    let written = |loaded: &Loaded, code| json::without_checks(loaded, args.format, code);
    let loaded = script::read_or_end(&args.file, &signals, &cancel, &limits, &written);
    report_diagnostics(&loaded, args);
    let mut run = Run {
        args,
        loaded: &loaded,
        reading: begun.elapsed().as_secs_f64(),
        cancel,
        signals,
        output: Output::coloured(colours(args)),
        printed: Vec::new(),
        outcomes: Vec::new(),
        shared: SharedSystems::default(),
        wanted: 0,
        checking: 0.0,
        limits,
        place: Placement::default(),
    };
    let errors = messages::exit_code(&loaded.diagnostics);
    // A script that cannot be read to the end, or bad arguments, end the run here. Errors in a
    // script do not: assertions that have no part in them are checked all the same.
    let is_read = ![USAGE, LATE, FULL].contains(&errors);
    let numbers = fits(args).and_then(|()| chosen(&loaded, args));
    let numbers = numbers.and_then(|numbers| {
        run.may_save()?;
        if is_read {
            run.place = Placement::plan(args, numbers.len(), &loaded, &run.cancel)?;
        }
        Ok(numbers)
    });
    let numbers = match numbers {
        Ok(numbers) if is_read => numbers,
        other => return run.refuse(other.err(), errors),
    };
    run.start(&numbers);
    run.check_all(&numbers);
    if args.processes.is_started() {
        // The first process tells the results.
        return run.code();
    }
    run.summarise();
    // The verdicts of sound assertions do not hide that the script has errors.
    let code = if errors == 0 { run.code() } else { SCRIPT };
    let code = run.save(code);
    if errors == 0 {
        run.say_if_nothing();
    }
    run.finish(code)
}

/// A run of the program.
struct Run<'a> {
    args: &'a CheckArgs,
    loaded: &'a Loaded,
    /// Seconds that reading the script took.
    reading: f64,
    cancel: Cancel,
    signals: Signals,
    output: Output,
    printed: Vec<Printed>,
    outcomes: Vec<(CheckOutcome, Option<TwoRuns>)>,
    /// Compiled systems that checks share.
    shared: SharedSystems,
    /// The number of assertions to check.
    wanted: usize,
    /// Seconds that checking them took.
    checking: f64,
    /// The limits of all checks; the time is that of the whole run.
    limits: Limits,
    /// Where the states of the check go.
    place: Placement,
}

impl Run<'_> {
    /// Ends a run without checks: what was asked for does not fit, or the script could not be read.
    fn refuse(mut self, message: Option<String>, errors: u8) -> u8 {
        // If the script could not be read, it would only say that the assertion does not exist.
        if let Some(message) = message.filter(|_| [0, SCRIPT].contains(&errors)) {
            complain(&message);
        }
        // A stream always has its first and its last line.
        self.start(&[]);
        let otherwise = if errors == FULL { FULL } else { USAGE };
        let code = self.ended().unwrap_or(otherwise);
        self.finish(code)
    }

    /// The exit code of a run that ended before there was a script.
    fn ended(&self) -> Option<u8> {
        self.signals.code().or(self.is_late().then_some(LATE))
    }

    /// The first line of a stream, if one is asked for.
    fn start(&mut self, numbers: &[usize]) {
        if self.args.format == ResultFormat::Ndjson {
            let line = json::start(self.loaded, numbers);
            self.output.json(&format!("{line}\n"));
        }
    }

    /// Says that a script without errors has no assertions: else nothing at all would be written, which looks like a
    /// fault.
    fn say_if_nothing(&mut self) {
        let is_text = self.args.format == ResultFormat::Text;
        if is_text && self.outcomes.is_empty() && self.printed.is_empty() {
            let name = self.args.file.display().to_string();
            let name = visible_line(&name);
            self.output.write(&format!("{name} has no assertions.\n"));
        }
    }

    fn check_all(&mut self, numbers: &[usize]) {
        let mut options = options(self.args, self.limits.clone());
        self.place.apply(&mut options);
        self.printed = prints::evaluate(self.loaded, &options.limits, &self.cancel);
        self.show_prints();
        self.wanted = numbers.len();
        let indices = numbers.iter().map(|number| number - 1);
        self.shared = SharedSystems::for_assertions(&self.loaded.script, indices);
        let begun = Instant::now();
        for number in numbers {
            // Assertions left after a signal are not reported. If time is over, `check` reports that of each.
            if self.cancel.is_cancelled() || self.output.is_broken() {
                break;
            }
            // One after the other: each check may use all threads and all of the allowed memory.
            let options = self.timed(&options);
            self.shared.begin(number - 1, &options.limits);
            let mut outcome = self.check(*number, &options, false);
            let mut pair = None;
            if self.args.both && !self.cancel.is_cancelled() {
                let compared = self.other(&outcome, &options);
                outcome = both::settled(outcome, &compared);
                pair = Some(compared);
            }
            self.show(&outcome, pair.as_ref());
            self.outcomes.push((outcome, pair));
        }
        self.checking = begun.elapsed().as_secs_f64();
    }

    /// The options for a check that begins now, which may have a time limit of its own.
    fn timed(&self, options: &Options) -> Options {
        let own = self.args.many.timeout_each;
        // A time beyond the range of the clock is no limit.
        let own = own.and_then(|time| Instant::now().checked_add(time));
        let all = options.limits.deadline;
        let mut options = options.clone();
        options.limits.deadline = own.into_iter().chain(all).min();
        options
    }

    /// Whether the time of the whole run is over.
    fn is_late(&self) -> bool {
        self.limits.deadline.is_some_and(|d| Instant::now() >= d)
    }

    /// The summary of all outcomes.
    fn summary(&self) -> RunSummary<'_> {
        RunSummary {
            outcomes: self.outcomes.iter().map(|o| &o.0).collect(),
            wanted: self.wanted,
            seconds: self.checking,
            shared: self.shared.uses(),
        }
    }

    /// Ends a report on more than one assertion with a table.
    fn summarise(&mut self) {
        if self.wanted < 2 || self.args.quiet || self.args.format != ResultFormat::Text {
            return;
        }
        let table = self.summary().table(columns(), colours(self.args));
        self.output.write(&table);
        if self.args.stats && self.shared.uses() > 0 {
            let checks = numbers::counted(self.shared.uses() as u64, "check");
            let line =
                format!("{checks} took over an implementation that another one had compiled\n");
            self.output.write(&line);
        }
    }

    /// Runs the check without reduction.
    fn other(&mut self, outcome: &CheckOutcome, options: &Options) -> TwoRuns {
        let file = self.args.file.clone();
        TwoRuns::run(outcome, options, &file, |unreduced| {
            self.check(outcome.number, unreduced, true)
        })
    }

    fn check(&mut self, number: usize, options: &Options, unreduced: bool) -> CheckOutcome {
        let over = options.limits.deadline.is_some_and(|d| Instant::now() >= d);
        if over && let Some(assertion) = self.loaded.script.assertions.get(number - 1) {
            // Not even planned: thousands of assertions may be left.
            let why = format!("{NOT_BEGUN}: {}", words::stop_text(Stop::Time));
            let why = self.whose_time(why);
            return CheckOutcome {
                stopped: Some(Stop::Time),
                ..CheckOutcome::new(
                    number,
                    assertion.text.to_string(),
                    Verdict::Inconclusive(why),
                )
            };
        }
        // New for each check: a short one shows no progress at all.
        let mode = match self.args.quiet {
            true => ProgressMode::None,
            false => self.args.progress,
        };
        let mut meter = Meter::new(mode, self.place.names());
        let mut ticker = Ticker::new(self.args);
        let streams = self.args.format == ResultFormat::Ndjson;
        let (output, cancel) = (&mut self.output, &self.cancel);
        let mut report = |progress| {
            meter.show(number, &progress);
            if streams && let Some(line) = ticker.line(number, unreduced, &progress) {
                output.json(&format!("{line}\n"));
            }
            // A search whose reader is gone ends.
            if output.is_broken() {
                cancel.cancel();
            }
        };
        let (how, shared) = ((options, cancel), &mut self.shared);
        let outcome = checks::run_sharing(self.loaded, number, how, shared, &mut report);
        meter.clear();
        let interrupted = self.signals.code().is_some();
        self.of_its_own(self.place.explained(outcome, interrupted))
    }

    /// Says of a check that the time for one assertion has ended that it was this time.
    fn of_its_own(&self, outcome: CheckOutcome) -> CheckOutcome {
        match outcome.verdict {
            Verdict::Inconclusive(why) if outcome.stopped == Some(Stop::Time) => CheckOutcome {
                verdict: Verdict::Inconclusive(self.whose_time(why)),
                ..outcome
            },
            _ => outcome,
        }
    }

    fn whose_time(&self, why: String) -> String {
        match self.args.many.timeout_each {
            Some(_) if !self.is_late() => format!("{why} (the time for one assertion)"),
            _ => why,
        }
    }

    fn show(&mut self, outcome: &CheckOutcome, pair: Option<&TwoRuns>) {
        let shown = match self.args.format {
            ResultFormat::Text => {
                let colour = colours(self.args);
                let stats = self.args.stats.then_some(self.reading);
                let mut shown = text::outcome(outcome, stats, colour);
                if let Some(pair) = pair {
                    shown.push_str(&pair.text(outcome, colour));
                }
                shown
            }
            // The document comes at the end, in one piece.
            ResultFormat::Json => return,
            ResultFormat::Ndjson => {
                let line = json::result_line(outcome, pair, self.loaded);
                return self.output.json(&format!("{line}\n"));
            }
        };
        self.output.write(&shown);
    }

    /// Shows printed values on stdout, and their errors on stderr.
    fn show_prints(&mut self) {
        let args = self.args;
        for print in &self.printed {
            match (&print.value, args.format) {
                (Err(diagnostic), ResultFormat::Text | ResultFormat::Json) => {
                    let colour = stderr_colour(args.color);
                    let shown = std::slice::from_ref(&**diagnostic);
                    messages::diagnostics(shown, &self.loaded.sources, colour);
                }
                (Ok(_), ResultFormat::Text) => {
                    if let Some(line) = prints::line(print) {
                        self.output.write(&format!("{line}\n"));
                    }
                }
                (Ok(_), ResultFormat::Json) => {}
                (_, ResultFormat::Ndjson) => {
                    let line = json::print(print, self.loaded);
                    self.output.json(&format!("{line}\n"));
                }
            }
        }
    }

    /// 101 outranks 3, the code of a signal, 1, 5, 4 and 0.
    fn code(&self) -> u8 {
        let outcomes = self.outcomes.iter();
        let verdicts = || outcomes.clone().map(|o| &o.0);
        let bug = |o: &CheckOutcome| {
            let kind = o.diagnostic.as_ref().map(|d| d.kind);
            matches!(o.verdict, Verdict::Error(_)) && kind == Some(Kind::Bug)
        };
        let stop = |(outcome, pair): &(CheckOutcome, Option<TwoRuns>)| {
            let own = outcome.stopped;
            own.or_else(|| both::stopped(pair.as_ref()))
        };
        // A value that a limit or a signal kept from being printed is no error of the script.
        let unprinted = || self.printed.iter().filter_map(|p| p.value.as_ref().err());
        let faulty = |d: &Diagnostic| d.stop().is_none();
        let stops = || {
            let of_prints = unprinted().filter_map(|d| d.stop());
            outcomes.clone().filter_map(stop).chain(of_prints)
        };
        if verdicts().any(bug) {
            BUG
        } else if verdicts().any(|o| matches!(o.verdict, Verdict::Error(_)))
            || unprinted().any(|d| faulty(d))
        {
            SCRIPT
        } else if let Some(code) = self.signals.code() {
            code
        } else if verdicts().any(|o| o.verdict == Verdict::Fails) {
            1
        } else if stops().any(|s| s == Stop::Memory) {
            5
        } else if stops().next().is_some()
            || verdicts().any(|o| matches!(o.verdict, Verdict::Approximate(_)))
        {
            LATE
        } else {
            0
        }
    }

    /// Whether counterexamples could be saved at the requested place. Called before there are any, since finding
    /// them may take hours.
    fn may_save(&self) -> Result<(), String> {
        let Some(path) = &self.args.save else {
            return Ok(());
        };
        let mut read = self.loaded.sources.files().iter().map(|f| &f.path);
        // Asked before `--force`, which does not allow this either.
        if read.any(|f| same_file(f, path)) {
            return Err(format!(
                "{} is part of the script: counterexamples are not saved over it",
                path.display()
            ));
        }
        if self.args.force {
            return Ok(());
        }
        run_file::may_replace(path, &self.cancel)
    }

    /// Saves counterexamples if that was asked for.
    fn save(&self, code: u8) -> u8 {
        let Some(path) = &self.args.save else {
            return code;
        };
        let name = path.display();
        // Asked again: the checks may have taken hours, in which the file may have come into being.
        if let Err(message) = self.may_save() {
            complain(&format!("nothing was saved: {message}"));
            return USAGE;
        }
        match run_file::save(path, self.outcomes.iter().map(|o| &o.0), write_whole) {
            Ok(0) => complain("there is no counterexample: nothing was saved"),
            Ok(1) if self.args.quiet => {}
            Ok(1) => complain(&format!("the counterexample was saved to {name}")),
            Ok(_) if self.args.quiet => {}
            Ok(n) => complain(&format!("{n} counterexamples were saved to {name}")),
            Err(error) => {
                complain(&format!(
                    "nothing was saved: {name} cannot be written: {error}"
                ));
                return USAGE;
            }
        }
        code
    }

    /// Writes the document or the last line if one is asked for, and where to read more about errors.
    fn finish(mut self, code: u8) -> u8 {
        match self.args.format {
            ResultFormat::Text => {}
            ResultFormat::Json => {
                let ended = (&self.summary(), code);
                let document = json::document(self.loaded, &self.outcomes, &self.printed, ended);
                self.output.json(&format!("{document:#}\n"));
            }
            ResultFormat::Ndjson => {
                let line = json::end((&self.summary(), code));
                self.output.json(&format!("{line}\n"));
            }
        }
        let args = self.args;
        let quiet = |d: &&Diagnostic| !args.quiet || d.severity == Severity::Error;
        let of_outcomes = self.outcomes.iter();
        let of_outcomes = of_outcomes.filter_map(|o| o.0.diagnostic.as_deref());
        let of_prints = self.printed.iter().filter_map(|p| p.value.as_ref().err());
        let all = self.loaded.diagnostics.iter().chain(of_outcomes);
        messages::hint(all.chain(of_prints.map(|d| &**d)).filter(quiet));
        // The results are out by now.
        let verdicts: Vec<_> = self.outcomes.iter().map(|o| &o.0.verdict).collect();
        if let Some(message) = self.place.leave(&verdicts, "orbitscope check --resume") {
            complain(&message);
        }
        self.output.code(code)
    }
}

/// The verdict of an assertion for which no time was left.
const NOT_BEGUN: &str = "not checked";

/// Whether two paths lead to the same file.
pub(super) fn same_file(one: &Path, other: &Path) -> bool {
    // One of them may be a link, or lead through one.
    match (one.canonicalize(), other.canonicalize()) {
        (Ok(one), Ok(other)) => one == other && one.is_file(),
        _ => false,
    }
}

/// Columns of a table on something that is no terminal.
const COLUMNS: usize = 100;

/// Columns that a table or a text may have.
pub(super) fn columns() -> usize {
    if !std::io::stdout().is_terminal() {
        return COLUMNS;
    }
    // Some terminals report no width, and some report zero.
    tui::columns().filter(|n| *n > 0).unwrap_or(COLUMNS)
}

/// Whether results are coloured.
fn colours(args: &CheckArgs) -> bool {
    args.format == ResultFormat::Text && colour(args.color, std::io::stdout().is_terminal())
}

/// Shows errors, and warnings unless they are unwanted.
fn report_diagnostics(loaded: &Loaded, args: &CheckArgs) {
    let shown: Vec<_> = loaded
        .diagnostics
        .iter()
        .filter(|d| !args.quiet || d.severity == Severity::Error)
        .cloned()
        .collect();
    messages::diagnostics(&shown, &loaded.sources, stderr_colour(args.color));
}

/// The numbers of the assertions asked for, in order.
pub(super) fn chosen(loaded: &Loaded, args: &CheckArgs) -> Result<Vec<usize>, String> {
    let assertions = &loaded.script.assertions;
    if args.assertions.is_empty() {
        return Ok((1..=assertions.len()).collect());
    }
    let mut chosen = Vec::new();
    for wanted in &args.assertions {
        let before = chosen.len();
        match wanted.parse::<usize>() {
            Ok(number) if (1..=assertions.len()).contains(&number) => chosen.push(number),
            // A number without an assertion is not searched for in their texts: it is an error, reported below.
            Ok(_) => {}
            Err(_) => {
                let matches = |n: &usize| assertions[*n - 1].text.contains(wanted.as_str());
                chosen.extend((1..=assertions.len()).filter(matches));
            }
        }
        if chosen.len() == before {
            return Err(format!(
                "no assertion `{wanted}`; the script has {}",
                assertions.len()
            ));
        }
    }
    chosen.sort_unstable();
    chosen.dedup();
    Ok(chosen)
}
