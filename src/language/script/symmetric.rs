//! The symmetric types of a script (Sec. 4): for each datatype, the largest set of its atomic
//! constructors in which processes are constant-free (Def. 23), and why the others are not in it.

use std::rc::Rc;

use super::core::{
    Assertion, Builtin, ChannelId, CtorId, Expr, GlobalId, Script, SymmetrySpec, TypeId,
};
use super::reach::{self, TopLevel};
use super::reached::{ReachTree, Reached};
use super::types::{SeenTypes, Types};
use super::visit::{self, Mention, Visit};
use crate::source::hash::{IndexMap, IndexSet};
use crate::source::{Diagnostic, Span};

/// The uses of the built-ins of Def. 23.2 that are trusted to be harmless.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Trust {
    /// None: sound, and what Def. 23 says.
    #[default]
    Nothing,
    /// Uses that see values of a datatype in events only, as in `seq({|c|})`. FDR4 trusts them: scripts use them to
    /// list renamings, where the order does not matter. Under trust it must be checked that permutations map the
    /// system to itself (Def. 29).
    Events,
}

/// A place that distinguishes values, and the reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reason {
    /// The name or the built-in that does it.
    pub span: Span,
    /// As in "`C` is …".
    pub why: Rc<str>,
}

/// A datatype with the constructors that may be permuted (a distinguished subtype, Sec. 4).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SymmetricType {
    /// The distinguished supertype.
    pub datatype: TypeId,
    /// The atomic constructors that may be permuted, in order of declaration.
    pub members: Vec<CtorId>,
    /// Atomic constructors that may not, in order of declaration, each with the places that name it.
    excluded: IndexMap<CtorId, Vec<Reason>>,
    /// Places that tell all values of the datatype apart (Def. 23.2), so that none is a member. They
    /// are listed once and not once a value: a script may have thousands of both.
    told_apart: Vec<Reason>,
    /// Whether the expressions reach the datatype: its name, a value of it, or a channel that carries it.
    pub is_reached: bool,
    /// For each of these places: the declarations that lead to it from where the search began,
    /// outermost first. Those after the first are mentioned at the place that stands beside them, in
    /// the one before. Of a long way, both ends, and how many are
    /// left out between them.
    pub via: IndexMap<Span, Vec<(Rc<str>, Span)>>,
}

impl SymmetricType {
    /// A type whose members are assumed to be symmetric, without a look at the script.
    #[must_use]
    pub fn believed(datatype: TypeId, members: Vec<CtorId>) -> Self {
        Self {
            datatype,
            members,
            excluded: IndexMap::default(),
            told_apart: Vec::new(),
            is_reached: true,
            via: IndexMap::default(),
        }
    }

    /// The atomic constructors that may not be permuted, in order of declaration.
    pub fn excluded(&self) -> impl Iterator<Item = CtorId> + '_ {
        self.excluded.keys().copied()
    }

    /// Every place that keeps a constructor from being a member: those that name it come first. To
    /// count them takes no time, however many there are.
    pub fn reasons(&self, excluded: CtorId) -> impl Iterator<Item = &Reason> {
        let named = self.excluded.get(&excluded).map_or(&[][..], Vec::as_slice);
        named.iter().chain(&self.told_apart)
    }

    /// The places that name a constructor, each with it.
    pub fn named(&self) -> impl Iterator<Item = (CtorId, &Reason)> {
        let each = self.excluded.iter();
        each.flat_map(|(ctor, places)| places.iter().map(|place| (*ctor, place)))
    }

    /// The places that tell all values apart.
    #[must_use]
    pub fn told_apart(&self) -> &[Reason] {
        &self.told_apart
    }

    /// Whether there is anything to permute.
    #[must_use]
    pub fn is_usable(&self) -> bool {
        self.members.len() >= 2
    }

    /// `T`, or `diff(T, {|C|})` with the constructors left out.
    #[must_use]
    pub fn show(&self, script: &Script) -> String {
        let name = &script.types[self.datatype.0 as usize].name;
        if self.excluded.is_empty() {
            return name.to_string();
        }
        let names: Vec<&str> = self
            .excluded()
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
    let mut scan = ConstantScan::new(script, types, trust);
    for root in roots {
        visit::expr(root, &mut scan);
    }
    scan.finish(2)
}

/// The same with datatypes of a single atomic constructor, which cannot reduce anything: for reports.
#[must_use]
pub fn listed_types(script: &Script, types: &Types, roots: &[&Expr]) -> Vec<SymmetricType> {
    let mut scan = ConstantScan::new(script, types, Trust::Events);
    for root in roots {
        visit::expr(root, &mut scan);
    }
    scan.finish(1)
}

/// The largest symmetric types of one assertion.
#[must_use]
pub fn of_assertion(
    script: &Script,
    types: &Types,
    assertion: &Assertion,
    trust: Trust,
) -> Vec<SymmetricType> {
    symmetric_types(script, types, &assertion.roots(), trust)
}

