//! Scripts of commands: the program runs them without a terminal, and what they make is what is kept.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use orbitscope::tui::language::{FORMS, form_of};

use crate::pty::cells;
use crate::support::repository;

/// The words of a command in the first line of a script; quotes keep words together.
fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    for (n, part) in line.split('"').enumerate() {
        match n % 2 {
            0 => words.extend(part.split_whitespace().map(str::to_owned)),
            _ => words.push(part.to_owned()),
        }
    }
    words
}

/// The scripts of a folder, each with the command that its first line tells.
fn scripts(folder: &str) -> Vec<(PathBuf, Vec<String>)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(repository(folder))
        .expect("a folder")
        .flatten()
    {
        let text = fs::read_to_string(entry.path()).expect("a script is text");
        let first = text.lines().next().unwrap_or_default();
        let command = first
            .strip_prefix("# orbitscope ")
            .expect("the first line tells the command");
        found.push((entry.path(), words(command)));
    }
    found.sort();
    assert!(!found.is_empty(), "no scripts in {folder}");
    found
}

fn program(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_orbitscope"));
    command
        .args(arguments)
        .current_dir(repository(""))
        .stdin(Stdio::null());
    command
}

fn run(arguments: &[&str]) -> Output {
    program(arguments).output().expect("the program runs")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// A file for what a test writes.
fn scratch(name: &str, content: &str) -> String {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("scripted");
    fs::create_dir_all(&folder).expect("a folder");
    let path = folder.join(name);
    fs::write(&path, content).expect("it can be written");
    path.display().to_string()
}

/// Does these lines on the philosophers; gives the exit code and what is said.
fn lines(name: &str, lines: &str, more: &[&str]) -> (Option<i32>, String, String) {
    let script = scratch(name, lines);
    let mut arguments = vec![
        "open",
        "models/philosophers.csp",
        "--script",
        script.as_str(),
    ];
    arguments.extend(more);
    let output = run(&arguments);
    let said = text(&output.stderr).replace(&script, "S");
    (output.status.code(), text(&output.stdout), said)
}

/// Leaves a check in a folder that was interrupted: its process, or another one that shared it, has ended at some change of
/// its files.
fn interrupt(folder: &Path, model: &str, store: &[&str]) {
    let model = repository(model).display().to_string();
    let mut check = program(&["check", &model, "-a", "1", "--no-symmetry", "--store"]);
    check
        .args(store)
        .args(["--store-after", "5", "--commit-every", "0s"]);
    check.env("ORBITSCOPE_END_AT", "60").current_dir(folder);
    let ended = check.output().expect("the program runs");
    let code = ended.status.code();
    assert!(code.is_none_or(|code| code == 4), "{}", text(&ended.stderr));
}

#[test]
fn scripts_run_to_their_ends() {
    // What they write is not to stay in the project, and nobody else puts anything there.
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("written_by_scripts");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a folder");
    interrupt(&folder, "models/philosophers.csp", &["states"]);
    let three = ["shared", "--processes", "3", "--share-after", "5"];
    interrupt(&folder, "models/stack_aba.csp", &three);
    for (path, command) in scripts("tests/screen/scripts") {
        let whole = |word: &String| match repository(word) {
            there if there.is_file() => there.display().to_string(),
            _ => word.clone(),
        };
        let arguments: Vec<String> = command.iter().map(whole).collect();
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let mut run = program(&arguments);
        let output = run.current_dir(&folder).output().expect("the program runs");
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{}: {said}", path.display());
    }
}

/// No form is told of that no script uses against the real engine.
#[test]
fn every_form_is_used_by_a_script() {
    let mut used = BTreeSet::new();
    for (path, _) in scripts("tests/screen/scripts") {
        let text = fs::read_to_string(path).expect("it was read before");
        used.extend(text.lines().filter_map(form_of).map(|form| form.usage));
        used.insert("COMMAND [N]");
        used.insert("# TEXT");
    }
    for form in FORMS {
        assert!(used.contains(form.usage), "{}", form.usage);
    }
}

/// What a script has made is kept beside it, and is still what it makes.
#[test]
fn pictures_and_recordings_are_current() {
    let mut made = 0;
    for (path, command) in scripts("assets/scripts") {
        let mut arguments = command.clone();
        // What is kept, and what is made now.
        let mut outputs: Vec<(PathBuf, PathBuf)> = Vec::new();
        for at in 0..arguments.len() {
            let kept = arguments.get(at + 1).cloned().unwrap_or_default();
            let name = Path::new(&kept).file_name().unwrap_or_default();
            let now = format!("current-{}", name.to_string_lossy());
            match arguments[at].as_str() {
                "--svg" | "--record" => arguments[at + 1] = scratch(&now, ""),
                "--frames" => {
                    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(&now);
                    let _ = fs::remove_dir_all(&folder);
                    fs::create_dir_all(&folder).expect("the folder is writable");
                    arguments[at + 1] = folder.display().to_string();
                }
                _ => continue,
            }
            outputs.push((repository(&kept), (&arguments[at + 1]).into()));
        }
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let output = run(&arguments);
        assert_eq!(
            output.status.code(),
            Some(0),
            "{}: {}",
            path.display(),
            text(&output.stderr)
        );
        for (kept, now) in outputs.iter().flat_map(|(kept, now)| files(kept, now)) {
            made += 1;
            let current = fs::read(&kept).ok() == fs::read(&now).ok();
            assert!(
                current,
                "{} is not what the program shows now. Look at the difference, and make it again:\n  \
                 cargo run --release -- {}",
                kept.display(),
                command
                    .iter()
                    .map(|word| quoted(word))
                    .collect::<Vec<_>>()
                    .join(" ")
            );
        }
    }
    assert!(made >= 30, "pictures and a recording");
}

/// A kept file and one that was made now, or those of two folders.
fn files(kept: &Path, now: &Path) -> Vec<(PathBuf, PathBuf)> {
    if !kept.is_dir() {
        return vec![(kept.to_owned(), now.to_owned())];
    }
    let entries = [kept, now].map(|folder| fs::read_dir(folder).expect("a folder"));
    let names = entries
        .into_iter()
        .flatten()
        .map(|e| e.expect("an entry").file_name());
    let names: BTreeSet<_> = names.collect();
    names
        .iter()
        .map(|name| (kept.join(name), now.join(name)))
        .collect()
}

fn quoted(word: &str) -> String {
    match word.contains(' ') {
        true => format!("\"{word}\""),
        false => word.to_owned(),
    }
}

#[test]
fn mistakes_are_told_all_at_once_before_anything_is_done() {
    let (code, shown, said) = lines("mistakes.txt", "frame\n veiw orbit\n\nundo x\n", &[]);
    assert_eq!((code, shown.as_str()), (Some(2), ""));
    assert!(
        said.contains(
            "S:2:2: `veiw` is no command; did you mean `view`?\n   veiw orbit\n   ^^^^\n"
        ),
        "{said}"
    );
    assert!(
        said.contains("S:4:6: `x` is not a number\n  undo x\n       ^"),
        "{said}"
    );
}

#[test]
fn exit_codes_tell_what_went_wrong() {
    let (code, shown, said) = lines("expect.txt", "wait\nexpect no such thing\nframe\n", &[]);
    assert_eq!(code, Some(1));
    assert!(
        said.contains("S:2:1: `no such thing` is not on the screen"),
        "{said}"
    );
    assert!(
        shown.contains("The screen is:") && shown.contains("Transitions"),
        "{shown}"
    );
    let (code, _, said) = lines("refused.txt", "undo 3\n", &[]);
    assert_eq!(code, Some(2));
    assert!(
        said.contains("S:1:1: undo a step: nothing to undo"),
        "{said}"
    );
    let (code, _, said) = lines("open.txt", "open NOTHING\n", &[]);
    assert_eq!(code, Some(2));
    assert!(said.contains("NOTHING cannot be opened"), "{said}");
    let (code, _, said) = lines("trace.txt", "trace <nonsense>\n", &[]);
    assert_eq!(code, Some(2));
    assert!(said.contains("The trace could not be followed"), "{said}");
    let (code, _, said) = lines("quit.txt", "quit\nundo\n", &[]);
    assert_eq!(code, Some(2));
    assert!(
        said.contains("S:2:1: the line before has ended the program"),
        "{said}"
    );
    assert_eq!(lines("over.txt", "quit\n", &[]).0, Some(0));
    let (code, _, said) = lines("size.txt", "", &["--size", "9x9"]);
    assert_eq!(code, Some(2));
    assert!(said.contains("20 to 400 columns"), "{said}");
    let output = run(&[
        "open",
        "models/philosophers.csp",
        "--script",
        "no/such/script",
    ]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("no/such/script cannot be read"));
    let broken = scratch("broken.csp", "P = (");
    let empty = scratch("empty.txt", "");
    assert_eq!(
        run(&["open", &broken, "--script", &empty]).status.code(),
        Some(3)
    );
    assert_eq!(
        run(&["open", "models/philosophers.csp", "--size", "80x24"])
            .status
            .code(),
        Some(2)
    );
}

/// `-` is standard input; frames are printed, with their names, or saved.
#[test]
fn frames_are_printed_or_saved() {
    let mut child = program(&[
        "open",
        "models/philosophers.csp",
        "--script",
        "-",
        "--size",
        "80x24",
    ]);
    let mut child = child
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("it runs");
    let mut input = child.stdin.take().expect("a pipe");
    std::io::Write::write_all(&mut input, b"frame one\nrandom 2\nframe\n").expect("it reads");
    drop(input);
    let output = child.wait_with_output().expect("it ends");
    let shown = text(&output.stdout);
    assert_eq!(output.status.code(), Some(0));
    assert!(shown.starts_with("--- one\n[1 Animate]"), "{shown}");
    assert_eq!(shown.lines().count(), 1 + 24 + 24);
    let folder = Path::new(&scratch("x", ""))
        .parent()
        .expect("a folder")
        .display()
        .to_string();
    let (code, shown, _) = lines(
        "saved.txt",
        "frame kept\n",
        &["--frames", &folder, "--dump"],
    );
    assert_eq!(code, Some(0));
    let kept = fs::read_to_string(Path::new(&folder).join("kept.txt")).expect("it was saved");
    assert_eq!(kept, shown);
}

/// A recording plays to the frame that the script ends with, and is the same each time.
#[test]
fn recordings_play_to_the_last_frame() {
    let script = "random 5\npause 0.5\nview orbit\norbit replay speed=4\nsize 80x24\nkey 1 j\n";
    let out = scratch("out.cast", "");
    let record = |name: &str| {
        let (code, shown, said) = lines(name, script, &["--record", &out, "--dump"]);
        assert_eq!(code, Some(0), "{said}");
        (fs::read_to_string(&out).expect("it was written"), shown)
    };
    let (cast, shown) = record("record.txt");
    assert_eq!(record("record.txt").0, cast);
    let mut lines = cast.lines();
    let header: serde_json::Value =
        serde_json::from_str(lines.next().expect("a header")).expect("JSON");
    assert_eq!(
        (&header["version"], &header["width"]),
        (&2.into(), &120.into())
    );
    let mut terminal = vt100::Parser::new(cells(36), cells(120), 0);
    let mut before = 0.0;
    for line in lines {
        let event: serde_json::Value = serde_json::from_str(line).expect("JSON");
        let seconds = event[0].as_f64().expect("seconds");
        assert!(seconds >= before, "time goes on");
        before = seconds;
        let data = event[2].as_str().expect("text");
        match event[1].as_str() {
            Some("r") => terminal.screen_mut().set_size(cells(24), cells(80)),
            _ => terminal.process(data.as_bytes()),
        }
    }
    assert!(before >= 0.5 + 2.0 * 0.12, "{before}");
    let played: Vec<&str> = shown.lines().collect();
    let on_it: Vec<String> = terminal
        .screen()
        .rows(0, 80)
        .map(|row| row.trim_end().to_owned())
        .collect();
    assert_eq!(on_it, played);
}

/// A picture is XML, has the words of the frame, and no control characters.
#[test]
fn pictures_have_the_words_of_the_frame() {
    let out = scratch("out.svg", "");
    let (code, _, said) = lines(
        "picture.txt",
        "key j\n",
        &["--svg", &out, "--title", "a <b> & \"c\""],
    );
    assert_eq!(code, Some(0), "{said}");
    let picture = fs::read_to_string(&out).expect("it was written");
    let document = roxmltree::Document::parse(&picture).expect("XML");
    let texts: Vec<&str> = document
        .descendants()
        .filter_map(|node| node.text())
        .collect();
    assert!(texts.contains(&"a <b> & \"c\""));
    assert!(
        texts.iter().any(|text| text.contains("Transitions")),
        "{texts:?}"
    );
}

/// A line that takes too long ends the script, and so does a signal; nothing is left running.
#[test]
fn a_line_that_does_not_end_is_ended() {
    let endless = scratch(
        "endless.csp",
        "channel a : {0..1}\nP(n) = a.0 -> P(n+1) [] a.1 -> P(n+2)\nassert P(0) :[deadlock free]\n",
    );
    let script = scratch("endless.txt", "check 1\nframe\n");
    let start = Instant::now();
    let output = run(&["open", &endless, "--script", &script, "--timeout", "1s"]);
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(4), "{said}");
    assert!(
        said.contains("this took longer than --timeout allows"),
        "{said}"
    );
    assert!(start.elapsed() < Duration::from_secs(20));
    let mut child = program(&["open", &endless, "--script", &script])
        .spawn()
        .expect("it runs");
    std::thread::sleep(Duration::from_millis(700));
    let id = child.id().to_string();
    let sent = Command::new("kill").args(["-INT", &id]).status();
    assert!(sent.is_ok_and(|status| status.success()));
    assert_eq!(child.wait().expect("it ends").code(), Some(130));
}

