//! Expressions and processes.

use super::level::{self, Fit};
use super::pattern::{self, write_pattern, write_patterns};
use super::{Pen, write_lines};
use crate::source::stack::deep;
use crate::syntax::ast::{Decl, Expr, ExprKind, Field, Items, Links, Pattern, RepOp, Stmt, UnOp};

const FREE: Fit = Fit::FREE;

pub(super) fn write_expr(pen: &mut Pen, e: &Expr, at: Fit) {
    deep(|| {
        if level::needs_parentheses(e, at) {
            // Nothing around matters in parentheses, not even an enclosing `<…>`.
            pen.bracket("(", ")", |pen| bare(pen, e, FREE));
        } else {
            bare(pen, e, at);
        }
    });
}

pub(super) fn write_list(pen: &mut Pen, items: &[Expr], at: Fit) {
    pen.list(items, |pen, e| write_expr(pen, e, at));
}

// In one piece, so that the compiler points here when a kind of expressions is added: one line for each.
fn bare(pen: &mut Pen, e: &Expr, at: Fit) {
    match &e.kind {
        ExprKind::Name(name) => pen.write(name),
        ExprKind::Int(n) => pen.write(&n.to_string()),
        ExprKind::Bool(b) => pen.write(&b.to_string()),
        ExprKind::Char(c) => pen.character(*c),
        ExprKind::Str(s) => pen.string(s),
        ExprKind::Paren(inner) => pen.bracket("(", ")", |pen| write_expr(pen, inner, FREE)),
        ExprKind::Tuple(items) => pen.bracket("(", ")", |pen| write_list(pen, items, FREE)),
        ExprKind::Seq(items, stmts) => pen.bracket("<", ">", |pen| {
            elements(pen, items, stmts.as_deref(), Fit::IN_SEQ);
        }),
        ExprKind::Set(items, stmts) => pen.bracket("{", "}", |pen| {
            elements(pen, items, stmts.as_deref(), FREE);
        }),
        ExprKind::Productions(items, stmts) => pen.bracket("{|", "|}", |pen| {
            write_list(pen, items, FREE);
            such_that(pen, stmts.as_deref(), FREE);
        }),
        ExprKind::Map(entries) => map(pen, entries),
        ExprKind::Apply(f, args) => {
            write_expr(pen, f, at.left(level::POSTFIX));
            pen.bracket("(", ")", |pen| write_list(pen, args, FREE));
        }
        ExprKind::Unary(op, inner) => unary(pen, *op, inner, at),
        ExprKind::Binary(op, left, right) => {
            let (text, own) = level::binary(*op);
            // Comparisons do not chain: the left side has to be tighter, too.
            infix(pen, text, own, own == level::COMPARE, [left, right], at);
        }
        ExprKind::Dot(left, right) => {
            write_expr(pen, left, at.left(level::DATA + 1));
            pen.write(".");
            write_expr(pen, right, at.right(level::DATA));
        }
        ExprKind::Prefix { head, fields, body } => prefix(pen, head, fields, body, at),
        ExprKind::Guard(guard, body) => {
            // Arrows and guards group to the right with each other.
            write_expr(pen, guard, at.left(level::PREFIX + 1));
            pen.write(" & ");
            write_expr(pen, body, at.right(level::PREFIX));
        }
        ExprKind::Process(op, left, right) => {
            let (text, own) = level::process(*op);
            infix(pen, text, own, false, [left, right], at);
        }
        ExprKind::Hide(left, set) => hide(pen, left, "\\", set, at),
        ExprKind::Project(left, set) => hide(pen, left, "|\\", set, at),
        ExprKind::Rename(left, pairs) => {
            write_expr(pen, left, at.left(level::POSTFIX));
            pen.bracket("[[", "]]", |pen| links(pen, pairs, "<-"));
        }
        ExprKind::Parallel(l, a, r) => with_set(pen, e, ["[|", "|]"], [l, a, r], at),
        ExprKind::Exception(l, a, r) => with_set(pen, e, ["[|", "|>"], [l, a, r], at),
        ExprKind::SyncChoice(l, a, r) => with_set(pen, e, ["[+", "+]"], [l, a, r], at),
        ExprKind::SyncInterrupt(l, a, r) => with_set(pen, e, ["/+", "+\\"], [l, a, r], at),
        ExprKind::AlphaParallel(left, a, b, right) => {
            bracketed(pen, e, ["[", "]"], [left, right], at, |pen| {
                // `||` follows, so this is no place at an end.
                write_expr(pen, a, FREE.left(0));
                pen.write(" || ");
                write_expr(pen, b, FREE);
            });
        }
        ExprKind::Link(left, pairs, right) => {
            bracketed(pen, e, ["[", "]"], [left, right], at, |pen| {
                links(pen, pairs, "<->");
            });
        }
        ExprKind::If(condition, yes, no) => conditional(pen, [condition, yes, no], at.open()),
        ExprKind::Let(decls, body) => local(pen, decls, body, at.open()),
        ExprKind::Lambda(params, body) => {
            pen.write("\\ ");
            write_patterns(pen, params);
            pen.write(" @ ");
            write_expr(pen, body, at.open());
        }
        ExprKind::Replicated {
            op,
            set,
            stmts,
            body,
        } => replicated(pen, *op, set.as_deref(), stmts, body, at),
        ExprKind::ReplicatedLink {
            links: pairs,
            stmts,
            body,
        } => {
            pen.bracket("[", "]", |pen| links(pen, pairs, "<->"));
            pen.write(" ");
            write_stmts(pen, stmts, at);
            pen.write(" @ ");
            write_expr(pen, body, at.open());
        }
    }
}

