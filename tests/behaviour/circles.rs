//! Files that use one another in a circle have to be understood together. This finds the circles of the
//! source tree: none has more than four files.
//!
//! A file uses another if it names something in it: by `crate::`, `super::` or `self::`, in a `use` or
//! elsewhere; what a folder passes on with `pub use` counts as where it comes from. A `mod.rs` or `lib.rs` with modules below it is
//! left out: it composes them, and what it defines belongs to the whole folder.

use std::collections::{BTreeMap, BTreeSet};

use super::tidy::{Source, none, sources};

/// A file, those that it shares its types with, and its tests can still be read in one go.
const LARGEST: usize = 4;

/// The modules of all crates by path: `["engine", "machine", "rules"]` for `src/engine/machine/rules.rs`.
struct Crate {
    files: BTreeMap<Vec<String>, String>,
    /// What a module passes on: `(file, name)` to the path of what it is.
    passed_on: BTreeMap<(String, String), Vec<String>>,
}

fn module_of(path: &str) -> Vec<String> {
    let inner = path.trim_start_matches("src/").trim_end_matches(".rs");
    let mut parts: Vec<String> = inner.split('/').map(str::to_owned).collect();
    if parts
        .last()
        .is_some_and(|last| last == "mod" || last == "lib")
    {
        parts.pop();
    }
    parts
}

/// `a::{b, c::d}` as `a::b` and `a::c::d`.
fn expanded(tree: &str) -> Vec<String> {
    let tree = tree.trim();
    let Some(open) = tree.find('{') else {
        let path = tree.split(" as ").next().unwrap_or_default();
        return vec![path.trim().to_owned()];
    };
    let (before, inner) = tree.split_at(open);
    let inner = inner.trim_start_matches('{');
    let inner = inner.strip_suffix('}').unwrap_or(inner);
    let (mut parts, mut depth, mut from) = (Vec::new(), 0, 0);
    for (at, c) in inner.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(&inner[from..at]);
                from = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&inner[from..]);
    let parts = parts.into_iter().filter(|part| !part.trim().is_empty());
    parts
        .flat_map(|part| expanded(&format!("{before}{}", part.trim())))
        .collect()
}

/// The paths in the `use` declarations of a text, and the text without these.
fn uses(code: &str) -> (Vec<String>, String) {
    let (mut found, mut rest) = (Vec::new(), String::new());
    let mut at = 0;
    while let Some(next) = code[at..].find("use ") {
        let start = at + next;
        let alone = code[..start].ends_with(|c: char| c.is_whitespace()) || start == 0;
        let end = code[start..].find(';').map(|len| start + len);
        match end.filter(|_| alone) {
            Some(end) => {
                rest.push_str(&code[at..start]);
                found.extend(expanded(&code[start + 4..end]));
                at = end;
            }
            None => {
                rest.push_str(&code[at..start + 4]);
                at = start + 4;
            }
        }
    }
    rest.push_str(&code[at..]);
    (found, rest)
}

/// The paths in a text that begin at the crate or at a module nearby.
fn inline_paths(code: &str) -> Vec<String> {
    let part = |c: char| c.is_alphanumeric() || c == '_' || c == ':';
    code.split(|c: char| !part(c))
        .filter(|word| {
            ["crate::", "super::", "self::"]
                .iter()
                .any(|p| word.starts_with(p))
        })
        .map(|word| word.trim_end_matches(':').to_owned())
        .collect()
}

impl Crate {
    fn new(sources: &[Source]) -> Self {
        let module = |s: &Source| (module_of(&s.path), s.path.clone());
        let mut found = Self {
            files: sources.iter().map(module).collect(),
            passed_on: BTreeMap::new(),
        };
        for source in sources {
            for path in uses(&source.program()).0 {
                let name = path.rsplit("::").next().unwrap_or_default().to_owned();
                if let Some(target) = found.absolute(source, &path) {
                    found.passed_on.insert((source.path.clone(), name), target);
                }
            }
        }
        found
    }

    /// A path from `src`; nothing for other crates, which use nothing in a circle.
    fn absolute(&self, source: &Source, path: &str) -> Option<Vec<String>> {
        let mut base = module_of(&source.path);
        let mut parts = path.split("::").map(str::to_owned).peekable();
        match parts.peek()?.as_str() {
            "crate" => {
                // Each folder of `src` is a crate.
                base.truncate(1);
                parts.next();
            }
            "self" => {
                parts.next();
            }
            "super" => {
                while parts.peek().is_some_and(|part| part == "super") {
                    base.pop();
                    parts.next();
                }
            }
            first => {
                let child: Vec<String> = base.iter().cloned().chain([first.to_owned()]).collect();
                if !self.files.contains_key(&child) {
                    return None;
                }
            }
        }
        Some(base.into_iter().chain(parts).collect())
    }

