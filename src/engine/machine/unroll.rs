//! Unrolling of a process term into operators over components.
//!
//! A term is unrolled through its static operators down to components; at the root, through operators that
//! end as well ([`super::tree`]). Anything else is inside a component.
//!
//! Operators that end are unrolled only below hiding, renaming and other such operators,
//! so that their ✓ is synchronised with no other, and only if no permutation moves their
//! operands: then every format that they turn into is mappable if the first one is (Sec. 6.1).

use super::generators::generators;
use super::ids::LocalId;
use super::parallel::{is_parallel, is_parallel_for_now};
use super::shared::Machine;
use super::tree::{EndingOperator, Precedence, Tree};
use crate::process::parts::operands;
use crate::process::term::{Term, TermData};
use crate::source::Diagnostic;
use crate::source::diagnostic::Result;
use crate::source::stack::deep;

/// Components of one format at most; more indicate unbounded growth.
pub const COMPONENTS_MAX: usize = 4096;

/// Names that are resolved below hiding and renaming, at most.
const HIDDEN_MAX: usize = 64;

/// A tree and the components at its leaves.
pub struct Unrolled {
    /// The operators.
    pub tree: Tree,
    /// The first local states of the components, in vector order.
    pub leaves: Vec<LocalId>,
    /// Whether an operator that ends stays inside a component because permutations move its operands
    /// ([`Machine::kept_together`]).
    pub kept_together: bool,
}

/// Unrolls a term through its static operators.
///
/// # Errors
/// More than [`COMPONENTS_MAX`] components.
pub fn unroll(machine: &mut Machine, term: Term) -> Result<Unrolled> {
    let mut unrolling = Unrolling::new(machine);
    let tree = unrolling.below_root(term)?;
    Ok(unrolling.done(tree))
}

/// Unrolls a term as [`unroll`] does, and through operators that end.
///
/// # Errors
/// As [`unroll`].
pub fn unroll_at_root(machine: &mut Machine, term: Term) -> Result<Unrolled> {
    let mut unrolling = Unrolling::new(machine);
    let tree = unrolling.at_root(term)?;
    Ok(unrolling.done(tree))
}

/// The components found so far, from left to right.
struct Unrolling<'a> {
    machine: &'a mut Machine,
    leaves: Vec<LocalId>,
    kept_together: bool,
}

impl<'a> Unrolling<'a> {
    fn new(machine: &'a mut Machine) -> Self {
        Self {
            machine,
            leaves: Vec::new(),
            kept_together: false,
        }
    }

    fn done(self, tree: Tree) -> Unrolled {
        Unrolled {
            tree,
            leaves: self.leaves,
            kept_together: self.kept_together,
        }
    }

    fn below_root(&mut self, term: Term) -> Result<Tree> {
        deep(|| match self.machine.eval.terms().data(term).clone() {
            TermData::Interleave(parts) => Ok(Tree::Interleave(self.all(&parts)?)),
            TermData::Sharing(set, parts) => Ok(Tree::Sharing(set, self.all(&parts)?)),
            TermData::Alphabetised(parts) => {
                let mut trees = Vec::with_capacity(parts.len());
                for (alphabet, part) in parts {
                    trees.push((alphabet, self.below_root(part)?));
                }
                Ok(Tree::Alphabetised(trees))
            }
            TermData::Link(left, pairs, right) => {
                let left = self.below_root(left)?;
                let right = self.below_root(right)?;
                Ok(Tree::Link(Box::new(left), pairs, Box::new(right)))
            }
            TermData::Hide { process, set, keep } => {
                let inner = self.below_root(process)?;
                Ok(Tree::Hide(Box::new(inner), set, keep))
            }
            TermData::Rename(process, pairs) => {
                let inner = self.below_root(process)?;
                Ok(Tree::Rename(Box::new(inner), pairs))
            }
            TermData::Prioritise(process, levels)
                if self.machine.eval.terms().mentioned().priority_is_static() =>
            {
                self.priority(process, Precedence::Levels(levels))
            }
            TermData::PrioritisePo {
                process,
                order,
                below,
            } if self.machine.eval.terms().mentioned().priority_is_static() => {
                self.priority(process, Precedence::Partial { order, below })
            }
            // A `chase` without a parallel composition below is better done inside a component, where
            // its silent steps are no steps of the network.
            TermData::Resolved(_, process) if is_parallel(self.machine.eval.terms(), term) => {
                self.priority(process, Precedence::Chase)
            }
            TermData::Compressed { process, state, .. } if state.is_empty() => {
                let parts = is_parallel(self.machine.eval.terms(), process);
                match parts && self.machine.opens(term)? {
                    true => self.below_root(process),
                    false => self.leaf(term),
                }
            }
            _ => self.leaf(term),
        })
    }

