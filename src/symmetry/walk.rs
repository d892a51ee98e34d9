//! The `walk` strategy: follow references first.
//!
//! The paper's Lemma 53 shows that its ordering is exact where every value can be told from the
//! others by following references. This strategy follows them directly instead of computing n-values
//! to a fixpoint. It starts from the components that no symmetric type indexes, names the values that
//! they hold in the order of their variables, and goes on with the components that a named value
//! identifies. What is left is sorted by control state and by the names already given; a component
//! that is alone of its kind is walked from in turn. Components that are still equal then, and differ
//! only in values that occur nowhere else, are interchangeable: any order gives the same state. Only
//! if others remain are the n-values of Def. 36 needed, and the state is left to `ordering`.
//!
//! Every decision is made by shapes, positions of variables and names already given, so two states
//! of one orbit are named alike (Sec. 7.3): the representative is unique wherever the walk
//! suffices.

use super::ordering::TypeOrdering;
use super::permutation::factorial;
use super::strategy::{Context, Ordering, Representative, Strategy};
use crate::machine::{Format, Locals, Miss};
use crate::value::Atom;

/// A value without a name.
const UNSET: Atom = Atom(u16::MAX);
/// Variables whose names fit into the digest of a component.
const DIGEST_MAX: usize = 8;
/// Values whose names fit into a byte of a digest.
const NAMES_MAX: usize = 254;

/// A component that was not walked to: control state, names of its values, number.
type Rest = (u64, u64, u16);

/// Buffers.
#[derive(Debug, Default)]
pub struct Spare {
    /// Components to walk to.
    queue: Vec<u16>,
    met: Vec<bool>,
    rest: Vec<Rest>,
    /// Components that no walk can reach.
    apart: Vec<Rest>,
    /// How often each value occurs.
    counts: Vec<u16>,
    /// The next name of each type.
    next: Vec<u16>,
    /// Sizes of runs whose members are interchangeable by a permutation that fixes the state of the
    /// specification.
    free: Vec<usize>,
    /// How many values of each type neither side mentions.
    unseen: Vec<usize>,
}

/// What a walk reads.
#[derive(Clone, Copy)]
pub(super) struct Walker<'a> {
    context: &'a Context<'a>,
    format: &'a Format,
    locals: &'a Locals,
}

/// Follow references, then sort, then `ordering`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Walk;

impl Strategy for Walk {
    fn name(&self) -> &'static str {
        "walk"
    }

    fn representative(&self, context: &Context<'_>, out: &mut Representative) -> Result<(), Miss> {
        if !Walker::new(context).name_all(out) {
            return Ordering(TypeOrdering::Appearance).representative(context, out);
        }
        context.network.permute(
            context.locals,
            context.format,
            context.state,
            &out.image,
            &mut out.locals,
        )
    }
}

impl<'a> Walker<'a> {
    pub(super) fn new(context: &'a Context<'a>) -> Self {
        Self {
            context,
            format: &context.network.formats[context.format.0 as usize],
            locals: context.locals,
        }
    }

    /// Gives every value a name; false if that needs n-values.
    pub(super) fn name_all(self, out: &mut Representative) -> bool {
        let Representative { image, walk, .. } = out;
        let (atoms, state) = (self.context.atoms, self.context.state);
        walk.start(image, self.context);
        if atoms.len() > NAMES_MAX || !self.count(walk) {
            return false;
        }
        for component in 0..state.len() as u16 {
            if !self.format.homes.is_indexed(component as usize) {
                walk.rest.push((0, 0, component));
            }
        }
        self.walk_from_singles(walk, image);
        walk.rest.clear();
        for component in 0..state.len() as u16 {
            if !walk.met[component as usize] {
                let apart = self.is_apart(component, walk);
                let list = if apart {
                    &mut walk.apart
                } else {
                    &mut walk.rest
                };
                list.push((0, 0, component));
            }
        }
        while self.walk_from_singles(walk, image) {}
        if !self.are_interchangeable(walk, image) {
            return false;
        }
        self.name_rest(walk, image);
        true
    }

