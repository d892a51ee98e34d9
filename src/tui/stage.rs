//! The contents of the terminal: the user's own screen, and over it the list of lessons or a lesson, which has a
//! screen of its own. Messages go to the screen that is meant, and effects name theirs.

use crossterm::event::{MouseButton, MouseEvent, MouseEventKind};
use ratatui::Frame;
use ratatui::layout::Rect;

use super::app::{App, Effect, Msg};
use super::keys;
use super::lessons::keys::LessonKey;
pub use super::lessons::places::KeptLesson;
use super::lessons::places::LessonProgress;
use super::lessons::room::{LessonManner, LessonRoom};
use super::lessons::shelf::{Shelf, ShelvedLesson};
use super::lessons::{draw, list as shelf_list};
use super::update::update;
use super::view::{self, view};
use super::welcome::paths::ReadyScript;
use super::welcome::{self, WelcomePage, WelcomeQuestion, WelcomeScreen};

/// An effect to carry out, with its screen.
#[derive(Debug)]
pub enum StageEffect {
    /// An effect of the user's own screen.
    Own(Effect),
    /// An effect of the screen of the lesson with a serial number.
    OfLesson(u64, Effect),
    /// Start the engine of a lesson; the one before is not needed any more.
    Enter(u64, Box<ShelvedLesson>),
    /// Stop the engine of the lesson.
    Leave,
    /// Find out which lessons there are.
    FillShelf,
    /// Store the progress in a lesson, and publish the place of a presenter.
    Keep(Box<KeptLesson>),
    /// Ask the disk a question; [`Stage::answered`] takes the answer.
    Look(WelcomeQuestion),
    /// Open this script in the place of the one that is open, or of none.
    Exchange(Box<ReadyScript>),
}

/// A lesson that is to be shown from the start.
#[derive(Clone, Debug)]
pub struct LessonStart {
    /// The lesson.
    pub shelved: ShelvedLesson,
    /// The progress.
    pub progress: LessonProgress,
    /// Whether it is presented.
    pub presenting: bool,
}

/// The list of lessons, while it is shown.
#[derive(Debug, Default)]
pub struct ShelfList {
    /// The lessons, once they are known.
    pub shelf: Option<Shelf>,
    /// The selected lesson.
    pub selected: usize,
}

/// The contents of the terminal.
#[derive(Debug)]
pub struct Stage {
    /// The person's own screen.
    pub app: App,
    /// Whether a script is open on it.
    pub is_open: bool,
    /// The welcome page over it.
    pub welcome: Option<Box<WelcomeScreen>>,
    /// The lesson over it.
    pub room: Option<Box<LessonRoom>>,
    /// The list of lessons over it.
    pub list: Option<ShelfList>,
    serial: u64,
    kept: Option<KeptLesson>,
}

impl Stage {
    /// A person's screen with a script, and nothing over it.
    #[must_use]
    pub fn new(app: App) -> Self {
        Self {
            app,
            is_open: true,
            welcome: None,
            room: None,
            list: None,
            serial: 0,
            kept: None,
        }
    }

    /// Creates a stage without a script.
    #[must_use]
    pub fn without_script(app: App) -> Self {
        let mut stage = Self::new(app);
        stage.is_open = false;
        stage
    }

    /// Shows the welcome page.
    pub fn show_welcome(&mut self, page: WelcomePage) -> Vec<StageEffect> {
        let (mut screen, questions) = WelcomeScreen::new(page, self.is_open);
        screen.said = std::mem::take(&mut self.app.settings.notice);
        self.welcome = Some(Box::new(screen));
        questions.into_iter().map(StageEffect::Look).collect()
    }

    /// Shows a lesson, and nothing else.
    pub fn start(&mut self, start: LessonStart) -> Vec<StageEffect> {
        let manner = LessonManner {
            presenting: start.presenting,
            alone: true,
            strict: false,
        };
        self.enter(start.shelved, start.progress, manner)
    }

    pub(super) fn enter(
        &mut self,
        shelved: ShelvedLesson,
        progress: LessonProgress,
        manner: LessonManner,
    ) -> Vec<StageEffect> {
        self.serial += 1;
        self.list = None;
        let theme = self.app.theme;
        let mut room = LessonRoom::new(shelved.clone(), self.serial, theme, progress, manner);
        // A lesson describes the screen, so other settings do not apply there.
        room.inner.settings.motion = self.app.settings.motion;
        self.room = Some(Box::new(room));
        let mut effects = vec![StageEffect::Enter(self.serial, Box::new(shelved))];
        effects.extend(self.after(Vec::new()));
        effects
    }

    /// Whether a screen must be updated as time passes.
    #[must_use]
    pub fn wants_ticks(&self) -> bool {
        match &self.room {
            Some(room) => room.inner.wants_ticks(),
            None => self.is_open && self.app.wants_ticks(),
        }
    }

