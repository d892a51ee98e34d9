//! Diagnostics as people meet them: a page for every code, classic slips with what is said about them.

use crate::support;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use orbitscope::script::load::load_text;
use orbitscope::source::codes::{Page, page, pages};
use orbitscope::source::render::render_all;

/// Codes that no short script yields with `check`, and why.
const WITHOUT_SCRIPT: [(&str, &str); 49] = [
    ("E0111", "takes ten thousand brackets"),
    ("E0207", "the grammar reports it as E0109 first"),
    ("E0215", "the grammar reports it as E0110 first"),
    ("E0313", "takes a type of millions of parts"),
    ("E0401", "types report it first"),
    ("E0412", "types report it first"),
    ("E0415", "types report it first"),
    ("E0417", "types report it first"),
    ("E0421", "takes long"),
    ("E0422", "asked for by name, not by a script"),
    ("E0423", "takes long"),
    ("E0498", "for the program itself"),
    (
        "E0514",
        "a reason in reports, which name no codes of reasons",
    ),
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
    ("E0515", "asked for by an option, not by a script"),
    ("E0516", "asked for by an option, not by a script"),
    ("E0517", "asked for by an option, not by a script"),
    ("E0518", "asked for by an option, not by a script"),
    ("E0601", "depends on what is asked for"),
    ("E0606", "asked for by an option, not by a script"),
    ("E0701", "takes a request to stop"),
    ("E0702", "takes a time limit"),
    ("E0703", "takes much memory"),
    ("E0704", "takes long"),
    ("E0705", "takes long"),
    ("E0706", "takes long"),
    ("E0707", "takes much memory"),
    ("E0708", "takes long"),
    ("E0709", "asked for by number, not by a script"),
    ("E0710", "takes a disk without room"),
    ("E0711", "takes damaged files"),
    ("E0712", "takes files of another check"),
    ("E0713", "takes a process that is lost"),
    ("E0799", "a fault of the program"),
    ("E0803", "not a text"),
    ("E0805", "takes 64 MiB"),
    ("E0806", "takes a file that includes itself"),
    ("E0807", "takes a thousand includes"),
    ("E0808", "not a text"),
    ("E0810", "about a file that is no script"),
    ("E0811", "about a file that is no script"),
    ("E0812", "about a file that is no script"),
    ("E0901", "about a file that is no script"),
    ("E0902", "about a file that is no script"),
    ("E0903", "about a file that is no script"),
    ("E0904", "about a file that is no script"),
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
        insta::with_settings!({ omit_expression => true, prepend_module_to_snapshot => false, snapshot_path => "../slips/said" }, {
            insta::assert_snapshot!(stem, shown);
        });
    }
}

#[test]
fn models_are_as_their_authors_want_them() {
    let folder = support::repository("models");
    let mut models = 0;
    for entry in std::fs::read_dir(folder).expect("models").flatten() {
        if entry.path().extension().is_some_and(|e| e == "csp") {
            models += 1;
            let (code, out, err) = program(&["typecheck", &entry.path().display().to_string()], "");
            assert_eq!((code, err.as_str()), (Some(0), ""), "{out}");
        }
    }
    assert!(models > 5);
}

