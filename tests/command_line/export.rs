//! `orbitscope export`: pages that stand alone, hold what the screen says, and quote nothing unescaped.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use orbitscope::report::columns::width;
use serde_json::Value;

use crate::support::{Ran, orbitscope, repository, script};

/// Strings with everything that HTML gives a meaning to, and a deadlock.
const SCRIPT: &str = "channel c : {\"<script>alert(1)</script>\", \"\\\"'&\"}
channel d : {0..1}
P = c?x -> Q(x)
Q(x) = d!0 -> (if x == \"\\\"'&\" then STOP else P)
assert P :[has trace [T]]: <c.\"<script>alert(1)</script>\", d.0>
assert STOP [T= P
assert P :[deadlock free]
assert P [T= P
";

fn model(name: &str) -> String {
    repository(&format!("models/{name}.csp"))
        .display()
        .to_string()
}

/// A folder of its own for files that are written.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("export-{name}"));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("the folder can be made");
    folder
}

fn export(args: &[&str]) -> Ran {
    orbitscope(&[&["export"], args].concat(), b"")
}

#[track_caller]
fn page(args: &[&str]) -> String {
    let ran = export(args);
    assert_eq!(ran.code, Some(0), "{args:?}: {}", ran.stderr);
    ran.stdout
}

/// The tags of a page, which are held to be closed in their order, with quoted attributes and no name used twice.
fn tags(page: &str) -> Vec<String> {
    const VOID: [&str; 1] = ["meta"];
    let (mut all, mut open, mut ids) = (Vec::new(), Vec::new(), Vec::new());
    let mut rest = page.strip_prefix("<!DOCTYPE html>").expect("it is HTML");
    while let Some(at) = rest.find('<') {
        let end = at + rest[at..].find('>').expect("tags end");
        let tag = &rest[at + 1..end];
        rest = &rest[end + 1..];
        let name = tag.split([' ', '/']).find(|word| !word.is_empty());
        let name = name.expect("tags have names").to_owned();
        if tag.starts_with('/') {
            assert_eq!(open.pop(), Some(name), "{tag}");
            continue;
        }
        assert_eq!(tag.matches('"').count() % 2, 0, "{tag}");
        if let Some((_, id)) = tag.split_once(" id=\"") {
            let id = id.split('"').next().map(str::to_owned);
            assert!(!ids.contains(&id), "{tag}");
            ids.push(id);
        }
        all.push(tag.to_owned());
        if VOID.contains(&name.as_str()) || tag.ends_with('/') {
            continue;
        }
        // What is in these is no HTML.
        if ["style", "script"].contains(&name.as_str()) {
            let close = format!("</{name}>");
            let end = rest.find(&close).expect("it ends");
            rest = &rest[end..];
        }
        open.push(name);
    }
    assert!(open.is_empty(), "{open:?}");
    all
}

/// The text that a reader sees, with single blanks.
fn seen(page: &str) -> String {
    let body = page.split_once("<body>").expect("there is a body").1;
    let body = body.split("<script>").next().unwrap_or_default();
    let texts = body
        .split('<')
        .map(|piece| piece.split_once('>').map_or("", |(_, text)| text));
    let text = texts.collect::<Vec<_>>().join(" ");
    let text = text
        .replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&quot;", "\"");
    let text = text.replace("&apos;", "'").replace("&amp;", "&");
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// What has to be true of each page.
#[track_caller]
fn stands_alone(page: &str) {
    let tags = tags(page);
    let has = |tag: &str| tags.iter().any(|other| other == tag);
    assert!(has("html lang=\"en\"") && has("title") && has("main") && has("h1"));
    for tag in &tags {
        for outside in ["src=", "href=\"http", "srcset="] {
            assert!(!tag.contains(outside), "{tag}");
        }
        let acts = |word: &str| word.starts_with("on") && word.contains('=');
        assert!(!tag.split(' ').any(acts), "{tag}");
    }
    assert!(!page.contains("http://") && !page.contains("https://"));
    assert!(!page.contains("@import") && !page.contains("url("));
    assert!(page.contains("default-src 'none'"));
    assert!(page.contains("prefers-color-scheme: dark"));
    // Each head of a table says what it is the head of, and no level of headings is left out.
    let mut last = 1;
    for tag in &tags {
        let name = tag.split(' ').next().unwrap_or_default();
        assert!(name != "th" || tag.contains(" scope=\""), "{tag}");
        if let Some(level) = name.strip_prefix('h').and_then(|n| n.parse::<usize>().ok()) {
            assert!(level <= last + 1, "{tag} after h{last}");
            last = level;
        }
    }
}

#[track_caller]
fn fits_a_mail(text: &str) {
    for line in text.lines() {
        assert!(width(line) <= 72, "{line}");
        assert_eq!(line, line.trim_end());
    }
    assert!(!text.contains("\n\n\n") && text.ends_with('\n'), "{text}");
}

#[test]
fn a_counterexample_has_its_steps_its_table_and_its_reason() {
    let path = model("stack_aba");
    let html = page(&[&path, "-a", "1"]);
    stands_alone(&html);
    let checked = orbitscope(&["check", &path, "-a", "1", "--format", "json"], b"");
    let checked: Value = serde_json::from_str(&checked.stdout).expect("it is JSON");
    let found = &checked["checks"][0]["counterexample"];
    let reason = found["reason"].as_str().expect("a text");
    let steps = found["steps"].as_array().expect("a list");
    let text = page(&[&path, "-a", "1", "--format", "text"]);
    fits_a_mail(&text);
    let joined = text.split_whitespace().collect::<Vec<_>>().join(" ");
    for form in [&seen(&html), &joined] {
        assert!(form.contains(reason), "{form}");
        assert!(form.contains("Spec(<>) [T= System"));
    }
    // An article for each state, which names the components that take part.
    assert_eq!(html.matches("<article").count(), steps.len() + 1);
    assert_eq!(
        html.matches("<li><a href=\"#step-").count(),
        steps.len() + 1
    );
    for (at, step) in steps.iter().enumerate() {
        let event = step["event"].as_str().expect("a text");
        assert!(seen(&html).contains(event));
        let row = html.split(&format!("<a href=\"#step-{}\">", at + 1)).nth(1);
        let row = row
            .and_then(|row| row.split("</li>").next())
            .expect("a row");
        for component in step["components"].as_array().expect("a list") {
            let name = component["component"].as_str().expect("a text");
            assert!(row.contains(name), "{row}");
        }
    }
    // A column for each step beside the first state, in a frame that keys reach.
    let wide = html.split("<div class=\"wide\"").nth(1).expect("a frame");
    let head = wide.split("</thead>").next().expect("heads");
    assert_eq!(head.matches("scope=\"col\"").count(), steps.len() + 2);
    assert!(head.contains("tabindex=\"0\""));
    assert!(seen(&html).contains("X allows {pop.*.B, push.*}"));
}

#[test]
fn a_walk_says_of_each_state_what_explain_says() {
    let path = model("list_stack");
    let html = page(&[&path, "--path", "walk:3,5"]);
    stands_alone(&html);
    let asked = orbitscope(&["explain", &path, "walk:3,5", "--format", "json"], b"");
    let asked: Value = serde_json::from_str(&asked.stdout).expect("it is JSON");
    let last = html.rsplit("<article").next().expect("a last state");
    let last = seen(&format!("<body><article{last}"));
    for list in ["components", "representative"] {
        for component in asked[list].as_array().expect("a list") {
            let [label, state] = ["label", "state"].map(|key| component[key].as_str());
            let row = format!("{} {}", label.expect("a text"), state.expect("a text"));
            assert!(last.contains(&row), "{row} in {last}");
        }
    }
    let size = asked["orbit_size"].as_str().expect("a text");
    let plain = last.replace(',', "");
    assert!(plain.contains(&format!("= {size} states")), "{last}");
    for part in asked["permutation"].as_array().expect("a list") {
        let cycles = part["cycles"].as_str().expect("a text");
        assert!(
            cycles == "id" || last.contains(cycles),
            "{cycles} in {last}"
        );
    }
    // The same walk, saved as the way to it, and as text.
    let text = page(&[&path, "--path", "walk:3,5", "-f", "text"]);
    fits_a_mail(&text);
    assert!(text.starts_with("A walk of System\n=====") && text.contains("\nStep 5: "));
}

#[test]
fn states_of_a_ring_are_drawn_on_circles() {
    let path = model("round_table");
    let html = page(&[&path, "--path", "<sits.0, takes.0.0>"]);
    stands_alone(&html);
    assert_eq!(html.matches("<svg").count(), 3);
    let last = html.rsplit("<svg").next().expect("a drawing");
    assert!(last.contains("*Phil.takes.2nd(0)") && last.contains("Fork[4]"));
    assert_eq!(last.matches("<polygon").count(), 10);
    // Nothing is looked for where nothing is drawn.
    assert!(!page(&[&path, "--path", "<sits.0>", "-f", "text"]).contains("generator"));
}

#[test]
fn a_comparison_has_the_verdict_with_its_ground_and_both_states() {
    let path = model("round_table");
    let (a, b) = ("<sits.0, takes.0.0>", "<sits.2, takes.2.2>");
    let html = page(&[&path, "--compare", a, b]);
    stands_alone(&html);
    let asked = orbitscope(&["compare", &path, a, b, "--format", "json"], b"");
    let asked: Value = serde_json::from_str(&asked.stdout).expect("it is JSON");
    let text = page(&[&path, "--compare", a, b, "-f", "text"]);
    fits_a_mail(&text);
    let joined = text.split_whitespace().collect::<Vec<_>>().join(" ");
    for form in [&seen(&html), &joined] {
        let why = asked["why"].as_array().expect("a list").iter();
        for said in why.chain([&asked["verdict"]]) {
            let said = said.as_str().expect("a text").trim();
            assert!(form.contains(said), "{said} in {form}");
        }
        assert!(form.contains("Phil[0] Phil.takes.2nd(0) -> Phil[2] Phil.takes.2nd(2)"));
    }
    // The permutation moves components in circles.
    assert_eq!(html.matches("<svg").count(), 1);
    let other = page(&[&path, "--compare", "<>", a]);
    stands_alone(&other);
    assert!(seen(&other).contains("Different orbits."));
}

#[test]
fn words_of_a_script_are_quoted_and_never_obeyed() {
    let path = script("<b>&x'.csp", SCRIPT).display().to_string();
    for number in ["1", "2", "3"] {
        let html = page(&[&path, "-a", number]);
        stands_alone(&html);
        assert_eq!(html.matches("<script>").count(), 1, "the one of the page");
        assert!(!html.contains("<b>") && html.contains("&lt;b&gt;&amp;x&apos;.csp"));
    }
    let shown = page(&[&path, "-a", "1"]);
    assert!(shown.contains("Run of assertion 1") && shown.contains("What it shows"));
    assert!(shown.contains("c.&quot;&lt;script&gt;alert(1)&lt;/script&gt;&quot;"));
    assert!(seen(&page(&[&path, "-a", "3"])).contains("DEADLOCK"));
    // Neither does a process from the command line get through, nor the folders of the script.
    let html = page(&[
        &path,
        "-p",
        "P ||| (let x = \"</title>\" within STOP)",
        "--path",
        "<>",
    ]);
    stands_alone(&html);
    let folder = Path::new(&path)
        .parent()
        .expect("a folder")
        .display()
        .to_string();
    assert!(!html.contains(&folder));
}

#[test]
fn saved_runs_are_exported_and_the_same_bytes_come_each_time() {
    let folder = folder("saved");
    let path = model("stack_aba");
    let saved = folder.join("cex.run.ron").display().to_string();
    let ran = orbitscope(&["check", &path, "-a", "1", "--save", &saved, "-q"], b"");
    assert_eq!(ran.code, Some(1), "{}", ran.stderr);
    let now = page(&[&path, "-a", "1"]);
    for run in [saved.clone(), format!("{saved}#1")] {
        assert_eq!(page(&[&path, "--run", &run]), now);
    }
    // A step of it is the end of a walk.
    let step = format!("{saved}@4");
    let walk = page(&[&path, "--path", &step]);
    assert_eq!(walk.matches("<article").count(), 5);
    assert!(walk.contains("A walk of System"));
    // A walk with a branch and a renaming is exported up to where the person was.
    let text = "Run(version: 1, script: \"stack_aba.csp\")";
    let bad = script("bad.run.ron", text).display().to_string();
    assert_eq!(export(&[&path, "--run", &bad]).code, Some(2));
    let lines = script("walk.txt", "random 3\nwrite walk.run.ron\n");
    let lines = lines.display().to_string();
    let ran = Command::new(env!("CARGO_BIN_EXE_orbitscope"))
        .args([&path, "--script", &lines, "--allow-writes"])
        .current_dir(&folder)
        .output()
        .expect("the program starts");
    let walk = folder.join("walk.run.ron").display().to_string();
    assert!(
        Path::new(&walk).exists(),
        "{}",
        String::from_utf8_lossy(&ran.stderr)
    );
    assert_eq!(
        page(&[&path, "--run", &walk]).matches("<article").count(),
        4
    );
}

#[test]
fn nothing_is_overwritten_silently() {
    let folder = folder("files");
    let path = model("round_table");
    let html = folder.join("page.html").display().to_string();
    let text = folder.join("page.txt").display().to_string();
    let subject = ["--path", "<sits.0>"];
    let write = |more: &[&str]| export(&[&[&*path], &subject[..], more].concat());
    for (file, format) in [(&html, "html"), (&text, "text")] {
        let ran = write(&["-o", file]);
        assert_eq!((ran.code, &*ran.stdout, &*ran.stderr), (Some(0), "", ""));
        let written = std::fs::read_to_string(file).expect("it was written");
        assert_eq!(written, write(&["-f", format]).stdout);
        assert_eq!(written, write(&["-f", format, "-o", "-"]).stdout);
        std::fs::write(file, "mine").expect("it can be written");
        let ran = write(&["-o", file]);
        assert_eq!(ran.code, Some(2));
        assert!(ran.stderr.contains("--force"), "{}", ran.stderr);
        assert_eq!(std::fs::read_to_string(file).expect("it is there"), "mine");
        assert_eq!(write(&["-o", file, "--force"]).code, Some(0));
        assert_eq!(std::fs::read_to_string(file).expect("it is there"), written);
    }
    let own = script("own.csp", "P = STOP\n").display().to_string();
    let ran = export(&[&own, "--path", "<>", "-f", "text", "-o", &own, "--force"]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.stderr.contains("part of the script"), "{}", ran.stderr);
    let missing = folder.join("no/page.html").display().to_string();
    let there = folder.display().to_string();
    for file in [&*missing, &*there] {
        assert_eq!(write(&["-f", "html", "-o", file]).code, Some(2), "{file}");
    }
    assert_eq!(write(&["-o", "page.pdf"]).code, Some(2));
}

#[test]
fn what_cannot_be_exported_is_refused_with_a_reason() {
    let path = script("export.csp", SCRIPT).display().to_string();
    let refused = |args: &[&str], code: i32, why: &str| {
        let ran = export(&[&[&*path], args].concat());
        assert_eq!((ran.code, &*ran.stdout), (Some(code), ""), "{args:?}");
        assert!(ran.stderr.contains(why), "{args:?}: {}", ran.stderr);
    };
    refused(&[], 2, "--run");
    refused(&["-a", "1", "--path", "<>"], 2, "cannot be used with");
    refused(&["-a", "9"], 2, "there is no assertion 9");
    refused(&["-a", "0"], 2, "");
    refused(&["-a", "4"], 1, "it holds");
    refused(&["--path", "<d.0>"], 3, "cannot be followed");
    refused(&["--path", "walk:x"], 2, "is no walk");
    refused(&["--compare", "<>"], 2, "2 values required");
    refused(&["--path", "<>", "-p", "Nobody"], 3, "Nobody");
    let rep = ["--path", "<>", "--rep", "ordering"];
    refused(&rep, 2, "cannot be used with");
    refused(&["--run", "nothing.run.ron"], 2, "nothing.run.ron");
    refused(
        &["--path", "walk:1,3000", "-p", "let R = d!0 -> R within R"],
        3,
        "too long for a page",
    );
    let ran = export(&["nothing.csp", "--path", "<>"]);
    assert_eq!(ran.code, Some(2));
    let none = script("export-none.csp", "channel a\n")
        .display()
        .to_string();
    let ran = export(&[&none, "--path", "<>"]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.stderr.contains("there is no process"), "{}", ran.stderr);
    let wrong = script("export-wrong.csp", "P = Q\n").display().to_string();
    assert_eq!(export(&[&wrong, "--path", "<>", "-p", "P"]).code, Some(3));
}

#[cfg(unix)]
#[test]
fn a_reader_that_goes_away_ends_it_quietly() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_orbitscope"))
        .args(["export", &model("round_table"), "--path", "walk:1,40"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(141));
    assert!(output.stderr.is_empty());
}
