//! Scratch buffers of all strategies: one set a thread, reused from state to state, so that nothing is allocated.

use super::cells::Cells;
use super::factor_method::FactorScratch;
use super::met::MetComponents;
use super::names::GivenNames;
use super::partition::Vector;
use super::refine::{Colours, Signatures};
use super::twins::{COMPONENTS_MAX, Masks};
use super::unreached::Unreached;
use crate::machine::LocalId;
use crate::machine::order::Order;
use crate::value::Atom;

/// Scratch buffers of `sorted` and `segmented`.
#[derive(Debug, Default)]
pub struct SortedScratch {
    /// For each value, the keys of the components that it identifies.
    pub(super) keys: Vec<Vec<u64>>,
    pub(super) order: Vec<Atom>,
    pub(super) cells: Vec<(usize, usize)>,
    pub(super) best: Vec<LocalId>,
    pub(super) best_image: Vec<Atom>,
    pub(super) trial: Vec<LocalId>,
}

/// Scratch buffers of `bubble`.
#[derive(Debug, Default)]
pub struct BubbleScratch {
    /// The components in the order in which they are compared: by class, then label.
    pub(super) order: Vec<u16>,
    /// The value with each name.
    pub(super) named: Vec<Atom>,
    pub(super) trial: Vec<LocalId>,
    /// Names of the values of the specification, now and after an exchange.
    pub(super) spec: (Vec<Atom>, Vec<Atom>),
    /// The exchanges made, each as the lower of two names.
    pub(super) exchanges: Vec<Atom>,
}

/// Scratch buffers of `walk`, and its results.
#[derive(Debug)]
pub struct WalkScratch {
    pub(super) names: GivenNames,
    /// Components to walk to.
    pub(super) queue: [u16; COMPONENTS_MAX],
    pub(super) met: MetComponents,
    pub(super) masks: Masks,
    pub(super) unreached: Vec<Unreached>,
    /// Components that no walk can reach, by key ([`super::unreached::key`]).
    pub(super) apart: Vec<u64>,
    /// Whether to compute the order of the stabiliser.
    pub(super) counting: bool,
    /// Sizes of runs whose members are interchangeable by a permutation that fixes the state of the
    /// specification.
    pub(super) free: Vec<usize>,
    /// Number of values of each type that neither side mentions.
    pub(super) unseen: Vec<usize>,
}

impl Default for WalkScratch {
    fn default() -> Self {
        Self {
            names: GivenNames::default(),
            queue: [0; COMPONENTS_MAX],
            met: MetComponents::default(),
            masks: Masks::default(),
            unreached: Vec::new(),
            apart: Vec::new(),
            counting: false,
            free: Vec::new(),
            unseen: Vec::new(),
        }
    }
}

/// Scratch buffers of the search of `exact`.
#[derive(Debug, Default)]
pub struct ExactScratch {
    pub(super) vector: Vector,
    pub(super) cells: Cells,
    pub(super) signatures: Signatures,
    pub(super) levels: Vec<PathNode>,
    /// The values chosen on the path to the present node.
    pub(super) path: Vec<u16>,
    pub(super) trial: Leaf,
    pub(super) first: Leaf,
    pub(super) best: Leaf,
    /// Automorphisms found, as images of every value. Buffers beyond the number in use are spare.
    pub(super) automorphisms: Vec<Vec<u16>>,
    pub(super) found: usize,
    /// The least value of each value's orbit.
    pub(super) orbits: Vec<u16>,
    pub(super) inverse: Vec<u16>,
    /// The order of the stabiliser, of the part searched so far.
    pub(super) order: Option<Order>,
    /// Number of leaves, at most [`super::exact::LEAVES_MAX`].
    pub(super) leaves: usize,
    pub(super) exhausted: bool,
}

/// One node of the present path.
#[derive(Debug, Default)]
pub(super) struct PathNode {
    pub(super) colours: Colours,
    /// The cell that is branched on.
    pub(super) cell: Vec<u16>,
}

/// End of a path: a discrete colouring.
#[derive(Debug, Default)]
pub(super) struct Leaf {
    pub(super) path: Vec<u16>,
    pub(super) image: Vec<Atom>,
    pub(super) locals: Vec<LocalId>,
}

/// Scratch buffers of the strategies of a structural group, and the last element.
#[derive(Debug, Default)]
pub struct StructuralScratch {
    pub(super) state: Vec<u32>,
    pub(super) factor: FactorScratch,
    /// The image of the node under that element.
    pub node: u32,
    /// The word of that element: the element of each level of each chain, and the order of columns.
    pub(super) word: Vec<u16>,
}

impl StructuralScratch {
    /// Work on least images so far, roughly in points compared.
    #[must_use]
    pub fn work(&self) -> u64 {
        self.factor.work()
    }
}
