//! An assertion reduced and unreduced, side by side: `--both`, and `b` on the screen.
//!
//! Properties in which the two runs must agree, and why:
//!
//! - *The verdict*, always: an orbit has a state that falls short if and only if each of its states does
//!   (Sec. 3), and nothing else that the runs differ in changes what a process can do.
//! - *The number of steps to what is wrong*, unless it is divergence. Both searches are breadth-first, each
//!   step of one network is a step of the other with other names, and strongly bisimilar local states,
//!   whichever of them are merged, are equally far from what is wrong. That needs networks of the same
//!   components: where permutations keep a parallel composition inside of one component, its operands end
//!   one by one, which takes steps of its own. Loops are looked for among stored states, and the shortest
//!   way to one of merged states need not be that to one of states.
//! - *Numbers of states*, if both went over everything, the components are the same and nothing was merged
//!   (reduced, merging has to agree with permutations, so less is merged): then an orbit has as many
//!   states as there are permutations at most, and what `--count-full` counts is what is found.

use std::fmt::Write;
use std::path::Path;

use num_bigint::BigUint;

use super::numbers;
use super::outcome::{CheckOutcome, Counterexample, Details, Ending, Verdict};
use super::words::ErrorText;
use crate::check::Options;
use crate::search::keeping::KeepingKind;
use crate::source::{Diagnostic, Stop};

/// The two runs of one assertion.
#[derive(Clone, Debug, PartialEq)]
pub enum TwoRuns {
    /// There is no reduction to compare with.
    NotReduced,
    /// Both were run, and compared.
    Compared {
        /// The outcome with reduction.
        reduced: Verdict,
        /// The run without reduction.
        unreduced: Box<CheckOutcome>,
        /// The comparison of the two.
        comparison: Comparison,
        /// Commands that do either again: reduced, unreduced.
        again: [String; 2],
    },
}

/// The comparison of two runs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Comparison {
    /// The disagreement; empty if they agree.
    pub disagreement: String,
    /// Figures that cannot be compared, and why.
    pub apart: Vec<String>,
}

impl TwoRuns {
    /// Runs the assertion of an outcome again without reduction, and compares. `file` is the name of the script in
    /// commands, and `check` runs the assertion.
    pub fn run(
        reduced: &CheckOutcome,
        options: &Options,
        file: &Path,
        check: impl FnOnce(&Options) -> CheckOutcome,
    ) -> Self {
        if reduced.symmetry.is_none() {
            return Self::NotReduced;
        }
        let unreduced = check(&without_reduction(options));
        Self::compare(reduced, unreduced, again(options, file, reduced.number))
    }

    /// Compares two runs.
    pub fn compare(reduced: &CheckOutcome, unreduced: CheckOutcome, again: [String; 2]) -> Self {
        Self::Compared {
            reduced: reduced.verdict.clone(),
            comparison: Comparison::of(reduced, &unreduced),
            unreduced: Box::new(unreduced),
            again,
        }
    }
}

/// The options without any reduction.
fn without_reduction(options: &Options) -> Options {
    Options {
        symmetry: Some(false),
        types: Vec::new(),
        // Without reduction there is nothing to count: each state represents itself.
        count_full: false,
        // A run that counts merges nothing. If the other did, their numbers would not fit.
        merging: options.merging && !options.count_full,
        ..options.clone()
    }
}

/// Commands that check one assertion as it was done here: reduced, and unreduced.
fn again(options: &Options, file: &Path, number: usize) -> [String; 2] {
    let mut reduced = String::new();
    if options.symmetry == Some(true) && options.types.is_empty() {
        reduced.push_str(match options.structure {
            Some(true) => " --structure",
            _ => " --symmetry types",
        });
    }
    if !options.types.is_empty() {
        reduced.push_str(&format!(" --types {}", options.types.join(",")));
    }
    if options.keeping != KeepingKind::default() {
        reduced.push_str(&format!(" --rep {}", options.keeping.name()));
    }
    if options.count_full {
        reduced.push_str(" --count-full");
    }
    // `without_reduction` in words.
    let mut unreduced = String::from(" --no-symmetry");
    if options.count_full && options.merging {
        unreduced.push_str(" --no-merging");
    }
    let merging = if options.merging { "" } else { " --no-merging" };
    let partial = match options.partial_order {
        Some(false) => " --no-por",
        Some(true) | None => "",
    };
    let file = file.display();
    [reduced, unreduced]
        .map(|options| format!("orbitscope check -a {number}{options}{merging}{partial} '{file}'"))
}

