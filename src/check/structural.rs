//! The symmetry in the structure of what is checked: what may be found, whether it is worth while, and the
//! group.

use super::keeping::KeepingKind;
use super::specification::{NodeId, SpecMiss, Specification};
use crate::machine::{Format, Machine, Network};
use crate::source::diagnostic::Result;
use crate::source::hash::Map;
use crate::source::{Diagnostic, Span, Stop, ordinal};
use crate::structure::blueprint::{Blueprint, Results, TiedNode, Unknown, size};
use crate::structure::search::{Symmetries, symmetries};
use crate::symmetry::permutation::whole_order;
use crate::symmetry::structural::StructuralGroup;

/// Labels of events at most.
const LABELS_MAX: usize = 1_500;
/// Nodes of a specification that events are tied to; with more every event stays what it is.
const TIED_MAX: usize = 2_000;

/// What is to be kept by a symmetry besides the network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeptApart {
    /// Whether visible events are told apart by their names.
    pub names: bool,
    /// Whether acceptances of the specification matter.
    pub acceptances: bool,
    /// Whether its divergences do.
    pub divergence: bool,
}

/// Steps of components and participants of rules up to which looking takes no longer than a start of the
/// program.
const SOON: usize = 20_000;
/// States that are searched before it is looked for, for each of these, where there are more: then looking
/// takes a small part of the search.
const STATES_EACH: usize = 2;

/// How many states are to be searched before symmetry is looked for in the structure: none where that is soon
/// done.
#[must_use]
pub fn states_before(machine: &Machine, network: &Network) -> usize {
    match size(machine, network.first()) {
        0..=SOON => 0,
        large => large.saturating_mul(STATES_EACH),
    }
}

/// What came of looking for symmetry in the structure.
#[derive(Debug)]
pub enum StructureFound {
    /// A group that does more than permuting values and exchanging copies.
    Group(Box<StructuralGroup>),
    /// Nothing beyond these.
    NoMore(Symmetries),
    /// It was not looked for.
    Unknown(Unknown),
}

/// Why nothing is known of a structure, for people.
#[must_use]
pub fn why_unknown(unknown: Unknown) -> &'static str {
    match unknown {
        Unknown::Open => {
            "some component was not explored to the end, or the network takes other forms, so its structure \
             is not known"
        }
        Unknown::Priorities => {
            "some events wait for others (priority), and symmetry of that is not looked for"
        }
        Unknown::Large => "the components are too large to look for symmetry in them",
    }
}

impl StructureFound {
    /// Why there is no group, for people.
    #[must_use]
    pub fn why_none(&self) -> &'static str {
        match self {
            Self::Group(_) => "there is one",
            Self::NoMore(_) => "no permutation of components and events maps the network to itself",
            Self::Unknown(unknown) => why_unknown(*unknown),
        }
    }
}

/// Looks for the symmetry of a network and its specification.
///
/// # Errors
/// A limit.
pub fn find(
    machine: &mut Machine,
    network: &Network,
    specification: Option<&mut Specification>,
    watched: KeptApart,
) -> Result<StructureFound> {
    let blueprint = blueprint_of(machine, network, specification, watched)?;
    found_in(machine, network, blueprint)
}

/// Looks for the symmetry of all states of a network, of which the steps are shown with what was hidden in them.
///
/// # Errors
/// A limit.
pub(super) fn find_for_pictures(
    machine: &mut Machine,
    network: &Network,
) -> Result<StructureFound> {
    let open = network.formats().len() != 1;
    let blueprint = Blueprint::new(machine, network.first(), Results::Shown, Vec::new());
    let blueprint = machine.during("comparing components", None, blueprint)?;
    let blueprint = blueprint.and_then(|found| match found.labels.len() {
        _ if open => Err(Unknown::Open),
        0..=LABELS_MAX => Ok(found),
        _ => Err(Unknown::Large),
    });
    found_in(machine, network, blueprint)
}

fn found_in(
    machine: &mut Machine,
    network: &Network,
    blueprint: std::result::Result<Blueprint, Unknown>,
) -> Result<StructureFound> {
    let blueprint = match blueprint {
        Ok(blueprint) => blueprint,
        Err(unknown) => return Ok(StructureFound::Unknown(unknown)),
    };
    let format = network.first();
    let poll = |_| machine.eval.check_time();
    let found = symmetries(&blueprint, &poll);
    let found = machine.during("looking for symmetry in the structure", None, found)?;
    let known = whole_order(machine.atoms(), format).to_big();
    // Some elements may differ in events alone, so this is the most that there can be.
    if found.order <= known {
        return Ok(StructureFound::NoMore(found));
    }
    let factors = found.factors(&blueprint, &poll);
    let factors = machine.during("looking for symmetry in the structure", None, factors)?;
    let more = factors.filter(|f| f.order > known);
    Ok(match more {
        Some(factors) => {
            let group = StructuralGroup::new(blueprint, found.generators, factors);
            StructureFound::Group(Box::new(group))
        }
        None => StructureFound::NoMore(found),
    })
}

