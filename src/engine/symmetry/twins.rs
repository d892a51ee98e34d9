//! Twins: components of a state that can be exchanged without changing it.
//!
//! Two components are *twins* in a state if they differ only in values that occur nowhere else, the values of
//! their labels included. Exchanging these values fixes the state and exchanges the components, so their
//! transitions lead to the same representatives: of the successors in which some of several twins move, those
//! in which the first ones move are enough.

use super::context::StateContext;
use crate::machine::ShapeId;
use crate::machine::pack::PackedBits;
use crate::machine::tables::INLINE_MAX;
use crate::value::Atom;

/// Largest number of values that fits a bit mask in one word.
pub(super) const ATOMS_MAX: usize = 64;
/// Largest number of components of a state that has masks.
pub(super) const COMPONENTS_MAX: usize = 128;
/// Largest number of values of one component, its label included.
pub(super) const NAMES_MAX: usize = 16;

/// The values of a state as bit masks.
#[derive(Debug)]
pub(super) struct Masks {
    /// The values of each component and of its label.
    of: [u64; COMPONENTS_MAX],
    /// The values that occur once.
    pub(super) once: u64,
    /// Whether some component holds a value in several of its variables.
    repeats: bool,
}

impl Default for Masks {
    fn default() -> Self {
        Self {
            of: [0; COMPONENTS_MAX],
            once: 0,
            repeats: false,
        }
    }
}

/// The base state: the one whose successors are being expanded. Its packed form and its masks are computed once, and
/// patched for each successor that differs from it in few components.
#[derive(Debug, Default)]
pub struct NearState {
    /// Its local states, packed.
    packed: PackedBits,
    masks: Masks,
    known: bool,
    /// The components in which the next state, of the same format, may differ.
    moved: Vec<u16>,
    /// Whether `moved` describes the next state.
    armed: bool,
    /// Whether `moved` describes the state whose masks were computed last.
    told: bool,
    /// The same once that state has its permutation; then `changed` and `names_move` describe it.
    used: bool,
    /// The components that differ between this state and the last representative.
    changed: Vec<u16>,
    /// Whether the permutation to that representative moves some value.
    names_move: bool,
}

impl NearState {
    /// Takes a new base state: returns the buffer for its packed bits. [`NearState::steps_by`] then speaks of its
    /// successors.
    pub fn stand(&mut self) -> &mut PackedBits {
        self.armed = false;
        self.known = false;
        &mut self.packed
    }

    /// Computes the masks of the base state.
    pub fn look_at(&mut self, context: &StateContext<'_>) {
        self.known = self.masks.take(context);
    }

    /// Declares the next state that is packed or represented a successor: it differs from the base state in these
    /// components at most, once bisimilar local states are merged in both.
    #[inline]
    pub fn steps_by(&mut self, movers: impl Iterator<Item = u16>) {
        self.moved.clear();
        self.moved.extend(movers);
        self.armed = true;
    }

    /// Returns the base state and the components in which the next state differs, if it was declared a successor.
    /// The declaration holds for one state only.
    #[inline]
    pub fn take_step(&mut self) -> Option<(&PackedBits, &[u16])> {
        std::mem::take(&mut self.armed).then_some((&self.packed, &self.moved))
    }

    /// Returns the same for the last representative, and whether the permutation that led there moves values.
    #[inline]
    #[must_use]
    pub fn named_step(&self) -> Option<(&PackedBits, &[u16], bool)> {
        self.used
            .then_some((&self.packed, &self.changed, self.names_move))
    }

    /// Whether the last permutation is known to be the identity: then the representative is the state itself.
    #[inline]
    #[must_use]
    pub fn moves_nothing(&self) -> bool {
        self.used && !self.names_move
    }

    /// Computes the masks of a state, from those of the base state where it is a declared successor. False if the
    /// state is too large or too complex.
    #[inline]
    pub(super) fn masks_of(&mut self, context: &StateContext<'_>, out: &mut Masks) -> bool {
        (self.told, self.used) = (false, false);
        if !std::mem::take(&mut self.armed) || !self.known {
            return out.take(context);
        }
        let done = out.take_near(&self.masks, &self.moved, context);
        #[cfg(debug_assertions)]
        out.assert_like(done, context);
        self.told = done;
        done
    }

