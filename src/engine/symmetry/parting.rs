//! The first difference between the runs of `ordering` on two states.
//!
//! Let a permutation take `A` to `B`. It carries the run on `A` over to a possible run on `B`
//! (Lemma 44), which may differ from the actual one in the picks of step 3 and in the order of indistinguishable
//! values in a set, and in nothing else. So the first step that differs explains the
//! different representatives; if it is any other step, the algorithm is wrong.
//!
//! Where an arbitrary order is known not to matter (a fully symmetric block, values that are single elements
//! of sets), the permutation is adjusted to make the two runs agree, and followed further.

use super::context::StateContext;
use super::ordering::{Tie, TypeOrdering};
use super::record::{RecordNames, Recorder};
use super::strategy::{Ordering, Representative};
use super::trace::{BlockList, NTable, RepTrace, Step};
use super::witness::OrbitWitness;
use crate::machine::{LocalId, Miss};
use crate::value::Atom;

/// First difference between two runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Parting {
    /// Same orbit: no difference that matters.
    Never {
        /// Number of differences in arbitrary orders that cannot matter.
        harmless: usize,
    },
    /// Same orbit: step 3 picked components that the permutation does not take to each other.
    Choice {
        /// The number of the step, from 0, in both records.
        step: usize,
        /// The pick in `A`, and in `B`.
        picked: (u16, u16),
        /// The components of the block, in `A` and in `B`.
        block: (Vec<u16>, Vec<u16>),
    },
    /// Same orbit: indistinguishable values were named in another order.
    Tie {
        /// The number of the step, from 0, in both records.
        step: usize,
        /// The values in the order in which they were named, in `A` and in `B`.
        values: (Vec<Atom>, Vec<Atom>),
    },
    /// Different orbits: the first step with another outcome.
    Step {
        /// The number of the step, from 0, in both records.
        step: usize,
        /// Whether step 3 has made a choice before, which may be the reason.
        after_choice: bool,
    },
    /// Same orbit, but the runs differ at a step without a choice. By Lemma 44 this cannot be: the
    /// algorithm is wrong.
    Fault {
        /// The number of the step, from 0.
        step: usize,
    },
}

/// A run of `ordering`.
struct WatchedRun {
    trace: RepTrace,
    ties: Vec<Tie>,
    /// The name of each value.
    image: Vec<Atom>,
    /// Number of values of each type that occur.
    seen: Vec<u16>,
    representative: Vec<LocalId>,
}

/// Finds the first difference between the runs on two states of one format. `witness` takes one to the other, if
/// they are of one orbit.
///
/// # Errors
/// An image that the tables do not hold.
pub fn parting(
    types: TypeOrdering,
    a: &StateContext<'_>,
    b: &StateContext<'_>,
    witness: Option<&OrbitWitness>,
    out: &mut Representative,
) -> Result<Parting, Miss> {
    let left = run(types, a, out)?;
    let right = run(types, b, out)?;
    Ok(match witness {
        None => differing(a, b, &left, &right),
        Some(witness) => {
            let carrying = Carrying {
                a,
                b,
                image: witness.permutation.image().to_vec(),
                arrows: witness.arrows.clone(),
                harmless: 0,
            };
            carrying.follow(&left, &right)
        }
    })
}

fn run(
    types: TypeOrdering,
    context: &StateContext<'_>,
    out: &mut Representative,
) -> Result<WatchedRun, Miss> {
    let atoms = context.atoms;
    let kind = |n: u16| (String::new(), usize::from(atoms.kind(Atom(n))));
    // The words of this record are not read.
    let mut recorder = Recorder::new(RecordNames {
        types: vec![String::new(); atoms.kinds()],
        values: (0..atoms.len() as u16).map(kind).collect(),
        ..RecordNames::default()
    });
    Ordering(types).watched(context, out, &mut recorder)?;
    let ties = out.scratch.ties(atoms, &out.image);
    recorder.note_ties(&ties);
    Ok(WatchedRun {
        trace: recorder.trace,
        ties,
        image: out.image.clone(),
        seen: out.scratch.seen.clone(),
        representative: out.locals.clone(),
    })
}

