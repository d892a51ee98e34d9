//! Structural symmetry of a check: the bounds of the search for it, whether it pays, and the group.

use super::look_bounds::{LookBounds, Looking, WantedGroup};
use super::permutations_in_use::PermutationsInUse;
use crate::search::keeping::KeepingKind;
use num_bigint::BigUint;

use crate::machine::{Format, Machine, Network};
use crate::source::diagnostic::Result;
use crate::source::hash::Map;
use crate::source::{Diagnostic, Span, Stop, ordinal};
use crate::specification::{NodeId, Specification};
use crate::structure::network_structure::{
    NetworkStructure, Results, TiedNode, Unknown, labels, obstacle, size,
};
use crate::structure::parts::Decomposition;
use crate::structure::search::{FoundSymmetries, tells_states_apart};
use crate::symmetry::permutation::whole_order;
use crate::symmetry::structural::StructuralGroup;

/// Properties that a symmetry has to preserve besides the network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PreservedProperties {
    /// Whether visible events are distinguished by their names.
    pub names: bool,
    /// Whether acceptances of the specification matter.
    pub acceptances: bool,
    /// Whether divergences of the specification matter.
    pub divergence: bool,
    /// Whether refusals before an event decide the next node of the specification (refusal testing). Nodes then have
    /// more steps than those by events, so none is tied to the network and every event is fixed.
    pub refusals: bool,
}

impl PreservedProperties {
    /// No properties, for states that are only explored: events are not distinguished.
    pub const NOTHING: Self = Self {
        names: false,
        acceptances: false,
        divergence: false,
        refusals: false,
    };
}

/// Steps of work to write down each transition of a component and each participant of a rule.
const STRUCTURE_WORK: usize = 32;
/// Steps of work for each node of a specification.
const NODE_WORK: usize = 1_000;
/// Steps of work for each new state of a specification.
const STATE_WORK: usize = 2_000;
/// Steps of work for each member of a node.
const MEMBER_WORK: usize = 100;

/// Size of a network (steps of components and participants of rules) up to which the search for symmetry takes no
/// longer than starting the program.
const SOON: usize = 4_000;
/// States searched for each unit of size of a larger network before symmetry is sought, so that this takes a small part
/// of the search.
const STATES_EACH: usize = 10;
/// Steps of work for each unit of size in a search that permutes values.
const WORK_EACH: u64 = 1_000;
/// The size that takes about a tenth of a second, short enough when a person waits for a process to be opened.
const SOON_ENOUGH: usize = 20_000;

/// The number of states to search before structural symmetry is sought: zero for a small network, `usize::MAX` where
/// the search for symmetry would find nothing.
#[must_use]
pub fn states_before(machine: &Machine, network: &Network) -> usize {
    match size_to_look_at(machine, network) {
        None => usize::MAX,
        Some(0..=SOON) => 0,
        Some(large) => large.saturating_mul(STATES_EACH),
    }
}

/// The steps of work of a search that permutes values before structural symmetry is sought beside them: about four times
/// what that takes.
#[must_use]
pub fn work_before(machine: &Machine, network: &Network) -> u64 {
    let size = size_to_look_at(machine, network);
    size.map_or(u64::MAX, |size| WORK_EACH.saturating_mul(size as u64))
}

/// Whether looking for symmetry in the structure takes no longer than a person waits for a process to be opened.
#[must_use]
pub fn is_soon_looked_at(machine: &Machine, network: &Network) -> bool {
    size_to_look_at(machine, network).is_some_and(|size| size <= SOON_ENOUGH)
}

/// The size of a network that may have structural symmetry.
fn size_to_look_at(machine: &Machine, network: &Network) -> Option<usize> {
    let format = network.first();
    // A single component was explored to the end before the search, so its symmetry saves nothing.
    let is_alone = format.components().len() < 2;
    let known = !is_alone && network.formats().len() == 1 && obstacle(machine, format).is_none();
    let few = known && labels(format) <= LookBounds::BY_ITSELF.labels;
    few.then(|| size(machine, format))
}

