//! The built-in functions that make processes, with the checks of their arguments. The processes
//! among the arguments are terms already, so nothing is evaluated here.

use super::events::{event_pairs, expect_event, listed_events};
use super::fail::fail;
use super::values::Values;
use crate::process::Terms;
use crate::process::term::{Term, TermData};
use crate::script::core::Builtin;
use crate::source::diagnostic::Result;
use crate::source::hash::{IndexMap, IndexSet};
use crate::source::{Diagnostic, Span};
use crate::value::Value;

/// Applies a built-in function that makes a process; none if this is not one.
pub(super) fn process_builtin(
    values: &mut Values,
    terms: &mut Terms,
    b: Builtin,
    args: &[Value],
    span: Span,
) -> Result<Option<Term>> {
    let t = match (b, args) {
        (Builtin::Chaos, [set]) => {
            let set = values.settled_set(*set, span)?;
            terms.intern(&values.store, TermData::Chaos(set))
        }
        (Builtin::Run, [set]) => {
            let set = values.settled_set(*set, span)?;
            terms.intern(&values.store, TermData::Run(set))
        }
        (Builtin::Prioritise | Builtin::PrioritiseNoCache, [p, levels]) => {
            let p = values.term(*p, span)?;
            let data = prioritised(values, p, *levels, span)?;
            terms.idempotent(&values.store, data)
        }
        (Builtin::PrioritisePo, [p, events, order, maximal]) => {
            let p = values.term(*p, span)?;
            let data = prioritised_partially(values, p, [*events, *order, *maximal], span)?;
            terms.idempotent(&values.store, data)
        }
        (Builtin::Buffer, [capacity, pairs]) => {
            let data = buffer(values, *capacity, *pairs, span)?;
            terms.intern(&values.store, data)
        }
        (Builtin::TraceWatchdog, [p, events, bark]) => {
            let p = values.term(*p, span)?;
            let events = values.settled_set(*events, span)?;
            expect_event(values, *bark, span)?;
            terms.watchdog(&values.store, vec![p], events, *bark)
        }
        (Builtin::WeakBuffer | Builtin::SignalBuffer | Builtin::FailureWatchdog, _) => {
            return Err(undocumented(b, span));
        }
        (_, [p]) => return transformed(values, terms, b, *p, span),
        _ => return Ok(None),
    };
    Ok(Some(t))
}

/// Applies a function of one process; none if this is not one.
fn transformed(
    values: &Values,
    terms: &mut Terms,
    b: Builtin,
    p: Value,
    span: Span,
) -> Result<Option<Term>> {
    let store = &values.store;
    let t = match b {
        Builtin::Explicate
        | Builtin::Diamond
        | Builtin::Normal
        | Builtin::Sbisim
        | Builtin::Dbisim
        | Builtin::Wbisim
        | Builtin::TauLoopFactor
        | Builtin::ModelCompress => terms.compressed(store, b, values.term(p, span)?),
        // Processes are explored on demand and only once anyway.
        Builtin::LazyEnumerate | Builtin::LazyNorm => values.term(p, span)?,
        Builtin::Loop => terms.intern(store, TermData::Loop(values.term(p, span)?)),
        Builtin::Chase | Builtin::ChaseNoCache | Builtin::Deter => {
            terms.idempotent(store, TermData::Resolved(b, values.term(p, span)?))
        }
        _ => return Ok(None),
    };
    Ok(Some(t))
}

/// Refuses a function without a published definition.
fn undocumented(b: Builtin, span: Span) -> Box<Diagnostic> {
    let message = format!("`{}` is not supported", b.name());
    Box::new(
        Diagnostic::error("E0601", span, message)
            .note("what it does exactly is not documented, and a guess could make verdicts wrong"),
    )
}

/// `prioritise(P, <A1, …>)`
fn prioritised(values: &mut Values, p: Term, levels: Value, span: Span) -> Result<TermData> {
    // The order of the sets is their priority: the first comes first.
    let given = values.at(values.store.as_seq(levels), span)?.to_vec();
    if given.is_empty() {
        let message = "`prioritise` needs at least one set of events";
        let note = "the first set is as important as τ and ✓: `<{}, A>` puts all of `A` below";
        return Err(Box::new(
            Diagnostic::error("E0440", span, message).note(note),
        ));
    }
    let mut sets = Vec::with_capacity(given.len());
    for set in given {
        sets.push(values.settled_set(set, span)?);
    }
    Ok(TermData::Prioritise(p, values.store.seq(sets)))
}

