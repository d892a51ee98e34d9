//! What the theorems about all sizes prove of real scripts, and what hinders them: of each theorem, how many pairs of an
//! assertion and a name with a size it decides. All that is proved is held to two sizes more than the proof needed.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::time::{Duration, Instant};

use crate::support::{corpus, repository, say, scripts_below, tiers};
use orbitscope::check::Options;
use orbitscope::report::any_number::AnyNumber;
use orbitscope::report::checks;
use orbitscope::report::families::{FamilyOutcome, FamilyRequest, NameRows};
use orbitscope::report::family_proofs::Proof;
use orbitscope::report::outcome::Verdict;
use orbitscope::report::together::{Together, TogetherAnswer};
use orbitscope::script::load::Loaded;
use orbitscope::script::sizes::{SizeKind, SizedName, SizedScript};
use orbitscope::source::{Bounds, Cancel, Diagnostic, Limits};

/// The time for each search.
const TIME: Duration = Duration::from_millis(500);
/// States of each search.
const STATES_MAX: usize = 200_000;
/// Reasons that are told of each theorem.
const REASONS: usize = 6;

/// What became of one theorem.
#[derive(Default)]
struct TheoremCount {
    holds: usize,
    fails: usize,
    /// Sizes beyond that of the proof with the verdict that was proved.
    agree: usize,
    /// Such sizes that a limit ended.
    undecided: usize,
    hindered: BTreeMap<String, usize>,
}

/// The theorems by their names.
#[derive(Default)]
struct TheoremTable {
    rows: BTreeMap<&'static str, TheoremCount>,
    assertions: usize,
    /// Assertions with a datatype or a set that has a size.
    with_size: usize,
    /// Pairs of an assertion and such a name.
    names: usize,
    /// Why assertions cannot be checked at all.
    errors: BTreeMap<String, usize>,
}

/// A reason without the names and numbers of one script.
fn without_names(reason: &str) -> String {
    let mut kept = String::new();
    for (n, part) in reason.split('`').enumerate() {
        kept += if n % 2 == 0 { part } else { "…" };
    }
    kept.replace(|c: char| c.is_ascii_digit(), "#")
}

impl TheoremTable {
    fn row(&mut self, theorem: &'static str) -> &mut TheoremCount {
        self.rows.entry(theorem).or_default()
    }

    fn hindered(&mut self, theorem: &'static str, reason: &str) {
        let reasons = &mut self.row(theorem).hindered;
        *reasons.entry(without_names(reason)).or_default() += 1;
    }

    /// Counts a proof, and the sizes that were searched beyond it.
    fn proved(
        &mut self,
        theorem: &'static str,
        holds: bool,
        beyond: [Option<bool>; 2],
        place: &str,
    ) {
        let row = self.row(theorem);
        *(if holds {
            &mut row.holds
        } else {
            &mut row.fails
        }) += 1;
        for found in beyond {
            match found {
                Some(found) => {
                    assert_eq!(found, holds, "{place}: {theorem} is contradicted");
                    row.agree += 1;
                }
                None => row.undecided += 1,
            }
        }
    }

    fn text(&self) -> String {
        let errors: usize = self.errors.values().sum();
        let mut text = format!(
            "{} assertions, {errors} with an error, {} with a size, {} pairs with a name\n",
            self.assertions, self.with_size, self.names
        );
        most(&self.errors, &mut text);
        for (theorem, row) in &self.rows {
            let hindered: usize = row.hindered.values().sum();
            let _ = writeln!(
                text,
                "{theorem}: holds {}, fails {}, hindered {hindered}; beyond: {} agree, {} undecided",
                row.holds, row.fails, row.agree, row.undecided
            );
            most(&row.hindered, &mut text);
        }
        text
    }
}

/// Writes the reasons that are most frequent.
fn most(reasons: &BTreeMap<String, usize>, text: &mut String) {
    let mut reasons: Vec<_> = reasons.iter().collect();
    reasons.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
    for (reason, count) in reasons.into_iter().take(REASONS) {
        let _ = writeln!(text, "    {count} {reason}");
    }
}

/// A script with its sizes, one assertion of it.
struct Asked<'a> {
    script: &'a SizedScript,
    written: &'a Loaded,
    /// From 1.
    number: usize,
    place: &'a str,
}

fn options() -> Options {
    let limits = Limits {
        states_max: STATES_MAX,
        ..Limits::default()
    };
    Options {
        threads: 1,
        limits,
        ..Options::default()
    }
}

fn late() -> Limits {
    options().limits.with_timeout(TIME)
}

