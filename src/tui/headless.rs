//! The screen without a terminal: lines of commands go in, frames come out. Scripts, recordings and tests
//! drive the program through here.
//!
//! Time is counted, not measured: it passes by lines that say so, with each key that is pressed, and during
//! animations. So the same lines give the same frames, except for the figures that a check measures.

use std::io;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use super::app::{App, Effect, Msg};
use super::files;
use super::keys;
use super::language::{CommandLine, Instruction, run};
use super::outside::{self, Behind, News, Outside};
use super::pictures;
use super::update::update;
use super::{ScreenOptions, ScriptOptions};
use crate::animate::model::Cancel;

/// Duration of a key, in counted milliseconds.
const KEY: u64 = 120;
/// Interval of updates during an animation.
const TICK: u64 = 50;
/// Longest animation within one line.
const PLAYING_MAX: u64 = 3_600_000;
/// Time that a wait for news lasts before the time limit is checked.
const LOOK: Duration = Duration::from_millis(5);

/// The reason why a line did not end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Halt {
    /// The line cannot be run, or an expectation is not met.
    Refused(String),
    /// The line exceeded its time limit.
    Late,
    /// The flag that interrupts was set.
    Interrupted,
}

/// Called with each frame that a person would see, and when that is, in counted milliseconds.
pub type OnFrame<'a> = &'a mut dyn FnMut(&App, u64);

/// The data of the screen with the threads behind it.
pub struct Headless {
    /// The data that would be drawn.
    pub app: App,
    outside: Outside,
    incoming: Receiver<News>,
    /// The clock, in counted milliseconds.
    now: u64,
    /// The time limit of a line.
    patience: Duration,
    interrupt: Cancel,
    quit: bool,
    /// Whether lines may change anything outside of the screen: write files, for instance.
    writes: bool,
}

impl Headless {
    /// A screen of a size on which the script is loading.
    ///
    /// # Errors
    /// If the operating system refuses to start a thread.
    pub fn start(
        script: ScriptOptions,
        options: &ScreenOptions,
        size: (u16, u16),
        patience: Duration,
        interrupt: &Cancel,
    ) -> io::Result<Self> {
        let theme = options.theme_in_use(Some(pictures::BACKGROUND), u16::MAX);
        let mut app = App::new(&script.path, script.process, theme, size);
        app.trace = script.trace;
        app.counterexample = script.counterexample;
        app.mouse = options.mouse;
        app.settings.clone_from(&options.settings);
        app.files.opening = files::opening(script.session.as_ref());
        let behind = Behind {
            engines: script.engines,
            checks: script.checks,
            // The same lines are to give the same frames.
            watches: false,
        };
        Self::around(app, behind, patience, interrupt)
    }

    /// A screen that was made elsewhere.
    ///
    /// # Errors
    /// If the operating system refuses to start a thread.
    pub fn around(
        app: App,
        behind: Behind,
        patience: Duration,
        interrupt: &Cancel,
    ) -> io::Result<Self> {
        let (to, incoming) = channel();
        let outside = Outside::start(behind, move |news| {
            // If the receiver is gone, the screen has ended.
            let _ = to.send(news);
        })?;
        Ok(Self {
            app,
            outside,
            incoming,
            now: 0,
            patience,
            interrupt: interrupt.clone(),
            quit: false,
            writes: false,
        })
    }

    /// Lets lines write files, as if a person had pressed the keys for it.
    #[must_use]
    pub fn writing(mut self, writes: bool) -> Self {
        self.writes = writes;
        self
    }

    /// Whether a line has ended the program.
    #[must_use]
    pub fn has_quit(&self) -> bool {
        self.quit
    }

    /// Waits until nothing is under way.
    ///
    /// # Errors
    /// The errors of [`Headless::line`].
    pub fn settle(&mut self, seen: OnFrame<'_>) -> Result<(), Halt> {
        self.wait(Instant::now() + self.patience, seen)?;
        self.check_failure()
    }

