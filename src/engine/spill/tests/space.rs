//! The folder of a search.

use std::io::{BufRead, BufReader, Write};

use super::super::log::Log;
use super::super::runs::Runs;
use super::*;

fn assert_busy(folder: &Path) {
    match Space::open(folder, None) {
        Err(error @ SpillError::Busy { .. }) => {
            assert!(error.to_string().contains("another process"));
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_folder_is_for_one() {
    let folder = Folder::new("busy");
    let space = folder.open();
    assert_busy(folder.path());
    // Also by another way to it.
    assert_busy(&folder.path().join("."));
    drop(space);
    let space = folder.open();
    // Files keep the folder, too.
    let log = Log::create(&space, "log").expect("room");
    drop(space);
    assert_busy(folder.path());
    drop(log);
    folder.open();
}

/// Not a test but a process that has the folder until it is told to go.
#[test]
fn holder() {
    if let Some(folder) = folder_of_copy() {
        let _space = Space::open(&folder, None).expect("it opens");
        writeln!(std::io::stdout(), "\nhas it").expect("a reader");
        let _ = std::io::stdin().read_line(&mut String::new());
    }
}

#[test]
fn another_process_has_the_folder() {
    let folder = Folder::new("busy-process");
    for is_killed in [false, true] {
        let mut child = start(&mut copy_of_this("space::holder", &folder));
        let lines = BufReader::new(child.stdout.take().expect("a pipe")).lines();
        let has_it = |line: std::io::Result<String>| line.is_ok_and(|line| line == "has it");
        assert!(lines.into_iter().any(has_it));
        assert_busy(folder.path());
        if is_killed {
            child.kill().expect("it runs");
        }
        drop(child.stdin.take());
        child.wait().expect("it ends");
        folder.open();
    }
}

#[test]
fn what_is_in_the_way_is_told() {
    let folder = Folder::new("in-the-way");
    std::fs::write(folder.path(), "").expect("room");
    let told = Space::open(folder.path(), None).expect_err("it is a file");
    assert!(matches!(told, SpillError::Io { .. }), "{told:?}");
    assert!(told.to_string().contains("in-the-way"), "{told}");
    std::fs::remove_file(folder.path()).expect("it is there");
    let space = folder.open();
    std::fs::create_dir(folder.path().join("log")).expect("room");
    let told = Log::create(&space, "log").expect_err("it is a folder");
    assert!(matches!(told, SpillError::Io { .. }), "{told:?}");
}

#[test]
fn files_that_are_there_are_counted() {
    let folder = Folder::new("counted");
    let deep = folder.path().join("made").join("too");
    assert_eq!(Space::open(&deep, None).expect("it is made").used(), 0);
    std::fs::write(folder.path().join("something"), [0; 1000]).expect("room");
    assert_eq!(folder.open().used(), 1000);
    let space = Space::open(folder.path(), Some(1010)).expect("it opens");
    assert_full(Log::create(&space, "log"));
    assert_eq!(space.used(), 1000);
    drop(space);
    // The header of a log has 32 bytes.
    let space = Space::open(folder.path(), Some(1032)).expect("it opens");
    Log::create(&space, "log").expect("there is just enough room");
    assert_eq!(space.used(), 1032);
    assert_eq!(space.folder(), folder.path());
}

#[test]
fn files_of_a_search_before_are_removed() {
    let folder = Folder::new("before");
    let names = [
        "run-000007",
        "run-1000000",
        "log",
        "log.12",
        "log.x",
        "run-x",
        "logs",
    ];
    let files: Vec<_> = names
        .iter()
        .map(|name| ((*name).to_owned(), vec![7]))
        .collect();
    folder.restore(&files);
    let space = folder.open();
    let log = Log::create(&space, "log").expect("room");
    let runs = Runs::create(&space, 2, first_bytes);
    let left: Vec<String> = folder.files().into_iter().map(|(name, _)| name).collect();
    assert_eq!(left, ["log", "log.x", "logs", "run-x"]);
    assert_eq!(space.used(), folder.bytes());
    assert!(log.is_empty() && runs.count() == 0 && runs.disk_bytes() == 0);
}

#[test]
fn commits_put_names_on_the_disk() {
    let folder = Folder::new("names");
    let space = folder.open();
    let mut log = Log::create(&space, "log").expect("room");
    let mut runs = Runs::create(&space, 1, first_bytes);
    assert!(!space.has_names());
    log.commit().expect("room");
    assert!(space.has_names());
    runs.add(1, &[vec![1]]).expect("room");
    assert!(!space.has_names());
    runs.commit().expect("room");
    assert!(space.has_names());
}

#[test]
fn names_of_logs_are_no_other_files() {
    let folder = Folder::new("log-names");
    let space = folder.open();
    for name in ["", "a.b", "a/b", "..", "a\0"] {
        let told = Log::create(&space, name).expect_err("no name");
        assert!(told.to_string().contains("is no name of a log"), "{told}");
    }
    assert_eq!(folder.bytes(), 0);
}
