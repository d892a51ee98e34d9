//! Tree to text: text that reads back as the same tree, with no more parentheses than that needs.

mod declaration;
mod pattern;

use super::ast::{
    BinOp, Decl, Expr, ExprKind, Field, File, Items, Links, ProcOp, RepOp, Stmt, UnOp,
};
use crate::source::stack::deep;

/// An expression on one line (but for the declarations of a `let`).
#[must_use]
pub fn expr(e: &Expr) -> String {
    let mut printer = Printer::default();
    printer.expr(e, Position::FREE);
    printer.out
}

/// A pattern.
#[must_use]
pub fn pattern(p: &super::ast::Pattern) -> String {
    let mut printer = Printer::default();
    printer.pattern(p, 0);
    printer.out
}

/// A declaration without the newline after it.
#[must_use]
pub fn decl(d: &Decl) -> String {
    let mut printer = Printer::default();
    printer.decl(d);
    printer.out
}

/// A whole file, a line for each declaration.
#[must_use]
pub fn file(f: &File) -> String {
    let mut printer = Printer::default();
    for d in &f.decls {
        printer.decl(d);
        printer.out.push('\n');
    }
    printer.out
}

/// How tightly an expression binds, in steps of ten.
mod level {
    // The order is that of `precedence::TABLE`. Steps of ten leave room for `own + 1`, "tighter
    // than this".
    pub(super) const OPEN: u16 = 10;
    pub(super) const HIDE: u16 = 30;
    pub(super) const INTERLEAVE: u16 = 40;
    pub(super) const PARALLEL: u16 = 50;
    pub(super) const REPLICATED_ALPHA: u16 = 55;
    pub(super) const INT_CHOICE: u16 = 60;
    pub(super) const EXT_CHOICE: u16 = 70;
    pub(super) const INTERRUPT: u16 = 80;
    pub(super) const SLIDING: u16 = 90;
    pub(super) const SEQ: u16 = 100;
    pub(super) const PREFIX: u16 = 110;
    pub(super) const DATA: u16 = 140;
    pub(super) const OR: u16 = 160;
    pub(super) const AND: u16 = 170;
    pub(super) const NOT: u16 = 180;
    pub(super) const COMPARE: u16 = 190;
    pub(super) const ADD: u16 = 200;
    pub(super) const NEGATE: u16 = 205;
    pub(super) const MULTIPLY: u16 = 210;
    pub(super) const LENGTH: u16 = 220;
    pub(super) const CONCAT: u16 = 230;
    pub(super) const POSTFIX: u16 = 240;
    pub(super) const ATOM: u16 = 250;
}

/// What the surroundings ask of an expression.
#[derive(Clone, Copy)]
struct Position {
    /// It must bind at least this tightly.
    least: u16,
    /// Nothing follows that an open construct (such as `if`) would swallow.
    tail: bool,
    /// Directly inside `<…>`, where `>` closes.
    in_seq: bool,
}

impl Position {
    const FREE: Self = Self {
        least: 0,
        tail: true,
        in_seq: false,
    };
    const IN_SEQ: Self = Self {
        in_seq: true,
        ..Self::FREE
    };

    /// To the left of an operator.
    // Whatever stands here is followed by an operator, so an open construct would swallow that.
    fn left(self, least: u16) -> Self {
        Self {
            least,
            tail: false,
            ..self
        }
    }

    /// To the right of an operator.
    fn right(self, least: u16) -> Self {
        Self { least, ..self }
    }
}

#[derive(Default)]
struct Printer {
    out: String,
}

impl Printer {
    fn expr(&mut self, e: &Expr, at: Position) {
        deep(|| {
            if needs_parentheses(e, at) {
                // Nothing around matters in parentheses, not even an enclosing `<…>`.
                self.bracket("(", ")", |p| p.bare(e, Position::FREE));
            } else {
                self.bare(e, at);
            }
        });
    }

    /// Brackets, with a blank where the opening one would merge with what follows.
    fn bracket(&mut self, open: &str, close: &str, inside: impl FnOnce(&mut Self)) {
        self.out.push_str(open);
        let from = self.out.len();
        inside(self);
        self.separate(from);
        self.out.push_str(close);
    }