    /// Notes which values the permutation moves (`moving`) that was found for the state with these masks.
    #[inline]
    pub(super) fn note_names(&mut self, masks: &Masks, moving: u64, count: usize) {
        self.used = self.told;
        if !self.used {
            return;
        }
        self.names_move = moving != 0;
        self.changed.clear();
        // A component that holds no such value, not even in its label, stays where it is and as it is.
        if moving != 0 {
            let all = masks.of[..count].iter().zip(0..);
            self.changed
                .extend(all.filter(|(mask, _)| **mask & moving != 0).map(|(_, c)| c));
        }
        for component in &self.moved {
            if masks.of(*component) & moving == 0 {
                self.changed.push(*component);
            }
        }
    }
}

impl Masks {
    /// The values of a component and of its label.
    #[inline]
    pub(super) fn of(&self, component: u16) -> u64 {
        self.of[usize::from(component) % COMPONENTS_MAX]
    }

    /// Computes the masks of a state; false if it is too large or too complex.
    pub(super) fn take(&mut self, context: &StateContext<'_>) -> bool {
        let images = context.network.format(context.format).images();
        // Masks, outlines and labels hold values as bits of a word, or as bytes that are bits of
        // one.
        let is_large = context.atoms.len() > ATOMS_MAX || context.state.len() > COMPONENTS_MAX;
        if is_large || images.has_grouped_labels() {
            return false;
        }
        // A simple component never holds too many values then.
        let are_few = images.label_max() + INLINE_MAX <= NAMES_MAX;
        if are_few && self.take_simple(context, images.label_masks()) {
            return true;
        }
        let (mut once, mut again) = (0, 0);
        self.repeats = false;
        for component in 0..context.state.len() {
            let Some(repeated) = self.enter(component, context) else {
                return false;
            };
            let mask = self.of[component % COMPONENTS_MAX];
            // Seen before in another component, or several times within this one.
            again |= once & mask | repeated;
            // So far `once` holds all values seen; those seen again are removed at the end.
            once |= mask;
        }
        self.once = once & !again;
        true
    }

    /// The same for a state whose components are all simple, given the masks of their labels; false if one is not.
    #[inline]
    fn take_simple(&mut self, context: &StateContext<'_>, labels: &[u64]) -> bool {
        let (mut once, mut again, mut simple) = (0, 0, true);
        let components = context.state.iter().zip(labels).zip(&mut self.of);
        for ((local, label), of) in components {
            let outline = context.locals.outline(*local);
            simple &= outline.is_simple();
            let mask = outline.mask | label;
            again |= once & mask;
            once |= mask;
            *of = mask;
        }
        self.once = once & !again;
        self.repeats = false;
        simple
    }

    /// Stores the mask of a component. Returns the values that occur in several of its variables, or `None` if the
    /// component is too complex.
    // Each step of a search calls this for the components that it moves; a call would cost as much as the body.
    #[inline(always)]
    fn enter(&mut self, component: usize, context: &StateContext<'_>) -> Option<u64> {
        let images = context.network.format(context.format).images();
        let outline = context.locals.outline(context.state[component]);
        // A set among its variables, or too many values: their order would mean nothing, or not fit.
        let held = outline.plain()?;
        if held.len() + images.label(component).len() > NAMES_MAX {
            return None;
        }
        self.of[component % COMPONENTS_MAX] = outline.mask | images.label_mask(component);
        let repeated = outline.repeated();
        self.repeats |= repeated != 0;
        Some(repeated)
    }

    /// The same for a state that differs from one with known masks in these components.
    #[inline]
    fn take_near(&mut self, near: &Self, moved: &[u16], context: &StateContext<'_>) -> bool {
        if near.repeats {
            return self.take(context);
        }
        let count = context.state.len().min(COMPONENTS_MAX);
        self.of[..count].copy_from_slice(&near.of[..count]);
        self.repeats = false;
        let mut again = 0;
        for component in moved {
            match self.enter(usize::from(*component), context) {
                Some(repeated) => again |= repeated,
                None => return false,
            }
        }
        let mut once = 0;
        for mask in &self.of[..count] {
            again |= once & mask;
            once |= mask;
        }
        self.once = once & !again;
        true
    }

    /// Compares the patched masks with those computed from the state itself: for one state of four, to keep tests
    /// short.
    #[cfg(debug_assertions)]
    fn assert_like(&self, done: bool, context: &StateContext<'_>) {
        let sum = context
            .state
            .iter()
            .fold(0u32, |sum, local| sum.wrapping_add(local.0));
        if !sum.is_multiple_of(4) {
            return;
        }
        let mut other = Self::default();
        assert_eq!(other.take(context), done, "too complex or not");
        let count = context.state.len();
        if done {
            assert_eq!(
                (self.once, &self.of[..count]),
                (other.once, &other.of[..count])
            );
        }
    }
}

