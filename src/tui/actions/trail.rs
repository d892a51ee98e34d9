//! Commands of the counterexample: moving through the table, and choosing its rows.

use super::distance::Distance;
use crate::app::{App, Effect, Pane};
use crate::panes::cell;
use crate::panes::counterexample::TrailTable;
use crate::report::trail::channel;
use crate::trail::TrailRow;
use crate::{facts, layout};

/// Applies a function to the table as it is on the screen.
fn at_table<T>(app: &App, say: impl FnOnce(&TrailTable<'_>) -> T) -> Option<T> {
    let path = facts::counterexample(app)?;
    let (columns, rows) = layout::inner(app, Pane::Counterexample);
    Some(say(&TrailTable::new(
        app,
        path,
        columns.into(),
        rows.into(),
    )))
}

/// Selects another column.
fn across(app: &mut App, far: Distance) -> Vec<Effect> {
    let step = at_table(app, |table| {
        let columns = &table.trail.columns;
        let at = table.trail.column_of(app.checks.trail.step);
        let to = far.from(at, columns.len(), table.window.len());
        columns.get(to).map(|column| *column.steps.end())
    });
    app.checks.trail.step = step.flatten().unwrap_or(0);
    // The screen stays where it is as long as the selection is on it.
    app.checks.trail.from = at_table(app, |table| table.window.start).unwrap_or(0);
    Vec::new()
}

/// Selects another row.
pub fn down(app: &mut App, far: Distance) {
    let page = layout::height(app, Pane::Counterexample).saturating_sub(5);
    let row = at_table(app, |table| {
        let chosen = table.selected().0;
        let at = table.rows.iter().position(|row| *row == chosen);
        let to = far.from(at.unwrap_or(0), table.rows.len(), page);
        table.rows.get(to).copied()
    });
    app.checks.trail.row = row.flatten().unwrap_or_default();
}

/// Selects the row that stands at a place of the table.
pub fn pick(app: &mut App, at: usize) {
    if let Some(Some(row)) = at_table(app, |table| table.rows.get(at).copied()) {
        app.checks.trail.row = row;
    }
}

/// Selects a later step.
pub fn right(app: &mut App, count: usize) -> Vec<Effect> {
    across(app, Distance::Rows(count as isize))
}

/// Selects an earlier step.
pub fn left(app: &mut App, count: usize) -> Vec<Effect> {
    across(app, Distance::Rows(-(count as isize)))
}

/// Selects the initial state.
pub fn first(app: &mut App, _: usize) -> Vec<Effect> {
    across(app, Distance::Top)
}

/// Selects the end of the run.
pub fn last(app: &mut App, _: usize) -> Vec<Effect> {
    across(app, Distance::Bottom)
}

/// Toggles between all rows, and those that move in the steps on the screen.
pub fn rows(app: &mut App, _: usize) -> Vec<Effect> {
    let place = &mut app.checks.trail;
    place.all = !place.all;
    place.families.clear();
    app.note = if place.all {
        "all rows".to_string()
    } else {
        "rows that move in the steps on the screen".to_string()
    };
    Vec::new()
}

/// Toggles between all events, and the visible ones.
pub fn visible(app: &mut App, _: usize) -> Vec<Effect> {
    app.checks.visible_only = !app.checks.visible_only;
    // The same step stays selected in its new column.
    across(app, Distance::Rows(0))
}

/// The selected cell in full.
pub fn in_full(app: &App) -> Option<String> {
    at_table(app, |table| {
        let (row, column) = table.selected();
        cell::in_full(&table.trail, row, column).1
    })
}

/// Folds or unfolds the selection: steps of a channel, members of a family, or a cell in full.
pub fn unfold(app: &mut App, _: usize) -> Vec<Effect> {
    let found = at_table(app, |table| {
        let (row, column) = table.selected();
        let name = match (&column.fold, table.trail.step(*column.steps.end())) {
            (Some(name), _) => Some((name.clone(), false)),
            (None, Some(step)) => Some((channel(step).to_string(), true)),
            (None, None) => None,
        };
        let first = match row {
            TrailRow::Family(c) => {
                let mut members = cell::members(&table.trail, c);
                let family = table.trail.family(c).to_string();
                members.find(|m| *m >= c).map(|member| (family, member))
            }
            _ => None,
        };
        let full = cell::in_full(&table.trail, row, column);
        (row, name, first, full, *column.steps.start())
    });
    let Some((row, name, first, (title, text), from)) = found else {
        return Vec::new();
    };
    match (row, first, name) {
        (TrailRow::Component(_), ..) => app.tell(&title, &text),
        (TrailRow::Family(_), Some((family, member)), _) => {
            app.checks.trail.families.insert(family);
            app.checks.trail.row = TrailRow::Component(member);
        }
        (_, _, Some((name, folded))) => {
            if !folded {
                app.checks.trail.step = from;
            }
            let what = if folded { "folded" } else { "unfolded" };
            app.note = format!("steps of {name}: {what} (i)");
            app.checks.trail.folds.insert(name, folded);
            return across(app, Distance::Rows(0));
        }
        _ => app.tell(&title, &text),
    }
    Vec::new()
}
