//! Commands that work everywhere.

use super::check;
use super::motion::{self, Far};
use crate::animate::model::{Failure, TypeInfo};
use crate::animate::reduction;
use crate::tui::app::{App, Effect, Load, Overlay, Pane, Search, Typed, View};
use crate::tui::command::Availability;

/// Whether the script is loaded.
pub fn is_ready(app: &App) -> Availability {
    match app.load {
        Load::Ready(_) => Ok(()),
        Load::Loading => Err("the script is still loading".to_string()),
        Load::Failed(_) => Err("the script has errors".to_string()),
    }
}

/// Goes to a view.
pub fn go(app: &mut App, view: View) -> Vec<Effect> {
    if app.view != view {
        app.view = view;
        app.zoom = false;
    }
    Vec::new()
}

/// Goes to Animate.
pub fn to_animate(app: &mut App, _: usize) -> Vec<Effect> {
    go(app, View::Animate)
}

/// Goes to Orbit.
pub fn to_orbit(app: &mut App, _: usize) -> Vec<Effect> {
    go(app, View::Orbit)
}

/// Goes to Check.
pub fn to_check(app: &mut App, _: usize) -> Vec<Effect> {
    go(app, View::Check)
}

/// Next row.
pub fn down(app: &mut App, count: usize) -> Vec<Effect> {
    motion::go(app, Far::Rows(count as isize))
}

/// Row before.
pub fn up(app: &mut App, count: usize) -> Vec<Effect> {
    motion::go(app, Far::Rows(-(count as isize)))
}

/// Next page.
pub fn page_down(app: &mut App, count: usize) -> Vec<Effect> {
    motion::go(app, Far::Pages(count as isize))
}

/// Page before.
pub fn page_up(app: &mut App, count: usize) -> Vec<Effect> {
    motion::go(app, Far::Pages(-(count as isize)))
}

/// First row.
pub fn top(app: &mut App, _: usize) -> Vec<Effect> {
    motion::go(app, Far::Top)
}

/// Last row.
pub fn bottom(app: &mut App, _: usize) -> Vec<Effect> {
    motion::go(app, Far::Bottom)
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
        View::Check => check::has_counterexample(app),
        _ => super::animate::has_session(app),
    }
}

/// Begins to type a filter.
pub fn filter(app: &mut App, _: usize) -> Vec<Effect> {
    let before = current_filter(app);
    app.overlay = Some(Overlay::Filter(before));
    Vec::new()
}

/// The filter of the present view.
#[must_use]
pub fn current_filter(app: &App) -> String {
    match (app.view, &app.session) {
        (View::Check, _) => app.checks.filter.clone(),
        (_, Some(session)) => session.filter().to_string(),
        (_, None) => String::new(),
    }
}

/// Changes the filter of the present view.
pub fn set_filter(app: &mut App, text: &str) {
    match (app.view, &mut app.session) {
        (View::Check, _) => app.checks.filter = text.to_string(),
        (_, Some(session)) => {
            session.set_filter(text);
            (app.animate.group, app.animate.member) = (0, 0);
        }
        (_, None) => {}
    }
}

/// Drops what is temporary.
pub fn clear(app: &mut App, _: usize) -> Vec<Effect> {
    app.typed = Typed::default();
    if app.animate.walk.take().is_some() {
        app.note = "walk stopped".to_string();
    } else if matches!(app.load, Load::Loading) || !app.pending.is_empty() {
        app.note = "cancelling ...".to_string();
        return vec![Effect::CancelRequests];
    } else if app.orbit.playing {
        app.orbit.playing = false;
    } else if !current_filter(app).is_empty() {
        set_filter(app, "");
    } else if app.zoom {
        app.zoom = false;
    }
    Vec::new()
}

/// Opens the palette at what can be opened.
pub fn open(app: &mut App, _: usize) -> Vec<Effect> {
    let query = "open ".to_string();
    app.overlay = Some(Overlay::Palette(Search { query, selected: 0 }));
    Vec::new()
}

