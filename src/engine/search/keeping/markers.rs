//! Symmetry markers (ProB): a pair counts as known if its marker is. Two orbits may share a marker, so some
//! pairs are left out that ought to be looked at: what is found is real, and nothing is proved.

use super::{Keeping, KeepingScratch, Kept};
use crate::machine::Locals;
use crate::reductions::steps::RawPair;
use crate::search::product::{Product, ProductMiss};
use crate::search::store::RecordLayout;
use crate::specification::{NodeId, Specification};
use crate::symmetry::marker::{marker, mixed};

/// Keeps a marker of sixteen bytes and the first pair that has it.
#[derive(Clone, Copy, Debug)]
pub struct Markers;

/// Members of a node that are all looked at: of more than these their number has to do.
const LOOKED_AT: usize = 64;

/// A number that nodes of one orbit share: by what they allow where bisimilar nodes were merged, whose members are no
/// images of each other, and else by the shapes of their members.
fn node_look(specification: &Specification, locals: &Locals, node: NodeId) -> u64 {
    // In which order acceptances, members and components stand must not show, so what is seen of each is added up.
    if specification.len() < specification.made() {
        let allowed = specification.allowed(node).count() as u64;
        let acceptances = specification.acceptances(node).iter();
        let sizes = acceptances.map(|a| mixed([a.len() as u64]));
        return mixed([allowed, sizes.fold(0, u64::wrapping_add)]);
    }
    let members = specification.members(node);
    let count = members.len() as u64;
    if members.len() > LOOKED_AT {
        return count;
    }
    let looks = members.map(|(format, state)| {
        let shapes = state.iter().map(|local| locals.shape_of(*local).0);
        let shapes = shapes.map(|shape| mixed([u64::from(shape)]));
        mixed([u64::from(format.0), shapes.fold(0, u64::wrapping_add)])
    });
    mixed([count, looks.fold(0, u64::wrapping_add)])
}

/// Bytes of a marker.
const MARKER: usize = 16;

impl Keeping for Markers {
    fn remember(
        &self,
        product: &Product<'_>,
        pair: RawPair<'_>,
        scratch: &mut KeepingScratch,
        kept: &mut Kept,
    ) -> Result<bool, ProductMiss> {
        let KeepingScratch {
            representative,
            marker: buffers,
        } = scratch;
        let node = product.pack_as_met(pair, representative, &mut kept.pair);
        let context = product.context(node, pair.format, &representative.locals);
        let look = product.specification.map_or(0, |specification| {
            node_look(specification, product.locals, NodeId(node))
        });
        kept.key.clear();
        for half in marker(&context, look, buffers) {
            kept.key.extend_from_slice(&half.to_le_bytes());
        }
        Ok(false)
    }

    fn layout(&self, pair_max: usize) -> RecordLayout {
        RecordLayout {
            key: MARKER,
            pair: pair_max,
        }
    }

    fn proves(&self) -> bool {
        false
    }
}
