//! A line that was read, done with all that follows from it.

use super::act::act;
use super::line::CommandLine;
use crate::app::{App, Effect, Msg};
use crate::update::update;

/// Does what a line asks for. The effects are to be carried out as those of [`update`]; answers that they
/// bring go to it, too.
///
/// # Errors
/// Why it cannot be done, in a sentence; or for an `expect`, what is not as expected.
pub fn run(app: &mut App, line: &CommandLine) -> Result<Vec<Effect>, String> {
    if !line.instruction.looks_for_text() {
        app.note.clear();
    }
    app.failed = None;
    let mut effects = act(app, line)?;
    // What is on the screen now may need something of the engine.
    let now = Msg::Tick(app.now);
    effects.extend(update(app, now));
    Ok(effects)
}
