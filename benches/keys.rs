//! How long a person waits for the screen, through a pseudo-terminal: from the start of the program to its first
//! picture and to one that can be used, and from a key to the frame that it leads to, while nothing runs, while
//! a check uses all processors, with 5,000 transitions listed, and with 100 components shown.
//! `cargo bench --bench keys`. A time ends when the part of the picture that the key changes was read and
//! understood by a terminal of the bench's own, so that it includes what any terminal has to do.

mod support;

use std::io::{Read, Write};
use std::num::NonZeroU16;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use portable_pty::{Child, CommandBuilder, PtyPair, PtySize, native_pty_system};
use support::{Size, script};

const ROWS: u16 = 36;
const COLUMNS: u16 = 120;
/// Keys that are pressed for each line of the table.
const KEYS: usize = 400;
/// How long a person looks at a view before the next key.
const LOOKED: Duration = Duration::from_millis(500);
/// How often the program is started.
const STARTS: usize = 20;
/// What takes longer than this is a fault, and no figure.
const PATIENCE: Duration = Duration::from_secs(60);

/// The program in a pseudo-terminal.
struct Screen {
    _pair: PtyPair,
    child: Box<dyn Child + Send + Sync>,
    keys: Box<dyn Write + Send>,
    output: Receiver<Vec<u8>>,
    screen: vt100::Parser,
    started: Instant,
}

impl Screen {
    fn start(path: &Path) -> Self {
        let size = PtySize {
            rows: ROWS,
            cols: COLUMNS,
            pixel_width: 0,
            pixel_height: 0,
        };
        let pair = native_pty_system()
            .openpty(size)
            .expect("a pseudo-terminal");
        let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_orbitscope"));
        command.arg(path);
        command.env("TERM", "xterm-256color");
        // Nothing that a person has set or kept is to change what is measured.
        let home = Path::new(env!("CARGO_TARGET_TMPDIR")).join("home");
        std::fs::create_dir_all(&home).expect("the folder is writable");
        for variable in ["HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME"] {
            command.env(variable, &home);
        }
        let mut reader = pair.master.try_clone_reader().expect("its output");
        let keys = pair.master.take_writer().expect("its input");
        let started = Instant::now();
        let child = pair.slave.spawn_command(command).expect("the program runs");
        let (send, output) = channel();
        std::thread::spawn(move || {
            let mut buffer = [0; 65_536];
            while let Ok(n) = reader.read(&mut buffer) {
                if n == 0 || send.send(buffer[..n].to_vec()).is_err() {
                    return;
                }
            }
        });
        let cells = |n| NonZeroU16::new(n).expect("a terminal has cells");
        Self {
            _pair: pair,
            child,
            keys,
            output,
            screen: vt100::Parser::new(cells(ROWS), cells(COLUMNS), 0),
            started,
        }
    }

    fn press(&mut self, key: &str) {
        self.keys.write_all(key.as_bytes()).expect("keys are taken");
        self.keys.flush().expect("keys are taken");
    }

    /// Reads until the picture is as it should be; gives the time since some moment.
    fn until(
        &mut self,
        since: Instant,
        what: &str,
        test: impl Fn(&vt100::Screen) -> bool,
    ) -> Duration {
        while !test(self.screen.screen()) {
            match self.output.recv_timeout(PATIENCE) {
                Ok(bytes) => self.screen.process(&bytes),
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {
                    panic!(
                        "waited for {what}; the screen shows\n{}",
                        self.screen.screen().contents()
                    )
                }
            }
        }
        since.elapsed()
    }

    fn shows(&mut self, what: &str) -> Duration {
        self.until(self.started, what, |screen| {
            screen.contents().contains(what)
        })
    }

