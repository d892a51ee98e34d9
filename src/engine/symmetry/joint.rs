//! Classes of the values of two states, refined together: the rounds that [`super::certificate`] defines.
//!
//! Unlike `refine`, which serves searches, nothing is hashed here: equal classes are certainly equal,
//! so that an independent checker of a certificate comes to the same classes.

use super::certificate::{Cell, DifferingColumn, Key, Profile, WhichState};
use super::context::StateContext;
use crate::source::hash::{IndexMap, IndexSet};
use crate::value::Atom;

/// A class for each value: those of `A` first, then those of `B`.
pub(super) type Classes = Vec<u32>;

/// One variable of a component.
#[derive(Clone, Copy, Debug)]
struct JointVariable {
    atom: Atom,
    group: u32,
    row: u32,
}

/// A state as permutations act on it.
#[derive(Debug)]
pub(super) struct Picture {
    keys: Vec<Key>,
    components: Vec<Vec<JointVariable>>,
    /// By value: whether it occurs.
    occurs: Vec<bool>,
}

impl Picture {
    pub(super) fn new(context: &StateContext<'_>) -> Self {
        let format = context.network.format(context.format);
        let mut picture = Self {
            keys: Vec::new(),
            components: Vec::new(),
            occurs: vec![false; context.atoms.len()],
        };
        for (component, local) in format.components().iter().zip(context.state) {
            let mut variables = Vec::new();
            // Labels have groups and rows of their own.
            for (local, apart) in [(*local, 0), (component.initial, 1 << 16)] {
                let holes = &context.locals.shape(context.locals.shape_of(local)).holes;
                let held = context.locals.atoms_of(local).iter().zip(holes);
                variables.extend(held.map(|(atom, hole)| JointVariable {
                    atom: *atom,
                    group: apart + u32::from(hole.group),
                    row: apart + u32::from(hole.row),
                }));
            }
            for variable in &variables {
                picture.occurs[usize::from(variable.atom.0)] = true;
            }
            picture.keys.push(Key {
                shape: context.locals.shape_of(*local),
                class: component.class,
            });
            picture.components.push(variables);
        }
        picture
    }

    /// Whether a value occurs in the state.
    pub(super) fn occurs(&self, atom: Atom) -> bool {
        self.occurs[usize::from(atom.0)]
    }
}

/// Two states of one format.
#[derive(Debug)]
pub(super) struct Joint<'a> {
    /// The symmetric type of each value.
    kinds: &'a [u8],
    pub(super) left: Picture,
    pub(super) right: Picture,
}

/// Result of one round.
struct Round {
    classes: Classes,
    /// Number of kinds of variables.
    count: usize,
    /// For each value, the kinds of variables that hold it, ascending.
    places: Vec<Vec<u32>>,
    /// An example of each kind of variable: state, component and variable.
    examples: Vec<(WhichState, u16, u16)>,
}

impl<'a> Joint<'a> {
    pub(super) fn new(a: &StateContext<'a>, b: &StateContext<'a>) -> Self {
        Self {
            kinds: a.atoms.all_kinds(),
            left: Picture::new(a),
            right: Picture::new(b),
        }
    }

    /// Number of values that a state may hold.
    pub(super) fn values(&self) -> usize {
        self.kinds.len()
    }

    fn sides(&self) -> [(WhichState, &Picture); 2] {
        [
            (WhichState::Left, &self.left),
            (WhichState::Right, &self.right),
        ]
    }

    /// The first key that components of the two states have in different numbers, with these components.
    pub(super) fn compare_keys(&self) -> Option<(Key, Vec<u16>, Vec<u16>)> {
        let mut found: IndexMap<Key, (Vec<u16>, Vec<u16>)> = IndexMap::default();
        for (side, picture) in self.sides() {
            for (component, key) in (0..).zip(&picture.keys) {
                let (left, right) = found.entry(*key).or_default();
                match side {
                    WhichState::Left => left.push(component),
                    WhichState::Right => right.push(component),
                }
            }
        }
        let mut found = found.into_iter();
        found.find_map(|(key, (left, right))| {
            (left.len() != right.len()).then_some((key, left, right))
        })
    }

