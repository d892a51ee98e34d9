//! `view`: draws the data. It changes nothing.
//!
//! ```text
//! tabs       one line: the views that exist, the script, the process
//! body       panes, or what is drawn over them (layout, panes)
//! status     one line: where we are
//! hints      one line: keys that work here
//! ```

use std::borrow::Cow;

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::Line;
use ratatui::widgets::{Clear, Paragraph};

use super::app::{App, ListSearch, Overlay, View};
use super::layout::{self, Tier};
use super::message::{MESSAGE_COLUMNS, message_lines};
use super::overlay::{self, ItemAction, ListItem};
use super::panes::{self, Content};
use super::text::{Row, fit, pad, width, wrap};
use super::theme::{Role, stand_in};
use super::{actions, choices, footer, help, lessons, menu, stakes, status_line, welcome};
use crate::source::models::PREFIX;
use crate::source::visible_line;

/// Draws one frame: tabs, panes, status and hints, and the overlay.
pub fn view(app: &App, frame: &mut Frame) {
    views(app, frame);
    draw_overlay(app, frame);
    // Last, so that nothing is drawn after it.
    harmless(frame, app.theme.ascii);
}

/// Draws what is below the overlay.
pub(super) fn views(app: &App, frame: &mut Frame) {
    let area = frame.area();
    if area.width == 0 || area.height == 0 {
        return;
    }
    // Only painted themes have a background of their own.
    frame.buffer_mut().set_style(area, app.theme.ground());
    // By the size that `update` knows: the mouse goes by the same places.
    if layout::tier(app.size) == Tier::Tiny {
        tiny(app, frame);
    } else {
        line(app, frame, 0, tabs(app));
        match &app.welcome {
            Some(screen) => welcome::draw::draw(app, screen, frame),
            None => {
                for (pane, place) in layout::panes(app) {
                    panes::draw(app, pane, place, frame);
                }
            }
        }
        lines_below(app, frame);
    }
}

/// Draws the status and the hints.
pub(super) fn lines_below(app: &App, frame: &mut Frame) {
    let rows = frame.area().height;
    line(app, frame, rows.saturating_sub(2), status(app));
    line(app, frame, rows.saturating_sub(1), footer::hint_line(app));
}

/// Removes control characters from every cell, and with `ascii` all characters other than ASCII.
pub(super) fn harmless(frame: &mut Frame, ascii: bool) {
    for cell in &mut frame.buffer_mut().content {
        if let Cow::Owned(_) = visible_line(cell.symbol()) {
            cell.set_symbol("?");
        }
        if ascii && !cell.symbol().is_ascii() {
            cell.set_symbol(stand_in(cell.symbol()));
        }
    }
}

/// Draws a line over the whole width.
pub(super) fn line(app: &App, frame: &mut Frame, y: u16, text: Line<'static>) {
    let area = frame.area();
    let place = Rect::new(0, y, area.width, 1).intersection(area);
    frame.render_widget(Clear, place);
    frame.buffer_mut().set_style(place, app.theme.ground());
    frame.render_widget(Paragraph::new(text), place);
}

/// Too small for panes: one sentence and the trace.
pub(super) fn tiny(app: &App, frame: &mut Frame) {
    let (w, h) = app.terminal();
    let works = match app.lesson {
        Some(_) => "Esc leaves the lesson.",
        None => "Until then only q and Ctrl-z do something.",
    };
    let mut text =
        format!("{w}x{h} is too small: please make the terminal at least 60x16. {works}");
    if let Some(session) = app.session.as_ref().filter(|_| app.lesson.is_none()) {
        text += &format!("\ntrace {}", session.trace_text());
    }
    let lines = wrap(&text, w.into());
    let lines: Vec<_> = lines
        .into_iter()
        .map(|l| Row::new(app.theme).plain(l).done())
        .collect();
    frame.render_widget(Paragraph::new(lines), frame.area());
}

/// Columns that the names of the script and the process should have beside the tabs. Names of views come first: the
/// process may stand below.
const RIGHT: usize = 12;
/// Letters of the other views, and spaces behind them: from much to little. The first has the names whole.
const SHORT: [(usize, usize); 5] = [(20, 0), (3, 1), (3, 0), (2, 0), (1, 0)];

