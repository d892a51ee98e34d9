//! Ends of the screen from outside: signals, and a terminal that goes away.
//!
//! The loop gets a message and ends in order. Where it does not, because it waits for an answer of the terminal that
//! never comes or for a write that never ends, the program ends without it: an invisible program must not stay.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crossterm::terminal::disable_raw_mode;

use super::Ended;

/// Time that the loop may take to end in order: the threads of the engine and of the checks are given half a second
/// each.
const GRACE: Duration = Duration::from_millis(1400);
/// Interval of checks whether the grace is over, and, should the operating system not wake the thread, whether the
/// terminal exists.
const POLL: Duration = Duration::from_millis(200);
/// By custom, the exit code of a program that a signal ended is this and the signal's number.
const BASE: i32 = 128;
/// The signal HUP, which a lost terminal sends, too.
const HUP: i32 = 1;

/// An event from outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OutsideEvent {
    /// The screen is to end.
    End,
    /// The program was stopped and goes on; how often that happened.
    Continued(usize),
}

/// The shared state of the threads.
#[derive(Debug, Default)]
struct WatchState {
    /// The signal that ends the screen, if one did.
    ending: AtomicI32,
    /// Whether the screen has ended.
    done: AtomicBool,
}

impl WatchState {
    /// Notes why the screen ends; the first reason counts. Gives whether this was the first.
    fn end(&self, signal: i32) -> bool {
        let order = Ordering::SeqCst;
        self.ending
            // Several threads may find a reason at once: exactly one of them tells the loop.
            .compare_exchange(0, signal, order, order)
            .is_ok()
    }

    fn is_done(&self) -> bool {
        self.done.load(Ordering::SeqCst)
    }
}

/// Watches until it is dropped.
#[derive(Debug)]
pub(super) struct Watch {
    state: Arc<WatchState>,
    #[cfg(unix)]
    signals: Option<signal_hook::iterator::Handle>,
}

impl Watch {
    /// Starts the threads that watch; they call `tell`.
    ///
    /// # Errors
    /// If the operating system refuses to start a thread.
    pub(super) fn start(tell: impl Fn(OutsideEvent) + Clone + Send + 'static) -> io::Result<Self> {
        let state = Arc::new(WatchState::default());
        let watch = Self {
            state: Arc::clone(&state),
            #[cfg(unix)]
            signals: unix::signals(&state, tell.clone())?,
        };
        #[cfg(not(unix))]
        let caught = other::signals();
        thread::Builder::new()
            .name("watch".to_owned())
            .spawn(move || {
                // When this thread first saw that the screen is to end.
                let mut since = None;
                while !state.is_done() {
                    #[cfg(unix)]
                    unix::wait(&state, &tell, since.is_some());
                    #[cfg(not(unix))]
                    other::wait(&state, &tell, &caught);
                    let signal = state.ending.load(Ordering::SeqCst);
                    // The loop had its time: it hangs in something that this thread cannot end.
                    if signal != 0 && since.get_or_insert_with(Instant::now).elapsed() > GRACE {
                        leave(signal);
                    }
                }
            })?;
        Ok(watch)
    }

    /// Why the screen ended, given how the loop did. A terminal that is gone fails to be written to;
    /// that is no fault of the program.
    pub(super) fn ended(&self, result: io::Result<()>) -> io::Result<Ended> {
        match (self.state.ending.load(Ordering::SeqCst), result) {
            // The write failed before the loss of the terminal was noticed.
            (0, Err(_)) if is_gone() => Ok(Ended::Signal(HUP)),
            (0, result) => result.map(|()| Ended::Quit),
            (signal, _) => Ok(Ended::Signal(signal)),
        }
    }

    /// Notes that the terminal has nothing more to say.
    pub(super) fn lost(&self) -> impl FnOnce() + Send + 'static {
        let state = Arc::clone(&self.state);
        move || {
            state.end(HUP);
        }
    }
}

/// The end of the screen before its start, if the terminal went away by then.
#[must_use]
pub fn ended_before() -> Option<Ended> {
    was_terminal().then_some(Ended::Signal(HUP))
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.state.done.store(true, Ordering::SeqCst);
        #[cfg(unix)]
        if let Some(signals) = &self.signals {
            // Ends the thread that handles signals.
            signals.close();
        }
    }
}

/// Ends the program by force. The mode of the terminal is restored, which cannot block; nothing is written, since
/// the program may hang in writing.
fn leave(signal: i32) {
    let _ = disable_raw_mode();
    signal_hook::low_level::exit(BASE + signal);
}

#[cfg(unix)]
use unix::was_terminal;
#[cfg(unix)]
pub(super) use unix::{is_cooked, is_gone, stop};

#[cfg(unix)]
mod unix {
    use std::io::IsTerminal;
    use std::sync::atomic::AtomicUsize;

    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    use rustix::fd::BorrowedFd;
    use rustix::process::{Signal, kill_current_process_group};
    use rustix::stdio;
    use rustix::termios::{LocalModes, tcgetattr};
    use signal_hook::consts::{SIGCONT, SIGHUP, SIGINT, SIGQUIT, SIGTERM};
    use signal_hook::iterator::{Handle, Signals};

    use super::{
        Arc, Duration, HUP, Instant, Ordering, OutsideEvent, POLL, WatchState, io, leave, thread,
    };

