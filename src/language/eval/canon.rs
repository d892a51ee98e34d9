//! Expressions modulo places and variable names, and their free variables.
//!
//! Every expression gets a number such that two expressions have the same number if and only if they
//! differ at most in spans and in the names of variables. Free variables count by the order of their
//! first occurrence; the number of an expression is found from the numbers of its parts and from how
//! the variables of the parts are those of the whole, so the work is linear in the text.

use std::rc::Rc;

use crate::script::core::{
    Expr, ExprKind, Field, Function, Items, Links, LocalDef, Pattern, PatternKind, Stmt,
    VariableId, no_operator,
};
use crate::source::hash::Map;
use crate::source::list_set::ListSet;
use crate::source::stack::deep;

/// The number of an expression and its free variables in order of first occurrence.
#[derive(Clone, Debug)]
pub(super) struct Canon {
    pub id: u32,
    pub free: Rc<[VariableId]>,
}

/// Gives numbers to expressions, the same to those that are equal up to places and names.
#[derive(Clone, Debug, Default)]
pub(super) struct Canons {
    known: ListSet<u32>,
    /// By address, within one compilation: the expressions stay where they are that long.
    memo: Map<usize, Canon>,
}

/// One expression being numbered.
#[derive(Default)]
struct CanonNode {
    key: Vec<u32>,
    free: Vec<VariableId>,
    bound: Vec<VariableId>,
}

/// Marks a reference to a variable bound in the same node.
const BOUND: u32 = 1 << 31;

impl CanonNode {
    fn new(tag: u32) -> Self {
        Self {
            key: vec![tag],
            ..Self::default()
        }
    }

    fn refer(&mut self, v: VariableId) {
        if let Some(i) = self.bound.iter().position(|b| *b == v) {
            self.key.push(BOUND | i as u32);
            return;
        }
        let i = self.free.iter().position(|f| *f == v).unwrap_or_else(|| {
            self.free.push(v);
            self.free.len() - 1
        });
        self.key.push(i as u32);
    }

    fn int(&mut self, i: i64) {
        self.key.extend([i as u32, (i >> 32) as u32]);
    }

    fn count(&mut self, n: usize) {
        self.key.push(n as u32);
    }

    /// Fills in a name or a literal. False if it is anything else.
    fn leaf(&mut self, e: &Expr) -> bool {
        match &e.kind {
            ExprKind::Local(v) => {
                self.key.push(10);
                self.refer(*v);
            }
            ExprKind::Global(g) => self.key.extend([11, g.0]),
            ExprKind::Type(t) => self.key.extend([12, t.0]),
            ExprKind::Ctor(c) => self.key.extend([13, c.0]),
            ExprKind::Channel(c) => self.key.extend([14, c.0]),
            ExprKind::Builtin(b) => self.key.extend([15, *b as u32]),
            ExprKind::Int(i) => {
                self.key.push(16);
                self.int(*i);
            }
            ExprKind::Bool(b) => self.key.extend([17, u32::from(*b)]),
            ExprKind::Char(c) => self.key.extend([18, *c as u32]),
            ExprKind::Str(s) => {
                self.key.push(19);
                self.key.extend(s.chars().map(|c| c as u32));
            }
            _ => return false,
        }
        true
    }

    /// Adds the variables of a pattern as bound, then its form.
    fn pattern(&mut self, p: &Pattern) {
        deep(|| match &p.kind {
            // A variable is told from others by which binder it is, so renaming it changes nothing.
            PatternKind::Bind(v) => {
                self.bound.push(*v);
                self.key.extend([0, self.bound.len() as u32]);
            }
            PatternKind::Wild => self.key.push(1),
            PatternKind::Int(i) => {
                self.key.push(2);
                self.int(*i);
            }
            PatternKind::Bool(b) => self.key.extend([3, u32::from(*b)]),
            PatternKind::Char(c) => self.key.extend([4, *c as u32]),
            PatternKind::Ctor(c) => self.key.extend([5, c.0]),
            PatternKind::Channel(c) => self.key.extend([6, c.0]),
            PatternKind::Tuple(ps) => self.patterns(7, ps),
            PatternKind::Seq(ps) => self.patterns(8, ps),
            PatternKind::Concat(front, middle, back) => {
                self.patterns(9, front);
                self.pattern(middle);
                self.patterns(9, back);
            }
            PatternKind::Dot(ps) => self.patterns(10, ps),
            PatternKind::EmptySet => self.key.push(11),
            PatternKind::Singleton(p) => {
                self.key.push(12);
                self.pattern(p);
            }
            PatternKind::Both(p, q) => {
                self.key.push(13);
                self.pattern(p);
                self.pattern(q);
            }
        });
    }

