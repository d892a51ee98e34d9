//! Results of checks as text.

use std::fmt::Write;

use super::units;
use crate::animate::model::{CheckOutcome, Counterexample, EventKind, Verdict};

struct Paint(bool);

impl Paint {
    fn with(&self, code: &str, text: &str) -> String {
        if self.0 {
            format!("\x1b[{code}m{text}\x1b[0m")
        } else {
            text.to_owned()
        }
    }
    fn ok(&self, text: &str) -> String {
        self.with("1;32", text)
    }
    fn fail(&self, text: &str) -> String {
        self.with("1;31", text)
    }
    fn dim(&self, text: &str) -> String {
        self.with("2", text)
    }
}

/// One assertion: what was asked, the answer, figures, and the counterexample.
pub fn outcome(outcome: &CheckOutcome, colour: bool) -> String {
    let paint = Paint(colour);
    let mut text = String::new();
    let _ = writeln!(text, "{}  {}", outcome.number, outcome.text);
    let verdict = match &outcome.verdict {
        Verdict::Holds => paint.ok("holds"),
        Verdict::Fails => paint.fail("FAILS"),
        Verdict::Inconclusive(why) => format!("inconclusive: {why}"),
        Verdict::Error(failure) if code(outcome) == Some("E0230") => {
            let _ = writeln!(text, "   {}", paint.fail("not checked"));
            let _ = writeln!(text, "   {}", failure.summary);
            for label in outcome.diagnostic.iter().flat_map(|d| &d.labels) {
                let _ = writeln!(text, "   {}", label.text);
            }
            return text;
        }
        Verdict::Error(failure) => {
            let _ = writeln!(text, "   {}", paint.fail("cannot be checked"));
            for line in failure.detail.lines() {
                let _ = writeln!(text, "   {line}");
            }
            return text;
        }
    };
    let progress = &outcome.progress;
    if progress.states == 0 && !matches!(outcome.verdict, Verdict::Inconclusive(_)) {
        let _ = writeln!(text, "   {verdict}   by the text of the script");
        for line in outcome.explanation.iter().flat_map(|f| f.detail.lines()) {
            let _ = writeln!(text, "   {line}");
        }
        return text;
    }
    let _ = writeln!(
        text,
        "   {verdict}   {}, {}, {:.2} s",
        units::counted(progress.states, "state"),
        units::counted(progress.transitions, "transition"),
        progress.seconds,
    );
    if let Some(symmetry) = &outcome.symmetry {
        let types: Vec<String> = symmetry
            .types
            .iter()
            .map(|(name, n)| format!("{name}({n})"))
            .collect();
        let line = format!(
            "reduced by {}: a group of {} permutations, strategy {}",
            types.join(" "),
            units::grouped(symmetry.group_order),
            symmetry.strategy
        );
        let _ = writeln!(text, "   {}", paint.dim(&line));
    }
    if let Some((states, transitions)) = outcome.represented {
        let line = format!(
            "stands for exactly {} states, {} transitions",
            units::grouped(states),
            units::grouped(transitions)
        );
        let _ = writeln!(text, "   {}", paint.dim(&line));
    }
    if let Some(found) = &outcome.counterexample {
        counterexample(found, &paint, &mut text);
    }
    text
}

fn code(outcome: &CheckOutcome) -> Option<&'static str> {
    outcome.diagnostic.as_ref().map(|d| d.code)
}

fn counterexample(found: &Counterexample, paint: &Paint, text: &mut String) {
    let _ = writeln!(text, "   {}", found.reason);
    let width = found
        .steps
        .iter()
        .map(|s| s.event.chars().count())
        .max()
        .unwrap_or(0);
    for (n, step) in found.steps.iter().enumerate() {
        let kind = match step.kind {
            EventKind::Tau => "tau",
            EventKind::Tick => "tick",
            EventKind::Visible => "VISIBLE",
        };
        let changes: Vec<String> = step
            .changes
            .iter()
            .map(|(c, after)| {
                let label = found.components.get(*c).map_or("?", String::as_str);
                format!("{label} = {after}")
            })
            .collect();
        let changes = paint.dim(&changes.join("  "));
        let _ = writeln!(
            text,
            "   {:>4}  {kind:<7}  {:<width$}  {changes}",
            n + 1,
            step.event
        );
    }
}
