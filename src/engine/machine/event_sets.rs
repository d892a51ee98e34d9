//! Sets of events, as operators carry them, with membership by event number.

use super::events::{EventId, Events};
use crate::eval::Evaluator;
use crate::process::term::Label;
use crate::source::Diagnostic;
use crate::source::diagnostic::Result;
use crate::value::{Data, Value};

/// Inputs of membership tests. A set may have events that no component has performed yet, and a
/// set that is not listed may need an evaluation.
pub(super) struct EventSets<'a> {
    pub(super) eval: &'a mut Evaluator,
    pub(super) events: &'a mut Events,
}

impl EventSets<'_> {
    /// Whether an event is in a set; τ and ✓ are in none.
    pub(super) fn has(&mut self, set: Value, event: EventId) -> Result<bool> {
        match self.events.value(event) {
            Some(value) => self
                .eval
                .store_mut()
                .sets()
                .contains(set, value)
                .map_err(|error| {
                    let (code, text) = self.eval.store().explain(&error, self.eval.script());
                    Box::new(
                        Diagnostic::nowhere(code, text)
                            .note("in a synchronisation, hiding or renaming set"),
                    )
                }),
            // τ and ✓ have no value.
            None => Ok(false),
        }
    }

    /// The pairs of a renaming, of a linked parallel or of an order.
    pub(super) fn pairs(&mut self, pairs: Value) -> Vec<(EventId, EventId)> {
        // Listed when the term was made, so that nothing has to be evaluated here.
        let Data::Set(members) = self.eval.store().data(pairs).clone() else {
            return Vec::new();
        };
        let mut found = Vec::with_capacity(members.len());
        for member in members {
            if let Data::Tuple(parts) = self.eval.store().data(member).clone()
                && let [old, new] = parts[..]
            {
                found.push((
                    self.events.intern(Label::Event(old)),
                    self.events.intern(Label::Event(new)),
                ));
            }
        }
        found
    }
}
