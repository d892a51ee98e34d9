//! Component ordering (Def. 36), type ordering (Def. 38), permutation generation (Def. 40).
//!
//! Step 2 compares n-values without writing the tuples out. `n_{i,j,k}(s)` depends on the value
//! `s(v_i)` alone, and the numbers for one value are the bucket `B(s(v_i))` of Sec. 7.5 read as a
//! multiset of (block, variable) codes. Comparing two sorted buckets element by element, the smaller
//! code first meaning the *larger* tuple, is the lexicographic order of the tuples. Sec. 7.5 has two
//! alternatives to n, which are compared instead if that is asked for ([`super::nvalues`]); the values
//! within a set are sorted by their buckets in any case.

use std::cmp::Ordering;

use super::nvalues::{NValues, Neighbours, compare_places};
use super::observe::Observer;
use super::partition::{OrderedPartition, Vector};
use crate::value::{Atom, AtomTypes};

/// How types are ordered (Def. 38).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum TypeOrdering {
    /// Values in order of appearance: the literal Def. 38.
    #[default]
    Appearance,
    /// Identity variables first, then the others: as Examples 41 and 43 were printed.
    IdentitiesFirst,
}

/// Scratch buffers of the algorithm, and its results besides the order.
#[derive(Debug, Default)]
pub struct OrderingScratch {
    /// The state to order; the elements of its sets are sorted on the way.
    pub vector: Vector,
    /// The ordered partition of its components: discrete at the end.
    pub blocks: OrderedPartition,
    /// The choices of step 3, in order.
    pub choices: Vec<Choice>,
    /// The member that step 3 puts first at each choice; the first one by default and beyond the end.
    pub script: Vec<u16>,
    /// Number of values of each type that occur.
    pub seen: Vec<u16>,
    cuts: Vec<u32>,
    near: Neighbours,
}

/// A choice of step 3.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// The members of the block.
    pub members: std::ops::Range<usize>,
    /// Whether the members differ only in values that occur nowhere else: then all picks lead to one
    /// state (a sufficient test for Def. 49), and the block is taken apart at once.
    pub fully_symmetric: bool,
    /// The member put first.
    pub picked: u16,
}

/// Tied values, which stand in the same places of an ordered state, side by side in sets: the order of their
/// names is arbitrary.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tie {
    /// The values, in the order in which they are named.
    pub values: Vec<Atom>,
    /// A place of all of them: component and variable.
    pub place: (u16, usize),
    /// Whether they stand alone as elements of sets: exchanging them leaves the state as it is. In sets of
    /// tuples or of sets it may not.
    pub harmless: bool,
}

impl OrderingScratch {
    /// Def. 36 on `self.vector`, by these n-values: leaves a discrete partition in `self.blocks`.
    pub fn order_components<N: NValues>(
        &mut self,
        _: N,
        atoms: &AtomTypes,
        observer: &mut impl Observer,
    ) {
        // Step 1. The specification is not yet among the components.
        self.choices.clear();
        self.blocks.start(&self.vector);
        observer.initial(&self.vector, &self.blocks);
        // Steps 2 and 3 in turn, and the specification between them, once.
        let mut late_added = false;
        loop {
            self.refine::<N>(atoms, observer);
            if self.blocks.is_discrete() {
                break;
            }
            // The specification takes part only where the implementation alone leaves a choice: its
            // values break ties and decide nothing else.
            if !late_added && self.vector.late < self.vector.len() {
                self.blocks.add_late(&self.vector);
                late_added = true;
                continue;
            }
            if self.choose(observer) {
                break;
            }
        }
        // Even if the state alone settles everything, the specification still comes last, so that
        // values that only it mentions are listed (Def. 38) in its order and not in an arbitrary
        // one.
        if !late_added {
            self.blocks.add_late(&self.vector);
        }
        if cfg!(debug_assertions) {
            self.blocks.assert_consistent(&self.vector);
        }
        observer.ordered(&self.vector, &self.blocks);
    }

    /// Step 2, repeated until no more progress is made.
    fn refine<N: NValues>(&mut self, atoms: &AtomTypes, observer: &mut impl Observer) {
        // Since the last call components may have been added.
        let mut anew = true;
        loop {
            let discrete = self.blocks.is_discrete();
            // Discrete, and no sets: nothing is left to sort, and the buckets are not read
            // any more.
            if discrete && !self.vector.grouped {
                return;
            }
            // Step 3 reads their lengths, which no round changes.
            if N::READS_BUCKETS || anew || self.vector.grouped {
                self.blocks.fill_buckets(&self.vector, atoms.len());
            }
            if self.vector.grouped {
                self.sort_groups();
                // A discrete partition cannot be split, but the elements of sets had to be sorted
                // once more: Def. 38 lists the values in this order.
                if discrete {
                    return;
                }
            }
            if cfg!(debug_assertions) {
                self.blocks.assert_consistent(&self.vector);
            }
            N::prepare(
                &mut self.near,
                &self.vector,
                &self.blocks,
                atoms.len(),
                anew,
            );
            anew = false;
            observer.count(&self.vector, &self.blocks);
            let changed = self.split_by_n_values::<N>();
            observer.refined(&self.vector, &self.blocks, changed);
            if !changed {
                return;
            }
        }
    }

