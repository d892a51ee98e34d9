//! Opening of large compressed processes: their parts become components, as if nothing were compressed.
//!
//! A compressed process is equivalent to the original in failures and divergences, or bisimilar to it where
//! more is observed (`crate::process`), so any compression may be left out. Within a network that pays if the
//! compressed process has very many states by itself, of which the network as a whole reaches few.

use super::shared::Machine;
use crate::process::term::Term;
use crate::source::diagnostic::Result;
use crate::source::{Limits, Stop};

/// States explored of a process that may be opened: a couple of seconds. It is given up earlier where it still grows
/// fast (`crate::process::compress`).
const STATES_MAX: usize = 1_000_000;
/// Memory for that, in bytes: a normal form may have very many states, each a set of others.
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

    /// Number of compressed processes whose parts became components instead.
    #[must_use]
    pub fn opened(&self) -> usize {
        self.opened.values().filter(|opens| **opens).count()
    }
}
