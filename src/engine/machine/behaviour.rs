//! The behaviour of the components of a format, as far as explored: their reachable local states, the events
//! that they were seen to perform, and the rules that follow.

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

/// A composition, the behaviour of its components, and the rules derived from the events seen.
#[derive(Clone, Debug)]
pub struct Behaviour {
    composition: Composition,
    reach: Vec<Reach>,
    seen: Seen,
    rules: Rules,
    /// Whether further events were seen since the rules were derived: only if a derivation failed.
    is_stale: bool,
    /// Bounds on exploring components ahead.
    bounds: ExploreBounds,
}

impl Behaviour {
    /// Explores the components ahead, and derives the rules.
    ///
    /// # Errors
    /// A limit, and sets whose members cannot be decided. An evaluation error of a component is none:
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
            // Exploration stops without an error at a limit; here it becomes one, which names the component.
            let ended = machine.eval.check_time();
            // The evaluator's error may tell the work, its progress, and the recursion.
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

    /// Adds the events of a local state that a search has reached. Returns whether they make
    /// new rules.
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
        // Events stay noted if deriving the rules fails, so the failure has to be remembered: after a limit was
        // raised, the same local state shows nothing new.
        let noted = self.seen.note(machine, component, local);
        self.is_stale |= !matches!(noted, Ok(false));
        noted?;
        if !self.is_stale {
            return Ok(false);
        }
        // More are likely to come, and each derives all rules again.
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

    /// The reachable local states of each component.
    #[must_use]
    pub fn reach(&self) -> &[Reach] {
        &self.reach
    }

    /// The events that the components were seen to perform.
    #[must_use]
    pub fn seen(&self) -> &Seen {
        &self.seen
    }

    /// The rules (Def. 26) and their leaders.
    #[must_use]
    pub fn rules(&self) -> &Rules {
        &self.rules
    }

    /// Whether the behaviour is final: no component can show a new event, or change the format.
    #[must_use]
    pub fn is_closed(&self, locals: &Locals) -> bool {
        let tree = self.composition.tree();
        let closed = |(component, reach): (usize, &Reach)| {
            // A state of another format has other components, which are not known here.
            let changes = |l: &LocalId| tree.may_change(locals, component as u16, *l);
            reach.complete && !reach.locals.iter().any(changes)
        };
        !self.rules.end_operators() && self.reach.iter().enumerate().all(closed)
    }

    /// Whether certainly no operator ends and no component becomes a parallel composition, not even one that
    /// stays inside.
    pub(super) fn is_fixed(&self, locals: &Locals) -> bool {
        let fixed = |reach: &Reach| {
            let mut known = reach.locals.iter();
            reach.complete && !known.any(|local| locals.outline(*local).is_parallel())
        };
        !self.rules.end_operators() && self.reach.iter().all(fixed)
    }

    /// Merges the classes of components that may be exchanged.
    pub(super) fn merge_classes(&mut self, sets: &[Vec<u16>]) {
        self.composition.merge_classes(sets);
    }

    /// Checks that its parts agree.
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

/// Derives the rules from the events seen.
fn rules_of(
    machine: &mut Machine,
    composition: &Composition,
    reach: &[Reach],
    seen: &mut Seen,
) -> Result<Rules> {
    if reach.iter().any(|r| !r.complete) {
        close_events(machine, composition, seen)?;
    }
    // The derivation needs no local states, only the events seen.
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
                    // Without an image the format is not mappable, which `mappable` reports with a reason.
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
