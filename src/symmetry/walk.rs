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
//! A permutation moves a component to the place that the image of its label names, so the values of the
//! label are variables of a component like others, whether its state holds them too or not.
//!
//! Every decision is made by shapes, positions of variables and names already given, so two states
//! of one orbit are named alike (Sec. 7.3): the representative is unique wherever the walk
//! suffices.

use super::context::StateContext;
use super::met::MetComponents;
use super::ordering::TypeOrdering;
use super::permutation::lists_once;
use super::strategy::{Ordering, Representative, Strategy};
use super::twins::{ATOMS_MAX, COMPONENTS_MAX, Masks};
use super::watch::{self, Nobody, Start, StrategyEvent, Watcher};
use crate::machine::images::ComponentImages;
use crate::machine::order::Order;
use crate::machine::tables::Outline;
use crate::machine::{Format, Miss};
use crate::value::{Atom, AtomTypes};

/// A value without a name.
const UNSET: u16 = u16::MAX;
/// Symmetric types that a walk can tell apart.
const KINDS_MAX: usize = 16;

/// A component that was not walked to. Those that differ in nothing but the last field are equal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Unreached {
    /// Control state and class.
    key: u64,
    /// Names of its values, a byte each.
    names: [u64; 2],
    component: u16,
}

impl Unreached {
    fn is_like(&self, other: &Self) -> bool {
        (self.key, self.names) == (other.key, other.names)
    }
}

/// The names given so far. Arrays and masks of fixed size: nothing has to be checked.
#[derive(Debug)]
struct GivenNames {
    image: [u16; ATOMS_MAX],
    /// The next name of each type.
    next: [u16; KINDS_MAX],
    /// The type of each value.
    kinds: [u8; ATOMS_MAX],
    /// The values that have names, as a set.
    named: u64,
}

impl GivenNames {
    /// Gives a value the next name of its type; false if it has one.
    #[inline]
    fn give(&mut self, atom: u8) -> bool {
        // `Masks::take` has seen that it is smaller; the remainder tells the compiler, too.
        let at = usize::from(atom) % ATOMS_MAX;
        if self.named >> at & 1 != 0 {
            return false;
        }
        self.named |= 1 << at;
        let next = &mut self.next[usize::from(self.kinds[at]) % KINDS_MAX];
        self.image[at] = *next;
        *next += 1;
        true
    }

    #[inline]
    fn of(&self, atom: u8) -> u16 {
        let at = usize::from(atom) % ATOMS_MAX;
        // What stands at the place of others is a name of an earlier walk.
        if self.named >> at & 1 != 0 {
            self.image[at]
        } else {
            UNSET
        }
    }

    fn give_all(&mut self, mut atoms: u64) {
        while atoms != 0 {
            self.give(atoms.trailing_zeros() as u8);
            atoms &= atoms - 1;
        }
    }
}

/// Buffers of a walk, kept from state to state, and what it found out.
#[derive(Debug)]
pub struct WalkScratch {
    names: GivenNames,
    /// Components to walk to.
    queue: [u16; COMPONENTS_MAX],
    met: MetComponents,
    masks: Masks,
    unreached: Vec<Unreached>,
    /// Components that no walk can reach.
    apart: Vec<Unreached>,
    /// Whether the order of the stabiliser is wanted.
    pub(super) counting: bool,
    /// Sizes of runs whose members are interchangeable by a permutation that fixes the state of the
    /// specification.
    free: Vec<usize>,
    /// How many values of each type neither side mentions.
    unseen: Vec<usize>,
}

impl Default for WalkScratch {
    fn default() -> Self {
        Self {
            names: GivenNames {
                image: [UNSET; ATOMS_MAX],
                next: [0; KINDS_MAX],
                kinds: [0; ATOMS_MAX],
                named: 0,
            },
            queue: [0; COMPONENTS_MAX],
            met: MetComponents::default(),
            masks: Masks::default(),
            unreached: Vec::new(),
            apart: Vec::new(),
            counting: false,
            free: Vec::new(),
            unseen: Vec::new(),
        }
    }
}

/// What a walk reads.
#[derive(Clone, Copy)]
pub(super) struct Walker<'a> {
    context: &'a StateContext<'a>,
    format: &'a Format,
}

/// Follow references, then sort, then `ordering`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Walk;

impl Walk {
    /// The same computation, watched; false if it needed `ordering`.
    ///
    /// # Errors
    /// As [`Strategy::representative`].
    pub fn watched(
        self,
        context: &StateContext<'_>,
        out: &mut Representative,
        watcher: &mut impl Watcher,
    ) -> Result<bool, Miss> {
        // Only `exact` counts; the flag of an earlier computation may still be there.
        out.walk.counting = false;
        if !Walker::new(context).name_all(out, watcher) {
            Ordering(TypeOrdering::Appearance).representative(context, out)?;
            out.fell_back = true;
            return Ok(false);
        }
        out.fell_back = false;
        context.image(&out.image, &mut out.locals)?;
        Ok(true)
    }
}

