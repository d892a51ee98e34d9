//! Limits of the program's work, from the arguments or from the machine.

use std::time::Instant;

use super::args::CheckArgs;
use super::units::Memory;
use crate::source::{Limits, memory};

/// The default limits: the program must not fill the machine.
pub fn default_limits() -> Limits {
    limits_of_one(1)
}

/// The default limits of one of several processes.
fn limits_of_one(processes: usize) -> Limits {
    let limits = Limits::default();
    match memory::available() {
        // The rest is for other programs.
        Some(bytes) => limits.protecting(bytes / 4 * 3 / processes),
        None => limits,
    }
}

/// The limits of the animator: so that neither a state nor a process that is opened fills the machine,
/// while a check may be running beside it.
pub fn animator_limits() -> Limits {
    let limits = Limits::default();
    match memory::available() {
        Some(bytes) => limits.protecting(bytes / 4),
        None => limits,
    }
}

/// The bounds that the arguments set; time counts from when the program began.
pub fn limits(args: &CheckArgs, begun: Instant) -> Limits {
    let mut limits = match args.memory {
        None => limits_of_one(args.processes.number()),
        Some(Memory::Unlimited) => Limits::default().with_all_memory(),
        Some(Memory::Bytes(bytes)) => Limits::default().with_memory(bytes),
    };
    if let Some(states) = args.max_states {
        limits.states_max = states;
    }
    if let Some(timeout) = args.timeout {
        // A time beyond the range of the clock is no limit.
        limits.deadline = begun.checked_add(timeout);
    }
    if let Some(wanted) = args.counterexamples {
        limits.violations_max = usize::from(wanted);
    }
    limits
}
