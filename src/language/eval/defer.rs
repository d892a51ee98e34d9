//! Compiling what may be evaluated later or never: arguments, parts of values, and the later part of
//! a sequence comprehension.

use std::rc::Rc;

use super::code::{
    APPEND, Arg, CONCAT, Code, CodeKind, Comp, CompItems, Delayed, RANGE, Slot, StmtCode, Unit,
    UnitBody,
};
use super::compile::Compiler;
use super::fail::nowhere;
use super::patterns::variables_of;
use super::program::Program;
use super::scope::{LiftedNames, Scope};
use crate::script::core::{self, BinOp, Builtin, Expr, ExprKind, GlobalKind, Script, UnOp};
use crate::source::Span;
use crate::source::stack::deep;

impl Compiler<'_> {
    pub(super) fn args(&mut self, scope: &mut Scope, es: &[Expr]) -> Vec<Arg> {
        es.iter().map(|e| self.arg(scope, e)).collect()
    }

    pub(super) fn arg(&mut self, scope: &mut Scope, e: &Expr) -> Arg {
        match &e.kind {
            ExprKind::Local(v) if self.lifted.get(*v).is_none() => Arg::Slot(scope.slot(*v)),
            // What is cheap, or cannot fail, would cost more suspended than evaluated.
            _ if is_safe(self.script, e) => Arg::Now(self.expr(scope, e)),
            _ if is_cheap(&self.lifted, e) => {
                let code = self.expr(scope, e);
                Arg::Cheap(code, self.delayed(scope, e))
            }
            _ => Arg::Try(self.delayed(scope, e), e.span),
        }
    }

    /// A sequence: listed, a range, or a comprehension.
    pub(super) fn sequence(
        &mut self,
        scope: &mut Scope,
        e: &Expr,
        items: &core::Items,
        stmts: &[core::Stmt],
    ) -> CodeKind {
        match items {
            core::Items::List(es) if stmts.is_empty() => CodeKind::Seq(self.args(scope, es)),
            core::Items::Range(a, b) if stmts.is_empty() => {
                let a = self.boxed(scope, a);
                CodeKind::SeqRange(a, b.as_ref().map(|b| self.boxed(scope, b)))
            }
            _ => CodeKind::SeqComp(self.comprehension(scope, e, items, stmts)),
        }
    }

    fn comprehension(
        &mut self,
        scope: &mut Scope,
        e: &Expr,
        items: &core::Items,
        stmts: &[core::Stmt],
    ) -> Rc<Comp> {
        let canon = self.program.canons.expr(e);
        let free = self.lifted.expand(&canon.free);
        let mut live = scope.slots(&free).into_vec();
        let mut saved: Vec<Option<Box<[Slot]>>> = Vec::new();
        let mut compiled = Vec::new();
        // What a generator has to save grows from left to right: the free variables of the whole,
        // and those that the generators before it have bound.
        for stmt in stmts {
            match stmt {
                core::Stmt::Condition(_) => saved.push(None),
                core::Stmt::Generator(..) => saved.push(Some(live.as_slice().into())),
            }
            compiled.extend(self.stmts(scope, std::slice::from_ref(stmt)));
            if let core::Stmt::Generator(pattern, _) = stmt {
                let bound = variables_of(pattern);
                live.extend(bound.iter().map(|v| scope.slot(*v)));
            }
        }
        let items = match items {
            core::Items::List(es) => CompItems::List(self.args(scope, es)),
            core::Items::Range(a, b) => {
                let a = self.expr(scope, a);
                CompItems::Range(a, b.as_ref().map(|b| self.expr(scope, b)))
            }
        };
        self.resumable(scope, items, compiled, saved, e.span)
    }

    /// Gives each generator a unit that goes on in the middle of its source. `saved` are the
    /// variables that the statements from each generator on may need.
    fn resumable(
        &mut self,
        scope: &Scope,
        items: CompItems,
        stmts: Vec<StmtCode>,
        saved: Vec<Option<Box<[Slot]>>>,
        span: Span,
    ) -> Rc<Comp> {
        // The units are reserved first, since each of them contains the whole comprehension, and
        // that contains their numbers.
        let resume = saved.into_iter().map(|captures| {
            let captures = captures?;
            let unit = self.program.reserve(&self.definition);
            Some(Delayed { unit, captures })
        });
        let comp = Rc::new(Comp {
            items,
            stmts,
            resume: resume.collect(),
            span,
        });
        for (generator, delayed) in comp.resume.iter().enumerate() {
            let Some(Delayed { unit, captures }) = delayed else {
                continue;
            };
            let body = UnitBody::Resume {
                comp: Rc::clone(&comp),
                generator,
                slots: captures.clone(),
            };
            let resumed = Unit {
                name: Rc::clone(&self.definition),
                span,
                captures: captures.len() as u32 + 1,
                frame: scope.size(),
                body,
            };
            self.program.define(*unit, resumed);
        }
        comp
    }
}

