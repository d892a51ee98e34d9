//! Rehearsal: a lesson is run from its first card to its last without a terminal, with the real engine, to see
//! whether every line works and every claim holds.

use std::time::Duration;

use super::draw;
use super::keys;
use super::lesson::{LessonAnswer, ShelvedLesson};
use super::places::LessonProgress;
use super::room::{LessonClass, LessonManner, LessonRoom, LessonStart};
use super::tree::{LessonFlaw, LessonPlace};
use crate::actions::lesson;
use crate::animate::checker::Runners;
use crate::animate::worker::EngineSource;
use crate::app::App;
use crate::headless::{Halt, Headless};
use crate::language::Instruction;
use crate::outside::Behind;
use crate::source::Cancel;
use crate::theme::Theme;

/// Time limit of a card.
const PATIENCE: Duration = Duration::from_secs(60);
/// The part that a card leaves of a terminal of 120x36: what it claims is seen there.
const SIZE: (u16, u16) = (80, 36);

/// The way in which questions are answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RehearsedAnswers {
    /// Always by the right answer.
    Right,
    /// Always by a wrong answer.
    Wrong,
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
    let mut app = App::new("", None, Theme::new(false, false), SIZE);
    let start = LessonStart {
        shelved: shelved.clone(),
        progress: LessonProgress::default(),
        manner: LessonManner {
            strict: true,
            ..LessonManner::default()
        },
        class: LessonClass::default(),
    };
    // What is behind its model is given.
    lesson::enter(&mut app, start);
    let behind = Behind {
        engines,
        checks,
        watches: false,
    };
    let screen = Headless::around(app, behind, PATIENCE, cancel);
    let mut screen =
        screen.map_err(|error| vec![flaw(format!("no thread could be started: {error}"))])?;
    let mut flaws = Vec::new();
    for card in 0..shelved.lesson.cards.len() {
        let mut before = Vec::new();
        let done = settled(&mut screen, |_| {}).and_then(|()| {
            before = unseen(&screen.app, card);
            one_card(&mut screen, answers)
        });
        if let Err(why) = done {
            flaws.push(flaw(format!("card {}: {why}", card + 1)));
            return Err(flaws);
        }
        // A question may lead to another view.
        let after = unseen(&screen.app, card);
        flaws.extend(after.into_iter().filter(|flaw| before.contains(flaw)));
        flaws.extend(trouble(&mut screen.app, card));
        with_room(&mut screen, LessonRoom::go_on);
    }
    if let Err(why) = settled(&mut screen, |_| {}) {
        flaws.push(flaw(why));
    }
    let room = screen.app.lesson.as_ref().filter(|room| room.finished);
    match room {
        Some(room) if flaws.is_empty() => Ok(room.score()),
        None if flaws.is_empty() => Err(vec![flaw("the end was not reached".to_owned())]),
        _ => Err(flaws),
    }
}

fn flaw(why: String) -> LessonFlaw {
    LessonFlaw::new(LessonPlace { line: 1, column: 1 }, why)
}

/// The lines of a card that could not be done, and its claims that do not hold.
fn trouble(app: &mut App, number: usize) -> Vec<LessonFlaw> {
    let place = app.session.as_ref().map_or_else(String::new, |session| {
        let history = &session.history;
        format!(" (at step {} of {})", history.depth(), history.process())
    });
    let lines = app
        .lesson
        .iter_mut()
        .flat_map(|room| room.trouble.drain(..));
    let flaws = lines.map(|(line, why)| {
        let text = &line.line.text;
        let mut message = format!("card {}: `{text}`: {why}", number + 1);
        if matches!(line.line.instruction, Instruction::Take(_)) {
            // An author who names no process may expect another one, or its first state.
            message += &place;
        }
        LessonFlaw::new(line.at, message)
    });
    flaws.collect()
}

/// What a card points at and the screen does not show now.
fn unseen(app: &App, number: usize) -> Vec<LessonFlaw> {
    let card = app.lesson.as_ref().and_then(|room| room.shown());
    let flaws = card.map(|card| {
        let missing = draw::missing(app, &card.focus).into_iter();
        let told = missing.map(|what| format!("card {}: `focus`: {what}", number + 1));
        told.map(|message| LessonFlaw::new(card.at, message))
            .collect()
    });
    flaws.unwrap_or_default()
}

fn with_room(screen: &mut Headless, work: impl FnOnce(&mut LessonRoom)) {
    if let Some(room) = &mut screen.app.lesson {
        work(room);
    }
}

fn one_card(screen: &mut Headless, answers: RehearsedAnswers) -> Result<(), String> {
    settled(screen, |room| {
        let question = room.shown().and_then(|card| card.ask.clone());
        let Some(question) = question.filter(|_| room.asks()) else {
            return;
        };
        let right = answers == RehearsedAnswers::Right;
        match &question.answer {
            LessonAnswer::Choice(options, answer) => {
                room.chosen = (*answer + usize::from(!right)) % options.len().max(1);
            }
            LessonAnswer::Number(number) => {
                room.typed = (number + i64::from(!right)).to_string();
            }
            LessonAnswer::Words(_) if right => room.typed = keys::right(&question),
            LessonAnswer::Words(_) => room.typed = format!("not {}", keys::right(&question)),
            LessonAnswer::Press(line) if right => room.typed.clone_from(&line.line.text),
            // There is no wrong key: other keys do nothing. It is passed over.
            LessonAnswer::Press(_) => return,
        }
        room.answer();
    })
}

/// Does something with the lesson, and waits until all lines of the card are done.
fn settled(screen: &mut Headless, work: impl FnOnce(&mut LessonRoom)) -> Result<(), String> {
    let halted = screen.change(|app| {
        if let Some(room) = &mut app.lesson {
            work(room);
        }
    });
    match halted {
        Err(Halt::Refused(why)) => Err(why),
        Err(Halt::Late) => Err(format!(
            "its lines take longer than {} s",
            PATIENCE.as_secs()
        )),
        Err(Halt::Interrupted) => Err("cancelled".to_owned()),
        Ok(()) => match &screen.app.lesson {
            Some(room) if room.is_busy(&screen.app) => {
                Err("it waits for something that never comes".to_owned())
            }
            _ => Ok(()),
        },
    }
}
