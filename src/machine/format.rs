//! Formats: the static operators above the components.
//!
//! A term is unrolled through its static operators (parallel in all its forms, hiding, renaming,
//! priority, `chase`) down to components; at the root, through operators that end as well ([`super::turns`]).
//! Anything else is inside a component. Where a component turns into a parallel composition itself, or
//! an operator ends, the network moves to another format (App. C).

use super::ahead::Ahead;
use super::bisimilar::Merged;
use super::copies::Copies;
use super::homes::Homes;
use super::priority::Order;
use super::rules::Rules;
use super::turns::Ending;
use super::{LocalId, Machine};
use crate::process::Terms;
use crate::process::store::operands;
use crate::process::term::{Term, TermData};
use crate::source::Diagnostic;
use crate::source::diagnostic::Result;
use crate::source::hash::{IndexSet, Map};
use crate::source::stack::deep;
use crate::value::Atom;
use crate::value::Value;

/// A format of a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FormatId(pub u16);

/// More components than this in one format is taken for unbounded growth.
pub const COMPONENTS_MAX: usize = 4096;
/// The same for operands of parallel operators within one component.
pub const OPERANDS_MAX: usize = 512;

/// Static operators over components (by index).
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
    Priority(Box<Tree>, Order),
    /// An operator that ends
    Ending(Ending),
}

/// A component of a network.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Component {
    /// Its first local state: the label `(P, ρ)` of Sec. 6.1.
    pub initial: LocalId,
    /// Which of several components with the same label (the paper's `inst`).
    pub inst: u16,
    /// Components of one symmetric set have the same class, and copies that may be exchanged.
    pub class: u16,
}

/// The set of local states that a component can reach on its own, as far as known.
#[derive(Debug, Default)]
pub struct Reach {
    /// In the order met: the position is the code of the local state in a packed state.
    pub locals: Vec<LocalId>,
    /// Whether `locals` is all there is.
    pub complete: bool,
    /// Where to go on if it is not.
    pub(super) ahead: Ahead,
}

/// One format: components, the operators above them, and what follows from both.
#[derive(Debug)]
pub struct Format {
    /// The operators.
    pub tree: Tree,
    /// In vector order.
    pub components: Vec<Component>,
    /// What each component can reach.
    pub reach: Vec<Reach>,
    /// The rules (Def. 26) and who leads each.
    pub rules: Rules,
    /// For each inst, from the first local state to the component: `m_P` of Sec. 6.1.
    pub by_label: Vec<Vec<Option<u16>>>,
    /// `α_π` where a label holds at most one atom.
    pub homes: Homes,
    /// The identity of each component (Def. 46): the value of a variable that it never changes and
    /// that no other component of its class has.
    pub identity: Vec<Option<Atom>>,
    /// Components that may be exchanged although no permutation of values does it.
    pub copies: Copies,
    /// Local states that others stand for, in a search.
    pub merged: Merged,
    /// Whether states of this format exist; one that was made on trial and not mappable has none.
    pub entered: bool,
    /// How often the network has grown on the way to it.
    pub grown: usize,
    /// Whether the format is mappable to itself under the whole group; `Err` says why not.
    pub mappable: std::result::Result<(), Box<Diagnostic>>,
}

/// Whether a term is a parallel composition below hiding, renaming, priority and `chase` at most.
#[must_use]
pub fn is_parallel(terms: &Terms, term: Term) -> bool {
    match terms.data(term) {
        data if is_composition(data) => true,
        TermData::Hide { process, .. } | TermData::Rename(process, _) => {
            deep(|| is_parallel(terms, *process))
        }
        TermData::Prioritise(process, _) | TermData::PrioritisePo { process, .. } => {
            terms.priority_is_static() && deep(|| is_parallel(terms, *process))
        }
        TermData::Resolved(how, process) => {
            terms.chase_is_static(*how) && deep(|| is_parallel(terms, *process))
        }
        _ => false,
    }
}

/// How large a term is: its operators and operands, and among them the operands of parallel
/// operators. Stops counting at `max`.
#[must_use]
pub fn size(terms: &Terms, term: Term, max: usize) -> (usize, usize) {
    let mut open = vec![term];
    let (mut all, mut parallel) = (0, 0);
    while let Some(term) = open.pop() {
        let data = terms.data(term);
        let operands = operands(data);
        all += 1;
        if is_composition(data) {
            parallel += operands.len();
        }
        if all >= max {
            break;
        }
        // What is compressed is explored by itself, once.
        if !matches!(data, TermData::Compressed { .. }) {
            open.extend(operands);
        }
    }
    (all, parallel)
}

