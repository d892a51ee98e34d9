//! What representatives are told of the nodes of a specification: which atoms, and whether their order means anything.
//!
//! A search asks that for the node of each successor, in no order. So it stands by itself, in few bytes a node.

use super::NodeId;
use crate::value::Atom;

/// The atoms of one node in [`ShownAtoms::all`].
#[derive(Clone, Copy, Debug)]
struct AtomRange {
    from: u32,
    len: u16,
    ordered: bool,
}

/// The atoms of all nodes.
#[derive(Debug, Default)]
pub(super) struct ShownAtoms {
    ranges: Vec<AtomRange>,
    all: Vec<Atom>,
}

impl ShownAtoms {
    fn add(&mut self, atoms: &[Atom], ordered: bool) -> AtomRange {
        let from = self.all.len() as u32;
        self.all.extend_from_slice(atoms);
        AtomRange {
            from,
            // Each once, and an atom has 16 bits.
            len: atoms.len() as u16,
            ordered,
        }
    }

    /// Notes those of the next node.
    pub(super) fn push(&mut self, atoms: &[Atom], ordered: bool) {
        let range = self.add(atoms, ordered);
        self.ranges.push(range);
    }

    /// Notes others for a node.
    pub(super) fn replace(&mut self, node: NodeId, atoms: &[Atom], ordered: bool) {
        self.ranges[node.0 as usize] = self.add(atoms, ordered);
    }

    /// The atoms of a node.
    #[inline]
    pub(super) fn of(&self, node: NodeId) -> &[Atom] {
        let AtomRange { from, len, .. } = self.ranges[node.0 as usize];
        &self.all[from as usize..from as usize + usize::from(len)]
    }

    /// Whether their order means something.
    #[inline]
    pub(super) fn is_ordered(&self, node: NodeId) -> bool {
        self.ranges[node.0 as usize].ordered
    }
}
