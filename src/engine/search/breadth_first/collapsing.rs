//! A search whose states are collapsed from some depth on ([`crate::search::store::collapse`]): the states that it has by
//! then are stored anew, and it goes on with them.

use super::{OngoingSearch, SearchControl, Sides};
use crate::search::arrivals::{Arrivals, stretches};
use crate::search::chunk::{Chunk, RoundLimits};
use crate::search::store::{BESIDE, NO_STATE, SHARDS, Shard, StateStore, StoredId};
use crate::search::storing::{ShardBuffers, store_shard};
use crate::source::threads::{in_parallel, lock};
use crate::source::{Cancel, Limits};
use std::sync::Mutex;

impl OngoingSearch {
    /// Collapses the keys of states, where that makes them shorter.
    pub(super) fn collapse(&mut self, sides: &Sides<'_>, control: &SearchControl<'_>) {
        self.tried_to_collapse = true;
        // Keys of several formats are not of one length, and others are not the states.
        let layout = sides.product().layout();
        let is_possible = sides.network.is_fixed() && layout.pair == 0 && !sides.enters_by_itself();
        // What was stored is given back shard by shard, and takes more than what is stored instead. Where each state has
        // gone takes four bytes, and what waits for one shard some more.
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

    /// Stores all states in the order in which they stood, shard by shard; says for each where it is now.
    fn store_again(&mut self, before: StateStore, threads: usize) -> Vec<Vec<StoredId>> {
        // It ends soon, and the search could not go on with some of them.
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
                // No two of them are equal, so each is added.
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

    /// Does something with every shard, on so many threads.
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

/// Where a state is now, or what else stands for a parent.
fn moved(moves: &[Vec<StoredId>], id: StoredId) -> StoredId {
    match id {
        NO_STATE | BESIDE => id,
        id => moves[id.shard()][id.index()],
    }
}
