//! The symmetric types of a script (Sec. 4): for each datatype, the largest set of its atomic
//! constructors in which processes are constant-free (Def. 23), and why the others are not in it.

use std::rc::Rc;

use super::core::{
    Assertion, AssertionKind, Builtin, ChannelId, CtorId, Expr, GlobalId, Script, SymmetrySpec,
    TypeId,
};
use super::reach::{self, Node};
use super::types::{Involved, Types};
use super::visit::{self, Mention, Visit};
use crate::source::hash::{IndexMap, IndexSet};
use crate::source::{Diagnostic, Span};

/// Which uses of the built-ins of Def. 23.2 are taken to be harmless.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Trust {
    /// None: sound, and what Def. 23 says.
    #[default]
    Nothing,
    /// Those that see values of a datatype in events only, as in `seq({|c|})`. FDR4 trusts them:
    /// scripts use them to list renamings, where the order does not matter. Whoever permutes
    /// afterwards must check that the permutation maps the system to itself (Def. 29).
    Events,
}

/// A datatype with the constructors that may be permuted (a distinguished subtype, Sec. 4).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SymmetricType {
    /// The distinguished supertype.
    pub datatype: TypeId,
    /// The atomic constructors that may be permuted, in order of declaration.
    pub members: Vec<CtorId>,
    /// Atomic constructors that may not, with each place and the reason there.
    pub excluded: Vec<(CtorId, Span, String)>,
    /// For each of these places: the declarations that lead to it from where the search began,
    /// outermost first. Those after the first are mentioned at the place that stands beside them, in
    /// the one before.
    pub via: IndexMap<Span, Vec<(Rc<str>, Span)>>,
}

impl SymmetricType {
    /// Whether there is anything to permute.
    #[must_use]
    pub fn is_usable(&self) -> bool {
        self.members.len() >= 2
    }

    /// `T`, or `diff(T, {|C|})` with the constructors left out.
    #[must_use]
    pub fn show(&self, script: &Script) -> String {
        let name = &script.types[self.datatype.0 as usize].name;
        let out: IndexSet<CtorId> = self.excluded.iter().map(|(c, ..)| *c).collect();
        if out.is_empty() {
            return name.to_string();
        }
        let names: Vec<&str> = out
            .iter()
            .map(|c| &*script.ctors[c.0 as usize].name)
            .collect();
        format!("diff({name}, {{|{}|}})", names.join(", "))
    }
}

/// The largest symmetric types of some expressions, such as the two sides of an assertion: Def. 23
/// for the part of the script that they reach. Every datatype with two or more atomic constructors
/// is in the answer, usable or not.
#[must_use]
pub fn symmetric_types(
    script: &Script,
    types: &Types,
    roots: &[&Expr],
    trust: Trust,
) -> Vec<SymmetricType> {
    let mut scan = Scan::new(script, types, trust);
    for root in roots {
        visit::expr(root, &mut scan);
    }
    scan.finish()
}

/// The largest symmetric types of one assertion.
#[must_use]
pub fn of_assertion(
    script: &Script,
    types: &Types,
    assertion: &Assertion,
    trust: Trust,
) -> Vec<SymmetricType> {
    symmetric_types(script, types, &roots(assertion), trust)
}

/// The largest symmetric types of the script as a whole.
#[must_use]
pub fn whole_script(script: &Script, types: &Types, trust: Trust) -> Vec<SymmetricType> {
    let mut scan = Scan::new(script, types, trust);
    for root in script.assertions.iter().flat_map(roots) {
        visit::expr(root, &mut scan);
    }
    // What assertions reach is explained from there.
    scan.close();
    for i in 0..script.globals.len() {
        scan.todo
            .entry(Node::Global(GlobalId(i as u32)))
            .or_insert(None);
    }
    for i in 0..script.channels.len() {
        scan.todo
            .entry(Node::Channel(ChannelId(i as u32)))
            .or_insert(None);
    }
    for i in 0..script.types.len() {
        scan.todo
            .entry(Node::Type(TypeId(i as u32)))
            .or_insert(None);
    }
    scan.finish()
}

