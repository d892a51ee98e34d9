//! `orbitscope typecheck FILE…`: all errors, types, and where symmetry ends.

use std::fmt::Write as _;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use serde_json::json;

use super::args::{OutputFormat, TypecheckArgs};
use super::json::tool;
use super::output::Output;
use super::signals::Signals;
use super::{INTERRUPTED, USAGE, complain, limits, messages, script, stderr_colour, types_json};
use crate::report::numbers;
use crate::source::{Cancel, Severity, SourceMap, Span, visible_line};
use orbitscope_language::script::load::Loaded;
use orbitscope_language::script::report::{Break, Symmetry, TypedName, of_assertion, typed, whole};

/// Interval at which files are checked for changes.
const POLL: Duration = Duration::from_millis(100);
/// File systems take the time from a clock that lags this much at most.
const LAG: Duration = Duration::from_millis(50);

/// Checks the files. Returns the exit code.
pub fn run(args: &TypecheckArgs) -> u8 {
    let mut output = Output::default();
    let cancel = Cancel::default();
    let signals = Signals::cancelling(&cancel);
    if !args.watch {
        let (code, _) = once(args, &mut output, &signals, &cancel);
        return output.code(signals.code().unwrap_or(code));
    }
    if args.files.iter().any(|f| f == Path::new("-")) {
        complain("standard input cannot be watched");
        return USAGE;
    }
    while !cancel.is_cancelled() && !output.is_broken() {
        if std::io::stdout().is_terminal() {
            // In a file, one round stands behind the other.
            output.replace("");
        }
        // Stamps from before reading: changes meanwhile are seen in the next round.
        let before = SystemTime::now();
        let (_, files) = once(args, &mut output, &signals, &cancel);
        output.write(&format!("watching {}; Ctrl-C ends\n", counted(&files)));
        let stamps: Vec<Stamp> = files.iter().map(|f| stamp(f)).collect();
        // A file that changes while it is read has its new stamp already, so the change would be missed. So it is
        // read again.
        let recent = |s: &Stamp| s.is_some_and(|(time, _)| time + LAG >= before);
        let changed = || files.iter().zip(&stamps).any(|(f, s)| stamp(f) != *s);
        if stamps.iter().any(recent) {
            std::thread::sleep(POLL);
            continue;
        }
        while !cancel.is_cancelled() && !changed() {
            std::thread::sleep(POLL);
        }
    }
    output.code(signals.code().unwrap_or(INTERRUPTED))
}

/// When a file was last changed, and its length; nothing if it is not there.
type Stamp = Option<(SystemTime, u64)>;

fn stamp(path: &Path) -> Stamp {
    let about = std::fs::metadata(path).ok()?;
    Some((about.modified().ok()?, about.len()))
}

fn counted(files: &[PathBuf]) -> String {
    numbers::counted(files.len() as u64, "file")
}

/// Checks every file once. Returns the exit code and all files that were read, or requested.
fn once(
    args: &TypecheckArgs,
    output: &mut Output,
    signals: &Signals,
    cancel: &Cancel,
) -> (u8, Vec<PathBuf>) {
    let mut code = 0;
    let mut files: Vec<PathBuf> = Vec::new();
    let mut documents = Vec::new();
    let mut reported = Vec::new();
    for file in &args.files {
        let mut loaded = script::read(file, signals, cancel, &limits::default_limits());
        if args.no_warnings {
            loaded.diagnostics.retain(|d| d.severity == Severity::Error);
        }
        // Missing files are watched, too, until they exist.
        let read = loaded.sources.files().iter().map(|f| f.path.clone());
        files.extend(read.chain(loaded.sources.missing().iter().cloned()));
        code = code.max(messages::exit_code(&loaded.diagnostics));
        // Types and symmetry of a large script may take long, and look at no limit.
        script::bounded(signals, cancel, &limits::default_limits(), || {
            match args.format {
                OutputFormat::Text => text(args, file, &loaded, output),
                OutputFormat::Json => {
                    documents.push(types_json::document(file, &loaded, args.types));
                }
            }
        });
        reported.extend(loaded.diagnostics);
    }
    if args.format == OutputFormat::Json {
        let whole = json!({
            "schema": "orbitscope.typecheck/1",
            "tool": tool(),
            "exit_code": code,
            "files": documents,
        });
        output.json(&format!("{whole:#}\n"));
    } else {
        messages::hint(&reported);
    }
    // Scripts may include the same files.
    files.sort();
    files.dedup();
    (code, files)
}

