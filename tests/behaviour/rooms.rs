//! Which room of the source tree may name which: those of one crate by this table, and a crate by the rooms that its
//! `lib.rs` takes from others. The compiler knows no order within a crate.

use super::tidy::{Source, complaints, line_of, none, root, words};

/// The rooms of `src`, each with those that it may name: a room never names one after it. Some
/// name less than they could; those absences are as deliberate as the order. Everything may name
/// `source`. Between crates the compiler holds the order; what a crate names is listed in its `lib.rs`.
const MAY_NAME: [(&str, &[&str]); 24] = [
    ("source", &[]),
    ("syntax", &[]),
    ("script", &["syntax"]),
    ("value", &["script"]),
    ("lts", &[]),
    ("group", &[]),
    ("pattern", &[]),
    ("spill", &[]),
    ("mesh", &[]),
    ("process", &["script", "value", "lts"]),
    ("eval", &["script", "value", "process"]),
    ("machine", &["value", "lts", "group", "process", "eval"]),
    ("structure", &["group", "machine"]),
    ("symmetry", &["value", "group", "machine", "structure"]),
    ("reductions", &["machine"]),
    (
        "specification",
        &["value", "lts", "machine", "structure", "reductions"],
    ),
    (
        "search",
        &[
            "spill",
            "mesh",
            "value",
            "machine",
            "structure",
            "symmetry",
            "reductions",
            "specification",
        ],
    ),
    (
        "check",
        &[
            "spill",
            "mesh",
            "syntax",
            "script",
            "value",
            "lts",
            "group",
            "process",
            "eval",
            "machine",
            "structure",
            "symmetry",
            "reductions",
            "specification",
            "search",
        ],
    ),
    (
        "lab",
        &[
            "syntax",
            "script",
            "value",
            "group",
            "process",
            "eval",
            "machine",
            "structure",
            "symmetry",
            "specification",
            "search",
            "check",
        ],
    ),
    (
        "report",
        &[
            "script",
            "value",
            "group",
            "machine",
            "structure",
            "specification",
            "search",
            "check",
            "lab",
            "pattern",
        ],
    ),
    (
        "animate",
        &[
            "script",
            "value",
            "machine",
            "structure",
            "symmetry",
            "search",
            "check",
            "lab",
            "report",
        ],
    ),
    ("lsp", &["syntax", "script", "check"]),
    // The screen works on plain data; a record of the algorithm is plain data.
    ("tui", &["symmetry", "report", "animate"]),
    (
        "cli",
        &[
            "spill", "mesh", "syntax", "script", "eval", "symmetry", "search", "check", "lab",
            "report", "animate", "lsp", "tui", "pattern",
        ],
    ),
];

/// Crates of several rooms.
const GROUPS: [&str; 2] = ["language", "engine"];

impl Source {
    /// `machine` for `src/engine/machine/pack.rs`, `tui` for `src/tui/lib.rs`; nothing for `src/lib.rs` and
    /// `src/engine/lib.rs`.
    pub fn folder(&self) -> Option<&str> {
        let rest = self.path.strip_prefix("src/")?;
        let (first, below) = rest.split_once('/')?;
        match GROUPS.contains(&first) {
            true => Some(below.split_once('/')?.0),
            false => Some(first),
        }
    }

    /// How many `super` lead from the file's module to the root of the crate.
    fn depth(&self) -> usize {
        let below = self.path.matches('/').count() - 1;
        match self.path.ends_with("/mod.rs") {
            true => below - 1,
            false => below,
        }
    }

    /// Whether it is in a crate of several rooms, where `crate::x` names one of these.
    fn is_in_group(&self) -> bool {
        let rest = self.path.strip_prefix("src/").unwrap_or_default();
        rest.split_once('/')
            .is_some_and(|(first, _)| GROUPS.contains(&first))
    }
}

/// The rooms that a file names, with the lines: `crate::x` within a crate of several rooms, and `super::super::x` where
/// that is the same; `orbitscope_engine::{x, y}` and `orbitscope_x` elsewhere.
fn named_folders(source: &Source) -> Vec<(usize, String)> {
    let code = source.program();
    let mut found = named_crates(&code);
    if !source.is_in_group() {
        return found;
    }
    let identifier = |rest: &str| -> String {
        rest.chars()
            .take_while(|c| c.is_alphanumeric() || matches!(c, '_' | '{' | '*'))
            .collect()
    };
    let within = words(&code, "crate")
        .filter_map(|(line, after)| Some((line, identifier(after.strip_prefix("::")?))));
    found.extend(within);
    let up = format!("{}::", vec!["super"; source.depth()].join("::"));
    for (at, _) in code.match_indices(&up) {
        let longer = code[..at].ends_with("super::");
        let rest = &code[at + up.len()..];
        if source.depth() > 0 && !longer && !rest.starts_with("super") {
            found.push((line_of(&code, at), identifier(rest)));
        }
    }
    found
}

