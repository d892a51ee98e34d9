//! Structural symmetry of a network for display: found without datatypes, so that it is complete, and with near misses.
//!
//! Strongly bisimilar local states of a component are identified. Unlike in a check of deadlock or divergence, events
//! of the network keep their names, so that the image of each can be shown.

use std::time::Instant;

use num_bigint::BigUint;

use super::almost::{near_misses, told_generators};
use super::nearly::NearMiss;
use crate::check::Options;
use crate::check::look_bounds::{LookBounds, Looking, unless_over};
use crate::check::plan::{Demand, Plan, plans_of};
use crate::check::question::{Question, question, side};
use crate::check::run::specification_of;
use crate::check::structural::{component_names, structure_of};
use crate::check::system::System;
use crate::group::{PointPermutation, name_of};
use crate::machine::Machine;
use crate::machine::bisimilar::Visible;
use crate::script::core::{AssertionKind, Expr};
use crate::script::load::Loaded;
use crate::source::diagnostic::Result;
use crate::source::{Budget, Cancel};
use crate::specification::Specification;
use crate::structure::element::PartPlaces;
use crate::structure::network_structure::{NetworkStructure, Unknown};
use crate::structure::search::{Symmetries, symmetries};
use crate::symmetry::permutation::whole_order;

/// The constraint on the images of events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NamesMatter {
    /// Names of events do not matter.
    No,
    /// A permutation of events has to map the specification to itself.
    Tied,
    /// Every visible event is fixed.
    Yes,
}

/// The symmetry found.
pub struct FoundInStructure {
    /// The structure that was searched.
    pub structure: NetworkStructure,
    /// The group.
    pub symmetries: Symmetries,
    /// Its order as it acts on states of the network and nodes of the specification, if known.
    pub acting: Option<BigUint>,
    /// The name of the group as it acts on components and local states, if it has one.
    pub name: Option<String>,
    /// Near misses.
    pub misses: Vec<NearMiss>,
}

/// A network whose structure was searched.
pub struct Examined {
    /// The machine and the network, for display.
    pub system: System,
    /// The names of components.
    pub names: Vec<String>,
    /// The symmetric datatypes of the text, with the number of their values.
    pub types: Vec<(String, usize)>,
    /// First local state and number of each set of identical components.
    pub copies: Vec<(String, usize)>,
    /// The number of permutations of values and copies.
    pub known: BigUint,
    /// The constraint on the images of events.
    pub names_matter: NamesMatter,
    /// The group, or the reason why it was not sought.
    pub found: std::result::Result<FoundInStructure, Unknown>,
    /// Seconds of compiling.
    pub compiling: f64,
    /// Seconds of the search for symmetry, without near misses.
    pub seconds: f64,
}

/// Searches the network of assertion `index` (from 0), and its specification; for an assertion about the text alone,
/// the network of its process.
///
/// # Errors
/// The errors of a check; and a limit.
pub fn of_assertion(
    loaded: &Loaded,
    index: usize,
    options: &Options,
    cancel: &Cancel,
) -> Result<Examined> {
    if let AssertionKind::Symmetric { process, .. } = &loaded.script.assertions[index].kind {
        return of_process(loaded, process, options, cancel);
    }
    let question = question(&loaded.script, index)?;
    examined(loaded, &question, options, cancel)
}

/// Searches the network of a process.
///
/// # Errors
/// An evaluation error or a limit.
pub fn of_process(
    loaded: &Loaded,
    process: &Expr,
    options: &Options,
    cancel: &Cancel,
) -> Result<Examined> {
    examined(loaded, &Question::of_process(process), options, cancel)
}

