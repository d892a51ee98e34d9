//! Images of formats under permutations.
//!
//! Every format is mappable to itself, so a permutation nearly always keeps a state in its format. But two
//! formats may be entered by images of one step: they have the same components in another order, and the same
//! operators above them. Equal components are not enough: the operands of a `[]` may have them in common.

use super::ids::FormatId;
use super::network::Network;
use super::shared::Machine;
use super::tree::{EndingOperator, Precedence, Tree};
use crate::process::term::Term;
use crate::source::stack::deep;
use crate::value::{Atom, Value};

impl Network {
    /// Whether a permutation takes one format to the other: its components, by label and `inst`, and its operators,
    /// up to the order of the operands of commutative ones.
    pub fn is_image(
        &self,
        machine: &mut Machine,
        from: FormatId,
        image: &[Atom],
        to: FormatId,
    ) -> bool {
        if from == to {
            return true;
        }
        let (from, to) = (self.format(from), self.format(to));
        if from.components().len() != to.components().len() {
            return false;
        }
        let mut places = Vec::with_capacity(to.components().len());
        for component in from.components() {
            let label = machine.permute_local(component.initial, image);
            match to.labelled(label, component.inst) {
                Some(place) => places.push(place as u16),
                None => return false,
            }
        }
        let own: Vec<u16> = (0..places.len() as u16).collect();
        let moved = TreeImage::of(machine, from.tree(), image, &places);
        moved == TreeImage::of(machine, to.tree(), &[], &own)
    }
}

/// Computes the image of a tree: replaces its values and leaves, and sorts operands whose order means nothing.
struct TreeImage<'a> {
    machine: &'a mut Machine,
    /// The permutation; other values are fixed.
    image: &'a [Atom],
    /// The image of each leaf.
    places: &'a [u16],
}

/// A tree, and the least of its leaves.
type LedTree = (u16, Tree);

impl TreeImage<'_> {
    fn of(machine: &mut Machine, tree: &Tree, image: &[Atom], places: &[u16]) -> Tree {
        let mut walk = TreeImage {
            machine,
            image,
            places,
        };
        walk.tree(tree).1
    }

    fn value(&mut self, value: Value) -> Value {
        let machine = &mut *self.machine;
        let mut shapes = machine.eval.store_mut().shapes();
        shapes.rename(value, self.image, &machine.atoms)
    }

    fn term(&mut self, term: Term) -> Term {
        let machine = &mut *self.machine;
        machine.eval.rename(term, self.image, &machine.atoms)
    }

    fn tree(&mut self, tree: &Tree) -> LedTree {
        deep(|| match tree {
            Tree::Leaf(leaf) => {
                let place = self.places[usize::from(*leaf)];
                (place, Tree::Leaf(place))
            }
            Tree::Interleave(parts) => {
                let (first, parts) = self.in_order(parts);
                (first, Tree::Interleave(parts))
            }
            Tree::Sharing(set, parts) => {
                let (first, parts) = self.in_order(parts);
                (first, Tree::Sharing(self.value(*set), parts))
            }
            Tree::Alphabetised(parts) => {
                let image = |(alphabet, part): &(Value, Tree)| {
                    let (first, part) = self.tree(part);
                    (first, (self.value(*alphabet), part))
                };
                let (first, parts) = by_first(parts.iter().map(image).collect());
                (first, Tree::Alphabetised(parts))
            }
            Tree::Link(left, pairs, right) => {
                let (left, right) = (self.tree(left), self.tree(right));
                let pairs = self.value(*pairs);
                let linked = Tree::Link(Box::new(left.1), pairs, Box::new(right.1));
                (left.0.min(right.0), linked)
            }
            Tree::Hide(inner, set, keep) => {
                let (first, inner) = self.tree(inner);
                (first, Tree::Hide(Box::new(inner), self.value(*set), *keep))
            }
            Tree::Rename(inner, pairs) => {
                let (first, inner) = self.tree(inner);
                (first, Tree::Rename(Box::new(inner), self.value(*pairs)))
            }
            Tree::Priority(inner, order) => {
                let (first, inner) = self.tree(inner);
                let order = match *order {
                    Precedence::Levels(levels) => Precedence::Levels(self.value(levels)),
                    Precedence::Partial { order, below } => Precedence::Partial {
                        order: self.value(order),
                        below: self.value(below),
                    },
                    Precedence::Chase => Precedence::Chase,
                };
                (first, Tree::Priority(Box::new(inner), order))
            }
            Tree::Ending(ending) => {
                let (first, ending) = self.ending(ending);
                (first, Tree::Ending(ending))
            }
        })
    }

    fn ending(&mut self, ending: &EndingOperator) -> (u16, EndingOperator) {
        match ending {
            EndingOperator::Sequence(inner, next) => {
                let (first, inner) = self.tree(inner);
                let next = self.term(*next);
                (first, EndingOperator::Sequence(Box::new(inner), next))
            }
            EndingOperator::Choice(parts) => {
                let (first, parts) = self.in_order(parts);
                (first, EndingOperator::Choice(parts))
            }
            EndingOperator::Interrupt(both) => {
                let [left, right] = [self.tree(&both[0]), self.tree(&both[1])];
                let first = left.0.min(right.0);
                let both = Box::new([left.1, right.1]);
                (first, EndingOperator::Interrupt(both))
            }
            EndingOperator::Exception(inner, set, next) => {
                let (first, inner) = self.tree(inner);
                let (set, next) = (self.value(*set), self.term(*next));
                let inner = Box::new(inner);
                (first, EndingOperator::Exception(inner, set, next))
            }
        }
    }

    /// The image of operands whose order means nothing, sorted.
    fn in_order(&mut self, parts: &[Tree]) -> (u16, Vec<Tree>) {
        by_first(parts.iter().map(|part| self.tree(part)).collect())
    }
}

/// Sorts operands by their least leaves. Returns the least of all, too.
fn by_first<T>(mut parts: Vec<(u16, T)>) -> (u16, Vec<T>) {
    parts.sort_by_key(|(first, _)| *first);
    let first = parts.first().map_or(u16::MAX, |(first, _)| *first);
    (first, parts.into_iter().map(|(_, part)| part).collect())
}
