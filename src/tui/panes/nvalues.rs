//! The n-values (Def. 36, step 2): every column names its subject, the deciding cells are boxed.

use std::ops::Range;

use ratatui::text::Line;

use super::Content;
use crate::animate::model::Explanation;
use crate::animate::sentences::{self, compact};
use crate::app::App;
use crate::symmetry::trace::{BlockList, BlockSplit, Column, NTable, Step};
use crate::text::{Row, pad, width};
use crate::theme::Role;

/// The pane: all tables if there is room for them, otherwise that of the focused component, so that no row
/// stands under the header of another table.
#[must_use]
pub fn build(app: &App, columns: usize, rows: usize) -> Content {
    let mut content = Content::new("Numbers of edges (n-values)");
    let Some(explanation) = app.explanation() else {
        return content;
    };
    let Some((partition, tables)) = sentences::tables_at(explanation, app.orbit.frame) else {
        let text = "Nothing is counted before step 2.";
        content.push_text(app.theme, Role::Dim, text, columns);
        return content;
    };
    let round = sentences::round_at(explanation, app.orbit.frame);
    let mut table = Table {
        app,
        explanation,
        partition,
        label: label_width(explanation, tables),
        cells: Vec::new(),
        // Set by `fit` for each table before it is drawn.
        window: 0..0,
    };
    content.title = format!("Edges from each state into each block (n-values, step 2.{round})");
    let own = focused(app, explanation, tables);
    // Built to see whether it fits; if not, the attempt is thrown away.
    let mut all = content.clone();
    table.all(&mut all, tables, own, columns);
    if all.lines.len() <= rows || tables.len() < 2 && all.lines.len() <= HEAD + 1 {
        return all;
    }
    let Some((block, numbers)) = tables.get(own) else {
        return content;
    };
    let splits = split_of(app, explanation, *block).is_some();
    let what = if splits { ", which splits" } else { "" };
    content.title = format!("Edges of S{}{what} (n-values, step 2.{round})", block + 1);
    if tables.len() > 1 {
        content.right = format!("table {} of {}", own + 1, tables.len());
    }
    // The header stays while the rows scroll under it.
    content.frozen = HEAD;
    table.fit(numbers, columns, true);
    table.note(&mut content, numbers);
    table
        .header(numbers)
        .into_iter()
        .for_each(|row| content.push(row));
    table.rows(&mut content, *block, numbers);
    if let Some(text) = selected_sentence(app) {
        content.push_text(app.theme, Role::Plain, &text, columns);
    }
    content
}

/// Lines of a header.
const HEAD: usize = 3;

/// The table that the focused component is in; otherwise one that splits, or the first.
fn focused(app: &App, explanation: &Explanation, tables: &[(usize, NTable)]) -> usize {
    let has = |t: &(usize, NTable)| t.1.rows.iter().any(|(m, _)| *m == app.orbit.component);
    let splits = |t: &(usize, NTable)| split_of(app, explanation, t.0).is_some();
    let own = tables.iter().position(has);
    own.or_else(|| tables.iter().position(splits)).unwrap_or(0)
}

fn label_width(explanation: &Explanation, tables: &[(usize, NTable)]) -> usize {
    let rows = tables.iter().flat_map(|(_, t)| &t.rows);
    let widths = rows.filter_map(|(m, _)| Some(width(&compact(explanation.components.get(*m)?))));
    widths.max().unwrap_or(0).min(28)
}

struct Table<'a> {
    app: &'a App,
    explanation: &'a Explanation,
    partition: &'a BlockList,
    label: usize,
    /// Width of each column.
    cells: Vec<usize>,
    /// The columns that there is room for.
    window: Range<usize>,
}