impl Asked<'_> {
    fn family(&self, of: &[String]) -> FamilyOutcome {
        let request = FamilyRequest {
            script: self.script,
            written: self.written,
            of,
            sizes: 1..=2,
            options: &options(),
            timeout: Some(TIME),
            proves: true,
            cancel: &Cancel::default(),
        };
        request.run(self.number, &mut |_, _| {})
    }

    /// The verdict with these sizes, if there is one within the limits.
    fn at(&self, sizes: &[(&SizedName, usize)]) -> Option<bool> {
        let (limits, cancel) = (late(), Cancel::default());
        let bounds = Bounds::new(&limits, &cancel);
        let loaded = self.script.at(sizes, &bounds);
        if bounds.stopped().is_some() {
            return None;
        }
        let options = Options {
            limits,
            ..options()
        };
        let outcome = checks::run(&loaded, self.number, &options, &cancel, &mut |_| {});
        match outcome.verdict {
            Verdict::Holds => Some(true),
            Verdict::Fails => Some(false),
            _ => None,
        }
    }

    fn beyond(&self, name: &SizedName, size: usize) -> [Option<bool>; 2] {
        [1, 2].map(|more| self.at(&[(name, size + more)]))
    }

    fn count(&self, table: &mut TheoremTable) {
        let limits = late();
        let cancel = Cancel::default();
        let bounds = Bounds::new(&limits, &cancel);
        let sizes = self.script.sizes(self.written, self.number - 1, &bounds);
        let names = sizes
            .names
            .into_iter()
            .filter(|n| n.kind != SizeKind::Number);
        let of: Vec<String> = names.map(|n| n.name.to_string()).collect();
        if of.is_empty() {
            return;
        }
        table.with_size += 1;
        let found = self.family(&of);
        assert!(!found.is_contradicted(), "{}", self.place);
        for name in &found.names {
            table.names += 1;
            self.count_proof(name, table);
            self.count_any(name, table);
        }
        for pair in &found.together {
            self.count_together(pair, &found.names, table);
        }
    }

    fn count_proof(&self, name: &NameRows, table: &mut TheoremTable) {
        match &name.proof {
            Proof::Proved(proved) => {
                let beyond = self.beyond(&name.name, proved.from);
                table.proved(proved.theorem.name(), proved.holds, beyond, self.place);
            }
            Proof::Unproved(reasons) => {
                for reason in reasons {
                    let theorem = reason.theorem.map_or("all three", |t| t.name());
                    table.hindered(theorem, &reason.reason.why);
                }
            }
            Proof::NotAsked | Proof::Contradicted(..) => panic!("{}: {:?}", self.place, name.proof),
        }
    }

    fn count_any(&self, name: &NameRows, table: &mut TheoremTable) {
        const THEOREM: &str = "coverability";
        match &name.any_number {
            None => {}
            Some(AnyNumber::Proved { coverage, .. }) => {
                let beyond = self.beyond(&name.name, coverage.size + 1);
                table.proved(THEOREM, true, beyond, self.place);
            }
            Some(AnyNumber::Fails { from }) => {
                let beyond = self.beyond(&name.name, *from);
                table.proved(THEOREM, false, beyond, self.place);
            }
            Some(AnyNumber::FailsBeyond) => table.proved(THEOREM, false, [None; 2], self.place),
            Some(AnyNumber::Refused(condition)) => table.hindered(THEOREM, &condition.why),
            Some(AnyNumber::Stopped(stop)) => table.hindered(THEOREM, &format!("limit: {stop:?}")),
            Some(AnyNumber::Error(error)) => table.hindered(THEOREM, &error.message),
        }
    }

    fn count_together(&self, pair: &Together, names: &[NameRows], table: &mut TheoremTable) {
        const THEOREM: &str = "together";
        let sized = |name: &str| {
            let mut names = names.iter().map(|n| &n.name);
            names
                .find(|n| *n.name == *name)
                .expect("a name of the rows")
        };
        match &pair.answer {
            TogetherAnswer::Proved { at, .. } => {
                let (components, data) = (sized(&pair.components), sized(&pair.data));
                let (size, coverage) = at;
                let more = |more: usize| {
                    let sizes = [(components, coverage.size + more), (data, size + more)];
                    self.at(&sizes)
                };
                table.proved(THEOREM, true, [1, 2].map(more), self.place);
            }
            TogetherAnswer::Fails(_) => table.proved(THEOREM, false, [None; 2], self.place),
            TogetherAnswer::Undecided(reason) => table.hindered(THEOREM, &reason.why),
            TogetherAnswer::Error(error) => table.hindered(THEOREM, &error.message),
        }
    }
}

/// What is wrong where an error is in the way of an assertion.
fn cause(written: &Loaded, in_the_way: &Diagnostic) -> String {
    let places: Vec<_> = in_the_way.labels.iter().map(|l| l.span).collect();
    let is_there = |d: &&Diagnostic| d.span.is_some_and(|span| places.contains(&span));
    let found = written.diagnostics.iter().find(is_there);
    without_names(&found.unwrap_or(in_the_way).message)
}

fn count_script(path: &Path, table: &mut TheoremTable) {
    let limits = Limits::default().with_timeout(20 * TIME);
    let cancel = Cancel::default();
    let bounds = Bounds::new(&limits, &cancel);
    let script = SizedScript::read(path, &bounds);
    let written = script.as_written(&bounds);
    for (n, assertion) in written.script.assertions.iter().enumerate() {
        table.assertions += 1;
        if let Some(error) = written.in_the_way(assertion) {
            *table.errors.entry(cause(&written, &error)).or_default() += 1;
            continue;
        }
        let asked = Asked {
            script: &script,
            written: &written,
            number: n + 1,
            place: &format!("{} #{}", path.display(), n + 1),
        };
        asked.count(table);
    }
}

#[test]
fn what_is_proved_of_real_scripts_holds_at_larger_sizes() {
    if !tiers::has_time("family_table") {
        return;
    }
    let Some(corpus) = corpus("family_table") else {
        return;
    };
    let mut table = TheoremTable::default();
    let mut scripts = scripts_below(&repository("models"));
    scripts.extend(scripts_below(&corpus));
    for (n, path) in scripts.iter().enumerate() {
        if !tiers::takes(n) {
            continue;
        }
        let started = Instant::now();
        count_script(path, &mut table);
        if started.elapsed() > 120 * TIME {
            say(&format!("{}: {:?}", path.display(), started.elapsed()));
        }
    }
    say(&table.text());
    if tiers::tries_all() {
        assert!(table.row("nobody compares").holds > 0 && table.row("remembered values").holds > 0);
    }
}
