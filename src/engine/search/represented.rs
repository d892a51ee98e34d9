//! Number of states and transitions of the unreduced system that a reduced search represents.
//!
//! By the orbit-stabiliser theorem a pair represents `|G| / |Stab(p, q)|` pairs, each with as many transitions as it
//! has itself. The sum is exact if every orbit is stored once, which the strategy guarantees by giving the order of the
//! stabiliser.

use std::sync::Mutex;

use super::disk_store::DiskStore;
use super::distributed::Distributed;
use super::distributed::ending::{Done, RoundEnd, garbled, put_end, unless_ended};
pub use super::figures::{Counted, Represented};
use super::on_disk::failed;
use super::product::{Product, ProductMiss, ProductScratch, ProductState};
use super::store::{SHARDS, StateStore, StoredId, UNREACHED};
use crate::mesh::words::{Words, put, put_bytes};
use crate::search::breadth_first::{LazyProduct, Search, SearchControl};
use crate::source::threads::{in_parallel, lock};
use num_bigint::BigUint;

use crate::machine::FormatId;
use crate::machine::order::Order;
use crate::source::Stop;
use crate::source::diagnostic::Result;
use crate::source::hash::{IndexMap, Set};
use crate::spill::SpillError;

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
const SAMPLE_MIN: usize = 4;

/// Statistics of a sample of orbits.
#[derive(Clone, Debug, Default)]
pub struct SomeOrbits {
    /// Their sizes, where these are known.
    pub sizes: Vec<Option<f64>>,
    /// The order of the group: no orbit is larger.
    pub order: f64,
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
    let (mut sizes, mut order, mut leaves) = (Vec::new(), 1.0, 0);
    let work = |scratch: &ProductScratch| scratch.keeping.representative.structural.work();
    for id in store.reached().step_by(every) {
        if sizes.len() >= SAMPLE_MIN && work(&scratch) > SAMPLE_WORK {
            break;
        }
        let one = lazy
            .complete(|product| represented(product, &store.pair(id), &mut pair, &mut scratch))?;
        leaves += scratch.keeping.representative.leaves;
        sizes.push(
            one.map(|((whole, stabiliser), _)| {
                approximate(&(whole.to_big() / stabiliser.to_big()))
            }),
        );
        let product = lazy.product();
        if product.strategy.is_some() {
            let whole = product.whole_order(product.network.format(FormatId(pair.format)));
            order = approximate(&whole.to_big());
        }
    }
    let each = |sum: f64| sum / sizes.len().max(1) as f64;
    Ok(SomeOrbits {
        work: each(work(&scratch) as f64),
        leaves: each(leaves as f64),
        sizes,
        order,
    })
}

/// A number as a float.
fn approximate(number: &BigUint) -> f64 {
    let shift = number.bits().saturating_sub(64);
    let leading = u64::try_from(number >> shift).unwrap_or(u64::MAX);
    (leading as f64 * 2_f64.powf(shift as f64)).min(f64::MAX)
}

/// Counts the states that stored pairs represent under the present strategy, which may take several of them to one: each
/// representative counts once.
///
/// # Errors
/// As [`count`].
pub fn count_distinct(
    lazy: &mut LazyProduct<'_>,
    search: &Search,
    control: &SearchControl<'_>,
) -> Result<Counted> {
    match &search.disk {
        Some(disk) => distinct_of(lazy, &disk.store, control),
        None => distinct_of(lazy, &search.store, control),
    }
}