    fn separate(&mut self, from: usize) {
        // Together with an opening bracket these would be read as another token: `{-`, `[|`, `<-`,
        // `[[` and so on.
        if self.out[from..].starts_with(['-', '|', '=', '+', '>', '~', '[', ']']) {
            self.out.insert(from, ' ');
        }
    }

    fn bare(&mut self, e: &Expr, at: Position) {
        match &e.kind {
            ExprKind::Name(name) => self.out.push_str(name),
            ExprKind::Int(n) => self.out.push_str(&n.to_string()),
            ExprKind::Bool(b) => self.out.push_str(if *b { "true" } else { "false" }),
            ExprKind::Char(c) => self.character(*c),
            ExprKind::Str(s) => self.string(s),
            ExprKind::Paren(inner) => self.bracket("(", ")", |p| p.expr(inner, Position::FREE)),
            ExprKind::Tuple(items) => self.bracket("(", ")", |p| p.list(items, Position::FREE)),
            ExprKind::Seq(items, stmts) => {
                self.bracket("<", ">", |p| {
                    p.body(items, stmts.as_deref(), Position::IN_SEQ);
                });
            }
            ExprKind::Set(items, stmts) => {
                self.bracket("{", "}", |p| {
                    p.body(items, stmts.as_deref(), Position::FREE);
                });
            }
            ExprKind::Productions(items, stmts) => self.bracket("{|", "|}", |p| {
                p.list(items, Position::FREE);
                p.such_that(stmts.as_deref(), Position::FREE);
            }),
            ExprKind::Map(entries) => self.map(entries),
            ExprKind::Apply(f, args) => {
                self.expr(f, at.left(level::POSTFIX));
                self.bracket("(", ")", |p| p.list(args, Position::FREE));
            }
            ExprKind::Unary(op, inner) => self.unary(*op, inner, at),
            ExprKind::Binary(op, left, right) => {
                let (text, own) = binary(*op);
                // Comparisons do not chain: the left side has to be tighter, too.
                self.infix(text, own, own == level::COMPARE, [left, right], at);
            }
            ExprKind::Dot(left, right) => {
                self.expr(left, at.left(level::DATA + 1));
                self.out.push('.');
                self.expr(right, at.right(level::DATA));
            }
            _ => self.process(e, at),
        }
    }

    fn process(&mut self, e: &Expr, at: Position) {
        match &e.kind {
            ExprKind::Prefix { head, fields, body } => {
                // A field ends where the next one or the arrow begins, so heads and fields are at
                // the level of data.
                self.expr(head, at.left(level::DATA));
                for field in fields {
                    self.field(field, at);
                }
                self.out.push_str(" -> ");
                self.expr(body, at.right(level::PREFIX));
            }
            ExprKind::Guard(guard, body) => {
                // Arrows and guards group to the right with each other.
                self.expr(guard, at.left(level::PREFIX + 1));
                self.out.push_str(" & ");
                self.expr(body, at.right(level::PREFIX));
            }
            ExprKind::Process(op, left, right) => {
                let (text, own) = process_operator(*op);
                self.infix(text, own, false, [left, right], at);
            }
            ExprKind::Hide(left, set) => self.hide(left, "\\", set, at),
            ExprKind::Project(left, set) => self.hide(left, "|\\", set, at),
            ExprKind::Rename(left, links) => {
                self.expr(left, at.left(level::POSTFIX));
                self.bracket("[[", "]]", |p| p.links(links, "<-"));
            }
            _ => self.bracketed(e, at),
        }
    }

