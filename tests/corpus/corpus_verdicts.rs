//! Real scripts: they load, their processes can be animated, and their assertions come out as an
//! independent checker found them. Only verdicts are compared, never counts.

use crate::support::tiers;
use std::path::{Path, PathBuf};

use crate::support::{
    bounded, check, corpus, counts, length, options, replay, say, sound, verdict,
};
use orbitscope::animate::engine::ScriptEngine;
use orbitscope::animate::model::{CheckOutcome, Verdict};
use orbitscope::script::core::AssertionKind;
use orbitscope::script::load::Loaded;
use orbitscope::symmetry::StrategyKind;

/// The examples that are tested, below [`PACK`].
const TESTED: [&str; 7] = [
    "intro.csp",
    "priority_and_time/priorityfiles/simplepri.csp",
    "priority_and_time/tcspfiles/tabp.csp",
    "priority_and_time/tnifiles/niwhole.csp",
    "tpc/chapter02",
    "tpc/chapter03",
    "ucs/chapter04",
];
const PACK: &str = "fdr-examples/fdr-examples";
/// States of a check whose verdict is not known.
const STATES_MAX: usize = 300_000;

/// The scripts, and their names in the tables.
fn scripts(corpus: &Path) -> Vec<(String, PathBuf)> {
    let mut found = Vec::new();
    for tested in TESTED {
        let path = corpus.join(PACK).join(tested);
        if path.is_file() {
            found.push(format!("{PACK}/{tested}"));
            continue;
        }
        for entry in std::fs::read_dir(&path).expect("the folder can be read") {
            let name = entry.expect("the folder can be read").file_name();
            let name = name.to_string_lossy();
            if name.ends_with(".csp") {
                found.push(format!("{PACK}/{tested}/{name}"));
            }
        }
    }
    found.sort();
    assert!(found.len() > 15, "{found:?}");
    found
        .into_iter()
        .map(|name| {
            let path = corpus.join(&name);
            (name, path)
        })
        .collect()
}

/// A row of the table of assertions.
struct Row {
    script: String,
    number: usize,
    verdict: String,
    text: String,
}

impl Row {
    fn place(&self) -> String {
        format!("{} #{} {}", self.script, self.number, self.text)
    }
}

/// The whole table, in its order.
fn rows(corpus: &Path) -> Vec<Row> {
    let text = std::fs::read_to_string(corpus.join("ASSERTIONS.tsv")).expect("the table is there");
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines
        .filter_map(|line| {
            let columns: Vec<&str> = line.split('\t').collect();
            let [script, number, verdict, _, text] = columns[..] else {
                return None;
            };
            Some(Row {
                script: script.to_owned(),
                number: number.parse().expect("assertions are numbered"),
                verdict: verdict.to_owned(),
                text: text.to_owned(),
            })
        })
        .collect()
}

/// The rows of one script.
fn table(corpus: &Path, name: &str) -> Vec<Row> {
    let mut rows = rows(corpus);
    rows.retain(|row| row.script == name);
    rows
}

#[test]
fn scripts_load_without_errors() {
    let Some(corpus) = corpus("scripts_load_without_errors") else {
        return;
    };
    for (name, path) in scripts(&corpus) {
        let loaded = sound(&path);
        let assertions = table(&corpus, &name).len();
        assert_eq!(loaded.script.assertions.len(), assertions, "{name}");
    }
}

#[test]
fn every_process_without_parameters_can_be_animated() {
    if !tiers::has_time("every_process_without_parameters_can_be_animated") {
        return;
    }
    let Some(corpus) = corpus("every_process_without_parameters_can_be_animated") else {
        return;
    };
    let mut failed = Vec::new();
    for (name, path) in scripts(&corpus) {
        let mut engine = ScriptEngine::load(path).expect("it loads");
        for process in engine.info().processes.clone() {
            let viewed = engine.open(&process).and_then(|state| engine.view(state));
            if let Err(failure) = viewed {
                failed.push(format!("{name}: {process}: {}", failure.summary));
            }
        }
    }
    assert!(failed.is_empty(), "{failed:#?}");
}

