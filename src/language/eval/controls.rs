//! Compiling process expressions: which become control states, and how those are named.

use std::ops::Range;

use super::code::{
    self, Code, CodeKind, ControlInfo, Head, PlacedFields, Prefix, Slot, Unit, UnitBody,
};
use super::compile::Compiler;
use super::scope::{Scope, name_of};
use crate::process::term::ControlState;
use crate::script::core::{
    Builtin, Expr, ExprKind, Field, ProcOp, RepOp, Script, VariableId, no_operator,
};
use crate::script::visit::{self, Mention, Visit};
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

/// Notes the places of the control states in an expression that repeats another: it is not compiled again.
struct Repeats<'a, 'b>(&'a mut Compiler<'b>);

impl Visit for Repeats<'_, '_> {
    fn mention(&mut self, _: Mention, _: Span) {}

    fn expression(&mut self, e: &Expr) {
        let program = &mut self.0.program;
        let canon = program.canons.expr(e);
        let key = self.0.lifted.key(WHOLE, &canon);
        if let Some(control) = program.find_control(&key) {
            program.stands_at(control, e.span);
        }
    }
}

impl Compiler<'_> {
    /// Compiles what [`Compiler::expr`] leaves: the process operators.
    pub(super) fn process_kind(&mut self, scope: &mut Scope, e: &Expr, whole: bool) -> CodeKind {
        if is_head(e) {
            return self.suspend(scope, e, whole);
        }
        match &e.kind {
            ExprKind::Guard(b, p) => CodeKind::Guard(self.boxed(scope, b), self.boxed(scope, p)),
            ExprKind::Process(op, p, q) => {
                let p = self.boxed(scope, p);
                let q = match op {
                    // Whatever runs only after something else is kept suspended; if `P = a -> SKIP;
                    // P` opened its right operand at once, it would never end.
                    ProcOp::Seq | ProcOp::Sliding => Box::new(self.later(scope, q)),
                    ProcOp::ExtChoice
                    | ProcOp::IntChoice
                    | ProcOp::Interleave
                    | ProcOp::Interrupt => self.boxed(scope, q),
                };
                CodeKind::Operator(*op, p, q)
            }
            ExprKind::Parallel(p, a, q) => CodeKind::Parallel(self.three(scope, [p, a, q])),
            ExprKind::AlphaParallel(p, a, b, q) => CodeKind::AlphaParallel(Box::new([
                self.expr(scope, p),
                self.expr(scope, a),
                self.expr(scope, b),
                self.expr(scope, q),
            ])),
            ExprKind::Exception(p, a, q) => {
                let (p, a) = (self.expr(scope, p), self.expr(scope, a));
                CodeKind::Exception(Box::new([p, a, self.later(scope, q)]))
            }
            ExprKind::SyncChoice(p, a, q) => CodeKind::SyncChoice(self.three(scope, [p, a, q])),
            ExprKind::SyncInterrupt(p, a, q) => {
                CodeKind::SyncInterrupt(self.three(scope, [p, a, q]))
            }
            ExprKind::Link(p, links, q) => {
                let p = self.boxed(scope, p);
                let links = self.links(scope, links);
                CodeKind::Link(p, links, self.boxed(scope, q))
            }
            ExprKind::Hide(p, a) => {
                CodeKind::Hide(self.boxed(scope, p), self.boxed(scope, a), false)
            }
            ExprKind::Project(p, a) => {
                CodeKind::Hide(self.boxed(scope, p), self.boxed(scope, a), true)
            }
            ExprKind::Rename(p, links) => {
                let p = self.boxed(scope, p);
                CodeKind::Rename(p, self.links(scope, links))
            }
            ExprKind::Replicated { .. } | ExprKind::ReplicatedLink { .. } => {
                self.replicated(scope, e)
            }
            // Heads were suspended above, and data was compiled by the caller.
            no_operator!() | ExprKind::Prefix { .. } => CodeKind::Builtin(Builtin::Stop),
        }
    }

    /// Compiles the replicated operators that are not opened at first.
    fn replicated(&mut self, scope: &mut Scope, e: &Expr) -> CodeKind {
        match &e.kind {
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
                CodeKind::Replicated {
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
                CodeKind::ReplicatedLink { links, stmts, body }
            }
            // Nothing else comes here.
            _ => CodeKind::Builtin(Builtin::Stop),
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
    fn suspend(&mut self, scope: &Scope, e: &Expr, whole: bool) -> CodeKind {
        // Equal expressions are one control state wherever they stand: their environments have the
        // same variables in the same order, so the states are equal if the values are.
        let canon = self.program.canons.expr(e);
        let key = self.lifted.key(WHOLE, &canon);
        let variables = self.lifted.expand(&canon.free);
        let slots = scope.slots(&variables);
        if let Some(control) = self.program.find_control(&key) {
            self.program.stands_at(control, e.span);
            visit::expr(e, &mut Repeats(self));
            return CodeKind::Suspend(control, slots);
        }
        let label = if whole {
            self.definition.to_string()
        } else {
            part_label(self.script, &self.definition, e)
        };
        let info = ControlInfo {
            suspended: !is_head(e),
            plain: matches!(&e.kind, ExprKind::Local(v) if variables.as_slice() == [*v]),
            ..self.control_info(&variables, label, e.span)
        };
        // Before its code is compiled, which may mention it.
        let unit = info.unit;
        let control = self.program.add_control(key, info);
        let mut inner = Scope::with(&variables);
        let head = deep(|| self.head(&mut inner, e));
        let shown = self.program.control(control).map(|info| &*info.label);
        let code = Unit {
            name: shown.unwrap_or_default().into(),
            span: e.span,
            captures: variables.len() as u32,
            frame: inner.size(),
            body: UnitBody::Head(head),
        };
        self.program.define(unit, code);
        CodeKind::Suspend(control, slots)
    }

    /// The data of a new control state, with a place for its code.
    fn control_info(&mut self, variables: &[VariableId], label: String, span: Span) -> ControlInfo {
        let unit = self.program.reserve(&self.definition);
        // People read a state as the call of its definition: parameters first, as they are written.
        // Sorting is stable, so other variables follow in the order of their occurrence.
        let mut order: Vec<u32> = (0..variables.len() as u32).collect();
        let rank = |i: &u32| {
            let v = &variables[*i as usize];
            self.params
                .iter()
                .position(|p| p == v)
                .unwrap_or(usize::MAX)
        };
        order.sort_by_key(rank);
        let names = variables.iter().map(|v| name_of(self.script, *v));
        ControlInfo {
            unit,
            variables: names.collect(),
            order,
            label,
            span,
            also: Vec::new(),
            suspended: false,
            plain: false,
        }
    }

    fn head(&mut self, scope: &mut Scope, e: &Expr) -> Head {
        match &e.kind {
            ExprKind::Prefix { head, fields, body } => {
                Head::Prefix(self.prefix(scope, head, fields, body))
            }
            // One state for the whole choice, not one for each `[]` of it.
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
        let (compiled, mentioned) = self.fields(scope, fields, body);
        // What follows the last `$` is a state of its own, since the choice before it is made by a
        // step of its own.
        let last = fields.iter().rposition(|f| matches!(f, Field::Nondet(..)));
        let rest = last.map(|i| {
            // Its place is the communication: people look for it there, also when it is over.
            let place = code::communication(&head, &compiled);
            let (control, slots) = self.rest(scope, &fields[i + 1..], body, place);
            (i + 1, control, slots)
        });
        Prefix {
            head,
            fields: compiled,
            body: self.expr(scope, body),
            mentioned,
            rest,
        }
    }

    /// The fields of a prefix, and [`Prefix::mentioned`].
    fn fields(
        &mut self,
        scope: &mut Scope,
        fields: &[Field],
        body: &Expr,
    ) -> (PlacedFields, Option<Box<[Slot]>>) {
        let mut compiled = Vec::with_capacity(fields.len());
        // The places of the variables of each input.
        let mut inputs = Vec::new();
        for field in fields {
            let before = scope.size();
            compiled.push(self.field(scope, field));
            if matches!(field, Field::Input(..)) {
                inputs.push(before..scope.size());
            }
        }
        // Those of a `let` around the prefix, which were lifted out of it, do not depend on its inputs.
        let free = self.program.canons.expr(body).free;
        let mut mentioned = scope.slots(&free).into_vec();
        mentioned.retain(|slot| inputs.iter().any(|input| input.contains(slot)));
        let is_mentioned = |input: &Range<Slot>| mentioned.iter().any(|slot| input.contains(slot));
        let repeats = !inputs.iter().all(is_mentioned);
        (compiled, repeats.then(|| mentioned.into()))
    }

    /// The control state that follows a `$` field: `event fields -> body` with the event so far as
    /// its first variable.
    fn rest(
        &mut self,
        scope: &Scope,
        fields: &[Field],
        body: &Expr,
        place: Span,
    ) -> (ControlState, Box<[Slot]>) {
        let canon = self.program.canons.tail(fields, body);
        let key = self.lifted.key(REST, &canon);
        let variables = self.lifted.expand(&canon.free);
        let slots = scope.slots(&variables);
        if let Some(control) = self.program.find_control(&key) {
            self.program.stands_at(control, place);
            visit::expr(body, &mut Repeats(self));
            return (control, slots);
        }
        let label = format!("{}.$", self.definition);
        let mut info = self.control_info(&variables, label, place);
        info.variables.insert(0, "event".into());
        // The event is shown before all variables, since it is what happened first.
        let later = info.order.iter().map(|i| i + 1);
        info.order = std::iter::once(0).chain(later).collect();
        let unit = info.unit;
        let control = self.program.add_control(key, info);
        let mut inner = Scope::default();
        let event = inner.fresh();
        for v in &variables {
            inner.bind(*v);
        }
        let head = Code {
            kind: CodeKind::Slot(event),
            span: place,
        };
        let (compiled, mentioned) = self.fields(&mut inner, fields, body);
        let prefix = Prefix {
            head,
            fields: compiled,
            body: self.expr(&mut inner, body),
            mentioned,
            rest: None,
        };
        // The event so far is captured, too.
        let captures = variables.len() + 1;
        let head = UnitBody::Head(Head::Prefix(prefix));
        self.define(unit, place, captures, &inner, head);
        (control, slots)
    }
}

/// The label of a control state that is a part of a definition: with the first channel, since a
/// person looks for it in the text.
fn part_label(script: &Script, definition: &str, e: &Expr) -> String {
    match first_channel(script, e) {
        Some(channel) => format!("{definition}.{channel}"),
        None => format!("{definition}.…"),
    }
}

/// The channel (or what stands in its place) of the first prefix in the text.
fn first_channel(script: &Script, e: &Expr) -> Option<String> {
    let first = |e: &Expr| first_channel(script, e);
    deep(|| match &e.kind {
        // In the order of the text, whatever comes first when it runs.
        ExprKind::Prefix { head, .. } => head_name(script, head),
        ExprKind::Process(_, p, q)
        | ExprKind::Parallel(p, _, q)
        | ExprKind::Link(p, _, q)
        | ExprKind::Exception(p, _, q)
        | ExprKind::SyncChoice(p, _, q)
        | ExprKind::SyncInterrupt(p, _, q)
        | ExprKind::AlphaParallel(p, _, _, q)
        | ExprKind::If(_, p, q) => first(p).or_else(|| first(q)),
        ExprKind::Guard(_, p)
        | ExprKind::Hide(p, _)
        | ExprKind::Project(p, _)
        | ExprKind::Rename(p, _)
        | ExprKind::Let(_, p)
        | ExprKind::Replicated { body: p, .. }
        | ExprKind::ReplicatedLink { body: p, .. } => first(p),
        // A call has no prefix of its own; its name says as much.
        ExprKind::Apply(f, _) => head_name(script, f),
        ExprKind::Global(_) => head_name(script, e),
        _ => None,
    })
}

fn head_name(script: &Script, e: &Expr) -> Option<String> {
    match &e.kind {
        ExprKind::Channel(c) => Some(script.channels.get(c.0 as usize)?.name.to_string()),
        ExprKind::Global(g) => Some(script.globals.get(g.0 as usize)?.name.to_string()),
        ExprKind::Local(v) => Some(name_of(script, *v).to_string()),
        ExprKind::Dot(parts) => head_name(script, parts.first()?),
        _ => None,
    }
}
