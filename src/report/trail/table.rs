//! The table of a whole run as a part of a document: a column for each step.

use super::cells::{self, CellText};
use super::{Trail, TrailColumn};
use crate::document::{DocumentTable, TableColumn, Tone};
use crate::outcome::Counterexample;

/// The components of a run by its steps, with the events above them; the last column is the violation.
#[must_use]
pub fn of_run(path: &Counterexample) -> DocumentTable {
    let trail = Trail::unfolded(path);
    let steps = trail.columns.iter();
    let heads = steps.map(|column| TableColumn::headed(cells::number(&trail, column).text));
    let first = TableColumn::headed("component");
    let mut table = DocumentTable::new(std::iter::once(first).chain(heads).collect());
    let mut row = |name: &str, cell: &dyn Fn(&TrailColumn) -> CellText| {
        let cells = trail.columns.iter().map(|column| cell(column).text);
        let cells = std::iter::once(name.to_owned()).chain(cells);
        table.row(Tone::Plain, cells.collect());
    };
    row("event", &|column| event(&trail, column));
    if trail.is_specified() {
        row("Spec", &|column| cells::specification(&trail, column));
    }
    for component in 0..trail.components() {
        row(trail.name(component), &|column| {
            cells::component(&trail, component, column)
        });
    }
    table
}

/// The whole event of a step; at the ends of the run, what the cells of the channel and of the fields say.
fn event(trail: &Trail<'_>, column: &TrailColumn) -> CellText {
    match trail.step(*column.steps.end()) {
        Some(step) if !step.event.is_empty() => CellText::plain(step.event.as_str()),
        _ => {
            let mut text = cells::channel(trail, column).text;
            let fields = cells::fields(trail, column).text;
            if !fields.is_empty() {
                text = format!("{text}: {fields}");
            }
            CellText::plain(text)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outcome::{CounterexampleStep, Ending};
    use crate::parted::PartedText;
    use crate::words::EventKind;

    #[test]
    fn a_run_has_a_column_for_each_step_and_one_for_the_violation() {
        let step = CounterexampleStep {
            kind: EventKind::Visible,
            event: PartedText::event("push", &["A"]),
            changes: vec![(1, PartedText::local("Full", &["A"]))],
            ..CounterexampleStep::default()
        };
        let path = Counterexample {
            components: vec!["P".into(), "Q".into()],
            initial: vec!["P".into(), "Empty".into()],
            steps: vec![step],
            ending: Ending::Deadlock,
            ..Counterexample::default()
        };
        let table = of_run(&path);
        let heads: Vec<&str> = table.columns.iter().map(|column| &*column.head).collect();
        assert_eq!(heads, ["component", "0", "1 VISIBLE", "end"]);
        let rows: Vec<Vec<String>> = table.rows.into_iter().map(|row| row.cells).collect();
        assert_eq!(rows[0], ["event", "start", "push.A", "X DEADLOCK"]);
        assert_eq!(rows[1], ["P", "P", ".", "."]);
        assert_eq!(rows[2], ["Q", "Empty", "Full(A)", "."]);
    }
}
