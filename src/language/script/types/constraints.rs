//! Constraints on types at a place of the text: they are solved, or the reason why not is reported.

use std::rc::Rc;

use super::reports::{Reports, Subject};
use super::store::TypeStore;
use super::ty::{Ty, TyKind};
use super::unifier::{Mismatch, Unified, Unifier};
use super::words::{FIELDS, SecondPlace, TypeWords};
use crate::script::core::Script;
use crate::source::{Diagnostic, Span};

/// The kind of collection that generators draw from.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Draw {
    Set,
    Seq,
    Either,
}

/// Types that are made to fit, and what is said where they do not.
pub(super) struct Constraints<'a> {
    script: &'a Script,
    pub unifier: Unifier,
    pub reports: Reports<'a>,
    /// The names of the datatypes.
    datatypes: Rc<[Rc<str>]>,
}

impl<'a> Constraints<'a> {
    pub fn new(script: &'a Script, unifier: Unifier, reports: Reports<'a>) -> Self {
        Self {
            script,
            unifier,
            reports,
            datatypes: script.types.iter().map(|t| Rc::clone(&t.name)).collect(),
        }
    }

    /// For making types and looking into them.
    pub fn store(&mut self) -> &mut TypeStore {
        &mut self.unifier.store
    }

    /// For putting into words what is wrong with types.
    pub fn words(&mut self) -> TypeWords<'_> {
        TypeWords::new(
            self.script,
            &mut self.unifier,
            &self.reports,
            &self.datatypes,
        )
    }

    pub fn push(&mut self, diagnostic: Diagnostic) {
        self.reports.push(diagnostic);
    }

    /// Demands something of an expression: if it fails, the message points at the declaration that the
    /// type of the expression comes from.
    pub fn about<T>(&mut self, subject: Option<Subject>, f: impl FnOnce(&mut Self) -> T) -> T {
        self.reports.set_subject(subject);
        let result = f(self);
        self.reports.set_subject(None);
        result
    }

    /// Demands that what stands at `span` has the expected type; reports it if not.
    pub fn agree(&mut self, span: Span, actual: Ty, expected: Ty, why: SecondPlace) -> bool {
        let result = self.unifier.at(span).unify(expected, actual);
        self.accept(span, actual, expected, result, why)
    }

    /// The same, where a product is not split.
    pub fn expect_whole(&mut self, span: Span, actual: Ty, expected: Ty, why: SecondPlace) -> bool {
        let result = self.unifier.at(span).unify_whole(expected, actual);
        self.accept(span, actual, expected, result, why)
    }

    fn accept(
        &mut self,
        span: Span,
        actual: Ty,
        expected: Ty,
        r: Unified,
        why: SecondPlace,
    ) -> bool {
        match r {
            Ok(()) => true,
            Err(mismatch) => {
                self.mismatch(span, actual, expected, &mismatch, why);
                false
            }
        }
    }

    /// A type with its products put together; reports what does not fit.
    pub fn evaluate(&mut self, span: Span, t: Ty) -> Ty {
        match self.unifier.at(span).evaluate(t) {
            Ok(t) => t,
            Err(mismatch) => {
                self.misfit(span, t, &mismatch, None);
                Ty::ANY
            }
        }
    }

    /// Demands that a type supports what is wanted, such as `==`.
    pub fn require(&mut self, span: Span, t: Ty, wanted: u8) -> bool {
        match self.unifier.at(span).require(t, wanted) {
            Ok(()) => true,
            Err(mismatch) => {
                self.misfit(span, t, &mismatch, None);
                false
            }
        }
    }

    /// Reports what is wrong inside one type.
    pub fn misfit(&mut self, span: Span, t: Ty, mismatch: &Mismatch, why: SecondPlace) {
        match mismatch {
            // The types that differ may be parts of the one that is being looked at.
            Mismatch::Differ(expected, actual) => {
                self.mismatch(span, actual.ty, expected.ty, mismatch, why);
            }
            _ => self.mismatch(span, t, t, mismatch, why),
        }
    }

    pub fn mismatch(
        &mut self,
        span: Span,
        actual: Ty,
        expected: Ty,
        mismatch: &Mismatch,
        why: SecondPlace,
    ) {
        let diagnostic = self.words().mismatch(span, actual, expected, mismatch, why);
        self.push(diagnostic);
    }

    /// `p.q.r` from the types of its parts, combined where that is certain.
    pub fn dotted(&mut self, ts: &[Ty], spans: &[Span], whole: Span) -> Ty {
        let (mut parts, mut places) = (Vec::new(), Vec::new());
        for (t, span) in ts.iter().zip(spans) {
            // Products among the parts are spliced in; `places` says for each part which term it
            // came from.
            parts.extend(self.store().parts(*t));
            places.resize(parts.len(), *span);
        }
        // What is wrong already may take all that follows.
        if parts.first() == Some(&Ty::ANY) {
            return Ty::ANY;
        }
        match self.unifier.at(whole).join(parts) {
            Ok(t) => t,
            Err((at, mismatch)) => {
                let span = places.get(at).copied().unwrap_or(whole);
                let head = spans.first().filter(|s| **s != span);
                let why = head.map(|s| (*s, FIELDS));
                self.misfit(span, Ty::ANY, &mismatch, why);
                Ty::ANY
            }
        }
    }

    /// The type of the elements of what a generator draws from.
    pub fn drawn(&mut self, t: Ty, span: Span, draw: Draw) -> Ty {
        match (self.store().look(t), draw) {
            (TyKind::Any, _) => Ty::ANY,
            // A comprehension over a sequence draws from sequences, one over a set from sets; links may
            // draw from either, and do from sequences if nothing is known.
            (TyKind::Seq(e), Draw::Seq | Draw::Either) | (TyKind::Set(e), Draw::Either) => e,
            (_, Draw::Seq | Draw::Either) => {
                let element = self.store().fresh();
                let whole = self.store().seq(element);
                self.agree(span, t, whole, None);
                element
            }
            (_, Draw::Set) => self.element_of(t, span),
        }
    }

    /// The type of the elements of a set; a product of sets is a set of products.
    pub fn element_of(&mut self, t: Ty, span: Span) -> Ty {
        match self.store().look(t) {
            TyKind::Set(e) => return e,
            TyKind::Any => return Ty::ANY,
            // `{0..1}.{0..1}` in an input or a declaration: sets with dots between them.
            TyKind::Dots(_) => {
                let parts = self.store().parts(t);
                let elements: Option<Vec<Ty>> = parts
                    .iter()
                    .map(|part| match self.store().look(*part) {
                        TyKind::Set(e) => Some(e),
                        _ => None,
                    })
                    .collect();
                if let Some(elements) = elements {
                    return self.store().dots(&elements);
                }
            }
            _ => {}
        }
        let element = self.store().fresh();
        let whole = self.store().set(element);
        if self.agree(span, t, whole, None) {
            element
        } else {
            Ty::ANY
        }
    }
}
