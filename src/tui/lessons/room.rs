//! A lesson in progress: the card that is shown, the answers, and what its lines have still to do. The person's own
//! session is parked in it, where no line can reach it.

use std::collections::VecDeque;

use super::bookmark::Bookmark;
use super::lesson::{CardLine, Lesson, LessonAnswer, LessonCard, ShelvedLesson};
use super::places::{KeptLesson, LessonProgress};
use super::timing::LessonClock;
use crate::app::{App, Load};

/// A lesson that is to be taken.
#[derive(Clone, Debug)]
pub struct LessonStart {
    /// The lesson.
    pub shelved: ShelvedLesson,
    /// The progress.
    pub progress: LessonProgress,
    /// The manner in which it is taken.
    pub manner: LessonManner,
    /// The class that it is a part of.
    pub class: LessonClass,
}

/// The lessons of a class around one of them.
#[derive(Clone, Debug, Default)]
pub struct LessonClass {
    /// When the class began, in the time of the screen; none for its first lesson.
    pub began: Option<u64>,
    /// The lessons after this one, in order, each with the progress in it.
    pub following: Vec<(ShelvedLesson, LessonProgress)>,
}

/// The manner in which a lesson is taken.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LessonManner {
    /// To a room: without a score, and with the notes on another screen.
    pub presenting: bool,
    /// Whether the program shows only the lesson: leaving it quits the program.
    pub alone: bool,
    /// Whether the lesson is rehearsed: lines that check the claims of the card are run, too, and no progress is kept.
    pub strict: bool,
}

/// A task that is left to do on the screen.
#[derive(Clone, Debug)]
pub(super) enum LessonTask {
    /// A card begins: going back leads here.
    Arrive(usize),
    /// A line of commands.
    Do(CardLine),
}

/// A key of the user that waits for the lines of the card.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LessonRequest {
    Next,
    Back,
}

/// A lesson that is taken.
#[derive(Debug)]
pub struct LessonRoom {
    /// The lesson.
    pub shelved: ShelvedLesson,
    /// The person's own session, as it was when the lesson began.
    pub parked: App,
    /// The manner in which it is taken.
    pub manner: LessonManner,
    /// The class that it is a part of.
    pub class: LessonClass,
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
    /// Whether keys go to the views.
    pub in_view: bool,
    /// Whether the card covers a part of the screen: then the rest shows the focused pane alone.
    pub covers: bool,
    /// The first line of the card that is shown.
    pub scroll: usize,
    /// A line that could not be done, or a claim that does not hold.
    pub trouble: Vec<(CardLine, String)>,
    /// A notice on files, until the next key: lines of the card clear other notes.
    pub said: String,
    /// Whether the last card was left.
    pub finished: bool,
    /// When the lesson began, in the time of the screen.
    pub began: u64,
    /// When the card was shown.
    pub arrived: u64,
    pub(super) arrivals: Vec<Option<Bookmark>>,
    pub(super) tasks: VecDeque<LessonTask>,
    pub(super) request: Option<LessonRequest>,
    /// The line that was done last.
    pub(super) latest: Option<CardLine>,
    /// Whether lines of the card are running: requests meanwhile are the lesson's, not the user's.
    pub(super) by_card: bool,
    /// The place that the lines of the card have led to.
    pub(super) resting: Option<Bookmark>,
    /// Whether animations jump to their end.
    pub(super) hurried: bool,
    /// What was stored last.
    kept: Option<KeptLesson>,
}