    /// From a key to the frame in which something else is seen.
    fn key<T: PartialEq>(
        &mut self,
        key: &str,
        seen: impl Fn(&vt100::Screen) -> Option<T>,
    ) -> Duration {
        let before = seen(self.screen.screen());
        let since = Instant::now();
        self.press(key);
        self.until(since, key, |screen| {
            seen(screen).is_some_and(|now| Some(now) != before)
        })
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The row of the selected transition.
fn selected(screen: &vt100::Screen) -> Option<usize> {
    let mut rows = screen.rows(0, COLUMNS);
    rows.position(|row| row.starts_with("║>") || row.starts_with("│>"))
}

/// The number of the present step, as the status line says it.
fn step(screen: &vt100::Screen) -> Option<String> {
    let mut rows = screen.rows(0, COLUMNS);
    let status = rows.nth(usize::from(ROWS) - 2)?;
    let after = status.split("step ").nth(1)?;
    // Not what follows the slash: the two may be drawn one after the other.
    after.split('/').next().map(str::to_string)
}

fn row(name: &str, mut times: Vec<Duration>) {
    times.sort();
    let at = |part: f64| {
        let index = (part * (times.len() - 1) as f64).round() as usize;
        times[index].as_secs_f64() * 1e3
    };
    let _ = writeln!(
        std::io::stdout(),
        "{name:<44} {:>8.2} {:>8.2} {:>8.2} {:>6}",
        at(0.5),
        at(0.95),
        at(1.0),
        times.len()
    );
}

/// Moves the selection, and takes and undoes steps.
fn keys(name: &str, screen: &mut Screen) {
    let moves = (0..KEYS).map(|n| screen.key(if n % 2 == 0 { "j" } else { "k" }, selected));
    row(&format!("{name}: j, k"), moves.collect());
    let steps = (0..KEYS).map(|n| screen.key(if n % 2 == 0 { "\r" } else { "u" }, step));
    row(&format!("{name}: Enter, u"), steps.collect());
}

fn written(name: &str, text: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, text).expect("the folder is writable");
    path
}

fn main() {
    let _ = writeln!(
        std::io::stdout(),
        "{:<44} {:>8} {:>8} {:>8} {:>6}",
        "milliseconds",
        "median",
        "95 %",
        "worst",
        "times"
    );
    let model = Path::new(env!("CARGO_MANIFEST_DIR")).join("models/list_stack.csp");
    let starts: Vec<_> = (0..STARTS)
        .map(|_| {
            let mut screen = Screen::start(&model);
            let first = screen.shows("Animate");
            let started = screen.started;
            (
                first,
                screen.until(started, "a transition", |s| selected(s).is_some()),
            )
        })
        .collect();
    row("start: first picture", starts.iter().map(|s| s.0).collect());
    row("start: transitions", starts.iter().map(|s| s.1).collect());

    let opened = |path: &Path| {
        let mut screen = Screen::start(path);
        screen.until(Instant::now(), "a transition", |s| selected(s).is_some());
        screen
    };
    keys("nothing runs", &mut opened(&model));
    // Large enough to run until the last key.
    let large = written("keys_check.csp", &script(Size(17, 4, 2)));
    let mut checking = opened(&large);
    checking.press("4");
    checking.shows("Assertions");
    checking.press("x");
    checking.shows("running");
    checking.press("1");
    checking.shows("Transitions");
    // A key right after a digit would make it a count.
    std::thread::sleep(LOOKED);
    keys("a check runs", &mut checking);
    assert!(
        checking.screen.screen().contents().contains("chk: 1 run"),
        "the check ended before the last key"
    );
    let many = "channel a, b : {0..4999}\nP = [] x : {0..4999} @ a.x -> b.x -> P\n";
    keys(
        "5,000 transitions",
        &mut opened(&written("keys_many.csp", many)),
    );
    let wide = "channel a : {0..99}\nC(i) = a.i -> a.i -> C(i)\nP = ||| i : {0..99} @ C(i)\n";
    keys(
        "100 components",
        &mut opened(&written("keys_wide.csp", wide)),
    );
}
