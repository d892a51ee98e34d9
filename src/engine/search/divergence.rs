//! Divergence: cycles of τ among the stored states.
//!
//! A state diverges iff its representative reaches a cycle of τ in the *reduced* graph: a cycle of the
//! real graph maps to one of the reduced graph; and a reduced cycle of length k lifts to a real path
//! from q to π(q), whose images under π, π², … close up because the group is finite.
//!
//! Most systems have no cycle. All threads list the steps of τ, and repeatedly remove states that lie on none
//! (`silent`); where memory is short, or states are found by their markers, a depth-first search with marks does it
//! instead, on one thread. If there is a cycle, the strongly connected components are computed, so that the divergence
//! shown is one reached in the fewest steps, independent of the order of the first search.

use std::sync::atomic::Ordering;

use super::counterexample::moves;
use super::keeping::buckets::are_alike;
use super::keeping::markers::Markers;
use super::keeping::{Keeping, KeepingScratch, Kept};
use super::product::{Product, ProductMiss, ProductState};
pub use super::silent::CycleControl;
use super::silent::{SilentScratch, SilentSteps, WrittenOut, silent_steps};
use super::store::{StateStore, StoredId};
use crate::machine::EventId;
use crate::reductions::steps::RawPair;
use crate::search::breadth_first::{LazyProduct, Search};
use crate::source::diagnostic::Result;
use crate::source::hash::Map;
use crate::source::{Diagnostic, Stop, WorkStage};
use crate::symmetry::matching::PairwiseAnswer;

/// The result of the search for cycles.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cycles {
    /// There are none.
    None,
    /// Cycles as lists of states: the first follows the last. Those reached in the fewest steps come first; no two of
    /// them lie in one strongly connected component.
    Found(Vec<Vec<StoredId>>),
    /// A limit or a cancellation.
    Stopped(Stop),
}

/// Steps between two polls of the limits.
const POLL_EVERY: u32 = 256;

/// Searches for at most `most` cycles of τ among the stored states.
///
/// # Errors
/// An evaluation error.
pub fn find_cycles(
    lazy: &mut LazyProduct<'_>,
    search: &Search,
    control: CycleControl<'_>,
    most: usize,
) -> Result<Cycles> {
    let store = &search.store;
    // Half of the memory left: if it is too little, the other method still fits.
    let room = control.limits.room(store.heap_bytes()) / 2;
    let unmet = lazy.unmet.load(Ordering::Relaxed);
    let found = find_within(lazy, store, control, room, most)?;
    if search.is_partial {
        // In memory are only the states that may lie on a cycle, and those on the way. It was noted before whether a step
        // leads to a state that is not stored.
        lazy.unmet.store(unmet, Ordering::Relaxed);
    }
    Ok(found)
}

/// Searches with this number of bytes for the list of steps.
fn find_within(
    lazy: &mut LazyProduct<'_>,
    store: &StateStore,
    control: CycleControl<'_>,
    room: usize,
    most: usize,
) -> Result<Cycles> {
    let (mut steps, mut roots) = (SilentSource::Computed, None);
    // Memory besides the store: marks of one byte for each state, or the list of steps.
    let mut held = store.len();
    if lazy.keeping.is_some() {
        match markers(lazy, store, control)? {
            Ok(markers) => {
                held += bytes_of_markers(&markers);
                steps = SilentSource::ByOrbit(markers);
            }
            Err(stop) => return Ok(Cycles::Stopped(stop)),
        }
    } else {
        match SilentSteps::write_out(lazy, store, control, room)? {
            WrittenOut::All(written) => {
                match written.not_left_out(store, control) {
                    Ok(left) if left.is_empty() => return Ok(Cycles::None),
                    Ok(left) => roots = Some(left),
                    Err(stop) => return Ok(Cycles::Stopped(stop)),
                }
                held += written.bytes();
                steps = SilentSource::Written(written);
            }
            WrittenOut::TooLarge => {}
            WrittenOut::Stopped(stop) => return Ok(Cycles::Stopped(stop)),
        }
    }
    let mut walk = CycleSearch {
        held: store.heap_bytes() + held,
        lazy,
        store,
        silent: steps,
        roots: roots.unwrap_or_else(|| store.reached().collect()),
        control,
        scratch: SilentScratch::default(),
        steps: 0,
    };
    let first = match walk.any()? {
        Cycles::Found(mut cycles) => cycles.swap_remove(0),
        other => return Ok(other),
    };
    // The second search has an index of four bytes for each state.
    walk.held += 4 * store.len();
    // There is a cycle: a limit can only prevent that a shallowest one is shown.
    Ok(Cycles::Found(
        walk.shallowest(most)?.unwrap_or_else(|| vec![first]),
    ))
}

/// The source of the steps of τ.
enum SilentSource {
    /// A list of all steps.
    Written(SilentSteps),
    /// The state is expanded each time.
    Computed,
    /// Expansion with look-up by orbit.
    ByOrbit(StatesByMarker),
}

/// Reached states by their markers, which all states of an orbit share: where states are not stored by representatives.
type StatesByMarker = Map<Vec<u8>, Vec<StoredId>>;

