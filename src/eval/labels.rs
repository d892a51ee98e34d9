//! The names under which control states are shown.

use std::rc::Rc;

use crate::script::core::{Expr, ExprKind, LocalId, Script};
use crate::source::stack::deep;

/// The name of a variable.
pub(super) fn name_of(script: &Script, v: LocalId) -> Rc<str> {
    let name = script.locals.get(v.0 as usize);
    name.map_or_else(|| "x".into(), Rc::clone)
}

/// The label of a control state that is a part of a definition: with the first channel, since a
/// person looks for it in the text.
pub(super) fn part_label(script: &Script, definition: &str, e: &Expr) -> String {
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
