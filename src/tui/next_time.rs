//! Keys are taught where they would have helped: after the list of all commands or the mouse was used.

use super::app::App;
use super::command::Command;
use super::keys;
use super::registry;

/// Largest number of hints on the same key.
const TIMES: u8 = 2;

/// Hints at the key of a command that was run in another way, unless another note is to be shown.
pub fn tell(app: &mut App, command: &'static Command) {
    // The text that it opened is to be read first; and no single key leads to a command with a letter.
    let key = registry::key_of(app, command);
    if !app.settings.hints
        || key.is_empty()
        || !app.note.is_empty()
        || app.overlay.is_some()
        || app.typed.prefix.is_some()
    {
        return;
    }
    let hints = app.taught.entry(command.id).or_insert(0);
    if *hints < TIMES {
        *hints += 1;
        app.note = format!("next time: {}", keys::shown(key));
    }
}
