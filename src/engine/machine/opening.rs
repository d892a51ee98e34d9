//! Compressed processes that are large: their parts become components, as if nothing were compressed.
//!
//! A compression makes a process that stands for another in failures and divergences, or is bisimilar to it where
//! more is seen (`crate::process`), so any of them may be left out. Within a network that pays where what is
//! compressed has very many states by itself, of which few are met by the network as a whole.

use super::shared::Machine;
use crate::process::term::Term;
use crate::source::diagnostic::Result;
use crate::source::{Limits, Stop};

/// States that are explored of what may be opened: a couple of seconds. It is given up earlier where it still grows fast
/// (`crate::process::compress`).
const STATES_MAX: usize = 1_000_000;
/// Memory that this may take: a normal form may have very many states, each a set of others.
const BYTES_MAX: usize = 512 << 20;

impl Machine {
    /// Whether a compressed parallel composition has more states than are worth exploring.
    ///
    /// # Errors
    /// An evaluation error, or another limit.
    pub(super) fn opens(&mut self, compressed: Term) -> Result<bool> {
        if let Some(known) = self.opened.get(&compressed) {
            return Ok(*known);
        }
        let limits = self.eval.limits().clone();
        self.eval.set_limits(&Limits {
            states_max: limits.states_max.min(STATES_MAX),
            memory_max: limits.memory_max.min(BYTES_MAX),
            ..limits.clone()
        });
        self.eval.compress_on_trial(true);
        let explored = self.eval.step(compressed);
        self.eval.compress_on_trial(false);
        self.eval.set_limits(&limits);
        let opens = match explored {
            Ok(_) => false,
            Err(error) if error.stop() == Some(Stop::States) => true,
            Err(error) => return Err(error),
        };
        self.opened.insert(compressed, opens);
        Ok(opens)
    }

    /// Compressed processes of which the parts became components instead.
    #[must_use]
    pub fn opened(&self) -> usize {
        self.opened.values().filter(|opens| **opens).count()
    }
}
