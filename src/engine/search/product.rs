//! The product automaton (Def. 6), reduced by a strategy or not (Def. 17).

use std::sync::atomic::AtomicBool;

use serde::{Deserialize, Serialize};

use super::figures::StepCounts;
use super::keeping::{Keeping, KeepingScratch, Kept};
use super::store::RecordLayout;
use crate::machine::network::{RuleScratch, Successor};
use crate::machine::order::Order;
use crate::machine::pack::Packer;
use crate::machine::{EventId, Format, FormatId, LocalId, Locals, Miss, Network};
use crate::reductions::partial_order::{PartialOrder, PartialOrderScratch};
use crate::reductions::skipping::{SkippedStates, SkippingScratch, StateSkipping};
use crate::reductions::sleep::{Commuting, Sleeping};
use crate::reductions::steps::RawPair;
use crate::reductions::steps::StepTarget;
use crate::specification::{NodeId, SpecMiss, Specification};
use crate::symmetry::context::StateContext;
use crate::symmetry::permutation::whole_order;
use crate::symmetry::strategy::Strategy;
use crate::symmetry::structural::StructuralGroup;
use crate::symmetry::twins::{NearState, Twins};
use crate::value::AtomTypes;

/// A missing table entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProductMiss {
    /// Of the implementation.
    Machine(Miss),
    /// Of the specification.
    Specification(SpecMiss),
    /// States of a new format cannot be packed yet.
    Packer,
    /// None: the caller needs no further successors.
    Enough,
}

impl From<Miss> for ProductMiss {
    fn from(miss: Miss) -> Self {
        Self::Machine(miss)
    }
}

impl From<SpecMiss> for ProductMiss {
    fn from(miss: SpecMiss) -> Self {
        Self::Specification(miss)
    }
}

/// Demands on a state, besides the events that the specification allows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Demands {
    /// A stable state offers all of some acceptance of the specification (F).
    pub acceptances: bool,
    /// A specification that diverges allows everything (FD).
    pub divergent_allows_all: bool,
    /// A stable state offers everything that is possible after the same trace.
    pub determinism: bool,
    /// Every state has a transition.
    pub progress: bool,
    /// For each event of a stable state the specification has a stable state that can perform it, too, and offers
    /// no other events than those (V).
    pub revivals: bool,
    /// The refusal of a stable state is observed before its events, so the specification has to refuse it too, and
    /// continues from states that do (R).
    pub refusal_testing: bool,
}

impl Demands {
    /// Whether the offers of stable states matter, besides single events.
    #[must_use]
    pub fn looks_at_offers(&self) -> bool {
        self.acceptances || self.determinism
    }
}

/// The violation of a demand by a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Violation {
    /// It performs an event that the specification does not allow: the first in order.
    Event(EventId),
    /// It refuses more than the specification does.
    Refusal,
    /// It refuses more, while it can perform this event, than the specification does while it can: the first in order.
    Revival(EventId),
    /// It refuses an event that is possible after the same trace: the first in order.
    Ambiguity(EventId),
    /// It has no transition.
    Deadlock,
}

impl Violation {
    /// Steps of the counterexample beyond the state.
    #[must_use]
    pub fn steps(self) -> usize {
        usize::from(matches!(self, Self::Event(_)))
    }
}

/// The product automaton, read-only, shared by threads.
#[derive(Clone, Copy)]
pub struct Product<'a> {
    /// The symmetric types.
    pub atoms: &'a AtomTypes,
    /// Local states of both sides.
    pub locals: &'a Locals,
    /// The implementation.
    pub network: &'a Network,
    /// Packed states of the implementation.
    pub packer: &'a Packer,
    /// The specification; none for property checks.
    pub specification: Option<&'a Specification>,
    /// Demands on the states.
    pub demands: Demands,
    /// The strategy for representatives; `None` without symmetry reduction.
    pub strategy: Option<&'a dyn Strategy>,
    /// The way to store pairs, if not by representatives.
    pub keeping: Option<&'a dyn Keeping>,
    /// Whether state symmetry leaves out steps ([`super::state_symmetry`]).
    pub state_symmetry: bool,
    /// Partial order reduction, if the search uses it.
    pub partial_order: Option<&'a PartialOrder>,
    /// The independence relation of sleep sets, if the search uses them.
    pub sleeping: Option<Commuting>,
    /// Set where a silent step leads to a state that is not stored although the search is complete ([`super::silent`]).
    pub unmet: &'a AtomicBool,
}