/// Largest search, and largest that is repeated unreduced.
const SMALL: usize = 200_000;
const REPEATED: usize = 40_000;

/// Checks rows one after the other; each script is read once. Gives what is wrong, and the number of
/// unreduced searches that a reduced one was compared with.
fn run(corpus: &Path, rows: &[&Row], states_max: usize) -> (Vec<String>, usize) {
    let mut failed = Vec::new();
    let mut compared = 0;
    let mut last: Option<(&str, Loaded)> = None;
    for row in rows {
        let path = corpus.join(&row.script);
        if last
            .as_ref()
            .is_none_or(|(script, _)| *script != row.script)
        {
            last = Some((&row.script, sound(&path)));
        }
        let Some((_, loaded)) = &last else { continue };
        let plain = options(None, StrategyKind::default(), 1);
        let outcome = check(loaded, row.number, &bounded(plain, states_max));
        failed.extend(judge(row, &path, loaded, &outcome));
        if outcome.symmetry.is_some() {
            let whole = options(Some(false), StrategyKind::default(), 1);
            let whole = check(loaded, row.number, &bounded(whole, REPEATED));
            if matches!(whole.verdict, Verdict::Inconclusive(_)) {
                continue;
            }
            compared += 1;
            failed.extend(judge(row, &path, loaded, &whole));
            // A divergence may be entered at different places.
            let diverges = |o: &CheckOutcome| {
                let shown = o.counterexample.as_ref();
                shown.is_some_and(|c| c.reason.contains("for ever"))
            };
            if !diverges(&whole) && length(&whole) != length(&outcome) {
                let (one, other) = (length(&outcome), length(&whole));
                failed.push(format!(
                    "{}: {one:?} steps, unreduced {other:?}",
                    row.place()
                ));
            }
        }
    }
    (failed, compared)
}

/// What is wrong with an outcome.
fn judge(row: &Row, path: &Path, loaded: &Loaded, outcome: &CheckOutcome) -> Vec<String> {
    let mut wrong = Vec::new();
    let place = row.place();
    let found = verdict(outcome);
    if found != row.verdict {
        wrong.push(format!("{place}: {found}, not {}", row.verdict));
    }
    let assertion = &loaded.script.assertions[row.number - 1];
    // A trace that was asked for is shown; and `not` turns the verdict, not the run.
    let shows = match &assertion.kind {
        AssertionKind::HasTrace { .. } => true,
        AssertionKind::Symmetric { .. } => false,
        _ => (row.verdict == "fail") != assertion.negated,
    };
    match &outcome.counterexample {
        None if shows => wrong.push(format!("{place}: no run is shown")),
        Some(_) if !shows => wrong.push(format!("{place}: a run is shown")),
        Some(run) => wrong.extend(replay(path, run).err().map(|why| format!("{place}: {why}"))),
        None => {}
    }
    wrong
}

/// All rows with a verdict, in two halves so that two tests share the work.
fn decided_rows(half: usize, test: &str) {
    let Some(corpus) = corpus(test) else { return };
    let all = rows(&corpus);
    let decided = |row: &&Row| ["pass", "fail"].contains(&&*row.verdict);
    let decided: Vec<&Row> = all.iter().filter(decided).collect();
    assert!(decided.len() > 420, "{}", decided.len());
    // A script stays in one piece.
    let mut scripts: Vec<&str> = decided.iter().map(|r| &*r.script).collect();
    scripts.dedup();
    let mine = |row: &&&Row| {
        let at = scripts.iter().position(|s| *s == row.script);
        at.is_some_and(|at| at % 2 == half)
    };
    let mine: Vec<&Row> = decided.iter().filter(mine).copied().collect();
    let (failed, compared) = run(&corpus, &mine, SMALL);
    assert!(failed.is_empty(), "{failed:#?}");
    assert!(compared > 10, "{compared}");
}

#[test]
fn every_verdict_of_the_table_agrees() {
    decided_rows(0, "every_verdict_of_the_table_agrees");
}

#[test]
fn every_other_verdict_of_the_table_agrees() {
    decided_rows(1, "every_other_verdict_of_the_table_agrees");
}

