//! Results of earlier runs: used where nothing has changed, and never where something has.

use std::fs;
use std::path::{Path, PathBuf};

use crate::support::{Ran, orbitscope, repository, script};
use serde_json::Value;

const SCRIPT: &str = "datatype Node = N0 | N1 | N2\ndatatype Colour = Red | Green\n\
    channel pass : Node.{0..2}\nchannel show : Colour\nchannel done, go\nN = 2\n\
    Cell(n, x) = pass.n!x -> Cell(n, (x + 1) % (N + 1)) [] done -> STOP\n\
    Free(n) = pass.n?x -> Free(n) [] done -> STOP\n\
    Ring = [| {done} |] n : Node @ Cell(n, 0)\n\
    Loose = [| {done} |] n : Node @ Free(n)\n\
    Order = ; n : seq(Node) @ pass.n.0 -> SKIP\n\
    (lo, hi) = (0, N)\nRange = pass?n?x:{lo..hi} -> Range [] done -> STOP\n\
    module Box(limit)\n  inner(x) = x < limit & go -> inner(x + 1)\nexports\n  B = inner(0)\nendmodule\n\
    instance Two = Box(2)\ninstance Three = Box(N + 1)\n\
    Let = let comm = go -> comm2\n          comm2 = show?c -> comm\n      within comm\n\
    transparent sbisim\nSmall = sbisim(Let)\n\
    assert Range [T= Ring\nassert Ring :[deadlock free]\nassert Loose :[divergence free]\n\
    assert Two::B :[deadlock free]\nassert Three::B [T= Two::B\nassert Two::B [T= Three::B\n\
    assert Let [F= Small\nassert Small :[has trace]: <go, show.Red, go>\nassert Order :[deterministic]\n\
    assert Range [FD= Loose\nassert not Range [T= Loose\n";

/// An empty folder.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&folder);
    folder
}

fn cached(folder: &Path, path: &Path, more: &[&str]) -> Ran {
    let (folder, path) = (folder.display().to_string(), path.display().to_string());
    let args = ["check", "--cached", "--cache-dir", &folder, &path];
    orbitscope(&[&args, more].concat(), b"")
}

fn document(ran: &Ran) -> Value {
    serde_json::from_str(&ran.stdout).expect(&ran.stderr)
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("the folder is there");
    let mut files: Vec<_> = entries.map(|e| e.expect("a file").path()).collect();
    files.sort();
    files
}

/// Which of the results come from an earlier run, and all that they say beside that and how long it took.
fn results(document: &mut Value) -> (Vec<bool>, Vec<Value>) {
    let checks = document["checks"].as_array_mut().expect("checks");
    let mut hits = Vec::new();
    for check in checks.iter_mut() {
        hits.push(check["cached"] == true);
        let kept = [
            "states",
            "transitions",
            "plies",
            "components",
            "rules",
            "local_states",
        ];
        let stats = kept.map(|name| check["stats"][name].take());
        check["stats"] = stats.to_vec().into();
        for changes in ["cached", "checked_at"] {
            check[changes] = Value::Null;
        }
    }
    (hits, checks.clone())
}

