//! The reference front end's own tests of its evaluator, where the collection stands beside the
//! checkout: every constant `test…` of `should_pass` is true, and everything in `should_fail` fails
//! with a diagnostic that says where. Processes (`procTest…`) are tested elsewhere.

use crate::support::tiers;
use std::path::{Path, PathBuf};

use crate::support::{corpus, say};
use orbitscope::eval::Evaluator;
use orbitscope::script::core::GlobalKind;
use orbitscope::script::load::{Loaded, load};
use orbitscope::source::{Cancel, Limits, Severity};
use orbitscope::value::Data;

/// The scripts of a folder of the collection, or nothing (said aloud) if there is none.
fn scripts(folder: &str) -> Vec<PathBuf> {
    let Some(corpus) = corpus("evaluator_values") else {
        return Vec::new();
    };
    let root = corpus.join("libcspm/tests/evaluator").join(folder);
    let entries = std::fs::read_dir(&root).expect("the folder is there");
    let mut paths: Vec<PathBuf> = entries
        .map(|entry| entry.expect("readable").path())
        .filter(|path| path.extension().is_some_and(|e| e == "csp"))
        .collect();
    paths.sort();
    paths
}

fn name(path: &Path) -> String {
    path.file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned()
}

/// The errors of a script that was loaded.
fn errors(loaded: &Loaded) -> Vec<String> {
    let errors = loaded.diagnostics.iter();
    let errors = errors.filter(|d| d.severity == Severity::Error);
    errors
        .map(|d| format!("{} {}", d.code, d.message))
        .collect()
}

/// The constants of a script that are tests of values.
fn tests(loaded: &Loaded) -> Vec<String> {
    let constant = |kind: &GlobalKind| !matches!(kind, GlobalKind::Function(_));
    let globals = loaded.script.globals.iter();
    globals
        .filter(|g| {
            constant(&g.kind)
                && g.name
                    .rsplit("::")
                    .next()
                    .is_some_and(|n| n.starts_with("test"))
        })
        .map(|g| g.name.to_string())
        .collect()
}

fn evaluator(loaded: &Loaded) -> Evaluator {
    Evaluator::new(loaded.script.clone(), &Limits::default(), Cancel::default())
}

#[test]
fn every_test_of_values_is_true() {
    let paths = scripts("should_pass");
    if paths.is_empty() {
        return;
    }
    let (mut passed, mut wrong) = (0, Vec::new());
    for path in &paths {
        let file = name(path);
        let loaded = load(path, None).expect("no expression is given");
        let found = errors(&loaded);
        if !found.is_empty() {
            wrong.push(format!("{file}: not loaded: {}", found.join("; ")));
            continue;
        }
        for test in tests(&loaded) {
            // Each from the beginning: no test may rely on what another evaluated.
            let mut e = evaluator(&loaded);
            match e.value_named(&test) {
                Ok(v) if e.store().data(v) == &Data::Bool(true) => passed += 1,
                Ok(v) => wrong.push(format!("{file} {test}: {}", e.show(v))),
                Err(d) => wrong.push(format!("{file} {test}: {} {}", d.code, d.message)),
            }
        }
    }
    say(&format!(
        "{passed} tests of values in {} scripts are true",
        paths.len()
    ));
    assert_eq!(wrong, Vec::<String>::new());
    assert!(passed >= 254, "{passed}");
}

/// Scripts whose failure is one of processes: a test of these is elsewhere.
const OF_PROCESSES: [&str; 8] = [
    "ambiguous_buffer_event1.csp",
    "internal_choice.csp",
    "negative_buffer.csp",
    "prioritise_empty.csp",
    "prioritisepo_1.csp",
    "prioritisepo_2.csp",
    "prioritisepo_3.csp",
    "rep_internal_choice.csp",
];

#[test]
fn everything_that_should_fail_fails_with_a_place() {
    let paths = scripts("should_fail");
    let (mut failed, mut elsewhere) = (0, 0);
    for path in &paths {
        let file = name(path);
        if OF_PROCESSES.contains(&&*file) || file == "rep_link_parallel.csp" {
            elsewhere += 1;
            continue;
        }
        let loaded = load(path, None).expect("no expression is given");
        let found = errors(&loaded);
        assert_eq!(found, Vec::<String>::new(), "{file}");
        let tests = tests(&loaded);
        assert!(!tests.is_empty(), "{file}");
        for test in tests {
            let mut e = evaluator(&loaded);
            match e.value_named(&test) {
                Ok(v) => panic!("{file} {test}: {}", e.show(v)),
                Err(d) => {
                    assert_eq!(d.severity, Severity::Error);
                    assert!(
                        d.code.starts_with("E04"),
                        "{file} {test}: {} {}",
                        d.code,
                        d.message
                    );
                    let place = d.span.map(|s| loaded.sources.text(s).to_owned());
                    assert!(place.is_some_and(|text| !text.is_empty()), "{file} {test}");
                    failed += 1;
                }
            }
        }
    }
    say(&format!(
        "{failed} tests fail as they should; {elsewhere} scripts are about processes"
    ));
    assert!(paths.is_empty() || failed >= 8, "{failed}");
}