#[test]
fn two_threads_find_what_one_does() {
    let Some(corpus) = corpus("two_threads_find_what_one_does") else {
        return;
    };
    for (name, path) in scripts(&corpus) {
        let loaded = sound(&path);
        for row in table(&corpus, &name) {
            if !["pass", "fail"].contains(&&*row.verdict) {
                continue;
            }
            for symmetry in [None, Some(false)] {
                let [one, two] = [1, 2].map(|threads| {
                    let options = options(symmetry, StrategyKind::default(), threads);
                    check(&loaded, row.number, &bounded(options, SMALL))
                });
                let place = row.place();
                assert_eq!(counts(&one), counts(&two), "{place}");
                assert_eq!(one.counterexample, two.counterexample, "{place}");
            }
        }
    }
}

/// What the independent checker could not decide: shown, not asserted.
#[test]
fn undecided_assertions_come_to_an_end() {
    if !tiers::has_time("undecided_assertions_come_to_an_end") {
        return;
    }
    let Some(corpus) = corpus("undecided_assertions_come_to_an_end") else {
        return;
    };
    for (name, path) in scripts(&corpus) {
        let loaded = sound(&path);
        for row in table(&corpus, &name) {
            if !row.verdict.starts_with("skip") {
                continue;
            }
            let options = options(None, StrategyKind::default(), 2);
            let outcome = check(&loaded, row.number, &bounded(options, STATES_MAX));
            let (states, _) = counts(&outcome);
            let found = verdict(&outcome);
            say(&format!("{}: {found}, {states} states", row.place()));
            assert!(!matches!(outcome.verdict, Verdict::Error(_)), "{found}");
        }
    }
}

/// Assertions that the independent checker does not support or finish, and what their scripts say of
/// them.
const BEYOND: [(&str, usize, &str); 14] = [
    // Lowe's attack on the Needham-Schroeder protocol.
    ("tpc/chapter15/nspk.csp", 1, "fail"),
    ("tpc/chapter15/nspk.csp", 2, "fail"),
    ("ucs/chapter14/maxpro.csp", 3, "pass"),
    ("ucs/chapter14/tringm.csp", 2, "fail"),
    ("ucs/chapter14/tringm.csp", 3, "fail"),
    ("ucs/chapter14/ttokring.csp", 2, "pass"),
    ("ucs/chapter14/ttokring.csp", 16, "fail"),
    ("ucs/chapter14/ttokring.csp", 17, "pass"),
    ("ucs/chapter15/tabp2.csp", 3, "fail"),
    ("ucs/chapter15/tabp2.csp", 4, "pass"),
    ("ucs/chapter15/tabp2.csp", 5, "pass"),
    ("ucs/chapter15/tabp2.csp", 6, "fail"),
    ("ucs/chapter15/tabp2.csp", 7, "fail"),
    ("ucs/chapter15/tabp2.csp", 8, "fail"),
];

#[test]
fn what_the_table_leaves_open_is_as_the_scripts_say() {
    if !tiers::has_time("what_the_table_leaves_open_is_as_the_scripts_say") {
        return;
    }
    let Some(corpus) = corpus("what_the_table_leaves_open_is_as_the_scripts_say") else {
        return;
    };
    for (script, number, expected) in BEYOND {
        let mut rows = table(&corpus, &format!("{PACK}/{script}"));
        rows.retain(|row| row.number == number);
        let row = rows.pop().expect("the row is there");
        let open = ["unsupported", "skip-timeout"].contains(&&*row.verdict);
        assert!(open, "{}", row.place());
        let row = Row {
            verdict: expected.to_owned(),
            ..row
        };
        let (failed, _) = run(&corpus, &[&row], 2_000_000);
        assert!(failed.is_empty(), "{failed:#?}");
    }
}

