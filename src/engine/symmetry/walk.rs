//! The `walk` strategy: follow references first.
//!
//! The paper's Lemma 53 shows that its ordering is exact where every value can be told from the
//! others by following references. This strategy follows them directly instead of computing n-values
//! to a fixpoint. It starts from the components that no symmetric type indexes, names the values that
//! hold in the order of their variables, and goes on with the components that a named value
//! identifies. The components not reached are sorted by control state and by the names already given; each
//! one that is alone of its kind starts a walk in turn. Components that are still equal then, and differ
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
use super::met::{ComponentsAhead, MetComponents};
use super::names::{GivenNames, KINDS_MAX};
use super::ordering::TypeOrdering;
use super::permutation::lists_once;
use super::scratch::WalkScratch;
use super::strategy::{Ordering, Representative, Strategy};
use super::twins::Masks;
use super::unreached::{self, Unreached, classes};
use super::watch::{self, Nobody, Start, StrategyEvent, Watcher};
use crate::machine::images::ComponentImages;
use crate::machine::order::Order;
use crate::machine::tables::{Outline, ShortImage};
use crate::machine::{Format, Miss};
use crate::value::{Atom, AtomTypes};

/// The inputs of a walk.
#[derive(Clone, Copy)]
pub(super) struct Walker<'a> {
    context: &'a StateContext<'a>,
    format: &'a Format,
}

/// Follow references, then sort, then `ordering`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Walk;

impl Walk {
    /// The same computation with a watcher; false if it needed `ordering`.
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

    /// Names all values; false if that needs n-values.
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
        self.walk_from(self.format.images().lone(), Start::Lone, walk, watcher);
        let WalkScratch {
            met,
            masks,
            apart,
            unreached,
            ..
        } = &mut *walk;
        met.each_other(state.len(), |component| {
            // No value of it occurs anywhere else: nothing leads to it or from it. It is kept apart,
            // since each round sorts the other components anew.
            if masks.of(component) & !masks.once == 0 {
                apart.push(self.key(component));
            } else {
                unreached.push(Unreached::new(self.key(component)));
            }
        });
        unreached::sort_by_key(unreached);
        // Each round but the last names a value, which may make other components alone of their kind:
        // there are at most as many rounds as values, and one.
        while !walk.unreached.is_empty() && self.walk_from_singles(walk, watcher) {}
        if !walk.unreached.is_empty()
            && let Some(run) = self.find_different(walk)
        {
            watcher.see(|| StrategyEvent::NotEnough(run.iter().map(|e| e.component()).collect()));
            return false;
        }
        self.name_unreached(walk, watcher);
        image.clear();
        image.extend_from_slice(&walk.names.image[..atoms.len()]);
        near.note_names(&walk.masks, walk.names.moving, state.len());
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

