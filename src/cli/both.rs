//! `--both`: an assertion reduced and unreduced, side by side. The two must not differ in anything but
//! size.

use std::fmt::Write;

use super::units;
use crate::animate::model::{CheckOutcome, Counterexample, Ending, Failure, Stop, Verdict};
use crate::source::Diagnostic;

/// The two runs of one assertion.
#[derive(Clone, Debug)]
pub enum Pair {
    /// There is no reduction to compare with.
    NotReduced,
    /// Both, and whether they agree as far as they came.
    Compared {
        /// The run without reduction.
        unreduced: Box<CheckOutcome>,
        /// What they disagree in; empty if they agree.
        disagreement: String,
    },
}

impl Pair {
    /// Compares the runs.
    pub fn compare(reduced: &CheckOutcome, unreduced: CheckOutcome) -> Self {
        Self::Compared {
            disagreement: disagreement(reduced, &unreduced),
            unreduced: Box::new(unreduced),
        }
    }
}

fn word(verdict: &Verdict) -> Option<&'static str> {
    match verdict {
        Verdict::Holds => Some("holds"),
        Verdict::Fails => Some("fails"),
        Verdict::Inconclusive(_) | Verdict::Error(_) => None,
    }
}

/// Steps to what is wrong. The length of a loop is no part of it: with other names it may be shorter.
fn length(found: &Counterexample) -> usize {
    match found.ending {
        Ending::Divergence { lap, .. } => found.steps.len().saturating_sub(lap),
        _ => found.steps.len(),
    }
}

/// What two finished runs disagree in; nothing is said of a run that came to no verdict.
fn disagreement(reduced: &CheckOutcome, unreduced: &CheckOutcome) -> String {
    let (Some(one), Some(other)) = (word(&reduced.verdict), word(&unreduced.verdict)) else {
        return String::new();
    };
    if one != other {
        return format!("reduced it {one}, unreduced it {other}");
    }
    let both = (&reduced.counterexample, &unreduced.counterexample);
    if let (Some(one), Some(other)) = both {
        let (one, other) = (length(one), length(other));
        if one != other {
            return format!(
                "the shortest counterexample has {} reduced and {} unreduced",
                units::counted(one as u64, "step"),
                units::counted(other as u64, "step")
            );
        }
        return String::new();
    }
    if both.0.is_some() != both.1.is_some() {
        // One of them was cut off by a limit, which is told as missing.
        return String::new();
    }
    sizes(reduced, unreduced)
}

/// Both searches went over everything: their numbers must fit.
fn sizes(reduced: &CheckOutcome, unreduced: &CheckOutcome) -> String {
    let (fewer, all) = (reduced.progress.states, unreduced.progress.states);
    let order = reduced.symmetry.as_ref().map_or(1, |s| s.group_order);
    let most = u128::from(fewer).saturating_mul(order);
    if fewer > all || u128::from(all) > most {
        return format!(
            "{} states unreduced cannot be {} representatives under a group of {}",
            units::grouped(all.into()),
            units::grouped(fewer.into()),
            units::grouped(order)
        );
    }
    let (states, transitions) = (all.into(), unreduced.progress.transitions.into());
    match reduced.represented {
        Some(counted) if counted != (states, transitions) => format!(
            "{} states and {} transitions were counted as represented, and {} and {} found unreduced",
            units::grouped(counted.0),
            units::grouped(counted.1),
            units::grouped(states),
            units::grouped(transitions)
        ),
        _ => String::new(),
    }
}

/// Makes an outcome out of a disagreement: no verdict is to be believed then.
pub fn disagreed(outcome: CheckOutcome, disagreement: &str) -> CheckOutcome {
    let message = format!("internal error: reduction changes the result: {disagreement}");
    let diagnostic = Diagnostic::nowhere("E0799", message.clone())
        .note("the verdict is withheld; please report this with the script");
    CheckOutcome {
        verdict: Verdict::Error(Failure {
            summary: message.clone(),
            detail: format!(
                "{message}\nThe verdict is withheld; please report this with the script."
            ),
        }),
        diagnostic: Some(Box::new(diagnostic)),
        ..outcome
    }
}