/// The markers of all reached states.
fn markers(
    lazy: &mut LazyProduct<'_>,
    store: &StateStore,
    control: CycleControl<'_>,
) -> Result<std::result::Result<StatesByMarker, Stop>> {
    let (mut markers, mut scratch) = (StatesByMarker::default(), KeepingScratch::default());
    let (mut at, mut kept) = (ProductState::default(), Kept::default());
    for (count, state) in store.reached().enumerate() {
        if count.is_multiple_of(POLL_EVERY as usize) {
            let held = store.heap_bytes() + bytes_of_markers(&markers);
            if let Some(stop) = control.limits.reached(control.cancel, held) {
                return Ok(Err(stop));
            }
        }
        lazy.product().unpack(&store.pair(state), &mut at);
        lazy.complete(|product| Markers.remember(product, at.raw(), &mut scratch, &mut kept))?;
        markers.entry(kept.key.clone()).or_default().push(state);
    }
    Ok(Ok(markers))
}

/// Bytes of the markers, roughly.
fn bytes_of_markers(markers: &StatesByMarker) -> usize {
    markers.len() * (size_of::<(Vec<u8>, Vec<StoredId>)>() + 48)
}

/// The mark of a state in the depth-first search: new, on the stack, or left.
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

/// A state on the stack of a depth-first search, with its successors by τ and the index of the next.
struct StackEntry {
    state: StoredId,
    successors: Vec<StoredId>,
    at: usize,
}

/// A search in progress.
struct CycleSearch<'a, 's> {
    lazy: &'a mut LazyProduct<'s>,
    store: &'a StateStore,
    silent: SilentSource,
    /// States from which all cycles are reachable, in the order of shards.
    roots: Vec<StoredId>,
    control: CycleControl<'a>,
    scratch: SilentScratch,
    /// Bytes of the store, of the marks and of the list of steps.
    held: usize,
    steps: u32,
}

impl CycleSearch<'_, '_> {
    fn stop(&mut self) -> Option<Stop> {
        self.steps = self.steps.wrapping_add(1);
        if !self.steps.is_multiple_of(POLL_EVERY) {
            return None;
        }
        let cancel = self.control.cancel;
        cancel.reach(WorkStage::Diverging, self.steps as usize);
        self.control.limits.reached(cancel, self.held)
    }

    fn frame(&mut self, state: StoredId) -> Result<StackEntry> {
        let successors = match &self.silent {
            SilentSource::Written(steps) => steps.of(state).to_vec(),
            SilentSource::Computed => {
                tau_successors(self.lazy, self.store, state, &mut self.scratch)?
            }
            SilentSource::ByOrbit(markers) => {
                tau_successors_by_orbit(self.lazy, self.store, markers, state)?
            }
        };
        Ok(StackEntry {
            state,
            successors,
            at: 0,
        })
    }

