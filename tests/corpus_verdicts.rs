//! Real scripts: they load, their processes can be animated, and their assertions come out as an
//! independent checker found them. Only verdicts are compared, never counts.

mod support;

use std::path::{Path, PathBuf};

use orbitscope::animate::engine::ScriptEngine;
use orbitscope::animate::model::{Engine, Verdict};
use orbitscope::script::core::{AssertionKind, Model, Script};
use orbitscope::symmetry::StrategyKind;
use support::{bounded, check, corpus, counts, options, replay, say, sound, verdict};

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

/// Number, verdict and text of every assertion of a script in the table.
fn table(corpus: &Path, name: &str) -> Vec<(usize, String, String)> {
    let text = std::fs::read_to_string(corpus.join("ASSERTIONS.tsv")).expect("the table is there");
    text.lines()
        .filter_map(|line| {
            let columns: Vec<&str> = line.split('\t').collect();
            let [script, number, verdict, _, text] = columns[..] else {
                return None;
            };
            (script == name).then(|| {
                let number = number.parse().expect("assertions are numbered");
                (number, verdict.to_owned(), text.to_owned())
            })
        })
        .collect()
}

/// Whether this version decides an assertion.
fn decided(script: &Script, number: usize) -> bool {
    match &script.assertions[number - 1].kind {
        AssertionKind::Refinement { model, .. } => !matches!(model, Model::Other(_)),
        AssertionKind::Property { .. } => true,
        _ => false,
    }
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

#[test]
fn verdicts_agree_reduced_or_not_on_one_thread_and_on_two() {
    let Some(corpus) = corpus("verdicts_agree_reduced_or_not_on_one_thread_and_on_two") else {
        return;
    };
    let mut failed = Vec::new();
    for (name, path) in scripts(&corpus) {
        let loaded = sound(&path);
        for (number, expected, text) in table(&corpus, &name) {
            if !decided(&loaded.script, number) || !["pass", "fail"].contains(&&*expected) {
                continue;
            }
            for symmetry in [None, Some(false)] {
                let ran = [1, 2].map(|threads| {
                    let options = options(symmetry, StrategyKind::default(), threads);
                    check(&loaded, number, &options)
                });
                for outcome in &ran {
                    let place = format!("{name} #{number} {text} (symmetry {symmetry:?})");
                    let found = verdict(outcome);
                    if found != expected {
                        failed.push(format!("{place}: {found} instead of {expected}"));
                    }
                    match &outcome.counterexample {
                        None if expected == "fail" => {
                            failed.push(format!("{place}: no counterexample"));
                        }
                        Some(_) if expected == "pass" => {
                            failed.push(format!("{place}: a counterexample"));
                        }
                        Some(found) => {
                            if let Err(why) = replay(&path, found) {
                                failed.push(format!("{place}: {why}"));
                            }
                        }
                        None => {}
                    }
                }
                let [one, two] = &ran;
                if counts(one) != counts(two) || one.counterexample != two.counterexample {
                    failed.push(format!("{name} #{number}: two threads differ from one"));
                }
            }
        }
    }
    assert!(failed.is_empty(), "{failed:#?}");
}

/// Scripts with modules or Timed sections, and the assertions where the table is not followed.
const MODULES_AND_TIME: [(&str, &[usize]); 6] = [
    ("processj-csp/concurrent-queue/queue-tests.csp", &[]),
    (
        "fdr-examples/fdr-examples/priority_and_time/tcspfiles/tabp.csp",
        &[],
    ),
    (
        "fdr-examples/fdr-examples/priority_and_time/tnifiles/nicore.csp",
        &[],
    ),
    (
        "fdr-examples/fdr-examples/priority_and_time/tnifiles/niwhole.csp",
        &[],
    ),
    ("fdr-examples/fdr-examples/ucs/chapter15/tabp2.csp", &[]),
    ("ticktock/fdr/examples.csp", &[]),
];

#[test]
fn verdicts_agree_for_modules_and_timed_sections() {
    let Some(corpus) = corpus("verdicts_agree_for_modules_and_timed_sections") else {
        return;
    };
    let (mut failed, mut compared) = (Vec::new(), 0);
    for (name, apart) in MODULES_AND_TIME {
        let path = corpus.join(name);
        let loaded = sound(&path);
        let table = table(&corpus, name);
        assert!(loaded.script.assertions.len() >= table.len(), "{name}");
        for (number, expected, text) in table {
            if !decided(&loaded.script, number) || !["pass", "fail"].contains(&&*expected) {
                continue;
            }
            let options = options(None, StrategyKind::default(), 2);
            let outcome = check(&loaded, number, &options);
            compared += 1;
            let found = verdict(&outcome);
            if (found == expected) == apart.contains(&number) {
                failed.push(format!("{name} #{number} {text}: {found}, not {expected}"));
            }
            if let Some(counterexample) = &outcome.counterexample {
                let replayed = replay(&path, counterexample);
                failed.extend(replayed.err().map(|e| format!("{name} #{number}: {e}")));
            }
        }
    }
    assert!(failed.is_empty(), "{failed:#?}");
    assert!(compared >= 16, "{compared}");
}

/// What the independent checker could not decide: shown, not asserted.
#[test]
fn undecided_assertions_come_to_an_end() {
    let Some(corpus) = corpus("undecided_assertions_come_to_an_end") else {
        return;
    };
    for (name, path) in scripts(&corpus) {
        let loaded = sound(&path);
        for (number, expected, text) in table(&corpus, &name) {
            if !decided(&loaded.script, number) || !expected.starts_with("skip") {
                continue;
            }
            let options = options(None, StrategyKind::default(), 2);
            let outcome = check(&loaded, number, &bounded(options, STATES_MAX));
            let (states, _) = counts(&outcome);
            let found = verdict(&outcome);
            say(&format!(
                "{name} #{number} {text}: {found}, {states} states"
            ));
            assert!(!matches!(outcome.verdict, Verdict::Error(_)), "{found}");
        }
    }
}

#[test]
fn what_is_not_supported_is_said_with_its_place() {
    let Some(corpus) = corpus("what_is_not_supported_is_said_with_its_place") else {
        return;
    };
    for (name, path) in scripts(&corpus) {
        let loaded = sound(&path);
        for number in 1..=loaded.script.assertions.len() {
            if decided(&loaded.script, number) {
                continue;
            }
            let options = options(None, StrategyKind::default(), 1);
            let outcome = check(&loaded, number, &options);
            let Verdict::Error(failure) = &outcome.verdict else {
                panic!("{name} #{number}: {:?}", outcome.verdict);
            };
            let place = loaded
                .sources
                .place(loaded.script.assertions[number - 1].span);
            assert!(failure.summary.contains(&place), "{}", failure.summary);
            assert!(failure.detail.contains("E0601"), "{}", failure.detail);
        }
    }
}
