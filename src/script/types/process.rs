//! Types of process expressions: prefixes, operators, renaming.

use super::expr::Draw;
use super::infer::Infer;
use super::ty::{Ty, set};
use crate::script::core::{Expr, ExprKind, Field, Links, Pattern, RepOp};
use crate::source::{Diagnostic, Span};

impl Infer<'_> {
    /// Checks a process expression whose outermost form is a process operator.
    pub fn process(&mut self, e: &Expr) {
        use ExprKind as K;
        match &e.kind {
            K::Prefix { head, fields, body } => self.prefix(head, fields, body),
            K::Guard(b, p) => {
                self.check(b, &Ty::Bool, None);
                self.proc(p);
            }
            K::Process(_, p, q) => {
                self.proc(p);
                self.proc(q);
            }
            K::Parallel(p, a, q)
            | K::Exception(p, a, q)
            | K::SyncChoice(p, a, q)
            | K::SyncInterrupt(p, a, q) => {
                self.proc(p);
                self.events(a);
                self.proc(q);
            }
            K::AlphaParallel(p, a, b, q) => {
                self.proc(p);
                self.events(a);
                self.events(b);
                self.proc(q);
            }
            K::Link(p, links, q) => {
                self.proc(p);
                self.links(links, Draw::Either);
                self.proc(q);
            }
            K::Hide(p, a) | K::Project(p, a) => {
                self.proc(p);
                self.events(a);
            }
            K::Rename(p, links) => {
                self.proc(p);
                self.links(links, Draw::Set);
            }
            K::Replicated {
                op,
                set,
                stmts,
                body,
            } => {
                let draw = match op {
                    RepOp::Seq => Draw::Seq,
                    _ => Draw::Set,
                };
                self.stmts(stmts, draw);
                if let Some(a) = set {
                    self.events(a);
                }
                self.proc(body);
            }
            K::ReplicatedLink { links, stmts, body } => {
                self.stmts(stmts, Draw::Seq);
                self.links(links, Draw::Either);
                self.proc(body);
            }
            // Everything else is an expression.
            _ => {}
        }
    }

    fn proc(&mut self, e: &Expr) {
        self.check(e, &Ty::Proc, None);
    }

    /// A set of events.
    pub fn events(&mut self, e: &Expr) {
        self.check(e, &set(Ty::Event), None);
    }

    fn prefix(&mut self, head: &Expr, fields: &[Field], body: &Expr) {
        let mut types = vec![self.infer(head)];
        let mut spans = vec![head.span];
        for field in fields {
            match field {
                Field::Output(e) => {
                    types.push(self.infer(e));
                    spans.push(e.span);
                }
                Field::Input(p, set) | Field::Nondet(p, set) => {
                    types.push(self.input(p, set.as_ref()));
                    spans.push(p.span);
                }
            }
        }
        let whole = spans.last().map_or(head.span, |s| head.span.to(*s));
        let before = self.diagnostics.len();
        let event = self.dotted(&types, &spans, whole);
        if self.diagnostics.len() == before {
            self.event(&event, head, whole);
        }
        self.proc(body);
    }

    fn input(&mut self, p: &Pattern, set: Option<&Expr>) -> Ty {
        let t = self.pattern(p);
        if let Some(s) = set {
            let from = self.infer(s);
            let element = self.element_of(&from, s.span);
            self.expect(p.span, &t, &element, Some((s.span, "drawn from this")));
        }
        t
    }

    /// What stands before the arrow must be a complete event.
    fn event(&mut self, t: &Ty, head: &Expr, whole: Span) {
        let Err(mismatch) = self.store.unify(&Ty::Event, t) else {
            return;
        };
        let quoted = self.quoted(head.span);
        let diagnostic = match self.store.norm(t) {
            Ok(Ty::Dotable(fields, r)) if self.store.shallow(&r) == Ty::Event => {
                let shown = self.show(&fields.iter().collect::<Vec<_>>()).join(".");
                let message = format!("this event is not complete: {quoted} has more fields");
                Diagnostic::error("E0306", whole, message)
                    .label(format!("a field of type {shown} is missing"))
            }
            Ok(Ty::Dots(parts)) if self.store.shallow(&parts[0]) == Ty::Event => {
                let more = parts.len() - 1;
                let plural = if more == 1 { "" } else { "s" };
                let message = format!("{quoted} has fewer fields than are given here");
                Diagnostic::error("E0307", whole, message)
                    .label(format!("{more} field{plural} too many"))
            }
            _ => {
                self.mismatch(whole, t, &Ty::Event, &mismatch, None);
                return;
            }
        };
        let diagnostic = match channel_of(head) {
            Some(c) => {
                let place = self.script.channels[c].span;
                diagnostic.also(place, "the channel is declared here")
            }
            None => diagnostic,
        };
        self.push(diagnostic);
    }

    /// Both sides of a pair are events, or lack the same fields.
    fn links(&mut self, links: &Links, draw: Draw) {
        self.stmts(&links.stmts, draw);
        for (a, b) in &links.pairs {
            let t = self.infer(a);
            let u = self.infer(b);
            if self.eventish(&t, a.span) && self.eventish(&u, b.span) {
                self.expect(b.span, &u, &t, Some((a.span, "paired with this")));
            }
        }
    }

    /// Whether something can be completed to an event; reports it if not.
    fn eventish(&mut self, t: &Ty, span: Span) -> bool {
        match self.store.norm(t) {
            Ok(Ty::Event) => true,
            Ok(Ty::Dotable(_, r)) => self.expect(span, &r, &Ty::Event, None),
            Ok(t @ (Ty::Var(_) | Ty::Any | Ty::Dots(_))) => {
                self.store.blur(&t);
                false
            }
            Ok(t) => {
                self.expect(span, &t, &Ty::Event, None);
                false
            }
            Err(_) => false,
        }
    }
}

/// The channel at the head of an event.
fn channel_of(head: &Expr) -> Option<usize> {
    match &head.kind {
        ExprKind::Channel(c) => Some(c.0 as usize),
        ExprKind::Dot(parts) => parts.first().and_then(channel_of),
        _ => None,
    }
}
