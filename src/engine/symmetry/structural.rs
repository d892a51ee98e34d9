//! Representatives under a group that was found in the structure of a network ([`crate::structure`]).
//!
//! The group is a product of factors that move disjoint parts. Under each of them a state is replaced by
//! the least state of its orbit in some order: by sorting columns if the factor permutes them in all ways
//! (`columns`), by sorting blocks after their contents if it is a wreath product (`factor_method`),
//! otherwise by a descent through a stabiliser chain (`descent`). That is the default;
//! the other ways ([`StructuralKind`]) are there to be compared with it.

use std::sync::Arc;

use super::climbing::StateClimb;
use super::context::StateContext;
use super::descent::{CosetChain, ImageSearch};
use super::factor_method::FactorMethod;
use super::scratch::StructuralScratch;
use super::strategy::{Representative, Strategy};
use super::structural_kind::StructuralKind;
use super::whole_group::{ELEMENTS_MAX, WholeGroup};
use crate::machine::order::Order;
use crate::machine::{LocalId, Miss};
use crate::structure::element::{Automorphism, PartPlaces};
use crate::structure::network_structure::NetworkStructure;
use crate::structure::parts::GroupFactors;
use crate::value::Atom;

/// Name of the default strategy.
pub const NAME: &str = "structure";

/// Numbers in the tables of an explicitly requested chain, at most.
const TABLES_MAX: usize = 1 << 24;

/// A group of automorphisms of a network, as a product of factors.
#[derive(Debug)]
struct TakenApart {
    structure: NetworkStructure,
    generators: Vec<Automorphism>,
    methods: Vec<FactorMethod>,
    order: Order,
    /// Whether its elements also permute nodes of a specification.
    ties: bool,
}

/// Method of finding representatives.
#[derive(Debug)]
enum StructuralWay {
    ByFactors,
    Chains(Vec<CosetChain>),
    Whole(WholeGroup),
    Climb(StateClimb),
}

/// A group of automorphisms of a network, and a method of finding representatives under it.
#[derive(Debug)]
pub struct StructuralGroup {
    group: Arc<TakenApart>,
    way: StructuralWay,
}

impl StructuralGroup {
    /// The group with these factors and generators.
    #[must_use]
    pub fn new(
        structure: NetworkStructure,
        generators: Vec<Automorphism>,
        factors: GroupFactors,
    ) -> Self {
        let method = |factor| FactorMethod::new(&structure, factor);
        let group = TakenApart {
            methods: factors.factors.into_iter().map(method).collect(),
            order: Order::from(factors.order),
            ties: !structure.nodes.is_empty(),
            generators,
            structure,
        };
        Self {
            group: Arc::new(group),
            way: StructuralWay::ByFactors,
        }
    }

    /// Whether its elements also permute nodes of a specification.
    #[must_use]
    pub fn ties(&self) -> bool {
        self.group.ties
    }

    /// The same group with another method of finding representatives.
    ///
    /// # Errors
    /// The reason why the method does not apply, in a sentence.
    pub fn by(&self, kind: StructuralKind) -> Result<Self, String> {
        let structure = &self.group.structure;
        let way = match kind {
            StructuralKind::Structure => StructuralWay::ByFactors,
            StructuralKind::Chain => StructuralWay::Chains(self.chains()?),
            StructuralKind::Enumerate => StructuralWay::Whole(self.whole()?),
            StructuralKind::Local => {
                StructuralWay::Climb(StateClimb::new(structure, &self.group.generators))
            }
        };
        Ok(Self {
            group: Arc::clone(&self.group),
            way,
        })
    }

    /// The same group with the default method: one representative an orbit wherever that is certain.
    #[must_use]
    pub fn certain(&self) -> Self {
        Self {
            group: Arc::clone(&self.group),
            way: StructuralWay::ByFactors,
        }
    }

