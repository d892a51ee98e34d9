//! Compositions: the components of a format, and the operators above them.
//!
//! Everything else about a format ([`super::format`]) is computed from this.

use super::ids::{LocalId, Miss, ShapeId};
use super::locals::Locals;
use super::tree::Tree;
use crate::source::hash::{IndexSet, Map};
use crate::value::Atom;

/// A component of a network.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Component {
    /// Its first local state: the label `(P, ρ)` of Sec. 6.1.
    pub initial: LocalId,
    /// Index among the components with the same label (the paper's `inst`).
    pub inst: u16,
    /// Class: equal for the components of one symmetric set, and for copies that may be exchanged.
    pub class: u16,
}

/// Components, in vector order, and the operators above them. Leaf `n` of the tree is component `n`.
#[derive(Clone, Debug)]
pub struct Composition {
    tree: Tree,
    components: Vec<Component>,
    /// For each inst, from the first local state to the component: `m_P` of Sec. 6.1.
    by_label: Vec<Vec<Option<u16>>>,
}

impl Composition {
    /// A composition from a tree, and the first local states of the components at its leaves.
    #[must_use]
    pub fn new(tree: Tree, leaves: &[LocalId], locals: &Locals) -> Self {
        let components = components(locals, leaves);
        let by_label = by_label(&components);
        Self {
            tree,
            components,
            by_label,
        }
    }

    /// The operators.
    #[must_use]
    pub fn tree(&self) -> &Tree {
        &self.tree
    }

    /// The components, in vector order.
    #[must_use]
    pub fn components(&self) -> &[Component] {
        &self.components
    }

    /// The first local states, in vector order.
    #[must_use]
    pub fn labels(&self) -> Vec<LocalId> {
        self.components.iter().map(|c| c.initial).collect()
    }

    /// The component with this first local state and this inst.
    #[must_use]
    pub fn labelled(&self, initial: LocalId, inst: u16) -> Option<usize> {
        let row = self.by_label.get(usize::from(inst))?;
        row.get(initial.0 as usize)?.map(usize::from)
    }

    /// `α_π(i)`: the component whose label is the image of that of `component` (Sec. 6.1), or `None`
    /// if there is none.
    ///
    /// # Errors
    /// The image of the label is not interned yet.
    pub fn image(
        &self,
        locals: &Locals,
        component: usize,
        image: &[Atom],
    ) -> Result<Option<usize>, Miss> {
        let Component { initial, inst, .. } = self.components[component];
        Ok(self.labelled(locals.permute(initial, image)?, inst))
    }

    /// Merges the classes of each of these sets of components, which may be exchanged.
    pub(super) fn merge_classes(&mut self, sets: &[Vec<u16>]) {
        for set in sets {
            // Copies have no atoms and different insts, so each was alone in its class before.
            let class = self.components[set[0] as usize].class;
            for member in set {
                self.components[*member as usize].class = class;
            }
        }
    }

    /// The identity of each component: among the atoms of the first local states of a class, the first
    /// position at which all its components differ (Def. 46). A lone component has none.
    #[must_use]
    pub fn identities(&self, locals: &Locals) -> Vec<Option<Atom>> {
        let components = &self.components;
        let mut found = vec![None; components.len()];
        let classes = components.iter().map(|c| c.class + 1).max().unwrap_or(0);
        for class in 0..classes {
            let members: Vec<usize> = (0..components.len())
                .filter(|n| components[*n].class == class)
                .collect();
            // It has no others to be distinguished from.
            if members.len() < 2 {
                continue;
            }
            let atoms = |n: usize| locals.atoms_of(components[n].initial);
            let distinct = |at: usize| {
                let mut values: Vec<Atom> = members.iter().map(|n| atoms(*n)[at]).collect();
                values.sort_unstable();
                // Sorted, so that equal ones are adjacent.
                values.windows(2).all(|w| w[0] != w[1])
            };
            if let Some(at) = (0..atoms(members[0]).len()).find(|at| distinct(*at)) {
                for n in members {
                    found[n] = Some(atoms(n)[at]);
                }
            }
        }
        found
    }

    /// Checks that tree, components and labels agree.
    #[cfg(debug_assertions)]
    pub(super) fn assert_consistent(&self) {
        let mut leaves = Vec::new();
        // Only to visit them: the copy is discarded.
        let _ = self.tree.map_leaves(&mut |leaf| {
            leaves.push(usize::from(leaf));
            Tree::Leaf(leaf)
        });
        let all: Vec<usize> = (0..self.components.len()).collect();
        assert_eq!(leaves, all, "leaf n is component n, from left to right");
        for (n, component) in self.components.iter().enumerate() {
            let found = self.labelled(component.initial, component.inst);
            assert_eq!(found, Some(n), "label and inst tell components apart");
        }
        let labelled = self.by_label.iter().flatten().flatten().count();
        assert_eq!(labelled, all.len(), "every label belongs to a component");
    }
}

/// Numbers the components: equal labels get successive `inst`s; components with the same shape of the first local
/// state and the same `inst` are of one class.
/// (A symmetric set of Sec. 7.3 is a class, or a part of one if the group does not act transitively;
/// only labels decide the action on components.)
fn components(locals: &Locals, leaves: &[LocalId]) -> Vec<Component> {
    let mut classes: IndexSet<(ShapeId, u16)> = IndexSet::default();
    let mut copies: Map<LocalId, u16> = Map::default();
    leaves
        .iter()
        .map(|initial| {
            let count = copies.entry(*initial).or_insert(0);
            *count += 1;
            // From left to right: permutations preserve this order within one label.
            let inst = *count - 1;
            let shape = locals.shape_of(*initial);
            Component {
                initial: *initial,
                inst,
                class: classes.insert_full((shape, inst)).0 as u16,
            }
        })
        .collect()
}

fn by_label(components: &[Component]) -> Vec<Vec<Option<u16>>> {
    let mut found: Vec<Vec<Option<u16>>> = Vec::new();
    for (index, component) in components.iter().enumerate() {
        let (inst, local) = (component.inst as usize, component.initial.0 as usize);
        found.resize_with(found.len().max(inst + 1), Vec::new);
        let row = &mut found[inst];
        row.resize(row.len().max(local + 1), None);
        row[local] = Some(index as u16);
    }
    found
}
