//! The page on the terminal.

use ratatui::Frame;
use ratatui::layout::{Position, Rect};

use super::page::{WelcomeRow, WelcomeScreen};
use super::paths;
use super::which::WelcomePage;
use crate::app::App;
use crate::panes::{Content, draw_box};
use crate::registry;
use crate::source::{models, visible_line};
use crate::text::{Row, fit, fit_middle, pad, width};
use crate::theme::{Role, Theme};

/// Columns of the box on a large terminal.
const COLUMNS: u16 = 78;
/// Columns of the names of entries.
const NAMES: usize = 33;

/// The area of the box, on a terminal of a size.
fn place(size: (u16, u16), rows: usize) -> Rect {
    let (w, h) = size;
    // Tabs above; status and hints below.
    let body = h.saturating_sub(3);
    let columns = COLUMNS.min(w);
    let rows = u16::try_from(rows + 2).unwrap_or(u16::MAX).min(body);
    let above = (body - rows) / 3;
    Rect::new((w - columns) / 2, 1 + above, columns, rows)
}

/// The box: its area, its content, and the first visible line.
fn boxed(app: &App, screen: &WelcomeScreen) -> (Rect, Content, usize) {
    let columns = usize::from(COLUMNS.min(app.size.0).saturating_sub(2));
    let room = usize::from(app.size.1.saturating_sub(5));
    let content = match screen.page {
        WelcomePage::Main => main_page(screen, app.theme, columns, room),
        _ => list_page(screen, app.theme, columns),
    };
    let area = place(app.size, content.lines.len());
    let rows = usize::from(area.height.saturating_sub(2));
    let last = content.lines.len().saturating_sub(rows);
    let first = match content.at {
        Some(at) if at + 1 >= rows => (at + 1).saturating_sub(rows / 2).min(last),
        _ => 0,
    };
    (area, content, first)
}

/// The entry of the list under a place.
#[must_use]
pub fn row_at(app: &App, screen: &WelcomeScreen, at: Position) -> Option<usize> {
    let (area, content, first) = boxed(app, screen);
    let inside = Rect::new(
        area.x + 1,
        area.y + 1,
        area.width.saturating_sub(2),
        area.height.saturating_sub(2),
    );
    if !inside.contains(at) {
        return None;
    }
    let line = usize::from(at.y - inside.y);
    // Frozen lines stay above the scrolled ones.
    let line = if line < content.frozen {
        line
    } else {
        line + first
    };
    content.targets.get(line).copied().flatten()
}

/// Draws the page.
pub fn draw(app: &App, screen: &WelcomeScreen, frame: &mut Frame) {
    let (area, content, first) = boxed(app, screen);
    draw_box(app.theme, true, &content, first, area, frame);
}

/// The question before another script is opened.
#[must_use]
pub fn question(app: &App, columns: usize) -> Content {
    let mut content = Content::new("Open another script?");
    let question = app.welcome.as_ref().and_then(|s| s.question.as_ref());
    if let Some((ready, lost)) = question {
        let name = visible_line(&ready.path);
        let lost = lost.join("\n");
        let text = format!("{lost}\n\ny opens {name} all the same, any other key stays.");
        content.push_text(app.theme, Role::Plain, &text, columns);
    }
    content
}

/// The entries of the main page, and as many facts as there is room for.
fn main_page(screen: &WelcomeScreen, theme: Theme, columns: usize, room: usize) -> Content {
    let mut content = Content::new("Welcome");
    let rows = screen.rows();
    let key = |id: &str| format!("  {}", registry::shown_key(id));
    let plain = |text: &str| (text.to_owned(), "");
    let texts = [
        plain("Three things are enough to start:"),
        (key("take"), "take the selected transition"),
        (key("why"), "why does this state have that representative?"),
        (key("help"), "every key that works here; Enter runs one"),
        plain(""),
        plain("Mouse works. Colour is never the only signal."),
    ];
    // Room for a blank line above, and one between the list and the text.
    let airy = room >= rows.len() + texts.len() + 2;
    if airy {
        content.push(Row::new(theme));
    }
    for (at, row) in rows.iter().enumerate() {
        let (name, detail) = main_row(screen, row);
        push(
            &mut content,
            theme,
            (screen.selected == at, at),
            (&name, &detail, NAMES),
            columns,
        );
    }
    if !screen.wrong.is_empty() {
        content.push_text(theme, Role::Fail, &visible_line(&screen.wrong), columns);
    }
    content.push(Row::new(theme));
    let left = room.saturating_sub(content.lines.len());
    for (key, what) in texts.into_iter().take(left) {
        let row = Row::new(theme).plain("  ");
        content.push(match what {
            "" => row.plain(fit(&key, columns.saturating_sub(2))),
            what => row
                .add(Role::Strong, pad(&key, 9))
                .plain(fit(what, columns.saturating_sub(11))),
        });
    }
    if airy {
        content.push(Row::new(theme));
    }
    content
}

