//! The mouse: a click selects, a second one is Enter, the wheel scrolls the pane under it.

use crossterm::event::{MouseButton, MouseEvent, MouseEventKind};
use ratatui::layout::{Position, Rect};

use super::actions::motion::{self, Distance};
use super::actions::{self, showing, source, structure, trail};
use super::app::{App, Effect, KeyPage, KeyPlace, Overlay, Pane, PendingKeys};
use super::registry;
use super::welcome::page::WelcomeRow;
use super::{footer, layout, lessons, menu, next_time, overlay, panes, view, welcome};

/// Two clicks within this many milliseconds are one double click.
const DOUBLE: u64 = 400;
/// Lines that one turn of the wheel scrolls.
const WHEEL: isize = 3;

/// Handles a mouse event.
pub fn handle(app: &mut App, event: MouseEvent) -> Vec<Effect> {
    if layout::tier(app.terminal()) == layout::Tier::Tiny {
        return Vec::new();
    }
    let at = Position::new(event.column, event.row);
    match event.kind {
        MouseEventKind::Down(MouseButton::Left) => click(app, at),
        MouseEventKind::ScrollDown => wheel(app, at, WHEEL),
        MouseEventKind::ScrollUp => wheel(app, at, -WHEEL),
        _ => Vec::new(),
    }
}

/// Handles a click on a page over the views. Returns `None` for a click beside the card, which goes to the views.
fn click_page(app: &mut App, page: KeyPage, at: Position) -> Option<Vec<Effect>> {
    if page == KeyPage::Card {
        // A click into the views directs keys there, too.
        let inside = on_card(app, at);
        if let Some(room) = app.lesson.as_mut().filter(|_| !inside) {
            room.in_view = true;
        }
        return inside.then(Vec::new);
    }
    let row = app
        .welcome
        .as_ref()
        .and_then(|screen| welcome::draw::row_at(app, screen, at));
    if let Some((screen, row)) = app.welcome.as_mut().zip(row) {
        screen.selected = row;
        // Selecting the field has no effect.
        if screen.rows().get(row) != Some(&WelcomeRow::Field) {
            return Some(actions::welcome::chosen(app, 1));
        }
    }
    Some(Vec::new())
}

/// Whether a place is on the card of the lesson.
fn on_card(app: &App, at: Position) -> bool {
    let room = app.lesson.as_ref().filter(|room| !room.in_view);
    room.is_some_and(|room| lessons::draw::card_area(app, room).contains(at))
}

fn click(app: &mut App, at: Position) -> Vec<Effect> {
    // A click is not counted, and ends typing.
    app.typed = PendingKeys::default();
    app.note.clear();
    let double = app.click.is_some_and(|(x, y, then)| {
        (x, y) == (at.x, at.y) && app.now.saturating_sub(then) <= DOUBLE
    });
    // The third click of three is the first of a new pair.
    app.click = (!double).then_some((at.x, at.y, app.now));
    if app.overlay.is_some() {
        return click_overlay(app, at, double);
    }
    let place = app.place();
    let rows = match place {
        KeyPlace::On(_) => app.terminal().1,
        KeyPlace::In(..) => app.size.1,
    };
    // Hints are the last line, tabs the first.
    if at.y + 1 == rows
        && let Some(command) = footer::hint_at(app, at.x)
    {
        let effects = registry::run(app, command, 1);
        next_time::tell(app, command);
        return effects;
    }
    if let KeyPlace::On(page) = place
        && let Some(effects) = click_page(app, page, at)
    {
        return effects;
    }
    click_view(app, at, double)
}

/// Handles a click on a tab or into a pane.
fn click_view(app: &mut App, at: Position, double: bool) -> Vec<Effect> {
    if at.y == 0
        && let Some(view) = view::tab_at(app, at.x)
    {
        let effects = showing::show(app, view);
        let number = view.number().to_string();
        if let Some(command) = registry::usual(KeyPlace::In(view, app.pane()), &number) {
            next_time::tell(app, command);
        }
        return effects;
    }
    let hit = layout::panes(app)
        .into_iter()
        .find(|(_, area)| area.contains(at));
    let Some((pane, area)) = hit else {
        return Vec::new();
    };
    app.focus_on(pane);
    let selected = select(app, pane, area, at);
    if double && selected {
        let Some(enter) = registry::usual(KeyPlace::In(app.view, pane), "enter") else {
            return Vec::new();
        };
        let effects = registry::run(app, enter, 1);
        next_time::tell(app, enter);
        return effects;
    }
    Vec::new()
}

