//! How many states and transitions of the unreduced system a reduced search stands for.
//!
//! By the orbit-stabiliser theorem a pair stands for `|G| / |Stab(p, q)|` pairs, each with as many
//! transitions as it has itself. The sum is exact if every orbit is stored once, which the strategy
//! has to promise by telling the order of the stabiliser.

use std::sync::Mutex;

use super::product::{Pair, Product, ProductMiss, Worker};
use super::search::{Control, Sides, in_parallel, lock};
use super::store::{SHARDS, StateId, Store};
use crate::machine::FormatId;
use crate::source::Stop;
use crate::source::diagnostic::Result;
use crate::symmetry::permutation::group_order;

/// States and transitions of the unreduced system.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Represented {
    /// Pairs `(p, q)`.
    pub states: u128,
    /// Transitions.
    pub transitions: u128,
}

impl Represented {
    fn add(self, other: Self) -> Option<Self> {
        Some(Self {
            states: self.states.checked_add(other.states)?,
            transitions: self.transitions.checked_add(other.transitions)?,
        })
    }
}

/// What one stored pair stands for; `None` if the strategy cannot tell.
fn represented(
    product: &Product<'_>,
    bytes: &[u8],
    pair: &mut Pair,
    worker: &mut Worker,
) -> std::result::Result<Option<Represented>, ProductMiss> {
    product.unpack(bytes, pair);
    let transitions = u128::from(product.out_degree(pair, worker)?);
    if product.strategy.is_none() {
        return Ok(Some(Represented {
            states: 1,
            transitions,
        }));
    }
    let out = &mut worker.representative;
    product.representative(pair.node, FormatId(pair.format), &pair.locals, out)?;
    // Both saturate.
    let known = |order: &u128| *order != u128::MAX;
    let copies = &product.network.formats[pair.format as usize].copies;
    let order = group_order(product.atoms).saturating_mul(copies.order());
    let order = Some(order).filter(known);
    let stabiliser = out.stabiliser.filter(known);
    let states = order.zip(stabiliser).map(|(order, s)| order / s);
    Ok(states.and_then(|states| {
        Some(Represented {
            states,
            transitions: states.checked_mul(transitions)?,
        })
    }))
}

/// What counting came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counted {
    /// The sum over all stored pairs.
    Exactly(Represented),
    /// A stabiliser is not known, or the numbers are beyond 128 bits.
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
pub fn count(sides: &mut Sides<'_>, store: &Store, control: &Control<'_>) -> Result<Counted> {
    let stopped: Mutex<Option<Stop>> = Mutex::default();
    let held = store.heap_bytes();
    let sum = Mutex::new(Some(Represented::default()));
    let missed: Mutex<Vec<StateId>> = Mutex::default();
    let product = sides.product();
    in_parallel(
        control.threads,
        SHARDS,
        || (Pair::default(), Worker::default()),
        |(pair, worker), shard| {
            let mut part = Some(Represented::default());
            for index in 0..store.shards[shard].len() {
                if index % POLL_EVERY == 0 {
                    let stop = control.limits.reached(control.cancel, held);
                    let mut stopped = lock(&stopped);
                    *stopped = stopped.or(stop);
                    if stopped.is_some() {
                        return;
                    }
                }
                let id = StateId::new(shard, index);
                match represented(&product, store.state(id), pair, worker) {
                    Ok(one) => part = part.and_then(|sum| sum.add(one?)),
                    Err(_) => lock(&missed).push(id),
                }
            }
            let mut sum = lock(&sum);
            *sum = sum.and_then(|sum| sum.add(part?));
        },
    );
    if let Some(stop) = *lock(&stopped) {
        return Ok(Counted::Stopped(stop));
    }
    let mut sum = *lock(&sum);
    let missed = std::mem::take(&mut *lock(&missed));
    let (mut pair, mut worker) = (Pair::default(), Worker::default());
    for id in missed {
        let one = sides
            .complete(|product| represented(product, store.state(id), &mut pair, &mut worker))?;
        sum = sum.and_then(|sum| sum.add(one?));
    }
    Ok(sum.map_or(Counted::Unknown, Counted::Exactly))
}