#[test]
fn a_second_run_says_the_same_without_checking() {
    let folder = folder("cached_again");
    let path = script("cached_again.csp", SCRIPT);
    let first = cached(&folder, &path, &["--stats"]);
    let second = cached(&folder, &path, &["--stats"]);
    assert_eq!(first.code, second.code);
    let from = |line: &&str| !line.contains("from the cache");
    // What reading took is of this run, and so is the table.
    let report = |ran: &Ran| {
        let lines = ran.stdout.lines().filter(from);
        let lines = lines.take_while(|l| !l.contains("verdict  "));
        let lines = lines.filter(|l| !l.contains(" reading, "));
        lines.map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(report(&first), report(&second));
    assert!(report(&first).len() > 30, "{}", first.stdout);
    assert!(!first.stdout.contains("the cache"), "{}", first.stdout);
    let said = second
        .stdout
        .matches("   from the cache, checked on 20")
        .count();
    assert_eq!(said, 11, "{}", second.stdout);
    assert!(
        second.stdout.contains(", 11 from the cache\n"),
        "{}",
        second.stdout
    );
    // Nothing is used that was not asked for.
    let plain = orbitscope(&["check", &path.display().to_string()], b"");
    assert!(!plain.stdout.contains("the cache"), "{}", plain.stdout);
}

#[test]
fn an_edit_checks_what_it_may_change_and_nothing_else() {
    let folder = folder("cached_edits");
    let hits = |text: &str, more: &[&str]| {
        let path = script("cached_edits.csp", text);
        let ran = cached(&folder, &path, &[&["--format", "json"], more].concat());
        let hits = results(&mut document(&ran)).0;
        hits.iter()
            .map(|hit| if *hit { '+' } else { '-' })
            .collect::<String>()
    };
    assert_eq!(hits(SCRIPT, &[]), "-----------");
    let limit = [
        "--max-states",
        "100000",
        "--timeout",
        "10m",
        "--timeout-each",
        "5m",
    ];
    assert_eq!(hits(SCRIPT, &limit), "+++++++++++");
    assert_eq!(hits(SCRIPT, &["--no-symmetry"]), "-----------");
    for (from, to, expected) in [
        ("go -> comm2", "go -> {- then -} comm2", "+++++++++++"),
        (
            "\nN = 2",
            "\n\n-- Two.\nUnused = go -> Unused\nN = 2",
            "+++++++++++",
        ),
        ("x < limit", "x <= limit", "+++---+++++"),
        (
            "instance Two = Box(2)",
            "instance Two = Box(1)",
            "+++---+++++",
        ),
        ("show?c -> comm", "show.Red -> comm", "++++++--+++"),
        ("pass.n.0 ->", "pass.n.1 ->", "++++++++-++"),
        ("(0, N)", "(1, N)", "-++++++++--"),
        ("Green", "Blue | Green", "-----------"),
        ("N2\n", "N2 | N3\n", "-----------"),
    ] {
        let edited = SCRIPT.replacen(from, to, 1);
        assert_ne!(edited, SCRIPT, "{from}");
        assert_eq!(hits(&edited, &[]), expected, "{from} to {to}");
    }
}

#[test]
fn what_an_included_file_says_counts() {
    let folder = folder("cached_include");
    let main = script(
        "cached_include.csp",
        "include \"cached_included.csp\"\nassert P :[deadlock free]\n",
    );
    let status = |part: &str| {
        script("cached_included.csp", part);
        let document = document(&cached(&folder, &main, &["--format", "json"]));
        let check = &document["checks"][0];
        (check["status"].to_string(), check["cached"] == true)
    };
    let (good, bad) = ("channel a\nP = a -> P\n", "channel a\nP = a -> STOP\n");
    assert_eq!(status(good), ("\"pass\"".into(), false));
    assert_eq!(status(bad), ("\"fail\"".into(), false));
    assert_eq!(status(good), ("\"pass\"".into(), true));
    assert_eq!(status(bad), ("\"fail\"".into(), true));
}

/// Numbers drawn one after the other, the same ones each time.
struct Drawn(u64);

impl Drawn {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        ((self.0 >> 33) as usize) % n.max(1)
    }
}

/// The places of words and of numbers.
fn words(text: &str) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let mut begun = None;
    for (at, c) in text.char_indices().chain([(text.len(), ' ')]) {
        let inside = c.is_ascii_alphanumeric() || c == '_';
        match (inside, begun) {
            (true, None) => begun = Some(at),
            (false, Some(start)) => {
                found.push((start, at));
                begun = None;
            }
            _ => {}
        }
    }
    found
}

