//! Every script beside the checkout against the verdict of the reference front end: accepted, or
//! rejected and at which stage. Where this program differs on purpose, the difference is listed
//! with its reason.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::support::{corpus, repository, say};
use orbitscope::script::load::load;
use orbitscope::source::{Diagnostic, Severity};

/// The differences with their reasons: script, verdict of the reference, ours, reason.
const DIFFERENCES: &str = "tests/data/frontend_differences.tsv";

/// The stage of the reference that looks for what this error is about. A file that cannot be read is
/// an error of its parser; what stands where it may not (E0108), an option that is given twice
/// (E0110), a type that is not well-formed (E0113) and a pattern for a value or the reverse (E0132) are
/// found after parsing there, and still later sequence patterns that cannot be matched (E0206) and operators that have no timed form (E0224, E0225).
fn stage(code: &str) -> &'static str {
    match (code, code.get(..3)) {
        ("E0206" | "E0224" | "E0225", _) => "FAIL:desugar",
        ("E0108" | "E0110" | "E0113" | "E0132", _) | (_, Some("E02")) => "FAIL:rename",
        (_, Some("E01" | "E08")) => "FAIL:parse",
        (_, Some("E03")) => "FAIL:type",
        (_, Some("E06")) => "FAIL:unsupported",
        _ => "FAIL:other",
    }
}

/// The stages, the earliest first.
const STAGES: [&str; 6] = [
    "FAIL:parse",
    "FAIL:rename",
    "FAIL:unsupported",
    "FAIL:type",
    "FAIL:desugar",
    "FAIL:other",
];

/// Our verdict: the earliest stage at which something is wrong, and the first error of it.
fn verdict(diagnostics: &[Diagnostic]) -> (&'static str, String) {
    let errors = diagnostics.iter().filter(|d| d.severity == Severity::Error);
    let rank = |d: &&Diagnostic| STAGES.iter().position(|s| *s == stage(d.code));
    match errors.min_by_key(rank) {
        None => ("OK", String::new()),
        Some(first) => (
            stage(first.code),
            format!("{} {}", first.code, first.message),
        ),
    }
}

/// Script and verdict of the reference. `?` stands for scripts that it was not asked about.
fn table(corpus: &Path) -> Vec<(String, String)> {
    let text = std::fs::read_to_string(corpus.join("FRONTEND.tsv")).expect("the table is there");
    let rows = text.lines().filter(|line| !line.starts_with('#'));
    rows.filter_map(|line| {
        let mut columns = line.split('\t');
        Some((columns.next()?.to_owned(), columns.next()?.to_owned()))
    })
    .collect()
}

/// Our verdict on every script, on all processors.
fn verdicts(corpus: &Path, rows: &[(String, String)]) -> Vec<(&'static str, String)> {
    let next = AtomicUsize::new(0);
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let mut all: Vec<(usize, (&'static str, String))> = std::thread::scope(|scope| {
        let work = || {
            let mut done = Vec::new();
            loop {
                let at = next.fetch_add(1, Ordering::Relaxed);
                let Some((script, _)) = rows.get(at) else {
                    return done;
                };
                let loaded = load(&corpus.join(script), None).expect("no expression was given");
                done.push((at, verdict(&loaded.diagnostics)));
            }
        };
        let running: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        let joined = running.into_iter().map(|t| t.join().expect("no panic"));
        joined.flatten().collect()
    });
    all.sort();
    all.into_iter().map(|(_, verdict)| verdict).collect()
}

/// Script to reference's verdict, ours, and reason.
fn listed() -> BTreeMap<String, [String; 3]> {
    let text = std::fs::read_to_string(repository(DIFFERENCES)).expect("the list is there");
    let rows = text.lines().filter(|line| !line.starts_with('#'));
    rows.map(|line| {
        let columns: Vec<&str> = line.split('\t').collect();
        let [script, theirs, ours, reason] = columns[..] else {
            panic!("four columns are wanted: {line:?}");
        };
        assert!(reason.len() > 20, "no reason is given: {line:?}");
        let row = [theirs, ours, reason].map(str::to_owned);
        (script.to_owned(), row)
    })
    .collect()
}

#[test]
fn verdicts_are_those_of_the_reference_or_listed_with_a_reason() {
    let Some(corpus) = corpus("verdicts_are_those_of_the_reference_or_listed_with_a_reason") else {
        return;
    };
    let rows = table(&corpus);
    assert!(rows.len() > 700, "{}", rows.len());
    let mut listed = listed();
    let mut counts: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    let mut wrong = String::new();
    for ((script, theirs), (ours, why)) in rows.iter().zip(verdicts(&corpus, &rows)) {
        let count = counts.entry(theirs).or_default();
        count.0 += 1;
        count.1 += usize::from(theirs == ours);
        match listed.remove(script) {
            Some([reference, known, _]) if reference == *theirs && known == ours => {
                assert_ne!(theirs, ours, "{script} is listed, but is no difference");
            }
            Some([_, known, _]) => {
                let _ = writeln!(wrong, "{script}: listed as {known}, is {ours} {why}");
            }
            None if theirs != ours && theirs != "?" => {
                let _ = writeln!(wrong, "{script}: {theirs}, but here {ours} {why}");
            }
            None => {}
        }
    }
    for (verdict, (all, same)) in &counts {
        say(&format!("{verdict}: {same} of {all} scripts the same"));
    }
    for script in listed.keys() {
        let _ = writeln!(wrong, "{script}: listed, but not in the table");
    }
    assert!(wrong.is_empty(), "\n{wrong}");
}
