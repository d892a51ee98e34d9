//! Checks certificates that no permutation takes one state to another, from their definition
//! (`orbitscope::symmetry::certificate`) and on plain data: nothing of what makes them is used.

use std::collections::{BTreeMap, BTreeSet};

use orbitscope::machine::{FormatId, LocalId, ShapeId};
use orbitscope::symmetry::Permutation;
use orbitscope::symmetry::certificate::{
    Cell, Certificate, Profile, Refutation, Refuted, WhichState,
};
use orbitscope::value::Atom;

use super::exact::Subject;

/// A component: control state and family, and its variables with group and row.
struct Component {
    key: (ShapeId, u16),
    variables: Vec<(Atom, u32, u32)>,
}

type State = Vec<Component>;

fn plain(subject: &Subject, state: &[LocalId]) -> State {
    let locals = subject.machine.locals();
    let format = subject.network.first();
    let of = |local: LocalId, apart: u32| -> Vec<(Atom, u32, u32)> {
        let holes = &locals.shape(locals.shape_of(local)).holes;
        let both = locals.atoms_of(local).iter().zip(holes);
        let number = |n: u16| apart + u32::from(n);
        both.map(|(atom, hole)| (*atom, number(hole.group), number(hole.row)))
            .collect()
    };
    let component = |(at, local): (usize, &LocalId)| {
        let entry = &format.components()[at];
        Component {
            key: (locals.shape_of(*local), entry.class),
            variables: [of(*local, 0), of(entry.initial, 1 << 20)].concat(),
        }
    };
    state.iter().enumerate().map(component).collect()
}

/// A value of one of the states: 0 for the first.
type Value = (usize, Atom);
/// The class of each value.
type Classes = BTreeMap<Value, usize>;
/// What a variable looks like: component, group and row.
type Look = (usize, u32, Vec<(u32, usize)>);

/// Numbers what there is, equal things alike.
fn numbered<T: Ord>(all: impl IntoIterator<Item = T>) -> BTreeMap<T, usize> {
    let all: BTreeSet<T> = all.into_iter().collect();
    all.into_iter().zip(0..).collect()
}

/// How each variable of both states looks, by state, component and variable.
fn looks(states: &[State; 2], classes: &Classes) -> BTreeMap<(usize, usize, usize), Look> {
    let mut rows = BTreeMap::new();
    let mut components = BTreeMap::new();
    for (side, state) in states.iter().enumerate() {
        for (number, component) in state.iter().enumerate() {
            let mut by_row: BTreeMap<u32, Vec<(u32, usize)>> = BTreeMap::new();
            for (atom, group, row) in &component.variables {
                let entry = by_row.entry(*row).or_default();
                entry.push((*group, classes[&(side, *atom)]));
            }
            by_row.values_mut().for_each(|row| row.sort_unstable());
            let mut all: Vec<_> = by_row.values().cloned().collect();
            all.sort();
            components.insert((side, number), (component.key, all));
            rows.insert((side, number), by_row);
        }
    }
    let alike = numbered(components.values().cloned());
    let mut looks = BTreeMap::new();
    for (side, state) in states.iter().enumerate() {
        for (number, component) in state.iter().enumerate() {
            let look = alike[&components[&(side, number)]];
            for (at, (_, group, row)) in component.variables.iter().enumerate() {
                let row = rows[&(side, number)][row].clone();
                looks.insert((side, number, at), (look, *group, row));
            }
        }
    }
    looks
}

/// One round.
fn round(states: &[State; 2], classes: &Classes) -> Classes {
    let looks = looks(states, classes);
    let number = numbered(looks.values().cloned());
    let mut stands: BTreeMap<Value, Vec<usize>> = BTreeMap::new();
    for ((side, component, at), look) in &looks {
        let atom = states[*side][*component].variables[*at].0;
        stands.entry((*side, atom)).or_default().push(number[look]);
    }
    let full = |value: &Value, class: usize| {
        let mut places = stands.get(value).cloned().unwrap_or_default();
        places.sort_unstable();
        (class, places)
    };
    let known = numbered(classes.iter().map(|(value, class)| full(value, *class)));
    let of = |(value, class): (&Value, &usize)| (*value, known[&full(value, *class)]);
    classes.iter().map(of).collect()
}

