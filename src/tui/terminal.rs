//! The terminal: taken, used, and given back on every way out.

use std::io::{self, Stdout, Write as _, stdout};
use std::iter;
use std::mem::ManuallyDrop;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use crossterm::event::{
    DisableBracketedPaste, DisableMouseCapture, EnableBracketedPaste, EnableMouseCapture, Event,
};
use crossterm::terminal::{
    EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode,
};
use crossterm::{cursor, event, execute};
use ratatui::Terminal;
use ratatui::backend::{Backend, ClearType, CrosstermBackend};

use super::actions::lesson;
use super::app::{App, Effect, Msg};
use super::background::{self, LateAnswer};
use super::clipboard::{self, Multiplexer};
use super::lessons::lesson::Shelf;
use super::outside::{self, Behind, News};
use super::theme::Theme;
use super::threads::Threads;
use super::update::update;
use super::watch::{self, OutsideEvent, Watch};
use super::welcome::{self, WelcomeQuestion};
use super::{Ended, ScreenOptions, ScreenStart};
use super::{files, kept, registry, screen};

/// The number of columns of the terminal, if there is one.
#[must_use]
pub fn columns() -> Option<usize> {
    let (columns, _) = crossterm::terminal::size().ok()?;
    Some(columns.into())
}

/// Shortest time between two frames: 30 a second.
const FRAME: Duration = Duration::from_millis(33);
/// The shortest time between frames while keys are pressed: a key right after a frame must not wait for long.
const HURRIED_FRAME: Duration = Duration::from_millis(6);
/// Time after a key in which its consequences are expected: an answer comes after the key's own frame.
const HURRY: Duration = Duration::from_millis(300);
/// Events that one frame may have to wait for.
const BURST: usize = 4096;
/// Interval of updates during an animation.
const TICK: Duration = Duration::from_millis(50);
/// Interval of looks at the stage of a check, which sends figures only once it searches.
const WATCH: Duration = Duration::from_millis(100);
/// Time that the end waits for data to be stored.
const REMEMBERING: Duration = Duration::from_millis(500);
/// Set in tests to see that a panic gives the terminal back.
const TEST_PANIC: &str = "ORBITSCOPE_TEST_PANIC";

/// Whether the program has taken over the terminal.
static TAKEN: AtomicBool = AtomicBool::new(false);