    /// A message for the person's own screen, or from the terminal.
    pub fn update(&mut self, msg: Msg) -> Vec<StageEffect> {
        match msg {
            Msg::Resize(width, height) => {
                let effects = self.own(Msg::Resize(width, height));
                [effects, self.after(Vec::new())]
                    .into_iter()
                    .flatten()
                    .collect()
            }
            Msg::Tick(now) => {
                let own = self.own(Msg::Tick(now));
                let inner = self.room.as_mut().map(|room| room.receive(Msg::Tick(now)));
                let inner = inner.map_or_else(Vec::new, |effects| self.after(effects));
                own.into_iter().chain(inner).collect()
            }
            Msg::Key(event) if self.room.is_some() || self.list.is_some() => {
                match keys::name(event) {
                    None => Vec::new(),
                    Some(key) if self.room.is_some() => self.lesson_key(&key, Msg::Key(event)),
                    Some(key) => self.list_key(&key, Msg::Key(event)),
                }
            }
            Msg::Mouse(event) if self.room.is_some() => self.lesson_mouse(event),
            Msg::Mouse(event) if self.list.is_some() => self.list_mouse(event),
            Msg::Key(event) if self.welcome.is_some() => {
                let key = keys::name(event);
                key.map_or_else(Vec::new, |key| self.welcome_key(&key, Msg::Key(event)))
            }
            Msg::Mouse(event) if self.welcome.is_some() => self.welcome_mouse(event),
            msg => self.own(msg),
        }
    }

    /// A message for the screen of a lesson.
    pub fn told(&mut self, serial: u64, msg: Msg) -> Vec<StageEffect> {
        let room = self.room.as_mut().filter(|room| room.serial == serial);
        // The lesson was left meanwhile.
        let Some(room) = room else {
            return Vec::new();
        };
        let effects = room.receive(msg);
        self.after(effects)
    }

    /// The lessons that were found.
    pub fn shelved(&mut self, shelf: Shelf) {
        if let Some(list) = &mut self.list {
            list.selected = list.selected.min(shelf.lessons.len().saturating_sub(1));
            list.shelf = Some(shelf);
        }
    }

    /// The model of a lesson is not there: the lesson is left.
    pub fn cannot_enter(&mut self, why: &str) -> Vec<StageEffect> {
        self.room = None;
        self.kept = None;
        let mut effects = Vec::new();
        if !self.is_open && self.welcome.is_none() {
            effects = self.show_welcome(WelcomePage::Main);
        }
        match &mut self.welcome {
            Some(screen) => screen.wrong = format!("the lesson cannot begin: {why}"),
            None => self.app.tell("The lesson cannot begin", why),
        }
        effects
    }

    /// Something to say that came from outside.
    pub fn say(&mut self, note: String) {
        match (&mut self.room, &mut self.welcome) {
            (Some(room), _) => room.said = note,
            (None, Some(screen)) => screen.said = note,
            (None, None) => self.app.note = note,
        }
    }

    pub(super) fn own(&mut self, msg: Msg) -> Vec<StageEffect> {
        let effects = update(&mut self.app, msg);
        let mut done = Vec::new();
        for effect in effects {
            match effect {
                Effect::Lessons => {
                    self.list = Some(ShelfList::default());
                    done.push(StageEffect::FillShelf);
                }
                Effect::Welcome(page) => done.extend(self.show_welcome(page)),
                effect => done.push(StageEffect::Own(effect)),
            }
        }
        done
    }

    /// Handles the effects of the lesson's screen, and stores the lesson's place.
    fn after(&mut self, effects: Vec<Effect>) -> Vec<StageEffect> {
        let Some(room) = &mut self.room else {
            return Vec::new();
        };
        let mut effects = effects;
        effects.extend(room.advance());
        // A line of commands may have changed it.
        room.inner.size = draw::inner_size(room, self.app.size);
        room.scroll = room.scroll.min(draw::scroll_max(room, self.app.size));
        let covers = draw::covers(room, self.app.size);
        if covers != room.covers {
            (room.covers, room.inner.zoom) = (covers, covers);
        }
        let serial = room.serial;
        let of_lesson = |effect: Effect| match effect {
            // Quitting the screen of a lesson leads back to its card; lessons are not nested.
            Effect::Quit | Effect::Lessons | Effect::Welcome(_) => None,
            Effect::Mouse(_) | Effect::Suspend | Effect::Redraw | Effect::Copy(..) => {
                Some(StageEffect::Own(effect))
            }
            effect => Some(StageEffect::OfLesson(serial, effect)),
        };
        let mut done: Vec<_> = effects.into_iter().filter_map(of_lesson).collect();
        done.extend(self.keep(false));
        done
    }

    /// The data to store, if they have changed.
    fn keep(&mut self, left: bool) -> Option<StageEffect> {
        let room = self.room.as_ref()?;
        let kept = KeptLesson {
            id: room.lesson().id.clone(),
            progress: room.progress.clone(),
            cards: room.lesson().cards.len(),
            presenting: room.manner.presenting,
            asking: room.asks(),
            left,
        };
        if self.kept.as_ref() == Some(&kept) {
            return None;
        }
        self.kept = Some(kept.clone());
        Some(StageEffect::Keep(Box::new(kept)))
    }

