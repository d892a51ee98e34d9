//! The manual's tables of the paper's experiments say what comes out, at the sizes that are soon searched.

use crate::support::{check, counts, options, repository, script, sound, unmerged, verdict};
use crate::tables::{MODELS, Model, Size};
use orbitscope::check::Options;
use orbitscope::symmetry::StrategyKind;

/// Searches with more states take too long here.
const STATES_MAX: u64 = 40_000;

/// A row: a model at a size, and the cells behind these.
struct Row {
    model: &'static Model,
    size: Size,
    cells: Vec<String>,
}

/// The rows of the table whose columns begin with these, behind model and size.
fn table(columns: &str) -> Vec<Row> {
    let page = repository("assets/manual/experiments.md");
    let page = std::fs::read_to_string(page).expect("the page is there");
    let heading = format!("| model | size | {columns}");
    let lines = page.lines().skip_while(|line| !line.starts_with(&heading));
    let mut rows: Vec<Row> = Vec::new();
    for line in lines.skip(2).take_while(|line| line.starts_with('|')) {
        let cells = line.trim_matches('|').split('|').map(str::trim);
        let cells: Vec<String> = cells.map(str::to_owned).collect();
        let named = MODELS.iter().find(|model| model.name == cells[0]);
        // A model is named in the first of its rows.
        let model = named.or(rows.last().map(|row| row.model)).expect("a model");
        let mut sizes = model.sizes.iter().chain(model.large);
        let size = sizes.find(|size| model.label(size) == cells[1]);
        rows.push(Row {
            model,
            size: size.expect("a size of the model"),
            cells: cells[2..].to_vec(),
        });
    }
    assert!(rows.len() >= MODELS.len(), "{columns}");
    rows
}

/// Checks a number of states, where it is that of a small search that ended; tells whether it is.
fn holds(row: &Row, cell: &str, text: &str, how: &Options) -> bool {
    // One that did not end has a mark before it.
    let states = cell.replace(',', "").parse().ok();
    let Some(states) = states.filter(|states: &u64| *states <= STATES_MAX) else {
        return false;
    };
    let name = format!("experiment_{}.csp", row.model.name);
    let found = check(&sound(&script(&name, text)), 1, how);
    let place = format!(
        "{} {} {:?}",
        row.model.name,
        row.model.label(row.size),
        how.keeping
    );
    assert_eq!(verdict(&found), "pass", "{place}");
    assert_eq!(counts(&found).0, states, "{place}");
    true
}

#[test]
fn figures_without_and_with_reduction_are_those_of_the_program() {
    let mut compared = 0;
    for row in table("unreduced") {
        let how = |symmetry| unmerged(options(Some(symmetry), StrategyKind::Exact, 2));
        let texts = [
            (row.model.unreduced(row.size), false),
            (row.model.script(row.size), true),
        ];
        for (cell, (text, symmetry)) in row.cells.iter().step_by(2).zip(texts) {
            compared += usize::from(holds(&row, cell, &text, &how(symmetry)));
        }
    }
    assert!(compared >= 10, "{compared}");
}

#[test]
fn figures_of_strategies_are_those_of_the_program() {
    let strategies = [
        StrategyKind::Ordering,
        StrategyKind::Exact,
        StrategyKind::Sorted,
        StrategyKind::Segmented,
    ];
    let mut compared = 0;
    for row in table("ordering") {
        let text = row.model.script(row.size);
        for (cell, strategy) in row.cells.iter().step_by(2).zip(strategies) {
            let how = Options {
                types: row.model.indexing.split(',').map(str::to_owned).collect(),
                ..unmerged(options(Some(true), strategy, 2))
            };
            compared += usize::from(holds(&row, cell, &text, &how));
        }
    }
    assert!(compared >= 15, "{compared}");
}
