//! Overlays: help, palette, menu, texts, filter, history, lessons, the questions before something is lost.

use super::actions::motion::Distance;
use super::actions::{
    animate, check, compare, find, general, lesson, motion, search, session, showing, welcome, yank,
};
use super::app::{App, Effect, ListSearch, Overlay, Pane, View};
use super::command::Command;
use super::language::{self, CommandLine};
use super::message::{MESSAGE_COLUMNS, message_lines};
use super::next_time;
use super::registry;
use super::requests;
use super::text::fuzzy;
use super::text_line::LineKind;
use super::{help, keys, layout, menu, stakes, terms};
use crate::animate::model::ScriptInfo;
use crate::source::glossary;
use crate::source::hash::IndexSet;

/// An entry of the help or the palette.
#[derive(Clone)]
pub struct ListItem {
    /// The name of the entry.
    pub title: String,
    /// The description.
    pub detail: String,
    /// Its keys, as people write them.
    pub keys: String,
    /// Why it cannot be used now.
    pub reason: Option<String>,
    /// The action of Enter.
    pub action: ItemAction,
    /// The heading above it and those like it, where the whole list is shown.
    pub section: &'static str,
}

/// The action of an entry.
#[derive(Clone)]
pub enum ItemAction {
    /// Run a command.
    Command(&'static Command),
    /// Check the assertion with this index.
    Check(usize),
    /// Open a process.
    Open(String),
    /// Put this text into the line, to be changed and entered.
    Fill(String),
    /// Show the meaning of a term.
    Term(&'static str),
    /// A line that was typed.
    Line(Box<CommandLine>),
    /// Nothing: the typed line has an error.
    Wrong,
}

impl ListItem {
    /// The entry of a command.
    pub(super) fn command(app: &App, command: &'static Command) -> Self {
        let keys = registry::keys_of(app, command);
        let keys: Vec<_> = keys.into_iter().map(keys::shown).collect();
        Self {
            title: command.name.to_string(),
            detail: command.description.to_string(),
            keys: keys.join(" "),
            // Listed all the same, with the reason: people look for commands that they know of.
            reason: command.usable(app).err(),
            action: ItemAction::Command(command),
            section: "",
        }
    }

    /// The command that it runs.
    #[must_use]
    pub fn command_of(&self) -> Option<&'static Command> {
        match self.action {
            ItemAction::Command(command) => Some(command),
            _ => None,
        }
    }

    /// The score of a match; smaller is better.
    fn score(&self, query: &str) -> Option<usize> {
        let exact = self.keys.split(' ').any(|key| key == query);
        let by_key = (exact && !query.is_empty()).then_some(0);
        // One more, so that an exact key comes first.
        let by_name = fuzzy(query, &self.title).map(|s| s + 1);
        let by_detail = fuzzy(query, &self.detail)
            // Below 100 the query stands there as it is. In a long text scattered letters match
            // nearly anything.
            .filter(|s| *s < 100)
            .map(|s| s + 200);
        let by_id = match self.action {
            ItemAction::Command(command) => command.id.contains(query).then_some(1),
            // By another word for it.
            ItemAction::Term(name) if !query.is_empty() => {
                let meant = glossary::find(query);
                meant.filter(|term| term.name == name).map(|_| 1)
            }
            _ => None,
        };
        let all = [by_key, by_name, by_id, by_detail];
        all.into_iter().flatten().min()
    }
}

/// The items of the palette: all commands, and the assertions and processes of the script.
#[must_use]
pub fn palette_items(app: &App, query: &str) -> Vec<ListItem> {
    // This prefix excludes everything else.
    if let Some(process) = query.strip_prefix("open ") {
        return open_items(app, process.trim());
    }
    let all = registry::in_views();
    let mut items: Vec<_> = all.map(|c| ListItem::command(app, c)).collect();
    if let Some(info) = app.info() {
        for (at, assertion) in info.assertions.iter().enumerate() {
            items.push(ListItem {
                title: format!("check: {}", assertion.text),
                detail: assertion.place.clone(),
                keys: String::new(),
                reason: None,
                action: ItemAction::Check(at),
                section: "",
            });
        }
        items.extend(processes(info));
    }
    if app.view == View::Animate && !query.is_empty() {
        items.extend(events(app));
    }
    let mut items = filtered(items, query);
    typed_line(app, query, &mut items);
    items
}

/// Transitions that are offered by the names of their events.
const EVENTS_MAX: usize = 200;

/// The named events that are possible now.
fn events(app: &App) -> Vec<ListItem> {
    let view = app.session.as_ref().and_then(|session| session.view());
    let transitions = view.map_or(&[][..], |view| &view.transitions);
    let named = transitions.iter().map(|transition| &*transition.event);
    let named: IndexSet<&str> = named
        .filter(|event| !event.is_empty())
        .take(EVENTS_MAX)
        .collect();
    let item = |event: &str| {
        let line = language::parse(&format!("take {event}")).ok()?;
        Some(ListItem {
            title: line.text.clone(),
            detail: "A transition that is possible here.".to_owned(),
            keys: String::new(),
            reason: None,
            action: ItemAction::Line(Box::new(line)),
            section: "",
        })
    };
    named.into_iter().filter_map(item).collect()
}

/// The processes that can be opened, functions to fill in, and the typed text: any expression can be opened.
fn open_items(app: &App, text: &str) -> Vec<ListItem> {
    let Some(info) = app.info() else {
        return Vec::new();
    };
    let mut items = filtered(processes(info).collect(), text);
    let known = |item: &ListItem| matches!(&item.action, ItemAction::Open(p) if p == text);
    if !text.is_empty() && !items.iter().any(known) {
        // A call is meant as it stands; the beginning of a name means what it is the beginning of.
        let at = if text.contains('(') { 0 } else { items.len() };
        items.insert(at, open_item(text, "A process expression over the script."));
    }
    items
}

fn processes(info: &ScriptInfo) -> impl Iterator<Item = ListItem> {
    info.openable.iter().map(|process| {
        let mut item = open_item(&process.text, &process.about);
        if process.is_function {
            item.title = format!("open {} ...", process.signature);
            item.action = ItemAction::Fill(format!("open {}", process.text));
        }
        item
    })
}

/// Adds the typed text, if it is a line of commands with arguments, as the first entry: with its effect, or its
/// error.
fn typed_line(app: &App, query: &str, items: &mut Vec<ListItem>) {
    let mut words = query.split_whitespace();
    let first = words.next().unwrap_or_default();
    // Ids alone are found as they are.
    if first.is_empty() || (words.next().is_none() && !items.is_empty()) {
        return;
    }
    // The name of a command means that command, unless the words are a line that can be run.
    let lower = query.trim().to_lowercase();
    let is_name = items
        .iter()
        .any(|item| item.title.to_lowercase().contains(&lower));
    let mut item = ListItem {
        title: query.trim().to_string(),
        detail: String::new(),
        keys: String::new(),
        reason: None,
        action: ItemAction::Wrong,
        section: "",
    };
    match language::parse(query) {
        Ok(line) => {
            match language::preview_line(app, &line) {
                Ok(text) => item.detail = text,
                Err(_) if is_name => return,
                Err(reason) => item.reason = Some(reason),
            }
            item.action = ItemAction::Line(Box::new(line));
        }
        // Other words may be those of a name, which is searched for.
        Err(_) if is_name || (!items.is_empty() && language::form_of(query).is_none()) => return,
        Err(mistake) => {
            let column = mistake.columns.start + 1;
            item.reason = Some(format!("column {column}: {}", mistake.message));
        }
    }
    items.insert(0, item);
}

fn open_item(process: &str, detail: &str) -> ListItem {
    ListItem {
        title: format!("open {process}"),
        detail: detail.to_string(),
        keys: String::new(),
        reason: None,
        action: ItemAction::Open(process.to_string()),
        section: "",
    }
}

/// The items that match a query, the best first.
pub(super) fn filtered(items: Vec<ListItem>, query: &str) -> Vec<ListItem> {
    let scored = items.into_iter().filter_map(|i| Some((i.score(query)?, i)));
    let mut scored: Vec<_> = scored.collect();
    if !query.is_empty() {
        // Stable: equal matches keep the order of the registry.
        scored.sort_by_key(|(score, _)| *score);
    }
    scored.into_iter().map(|(_, item)| item).collect()
}

/// A key while something is drawn over the view.
pub fn key(app: &mut App, key: &str) -> Vec<Effect> {
    // Taken away: overlays that stay open put it back. A key that is forgotten somewhere closes, and the person is
    // not caught.
    match app.overlay.take() {
        None => Vec::new(),
        Some(Overlay::Help(search)) => list(app, key, search, false),
        Some(Overlay::Palette(search)) => list(app, key, search, true),
        Some(Overlay::Menu(group)) => menu::key(app, group, key),
        Some(Overlay::Message {
            title,
            text,
            scroll,
        }) => {
            message(app, key, title, text, scroll);
            Vec::new()
        }
        Some(Overlay::History) => history(app, key),
        Some(Overlay::Find) => find::typing(app, key),
        Some(Overlay::Compare(selected)) => compare::choosing(app, key, selected),
        Some(Overlay::Filter(before)) => filter(app, key, before),
        Some(Overlay::Yank { to_file }) => yank::choosing(app, key, to_file),
        Some(Overlay::Lessons(shelf, selected)) => lesson::choosing(app, key, shelf, selected),
        Some(Overlay::Exchange(ready)) => match key {
            "y" | "enter" => welcome::exchange(app, *ready),
            _ => Vec::new(),
        },
        Some(Overlay::Write(effect, _)) => match key {
            "y" | "enter" => vec![*effect],
            _ => {
                app.note = "nothing was written".to_owned();
                Vec::new()
            }
        },
        Some(Overlay::Quit) => match key {
            "y" | "enter" => vec![Effect::Quit],
            "s" if stakes::unsaved(app) > 0 => {
                app.files.quitting = true;
                session::write(app, 1)
            }
            _ => Vec::new(),
        },
    }
}

fn list(app: &mut App, key: &str, mut search: ListSearch, palette: bool) -> Vec<Effect> {
    if app.line.edit(&mut search.query, key) {
        // Another list: the best match is selected. It is made when it is drawn, and not for each key of a text that
        // is pasted.
        search.selected = 0;
        search.wrong.clear();
        if search.query.len() >= keys::LINE_MAX {
            app.note = format!("a line has at most {} bytes", keys::LINE_MAX);
        }
        open_list(app, search, palette);
        return Vec::new();
    }
    // The same list as on the screen, recomputed from the same data, so that the numbers agree.
    let items = if palette {
        palette_items(app, &search.query)
    } else {
        help::items(app, &search.query)
    };
    let count = items.len();
    match key {
        "esc" => return Vec::new(),
        "enter" => {
            let item = items.into_iter().nth(search.selected);
            let left = item.map_or_else(
                || Some(Vec::new()),
                |item| enter(app, item, &mut search, palette),
            );
            if let Some(effects) = left {
                return effects;
            }
        }
        "tab" if palette && complete(app, &mut search) => app.line.begin(),
        // Above the list are the lines that were entered before.
        "up" | "down"
            if palette
                && search.selected == 0
                && app
                    .line
                    .recall(LineKind::Command, &mut search.query, key == "up") => {}
        _ => {
            let far = Distance::of_key(key).unwrap_or(Distance::Top);
            search.selected = far.from(search.selected, count, 10);
        }
    }
    open_list(app, search, palette);
    Vec::new()
}

/// Runs an entry. Returns nothing if the list stays open: with another line, or one to be corrected.
fn enter(
    app: &mut App,
    item: ListItem,
    search: &mut ListSearch,
    palette: bool,
) -> Option<Vec<Effect>> {
    if palette {
        app.line.enter(LineKind::Command, &search.query);
    }
    match item.action {
        ItemAction::Line(line) => match language::act(app, &line) {
            Ok(effects) => return Some(effects),
            // The line can be corrected where it was typed.
            Err(reason) => app.note = reason,
        },
        ItemAction::Wrong => app.note = item.reason.unwrap_or_default(),
        ItemAction::Fill(query) => {
            app.line.begin();
            *search = ListSearch {
                query,
                ..ListSearch::default()
            };
        }
        ItemAction::Command(command) if palette => {
            let effects = registry::run(app, command, 1);
            next_time::tell(app, command);
            return Some(effects);
        }
        other => return Some(action(app, other)),
    }
    None
}

fn open_list(app: &mut App, search: ListSearch, palette: bool) {
    app.overlay = Some(if palette {
        Overlay::Palette(search)
    } else {
        Overlay::Help(search)
    });
}

/// Completes the typed text by the common part of all candidates. Returns whether there were any.
fn complete(app: &App, search: &mut ListSearch) -> bool {
    let ways = language::completions(app, &search.query);
    let longer = language::common_start(&ways);
    // Otherwise the key goes down the list.
    if search.query.is_empty() || longer.len() <= search.query.len() {
        return false;
    }
    *search = ListSearch {
        query: longer,
        ..ListSearch::default()
    };
    true
}

/// Runs the action of an entry.
pub fn action(app: &mut App, action: ItemAction) -> Vec<Effect> {
    match action {
        ItemAction::Command(command) => registry::run(app, command, 1),
        ItemAction::Open(process) => requests::open(app, &process),
        ItemAction::Line(line) => language::act(app, &line).unwrap_or_else(|reason| {
            app.note = reason;
            Vec::new()
        }),
        ItemAction::Term(name) => {
            terms::tell(app, name);
            Vec::new()
        }
        // Only the palette has a line to fill or to correct.
        ItemAction::Fill(_) | ItemAction::Wrong => Vec::new(),
        ItemAction::Check(at) => {
            // First to where the outcome will be seen.
            showing::show(app, View::Check);
            motion::select_assertion(app, at);
            check::submit(app, at, check::Wanted::default())
                .into_iter()
                .collect()
        }
    }
}

fn message(app: &mut App, key: &str, title: String, text: String, scroll: usize) {
    let far = match key {
        "esc" | "q" | "enter" => return,
        "space" => Some(Distance::Pages(1)),
        key => Distance::of_key(key),
    };
    // As many as there are on the screen, counting broken lines.
    let body = layout::body(app.terminal());
    let columns = body.width.min(MESSAGE_COLUMNS).saturating_sub(2);
    let lines = message_lines(&text, columns.into()).len();
    let rows = usize::from(body.height.saturating_sub(2));
    let places = lines.saturating_sub(rows) + 1;
    let page = rows.saturating_sub(1).max(1);
    app.overlay = Some(Overlay::Message {
        scroll: far.map_or(scroll, |far| far.from(scroll, places, page)),
        title,
        text,
    });
}

fn history(app: &mut App, key: &str) -> Vec<Effect> {
    // The commands for lists act on the focused pane. So the history is focused while one of them runs; afterwards
    // the focus is restored.
    let before = app.focus;
    let lower = app.lower;
    app.focus[app.view as usize] = Pane::History;
    let effects = match key {
        "esc" | "q" | "H" => {
            app.animate.history = None;
            (app.focus, app.lower) = (before, lower);
            return Vec::new();
        }
        "enter" => {
            let effects = animate::jump(app, 1);
            (app.focus, app.lower) = (before, lower);
            return effects;
        }
        "i" => animate::fold_silent(app, 1),
        "B" => registry::by_id("branch").map_or_else(Vec::new, |c| registry::run(app, c, 1)),
        _ => Distance::of_key(key).map_or_else(Vec::new, |far| motion::go(app, far)),
    };
    (app.focus, app.lower) = (before, lower);
    app.overlay = Some(Overlay::History);
    effects
}

fn filter(app: &mut App, key: &str, before: String) -> Vec<Effect> {
    // The filter acts while it is typed; Esc brings the one before back.
    let mut text = general::current_filter(app);
    match key {
        "enter" => {
            app.line.enter(LineKind::Filter, &text);
            search::end_search(app, false);
            return Vec::new();
        }
        "esc" => {
            general::set_filter(app, &before);
            search::end_search(app, true);
            return Vec::new();
        }
        "up" | "down" => {
            app.line.recall(LineKind::Filter, &mut text, key == "up");
        }
        _ => {
            app.line.edit(&mut text, key);
        }
    }
    general::set_filter(app, &text);
    app.overlay = Some(Overlay::Filter(before));
    Vec::new()
}
