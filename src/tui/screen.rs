//! The whole screen: the views, and what lies over them.

use ratatui::Frame;

use super::app::App;
use super::{lessons, view};

/// Draws one frame.
pub fn draw(app: &App, frame: &mut Frame) {
    let Some(room) = &app.lesson else {
        return view::view(app, frame);
    };
    lessons::draw::draw(app, room, frame);
    view::draw_overlay(app, frame);
    // Last, so that nothing is drawn after it.
    view::harmless(frame, app.theme.ascii);
}
