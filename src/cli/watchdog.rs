//! A watchdog that ends the program where work does not look at limits and signals for too long.
//!
//! The parser reads a declaration at one go. For one of many megabytes, it takes longer than a person would wait
//! after a signal, and more memory than was allowed; so another thread watches meanwhile.

use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use super::signals::Signals;
use super::{failure, messages};
use crate::source::{Bounds, Cancel, Diagnostic, Limits, Stop, visible_line};

/// Interval of the checks.
const EVERY: Duration = Duration::from_millis(20);
/// Time that the work has to end by itself.
const PATIENCE: Duration = Duration::from_millis(400);
/// Time that it has where memory is short: it takes more meanwhile.
const LESS_PATIENCE: Duration = Duration::from_millis(60);

/// The bounds of the work.
pub struct Watched<'a> {
    /// The limits on time and memory.
    pub limits: &'a Limits,
    /// Set by the first signal.
    pub cancel: &'a Cancel,
    /// Tells which signal that was, for the exit code.
    pub signals: &'a Signals,
    /// The bounds that the work itself observes, which name its phase.
    pub bounds: &'a Bounds,
    /// Says why the program ends, with which exit code.
    pub last_words: &'a (dyn Fn(Diagnostic, u8) + Sync),
}

/// Does something. If a bound is reached and the work does not end, the program does, with a message and
/// the exit code that there would be otherwise.
pub fn watched<R>(by: &Watched<'_>, work: impl FnOnce() -> R) -> R {
    // Nothing is ever sent. When `done` is dropped, the waiting thread knows that the work has ended; that is so
    // after a panic, too.
    let (done, waiting) = channel::<()>();
    // A handle, to be asked at the end: the phase of the work changes all the time.
    let place = by.bounds.place();
    let (limits, cancel, signals) = (by.limits, by.cancel, by.signals);
    let last_words = by.last_words;
    // The new thread watches and the work stays on this one: neither the work nor its result has to
    // be fit for another thread.
    std::thread::scope(|scope| {
        scope.spawn(move || {
            let Some(stop) = overdue(&waiting, limits, cancel) else {
                return;
            };
            let diagnostic = late(stop, &place.get());
            let code = messages::exit_code(std::slice::from_ref(&diagnostic));
            // A signal shows as cancelled work, but the shell is to get the code of the signal.
            let code = signals.code().unwrap_or(code);
            last_words(diagnostic, code);
            failure::finish(code);
            // The whole program ends, in the middle of the work: the work does not look, so nothing gentler would
            // end it.
            std::process::exit(i32::from(code));
        });
        let result = work();
        // Before the scope ends, since that waits for the watching thread.
        drop(done);
        result
    })
}

/// The bound that was reached some time ago; nothing if the work is done.
fn overdue(waiting: &Receiver<()>, limits: &Limits, cancel: &Cancel) -> Option<Stop> {
    let mut since: Option<Instant> = None;
    loop {
        // The other error: the work is done.
        if waiting.recv_timeout(EVERY) != Err(RecvTimeoutError::Timeout) {
            return None;
        }
        let Some(stop) = limits.reached(cancel, 0) else {
            // Memory may be given back. Then patience begins anew when it runs short again.
            since = None;
            continue;
        };
        let patience = match stop {
            Stop::Memory => LESS_PATIENCE,
            _ => PATIENCE,
        };
        if since.get_or_insert_with(Instant::now).elapsed() >= patience {
            return Some(stop);
        }
    }
}

fn late(stop: Stop, place: &str) -> Diagnostic {
    let (code, what) = Bounds::words(stop);
    let message = match place {
        "" => format!("{what} while the script was looked through"),
        place => format!(
            "{what} while the script was read, at {}",
            visible_line(place)
        ),
    };
    Diagnostic::nowhere(code, message)
}
