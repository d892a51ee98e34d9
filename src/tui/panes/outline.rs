//! The outline: the components that move in the selected transition, the definitions of the script, and the places
//! of the other components.

use super::Content;
use crate::animate::model::ScriptPlace;
use crate::app::App;
use crate::cutting::{apart, middle};
use crate::facts;
use crate::source::Span;
use crate::text::{Row, pad, width};
use crate::theme::Role;

/// Rows on each side of the selected one, where there are very many.
const AROUND: usize = 300;

/// A row that can be selected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutlineRow {
    /// A component that moves, by its place among those.
    Mover(usize),
    /// A definition, by its place in the outline of the script.
    Definition(usize),
    /// A component, by its place in the state.
    Component(usize),
}

/// The rows that can be selected, in order.
#[must_use]
pub fn rows(app: &App) -> Vec<OutlineRow> {
    let movers = facts::selected(app).map_or(0, |t| t.movers.len());
    let definitions = app.reading.listing.outline.len();
    let components = app.reading.places().map_or(0, |p| p.components.len());
    let all = (0..movers).map(OutlineRow::Mover);
    all.chain((0..definitions).map(OutlineRow::Definition))
        .chain((0..components).map(OutlineRow::Component))
        .collect()
}

/// The selected row.
#[must_use]
pub fn selected(app: &App) -> Option<OutlineRow> {
    let rows = rows(app);
    let last = rows.len().checked_sub(1)?;
    rows.get(app.reading.outline.min(last)).copied()
}

/// Builds the pane.
#[must_use]
pub fn build(app: &App, columns: usize) -> Content {
    let mut content = Content::new("Outline");
    let rows = rows(app);
    let chosen = app.reading.outline.min(rows.len().saturating_sub(1));
    let mut heading = None;
    // Of very many only those around the selected one: more would not be visible.
    let around = if rows.len() > 4 * AROUND {
        chosen.saturating_sub(AROUND)..(chosen + AROUND).min(rows.len())
    } else {
        0..rows.len()
    };
    content.right = format!("{} of {}", (chosen + 1).min(rows.len()), rows.len());
    let texts: Vec<_> = rows[around.clone()]
        .iter()
        .map(|row| words(app, *row))
        .collect();
    let widest = texts.iter().map(|(_, place)| width(place)).max();
    let place_room = widest.unwrap_or(0).min(columns / 2);
    let room = columns.saturating_sub(place_room + 4);
    let names: Vec<&str> = texts.iter().map(|(name, _)| name.as_str()).collect();
    let names = apart(&names, room);
    for (n, at) in around.enumerate() {
        let row = &rows[at];
        let title = match row {
            OutlineRow::Mover(_) => "moves",
            OutlineRow::Definition(_) => "defined",
            OutlineRow::Component(_) => "components",
        };
        if heading != Some(title) {
            heading = Some(title);
            content.push(Row::new(app.theme).add(Role::Strong, format!(" {title}")));
        }
        if at == chosen {
            content.at = Some(content.lines.len());
        }
        let place = middle(&texts[n].1, place_room);
        let (mark, role) = if at == chosen {
            (">", Role::Selected)
        } else {
            (" ", Role::Plain)
        };
        let followed = match row {
            OutlineRow::Mover(n) => app.reading.component.is_none() && *n == app.reading.mover,
            OutlineRow::Component(n) => app.reading.component == Some(*n),
            OutlineRow::Definition(_) => false,
        };
        let sign = if followed { "*" } else { " " };
        let text = format!("{mark}{sign} {}", pad(&names[n], room));
        content.push_target(
            Row::new(app.theme)
                .add(role, text)
                .add(Role::Dim, format!(" {place:>place_room$}")),
            at,
        );
    }
    if rows.is_empty() {
        content.push_text(app.theme, Role::Dim, "nothing is defined", columns);
    }
    content
}

/// The text of a row: a name, and a place.
fn words(app: &App, row: OutlineRow) -> (String, String) {
    let label = |n: usize| {
        let view = app.session.as_ref().and_then(|s| s.view());
        let component = view.and_then(|view| view.components.get(n));
        component.map_or_else(String::new, |c| c.label())
    };
    let known = app.reading.places();
    match row {
        OutlineRow::Mover(n) => {
            let component = facts::selected(app).and_then(|t| t.movers.get(n));
            let at = component.map_or(0, |(at, ..)| *at);
            let branch = known.and_then(|p| p.branches.iter().find(|(c, _)| *c == at));
            let taken = branch.map(|(_, places)| places.as_slice());
            let here = known.and_then(|p| p.components.get(at)).map(Vec::as_slice);
            let places = taken.filter(|p| !p.is_empty()).or(here);
            (label(at), placed(app, places))
        }
        OutlineRow::Component(n) => {
            let here = known.and_then(|p| p.components.get(n)).map(Vec::as_slice);
            (label(n), placed(app, here))
        }
        OutlineRow::Definition(n) => {
            let entry = app.reading.listing.outline.get(n);
            let place = entry.map(|e| line(app, e.place)).unwrap_or_default();
            (entry.map_or_else(String::new, |e| e.name.clone()), place)
        }
    }
}

/// `in Thread, line 12`
fn placed(app: &App, places: Option<&[ScriptPlace]>) -> String {
    match places {
        None => String::new(),
        Some([]) => "not in the text".to_string(),
        Some([first, ..]) => {
            let around = app.reading.listing.definition_of(first.span);
            let definition = around.map_or_else(String::new, |e| format!("{} ", e.name));
            format!("{definition}{}", line(app, first.span))
        }
    }
}

/// The line of a place; with the file, unless that is the script itself.
#[must_use]
pub fn line(app: &App, place: Span) -> String {
    let Some(file) = app.reading.listing.file(place.file) else {
        return String::new();
    };
    let line = file.text.line_of(place.start as usize) + 1;
    if place.file.0 == 0 {
        return line.to_string();
    }
    let name = file.path.file_name().map(|n| n.to_string_lossy());
    format!("{}:{line}", name.unwrap_or_default())
}
