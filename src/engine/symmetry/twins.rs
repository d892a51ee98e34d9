//! Which values occur once in a state, and which components may be exchanged without changing it.
//!
//! Two components are *twins* in a state if they look alike but for values that occur nowhere else,
//! those of their labels among them. Exchanging these values leaves the state alone and exchanges the
//! components, so their transitions lead to the same representatives: of the successors in which some
//! of several twins move, those in which the first ones do are enough.

use super::context::StateContext;
use crate::machine::ShapeId;
use crate::machine::pack::PackedBits;
use crate::machine::tables::INLINE_MAX;
use crate::value::Atom;

/// Values that a set in a word can hold.
pub(super) const ATOMS_MAX: usize = 64;
/// Components that are looked at.
pub(super) const COMPONENTS_MAX: usize = 128;
/// Values of one component, its label included, that are looked at.
pub(super) const NAMES_MAX: usize = 16;

/// The values of a state.
#[derive(Debug)]
pub(super) struct Masks {
    /// Of each component, as a set, with those of its label.
    of: [u64; COMPONENTS_MAX],
    /// Those that occur once.
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

/// The state whose steps are being followed. What is known of it need not be found out anew for every state that
/// differs from it in few components.
#[derive(Debug, Default)]
pub struct NearState {
    /// Its local states, packed.
    packed: PackedBits,
    masks: Masks,
    /// Whether `masks` are known.
    known: bool,
    /// The components in which the next state differs, which is of the same format.
    moved: Vec<u16>,
    /// Whether `moved` says so of the next state.
    armed: bool,
    /// Whether `moved` says so of the state whose values were asked for last.
    told: bool,
    /// The same once that state was named; then `changed` and `names_move` are about it.
    used: bool,
    /// The components that differ between this state and the representative of the last one.
    changed: Vec<u16>,
    /// Whether the permutation that led there moves some value.
    names_move: bool,
}

impl NearState {
    /// Takes another state, whose bits are to be written to what this gives; what is said after this of a step is said
    /// of one of its steps.
    pub fn stand(&mut self) -> &mut PackedBits {
        self.armed = false;
        self.known = false;
        &mut self.packed
    }

    /// Looks at the values of the state that was taken.
    pub fn look_at(&mut self, context: &StateContext<'_>) {
        self.known = self.masks.take(context);
    }

    /// Says that the next state that is packed or whose representative is asked for differs from this one in these
    /// components at most, once what is bisimilar was made equal in both.
    #[inline]
    pub fn steps_by(&mut self, movers: impl Iterator<Item = u16>) {
        self.moved.clear();
        self.moved.extend(movers);
        self.armed = true;
    }

    /// This state, if the next one is said to be near, and in which components it differs. It is said
    /// of one state only.
    #[inline]
    pub fn take_step(&mut self) -> Option<(&PackedBits, &[u16])> {
        std::mem::take(&mut self.armed).then_some((&self.packed, &self.moved))
    }

    /// What [`NearState::take_step`] gives, of the representative of the state that was named last, and whether the
    /// permutation that led there moves values.
    #[inline]
    #[must_use]
    pub fn named_step(&self) -> Option<(&PackedBits, &[u16], bool)> {
        self.used
            .then_some((&self.packed, &self.changed, self.names_move))
    }

    /// Whether the permutation that was found last is known to move nothing: then its image is the state itself.
    #[inline]
    #[must_use]
    pub fn moves_nothing(&self) -> bool {
        self.used && !self.names_move
    }

    /// The values of a state: those of the one that is near with what has changed, or else looked at one by one.
    /// False if it is too large or too complex.
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

    /// Notes which values the permutation moves that was found for the state with these masks.
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
    /// The values of a component as a set, with those of its label.
    #[inline]
    pub(super) fn of(&self, component: u16) -> u64 {
        self.of[usize::from(component) % COMPONENTS_MAX]
    }

    /// Looks at a state; false if it is too large or too complex.
    pub(super) fn take(&mut self, context: &StateContext<'_>) -> bool {
        let images = context.network.format(context.format).images();
        // Masks, outlines and labels hold values as bits of a word, or as bytes that are bits of
        // one.
        let is_large = context.atoms.len() > ATOMS_MAX || context.state.len() > COMPONENTS_MAX;
        if is_large || images.has_grouped_labels() {
            return false;
        }
        // Whatever a simple component holds, there are not too many values then.
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
            // Met before in another component, or several times within this one.
            again |= once & mask | repeated;
            // So far `once` is what was met at all; what was met again is taken away at the end.
            once |= mask;
        }
        self.once = once & !again;
        true
    }

    /// The same of a state whose components are all simple, with their labels as sets; false if some are not.
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

    /// Notes the values of a component; those that stand in several of its variables, or none if it is too complex.
    // Each step of a search asks that of what it moves, and a call would take as long.
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

    /// The same for a state that differs in these components from one that was looked at.
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

    /// That they are what they would be if the state had been looked at by itself: one state of four is, for tests to
    /// end sooner.
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
    /// Finds the twins of a state that was looked at, whose specification mentions `context.spec_atoms`.
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

    /// That counting finds the same twins as masks do.
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

/// Which values of a state occur nowhere else in it, nor in its specification: its *own* ones.
trait OwnValues {
    /// The state.
    fn context(&self) -> &StateContext<'_>;

    /// The components whose labels mention a value of their own, and of which no variable is a set: ascending.
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
    /// Looks at one value after the other.
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
    /// By value: whether it is one.
    own: Vec<bool>,
    /// By value: in which component it was met last.
    last: Vec<u16>,
}

impl CountedValues {
    /// Counts the values of a state.
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