/// No twin comes before a component.
const NOBODY: u16 = u16::MAX;

/// The twins in one state.
#[derive(Debug, Default)]
pub struct Twins {
    /// The twin before each component, in the order of components.
    before: Vec<u16>,
    /// The last component of each run of twins, with its shape and family.
    last: Vec<((ShapeId, u16), u16)>,
    any: bool,
    /// The values of a state that is too large or too complex for masks.
    counted: CountedValues,
}

impl Twins {
    /// Finds the twins of a state of which `near` has the masks; values of `context.spec_atoms` are never own.
    pub fn find(&mut self, context: &StateContext<'_>, near: &NearState) {
        self.any = false;
        let format = context.network.format(context.format);
        // No twins then: nothing is left out, which is always sound.
        if format.images().has_grouped_labels() {
            return;
        }
        if near.known {
            // Exchanging values that the specification mentions would change its state, and the pair
            // with it.
            let spec_atoms = context.spec_atoms.iter();
            let own = spec_atoms.fold(near.masks.once, |set, atom| set & !(1 << atom.0));
            if own != 0 {
                self.find_by(&MaskedValues {
                    context,
                    masks: &near.masks,
                    labels: format.images().label_masks(),
                    own,
                });
            }
            #[cfg(debug_assertions)]
            self.assert_counted_alike(context);
        } else {
            let mut counted = std::mem::take(&mut self.counted);
            counted.count(context);
            let counted_in = (context, &counted);
            self.find_by(&counted_in);
            self.counted = counted;
        }
    }

    /// Checks that counting finds the same twins as masks do.
    #[cfg(debug_assertions)]
    fn assert_counted_alike(&self, context: &StateContext<'_>) {
        let (mut counted, mut other) = (CountedValues::default(), Self::default());
        counted.count(context);
        other.find_by(&(context, &counted));
        assert_eq!(other.any, self.any);
        // Without twins it is what an earlier state left.
        assert!(!self.any || other.before == self.before);
    }

    fn find_by(&mut self, values: &impl OwnValues) {
        let context = values.context();
        self.last.clear();
        let images = context.network.format(context.format).images();
        // No exchange of own values would move the others.
        for component in values.known_by_own() {
            let place = usize::from(component);
            let shape = context.locals.outline(context.state[place]).shape();
            // Of others, no exchange of values takes one to the other. The labels of a family have one shape.
            let kind = (shape, images.family(place));
            // Being alike is transitive, so the last of a run speaks for all before it.
            let like = |(other, last): &&mut ((ShapeId, u16), u16)| {
                *other == kind && values.are_alike(*last, component)
            };
            if let Some((_, last)) = self.last.iter_mut().find(like) {
                if !self.any {
                    // The table is that of an earlier state.
                    self.any = true;
                    self.before.clear();
                    self.before.resize(context.state.len(), NOBODY);
                }
                // Only the neighbour is noted: a transition may stay if its movers are the first of
                // their run, that is, if each one's neighbour before it moves as well.
                self.before[usize::from(component)] = *last;
                *last = component;
            } else {
                self.last.push((kind, component));
            }
        }
    }

    /// Whether a transition in which these components move can be left out: some twin before one of
    /// them does not.
    #[inline]
    #[must_use]
    pub fn makes_superfluous(&self, mut movers: impl Iterator<Item = u16> + Clone) -> bool {
        let all = movers.clone();
        self.any
            && movers.any(|component| {
                let before = self.before[usize::from(component)];
                before != NOBODY && !all.clone().any(|other| other == before)
            })
    }
}

/// The *own* values of a state: those that occur nowhere else in it, nor in its specification.
trait OwnValues {
    fn context(&self) -> &StateContext<'_>;

    /// The components with an own value in their labels and no set among their variables, ascending.
    fn known_by_own(&self) -> impl Iterator<Item = u16>;

    /// Whether two components of one shape and family with values of their own are twins: exchanging the values takes
    /// one label to the other, and so one component to the other.
    ///
    /// One exchange does for both. Labels of a class are closed under permutations, so if a value of a label occurs
    /// once, each value of its type is the only one of the type in the label of one component; and an own value of that
    /// type in a state is the one of the state's own label.
    fn are_alike(&self, a: u16, b: u16) -> bool;
}

