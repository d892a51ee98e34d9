//! A type name means one thing in the whole crate.

use std::collections::BTreeMap;

use super::tidy::{Source, none, sources};

/// The two trees of a script have what they have in common under one name (`src/ARCHITECTURE.md`, "Two
/// trees, and why not one").
const TREES: [&str; 2] = ["src/language/syntax/ast.rs", "src/language/script/core.rs"];

/// The types that a file defines at its top level.
fn types(source: &Source) -> Vec<String> {
    let mut found = Vec::new();
    for line in source.program().lines() {
        let mut words = line.split_whitespace().peekable();
        // What is indented belongs to a function or to a test.
        if line.starts_with(char::is_whitespace) {
            continue;
        }
        words.next_if(|word| word.starts_with("pub"));
        let is_type = matches!(words.next(), Some("struct" | "enum" | "trait" | "type"));
        if let (true, Some(name)) = (is_type, words.next()) {
            let end = name.find(|c: char| !c.is_alphanumeric() && c != '_');
            found.push(name[..end.unwrap_or(name.len())].to_owned());
        }
    }
    found
}

/// The names that several files define, with these files.
fn used_twice(files: &[Source]) -> Vec<String> {
    let mut places: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for source in files.iter().filter(|s| !s.path.contains("/tests")) {
        for name in types(source) {
            places.entry(name).or_default().push(&source.path);
        }
    }
    places.retain(|_, paths| paths.len() > 1 && !paths.iter().all(|path| TREES.contains(path)));
    let told = places.iter();
    told.map(|(name, paths)| format!("{name}: {}", paths.join(", ")))
        .collect()
}

#[test]
fn a_type_name_means_one_thing() {
    none("types of one name", &used_twice(&sources(&["src"])));
    let two = [
        Source::new("src/a.rs", "pub(crate) struct Same<T>(T);\nfn f() {}\n"),
        Source::new("src/b.rs", "enum Same {}\n  struct Other;\nstruct Other;\n"),
    ];
    assert_eq!(used_twice(&two), ["Same: src/a.rs, src/b.rs"]);
}