    /// Does a line, and waits until nothing is under way.
    ///
    /// # Errors
    /// The reason why it did not end. Its requests are cancelled then.
    pub fn line(&mut self, line: &CommandLine, seen: OnFrame<'_>) -> Result<(), Halt> {
        if self.quit {
            let why = "the line before has ended the program".to_owned();
            return Err(Halt::Refused(why));
        }
        let until = Instant::now() + self.patience;
        self.app.failed = None;
        match &line.instruction {
            // One after the other, so that each is shown.
            Instruction::Keys(names) => {
                for event in names.iter().filter_map(|name| keys::press(name)) {
                    self.send(Msg::Key(event));
                    self.wait(until, seen)?;
                    self.pass(KEY, seen);
                }
            }
            Instruction::Pause(milliseconds) => self.pass(*milliseconds, seen),
            Instruction::Size(width, height) => self.send(Msg::Resize(*width, *height)),
            _ => {
                let effects = run(&mut self.app, line).map_err(Halt::Refused)?;
                self.carry_out(effects);
            }
        }
        self.wait(until, seen)?;
        seen(&self.app, self.now);
        self.check_failure()
    }

    /// Changes the data from outside, and waits until nothing is under way.
    ///
    /// # Errors
    /// The errors of [`Headless::line`].
    pub fn change(&mut self, work: impl FnOnce(&mut App)) -> Result<(), Halt> {
        work(&mut self.app);
        self.send(Msg::Tick(self.now));
        self.settle(&mut |_, _| {})
    }

    /// The error of a failed request.
    fn check_failure(&mut self) -> Result<(), Halt> {
        match self.app.failed.take() {
            None => Ok(()),
            Some(why) => Err(Halt::Refused(why)),
        }
    }

    fn pass(&mut self, milliseconds: u64, seen: OnFrame<'_>) {
        seen(&self.app, self.now);
        self.now += milliseconds;
        let now = self.now;
        self.send(Msg::Tick(now));
        seen(&self.app, self.now);
    }

    fn send(&mut self, msg: Msg) {
        let effects = update(&mut self.app, msg);
        self.carry_out(effects);
    }

    fn carry_out(&mut self, effects: Vec<Effect>) {
        for effect in effects {
            // Without a terminal nothing can be copied, which is reported below.
            let copies = matches!(effect, Effect::Copy(..));
            if let Some(what) = effect.outward().filter(|_| !self.writes && !copies) {
                let why = format!("a script may {what} only with --allow-writes");
                self.app.failed = Some(why);
                continue;
            }
            match self.outside.carry_out(effect) {
                Some(Effect::Quit) => self.quit = true,
                Some(effect) => {
                    if let Ok(Some(message)) = outside::on_files(&self.app, effect) {
                        self.send(message);
                    }
                    // These are effects on a terminal: there is none.
                }
                None => {}
            }
        }
    }

    fn receive(&mut self, news: News) {
        if let Some(msg) = self.outside.message(news) {
            self.send(msg);
        }
    }

    /// Waits until nothing is under way and nothing plays.
    fn wait(&mut self, until: Instant, seen: OnFrame<'_>) -> Result<(), Halt> {
        let begun = self.now;
        loop {
            // Read before the news: an answer is sent before the count goes down. So if no thread was busy and there
            // are no news, none are on their way.
            let idle = self.outside.is_idle();
            let mut any = false;
            while let Ok(news) = self.incoming.try_recv() {
                any = true;
                self.receive(news);
            }
            let done = idle && !any && self.outside.is_idle();
            if self.quit || (done && !self.app.wants_ticks()) {
                return Ok(());
            }
            if self.interrupt.is_cancelled() {
                self.outside.cancel_all();
                return Err(Halt::Interrupted);
            }
            if Instant::now() >= until || self.now - begun > PLAYING_MAX {
                self.outside.cancel_all();
                return Err(Halt::Late);
            }
            if done {
                self.pass(TICK, seen);
            } else if let Ok(news) = self.incoming.recv_timeout(LOOK) {
                self.receive(news);
            }
        }
    }
}
