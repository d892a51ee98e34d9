//! Walks in a terminal: saved, asked about, kept after a signal, replayed on a script that changed, and copied.

use std::path::{Path, PathBuf};

use crate::pty::{Terminal, project};

/// A folder of its own with a copy of a model.
fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("orbitscope-{name}-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    let model = project().join("models/list_stack.csp");
    std::fs::copy(model, folder.join("stack.csp")).unwrap();
    folder
}

fn start(folder: &Path, arguments: &str) -> Terminal {
    let program = env!("CARGO_BIN_EXE_orbitscope");
    let script = format!(
        "export XDG_STATE_HOME=\"$PWD/state\"; \
         sh -c 'echo $$ > number; exec env -u TMUX -u STY \"{program}\" \"$@\"' sh {arguments}; \
         echo EXIT=$?; sleep 60"
    );
    Terminal::run(folder, &script)
}

fn walk(terminal: &mut Terminal, steps: usize) {
    terminal.wait("step 0/0");
    terminal.wait("Thread(T0)");
    terminal.press(&format!("{steps}r"));
    terminal.wait(&format!("step {steps}/{steps}"));
    terminal.wait_until("an answer", |s| !s.contains("computing"));
}

/// Whether a program runs that has kept a walk there, as the name of the file tells.
fn runs(kept: &Path) -> bool {
    let files = std::fs::read_dir(kept).unwrap().flatten();
    let names = files.filter_map(|file| file.file_name().into_string().ok());
    let mut numbers = names.filter_map(|name| {
        let (_, rest) = name.split_once('-')?;
        Some(rest.split_once('.')?.0.to_owned())
    });
    numbers.any(|number| {
        let asked = std::process::Command::new("kill")
            .args(["-0", &number])
            .output();
        asked.is_ok_and(|asked| asked.status.success())
    })
}

#[test]
fn a_long_walk_is_saved_before_the_end_and_opened_again() {
    let folder = folder("saved");
    let mut terminal = start(&folder, "stack.csp");
    walk(&mut terminal, 15);
    terminal.press("ma");
    terminal.press("q");
    terminal.wait("15 steps of the walk are not saved");
    terminal.press("n");
    terminal.wait_until("the question is gone", |s| !s.contains("not saved"));
    terminal.press("q");
    terminal.wait("s saves and quits");
    terminal.press("s");
    terminal.wait("EXIT=0");
    assert!(folder.join("stack.run.ron").exists());
    let mut terminal = start(&folder, "stack.run.ron");
    terminal.wait("15 steps were replayed");
    terminal.press("5u");
    terminal.wait("step 10/15");
    terminal.press("'a");
    terminal.wait("step 15/15");
    terminal.press("q");
    terminal.wait("EXIT=0");
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn a_walk_survives_the_terminal() {
    let folder = folder("kept");
    let mut terminal = start(&folder, "stack.csp");
    walk(&mut terminal, 7);
    // As when the terminal goes away.
    let number = std::fs::read_to_string(folder.join("number")).unwrap();
    let kill = std::process::Command::new("kill")
        .args(["-HUP", number.trim()])
        .status();
    assert!(kill.unwrap().success());
    let kept = folder.join("state/orbitscope/kept");
    let end = std::time::Instant::now() + std::time::Duration::from_secs(30);
    while std::fs::read_dir(&kept).map_or(0, Iterator::count) == 0 {
        assert!(std::time::Instant::now() < end, "nothing was kept");
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    // It is offered once the program that has kept it does not run any more.
    while runs(&kept) {
        assert!(std::time::Instant::now() < end, "the program does not end");
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    let mut terminal = start(&folder, "stack.csp");
    terminal.wait("a walk of 7 steps was kept");
    terminal.press("\u{f}");
    terminal.wait("7 steps were replayed");
    terminal.press("j");
    terminal.wait("step 7/7");
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn a_long_walk_is_kept_when_ctrl_c_ends_it_and_a_short_one_is_not() {
    let folder = folder("interrupted");
    let kept = folder.join("state/orbitscope/kept");
    let files = || std::fs::read_dir(&kept).map_or(0, Iterator::count);
    for (steps, left) in [(3, 0), (25, 1)] {
        let mut terminal = start(&folder, "stack.csp");
        walk(&mut terminal, steps);
        terminal.press("\u{3}");
        terminal.wait("EXIT=");
        assert_eq!(files(), left, "after {steps} steps");
    }
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn where_a_walk_cannot_be_kept_that_is_said() {
    let folder = folder("unkept");
    std::fs::write(folder.join("state"), "no folder").unwrap();
    let mut terminal = start(&folder, "stack.csp");
    terminal.wait("Thread(T0)");
    terminal.press("25r");
    terminal.wait("the walk is not kept, W saves it: ");
    terminal.press("q");
    terminal.wait("25 steps of the walk are not saved");
    terminal.press("y");
    terminal.wait("EXIT=0");
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn a_script_that_changes_is_reloaded_with_the_walk() {
    let folder = folder("reload");
    let path = folder.join("stack.csp");
    let text = std::fs::read_to_string(&path).unwrap();
    let mut terminal = start(&folder, "stack.csp");
    walk(&mut terminal, 6);
    std::fs::write(&path, format!("{text}\nchannel another\n")).unwrap();
    terminal.wait("stack.csp changed on disk: R reloads");
    terminal.press("R");
    terminal.wait("6 steps were replayed");
    // One that cannot be used leaves everything as it was.
    std::fs::write(&path, "P = (").unwrap();
    terminal.wait("stack.csp changed on disk: R reloads");
    terminal.press("R");
    terminal.wait("The script cannot be used as it is now");
    terminal.press("\u{1b}");
    // Otherwise both keys are one, as Escape and a letter are.
    terminal.wait_until("the message is gone", |s| !s.contains("cannot be used"));
    std::fs::write(&path, text.replace("getTop", "takeTop")).unwrap();
    terminal.press("R");
    terminal.wait("is not possible there");
    terminal.press("\u{1b}");
    // Beside the steps stands what became of each.
    terminal.wait("X         not possible: getTop.");
    terminal.wait("= as before  # another state");
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn what_is_copied_reaches_the_terminal_as_osc_52() {
    let folder = folder("copied");
    let mut terminal = start(&folder, "stack.csp --trace '<push.T0.A>'");
    terminal.wait("5 silent steps of them found");
    terminal.press("y");
    terminal.wait("visible trace");
    terminal.press("v");
    terminal.wait("went to the clipboard by OSC 52");
    // `<push.T0.A>`
    let expected = b"\x1b]52;c;PHB1c2guVDAuQT4=\x07";
    let written = &terminal.written;
    let found = written.windows(expected.len()).any(|w| w == expected);
    assert!(found, "the sequence was written");
    terminal.press("yfv");
    terminal.wait("was written to stack-visible.txt");
    let text = std::fs::read_to_string(folder.join("stack-visible.txt")).unwrap();
    assert_eq!(text, "<push.T0.A>");
    std::fs::remove_dir_all(folder).unwrap();
}
