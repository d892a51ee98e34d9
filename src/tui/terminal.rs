//! The terminal: taken, used, and given back on every way out.

use std::io::{self, Stdout, stdout};
use std::ops::ControlFlow;
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
use ratatui::backend::{Backend, ClearType, CrosstermBackend};

use super::app::{App, Effect, Msg};
use super::disk::DiskWatch;
use super::files;
use super::saving::{KnownFile, OpeningSession};
use super::theme::Theme;
use super::update::update;
use super::view::view;
use super::watch::{self, Notice, Watch};
use super::{Ended, ScreenOptions};
use crate::animate::checker::{CheckNews, Checker};
use crate::animate::model::CheckOutcome;
use crate::animate::worker::{Busy, EngineAnswer, EngineFactory, EngineSource, EngineWorker};
use crate::report::saved;

/// Shortest time between two frames: 30 a second.
const FRAME: Duration = Duration::from_millis(33);
/// How often time is passed on while something plays.
const TICK: Duration = Duration::from_millis(50);
/// Set in tests to see that a panic gives the terminal back.
const TEST_PANIC: &str = "ORBITSCOPE_TEST_PANIC";

/// Whether the terminal is ours now.
static TAKEN: AtomicBool = AtomicBool::new(false);

/// What reaches the loop.
enum LoopMessage {
    Terminal(Event),
    Msg(Msg),
    /// Said by the engine with this number.
    Engine(u64, Box<EngineAnswer>),
    ChecksChanged,
    Continued(usize),
}

/// Holds the terminal; dropping it gives it back.
struct TerminalGuard;

impl TerminalGuard {
    fn take(mouse: bool) -> io::Result<Self> {
        enable_raw_mode()?;
        // From here on the guard gives the terminal back, also if one of the next lines fails.
        TAKEN.store(true, Ordering::SeqCst);
        let guard = Self;
        execute!(stdout(), EnterAlternateScreen, cursor::Hide)?;
        if mouse {
            execute!(stdout(), EnableMouseCapture)?;
        }
        Ok(guard)
    }
}

impl Drop for TerminalGuard {
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
    // The mouse is let go whether it was captured or not: a command may have changed that
    // meanwhile.
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
        // The message would be lost on the alternate screen, which goes away with all that was
        // printed there.
        if thread::current().id() == screen {
            restore();
            theirs(info);
        }
    }));
    let result = work();
    // Whoever runs after the screen panics as before.
    std::panic::set_hook(Box::new(move |info| before(info)));
    result
}

/// Runs the screen until the person quits, a signal ends it or the terminal goes away.
///
/// # Errors
/// If the terminal cannot be used.
pub fn run(options: ScreenOptions) -> io::Result<Ended> {
    with_panic_hook(|| run_guarded(options))
}

fn run_guarded(options: ScreenOptions) -> io::Result<Ended> {
    let (sender, events) = channel();
    let to = sender.clone();
    // Before the terminal is taken, so that every way out gives it back.
    let watch = Watch::start(move |notice| {
        let _ = to.send(match notice {
            Notice::End => LoopMessage::Msg(Msg::Terminate),
            Notice::Continued(count) => LoopMessage::Continued(count),
        });
    })?;
    let result = on_the_screen(options, &watch, sender, &events);
    watch.ended(result)
}

fn on_the_screen(
    options: ScreenOptions,
    watch: &Watch,
    sender: Sender<LoopMessage>,
    events: &Receiver<LoopMessage>,
) -> io::Result<()> {
    let guard = TerminalGuard::take(options.mouse)?;
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
    app.files.opening = options.session.as_ref().map(|(session, path)| {
        let file = files::contents(path).map(|hash| KnownFile {
            path: path.clone(),
            hash,
        });
        let session = session.clone();
        Box::new(OpeningSession { session, file })
    });
    // The first frame needs no engine: the person sees that something happens while the script
    // loads.
    terminal.draw(|frame| view(&app, frame))?;
    if std::env::var_os(TEST_PANIC).is_some() {
        panic!("{TEST_PANIC} is set");
    }
    // Only after the size was asked for, and before the engine starts: keys work while it loads.
    listen(&sender, watch.lost())?;
    let mut outside = Outside::start(options, &sender)?;
    // `outside` and the threads have theirs.
    drop(sender);
    let result = main_loop(&mut app, &mut terminal, events, &mut outside);
    // The terminal is given back at once; the threads, which end when `outside` is dropped, may
    // take a while.
    drop(guard);
    result
}

