//! The real program loop on a pseudo-terminal: this test binary runs itself as the program.

#![cfg(unix)]

use std::io::{Read, Write};
use std::num::NonZeroU16;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};

use super::super::bindings::Bindings;
use super::super::settings::Settings;
use super::super::theme::ThemeChoice;
use super::super::{ScreenOptions, ScreenStart, ScriptOptions, run};
use super::steady::held;
use super::{LIST_STACK, engine, runners};
use crate::animate::checker::Runners;
use crate::animate::worker::EngineSource;
use crate::check::Options;

/// Set for the copy of this binary that plays the program.
const PLAY: &str = "ORBITSCOPE_TEST_SCREEN";
const ALTERNATE_OFF: &str = "\x1b[?1049l";

/// Not a test but the program, when it is asked for.
#[test]
fn program() {
    if std::env::var_os(PLAY).is_none() {
        return;
    }
    let path = Path::new(LIST_STACK);
    let script = ScriptOptions {
        path: LIST_STACK.to_string(),
        process: Some("System".to_string()),
        trace: None,
        counterexample: None,
        session: None,
        engines: engines(path),
        checks: checks(path),
    };
    let options = ScreenOptions {
        workshop: Arc::new(|path| (engines(path), checks(path))),
        mouse: true,
        ascii: false,
        colour: true,
        theme: ThemeChoice::default(),
        settings: Settings::default(),
        bindings: Bindings::default(),
    };
    let result = run(ScreenStart::Script(Box::new(script)), options);
    let mut out = std::io::stdout();
    writeln!(out, "ENDED {}", result.is_ok()).unwrap();
}

fn engines(path: &Path) -> EngineSource {
    let path = path.to_path_buf();
    Box::new(move || engine(&path))
}

/// Checks that stand still, so that they can be left.
fn checks(path: &Path) -> Runners {
    held(runners(path, &Options::default(), &[]))
}

fn cells(count: u16) -> NonZeroU16 {
    NonZeroU16::new(count).unwrap()
}

struct Player {
    child: Box<dyn Child + Send + Sync>,
    master: Box<dyn MasterPty + Send>,
    writer: Box<dyn Write + Send>,
    raw: Arc<Mutex<Vec<u8>>>,
    screen: Arc<Mutex<vt100::Parser>>,
}

impl Player {
    fn start(panic: bool) -> Self {
        let size = PtySize {
            rows: 36,
            cols: 120,
            ..PtySize::default()
        };
        let pair = native_pty_system().openpty(size).unwrap();
        let mut command = CommandBuilder::new(std::env::current_exe().unwrap());
        // One test alone, and its output not captured: it draws on the terminal.
        command.args(["--exact", "tests::terminal::program", "--nocapture"]);
        command.env(PLAY, "1");
        command.cwd(std::env::current_dir().unwrap());
        command.env("TERM", "xterm-256color");
        if panic {
            command.env("ORBITSCOPE_TEST_PANIC", "1");
        }
        let child = pair.slave.spawn_command(command).unwrap();
        let mut reader = pair.master.try_clone_reader().unwrap();
        let writer = pair.master.take_writer().unwrap();
        let raw = Arc::new(Mutex::new(Vec::new()));
        let screen = Arc::new(Mutex::new(vt100::Parser::new(cells(36), cells(120), 0)));
        let (theirs, parser) = (Arc::clone(&raw), Arc::clone(&screen));
        std::thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(n) = reader.read(&mut buffer) {
                // The other end is closed.
                if n == 0 {
                    break;
                }
                parser.lock().unwrap().process(&buffer[..n]);
                theirs.lock().unwrap().extend_from_slice(&buffer[..n]);
            }
        });
        Self {
            child,
            master: pair.master,
            writer,
            raw,
            screen,
        }
    }

    fn type_keys(&mut self, keys: &str) {
        self.writer.write_all(keys.as_bytes()).unwrap();
        self.writer.flush().unwrap();
    }

    fn shown(&self) -> String {
        self.screen.lock().unwrap().screen().contents()
    }

    fn written(&self) -> String {
        String::from_utf8_lossy(&self.raw.lock().unwrap()).into_owned()
    }

    fn wait(&self, what: &str, done: impl Fn(&Self) -> bool) {
        let start = Instant::now();
        while !done(self) {
            let late = start.elapsed() > Duration::from_secs(30);
            assert!(
                !late,
                "no {what} in\n{}\n{:?}",
                self.shown(),
                self.written()
            );
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    fn wait_shown(&self, what: &str) {
        self.wait(what, |p| p.shown().contains(what));
    }

    /// Waits for the end; the terminal was given back.
    fn end(&mut self) {
        let start = Instant::now();
        while self.child.try_wait().unwrap().is_none() {
            assert!(start.elapsed() < Duration::from_secs(30), "it does not end");
            std::thread::sleep(Duration::from_millis(10));
        }
        // What the program wrote last may still be on its way through the reader.
        self.wait("restored terminal", |p| p.written().contains(ALTERNATE_OFF));
        let written = self.written();
        assert!(written.contains("\x1b[?25h"), "the cursor is hidden");
        assert!(written.contains("\x1b[?1000l"), "the mouse is captured");
        // Escape sequences are what was written; the mode is what the terminal is left in.
        let mode = self.master.get_termios().unwrap();
        let canonical = format!("{:?}", mode.local_flags);
        assert!(
            canonical.contains("ICANON") && canonical.contains("ECHO"),
            "{canonical}"
        );
    }
}

#[test]
fn starts_steps_resizes_and_quits() {
    let mut player = Player::start(false);
    player.wait_shown("lock.T0");
    player.type_keys("\r");
    player.wait_shown("step 1/1");
    let size = PtySize {
        rows: 24,
        cols: 80,
        ..PtySize::default()
    };
    player
        .screen
        .lock()
        .unwrap()
        .screen_mut()
        .set_size(cells(24), cells(80));
    player.master.resize(size).unwrap();
    // Only the layout for 80 columns has this pane.
    player.wait_shown("State  both");
    player.type_keys("q");
    player.wait("end", |p| p.written().contains("ENDED true"));
    player.end();
}

#[test]
fn a_panic_gives_the_terminal_back_before_it_prints() {
    let mut player = Player::start(true);
    player.end();
    let written = player.written();
    let restored = written.find(ALTERNATE_OFF).unwrap();
    let message = written.find("ORBITSCOPE_TEST_PANIC is set").unwrap();
    assert!(restored < message);
}

#[test]
fn a_signal_gives_the_terminal_back() {
    let mut player = Player::start(false);
    player.wait_shown("lock.T0");
    let id = player.child.process_id().unwrap();
    let kill = std::process::Command::new("kill")
        .args(["-TERM", &id.to_string()])
        .status();
    assert!(kill.unwrap().success());
    player.end();
}

#[test]
fn ctrl_c_ends_it_while_a_check_is_running() {
    let mut player = Player::start(false);
    player.wait_shown("lock.T0");
    player.type_keys("4");
    player.wait_shown("[4 Check]");
    // Typed in one go, the digit and the letter would be a number before a motion.
    std::thread::sleep(Duration::from_millis(400));
    // The second assertion, whose check lasts until it is cancelled.
    player.type_keys("jx");
    player.wait_shown("run  ply 11");
    player.type_keys("\x03");
    player.wait("end", |p| p.written().contains("ENDED true"));
    player.end();
}