impl Strategy for Walk {
    fn name(&self) -> &'static str {
        "walk"
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
        out.walk.counting = false;
        out.fell_back = !Walker::new(context).name_all(out, &mut Nobody);
        if out.fell_back {
            Ordering(TypeOrdering::Appearance).representative(context, out)?;
            out.fell_back = true;
        }
        Ok(!out.fell_back)
    }

    fn tells_uniqueness(&self) -> bool {
        true
    }

    fn instead(&self) -> &'static str {
        "`ordering` was done where references do not settle it"
    }

    fn leaves_out_twins(&self) -> bool {
        true
    }
}

impl<'a> Walker<'a> {
    pub(super) fn new(context: &'a StateContext<'a>) -> Self {
        Self {
            context,
            format: context.network.format(context.format),
        }
    }

    /// Gives every value a name; false if that needs n-values.
    pub(super) fn name_all(self, out: &mut Representative, watcher: &mut impl Watcher) -> bool {
        let Representative {
            image, walk, near, ..
        } = out;
        let (atoms, state) = (self.context.atoms, self.context.state);
        // Too large or too complex for the fixed arrays: left to the other strategies.
        if !near.masks_of(self.context, &mut walk.masks) || atoms.kinds() > KINDS_MAX {
            return false;
        }
        walk.start(self.context);
        for component in self.format.images().lone() {
            // Marked although no value leads to it, so that it is not sorted among the unreached.
            walk.met.meet(*component);
            watcher.see(|| StrategyEvent::Start(*component, Start::Lone));
            self.walk_from(*component, walk, watcher);
        }
        let WalkScratch {
            met,
            masks,
            apart,
            unreached,
            ..
        } = &mut *walk;
        met.each_other(state.len(), |component| {
            let entry = self.unreached(component);
            // No value of it occurs anywhere else: nothing leads to it or from it. It is kept apart,
            // since each round sorts the others anew.
            if masks.of(component) & !masks.once == 0 {
                apart.push(entry);
            } else {
                unreached.push(entry);
            }
        });
        // Each round but the last names a value, which may make other components alone of their kind:
        // there are at most as many rounds as values, and one.
        while !walk.unreached.is_empty() && self.walk_from_singles(walk, watcher) {}
        if let Some(run) = self.find_different(walk) {
            watcher.see(|| StrategyEvent::NotEnough(run.iter().map(|e| e.component).collect()));
            return false;
        }
        self.name_unreached(walk, watcher);
        image.clear();
        let names = &walk.names.image[..atoms.len()];
        image.extend(names.iter().map(|name| Atom(*name)));
        let moves = |(name, atom): (&u16, u16)| u64::from(*name != atom) << (atom % 64);
        let moving = names
            .iter()
            .zip(0..)
            .map(moves)
            .fold(0, |all, one| all | one);
        near.note_names(&walk.masks, moving, state.len());
        if cfg!(debug_assertions) {
            assert_consistent(image, atoms);
        }
        true
    }

