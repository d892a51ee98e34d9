//! The `exact` strategy: one representative an orbit, and the order of the stabiliser.
//!
//! `walk` settles most states. For the others the values are coloured, the colours refined
//! (`refine`), and where refinement stops every value of one cell is given its own colour in
//! turn: individualisation and refinement, as in programs for graph isomorphism. The least image over
//! all leaves is the representative.
//!
//! Two leaves with the same image differ by an automorphism. Of the values of a cell that lie in one orbit of
//! the automorphisms which fix the values chosen before, one is tried; and once a leaf was found to be
//! the image of an earlier one, so is the whole subtree below the node where their paths part. The order of the
//! stabiliser is the product of the lengths of the orbits along the first path (orbit-stabiliser theorem).
//!
//! Cells of interchangeable values (`cells`) are not branched on: all their orders lead to the
//! same state.

use super::cells::CellTask;
use super::context::StateContext;
use super::partition::Labels;
use super::refine::Colours;
use super::scratch::{ExactScratch, Leaf, PathNode};
use super::strategy::{Representative, Strategy};
use super::walk::Walker;
use super::watch::{self, Automorphisms, Nobody, StrategyEvent, Watcher};
use crate::machine::order::Order;
use crate::machine::{LocalId, Miss};
use crate::source::stack::deep;
use crate::value::Atom;

/// Leaves of the search for the least image at most; beyond them the best one so far is
/// taken, and reported as uncertain.
pub const LEAVES_MAX: usize = 20_000;

/// Leaves of a search beside a specification whose values have no order, after which the values that it mentions are
/// compared as a set. Their order tells more pairs of one orbit alike, but no two leaves are equal then that differ
/// in that order alone, and without equal leaves all of them are gone through.
const LEAVES_IN_ORDER: usize = 8;

/// Leaves between two checks of the limits. One takes microseconds for some dozen values, and up to a
/// millisecond for some hundred.
const PATIENCE: usize = 64;

/// `walk`, with individualisation and refinement as the fallback.
#[derive(Clone, Copy, Debug, Default)]
pub struct Exact;

impl Exact {
    /// The same computation with a watcher; false if the walk was not enough.
    ///
    /// # Errors
    /// As [`Strategy::representative`].
    pub fn watched(
        self,
        context: &StateContext<'_>,
        out: &mut Representative,
        watcher: &mut impl Watcher,
    ) -> Result<bool, Miss> {
        let walker = Walker::new(context);
        // `Walk` never counts, and both use the same buffers.
        out.walk.counting = out.counting;
        out.fell_back = false;
        out.leaves = 0;
        // Where the walk suffices, its representative is unique (see there), and so need not be the
        // least.
        if walker.name_all(out, watcher) {
            context.image(&out.image, &mut out.locals)?;
            if out.counting {
                let ways = walker.stabiliser(&out.walk);
                out.stabiliser = ways.map(|ways| with_copies(context, ways, &out.locals));
            }
            return Ok(true);
        }
        search(context, out, watcher)?;
        Ok(false)
    }
}

impl Strategy for Exact {
    fn name(&self) -> &'static str {
        "exact"
    }

    fn representative(
        &self,
        context: &StateContext<'_>,
        out: &mut Representative,
    ) -> Result<(), Miss> {
        self.watched(context, out, &mut Nobody).map(|_| ())
    }

    fn permutation(
        &self,
        context: &StateContext<'_>,
        out: &mut Representative,
    ) -> Result<bool, Miss> {
        if out.counting {
            return self.representative(context, out).map(|()| false);
        }
        out.walk.counting = false;
        out.fell_back = false;
        out.leaves = 0;
        let named = Walker::new(context).name_all(out, &mut Nobody);
        if !named {
            search(context, out, &mut Nobody)?;
        }
        Ok(named)
    }

    fn tells_uniqueness(&self) -> bool {
        true
    }

    fn instead(&self) -> &'static str {
        "the least of so many images was taken, which may not be the least of all"
    }

    fn leaves_out_twins(&self) -> bool {
        true
    }
}

/// Searches for the least image, for states that the walk does not settle.
///
/// # Errors
/// An image that the tables do not hold.
fn search(
    context: &StateContext<'_>,
    out: &mut Representative,
    watcher: &mut impl Watcher,
) -> Result<(), Miss> {
    // Taken out, so that the search and the result can be written to independently.
    let mut scratch = std::mem::take(&mut out.exact);
    let found = LeastImageSearch {
        context,
        scratch: &mut scratch,
        watcher,
        counting: out.counting,
        branches_always: false,
    }
    .run();
    // On a miss nothing of the result counts: the computation is repeated once the tables hold the image.
    if found.is_ok() {
        out.fell_back = scratch.exhausted;
        out.leaves = scratch.leaves.max(1);
        // A search that gave up may have missed automorphisms. And where the order of `spec_atoms` means
        // nothing, it has distinguished leaves that are equal: the stabiliser came out too small.
        let certain = !scratch.exhausted && context.spec_atoms_ordered;
        std::mem::swap(&mut out.image, &mut scratch.best.image);
        std::mem::swap(&mut out.locals, &mut scratch.best.locals);
        let order = scratch.order.take().filter(|_| certain && out.counting);
        out.stabiliser = order.map(|order| with_copies(context, order, &out.locals));
    }
    // Also after a miss, so that the buffers are not grown anew.
    out.exact = scratch;
    found
}

