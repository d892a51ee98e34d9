//! Keys are taught where they would have helped: after the list of all commands or the mouse was used.

use super::app::App;
use super::command::Command;
use super::keys;
use super::registry;

/// How often a key is told of.
const TIMES: u8 = 2;

/// Tells the key of a command that was run in another way, unless something else has to be told.
pub fn tell(app: &mut App, command: &'static Command) {
    // What it has opened is to be read first; and no key of one letter leads to a letter after it.
    let key = registry::key_of(app, command);
    if !app.settings.hints
        || key.is_empty()
        || !app.note.is_empty()
        || app.overlay.is_some()
        || app.typed.prefix.is_some()
    {
        return;
    }
    let told = app.taught.entry(command.id).or_insert(0);
    if *told < TIMES {
        *told += 1;
        app.note = format!("next time: {}", keys::shown(key));
    }
}