/// The run on `A`, carried over to `B`.
struct Carrying<'a, 'b> {
    a: &'a StateContext<'b>,
    b: &'a StateContext<'b>,
    /// The image of each value.
    image: Vec<Atom>,
    /// The image of each component.
    arrows: Vec<u16>,
    harmless: usize,
}

/// Comparison of one step of both runs.
enum FoundParting {
    /// No difference.
    Alike,
    /// A difference that Lemma 44 allows.
    Parted(Parting),
    /// A difference that Lemma 44 excludes.
    Wrong,
}

impl Carrying<'_, '_> {
    fn follow(mut self, left: &WatchedRun, right: &WatchedRun) -> Parting {
        let mut ties = left.ties.iter().zip(&right.ties);
        let steps = left.trace.steps.iter().zip(&right.trace.steps);
        for (step, (x, y)) in steps.enumerate() {
            let found = match (x, y) {
                (Step::Choice { .. }, Step::Choice { .. }) => self.choice(step, x, y),
                (Step::Tie { .. }, Step::Tie { .. }) => match ties.next() {
                    Some((x, y)) => self.tie(step, x, y),
                    None => FoundParting::Wrong,
                },
                (Step::Ordered, Step::Ordered) if !self.has_order(left, right) => {
                    FoundParting::Wrong
                }
                (Step::Generated, Step::Generated) if !self.has_names(left, right) => {
                    FoundParting::Wrong
                }
                _ if self.is_alike(x, y) => FoundParting::Alike,
                _ => FoundParting::Wrong,
            };
            match found {
                FoundParting::Alike => {}
                FoundParting::Parted(parting) => return parting,
                FoundParting::Wrong => return Parting::Fault { step },
            }
        }
        let (here, there) = (left.trace.steps.len(), right.trace.steps.len());
        if here != there {
            return Parting::Fault {
                step: here.min(there),
            };
        }
        Parting::Never {
            harmless: self.harmless,
        }
    }

    fn carried(&self, components: &[usize]) -> Vec<usize> {
        let to = |component: &usize| usize::from(self.arrows[*component]);
        components.iter().map(to).collect()
    }

    /// Compares partitions up to the permutation. Blocks are sets: the order of their members means nothing.
    fn is_carried(&self, x: &BlockList, y: &BlockList) -> bool {
        let block =
            |(x, y): (&Vec<usize>, &Vec<usize>)| sorted(self.carried(x)) == sorted(y.clone());
        x.len() == y.len() && x.iter().zip(y).all(block)
    }

    /// Whether two steps without a choice have the same outcome.
    fn is_alike(&self, x: &Step, y: &Step) -> bool {
        match (x, y) {
            (Step::Initial { after: x, .. }, Step::Initial { after: y, .. })
            | (Step::Split { after: x, .. }, Step::Split { after: y, .. })
            | (Step::FixedPoint { partition: x, .. }, Step::FixedPoint { partition: y, .. }) => {
                self.is_carried(x, y)
            }
            (
                Step::Count {
                    before: x,
                    tables: s,
                    ..
                },
                Step::Count {
                    before: y,
                    tables: t,
                    ..
                },
            ) => {
                let table = |((block, s), (other, t)): (&(usize, NTable), &(usize, NTable))| {
                    let rows = s.rows.iter();
                    let rows = rows.map(|(c, n)| (usize::from(self.arrows[*c]), n));
                    let others = t.rows.iter().map(|(c, n)| (*c, n));
                    (block, &s.columns) == (other, &t.columns)
                        && sorted(rows.collect()) == sorted(others.collect())
                };
                self.is_carried(x, y) && s.len() == t.len() && s.iter().zip(t).all(table)
            }
            // Compared when all values have names.
            (x, y) => std::mem::discriminant(x) == std::mem::discriminant(y),
        }
    }