/// A state `(p, q)`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct ProductState {
    /// `p`; zero without a specification.
    pub node: u32,
    /// The format of `q`.
    pub format: u16,
    /// The local states of `q`.
    pub locals: Vec<LocalId>,
}

impl ProductState {
    /// The initial state of a network with the first node.
    #[must_use]
    pub fn initial(network: &Network) -> Self {
        Self {
            node: 0,
            format: 0,
            locals: network.initial().to_vec(),
        }
    }

    /// A borrowed view of the pair.
    #[must_use]
    pub fn raw(&self) -> RawPair<'_> {
        RawPair {
            node: self.node,
            format: FormatId(self.format),
            locals: &self.locals,
        }
    }
}

/// Buffers of one thread.
#[derive(Debug, Default)]
pub struct ProductScratch {
    pub(super) at: ProductState,
    pub(super) rules: RuleScratch,
    /// The last representative, and other buffers of the stored form.
    pub keeping: KeepingScratch,
    pub(super) kept: Kept,
    pub(super) initials: Vec<EventId>,
    pub(super) twins: Twins,
    /// The targets of the steps, if not all of them are followed.
    pub(super) steps: Vec<StepTarget>,
    pub(super) partial_order: PartialOrderScratch,
    pub(super) skipping: SkippingScratch,
    pub(super) sleeping: Sleeping,
}

/// The result of expanding a state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Expansion {
    /// Counts of its transitions.
    pub steps: StepCounts,
    /// Its violation, if it has one.
    pub violation: Option<Violation>,
}