    fn all(&mut self, parts: &[Term]) -> Result<Vec<Tree>> {
        parts.iter().map(|part| self.below_root(*part)).collect()
    }

    fn priority(&mut self, process: Term, precedence: Precedence) -> Result<Tree> {
        let inner = self.below_root(process)?;
        Ok(Tree::Priority(Box::new(inner), precedence))
    }

    fn leaf(&mut self, term: Term) -> Result<Tree> {
        if self.leaves.len() >= COMPONENTS_MAX {
            return Err(Box::new(
                Diagnostic::nowhere(
                    "E0705",
                    format!("the network has more than {COMPONENTS_MAX} parallel components"),
                )
                .note("a recursion through a parallel operator grows without bound"),
            ));
        }
        self.leaves.push(self.machine.intern(term));
        Ok(Tree::Leaf((self.leaves.len() - 1) as u16))
    }

    fn at_root(&mut self, term: Term) -> Result<Tree> {
        let Some(term) = self.opened_for_now(term) else {
            return self.below_root(term);
        };
        let data = self.machine.eval.terms().data(term).clone();
        // Hiding and renaming are static: permutations of their operands do not matter.
        let ending_operands = match &data {
            TermData::Hide { .. } | TermData::Rename(..) => Vec::new(),
            TermData::ExtChoice(parts) => parts.to_vec(),
            other => operands(other),
        };
        // If one operand were mapped to another, so would be the format that it turns into.
        if !self.are_invariant(&ending_operands) {
            self.kept_together = true;
            return self.below_root(term);
        }
        let ending = match data {
            TermData::Hide { process, set, keep } => {
                return Ok(Tree::Hide(self.boxed(process)?, set, keep));
            }
            TermData::Rename(p, pairs) => return Ok(Tree::Rename(self.boxed(p)?, pairs)),
            TermData::Seq(p, q) => EndingOperator::Sequence(self.boxed(p)?, q),
            TermData::Exception(p, set, q) => EndingOperator::Exception(self.boxed(p)?, set, q),
            TermData::Interrupt(p, q) => {
                let (p, q) = (self.boxed(p)?, self.boxed(q)?);
                EndingOperator::Interrupt(Box::new([*p, *q]))
            }
            TermData::ExtChoice(parts) => {
                let parts = parts.iter().map(|p| Ok(*self.boxed(*p)?));
                EndingOperator::Choice(parts.collect::<Result<_>>()?)
            }
            _ => return self.below_root(term),
        };
        Ok(Tree::Ending(ending))
    }

    /// Resolves the name of a term, such as a choice with a name, that has a parallel composition below operators that
    /// end, hiding and renaming. `None` for other terms.
    fn opened_for_now(&mut self, term: Term) -> Option<Term> {
        let eval = &mut self.machine.eval;
        let opened = eval.opened(term);
        let mut inner = opened;
        // The operand of hiding or renaming may have a name as well. A recursion may hide in its own operand for ever.
        for _ in 0..HIDDEN_MAX {
            if is_parallel_for_now(eval.terms(), inner) {
                return Some(opened);
            }
            inner = match *eval.terms().data(inner) {
                TermData::Hide { process, .. } | TermData::Rename(process, _) => {
                    eval.opened(process)
                }
                _ => return None,
            };
        }
        None
    }

    fn boxed(&mut self, term: Term) -> Result<Box<Tree>> {
        deep(|| self.at_root(term)).map(Box::new)
    }

    /// Whether all permutations fix each of these terms.
    fn are_invariant(&mut self, terms: &[Term]) -> bool {
        let Machine { eval, atoms, .. } = &mut *self.machine;
        let generators = generators(atoms);
        let mut pairs = generators
            .iter()
            .flat_map(|g| terms.iter().map(move |t| (g, *t)));
        pairs.all(|(g, t)| eval.rename(t, &g.image, atoms) == t)
    }
}
