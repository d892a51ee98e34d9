//! Rehearsal: a lesson is run from its first card to its last without a terminal, with the real engine, to see
//! whether every line works and every claim holds.

use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use super::format::LessonAnswer;
use super::places::LessonProgress;
use super::room::{LessonManner, LessonRoom};
use super::shelf::ShelvedLesson;
use super::tree::{LessonFlaw, LessonPlace};
use crate::animate::checker::Runners;
use crate::animate::worker::EngineSource;
use crate::app::Effect;
use crate::outside::{Behind, News, Outside};
use crate::source::Cancel;
use crate::theme::Theme;

/// Time limit of a card.
const PATIENCE: Duration = Duration::from_secs(60);
/// Large enough that claims about the screen do not depend on cuts.
const SIZE: (u16, u16) = (180, 50);

/// The way in which questions are answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RehearsedAnswers {
    /// Always by the right answer.
    Right,
    /// Always by a wrong answer.
    Wrong,
}

/// The threads behind the screen of a lesson.
struct Rehearsal {
    room: LessonRoom,
    outside: Outside,
    heard: Receiver<News>,
}

/// Runs a lesson. Returns the right answers and all questions.
///
/// # Errors
/// The lines that failed, and the claims that do not hold.
pub fn rehearse(
    shelved: &ShelvedLesson,
    (engines, checks): (EngineSource, Runners),
    answers: RehearsedAnswers,
    cancel: &Cancel,
) -> Result<(usize, usize), Vec<LessonFlaw>> {
    let start = LessonPlace { line: 1, column: 1 };
    let (to, heard) = channel();
    let behind = Behind {
        engines,
        checks,
        watches: false,
    };
    let outside = Outside::start(behind, move |news| {
        // If the receiver is gone, the rehearsal has ended.
        let _ = to.send(news);
    });
    let outside = outside.map_err(|error| {
        let why = format!("no thread could be started: {error}");
        vec![LessonFlaw::new(start, why)]
    })?;
    let manner = LessonManner {
        strict: true,
        ..LessonManner::default()
    };
    let theme = Theme::new(false, false);
    let mut room = LessonRoom::new(shelved.clone(), 0, theme, LessonProgress::default(), manner);
    room.inner.size = SIZE;
    let mut rehearsal = Rehearsal {
        room,
        outside,
        heard,
    };
    let flaws = rehearsal.all_cards(answers, cancel);
    if flaws.is_empty() {
        Ok(rehearsal.room.score())
    } else {
        Err(flaws)
    }
}

impl Rehearsal {
    fn all_cards(&mut self, answers: RehearsedAnswers, cancel: &Cancel) -> Vec<LessonFlaw> {
        let mut flaws = Vec::new();
        for card in 0..self.room.lesson().cards.len() {
            if let Err(why) = self.one_card(answers, cancel) {
                let place = LessonPlace { line: 1, column: 1 };
                flaws.push(LessonFlaw::new(place, format!("card {}: {why}", card + 1)));
                return flaws;
            }
            for (line, why) in self.room.trouble.drain(..) {
                let text = &line.line.text;
                let message = format!("card {}: `{text}`: {why}", card + 1);
                flaws.push(LessonFlaw::new(line.at, message));
            }
            let effects = self.room.go_on();
            self.carry_out(effects);
        }
        if let Err(why) = self.settle(cancel) {
            let place = LessonPlace { line: 1, column: 1 };
            flaws.push(LessonFlaw::new(place, why));
        } else if !self.room.finished && flaws.is_empty() {
            let place = LessonPlace { line: 1, column: 1 };
            flaws.push(LessonFlaw::new(place, "the end was not reached"));
        }
        flaws
    }

    fn one_card(&mut self, answers: RehearsedAnswers, cancel: &Cancel) -> Result<(), String> {
        self.settle(cancel)?;
        if !self.room.asks() {
            return Ok(());
        }
        let Some(question) = self.room.shown().and_then(|card| card.ask.clone()) else {
            return Ok(());
        };
        let right = answers == RehearsedAnswers::Right;
        match &question.answer {
            LessonAnswer::Choice(options, answer) if right => {
                self.room.chosen = (*answer).min(options.len());
            }
            LessonAnswer::Choice(options, answer) => {
                self.room.chosen = (*answer + 1) % options.len().max(1);
            }
            LessonAnswer::Number(number) => {
                self.room.typed = (number + i64::from(!right)).to_string();
            }
            LessonAnswer::Words(_) if right => self.room.typed = question.right(),
            LessonAnswer::Words(_) => self.room.typed = format!("not {}", question.right()),
            LessonAnswer::Press(id) if right => self.room.typed.clone_from(id),
            // There is no wrong key: other keys do nothing. It is passed over.
            LessonAnswer::Press(_) => return Ok(()),
        }
        let effects = self.room.answer();
        self.carry_out(effects);
        self.settle(cancel)
    }

    fn carry_out(&mut self, effects: Vec<Effect>) {
        for effect in effects {
            // The other effects are for a terminal or a user: there are none.
            let _ = self.outside.carry_out(effect);
        }
    }

    /// Waits until all lines of the card are done.
    fn settle(&mut self, cancel: &Cancel) -> Result<(), String> {
        let begin = Instant::now();
        let effects = self.room.advance();
        self.carry_out(effects);
        loop {
            // Read before the messages: then none is on its way if there was none.
            let idle = self.outside.is_idle();
            let mut any = false;
            while let Ok(heard) = self.heard.try_recv() {
                any = true;
                if let Some(msg) = self.outside.message(heard) {
                    let effects = self.room.receive(msg);
                    self.carry_out(effects);
                }
            }
            if idle && !any && self.outside.is_idle() {
                return if self.room.is_busy() {
                    Err("it waits for something that never comes".to_owned())
                } else {
                    Ok(())
                };
            }
            if cancel.is_cancelled() {
                return Err("cancelled".to_owned());
            }
            if begin.elapsed() > PATIENCE {
                self.outside.cancel_all();
                return Err(format!(
                    "its lines take longer than {} s",
                    PATIENCE.as_secs()
                ));
            }
            thread::sleep(Duration::from_millis(1));
        }
    }
}
