//! Operators that end: `;`, `[]`, `/\` and `[|A|>` above parallel compositions (App. C).
//!
//! Such an operator is part of the tree as long as it stands, and a rule says which *turn* it takes when
//! the rule fires: it goes on as one of its operands, or as the process that it was to go on with. The
//! network then has another format: the components that are left, and those of what comes next.
//!
//! They are unrolled only where nothing but hiding, renaming and other such operators is above them, so
//! no ✓ of theirs has to be joined with others, and only if no permutation moves their operands: then
//! every format that they turn into is mappable if the first one is (Sec. 6.1).

use super::format::{Tree, Unrolled, is_parallel, map_leaves};
use super::mappable::generators;
use super::rules::{Derivation, Offers, Partial};
use super::{EventId, LocalId, Locals, Machine};
use crate::process::Terms;
use crate::process::store::operands;
use crate::process::term::{Term, TermData};
use crate::source::diagnostic::Result;
use crate::source::stack::deep;
use crate::value::Value;

/// What an operator that ends goes on as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum To {
    /// One of its operands, as that is by then.
    Operand(u16),
    /// The process on its right.
    Next,
}

/// Which operator ends, by its place among those of the tree (an operator before its operands), and
/// what it goes on as.
pub type Turn = (u16, To);

/// An operator that ends.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Ending {
    /// `P ; Q`
    Sequence(Box<Tree>, Term),
    /// `P [] Q …`
    Choice(Vec<Tree>),
    /// `P /\ Q`
    Interrupt(Box<[Tree; 2]>),
    /// `P [|A|> Q`
    Exception(Box<Tree>, Value, Term),
}

impl Ending {
    /// The operands that are in the tree.
    #[must_use]
    pub fn operands(&self) -> Vec<&Tree> {
        match self {
            Self::Sequence(p, _) | Self::Exception(p, ..) => vec![p],
            Self::Choice(parts) => parts.iter().collect(),
            Self::Interrupt(both) => both.iter().collect(),
        }
    }

    /// The same with other operands, in order.
    #[must_use]
    pub fn map(&self, mut f: impl FnMut(&Tree) -> Tree) -> Self {
        match self {
            Self::Sequence(p, q) => Self::Sequence(Box::new(f(p)), *q),
            Self::Exception(p, set, q) => Self::Exception(Box::new(f(p)), *set, *q),
            Self::Choice(parts) => Self::Choice(parts.iter().map(f).collect()),
            Self::Interrupt(both) => {
                let [p, q] = &**both;
                Self::Interrupt(Box::new([f(p), f(q)]))
            }
        }
    }

    fn next(&self) -> Option<Term> {
        match self {
            Self::Sequence(_, q) | Self::Exception(_, _, q) => Some(*q),
            Self::Choice(_) | Self::Interrupt(_) => None,
        }
    }
}

/// Whether a term has a parallel composition below operators that end, and hiding and renaming.
#[must_use]
pub fn is_parallel_for_now(terms: &Terms, term: Term) -> bool {
    let inner = |t: &Term| is_parallel(terms, *t) || is_parallel_for_now(terms, *t);
    deep(|| match terms.data(term) {
        TermData::Hide { process, .. } | TermData::Rename(process, _) => {
            is_parallel_for_now(terms, *process)
        }
        TermData::Seq(p, _) | TermData::Exception(p, ..) => inner(p),
        TermData::Interrupt(p, q) => inner(p) || inner(q),
        TermData::ExtChoice(parts) => parts.iter().any(inner),
        _ => false,
    })
}

/// Whether a component stands where operators that end can be unrolled.
#[must_use]
pub fn is_at_root(tree: &Tree, component: u16) -> bool {
    deep(|| match tree {
        Tree::Leaf(c) => *c == component,
        Tree::Hide(p, ..) | Tree::Rename(p, _) => is_at_root(p, component),
        Tree::Ending(ending) => {
            let operands = ending.operands();
            operands.into_iter().any(|p| is_at_root(p, component))
        }
        _ => false,
    })
}

