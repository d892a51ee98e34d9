//! Priority between the actions of a process (Roscoe, *Understanding Concurrent Systems*, Ch. 20).
//!
//! An action happens only where the process cannot do one of higher priority instead. τ and ✓ are
//! never held back. An event outside the order is never held back and holds nothing back. What
//! counts is what the process can do in the very state, so the operator does not look ahead.

use super::observation::Observation;
use super::rule_context::RuleContext;
use super::term::{Label, Steps, Term, TermData};
use crate::source::diagnostic::Result;
use crate::source::hash::Set;
use crate::value::Value;

/// `prioritise(P, <A1, …>)`: the events of `A1` are as important as τ and ✓, those of `A2` less,
/// and so on. An event of several sets belongs to the first.
pub(super) fn prioritise(
    t: Term,
    p: Term,
    levels: Value,
    s: &mut RuleContext<'_>,
) -> Result<Steps> {
    let sets = match s.stores().1.as_seq(levels) {
        Ok(sets) => sets.to_vec(),
        Err(error) => return Err(s.complain(&error, t)),
    };
    let steps = s.seeing(Observation::States).transitions(p)?;
    let mut ranked = Vec::with_capacity(steps.len());
    for (label, next) in steps {
        ranked.push((level(t, label, &sets, s)?, label, next));
    }
    // Levels are numbered from the highest priority, which is 0.
    let highest = ranked.iter().filter_map(|r| r.0).min();
    let kept = ranked
        .into_iter()
        .filter(|(level, ..)| level.is_none() || *level == highest);
    let wrap = |(_, label, next)| {
        (
            label,
            wrapped(label, next, s, |p| TermData::Prioritise(p, levels)),
        )
    };
    Ok(kept.map(wrap).collect())
}

/// The number of the first set that has a label, from 0; none if no set has it.
fn level(t: Term, label: Label, sets: &[Value], s: &mut RuleContext<'_>) -> Result<Option<usize>> {
    let Label::Event(event) = label else {
        return Ok(Some(0));
    };
    for (i, set) in sets.iter().enumerate() {
        if s.belongs(t, *set, event)? {
            return Ok(Some(i));
        }
    }
    Ok(None)
}

/// `prioritisepo(P, E, order, maximal)`: an event waits for those above it in the order and, if it
/// is in `below`, for τ and ✓.
pub(super) fn prioritise_partially(
    t: Term,
    process: Term,
    order: Value,
    below: Value,
    s: &mut RuleContext<'_>,
) -> Result<Steps> {
    let steps = s.seeing(Observation::States).transitions(process)?;
    let silent = |label: &Label| !matches!(label, Label::Event(_));
    // ✓ counts as silent: the environment cannot hold it back either.
    let unstable = steps.iter().any(|(label, _)| silent(label));
    let offered: Set<Value> = steps
        .iter()
        .filter_map(|(label, _)| match label {
            Label::Event(e) => Some(*e),
            _ => None,
        })
        .collect();
    let mut held_back: Set<Value> = Set::default();
    for (higher, lower) in s.pairs_of(t, order)? {
        // The order is closed, so one step of it is enough.
        if offered.contains(&higher) {
            held_back.insert(lower);
        }
    }
    let mut kept = Vec::with_capacity(steps.len());
    for (label, next) in steps {
        if let Label::Event(e) = label
            && (held_back.contains(&e) || unstable && s.belongs(t, below, e)?)
        {
            continue;
        }
        let data = |process| TermData::PrioritisePo {
            process,
            order,
            below,
        };
        kept.push((label, wrapped(label, next, s, data)));
    }
    Ok(kept)
}

/// The operator around what follows; after ✓ there is nothing to hold back.
fn wrapped(
    label: Label,
    next: Term,
    s: &mut RuleContext<'_>,
    data: impl FnOnce(Term) -> TermData,
) -> Term {
    match label {
        Label::Tick => next,
        _ => s.make(data(next)),
    }
}
