//! How many states and transitions of the unreduced system a reduced search stands for.
//!
//! By the orbit-stabiliser theorem a pair stands for `|G| / |Stab(p, q)|` pairs, each with as many
//! transitions as it has itself. The sum is exact if every orbit is stored once, which the strategy
//! has to promise by telling the order of the stabiliser.

use std::sync::Mutex;

use super::product::{Product, ProductMiss, ProductScratch, ProductState};
use super::store::{SHARDS, StateStore, StoredId};
use crate::search::breadth_first::{SearchControl, Sides};
use crate::source::threads::{in_parallel, lock};
use num_bigint::BigUint;

use crate::machine::FormatId;
use crate::machine::order::Order;
use crate::source::Stop;
use crate::source::diagnostic::Result;
use crate::source::hash::IndexMap;

/// States and transitions of the unreduced system.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Represented {
    /// Pairs `(p, q)`.
    pub states: BigUint,
    /// Transitions.
    pub transitions: BigUint,
}

/// Stored pairs and their transitions, for each order of a group and of a stabiliser in it. There are
/// few of these, so no number of the size of the group is ever added up.
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
            // The order of a subgroup divides that of the group: nothing is lost.
            let orbit = whole.to_big() / stabiliser.to_big();
            sum.states += &orbit * *states;
            sum.transitions += &orbit * *transitions;
        }
        sum
    }
}

/// The orders of a group and of a stabiliser in it, and how many transitions there are.
type Weight = ((Order, Order), u64);

/// What one stored pair stands for: the orders of the group and of its stabiliser, and how many
/// transitions it has. `None` if the strategy cannot tell.
fn represented(
    product: &Product<'_>,
    bytes: &[u8],
    pair: &mut ProductState,
    scratch: &mut ProductScratch,
) -> std::result::Result<Option<Weight>, ProductMiss> {
    product.unpack(bytes, pair);
    let transitions = u64::from(product.out_degree(pair, scratch)?);
    // Nothing was reduced: a pair stands for itself.
    if product.strategy.is_none() {
        return Ok(Some(((Order::ONE, Order::ONE), transitions)));
    }
    let out = &mut scratch.keeping.representative;
    // Strategies work out the stabiliser only where they are asked to.
    out.counting = true;
    product.representative(pair.node, FormatId(pair.format), &pair.locals, out)?;
    let format = product.network.format(FormatId(pair.format));
    let whole = product.whole_order(format);
    let stabiliser = out.stabiliser.take();
    Ok(stabiliser.map(|stabiliser| ((whole, stabiliser), transitions)))
}

/// States whose orbits are looked at to see how large orbits are.
const SAMPLE: usize = 256;
/// Fewer are enough where it took so many steps of work to find their representatives.
const SAMPLE_WORK: u64 = 2_000_000;
/// But so many are looked at.
const SAMPLE_MIN: usize = 4;

/// What some orbits are like.
#[derive(Clone, Debug, Default)]
pub struct SomeOrbits {
    /// How many states they have; nothing if that is not known of one of them.
    pub sizes: Vec<f64>,
    /// Steps of work that it takes to find a representative.
    pub work: f64,
}

/// The orbits of some stored states, so many at most, evenly spread over the store.
///
/// # Errors
/// An evaluation error.
pub fn some_orbits(sides: &mut Sides<'_>, store: &StateStore) -> Result<SomeOrbits> {
    let (mut pair, mut scratch) = (ProductState::default(), ProductScratch::default());
    let every = (store.len() / SAMPLE).max(1);
    let (mut sizes, mut known, mut looked) = (Vec::new(), true, 0);
    let work = |scratch: &ProductScratch| scratch.keeping.representative.structural.work();
    for id in store.reached().step_by(every) {
        if looked >= SAMPLE_MIN && work(&scratch) > SAMPLE_WORK {
            break;
        }
        let one = sides
            .complete(|product| represented(product, &store.pair(id), &mut pair, &mut scratch))?;
        looked += 1;
        let Some(((whole, stabiliser), _)) = one else {
            known = false;
            continue;
        };
        let orbit = whole.to_big() / stabiliser.to_big();
        // Larger than any number of states that is searched.
        sizes.push(u64::try_from(&orbit).map_or(f64::MAX, |size| size as f64));
    }
    sizes.retain(|_| known);
    let work = work(&scratch) as f64 / looked.max(1) as f64;
    Ok(SomeOrbits { sizes, work })
}

/// What counting came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Counted {
    /// The sum over all stored pairs.
    Exactly(Represented),
    /// A stabiliser is not known.
    Unknown,
    /// A limit or a cancellation.
    Stopped(Stop),
}

/// States counted between two looks at the limits.
const POLL_EVERY: usize = 1024;

/// Counts what all stored pairs stand for.
///
/// # Errors
/// An evaluation error: of no state that was searched without one.
// In one piece: the threads write to what is made around them.
pub fn count(
    sides: &mut Sides<'_>,
    store: &StateStore,
    control: &SearchControl<'_>,
) -> Result<Counted> {
    let stopped: Mutex<Option<Stop>> = Mutex::default();
    let held = store.heap_bytes();
    let sum = Mutex::new(Some(Tally::default()));
    let missed: Mutex<Vec<StoredId>> = Mutex::default();
    let product = sides.product();
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
                    // Also if it was another thread that found the limit reached.
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
                    // A sum in which one is unknown is unknown.
                    Ok(None) => part = None,
                    // The tables are only read here; what they lack comes after the threads.
                    Err(_) => lock(&missed).push(id),
                }
            }
            // Once a shard: so far the thread has added up by itself.
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
    // In the order of the threads, which does not matter to a sum.
    let missed = std::mem::take(&mut *lock(&missed));
    let (mut pair, mut scratch) = (ProductState::default(), ProductScratch::default());
    for id in missed {
        let one = sides
            .complete(|product| represented(product, &store.pair(id), &mut pair, &mut scratch))?;
        sum = sum.zip(one).map(|(mut sum, (orders, transitions))| {
            sum.add(orders, (1, transitions));
            sum
        });
    }
    Ok(sum.map_or(Counted::Unknown, |tally| Counted::Exactly(tally.sum())))
}
