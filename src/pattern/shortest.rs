//! The one breadth-first search of this crate.

use std::hash::Hash;

use crate::limits::LimitWatch;
use crate::source::Stop;
use crate::source::hash::IndexMap;

/// The labels on a shortest way from one of the `initial` states to one that `is_wanted`; `None` if there is no way.
/// Of several shortest ways, the one whose states `successors` gives first.
///
/// # Errors
/// The limit that is reached.
pub fn shortest<K: Copy + Eq + Hash, L: Copy>(
    watch: &LimitWatch,
    initial: impl IntoIterator<Item = K>,
    successors: impl FnMut(K, &mut Vec<(L, K)>),
    is_wanted: impl FnMut(K) -> bool,
) -> Result<Option<Vec<L>>, Stop> {
    let found = shortest_ways(watch, initial, successors, is_wanted, 1)?;
    Ok(found.into_iter().next())
}

/// The same to each of the first states that are wanted, at most `most`.
///
/// # Errors
/// The limit that is reached.
pub fn shortest_ways<K: Copy + Eq + Hash, L: Copy>(
    watch: &LimitWatch,
    initial: impl IntoIterator<Item = K>,
    mut successors: impl FnMut(K, &mut Vec<(L, K)>),
    mut is_wanted: impl FnMut(K) -> bool,
    most: usize,
) -> Result<Vec<Vec<L>>, Stop> {
    let mut seen: IndexMap<K, Option<(usize, L)>> = IndexMap::default();
    let mut wanted = Vec::new();
    for state in initial {
        let (at, is_new) = match seen.get_index_of(&state) {
            Some(at) => (at, false),
            None => (seen.insert_full(state, None).0, true),
        };
        if is_new && is_wanted(state) {
            wanted.push(at);
        }
    }
    let mut next = Vec::new();
    let (mut at, mut held) = (0, 0);
    while wanted.len() < most {
        let Some((state, _)) = seen.get_index(at) else {
            break;
        };
        successors(*state, &mut next);
        let before = seen.len();
        for (label, state) in next.drain(..) {
            watch.step()?;
            if !seen.contains_key(&state) {
                let number = seen.insert_full(state, Some((at, label))).0;
                if is_wanted(state) {
                    wanted.push(number);
                }
            }
        }
        let bytes = (seen.len() - before) * (size_of::<K>() + size_of::<L>() + 32);
        watch.hold(bytes);
        held += bytes;
        at += 1;
    }
    watch.release(held);
    wanted.truncate(most);
    Ok(wanted.into_iter().map(|last| way_to(&seen, last)).collect())
}

/// The labels on the way by which a state was found.
fn way_to<K, L: Copy>(seen: &IndexMap<K, Option<(usize, L)>>, mut at: usize) -> Vec<L> {
    let mut way = Vec::new();
    while let Some((_, Some((before, label)))) = seen.get_index(at) {
        way.push(*label);
        at = *before;
    }
    way.reverse();
    way
}
