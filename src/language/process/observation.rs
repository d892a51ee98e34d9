//! Observations: what the operators around a process see of it, and which compressions and networks that allows.
//!
//! Most operators make failures and divergences of failures and divergences. Some look closer, and below
//! these fewer compressions may be applied, and fewer operators may be taken apart into components.

use crate::lts::Compression;
use crate::script::core::Builtin;

/// The observation of a term by the operators around it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Observation {
    /// Failures and divergences.
    #[default]
    Failures,
    /// The events of each state (priority): only bisimulations compress. What is held back by an event is held back
    /// by τ as well, so a state in which it happens cannot do a τ. One that is weakly bisimilar to that state,
    /// divergence respected, comes by τs to one that cannot either; and that one can do exactly the same events, so
    /// there it happens, too. Models that see more than failures (revivals, refusal testing) look at processes so,
    /// for the same reason: a stable state and all that is weakly bisimilar to it and stable offer the same events.
    States,
    /// The order of transitions too (`chase`, `deter`): nothing is compressed.
    Order,
}

impl Observation {
    /// The most that may be seen of a process for it to be compressed like this.
    pub(super) fn allowed_by(with: Builtin) -> Self {
        match with {
            Builtin::Sbisim
            | Builtin::Wbisim
            | Builtin::Dbisim
            | Builtin::TauLoopFactor
            | Builtin::Explicate => Self::States,
            _ => Self::Failures,
        }
    }
}

/// The compression of a function.
pub(super) fn compression(with: Builtin) -> Compression {
    match with {
        Builtin::Sbisim => Compression::Strong,
        Builtin::Wbisim => Compression::Weak,
        Builtin::Dbisim => Compression::Delay,
        Builtin::TauLoopFactor => Compression::TauLoops,
        Builtin::Diamond | Builtin::ModelCompress => Compression::Diamond,
        Builtin::Normal => Compression::Normal,
        _ => Compression::Explore,
    }
}

/// The functions in a script that observe more or preserve less, and what follows for operators above the components
/// of a network.
#[derive(Clone, Debug, Default)]
pub struct Mentioned {
    /// Compressions that are no bisimulations.
    loses_states: bool,
    /// Anything that depends on states, or compresses them.
    looks_at_states: bool,
    /// `chase`, and only where it may be taken as priority among silent steps.
    chases_in_networks: bool,
    /// Whether there are types that permutations move.
    has_atoms: bool,
}

impl Mentioned {
    /// The script mentions a function.
    pub fn note(&mut self, function: Builtin) {
        // `explicate` and its like only explore, which changes nothing.
        let compresses = compression(function) != Compression::Explore;
        self.loses_states |= compresses && Observation::allowed_by(function) < Observation::States;
        let looks = matches!(
            function,
            Builtin::Prioritise
                | Builtin::PrioritiseNoCache
                | Builtin::PrioritisePo
                | Builtin::Deter
        );
        self.looks_at_states |= compresses || looks;
    }

    /// Says whether the script chases where nothing compares what is chased
    /// ([`crate::script::reach::chases_in_implementations_alone`]).
    pub fn chase_in_networks(&mut self, yes: bool) {
        self.chases_in_networks = yes;
    }

    pub(super) fn note_atoms(&mut self, yes: bool) {
        self.has_atoms = yes;
    }

    /// Whether `chase` may stand above components: what stands around it must not see its single
    /// steps, and nothing below may be compressed. Which τ comes first among components is another
    /// question than which does in a term, so a script that compares chased processes keeps them
    /// inside of components.
    #[must_use]
    pub fn chase_is_static(&self, how: Builtin) -> bool {
        how != Builtin::Deter && self.chase_may_be_static() && !self.has_atoms
    }

    /// Whether `chase` would stand above components if there were no atoms.
    #[must_use]
    pub fn atoms_keep_chase_inside(&self) -> bool {
        self.chase_may_be_static() && self.has_atoms
    }

    fn chase_may_be_static(&self) -> bool {
        self.chases_in_networks && !self.looks_at_states
    }

    /// Whether priority may stand above components. Not in a script that compresses more than up to
    /// bisimilarity: below priority it must not, and components know nothing of what stands
    /// above them.
    #[must_use]
    pub fn priority_is_static(&self) -> bool {
        !self.loses_states
    }
}
