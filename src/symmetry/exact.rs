//! The `exact` strategy: one representative an orbit, and the order of the stabiliser.
//!
//! `walk` settles most states. For the others the values are coloured, the colours refined by where
//! the values occur (the fixpoint of Def. 36, step 2, for values instead of components), and where
//! refinement stops every value of one cell is given its own colour in turn: individualisation and
//! refinement, as in programs for graph isomorphism. The least image over all leaves is the
//! representative; the leaves that reach it are one coset of the stabiliser.
//!
//! A cell of values that occur in one component each, of components that differ in nothing else, is not
//! branched on: all its orders lead to the same state.

use super::partition::Vector;
use super::permutation::factorial;
use super::strategy::{Context, Representative, Strategy};
use super::walk::Walker;
use crate::machine::{LocalId, Miss};
use crate::value::Atom;

/// Leaves that are looked at before the search for the least image gives up; the best so far is then
/// taken, and said not to be certain.
pub const LEAVES_MAX: usize = 20_000;

/// `walk`, and a search where that is not enough.
#[derive(Clone, Copy, Debug, Default)]
pub struct Exact;

/// Buffers of the search.
#[derive(Debug, Default)]
pub struct Spare {
    vector: Vector,
    /// In how many components each value occurs.
    counts: Vec<u16>,
    /// Whether the specification mentions a value, or another private value of its component.
    mentioned: Vec<bool>,
    signatures: Signatures,
    trial: Vec<LocalId>,
    trial_image: Vec<Atom>,
    best: Vec<LocalId>,
    best_image: Vec<Atom>,
    /// Leaves looked at.
    leaves: usize,
    /// Permutations that lead to `best`, as far as looked at.
    attained: u128,
}

/// What refinement sorts by.
#[derive(Debug, Default)]
struct Signatures {
    /// Signatures of the components, one after the other, and where each starts.
    keys: Vec<u64>,
    starts: Vec<usize>,
    order: Vec<u16>,
    rank: Vec<u32>,
    /// For each value, where it occurs.
    places: Vec<Vec<u64>>,
    values: Vec<u16>,
}

/// A colour for each value: the first value of its type, plus the number of values of the type with
/// a smaller colour. So the colour of a value that is alone in its cell is a name for it.
type Colours = Vec<u16>;

impl Strategy for Exact {
    fn name(&self) -> &'static str {
        "exact"
    }

    fn representative(&self, context: &Context<'_>, out: &mut Representative) -> Result<(), Miss> {
        let walker = Walker::new(context);
        out.walk.counting = true;
        if walker.name_all(out) {
            context.image(&out.image, &mut out.locals)?;
            let ways = walker.stabiliser(&out.walk);
            out.stabiliser = ways.map(|ways| with_copies(context, ways, &out.locals));
            return Ok(());
        }
        let mut spare = std::mem::take(&mut out.exact);
        let found = Search {
            context,
            spare: &mut spare,
        }
        .run();
        if found.is_ok() {
            std::mem::swap(&mut out.image, &mut spare.best_image);
            std::mem::swap(&mut out.locals, &mut spare.best);
            let certain = spare.leaves <= LEAVES_MAX && context.extra_ordered;
            let stabiliser = with_copies(context, spare.attained, &out.locals);
            out.stabiliser = certain.then_some(stabiliser);
        }
        out.exact = spare;
        found
    }

    fn leaves_out_twins(&self) -> bool {
        true
    }
}

/// `|Stab|`, from the number of permutations of values that lead to the representative: each goes
/// with every exchange of equal copies.
fn with_copies(context: &Context<'_>, ways: u128, representative: &[LocalId]) -> u128 {
    let format = &context.network.formats[context.format.0 as usize];
    ways.saturating_mul(format.copies.stabiliser(representative))
}

/// The search for one state.
struct Search<'a> {
    context: &'a Context<'a>,
    spare: &'a mut Spare,
}