    /// Sorts the variables within a set by their n-values: their order means nothing.
    fn sort_groups(&mut self) {
        let (vector, blocks) = (&mut self.vector, &self.blocks);
        for component in 0..vector.len() as u16 {
            let range = vector.variables(component);
            // Insertion sort among the variables of each group; sets are small.
            for at in range.clone() {
                let mut hole = at;
                while let Some(before) = (range.start..hole)
                    .rev()
                    .find(|b| vector.groups[*b] == vector.groups[at])
                {
                    let (x, y) = (vector.atoms[before], vector.atoms[hole]);
                    if compare_places(blocks.places(x), blocks.places(y)) != Ordering::Greater {
                        break;
                    }
                    vector.atoms.swap(before, hole);
                    hole = before;
                }
            }
        }
    }

    fn split_by_n_values<N: NValues>(&mut self) -> bool {
        let mut changed = false;
        self.cuts.clear();
        for block in 0..self.blocks.len() {
            let (from, to) = (
                self.blocks.bounds[block] as usize,
                self.blocks.bounds[block + 1] as usize,
            );
            self.cuts.push(from as u32);
            if to - from < 2 {
                continue;
            }
            let (near, vector, blocks) = (&self.near, &self.vector, &mut self.blocks);
            // The order is taken out since the comparison borrows the blocks. It reads buckets
            // only, which stay as they are until the next round: all blocks are split against the
            // same partition.
            let mut members = std::mem::take(&mut blocks.order);
            // Members with equal n-values are put in the order of components: the first pick of
            // step 3 does not depend on earlier sorts.
            members[from..to]
                .sort_unstable_by(|a, b| N::compare(near, vector, blocks, *a, *b).then(a.cmp(b)));
            for at in from + 1..to {
                let (a, b) = (members[at - 1], members[at]);
                if N::compare(near, vector, blocks, a, b) != Ordering::Equal {
                    self.cuts.push(at as u32);
                    changed = true;
                }
            }
            blocks.order = members;
        }
        if changed {
            self.blocks.set_bounds(self.cuts.iter().copied());
        }
        changed
    }

    /// Step 3: splits the first block that is not a singleton. A block whose members differ only in
    /// values that occur nowhere else is fully symmetric (Def. 49) and is split at once: step 2
    /// could not use the outcome. True if the partition is discrete afterwards, without another
    /// step 2.
    fn choose(&mut self, observer: &mut impl Observer) -> bool {
        while let Some(block) = (0..self.blocks.len()).find(|b| self.blocks.block(*b).len() > 1) {
            // The buckets are those of the last round of step 2. If this loop has split a block
            // since, their codes are out of date; but only their lengths are asked for, and
            // splitting changes none.
            let all = self.differ_privately(block);
            let (from, to) = (self.blocks.bounds[block], self.blocks.bounds[block + 1]);
            self.put_first(from as usize..to as usize, all);
            self.cuts.clear();
            // `set_bounds` adds the end again.
            let bounds = &self.blocks.bounds[..self.blocks.bounds.len() - 1];
            self.cuts
                .extend(bounds.iter().copied().filter(|b| *b <= from));
            self.cuts.extend(if all {
                from + 1..to
            } else {
                from + 1..from + 2
            });
            self.cuts
                .extend(bounds.iter().copied().filter(|b| *b >= to));
            self.blocks.set_bounds(self.cuts.iter().copied());
            observer.choice(&self.vector, &self.blocks, block, all);
            // Other blocks may depend on this pick, so step 2 runs again.
            if !all {
                return false;
            }
        }
        true
    }

    /// Puts the member of the script first, and records the choice.
    fn put_first(&mut self, members: std::ops::Range<usize>, fully_symmetric: bool) {
        // The number of choices so far is the number of this one.
        let wanted = self.script.get(self.choices.len()).copied().unwrap_or(0) as usize;
        let block = &mut self.blocks.order[members.clone()];
        if wanted < block.len() {
            // Rotating keeps the others in their order, so all picks of one block have the same
            // rest.
            block[..=wanted].rotate_right(1);
        }
        self.choices.push(Choice {
            picked: block[0],
            members,
            fully_symmetric,
        });
    }