/// The result of a search for structural symmetry.
#[derive(Debug)]
pub enum StructureFound {
    /// A group as it was wanted ([`WantedGroup`]).
    Group(Box<StructuralGroup>),
    /// No symmetry beyond these.
    NoMore {
        /// Whether bisimilar local states were merged before.
        merged: bool,
        /// Whether every event was fixed, since the specification is too large to be permuted.
        untied: bool,
    },
    /// A group that permutes events alone.
    EventsAlone,
    /// A group of this order, which would take too much memory.
    TooLarge(BigUint),
    /// No search was made, for this reason.
    Unknown(Unknown),
    /// The search reached a limit.
    Limited,
}

/// Explains why a structure is unknown.
#[must_use]
pub fn why_unknown(unknown: Unknown) -> &'static str {
    match unknown {
        Unknown::Open => {
            "some component was not explored to the end, or the network takes other forms, so its structure \
             is not known"
        }
        Unknown::Ordered => {
            "some steps are taken before others (`chase`, or priority in a picture), and symmetry of that is not \
             looked for"
        }
        Unknown::Large => "the components are too large to look for symmetry in them",
    }
}

impl StructureFound {
    /// Explains why there is no group.
    #[must_use]
    pub fn why_none(&self) -> String {
        match self {
            Self::Group(_) => "there is one".to_owned(),
            Self::NoMore { untied: true, .. } => "the specification is too large to be permuted with the \
                network, so every event has to stay what it is, and no permutation of components does that"
                .to_owned(),
            Self::NoMore { merged: true, .. } => "no permutation of components and events maps the network to \
                itself, after local states that are alike were merged"
                .to_owned(),
            Self::NoMore { .. } => {
                "no permutation of components and events maps the network to itself".to_owned()
            }
            Self::EventsAlone => "what maps the network to itself permutes events alone, so all states \
                stay what they are"
                .to_owned(),
            Self::TooLarge(order) => {
                let digits = order.to_string();
                let many = match digits.len() {
                    0..=12 => digits,
                    more => format!("more than 10^{}", more - 1),
                };
                format!(
                    "{many} permutations map the network to itself, but to reduce by them would take too much \
                     room"
                )
            }
            Self::Unknown(unknown) => why_unknown(*unknown).to_owned(),
            Self::Limited => "looking for it reached a limit".to_owned(),
        }
    }
}

/// Searches for the symmetry of a network and its specification.
///
/// # Errors
/// A limit.
pub fn find(
    machine: &mut Machine,
    network: &Network,
    specification: Option<&mut Specification>,
    preserved: PreservedProperties,
    looking: &Looking,
) -> Result<StructureFound> {
    let found = find_within(machine, network, specification, preserved, looking);
    match found {
        Err(_) if looking.is_over() => Ok(StructureFound::Limited),
        other => other,
    }
}

fn find_within(
    machine: &mut Machine,
    network: &Network,
    specification: Option<&mut Specification>,
    preserved: PreservedProperties,
    looking: &Looking,
) -> Result<StructureFound> {
    let has_specification = specification.is_some();
    if has_specification && !may_move_states(machine, network, looking)? {
        return Ok(StructureFound::NoMore {
            merged: network.first().merged().count > 0,
            untied: false,
        });
    }
    let structure = structure_of(machine, network, specification, (preserved, looking))?;
    let untied = preserved.names
        && has_specification
        && matches!(&structure, Ok(structure) if structure.nodes.is_empty());
    match found_in(machine, network, structure, looking)? {
        StructureFound::NoMore { merged, .. } => Ok(StructureFound::NoMore { merged, untied }),
        other => Ok(other),
    }
}

/// Turns a limit of time or memory into [`StructureFound::Limited`], for a search that no option asked for.
///
/// # Errors
/// Any other error, and a cancellation.
pub fn unless_limited(found: Result<StructureFound>) -> Result<StructureFound> {
    match found {
        Err(error) if matches!(error.stop(), Some(Stop::Time | Stop::Memory)) => {
            Ok(StructureFound::Limited)
        }
        other => other,
    }
}

/// Searches for the symmetry of all states of a network whose steps are shown with their hidden events.
///
/// # Errors
/// A limit.
pub(crate) fn find_for_pictures(
    machine: &mut Machine,
    network: &Network,
) -> Result<StructureFound> {
    let open = network.formats().len() != 1;
    let structure = NetworkStructure::new(machine, network.first(), Results::Shown, Vec::new());
    let structure = machine.during("comparing components", None, structure)?;
    let structure = structure.and_then(|found| match open {
        true => Err(Unknown::Open),
        false => Ok(found),
    });
    let looking = Looking::new(LookBounds::BY_ITSELF);
    match found_in(machine, network, structure, &looking) {
        Err(_) if looking.is_over() => Ok(StructureFound::Limited),
        other => other,
    }
}

