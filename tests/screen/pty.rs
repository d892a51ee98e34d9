//! A program in a pseudo-terminal, and what its screen shows.

use std::io::{Read, Write};
use std::num::NonZeroU16;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use portable_pty::{CommandBuilder, MasterPty, PtySize, native_pty_system};

/// How long to wait for something to appear on the screen.
const PATIENCE: Duration = Duration::from_secs(60);

pub fn project() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

pub fn cells(count: u16) -> NonZeroU16 {
    NonZeroU16::new(count).expect("a terminal has cells")
}

/// A folder for the state of one program, removed with its terminal.
struct StateFolder(PathBuf);

impl StateFolder {
    fn new() -> Self {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let number = NEXT.fetch_add(1, Ordering::SeqCst);
        let process = std::process::id();
        let name = format!("orbitscope-state-{process}-{number}");
        Self(std::env::temp_dir().join(name))
    }
}

impl Drop for StateFolder {
    fn drop(&mut self) {
        // Most programs keep nothing.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

pub struct Terminal {
    master: Box<dyn MasterPty + Send>,
    keys: Box<dyn Write + Send>,
    output: Receiver<Vec<u8>>,
    /// Reads what the program writes; it holds the terminal as well.
    reader: JoinHandle<()>,
    pub screen: vt100::Parser,
    /// All that was written so far.
    pub written: Vec<u8>,
    /// All that was typed so far, as a shell shows it.
    pub typed: String,
    /// Removed last, when the terminal is gone.
    _state: StateFolder,
}

impl Terminal {
    /// Starts a shell that runs the program and says how it left the terminal.
    pub fn start(folder: &Path, arguments: &str) -> Self {
        let program = env!("CARGO_BIN_EXE_orbitscope");
        Self::run(
            folder,
            &format!(
                "before=$(stty -g); '{program}' {arguments}; echo EXIT=$?; [ \"$before\" = \"$(stty -g)\" ] && echo RESTORED; sleep 60"
            ),
        )
    }

    /// Starts a shell with something to run.
    pub fn run(folder: &Path, script: &str) -> Self {
        let size = PtySize {
            rows: 36,
            cols: 120,
            pixel_width: 0,
            pixel_height: 0,
        };
        let pair = native_pty_system()
            .openpty(size)
            .expect("a pseudo-terminal");
        let mut command = CommandBuilder::new("sh");
        command.args(["-c", script]);
        command.cwd(folder);
        command.env("TERM", "xterm-256color");
        // Walks that are kept are not those of anybody else.
        let state = StateFolder::new();
        command.env("XDG_STATE_HOME", &state.0);
        pair.slave.spawn_command(command).expect("a shell");
        let mut reader = pair.master.try_clone_reader().expect("its output");
        let (send, output) = channel();
        let reader = std::thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(n) = reader.read(&mut buffer) {
                if n == 0 || send.send(buffer[..n].to_vec()).is_err() {
                    return;
                }
            }
        });
        let keys = pair.master.take_writer().expect("its input");
        Self {
            master: pair.master,
            keys,
            output,
            reader,
            screen: vt100::Parser::new(cells(36), cells(120), 0),
            written: Vec::new(),
            typed: String::new(),
            _state: state,
        }
    }

    pub fn contents(&self) -> String {
        self.screen.screen().contents()
    }

    pub fn wait(&mut self, what: &str) {
        self.wait_until(what, |screen| screen.contains(what));
    }

    pub fn wait_until(&mut self, what: &str, test: impl Fn(&str) -> bool) {
        let end = Instant::now() + PATIENCE;
        while !test(&self.contents()) {
            assert!(
                Instant::now() < end,
                "waited for {what}; the screen shows\n{}",
                self.contents()
            );
            if let Ok(bytes) = self.output.recv_timeout(Duration::from_millis(50)) {
                self.take(&bytes);
            }
        }
    }

    fn take(&mut self, bytes: &[u8]) {
        self.screen.process(bytes);
        // As terminals do: the background, which is black, and what else it can do.
        if bytes.windows(5).any(|asked| asked == b"\x1b]11;") {
            let answer = b"\x1b]11;rgb:0000/0000/0000\x07\x1b[?62;22c";
            self.keys.write_all(answer).expect("keys are taken");
        }
        self.written.extend(bytes);
    }

    /// Whether the screen comes to show something within some time.
    pub fn shows(&mut self, time: Duration, test: impl Fn(&str) -> bool) -> bool {
        let end = Instant::now() + time;
        loop {
            if test(&self.contents()) {
                return true;
            }
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return false;
            }
            let wait = left.min(Duration::from_millis(20));
            if let Ok(bytes) = self.output.recv_timeout(wait) {
                self.take(&bytes);
            }
        }
    }

    /// What the screen shows once nothing has been drawn for a while.
    pub fn settled(&mut self) -> String {
        let end = Instant::now() + PATIENCE;
        while Instant::now() < end {
            match self.output.recv_timeout(Duration::from_millis(700)) {
                Ok(bytes) => self.take(&bytes),
                Err(_) => break,
            }
        }
        self.contents()
    }

    pub fn press(&mut self, key: &str) {
        for c in key.chars() {
            match c.is_ascii_control() {
                true => self.typed.extend(['^', char::from(c as u8 ^ 64)]),
                false => self.typed.push(c),
            }
        }
        self.keys.write_all(key.as_bytes()).expect("keys are taken");
        self.keys.flush().expect("keys are taken");
    }

    pub fn resize(&mut self, cols: u16, rows: u16) {
        self.screen.screen_mut().set_size(cells(rows), cells(cols));
        self.master
            .resize(PtySize {
                rows,
                cols,
                pixel_width: 0,
                pixel_height: 0,
            })
            .expect("a resize");
    }

    /// The terminal goes away. The thread that reads lets go of it once the program writes something, and a
    /// program writes when its terminal gets another size.
    pub fn hang_up(mut self) {
        let (_, nobody) = channel();
        self.output = nobody;
        let end = Instant::now() + PATIENCE;
        for size in 0.. {
            self.resize(80 + size % 2, 24);
            if self.reader.is_finished() {
                return;
            }
            assert!(Instant::now() < end, "nothing is written");
            std::thread::sleep(Duration::from_millis(50));
        }
    }
}