    /// The stabiliser chain of each factor, as the elements of its levels; `None` if one took too much room.
    fn lists(&self) -> Option<Vec<Vec<Vec<Automorphism>>>> {
        let lists = |method: &FactorMethod| method.lists(&self.group.structure);
        self.group.methods.iter().map(lists).collect()
    }

    /// The enumerated group.
    fn whole(&self) -> Result<WholeGroup, String> {
        let order = self.group.order.to_big();
        if order > ELEMENTS_MAX.into() {
            return Err(format!(
                "`enumerate` does not apply: it goes through at most 4,096 elements for each state, and the \
                 group has {order}"
            ));
        }
        let lists = self.lists().unwrap_or_default();
        let whole = WholeGroup::new(&self.group.structure, lists.iter().flatten());
        let whole = whole.filter(|whole| order == whole.elements.len().into());
        whole.ok_or_else(|| {
            format!(
                "`enumerate` does not apply: {order} elements that each permute so many local states and \
                 events take too much room"
            )
        })
    }

    /// A chain for each factor.
    fn chains(&self) -> Result<Vec<CosetChain>, String> {
        let structure = &self.group.structure;
        let each = PartPlaces::new(structure).end as usize;
        let elements = self.group.methods.iter().map(FactorMethod::levels_size);
        let elements: usize = elements.sum();
        let fits = elements.saturating_mul(each) <= TABLES_MAX;
        let lists = fits.then(|| self.lists()).flatten();
        let chain = |lists| CosetChain::new(structure, lists);
        let chains = lists.map(|lists| lists.into_iter().map(chain).collect());
        chains.ok_or_else(|| {
            "`chain` does not apply: the elements of its levels, each of which permutes local states and \
             events, take too much room together"
                .to_owned()
        })
    }

    /// The method of finding representatives.
    #[must_use]
    pub fn kind(&self) -> StructuralKind {
        match self.way {
            StructuralWay::ByFactors => StructuralKind::Structure,
            StructuralWay::Chains(_) => StructuralKind::Chain,
            StructuralWay::Whole(_) => StructuralKind::Enumerate,
            StructuralWay::Climb(_) => StructuralKind::Local,
        }
    }

    /// The structure that its elements preserve.
    #[must_use]
    pub fn structure(&self) -> &NetworkStructure {
        &self.group.structure
    }

    /// Generators of the group.
    #[must_use]
    pub fn generators(&self) -> &[Automorphism] {
        &self.group.generators
    }

    /// The order of its action on states.
    #[must_use]
    pub fn order(&self) -> &Order {
        &self.group.order
    }

    /// The identity.
    #[must_use]
    pub fn identity(&self) -> Automorphism {
        Automorphism::identity(PartPlaces::new(&self.group.structure))
    }

    /// The element that led to the last representative.
    #[must_use]
    pub fn found(&self, scratch: &StructuralScratch) -> Automorphism {
        let mut word = &scratch.word[..];
        let all = |found: Automorphism, next: &Automorphism| found.then(next);
        match &self.way {
            StructuralWay::ByFactors => {
                let structure = &self.group.structure;
                let methods = self.group.methods.iter();
                let each = methods.map(|method| method.led(structure, &mut word));
                each.fold(self.identity(), |found, next| found.then(&next))
            }
            StructuralWay::Chains(chains) => {
                let structure = &self.group.structure;
                let each = chains.iter().map(|chain| chain.led(structure, &mut word));
                each.fold(self.identity(), |found, next| found.then(&next))
            }
            StructuralWay::Whole(whole) => {
                let found = word.iter().map(|at| &whole.elements[usize::from(*at)]);
                found.fold(self.identity(), all)
            }
            StructuralWay::Climb(local) => {
                let steps = word.iter().map(|at| &local.steps[usize::from(*at)]);
                steps.fold(self.identity(), all)
            }
        }
    }

    /// The image of a component under the element that led to the last representative, which must have been
    /// found without falling back. `None` for methods other than the default.
    #[must_use]
    pub fn component(&self, scratch: &StructuralScratch, component: u16) -> Option<u16> {
        let StructuralWay::ByFactors = self.way else {
            return None;
        };
        let (mut word, mut led) = (&scratch.word[..], component);
        for method in &self.group.methods {
            let (own, rest) = word.split_at(method.word_length());
            led = method.component(own, led);
            word = rest;
        }
        Some(led)
    }

