//! Datatypes, channels, nametypes and subtypes.

use super::demand::constraint;
use super::infer::Infer;
use super::ty::{Kind, Ty, VarId};
use crate::script::annotation::Target;
use crate::script::core::{ChannelId, CtorId, Expr, TypeId};
use crate::source::stack::deep;
use crate::source::{Diagnostic, Span};

impl Infer<'_> {
    /// The element type of the set of an expression where types are declared: there, tuples and
    /// products of sets are sets too.
    pub fn declared_set(&mut self, e: &Expr) -> Ty {
        let t = self.infer(e);
        let t = self.evaluate(e.span, t);
        self.declared_element(t, e.span)
    }

    fn declared_element(&mut self, t: Ty, span: Span) -> Ty {
        deep(|| match self.store.look(t) {
            Kind::Tuple(ts) => {
                let es: Vec<Ty> = ts.iter().map(|t| self.declared_element(*t, span)).collect();
                self.store.tuple(es)
            }
            Kind::Dots(_) => {
                let parts = self.store.parts(t).into_iter();
                let es: Vec<Ty> = parts.map(|t| self.declared_element(t, span)).collect();
                self.store.dots(&es)
            }
            _ => self.element_of(t, span),
        })
    }

    /// `A=>B=>end` for the field sets `A.B`, which must support what is `wanted`.
    fn with_fields(&mut self, fields: Option<&Expr>, end: Ty, wanted: u8) -> Ty {
        let Some(e) = fields else { return end };
        let element = self.declared_set(e);
        let fields = self.store.parts(element);
        // What is wrong already may be any number of fields.
        if fields.contains(&Ty::ANY) || !self.require(e.span, element, wanted) {
            return Ty::ANY;
        }
        self.store.dotable(&fields, end)
    }

    pub fn constructor(&mut self, ctor: CtorId) {
        let owner = self.script.ctors[ctor.0 as usize].owner;
        let name = &self.script.types[owner.0 as usize].name;
        self.inside(format!("the datatype `{name}`"), |s| {
            s.constructor_here(ctor);
        });
    }

    fn constructor_here(&mut self, ctor: CtorId) {
        let at = ctor.0 as usize;
        let declared = &self.script.ctors[at];
        let end = self.store.data(declared.owner);
        let fields = self.script.fields(ctor);
        let t = self.with_fields(fields, end, constraint::COMPLETE);
        self.as_annotated(Target::Ctor(ctor), t, declared.span);
        self.agree(declared.span, t, self.ctors[at], None);
        self.ctors[at] = t;
    }

    pub fn channel(&mut self, at: usize) {
        let name = format!("the channel `{}`", self.script.channels[at].name);
        self.inside(name, |s| s.channel_here(at));
    }

    fn channel_here(&mut self, at: usize) {
        let declared = &self.script.channels[at];
        let wanted = constraint::COMPLETE | constraint::EQ;
        let t = self.with_fields(declared.fields.as_deref(), Ty::EVENT, wanted);
        self.as_annotated(Target::Channel(ChannelId(at as u32)), t, declared.span);
        self.agree(declared.span, t, self.channels[at], None);
        self.channels[at] = t;
    }

    /// An annotation of a channel or a constructor says what the declaration says.
    fn as_annotated(&mut self, target: Target, t: Ty, declared: Span) {
        let Some(annotation) = self.annotation(target).filter(|_| t != Ty::ANY) else {
            return;
        };
        let written = self.written(target, &annotation.scheme);
        let why = Some((declared, "declared here"));
        self.expect_whole(annotation.span, written, t, why);
    }

    /// All constructors of a datatype are known now.
    pub fn datatype_known(&mut self, t: TypeId) {
        let clauses = &self.script.types[t.0 as usize].clauses;
        let fields = clauses
            .iter()
            .flat_map(|(c, _)| {
                let t = self.ctors[c.0 as usize];
                self.store.split(t).0
            })
            .collect();
        self.store.fields[t.0 as usize] = Some(fields);
    }

    /// Reports fields whose type is not determined by what is declared. In a module that is checked by
    /// itself it may be left to the arguments.
    pub fn determined(&mut self, t: Ty, span: Span, what: &str) -> bool {
        let free = self.store.free(t);
        let left_open = |v: &VarId| {
            let mut parameters = self.opaque.iter();
            parameters.any(|g| self.store.free(self.globals[g.0 as usize].ty).contains(v))
        };
        if free.iter().all(left_open) {
            return true;
        }
        let shown = self.show(&[t]);
        let message = format!("the type of the fields of {what} is not determined");
        self.push(
            Diagnostic::error("E0311", span, message)
                .label(format!("this has type {}", shown[0]))
                .note("a type annotation of the set that is used here says what its elements are"),
        );
        false
    }

    /// The fields of a subtype's clauses are among those of the datatype.
    pub fn subtypes(&mut self) {
        let script = self.script;
        for datatype in script.types.iter().filter(|t| t.subtype_of.is_some()) {
            let name = format!("the subtype `{}`", datatype.name);
            self.inside(name, |state| {
                for (ctor, fields) in &datatype.clauses {
                    if let Some(e) = fields {
                        state.subtype_clause(*ctor, e);
                    }
                }
            });
        }
    }

    fn subtype_clause(&mut self, ctor: CtorId, e: &Expr) {
        let declared = &self.script.ctors[ctor.0 as usize];
        let element = self.declared_set(e);
        self.require(e.span, element, constraint::COMPLETE);
        let given = self.store.parts(element);
        let (wanted, end) = self.store.split(self.ctors[ctor.0 as usize]);
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
            self.push(
                Diagnostic::error("E0312", e.span, message).also(declared.span, "declared here"),
            );
            return;
        }
        for (wanted, given) in wanted.iter().zip(given) {
            let why = Some((declared.span, "declared here"));
            self.agree(e.span, given, *wanted, why);
        }
    }
}
