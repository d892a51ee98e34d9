//! The buffers of all strategies, which one thread keeps from state to state, so that nothing is allocated for each.

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

/// Buffers of `sorted` and `segmented`.
#[derive(Debug, Default)]
pub struct SortedScratch {
    /// For each value: the keys of the components that it identifies, folded into one list a value.
    pub(super) keys: Vec<Vec<u64>>,
    pub(super) order: Vec<Atom>,
    pub(super) cells: Vec<(usize, usize)>,
    pub(super) best: Vec<LocalId>,
    pub(super) best_image: Vec<Atom>,
    pub(super) trial: Vec<LocalId>,
}

/// Buffers of `bubble`.
#[derive(Debug, Default)]
pub struct BubbleScratch {
    /// The components in the order in which they are compared: by class, then label.
    pub(super) order: Vec<u16>,
    /// Which value has each name at present.
    pub(super) named: Vec<Atom>,
    pub(super) trial: Vec<LocalId>,
    /// Names of the values of the specification, now and after an exchange.
    pub(super) spec: (Vec<Atom>, Vec<Atom>),
    /// The exchanges that were made: the lower of two names each.
    pub(super) exchanges: Vec<Atom>,
}

/// Buffers of `walk`, and what it found out.
#[derive(Debug)]
pub struct WalkScratch {
    pub(super) names: GivenNames,
    /// Components to walk to.
    pub(super) queue: [u16; COMPONENTS_MAX],
    pub(super) met: MetComponents,
    pub(super) masks: Masks,
    pub(super) unreached: Vec<Unreached>,
    /// Components that no walk can reach, each as the last bits of its key and itself: ascending as entries would be.
    pub(super) apart: Vec<u64>,
    /// Whether the order of the stabiliser is wanted.
    pub(super) counting: bool,
    /// Sizes of runs whose members are interchangeable by a permutation that fixes the state of the
    /// specification.
    pub(super) free: Vec<usize>,
    /// How many values of each type neither side mentions.
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

/// Buffers of the search of `exact`.
#[derive(Debug, Default)]
pub struct ExactScratch {
    pub(super) vector: Vector,
    pub(super) cells: Cells,
    pub(super) signatures: Signatures,
    pub(super) levels: Vec<PathNode>,
    /// The values chosen on the way to the present node.
    pub(super) path: Vec<u16>,
    pub(super) trial: Leaf,
    pub(super) first: Leaf,
    pub(super) best: Leaf,
    /// Automorphisms found: where each takes every value. More buffers than are in use.
    pub(super) automorphisms: Vec<Vec<u16>>,
    pub(super) found: usize,
    /// The least value of the orbit of each.
    pub(super) orbits: Vec<u16>,
    pub(super) inverse: Vec<u16>,
    /// The order of the stabiliser, as far as looked at.
    pub(super) order: Option<Order>,
    /// How many leaves were looked at, against [`super::exact::LEAVES_MAX`].
    pub(super) leaves: usize,
    pub(super) exhausted: bool,
}

/// One node of the present path.
#[derive(Debug, Default)]
pub(super) struct PathNode {
    pub(super) colours: Colours,
    /// The values that are tried.
    pub(super) cell: Vec<u16>,
}

/// Where a path ended.
#[derive(Debug, Default)]
pub(super) struct Leaf {
    pub(super) path: Vec<u16>,
    pub(super) image: Vec<Atom>,
    pub(super) locals: Vec<LocalId>,
}

/// Buffers of the strategies of a structural group, and the element that one left.
#[derive(Debug, Default)]
pub struct StructuralScratch {
    pub(super) state: Vec<u32>,
    pub(super) factor: FactorScratch,
    /// The node after the element that was found.
    pub node: u32,
    /// Which element of each level of each chain it is, and in which order it brings columns.
    pub(super) word: Vec<u16>,
}

impl StructuralScratch {
    /// Steps of work that least images took so far, roughly: points that were looked at.
    #[must_use]
    pub fn work(&self) -> u64 {
        self.factor.work()
    }
}
