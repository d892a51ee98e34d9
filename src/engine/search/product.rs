//! The product automaton (Def. 6), reduced by a strategy or not (Def. 17).

use std::sync::atomic::AtomicBool;

use super::figures::StepCounts;
use super::keeping::{Keeping, KeepingScratch, Kept};
use super::store::RecordLayout;
use crate::machine::network::{RuleScratch, Successor};
use crate::machine::order::Order;
use crate::machine::pack::Packer;
use crate::machine::{EventId, Format, FormatId, LocalId, Locals, Miss, Network};
use crate::reductions::partial_order::{PartialOrder, PartialOrderScratch};
use crate::reductions::passing::{Passed, Passing, PassingScratch};
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

/// Something that the tables do not hold yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProductMiss {
    /// Of the implementation.
    Machine(Miss),
    /// Of the specification.
    Specification(SpecMiss),
    /// States of a new format cannot be packed yet.
    Packer,
    /// Nothing: whoever takes the successors wants no more of them.
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

/// What a state is held to, besides the events that the specification allows.
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
    /// What a stable state refuses is observed before its events, so the specification has to refuse it, too, and
    /// goes on from states that do (R).
    pub refusal_testing: bool,
}

impl Demands {
    /// Whether what stable states offer is looked at, besides single events.
    #[must_use]
    pub fn looks_at_offers(&self) -> bool {
        self.acceptances || self.determinism
    }
}

/// How a state violates what is demanded of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Violation {
    /// It performs an event that the specification does not allow: the first in order.
    Event(EventId),
    /// It refuses more than the specification does.
    Refusal,
    /// It refuses more, while it can perform this event, than the specification does while it can: the first in
    /// order.
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

/// The automaton, read-only: many threads share it.
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
    /// What states are held to.
    pub demands: Demands,
    /// How representatives are chosen; none without reduction.
    pub strategy: Option<&'a dyn Strategy>,
    /// What is remembered of a pair, if it is not its representative.
    pub keeping: Option<&'a dyn Keeping>,
    /// Whether steps are left out by state symmetry ([`super::state_symmetry`]).
    pub state_symmetry: bool,
    /// Which steps a search may leave out, if it may.
    pub partial_order: Option<&'a PartialOrder>,
    /// Whether steps sleep in a search, and when they are independent.
    pub sleeping: Option<Commuting>,
    /// Set where a silent step leads to what was not stored, although all was searched ([`super::silent`]).
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
    /// The initial state of a network beside the first node.
    #[must_use]
    pub fn initial(network: &Network) -> Self {
        Self {
            node: 0,
            format: 0,
            locals: network.initial().to_vec(),
        }
    }

    /// The same, to be looked at.
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
    /// The last representative computed, and other buffers of what is remembered.
    pub keeping: KeepingScratch,
    pub(super) kept: Kept,
    pub(super) initials: Vec<EventId>,
    pub(super) twins: Twins,
    /// Where the steps lead, if not all of them are to be followed.
    pub(super) steps: Vec<StepTarget>,
    pub(super) partial_order: PartialOrderScratch,
    pub(super) passing: PassingScratch,
    pub(super) sleeping: Sleeping,
}

/// What expanding a state told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Expansion {
    /// Transitions of `q`, and what was done with them.
    pub steps: StepCounts,
    /// What is wrong with it.
    pub violation: Option<Violation>,
}

