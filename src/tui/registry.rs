//! The registry: every command once.
//!
//! Keys, hint line, `?`, `:` and the Space menu are all read from it; there is no action that only a
//! key knows.

use super::actions::showing;
use super::app::{App, Effect, Pane, View};
use super::command::Command;
use super::commands;
use super::keys;

/// Every command, in order of precedence.
pub fn all() -> impl Iterator<Item = &'static Command> {
    commands::TABLES.iter().copied().flatten()
}

/// The command with an id.
#[must_use]
pub fn by_id(id: &str) -> Option<&'static Command> {
    all().find(|command| command.id == id)
}

/// The command that a key means in a view with a pane focused.
#[must_use]
pub fn lookup(view: View, pane: Pane, key: &str) -> Option<&'static Command> {
    all().find(|command| command.keys.contains(&key) && command.applies(view, pane))
}

/// What two keys mean, one after the other, and the letter if the second is one that the command wants.
#[must_use]
pub fn sequence(
    view: View,
    pane: Pane,
    first: &str,
    second: &str,
) -> Option<(&'static Command, Option<char>)> {
    if let Some(command) = lookup(view, pane, &format!("{first} {second}")) {
        return Some((command, None));
    }
    let letter = keys::letter(second)?;
    let command = lookup(view, pane, &format!("{first} {}", keys::LETTER))?;
    Some((command, Some(letter)))
}

/// The command that wants a letter after a key.
#[must_use]
pub fn wants_letter(view: View, pane: Pane, first: &str) -> Option<&'static Command> {
    lookup(view, pane, &format!("{first} {}", keys::LETTER))
}

/// Whether a key begins a sequence.
#[must_use]
pub fn is_prefix(view: View, pane: Pane, key: &str) -> bool {
    let begins = |k: &&'static str| {
        k.strip_prefix(key)
            .is_some_and(|rest| rest.starts_with(' '))
    };
    all().any(|command| command.applies(view, pane) && command.keys.iter().any(begins))
}

/// Runs a command wherever one is: goes to its view and pane first. What stands against it is told by the
/// note.
pub fn run(app: &mut App, command: &'static Command, count: usize) -> Vec<Effect> {
    attempt(app, command, count).unwrap_or_else(|reason| {
        app.note = reason;
        Vec::new()
    })
}

/// The same for those who have to know whether it was run.
///
/// # Errors
/// Why it cannot be used.
pub fn attempt(
    app: &mut App,
    command: &'static Command,
    count: usize,
) -> Result<Vec<Effect>, String> {
    let mut effects = Vec::new();
    // From the palette a command may be run anywhere; what it acts on is then to be seen.
    if let Some(view) = command.views.first()
        && !command.views.contains(&app.view)
    {
        effects.extend(showing::show(app, *view));
    }
    if let Some(pane) = command.panes.first()
        && !command.panes.contains(&app.pane())
    {
        app.focus_on(*pane);
    }
    // Only now: whether it can be used may depend on view and pane.
    (command.available)(app).map_err(|reason| format!("{}: {reason}", command.name))?;
    effects.extend((command.run)(app, count));
    Ok(effects)
}
