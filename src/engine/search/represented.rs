//! Number of states and transitions of the unreduced system that a reduced search represents.
//!
//! By the orbit-stabiliser theorem a pair represents `|G| / |Stab(p, q)|` pairs, each with as many transitions as it
//! has itself. The sum is exact if every orbit is stored once, which the strategy guarantees by giving the order of the
//! stabiliser.

use std::sync::Mutex;

use super::product::{Product, ProductMiss, ProductScratch, ProductState};
use super::store::{SHARDS, StateStore, StoredId};
use crate::search::breadth_first::{LazyProduct, SearchControl};
use crate::source::threads::{in_parallel, lock};
use num_bigint::BigUint;

use crate::machine::FormatId;
use crate::machine::order::Order;
use crate::source::Stop;
use crate::source::diagnostic::Result;
use crate::source::hash::{IndexMap, Set};

/// States and transitions of the unreduced system.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Represented {
    /// Pairs `(p, q)`.
    pub states: BigUint,
    /// Transitions.
    pub transitions: BigUint,
}

/// Counts of stored pairs and their transitions, for each order of a group and of a stabiliser in it. There are few
/// such orders, so big numbers are added only at the end.
#[derive(Clone, Debug, Default)]
struct Tally(IndexMap<(Order, Order), (u64, u64)>);

impl Tally {
    fn add(&mut self, orders: (Order, Order), (states, transitions): (u64, u64)) {
        let entry = self.0.entry(orders).or_default();
        entry.0 += states;
        entry.1 += transitions;
    }

    fn sum(&self) -> Represented {
        let mut sum = Represented::default();
        for ((whole, stabiliser), (states, transitions)) in &self.0 {
            // The order of a subgroup divides that of the group (Lagrange).
            let orbit = whole.to_big() / stabiliser.to_big();
            sum.states += &orbit * *states;
            sum.transitions += &orbit * *transitions;
        }
        sum
    }
}

/// The orders of a group and of a stabiliser in it, and the number of transitions.
type Weight = ((Order, Order), u64);

/// The weight of one stored pair. `None` if the strategy does not know the stabiliser.
fn represented(
    product: &Product<'_>,
    bytes: &[u8],
    pair: &mut ProductState,
    scratch: &mut ProductScratch,
) -> std::result::Result<Option<Weight>, ProductMiss> {
    product.unpack(bytes, pair);
    let transitions = u64::from(product.out_degree(pair, scratch)?);
    // Without reduction a pair represents itself.
    if product.strategy.is_none() {
        return Ok(Some(((Order::ONE, Order::ONE), transitions)));
    }
    let out = &mut scratch.keeping.representative;
    // Strategies compute the stabiliser only on request.
    out.counting = true;
    product.representative(pair.node, FormatId(pair.format), &pair.locals, out)?;
    let format = product.network.format(FormatId(pair.format));
    let whole = product.whole_order(format);
    let stabiliser = out.stabiliser.take();
    Ok(stabiliser.map(|stabiliser| ((whole, stabiliser), transitions)))
}

/// Size of a sample of states for the sizes of orbits.
const SAMPLE: usize = 256;
/// Steps of work on representatives after which a smaller sample is enough.
const SAMPLE_WORK: u64 = 2_000_000;
/// The smallest sample.
const SAMPLE_MIN: u32 = 4;

/// Statistics of a sample of orbits.
#[derive(Clone, Debug, Default)]
pub struct SomeOrbits {
    /// Their sizes; empty if one of them is unknown.
    pub sizes: Vec<f64>,
    /// Steps of work for a representative under a structural group.
    pub work: f64,
    /// Leaves of the search for one under permutations of values.
    pub leaves: f64,
}

/// Samples the orbits of stored states, evenly spread over the store.
///
/// # Errors
/// An evaluation error.
pub fn some_orbits(lazy: &mut LazyProduct<'_>, store: &StateStore) -> Result<SomeOrbits> {
    let (mut pair, mut scratch) = (ProductState::default(), ProductScratch::default());
    let every = (store.len() / SAMPLE).max(1);
    let (mut sizes, mut known, mut looked, mut leaves) = (Vec::new(), true, 0_u32, 0);
    let work = |scratch: &ProductScratch| scratch.keeping.representative.structural.work();
    for id in store.reached().step_by(every) {
        if looked >= SAMPLE_MIN && work(&scratch) > SAMPLE_WORK {
            break;
        }
        let one = lazy
            .complete(|product| represented(product, &store.pair(id), &mut pair, &mut scratch))?;
        looked += 1;
        leaves += scratch.keeping.representative.leaves;
        let Some(((whole, stabiliser), _)) = one else {
            known = false;
            continue;
        };
        let orbit = whole.to_big() / stabiliser.to_big();
        // Larger than any search.
        sizes.push(u64::try_from(&orbit).map_or(f64::MAX, |size| size as f64));
    }
    sizes.retain(|_| known);
    let each = |sum: f64| sum / f64::from(looked.max(1));
    Ok(SomeOrbits {
        sizes,
        work: each(work(&scratch) as f64),
        leaves: each(leaves as f64),
    })
}

