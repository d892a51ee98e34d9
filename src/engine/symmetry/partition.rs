//! The input of component ordering: a state as a multiset of component states with variables, and the ordered
//! partition of its components (Def. 36).
//!
//! Invariants: `order` holds every component that takes part once; blocks are consecutive runs of
//! it; all members of a block have the same control state and so the same variables.
//! All vectors keep their capacity from state to state: taking a representative allocates nothing.

use super::permutation::lists_once;
use crate::machine::{Format, LocalId, Locals};
use crate::value::{Atom, AtomTypes};

/// Which labels of components are variables. A permutation moves a component to the place that the image
/// of its label names, so a label that the state does not show counts as much as a value that it holds:
/// the paper's Def. 46 assumes that a component never loses its identity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Labels {
    /// No label: only the values that the components hold.
    None,
    /// The labels of components that do not hold theirs in a variable that is no set.
    Forgotten,
    /// All labels, except of components that are alone in their class and never move.
    All,
}

/// Key of a label that the state does not show: above any pattern of three atoms.
const UNKEPT: u16 = u16::MAX;

/// A multiset of component states with distinguished variables.
#[derive(Debug, Default)]
pub struct Vector {
    /// Sort keys of step 1: rank of the shape, then class, then where the label is held.
    pub keys: Vec<u64>,
    /// First variable of each component in `atoms`; one more at the end.
    pub starts: Vec<u32>,
    /// Values of the variables, component by component.
    pub atoms: Vec<Atom>,
    /// The set that each variable belongs to, counted within the component (simple variables: one
    /// each).
    pub groups: Vec<u16>,
    /// The element of a set that each variable stands in, counted within the component.
    rows: Vec<u16>,
    /// Whether other variables stand in the same element.
    pub compound: Vec<bool>,
    /// The symmetric type of each variable.
    pub kinds: Vec<u8>,
    /// Whether some component has a variable that holds a set.
    pub grouped: bool,
    /// The identity of each component, if it has one.
    pub identity: Vec<Option<Atom>>,
    /// Components from here on take part only once step 2 makes no more progress: the specification, whose
    /// values may break ties but decide nothing else.
    pub late: usize,
}

impl Vector {
    /// Fills in the components of a state, and `spec_atoms` atoms as one late component.
    pub fn fill(
        &mut self,
        atoms: &AtomTypes,
        locals: &Locals,
        format: &Format,
        state: &[LocalId],
        spec_atoms: &[Atom],
        labels: Labels,
    ) {
        self.clear();
        for (component, local) in state.iter().enumerate() {
            let shape = locals.shape_of(*local);
            let class = u64::from(format.components()[component].class);
            self.starts.push(self.atoms.len() as u32);
            self.atoms.extend_from_slice(locals.atoms_of(*local));
            let entry = locals.shape(shape);
            self.groups.extend(entry.holes.iter().map(|h| h.group));
            self.rows.extend(entry.holes.iter().map(|h| h.row));
            self.compound.extend(entry.holes.iter().map(|h| h.compound));
            self.kinds.extend(entry.holes.iter().map(|h| h.kind));
            self.grouped |= entry.grouped;
            self.identity.push(format.identity()[component]);
            // Whether the label is appended is part of the key, so it is the same for all members
            // of a block: they have equally many variables, in the same places.
            let pattern = match labels {
                Labels::None => 0,
                Labels::Forgotten => self.find_label(locals, format, component),
                Labels::All => UNKEPT,
            };
            if pattern == UNKEPT {
                self.add_label(atoms, locals, format, component);
            }
            // The paper assumes that components of different symmetric sets have different control
            // states (Sec. 7.3); the class serves for that. Shapes come first, as control states do
            // in step 1.
            let rank = u64::from(locals.rank(shape));
            self.keys
                .push(rank << 32 | class << 16 | u64::from(pattern));
        }
        self.late = state.len();
        if !spec_atoms.is_empty() {
            // Not compared with other keys: `start` leaves late components out, `add_late` gives
            // each a block of its own.
            self.keys.push(u64::MAX);
            self.starts.push(self.atoms.len() as u32);
            self.atoms.extend_from_slice(spec_atoms);
            // Each atom is a variable of its own here, even if the specification holds a set.
            self.groups.extend(0..spec_atoms.len() as u16);
            self.rows.extend(0..spec_atoms.len() as u16);
            self.compound.extend(spec_atoms.iter().map(|_| false));
            self.kinds.extend(spec_atoms.iter().map(|a| atoms.kind(*a)));
            self.identity.push(None);
        }
        self.starts.push(self.atoms.len() as u32);
    }