impl Table<'_> {
    /// All tables, each under its own header: two blocks may have the same columns, but then their states still have
    /// other variables.
    fn all(
        &mut self,
        content: &mut Content,
        tables: &[(usize, NTable)],
        own: usize,
        columns: usize,
    ) {
        let mut shown: Vec<Line<'static>> = Vec::new();
        for (at, (block, numbers)) in tables.iter().enumerate() {
            self.fit(numbers, columns, at == own);
            let header: Vec<Line<'static>> =
                self.header(numbers).into_iter().map(Row::done).collect();
            // Two tables in a row with the same columns share one header.
            if header != shown {
                self.note(content, numbers);
                self.header(numbers)
                    .into_iter()
                    .for_each(|row| content.push(row));
            }
            shown = header;
            self.rows(content, *block, numbers);
            content.push(Row::new(self.app.theme));
        }
        if let Some(text) = selected_sentence(self.app) {
            content.push_text(self.app.theme, Role::Plain, &text, columns);
        }
    }

    /// Says which columns are shown, if there is no room for all of them.
    fn note(&self, content: &mut Content, numbers: &NTable) {
        if self.window.len() < numbers.columns.len() {
            content.right = format!(
                "columns {}-{} of {}, n/N: others",
                self.window.start + 1,
                self.window.end,
                numbers.columns.len()
            );
        }
    }

    /// Chooses the widths of the columns: names are cut to four characters if need be. If even then they
    /// have no room, those around the selected one are shown.
    fn fit(&mut self, numbers: &NTable, columns: usize, own: bool) {
        let names = |most: usize| -> Vec<usize> {
            let name = |c: &Column| width(&self.variable(*c)).clamp(3, most) + 1;
            numbers.columns.iter().map(name).collect()
        };
        // Names in full, up to ten characters; the widest that the table gets.
        let wide = names(10);
        // Two columns between groups, of which there is one for each variable: rarely more than
        // four.
        let gaps = 2 * numbers.columns.len().min(4);
        // Three for the mark and the spaces around the label, six for `-> S10` at the end of a row.
        let total = self.label + 3 + gaps + 6 + wide.iter().sum::<usize>();
        self.cells = if total <= columns { wide } else { names(4) };
        let room = columns.saturating_sub(self.label + 3 + 6);
        let last = |from: usize| {
            let mut used = 0;
            let mut group = None;
            let fits = |at: &usize| {
                let column = numbers.columns[*at];
                let gap = if group.replace(column.i) == Some(column.i) {
                    0
                } else {
                    2
                };
                used += self.cells[*at] + gap;
                used <= room
            };
            from + (from..numbers.columns.len()).take_while(fits).count()
        };
        // The selected column has to be in sight; in other tables nothing is selected.
        let chosen = if own { self.app.orbit.column } else { 0 };
        let starts = 0..=chosen.min(numbers.columns.len().saturating_sub(1));
        // As far to the left as possible, so that the window moves only when it must.
        let from = starts.clone().find(|from| last(*from) > chosen);
        let from = from.unwrap_or(*starts.end());
        // One column at least, even without room.
        self.window = from..last(from).max((from + 1).min(numbers.columns.len()));
    }

    /// The name of the variable of the states that a column counts.
    fn variable(&self, column: Column) -> String {
        let member = self.partition.get(column.j).and_then(|block| block.first());
        let found = member.and_then(|m| sentences::variable(self.explanation, *m, column.k));
        found.map_or("?".to_string(), |v| v.name.clone())
    }

    /// Three lines: the variable of the state, the blocks, the variables of their states.
    fn header(&self, numbers: &NTable) -> Vec<Row> {
        let member = numbers.rows.first().map_or(0, |(m, _)| *m);
        let indent = " ".repeat(self.label + 3);
        let (mut own, mut block, mut theirs) = (indent.clone(), indent.clone(), indent);
        let mut last = None;
        let columns = numbers.columns.iter().zip(&self.cells);
        for (column, cell) in columns.skip(self.window.start).take(self.window.len()) {
            // Columns are sorted by `i`: where it changes, a group for another variable begins.
            let first = last != Some(column.i);
            last = Some(column.i);
            let gap = if first { "  " } else { "" };
            let name = sentences::variable(self.explanation, member, column.i);
            let name = name.map_or("?", |v| v.name.as_str());
            let title = if first {
                format!("i = {name}")
            } else {
                String::new()
            };
            // The heading of a group stands above its first column, which begins where the line of
            // the blocks ends so far; the heading before may reach beyond that.
            own = format!("{}{gap}{title}", pad(&own, width(&block).max(width(&own))));
            block += &format!("{gap}{}", pad(&format!("S{}", column.j + 1), *cell));
            let name: String = self.variable(*column).chars().take(cell - 1).collect();
            theirs += &format!("{gap}{}", pad(&name, *cell));
        }
        let line = |text: String| Row::new(self.app.theme).add(Role::Dim, text);
        [own, block, theirs].map(line).into()
    }

    fn rows(&self, content: &mut Content, block: usize, numbers: &NTable) {
        let split = split_of(self.app, self.explanation, block);
        for (member, counts) in &numbers.rows {
            let focused = *member == self.app.orbit.component;
            if focused {
                content.at = Some(content.lines.len());
            }
            let component = self.explanation.components.get(*member);
            let label = pad(&component.map(compact).unwrap_or_default(), self.label);
            let mark = if focused { ">" } else { " " };
            let role = if focused { Role::Focus } else { Role::Plain };
            let mut row = Row::new(self.app.theme).add(role, format!("{mark} {label} "));
            let mut last = None;
            let columns = numbers.columns.iter().zip(counts).enumerate();
            for (at, (column, count)) in columns.skip(self.window.start).take(self.window.len()) {
                let gap = if last != Some(column.i) { "  " } else { "" };
                last = Some(column.i);
                // The cell that is the reason for the order of two groups.
                let boxed = split.is_some_and(|s| decides(s, *member, at));
                let chosen = focused && at == self.app.orbit.column;
                let wide = self.cells.get(at).copied().unwrap_or(4);
                // In slow motion it is not counted yet.
                let waits = self.app.orbit.shown_columns().is_some_and(|n| at >= n);
                let count = (!waits).then_some(*count);
                row = cell(row.plain(gap), count, wide, boxed, chosen);
            }
            if let Some(to) = self.destination(*member).filter(|_| split.is_some()) {
                row = row.add(Role::Strong, format!("-> S{}", to + 1));
            }
            content.push_target(row, *member);
        }
        if split.is_none() && is_split(self.explanation, self.app.orbit.frame) {
            let text = format!(
                "{}equal: S{} not split",
                " ".repeat(self.label + 5),
                block + 1
            );
            content.push(Row::new(self.app.theme).add(Role::Dim, text));
        }
    }

    /// The block that a member is in afterwards.
    fn destination(&self, member: usize) -> Option<usize> {
        match self.explanation.trace.steps.get(self.app.orbit.frame) {
            Some(Step::Split { after, .. }) => after.iter().position(|b| b.contains(&member)),
            _ => None,
        }
    }
}

