//! The rules of the source tree that no compiler checks: what only one folder knows, how long a file may be, and what
//! must not be written at all.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use crate::support::scan::{code_of, without_tests};

/// Names that belong to some folders or files alone.
const ONLY_IN: [(&str, &[&str]); 13] = [
    ("pest", &["src/language/syntax/"]),
    ("annotate_snippets", &["src/language/source/"]),
    ("fxhash", &["src/language/source/"]),
    ("indexmap", &["src/language/source/"]),
    ("lz4_flex", &["src/engine/spill/"]),
    ("blake3", &["src/engine/mesh/"]),
    ("lsp_types", &["src/lsp/"]),
    ("ratatui", &["src/tui/"]),
    ("crossterm", &["src/tui/"]),
    ("clap", &["src/cli/"]),
    ("rustix", &["src/language/source/", "src/tui/"]),
    ("stdout", &["src/cli/", "src/tui/", "src/lsp/"]),
    (
        "spawn",
        &[
            "src/language/source/threads.rs",
            // Each connection is read, and signs of life are sent, while a search works.
            "src/engine/mesh/link.rs",
            // Strangers that say nothing do not keep others waiting.
            "src/engine/mesh/desk.rs",
            "src/cli/process_args.rs",
            // Another process for each check, and a thread that sees the end of the one that started it.
            "src/cli/worker.rs",
            "src/cli/ssh_worker.rs",
            "src/animate/worker.rs",
            "src/animate/checker.rs",
            // A read that may wait for ever waits beside the program, so that a signal ends it.
            "src/language/source/read.rs",
            // The parser does not look at limits within one declaration.
            "src/cli/watchdog.rs",
            "src/tui/terminal.rs",
            "src/tui/watch.rs",
            // Looks at files of the script; an engine that is not needed any more ends beside the screen.
            "src/tui/disk.rs",
            "src/tui/outside.rs",
            // tmux takes a text for the clipboard.
            "src/tui/clipboard.rs",
            "src/lsp/",
        ],
    ),
];

const LINES_MAX: usize = 600;

/// What outside tests would end the program.
const ENDS: [&str; 6] = [
    ".unwrap()",
    ".expect(",
    "panic!(",
    "unreachable!(",
    "process::exit(",
    "low_level::exit(",
];

/// Where it may stand, and why.
const MAY_END: [(&str, &str, &str); 5] = [
    (
        "src/cli/process_args.rs",
        "process::exit(",
        "the process that started this one is lost, and what this one computes does not look",
    ),
    (
        "src/cli/watchdog.rs",
        "process::exit(",
        "a limit is reached or a signal came, and the parser is in a declaration of many megabytes",
    ),
    (
        "src/cli/worker.rs",
        "process::exit(",
        "what this process computes is of no use any more, and may not look: another process of the check has ended",
    ),
    (
        "src/tui/terminal.rs",
        "panic!(\"",
        "asked for by an environment variable, to test that the terminal is given back",
    ),
    (
        "src/tui/watch.rs",
        "low_level::exit(",
        "a signal came, or the terminal went away, and the screen hangs in reading or writing it",
    ),
];

pub struct Source {
    /// Below the root, with `/`.
    pub path: String,
    pub text: String,
    /// Comments and the contents of literals are blank.
    code: String,
}

impl Source {
    pub fn new(path: &str, text: &str) -> Self {
        Self {
            path: path.to_owned(),
            text: text.to_owned(),
            code: code_of(text),
        }
    }

    /// The code that is compiled into the program. Tests may reach across folders and may fail: that
    /// is what they are for.
    pub fn program(&self) -> String {
        let test_file = self.path.contains("/tests/") || self.path.ends_with("/tests.rs");
        if test_file {
            String::new()
        } else {
            without_tests(&self.code)
        }
    }
}

pub fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// All files below a folder, sorted.
pub fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let Ok(entries) = std::fs::read_dir(folder) else {
        return found;
    };
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(files(&path));
        } else {
            found.push(path);
        }
    }
    found.sort();
    found
}

pub fn sources(folders: &[&str]) -> Vec<Source> {
    let mut found = Vec::new();
    for path in folders.iter().flat_map(|f| files(&root().join(f))) {
        if path.extension().is_some_and(|e| e == "rs") {
            let text = std::fs::read_to_string(&path).expect("a source file is text");
            found.push(Source::new(&relative(&path), &text));
        }
    }
    assert!(!found.is_empty(), "no sources in {folders:?}");
    found
}

pub fn relative(path: &Path) -> String {
    let below = path.strip_prefix(root()).expect("files are below the root");
    below.to_string_lossy().replace('\\', "/")
}

