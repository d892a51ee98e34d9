//! What the components of a format do, as far as known: what each can reach on its own, the events that it
//! was seen to perform, and the rules that follow.

use super::composition::{Component, Composition};
use super::derive::derive;
use super::events::EventId;
use super::generators::generators;
use super::ids::LocalId;
use super::locals::Locals;
use super::reach::{ExploreBounds, ExploredComponent, Reach};
use super::rules::Rules;
use super::seen::Seen;
use super::shared::Machine;
use crate::source::diagnostic::Result;

/// A composition, and what its components do. The rules are those that follow from the events seen.
#[derive(Clone, Debug)]
pub struct Behaviour {
    composition: Composition,
    reach: Vec<Reach>,
    seen: Seen,
    rules: Rules,
    /// Whether events were seen since the rules were derived: only if that failed.
    is_stale: bool,
    /// How far components are explored ahead.
    bounds: ExploreBounds,
}

impl Behaviour {
    /// Explores the components ahead, and derives the rules.
    ///
    /// # Errors
    /// A limit, and sets whose members cannot be decided. What a component fails with is not an error here:
    /// it is reported when a search reaches the place.
    pub(super) fn new(
        machine: &mut Machine,
        composition: Composition,
        bounds: ExploreBounds,
    ) -> Result<Self> {
        let components = composition.components();
        let mut seen = Seen::new(components.len());
        let mut reach = Vec::with_capacity(components.len());
        for (component, Component { initial, .. }) in components.iter().enumerate() {
            let subject = ExploredComponent {
                composition: &composition,
                component,
                bounds,
            };
            let explored = Reach::explore(machine, &subject, &mut seen);
            // Exploring stops quietly at a limit; whoever waits for the network is to be told, and of which component.
            let ended = machine.eval.check_time();
            // What the evaluator said may tell at which work, how far it was, and in which recursion.
            let told = explored
                .ended()
                .filter(|error| error.tells_work() || !error.notes.is_empty());
            let ended = ended.map_err(|error| told.unwrap_or(error));
            reach.push(explored);
            machine.during_component("compiling", *initial, ended)?;
        }
        let rules = rules_of(machine, &composition, &reach, &mut seen);
        let rules = machine.during("deriving the rules", None, rules)?;
        Ok(Self {
            composition,
            reach,
            seen,
            rules,
            is_stale: false,
            bounds,
        })
    }

    /// Takes in what a component does in a local state that a search has come to; whether that makes new
    /// rules.
    ///
    /// # Errors
    /// An evaluation error of the local state, and as [`Behaviour::new`].
    pub fn learn(
        &mut self,
        machine: &mut Machine,
        component: usize,
        local: LocalId,
    ) -> Result<bool> {
        let label = self.composition.components()[component].initial;
        let expanded = machine.expand(local);
        machine.during_component("exploring", label, expanded)?;
        // What was noted stays noted if deriving the rules fails, so that has to be remembered: after a limit was
        // raised, the same local state shows nothing new.
        let noted = self.seen.note(machine, component, local);
        self.is_stale |= !matches!(noted, Ok(false));
        noted?;
        if !self.is_stale {
            return Ok(false);
        }
        // More are likely to come, and each makes rules anew.
        let subject = ExploredComponent {
            composition: &self.composition,
            component,
            bounds: self.bounds,
        };
        self.reach[component].explore_further(machine, &subject, &mut self.seen);
        let ended = machine.eval.check_time();
        machine.during_component("exploring", label, ended)?;
        self.rules = rules_of(machine, &self.composition, &self.reach, &mut self.seen)?;
        self.is_stale = false;
        Ok(true)
    }

    /// Lists the rules that a component leads in an expanded local state.
    ///
    /// # Errors
    /// A limit.
    pub fn build(&mut self, machine: &Machine, component: usize, local: LocalId) -> Result<()> {
        let check = || machine.eval.check_step();
        self.rules.build(component, local, &machine.locals, &check)
    }

    /// The components and the operators above them.
    #[must_use]
    pub fn composition(&self) -> &Composition {
        &self.composition
    }

    /// What each component can reach.
    #[must_use]
    pub fn reach(&self) -> &[Reach] {
        &self.reach
    }

    /// The events that the components were seen to perform.
    #[must_use]
    pub fn seen(&self) -> &Seen {
        &self.seen
    }

    /// The rules (Def. 26) and who leads each.
    #[must_use]
    pub fn rules(&self) -> &Rules {
        &self.rules
    }

    /// Whether no component can ever show an event that is not known, or change the format.
    #[must_use]
    pub fn is_closed(&self, locals: &Locals) -> bool {
        let tree = self.composition.tree();
        let closed = |(component, reach): (usize, &Reach)| {
            // A state of another format has other components, about which nothing is known here.
            let changes = |l: &LocalId| tree.may_change(locals, component as u16, *l);
            reach.complete && !reach.locals.iter().any(changes)
        };
        !self.rules.end_operators() && self.reach.iter().enumerate().all(closed)
    }

    /// Whether it is certain that no operator ends and no component becomes a parallel composition, not even one that
    /// stays inside of it.
    pub(super) fn is_fixed(&self, locals: &Locals) -> bool {
        let fixed = |reach: &Reach| {
            let mut known = reach.locals.iter();
            reach.complete && !known.any(|local| locals.outline(*local).is_parallel())
        };
        !self.rules.end_operators() && self.reach.iter().all(fixed)
    }

    /// Classes of components that may be exchanged.
    pub(super) fn merge_classes(&mut self, sets: &[Vec<u16>]) {
        self.composition.merge_classes(sets);
    }

    /// That its parts agree.
    #[cfg(debug_assertions)]
    pub(super) fn assert_consistent(&self, locals: &Locals) {
        self.composition.assert_consistent();
        let components = self.composition.components();
        assert_eq!(self.reach.len(), components.len());
        for (component, reach) in components.iter().zip(&self.reach) {
            assert_eq!(reach.locals.first(), Some(&component.initial));
        }
        self.rules.assert_consistent(&self.seen, locals);
    }
}

/// The rules of what was seen.
fn rules_of(
    machine: &mut Machine,
    composition: &Composition,
    reach: &[Reach],
    seen: &mut Seen,
) -> Result<Rules> {
    if reach.iter().any(|r| !r.complete) {
        close_events(machine, composition, seen)?;
    }
    // Deriving rules needs no local states: it goes by the events seen.
    let Machine { eval, events, .. } = machine;
    derive(eval, events, composition.tree(), seen)
}

/// Closes the events that the components were seen to perform under the generators, so that rules
/// are known for whole orbits even where a component was not explored to the end.
fn close_events(machine: &mut Machine, composition: &Composition, seen: &mut Seen) -> Result<()> {
    let generators = generators(&machine.atoms);
    // An event that was added to one component may have an image that a third one lacks.
    let mut again = true;
    while again {
        again = false;
        for generator in &generators {
            for (index, component) in composition.components().iter().enumerate() {
                let initial = machine.permute_local(component.initial, &generator.image);
                let Some(to) = composition.labelled(initial, component.inst) else {
                    // There is none: then the format is not mappable, which is found out elsewhere, with a reason.
                    continue;
                };
                let events: Vec<(EventId, u64)> =
                    seen.of(index).iter().map(|(e, n)| (*e, *n)).collect();
                for (event, count) in events {
                    machine.eval.check_step()?;
                    let image = machine.permute_event(event, &generator.image);
                    again |= seen.add(to, image, count);
                }
            }
        }
    }
    Ok(())
}
