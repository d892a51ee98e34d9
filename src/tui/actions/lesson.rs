//! Lessons: begun and left, and the keys of a card. Its lines are run by [`crate::lessons::course`].

use super::distance::Distance;
use crate::app::{App, Effect, Overlay, WantedLesson};
use crate::command::Availability;
use crate::keys;
use crate::lessons::lesson::{Shelf, ShelvedLesson};
use crate::lessons::room::{LessonClass, LessonManner, LessonRoom, LessonStart};
use crate::settings::Settings;
use crate::welcome::WelcomeQuestion;

/// Lines of a card that a page scrolls.
const PAGE: isize = 5;

/// Begins a lesson, or goes on where it was left: the present session is parked.
pub fn enter(app: &mut App, start: LessonStart) -> Vec<Effect> {
    let model = match start.shelved.model() {
        Ok(model) => model,
        Err(why) => return cannot_enter(app, &why),
    };
    let lesson = &start.shelved.lesson;
    let mut views = app.beside(&lesson.model, lesson.process.clone());
    // A lesson describes the screen, so other settings do not apply there.
    views.settings = Settings {
        motion: app.settings.motion,
        lessons: app.settings.lessons.clone(),
        report: app.settings.report.clone(),
        ..Settings::default()
    };
    let parked = std::mem::replace(app, views);
    app.lesson = Some(Box::new(LessonRoom::new(start, parked)));
    vec![Effect::Start(model, false)]
}

fn cannot_enter(app: &mut App, why: &str) -> Vec<Effect> {
    match &mut app.welcome {
        Some(screen) => screen.wrong = format!("the lesson cannot begin: {why}"),
        None => app.tell("The lesson cannot begin", why),
    }
    Vec::new()
}

/// Leaves the lesson: the session that was parked comes back as it was.
pub fn leave(app: &mut App, _: usize) -> Vec<Effect> {
    let Some(room) = app.lesson.take() else {
        return Vec::new();
    };
    let alone = room.manner.alone;
    let mut effects = bring_back(app, *room);
    if alone {
        effects.push(Effect::Quit);
    } else if app.welcome.is_some() {
        // The page shows the progress.
        effects.push(Effect::Look(WelcomeQuestion::Everything));
    } else {
        app.note = "back from the lesson: nothing here has changed".to_owned();
    }
    effects
}

/// Brings the parked session back, and keeps the place in the lesson.
fn bring_back(app: &mut App, mut room: LessonRoom) -> Vec<Effect> {
    let kept = room.keep(true, app.now);
    let kept = kept.map(|kept| Effect::KeepLesson(Box::new(kept)));
    let views = std::mem::replace(app, room.parked);
    app.keep_up(&views);
    kept.into_iter().chain([Effect::Stop]).collect()
}

/// The lessons that were found: they are listed, or the tour begins.
pub fn shelved(app: &mut App, shelf: Shelf, wanted: WantedLesson) -> Vec<Effect> {
    match wanted {
        WantedLesson::Any => {
            app.overlay = Some(Overlay::Lessons(Box::new(shelf), 0));
            Vec::new()
        }
        WantedLesson::Tour => match shelf.tour.clone() {
            Some(tour) => begin(app, &shelf, tour),
            None => {
                let unread = shelf.unread.iter().flat_map(|unread| unread.lines());
                let unread: Vec<_> = unread.collect();
                cannot_enter(app, &unread.join("; "))
            }
        },
    }
}

fn begin(app: &mut App, shelf: &Shelf, shelved: ShelvedLesson) -> Vec<Effect> {
    let progress = shelf.progress.get(&shelved.lesson.id).cloned();
    let start = LessonStart {
        progress: progress.unwrap_or_default(),
        class: LessonClass {
            began: None,
            following: shelf.after(&shelved),
        },
        shelved,
        manner: LessonManner::default(),
    };
    enter(app, start)
}

