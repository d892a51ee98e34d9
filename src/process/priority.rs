//! Priority between the actions of a process (Roscoe, *Understanding Concurrent Systems*, Ch. 20).
//!
//!
//! An action happens only where the process cannot do one of higher priority instead. τ and ✓ are
//! never held back. An event outside the order is never held back and holds nothing back. What
//! counts is what the process can do in the very state, so the operator does not look ahead.

use super::compress::{Sight, seen};
use super::step::{Steps, Unfold, belongs, make, pairs_of, transitions};
use super::term::{Label, Term, TermData};
use crate::source::diagnostic::Result;
use crate::source::hash::Set;
use crate::value::Value;

/// `prioritise(P, <A1, …>)`: the events of `A1` are as important as τ and ✓, those of `A2` less,
/// and so on. An event of several sets belongs to the first.
pub(super) fn prioritise(t: Term, p: Term, levels: Value, u: &mut dyn Unfold) -> Result<Steps> {
    let sets = match u.stores().1.as_seq(levels) {
        Ok(sets) => sets.to_vec(),
        Err(error) => return Err(u.complain(&error, t)),
    };
    let steps = seen(Sight::States, u, |u| transitions(p, u))?;
    let mut ranked = Vec::with_capacity(steps.len());
    for (label, next) in steps {
        ranked.push((level(t, label, &sets, u)?, label, next));
    }
    let highest = ranked.iter().filter_map(|r| r.0).min();
    let kept = ranked
        .into_iter()
        .filter(|(level, ..)| level.is_none() || *level == highest);
    let wrap = |(_, label, next)| {
        (
            label,
            wrapped(label, next, u, |p| TermData::Prioritise(p, levels)),
        )
    };
    Ok(kept.map(wrap).collect())
}

/// The number of the first set that has a label, from 0; none if no set has it.
fn level(t: Term, label: Label, sets: &[Value], u: &mut dyn Unfold) -> Result<Option<usize>> {
    let Label::Event(event) = label else {
        return Ok(Some(0));
    };
    for (i, set) in sets.iter().enumerate() {
        if belongs(u, t, *set, event)? {
            return Ok(Some(i));
        }
    }
    Ok(None)
}

/// `prioritisepo(P, E, order, maximal)`: an event waits for those above it in the order and, if it
/// is in `below`, for τ and ✓.
pub(super) fn prioritise_partially(
    t: Term,
    (process, order, below): (Term, Value, Value),
    u: &mut dyn Unfold,
) -> Result<Steps> {
    let steps = seen(Sight::States, u, |u| transitions(process, u))?;
    let silent = |label: &Label| !matches!(label, Label::Event(_));
    let unstable = steps.iter().any(|(label, _)| silent(label));
    let offered: Set<Value> = steps
        .iter()
        .filter_map(|(label, _)| match label {
            Label::Event(e) => Some(*e),
            _ => None,
        })
        .collect();
    let mut held_back: Set<Value> = Set::default();
    for (higher, lower) in pairs_of(u, t, order)? {
        if offered.contains(&higher) {
            held_back.insert(lower);
        }
    }
    let mut kept = Vec::with_capacity(steps.len());
    for (label, next) in steps {
        if let Label::Event(e) = label
            && (held_back.contains(&e) || unstable && belongs(u, t, below, e)?)
        {
            continue;
        }
        let data = |process| TermData::PrioritisePo {
            process,
            order,
            below,
        };
        kept.push((label, wrapped(label, next, u, data)));
    }
    Ok(kept)
}

/// The operator around what follows; after ✓ there is nothing to hold back.
fn wrapped(
    label: Label,
    next: Term,
    u: &mut dyn Unfold,
    data: impl FnOnce(Term) -> TermData,
) -> Term {
    match label {
        Label::Tick => next,
        _ => make(u, data(next)),
    }
}
