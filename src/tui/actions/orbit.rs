//! Commands of the Orbit view.

use super::distance::Distance;
use crate::animate::model::{ChoiceMark, StrategyKind, TypeOrdering};
use crate::animate::sentences;
use crate::app::{App, Effect, Pane, SPEEDS, View};
use crate::command::Availability;
use crate::facts;
use crate::settings::Motion;
use crate::symmetry::trace::Step;

/// Whether the representative is explained.
pub fn explained(app: &App) -> Availability {
    let view = if app.orbit.counts() {
        app.explained().map(|view| view.as_ref().err())
    } else {
        app.strategy(app.orbit.strategy)
            .map(|view| view.as_ref().err())
    };
    match view {
        Some(None) => Ok(()),
        Some(Some(failure)) => Err(failure.summary.clone()),
        None => Err("there is no explanation yet".to_string()),
    }
}

/// Whether the strategy that is shown counts edges, and so has n-values.
pub fn counts(app: &App) -> Availability {
    if app.orbit.counts() {
        Ok(())
    } else {
        Err("only strategy ordering counts edges (A goes to it)".to_string())
    }
}

/// Whether there are n-values.
pub fn counted(app: &App) -> Availability {
    counts(app).and_then(|()| explained(app))
}

fn frames(app: &App) -> usize {
    app.frames()
}

/// The next strategy, from its first step.
pub fn next_strategy(app: &mut App, _: usize) -> Vec<Effect> {
    let all = StrategyKind::SHOWN;
    let at = all.iter().position(|kind| *kind == app.orbit.strategy);
    // Round and round, the paper's own first.
    let next = at.map_or(0, |at| (at + 1) % all.len());
    show_strategy(app, all.get(next).copied().unwrap_or_default())
}

/// Shows how a strategy chooses, from its first step.
pub fn show_strategy(app: &mut App, kind: StrategyKind) -> Vec<Effect> {
    app.orbit.strategy = kind;
    app.orbit.frame = 0;
    app.orbit.playing = false;
    let is_usual = app.orbit.strategy == StrategyKind::default();
    let used = match facts::goes_by_structure(app) {
        true => ", by values alone",
        false if is_usual => ", the one that checks use",
        false => "",
    };
    app.note = format!("strategy {}{used}", app.orbit.strategy.strategy().name());
    // Other steps, so the scroll positions mean nothing.
    for pane in [Pane::Partition, Pane::Steps] {
        app.scroll[pane as usize] = 0;
    }
    refocus(app)
}

fn go(app: &mut App, far: Distance) -> Vec<Effect> {
    let to = far.from(app.orbit.frame, frames(app), 1);
    show(app, to);
    Vec::new()
}

/// Shows a step from its beginning.
pub fn show(app: &mut App, frame: usize) {
    if app.orbit.frame != frame {
        app.scroll[Pane::Partition as usize] = 0;
    }
    app.orbit.frame = frame;
    app.orbit.counted = None;
    settle(app);
}

/// Chooses a component and a column that the step is about.
pub fn settle(app: &mut App) {
    let frame = app.orbit.frame;
    let Some(explanation) = app.explanation().filter(|_| app.orbit.counts()) else {
        return;
    };
    if let Some(Step::Split { splits, .. }) = explanation.trace.steps.get(frame) {
        // The first group comes first because of the column in which the second differs from it: row and column of
        // that cell are selected.
        let group = splits.iter().flat_map(|s| &s.groups).next();
        let column = splits
            .iter()
            .flat_map(|s| &s.groups)
            .find_map(|g| g.first_difference);
        let member = group.and_then(|g| g.members.first()).copied();
        app.orbit.component = member.unwrap_or(app.orbit.component);
        app.orbit.column = column.unwrap_or(0);
    }
}

/// Whether there is a step before the one that is shown.
pub fn has_before(app: &App) -> Availability {
    explained(app)?;
    match app.orbit.frame {
        0 => Err("this is the first step".to_string()),
        _ => Ok(()),
    }
}

/// Whether there is a step after the one that is shown.
pub fn has_after(app: &App) -> Availability {
    explained(app)?;
    match app.orbit.frame + 1 < frames(app) {
        true => Ok(()),
        false => Err("this is the last step".to_string()),
    }
}

/// Goes back by so many steps of the strategy; playing stops.
pub fn back(app: &mut App, count: usize) -> Vec<Effect> {
    app.orbit.playing = false;
    go(app, Distance::Rows(-(count as isize)))
}

/// Goes on by so many steps of the strategy; playing stops.
pub fn forward(app: &mut App, count: usize) -> Vec<Effect> {
    app.orbit.playing = false;
    go(app, Distance::Rows(count as isize))
}