    fn leave(&mut self) -> Vec<StageEffect> {
        let mut effects: Vec<_> = self.keep(true).into_iter().collect();
        let alone = self.room.take().is_some_and(|room| room.manner.alone);
        self.kept = None;
        effects.push(StageEffect::Leave);
        match alone {
            true => effects.push(StageEffect::Own(Effect::Quit)),
            // The page shows the progress.
            false if self.welcome.is_some() => {
                effects.push(StageEffect::Look(WelcomeQuestion::Everything));
            }
            false => self.app.note = "back from the lesson: nothing here has changed".to_owned(),
        }
        effects
    }

    fn lesson_key(&mut self, key: &str, msg: Msg) -> Vec<StageEffect> {
        if key == "ctrl-c" {
            let kept = self.keep(true);
            return kept.into_iter().chain(self.own(msg)).collect();
        }
        let Some(room) = &mut self.room else {
            return Vec::new();
        };
        let effects = match room.key(key) {
            LessonKey::Done(effects) => effects,
            LessonKey::ForScreen => room.receive(msg),
            LessonKey::Leave => return self.leave(),
        };
        self.after(effects)
    }

    fn lesson_mouse(&mut self, event: MouseEvent) -> Vec<StageEffect> {
        let Some(room) = &mut self.room else {
            return Vec::new();
        };
        let card = draw::card_area(room, self.app.size);
        let inside = card.contains((event.column, event.row).into());
        let effects = match event.kind {
            MouseEventKind::ScrollDown if inside => room.scroll_by(1),
            MouseEventKind::ScrollUp if inside => room.scroll_by(-1),
            MouseEventKind::Down(_) => {
                // A click into the screen directs keys there, too.
                room.in_view = !inside;
                if inside {
                    Vec::new()
                } else {
                    room.receive(Msg::Mouse(event))
                }
            }
            _ if inside => Vec::new(),
            _ => room.receive(Msg::Mouse(event)),
        };
        self.after(effects)
    }

    fn list_key(&mut self, key: &str, msg: Msg) -> Vec<StageEffect> {
        if key == "ctrl-c" {
            return self.own(msg);
        }
        let Some(list) = &mut self.list else {
            return Vec::new();
        };
        let count = list.shelf.as_ref().map_or(0, |shelf| shelf.lessons.len());
        let last = count.saturating_sub(1);
        match key {
            "j" | "down" => list.selected = (list.selected + 1).min(last),
            "k" | "up" => list.selected = list.selected.saturating_sub(1),
            "home" | "g" => list.selected = 0,
            "end" | "G" => list.selected = last,
            "esc" | "q" | "L" => self.list = None,
            "enter" => return self.chosen(),
            _ => {
                if let Some(digit) = keys::digit(key).filter(|d| (1..=count).contains(d)) {
                    list.selected = digit - 1;
                    return self.chosen();
                }
            }
        }
        Vec::new()
    }

    /// A click begins the lesson under it, the wheel chooses.
    fn list_mouse(&mut self, event: MouseEvent) -> Vec<StageEffect> {
        let size = self.app.size;
        let Some(list) = &mut self.list else {
            return Vec::new();
        };
        let count = list.shelf.as_ref().map_or(0, |shelf| shelf.lessons.len());
        match event.kind {
            MouseEventKind::ScrollDown if list.selected + 1 < count => list.selected += 1,
            MouseEventKind::ScrollUp => list.selected = list.selected.saturating_sub(1),
            MouseEventKind::Down(MouseButton::Left) => {
                let area = Rect::new(0, 0, size.0, size.1);
                let at = (event.column, event.row).into();
                let shelf = list.shelf.as_ref();
                if let Some(row) = shelf_list::row_at(shelf, list.selected, area, at) {
                    list.selected = row;
                    return self.chosen();
                }
            }
            _ => {}
        }
        Vec::new()
    }

    fn chosen(&mut self) -> Vec<StageEffect> {
        let Some(ShelfList {
            shelf: Some(shelf),
            selected,
        }) = self.list.take()
        else {
            return Vec::new();
        };
        let Some(shelved) = shelf.lessons.get(selected) else {
            return Vec::new();
        };
        let progress = shelf.progress.get(&shelved.lesson.id).cloned();
        let shelved = shelved.clone();
        self.enter(
            shelved,
            progress.unwrap_or_default(),
            LessonManner::default(),
        )
    }

    /// Draws one frame.
    pub fn draw(&self, frame: &mut Frame) {
        let size = self.app.size;
        if let Some(room) = &self.room {
            draw::draw(room, size, frame);
        } else {
            match &self.welcome {
                Some(screen) => {
                    view::draw_tabs(&self.app, frame);
                    welcome::draw::draw(screen, self.app.theme, size, frame);
                }
                None => view(&self.app, frame),
            }
            if let Some(list) = &self.list {
                let area = Rect::new(0, 0, size.0, size.1);
                let shelf = list.shelf.as_ref();
                shelf_list::draw_list(self.app.theme, shelf, list.selected, area, frame);
            }
        }
        // Last, so that nothing is drawn after it.
        view::harmless(frame, self.app.theme.ascii);
    }
}