impl Product<'_> {
    /// Appends the bytes of `(p, q)`.
    pub fn pack(&self, node: u32, format: FormatId, locals: &[LocalId], out: &mut Vec<u8>) {
        self.packer.pack(node, format, locals, out);
    }

    /// The layout of records of a store.
    #[must_use]
    pub fn layout(&self) -> RecordLayout {
        let key = self.packer.bytes_max();
        match self.keeping {
            Some(keeping) => keeping.layout(key),
            None => RecordLayout { key, pair: 0 },
        }
    }

    /// Unpacks a state.
    pub fn unpack(&self, bytes: &[u8], out: &mut ProductState) {
        let (node, format) = self.packer.unpack(bytes, &mut out.locals);
        (out.node, out.format) = (node, format.0);
    }

    /// The context of `(p, q)` for a strategy.
    pub(crate) fn context<'c>(
        &'c self,
        node: u32,
        format: FormatId,
        state: &'c [LocalId],
    ) -> StateContext<'c> {
        let side = self.specification;
        StateContext {
            // Without a specification there are no atoms of nodes whose order could matter.
            node,
            spec_atoms_ordered: side.is_none_or(|s| s.is_ordered(NodeId(node))),
            atoms: self.atoms,
            locals: self.locals,
            network: self.network,
            format,
            state,
            spec_atoms: side.map_or(&[], |s| s.atoms(NodeId(node))),
        }
    }

    /// The representative of the bisimilarity class of a node (Def. 3).
    pub(crate) fn class_of(&self, node: u32) -> u32 {
        self.specification
            .map_or(node, |s| s.class_of(NodeId(node)).0)
    }

    /// The number of transitions of a state; zero where the specification diverges, since the search ends there.
    ///
    /// # Errors
    /// A missing table entry.
    pub fn out_degree(
        &self,
        pair: &ProductState,
        scratch: &mut ProductScratch,
    ) -> Result<u32, ProductMiss> {
        if self.is_cut_off(pair.node)? {
            return Ok(0);
        }
        let mut count = 0;
        self.network.successors::<ProductMiss>(
            self.locals,
            FormatId(pair.format),
            &pair.locals,
            &mut scratch.rules,
            |_| {
                count += 1;
                Ok(())
            },
        )?;
        Ok(count)
    }

    /// Whether the search ends at a node: in FD, a divergent specification allows everything.
    pub(crate) fn is_cut_off(&self, node: u32) -> Result<bool, ProductMiss> {
        match self.specification {
            Some(specification) if self.demands.divergent_allows_all => {
                Ok(specification.diverges(NodeId(node))?)
            }
            _ => Ok(false),
        }
    }

    /// The group, if it is a structural one.
    pub(super) fn structure(&self) -> Option<&StructuralGroup> {
        self.strategy.and_then(Strategy::structure)
    }

    /// The order of the group that acts on the states of a format.
    pub(super) fn whole_order(&self, format: &Format) -> Order {
        match self.structure() {
            Some(group) => group.order().clone(),
            None => whole_order(self.atoms, format),
        }
    }

    /// Unpacks a state to be expanded; `near` records its bits.
    #[inline]
    pub(super) fn stand_at(&self, bytes: &[u8], at: &mut ProductState, near: &mut NearState) {
        let bits = near.stand();
        self.packer.bits(bytes, bits);
        let (node, format) = self.packer.unpack_bits(bits, bytes, &mut at.locals);
        (at.node, at.format) = (node, format.0);
    }

    /// Finds twins, if steps of twins are left out. `near` stands at the state, and records its values.
    pub(super) fn find_twins(
        &self,
        at: &ProductState,
        twins: &mut Twins,
        near: &mut NearState,
    ) -> bool {
        let leave_out = self.strategy.is_some_and(Strategy::leaves_out_twins);
        if leave_out {
            let context = self.context(at.node, FormatId(at.format), &at.locals);
            near.look_at(&context);
            twins.find(&context, near);
        }
        leave_out
    }

    /// Records the components in which a step differs from the state given to [`Product::find_twins`], before its
    /// target is packed.
    #[inline]
    pub(super) fn say_how_near(
        &self,
        at: &ProductState,
        successor: &Successor<'_>,
        scratch: &mut KeepingScratch,
    ) {
        // Other stored forms are not packed by difference.
        if self.keeping.is_none() && successor.keeps_form() {
            // Many steps leave participants unchanged, such as one that is asked for a value.
            let differs = |component: &u16| {
                let place = usize::from(*component);
                successor.locals[place] != at.locals[place]
            };
            let moved = successor.movers().filter(differs);
            scratch.representative.near.steps_by(moved);
        }
    }

    /// Leaves the stored form of a pair in `kept`.
    ///
    /// # Errors
    /// A missing table entry.
    #[inline]
    pub(super) fn remember(
        &self,
        pair: RawPair<'_>,
        scratch: &mut KeepingScratch,
        kept: &mut Kept,
        expansion: &mut Expansion,
    ) -> Result<(), ProductMiss> {
        // A format that is newer than the packer.
        if usize::from(pair.format.0) >= self.packer.formats() {
            return Err(ProductMiss::Packer);
        }
        let fell_back = match self.keeping {
            None => self.remember_representative(pair, &mut scratch.representative, kept)?,
            Some(keeping) => keeping.remember(self, pair, scratch, kept)?,
        };
        if self.strategy.is_some() {
            expansion.steps.representatives += 1;
            expansion.steps.fallbacks += u64::from(fell_back);
            expansion.steps.leaves += scratch.representative.leaves as u64;
        }
        Ok(())
    }

    /// Replaces a step by the one to the state that is stored after it, if states are skipped on the way, and notes
    /// the steps there as [`StateSkipping::skip`] does.
    #[inline]
    pub(super) fn skip(
        &self,
        order: &PartialOrder,
        step: &mut StepTarget,
        buffers: (&mut RuleScratch, &mut SkippingScratch),
        note: &mut impl FnMut(&StepTarget),
    ) -> Result<SkippedStates, ProductMiss> {
        if self.is_cut_off(step.node)? {
            return Ok(SkippedStates::default());
        }
        let skipping = StateSkipping {
            order,
            network: self.network,
            locals: self.locals,
        };
        Ok(skipping.skip(step, buffers, note)?)
    }

    /// The steps from a state to the next stored one: the last one leads there. It is the step alone if no state is
    /// skipped.
    pub(super) fn until_stored(&self, first: StepTarget) -> Result<Vec<StepTarget>, ProductMiss> {
        let mut steps = vec![first];
        if let Some(order) = self.partial_order.filter(|order| order.skips_states()) {
            let (mut rules, mut scratch) = (RuleScratch::default(), SkippingScratch::default());
            let mut step = steps[0].clone();
            let mut note = |step: &StepTarget| steps.push(step.clone());
            self.skip(order, &mut step, (&mut rules, &mut scratch), &mut note)?;
        }
        Ok(steps)
    }
}
