//! Pages that tell how something is done, held to how it is done.

use super::tidy::{files, none, relative, root};
use orbitscope::symmetry::{StrategyKind, StructuralKind};

/// What the page on a subject says: from its bold heading to the next one.
fn page(heading: &str) -> String {
    let text = std::fs::read_to_string(root().join("src/ARCHITECTURE.md")).expect("the page");
    let from = text.find(heading).expect("the page has this part");
    let part = &text[from + heading.len()..];
    part[..part.find("\n**").unwrap_or(part.len())].to_owned()
}

/// The files that a text names between backticks.
fn named(text: &str) -> Vec<String> {
    let quoted = text.split('`').skip(1).step_by(2);
    let is_file = |word: &&str| {
        let ends = word.ends_with(".rs") || word.ends_with(".pest");
        word.contains('/') && ends
    };
    quoted.filter(is_file).map(str::to_owned).collect()
}

/// An operator without anything special is mentioned in exactly the files that the page names: `/+A+\` of those
/// with a set, `[>` of those between two processes alone.
#[test]
fn adding_an_operator_touches_the_files_that_are_named() {
    held("**An operator.**", &["SyncInterrupt", "sync_interrupt"]);
    let alone = "**An operator between two processes alone**";
    held(alone, &["Sliding", "sliding"]);
}

/// The files that a part of the page names are those that name an operator.
fn held(heading: &str, names: &[&str]) {
    let told = named(&page(heading));
    assert!(told.len() > 12, "{told:?}");
    let mentions = |path: &std::path::Path| {
        let text = std::fs::read_to_string(path).unwrap_or_default();
        names.iter().any(|name| text.contains(name))
    };
    let all = ["grammar", "src"].map(|folder| files(&root().join(folder)));
    let all = all.concat().into_iter().filter(|path| mentions(path));
    let all: Vec<String> = all.map(|path| relative(&path)).collect();
    let untold = all.iter().filter(|file| !told.contains(file));
    none(
        &format!("files that the page forgets under {heading}"),
        &untold.cloned().collect::<Vec<_>>(),
    );
    let of_all = |file: &&String| !file.starts_with("tests/");
    let idle = told
        .iter()
        .filter(of_all)
        .filter(|file| !all.contains(file));
    none(
        &format!("files that need no change under {heading}"),
        &idle.cloned().collect::<Vec<_>>(),
    );
}

/// Files that the documents name are there.
#[test]
fn files_that_are_named_exist() {
    let mut missing = Vec::new();
    let documents = [
        "src/ARCHITECTURE.md",
        "src/engine/symmetry/SYSTEMS.md",
        "CONTRIBUTING.md",
        "README.md",
    ];
    let manual = files(&root().join("assets/manual"));
    let manual: Vec<String> = manual.iter().map(|path| relative(path)).collect();
    let all = documents
        .into_iter()
        .chain(manual.iter().map(String::as_str));
    for document in all {
        let text = std::fs::read_to_string(root().join(document)).expect("a document");
        let gone = |file: &String| !root().join(file).exists();
        let from_root = |file: &String| {
            ["src/", "tests/", "grammar/", "benches/"]
                .iter()
                .any(|f| file.starts_with(f))
        };
        let all = named(&text).into_iter().filter(from_root).filter(gone);
        missing.extend(all.map(|file| format!("{document}: {file}")));
    }
    none("files that are named and not there", &missing);
}

/// The page on other systems has a row for every strategy, and the models that it names are there.
#[test]
fn every_strategy_has_a_row() {
    let text =
        std::fs::read_to_string(root().join("src/engine/symmetry/SYSTEMS.md")).expect("the page");
    let rows: Vec<&str> = text.lines().filter(|l| l.starts_with("| `")).collect();
    let names = StrategyKind::ALL.map(|kind| kind.strategy().name());
    let structural = StructuralKind::ALL.map(StructuralKind::name);
    let names: Vec<&str> = names.into_iter().chain(structural).collect();
    let untold = names.iter().filter(|name| {
        let quoted = format!("`{name}`");
        let is_of = |row: &&str| {
            row.split('|')
                .nth(1)
                .is_some_and(|cell| cell.contains(&quoted))
        };
        rows.iter().filter(|row| is_of(row)).count() != 1
    });
    none(
        "strategies without a row",
        &untold.map(|name| (*name).to_owned()).collect::<Vec<_>>(),
    );
    let quoted = text.split('`').skip(1).step_by(2);
    for model in quoted.filter(|word| word.starts_with("models/")) {
        assert!(root().join(model).exists(), "{model}");
    }
}
