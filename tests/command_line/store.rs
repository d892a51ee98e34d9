//! Checks whose states are on disk: the same results, also after an end in the middle and going on.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;

use crate::support::{repository, script, tiers};

/// A folder of its own for a search, with files in main memory where there are some.
pub fn folder(name: &str) -> PathBuf {
    let shared = Path::new("/dev/shm");
    let all = match shared.is_dir() {
        true => shared,
        false => Path::new(env!("CARGO_TARGET_TMPDIR")),
    };
    let folder = all.join(format!("orbitscope-{}-{name}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    folder
}

fn run(args: &[&str], ends_at: Option<u32>) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_orbitscope"));
    command.arg("check").args(args).stdin(Stdio::null());
    if let Some(n) = ends_at {
        command.env("ORBITSCOPE_END_AT", n.to_string());
    }
    command.output().expect("it starts")
}

fn text(path: &Path) -> &str {
    path.to_str().expect("a name that is text")
}

/// Drops what may differ: times, bytes, files, and what the search for symmetry cost.
pub fn comparable(value: &mut Value) {
    const OTHERS: [&str; 12] = [
        "seconds",
        "search_seconds",
        "compile_seconds",
        "reading_seconds",
        "bytes",
        "bytes_a_state",
        "peak_bytes",
        "ns_a_transition",
        "store",
        "processes",
        "structure_looked",
        "ends_stored_once",
    ];
    match value {
        Value::Object(fields) => {
            fields.retain(|name, _| !OTHERS.contains(&&name[..]));
            fields.values_mut().for_each(comparable);
        }
        Value::Array(all) => all.iter_mut().for_each(comparable),
        _ => {}
    }
}

#[track_caller]
fn result(output: &Output) -> Value {
    let told = String::from_utf8_lossy(&output.stdout);
    let read = serde_json::from_str(&told);
    let mut value: Value = read.unwrap_or_else(|error| {
        panic!(
            "{error}: {told}\n{}",
            String::from_utf8_lossy(&output.stderr)
        )
    });
    comparable(&mut value);
    value
}

/// A buffer that loses its order, if it may: some thousand states, and a violation far from the beginning.
fn buffers() -> PathBuf {
    let text = "datatype D = A | B | C\nchannel in, mid, out : D\n\
                B1(s) = #s < 3 & in?x -> B1(s^<x>) [] s != <> & mid!head(s) -> B1(tail(s))\n\
                B2(s) = #s < 3 & mid?x -> B2(s^<x>) [] s != <> & out!head(s) -> B2(tail(s))\n\
                Two = B1(<>) [| {|mid|} |] B2(<>)\n\
                Spec(s) = #s < 6 & in?x -> Spec(s^<x>) [] s != <> & out!head(s) -> Spec(tail(s))\n\
                Short(s) = #s < 5 & in?x -> Short(s^<x>) [] s != <> & out!head(s) -> Short(tail(s))\n\
                assert Spec(<>) [T= Two \\ {|mid|}\nassert Short(<>) [T= Two \\ {|mid|}\n\
                assert Two :[deadlock free [F]]\nassert Spec(<>) [FD= Two \\ {|mid|}\n\
                assert Two \\ {|in, mid, out|} :[divergence free]\n";
    script("buffers_on_disk.csp", text)
}

const LITTLE: [&str; 8] = [
    "--store-after",
    "5",
    "--commit-every",
    "0s",
    "--no-symmetry",
    "--format",
    "json",
    "--quiet",
];

#[test]
fn results_are_those_of_memory() {
    let path = buffers();
    for (number, more) in [
        ("1", None),
        ("2", None),
        ("3", Some("--count-full")),
        ("4", None),
        ("5", None),
        ("5", Some("--por")),
    ] {
        let folder = folder(&format!("same-{number}"));
        let common = [
            text(&path),
            "-a",
            number,
            "--no-symmetry",
            "--format",
            "json",
            "--quiet",
        ];
        let common: Vec<&str> = common.into_iter().chain(more).collect();
        let memory = run(&common, None);
        let more = ["--store", text(&folder), "--store-after", "5"];
        let disk = run(&[&common[..], &more].concat(), None);
        assert_eq!(disk.status.code(), memory.status.code());
        assert_eq!(result(&disk), result(&memory), "{number}");
        let told = String::from_utf8_lossy(&disk.stdout);
        assert!(told.contains("looked_up"), "{told}");
        assert!(!folder.exists(), "its files are gone with the verdict");
    }
}

/// At each write, and each time a file is synced, renamed or removed.
#[test]
fn a_check_that_is_killed_goes_on_where_it_was() {
    let path = buffers();
    let step = if tiers::tries_all() { 17 } else { 71 };
    for number in ["1", "2", "4", "5"] {
        let folder = folder(&format!("killed-{number}"));
        let mut args = vec![text(&path), "-a", number, "--store", text(&folder)];
        args.extend(LITTLE);
        let expected = result(&run(&args, None));
        let (mut killed, mut at) = (0, 1);
        loop {
            let ended = run(&args, Some(at));
            if ended.status.code().is_some() {
                assert_eq!(result(&ended), expected, "{at}");
                break;
            }
            killed += 1;
            let resumed = run(&["--resume", text(&folder)], None);
            // Before anything was noted there is nothing to go on with, and it is begun anew.
            let resumed = match resumed.status.code() {
                Some(2) => run(&args, None),
                _ => resumed,
            };
            assert_eq!(result(&resumed), expected, "killed at {at}");
            let _ = std::fs::remove_dir_all(&folder);
            at += step;
        }
        assert!(killed > 3, "{killed}");
    }
}

/// The screen tells of a check that was interrupted beside its script, and goes on with it.
#[test]
fn the_screen_goes_on_with_a_check() {
    let text_of = std::fs::read_to_string(buffers()).expect("a script");
    let (path, other) = (
        script("on_screen.csp", &text_of),
        script("not_it.csp", text_of),
    );
    let folder = path.with_file_name("on-screen-states");
    let _ = std::fs::remove_dir_all(&folder);
    let mut args = vec![text(&path), "-a", "2", "--store", text(&folder)];
    args.extend(LITTLE);
    let killed = run(&args, Some(150));
    assert_eq!(killed.status.code(), None, "{killed:?}");
    let screen = |path: &Path, lines: &str| {
        let lines = script("on_screen.orb", lines);
        let screen = Command::new(env!("CARGO_BIN_EXE_orbitscope"))
            .args([text(path), "--script", text(&lines), "--allow-writes"])
            .output()
            .expect("it starts");
        let told = [screen.stdout, screen.stderr].concat();
        (
            screen.status.code(),
            String::from_utf8_lossy(&told).into_owned(),
        )
    };
    let resume = format!("resume {}\n", folder.display());
    let (code, told) = screen(&other, &resume);
    assert!(
        code != Some(0) && told.contains("one of another script"),
        "{told}"
    );
    let (code, told) = screen(&path, "resume nowhere\n");
    assert!(
        code != Some(0) && told.contains("no check was interrupted in nowhere"),
        "{told}"
    );
    let nothing = "view check\nexpect not a check was interrupted\n";
    assert_eq!(screen(&other, nothing).0, Some(0));
    assert!(folder.exists(), "nothing has changed it");
    let goes_on = "view check\nexpect a check was interrupted\nresume\nwait\nexpect FAIL\n";
    let (code, told) = screen(&path, goes_on);
    assert_eq!(code, Some(0), "{told}");
    assert!(!folder.exists(), "it has come to its end");
}

#[test]
fn a_disk_without_room_ends_a_check_and_more_room_lets_it_go_on() {
    let path = buffers();
    let folder = folder("full");
    let mut args = vec![text(&path), "-a", "1", "--store", text(&folder)];
    args.extend(LITTLE);
    let expected = result(&run(&args, None));
    args.extend(["--disk", "9K"]);
    let full = run(&args, None);
    assert_eq!(full.status.code(), Some(4), "{full:?}");
    let told = String::from_utf8_lossy(&full.stderr);
    assert!(told.contains("--resume"), "{told}");
    let again = run(&["--resume", text(&folder), "--disk", "100M"], None);
    assert_eq!(result(&again), expected);
    assert!(!folder.exists());
}

#[test]
fn what_does_not_go_together_is_said() {
    let path = buffers();
    let folder = folder("refused");
    let fails = |args: &[&str], code: i32, words: &str| {
        let output = run(args, None);
        let told = String::from_utf8_lossy(&output.stderr).into_owned()
            + &String::from_utf8_lossy(&output.stdout);
        assert_eq!(output.status.code(), Some(code), "{args:?}: {told}");
        assert!(told.contains(words), "{args:?}: {told}");
    };
    let store = ["--store", text(&folder)];
    fails(
        &[&[text(&path)], &store[..]].concat(),
        2,
        "for one assertion",
    );
    for (number, rep, why) in [
        ("1", "flood", "more than their keys"),
        ("4", "first-seen", "to find a loop"),
    ] {
        let args = [text(&path), "-a", number, "--rep", rep];
        fails(&[&args[..], &store[..]].concat(), 3, why);
        assert!(!folder.exists(), "nothing went there");
    }
    fails(&["--resume", text(&folder)], 2, "no check was interrupted");
    std::fs::create_dir_all(&folder).expect("a folder");
    for name in ["letter.txt", "log-01", "run-000001"] {
        std::fs::write(folder.join(name), "dear").expect("a file");
    }
    fails(
        &[&[text(&path), "-a", "1"], &store[..]].concat(),
        2,
        "other files",
    );
    let mut left: Vec<_> = std::fs::read_dir(&folder)
        .expect("a folder")
        .map(|entry| entry.expect("an entry").file_name())
        .collect();
    left.sort();
    assert_eq!(left, ["letter.txt", "log-01", "run-000001"]);
    fails(&["--resume", text(&folder)], 2, "no check was interrupted");
    let _ = std::fs::remove_dir_all(&folder);
    fails(&["-", store[0], store[1]], 2, "in a file");
    fails(&[text(&path), "--disk", "1M"], 2, "are for `--store`");
    // Nothing is proved, and the check is over all the same.
    let model = repository("models/two_buffers.csp");
    let markers = [&[text(&model), "-a", "1", "--rep", "markers"], &store[..]].concat();
    let told = run(&markers, None);
    assert!(
        !String::from_utf8_lossy(&told.stderr).contains("--resume"),
        "{told:?}"
    );
    assert!(!folder.exists());
}

#[test]
fn a_check_of_another_script_does_not_go_on() {
    let folder = folder("changed");
    let path = script(
        "changed_on_disk.csp",
        std::fs::read(buffers()).expect("a script"),
    );
    let mut args = vec![text(&path), "-a", "1", "--store", text(&folder)];
    args.extend(LITTLE);
    let killed = run(&args, Some(150));
    assert_eq!(killed.status.code(), None, "{killed:?}");
    let again = run(&args, None);
    let told = String::from_utf8_lossy(&again.stderr);
    assert!(
        told.contains("holds a check that was interrupted"),
        "{told}"
    );
    let mut changed = std::fs::read_to_string(&path).expect("a script");
    changed.push_str("-- other\n");
    std::fs::write(&path, changed).expect("it can be written");
    let resumed = run(&["--resume", text(&folder)], None);
    let told = String::from_utf8_lossy(&resumed.stderr);
    assert!(told.contains("has changed"), "{told}");
    let _ = std::fs::remove_dir_all(&folder);
}

/// The list stack with the paper's strategies, reduced, on one thread and on several.
#[test]
fn a_model_comes_to_the_same_however_it_is_searched() {
    let path = repository("models/list_stack.csp");
    for more in [
        ["--rep", "exact"],
        ["--rep", "ordering"],
        ["--workers", "3"],
    ] {
        let folder = folder(&format!("model-{}", more[1]));
        let common = [
            text(&path),
            "-a",
            "1",
            "--symmetry",
            "types",
            "--max-states",
            "9000",
            "--format",
            "json",
            "--quiet",
        ];
        let common = [&common[..], &more[..]].concat();
        let memory = run(&common, None);
        let store = ["--store", text(&folder), "--store-after", "2000"];
        let disk = run(&[&common[..], &store].concat(), None);
        assert_eq!(result(&disk), result(&memory), "{more:?}");
        let _ = std::fs::remove_dir_all(&folder);
    }
}

/// Each state is evaluated when it is met, and each end comes in the middle of a round: what that has evaluated counts
/// for nothing when it goes on.
#[test]
fn what_is_evaluated_while_searching_is_so_again() {
    let text_of = "channel a : {0..2}\nchannel b\n\
                   C(n) = a!(n % 3) -> C(n + 1) [] b -> C(n + 7)\n\
                   System = C(0) ||| C(1)\nassert RUN({|a, b|}) [T= System\n";
    let path = script("evaluated_on_disk.csp", text_of);
    let common = [
        text(&path),
        "-a",
        "1",
        "--max-states",
        "30000",
        "--format",
        "json",
        "--quiet",
    ];
    let expected = result(&run(&common, None));
    let folder = folder("evaluated");
    let store = [
        "--store",
        text(&folder),
        "--store-after",
        "100",
        "--commit-every",
        "0s",
    ];
    let mut ended = run(
        &[&common[..], &store, &["--timeout", "150ms"]].concat(),
        None,
    );
    let (mut times, mut longest) = (0, 150);
    while ended.status.code() == Some(4) && result(&ended) != expected {
        times += 1;
        assert!(times < 60, "{ended:?}");
        // Longer and longer, so that it ends on a busy machine, too.
        longest += longest / 10;
        let longer = format!("{longest}ms");
        ended = run(&["--resume", text(&folder), "--timeout", &longer], None);
    }
    assert_eq!(result(&ended), expected);
    assert!(times > 1, "{times}");
    let _ = std::fs::remove_dir_all(&folder);
}
