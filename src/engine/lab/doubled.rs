//! Two stored pairs of one orbit, for display: the states of the unreduced system that they represent, the runs to
//! these, and the components that matter.
//!
//! A search stores representatives of successors of stored states. A stored state is a state of the unreduced system,
//! since permutations fix the initial state: the image of a run to a state of its orbit leads to it. From there one
//! step leads to the successor.

use std::sync::Arc;

use super::duplicates::certain_group;
use crate::machine::FormatId;
use crate::search::breadth_first::LazyProduct;
use crate::search::counterexample::{
    PathEnd, ProductTransition, RawRun, RawStep, broken, matching_move, moves, path_to, raw_step,
    unwind,
};
use crate::search::product::{Product, ProductMiss, ProductScratch, ProductState};
use crate::search::store::{NO_STATE, StateStore, StoredId};
use crate::source::diagnostic::Result;
use crate::symmetry::GroupElement;
use crate::symmetry::compare::{Comparing, Relation};
use crate::symmetry::context::StateContext;
use crate::symmetry::strategy::Strategy;
use crate::symmetry::structural::StructuralGroup;
use crate::value::Atom;

/// A state of the unreduced system, and its representative.
#[derive(Clone, Debug)]
pub struct RawRepresented {
    /// The run to the state.
    pub run: RawRun,
    /// Its representative.
    pub representative: ProductState,
}

/// Two states of one orbit with different representatives.
#[derive(Clone, Debug)]
pub struct RawDoubled {
    /// The one with the shortest run, and then the other.
    pub states: [RawRepresented; 2],
    /// The element that maps the representative of the first to that of the second: if values are permuted, one that
    /// moves as few as possible.
    pub by: GroupElement,
    /// The components of the representatives that matter: all but those with the same local state in both and no value
    /// in common with those that matter; under a structural group, all but those with the same local state in both that
    /// are fixed.
    pub components: Vec<usize>,
}

/// Prepares two stored pairs of one orbit for display. Returns `None` if no permutation is found that maps one state to
/// the other, or if they are of different formats.
///
/// # Errors
/// An evaluation error, or a step that does not replay, which is an internal error.
pub fn doubled(
    lazy: &mut LazyProduct<'_>,
    store: &StateStore,
    first: StoredId,
    second: StoredId,
) -> Result<Option<RawDoubled>> {
    let (mut a, mut b) = (ProductState::default(), ProductState::default());
    lazy.product().unpack(&store.pair(first), &mut a);
    lazy.product().unpack(&store.pair(second), &mut b);
    if a.format != b.format {
        return Ok(None);
    }
    let found = match certain_group(lazy) {
        Some(group) => led_by_structure(lazy, &group, &a, &b)?,
        None => led_by_values(lazy, &a, &b)?,
    };
    let Some(by) = found else {
        return Ok(None);
    };
    let components = match by.structure() {
        Some(map) => {
            let stays = |c: &usize| a.locals[*c] == b.locals[*c] && map.component(*c) == *c;
            (0..a.locals.len()).filter(|c| !stays(c)).collect()
        }
        None => components_that_matter(lazy, &a, &b),
    };
    let found = [
        represented(lazy, store, first, a)?,
        represented(lazy, store, second, b)?,
    ];
    Ok(Some(RawDoubled {
        states: found,
        by,
        components,
    }))
}

/// The element that maps one pair to another, if they have the same least image under the group.
fn led_by_structure(
    lazy: &mut LazyProduct<'_>,
    group: &StructuralGroup,
    a: &ProductState,
    b: &ProductState,
) -> Result<Option<GroupElement>> {
    let mut scratch = ProductScratch::default();
    let out = &mut scratch.keeping.representative;
    let mut least = |at: &ProductState| {
        lazy.complete(|product| {
            let product = Product {
                strategy: Some(group),
                ..*product
            };
            let node = product.representative(at.node, FormatId(at.format), &at.locals, out)?;
            Ok((node, out.locals.clone(), group.found(&out.structural)))
        })
    };
    let (one, other) = (least(a)?, least(b)?);
    let same = one.0 == other.0 && one.1 == other.1;
    let by = same.then(|| one.2.then(&other.2.inverse()));
    Ok(by.map(|by| GroupElement::Structure(Arc::new(by))))
}

/// The permutation of values that maps one pair to another, if one is found.
fn led_by_values(
    lazy: &mut LazyProduct<'_>,
    a: &ProductState,
    b: &ProductState,
) -> Result<Option<GroupElement>> {
    let mut comparing = Comparing::default();
    let relation = lazy.complete(|product| {
        let one = StateContext {
            atoms: product.atoms,
            locals: product.locals,
            network: product.network,
            format: FormatId(a.format),
            state: &a.locals,
            node: 0,
            spec_atoms: &[],
            spec_atoms_ordered: true,
        };
        let other = StateContext {
            state: &b.locals,
            ..one
        };
        comparing
            .relation(&one, &other)
            .map_err(ProductMiss::Machine)
    })?;
    Ok(match relation {
        Relation::SameOrbit(witness) => Some(GroupElement::Values(witness.permutation)),
        _ => None,
    })
}

