//! Signals that ask the program to end: the first lets it stop and report, the second ends it at once.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::source::Cancel;

/// Which signal came, if one did.
#[derive(Clone, Debug, Default)]
pub struct Signals(Arc<AtomicUsize>);

/// By custom, the exit code of a program that a signal ended is this and the signal's number.
const BASE: usize = 128;

impl Signals {
    /// Lets the signals cancel.
    pub fn cancelling(cancel: &Cancel) -> Self {
        let signals = Self::default();
        // Where no handler can be set, signals end the program as they do any other.
        let _ = signals.register(cancel);
        signals
    }

    #[cfg(unix)]
    fn register(&self, cancel: &Cancel) -> std::io::Result<()> {
        use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
        use signal_hook::flag;
        for signal in [SIGINT, SIGTERM, SIGHUP] {
            let number = usize::try_from(signal).unwrap_or_default();
            // In this order: what the first signal sets is what the second one finds.
            flag::register_conditional_shutdown(signal, BASE as i32 + signal, cancel.flag())?;
            flag::register_usize(signal, Arc::clone(&self.0), number)?;
            flag::register(signal, cancel.flag())?;
        }
        Ok(())
    }

    #[cfg(not(unix))]
    fn register(&self, cancel: &Cancel) -> std::io::Result<()> {
        const INTERRUPT: usize = 2;
        let (caught, cancel) = (Arc::clone(&self.0), cancel.clone());
        let handler = move || {
            caught.store(INTERRUPT, Ordering::SeqCst);
            cancel.cancel();
        };
        ctrlc::set_handler(handler).map_err(std::io::Error::other)
    }

    /// The exit code for the signal that came, if one did.
    pub fn code(&self) -> Option<u8> {
        match self.0.load(Ordering::SeqCst) {
            0 => None,
            signal => u8::try_from(BASE + signal).ok(),
        }
    }
}
