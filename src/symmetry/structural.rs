//! Representatives under a group that was found in the structure of a network ([`crate::structure`]).
//!
//! The group is a product of factors that move different things. Under each of them a state is replaced by
//! the one of its orbit that is least in some order: where the factor permutes columns in all ways, by sorting
//! the columns (`columns`), otherwise by going down a chain of stabilisers (`descent`).

use super::columns::ColumnSort;
use super::context::StateContext;
use super::descent::{CosetChain, DescentScratch};
use super::strategy::{Representative, Strategy};
use crate::machine::order::Order;
use crate::machine::{LocalId, Miss};
use crate::structure::blueprint::Blueprint;
use crate::structure::element::{Automorphism, PartPlaces};
use crate::structure::parts::{GroupFactor, GroupFactors};
use crate::value::Atom;

/// What the strategy is called.
pub const NAME: &str = "structure";

/// How the least state of an orbit under a factor is found.
#[derive(Debug)]
enum FactorMethod {
    Sort(ColumnSort),
    Descend(CosetChain),
}

/// A group of automorphisms of a network, and how the least image under it is found.
#[derive(Debug)]
pub struct StructuralGroup {
    blueprint: Blueprint,
    generators: Vec<Automorphism>,
    methods: Vec<FactorMethod>,
    order: Order,
    /// Whether there are nodes of a specification to permute.
    ties: bool,
}

/// Buffers of one thread.
#[derive(Debug, Default)]
pub struct StructuralScratch {
    state: Vec<u32>,
    descent: DescentScratch,
    keys: Vec<u32>,
    sorted: Vec<u32>,
    /// The node after the element that was found.
    pub node: u32,
    /// Which element of each level of each chain it is, and in which order it brings columns.
    word: Vec<u16>,
}

impl StructuralGroup {
    /// The group with these factors, which generators generate.
    #[must_use]
    pub fn new(blueprint: Blueprint, generators: Vec<Automorphism>, factors: GroupFactors) -> Self {
        let method = |factor| match factor {
            GroupFactor::Columns(columns) => {
                FactorMethod::Sort(ColumnSort::new(&blueprint, columns))
            }
            GroupFactor::Cosets(lists) => FactorMethod::Descend(CosetChain::new(&blueprint, lists)),
        };
        Self {
            methods: factors.factors.into_iter().map(method).collect(),
            order: Order::from(factors.order),
            ties: !blueprint.nodes.is_empty(),
            generators,
            blueprint,
        }
    }

    /// What its elements respect.
    #[must_use]
    pub fn blueprint(&self) -> &Blueprint {
        &self.blueprint
    }

    /// Elements that generate it.
    #[must_use]
    pub fn generators(&self) -> &[Automorphism] {
        &self.generators
    }

    /// How many elements it has, as far as states tell them apart.
    #[must_use]
    pub fn order(&self) -> &Order {
        &self.order
    }

    /// The element that moves nothing.
    #[must_use]
    pub fn identity(&self) -> Automorphism {
        Automorphism::identity(PartPlaces::new(&self.blueprint))
    }

    /// The element that led to the last representative.
    #[must_use]
    pub fn found(&self, scratch: &StructuralScratch) -> Automorphism {
        let mut word = &scratch.word[..];
        let mut found = self.identity();
        for method in &self.methods {
            match method {
                FactorMethod::Sort(columns) => {
                    let Some((own, rest)) = word.split_at_checked(columns.len()) else {
                        continue;
                    };
                    word = rest;
                    found = found.then(&columns.element(&self.blueprint, own));
                }
                FactorMethod::Descend(chain) => {
                    for list in &chain.elements {
                        // The word of a state that stands for itself is empty.
                        if let Some((element, rest)) = word.split_first() {
                            word = rest;
                            found = found.then(&list[usize::from(*element)]);
                        }
                    }
                }
            }
        }
        found
    }

    /// Leaves the points of a state in `out`, and after them the place of its node where nodes are permuted;
    /// false if it has local states that are none.
    fn take(&self, state: &[LocalId], node: u32, out: &mut Vec<u32>) -> bool {
        out.clear();
        for (component, local) in state.iter().enumerate() {
            let Some(point) = self.blueprint.points.point(component, *local) else {
                return false;
            };
            out.push(point);
        }
        if self.ties {
            let Some(place) = self.blueprint.node_of.get(&node) else {
                return false;
            };
            out.push(self.blueprint.points.count() as u32 + place);
        }
        true
    }

    /// Replaces `scratch.state` by the least of its orbit. Gives the order of its stabiliser, and whether it
    /// is known to be the least.
    fn find(&self, scratch: &mut StructuralScratch) -> (Order, bool) {
        let StructuralScratch {
            state,
            descent,
            keys,
            sorted,
            word,
            ..
        } = scratch;
        let (mut stabiliser, mut certain) = (Order::ONE, true);
        for method in &self.methods {
            match method {
                FactorMethod::Sort(columns) => {
                    columns.sort(state, word, (keys, sorted), &mut stabiliser);
                }
                FactorMethod::Descend(chain) => {
                    let (times, known) = chain.find(state, word, descent);
                    stabiliser.times(times);
                    certain &= known;
                }
            }
        }
        (stabiliser, certain)
    }
}

impl Strategy for StructuralGroup {
    fn name(&self) -> &'static str {
        NAME
    }

    fn representative(
        &self,
        context: &StateContext<'_>,
        out: &mut Representative,
    ) -> Result<(), Miss> {
        out.image.clear();
        out.image.extend((0..context.atoms.len() as u16).map(Atom));
        out.locals.clear();
        out.fell_back = false;
        let scratch = &mut out.structural;
        scratch.word.clear();
        if !self.take(context.state, context.node, &mut scratch.state) {
            // Not one of the states that the group acts on: it stands for itself.
            out.locals.extend_from_slice(context.state);
            scratch.node = context.node;
            out.stabiliser = None;
            out.fell_back = true;
            return Ok(());
        }
        let (stabiliser, certain) = self.find(scratch);
        let points = self.blueprint.points.count() as u32;
        scratch.node = context.node;
        let components = self.blueprint.points.components();
        for (place, point) in scratch.state.iter().enumerate() {
            match place < components {
                true => out.locals.push(self.blueprint.points.local(*point)),
                false => scratch.node = self.blueprint.nodes[(*point - points) as usize].id,
            }
        }
        out.fell_back = !certain;
        out.stabiliser = certain.then_some(stabiliser);
        Ok(())
    }

    fn instead(&self) -> &'static str {
        "more than 2,048 images could still have become the least, so some were left out"
    }

    fn tells_uniqueness(&self) -> bool {
        true
    }

    fn structure(&self) -> Option<&StructuralGroup> {
        Some(self)
    }
}
