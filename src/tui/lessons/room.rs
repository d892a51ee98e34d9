//! A lesson while it is taken: which card is shown, what was answered, and a screen of its own with an engine
//! of its own. The person's own animation is another screen, which nothing here can reach.

use std::collections::VecDeque;

use super::bookmark::Bookmark;
use super::format::{CardLine, Lesson, LessonAnswer, LessonCard, LessonQuestion};
use super::places::LessonProgress;
use super::shelf::ShelvedLesson;
use crate::app::{App, Effect, Load, Msg};
use crate::language;
use crate::theme::Theme;
use crate::update::update;

/// How a lesson is taken.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LessonManner {
    /// To a room: without a score, and with the notes on another screen.
    pub presenting: bool,
    /// The program shows nothing but the lesson: who leaves it leaves the program.
    pub alone: bool,
    /// Lines that hold the card to what it says are run, too.
    pub strict: bool,
}

/// What is still to be done on the screen of a lesson.
#[derive(Clone, Debug)]
enum LessonTask {
    /// A card begins: going back leads here.
    Arrive(usize),
    /// A line of commands.
    Do(CardLine),
}

/// What the person wants as soon as the lines of the card are done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LessonWish {
    Next,
    Back,
}

/// A lesson that is taken.
#[derive(Debug)]
pub struct LessonRoom {
    /// The lesson.
    pub shelved: ShelvedLesson,
    /// Tells the engines of different lessons apart.
    pub serial: u64,
    /// The screen of the lesson.
    pub inner: Box<App>,
    /// How it is taken.
    pub manner: LessonManner,
    /// The card that is shown, from 0.
    pub card: usize,
    /// How far the person is.
    pub progress: LessonProgress,
    /// Whether the question of the card is settled, or there is none.
    pub told: bool,
    /// The selected option, from 0.
    pub chosen: usize,
    /// What was typed.
    pub typed: String,
    /// Whether the hint is shown.
    pub hint: bool,
    /// Whether notes are shown.
    pub notes: bool,
    /// Whether nothing is shown.
    pub blank: bool,
    /// Whether keys go to the screen of the lesson.
    pub in_view: bool,
    /// Whether the card covers a part of the screen: then what is left shows the focused pane alone.
    pub covers: bool,
    /// The first line of the card that is shown.
    pub scroll: usize,
    /// A line that could not be done, or a claim that does not hold.
    pub trouble: Vec<(CardLine, String)>,
    /// What happened outside of the lesson and has to be told, until the next key.
    pub said: String,
    /// Whether the last card was left.
    pub finished: bool,
    arrivals: Vec<Option<Bookmark>>,
    tasks: VecDeque<LessonTask>,
    wish: Option<LessonWish>,
    /// The line that was done last.
    latest: Option<CardLine>,
    /// Whether lines of the card are being done: what is asked for meanwhile is the lesson's wish, not the person's.
    by_card: bool,
    /// Where the lines of the card have led.
    resting: Option<Bookmark>,
    /// Whether what plays by itself is shown only where it ends.
    hurried: bool,
}

impl LessonRoom {
    /// A lesson that begins, or goes on where it was left.
    #[must_use]
    pub fn new(
        shelved: ShelvedLesson,
        serial: u64,
        theme: Theme,
        progress: LessonProgress,
        manner: LessonManner,
    ) -> Self {
        let lesson = &shelved.lesson;
        let inner = App::new(&lesson.model, lesson.process.clone(), theme, (80, 24));
        let cards = lesson.cards.len();
        // Who has finished it begins again.
        let card = match progress.done {
            true => 0,
            false => progress.card.min(cards.saturating_sub(1)),
        };
        let mut room = Self {
            hurried: card > 0 || manner.strict,
            inner: Box::new(inner),
            serial,
            manner,
            card,
            told: false,
            chosen: 0,
            typed: String::new(),
            hint: false,
            notes: false,
            blank: false,
            in_view: false,
            covers: false,
            scroll: 0,
            trouble: Vec::new(),
            said: String::new(),
            finished: false,
            arrivals: vec![None; cards],
            tasks: VecDeque::new(),
            wish: None,
            latest: None,
            by_card: false,
            resting: None,
            progress: LessonProgress {
                done: false,
                card,
                answers: match progress.done {
                    true => Vec::new(),
                    false => progress.answers,
                },
            },
            shelved,
        };
        for before in 0..card {
            room.begin(before, true);
        }
        room.show_card(card);
        room
    }