/// A message to the loop.
enum LoopMessage {
    Terminal(Event),
    Msg(Msg),
    /// News from the threads behind the script with this number.
    News(u64, News),
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
        execute!(
            stdout(),
            EnterAlternateScreen,
            EnableBracketedPaste,
            cursor::Hide
        )?;
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
    // The mouse is let go also if it was not captured. Errors are dropped: the terminal may be gone.
    let _ = execute!(
        stdout(),
        DisableMouseCapture,
        DisableBracketedPaste,
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
    // Panics after the screen are handled as before.
    std::panic::set_hook(Box::new(move |info| before(info)));
    result
}

/// Runs the screen until the person quits, a signal ends it or the terminal goes away.
///
/// # Errors
/// If the terminal cannot be used.
pub fn run(start: ScreenStart, mut options: ScreenOptions) -> io::Result<Ended> {
    registry::bind(std::mem::take(&mut options.bindings));
    with_panic_hook(|| run_guarded(start, options))
}

fn run_guarded(start: ScreenStart, options: ScreenOptions) -> io::Result<Ended> {
    let (sender, events) = channel();
    let to = sender.clone();
    // Before the terminal is taken, so that every way out gives it back.
    let watch = Watch::start(move |notice| {
        let _ = to.send(match notice {
            OutsideEvent::End => LoopMessage::Msg(Msg::Terminate),
            OutsideEvent::Continued(count) => LoopMessage::Continued(count),
        });
    })?;
    let result = on_the_screen(start, options, &watch, sender, &events);
    watch.ended(result)
}

/// The data at the start, the threads behind the script, and the first effects.
fn begin(
    start: ScreenStart,
    options: &ScreenOptions,
    theme: Theme,
    size: (u16, u16),
) -> (App, Option<Behind>, Vec<Effect>) {
    let with = |mut app: App| {
        app.mouse = options.mouse;
        app.settings.clone_from(&options.settings);
        app
    };
    let script = match start {
        ScreenStart::Script(script) => script,
        ScreenStart::Lesson(start) => {
            let mut app = with(App::new("", None, theme, size));
            let mut first = lesson::enter(&mut app, *start);
            // The views get their part of the screen.
            first.extend(update(&mut app, Msg::Tick(0)));
            return (app, None, first);
        }
        ScreenStart::Welcome(page) => {
            let mut app = with(App::new("", None, theme, size));
            let first = update(&mut app, Msg::Welcome(page));
            return (app, None, first);
        }
    };
    let mut app = with(App::new(&script.path, script.process, theme, size));
    let path = Path::new(&script.path);
    app.files.opening = files::opening(script.session.as_ref());
    app.files.keeper = kept::own(path);
    // A start with another request skips the question.
    if script.session.is_none() && script.trace.is_none() && script.counterexample.is_none() {
        app.files.left = kept::left_behind(path);
    }
    app.trace = script.trace;
    app.counterexample = script.counterexample;
    let opened = WelcomeQuestion::Opened(script.path);
    let behind = Behind {
        engines: script.engines,
        checks: script.checks,
        watches: true,
    };
    (app, Some(behind), vec![Effect::Look(opened)])
}

fn on_the_screen(
    start: ScreenStart,
    options: ScreenOptions,
    watch: &Watch,
    sender: Sender<LoopMessage>,
    events: &Receiver<LoopMessage>,
) -> io::Result<()> {
    let guard = TerminalGuard::take(options.mouse)?;
    let (theme, late) = theme_for(&options);
    // Never dropped: it would show the cursor, as the guard does, and print if that fails, which panics where the
    // terminal is gone.
    let mut terminal = ManuallyDrop::new(Terminal::new(CrosstermBackend::new(stdout()))?);
    let size = crossterm::terminal::size()?;
    let (mut app, behind, first) = begin(start, &options, theme, size);
    // The first frame needs no engine: the person sees that something happens while the script
    // loads.
    terminal.draw(|frame| screen::draw(&app, frame))?;
    if std::env::var_os(TEST_PANIC).is_some() {
        panic!("{TEST_PANIC} is set");
    }
    // After the size was asked for, and before the engine starts: keys work while it loads.
    listen(&sender, late, watch.lost())?;
    let (memory, remembered) = one_after_the_other(sender.clone());
    let found = sender.clone();
    // The remaining sender is for the threads of later scripts. The loop ends by the message that the thread of the
    // input sends last.
    let mut threads = Threads::none(options.workshop, move |number, news| {
        let _ = sender.send(LoopMessage::News(number, news));
    });
    if let Some(behind) = behind {
        threads.start(behind)?;
    }
    let mut rear = Rear {
        threads,
        memory,
        found,
    };
    let result = main_loop(&mut app, &mut terminal, events, &mut rear, first);
    // The terminal is given back at once; the threads, which end when `rear` is dropped, may
    // take a while.
    drop(guard);
    drop(rear);
    // A recently opened script is stored, unless the disk does not answer.
    let _ = remembered.recv_timeout(REMEMBERING);
    result
}

/// The theme for the terminal, which is asked for its background if colours are used. The thread of the input must not run yet.
fn theme_for(options: &ScreenOptions) -> (Theme, LateAnswer) {
    let (background, late) = match options.colour {
        true => background::ask(),
        false => (None, LateAnswer::default()),
    };
    let colours = crossterm::style::available_color_count();
    (options.theme_in_use(background, colours), late)
}

/// The threads behind the screen.
struct Rear {
    /// The threads of the scripts that are open.
    threads: Threads,
    /// The channel for questions about stored data.
    memory: Sender<WelcomeQuestion>,
    /// The channel for answers of the disk.
    found: Sender<LoopMessage>,
}

/// Answers questions in their order: data that are stored are there for the next question. The second channel closes
/// when all are answered and no more will come.
fn one_after_the_other(to: Sender<LoopMessage>) -> (Sender<WelcomeQuestion>, Receiver<()>) {
    let (questions, asked) = channel();
    let (open, closed) = channel();
    outside::in_background(move || {
        let _open: Sender<()> = open;
        for answer in asked.iter().filter_map(welcome::answer) {
            let _ = to.send(LoopMessage::Msg(Msg::Found(Box::new(answer))));
        }
    });
    (questions, closed)
}

impl Rear {
    /// Finds something out on disk, beside the screen.
    fn ask_disk(&self, question: WelcomeQuestion) {
        if question.is_of_memory() {
            // Without a thread that answers nothing is remembered.
            let _ = self.memory.send(question);
            return;
        }
        let to = self.found.clone();
        outside::in_background(move || {
            if let Some(answer) = welcome::answer(question) {
                let _ = to.send(LoopMessage::Msg(Msg::Found(Box::new(answer))));
            }
        });
    }
}

/// Passes on keys and mouse. From here on this thread alone waits for input of the terminal.
fn listen(
    sender: &Sender<LoopMessage>,
    mut late: LateAnswer,
    lost: impl FnOnce() + Send + 'static,
) -> io::Result<()> {
    let to = sender.clone();
    let read = move || {
        // Changes of the size are reported from the first poll on; it may have changed before that.
        let _ = event::poll(Duration::ZERO);
        let size = crossterm::terminal::size().map(|(x, y)| Event::Resize(x, y));
        for event in size.into_iter().chain(iter::from_fn(|| event::read().ok())) {
            if late.has(&event) {
                continue;
            }
            if to.send(LoopMessage::Terminal(event)).is_err() {
                return;
            }
        }
        // Noted before the loop gets the message, so that the reason is there when it ends.
        lost();
        let _ = to.send(LoopMessage::Msg(Msg::Terminate));
    };
    thread::Builder::new()
        .name("input".to_string())
        .spawn(read)?;
    Ok(())
}

/// The next action of the loop after an effect.
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
    // The last frame is forgotten.
    terminal.swap_buffers();
    Ok(())
}