fn distinct_of(
    lazy: &mut LazyProduct<'_>,
    store: &impl StoredStates,
    control: &SearchControl<'_>,
) -> Result<Counted> {
    let (mut pair, mut scratch) = (ProductState::default(), ProductScratch::default());
    let (mut sum, mut met, mut key) = (Tally::default(), Set::<Box<[u8]>>::default(), Vec::new());
    let (mut ended, mut number) = (None, 0);
    for shard in 0..SHARDS {
        let read = store.each(shard, &mut |id, bytes| {
            if !store.is_reached(id) {
                return true;
            }
            let held = store.bytes() + met.len() * (key.len() + size_of::<Box<[u8]>>());
            number += 1;
            if (number - 1) % POLL_EVERY == 0
                && let Some(stop) = control.limits.reached(control.cancel, held)
            {
                ended = Some(Ok(Counted::Stopped(stop)));
                return false;
            }
            let one = lazy.complete(|product| {
                let weight = represented(product, bytes, &mut pair, &mut scratch)?;
                let found = &scratch.keeping.representative;
                let node = found.structural.node;
                key.clear();
                product.pack(node, FormatId(pair.format), &found.locals, &mut key);
                Ok::<_, ProductMiss>(weight)
            });
            match one {
                Ok(Some((orders, transitions))) => {
                    if met.insert(key.as_slice().into()) {
                        sum.add(orders, (1, transitions));
                    }
                }
                Ok(None) => ended = Some(Ok(Counted::Unknown)),
                Err(error) => ended = Some(Err(error)),
            }
            ended.is_none()
        });
        read.map_err(|error| failed(&error))?;
        if let Some(ended) = ended {
            return ended;
        }
    }
    Ok(Counted::Exactly(sum.sum()))
}

/// States between two polls of the limits.
const POLL_EVERY: usize = 1024;

/// The states of a finished search, wherever they are.
pub(in crate::search) trait StoredStates: Sync {
    /// Calls `each` with the states of a shard and their bytes, by index, until it returns false.
    fn each(
        &self,
        shard: usize,
        each: &mut impl FnMut(StoredId, &[u8]) -> bool,
    ) -> std::result::Result<(), SpillError>;

    /// Whether a state was reached, and is not only stored beside others.
    fn is_reached(&self, _: StoredId) -> bool {
        true
    }

    /// Bytes of main memory.
    fn bytes(&self) -> usize;
}

impl StoredStates for StateStore {
    fn each(
        &self,
        shard: usize,
        each: &mut impl FnMut(StoredId, &[u8]) -> bool,
    ) -> std::result::Result<(), SpillError> {
        let mut ids = (0..self.shards[shard].len()).map(|index| StoredId::new(shard, index));
        // Nothing else is done with the last one.
        let _ = ids.all(|id| each(id, &self.pair(id)));
        Ok(())
    }

    fn is_reached(&self, id: StoredId) -> bool {
        self.parent(id) != UNREACHED
    }

    fn bytes(&self) -> usize {
        self.heap_bytes()
    }
}

impl StoredStates for DiskStore {
    fn each(
        &self,
        shard: usize,
        each: &mut impl FnMut(StoredId, &[u8]) -> bool,
    ) -> std::result::Result<(), SpillError> {
        self.each_state(shard, each)
    }

    fn bytes(&self) -> usize {
        self.heap_bytes()
    }
}

/// Counts the states that all stored pairs represent.
///
/// # Errors
/// An evaluation error, of a state that the search expanded without one; a disk that cannot be read.
pub fn count(
    lazy: &mut LazyProduct<'_>,
    search: &Search,
    control: &SearchControl<'_>,
) -> Result<Counted> {
    match &search.disk {
        Some(disk) => count_all(lazy, &disk.store, control),
        None => count_all(lazy, &search.store, control),
    }
}

