//! The transitions of a state of the raw system, as the animator goes through them.

use super::model::{EventKind, StateId};
use super::opened::AnimatedProcess;
use crate::machine::network::RuleScratch;
use crate::machine::{EventId, FormatId, LocalId, Miss};
use crate::report::parted::PartedText;
use crate::report::words;
use crate::source::diagnostic::Result as Checked;

/// Transitions between two looks at the limits.
const POLL_EVERY: usize = 1_000;

/// A transition of the raw system.
pub(super) struct RawTransition {
    pub(super) event: EventId,
    pub(super) rule: u32,
    pub(super) target: (FormatId, Box<[LocalId]>),
}

/// A transition of the raw system, in words.
pub(super) struct WordedStep {
    pub(super) kind: EventKind,
    pub(super) event: PartedText,
    pub(super) target: StateId,
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

    /// The transitions of a state, without facts about their targets.
    pub(super) fn steps(&mut self, id: StateId) -> Checked<Vec<WordedStep>> {
        let (format, _) = self.state(id);
        let (raw, _) = self.raw_transitions(id, usize::MAX)?;
        let mut steps = Vec::with_capacity(raw.len());
        for step in raw {
            let rule = self.network.format(format).rules().rule(step.rule);
            let shown = rule.shown;
            steps.push(WordedStep {
                kind: words::kind(step.event),
                event: words::shown(&self.machine, shown),
                target: self.intern(step.target.0, &step.target.1),
            });
        }
        Ok(steps)
    }
}
