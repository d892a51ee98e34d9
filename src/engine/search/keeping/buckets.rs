//! Buckets (SMC): pairs with the same marker share a bucket, and a new pair is compared with each of its bucket in
//! turn, by a search for a permutation that maps one to the other.

use super::markers::Markers;
use super::{Entered, Keeping, KeepingScratch, Kept};
use crate::machine::FormatId;
use crate::machine::pack::state_hash;
use crate::reductions::steps::RawPair;
use crate::search::product::{Product, ProductMiss, ProductState};
use crate::search::store::{RecordLayout, StateStore, StoredId, shard_of};
use crate::specification::NodeId;
use crate::symmetry::matching::{PairwiseAnswer, alike};

/// Stores the first pair of each orbit, in buckets by markers.
#[derive(Clone, Copy, Debug)]
pub struct Buckets;

/// Search nodes of one pairwise test, after which a pair is stored although its orbit may be known.
const NODES_MAX: usize = 2_000;

impl Keeping for Buckets {
    fn remember(
        &self,
        product: &Product<'_>,
        pair: RawPair<'_>,
        scratch: &mut KeepingScratch,
        kept: &mut Kept,
    ) -> Result<bool, ProductMiss> {
        // A bucket is found by its marker.
        Markers.remember(product, pair, scratch, kept)
    }

    fn layout(&self, pair_max: usize) -> RecordLayout {
        Markers.layout(pair_max)
    }

    fn enters_by_itself(&self) -> bool {
        true
    }

    fn enter(
        &self,
        product: &Product<'_>,
        store: &mut StateStore,
        key: &[u8],
        pair: &[u8],
        parent: StoredId,
    ) -> Result<Entered, ProductMiss> {
        let hash = state_hash(key);
        let shard = shard_of(hash);
        let mut bucket = Vec::new();
        store.shards[shard].all_with(hash, key, &mut bucket);
        let (mut here, mut there) = (ProductState::default(), ProductState::default());
        product.unpack(pair, &mut here);
        let mut fell_back = false;
        for index in bucket {
            product.unpack(&store.pair(StoredId::new(shard, index)), &mut there);
            match are_alike(product, &here, &there)? {
                PairwiseAnswer::Alike(_) => return Ok(Entered::default()),
                PairwiseAnswer::Different => {}
                PairwiseAnswer::GivenUp => fell_back = true,
            }
        }
        store.shards[shard].insert_duplicate(hash, key, pair, parent);
        Ok(Entered {
            is_new: true,
            fell_back,
            ..Entered::default()
        })
    }
}

/// Searches for a permutation that maps one pair to the other.
///
/// # Errors
/// A missing table entry.
pub(crate) fn are_alike(
    product: &Product<'_>,
    a: &ProductState,
    b: &ProductState,
) -> Result<PairwiseAnswer, ProductMiss> {
    let of = |pair: &ProductState| FormatId(pair.format);
    let left = product.context(a.node, of(a), &a.locals);
    let right = product.context(b.node, of(b), &b.locals);
    alike(&left, &right, NODES_MAX, |image| {
        let Some(specification) = product.specification else {
            return Ok(true);
        };
        let node = specification.permute(product.locals, NodeId(a.node), image)?;
        Ok(node == specification.class_of(NodeId(b.node)))
    })
}
