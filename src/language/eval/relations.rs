//! The built-in functions on relations, which are sets of pairs.

use super::fail::fail;
use super::values::Values;
use crate::script::core::Builtin;
use crate::source::Span;
use crate::source::diagnostic::Result;
use crate::source::disjoint_sets::DisjointSets;
use crate::source::hash::IndexMap;
use crate::value::{Data, Value};

/// Applies a function on relations; none if this is not one.
pub(super) fn relation_builtin(
    values: &mut Values,
    b: Builtin,
    args: &[Value],
    span: Span,
) -> Result<Option<Value>> {
    Ok(Some(match (b, args) {
        (Builtin::Transpose, [relation]) => {
            let pairs = pairs_of(values, *relation, span)?;
            let store = &mut values.store;
            let swapped = pairs.into_iter().map(|(a, b)| store.tuple(vec![b, a]));
            let swapped = swapped.collect();
            store.set(swapped)
        }
        (Builtin::RelationalImage | Builtin::RelationalInverseImage, [relation]) => {
            // What is not a relation is refused here, not where the image is applied.
            pairs_of(values, *relation, span)?;
            values.store.intern(Data::Applied(b, [*relation].into()))
        }
        (Builtin::MTransClose, [relation, set]) => representatives(values, *relation, *set, span)?,
        _ => return Ok(None),
    }))
}

/// Calls a curried built-in function with its last group of arguments.
pub(super) fn applied(
    values: &mut Values,
    b: Builtin,
    first: &[Value],
    args: &[Value],
    span: Span,
) -> Result<Value> {
    let ([relation], [from]) = (first, args) else {
        let text = format!("`{}` does not take {} arguments", b.name(), args.len());
        return Err(fail("E0412", text, span));
    };
    let inverse = b == Builtin::RelationalInverseImage;
    let pairs = pairs_of(values, *relation, span)?;
    let image = pairs.into_iter().filter_map(|(a, b)| match inverse {
        false => (a == *from).then_some(b),
        true => (b == *from).then_some(a),
    });
    Ok(values.store.set(image.collect()))
}

/// The pairs of a relation, in order.
fn pairs_of(values: &mut Values, relation: Value, span: Span) -> Result<Vec<(Value, Value)>> {
    let elements = values.store.sets().elements(relation);
    let elements = values.at(elements, span)?;
    elements.iter().map(|v| values.pair(*v, span)).collect()
}

/// `mtransclose(r, s)`: for each class of the least equivalence that contains `r`, the pairs of its
/// representative with its other elements, where both belong to `s`. The representative is the least
/// element that is the first of a pair.
fn representatives(values: &mut Values, relation: Value, set: Value, span: Span) -> Result<Value> {
    let pairs = pairs_of(values, relation, span)?;
    // The elements in the order in which they may represent their class.
    let mut known: IndexMap<Value, u32> = IndexMap::default();
    let all = pairs.iter().map(|p| p.0).chain(pairs.iter().map(|p| p.1));
    for v in all {
        let next = known.len() as u32;
        known.entry(v).or_insert(next);
    }
    let number = |v: &Value| known.get(v).copied().unwrap_or(0);
    let mut classes = DisjointSets::new(known.len() as u32);
    for (a, b) in &pairs {
        classes.join(number(a), number(b));
    }
    let mut closed = Vec::new();
    for (i, v) in (0..).zip(known.keys()) {
        let Some((representative, _)) = known.get_index(classes.least(i) as usize) else {
            continue;
        };
        if representative == v {
            continue;
        }
        if belongs(values, set, *representative, span)? && belongs(values, set, *v, span)? {
            closed.push(values.store.tuple(vec![*representative, *v]));
        }
    }
    Ok(values.store.set(closed))
}

fn belongs(values: &mut Values, set: Value, v: Value, span: Span) -> Result<bool> {
    let inside = values.store.sets().contains(set, v);
    values.at(inside, span)
}