fn count(classes: &Classes) -> usize {
    classes.values().collect::<BTreeSet<_>>().len()
}

/// Rounds until no class is split.
fn settled(states: &[State; 2], mut classes: Classes) -> Classes {
    loop {
        let next = round(states, &classes);
        if count(&next) == count(&classes) {
            return classes;
        }
        classes = next;
    }
}

fn members(classes: &Classes, class: usize) -> Cell {
    let of = |side: usize| {
        let mine = classes
            .iter()
            .filter(|((s, _), c)| *s == side && **c == class);
        mine.map(|((_, atom), _)| *atom).collect()
    };
    Cell {
        left: of(0),
        right: of(1),
    }
}

/// The number of a class, if it is one.
fn class_of(classes: &Classes, cell: &Cell) -> Option<usize> {
    let first = cell.left.first().map(|a| (0, *a));
    let first = first.or(cell.right.first().map(|a| (1, *a)))?;
    let class = *classes.get(&first)?;
    (members(classes, class) == *cell).then_some(class)
}

/// Checks certificates for two states.
pub(super) struct Checker<'a> {
    subject: &'a mut Subject,
    given: [Vec<LocalId>; 2],
    states: [State; 2],
    /// The images chosen so far.
    chosen: Vec<Atom>,
}

macro_rules! demand {
    ($holds:expr, $($why:tt)*) => { if !$holds { return Err(format!($($why)*)); } };
}

impl<'a> Checker<'a> {
    pub(super) fn new(subject: &'a mut Subject, a: &[LocalId], b: &[LocalId]) -> Self {
        let states = [plain(subject, a), plain(subject, b)];
        Self {
            subject,
            given: [a.to_vec(), b.to_vec()],
            states,
            chosen: Vec::new(),
        }
    }

    /// Whether it proves that the two states, which are of one format, are of different orbits.
    pub(super) fn accepts(&mut self, certificate: &Certificate) -> Result<(), String> {
        let kinds = self.subject.machine.atoms().all_kinds().to_vec();
        let value = |side: usize| {
            let kinds = kinds.iter().enumerate();
            kinds.map(move |(n, kind)| ((side, Atom(n as u16)), usize::from(*kind)))
        };
        self.judge(certificate, value(0).chain(value(1)).collect())
    }

    fn judge(&mut self, certificate: &Certificate, classes: Classes) -> Result<(), String> {
        match certificate {
            Certificate::Keys { key, left, right } => {
                let having = |state: &State| -> Vec<u16> {
                    let all = (0..).zip(state);
                    all.filter(|(_, c)| c.key == (key.shape, key.class))
                        .map(|(n, _)| n)
                        .collect()
                };
                let found = (having(&self.states[0]), having(&self.states[1]));
                demand!(found == (left.clone(), right.clone()), "{found:?} have it");
                demand!(left.len() != right.len(), "as many have the key");
                Ok(())
            }
            Certificate::Profile(profile) => self.judge_profile(profile, classes),
            Certificate::Tree { pick, refuted } => self.judge_tree(*pick, refuted, classes),
            Certificate::Image(image) => {
                let classes = settled(&self.states, classes);
                for (side, state) in self.states.iter().enumerate() {
                    for (atom, ..) in state.iter().flat_map(|c| &c.variables) {
                        let cell = members(&classes, classes[&(side, *atom)]);
                        let alone = (&cell.left[..], &cell.right[..]);
                        let ([left], [right]) = alone else {
                            return Err(format!("{cell:?} has several members"));
                        };
                        demand!(image.apply(*left) == *right, "it takes {left:?} elsewhere");
                    }
                }
                let [a, b] = self.given.clone();
                demand!(
                    !takes(self.subject, &a, &b, image.image()),
                    "it takes A to B"
                );
                Ok(())
            }
        }
    }