fn cell(row: Row, count: Option<u32>, wide: usize, boxed: bool, chosen: bool) -> Row {
    let text = match (count, boxed) {
        (None, _) => "   ".to_string(),
        (Some(count), true) => format!("[{count}]"),
        (Some(count), false) => format!(" {count} "),
    };
    let role = match (chosen, boxed) {
        (true, _) => Role::Selected,
        (false, true) => Role::Changed,
        (false, false) => Role::Plain,
    };
    let rest = wide.saturating_sub(width(&text));
    row.add(role, text).plain(" ".repeat(rest))
}

fn is_split(explanation: &Explanation, frame: usize) -> bool {
    let step = explanation.trace.steps.get(frame);
    matches!(step, Some(Step::Split { .. }))
}

fn split_of<'a>(app: &App, explanation: &'a Explanation, block: usize) -> Option<&'a BlockSplit> {
    match explanation.trace.steps.get(app.orbit.frame) {
        Some(Step::Split { splits, .. }) => splits.iter().find(|s| s.block == block),
        _ => None,
    }
}

/// Whether a cell distinguishes its group from the one before or after it.
fn decides(split: &BlockSplit, member: usize, column: usize) -> bool {
    split.groups.windows(2).any(|pair| match pair {
        [a, b] => {
            // The column is noted with the second group of the pair; the first group's cells decide
            // as well.
            b.first_difference == Some(column)
                && (a.members.contains(&member) || b.members.contains(&member))
        }
        _ => false,
    })
}

/// The cell that is selected: its row and column.
#[must_use]
pub fn selected(app: &App) -> Option<(&BlockList, usize, Column, u32)> {
    let explanation = app.explanation()?;
    let (partition, tables) = sentences::tables_at(explanation, app.orbit.frame)?;
    let rows = tables
        .iter()
        .flat_map(|(_, t)| t.rows.iter().map(move |r| (t, r)));
    let mut own = rows.filter(|(_, (member, _))| *member == app.orbit.component);
    let (table, (member, counts)) = own.next()?;
    let column = *table.columns.get(app.orbit.column)?;
    Some((partition, *member, column, *counts.get(app.orbit.column)?))
}

fn selected_sentence(app: &App) -> Option<String> {
    let explanation = app.explanation()?;
    let (partition, member, column, count) = selected(app)?;
    let names = sentences::ComponentNames::new(&explanation.components);
    Some(format!(
        "{}: {} is {count}: {}.",
        names.of(member),
        sentences::column_name(explanation, partition, member, column),
        sentences::sentence(explanation, partition, member, column, count),
    ))
}
