//! The rules of the operators without parallelism, one function each, named as in the literature.
//!
//! In `P ; Q` the ✓ of `P` becomes τ. External choice is resolved by visible events and ✓, never by τ.

use super::rule_context::RuleContext;
use super::term::{ControlState, Label, Steps, Term, TermData};
use super::unfold::Unfolded;
use crate::source::diagnostic::Result;
use crate::value::Value;

/// A suspended expression: what it turns out to be tells what it does.
pub(super) fn call(control: ControlState, env: &[Value], s: &mut RuleContext<'_>) -> Result<Steps> {
    match s.unfold(control, env)? {
        Unfolded::Prefixes(prefixes) => Ok(prefixes
            .into_iter()
            .map(|(event, next)| (Label::Event(event), next))
            .collect()),
        Unfolded::Term(term) => s.transitions(term),
    }
}

/// `CHAOS(A)` may do any event of `A` and may silently refuse all: its τ leads to `STOP`.
pub(super) fn chaos(t: Term, set: Value, s: &mut RuleContext<'_>) -> Result<Steps> {
    // The τ comes first, which `chase` sees.
    let stop = s.make(TermData::Stop);
    let mut steps = vec![(Label::Tau, stop)];
    steps.extend(run(t, set, s)?);
    Ok(steps)
}

/// `RUN(A)` always offers all events of `A`.
pub(super) fn run(t: Term, set: Value, s: &mut RuleContext<'_>) -> Result<Steps> {
    let events = s.elements(t, set)?;
    Ok(events.iter().map(|e| (Label::Event(*e), t)).collect())
}

/// `P [] Q`: τ does not resolve it.
pub(super) fn external_choice(
    t: Term,
    operands: &[Term],
    s: &mut RuleContext<'_>,
) -> Result<Steps> {
    let mut steps = Vec::new();
    for (i, p) in operands.iter().enumerate() {
        for (label, next) in s.operand(*p)?.iter().copied() {
            s.look(t)?;
            // The other operands stay, and wait.
            if label == Label::Tau {
                let mut evolved = operands.to_vec();
                evolved[i] = next;
                let (terms, store) = s.stores();
                steps.push((label, terms.ext_choice(store, evolved)));
            } else {
                steps.push((label, next));
            }
        }
    }
    Ok(steps)
}

/// `P ; Q`: the ✓ of `P` is silent and hands over to `Q`.
pub(super) fn sequential(t: Term, p: Term, q: Term, s: &mut RuleContext<'_>) -> Result<Steps> {
    let mut steps = Vec::new();
    for (label, next) in s.operand(p)?.iter().copied() {
        s.look(t)?;
        if label == Label::Tick {
            // Only now: a recursion through `Q` ends because `Q` is not looked at before.
            steps.push((Label::Tau, s.settle(q)?));
        } else {
            steps.push((label, s.make(TermData::Seq(next, q))));
        }
    }
    Ok(steps)
}

/// `P /\ Q`: a visible event of `Q` takes over at any time.
pub(super) fn interrupt(t: Term, (p, q): (Term, Term), s: &mut RuleContext<'_>) -> Result<Steps> {
    let mut steps = Vec::new();
    for (label, next) in s.operand(p)?.iter().copied() {
        s.look(t)?;
        let next = match label {
            Label::Tick => next,
            _ => s.make(TermData::Interrupt(next, q)),
        };
        steps.push((label, next));
    }
    for (label, next) in s.operand(q)?.iter().copied() {
        let next = match label {
            Label::Tau => s.make(TermData::Interrupt(p, next)),
            _ => next,
        };
        steps.push((label, next));
    }
    Ok(steps)
}

/// `P [> Q`: `P` may be offered for a while; τ leads to `Q`.
pub(super) fn sliding_choice(t: Term, p: Term, q: Term, s: &mut RuleContext<'_>) -> Result<Steps> {
    let mut steps = Vec::new();
    for (label, next) in s.operand(p)?.iter().copied() {
        s.look(t)?;
        let next = match label {
            Label::Tau => s.make(TermData::Sliding(next, q)),
            _ => next,
        };
        steps.push((label, next));
    }
    steps.push((Label::Tau, s.settle(q)?));
    Ok(steps)
}

/// `P [|A|> Q`: an event of `A` by `P` hands over to `Q`.
pub(super) fn exception(
    t: Term,
    p: Term,
    set: Value,
    q: Term,
    s: &mut RuleContext<'_>,
) -> Result<Steps> {
    let mut steps = Vec::new();
    for (label, next) in s.operand(p)?.iter().copied() {
        let next = match label {
            Label::Tick => next,
            Label::Event(e) if s.belongs(t, set, e)? => s.settle(q)?,
            _ => s.make(TermData::Exception(next, set, q)),
        };
        steps.push((label, next));
    }
    Ok(steps)
}

/// `P \ A`, or `P |\ A` if `keep`: hidden events are silent, ✓ passes.
pub(super) fn hide(
    t: Term,
    p: Term,
    set: Value,
    keep: bool,
    s: &mut RuleContext<'_>,
) -> Result<Steps> {
    let mut steps = Vec::new();
    for (label, next) in s.operand(p)?.iter().copied() {
        if label == Label::Tick {
            steps.push((label, next));
            continue;
        }
        let label = match label {
            Label::Event(e) if s.belongs(t, set, e)? != keep => Label::Tau,
            other => other,
        };
        let process = next;
        steps.push((label, s.make(TermData::Hide { process, set, keep })));
    }
    Ok(steps)
}

/// `P [[…]]`: every image of an event; an event without image stays.
pub(super) fn rename(t: Term, p: Term, pairs: Value, s: &mut RuleContext<'_>) -> Result<Steps> {
    let links = s.pairs_of(t, pairs)?;
    let mut steps = Vec::new();
    for (label, next) in s.operand(p)?.iter().copied() {
        s.look(t)?;
        let next = match label {
            Label::Tick => next,
            _ => s.make(TermData::Rename(next, pairs)),
        };
        let Label::Event(old) = label else {
            steps.push((label, next));
            continue;
        };
        // The pairs are ascending, so those of one old event stand together.
        let from = {
            let store = &*s.stores().1;
            links.partition_point(|l| store.compare(l.0, old).is_lt())
        };
        let images: Vec<_> = links[from..].iter().take_while(|l| l.0 == old).collect();
        if images.is_empty() {
            steps.push((label, next));
        }
        steps.extend(images.into_iter().map(|l| (Label::Event(l.1), next)));
    }
    Ok(steps)
}
