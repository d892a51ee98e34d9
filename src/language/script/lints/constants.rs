//! Channels in patterns where a variable may be meant: a pattern that is a channel and nothing else
//! matches that channel alone.

use crate::script::core::{
    ChannelId, Expr, ExprKind, Function, Pattern, PatternKind, Script, Stmt,
};
use crate::source::{Diagnostic, Span};

/// The parameters that are the same channel in all clauses: with one, it is no case among others.
pub(super) fn of_function(function: &Function, out: &mut Vec<(ChannelId, Span)>) {
    let Some((first, others)) = function.clauses.split_first() else {
        return;
    };
    let params = first.groups.iter().flatten();
    for (at, param) in params.enumerate() {
        let Some(channel) = channel(param) else {
            continue;
        };
        let same = others.iter().all(|clause| {
            let other = clause.groups.iter().flatten().nth(at);
            other.and_then(self::channel) == Some(channel)
        });
        if same {
            out.push((channel, param.span));
        }
    }
}

/// The channels that are patterns of generators: a generator skips all other values silently.
pub(super) fn of_expression(e: &Expr, out: &mut Vec<(ChannelId, Span)>) {
    use ExprKind as K;
    let mut drawn = |stmts: &[Stmt]| {
        for stmt in stmts {
            if let Stmt::Generator(p, _) = stmt {
                out.extend(channel(p).map(|c| (c, p.span)));
            }
        }
    };
    match &e.kind {
        K::Seq(_, stmts)
        | K::Set(_, stmts)
        | K::Productions(_, stmts)
        | K::Replicated { stmts, .. } => drawn(stmts),
        K::Rename(_, links) | K::Link(_, links, _) => drawn(&links.stmts),
        K::ReplicatedLink { links, stmts, .. } => {
            drawn(&links.stmts);
            drawn(stmts);
        }
        _ => {}
    }
}

fn channel(p: &Pattern) -> Option<ChannelId> {
    match p.kind {
        PatternKind::Channel(c) => Some(c),
        _ => None,
    }
}

/// Adds the warnings.
pub(super) fn find(script: &Script, found: &[(ChannelId, Span)], out: &mut Vec<Diagnostic>) {
    for (channel, span) in found {
        let declared = &script.channels[channel.0 as usize];
        let name = &declared.name;
        let message = format!("`{name}` is the channel here and matches nothing else");
        out.push(
            Diagnostic::warning("W0106", *span, message)
                .label("no new variable")
                .also(declared.span, "the channel is declared here")
                .note("choose another name if a variable is meant"),
        );
    }
}