    fn choice(&mut self, step: usize, x: &Step, y: &Step) -> FoundParting {
        let (
            Step::Choice {
                block,
                picked,
                fully_symmetric,
                before,
                after,
            },
            Step::Choice {
                block: other,
                picked: other_pick,
                fully_symmetric: other_symmetric,
                before: other_before,
                after: other_after,
            },
        ) = (x, y)
        else {
            return FoundParting::Wrong;
        };
        let same = (block, fully_symmetric) == (other, other_symmetric);
        if !same || !self.is_carried(before, other_before) {
            return FoundParting::Wrong;
        }
        if self.is_carried(after, other_after) {
            return FoundParting::Alike;
        }
        if *fully_symmetric {
            // Each member is a block of its own now.
            let parts = *block..*block + before[*block].len();
            let (x, y) = (after[parts.clone()].concat(), other_after[parts].concat());
            self.exchange(&x, &y);
            return FoundParting::Alike;
        }
        let number = |component: usize| component as u16;
        let members = |all: &BlockList| all[*block].iter().map(|c| *c as u16).collect();
        FoundParting::Parted(Parting::Choice {
            step,
            picked: (number(*picked), number(*other_pick)),
            block: (members(before), members(other_before)),
        })
    }

    /// Adjusts the permutation: takes components that differ only in own values to others, and these values with
    /// them.
    fn exchange(&mut self, from: &[usize], to: &[usize]) {
        self.harmless += 1;
        let mut image = self.image.clone();
        for (x, y) in from.iter().zip(to) {
            self.arrows[*x] = *y as u16;
            let (x, y) = (held(self.a, *x), held(self.b, *y));
            let groups = x.iter().map(|(group, _)| *group);
            let groups: Vec<u32> = sorted(groups.collect());
            for group in groups.chunk_by(|x, y| x == y).map(|of| of[0]) {
                let of = |all: &[(u32, Atom)]| -> Vec<Atom> {
                    let all = all.iter().filter(|(g, _)| *g == group);
                    all.map(|(_, atom)| *atom).collect()
                };
                let (x, mut free) = (of(&x), of(&y));
                // Values that all members hold are fixed.
                let mut open = Vec::new();
                for atom in x {
                    let to = self.image[usize::from(atom.0)];
                    match free.iter().position(|other| *other == to) {
                        Some(at) => drop(free.remove(at)),
                        None => open.push(atom),
                    }
                }
                for (atom, to) in open.iter().zip(free) {
                    image[usize::from(atom.0)] = to;
                }
            }
        }
        self.image = image;
    }

    fn tie(&mut self, step: usize, x: &Tie, y: &Tie) -> FoundParting {
        let carried = x.values.iter().map(|v| self.image[usize::from(v.0)]);
        let carried: Vec<Atom> = carried.collect();
        if carried == y.values && x.harmless == y.harmless {
            return FoundParting::Alike;
        }
        if sorted(carried) != sorted(y.values.clone()) || x.harmless != y.harmless {
            return FoundParting::Wrong;
        }
        if x.harmless {
            self.harmless += 1;
            for (value, to) in x.values.iter().zip(&y.values) {
                self.image[usize::from(value.0)] = *to;
            }
            return FoundParting::Alike;
        }
        FoundParting::Parted(Parting::Tie {
            step,
            values: (x.values.clone(), y.values.clone()),
        })
    }

    fn has_order(&self, left: &WatchedRun, right: &WatchedRun) -> bool {
        self.carried(&left.trace.order) == right.trace.order
    }

    /// Whether values that occur have the names of their images, and the representatives are equal.
    fn has_names(&self, left: &WatchedRun, right: &WatchedRun) -> bool {
        let occurs = |from: usize| {
            // The values that occur come first in the names of their types.
            let kind = self.a.atoms.kind(Atom(from as u16));
            let name = left.image[from].0 - self.a.atoms.atoms(kind).start;
            name < left.seen[usize::from(kind)]
        };
        let mut both = self
            .image
            .iter()
            .enumerate()
            .filter(|(from, _)| occurs(*from));
        left.seen == right.seen
            && both.all(|(from, to)| left.image[from] == right.image[usize::from(to.0)])
            && left.representative == right.representative
    }
}

