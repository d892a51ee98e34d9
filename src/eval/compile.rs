//! From the core language to code: slots for variables, units for functions, thunks and control
//! states.
//!
//! Local functions, and local values that refer to themselves, are *lifted*: they become units that
//! capture the variables they need from around their `let`. A reference to one captures those
//! variables. So recursion never goes through an environment, and environments stay structural.

use std::rc::Rc;

use super::canon::{Canon, Canons};
use super::code::{
    Body, Clause, Code, ControlInfo, Delayed, Field, Items, Kind, Links, Pattern, Slot, Stmt, Unit,
    UnitId,
};
use crate::script::core::{self, Builtin, Expr, ExprKind, Function, LocalId, Script};
use crate::source::Span;
use crate::source::hash::{IndexMap, Map};
use crate::source::stack::deep;
use crate::value::Store;

/// Everything compiled so far.
#[derive(Debug, Default)]
pub(super) struct Program {
    pub units: Vec<Rc<Unit>>,
    /// By what makes two control states the same; the index is the number of the state.
    pub controls: IndexMap<Box<[u32]>, ControlInfo>,
    pub(super) canons: Canons,
    /// Built-in functions that were met since somebody looked.
    pub mentioned: Vec<Builtin>,
    /// Labels of control states that are taken, and how often.
    labels: Map<String, u32>,
}

/// A lifted definition.
#[derive(Clone, Debug)]
pub(super) struct Lifted {
    unit: UnitId,
    captures: Rc<[LocalId]>,
}

/// The variables of one unit.
#[derive(Debug, Default)]
pub(super) struct Scope {
    slots: Map<LocalId, Slot>,
    pub(super) next: Slot,
}

impl Scope {
    /// A frame that starts with captured variables.
    pub(super) fn with(captures: &[LocalId]) -> Self {
        let mut scope = Self::default();
        for v in captures {
            scope.bind(*v);
        }
        scope
    }

    pub(super) fn bind(&mut self, v: LocalId) -> Slot {
        let slot = self.fresh();
        self.slots.insert(v, slot);
        slot
    }

    pub(super) fn fresh(&mut self) -> Slot {
        self.next += 1;
        self.next - 1
    }

    /// The slot of a variable. Resolution guarantees that there is one; otherwise the slot lies
    /// outside every frame, which evaluation reports.
    pub(super) fn slot(&self, v: LocalId) -> Slot {
        self.slots.get(&v).copied().unwrap_or(Slot::MAX)
    }
}

/// Compiles expressions of one script.
pub(super) struct Compiler<'a> {
    pub script: &'a Script,
    pub program: &'a mut Program,
    pub store: &'a mut Store,
    pub(super) lifted: Map<LocalId, Lifted>,
    /// The definition being compiled, and its parameters: for the names of control states.
    pub(super) definition: Rc<str>,
    pub(super) params: Vec<LocalId>,
    /// Whether the expression about to be compiled is the whole body of `definition`.
    pub(super) whole: bool,
}

