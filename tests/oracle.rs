//! State and transition counts against those obtained independently of this project.

use std::path::{Path, PathBuf};

use orbitscope::check::load::load_text;
use orbitscope::check::search::Control;
use orbitscope::check::{Check, Options, Verdict};
use orbitscope::source::Cancel;

/// Reduced runs with more states than this are left to the benchmarks.
const REDUCED_MAX: u64 = 700_000;
/// Unreduced runs likewise.
const UNREDUCED_MAX: u64 = 5_000_000;

fn oracle() -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/oracle");
    if path.is_dir() {
        return Some(path);
    }
    assert!(
        std::env::var_os("CI").is_none(),
        "{} is missing",
        path.display()
    );
    #[expect(clippy::print_stderr, reason = "a skipped test must be visible")]
    {
        eprintln!("skipped: {} is not there", path.display());
    }
    None
}

/// The script with other numbers of nodes, threads and data.
fn resized(text: &str, sizes: &[usize]) -> String {
    let names = |prefix: &str, n: usize| {
        (0..n)
            .map(|i| format!("{prefix}{i}"))
            .collect::<Vec<_>>()
            .join(" | ")
    };
    text.lines()
        .map(|line| {
            if line.starts_with("datatype NodeIDType") {
                format!("datatype NodeIDType = Null | {}\n", names("N", sizes[0]))
            } else if line.starts_with("datatype ThreadID") {
                format!("datatype ThreadID = {}\n", names("T", sizes[1]))
            } else if line.starts_with("datatype Data") {
                format!("datatype Data = {}\n", names("D", sizes[2]))
            } else {
                format!("{line}\n")
            }
        })
        .collect()
}

fn run(text: &str, options: &Options) -> (u64, u64) {
    let loaded = load_text(Path::new("list_stack.csp"), text);
    assert!(!loaded.has_errors(), "{:?}", loaded.diagnostics);
    let cancel = Cancel::default();
    let mut check = Check::prepare(&loaded, 0, options, &cancel).expect("the script compiles");
    let mut control = Control {
        threads: options.threads,
        limits: &options.limits,
        cancel: &cancel,
        progress: &mut |_| {},
    };
    let outcome = check.run(&mut control).expect("the check runs");
    assert_eq!(outcome.verdict, Verdict::Holds);
    let figures = outcome.statistics.figures;
    (figures.states as u64, figures.transitions)
}

#[test]
fn list_stack_counts_agree() {
    let Some(oracle) = oracle() else { return };
    let script =
        std::fs::read_to_string(oracle.join("list_stack.csp")).expect("the script is readable");
    let table = std::fs::read_to_string(oracle.join("list_stack_counts.tsv"))
        .expect("the table is readable");
    let (mut reduced_rows, mut unreduced_rows) = (0, 0);
    for line in table.lines().filter(|l| !l.starts_with('#')) {
        let fields: Vec<&str> = line.split('\t').collect();
        let sizes: Vec<usize> = fields[1]
            .split(',')
            .map(|n| n.parse().expect("a size"))
            .collect();
        let text = resized(&script, &sizes);
        let number = |at: usize| fields.get(at).and_then(|f| f.parse::<u64>().ok());
        let expected = (number(3).expect("states"), number(4).expect("transitions"));
        if expected.0 <= REDUCED_MAX {
            let types = fields[2]
                .split(',')
                .map(|t| if t == "NodeID" { "NodeIDType" } else { t }.to_owned());
            let options = Options {
                symmetry: Some(true),
                types: types.collect(),
                ..Options::default()
            };
            assert_eq!(
                run(&text, &options),
                expected,
                "reduced {} by {}",
                fields[1],
                fields[2]
            );
            reduced_rows += 1;
        }
        if let (Some(states), Some(transitions)) = (number(5), number(6))
            && states <= UNREDUCED_MAX
        {
            let options = Options {
                symmetry: Some(false),
                ..Options::default()
            };
            assert_eq!(
                run(&text, &options),
                (states, transitions),
                "unreduced {}",
                fields[1]
            );
            unreduced_rows += 1;
        }
    }
    assert!(reduced_rows >= 13 && unreduced_rows >= 6);
}

/// The script as it stands, without any tag on its assertion, by the default options: what a person
/// gets who checks it.
#[test]
fn the_running_example_is_reduced_to_its_orbits() {
    let Some(oracle) = oracle() else { return };
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
