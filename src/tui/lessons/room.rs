//! A lesson in progress: the card that is shown, the answers, and a screen of its own with an engine of its own. The
//! user's animation is another screen, which nothing here can reach.

use std::collections::VecDeque;

use super::bookmark::Bookmark;
use super::format::{CardLine, Lesson, LessonAnswer, LessonCard, LessonQuestion};
use super::places::LessonProgress;
use super::shelf::ShelvedLesson;
use crate::app::{App, Effect, Load, Msg};
use crate::language;
use crate::theme::Theme;
use crate::update::update;

/// The manner in which a lesson is taken.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LessonManner {
    /// To a room: without a score, and with the notes on another screen.
    pub presenting: bool,
    /// Whether the program shows only the lesson: leaving it quits the program.
    pub alone: bool,
    /// Whether lines that check the claims of the card are run, too.
    pub strict: bool,
}

/// A task that is left to do on the screen of a lesson.
#[derive(Clone, Debug)]
enum LessonTask {
    /// A card begins: going back leads here.
    Arrive(usize),
    /// A line of commands.
    Do(CardLine),
}

/// A key of the user that waits for the lines of the card.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LessonRequest {
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
    /// The manner in which it is taken.
    pub manner: LessonManner,
    /// The card that is shown, from 0.
    pub card: usize,
    /// The progress.
    pub progress: LessonProgress,
    /// Whether the question of the card is settled, or there is none.
    pub settled: bool,
    /// The selected option, from 0.
    pub chosen: usize,
    /// The typed answer.
    pub typed: String,
    /// Whether the hint is shown.
    pub hint: bool,
    /// Whether notes are shown.
    pub notes: bool,
    /// Whether the screen is blank.
    pub blank: bool,
    /// Whether keys go to the screen of the lesson.
    pub in_view: bool,
    /// Whether the card covers a part of the screen: then the rest shows the focused pane alone.
    pub covers: bool,
    /// The first line of the card that is shown.
    pub scroll: usize,
    /// A line that could not be done, or a claim that does not hold.
    pub trouble: Vec<(CardLine, String)>,
    /// A notice on an event outside of the lesson, until the next key.
    pub said: String,
    /// Whether the last card was left.
    pub finished: bool,
    arrivals: Vec<Option<Bookmark>>,
    tasks: VecDeque<LessonTask>,
    request: Option<LessonRequest>,
    /// The line that was done last.
    latest: Option<CardLine>,
    /// Whether lines of the card are running: requests meanwhile are the lesson's, not the user's.
    by_card: bool,
    /// The place that the lines of the card have led to.
    resting: Option<Bookmark>,
    /// Whether animations jump to their end.
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
        // A finished lesson begins again.
        let card = if progress.done {
            0
        } else {
            progress.card.min(cards.saturating_sub(1))
        };
        let mut room = Self {
            hurried: card > 0 || manner.strict,
            inner: Box::new(inner),
            serial,
            manner,
            card,
            settled: false,
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
            request: None,
            latest: None,
            by_card: false,
            resting: None,
            progress: LessonProgress {
                done: false,
                card,
                answers: if progress.done {
                    Vec::new()
                } else {
                    progress.answers
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

    /// The lesson itself.
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
        !self.settled && !self.finished
    }

    /// Whether the lines of the card are still running.
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
    fn begin(&mut self, card: usize, settled: bool) {
        self.tasks.push_back(LessonTask::Arrive(card));
        let Some(found) = self.shelved.lesson.cards.get(card) else {
            return;
        };
        self.tasks
            .extend(found.act.iter().cloned().map(LessonTask::Do));
        if settled {
            self.tell(card);
        }
    }

    /// The tasks after the answer.
    fn tell(&mut self, card: usize) {
        // The final place is known only when these are done.
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
        self.settled = !asks || self.answered().is_some();
        self.chosen = 0;
        self.typed.clear();
        self.hint = false;
        self.scroll = 0;
        self.trouble.clear();
        self.in_view = false;
        self.resting = None;
        self.begin(card, self.settled);
    }

    /// Goes on to the next card, once the lines of this one are done.
    pub fn go_on(&mut self) -> Vec<Effect> {
        // Animations are not waited for.
        self.hurried = true;
        if !self.settled {
            // Skipped: the card shows the consequences of the answer all the same.
            self.settled = true;
            self.tell(self.card);
        }
        self.request = Some(LessonRequest::Next);
        self.advance()
    }

    /// Goes back to the card before, and to the screen there.
    pub fn back(&mut self) -> Vec<Effect> {
        self.hurried = true;
        self.request = Some(LessonRequest::Back);
        self.advance()
    }

    /// Settles the question by the chosen or typed answer.
    pub fn answer(&mut self) -> Vec<Effect> {
        let Some(question) = self.shown().and_then(|card| card.ask.clone()) else {
            return Vec::new();
        };
        let empty = self.typed.trim().is_empty();
        if self.settled || (empty && !matches!(question.answer, LessonAnswer::Choice(..))) {
            return Vec::new();
        }
        let right = question.is_right(self.chosen, &self.typed);
        match question.answer {
            // Pressing a key is no prediction, and gets no praise.
            LessonAnswer::Press(_) => {}
            _ => self.progress.answers.push((self.card, right)),
        }
        self.settled = true;
        // Where the card has no room for all, its end shows whether the answer was right.
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

    /// The effects that are allowed: lines of a card, whose author is unknown, change nothing outside of the screen.
    /// The effects left out are named; the user can press the same keys.
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

    /// Runs lines until there is an outstanding request.
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

    /// Handles the end of all lines. Returns whether there are more now.
    fn settle(&mut self, effects: &mut Vec<Effect>) -> bool {
        if let Some(why) = self.inner.failed.take() {
            // The last request failed.
            self.trouble
                .extend(self.latest.clone().map(|line| (line, why)));
        }
        self.by_card = false;
        if self.resting.is_none() {
            self.resting = Some(Bookmark::of(&self.inner));
        }
        let Some(request) = self.request.take() else {
            self.hurried = self.manner.strict;
            return false;
        };
        let to = match request {
            LessonRequest::Next if self.card + 1 == self.lesson().cards.len() => {
                self.finished = true;
                self.progress.done = true;
                self.hurried = self.manner.strict;
                return false;
            }
            LessonRequest::Next => {
                // The changes that the user made in between are undone.
                if let Some(resting) = self.resting.take() {
                    resting.restore(&mut self.inner);
                }
                self.card + 1
            }
            LessonRequest::Back => {
                let to = if self.finished {
                    self.card
                } else {
                    self.card.saturating_sub(1)
                };
                self.finished = false;
                if let Some(Some(arrival)) = self.arrivals.get(to) {
                    arrival.restore(&mut self.inner);
                }
                to
            }
        };
        // The new screen may need data of the engine.
        let now = Msg::Tick(self.inner.now);
        effects.extend(update(&mut self.inner, now));
        self.hurried = self.manner.strict;
        self.show_card(to);
        true
    }
}

/// Whether no request of a screen is outstanding.
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