    /// The file in which a path ends.
    fn file(&self, path: &[String], depth: usize) -> Option<&str> {
        for len in (1..=path.len()).rev() {
            let Some(file) = self.files.get(&path[..len]) else {
                continue;
            };
            if let Some(name) = path.get(len)
                && depth < 5
                && let Some(target) = self.passed_on.get(&(file.clone(), name.clone()))
            {
                let longer: Vec<String> = target.iter().chain(&path[len + 1..]).cloned().collect();
                return self.file(&longer, depth + 1);
            }
            return Some(file);
        }
        None
    }

    /// Whether a file is there for the modules below it.
    fn composes(&self, file: &str) -> bool {
        if !file.ends_with("/mod.rs") && !file.ends_with("/lib.rs") {
            return false;
        }
        let module = module_of(file);
        let is_below =
            |other: &Vec<String>| other.len() > module.len() && other.starts_with(&module);
        self.files.keys().any(is_below)
    }
}

/// What each file uses.
fn arrows(sources: &[Source]) -> BTreeMap<String, BTreeSet<String>> {
    let tree = Crate::new(sources);
    let leaves = sources.iter().filter(|s| !tree.composes(&s.path));
    let used = |source: &Source| {
        let (mut paths, rest) = uses(&source.program());
        paths.extend(inline_paths(&rest));
        let targets = paths.iter().filter_map(|p| tree.absolute(source, p));
        let files: Vec<String> = targets
            .filter_map(|t| tree.file(&t, 0).map(str::to_owned))
            .collect();
        files
            .into_iter()
            .filter(|f| *f != source.path && !tree.composes(f))
            .collect()
    };
    leaves.map(|s| (s.path.clone(), used(s))).collect()
}

/// Everything that a file leads to.
fn reached<'a>(arrows: &'a BTreeMap<String, BTreeSet<String>>, from: &'a str) -> BTreeSet<&'a str> {
    let (mut found, mut open) = (BTreeSet::new(), vec![from]);
    while let Some(next) = open.pop() {
        for target in arrows.get(next).into_iter().flatten() {
            if found.insert(target.as_str()) {
                open.push(target);
            }
        }
    }
    found
}

/// The circles, each as its files in order.
fn circles(sources: &[Source]) -> BTreeSet<Vec<String>> {
    let arrows = arrows(sources);
    let reach: BTreeMap<&str, BTreeSet<&str>> = arrows
        .keys()
        .map(|file| (file.as_str(), reached(&arrows, file)))
        .collect();
    let circle = |file: &str| -> Vec<String> {
        let back = |other: &&&str| reach.get(**other).is_some_and(|r| r.contains(file));
        let members = reach[file].iter().filter(back);
        members.map(|m| (*m).to_owned()).collect()
    };
    let all = reach.keys().map(|file| circle(file));
    all.filter(|members| members.len() > 1).collect()
}

#[test]
fn files_do_not_use_one_another_in_large_circles() {
    let circles = circles(&sources(&["src"]));
    let large = circles.iter().filter(|circle| circle.len() > LARGEST);
    let large: Vec<String> = large.map(|circle| circle.join(" ")).collect();
    none("large circles", &large);
}

#[test]
fn circles_are_found() {
    let source = |path: &str, text: &str| Source::new(path, text);
    let tree = [
        source(
            "src/a/mod.rs",
            "mod b;\nmod c;\nmod d;\npub use c::Deep;\npub struct Whole;",
        ),
        source(
            "src/a/b.rs",
            "use super::{Whole, Deep};\nfn f() { crate::d::g() }",
        ),
        source(
            "src/a/c.rs",
            "use std::fmt;\npub use super::d::{self, E as F};",
        ),
        source("src/a/d.rs", "fn g() -> super::Whole { todo(super::b::f) }"),
    ];
    let found = circles(&tree);
    let files =
        |names: &[&str]| -> Vec<String> { names.iter().map(|n| format!("src/a/{n}.rs")).collect() };
    assert_eq!(found, BTreeSet::from([files(&["b", "c", "d"])]));
    // A file beside a folder of its name is a file like others.
    let beside = [
        source("src/a.rs", "mod b;\nuse b::B;\npub struct A;"),
        source("src/a/b.rs", "use super::A;"),
    ];
    let pair = ["src/a.rs", "src/a/b.rs"].map(str::to_owned);
    assert_eq!(circles(&beside), BTreeSet::from([pair.to_vec()]));
    // A folder's own types are everybody's, and tests do not count.
    let open = [
        source("src/a/mod.rs", "mod b;\npub struct Whole { b: b::B }"),
        source("src/a/b.rs", "use super::Whole;"),
        source(
            "src/a/c.rs",
            "#[cfg(test)]\nmod tests { use super::super::d; }",
        ),
        source("src/a/d.rs", "use super::c;"),
    ];
    assert_eq!(circles(&open), BTreeSet::new());
}
