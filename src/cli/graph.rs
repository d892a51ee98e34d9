//! `orbitscope graph FILE [PROCESS]`: the states of a process as a picture.

use std::path::Path;

use super::args::{GraphArgs, GraphFormat};
use super::asked::{self, AskedScript};
use super::check::same_file;
use super::output::{Output, escaped, fenced};
use super::{BUG, FULL, LATE, USAGE, complain};
use crate::animate::graphs::unwritten;
use crate::report::graph::{self, GraphView, SVG_VERTICES_MAX};
use crate::report::numbers::thousands;
use crate::source::Stop;
use crate::source::write::write_whole;
use orbitscope_engine::lab::explore::{GraphBounds, GraphKind};

/// Default limit of the vertices of one graph: larger ones are seldom readable.
const STATES_USUAL: usize = 10_000;

/// Explores and writes. Returns the exit code.
pub fn run(args: &GraphArgs) -> u8 {
    match draw(args) {
        Ok(code) | Err(code) => code,
    }
}

/// The requested format, or that of the file's name.
fn format(args: &GraphArgs) -> Result<GraphFormat, u8> {
    if let Some(format) = args.format {
        return Ok(format);
    }
    let Some(output) = &args.output else {
        return Ok(GraphFormat::Dot);
    };
    let ending = output.extension().and_then(|ending| ending.to_str());
    match ending.map(str::to_ascii_lowercase).as_deref() {
        Some("svg") => Ok(GraphFormat::Svg),
        Some("graphml") => Ok(GraphFormat::Graphml),
        Some("aut") => Ok(GraphFormat::Aut),
        Some("json") => Ok(GraphFormat::Json),
        Some("dot" | "gv") => Ok(GraphFormat::Dot),
        _ => {
            complain(&format!(
                "the name {} does not tell the format: say which with --format",
                output.display()
            ));
            Err(USAGE)
        }
    }
}

/// The bounds of the graph; errors that are known before the exploration.
fn bounds(args: &GraphArgs, kind: GraphKind, format: GraphFormat) -> Result<GraphBounds, u8> {
    let refuse = |message: &str| {
        complain(message);
        Err(USAGE)
    };
    if kind == GraphKind::Map && format == GraphFormat::Aut {
        return refuse(".aut has no place for a map: take --quotient or --full, or another format");
    }
    let most = SVG_VERTICES_MAX;
    let states = match (args.max_states, format) {
        (Some(0), _) => return refuse("--max-states 0 leaves nothing to draw"),
        (Some(states), GraphFormat::Svg) if states > most => {
            return refuse(&format!(
                "an SVG of {} states is not readable: at most {} with --max-states, or fewer by --depth, or \
                 another format",
                thousands(states as u128),
                thousands(most as u128)
            ));
        }
        (Some(states), _) => states,
        (None, GraphFormat::Svg) => most,
        (None, _) => STATES_USUAL,
    };
    Ok(GraphBounds {
        depth: args.depth.unwrap_or(usize::MAX),
        states,
    })
}

fn draw(args: &GraphArgs) -> Result<u8, u8> {
    let format = format(args)?;
    let kind = match (args.full, args.map) {
        (true, _) => GraphKind::Full,
        (_, true) => GraphKind::Map,
        _ => GraphKind::Quotient,
    };
    let bounds = bounds(args, kind, format)?;
    let asked = AskedScript::load(&args.file, asked::limits(args.memory, args.timeout))?;
    if let Some(output) = &args.output {
        may_write(&asked, output)?;
    }
    let process = match &args.process {
        Some(process) => process.clone(),
        None => asked.first_process(),
    };
    if process.is_empty() {
        complain("there is no process without parameters to draw: name one, or give an expression");
        return Err(USAGE);
    }
    let view = asked.engine.graph(&process, kind, bounds);
    let view = view.map_err(|failure| asked.refused(&[failure]))?;
    if format == GraphFormat::Svg && args.max_states.is_none() && view.cut().states {
        complain(&format!(
            "there are more than {} states, which no SVG shows readably: cut it with --max-states or --depth, \
             or take another format",
            thousands(SVG_VERTICES_MAX as u128)
        ));
        return Err(USAGE);
    }
    let text = text(&view, format)?;
    if let Some(stop) = view.watch.stopped() {
        complain(&unwritten(stop));
        return Err(match stop {
            Stop::Memory => FULL,
            Stop::Time | Stop::States | Stop::Disk | Stop::Process(_) | Stop::Cancelled => {
                asked.interrupted().unwrap_or(LATE)
            }
        });
    }
    for line in remarks(&view, format) {
        complain(&line);
    }
    let code = write(args.output.as_deref(), format, &text);
    Ok(match (code, view.stopped()) {
        (0, _) if view.fault().is_some() => BUG,
        (0, Some(Stop::Memory)) => FULL,
        (0, Some(_)) => LATE,
        (code, _) => code,
    })
}

/// The text of the whole file.
fn text(view: &GraphView, format: GraphFormat) -> Result<String, u8> {
    let refuse = |message: &str| {
        complain(message);
        USAGE
    };
    match format {
        GraphFormat::Dot => Ok(graph::dot(view)),
        GraphFormat::Graphml => Ok(graph::graphml(view)),
        GraphFormat::Json => Ok(graph::json(view)),
        GraphFormat::Svg => graph::svg(view).map_err(|message| refuse(&message)),
        GraphFormat::Aut => graph::aut(view).ok_or_else(|| refuse(".aut has no place for a map")),
    }
}

/// Remarks for stderr.
fn remarks(view: &GraphView, format: GraphFormat) -> Vec<String> {
    let mut lines = view.remarks();
    if view.quotient.is_some() && view.used.is_none() {
        lines.extend(view.why_not_reduced());
    }
    if format == GraphFormat::Aut {
        lines.extend(graph::aut_remarks(view));
    }
    if let Some(orbit) = view.fault() {
        lines.push(format!(
            "internal error: orbit o{orbit} has not the number of states that its stabiliser tells"
        ));
    }
    lines
}

/// Whether a file can probably be written at this place. Called before the exploration, which may take long.
fn may_write(asked: &AskedScript, output: &Path) -> Result<(), u8> {
    let refuse = |why: String| {
        complain(&why);
        Err(USAGE)
    };
    let name = output.display();
    if asked.engine.files().any(|file| same_file(file, output)) {
        return refuse(format!(
            "{name} is part of the script: no picture is written over it"
        ));
    }
    if output.is_dir() {
        return refuse(format!("{name} is a folder: nothing is written"));
    }
    // The folder of a bare name is the present one.
    let folder = output.parent().filter(|f| !f.as_os_str().is_empty());
    match folder {
        Some(folder) if !folder.is_dir() => refuse(format!(
            "{name} cannot be written: there is no folder {}",
            folder.display()
        )),
        _ => Ok(()),
    }
}

/// Writes the file, or to standard output. Returns the exit code.
fn write(path: Option<&Path>, format: GraphFormat, text: &str) -> u8 {
    // Either way the same bytes.
    let text = match format {
        GraphFormat::Json => escaped(text),
        _ => fenced(text, false),
    };
    let Some(path) = path else {
        let mut output = Output::default();
        output.made(&text);
        return output.code(0);
    };
    match write_whole(path, text.as_bytes()) {
        Ok(()) => 0,
        Err(error) => {
            let name = path.display();
            complain(&format!(
                "nothing was written: {name} cannot be written: {error}"
            ));
            USAGE
        }
    }
}
