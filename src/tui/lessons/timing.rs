//! Durations of lessons, and the clock of a presentation.

use super::lesson::{Lesson, LessonAnswer, LessonCard};

/// Words that are read aloud in a minute.
const WORDS_A_MINUTE: u64 = 130;
/// Seconds that a room thinks about a question, and talks about it.
const THINKING: u64 = 15;
/// Seconds to look at the changes on the screen.
const LOOKING: u64 = 5;

fn words(text: &str) -> u64 {
    text.split_whitespace().map(spoken).sum()
}

/// Words that are spoken for one that is written: `T0` is two, and in `lock.T0` the dot is spoken, too.
fn spoken(word: &str) -> u64 {
    let word = word.trim_matches(|c: char| !c.is_alphanumeric());
    let kind = |c: char| match c {
        '.' => Some('.'),
        c if c.is_ascii_digit() => Some('0'),
        c if c.is_alphabetic() || c == '\'' => Some('a'),
        _ => None,
    };
    let (mut count, mut before) = (0, None);
    for kind in word.chars().map(kind) {
        count += u64::from(kind.is_some() && kind != before);
        before = kind;
    }
    count.max(1)
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

/// A time in minutes and seconds.
#[must_use]
pub fn minutes(seconds: u64) -> String {
    format!("{}:{:02}", seconds / 60, seconds % 60)
}

/// The time that a presentation has taken so far, in seconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LessonClock {
    /// Since the class began, if this is not its first lesson.
    pub in_class: Option<u64>,
    /// Since the presentation began.
    pub since_start: u64,
    /// Since the card was shown.
    pub on_card: u64,
}

impl LessonClock {
    /// The clock at a time, by the times at which the class began, the presentation began, and the card was shown, in
    /// milliseconds. All parts change at the same moment.
    #[must_use]
    pub fn at(now: u64, [class, began, arrived]: [u64; 3]) -> Self {
        let seconds = |then: u64| then.saturating_sub(began) / 1_000;
        let before = began.saturating_sub(class) / 1_000;
        Self {
            in_class: (class < began).then(|| before + seconds(now)),
            since_start: seconds(now),
            on_card: seconds(now).saturating_sub(seconds(arrived)),
        }
    }

    /// The clock as texts, from long to short: what has passed of the class and of the lesson, what is left of the
    /// lesson, and the time on the card against its plan.
    #[must_use]
    pub fn texts(self, lesson: &Lesson, card: usize) -> [String; 4] {
        let planned = planned_seconds(lesson);
        let left = match planned.checked_sub(self.since_start) {
            Some(left) => format!("{} left", minutes(left)),
            None => format!("{} over", minutes(self.since_start - planned)),
        };
        let since = minutes(self.since_start);
        let short = format!("{since} of {}", minutes(planned));
        let on_card = minutes(self.on_card);
        let for_card = minutes(lesson.cards.get(card).map_or(0, seconds_of));
        let card = format!("card {on_card} of {for_card}");
        let class = self.in_class.map_or_else(String::new, |seconds| {
            format!("class {} · ", minutes(seconds))
        });
        [
            format!("{class}{since} since the start, {left} · {card}"),
            format!("{class}{short} · {card}"),
            format!("{short} · {card}"),
            short,
        ]
    }
}
