//! The list stack coded by hand: a search of this one model that interprets nothing. It is the limit that the program
//! is measured against.
//!
//! Values are numbers from 1; 0 is none of them: no datum, no node, no holder of the lock.

mod search;

use std::ops::{BitOr, Shl, Shr};

pub use search::{Found, search};

/// A packed state.
pub trait Word:
    Copy
    + Eq
    + From<u8>
    + From<u16>
    + BitOr<Output = Self>
    + Shl<u32, Output = Self>
    + Shr<u32, Output = Self>
{
    /// The lowest bits.
    fn low(self) -> usize;
    /// The next 64 bits.
    fn high(self) -> u64;
}

impl Word for u64 {
    fn low(self) -> usize {
        self as usize
    }
    fn high(self) -> u64 {
        0
    }
}

impl Word for u128 {
    fn low(self) -> usize {
        self as usize
    }
    fn high(self) -> u64 {
        (self >> 64) as u64
    }
}

/// Nodes and threads of the largest model.
const NODES_MAX: usize = 12;
const THREADS_MAX: usize = 4;

/// Where a thread is, by what it does next.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum At {
    #[default]
    Idle,
    PushLock,
    PushTop,
    InitNode,
    PushSetTop,
    Push,
    Unlock,
    PopLock,
    PopTop,
    PopEmpty,
    GetNext,
    PopSetTop,
    GetDatum,
    Pop,
    FreeNode,
}

impl At {
    const ALL: [Self; 15] = [
        Self::Idle,
        Self::PushLock,
        Self::PushTop,
        Self::InitNode,
        Self::PushSetTop,
        Self::Push,
        Self::Unlock,
        Self::PopLock,
        Self::PopTop,
        Self::PopEmpty,
        Self::GetNext,
        Self::PopSetTop,
        Self::GetDatum,
        Self::Pop,
        Self::FreeNode,
    ];
}

/// A thread with the datum and the nodes that it holds.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Thread {
    at: At,
    datum: u8,
    node: u8,
    next: u8,
}

/// A node; without a datum it is free.
#[derive(Clone, Copy, Default)]
pub struct Node {
    datum: u8,
    next: u8,
}

/// A state of the system.
#[derive(Clone, Copy, Default)]
pub struct State {
    nodes: [Node; NODES_MAX],
    threads: [Thread; THREADS_MAX],
    top: u8,
    lock: u8,
}

const fn bits(values: usize) -> u32 {
    usize::BITS - (values - 1).leading_zeros()
}

/// A model of so many nodes, threads and data.
pub struct Model<const N: usize, const T: usize, const D: usize>;

impl<const N: usize, const T: usize, const D: usize> Model<N, T, D> {
    const NODE: u32 = bits(1 + D * (N + 1));
    const DATUM: u32 = bits(D + 1);
    const NAME: u32 = bits(N + 1);
    const LOCK: u32 = bits(T + 1);

    /// The state as one number.
    fn pack<W: Word>(state: &State) -> W {
        let mut all = W::from(state.top) << Self::LOCK | W::from(state.lock);
        for node in &state.nodes[..N] {
            let code = match node.datum {
                0 => 0,
                datum => 1 + (usize::from(datum) - 1) * (N + 1) + usize::from(node.next),
            };
            all = all << Self::NODE | W::from(code as u8);
        }
        for thread in &state.threads[..T] {
            let held = u16::from(thread.datum) << Self::NAME | u16::from(thread.node);
            let held = held << Self::NAME | u16::from(thread.next);
            let held = held | (thread.at as u16) << (Self::DATUM + 2 * Self::NAME);
            all = all << (4 + Self::DATUM + 2 * Self::NAME) | W::from(held);
        }
        all
    }