impl<'a> Compiler<'a> {
    pub fn new(script: &'a Script, program: &'a mut Program, store: &'a mut Store) -> Self {
        Self {
            script,
            program,
            store,
            lifted: Map::default(),
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

    /// A place for a unit that is compiled next.
    pub(super) fn reserve(&mut self) -> UnitId {
        self.program.units.push(Rc::new(Unit {
            name: Rc::clone(&self.definition),
            span: Span {
                file: crate::source::FileId(0),
                start: 0,
                end: 0,
            },
            captures: 0,
            frame: 0,
            body: Body::Pending,
        }));
        (self.program.units.len() - 1) as UnitId
    }

    pub(super) fn define(&mut self, id: UnitId, unit: Unit) {
        self.program.units[id as usize] = Rc::new(unit);
    }

    /// Compiles a closed expression as a unit of its own.
    pub fn closed(&mut self, e: &Expr) -> UnitId {
        let id = self.reserve();
        self.whole = true;
        self.thunk_body(id, &[], e);
        id
    }

    fn thunk_body(&mut self, id: UnitId, captures: &[LocalId], e: &Expr) {
        let mut scope = Scope::with(captures);
        let code = self.expr(&mut scope, e);
        let unit = Unit {
            name: Rc::clone(&self.definition),
            span: e.span,
            captures: captures.len() as u32,
            frame: scope.next,
            body: Body::Thunk(code),
        };
        self.define(id, unit);
    }

    /// Compiles one variable of a closed pattern binding whose value is in slot 0.
    pub fn closed_part(&mut self, pattern: &core::Pattern, local: LocalId) -> UnitId {
        let id = self.reserve();
        let mut scope = Scope::default();
        let whole = scope.fresh();
        let code = self.part(&mut scope, pattern, local, whole);
        let unit = Unit {
            name: Rc::clone(&self.definition),
            span: pattern.span,
            captures: 1,
            frame: scope.next,
            body: Body::Thunk(code),
        };
        self.define(id, unit);
        id
    }

    fn part(
        &mut self,
        scope: &mut Scope,
        pattern: &core::Pattern,
        local: LocalId,
        whole: Slot,
    ) -> Code {
        let compiled = self.pattern(scope, pattern);
        Code {
            kind: Kind::Part(whole, Box::new(compiled), scope.slot(local)),
            span: pattern.span,
        }
    }

    /// Compiles a function; the units for its partial applications follow it directly.
    pub fn function(&mut self, f: &Function, span: Span, captures: &[LocalId]) -> UnitId {
        let id = self.reserve();
        for _ in 1..f.arity.len() {
            self.reserve();
        }
        self.function_body(id, f, span, captures);
        id
    }

    fn function_body(&mut self, id: UnitId, f: &Function, span: Span, captures: &[LocalId]) {
        let outer = (
            Rc::clone(&self.definition),
            std::mem::take(&mut self.params),
        );
        // A λ has no name of its own.
        if !f.name.is_empty() && &*f.name != "\\" {
            self.definition = Rc::clone(&f.name);
        }
        let mut scope = Scope::with(captures);
        let mut clauses = Vec::new();
        for clause in &f.clauses {
            let patterns: Vec<Pattern> = clause
                .groups
                .iter()
                .flatten()
                .map(|p| self.pattern(&mut scope, p))
                .collect();
            self.params = clause
                .groups
                .iter()
                .flatten()
                .flat_map(variables_of)
                .collect();
            self.whole = true;
            let body = self.expr(&mut scope, &clause.body);
            clauses.push(Clause { patterns, body });
        }
        for groups in 1..f.arity.len() {
            let partial = Unit {
                name: Rc::clone(&f.name),
                span,
                captures: captures.len() as u32,
                frame: 0,
                body: Body::Partial {
                    function: id,
                    groups,
                },
            };
            self.define(id + groups as UnitId, partial);
        }
        let unit = Unit {
            name: Rc::clone(&f.name),
            span,
            captures: captures.len() as u32,
            frame: scope.next,
            body: Body::Function {
                arity: f.arity.clone(),
                clauses,
            },
        };
        self.define(id, unit);
        (self.definition, self.params) = outer;
    }

    /// The variables whose values stand for these free variables: a lifted definition stands for
    /// what it captures.
    pub(super) fn expand(&self, free: &[LocalId]) -> Vec<LocalId> {
        let mut all = Vec::new();
        for v in free {
            match self.lifted.get(v) {
                Some(lifted) => all.extend(lifted.captures.iter().copied()),
                None => all.push(*v),
            }
        }
        let mut seen = Vec::new();
        all.retain(|v| {
            let new = !seen.contains(v);
            seen.push(*v);
            new
        });
        all
    }

    /// What tells two uses of one canonical expression apart: which lifted definitions its free
    /// variables are, and which variables coincide.
    pub(super) fn key(&self, tag: u32, canon: &Canon) -> Box<[u32]> {
        let expanded = self.expand(&canon.free);
        let place = |v: &LocalId| expanded.iter().position(|w| w == v).unwrap_or(0) as u32;
        let mut key = vec![tag, canon.id];
        for v in canon.free.iter() {
            match self.lifted.get(v) {
                Some(lifted) => {
                    key.extend([u32::MAX, lifted.unit]);
                    key.extend(lifted.captures.iter().map(place));
                }
                None => key.push(place(v)),
            }
        }
        key.into()
    }

    pub(super) fn slots(&self, scope: &Scope, variables: &[LocalId]) -> Box<[Slot]> {
        variables.iter().map(|v| scope.slot(*v)).collect()
    }

    /// An expression as a unit that captures what it needs.
    pub(super) fn delayed(&mut self, scope: &Scope, e: &Expr) -> Delayed {
        let canon = self.program.canons.expr(e);
        let captures = self.expand(&canon.free);
        let unit = self.reserve();
        let whole = std::mem::take(&mut self.whole);
        self.thunk_body(unit, &captures, e);
        self.whole = whole;
        Delayed {
            unit,
            captures: self.slots(scope, &captures),
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
        let whole = std::mem::take(&mut self.whole);
        let kind = deep(|| self.kind(scope, e, whole));
        Code { kind, span: e.span }
    }

    fn kind(&mut self, scope: &mut Scope, e: &Expr, whole: bool) -> Kind {
        match &e.kind {
            ExprKind::Local(v) => self.local(scope, *v),
            ExprKind::Global(g) => Kind::Global(*g),
            ExprKind::Type(t) => Kind::Type(*t),
            ExprKind::Ctor(c) => Kind::Ctor(*c),
            ExprKind::Channel(c) => Kind::Channel(*c),
            ExprKind::Builtin(b) => {
                self.program.mentioned.push(*b);
                Kind::Builtin(*b)
            }
            ExprKind::Int(i) => Kind::Const(self.store.int(*i)),
            ExprKind::Bool(b) => Kind::Const(self.store.bool(*b)),
            ExprKind::Char(c) => Kind::Const(self.store.char(*c)),
            ExprKind::Str(s) => Kind::Const(self.store.string(s)),
            ExprKind::Tuple(es) => Kind::Tuple(self.args(scope, es)),
            ExprKind::Dot(es) => Kind::Dot(self.exprs(scope, es)),
            ExprKind::Seq(items, stmts) => self.sequence(scope, e, items, stmts),
            ExprKind::Set(items, stmts) => {
                let stmts = self.stmts(scope, stmts);
                Kind::Set(self.items(scope, items), stmts)
            }
            ExprKind::Productions(es, stmts) => {
                let stmts = self.stmts(scope, stmts);
                Kind::Productions(self.exprs(scope, es), stmts)
            }
            ExprKind::Map(pairs) => {
                let pairs = pairs
                    .iter()
                    .map(|(k, v)| (self.expr(scope, k), self.arg(scope, v)));
                Kind::Map(pairs.collect())
            }
            ExprKind::Apply(f, args) => {
                let f = self.boxed(scope, f);
                Kind::Apply(f, self.args(scope, args))
            }
            ExprKind::Binary(core::BinOp::Concat, a, b) => {
                let a = self.boxed(scope, a);
                Kind::Append(a, Box::new(self.arg(scope, b)))
            }
            ExprKind::Binary(op, a, b) => {
                Kind::Binary(*op, self.boxed(scope, a), self.boxed(scope, b))
            }
            ExprKind::Unary(op, a) => Kind::Unary(*op, self.boxed(scope, a)),
            ExprKind::If(c, a, b) => Kind::If(
                self.boxed(scope, c),
                self.boxed(scope, a),
                self.boxed(scope, b),
            ),
            ExprKind::Let(defs, body) => {
                let bindings = self.local_defs(scope, defs);
                self.whole = whole;
                Kind::Let(bindings, self.boxed(scope, body))
            }
            ExprKind::Lambda(f) => {
                let canon = self.program.canons.function(f);
                let captures = self.expand(&canon.free);
                let unit = self.function(f, e.span, &captures);
                let captures = self.slots(scope, &captures);
                Kind::Lambda(Delayed { unit, captures })
            }
            _ => self.process_kind(scope, e, whole),
        }
    }

    fn local(&mut self, scope: &Scope, v: LocalId) -> Kind {
        match self.lifted.get(&v) {
            Some(lifted) => Kind::Lifted(lifted.unit, self.slots(scope, &lifted.captures)),
            None => Kind::Slot(scope.slot(v)),
        }
    }

    fn items(&mut self, scope: &mut Scope, items: &core::Items) -> Items {
        match items {
            core::Items::List(es) => Items::List(self.exprs(scope, es)),
            core::Items::Range(a, b) => {
                let a = self.boxed(scope, a);
                Items::Range(a, b.as_ref().map(|b| self.boxed(scope, b)))
            }
        }
    }

    pub(super) fn stmts(&mut self, scope: &mut Scope, stmts: &[core::Stmt]) -> Vec<Stmt> {
        let compiled = stmts.iter().map(|stmt| match stmt {
            core::Stmt::Generator(p, e) => {
                let e = self.expr(scope, e);
                Stmt::Generator(self.pattern(scope, p), e)
            }
            core::Stmt::Condition(e) => Stmt::Condition(self.expr(scope, e)),
        });
        compiled.collect()
    }

    pub(super) fn links(&mut self, scope: &mut Scope, links: &core::Links) -> Box<Links> {
        let stmts = self.stmts(scope, &links.stmts);
        let pairs = links
            .pairs
            .iter()
            .map(|(a, b)| (self.expr(scope, a), self.expr(scope, b)))
            .collect();
        Box::new(Links { pairs, stmts })
    }

    pub(super) fn field(&mut self, scope: &mut Scope, field: &core::Field) -> (Field, Span) {
        match field {
            core::Field::Output(e) => {
                let kind = Kind::Whole(self.boxed(scope, e));
                (Field::Output(Code { kind, span: e.span }), e.span)
            }
            core::Field::Input(p, set) => {
                let set = set.as_ref().map(|e| self.expr(scope, e));
                (Field::Input(self.pattern(scope, p), set), p.span)
            }
            core::Field::Nondet(p, set) => {
                let set = set.as_ref().map(|e| self.expr(scope, e));
                (Field::Nondet(self.pattern(scope, p), set), p.span)
            }
        }
    }

    pub(super) fn pattern(&mut self, scope: &mut Scope, p: &core::Pattern) -> Pattern {
        use core::PatternKind as P;
        deep(|| match &p.kind {
            P::Bind(v) => Pattern::Bind(scope.bind(*v)),
            P::Wild => Pattern::Wild,
            P::Int(i) => Pattern::Const(self.store.int(*i)),
            P::Bool(b) => Pattern::Const(self.store.bool(*b)),
            P::Char(c) => Pattern::Const(self.store.char(*c)),
            P::Ctor(c) => Pattern::Ctor(*c),
            P::Channel(c) => Pattern::Channel(*c),
            P::Tuple(ps) => Pattern::Tuple(self.patterns(scope, ps)),
            P::Seq(ps) => Pattern::Seq(self.patterns(scope, ps)),
            P::Concat(front, middle, back) => {
                let front = self.patterns(scope, front);
                let back = self.patterns(scope, back);
                Pattern::Concat(front, Box::new(self.pattern(scope, middle)), back)
            }
            P::Dot(ps) => Pattern::Dot(self.patterns(scope, ps)),
            P::EmptySet => Pattern::EmptySet,
            P::Singleton(p) => Pattern::Singleton(Box::new(self.pattern(scope, p))),
            P::Both(p, q) => {
                let p = Box::new(self.pattern(scope, p));
                Pattern::Both(p, Box::new(self.pattern(scope, q)))
            }
        })
    }

    fn patterns(&mut self, scope: &mut Scope, ps: &[core::Pattern]) -> Vec<Pattern> {
        ps.iter().map(|p| self.pattern(scope, p)).collect()
    }

    /// Compiles the definitions of a `let`; the lazy ones come back in an order in which each
    /// follows those it needs.
    fn local_defs(&mut self, scope: &mut Scope, defs: &[core::LocalDef]) -> Vec<(Slot, Delayed)> {
        let group = super::group::Group::new(defs, &mut self.program.canons);
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
    fn lift(&mut self, group: &super::group::Group, defs: &[core::LocalDef]) {
        for member in group.lifted() {
            let own = group.captures(member);
            let captures: Rc<[LocalId]> = self.expand(&own).into();
            for name in group.names(member) {
                let unit = self.reserve();
                if let core::LocalDef::Function(_, f, _) = &defs[member] {
                    for _ in 1..f.arity.len() {
                        self.reserve();
                    }
                }
                let captures = Rc::clone(&captures);
                self.lifted.insert(*name, Lifted { unit, captures });
            }
        }
        for member in group.lifted() {
            match &defs[member] {
                core::LocalDef::Function(id, f, span) => {
                    if let Some(lifted) = self.lifted.get(id).cloned() {
                        self.function_body(lifted.unit, f, *span, &lifted.captures);
                    }
                }
                core::LocalDef::Value(pattern, e) => self.lift_value(pattern, e),
            }
        }
    }

    fn lift_value(&mut self, pattern: &core::Pattern, e: &Expr) {
        for v in variables_of(pattern) {
            let Some(Lifted { unit, captures }) = self.lifted.get(&v).cloned() else {
                continue;
            };
            if matches!(pattern.kind, core::PatternKind::Bind(_)) {
                let name = self.script.locals.get(v.0 as usize).cloned();
                let name = name.unwrap_or_else(|| Rc::clone(&self.definition));
                let outer = (
                    std::mem::replace(&mut self.definition, name),
                    std::mem::take(&mut self.params),
                );
                self.whole = true;
                self.thunk_body(unit, &captures, e);
                (self.definition, self.params) = outer;
                continue;
            }
            let mut scope = Scope::with(&captures);
            let value = self.delayed(&scope, e);
            let whole = scope.fresh();
            let code = self.part(&mut scope, pattern, v, whole);
            let body = Kind::Let(vec![(whole, value)], Box::new(code));
            let unit_body = Unit {
                name: Rc::clone(&self.definition),
                span: e.span,
                captures: captures.len() as u32,
                frame: scope.next,
                body: Body::Thunk(Code {
                    kind: body,
                    span: e.span,
                }),
            };
            self.define(unit, unit_body);
        }
    }

    /// A label for a new control state that no other has.
    pub(super) fn unique_label(&mut self, label: String) -> String {
        let count = self.program.labels.entry(label.clone()).or_insert(0);
        *count += 1;
        if *count == 1 {
            label
        } else {
            format!("{label}#{count}")
        }
    }
}

/// The variables that a pattern binds, in order.
pub(super) fn variables_of(p: &core::Pattern) -> Vec<LocalId> {
    use core::PatternKind as P;
    let all = |ps: &[core::Pattern]| ps.iter().flat_map(variables_of).collect::<Vec<_>>();
    deep(|| match &p.kind {
        P::Bind(v) => vec![*v],
        P::Tuple(ps) | P::Seq(ps) | P::Dot(ps) => all(ps),
        P::Concat(front, middle, back) => [all(front), variables_of(middle), all(back)].concat(),
        P::Singleton(p) => variables_of(p),
        P::Both(p, q) => [variables_of(p), variables_of(q)].concat(),
        _ => Vec::new(),
    })
}
