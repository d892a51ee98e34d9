//! The welcome page as a part of the contents of the terminal.

use crossterm::event::{MouseButton, MouseEvent, MouseEventKind};
use ratatui::layout::Position;

use super::app::{Effect, Msg};
use super::exchange::screen_of;
use super::layout::{self, Tier};
use super::lessons::room::LessonManner;
use super::lessons::shelf;
use super::stage::{ShelfList, Stage, StageEffect};
use super::stakes;
use super::welcome::keys::{self, WelcomeKey};
use super::welcome::paths::ReadyScript;
use super::welcome::{WelcomeAnswer, WelcomeQuestion};

impl Stage {
    /// A key while the page is shown.
    pub(super) fn welcome_key(&mut self, key: &str, msg: Msg) -> Vec<StageEffect> {
        if key == "ctrl-c" {
            return self.own(msg);
        }
        let tiny = layout::tier(self.app.size) == Tier::Tiny;
        let Some(screen) = &mut self.welcome else {
            return Vec::new();
        };
        // An invisible page must not change.
        let done = match (tiny, key) {
            (true, "q") => WelcomeKey::Leave,
            (true, "ctrl-z") => WelcomeKey::ForScreen,
            (true, _) => WelcomeKey::Done,
            (false, key) => keys::key(screen, key),
        };
        self.welcome_done(done, msg)
    }

    /// The mouse while the page is shown.
    pub(super) fn welcome_mouse(&mut self, event: MouseEvent) -> Vec<StageEffect> {
        let size = self.app.size;
        let Some(screen) = &mut self.welcome else {
            return Vec::new();
        };
        if layout::tier(size) == Tier::Tiny {
            return Vec::new();
        }
        let at = Position::new(event.column, event.row);
        let done = match event.kind {
            MouseEventKind::Down(MouseButton::Left) => keys::click(screen, size, at),
            MouseEventKind::ScrollDown => keys::key(screen, "down"),
            MouseEventKind::ScrollUp => keys::key(screen, "up"),
            _ => WelcomeKey::Done,
        };
        self.welcome_done(done, Msg::Mouse(event))
    }

    fn welcome_done(&mut self, done: WelcomeKey, msg: Msg) -> Vec<StageEffect> {
        match done {
            WelcomeKey::Done => Vec::new(),
            WelcomeKey::Ask(question) => vec![StageEffect::Look(question)],
            WelcomeKey::Tour => self.tour(),
            WelcomeKey::Lessons => {
                self.list = Some(ShelfList::default());
                vec![StageEffect::FillShelf]
            }
            WelcomeKey::Open(ready) => self.exchange(ready),
            WelcomeKey::Leave if self.is_open => {
                self.welcome = None;
                Vec::new()
            }
            WelcomeKey::Leave => vec![StageEffect::Own(Effect::Quit)],
            WelcomeKey::ForScreen => {
                // It acts where there is no overlay.
                self.app.overlay = None;
                let effects = self.own(msg);
                let note = std::mem::take(&mut self.app.note);
                if let Some(screen) = &mut self.welcome {
                    screen.said = note;
                }
                effects
            }
        }
    }

    fn tour(&mut self) -> Vec<StageEffect> {
        let found = self.welcome.as_ref().and_then(|w| w.found.as_ref());
        let progress = found.and_then(|found| found.tour.clone());
        match shelf::tour() {
            Ok(tour) => {
                let progress = progress.map(|(progress, _)| progress).unwrap_or_default();
                self.enter(tour, progress, LessonManner::default())
            }
            Err(unread) => self.cannot_enter(&unread.lines().join("; ")),
        }
    }

    /// Handles Enter, which was pressed before the meaning of the text was known.
    fn welcome_entered(&mut self) -> Vec<StageEffect> {
        let Some(screen) = &mut self.welcome else {
            return Vec::new();
        };
        let done = keys::key(screen, "enter");
        self.welcome_done(done, Msg::Tick(self.app.now))
    }

    /// Handles an answer of the disk.
    pub fn answered(&mut self, answer: WelcomeAnswer) -> Vec<StageEffect> {
        let Some(screen) = &mut self.welcome else {
            return Vec::new();
        };
        let typed = screen.typed.clone();
        let Some(ready) = screen.learn(answer) else {
            let enters = !screen.completing && std::mem::take(&mut screen.entering);
            let mut effects = Vec::new();
            if screen.typed != typed {
                // The text was completed, and has new completions.
                effects.push(StageEffect::Look(screen.typed_more()));
            }
            if enters {
                effects.extend(self.welcome_entered());
            }
            return effects;
        };
        let lost = if self.is_open {
            stakes::at_stake(&self.app)
        } else {
            Vec::new()
        };
        if lost.is_empty() {
            return self.exchange(ready);
        }
        screen.question = Some((ready, lost));
        Vec::new()
    }

    /// Another script takes the place of the one that is open.
    fn exchange(&mut self, ready: Box<ReadyScript>) -> Vec<StageEffect> {
        let mut effects = Vec::new();
        // The person has left the walk, so it need not be kept.
        if self.is_open && self.app.files.kept > 0 {
            let keeper = self.app.files.keeper.clone();
            effects.extend(keeper.map(|path| StageEffect::Own(Effect::Forget(path))));
        }
        effects.push(StageEffect::Exchange(ready));
        effects
    }

    /// The script was exchanged: this one is loading now.
    pub fn exchanged(&mut self, ready: ReadyScript) -> Vec<StageEffect> {
        let opened = WelcomeQuestion::Opened(ready.path.clone());
        self.app = screen_of(&self.app, ready);
        self.is_open = true;
        self.welcome = None;
        vec![StageEffect::Look(opened)]
    }

    /// The script could not be exchanged.
    pub fn not_exchanged(&mut self, why: &str) {
        if let Some(screen) = &mut self.welcome {
            screen.wrong = format!("no thread could be started: {why}");
        }
    }
}