/// The values of a component's state and of its label, each with its group.
fn held(context: &StateContext<'_>, component: usize) -> Vec<(u32, Atom)> {
    let format = context.network.format(context.format);
    let initial = format.components()[component].initial;
    let of = |local: LocalId, apart: u32| {
        let holes = &context.locals.shape(context.locals.shape_of(local)).holes;
        let atoms = context.locals.atoms_of(local).iter();
        let both = atoms.zip(holes);
        both.map(move |(atom, hole)| (apart + u32::from(hole.group), *atom))
    };
    let own = of(context.state[component], 0);
    own.chain(of(initial, 1 << 16)).collect()
}

/// The first step of runs on different orbits that differs. Blocks are compared by their
/// sizes, and n-values as multisets, without their components.
fn differing(
    a: &StateContext<'_>,
    b: &StateContext<'_>,
    left: &WatchedRun,
    right: &WatchedRun,
) -> Parting {
    let steps = left.trace.steps.iter().zip(&right.trace.steps);
    let mut after_choice = false;
    let mut last = 0;
    for (step, (x, y)) in steps.enumerate() {
        if !comes_out_alike(a, x, left, b, y, right) {
            return Parting::Step { step, after_choice };
        }
        after_choice |= matches!(x, Step::Choice { .. });
        last = step;
    }
    // Every step is alike, and yet the representatives differ: so it is the last one.
    Parting::Step {
        step: last,
        after_choice,
    }
}

fn comes_out_alike(
    a: &StateContext<'_>,
    x: &Step,
    left: &WatchedRun,
    b: &StateContext<'_>,
    y: &Step,
    right: &WatchedRun,
) -> bool {
    let sizes = |partition: &BlockList| -> Vec<usize> { partition.iter().map(Vec::len).collect() };
    match (x, y) {
        (Step::Initial { after: x, .. }, Step::Initial { after: y, .. }) => {
            let key = |context: &StateContext<'_>, block: &Vec<usize>| {
                let format = context.network.format(context.format);
                let shape = context.locals.shape_of(context.state[block[0]]);
                (block.len(), shape, format.components()[block[0]].class)
            };
            let keys = x.iter().map(|block| key(a, block));
            keys.eq(y.iter().map(|block| key(b, block)))
        }
        (Step::Split { after: x, .. }, Step::Split { after: y, .. })
        | (Step::FixedPoint { partition: x, .. }, Step::FixedPoint { partition: y, .. }) => {
            sizes(x) == sizes(y)
        }
        (Step::Count { tables: x, .. }, Step::Count { tables: y, .. }) => {
            x.len() == y.len() && x.iter().zip(y).all(|(x, y)| same_table(x, y))
        }
        (
            Step::Choice {
                block: x,
                fully_symmetric: s,
                ..
            },
            Step::Choice {
                block: y,
                fully_symmetric: t,
                ..
            },
        ) => (x, s) == (y, t),
        (
            Step::Tie {
                variable: x,
                harmless: s,
                ..
            },
            Step::Tie {
                variable: y,
                harmless: t,
                ..
            },
        ) => (x, s) == (y, t),
        (Step::Types, Step::Types) => {
            left.seen == right.seen && first_places(left) == first_places(right)
        }
        (Step::Generated, Step::Generated) => left.representative == right.representative,
        (x, y) => std::mem::discriminant(x) == std::mem::discriminant(y),
    }
}

/// Whether the tables of two blocks are equal up to the order of their rows.
fn same_table((block, x): &(usize, NTable), (other, y): &(usize, NTable)) -> bool {
    let rows = |table: &NTable| -> Vec<Vec<u32>> {
        sorted(table.rows.iter().map(|(_, row)| row.clone()).collect())
    };
    (block, &x.columns) == (other, &y.columns) && rows(x) == rows(y)
}

/// First appearances of the values of each type: places in the order of the components, and variables.
fn first_places(run: &WatchedRun) -> Vec<Vec<(Option<usize>, usize)>> {
    let place = |component: usize| run.trace.order.iter().position(|c| *c == component);
    let of = |all: &Vec<(usize, usize)>| {
        let all = all.iter();
        all.map(|(component, at)| (place(*component), *at))
            .collect()
    };
    let orders = run.trace.type_orders.iter();
    orders.map(|order| of(&order.places)).collect()
}

fn sorted<T: Ord>(mut items: Vec<T>) -> Vec<T> {
    items.sort();
    items
}