impl LessonRoom {
    /// A lesson that begins, or goes on where it was left, while the person's session is parked.
    #[must_use]
    pub fn new(start: LessonStart, parked: App) -> Self {
        let LessonStart {
            shelved,
            progress,
            manner,
            class,
        } = start;
        let cards = shelved.lesson.cards.len();
        // A finished lesson begins again.
        let mut progress = match progress.done {
            true => LessonProgress::default(),
            false => progress,
        };
        progress.card = progress.card.min(cards.saturating_sub(1));
        let card = progress.card;
        let mut room = Self {
            hurried: card > 0 || manner.strict,
            kept: None,
            began: parked.now,
            arrived: parked.now,
            parked,
            manner,
            class,
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
            progress,
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

    /// Whether the lines of the card are still running on a screen.
    #[must_use]
    pub fn is_busy(&self, app: &App) -> bool {
        !self.tasks.is_empty() || !is_idle(app)
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
        self.progress.score()
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
        let press = found.ask.as_ref().and_then(|ask| match &ask.answer {
            LessonAnswer::Press(line) => Some(line.clone()),
            _ => None,
        });
        let claims = found.expect.iter().filter(|_| self.manner.strict);
        let lines = found.then.iter().chain(claims).cloned();
        let all = press.into_iter().chain(lines);
        self.tasks.extend(all.map(LessonTask::Do));
    }

    pub(super) fn show_card(&mut self, card: usize) {
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
    pub fn go_on(&mut self) {
        // Animations are not waited for.
        self.hurried = true;
        if !self.settled {
            // Skipped: the card shows the consequences of the answer all the same.
            self.settled = true;
            self.tell(self.card);
        }
        self.request = Some(LessonRequest::Next);
    }

    /// Goes back to the card before, and to the screen there.
    pub fn back(&mut self) {
        self.hurried = true;
        self.request = Some(LessonRequest::Back);
    }

    /// The lesson that follows in the class, taken in the same manner.
    #[must_use]
    pub fn following(&self) -> Option<LessonStart> {
        let ((shelved, progress), following) = self.class.following.split_first()?;
        let progress = match self.manner.presenting {
            true => LessonProgress::default(),
            false => progress.clone(),
        };
        Some(LessonStart {
            shelved: shelved.clone(),
            progress,
            manner: self.manner.clone(),
            class: LessonClass {
                began: Some(self.class_began()),
                following: following.to_vec(),
            },
        })
    }

    /// When the class began, in the time of the screen.
    fn class_began(&self) -> u64 {
        self.class.began.unwrap_or(self.began)
    }

    /// Scrolls the card.
    pub fn scroll_by(&mut self, lines: isize) {
        // Too far is corrected by the drawing, which knows the size of the card.
        self.scroll = self.scroll.saturating_add_signed(lines);
    }

    /// The number of options of the open question.
    #[must_use]
    pub fn options(&self) -> usize {
        let ask = self.shown().and_then(|card| card.ask.as_ref());
        match ask.filter(|_| self.asks()).map(|ask| &ask.answer) {
            Some(LessonAnswer::Choice(options, _)) => options.len(),
            _ => 0,
        }
    }

    /// Settles the question by the chosen or typed answer.
    pub fn answer(&mut self) {
        let Some(question) = self.shown().and_then(|card| card.ask.clone()) else {
            return;
        };
        let empty = self.typed.trim().is_empty();
        if self.settled || (empty && !matches!(question.answer, LessonAnswer::Choice(..))) {
            return;
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
    }

    /// The time that a presentation has taken; none for a lesson that is taken.
    #[must_use]
    pub fn clock(&self, now: u64) -> Option<LessonClock> {
        let clock = LessonClock::at(now, [self.class_began(), self.began, self.arrived]);
        self.manner.presenting.then_some(clock)
    }

    /// The data to store, if they have changed; time by itself is no change.
    pub fn keep(&mut self, left: bool, now: u64) -> Option<KeptLesson> {
        let kept = KeptLesson {
            id: self.lesson().id.clone(),
            progress: self.progress.clone(),
            cards: self.lesson().cards.len(),
            presenting: self.manner.presenting,
            asking: self.asks(),
            left,
            class_began: self.class_began(),
            began: self.began,
            arrived: self.arrived,
            now: 0,
        };
        if self.manner.strict || self.kept.as_ref() == Some(&kept) {
            return None;
        }
        self.kept = Some(kept.clone());
        Some(KeptLesson { now, ..kept })
    }
}

/// Whether no request of a screen is outstanding.
pub(super) fn is_idle(app: &App) -> bool {
    let loading = matches!(app.load, Load::Loading);
    let steps = app.animate.walk.is_some() || !app.to_press.is_empty() || app.orbit.playing;
    !loading && !steps && !app.is_checking() && app.pending.is_empty()
}
