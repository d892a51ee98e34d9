//! `trace_watchdog(P, A, e)`: a process that watches another for traces that `P` does not have
//! (Goldsmith, Moffat, Roscoe, Whitworth and Zakiuddin, *Watchdog transformations for
//! property-oriented model-checking*, FME 2003).
//!
//! For processes `Q` whose events are in `A` and that do not terminate, `P [T= Q` holds if and only
//! if `Q [|A|] trace_watchdog(P, A, e)` never does `e`.

use super::rule_context::RuleContext;
use super::term::{Label, Steps, Term, TermData};
use crate::source::diagnostic::Result;
use crate::source::hash::{IndexMap, IndexSet};
use crate::value::{Value, ValueError};

/// States that the specification may be in after one trace.
const STATES_MAX: usize = 100_000;

/// Every event of `A` is offered at all times: one that `P` can do next leads to where `P` then may
/// be, any other to nowhere: there `e` is all that is left. ✓ is offered where `P` can do it.
pub(super) fn watchdog(
    t: Term,
    spec: &[Term],
    events: Value,
    bark: Value,
    s: &mut RuleContext<'_>,
) -> Result<Steps> {
    // The trace is none of `P`: the alarm is all that is left.
    if spec.is_empty() {
        return Ok(vec![(Label::Event(bark), s.make(TermData::Stop))]);
    }
    let mut after: IndexMap<Label, Vec<Term>> = IndexMap::default();
    for p in closure(t, spec, s)? {
        for (label, next) in s.transitions(p)? {
            after.entry(label).or_default().push(next);
        }
    }
    let mut steps = Vec::new();
    for event in s.elements(t, events)?.iter() {
        let label = Label::Event(*event);
        // Events that `P` cannot do are offered, too, and lead to the bark.
        let states = after.get(&label).cloned().unwrap_or_default();
        let (terms, store) = s.stores();
        steps.push((label, terms.watchdog(store, states, events, bark)));
    }
    if after.contains_key(&Label::Tick) {
        steps.push((Label::Tick, s.omega()));
    }
    Ok(steps)
}

/// These states and all that they reach by τ.
fn closure(t: Term, spec: &[Term], s: &mut RuleContext<'_>) -> Result<IndexSet<Term>> {
    let mut reached: IndexSet<Term> = spec.iter().copied().collect();
    let mut next = 0;
    while let Some(p) = reached.get_index(next).copied() {
        next += 1;
        for (label, to) in s.transitions(p)? {
            if label == Label::Tau {
                reached.insert(to);
            }
        }
        // Nothing else bounds the set: it is one state of the watchdog, whatever its size.
        if reached.len() > STATES_MAX {
            let text = format!(
                "the specification of a watchdog is in more than {STATES_MAX} states after one trace"
            );
            return Err(s.complain(&ValueError::Other(text), t));
        }
    }
    Ok(reached)
}