fn is_composition(data: &TermData) -> bool {
    matches!(
        data,
        TermData::Interleave(_)
            | TermData::Sharing(..)
            | TermData::Alphabetised(_)
            | TermData::Link(..)
    )
}

/// A tree and the components at its leaves.
pub struct Unrolled {
    /// The operators.
    pub tree: Tree,
    /// The first local states of the components, in vector order.
    pub leaves: Vec<LocalId>,
}

impl Machine {
    /// Unrolls a term through its static operators.
    ///
    /// # Errors
    /// When there are more than [`COMPONENTS_MAX`] components.
    pub fn unroll(&mut self, term: Term) -> Result<Unrolled> {
        let mut leaves = Vec::new();
        let tree = self.unroll_into(term, &mut leaves)?;
        Ok(Unrolled { tree, leaves })
    }

    pub(super) fn unroll_into(&mut self, term: Term, leaves: &mut Vec<LocalId>) -> Result<Tree> {
        deep(|| match self.eval.terms().data(term).clone() {
            TermData::Interleave(parts) => Ok(Tree::Interleave(self.unroll_all(&parts, leaves)?)),
            TermData::Sharing(set, parts) => {
                Ok(Tree::Sharing(set, self.unroll_all(&parts, leaves)?))
            }
            TermData::Alphabetised(parts) => {
                let mut trees = Vec::with_capacity(parts.len());
                for (alphabet, part) in parts {
                    trees.push((alphabet, self.unroll_into(part, leaves)?));
                }
                Ok(Tree::Alphabetised(trees))
            }
            TermData::Link(left, pairs, right) => {
                let left = self.unroll_into(left, leaves)?;
                let right = self.unroll_into(right, leaves)?;
                Ok(Tree::Link(Box::new(left), pairs, Box::new(right)))
            }
            TermData::Hide { process, set, keep } => Ok(Tree::Hide(
                Box::new(self.unroll_into(process, leaves)?),
                set,
                keep,
            )),
            TermData::Rename(process, pairs) => Ok(Tree::Rename(
                Box::new(self.unroll_into(process, leaves)?),
                pairs,
            )),
            TermData::Prioritise(process, levels) if self.eval.terms().priority_is_static() => {
                let inner = self.unroll_into(process, leaves)?;
                Ok(Tree::Priority(Box::new(inner), Order::Levels(levels)))
            }
            TermData::PrioritisePo {
                process,
                order,
                below,
            } if self.eval.terms().priority_is_static() => {
                let inner = self.unroll_into(process, leaves)?;
                let order = Order::Partial { order, below };
                Ok(Tree::Priority(Box::new(inner), order))
            }
            TermData::Resolved(_, process) if is_parallel(self.eval.terms(), term) => {
                let inner = self.unroll_into(process, leaves)?;
                Ok(Tree::Priority(Box::new(inner), Order::Chase))
            }
            _ => self.unroll_leaf(term, leaves),
        })
    }

    fn unroll_all(&mut self, parts: &[Term], leaves: &mut Vec<LocalId>) -> Result<Vec<Tree>> {
        parts
            .iter()
            .map(|part| self.unroll_into(*part, leaves))
            .collect()
    }

    fn unroll_leaf(&mut self, term: Term, leaves: &mut Vec<LocalId>) -> Result<Tree> {
        if leaves.len() >= COMPONENTS_MAX {
            return Err(Box::new(
                Diagnostic::nowhere(
                    "E0705",
                    format!("the network has more than {COMPONENTS_MAX} parallel components"),
                )
                .note("a recursion through a parallel operator grows without bound"),
            ));
        }
        leaves.push(self.intern(term));
        Ok(Tree::Leaf((leaves.len() - 1) as u16))
    }
}