// In one piece: the threads write to the variables around them.
fn count_all(
    lazy: &mut LazyProduct<'_>,
    store: &impl StoredStates,
    control: &SearchControl<'_>,
) -> Result<Counted> {
    let ended: Mutex<Option<CountEnd>> = Mutex::default();
    let held = store.bytes();
    let sum = Mutex::new(Some(Tally::default()));
    let missed: Mutex<Vec<Vec<u8>>> = Mutex::default();
    let product = lazy.product();
    in_parallel(
        control.threads,
        SHARDS,
        || (ProductState::default(), ProductScratch::default()),
        |(pair, scratch), shard| {
            let mut part = Some(Tally::default());
            let mut number = 0;
            let read = store.each(shard, &mut |_, bytes| {
                if number % POLL_EVERY == 0 {
                    let stop = control.limits.reached(control.cancel, held);
                    let mut ended = lock(&ended);
                    // Also if another thread reached the limit.
                    *ended = ended.take().or(stop.map(CountEnd::Stopped));
                    if ended.is_some() {
                        return false;
                    }
                }
                number += 1;
                match represented(&product, bytes, pair, scratch) {
                    Ok(Some((orders, transitions))) => {
                        if let Some(part) = &mut part {
                            part.add(orders, (1, transitions));
                        }
                    }
                    // A sum with an unknown term is unknown.
                    Ok(None) => part = None,
                    // Tables are read-only here; missing entries are filled in after the threads.
                    Err(_) => lock(&missed).push(bytes.to_vec()),
                }
                true
            });
            if let Err(error) = read {
                *lock(&ended) = Some(CountEnd::Failed(error));
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
    match lock(&ended).take() {
        Some(CountEnd::Stopped(stop)) => return Ok(Counted::Stopped(stop)),
        Some(CountEnd::Failed(error)) => return Err(failed(&error)),
        None => {}
    }
    let mut sum = lock(&sum).take();
    // In the order of threads, which does not affect a sum.
    let missed = std::mem::take(&mut *lock(&missed));
    let (mut pair, mut scratch) = (ProductState::default(), ProductScratch::default());
    for bytes in missed {
        let one = lazy.complete(|product| represented(product, &bytes, &mut pair, &mut scratch))?;
        sum = sum.zip(one).map(|(mut sum, (orders, transitions))| {
            sum.add(orders, (1, transitions));
            sum
        });
    }
    Ok(sum.map_or(Counted::Unknown, |tally| Counted::Exactly(tally.sum())))
}

/// Counts the states that those of all processes represent; `store` has those of this one.
pub(in crate::search) fn count_shared(
    lazy: &mut LazyProduct<'_>,
    store: &impl StoredStates,
    others: &Distributed,
    control: &SearchControl<'_>,
) -> Done<Counted> {
    const UNKNOWN: u64 = 0;
    const STOPPED: u64 = 1;
    const EXACTLY: u64 = 2;
    let own = count_all(lazy, store, control).map_err(RoundEnd::from);
    let mut message = Vec::new();
    put_end(&mut message, own.as_ref().err());
    match &own {
        Ok(Counted::Exactly(Represented {
            states,
            transitions,
        })) => {
            put(&mut message, EXACTLY);
            put_bytes(&mut message, &states.to_bytes_le());
            put_bytes(&mut message, &transitions.to_bytes_le());
        }
        Ok(Counted::Stopped(stop)) => {
            put(&mut message, STOPPED);
            put(&mut message, u64::from(stop.number()));
        }
        Ok(Counted::Unknown) | Err(_) => put(&mut message, UNKNOWN),
    }
    let told = others.tell_all(&message)?;
    let mut all: Vec<Words<'_>> = told.iter().map(|message| Words(message)).collect();
    unless_ended(&mut all, (others, own.err()))?;
    let (mut sum, mut stopped, mut is_known) = (Represented::default(), None, true);
    for (process, words) in all.iter_mut().enumerate() {
        let missing = || garbled(process);
        match words.number().ok_or_else(missing)? {
            EXACTLY => {
                let parts = words.bytes().zip(words.bytes());
                let (states, transitions) = parts.ok_or_else(missing)?;
                sum.states += BigUint::from_bytes_le(states);
                sum.transitions += BigUint::from_bytes_le(transitions);
            }
            STOPPED => stopped = Some(Stop::numbered(words.number().ok_or_else(missing)? as u16)),
            _ => is_known = false,
        }
    }
    Ok(match (stopped, is_known) {
        (Some(stop), _) => Counted::Stopped(stop),
        (None, true) => Counted::Exactly(sum),
        (None, false) => Counted::Unknown,
    })
}

/// Why a count ended early.
enum CountEnd {
    Stopped(Stop),
    Failed(SpillError),
}
