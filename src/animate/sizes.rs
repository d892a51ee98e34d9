//! What holds for other sizes, as the screen asks for it: an assertion at several sizes of what has a size, or a process as
//! a circle of any number of cells.

use std::ops::RangeInclusive;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use super::model::{Cancel, ErrorText};
use crate::check::Options;
use crate::report::document::{Document, Tone};
use crate::report::families::{FamilyRequest, SizeRow, size_table};
use crate::report::ring_proofs::{RingReport, RingRequest};
use crate::report::words;
use crate::script::load::Loaded;
use crate::script::sizes::{SizedName, SizedScript};
use crate::source::{Bounds, Severity};

/// Time limit of each size: a user is waiting for the others.
pub const SIZE_TIME_MAX: Duration = Duration::from_secs(20);
/// The sizes that are searched.
const SIZES: RangeInclusive<usize> = 1..=6;

/// What is asked about other sizes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SizesRequest {
    /// An assertion, by its number.
    Assertion(usize),
    /// A process as a circle: a name, or a text in an assertion.
    Circle(String),
}

impl SizesRequest {
    /// The subject in a heading.
    #[must_use]
    pub fn words(&self) -> String {
        match self {
            Self::Assertion(number) => format!("Assertion {number} at every size"),
            Self::Circle(process) => format!("{process} as a circle"),
        }
    }
}

/// News of other sizes.
#[derive(Clone, Debug)]
pub enum SizesNews {
    /// The work began.
    Started,
    /// What was found so far.
    Found(Box<Document>),
    /// The end, or why there is no answer.
    Ended(Result<Box<Document>, ErrorText>),
}

/// Answers one question to its end, reporting on the way.
pub type SizesRunner = Arc<dyn Fn(&SizesRequest, &Cancel, &mut dyn FnMut(SizesNews)) + Send + Sync>;

/// Reads a script and answers: the work of the thread of the checks.
pub fn sizes_from_file(
    path: &Path,
    request: &SizesRequest,
    (options, each): (&Options, Option<Duration>),
    cancel: &Cancel,
    report: &mut dyn FnMut(SizesNews),
) {
    let bounds = Bounds::new(&options.limits.from_now(), cancel);
    let script = SizedScript::read(path, &bounds);
    let written = script.as_written(&bounds);
    let asked = AskedSizes {
        script: &script,
        written: &written,
        options,
        each,
        cancel,
    };
    let answer = match request {
        SizesRequest::Assertion(number) => asked.assertion(*number, report),
        SizesRequest::Circle(process) => asked.circle(path, process, report),
    };
    report(SizesNews::Ended(answer.map(Box::new)));
}

/// A script that was read, and the limits of what is asked about it.
struct AskedSizes<'a> {
    script: &'a SizedScript,
    written: &'a Loaded,
    options: &'a Options,
    each: Option<Duration>,
    cancel: &'a Cancel,
}

impl AskedSizes<'_> {
    fn assertion(
        &self,
        number: usize,
        report: &mut dyn FnMut(SizesNews),
    ) -> Result<Document, ErrorText> {
        let count = self.written.script.assertions.len();
        if !(1..=count).contains(&number) {
            let errors = self.written.diagnostics.iter();
            let first = errors.clone().find(|d| d.severity == Severity::Error);
            return Err(match first {
                Some(error) => words::error_text(error, &self.written.sources),
                None => ErrorText::line(format!("there is no assertion {number}")),
            });
        }
        let request = FamilyRequest {
            script: self.script,
            written: self.written,
            of: &[],
            sizes: SIZES,
            options: self.options,
            timeout: self.each,
            proves: true,
            cancel: self.cancel,
        };
        let mut table = size_table();
        let mut last = None;
        let mut tell = |name: &SizedName, row: &SizeRow| {
            let is_first = last.replace(name.name.clone()) != Some(name.name.clone());
            table.row(row.tone(), row.cells(name, is_first));
            let mut found = Document::default();
            found.section("assertion").table(table.clone());
            report(SizesNews::Found(Box::new(found)));
        };
        let outcome = request.run(number, &mut tell);
        let sources = &self.written.sources;
        let mut document = Document::default();
        document.section("summary");
        for (tone, said) in outcome.summary(sources) {
            document.say(tone, said);
        }
        document.append(&outcome.document(sources), &["assertion"]);
        Ok(document)
    }

    /// Reads the process with the first number of the script as its number of cells with which that is possible.
    fn circle(
        &self,
        path: &Path,
        process: &str,
        report: &mut dyn FnMut(SizesNews),
    ) -> Result<Document, ErrorText> {
        if self.written.process(process).is_none() {
            let said = format!("the script has no process `{process}` without parameters");
            return Err(ErrorText::line(said));
        }
        let file = path.file_name().unwrap_or_default().to_string_lossy();
        let mut unread: Option<RingReport> = None;
        for number in self.script.numbers() {
            let request = RingRequest {
                script: self.script,
                file: &file,
                process,
                number: &number,
                sizes: SIZES,
                limits: &self.options.limits,
                timeout: self.each,
                cancel: self.cancel,
            };
            let found = request.run(&mut |size| {
                let mut said = Document::default();
                let text = format!("reading it with {} = {size}", number.name);
                said.section("ring").say(Tone::Dim, text);
                report(SizesNews::Found(Box::new(said)));
            });
            if found.text.is_some() {
                return Ok(found.document);
            }
            unread.get_or_insert(found);
        }
        match unread {
            Some(found) => Ok(found.document),
            None => Err(ErrorText::line(
                "no definition of the script is a number, as N = 5, which could be that of the cells",
            )),
        }
    }
}