fn main_row(screen: &WelcomeScreen, row: &WelcomeRow) -> (String, String) {
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
                _ => "list stack, 3 threads".to_owned(),
            };
            ("Take the 3-minute tour", detail)
        }
        WelcomeRow::Open => {
            let count = models::MODELS.len();
            (
                "Open a script ...",
                format!("yours, or one of {count} models"),
            )
        }
        WelcomeRow::Lessons => {
            let count =
                |f: &super::asked::WelcomeFound| format!("{} lessons, {} done", f.lessons, f.done);
            ("Lessons", found.map_or_else(unknown, count))
        }
        WelcomeRow::Recent => {
            let names = |f: &super::asked::WelcomeFound| {
                if f.recent.is_empty() {
                    "none yet".to_owned()
                } else {
                    let name = |path: &str| path.rsplit('/').next().unwrap_or(path).to_owned();
                    let names: Vec<_> = f.recent.iter().map(|r| name(&r.path)).collect();
                    names.join(", ")
                }
            };
            ("Recent", found.map_or_else(unknown, names))
        }
        _ if found.is_some_and(|found| found.skip) => {
            ("Show this page at the start again", String::new())
        }
        _ => ("Skip; do not show again", String::new()),
    };
    (name.to_owned(), detail)
}

/// Adds an entry: a mark, its name, and its description.
fn push(
    content: &mut Content,
    theme: Theme,
    (chosen, at): (bool, usize),
    (name, detail, names): (&str, &str, usize),
    columns: usize,
) {
    if chosen {
        content.at = Some(content.lines.len());
    }
    let (mark, role) = if chosen {
        (">", Role::Selected)
    } else {
        (" ", Role::Plain)
    };
    let names = names.min(columns.saturating_sub(4));
    let name = pad(&fit_middle(&visible_line(name), names), names);
    let row = Row::new(theme).plain(format!("  {mark} ")).add(role, name);
    let room = columns.saturating_sub(row.width() + 3);
    let detail = fit(&visible_line(detail), room);
    content.push_target(row.plain("  ").add(Role::Dim, detail), at);
}

/// A path to type, and scripts to choose.
fn list_page(screen: &WelcomeScreen, theme: Theme, columns: usize) -> Content {
    let mut content = Content::new(match screen.page {
        WelcomePage::Recent => "Recent",
        _ => "Open a script",
    });
    let sections = screen.sections();
    let scripts = sections.iter().flat_map(|(_, rows)| rows);
    let names = scripts.filter_map(|row| match row {
        WelcomeRow::Script(path, about) => Some((paths::shown(path), about.is_empty())),
        _ => None,
    });
    // The facts about a script have a column of their own, as far left as names allow.
    let facts_column = names
        .filter(|(_, silent)| !silent)
        .map(|(name, _)| width(&name))
        .max();
    let facts_column = facts_column.unwrap_or(0).min(columns / 2);
    let mut at = 0;
    for (heading, rows) in sections {
        if !heading.is_empty() {
            content.push(Row::new(theme).add(Role::Dim, format!("  {heading}")));
        }
        for row in rows {
            let chosen = screen.selected == at;
            let (name, about) = match &row {
                WelcomeRow::Field => {
                    field(screen, theme, chosen, columns, &mut content);
                    at += 1;
                    continue;
                }
                WelcomeRow::Folder(path) => (path.clone(), String::new()),
                WelcomeRow::Script(path, about) => (paths::shown(path), about.clone()),
                _ => (String::new(), String::new()),
            };
            let names = if about.is_empty() {
                columns
            } else {
                facts_column
            };
            push(
                &mut content,
                theme,
                (chosen, at),
                (&name, &about, names),
                columns,
            );
            at += 1;
        }
    }
    if screen.page == WelcomePage::Recent && !screen.wrong.is_empty() {
        content.push_text(theme, Role::Fail, &visible_line(&screen.wrong), columns);
    }
    content.right = match screen.page {
        WelcomePage::Recent => String::new(),
        _ => "a path, or builtin: and a name".to_owned(),
    };
    content
}

/// The line in which a path is typed, and below it the error; both stay where they are.
fn field(
    screen: &WelcomeScreen,
    theme: Theme,
    chosen: bool,
    columns: usize,
    content: &mut Content,
) {
    let mark = if chosen { ">" } else { " " };
    let room = columns.saturating_sub(5);
    let typed = visible_line(&screen.typed);
    // The last typed characters stay visible.
    let over = width(&typed).saturating_sub(room.saturating_sub(1));
    let typed = match over {
        0 => typed.into_owned(),
        _ => {
            let kept: Vec<char> = typed.chars().collect();
            let from = kept.len().saturating_sub(room.saturating_sub(3));
            format!("..{}", kept[from..].iter().collect::<String>())
        }
    };
    let row = Row::new(theme)
        .plain(format!("  {mark} "))
        .add(Role::Strong, format!("{typed}_"));
    content.push_target(row, 0);
    if !screen.wrong.is_empty() {
        content.push_text(theme, Role::Fail, &visible_line(&screen.wrong), columns);
    }
    content.push(Row::new(theme));
    content.frozen = content.lines.len();
}