    fn atoms_of(&self, component: u16) -> &[Atom] {
        self.locals.atoms_of(self.context.state[component as usize])
    }

    /// Counts the occurrences of every value; false if a component is too complex to walk.
    fn count(&self, walk: &mut Spare) -> bool {
        for local in self.context.state {
            let atoms = self.locals.atoms_of(*local);
            if atoms.len() > DIGEST_MAX || self.locals.is_grouped(*local) {
                return false;
            }
            for atom in atoms {
                walk.counts[atom.0 as usize] += 1;
            }
        }
        true
    }

    /// Whether no value of a component occurs anywhere else: nothing leads to it or from it.
    fn is_apart(&self, component: u16, walk: &Spare) -> bool {
        let is_private = |atom: &Atom| walk.counts[atom.0 as usize] == 1;
        self.atoms_of(component).iter().all(is_private)
    }

    /// Control state, and the names of the values in the order of the variables.
    fn digest(&self, component: u16, image: &[Atom]) -> Rest {
        let shape = self.locals.shape_of(self.context.state[component as usize]);
        let class = self.format.components[component as usize].class;
        let key = u64::from(self.locals.rank(shape)) << 16 | u64::from(class);
        let name = |atom: &Atom| u64::from(image[atom.0 as usize].0 & 0xff);
        let names = self.atoms_of(component).iter().map(name);
        (
            key,
            names.fold(0, |digest, name| digest << 8 | name),
            component,
        )
    }

    /// Sorts what is left and walks from every component that is alone of its kind. False if that
    /// gave no value a name.
    fn walk_from_singles(&self, walk: &mut Spare, image: &mut [Atom]) -> bool {
        for entry in &mut walk.rest {
            *entry = self.digest(entry.2, image);
        }
        walk.rest.sort_unstable();
        let named = |next: &[u16]| next.iter().map(|n| u32::from(*n)).sum::<u32>();
        let before = named(&walk.next);
        for at in 0..walk.rest.len() {
            let component = walk.rest[at].2;
            let same = |other: usize| {
                let (a, b) = (walk.rest[at], walk.rest[other]);
                (a.0, a.1) == (b.0, b.1)
            };
            let alone = !(at > 0 && same(at - 1) || at + 1 < walk.rest.len() && same(at + 1));
            if alone && !walk.met[component as usize] {
                walk.met[component as usize] = true;
                self.walk_from(component, walk, image);
            }
        }
        let Spare {
            rest, met, next, ..
        } = walk;
        rest.retain(|entry| !met[entry.2 as usize]);
        before != named(next)
    }

    /// Names the values of a component, then those of the components that they identify, and so on.
    fn walk_from(&self, component: u16, walk: &mut Spare, image: &mut [Atom]) {
        walk.queue.clear();
        walk.queue.push(component);
        let mut at = 0;
        while at < walk.queue.len() {
            for atom in self.atoms_of(walk.queue[at]) {
                if walk.name(*atom, image, self.context) {
                    for found in self.format.homes.identified(*atom) {
                        if !std::mem::replace(&mut walk.met[found as usize], true) {
                            walk.queue.push(found);
                        }
                    }
                }
            }
            at += 1;
        }
    }

    /// Whether the components of every run of equal ones differ only in values that occur nowhere
    /// else (Def. 49: then they are fully symmetric).
    fn are_interchangeable(&self, walk: &Spare, image: &[Atom]) -> bool {
        if walk.rest.is_empty() {
            return true;
        }
        let is_private = |atom: &Atom| walk.counts[atom.0 as usize] == 1;
        walk.rest
            .chunk_by(|a, b| (a.0, a.1) == (b.0, b.1))
            .all(|run| {
                let first = self.atoms_of(run[0].2);
                run[1..].iter().all(|other| {
                    let pairs = first.iter().zip(self.atoms_of(other.2));
                    pairs.into_iter().all(|(a, b)| {
                        a == b || image[a.0 as usize] != UNSET || is_private(a) && is_private(b)
                    })
                })
            })
    }

