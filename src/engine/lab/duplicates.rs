//! How many orbits the stored pairs of a search are of, and how many pairs stand for the same one.
//!
//! A strategy that gives one orbit several representatives makes a search keep several pairs where one
//! would do. Afterwards each stored pair is taken to its exact form, which is the same for all pairs of an
//! orbit; pairs with one form are of one orbit, since a form is an image of the pair. The other direction
//! rests on `exact` (or, under a group that was found in the structure, on its least images) being certain: where
//! it gave up, or where the state of the specification is a set of values, pairs of one orbit may have got
//! several forms, and then the number of orbits is an upper bound.

use std::sync::Mutex;

use crate::machine::FormatId;
use crate::machine::pack::Packer;
use crate::search::breadth_first::{SearchControl, Sides};
use crate::search::product::{Product, ProductMiss, ProductScratch, ProductState};
use crate::search::store::{BESIDE, NO_STATE, SHARDS, StateStore, StoredId};
use crate::source::Stop;
use crate::source::diagnostic::Result;
use crate::source::hash::Map;
use crate::source::threads::{in_parallel, lock};
use crate::symmetry::exact::Exact;
use crate::symmetry::strategy::Strategy;
use crate::symmetry::structural::StructuralGroup;

/// Stored pairs of which the orbits are counted at most: each takes its exact form in memory.
pub const PAIRS_MAX: usize = 1_000_000;

/// Pairs between two looks at the limits.
const POLL_EVERY: usize = 256;

/// The orbits of stored pairs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoredOrbits {
    /// How many there are.
    pub orbits: usize,
    /// Pairs stored of the orbit of which most are.
    pub most: usize,
    /// Whether that is certain: otherwise there may be fewer orbits, with more pairs each.
    pub is_certain: bool,
    /// The first pair of which an earlier one has the same orbit and another state of the
    /// implementation; the earlier one stands first. The order is that of the fewest steps, then that of
    /// the store.
    pub doubled: Option<(StoredId, StoredId)>,
}

/// What counting orbits came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CountedOrbits {
    /// They were counted.
    Known(StoredOrbits),
    /// There are more than [`PAIRS_MAX`] pairs.
    TooMany,
    /// A limit or a cancellation.
    Stopped(Stop),
}

/// The exact form of a pair, and whether all pairs of the orbit are certain to have it.
type ExactForm = (Box<[u8]>, bool);

/// Takes a stored pair to its exact form.
fn exact_form(
    (product, exact): (&Product<'_>, &dyn Strategy),
    bytes: &[u8],
    pair: &mut ProductState,
    scratch: &mut ProductScratch,
) -> std::result::Result<ExactForm, ProductMiss> {
    // Whatever strategy the pair was stored by.
    let product = Product {
        strategy: Some(exact),
        ..*product
    };
    product.unpack(bytes, pair);
    let format = FormatId(pair.format);
    let out = &mut scratch.keeping.representative;
    // What tells the order of the stabiliser is certain of the form, too.
    out.counting = true;
    out.stabiliser = None;
    let node = product.representative(pair.node, format, &pair.locals, out)?;
    let mut form = Vec::with_capacity(bytes.len());
    product.pack(node, format, &out.locals, &mut form);
    // States of other formats are longer or shorter, and the store fills up with zeros: they mean nothing.
    let length = form.iter().rposition(|b| *b != 0).map_or(0, |at| at + 1);
    form.truncate(length);
    Ok((form.into(), out.stabiliser.is_some()))
}

/// What finds the exact forms where pairs are reduced by a group that was found in the structure.
pub(super) fn certain_group(sides: &Sides<'_>) -> Option<StructuralGroup> {
    let group = sides.strategy.and_then(Strategy::structure);
    group.map(StructuralGroup::certain)
}

/// Counts the orbits of all stored pairs.
///
/// # Errors
/// An evaluation error: of no state that was searched without one.
pub fn count_orbits(
    sides: &mut Sides<'_>,
    store: &StateStore,
    control: &SearchControl<'_>,
) -> Result<CountedOrbits> {
    if store.len() > PAIRS_MAX {
        return Ok(CountedOrbits::TooMany);
    }
    let stopped: Mutex<Option<Stop>> = Mutex::default();
    let held = store.heap_bytes();
    // One a shard, each filled by the one thread that takes the shard.
    let forms: Vec<Mutex<Vec<Option<ExactForm>>>> = (0..SHARDS).map(|_| Mutex::default()).collect();
    let by_structure = certain_group(sides);
    let exact: &dyn Strategy = match &by_structure {
        Some(group) => group,
        None => &Exact,
    };
    let product = sides.product();
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
                    // Also if it was another thread that found the limit reached.
                    *stopped = stopped.or(stop);
                    if stopped.is_some() {
                        return;
                    }
                }
                let bytes = store.pair(StoredId::new(shard, index));
                // The tables are only read here; what they lack comes after the threads.
                found.push(exact_form((&product, exact), &bytes, pair, scratch).ok());
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
                None => sides.complete(|product| {
                    exact_form((product, exact), &bytes, &mut pair, &mut scratch)
                })?,
            });
        }
        complete.push(found);
    }
    Ok(CountedOrbits::Known(tally(&sides.packer, store, &complete)))
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
        let is_reached = store.parent(id) != BESIDE;
        if found.doubled.is_none() && is_reached && !is_same(*first, id) {
            found.doubled = Some((*first, id));
        }
    }
    found.orbits = known.len();
    found
}

/// All stored pairs, those that were reached in the fewest steps first.
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
            // Up to one whose depth is known, or to the first of all, and back again.
            let mut at = id;
            while at != NO_STATE && at != BESIDE && depths[at.shard()][at.index()] == UNKNOWN {
                path.push(at);
                at = store.parent(at);
            }
            let mut depth = match at {
                // What is only remembered comes last: nothing leads there.
                BESIDE => UNKNOWN - 1,
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