/// Goes to the first step of the strategy.
pub fn first(app: &mut App, _: usize) -> Vec<Effect> {
    go(app, Distance::Top)
}

/// Goes to the last step of the strategy: the result.
pub fn last(app: &mut App, _: usize) -> Vec<Effect> {
    go(app, Distance::Bottom)
}

/// Next step that splits a block.
pub fn next_split(app: &mut App, count: usize) -> Vec<Effect> {
    let after: Vec<_> = splits(app)
        .into_iter()
        .filter(|f| *f > app.orbit.frame)
        .collect();
    // Further than there are: the last one.
    let to = after.get(count.saturating_sub(1)).or(after.last());
    goto(app, to.copied())
}

/// Step before that splits a block.
pub fn previous_split(app: &mut App, count: usize) -> Vec<Effect> {
    let mut before = splits(app);
    before.retain(|f| *f < app.orbit.frame);
    before.reverse();
    let to = before.get(count.saturating_sub(1)).or(before.last());
    goto(app, to.copied())
}

fn goto(app: &mut App, frame: Option<usize>) -> Vec<Effect> {
    match frame {
        Some(frame) => show(app, frame),
        None if app.orbit.counts() => app.note = "no further split".to_string(),
        None => app.note = "no further choice".to_string(),
    }
    Vec::new()
}

fn splits(app: &App) -> Vec<usize> {
    if let Some(view) = app.other_strategy() {
        // Other strategies split nothing; their choices stand out.
        let is_apart = |at: &usize| view.steps[*at].mark != ChoiceMark::Forced;
        return (0..view.steps.len()).filter(is_apart).collect();
    }
    let steps = app.explanation().map_or(&[][..], |e| &e.trace.steps);
    let splits = |s: &Step| matches!(s, Step::Split { .. } | Step::Choice { .. });
    (0..steps.len()).filter(|at| splits(&steps[*at])).collect()
}

/// Lets the steps advance by themselves, or stops that.
pub fn play(app: &mut App, _: usize) -> Vec<Effect> {
    app.orbit.playing = !app.orbit.playing;
    app.orbit.until = None;
    // Played from the end, it begins anew.
    if app.orbit.frame + 1 >= frames(app) {
        app.orbit.frame = 0;
    }
    app.orbit.due = app.now + SPEEDS[app.orbit.speed].1;
    // Without motion there is nothing to wait for.
    if app.settings.motion == Motion::Off {
        tick(app);
    }
    Vec::new()
}

/// Lets the steps advance up to one of them, at one of the [`SPEEDS`], from the present one or anew.
pub fn play_to(app: &mut App, to: Option<usize>, speed: Option<usize>, anew: bool) {
    app.orbit.speed = speed.unwrap_or(app.orbit.speed);
    let last = frames(app).saturating_sub(1);
    let to = to.unwrap_or(last);
    // At this place, or after it, it plays again from the beginning.
    if anew || app.orbit.frame >= to {
        show(app, 0);
    }
    app.orbit.until = Some(to);
    app.orbit.playing = app.orbit.frame < to;
    app.orbit.due = app.now + SPEEDS[app.orbit.speed].1;
}

/// To be called as time passes.
pub fn tick(app: &mut App) {
    let motion = app.settings.motion;
    if app.orbit.playing && (app.now >= app.orbit.due || motion == Motion::Off) {
        if motion == Motion::Full && count_on(app) {
            return;
        }
        match motion {
            Motion::Full => {
                go(app, Distance::Rows(1));
            }
            Motion::Reduced | Motion::Off => {
                let last = frames(app).saturating_sub(1);
                let end = app.orbit.until.unwrap_or(last).min(last);
                show(app, end);
            }
        }
        // From now, not from when it was due: after a delay the steps do not rush.
        app.orbit.due = app.now + SPEEDS[app.orbit.speed].1;
        if motion == Motion::Full {
            begin_counting(app);
        }
        let end = frames(app).saturating_sub(1);
        app.orbit.playing = app.orbit.frame < app.orbit.until.unwrap_or(end).min(end);
    }
}

/// Columns are counted so many times as fast as steps follow one another.
const COLUMN_TIMES: u64 = 4;
/// Columns that are counted one by one; of more, several at a time.
const COLUMNS_MAX: usize = 24;

/// In slow motion the columns of a table are counted one after the other, so that one can look at each of
/// them: the first one now.
fn begin_counting(app: &mut App) {
    let is_slow = SPEEDS[app.orbit.speed].1 > 1000;
    if is_slow && app.orbit.has_table() && columns_counted(app).is_some() {
        app.orbit.counted = Some((app.orbit.frame, 1));
        app.orbit.column = 0;
        app.orbit.due = app.now + SPEEDS[app.orbit.speed].1 / COLUMN_TIMES;
    }
}

