//! `orbitscope` alone in a real terminal: the page, the tour, and from one script to another.

use std::path::{Path, PathBuf};

use super::pty::Terminal;
use super::support::repository;

/// A folder with a script and a file that is none, and below it one for what is remembered.
fn folder(name: &str) -> PathBuf {
    let own = format!("orbitscope-welcome-{name}-{}", std::process::id());
    let folder = std::env::temp_dir().join(own);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(folder.join("mine")).expect("a folder");
    let model = repository("models/two_buffers.csp");
    std::fs::copy(model, folder.join("mine/buffers.csp")).expect("a copy");
    std::fs::write(folder.join("mine/wrong.csp"), "P = a -> -> STOP\n").expect("a script");
    folder
}

fn started(folder: &Path, arguments: &str) -> Terminal {
    let program = env!("CARGO_BIN_EXE_orbitscope");
    let state = folder.join("state");
    let state = state.display();
    Terminal::run(
        folder,
        &format!(
            "export ORBITSCOPE_STATE_DIR='{state}' ORBITSCOPE_LESSONS_DIR=/nowhere ORBITSCOPE_CONFIG_DIR=/nowhere; before=$(stty -g); '{program}' {arguments}; echo EXIT=$?; [ \"$before\" = \"$(stty -g)\" ] && echo RESTORED; sleep 60"
        ),
    )
}

#[test]
fn scripts_are_opened_from_the_page_and_exchanged() {
    let folder = folder("open");
    let mut terminal = started(&folder, "");
    terminal.wait("Take the 3-minute tour");
    terminal.wait("lessons, 0 done");
    terminal.press("O");
    terminal.wait("models of the program");
    // There is one folder, and in it two scripts.
    terminal.press("m\t");
    terminal.wait("mine/buffers.csp");
    terminal.press("buffer.csp\r");
    terminal.wait("is `buffers.csp` meant?");
    terminal.press("\x7f\x7f\x7f\x7f\t\r");
    terminal.wait("2 -> 1 orbit");
    terminal.press("\r");
    terminal.wait("step 1/1");
    // Another one, with errors: they are shown, and nothing is lost.
    terminal.press("P");
    terminal.wait("opened before");
    terminal.press("mine/wrong.csp\r");
    terminal.wait("wrong.csp");
    terminal.wait("E0");
    terminal.press("P");
    // Words of the page from before may still be on the screen; this name was not.
    terminal.wait("/mine/wrong.csp");
    terminal.press("\x1b[B\x1b[B\r");
    terminal.wait("2 -> 1 orbit");
    terminal.press("q");
    terminal.wait("EXIT=0");
    terminal.wait("RESTORED");
    let kept = std::fs::read_to_string(folder.join("state/welcome.ron")).expect("a file");
    let order = ["mine/buffers.csp", "mine/wrong.csp"].map(|name| kept.find(name));
    assert!(order[0].is_some() && order[0] < order[1], "{kept}");
    // What is not there any more is said.
    std::fs::remove_file(folder.join("mine/wrong.csp")).expect("it is there");
    let mut again = started(&folder, "");
    again.wait("buffers.csp, wrong.csp");
    again.press("j\r");
    again.wait("not there");
    again.press("\x1b[B\x1b[B\r");
    again.wait("there is no file");
    again.press("\x1b");
    again.wait("Take the 3-minute tour");
    again.press("q");
    again.wait("EXIT=0");
    std::fs::remove_dir_all(folder).expect("a folder");
}

#[test]
fn the_tour_is_taken_and_the_page_left_out() {
    let folder = folder("tour");
    let mut terminal = started(&folder, "welcome --no-mouse");
    terminal.wait("round table, 5 philosophers");
    terminal.press("\r");
    terminal.wait("Card 1 of 9");
    terminal.wait("5 -> 1 orbit");
    terminal.press("\r");
    terminal.wait("The first one sits down");
    terminal.press("n");
    terminal.wait("card 2/9");
    terminal.press("\r");
    terminal.wait("this card waits for u");
    terminal.press("u");
    terminal.wait("This is the state from before");
    terminal.press("\x1b");
    terminal.wait("goes on at card 2 of 9");
    terminal.resize(60, 16);
    terminal.wait("Skip; do not show again");
    terminal.press("G\r");
    terminal.wait("brings it back");
    terminal.press("\x1b");
    terminal.wait("Show this page at the start again");
    terminal.resize(40, 10);
    terminal.wait("is too small");
    terminal.press("q");
    terminal.wait("EXIT=0");
    let mut again = started(&folder, "--ascii");
    again.wait("Open a script");
    again.wait("models of the program");
    assert!(again.contents().is_ascii(), "{}", again.contents());
    again.press("\x03");
    again.wait("EXIT=0");
    std::fs::remove_dir_all(folder).expect("a folder");
}

#[test]
fn what_was_set_for_good_holds_and_mistakes_are_seen() {
    let folder = folder("config");
    let config = "Config(theme: \"mono\", grouping: none, keys: {\"take\": \"t\", \"undo\": \"Ctrl-b\"}, mouze: true)";
    std::fs::write(folder.join("config.ron"), config).expect("a file");
    let program = env!("CARGO_BIN_EXE_orbitscope");
    let place = folder.display();
    let mut terminal = Terminal::run(
        &folder,
        &format!(
            "export ORBITSCOPE_STATE_DIR='{place}/state' ORBITSCOPE_CONFIG_DIR='{place}'; '{program}' mine/buffers.csp; echo EXIT=$?; sleep 60"
        ),
    );
    terminal.wait("config.ron:1:78: there is no `mouze`; is `mouse` meant?");
    terminal.wait("t take");
    // Two transitions, and not one group of two.
    terminal.wait("l.B");
    terminal.press("\r");
    terminal.wait("Enter does nothing here");
    terminal.press("t");
    terminal.wait("step 1/1");
    terminal.press("\x02");
    terminal.wait("step 0/1");
    terminal.press("q");
    terminal.wait("EXIT=0");
    // No colours but those of the terminal.
    let text = String::from_utf8_lossy(&terminal.written).into_owned();
    assert!(!text.contains("\x1b[38;5;") && !text.contains("\x1b[48;5;"));
    std::fs::remove_dir_all(folder).expect("a folder");
}