/// Constants that have no value, each with the code and the reason: part of the file's path, the
/// name (or nothing for all), the code.
const WITHOUT_VALUE: [(&str, &str, &str); 14] = [
    // They are there to fail.
    ("evaluator/should_fail/", "", "E04"),
    ("should_pass/call_stacks.csp", "useConstants", "E0419"),
    // `x = x`
    ("should_pass/basic_pattern_matching.csp", "loop", "E0411"),
    ("should_pass/basic_pattern_matching.csp", "t", "E0411"),
    ("should_pass/let_external_defined.csp", "P", "E0411"),
    ("should_pass/let_transparent_definition.csp", "P", "E0411"),
    // `P = normal(P)`
    ("should_pass/infinite_compression.csp", "P", "E0411"),
    ("should_pass/infinite_compression.csp", "procTest1", "E0411"),
    // `seq` of an infinite datatype.
    ("gCSPm/buffer_spec.csp", "NAMES_VALUES_SNA", "E0402"),
    ("gCSPm/buffer_spec.csp", "BINDINGS_SNA", "E0402"),
    // `{new_node.n | n <- Nodes}`, where the channel takes `Nodes_Not_Null`.
    (
        "concurrent-queue/queue-tests.csp",
        "mem::alphaMEMORY",
        "E0418",
    ),
    (
        "concurrent-queue/queue-tests.csp",
        "mem::alphaMEMORY_MANAGER",
        "E0418",
    ),
    // A million bindings; the subsets of a large relation.
    ("cases/hd/exhdnoschema", "BINDINGS_NAT", "E070"),
    ("CSP_Z/BufferSpec2", "HIDE_CSPB", "E070"),
];

/// Every constant of every script that the reference front end accepts.
#[test]
fn constants_of_accepted_scripts_evaluate() {
    if !tiers::has_time("constants_of_accepted_scripts_evaluate") {
        return;
    }
    let Some(corpus) = corpus("constants_of_accepted_scripts_evaluate") else {
        return;
    };
    let table = std::fs::read_to_string(corpus.join("FRONTEND.tsv")).expect("the table is there");
    let (mut scripts, mut constants, mut without, mut refused) = (0, 0, 0, 0);
    let mut wrong = Vec::new();
    for line in table.lines() {
        let mut cells = line.split('\t');
        let (Some(file), Some("OK")) = (cells.next(), cells.next()) else {
            continue;
        };
        let loaded = load(&corpus.join(file), None).expect("no expression is given");
        if loaded.has_errors() {
            continue;
        }
        scripts += 1;
        let mut e = bounded(&loaded);
        for global in &loaded.script.globals {
            if matches!(global.kind, GlobalKind::Function(_)) {
                continue;
            }
            constants += 1;
            let Err(d) = e.value_named(&global.name) else {
                continue;
            };
            if d.code.starts_with("E07") {
                e = bounded(&loaded);
            }
            let known = WITHOUT_VALUE.iter().any(|(path, name, code)| {
                file.contains(path)
                    && (name.is_empty() || global.name.starts_with(name))
                    && d.code.starts_with(code)
            });
            if known {
                without += 1;
            } else if d.code == "E0601" {
                refused += 1;
            } else {
                let name = &global.name;
                wrong.push(format!("{} {file} {name}: {}", d.code, d.message));
            }
        }
    }
    say(&format!(
        "{constants} constants of {scripts} scripts: {without} have no value, as expected, \
         {refused} need what is not supported, {} fail",
        wrong.len()
    ));
    assert_eq!(wrong, Vec::<String>::new());
}

/// An evaluator that gives up early.
fn bounded(loaded: &Loaded) -> Evaluator {
    let limits = Limits {
        depth_max: 20_000,
        values_max: 1 << 28,
        ..Limits::default().with_timeout(std::time::Duration::from_secs(10))
    };
    Evaluator::new(loaded.script.clone(), &limits, Cancel::default())
}