    /// The values of its label.
    #[inline]
    fn label(self, component: u16) -> &'a [u8] {
        self.format.images().label(component as usize)
    }

    /// The values of its variables, and then those of its label.
    #[inline]
    fn values(self, component: u16) -> impl Iterator<Item = u8> + 'a {
        let held = self.held(component).iter();
        held.chain(self.label(component)).copied()
    }

    /// The key of a component, whose kind is its control state and class.
    #[inline]
    fn key(self, component: u16) -> u64 {
        let shape = self.outline(component).shape();
        let rank = u64::from(self.context.locals.rank(shape));
        let class = self.format.images().class(usize::from(component));
        unreached::key(rank << 16 | u64::from(class), component)
    }

    /// Sorts the unreached components by the names given so far, and walks from each one that has no equal. False if
    /// that named no value.
    fn walk_from_singles(self, walk: &mut WalkScratch, watcher: &mut impl Watcher) -> bool {
        let before = walk.names.named;
        if let [only] = walk.unreached[..] {
            watcher.see(|| StrategyEvent::Sorted(vec![vec![only.component()]]));
            self.walk_from(&[only.component()], Start::Single, walk, watcher);
            walk.unreached.clear();
            return before != walk.names.named;
        }
        self.sort_unreached(walk);
        watcher.see(|| StrategyEvent::Sorted(classes(&walk.unreached)));
        // Single components are determined from the entries as sorted: names given on the way do not
        // count before the next round, so the order of the walks is that of the image of the state.
        let mut was_like = false;
        for at in 0..walk.unreached.len() {
            let entry = &walk.unreached[at];
            let next = walk.unreached.get(at + 1);
            let is_like = next.is_some_and(|next| next.is_like(entry));
            let alone = !is_like && !was_like;
            was_like = is_like;
            let component = entry.component();
            // An earlier walk of this round may have reached it already.
            if alone && !walk.met.has(component) {
                self.walk_from(&[component], Start::Single, walk, watcher);
            }
        }
        let WalkScratch { unreached, met, .. } = &mut *walk;
        unreached.retain(|entry| !met.has(entry.component()));
        before != walk.names.named
    }

    /// Sorts the unreached components of each kind by the names of their values. Their kinds ascend already.
    fn sort_unreached(self, walk: &mut WalkScratch) {
        let WalkScratch {
            unreached, names, ..
        } = &mut *walk;
        debug_assert!(unreached.is_sorted_by_key(Unreached::kind));
        for run in unreached.chunk_by_mut(|a, b| a.kind() == b.kind()) {
            // A component that is alone of its kind has no equal, so outdated names do no harm.
            if run.len() == 1 {
                continue;
            }
            for entry in &mut *run {
                // A byte is enough: names are below 64, and `UNSET` becomes 255. `Masks::take` has seen
                // that there are no more than 16 values, label included.
                let name = |atom: u8| u128::from(names.of(atom).0 & 0xff);
                let held = self.held(entry.component()).iter();
                let label = self.label(entry.component());
                entry.names = held.fold(0, |all, atom| all << 8 | name(*atom));
                entry.names = label
                    .iter()
                    .fold(entry.names, |all, atom| all << 8 | name(*atom));
            }
            unreached::sort_by_names(run);
        }
    }

    /// Breadth-first walk from each start: names the values of a component, then goes on with those that they identify.
    fn walk_from<W: Watcher>(
        self,
        starts: &[u16],
        why: Start,
        walk: &mut WalkScratch,
        watcher: &mut W,
    ) {
        let WalkScratch {
            queue,
            met,
            names,
            masks,
            ..
        } = walk;
        let images = self.format.images();
        for start in starts {
            watcher.see(|| StrategyEvent::Start(*start, why));
            // Marked as met even if no value leads to it, so that it is not sorted among the unreached.
            let mut ahead = ComponentsAhead::from(*start, met, queue);
            while let Some(component) = ahead.next() {
                watcher.see(|| StrategyEvent::At(component));
                let mut lead_from = |atom: u8, watcher: &mut W| match images.sole(atom) {
                    ComponentImages::NO_ONE => {}
                    ComponentImages::SEVERAL => {
                        let several = images.identified(Atom(u16::from(atom)));
                        several.iter().for_each(|to| ahead.lead_to(*to, watcher));
                    }
                    one => ahead.lead_to(one, watcher),
                };
                let open = masks.of(component) & !names.named;
                if open == 0 {
                    continue;
                }
                let leading = open & images.leading();
                // The order in which names are given decides which component is walked to first.
                let is_free = leading & leading.wrapping_sub(1) == 0 && !W::WATCHES;
                if is_free && names.keep(open) {
                    if leading != 0 {
                        lead_from(leading.trailing_zeros() as u8, watcher);
                    }
                    continue;
                }
                self.name_values(component, names, masks, |atom, name| {
                    watch::named(watcher, component, atom, name);
                    lead_from(atom, watcher);
                });
            }
        }
    }

    /// Names the unnamed values of a component, in the order of Def. 38: those of its local state before those of
    /// its label.
    #[inline]
    fn name_values(
        self,
        component: u16,
        names: &mut GivenNames,
        masks: &Masks,
        mut named: impl FnMut(u8, u16),
    ) {
        let open = masks.of(component) & !names.named;
        // Mostly there is at most one such value, and no order to find.
        if open & open.wrapping_sub(1) == 0 {
            if open != 0 {
                let atom = open.trailing_zeros() as u8;
                named(atom, names.give(atom));
            }
            return;
        }
        self.values(component).for_each(|atom| {
            if !names.has(atom) {
                named(atom, names.give(atom));
            }
        });
    }

    /// Finds a run of equal components that differ in more than values that occur nowhere else. If there is
    /// none, the members of every run are fully symmetric (Def. 49).
    fn find_different(self, walk: &WalkScratch) -> Option<&[Unreached]> {
        // Names of the members of a run are equal place by place, so two values with names are the
        // same value. Of the others, those that occur once may be exchanged; any other pair has to
        // be equal.
        let settled = walk.names.named | walk.masks.once;
        let is_settled = |atom: u8| settled >> atom & 1 != 0;
        walk.unreached.chunk_by(Unreached::is_like).find(|run| {
            // Comparing with the first is enough: equality up to such values is transitive.
            !run[1..].iter().all(|other| {
                // Mostly all of their values are settled, which the masks tell at once.
                let all = walk.masks.of(run[0].component()) | walk.masks.of(other.component());
                if all & !settled == 0 {
                    return true;
                }
                let (first, other) = (
                    self.values(run[0].component()),
                    self.values(other.component()),
                );
                let mut pairs = first.zip(other);
                pairs.all(|(a, b)| a == b || is_settled(a) && is_settled(b))
            })
        })
    }

    /// Names the remaining values: those of interchangeable components, those that the specification
    /// mentions first; then values that occur only there; then values that occur nowhere.
    fn name_unreached(self, walk: &mut WalkScratch, watcher: &mut impl Watcher) {
        watcher.see(|| StrategyEvent::Interchangeable);
        // Computed before any of the unreached is named. If all that the specification mentions has a name, runs
        // need not be sorted by it.
        let spec_atoms = self.context.spec_atoms;
        let open = spec_atoms
            .iter()
            .any(|atom| walk.names.named >> atom.0 & 1 == 0);
        if !walk.unreached.is_empty() {
            self.name_runs(walk, open, watcher);
        }
        if !walk.apart.is_empty() {
            self.name_apart(walk, open, watcher);
        }
        watcher.see(|| StrategyEvent::Unseen);
        // Values that only the specification mentions: in its order, so that equivalent pairs get
        // one name for each of them.
        if open {
            for atom in spec_atoms {
                if !walk.names.has(atom.0 as u8) {
                    walk.names.give(atom.0 as u8);
                }
            }
        }
        if walk.counting {
            let kinds = 0..self.context.atoms.kinds();
            let left = kinds.map(|kind| walk.names.unnamed(kind));
            walk.unseen.extend(left);
        }
        walk.names.give_rest();
    }

    /// Names the values of the components that no walk can reach.
    fn name_apart(self, walk: &mut WalkScratch, mentioned: bool, watcher: &mut impl Watcher) {
        let WalkScratch {
            apart,
            unreached,
            names,
            masks,
            counting,
            ..
        } = &mut *walk;
        if apart.len() > 1 && !apart.is_sorted() {
            apart.sort_unstable();
        }
        if mentioned || *counting {
            // `name_runs` works on `unreached`, whose entries are done.
            unreached.clear();
            unreached.extend(apart.iter().copied().map(Unreached::new));
            return self.name_runs(walk, mentioned, watcher);
        }
        for key in apart {
            self.name_own(unreached::component_of(*key), names, masks, watcher);
        }
    }

    /// Names the unnamed values of a component from which no walk goes on.
    // Mostly that is one comparison of sets, and a call would take longer.
    #[inline(always)]
    fn name_own<W: Watcher>(
        self,
        component: u16,
        names: &mut GivenNames,
        masks: &Masks,
        watcher: &mut W,
    ) {
        if W::WATCHES || !names.keep(masks.of(component) & !names.named) {
            self.name_values(component, names, masks, |atom, name| {
                watch::named(watcher, component, atom, name);
            });
        }
    }

    /// Names the values of the unreached components, one by one; equal components in the order in which the
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
            // Of equal components, values that are not their own are the same: they tell nothing apart.
            let place = |entry: &Unreached| {
                let own = masks.of(entry.component()) & masks.once & !names.named;
                let is_next = |atom: &Atom| own >> atom.0 & 1 != 0;
                spec_atoms.iter().position(is_next).unwrap_or(usize::MAX)
            };
            // The runs stay as they are; only the order of equal components changes.
            unreached.sort_unstable_by_key(|e| (e.kind(), e.names, place(e), e.component()));
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
            self.name_own(entry.component(), names, masks, watcher);
        }
    }

    /// Counts the components of each run that have own values which the specification does not
    /// mention.
    fn count_free(self, walk: &mut WalkScratch, spec_atoms: &[Atom]) {
        let mentioned = spec_atoms.iter().fold(0u64, |set, atom| set | 1 << atom.0);
        // Equal components without values of their own would be copies, which are counted
        // elsewhere.
        let own = walk.masks.once & !walk.names.named;
        for run in walk.unreached.chunk_by(Unreached::is_like) {
            let is_free = |entry: &&Unreached| {
                let held = walk.masks.of(entry.component()) & own;
                held != 0 && held & mentioned == 0
            };
            walk.free.push(run.iter().filter(is_free).count());
        }
    }

    /// The order of the stabiliser, `|Stab|`, of the pair walked last, if known: the product of the orders of
    /// interchangeable components and of values that do not occur.
    pub(super) fn stabiliser(self, walk: &WalkScratch) -> Option<Order> {
        let mut product = Order::ONE;
        let sizes = walk.free.iter().chain(&walk.unseen);
        sizes.for_each(|size| product.times_factorial(*size));
        // Where the specification's state is a set of values, permutations may leave it alone
        // although they move what is mentioned first: then the product is too small.
        self.context.spec_atoms_ordered.then_some(product)
    }
}

/// Debug check: names are a permutation of the values of each type.
fn assert_consistent(image: &[Atom], atoms: &AtomTypes) {
    for kind in 0..atoms.kinds() as u8 {
        let values = atoms.atoms(kind);
        let names = values.clone().map(|a| image[a as usize].0);
        assert!(lists_once(&names, &values), "two values have one name");
    }
}

impl WalkScratch {
    /// The permutation of the last walk; meaningful once all values have names.
    #[inline]
    pub(super) fn names(&self) -> &ShortImage {
        &self.names.image
    }

    fn start(&mut self, context: &StateContext<'_>) {
        self.names.start(context.atoms);
        self.met = MetComponents::default();
        self.unreached.clear();
        self.apart.clear();
        self.free.clear();
        self.unseen.clear();
    }
}
