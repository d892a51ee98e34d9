//! Keys where nothing is drawn over the view: sequences, numbers before keys, and the numbers of views.

use super::actions::showing;
use super::app::{App, Effect, KeyPage, KeyPlace, PendingKeys, View};
use super::command::Command;
use super::keys;
use super::registry;

/// Largest number before a key: four digits.
const COUNT_MAX: usize = 9999;
/// Keys within so many milliseconds are typed in one go.
const TOGETHER: u64 = 300;

/// Handles a key where there is no overlay.
pub fn key(app: &mut App, key: &str) -> Vec<Effect> {
    if let Some(prefix) = app.typed.prefix.take() {
        if let Some((command, letter)) = registry::sequence(app.place(), &prefix, key) {
            app.letter = letter;
            let effects = counted(app, command);
            app.letter = None;
            return effects;
        }
        // If a letter was expected, the meaning of this key by itself is not wanted.
        if let Some(command) = registry::wants_letter(app.place(), &prefix) {
            app.typed = PendingKeys::default();
            if key != "esc" {
                app.note = format!("{}: {} is no letter", command.name, keys::shown(key));
            }
            return Vec::new();
        }
        // If the two are no sequence, the first is forgotten, and this key is handled by itself.
    }
    if registry::is_prefix(app.place(), key) {
        app.typed.prefix = Some(key.to_string());
        return Vec::new();
    }
    let is_late = app.now.saturating_sub(app.typed.at) > TOGETHER;
    if is_late && app.typed.origin.is_some() && keys::digit(key).is_some() {
        // A digit some time after others that went to views is one by itself.
        app.typed = PendingKeys::default();
    }
    match keys::digit(key) {
        // No count begins with 0, so there it is an ordinary key.
        Some(0) if app.typed.count.is_empty() && app.typed.chain.is_empty() => {}
        // On a page they are the numbers of its entries.
        Some(digit) if matches!(app.place(), KeyPlace::On(_)) => {
            let command = registry::lookup(app.place(), key);
            let run = |command| registry::run(app, command, digit);
            return command.map_or_else(Vec::new, run);
        }
        Some(digit) => return number(app, key, digit),
        None => {}
    }
    if let Some(effects) = counted_before(app, key) {
        return effects;
    }
    let Some(command) = registry::lookup(app.place(), key) else {
        return unbound(app, key);
    };
    counted(app, command)
}

/// Handles a key right after digits that went to other views: `2j` means a number, and the view where the digits
/// began is shown again. A pause after the digits means the view.
fn counted_before(app: &mut App, key: &str) -> Option<Vec<Effect>> {
    let origin = app.typed.origin?;
    if app.now.saturating_sub(app.typed.at) > TOGETHER {
        return None;
    }
    let command = registry::lookup(in_view(app, origin), key);
    let command = command.filter(|command| command.counts)?;
    let typed = std::mem::take(&mut app.typed);
    showing::show(app, origin);
    Some(registry::run(app, command, count(&typed.chain)))
}

/// Handles a digit: of a count, or the number of a view, or both until the next key decides.
fn number(app: &mut App, key: &str, digit: usize) -> Vec<Effect> {
    let other = View::ALL
        .iter()
        .any(|v| v.number() == digit && *v != app.view);
    let first = app.typed.chain.is_empty();
    // The digit goes to another view. If a count follows after all (`20r`), it was meant here.
    if first && other {
        app.typed.origin = Some(app.view);
    }
    app.typed.at = app.now;
    app.typed.chain.push_str(key);
    // The length of the largest count.
    app.typed.chain.truncate(4);
    // Digits act as keys only after one has left the view; otherwise they are part of a count.
    let acts = app.typed.origin.is_some();
    match registry::lookup(app.place(), key).filter(|_| acts) {
        Some(command) => {
            // The digits so far have acted; only the chain still has them.
            app.typed.count.clear();
            (command.run)(app, 1)
        }
        None => {
            app.typed.count.push_str(key);
            app.typed.count.truncate(4);
            Vec::new()
        }
    }
}

/// A view with the pane that is focused there.
fn in_view(app: &App, view: View) -> KeyPlace {
    KeyPlace::In(view, app.focus[view as usize])
}

fn counted(app: &mut App, command: &'static Command) -> Vec<Effect> {
    let typed = std::mem::take(&mut app.typed);
    registry::run(app, command, count(&typed.count))
}

fn count(digits: &str) -> usize {
    // Without digits: once.
    digits.parse().unwrap_or(1).clamp(1, COUNT_MAX)
}

/// A key without a meaning here. After digits that went to other views, it may mean something with a
/// count in the view where the digits began: `20r`.
fn unbound(app: &mut App, key: &str) -> Vec<Effect> {
    let typed = std::mem::take(&mut app.typed);
    if let Some(origin) = typed.origin {
        // Only if the command takes a count: otherwise the digits were meant as they acted.
        let command = registry::lookup(in_view(app, origin), key).filter(|c| c.counts);
        if let Some(command) = command {
            showing::show(app, origin);
            return registry::run(app, command, count(&typed.chain));
        }
        // Or the first digit went to a view, and the others are a count there: `1`, and then `7r`.
        let first = typed.chain.chars().next();
        let there = |view: &View| first == char::from_digit(view.number() as u32, 10);
        if let Some(view) = View::ALL.into_iter().find(there) {
            let command = registry::lookup(in_view(app, view), key).filter(|c| c.counts);
            if let Some(command) = command {
                showing::show(app, view);
                return registry::run(app, command, count(&typed.chain[1..]));
            }
        }
    }
    let (place, help) = match app.place() {
        KeyPlace::On(KeyPage::Card) => ("on a card", "? shows what works, Tab goes to the screen"),
        KeyPlace::On(KeyPage::Path) => ("here", "F1 shows what works"),
        KeyPlace::On(KeyPage::Welcome) | KeyPlace::In(..) => ("here", "? shows what works"),
    };
    app.note = format!("{} does nothing {place}; {help}", keys::shown(key));
    Vec::new()
}
