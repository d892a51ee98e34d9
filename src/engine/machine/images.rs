//! Which component a permutation maps each component to (`α_π` of Sec. 6.1), as one array access, and which
//! components a value identifies.

use super::composition::Component;
use super::locals::Locals;
use crate::source::hash::IndexSet;
use crate::value::{Atom, AtomTypes};

/// No component.
const NOBODY: u16 = u16::MAX;

/// Atoms for which it is told at once which component they identify.
const SOLE_MAX: usize = 64;

/// By atom: the component that it identifies where that is one, [`ComponentImages::NO_ONE`] or
/// [`ComponentImages::SEVERAL`].
#[derive(Clone, Debug)]
struct SoleComponents([u16; SOLE_MAX]);

impl Default for SoleComponents {
    fn default() -> Self {
        Self([NOBODY; SOLE_MAX])
    }
}

/// How a component's image is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ImageBy {
    /// Its label holds no atoms: it stays where it is.
    Fixed,
    /// Its label holds one atom: the entry of the atom's image in a row of the table.
    Indexed(Atom, u32),
    /// Its label holds several: by the label.
    Labelled,
}

/// `α_π` of one format.
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
    /// Those of the first atoms that identify some component, as a set.
    leading: u64,
    /// The class of each component.
    classes: Vec<u16>,
    /// A number for class and `inst` of each: which family it is of.
    families: Vec<u16>,
    /// The components that no single atom identifies and that are alone in their class.
    lone: Vec<u16>,
    /// The atoms of each component's label, if there are up to 64 in all. None for a component that is alone in its
    /// class: it stays where it is.
    labels: Vec<Box<[u8]>>,
    /// The same as sets.
    label_masks: Vec<u64>,
    /// The most atoms of a label.
    label_max: usize,
    /// Whether some of them stand in a set, so that their order means nothing.
    grouped: bool,
}

impl ComponentImages {
    /// Of these components.
    #[must_use]
    pub fn new(locals: &Locals, components: &[Component], atoms: &AtomTypes) -> Self {
        let mut images = Self::default();
        let mut families: IndexSet<(u16, u16)> = IndexSet::default();
        // The families of which each label is one atom, by their rows.
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
            // What is alone in its class is mapped to itself, even if its label has atoms: no other component has a
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

    /// Which components each of so many atoms identifies.
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

    /// No component is identified by an atom.
    pub const NO_ONE: u16 = NOBODY;
    /// More than one component is.
    pub const SEVERAL: u16 = NOBODY - 1;

    /// The component that one of the first 64 atoms alone identifies, if it is one, or else how many there are.
    #[inline]
    #[must_use]
    pub fn sole(&self, atom: u8) -> u16 {
        self.sole.0[usize::from(atom) % SOLE_MAX]
    }

    /// Those of the first 64 atoms that identify some component by themselves, as a set.
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

    /// A number that two components have in common if they have class and `inst` in common. A permutation keeps both.
    #[inline]
    #[must_use]
    pub fn family(&self, component: usize) -> u16 {
        self.families[component]
    }

    /// `α_π(i)`; `None` if it has to be looked up by label, or if there is none.
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

    /// The components that an atom alone identifies, in an order that no permutation changes.
    #[must_use]
    pub fn identified(&self, atom: Atom) -> &[u16] {
        let (from, to) = self.of_atom[atom.0 as usize];
        &self.identified[from as usize..to as usize]
    }

    /// The atoms of a component's label, if there are up to 64 in all; none for a component that stays
    /// where it is anyway.
    #[must_use]
    pub fn label(&self, component: usize) -> &[u8] {
        &self.labels[component]
    }

    /// The same as a set.
    #[must_use]
    pub fn label_mask(&self, component: usize) -> u64 {
        self.label_masks[component]
    }

    /// The same of all components.
    #[must_use]
    pub fn label_masks(&self) -> &[u64] {
        &self.label_masks
    }

    /// How many atoms the longest of the labels has.
    #[must_use]
    pub fn label_max(&self) -> usize {
        self.label_max
    }

    /// Whether the order of the atoms of some label means nothing.
    #[must_use]
    pub fn has_grouped_labels(&self) -> bool {
        self.grouped
    }

    /// The components that no single atom identifies and that are alone in their class: where a walk
    /// can start.
    #[must_use]
    pub fn lone(&self) -> &[u16] {
        &self.lone
    }
}