/// The expressions that an assertion is about.
#[must_use]
pub fn roots(assertion: &Assertion) -> Vec<&Expr> {
    let mut out = match &assertion.kind {
        AssertionKind::Refinement { spec, imp, .. } => vec![spec, imp],
        AssertionKind::Property { process, .. } | AssertionKind::Symmetric { process, .. } => {
            vec![process]
        }
        AssertionKind::HasTrace { process, trace, .. } => vec![process, trace],
    };
    out.extend(&assertion.tau_priority);
    out
}

/// The symmetric types asked for by name.
///
/// # Errors
/// One diagnostic for each type that the expressions are not constant-free for (Def. 23), at the
/// first constant.
pub fn explicit(
    script: &Script,
    types: &Types,
    specs: &[SymmetrySpec],
    roots: &[&Expr],
    trust: Trust,
) -> Result<Vec<SymmetricType>, Vec<Diagnostic>> {
    let mut scan = Scan::new(script, types, trust);
    for root in roots {
        visit::expr(root, &mut scan);
    }
    scan.close();
    scan.requested(specs, atomic)
}

/// Whether a `:[symmetric]` assertion holds: the expression, of any type, is symmetric in all values
/// of the types named. That takes in values with fields, and what stands in messages of `error`
/// too: what is asked is what Def. 23 says of the text. Uses that see events only are trusted, as in
/// FDR4 ([`Trust::Events`]).
///
/// # Errors
/// As [`explicit`].
pub fn decide(
    script: &Script,
    types: &Types,
    process: &Expr,
    specs: &[SymmetrySpec],
) -> Result<(), Vec<Diagnostic>> {
    let mut scan = Scan::new(script, types, Trust::Events);
    scan.skips_errors = false;
    visit::expr(process, &mut scan);
    scan.close();
    scan.requested(specs, constructors).map(|_| ())
}

/// At most this many places are shown in one message.
const PLACES_MAX: usize = 5;

fn not_constant_free(
    script: &Script,
    spec: &SymmetrySpec,
    found: &SymmetricType,
    places: &[&(CtorId, Span, String)],
) -> Diagnostic {
    let name = &script.types[spec.datatype.0 as usize].name;
    let message = format!("this is not symmetric in `{name}` as requested");
    let span = places.first().map_or(spec.span, |p| p.1);
    let why =
        |p: &(CtorId, Span, String)| format!("`{}` is {}", script.ctors[p.0.0 as usize].name, p.2);
    let mut diagnostic = Diagnostic::error("E0501", span, message);
    if let Some(first) = places.first() {
        diagnostic = diagnostic.label(why(first));
    }
    let mut shown: IndexSet<Span> = IndexSet::default();
    shown.insert(span);
    for place in places {
        if shown.len() < PLACES_MAX && shown.insert(place.1) {
            diagnostic = diagnostic.also(place.1, why(place));
        }
    }
    diagnostic = diagnostic.also(spec.span, "requested here");
    if found.is_usable() {
        diagnostic.note(format!("it is symmetric in {}", found.show(script)))
    } else {
        diagnostic.note(format!("it is not symmetric in any part of `{name}`"))
    }
}

/// The constructors of a datatype.
fn constructors(script: &Script, datatype: TypeId) -> Vec<CtorId> {
    let clauses = &script.types[datatype.0 as usize].clauses;
    clauses.iter().map(|(c, _)| *c).collect()
}

/// The field-less constructors of a datatype.
fn atomic(script: &Script, datatype: TypeId) -> Vec<CtorId> {
    let mut ctors = constructors(script, datatype);
    ctors.retain(|c| !script.ctors[c.0 as usize].has_fields);
    ctors
}

/// What was found so far.
struct Scan<'a> {
    script: &'a Script,
    types: &'a Types,
    trust: Trust,
    /// Whether what `error` says is left out: evaluation ends there.
    skips_errors: bool,
    /// Everything reached, with the declaration and the place that first mentioned it; those before
    /// `done` were looked into.
    todo: IndexMap<Node, Option<(Node, Span)>>,
    done: usize,
    /// What is being looked into.
    current: Option<Node>,
    /// The declaration that each place stands in.
    within: IndexMap<Span, Option<Node>>,
    /// Places that name a constructor.
    named: IndexMap<CtorId, IndexMap<Span, String>>,
    /// Places that can tell the values of a datatype apart (Def. 23.2).
    told_apart: IndexMap<TypeId, IndexMap<Span, String>>,
}