    /// Clears the previous state, and keeps the allocations.
    fn clear(&mut self) {
        self.keys.clear();
        self.starts.clear();
        self.atoms.clear();
        self.groups.clear();
        self.rows.clear();
        self.compound.clear();
        self.kinds.clear();
        self.identity.clear();
        self.grouped = false;
    }

    /// The pattern of the last component's label: the places where it holds the atoms of the label, up to three of
    /// four bits each. [`UNKEPT`] if it lacks one, or holds one where order means nothing, or elsewhere.
    fn find_label(&self, locals: &Locals, format: &Format, component: usize) -> u16 {
        // Nothing to find: no permutation moves such a component.
        if format.images().label(component).is_empty() {
            return 0;
        }
        let from = self.starts[component] as usize;
        let (held, groups) = (&self.atoms[from..], &self.groups[from..]);
        // The leading one keeps patterns of different lengths apart, which might begin with place
        // 0.
        let mut pattern = 1u16;
        for atom in locals.atoms_of(format.components()[component].initial) {
            // Alone in its group: a simple variable, not an element of a set.
            let single = |at: &usize| groups.iter().filter(|g| **g == groups[*at]).count() == 1;
            let mut places = (0..held.len()).filter(|at| held[*at] == *atom);
            match places.find(single) {
                // Below `1 << 12` the pattern holds two atoms at most, and there is room for one
                // more.
                Some(at) if at < 16 && pattern < 1 << 12 => pattern = pattern << 4 | at as u16,
                _ => return UNKEPT,
            }
        }
        pattern
    }

    fn add_label(&mut self, atoms: &AtomTypes, locals: &Locals, format: &Format, component: usize) {
        /// Groups of labels are not those of variables.
        const APART: u16 = 1 << 15;
        if format.images().label(component).is_empty() {
            return;
        }
        let initial = format.components()[component].initial;
        let entry = locals.shape(locals.shape_of(initial));
        for (atom, hole) in locals.atoms_of(initial).iter().zip(&entry.holes) {
            self.atoms.push(*atom);
            self.groups.push(APART + hole.group);
            self.rows.push(APART + hole.row);
            self.compound.push(hole.compound);
            self.kinds.push(atoms.kind(*atom));
        }
        self.grouped |= entry.grouped;
    }

    /// The first variable that stands in the same element of a set as a variable of a component whose
    /// variables begin at `from`.
    #[must_use]
    pub fn row_start(&self, from: usize, variable: usize) -> usize {
        let row = self.rows[variable];
        let mut before = (from..variable).rev();
        let mut first = variable;
        // Rows are runs.
        while let Some(at) = before.next().filter(|at| self.rows[*at] == row) {
            first = at;
        }
        first
    }

    /// Number of components, late ones included.
    #[must_use]
    pub(crate) fn len(&self) -> usize {
        self.keys.len()
    }

    /// The variables of a component.
    #[must_use]
    pub fn variables(&self, component: u16) -> std::ops::Range<usize> {
        self.starts[component as usize] as usize..self.starts[component as usize + 1] as usize
    }
}

/// The ordered partition, and the buckets of every atom.
#[derive(Debug, Default)]
pub struct OrderedPartition {
    /// Components, block after block.
    pub order: Vec<u16>,
    /// Where each block starts in `order`; one more at the end.
    pub bounds: Vec<u32>,
    /// First entry of each atom in `places`; one more at the end.
    bucket_at: Vec<u32>,
    /// The buckets `B(v)` of Sec. 7.5: for every occurrence of an atom the code of its
    /// (block, variable), ascending.
    places: Vec<u32>,
}

impl OrderedPartition {
    /// Step 1: blocks of equal keys, in ascending order of keys.
    pub fn start(&mut self, vector: &Vector) {
        self.order.clear();
        // Late components are left out; see `add_late`.
        self.order.extend(0..vector.late as u16);
        self.order
            .sort_unstable_by_key(|c| (vector.keys[*c as usize], *c));
        self.bounds.clear();
        self.bounds.push(0);
        for at in 1..self.order.len() {
            if vector.keys[self.order[at - 1] as usize] != vector.keys[self.order[at] as usize] {
                self.bounds.push(at as u32);
            }
        }
        self.bounds.push(self.order.len() as u32);
        // No components, no blocks: the end alone.
        if self.order.is_empty() {
            self.bounds.truncate(1);
        }
    }

    /// Adds the late components, one block each.
    pub fn add_late(&mut self, vector: &Vector) {
        for component in vector.late..vector.len() {
            self.order.push(component as u16);
            self.bounds.push(self.order.len() as u32);
        }
    }

