//! Divergence: a cycle of τ among the stored states.
//!
//! A state diverges iff its representative reaches a cycle of τ in the *reduced* graph: a cycle of the
//! real graph maps to one of the reduced graph; and a reduced cycle of length k lifts to a real path
//! from q to π(q), whose images under π, π², … close up because the group is finite.

use super::product::{ProductMiss, Worker};
use super::search::{Sides, Stop};
use super::store::{SHARDS, StateId, Store};
use crate::machine::EventId;
use crate::source::diagnostic::Result;
use crate::source::{Cancel, Limits};

/// What the search for a cycle came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cycles {
    /// There is none.
    None,
    /// The states of one, in order; the first follows the last.
    Found(Vec<StateId>),
    /// A limit or a cancellation.
    Stopped(Stop),
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Mark {
    New,
    Open,
    Done,
}

/// Looks for a cycle of τ by depth-first search over all stored states.
///
/// # Errors
/// An evaluation error.
pub fn find_cycle(
    sides: &mut Sides<'_>,
    store: &Store,
    limits: &Limits,
    cancel: &Cancel,
) -> Result<Cycles> {
    let mut marks: Vec<Vec<Mark>> = store
        .shards
        .iter()
        .map(|s| vec![Mark::New; s.len()])
        .collect();
    let mut worker = Worker::default();
    for shard in 0..SHARDS {
        for index in 0..store.shards[shard].len() {
            if marks[shard][index] != Mark::New {
                continue;
            }
            let root = StateId::new(shard, index);
            let mut stack = vec![(root, tau_successors(sides, store, root, &mut worker)?, 0)];
            marks[shard][index] = Mark::Open;
            let mut steps = 0u32;
            while let Some((state, successors, at)) = stack.last_mut() {
                let Some(next) = successors.get(*at).copied() else {
                    marks[state.shard()][state.index()] = Mark::Done;
                    stack.pop();
                    continue;
                };
                *at += 1;
                match marks[next.shard()][next.index()] {
                    Mark::Done => {}
                    Mark::Open => {
                        let from = stack.iter().position(|entry| entry.0 == next).unwrap_or(0);
                        return Ok(Cycles::Found(
                            stack[from..].iter().map(|entry| entry.0).collect(),
                        ));
                    }
                    Mark::New => {
                        marks[next.shard()][next.index()] = Mark::Open;
                        let successors = tau_successors(sides, store, next, &mut worker)?;
                        stack.push((next, successors, 0));
                    }
                }
                steps += 1;
                if steps.is_multiple_of(1024)
                    && let Some(stop) = stop(limits, cancel)
                {
                    return Ok(Cycles::Stopped(stop));
                }
            }
        }
    }
    Ok(Cycles::None)
}

fn stop(limits: &Limits, cancel: &Cancel) -> Option<Stop> {
    if cancel.is_cancelled() {
        return Some(Stop::Cancelled);
    }
    limits
        .deadline
        .is_some_and(|d| std::time::Instant::now() >= d)
        .then_some(Stop::Time)
}

fn tau_successors(
    sides: &mut Sides<'_>,
    store: &Store,
    state: StateId,
    worker: &mut Worker,
) -> Result<Vec<StateId>> {
    sides.complete(|product| {
        let mut found = Vec::new();
        product.expand(store.state(state), worker, |event, bytes| {
            if event == EventId::TAU
                && let Some(next) = bytes.and_then(|bytes| store.find(bytes))
            {
                found.push(next);
            }
            Ok(())
        })?;
        Ok::<_, ProductMiss>(found)
    })
}
