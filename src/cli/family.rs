//! `orbitscope family FILE`: assertions at several sizes.

use std::io::{IsTerminal, Write as _};

use serde_json::json;

use super::family_args::FamilyArgs;
use super::family_ring;
use super::json::tool;
use super::output::Output;
use super::signals::Signals;
use super::{BUG, FULL, LATE, SCRIPT, USAGE, asked, complain, messages, script, stderr_colour};
use crate::report::document::Document;
use crate::report::families::{FamilyOutcome, FamilyRequest, SizeRow};
use crate::report::inputs::inputs;
use crate::report::outcome::{CheckOutcome, Verdict};
use crate::source::{Bounds, Cancel, Kind, Limits, Severity, Stop, models};
use orbitscope_engine::check::Options;
use orbitscope_language::script::load::Loaded;
use orbitscope_language::script::sizes::{SizedName, SizedScript};

/// Checks the assertions. Returns the exit code.
pub fn run(args: &FamilyArgs) -> u8 {
    let read = match ReadFamily::read(args) {
        Ok(read) => read,
        Err(code) => return code,
    };
    match &args.ring {
        Some(ring) => family_ring::run(args, ring, &read),
        None => check(args, read),
    }
}

/// A script that was read within limits.
pub struct ReadFamily {
    pub script: SizedScript,
    pub written: Loaded,
    pub limits: Limits,
    pub cancel: Cancel,
    pub signals: Signals,
    /// The exit code of its errors.
    pub errors: u8,
}

impl ReadFamily {
    fn read(args: &FamilyArgs) -> Result<Self, u8> {
        let cancel = Cancel::default();
        let signals = Signals::cancelling(&cancel);
        // The script is read once and kept as a tree: it has to be a file, as for the other commands on one script.
        if let Err(error) = models::readable(&args.file) {
            complain(&format!("cannot read {}: {error}", args.file.display()));
            return Err(USAGE);
        }
        // The time is for each size.
        let limits = asked::limits(args.memory, None);
        let bounds = Bounds::new(&limits, &cancel);
        let (script, written) = script::bounded_by(&signals, &cancel, &limits, &bounds, || {
            let script = SizedScript::read(&args.file, &bounds);
            let written = script.as_written(&bounds);
            (script, written)
        });
        let shown = written.diagnostics.iter();
        let shown = shown.filter(|d| !args.quiet || d.severity == Severity::Error);
        let shown: Vec<_> = shown.cloned().collect();
        messages::diagnostics(&shown, &written.sources, stderr_colour(args.color));
        let errors = messages::exit_code(&written.diagnostics);
        if [USAGE, LATE, FULL].contains(&errors) {
            return Err(signals.code().unwrap_or(errors));
        }
        Ok(Self {
            script,
            written,
            limits,
            cancel,
            signals,
            errors,
        })
    }
}

fn check(args: &FamilyArgs, read: ReadFamily) -> u8 {
    let ReadFamily {
        script: sized,
        written,
        limits,
        cancel,
        signals,
        errors,
    } = read;
    let numbers = match numbers(args, &written) {
        Ok(numbers) => numbers,
        Err(message) => {
            complain(&message);
            return USAGE;
        }
    };
    let options = Options {
        limits,
        ..Options::default()
    };
    let request = FamilyRequest {
        script: &sized,
        written: &written,
        of: &args.of,
        sizes: args.sizes.0.clone(),
        options: &options,
        timeout: args.timeout,
        proves: !args.no_proof,
        cancel: &cancel,
    };
    let outcomes = all(&request, numbers, FamilyMeter::new(args));
    if let Some(unknown) = unknown(args, &outcomes) {
        complain(&format!(
            "nothing that is asked about has the name and a size: `{unknown}`"
        ));
        return USAGE;
    }
    let code = code(&outcomes, &signals).max(errors);
    report(&outcomes, args, &written, code)
}

