//! Atoms of the nodes of a specification as strategies see them, and whether their order is significant.
//!
//! A search reads them for the node of each successor, in random order. So they are stored apart, in few bytes a node.

use super::NodeId;
use crate::source::hash::Map;
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
    /// The ranges of those that were replaced.
    replaced: Map<NodeId, AtomRange>,
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

    /// Adds the atoms of the next node.
    pub(super) fn push(&mut self, atoms: &[Atom], ordered: bool) {
        let range = self.add(atoms, ordered);
        self.ranges.push(range);
    }

    /// Replaces the atoms of a node.
    pub(super) fn replace(&mut self, node: NodeId, atoms: &[Atom], ordered: bool) {
        let range = self.add(atoms, ordered);
        let own = std::mem::replace(&mut self.ranges[node.0 as usize], range);
        self.replaced.entry(node).or_insert(own);
    }

    fn get(&self, range: AtomRange) -> &[Atom] {
        let from = range.from as usize;
        &self.all[from..from + usize::from(range.len)]
    }

    /// The atoms of a node.
    #[inline]
    pub(super) fn of(&self, node: NodeId) -> &[Atom] {
        self.get(self.ranges[node.0 as usize])
    }

    /// The atoms of a node before they were replaced.
    pub(super) fn own(&self, node: NodeId) -> &[Atom] {
        let replaced = self.replaced.get(&node);
        self.get(*replaced.unwrap_or(&self.ranges[node.0 as usize]))
    }

    /// Whether their order is significant.
    #[inline]
    pub(super) fn is_ordered(&self, node: NodeId) -> bool {
        self.ranges[node.0 as usize].ordered
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_replaced_stays_known() {
        let mut shown = ShownAtoms::default();
        let [a, b, c] = [0, 1, 2].map(Atom);
        shown.push(&[a, b], true);
        shown.push(&[c], true);
        for atoms in [&[b][..], &[c]] {
            shown.replace(NodeId(0), atoms, false);
            assert_eq!(
                (shown.of(NodeId(0)), shown.own(NodeId(0))),
                (atoms, &[a, b][..])
            );
        }
        assert_eq!(
            (shown.of(NodeId(1)), shown.own(NodeId(1))),
            (&[c][..], &[c][..])
        );
        assert!(!shown.is_ordered(NodeId(0)) && shown.is_ordered(NodeId(1)));
    }
}