/// Whether a component that reaches a local state may change the format.
#[must_use]
pub fn may_change(locals: &Locals, tree: &Tree, component: u16, local: LocalId) -> bool {
    if !locals.outline(local).is_parallel() {
        return false;
    }
    let shape = locals.shape(locals.shape_of(local));
    shape.is_static || shape.is_parallel_for_now && is_at_root(tree, component)
}

/// A component of a network in which operators have ended.
#[derive(Clone, Copy, Debug)]
pub enum Left {
    /// A component that is left, by its place before.
    Old(u16),
    /// A new one, by its first local state.
    New(LocalId),
}

/// What a network becomes when operators end.
struct Turning<'a> {
    turns: &'a [Turn],
    /// Operators that end met so far.
    operators: u16,
    leaves: Vec<Left>,
}

impl Machine {
    /// The tree after these turns, and its components.
    ///
    /// # Errors
    /// As [`Machine::unroll`], and what the evaluation of a process on the right reports.
    pub fn turn(&mut self, tree: &Tree, turns: &[Turn]) -> Result<(Tree, Vec<Left>)> {
        let mut turning = Turning {
            turns,
            operators: 0,
            leaves: Vec::new(),
        };
        let tree = turning.tree(tree, self)?;
        Ok((tree, turning.leaves))
    }

    /// Whether no permutation moves any of these terms.
    fn are_invariant(&mut self, terms: &[Term]) -> bool {
        let generators = generators(&self.atoms);
        let mut pairs = generators
            .iter()
            .flat_map(|g| terms.iter().map(move |t| (g, *t)));
        pairs.all(|(g, t)| self.eval.rename(t, &g.image, &self.atoms) == t)
    }

    /// Unrolls a term as [`Machine::unroll`] does, and through operators that end.
    ///
    /// # Errors
    /// As that.
    pub fn unroll_at_root(&mut self, term: Term) -> Result<Unrolled> {
        let mut leaves = Vec::new();
        let tree = self.unroll_ending(term, &mut leaves)?;
        Ok(Unrolled { tree, leaves })
    }

    fn unroll_ending(&mut self, term: Term, leaves: &mut Vec<LocalId>) -> Result<Tree> {
        // A choice is a control state as well.
        let term = match self.eval.opened(term) {
            opened if is_parallel_for_now(self.eval.terms(), opened) => opened,
            _ => return self.unroll_into(term, leaves),
        };
        let data = self.eval.terms().data(term).clone();
        let operands = match &data {
            TermData::Hide { .. } | TermData::Rename(..) => Vec::new(),
            TermData::ExtChoice(parts) => parts.to_vec(),
            other => operands(other),
        };
        if !self.are_invariant(&operands) {
            self.kept_together = true;
            return self.unroll_into(term, leaves);
        }
        let mut inner =
            |machine: &mut Self, p: Term| deep(|| machine.unroll_ending(p, leaves)).map(Box::new);
        let ending = match data {
            TermData::Hide { process, set, keep } => {
                return Ok(Tree::Hide(inner(self, process)?, set, keep));
            }
            TermData::Rename(p, pairs) => return Ok(Tree::Rename(inner(self, p)?, pairs)),
            TermData::Seq(p, q) => Ending::Sequence(inner(self, p)?, q),
            TermData::Exception(p, set, q) => Ending::Exception(inner(self, p)?, set, q),
            TermData::Interrupt(p, q) => {
                let (p, q) = (inner(self, p)?, inner(self, q)?);
                Ending::Interrupt(Box::new([*p, *q]))
            }
            TermData::ExtChoice(parts) => {
                let parts = parts.iter().map(|p| Ok(*inner(self, *p)?));
                Ending::Choice(parts.collect::<Result<_>>()?)
            }
            _ => return self.unroll_into(term, leaves),
        };
        Ok(Tree::Ending(ending))
    }

