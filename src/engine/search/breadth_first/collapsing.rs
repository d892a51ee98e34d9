//! Collapsing of the keys of a search from some depth on ([`crate::search::store::collapse`]): the states so far are
//! stored anew, and the search goes on with them.

use super::{LazyProduct, OngoingSearch, SearchControl};
use crate::search::arrivals::{Arrivals, stretches};
use crate::search::chunk::{Chunk, RoundLimits};
use crate::search::store::{NO_STATE, SHARDS, Shard, StateStore, StoredId, UNREACHED};
use crate::search::storing::{ShardBuffers, store_shard};
use crate::source::threads::{in_parallel, lock};
use crate::source::{Cancel, Limits};
use std::sync::Mutex;

impl OngoingSearch {
    /// Collapses the keys, if that makes them shorter.
    pub(super) fn collapse(&mut self, lazy: &LazyProduct<'_>, control: &SearchControl<'_>) {
        self.savings.tried_to_collapse = true;
        // Keys have to be whole states of one length, so of one format.
        let layout = lazy.product().layout();
        let is_possible = lazy.network.is_fixed() && layout.pair == 0 && !lazy.enters_by_itself();
        // The old store is freed shard by shard, and takes more than the new one. The new places take four bytes a
        // state, and the batches of a shard some more.
        let held = self.store.heap_bytes();
        let has_room = control
            .limits
            .reached_with(control.cancel, held, held / 4)
            .is_none();
        let back = (is_possible && has_room).then(|| self.store.best_cut());
        let Some(back) = back.flatten() else {
            return;
        };
        let before = std::mem::replace(&mut self.store, StateStore::collapsed(layout, back));
        let moves = self.store_again(before, control.threads);
        let violating = self.violations.iter_mut().map(|v| &mut v.state);
        for id in self.depth.frontier.iter_mut().chain(violating) {
            *id = moved(&moves, *id);
        }
    }

    /// Stores all states in the same order, shard by shard. Returns the new id of each.
    fn store_again(&mut self, before: StateStore, threads: usize) -> Vec<Vec<StoredId>> {
        // Short, and the search could not go on with a part.
        let (limits, cancel) = (Limits::default(), Cancel::default());
        let guard = RoundLimits {
            limits: &limits,
            cancel: &cancel,
            held: 0,
        };
        let (mut chunk, mut arrivals) = (Chunk::default(), Arrivals::default());
        let mut lengths = [0; SHARDS];
        let mut moves = Vec::with_capacity(SHARDS);
        for shard in before.shards {
            chunk.clear();
            let mut places = Vec::with_capacity(shard.len());
            for index in 0..shard.len() {
                let key = shard.pair(index);
                let (to, hash) = self.store.place(&key);
                // Keys are distinct, so each is added.
                places.push(StoredId::new(to, lengths[to]));
                lengths[to] += 1;
                chunk.batches[to].push(&key, hash, shard.parent(index));
            }
            moves.push(places);
            arrivals.clear(shard.len());
            chunk.arrived = shard.len() as u32;
            let none = Chunk::default();
            let stretches = stretches(&[&chunk, &none]);
            self.each_shard(threads, |to, target, own| {
                let into = (own, &arrivals);
                let stop = store_shard(target, (&stretches, to), (&guard, false), into);
                debug_assert_eq!(stop, None);
            });
        }
        debug_assert!(self.store.shards.iter().map(Shard::len).eq(lengths));
        self.each_shard(threads, |_, shard, _| {
            for index in 0..shard.len() {
                shard.set_parent(index, moved(&moves, shard.parent(index)));
            }
        });
        moves
    }

    /// Applies a function to every shard, on a number of threads.
    fn each_shard(
        &mut self,
        threads: usize,
        work: impl Fn(usize, &mut Shard, &mut ShardBuffers) + Sync,
    ) {
        let shards: Vec<Mutex<&mut Shard>> = self.store.shards.iter_mut().map(Mutex::new).collect();
        in_parallel(threads, SHARDS, ShardBuffers::default, |own, n| {
            work(n, &mut lock(&shards[n]), own);
        });
    }
}

/// The new id of a state, or the special parent unchanged.
fn moved(moves: &[Vec<StoredId>], id: StoredId) -> StoredId {
    match id {
        NO_STATE | UNREACHED => id,
        id => moves[id.shard()][id.index()],
    }
}
