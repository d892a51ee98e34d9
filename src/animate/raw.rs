//! The transitions of a state of the raw system, as the animator goes through them.

use super::model::StateId;
use super::opened::AnimatedProcess;
use crate::machine::network::RuleScratch;
use crate::machine::{EventId, FormatId, LocalId, Miss};
use crate::source::diagnostic::Result as Checked;

/// Transitions between two looks at the limits.
const POLL_EVERY: usize = 1_000;

/// A transition of the raw system.
pub(super) struct RawTransition {
    pub(super) event: EventId,
    pub(super) rule: u32,
    pub(super) target: (FormatId, Box<[LocalId]>),
}

/// Why the transitions of a state are not all there.
pub(super) enum CutShort {
    /// A table does not hold something yet.
    Missed(Miss),
    /// A limit, or the person.
    Stopped,
}

impl From<Miss> for CutShort {
    fn from(miss: Miss) -> Self {
        Self::Missed(miss)
    }
}

impl AnimatedProcess {
    /// The first `most` transitions of a state, and how many more there are.
    pub(super) fn raw_transitions(
        &mut self,
        id: StateId,
        most: usize,
    ) -> Checked<(Vec<RawTransition>, usize)> {
        let (format, locals) = self.state(id);
        loop {
            // After a cache miss the state is enumerated again from the beginning: rules come in the same order, and
            // earlier results would be found twice.
            let (mut found, mut more) = (Vec::new(), 0);
            let mut scratch = RuleScratch::default();
            let (machine, network) = (&self.machine, &self.network);
            let cut = network.successors(machine.locals(), format, &locals, &mut scratch, |s| {
                if found.len() < most {
                    found.push(RawTransition {
                        event: s.event,
                        rule: s.rule,
                        target: (s.format, s.locals.into()),
                    });
                } else {
                    more += 1;
                }
                let is_due = (found.len() + more) % POLL_EVERY == 0;
                if is_due && machine.eval.check_time().is_err() {
                    return Err(CutShort::Stopped);
                }
                Ok(())
            });
            match cut {
                Ok(()) => return Ok((found, more)),
                Err(CutShort::Missed(miss)) => self.machine.resolve(&mut self.network, &miss)?,
                // `check_time` below reports the reason, and ends the loop.
                Err(CutShort::Stopped) => {}
            }
            self.machine.eval.check_time()?;
        }
    }
}
