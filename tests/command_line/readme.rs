//! The README and the manual tell the truth: their commands print what they say, keys and options exist, links lead
//! somewhere, and the table of models lists what there is.

use std::path::{Path, PathBuf};
use std::process::Command;

use orbitscope::source::manual::{TOPICS, topic};
use orbitscope::source::markdown::{Style, show};
use orbitscope::tui::registry;

/// Bytes of a README that is read, and of a page that is.
const README_MAX: usize = 8_000;
const PAGE_MAX: usize = 6_000;

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// A document of the repository: its path, and what it says.
fn document(path: &str) -> (PathBuf, String) {
    let path = root().join(path);
    let text = std::fs::read_to_string(&path).expect("a document is text");
    (path, text)
}

/// The README and all pages of the manual.
fn documents() -> Vec<(PathBuf, String)> {
    let pages = std::fs::read_dir(root().join("assets/manual")).expect("there is a manual");
    let mut pages: Vec<String> = pages
        .flatten()
        .map(|entry| format!("assets/manual/{}", entry.file_name().to_string_lossy()))
        .collect();
    pages.sort();
    pages.insert(0, "README.md".to_owned());
    pages.iter().map(|path| document(path)).collect()
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

/// The cells of the rows of the table of a page whose heading begins with `heading`.
fn table(page: &str, heading: &str) -> Vec<Vec<String>> {
    let (_, page) = document(page);
    let start = format!("| {heading} |");
    let rows = page
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
    let mut blocks = 0;
    for (path, text) in documents() {
        for block in text.split("```console\n$ orbitscope ").skip(1) {
            let block = block.split("\n```").next().unwrap_or_default();
            let (args, expected) = block.split_once('\n').expect("a command and its output");
            let args = words(args);
            let args: Vec<&str> = args.iter().map(String::as_str).collect();
            let (output, _) = orbitscope(&args);
            let told = without_times(expected);
            assert_eq!(without_times(&output), told, "{}: {args:?}", path.display());
            blocks += 1;
        }
        // A command that is shown with what it prints is one that is run here.
        let other = text.matches("```console\n").count();
        let run = text.matches("```console\n$ orbitscope ").count();
        assert_eq!(other, run, "{}", path.display());
    }
    assert!(blocks >= 4);
}

/// The arguments of a command as a shell takes them, with single quotes at most.
fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    for (n, piece) in line.split('\'').enumerate() {
        match n % 2 {
            0 => words.extend(piece.split_whitespace().map(str::to_owned)),
            _ => words.push(piece.to_owned()),
        }
    }
    words
}

/// The pages are those of `orbitscope help`, short enough to be read, and shown within the width of a terminal.
#[test]
fn the_manual_is_complete() {
    let readme = document("README.md").1;
    assert!(readme.len() <= README_MAX, "{} bytes", readme.len());
    let pages = &documents()[1..];
    for (path, text) in pages {
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        let known = topic(&name).unwrap_or_else(|| panic!("no topic {name}"));
        assert_eq!(known.text, text, "{name}");
        assert!(text.len() <= PAGE_MAX, "{name} has {} bytes", text.len());
        assert!(
            text.starts_with("# ") && !known.title().is_empty(),
            "{name}"
        );
        for width in [60, 80, 100] {
            let shown = show(text, Style { width, bold: false });
            // What is code stays on its line, and a table is never narrower than its words.
            let prose = shown.lines().filter(|line| !line.starts_with("    "));
            let long = prose.filter(|line| line.chars().count() > width + 20);
            assert_eq!(long.collect::<Vec<_>>(), [""; 0], "{name} at {width}");
        }
    }
    assert_eq!(TOPICS.len(), pages.len(), "a topic without a page");
    let (list, _) = orbitscope(&["help"]);
    for topic in TOPICS {
        assert!(list.contains(topic.title()), "{} is not listed", topic.name);
        let (page, code) = orbitscope(&["help", topic.name]);
        assert!(page.starts_with(topic.title()) && code == Some(0));
    }
}

/// Options that are written about exist.
#[test]
fn options_exist() {
    let list = orbitscope(&["help"]).0;
    let commands = list.lines().filter(|line| line.starts_with("  "));
    let commands = commands.filter_map(|line| line.split_whitespace().next());
    let mut known = orbitscope(&["--help"]).0;
    for command in commands {
        let (text, code) = orbitscope(&[command, "--help"]);
        if code == Some(0) {
            known += &text;
        }
    }
    for below in ["list", "run", "check", "present", "notes"] {
        known += &orbitscope(&["lesson", below, "--help"]).0;
    }
    for below in ["verify", "synth", "invariant"] {
        known += &orbitscope(&["pattern", below, "--help"]).0;
    }
    let is_letter = |c: char| c.is_ascii_lowercase() || c == '-';
    for (path, text) in documents() {
        for (at, _) in text.match_indices(" --").chain(text.match_indices("`--")) {
            let rest = &text[at + 1..];
            let option = &rest[..rest.find(|c| !is_letter(c)).unwrap_or(rest.len())];
            // A dash, or an option of another program.
            if option.len() < 4
                || option.starts_with("---")
                || ["--release", "--path", "--open", "--health"].contains(&option)
            {
                continue;
            }
            let path = path.display();
            assert!(known.contains(option), "{path}: no command has {option}");
        }
    }
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
    for row in table("assets/manual/animate.md", "key") {
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
    for row in table("assets/manual/models.md", "file") {
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
    for (path, text) in documents() {
        let folder = path.parent().expect("a document is in a folder");
        for after in text.split("](").skip(1) {
            let target = after.split(')').next().unwrap_or_default();
            if !target.starts_with("http") {
                let there = folder.join(Path::new(target)).exists();
                assert!(there, "{}: {target}", path.display());
            }
        }
    }
}
