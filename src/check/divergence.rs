//! Divergence: cycles of τ among the stored states.
//!
//! A state diverges iff its representative reaches a cycle of τ in the *reduced* graph: a cycle of the
//! real graph maps to one of the reduced graph; and a reduced cycle of length k lifts to a real path
//! from q to π(q), whose images under π, π², … close up because the group is finite.
//!
//! Most systems have no cycle, and a depth-first search that marks states says so. Where there is one,
//! the strongly connected components are computed, so that the divergence shown is one that is reached
//! in the fewest steps, whatever order the first search went in.

use super::counterexample::moves;
use super::keeping::buckets::are_alike;
use super::keeping::markers::Markers;
use super::keeping::{Keeping, KeepingScratch, Kept, RawPair};
use super::product::{Product, ProductMiss, ProductScratch, ProductState};
use super::search::Sides;
use super::store::{StateStore, StoredId};
use crate::machine::EventId;
use crate::source::diagnostic::Result;
use crate::source::hash::Map;
use crate::source::{Cancel, Diagnostic, Limits, Stop};
use crate::symmetry::matching::PairwiseAnswer;

/// What the search for cycles came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cycles {
    /// There are none.
    None,
    /// The states of some in order: the first follows the last. Those reached in the fewest steps come
    /// first; no two of them are connected by τ both ways.
    Found(Vec<Vec<StoredId>>),
    /// A limit or a cancellation.
    Stopped(Stop),
}

/// Steps between two looks at the limits.
const POLL_EVERY: u32 = 256;

/// Looks for at most `most` cycles of τ among the stored states.
///
/// # Errors
/// An evaluation error.
pub fn find_cycles(
    sides: &mut Sides<'_>,
    store: &StateStore,
    (limits, cancel): (&Limits, &Cancel),
    most: usize,
) -> Result<Cycles> {
    let markers = match markers(sides, store, (limits, cancel))? {
        Ok(markers) => markers,
        Err(stop) => return Ok(Cycles::Stopped(stop)),
    };
    let mut walk = CycleSearch {
        // The marks of the first search take one byte for each state.
        held: store.heap_bytes() + store.len() + markers.as_ref().map_or(0, bytes_of_markers),
        sides,
        store,
        markers,
        limits,
        cancel,
        scratch: ProductScratch::default(),
        steps: 0,
    };
    let first = match walk.any()? {
        Cycles::Found(mut cycles) => cycles.swap_remove(0),
        other => return Ok(other),
    };
    // The second search holds an index of four bytes for each state.
    walk.held += 4 * store.len();
    // That there is a cycle is known by now: a limit only keeps it from being the one to show.
    Ok(Cycles::Found(
        walk.shallowest(most)?.unwrap_or_else(|| vec![first]),
    ))
}

/// The states that were reached by their markers, which all states of an orbit share: where states are not
/// known by their representatives.
type StatesByMarker = Map<Vec<u8>, Vec<StoredId>>;

/// The markers of all states that were reached; none where the store knows them by their representatives.
fn markers(
    sides: &mut Sides<'_>,
    store: &StateStore,
    (limits, cancel): (&Limits, &Cancel),
) -> Result<std::result::Result<Option<StatesByMarker>, Stop>> {
    if !sides.keeping.expands_as_met() {
        return Ok(Ok(None));
    }
    let (mut markers, mut scratch) = (StatesByMarker::default(), KeepingScratch::default());
    let (mut at, mut kept) = (ProductState::default(), Kept::default());
    for (count, state) in store.reached().enumerate() {
        if count.is_multiple_of(POLL_EVERY as usize) {
            let held = store.heap_bytes() + bytes_of_markers(&markers);
            if let Some(stop) = limits.reached(cancel, held) {
                return Ok(Err(stop));
            }
        }
        sides.product().unpack(store.pair(state), &mut at);
        sides.complete(|product| Markers.remember(product, at.raw(), &mut scratch, &mut kept))?;
        markers.entry(kept.key.clone()).or_default().push(state);
    }
    Ok(Ok(Some(markers)))
}

/// About how many bytes they take.
fn bytes_of_markers(markers: &StatesByMarker) -> usize {
    markers.len() * (size_of::<(Vec<u8>, Vec<StoredId>)>() + 48)
}

/// How far the depth-first search is with a state: not met, on the stack, or left.
#[derive(Clone, Copy, PartialEq, Eq)]
enum DfsMark {
    New,
    Open,
    Done,
}

/// One value for every stored state.
struct PerState<T>(Vec<Vec<T>>);

impl<T: Copy> PerState<T> {
    fn new(store: &StateStore, value: T) -> Self {
        Self(store.shards.iter().map(|s| vec![value; s.len()]).collect())
    }
    fn get(&self, state: StoredId) -> T {
        self.0[state.shard()][state.index()]
    }
    fn set(&mut self, state: StoredId, value: T) {
        self.0[state.shard()][state.index()] = value;
    }
}

/// A state on the stack of a depth-first search, with its successors by τ and the next to be looked at.
struct StackEntry {
    state: StoredId,
    successors: Vec<StoredId>,
    at: usize,
}

