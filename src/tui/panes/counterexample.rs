//! The counterexample as a table: components are rows, steps are columns, the first column stays. Below it
//! the selected cell in full.

use std::ops::Range;

use super::Content;
use super::cell;
use crate::animate::model::Counterexample;
use crate::app::App;
use crate::cutting::{apart, broken};
use crate::facts::counterexample;
use crate::report::numbers::thousands;
use crate::report::trail::cells::CellText;
use crate::report::trail::{Trail, TrailCell, TrailColumn};
use crate::source::hash::IndexMap;
use crate::text::{Row, fit, pad, width};
use crate::theme::Role;
use crate::trail::{TrailPlace, TrailRow, window};

/// Columns of the narrowest cell.
const CELL_LEAST: usize = 3;
/// Columns of the number of a family's members: ` (40)`.
const COUNT_COLUMNS: usize = 5;
/// Lines of the highest cell.
const CELL_LINES: usize = 4;

/// Builds the pane: the table around the selected cell, and the text of that cell.
#[must_use]
pub fn build(app: &App, columns: usize, rows: usize) -> Content {
    let mut content = Content::new("Counterexample");
    let Some(path) = counterexample(app) else {
        let text = match app.checks.outcome() {
            Some(_) => "There is no counterexample.",
            None => "The counterexample of a failed assertion is shown here.",
        };
        content.push_text(app.theme, Role::Dim, text, columns);
        return content;
    };
    let table = TrailTable::new(app, path, columns, rows);
    content.title = title(app);
    content.right = table.position();
    content.footer = footer(app, &table);
    table.draw(app, &mut content);
    let strip = {
        let (row, column) = table.selected();
        cell::strip(app, &table.trail, row, column, columns, table.strip)
    };
    strip.into_iter().for_each(|row| content.push(row));
    content
}

fn title(app: &App) -> String {
    let Some(outcome) = app.checks.outcome() else {
        return "Counterexample".to_string();
    };
    let number = outcome.number;
    match outcome.others.len() {
        0 => format!("Counterexample  #{number}"),
        n => format!(
            "Counterexample  #{number}, {} of {}",
            app.checks.trail.which + 1,
            n + 1
        ),
    }
}

fn footer(app: &App, table: &TrailTable<'_>) -> String {
    let place = &app.checks.trail;
    let mut shown = Vec::new();
    if app.checks.visible_only {
        shown.push("visible events".to_owned());
    }
    if place.all {
        shown.push("all rows".to_owned());
    }
    if !app.checks.filter.is_empty() {
        shown.push(format!("rows with /{}", app.checks.filter));
    }
    let folded = table.trail.columns.iter().filter_map(|c| c.fold.as_deref());
    let mut folded: Vec<&str> = folded.collect();
    folded.sort_unstable();
    folded.dedup();
    if !folded.is_empty() {
        shown.push(format!("folded: {}", folded.join(" ")));
    }
    shown.join("   ")
}

/// The table as it fits into a pane.
pub struct TrailTable<'a> {
    /// The run.
    pub trail: Trail<'a>,
    /// The rows of the user's choice, selected or not, on the screen or not.
    pub rows: Vec<TrailRow>,
    /// The columns on the screen.
    pub window: Range<usize>,
    place: TrailPlace,
    widths: Vec<usize>,
    /// The number of columns for names.
    first: usize,
    /// The rows of components on the screen.
    shown: Range<usize>,
    /// The number of components that could have rows, and of those that have.
    counted: (usize, usize),
    /// Lines for the table.
    lines: usize,
    /// Lines for the selected cell.
    strip: usize,
}

