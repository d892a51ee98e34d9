//! Target cells of the search: which have to be branched on, and whose values are interchangeable.
//!
//! The values of a cell are interchangeable (*free*) if every permutation of them extends to one that
//! leaves the state alone. Three kinds are recognised: values that occur nowhere; values that always
//! stand side by side in sets of single values; and values that occur in one component each, of
//! components that differ in nothing but values of their own.

use super::partition::Vector;
use super::refine::Colours;
use crate::value::Atom;

/// The place of values that the specification does not mention: after all others.
pub(super) const NOWHERE: u32 = u32::MAX;

/// Occurrences of values, and scratch buffers.
#[derive(Debug, Default)]
pub(super) struct Cells {
    /// Number of components in which each value occurs.
    pub(super) counts: Vec<u16>,
    /// First mention of each value by the specification.
    own: Vec<u32>,
    /// For each private value, the first mention of a private value of its component.
    shared: Vec<u32>,
    sizes: Vec<u16>,
    members: Vec<bool>,
    pairs: Vec<(u16, u16)>,
}

/// The reason why the values of a cell are interchangeable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FreeCell {
    Unseen,
    InSameSets,
    Private,
}

/// The next task of the search, whose values were left in a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CellTask {
    /// Every value is alone in its cell.
    Done,
    /// The cell has to be branched on.
    Branch,
    /// Any order of the cell gives the same state, but values that the specification mentions come first; this
    /// many others follow.
    Free(usize),
}

impl Cells {
    /// Finds where the values occur in a state, and where its specification mentions them first.
    pub(super) fn start(&mut self, vector: &Vector, atoms: usize, spec_atoms: &[Atom]) {
        self.counts.clear();
        self.counts.resize(atoms, 0);
        self.members.clear();
        self.members.resize(atoms, false);
        // Components are counted, not occurrences: a value that one component holds twice is as
        // private as one that it holds once. `members` remembers what this component was counted
        // for, and is all false again afterwards, as `is_free` expects it.
        for component in 0..vector.len() as u16 {
            let held = &vector.atoms[vector.variables(component)];
            for atom in held {
                let met = &mut self.members[atom.0 as usize];
                self.counts[atom.0 as usize] += u16::from(!*met);
                *met = true;
            }
            held.iter()
                .for_each(|atom| self.members[atom.0 as usize] = false);
        }
        self.own.clear();
        self.own.resize(atoms, NOWHERE);
        // Backwards, so that the first place is the one that stays.
        for (place, atom) in spec_atoms.iter().enumerate().rev() {
            self.own[atom.0 as usize] = place as u32;
        }
        self.shared.clear();
        self.shared.resize(atoms, NOWHERE);
        // A specification without values prefers none.
        if spec_atoms.is_empty() {
            return;
        }
        for component in 0..vector.len() as u16 {
            let held = &vector.atoms[vector.variables(component)];
            let private = |atom: &&Atom| self.counts[atom.0 as usize] == 1;
            let places = held.iter().filter(private).map(|a| self.own[a.0 as usize]);
            // Private values of one component are exchanged together, so a mention of one fixes the
            // place of all of them.
            let least = places.min().unwrap_or(NOWHERE);
            for atom in held.iter().filter(private) {
                self.shared[atom.0 as usize] = least;
            }
        }
    }

    /// Finds the first cell to branch on, or else the first free one. Its values are left in
    /// `cell`.
    pub(super) fn next_split(
        &mut self,
        vector: &Vector,
        colours: &Colours,
        cell: &mut Vec<u16>,
    ) -> CellTask {
        self.sizes.clear();
        self.sizes.resize(colours.len(), 0);
        for colour in colours {
            self.sizes[*colour as usize] += 1;
        }
        let collect = |colour: u16, cell: &mut Vec<u16>| {
            cell.clear();
            let all = 0..colours.len() as u16;
            cell.extend(all.filter(|v| colours[*v as usize] == colour));
        };
        // Cells to branch on come first. `descend` relies on that: it hands the factorials of free
        // cells to the leaf below, and has no place for them at a branch.
        let mut late = None;
        for colour in 0..colours.len() as u16 {
            if self.sizes[colour as usize] < 2 {
                continue;
            }
            collect(colour, cell);
            // This is decided for the cell as a whole. To branch needlessly costs time; to take a
            // cell for free that is not would cost uniqueness, so each kind of freedom is checked
            // completely.
            match self.is_free(vector, colours, cell) {
                None => return CellTask::Branch,
                Some(why) => {
                    late.get_or_insert((colour, why));
                }
            }
        }
        // No cell has two values: colours are names.
        let Some((colour, why)) = late else {
            return CellTask::Done;
        };
        // The buffer holds the last cell that was examined, which may be another one.
        collect(colour, cell);
        let places = if why == FreeCell::Private {
            &self.shared
        } else {
            &self.own
        };
        // Values that the specification mentions come first, in its order: the sort is stable, and the
        // others, which share one key, follow by number.
        cell.sort_by_key(|value| places[*value as usize]);
        let open = |value: &&u16| places[**value as usize] == NOWHERE;
        CellTask::Free(cell.iter().filter(open).count())
    }

