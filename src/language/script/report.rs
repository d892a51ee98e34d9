//! A report on a sound script: the type of each name, and the places that break symmetry.

use super::core::{ChannelId, CtorId, GlobalId, Script};
use super::symmetric::{self, Reason, SymmetricType, Trust};
use super::types::Types;
use crate::source::Span;
use crate::source::hash::IndexMap;

/// A name of the top level with its type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypedName {
    /// As it is known everywhere.
    pub name: String,
    /// Its kind: `definition`, `channel` or `constructor`.
    pub kind: &'static str,
    /// Its type, as in a type annotation.
    pub shown: String,
    /// The place of its declaration.
    pub span: Span,
}

/// Every name of the top level, in the order of the text.
#[must_use]
pub fn typed(script: &Script, types: &Types) -> Vec<TypedName> {
    let entry = |kind, name: &str, shown, span| TypedName {
        name: name.to_owned(),
        kind,
        shown,
        span,
    };
    let written = script.globals.iter().enumerate().filter(|(_, g)| !g.made);
    let globals = written.map(|(i, g)| {
        let shown = types.show(GlobalId(i as u32));
        entry("definition", &g.name, shown, g.span)
    });
    let channels = script.channels.iter().enumerate().map(|(i, c)| {
        let shown = types.show_channel(ChannelId(i as u32));
        entry("channel", &c.name, shown, c.span)
    });
    let ctors = script.ctors.iter().enumerate().map(|(i, c)| {
        let shown = types.show_ctor(CtorId(i as u32));
        entry("constructor", &c.name, shown, c.span)
    });
    let mut all: Vec<TypedName> = globals.chain(channels).chain(ctors).collect();
    all.sort_by_key(|t| t.span);
    all
}

/// The symmetry of one datatype.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symmetry {
    /// Of the datatype.
    pub name: String,
    /// The largest symmetric part of it: `T`, or `diff(T, {|C|})`.
    pub shown: String,
    /// The constructors that may be permuted.
    pub members: Vec<String>,
    /// The number of constructors without fields.
    pub of: usize,
    /// Every place that tells values apart.
    pub breaks: Vec<Break>,
}

/// A place that tells some values of a datatype apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Break {
    /// The values concerned; empty if it is all of the type.
    pub values: Vec<String>,
    /// The reason.
    pub why: String,
    /// The name or the built-in that does it.
    pub span: Span,
    /// The declarations that lead there, outermost first, each with the place where the one before
    /// mentions it (the first with its own place).
    pub via: Vec<(String, Span)>,
}

/// The symmetry of every datatype with two or more constructors without fields, for the script as a
/// whole.
#[must_use]
pub fn whole(script: &Script, types: &Types) -> Vec<Symmetry> {
    symmetric::whole_script(script, types, Trust::Events)
        .iter()
        .map(|t| describe(script, t))
        .collect()
}

/// The same for one assertion.
#[must_use]
pub fn of_assertion(script: &Script, types: &Types, index: usize) -> Vec<Symmetry> {
    let Some(assertion) = script.assertions.get(index) else {
        return Vec::new();
    };
    symmetric::of_assertion(script, types, assertion, Trust::Events)
        .iter()
        .map(|t| describe(script, t))
        .collect()
}

fn describe(script: &Script, t: &SymmetricType) -> Symmetry {
    let name = |c: &CtorId| script.ctors[c.0 as usize].name.to_string();
    let datatype = &script.types[t.datatype.0 as usize];
    let atomic: Vec<CtorId> = datatype
        .clauses
        .iter()
        .map(|(c, _)| *c)
        .filter(|c| !script.ctors[c.0 as usize].has_fields)
        .collect();
    let via = |span: &Span| -> Vec<(String, Span)> {
        let chain = t.via.get(span).into_iter().flatten();
        chain.map(|(n, s)| (n.to_string(), *s)).collect()
    };
    let place = |reason: &Reason, values: Vec<String>| Break {
        values,
        why: reason.why.to_string(),
        span: reason.span,
        via: via(&reason.span),
    };
    // A subtype names many values at one place.
    let mut places: IndexMap<(Span, &str), (&Reason, Vec<CtorId>)> = IndexMap::default();
    for (ctor, reason) in t.named() {
        let at = places.entry((reason.span, &reason.why));
        at.or_insert_with(|| (reason, Vec::new())).1.push(ctor);
    }
    let named = places.into_values().map(|(reason, ctors)| {
        // A subtype may name all values: then it is said of the type.
        let all = ctors.len() == atomic.len();
        let ctors = if all { Vec::new() } else { ctors };
        place(reason, ctors.iter().map(name).collect())
    });
    let told_apart = t.told_apart().iter();
    let told_apart = told_apart.map(|reason| place(reason, Vec::new()));
    let mut breaks: Vec<Break> = named.chain(told_apart).collect();
    breaks.sort_by_key(|b| b.span);
    Symmetry {
        name: datatype.name.to_string(),
        shown: t.show(script),
        members: t.members.iter().map(name).collect(),
        of: atomic.len(),
        breaks,
    }
}