/// Passes on keys and mouse. From here on nobody else may wait for what the terminal says: only one
/// can, and this thread always does.
fn listen(sender: &Sender<LoopMessage>, lost: impl FnOnce() + Send + 'static) -> io::Result<()> {
    let to = sender.clone();
    let read = move || {
        while let Ok(event) = event::read() {
            if to.send(LoopMessage::Terminal(event)).is_err() {
                return;
            }
        }
        // Noted before the loop is told, so that the reason is there when it ends.
        lost();
        let _ = to.send(LoopMessage::Msg(Msg::Terminate));
    };
    thread::Builder::new()
        .name("input".to_string())
        .spawn(read)?;
    Ok(())
}

/// The engine and the checks.
struct Outside {
    worker: EngineWorker,
    checker: Checker,
    disk: DiskWatch,
    /// The engine that loads the script once more, if one does.
    next: Option<EngineWorker>,
    /// Numbers the engines; that of the one that is used. The next one has the number after the last.
    used: u64,
    last: u64,
    engines: EngineSource,
    busy: Busy,
    sender: Sender<LoopMessage>,
}

impl Outside {
    fn start(options: ScreenOptions, sender: &Sender<LoopMessage>) -> io::Result<Self> {
        // One count for both, for whoever waits until nothing is under way.
        let busy = Busy::default();
        let worker = start_engine((options.engines)(), 0, &busy, sender)?;
        let to = sender.clone();
        let checker = Checker::start(options.checks, busy.clone(), move || {
            let _ = to.send(LoopMessage::ChecksChanged);
        })?;
        let to = sender.clone();
        let disk = DiskWatch::start(move |names| {
            to.send(LoopMessage::Msg(Msg::DiskChanged(names))).is_ok()
        });
        Ok(Self {
            worker,
            checker,
            disk,
            next: None,
            used: 0,
            last: 0,
            engines: options.engines,
            busy,
            sender: sender.clone(),
        })
    }

    /// Loads the script once more, beside the engine that is used.
    fn reload(&mut self) -> io::Result<()> {
        self.drop_next();
        self.last += 1;
        let factory = (self.engines)();
        self.next = Some(start_engine(factory, self.last, &self.busy, &self.sender)?);
        Ok(())
    }

    fn drop_next(&mut self) {
        // What it says from now on is said by nobody.
        self.last += 1;
        end_later(self.next.take());
    }

    /// The engine that was loaded last takes the place of the one that is used.
    fn swap(&mut self) {
        if let Some(next) = self.next.take() {
            self.used = self.last;
            end_later(Some(std::mem::replace(&mut self.worker, next)));
        }
    }

    /// What an engine says, for the screen: nothing if it is none of the two.
    fn answered(&self, number: u64, answer: Box<EngineAnswer>) -> Option<Msg> {
        if number == self.used {
            return Some(Msg::Engine(answer));
        }
        let next = self.next.is_some() && number == self.last;
        next.then_some(Msg::Reloading(answer))
    }
}

/// Ends an engine without waiting for it.
fn end_later(worker: Option<EngineWorker>) {
    if let Some(worker) = worker {
        worker.cancel_all();
        // If there is no thread to be had, it ends here.
        let _ = thread::Builder::new().spawn(move || drop(worker));
    }
}