/// A search under way.
struct CycleSearch<'a, 's> {
    sides: &'a mut Sides<'s>,
    store: &'a StateStore,
    markers: Option<StatesByMarker>,
    limits: &'a Limits,
    cancel: &'a Cancel,
    scratch: ProductScratch,
    /// Bytes of the store and of the marks.
    held: usize,
    steps: u32,
}

impl CycleSearch<'_, '_> {
    fn stop(&mut self) -> Option<Stop> {
        self.steps = self.steps.wrapping_add(1);
        if !self.steps.is_multiple_of(POLL_EVERY) {
            return None;
        }
        self.limits.reached(self.cancel, self.held)
    }

    fn frame(&mut self, state: StoredId) -> Result<StackEntry> {
        let successors = match &self.markers {
            None => tau_successors(self.sides, self.store, state, &mut self.scratch)?,
            Some(markers) => tau_successors_by_orbit(self.sides, (self.store, markers), state)?,
        };
        Ok(StackEntry {
            state,
            successors,
            at: 0,
        })
    }

    /// The first cycle that a depth-first search meets.
    fn any(&mut self) -> Result<Cycles> {
        let mut marks = PerState::new(self.store, DfsMark::New);
        for root in self.store.reached() {
            if marks.get(root) != DfsMark::New {
                continue;
            }
            marks.set(root, DfsMark::Open);
            // On the heap, and no recursion: a path of τ may be as long as there are states.
            let mut stack = vec![self.frame(root)?];
            while let Some(top) = stack.last_mut() {
                let Some(next) = top.successors.get(top.at).copied() else {
                    marks.set(top.state, DfsMark::Done);
                    stack.pop();
                    continue;
                };
                top.at += 1;
                match marks.get(next) {
                    DfsMark::Done => {}
                    DfsMark::Open => {
                        // Open states are those of the stack, so the way from it to here and this τ
                        // are a cycle.
                        let from = stack.iter().position(|f| f.state == next).unwrap_or(0);
                        let cycle = stack[from..].iter().map(|f| f.state).collect();
                        return Ok(Cycles::Found(vec![cycle]));
                    }
                    DfsMark::New => {
                        marks.set(next, DfsMark::Open);
                        stack.push(self.frame(next)?);
                    }
                }
                if let Some(stop) = self.stop() {
                    return Ok(Cycles::Stopped(stop));
                }
            }
            if let Some(stop) = self.stop() {
                return Ok(Cycles::Stopped(stop));
            }
        }
        Ok(Cycles::None)
    }

    /// Of each strongly connected component that contains a cycle, a shortest cycle through a state
    /// that is reached in the fewest steps; at most `most` of them, by those steps. None if a limit
    /// comes first.
    fn shallowest(&mut self, most: usize) -> Result<Option<Vec<Vec<StoredId>>>> {
        let mut doors: Vec<(usize, StoredId)> = Vec::new();
        let whole = self.components(|store, component| {
            // Of a component that is farther away than all that are kept, nothing more has to be
            // known: `depth` gives up at that.
            let worst = doors
                .get(most.max(1) - 1)
                .map_or(usize::MAX, |d: &(usize, StoredId)| d.0);
            // Of those equally near the one with the least id, in whatever order they were walked.
            let nearest = component
                .iter()
                .filter_map(|s| Some((depth(store, *s, worst)?, *s)))
                .min();
            if let Some(door) = nearest {
                let at = doors.partition_point(|d| *d < door);
                doors.insert(at, door);
                doors.truncate(most.max(1));
            }
        })?;
        if !whole {
            return Ok(None);
        }
        let mut cycles = Vec::with_capacity(doors.len());
        for (_, door) in doors {
            match self.shortest_lap(door)? {
                Some(cycle) => cycles.push(cycle),
                None => return Ok(None),
            }
        }
        Ok(Some(cycles))
    }