    /// What [`Model::pack`] was given.
    fn unpack<W: Word>(mut all: W) -> State {
        let mut take = |bits: u32| {
            let low = all.low() & ((1 << bits) - 1);
            all = all >> bits;
            low
        };
        let mut state = State::default();
        for thread in state.threads[..T].iter_mut().rev() {
            thread.next = take(Self::NAME) as u8;
            thread.node = take(Self::NAME) as u8;
            thread.datum = take(Self::DATUM) as u8;
            thread.at = At::ALL[take(4)];
        }
        for node in state.nodes[..N].iter_mut().rev() {
            let code = take(Self::NODE);
            if let Some(code) = code.checked_sub(1) {
                node.datum = (code / (N + 1) + 1) as u8;
                node.next = (code % (N + 1)) as u8;
            }
        }
        state.lock = take(Self::LOCK) as u8;
        state.top = take(Self::NAME) as u8;
        state
    }

    /// Calls `emit` for each transition. In a representative, of those that differ only in components or values that
    /// can be exchanged one is taken, and `emit` is told how many there are.
    #[inline]
    fn successors(state: &State, reduced: bool, mut emit: impl FnMut(&State, u64)) {
        let threads = &state.threads[..T];
        let mut t = 0;
        while t < T {
            let thread = threads[t];
            let holds = usize::from(state.lock) == t + 1;
            let alike = threads[t..].iter().take_while(|other| **other == thread);
            let count = if reduced && !holds { alike.count() } else { 1 };
            Self::steps(state, (t, holds, count as u64), reduced, &mut emit);
            t += count;
        }
    }

    /// The steps of one thread, of which there are `count`.
    #[inline]
    fn steps(
        state: &State,
        (t, holds, count): (usize, bool, u64),
        reduced: bool,
        emit: &mut impl FnMut(&State, u64),
    ) {
        let thread = state.threads[t];
        let go = |at: At, datum: u8, node: u8, next: u8| {
            let mut after = *state;
            after.threads[t] = Thread {
                at,
                datum,
                node,
                next,
            };
            after
        };
        let Thread {
            at,
            datum,
            node,
            next,
        } = thread;
        let is_free = state.lock == 0;
        debug_assert!(holds || at < At::PushTop || at == At::PopLock);
        match at {
            At::Idle => {
                let known = if reduced { Self::data_met(state) } else { D };
                for datum in 1..=known {
                    emit(&go(At::PushLock, datum as u8, 0, 0), count);
                }
                if known < D {
                    let others = (D - known) as u64;
                    emit(&go(At::PushLock, known as u8 + 1, 0, 0), count * others);
                }
                emit(&go(At::PopLock, 0, 0, 0), count);
            }
            At::PushLock | At::PopLock if is_free => {
                let to = if at == At::PushLock {
                    At::PushTop
                } else {
                    At::PopTop
                };
                let mut after = go(to, datum, 0, 0);
                after.lock = t as u8 + 1;
                emit(&after, count);
            }
            At::PushLock | At::PopLock => {}
            At::PushTop => emit(&go(At::InitNode, datum, 0, state.top), 1),
            At::InitNode => {
                let free = (0..N).filter(|n| state.nodes[*n].datum == 0);
                let others = if reduced {
                    free.clone().count() as u64
                } else {
                    1
                };
                for n in free.take(if reduced { 1 } else { N }) {
                    let mut after = go(At::PushSetTop, datum, n as u8 + 1, 0);
                    after.nodes[n] = Node { datum, next };
                    emit(&after, others);
                }
            }
            At::PushSetTop => {
                let mut after = go(At::Push, datum, 0, 0);
                after.top = node;
                emit(&after, 1);
            }
            At::Push => emit(&go(At::Unlock, 0, 0, 0), 1),
            At::Unlock => {
                let mut after = go(At::Idle, 0, 0, 0);
                after.lock = 0;
                emit(&after, 1);
            }
            At::PopTop if state.top == 0 => emit(&go(At::PopEmpty, 0, 0, 0), 1),
            At::PopTop => emit(&go(At::GetNext, 0, state.top, 0), 1),
            At::PopEmpty => emit(&go(At::Unlock, 0, 0, 0), 1),
            At::GetNext => {
                let next = state.nodes[usize::from(node) - 1].next;
                emit(&go(At::PopSetTop, 0, node, next), 1);
            }
            At::PopSetTop => {
                let mut after = go(At::GetDatum, 0, node, 0);
                after.top = next;
                emit(&after, 1);
            }
            At::GetDatum => {
                let datum = state.nodes[usize::from(node) - 1].datum;
                emit(&go(At::Pop, datum, node, 0), 1);
            }
            At::Pop => emit(&go(At::FreeNode, 0, node, 0), 1),
            At::FreeNode => {
                let mut after = go(At::Unlock, 0, 0, 0);
                after.nodes[usize::from(node) - 1] = Node::default();
                emit(&after, 1);
            }
        }
    }

