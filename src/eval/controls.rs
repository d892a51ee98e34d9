//! Compiling process expressions: which become control states, and how those are named.

use std::rc::Rc;

use super::code::{Body, Code, ControlInfo, Head, Kind, Prefix, Slot, Unit};
use super::compile::{Compiler, Scope};
use crate::process::term::Control;
use crate::script::core::{Builtin, Expr, ExprKind, Field, LocalId, ProcOp, RepOp};
use crate::source::Span;
use crate::source::stack::deep;

/// Tells keys of control states apart.
const WHOLE: u32 = 0;
const REST: u32 = 1;

/// Whether an expression is opened only when its transitions are asked for.
fn is_head(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Prefix { .. } => true,
        ExprKind::Process(op, ..) => matches!(op, ProcOp::ExtChoice | ProcOp::IntChoice),
        ExprKind::Replicated { op, .. } => matches!(op, RepOp::ExtChoice | RepOp::IntChoice),
        _ => false,
    }
}

impl Compiler<'_> {
    /// Compiles what [`Compiler::expr`] leaves: the process operators.
    pub(super) fn process_kind(&mut self, scope: &mut Scope, e: &Expr, whole: bool) -> Kind {
        if is_head(e) {
            return self.suspend(scope, e, whole);
        }
        match &e.kind {
            ExprKind::Guard(b, p) => Kind::Guard(self.boxed(scope, b), self.boxed(scope, p)),
            ExprKind::Process(op, p, q) => {
                let p = self.boxed(scope, p);
                let q = match op {
                    ProcOp::Seq | ProcOp::Sliding => Box::new(self.later(scope, q)),
                    _ => self.boxed(scope, q),
                };
                Kind::Operator(*op, p, q)
            }
            ExprKind::Parallel(p, a, q) => Kind::Parallel(self.three(scope, [p, a, q])),
            ExprKind::AlphaParallel(p, a, b, q) => Kind::AlphaParallel(Box::new([
                self.expr(scope, p),
                self.expr(scope, a),
                self.expr(scope, b),
                self.expr(scope, q),
            ])),
            ExprKind::Exception(p, a, q) => {
                let (p, a) = (self.expr(scope, p), self.expr(scope, a));
                Kind::Exception(Box::new([p, a, self.later(scope, q)]))
            }
            ExprKind::SyncChoice(p, a, q) => Kind::SyncChoice(self.three(scope, [p, a, q])),
            ExprKind::SyncInterrupt(p, a, q) => Kind::SyncInterrupt(self.three(scope, [p, a, q])),
            ExprKind::Link(p, links, q) => {
                let p = self.boxed(scope, p);
                let links = self.links(scope, links);
                Kind::Link(p, links, self.boxed(scope, q))
            }
            ExprKind::Hide(p, a) => Kind::Hide(self.boxed(scope, p), self.boxed(scope, a), false),
            ExprKind::Project(p, a) => Kind::Hide(self.boxed(scope, p), self.boxed(scope, a), true),
            ExprKind::Rename(p, links) => {
                let p = self.boxed(scope, p);
                Kind::Rename(p, self.links(scope, links))
            }
            ExprKind::Replicated {
                op,
                set,
                stmts,
                body,
            } => {
                let stmts = self.stmts(scope, stmts);
                let set = set.as_ref().map(|a| self.boxed(scope, a));
                let body = match op {
                    RepOp::Seq => Box::new(self.later(scope, body)),
                    _ => self.boxed(scope, body),
                };
                Kind::Replicated {
                    op: *op,
                    set,
                    stmts,
                    body,
                }
            }
            ExprKind::ReplicatedLink { links, stmts, body } => {
                let stmts = self.stmts(scope, stmts);
                let links = self.links(scope, links);
                let body = self.boxed(scope, body);
                Kind::ReplicatedLink { links, stmts, body }
            }
            // Everything else is data and was compiled by the caller.
            _ => Kind::Builtin(Builtin::Stop),
        }
    }

    fn three(&mut self, scope: &mut Scope, es: [&Expr; 3]) -> Box<[Code; 3]> {
        Box::new(es.map(|e| self.expr(scope, e)))
    }

    /// A right operand that runs later: kept suspended, so that recursion through it ends.
    fn later(&mut self, scope: &mut Scope, e: &Expr) -> Code {
        if matches!(e.kind, ExprKind::Builtin(_)) || is_head(e) {
            return self.expr(scope, e);
        }
        let kind = self.suspend(scope, e, false);
        Code { kind, span: e.span }
    }

    /// Makes the control state of an expression, or finds the one of an equal expression.
    fn suspend(&mut self, scope: &Scope, e: &Expr, whole: bool) -> Kind {
        let canon = self.program.canons.expr(e);
        let key = self.key(WHOLE, &canon);
        let variables = self.expand(&canon.free);
        let slots = self.slots(scope, &variables);
        if let Some(index) = self.program.controls.get_index_of(&key) {
            return Kind::Suspend(Control(index as u32), slots);
        }
        let label = self.label(e, whole);
        let control = self.reserve_control(key, &variables, label, (e.span, !is_head(e)));
        let plain = matches!(&e.kind, ExprKind::Local(v) if variables.as_slice() == [*v]);
        if let Some((_, info)) = self.program.controls.get_index_mut(control.0 as usize) {
            info.plain = plain;
        }
        let mut inner = Scope::with(&variables);
        let head = deep(|| self.head(&mut inner, e));
        self.define_head(control, &variables, &inner, (head, e.span));
        Kind::Suspend(control, slots)
    }

    fn reserve_control(
        &mut self,
        key: Box<[u32]>,
        variables: &[LocalId],
        label: String,
        (span, suspended): (Span, bool),
    ) -> Control {
        let unit = self.reserve();
        let mut order: Vec<u32> = (0..variables.len() as u32).collect();
        let rank = |i: &u32| {
            let v = &variables[*i as usize];
            self.params
                .iter()
                .position(|p| p == v)
                .unwrap_or(usize::MAX)
        };
        order.sort_by_key(rank);
        let names = variables.iter().map(|v| self.name_of(*v)).collect();
        let label = self.unique_label(label);
        let info = ControlInfo {
            unit,
            variables: names,
            order,
            label,
            span,
            suspended,
            plain: false,
        };
        let (index, _) = self.program.controls.insert_full(key, info);
        Control(index as u32)
    }

    fn name_of(&self, v: LocalId) -> Rc<str> {
        let name = self.script.locals.get(v.0 as usize);
        name.map_or_else(|| "x".into(), Rc::clone)
    }

    fn define_head(
        &mut self,
        control: Control,
        variables: &[LocalId],
        scope: &Scope,
        (head, span): (Head, Span),
    ) {
        let info = &self.program.controls[control.0 as usize];
        let (id, name) = (info.unit, info.label.as_str().into());
        let unit = Unit {
            name,
            span,
            captures: variables.len() as u32,
            frame: scope.next,
            body: Body::Head(head),
        };
        self.define(id, unit);
    }

    fn head(&mut self, scope: &mut Scope, e: &Expr) -> Head {
        match &e.kind {
            ExprKind::Prefix { head, fields, body } => {
                Head::Prefix(self.prefix(scope, head, fields, body))
            }
            ExprKind::Process(ProcOp::ExtChoice, ..) => {
                let mut operands = Vec::new();
                self.flatten(scope, e, &mut operands);
                Head::ExtChoice(operands)
            }
            ExprKind::Process(ProcOp::IntChoice, p, q) => {
                Head::IntChoice(vec![self.expr(scope, p), self.expr(scope, q)])
            }
            ExprKind::Replicated {
                op: op @ (RepOp::ExtChoice | RepOp::IntChoice),
                stmts,
                body,
                ..
            } => {
                let stmts = self.stmts(scope, stmts);
                let body = self.expr(scope, body);
                match op {
                    RepOp::ExtChoice => Head::ReplicatedExt(stmts, body),
                    _ => Head::ReplicatedInt(stmts, body),
                }
            }
            _ => Head::Other(self.expr(scope, e)),
        }
    }

    /// The operands of nested `[]`, which is associative with respect to transitions.
    fn flatten(&mut self, scope: &mut Scope, e: &Expr, operands: &mut Vec<Code>) {
        match &e.kind {
            ExprKind::Process(ProcOp::ExtChoice, p, q) => deep(|| {
                self.flatten(scope, p, operands);
                self.flatten(scope, q, operands);
            }),
            _ => operands.push(self.expr(scope, e)),
        }
    }

    fn prefix(&mut self, scope: &mut Scope, head: &Expr, fields: &[Field], body: &Expr) -> Prefix {
        let head = self.expr(scope, head);
        let compiled = fields.iter().map(|f| self.field(scope, f)).collect();
        let last = fields.iter().rposition(|f| matches!(f, Field::Nondet(..)));
        let rest = last.map(|i| {
            let (control, slots) = self.rest(scope, &fields[i + 1..], body);
            (i + 1, control, slots)
        });
        Prefix {
            head,
            fields: compiled,
            body: self.expr(scope, body),
            rest,
        }
    }

    /// The control state that follows a `$` field: `event fields -> body` with the event so far as
    /// its first variable.
    fn rest(&mut self, scope: &Scope, fields: &[Field], body: &Expr) -> (Control, Box<[Slot]>) {
        let canon = self.program.canons.tail(fields, body);
        let key = self.key(REST, &canon);
        let variables = self.expand(&canon.free);
        let slots = self.slots(scope, &variables);
        if let Some(index) = self.program.controls.get_index_of(&key) {
            return (Control(index as u32), slots);
        }
        let label = format!("{}.$", self.definition);
        let control = self.reserve_control(key, &variables, label, (body.span, false));
        if let Some((_, info)) = self.program.controls.get_index_mut(control.0 as usize) {
            info.variables.insert(0, "event".into());
            info.order = std::iter::once(0)
                .chain(info.order.iter().map(|i| i + 1))
                .collect();
        }
        let mut inner = Scope::default();
        let event = inner.fresh();
        for v in &variables {
            inner.bind(*v);
        }
        let head = Code {
            kind: Kind::Slot(event),
            span: body.span,
        };
        let compiled = fields.iter().map(|f| self.field(&mut inner, f)).collect();
        let prefix = Prefix {
            head,
            fields: compiled,
            body: self.expr(&mut inner, body),
            rest: None,
        };
        let id = self.program.controls[control.0 as usize].unit;
        let unit = Unit {
            name: Rc::clone(&self.definition),
            span: body.span,
            captures: variables.len() as u32 + 1,
            frame: inner.next,
            body: Body::Head(Head::Prefix(prefix)),
        };
        self.define(id, unit);
        (control, slots)
    }

    /// The name under which a control state is shown.
    fn label(&self, e: &Expr, whole: bool) -> String {
        if whole {
            return self.definition.to_string();
        }
        match self.first_channel(e) {
            Some(channel) => format!("{}.{channel}", self.definition),
            None => format!("{}.…", self.definition),
        }
    }

    /// The channel (or what stands in its place) of the first prefix in the text.
    fn first_channel(&self, e: &Expr) -> Option<String> {
        deep(|| match &e.kind {
            ExprKind::Prefix { head, .. } => self.head_name(head),
            ExprKind::Process(_, p, q)
            | ExprKind::Parallel(p, _, q)
            | ExprKind::Link(p, _, q)
            | ExprKind::Exception(p, _, q)
            | ExprKind::SyncChoice(p, _, q)
            | ExprKind::SyncInterrupt(p, _, q)
            | ExprKind::AlphaParallel(p, _, _, q) => {
                self.first_channel(p).or_else(|| self.first_channel(q))
            }
            ExprKind::Guard(_, p) | ExprKind::Hide(p, _) | ExprKind::Project(p, _) => {
                self.first_channel(p)
            }
            ExprKind::If(_, p, q) => self.first_channel(p).or_else(|| self.first_channel(q)),
            ExprKind::Rename(p, _) | ExprKind::Let(_, p) => self.first_channel(p),
            ExprKind::Replicated { body, .. } | ExprKind::ReplicatedLink { body, .. } => {
                self.first_channel(body)
            }
            ExprKind::Apply(f, _) => self.head_name(f),
            ExprKind::Global(_) => self.head_name(e),
            _ => None,
        })
    }

    fn head_name(&self, e: &Expr) -> Option<String> {
        match &e.kind {
            ExprKind::Channel(c) => {
                let channel = self.script.channels.get(c.0 as usize)?;
                Some(channel.name.to_string())
            }
            ExprKind::Global(g) => Some(self.script.globals.get(g.0 as usize)?.name.to_string()),
            ExprKind::Local(v) => Some(self.name_of(*v).to_string()),
            ExprKind::Dot(parts) => self.head_name(parts.first()?),
            _ => None,
        }
    }
}
