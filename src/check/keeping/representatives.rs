//! Representatives, as a strategy chooses them, or the pairs as they are where there is none.

use super::{Keeping, KeepingScratch, Kept, RawPair};
use crate::check::product::{Product, ProductMiss};

/// What the search of the paper remembers (Sec. 3.4).
#[derive(Clone, Copy, Debug)]
pub struct Representatives;

impl Keeping for Representatives {
    #[inline]
    fn remember(
        &self,
        product: &Product<'_>,
        RawPair {
            node,
            format,
            locals,
        }: RawPair<'_>,
        scratch: &mut KeepingScratch,
        kept: &mut Kept,
    ) -> Result<bool, ProductMiss> {
        kept.key.clear();
        // Local states are merged in the first format only. With none merged there and no strategy,
        // the successor is stored as it is, without a copy.
        if product.strategy.is_none() && product.network.first().merged().is_empty() {
            product.pack(product.class_of(node), format, locals, &mut kept.key);
            return Ok(false);
        }
        let out = &mut scratch.representative;
        let node = product.representative(node, format, locals, out)?;
        product.pack(node, format, &out.locals, &mut kept.key);
        Ok(out.fell_back)
    }

    fn expands_as_met(&self) -> bool {
        false
    }
}
