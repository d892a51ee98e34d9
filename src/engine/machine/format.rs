//! Formats: components and the operators above them, their behaviour, and all data computed from both.
//!
//! Where a component turns into a parallel composition itself, or an operator ends, the network moves to
//! another format (App. C).

use super::behaviour::Behaviour;
use super::bisimilar::{MergedStates, Visible};
use super::composition::{Component, Composition};
use super::copies::Copies;
use super::ids::{LocalId, Miss};
use super::images::ComponentImages;
use super::locals::Locals;
use super::mappable;
use super::reach::{ExploreBounds, Reach};
use super::rules::Rules;
use super::seen::Seen;
use super::shared::Machine;
use super::tree::Tree;
use crate::source::Diagnostic;
use crate::source::diagnostic::Result;
use crate::value::Atom;

/// One format.
#[derive(Clone, Debug)]
pub struct Format {
    /// Components, operators and rules. The only part that grows during a search.
    behaviour: Behaviour,
    images: ComponentImages,
    identity: Vec<Option<Atom>>,
    copies: Copies,
    merged: MergedStates,
    /// See [`Format::is_fixed`]. Constant.
    fixed: bool,
    /// See [`Format::mappable`].
    mappable: std::result::Result<(), Box<Diagnostic>>,
}

impl Format {
    /// The format of a composition. Copies are looked for only where they may be exchanged
    /// ([`super::copies`]).
    ///
    /// # Errors
    /// A limit, and sets whose members cannot be decided.
    pub(super) fn new(
        machine: &mut Machine,
        composition: Composition,
        bounds: ExploreBounds,
        may_have_copies: bool,
    ) -> Result<Self> {
        let mut behaviour = Behaviour::new(machine, composition, bounds)?;
        let verified = mappable::verify(machine, &behaviour);
        let mappable = machine.during("verifying the symmetry", None, verified);
        // Copies do not differ in values, so it does not matter that their classes are not merged yet.
        let identity = behaviour.composition().identities(&machine.locals);
        let mut copies = Copies::default();
        if may_have_copies {
            copies = Copies::new(&machine.locals, &behaviour);
            behaviour.merge_classes(copies.sets());
        }
        // After the classes of copies are merged: a component alone in its class is treated apart.
        let components = behaviour.composition().components();
        let images = ComponentImages::new(&machine.locals, components, &machine.atoms);
        let fixed = behaviour.is_fixed(&machine.locals);
        let format = Self {
            behaviour,
            images,
            identity,
            copies,
            merged: MergedStates::default(),
            fixed,
            mappable,
        };
        #[cfg(debug_assertions)]
        format.assert_consistent(&machine.locals);
        Ok(format)
    }

    /// Lists the rules that a component leads in a local state, which may show new ones. Symmetry is then
    /// verified anew.
    ///
    /// # Errors
    /// An evaluation error of the local state, a limit, and sets whose members cannot be decided.
    pub(super) fn build_fires(
        &mut self,
        machine: &mut Machine,
        component: usize,
        local: LocalId,
    ) -> Result<()> {
        let has_new_rules = self.behaviour.learn(machine, component, local)?;
        // Once it is not mappable the reason stays, which is the first that was found.
        if has_new_rules && self.mappable.is_ok() {
            let verified = mappable::verify(machine, &self.behaviour);
            self.mappable = machine.during("verifying the symmetry", None, verified);
        }
        self.behaviour.build(machine, component, local)?;
        #[cfg(debug_assertions)]
        if has_new_rules {
            self.assert_consistent(&machine.locals);
            // A fixed format has shown all its rules, and an incomplete component stays incomplete: stored states are
            // packed by that.
            assert_eq!(self.fixed, self.behaviour.is_fixed(&machine.locals));
        }
        Ok(())
    }

    /// Merges bisimilar local states.
    ///
    /// # Errors
    /// A limit.
    pub(super) fn merge_bisimilar(
        &mut self,
        machine: &mut Machine,
        visible: Visible,
    ) -> Result<()> {
        self.merged = MergedStates::new(machine, &self.behaviour, &self.images, visible)?;
        Ok(())
    }

