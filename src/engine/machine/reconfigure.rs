//! Reconfiguration of a network when operators end (App. C): the remaining components, and those of the
//! processes on the right, below the operators that still stand.

use super::ids::LocalId;
use super::shared::Machine;
use super::tree::{Continuation, EndingOperator, Tree, Turn};
use super::unroll::unroll_at_root;
use crate::source::diagnostic::Result;
use crate::source::stack::deep;

/// Origin of a component of a network in which operators have ended.
#[derive(Clone, Copy, Debug)]
pub enum LeafOrigin {
    /// A remaining component, by its old place.
    Old(u16),
    /// A new component, by its first local state.
    New(LocalId),
}

/// A network in which operators have ended.
#[derive(Debug)]
pub struct Reconfigured {
    /// The operators that still stand, and those of the processes on the right.
    pub tree: Tree,
    /// The components, in vector order.
    pub leaves: Vec<LeafOrigin>,
}

/// Applies turns to the tree of a network.
///
/// # Errors
/// As [`unroll_at_root`], and evaluation errors of a process on the right.
pub fn reconfigure(machine: &mut Machine, tree: &Tree, turns: &[Turn]) -> Result<Reconfigured> {
    let mut turning = TreeWalk {
        turns,
        operators: 0,
        leaves: Vec::new(),
    };
    let tree = turning.tree(tree, machine)?;
    let leaves = turning.leaves;
    Ok(Reconfigured { tree, leaves })
}

/// Depth-first traversal of a tree, from left to right.
struct TreeWalk<'a> {
    turns: &'a [Turn],
    /// Number of operators that end visited so far: turns refer to it.
    operators: u16,
    leaves: Vec<LeafOrigin>,
}

impl TreeWalk<'_> {
    fn tree(&mut self, tree: &Tree, machine: &mut Machine) -> Result<Tree> {
        deep(|| match tree {
            Tree::Hide(p, set, keep) => {
                Ok(Tree::Hide(Box::new(self.tree(p, machine)?), *set, *keep))
            }
            Tree::Rename(p, pairs) => Ok(Tree::Rename(Box::new(self.tree(p, machine)?), *pairs)),
            Tree::Ending(ending) => self.ending(ending, machine),
            // No operator ends below any other one, but its components may have moved.
            fixed => Ok(fixed.map_leaves(&mut |leaf| {
                self.leaves.push(LeafOrigin::Old(leaf));
                Tree::Leaf(self.leaves.len() as u16 - 1)
            })),
        })
    }

    fn ending(&mut self, ending: &EndingOperator, machine: &mut Machine) -> Result<Tree> {
        let turn = self.turns.iter().find(|t| t.0 == self.operators);
        self.operators += 1;
        match (turn, ending.next()) {
            (Some((_, Continuation::Operand(kept))), _) => {
                let mut left = None;
                for (n, operand) in ending.operands().into_iter().enumerate() {
                    if n == usize::from(*kept) {
                        left = Some(self.tree(operand, machine)?);
                    } else {
                        // Dropped operands were counted when the turns were numbered.
                        self.operators += operand.endings();
                    }
                }
                // A turn refers to an existing operand.
                Ok(left.unwrap_or(Tree::Interleave(Vec::new())))
            }
            (Some((_, Continuation::Next)), Some(next)) => {
                let operands = ending.operands();
                self.operators += operands.into_iter().map(Tree::endings).sum::<u16>();
                // Evaluated only now, so that a recursion through it ends.
                let next = machine.eval.next(next)?;
                let unrolled = unroll_at_root(machine, next)?;
                machine.note_kept_together(unrolled.kept_together);
                let first = self.leaves.len() as u16;
                self.leaves
                    .extend(unrolled.leaves.into_iter().map(LeafOrigin::New));
                Ok(unrolled
                    .tree
                    .map_leaves(&mut |leaf| Tree::Leaf(first + leaf)))
            }
            _ => {
                let mut failed = None;
                let same = ending.map(|operand| {
                    let mapped = self.tree(operand, machine);
                    mapped.unwrap_or_else(|error| {
                        failed = Some(error);
                        operand.clone()
                    })
                });
                failed.map_or(Ok(Tree::Ending(same)), Err)
            }
        }
    }
}
