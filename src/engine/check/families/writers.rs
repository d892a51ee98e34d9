//! Whether at most one process fixes each value of an event (one writer): then no step of the whole depends on whether
//! two values are equal.

use super::sides::FamilySides;
use super::unprovable::{Decided, Unprovable};
use crate::machine::{EventId, LocalId};
use crate::process::parts::operands;
use crate::process::term::{Term, TermData};
use crate::source::hash::{IndexMap, IndexSet, Set};
use crate::value::{Atom, Value};

/// The fields of events of one shape, and the sets of values that a local state offers for them.
type OfferedValues = IndexMap<Value, IndexSet<Box<[Atom]>>>;

/// Decides it of the last side, compiled with two values.
pub(super) fn one_writer(sides: &mut FamilySides<'_>) -> Decided<()> {
    let last = sides.sides.len() - 1;
    all_is_known(sides, last)?;
    let format = sides.sides[last].network.first();
    let reach: Vec<Vec<LocalId>> = format.reach().iter().map(|r| r.locals.clone()).collect();
    let rules: Vec<Box<[(u16, EventId)]>> = format
        .rules()
        .list()
        .iter()
        .map(|r| r.parts.clone())
        .collect();
    let mut fixed = Vec::with_capacity(reach.len());
    for locals in &reach {
        fixed.push(fixed_fields(sides, locals)?);
    }
    for parts in rules {
        // The processes that fix each field.
        let mut writers: Vec<usize> = Vec::new();
        let mut fields = None;
        for (component, event) in parts {
            let Some((shape, atoms)) = taken_apart(sides, event) else {
                continue;
            };
            if *fields.get_or_insert(atoms.len()) != atoms.len() {
                return Err(Unprovable::nowhere(
                    "processes take part in one step with different numbers of values",
                ));
            }
            writers.resize(atoms.len(), 0);
            if let Some(fields) = fixed[usize::from(component)].get(&shape) {
                fields.iter().for_each(|field| writers[*field] += 1);
            }
            if writers.iter().any(|n| *n > 1) {
                let shown = sides.shown(event);
                return Err(Unprovable::nowhere(format!(
                    "two processes both write a value of one event, such as `{shown}`: whether it is possible depends \
                     on whether their values are equal"
                )));
            }
        }
    }
    Ok(())
}

/// The network has one form, its components are known, and no local state is a parallel composition, of whose rules
/// nothing would be seen.
fn all_is_known(sides: &mut FamilySides<'_>, side: usize) -> Decided<()> {
    let FamilySides { machine, sides, .. } = sides;
    let network = &sides[side].network;
    if !network.is_fixed() || !network.first().reach().iter().all(|r| r.complete) {
        return Err(Unprovable::nowhere(
            "its processes are not all known before the search, or its parallel operators change on the way",
        ));
    }
    let mut open: Vec<Term> = machine.locals().terms().collect();
    let mut seen: Set<Term> = Set::default();
    while let Some(term) = open.pop() {
        if !seen.insert(term) {
            continue;
        }
        let data = machine.eval.terms().data(term);
        let is_parallel = matches!(
            data,
            TermData::Sharing(..)
                | TermData::Alphabetised(_)
                | TermData::Link(..)
                | TermData::SyncChoice(..)
                | TermData::SyncInterrupt(..)
        );
        if is_parallel {
            return Err(Unprovable::nowhere(
                "a parallel composition stands below an operator such as `[]` or `;`",
            ));
        }
        open.extend(operands(data));
    }
    Ok(())
}

/// The shape of an event and its values of the datatype; nothing for τ and ✓.
fn taken_apart(sides: &mut FamilySides<'_>, event: EventId) -> Option<(Value, Box<[Atom]>)> {
    let value = sides.machine.events().value(event)?;
    Some(sides.parts_of(value))
}

/// For each shape of event the fields that some local state fixes: it does not offer the event with each other value
/// there.
fn fixed_fields(
    sides: &mut FamilySides<'_>,
    locals: &[LocalId],
) -> Decided<IndexMap<Value, IndexSet<usize>>> {
    let mut fixed: IndexMap<Value, IndexSet<usize>> = IndexMap::default();
    for local in locals {
        sides.machine.expand(*local)?;
        let transitions = sides.machine.locals().transitions(*local).unwrap_or(&[]);
        let events: Vec<EventId> = transitions.iter().map(|(event, _)| *event).collect();
        let mut offers = OfferedValues::default();
        for event in events {
            if let Some((shape, atoms)) = taken_apart(sides, event) {
                offers.entry(shape).or_default().insert(atoms);
            }
        }
        for (shape, tuples) in offers {
            let here = fixed.entry(shape).or_default();
            let fields = tuples.first().map_or(0, |t| t.len());
            here.extend((0..fields).filter(|field| !is_free(&tuples, *field, sides.values)));
        }
    }
    Ok(fixed)
}

/// Whether a set of tuples has with each of them those with any other value in a field.
fn is_free(tuples: &IndexSet<Box<[Atom]>>, field: usize, values: usize) -> bool {
    tuples.iter().all(|tuple| {
        (0..values as u16).all(|value| {
            let mut other = tuple.clone();
            other[field] = Atom(value);
            tuples.contains(&other)
        })
    })
}
