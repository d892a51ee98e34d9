//! Representatives, as a strategy chooses them, or the pairs as they are where there is none.

use super::{Keeping, KeepingScratch, Kept};
use crate::reductions::steps::RawPair;
use crate::search::product::{Product, ProductMiss};

/// What the search of the paper remembers (Sec. 3.4).
#[derive(Clone, Copy, Debug)]
pub struct Representatives;

impl Keeping for Representatives {
    fn remember(
        &self,
        product: &Product<'_>,
        pair: RawPair<'_>,
        scratch: &mut KeepingScratch,
        kept: &mut Kept,
    ) -> Result<bool, ProductMiss> {
        product.remember_representative(pair, &mut scratch.representative, kept)
    }

    fn expands_as_met(&self) -> bool {
        false
    }
}
