//! Pages to share: of the walk, of a counterexample, or of two states that are compared; and the question before a
//! large file is written.

use super::yank::{event_of, events_to};
use crate::animate::history::History;
use crate::animate::model::ErrorText;
use crate::animate::sharing::{PageRequest, PageSubject};
use crate::animate::worker::Request;
use crate::app::{App, Effect, Overlay, View};
use crate::command::Availability;
use crate::comparing::Comparand;
use crate::facts;
use crate::report::numbers::thousands;
use crate::report::page::PageForm;
use crate::requests::ask;

/// Bytes of a file that is written without a question.
pub const LARGE: usize = 200_000;

/// Writes a file at once, or asks before if it is large: for its bytes, or for what the caller counted.
pub fn write(app: &mut App, effect: Effect, bytes: usize, many: &str) -> Vec<Effect> {
    if bytes <= LARGE && many.is_empty() {
        return vec![effect];
    }
    let comma = if many.is_empty() { "" } else { ", " };
    let size = format!(
        "{many}{comma}{} kB",
        thousands(bytes.div_ceil(1_000) as u128)
    );
    if app.overlay.is_some() {
        // The keys that are typed there are no answer.
        app.note = format!("nothing was written yet: {size}. Ask once more.");
        return Vec::new();
    }
    app.overlay = Some(Overlay::Write(
        Box::new(effect),
        format!("{size}: write it?"),
    ));
    Vec::new()
}

/// What the view shows that can be shared.
fn subject(app: &App) -> Option<PageSubject> {
    let history = &app.session.as_ref()?.history;
    match app.view {
        View::Check => {
            let outcome = app.checks.outcome()?;
            let path = facts::counterexample(app)?.clone();
            let text = outcome.text.clone();
            let path = Box::new(path);
            Some(PageSubject::Counterexample(outcome.number, text, path))
        }
        View::Compare => {
            let (a, b) = app.compare.pair.as_ref()?;
            Some(PageSubject::Comparison {
                process: history.process().to_owned(),
                states: [a.state, b.state],
                paths: [a, b].map(|state| events(history, state)),
                by: app.compare.by,
            })
        }
        _ => Some(PageSubject::Walk(history.way())),
    }
}

/// The events on the way to a state that is compared.
fn events(history: &History, state: &Comparand) -> Vec<String> {
    let mut events = events_to(history, state.place);
    let last = state.by.iter();
    events.extend(last.map(|by| event_of(by.kind, &by.event)));
    events
}

/// Whether there is anything to share.
pub fn can_share(app: &App) -> Availability {
    match app.view {
        View::Check => facts::has_session(app).and(facts::has_counterexample(app)),
        View::Compare => super::compare::has_pair(app),
        _ => facts::has_session(app),
    }
}

fn share(app: &mut App, form: PageForm) -> Vec<Effect> {
    let Some(subject) = subject(app) else {
        return Vec::new();
    };
    let request = PageRequest { subject, form };
    let asked = ask(app, Request::Page(Box::new(request)));
    asked.into_iter().collect()
}

/// Writes a page for a browser.
pub fn html(app: &mut App, _: usize) -> Vec<Effect> {
    share(app, PageForm::Html)
}

/// Writes a text for a mail.
pub fn text(app: &mut App, _: usize) -> Vec<Effect> {
    share(app, PageForm::Text)
}

/// The engine made the text of a page.
pub fn made(
    app: &mut App,
    asked: &PageRequest,
    answer: Result<String, ErrorText>,
    cancelled: bool,
) -> Vec<Effect> {
    match answer {
        Ok(text) => {
            let (what, ending) = (asked.subject.word(), asked.form.ending());
            let bytes = text.len();
            let effect = Effect::CopyToFile(what, ending, text);
            write(app, effect, bytes, "")
        }
        Err(_) if cancelled => Vec::new(),
        Err(failure) => {
            app.note = format!("nothing was written: {}", failure.summary);
            Vec::new()
        }
    }
}
