//! Many outcomes at a glance: a line each, and how many there are of each kind.

use std::fmt::Write;

use serde_json::{Value, json};
use unicode_width::UnicodeWidthChar;

use super::numbers;
use super::outcome::{CheckOutcome, Verdict};
use super::paint::Paint;
use super::reduction::short;
use crate::source::visible_line;

/// Columns for the reduction of an assertion.
const REDUCED_MAX: usize = 30;
/// Columns that are left to an assertion however narrow the terminal is.
const ASSERTION_MIN: usize = 20;

/// The outcomes of a run.
#[derive(Default)]
pub struct RunSummary<'a> {
    /// In the order of the report.
    pub outcomes: Vec<&'a CheckOutcome>,
    /// The number of requested assertions: more than were checked, if the run was ended by a signal.
    pub wanted: usize,
    /// Seconds that all of them took.
    pub seconds: f64,
    /// The number of checks that used a system which an earlier one had compiled.
    pub shared: usize,
}

/// A line of the table.
struct SummaryRow {
    number: String,
    verdict: &'static str,
    states: String,
    time: String,
    reduced: String,
    assertion: String,
}

impl RunSummary<'_> {
    fn count(&self, of: impl Fn(&CheckOutcome) -> bool) -> usize {
        self.outcomes.iter().filter(|o| of(o)).count()
    }

    fn with(&self, status: &str) -> usize {
        self.count(|o| word(o).0 == status)
    }

    /// The summary as JSON.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let states = self.outcomes.iter().map(|o| o.progress.states);
        json!({
            "assertions": self.wanted,
            "reported": self.outcomes.len(),
            "pass": self.with("pass"),
            "fail": self.with("fail"),
            "approximate": self.with("approximate"),
            "inconclusive": self.with("inconclusive"),
            "error": self.with("error"),
            "shared": self.shared,
            "states": states.sum::<u64>(),
            "seconds": self.seconds,
        })
    }

    /// The summary as a table of so many columns, for a report on more than one assertion.
    #[must_use]
    pub fn table(&self, columns: usize, colour: bool) -> String {
        let paint = Paint::new(colour);
        let mut rows = vec![SummaryRow {
            number: "#".to_owned(),
            verdict: "verdict",
            states: "states".to_owned(),
            time: "time".to_owned(),
            reduced: "reduced by".to_owned(),
            assertion: "assertion".to_owned(),
        }];
        rows.extend(self.outcomes.iter().map(|o| row(o)));
        let widest = |of: fn(&SummaryRow) -> &str| {
            let widths = rows.iter().map(|row| width(of(row)));
            widths.max().unwrap_or(0)
        };
        let (number, verdict) = (widest(|r| &r.number), widest(|r| r.verdict));
        let (states, time) = (widest(|r| &r.states), widest(|r| &r.time));
        let reduced = widest(|r| &r.reduced);
        let left = number + verdict + states + time + reduced + 5 * GAP.len();
        let rest = columns.saturating_sub(left).max(ASSERTION_MIN);
        let mut text = String::from("\n");
        for (at, row) in rows.iter().enumerate() {
            let said = format!("{:<verdict$}", row.verdict);
            let said = match row.verdict {
                _ if at == 0 => said,
                HOLDS => paint.ok(&said),
                FAILS | ERROR => paint.fail(&said),
                _ => said,
            };
            let fill = " ".repeat(reduced - width(&row.reduced));
            let line = format!(
                "{:>number$}{GAP}{said}{GAP}{:>states$}{GAP}{:>time$}{GAP}{}{fill}{GAP}{}",
                row.number,
                row.states,
                row.time,
                row.reduced,
                cut(&row.assertion, rest)
            );
            let line = line.trim_end();
            let line = if at == 0 {
                paint.dim(line)
            } else {
                line.to_owned()
            };
            let _ = writeln!(text, "{line}");
        }
        let _ = writeln!(text, "{}", self.totals());
        text
    }

    /// The number of outcomes of each kind.
    fn totals(&self) -> String {
        let of = |(status, one, many): (&str, &str, &str)| match self.with(status) {
            0 => None,
            1 => Some(format!("1 {one}")),
            n => Some(format!("{} {many}", numbers::thousands(n as u128))),
        };
        let kinds = [
            ("pass", "holds", "hold"),
            ("fail", "fails", "fail"),
            ("approximate", "approximate", "approximate"),
            ("inconclusive", "inconclusive", "inconclusive"),
            ("error", "with an error", "with errors"),
        ];
        let kinds: Vec<String> = kinds.into_iter().filter_map(of).collect();
        let mut text = numbers::counted(self.wanted as u64, "assertion");
        let left = self.wanted.saturating_sub(self.outcomes.len());
        let _ = write!(text, ": {}", kinds.join(", "));
        if left > 0 {
            let _ = write!(text, ", {} not begun", numbers::thousands(left as u128));
        }
        let _ = write!(text, "; {:.2} s", self.seconds);
        text
    }
}

