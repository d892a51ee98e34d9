//! The course of a lesson: the lines of its cards are run one after the other, each after the requests of the one
//! before are answered.

use super::bookmark::Bookmark;
use super::draw;
use super::room::{LessonRequest, LessonRoom, LessonTask, is_idle};
use crate::app::{App, Effect};
use crate::language;
use crate::settling;

/// Settles the data after a message that had these effects, and goes along with the lesson if one is taken;
/// `by_person` says that the message was a key or a click.
///
/// Meanwhile the lesson is aside: its lines see views and nothing over them.
pub fn settle(app: &mut App, effects: &mut Vec<Effect>, by_person: bool) {
    let lesson = app.lesson.take();
    settling::settle(app, effects);
    let Some(mut room) = lesson else {
        return;
    };
    if !by_person {
        *effects = room.allowed(std::mem::take(effects));
    }
    // Lessons are not nested, and other scripts are opened elsewhere.
    effects.retain(|effect| !matches!(effect, Effect::Lessons(_) | Effect::Welcome(_)));
    room.run_lines(app, effects);
    if draw::fit_views(app, &mut room) {
        // Another pane may need other data.
        settling::settle(app, effects);
    }
    let kept = room.keep(false, app.now);
    effects.extend(kept.map(|kept| Effect::KeepLesson(Box::new(kept))));
    app.lesson = Some(room);
}

impl LessonRoom {
    /// The effects that are allowed: lines of a card, whose author is unknown, change nothing outside of the screen.
    /// The effects left out are named; the user can press the same keys.
    fn allowed(&mut self, effects: Vec<Effect>) -> Vec<Effect> {
        if !self.by_card {
            return effects;
        }
        let mut allowed = Vec::new();
        for effect in effects {
            match (effect.outward(), &self.latest) {
                // No line ends the program.
                (None, _) if effect == Effect::Quit => {}
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
    fn run_lines(&mut self, app: &mut App, effects: &mut Vec<Effect>) {
        loop {
            if self.hurried && app.orbit.playing {
                finish_playing(app);
            }
            if !is_idle(app) {
                return;
            }
            let Some(task) = self.tasks.pop_front() else {
                if !self.rest(app, effects) {
                    return;
                }
                continue;
            };
            match task {
                LessonTask::Arrive(card) => {
                    if let Some(slot) = self.arrivals.get_mut(card) {
                        *slot = Some(Bookmark::of(app));
                    }
                }
                LessonTask::Do(line) => {
                    if let Some(why) = app.failed.take() {
                        self.trouble
                            .extend(self.latest.take().map(|line| (line, why)));
                    }
                    let done = language::run(app, &line.line);
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
    fn rest(&mut self, app: &mut App, effects: &mut Vec<Effect>) -> bool {
        if let Some(why) = app.failed.take() {
            // The last request failed.
            self.trouble
                .extend(self.latest.clone().map(|line| (line, why)));
        }
        if std::mem::take(&mut self.by_card) {
            // Notes of its lines tell of keys that do nothing on a card.
            app.note.clear();
        }
        if self.resting.is_none() {
            self.resting = Some(Bookmark::of(app));
        }
        let request = self.request.take();
        self.hurried = self.manner.strict;
        let to = match request {
            None => return false,
            Some(LessonRequest::Next) if self.card + 1 == self.lesson().cards.len() => {
                self.finished = true;
                self.progress.done = true;
                return false;
            }
            Some(LessonRequest::Next) => {
                // The changes that the user made in between are undone.
                if let Some(resting) = self.resting.take() {
                    resting.restore(app);
                }
                self.card + 1
            }
            Some(LessonRequest::Back) => {
                let to = if self.finished {
                    self.card
                } else {
                    self.card.saturating_sub(1)
                };
                self.finished = false;
                if let Some(Some(arrival)) = self.arrivals.get(to) {
                    arrival.restore(app);
                }
                to
            }
        };
        // The new screen may need data of the engine.
        settling::settle(app, effects);
        self.show_card(to);
        self.arrived = app.now;
        true
    }
}

/// Shows the step where playing would have stopped.
fn finish_playing(app: &mut App) {
    let last = app.frames().saturating_sub(1);
    app.orbit.frame = app.orbit.until.take().unwrap_or(last).min(last);
    app.orbit.playing = false;
}
