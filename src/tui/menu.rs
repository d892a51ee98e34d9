//! The Space menu: groups of commands by what a person wants, and the commands of one group.

use super::actions::general;
use super::app::{App, Effect, Overlay};
use super::command::Command;
use super::menu_group::MenuGroup;
use super::overlay::{self, ListItem};
use super::panes::Content;
use super::text::{Row, fit, pad, width};
use super::theme::Role;
use super::{keys, next_time, registry};

/// The commands of a group by the letters that run them, in the present view.
#[must_use]
pub fn items(app: &App, group: MenuGroup) -> Vec<(char, ListItem)> {
    // Checks are wanted from everywhere: their commands lead to the view of checks.
    let is_offered = |c: &&'static Command| c.works_in(app.view) || group == MenuGroup::Check;
    let here = registry::all().filter(|c| c.menu == Some(group));
    let listed: Vec<_> = here.filter(is_offered).collect();
    // A letter that was given to another command is that of the other.
    let own = |c: &&Command| letter(registry::key_of(app, c));
    let taken: Vec<Option<char>> = listed.iter().map(own).collect();
    let usual = |c: &Command| letter(c.key()).filter(|c| !taken.contains(&Some(*c)));
    let entry = |(command, own): (&&'static Command, &Option<char>)| {
        let letter = own.or_else(|| usual(command))?;
        Some((letter, ListItem::command(app, command)))
    };
    listed.iter().zip(&taken).filter_map(entry).collect()
}

/// The letter of a key in the menu: the last one of a sequence, that beside `Ctrl`, and the first where
/// any letter follows.
fn letter(key: &str) -> Option<char> {
    let key = key.strip_suffix(keys::LETTER).unwrap_or(key).trim_end();
    let last = key.rsplit(' ').next().unwrap_or(key);
    let mut letters = last.strip_prefix("ctrl-").unwrap_or(last).chars();
    let first = letters.next()?;
    letters.next().is_none().then_some(first)
}

/// The groups that have commands in the present view.
fn groups(app: &App) -> impl Iterator<Item = MenuGroup> {
    let filled = |group: &MenuGroup| !items(app, *group).is_empty();
    MenuGroup::ALL.into_iter().filter(filled)
}

/// A key while the menu is open: at its groups, or in one of them.
pub fn key(app: &mut App, group: Option<MenuGroup>, key: &str) -> Vec<Effect> {
    let Some(group) = group else {
        return key_at_groups(app, key);
    };
    if matches!(key, "esc" | "backspace" | "left") {
        app.overlay = Some(Overlay::Menu(None));
        return Vec::new();
    }
    let mut found = items(app, group).into_iter();
    match found.find(|(letter, _)| key == letter.to_string()) {
        Some((_, item)) => run(app, item),
        None => {
            app.note = format!("{} is not in this group", keys::shown(key));
            app.overlay = Some(Overlay::Menu(Some(group)));
            Vec::new()
        }
    }
}

fn key_at_groups(app: &mut App, key: &str) -> Vec<Effect> {
    match key {
        "esc" | "space" | "backspace" => return Vec::new(),
        "/" => return general::palette(app, 1),
        _ => {}
    }
    let found = groups(app).find(|group| key == group.row().0.to_string());
    app.overlay = Some(Overlay::Menu(found));
    if found.is_none() {
        app.note = format!("{} is not in the menu", keys::shown(key));
    }
    Vec::new()
}

fn run(app: &mut App, item: ListItem) -> Vec<Effect> {
    let command = item.command_of();
    let effects = overlay::action(app, item.action);
    if let Some(command) = command {
        next_time::tell(app, command);
    }
    effects
}

/// The key of the entry that a click is on.
#[must_use]
pub fn key_at(
    app: &App,
    group: Option<MenuGroup>,
    columns: usize,
    row: usize,
    x: usize,
) -> Option<char> {
    let Some(group) = group else {
        return groups(app).nth(row).map(|group| group.row().0);
    };
    let (usable, across) = usable(app, group, columns);
    let deep = usable.len().div_ceil(across);
    // The columns are filled one after the other, as `draw_group` draws them.
    let part = (x / (columns / across).max(1)).min(across - 1);
    usable.get(part * deep + row).map(|(key, _)| *key)
}

/// Entries of a group that can be used, and how many columns they are laid out in.
fn usable(app: &App, group: MenuGroup, columns: usize) -> (Vec<(char, ListItem)>, usize) {
    let mut items = items(app, group);
    items.retain(|(_, item)| item.reason.is_none());
    let wide = items
        .iter()
        .map(|(_, item)| width(&label(app, item)) + 6)
        .max();
    (
        items,
        if wide.unwrap_or(0) * 2 <= columns {
            2
        } else {
            1
        },
    )
}

/// The name of an entry, with its own keys where they are more than the letter of the menu.
fn label(app: &App, item: &ListItem) -> String {
    let key = item.command_of().map(|c| registry::key_of(app, c));
    let whole = key.filter(|key| key.chars().nth(1).is_some() && !key.ends_with(keys::LETTER));
    match whole {
        Some(key) => format!("{} ({})", item.title, keys::shown(key)),
        None => item.title.clone(),
    }
}

/// The content of the menu.
#[must_use]
pub fn content(app: &App, group: Option<MenuGroup>, columns: usize) -> Content {
    match group {
        Some(group) => group_content(app, group, columns),
        None => groups_content(app, columns),
    }
}

fn groups_content(app: &App, columns: usize) -> Content {
    let mut content = Content::new("Menu");
    for (at, group) in groups(app).enumerate() {
        let (key, name, text) = group.row();
        let row = Row::new(app.theme).add(Role::Strong, format!("  {key}"));
        let row = row.plain(format!("  {name:<8}  "));
        let room = columns.saturating_sub(row.width());
        content.push_target(row.add(Role::Dim, fit(text, room)), at);
    }
    content.push(Row::new(app.theme));
    let row = Row::new(app.theme).add(Role::Strong, "  /");
    content.push(row.plain("  find any command by its name"));
    content
}

fn group_content(app: &App, group: MenuGroup, columns: usize) -> Content {
    let mut content = Content::new(format!("Menu: {}", group.row().1));
    let (usable, across) = usable(app, group, columns);
    let deep = usable.len().div_ceil(across);
    for at in 0..deep {
        let mut row = Row::new(app.theme);
        for part in 0..across {
            if let Some((key, item)) = usable.get(part * deep + at) {
                let text = pad(&label(app, item), (columns / across).saturating_sub(6));
                row = row
                    .add(Role::Strong, format!("  {key}"))
                    .plain(format!("  {text}"));
            }
        }
        content.push_target(row, at);
    }
    // Commands that do nothing now are listed below, with the reason: people search for them.
    let greyed = items(app, group).into_iter();
    for (key, item) in greyed.filter(|(_, item)| item.reason.is_some()) {
        let reason = item.reason.as_deref().unwrap_or("");
        let text = format!("  {key}  {} (not now: {reason})", item.title);
        content.push(Row::new(app.theme).add(Role::Dim, fit(&text, columns)));
    }
    content
}