/// Opens the Space menu.
pub fn menu(app: &mut App, _: usize) -> Vec<Effect> {
    app.overlay = Some(Overlay::Menu);
    Vec::new()
}

/// Opens the palette.
pub fn palette(app: &mut App, _: usize) -> Vec<Effect> {
    app.overlay = Some(Overlay::Palette(Search::default()));
    Vec::new()
}

/// Opens the help.
pub fn help(app: &mut App, _: usize) -> Vec<Effect> {
    app.overlay = Some(Overlay::Help(Search::default()));
    Vec::new()
}

/// All errors and warnings that are to be shown.
#[must_use]
pub fn all_messages(app: &App) -> Vec<&Failure> {
    let of_script: &[Failure] = match &app.load {
        Load::Loading => &[],
        Load::Ready(info) => &info.diagnostics,
        Load::Failed(failures) => failures,
    };
    of_script.iter().chain(&app.open_failure).collect()
}

/// Whether there are any.
pub fn has_messages(app: &App) -> Availability {
    if all_messages(app).is_empty() {
        Err("there are none".to_string())
    } else {
        Ok(())
    }
}

/// Shows errors and warnings.
pub fn messages(app: &mut App, _: usize) -> Vec<Effect> {
    let details: Vec<_> = all_messages(app)
        .iter()
        .map(|f| f.detail.trim_end())
        .collect();
    app.tell("Errors and warnings", &details.join("\n\n"));
    Vec::new()
}

/// Shows what the open process is reduced by, or in Check the selected assertion.
pub fn types(app: &mut App, _: usize) -> Vec<Effect> {
    let (title, text) = match app.view {
        View::Check => check::symmetry_report(app),
        View::Animate | View::Orbit => process_report(app),
    };
    app.tell(&title, &text);
    Vec::new()
}

fn process_report(app: &App) -> (String, String) {
    let session = app.session.as_ref();
    let open = session.and_then(|s| Some((s, s.reduction()?)));
    let Some((session, reduction)) = open else {
        let types = app.info().map_or(&[][..], |info| &info.types);
        let title = "Symmetry of the script as a whole: no process is open".to_string();
        return (title, types_text(types, "The script"));
    };
    let title = format!("Symmetry of {}", session.history.process());
    let mut text = reduction::of_process(reduction).join("\n");
    if let Some(view) = session.view()
        && view.representative.is_none()
        && reduction.used.is_some()
    {
        text += &format!("\nNot in this state: {}", view.no_representative);
    }
    if let Some(instead) = reduction.plan.instead.as_ref().filter(|i| i.has_more()) {
        text += &format!("\n\n{}", instead.detail.trim_end());
    }
    let types = types_text(&reduction.types, "What it reaches of the script");
    (title, format!("{text}\n\n{types}"))
}

/// What the text says of datatypes.
#[must_use]
pub fn types_text(types: &[TypeInfo], what: &str) -> String {
    match types.is_empty() {
        true => format!("{what} has no datatype with two or more atomic values."),
        false => format!(
            "Datatypes and their interchangeable values, by the text:\n\n{}",
            reduction::type_report(types)
        ),
    }
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

/// Draws everything again.
pub fn redraw(_: &mut App, _: usize) -> Vec<Effect> {
    vec![Effect::Redraw]
}

/// Goes to the shell.
pub fn suspend(_: &mut App, _: usize) -> Vec<Effect> {
    vec![Effect::Suspend]
}

/// Back, or ends the program; asks if a check is running.
pub fn quit(app: &mut App, _: usize) -> Vec<Effect> {
    if app.view != View::Animate {
        return go(app, View::Animate);
    }
    if app.checks.active() {
        app.overlay = Some(Overlay::Quit);
        return Vec::new();
    }
    vec![Effect::Quit]
}

/// Ends the program.
pub fn quit_now(_: &mut App, _: usize) -> Vec<Effect> {
    vec![Effect::Quit]
}
