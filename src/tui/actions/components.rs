//! Commands of the list of components.

use super::distance::Distance;
use crate::app::{App, Effect, Pane};
use crate::command::Availability;
use crate::{layout, panes};

/// Selects another component.
pub fn select(app: &mut App, far: Distance) {
    let rows = layout::height(app, Pane::State);
    let list = panes::components::selectable(app, rows);
    let chosen = app.animate.component;
    let at = list.iter().position(|c| chosen == Some(*c));
    let to = match (at, far) {
        // The first key selects the first one.
        (None, Distance::Rows(_)) => 0,
        (at, far) => far.from(at.unwrap_or(0), list.len(), rows.saturating_sub(2)),
    };
    app.animate.component = list.get(to).copied();
}

/// Shows the selected component in full.
pub fn open(app: &mut App, _: usize) -> Vec<Effect> {
    if let Some((title, text)) = panes::components::in_full(app) {
        app.tell(&title, &text);
    }
    Vec::new()
}

/// Whether a component is selected.
pub fn is_selected(app: &App) -> Availability {
    match panes::components::in_full(app) {
        Some(_) => Ok(()),
        None => Err("no component is selected: j and k select one".to_string()),
    }
}
