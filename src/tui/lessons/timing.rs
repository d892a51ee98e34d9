//! Durations of lessons.

use super::lesson::{Lesson, LessonAnswer, LessonCard};

/// Words that are read aloud in a minute.
const WORDS_A_MINUTE: u64 = 130;
/// Seconds that a room thinks about a question, and talks about it.
const THINKING: u64 = 15;
/// Seconds to look at the changes on the screen.
const LOOKING: u64 = 5;

fn words(text: &str) -> u64 {
    text.split_whitespace().count() as u64
}

/// Words of a card that are read aloud.
#[must_use]
pub fn words_of(card: &LessonCard) -> u64 {
    let asked = card.ask.as_ref().map_or(0, |ask| {
        let options = match &ask.answer {
            LessonAnswer::Choice(options, _) => options.iter().map(|o| words(o)).sum(),
            LessonAnswer::Number(_) | LessonAnswer::Words(_) | LessonAnswer::Press(_) => 0,
        };
        words(&ask.text) + options + words(&ask.why)
    });
    words(&card.say) + asked
}

/// Seconds that a card takes.
#[must_use]
pub fn seconds_of(card: &LessonCard) -> u64 {
    let spoken = words_of(card) * 60 / WORDS_A_MINUTE;
    let thought = card.ask.as_ref().map_or(0, |_| THINKING);
    let changes = u64::from(!card.act.is_empty()) + u64::from(!card.then.is_empty());
    spoken + thought + changes * LOOKING
}

/// Seconds that a lesson takes.
#[must_use]
pub fn planned_seconds(lesson: &Lesson) -> u64 {
    lesson.cards.iter().map(seconds_of).sum()
}
