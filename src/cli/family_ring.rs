//! `orbitscope family FILE -p PROCESS --ring N`: a circle of components as automata, and what is proved of these.

use serde_json::json;

use super::family::ReadFamily;
use super::family_args::FamilyArgs;
use super::json::tool;
use super::output::Output;
use super::{BUG, FULL, LATE, USAGE, check, complain};
use crate::report::inputs::inputs;
use crate::report::ring_proofs::{RingEnd, RingReport, RingRequest};
use crate::source::Stop;
use crate::source::write::write_whole;
use orbitscope_language::script::sizes::SizedName;

/// Reads the sizes and reports. Returns the exit code.
pub fn run(args: &FamilyArgs, ring: &str, script: &ReadFamily) -> u8 {
    reported(args, ring, script).unwrap_or_else(|code| code)
}

fn reported(args: &FamilyArgs, ring: &str, script: &ReadFamily) -> Result<u8, u8> {
    let process = args.process.as_deref().unwrap_or_default();
    let number = asked(args, (ring, process), script).map_err(|why| {
        complain(&why);
        USAGE
    })?;
    let request = RingRequest {
        script: &script.script,
        file: &args.file.display().to_string(),
        process,
        number: &number,
        sizes: args.sizes.0.clone(),
        limits: &script.limits,
        timeout: args.timeout,
        cancel: &script.cancel,
    };
    let mut found = request.run(&mut |_| {});
    write(args, &found)?;
    let code = script.signals.code().unwrap_or(code(&found));
    found
        .document
        .fact("schema", "orbitscope.family/1")
        .fact("tool", tool())
        .fact("inputs", json!(inputs(&script.written.sources)))
        .fact("exit_code", code);
    Ok(Output::default().document(&found.document, args.format, code))
}

/// The number of cells, if there is one, and what is asked for fits to the script.
fn asked(args: &FamilyArgs, of: (&str, &str), script: &ReadFamily) -> Result<SizedName, String> {
    let (ring, process) = of;
    let number = script.script.number(ring);
    let number =
        number.ok_or_else(|| format!("no definition `{ring} = NUMBER` is in the script"))?;
    if script.written.process(process).is_none() {
        return Err(format!(
            "there is no process `{process}` without parameters"
        ));
    }
    match args
        .output
        .as_deref()
        .filter(|o| check::same_file(o, &args.file))
    {
        Some(output) => {
            let output = output.display();
            Err(format!(
                "{output} is the script: nothing is written over it"
            ))
        }
        None => Ok(number),
    }
}

/// The exit code of what was found.
fn code(found: &RingReport) -> u8 {
    match &found.end {
        Some(RingEnd::Fault(_)) => BUG,
        _ if found.sizes.differs() => 1,
        Some(RingEnd::Stopped(Stop::Memory)) => FULL,
        Some(RingEnd::Stopped(_)) => LATE,
        None if found.sizes.agreeing().is_empty() => LATE,
        None => 0,
    }
}

fn write(args: &FamilyArgs, found: &RingReport) -> Result<(), u8> {
    let (Some(path), Some(text)) = (&args.output, &found.text) else {
        return Ok(());
    };
    write_whole(path, text.as_bytes()).map_err(|error| {
        let name = path.display();
        complain(&format!(
            "nothing was written: {name} cannot be written: {error}"
        ));
        USAGE
    })
}
