//! From the tree to the checked script: names first, then types, which need them.

use std::sync::Arc;

use super::core::{Script, TypeId};
use super::dependence;
use super::resolve::{Resolved, resolve};
use super::sound;
use super::types::{self, Types};
use crate::source::hash::Set;
use crate::source::{Bounds, Diagnostic, SourceMap, Span};
use crate::syntax::ast;

/// A script with everything that is known about it before evaluation.
#[derive(Debug)]
pub struct Checked {
    /// With all names resolved; what has errors fails when it is evaluated.
    pub script: Script,
    /// The types of all that it declares.
    pub types: Types,
    /// Everything that is wrong, in the order of the text.
    pub diagnostics: Vec<Diagnostic>,
    /// The parts of the text that were read, and those that were not.
    pub text: sound::ReadText,
}

/// Resolves names and infers types. Never fails: what is wrong is in the diagnostics.
#[must_use]
pub fn check(file: ast::File, sources: Arc<SourceMap>) -> Checked {
    check_within(file, sources, &Bounds::default())
}

/// The same within bounds. If one is reached, the last diagnostic says so, and nothing but it can be
/// relied on. (Where it was reached before, that was said before.)
#[must_use]
pub fn check_within(file: ast::File, sources: Arc<SourceMap>, bounds: &Bounds) -> Checked {
    check_comparing(file, sources, bounds, None)
}

/// The same where values of the datatype that is declared at a place must not be compared: each place that compares
/// them has an error.
pub(super) fn check_comparing(
    file: ast::File,
    sources: Arc<SourceMap>,
    bounds: &Bounds,
    uncompared: Option<Span>,
) -> Checked {
    let before = bounds.is_over();
    let text = sound::ReadText::new(&file.decls, &file.lost, file.incomplete);
    let Resolved {
        mut script,
        annotations,
        parameters,
        rehearsed,
        mut diagnostics,
        expanded,
    } = resolve(file, sources, bounds);
    // The order depends on the script, and this one changes below.
    let infer = |script: &Script, parameters: &Set<_>, diagnostics: &mut Vec<Diagnostic>| {
        let groups = dependence::groups(script);
        let types = script.types.iter();
        let is_declared = |place| types.clone().position(|t| t.span == place);
        let given = types::Given {
            groups: &groups,
            annotations: &annotations,
            parameters,
            uncompared: uncompared.and_then(is_declared).map(|t| TypeId(t as u32)),
        };
        types::infer(script, &given, bounds, diagnostics)
    };
    // With the modules that are there to be checked only, so that their errors are found.
    let mut types = infer(&script, &parameters, &mut diagnostics);
    if rehearsed.leave_out(&mut script) {
        // What is wrong was said the first time.
        types = infer(&script, &Set::default(), &mut Vec::new());
    }
    let mut diagnostics = each_once(diagnostics, &expanded);
    if let (false, Some((_, stopped))) = (before, bounds.stopped()) {
        diagnostics.push(stopped);
    }
    Checked {
        script,
        types,
        diagnostics,
        text,
    }
}

/// In the order of the text, each once. What is wrong inside a module is said once, however many
/// instances it has.
fn each_once(mut all: Vec<Diagnostic>, expanded: &[Span]) -> Vec<Diagnostic> {
    all.sort_by_key(|d| d.span);
    let mut seen: Set<(&'static str, Option<Span>, String)> = Set::default();
    all.retain(|d| {
        let inside = |s: Span| {
            let around = |m: &Span| m.file == s.file && m.start <= s.start && s.end <= m.end;
            expanded.iter().any(around)
        };
        // Messages differ between instances in the names of what they are about.
        let once = d.span.is_some_and(inside);
        let message = if once {
            String::new()
        } else {
            d.message.clone()
        };
        seen.insert((d.code, d.span, message))
    });
    all
}
