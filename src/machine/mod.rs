//! Process term to supercombinator: components, rules, formats (Sec. 5, App. C).
//!
//! In: a normalised process term. Out: a network whose global state is a vector of local states, and
//! whose transitions follow from rules. Components, rules and formats are made on demand. Local
//! states are a *shape* and some *atoms* ([`locals`]); each is evaluated once per orbit.
//! Nothing here knows strategies for representatives, assertions or the screen.

mod ahead;
pub mod bisimilar;
pub mod copies;
pub mod digests;
pub mod events;
pub mod format;
pub mod homes;
pub mod locals;
pub mod mappable;
pub mod network;
pub mod order;
pub mod pack;
mod phase;
pub mod priority;
pub mod rules;
pub mod tables;
pub mod turns;

use crate::eval::Evaluator;
use crate::source::diagnostic::Result;
use crate::value::{Atom, AtomTypes};

pub use events::{EventId, Events};
pub use format::{Component, Format, FormatId};
pub use locals::{LocalId, Locals, ShapeId};
pub use network::{Network, Successor};

/// Something that the read-only tables do not hold yet. The search collects these, and
/// [`Machine::resolve`] fills the tables in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Miss {
    /// The image of a local state under a permutation: its shape and its new atoms.
    Image(ShapeId, Box<[Atom]>),
    /// The transitions of a component in a local state, with the rules that they take part in.
    Fire(FormatId, u16, LocalId),
    /// Whether a component that reaches this local state changes the format.
    Change(FormatId, u16, LocalId),
    /// What the network becomes when operators end with a rule.
    Turn(FormatId, u32),
}

/// Everything that the networks of one check or one session share: the evaluator, and the tables of
/// events and local states. The tables are read by many threads while the evaluator rests.
pub struct Machine {
    /// Where new local states and events come from.
    pub eval: Evaluator,
    /// The symmetric types.
    pub atoms: AtomTypes,
    /// Interned events.
    pub events: Events,
    /// Interned local states and their transitions.
    pub locals: Locals,
    /// Whether the symmetric types rest on trust in how the script uses functions such as `seq`
    /// ([`crate::script::symmetric::Trust`]): then components that could use them are refused, since
    /// their transitions do not follow by renaming.
    pub trusting: bool,
    /// Whether copies are looked for ([`copies`]).
    pub exchanging: bool,
    /// Whether a parallel composition stayed inside of a component that a network without permutations
    /// would have taken apart.
    kept_together: bool,
}

impl Machine {
    /// A machine without local states.
    #[must_use]
    pub fn new(mut eval: Evaluator, atoms: AtomTypes) -> Self {
        eval.permute_types(&atoms);
        let locals = Locals::bounded(eval.patience());
        Self {
            eval,
            atoms,
            events: Events::default(),
            locals,
            trusting: false,
            exchanging: true,
            kept_together: false,
        }
    }

    /// Whether networks made so far may have other components than those of an unreduced check: a
    /// parallel composition that permutations move stays inside of a component. Then a state is not one
    /// of the unreduced system with other names, and a step need not be one step there.
    #[must_use]
    pub fn kept_together(&self) -> bool {
        self.kept_together || self.eval.terms().atoms_keep_chase_inside()
    }

    /// Runs something on the tables, filling in what it misses until it succeeds, or until a limit is
    /// reached: the only place where that is done for a network by itself.
    ///
    /// # Errors
    /// As [`Machine::resolve`].
    pub fn complete<R>(
        &mut self,
        network: &mut Network,
        mut attempt: impl FnMut(&Self, &Network) -> std::result::Result<R, Miss>,
    ) -> Result<R> {
        loop {
            match attempt(self, network) {
                Ok(done) => return Ok(done),
                Err(miss) => {
                    self.eval.check_time()?;
                    self.resolve(network, &miss)?;
                }
            }
        }
    }

    /// Fills in what the tables did not hold.
    ///
    /// # Errors
    /// An evaluation error of the component concerned, or a limit.
    pub fn resolve(&mut self, network: &mut Network, miss: &Miss) -> Result<()> {
        match miss {
            Miss::Image(shape, atoms) => {
                self.intern_image(*shape, atoms);
            }
            Miss::Fire(format, component, local) => {
                network.build_fires(self, *format, *component as usize, *local)?;
            }
            Miss::Change(format, component, local) => {
                network.decide_change(self, *format, *component as usize, *local)?;
            }
            Miss::Turn(format, rule) => network.decide_turn(self, *format, *rule)?,
        }
        self.rank_shapes();
        Ok(())
    }
}