/// `prioritisepo(P, E, order, maximal)`: the order has to be one, on `E`, with nothing above what is
/// maximal.
fn prioritised_partially(
    values: &mut Values,
    process: Term,
    [events, order, maximal]: [Value; 3],
    span: Span,
) -> Result<TermData> {
    let events = listed_events(values, events, span)?;
    let pairs = event_pairs(values, order, span)?;
    let maximal = listed_events(values, maximal, span)?;
    let used = pairs.iter().flat_map(|(a, b)| [*a, *b]);
    let mut used = used.chain(maximal.iter().copied());
    if let Some(e) = used.find(|e| !events.contains(e)) {
        let shown = values.short(e);
        let message = format!("`{shown}` is not one of the events given to `prioritisepo`");
        return Err(Box::new(Diagnostic::error("E0441", span, message).note(
            "the second argument has to contain every event of the other two",
        )));
    }
    // Scripts give an order by some of its pairs; it is closed once, here.
    let above = transitive(&pairs);
    if let Some((e, _)) = above.iter().find(|(e, lower)| lower.contains(*e)) {
        let shown = values.short(*e);
        let message = format!("the order of priorities is cyclic: `{shown}` is below itself");
        return Err(fail("E0442", message, span));
    }
    if let Some((higher, lower)) = pairs.iter().find(|(_, lower)| maximal.contains(lower)) {
        let [lower, higher] = [*lower, *higher].map(|e| values.short(e));
        let message = format!("`{lower}` is said to be maximal, but `{higher}` is above it");
        return Err(fail("E0443", message, span));
    }
    let store = &mut values.store;
    let mut closed = Vec::new();
    for (e, lower) in &above {
        for f in lower {
            closed.push(store.tuple(vec![*e, *f]));
        }
    }
    // What is not maximal is below τ and ✓.
    let below = events.iter().filter(|e| !maximal.contains(*e)).copied();
    let below = store.set(below.collect());
    let order = store.set(closed);
    Ok(TermData::PrioritisePo {
        process,
        order,
        below,
    })
}

/// For every event that is above others, all those below it.
fn transitive(pairs: &[(Value, Value)]) -> IndexMap<Value, IndexSet<Value>> {
    let mut below: IndexMap<Value, IndexSet<Value>> = IndexMap::default();
    for (a, b) in pairs {
        below.entry(*a).or_default().insert(*b);
    }
    let mut closed: IndexMap<Value, IndexSet<Value>> = IndexMap::default();
    for e in below.keys() {
        // Grows while it is gone through, so it ends with everything that is reached.
        let mut reached: IndexSet<Value> = below[e].clone();
        let mut next = 0;
        while let Some(f) = reached.get_index(next).copied() {
            next += 1;
            reached.extend(below.get(&f).into_iter().flatten().copied());
        }
        closed.insert(*e, reached);
    }
    closed
}

/// `BUFFER(n, pairs)`
fn buffer(values: &mut Values, capacity: Value, pairs: Value, span: Span) -> Result<TermData> {
    let one = values.store.int(1);
    if values.store.compare(capacity, one).is_lt() {
        let shown = values.short(capacity);
        let message = format!("the capacity of a buffer has to be at least 1, not {shown}");
        return Err(fail("E0444", message, span));
    }
    let listed = event_pairs(values, pairs, span)?;
    let mut seen: IndexSet<Value> = IndexSet::default();
    for e in listed.iter().flat_map(|(a, b)| [*a, *b]) {
        if !seen.insert(e) {
            let shown = values.short(e);
            let message = format!("`{shown}` is used twice by one buffer");
            let note = "every event of the pairs may occur once: it says what comes in or goes out";
            return Err(Box::new(
                Diagnostic::error("E0445", span, message).note(note),
            ));
        }
    }
    let pairs = values.settled_set(pairs, span)?;
    let rule = values.store.tuple(vec![capacity, pairs]);
    let held = values.store.seq(Vec::new());
    Ok(TermData::Buffer { rule, held })
}

/// A process in which τ and ✓ have priority over a set of events (`:[tau priority]: S`).
pub(super) fn silence_first(
    values: &mut Values,
    terms: &mut Terms,
    process: Term,
    set: Value,
    span: Span,
) -> Result<Term> {
    let below = values.settled_set(set, span)?;
    let order = values.store.set(Vec::new());
    let data = TermData::PrioritisePo {
        process,
        order,
        below,
    };
    Ok(terms.idempotent(&values.store, data))
}
