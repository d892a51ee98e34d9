//! The terminal: taken, used, and given back on every way out.

use std::io::{self, Stdout, stdout};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use crossterm::event::{DisableMouseCapture, EnableMouseCapture, Event};
use crossterm::terminal::{
    EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode,
};
use crossterm::{cursor, event, execute};
use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;

use super::Options;
use super::app::{App, Effect, Msg};
use super::theme::Theme;
use super::update::update;
use super::view::view;
use crate::animate::checker::{Checker, News};
use crate::animate::model::CheckOutcome;
use crate::animate::saved;
use crate::animate::worker::{Busy, Worker};

/// Shortest time between two frames: 30 a second.
const FRAME: Duration = Duration::from_millis(33);
/// How often time is passed on while something plays.
const TICK: Duration = Duration::from_millis(50);
/// Set in tests to see that a panic gives the terminal back.
const TEST_PANIC: &str = "ORBITSCOPE_TEST_PANIC";

/// Whether the terminal is ours now.
static TAKEN: AtomicBool = AtomicBool::new(false);

/// What reaches the loop.
enum Incoming {
    Terminal(Event),
    Msg(Msg),
    ChecksChanged,
}

/// Holds the terminal; dropping it gives it back.
struct Guard;

impl Guard {
    fn take(mouse: bool) -> io::Result<Self> {
        enable_raw_mode()?;
        TAKEN.store(true, Ordering::SeqCst);
        let guard = Self;
        execute!(stdout(), EnterAlternateScreen, cursor::Hide)?;
        if mouse {
            execute!(stdout(), EnableMouseCapture)?;
        }
        Ok(guard)
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        restore();
    }
}

/// Gives the terminal back, once: leaving the alternate screen twice would move the cursor back over
/// what was printed in between.
fn restore() {
    if !TAKEN.swap(false, Ordering::SeqCst) {
        return;
    }
    // There is nobody to tell if the terminal is gone.
    let _ = execute!(
        stdout(),
        DisableMouseCapture,
        LeaveAlternateScreen,
        cursor::Show
    );
    let _ = disable_raw_mode();
}

/// A panic of this thread gives the terminal back before it prints. Panics of other threads become
/// messages on the screen (see `animate::worker`) and must not print over it.
fn with_panic_hook<T>(work: impl FnOnce() -> T) -> T {
    let screen = thread::current().id();
    let before = Arc::new(std::panic::take_hook());
    let theirs = Arc::clone(&before);
    std::panic::set_hook(Box::new(move |info| {
        if thread::current().id() == screen {
            restore();
            theirs(info);
        }
    }));
    let result = work();
    std::panic::set_hook(Box::new(move |info| before(info)));
    result
}

/// Runs the screen until the person quits.
///
/// # Errors
/// If the terminal cannot be used.
pub fn run(options: Options) -> io::Result<()> {
    with_panic_hook(|| run_guarded(options))
}

fn run_guarded(options: Options) -> io::Result<()> {
    let guard = Guard::take(options.mouse)?;
    let mut terminal = Terminal::new(CrosstermBackend::new(stdout()))?;
    let theme = Theme {
        colour: options.colour,
        ascii: options.ascii,
    };
    let size = crossterm::terminal::size()?;
    let mut app = App::new(&options.path, options.process.clone(), theme, size);
    app.trace.clone_from(&options.trace);
    app.counterexample.clone_from(&options.counterexample);
    app.mouse = options.mouse;
    terminal.draw(|frame| view(&app, frame))?;
    if std::env::var_os(TEST_PANIC).is_some() {
        panic!("{TEST_PANIC} is set");
    }
    let (sender, events) = channel();
    listen(&sender)?;
    let mut outside = Outside::start(options, &sender)?;
    let result = main_loop(&mut app, &mut terminal, &events, &mut outside);
    drop(guard);
    result
}

/// Passes on keys, mouse and signals.
fn listen(sender: &Sender<Incoming>) -> io::Result<()> {
    let to = sender.clone();
    let read = move || {
        while let Ok(event) = event::read() {
            if to.send(Incoming::Terminal(event)).is_err() {
                return;
            }
        }
        // The terminal is gone.
        let _ = to.send(Incoming::Msg(Msg::Terminate));
    };
    thread::Builder::new()
        .name("input".to_string())
        .spawn(read)?;
    let to = sender.clone();
    let terminate = move || {
        let _ = to.send(Incoming::Msg(Msg::Terminate));
    };
    // A handler may be set already, by a program that uses this library; then it is in charge.
    let _ = ctrlc::set_handler(terminate);
    Ok(())
}