    fn patterns(&mut self, tag: u32, ps: &[Pattern]) {
        self.key.push(tag);
        self.count(ps.len());
        for p in ps {
            self.pattern(p);
        }
    }
}

impl Canons {
    /// Forgets addresses: the expressions numbered so far may be dropped.
    pub fn end_compilation(&mut self) {
        self.memo.clear();
    }

    /// The number of an expression; it is found once a compilation, however often it is asked for.
    pub fn expr(&mut self, e: &Expr) -> Canon {
        // Without the memo an expression would be numbered once for every expression around it that
        // is compiled, which is quadratic in the depth.
        let address = std::ptr::from_ref(e) as usize;
        if let Some(known) = self.memo.get(&address) {
            return known.clone();
        }
        let canon = deep(|| {
            let mut node = CanonNode::default();
            self.fill(&mut node, e);
            self.finish(node)
        });
        self.memo.insert(address, canon.clone());
        canon
    }

    /// The number of a function: of its clauses, without its name.
    pub fn function(&mut self, f: &Function) -> Canon {
        // A number of its own, so that a function is never equal to an expression.
        let mut node = CanonNode::new(900);
        self.clauses(&mut node, f);
        self.finish(node)
    }

    /// Numbers what follows a `$` field: the remaining fields and the body.
    pub fn tail(&mut self, fields: &[Field], body: &Expr) -> Canon {
        let mut node = CanonNode::new(901);
        self.fields(&mut node, fields);
        self.part(&mut node, body);
        self.finish(node)
    }

    fn finish(&mut self, node: CanonNode) -> Canon {
        let id = self.known.insert((), &node.key);
        // A variable met free before its binder was seen is still bound here.
        let bound = node.bound;
        let free = node.free.into_iter().filter(|v| !bound.contains(v));
        Canon {
            id,
            free: free.collect(),
        }
    }

    fn part(&mut self, node: &mut CanonNode, e: &Expr) {
        let canon = self.expr(e);
        node.key.push(canon.id);
        for v in canon.free.iter() {
            node.refer(*v);
        }
    }