/// Assertions in revivals and refusal testing, in the order of each script. The comments there say what should hold,
/// after Roscoe, *Understanding Concurrent Systems*, chapters 11 to 13.
const FINER: [(&str, &[(usize, &str)]); 5] = [
    (
        "fdr-examples/fdr-examples/ucs/chapter11/conflict.csp",
        // "two processes that reach strong conflict", and "two in conflict" alone.
        &[(1, "fail"), (2, "fail"), (3, "fail"), (4, "pass")],
    ),
    (
        "fdr-examples/fdr-examples/ucs/chapter11/revivals.csp",
        // "To illustrate that revivals are more discriminating than failures"; `CHAOSR` is the least refined of all,
        // and only `CHAOSF` accepts all of B whenever it offers some of A.
        &[
            (2, "fail"),
            (3, "pass"),
            (6, "pass"),
            (7, "fail"),
            (10, "pass"),
            (11, "fail"),
        ],
    ),
    (
        "fdr-examples/fdr-examples/ucs/chapter12/refpriority.csp",
        // The maze can be solved: "counterexample traces found by this check always obey the priority order".
        &[(2, "fail")],
    ),
    (
        "fdr-examples/fdr-examples/ucs/chapter13/pb.csp",
        // Terms that are transformed into one another, as far as this model can tell: all are equal.
        &[
            (1, "pass"),
            (2, "pass"),
            (3, "pass"),
            (4, "pass"),
            (5, "pass"),
            (6, "pass"),
            (7, "pass"),
            (8, "pass"),
            (9, "pass"),
            (10, "pass"),
            (11, "pass"),
            (12, "pass"),
            (13, "pass"),
            (14, "pass"),
            (15, "pass"),
            (16, "pass"),
            (17, "pass"),
            (18, "pass"),
            (19, "pass"),
            (20, "pass"),
        ],
    ),
    (
        "libcspm/tests/parser/should_pass/specifications.csp",
        &[(3, "pass"), (4, "pass"), (6, "pass"), (7, "pass")],
    ),
];

#[test]
fn revivals_and_refusal_testing_are_as_the_scripts_say() {
    let test = "revivals_and_refusal_testing_are_as_the_scripts_say";
    let Some(corpus) = corpus(test) else { return };
    let models = ["[V= ", "[VD= ", "[R= ", "[RD= "];
    let mut found = rows(&corpus);
    found.retain(|row| models.iter().any(|model| row.text.contains(model)));
    let expected = FINER.iter().flat_map(|(script, rows)| {
        let rows = rows.iter();
        rows.map(move |(number, verdict)| (*script, *number, *verdict))
    });
    let expected: Vec<(&str, usize, &str)> = expected.collect();
    let places = found.iter().map(|row| (&*row.script, row.number));
    assert!(
        places.eq(expected.iter().map(|(s, n, _)| (*s, *n))),
        "all rows with these models, and no others"
    );
    for (row, (.., verdict)) in found.iter_mut().zip(&expected) {
        row.verdict = (*verdict).to_owned();
    }
    let found: Vec<&Row> = found.iter().collect();
    let (failed, _) = run(&corpus, &found, SMALL);
    assert!(failed.is_empty(), "{failed:#?}");
}

/// The way out of the maze that refusal testing finds keeps to the order in which the explorer looks.
#[test]
fn a_counterexample_of_refusal_testing_obeys_the_priority_that_it_simulates() {
    let test = "a_counterexample_of_refusal_testing_obeys_the_priority_that_it_simulates";
    let Some(corpus) = corpus(test) else { return };
    let (script, _) = FINER[2];
    let loaded = sound(&corpus.join(script));
    let outcome = check(&loaded, 2, &options(None, StrategyKind::default(), 1));
    let found = outcome.counterexample.expect("there is a way");
    let order = ["left'", "ahead'", "right'", "back'"];
    let mut observed = 0;
    for step in &found.steps {
        let Some(rank) = order.iter().position(|e| step.event == *e) else {
            assert_eq!(step.event, "done");
            continue;
        };
        // Nothing has to be observed before what is always tried first.
        let seen = step.observed.as_deref();
        assert!(rank == 0 || seen.is_some(), "{}", step.event);
        observed += usize::from(seen.is_some());
        for before in &order[..rank] {
            assert!(!seen.is_some_and(|seen| seen.contains(before)), "{seen:?}");
        }
    }
    assert!(observed > 10, "{observed}");
}
