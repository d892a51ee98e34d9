//! Plans of the checker in words: the reduction of a process or assertion, and why it is not more.

use super::reduction::{Basis, PlanView, PlannedView, StructureSummary, SymmetrySummary, TypeInfo};
use super::words::{self, ErrorText};
use crate::check::Options;
use crate::check::plan::{self, Plan, type_name};
use crate::check::reduction::{Reduction, StructureUsed};
use crate::group::GroupName;
use crate::script::core::{AssertionKind, CtorId, Expr, Script};
use crate::script::load::Loaded;
use crate::script::symmetric::{self, SymmetricType, Trust};
use crate::source::Diagnostic;

/// The summary of a reduction.
pub fn summary(reduction: &Reduction) -> SymmetrySummary {
    SymmetrySummary {
        types: reduction.types.clone(),
        copies: reduction.copies.clone(),
        structure: reduction.structure.as_ref().map(structure),
        group_order: reduction.group_order.clone(),
        strategy: reduction.strategy.to_owned(),
        exact_for: reduction.exact_for,
    }
}

/// A group that was found in the structure.
fn structure(used: &StructureUsed) -> StructureSummary {
    let cycles = |cycles: &Vec<Vec<String>>| {
        let cycles = cycles.iter().map(|cycle| format!("({})", cycle.join(" ")));
        cycles.collect::<String>()
    };
    StructureSummary {
        generators: used.generators.iter().map(cycles).collect(),
        action: used.on_components.as_ref().map(|name| {
            let components = on_components(name);
            match (components, used.moves_more) {
                (Some(action), true) => format!("{action}, and local states"),
                (Some(action), false) => action,
                (None, _) => "local states".to_owned(),
            }
        }),
    }
}

/// The action of a group on components in words; `None` if none is moved.
fn on_components(name: &GroupName) -> Option<String> {
    match name {
        GroupName::Trivial => None,
        GroupName::Symmetric(n) => Some(format!("exchange of {n}")),
        GroupName::Cyclic(n) => Some(format!("rotation of {n}")),
        other => Some(other.to_string()),
    }
}

/// The basis of the plan that was run, and why a better one could not be.
pub fn plan(trusting: bool, instead: Option<&Diagnostic>, loaded: &Loaded) -> PlanView {
    PlanView {
        basis: if trusting {
            Basis::Trusted
        } else {
            Basis::Verified
        },
        instead: instead.map(|why| words::error_text(why, &loaded.sources)),
        ..PlanView::default()
    }
}

/// The basis of a plan of an assertion (from 1).
pub(crate) fn basis(loaded: &Loaded, number: usize, plan: &Plan) -> Basis {
    let kind = |at: usize| Some(&loaded.script.assertions.get(at)?.kind);
    match number.checked_sub(1).and_then(kind) {
        Some(AssertionKind::Symmetric { .. }) => Basis::Text,
        Some(AssertionKind::HasTrace { .. }) => Basis::Trace,
        _ if plan.is_off() => Basis::Off,
        _ if plan.is_trusting() => Basis::Trusted,
        _ => Basis::Verified,
    }
}

/// The planned check of an assertion (from 1), known from its text alone.
///
/// # Errors
/// Why it cannot be checked.
pub fn planned(
    loaded: &Loaded,
    number: usize,
    symmetry: Option<bool>,
) -> Result<PlannedView, ErrorText> {
    // 0 becomes a number that no assertion has, and is refused as such.
    let at = number.wrapping_sub(1);
    let failure = |d: &Diagnostic| words::error_text(d, &loaded.sources);
    let Some(assertion) = loaded.script.assertions.get(at) else {
        let message = format!("there is no assertion {number}");
        return Err(failure(&Diagnostic::nowhere("E0709", message)));
    };
    if let Some(error) = loaded.in_the_way(assertion) {
        return Err(failure(&error));
    }
    // Also where nothing is reduced, since it says why.
    let all = types_of(loaded, &assertion.roots());
    if let AssertionKind::Symmetric { .. } = &assertion.kind {
        let basis = Basis::Text;
        return Ok(PlannedView {
            all,
            basis,
            ..PlannedView::default()
        });
    }
    let options = Options {
        symmetry,
        ..Options::default()
    };
    let plans = plan::plans(loaded, at, &options).map_err(|d| failure(&d))?;
    let Some(best) = plans.first() else {
        return Ok(PlannedView::default());
    };
    Ok(PlannedView {
        types: best.sizes(&loaded.script).collect(),
        basis: basis(loaded, number, best),
        all,
    })
}

/// Every datatype in the part of the script that some expressions reach.
pub fn types_of(loaded: &Loaded, roots: &[&Expr]) -> Vec<TypeInfo> {
    let (script, types) = (&loaded.script, &loaded.types);
    in_words(loaded, symmetric::listed_types(script, types, roots))
}

/// The first expression that distinguishes values, for each datatype that the roots use and that has no two
/// interchangeable values.
pub(crate) fn distinguishing_places(loaded: &Loaded, roots: &[&Expr]) -> Vec<String> {
    let all = types_of(loaded, roots).into_iter();
    let apart = all.filter(|t| t.is_met && t.members.len() < 2);
    let first = apart.filter_map(|t| Some((t.name, t.excluded.into_iter().next()?)));
    let said = first.map(|(name, (value, why))| {
        format!("no two values of `{name}` are interchangeable: {value} is {why}")
    });
    said.collect()
}

/// Every datatype, with the symmetry that the script as a whole leaves it.
pub fn types_of_script(loaded: &Loaded) -> Vec<TypeInfo> {
    let (script, types) = (&loaded.script, &loaded.types);
    in_words(
        loaded,
        symmetric::whole_script(script, types, Trust::Events),
    )
}

fn in_words(loaded: &Loaded, types: Vec<SymmetricType>) -> Vec<TypeInfo> {
    let script = &loaded.script;
    let info = |t: SymmetricType| {
        // One line a value: the first place, and the number of others.
        let line = |ctor: CtorId| {
            let mut reasons = t.reasons(ctor);
            let first = reasons.next()?;
            let place = format!("{} at {}", first.why, loaded.sources.place(first.span));
            let place = match reasons.count() {
                0 => place,
                more => format!("{place} (and {more} more)"),
            };
            Some((ctor_name(script, ctor), place))
        };
        TypeInfo {
            name: type_name(script, &t).to_string(),
            members: t.members.iter().map(|c| ctor_name(script, *c)).collect(),
            excluded: t.excluded().filter_map(line).collect(),
            is_met: t.is_reached,
        }
    };
    types.into_iter().map(info).collect()
}

fn ctor_name(script: &Script, ctor: CtorId) -> String {
    script.ctors[ctor.0 as usize].name.to_string()
}
