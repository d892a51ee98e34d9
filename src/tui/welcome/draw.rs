//! The page on the terminal.

use ratatui::Frame;
use ratatui::layout::{Position, Rect};

use super::asked::{RecentScript, WelcomeFound, WelcomePage};
use super::page::{WelcomeRow, WelcomeScreen};
use super::paths;
use crate::app::App;
use crate::panes::{Content, draw_box};
use crate::registry;
use crate::source::{models, visible_line};
use crate::text::{Row, fit, fit_middle, pad, width};
use crate::text_line::TextLine;
use crate::theme::{Role, Theme};

/// Columns of the box on a large terminal.
const COLUMNS: u16 = 78;
/// Columns of the names of entries.
const NAMES: usize = 33;
/// Lines of what is enough to start.
const FACTS: usize = 6;

/// The box: its area, its content, and the first visible line.
fn boxed(app: &App, screen: &WelcomeScreen) -> (Rect, Content, usize) {
    let (w, h) = app.size;
    let columns = COLUMNS.min(w);
    // Tabs above; status and hints below.
    let body = h.saturating_sub(3);
    let room = usize::from(body.saturating_sub(2));
    let content = content(app, screen, columns.saturating_sub(2).into(), room);
    let lines = content.lines.len();
    let rows = u16::try_from(lines + 2).unwrap_or(u16::MAX).min(body);
    let area = Rect::new((w - columns) / 2, 1 + (body - rows) / 3, columns, rows);
    let rows = usize::from(rows.saturating_sub(2));
    let first = match content.at {
        Some(at) if at + 1 >= rows => (at + 1).saturating_sub(rows / 2),
        _ => 0,
    };
    (area, content, first.min(lines.saturating_sub(rows)))
}

/// The entry of the list under a place.
#[must_use]
pub fn row_at(app: &App, screen: &WelcomeScreen, at: Position) -> Option<usize> {
    let (area, content, first) = boxed(app, screen);
    content.target_at(area, first, at)
}

/// Draws the page.
pub fn draw(app: &App, screen: &WelcomeScreen, frame: &mut Frame) {
    let (area, content, first) = boxed(app, screen);
    draw_box(app.theme, true, &content, first, area, frame);
}

/// The entries, and below them on the main page as many facts as there is room for.
fn content(app: &App, screen: &WelcomeScreen, columns: usize, room: usize) -> Content {
    let theme = app.theme;
    let (title, right) = match screen.page {
        WelcomePage::Main => ("Welcome", ""),
        WelcomePage::Open => ("Open a script", "a path, or builtin: and a name"),
    };
    let mut content = Content::new(title);
    right.clone_into(&mut content.right);
    let is_main = screen.page == WelcomePage::Main;
    // Room for a blank line above the list, and one below.
    let airy = is_main && room >= screen.rows().len() + FACTS + 2;
    if airy {
        content.push(Row::new(theme));
    }
    entries(app, screen, columns, &mut content);
    if screen.page != WelcomePage::Open && !screen.wrong.is_empty() {
        content.push_text(theme, Role::Fail, &visible_line(&screen.wrong), columns);
    }
    if is_main {
        content.push(Row::new(theme));
        let left = room.saturating_sub(content.lines.len());
        let facts = facts(theme, columns).into_iter().take(left);
        facts.for_each(|row| content.push(row));
    }
    if airy {
        content.push(Row::new(theme));
    }
    content
}

/// Adds the entries under their headings.
fn entries(app: &App, screen: &WelcomeScreen, columns: usize, content: &mut Content) {
    let theme = app.theme;
    let is_main = screen.page == WelcomePage::Main;
    let rows = screen.rows();
    let texts: Vec<_> = rows.iter().map(|row| row_texts(screen, row)).collect();
    // The facts about a script have a column of their own, as far left as names allow.
    let named = texts.iter().filter(|(_, about)| !about.is_empty());
    let widest = named.map(|(name, _)| width(name)).max().unwrap_or(0);
    let facts_column = match is_main {
        true => NAMES,
        false => widest.min(columns / 2),
    };
    let mut entries = rows.iter().zip(&texts).enumerate();
    for (heading, rows) in screen.sections() {
        if !heading.is_empty() {
            content.push(Row::new(theme).add(Role::Dim, format!("  {heading}")));
        }
        for (at, (row, (name, about))) in entries.by_ref().take(rows.len()) {
            let names = match about.as_str() {
                "" if !is_main => columns,
                _ => facts_column,
            };
            let chosen = screen.selected == at;
            match row {
                WelcomeRow::Field => field(screen, &app.line, theme, chosen, columns, content),
                _ => push(content, theme, (chosen, at), (name, about, names), columns),
            }
        }
    }
}