/// The order of the stabiliser, from the number of permutations of values that lead to the representative: each
/// combines with every exchange of equal copies.
fn with_copies(context: &StateContext<'_>, mut ways: Order, representative: &[LocalId]) -> Order {
    let format = context.network.format(context.format);
    format.copies().stabiliser_into(representative, &mut ways);
    ways
}

/// The search for one state.
struct LeastImageSearch<'a, W> {
    context: &'a StateContext<'a>,
    scratch: &'a mut ExactScratch,
    watcher: &'a mut W,
    /// Whether to compute the order of the stabiliser.
    counting: bool,
    /// Whether to branch on free cells, too.
    branches_always: bool,
}

/// Generators of the stabiliser of a state and the atoms of its specification: complete
/// unless the search gave up at [`LEAVES_MAX`].
///
/// # Errors
/// As [`Strategy::representative`].
pub(crate) fn automorphisms(
    context: &StateContext<'_>,
    out: &mut Representative,
) -> Result<Vec<Vec<Atom>>, Miss> {
    let mut found = Automorphisms::default();
    LeastImageSearch {
        context,
        scratch: &mut out.exact,
        watcher: &mut found,
        counting: false,
        branches_always: true,
    }
    .run()?;
    Ok(found.0)
}

/// Level that tells [`LeastImageSearch::descend`] to go on: no automorphism was found.
const ONWARD: usize = usize::MAX;

