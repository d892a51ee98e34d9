//! Signals that ask the program to end: the first lets it stop and report, the second ends it at once.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use signal_hook::flag;

use crate::source::Cancel;

/// The signal that arrived, if any.
#[derive(Clone, Debug, Default)]
pub struct Signals(Arc<AtomicUsize>);

/// By custom, the exit code of a program that a signal ended is this and the signal's number.
const BASE: i32 = 128;

#[cfg(unix)]
const ENDING: &[i32] = &[
    signal_hook::consts::SIGINT,
    signal_hook::consts::SIGTERM,
    signal_hook::consts::SIGHUP,
];
#[cfg(not(unix))]
const ENDING: &[i32] = &[signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM];

impl Signals {
    /// Lets the signals cancel.
    pub fn cancelling(cancel: &Cancel) -> Self {
        let signals = Self::default();
        // Where no handler can be set, signals end the program as any other.
        let _ = signals.register(cancel);
        signals
    }

    fn register(&self, cancel: &Cancel) -> std::io::Result<()> {
        for &signal in ENDING {
            let number = usize::try_from(signal).unwrap_or_default();
            // In this order: the second signal finds the flag that the first one sets.
            flag::register_conditional_shutdown(signal, BASE + signal, cancel.flag())?;
            flag::register_usize(signal, Arc::clone(&self.0), number)?;
            flag::register(signal, cancel.flag())?;
        }
        Ok(())
    }

    /// The exit code for the signal that came, if one did.
    pub fn code(&self) -> Option<u8> {
        match self.0.load(Ordering::SeqCst) {
            0 => None,
            signal => i32::try_from(signal).ok().map(code),
        }
    }
}

/// The exit code of a program that a signal ended.
pub fn code(signal: i32) -> u8 {
    u8::try_from(BASE + signal).unwrap_or(u8::MAX)
}