/// What is enough to start.
fn facts(theme: Theme, columns: usize) -> [Row; FACTS] {
    let plain = |text: &str| {
        let text = fit(text, columns.saturating_sub(2));
        Row::new(theme).plain("  ").plain(text)
    };
    let key = |id: &str, what: &str| {
        let key = pad(&format!("    {}", registry::shown_key(id)), 11);
        let what = fit(what, columns.saturating_sub(11));
        Row::new(theme).add(Role::Strong, key).plain(what)
    };
    [
        plain("Three things are enough to start:"),
        key("take", "take the selected transition"),
        key("why", "why does this state have that representative?"),
        key(
            "help",
            "explains the words on the screen, and lists what you can do",
        ),
        plain(""),
        plain("Mouse works. Colour is never the only signal."),
    ]
}

/// The name of an entry, and what is to be said of it.
fn row_texts(screen: &WelcomeScreen, row: &WelcomeRow) -> (String, String) {
    let found = screen.found.as_ref();
    let unknown = || "...".to_owned();
    let (name, detail) = match row {
        WelcomeRow::Tour => {
            let progress = found.and_then(|found| found.tour.as_ref());
            let detail = match progress {
                Some((progress, _)) if progress.done => "taken; once more".to_owned(),
                Some((progress, cards)) if progress.card > 0 => {
                    format!("goes on at card {} of {cards}", progress.card + 1)
                }
                _ => "round table, 5 philosophers".to_owned(),
            };
            ("Take the 3-minute tour", detail)
        }
        WelcomeRow::Open => {
            let count = models::MODELS.len();
            let models = || format!("yours, or one of {count} models");
            let detail = found.and_then(last_opened).unwrap_or_else(models);
            ("Open a script ...", detail)
        }
        WelcomeRow::Lessons => {
            let count = |f: &WelcomeFound| format!("{} lessons, {} done", f.lessons, f.done);
            ("Lessons", found.map_or_else(unknown, count))
        }
        WelcomeRow::Skip if found.is_some_and(|found| found.skip) => {
            ("Show this page at the start again", String::new())
        }
        WelcomeRow::Skip => ("Skip; do not show again", String::new()),
        WelcomeRow::Field => ("", String::new()),
        WelcomeRow::Folder(path) => (path.as_str(), String::new()),
        WelcomeRow::Script(path, about) => return (paths::shown(path), about.clone()),
    };
    (name.to_owned(), detail)
}

/// The names of what was opened before.
fn last_opened(found: &WelcomeFound) -> Option<String> {
    let name = |script: &RecentScript| {
        let path = script.path.as_str();
        path.rsplit('/').next().unwrap_or(path).to_owned()
    };
    let names: Vec<String> = found.recent.iter().map(name).collect();
    (!names.is_empty()).then(|| format!("last: {}", names.join(", ")))
}

/// Adds an entry: a mark, its name, and its description.
fn push(
    content: &mut Content,
    theme: Theme,
    (chosen, at): (bool, usize),
    (name, detail, names): (&str, &str, usize),
    columns: usize,
) {
    let (mark, role) = content.entry(chosen);
    let names = names.min(columns.saturating_sub(4));
    let name = pad(&fit_middle(&visible_line(name), names), names);
    let row = Row::new(theme).plain(format!("  {mark} ")).add(role, name);
    let room = columns.saturating_sub(row.width() + 3);
    let detail = fit(&visible_line(detail), room);
    content.push_target(row.plain("  ").add(Role::Dim, detail), at);
}

/// The line in which a path is typed, and below it the error; both stay where they are.
fn field(
    screen: &WelcomeScreen,
    line: &TextLine,
    theme: Theme,
    chosen: bool,
    columns: usize,
    content: &mut Content,
) {
    let mark = if chosen { ">" } else { " " };
    let room = columns.saturating_sub(5);
    let row = Row::new(theme).plain(format!("  {mark} "));
    let row = line.add_to(row, &visible_line(&screen.typed), room);
    content.push_target(row, 0);
    if !screen.wrong.is_empty() {
        content.push_text(theme, Role::Fail, &visible_line(&screen.wrong), columns);
    }
    content.push(Row::new(theme));
    content.frozen = content.lines.len();
}
