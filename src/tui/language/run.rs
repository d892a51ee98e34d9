//! A line that was read, done with all that follows from it.

use super::act::act;
use super::line::CommandLine;
use crate::app::{App, Effect, Msg};
use crate::update::update;

/// Runs a line. The caller carries out the effects like those of [`update`], and passes their answers to it, too.
///
/// # Errors
/// The reason why it cannot be run, in a sentence; for an `expect`, the unmet expectation.
pub fn run(app: &mut App, line: &CommandLine) -> Result<Vec<Effect>, String> {
    if !line.instruction.looks_for_text() {
        app.note.clear();
    }
    app.failed = None;
    let mut effects = act(app, line)?;
    // The new screen may need data of the engine.
    let now = Msg::Tick(app.now);
    effects.extend(update(app, now));
    Ok(effects)
}