/// The group with the strategy that was asked for, if one was.
///
/// # Errors
/// Why the strategy does not apply to it.
pub(super) fn chosen(
    group: Box<StructuralGroup>,
    keeping: KeepingKind,
    span: Span,
) -> Result<Box<StructuralGroup>> {
    let Some(kind) = keeping.by_structure() else {
        return Ok(group);
    };
    let refused = |why: String| {
        let instead = "`--rep structure` has no such condition, and neither has `--rep local`, which may keep \
                       several states of an orbit";
        Box::new(Diagnostic::error("E0515", span, why).note(instead))
    };
    group.by(kind).map(Box::new).map_err(refused)
}

/// What a symmetry of a network and its specification has to respect.
///
/// # Errors
/// A limit.
pub(super) fn blueprint_of(
    machine: &mut Machine,
    network: &Network,
    specification: Option<&mut Specification>,
    watched: KeptApart,
) -> Result<std::result::Result<Blueprint, Unknown>> {
    if network.formats().len() != 1 {
        return Ok(Err(Unknown::Open));
    }
    let nodes = match specification {
        Some(specification) => tied(machine, specification, watched)?,
        None => Some(Vec::new()),
    };
    let results = match (&nodes, watched.names) {
        // Nobody looks at names, or they are tied to the nodes.
        (_, false) => Results::Free,
        (Some(nodes), true) if !nodes.is_empty() => Results::Free,
        _ => Results::Fixed,
    };
    let nodes = nodes.unwrap_or_default();
    let blueprint = Blueprint::new(machine, network.first(), results, nodes);
    let blueprint = machine.during("comparing components", None, blueprint)?;
    // Where very many events are alike, there are very many ways to permute these alone.
    Ok(blueprint.and_then(|found| match found.labels.len() {
        0..=LABELS_MAX => Ok(found),
        _ => Err(Unknown::Large),
    }))
}

/// The nodes of a specification; none if there are too many, or if the search could come to more.
fn tied(
    machine: &mut Machine,
    specification: &mut Specification,
    watched: KeptApart,
) -> Result<Option<Vec<TiedNode>>> {
    let mut nodes = Vec::new();
    let mut at = 0;
    while at < specification.made() {
        // What is made here may never be needed, so it must not use up what the search may need.
        if at >= TIED_MAX || specification.is_large() {
            return Ok(None);
        }
        let node = NodeId(at as u32);
        if specification.diverges(node).is_err()
            && let Err(error) = specification.resolve(machine, &SpecMiss::Edges(node))
        {
            return match error.stop() {
                Some(Stop::Cancelled | Stop::Time | Stop::Memory) => Err(error),
                // The search may never come to that node, so what is wrong with it is not told here.
                _ => Ok(None),
            };
        }
        at += 1;
    }
    // One node for all that are merged.
    let all = (0..specification.made() as u32).map(NodeId);
    let kept: Vec<NodeId> = all.filter(|n| specification.class_of(*n) == *n).collect();
    let place: Map<NodeId, u32> = kept.iter().copied().zip(0..).collect();
    for node in kept {
        let edges = specification.edges(node);
        let edges = edges.filter_map(|(event, to)| {
            let to = place.get(&specification.class_of(to))?;
            Some((event, *to))
        });
        let sets = match watched.acceptances {
            true => specification.acceptances(node),
            false => &[],
        };
        let diverges = watched.divergence && specification.diverges(node).unwrap_or(false);
        nodes.push(TiedNode {
            id: node.0,
            looks: u32::from(diverges),
            edges: edges.collect(),
            sets: sets.iter().map(|set| set.to_vec()).collect(),
        });
    }
    Ok(Some(nodes))
}

/// What components are called: by their first local states, and where several have the same, by their order, as
/// `P[2nd]`.
pub(crate) fn component_names(machine: &mut Machine, format: &Format) -> Vec<String> {
    let components = format.components();
    let mut names: Vec<String> = Vec::with_capacity(components.len());
    for component in components {
        names.push(machine.show_local(component.initial));
    }
    let all = names.clone();
    for (at, name) in names.iter_mut().enumerate() {
        let same = |n: &usize| all[*n] == all[at];
        if (0..all.len()).filter(same).count() > 1 {
            let number = (0..=at).filter(same).count();
            *name = format!("{name}[{}]", ordinal(number));
        }
    }
    names
}
