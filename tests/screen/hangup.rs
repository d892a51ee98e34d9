//! A terminal that goes away, at whatever moment: no process is left behind.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use portable_pty::{CommandBuilder, PtySize, native_pty_system};

use crate::pty::{cells, project};
use crate::support;

/// How soon the program must have ended.
const SOON: Duration = Duration::from_secs(2);
/// The code of a program that has lost its terminal.
const HUNG_UP: &str = "129";
/// Tries of each moment; a variable asks for more.
const TRIES: &str = "ORBITSCOPE_TEST_HANGUPS";
/// Set for the copy of this program that plays the terminal: the script to open.
const PLAY: &str = "ORBITSCOPE_TEST_EMULATOR";
const SIZE: &str = "ORBITSCOPE_TEST_SIZE";
const NOTE: &str = "ORBITSCOPE_TEST_NOTE";

/// Not a test but a terminal: it runs the program, passes on what is typed and shown, and is killed.
/// Only so is the other end closed whatever is being read from it.
#[test]
fn emulator() {
    let Some(script) = std::env::var_os(PLAY) else {
        return;
    };
    let size = |text: &str| {
        let mut numbers = text.split(' ').map(|n| n.parse().expect("a number"));
        PtySize {
            cols: numbers.next().expect("columns"),
            rows: numbers.next().expect("rows"),
            ..PtySize::default()
        }
    };
    let given = std::env::var(SIZE).expect("a size");
    let pair = native_pty_system()
        .openpty(size(&given))
        .expect("a terminal");
    // A shell that outlives the terminal tells with which code the program ended. Its own trap is no matter to the
    // program, which is started as everything is.
    let run = "trap : HUP; sh -c 'echo $$ > \"$2\"; exec \"$0\" \"$1\"' \"$0\" \"$1\" \"$2\"; echo $? > \"$2.code\"";
    let mut command = CommandBuilder::new("sh");
    command.args(["-c", run, env!("CARGO_BIN_EXE_orbitscope")]);
    command.arg(script);
    command.arg(std::env::var_os(NOTE).expect("a place"));
    command.env("TERM", "xterm-256color");
    pair.slave.spawn_command(command).expect("the program");
    let mut reader = pair.master.try_clone_reader().expect("its output");
    std::thread::spawn(move || {
        let mut buffer = [0; 4096];
        while let Ok(n @ 1..) = reader.read(&mut buffer) {
            std::io::stdout().write_all(&buffer[..n]).expect("a reader");
            std::io::stdout().flush().expect("a reader");
        }
    });
    let mut keys = pair.master.take_writer().expect("its input");
    for line in BufReader::new(std::io::stdin())
        .lines()
        .map_while(Result::ok)
    {
        match line.split_once(':') {
            Some(("size", text)) => pair.master.resize(size(text)).expect("a size"),
            Some(("keys", text)) => {
                keys.write_all(text.as_bytes()).expect("it reads");
                keys.flush().expect("it reads");
            }
            _ => {}
        }
    }
}

/// A terminal that can be killed.
struct Emulator {
    child: Child,
    orders: ChildStdin,
    output: Receiver<Vec<u8>>,
    screen: vt100::Parser,
    note: PathBuf,
}

