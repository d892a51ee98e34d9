//! Commands that work everywhere.

use super::motion::{self, Distance};
use super::race;
use super::search;
use super::session;
use super::showing;
use crate::app::{App, Effect, ListSearch, Load, Overlay, Pane, PendingKeys, View, WantedLesson};
use crate::command::Availability;
use crate::welcome::WelcomePage;
use crate::{facts, stakes};

/// Goes down in the focused pane, by so many rows.
pub fn down(app: &mut App, count: usize) -> Vec<Effect> {
    motion::go(app, Distance::Rows(count as isize))
}

/// Goes up in the focused pane, by so many rows.
pub fn up(app: &mut App, count: usize) -> Vec<Effect> {
    motion::go(app, Distance::Rows(-(count as isize)))
}

/// Goes down in the focused pane, by so many pages.
pub fn page_down(app: &mut App, count: usize) -> Vec<Effect> {
    motion::go(app, Distance::Pages(count as isize))
}

/// Goes up in the focused pane, by so many pages.
pub fn page_up(app: &mut App, count: usize) -> Vec<Effect> {
    motion::go(app, Distance::Pages(-(count as isize)))
}

/// Goes to the first row of the focused pane.
pub fn top(app: &mut App, _: usize) -> Vec<Effect> {
    motion::go(app, Distance::Top)
}

/// Goes to the last row of the focused pane.
pub fn bottom(app: &mut App, _: usize) -> Vec<Effect> {
    motion::go(app, Distance::Bottom)
}

/// Focuses the next pane.
pub fn pane_next(app: &mut App, _: usize) -> Vec<Effect> {
    shift_pane(app, 1)
}

/// Focuses the pane before.
pub fn pane_previous(app: &mut App, _: usize) -> Vec<Effect> {
    shift_pane(app, -1)
}

fn shift_pane(app: &mut App, by: isize) -> Vec<Effect> {
    let panes: Vec<Pane> = super::super::layout::reachable(app);
    let at = panes.iter().position(|p| *p == app.pane()).unwrap_or(0);
    // Round and round, in both directions.
    let to = (at as isize + by).rem_euclid(panes.len().max(1) as isize) as usize;
    if let Some(pane) = panes.get(to) {
        app.focus_on(*pane);
    }
    Vec::new()
}

/// Lets the pane fill the screen.
pub fn zoom(app: &mut App, _: usize) -> Vec<Effect> {
    app.zoom = !app.zoom;
    Vec::new()
}

/// Whether there is something to filter.
pub fn can_filter(app: &App) -> Availability {
    match app.view {
        View::Check => facts::has_counterexample(app),
        _ => facts::has_session(app),
    }
}

/// Begins to type a filter.
pub fn filter(app: &mut App, _: usize) -> Vec<Effect> {
    let before = current_filter(app);
    app.line.begin();
    app.overlay = Some(Overlay::Filter(before));
    Vec::new()
}

/// The filter of the present view.
#[must_use]
pub fn current_filter(app: &App) -> String {
    match (app.view, &app.session) {
        (View::Check, _) => app.checks.filter.clone(),
        (View::Animate, Some(_)) if app.pane() == Pane::State => app.animate.state_filter.clone(),
        (View::Source, _) => app.reading.search.clone(),
        (View::Graph, _) => app.graph.filter.clone(),
        (_, Some(session)) => session.filter().to_string(),
        (_, None) => String::new(),
    }
}

/// Changes the filter of the present view.
pub fn set_filter(app: &mut App, text: &str) {
    let pane = app.pane();
    match (app.view, &mut app.session) {
        (View::Check, _) => app.checks.filter = text.to_string(),
        (View::Animate, Some(_)) if pane == Pane::State => {
            app.animate.state_filter = text.to_string();
            app.animate.component = None;
        }
        (View::Source, _) => search::set_search(app, text),
        (View::Graph, _) => app.graph.filter = text.to_string(),
        (_, Some(session)) => {
            session.set_filter(text);
            // Other groups may be listed now.
            (app.animate.group, app.animate.member) = (0, 0);
        }
        (_, None) => {}
    }
}

/// Drops temporary data.
pub fn clear(app: &mut App, _: usize) -> Vec<Effect> {
    app.typed = PendingKeys::default();
    // One effect a press, the most urgent first.
    if app.animate.walk.take().is_some() {
        app.note = "walk stopped".to_string();
    } else if app.files.reloading.is_some() {
        app.note = "cancelling ...".to_string();
        return vec![Effect::CancelReload];
    } else if matches!(app.load, Load::Loading) || !app.pending.is_empty() {
        app.note = "cancelling ...".to_string();
        // This has cancelled the search for symmetry, too, if its view is shown again.
        app.playing.left = false;
        return vec![Effect::CancelRequests];
    } else if app.orbit.playing || app.playing.plays {
        app.orbit.playing = false;
        app.playing.plays = false;
    } else if !current_filter(app).is_empty() {
        set_filter(app, "");
    } else if app.zoom {
        app.zoom = false;
    } else if matches!(app.pane(), Pane::Racing | Pane::Doubled | Pane::Sizes) {
        let is_active = match app.pane() {
            Pane::Sizes => app.sizes.stage.is_active(),
            _ => app.race.is_active(),
        };
        if is_active {
            app.note = "cancelling ...".to_string();
            return vec![Effect::CancelChecks];
        }
        race::put_away(app);
    }
    Vec::new()
}

