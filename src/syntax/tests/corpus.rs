//! Real scripts and exact trees, where the collection stands beside the checkout.

use std::path::PathBuf;

use crate::source::Severity;
use crate::syntax::{parse_expression, parse_file};

/// A file of the collection, or nothing (said aloud) if there is none.
fn shared(name: &str) -> Option<PathBuf> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("../shared")
        .join(name);
    if path.exists() {
        return Some(path);
    }
    #[expect(clippy::print_stderr, reason = "a skipped test must be visible")]
    {
        eprintln!("skipped: {name} is not beside this checkout");
    }
    None
}

#[test]
fn list_stack() {
    let Some(path) = shared("oracle/list_stack.csp") else {
        return;
    };
    let parsed = parse_file(&path);
    assert!(parsed.diagnostics.is_empty(), "{:?}", parsed.diagnostics);
    assert_eq!(parsed.file.decls.len(), 29);
}

#[test]
fn scripts_accepted_by_the_reference_parse() {
    let Some(table) = shared("corpus/FRONTEND.tsv") else {
        return;
    };
    let root = table.parent().expect("a directory").to_path_buf();
    let text = std::fs::read_to_string(&table).expect("readable");
    let mut wrong = Vec::new();
    let mut accepted = 0;
    for line in text.lines().skip(1) {
        let mut columns = line.split('\t');
        let (Some(name), Some(status)) = (columns.next(), columns.next()) else {
            continue;
        };
        let parsed = parse_file(&root.join(name));
        let error = parsed
            .diagnostics
            .iter()
            .find(|d| d.severity == Severity::Error);
        match (status, error) {
            ("OK", Some(e)) | ("FAIL:type", Some(e)) => {
                let place = e.span.map(|s| parsed.sources.place(s)).unwrap_or_default();
                wrong.push(format!("{status} {name}: {place} {}", e.message));
            }
            ("FAIL:parse", None) => wrong.push(format!("accepted: {name}")),
            ("FAIL:parse", Some(e)) => {
                let place = e.span.map(|s| parsed.sources.place(s)).unwrap_or_default();
                println!(
                    "{}: {place} {} {}",
                    parsed.diagnostics.len(),
                    e.message,
                    e.label
                );
            }
            ("FAIL:rename", Some(e)) => {
                let place = e.span.map(|s| parsed.sources.place(s)).unwrap_or_default();
                println!("RENAME {name}: {place} {} {}", e.message, e.label);
            }
            _ => accepted += 1,
        }
    }
    assert!(
        wrong.is_empty(),
        "{accepted} agree; {} not:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}
