//! The table of a race: a line a strategy, for the command line and the screen alike.

use super::numbers;
use super::outcome::Progress;
use super::race::{OrbitsView, RaceRow};

/// A line of the table, a text for each column.
pub type RaceCells = [String; HEADS.len()];

/// The heads of the columns.
pub const HEADS: [&str; 12] = [
    "strategy",
    "states",
    "orbits",
    "an orbit",
    "most",
    "transitions",
    "representatives",
    "a second",
    "CPU s",
    "wall s",
    "memory",
    "end",
];
/// Columns that are left out where there is no room for all, the first ones first.
const LEFT_OUT: [usize; 8] = [6, 8, 7, 4, 10, 2, 3, 5];

/// The line of a strategy that came to something.
#[must_use]
pub fn cells(row: &RaceRow, of_assertion: bool) -> RaceCells {
    let none = || "-".to_owned();
    let count = |n: u64| numbers::thousands(n.into());
    let (orbits, most) = match &row.orbits {
        OrbitsView::Counted {
            orbits,
            most,
            is_certain,
        } => {
            let about = if *is_certain { "" } else { "<=" };
            (format!("{about}{}", count(*orbits)), count(*most))
        }
        OrbitsView::NotCounted(_) => ("not counted".to_owned(), none()),
    };
    [
        row.strategy.to_owned(),
        count(row.progress.states),
        orbits,
        row.mean().map_or_else(none, |mean| format!("{mean:.2}")),
        most,
        count(row.progress.transitions),
        count(row.representatives),
        row.per_second().map_or_else(none, |n| count(n as u64)),
        row.cpu_seconds.map_or_else(none, |s| format!("{s:.2}")),
        format!("{:.2}", row.search_seconds),
        numbers::bytes(row.progress.bytes),
        row.ended(of_assertion),
    ]
}

/// The line of a strategy that is still searching; without progress, of one that has not begun.
#[must_use]
pub fn unfinished(strategy: &str, progress: Option<&Progress>) -> RaceCells {
    let mut cells = RaceCells::default();
    strategy.clone_into(&mut cells[0]);
    if let Some(progress) = progress {
        cells[1] = numbers::thousands(progress.states.into());
        cells[5] = numbers::thousands(progress.transitions.into());
        cells[9] = format!("{:.2}", progress.seconds);
        cells[10] = numbers::bytes(progress.bytes);
        "searching".clone_into(&mut cells[11]);
    }
    cells
}

/// The lines one below the other under their heads: for each the strategy, its figures, and how it ended. The least
/// telling figures are left out where the lines would be longer than `room`.
#[must_use]
pub fn aligned(lines: Vec<RaceCells>, room: usize) -> Vec<[String; 3]> {
    let lines: Vec<RaceCells> = std::iter::once(HEADS.map(str::to_owned))
        .chain(lines)
        .collect();
    let width = |at: usize| lines.iter().map(|line| line[at].len()).max().unwrap_or(0);
    let widths: [usize; HEADS.len()] = std::array::from_fn(width);
    let last = HEADS.len() - 1;
    let mut figures: Vec<usize> = (1..last).collect();
    for column in LEFT_OUT {
        let taken = figures.iter().map(|at| widths[*at] + 2).sum::<usize>();
        if widths[0] + taken + 2 + widths[last] <= room {
            break;
        }
        figures.retain(|at| *at != column);
    }
    let figure = |line: &RaceCells, at: usize| format!("  {:>1$}", line[at], widths[at]);
    let line = |line: RaceCells| {
        let figures = figures.iter().map(|at| figure(&line, *at)).collect();
        let [first, .., end] = &line;
        [format!("{first:0$}", widths[0]), figures, end.clone()]
    };
    lines.into_iter().map(line).collect()
}