    /// The first cycle that a depth-first search finds.
    fn any(&mut self) -> Result<Cycles> {
        let mut marks = PerState::new(self.store, DfsMark::New);
        for at in 0..self.roots.len() {
            let root = self.roots[at];
            if marks.get(root) != DfsMark::New {
                continue;
            }
            marks.set(root, DfsMark::Open);
            // An explicit stack: a path of τ may be as long as there are states.
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
                        // Open states are those of the stack, so the path from it to here and this τ form a cycle.
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

    /// For each strongly connected component with a cycle, a shortest cycle through a state reached in the fewest
    /// steps; at most `most` of them, by depth. `None` if a limit comes first.
    fn shallowest(&mut self, most: usize) -> Result<Option<Vec<Vec<StoredId>>>> {
        let mut doors: Vec<(usize, StoredId)> = Vec::new();
        let whole = self.components(|store, component| {
            // A component deeper than all those kept need not be examined: `depth` gives up at that.
            let worst = doors
                .get(most.max(1) - 1)
                .map_or(usize::MAX, |d: &(usize, StoredId)| d.0);
            // Among equally near ones the least id, independent of the order of the walk.
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

    /// Calls `visit` with every strongly connected component that contains a cycle; false if a limit comes first.
    /// (Tarjan's algorithm in the form of D. J. Pearce, with one number for each state.)
    // In one piece: entering, continuing and leaving share the stack in place of recursion.
    fn components(&mut self, mut visit: impl FnMut(&StateStore, &[StoredId])) -> Result<bool> {
        // For each state: 0 if new; while its component is open, the least index that it is known to reach; `DONE`
        // afterwards. There are fewer states than `DONE`.
        const DONE: u32 = u32::MAX;
        let mut index = PerState::new(self.store, 0u32);
        let (mut next_index, mut waiting) = (1u32, Vec::new());
        for at in 0..self.roots.len() {
            let root = self.roots[at];
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
                    // It reaches no state entered before it, so it is the root of its component.
                    if low == own {
                        // The other members were left after it was entered, and are on top.
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
                        // After the end of a component, `low` is greater than the parent's value.
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

    /// A shortest cycle through a state that lies on one; `None` if a limit comes first.
    fn shortest_lap(&mut self, door: StoredId) -> Result<Option<Vec<StoredId>>> {
        let mut from: Map<StoredId, StoredId> = Map::default();
        let mut queue = vec![door];
        let mut at = 0;
        while let Some(state) = queue.get(at).copied() {
            at += 1;
            for next in self.frame(state)?.successors {
                if next == door {
                    // The start is never entered in `from`, so the way back ends there.
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

/// The depth of a state, if it is at most `most`.
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
    lazy: &mut LazyProduct<'_>,
    store: &StateStore,
    state: StoredId,
    scratch: &mut SilentScratch,
) -> Result<Vec<StoredId>> {
    lazy.complete(|product| {
        // Cleared at every attempt: a failed one may have found successors.
        let mut found = Vec::new();
        silent_steps(product, store, state, scratch, &mut found)?;
        Ok::<_, ProductMiss>(found)
    })
}

/// The successors by τ, looked up by markers and a pairwise test.
fn tau_successors_by_orbit(
    lazy: &mut LazyProduct<'_>,
    store: &StateStore,
    markers: &StatesByMarker,
    state: StoredId,
) -> Result<Vec<StoredId>> {
    let mut at = ProductState::default();
    lazy.product().unpack(&store.pair(state), &mut at);
    let (mut scratch, mut kept) = (KeepingScratch::default(), Kept::default());
    let found = lazy.complete(|product| {
        if product.is_cut_off(at.node)? {
            return Ok(Some(Vec::new()));
        }
        let mut found = Vec::new();
        for step in moves(product, &at)? {
            if step.event != EventId::TAU {
                continue;
            }
            // τ leaves the node of the specification unchanged.
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
    // Every successor lies in a stored orbit, but a test may have been given up.
    found.ok_or_else(|| {
        let what = "whether it diverges is not known: a test whether two states are of one orbit was given \
                    up, which is needed to find a loop; `--rep exact` can tell";
        Box::new(Diagnostic::nowhere("E0606", what))
    })
}

/// The first of some states in the orbit of a packed pair.
fn of_orbit(
    product: &Product<'_>,
    store: &StateStore,
    pair: &[u8],
    among: &[StoredId],
) -> std::result::Result<Option<StoredId>, ProductMiss> {
    let (mut here, mut there) = (ProductState::default(), ProductState::default());
    product.unpack(pair, &mut here);
    for state in among {
        product.unpack(&store.pair(*state), &mut there);
        if let PairwiseAnswer::Alike(_) = are_alike(product, &here, &there)? {
            return Ok(Some(*state));
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;
    use std::path::Path;

    use super::*;
    use crate::check::{Check, Options};
    use crate::script::load::load_text;
    use crate::search::breadth_first::{SearchControl, search};
    use crate::source::{Cancel, Limits};

    /// A process that walks between places, by τ or visibly, and a copy of it.
    fn walks(seed: u64) -> String {
        let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        let mut below = |max: u64| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 11) % max
        };
        let places = 2 + below(9);
        let mut text = "channel t, v\n".to_owned();
        for place in 0..places {
            let mut steps = vec!["v -> STOP".to_owned()];
            for _ in 0..1 + below(3) {
                let event = if below(4) == 0 { "v" } else { "t" };
                // Mostly forwards, so that many of them have no cycle.
                let to = match below(4) {
                    0 => below(places),
                    _ => (place + 1 + below(3)).min(places),
                };
                steps.push(format!("{event} -> P{to}"));
            }
            let _ = writeln!(text, "P{place} = {}", steps.join(" [] "));
        }
        let _ = writeln!(text, "P{places} = v -> P0");
        text + "assert (P0 ||| P0) \\ {t} :[divergence free]\n"
    }

    /// The cycles of a script's first assertion, with this number of bytes for the list of steps.
    fn cycles(text: &str, threads: usize, room: usize, most: usize) -> Cycles {
        let loaded = load_text(Path::new("walks.csp"), text);
        let (limits, cancel) = (Limits::default(), Cancel::default());
        let mut check =
            Check::prepare(&loaded, 0, &Options::default(), &cancel).expect("it compiles");
        let mut lazy = check.lazy_product();
        let mut control = SearchControl {
            threads,
            collapse_after: usize::MAX,
            limits: &limits,
            cancel: &cancel,
            progress: &mut |_| {},
        };
        let found = search(&mut lazy, &mut control).expect("it is searched");
        let control = CycleControl {
            threads,
            limits: &limits,
            cancel: &cancel,
        };
        find_within(&mut lazy, &found.store, control, room, most).expect("it is searched")
    }

    #[test]
    fn cycles_are_the_same_whether_steps_are_written_down_or_not() {
        let (mut with, mut without) = (0, 0);
        for seed in 1..200 {
            let text = walks(seed);
            let plain = cycles(&text, 1, 0, 3);
            for threads in [1, 3] {
                assert_eq!(cycles(&text, threads, usize::MAX, 3), plain, "{text}");
            }
            match plain {
                Cycles::None => without += 1,
                Cycles::Found(_) => with += 1,
                Cycles::Stopped(stop) => panic!("{stop:?}"),
            }
        }
        assert!(with > 30 && without > 30, "{with} with, {without} without");
    }
}
