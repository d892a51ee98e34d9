//! `orbitscope export FILE`: a walk, a counterexample or a comparison as one file to share.

use std::path::Path;

use super::asked::{self, AskedScript, GivenState};
use super::check::same_file;
use super::export_args::ExportArgs;
use super::output::{Output, fenced};
use super::replay::{DIFFERS, SavedRun};
use super::{FULL, LATE, USAGE, complain};
use crate::animate::checker::run_from_file;
use crate::animate::kept_compiling::CheckRoom;
use crate::animate::model::{CheckEvent, CheckOutcome, CheckRequest, Stop, Verdict};
use crate::animate::sharing::{PageRequest, PageSubject};
use crate::args::Colour;
use crate::report::page::PageForm;
use crate::source::write::write_whole;
use orbitscope_engine::check::Options;

/// Makes the page and writes it. Returns the exit code.
pub fn run(args: &ExportArgs) -> u8 {
    match export(args) {
        Ok(code) | Err(code) => code,
    }
}

fn export(args: &ExportArgs) -> Result<u8, u8> {
    let form = form(args)?;
    let output = args
        .output
        .as_deref()
        .filter(|path| *path != Path::new("-"));
    let mut asked = AskedScript::load(&args.file, asked::limits(args.memory, args.timeout))?;
    if let Some(output) = output {
        may_write(&asked, output, args.force)?;
    }
    let subject = subject(args, &mut asked)?;
    let page = asked.engine.page(&PageRequest { subject, form });
    let text = page.map_err(|failure| asked.refused(&[failure]))?;
    // Either way the same bytes.
    let text = fenced(&text, false);
    let Some(output) = output else {
        let mut stdout = Output::default();
        stdout.made(&text);
        return Ok(stdout.code(0));
    };
    // Asked again: a check may have taken hours, in which the file may have come into being.
    may_write(&asked, output, args.force)?;
    write_whole(output, text.as_bytes()).map_err(|error| {
        let name = output.display();
        complain(&format!(
            "nothing was written: {name} cannot be written: {error}"
        ));
        USAGE
    })?;
    Ok(0)
}

/// The requested form, or that of the file's name.
fn form(args: &ExportArgs) -> Result<PageForm, u8> {
    if let Some(format) = args.format {
        return Ok(format.into());
    }
    let Some(output) = args
        .output
        .as_deref()
        .filter(|path| *path != Path::new("-"))
    else {
        return Ok(PageForm::Html);
    };
    let ending = output.extension().and_then(|ending| ending.to_str());
    match ending.map(str::to_ascii_lowercase).as_deref() {
        Some("html" | "htm") => Ok(PageForm::Html),
        Some("txt") => Ok(PageForm::Text),
        _ => {
            complain(&format!(
                "the name {} does not tell the form: say --format html or text",
                output.display()
            ));
            Err(USAGE)
        }
    }
}

/// Whether the file may be written.
fn may_write(asked: &AskedScript, output: &Path, force: bool) -> Result<(), u8> {
    let name = output.display();
    let refuse = |why: String| {
        complain(&why);
        Err(USAGE)
    };
    if asked.engine.files().any(|file| same_file(file, output)) {
        return refuse(format!(
            "{name} is part of the script: no page is written over it"
        ));
    }
    if output.is_dir() {
        return refuse(format!("{name} is a folder: nothing is written"));
    }
    if !force && output.symlink_metadata().is_ok() {
        return refuse(format!(
            "nothing was written: {name} is there already; --force replaces it"
        ));
    }
    Ok(())
}