impl Visit for Scan<'_> {
    fn mention(&mut self, mention: Mention, span: Span) {
        match mention {
            Mention::Global(g) => self.reach(Node::Global(g), span),
            Mention::Type(t) => self.reach(Node::Type(t), span),
            Mention::Channel(c) | Mention::ChannelPattern(c) => {
                self.reach(Node::Channel(c), span);
            }
            Mention::Ctor(c) => self.names(c, span, "named here"),
            Mention::CtorPattern(c) => self.names(c, span, "in a pattern here"),
            // All channels are in it.
            Mention::Builtin(Builtin::Events) => {
                for c in 0..self.script.channels.len() as u32 {
                    self.reach(Node::Channel(ChannelId(c)), span);
                }
            }
            Mention::Builtin(_) | Mention::Local(_) | Mention::Binder(_) => {}
        }
        self.sensitive(span);
    }

    fn enters(&self, e: &Expr) -> bool {
        !self.skips_errors || !reach::is_error(e)
    }
}

impl<'a> Scan<'a> {
    fn new(script: &'a Script, types: &'a Types, trust: Trust) -> Self {
        Self {
            script,
            types,
            trust,
            skips_errors: true,
            todo: IndexMap::default(),
            done: 0,
            current: None,
            within: IndexMap::default(),
            named: IndexMap::default(),
            told_apart: IndexMap::default(),
        }
    }

    fn reach(&mut self, node: Node, span: Span) {
        let from = self.current.map(|current| (current, span));
        self.todo.entry(node).or_insert(from);
    }

    /// The declarations that lead to one, outermost first, each with the place in the one before that
    /// mentions it (the first with its own).
    fn chain(&self, node: Node) -> Vec<(Rc<str>, Span)> {
        let mut chain = Vec::new();
        let mut next = Some(node);
        // The way back visits declarations in the order in which they were reached: it ends.
        while let Some(node) = next {
            let (name, own) = self.declared(node);
            let from = self.todo.get(&node).copied().flatten();
            chain.push((name, from.map_or(own, |(_, span)| span)));
            next = from.map(|(before, _)| before);
        }
        chain.reverse();
        chain
    }

    fn declared(&self, node: Node) -> (Rc<str>, Span) {
        let script = self.script;
        match node {
            Node::Global(g) => {
                let global = &script.globals[g.0 as usize];
                (Rc::clone(&global.name), global.span)
            }
            Node::Channel(c) => {
                let channel = &script.channels[c.0 as usize];
                (Rc::clone(&channel.name), channel.span)
            }
            Node::Type(t) => {
                let datatype = &script.types[t.0 as usize];
                (Rc::clone(&datatype.name), datatype.span)
            }
        }
    }

    fn names(&mut self, c: CtorId, span: Span, why: &str) {
        self.reach(Node::Type(self.script.ctors[c.0 as usize].owner), span);
        self.within.entry(span).or_insert(self.current);
        let places = self.named.entry(c).or_default();
        places.entry(span).or_insert_with(|| why.to_owned());
    }

    /// Def. 23.2 at a place.
    fn sensitive(&mut self, span: Span) {
        let types = self.types;
        for used in types.sensitive(span) {
            let seen: Vec<TypeId> = match &used.involved {
                Involved::Types { datatypes, events } if !events || self.trust == Trust::Events => {
                    datatypes.clone()
                }
                Involved::Types { .. } | Involved::Unknown => {
                    let all = 0..self.script.types.len() as u32;
                    all.map(TypeId).collect()
                }
            };
            let name = used.builtin.name();
            self.within.entry(span).or_insert(self.current);
            for t in seen {
                let places = self.told_apart.entry(t).or_default();
                let why = format!("used by `{name}` here");
                places.entry(span).or_insert(why);
                if used.origin != span {
                    let why = format!("seen by `{name}` here");
                    places.entry(used.origin).or_insert(why);
                }
            }
        }
    }

