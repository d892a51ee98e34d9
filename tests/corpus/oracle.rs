//! State and transition counts against those obtained independently of this project.

use crate::support::tiers;
use std::path::Path;

use crate::support::oracle;
use crate::support::sized::list_stack;
use orbitscope::check::{Check, CheckVerdict, Options};
use orbitscope::script::load::load_text;
use orbitscope::search::breadth_first::SearchControl;
use orbitscope::search::represented::Represented;
use orbitscope::source::Cancel;
use orbitscope::symmetry::StrategyKind;

/// Reduced runs with more states than this are left to `--ignored`.
const REDUCED_MAX: u64 = 700_000;
/// Unreduced runs likewise.
const UNREDUCED_MAX: u128 = 5_000_000;

/// Figures of a check that has to hold.
struct Found {
    states: u64,
    transitions: u64,
    represented: Option<Represented>,
}

fn search(text: &str, options: &Options) -> Found {
    let loaded = load_text(Path::new("list_stack.csp"), text);
    assert!(!loaded.has_errors(), "{:?}", loaded.diagnostics);
    let cancel = Cancel::default();
    let mut check = Check::prepare(&loaded, 0, options, &cancel).expect("the script compiles");
    let mut control = SearchControl {
        threads: options.threads,
        collapse_after: options.collapse_after,
        limits: &options.limits,
        cancel: &cancel,
        progress: &mut |_| {},
    };
    let outcome = check.run(&mut control).expect("the check runs");
    assert_eq!(outcome.verdict, CheckVerdict::Holds);
    let statistics = outcome.statistics;
    Found {
        states: statistics.figures.states as u64,
        transitions: statistics.figures.steps.transitions,
        represented: statistics.represented,
    }
}

fn run(text: &str, options: &Options) -> (u64, u64) {
    let found = search(text, options);
    (found.states, found.transitions)
}

/// One row of the table.
struct Row {
    /// Nodes, threads, data.
    size: String,
    /// The script of that size.
    text: String,
    types: Vec<String>,
    reduced: (u64, u64),
    unreduced: Option<(u128, u128)>,
}

impl Row {
    fn read(script: &str, line: &str) -> Self {
        let fields: Vec<&str> = line.split('\t').collect();
        let mut sizes = fields[1].split(',').map(|n| n.parse().expect("a size"));
        let sizes = [(); 3].map(|()| sizes.next().expect("three sizes"));
        let number = |at: usize| fields.get(at).and_then(|f| f.parse::<u128>().ok());
        let reduced = |at| number(at).expect("a number") as u64;
        let types = fields[2].split(',');
        let types = types.map(|t| if t == "NodeID" { "NodeIDType" } else { t }.to_owned());
        Self {
            size: fields[1].to_owned(),
            text: list_stack(script, sizes),
            types: types.collect(),
            reduced: (reduced(3), reduced(4)),
            unreduced: number(5).zip(number(6)),
        }
    }

    fn options(&self) -> Options {
        Options {
            symmetry: Some(true),
            types: self.types.clone(),
            ..Options::default()
        }
    }

    /// Searches the row reduced, and counts what that stands for.
    fn agrees_in_full(&self) {
        let options = Options {
            count_full: self.unreduced.is_some(),
            keeping: StrategyKind::Exact.into(),
            ..self.options()
        };
        let found = search(&self.text, &options);
        assert_eq!(
            (found.states, found.transitions),
            self.reduced,
            "{}",
            self.size
        );
        let represented = found.represented.map(|r| (r.states, r.transitions));
        assert_eq!(
            represented,
            self.unreduced.map(|(s, t)| (s.into(), t.into())),
            "{}",
            self.size
        );
    }
}

fn rows(test: &str) -> Option<Vec<Row>> {
    let oracle = oracle(test)?;
    let read = |name| std::fs::read_to_string(oracle.join(name)).expect("it is readable");
    let (script, table) = (read("list_stack.csp"), read("list_stack_counts.tsv"));
    let lines = table.lines().filter(|l| !l.starts_with('#'));
    Some(lines.map(|line| Row::read(&script, line)).collect())
}

#[test]
fn list_stack_counts_agree() {
    if !tiers::has_time("list_stack_counts_agree") {
        return;
    }
    let Some(rows) = rows("list_stack_counts_agree") else {
        return;
    };
    let (mut reduced_rows, mut unreduced_rows) = (0, 0);
    for row in rows {
        if row.reduced.0 <= REDUCED_MAX {
            let found = run(&row.text, &row.options());
            assert_eq!(
                found, row.reduced,
                "reduced {} by {:?}",
                row.size, row.types
            );
            reduced_rows += 1;
        }
        if let Some((states, transitions)) = row.unreduced
            && states <= UNREDUCED_MAX
        {
            let options = Options {
                symmetry: Some(false),
                ..Options::default()
            };
            let (found, moves) = run(&row.text, &options);
            let found = (u128::from(found), u128::from(moves));
            assert_eq!(found, (states, transitions), "unreduced {}", row.size);
            unreduced_rows += 1;
        }
    }
    assert!(reduced_rows >= 13 && unreduced_rows >= 6);
}

/// What reduced searches stand for is what unreduced ones find, or would find.
#[test]
fn represented_counts_agree() {
    let Some(rows) = rows("represented_counts_agree") else {
        return;
    };
    let small = rows.iter().filter(|row| row.reduced.0 <= 100_000);
    small.for_each(Row::agrees_in_full);
}

#[test]
#[ignore = "takes minutes"]
fn represented_counts_of_large_rows_agree() {
    let Some(rows) = rows("represented_counts_of_large_rows_agree") else {
        return;
    };
    let large = |row: &&Row| (100_001..10_000_000).contains(&row.reduced.0);
    rows.iter().filter(large).for_each(Row::agrees_in_full);
}

#[test]
#[ignore = "takes a quarter of an hour and 8 GB"]
fn represented_counts_of_the_largest_row_agree() {
    let Some(rows) = rows("represented_counts_of_the_largest_row_agree") else {
        return;
    };
    let largest = rows.iter().max_by_key(|row| row.reduced.0);
    largest.expect("there is one").agrees_in_full();
}

/// The script as it stands, without any tag on its assertion, by the default options: what a person
/// gets who checks it.
#[test]
fn the_running_example_is_reduced_to_its_orbits() {
    let Some(oracle) = oracle("the_running_example_is_reduced_to_its_orbits") else {
        return;
    };
    let text =
        std::fs::read_to_string(oracle.join("list_stack.csp")).expect("the script is readable");
    for threads in [1, 2, 8] {
        let options = Options {
            threads,
            ..Options::default()
        };
        assert_eq!(run(&text, &options), (99_429, 287_502), "{threads} threads");
    }
}
