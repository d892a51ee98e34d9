//! The action of permutations on components (`α_π` of Sec. 6.1), as one array access, and the
//! components that a value identifies.

use super::composition::Component;
use super::locals::Locals;
use crate::source::hash::IndexSet;
use crate::value::{Atom, AtomTypes};

/// No component.
const NOBODY: u16 = u16::MAX;

/// Atoms with an entry in [`SoleComponents`].
const SOLE_MAX: usize = 64;

/// By atom: the component that it identifies if there is exactly one, otherwise [`ComponentImages::NO_ONE`] or
/// [`ComponentImages::SEVERAL`].
#[derive(Clone, Debug)]
struct SoleComponents([u16; SOLE_MAX]);

impl Default for SoleComponents {
    fn default() -> Self {
        Self([NOBODY; SOLE_MAX])
    }
}

/// The way to find a component's image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ImageBy {
    /// Fixed: its label holds no atoms.
    Fixed,
    /// By table: its label holds one atom, whose image has an entry in a row of the table.
    Indexed(Atom, u32),
    /// By label: it holds several atoms.
    Labelled,
}

/// The action `α_π` on the components of one format.
#[derive(Clone, Debug, Default)]
pub struct ComponentImages {
    of: Vec<ImageBy>,
    /// One row for each label shape and inst: from atom to component.
    table: Vec<u16>,
    /// First entry of each row.
    rows: Vec<u32>,
    /// For each atom, the components that it identifies, as a range of `identified`.
    of_atom: Vec<(u32, u32)>,
    identified: Vec<u16>,
    /// The same for the first atoms.
    sole: SoleComponents,
    /// Bit mask of the first atoms that identify some component.
    leading: u64,
    /// The class of each component.
    classes: Vec<u16>,
    /// The family of each component: a number for its class and `inst`.
    families: Vec<u16>,
    /// The components that no single atom identifies and that are alone in their class.
    lone: Vec<u16>,
    /// The atoms of each component's label, if there are up to 64 in all. Empty for a component that is alone in its
    /// class: it is always fixed.
    labels: Vec<Box<[u8]>>,
    /// The same as bit masks.
    label_masks: Vec<u64>,
    /// The largest number of atoms of a label.
    label_max: usize,
    /// Whether some label has atoms in a set, whose order means nothing.
    grouped: bool,
}

impl ComponentImages {
    /// The action on these components.
    #[must_use]
    pub fn new(locals: &Locals, components: &[Component], atoms: &AtomTypes) -> Self {
        let mut images = Self::default();
        let mut families: IndexSet<(u16, u16)> = IndexSet::default();
        // The families whose labels are one atom each, by their rows.
        let mut indexed: IndexSet<u16> = IndexSet::default();
        for (index, component) in components.iter().enumerate() {
            let (family, _) = families.insert_full((component.class, component.inst));
            let family = family as u16;
            images.families.push(family);
            let label = locals.atoms_of(component.initial);
            let place = match label {
                [] => ImageBy::Fixed,
                [atom] => {
                    // Components of one family have the same shape of label, and different atoms in it.
                    let (row, is_new) = indexed.insert_full(family);
                    if is_new {
                        images.rows.push(images.table.len() as u32);
                        images
                            .table
                            .resize(images.table.len() + atoms.len(), NOBODY);
                    }
                    images.table[images.rows[row] as usize + atom.0 as usize] = index as u16;
                    ImageBy::Indexed(*atom, images.rows[row])
                }
                // A table would need an entry for every combination of atoms.
                _ => ImageBy::Labelled,
            };
            // A component alone in its class is mapped to itself, even if its label has atoms: no other component has a
            // label of that shape.
            let is_alone = components
                .iter()
                .filter(|c| c.class == component.class)
                .count()
                == 1;
            if is_alone && !matches!(place, ImageBy::Indexed(..)) {
                images.lone.push(index as u16);
            }
            images.of.push(place);
            images.classes.push(component.class);
            let label = if is_alone { &[] } else { label };
            images.grouped |= !label.is_empty() && locals.is_grouped(component.initial);
            let mask = label.iter().fold(0, |set, atom| set | 1 << (atom.0 % 64));
            let label = label.iter().map(|atom| atom.0 as u8);
            images.labels.push(label.collect());
            images.label_masks.push(mask);
        }
        images.find_identified(atoms.len());
        let lengths = images.labels.iter().map(|label| label.len());
        images.label_max = lengths.max().unwrap_or(0);
        images
    }