    /// Whether the members of a block are equal up to values that occur exactly once. False where values
    /// stand together in the elements of a set, since it matters which with which.
    fn differ_privately(&self, block: usize) -> bool {
        let members = self.blocks.block(block);
        let first = self.vector.variables(members[0]);
        if self.vector.compound[first.clone()].contains(&true) {
            return false;
        }
        first.clone().all(|variable| {
            // All members of a block have the same variables, so one offset serves all.
            let at = variable - first.start;
            let value = |c: u16| self.vector.atoms[self.vector.variables(c).start + at];
            let same = members.iter().all(|c| value(*c) == value(members[0]));
            // One entry in the bucket is the occurrence in the member itself.
            same || members
                .iter()
                .all(|c| self.blocks.places(value(*c)).len() == 1)
        })
    }

    /// The ties of the last state, given the names of its values.
    pub fn ties(&mut self, atoms: &AtomTypes, image: &[Atom]) -> Vec<Tie> {
        if !self.vector.grouped {
            return Vec::new();
        }
        // Step 3 may have taken blocks apart since they were filled.
        self.blocks.fill_buckets(&self.vector, atoms.len());
        let (vector, blocks) = (&self.vector, &self.blocks);
        let mut values: Vec<Atom> = (0..atoms.len() as u16).map(Atom).collect();
        // Values that occur nowhere are arbitrary, too, but no order of them changes the state.
        values.retain(|value| !blocks.places(*value).is_empty());
        // In a discrete partition a place is one variable of one component, or one set there. So
        // values with equal buckets are elements of the same sets.
        let key = |value: &Atom| (atoms.kind(*value), blocks.places(*value));
        values.sort_by_key(|value| (key(value), image[value.0 as usize]));
        let tied = values.chunk_by(|a, b| key(a) == key(b));
        let tie = |values: &[Atom]| {
            let mut holding = blocks.order.iter().flat_map(|component| {
                let variables = vector.variables(*component);
                variables.map(move |variable| (*component, variable))
            });
            let (component, variable) =
                holding.find(|(_, variable)| values.contains(&vector.atoms[*variable]))?;
            let mut held = vector.atoms.iter().zip(&vector.compound);
            Some(Tie {
                values: values.to_vec(),
                place: (component, variable - vector.variables(component).start),
                harmless: !held.any(|(atom, compound)| *compound && values.contains(atom)),
            })
        };
        tied.filter(|values| values.len() > 1)
            .filter_map(tie)
            .collect()
    }

    /// Defs. 38 and 40: orders the values of each type by appearance along the component order and
    /// maps the n-th to the n-th value of the type.
    pub fn generate(
        &mut self,
        atoms: &AtomTypes,
        types: TypeOrdering,
        image: &mut Vec<Atom>,
        observer: &mut impl Observer,
    ) {
        const UNSET: Atom = Atom(u16::MAX);
        image.clear();
        image.resize(atoms.len(), UNSET);
        self.seen.clear();
        self.seen.resize(atoms.kinds(), 0);
        let passes: &[Option<bool>] = match types {
            TypeOrdering::Appearance => &[None],
            TypeOrdering::IdentitiesFirst => &[Some(true), Some(false)],
        };
        for pass in passes {
            for component in &self.blocks.order {
                let identity = self.vector.identity[*component as usize];
                for variable in self.vector.variables(*component) {
                    let atom = self.vector.atoms[variable];
                    let wanted = pass.is_none_or(|only| only == (Some(atom) == identity));
                    // A value that has an image already appeared before: this is where duplicates
                    // are removed.
                    if wanted && image[atom.0 as usize] == UNSET {
                        let kind = atoms.kind(atom) as usize;
                        image[atom.0 as usize] =
                            Atom(atoms.atoms(kind as u8).start + self.seen[kind]);
                        self.seen[kind] += 1;
                        observer.appears(&self.vector, *component, variable);
                    }
                }
            }
        }
        // Def. 38 leaves the order of the remaining values open; here it is that of their numbers.
        // None of them occurs in the state or its specification, so it changes neither.
        for kind in 0..atoms.kinds() {
            let mut next = atoms.atoms(kind as u8).start + self.seen[kind];
            for atom in atoms.atoms(kind as u8) {
                if image[atom as usize] == UNSET {
                    image[atom as usize] = Atom(next);
                    next += 1;
                }
            }
        }
        observer.generated(image, &self.seen);
    }
}
