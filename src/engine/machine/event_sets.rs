//! Sets of events, as operators carry them, asked for events by number.

use super::events::{EventId, Events};
use crate::eval::Evaluator;
use crate::process::term::Label;
use crate::source::Diagnostic;
use crate::source::diagnostic::Result;
use crate::value::{Data, Value};

/// What it takes to look into sets of events. A set may name events that nobody has performed yet, and to
/// ask a set that is not listed may take an evaluation.
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
        // It was listed when the term was made, so that nothing has to be evaluated here.
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