    /// Operators with operands in brackets of their own.
    fn bracketed(&mut self, e: &Expr, at: Position) {
        let around =
            |p: &mut Self, left: &Expr, open: &str, a: &Expr, close: &str, right: &Expr| {
                let (own, single) = bracketed_level(&e.kind);
                p.expr(left, at.left(own + u16::from(single)));
                p.out.push(' ');
                p.bracket(open, close, |p| p.expr(a, Position::FREE));
                p.out.push(' ');
                p.expr(right, at.right(own + 1));
            };
        match &e.kind {
            ExprKind::Parallel(l, a, r) => around(self, l, "[|", a, "|]", r),
            ExprKind::Exception(l, a, r) => around(self, l, "[|", a, "|>", r),
            ExprKind::SyncChoice(l, a, r) => around(self, l, "[+", a, "+]", r),
            ExprKind::SyncInterrupt(l, a, r) => around(self, l, "/+", a, "+\\", r),
            ExprKind::AlphaParallel(left, a, b, right) => {
                self.expr(left, at.left(level::PARALLEL + 1));
                self.out.push(' ');
                self.bracket("[", "]", |p| {
                    // `||` follows, so this is no place at an end.
                    p.expr(a, Position::FREE.left(0));
                    p.out.push_str(" || ");
                    p.expr(b, Position::FREE);
                });
                self.out.push(' ');
                self.expr(right, at.right(level::PARALLEL + 1));
            }
            ExprKind::Link(left, links, right) => {
                self.expr(left, at.left(level::PARALLEL + 1));
                self.out.push(' ');
                self.bracket("[", "]", |p| p.links(links, "<->"));
                self.out.push(' ');
                self.expr(right, at.right(level::PARALLEL + 1));
            }
            _ => self.open(e, at),
        }
    }

    /// Constructs whose last part extends as far as it can.
    fn open(&mut self, e: &Expr, at: Position) {
        let body_at = Position {
            // Freed of the level, but not of `in_seq`: a `>` at the end of the body would still
            // close the sequence around.
            least: 0,
            tail: true,
            ..at
        };
        match &e.kind {
            ExprKind::If(c, t, f) => {
                self.out.push_str("if ");
                // `then` and `else` end these two as a bracket does.
                self.expr(c, body_at);
                self.out.push_str(" then ");
                self.expr(t, body_at);
                self.out.push_str(" else ");
                self.expr(f, body_at);
            }
            ExprKind::Let(decls, body) => {
                // Declarations end with their lines, so they cannot stand on one.
                self.out.push_str("let\n");
                for d in decls {
                    self.decl(d);
                    self.out.push('\n');
                }
                self.out.push_str("within ");
                self.expr(body, body_at);
            }
            ExprKind::Lambda(params, body) => {
                self.out.push_str("\\ ");
                self.patterns(params);
                self.out.push_str(" @ ");
                self.expr(body, body_at);
            }
            ExprKind::Replicated {
                op,
                set,
                stmts,
                body,
            } => self.replicated(*op, set.as_deref(), stmts, body, at),
            ExprKind::ReplicatedLink { links, stmts, body } => {
                self.bracket("[", "]", |p| p.links(links, "<->"));
                self.out.push(' ');
                self.stmts(stmts, at);
                self.out.push_str(" @ ");
                self.expr(body, body_at);
            }
            // All others are printed elsewhere.
            _ => {}
        }
    }

    fn replicated(
        &mut self,
        op: RepOp,
        set: Option<&Expr>,
        stmts: &[Stmt],
        body: &Expr,
        at: Position,
    ) {
        let in_set = |p: &mut Self, open: &str, close: &str| {
            p.bracket(open, close, |p| {
                if let Some(set) = set {
                    p.expr(set, Position::FREE);
                }
            });
        };
        match op {
            RepOp::ExtChoice => self.out.push_str("[]"),
            RepOp::IntChoice => self.out.push_str("|~|"),
            RepOp::Seq => self.out.push(';'),
            RepOp::Interleave => self.out.push_str("|||"),
            RepOp::AlphaParallel => self.out.push_str("||"),
            RepOp::Parallel => in_set(self, "[|", "|]"),
            RepOp::SyncChoice => in_set(self, "[+", "+]"),
        }
        self.out.push(' ');
        self.stmts(stmts, at);
        self.out.push_str(" @ ");
        if op == RepOp::AlphaParallel {
            // Unlike the other replicated operators: the alphabet comes after the `@`, and the body
            // stops at any looser operator.
            in_set(self, "[", "]");
            self.out.push(' ');
            self.expr(body, at.right(level::REPLICATED_ALPHA + 1));
        } else {
            self.expr(body, at.right(0));
        }
    }

    fn unary(&mut self, op: UnOp, inner: &Expr, at: Position) {
        let (text, least) = match op {
            UnOp::Neg => ("-", level::NEGATE),
            UnOp::Not => ("not ", level::NOT),
            UnOp::Length => ("#", level::LENGTH),
        };
        self.out.push_str(text);
        let from = self.out.len();
        // Not one level tighter: prefixes may follow each other.
        self.expr(inner, at.right(least));
        if op == UnOp::Neg && self.out[from..].starts_with('-') {
            // `--` would begin a comment.
            self.out.insert(from, ' ');
        }
    }