fn text(args: &TypecheckArgs, file: &Path, loaded: &Loaded, output: &mut Output) {
    let colour = stderr_colour(args.color);
    messages::diagnostics(&loaded.diagnostics, &loaded.sources, colour);
    let mut out = String::new();
    if args.types {
        types(&mut out, loaded);
        symmetry(&mut out, loaded);
    }
    let count = |severity| {
        let found = loaded.diagnostics.iter().filter(|d| d.severity == severity);
        found.count() as u64
    };
    let (errors, warnings) = (count(Severity::Error), count(Severity::Warning));
    let name = file.display().to_string();
    let name = visible_line(&name);
    let _ = match (errors, warnings) {
        (0, 0) => writeln!(out, "{name}: sound"),
        (0, _) => writeln!(
            out,
            "{name}: sound, {}",
            numbers::counted(warnings, "warning")
        ),
        (_, 0) => writeln!(out, "{name}: {}", numbers::counted(errors, "error")),
        _ => writeln!(
            out,
            "{name}: {}, {}",
            numbers::counted(errors, "error"),
            numbers::counted(warnings, "warning")
        ),
    };
    output.write(&out);
}

/// `file:line:column  name :: type`
fn types(out: &mut String, loaded: &Loaded) {
    let all = typed(&loaded.script, &loaded.types);
    let places: Vec<String> = all
        .iter()
        .map(|t| visible_line(&loaded.sources.place(t.span)).into_owned())
        .collect();
    let width = places.iter().map(|p| p.chars().count()).max().unwrap_or(0);
    for (TypedName { name, shown, .. }, place) in all.iter().zip(&places) {
        let _ = writeln!(out, "{place:<width$}  {name} :: {shown}");
    }
    if !all.is_empty() {
        out.push('\n');
    }
}

fn symmetry(out: &mut String, loaded: &Loaded) {
    let all = whole(&loaded.script, &loaded.types);
    if all.is_empty() {
        let _ = writeln!(out, "No datatype has values that could be permuted.\n");
        return;
    }
    let _ = writeln!(out, "Symmetry of the whole script:");
    for one in &all {
        datatype(out, one, &loaded.sources);
    }
    for (n, assertion) in loaded.script.assertions.iter().enumerate() {
        let own = of_assertion(&loaded.script, &loaded.types, n);
        let number = n + 1;
        // Most assertions are about the whole script: they need no list of their own.
        if own.iter().map(places).eq(all.iter().map(places)) {
            let _ = writeln!(
                out,
                "Assertion {number}, {}: the same",
                visible_line(&assertion.text)
            );
            continue;
        }
        let _ = writeln!(
            out,
            "Assertion {number}, {}:",
            visible_line(&assertion.text)
        );
        for one in &own {
            datatype(out, one, &loaded.sources);
        }
    }
    out.push('\n');
}

/// The symmetry of a datatype, without the way in which it was found.
fn places(one: &Symmetry) -> (&str, Vec<Span>) {
    (&one.shown, one.breaks.iter().map(|b| b.span).collect())
}

fn datatype(out: &mut String, one: &Symmetry, sources: &SourceMap) {
    let members = one.members.len();
    let how_many = match members {
        n if n == one.of => format!("symmetric, all {n} values"),
        0 | 1 => "not symmetric".to_owned(),
        n => format!("symmetric in {}, {n} of {} values", one.shown, one.of),
    };
    let _ = writeln!(out, "  {}: {how_many}", one.name);
    for place in &one.breaks {
        let _ = writeln!(out, "    {}", visible_line(&breaks(one, place, sources)));
    }
}

/// `Null is named at a.csp:3:4, in Node, from System (a.csp:9:1)`
fn breaks(one: &Symmetry, place: &Break, sources: &SourceMap) -> String {
    let values = if place.values.is_empty() {
        format!("every value of {}", one.name)
    } else {
        place.values.join(", ")
    };
    let is = if place.values.len() > 1 { "are" } else { "is" };
    let at = sources.place(place.span);
    let mut text = format!("{at}: {values} {is} {}", place.why);
    let mut next: Option<Span> = None;
    // The chain has its outermost name first, each with where the one before mentions it. From its
    // inner end, then, the place of a name comes with the name before it.
    for (name, span) in place.via.iter().rev() {
        match next {
            None => {
                let _ = write!(text, ", in {name}");
            }
            Some(mentioned) => {
                let _ = write!(text, " < {name} ({})", sources.place(mentioned));
            }
        }
        next = Some(*span);
    }
    text
}