impl<W: Watcher> LeastImageSearch<'_, W> {
    fn run(&mut self) -> Result<(), Miss> {
        let context = self.context;
        let format = context.network.format(context.format);
        let scratch = &mut *self.scratch;
        // The atoms of the specification are no component here: leaves compare by them last, and
        // free cells put them first.
        scratch.vector.fill(
            context.atoms,
            context.locals,
            format,
            context.state,
            &[],
            Labels::All,
        );
        scratch.order = None;
        scratch.found = 0;
        scratch.leaves = 0;
        scratch.exhausted = false;
        scratch.path.clear();
        scratch
            .cells
            .start(&scratch.vector, context.atoms.len(), context.spec_atoms);
        if scratch.levels.is_empty() {
            scratch.levels.push(PathNode::default());
        }
        let colours = &mut scratch.levels[0].colours;
        colours.clear();
        for kind in 0..context.atoms.kinds() {
            let range = context.atoms.atoms(kind as u8);
            let seen = |atom: u16| scratch.cells.counts[atom as usize] > 0;
            // Values that occur nowhere get the last colours of their types.
            // So that a colour is the first value plus the number of values with smaller colours.
            let last = range.start + range.clone().filter(|a| seen(*a)).count() as u16;
            let colour = |atom| if seen(atom) { range.start } else { last };
            colours.extend(range.clone().map(colour));
        }
        self.descend(0).map(|_| ())
    }

    /// Searches the subtree of a node. Returns the level to go back to: everything below that node since is
    /// the image of an earlier part under an automorphism.
    fn descend(&mut self, level: usize) -> Result<usize, Miss> {
        // Refine and split free cells until the colouring is discrete or a branch is needed. Free
        // cells come last (`next_split`), so what was multiplied into `free` always reaches a leaf.
        let mut free = Order::ONE;
        loop {
            let scratch = &mut *self.scratch;
            let PathNode { colours, cell } = &mut scratch.levels[level];
            let watcher = &mut *self.watcher;
            watch::refined(watcher, level, colours);
            let seen = |colours: &Colours| watch::refined(watcher, level, colours);
            scratch.signatures.refine(&scratch.vector, colours, seen);
            match scratch.cells.next_split(&scratch.vector, colours, cell) {
                CellTask::Done => return self.leaf(level, free),
                CellTask::Branch => {
                    self.watcher
                        .see(|| StrategyEvent::Branch(level, cell.clone()));
                    break;
                }
                CellTask::Free(_) if self.branches_always => break,
                CellTask::Free(open) => {
                    self.watcher
                        .see(|| StrategyEvent::Free(level, cell.clone()));
                    // Factorials of thousands cost more than everything else here.
                    if self.counting {
                        free.times_factorial(open);
                    }
                    // Each value gets a colour of its own: that of the cell plus its position.
                    for (n, value) in cell.iter().enumerate() {
                        colours[*value as usize] += n as u16;
                    }
                }
            }
        }
        // Without a leaf so far, this node lies on the path to the first one.
        let is_first_path = self.scratch.order.is_none();
        for at in 0..self.scratch.levels[level].cell.len() {
            let value = self.scratch.levels[level].cell[at];
            // Asked anew for each value: the subtrees before it may have yielded automorphisms.
            if at > 0 && self.is_image_of_earlier(level, at) {
                self.watcher.see(|| StrategyEvent::Skipped(level, value));
                continue;
            }
            self.watcher.see(|| StrategyEvent::Chosen(level, value));
            self.individualise(level, at);
            // One level a value of a cell, and there may be some hundred.
            let back = deep(|| self.descend(level + 1))?;
            // The paths parted above this node: the rest of this subtree is the image of an earlier one.
            // At this very node (`back == level`) only the value just tried is, and the next
            // one follows.
            if back < level || self.scratch.exhausted {
                return Ok(back);
            }
        }
        if is_first_path {
            self.count_orbit(level);
        }
        Ok(ONWARD)
    }

    /// Multiplies the order of the stabiliser by the length of an orbit, once the subtree of a node of the first path
    /// is done: then all its automorphisms are known.
    fn count_orbit(&mut self, level: usize) {
        self.find_orbits(level);
        let scratch = &mut *self.scratch;
        let cell = &scratch.levels[level].cell;
        // The first path went by the first value of the cell.
        let root = scratch.orbits[cell[0] as usize];
        let orbit = cell.iter().filter(|v| scratch.orbits[**v as usize] == root);
        let length = orbit.count();
        self.watcher
            .see(|| StrategyEvent::Orbit(level, cell[0], length));
        // Orbit-stabiliser: of the automorphisms that fix the path so far, those that also fix its
        // next value are a fraction of one over the length of its orbit. Along the path, the lengths
        // multiply to the order of the whole group, times `free`, which the leaf began with.
        if let Some(order) = &mut scratch.order {
            order.times(length as u128);
        }
    }

    /// Individualises a value of the cell, in the next level: gives it the first colour.
    fn individualise(&mut self, level: usize, at: usize) {
        let scratch = &mut *self.scratch;
        if scratch.levels.len() == level + 1 {
            scratch.levels.push(PathNode::default());
        }
        let (here, below) = scratch.levels.split_at_mut(level + 1);
        let (here, next) = (&here[level], &mut below[0].colours);
        let first = here.cell[at];
        // The subtree before left its own path behind.
        scratch.path.truncate(level);
        scratch.path.push(first);
        next.clear();
        next.extend_from_slice(&here.colours);
        // The chosen value keeps the colour; the others have one smaller value more before them.
        for value in here.cell.iter().filter(|value| **value != first) {
            next[*value as usize] += 1;
        }
    }

    /// Whether an automorphism that fixes the path takes a value of the cell to one tried before.
    fn is_image_of_earlier(&mut self, level: usize, at: usize) -> bool {
        self.find_orbits(level);
        let scratch = &*self.scratch;
        let cell = &scratch.levels[level].cell;
        let orbit = |value: u16| scratch.orbits[value as usize];
        cell[..at].iter().any(|v| orbit(*v) == orbit(cell[at]))
    }

    /// The orbits of the automorphisms that fix the first values of the path.
    fn find_orbits(&mut self, level: usize) {
        let ExactScratch {
            orbits,
            automorphisms,
            found,
            path,
            ..
        } = &mut *self.scratch;
        orbits.clear();
        orbits.extend(0..self.context.atoms.len() as u16);
        let root = |orbits: &[u16], mut value: u16| {
            while orbits[value as usize] != value {
                value = orbits[value as usize];
            }
            value
        };
        for map in &automorphisms[..*found] {
            // It moves a value that was chosen above, so it leads out of this subtree.
            if path[..level].iter().any(|v| map[*v as usize] != *v) {
                continue;
            }
            for (value, to) in map.iter().enumerate() {
                let (a, b) = (root(orbits, value as u16), root(orbits, *to));
                // The smaller root wins: so roots are the least values of their orbits, and paths
                // end.
                orbits[a.max(b) as usize] = a.min(b);
            }
        }
        for value in 0..orbits.len() {
            orbits[value] = root(orbits, value as u16);
        }
    }

    /// Compares a leaf, where the colouring is discrete, with the first one and the best.
    fn leaf(&mut self, level: usize, free: Order) -> Result<usize, Miss> {
        let context = self.context;
        let scratch = &mut *self.scratch;
        // A leaf is a discrete colouring: each colour is a name (`refine`), and the colours are a
        // permutation.
        scratch.leaves += 1;
        let colours = scratch.levels[level].colours.iter();
        scratch.trial.image.clear();
        scratch.trial.image.extend(colours.map(|c| Atom(*c)));
        context.image(&scratch.trial.image, &mut scratch.trial.locals)?;
        scratch.trial.path.clear();
        scratch.trial.path.extend_from_slice(&scratch.path[..level]);
        // The first leaf is kept besides the best: automorphisms to it fix a prefix of
        // the first path, from which the order of the stabiliser is computed.
        if scratch.order.is_none() {
            scratch.order = Some(free);
            scratch.first.copy(&scratch.trial);
            scratch.best.copy(&scratch.trial);
            self.watcher
                .see(|| StrategyEvent::Leaf(level, watch::LeafKind::First));
            return Ok(ONWARD);
        }
        // The leaf at which the search gives up is still compared: it costs nothing any more.
        if scratch.leaves > LEAVES_MAX
            || scratch.leaves.is_multiple_of(PATIENCE) && context.locals.is_interrupted()
        {
            scratch.exhausted = true;
            self.watcher.see(|| StrategyEvent::GaveUp);
        }
        let in_order = context.spec_atoms_ordered || scratch.leaves <= LEAVES_IN_ORDER;
        let mentioned = (context.spec_atoms, in_order);
        if scratch.trial.compare(&scratch.first, mentioned).is_eq() {
            self.watcher
                .see(|| StrategyEvent::Leaf(level, watch::LeafKind::Equal));
            return Ok(self.note_automorphism(true));
        }
        let found = match scratch.trial.compare(&scratch.best, mentioned) {
            std::cmp::Ordering::Less => {
                std::mem::swap(&mut scratch.trial, &mut scratch.best);
                watch::LeafKind::Better
            }
            std::cmp::Ordering::Equal => {
                self.watcher
                    .see(|| StrategyEvent::Leaf(level, watch::LeafKind::Equal));
                return Ok(self.note_automorphism(false));
            }
            std::cmp::Ordering::Greater => watch::LeafKind::Worse,
        };
        self.watcher.see(|| StrategyEvent::Leaf(level, found));
        Ok(ONWARD)
    }

    /// Records the automorphism from the last leaf to the first, or to the best. Returns the level where their paths
    /// part.
    fn note_automorphism(&mut self, of_first: bool) -> usize {
        let ExactScratch {
            automorphisms,
            found,
            inverse,
            trial,
            first,
            best,
            ..
        } = &mut *self.scratch;
        let other = if of_first { first } else { best };
        inverse.clear();
        inverse.resize(other.image.len(), 0);
        // `π` took the state to the same image as `ρ` did, so `π ; ρ⁻¹` takes it to itself.
        for (value, name) in other.image.iter().enumerate() {
            inverse[name.0 as usize] = value as u16;
        }
        // Buffers of earlier states are used again.
        if automorphisms.len() == *found {
            automorphisms.push(Vec::new());
        }
        let map = &mut automorphisms[*found];
        *found += 1;
        map.clear();
        map.extend(trial.image.iter().map(|name| inverse[name.0 as usize]));
        let pairs = trial.path.iter().zip(&other.path);
        // The first level at which another value was chosen.
        let part = pairs.take_while(|(a, b)| a == b).count();
        self.watcher
            .see(|| StrategyEvent::Automorphism(map.clone(), part));
        part
    }
}