    #[inline]
    fn outline(self, component: u16) -> &'a Outline {
        self.context
            .locals
            .outline(self.context.state[component as usize])
    }

    /// The values of a component in the order of its variables ([`Masks::take`] has seen that it has
    /// no others).
    #[inline]
    fn held(self, component: u16) -> &'a [u8] {
        self.outline(component).plain().unwrap_or(&[])
    }

    /// The same, and then those of its label.
    #[inline]
    fn values(self, component: u16) -> impl Iterator<Item = u8> + 'a {
        let label = self.format.images().label(component as usize);
        self.held(component).iter().chain(label).copied()
    }

    /// A component without the names of its values.
    fn unreached(self, component: u16) -> Unreached {
        let outline = self.outline(component);
        let rank = u64::from(self.context.locals.rank(outline.shape()));
        let class = u64::from(self.format.images().class(usize::from(component)));
        Unreached {
            key: rank << 16 | class,
            names: [0; 2],
            component,
        }
    }

    /// Sorts what is left and walks from every component that is alone of its kind. False if that
    /// gave no value a name.
    fn walk_from_singles(self, walk: &mut WalkScratch, watcher: &mut impl Watcher) -> bool {
        let WalkScratch {
            unreached, names, ..
        } = &mut *walk;
        // Who is left alone is like no other, whatever it holds.
        if unreached.len() > 1 {
            for entry in unreached.iter_mut() {
                entry.names = [0; 2];
                // A byte is enough: names are below 64, and `UNSET` becomes 255. `Masks::take` has seen
                // that there are no more than 16 values, label included.
                for (n, atom) in self.values(entry.component).enumerate() {
                    let word = &mut entry.names[n / 8];
                    *word = *word << 8 | u64::from(names.of(atom) & 0xff);
                }
            }
            // The component breaks ties, for a fixed order only: equals are not walked from here.
            unreached.sort_unstable();
        }
        watcher.see(|| StrategyEvent::Sorted(classes(unreached)));
        // Who is alone is read off the entries as they were sorted: names given on the way do not
        // count before the next round, so the order of the walks is that of the image of the state.
        let before = walk.names.named;
        for at in 0..walk.unreached.len() {
            let entry = walk.unreached[at];
            let like = |other: Option<&Unreached>| other.is_some_and(|o| o.is_like(&entry));
            let alone =
                !(at > 0 && like(walk.unreached.get(at - 1)) || like(walk.unreached.get(at + 1)));
            // An earlier walk of this round may have come to it already.
            if alone && !walk.met.meet(entry.component) {
                watcher.see(|| StrategyEvent::Start(entry.component, Start::Single));
                self.walk_from(entry.component, walk, watcher);
            }
        }
        let WalkScratch { unreached, met, .. } = &mut *walk;
        unreached.retain(|entry| !met.has(entry.component));
        before != walk.names.named
    }

    /// Names the values of a component, then those of the components that they identify, and so on.
    #[inline]
    fn walk_from(self, component: u16, walk: &mut WalkScratch, watcher: &mut impl Watcher) {
        // A component enters the queue when it is met, so it enters once: the queue never overflows.
        walk.queue[0] = component;
        let (mut at, mut end) = (0, 1);
        while at < end {
            let component = walk.queue[at % COMPONENTS_MAX];
            at += 1;
            watcher.see(|| StrategyEvent::At(component));
            let mask = walk.masks.of(component);
            if mask & !walk.names.named != 0 {
                // The values that the state shows come before those of the label: their order is
                // what Def. 38 goes by, too.
                let values = self.held(component);
                self.name_values((component, values), walk, &mut end, watcher);
            }
            if mask & !walk.names.named != 0 {
                let label = self.format.images().label(component as usize);
                self.name_values((component, label), walk, &mut end, watcher);
            }
        }
    }

    /// Names values, and appends the components that they identify to the queue.
    #[inline]
    fn name_values<W: Watcher>(
        self,
        (component, values): (u16, &[u8]),
        walk: &mut WalkScratch,
        end: &mut usize,
        watcher: &mut W,
    ) {
        let WalkScratch {
            queue, met, names, ..
        } = walk;
        let images = self.format.images();
        for atom in values {
            // It was named before, and what it identifies was put into the queue then.
            if !names.give(*atom) {
                continue;
            }
            watch::named(watcher, component, *atom, names.of(*atom));
            let sole = images.sole(*atom);
            let several = match sole {
                ComponentImages::SEVERAL => images.identified(Atom(u16::from(*atom))),
                _ => &[],
            };
            let one = (sole < ComponentImages::SEVERAL).then_some(sole);
            for found in one.into_iter().chain(several.iter().copied()) {
                if !met.meet(found) {
                    queue[*end % COMPONENTS_MAX] = found;
                    *end += 1;
                    watcher.see(|| StrategyEvent::LeadsTo(found));
                }
            }
        }
    }

    /// A run of equal components that differ in more than values that occur nowhere else. If there is
    /// none, the members of every run are fully symmetric (Def. 49).
    fn find_different(self, walk: &WalkScratch) -> Option<&[Unreached]> {
        // Names of the members of a run are equal place by place, so two values with names are the
        // same value. Of the others, those that occur once may be exchanged; any other pair has to
        // be equal.
        let settled = walk.names.named | walk.masks.once;
        let is_settled = |atom: u8| settled >> atom & 1 != 0;
        walk.unreached.chunk_by(Unreached::is_like).find(|run| {
            // Against the first is enough: being equal but for such values is transitive.
            !run[1..].iter().all(|other| {
                let (first, other) = (self.values(run[0].component), self.values(other.component));
                let mut pairs = first.zip(other);
                pairs.all(|(a, b)| a == b || is_settled(a) && is_settled(b))
            })
        })
    }

    /// Names what is left: values of interchangeable components, those that the specification
    /// mentions first; then values that occur only there; then values that occur nowhere.
    fn name_unreached(self, walk: &mut WalkScratch, watcher: &mut impl Watcher) {
        watcher.see(|| StrategyEvent::Interchangeable);
        // Before any of the unreached is named. If all that the specification mentions has a name, runs
        // need not be sorted by it.
        let spec_atoms = self.context.spec_atoms;
        let open = spec_atoms
            .iter()
            .any(|atom| walk.names.named >> atom.0 & 1 == 0);
        self.name_runs(walk, open, watcher);
        // `name_runs` works on `unreached`; what was there is done.
        std::mem::swap(&mut walk.unreached, &mut walk.apart);
        walk.unreached.sort_unstable();
        self.name_runs(walk, open, watcher);
        watcher.see(|| StrategyEvent::Unseen);
        // Values that only the specification mentions: in its order, so that equivalent pairs get
        // one name for each of them.
        for atom in spec_atoms {
            walk.names.give(atom.0 as u8);
        }
        if walk.counting {
            let kinds = 0..self.context.atoms.kinds();
            let left = kinds.map(|k| self.context.atoms.atoms(k as u8).end - walk.names.next[k]);
            walk.unseen.extend(left.map(usize::from));
        }
        // The lowest bits, one for each value. A shift by 64, where there are no values, would
        // overflow.
        let beyond = (ATOMS_MAX - self.context.atoms.len()) as u32;
        let all = u64::MAX.checked_shr(beyond).unwrap_or(0);
        walk.names.give_all(all & !walk.names.named);
    }

    /// Names the values of what is left, component by component; equal ones in the order in which the
    /// specification mentions them, if it does.
    fn name_runs(self, walk: &mut WalkScratch, mentioned: bool, watcher: &mut impl Watcher) {
        let spec_atoms = if mentioned {
            self.context.spec_atoms
        } else {
            &[]
        };
        if mentioned {
            let WalkScratch {
                unreached,
                names,
                masks,
                ..
            } = &mut *walk;
            let place = |entry: &Unreached| {
                let open = masks.of(entry.component) & !names.named;
                let is_next = |atom: &Atom| open >> atom.0 & 1 != 0;
                spec_atoms.iter().position(is_next).unwrap_or(usize::MAX)
            };
            // The runs stay as they are; only the order of equal components changes.
            unreached.sort_unstable_by_key(|e| (e.key, e.names, place(e), e.component));
        }
        if walk.counting {
            self.count_free(walk, spec_atoms);
        }
        let WalkScratch {
            unreached,
            names,
            masks,
            ..
        } = &mut *walk;
        for entry in unreached {
            if masks.of(entry.component) & !names.named == 0 {
                continue;
            }
            for atom in self.values(entry.component) {
                if names.give(atom) {
                    watch::named(watcher, entry.component, atom, names.of(atom));
                }
            }
        }
    }

    /// Notes how many components of each run have values of their own that the specification does not
    /// mention.
    fn count_free(self, walk: &mut WalkScratch, spec_atoms: &[Atom]) {
        let mentioned = spec_atoms.iter().fold(0u64, |set, atom| set | 1 << atom.0);
        // Equal components without values of their own would be copies, which are counted
        // elsewhere.
        let own = walk.masks.once & !walk.names.named;
        for run in walk.unreached.chunk_by(Unreached::is_like) {
            let is_free = |entry: &&Unreached| {
                let held = walk.masks.of(entry.component) & own;
                held != 0 && held & mentioned == 0
            };
            walk.free.push(run.iter().filter(is_free).count());
        }
    }

    /// `|Stab|` of the pair that was walked last, if it is known: the orders of interchangeable
    /// components and of values that do not occur.
    pub(super) fn stabiliser(self, walk: &WalkScratch) -> Option<Order> {
        let mut product = Order::ONE;
        let sizes = walk.free.iter().chain(&walk.unseen);
        sizes.for_each(|size| product.times_factorial(*size));
        // Where the specification's state is a set of values, permutations may leave it alone
        // although they move what is mentioned first: then the product is too small.
        self.context.spec_atoms_ordered.then_some(product)
    }
}

/// For debug builds: names are a permutation of the values of each type.
fn assert_consistent(image: &[Atom], atoms: &AtomTypes) {
    for kind in 0..atoms.kinds() as u8 {
        let values = atoms.atoms(kind);
        let names = values.clone().map(|a| image[a as usize].0);
        assert!(lists_once(&names, &values), "two values have one name");
    }
}

/// The components of sorted entries, equal ones together.
fn classes(unreached: &[Unreached]) -> Vec<Vec<u16>> {
    let runs = unreached.chunk_by(Unreached::is_like);
    runs.map(|run| run.iter().map(|entry| entry.component).collect())
        .collect()
}

impl WalkScratch {
    fn start(&mut self, context: &StateContext<'_>) {
        let names = &mut self.names;
        names.named = 0;
        for kind in 0..context.atoms.kinds() {
            // Names are values: the n-th value named becomes the n-th of its type (Def. 40).
            names.next[kind % KINDS_MAX] = context.atoms.atoms(kind as u8).start;
        }
        let kinds = context.atoms.all_kinds();
        names.kinds[..kinds.len()].copy_from_slice(kinds);
        self.met = MetComponents::default();
        self.unreached.clear();
        self.apart.clear();
        self.free.clear();
        self.unseen.clear();
    }
}
