//! Limits and cancellation. There are no threads here: whoever starts one polls a [`Cancel`].

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// A flag that asks long work to stop. Clones share it.
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// Asks for a stop.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }
    /// Whether a stop was asked for.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Bounds on long work.
#[derive(Clone, Debug)]
pub struct Limits {
    /// States stored by a check.
    pub states_max: usize,
    /// Bytes held by a check.
    pub memory_max: usize,
    /// When a check must end.
    pub deadline: Option<Instant>,
    /// Elements of one enumerated set or sequence.
    pub elements_max: usize,
    /// Nesting of evaluation (calls within calls).
    pub depth_max: usize,
    /// Bytes of the values of one evaluation, roughly.
    pub values_max: usize,
    /// Local states of one component.
    pub local_states_max: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            states_max: u32::MAX as usize,
            memory_max: usize::MAX,
            deadline: None,
            elements_max: 5_000_000,
            depth_max: 250_000,
            values_max: 2 << 30,
            local_states_max: 500_000,
        }
    }
}

impl Limits {
    /// The same limits, ending at most `time` from now.
    #[must_use]
    pub fn with_timeout(mut self, time: Duration) -> Self {
        self.deadline = Instant::now().checked_add(time);
        self
    }
}
