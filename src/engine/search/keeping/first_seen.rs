//! First-seen representatives (RuleBase): of each orbit the pair generated first is expanded, so the search shows
//! states that runs of the system reach. Orbits are identified by their canonical forms.

use super::{Keeping, KeepingScratch, Kept};
use crate::reductions::steps::RawPair;
use crate::search::product::{Product, ProductMiss};
use crate::search::store::RecordLayout;

/// Stores the canonical form and the first pair that has it.
#[derive(Clone, Copy, Debug)]
pub struct FirstSeen;

impl Keeping for FirstSeen {
    fn remember(
        &self,
        product: &Product<'_>,
        pair: RawPair<'_>,
        scratch: &mut KeepingScratch,
        kept: &mut Kept,
    ) -> Result<bool, ProductMiss> {
        let out = &mut scratch.representative;
        product.pack_as_met(pair, out, &mut kept.pair);
        let node = product.representative(pair.node, pair.format, pair.locals, out)?;
        kept.key.clear();
        product.pack(node, pair.format, &out.locals, &mut kept.key);
        Ok(out.fell_back)
    }

    fn layout(&self, pair_max: usize) -> RecordLayout {
        RecordLayout {
            key: pair_max,
            pair: pair_max,
        }
    }
}
