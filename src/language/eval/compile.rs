//! From the core language to code: slots for variables, units for functions, thunks and control
//! states.
//!
//! Local functions, and local values that refer to themselves, are *lifted*: they become units that
//! capture the variables they need from around their `let`. A reference to one captures those
//! variables. So recursion never goes through an environment, and environments stay structural.

use std::rc::Rc;

use super::code::{
    ClauseCode, Code, CodeKind, Delayed, FieldCode, ItemsCode, LinksCode, PatternCode, Slot,
    StmtCode, Unit, UnitBody, UnitId,
};
use super::group::LetGroup;
use super::patterns::{compile_pattern, variables_of};
use super::program::Program;
use super::scope::{Lifted, LiftedNames, Scope, name_of};
use crate::script::core::{self, Expr, ExprKind, Function, Script, VariableId};
use crate::source::Span;
use crate::source::stack::deep;
use crate::value::Interner;

/// Compiles expressions of one script.
pub(super) struct Compiler<'a> {
    pub script: &'a Script,
    pub program: &'a mut Program,
    pub store: &'a mut Interner,
    pub(super) lifted: LiftedNames,
    /// The definition being compiled, and its parameters: for the names of control states.
    pub(super) definition: Rc<str>,
    pub(super) params: Vec<VariableId>,
    /// Whether the expression about to be compiled is the whole body of `definition`.
    pub(super) whole: bool,
}

impl<'a> Compiler<'a> {
    pub fn new(script: &'a Script, program: &'a mut Program, store: &'a mut Interner) -> Self {
        Self {
            script,
            program,
            store,
            lifted: LiftedNames::default(),
            definition: "".into(),
            params: Vec::new(),
            whole: false,
        }
    }

    /// Sets the name under which control states will be shown.
    pub fn enter_definition(&mut self, name: &Rc<str>) {
        self.definition = Rc::clone(name);
        self.params.clear();
    }

    /// The shown name of a definition in the one being compiled: its name, or both names if other definitions have
    /// the same.
    fn name_within(&self, name: &Rc<str>) -> Rc<str> {
        if *name != self.definition && self.program.is_common(name) {
            format!("{}/{name}", self.definition).into()
        } else {
            Rc::clone(name)
        }
    }

    /// Compiles a closed expression as a unit of its own.
    pub fn closed(&mut self, e: &Expr) -> UnitId {
        let id = self.program.reserve(&self.definition);
        self.whole = true;
        self.thunk_body(id, &[], e);
        id
    }

    fn thunk_body(&mut self, id: UnitId, captures: &[VariableId], e: &Expr) {
        let mut scope = Scope::with(captures);
        let code = self.expr(&mut scope, e);
        let body = UnitBody::Thunk(code);
        self.define(id, e.span, captures.len(), &scope, body);
    }

    /// Puts code into its place. The captured values come first in its frame.
    pub(super) fn define(
        &mut self,
        id: UnitId,
        span: Span,
        captures: usize,
        scope: &Scope,
        body: UnitBody,
    ) {
        let unit = Unit {
            name: Rc::clone(&self.definition),
            span,
            captures: captures as u32,
            frame: scope.size(),
            body,
        };
        self.program.define(id, unit);
    }

    /// Compiles one variable of a closed pattern binding whose value is in slot 0.
    pub fn closed_part(&mut self, pattern: &core::Pattern, local: VariableId) -> UnitId {
        let id = self.program.reserve(&self.definition);
        let mut scope = Scope::default();
        let whole = scope.fresh();
        let code = part(self.store, &mut scope, pattern, local, whole);
        self.define(id, pattern.span, 1, &scope, UnitBody::Thunk(code));
        id
    }

    /// Compiles a function; the units for its partial applications follow it directly.
    pub fn function(&mut self, f: &Function, span: Span, captures: &[VariableId]) -> UnitId {
        // A partial application is found by counting on from the unit of the function.
        let id = self.program.reserve(&self.definition);
        for _ in 1..f.arity.len() {
            self.program.reserve(&self.definition);
        }
        self.function_body(id, f, span, captures);
        id
    }

