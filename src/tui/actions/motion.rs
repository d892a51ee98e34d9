//! Moving within a pane: selections where there are some, scrolling elsewhere.

pub use super::distance::Distance;
use super::{lesson, source, structure, symmetry, welcome};
use crate::app::{App, Effect, KeyPage, KeyPlace, Pane, ShownState};
use crate::trail::TrailPlace;
use crate::{layout, panes};

/// Moves in the focused pane.
// In one piece: the meaning of motions in each pane, side by side.
pub fn go(app: &mut App, far: Distance) -> Vec<Effect> {
    let pane = match app.place() {
        KeyPlace::On(KeyPage::Card) => return lesson::along(app, far),
        KeyPlace::On(KeyPage::Welcome | KeyPage::Path) => return welcome::along(app, far),
        KeyPlace::In(_, pane) => pane,
    };
    // One line of the previous page stays visible.
    let page = layout::height(app, pane).saturating_sub(1);
    match pane {
        Pane::Transitions => {
            let count = app.session.as_ref().map_or(0, |s| s.groups.len());
            // Entries may take two lines each.
            app.animate.group = far.from(app.animate.group, count, page / 2);
            app.animate.member = 0;
        }
        Pane::History => {
            // The whole line, with the targets of redo.
            app.animate.history =
                panes::history::from_selected(app, |at, count| far.from(at, count, page));
        }
        Pane::Steps => {
            let count = app.frames();
            app.orbit.frame = far.from(app.orbit.frame, count, page / 2);
        }
        // Rows select a component there; pages look at the rest of the text.
        Pane::Partition | Pane::Edges if matches!(far, Distance::Pages(_)) => {
            scroll(app, pane, far);
        }
        Pane::NValues | Pane::Partition | Pane::Edges => {
            let order = panes::orbit::component_order(app);
            let at = order.iter().position(|c| *c == app.orbit.component);
            let to = far.from(at.unwrap_or(0), order.len(), page);
            app.orbit.component = order.get(to).copied().unwrap_or(0);
        }
        Pane::SideBySide => {
            let count = panes::runs::count(app);
            // A step takes two lines.
            app.compare.step = far.from(app.compare.step, count, page / 2);
        }
        Pane::Verdict if app.compare.folds() => {
            let shown = app.compare.shown_lines();
            let at = shown.iter().position(|line| *line == app.compare.line);
            let to = far.from(at.unwrap_or(0), shown.len(), page);
            app.compare.line = shown.get(to).copied().unwrap_or(0);
        }
        Pane::Graph => super::graph::along(app, far),
        Pane::Assertions => {
            let to = far.from(app.checks.selected, app.checks.status.len(), page);
            select_assertion(app, to);
        }
        Pane::Counterexample => super::trail::down(app, far),
        // Pages scroll the whole list, and the lines below it.
        Pane::State if lists(app) && !matches!(far, Distance::Pages(_)) => {
            super::components::select(app, far);
        }
        Pane::Source => source::go(app, far, page),
        Pane::Outline => source::go_in_outline(app, far, page),
        Pane::Symmetry => source::go_in_symmetry(app, far, page),
        Pane::Racing => {
            let to = far.from(app.race.selected, app.race.rows.len(), page);
            select_strategy(app, to);
        }
        Pane::Generators => {
            let count = symmetry::generators(app);
            let to = far.from(app.playing.generator, count, page / 2);
            app.playing.select(to);
        }
        Pane::Operators | Pane::Waits => in_structure(app, pane, far, page),
        _ => scroll(app, pane, far),
    }
    Vec::new()
}

fn in_structure(app: &mut App, pane: Pane, far: Distance, page: usize) {
    let Some(view) = structure::shown(app) else {
        return;
    };
    let lines = view.cycles.len() + view.waits.len();
    match pane {
        Pane::Operators => {
            let count = app.structure.rows(view).len();
            let to = far.from(app.structure.row, count, page);
            structure::select_row(app, to);
        }
        _ if lines > 0 => app.structure.wait = far.from(app.structure.wait, lines, page),
        _ => scroll(app, pane, far),
    }
}

/// Whether the state pane lists components that can be selected.
fn lists(app: &App) -> bool {
    let one = app.representative().is_none();
    match (app.animate.show, layout::tier(app.size)) {
        (ShownState::Counted, _) => false,
        (ShownState::Raw, _) | (_, layout::Tier::Wide) => true,
        _ => one,
    }
}

/// Selects an assertion; its counterexample is shown at the violation.
pub fn select_assertion(app: &mut App, to: usize) {
    app.checks.seeks_failure = false;
    if app.checks.selected != to {
        app.checks.selected = to;
        app.checks.trail = TrailPlace::default();
        app.scroll[Pane::Explanation as usize] = 0;
    }
}

/// Selects a strategy of a race.
pub fn select_strategy(app: &mut App, to: usize) {
    if app.race.selected != to {
        app.race.selected = to;
        app.scroll[Pane::Doubled as usize] = 0;
    }
}

/// Scrolls a pane, but not beyond its end.
pub fn scroll(app: &mut App, pane: Pane, far: Distance) {
    let height = layout::height(app, pane);
    let lines = panes::length(app, pane);
    // The number of possible first lines: at least one.
    let places = lines.saturating_sub(height) + 1;
    let at = app.scroll[pane as usize].min(places - 1);
    let to = far.from(at, places, height.saturating_sub(1));
    app.scroll[pane as usize] = to;
    // Otherwise the selected component would be kept in sight.
    if pane == Pane::State {
        app.animate.component = None;
    }
    // Line by line the two states stand beside each other.
    if matches!(pane, Pane::StateA | Pane::StateB) {
        app.scroll[Pane::StateA as usize] = to;
        app.scroll[Pane::StateB as usize] = to;
    }
}