/// The subject of the page.
fn subject(args: &ExportArgs, asked: &mut AskedScript) -> Result<PageSubject, u8> {
    if let Some(number) = args.assertion {
        return counterexample(args, asked, number);
    }
    if let Some(run) = &args.run {
        return saved(args, asked, run);
    }
    if let [a, b] = &args.compare[..] {
        let by = asked::strategy(args.rep.as_deref())?;
        let given = [
            asked.state(&args.file, a, args.timeout)?,
            asked.state(&args.file, b, args.timeout)?,
        ];
        let process = process(args, asked, &given)?;
        let [a, b] = &given;
        let (a, to_a) = asked.reach(&process, a)?;
        let (b, to_b) = asked.reach(&process, b)?;
        return Ok(PageSubject::Comparison {
            process,
            states: [a, b],
            paths: [to_a, to_b],
            by,
        });
    }
    let text = args.path.as_deref().unwrap_or_default();
    let given = asked.state(&args.file, text, args.timeout)?;
    let process = process(args, asked, std::slice::from_ref(&given))?;
    Ok(PageSubject::Walk(asked.way(&process, &given)?))
}

/// The process of these states.
fn process(args: &ExportArgs, asked: &AskedScript, given: &[GivenState]) -> Result<String, u8> {
    let process = asked.process_of(args.process.clone(), given)?;
    if process.is_empty() {
        complain("there is no process without parameters: name one, or give an expression");
        return Err(USAGE);
    }
    Ok(process)
}

/// A saved counterexample, or the walk to where the person was.
fn saved(args: &ExportArgs, asked: &mut AskedScript, run: &str) -> Result<PageSubject, u8> {
    let saved = SavedRun::read(run, Colour::Auto)?;
    if saved.is_walk() {
        let walk = saved.file.run;
        let process = walk.process_of(walk.here).to_owned();
        let entry = GivenState::Entry(Box::new(walk.clone()), walk.here);
        return Ok(PageSubject::Walk(asked.way(&process, &entry)?));
    }
    let limits = asked::limits(args.memory, args.timeout);
    let (loaded, found) = saved.verified(&args.file, limits, Colour::Auto)?;
    let text = loaded.script.assertions[found.assertion - 1]
        .text
        .to_string();
    Ok(PageSubject::Counterexample(
        found.assertion,
        text,
        Box::new(found.counterexample),
    ))
}

/// The counterexample of an assertion that is checked now.
fn counterexample(
    args: &ExportArgs,
    asked: &AskedScript,
    number: usize,
) -> Result<PageSubject, u8> {
    let all = asked.engine.info().assertions.len();
    if number == 0 || number > all {
        complain(&format!(
            "there is no assertion {number}: the script has {all}"
        ));
        return Err(USAGE);
    }
    let mut outcome = None;
    let request = CheckRequest {
        number,
        symmetry: None,
        both: false,
        counterexamples: 1,
    };
    let options = Options {
        limits: asked::limits(args.memory, args.timeout),
        ..Options::default()
    };
    let mut room = CheckRoom::default();
    let mut report = |event| {
        if let CheckEvent::Finished(end) = event {
            outcome = Some(*end);
        }
    };
    let run = (&options, asked.cancel());
    run_from_file(&args.file, &request, &mut room, run, &mut report);
    match outcome {
        Some(outcome) => of_outcome(outcome, asked),
        None => Err(asked.interrupted().unwrap_or(LATE)),
    }
}

/// The counterexample of an outcome; a message and an exit code if there is none.
fn of_outcome(outcome: CheckOutcome, asked: &AskedScript) -> Result<PageSubject, u8> {
    let CheckOutcome {
        number,
        text,
        verdict,
        counterexample,
        stopped,
        ..
    } = outcome;
    if let Some(path) = counterexample {
        return Ok(PageSubject::Counterexample(number, text, Box::new(path)));
    }
    let (why, code) = match &verdict {
        Verdict::Holds => ("it holds".to_owned(), DIFFERS),
        Verdict::Fails => ("it fails by the text of the script".to_owned(), DIFFERS),
        Verdict::Approximate(why) | Verdict::Inconclusive(why) => (why.clone(), LATE),
        Verdict::Error(failure) => return Err(asked.refused(std::slice::from_ref(failure))),
    };
    complain(&format!(
        "assertion {number} has no counterexample to export: {why}"
    ));
    Err(match stopped {
        Some(Stop::Memory) => FULL,
        Some(_) => asked.interrupted().unwrap_or(LATE),
        None => code,
    })
}