fn tab_texts(app: &App) -> Vec<(View, String)> {
    let texts = |short: Option<(usize, usize)>| {
        let text = |v: &View| match (*v == app.view, short) {
            (true, None) => format!("[{} {}] ", v.number(), v.name()),
            // Brackets stand apart from the name before them.
            (true, Some((_, 0))) if v.number() > 1 => format!(" [{} {}]", v.number(), v.name()),
            (true, Some(_)) => format!("[{} {}]", v.number(), v.name()),
            (false, None) => format!(" {} {}  ", v.number(), v.name()),
            // Names of views are of letters that take one column each.
            (false, Some((letters, spaces))) => {
                let name = v.name();
                format!(" {} {name:.letters$}{:spaces$}", v.number(), "")
            }
        };
        View::ALL.iter().map(|v| (*v, text(v))).collect::<Vec<_>>()
    };
    let wide = |texts: &[(View, String)]| texts.iter().map(|(_, text)| width(text)).sum::<usize>();
    let columns = usize::from(app.terminal().0);
    let right = if app.lesson.is_some() { 0 } else { RIGHT };
    let shorter = SHORT.iter().map(|short| (0, texts(Some(*short))));
    let mut all = std::iter::once((right, texts(None))).chain(shorter);
    let fits = all.find(|(right, texts)| wide(texts) + right <= columns);
    let fits = fits.map(|(_, texts)| texts);
    fits.unwrap_or_else(|| texts(SHORT.last().copied()))
}

/// The tab at a column of the first line.
#[must_use]
pub fn tab_at(app: &App, x: u16) -> Option<View> {
    let mut from = 0;
    tab_texts(app).into_iter().find_map(|(view, text)| {
        let hit = (from..from + width(&text)).contains(&usize::from(x));
        from += width(&text);
        hit.then_some(view)
    })
}

pub(super) fn tabs(app: &App) -> Line<'static> {
    let mut row = Row::new(app.theme);
    for (view, text) in tab_texts(app) {
        let role = if view == app.view {
            Role::Focus
        } else {
            Role::Dim
        };
        row = row.add(role, text);
    }
    let script = opened(app);
    let columns = usize::from(app.terminal().0);
    let room = columns.saturating_sub(row.width() + 2);
    let lesson = app.lesson.as_ref();
    let lesson = lesson.map(|room| format!("lesson: {}", visible_line(&room.lesson().title)));
    // Rather no title than half of it: the status line has the name of the lesson.
    let right = match lesson.filter(|title| width(title) <= room) {
        Some(title) => title,
        None if room < RIGHT.min(width(&script)) => String::new(),
        None => fit(&script, room),
    };
    let column = columns.saturating_sub(width(&right));
    row.to(column).plain(right).done()
}

/// The names of the script and of the open process.
fn opened(app: &App) -> String {
    let process = app.session.as_ref().map_or("", |s| s.history.process());
    // The end of the path distinguishes scripts; the rest has no room.
    let path = app.path.strip_prefix(PREFIX).unwrap_or(&app.path);
    let name = path.rsplit('/').next().unwrap_or(path);
    let script = format!("{}  {}", visible_line(name), visible_line(process));
    script.trim_end().to_owned()
}

/// The open process, where the first line has no room for its name.
#[must_use]
pub fn process_below(app: &App) -> String {
    let tabs: usize = tab_texts(app).iter().map(|(_, text)| width(text)).sum();
    let room = usize::from(app.terminal().0).saturating_sub(tabs + 2);
    // In Check the line is about an assertion, which has processes of its own.
    let is_named = room >= RIGHT.min(width(&opened(app))) || app.view == View::Check;
    match &app.session {
        Some(session) if !is_named => visible_line(session.history.process()).into_owned(),
        _ => String::new(),
    }
}

fn status(app: &App) -> Line<'static> {
    let columns = footer::columns_below(app);
    let said = app.lesson.as_ref().map(|room| &room.said);
    let said = said.filter(|said| !said.is_empty());
    let note = visible_line(said.unwrap_or(&app.note));
    let (left, right, role) = match note.is_empty() {
        true => {
            let (left, right) = status_line::sides(app, columns);
            (left, right, Role::Plain)
        }
        // The note comes first; the right gets the rest.
        false => {
            let right = status_line::right(app, columns.saturating_sub(width(&note) + 3));
            (format!(" {note}"), right, Role::Choice)
        }
    };
    let row = Row::new(app.theme).add(role, fit(&left, columns));
    let column = columns.saturating_sub(width(&right) + 1);
    row.to(column).add(Role::Dim, right).done()
}

