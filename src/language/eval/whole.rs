//! Values with all their parts evaluated.

use super::force::Force;
use super::sequence::listed;
use crate::source::Span;
use crate::source::diagnostic::Result;
use crate::source::hash::Map;
use crate::source::stack::deep;
use crate::value::{Data, Value};

/// Parts that were evaluated, by what they were before: values share parts.
type WholeParts = Map<Value, Value>;

/// The value with all its parts evaluated: what is compared, put into a set, or shown.
pub(super) fn whole(force: &mut impl Force, v: Value, span: Span) -> Result<Value> {
    whole_within(force, &mut WholeParts::default(), v, span)
}

fn whole_within(
    force: &mut impl Force,
    known: &mut WholeParts,
    v: Value,
    span: Span,
) -> Result<Value> {
    if !force.values().store.flags(v).is_partial() {
        return Ok(v);
    }
    if let Some(whole) = known.get(&v) {
        return Ok(*whole);
    }
    force.values().descend(span)?;
    let whole = deep(|| whole_parts(force, known, v, span));
    force.values().guard.ascend();
    let whole = whole?;
    known.insert(v, whole);
    Ok(whole)
}

fn whole_parts(
    force: &mut impl Force,
    known: &mut WholeParts,
    v: Value,
    span: Span,
) -> Result<Value> {
    // The value itself first: only then is it known what parts it has.
    let v = force.settled(v, span)?;
    Ok(match force.values().store.data(v).clone() {
        Data::Tuple(items) => {
            let items = all(force, known, &items, span)?;
            force.values().store.tuple(items)
        }
        // A view becomes a plain sequence here, so that equal sequences are equal handles.
        Data::Seq(_) | Data::View { .. } | Data::Stream { .. } => {
            let items = listed(force, v, span)?;
            let items = all(force, known, &items, span)?;
            force.values().store.seq(items)
        }
        Data::Map(pairs) => {
            // Keys are evaluated before they become keys.
            let mut evaluated = Vec::with_capacity(pairs.len());
            for (key, value) in &pairs {
                evaluated.push((*key, whole_within(force, known, *value, span)?));
            }
            force.values().store.map(evaluated)
        }
        _ => v,
    })
}

fn all(
    force: &mut impl Force,
    known: &mut WholeParts,
    items: &[Value],
    span: Span,
) -> Result<Vec<Value>> {
    let items = items.iter();
    items
        .map(|item| whole_within(force, known, *item, span))
        .collect()
}