    fn judge_tree(
        &mut self,
        pick: Atom,
        refuted: &[Refuted],
        classes: Classes,
    ) -> Result<(), String> {
        let classes = settled(&self.states, classes);
        let cell = members(&classes, classes[&(0, pick)]);
        let partners: BTreeSet<Atom> = refuted.iter().map(|r| r.partner).collect();
        let all: BTreeSet<Atom> = cell.right.iter().copied().collect();
        demand!(partners == all, "{partners:?} are not all of {all:?}");
        for one in refuted {
            match &one.why {
                Refutation::By(certificate) => {
                    let mut below = classes.clone();
                    below.insert((0, pick), usize::MAX);
                    below.insert((1, one.partner), usize::MAX);
                    self.chosen.push(one.partner);
                    self.judge(certificate, below)?;
                    self.chosen.pop();
                }
                Refutation::Like { partner, by } => {
                    demand!(by.apply(one.partner) == *partner, "it leads elsewhere");
                    let stays = |b: &Atom| by.apply(*b) == *b;
                    demand!(self.chosen.iter().all(stays), "it moves what was chosen");
                    demand!(self.keeps(by), "it does not keep the state");
                    let mut others = refuted.iter().filter(|r| r.partner == *partner);
                    let is_proved = others.all(|r| matches!(r.why, Refutation::By(_)));
                    demand!(is_proved, "{partner:?} is not refuted by itself");
                }
            }
        }
        Ok(())
    }

    fn judge_profile(&self, profile: &Profile, mut classes: Classes) -> Result<(), String> {
        let mut before = classes.clone();
        for _ in 0..profile.round {
            let next = round(&self.states, &classes);
            before = std::mem::replace(&mut classes, next);
        }
        let Cell { left, right } = &profile.class;
        demand!(
            left.len() != right.len(),
            "{left:?} and {right:?} are as many"
        );
        let (class, rest) = (
            class_of(&classes, &profile.class),
            class_of(&classes, &profile.rest),
        );
        demand!(
            class.is_some() && rest.is_some(),
            "{profile:?} is no class of {classes:?}"
        );
        // What tells the two apart.
        let because = &profile.because;
        let looks = looks(&self.states, &before);
        let side = match because.side {
            WhichState::Left => 0,
            WhichState::Right => 1,
        };
        let place = (
            side,
            usize::from(because.component),
            usize::from(because.variable),
        );
        let look = &looks[&place];
        let times = |value: Value| {
            let alike = looks.iter().filter(|(_, other)| *other == look);
            let held = alike.filter(|((side, component, at), _)| {
                *side == value.0 && self.states[*side][*component].variables[*at].0 == value.1
            });
            held.count()
        };
        let all = |cell: &Cell, wanted: usize| {
            let left = cell.left.iter().map(|a| (0, *a));
            let mut both = left.chain(cell.right.iter().map(|a| (1, *a)));
            both.all(|value| times(value) == wanted)
        };
        demand!(because.times != because.others, "nothing differs");
        demand!(
            all(&profile.class, because.times) && all(&profile.rest, because.others),
            "the column is not as {profile:?} says"
        );
        Ok(())
    }

    /// Whether a permutation takes the second state to itself.
    fn keeps(&mut self, by: &Permutation) -> bool {
        let b = self.given[1].clone();
        takes(self.subject, &b, &b, by.image())
    }
}

/// Whether a permutation takes one state to another, up to exchanges of copies.
pub(super) fn takes(subject: &mut Subject, a: &[LocalId], b: &[LocalId], image: &[Atom]) -> bool {
    let mut moved = subject.complete(|machine, network| {
        let mut out = Vec::new();
        network.permute(machine.locals(), FormatId(0), a, image, &mut out)?;
        Ok(out)
    });
    // Sorted within each set of copies, in both.
    let mut wanted = b.to_vec();
    for set in subject.network.first().copies().sets() {
        for state in [&mut moved, &mut wanted] {
            let mut held: Vec<LocalId> = set.iter().map(|c| state[usize::from(*c)]).collect();
            held.sort_unstable();
            for (place, local) in set.iter().zip(held) {
                state[usize::from(*place)] = local;
            }
        }
    }
    moved == wanted
}