    fn function_body(&mut self, id: UnitId, f: &Function, span: Span, captures: &[VariableId]) {
        // Control states in the body are named after the function, and afterwards again after
        // what is around it.
        let outer = (
            Rc::clone(&self.definition),
            std::mem::take(&mut self.params),
        );
        // A λ has no name of its own.
        if !f.name.is_empty() && &*f.name != "\\" {
            self.definition = self.name_within(&f.name);
        }
        let mut scope = Scope::with(captures);
        let mut clauses = Vec::new();
        for clause in &f.clauses {
            let patterns: Vec<PatternCode> = clause
                .groups
                .iter()
                .flatten()
                .map(|p| compile_pattern(self.store, &mut scope, p))
                .collect();
            // The names of the parameters of this clause order the variables of its states.
            self.params = clause
                .groups
                .iter()
                .flatten()
                .flat_map(variables_of)
                .collect();
            // A state that is the whole body is shown as the function itself, without a channel.
            self.whole = true;
            let body = self.expr(&mut scope, &clause.body);
            clauses.push(ClauseCode { patterns, body });
        }
        for groups in 1..f.arity.len() {
            let partial = Unit {
                name: Rc::clone(&f.name),
                span,
                captures: captures.len() as u32,
                frame: 0,
                body: UnitBody::Partial {
                    function: id,
                    groups,
                },
            };
            self.program.define(id + groups as UnitId, partial);
        }
        let unit = Unit {
            name: Rc::clone(&f.name),
            span,
            captures: captures.len() as u32,
            frame: scope.size(),
            body: UnitBody::Function {
                arity: f.arity.clone(),
                clauses,
                parameters: self.parameter_names(f),
            },
        };
        self.program.define(id, unit);
        (self.definition, self.params) = outer;
    }

    /// The names of the parameters of a function; none for a parameter that no clause names.
    fn parameter_names(&self, f: &Function) -> Vec<Option<Rc<str>>> {
        let mut names: Vec<Option<Rc<str>>> = vec![None; f.arity.iter().sum()];
        for clause in &f.clauses {
            for (name, pattern) in names.iter_mut().zip(clause.groups.iter().flatten()) {
                if let (None, core::PatternKind::Bind(v)) = (&name, &pattern.kind) {
                    *name = Some(name_of(self.script, *v));
                }
            }
        }
        names
    }

    /// An expression as a unit that captures what it needs.
    pub(super) fn delayed(&mut self, scope: &Scope, e: &Expr) -> Delayed {
        let canon = self.program.canons.expr(e);
        let captures = self.lifted.expand(&canon.free);
        let unit = self.program.reserve(&self.definition);
        // An argument is never the whole body of a definition.
        let whole = std::mem::take(&mut self.whole);
        self.thunk_body(unit, &captures, e);
        self.whole = whole;
        Delayed {
            unit,
            captures: scope.slots(&captures),
        }
    }

    pub(super) fn boxed(&mut self, scope: &mut Scope, e: &Expr) -> Box<Code> {
        Box::new(self.expr(scope, e))
    }

    pub(super) fn exprs(&mut self, scope: &mut Scope, es: &[Expr]) -> Vec<Code> {
        es.iter().map(|e| self.expr(scope, e)).collect()
    }

    /// Compiles an expression into the frame of `scope`.
    pub(super) fn expr(&mut self, scope: &mut Scope, e: &Expr) -> Code {
        // It holds for this expression, not for its parts.
        let whole = std::mem::take(&mut self.whole);
        let kind = deep(|| self.kind(scope, e, whole));
        Code { kind, span: e.span }
    }