/// Own values as a set in a word.
struct MaskedValues<'a> {
    context: &'a StateContext<'a>,
    masks: &'a Masks,
    /// The values of each label.
    labels: &'a [u64],
    own: u64,
}

impl MaskedValues<'_> {
    /// Compares the components value by value.
    fn match_up(&self, a: u16, b: u16) -> bool {
        let format = self.context.network.format(self.context.format);
        let held = |c: u16| {
            let outline = self
                .context
                .locals
                .outline(self.context.state[usize::from(c)]);
            outline.plain()
        };
        let label = |c: u16| format.images().label(usize::from(c));
        let is_own = |atom: &u8| self.own >> *atom & 1 != 0;
        let pairs = held(a).zip(held(b));
        pairs.is_some_and(|(a, b)| match_up(a, b, is_own)) && match_up(label(a), label(b), is_own)
    }
}

impl OwnValues for MaskedValues<'_> {
    fn context(&self) -> &StateContext<'_> {
        self.context
    }

    fn known_by_own(&self) -> impl Iterator<Item = u16> {
        let all = self.labels.iter().zip(0..);
        all.filter(|(label, _)| **label & self.own != 0)
            .map(|(_, component)| component)
    }

    fn are_alike(&self, a: u16, b: u16) -> bool {
        // Where all is their own, as in most twins, nothing else could be told apart.
        let only_own = (self.masks.of(a) | self.masks.of(b)) & !self.own == 0;
        debug_assert!(!only_own || self.match_up(a, b));
        only_own || self.match_up(a, b)
    }
}

/// Own values of any state, found by counting.
#[derive(Debug, Default)]
struct CountedValues {
    /// By value: whether it is an own value.
    own: Vec<bool>,
    /// By value: the last component that holds it.
    last: Vec<u16>,
}

impl CountedValues {
    fn count(&mut self, context: &StateContext<'_>) {
        const NOWHERE: u16 = u16::MAX;
        let labels = context.network.format(context.format).components();
        self.own.clear();
        self.own.resize(context.atoms.len(), true);
        self.last.clear();
        self.last.resize(context.atoms.len(), NOWHERE);
        for (component, local) in (0..).zip(context.state) {
            for atom in context.locals.atoms_of(*local) {
                let last = &mut self.last[usize::from(atom.0)];
                // In another component, or in another variable of this one.
                self.own[usize::from(atom.0)] &= *last == NOWHERE;
                *last = component;
            }
            let label = labels[usize::from(component)].initial;
            for atom in context.locals.atoms_of(label) {
                let last = &mut self.last[usize::from(atom.0)];
                // A variable may hold what the label says.
                self.own[usize::from(atom.0)] &= *last == NOWHERE || *last == component;
                *last = component;
            }
        }
        for atom in context.spec_atoms {
            self.own[usize::from(atom.0)] = false;
        }
    }
}

impl OwnValues for (&StateContext<'_>, &CountedValues) {
    fn context(&self) -> &StateContext<'_> {
        self.0
    }

    fn known_by_own(&self) -> impl Iterator<Item = u16> {
        let (context, values) = self;
        let labels = context.network.format(context.format).components();
        let is_own = |atom: &Atom| values.own[usize::from(atom.0)];
        let all = labels.iter().zip(context.state).zip(0..);
        let known = all.filter(move |((label, local), _)| {
            let label = context.locals.atoms_of(label.initial);
            label.iter().any(is_own) && !context.locals.is_grouped(**local)
        });
        known.map(|(_, component)| component)
    }

    fn are_alike(&self, a: u16, b: u16) -> bool {
        let (context, values) = self;
        let is_own = |atom: &Atom| values.own[usize::from(atom.0)];
        let labels = context.network.format(context.format).components();
        let held = |c: u16| context.locals.atoms_of(context.state[usize::from(c)]);
        let label = |c: u16| context.locals.atoms_of(labels[usize::from(c)].initial);
        match_up(held(a), held(b), is_own) && match_up(label(a), label(b), is_own)
    }
}

/// Whether two tuples of values differ in own values only.
fn match_up<T: PartialEq>(a: &[T], b: &[T], is_own: impl Fn(&T) -> bool) -> bool {
    let mut pairs = a.iter().zip(b);
    a.len() == b.len() && pairs.all(|(a, b)| a == b || is_own(a) && is_own(b))
}