/// The area of an overlay.
#[must_use]
pub fn overlay_area(app: &App, over: &Overlay) -> Rect {
    let size = app.terminal();
    if layout::tier(size) == Tier::Tiny {
        return Rect::new(0, 0, size.0, size.1);
    }
    let body = layout::body(size);
    let lines = |columns: u16| {
        let columns = body.width.min(columns).saturating_sub(2);
        overlay_content(app, columns.into()).lines.len() as u16
    };
    let (columns, rows) = match over {
        Overlay::Help(_) | Overlay::Palette(_) => (100, body.height),
        Overlay::History => (76, body.height),
        Overlay::Compare(_) => (76, lines(76) + 2),
        Overlay::Menu(None) => (62, lines(62) + 2),
        Overlay::Menu(Some(_)) => (84, lines(84) + 2),
        Overlay::Lessons(..) => (84, lines(84) + 2),
        Overlay::Exchange(_) | Overlay::Write(..) => (74, lines(74) + 2),
        Overlay::Message { text, .. } => {
            let columns = body.width.min(MESSAGE_COLUMNS);
            let lines = message_lines(text, columns.saturating_sub(2).into());
            (columns, lines.len() as u16 + 2)
        }
        Overlay::Yank { to_file } => (56, 2 + actions::yank::lines(app, *to_file).len() as u16),
        Overlay::Quit => (54, 4 + stakes::at_stake(app).len() as u16),
        Overlay::Find => (90, lines(90) + 2),
        // The filter is typed in the hint line, and its result is shown in the pane.
        Overlay::Filter(_) => (0, 0),
    };
    let (w, h) = (columns.min(body.width), rows.min(body.height));
    Rect::new(
        body.x + (body.width - w) / 2,
        body.y + (body.height - h) / 2,
        w,
        h,
    )
}

/// Draws the overlay.
pub(super) fn draw_overlay(app: &App, frame: &mut Frame) {
    let Some(over) = &app.overlay else { return };
    // There only the question before quitting takes keys.
    if layout::tier(app.terminal()) == Tier::Tiny && *over != Overlay::Quit {
        return;
    }
    let area = overlay_area(app, over);
    // No room for the border.
    if area.width < 2 || area.height < 2 {
        return;
    }
    let rows = usize::from(area.height - 2);
    let content = match over {
        Overlay::History => panes::history::build(app, usize::from(area.width - 2), rows),
        _ => overlay_content(app, usize::from(area.width - 2)),
    };
    let first = overlay_first(over, &content, rows);
    panes::draw_box(app.theme, true, &content, first, area, frame);
}

/// The first line of it that is shown.
#[must_use]
pub fn overlay_first(over: &Overlay, content: &Content, rows: usize) -> usize {
    let last = content.lines.len().saturating_sub(rows);
    match (over, content.at) {
        (Overlay::Message { scroll, .. }, _) => (*scroll).min(last),
        // The list stays where it is until the selection would leave the first page.
        (_, Some(at)) if at >= rows => at.saturating_sub(rows / 2).min(last),
        _ => 0,
    }
}

/// The content of an overlay.
#[must_use]
pub fn overlay_content(app: &App, columns: usize) -> Content {
    match &app.overlay {
        Some(Overlay::Help(search)) => {
            let title = format!("Help: {}", app.place().name());
            let items = help::items(app, &search.query);
            list(app, &title, search, &items, columns)
        }
        Some(Overlay::Palette(search)) => {
            let items = overlay::palette_items(app, &search.query);
            let title = match search.query.starts_with("open ") {
                true => "Open a process, or a function with arguments",
                false => "All commands",
            };
            list(app, title, search, &items, columns)
        }
        Some(Overlay::Menu(group)) => menu::content(app, *group, columns),
        Some(Overlay::Find) => panes::find::content(app, columns),
        Some(Overlay::Compare(selected)) => compare_list(app, *selected, columns),
        Some(Overlay::Message { title, text, .. }) => {
            let mut content = Content::new(title.clone());
            for line in message_lines(text, columns) {
                content.push(Row::new(app.theme).plain(line));
            }
            content
        }
        Some(Overlay::Lessons(shelf, selected)) => {
            lessons::list::content(app.theme, shelf, *selected, columns)
        }
        Some(Overlay::Exchange(ready)) => {
            let name = visible_line(&ready.path);
            let keys = format!("y opens {name} all the same, any other key stays.");
            question(app, "Open another script?", &keys, columns)
        }
        Some(Overlay::Write(_, size)) => {
            let mut content = Content::new("A large file");
            let text = format!("{size}\n\ny writes it, any other key does not.");
            content.push_text(app.theme, Role::Plain, &text, columns);
            content
        }
        Some(Overlay::Yank { to_file }) => {
            let mut content = Content::new("Copy");
            let text = actions::yank::lines(app, *to_file).join("\n");
            content.push_text(app.theme, Role::Plain, &text, columns);
            content
        }
        Some(Overlay::Quit) => {
            let keys = match stakes::unsaved(app) {
                0 => "y quits, any other key stays.",
                _ => "y quits, s saves and quits, any other key stays.",
            };
            question(app, "Quit?", keys, columns)
        }
        Some(Overlay::History | Overlay::Filter(_)) | None => Content::default(),
    }
}