    fn infix(&mut self, text: &str, own: u16, single: bool, sides: [&Expr; 2], at: Position) {
        self.expr(sides[0], at.left(own + u16::from(single)));
        self.out.push(' ');
        self.out.push_str(text);
        self.out.push(' ');
        self.expr(sides[1], at.right(own + 1));
    }

    fn hide(&mut self, left: &Expr, text: &str, set: &Expr, at: Position) {
        self.expr(left, at.left(level::HIDE));
        self.out.push(' ');
        self.out.push_str(text);
        self.out.push(' ');
        // The set ends at any process operator. `left`, as more may follow that an open construct
        // would swallow.
        self.expr(set, at.left(level::DATA));
    }

    fn field(&mut self, field: &Field, at: Position) {
        match field {
            Field::Output(e) => {
                self.out.push('!');
                self.expr(e, at.left(level::DATA));
            }
            Field::Input(p, set) => self.input('?', p, set.as_ref(), at),
            Field::Nondet(p, set) => self.input('$', p, set.as_ref(), at),
        }
    }

    fn input(&mut self, mark: char, p: &super::ast::Pattern, set: Option<&Expr>, at: Position) {
        self.out.push(mark);
        // A `@@` needs parentheses here; a dot does not.
        self.pattern(p, pattern::DOT);
        if let Some(set) = set {
            self.out.push(':');
            self.expr(set, at.left(level::DATA));
        }
    }

    fn list(&mut self, items: &[Expr], at: Position) {
        for (i, e) in items.iter().enumerate() {
            if i > 0 {
                self.out.push_str(", ");
            }
            self.expr(e, at);
        }
    }

    fn body(&mut self, items: &Items, stmts: Option<&[Stmt]>, at: Position) {
        match items {
            Items::List(list) => self.list(list, at),
            Items::Range(start, end) => {
                self.expr(start, at.left(0));
                self.out.push_str("..");
                if let Some(end) = end {
                    self.expr(end, at);
                }
            }
        }
        self.such_that(stmts, at);
    }

    fn such_that(&mut self, stmts: Option<&[Stmt]>, at: Position) {
        if let Some(stmts) = stmts {
            self.out.push_str(" | ");
            self.stmts(stmts, at);
        }
    }

    fn stmts(&mut self, stmts: &[Stmt], at: Position) {
        let at = Position {
            least: 0,
            tail: true,
            ..at
        };
        // Commas, and the bracket or `@` behind them all, end each of these.
        for (i, stmt) in stmts.iter().enumerate() {
            if i > 0 {
                self.out.push_str(", ");
            }
            match stmt {
                Stmt::Generator(p, e) => {
                    self.pattern(p, 0);
                    self.out.push_str(" <- ");
                    self.expr(e, at);
                }
                Stmt::Condition(e) => self.expr(e, at),
            }
        }
    }

    fn links(&mut self, links: &Links, arrow: &str) {
        for (i, (a, b)) in links.pairs.iter().enumerate() {
            if i > 0 {
                self.out.push_str(", ");
            }
            self.expr(a, Position::FREE);
            self.out.push(' ');
            self.out.push_str(arrow);
            self.out.push(' ');
            self.expr(b, Position::FREE);
        }
        if !links.stmts.is_empty() {
            self.such_that(Some(&links.stmts), Position::FREE);
        }
    }

    fn map(&mut self, entries: &[(Expr, Expr)]) {
        self.out.push_str("(| ");
        for (i, (k, v)) in entries.iter().enumerate() {
            if i > 0 {
                self.out.push_str(", ");
            }
            self.expr(k, Position::FREE);
            self.out.push_str(" => ");
            self.expr(v, Position::FREE);
        }
        self.out
            .push_str(if entries.is_empty() { "|)" } else { " |)" });
    }

    fn character(&mut self, c: char) {
        self.out.push('\'');
        self.escaped(c, '\'');
        self.out.push('\'');
    }

    fn string(&mut self, text: &str) {
        self.out.push('"');
        for c in text.chars() {
            self.escaped(c, '"');
        }
        self.out.push('"');
    }