/// Opens the palette at the processes that can be opened.
pub fn open(app: &mut App, _: usize) -> Vec<Effect> {
    let query = "open ".to_string();
    app.line.begin();
    app.overlay = Some(Overlay::Palette(ListSearch {
        query,
        ..ListSearch::default()
    }));
    Vec::new()
}

/// Opens the palette at the text of a process that could not be opened, with the reason.
pub fn type_again(app: &mut App, process: &str, wrong: &str) {
    app.line.begin();
    app.overlay = Some(Overlay::Palette(ListSearch {
        query: format!("open {process}"),
        selected: 0,
        wrong: wrong.to_owned(),
    }));
}

/// Opens the Space menu.
pub fn menu(app: &mut App, _: usize) -> Vec<Effect> {
    app.overlay = Some(Overlay::Menu(None));
    Vec::new()
}

/// Opens the palette: all commands, assertions and processes.
pub fn palette(app: &mut App, _: usize) -> Vec<Effect> {
    app.line.begin();
    app.overlay = Some(Overlay::Palette(ListSearch::default()));
    Vec::new()
}

/// Opens the help: the commands that work here.
pub fn help(app: &mut App, _: usize) -> Vec<Effect> {
    app.line.begin();
    app.overlay = Some(Overlay::Help(ListSearch::default()));
    Vec::new()
}

/// Shows errors and warnings.
pub fn messages(app: &mut App, _: usize) -> Vec<Effect> {
    let details: Vec<_> = facts::all_messages(app)
        .iter()
        .map(|f| f.detail.trim_end())
        .collect();
    app.tell("Errors and warnings", &details.join("\n\n"));
    Vec::new()
}

/// Shows the reduction of the open process, or in Check of the selected assertion.
pub fn types(app: &mut App, _: usize) -> Vec<Effect> {
    let (title, text) = match app.view {
        View::Check => facts::symmetry_report(app),
        _ => facts::process_report(app),
    };
    app.tell(&title, &text);
    Vec::new()
}

/// Takes or leaves the mouse.
pub fn mouse(app: &mut App, _: usize) -> Vec<Effect> {
    app.mouse = !app.mouse;
    app.note = if app.mouse {
        "mouse on".to_string()
    } else {
        "mouse off: the terminal selects text".to_string()
    };
    vec![Effect::Mouse(app.mouse)]
}

/// Goes on to the next theme.
pub fn theme(app: &mut App, _: usize) -> Vec<Effect> {
    app.theme.palette = app.theme.palette.next();
    app.note = format!("theme {}", app.theme.palette.name());
    Vec::new()
}

/// Draws the whole screen again, over the output of other programs.
pub fn redraw(_: &mut App, _: usize) -> Vec<Effect> {
    vec![Effect::Redraw]
}

/// Goes to the shell.
pub fn suspend(_: &mut App, _: usize) -> Vec<Effect> {
    vec![Effect::Suspend]
}

/// Back, or ends the program; asks if something would be lost.
pub fn quit(app: &mut App, _: usize) -> Vec<Effect> {
    // Only Animate is left for good: elsewhere `q` leads there.
    if app.view != View::Animate {
        return showing::show(app, View::Animate);
    }
    if let Some(room) = &mut app.lesson {
        // A lesson is left from its card.
        room.in_view = false;
        return Vec::new();
    }
    if !stakes::at_stake(app).is_empty() {
        app.overlay = Some(Overlay::Quit);
        return Vec::new();
    }
    vec![Effect::Quit]
}

/// Ends the program without a question.
pub fn quit_now(app: &mut App, _: usize) -> Vec<Effect> {
    session::interrupted(app)
}

/// Shows the list of lessons.
pub fn lessons(_: &mut App, _: usize) -> Vec<Effect> {
    vec![Effect::Lessons(WantedLesson::Any)]
}

/// Shows other scripts to open.
pub fn other_script(_: &mut App, _: usize) -> Vec<Effect> {
    vec![Effect::Welcome(WelcomePage::Open)]
}

/// Shows the page that welcomes.
pub fn welcome(_: &mut App, _: usize) -> Vec<Effect> {
    vec![Effect::Welcome(WelcomePage::Main)]
}
