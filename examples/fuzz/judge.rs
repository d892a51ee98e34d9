//! What is done with an input, and what has to be true of it.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::rc::Rc;
use std::time::Duration;

use orbitscope::check::Options;
use orbitscope::check::plan::atom_types;
use orbitscope::eval::Evaluator;
use orbitscope::machine::network::RuleScratch;
use orbitscope::machine::{FormatId, LocalId, Machine, Miss, Network};
use orbitscope::report::checks;
use orbitscope::script::core::{Expr, GlobalId, GlobalKind};
use orbitscope::script::load::{Loaded, load, load_text};
use orbitscope::script::symmetric::{self, Trust};
use orbitscope::source::{Cancel, Diagnostic, Limits, Severity, SourceMap, Span, render};
use orbitscope::syntax::{Parsed, parse_file, parse_text, print};

use crate::shape::shape;

/// Evaluation is asked to stop after this.
const PATIENCE: Duration = Duration::from_millis(500);
/// States of one process that are looked at.
const STATES: usize = 200;
/// Definitions of one script that are looked at.
const DEFINITIONS: usize = 12;
/// As small as the stack of a thread of the program.
const STACK: usize = 2 * 1024 * 1024;

thread_local! {
    /// Where the last panic came from.
    static PANIC: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Is told what is done next.
type Tell<'a> = &'a dyn Fn(&str);

/// Runs on a thread with little stack, and keeps panics quiet.
pub fn on_small_stack(work: impl FnOnce() + Send) {
    std::panic::set_hook(Box::new(|info| {
        let place = info.location().map(ToString::to_string).unwrap_or_default();
        PANIC.with(|p| *p.borrow_mut() = format!("panic at {place}"));
    }));
    std::thread::scope(|scope| {
        let run = std::thread::Builder::new()
            .stack_size(STACK)
            .spawn_scoped(scope, work);
        let ended = run.expect("a thread can be started").join();
        assert!(ended.is_ok(), "the work itself went wrong");
    });
}

/// Whether the script in a file is sound, or a signature of what went wrong with the program. Its
/// includes are relative to `name`; without one the file is read as bytes.
pub fn judge(path: &Path, name: Option<&Path>, tell: Tell<'_>) -> Result<bool, String> {
    caught(|| attempt(path, name, tell))
}

/// What comes of some work, with a panic as an error that says where it was.
pub fn caught<R>(work: impl FnOnce() -> Result<R, String>) -> Result<R, String> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| Err(PANIC.with(|p| p.borrow().clone())))
}

fn attempt(path: &Path, name: Option<&Path>, tell: Tell<'_>) -> Result<bool, String> {
    let text = std::fs::read(path)
        .ok()
        .and_then(|b| String::from_utf8(b).ok());
    let text = name.zip(text);
    tell("parse");
    let parsed = match &text {
        Some((name, text)) => parse_text(name, text),
        None => parse_file(path),
    };
    places(&parsed.diagnostics, &parsed.sources)?;
    if !parsed.has_errors() {
        tell("print");
        printed(&parsed)?;
    }
    drop(parsed);
    tell("types");
    let read = || match &text {
        Some((name, text)) => Some(load_text(name, text)),
        None => load(path, None).ok(),
    };
    let (Some(loaded), Some(again)) = (read(), read()) else {
        return Err("a file cannot be loaded".to_owned());
    };
    places(&loaded.diagnostics, &loaded.sources)?;
    if loaded.diagnostics != again.diagnostics {
        return Err("diagnostics differ the second time".to_owned());
    }
    tell("render");
    let text = render::render_all(&loaded.diagnostics, &loaded.sources, false);
    if text.is_empty() != loaded.diagnostics.is_empty() {
        return Err("diagnostics without text".to_owned());
    }
    tell("symmetric");
    for n in 0..loaded.script.globals.len() {
        let _ = loaded.types.show(GlobalId(n as u32));
    }
    let _ = symmetric::whole_script(&loaded.script, &loaded.types, Trust::Nothing);
    evaluate(&loaded, tell)?;
    Ok(!loaded.has_errors())
}

