//! An assertion reduced and unreduced as a document: the figures side by side, the sum of the orbits, and whether the
//! two runs agree.

use num_bigint::BigUint;
use serde_json::{Value, json};

use super::both::{Comparison, TwoRuns, kept_together, merges, word};
use super::document::{Document, DocumentTable, TableColumn, Tone};
use super::outcome::{CheckOutcome, Progress, Verdict};
use super::reduction::SymmetrySummary;
use super::{json, numbers, text};

/// The two runs as far as they have come: the one without reduction may still be searching.
pub struct BothSoFar<'a> {
    /// The run with reduction.
    pub reduced: &'a CheckOutcome,
    /// The figures of the other.
    pub progress: &'a Progress,
    /// Its outcome, once it ended.
    pub unreduced: Option<&'a CheckOutcome>,
}

impl BothSoFar<'_> {
    /// The figures, and what the reduced run has counted and was reduced by.
    #[must_use]
    pub fn document(&self) -> Document {
        let mut document = Document::default();
        document.section("figures").table(self.table());
        document.section("sum");
        if let Some((states, transitions)) = &self.reduced.represented {
            let text = format!(
                "orbits add up to {} states, {} transitions: factor {}",
                numbers::grouped(states),
                numbers::grouped(transitions),
                factor(float(states) / (self.reduced.progress.states.max(1) as f64))
            );
            document.say(Tone::Plain, text);
        }
        for missing in &self.reduced.missing {
            document.say(Tone::Dim, format!("not here: {missing}"));
        }
        document.section("group");
        if let Some(summary) = &self.reduced.symmetry {
            let product = factorials(summary).map_or(String::new(), |text| format!(" = {text}"));
            let bound = match self.is_bounded() {
                true => ": no factor of states exceeds it",
                false => "",
            };
            let order = numbers::grouped(&summary.group_order);
            document.say(Tone::Dim, format!("group order {order}{product}{bound}"));
        }
        document
    }

    /// States, transitions and seconds of both, with their factors.
    fn table(&self) -> DocumentTable {
        let column = |head: &'static str, is_number| TableColumn {
            head: head.into(),
            is_number,
            ..TableColumn::default()
        };
        let mut table = DocumentTable::new(vec![
            column("", false),
            column("reduced", true),
            column("unreduced", true),
            column("factor", true),
        ]);
        let (one, other) = (&self.reduced.progress, self.progress);
        let whole = word(&self.reduced.verdict).is_some();
        let other_whole = self
            .unreduced
            .is_some_and(|run| word(&run.verdict).is_some());
        let so_far = |number: String, is_whole: bool| match is_whole {
            true => number,
            false => format!("{number} so far"),
        };
        let mut row = |name: &str, values: [f64; 2], shown: [String; 2]| {
            let [shown, other_shown] = shown;
            // If the first number may still grow, the factor is meaningless.
            let ratio = (values[0] > 0.0 && whole).then(|| factor(values[1] / values[0]));
            let ratio = match (ratio, other_whole) {
                (Some(ratio), true) => ratio,
                (Some(ratio), false) => format!(">= {ratio}"),
                (None, _) => "-".to_owned(),
            };
            let cells = vec![
                name.to_owned(),
                so_far(shown, whole),
                so_far(other_shown, other_whole),
                ratio,
            ];
            table.row(Tone::Plain, cells);
        };
        for (name, counts) in [
            ("states", [one.states, other.states]),
            ("transitions", [one.transitions, other.transitions]),
        ] {
            let shown = counts.map(|n| numbers::thousands(n.into()));
            row(name, counts.map(|n| n as f64), shown);
        }
        let seconds = [one.seconds, other.seconds];
        row("seconds", seconds, seconds.map(|s| format!("{s:.2}")));
        table
    }

    /// The number of states that the reduced run represents, or that the other has found, and whether it is the
    /// former.
    #[must_use]
    pub fn all_states(&self) -> (f64, bool) {
        match &self.reduced.represented {
            Some((states, _)) => (float(states), true),
            None => (self.progress.states as f64, false),
        }
    }

    /// Whether no ratio of the numbers of states can exceed the order of the group.
    fn is_bounded(&self) -> bool {
        let reduced = self.reduced;
        // A search that ends at a violation may have been anywhere in its last ply.
        let mut missing = reduced.missing.iter();
        let violated = reduced.counterexample.is_some()
            || missing.any(|m| m.starts_with("the counterexample"));
        // With other components, or with states that were merged, the ratio is not that of orbits.
        let mut both = [Some(reduced), self.unreduced].into_iter().flatten();
        !violated
            && word(&reduced.verdict).is_some()
            && both.all(|run| !merges(run) && !kept_together(run))
    }
}