    /// Replaces the table of merged states. Returns the old one.
    pub(super) fn replace_merged(&mut self, merged: MergedStates) -> MergedStates {
        std::mem::replace(&mut self.merged, merged)
    }

    /// The copies, which may be exchanged.
    pub(super) fn copies_mut(&mut self) -> &mut Copies {
        &mut self.copies
    }

    /// The operators.
    #[must_use]
    pub fn tree(&self) -> &Tree {
        self.behaviour.composition().tree()
    }

    /// The components, in vector order.
    #[must_use]
    pub fn components(&self) -> &[Component] {
        self.behaviour.composition().components()
    }

    /// The first local states of the components.
    #[must_use]
    pub fn labels(&self) -> Vec<LocalId> {
        self.behaviour.composition().labels()
    }

    /// The events that each component was seen to perform.
    #[must_use]
    pub fn seen(&self) -> &Seen {
        self.behaviour.seen()
    }

    /// Whether the behaviour is final: no component can show a new event, or change the format.
    #[must_use]
    pub fn is_closed(&self, locals: &Locals) -> bool {
        self.behaviour.is_closed(locals)
    }

    /// Whether certainly no step changes the operators or the number of components.
    #[inline]
    #[must_use]
    pub(super) fn is_fixed(&self) -> bool {
        self.fixed
    }

    /// The reachable local states of each component.
    #[must_use]
    pub fn reach(&self) -> &[Reach] {
        self.behaviour.reach()
    }

    /// The rules (Def. 26) and their leaders.
    #[must_use]
    pub fn rules(&self) -> &Rules {
        self.behaviour.rules()
    }

    /// The action `α_π` where a label holds at most one atom, and the components that values identify.
    #[must_use]
    pub fn images(&self) -> &ComponentImages {
        &self.images
    }

    /// The identity of each component (Def. 46): the value of a variable that it never changes and
    /// that no other component of its class has.
    #[must_use]
    pub fn identity(&self) -> &[Option<Atom>] {
        &self.identity
    }

    /// Components that may be exchanged, although permutations of values do not.
    #[must_use]
    pub fn copies(&self) -> &Copies {
        &self.copies
    }

    /// The representatives of local states under bisimulation, in a search.
    #[must_use]
    pub fn merged(&self) -> &MergedStates {
        &self.merged
    }

    /// Whether the format is mappable to itself under the whole group.
    ///
    /// # Errors
    /// The reason why it is not.
    pub fn mappable(&self) -> std::result::Result<(), Box<Diagnostic>> {
        self.mappable.clone()
    }

    /// `α_π(i)`: the component whose label is the image of that of `component` (Sec. 6.1), or `None`
    /// if there is none.
    ///
    /// # Errors
    /// The image of the label is not interned yet.
    #[inline]
    pub fn component_image(
        &self,
        locals: &Locals,
        component: usize,
        image: &[Atom],
    ) -> std::result::Result<Option<usize>, Miss> {
        match self.images.image(component, image) {
            Some(found) => Ok(Some(found)),
            None => self.behaviour.composition().image(locals, component, image),
        }
    }

    /// As [`Format::component_image`], interning the images needed.
    pub fn find_image(
        &self,
        machine: &mut Machine,
        component: usize,
        image: &[Atom],
    ) -> Option<usize> {
        let Component { initial, inst, .. } = self.components()[component];
        let initial = machine.permute_local(initial, image);
        self.labelled(initial, inst)
    }

    /// The component with this first local state and this inst.
    #[must_use]
    pub fn labelled(&self, initial: LocalId, inst: u16) -> Option<usize> {
        self.behaviour.composition().labelled(initial, inst)
    }

    #[cfg(debug_assertions)]
    fn assert_consistent(&self, locals: &Locals) {
        self.behaviour.assert_consistent(locals);
        let components = self.components();
        for set in self.copies.sets() {
            let class = |c: &u16| components[usize::from(*c)].class;
            assert!(set.is_sorted() && set.iter().all(|c| class(c) == class(&set[0])));
        }
        assert_eq!(self.identity.len(), components.len());
    }
}
