//! Diagnostics as people meet them: a page for every code, classic slips with what is said about them.

mod support;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use orbitscope::check::load::load_text;
use orbitscope::source::codes::{Page, page, pages};
use orbitscope::source::render::render_all;

/// Codes that no short script yields with `check`, and why.
const WITHOUT_SCRIPT: [(&str, &str); 25] = [
    ("E0111", "takes ten thousand brackets"),
    ("E0207", "the grammar reports it as E0109 first"),
    ("E0214", "the grammar reports it as E0108 first"),
    ("E0215", "the grammar reports it as E0110 first"),
    ("E0401", "types report it first"),
    ("E0412", "types report it first"),
    ("E0415", "types report it first"),
    ("E0417", "types report it first"),
    ("E0422", "asked for by name, not by a script"),
    ("E0499", "a fault of the program"),
    ("E0510", "the animator asks for a representative"),
    (
        "E0511",
        "needs a network that is not symmetric although its text is",
    ),
    (
        "E0512",
        "needs a network that is not symmetric although its text is",
    ),
    ("E0601", "depends on what is asked for"),
    ("E0701", "asked for by number, not by a script"),
    ("E0702", "takes a time limit"),
    ("E0704", "takes long"),
    ("E0705", "takes long"),
    ("E0706", "takes long"),
    ("E0799", "a fault of the program"),
    ("E0803", "not a text"),
    ("E0805", "takes 64 MiB"),
    ("E0806", "takes a file that includes itself"),
    ("E0807", "takes a thousand includes"),
    ("E0808", "not a text"),
];

fn program(args: &[&str], input: &str) -> (Option<i32>, String, String) {
    let ran = support::orbitscope(args, input.as_bytes());
    (ran.code, ran.stdout, ran.stderr)
}

/// Every code that stands as a literal in the program, outside its tests.
fn codes_in_source(folder: &Path, found: &mut BTreeSet<String>) {
    for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
        let path = entry.path();
        let test = path.file_stem().is_some_and(|s| s == "tests");
        if path.is_dir() {
            if !test {
                codes_in_source(&path, found);
            }
            continue;
        }
        if test || path.extension().is_none_or(|e| e != "rs") {
            continue;
        }
        let text = std::fs::read_to_string(&path).expect("a source file");
        let program = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or("");
        for piece in program.split('"').skip(1) {
            let bytes = piece.as_bytes();
            let code = bytes.len() == 5
                && matches!(bytes[0], b'E' | b'W')
                && bytes[1..].iter().all(u8::is_ascii_digit);
            if code {
                found.insert(piece.to_owned());
            }
        }
    }
}

#[test]
fn every_code_has_a_page_and_every_page_a_code() {
    let mut used = BTreeSet::new();
    codes_in_source(&support::repository("src"), &mut used);
    let described: BTreeSet<String> = pages().map(|p| p.code.to_owned()).collect();
    let missing: Vec<_> = used.difference(&described).collect();
    let idle: Vec<_> = described.difference(&used).collect();
    assert!(missing.is_empty(), "codes without a page: {missing:?}");
    assert!(
        idle.is_empty(),
        "pages of codes that do not occur: {idle:?}"
    );
}

#[test]
fn every_example_yields_its_code() {
    let mut wrong = Vec::new();
    for Page { code, .. } in pages() {
        let page = page(code).expect("a page");
        let excused = WITHOUT_SCRIPT.iter().any(|(c, _)| *c == code);
        match page.example() {
            None if excused => {}
            None => wrong.push(format!("{code} has no example")),
            Some(_) if excused => wrong.push(format!("{code} is excused but has an example")),
            Some(script) => {
                let (_, out, err) = program(&["check", "-"], script);
                if !format!("{out}{err}").contains(&format!("[{code}]")) {
                    wrong.push(format!(
                        "{code} is not what its example yields:\n{out}{err}"
                    ));
                }
            }
        }
        if let Some(script) = page.fixed() {
            let (exit, out, err) = program(&["check", "-"], script);
            if exit != Some(0) || err.contains("error[") || err.contains(&format!("[{code}]")) {
                wrong.push(format!("what {code} recommends does not work:\n{out}{err}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn slips() -> Vec<PathBuf> {
    let folder = support::repository("tests/slips");
    let mut found: Vec<PathBuf> = std::fs::read_dir(folder)
        .expect("the folder of slips")
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|e| e == "csp"))
        .collect();
    found.sort();
    found
}

#[test]
fn classic_slips_are_explained() {
    let slips = slips();
    assert!(slips.len() >= 20, "{} slips", slips.len());
    for path in slips {
        let text = std::fs::read_to_string(&path).expect("a script");
        let name = path.file_name().expect("a name").to_owned();
        let loaded = load_text(Path::new(&name), &text);
        assert!(
            !loaded.diagnostics.is_empty(),
            "nothing is said of {name:?}"
        );
        let shown = render_all(&loaded.diagnostics, &loaded.sources, false);
        let stem = path
            .file_stem()
            .expect("a name")
            .to_string_lossy()
            .into_owned();
        insta::with_settings!({ omit_expression => true, prepend_module_to_snapshot => false, snapshot_path => "slips/said" }, {
            insta::assert_snapshot!(stem, shown);
        });
    }
}