fn start_engine(
    factory: EngineFactory,
    number: u64,
    busy: &Busy,
    sender: &Sender<LoopMessage>,
) -> io::Result<EngineWorker> {
    let to = sender.clone();
    EngineWorker::start(factory, busy.clone(), move |answer| {
        let _ = to.send(LoopMessage::Engine(number, Box::new(answer)));
    })
}

/// What the loop is to do after an effect.
enum Next {
    Go,
    Clear,
    Stop,
    Tell(Msg),
    Quit,
}

type Screen = Terminal<CrosstermBackend<Stdout>>;

/// Clears the screen, so that the next frame is drawn whole. `Terminal::clear` would ask the terminal
/// where its cursor is, and wait for an answer that the thread of the input takes.
fn clear(terminal: &mut Screen) -> io::Result<()> {
    terminal.backend_mut().clear_region(ClearType::All)?;
    // What was drawn last is forgotten.
    terminal.swap_buffers();
    Ok(())
}

fn main_loop(
    app: &mut App,
    terminal: &mut Screen,
    events: &Receiver<LoopMessage>,
    outside: &mut Outside,
) -> io::Result<()> {
    let start = Instant::now();
    let mut screen = ScreenLoop {
        app,
        terminal,
        drawn: Instant::now(),
        stale: false,
        continued: 0,
    };
    loop {
        let first = match events.recv_timeout(screen.patience()) {
            Ok(event) => Some(event),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => return Ok(()),
        };
        // Time comes first: double clicks and playing depend on it.
        let now = Msg::Tick(start.elapsed().as_millis() as u64);
        let mut effects = update(screen.app, now);
        screen.stale |= screen.app.wants_ticks();
        // What waits is taken along, so that many events are drawn once; not all of it, so that a
        // stream of events does not keep the screen from being drawn.
        for event in first.into_iter().chain(events.try_iter().take(64)) {
            effects.extend(screen.receive(event, outside)?);
        }
        for effect in effects {
            if screen.carry_out(effect, outside)?.is_break() {
                return Ok(());
            }
        }
        screen.draw_if_due()?;
    }
}

/// The data, the terminal that shows it, and what the loop remembers from turn to turn.
struct ScreenLoop<'a> {
    app: &'a mut App,
    terminal: &'a mut Screen,
    /// When the last frame was drawn.
    drawn: Instant,
    /// Whether the data may have changed since.
    stale: bool,
    /// How many continuations were seen to.
    continued: usize,
}

impl ScreenLoop<'_> {
    /// How long the loop may wait for an event.
    fn patience(&self) -> Duration {
        match (self.stale, self.app.wants_ticks()) {
            // Until the next frame may be drawn.
            (true, _) => FRAME.saturating_sub(self.drawn.elapsed()),
            (false, true) => TICK,
            // Nothing happens by itself.
            (false, false) => Duration::from_secs(3600),
        }
    }

    fn receive(&mut self, event: LoopMessage, outside: &Outside) -> io::Result<Vec<Effect>> {
        self.stale = true;
        // A smaller count is that of a stop which `carry_out` has seen the end of itself.
        if let LoopMessage::Continued(count) = event
            && count > self.continued
        {
            self.continued = count;
            resume(self.app.mouse)?;
            clear(self.terminal)?;
        }
        Ok(message(event, outside).map_or_else(Vec::new, |m| update(self.app, m)))
    }

    /// Breaks off where the screen is to end.
    fn carry_out(&mut self, effect: Effect, outside: &mut Outside) -> io::Result<ControlFlow<()>> {
        match perform(effect, self.app, outside)? {
            Next::Go => {}
            Next::Clear => clear(self.terminal)?,
            Next::Stop => {
                self.continued = self.continued.max(suspend(self.app.mouse)?);
                clear(self.terminal)?;
                // Its size may be another one.
                let (width, height) = crossterm::terminal::size()?;
                update(self.app, Msg::Resize(width, height));
                self.stale = true;
            }
            Next::Tell(msg) => {
                self.stale = true;
                for effect in update(self.app, msg) {
                    if self.carry_out(effect, outside)?.is_break() {
                        return Ok(ControlFlow::Break(()));
                    }
                }
            }
            Next::Quit => return Ok(ControlFlow::Break(())),
        }
        Ok(ControlFlow::Continue(()))
    }

    fn draw_if_due(&mut self) -> io::Result<()> {
        if self.stale && self.drawn.elapsed() >= FRAME {
            let app = &*self.app;
            self.terminal.draw(|frame| view(app, frame))?;
            self.drawn = Instant::now();
            self.stale = false;
        }
        Ok(())
    }
}

