//! What the operators around a process see of it, and what that allows.
//!
//! Most operators make failures and divergences of failures and divergences. Some look closer, and below
//! these fewer compressions may be applied, and fewer operators may be taken apart into components.

use crate::lts::Compression;
use crate::script::core::Builtin;

/// What the operators around a term see of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Sight {
    /// Failures and divergences.
    #[default]
    Failures,
    /// What each state can do (priority): bisimulations compress. What is held back by an event is held
    /// back by τ as well, so a state in which it happens cannot do a τ. One that is weakly bisimilar to
    /// that state, divergence respected, comes by τs to one that cannot either; and that one can do
    /// exactly the same events, so there it happens, too.
    States,
    /// The order of transitions too (`chase`, `deter`): nothing is compressed.
    Order,
}

impl Sight {
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

/// The compression that a function stands for.
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

/// What the script has of functions that look closer or that show less.
#[derive(Debug, Default)]
pub(super) struct Mentioned {
    /// Compressions that are no bisimulations.
    loses_states: bool,
    /// Anything that depends on states, or compresses them.
    looks_at_states: bool,
    /// `chase`, and only where it may be taken as priority among silent steps.
    chases_in_networks: bool,
}

impl Mentioned {
    /// The script mentions a function.
    pub(super) fn note(&mut self, function: Builtin) {
        // `explicate` and its like only explore, which changes nothing.
        let compresses = compression(function) != Compression::Explore;
        self.loses_states |= compresses && Sight::allowed_by(function) < Sight::States;
        let looks = matches!(
            function,
            Builtin::Prioritise
                | Builtin::PrioritiseNoCache
                | Builtin::PrioritisePo
                | Builtin::Deter
        );
        self.looks_at_states |= compresses || looks;
    }

    /// See [`super::Terms::chase_in_networks`].
    pub(super) fn chase_in_networks(&mut self, yes: bool) {
        self.chases_in_networks = yes;
    }

    /// Whether `chase` may stand above components, as far as the script as a whole is concerned.
    pub(super) fn chase_may_be_static(&self) -> bool {
        self.chases_in_networks && !self.looks_at_states
    }

    /// See [`super::Terms::priority_is_static`].
    pub(super) fn priority_is_static(&self) -> bool {
        !self.loses_states
    }
}
