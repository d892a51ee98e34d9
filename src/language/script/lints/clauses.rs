//! Clauses that an earlier clause leaves nothing to match.

use crate::script::core::{Clause, Function, Pattern, PatternKind};
use crate::source::Diagnostic;
use crate::source::stack::deep;

/// Later clauses are compared with at most so many before them.
const CLAUSES_MAX: usize = 200;

/// Adds the warnings about one function.
pub(super) fn find(function: &Function, out: &mut Vec<Diagnostic>) {
    for (n, clause) in function.clauses.iter().enumerate().take(CLAUSES_MAX) {
        let earlier = function.clauses[..n].iter().find(|e| hides(e, clause));
        if let Some(earlier) = earlier {
            let message = format!("this clause of `{}` can never match", function.name);
            out.push(
                Diagnostic::warning("W0105", head(clause), message)
                    .label("never tried with success")
                    .also(head(earlier), "this clause matches all of it before")
                    .note("clauses are tried in the order of the text"),
            );
        }
    }
}

/// The parameters of a clause.
fn head(clause: &Clause) -> crate::source::Span {
    let patterns = || clause.groups.iter().flatten();
    let start = crate::source::Span {
        end: clause.span.start + 1,
        ..clause.span
    };
    patterns().fold(start, |head, p| head.to(p.span))
}

fn hides(earlier: &Clause, later: &Clause) -> bool {
    let all = |c: &Clause| c.groups.iter().flatten().count();
    let pairs = earlier
        .groups
        .iter()
        .flatten()
        .zip(later.groups.iter().flatten());
    all(earlier) == all(later) && pairs.into_iter().all(|(p, q)| covers(p, q))
}

/// Whether a pattern matches everything that another one matches. When in doubt, it does not.
fn covers(p: &Pattern, q: &Pattern) -> bool {
    use PatternKind as K;
    let each = |ps: &[Pattern], qs: &[Pattern]| {
        ps.len() == qs.len() && ps.iter().zip(qs).all(|(p, q)| covers(p, q))
    };
    deep(|| match (&p.kind, &q.kind) {
        (K::Bind(_) | K::Wild, _) => true,
        (K::Both(a, b), _) => covers(a, q) && covers(b, q),
        (_, K::Both(a, b)) => covers(p, a) || covers(p, b),
        (K::Int(a), K::Int(b)) => a == b,
        (K::Bool(a), K::Bool(b)) => a == b,
        (K::Char(a), K::Char(b)) => a == b,
        (K::Ctor(a), K::Ctor(b)) => a == b,
        (K::Channel(a), K::Channel(b)) => a == b,
        (K::Tuple(ps), K::Tuple(qs)) | (K::Seq(ps), K::Seq(qs)) => each(ps, qs),
        (K::Singleton(p), K::Singleton(q)) => covers(p, q),
        (K::EmptySet, K::EmptySet) => true,
        (K::Dot(ps), K::Dot(qs)) => dots(ps, qs),
        (K::Concat(front, middle, back), K::Seq(qs)) => {
            let known = front.len() + back.len();
            known <= qs.len()
                && anything(middle)
                && each(front, &qs[..front.len()])
                && each(back, &qs[qs.len() - back.len()..])
        }
        (K::Concat(f, middle, b), K::Concat(g, _, c)) => {
            f.len() <= g.len()
                && b.len() <= c.len()
                && anything(middle)
                && each(f, &g[..f.len()])
                && each(b, &c[c.len() - b.len()..])
        }
        _ => false,
    })
}

fn anything(p: &Pattern) -> bool {
    matches!(p.kind, PatternKind::Bind(_) | PatternKind::Wild)
}

/// The last part of a dotted pattern matches all that remains.
fn dots(ps: &[Pattern], qs: &[Pattern]) -> bool {
    let Some((last, front)) = ps.split_last() else {
        return false;
    };
    let fixed = |p: &Pattern| !anything(p) && !matches!(p.kind, PatternKind::Both(..));
    if ps.len() == qs.len() {
        // A variable in the middle is one field, whatever its type; the last one is the rest.
        return ps.iter().zip(qs).all(|(p, q)| covers(p, q));
    }
    ps.len() < qs.len()
        && anything(last)
        && front.iter().skip(1).all(fixed)
        && front.iter().zip(qs).all(|(p, q)| covers(p, q))
}