const GAP: &str = "  ";
const HOLDS: &str = "holds";
const FAILS: &str = "FAILS";
const ERROR: &str = "error";

/// The status of an outcome in JSON, and in the table.
fn word(outcome: &CheckOutcome) -> (&'static str, &'static str) {
    match &outcome.verdict {
        Verdict::Holds => ("pass", HOLDS),
        Verdict::Fails => ("fail", FAILS),
        Verdict::Approximate(_) => ("approximate", "approximate"),
        Verdict::Inconclusive(_) => ("inconclusive", "inconclusive"),
        Verdict::Error(_) => ("error", ERROR),
    }
}

fn row(outcome: &CheckOutcome) -> SummaryRow {
    let progress = &outcome.progress;
    // Neither decided by the text, nor ended before there was a state.
    let was_searched = progress.states > 0;
    let none = || "-".to_owned();
    let reduced = match (&outcome.plan, &outcome.adaptive) {
        (_, Some(_)) => "adaptive".to_owned(),
        (Some(plan), None) => short(outcome.symmetry.as_ref(), plan),
        (None, None) => none(),
    };
    SummaryRow {
        number: outcome.number.to_string(),
        verdict: word(outcome).1,
        states: match was_searched {
            true if outcome.merges() => {
                format!("{} merged", numbers::thousands(progress.states.into()))
            }
            true => numbers::thousands(progress.states.into()),
            false => none(),
        },
        time: if was_searched || progress.seconds > 0.0 {
            format!("{:.2} s", progress.seconds)
        } else {
            none()
        },
        reduced: cut(&visible_line(&reduced), REDUCED_MAX),
        assertion: visible_line(&outcome.text).into_owned(),
    }
}

fn width(text: &str) -> usize {
    text.chars().map(|c| c.width().unwrap_or(0)).sum()
}

/// The text in so many columns. The mark of a cut is one that every terminal can show.
fn cut(text: &str, columns: usize) -> String {
    const MARK: &str = "...";
    if width(text) <= columns {
        return text.to_owned();
    }
    let (mut out, mut used) = (String::new(), MARK.len());
    for c in text.chars() {
        used += c.width().unwrap_or(0);
        if used > columns {
            break;
        }
        out.push(c);
    }
    out.trim_end().to_owned() + MARK
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outcome::Progress;

    #[test]
    fn texts_are_cut_by_columns() {
        assert_eq!(cut("P [T= Q", 7), "P [T= Q");
        assert_eq!(cut("P [T= Queue", 9), "P [T=...");
        // Each of these characters takes two columns.
        assert_eq!(cut("漢字漢字", 7), "漢字...");
        assert_eq!(cut("漢字漢字", 6), "漢...");
    }

    /// A run that a signal ended shows the number of assertions left.
    #[test]
    fn totals_tell_what_was_not_begun() {
        let known = CheckOutcome {
            progress: Progress {
                states: 5,
                ..Progress::default()
            },
            ..CheckOutcome::new(1, "P".to_owned(), Verdict::Holds)
        };
        let cut = CheckOutcome::new(2, "Q".to_owned(), Verdict::Inconclusive(String::new()));
        let summary = RunSummary {
            outcomes: vec![&known, &cut],
            wanted: 5,
            seconds: 1.5,
            shared: 0,
        };
        let totals = "5 assertions: 1 holds, 1 inconclusive, 3 not begun; 1.50 s";
        assert_eq!(summary.totals(), totals);
        let table = summary.table(0, false);
        let rows: Vec<&str> = table.lines().skip(1).map(str::trim).collect();
        assert_eq!(rows[1], "1  holds              5  0.00 s  -           P");
        assert_eq!(rows[2], "2  inconclusive       -       -  -           Q");
        assert_eq!(summary.to_json()["reported"], 2);
        assert_eq!(summary.to_json()["assertions"], 5);
    }
}
