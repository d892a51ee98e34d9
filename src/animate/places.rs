//! Where in the text of the script the components of a state are, and which part of it a transition takes.

use super::model::{StateId, TransitionView};
use super::opened::AnimatedProcess;
use crate::machine::TextPlace;
use crate::report::words;
use crate::source::Span;
use crate::source::diagnostic::Result as Checked;

/// So many transitions are gone through to find the one that is asked about.
const TRANSITIONS_MAX: usize = 100_000;

/// A place in the text of a script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScriptPlace {
    /// Where it is written first.
    pub span: Span,
    /// Where else the same expression stands: a process there has the same states, so nobody can say at
    /// which of these places it is.
    pub also: Vec<Span>,
}

/// Where the components of a state are in the text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PlacesView {
    /// For each component its control states, in the order in which a person reads them; none for what is
    /// not written in the script, such as `STOP` after its last event.
    pub components: Vec<Vec<ScriptPlace>>,
    /// For each component that moves: which one, and what it takes, a prefix or an operand of a choice. If
    /// there are several, the step may come from each of them.
    pub branches: Vec<(usize, Vec<ScriptPlace>)>,
}

impl AnimatedProcess {
    /// Where the components of a state are, and what they take in a transition.
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
                // Where the step changes the network, another component may have this number.
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
