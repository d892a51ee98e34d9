//! Which values occur once in a state, and which components may be exchanged without changing it.
//!
//! Two components are *twins* in a state if they look alike but for values that occur nowhere else,
//! those of their labels among them. Exchanging these values leaves the state alone and exchanges the
//! components, so their transitions lead to the same representatives: of the successors in which some
//! of several twins move, those in which the first ones do are enough.

use super::context::StateContext;
use crate::machine::ShapeId;

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
}

impl Default for Masks {
    fn default() -> Self {
        Self {
            of: [0; COMPONENTS_MAX],
            once: 0,
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
        let (mut once, mut again) = (0, 0);
        for (component, local) in context.state.iter().enumerate() {
            let outline = context.locals.outline(*local);
            let label = images.label(component).len();
            let fits = |held: &[u8]| held.len() + label <= NAMES_MAX;
            // A set among its variables, or too many values: their order would mean nothing, or not
            // fit.
            if !outline.plain().is_some_and(fits) {
                return false;
            }
            let mask = outline.mask | images.label_mask(component);
            self.of[component % COMPONENTS_MAX] = mask;
            // Met before in another component, or several times within this one.
            again |= once & mask | outline.repeated();
            // So far `once` is what was met at all; what was met again is taken away at the end.
            once |= mask;
        }
        self.once = once & !again;
        true
    }
}

/// No twin comes before a component.
const NOBODY: u16 = u16::MAX;

/// The twins in one state.
#[derive(Debug)]
pub struct Twins {
    masks: Masks,
    /// The twin before each component, in the order of components.
    before: [u16; COMPONENTS_MAX],
    /// The last component of each run of twins, with its shape.
    last: Vec<(ShapeId, u16)>,
    any: bool,
}

impl Default for Twins {
    fn default() -> Self {
        Self {
            masks: Masks::default(),
            before: [NOBODY; COMPONENTS_MAX],
            last: Vec::new(),
            any: false,
        }
    }
}

impl Twins {
    /// Finds the twins of a state whose specification mentions `context.spec_atoms`.
    pub fn find(&mut self, context: &StateContext<'_>) {
        self.any = false;
        // No twins then: nothing is left out, which is always sound.
        if !self.masks.take(context) {
            return;
        }
        let spec_atoms = context.spec_atoms.iter();
        // Exchanging values that the specification mentions would change its state, and the pair
        // with it.
        let own = spec_atoms.fold(self.masks.once, |set, atom| set & !(1 << atom.0));
        let format = context.network.format(context.format);
        self.last.clear();
        for component in 0..context.state.len() as u16 {
            let label = format.images().label_mask(component as usize);
            // Reset also where the component is passed over below: the table is that of an earlier
            // state.
            self.before[component as usize % COMPONENTS_MAX] = NOBODY;
            // No exchange of own values would move the component.
            if label & own == 0 {
                continue;
            }
            let shape = context
                .locals
                .outline(context.state[component as usize])
                .shape();
            // Being alike is transitive, so the last of a run speaks for all before it.
            let like = |(other, last): &&mut (ShapeId, u16)| {
                *other == shape && are_alike(context, own, *last, component)
            };
            if let Some((_, last)) = self.last.iter_mut().find(like) {
                // Only the neighbour is noted: a transition may stay if its movers are the first of
                // their run, that is, if each one's neighbour before it moves as well.
                self.before[component as usize % COMPONENTS_MAX] = *last;
                *last = component;
                self.any = true;
            } else {
                self.last.push((shape, component));
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
                let before = self.before[usize::from(component) % COMPONENTS_MAX];
                before != NOBODY && !all.clone().any(|other| other == before)
            })
    }
}

/// Whether two components of one shape with values of their own are twins: exchanging the values takes
/// one label to the other, and so one component to the other.
fn are_alike(context: &StateContext<'_>, own: u64, a: u16, b: u16) -> bool {
    let format = context.network.format(context.format);
    let component = |c: u16| &format.components()[c as usize];
    // A permutation keeps class and `inst`; no exchange of values takes one to the other.
    if (component(a).class, component(a).inst) != (component(b).class, component(b).inst) {
        return false;
    }
    let held = |c: u16| context.locals.outline(context.state[c as usize]).plain();
    let label = |c: u16| format.images().label(c as usize);
    let is_own = |atom: u8| own >> atom & 1 != 0;
    let match_up = |a: &[u8], b: &[u8]| {
        let mut pairs = a.iter().zip(b);
        a.len() == b.len() && pairs.all(|(a, b)| a == b || is_own(*a) && is_own(*b))
    };
    // One exchange does for both. Labels of a class are closed under permutations, so if a value of
    // a label occurs once, each value of its type is the only one of the type in the label of one
    // component; and an own value of that type in a state is the one of the state's own label.
    held(a).zip(held(b)).is_some_and(|(a, b)| match_up(a, b)) && match_up(label(a), label(b))
}
