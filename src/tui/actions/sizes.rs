//! What holds for other sizes, in the Check view.

use crate::animate::sizes::SizesRequest;
use crate::app::{App, Effect, Pane};
use crate::command::Availability;
use crate::facts;

fn is_free(app: &App) -> Availability {
    match app.sizes.stage.is_active() {
        true => Err("other sizes are being looked at; X stops it".to_owned()),
        false => Ok(()),
    }
}

/// Whether other sizes of the selected assertion can be asked about.
pub fn can_ask_assertion(app: &App) -> Availability {
    facts::has_assertions(app)?;
    is_free(app)
}

/// Whether it can be asked whether the open process is a circle.
pub fn can_ask_circle(app: &App) -> Availability {
    facts::has_session(app)?;
    is_free(app)
}

/// Checks the selected assertion at several sizes, and proves what can be proved of all.
pub fn of_assertion(app: &mut App, _: usize) -> Vec<Effect> {
    let selected = app.checks.selected;
    let info = app.info().and_then(|info| info.assertions.get(selected));
    match info.map(|info| info.number) {
        Some(number) => ask(app, SizesRequest::Assertion(number)),
        None => Vec::new(),
    }
}

/// Reads the open process as a circle of any number of cells.
pub fn of_circle(app: &mut App, _: usize) -> Vec<Effect> {
    let Some(session) = &app.session else {
        return Vec::new();
    };
    let request = SizesRequest::Circle(session.history.process().to_owned());
    ask(app, request)
}

fn ask(app: &mut App, request: SizesRequest) -> Vec<Effect> {
    app.sizes.ask(request.clone());
    app.scroll[Pane::Sizes as usize] = 0;
    app.focus_on(Pane::Sizes);
    vec![Effect::Sizes(request)]
}