/// The number of table columns that the present step counts; `None` if it counts nothing.
fn columns_counted(app: &App) -> Option<usize> {
    let steps = &app.explanation()?.trace.steps;
    match steps.get(app.orbit.frame)? {
        Step::Count { tables, .. } => tables.iter().map(|(_, t)| t.columns.len()).max(),
        _ => None,
    }
}

/// Counts the next column in slow motion; false if all columns of the present step are there.
fn count_on(app: &mut App) -> bool {
    let Some((shown, all)) = app.orbit.shown_columns().zip(columns_counted(app)) else {
        return false;
    };
    let next = shown + all.div_ceil(COLUMNS_MAX);
    let pause = SPEEDS[app.orbit.speed].1;
    if next > all {
        app.orbit.counted = None;
        // The complete table stays as long as any other step.
        app.orbit.due = app.now + pause;
        return true;
    }
    app.orbit.counted = Some((app.orbit.frame, next));
    app.orbit.column = next - 1;
    app.orbit.due = app.now + pause / COLUMN_TIMES;
    true
}

/// The next higher of the [`SPEEDS`].
pub fn faster(app: &mut App, _: usize) -> Vec<Effect> {
    app.orbit.speed = (app.orbit.speed + 1).min(SPEEDS.len() - 1);
    Vec::new()
}

/// The next lower of the [`SPEEDS`].
pub fn slower(app: &mut App, _: usize) -> Vec<Effect> {
    app.orbit.speed = app.orbit.speed.saturating_sub(1);
    Vec::new()
}

/// Next column of the table.
pub fn column_next(app: &mut App, count: usize) -> Vec<Effect> {
    column(app, count as isize)
}

/// Column of the table before.
pub fn column_previous(app: &mut App, count: usize) -> Vec<Effect> {
    column(app, -(count as isize))
}

/// Whether the table of n-values has several columns.
pub fn has_columns(app: &App) -> Availability {
    counted(app)?;
    match columns(app) {
        0 => Err("this step counts nothing".to_string()),
        1 => Err("there is one column".to_string()),
        _ => Ok(()),
    }
}

/// The number of columns of the table that the followed component is in.
fn columns(app: &App) -> usize {
    let tables = app
        .explanation()
        .and_then(|e| sentences::tables_at(e, app.orbit.frame));
    let has = |rows: &[(usize, Vec<u32>)]| rows.iter().any(|(m, _)| *m == app.orbit.component);
    let columns = tables.and_then(|(_, tables)| {
        let own = tables.iter().find(|(_, t)| has(&t.rows));
        own.or(tables.first()).map(|(_, t)| t.columns.len())
    });
    columns.unwrap_or(0)
}

fn column(app: &mut App, by: isize) -> Vec<Effect> {
    app.orbit.column = Distance::Rows(by).from(app.orbit.column, columns(app), 1);
    Vec::new()
}

/// Shows or hides the edges.
pub fn edges(app: &mut App, _: usize) -> Vec<Effect> {
    app.orbit.edges = !app.orbit.edges;
    refocus(app)
}

/// Shows or hides the table.
pub fn table(app: &mut App, _: usize) -> Vec<Effect> {
    app.orbit.table = !app.orbit.table;
    refocus(app)
}

fn refocus(app: &mut App) -> Vec<Effect> {
    let orbit = View::Orbit as usize;
    let hidden = |pane| match pane {
        Pane::NValues => !app.orbit.has_table(),
        Pane::Edges => !app.orbit.has_edges(),
        _ => false,
    };
    if hidden(app.focus[orbit]) {
        app.focus[orbit] = Pane::Partition;
    }
    let shown = [
        (Pane::NValues, app.orbit.has_table()),
        (Pane::Edges, app.orbit.has_edges()),
    ];
    if hidden(app.lower[orbit]) {
        // The other one of the two, if that is shown; the steps always are.
        let other = shown.iter().find(|(_, shown)| *shown);
        app.lower[orbit] = other.map_or(Pane::Steps, |(pane, _)| *pane);
    }
    Vec::new()
}

/// The other way of ordering types.
pub fn type_order(app: &mut App, _: usize) -> Vec<Effect> {
    let (order, words) = match app.orbit.order {
        TypeOrdering::Appearance => (TypeOrdering::IdentitiesFirst, "identity variables first"),
        TypeOrdering::IdentitiesFirst => {
            (TypeOrdering::Appearance, "order of appearance (Def. 38)")
        }
    };
    app.orbit.order = order;
    app.note = format!("types ordered: {words}");
    Vec::new()
}
