//! Events: that values are events inside the types of their channels, alone, in sets and in pairs.

use super::fail::fail;
use super::values::Values;
use crate::source::diagnostic::Result;
use crate::source::hash::IndexSet;
use crate::source::{Diagnostic, Span};
use crate::value::fields::Misfit;
use crate::value::{Data, Value};

/// Checks that a value is an event or the beginning of one.
pub(super) fn expect_event_part(values: &Values, v: Value, span: Span) -> Result<()> {
    if values.store.dotted().channel_of(v).is_some() {
        return Ok(());
    }
    Err(values.unexpected("an event", v, span))
}

/// Checks that a value is a complete event inside the type of its channel.
pub(super) fn expect_event(values: &mut Values, v: Value, span: Span) -> Result<()> {
    expect_event_part(values, v, span)?;
    // First, since what lacks fields has none to be wrong.
    if !values.store.dotted().is_complete(v) {
        let shown = values.short(v);
        let message = format!("`{shown}` lacks fields: it is not yet an event");
        return Err(fail("E0417", message, span));
    }
    let misfit = values.store.sets().misfit(v);
    if let Some((field, part, set)) = values.at(misfit, span)? {
        let of = v;
        let misfit = Misfit::Field {
            of,
            field,
            part,
            set,
        };
        return Err(fail_misfit(values, misfit, span));
    }
    // Only the declared fields were looked at; there may be more.
    let right_size = match values.store.data(v) {
        Data::Dot(parts) => parts.len() == values.store.dotted().arity(parts[0]) + 1,
        _ => true,
    };
    if !right_size {
        return Err(fail_misfit(values, Misfit::TooMany { of: v }, span));
    }
    Ok(())
}

/// The error that a value is not what its channel or constructor is declared for.
pub(super) fn fail_misfit(values: &Values, misfit: Misfit, span: Span) -> Box<Diagnostic> {
    let message = match misfit {
        Misfit::Field {
            of,
            field,
            part,
            set,
        } => {
            let is_event = values.store.dotted().channel_of(of).is_some();
            let its_type = if is_event {
                "the type of its channel"
            } else {
                "its type"
            };
            let [of, part, set] = [of, part, set].map(|v| values.short(v));
            let field = field + 1;
            format!(
                "`{of}` is outside {its_type}: field {field} is `{part}`, which is not in `{set}`"
            )
        }
        Misfit::TooMany { of } => {
            let of = values.short(of);
            format!("`{of}` has more fields than its channel")
        }
    };
    fail("E0418", message, span)
}

/// The elements of a set of complete events.
pub(super) fn listed_events(values: &mut Values, v: Value, span: Span) -> Result<IndexSet<Value>> {
    let set = values.settled_set(v, span)?;
    let elements = values.store.sets().elements(set);
    let elements = values.at(elements, span)?;
    for e in elements.iter() {
        expect_event(values, *e, span)?;
    }
    Ok(elements.iter().copied().collect())
}

/// A set of pairs of complete events.
pub(super) fn event_pairs(
    values: &mut Values,
    v: Value,
    span: Span,
) -> Result<Vec<(Value, Value)>> {
    let set = values.settled_set(v, span)?;
    let elements = values.store.sets().elements(set);
    let mut pairs = Vec::new();
    for pair in values.at(elements, span)?.iter() {
        let (a, b) = values.pair(*pair, span)?;
        expect_event(values, a, span)?;
        expect_event(values, b, span)?;
        pairs.push((a, b));
    }
    Ok(pairs)
}