    /// What an operator that ends offers: what its operands do, with the turns that this means for it.
    pub(super) fn offers_ending(
        &mut self,
        ending: &Ending,
        from: &Derivation<'_>,
    ) -> Result<Offers> {
        let number = from.next_operator();
        let mut result = Offers::default();
        for (n, operand) in ending.operands().into_iter().enumerate() {
            for (event, partials) in self.offers(operand, from)? {
                // That a part has terminated is nobody's business but that of parallel operators.
                if event == EventId::DONE {
                    continue;
                }
                let to = match ending {
                    Ending::Sequence(..) => (event == EventId::TICK).then_some(To::Next),
                    Ending::Exception(_, set, _) => {
                        let throws = event.is_visible() && self.event_in(event, *set)?;
                        throws.then_some(To::Next)
                    }
                    // After ✓ nothing can happen, on the right neither.
                    Ending::Interrupt(_) if n == 0 => {
                        (event == EventId::TICK).then_some(To::Operand(0))
                    }
                    Ending::Choice(_) | Ending::Interrupt(_) => {
                        (event != EventId::TAU).then_some(To::Operand(n as u16))
                    }
                };
                // The ✓ of `P` in `P ; Q` is silent.
                let silent = to.is_some() && matches!(ending, Ending::Sequence(..));
                let event = if silent { EventId::TAU } else { event };
                let turned = partials.into_iter().map(|mut partial: Partial| {
                    partial.turns.extend(to.map(|to| (number, to)));
                    if silent {
                        partial.shown = EventId::TAU;
                    }
                    partial
                });
                result.entry(event).or_default().extend(turned);
            }
        }
        Ok(result)
    }
}

/// The number of operators that end in a tree.
fn operators_in(tree: &Tree) -> u16 {
    deep(|| match tree {
        Tree::Hide(p, ..) | Tree::Rename(p, _) => operators_in(p),
        Tree::Ending(ending) => {
            let operands = ending.operands();
            1 + operands.into_iter().map(operators_in).sum::<u16>()
        }
        _ => 0,
    })
}

impl Turning<'_> {
    fn tree(&mut self, tree: &Tree, machine: &mut Machine) -> Result<Tree> {
        deep(|| match tree {
            Tree::Hide(p, set, keep) => {
                Ok(Tree::Hide(Box::new(self.tree(p, machine)?), *set, *keep))
            }
            Tree::Rename(p, pairs) => Ok(Tree::Rename(Box::new(self.tree(p, machine)?), *pairs)),
            Tree::Ending(ending) => self.ending(ending, machine),
            fixed => Ok(map_leaves(fixed, &mut |leaf| {
                self.leaves.push(Left::Old(leaf));
                Tree::Leaf(self.leaves.len() as u16 - 1)
            })),
        })
    }

    fn ending(&mut self, ending: &Ending, machine: &mut Machine) -> Result<Tree> {
        let turn = self.turns.iter().find(|t| t.0 == self.operators);
        self.operators += 1;
        match (turn, ending.next()) {
            (Some((_, To::Operand(kept))), _) => {
                let mut left = None;
                for (n, operand) in ending.operands().into_iter().enumerate() {
                    if n == usize::from(*kept) {
                        left = Some(self.tree(operand, machine)?);
                    } else {
                        self.operators += operators_in(operand);
                    }
                }
                // A turn names an operand that there is.
                Ok(left.unwrap_or(Tree::Interleave(Vec::new())))
            }
            (Some((_, To::Next)), Some(next)) => {
                let operands = ending.operands();
                self.operators += operands.into_iter().map(operators_in).sum::<u16>();
                let next = machine.eval.next(next)?;
                let unrolled = machine.unroll_at_root(next)?;
                let first = self.leaves.len() as u16;
                self.leaves
                    .extend(unrolled.leaves.into_iter().map(Left::New));
                Ok(map_leaves(&unrolled.tree, &mut |leaf| {
                    Tree::Leaf(first + leaf)
                }))
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
