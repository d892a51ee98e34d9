//! The operators above the components of a network.
//!
//! Most of them are permanent: parallel in all its forms, hiding, renaming, priority and `chase`. At the
//! root there may be others that *end*: `;`, `[]`, `/\` and `[|A|>` above parallel compositions (App. C).
//! Such an operator is part of the tree until it ends. A rule has the *turn* that the operator takes when
//! the rule fires: it continues as one of its operands, or as the process on its right.

use super::ids::LocalId;
use super::locals::Locals;
use crate::process::term::Term;
use crate::source::stack::deep;
use crate::value::Value;

/// Operators over components (by index). Leaves are numbered from left to right, from 0.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Tree {
    /// A component.
    Leaf(u16),
    /// `|||`
    Interleave(Vec<Tree>),
    /// `[|A|]`
    Sharing(Value, Vec<Tree>),
    /// `||` with alphabets
    Alphabetised(Vec<(Value, Tree)>),
    /// `[a <-> b]`
    Link(Box<Tree>, Value, Box<Tree>),
    /// `\ A`, or keeping `A`
    Hide(Box<Tree>, Value, bool),
    /// `[[ ]]`
    Rename(Box<Tree>, Value),
    /// `prioritise`, `prioritisepo` and `chase`
    Priority(Box<Tree>, Precedence),
    /// An operator that ends
    Ending(EndingOperator),
}

/// The order of priority of events.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Precedence {
    /// `prioritise`: a sequence of sets, the highest priority first, τ and ✓ with the first.
    Levels(Value),
    /// `prioritisepo`, as in [`crate::process::term::TermData::PrioritisePo`].
    Partial {
        /// Pairs `(higher, lower)`, closed.
        order: Value,
        /// The events below τ and ✓.
        below: Value,
    },
    /// `chase`: the first τ goes first.
    Chase,
}

/// The continuation of an operator that ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Continuation {
    /// One of its operands, in its state at that time.
    Operand(u16),
    /// The process on its right.
    Next,
}

/// The operator that ends, by its number in the tree (an operator before its operands), and
/// its continuation.
pub type Turn = (u16, Continuation);

/// An operator that ends.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum EndingOperator {
    /// `P ; Q`
    Sequence(Box<Tree>, Term),
    /// `P [] Q …`
    Choice(Vec<Tree>),
    /// `P /\ Q`
    Interrupt(Box<[Tree; 2]>),
    /// `P [|A|> Q`
    Exception(Box<Tree>, Value, Term),
}

impl EndingOperator {
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

    /// The process on its right, which joins the tree only when its turn comes.
    #[must_use]
    pub fn next(&self) -> Option<Term> {
        match self {
            Self::Sequence(_, q) | Self::Exception(_, _, q) => Some(*q),
            Self::Choice(_) | Self::Interrupt(_) => None,
        }
    }
}

impl Tree {
    /// The tree with other leaves, in order.
    #[must_use]
    pub fn map_leaves(&self, leaf: &mut dyn FnMut(u16) -> Self) -> Self {
        deep(|| match self {
            Self::Leaf(n) => leaf(*n),
            Self::Interleave(parts) => {
                Self::Interleave(parts.iter().map(|p| p.map_leaves(leaf)).collect())
            }
            Self::Sharing(set, parts) => {
                Self::Sharing(*set, parts.iter().map(|p| p.map_leaves(leaf)).collect())
            }
            Self::Alphabetised(parts) => {
                let mapped = parts.iter().map(|(a, p)| (*a, p.map_leaves(leaf)));
                Self::Alphabetised(mapped.collect())
            }
            Self::Link(l, pairs, r) => {
                let l = l.map_leaves(leaf);
                Self::Link(Box::new(l), *pairs, Box::new(r.map_leaves(leaf)))
            }
            Self::Hide(p, set, keep) => Self::Hide(Box::new(p.map_leaves(leaf)), *set, *keep),
            Self::Rename(p, pairs) => Self::Rename(Box::new(p.map_leaves(leaf)), *pairs),
            Self::Priority(p, order) => Self::Priority(Box::new(p.map_leaves(leaf)), *order),
            Self::Ending(ending) => Self::Ending(ending.map(|p| p.map_leaves(leaf))),
        })
    }

    /// Replaces leaf `at` by `inner` (with `inserted` leaves); later leaves are renumbered.
    #[must_use]
    pub fn graft(&self, at: u16, inner: &Self, inserted: u16) -> Self {
        self.map_leaves(&mut |leaf| match leaf.cmp(&at) {
            std::cmp::Ordering::Less => Self::Leaf(leaf),
            std::cmp::Ordering::Equal => inner.map_leaves(&mut |l| Self::Leaf(l + at)),
            std::cmp::Ordering::Greater => Self::Leaf(leaf + inserted - 1),
        })
    }

    /// Whether it has several leaves.
    #[must_use]
    pub fn is_composed(&self) -> bool {
        match self {
            Self::Leaf(_) => false,
            Self::Hide(inner, ..) | Self::Rename(inner, _) | Self::Priority(inner, _) => {
                inner.is_composed()
            }
            Self::Interleave(_)
            | Self::Sharing(..)
            | Self::Alphabetised(_)
            | Self::Link(..)
            | Self::Ending(_) => true,
        }
    }

    /// Whether a component is below no other operators than those that can be unrolled.
    #[must_use]
    pub fn has_at_root(&self, component: u16) -> bool {
        deep(|| match self {
            Self::Leaf(c) => *c == component,
            Self::Hide(p, ..) | Self::Rename(p, _) => p.has_at_root(component),
            Self::Ending(ending) => {
                let operands = ending.operands();
                operands.into_iter().any(|p| p.has_at_root(component))
            }
            _ => false,
        })
    }

    /// The number of operators that end. They stand at the root only, so other operators are not entered.
    #[must_use]
    pub fn endings(&self) -> u16 {
        deep(|| match self {
            Self::Hide(p, ..) | Self::Rename(p, _) => p.endings(),
            Self::Ending(ending) => {
                let operands = ending.operands();
                // An operator before its operands, as turns are numbered.
                1 + operands.into_iter().map(Self::endings).sum::<u16>()
            }
            _ => 0,
        })
    }

    /// Whether a component that reaches a local state may change the format.
    #[must_use]
    pub fn may_change(&self, locals: &Locals, component: u16, local: LocalId) -> bool {
        // The outline decides this for nearly all local states, without access to their shapes.
        if !locals.outline(local).is_parallel() {
            return false;
        }
        let shape = locals.shape(locals.shape_of(local));
        shape.is_static || shape.is_parallel_for_now && self.has_at_root(component)
    }
}
