//! Mappability (Def. 29, Sec. 6.1): verified, never assumed.
//!
//! By Lemma 33 it is enough to look at generators of the group: for each symmetric type the swap of
//! its first two values and the cycle through all of them.

use super::format::Format;
use super::priority::Wait;
use super::rules::Rule;
use super::turns::Turn;
use super::{EventId, LocalId, Machine};
use crate::source::Diagnostic;
use crate::source::hash::IndexSet;
use crate::value::{Atom, AtomTypes};

/// A generator by its images, and the type that it permutes.
pub struct Generator {
    /// The type.
    pub kind: usize,
    /// `image[a]` is the image of atom `a`.
    pub image: Vec<Atom>,
}

/// Generators of the full symmetry group on all types.
#[must_use]
pub fn generators(atoms: &AtomTypes) -> Vec<Generator> {
    let mut found = Vec::new();
    for kind in 0..atoms.kinds() {
        let range = atoms.atoms(kind as u8);
        let identity: Vec<Atom> = (0..atoms.len() as u16).map(Atom).collect();
        if range.len() >= 2 {
            let mut image = identity.clone();
            image.swap(range.start as usize, range.start as usize + 1);
            found.push(Generator { kind, image });
        }
        if range.len() >= 3 {
            let mut image = identity;
            image[range.start as usize..range.end as usize].rotate_left(1);
            found.push(Generator { kind, image });
        }
    }
    found
}

/// What a rule is apart from its name for people: participants, result, where it waits, and what
/// ends with it.
type Key = (Box<[(u16, EventId)]>, EventId, Box<[Wait]>, Box<[Turn]>);

type Check = Result<(), Box<Diagnostic>>;

/// Whether a format is mappable to itself under every generator; the error names the component or
/// the rule without an image.
///
/// # Errors
/// As said.
pub fn verify(machine: &mut Machine, format: &Format) -> Check {
    if machine.atoms.is_empty() {
        return Ok(());
    }
    let priorities = &format.rules.priorities;
    let mut rules: IndexSet<Key> = IndexSet::default();
    for (n, rule) in format.rules.list.iter().enumerate() {
        machine.eval.check_step()?;
        let waits = priorities.waits_of(n).into();
        rules.insert((rule.parts.clone(), rule.result, waits, rule.turns.clone()));
    }
    for generator in generators(&machine.atoms) {
        let alpha = bijection(machine, format, &generator)?;
        verify_components(machine, format, &generator, &alpha)?;
        let nodes = match priorities.image(machine, &generator, &alpha) {
            Ok(nodes) => nodes,
            Err(below) => return Err(no_priority(machine, format, &below, &generator)),
        };
        for (n, rule) in format.rules.list.iter().enumerate() {
            machine.eval.check_step()?;
            let (parts, result) = image_of(machine, rule, &generator, &alpha);
            // No permutation moves the operands of an operator that ends.
            let waits = nodes.waits(priorities.waits_of(n));
            let image = (parts, result, waits, rule.turns.clone());
            if !rules.contains(&image) {
                return Err(no_rule(machine, format, rule, &generator));
            }
        }
    }
    Ok(())
}

/// Closes the events that the components were seen to perform under the generators, so that rules
/// are known for whole orbits even where a component was not explored to the end.
///
/// # Errors
/// A limit.
pub fn close_events(machine: &mut Machine, format: &mut Format) -> Result<(), Box<Diagnostic>> {
    let generators = generators(&machine.atoms);
    let mut again = format.reach.iter().any(|r| !r.complete);
    while again {
        again = false;
        for generator in &generators {
            for index in 0..format.components.len() {
                let Some(to) = machine.component_image(format, index, &generator.image) else {
                    continue;
                };
                let events: Vec<(EventId, u64)> = format.rules.seen[index]
                    .iter()
                    .map(|(event, count)| (*event, *count))
                    .collect();
                for (event, count) in events {
                    machine.eval.check_step()?;
                    let image = machine.permute_event(event, &generator.image);
                    let seen = &mut format.rules.seen[to];
                    if !seen.contains_key(&image) {
                        seen.insert(image, count);
                        again = true;
                    }
                }
            }
        }
    }
    Ok(())
}

/// `α_π`, or the component without an image.
fn bijection(
    machine: &mut Machine,
    format: &Format,
    generator: &Generator,
) -> Result<Vec<u16>, Box<Diagnostic>> {
    let mut alpha = Vec::with_capacity(format.components.len());
    for index in 0..format.components.len() {
        match machine.component_image(format, index, &generator.image) {
            Some(image) => alpha.push(image as u16),
            None => return Err(no_component(machine, format, index, generator)),
        }
    }
    Ok(alpha)
}

/// `L_i ~π L_α(i)`: what component `i` can reach, permuted, is what component `α(i)` can reach. Prop. 24
/// promises it for constant-free scripts; where both were explored to the end, this checks it.
fn verify_components(
    machine: &mut Machine,
    format: &Format,
    generator: &Generator,
    alpha: &[u16],
) -> Check {
    for (index, to) in alpha.iter().enumerate() {
        if !format.reach[index].complete || !format.reach[*to as usize].complete {
            continue;
        }
        let reach = &format.reach[*to as usize].locals;
        let there: IndexSet<LocalId> = reach.iter().copied().collect();
        for local in &format.reach[index].locals {
            machine.eval.check_step()?;
            let image = machine.permute_local(*local, &generator.image);
            if !there.contains(&image) {
                return Err(no_component(machine, format, index, generator));
            }
        }
    }
    Ok(())
}

fn image_of(
    machine: &mut Machine,
    rule: &Rule,
    generator: &Generator,
    alpha: &[u16],
) -> (Box<[(u16, EventId)]>, EventId) {
    let mut parts: Vec<(u16, EventId)> = Vec::with_capacity(rule.parts.len());
    for (component, event) in &rule.parts {
        parts.push((
            alpha[*component as usize],
            machine.permute_event(*event, &generator.image),
        ));
    }
    parts.sort_unstable();
    (
        parts.into(),
        machine.permute_event(rule.result, &generator.image),
    )
}

fn type_name(machine: &Machine, generator: &Generator) -> String {
    machine.atoms.name(generator.kind as u8).to_owned()
}

fn no_component(
    machine: &mut Machine,
    format: &Format,
    index: usize,
    generator: &Generator,
) -> Box<Diagnostic> {
    let name = machine.show_local(format.components[index].initial);
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
    format: &Format,
    below: &[u16],
    generator: &Generator,
) -> Box<Diagnostic> {
    const SHOWN: usize = 4;
    let kind = type_name(machine, generator);
    let shown = below.iter().take(SHOWN);
    let mut who: Vec<String> = shown
        .map(|c| machine.show_local(format.components[*c as usize].initial))
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
    format: &Format,
    rule: &Rule,
    generator: &Generator,
) -> Box<Diagnostic> {
    let kind = type_name(machine, generator);
    let who: Vec<String> = rule
        .parts
        .iter()
        .map(|(c, _)| machine.show_local(format.components[*c as usize].initial))
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