/// Selects the row under the pointer.
fn select(app: &mut App, pane: Pane, area: Rect, at: Position) -> bool {
    let rows = usize::from(area.height.saturating_sub(2));
    // Without the border, as it was drawn: the same text has the same lines.
    let columns = area.width.saturating_sub(2).into();
    if pane == Pane::Graph {
        // There it is not only the line that counts.
        let (x, y) = (at.x.checked_sub(area.x + 1), at.y.checked_sub(area.y + 1));
        let item = x.zip(y).and_then(|(x, y)| {
            let (x, y) = (usize::from(x), usize::from(y));
            panes::graph::hit(app, (columns, rows), x, y)
        });
        if let Some(item) = item {
            actions::graph::select(app, item);
        }
        return item.is_some();
    }
    let content = panes::build(app, pane, columns, rows);
    let first = panes::first_line(app, pane, &content, rows);
    let Some(target) = content.target_at(area, first, at) else {
        return false;
    };
    match pane {
        Pane::Transitions => {
            // A second click on a group must not go back to its first member.
            if app.animate.group != target {
                (app.animate.group, app.animate.member) = (target, 0);
            }
        }
        Pane::History => app.animate.history = Some(target),
        Pane::Steps => app.orbit.frame = target,
        Pane::Partition | Pane::NValues => app.orbit.component = target,
        Pane::SideBySide => app.compare.step = target,
        Pane::Verdict => app.compare.line = target,
        Pane::Assertions => motion::select_assertion(app, target),
        Pane::Counterexample => trail::pick(app, target),
        Pane::State => app.animate.component = Some(target),
        Pane::Racing => motion::select_strategy(app, target),
        Pane::Operators => structure::select_row(app, target),
        Pane::Waits => app.structure.wait = target,
        Pane::Generators => app.playing.select(target),
        Pane::Source => {
            let column = at.x.saturating_sub(area.x + 1);
            panes::source::put_cursor(app, target, columns, usize::from(column));
        }
        Pane::Outline => {
            app.reading.outline = target;
            motion::go(app, Distance::Rows(0));
        }
        Pane::Symmetry => app.reading.symmetry = target,
        _ => return false,
    }
    true
}

fn click_overlay(app: &mut App, at: Position, double: bool) -> Vec<Effect> {
    let Some(over) = app.overlay.clone() else {
        return Vec::new();
    };
    let area = view::overlay_area(app, &over);
    if !area.contains(at) {
        app.overlay = None;
        return Vec::new();
    }
    let rows = usize::from(area.height.saturating_sub(2));
    let columns = usize::from(area.width.saturating_sub(2));
    let content = match &over {
        Overlay::History => panes::history::build(app, columns, rows),
        _ => view::overlay_content(app, columns),
    };
    let first = view::overlay_first(&over, &content, rows);
    let Some(target) = content.target_at(area, first, at) else {
        return Vec::new();
    };
    match over {
        Overlay::Menu(group) => {
            let x = usize::from(at.x.saturating_sub(area.x + 1));
            let key = menu::key_at(app, group, columns, target, x);
            return key.map_or_else(Vec::new, |key| overlay::key(app, &key.to_string()));
        }
        Overlay::History => app.animate.history = Some(target),
        Overlay::Compare(_) => app.overlay = Some(Overlay::Compare(target)),
        Overlay::Lessons(shelf, _) => {
            app.overlay = Some(Overlay::Lessons(shelf, target));
            return overlay::key(app, "enter");
        }
        Overlay::Help(mut search) => {
            search.selected = target;
            app.overlay = Some(Overlay::Help(search));
        }
        Overlay::Palette(mut search) => {
            search.selected = target;
            app.overlay = Some(Overlay::Palette(search));
        }
        _ => return Vec::new(),
    }
    if double {
        return overlay::key(app, "enter");
    }
    Vec::new()
}

fn wheel(app: &mut App, at: Position, lines: isize) -> Vec<Effect> {
    if app.overlay.is_some() {
        // One line a turn: in most overlays this moves the selection.
        let key = if lines > 0 { "down" } else { "up" };
        return overlay::key(app, key);
    }
    if on_card(app, at) {
        if let Some(room) = &mut app.lesson {
            room.scroll_by(lines.signum());
        }
        return Vec::new();
    }
    if app.welcome.is_some() && app.lesson.is_none() {
        return actions::welcome::along(app, Distance::Rows(lines.signum()));
    }
    let hit = layout::panes(app)
        .into_iter()
        .find(|(_, area)| area.contains(at));
    let Some((pane, _)) = hit else {
        return Vec::new();
    };
    // Where there is a selection, the wheel moves it by one; elsewhere it scrolls.
    let selects = matches!(
        pane,
        Pane::Transitions
            | Pane::History
            | Pane::Steps
            | Pane::SideBySide
            | Pane::Verdict
            | Pane::Assertions
            | Pane::Counterexample
            | Pane::Graph
            | Pane::Racing
            | Pane::Operators
            | Pane::Waits
            | Pane::Generators
            | Pane::Outline
            | Pane::Symmetry
    );
    if pane == Pane::Source {
        source::scroll(app, lines);
        return Vec::new();
    }
    if selects {
        let before = (app.focus, app.lower);
        // The wheel acts on the pane under it, and leaves the focus where it is.
        app.focus[app.view as usize] = pane;
        let effects = motion::go(app, Distance::Rows(lines.signum()));
        (app.focus, app.lower) = before;
        return effects;
    }
    motion::scroll(app, pane, Distance::Rows(lines));
    Vec::new()
}