/// The result of counting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Counted {
    /// The sum over all stored pairs.
    Exactly(Represented),
    /// Some stabiliser is unknown.
    Unknown,
    /// A limit or a cancellation.
    Stopped(Stop),
}

/// Counts the states that stored pairs represent under the present strategy, which may take several of them to one: each
/// representative counts once.
///
/// # Errors
/// As [`count`].
pub fn count_distinct(
    lazy: &mut LazyProduct<'_>,
    store: &StateStore,
    control: &SearchControl<'_>,
) -> Result<Counted> {
    let (mut pair, mut scratch) = (ProductState::default(), ProductScratch::default());
    let (mut sum, mut met, mut key) = (Tally::default(), Set::<Box<[u8]>>::default(), Vec::new());
    for (number, id) in store.reached().enumerate() {
        let held = store.heap_bytes() + met.len() * (key.len() + size_of::<Box<[u8]>>());
        if number % POLL_EVERY == 0
            && let Some(stop) = control.limits.reached(control.cancel, held)
        {
            return Ok(Counted::Stopped(stop));
        }
        let one = lazy.complete(|product| {
            let weight = represented(product, &store.pair(id), &mut pair, &mut scratch)?;
            let found = &scratch.keeping.representative;
            let node = found.structural.node;
            key.clear();
            product.pack(node, FormatId(pair.format), &found.locals, &mut key);
            Ok::<_, ProductMiss>(weight)
        })?;
        let Some((orders, transitions)) = one else {
            return Ok(Counted::Unknown);
        };
        if met.insert(key.as_slice().into()) {
            sum.add(orders, (1, transitions));
        }
    }
    Ok(Counted::Exactly(sum.sum()))
}

/// States between two polls of the limits.
const POLL_EVERY: usize = 1024;

/// Counts the states that all stored pairs represent.
///
/// # Errors
/// An evaluation error, of a state that the search expanded without one.
// In one piece: the threads write to the variables around them.
pub fn count(
    lazy: &mut LazyProduct<'_>,
    store: &StateStore,
    control: &SearchControl<'_>,
) -> Result<Counted> {
    let stopped: Mutex<Option<Stop>> = Mutex::default();
    let held = store.heap_bytes();
    let sum = Mutex::new(Some(Tally::default()));
    let missed: Mutex<Vec<StoredId>> = Mutex::default();
    let product = lazy.product();
    in_parallel(
        control.threads,
        SHARDS,
        || (ProductState::default(), ProductScratch::default()),
        |(pair, scratch), shard| {
            let mut part = Some(Tally::default());
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
                let id = StoredId::new(shard, index);
                match represented(&product, &store.pair(id), pair, scratch) {
                    Ok(Some((orders, transitions))) => {
                        if let Some(part) = &mut part {
                            part.add(orders, (1, transitions));
                        }
                    }
                    // A sum with an unknown term is unknown.
                    Ok(None) => part = None,
                    // Tables are read-only here; missing entries are filled in after the threads.
                    Err(_) => lock(&missed).push(id),
                }
            }
            // Once for each shard: until here the thread has its own sum.
            let mut sum = lock(&sum);
            *sum = sum.take().zip(part).map(|(mut sum, part)| {
                for (orders, counts) in part.0 {
                    sum.add(orders, counts);
                }
                sum
            });
        },
    );
    if let Some(stop) = *lock(&stopped) {
        return Ok(Counted::Stopped(stop));
    }
    let mut sum = lock(&sum).take();
    // In the order of threads, which does not affect a sum.
    let missed = std::mem::take(&mut *lock(&missed));
    let (mut pair, mut scratch) = (ProductState::default(), ProductScratch::default());
    for id in missed {
        let one = lazy
            .complete(|product| represented(product, &store.pair(id), &mut pair, &mut scratch))?;
        sum = sum.zip(one).map(|(mut sum, (orders, transitions))| {
            sum.add(orders, (1, transitions));
            sum
        });
    }
    Ok(sum.map_or(Counted::Unknown, |tally| Counted::Exactly(tally.sum())))
}
