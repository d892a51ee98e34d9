//! Names that hide others: definitions that hide built-ins, and variables in patterns where something
//! else is meant.

use super::facts::Facts;
use crate::script::core::{Builtin, GlobalId, GlobalKind, Script};
use crate::script::resolve::is_always_there;
use crate::script::types::Types;
use crate::source::hash::Map;
use crate::source::{Diagnostic, Span};

/// Scripts for older tools define these themselves, and mean the same.
const NOT_ALWAYS_BUILT_IN: [Builtin; 2] = [Builtin::Div, Builtin::Run];

/// Adds the warnings.
pub(super) fn find(script: &Script, types: &Types, facts: &Facts, out: &mut Vec<Diagnostic>) {
    for global in &script.globals {
        let known = Builtin::ALL.iter().find(|b| b.name() == &*global.name);
        if known.is_some_and(|b| is_always_there(*b) && !NOT_ALWAYS_BUILT_IN.contains(b)) {
            out.push(hides(&global.name, global.span));
        }
    }
    let by_name: Map<&str, usize> = (script.globals.iter().enumerate())
        .map(|(i, global)| (&*global.name, i))
        .collect();
    for (local, span) in &facts.binders {
        if facts.locals.contains(local) || facts.lets.contains_key(local) {
            continue;
        }
        let name = &script.locals[local.0 as usize];
        let hidden = by_name.get(&**name).copied();
        let constant = hidden.and_then(|hidden| constant(script, types, hidden, *span));
        out.extend(constant.or_else(|| misspelt(script, name, *span)));
    }
}

fn hides(name: &str, span: Span) -> Diagnostic {
    let message = format!("this `{name}` hides the built-in one");
    Diagnostic::warning("W0102", span, message)
        .label("this is meant in the whole script")
        .note("choose another name if the built-in is needed too")
}

/// `f(limit) = …` beside `limit = 3`: a new variable, and not used.
fn constant(script: &Script, types: &Types, hidden: usize, span: Span) -> Option<Diagnostic> {
    let global = &script.globals[hidden];
    let name = &global.name;
    let shown = types.show(GlobalId(hidden as u32));
    let is_data = shown.chars().all(char::is_alphanumeric) && shown != "Proc";
    if !is_data || !matches!(global.kind, GlobalKind::Value(_)) {
        return None;
    }
    let message = format!("`{name}` is a new variable here and matches everything");
    Some(
        Diagnostic::warning("W0103", span, message)
            .label("not the constant of this name")
            .also(global.span, "which is defined here")
            .note("patterns match literals, constructors and channels; compare with `==`"),
    )
}

/// `f(Rde) = …` beside `datatype T = Red | …`.
fn misspelt(script: &Script, name: &str, span: Span) -> Option<Diagnostic> {
    if name.len() < 3 {
        return None;
    }
    let near = script.ctors.iter().find(|c| is_slip(name, &c.name))?;
    let message = format!("`{name}` is a new variable here and matches everything");
    Some(
        Diagnostic::warning("W0103", span, message)
            .did_you_mean_here(&near.name)
            .also(near.span, "the constructor is declared here"),
    )
}

/// Whether the one word becomes the other by one change of a letter, or by a change of case.
fn is_slip(a: &str, b: &str) -> bool {
    if a.eq_ignore_ascii_case(b) {
        return true;
    }
    let starts = a.bytes().zip(b.bytes()).take_while(|(x, y)| x == y).count();
    let (a, b) = (&a.as_bytes()[starts..], &b.as_bytes()[starts..]);
    // Digits number things: `N1` is not meant as `N2`.
    let changed = [a.first(), b.first()];
    if changed.iter().flatten().any(|c| c.is_ascii_digit()) || starts == 0 {
        return false;
    }
    let swapped = a.len() == b.len() && a.len() > 1 && a[0] == b[1] && a[1] == b[0];
    swapped && a[2..] == b[2..]
        || !a.is_empty() && !b.is_empty() && a[1..] == b[1..]
        || !a.is_empty() && a[1..] == *b
        || !b.is_empty() && *a == b[1..]
}

#[cfg(test)]
mod tests {
    use super::is_slip;

    #[test]
    fn one_change_is_a_slip() {
        for near in ["Rde", "red", "Redd", "Rd", "Ree"] {
            assert!(is_slip(near, "Red"), "{near}");
        }
        for far in ["Green", "Bed", "Red1", "x", ""] {
            assert!(!is_slip(far, "Red"), "{far}");
        }
    }
}
