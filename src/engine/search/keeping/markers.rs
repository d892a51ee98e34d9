//! Symmetry markers (ProB): a pair counts as known if its marker does. Two orbits may share a marker, so some pairs are
//! wrongly left out: violations are real, but their absence proves nothing.

use super::{Keeping, KeepingScratch, Kept};
use crate::machine::Locals;
use crate::reductions::steps::RawPair;
use crate::search::product::{Product, ProductMiss};
use crate::search::store::RecordLayout;
use crate::specification::{NodeId, Specification};
use crate::symmetry::marker::{marker, mixed};

/// Stores a marker of sixteen bytes and the first pair that has it.
#[derive(Clone, Copy, Debug)]
pub struct Markers;

/// Members of a node up to which each is hashed; of larger nodes only their number.
const LOOKED_AT: usize = 64;

/// A hash that nodes of one orbit share: of the allowed events and acceptances where bisimilar nodes were merged, whose
/// members need not be images of each other, and else of the shapes of the members.
fn node_signature(specification: &Specification, locals: &Locals, node: NodeId) -> u64 {
    // The order of acceptances, members and components must not matter, so their hashes are added up.
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
    let signatures = members.map(|(format, state)| {
        let shapes = state.iter().map(|local| locals.shape_of(*local).0);
        let shapes = shapes.map(|shape| mixed([u64::from(shape)]));
        mixed([u64::from(format.0), shapes.fold(0, u64::wrapping_add)])
    });
    mixed([count, signatures.fold(0, u64::wrapping_add)])
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
        let signature = product.specification.map_or(0, |specification| {
            node_signature(specification, product.locals, NodeId(node))
        });
        kept.key.clear();
        for half in marker(&context, signature, buffers) {
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