    /// The classes before the first round: one a type.
    pub(super) fn start(&self) -> Classes {
        let both = self.kinds.iter().chain(self.kinds);
        both.map(|kind| u32::from(*kind)).collect()
    }

    /// Makes a value of `A` and one of `B`, of one class, a class of their own.
    pub(super) fn set_apart(&self, classes: &Classes, left: Atom, right: Atom) -> Classes {
        let fresh = classes.iter().max().map_or(0, |most| most + 1);
        let mut apart = classes.clone();
        apart[usize::from(left.0)] = fresh;
        apart[self.values() + usize::from(right.0)] = fresh;
        apart
    }

    /// Refines to a fixpoint, or until a class has different numbers of members: that is the error.
    pub(super) fn refine(&self, classes: &mut Classes) -> Result<(), Box<Profile>> {
        let mut count = classes.iter().collect::<IndexSet<_>>().len();
        for number in 1.. {
            let round = self.round(classes);
            if round.count == count {
                break;
            }
            if let Some(profile) = self.profile(number, classes, &round) {
                return Err(profile);
            }
            count = round.count;
            *classes = round.classes;
        }
        Ok(())
    }

    /// Refines once. Numbers are given in order of discovery, which means nothing.
    fn round(&self, classes: &Classes) -> Round {
        let values = self.values();
        let mut rows: IndexSet<Vec<(u32, u32)>> = IndexSet::default();
        let mut components: IndexSet<(Key, Vec<usize>)> = IndexSet::default();
        let mut kinds: IndexSet<(usize, u32, usize)> = IndexSet::default();
        let mut round = Round {
            classes: Vec::with_capacity(classes.len()),
            count: 0,
            places: vec![Vec::new(); classes.len()],
            examples: Vec::new(),
        };
        for (side, picture) in self.sides() {
            let shift = match side {
                WhichState::Left => 0,
                WhichState::Right => values,
            };
            let of = |variable: &JointVariable| shift + usize::from(variable.atom.0);
            for (component, held) in picture.components.iter().enumerate() {
                let mut row_of = Vec::with_capacity(held.len());
                let mut looks = Vec::new();
                // Rows are runs.
                for row in held.chunk_by(|x, y| x.row == y.row) {
                    let parts = row.iter().map(|v| (v.group, classes[of(v)]));
                    let mut parts: Vec<_> = parts.collect();
                    parts.sort_unstable();
                    let number = rows.insert_full(parts).0;
                    row_of.resize(row_of.len() + row.len(), number);
                    looks.push(number);
                }
                looks.sort_unstable();
                let look = components.insert_full((picture.keys[component], looks)).0;
                for (at, variable) in held.iter().enumerate() {
                    let (kind, is_new) = kinds.insert_full((look, variable.group, row_of[at]));
                    if is_new {
                        let example = (side, component as u16, at as u16);
                        round.examples.push(example);
                    }
                    round.places[of(variable)].push(kind as u32);
                }
            }
        }
        let mut known: IndexSet<(u32, &[u32])> = IndexSet::default();
        for (class, places) in classes.iter().zip(&mut round.places) {
            places.sort_unstable();
            let number = known.insert_full((*class, places)).0;
            round.classes.push(number as u32);
        }
        round.count = known.len();
        round
    }

    /// The members of each class.
    pub(super) fn cells(&self, classes: &Classes) -> Vec<Cell> {
        let most = classes.iter().max().map_or(0, |most| most + 1);
        let mut cells = vec![Cell::default(); most as usize];
        for (at, class) in classes.iter().enumerate() {
            let cell = &mut cells[*class as usize];
            match at.checked_sub(self.values()) {
                None => cell.left.push(Atom(at as u16)),
                Some(at) => cell.right.push(Atom(at as u16)),
            }
        }
        cells
    }