fn message(event: LoopMessage, outside: &Outside) -> Option<Msg> {
    match event {
        LoopMessage::Msg(msg) => Some(msg),
        LoopMessage::Engine(number, answer) => outside.answered(number, answer),
        LoopMessage::Continued(_) => None,
        LoopMessage::ChecksChanged => {
            // Several calls may announce the same news: then all but the first find nothing, which
            // does no harm.
            let news: CheckNews = outside.checker.news();
            Some(Msg::Checks(Box::new(news)))
        }
        LoopMessage::Terminal(Event::Key(key)) => Some(Msg::Key(key)),
        LoopMessage::Terminal(Event::Mouse(mouse)) => Some(Msg::Mouse(mouse)),
        LoopMessage::Terminal(Event::Resize(w, h)) => Some(Msg::Resize(w, h)),
        LoopMessage::Terminal(_) => None,
    }
}

fn perform(effect: Effect, app: &App, outside: &mut Outside) -> io::Result<Next> {
    match effect {
        Effect::Ask(request) => {
            outside.worker.ask(request);
        }
        Effect::CancelRequests => outside.worker.cancel_all(),
        Effect::Check(request) => outside.checker.submit(request),
        Effect::Race(request) => outside.checker.submit_race(request),
        Effect::CancelChecks => outside.checker.cancel_all(),
        Effect::Save(outcome) => return Ok(Next::Tell(Msg::Saved(save(&app.path, &outcome)))),
        Effect::Reload => outside.reload()?,
        Effect::AskNext(request) => {
            if let Some(next) = &mut outside.next {
                next.ask(request);
            }
        }
        Effect::CancelReload => {
            if let Some(next) = &outside.next {
                next.cancel_all();
            }
        }
        Effect::DropNext => outside.drop_next(),
        Effect::SwapEngine => outside.swap(),
        Effect::LookAt(inputs) => outside.disk.look_at(&inputs),
        Effect::WriteSession(writing) => {
            let result = files::write_session(&writing);
            return Ok(Next::Tell(Msg::SessionWritten(result)));
        }
        Effect::Mouse(true) => execute!(stdout(), EnableMouseCapture)?,
        Effect::Mouse(false) => execute!(stdout(), DisableMouseCapture)?,
        Effect::Redraw => return Ok(Next::Clear),
        Effect::Suspend => return Ok(Next::Stop),
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

/// Gives the terminal back, stops until the shell continues the program, and takes it again. Gives
/// how many times the program has gone on, this time included.
fn suspend(mouse: bool) -> io::Result<usize> {
    restore();
    let continued = watch::stop();
    // The guard of `on_the_screen` is still there and gives the terminal back in the end; this one
    // would do so now.
    std::mem::forget(TerminalGuard::take(mouse)?);
    Ok(continued)
}

/// Takes the terminal again after the program was stopped by somebody else. The alternate screen was
/// not left; the mode may have been changed by the shell.
fn resume(mouse: bool) -> io::Result<()> {
    if watch::is_cooked() {
        // Sets the mode from before, which is much like the shell's, and notes that it is not raw.
        disable_raw_mode()?;
        enable_raw_mode()?;
    }
    execute!(stdout(), cursor::Hide)?;
    if mouse {
        execute!(stdout(), EnableMouseCapture)?;
    }
    Ok(())
}
