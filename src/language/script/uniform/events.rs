//! Sets of events that operators take.

use super::values::difference;
use super::{UniformScan, UsedAs, has_doubles};
use crate::script::core::{
    Builtin, ChannelId, Expr, ExprKind, Items, PatternKind, Stmt, VariableId,
};
use crate::script::visit::{self, Mention};
use crate::source::Span;
use crate::source::stack::deep;

impl<'a> UniformScan<'a> {
    /// A set of events that an operator takes.
    pub(super) fn events(&mut self, e: &'a Expr) {
        deep(|| self.events_here(e));
    }

    pub(super) fn events_here(&mut self, e: &'a Expr) {
        use ExprKind as K;
        match &e.kind {
            K::Productions(items, stmts) | K::Set(Items::List(items), stmts) => {
                let before = self.drawn.len();
                let drawn = self.generators(stmts, e.span);
                self.drawn.extend(drawn);
                items.iter().for_each(|item| self.event(item));
                self.drawn.truncate(before);
            }
            K::Builtin(Builtin::Events) => {
                for c in 0..self.script.channels.len() as u32 {
                    self.channel(ChannelId(c));
                }
            }
            K::Global(g) => self.global(*g, UsedAs::Events),
            K::Local(v) => {
                self.local(*v, UsedAs::Events);
                if !self.lets.contains_key(v) && self.may_hold(*v) {
                    self.apart(e.span, "a set of events that a parameter holds");
                }
            }
            K::If(c, a, b) => {
                self.undrawn(c);
                self.term(c);
                self.events(a);
                self.events(b);
            }
            K::Let(defs, body) => {
                if !self.drawn.is_empty() {
                    self.obstacle(e.span, EACH_VALUE);
                }
                self.lets(defs);
                self.events(body);
            }
            K::Apply(f, args) => self.events_of_function(f, args, e.span),
            _ => self.term(e),
        }
    }

    pub(super) fn events_of_function(&mut self, f: &'a Expr, args: &'a [Expr], span: Span) {
        match &f.kind {
            ExprKind::Builtin(Builtin::Union) => args.iter().for_each(|a| self.events(a)),
            ExprKind::Builtin(Builtin::Inter | Builtin::Diff) => {
                if !self.drawn.is_empty() {
                    self.obstacle(span, EACH_VALUE);
                }
                args.iter().for_each(|a| self.events(a));
            }
            ExprKind::Builtin(Builtin::BigUnion) => {
                for arg in args {
                    let ExprKind::Set(Items::List(items), stmts) = &arg.kind else {
                        self.term(arg);
                        continue;
                    };
                    let before = self.drawn.len();
                    let drawn = self.generators(stmts, arg.span);
                    self.drawn.extend(drawn);
                    items.iter().for_each(|item| self.events(item));
                    self.drawn.truncate(before);
                }
            }
            ExprKind::Global(g) => {
                self.global(*g, UsedAs::Events);
                for arg in args {
                    self.undrawn(arg);
                    self.term(arg);
                    if !self.held_in(arg).is_empty() {
                        self.apart(arg.span, "a set of events that depends on a value");
                    }
                }
            }
            _ => {
                args.iter().for_each(|a| self.undrawn(a));
                self.term(f);
                self.each(args);
                self.apart(span, "a set of events that a function makes");
            }
        }
    }

    /// An element of a set of events: whole in each of its values, if each variable is drawn from all of them and
    /// occurs once.
    pub(super) fn event(&mut self, e: &'a Expr) {
        self.term(e);
        self.fields_alone(e);
        let held = self.held_in(e);
        let is_drawn = |v: &VariableId| self.drawn.contains(v);
        if !held.iter().all(is_drawn) {
            self.apart(e.span, "a set of events that names a value");
        } else if has_doubles(&held) {
            self.apart(
                e.span,
                "a set of events in which two values have to be equal",
            );
        }
    }

    /// An expression on which a set of events depends must not mention variables drawn around it.
    pub(super) fn undrawn(&mut self, e: &'a Expr) {
        if self.held_in(e).iter().any(|v| self.drawn.contains(v)) {
            self.obstacle(e.span, EACH_VALUE);
        }
    }

    /// In an event that is listed, variables that hold values are fields themselves: nothing is computed from them.
    pub(super) fn fields_alone(&mut self, e: &'a Expr) {
        match &e.kind {
            ExprKind::Local(_) => {}
            ExprKind::Dot(parts) => parts.iter().for_each(|p| self.fields_alone(p)),
            _ if self.held_in(e).is_empty() => {}
            _ => self.obstacle(
                e.span,
                "an event is listed whose fields are computed from values",
            ),
        }
    }

    /// The generators of a set of events or a renaming. Returns the variables that they draw from the whole datatype.
    pub(super) fn generators(&mut self, stmts: &'a [Stmt], span: Span) -> Vec<VariableId> {
        let mut drawn = Vec::new();
        let mut has_condition = false;
        for stmt in stmts {
            match stmt {
                Stmt::Generator(pattern, e) => {
                    let slots = self.values(e);
                    if slots == 0 {
                        continue;
                    }
                    match (&pattern.kind, &e.kind) {
                        (PatternKind::Bind(v), _) if difference(e).is_none() => drawn.push(*v),
                        _ => self.obstacle(
                            e.span,
                            "events are listed by a generator that is not over all values",
                        ),
                    }
                }
                Stmt::Condition(e) => {
                    has_condition = true;
                    self.term(e);
                }
            }
        }
        if has_condition && !drawn.is_empty() {
            self.obstacle(span, "events are listed under a condition");
        }
        drawn
    }

    pub(super) fn may_hold(&self, v: VariableId) -> bool {
        self.types.local_may_hold(v, &self.containing)
    }

    /// The variables in an expression that may hold values, in order.
    pub(super) fn held_in(&self, e: &Expr) -> Vec<VariableId> {
        let mut all = Vec::new();
        visit::expr(e, &mut |mention: Mention, _: Span| {
            if let Mention::Local(v) = mention {
                all.push(v);
            }
        });
        all.retain(|v| self.may_hold(*v));
        all
    }

    /// The most values that an event of an expression carries, if it begins with a channel.
    pub(super) fn carried(&mut self, e: &'a Expr) -> Option<usize> {
        match &e.kind {
            ExprKind::Channel(c) => Some(self.channel(*c)),
            ExprKind::Dot(parts) => self.carried(parts.first()?),
            _ => None,
        }
    }
}

/// Said of sets of events that a generator over values makes.
const EACH_VALUE: &str = "a set of events that is another one for each value";
