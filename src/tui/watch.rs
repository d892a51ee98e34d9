//! What ends the screen from outside: signals, and a terminal that goes away.
//!
//! The loop is told and ends in order. Where it does not, because it waits for something that the
//! terminal never says or for a write that never ends, the program ends without it: a program that
//! nobody can see must not stay.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crossterm::terminal::disable_raw_mode;

use super::Ended;

/// How long the loop may take to end in order: the threads of the engine and of the checks are given
/// half a second each.
const GRACE: Duration = Duration::from_millis(1400);
/// How often is looked whether the grace is over, and, should the operating system not wake us,
/// whether the terminal is there.
const POLL: Duration = Duration::from_millis(200);
/// By custom, the exit code of a program that a signal ended is this and the signal's number.
const BASE: i32 = 128;
/// The signal HUP, which is also what a lost terminal means.
const HUP: i32 = 1;

/// What came from outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Notice {
    /// The screen is to end.
    End,
    /// The program was stopped and goes on; how often that happened.
    Continued(usize),
}

/// What the threads share.
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
    /// Starts the threads that watch; `tell` is called on them.
    ///
    /// # Errors
    /// If the operating system refuses a thread.
    pub(super) fn start(tell: impl Fn(Notice) + Clone + Send + 'static) -> io::Result<Self> {
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
            // The write failed before anybody noticed that the terminal is gone.
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

/// How the screen ends before it begins, if the terminal went away by then.
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

/// Ends the program although it does not want to. The mode of the terminal is set back, which waits
/// for nobody; nothing is written, since writing may be what the program hangs in.
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
        Arc, Duration, HUP, Instant, Notice, Ordering, POLL, WatchState, io, leave, thread,
    };

    /// How often the program went on after it was stopped.
    static CONTINUED: AtomicUsize = AtomicUsize::new(0);
    /// How long the operating system may take to stop the program.
    const STOPS: Duration = Duration::from_millis(300);

    /// Handles signals on a thread of its own. Without handlers, signals do what they always do.
    pub(super) fn signals(
        state: &Arc<WatchState>,
        tell: impl Fn(Notice) + Send + 'static,
    ) -> io::Result<Option<Handle>> {
        // Raw mode sends no INT for ctrl-c; one that comes was sent by somebody else.
        let Ok(mut signals) = Signals::new([SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGCONT]) else {
            return Ok(None);
        };
        let handle = signals.handle();
        let state = Arc::clone(state);
        let run = move || {
            for signal in signals.forever() {
                if signal == SIGCONT {
                    let count = CONTINUED.fetch_add(1, Ordering::SeqCst) + 1;
                    tell(Notice::Continued(count));
                } else if state.end(signal) {
                    tell(Notice::End);
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
    pub(super) fn wait(state: &WatchState, tell: &impl Fn(Notice), ends: bool) {
        // Nothing to watch for any more. A terminal that is gone would make `poll` return at once,
        // again and again.
        if ends || state.ending.load(Ordering::SeqCst) != 0 {
            thread::sleep(POLL);
        } else if hung_up(POLL) && state.end(HUP) {
            tell(Notice::End);
        }
    }

    /// Where keys come from.
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

    /// Whether standard input or output is a terminal that went away: then all that it is asked fails, even whether it
    /// is one.
    pub(super) fn was_terminal() -> bool {
        let fails = |fd| tcgetattr(fd).err() == Some(rustix::io::Errno::IO);
        fails(stdio::stdin()) || fails(stdio::stdout())
    }

    /// Whether somebody else set the mode of the terminal, as a shell does.
    pub(crate) fn is_cooked() -> bool {
        tcgetattr(terminal()).is_ok_and(|t| t.local_modes.contains(LocalModes::ICANON))
    }

    /// Stops the program, and what runs with it, until the shell continues it; gives how often that
    /// has happened. Where there is no shell to do so, the operating system does not stop it.
    pub(crate) fn stop() -> usize {
        let before = CONTINUED.load(Ordering::SeqCst);
        // The whole group, as the terminal itself does: what the program was started with stops,
        // too.
        if kill_current_process_group(Signal::TSTP).is_err() {
            return before;
        }
        let start = Instant::now();
        loop {
            let now = CONTINUED.load(Ordering::SeqCst);
            // The signal may arrive a little later, so wait until it has been continued; where
            // nobody stops it, not for ever.
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

    use super::{Arc, Notice, Ordering, POLL, WatchState, thread};

    pub(super) fn signals() -> Arc<AtomicUsize> {
        let caught = Arc::new(AtomicUsize::new(0));
        for signal in [SIGINT, SIGTERM] {
            let number = usize::try_from(signal).unwrap_or_default();
            let _ = flag::register_usize(signal, Arc::clone(&caught), number);
        }
        caught
    }

    pub(super) fn wait(state: &WatchState, tell: &impl Fn(Notice), caught: &AtomicUsize) {
        thread::sleep(POLL);
        let signal = i32::try_from(caught.load(Ordering::SeqCst)).unwrap_or_default();
        if signal != 0 && state.end(signal) {
            tell(Notice::End);
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