    fn kind(&mut self, scope: &mut Scope, e: &Expr, whole: bool) -> CodeKind {
        if let Some(leaf) = self.leaf(scope, e) {
            return leaf;
        }
        match &e.kind {
            ExprKind::Tuple(es) => CodeKind::Tuple(self.args(scope, es)),
            ExprKind::Dot(es) => CodeKind::Dot(self.exprs(scope, es)),
            ExprKind::Seq(items, stmts) => self.sequence(scope, e, items, stmts),
            ExprKind::Set(items, stmts) => {
                // Statements bind the variables of what stands before them, so they are compiled
                // first.
                let stmts = self.stmts(scope, stmts);
                CodeKind::Set(self.items(scope, items), stmts)
            }
            ExprKind::Productions(es, stmts) => {
                let stmts = self.stmts(scope, stmts);
                CodeKind::Productions(self.exprs(scope, es), stmts)
            }
            ExprKind::Map(pairs) => {
                let pairs = pairs
                    .iter()
                    .map(|(k, v)| (self.expr(scope, k), self.arg(scope, v)));
                CodeKind::Map(pairs.collect())
            }
            ExprKind::Apply(f, args) => {
                let f = self.boxed(scope, f);
                CodeKind::Apply(f, self.args(scope, args))
            }
            ExprKind::Binary(core::BinOp::Concat, a, b) => {
                // `^` is not strict on the right: `s^t` begins with the items of `s`, whatever `t`
                // is.
                let a = self.boxed(scope, a);
                CodeKind::Append(a, Box::new(self.arg(scope, b)))
            }
            ExprKind::Binary(op, a, b) => {
                CodeKind::Binary(*op, self.boxed(scope, a), self.boxed(scope, b))
            }
            ExprKind::Unary(op, a) => CodeKind::Unary(*op, self.boxed(scope, a)),
            ExprKind::If(c, a, b) => CodeKind::If(
                self.boxed(scope, c),
                self.boxed(scope, a),
                self.boxed(scope, b),
            ),
            ExprKind::Let(defs, body) => {
                let bindings = self.local_defs(scope, defs);
                // What a `let` binds is not the body; what stands after `within` is.
                self.whole = whole;
                CodeKind::Let(bindings, self.boxed(scope, body))
            }
            ExprKind::Lambda(f) => {
                let canon = self.program.canons.function(f);
                let captures = self.lifted.expand(&canon.free);
                let unit = self.function(f, e.span, &captures);
                let captures = scope.slots(&captures);
                CodeKind::Lambda(Delayed { unit, captures })
            }
            _ => self.process_kind(scope, e, whole),
        }
    }

    /// Compiles a name or a literal; none if it is anything else.
    fn leaf(&mut self, scope: &Scope, e: &Expr) -> Option<CodeKind> {
        Some(match &e.kind {
            ExprKind::Local(v) => match self.lifted.get(*v) {
                Some(lifted) => CodeKind::Lifted(lifted.unit, scope.slots(&lifted.captures)),
                None => CodeKind::Slot(scope.slot(*v)),
            },
            ExprKind::Global(g) => CodeKind::Global(*g),
            ExprKind::Type(t) => CodeKind::Type(*t),
            ExprKind::Ctor(c) => CodeKind::Ctor(*c),
            ExprKind::Channel(c) => CodeKind::Channel(*c),
            ExprKind::Builtin(b) => {
                self.program.mention(*b);
                CodeKind::Builtin(*b)
            }
            ExprKind::Int(i) => CodeKind::Const(self.store.int(*i)),
            ExprKind::Bool(b) => CodeKind::Const(self.store.bool(*b)),
            ExprKind::Char(c) => CodeKind::Const(self.store.char(*c)),
            ExprKind::Str(s) => CodeKind::Const(self.store.string(s)),
            _ => return None,
        })
    }

    fn items(&mut self, scope: &mut Scope, items: &core::Items) -> ItemsCode {
        match items {
            core::Items::List(es) => ItemsCode::List(self.exprs(scope, es)),
            core::Items::Range(a, b) => {
                let a = self.boxed(scope, a);
                ItemsCode::Range(a, b.as_ref().map(|b| self.boxed(scope, b)))
            }
        }
    }

    pub(super) fn stmts(&mut self, scope: &mut Scope, stmts: &[core::Stmt]) -> Vec<StmtCode> {
        let compiled = stmts.iter().map(|stmt| match stmt {
            core::Stmt::Generator(p, e) => {
                let e = self.expr(scope, e);
                StmtCode::Generator(compile_pattern(self.store, scope, p), e)
            }
            core::Stmt::Condition(e) => StmtCode::Condition(self.expr(scope, e)),
        });
        compiled.collect()
    }

    pub(super) fn links(&mut self, scope: &mut Scope, links: &core::Links) -> Box<LinksCode> {
        let stmts = self.stmts(scope, &links.stmts);
        let pairs = links
            .pairs
            .iter()
            .map(|(a, b)| (self.expr(scope, a), self.expr(scope, b)))
            .collect();
        Box::new(LinksCode { pairs, stmts })
    }

    pub(super) fn field(&mut self, scope: &mut Scope, field: &core::Field) -> (FieldCode, Span) {
        match field {
            core::Field::Output(e) => {
                // An output becomes part of an event.
                let kind = CodeKind::Whole(self.boxed(scope, e));
                (FieldCode::Output(Code { kind, span: e.span }), e.span)
            }
            core::Field::Input(p, set) => {
                let set = set.as_ref().map(|e| self.expr(scope, e));
                (
                    FieldCode::Input(compile_pattern(self.store, scope, p), set),
                    p.span,
                )
            }
            core::Field::Nondet(p, set) => {
                let set = set.as_ref().map(|e| self.expr(scope, e));
                (
                    FieldCode::Nondet(compile_pattern(self.store, scope, p), set),
                    p.span,
                )
            }
        }
    }