    /// Names what is left: values of interchangeable components, those that the specification
    /// mentions first; then values that occur only there; then values that occur nowhere.
    fn name_rest(&self, walk: &mut Spare, image: &mut [Atom]) {
        let extra = self.context.extra;
        let open = extra.iter().any(|atom| image[atom.0 as usize] == UNSET);
        self.name_runs(walk, image, open);
        for entry in &mut walk.apart {
            *entry = self.digest(entry.2, image);
        }
        std::mem::swap(&mut walk.rest, &mut walk.apart);
        walk.rest.sort_unstable();
        self.name_runs(walk, image, open);
        for atom in extra {
            walk.name(*atom, image, self.context);
        }
        walk.unseen.clear();
        let kinds = 0..self.context.atoms.kinds();
        let left = kinds.map(|k| self.context.atoms.atoms(k as u8).end - walk.next[k]);
        walk.unseen.extend(left.map(usize::from));
        for atom in 0..image.len() as u16 {
            walk.name(Atom(atom), image, self.context);
        }
    }

    /// Names the values of what is left, component by component; equal ones in the order in which the
    /// specification mentions them, if it does.
    fn name_runs(&self, walk: &mut Spare, image: &mut [Atom], mentioned: bool) {
        if mentioned {
            let extra = self.context.extra;
            let place = |component: u16| {
                let atoms = self.atoms_of(component);
                extra
                    .iter()
                    .position(|atom| atoms.contains(atom) && image[atom.0 as usize] == UNSET)
            };
            let place = |component| place(component).unwrap_or(usize::MAX);
            walk.rest
                .sort_unstable_by_key(|entry| (entry.0, entry.1, place(entry.2), entry.2));
        }
        let Spare {
            rest, free, counts, ..
        } = &mut *walk;
        for run in rest.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
            let extra = if mentioned { self.context.extra } else { &[] };
            let is_free = |component: u16| {
                let is_private =
                    |a: &&Atom| image[a.0 as usize] == UNSET && counts[a.0 as usize] == 1;
                let mut private = self.atoms_of(component).iter().filter(is_private);
                private.clone().next().is_some() && !private.any(|a| extra.contains(a))
            };
            free.push(run.iter().filter(|entry| is_free(entry.2)).count());
        }
        for at in 0..walk.rest.len() {
            for atom in self.atoms_of(walk.rest[at].2) {
                walk.name(*atom, image, self.context);
            }
        }
    }

    /// `|Stab|` of the pair that was walked last, if it is known: the orders of interchangeable
    /// components and of values that do not occur.
    pub(super) fn stabiliser(&self, walk: &Spare) -> Option<u128> {
        let sizes = walk.free.iter().chain(&walk.unseen);
        let product = sizes.map(|n| factorial(*n)).fold(1, u128::saturating_mul);
        self.context.extra_ordered.then_some(product)
    }
}

impl Spare {
    fn start(&mut self, image: &mut Vec<Atom>, context: &Context<'_>) {
        image.clear();
        image.resize(context.atoms.len(), UNSET);
        self.next.clear();
        let kinds = 0..context.atoms.kinds();
        self.next
            .extend(kinds.map(|kind| context.atoms.atoms(kind as u8).start));
        self.met.clear();
        self.met.resize(context.state.len(), false);
        self.rest.clear();
        self.apart.clear();
        self.free.clear();
        self.unseen.clear();
        self.counts.clear();
        self.counts.resize(context.atoms.len(), 0);
    }

    /// Gives a value the next name of its type; false if it has one.
    fn name(&mut self, atom: Atom, image: &mut [Atom], context: &Context<'_>) -> bool {
        let slot = &mut image[atom.0 as usize];
        if *slot != UNSET {
            return false;
        }
        let next = &mut self.next[context.atoms.kind(atom) as usize];
        *slot = Atom(*next);
        *next += 1;
        true
    }
}