/// A key while the list of lessons is shown.
pub fn choosing(app: &mut App, key: &str, shelf: Box<Shelf>, selected: usize) -> Vec<Effect> {
    let count = shelf.lessons.len();
    if matches!(key, "esc" | "q" | "L") {
        return Vec::new();
    }
    let number = keys::digit(key).filter(|digit| (1..=count).contains(digit));
    let selected = match (number, Distance::of_key(key)) {
        (Some(number), _) => number - 1,
        (None, Some(far)) => far.from(selected, count, count),
        (None, None) => selected,
    };
    if key == "enter" || number.is_some() {
        let chosen = shelf.lessons.get(selected).cloned();
        return chosen.map_or_else(Vec::new, |chosen| begin(app, &shelf, chosen));
    }
    app.overlay = Some(Overlay::Lessons(shelf, selected));
    Vec::new()
}

/// Does something with the lesson that is taken.
fn with(app: &mut App, work: impl FnOnce(&mut LessonRoom)) -> Vec<Effect> {
    if let Some(room) = &mut app.lesson {
        work(room);
    }
    Vec::new()
}

fn is_finished(app: &App) -> bool {
    app.lesson.as_ref().is_some_and(|room| room.finished)
}

/// Goes on to the next card; behind the last one to the next lesson of the class, or else the lesson is left.
pub fn next(app: &mut App, count: usize) -> Vec<Effect> {
    if !is_finished(app) {
        return with(app, LessonRoom::go_on);
    }
    let following = app.lesson.as_ref().and_then(|room| room.following());
    if let Some(start) = following
        && let Some(room) = app.lesson.take()
    {
        let mut effects = bring_back(app, *room);
        effects.extend(enter(app, start));
        return effects;
    }
    leave(app, count)
}

/// Goes back to the card before.
pub fn back(app: &mut App, _: usize) -> Vec<Effect> {
    with(app, LessonRoom::back)
}

/// Answers the question, or goes on.
pub fn answer(app: &mut App, count: usize) -> Vec<Effect> {
    if app.lesson.as_ref().is_some_and(|room| room.asks()) {
        with(app, LessonRoom::answer)
    } else {
        next(app, count)
    }
}

/// Whether the card has answers to choose from.
pub fn can_choose(app: &App) -> Availability {
    match app.lesson.as_ref().is_some_and(|room| room.options() > 0) {
        true => Ok(()),
        false => Err("this card has no answers to choose from".to_owned()),
    }
}

/// Chooses the answer with a number.
pub fn choose(app: &mut App, number: usize) -> Vec<Effect> {
    if app
        .lesson
        .as_ref()
        .is_some_and(|room| number > room.options())
    {
        app.note = "no answer has this number".to_owned();
        return Vec::new();
    }
    with(app, |room| room.chosen = number - 1)
}

/// Whether the card has an open question with a hint.
pub fn has_hint(app: &App) -> Availability {
    let room = app.lesson.as_ref().filter(|room| room.asks());
    let ask = room.and_then(|room| room.shown()?.ask.as_ref());
    match ask {
        Some(ask) if ask.hint.is_empty() => Err("this question has no hint".to_owned()),
        Some(_) => Ok(()),
        None => Err("this card has no open question".to_owned()),
    }
}

/// Chooses another option, or scrolls the card.
pub fn along(app: &mut App, far: Distance) -> Vec<Effect> {
    with(app, |room| match far {
        Distance::Rows(_) if room.options() > 0 => {
            room.chosen = far.from(room.chosen, room.options(), 1);
        }
        Distance::Rows(rows) => room.scroll_by(rows),
        Distance::Pages(pages) => room.scroll_by(pages * PAGE),
        Distance::Top | Distance::Bottom => {}
    })
}

/// Shows the hint, or hides it.
pub fn hint(app: &mut App, _: usize) -> Vec<Effect> {
    with(app, |room| room.hint = !room.hint)
}

/// Lets the keys be those of the views.
pub fn to_view(app: &mut App, _: usize) -> Vec<Effect> {
    with(app, |room| room.in_view = true)
}

/// Shows the notes, or hides them.
pub fn notes(app: &mut App, _: usize) -> Vec<Effect> {
    with(app, |room| {
        room.notes = !room.notes;
        // Where they are at the end of the card, they are what one wants to see.
        room.scroll = match room.notes && room.covers {
            true => usize::MAX,
            false => 0,
        };
    })
}

/// Shows a blank screen until the next key.
pub fn blank(app: &mut App, _: usize) -> Vec<Effect> {
    with(app, |room| room.blank = true)
}
