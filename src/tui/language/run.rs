//! A line that was read, done with all that follows from it.

use super::act::act;
use super::line::CommandLine;
use crate::app::{App, Effect};
use crate::settling::settle;

/// Runs a line. The caller carries out the effects like those of [`update`], and passes their answers to it.
///
/// # Errors
/// The reason why it cannot be run, in a sentence; for an `expect`, the unmet expectation.
///
/// [`update`]: crate::update::update
pub fn run(app: &mut App, line: &CommandLine) -> Result<Vec<Effect>, String> {
    if !line.instruction.looks_for_text() {
        app.note.clear();
    }
    app.failed = None;
    let mut effects = act(app, line)?;
    // The new screen may need data of the engine.
    settle(app, &mut effects);
    Ok(effects)
}