pub(super) fn word(verdict: &Verdict) -> Option<&'static str> {
    match verdict {
        Verdict::Holds => Some("holds"),
        Verdict::Fails => Some("fails"),
        Verdict::Approximate(_) | Verdict::Inconclusive(_) | Verdict::Error(_) => None,
    }
}

const COMPONENTS: &str = "permutations keep a parallel composition inside of one component, which the \
                          unreduced run takes apart";
const MERGED: &str =
    "bisimilar local states are merged, and reduced only as far as permutations allow";
const LOOPS: &str = "of loops none need be the shortest in every sense";

impl Comparison {
    /// Compares two finished runs; a run without a verdict is not compared.
    fn of(reduced: &CheckOutcome, unreduced: &CheckOutcome) -> Self {
        let mut this = Self::default();
        let (Some(one), Some(other)) = (word(&reduced.verdict), word(&unreduced.verdict)) else {
            this.sum(reduced, unreduced);
            return this;
        };
        // Lengths and numbers are not compared: with different verdicts they cannot agree.
        if one != other {
            this.disagreement = format!("reduced it {one}, unreduced it {other}");
            return this;
        }
        match (&reduced.counterexample, &unreduced.counterexample) {
            (Some(one), Some(other)) => this.lengths((reduced, one), (unreduced, other)),
            (None, None) => this.sizes(reduced, unreduced),
            // One of them was cut off by a limit, which is listed as missing.
            _ => {}
        }
        this
    }

    fn apart(&mut self, what: &str, why: &str) {
        self.apart.push(format!("{what}: {why}"));
    }

    fn lengths(
        &mut self,
        reduced: (&CheckOutcome, &Counterexample),
        unreduced: (&CheckOutcome, &Counterexample),
    ) {
        let what = "the lengths of the counterexamples are not compared";
        let diverges = |found: &Counterexample| matches!(found.ending, Ending::Divergence { .. });
        if kept_together(reduced.0) || kept_together(unreduced.0) {
            self.apart(what, COMPONENTS);
        } else if diverges(reduced.1) || diverges(unreduced.1) {
            self.apart(what, LOOPS);
        } else if reduced.1.steps.len() != unreduced.1.steps.len() {
            let steps = |found: &Counterexample| numbers::counted(found.steps.len() as u64, "step");
            self.disagreement = format!(
                "the shortest counterexample has {} reduced and {} unreduced",
                steps(reduced.1),
                steps(unreduced.1)
            );
        }
    }

    /// Compares the sums of states: a run that was cut off has at most as many as the reduced one represents.
    fn sum(&mut self, reduced: &CheckOutcome, unreduced: &CheckOutcome) {
        let Some((states, _)) = &reduced.represented else {
            return;
        };
        let of_others = [reduced, unreduced].into_iter();
        // Unknown figures are not compared, as those of a run that ended before it began.
        let comparable = of_others
            .map(|run| run.details.as_ref())
            .all(|d| d.is_some_and(|d| d.merged == 0 && !d.kept_together));
        let found = unreduced.progress.states;
        if comparable && BigUint::from(found) > *states {
            self.disagreement = format!(
                "{} states were counted as represented, and {} found unreduced so far",
                numbers::grouped(states),
                numbers::thousands(found.into())
            );
        }
    }

