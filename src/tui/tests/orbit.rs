//! The Orbit view: slow motion, and lines from blocks to their parts.

use super::super::app::{Msg, Pane};
use super::{Harness, pane, real};
use crate::symmetry::trace::Step;

/// Lets time pass until something holds; how often it was looked at.
fn pass(harness: &mut Harness, what: &str, done: impl Fn(&Harness) -> bool) -> usize {
    for n in 0..400 {
        if done(harness) {
            return n;
        }
        let now = harness.app.now + 100;
        harness.send(Msg::Tick(now));
    }
    panic!("no {what}");
}

/// Numbers in the table of n-values, as it is drawn.
fn numbers(harness: &Harness) -> usize {
    let text = pane(&harness.app, Pane::NValues, 100, 30);
    // Behind the title and the three lines of the header, and before the sentence.
    let rows = text
        .lines()
        .filter(|line| line.contains('(') && !line.contains(':'));
    let words = rows.flat_map(|row| row.split(')').next_back().map(str::to_owned));
    words
        .map(|row| {
            row.split_whitespace()
                .filter(|w| w.parse::<u32>().is_ok())
                .count()
        })
        .sum()
}

fn counts(harness: &Harness) -> bool {
    let steps = &harness.app.explanation().unwrap().trace.steps;
    matches!(steps[harness.app.orbit.frame], Step::Count { .. })
}

#[test]
fn slow_motion_counts_column_by_column() {
    let mut harness = real("example37", None);
    harness.press("2");
    harness.press("0");
    // 0.5x, at which one can follow.
    assert_eq!(harness.app.orbit.speed, 1);
    harness.press_only("p");
    pass(&mut harness, "step that counts", counts);
    let mut seen = vec![numbers(&harness)];
    let mut columns = vec![harness.app.orbit.column];
    while harness.app.orbit.shown_columns().is_some() {
        let before = harness.app.orbit.shown_columns();
        pass(&mut harness, "next column", |h| {
            h.app.orbit.shown_columns() != before
        });
        seen.push(numbers(&harness));
        columns.push(harness.app.orbit.column);
    }
    assert!(seen.len() > 4, "{seen:?}");
    assert!(seen.windows(2).all(|pair| pair[0] <= pair[1]), "{seen:?}");
    assert!(seen[0] < seen[seen.len() - 1], "{seen:?}");
    // The column that is being counted is the selected one, so that its edges are drawn.
    assert!(
        columns.windows(2).all(|pair| pair[0] <= pair[1]),
        "{columns:?}"
    );
    // All of it is there before the next step; that one and fast motion show all at once.
    assert!(counts(&harness));
    pass(&mut harness, "next step", |h| !counts(h));
    assert_eq!(harness.app.orbit.shown_columns(), None);
    // Whoever steps by hand sees the whole table.
    harness.press("h");
    assert!(counts(&harness));
    assert_eq!(harness.app.orbit.shown_columns(), None);
    assert_eq!(numbers(&harness), seen[seen.len() - 1]);
}

#[test]
fn lines_lead_from_a_block_to_its_parts() {
    let mut harness = real("example37", None);
    harness.press("w ]");
    let text = pane(&harness.app, Pane::Partition, 140, 22);
    let lines: Vec<&str> = text.lines().collect();
    let at = lines
        .iter()
        .position(|line| line.contains("after"))
        .unwrap();
    let (bar, ends) = (lines[at - 2], lines[at - 1]);
    let steps = &harness.app.explanation().unwrap().trace.steps;
    let Step::Split { before, after, .. } = &steps[harness.app.orbit.frame] else {
        panic!("{text}");
    };
    // One line down for each part, which stands below the bar and above a box.
    let parts = after.iter().filter(|block| !before.contains(block)).count();
    let down: Vec<usize> = ends.match_indices('|').map(|(at, _)| at).collect();
    assert_eq!(down.len(), parts, "{text}");
    for at in down {
        assert_eq!(&bar[at..=at], "+", "{text}");
    }
    // Without room for boxes the same is said.
    let text = pane(&harness.app, Pane::Partition, 100, 9);
    assert!(
        text.contains("<- splits") && text.contains("part of S"),
        "{text}"
    );
}
