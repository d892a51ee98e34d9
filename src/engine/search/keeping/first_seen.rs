//! First-seen representatives (RuleBase): of each orbit the pair that is met first is expanded, so a person
//! who looks at the search sees states that runs of the system lead to. Which orbit a pair is of is known by
//! its exact form.

use super::{Keeping, KeepingScratch, Kept};
use crate::reductions::steps::RawPair;
use crate::search::product::{Product, ProductMiss};
use crate::search::store::RecordLayout;

/// Keeps the exact form and the first pair that has it.
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
