//! An assertion with reduction and without it: figures side by side, the factor, and the sum of the orbits.

use num_bigint::BigUint;

use super::Content;
use crate::animate::model::{CheckOutcome, Progress, SymmetrySummary, TwoRuns, Verdict};
use crate::app::App;
use crate::facts;
use crate::paired::PairStage;
use crate::report::both::{self, FigureOfBoth};
use crate::report::numbers::{grouped, thousands};
use crate::text::Row;
use crate::theme::Role;

/// The known figures of the run without reduction.
struct Unreduced<'a> {
    progress: &'a Progress,
    /// The outcome, once it ended.
    outcome: Option<&'a CheckOutcome>,
}

/// The two runs of the selected assertion.
#[must_use]
pub fn both(app: &App, columns: usize) -> Content {
    let mut content = Content::new("Reduced against full");
    let Some(pair) = facts::pair(app) else {
        let text = "b checks the selected assertion with reduction and without it.";
        content.push_text(app.theme, Role::Dim, text, columns);
        return content;
    };
    let number = facts::selected_number(app).unwrap_or_default();
    content.title = format!("Reduced against full  #{number}");
    match &pair.stage {
        PairStage::Reduced => {
            let text = "With reduction first, counting what each representative stands for; then \
                        without. X cancels both.";
            content.push_text(app.theme, Role::Plain, text, columns);
        }
        PairStage::Unreduced(reduced, so_far) => {
            let unreduced = Unreduced {
                progress: so_far,
                outcome: None,
            };
            figures(app, (reduced, &unreduced), &mut content, columns);
            let waiting = thousands(so_far.frontier.into());
            let text = format!(
                "Without reduction: ply {}, {waiting} waiting. X ends it.",
                so_far.ply
            );
            content.push_text(app.theme, Role::Strong, &text, columns);
        }
        PairStage::Over(reduced, runs) => over(app, reduced, runs, &mut content, columns),
    }
    content
}

fn over(app: &App, reduced: &CheckOutcome, runs: &TwoRuns, content: &mut Content, columns: usize) {
    let TwoRuns::Compared {
        unreduced,
        comparison,
        ..
    } = runs
    else {
        let text = format!("It is {}.", both::NOT_REDUCED);
        return content.push_text(app.theme, Role::Plain, &text, columns);
    };
    let run = Unreduced {
        progress: &unreduced.progress,
        outcome: Some(unreduced),
    };
    figures(app, (reduced, &run), content, columns);
    let agrees = comparison.disagreement.is_empty();
    for line in both::sentences(reduced, unreduced, comparison) {
        let role = match (agrees, line.as_str()) {
            (false, _) => Role::Fail,
            (true, "both agree") => Role::Ok,
            _ => Role::Plain,
        };
        content.push_text(app.theme, role, &line, columns);
    }
}

impl Unreduced<'_> {
    /// Whether it ran to the end.
    fn is_whole(&self) -> bool {
        self.outcome.is_some_and(has_verdict)
    }
}

fn has_verdict(outcome: &CheckOutcome) -> bool {
    matches!(outcome.verdict, Verdict::Holds | Verdict::Fails)
}