impl<'a> TrailTable<'a> {
    /// The table for the inner size of a pane.
    #[must_use]
    pub fn new(app: &App, path: &'a Counterexample, columns: usize, rows: usize) -> Self {
        let place = &app.checks.trail;
        let trail = Trail::new(path, &place.folds, app.checks.visible_only);
        // Where there is no room for all, families have rows, with the number of their members.
        let count = match trail.components() > rows {
            true => COUNT_COLUMNS,
            false => 0,
        };
        let name = |c: usize| width(trail.name(c)).max(width(trail.family(c)) + count);
        let names = (0..trail.components()).map(name);
        let most = if columns >= 100 { 24 } else { 16 };
        let first = names.max().unwrap_or(0).clamp(9, most);
        let room = columns.saturating_sub(first + 3);
        let count = trail.columns.len();
        let most = widest(&trail, room);
        let wide = |at: usize| natural(&trail, at).clamp(CELL_LEAST, most) + 2;
        let chosen = trail.column_of(place.step);
        let window = window(count, &wide, place.from, chosen, room);
        let widths = window.clone().map(wide).map(|w| w.min(room)).collect();
        let strip = match rows {
            0..7 => 0,
            7..10 => 2,
            10..16 => rows / 3,
            // The table needs the rest for its last rows.
            16..22 => 5,
            _ => 7,
        };
        let mut table = Self {
            trail,
            rows: Vec::new(),
            window,
            place: place.clone(),
            widths,
            first,
            shown: 0..0,
            counted: (0, 0),
            lines: rows.saturating_sub(strip),
            strip,
        };
        let moving = table.moving(&app.checks.filter);
        table.counted = (moving.len(), table.trail.components());
        let heads = table.heads();
        let lines = rows.saturating_sub(strip + heads.len()).max(1);
        table.rows = heads.clone();
        table.rows.extend(table.grouped(&moving, lines));
        let at = table.rows.iter().position(|row| *row == table.selected().0);
        let at = at.unwrap_or(0).saturating_sub(heads.len());
        let count = table.rows.len() - heads.len();
        let first = if at < lines {
            0
        } else {
            at.saturating_sub(lines / 2)
                .min(count.saturating_sub(lines))
        };
        table.shown = heads.len() + first..(heads.len() + first + lines).min(table.rows.len());
        table
    }

    /// The rows that are about steps and not about components.
    fn heads(&self) -> Vec<TrailRow> {
        let mut heads = vec![TrailRow::Step, TrailRow::Channel, TrailRow::Fields];
        if self.trail.is_specified() {
            heads.push(TrailRow::Specification);
        }
        heads
    }

    /// The columns on the screen.
    fn visible(&self) -> &[TrailColumn] {
        self.trail.columns.get(self.window.clone()).unwrap_or(&[])
    }

    /// The components that are to have rows: those that move in one of the columns on the screen; if there
    /// are none, those that take part.
    fn moving(&self, filter: &str) -> Vec<usize> {
        let trail = &self.trail;
        let filter = filter.to_lowercase();
        let passes = |c: &usize| {
            let has = |text: &str| text.to_lowercase().contains(&filter);
            filter.is_empty()
                || has(trail.name(*c))
                || self
                    .visible()
                    .iter()
                    .any(|column| has(trail.value(*c, *column.steps.end())))
        };
        let all = 0..trail.components();
        if self.place.all || !filter.is_empty() {
            return all.filter(passes).collect();
        }
        let any = |test: &dyn Fn(usize, &TrailColumn) -> bool| -> Vec<usize> {
            let found = all
                .clone()
                .filter(|c| self.visible().iter().any(|column| test(*c, column)));
            found.collect()
        };
        let moving = any(&|c, column| trail.moves(c, column));
        if !moving.is_empty() {
            return moving;
        }
        let part = any(&|c, column| trail.cell(c, column) == TrailCell::TakesPart);
        if part.is_empty() {
            // No component moves in any column on the screen: it is the initial state alone.
            all.collect()
        } else {
            part
        }
    }

    /// Components as rows; where there is no room for all, the largest families get one row each, unless the
    /// person wanted to see their members.
    fn grouped(&self, components: &[usize], lines: usize) -> Vec<TrailRow> {
        let mut families: IndexMap<&str, Vec<usize>> = IndexMap::default();
        for component in components {
            let name = self.trail.family(*component);
            families.entry(name).or_default().push(*component);
        }
        let mut large: Vec<(&str, usize)> = families
            .iter()
            .map(|(name, members)| (*name, members.len()))
            .filter(|(name, members)| *members > 1 && !self.place.families.contains(*name))
            .collect();
        // Stable: of families of one size the first comes first.
        large.sort_by_key(|(_, members)| std::cmp::Reverse(*members));
        let mut count = components.len();
        let mut together: Vec<&str> = Vec::new();
        for (name, members) in large {
            if count <= lines {
                break;
            }
            count -= members - 1;
            together.push(name);
        }
        let mut rows = Vec::new();
        for component in components {
            let name = self.trail.family(*component);
            let members = families.get(name).map_or(&[][..], Vec::as_slice);
            match (together.contains(&name), members.first()) {
                (true, Some(first)) if first == component => rows.push(TrailRow::Family(*first)),
                (true, _) => {}
                (false, _) => rows.push(TrailRow::Component(*component)),
            }
        }
        rows
    }