fn examined(
    loaded: &Loaded,
    question: &Question<'_>,
    options: &Options,
    cancel: &Cancel,
) -> Result<Examined> {
    let begun = Instant::now();
    let best = plans_of(loaded, &question.roots(), &Demand::default())?;
    let types: Vec<(String, usize)> = best.first().map_or_else(Vec::new, |plan| {
        let sizes = plan.sizes(&loaded.script);
        sizes.collect()
    });
    let budget = Budget {
        limits: options.limits.clone(),
        cancel: cancel.clone(),
    };
    let make = |machine: &mut Machine| side(machine, question, question.implementation);
    let ahead = options.limits.local_states_max;
    // Compiled as for a check.
    let plan = Plan::unreduced().showing(question.shows_states());
    let mut system = System::made(loaded, &plan, &budget, ahead, make)?;
    let System { machine, network } = &mut system;
    network.merge_bisimilar(machine, Visible::Named)?;
    let mut specification = specification_of(machine, question, options)?;
    let compiling = begun.elapsed().as_secs_f64();

    let begun = Instant::now();
    let names = component_names(machine, network.first());
    let (copies, exchanges) = copies(&mut system);
    let values = types.iter().flat_map(|(_, size)| 1..=*size);
    let known = values.map(BigUint::from).product::<BigUint>() * exchanges;
    let (names_matter, found) = find_all(&mut system, specification.as_mut(), question)?;
    let seconds = begun.elapsed().as_secs_f64();
    let mut found = found;
    if let Ok(found) = &mut found {
        found.symmetries.generators =
            told_generators(&system, &found.structure, &found.symmetries)?;
        // Rules that give way to others have no form that can be displayed.
        if !found.structure.has_priorities {
            found.misses = near_misses(&mut system, &found.structure, &found.symmetries)?;
        }
    }
    Ok(Examined {
        system,
        names,
        types,
        copies,
        known,
        names_matter,
        found,
        compiling,
        seconds,
    })
}

/// Sets of identical components, and the number of ways to exchange them.
fn copies(system: &mut System) -> (Vec<(String, usize)>, BigUint) {
    let System { machine, network } = system;
    let format = network.first();
    let order = whole_order(machine.atoms(), format).to_big();
    let mut copies = Vec::new();
    for set in format.copies().sets() {
        if let Some(first) = set.first() {
            let first = format.components()[usize::from(*first)].initial;
            copies.push((machine.show_local(first), set.len()));
        }
    }
    (copies, order)
}

type FoundOrNot = std::result::Result<FoundInStructure, Unknown>;

fn find_all(
    system: &mut System,
    specification: Option<&mut Specification>,
    question: &Question<'_>,
) -> Result<(NamesMatter, FoundOrNot)> {
    let System { machine, network } = system;
    let preserved = question.preserved();
    let work = "looking for symmetry in the structure";
    let looking = Looking::new(LookBounds::ON_DEMAND);
    let structure = structure_of(machine, network, specification, (preserved, &looking))?;
    let names_matter = match (&structure, preserved.names) {
        (_, false) => NamesMatter::No,
        (Ok(structure), true) if structure.nodes.is_empty() => NamesMatter::Yes,
        (_, true) => NamesMatter::Tied,
    };
    let structure = match structure {
        Ok(structure) => structure,
        Err(unknown) => return Ok((names_matter, Err(unknown))),
    };
    let poll = |steps| looking.work(machine, steps);
    let looks = looking.bounds.work / 4;
    let symmetries = machine.during(work, None, symmetries(&structure, looks, &poll))?;
    let acting = unless_over(&looking, symmetries.acting_order(&structure, &poll));
    let acting = machine.during(work, None, acting)?;
    let mut found = FoundInStructure {
        structure,
        symmetries,
        acting,
        name: None,
        misses: Vec::new(),
    };
    if found.symmetries.complete {
        let (degree, generators) = found.acting_generators();
        let order = found.acting.as_ref();
        let name = unless_over(&looking, name_of(degree, &generators, order, &poll));
        let name = machine.during(work, None, name)?;
        // If nodes of the specification move where states do not, it would be the name of a smaller group.
        let name = name.filter(|name| Some(name.order()) == found.acting);
        found.name = name.map(|name| name.to_string());
    }
    Ok((names_matter, Ok(found)))
}

impl FoundInStructure {
    /// The action of the generators on components and local states alone, as permutations.
    #[must_use]
    pub fn acting_generators(&self) -> (u32, Vec<PointPermutation>) {
        let degree = PartPlaces::new(&self.structure).labels;
        let points: Vec<u32> = (0..degree).collect();
        let all = self.symmetries.generators.iter();
        let all = all.filter_map(|g| g.map().restricted(&points));
        (degree, all.filter(|g| !g.is_identity()).collect())
    }
}
