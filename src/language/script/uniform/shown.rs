//! Which choices of values show in an event.

use crate::script::core::{Expr, ExprKind, Field, PatternKind, Stmt, VariableId};
use crate::script::visit::{self, Mention};
use crate::source::Span;
use crate::source::hash::Set;

/// Whether a choice is one of prefixes whose events show each variable of its generators.
pub(super) fn shows(stmts: &[Stmt], body: &Expr) -> bool {
    let mut variables = Vec::new();
    for stmt in stmts {
        if let Stmt::Generator(pattern, _) = stmt {
            visit::pattern(pattern, &mut |mention: Mention, _: Span| {
                if let Mention::Binder(v) = mention {
                    variables.push(v);
                }
            });
            // What is not bound is not shown either.
            if !matches!(pattern.kind, PatternKind::Bind(_)) {
                return false;
            }
        }
    }
    let ExprKind::Prefix { head, fields, .. } = &body.kind else {
        return false;
    };
    let mut shown: Set<VariableId> = Set::default();
    let outputs = fields.iter().filter_map(|f| match f {
        Field::Output(e) => Some(e),
        Field::Input(..) | Field::Nondet(..) => None,
    });
    for part in outputs.chain([&**head]) {
        part_values(part, &mut shown);
    }
    variables.iter().all(|v| shown.contains(v))
}

/// The variables that stand as fields of an event.
fn part_values(e: &Expr, shown: &mut Set<VariableId>) {
    match &e.kind {
        ExprKind::Local(v) => {
            shown.insert(*v);
        }
        ExprKind::Dot(parts) => parts.iter().for_each(|p| part_values(p, shown)),
        _ => {}
    }
}
