//! Going from view to view.

use crate::app::{App, Effect, View};

/// Goes to a view.
pub fn show(app: &mut App, view: View) -> Vec<Effect> {
    if app.view != view {
        app.view = view;
        app.zoom = false;
    }
    Vec::new()
}
