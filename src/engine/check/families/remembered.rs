//! How many values of a datatype an assertion remembers at once (Theorem A of the page `families`).

use super::sides::{FamilySides, SpecNode, StateKey};
use super::unprovable::Decided;
use crate::machine::EventId;
use crate::source::hash::IndexSet;
use crate::symmetry::context::StateContext;
use crate::symmetry::{Representative, StrategyKind};
use crate::value::Atom;

/// A node of the specification, if there is one, and a state of the implementation.
type NodeAndState = (Option<SpecNode>, StateKey);

/// The most values that a reachable pair holds. The last side is the implementation; of a node, the values of all its
/// states count. Pairs are explored up to permutations, which change no numbers.
pub(super) fn remembered(sides: &mut FamilySides<'_>) -> Decided<usize> {
    let imp = sides.sides.len() - 1;
    let first = sides.initial(imp);
    let node = match imp {
        0 => None,
        _ => {
            let first = sides.initial(0);
            Some(sides.silently(0, vec![first])?)
        }
    };
    let mut known: IndexSet<NodeAndState> = IndexSet::default();
    let first = representative(sides, (node, first))?;
    known.insert(first);
    let (mut at, mut most) = (0, 0);
    while let Some((node, state)) = known.get_index(at).cloned() {
        at += 1;
        sides.poll(known.len())?;
        let all = node.iter().flat_map(|node| node.iter()).chain([&state]);
        most = most.max(sides.values_in(all).len());
        // More are certainly not proved with so few values.
        if most == sides.values {
            return Ok(most);
        }
        for (event, target) in sides.arrows(imp, &state)?.iter() {
            let followed = match &node {
                Some(node) if *event != EventId::TAU => match sides.after(0, node, *event)? {
                    // The specification does not follow: a run ends here.
                    None => continue,
                    followed => followed,
                },
                node => node.clone(),
            };
            let pair = representative(sides, (followed, target.clone()))?;
            known.insert(pair);
        }
    }
    Ok(most)
}

/// A pair of the same orbit.
fn representative(
    sides: &mut FamilySides<'_>,
    (node, state): NodeAndState,
) -> Decided<NodeAndState> {
    let imp = sides.sides.len() - 1;
    let locals = sides.machine.locals();
    let of_node = node.iter().flat_map(|node| node.iter());
    let atoms: Vec<Atom> = of_node
        .flat_map(|key| key.1.iter())
        .flat_map(|local| locals.atoms_of(*local).iter().copied())
        .collect();
    sides.machine.rank_shapes()?;
    let mut found = Representative::default();
    let network = &mut sides.sides[imp].network;
    sides.machine.complete(network, |machine, network| {
        let context = StateContext {
            spec_atoms: &atoms,
            spec_atoms_ordered: false,
            ..StateContext::alone(machine, network, state.0, &state.1)
        };
        let strategy = StrategyKind::default().strategy();
        strategy.representative(&context, &mut found)
    })?;
    let node = match node {
        Some(node) => Some(sides.permuted_node(0, &node, &found.image)?),
        None => None,
    };
    Ok((node, (state.0, found.locals[..].into())))
}