fn edited(text: &str, drawn: &mut Drawn) -> String {
    let mut lines: Vec<&str> = text.lines().collect();
    let (one, other) = (drawn.below(lines.len()), drawn.below(lines.len()));
    let declared = [
        "channel zz : {0..2}",
        "datatype ZT = ZA | ZB",
        "ZQ = let comm = STOP within comm",
        "Zf(x) = <x, 7, 2>",
        "ZS = seq({1..3})",
        "assert STOP [T= STOP",
        "-- a comment",
    ];
    match drawn.below(12) {
        0 => drop(lines.remove(one)),
        1 => lines.swap(one, other),
        2 | 3 => lines.insert(one, declared[drawn.below(declared.len())]),
        // An operator, a number or a name by another one: such edits leave a script sound.
        4 | 5 => {
            let (from, to) = [
                (" [] ", " |~| "),
                (" + ", " - "),
                (" < ", " <= "),
                ("->", "-> STOP [] go ->"),
            ][drawn.below(4)];
            return text.replacen(from, to, 1);
        }
        6..=9 => {
            let is_number =
                |(start, end): &(usize, usize)| text[*start..*end].parse::<u8>().is_ok();
            let all: Vec<_> = words(text).into_iter().filter(is_number).collect();
            let (start, end) = all[drawn.below(all.len())];
            return format!("{}{}{}", &text[..start], drawn.below(4), &text[end..]);
        }
        _ => {
            let all = words(text);
            let (start, end) = all[drawn.below(all.len())];
            let (from, to) = all[drawn.below(all.len())];
            return format!("{}{}{}", &text[..start], &text[from..to], &text[end..]);
        }
    }
    lines.join("\n") + "\n"
}

/// Whatever is edited: what is said with results of earlier runs is what is said without.
#[test]
fn random_edits_never_bring_back_what_no_longer_is() {
    let folder = folder("cached_random");
    let mut drawn = Drawn(7);
    let mut hits = (0, 0);
    let mut text = SCRIPT.to_owned();
    for _ in 0..40 {
        let before = text.clone();
        text = edited(&text, &mut drawn);
        let path = script("cached_random.csp", &text);
        let json = [
            "--format",
            "json",
            "--quiet",
            "--max-states",
            "20000",
            "--timeout-each",
            "20s",
        ];
        let known = cached(&folder, &path, &json);
        let name = path.display().to_string();
        let fresh = orbitscope(&[&["check", &name], &json[..]].concat(), b"");
        assert_eq!(known.code, fresh.code, "{text}");
        let (used, known) = results(&mut document(&known));
        let (_, fresh) = results(&mut document(&fresh));
        assert_eq!(known, fresh, "{text}");
        hits.0 += used.iter().filter(|hit| **hit).count();
        hits.1 += used.iter().filter(|hit| !**hit).count();
        // Where little is left to check, the edit is taken back.
        let decided = fresh.iter().filter(|c| c["status"] != "error").count();
        if decided < 6 || text.len() > 2 * SCRIPT.len() {
            text = before;
        }
    }
    assert!(hits.0 > 50 && hits.1 > 50, "{hits:?}");
}

#[test]
fn a_file_that_is_damaged_is_told_of_and_replaced() {
    let folder = folder("cached_damaged");
    let path = repository("models/peterson.csp");
    let json = ["--format", "json"];
    let mut first = document(&cached(&folder, &path, &json));
    let (_, expected) = results(&mut first);
    let whole = fs::read(&files(&folder)[0]).expect("a result");
    let other = fs::read(&files(&folder)[1]).expect("another result");
    let turned = String::from_utf8_lossy(&whole).replace("\"holds\":true", "\"holds\":false");
    for (bytes, says) in [
        (&whole[..whole.len() / 2], "it is damaged"),
        (&b""[..], "it is damaged"),
        (&b"\xff\xfe\x00"[..], "it is damaged"),
        (&b"{}\n"[..], "it is no result of this version"),
        (turned.as_bytes(), "it is damaged"),
        (&other, "it is that of another check"),
    ] {
        let file = &files(&folder)[0];
        fs::write(file, bytes).expect("the file can be written");
        // The text is only another one if this is the result of the assertion that holds.
        if bytes == whole {
            continue;
        }
        let ran = cached(&folder, &path, &json);
        assert!(ran.stderr.contains(says), "{says}: {}", ran.stderr);
        let (hits, found) = results(&mut document(&ran));
        assert_eq!(found, expected, "{says}");
        assert_eq!(hits.iter().filter(|hit| **hit).count(), 1, "{says}");
        let (hits, _) = results(&mut document(&cached(&folder, &path, &json)));
        assert_eq!(hits, [true, true], "{says}");
        fs::write(file, bytes).expect("the file can be written");
        let quiet = cached(&folder, &path, &["--quiet"]);
        assert_eq!(quiet.stderr, "", "{says}");
    }
}