    /// Generators of the stabiliser of a state and its node: complete unless there are very
    /// many, or `is_over` reports a limit.
    #[must_use]
    pub fn fixing(
        &self,
        state: &[LocalId],
        node: u32,
        is_over: &dyn Fn() -> bool,
    ) -> Vec<Automorphism> {
        let (mut points, mut found) = (Vec::new(), Vec::new());
        if self.take(state, node, &mut points) {
            // Factors move disjoint parts, so the stabiliser is the product of those in each factor.
            for method in &self.group.methods {
                let structure = &self.group.structure;
                method.fixing(structure, &points, is_over, &mut found);
            }
        }
        found
    }

    /// Writes the points of a state to `out`, and after them the place of its node where nodes are permuted;
    /// false if a local state has no point.
    fn take(&self, state: &[LocalId], node: u32, out: &mut Vec<u32>) -> bool {
        out.clear();
        for (component, local) in state.iter().enumerate() {
            let Some(point) = self.group.structure.points.point(component, *local) else {
                return false;
            };
            out.push(point);
        }
        if self.group.ties {
            let Some(place) = self.group.structure.node_of.get(&node) else {
                return false;
            };
            out.push(self.group.structure.points.count() as u32 + place);
        }
        true
    }

    /// Replaces `scratch.state` by its representative. Returns the order of its stabiliser, if that is counted and
    /// known, and whether the representative is as the method promises.
    fn find(
        &self,
        scratch: &mut StructuralScratch,
        mut search: ImageSearch<'_>,
    ) -> (Option<Order>, bool) {
        let StructuralScratch {
            state,
            factor,
            word,
            ..
        } = scratch;
        let mut certain = true;
        match &self.way {
            StructuralWay::ByFactors => {
                for method in &self.group.methods {
                    certain &= method.find(state, word, factor, &mut search);
                }
            }
            StructuralWay::Chains(chains) => {
                for chain in chains {
                    certain &= chain.find(state, word, &mut factor.descent, &mut search);
                }
            }
            StructuralWay::Whole(whole) => {
                let (element, times) = whole.find(state, &mut factor.sorted);
                word.push(element);
                search.times(&Order::Small(times));
            }
            StructuralWay::Climb(local) => {
                local.find(state, word, &mut factor.sorted);
                return (None, true);
            }
        }
        (search.ways.filter(|_| certain), certain)
    }
}

impl Strategy for StructuralGroup {
    fn name(&self) -> &'static str {
        self.kind().name()
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
            // The group does not act on this state: it is its own representative.
            out.locals.extend_from_slice(context.state);
            scratch.node = context.node;
            out.stabiliser = None;
            out.fell_back = true;
            return Ok(());
        }
        let search = ImageSearch {
            ways: out.counting.then_some(Order::ONE),
            is_over: &|| context.locals.is_interrupted(),
        };
        let (stabiliser, certain) = self.find(scratch, search);
        let points = self.group.structure.points.count() as u32;
        scratch.node = context.node;
        let components = self.group.structure.points.components();
        for (place, point) in scratch.state.iter().enumerate() {
            match place < components {
                true => out.locals.push(self.group.structure.points.local(*point)),
                false => scratch.node = self.group.structure.nodes[(*point - points) as usize].id,
            }
        }
        out.fell_back = !certain;
        out.stabiliser = stabiliser;
        Ok(())
    }

    fn instead(&self) -> &'static str {
        self.kind().instead()
    }

    fn tells_uniqueness(&self) -> bool {
        self.kind() != StructuralKind::Local
    }

    fn lets_steps_sleep(&self) -> bool {
        self.kind() == StructuralKind::Structure
    }

    fn structure(&self) -> Option<&StructuralGroup> {
        Some(self)
    }
}