/// The largest symmetric types of the script as a whole.
#[must_use]
pub fn whole_script(script: &Script, types: &Types, trust: Trust) -> Vec<SymmetricType> {
    let mut scan = ConstantScan::new(script, types, trust);
    for root in script.assertions.iter().flat_map(Assertion::roots) {
        visit::expr(root, &mut scan);
    }
    // What assertions reach is explained from there.
    scan.close();
    for i in 0..script.globals.len() {
        scan.reached.add(TopLevel::Global(GlobalId(i as u32)), None);
    }
    for i in 0..script.channels.len() {
        scan.reached
            .add(TopLevel::Channel(ChannelId(i as u32)), None);
    }
    for i in 0..script.types.len() {
        scan.reached.add(TopLevel::Type(TypeId(i as u32)), None);
    }
    scan.finish(2)
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
    let mut scan = ConstantScan::new(script, types, trust);
    for root in roots {
        visit::expr(root, &mut scan);
    }
    // Def. 23 is about everything that the expressions reach, through any number of definitions.
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
    let mut scan = ConstantScan::new(script, types, Trust::Events);
    scan.skips_errors = false;
    visit::expr(process, &mut scan);
    scan.close();
    scan.requested(specs, constructors).map(|_| ())
}

/// At most this many places are shown in one message.
const PLACES_MAX: usize = 5;

