//! A fully bracketed form of expressions, for comparing trees.

use crate::syntax::ast::{BinOp, Expr, ExprKind, Field, Items, RepOp, Stmt, UnOp};
use crate::syntax::print;

/// Like the exact trees of the collection: every operator in parentheses.
pub(super) fn bracketed(e: &Expr) -> String {
    let pair = |op: &str, a: &Expr, b: &Expr| format!("({} {op} {})", bracketed(a), bracketed(b));
    match &e.kind {
        ExprKind::Paren(inner) => bracketed(inner),
        ExprKind::Binary(_, a, b) => pair(&operator(e), a, b),
        ExprKind::Process(_, a, b) => pair(&operator(e), a, b),
        ExprKind::Unary(UnOp::Neg, a) => format!("(-{})", bracketed(a)),
        ExprKind::Unary(UnOp::Not, a) => format!("(not {})", bracketed(a)),
        ExprKind::Unary(UnOp::Length, a) => format!("(#{})", bracketed(a)),
        ExprKind::Dot(a, b) => pair(".", a, b),
        ExprKind::Guard(a, b) => pair("&", a, b),
        ExprKind::Hide(a, b) => pair("\\", a, b),
        ExprKind::Project(a, b) => pair("|\\", a, b),
        ExprKind::Parallel(a, s, b) => pair(&format!("[|{}|]", bracketed(s)), a, b),
        ExprKind::Exception(a, s, b) => pair(&format!("[|{}|>", bracketed(s)), a, b),
        ExprKind::AlphaParallel(a, s, t, b) => {
            pair(&format!("[{}||{}]", bracketed(s), bracketed(t)), a, b)
        }
        // The reference prints some forms without brackets and without what is inside.
        ExprKind::Link(a, _, b) => {
            let links = print::expr(e).replace(['[', ']'], "");
            debug_assert!(links.starts_with(&bracketed(a)) && links.ends_with(&bracketed(b)));
            links
        }
        ExprKind::SyncChoice(a, s, b) => {
            format!("{} [+{}+] {}", bracketed(a), bracketed(s), bracketed(b))
        }
        ExprKind::SyncInterrupt(a, s, b) => {
            format!("{} /+{}+\\ {}", bracketed(a), bracketed(s), bracketed(b))
        }
        ExprKind::Prefix { head, fields, body } => format!(
            "({}{} -> {})",
            bracketed(head),
            fields.iter().map(field).collect::<String>(),
            bracketed(body)
        ),
        ExprKind::If(c, t, f) => format!(
            "(if {} then {} else {})",
            bracketed(c),
            bracketed(t),
            bracketed(f)
        ),
        ExprKind::Let(_, body) => format!("(let..within {})", bracketed(body)),
        ExprKind::Lambda(_, body) => format!("(\\..@ {})", bracketed(body)),
        ExprKind::Rename(a, _) => format!("({}[[..]])", bracketed(a)),
        ExprKind::Apply(f, args) => format!("{}({})", bracketed(f), list(args)),
        ExprKind::Replicated { .. } => replicated(e),
        ExprKind::Seq(items, stmts) => {
            format!("<{}{}>", items_of(items), such_that(is_empty(items), stmts))
        }
        ExprKind::Set(items, stmts) => format!(
            "{{{}{}}}",
            items_of(items),
            such_that(is_empty(items), stmts)
        ),
        _ => print::expr(e),
    }
}

fn operator(e: &Expr) -> String {
    let text = match &e.kind {
        ExprKind::Binary(op, ..) => match op {
            BinOp::Add => "+",
            BinOp::Sub => "-",
            BinOp::Mul => "*",
            BinOp::Div => "/",
            BinOp::Mod => "%",
            BinOp::Eq => "==",
            BinOp::Ne => "!=",
            BinOp::Lt => "<",
            BinOp::Gt => ">",
            BinOp::Le => "<=",
            BinOp::Ge => ">=",
            BinOp::And => "and",
            BinOp::Or => "or",
            BinOp::Concat => "^",
        },
        ExprKind::Process(op, ..) => {
            use crate::syntax::ast::ProcOp;
            match op {
                ProcOp::ExtChoice => "[]",
                ProcOp::IntChoice => "|~|",
                ProcOp::Seq => ";",
                ProcOp::Interleave => "|||",
                ProcOp::Interrupt => "/\\",
                ProcOp::Sliding => "[>",
            }
        }
        _ => "?",
    };
    text.to_owned()
}

fn field(field: &Field) -> String {
    match field {
        Field::Output(e) => format!("!{{{}}}", bracketed(e)),
        Field::Input(p, set) => input('?', &print::pattern(p), set.as_ref()),
        Field::Nondet(p, set) => input('$', &print::pattern(p), set.as_ref()),
    }
}

fn input(mark: char, pattern: &str, set: Option<&Expr>) -> String {
    match set {
        Some(set) => format!("{mark}{{{pattern}}}:{{{}}}", bracketed(set)),
        None => format!("{mark}{{{pattern}}}"),
    }
}

fn list(items: &[Expr]) -> String {
    items.iter().map(bracketed).collect::<Vec<_>>().join(",")
}

fn items_of(items: &Items) -> String {
    match items {
        Items::List(items) => list(items),
        Items::Range(a, b) => {
            let end = b.as_ref().map(|b| bracketed(b)).unwrap_or_default();
            let start = match &a.kind {
                ExprKind::Binary(..) => print::expr(a).replace(' ', ""),
                _ => bracketed(a),
            };
            format!("{start}..{end}")
        }
    }
}

fn such_that(empty: bool, stmts: &Option<Vec<Stmt>>) -> String {
    let blank = if empty { "" } else { " " };
    stmts
        .as_ref()
        .map(|s| format!("{blank}| {}", statements(s)))
        .unwrap_or_default()
}

fn statements(stmts: &[Stmt]) -> String {
    stmts
        .iter()
        .map(|s| match s {
            Stmt::Generator(p, e) => format!("{} <- {}", print::pattern(p), bracketed(e)),
            Stmt::Condition(e) => print::expr(e),
        })
        .collect::<Vec<_>>()
        .join(", ")
}

fn replicated(e: &Expr) -> String {
    let ExprKind::Replicated { op, set, body, .. } = &e.kind else {
        return String::new();
    };
    let set = set.as_ref().map(|s| bracketed(s)).unwrap_or_default();
    let body = bracketed(body);
    match op {
        RepOp::ExtChoice => format!("([]..@ {body})"),
        RepOp::IntChoice => print::expr(e),
        RepOp::Seq => format!("(;..@ {body})"),
        RepOp::Interleave => format!("(|||..@ {body})"),
        RepOp::AlphaParallel => format!("(||..@[{set}] {body})"),
        RepOp::Parallel => format!("([|{set}|]..@ {body})"),
        RepOp::SyncChoice => format!("([+{set}+]..@ {body})"),
    }
}

fn is_empty(items: &Items) -> bool {
    matches!(items, Items::List(list) if list.is_empty())
}