    /// The lesson.
    #[must_use]
    pub fn lesson(&self) -> &Lesson {
        &self.shelved.lesson
    }

    /// The card that is shown.
    #[must_use]
    pub fn shown(&self) -> Option<&LessonCard> {
        self.lesson().cards.get(self.card)
    }

    /// Whether a question waits for its answer.
    #[must_use]
    pub fn asks(&self) -> bool {
        !self.told && !self.finished
    }

    /// Whether the lines of the card are still being done.
    #[must_use]
    pub fn is_busy(&self) -> bool {
        !self.tasks.is_empty() || !is_idle(&self.inner)
    }

    /// Whether the first answer to the card's question was right, if it was given.
    #[must_use]
    pub fn answered(&self) -> Option<bool> {
        let answers = self.progress.answers.iter();
        answers
            .clone()
            .find(|(card, _)| *card == self.card)
            .map(|(_, right)| *right)
    }

    /// Right answers, and all that were given.
    #[must_use]
    pub fn score(&self) -> (usize, usize) {
        let answers = &self.progress.answers;
        (
            answers.iter().filter(|(_, right)| *right).count(),
            answers.len(),
        )
    }

    /// The tasks of a card.
    fn begin(&mut self, card: usize, told: bool) {
        self.tasks.push_back(LessonTask::Arrive(card));
        let Some(found) = self.shelved.lesson.cards.get(card) else {
            return;
        };
        self.tasks
            .extend(found.act.iter().cloned().map(LessonTask::Do));
        if told {
            self.tell(card);
        }
    }

    /// The tasks after the answer.
    fn tell(&mut self, card: usize) {
        // Where the card leads to is known only when these are done.
        self.resting = None;
        let Some(found) = self.shelved.lesson.cards.get(card) else {
            return;
        };
        let press = found.ask.as_ref().and_then(LessonQuestion::press);
        let claims = found.expect.iter().filter(|_| self.manner.strict);
        let lines = found.then.iter().chain(claims).cloned();
        let all = press.into_iter().chain(lines);
        self.tasks.extend(all.map(LessonTask::Do));
    }

    fn show_card(&mut self, card: usize) {
        self.card = card;
        self.progress.card = card;
        let asks = self.shown().is_some_and(|card| card.ask.is_some());
        self.told = !asks || self.answered().is_some();
        self.chosen = 0;
        self.typed.clear();
        self.hint = false;
        self.scroll = 0;
        self.trouble.clear();
        self.in_view = false;
        self.resting = None;
        self.begin(card, self.told);
    }

    /// Goes on to the next card, once the lines of this one are done.
    pub fn go_on(&mut self) -> Vec<Effect> {
        // What plays is not waited for.
        self.hurried = true;
        if !self.told {
            // Passed over: what the answer would have shown is shown all the same.
            self.told = true;
            self.tell(self.card);
        }
        self.wish = Some(LessonWish::Next);
        self.advance()
    }

    /// Goes back to the card before, and to what was on the screen there.
    pub fn back(&mut self) -> Vec<Effect> {
        self.hurried = true;
        self.wish = Some(LessonWish::Back);
        self.advance()
    }

    /// Settles the question by what is chosen or typed.
    pub fn answer(&mut self) -> Vec<Effect> {
        let Some(question) = self.shown().and_then(|card| card.ask.clone()) else {
            return Vec::new();
        };
        let empty = self.typed.trim().is_empty();
        if self.told || (empty && !matches!(question.answer, LessonAnswer::Choice(..))) {
            return Vec::new();
        }
        let right = question.is_right(self.chosen, &self.typed);
        match question.answer {
            // To press a key is no prediction, and nobody is praised for it.
            LessonAnswer::Press(_) => {}
            _ => self.progress.answers.push((self.card, right)),
        }
        self.told = true;
        // Where the card has no room for all, its end says whether that was right.
        self.scroll = usize::MAX;
        self.tell(self.card);
        self.advance()
    }