    /// The selected row and column: where the row is not shown, the one that holds or precedes it.
    #[must_use]
    pub fn selected(&self) -> (TrailRow, &TrailColumn) {
        let column = self.trail.column_of(self.place.step);
        // There is always a column for the initial state.
        let column = self
            .trail
            .columns
            .get(column)
            .unwrap_or(&self.trail.columns[0]);
        let wanted = self.place.row;
        let own = match wanted {
            TrailRow::Component(c) | TrailRow::Family(c) => Some(self.trail.family(c)),
            _ => None,
        };
        let same = |row: &&TrailRow| match row {
            TrailRow::Family(c) => Some(self.trail.family(*c)) == own,
            _ => false,
        };
        let exact = self.rows.iter().find(|row| **row == wanted);
        let found = exact.or_else(|| self.rows.iter().find(same));
        let before = || self.rows.iter().rfind(|row| **row < wanted);
        (found.or_else(before).copied().unwrap_or_default(), column)
    }

    /// The position of the screen in the run.
    fn position(&self) -> String {
        let steps = self.trail.path.steps.len();
        let columns = self.visible();
        let ends = columns.first().zip(columns.last());
        let (from, to) = ends.map_or((0, 0), |(a, b)| (*a.steps.start(), *b.steps.end()));
        let (moving, all) = self.counted;
        let rows = match (self.place.all, moving == all) {
            (_, true) => format!("rows: all {all}"),
            (true, false) => format!("rows: {moving} of {all}"),
            (false, false) => format!("rows: {moving} of {all} that move here"),
        };
        let heads = self.heads().len();
        let components = self.rows.len() - heads;
        let place = if components > self.shown.len() {
            format!(
                ", {}-{}",
                self.shown.start + 1 - heads,
                self.shown.end - heads
            )
        } else {
            String::new()
        };
        format!("steps {from}-{} of {steps} | {rows}{place}", to.min(steps))
    }

    fn draw(&self, app: &App, content: &mut Content) {
        let heads = self.heads().len();
        let shown: Vec<usize> = (0..heads).chain(self.shown.clone()).collect();
        let names: Vec<String> = self.rows.iter().map(|row| self.name(*row)).collect();
        let list: Vec<&str> = names.iter().map(String::as_str).collect();
        let mut names = apart(&list, self.first);
        for (name, row) in names.iter_mut().zip(&self.rows) {
            // The number of members stays where the name is cut.
            if let TrailRow::Family(c) = row {
                let count = self.count(*c);
                let room = self.first.saturating_sub(width(&count));
                *name = format!("{}{count}", fit(self.trail.family(*c), room));
            }
        }
        // Lines that nothing else needs go to rows whose texts are too long for one, the events first.
        let mut spare = self.lines.saturating_sub(shown.len());
        for at in shown {
            let Some(row) = self.rows.get(at) else {
                continue;
            };
            let most = (1 + spare).min(CELL_LINES);
            let cells = self.cells(*row, most);
            let deep = cells.iter().map(|(_, lines)| lines.len()).max();
            let deep = deep.unwrap_or(1).max(1);
            spare -= deep - 1;
            for line in 0..deep {
                let name = names.get(at).filter(|_| line == 0);
                let row = self.line(app, *row, name.map_or("", String::as_str), &cells, line);
                content.push_target(row, at);
            }
        }
        // The text of the selected cell is at the bottom, where it does not jump.
        while content.lines.len() < self.lines && self.strip > 0 {
            content.push(Row::new(app.theme));
        }
    }

    /// A line of a row.
    fn line(
        &self,
        app: &App,
        row: TrailRow,
        name: &str,
        cells: &[(Role, Vec<String>)],
        at: usize,
    ) -> Row {
        let (chosen, column) = self.selected();
        let own = row == chosen;
        let mark = if own && at == 0 { ">" } else { " " };
        let mut line =
            Row::new(app.theme).add(Role::Strong, format!("{mark}{} ", pad(name, self.first)));
        let places = self.widths.iter().zip(self.visible());
        for ((role, lines), (wide, c)) in cells.iter().zip(places) {
            let here = c == column;
            let text = lines.get(at).map_or("", String::as_str);
            let cut = pad(text, wide.saturating_sub(2));
            let (open, close) = if here && own { ("[", "]") } else { (" ", " ") };
            let role = match (here && own, role) {
                (true, _) => Role::Selected,
                // The selected column is read from top to bottom, too.
                (false, Role::Plain | Role::Strong) if here => Role::Strong,
                (false, role) => *role,
            };
            line = line.plain(open).add(role, cut).plain(close);
        }
        line
    }