    /// The number of times that the program was continued after a stop.
    static CONTINUED: AtomicUsize = AtomicUsize::new(0);
    /// Time that the operating system may take to stop the program.
    const STOPS: Duration = Duration::from_millis(300);

    /// Handles signals on a thread of its own. Without handlers, signals have their default effect.
    pub(super) fn signals(
        state: &Arc<WatchState>,
        tell: impl Fn(OutsideEvent) + Send + 'static,
    ) -> io::Result<Option<Handle>> {
        // Raw mode sends no INT for ctrl-c; one that arrives was sent by another program.
        let Ok(mut signals) = Signals::new([SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGCONT]) else {
            return Ok(None);
        };
        let handle = signals.handle();
        let state = Arc::clone(state);
        let run = move || {
            for signal in signals.forever() {
                if signal == SIGCONT {
                    let count = CONTINUED.fetch_add(1, Ordering::SeqCst) + 1;
                    tell(OutsideEvent::Continued(count));
                } else if state.end(signal) {
                    tell(OutsideEvent::End);
                } else if signal != SIGHUP {
                    // Asked for the second time. HUP comes from the kernel and from the shell.
                    leave(signal);
                }
            }
        };
        thread::Builder::new()
            .name("signals".to_owned())
            .spawn(run)?;
        Ok(Some(handle))
    }

    /// Waits a moment, or until the terminal goes away.
    pub(super) fn wait(state: &WatchState, tell: &impl Fn(OutsideEvent), ends: bool) {
        // The watch is over. A terminal that is gone would make `poll` return at once, again and again.
        if ends || state.ending.load(Ordering::SeqCst) != 0 {
            thread::sleep(POLL);
        } else if hung_up(POLL) && state.end(HUP) {
            tell(OutsideEvent::End);
        }
    }

    /// The source of keys.
    fn terminal() -> BorrowedFd<'static> {
        // Input may be a pipe; then keys come from the terminal itself, which output goes to.
        if io::stdin().is_terminal() || !io::stdout().is_terminal() {
            stdio::stdin()
        } else {
            stdio::stdout()
        }
    }

    fn hung_up(patience: Duration) -> bool {
        let gone = PollFlags::HUP | PollFlags::ERR | PollFlags::NVAL;
        let mut fds = [PollFd::from_borrowed_fd(terminal(), PollFlags::empty())];
        let patience = Timespec::try_from(patience).ok();
        match poll(&mut fds, patience.as_ref()) {
            Ok(0) => false,
            Ok(_) => fds[0].revents().intersects(gone),
            // Interrupted.
            Err(_) => false,
        }
    }

    /// Whether the terminal went away.
    pub(crate) fn is_gone() -> bool {
        hung_up(Duration::ZERO)
    }

    /// Whether standard input or output is a terminal that went away: then every request to it fails, even whether
    /// it is one.
    pub(super) fn was_terminal() -> bool {
        let fails = |fd| tcgetattr(fd).err() == Some(rustix::io::Errno::IO);
        fails(stdio::stdin()) || fails(stdio::stdout())
    }

    /// Whether another program set the mode of the terminal, as a shell does.
    pub(crate) fn is_cooked() -> bool {
        tcgetattr(terminal()).is_ok_and(|t| t.local_modes.contains(LocalModes::ICANON))
    }

    /// Stops the program, and its process group, until the shell continues it. Returns the number of continuations.
    /// Where there is no shell to do so, the operating system does not stop it.
    pub(crate) fn stop() -> usize {
        let before = CONTINUED.load(Ordering::SeqCst);
        // The whole process group, as the terminal itself does: the programs started with this one stop, too.
        if kill_current_process_group(Signal::TSTP).is_err() {
            return before;
        }
        let start = Instant::now();
        loop {
            let now = CONTINUED.load(Ordering::SeqCst);
            // The signal may arrive a little later, so wait until the program has been continued; where it is never
            // stopped, not for ever.
            if now != before || start.elapsed() > STOPS {
                return now;
            }
            thread::sleep(Duration::from_millis(5));
        }
    }
}

#[cfg(not(unix))]
use other::was_terminal;
#[cfg(not(unix))]
pub(super) use other::{is_cooked, is_gone, stop};

#[cfg(not(unix))]
mod other {
    use std::sync::atomic::AtomicUsize;

    use signal_hook::consts::{SIGINT, SIGTERM};
    use signal_hook::flag;

    use super::{Arc, Ordering, OutsideEvent, POLL, WatchState, thread};

    pub(super) fn signals() -> Arc<AtomicUsize> {
        let caught = Arc::new(AtomicUsize::new(0));
        for signal in [SIGINT, SIGTERM] {
            let number = usize::try_from(signal).unwrap_or_default();
            let _ = flag::register_usize(signal, Arc::clone(&caught), number);
        }
        caught
    }

    pub(super) fn wait(state: &WatchState, tell: &impl Fn(OutsideEvent), caught: &AtomicUsize) {
        thread::sleep(POLL);
        let signal = i32::try_from(caught.load(Ordering::SeqCst)).unwrap_or_default();
        if signal != 0 && state.end(signal) {
            tell(OutsideEvent::End);
        }
    }

    pub(crate) fn is_gone() -> bool {
        false
    }

    pub(super) fn was_terminal() -> bool {
        false
    }

    pub(crate) fn is_cooked() -> bool {
        false
    }

    pub(crate) fn stop() -> usize {
        0
    }
}