    /// The smallest class with different numbers of members after a round, if there is one.
    fn profile(&self, number: usize, before: &Classes, round: &Round) -> Option<Box<Profile>> {
        let cells = self.cells(&round.classes);
        let size = |at: &usize| cells[*at].left.len() + cells[*at].right.len();
        let excess = |at: usize| cells[at].left.len() as isize - cells[at].right.len() as isize;
        let unequal = (0..cells.len()).filter(|at| excess(*at) != 0);
        let class = unequal.min_by_key(size)?;
        let any = |at: usize| round.classes.iter().position(|c| *c as usize == at);
        let member = any(class)?;
        // The class before the round had equally many members in both states, so for each part with a surplus
        // there is one that lacks members.
        let rest = (0..cells.len()).filter(|at| {
            let same = any(*at).is_some_and(|m| before[m] == before[member]);
            same && excess(*at).signum() == -excess(class).signum()
        });
        let rest = rest.min_by_key(size)?;
        let (here, there) = (&round.places[member], &round.places[any(rest)?]);
        let times = |places: &[u32], kind: u32| places.iter().filter(|k| **k == kind).count();
        let both = here.iter().chain(there);
        let kind = both
            .copied()
            .find(|kind| times(here, *kind) != times(there, *kind))?;
        let (side, component, variable) = round.examples[kind as usize];
        Some(Box::new(Profile {
            round: number,
            class: cells[class].clone(),
            rest: cells[rest].clone(),
            because: DifferingColumn {
                side,
                component,
                variable,
                times: times(here, kind),
                others: times(there, kind),
            },
        }))
    }

    /// The class to branch on: the smallest of those with several members that occur, private
    /// values last.
    pub(super) fn choose(&self, classes: &Classes) -> Option<Cell> {
        let cells = self.cells(classes).into_iter();
        let open = cells.filter(|cell| {
            cell.left.len() > 1 && cell.left.iter().any(|atom| self.left.occurs(*atom))
        });
        open.min_by_key(|cell| (self.is_private(cell), cell.left.len()))
    }

    /// The smallest class with several members that holds one of these values of `A`.
    pub(super) fn choose_among(&self, classes: &Classes, atoms: &[Atom]) -> Option<Cell> {
        let cells = self.cells(classes).into_iter();
        let open = cells.filter(|cell| {
            cell.left.len() > 1 && cell.left.iter().any(|atom| atoms.contains(atom))
        });
        open.min_by_key(|cell| cell.left.len())
    }

    /// Whether each value of `A` in a class occurs in one component, alone of the class: branching on one of them
    /// splits little.
    fn is_private(&self, cell: &Cell) -> bool {
        let mut met = vec![false; self.values()];
        let is_of = |v: &&JointVariable| cell.left.contains(&v.atom);
        self.left.components.iter().all(|held| {
            let mut here: Vec<Atom> = held.iter().filter(is_of).map(|v| v.atom).collect();
            here.sort_unstable();
            here.dedup();
            here.len() < 2
                && here.iter().all(|atom| {
                    let again = std::mem::replace(&mut met[usize::from(atom.0)], true);
                    !again
                })
        })
    }

    /// The permutation that discrete classes define: class to class, and
    /// values that do not occur to themselves where that is possible.
    pub(super) fn image(&self, classes: &Classes) -> Vec<Atom> {
        let mut image = vec![Atom(0); self.values()];
        for cell in self.cells(classes) {
            let stay = |atom: &&Atom| cell.right.contains(*atom) && cell.left.len() > 1;
            let taken: Vec<Atom> = cell.left.iter().filter(stay).copied().collect();
            let mut free = cell.right.iter().filter(|atom| !taken.contains(atom));
            for atom in &cell.left {
                let to = if taken.contains(atom) {
                    Some(atom)
                } else {
                    free.next()
                };
                image[usize::from(atom.0)] = to.copied().unwrap_or(*atom);
            }
        }
        image
    }
}