impl TwoRuns {
    /// The two runs, `outcome` being that of the assertion. The facts are the object `both` of a check in documents.
    #[must_use]
    pub fn document(&self, outcome: &CheckOutcome) -> Document {
        let Self::Compared {
            unreduced,
            comparison,
            ..
        } = self
        else {
            let mut document = Document::default();
            document.section("sentences").fact("compared", false);
            if word(&outcome.verdict).is_some() {
                let text = "not reduced by any symmetry: there is nothing to compare";
                document.say(Tone::Plain, text);
            }
            return document;
        };
        let mut document = BothSoFar {
            reduced: outcome,
            progress: &unreduced.progress,
            unreduced: Some(unreduced),
        }
        .document();
        document.section("sentences");
        let (tone, sentence) = agreement(outcome, unreduced, comparison);
        document.say(tone, sentence);
        for apart in &comparison.apart {
            document.say(Tone::Plain, apart.as_str());
        }
        self.facts(&mut document);
        document
    }

    fn facts(&self, document: &mut Document) {
        let Self::Compared {
            reduced,
            unreduced,
            comparison,
            again,
        } = self
        else {
            return;
        };
        let of = |verdict: &Verdict| {
            let (status, why) = json::status(verdict);
            json!({ "status": status, "reason": why })
        };
        let mut other = of(&unreduced.verdict);
        other["stats"] = json::stats(unreduced);
        let disagree = !comparison.disagreement.is_empty();
        if disagree {
            // With all data to investigate it: the commands of both runs, and the other counterexample.
            let found = unreduced.counterexample.as_ref();
            other["counterexample"] = found.map_or(Value::Null, json::counterexample);
            document.fact("again", again.to_vec());
        }
        let is_error = matches!(unreduced.verdict, Verdict::Error(_));
        document
            .fact("compared", unreduced.stopped.is_none() && !is_error)
            .fact("not_compared", comparison.apart.clone())
            .fact(
                "disagreement",
                disagree.then(|| comparison.disagreement.clone()),
            )
            .fact("reduced", of(reduced))
            .fact("unreduced", other);
    }

    /// The text, and the counterexamples of both where they disagree.
    #[must_use]
    pub fn text(&self, reduced: &CheckOutcome, colour: bool) -> String {
        let sections = ["figures", "group", "sentences"];
        let mut shown = Document::default();
        shown.append(&self.document(reduced), &sections);
        // Below the line of its assertion.
        let lines = shown.text();
        let mut text: String = lines
            .lines()
            .map(|l| format!("   {}\n", l.strip_prefix("  ").unwrap_or(l)))
            .collect();
        let Self::Compared {
            unreduced,
            comparison,
            ..
        } = self
        else {
            return text;
        };
        if !comparison.disagreement.is_empty() {
            for (which, outcome) in [("reduced", reduced), ("unreduced", &**unreduced)] {
                // One of each is enough to see which run is wrong.
                for found in outcome.counterexamples().take(1) {
                    text.push_str(&format!("   {which}:\n"));
                    text.push_str(&text::run(found, colour));
                }
            }
        }
        text
    }
}

/// Whether two finished runs agree, in a sentence.
fn agreement(
    reduced: &CheckOutcome,
    unreduced: &CheckOutcome,
    comparison: &Comparison,
) -> (Tone, String) {
    match &unreduced.verdict {
        _ if !comparison.disagreement.is_empty() => {
            let sentence = format!("THEY DISAGREE: {}", comparison.disagreement);
            (Tone::Bad, sentence)
        }
        Verdict::Approximate(why) | Verdict::Inconclusive(why) => {
            let sentence = format!("unreduced it came to no verdict ({why}): nothing is compared");
            (Tone::Plain, sentence)
        }
        Verdict::Error(failure) => {
            let why = &failure.summary;
            (
                Tone::Plain,
                format!("unreduced it cannot be checked: {why}"),
            )
        }
        Verdict::Holds | Verdict::Fails if word(&reduced.verdict).is_none() => {
            let sentence = "reduced it came to no verdict: nothing is compared";
            (Tone::Plain, sentence.to_owned())
        }
        // Agree means in all that can be compared: the rest is listed behind.
        Verdict::Holds | Verdict::Fails => (Tone::Good, "both agree".to_owned()),
    }
}

/// A factor, as `12.4`, or without a fraction where that is noise.
fn factor(ratio: f64) -> String {
    match ratio {
        // Larger factors have no meaningful fraction.
        0.0..100.0 => format!("{ratio:.1}"),
        100.0..1e15 => numbers::thousands(ratio.round() as u128),
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
            types: vec![("NodeID".to_owned(), 4), ("Data".to_owned(), 2)],
            copies: Vec::new(),
            structure: None,
            group_order: order.into(),
            strategy: "exact".to_owned(),
            exact_for: "",
        };
        assert_eq!(factorials(&summary(48)).as_deref(), Some("4! * 2!"));
        assert_eq!(factorials(&summary(24)), None);
    }
}
