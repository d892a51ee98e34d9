//! Loading a script in a test.

use std::path::Path;
use std::rc::Rc;

use crate::eval::Evaluator;
use crate::process::term::Term;
use crate::script;
use crate::script::core::GlobalId;
use crate::source::diagnostic::{Result, Severity};
use crate::source::hash::IndexSet;
use crate::source::{Cancel, Diagnostic, Limits, Span};
use crate::syntax;
use crate::value::Value;

/// An evaluator for a script; the text must be right.
pub fn load(text: &str) -> Evaluator {
    load_named(Path::new("test.csp"), text).unwrap_or_else(|d| panic!("{d:?}"))
}

/// An evaluator for a script, or the errors in its text.
pub fn load_named(name: &Path, text: &str) -> std::result::Result<Evaluator, Vec<Diagnostic>> {
    let parsed = syntax::parse_text(name, text);
    let checked = script::check(parsed.file, parsed.sources);
    let wrong: Vec<Diagnostic> = parsed
        .diagnostics
        .into_iter()
        .chain(checked.diagnostics)
        .filter(|d| d.severity == Severity::Error)
        .collect();
    if !wrong.is_empty() {
        return Err(wrong);
    }
    let script = Rc::new(checked.script);
    Ok(Evaluator::new(
        script,
        &Limits::default(),
        Cancel::default(),
    ))
}

/// The value of a top-level definition; its parts may be suspended.
pub fn global_value(e: &mut Evaluator, id: GlobalId, span: Span) -> Result<Value> {
    crate::eval::definitions::global_value(e.begin(), id, span)
}

/// Numbers of states and transitions from a term, up to a bound on states.
pub fn explore(e: &mut Evaluator, root: Term, max: usize) -> Result<(usize, usize)> {
    let mut states: IndexSet<Term> = IndexSet::default();
    states.insert(root);
    let (mut next, mut transitions) = (0, 0);
    while next < states.len() && next < max {
        let t = states[next];
        next += 1;
        for (_, to) in e.step(t)? {
            transitions += 1;
            states.insert(to);
        }
    }
    Ok((states.len(), transitions))
}

/// A diagnostic with its place, as one line.
pub fn brief(e: &Evaluator, d: &Diagnostic) -> String {
    let place = d.span.map(|s| e.script().sources.place(s));
    let trace: Vec<String> = d
        .trace
        .iter()
        .map(|(name, span)| format!("{name}@{}", e.script().sources.place(*span)))
        .collect();
    format!(
        "{} {} {} {:?}",
        place.unwrap_or_default(),
        d.code,
        d.message,
        trace
    )
}