    /// Compiles the definitions of a `let`; the lazy ones come back in an order in which each
    /// follows those it needs.
    fn local_defs(&mut self, scope: &mut Scope, defs: &[core::LocalDef]) -> Vec<(Slot, Delayed)> {
        // Lifted definitions come first: the values may mention them, in whatever order they stand.
        let group = LetGroup::new(defs, &mut self.program.canons);
        self.lift(&group, defs);
        let mut bindings = Vec::new();
        for i in group.values_in_order() {
            let core::LocalDef::Value(pattern, e) = &defs[i] else {
                continue;
            };
            let value = self.delayed(scope, e);
            if let core::PatternKind::Bind(v) = pattern.kind {
                bindings.push((scope.bind(v), value));
                continue;
            }
            // A pattern is matched once for each variable that is used: each is a thunk of its own
            // over the value, so one that does not match is an error only where a variable is used.
            let whole = scope.fresh();
            bindings.push((whole, value));
            for v in variables_of(pattern) {
                let unit = self.closed_part(pattern, v);
                let captures = [whole].into();
                bindings.push((scope.bind(v), Delayed { unit, captures }));
            }
        }
        bindings
    }

    /// Makes units of the functions and of the values that refer to themselves.
    fn lift(&mut self, group: &LetGroup, defs: &[core::LocalDef]) {
        for member in group.lifted() {
            let own = group.captures(member);
            let captures: Rc<[VariableId]> = self.lifted.expand(&own).into();
            // All units are reserved before any is compiled, since the definitions may mention each
            // other.
            for name in group.names(member) {
                let unit = self.program.reserve(&self.definition);
                if let core::LocalDef::Function(_, f, _) = &defs[member] {
                    for _ in 1..f.arity.len() {
                        self.program.reserve(&self.definition);
                    }
                }
                let captures = Rc::clone(&captures);
                self.lifted.insert(*name, Lifted { unit, captures });
            }
        }
        for member in group.lifted() {
            match &defs[member] {
                core::LocalDef::Function(id, f, span) => {
                    if let Some(lifted) = self.lifted.get(*id).cloned() {
                        self.function_body(lifted.unit, f, *span, &lifted.captures);
                    }
                }
                core::LocalDef::Value(pattern, e) => self.lift_value(pattern, e),
            }
        }
    }

    fn lift_value(&mut self, pattern: &core::Pattern, e: &Expr) {
        for v in variables_of(pattern) {
            let Some(Lifted { unit, captures }) = self.lifted.get(v).cloned() else {
                continue;
            };
            if matches!(pattern.kind, core::PatternKind::Bind(_)) {
                let name = self.script.locals.get(v.0 as usize).cloned();
                let name = name.map_or_else(
                    || Rc::clone(&self.definition),
                    |name| self.name_within(&name),
                );
                let outer = (
                    std::mem::replace(&mut self.definition, name),
                    std::mem::take(&mut self.params),
                );
                self.whole = true;
                self.thunk_body(unit, &captures, e);
                (self.definition, self.params) = outer;
                continue;
            }
            // A pattern of values that refer to themselves: every variable of it is a unit that
            // evaluates the whole right side for itself.
            let mut scope = Scope::with(&captures);
            let value = self.delayed(&scope, e);
            let whole = scope.fresh();
            let code = part(self.store, &mut scope, pattern, v, whole);
            let body = CodeKind::Let(vec![(whole, value)], Box::new(code));
            let span = e.span;
            let body = UnitBody::Thunk(Code { kind: body, span });
            self.define(unit, span, captures.len(), &scope, body);
        }
    }
}

/// The value of one variable of a pattern, for a value in a slot.
fn part(
    store: &mut Interner,
    scope: &mut Scope,
    pattern: &core::Pattern,
    local: VariableId,
    whole: Slot,
) -> Code {
    let compiled = compile_pattern(store, scope, pattern);
    Code {
        kind: CodeKind::Part(whole, Box::new(compiled), scope.slot(local)),
        span: pattern.span,
    }
}
