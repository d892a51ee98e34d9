//! Datatypes that an assertion is to be reduced by, though no two of their values can be exchanged.

use crate::script::core::{Assertion, AssertionKind, CtorId, Script, SymmetrySpec, TypeId};
use crate::script::symmetric::{atomic, listed_types};
use crate::script::types::Types;
use crate::source::{Diagnostic, Span};

/// Adds the warnings.
pub(super) fn find(script: &Script, types: &Types, out: &mut Vec<Diagnostic>) {
    let named = script.assertions.iter().flat_map(named_types);
    out.extend(named.filter_map(|spec| of_named(script, spec)));
    let has_single = (0..script.types.len()).any(|i| is_single(script, TypeId(i as u32)));
    // What is symmetric takes a walk over all that an assertion reaches.
    if !has_single {
        return;
    }
    for assertion in script.assertions.iter().filter(|a| asks_for_all(a)) {
        for found in listed_types(script, types, &assertion.roots()) {
            let is_used = found.is_reached && found.members.len() == 1;
            if is_used && is_single(script, found.datatype) {
                let asked = "this asks for all symmetric datatypes, and it is one";
                out.push(single(script, found.datatype, assertion.span, asked));
            }
        }
    }
}

/// The types that an assertion names as symmetric.
fn named_types(assertion: &Assertion) -> impl Iterator<Item = &SymmetrySpec> {
    let asserted = match &assertion.kind {
        AssertionKind::Symmetric { types, .. } => types.as_slice(),
        _ => &[],
    };
    assertion.symmetry.iter().flatten().chain(asserted)
}

/// Whether an assertion is to be reduced by every type that is found symmetric.
fn asks_for_all(assertion: &Assertion) -> bool {
    assertion.symmetry.as_ref().is_some_and(Vec::is_empty)
}

/// Whether a datatype has one value and no more.
fn is_single(script: &Script, datatype: TypeId) -> bool {
    let clauses = &script.types[datatype.0 as usize].clauses;
    clauses.len() == 1 && atomic(script, datatype).len() == 1
}

fn of_named(script: &Script, spec: &SymmetrySpec) -> Option<Diagnostic> {
    let all = atomic(script, spec.datatype);
    if all.len() == 1 && spec.fixed.is_empty() {
        return Some(single(
            script,
            spec.datatype,
            spec.span,
            "it is to be permuted here",
        ));
    }
    let left: Vec<CtorId> = all
        .into_iter()
        .filter(|c| !spec.fixed.contains(c))
        .collect();
    let [ctor] = left.as_slice() else {
        return None;
    };
    let datatype = &script.types[spec.datatype.0 as usize];
    let left = &script.ctors[ctor.0 as usize].name;
    let message = format!(
        "of `{}` only `{left}` is left to be permuted",
        datatype.name
    );
    Some(
        Diagnostic::warning("W0107", spec.span, message)
            .label("one value is exchanged with nothing")
            .also(datatype.span, "the datatype is declared here"),
    )
}

fn single(script: &Script, datatype: TypeId, asked: Span, why: &str) -> Diagnostic {
    let datatype = &script.types[datatype.0 as usize];
    let message = format!(
        "`{}` is to be symmetric and has only one value to permute",
        datatype.name
    );
    Diagnostic::warning("W0107", datatype.span, message)
        .label("one value is exchanged with nothing")
        .also(asked, why)
}
