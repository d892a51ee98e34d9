//! The view of a state: its components, its transitions with the orbits that they lead to, and its
//! representative.

use std::sync::Arc;

use super::model::{StateId, StateView, TransitionView, TypeOrdering};
use super::opened::AnimatedProcess;
use super::raw::RawTransition;
use crate::machine::{FormatId, LocalId};
use crate::report::numbers::natural;
use crate::report::parted::PartedText;
use crate::report::words;
use crate::source::diagnostic::Result as Checked;

/// Largest number of listed transitions of a state; the others are counted.
const TRANSITIONS_MAX: usize = 10_000;

impl AnimatedProcess {
    pub(super) fn view(&mut self, id: StateId) -> Checked<StateView> {
        let (format, locals) = self.state(id);
        let (raw, omitted) = self.raw_transitions(id, TRANSITIONS_MAX)?;
        let no_representative = self.obstacle(format);
        // Orbits are computed before the representative: both use `self.representative`, and `rep_view` reads the
        // last result there.
        let orbit = self.orbit(format, &locals)?;
        let (transitions, known) = self.transitions(format, &locals, &raw)?;
        let orbits_known = known && orbit.stabiliser.is_some();
        let representative = if no_representative.is_empty() {
            self.represent(format, &locals)?;
            Some(self.rep_view(format, &locals, &orbit, TypeOrdering::Appearance)?)
        } else {
            None
        };
        let components = self.components_of(id);
        // Where all parts have terminated but not yet the whole, ✓ is still to come.
        let terminated = transitions.is_empty()
            && !locals.is_empty()
            && components.iter().all(|c| c.text == words::OMEGA);
        Ok(StateView {
            id,
            components,
            deadlocked: transitions.is_empty() && !terminated,
            terminated,
            transitions,
            omitted,
            orbit: orbit.id,
            orbits_known,
            representative,
            no_representative,
            reduction: Arc::clone(&self.reduction),
        })
    }

    /// Transitions in words, each once, in a fixed order; and whether different orbits of their targets are
    /// known to be different.
    pub(super) fn transitions(
        &mut self,
        format: FormatId,
        locals: &[LocalId],
        raw: &[RawTransition],
    ) -> Checked<(Vec<TransitionView>, bool)> {
        let mut transitions = Vec::with_capacity(raw.len());
        let mut orbits_known = true;
        for step in raw {
            let (transition, known) = self.transition(format, locals, step)?;
            // One search that was given up is enough: two states of one orbit may then have got different ids.
            orbits_known &= known;
            transitions.push(transition);
        }
        transitions.sort_by(|a, b| {
            let kinds = a.kind.cmp(&b.kind);
            let events = || natural(&a.event, &b.event);
            kinds
                .then_with(events)
                .then_with(|| a.target.cmp(&b.target))
        });
        // Two rules may do the same by the same movers.
        transitions.dedup();
        Ok((transitions, orbits_known))
    }

    fn transition(
        &mut self,
        format: FormatId,
        locals: &[LocalId],
        step: &RawTransition,
    ) -> Checked<(TransitionView, bool)> {
        let rule = self.network.format(format).rules().rule(step.rule);
        // Copied, since the rule is borrowed from data that `intern` and `orbit` change.
        let (parts, shown) = (rule.parts.clone(), rule.shown);
        let target = self.intern(step.target.0, &step.target.1);
        let orbit = self.known_orbit(target)?;
        let mut movers = Vec::with_capacity(parts.len());
        for (component, _) in &parts {
            let at = *component as usize;
            let before = self.words.text(&mut self.machine, locals[at]);
            // Where the step changes the network, there may be no component with this index any more.
            let after = match step.target.1.get(at) {
                Some(local) => self.words.text(&mut self.machine, *local),
                None => PartedText::default(),
            };
            movers.push((at, before, after));
        }
        let view = TransitionView {
            kind: words::kind(step.event),
            event: words::shown(&self.machine, shown),
            target,
            orbit: orbit.id,
            movers,
        };
        Ok((view, orbit.stabiliser.is_some()))
    }
}