/// `places` yields all obstacles, and is consumed only as needed.
fn not_constant_free<'p>(
    script: &Script,
    spec: &SymmetrySpec,
    found: &SymmetricType,
    first: (CtorId, &'p Reason),
    places: impl Iterator<Item = (CtorId, &'p Reason)>,
) -> Diagnostic {
    let name = &script.types[spec.datatype.0 as usize].name;
    let message = format!("this is not symmetric in `{name}` as requested");
    let span = first.1.span;
    let why = |(ctor, reason): (CtorId, &Reason)| {
        format!("`{}` is {}", script.ctors[ctor.0 as usize].name, reason.why)
    };
    let mut diagnostic = Diagnostic::error("E0501", span, message).label(why(first));
    let mut shown: IndexSet<Span> = IndexSet::default();
    shown.insert(span);
    for place in places {
        if shown.len() >= PLACES_MAX {
            break;
        }
        if shown.insert(place.1.span) {
            diagnostic = diagnostic.also(place.1.span, why(place));
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
pub(super) fn atomic(script: &Script, datatype: TypeId) -> Vec<CtorId> {
    let mut ctors = constructors(script, datatype);
    ctors.retain(|c| !script.ctors[c.0 as usize].has_fields);
    ctors
}

/// Places, each with what happens to values there: what was found first counts.
type Places = IndexMap<Span, Rc<str>>;

/// The state of the search for constants.
struct ConstantScan<'a> {
    script: &'a Script,
    types: &'a Types,
    trust: Trust,
    /// Whether what `error` says is left out: evaluation ends there.
    skips_errors: bool,
    reached: Reached,
    /// The declaration that is being examined.
    current: Option<TopLevel>,
    /// The declaration that each place stands in.
    within: IndexMap<Span, Option<TopLevel>>,
    /// Places that name a constructor.
    named: IndexMap<CtorId, Places>,
    /// Places that can tell the values of a datatype apart (Def. 23.2).
    told_apart: IndexMap<TypeId, Places>,
}

impl Visit for ConstantScan<'_> {
    fn mention(&mut self, mention: Mention, span: Span) {
        match mention {
            Mention::Global(g) => self.reach(TopLevel::Global(g), span),
            Mention::Type(t) => self.reach(TopLevel::Type(t), span),
            Mention::Channel(c) | Mention::ChannelPattern(c) => {
                self.reach(TopLevel::Channel(c), span);
            }
            Mention::Ctor(c) => self.names(c, span, "named here"),
            Mention::CtorPattern(c) => self.names(c, span, "in a pattern here"),
            // All channels are in it.
            Mention::Builtin(Builtin::Events) => {
                for c in 0..self.script.channels.len() as u32 {
                    self.reach(TopLevel::Channel(ChannelId(c)), span);
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

impl<'a> ConstantScan<'a> {
    fn new(script: &'a Script, types: &'a Types, trust: Trust) -> Self {
        Self {
            script,
            types,
            trust,
            skips_errors: true,
            reached: Reached::default(),
            current: None,
            within: IndexMap::default(),
            named: IndexMap::default(),
            told_apart: IndexMap::default(),
        }
    }

    fn reach(&mut self, node: TopLevel, span: Span) {
        let from = self.current.map(|current| (current, span));
        self.reached.add(node, from);
    }

    fn names(&mut self, c: CtorId, span: Span, why: &str) {
        self.reach(TopLevel::Type(self.script.ctors[c.0 as usize].owner), span);
        self.within.entry(span).or_insert(self.current);
        let places = self.named.entry(c).or_default();
        places.entry(span).or_insert_with(|| why.into());
    }

    /// Def. 23.2 at a place.
    fn sensitive(&mut self, span: Span) {
        // What a place sees depends on the types there, which inference has found.
        let types = self.types;
        for used in types.sensitive(span) {
            let seen: Vec<TypeId> = match &used.involved {
                SeenTypes::Types { datatypes, events }
                    if !events || self.trust == Trust::Events =>
                {
                    datatypes.clone()
                }
                SeenTypes::Types { .. } | SeenTypes::Unknown => {
                    let all = 0..self.script.types.len() as u32;
                    all.map(TypeId).collect()
                }
            };
            let name = used.builtin.name();
            self.within.entry(span).or_insert(self.current);
            for t in seen {
                let places = self.told_apart.entry(t).or_default();
                let why = || format!("used by `{name}` here").into();
                places.entry(span).or_insert_with(why);
                // Through a definition: the built-in itself is shown, too.
                if used.origin != span {
                    let why = || format!("seen by `{name}` here").into();
                    places.entry(used.origin).or_insert_with(why);
                }
            }
        }
    }

    /// Looks into everything reached.
    fn close(&mut self) {
        while let Some(node) = self.reached.next_open() {
            self.current = Some(node);
            let script = self.script;
            if let TopLevel::Global(g) = node {
                // What is in an instance of a module is what its arguments make of it, as in FDR4.
                for p in script.globals[g.0 as usize].params.iter() {
                    self.reach(TopLevel::Global(*p), script.globals[p.0 as usize].span);
                }
            }
            match node {
                TopLevel::Type(t) => self.datatype(t),
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

    /// The datatypes with at least so many atomic constructors.
    fn finish(mut self, least: usize) -> Vec<SymmetricType> {
        self.close();
        let script = self.script;
        let ways = self.reached.ways(self.script);
        let all = (0..script.types.len() as u32).map(TypeId);
        all.filter(|t| script.types[t.0 as usize].subtype_of.is_none())
            .map(|t| (t, atomic(script, t)))
            .filter(|(_, ctors)| ctors.len() >= least)
            .map(|(t, ctors)| self.symmetric(t, &ctors, &ways))
            .collect()
    }

    /// The types asked for, of which `all` gives the constructors that matter.
    fn requested(
        &self,
        specs: &[SymmetrySpec],
        all: fn(&Script, TypeId) -> Vec<CtorId>,
    ) -> Result<Vec<SymmetricType>, Vec<Diagnostic>> {
        let script = self.script;
        let ways = self.reached.ways(self.script);
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
            let ctors = all(script, spec.datatype);
            let found = self.symmetric(spec.datatype, &ctors, &ways);
            // What is kept fixed may be named anywhere.
            let fixed: IndexSet<CtorId> = spec.fixed.iter().copied().collect();
            let wanted: IndexSet<CtorId> = ctors
                .into_iter()
                .filter(|ctor| !fixed.contains(ctor))
                .collect();
            let in_the_way = || {
                let excluded = found.excluded().filter(|ctor| wanted.contains(ctor));
                excluded.flat_map(|ctor| found.reasons(ctor).map(move |reason| (ctor, reason)))
            };
            if let Some(first) = in_the_way().next() {
                bad.push(not_constant_free(script, spec, &found, first, in_the_way()));
                continue;
            }
            let mut asked = SymmetricType::believed(spec.datatype, wanted.into_iter().collect());
            asked.is_reached = found.is_reached;
            let why: Rc<str> = "kept fixed here".into();
            asked.excluded = fixed
                .into_iter()
                .map(|ctor| {
                    let (span, why) = (spec.span, Rc::clone(&why));
                    (ctor, vec![Reason { span, why }])
                })
                .collect();
            good.push(asked);
        }
        if bad.is_empty() { Ok(good) } else { Err(bad) }
    }

    /// The largest part of some constructors of a type.
    fn symmetric(&self, t: TypeId, ctors: &[CtorId], ways: &ReachTree<'_>) -> SymmetricType {
        let reasons = |places: Option<&Places>| -> Vec<Reason> {
            let all = places.into_iter().flatten();
            all.map(|(span, why)| Reason {
                span: *span,
                why: Rc::clone(why),
            })
            .collect()
        };
        let mut found = SymmetricType::believed(t, Vec::new());
        found.told_apart = reasons(self.told_apart.get(&t));
        found.is_reached = self.reached.contains(TopLevel::Type(t));
        for ctor in ctors {
            let named = reasons(self.named.get(ctor));
            // Def. 23.1: no place names the constructor. Def. 23.2: none tells the values of its
            // type apart.
            if named.is_empty() && found.told_apart.is_empty() {
                found.members.push(*ctor);
            } else {
                found.excluded.insert(*ctor, named);
            }
        }
        let mut via: IndexMap<Span, Vec<(Rc<str>, Span)>> = IndexMap::default();
        let named = found.named().map(|(_, place)| place);
        for Reason { span, .. } in named.chain(&found.told_apart) {
            if let Some(within) = self.within.get(span).copied().flatten() {
                via.entry(*span).or_insert_with(|| ways.to(within));
            }
        }
        found.via = via;
        found
    }
}
