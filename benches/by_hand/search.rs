//! The search: breadth-first, one thread, packed states in a vector and their numbers in a table.

use prefetch_index::prefetch_index;

use super::{Model, Word};

/// What a search came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Found {
    pub states: usize,
    pub transitions: u64,
}

/// Successors that are looked up together, so that their ways from memory overlap.
const PENDING: usize = 64;

fn hash(word: impl Word) -> u64 {
    let (low, high) = (word.low() as u64, word.high());
    let mixed = u128::from(low ^ 0x9e37_79b9_7f4a_7c15) * u128::from(high ^ 0xd6e8_feb8_6659_fd93);
    mixed as u64 ^ (mixed >> 64) as u64
}

/// The states that were met.
struct Store<W> {
    states: Vec<W>,
    /// One more than numbers of states, with six bits of the hash above; 0 where there is none.
    slots: Vec<u32>,
}

const NUMBER: u32 = (1 << 26) - 1;

impl<W: Word> Store<W> {
    fn insert(&mut self, word: W, hash: u64) {
        if self.states.len() * 4 >= self.slots.len() * 3 {
            let states = std::mem::take(&mut self.states);
            self.slots = vec![0; self.slots.len() * 2];
            for word in states {
                self.enter(word, self::hash(word));
            }
        }
        self.enter(word, hash);
    }

    fn enter(&mut self, word: W, hash: u64) {
        let mask = self.slots.len() - 1;
        let tag = (hash >> 32) as u32 & !NUMBER;
        let mut at = hash as usize & mask;
        while self.slots[at] != 0 {
            let slot = self.slots[at];
            if slot & !NUMBER == tag && self.states[(slot & NUMBER) as usize - 1] == word {
                return;
            }
            at = (at + 1) & mask;
        }
        self.states.push(word);
        self.slots[at] = tag | self.states.len() as u32;
    }

    fn insert_all(&mut self, pending: &mut Vec<(W, u64)>) {
        let mask = self.slots.len() - 1;
        for (_, hash) in &*pending {
            let slot = self.slots[*hash as usize & mask];
            prefetch_index(&self.states, (slot & NUMBER) as usize);
        }
        for (word, hash) in pending.drain(..) {
            self.insert(word, hash);
        }
    }
}

fn search_by<W: Word, const N: usize, const T: usize, const D: usize>(reduced: bool) -> Found {
    let mut store = Store::<W> {
        states: Vec::new(),
        slots: vec![0; 1 << 12],
    };
    let first = Model::<N, T, D>::pack::<W>(&Default::default());
    store.insert(first, hash(first));
    let mut pending = Vec::with_capacity(2 * PENDING);
    let (mut transitions, mut next) = (0, 0);
    while next < store.states.len() {
        let state = Model::<N, T, D>::unpack(store.states[next]);
        next += 1;
        Model::<N, T, D>::successors(&state, reduced, |after, count| {
            transitions += count;
            let word: W = match reduced {
                true => Model::<N, T, D>::pack(&Model::<N, T, D>::representative(after)),
                false => Model::<N, T, D>::pack(after),
            };
            let hash = hash(word);
            prefetch_index(&store.slots, hash as usize & (store.slots.len() - 1));
            pending.push((word, hash));
        });
        if pending.len() >= PENDING || next == store.states.len() {
            store.insert_all(&mut pending);
        }
    }
    Found {
        states: store.states.len(),
        transitions,
    }
}

/// Searches the list stack of a size; none if it was not coded for that.
pub fn search(size: (usize, usize, usize), reduced: bool) -> Option<Found> {
    Some(match size {
        (5, 3, 2) => search_by::<u64, 5, 3, 2>(reduced),
        (6, 3, 4) => search_by::<u128, 6, 3, 4>(reduced),
        (8, 4, 2) => search_by::<u128, 8, 4, 2>(reduced),
        (10, 4, 2) => search_by::<u128, 10, 4, 2>(reduced),
        (12, 4, 2) => search_by::<u128, 12, 4, 2>(reduced),
        (8, 4, 4) => search_by::<u128, 8, 4, 4>(reduced),
        _ => return None,
    })
}
