//! `orbitscope symmetry FILE`: the symmetry in the structure of networks.

use serde_json::{Value, json};

use super::asked::{self, AskedScript};
use super::output::{Output, fenced};
use super::state_args::{OutputFormat, SymmetryArgs};
use super::{USAGE, complain};
use crate::animate::model::ErrorText;
use crate::animate::symmetries::SymmetrySubject;
use crate::report::structure::{self, NetworkSymmetry};

/// Searches for symmetry and shows it. Returns the exit code.
pub fn run(args: &SymmetryArgs) -> u8 {
    let args = match args.settled() {
        Ok(args) => args,
        Err(why) => {
            complain(&why);
            return USAGE;
        }
    };
    match show(&args) {
        Ok(code) | Err(code) => code,
    }
}

/// The answer for one process or assertion.
struct AnswerOf {
    subject: SymmetrySubject,
    result: Result<NetworkSymmetry, ErrorText>,
}

fn show(args: &SymmetryArgs) -> Result<u8, u8> {
    let limits = asked::limits(args.answer.memory, args.answer.timeout);
    let asked = AskedScript::load(&args.file, limits)?;
    let subjects = subjects(&asked, args)?;
    let all = args.assertions.is_empty() && args.process.is_none();
    if args.graph.is_some() && subjects.len() != 1 {
        complain(&format!(
            "a picture is of one process or assertion: name a process, or with -a one of the {}",
            subjects.len()
        ));
        return Err(USAGE);
    }
    let mut output = Output::default();
    let mut answers: Vec<AnswerOf> = Vec::new();
    for subject in subjects {
        let result = asked.engine.symmetry(&subject);
        if args.graph.is_some() {
            let view = result.map_err(|failure| asked.refused(&[failure]))?;
            output.made(&fenced(&structure::dot(&view), false));
            return Ok(output.code(0));
        }
        if args.answer.format == OutputFormat::Text {
            if !answers.is_empty() && result.is_ok() {
                output.write("\n");
            }
            match &result {
                Ok(view) if all => output.write(&view.brief()),
                Ok(view) => output.write(&view.document().text()),
                // Told below, beside the others.
                Err(_) => {}
            }
        }
        answers.push(AnswerOf { subject, result });
        // After a signal or a limit, the rest would only repeat the message.
        if asked.is_over() || output.is_broken() {
            break;
        }
    }
    if answers.is_empty() && args.answer.format == OutputFormat::Text {
        output.write(&format!("{} has no assertions.\n", args.file.display()));
    }
    let failures = answers.iter().filter_map(|a| a.result.as_ref().err());
    let failures: Vec<ErrorText> = failures.cloned().collect();
    let code = if failures.is_empty() {
        0
    } else {
        asked.refused(&failures)
    };
    if args.answer.format == OutputFormat::Json {
        output.json(&format!("{:#}\n", document(args, &answers, code)));
    }
    Ok(output.code(code))
}

/// The subjects of the request.
fn subjects(asked: &AskedScript, args: &SymmetryArgs) -> Result<Vec<SymmetrySubject>, u8> {
    if let Some(process) = &args.process {
        return Ok(vec![SymmetrySubject::Process(process.clone())]);
    }
    let assertions = &asked.engine.info().assertions;
    let mut chosen: Vec<usize> = Vec::new();
    for wanted in &args.assertions {
        let before = chosen.len();
        let number = wanted.parse::<usize>();
        let is_meant = |at: usize, text: &str| match number {
            Ok(number) => number == at,
            Err(_) => text.contains(wanted.as_str()),
        };
        let meant = assertions.iter().filter(|a| is_meant(a.number, &a.text));
        chosen.extend(meant.map(|a| a.number));
        if chosen.len() == before {
            complain(&format!(
                "no assertion `{wanted}`; the script has {}",
                assertions.len()
            ));
            return Err(USAGE);
        }
    }
    if args.assertions.is_empty() {
        chosen.extend(assertions.iter().map(|a| a.number));
    }
    chosen.sort_unstable();
    chosen.dedup();
    Ok(chosen.into_iter().map(SymmetrySubject::Assertion).collect())
}

/// The document of the schema `orbitscope.symmetry/1`.
fn document(args: &SymmetryArgs, answers: &[AnswerOf], code: u8) -> Value {
    let answer = |answer: &AnswerOf| match (&answer.result, &answer.subject) {
        (Ok(view), _) => view.document().json(),
        (Err(failure), SymmetrySubject::Assertion(number)) => {
            json!({ "index": number, "error": failure.summary })
        }
        (Err(failure), SymmetrySubject::Process(process)) => {
            json!({ "process": process, "error": failure.summary })
        }
    };
    json!({
        "schema": "orbitscope.symmetry/1",
        "script": args.file.display().to_string(),
        "exit_code": code,
        "results": answers.iter().map(answer).collect::<Vec<_>>(),
    })
}
