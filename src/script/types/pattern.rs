//! Types of patterns.

use super::infer::Infer;
use super::ty::{Ty, seq, set};
use crate::script::core::{Pattern, PatternKind};
use crate::source::stack::deep;

impl Infer<'_> {
    /// The type of what a pattern matches; its variables are given types.
    pub fn pattern(&mut self, p: &Pattern) -> Ty {
        deep(|| match &p.kind {
            PatternKind::Bind(local) => {
                // Variables of a `let` may have a type already.
                if let Some(scheme) = &self.locals[local.0 as usize] {
                    return scheme.ty.clone();
                }
                let t = self.store.fresh();
                self.bind_local(*local, t.clone());
                t
            }
            PatternKind::Wild => self.store.fresh(),
            PatternKind::Int(_) => Ty::Int,
            PatternKind::Bool(_) => Ty::Bool,
            PatternKind::Char(_) => Ty::Char,
            PatternKind::Ctor(c) => self.ctors[c.0 as usize].clone(),
            PatternKind::Channel(c) => self.channels[c.0 as usize].clone(),
            PatternKind::Tuple(ps) => {
                let ts: Vec<Ty> = ps.iter().map(|p| self.pattern(p)).collect();
                Ty::Tuple(ts.into())
            }
            PatternKind::Seq(ps) => {
                let element = self.store.fresh();
                self.elements_of_pattern(ps, &element);
                seq(element)
            }
            PatternKind::Concat(front, middle, back) => {
                let element = self.store.fresh();
                self.elements_of_pattern(front, &element);
                self.elements_of_pattern(back, &element);
                let t = self.pattern(middle);
                let whole = seq(element);
                self.expect(middle.span, &t, &whole, None);
                whole
            }
            PatternKind::Dot(ps) => {
                let ts: Vec<Ty> = ps.iter().map(|p| self.pattern(p)).collect();
                let spans: Vec<_> = ps.iter().map(|p| p.span).collect();
                self.dotted(&ts, &spans, p.span)
            }
            PatternKind::EmptySet => {
                let element = self.store.fresh();
                set(element)
            }
            PatternKind::Singleton(p) => {
                let t = self.pattern(p);
                set(t)
            }
            PatternKind::Both(a, b) => {
                let t = self.pattern(a);
                let u = self.pattern(b);
                self.expect(b.span, &u, &t, Some((a.span, "must match this as well")));
                t
            }
        })
    }

    fn elements_of_pattern(&mut self, ps: &[Pattern], element: &Ty) {
        for p in ps {
            let t = self.pattern(p);
            self.expect(p.span, &t, element, ps.first().map(|f| (f.span, "as here")));
        }
    }
}