const LOOKING: &str = "looking for symmetry in the structure";

fn found_in(
    machine: &mut Machine,
    network: &Network,
    structure: std::result::Result<NetworkStructure, Unknown>,
    looking: &Looking,
) -> Result<StructureFound> {
    let bounds = looking.bounds;
    let structure = match structure {
        Ok(structure) if structure.labels.len() > bounds.labels => {
            return Ok(StructureFound::Unknown(Unknown::Large));
        }
        Ok(structure) => structure,
        Err(unknown) => return Ok(StructureFound::Unknown(unknown)),
    };
    let format = network.first();
    let no_more = StructureFound::NoMore {
        merged: format.merged().count > 0,
        untied: false,
    };
    let in_use = match bounds.wanted {
        WantedGroup::Any => Some(PermutationsInUse::default()),
        _ => PermutationsInUse::new(machine, format, &structure),
    };
    if in_use.is_none() && bounds.wanted != WantedGroup::IsLarger {
        return Ok(no_more);
    }
    let poll = |steps| looking.work(machine, steps);
    // Half of the work finds symmetries; these are worth the other half.
    let looks = (bounds.work - looking.done().min(bounds.work)) / 2;
    let found = FoundSymmetries::new(&structure, looks, &poll);
    let found = machine.during(LOOKING, None, found)?;
    // An incomplete search may have missed permutations of values.
    if !(found.are_complete() || machine.atoms().is_empty()) {
        looking.give_up();
        return Ok(StructureFound::Limited);
    }
    let known = match &in_use {
        _ if bounds.wanted == WantedGroup::Contains => Ok(Some(BigUint::ZERO)),
        Some(in_use) => in_use.acting_order(&structure, &poll),
        None => Ok(Some(whole_order(machine.atoms(), format).to_big())),
    };
    let Some(known) = machine.during(LOOKING, None, known)? else {
        return Ok(StructureFound::Limited);
    };
    group_beyond(machine, (structure, found), (known, no_more), looking)
}

/// The group of what was found in a structure, if it has more elements than are known.
fn group_beyond(
    machine: &Machine,
    (structure, found): (NetworkStructure, FoundSymmetries),
    (known, no_more): (BigUint, StructureFound),
    looking: &Looking,
) -> Result<StructureFound> {
    let poll = |steps| looking.work(machine, steps);
    // Some elements may differ in events alone, so this is an upper bound.
    if *found.order() <= known {
        return Ok(no_more);
    }
    let factors = found.factors(&structure, &poll);
    let factors = match machine.during(LOOKING, None, factors)? {
        Decomposition::Factors(factors) if factors.order > known => Some(factors),
        Decomposition::Factors(_) => return Ok(no_more),
        Decomposition::EventsAlone => return Ok(StructureFound::EventsAlone),
        Decomposition::TooLarge => None,
    };
    // Last, since it takes long: only a group that is used or reported has to be verified.
    let found = found.verified(&structure, &poll);
    let found = machine.during(LOOKING, None, found)?;
    let Some(factors) = factors else {
        return Ok(StructureFound::TooLarge(found.order));
    };
    let group = StructuralGroup::new(structure, found.generators, factors);
    Ok(StructureFound::Group(Box::new(group)))
}

/// Whether the network alone, without the specification, may be symmetric in more than events. If not, the expensive
/// specification need not be included.
fn may_move_states(machine: &Machine, network: &Network, looking: &Looking) -> Result<bool> {
    looking.work(machine, STRUCTURE_WORK * size(machine, network.first()))?;
    let alone = NetworkStructure::new(machine, network.first(), Results::Free, Vec::new());
    let Ok(alone) = machine.during("comparing components", None, alone)? else {
        return Ok(true);
    };
    if alone.labels.len() > looking.bounds.labels {
        return Ok(true);
    }
    let poll = |steps| looking.work(machine, steps);
    let known = tells_states_apart(&alone, &poll);
    Ok(!machine.during(LOOKING, None, known)?)
}

/// Applies the strategy that an option names, if one does, to the group.
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