/// The tree with other leaves, in order.
pub(super) fn map_leaves(tree: &Tree, leaf: &mut dyn FnMut(u16) -> Tree) -> Tree {
    deep(|| match tree {
        Tree::Leaf(n) => leaf(*n),
        Tree::Interleave(parts) => {
            Tree::Interleave(parts.iter().map(|p| map_leaves(p, leaf)).collect())
        }
        Tree::Sharing(set, parts) => {
            Tree::Sharing(*set, parts.iter().map(|p| map_leaves(p, leaf)).collect())
        }
        Tree::Alphabetised(parts) => Tree::Alphabetised(
            parts
                .iter()
                .map(|(a, p)| (*a, map_leaves(p, leaf)))
                .collect(),
        ),
        Tree::Link(l, pairs, r) => {
            let l = map_leaves(l, leaf);
            Tree::Link(Box::new(l), *pairs, Box::new(map_leaves(r, leaf)))
        }
        Tree::Hide(p, set, keep) => Tree::Hide(Box::new(map_leaves(p, leaf)), *set, *keep),
        Tree::Rename(p, pairs) => Tree::Rename(Box::new(map_leaves(p, leaf)), *pairs),
        Tree::Priority(p, order) => Tree::Priority(Box::new(map_leaves(p, leaf)), *order),
        Tree::Ending(ending) => Tree::Ending(ending.map(|p| map_leaves(p, leaf))),
    })
}

/// Numbers the components: same label, next `inst`; same shape of the first local state and same
/// `inst`, same class.
/// (A symmetric set of Sec. 7.3 is a class, or a part of one if the group does not act transitively;
/// only `by_label` decides what maps to what.)
#[must_use]
pub fn components(machine: &Machine, leaves: &[LocalId]) -> Vec<Component> {
    let mut classes: IndexSet<(super::ShapeId, u16)> = IndexSet::default();
    let mut copies: Map<LocalId, u16> = Map::default();
    leaves
        .iter()
        .map(|initial| {
            let count = copies.entry(*initial).or_insert(0);
            *count += 1;
            let inst = *count - 1;
            let shape = machine.locals.shape_of(*initial);
            Component {
                initial: *initial,
                inst,
                class: classes.insert_full((shape, inst)).0 as u16,
            }
        })
        .collect()
}

impl Format {
    /// `α_π(i)`: the component whose label is the image of that of `component` (Sec. 6.1), or `None`
    /// if there is none.
    ///
    /// # Errors
    /// The image of the label is not interned yet.
    pub fn component_image(
        &self,
        locals: &super::Locals,
        component: usize,
        image: &[Atom],
    ) -> std::result::Result<Option<usize>, super::Miss> {
        if let Some(found) = self.homes.image(component, image) {
            return Ok(Some(found));
        }
        let initial = self.components[component].initial;
        Ok(self.component_labelled(component, locals.permute(initial, image)?))
    }

    /// The component with this first local state and the inst of `like`.
    #[must_use]
    pub fn component_labelled(&self, like: usize, initial: LocalId) -> Option<usize> {
        let row = self.by_label.get(self.components[like].inst as usize)?;
        row.get(initial.0 as usize)?.map(usize::from)
    }
}

impl Format {
    /// Finds the copies; those of one set get the same class.
    pub fn find_copies(&mut self, locals: &super::Locals, atoms: &crate::value::AtomTypes) {
        self.copies = Copies::new(locals, self);
        for set in self.copies.sets() {
            let class = self.components[set[0] as usize].class;
            for member in set {
                self.components[*member as usize].class = class;
            }
        }
        self.homes = Homes::new(locals, &self.components, atoms);
    }
}

/// The inverse of the components' labels; see [`Format::by_label`].
#[must_use]
pub fn by_label(components: &[Component]) -> Vec<Vec<Option<u16>>> {
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

/// The identity of each component: among the atoms of the first local states of a class, the first
/// position at which all its components differ (Def. 46). A lone component has none.
#[must_use]
pub fn identities(locals: &super::Locals, components: &[Component]) -> Vec<Option<Atom>> {
    let mut found = vec![None; components.len()];
    let classes = components.iter().map(|c| c.class + 1).max().unwrap_or(0);
    for class in 0..classes {
        let members: Vec<usize> = (0..components.len())
            .filter(|n| components[*n].class == class)
            .collect();
        if members.len() < 2 {
            continue;
        }
        let atoms = |n: usize| locals.atoms_of(components[n].initial);
        let distinct = |at: usize| {
            let mut values: Vec<Atom> = members.iter().map(|n| atoms(*n)[at]).collect();
            values.sort_unstable();
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
