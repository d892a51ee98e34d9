//! Results of checks as JSON: one document, or one object a line as soon as something is known.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::args::{CheckArgs, ProgressMode, ResultFormat};
use super::output::Output;
use super::prints::{self, Printed};
use crate::report::both::TwoRuns;
use crate::report::inputs::inputs;
use crate::report::json as report;
use crate::report::outcome::{CheckOutcome, Progress};
use crate::report::summary::RunSummary;
use crate::source::render;
use orbitscope_language::script::load::Loaded;

/// Time between two lines of progress.
const PROGRESS: Duration = Duration::from_secs(1);

/// The document of a run.
pub fn document(
    loaded: &Loaded,
    outcomes: &[(CheckOutcome, Option<TwoRuns>)],
    printed: &[Printed],
    (summary, code): (&RunSummary<'_>, u8),
) -> Value {
    let mut document = json!({
        "schema": "orbitscope.check/1",
        "tool": tool(),
        "inputs": inputs(&loaded.sources),
        "exit_code": code,
        "diagnostics": diagnostics(loaded),
        "checks": outcomes.iter().map(|(o, p)| result(o, p.as_ref(), loaded)).collect::<Vec<_>>(),
        "summary": summary.to_json(),
    });
    let shown = printed.iter().map(|p| prints::to_json(p, loaded));
    document["prints"] = Value::Array(shown.collect());
    document
}

/// Writes the document where the program ends before the first check; nothing in the text format.
pub fn without_checks(loaded: &Loaded, format: ResultFormat, code: u8) {
    let mut output = Output::default();
    let nothing = RunSummary::default();
    let ended = (&nothing, code);
    match format {
        ResultFormat::Json => output.json(&format!("{:#}\n", document(loaded, &[], &[], ended))),
        ResultFormat::Ndjson => {
            output.json(&format!("{}\n", start(loaded, &[])));
            output.json(&format!("{}\n", end(ended)));
        }
        ResultFormat::Text => {}
    }
}

/// The program that a document comes from.
pub(super) fn tool() -> Value {
    json!({ "name": "orbitscope", "version": env!("CARGO_PKG_VERSION") })
}

fn diagnostics(loaded: &Loaded) -> Vec<Value> {
    let all = loaded.diagnostics.iter();
    all.map(|d| render::to_json(d, &loaded.sources)).collect()
}

/// The first line of a stream.
pub fn start(loaded: &Loaded, numbers: &[usize]) -> Value {
    let assertion = |n: &usize| {
        let text = &*loaded.script.assertions[*n - 1].text;
        json!({ "index": n, "assertion": text })
    };
    json!({
        "event": "start",
        "schema": "orbitscope.check-stream/1",
        "tool": tool(),
        "inputs": inputs(&loaded.sources),
        "diagnostics": diagnostics(loaded),
        "assertions": numbers.iter().map(assertion).collect::<Vec<_>>(),
    })
}

/// A line for an expression that was printed.
pub fn print(printed: &Printed, loaded: &Loaded) -> Value {
    with_event("print", prints::to_json(printed, loaded))
}

/// A line for a result.
pub fn result_line(outcome: &CheckOutcome, pair: Option<&TwoRuns>, loaded: &Loaded) -> Value {
    with_event("result", result(outcome, pair, loaded))
}

/// The last line of a stream.
pub fn end((summary, code): (&RunSummary<'_>, u8)) -> Value {
    json!({ "event": "end", "exit_code": code, "summary": summary.to_json() })
}

fn with_event(event: &str, mut value: Value) -> Value {
    value["event"] = json!(event);
    value
}

/// Lines of progress, a second apart.
pub struct Ticker {
    next: Option<Instant>,
}

impl Ticker {
    /// A ticker for a check that begins now.
    pub fn new(args: &CheckArgs) -> Self {
        let silent = args.quiet || args.progress == ProgressMode::None;
        Self {
            next: (!silent).then(|| Instant::now() + PROGRESS),
        }
    }

    /// A line if it is time for one. `unreduced` says which run of `--both` it is.
    pub fn line(&mut self, number: usize, unreduced: bool, progress: &Progress) -> Option<Value> {
        let now = Instant::now();
        // Not time yet, or no progress is wanted at all.
        self.next.filter(|next| now >= *next)?;
        self.next = Some(now + PROGRESS);
        let mut line = with_event("progress", report::figures(progress));
        line["index"] = json!(number);
        line["frontier"] = json!(progress.frontier);
        if let Some(disk) = progress.disk {
            line["store"] = report::store(disk);
        }
        if !progress.processes.is_empty() {
            line["processes"] = report::by_process(&progress.processes);
        }
        if unreduced {
            line["unreduced"] = json!(true);
        }
        Some(line)
    }
}

fn result(outcome: &CheckOutcome, pair: Option<&TwoRuns>, loaded: &Loaded) -> Value {
    let mut value = report::result(outcome, &loaded.sources);
    if let Some(pair) = pair {
        value["both"] = pair.document(outcome).json();
    }
    value
}
