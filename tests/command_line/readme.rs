//! The README tells the truth: its commands print what it says, its keys exist, and its table of
//! models lists what there is.

use std::path::{Path, PathBuf};
use std::process::Command;

use orbitscope::tui::registry;

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn readme() -> String {
    std::fs::read_to_string(root().join("README.md")).expect("the README is text")
}

/// Runs the program in the root of the repository.
fn orbitscope(args: &[&str]) -> (String, Option<i32>) {
    let output = Command::new(env!("CARGO_BIN_EXE_orbitscope"))
        .args(args)
        .current_dir(root())
        .output()
        .expect("the program starts");
    let text = String::from_utf8(output.stdout).expect("results are text");
    (text, output.status.code())
}

/// The text with every time turned into `TIME`.
fn without_times(text: &str) -> String {
    let lines: Vec<String> = text
        .lines()
        .map(|line| match line.rsplit_once(", ") {
            Some((before, time)) if time.ends_with(" s") => format!("{before}, TIME"),
            _ => line.trim_end().to_owned(),
        })
        .collect();
    lines.join("\n").trim_end().to_owned()
}

/// The cells of the rows of the table whose heading begins with `heading`.
fn table(heading: &str) -> Vec<Vec<String>> {
    let readme = readme();
    let start = format!("| {heading} |");
    let rows = readme
        .lines()
        .skip_while(|line| !line.starts_with(&start))
        .skip(2)
        .take_while(|line| line.starts_with('|'));
    let cells = |line: &str| -> Vec<String> {
        let inner = line.trim_matches('|');
        inner.split('|').map(|c| c.trim().to_owned()).collect()
    };
    let found: Vec<_> = rows.map(cells).collect();
    assert!(!found.is_empty(), "there is no table `{heading}`");
    found
}

#[test]
fn commands_print_what_it_says() {
    let readme = readme();
    let mut blocks = 0;
    for block in readme.split("```console\n$ orbitscope ").skip(1) {
        let block = block.split("\n```").next().unwrap_or_default();
        let (args, expected) = block.split_once('\n').expect("a command and its output");
        let args: Vec<&str> = args.split(' ').collect();
        let (output, _) = orbitscope(&args);
        assert_eq!(without_times(&output), without_times(expected), "{args:?}");
        blocks += 1;
    }
    assert!(blocks >= 2);
}

#[test]
fn keys_exist() {
    let known = |key: &str| registry::all().any(|c| c.keys.contains(&key));
    // `ma` is `m` with one of the letters that may follow.
    let lettered = |key: &str| {
        let first = key.strip_suffix('a').filter(|first| !first.is_empty());
        first.is_some_and(|first| known(&format!("{first} letter")))
    };
    let bound = |key: &str| known(key) || lettered(key);
    for row in table("key") {
        for key in row[0].split(", ") {
            let key = key.trim_matches('`');
            assert!(bound(key), "no command has the key `{key}`");
        }
    }
}

/// The verdicts in words such as `1 and 2 hold, 3 fails`.
fn verdicts(words: &str) -> Vec<(usize, bool)> {
    let mut found = Vec::new();
    for part in words.split(", ") {
        let holds = part.ends_with("hold") || part.ends_with("holds");
        assert!(holds || part.ends_with("fail") || part.ends_with("fails") || part == "–");
        let numbers = part.split(' ').filter_map(|word| word.parse().ok());
        found.extend(numbers.map(|n| (n, holds)));
    }
    found
}

#[test]
fn models_do_what_it_says() {
    let mut listed = Vec::new();
    for row in table("file") {
        let path = row[0].trim_matches('`').to_owned();
        let (output, code) = orbitscope(&["check", "-q", &path]);
        let shown: Vec<(usize, bool)> = output
            .lines()
            .filter_map(|line| {
                let (number, _) = line.split_once("  ")?;
                let number: usize = number.parse().ok()?;
                let mut rest = output.lines().skip_while(|other| *other != line).skip(1);
                Some((number, rest.next()?.trim().starts_with("holds")))
            })
            .collect();
        assert_eq!(shown, verdicts(&row[2]), "{path}");
        let expected = i32::from(shown.iter().any(|(_, holds)| !holds));
        assert_eq!(code, Some(expected), "{path}");
        listed.push(path);
    }
    let shipped = std::fs::read_dir(root().join("models")).expect("there are models");
    let mut shipped: Vec<String> = shipped
        .flatten()
        .map(|e| format!("models/{}", e.file_name().to_string_lossy()))
        .collect();
    shipped.sort();
    listed.sort();
    assert_eq!(listed, shipped);
}

#[test]
fn links_lead_somewhere() {
    let readme = readme();
    for after in readme.split("](").skip(1) {
        let target = after.split(')').next().unwrap_or_default();
        if !target.starts_with("http") {
            assert!(root().join(Path::new(target)).exists(), "{target}");
        }
    }
}