/// Every word of a text that stands alone, with its line.
pub fn words<'a>(code: &'a str, word: &'a str) -> impl Iterator<Item = (usize, &'a str)> {
    let inside = |c: char| c.is_alphanumeric() || c == '_';
    code.match_indices(word).filter_map(move |(at, _)| {
        let before = code[..at].chars().next_back();
        let after = &code[at + word.len()..];
        let alone = !before.is_some_and(inside) && !after.chars().next().is_some_and(inside);
        alone.then(|| (line_of(code, at), after))
    })
}

pub fn line_of(code: &str, at: usize) -> usize {
    code[..at].matches('\n').count() + 1
}

fn misplaced_names(source: &Source) -> Vec<String> {
    let code = source.program();
    let mut found = Vec::new();
    for (name, places) in ONLY_IN {
        let at_home = places.iter().any(|p| source.path.starts_with(p));
        if at_home {
            continue;
        }
        for (line, _) in words(&code, name) {
            found.push(format!(
                "{}:{line}: `{name}` belongs to {places:?}",
                source.path
            ));
        }
    }
    found
}

fn endings(source: &Source) -> Vec<String> {
    let code = source.program();
    let mut found = Vec::new();
    for (n, line) in code.lines().enumerate() {
        for what in ENDS.iter().filter(|what| line.contains(**what)) {
            let excused = MAY_END
                .iter()
                .any(|(path, text, _)| source.path.starts_with(path) && line.contains(text));
            if !excused {
                found.push(format!("{}:{}: `{what}`", source.path, n + 1));
            }
        }
    }
    found
}

fn unfinished(source: &Source) -> Vec<String> {
    let marks = ["todo", "unimplemented", "dbg"];
    let mut found = Vec::new();
    for mark in marks {
        for (line, after) in words(&source.code, mark) {
            if after.starts_with('!') {
                found.push(format!("{}:{line}: `{mark}!`", source.path));
            }
        }
    }
    found
}

/// Paths that exist on somebody's machine only.
fn machine_paths(path: &str, text: &str) -> Vec<String> {
    let roots = ["work", "home", "root", "Users", "mnt", "var/folders"];
    let mut found = Vec::new();
    for (n, line) in text.lines().enumerate() {
        for root in roots {
            let needle = format!("/{root}/");
            let from_root = line.match_indices(&needle).any(|(at, _)| {
                let before = line[..at].chars().next_back();
                !before.is_some_and(|c| c.is_alphanumeric() || matches!(c, '.' | '_' | '-' | '}'))
            });
            if from_root {
                found.push(format!("{path}:{}: {}", n + 1, line.trim()));
            }
        }
    }
    found
}

#[track_caller]
pub fn none(what: &str, found: &[String]) {
    let mut list = String::new();
    for line in found {
        let _ = writeln!(list, "  {line}");
    }
    assert!(found.is_empty(), "{what}:\n{list}");
}

pub fn complaints(folders: &[&str], rule: impl Fn(&Source) -> Vec<String>) -> Vec<String> {
    sources(folders).iter().flat_map(rule).collect()
}

#[test]
fn every_file_says_what_it_is() {
    let silent: Vec<String> = sources(&["src", "tests", "benches", "examples"])
        .into_iter()
        .filter(|s| !s.text.starts_with("//! ") && s.path != "src/lib.rs")
        .map(|s| s.path)
        .collect();
    none("files without a first line of documentation", &silent);
}

#[test]
fn what_only_one_folder_knows() {
    none("misplaced names", &complaints(&["src"], misplaced_names));
    let stray = Source::new("src/engine/check/run.rs", "use ratatui::Frame;");
    assert_eq!(misplaced_names(&stray).len(), 1);
}

#[test]
fn files_are_short() {
    let long = |source: &Source| {
        let lines = source.text.lines().count();
        let complaint = format!("{} has {lines} lines, at most {LINES_MAX}", source.path);
        (lines > LINES_MAX)
            .then_some(complaint)
            .into_iter()
            .collect()
    };
    none(
        "long files",
        &complaints(&["src", "tests", "benches", "examples"], long),
    );
}

#[test]
fn nothing_ends_the_program() {
    none("ways to end the program", &complaints(&["src"], endings));
    let bad = "fn f(x: Option<u8>) -> u8 { x.unwrap() }";
    assert_eq!(
        endings(&Source::new("src/language/eval/run.rs", bad)).len(),
        1
    );
    let test = format!("#[cfg(test)]\nmod tests {{ {bad} }}");
    assert_eq!(
        endings(&Source::new("src/language/eval/run.rs", &test)),
        [""; 0]
    );
}

