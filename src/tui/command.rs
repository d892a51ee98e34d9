//! The registry: every command once, with its keys, its help, and where and when it works.
//!
//! Keys, hint line, `?`, `:` and the Space menu are all read from it; there is no action that only a
//! key knows.

use super::app::{App, Effect, Pane, View};
use super::commands;

/// Why a command cannot be used now.
pub type Availability = Result<(), String>;

/// Something that a person can do.
#[derive(Clone, Copy)]
pub struct Command {
    /// Stable name.
    pub id: &'static str,
    /// A few words.
    pub name: &'static str,
    /// One sentence.
    pub description: &'static str,
    /// Keys by name; a sequence is written with a space.
    pub keys: &'static [&'static str],
    /// Where it works; everywhere if empty.
    pub views: &'static [View],
    /// Which panes; all if empty.
    pub panes: &'static [Pane],
    /// Its key in the Space menu.
    pub menu: Option<char>,
    /// Its word in the hint line.
    pub hint: Option<&'static str>,
    /// Whether a number before the key repeats it.
    pub counts: bool,
    /// Does it, as often as the number says.
    pub run: fn(&mut App, usize) -> Vec<Effect>,
    /// Whether it can be used.
    pub available: fn(&App) -> Availability,
}

impl Command {
    /// A command that works everywhere and always.
    #[must_use]
    pub const fn new(
        id: &'static str,
        name: &'static str,
        keys: &'static [&'static str],
        run: fn(&mut App, usize) -> Vec<Effect>,
        description: &'static str,
    ) -> Self {
        Self {
            id,
            name,
            description,
            keys,
            views: &[],
            panes: &[],
            menu: None,
            hint: None,
            counts: false,
            run,
            available: always,
        }
    }

    /// Only in these views.
    #[must_use]
    pub const fn views(mut self, views: &'static [View]) -> Self {
        self.views = views;
        self
    }

    /// Only in these panes.
    #[must_use]
    pub const fn panes(mut self, panes: &'static [Pane]) -> Self {
        self.panes = panes;
        self
    }

    /// Listed in the Space menu.
    #[must_use]
    pub const fn menu(mut self, key: char) -> Self {
        self.menu = Some(key);
        self
    }

    /// Listed in the hint line.
    #[must_use]
    pub const fn hint(mut self, word: &'static str) -> Self {
        self.hint = Some(word);
        self
    }

    /// Repeated by a number before the key.
    #[must_use]
    pub const fn counts(mut self) -> Self {
        self.counts = true;
        self
    }

    /// Usable only if this says so.
    #[must_use]
    pub const fn when(mut self, available: fn(&App) -> Availability) -> Self {
        self.available = available;
        self
    }

    /// Whether it works in a view with a pane focused.
    #[must_use]
    pub fn applies(&self, view: View, pane: Pane) -> bool {
        (self.views.is_empty() || self.views.contains(&view))
            && (self.panes.is_empty() || self.panes.contains(&pane))
    }

    /// Its first key.
    #[must_use]
    pub fn key(&self) -> &'static str {
        self.keys.first().copied().unwrap_or("")
    }
}

fn always(_: &App) -> Availability {
    Ok(())
}

/// Every command.
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

/// Whether a key begins a sequence.
#[must_use]
pub fn is_prefix(view: View, pane: Pane, key: &str) -> bool {
    let begins = |k: &&'static str| {
        k.strip_prefix(key)
            .is_some_and(|rest| rest.starts_with(' '))
    };
    all().any(|command| command.applies(view, pane) && command.keys.iter().any(begins))
}

/// Runs a command wherever one is: goes to its view and pane first.
pub fn run(app: &mut App, command: &'static Command, count: usize) -> Vec<Effect> {
    let mut effects = Vec::new();
    if let Some(view) = command.views.first()
        && !command.views.contains(&app.view)
    {
        effects.extend(super::actions::general::go(app, *view));
    }
    if let Some(pane) = command.panes.first()
        && !command.panes.contains(&app.pane())
    {
        app.focus_on(*pane);
    }
    match (command.available)(app) {
        Ok(()) => effects.extend((command.run)(app, count)),
        Err(reason) => app.note = format!("{}: {reason}", command.name),
    }
    effects
}
