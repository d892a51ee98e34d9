//! What is written where links, pipes and devices stand in the way: nothing leads elsewhere, and nothing is waited for.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::{orbitscope, script};

/// An empty folder.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a folder can be made");
    folder
}

fn pipe(path: &Path) {
    let made = Command::new("mkfifo").arg(path).status();
    assert!(made.is_ok_and(|s| s.success()), "mkfifo");
}

#[test]
fn results_of_earlier_runs_are_gone_and_that_is_said() {
    let folder = folder("own_cached");
    let path = script("own_cached.csp", "assert STOP :[divergence free]\n");
    let (path, cache) = (path.display().to_string(), folder.join("c"));
    let cache = cache.display().to_string();
    for args in [
        &["check", "--cached", &path][..],
        &["check", "--cached", "--cache-dir", &cache, &path],
        &["check", "--cache-dir", &cache, "--both", &path],
    ] {
        let ran = orbitscope(args, b"");
        assert_eq!(ran.code, Some(2), "{args:?}: {}", ran.stdout);
        assert!(
            ran.stderr.contains("`--cached` and `--cache-dir` are gone"),
            "{}",
            ran.stderr
        );
        assert_eq!(ran.stdout, "", "{args:?}");
    }
    assert!(!Path::new(&cache).exists());
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let offered = orbitscope(&["completions", shell], b"").stdout;
        assert!(!offered.contains("--cache"), "{shell}");
    }
    assert!(
        !orbitscope(&["check", "--help"], b"")
            .stdout
            .contains("--cache")
    );
}

#[test]
fn a_link_among_pages_is_replaced_and_a_pipe_refused() {
    let folder = folder("own_pages");
    let (link, victim) = (folder.join("orbitscope-check.1"), folder.join("victim"));
    fs::write(&victim, "precious").expect("it can be written");
    std::os::unix::fs::symlink("victim", &link).expect("a link can be made");
    let named = folder.display().to_string();
    assert_eq!(orbitscope(&["man", &named], b"").code, Some(0));
    assert!(!link.is_symlink());
    assert_eq!(
        fs::read_to_string(&victim).expect("it is there"),
        "precious"
    );
    fs::remove_file(&link).expect("it is there");
    pipe(&link);
    let ran = orbitscope(&["man", &named], b"");
    assert_eq!(ran.code, Some(2));
    assert!(ran.stderr.contains("no regular file"), "{}", ran.stderr);
}

/// The program would wait for ever for somebody who reads.
#[test]
fn a_pipe_that_nobody_reads_is_not_waited_for() {
    let folder = folder("own_pipe");
    let path = script(
        "own_pipe.csp",
        "channel a\nassert a -> STOP :[deadlock free]\n",
    );
    let (path, to) = (path.display().to_string(), folder.join("p"));
    pipe(&to);
    let to = to.display().to_string();
    for args in [
        &["check", "--save", &to, &path][..],
        &["graph", "--format", "dot", "--output", &to, &path],
    ] {
        let ran = orbitscope(args, b"");
        assert_eq!(ran.code, Some(2), "{args:?}: {}", ran.stderr);
        assert!(ran.stderr.contains("nobody reads"), "{}", ran.stderr);
    }
}

/// As the shell does it for `check <(...)`.
#[test]
fn a_script_comes_from_a_pipe_that_a_person_names() {
    let from = folder("own_script").join("p");
    pipe(&from);
    let text = "channel a\nassert a -> STOP :[deadlock free]\n";
    let writer = {
        let from = from.clone();
        std::thread::spawn(move || fs::write(from, text))
    };
    let ran = orbitscope(&["check", &from.display().to_string()], b"");
    assert_eq!(ran.code, Some(1), "{}", ran.stderr);
    writer.join().expect("it ends").expect("it was written");
}