impl Emulator {
    fn start(name: &str, script: &Path, cols: u16, rows: u16) -> Self {
        let note = support::script(&format!("hangup_{name}.pid"), "");
        let mut child = Command::new(std::env::current_exe().expect("this program"))
            .args(["--exact", "hangup::emulator", "--nocapture"])
            .env(PLAY, script)
            .env(SIZE, format!("{cols} {rows}"))
            .env(NOTE, &note)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("a terminal");
        let orders = child.stdin.take().expect("a pipe");
        let mut stdout = child.stdout.take().expect("a pipe");
        let (send, output) = channel();
        std::thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(n @ 1..) = stdout.read(&mut buffer) {
                if send.send(buffer[..n].to_vec()).is_err() {
                    return;
                }
            }
        });
        Self {
            child,
            orders,
            output,
            screen: vt100::Parser::new(cells(rows), cells(cols), 0),
            note,
        }
    }

    fn order(&mut self, text: &str) {
        writeln!(self.orders, "{text}").expect("it listens");
        self.orders.flush().expect("it listens");
    }

    fn wait(&mut self, what: &str) {
        let end = Instant::now() + Duration::from_secs(60);
        while !self.screen.screen().contents().contains(what) {
            let shown = self.screen.screen().contents();
            assert!(Instant::now() < end, "waited for {what} in\n{shown}");
            if let Ok(bytes) = self.output.recv_timeout(Duration::from_millis(20)) {
                self.screen.process(&bytes);
            }
        }
    }

    /// The program's process, once there is one.
    fn process(&self) -> String {
        let end = Instant::now() + Duration::from_secs(60);
        loop {
            let text = std::fs::read_to_string(&self.note).unwrap_or_default();
            if text.ends_with('\n') {
                return text.trim().to_owned();
            }
            assert!(Instant::now() < end, "the program does not start");
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    /// The terminal goes away; what is there of the program after a while?
    fn close(mut self, moment: &str) {
        let process = self.process();
        self.child.kill().expect("it is killed");
        self.child.wait().expect("it is killed");
        let start = Instant::now();
        while let Some(state) = state_of(&process) {
            if start.elapsed() > SOON {
                let _ = Command::new("kill").args(["-KILL", &process]).status();
                panic!("after {moment}: process {process} is left ({state})");
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        assert_eq!(self.code(), HUNG_UP, "after {moment}");
    }

    /// The code with which the program ended, once the shell has noted it.
    fn code(&self) -> String {
        let note = PathBuf::from(format!("{}.code", self.note.display()));
        let end = Instant::now() + Duration::from_secs(60);
        loop {
            let text = std::fs::read_to_string(&note).unwrap_or_default();
            if text.ends_with('\n') {
                let _ = std::fs::remove_file(note);
                return text.trim().to_owned();
            }
            assert!(Instant::now() < end, "the shell notes nothing");
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

/// What a process does; nothing if it has ended, also if nobody has asked how.
fn state_of(process: &str) -> Option<String> {
    let output = Command::new("ps")
        .args(["-o", "stat=", "-p", process])
        .output()
        .expect("a list of processes");
    let state = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    (!state.is_empty() && !state.starts_with('Z')).then_some(state)
}

fn tries() -> u64 {
    let asked = std::env::var(TRIES).ok().and_then(|n| n.parse().ok());
    asked.unwrap_or(2)
}

fn example() -> PathBuf {
    project().join("models/two_buffers.csp")
}

#[test]
fn while_it_starts() {
    for n in 0..tries() {
        let emulator = Emulator::start("start", &example(), 120, 36);
        emulator.process();
        std::thread::sleep(Duration::from_millis(n * 7 % 150));
        emulator.close("starting");
    }
}

#[test]
fn while_nothing_happens() {
    for _ in 0..tries() {
        let mut emulator = Emulator::start("idle", &example(), 120, 36);
        emulator.wait("takes:");
        emulator.close("nothing");
    }
}

#[test]
fn while_it_draws_again() {
    for n in 0..tries() {
        let mut emulator = Emulator::start("redraw", &example(), 120, 36);
        emulator.wait("takes:");
        for _ in 0..=n % 4 {
            emulator.order("keys:\x0c");
        }
        std::thread::sleep(Duration::from_millis(n * 3 % 40));
        emulator.close("Ctrl-L");
    }
}

#[test]
fn while_its_size_changes() {
    for n in 0..tries() {
        let mut emulator = Emulator::start("resize", &example(), 20, 5);
        emulator.wait("too small");
        for size in ["120 36", "20 5", "90 20"].iter().take(1 + n as usize % 3) {
            emulator.order(&format!("size:{size}"));
            emulator.order("keys:\x0c");
        }
        std::thread::sleep(Duration::from_millis(n * 5 % 50));
        emulator.close("a change of size");
    }
}

#[test]
fn while_it_checks() {
    for n in 0..tries() {
        let mut emulator = Emulator::start("check", &crate::signals::endless(), 120, 36);
        emulator.wait("takes:");
        emulator.order("keys:4");
        emulator.wait("Assertions");
        emulator.order("keys:x");
        emulator.wait("checking");
        std::thread::sleep(Duration::from_millis(n * 37 % 900));
        emulator.close("a check");
    }
}
