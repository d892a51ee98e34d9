//! Datatypes, channels, nametypes and subtypes.

use super::constraint;
use super::declarations::DeclInference;
use super::terms::TermInference;
use super::ty::{Ty, TyKind, TypeVarId};
use crate::script::annotation::Annotated;
use crate::script::core::{ChannelId, CtorId, Expr};
use crate::source::stack::deep;
use crate::source::{Diagnostic, Span};

impl DeclInference<'_> {
    /// The element type of the set of an expression where types are declared: there, tuples and
    /// products of sets are sets too.
    pub fn declared_set(&mut self, e: &Expr) -> Ty {
        let t = self.terms.infer(e);
        let t = self.terms.types.evaluate(e.span, t);
        self.declared_element(t, e.span)
    }

    fn declared_element(&mut self, t: Ty, span: Span) -> Ty {
        deep(|| match self.terms.store().look(t) {
            // `(A, B)` in a declaration is the set of all pairs, so the sets are looked for inside.
            TyKind::Tuple(ts) => {
                let es: Vec<Ty> = ts.iter().map(|t| self.declared_element(*t, span)).collect();
                self.terms.store().tuple(es)
            }
            TyKind::Dots(_) => {
                let parts = self.terms.store().parts(t).into_iter();
                let es: Vec<Ty> = parts.map(|t| self.declared_element(t, span)).collect();
                self.terms.store().dots(&es)
            }
            _ => self.terms.types.element_of(t, span),
        })
    }

    /// `A=>B=>end` for the field sets `A.B`, which must support what is `wanted`.
    fn with_fields(&mut self, fields: Option<&Expr>, end: Ty, wanted: u8) -> Ty {
        let Some(e) = fields else { return end };
        let element = self.declared_set(e);
        let fields = self.terms.store().parts(element);
        // What is wrong already may be any number of fields.
        if fields.contains(&Ty::ANY) || !self.terms.types.require(e.span, element, wanted) {
            return Ty::ANY;
        }
        self.terms.store().dotable(&fields, end)
    }

    pub fn constructor(&mut self, ctor: CtorId) {
        let owner = self.terms.script.ctors[ctor.0 as usize].owner;
        let name = &self.terms.script.types[owner.0 as usize].name;
        let begun = self.terms.begin(format!("the datatype `{name}`"), None);
        self.constructor_here(ctor);
        self.terms.end(&begun);
    }

    fn constructor_here(&mut self, ctor: CtorId) {
        let declared = &self.terms.script.ctors[ctor.0 as usize];
        let end = self.terms.store().data(declared.owner);
        let fields = self.terms.script.fields(ctor);
        let t = self.with_fields(fields, end, constraint::COMPLETE);
        self.as_annotated(Annotated::Ctor(ctor), t, declared.span);
        let before = self.datatypes().ctor(ctor);
        // Declarations of the group that came first may have used it already.
        self.terms.types.agree(declared.span, t, before, None);
        self.datatypes().set_ctor(ctor, t);
    }

    pub fn channel(&mut self, channel: ChannelId) {
        let declared = &self.terms.script.channels[channel.0 as usize];
        let name = format!("the channel `{}`", declared.name);
        let begun = self.terms.begin(name, None);
        self.channel_here(channel);
        self.terms.end(&begun);
    }

    fn channel_here(&mut self, channel: ChannelId) {
        let declared = &self.terms.script.channels[channel.0 as usize];
        // Channels carry what must not be compared elsewhere.
        let wanted = match self.datatypes().forbids() {
            true => constraint::COMPLETE,
            false => constraint::COMPLETE | constraint::EQ,
        };
        let t = self.with_fields(declared.fields.as_deref(), Ty::EVENT, wanted);
        self.as_annotated(Annotated::Channel(channel), t, declared.span);
        let before = self.terms.names.channel(channel);
        self.terms.types.agree(declared.span, t, before, None);
        self.terms.names.set_channel(channel, t);
    }

    /// An annotation of a channel or a constructor says what the declaration says.
    fn as_annotated(&mut self, target: Annotated, t: Ty, declared: Span) {
        let Some(annotation) = self.terms.annotations.of(target).filter(|_| t != Ty::ANY) else {
            return;
        };
        let TermInference {
            annotations, types, ..
        } = &mut self.terms;
        let written = annotations.written(annotation, types);
        let why = Some((declared, "declared here"));
        self.terms
            .types
            .expect_whole(annotation.span, written, t, why);
    }

    /// Reports fields whose type is not determined by what is declared. In a module that is checked by
    /// itself it may be left to the arguments.
    pub fn determined(&mut self, t: Ty, span: Span, what: &str) -> bool {
        let store = &self.terms.types.unifier.store;
        let free = store.free(t);
        // A type of fields may be a variable only if that is the type of a parameter of the module.
        let left_open = |v: &TypeVarId| {
            let mut parameters = self.terms.names.parameters();
            parameters.any(|t| store.free(t).contains(v))
        };
        if free.iter().all(left_open) {
            return true;
        }
        let shown = self.terms.types.words().show(&[t]);
        let message = format!("the type of the fields of {what} is not determined");
        self.terms.types.push(
            Diagnostic::error("E0311", span, message)
                .label(format!("this has type {}", shown[0]))
                .note("a type annotation of the set that is used here says what its elements are"),
        );
        false
    }

    /// The fields of a subtype's clauses are among those of the datatype.
    pub fn subtypes(&mut self) {
        let script = self.terms.script;
        for datatype in script.types.iter().filter(|t| t.subtype_of.is_some()) {
            let name = format!("the subtype `{}`", datatype.name);
            let begun = self.terms.begin(name, None);
            for (ctor, fields) in &datatype.clauses {
                if let Some(e) = fields {
                    self.subtype_clause(*ctor, e);
                }
            }
            self.terms.end(&begun);
        }
    }

    fn subtype_clause(&mut self, ctor: CtorId, e: &Expr) {
        let declared = &self.terms.script.ctors[ctor.0 as usize];
        let element = self.declared_set(e);
        self.terms
            .types
            .require(e.span, element, constraint::COMPLETE);
        // How many fields are given, and what the datatype says of each.
        let given = self.terms.store().parts(element);
        let declared_type = self.datatypes().ctor(ctor);
        let (wanted, end) = self.terms.store().split(declared_type);
        if end == Ty::ANY {
            return;
        }
        // The last fields may be left out.
        if given.len() > wanted.len() {
            let plural = if wanted.len() == 1 { "" } else { "s" };
            let message = format!(
                "`{}` has {} field{plural}, but {} are given here",
                declared.name,
                wanted.len(),
                given.len()
            );
            self.terms.types.push(
                Diagnostic::error("E0312", e.span, message).also(declared.span, "declared here"),
            );
            return;
        }
        for (wanted, given) in wanted.iter().zip(given) {
            let why = Some((declared.span, "declared here"));
            self.terms.types.agree(e.span, given, *wanted, why);
        }
    }
}