    fn name(&self, row: TrailRow) -> String {
        match row {
            TrailRow::Step => "step".to_string(),
            TrailRow::Channel => "event".to_string(),
            TrailRow::Fields => String::new(),
            TrailRow::Specification => "Spec".to_string(),
            TrailRow::Component(c) => self.trail.name(c).to_string(),
            TrailRow::Family(c) => format!("{}{}", self.trail.family(c), self.count(c)),
        }
    }

    /// The number of members of a component's family, behind its name.
    fn count(&self, component: usize) -> String {
        let members = cell::members(&self.trail, component).count();
        format!(" ({})", thousands(members as u128))
    }

    /// The cells of a row in at most so many lines, cut so that those that differ look different.
    fn cells(&self, row: TrailRow, most: usize) -> Vec<(Role, Vec<String>)> {
        let columns = self.visible().iter();
        let texts: Vec<CellText> = columns.map(|c| cell::text(&self.trail, row, c)).collect();
        let room = |at: usize| {
            self.widths
                .get(at)
                .map_or(CELL_LEAST, |w| w.saturating_sub(2))
        };
        let full = |at: usize, text: &str| broken(text, room(at));
        let long: Vec<bool> = texts
            .iter()
            .enumerate()
            .map(|(at, t)| full(at, &t.text).len() > most)
            .collect();
        let cut = if long.contains(&true) {
            self.cut(&texts, &long, most)
        } else {
            Vec::new()
        };
        let fitted = |(at, text): (usize, &CellText)| {
            let shown = match (long[at], cut.get(at)) {
                (true, Some(cut)) => cut.clone(),
                _ => text.text.clone(),
            };
            let mut lines = broken(&shown, room(at));
            lines.truncate(most);
            (Role::from(text.tone), lines)
        };
        texts.iter().enumerate().map(fitted).collect()
    }

    /// The texts of a row cut so that each of the long ones has room in so many lines.
    fn cut(&self, texts: &[CellText], long: &[bool], most: usize) -> Vec<String> {
        let room = |at: usize| {
            self.widths
                .get(at)
                .map_or(CELL_LEAST, |w| w.saturating_sub(2))
        };
        let list: Vec<&str> = texts.iter().map(|t| t.text.as_str()).collect();
        let narrowest = (0..texts.len()).filter(|at| long[*at]).map(room).min();
        let narrowest = narrowest.unwrap_or(CELL_LEAST);
        // Lines may end early: less and less of the texts is kept until it fits, as it does on one line.
        let mut columns = narrowest * most;
        loop {
            let cut = apart(&list, columns);
            let fits = |at: usize| !long[at] || broken(&cut[at], room(at)).len() <= most;
            if columns <= narrowest || (0..cut.len()).all(fits) {
                return cut;
            }
            columns -= 1;
        }
    }
}

/// The widest cell: as wide as lets all columns stand on the screen, otherwise so that there are a few.
fn widest(trail: &Trail<'_>, room: usize) -> usize {
    let least = (room / 5).clamp(12, 22);
    if trail.columns.len() > room / (CELL_LEAST + 2) {
        return least;
    }
    let all = |most: usize| -> usize {
        let columns = 0..trail.columns.len();
        columns
            .map(|at| natural(trail, at).clamp(CELL_LEAST, most) + 2)
            .sum()
    };
    let fits = [60, 40, 30].into_iter().find(|most| all(*most) <= room);
    fits.unwrap_or(least)
}

/// The number of terminal columns that the new texts of a column take; at most the largest width.
fn natural(trail: &Trail<'_>, at: usize) -> usize {
    let Some(column) = trail.columns.get(at) else {
        return 0;
    };
    let measure = |text: &str| width(text.get(..80).unwrap_or(text));
    let heads = [
        TrailRow::Step,
        TrailRow::Channel,
        TrailRow::Fields,
        TrailRow::Specification,
    ];
    let heads = heads.map(|row| measure(&cell::text(trail, row, column).text));
    let widest = heads.into_iter().max().unwrap_or(0);
    let values = match (*column.steps.start(), trail.step(*column.steps.end())) {
        // Initial states are shown, but do not make the column wide.
        (0, _) | (_, None) => 14.min(trail.components() * 14),
        (_, Some(_)) if column.fold.is_some() => 14,
        (_, Some(step)) => {
            let texts = step.changes.iter().map(|(_, text)| measure(text));
            texts.max().unwrap_or(0)
        }
    };
    widest.max(values)
}