impl Search<'_> {
    fn run(&mut self) -> Result<(), Miss> {
        let context = self.context;
        let format = &context.network.formats[context.format.0 as usize];
        let spare = &mut *self.spare;
        spare.vector.fill(
            context.atoms,
            context.locals,
            format,
            context.state,
            &[],
            true,
        );
        spare.best.clear();
        spare.leaves = 0;
        spare.attained = 0;
        spare.counts.clear();
        spare.counts.resize(context.atoms.len(), 0);
        for component in 0..spare.vector.len() as u16 {
            let atoms = &spare.vector.atoms[spare.vector.variables(component)];
            for (n, atom) in atoms.iter().enumerate() {
                spare.counts[atom.0 as usize] += u16::from(!atoms[..n].contains(atom));
            }
        }
        self.note_mentioned();
        let start = |kind: usize| context.atoms.atoms(kind as u8).map(move |_| kind);
        let mut colours: Colours = (0..context.atoms.kinds())
            .flat_map(start)
            .map(|kind| context.atoms.atoms(kind as u8).start)
            .collect();
        self.part_unseen(&mut colours);
        self.descend(colours, 1)
    }

    fn note_mentioned(&mut self) {
        let Spare {
            vector,
            counts,
            mentioned,
            ..
        } = &mut *self.spare;
        mentioned.clear();
        mentioned.resize(counts.len(), false);
        for atom in self.context.extra {
            mentioned[atom.0 as usize] = true;
        }
        for component in 0..vector.len() as u16 {
            let atoms = &vector.atoms[vector.variables(component)];
            let private = |atom: &&Atom| counts[atom.0 as usize] == 1;
            if atoms
                .iter()
                .filter(private)
                .any(|a| mentioned[a.0 as usize])
            {
                for atom in atoms.iter().filter(private) {
                    mentioned[atom.0 as usize] = true;
                }
            }
        }
    }

    /// Values that occur nowhere get the last colours of their types.
    fn part_unseen(&self, colours: &mut Colours) {
        for kind in 0..self.context.atoms.kinds() {
            let range = self.context.atoms.atoms(kind as u8);
            let seen = |atom: &u16| self.spare.counts[*atom as usize] > 0;
            let last = range.start + range.clone().filter(seen).count() as u16;
            for atom in range.filter(|atom| !seen(atom)) {
                colours[atom as usize] = last;
            }
        }
    }

    /// Refines, and goes on with every way to split the first cell that has to be split. `free` is
    /// the number of orders of cells that were split without branching.
    fn descend(&mut self, mut colours: Colours, mut free: u128) -> Result<(), Miss> {
        loop {
            self.refine(&mut colours);
            let Some(cell) = self.cell_to_split(&colours) else {
                return self.leaf(&colours, free);
            };
            if !cell.branch {
                free = free.saturating_mul(factorial(cell.values.len()));
                for (n, value) in cell.values.iter().enumerate() {
                    colours[*value as usize] += n as u16;
                }
                continue;
            }
            for first in &cell.values {
                if self.spare.leaves > LEAVES_MAX {
                    return Ok(());
                }
                let mut next = colours.clone();
                let colour = next[*first as usize];
                for (value, slot) in next.iter_mut().enumerate() {
                    if *slot == colour && value != *first as usize {
                        *slot += 1;
                    }
                }
                crate::source::stack::deep(|| self.descend(next, free))?;
            }
            return Ok(());
        }
    }

    /// All values have names, but for those that neither side mentions.
    fn leaf(&mut self, colours: &Colours, free: u128) -> Result<(), Miss> {
        let context = self.context;
        let spare = &mut *self.spare;
        spare.leaves += 1;
        let mut unseen = 1u128;
        let mut given = vec![0u16; colours.len()];
        spare.trial_image.clear();
        for colour in colours {
            // Equal colours are left to values that occur nowhere: any order will do.
            spare
                .trial_image
                .push(Atom(*colour + given[*colour as usize]));
            given[*colour as usize] += 1;
            unseen = unseen.saturating_mul(u128::from(given[*colour as usize]));
        }
        context.image(&spare.trial_image, &mut spare.trial)?;
        let mentioned = |image: &[Atom]| -> Vec<Atom> {
            let extra = context.extra.iter();
            extra.map(|atom| image[atom.0 as usize]).collect()
        };
        let order = if spare.best.is_empty() {
            std::cmp::Ordering::Less
        } else {
            spare
                .trial
                .cmp(&spare.best)
                .then_with(|| mentioned(&spare.trial_image).cmp(&mentioned(&spare.best_image)))
        };
        let ways = free.saturating_mul(unseen);
        match order {
            std::cmp::Ordering::Less => {
                std::mem::swap(&mut spare.trial, &mut spare.best);
                std::mem::swap(&mut spare.trial_image, &mut spare.best_image);
                spare.attained = ways;
            }
            std::cmp::Ordering::Equal => spare.attained = spare.attained.saturating_add(ways),
            std::cmp::Ordering::Greater => {}
        }
        Ok(())
    }

    /// The first cell with several values that is not one of values that nobody mentions.
    fn cell_to_split(&self, colours: &Colours) -> Option<Cell> {
        let spare = &*self.spare;
        let mut sizes = vec![0u16; colours.len()];
        for colour in colours {
            sizes[*colour as usize] += 1;
        }
        let members = |colour: u16| -> Vec<u16> {
            let all = 0..colours.len() as u16;
            all.filter(|v| colours[*v as usize] == colour).collect()
        };
        let mut late = None;
        for colour in (0..colours.len() as u16).filter(|c| sizes[*c as usize] > 1) {
            let values = members(colour);
            let mentioned: Vec<u16> = values
                .iter()
                .copied()
                .filter(|v| spare.mentioned[*v as usize])
                .collect();
            let unseen = spare.counts[values[0] as usize] == 0;
            let free = unseen || self.is_free(&values, colours, &sizes);
            if !free {
                return Some(Cell {
                    values,
                    branch: true,
                });
            }
            if late.is_none() && !mentioned.is_empty() {
                late = Some(Cell {
                    values: mentioned,
                    branch: true,
                });
            } else if late.is_none() && !unseen {
                late = Some(Cell {
                    values,
                    branch: false,
                });
            }
        }
        late
    }

    /// Whether the values of a cell occur in one component each, in different ones, whose other values
    /// have names already or occur in no other either.
    fn is_free(&self, values: &[u16], colours: &Colours, sizes: &[u16]) -> bool {
        let Spare { vector, counts, .. } = &*self.spare;
        if values.iter().any(|v| counts[*v as usize] != 1) {
            return false;
        }
        let mut held = 0;
        for component in 0..vector.len() as u16 {
            let atoms = &vector.atoms[vector.variables(component)];
            let of_cell =
                |(n, a): &(usize, &Atom)| values.contains(&a.0) && !atoms[..*n].contains(a);
            let here = atoms.iter().enumerate().filter(of_cell).count();
            let settled =
                |a: &Atom| counts[a.0 as usize] == 1 || sizes[colours[a.0 as usize] as usize] == 1;
            if here > 1 || here == 1 && !atoms.iter().all(settled) {
                return false;
            }
            held += here;
        }
        held == values.len()
    }

    /// Colours values by the components that they occur in and components by their values, until
    /// nothing changes.
    fn refine(&mut self, colours: &mut Colours) {
        let Spare {
            vector, signatures, ..
        } = &mut *self.spare;
        while signatures.refine_once(vector, colours) {}
    }
}

