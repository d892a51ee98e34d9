//! Ways to check an assertion: which types it is reduced by.

use std::rc::Rc;

use super::question::question;
use super::run::Options;
use crate::script::core::{Expr, Script};
use crate::script::load::Loaded;
use crate::script::symmetric::{self, SymmetricType, Trust};
use crate::source::diagnostic::Result;
use crate::source::{Diagnostic, Span};
use crate::value::AtomTypes;

/// The symmetric types that a check may use.
fn reduction_types(
    loaded: &Loaded,
    index: usize,
    roots: &[&Expr],
    options: &Options,
    trust: Trust,
) -> Result<Vec<SymmetricType>> {
    let script = &*loaded.script;
    let assertion = &script.assertions[index];
    if options.symmetry == Some(false) {
        return Ok(Vec::new());
    }
    if options.types.is_empty()
        && let Some(specs) = assertion.symmetry.as_ref().filter(|s| !s.is_empty())
    {
        let first = |mut errors: Vec<Diagnostic>| Box::new(errors.swap_remove(0));
        return symmetric::explicit(script, &loaded.types, specs, roots, trust).map_err(first);
    }
    let all = symmetric::symmetric_types(script, &loaded.types, roots, trust);
    for name in &options.types {
        let found = all.iter().find(|t| is_called(script, t, name));
        if found.is_none_or(|t| !t.is_usable()) {
            return Err(not_symmetric(name, assertion.span, found));
        }
    }
    let chosen = |t: &SymmetricType| {
        options.types.is_empty() || options.types.iter().any(|n| is_called(script, t, n))
    };
    Ok(all
        .into_iter()
        .filter(|t| t.members.len() > 1 && chosen(t))
        .collect())
}

/// A way to check an assertion. Whether it can be gone shows only when the network is made, or even
/// later, while it is searched.
#[derive(Clone, Debug)]
pub struct Plan {
    /// What is permuted; empty for no reduction.
    pub(super) types: Vec<SymmetricType>,
    /// Whether that rests on trust ([`Trust::Events`]).
    pub(super) trusting: bool,
    /// Whether identical components are exchanged.
    pub(super) exchanging: bool,
}

/// The ways to check assertion `index` (from 0), the best one first: reduced by what is symmetric if
/// functions such as `seq` are trusted where they see events (events may hold values of all types,
/// so without trust nothing would be symmetric), and, unless reduction is asked for, not reduced.
///
/// # Errors
/// What the assertion needs and this version lacks, or a type that was asked for and is not symmetric.
pub fn plans(loaded: &Loaded, index: usize, options: &Options) -> Result<Vec<Plan>> {
    let question = question(&loaded.script, index)?;
    let roots = question.roots();
    // Only what the trace leads to is looked at, so there is little to reduce.
    let options = &Options {
        symmetry: if question.trace.is_some() {
            Some(false)
        } else {
            options.symmetry
        },
        ..options.clone()
    };
    let types = |trust| reduction_types(loaded, index, &roots, options, trust);
    let trusted = types(Trust::Events)?;
    let literal = types(Trust::Nothing);
    let same = |literal: &Vec<SymmetricType>| {
        let key = |t: &SymmetricType| (t.datatype, t.members.clone());
        literal.iter().map(key).eq(trusted.iter().map(key))
    };
    let mut plans = vec![Plan {
        trusting: !literal.as_ref().is_ok_and(same),
        types: trusted.clone(),
        exchanging: options.symmetry != Some(false) && options.types.is_empty(),
    }];
    let demanded =
        options.symmetry == Some(true) || loaded.script.assertions[index].symmetry.is_some();
    if !demanded && !trusted.is_empty() {
        plans.push(Plan {
            types: Vec::new(),
            trusting: false,
            exchanging: true,
        });
    }
    Ok(plans)
}

/// Whether people may mean this type by a name: that of the datatype, or that of its symmetric part.
fn is_called(script: &Script, symmetric: &SymmetricType, name: &str) -> bool {
    *script.types[symmetric.datatype.0 as usize].name == *name
        || *type_name(script, symmetric) == *name
}

/// Why a type that was asked for cannot be used: the place of each constant that stands in the way.
fn not_symmetric(name: &str, span: Span, found: Option<&SymmetricType>) -> Box<Diagnostic> {
    let message = format!("no two values of `{name}` are interchangeable in this assertion");
    let mut error = Diagnostic::error("E0502", span, message);
    match found {
        None => {
            error = error.note(format!(
                "there is no datatype `{name}` with two or more atomic values"
            ));
        }
        Some(symmetric) => {
            for (_, place, why) in &symmetric.excluded {
                error = error.also(*place, why.clone());
            }
        }
    }
    Box::new(error)
}

/// The atoms of symmetric types.
#[must_use]
pub fn atom_types(script: &Script, types: &[SymmetricType]) -> AtomTypes {
    let named: Vec<_> = types
        .iter()
        .map(|t| (type_name(script, t), t.members.clone()))
        .collect();
    AtomTypes::new(&named)
}

/// What people call a symmetric subtype: the datatype itself if nothing is left out, else the name of
/// a definition `X = diff(T, {C, …})` that leaves out the same, else the datatype's name.
#[must_use]
pub fn type_name(script: &Script, symmetric: &SymmetricType) -> Rc<str> {
    use crate::script::core::{Builtin, ExprKind, GlobalKind, Items};
    let datatype = &script.types[symmetric.datatype.0 as usize];
    let leaves_out_the_same = |body: &Expr| {
        let ExprKind::Apply(function, args) = &body.kind else {
            return false;
        };
        let (ExprKind::Builtin(Builtin::Diff), [all, out]) = (&function.kind, &args[..]) else {
            return false;
        };
        let (ExprKind::Type(of), ExprKind::Set(Items::List(listed), stmts)) =
            (&all.kind, &out.kind)
        else {
            return false;
        };
        *of == symmetric.datatype
            && stmts.is_empty()
            && listed.len() + symmetric.members.len() == datatype.clauses.len()
            && listed
                .iter()
                .all(|e| matches!(e.kind, ExprKind::Ctor(c) if !symmetric.members.contains(&c)))
    };
    if symmetric.members.len() < datatype.clauses.len() {
        for global in &script.globals {
            if let GlobalKind::Value(body) | GlobalKind::Nametype(body) = &global.kind
                && leaves_out_the_same(body)
            {
                return Rc::clone(&global.name);
            }
        }
    }
    Rc::clone(&datatype.name)
}
