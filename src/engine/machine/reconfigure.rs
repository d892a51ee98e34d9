//! What a network becomes when operators end (App. C): the components that are left, and those of the
//! processes that come next, below the operators that still stand.

use super::ids::LocalId;
use super::shared::Machine;
use super::tree::{Continuation, EndingOperator, Tree, Turn};
use super::unroll::unroll_at_root;
use crate::source::diagnostic::Result;
use crate::source::stack::deep;

/// A component of a network in which operators have ended.
#[derive(Clone, Copy, Debug)]
pub enum LeafOrigin {
    /// A component that is left, by its place before.
    Old(u16),
    /// A new one, by its first local state.
    New(LocalId),
}

/// A network in which operators have ended.
#[derive(Debug)]
pub struct Reconfigured {
    /// The operators that still stand, and those of what comes next.
    pub tree: Tree,
    /// The components, in vector order.
    pub leaves: Vec<LeafOrigin>,
}

/// The network with this tree after these turns.
///
/// # Errors
/// As [`unroll_at_root`], and what the evaluation of a process on the right reports.
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

/// A walk over a tree from its root, from left to right.
struct TreeWalk<'a> {
    turns: &'a [Turn],
    /// Operators that end met so far: turns name them by this number.
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
            // Nothing ends below any other operator, but its components may have moved.
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
                        // What goes away was counted when the turns were numbered.
                        self.operators += operand.endings();
                    }
                }
                // A turn names an operand that there is.
                Ok(left.unwrap_or(Tree::Interleave(Vec::new())))
            }
            (Some((_, Continuation::Next)), Some(next)) => {
                let operands = ending.operands();
                self.operators += operands.into_iter().map(Tree::endings).sum::<u16>();
                // It was kept suspended until now, so that a recursion through it ends.
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