/// A cell of values with one colour.
struct Cell {
    values: Vec<u16>,
    /// Whether each of them has to be tried as the first; otherwise any order is as good.
    branch: bool,
}

impl Signatures {
    /// True if a cell was split.
    fn refine_once(&mut self, vector: &Vector, colours: &mut Colours) -> bool {
        self.rank_components(vector, colours);
        self.places.resize_with(colours.len(), Vec::new);
        self.places.iter_mut().for_each(Vec::clear);
        for component in 0..vector.len() as u16 {
            let rank = u64::from(self.rank[component as usize]);
            for variable in vector.variables(component) {
                let place = rank << 16 | u64::from(vector.groups[variable]);
                self.places[vector.atoms[variable].0 as usize].push(place);
            }
        }
        self.places.iter_mut().for_each(|p| p.sort_unstable());
        self.values.clear();
        self.values.extend(0..colours.len() as u16);
        let places = &self.places;
        let key = |v: &u16| (colours[*v as usize], &places[*v as usize]);
        self.values.sort_by(|a, b| key(a).cmp(&key(b)));
        let mut fresh = colours.clone();
        for at in 1..self.values.len() {
            let (before, this) = (self.values[at - 1], self.values[at]);
            if colours[before as usize] != colours[this as usize] {
                continue;
            }
            fresh[this as usize] = if key(&before) == key(&this) {
                fresh[before as usize]
            } else {
                let first = colours[this as usize];
                let cell = self.values[..at].iter().rev();
                first + cell.take_while(|v| colours[**v as usize] == first).count() as u16
            };
        }
        let changed = fresh != *colours;
        *colours = fresh;
        changed
    }

    /// Ranks the components by key and colours of their values; within a set, by the sorted colours.
    fn rank_components(&mut self, vector: &Vector, colours: &Colours) {
        self.keys.clear();
        self.starts.clear();
        for component in 0..vector.len() as u16 {
            self.starts.push(self.keys.len());
            self.keys.push(vector.keys[component as usize]);
            let from = self.keys.len();
            for variable in vector.variables(component) {
                let colour = u64::from(colours[vector.atoms[variable].0 as usize]);
                self.keys
                    .push(u64::from(vector.groups[variable]) << 16 | colour);
            }
            if vector.grouped {
                self.keys[from..].sort_unstable();
            }
        }
        self.starts.push(self.keys.len());
        let (keys, starts) = (&self.keys, &self.starts);
        let signature = |c: u16| &keys[starts[c as usize]..starts[c as usize + 1]];
        self.order.clear();
        self.order.extend(0..vector.len() as u16);
        self.order.sort_by(|a, b| signature(*a).cmp(signature(*b)));
        self.rank.clear();
        self.rank.resize(vector.len(), 0);
        for at in 1..self.order.len() {
            let (before, this) = (self.order[at - 1], self.order[at]);
            let step = u32::from(signature(before) != signature(this));
            self.rank[this as usize] = self.rank[before as usize] + step;
        }
    }
}