/// An operator with operands of its own in brackets.
fn bracketed(
    pen: &mut Pen,
    e: &Expr,
    [open, close]: [&str; 2],
    [left, right]: [&Expr; 2],
    at: Fit,
    inside: impl FnOnce(&mut Pen),
) {
    let (own, single) = level::bracketed(&e.kind);
    write_expr(pen, left, at.left(own + u16::from(single)));
    pen.write(" ");
    pen.bracket(open, close, inside);
    pen.write(" ");
    write_expr(pen, right, at.right(own + 1));
}

/// The same with one set there.
fn with_set(pen: &mut Pen, e: &Expr, brackets: [&str; 2], [left, set, right]: [&Expr; 3], at: Fit) {
    bracketed(pen, e, brackets, [left, right], at, |pen| {
        write_expr(pen, set, FREE);
    });
}

fn prefix(pen: &mut Pen, head: &Expr, fields: &[Field], body: &Expr, at: Fit) {
    // A field ends where the next one or the arrow begins, so heads and fields are at the level of data.
    write_expr(pen, head, at.left(level::DATA));
    for f in fields {
        field(pen, f, at);
    }
    pen.write(" -> ");
    write_expr(pen, body, at.right(level::PREFIX));
}

fn conditional(pen: &mut Pen, [condition, yes, no]: [&Expr; 3], at: Fit) {
    pen.write("if ");
    // `then` and `else` end the first two as a bracket does.
    write_expr(pen, condition, at);
    pen.write(" then ");
    write_expr(pen, yes, at);
    pen.write(" else ");
    write_expr(pen, no, at);
}

fn local(pen: &mut Pen, decls: &[Decl], body: &Expr, at: Fit) {
    // Declarations end with their lines, so they cannot stand on one.
    pen.write("let\n");
    write_lines(pen, decls);
    pen.write("within ");
    write_expr(pen, body, at);
}

fn replicated(pen: &mut Pen, op: RepOp, set: Option<&Expr>, stmts: &[Stmt], body: &Expr, at: Fit) {
    let in_set = |pen: &mut Pen, open: &str, close: &str| {
        pen.bracket(open, close, |pen| {
            if let Some(set) = set {
                write_expr(pen, set, FREE);
            }
        });
    };
    match op {
        RepOp::ExtChoice => pen.write("[]"),
        RepOp::IntChoice => pen.write("|~|"),
        RepOp::Seq => pen.write(";"),
        RepOp::Interleave => pen.write("|||"),
        RepOp::AlphaParallel => pen.write("||"),
        RepOp::Parallel => in_set(pen, "[|", "|]"),
        RepOp::SyncChoice => in_set(pen, "[+", "+]"),
    }
    pen.write(" ");
    write_stmts(pen, stmts, at);
    pen.write(" @ ");
    if op == RepOp::AlphaParallel {
        // Unlike the other replicated operators: the alphabet comes after the `@`, and the body
        // stops at any looser operator.
        in_set(pen, "[", "]");
        pen.write(" ");
        write_expr(pen, body, at.right(level::REPLICATED_ALPHA + 1));
    } else {
        write_expr(pen, body, at.right(0));
    }
}