    /// Gives a message to the screen of the lesson.
    pub fn receive(&mut self, msg: Msg) -> Vec<Effect> {
        let effects = update(&mut self.inner, msg);
        let mut effects = self.allowed(effects);
        effects.extend(self.advance());
        effects
    }

    /// What of these may be done: lines of a card, which anybody may have written, change nothing outside of the
    /// screen. What they would have done is told; the person can press the same keys.
    fn allowed(&mut self, effects: Vec<Effect>) -> Vec<Effect> {
        if !self.by_card {
            return effects;
        }
        let mut allowed = Vec::new();
        for effect in effects {
            match (effect.outward(), &self.latest) {
                (None, _) => allowed.push(effect),
                (Some(what), Some(line)) => {
                    let why = format!("a lesson may not {what}: press the keys for it yourself");
                    self.trouble.push((line.clone(), why));
                }
                (Some(_), None) => {}
            }
        }
        allowed
    }

    /// Does lines for as long as nothing has to be waited for.
    pub fn advance(&mut self) -> Vec<Effect> {
        let mut effects = Vec::new();
        loop {
            if self.hurried && self.inner.orbit.playing {
                finish_playing(&mut self.inner);
            }
            if !is_idle(&self.inner) {
                return effects;
            }
            let Some(task) = self.tasks.pop_front() else {
                if !self.settle(&mut effects) {
                    return effects;
                }
                continue;
            };
            match task {
                LessonTask::Arrive(card) => {
                    if let Some(slot) = self.arrivals.get_mut(card) {
                        *slot = Some(Bookmark::of(&self.inner));
                    }
                }
                LessonTask::Do(line) => {
                    if let Some(why) = self.inner.failed.take() {
                        self.trouble
                            .extend(self.latest.take().map(|line| (line, why)));
                    }
                    let done = language::run(&mut self.inner, &line.line);
                    self.latest = Some(line.clone());
                    self.by_card = true;
                    match done {
                        Ok(more) => effects.extend(self.allowed(more)),
                        Err(why) => self.trouble.push((line, why)),
                    }
                }
            }
        }
    }

    /// All lines are done: whether there is more to do now.
    fn settle(&mut self, effects: &mut Vec<Effect>) -> bool {
        if let Some(why) = self.inner.failed.take() {
            // What was asked for last could not be done.
            self.trouble
                .extend(self.latest.clone().map(|line| (line, why)));
        }
        self.by_card = false;
        if self.resting.is_none() {
            self.resting = Some(Bookmark::of(&self.inner));
        }
        let Some(wish) = self.wish.take() else {
            self.hurried = self.manner.strict;
            return false;
        };
        let to = match wish {
            LessonWish::Next if self.card + 1 == self.lesson().cards.len() => {
                self.finished = true;
                self.progress.done = true;
                self.hurried = self.manner.strict;
                return false;
            }
            LessonWish::Next => {
                // What the person tried out in between is undone.
                if let Some(resting) = self.resting.take() {
                    resting.restore(&mut self.inner);
                }
                self.card + 1
            }
            LessonWish::Back => {
                let to = match self.finished {
                    true => self.card,
                    false => self.card.saturating_sub(1),
                };
                self.finished = false;
                if let Some(Some(arrival)) = self.arrivals.get(to) {
                    arrival.restore(&mut self.inner);
                }
                to
            }
        };
        // What is on the screen now may need something of the engine.
        let now = Msg::Tick(self.inner.now);
        effects.extend(update(&mut self.inner, now));
        self.hurried = self.manner.strict;
        self.show_card(to);
        true
    }
}

/// Whether nothing is under way on a screen.
fn is_idle(app: &App) -> bool {
    let loading = matches!(app.load, Load::Loading);
    let steps = app.animate.walk.is_some() || !app.to_press.is_empty() || app.orbit.playing;
    let checks = app.checks.active() || app.race.is_active();
    !loading && !steps && !checks && app.pending.is_empty()
}

/// Shows the step where playing would have stopped.
fn finish_playing(app: &mut App) {
    let last = app.frames().saturating_sub(1);
    app.orbit.frame = app.orbit.until.take().unwrap_or(last).min(last);
    app.orbit.playing = false;
}
