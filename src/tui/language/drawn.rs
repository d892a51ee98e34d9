//! The screen as text, drawn in memory.

use std::convert::Infallible;

use ratatui::backend::TestBackend;
use ratatui::buffer::Buffer;
use ratatui::{Frame, Terminal};

use crate::app::App;
use crate::view::view;

/// The cells of the screen as it is now.
#[must_use]
pub fn cells(app: &App) -> Buffer {
    buffer(app.size, |frame| view(app, frame))
}

/// The cells of a screen with this size that is drawn.
#[must_use]
pub fn buffer((width, height): (u16, u16), draw: impl FnOnce(&mut Frame)) -> Buffer {
    let draw = || -> Result<Buffer, Infallible> {
        let mut terminal = Terminal::new(TestBackend::new(width, height))?;
        terminal.draw(draw)?;
        Ok(terminal.backend().buffer().clone())
    };
    match draw() {
        Ok(buffer) => buffer,
        Err(never) => match never {},
    }
}

/// Its lines, without blanks at their ends.
#[must_use]
pub fn screen_text(app: &App) -> String {
    let buffer = cells(app);
    let mut text = String::new();
    for y in 0..buffer.area.height {
        let row: String = (0..buffer.area.width)
            .map(|x| buffer[(x, y)].symbol())
            .collect();
        text += row.trim_end();
        text.push('\n');
    }
    text
}

/// Whether a text is on the screen, in one line; runs of blanks count as one.
#[must_use]
pub fn is_shown(app: &App, text: &str) -> bool {
    let folded = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let wanted = folded(text);
    screen_text(app)
        .lines()
        .any(|line| folded(line).contains(&wanted))
}