impl Product<'_> {
    /// Appends the bytes of `(p, q)`.
    pub fn pack(&self, node: u32, format: FormatId, locals: &[LocalId], out: &mut Vec<u8>) {
        self.packer.pack(node, format, locals, out);
    }

    /// How long the records of a store have to be.
    #[must_use]
    pub fn layout(&self) -> RecordLayout {
        let key = self.packer.bytes_max();
        match self.keeping {
            Some(keeping) => keeping.layout(key),
            None => RecordLayout { key, pair: 0 },
        }
    }

    /// Reads a state back.
    pub fn unpack(&self, bytes: &[u8], out: &mut ProductState) {
        let (node, format) = self.packer.unpack(bytes, &mut out.locals);
        (out.node, out.format) = (node, format.0);
    }

    /// What is known of `(p, q)`.
    pub(crate) fn context<'c>(
        &'c self,
        node: u32,
        format: FormatId,
        state: &'c [LocalId],
    ) -> StateContext<'c> {
        let side = self.specification;
        StateContext {
            // Without a specification there are no such atoms, whose order could be in doubt.
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

    /// The node that stands for all that are bisimilar to this one (Def. 3).
    pub(crate) fn class_of(&self, node: u32) -> u32 {
        self.specification
            .map_or(node, |s| s.class_of(NodeId(node)).0)
    }

    /// How many transitions a state has; none where the specification diverges, since the search ends
    /// there.
    ///
    /// # Errors
    /// What the tables do not hold.
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

    /// Whether the search ends at a node: in FD, a specification that diverges allows everything.
    pub(crate) fn is_cut_off(&self, node: u32) -> Result<bool, ProductMiss> {
        match self.specification {
            Some(specification) if self.demands.divergent_allows_all => {
                Ok(specification.diverges(NodeId(node))?)
            }
            _ => Ok(false),
        }
    }

    /// The group, where it is one that was found in the structure of the network.
    pub(super) fn structure(&self) -> Option<&StructuralGroup> {
        self.strategy.and_then(Strategy::structure)
    }

    /// The order of the group that states of a format are permuted by.
    pub(super) fn whole_order(&self, format: &Format) -> Order {
        match self.structure() {
            Some(group) => group.order().clone(),
            None => whole_order(self.atoms, format),
        }
    }

    /// Reads a state back whose steps are to be followed; `near` gets to know its bits.
    #[inline]
    pub(super) fn stand_at(&self, bytes: &[u8], at: &mut ProductState, near: &mut NearState) {
        let bits = near.stand();
        self.packer.bits(bytes, bits);
        let (node, format) = self.packer.unpack_bits((bits, bytes), &mut at.locals);
        (at.node, at.format) = (node, format.0);
    }

    /// Whether what twins do is left out; then they are looked for. `near` stands at the state, and gets to know its
    /// values.
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

    /// Says in which components a step differs from the state that [`Product::find_twins`] was asked about, before what
    /// it leads to is remembered.
    #[inline]
    pub(super) fn say_how_near(
        &self,
        at: &ProductState,
        successor: &Successor<'_>,
        scratch: &mut KeepingScratch,
    ) {
        // What is remembered otherwise is not packed by itself.
        if self.keeping.is_none() && successor.keeps_form() {
            // Many steps leave some of those that take part as they were: who is asked for something, say.
            let differs = |component: &u16| {
                let place = usize::from(*component);
                successor.locals[place] != at.locals[place]
            };
            let moved = successor.movers().filter(differs);
            scratch.representative.near.steps_by(moved);
        }
    }

    /// Leaves in `kept` what is remembered of a pair.
    ///
    /// # Errors
    /// What the tables do not hold.
    #[inline]
    pub(super) fn remember(
        &self,
        pair: RawPair<'_>,
        scratch: &mut KeepingScratch,
        kept: &mut Kept,
        expansion: &mut Expansion,
    ) -> Result<(), ProductMiss> {
        // A format that the network has taken on since the packer was made.
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

    /// Takes a step to the state that is stored after it, where others are passed on the way, and notes the steps there
    /// as [`Passing::pass`] does.
    #[inline]
    pub(super) fn pass(
        &self,
        order: &PartialOrder,
        step: &mut StepTarget,
        buffers: (&mut RuleScratch, &mut PassingScratch),
        note: &mut impl FnMut(&StepTarget),
    ) -> Result<Passed, ProductMiss> {
        if self.is_cut_off(step.node)? {
            return Ok(Passed::default());
        }
        let passing = Passing {
            order,
            network: self.network,
            locals: self.locals,
        };
        Ok(passing.pass(step, buffers, note)?)
    }

    /// A step and those that are taken after it before something is stored: the last one leads there. It is the step
    /// alone where nothing is passed.
    pub(super) fn until_stored(&self, first: StepTarget) -> Result<Vec<StepTarget>, ProductMiss> {
        let mut steps = vec![first];
        if let Some(order) = self.partial_order.filter(|order| order.passes()) {
            let (mut rules, mut scratch) = (RuleScratch::default(), PassingScratch::default());
            let mut step = steps[0].clone();
            let mut note = |step: &StepTarget| steps.push(step.clone());
            self.pass(order, &mut step, (&mut rules, &mut scratch), &mut note)?;
        }
        Ok(steps)
    }
}