/// Carries messages in and effects out; `first` are the effects from before.
fn main_loop(
    app: &mut App,
    terminal: &mut Screen,
    events: &Receiver<LoopMessage>,
    rear: &mut Rear,
    first: Vec<Effect>,
) -> io::Result<()> {
    let start = Instant::now();
    let mut screen = ScreenLoop {
        app,
        terminal,
        drawn: Instant::now(),
        touched: None,
        stale: false,
        continued: 0,
    };
    if screen.carry_out_all(first, rear)?.is_break() {
        return Ok(());
    }
    loop {
        let first = match events.recv_timeout(screen.patience()) {
            Ok(event) => Some(event),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => return Ok(()),
        };
        // Time comes first: double clicks and playing depend on it.
        let now = Msg::Tick(start.elapsed().as_millis() as u64);
        // The last step of what moves is drawn, too; and a clock moves while nothing else happens.
        screen.stale |= first.is_none() || screen.app.wants_ticks();
        let mut effects = update(screen.app, now);
        if screen.app.watches_work() {
            let reached = Msg::Reached(rear.threads.reached());
            effects.extend(update(screen.app, reached));
        }
        screen.stale |= screen.app.wants_ticks();
        if screen.carry_out_all(effects, rear)?.is_break() {
            return Ok(());
        }
        // Waiting events are taken along and drawn once; not all of an endless stream. The effects of each come before
        // the next: they decide behind which script its news belong.
        for event in first.into_iter().chain(events.try_iter().take(BURST)) {
            let effects = screen.receive(event, rear)?;
            if screen.carry_out_all(effects, rear)?.is_break() {
                return Ok(());
            }
        }
        screen.draw_if_due()?;
    }
}

/// The state of the loop: the data, and the terminal that shows it.
struct ScreenLoop<'a> {
    app: &'a mut App,
    terminal: &'a mut Screen,
    /// When the last frame was drawn.
    drawn: Instant,
    /// When the person did something last.
    touched: Option<Instant>,
    /// Whether the data may have changed since.
    stale: bool,
    /// The number of continuations that were handled.
    continued: usize,
}