    fn escaped(&mut self, c: char, quote: char) {
        match c {
            '\n' => self.out.push_str("\\n"),
            '\r' => self.out.push_str("\\r"),
            '\t' => self.out.push_str("\\t"),
            c => {
                if c == quote || c == '\\' {
                    self.out.push('\\');
                }
                self.out.push(c);
            }
        }
    }
}

fn needs_parentheses(e: &Expr, at: Position) -> bool {
    match &e.kind {
        // The last part of these takes all that follows, so they stand free at the end only.
        ExprKind::If(..) | ExprKind::Let(..) | ExprKind::Lambda(..) => !at.tail,
        ExprKind::Replicated { op, .. } if *op != RepOp::AlphaParallel => !at.tail,
        ExprKind::ReplicatedLink { .. } => !at.tail,
        // At any depth of the expression: no `>` may be seen directly inside `<…>`.
        ExprKind::Binary(BinOp::Gt, ..) if at.in_seq => true,
        kind => own_level(kind) < at.least,
    }
}

fn own_level(kind: &ExprKind) -> u16 {
    match kind {
        ExprKind::Binary(op, ..) => binary(*op).1,
        ExprKind::Unary(UnOp::Neg, _) => level::NEGATE,
        ExprKind::Unary(UnOp::Not, _) => level::NOT,
        ExprKind::Unary(UnOp::Length, _) => level::LENGTH,
        // It is printed with a minus, which reads as an operator.
        ExprKind::Int(n) if *n < 0 => level::NEGATE,
        ExprKind::Dot(..) => level::DATA,
        ExprKind::Apply(..) | ExprKind::Rename(..) => level::POSTFIX,
        ExprKind::Prefix { .. } | ExprKind::Guard(..) => level::PREFIX,
        ExprKind::Process(op, ..) => process_operator(*op).1,
        ExprKind::Hide(..) | ExprKind::Project(..) => level::HIDE,
        ExprKind::Replicated {
            op: RepOp::AlphaParallel,
            ..
        } => level::REPLICATED_ALPHA,
        ExprKind::Replicated { .. }
        | ExprKind::ReplicatedLink { .. }
        | ExprKind::If(..)
        | ExprKind::Let(..)
        | ExprKind::Lambda(..) => level::OPEN,
        ExprKind::Parallel(..)
        | ExprKind::AlphaParallel(..)
        | ExprKind::Exception(..)
        | ExprKind::SyncChoice(..)
        | ExprKind::SyncInterrupt(..)
        | ExprKind::Link(..) => bracketed_level(kind).0,
        _ => level::ATOM,
    }
}

/// The level, and whether the operator does not chain.
fn bracketed_level(kind: &ExprKind) -> (u16, bool) {
    match kind {
        ExprKind::SyncChoice(..) => (level::EXT_CHOICE, false),
        ExprKind::SyncInterrupt(..) => (level::INTERRUPT, false),
        _ => (level::PARALLEL, true),
    }
}

fn binary(op: BinOp) -> (&'static str, u16) {
    match op {
        BinOp::Add => ("+", level::ADD),
        BinOp::Sub => ("-", level::ADD),
        BinOp::Mul => ("*", level::MULTIPLY),
        BinOp::Div => ("/", level::MULTIPLY),
        BinOp::Mod => ("%", level::MULTIPLY),
        BinOp::Eq => ("==", level::COMPARE),
        BinOp::Ne => ("!=", level::COMPARE),
        BinOp::Lt => ("<", level::COMPARE),
        BinOp::Gt => (">", level::COMPARE),
        BinOp::Le => ("<=", level::COMPARE),
        BinOp::Ge => (">=", level::COMPARE),
        BinOp::And => ("and", level::AND),
        BinOp::Or => ("or", level::OR),
        BinOp::Concat => ("^", level::CONCAT),
    }
}

fn process_operator(op: ProcOp) -> (&'static str, u16) {
    match op {
        ProcOp::ExtChoice => ("[]", level::EXT_CHOICE),
        ProcOp::IntChoice => ("|~|", level::INT_CHOICE),
        ProcOp::Seq => (";", level::SEQ),
        ProcOp::Interleave => ("|||", level::INTERLEAVE),
        ProcOp::Interrupt => ("/\\", level::INTERRUPT),
        ProcOp::Sliding => ("[>", level::SLIDING),
    }
}