/// The table, the sum of the orbits, the order of the group and the bars.
fn figures(
    app: &App,
    (reduced, unreduced): (&CheckOutcome, &Unreduced<'_>),
    content: &mut Content,
    columns: usize,
) {
    table(app, reduced, unreduced, content);
    if let Some((states, transitions)) = &reduced.represented {
        let text = format!(
            "orbits add up to {} states, {} transitions: factor {}",
            grouped(states),
            grouped(transitions),
            factor(float(states) / (reduced.progress.states.max(1) as f64))
        );
        content.push_text(app.theme, Role::Plain, &text, columns);
    }
    for missing in &reduced.missing {
        content.push_text(
            app.theme,
            Role::Dim,
            &format!("not here: {missing}"),
            columns,
        );
    }
    if let Some(summary) = &reduced.symmetry {
        let bounds = both::bound(reduced, unreduced.outcome).is_some();
        let text = format!(
            "group order {}{}{}",
            grouped(&summary.group_order),
            factorials(summary).map_or(String::new(), |text| format!(" = {text}")),
            if bounds {
                ": no factor of states exceeds it"
            } else {
                ""
            }
        );
        content.push_text(app.theme, Role::Dim, &text, columns);
    }
    bars(app, (reduced, unreduced), content, columns);
}

fn table(app: &App, reduced: &CheckOutcome, unreduced: &Unreduced<'_>, content: &mut Content) {
    let is_whole = has_verdict(reduced);
    let mut rows = vec![["", "reduced", "full", "factor"].map(str::to_string)];
    for figure in both::figures(&reduced.progress, unreduced.progress) {
        let FigureOfBoth {
            name,
            runs: [one, other],
            ratio,
        } = figure;
        let (one, other) = (so_far(one, is_whole), so_far(other, unreduced.is_whole()));
        // If the first number may still grow, the ratio is meaningless.
        let ratio = match (ratio.filter(|_| is_whole), unreduced.is_whole()) {
            (Some(ratio), true) => factor(ratio),
            (Some(ratio), false) => format!(">= {}", factor(ratio)),
            (None, _) => "-".to_string(),
        };
        rows.push([name.to_string(), one, other, ratio]);
    }
    let width = |at: usize| rows.iter().map(|row| row[at].len()).max().unwrap_or(0);
    for (n, [name, one, other, ratio]) in rows.iter().enumerate() {
        let text = format!(
            " {name:<w0$}  {one:>w1$}  {other:>w2$}  {ratio:>w3$}",
            w0 = width(0),
            w1 = width(1),
            w2 = width(2),
            w3 = width(3)
        );
        let role = if n == 0 { Role::Dim } else { Role::Plain };
        content.push(Row::new(app.theme).add(role, text));
    }
}

/// A number, and that it is not the last word.
fn so_far(number: String, is_whole: bool) -> String {
    if is_whole {
        number
    } else {
        format!("{number} so far")
    }
}

/// A bar for each run, by the logarithm of its number of states.
fn bars(
    app: &App,
    (reduced, unreduced): (&CheckOutcome, &Unreduced<'_>),
    content: &mut Content,
    columns: usize,
) {
    let one = reduced.progress.states as f64;
    // The sum of the orbits is known before the other run is complete, if it ever is.
    let sum = reduced
        .represented
        .as_ref()
        .map(|(states, _)| float(states));
    let found = unreduced.progress.states as f64;
    let all = sum.unwrap_or(found);
    let room = columns.saturating_sub(27);
    // A smaller bar is no picture.
    if all < 2.0 || one < 1.0 || room < 8 {
        return;
    }
    let most = all.max(one).ln();
    for (name, states, of) in [
        ("full", all, sum.map(|_| "by orbits")),
        ("reduced", one, None),
    ] {
        let length = (states.max(1.0).ln() / most * room as f64).round() as usize;
        let row = Row::new(app.theme)
            .add(Role::Dim, format!(" {name:<8}"))
            .plain("#".repeat(length.clamp(1, room)))
            .add(Role::Dim, format!(" {states:.1e}"));
        let why = of.map_or(String::new(), |why| format!(" {why}"));
        content.push(row.add(Role::Dim, why));
    }
}

/// A factor, as `12.4`, or without a fraction where that is noise.
fn factor(ratio: f64) -> String {
    match ratio {
        // Larger factors have no meaningful fraction.
        0.0..100.0 => format!("{ratio:.1}"),
        100.0..1e15 => thousands(ratio.round() as u128),
        _ => format!("{ratio:.1e}"),
    }
}

fn float(number: &BigUint) -> f64 {
    // A decimal number: every one that is written parses.
    number.to_string().parse().unwrap_or(f64::INFINITY)
}

/// The order of the group as `6! * 4! * 3!`, if it has that form.
fn factorials(summary: &SymmetrySummary) -> Option<String> {
    let sizes: Vec<usize> = summary
        .types
        .iter()
        .chain(&summary.copies)
        .map(|(_, n)| *n)
        .collect();
    let product = sizes.iter().flat_map(|n| 1..=*n);
    let product = product.fold(BigUint::from(1u8), |product, n| product * n);
    let text: Vec<String> = sizes.iter().map(|n| format!("{n}!")).collect();
    (product == summary.group_order && text.len() > 1).then(|| text.join(" * "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn factors_have_as_many_digits_as_are_read() {
        let shown = [1.04, 78.23, 78_234.4, 3e20].map(factor);
        assert_eq!(shown, ["1.0", "78.2", "78,234", "3.0e20"]);
    }

    #[test]
    fn the_order_is_written_as_factorials_only_if_it_is_that() {
        let summary = |order: u32| SymmetrySummary {
            types: vec![("NodeID".to_string(), 4), ("Data".to_string(), 2)],
            copies: Vec::new(),
            structure: None,
            group_order: order.into(),
            strategy: "exact".to_string(),
            exact_for: "",
        };
        assert_eq!(factorials(&summary(48)).as_deref(), Some("4! * 2!"));
        assert_eq!(factorials(&summary(24)), None);
    }
}
