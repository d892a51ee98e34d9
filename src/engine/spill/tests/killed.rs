//! The process is ended before each change of a file, and in the middle of each write.

use std::io::Write;
use std::process::Output;

use super::super::hooks::{END_AT, LOSE};
use super::search::Search;
use super::*;

const STEPS: usize = 7;

/// Not a test but a search that is killed: it tells each of its commits.
#[test]
fn search() {
    let Some(folder) = folder_of_copy() else {
        return;
    };
    let space = Space::open(&folder, None).expect("it opens");
    let mut search = Search::open(&space).expect("room");
    while search.step < STEPS {
        search.go_on().expect("room");
        let mut out = std::io::stdout();
        write!(out, "committed {} ", search.step).expect("a reader");
        out.flush().expect("a reader");
    }
}

/// The last commit that a killed search told; `before` if it told none.
fn told(output: &Output, before: usize) -> usize {
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let steps = text.split("committed ").skip(1);
    let steps = steps.map(|rest| rest.split(' ').next().and_then(|n| n.parse().ok()));
    steps.last().map_or(before, |step| step.expect("a number"))
}

/// Runs the search until a change, and holds its files to what it told. Returns its step, and whether it came to its
/// end.
fn killed_at(folder: &Folder, change: u64, loses: bool, before: usize) -> (usize, bool) {
    let mut command = copy_of_this("killed::search", folder);
    command.env(END_AT, change.to_string());
    if loses {
        command.env(LOSE, "1");
    }
    let output = command.output().expect("this program");
    let is_done = output.status.success();
    let committed = told(&output, before);
    assert_eq!(is_done, committed == STEPS && output.status.success());
    let space = folder.open();
    let search = Search::open(&space).expect("the last commit");
    // It may be killed between a commit and telling it.
    let is_told = [committed, committed + 1].contains(&search.step);
    assert!(is_told, "step {} after {committed}", search.step);
    search.look().expect("the last commit");
    (search.step, is_done)
}

/// Kills a search at each change, and again while it resumes. Then it must come to its end all the same.
fn walk(loses: bool) {
    let folder = Folder::new(if loses { "lost" } else { "killed" });
    for change in 1.. {
        folder.remove();
        let (step, is_done) = killed_at(&folder, change, loses, 0);
        if is_done {
            assert!(change > 100, "{change} changes");
            return;
        }
        // What it did after the commit is there. So other changes are made now.
        killed_at(&folder, change * 7 % 31 + 1, loses, step);
        let space = folder.open();
        let mut search = Search::open(&space).expect("the last commit");
        while search.step < STEPS {
            search.go_on().expect("room");
        }
        search.look().expect("all of it");
        assert_eq!(space.used(), folder.bytes());
    }
}

#[test]
fn a_process_may_be_killed_anywhere() {
    walk(false);
}

#[test]
fn power_may_be_lost_anywhere() {
    walk(true);
}
