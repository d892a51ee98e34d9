//! Number of orbits among the stored pairs of a search, and the number of pairs of one orbit.
//!
//! A strategy that gives one orbit several representatives makes a search store several pairs of it. After the search,
//! the canonical form of each stored pair is computed by `exact`, or under a structural group by its least images;
//! pairs with equal forms are of one orbit, since a form is an image of the pair. The converse needs certain forms: if
//! the computation gave up, or if the node of the specification holds a set of values, pairs of one orbit may have
//! several forms, and then the number of orbits is an upper bound.

use std::sync::Mutex;

use crate::machine::FormatId;
use crate::machine::pack::Packer;
use crate::search::breadth_first::{LazyProduct, SearchControl};
use crate::search::product::{Product, ProductMiss, ProductScratch, ProductState};
use crate::search::store::{NO_STATE, SHARDS, StateStore, StoredId, UNREACHED};
use crate::source::Stop;
use crate::source::diagnostic::Result;
use crate::source::hash::Map;
use crate::source::threads::{in_parallel, lock};
use crate::symmetry::exact::Exact;
use crate::symmetry::strategy::Strategy;
use crate::symmetry::structural::StructuralGroup;

/// Stored pairs whose orbits are counted, at most: each canonical form takes memory.
pub const PAIRS_MAX: usize = 1_000_000;

/// Pairs between two polls of the limits.
const POLL_EVERY: usize = 256;

/// The orbits of stored pairs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoredOrbits {
    /// The number of orbits.
    pub orbits: usize,
    /// The largest number of stored pairs of one orbit.
    pub most: usize,
    /// Whether this is certain: otherwise there may be fewer orbits, with more pairs each.
    pub is_certain: bool,
    /// The first pair that has the same orbit as an earlier one and another state of the implementation; the earlier
    /// one comes first. The order is that of depth, then that of the store.
    pub doubled: Option<(StoredId, StoredId)>,
}

/// The result of counting orbits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CountedOrbits {
    /// The counts.
    Known(StoredOrbits),
    /// There are more than [`PAIRS_MAX`] pairs.
    TooMany,
    /// A limit or a cancellation.
    Stopped(Stop),
}

/// The canonical form of a pair, and whether it is certain to be that of the whole orbit.
type ExactForm = (Box<[u8]>, bool);

/// Computes the canonical form of a stored pair.
fn exact_form(
    product: &Product<'_>,
    exact: &dyn Strategy,
    bytes: &[u8],
    pair: &mut ProductState,
    scratch: &mut ProductScratch,
) -> std::result::Result<ExactForm, ProductMiss> {
    // By `exact`, not by the strategy of the search.
    let product = Product {
        strategy: Some(exact),
        ..*product
    };
    product.unpack(bytes, pair);
    let format = FormatId(pair.format);
    let out = &mut scratch.keeping.representative;
    // If the order of the stabiliser is known, the form is certain, too.
    out.counting = true;
    out.stabiliser = None;
    let node = product.representative(pair.node, format, &pair.locals, out)?;
    let mut form = Vec::with_capacity(bytes.len());
    product.pack(node, format, &out.locals, &mut form);
    // States of other formats are longer or shorter, so the padding of the store is removed.
    let length = form.iter().rposition(|b| *b != 0).map_or(0, |at| at + 1);
    form.truncate(length);
    Ok((form.into(), out.stabiliser.is_some()))
}

/// The group for canonical forms if pairs are reduced by a structural group.
pub(super) fn certain_group(lazy: &LazyProduct<'_>) -> Option<StructuralGroup> {
    let group = lazy.strategy.and_then(Strategy::structure);
    group.map(StructuralGroup::certain)
}