impl ScreenLoop<'_> {
    /// Time that the loop may wait for an event.
    fn patience(&self) -> Duration {
        match (self.stale, self.app.wants_ticks()) {
            // Until the next frame may be drawn.
            (true, _) => self.frame().saturating_sub(self.drawn.elapsed()),
            (false, true) => TICK,
            (false, false) if self.app.watches_work() => WATCH,
            (false, false) => {
                let second = self.app.next_second().map(Duration::from_millis);
                second.unwrap_or(Duration::from_secs(3600))
            }
        }
    }

    /// The shortest time between two frames now.
    fn frame(&self) -> Duration {
        match self.touched {
            Some(touched) if touched.elapsed() < HURRY => HURRIED_FRAME,
            _ => FRAME,
        }
    }

    fn receive(&mut self, event: LoopMessage, rear: &Rear) -> io::Result<Vec<Effect>> {
        self.stale = true;
        if matches!(event, LoopMessage::Terminal(_)) {
            self.touched = Some(Instant::now());
        }
        // A smaller count is that of a stop which `carry_out` has seen the end of itself.
        if let LoopMessage::Continued(count) = event
            && count > self.continued
        {
            self.continued = count;
            resume(self.app.mouse)?;
            clear(self.terminal)?;
        }
        let msg = message(event, &rear.threads);
        Ok(msg.map_or_else(Vec::new, |msg| update(self.app, msg)))
    }

    /// Breaks off where the screen is to end.
    fn carry_out(&mut self, effect: Effect, rear: &mut Rear) -> io::Result<ControlFlow<()>> {
        let told = match perform(effect, self.app, rear)? {
            Next::Go => return Ok(ControlFlow::Continue(())),
            Next::Quit => return Ok(ControlFlow::Break(())),
            Next::Clear => {
                clear(self.terminal)?;
                return Ok(ControlFlow::Continue(()));
            }
            Next::Stop => {
                self.continued = self.continued.max(suspend(self.app.mouse)?);
                clear(self.terminal)?;
                // Its size may be another one.
                let (width, height) = crossterm::terminal::size()?;
                Msg::Resize(width, height)
            }
            Next::Tell(msg) => msg,
        };
        self.stale = true;
        let effects = update(self.app, told);
        self.carry_out_all(effects, rear)
    }

    /// Carries out several effects.
    fn carry_out_all(
        &mut self,
        effects: Vec<Effect>,
        rear: &mut Rear,
    ) -> io::Result<ControlFlow<()>> {
        for effect in effects {
            if self.carry_out(effect, rear)?.is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    fn draw_if_due(&mut self) -> io::Result<()> {
        if self.stale && self.drawn.elapsed() >= self.frame() {
            let app = &*self.app;
            self.terminal.draw(|frame| screen::draw(app, frame))?;
            self.drawn = Instant::now();
            self.stale = false;
        }
        Ok(())
    }
}

fn message(event: LoopMessage, threads: &Threads) -> Option<Msg> {
    match event {
        LoopMessage::Msg(msg) => Some(msg),
        // Several calls may announce the same news of checks: then all but the first find nothing, which
        // does no harm.
        LoopMessage::News(number, news) => threads.message(number, news),
        LoopMessage::Continued(_) => None,
        LoopMessage::Terminal(Event::Key(key)) => Some(Msg::Key(key)),
        LoopMessage::Terminal(Event::Paste(text)) => Some(Msg::Paste(text)),
        LoopMessage::Terminal(Event::Mouse(mouse)) => Some(Msg::Mouse(mouse)),
        LoopMessage::Terminal(Event::Resize(w, h)) => Some(Msg::Resize(w, h)),
        LoopMessage::Terminal(_) => None,
    }
}

fn perform(effect: Effect, app: &App, rear: &mut Rear) -> io::Result<Next> {
    let effect = match rear.threads.carry_out(effect) {
        Ok(msg) => return Ok(msg.map_or(Next::Go, Next::Tell)),
        Err(other) => other,
    };
    if let Effect::Copy(what, text) = &effect {
        return Ok(Next::Tell(Msg::Saved(copy(what, text)?)));
    }
    let effect = match outside::on_files(app, effect) {
        Ok(msg) => return Ok(msg.map_or(Next::Go, Next::Tell)),
        Err(other) => other,
    };
    match effect {
        Effect::Look(question) => rear.ask_disk(question),
        Effect::Lessons(wanted) => {
            let shelf = Shelf::filled(app.settings.lessons.as_deref());
            return Ok(Next::Tell(Msg::Lessons(Box::new(shelf), wanted)));
        }
        Effect::Welcome(page) => return Ok(Next::Tell(Msg::Welcome(page))),
        Effect::Mouse(true) => execute!(stdout(), EnableMouseCapture)?,
        Effect::Mouse(false) => execute!(stdout(), DisableMouseCapture)?,
        Effect::Redraw => return Ok(Next::Clear),
        Effect::Suspend => return Ok(Next::Stop),
        Effect::Quit => return Ok(Next::Quit),
        // Those of the engine and of the checks were carried out above.
        _ => {}
    }
    Ok(Next::Go)
}

/// Copies a text to the clipboard. Returns the note on it.
fn copy(what: &str, text: &str) -> io::Result<String> {
    let bytes = text.len();
    if bytes > clipboard::BYTES_MAX {
        return Ok(format!(
            "the {what} has {bytes} bytes, which terminals do not take: y and f write it to a file"
        ));
    }
    let multiplexer = Multiplexer::found();
    let through = match multiplexer {
        Multiplexer::Tmux if clipboard::to_tmux(text) => "through tmux",
        _ => {
            let mut to = stdout();
            to.write_all(&clipboard::sequence(text, multiplexer))?;
            to.flush()?;
            "by OSC 52"
        }
    };
    Ok(format!(
        "the {what} ({bytes} bytes) went to the clipboard {through}; if it is not there, y f writes a file"
    ))
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

/// Takes the terminal again after the program was stopped by a signal. The alternate screen was not left; the mode
/// may have been changed by the shell.
fn resume(mouse: bool) -> io::Result<()> {
    if watch::is_cooked() {
        // Sets the mode from before, which is much like the shell's, and notes that it is not raw.
        disable_raw_mode()?;
        enable_raw_mode()?;
    }
    execute!(stdout(), EnableBracketedPaste, cursor::Hide)?;
    if mouse {
        execute!(stdout(), EnableMouseCapture)?;
    }
    Ok(())
}
