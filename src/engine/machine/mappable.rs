//! Mappability (Def. 29, Sec. 6.1): verified, never assumed.
//!
//! By Lemma 33 it is enough to check generators of the group ([`super::generators`]).

use super::behaviour::Behaviour;
use super::events::EventId;
use super::generators::{Generator, generators};
use super::ids::LocalId;
use super::rules::Rule;
use super::shared::Machine;
use super::tree::Turn;
use super::waiting::Wait;
use crate::source::Diagnostic;
use crate::source::hash::{IndexSet, Set};

/// A rule without the event for display: participants, result, waits and
/// turns.
type RuleKey<'a> = (&'a [(u16, EventId)], EventId, &'a [Wait], &'a [Turn]);

type Verification = Result<(), Box<Diagnostic>>;

/// Verifies that a format is mappable to itself under every generator.
///
/// # Errors
/// A component or a rule without an image.
pub fn verify(machine: &mut Machine, behaviour: &Behaviour) -> Verification {
    if machine.atoms.is_empty() {
        return Ok(());
    }
    let (list, priorities) = (behaviour.rules().list(), behaviour.rules().priorities());
    let mut rules: IndexSet<RuleKey<'_>> = IndexSet::default();
    for (n, rule) in list.iter().enumerate() {
        machine.eval.check_step()?;
        let waits = priorities.waits_of(n);
        rules.insert((&rule.parts, rule.result, waits, &rule.turns));
    }
    for generator in generators(&machine.atoms) {
        // Components first: the images of rules are expressed by those of components.
        let alpha = bijection(machine, behaviour, &generator)?;
        verify_components(machine, behaviour, &generator, &alpha)?;
        let mut images = EventImagesUnder::new(&generator);
        let mut permute = |event| images.of(machine, event);
        let nodes = match priorities.image(&mut permute, &alpha) {
            Ok(nodes) => nodes,
            Err(below) => return Err(no_priority(machine, behaviour, &below, &generator)),
        };
        let mut parts = Vec::new();
        // There are as many images as rules, and no two are equal, so if each is a rule, all rules are images.
        for (n, rule) in list.iter().enumerate() {
            machine.eval.check_step()?;
            parts.clear();
            for (component, event) in &rule.parts {
                parts.push((alpha[*component as usize], images.of(machine, *event)));
            }
            // In the form in which rules are stored.
            parts.sort_unstable();
            // No permutation moves the operands of an operator that ends, so turns are fixed.
            let waits = nodes.waits(priorities.waits_of(n));
            let result = images.of(machine, rule.result);
            if !rules.contains(&(&parts[..], result, &waits[..], &rule.turns[..])) {
                return Err(no_rule(machine, behaviour, rule, &generator));
            }
        }
    }
    Ok(())
}

/// Images of events under a generator: most events are part of many rules.
struct EventImagesUnder<'a> {
    generator: &'a Generator,
    /// By number, where they are known.
    images: Vec<Option<EventId>>,
}

impl<'a> EventImagesUnder<'a> {
    fn new(generator: &'a Generator) -> Self {
        Self {
            generator,
            images: Vec::new(),
        }
    }

    fn of(&mut self, machine: &mut Machine, event: EventId) -> EventId {
        let at = event.0 as usize;
        if self.images.len() <= at {
            self.images.resize(at + 1, None);
        }
        let image = &mut self.images[at];
        *image.get_or_insert_with(|| machine.permute_event(event, &self.generator.image))
    }
}

/// The action `α_π`, or the component without an image.
fn bijection(
    machine: &mut Machine,
    behaviour: &Behaviour,
    generator: &Generator,
) -> Result<Vec<u16>, Box<Diagnostic>> {
    let composition = behaviour.composition();
    let mut alpha = Vec::with_capacity(composition.components().len());
    for (index, component) in composition.components().iter().enumerate() {
        let initial = machine.permute_local(component.initial, &generator.image);
        match composition.labelled(initial, component.inst) {
            Some(image) => alpha.push(image as u16),
            None => return Err(no_component(machine, behaviour, index, generator)),
        }
    }
    Ok(alpha)
}

/// Checks `L_i ~π L_α(i)`: the image of the reach of component `i` is the reach of `α(i)`. Prop. 24
/// promises it for constant-free scripts; it is checked where both are complete.
fn verify_components(
    machine: &mut Machine,
    behaviour: &Behaviour,
    generator: &Generator,
    alpha: &[u16],
) -> Verification {
    for (index, to) in alpha.iter().enumerate() {
        let [here, there] = [index, usize::from(*to)].map(|c| behaviour.reach()[c].all());
        // An incomplete reach cannot be compared: an image may not have been found yet.
        let (Some(here), Some(there)) = (here, there) else {
            continue;
        };
        let there: Set<LocalId> = there.iter().copied().collect();
        for local in here {
            machine.eval.check_step()?;
            let image = machine.permute_local(*local, &generator.image);
            if !there.contains(&image) {
                return Err(no_component(machine, behaviour, index, generator));
            }
        }
    }
    Ok(())
}

fn type_name(machine: &Machine, generator: &Generator) -> String {
    machine.atoms.name(generator.kind as u8).to_owned()
}

fn no_component(
    machine: &mut Machine,
    behaviour: &Behaviour,
    index: usize,
    generator: &Generator,
) -> Box<Diagnostic> {
    let name = machine.show_local(behaviour.composition().components()[index].initial);
    let kind = type_name(machine, generator);
    Box::new(
        Diagnostic::nowhere(
            "E0511",
            format!("not symmetric in {kind}: component {name} has no image under a permutation of {kind}"),
        )
        .note(format!("every value of {kind} must index the same family of components")),
    )
}

fn no_priority(
    machine: &mut Machine,
    behaviour: &Behaviour,
    below: &[u16],
    generator: &Generator,
) -> Box<Diagnostic> {
    const SHOWN: usize = 4;
    let kind = type_name(machine, generator);
    let shown = below.iter().take(SHOWN);
    let mut who: Vec<String> = shown
        .map(|c| machine.show_local(behaviour.composition().components()[*c as usize].initial))
        .collect();
    if below.len() > SHOWN {
        who.push(format!("{} more", below.len() - SHOWN));
    }
    Box::new(
        Diagnostic::nowhere(
            "E0512",
            format!(
                "not symmetric in {kind}: the priority above {} has no image under a permutation of {kind}",
                who.join(" and ")
            ),
        )
        .note("its order treats the values differently"),
    )
}

fn no_rule(
    machine: &mut Machine,
    behaviour: &Behaviour,
    rule: &Rule,
    generator: &Generator,
) -> Box<Diagnostic> {
    let kind = type_name(machine, generator);
    let who: Vec<String> = rule
        .parts
        .iter()
        .map(|(c, _)| machine.show_local(behaviour.composition().components()[*c as usize].initial))
        .collect();
    let event = machine.show_event(rule.shown);
    Box::new(
        Diagnostic::nowhere(
            "E0512",
            format!(
                "not symmetric in {kind}: the rule by which {} perform {event} has no image under a permutation of {kind}",
                who.join(" and ")
            ),
        )
        .note("a synchronisation set, alphabet or renaming treats the values differently"),
    )
}
