//! The product automaton (Def. 6), reduced by a strategy or not (Def. 17).

use super::specification::{NodeId, SpecMiss, Specification};
use crate::machine::network::Scratch;
use crate::machine::pack::Packer;
use crate::machine::{EventId, FormatId, LocalId, Locals, Miss, Network};
use crate::symmetry::Representative;
use crate::symmetry::strategy::{Context, Strategy};
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
    /// How representatives are chosen; none without reduction.
    pub strategy: Option<&'a dyn Strategy>,
}

/// A state `(p, q)`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pair {
    /// `p`; zero without a specification.
    pub node: u32,
    /// The format of `q`.
    pub format: u16,
    /// The local states of `q`.
    pub locals: Vec<LocalId>,
}

/// Buffers of one thread.
#[derive(Debug, Default)]
pub struct Worker {
    at: Pair,
    scratch: Scratch,
    /// The last representative computed.
    pub representative: Representative,
    packed: Vec<u8>,
}

/// What expanding a state told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Expansion {
    /// Transitions of `q`.
    pub transitions: u64,
    /// An event of `q` that `p` does not allow: the first in order.
    pub refused: Option<EventId>,
    /// Whether `q` can terminate.
    pub terminates: bool,
}

impl Product<'_> {
    /// Appends the bytes of `(p, q)`.
    pub fn pack(&self, node: u32, format: FormatId, locals: &[LocalId], out: &mut Vec<u8>) {
        out.extend_from_slice(&node.to_le_bytes());
        self.packer.pack(format, locals, out);
    }

    /// Bytes of the longest state.
    #[must_use]
    pub fn bytes_max(&self) -> usize {
        4 + self.packer.bytes_max()
    }

    /// Reads a state back.
    pub fn unpack(&self, bytes: &[u8], out: &mut Pair) {
        out.node = u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
        out.format = self.packer.unpack(&bytes[4..], &mut out.locals).0;
    }

    /// `rep(p, q) = (π(p), rep(q))` (Def. 17); `π` is left in `worker`. Without a strategy, the pair.
    ///
    /// # Errors
    /// What the tables do not hold.
    pub fn representative(
        &self,
        node: u32,
        format: FormatId,
        state: &[LocalId],
        out: &mut Representative,
    ) -> Result<u32, ProductMiss> {
        let Some(strategy) = self.strategy else {
            out.locals.clear();
            out.locals.extend_from_slice(state);
            return Ok(node);
        };
        let extra = self
            .specification
            .map_or(&[][..], |s| s.atoms(NodeId(node)));
        let extra_ordered = self
            .specification
            .is_none_or(|s| s.is_ordered(self.locals, NodeId(node)));
        let context = Context {
            extra_ordered,
            atoms: self.atoms,
            locals: self.locals,
            network: self.network,
            format,
            state,
            extra,
        };
        strategy.representative(&context, out)?;
        match self.specification {
            Some(specification) => Ok(specification
                .permute(self.locals, NodeId(node), &out.image)?
                .0),
            None => Ok(node),
        }
    }

    /// The node after an event of the implementation; `None` if it is not allowed.
    ///
    /// # Errors
    /// What the specification does not hold.
    pub fn follow(&self, node: u32, event: EventId) -> Result<Option<u32>, ProductMiss> {
        match self.specification {
            Some(specification) if event != EventId::TAU => {
                Ok(specification.step(NodeId(node), event)?.map(|n| n.0))
            }
            _ => Ok(Some(node)),
        }
    }

    /// How many transitions a state has.
    ///
    /// # Errors
    /// What the tables do not hold.
    pub fn out_degree(&self, pair: &Pair, worker: &mut Worker) -> Result<u32, ProductMiss> {
        let mut count = 0;
        self.network.successors::<ProductMiss>(
            self.locals,
            FormatId(pair.format),
            &pair.locals,
            &mut worker.scratch,
            |_| {
                count += 1;
                Ok(())
            },
        )?;
        Ok(count)
    }

    /// Calls `emit` for every transition of a packed state: with the packed representative of the
    /// successor, or with none where that is not a state of the automaton (the specification refuses
    /// the event, or it is ✓, after which there are no transitions).
    ///
    /// # Errors
    /// What the tables do not hold; `emit` may have been called by then.
    pub fn expand(
        &self,
        bytes: &[u8],
        worker: &mut Worker,
        mut emit: impl FnMut(EventId, Option<&[u8]>) -> Result<(), ProductMiss>,
    ) -> Result<Expansion, ProductMiss> {
        let Worker {
            at,
            scratch,
            representative,
            packed,
        } = worker;
        self.unpack(bytes, at);
        let mut expansion = Expansion::default();
        let node = at.node;
        self.network.successors(
            self.locals,
            FormatId(at.format),
            &at.locals,
            scratch,
            |successor| {
                expansion.transitions += 1;
                let Some(next) = self.follow(node, successor.event)? else {
                    expansion.refused.get_or_insert(successor.event);
                    return emit(successor.event, None);
                };
                if successor.event == EventId::TICK {
                    expansion.terminates = true;
                    return emit(successor.event, None);
                }
                if successor.format.0 as usize >= self.packer.formats() {
                    return Err(ProductMiss::Packer);
                }
                let next =
                    self.representative(next, successor.format, successor.locals, representative)?;
                packed.clear();
                self.pack(next, successor.format, &representative.locals, packed);
                emit(successor.event, Some(packed))
            },
        )?;
        Ok(expansion)
    }
}
