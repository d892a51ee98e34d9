//! Expressions in place of others.

use std::path::Path;

use orbitscope::source::{FileId, stack};
use orbitscope::syntax::ast::{
    AssertionKind, AssertionOption, Decl, DeclKind, Expr, ExprKind, Field, Items, Links, Stmt,
};
use orbitscope::syntax::{parse_text, print};

use crate::mutate::Seed;
use crate::random::Random;

/// Puts a subexpression of `other` (or of the same script) in the place of one of these.
pub fn exchange(bytes: &mut Vec<u8>, name: &Path, other: &Seed, random: &mut Random) {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return;
    };
    let here = parse_text(name, text);
    let there = String::from_utf8_lossy(&other.bytes);
    let there = parse_text(&other.path, &there);
    let mut places = expressions(&here.file.decls);
    places.retain(|e| e.span.file == FileId(0));
    if places.is_empty() {
        return;
    }
    let place = random.pick(&places);
    let mut donors = expressions(if random.once_in(2) {
        &here.file.decls
    } else {
        &there.file.decls
    });
    if !random.once_in(3) {
        let alike =
            |e: &&Expr| std::mem::discriminant(&e.kind) == std::mem::discriminant(&place.kind);
        donors.retain(alike);
    }
    donors.truncate(20_000);
    if donors.is_empty() {
        return;
    }
    let donor = print::expr(random.pick(&donors));
    // Line ends of other systems are one byte in the tree and could be two here: try, and do no harm.
    let range = place.span.start as usize..place.span.end as usize;
    if text.get(range.clone()).is_none() {
        return;
    }
    let donor = if random.once_in(4) {
        donor
    } else {
        format!("({donor})")
    };
    bytes.splice(range, donor.into_bytes());
}

/// All expressions, outer ones before inner ones.
fn expressions(decls: &[Decl]) -> Vec<&Expr> {
    let mut found = Vec::new();
    for d in decls {
        in_decl(d, &mut found);
    }
    found
}

fn in_decl<'a>(d: &'a Decl, found: &mut Vec<&'a Expr>) {
    match &d.kind {
        DeclKind::Pattern { body, .. }
        | DeclKind::Clause { body, .. }
        | DeclKind::Nametype { body, .. }
        | DeclKind::Print(body) => in_expr(body, found),
        DeclKind::Channel { fields, .. } => fields.iter().for_each(|e| in_expr(e, found)),
        DeclKind::Datatype { clauses, .. } => {
            clauses
                .iter()
                .filter_map(|c| c.1.as_ref())
                .for_each(|e| in_expr(e, found));
        }
        DeclKind::Assert(assertion) => {
            match &assertion.kind {
                AssertionKind::Refinement {
                    spec: a, imp: b, ..
                }
                | AssertionKind::HasTrace {
                    process: a,
                    trace: b,
                    ..
                } => {
                    in_expr(a, found);
                    in_expr(b, found);
                }
                AssertionKind::Property { process, .. }
                | AssertionKind::Symmetric { process, .. } => {
                    in_expr(process, found);
                }
            }
            for option in &assertion.options {
                if let AssertionOption::TauPriority(e, _) = option {
                    in_expr(e, found);
                }
            }
        }
        DeclKind::Module {
            private, exports, ..
        } => {
            private
                .iter()
                .chain(exports)
                .for_each(|d| in_decl(d, found));
        }
        DeclKind::Instance { args, .. } => args.iter().for_each(|e| in_expr(e, found)),
        DeclKind::Timed { durations, decls } => {
            durations.iter().for_each(|e| in_expr(e, found));
            decls.iter().for_each(|d| in_decl(d, found));
        }
        _ => {}
    }
}

fn in_expr<'a>(e: &'a Expr, found: &mut Vec<&'a Expr>) {
    found.push(e);
    stack::deep(|| parts(e, found));
}

fn parts<'a>(e: &'a Expr, found: &mut Vec<&'a Expr>) {
    match &e.kind {
        ExprKind::Paren(a) | ExprKind::Unary(_, a) | ExprKind::Lambda(_, a) => in_expr(a, found),
        ExprKind::Binary(_, a, b)
        | ExprKind::Dot(a, b)
        | ExprKind::Guard(a, b)
        | ExprKind::Process(_, a, b)
        | ExprKind::Hide(a, b)
        | ExprKind::Project(a, b) => all([&**a, b], found),
        ExprKind::If(a, b, c)
        | ExprKind::Parallel(a, b, c)
        | ExprKind::Exception(a, b, c)
        | ExprKind::SyncChoice(a, b, c)
        | ExprKind::SyncInterrupt(a, b, c) => all([&**a, b, c], found),
        ExprKind::AlphaParallel(a, b, c, d) => all([&**a, b, c, d], found),
        ExprKind::Tuple(list) => all(list, found),
        ExprKind::Seq(items, stmts) | ExprKind::Set(items, stmts) => {
            match items {
                Items::List(list) => all(list, found),
                Items::Range(a, b) => {
                    in_expr(a, found);
                    b.iter().for_each(|b| in_expr(b, found));
                }
            }
            in_stmts(stmts.as_deref().unwrap_or_default(), found);
        }
        ExprKind::Productions(list, stmts) => {
            all(list, found);
            in_stmts(stmts.as_deref().unwrap_or_default(), found);
        }
        ExprKind::Map(entries) => entries.iter().for_each(|(k, v)| all([k, v], found)),
        ExprKind::Apply(f, args) => {
            in_expr(f, found);
            all(args, found);
        }
        ExprKind::Let(decls, body) => {
            decls.iter().for_each(|d| in_decl(d, found));
            in_expr(body, found);
        }
        ExprKind::Prefix { head, fields, body } => {
            in_expr(head, found);
            for field in fields {
                match field {
                    Field::Output(e) => in_expr(e, found),
                    Field::Input(_, set) | Field::Nondet(_, set) => {
                        set.iter().for_each(|e| in_expr(e, found));
                    }
                }
            }
            in_expr(body, found);
        }
        ExprKind::Link(a, links, b) => {
            all([&**a, b], found);
            in_links(links, found);
        }
        ExprKind::Rename(a, links) => {
            in_expr(a, found);
            in_links(links, found);
        }
        ExprKind::Replicated {
            set, stmts, body, ..
        } => {
            set.iter().for_each(|e| in_expr(e, found));
            in_stmts(stmts, found);
            in_expr(body, found);
        }
        ExprKind::ReplicatedLink { links, stmts, body } => {
            in_links(links, found);
            in_stmts(stmts, found);
            in_expr(body, found);
        }
        _ => {}
    }
}

fn all<'a>(list: impl IntoIterator<Item = &'a Expr>, found: &mut Vec<&'a Expr>) {
    list.into_iter().for_each(|e| in_expr(e, found));
}

fn in_stmts<'a>(stmts: &'a [Stmt], found: &mut Vec<&'a Expr>) {
    for stmt in stmts {
        let (Stmt::Generator(_, e) | Stmt::Condition(e)) = stmt;
        in_expr(e, found);
    }
}

fn in_links<'a>(links: &'a Links, found: &mut Vec<&'a Expr>) {
    for (a, b) in &links.pairs {
        all([a, b], found);
    }
    in_stmts(&links.stmts, found);
}
