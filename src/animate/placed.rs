//! Finds where in the text of the script components are.

use super::model::{StateId, TransitionView};
use super::opened::AnimatedProcess;
use super::places::{PlacesView, ScriptPlace};
use crate::machine::TextPlace;
use crate::report::words;
use crate::source::diagnostic::Result as Checked;

/// Largest number of transitions searched for the requested one.
const TRANSITIONS_MAX: usize = 100_000;

impl AnimatedProcess {
    /// Finds the components of a state in the text, and the parts that they take in a transition.
    pub(super) fn places(
        &mut self,
        id: StateId,
        transition: Option<&TransitionView>,
    ) -> Checked<PlacesView> {
        let (_, locals) = self.state(id);
        let machine = &mut self.machine;
        let each = locals.iter().map(|l| in_script(machine.places_of(*l)));
        let components = each.collect();
        let branches = match transition {
            Some(transition) => self.branches(id, transition)?,
            None => Vec::new(),
        };
        Ok(PlacesView {
            components,
            branches,
        })
    }

    fn branches(
        &mut self,
        id: StateId,
        transition: &TransitionView,
    ) -> Checked<Vec<(usize, Vec<ScriptPlace>)>> {
        let (format, locals) = self.state(id);
        let (raw, _) = self.raw_transitions(id, TRANSITIONS_MAX)?;
        for step in raw {
            let rule = self.network.format(format).rules().rule(step.rule);
            let (parts, shown) = (rule.parts.clone(), rule.shown);
            let moves = transition.movers.iter().map(|(at, ..)| *at);
            if !moves.eq(parts.iter().map(|(at, _)| usize::from(*at)))
                || words::shown(&self.machine, shown) != transition.event
                || self.intern(step.target.0, &step.target.1) != transition.target
            {
                continue;
            }
            let mut found = Vec::with_capacity(parts.len());
            for (at, event) in &parts {
                let at = usize::from(*at);
                // Where the step changes the network, another component may have this index.
                let next = step.target.1.get(at).copied();
                let next = next.filter(|_| step.target.0 == format);
                let places = self.machine.branch_of(locals[at], *event, next);
                found.push((at, in_script(places)));
            }
            return Ok(found);
        }
        Ok(Vec::new())
    }
}

fn in_script(places: Vec<TextPlace>) -> Vec<ScriptPlace> {
    let each = places.into_iter();
    each.map(|TextPlace { span, also }| ScriptPlace { span, also })
        .collect()
}
