//! Races as the screen asks for them: of an assertion by its number, or through all states of a process by its
//! name or text.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use super::model::{Cancel, ErrorText, Progress};
use crate::lab::race::{RaceOptions, RaceSubject};
use crate::report::race::{self, RaceEvent, RaceOutcome, RaceRow};
use crate::report::words;
use crate::script::load::{Loaded, load_within};
use crate::source::{Bounds, Diagnostic, Severity};

/// Time limit of each strategy: a user is waiting for the others.
pub const EACH_MAX: Duration = Duration::from_secs(60);

/// The subject of a race.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RaceRequest {
    /// The search of an assertion, by its number.
    Assertion(usize),
    /// The states of a process: a name, or an expression over the script.
    Process(String),
}

impl RaceRequest {
    /// The name of the subject in a heading.
    #[must_use]
    pub fn words(&self) -> String {
        match self {
            Self::Assertion(number) => format!("assertion {number}"),
            Self::Process(process) => format!("all states of {process}"),
        }
    }
}

/// News of a race.
#[derive(Clone, Debug, PartialEq)]
pub enum RaceNews {
    /// The race began.
    Started,
    /// These strategies take part, in this order.
    Strategies(Vec<&'static str>),
    /// The progress of a strategy.
    Progress(&'static str, Progress),
    /// The result of a strategy.
    Row(Box<RaceRow>),
    /// The end, or why there could be no race.
    Ended(Result<Box<RaceOutcome>, ErrorText>),
}

/// Runs one race to its end, reporting on the way.
pub type RaceRunner = Arc<dyn Fn(&RaceRequest, &Cancel, &mut dyn FnMut(RaceNews)) + Send + Sync>;

/// Loads a script and runs a race of strategies: the work of the thread of the checks.
pub fn race_from_file(
    path: &Path,
    request: &RaceRequest,
    options: &RaceOptions,
    cancel: &Cancel,
    report: &mut dyn FnMut(RaceNews),
) {
    let ended = match request {
        RaceRequest::Assertion(number) => loaded(path, None, options, cancel).and_then(|loaded| {
            let known = number.checked_sub(1);
            let known = known.filter(|index| *index < loaded.script.assertions.len());
            let index =
                known.ok_or_else(|| ErrorText::line(format!("there is no assertion {number}")))?;
            raced(
                &loaded,
                RaceSubject::Assertion(index),
                "",
                options,
                cancel,
                report,
            )
        }),
        RaceRequest::Process(process) => of_process(path, process, options, cancel, report),
    };
    report(RaceNews::Ended(ended.map(Box::new)));
}

fn of_process(
    path: &Path,
    process: &str,
    options: &RaceOptions,
    cancel: &Cancel,
    report: &mut dyn FnMut(RaceNews),
) -> Result<RaceOutcome, ErrorText> {
    let script = loaded(path, None, options, cancel)?;
    if let Some(expr) = script.process(process) {
        return raced(
            &script,
            RaceSubject::Process(expr),
            process,
            options,
            cancel,
            report,
        );
    }
    // Any other expression: the script once more, with the expression behind it.
    let with = loaded(path, Some(process), options, cancel)?;
    let fresh = |d: &&Diagnostic| d.severity == Severity::Error && !script.diagnostics.contains(d);
    if let Some(error) = with.diagnostics.iter().find(fresh) {
        return Err(words::error_text(error, &with.sources));
    }
    match with.given() {
        Some(expr) => raced(
            &with,
            RaceSubject::Process(expr),
            process,
            options,
            cancel,
            report,
        ),
        None => Err(ErrorText::line(format!("`{process}` is not a process"))),
    }
}

fn loaded(
    path: &Path,
    given: Option<&str>,
    options: &RaceOptions,
    cancel: &Cancel,
) -> Result<Loaded, ErrorText> {
    let bounds = Bounds::new(&options.options.limits.from_now(), cancel);
    load_within(path, given, &bounds).map_err(|errors| match errors.diagnostics.first() {
        Some(first) => words::error_text(first, &errors.sources),
        None => ErrorText::line("the script cannot be read"),
    })
}

fn raced(
    loaded: &Loaded,
    subject: RaceSubject<'_>,
    process: &str,
    options: &RaceOptions,
    cancel: &Cancel,
    report: &mut dyn FnMut(RaceNews),
) -> Result<RaceOutcome, ErrorText> {
    let mut tell = |event: RaceEvent<'_>| match event {
        RaceEvent::Strategies(names) => report(RaceNews::Strategies(names.to_vec())),
        RaceEvent::Progress(name, progress) => report(RaceNews::Progress(name, progress)),
        RaceEvent::Row(row) => report(RaceNews::Row(Box::new(row.clone()))),
    };
    let ran = race::run(loaded, subject, process, options, cancel, &mut tell);
    ran.map_err(|error| words::error_text(&error, &loaded.sources))
}
