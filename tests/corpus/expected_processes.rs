//! The reference front end's own tests of processes: each must be strongly bisimilar to the
//! equations in its `-expected` file. A process with several such files may be written in several
//! ways there; here it must agree with all of them.

use crate::support::equations;
use crate::support::lts;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use crate::support::{corpus, say};
use orbitscope::eval::Evaluator;
use orbitscope::script::load::{Loaded, load_text};
use orbitscope::source::{Cancel, Limits, Severity};

/// States of a process and its equations together.
const STATES_MAX: usize = 100_000;

/// The name of the start of the equations in the script that is made of them.
const START: &str = "Equations";

/// Processes that cannot be explored, with the code of the message that says so, and why.
const NOT_EXPLORED: [(&str, &str, &str); 3] = [
    (
        "infinite_compression-procTest1",
        "E0411",
        "`P = normal(P)` has no first state",
    ),
    (
        "buffer-procTest2",
        "E0601",
        "what `WEAK_BUFFER` does when it is full is not documented",
    ),
    (
        "failure_watchdog-procTest1",
        "E0601",
        "what `failure_watchdog` does is not documented",
    ),
];

/// Expected texts without a process: the script was removed, or has no such process any more.
const GONE: [&str; 2] = ["event_channels-procTest1", "prefixing-phones-bug-procTest1"];

/// An expected text: the script, the process, and the file.
struct Case {
    script: PathBuf,
    process: String,
    file: PathBuf,
    /// Such as `let-procs-procTest5`.
    name: String,
}

/// The cases of a folder, in order.
fn cases(folder: &Path) -> Vec<Case> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).expect("the folder can be read") {
        let file = entry.expect("the folder can be read").path();
        let stem = file.file_stem().unwrap_or_default().to_string_lossy();
        let Some((name, _)) = stem.split_once("-expected") else {
            continue;
        };
        let (script, process) = name.rsplit_once('-').expect("script and process");
        found.push(Case {
            script: folder.join(format!("{script}.csp")),
            process: process.to_owned(),
            name: name.to_owned(),
            file: file.clone(),
        });
    }
    found.sort_by(|a, b| a.file.cmp(&b.file));
    found
}

fn evaluator(loaded: &Loaded) -> Evaluator {
    let script = Rc::clone(&loaded.script);
    Evaluator::new(script, &Limits::default(), Cancel::default())
}

/// The first error of a script, in words.
fn unsound(loaded: &Loaded) -> Option<String> {
    let mut all = loaded.diagnostics.iter();
    let first = all.find(|d| d.severity == Severity::Error)?;
    Some(format!("{} {}", first.code, first.message))
}

/// The script with the equations after it. A function that is declared in an inner scope only is
/// declared again.
fn with_equations(text: &str, equations: &equations::Translated) -> String {
    let mut all = text.to_owned();
    all.push('\n');
    for function in ["normal", "sbisim", "prioritise"] {
        let used = |line: &String| line.contains(&format!("{function}("));
        let declared = text.lines().any(|line| {
            (line.starts_with("transparent") || line.starts_with("external"))
                && line.contains(function)
        });
        if equations.definitions.iter().any(used) && !declared {
            let how = if function == "prioritise" {
                "external"
            } else {
                "transparent"
            };
            all.push_str(&format!("{how} {function}\n"));
        }
    }
    for definition in &equations.definitions {
        all.push_str(definition);
        all.push('\n');
    }
    all.push_str(&format!("{START} = {}\n", equations.start));
    all
}

/// States looked at, or what is wrong.
fn judge(case: &Case) -> Result<usize, String> {
    let text = std::fs::read_to_string(&case.file).map_err(|e| e.to_string())?;
    let equations = equations::translate(&text).ok_or("the equations end early")?;
    let script = std::fs::read_to_string(&case.script).map_err(|e| e.to_string())?;
    let whole = with_equations(&script, &equations);
    let loaded = load_text(&case.script, &whole);
    if let Some(error) = unsound(&loaded) {
        return Err(format!("{error}\n{whole}"));
    }
    let mut e = evaluator(&loaded);
    let mut root = |name: &str| {
        let found = e.process_named(name);
        found.map_err(|d| format!("{} {}", d.code, d.message))
    };
    let (p, q) = (root(&case.process)?, root(START)?);
    match lts::bisimilar(&mut e, p, q, STATES_MAX)? {
        (true, states) => Ok(states),
        (false, _) => Err(format!("not bisimilar\n{whole}")),
    }
}

#[test]
fn every_expected_process_is_bisimilar_to_its_equations() {
    let Some(corpus) = corpus("expected_processes") else {
        return;
    };
    let folder = corpus.join("libcspm/tests/evaluator/should_pass");
    let (mut bisimilar, mut states) = (0, 0);
    let (mut wrong, mut gone) = (Vec::new(), Vec::new());
    for case in cases(&folder) {
        let text = std::fs::read_to_string(&case.file).expect("the file can be read");
        let script = std::fs::read_to_string(&case.script).unwrap_or_default();
        if !script.contains(&case.process) {
            // Left over from a script or process that is gone.
            gone.push(case.name);
            continue;
        }
        assert!(!text.trim().is_empty(), "{}", case.name);
        let result = judge(&case);
        let refused = NOT_EXPLORED.iter().find(|r| r.0 == case.name);
        match (result, refused) {
            (Ok(n), None) => {
                bisimilar += 1;
                states += n;
            }
            (Err(error), Some((_, code, _))) if error.starts_with(code) => {}
            (result, _) => wrong.push(format!("{}: {result:?}", case.name)),
        }
    }
    say(&format!(
        "expected processes: {bisimilar} bisimilar to their equations ({states} states), {} not explored, {} wrong",
        NOT_EXPLORED.len(),
        wrong.len()
    ));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(gone, GONE);
    assert!(bisimilar > 65, "{bisimilar}");
}

#[test]
fn processes_that_must_fail_say_why() {
    let Some(corpus) = corpus("expected_processes") else {
        return;
    };
    let expected = [
        ("ambiguous_buffer_event1", "E0445"),
        ("internal_choice", "E0420"),
        ("negative_buffer", "E0444"),
        ("prioritise_empty", "E0440"),
        ("prioritisepo_1", "E0442"),
        ("prioritisepo_2", "E0443"),
        ("prioritisepo_3", "E0441"),
        ("rep_internal_choice", "E0420"),
        ("rep_link_parallel", "E0420"),
    ];
    let folder = corpus.join("libcspm/tests/evaluator/should_fail");
    let mut found = Vec::new();
    for case in cases(&folder) {
        let text = std::fs::read_to_string(&case.script).expect("the script can be read");
        let loaded = load_text(&case.script, &text);
        assert_eq!(unsound(&loaded), None, "{}", case.name);
        let mut e = evaluator(&loaded);
        let explored = e
            .process_named(&case.process)
            .and_then(|root| lts::explore(&mut e, &[root], STATES_MAX));
        let error = explored
            .err()
            .unwrap_or_else(|| panic!("{} can be explored", case.name));
        assert!(error.span.is_some(), "{}: {error:?}", case.name);
        let stem = case.script.file_stem().unwrap_or_default();
        found.push((stem.to_string_lossy().into_owned(), error.code));
    }
    let found: Vec<(&str, &str)> = found.iter().map(|(name, code)| (&**name, *code)).collect();
    assert_eq!(found, expected);
}