/// A wrong counterexample in a file that is whole is not shown: the check is done again.
#[test]
fn a_counterexample_that_does_not_come_about_is_not_believed() {
    use sha2::{Digest, Sha256};
    let folder = folder("cached_lies");
    let path = repository("models/peterson.csp");
    let json = ["--format", "json", "-a", "2"];
    let (_, expected) = results(&mut document(&cached(&folder, &path, &json)));
    let file = &files(&folder)[0];
    let text = fs::read_to_string(file).expect("a result");
    let (_, kept) = text.split_once('\n').expect("two parts");
    let lie = kept.replacen("enter.P1", "leave.P1", 4);
    assert_ne!(lie, kept);
    let hash: String = Sha256::digest(lie.as_bytes())
        .iter()
        .map(|b| format!("{b:02x}"))
        .collect();
    fs::write(file, format!("orbitscope.result/1 {hash}\n{lie}")).expect("the file can be written");
    let ran = cached(&folder, &path, &json);
    assert!(ran.stderr.contains("does not come about"), "{}", ran.stderr);
    assert_eq!(results(&mut document(&ran)), (vec![false], expected));
}

#[test]
fn a_folder_that_cannot_be_written_to_is_a_note() {
    // A file where the folder should be: nobody can write into it, whoever runs the tests.
    let folder = script("cached_no_folder", "not a folder");
    let path = repository("models/peterson.csp");
    let ran = cached(&folder, &path, &[]);
    assert_eq!(ran.code, Some(1));
    // Said once, and not for each result.
    assert_eq!(
        ran.stderr.matches("orbitscope: ").count(),
        1,
        "{}",
        ran.stderr
    );
    assert!(
        ran.stderr.contains("cannot be written to"),
        "{}",
        ran.stderr
    );
    assert!(
        ran.stdout.contains("2 assertions: 1 holds, 1 fails;"),
        "{}",
        ran.stdout
    );
}

/// What no search has decided is not kept.
#[test]
fn only_verdicts_are_kept() {
    let folder = folder("cached_verdicts");
    let text = "datatype T = A | B\nchannel a : {0..999}\nP(x) = a!x -> P((x + 1) % 1000)\n\
                assert P(0) :[deadlock free]\nassert P(0) :[symmetric]: T\n";
    let path = script("cached_verdicts.csp", text);
    let cut = cached(&folder, &path, &["--no-merging", "--max-states", "10"]);
    assert_eq!(cut.code, Some(4), "{}", cut.stdout);
    assert!(!folder.exists());
    cached(&folder, &path, &["--no-merging"]);
    assert_eq!(files(&folder).len(), 1);
}

/// Several at once write the same files.
#[test]
fn two_processes_at_once_do_not_disturb_each_other() {
    let folder = folder("cached_at_once");
    let path = script("cached_at_once.csp", SCRIPT);
    let runs: Vec<Ran> = std::thread::scope(|scope| {
        let run = || cached(&folder, &path, &["--format", "json"]);
        let runs: Vec<_> = (0..3).map(|_| scope.spawn(run)).collect();
        runs.into_iter()
            .map(|r| r.join().expect("it ends"))
            .collect()
    });
    let all: Vec<_> = runs.iter().map(|r| results(&mut document(r)).1).collect();
    assert!(
        runs.iter().all(|r| r.stderr.is_empty()),
        "{}",
        runs[0].stderr
    );
    assert_eq!(all[0], all[1]);
    assert_eq!(all[0], all[2]);
    let (hits, _) = results(&mut document(&cached(
        &folder,
        &path,
        &["--format", "json"],
    )));
    assert_eq!(hits, [true; 11]);
    assert_eq!(files(&folder).len(), 11);
}
