//! Verdicts at sizes 1 to 6 of a datatype, as programs that share nothing with this one found them; and what is proved
//! of all sizes, held to them.

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::support::{repository, say, tiers};
use orbitscope::check::Options;
use orbitscope::report::families::{FamilyOutcome, FamilyRequest, SizeRow};
use orbitscope::report::family_proofs::Proof;
use orbitscope::report::outcome::Verdict;
use orbitscope::script::sizes::SizedScript;
use orbitscope::source::{Bounds, Cancel};

/// A row of the table.
struct Wanted {
    script: String,
    name: String,
    assertion: usize,
    /// `p` holds, `f` fails, `e` error, `?` not known.
    verdicts: String,
}

fn wanted(text: &str) -> Vec<Wanted> {
    let rows = text.lines().filter(|line| !line.starts_with('#'));
    let row = |line: &str| {
        let cells: Vec<&str> = line.split('\t').collect();
        Wanted {
            script: cells[0].split(' ').next().expect("a script").to_owned(),
            name: cells[1].to_owned(),
            assertion: cells[2].parse().expect("a number"),
            verdicts: cells[3].to_owned(),
        }
    };
    rows.map(row).collect()
}

/// The text of a script, which is a model, in the corpus, or beside the table.
fn text_of(script: &str, families: &Path) -> (PathBuf, String) {
    let corpus = families.join("../../corpus");
    let places = [repository(""), corpus, families.to_owned()];
    let mut found = places.iter().map(|place| place.join(script));
    let path = found.find(|path| path.exists()).expect("the script");
    let bytes = std::fs::read(&path).expect("the script can be read");
    let text = String::from_utf8_lossy(&bytes).into_owned();
    // The table is about three nodes and three threads.
    let text = match script {
        "models/list_stack.csp" => {
            let small = |line: &str| match line.split_whitespace().nth(1) {
                Some("NodeIDType") => "datatype NodeIDType = Null | N0 | N1 | N2".to_owned(),
                Some("ThreadID") if line.starts_with("datatype") => {
                    "datatype ThreadID = T0 | T1 | T2".to_owned()
                }
                _ => line.to_owned(),
            };
            text.lines().map(small).collect::<Vec<_>>().join("\n")
        }
        _ => text,
    };
    (path, text)
}

fn letter(row: &SizeRow) -> char {
    match row.outcome.verdict {
        Verdict::Holds => 'p',
        Verdict::Fails => 'f',
        Verdict::Error(_) => 'e',
        Verdict::Approximate(_) | Verdict::Inconclusive(_) => '?',
    }
}

fn checked(wanted: &Wanted, families: &Path, most: usize, seconds: u64) -> FamilyOutcome {
    let (path, text) = text_of(&wanted.script, families);
    let bounds = Bounds::default();
    let script = SizedScript::of_text(&path, &text, &bounds);
    let written = script.as_written(&bounds);
    let options = Options {
        threads: 1,
        ..Options::default()
    };
    let request = FamilyRequest {
        script: &script,
        written: &written,
        of: std::slice::from_ref(&wanted.name),
        sizes: 1..=most,
        options: &options,
        timeout: Some(Duration::from_secs(seconds)),
        proves: true,
        cancel: &Cancel::default(),
    };
    request.run(wanted.assertion, &mut |_, _| {})
}

/// What was found of one row, compared with the table. Returns what was proved.
fn compared(wanted: &Wanted, found: &FamilyOutcome) -> String {
    let place = format!("{} {} {}", wanted.script, wanted.name, wanted.assertion);
    let expected: Vec<char> = wanted.verdicts.chars().collect();
    let Some(name) = found.names.first() else {
        // An assertion that does not depend on it has one verdict.
        if found.refused.is_empty() {
            assert!(expected.iter().all(|v| *v == expected[0]), "{place}");
            return "it does not depend on it".to_owned();
        }
        assert!(
            expected.iter().all(|v| *v == 'e'),
            "{place}: it has no size"
        );
        return "no size".to_owned();
    };
    for row in name.rows.iter().filter(|row| row.size <= expected.len()) {
        let (found, expected) = (letter(row), expected[row.size - 1]);
        // Limits differ.
        let is_known = found != '?' && expected != '?';
        assert!(
            !is_known || found == expected,
            "{place} at {}: {found}",
            row.size
        );
    }
    match &name.proof {
        Proof::Proved(proved) => {
            for (size, verdict) in (1..)
                .zip(&expected)
                .filter(|(size, _)| *size >= proved.from)
            {
                let holds = if proved.holds { 'p' } else { 'f' };
                assert!(
                    [holds, '?', 'e'].contains(verdict),
                    "{place}: {proved:?} at {size}"
                );
            }
            format!("{} {}", proved.theorem.name(), proved.from)
        }
        Proof::Unproved(reasons) => {
            let each = reasons.iter().map(|r| r.reason.why.as_str());
            each.collect::<Vec<_>>().join("; ")
        }
        other => panic!("{place}: {other:?}"),
    }
}

#[test]
fn sizes_have_the_verdicts_that_others_found() {
    let Some(families) = tiers::shared("oracle/families", "family_sizes") else {
        return;
    };
    let text = std::fs::read_to_string(families.join("SIZES.tsv")).expect("the table");
    let (most, seconds) = if tiers::is_thorough() {
        (6, 12)
    } else {
        (3, 1)
    };
    let is_trap = |wanted: &Wanted| !wanted.script.contains('/');
    for (n, wanted) in wanted(&text).iter().enumerate() {
        if !is_trap(wanted) && !tiers::takes(n) {
            continue;
        }
        let most = if is_trap(wanted) { 5 } else { most };
        let found = checked(wanted, &families, most, seconds);
        let proved = compared(wanted, &found);
        if tiers::is_thorough() {
            say(&format!(
                "{} {} {}: {proved}",
                wanted.script, wanted.name, wanted.assertion
            ));
        }
    }
}