impl Leaf {
    fn copy(&mut self, from: &Self) {
        self.path.clone_from(&from.path);
        self.image.clone_from(&from.image);
        self.locals.clone_from(&from.locals);
    }

    /// Compares images of the state, then those of the values that the specification mentions: in their order, or as a
    /// set.
    fn compare(&self, other: &Self, (spec_atoms, in_order): (&[Atom], bool)) -> std::cmp::Ordering {
        let by_locals = self.locals.cmp(&other.locals);
        by_locals.then_with(|| {
            let mut after = [None; 2];
            let mut pairs = spec_atoms.iter().map(|atom| {
                if in_order {
                    return [self, other].map(|leaf| Some(leaf.image[atom.0 as usize]));
                }
                let [own, others] = after;
                after = [
                    self.name_after(spec_atoms, own),
                    other.name_after(spec_atoms, others),
                ];
                after
            });
            let differing = pairs.find(|[own, other]| own != other);
            differing.map_or(std::cmp::Ordering::Equal, |[own, other]| own.cmp(&other))
        })
    }

    /// The least image above another one of the values that the specification mentions.
    fn name_after(&self, spec_atoms: &[Atom], after: Option<Atom>) -> Option<Atom> {
        let names = spec_atoms.iter().map(|atom| self.image[atom.0 as usize]);
        names.filter(|name| Some(*name) > after).min()
    }
}