    /// Computes the components that each atom identifies.
    fn find_identified(&mut self, atoms: usize) {
        // In the order of the rows, which does not depend on the atom.
        for atom in 0..atoms {
            let from = self.identified.len() as u32;
            let row = |row: &u32| self.table[*row as usize + atom];
            let found = self.rows.iter().map(row).filter(|c| *c != NOBODY);
            self.identified.extend(found);
            self.of_atom.push((from, self.identified.len() as u32));
            if let Some(sole) = self.sole.0.get_mut(atom) {
                *sole = match &self.identified[from as usize..] {
                    [] => Self::NO_ONE,
                    [one] => *one,
                    _ => Self::SEVERAL,
                };
                self.leading |= u64::from(*sole != Self::NO_ONE) << atom;
            }
        }
    }

    /// Entry of an atom that identifies no component.
    pub const NO_ONE: u16 = NOBODY;
    /// Entry of an atom that identifies more than one.
    pub const SEVERAL: u16 = NOBODY - 1;

    /// The entry of one of the first 64 atoms: the component that it alone identifies, [`Self::NO_ONE`] or
    /// [`Self::SEVERAL`].
    #[inline]
    #[must_use]
    pub fn sole(&self, atom: u8) -> u16 {
        self.sole.0[usize::from(atom) % SOLE_MAX]
    }

    /// The first 64 atoms that identify some component by themselves, as a bit mask.
    #[inline]
    #[must_use]
    pub fn leading(&self) -> u64 {
        self.leading
    }

    /// The class of a component.
    #[inline]
    #[must_use]
    pub fn class(&self, component: usize) -> u16 {
        self.classes[component]
    }

    /// The family of a component: equal for equal class and `inst`, which permutations preserve.
    #[inline]
    #[must_use]
    pub fn family(&self, component: usize) -> u16 {
        self.families[component]
    }

    /// The image `α_π(i)`; `None` if it has to be looked up by label, or does not exist.
    #[must_use]
    pub fn image(&self, component: usize, image: &[Atom]) -> Option<usize> {
        match self.of[component] {
            ImageBy::Fixed => Some(component),
            ImageBy::Indexed(atom, row) => {
                let to = self.table[row as usize + image[atom.0 as usize].0 as usize];
                (to != NOBODY).then_some(to as usize)
            }
            ImageBy::Labelled => None,
        }
    }

    /// The components that an atom alone identifies, in an order that permutations preserve.
    #[must_use]
    pub fn identified(&self, atom: Atom) -> &[u16] {
        let (from, to) = self.of_atom[atom.0 as usize];
        &self.identified[from as usize..to as usize]
    }

    /// The atoms of a component's label, if there are up to 64 in all; empty for a component that is
    /// always fixed.
    #[must_use]
    pub fn label(&self, component: usize) -> &[u8] {
        &self.labels[component]
    }

    /// The same as a bit mask.
    #[must_use]
    pub fn label_mask(&self, component: usize) -> u64 {
        self.label_masks[component]
    }

    /// The bit masks of all labels.
    #[must_use]
    pub fn label_masks(&self) -> &[u64] {
        &self.label_masks
    }

    /// The largest number of atoms of a label.
    #[must_use]
    pub fn label_max(&self) -> usize {
        self.label_max
    }

    /// Whether some label has atoms in a set, whose order means nothing.
    #[must_use]
    pub fn has_grouped_labels(&self) -> bool {
        self.grouped
    }

    /// The components that no single atom identifies and that are alone in their class: the starts of a
    /// walk.
    #[must_use]
    pub fn lone(&self) -> &[u16] {
        &self.lone
    }
}