/// The engine and the checks.
struct Outside {
    worker: Worker,
    checker: Checker,
}

impl Outside {
    fn start(options: Options, sender: &Sender<Incoming>) -> io::Result<Self> {
        let busy = Busy::default();
        let to = sender.clone();
        let worker = Worker::start(options.engine, busy.clone(), move |answer| {
            let _ = to.send(Incoming::Msg(Msg::Engine(Box::new(answer))));
        })?;
        let to = sender.clone();
        let checker = Checker::start(options.checks, busy, move || {
            let _ = to.send(Incoming::ChecksChanged);
        })?;
        Ok(Self { worker, checker })
    }
}

/// What the loop is to do after an effect.
enum Next {
    Go,
    Clear,
    Say(String),
    Quit,
}

type Screen = Terminal<CrosstermBackend<Stdout>>;

fn main_loop(
    app: &mut App,
    terminal: &mut Screen,
    events: &Receiver<Incoming>,
    outside: &mut Outside,
) -> io::Result<()> {
    let start = Instant::now();
    let mut drawn = Instant::now();
    let mut stale = false;
    loop {
        let patience = match (stale, app.wants_ticks()) {
            (true, _) => FRAME.saturating_sub(drawn.elapsed()),
            (false, true) => TICK,
            (false, false) => Duration::from_secs(3600),
        };
        let first = match events.recv_timeout(patience) {
            Ok(event) => Some(event),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => return Ok(()),
        };
        // Time comes first: double clicks and playing depend on it.
        let now = Msg::Tick(start.elapsed().as_millis() as u64);
        let mut effects = update(app, now);
        stale |= app.wants_ticks();
        for event in first.into_iter().chain(events.try_iter().take(64)) {
            stale = true;
            effects.extend(message(event, outside).map_or_else(Vec::new, |m| update(app, m)));
        }
        for effect in effects {
            match perform(effect, app, outside)? {
                Next::Go => {}
                Next::Clear => terminal.clear()?,
                Next::Say(note) => {
                    stale = true;
                    update(app, Msg::Saved(note));
                }
                Next::Quit => return Ok(()),
            }
        }
        if stale && drawn.elapsed() >= FRAME {
            terminal.draw(|frame| view(app, frame))?;
            drawn = Instant::now();
            stale = false;
        }
    }
}

fn message(event: Incoming, outside: &Outside) -> Option<Msg> {
    match event {
        Incoming::Msg(msg) => Some(msg),
        Incoming::ChecksChanged => {
            let news: News = outside.checker.news();
            Some(Msg::Checks(Box::new(news)))
        }
        Incoming::Terminal(Event::Key(key)) => Some(Msg::Key(key)),
        Incoming::Terminal(Event::Mouse(mouse)) => Some(Msg::Mouse(mouse)),
        Incoming::Terminal(Event::Resize(w, h)) => Some(Msg::Resize(w, h)),
        Incoming::Terminal(_) => None,
    }
}

fn perform(effect: Effect, app: &App, outside: &mut Outside) -> io::Result<Next> {
    match effect {
        Effect::Ask(request) => {
            outside.worker.ask(request);
        }
        Effect::Check(request) => outside.checker.submit(request),
        Effect::CancelChecks => outside.checker.cancel_all(),
        Effect::Save(outcome) => return Ok(Next::Say(save(&app.path, &outcome))),
        Effect::Mouse(true) => execute!(stdout(), EnableMouseCapture)?,
        Effect::Mouse(false) => execute!(stdout(), DisableMouseCapture)?,
        Effect::Redraw => return Ok(Next::Clear),
        Effect::Suspend => {
            suspend(app.mouse)?;
            return Ok(Next::Clear);
        }
        Effect::Quit => return Ok(Next::Quit),
    }
    Ok(Next::Go)
}

/// Saves counterexamples; gives what to say about it.
fn save(script: &str, outcome: &CheckOutcome) -> String {
    let path = saved::unused_name(script, outcome.number);
    let name = path.display();
    match saved::save(&path, [outcome]) {
        Ok(0) => "there is no counterexample".to_string(),
        Ok(1) => format!("the counterexample was saved to {name}"),
        Ok(n) => format!("{n} counterexamples were saved to {name}"),
        Err(error) => format!("nothing was saved: {name} cannot be written: {error}"),
    }
}

/// Gives the terminal back, stops until the shell continues the program, and takes it again.
fn suspend(mouse: bool) -> io::Result<()> {
    restore();
    #[cfg(unix)]
    signal_hook::low_level::emulate_default_handler(signal_hook::consts::SIGTSTP)?;
    std::mem::forget(Guard::take(mouse)?);
    Ok(())
}