    fn parts<'a>(
        &mut self,
        node: &mut CanonNode,
        tag: u32,
        es: impl IntoIterator<Item = &'a Expr>,
    ) {
        node.key.push(tag);
        // The number of parts is known only when they were all seen.
        let at = node.key.len();
        node.key.push(0);
        let mut count = 0;
        for e in es {
            count += 1;
            self.part(node, e);
        }
        node.key[at] = count;
    }

    fn clauses(&mut self, node: &mut CanonNode, f: &Function) {
        node.key.extend(f.arity.iter().map(|n| *n as u32));
        node.count(f.clauses.len());
        for clause in &f.clauses {
            for p in clause.groups.iter().flatten() {
                node.pattern(p);
            }
            self.part(node, &clause.body);
        }
    }

    fn items(&mut self, node: &mut CanonNode, items: &Items) {
        match items {
            Items::List(es) => self.parts(node, 0, es),
            Items::Range(a, None) => self.parts(node, 1, [&**a]),
            Items::Range(a, Some(b)) => self.parts(node, 2, [&**a, &**b]),
        }
    }

    fn stmts(&mut self, node: &mut CanonNode, stmts: &[Stmt]) {
        node.count(stmts.len());
        for stmt in stmts {
            match stmt {
                Stmt::Generator(p, e) => {
                    node.key.push(0);
                    self.part(node, e);
                    node.pattern(p);
                }
                Stmt::Condition(e) => {
                    node.key.push(1);
                    self.part(node, e);
                }
            }
        }
    }

    /// Statements bind in what stands before them, so binders are collected first.
    fn bind_stmts(node: &mut CanonNode, stmts: &[Stmt]) {
        // Only the binders are wanted, not the form of the patterns: that comes where they stand.
        let mut scratch = CanonNode::default();
        for stmt in stmts {
            if let Stmt::Generator(p, _) = stmt {
                scratch.pattern(p);
            }
        }
        node.bound.extend(scratch.bound);
    }

    fn links(&mut self, node: &mut CanonNode, links: &Links) {
        Self::bind_stmts(node, &links.stmts);
        node.count(links.pairs.len());
        for (a, b) in &links.pairs {
            self.part(node, a);
            self.part(node, b);
        }
        self.stmts(node, &links.stmts);
    }

    fn fields(&mut self, node: &mut CanonNode, fields: &[Field]) {
        node.count(fields.len());
        for field in fields {
            match field {
                Field::Output(e) => {
                    node.key.push(0);
                    self.part(node, e);
                }
                Field::Input(p, set) | Field::Nondet(p, set) => {
                    let tag = if matches!(field, Field::Input(..)) {
                        1
                    } else {
                        2
                    };
                    self.parts(node, tag, set.as_ref());
                    node.pattern(p);
                }
            }
        }
    }

    fn local_defs(&mut self, node: &mut CanonNode, defs: &[LocalDef]) {
        // All names of a `let` are visible in all of its right sides.
        let mut scratch = CanonNode::default();
        for def in defs {
            match def {
                LocalDef::Function(id, ..) => scratch.bound.push(*id),
                LocalDef::Value(p, _) => scratch.pattern(p),
            }
        }
        node.bound.extend(scratch.bound);
        node.count(defs.len());
        for def in defs {
            match def {
                LocalDef::Function(_, f, _) => {
                    node.key.push(0);
                    self.clauses(node, f);
                }
                LocalDef::Value(p, e) => {
                    node.key.push(1);
                    node.pattern(p);
                    self.part(node, e);
                }
            }
        }
    }

    fn fill(&mut self, node: &mut CanonNode, e: &Expr) {
        if node.leaf(e) {
            return;
        }
        match &e.kind {
            ExprKind::Tuple(es) => self.parts(node, 20, es),
            ExprKind::Seq(items, stmts) | ExprKind::Set(items, stmts) => {
                let seq = matches!(e.kind, ExprKind::Seq(..));
                // The numbers tell the kinds of expressions apart, and have no other meaning.
                node.key.push(if seq { 21 } else { 22 });
                Self::bind_stmts(node, stmts);
                self.items(node, items);
                self.stmts(node, stmts);
            }
            ExprKind::Productions(es, stmts) => {
                Self::bind_stmts(node, stmts);
                self.parts(node, 23, es);
                self.stmts(node, stmts);
            }
            ExprKind::Map(pairs) => {
                self.parts(node, 24, pairs.iter().flat_map(|(k, v)| [k, v]));
            }
            ExprKind::Apply(f, args) => {
                node.key.push(25);
                self.part(node, f);
                self.parts(node, 0, args);
            }
            ExprKind::Binary(op, a, b) => {
                node.key.push(26);
                self.parts(node, *op as u32, [&**a, &**b]);
            }
            ExprKind::Unary(op, a) => {
                node.key.push(27);
                self.parts(node, *op as u32, [&**a]);
            }
            ExprKind::Dot(es) => self.parts(node, 28, es),
            ExprKind::If(c, a, b) => self.parts(node, 29, [&**c, &**a, &**b]),
            ExprKind::Let(defs, body) => {
                node.key.push(30);
                self.local_defs(node, defs);
                self.part(node, body);
            }
            ExprKind::Lambda(f) => {
                node.key.push(31);
                self.clauses(node, f);
            }
            ExprKind::Prefix { head, fields, body } => {
                node.key.push(32);
                self.part(node, head);
                self.fields(node, fields);
                self.part(node, body);
            }
            ExprKind::Guard(b, p) => self.parts(node, 33, [&**b, &**p]),
            _ => self.fill_process(node, e),
        }
    }

    fn fill_process(&mut self, node: &mut CanonNode, e: &Expr) {
        match &e.kind {
            ExprKind::Process(op, p, q) => {
                node.key.push(34);
                self.parts(node, *op as u32, [&**p, &**q]);
            }
            ExprKind::Parallel(p, a, q) => self.parts(node, 35, [&**p, &**a, &**q]),
            ExprKind::AlphaParallel(p, a, b, q) => {
                self.parts(node, 36, [&**p, &**a, &**b, &**q]);
            }
            ExprKind::Exception(p, a, q) => self.parts(node, 37, [&**p, &**a, &**q]),
            ExprKind::SyncChoice(p, a, q) => self.parts(node, 38, [&**p, &**a, &**q]),
            ExprKind::SyncInterrupt(p, a, q) => self.parts(node, 39, [&**p, &**a, &**q]),
            ExprKind::Link(p, links, q) => {
                self.parts(node, 40, [&**p]);
                self.links(node, links);
                self.part(node, q);
            }
            ExprKind::Hide(p, a) => self.parts(node, 41, [&**p, &**a]),
            ExprKind::Project(p, a) => self.parts(node, 42, [&**p, &**a]),
            ExprKind::Rename(p, links) => {
                self.parts(node, 43, [&**p]);
                self.links(node, links);
            }
            ExprKind::Replicated {
                op,
                set,
                stmts,
                body,
            } => {
                node.key.extend([44, *op as u32]);
                Self::bind_stmts(node, stmts);
                self.stmts(node, stmts);
                self.parts(node, 0, set.as_deref());
                self.part(node, body);
            }
            ExprKind::ReplicatedLink { links, stmts, body } => {
                node.key.push(45);
                Self::bind_stmts(node, stmts);
                self.links(node, links);
                self.stmts(node, stmts);
                self.part(node, body);
            }
            // Dealt with by the caller.
            no_operator!() | ExprKind::Prefix { .. } | ExprKind::Guard(..) => {}
        }
    }
}