/// Places lie inside their files, between characters.
fn places(diagnostics: &[Diagnostic], sources: &SourceMap) -> Result<(), String> {
    let right = |span: &Span| {
        let file = sources.files().get(span.file.0 as usize);
        file.is_some_and(|f| f.text.get(span.start as usize..span.end as usize).is_some())
    };
    for d in diagnostics {
        let spans = d.span.iter().chain(d.labels.iter().map(|l| &l.span));
        if !spans.chain(d.trace.iter().map(|t| &t.1)).all(right) {
            return Err(format!("place of {} is outside the file", d.code));
        }
        if d.message.is_empty() || d.code.len() != 5 {
            return Err(format!("no message for {}", d.code));
        }
    }
    Ok(())
}

/// A printed tree is read as the same tree.
fn printed(parsed: &Parsed) -> Result<(), String> {
    // Comparing needs native stack for every level of the tree.
    stacker::grow(512 * 1024 * 1024, || {
        let text = print::file(&parsed.file);
        let again = parse_text(Path::new("printed.csp"), &text);
        if let Some(d) = again
            .diagnostics
            .iter()
            .find(|d| d.severity == Severity::Error)
        {
            return Err(format!("printed text is refused: {}", d.code));
        }
        if shape(&parsed.file) != shape(&again.file) {
            return Err("printed text is read as another tree".to_owned());
        }
        Ok(())
    })
}

fn limits() -> Limits {
    let limits = Limits {
        states_max: STATES,
        memory_max: 100 << 20,
        elements_max: 20_000,
        local_states_max: STATES,
        ..Limits::default()
    };
    limits.with_timeout(PATIENCE)
}

/// Runs something that is cancelled if it takes long.
fn cancelled_in_time<R>(work: impl FnOnce(Cancel) -> R) -> R {
    let cancel = Cancel::default();
    let (done, wait) = std::sync::mpsc::channel::<()>();
    std::thread::scope(|scope| {
        let flag = cancel.clone();
        scope.spawn(move || {
            if wait.recv_timeout(PATIENCE).is_err() {
                flag.cancel();
            }
        });
        let result = work(cancel);
        let _ = done.send(());
        result
    })
}

fn evaluate(loaded: &Loaded, tell: Tell<'_>) -> Result<(), String> {
    for (n, global) in loaded.script.globals.iter().enumerate().take(DEFINITIONS) {
        let GlobalKind::Value(body) = &global.kind else {
            continue;
        };
        let result = cancelled_in_time(|cancel| {
            if loaded.types.is_process(GlobalId(n as u32)) {
                tell("explore");
                explore(loaded, body, cancel)
            } else {
                tell("evaluate");
                let mut eval = Evaluator::new(Rc::clone(&loaded.script), &limits(), cancel);
                eval.evaluate(body).map(|v| drop(eval.show(v)))
            }
        });
        if let Err(d) = result {
            places(&[*d], &loaded.sources)?;
        }
    }
    if loaded.has_errors() {
        return Ok(());
    }
    for n in 1..=loaded.script.assertions.len().min(DEFINITIONS) {
        tell("check");
        let options = Options {
            threads: 1,
            limits: limits(),
            ..Options::default()
        };
        cancelled_in_time(|cancel| {
            checks::run(loaded, n, &options, &cancel, &mut |_| {});
        });
    }
    Ok(())
}

/// Visits some states of a process.
fn explore(loaded: &Loaded, e: &Expr, cancel: Cancel) -> Result<(), Box<Diagnostic>> {
    let script = &loaded.script;
    let types = symmetric::symmetric_types(script, &loaded.types, &[e], Trust::Nothing);
    let usable: Vec<_> = types.into_iter().filter(|t| t.members.len() > 1).collect();
    let eval = Evaluator::new(Rc::clone(script), &limits(), cancel);
    let mut machine = Machine::new(eval, atom_types(script, &usable));
    let term = machine.eval.process(e)?;
    let mut network = Network::new(&mut machine, term, STATES)?;
    let mut states: Vec<(FormatId, Vec<LocalId>)> = vec![(FormatId(0), network.initial().to_vec())];
    let mut at = 0;
    while at < states.len() && states.len() < STATES {
        let (format, locals) = states[at].clone();
        let mut found = Vec::new();
        let miss = network.successors::<Miss>(
            machine.locals(),
            format,
            &locals,
            &mut RuleScratch::default(),
            |s| {
                found.push((s.format, s.locals.to_vec()));
                Ok(())
            },
        );
        if let Err(miss) = miss {
            machine.resolve(&mut network, &miss)?;
            continue;
        }
        found.retain(|s| !states.contains(s));
        states.append(&mut found);
        at += 1;
    }
    Ok(())
}