/// Counts the orbits of all stored pairs.
///
/// # Errors
/// An evaluation error, of a state that the search expanded without one.
pub fn count_orbits(
    lazy: &mut LazyProduct<'_>,
    store: &StateStore,
    control: &SearchControl<'_>,
) -> Result<CountedOrbits> {
    if store.len() > PAIRS_MAX {
        return Ok(CountedOrbits::TooMany);
    }
    let stopped: Mutex<Option<Stop>> = Mutex::default();
    let held = store.heap_bytes();
    // One list for each shard, filled by the one thread that takes the shard.
    let forms: Vec<Mutex<Vec<Option<ExactForm>>>> = (0..SHARDS).map(|_| Mutex::default()).collect();
    let by_structure = certain_group(lazy);
    let exact: &dyn Strategy = match &by_structure {
        Some(group) => group,
        None => &Exact,
    };
    let product = lazy.product();
    in_parallel(
        control.threads,
        SHARDS,
        || (ProductState::default(), ProductScratch::default()),
        |(pair, scratch), shard| {
            let mut found = lock(&forms[shard]);
            for index in 0..store.shards[shard].len() {
                if index % POLL_EVERY == 0 {
                    let stop = control.limits.reached(control.cancel, held);
                    let mut stopped = lock(&stopped);
                    // Also if another thread reached the limit.
                    *stopped = stopped.or(stop);
                    if stopped.is_some() {
                        return;
                    }
                }
                let bytes = store.pair(StoredId::new(shard, index));
                // Tables are read-only here; missing entries are filled in after the threads.
                found.push(exact_form(&product, exact, &bytes, pair, scratch).ok());
            }
        },
    );
    if let Some(stop) = *lock(&stopped) {
        return Ok(CountedOrbits::Stopped(stop));
    }
    let (mut pair, mut scratch) = (ProductState::default(), ProductScratch::default());
    let mut complete: Vec<Vec<ExactForm>> = Vec::with_capacity(SHARDS);
    for (shard, forms) in forms.iter().enumerate() {
        let mut found = Vec::with_capacity(store.shards[shard].len());
        for (index, form) in std::mem::take(&mut *lock(forms)).into_iter().enumerate() {
            let bytes = store.pair(StoredId::new(shard, index));
            found.push(match form {
                Some(form) => form,
                None => lazy.complete(|product| {
                    exact_form(product, exact, &bytes, &mut pair, &mut scratch)
                })?,
            });
        }
        complete.push(found);
    }
    Ok(CountedOrbits::Known(tally(&lazy.packer, store, &complete)))
}

/// Counts equal forms.
fn tally(packer: &Packer, store: &StateStore, forms: &[Vec<ExactForm>]) -> StoredOrbits {
    let mut known: Map<&[u8], (StoredId, usize)> = Map::default();
    let mut found = StoredOrbits {
        orbits: 0,
        most: 0,
        is_certain: true,
        doubled: None,
    };
    let is_same = |a: StoredId, b: StoredId| {
        packer.without_node(&store.pair(a)) == packer.without_node(&store.pair(b))
    };
    for id in by_depth(store) {
        let (form, is_certain) = &forms[id.shard()][id.index()];
        found.is_certain &= is_certain;
        let (first, count) = known.entry(form).or_insert((id, 0));
        *count += 1;
        found.most = found.most.max(*count);
        let is_reached = store.parent(id) != UNREACHED;
        if found.doubled.is_none() && is_reached && !is_same(*first, id) {
            found.doubled = Some((*first, id));
        }
    }
    found.orbits = known.len();
    found
}

/// All stored pairs, in order of depth.
fn by_depth(store: &StateStore) -> Vec<StoredId> {
    const UNKNOWN: u32 = u32::MAX;
    let mut depths: Vec<Vec<u32>> = (store.shards.iter())
        .map(|shard| vec![UNKNOWN; shard.len()])
        .collect();
    let mut all = Vec::with_capacity(store.len());
    let mut path = Vec::new();
    for (shard, states) in store.shards.iter().enumerate() {
        for index in 0..states.len() {
            let id = StoredId::new(shard, index);
            // Up to one of known depth, or to the initial one, and back again.
            let mut at = id;
            while at != NO_STATE && at != UNREACHED && depths[at.shard()][at.index()] == UNKNOWN {
                path.push(at);
                at = store.parent(at);
            }
            let mut depth = match at {
                // States stored beside others come last: no path leads to them.
                UNREACHED => UNKNOWN - 1,
                NO_STATE => 0,
                at => depths[at.shard()][at.index()] + 1,
            };
            while let Some(at) = path.pop() {
                depths[at.shard()][at.index()] = depth;
                depth += 1;
            }
            all.push(id);
        }
    }
    all.sort_by_key(|id| (depths[id.shard()][id.index()], *id));
    all
}
