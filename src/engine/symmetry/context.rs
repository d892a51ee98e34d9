//! A global state with everything that a strategy may read.

use crate::machine::{FormatId, LocalId, Locals, Machine, Miss, Network};
use crate::value::{Atom, AtomTypes};

/// A state, its network and its specification's node: the input of a strategy.
#[derive(Clone, Copy)]
pub struct StateContext<'a> {
    /// The symmetric types that the reduction permutes, with their values.
    pub atoms: &'a AtomTypes,
    /// The table of local states, and of their images that were computed so far.
    pub locals: &'a Locals,
    /// The network, verified to be mappable in each of its formats (Def. 29).
    pub network: &'a Network,
    /// The format of the state.
    pub format: FormatId,
    /// Its local states, one a component of the format.
    pub state: &'a [LocalId],
    /// The specification's node; zero if there is none.
    pub node: u32,
    /// Atoms of the specification's state, in order: they break ties, so that of several
    /// permutations to one representative the same is taken for equivalent pairs (Def. 17 leaves
    /// the choice open).
    pub spec_atoms: &'a [Atom],
    /// Whether the order of `spec_atoms` is meaningful: not if the specification's state holds sets, or
    /// is a set of states.
    pub spec_atoms_ordered: bool,
}

impl<'a> StateContext<'a> {
    /// A state without a specification.
    #[must_use]
    pub fn alone(
        machine: &'a Machine,
        network: &'a Network,
        format: FormatId,
        state: &'a [LocalId],
    ) -> Self {
        Self {
            atoms: machine.atoms(),
            locals: machine.locals(),
            network,
            format,
            state,
            node: 0,
            spec_atoms: &[],
            // Without values their order is not in doubt, and stabilisers are exact.
            spec_atoms_ordered: true,
        }
    }
}

impl StateContext<'_> {
    /// The image `π(σ)`, copies in order: the form of every representative.
    ///
    /// # Errors
    /// An image that the tables do not hold.
    pub fn image(&self, image: &[Atom], out: &mut Vec<LocalId>) -> Result<(), Miss> {
        let (locals, format) = (self.locals, self.format);
        self.network
            .permute(locals, format, self.state, image, out)?;
        // Exchanging copies commutes with permuting values, so sorting them last makes one state of
        // all exchanges. Comparisons of images rely on that.
        self.network.format(format).copies().settle(out);
        Ok(())
    }
}