/// What would be lost, and the keys that decide.
fn question(app: &App, title: &str, keys: &str, columns: usize) -> Content {
    let mut content = Content::new(title);
    let lost = stakes::at_stake(app).join("\n");
    let text = format!("{lost}\n\n{keys}");
    content.push_text(app.theme, Role::Plain, &text, columns);
    content
}

fn list(
    app: &App,
    title: &str,
    search: &ListSearch,
    items: &[ListItem],
    columns: usize,
) -> Content {
    let mut content = Content::new(title);
    // Headings are counted with what a section explains, so such a list says only which of its lines are seen.
    if items.iter().all(|item| item.section.is_empty()) {
        let plural = if items.len() == 1 { "entry" } else { "entries" };
        content.right = format!("{} {plural}", items.len());
    }
    let chosen = items.get(search.selected);
    content.footer = chosen.map(|item| item.detail.clone()).unwrap_or_default();
    let row = Row::new(app.theme).add(Role::Strong, " > ");
    let row = app
        .line
        .add_to(row, &search.query, columns.saturating_sub(3));
    content.push(row);
    if !search.wrong.is_empty() {
        content.push_text(
            app.theme,
            Role::Fail,
            &format!("   {}", search.wrong),
            columns,
        );
    }
    // The query and what is wrong with it stay in sight.
    content.frozen = content.lines.len();
    let mut section = "";
    let mut widths = list_widths(items.iter(), columns);
    for (at, item) in items.iter().enumerate() {
        // What is found stands in the order of how well it fits.
        if item.section != section && search.query.is_empty() {
            section = item.section;
            content.push(Row::new(app.theme).add(Role::Strong, format!(" {section}")));
            widths = list_widths(items.iter().filter(|i| i.section == section), columns);
        }
        push_item(
            app,
            &mut content,
            (item, at),
            at == search.selected,
            widths,
            columns,
        );
    }
    content
}

/// The columns of names and of keys.
fn list_widths<'a>(
    items: impl Iterator<Item = &'a ListItem> + Clone,
    columns: usize,
) -> (usize, usize) {
    let keys = items.clone().map(|i| width(&i.keys)).max().unwrap_or(0);
    let keys = keys.min(18);
    let names = items.map(|i| width(&i.title)).max().unwrap_or(0);
    // The description gets at least as much room as the name.
    (names.min(columns.saturating_sub(keys + 4) / 2), keys)
}

/// Adds an entry of a list; the explanation of a word is shown whole.
fn push_item(
    app: &App,
    content: &mut Content,
    (item, at): (&ListItem, usize),
    chosen: bool,
    (names, keys): (usize, usize),
    columns: usize,
) {
    let (mark, role) = content.entry(chosen);
    let (role, detail) = match &item.reason {
        Some(reason) if matches!(item.action, ItemAction::Wrong) => (Role::Fail, reason.clone()),
        Some(reason) => (Role::Dim, format!("not now: {reason}")),
        None => (role, item.detail.clone()),
    };
    let row = Row::new(app.theme).add(role, format!("{mark} {}", pad(&item.title, names)));
    let row = match keys {
        0 => row.plain("  "),
        _ => row
            .plain("  ")
            .add(Role::Strong, pad(&item.keys, keys))
            .plain("  "),
    };
    let indent = row.width();
    let room = columns.saturating_sub(indent);
    if !matches!(item.action, ItemAction::Term(_)) || room < 20 {
        content.push_target(row.add(Role::Dim, fit(&detail, room)), at);
        return;
    }
    let mut row = row;
    for line in wrap(&detail, room) {
        content.push_target(row.add(Role::Dim, line), at);
        row = Row::new(app.theme).to(indent);
    }
}

/// The states that can be compared.
fn compare_list(app: &App, selected: usize, columns: usize) -> Content {
    let mut content = Content::new("Compare what?");
    for (at, choice) in choices::choices(app).into_iter().enumerate() {
        let (mark, role) = content.entry(at == selected);
        let row = Row::new(app.theme)
            .plain(mark)
            .add(Role::Strong, format!(" {} ", choice.key));
        let text = fit(&choice.text, columns.saturating_sub(5));
        content.push_target(row.add(role, format!(" {text}")), at);
    }
    content
}
