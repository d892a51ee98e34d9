//! Symmetry markers (ProB): a pair counts as known if its marker is. Two orbits may share a marker, so some
//! pairs are left out that ought to be looked at: what is found is real, and nothing is proved.

use super::{Keeping, KeepingScratch, Kept, RawPair};
use crate::check::product::{Product, ProductMiss};
use crate::check::store::RecordLayout;
use crate::symmetry::marker::marker;

/// Keeps a marker of sixteen bytes and the first pair that has it.
#[derive(Clone, Copy, Debug)]
pub struct Markers;

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
        kept.key.clear();
        for half in marker(&context, buffers) {
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
