//! A global state with all that a strategy may look at.

use crate::machine::{FormatId, LocalId, Locals, Machine, Miss, Network};
use crate::value::{Atom, AtomTypes};

/// Where a state lives, and what goes with it.
#[derive(Clone, Copy)]
pub struct StateContext<'a> {
    /// The symmetric types that the reduction permutes, with their values.
    pub atoms: &'a AtomTypes,
    /// The table of local states, and of their images as far as they were asked for.
    pub locals: &'a Locals,
    /// The network, verified to be mappable in each of its formats (Def. 29).
    pub network: &'a Network,
    /// The format of the state.
    pub format: FormatId,
    /// Its local states, one a component of the format.
    pub state: &'a [LocalId],
    /// The specification's node; zero without one.
    pub node: u32,
    /// Atoms of the specification's state, in order: they break ties, so that of several
    /// permutations to one representative the same is taken for equivalent pairs (Def. 17 leaves
    /// the choice open).
    pub spec_atoms: &'a [Atom],
    /// Whether the order of `spec_atoms` means something: not if the specification's state holds sets, or
    /// is several states at once.
    pub spec_atoms_ordered: bool,
}

impl<'a> StateContext<'a> {
    /// A state beside which there is no specification.
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
            // No values, so their order is not in doubt, and stabilisers are exact.
            spec_atoms_ordered: true,
        }
    }
}

impl StateContext<'_> {
    /// `π(σ)`, copies in order: what a strategy leaves as representative.
    ///
    /// # Errors
    /// An image that the tables do not hold.
    pub fn image(&self, image: &[Atom], out: &mut Vec<LocalId>) -> Result<(), Miss> {
        let (locals, format) = (self.locals, self.format);
        self.network
            .permute(locals, format, self.state, image, out)?;
        // Exchanging copies commutes with permuting values, so sorting them last makes one state of
        // all exchanges. Whoever compares images relies on that.
        self.network.format(format).copies().settle(out);
        Ok(())
    }
}
