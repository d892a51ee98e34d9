//! Types of process expressions: prefixes, operators, renaming.

use super::constraint;
use super::constraints::Draw;
use super::terms::TermInference;
use super::ty::{Ty, TyKind};
use super::unifier::Mismatch;
use crate::script::core::{ChannelId, Expr, ExprKind, Field, Links, Pattern, RepOp, no_operator};
use crate::source::{Diagnostic, Span};

impl TermInference<'_> {
    /// Checks a process expression whose outermost form is a process operator.
    pub fn process(&mut self, e: &Expr) {
        use ExprKind as K;
        match &e.kind {
            K::Prefix { head, fields, body } => self.prefix(head, fields, body),
            K::Guard(b, p) => {
                self.check(b, Ty::BOOL, None);
                self.proc(p);
            }
            K::Process(_, p, q) => self.sides(p, &[], q),
            K::Parallel(p, a, q)
            | K::Exception(p, a, q)
            | K::SyncChoice(p, a, q)
            | K::SyncInterrupt(p, a, q) => self.sides(p, &[a], q),
            K::AlphaParallel(p, a, b, q) => self.sides(p, &[a, b], q),
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
            no_operator!() => {}
        }
    }

    /// Two processes with sets of events between them.
    fn sides(&mut self, p: &Expr, between: &[&Expr], q: &Expr) {
        self.proc(p);
        between.iter().for_each(|a| self.events(a));
        self.proc(q);
    }

    fn proc(&mut self, e: &Expr) {
        self.check(e, Ty::PROC, None);
    }

    /// A set of events.
    pub fn events(&mut self, e: &Expr) {
        let wanted = self.store().set(Ty::EVENT);
        self.check(e, wanted, None);
    }

    fn prefix(&mut self, head: &Expr, fields: &[Field], body: &Expr) {
        let before = self.types.reports.count();
        // An event is a product of its head and its fields. Their types are collected first: how
        // many fields the head wants may depend on all of them.
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
        let event = self.types.dotted(&types, &spans, whole);
        // With an error in a part, nothing can be said of the whole.
        if self.types.reports.count() == before {
            self.event(event, head, &spans, whole);
        }
        self.proc(body);
    }

    fn input(&mut self, p: &Pattern, set: Option<&Expr>) -> Ty {
        // The set is looked at before the pattern, which is not in scope in it.
        let from = set.map(|s| {
            let from = self.infer(s);
            (self.types.element_of(from, s.span), s.span)
        });
        let t = self.pattern(p);
        if let Some((element, span)) = from {
            self.types
                .agree(p.span, t, element, Some((span, "drawn from this")));
        }
        self.types.require(p.span, t, constraint::COMPLETE);
        t
    }

    /// Requires a complete event before the arrow.
    fn event(&mut self, t: Ty, head: &Expr, spans: &[Span], whole: Span) {
        let Err(mismatch) = self.types.unifier.at(whole).unify(Ty::EVENT, t) else {
            return;
        };
        let quoted = self.types.words().quoted(head.span);
        // What comes of it if each part takes one field.
        let parts = self.store().parts(t);
        // If something else is wrong (a constraint, an infinite type), the fields say nothing.
        let parts = match (&mismatch, self.types.unifier.join_one(parts)) {
            (Mismatch::Differ(..), Ok(parts)) => parts,
            _ => Vec::new(),
        };
        let first = parts.first().map(|t| self.store().look(*t));
        let diagnostic = match (first, parts.len()) {
            (Some(TyKind::Dotable(..)), 1) if self.store().split(parts[0]).1 == Ty::EVENT => {
                let (fields, _) = self.store().split(parts[0]);
                let shown = self.types.words().show(&fields).join(".");
                let message = format!("this event is not complete: {quoted} has more fields");
                Diagnostic::error("E0306", whole, message)
                    .label(format!("a field of type {shown} is missing"))
            }
            (Some(TyKind::Event), 2..) => {
                let more = parts.len() - 1;
                let plural = if more == 1 { "" } else { "s" };
                let message = format!("{quoted} has fewer fields than are given here");
                Diagnostic::error("E0307", whole, message)
                    .label(format!("{more} field{plural} too many"))
            }
            _ => {
                let span = match mismatch {
                    Mismatch::Lacks(..) => spans.get(1).copied().unwrap_or(whole),
                    _ => whole,
                };
                self.types.mismatch(span, t, Ty::EVENT, &mismatch, None);
                return;
            }
        };
        let diagnostic = match channel_of(head) {
            Some(c) => {
                let place = self.script.channels[c.0 as usize].span;
                let t = self.names.channel(c);
                let shown = self.types.words().show(&[t]);
                diagnostic.also(place, format!("the channel is declared here: {}", shown[0]))
            }
            None => diagnostic,
        };
        self.types.push(diagnostic);
    }

    /// Both sides of a pair are events, or lack the same fields.
    fn links(&mut self, links: &Links, draw: Draw) {
        self.stmts(&links.stmts, draw);
        for (a, b) in &links.pairs {
            let t = self.infer(a);
            let u = self.infer(b);
            let v = self.store().vars_mut().add(0, None);
            let wanted = self.store().make(TyKind::Extendable(Ty::EVENT, v));
            // A pair of which one side is wrong says nothing of the other.
            if self.types.agree(a.span, t, wanted, None) {
                self.types
                    .agree(b.span, u, wanted, Some((a.span, "paired with this")));
            }
        }
    }
}

/// The channel at the head of an event.
fn channel_of(head: &Expr) -> Option<ChannelId> {
    match &head.kind {
        ExprKind::Channel(c) => Some(*c),
        ExprKind::Dot(parts) => parts.first().and_then(channel_of),
        _ => None,
    }
}