    /// Number of blocks.
    #[must_use]
    pub(crate) fn len(&self) -> usize {
        self.bounds.len() - 1
    }

    /// Members of a block.
    #[must_use]
    pub fn block(&self, block: usize) -> &[u16] {
        &self.order[self.bounds[block] as usize..self.bounds[block + 1] as usize]
    }

    /// Whether every block is a singleton.
    #[must_use]
    pub fn is_discrete(&self) -> bool {
        self.len() == self.order.len()
    }

    /// The bucket of an atom: the codes of its occurrences.
    #[must_use]
    pub fn places(&self, atom: Atom) -> &[u32] {
        let at = atom.0 as usize;
        &self.places[self.bucket_at[at] as usize..self.bucket_at[at + 1] as usize]
    }

    /// Computes the buckets for the present partition. Codes ascend with block, then variable, so a
    /// bucket filled in that order is sorted, but for sets whose elements are tuples.
    pub fn fill_buckets(&mut self, vector: &Vector, atoms: usize) {
        // Counting sort. The entry of atom `a` is counted two slots up, so that after summing up
        // the start of `a` stands at `a + 1`, where it serves as the cursor of the second pass;
        // that leaves the cursor at the end of `a`, which is the start of `a + 1`: the final table,
        // without a copy.
        self.bucket_at.clear();
        self.bucket_at.resize(atoms + 2, 0);
        for component in &self.order {
            for variable in vector.variables(*component) {
                self.bucket_at[vector.atoms[variable].0 as usize + 2] += 1;
            }
        }
        for at in 2..self.bucket_at.len() {
            self.bucket_at[at] += self.bucket_at[at - 1];
        }
        let total = self.bucket_at[atoms + 1] as usize;
        self.places.clear();
        self.places.resize(total, 0);
        // Two occurrences have one code if they are in one variable (or one set) of one block: they are not
        // distinguished yet. The codes of a block are `code + group`, and the next
        // block begins above them. Groups of labels leave gaps, which do no harm: codes are
        // compared, never used as indices.
        let mut code = 0u32;
        for block in 0..self.bounds.len() - 1 {
            let (from, to) = (self.bounds[block] as usize, self.bounds[block + 1] as usize);
            // Any member serves: they all have the same variables and groups.
            let variables = vector.variables(self.order[from]);
            let first = variables.start;
            let mut base = 0u32;
            for variable in variables.clone() {
                let group = u32::from(vector.groups[variable]);
                base = base.max(group + 1);
                // Variable by variable, not member by member: else the codes would not ascend.
                for member in from..to {
                    let start = vector.starts[self.order[member] as usize] as usize;
                    let atom = vector.atoms[start + variable - first];
                    let slot = &mut self.bucket_at[atom.0 as usize + 1];
                    self.places[*slot as usize] = code + group;
                    *slot += 1;
                }
            }
            code += base;
        }
        if vector.grouped {
            // The variables of a set need not be side by side.
            for atom in 0..atoms {
                let (from, to) = (
                    self.bucket_at[atom] as usize,
                    self.bucket_at[atom + 1] as usize,
                );
                self.places[from..to].sort_unstable();
            }
        }
    }

    /// Checks the invariants of this file in debug builds: every component that takes part is in one block,
    /// and the members of a block have the same key and so the same variables.
    ///
    /// # Panics
    /// If one of them does not hold.
    pub fn assert_consistent(&self, vector: &Vector) {
        let all = 0..self.order.len() as u16;
        assert!(
            lists_once(&self.order.iter().copied(), &all),
            "not every component is there once"
        );
        let ends = (self.bounds.first(), self.bounds.last());
        let whole = (Some(&0), Some(&(self.order.len() as u32)));
        assert_eq!(ends, whole, "blocks leave something out");
        assert!(self.bounds.is_sorted_by(|a, b| a < b), "a block is empty");
        for block in 0..self.len() {
            let key = |c: &u16| (vector.keys[*c as usize], vector.variables(*c).len());
            let members = self.block(block);
            let alike = members.iter().all(|c| key(c) == key(&members[0]));
            assert!(alike, "a block has components of several kinds");
        }
    }

    /// Replaces the boundaries: the cuts are positions in `order` that start a block.
    pub fn set_bounds(&mut self, cuts: impl Iterator<Item = u32>) {
        self.bounds.clear();
        self.bounds.extend(cuts);
        self.bounds.push(self.order.len() as u32);
    }

    /// The partition as plain data.
    #[must_use]
    pub fn to_partition(&self) -> super::trace::BlockList {
        (0..self.len())
            .map(|b| self.block(b).iter().map(|c| *c as usize).collect())
            .collect()
    }
}