    fn is_free(&mut self, vector: &Vector, colours: &Colours, cell: &[u16]) -> Option<FreeCell> {
        // The first colours separate values that occur from those that do not, so one represents the
        // cell.
        if self.counts[cell[0] as usize] == 0 {
            return Some(FreeCell::Unseen);
        }
        // Marked for the two checks below, and unmarked at the end.
        for value in cell {
            self.members[*value as usize] = true;
        }
        let private = cell.iter().all(|v| self.counts[*v as usize] == 1);
        let found = if self.share_their_sets(vector, cell.len()) {
            Some(FreeCell::InSameSets)
        } else if private && self.are_private(vector, colours, cell.len()) {
            Some(FreeCell::Private)
        } else {
            None
        };
        for value in cell {
            self.members[*value as usize] = false;
        }
        found
    }

    /// Whether the members occur only in sets of single values, and each set that holds one of them
    /// holds all.
    fn share_their_sets(&mut self, vector: &Vector, size: usize) -> bool {
        let Self { members, pairs, .. } = self;
        (0..vector.len() as u16).all(|component| {
            pairs.clear();
            for variable in vector.variables(component) {
                let atom = vector.atoms[variable].0;
                if members[atom as usize] {
                    if vector.compound[variable] {
                        return false;
                    }
                    pairs.push((vector.groups[variable], atom));
                }
            }
            // Elements of one set side by side, with equal atoms next to each other.
            pairs.sort_unstable();
            let are_all = |of_one: &[(u16, u16)]| {
                // As many as the cell has, all different, and all of the cell: so all of them.
                of_one.len() == size && of_one.windows(2).all(|pair| pair[0] != pair[1])
            };
            pairs.chunk_by(|a, b| a.0 == b.0).all(are_all)
        })
    }

    /// Whether the members, which occur in one component each, do so in different ones, whose other
    /// values have names already or occur in no other either.
    fn are_private(&mut self, vector: &Vector, colours: &Colours, size: usize) -> bool {
        let Self {
            members,
            pairs,
            counts,
            sizes,
            ..
        } = self;
        let mut held = 0;
        for component in 0..vector.len() as u16 {
            let variables = vector.variables(component);
            let mut atoms = vector.atoms[variables.clone()].iter();
            if !atoms.any(|atom| members[atom.0 as usize]) {
                continue;
            }
            // A component that holds several members is counted once, and then `held` falls short
            // below.
            held += 1;
            // In sets of tuples it matters which values stand together, which colours do not show.
            if variables.clone().any(|v| vector.compound[v]) {
                return false;
            }
            pairs.clear();
            let atoms = vector.atoms[variables].iter().map(|atom| atom.0);
            pairs.extend(atoms.map(|atom| (colours[atom as usize], atom)));
            pairs.sort_unstable();
            pairs.dedup();
            let settled = |(colour, atom): &(u16, u16)| {
                // Private, so that it moves along with the component; or alone in its cell, so that
                // it stays.
                counts[*atom as usize] == 1 || sizes[*colour as usize] == 1
            };
            // No two of one colour: then colours say which value takes the place of which.
            if !pairs.iter().all(settled) || pairs.windows(2).any(|pair| pair[0].0 == pair[1].0) {
                return false;
            }
        }
        // Each member occurs in one component; as many components as members means one each.
        held == size
    }
}
