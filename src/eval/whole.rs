//! Values with all their parts evaluated.

use super::force::Force;
use super::sequence::listed;
use crate::source::Span;
use crate::source::diagnostic::Result;
use crate::source::stack::deep;
use crate::value::{Data, Value};

/// The value with all its parts evaluated: what is compared, put into a set, or shown.
pub(super) fn whole(force: &mut impl Force, v: Value, span: Span) -> Result<Value> {
    if !force.values().store.flags(v).is_partial() {
        return Ok(v);
    }
    force.values().descend(span)?;
    let whole = deep(|| whole_parts(force, v, span));
    force.values().guard.ascend();
    whole
}

fn whole_parts(force: &mut impl Force, v: Value, span: Span) -> Result<Value> {
    // The value itself first: only then is it known what parts it has.
    let v = force.settled(v, span)?;
    Ok(match force.values().store.data(v).clone() {
        Data::Tuple(items) => {
            let items = all(force, &items, span)?;
            force.values().store.tuple(items)
        }
        // A view becomes a plain sequence here, so that equal sequences are equal handles.
        Data::Seq(_) | Data::View { .. } | Data::Stream { .. } => {
            let items = listed(force, v, span)?;
            let items = all(force, &items, span)?;
            force.values().store.seq(items)
        }
        Data::Map(pairs) => {
            // Keys are evaluated before they become keys.
            let mut evaluated = Vec::with_capacity(pairs.len());
            for (key, value) in &pairs {
                evaluated.push((*key, whole(force, *value, span)?));
            }
            force.values().store.map(evaluated)
        }
        _ => v,
    })
}

fn all(force: &mut impl Force, items: &[Value], span: Span) -> Result<Vec<Value>> {
    items.iter().map(|item| whole(force, *item, span)).collect()
}
