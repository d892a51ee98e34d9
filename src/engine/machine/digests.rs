//! What states and events are called outside of one machine ([`crate::process::digest`]).

use super::events::EventId;
use super::ids::LocalId;
use super::shared::Machine;
pub use crate::process::digest::Digest;
use crate::process::digest::Digests;
use crate::process::term::Label;
use crate::source::hash::Map;

/// What was computed for a machine.
#[derive(Debug, Default)]
pub struct MachineDigests {
    digests: Digests,
    locals: Map<LocalId, Digest>,
}

impl Machine {
    /// Of a state: of its components, in vector order.
    pub fn digest_state(&mut self, state: &[LocalId], known: &mut MachineDigests) -> Digest {
        let locals = state.iter().map(|local| self.digest_local(*local, known));
        Digest::of_all(locals)
    }

    fn digest_local(&mut self, local: LocalId, known: &mut MachineDigests) -> Digest {
        if let Some(digest) = known.locals.get(&local) {
            return *digest;
        }
        let term = self.term_of(local);
        let (store, terms) = (self.eval.store(), self.eval.terms());
        let digest = known.digests.term(store, terms, term);
        known.locals.insert(local, digest);
        digest
    }

    /// Of an event: of its value, if it is visible.
    #[must_use]
    pub fn digest_event(&self, event: EventId, known: &mut MachineDigests) -> Digest {
        let value = match self.events.label(event) {
            Label::Event(value) => {
                let (store, terms) = (self.eval.store(), self.eval.terms());
                vec![known.digests.value(store, terms, value)]
            }
            Label::Tau => Vec::new(),
            // Anything that no event's value has.
            Label::Tick => vec![Digest::of_all([])],
            Label::Done => vec![Digest::of_all([]); 2],
        };
        Digest::of_all(value)
    }
}