fn unary(pen: &mut Pen, op: UnOp, inner: &Expr, at: Fit) {
    let (text, least) = match op {
        UnOp::Neg => ("-", level::NEGATE),
        UnOp::Not => ("not ", level::NOT),
        UnOp::Length => ("#", level::LENGTH),
    };
    pen.write(text);
    let from = pen.text.len();
    // Not one level tighter: prefixes may follow each other.
    write_expr(pen, inner, at.right(least));
    if op == UnOp::Neg && pen.text[from..].starts_with('-') {
        // `--` would begin a comment.
        pen.text.insert(from, ' ');
    }
}

fn infix(pen: &mut Pen, text: &str, own: u16, single: bool, sides: [&Expr; 2], at: Fit) {
    write_expr(pen, sides[0], at.left(own + u16::from(single)));
    pen.write(" ");
    pen.write(text);
    pen.write(" ");
    write_expr(pen, sides[1], at.right(own + 1));
}

fn hide(pen: &mut Pen, left: &Expr, text: &str, set: &Expr, at: Fit) {
    write_expr(pen, left, at.left(level::HIDE));
    pen.write(" ");
    pen.write(text);
    pen.write(" ");
    // The set ends at any process operator. `left`, as more may follow that an open construct
    // would swallow.
    write_expr(pen, set, at.left(level::DATA));
}

fn field(pen: &mut Pen, field: &Field, at: Fit) {
    match field {
        Field::Output(e) => {
            pen.write("!");
            write_expr(pen, e, at.left(level::DATA));
        }
        Field::Input(p, set) => input(pen, "?", p, set.as_ref(), at),
        Field::Nondet(p, set) => input(pen, "$", p, set.as_ref(), at),
    }
}

fn input(pen: &mut Pen, mark: &str, p: &Pattern, set: Option<&Expr>, at: Fit) {
    pen.write(mark);
    // A `@@` needs parentheses here; a dot does not.
    write_pattern(pen, p, pattern::DOT);
    if let Some(set) = set {
        pen.write(":");
        write_expr(pen, set, at.left(level::DATA));
    }
}

fn elements(pen: &mut Pen, items: &Items, stmts: Option<&[Stmt]>, at: Fit) {
    match items {
        Items::List(list) => write_list(pen, list, at),
        Items::Range(start, end) => {
            write_expr(pen, start, at.left(0));
            pen.write("..");
            if let Some(end) = end {
                write_expr(pen, end, at);
            }
        }
    }
    such_that(pen, stmts, at);
}

fn such_that(pen: &mut Pen, stmts: Option<&[Stmt]>, at: Fit) {
    if let Some(stmts) = stmts {
        pen.write(" | ");
        write_stmts(pen, stmts, at);
    }
}

fn write_stmts(pen: &mut Pen, stmts: &[Stmt], at: Fit) {
    // Commas, and the bracket or `@` behind them all, end each of these.
    let at = at.open();
    pen.list(stmts, |pen, stmt| match stmt {
        Stmt::Generator(p, e) => {
            write_pattern(pen, p, 0);
            pen.write(" <- ");
            write_expr(pen, e, at);
        }
        Stmt::Condition(e) => write_expr(pen, e, at),
    });
}

fn links(pen: &mut Pen, links: &Links, arrow: &str) {
    pen.list(&links.pairs, |pen, (a, b)| {
        write_expr(pen, a, FREE);
        pen.write(" ");
        pen.write(arrow);
        pen.write(" ");
        write_expr(pen, b, FREE);
    });
    if !links.stmts.is_empty() {
        such_that(pen, Some(&links.stmts), FREE);
    }
}

fn map(pen: &mut Pen, entries: &[(Expr, Expr)]) {
    pen.write("(| ");
    pen.list(entries, |pen, (k, v)| {
        write_expr(pen, k, FREE);
        pen.write(" => ");
        write_expr(pen, v, FREE);
    });
    pen.write(if entries.is_empty() { "|)" } else { " |)" });
}