    /// Looks into everything reached.
    fn close(&mut self) {
        while let Some((node, _)) = self.todo.get_index(self.done).map(|(n, f)| (*n, *f)) {
            self.done += 1;
            self.current = Some(node);
            let script = self.script;
            if let Node::Global(g) = node {
                // What is in an instance of a module is what its arguments make of it, as in FDR4.
                for p in script.globals[g.0 as usize].params.iter() {
                    self.reach(Node::Global(*p), script.globals[p.0 as usize].span);
                }
            }
            match node {
                Node::Type(t) => self.datatype(t),
                _ => reach::inside(script, node, self),
            }
        }
        self.current = None;
    }

    /// The definition of a datatype is the one place that may name its constructors; a subtype
    /// names them.
    fn datatype(&mut self, t: TypeId) {
        let script = self.script;
        let datatype = &script.types[t.0 as usize];
        for (ctor, fields) in &datatype.clauses {
            if datatype.subtype_of.is_some() {
                let why = format!("named by the subtype `{}`", datatype.name);
                self.names(*ctor, datatype.span, &why);
            }
            if let Some(fields) = fields {
                visit::expr(fields, self);
            }
        }
    }

    fn finish(mut self) -> Vec<SymmetricType> {
        self.close();
        let script = self.script;
        let all = (0..script.types.len() as u32).map(TypeId);
        all.filter(|t| script.types[t.0 as usize].subtype_of.is_none())
            .map(|t| (t, atomic(script, t)))
            .filter(|(_, ctors)| ctors.len() >= 2)
            .map(|(t, ctors)| self.symmetric(t, ctors))
            .collect()
    }

    /// The types asked for, of which `all` gives the constructors that matter.
    fn requested(
        &self,
        specs: &[SymmetrySpec],
        all: fn(&Script, TypeId) -> Vec<CtorId>,
    ) -> Result<Vec<SymmetricType>, Vec<Diagnostic>> {
        let script = self.script;
        let (mut good, mut bad) = (Vec::new(), Vec::new());
        for spec in specs {
            let datatype = &script.types[spec.datatype.0 as usize];
            if let Some(owner) = datatype.subtype_of {
                let owner = &script.types[owner.0 as usize].name;
                let message = format!("`{}` is a subtype", datatype.name);
                let note = format!("ask for a part of the datatype: diff({owner}, {{|…|}})");
                bad.push(Diagnostic::error("E0502", spec.span, message).note(note));
                continue;
            }
            let mut wanted = all(script, spec.datatype);
            let found = self.symmetric(spec.datatype, wanted.clone());
            wanted.retain(|c| !spec.fixed.contains(c));
            let places: Vec<&(CtorId, Span, String)> = found
                .excluded
                .iter()
                .filter(|(c, ..)| wanted.contains(c))
                .collect();
            if !places.is_empty() {
                bad.push(not_constant_free(script, spec, &found, &places));
                continue;
            }
            let fixed = spec.fixed.iter().map(|c| {
                let place = spec.span;
                (*c, place, "kept fixed here".to_owned())
            });
            good.push(SymmetricType {
                datatype: spec.datatype,
                members: wanted,
                excluded: fixed.collect(),
                via: IndexMap::default(),
            });
        }
        if bad.is_empty() { Ok(good) } else { Err(bad) }
    }

    /// The largest part of some constructors of a type.
    fn symmetric(&self, t: TypeId, ctors: Vec<CtorId>) -> SymmetricType {
        let mut members = Vec::new();
        let mut excluded: Vec<(CtorId, Span, String)> = Vec::new();
        for ctor in ctors {
            let before = excluded.len();
            let named = self.named.get(&ctor).into_iter().flatten();
            let told = self.told_apart.get(&t).into_iter().flatten();
            for (span, why) in named.chain(told) {
                excluded.push((ctor, *span, why.clone()));
            }
            if excluded.len() == before {
                members.push(ctor);
            }
        }
        let mut via: IndexMap<Span, Vec<(Rc<str>, Span)>> = IndexMap::default();
        for (_, span, _) in &excluded {
            if let Some(within) = self.within.get(span).copied().flatten() {
                via.entry(*span).or_insert_with(|| self.chain(within));
            }
        }
        SymmetricType {
            datatype: t,
            members,
            excluded,
            via,
        }
    }
}