    /// In a representative the data that occur are the first ones: how many.
    fn data_met(state: &State) -> usize {
        let of_nodes = state.nodes[..N].iter().map(|node| node.datum);
        let of_threads = state.threads[..T].iter().map(|thread| thread.datum);
        of_nodes.chain(of_threads).max().map_or(0, usize::from)
    }

    /// The representative: values are named in the order in which they are met from the top of the stack and from the
    /// holder of the lock. The other threads hold at most a datum, which may have no name by then; such data are told
    /// apart by how many threads hold them.
    #[inline]
    fn representative(state: &State) -> State {
        let mut names = Names::<N, D>::default();
        let mut to = State::default();
        to.top = names.list(state, &mut to, state.top);
        let holder = usize::from(state.lock);
        if holder > 0 {
            let Thread {
                at,
                datum,
                node,
                next,
            } = state.threads[holder - 1];
            let datum = names.datum(datum);
            let node = names.list(state, &mut to, node);
            let next = names.list(state, &mut to, next);
            to.lock = 1;
            to.threads[0] = Thread {
                at,
                datum,
                node,
                next,
            };
        }
        let first = usize::from(to.lock);
        let mut open = [0u8; 8];
        for thread in (0..T)
            .filter(|t| t + 1 != holder)
            .map(|t| &state.threads[t])
        {
            if thread.datum != 0 && names.data[usize::from(thread.datum)] == 0 {
                open[usize::from(thread.datum)] += 1;
            }
        }
        for count in (1..=T as u8).rev() {
            for datum in (1..=D).filter(|datum| open[*datum] == count) {
                names.datum(datum as u8);
            }
        }
        let others = (0..T).filter(|t| t + 1 != holder).map(|t| state.threads[t]);
        for (place, mut thread) in (first..).zip(others) {
            thread.datum = names.data[usize::from(thread.datum)];
            // Sorted into those before it.
            let mut at = place;
            while at > first && to.threads[at - 1] > thread {
                to.threads[at] = to.threads[at - 1];
                at -= 1;
            }
            to.threads[at] = thread;
        }
        to
    }
}

/// Names given so far; 0 where there is none.
struct Names<const N: usize, const D: usize> {
    nodes: [u8; NODES_MAX + 1],
    data: [u8; 8],
    last_node: u8,
    last_datum: u8,
}

impl<const N: usize, const D: usize> Default for Names<N, D> {
    fn default() -> Self {
        Self {
            nodes: [0; NODES_MAX + 1],
            data: [0; 8],
            last_node: 0,
            last_datum: 0,
        }
    }
}

impl<const N: usize, const D: usize> Names<N, D> {
    fn datum(&mut self, datum: u8) -> u8 {
        let name = &mut self.data[usize::from(datum)];
        if datum != 0 && *name == 0 {
            self.last_datum += 1;
            *name = self.last_datum;
        }
        *name
    }

    /// Names the nodes of a list that have no name, and writes them to `to`; the name of the first.
    fn list(&mut self, state: &State, to: &mut State, first: u8) -> u8 {
        let mut at = first;
        while at != 0 && self.nodes[usize::from(at)] == 0 {
            self.last_node += 1;
            self.nodes[usize::from(at)] = self.last_node;
            let Node { datum, next } = state.nodes[usize::from(at) - 1];
            let place = usize::from(self.last_node) - 1;
            to.nodes[place].datum = self.datum(datum);
            // What comes next has a name, or gets the next one.
            to.nodes[place].next = match (next, self.nodes[usize::from(next)]) {
                (0, _) => 0,
                (_, 0) => self.last_node + 1,
                (_, name) => name,
            };
            at = next;
        }
        self.nodes[usize::from(first)]
    }
}