/// The components in which two states of one format differ, those that share a value with these, and so on.
fn components_that_matter(
    lazy: &LazyProduct<'_>,
    a: &ProductState,
    b: &ProductState,
) -> Vec<usize> {
    let locals = lazy.machine.locals();
    let format = lazy.network.format(FormatId(a.format));
    let values = |component: usize| -> Vec<Atom> {
        // The values of its label, too, by which other components refer to it.
        let label = format.components()[component].initial;
        let held = [a.locals[component], b.locals[component], label];
        let held = held.iter().flat_map(|local| locals.atoms_of(*local));
        held.copied().collect()
    };
    let all = 0..a.locals.len();
    let mut matters: Vec<bool> = all.clone().map(|c| a.locals[c] != b.locals[c]).collect();
    let mut met = vec![false; lazy.machine.atoms().len()];
    loop {
        for atom in all.clone().filter(|c| matters[*c]).flat_map(values) {
            met[usize::from(atom.0)] = true;
        }
        let shares = |c: &usize| values(*c).iter().any(|atom| met[usize::from(atom.0)]);
        let more: Vec<usize> = (all.clone())
            .filter(|c| !matters[*c])
            .filter(shares)
            .collect();
        if more.is_empty() {
            return all.filter(|c| matters[*c]).collect();
        }
        more.into_iter().for_each(|c| matters[c] = true);
    }
}

/// A state of the unreduced system whose representative is a stored one.
fn represented(
    lazy: &mut LazyProduct<'_>,
    store: &StateStore,
    id: StoredId,
    representative: ProductState,
) -> Result<RawRepresented> {
    let parent = store.parent(id);
    if parent == NO_STATE {
        // The initial state: its own representative is computed.
        let (run, _) = unwind(lazy, store, &[id], PathEnd::Reached)?;
        return Ok(RawRepresented {
            run,
            representative,
        });
    }
    let path = path_to(store, parent);
    let (run, pi) = unwind(lazy, store, &path, PathEnd::Reached)?;
    let mut run = carried(lazy, run, &pi)?;
    let mut stored = ProductState::default();
    lazy.product().unpack(&store.pair(parent), &mut stored);
    let at = ProductState {
        node: stored.node,
        ..run.end().clone()
    };
    let mut scratch = ProductScratch::default();
    let (step, _) = matching_move(lazy, store, &at, false, id, &mut scratch)?;
    let after = ProductState {
        // The unreduced system is replayed without the specification.
        node: 0,
        format: step.format.0,
        locals: step.locals.clone(),
    };
    run.steps.push(raw_step(lazy, &at, &step, after, true));
    Ok(RawRepresented {
        run,
        representative,
    })
}

/// The image of a run.
fn carried(lazy: &mut LazyProduct<'_>, run: RawRun, pi: &GroupElement) -> Result<RawRun> {
    let group = lazy.strategy.and_then(Strategy::structure);
    let mut carried = RawRun {
        initial: run.initial,
        steps: Vec::with_capacity(run.steps.len()),
    };
    for step in &run.steps {
        let event = pi.event(lazy.machine, group, step.event);
        let shown = pi.event(lazy.machine, group, step.shown);
        let at = carried.end().clone();
        let wanted = (FormatId(step.after.format), &step.after.locals[..]);
        let mut found = lazy.complete(|product| {
            let mut images = Vec::new();
            for step in moves(product, &at)? {
                if step.event == event {
                    let (locals, network) = (product.locals, product.network);
                    let image = pi.state(locals, network, group, wanted, step.format)?;
                    if image.is_some_and(|image| image == step.locals) {
                        images.push(step);
                    }
                }
            }
            Ok(images)
        })?;
        // As in the replay of counterexamples: image operators are preferred, and not required.
        let is_image = |step: &ProductTransition| {
            let tables = (&mut *lazy.machine, &*lazy.network);
            pi.takes_format(tables, wanted.0, step.format)
        };
        let by_operators: Vec<bool> = found.iter().map(is_image).collect();
        if by_operators.contains(&true) {
            let mut kept = by_operators.into_iter();
            found.retain(|_| kept.next() == Some(true));
        }
        // Several hidden events may lead to one state: prefer the image.
        let after = |step: &ProductTransition| ProductState {
            node: 0,
            format: step.format.0,
            locals: step.locals.clone(),
        };
        let found: Vec<RawStep> = (found.iter())
            .map(|found| raw_step(lazy, &at, found, after(found), true))
            .collect();
        let place = found.iter().position(|step| step.shown == shown);
        let Some(step) = found.into_iter().nth(place.unwrap_or(0)) else {
            return Err(broken("the image of a run is no run"));
        };
        carried.steps.push(step);
    }
    Ok(carried)
}