/// Whether evaluating it at once can neither fail nor take long, nor needs the value of a
/// variable.
fn is_safe(script: &Script, e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Int(_)
        | ExprKind::Bool(_)
        | ExprKind::Char(_)
        | ExprKind::Str(_)
        | ExprKind::Ctor(_)
        | ExprKind::Channel(_)
        | ExprKind::Lambda(_)
        | ExprKind::Tuple(_) => true,
        ExprKind::Seq(core::Items::List(_), stmts) => stmts.is_empty(),
        ExprKind::Builtin(b) => !matches!(
            b,
            Builtin::Events | Builtin::TSkip | Builtin::TStop | Builtin::Proc
        ),
        ExprKind::Global(g) => script
            .globals
            .get(g.0 as usize)
            .is_some_and(|g| matches!(g.kind, GlobalKind::Function(_))),
        _ => false,
    }
}

/// Whether evaluating it takes little time once its variables are evaluated.
fn is_cheap(lifted: &LiftedNames, e: &Expr) -> bool {
    deep(|| match &e.kind {
        ExprKind::Int(_)
        | ExprKind::Bool(_)
        | ExprKind::Char(_)
        | ExprKind::Ctor(_)
        | ExprKind::Channel(_) => true,
        ExprKind::Local(v) => lifted.get(*v).is_none(),
        ExprKind::Binary(op, a, b) => {
            // Arithmetic may fail (`1 / 0`): then it is suspended like everything else.
            let arithmetic = matches!(
                op,
                BinOp::Add | BinOp::Sub | BinOp::Mul | BinOp::Div | BinOp::Mod
            );
            arithmetic && is_cheap(lifted, a) && is_cheap(lifted, b)
        }
        ExprKind::Unary(UnOp::Neg, a) => is_cheap(lifted, a),
        ExprKind::Dot(es) => es.iter().all(|e| is_cheap(lifted, e)),
        _ => false,
    })
}

/// The units that every program begins with: how sequences go on.
pub(super) fn sequence_units(program: &mut Program) {
    let span = nowhere();
    let name = "^".into();
    let slot = |i: Slot| Code {
        kind: CodeKind::Slot(i),
        span,
    };
    let append = CodeKind::Append(Box::new(slot(0)), Box::new(Arg::Slot(1)));
    let range = CodeKind::SeqRange(Box::new(slot(0)), Some(Box::new(slot(1))));
    let concat = Code {
        kind: CodeKind::Builtin(Builtin::Concat),
        span,
    };
    let concat = CodeKind::Apply(Box::new(concat), vec![Arg::Slot(0)]);
    for (id, kind, captures) in [(APPEND, append, 2), (RANGE, range, 2), (CONCAT, concat, 1)] {
        // Sequences refer to these by number, so they have to be the first.
        let reserved = program.reserve(&name);
        debug_assert_eq!(reserved, id);
        let unit = Unit {
            name: Rc::clone(&name),
            span,
            captures,
            frame: captures,
            body: UnitBody::Thunk(Code { kind, span }),
        };
        program.define(id, unit);
    }
}