/// Builds the coloured structure that a symmetry of a network and its specification has to preserve.
///
/// # Errors
/// A limit.
pub(crate) fn structure_of(
    machine: &mut Machine,
    network: &Network,
    specification: Option<&mut Specification>,
    (preserved, looking): (PreservedProperties, &Looking),
) -> Result<std::result::Result<NetworkStructure, Unknown>> {
    if network.formats().len() != 1 {
        return Ok(Err(Unknown::Open));
    }
    looking.work(machine, STRUCTURE_WORK * size(machine, network.first()))?;
    let nodes = match specification {
        Some(specification) => tied(machine, specification, preserved, looking)?,
        None => Some(Vec::new()),
    };
    let results = match (&nodes, preserved.names) {
        // Names do not matter, or the nodes distinguish events.
        (_, false) => Results::Free,
        (Some(nodes), true) if !nodes.is_empty() => Results::Free,
        _ => Results::Fixed,
    };
    let nodes = nodes.unwrap_or_default();
    let structure = NetworkStructure::new(machine, network.first(), results, nodes);
    machine.during("comparing components", None, structure)
}

/// The nodes of a specification. Returns `None` if they are too many, if the search could make more, or if events do
/// not determine all of their steps.
fn tied(
    machine: &mut Machine,
    specification: &mut Specification,
    preserved: PreservedProperties,
    looking: &Looking,
) -> Result<Option<Vec<TiedNode>>> {
    if preserved.refusals {
        return Ok(None);
    }
    let before = looking.done();
    let mut nodes = Vec::new();
    let mut at = 0;
    while at < specification.made() {
        // These nodes may never be needed, so they must not use up the limits of the search.
        if at >= looking.bounds.tied || specification.is_large() {
            return Ok(None);
        }
        let node = NodeId(at as u32);
        let steps = match expanded(machine, specification, node) {
            Ok(steps) => steps,
            Err(error) => {
                return match error.stop() {
                    Some(Stop::Cancelled | Stop::Time | Stop::Memory) => Err(error),
                    // The search may never reach that node, so its error is not reported here.
                    _ => Ok(None),
                };
            }
        };
        looking.work(machine, steps)?;
        if looking.done() - before > looking.bounds.tying {
            return Ok(None);
        }
        at += 1;
    }
    // One node for each class of merged ones.
    let all = (0..specification.made() as u32).map(NodeId);
    let kept: Vec<NodeId> = all.filter(|n| specification.class_of(*n) == *n).collect();
    let place: Map<NodeId, u32> = kept.iter().copied().zip(0..).collect();
    for node in kept {
        let edges = specification.edges(node);
        let edges = edges.filter_map(|(event, to)| {
            let to = place.get(&specification.class_of(to))?;
            Some((event, *to))
        });
        let sets = match preserved.acceptances {
            true => specification.acceptances(node),
            false => &[],
        };
        let diverges = preserved.divergence && specification.diverges(node).unwrap_or(false);
        nodes.push(TiedNode {
            id: node.0,
            colour: u32::from(diverges),
            edges: edges.collect(),
            sets: sets.iter().map(|set| set.to_vec()).collect(),
        });
    }
    Ok(Some(nodes))
}

/// Expands a node. Returns its steps of work.
fn expanded(
    machine: &mut Machine,
    specification: &mut Specification,
    node: NodeId,
) -> Result<usize> {
    let (met, was_expanded) = (specification.met(), specification.is_expanded(node));
    specification.expand_wholly(machine, node)?;
    let expanding = match was_expanded {
        true => 0,
        false => NODE_WORK + MEMBER_WORK * specification.members(node).len(),
    };
    let states = STATE_WORK * (specification.met() - met);
    Ok(expanding + states + STRUCTURE_WORK * specification.edges(node).count())
}

/// Names of components: their initial local states, numbered where several are equal, as `P[2nd]`.
pub fn component_names(machine: &mut Machine, format: &Format) -> Vec<String> {
    let components = format.components().iter();
    let mut names: Vec<String> = components.map(|c| machine.show_local(c.initial)).collect();
    let mut count: Map<String, usize> = Map::default();
    for name in &names {
        *count.entry(name.clone()).or_default() += 1;
    }
    count.retain(|_, times| *times > 1);
    let mut met: Map<String, usize> = Map::default();
    for name in names.iter_mut().filter(|name| count.contains_key(*name)) {
        let number = met.entry(name.clone()).or_default();
        *number += 1;
        *name = format!("{name}[{}]", ordinal(*number));
    }
    names
}
