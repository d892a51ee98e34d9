//! Types of patterns.

use super::constraint;
use super::scheme::mono;
use super::terms::TermInference;
use super::ty::Ty;
use crate::script::core::{Pattern, PatternKind};
use crate::source::Span;
use crate::source::stack::deep;

impl TermInference<'_> {
    /// The type of what a pattern matches; its variables are given types.
    pub fn pattern(&mut self, p: &Pattern) -> Ty {
        deep(|| match &p.kind {
            PatternKind::Bind(local) => {
                self.names.bound_at(*local, p.span);
                // Variables of a `let` may have a type already.
                if let Some(scheme) = self.names.local(*local) {
                    return scheme.ty;
                }
                let t = self.store().fresh();
                self.names.set_local(*local, mono(t));
                t
            }
            PatternKind::Wild => self.store().fresh(),
            PatternKind::Int(_) => Ty::INT,
            PatternKind::Bool(_) => Ty::BOOL,
            PatternKind::Char(_) => Ty::CHAR,
            PatternKind::Ctor(c) => self.types.unifier.datatypes.ctor(*c),
            PatternKind::Channel(c) => {
                self.types.reports.matches(*c, p.span);
                self.names.channel(*c)
            }
            PatternKind::Tuple(ps) => {
                let ts: Vec<Ty> = ps.iter().map(|p| self.pattern(p)).collect();
                self.store().tuple(ts)
            }
            PatternKind::Seq(ps) => {
                // The elements have one type, however many there are.
                let element = self.store().fresh();
                self.elements_of_pattern(ps, element);
                self.store().seq(element)
            }
            PatternKind::Concat(front, middle, back) => self.joined(front, middle, back),
            PatternKind::Dot(ps) => self.dots(ps, p.span),
            PatternKind::EmptySet => {
                let element = self.store().fresh_with(constraint::EQ);
                self.store().set(element)
            }
            PatternKind::Singleton(q) => {
                let t = self.pattern(q);
                // How many elements a set has tells whether they are equal.
                self.types.require(q.span, t, constraint::EQ);
                self.store().set(t)
            }
            PatternKind::Both(a, b) => {
                let t = self.pattern(a);
                let u = self.pattern(b);
                self.types
                    .agree(b.span, u, t, Some((a.span, "must match this as well")));
                t
            }
        })
    }

    /// `<p>^s^<q>`
    fn joined(&mut self, front: &[Pattern], middle: &Pattern, back: &[Pattern]) -> Ty {
        let element = self.store().fresh();
        self.elements_of_pattern(front, element);
        self.elements_of_pattern(back, element);
        let t = self.pattern(middle);
        let whole = self.store().seq(element);
        self.types.agree(middle.span, t, whole, None);
        whole
    }

    /// `p.q.r`
    fn dots(&mut self, ps: &[Pattern], whole: Span) -> Ty {
        let mut ts = Vec::new();
        for (at, p) in ps.iter().enumerate() {
            ts.push(match p.kind {
                // The event of a channel is meant: nobody takes it for a variable.
                PatternKind::Channel(c) if at == 0 => self.names.channel(c),
                _ => self.pattern(p),
            });
        }
        let spans: Vec<_> = ps.iter().map(|p| p.span).collect();
        self.types.dotted(&ts, &spans, whole)
    }

    fn elements_of_pattern(&mut self, ps: &[Pattern], element: Ty) {
        for p in ps {
            let t = self.pattern(p);
            self.types
                .agree(p.span, t, element, ps.first().map(|f| (f.span, "as here")));
        }
    }
}