    /// Calls `visit` with every strongly connected component that contains a cycle; false if a limit
    /// comes first. (D. J. Pearce's form of Tarjan's algorithm: one number a state.)
    // In one piece: entering, going on and leaving share the stack that stands for recursion.
    fn components(&mut self, mut visit: impl FnMut(&StateStore, &[StoredId])) -> Result<bool> {
        // Of each state: 0 if it was not met; while its component is open, the least index that it
        // is known to reach; `DONE` afterwards. There are fewer states than `DONE`.
        const DONE: u32 = u32::MAX;
        let mut index = PerState::new(self.store, 0u32);
        let (mut next_index, mut waiting) = (1u32, Vec::new());
        for root in self.store.reached() {
            if index.get(root) != 0 {
                continue;
            }
            index.set(root, next_index);
            let mut stack = vec![(self.frame(root)?, next_index, false)];
            next_index += 1;
            while let Some((frame, own, looped)) = stack.last_mut() {
                if let Some(next) = frame.successors.get(frame.at).copied() {
                    frame.at += 1;
                    // A component of one state has a cycle only if τ leads from it to itself.
                    *looped |= next == frame.state;
                    match index.get(next) {
                        0 => {
                            index.set(next, next_index);
                            stack.push((self.frame(next)?, next_index, false));
                            next_index += 1;
                        }
                        DONE => {}
                        low => {
                            let state = frame.state;
                            index.set(state, index.get(state).min(low));
                        }
                    }
                } else {
                    let (state, own, looped) = (frame.state, *own, *looped);
                    stack.pop();
                    let low = index.get(state);
                    waiting.push(state);
                    // It reaches nothing that was entered before it, so its component ends with it.
                    if low == own {
                        // Those of its component were left after it was entered, and are on top.
                        let from = waiting.len()
                            - waiting
                                .iter()
                                .rev()
                                .take_while(|s| index.get(**s) >= own)
                                .count();
                        let component = &waiting[from..];
                        component.iter().for_each(|s| index.set(*s, DONE));
                        if component.len() > 1 || looped {
                            visit(self.store, component);
                        }
                        waiting.truncate(from);
                    }
                    if let Some((parent, ..)) = stack.last() {
                        // Where a component has ended, `low` is greater than whatever the parent
                        // has.
                        index.set(parent.state, index.get(parent.state).min(low));
                    }
                }
                if self.stop().is_some() {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    /// A shortest cycle through a state that lies on one; none if a limit comes first.
    fn shortest_lap(&mut self, door: StoredId) -> Result<Option<Vec<StoredId>>> {
        let mut from: Map<StoredId, StoredId> = Map::default();
        let mut queue = vec![door];
        let mut at = 0;
        while let Some(state) = queue.get(at).copied() {
            at += 1;
            for next in self.frame(state)?.successors {
                if next == door {
                    // The door itself is never entered in `from`, so the way back ends there.
                    let mut cycle = vec![state];
                    while let Some(before) = from.get(&cycle[cycle.len() - 1]) {
                        cycle.push(*before);
                    }
                    cycle.reverse();
                    return Ok(Some(cycle));
                }
                if !from.contains_key(&next) {
                    from.insert(next, state);
                    queue.push(next);
                }
            }
            if self.stop().is_some() {
                return Ok(None);
            }
        }
        Ok(None)
    }
}

/// Steps from the initial state, if they are at most `most`.
fn depth(store: &StateStore, state: StoredId, most: usize) -> Option<usize> {
    let (mut at, mut steps) = (state, 0);
    while !store.is_first(at) {
        at = store.parent(at);
        steps += 1;
        if steps > most {
            return None;
        }
    }
    Some(steps)
}

fn tau_successors(
    sides: &mut Sides<'_>,
    store: &StateStore,
    state: StoredId,
    scratch: &mut ProductScratch,
) -> Result<Vec<StoredId>> {
    sides.complete(|product| {
        // Empty at every attempt: one that misses something may have found successors before.
        let mut found = Vec::new();
        product.expand(store.pair(state), scratch, |event, kept| {
            if event == EventId::TAU
                && let Some(next) = kept.and_then(|kept| store.find(&kept.key))
            {
                found.push(next);
            }
            Ok(())
        })?;
        Ok::<_, ProductMiss>(found)
    })
}

/// The same where states are found by their orbits: by their markers and a pairwise test.
fn tau_successors_by_orbit(
    sides: &mut Sides<'_>,
    (store, markers): (&StateStore, &StatesByMarker),
    state: StoredId,
) -> Result<Vec<StoredId>> {
    let mut at = ProductState::default();
    sides.product().unpack(store.pair(state), &mut at);
    let (mut scratch, mut kept) = (KeepingScratch::default(), Kept::default());
    let found = sides.complete(|product| {
        if product.is_cut_off(at.node)? {
            return Ok(Some(Vec::new()));
        }
        let mut found = Vec::new();
        for step in moves(product, &at)? {
            if step.event != EventId::TAU {
                continue;
            }
            // τ leaves the specification where it is.
            let pair = RawPair {
                node: at.node,
                format: step.format,
                locals: &step.locals,
            };
            Markers.remember(product, pair, &mut scratch, &mut kept)?;
            let alike = markers.get(&kept.key).map_or(&[][..], Vec::as_slice);
            match of_orbit(product, store, &kept.pair, alike)? {
                Some(next) => found.push(next),
                None => return Ok(None),
            }
        }
        Ok(Some(found))
    })?;
    // Every successor is of an orbit that is there, but a test may have been given up.
    found.ok_or_else(|| {
        let what = "whether it diverges is not known: a test whether two states are of one orbit was given \
                    up, which is needed to find a loop; `--rep exact` can tell";
        Box::new(Diagnostic::nowhere("E0606", what))
    })
}

/// The first of some states that is of the orbit of a packed pair.
fn of_orbit(
    product: &Product<'_>,
    store: &StateStore,
    pair: &[u8],
    among: &[StoredId],
) -> std::result::Result<Option<StoredId>, ProductMiss> {
    let (mut here, mut there) = (ProductState::default(), ProductState::default());
    product.unpack(pair, &mut here);
    for state in among {
        product.unpack(store.pair(*state), &mut there);
        if let PairwiseAnswer::Alike(_) = are_alike(product, &here, &there)? {
            return Ok(Some(*state));
        }
    }
    Ok(None)
}
