//! Signals, suspending and drawing again: the screen lives, or ends with its terminal restored.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::pty::{Terminal, project};
use crate::support;

/// The program in a terminal, and the number of its process.
struct Screen {
    terminal: Terminal,
    note: PathBuf,
}

impl Screen {
    fn start(name: &str, script: &Path) -> Self {
        let note = support::script(&format!("{name}.pid"), "");
        let program = env!("CARGO_BIN_EXE_orbitscope");
        let run = format!(
            "before=$(stty -g); sh -c 'echo $$ > \"{}\"; exec \"{program}\" \"{}\"'; echo EXIT=$?; \
             [ \"$before\" = \"$(stty -g)\" ] && echo RESTORED; sleep 60",
            note.display(),
            script.display()
        );
        let mut terminal = Terminal::run(project(), &run);
        terminal.wait("step 0/0");
        terminal.wait("takes:");
        Self { terminal, note }
    }

    fn signal(&self, name: &str) {
        let number = std::fs::read_to_string(&self.note).expect("it was noted");
        let sent = Command::new("kill")
            .args([&format!("-{name}"), number.trim()])
            .status()
            .expect("signals are sent");
        assert!(sent.success(), "{name}");
    }

    fn ends(&mut self, code: u8) {
        self.terminal.wait(&format!("EXIT={code}"));
        self.terminal.wait("RESTORED");
        let screen = self.terminal.screen.screen();
        assert!(!screen.alternate_screen(), "the alternate screen is left");
        assert!(!screen.hide_cursor(), "the cursor is back");
        let mouse = screen.mouse_protocol_mode();
        assert_eq!(mouse, vt100::MouseProtocolMode::None, "the mouse is left");
    }
}

fn example() -> PathBuf {
    project().join("models/two_buffers.csp")
}

/// More states than any test waits for.
pub fn endless() -> PathBuf {
    let script = "channel a : {0..29}.{0..9}\nC(i, n) = a.i.n -> C(i, (n + 1) % 10)\n\
                  P = ||| i : {0..29} @ C(i, 0)\nassert RUN({|a|}) [T= P\n";
    support::script("endless_on_screen.csp", script)
}

/// Whether a screen is whole: all but the last two lines, which tell the news.
fn same(shown: &str, before: &str) -> bool {
    let panes = |text: &str| text.lines().take(34).map(str::to_owned).collect::<Vec<_>>();
    panes(shown) == panes(before)
}

#[test]
fn signals_end_the_screen_restored() {
    for (name, code) in [("TERM", 143), ("HUP", 129), ("INT", 130), ("QUIT", 131)] {
        let mut screen = Screen::start(&format!("signal_{name}"), &example());
        screen.signal(name);
        screen.ends(code);
    }
}

#[test]
fn signals_end_a_check_that_runs() {
    for (name, code) in [("HUP", 129), ("TERM", 143)] {
        let mut screen = Screen::start(&format!("checking_{name}"), &endless());
        screen.terminal.press("4");
        screen.terminal.wait("Assertions");
        screen.terminal.press("x");
        screen.terminal.wait("checking");
        screen.signal(name);
        screen.ends(code);
    }
}

/// To clear the screen nothing is asked of the terminal: this one never answers.
#[test]
fn drawing_again_asks_the_terminal_nothing() {
    if !support::tiers::has_time("screen signals::drawing_again_asks_the_terminal_nothing") {
        return;
    }
    let mut screen = Screen::start("redraw", &example());
    let terminal = &mut screen.terminal;
    let before = terminal.settled();
    for round in 0..3 {
        // Something else wrote to the terminal.
        terminal.screen.process(b"\x1b[5;5Hsomething else entirely");
        assert!(terminal.contents().contains("something else"));
        terminal.press("\x0c");
        terminal.wait_until("the whole screen", |s| s == before);
        if round == 1 {
            // Waiting for an answer would give up after two seconds.
            std::thread::sleep(std::time::Duration::from_millis(2500));
        }
    }
    terminal.press("4");
    terminal.wait("Assertions");
    terminal.resize(20, 5);
    terminal.wait("too small");
    terminal.press("\x0c");
    terminal.resize(100, 30);
    terminal.press("\x0c");
    terminal.wait("Assertions");
    terminal.press("\x03");
    screen.ends(0);
}

#[test]
fn a_suspended_screen_comes_back_whole() {
    if !support::tiers::has_time("screen signals::a_suspended_screen_comes_back_whole") {
        return;
    }
    let program = env!("CARGO_BIN_EXE_orbitscope");
    let script = example().display().to_string();
    let mut terminal = Terminal::run(
        project(),
        &format!(
            "set -m; before=$(stty -g); '{program}' '{script}'; \
             for n in 1 2; do echo STOPPED-$n; [ \"$before\" = \"$(stty -g)\" ] && echo COOKED-$n; \
             read line; fg > /dev/null; code=$?; done; echo EXIT=$code; \
             [ \"$before\" = \"$(stty -g)\" ] && echo RESTORED; sleep 60"
        ),
    );
    terminal.wait("takes:");
    let before = terminal.settled();
    for round in 1..=2 {
        terminal.press("\x1a");
        terminal.wait(&format!("STOPPED-{round}"));
        terminal.wait(&format!("COOKED-{round}"));
        assert!(!terminal.screen.screen().alternate_screen());
        assert!(!terminal.screen.screen().hide_cursor());
        terminal.press("\n");
        terminal.wait_until("the whole screen", |s| same(s, &before));
        assert!(terminal.screen.screen().alternate_screen());
        // Longer than anything would wait for an answer of the terminal.
        std::thread::sleep(std::time::Duration::from_millis(2500));
        terminal.press("4");
        terminal.wait("Assertions");
        terminal.press("1");
        terminal.wait_until("the first view", |s| s.contains("takes:"));
    }
    terminal.press("\x03");
    terminal.wait("EXIT=0");
    terminal.wait("RESTORED");
}

/// Stopped and continued by somebody else, while the mode of the terminal was changed.
#[test]
fn a_screen_that_was_stopped_from_outside_draws_again() {
    let mut screen = Screen::start("stopped", &example());
    let before = screen.terminal.settled();
    screen.signal("STOP");
    screen
        .terminal
        .screen
        .process(b"\x1b[2J\x1b[Hprompt$ \x1b[?25h");
    screen.signal("CONT");
    let whole = before;
    screen
        .terminal
        .wait_until("the whole screen", |s| s == whole);
    screen.terminal.press("4");
    screen.terminal.wait("Assertions");
    screen.terminal.press("\x03");
    screen.ends(0);
}

/// Where no shell could continue the program, it is not stopped.
#[test]
fn without_a_shell_nothing_stops() {
    let program = env!("CARGO_BIN_EXE_orbitscope");
    let script = example().display().to_string();
    let mut terminal = Terminal::run(project(), &format!("exec '{program}' '{script}'"));
    terminal.wait("takes:");
    terminal.press("\x1a");
    std::thread::sleep(std::time::Duration::from_millis(500));
    terminal.press("4");
    terminal.wait("Assertions");
    terminal.press("\x03");
    terminal.wait_until("the end", |_| true);
}