/// What compares the code of a diagnostic: codes are for people, kinds are for the program.
fn steered_by_codes(source: &Source) -> Vec<String> {
    let compared = [
        ".code ==",
        ".code !=",
        ".code.starts_with",
        "match d.code",
        "match error.code",
    ];
    let code = source.program();
    let lines = code.lines().enumerate();
    let lines = lines.filter(|(_, line)| compared.iter().any(|what| line.contains(what)));
    // A key has a code of its own.
    let lines = lines.filter(|_| source.folder() != Some("tui"));
    lines
        .map(|(n, line)| format!("{}:{}: {}", source.path, n + 1, line.trim()))
        .collect()
}

#[test]
fn nothing_is_steered_by_codes() {
    none("codes compared", &complaints(&["src"], steered_by_codes));
    let bad = "fn f(d: &Diagnostic) -> bool { d.code == OTHER }";
    assert_eq!(
        steered_by_codes(&Source::new("src/language/eval/run.rs", bad)).len(),
        1
    );
}

#[test]
fn nothing_is_unfinished() {
    let folders = ["src", "tests", "benches", "examples"];
    none("unfinished code", &complaints(&folders, unfinished));
    let mark = format!("fn f() {{ {}!() }}", "todo");
    assert_eq!(
        unfinished(&Source::new("src/language/eval/run.rs", &mark)).len(),
        1
    );
}

#[test]
fn no_paths_of_one_machine() {
    let mut found = Vec::new();
    let folders = [
        "src", "tests", "benches", "examples", "models", "grammar", "assets", ".ci",
    ];
    let tops = [
        "README.md",
        "CONTRIBUTING.md",
        "Cargo.toml",
        "clippy.toml",
        "rustfmt.toml",
    ];
    let all = folders.iter().flat_map(|f| files(&root().join(f)));
    for path in all.chain(tops.iter().map(|t| root().join(t))) {
        if let Ok(text) = std::fs::read_to_string(&path) {
            found.extend(machine_paths(&relative(&path), &text));
        }
    }
    none("paths of one machine", &found);
    let stray = format!("path = \"/{}/me\"", "home");
    assert_eq!(machine_paths("x", &stray).len(), 1);
    assert_eq!(machine_paths("x", "../work/y a/root/b"), [""; 0]);
}

/// Documents named in the text that are not in the repository.
fn missing_documents(source: &Source) -> Vec<String> {
    let mut found = Vec::new();
    for (n, line) in source.text.lines().enumerate() {
        for (at, _) in line.match_indices(".md") {
            let name: String = line[..at]
                .chars()
                .rev()
                .take_while(|c| c.is_ascii_uppercase())
                .collect();
            let name: String = name.chars().rev().collect();
            let known = matches!(
                &*name,
                "" | "README" | "CHANGELOG" | "ARCHITECTURE" | "CONTRIBUTING" | "SYSTEMS"
            );
            if !known {
                found.push(format!("{}:{}: {name}.md", source.path, n + 1));
            }
        }
    }
    found
}

#[test]
fn documents_exist() {
    let folders = ["src", "tests", "benches", "examples"];
    none(
        "missing documents",
        &complaints(&folders, missing_documents),
    );
    let stray = Source::new("x.rs", &format!("// see {}.md", "NOWHERE"));
    assert_eq!(missing_documents(&stray).len(), 1);
}

#[test]
fn commands_are_documented() {
    for command in orbitscope::tui::registry::all() {
        let id = command.id;
        assert!(!command.name.is_empty(), "{id} has no name");
        assert!(command.description.len() > 10, "{id} has no description");
        assert!(command.description.ends_with(['.', '?']), "{id}");
        assert!(!command.keys.is_empty(), "{id} has no key");
    }
}

/// Files of tests that no `main.rs` names: they would be compiled by nobody.
#[test]
fn no_test_file_is_forgotten() {
    let mut forgotten = Vec::new();
    let all = sources(&["tests"]);
    for source in &all {
        let Some((folder, file)) = source.path.rsplit_once('/') else {
            continue;
        };
        if matches!(file, "main.rs" | "mod.rs") {
            continue;
        }
        let entry = all
            .iter()
            .find(|s| [format!("{folder}/main.rs"), format!("{folder}/mod.rs")].contains(&s.path));
        let module = format!("mod {};", file.trim_end_matches(".rs"));
        if !entry.is_some_and(|e| e.code.contains(&module)) {
            forgotten.push(source.path.clone());
        }
    }
    none("forgotten tests", &forgotten);
}