    /// Compares the sizes of two finished searches, whose numbers must fit.
    fn sizes(&mut self, reduced: &CheckOutcome, unreduced: &CheckOutcome) {
        let what = "the numbers of states are not compared";
        if kept_together(reduced) || kept_together(unreduced) {
            return self.apart(what, COMPONENTS);
        }
        if merges(reduced) || merges(unreduced) {
            return self.apart(what, MERGED);
        }
        let (fewer, all) = (reduced.progress.states, unreduced.progress.states);
        let one = || BigUint::from(1u8);
        let order = reduced.symmetry.as_ref();
        let order = order.map_or_else(one, |s| s.group_order.clone());
        let most = &order * fewer;
        let (states, transitions) = (all.into(), unreduced.progress.transitions.into());
        // An orbit has one state at least, and as many as there are permutations at most.
        if fewer > all || BigUint::from(all) > most {
            self.disagreement = format!(
                "{} states unreduced cannot be {} representatives under a group of {}",
                numbers::thousands(all.into()),
                numbers::thousands(fewer.into()),
                numbers::grouped(&order)
            );
        } else if let Some(counted) = &reduced.represented
            && *counted != (states, transitions)
        {
            self.disagreement = format!(
                "{} states and {} transitions were counted as represented, and {} and {} found unreduced",
                numbers::grouped(&counted.0),
                numbers::grouped(&counted.1),
                numbers::thousands(all.into()),
                numbers::thousands(unreduced.progress.transitions.into())
            );
        }
    }
}

fn of_details(outcome: &CheckOutcome, of: impl Fn(&Details) -> bool) -> bool {
    // Unknown details may have the property.
    outcome.details.as_ref().is_none_or(of)
}

pub(super) fn kept_together(outcome: &CheckOutcome) -> bool {
    of_details(outcome, |d| d.kept_together)
}

pub(super) fn merges(outcome: &CheckOutcome) -> bool {
    of_details(outcome, |d| d.merged > 0)
}

/// The outcome of an assertion that was run twice: that of the reduced run, unless the two disagree.
pub fn settled(outcome: CheckOutcome, pair: &TwoRuns) -> CheckOutcome {
    match pair {
        TwoRuns::Compared { comparison, .. } if !comparison.disagreement.is_empty() => {
            disagreed(outcome, pair)
        }
        _ => outcome,
    }
}

/// Makes an outcome of a disagreement: it names both verdicts, and gives neither.
fn disagreed(outcome: CheckOutcome, pair: &TwoRuns) -> CheckOutcome {
    let TwoRuns::Compared {
        reduced,
        unreduced,
        comparison,
        again,
    } = pair
    else {
        return outcome;
    };
    let disagreement = &comparison.disagreement;
    let message = format!("internal error: reduction changes the result: {disagreement}");
    let say = |which: &str, verdict: &Verdict, again: &str| {
        let word = word(verdict).unwrap_or("came to no verdict");
        format!("{which} it {word}: {again}")
    };
    let runs = [
        say("reduced", reduced, &again[0]),
        say("unreduced", &unreduced.verdict, &again[1]),
    ];
    let advice =
        "one of the two runs is wrong; please report this with the script and what follows";
    let mut diagnostic = Diagnostic::nowhere("E0799", message.clone()).note(advice);
    let mut detail = format!("{message}\n{advice}");
    for run in runs {
        let _ = write!(detail, "\n{run}");
        diagnostic = diagnostic.note(run);
    }
    // Figures and counterexamples stay: the report shows them beside those of the other run.
    CheckOutcome {
        verdict: Verdict::Error(ErrorText::new(message, detail)),
        diagnostic: Some(Box::new(diagnostic)),
        ..outcome
    }
}