#[test]
fn typecheck_lists_types_and_where_symmetry_ends() {
    let script = "datatype T = A | B | C\nchannel c : T.Bool\nQ(x) = c.x.true -> Q(C)\n\
                  System = Q(A)\nassert System [T= System\n";
    let (code, out, err) = program(&["typecheck", "--types", "-"], script);
    assert_eq!((code, err.as_str()), (Some(0), ""));
    insta::assert_snapshot!(out, @r"
    <stdin>:1:14  A :: T
    <stdin>:1:18  B :: T
    <stdin>:1:22  C :: T
    <stdin>:2:9   c :: T=>Bool=>Event
    <stdin>:3:1   Q :: (T) -> Proc
    <stdin>:4:1   System :: Proc

    Symmetry of the whole script:
      T: not symmetric
        <stdin>:3:22: C is named here, in Q < System (<stdin>:4:10)
        <stdin>:4:12: A is named here, in System
    Assertion 1, System [T= System: the same

    -: sound
    ");
}

#[test]
fn typecheck_as_json() {
    let script = "channel c : {0..3}\n-- é\nP(x) = c.x -> Q\nlimit = c.true\n";
    let (code, out, _) = program(&["typecheck", "--types", "--format", "json", "-"], script);
    assert_eq!(code, Some(3));
    let document: serde_json::Value = serde_json::from_str(&out).expect("JSON");
    assert_eq!(document["schema"], "orbitscope.typecheck/1");
    assert_eq!(document["exit_code"], 3);
    let file = &document["files"][0];
    let found = file["diagnostics"].as_array().expect("a list");
    let at = |n: usize, what: &str| found[n]["range"][what].clone();
    let place = |line, character| serde_json::json!({ "line": line, "character": character });
    assert_eq!(found[0]["code"], "E0201");
    assert_eq!((at(0, "start"), at(0, "end")), (place(2, 14), place(2, 15)));
    assert_eq!(found[1]["code"], "E0301");
    let related = &found[1]["relatedInformation"][0];
    assert_eq!(related["location"]["range"]["start"], place(3, 8));
    let types = file["types"].as_array().expect("a list");
    assert_eq!(types[0]["name"], "c");
    assert_eq!(types[0]["kind"], "channel");
    assert!(
        file["symmetry"]["script"]
            .as_array()
            .is_some_and(Vec::is_empty)
    );
}

#[test]
fn sound_assertions_are_checked_beside_errors() {
    let script = "channel a\nP = a -> P\nQ = a -> R\nf(0) = P\nf(n) = a ->-> P\n\
                  assert P :[deadlock free]\nassert Q :[deadlock free]\nassert f(0) :[deadlock free]\n";
    let (code, out, _) = program(&["check", "--format", "json", "-"], script);
    assert_eq!(code, Some(3));
    let document: serde_json::Value = serde_json::from_str(&out).expect("JSON");
    let checks = document["checks"].as_array().expect("a list");
    let status: Vec<_> = checks.iter().map(|c| c["status"].as_str()).collect();
    assert_eq!(status, [Some("pass"), Some("error"), Some("error")]);
    assert_eq!(checks[1]["diagnostic"]["code"], "E0230");
    assert_eq!(checks[1]["diagnostic"]["labels"][0]["place"]["line"], 3);
    assert_eq!(document["diagnostics"].as_array().map(Vec::len), Some(2));
}

#[test]
fn help_has_pages_and_lists_them() {
    let (code, out, _) = program(&["help", "e0121"], "");
    assert_eq!(code, Some(0));
    assert!(out.starts_with("E0121: "), "{out}");
    let (_, list, _) = program(&["help", "codes"], "");
    assert_eq!(list.lines().count(), pages().count());
    let (_, check, _) = program(&["help", "check"], "");
    assert!(check.contains("--max-states"), "{check}");
    let (code, out, err) = program(&["help", "nonsense"], "");
    assert_eq!((code, out.as_str()), (Some(2), ""));
    assert!(err.contains("there is no page `"), "{err}");
    // The hint under diagnostics leads there.
    let (_, _, err) = program(&["typecheck", "-"], "P = Q");
    assert!(err.ends_with("for more: orbitscope help E0201\n"), "{err}");
}

#[test]
fn changes_are_seen_while_watching() {
    use std::io::{BufRead, BufReader};
    let main = support::script("watched.csp", "include \"watched_part.csp\"\nP = a -> P\n");
    let part = main.with_file_name("watched_part.csp");
    let _ = std::fs::remove_file(&part);
    let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_orbitscope"))
        .args(["typecheck", "--watch"])
        .arg(&main)
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::null())
        .spawn()
        .expect("the program starts");
    let lines = BufReader::new(child.stdout.take().expect("a pipe")).lines();
    let (sender, verdicts) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        for line in lines.map_while(Result::ok) {
            if let Some((_, verdict)) = line.split_once("watched.csp: ") {
                let _ = sender.send(verdict.to_owned());
            }
        }
    });
    let verdict = || {
        let patience = std::time::Duration::from_secs(20);
        verdicts.recv_timeout(patience).expect("a verdict")
    };
    assert_eq!(verdict(), "1 error");
    // The file that was missing is watched too.
    std::fs::write(&part, "channel a\n").expect("the include can be written");
    while verdict() != "sound" {}
    std::fs::write(&main, "P = a -> P\n").expect("the script can be written");
    while verdict() != "1 error" {}
    child.kill().expect("the program can be ended");
    child.wait().expect("the program ends");
}
