//! The page on the terminal.

use ratatui::Frame;
use ratatui::layout::{Position, Rect};
use ratatui::widgets::{Clear, Paragraph};

use super::page::{WelcomeRow, WelcomeScreen};
use super::paths;
use super::which::WelcomePage;
use crate::layout::{self, Tier};
use crate::panes::{Content, draw_box};
use crate::registry;
use crate::source::{models, visible_line};
use crate::text::{Row, fit, fit_middle, pad, width, wrap};
use crate::theme::{Role, Theme};

/// The keys, as they are listed.
pub const WELCOME_KEYS: [(&str, &str); 10] = [
    ("j, k, Down, Up", "choose"),
    ("Enter", "open what is chosen"),
    ("O", "open a script"),
    ("L", "lessons"),
    ("Tab", "where a path is typed: complete it"),
    ("Esc", "back"),
    ("Ctrl-t", "other colours"),
    ("M", "mouse on or off"),
    ("?, F1", "these keys"),
    ("q", "back, or end the program; Ctrl-c ends it anywhere"),
];

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
fn boxed(screen: &WelcomeScreen, theme: Theme, size: (u16, u16)) -> (Rect, Content, usize) {
    let columns = usize::from(COLUMNS.min(size.0).saturating_sub(2));
    let room = usize::from(size.1.saturating_sub(5));
    let content = match screen.page {
        WelcomePage::Main => main_page(screen, theme, columns, room),
        _ => list_page(screen, theme, columns),
    };
    let area = place(size, content.lines.len());
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
pub fn row_at(screen: &WelcomeScreen, size: (u16, u16), at: Position) -> Option<usize> {
    let (area, content, first) = boxed(screen, Theme::default(), size);
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

/// Draws the page over the screen.
pub fn draw(screen: &WelcomeScreen, theme: Theme, size: (u16, u16), frame: &mut Frame) {
    let (w, h) = size;
    let body = Rect::new(0, 1, w, h.saturating_sub(1)).intersection(frame.area());
    if layout::tier(size) == Tier::Tiny {
        tiny(theme, size, frame);
        return;
    }
    frame.render_widget(Clear, body);
    frame.buffer_mut().set_style(body, theme.ground());
    let (area, content, first) = boxed(screen, theme, size);
    draw_box(theme, true, &content, first, area, frame);
    if screen.help {
        over("Keys", &help_text(), theme, size, frame);
    }
    if let Some((ready, lost)) = &screen.question {
        let name = visible_line(&ready.path).into_owned();
        let text = format!(
            "{}\n\ny opens {name} all the same, any other key stays.",
            lost.join("\n")
        );
        over("Open another script?", &text, theme, size, frame);
    }
    line(
        frame,
        size,
        h.saturating_sub(2),
        status(screen, theme, w.into()),
    );
    let mut row = Row::new(theme);
    for (from, key, word, _) in hints(screen, w.into()) {
        row = row
            .to(from)
            .add(Role::Strong, key)
            .add(Role::Dim, format!(" {word}"));
    }
    line(frame, size, h.saturating_sub(1), row);
}

fn tiny(theme: Theme, size: (u16, u16), frame: &mut Frame) {
    let (w, h) = size;
    let text = format!(
        "{w}x{h} is too small: please make the terminal at least 60x16. Until then only q and Ctrl-z do something."
    );
    let lines = wrap(&text, w.into()).into_iter();
    let lines: Vec<_> = lines.map(|l| Row::new(theme).plain(l).done()).collect();
    frame.render_widget(Clear, frame.area());
    frame.render_widget(Paragraph::new(lines), frame.area());
}

fn line(frame: &mut Frame, size: (u16, u16), y: u16, row: Row) {
    let place = Rect::new(0, y, size.0, 1).intersection(frame.area());
    frame.render_widget(Paragraph::new(row.done()), place);
}

/// A text in a box over the page.
fn over(title: &str, text: &str, theme: Theme, size: (u16, u16), frame: &mut Frame) {
    let columns = 74.min(size.0);
    let mut content = Content::new(title);
    content.push_text(theme, Role::Plain, text, usize::from(columns - 2));
    let rows = u16::try_from(content.lines.len() + 2).unwrap_or(u16::MAX);
    let rows = rows.min(size.1.saturating_sub(3));
    let area = Rect::new(
        (size.0 - columns) / 2,
        1 + (size.1.saturating_sub(3) - rows) / 2,
        columns,
        rows,
    );
    draw_box(theme, true, &content, 0, area, frame);
}

fn help_text() -> String {
    let line = |(key, what): &(&str, &str)| format!("{key:<16} {what}");
    let lines: Vec<_> = WELCOME_KEYS.iter().map(line).collect();
    lines.join("\n")
}

fn status(screen: &WelcomeScreen, theme: Theme, columns: usize) -> Row {
    let text = match (&screen.opening, screen.said.is_empty()) {
        (Some(path), _) => format!(" looking for {} ... Esc cancels", paths::shown(path)),
        (None, false) => format!(" {}", screen.said),
        (None, true) if screen.behind => " the script that is open stays as it is".to_owned(),
        (None, true) => " no script is open yet".to_owned(),
    };
    let role = if screen.said.is_empty() {
        Role::Plain
    } else {
        Role::Choice
    };
    Row::new(theme).add(role, fit(&visible_line(&text), columns))
}

/// The key hints: their column, their text, their effect, and their name.
fn hints(
    screen: &WelcomeScreen,
    columns: usize,
) -> Vec<(usize, &'static str, &'static str, &'static str)> {
    let back = if screen.behind { "back" } else { "quit" };
    let words: Vec<(&str, &str, &str)> = match (screen.page, screen.question.is_some()) {
        (_, true) => vec![("y", "open", "y"), ("n", "stay", "n")],
        (WelcomePage::Open, _) => vec![
            ("Enter", "open", "enter"),
            ("Tab", "complete", "tab"),
            ("Up/Down", "choose", "down"),
            ("F1", "help", "f1"),
            ("Esc", "back", "esc"),
        ],
        (page, _) => {
            let mut words = vec![("Enter", "open", "enter"), ("j/k", "choose", "j")];
            if page == WelcomePage::Recent {
                words.push(("Esc", "back", "esc"));
            }
            words.extend([("?", "help", "?"), ("q", back, "q")]);
            words
        }
    };
    let mut from = 1;
    let mut found = Vec::new();
    for (key, word, name) in words {
        let long = width(key) + 1 + width(word);
        if from + long <= columns {
            found.push((from, key, word, name));
            from += long + 2;
        }
    }
    found
}

/// The name of the key whose hint is at a place.
#[must_use]
pub fn hint_at(screen: &WelcomeScreen, size: (u16, u16), at: Position) -> Option<&'static str> {
    if at.y + 1 != size.1 {
        return None;
    }
    let column = usize::from(at.x);
    let found = hints(screen, size.0.into()).into_iter();
    found
        .filter(|(from, key, word, _)| {
            (*from..from + width(key) + 1 + width(word)).contains(&column)
        })
        .map(|(.., name)| name)
        .next()
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