/// The limit that ended the run without reduction, if one did.
pub fn stopped(pair: Option<&TwoRuns>) -> Option<Stop> {
    match pair {
        Some(TwoRuns::Compared { unreduced, .. }) => unreduced.stopped,
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outcome::{CounterexampleStep, Progress};
    use crate::reduction::SymmetrySummary;

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
                structure: None,
                group_order: 2u8.into(),
                strategy: "walk".to_owned(),
                exact_for: "",
            }),
            counterexample: found,
            details: Some(Details::default()),
            ..CheckOutcome::new(1, String::new(), verdict)
        }
    }

    fn sentences_of(reduced: &CheckOutcome, unreduced: &CheckOutcome) -> String {
        Comparison::of(reduced, unreduced).disagreement
    }

    #[test]
    fn what_must_agree_is_compared() {
        let holds = |states| outcome(Verdict::Holds, states, None);
        let fails = |steps| outcome(Verdict::Fails, 5, Some(steps));
        assert_eq!(sentences_of(&holds(5), &holds(9)), "");
        assert_eq!(sentences_of(&fails(3), &fails(3)), "");
        assert!(sentences_of(&holds(5), &fails(3)).contains("unreduced it fails"));
        assert!(sentences_of(&fails(3), &fails(4)).contains("3 steps reduced and 4 steps"));
        assert!(sentences_of(&holds(5), &holds(4)).contains("4 states unreduced"));
        assert!(sentences_of(&holds(5), &holds(11)).contains("11 states unreduced"));
        let counted = CheckOutcome {
            represented: Some((9u8.into(), 18u8.into())),
            ..holds(5)
        };
        assert_eq!(sentences_of(&counted, &holds(9)), "");
        assert!(sentences_of(&counted, &holds(8)).contains("9 states"));
    }

    #[test]
    fn a_run_that_was_cut_off_says_nothing_but_that_it_has_no_more_states() {
        let cut = outcome(Verdict::Inconclusive("time limit reached".into()), 9, None);
        assert_eq!(sentences_of(&outcome(Verdict::Fails, 5, Some(3)), &cut), "");
        let counted = |states: u8| CheckOutcome {
            represented: Some((states.into(), 99u8.into())),
            ..outcome(Verdict::Holds, 5, None)
        };
        assert_eq!(sentences_of(&counted(9), &cut), "");
        assert!(sentences_of(&counted(8), &cut).contains("9 found unreduced so far"));
        let merged = Details {
            merged: 1,
            ..Details::default()
        };
        assert_eq!(sentences_of(&counted(8), &with(merged, cut)), "");
    }

    fn with(details: Details, outcome: CheckOutcome) -> CheckOutcome {
        CheckOutcome {
            details: Some(details),
            ..outcome
        }
    }

    #[test]
    fn what_cannot_be_compared_is_told_instead() {
        let merged = || Details {
            merged: 3,
            ..Details::default()
        };
        let kept = || Details {
            kept_together: true,
            ..Details::default()
        };
        let holds = |states| outcome(Verdict::Holds, states, None);
        let fails = |steps| outcome(Verdict::Fails, 5, Some(steps));
        for (one, other, says) in [
            (holds(5), with(merged(), holds(4)), "merged"),
            (with(kept(), holds(5)), holds(99), "component"),
            (with(kept(), fails(3)), fails(7), "component"),
        ] {
            let comparison = Comparison::of(&one, &other);
            assert_eq!(comparison.disagreement, "");
            assert!(comparison.apart[0].contains(says), "{:?}", comparison.apart);
        }
        // Merging keeps lengths, and nothing changes verdicts.
        assert!(!sentences_of(&fails(3), &with(merged(), fails(4))).is_empty());
        assert!(!sentences_of(&with(kept(), fails(3)), &holds(4)).is_empty());
    }

    #[test]
    fn lengths_of_loops_are_not_compared() {
        let lap = |steps, lap, laps| {
            let mut outcome = outcome(Verdict::Fails, 5, Some(steps));
            if let Some(found) = &mut outcome.counterexample {
                found.ending = Ending::Divergence { lap, laps };
            }
            outcome
        };
        assert_eq!(sentences_of(&lap(4, 1, 2), &lap(5, 2, 1)), "");
        assert_eq!(sentences_of(&lap(5, 1, 2), &lap(3, 2, 1)), "");
    }

    #[test]
    fn a_disagreement_tells_both_verdicts_and_how_to_see_them() {
        let reduced = outcome(Verdict::Fails, 5, Some(2));
        let again = ["orbitscope check a", "orbitscope check b"].map(str::to_owned);
        let pair = TwoRuns::compare(&reduced, outcome(Verdict::Holds, 9, None), again);
        let shown = disagreed(reduced, &pair);
        let Verdict::Error(failure) = &shown.verdict else {
            panic!("{shown:?}");
        };
        assert!(
            failure
                .detail
                .contains("reduced it fails: orbitscope check a")
        );
        assert!(
            failure
                .detail
                .contains("unreduced it holds: orbitscope check b")
        );
        let text = pair.text(&shown, false);
        assert!(text.contains("THEY DISAGREE") && text.contains("states"));
    }
}