/// `--plain`: numbers and lines in, announcements out, and nothing that moves a cursor.
#[test]
fn the_animator_talks_in_lines() {
    let mut child = program(&["open", "models/list_stack.csp", "--plain"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("it runs");
    let mut input = child.stdin.take().expect("a pipe");
    let said = b"1\nu\n99\nstate\nrep\ntrace\nundo x\nundo\ncheck 1\nopen NOTHING\n?\nq\nnever\n";
    std::io::Write::write_all(&mut input, said).expect("it reads");
    drop(input);
    let output = child.wait_with_output().expect("it ends");
    let shown = text(&output.stdout);
    assert_eq!(output.status.code(), Some(0));
    let told = [
        "System, step 0, 11 components, 15 transitions to 2 orbits:\n1. ",
        "System, step 1, 11 components",
        "There is no transition 99.",
        "Thread[T0]: Thread(T0)",
        "Column 6: `x` is not a number.",
        "undo a step: nothing to undo",
        "NOTHING cannot be opened",
        "A number takes that transition.",
    ];
    let mut rest = shown.as_str();
    for words in told {
        let at = rest
            .find(words)
            .unwrap_or_else(|| panic!("{words}: {shown}"));
        rest = &rest[at..];
    }
    assert!(!shown.contains('\x1b'));
}