/// Checks assertions by their numbers, until it is interrupted.
fn all(
    request: &FamilyRequest<'_>,
    numbers: Vec<usize>,
    mut meter: FamilyMeter,
) -> Vec<FamilyOutcome> {
    let mut outcomes = Vec::new();
    for number in numbers {
        if request.cancel.is_cancelled() {
            break;
        }
        outcomes.push(request.run(number, &mut |name, row| meter.row(number, name, row)));
    }
    meter.end();
    outcomes
}

/// The numbers of the assertions that are asked about.
fn numbers(args: &FamilyArgs, written: &Loaded) -> Result<Vec<usize>, String> {
    let count = written.script.assertions.len();
    match args.assertion {
        Some(number) if (1..=count).contains(&number) => Ok(vec![number]),
        Some(number) => Err(format!(
            "there is no assertion {number}; the script has {count}"
        )),
        None => Ok((1..=count).collect()),
    }
}

/// A name in the arguments that has a size in no assertion.
fn unknown<'a>(args: &'a FamilyArgs, outcomes: &[FamilyOutcome]) -> Option<&'a String> {
    let is_known = |name: &&String| {
        let of = |outcome: &FamilyOutcome| {
            let refused = outcome.refused.iter().map(|r| &r.0);
            let mut all = outcome.names.iter().map(|n| &n.name.name).chain(refused);
            all.any(|known| **known == ***name)
        };
        outcomes.iter().any(of)
    };
    args.of.iter().find(|name| !is_known(name))
}

fn report(outcomes: &[FamilyOutcome], args: &FamilyArgs, written: &Loaded, code: u8) -> u8 {
    let mut document = Document::default();
    for (n, outcome) in outcomes.iter().enumerate() {
        if n > 0 {
            document.gap();
        }
        document.append(&outcome.document(&written.sources), &["assertion"]);
    }
    let assertions = outcomes.iter().map(|o| o.json(&written.sources));
    document
        .fact("schema", "orbitscope.family/1")
        .fact("tool", tool())
        .fact("inputs", json!(inputs(&written.sources)))
        .fact("exit_code", code)
        .fact("assertions", assertions.collect::<Vec<_>>());
    Output::default().document(&document, args.format, code)
}

/// The exit code of all outcomes.
fn code(outcomes: &[FamilyOutcome], signals: &Signals) -> u8 {
    let all = || outcomes.iter().flat_map(FamilyOutcome::outcomes);
    let is_error = |o: &CheckOutcome| matches!(o.verdict, Verdict::Error(_));
    let is_bug = |o: &CheckOutcome| {
        let kind = o.diagnostic.as_ref().map(|d| d.kind);
        is_error(o) && kind == Some(Kind::Bug)
    };
    let stopped = || all().filter_map(|o| o.stopped);
    if all().any(is_bug) || outcomes.iter().any(FamilyOutcome::is_contradicted) {
        BUG
    } else if all().any(is_error) || outcomes.iter().any(|o| o.error.is_some()) {
        SCRIPT
    } else if let Some(code) = signals.code() {
        code
    } else if all().any(|o| o.verdict == Verdict::Fails)
        || outcomes.iter().any(FamilyOutcome::fails_together)
    {
        1
    } else if stopped().any(|s| s == Stop::Memory) {
        FULL
    } else if stopped().next().is_some() {
        LATE
    } else {
        0
    }
}

/// Shows on a terminal how far the work is.
struct FamilyMeter {
    is_shown: bool,
}

impl FamilyMeter {
    fn new(args: &FamilyArgs) -> Self {
        Self {
            is_shown: !args.quiet && std::io::stderr().is_terminal(),
        }
    }

    fn row(&mut self, number: usize, name: &SizedName, row: &SizeRow) {
        if self.is_shown {
            let line = format!("assertion {number}: {} at size {}", name.name, row.size);
            let _ = write!(std::io::stderr(), "\r\x1b[K{line}");
        }
    }

    fn end(&self) {
        if self.is_shown {
            let _ = write!(std::io::stderr(), "\r\x1b[K");
        }
    }
}