/// The figures side by side.
pub fn table(reduced: &CheckOutcome, pair: &Pair) -> String {
    let mut text = String::new();
    let Pair::Compared {
        unreduced,
        disagreement,
    } = pair
    else {
        if word(&reduced.verdict).is_some() {
            text.push_str("   not reduced by any symmetry: there is nothing to compare\n");
        }
        return text;
    };
    let (one, other) = (&reduced.progress, &unreduced.progress);
    let ratio = |a: f64, b: f64| {
        if a > 0.0 {
            format!("{:.1}", b / a)
        } else {
            "-".to_owned()
        }
    };
    let count = |name: &str, a: u64, b: u64| {
        let (x, y) = (units::grouped(a.into()), units::grouped(b.into()));
        [name.to_owned(), x, y, ratio(a as f64, b as f64)]
    };
    let rows = [
        ["", "reduced", "unreduced", "ratio"].map(str::to_owned),
        count("states", one.states, other.states),
        count("transitions", one.transitions, other.transitions),
        [
            "seconds".to_owned(),
            format!("{:.2}", one.seconds),
            format!("{:.2}", other.seconds),
            ratio(one.seconds, other.seconds),
        ],
    ];
    let width = |at: usize| rows.iter().map(|row| row[at].len()).max().unwrap_or(0);
    for [name, a, b, ratio] in &rows {
        let _ = writeln!(
            text,
            "   {name:<w0$}  {a:>w1$}  {b:>w2$}  {ratio:>w3$}",
            w0 = width(0),
            w1 = width(1),
            w2 = width(2),
            w3 = width(3)
        );
    }
    if let Some(symmetry) = &reduced.symmetry {
        let order = units::grouped(symmetry.group_order);
        let _ = writeln!(
            text,
            "   no ratio of states can exceed the order of the group, {order}"
        );
    }
    match &unreduced.verdict {
        Verdict::Inconclusive(why) => {
            let _ = writeln!(
                text,
                "   unreduced it came to no verdict ({why}): nothing is compared"
            );
        }
        Verdict::Error(failure) => {
            let _ = writeln!(
                text,
                "   unreduced it cannot be checked: {}",
                failure.summary
            );
        }
        Verdict::Holds | Verdict::Fails if !disagreement.is_empty() => {
            let _ = writeln!(text, "   THEY DISAGREE: {disagreement}");
        }
        Verdict::Holds | Verdict::Fails => text.push_str("   both agree\n"),
    }
    text
}

/// The limit that ended the run without reduction, if one did.
pub fn stopped(pair: Option<&Pair>) -> Option<Stop> {
    match pair {
        Some(Pair::Compared { unreduced, .. }) => unreduced.stopped,
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::animate::model::{CounterexampleStep, Progress, SymmetrySummary};

    fn outcome(verdict: Verdict, states: u64, steps: Option<usize>) -> CheckOutcome {
        let found = steps.map(|n| Counterexample {
            steps: vec![CounterexampleStep::default(); n],
            ..Counterexample::default()
        });
        CheckOutcome {
            progress: Progress {
                states,
                transitions: 2 * states,
                ..Progress::default()
            },
            symmetry: Some(SymmetrySummary {
                copies: Vec::new(),
                types: vec![("T".to_owned(), 2)],
                group_order: 2,
                strategy: "walk".to_owned(),
            }),
            counterexample: found,
            ..CheckOutcome::new(1, String::new(), verdict)
        }
    }

    fn said(reduced: &CheckOutcome, unreduced: &CheckOutcome) -> String {
        disagreement(reduced, unreduced)
    }

    #[test]
    fn what_must_agree_is_compared() {
        let holds = |states| outcome(Verdict::Holds, states, None);
        let fails = |steps| outcome(Verdict::Fails, 5, Some(steps));
        assert_eq!(said(&holds(5), &holds(9)), "");
        assert_eq!(said(&fails(3), &fails(3)), "");
        assert!(said(&holds(5), &fails(3)).contains("unreduced it fails"));
        assert!(said(&fails(3), &fails(4)).contains("3 steps reduced and 4 steps"));
        assert!(said(&holds(5), &holds(4)).contains("4 states unreduced"));
        assert!(said(&holds(5), &holds(11)).contains("11 states unreduced"));
        let counted = CheckOutcome {
            represented: Some((9, 18)),
            ..holds(5)
        };
        assert_eq!(said(&counted, &holds(9)), "");
        assert!(said(&counted, &holds(8)).contains("9 states"));
    }

    #[test]
    fn a_run_that_was_cut_off_says_nothing() {
        let cut = outcome(Verdict::Inconclusive("time limit reached".into()), 9, None);
        assert_eq!(said(&outcome(Verdict::Fails, 5, Some(3)), &cut), "");
    }

    #[test]
    fn a_loop_may_be_shorter_with_other_names() {
        let lap = |steps, lap, laps| {
            let mut outcome = outcome(Verdict::Fails, 5, Some(steps));
            if let Some(found) = &mut outcome.counterexample {
                found.ending = Ending::Divergence { lap, laps };
            }
            outcome
        };
        assert_eq!(said(&lap(4, 1, 2), &lap(5, 2, 1)), "");
        assert!(!said(&lap(4, 1, 2), &lap(6, 2, 1)).is_empty());
    }
}