/// The rooms of other crates that a text names.
fn named_crates(code: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    for (at, prefix) in code.match_indices("orbitscope_") {
        let rest = &code[at + prefix.len()..];
        let end = rest
            .find(|c: char| !c.is_alphanumeric())
            .unwrap_or(rest.len());
        let (name, after) = rest.split_at(end);
        let line = line_of(code, at);
        if !GROUPS.contains(&name) {
            found.push((line, name.to_owned()));
            continue;
        }
        let after = after.strip_prefix("::").unwrap_or_default();
        let list = match after.strip_prefix('{') {
            Some(list) => list.split('}').next().unwrap_or_default(),
            None => after
                .split(|c: char| !c.is_alphanumeric())
                .next()
                .unwrap_or_default(),
        };
        let rooms = list.split(',').map(|room| (line, room.trim().to_owned()));
        found.extend(rooms);
    }
    found
}

/// Each forbidden arrow of a file, as `place: complaint`.
fn forbidden_arrows(source: &Source) -> Vec<String> {
    let Some(folder) = source.folder() else {
        return Vec::new();
    };
    let place = |line: usize| format!("{}:{line}", source.path);
    let Some((_, allowed)) = MAY_NAME.iter().find(|(name, _)| *name == folder) else {
        return vec![format!(
            "{}: `{folder}` has no place in the order",
            source.path
        )];
    };
    named_folders(source)
        .into_iter()
        .filter(|(_, named)| {
            named != folder && named != "source" && !allowed.contains(&named.as_str())
        })
        .map(|(line, named)| match named.as_str() {
            "{" | "*" => format!("{}: write one `use` for each folder", place(line)),
            _ => format!("{}: `{folder}` must not name `{named}`", place(line)),
        })
        .collect()
}

#[test]
fn rooms_name_only_those_before_them() {
    for (at, (folder, allowed)) in MAY_NAME.iter().enumerate() {
        for named in *allowed {
            let before = MAY_NAME[..at].iter().any(|(name, _)| name == named);
            assert!(before, "the table itself lets {folder} name {named}");
        }
    }
    none("forbidden arrows", &complaints(&["src"], forbidden_arrows));
}

#[test]
fn forbidden_arrows_are_found() {
    let arrows = |path: &str, text: &str| forbidden_arrows(&Source::new(path, text));
    let inner = |line: &str| arrows("src/engine/machine/pack.rs", line);
    assert_eq!(inner("use crate::value::Atom;"), [""; 0]);
    assert_eq!(
        inner("\nuse crate::symmetry::Strategy;"),
        ["src/engine/machine/pack.rs:2: `machine` must not name `symmetry`"]
    );
    assert_eq!(inner("fn f() { crate::tui::run() }").len(), 1);
    assert_eq!(inner("use crate::{check, value};").len(), 1);
    assert_eq!(inner("use super::super::check::Check;").len(), 1);
    assert_eq!(inner("use super::check::Check;"), [""; 0]);
    assert_eq!(
        arrows("src/engine/machine/mod.rs", "use super::check;").len(),
        1
    );
    assert_eq!(arrows("src/nowhere/mod.rs", "").len(), 1);
    // Comments, strings and tests do not count.
    assert_eq!(
        inner("// crate::tui\n/* crate::tui */ \"crate::tui\""),
        [""; 0]
    );
    assert_eq!(inner("r#\"\" crate::tui \"# '\"' 'x'"), [""; 0]);
    assert_eq!(
        inner("#[cfg(test)]\nmod tests { use crate::tui; }"),
        [""; 0]
    );
    assert_eq!(inner("#[cfg(test)]\nmod tests;\nuse crate::tui;").len(), 1);
    assert_eq!(
        arrows("src/engine/machine/tests/all.rs", "use crate::tui;"),
        [""; 0]
    );
    // A lifetime does not begin a literal.
    assert_eq!(inner("fn f<'a>(x: &'a u8) {} use crate::cli;").len(), 1);
}

#[test]
fn every_room_is_described() {
    let page = std::fs::read_to_string(root().join("src/ARCHITECTURE.md")).expect("the page");
    for (room, _) in MAY_NAME {
        assert!(page.contains(&format!("| [`{room}`] |")), "{room}");
    }
}
