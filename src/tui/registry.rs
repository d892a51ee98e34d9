//! The registry: every command once.
//!
//! Keys, hint line, `?`, `:` and the Space menu are all read from it; there is no action that only a
//! key knows.

use std::sync::OnceLock;

use super::actions::showing;
use super::app::{App, Effect, KeyPlace, Pane, View};
use super::bindings::Bindings;
use super::command::Command;
use super::commands;
use super::keys;

pub use commands::all;

/// The commands that work in views, which lines of commands and the palette know.
pub fn in_views() -> impl Iterator<Item = &'static Command> {
    all().filter(|command| command.in_views)
}

/// The command with an id.
#[must_use]
pub fn by_id(id: &str) -> Option<&'static Command> {
    all().find(|command| command.id == id)
}

/// The keys that were given to commands, once for the whole program, as the commands themselves.
static BOUND: OnceLock<Bindings> = OnceLock::new();

/// Binds keys to commands. Only the first call counts: keys do not change while the program runs.
pub fn bind(bindings: Bindings) {
    let _ = BOUND.set(bindings);
}

fn bound() -> &'static Bindings {
    BOUND.get_or_init(Bindings::default)
}

/// The first of two keys that are pressed one after the other, or the key itself.
fn first_of(key: &str) -> &str {
    key.split(' ').next().unwrap_or(key)
}

/// Whether a key is bound to a command that works in a place.
fn is_taken(bindings: &Bindings, place: KeyPlace, key: &str) -> bool {
    let takes = |keys: &[String]| keys.iter().any(|k| first_of(k) == first_of(key));
    let mut given = bindings.all().filter(|(_, keys)| takes(keys));
    given.any(|(id, _)| by_id(id).is_some_and(|command| command.applies(place)))
}

/// The keys that a command has in a place.
#[must_use]
pub fn keys_in<'a>(bindings: &'a Bindings, command: &Command, place: KeyPlace) -> Vec<&'a str> {
    match bindings.of(command.id) {
        Some(keys) => keys.iter().map(String::as_str).collect(),
        None if bindings.is_empty() => command.keys.to_vec(),
        None => {
            let keys = command.keys.iter().copied();
            keys.filter(|key| !is_taken(bindings, place, key)).collect()
        }
    }
}

/// The first place where a command works, if panes have this focus.
fn first_place(command: &Command, view: View, focus: impl Fn(View) -> Pane) -> KeyPlace {
    match command.pages.first().filter(|_| !command.in_views) {
        Some(page) => KeyPlace::On(*page),
        None => {
            let mut places = std::iter::once(view).chain(View::ALL);
            let view = places.find(|view| command.works_in(*view)).unwrap_or(view);
            let pane = command.panes.first().copied();
            KeyPlace::In(view, pane.unwrap_or_else(|| focus(view)))
        }
    }
}

/// The keys of a command: where one is, or else in the first place where it works.
#[must_use]
pub fn keys_of(app: &App, command: &Command) -> Vec<&'static str> {
    let place = if command.applies_here(app) {
        app.place()
    } else {
        first_place(command, app.view, |view| app.focus[view as usize])
    };
    keys_in(bound(), command, place)
}

/// The first key of a command in the first place where it works, as people write it.
#[must_use]
pub fn shown_key(id: &str) -> String {
    let Some(command) = by_id(id) else {
        return String::new();
    };
    let place = first_place(command, View::Animate, View::main_pane);
    let keys = keys_in(bound(), command, place);
    keys.first().map(|key| keys::shown(key)).unwrap_or_default()
}

/// The first key, which hints show.
#[must_use]
pub fn key_of(app: &App, command: &Command) -> &'static str {
    keys_of(app, command).first().copied().unwrap_or("")
}

/// The command that a key means in a place.
#[must_use]
pub fn lookup(place: KeyPlace, key: &str) -> Option<&'static Command> {
    lookup_in(bound(), place, key)
}

/// Looks a key up in given bindings.
#[must_use]
pub fn lookup_in(bindings: &Bindings, place: KeyPlace, key: &str) -> Option<&'static Command> {
    let here = || all().filter(|command| command.applies(place));
    let given = |c: &&Command| {
        bindings
            .of(c.id)
            .is_some_and(|keys| keys.iter().any(|k| k == key))
    };
    let usual = |c: &&Command| c.keys.contains(&key) && bindings.of(c.id).is_none();
    here().find(given).or_else(|| {
        let free = bindings.is_empty() || !is_taken(bindings, place, key);
        here().find(usual).filter(|_| free)
    })
}

/// The command of a key by default, without bindings: a double click always means Enter.
#[must_use]
pub fn usual(place: KeyPlace, key: &str) -> Option<&'static Command> {
    lookup_in(&Bindings::default(), place, key)
}

/// The command of two keys in sequence, and the letter if the second is one that the command takes.
#[must_use]
pub fn sequence(
    place: KeyPlace,
    first: &str,
    second: &str,
) -> Option<(&'static Command, Option<char>)> {
    if let Some(command) = lookup(place, &format!("{first} {second}")) {
        return Some((command, None));
    }
    let letter = keys::letter(second)?;
    let command = lookup(place, &format!("{first} {}", keys::LETTER))?;
    Some((command, Some(letter)))
}

/// The command that wants a letter after a key.
#[must_use]
pub fn wants_letter(place: KeyPlace, first: &str) -> Option<&'static Command> {
    lookup(place, &format!("{first} {}", keys::LETTER))
}

/// Whether a key begins a sequence.
#[must_use]
pub fn is_prefix(place: KeyPlace, key: &str) -> bool {
    let begins = |k: &&str| {
        k.strip_prefix(key)
            .is_some_and(|rest| rest.starts_with(' '))
    };
    let here = all().filter(|command| command.applies(place));
    let mut keys = here.flat_map(|command| keys_in(bound(), command, place));
    keys.any(|key| begins(&key))
}

/// Runs a command from anywhere: goes to its view and pane first. The reason why it cannot be used goes into the
/// note.
pub fn run(app: &mut App, command: &'static Command, count: usize) -> Vec<Effect> {
    attempt(app, command, count).unwrap_or_else(|reason| {
        app.note = reason;
        Vec::new()
    })
}

/// Runs a command from anywhere, and returns whether it was run.
///
/// # Errors
/// Why it cannot be used.
pub fn attempt(
    app: &mut App,
    command: &'static Command,
    count: usize,
) -> Result<Vec<Effect>, String> {
    let refused = |reason| format!("{}: {reason}", command.name);
    if let KeyPlace::On(_) = app.place() {
        command.usable(app).map_err(refused)?;
    }
    let mut effects = Vec::new();
    // From the palette a command may be run anywhere; its object then has to be visible.
    if !command.works_in(app.view)
        && let Some(view) = command.views.first()
    {
        effects.extend(showing::show(app, *view));
    }
    if let Some(pane) = command.panes.first()
        && !command.panes.contains(&app.pane())
    {
        app.focus_on(*pane);
    }
    // Only now: whether it can be used may depend on view and pane.
    command.usable(app).map_err(refused)?;
    effects.extend((command.run)(app, count));
    Ok(effects)
}
