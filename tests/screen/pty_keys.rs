//! Random keys, mouse events, sizes and pasted texts in a real terminal, and an end at a random moment: by a key, by
//! a signal, by a terminal that goes away. The terminal is as it was before, and nothing is left in it.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use super::acts::Random;
use super::pty::{Terminal, project};
use super::random_keys::seed;
use super::support::{say, tiers};

/// How the program comes to its end.
#[derive(Clone, Copy, Debug, PartialEq)]
enum End {
    Key,
    Signal(&'static str, i32),
    Hangup,
}

const ENDS: [End; 6] = [
    End::Key,
    End::Signal("TERM", 143),
    End::Key,
    End::Signal("HUP", 129),
    End::Hangup,
    End::Signal("INT", 130),
];
const MODELS: [&str; 4] = ["list_stack", "philosophers", "ring", "nothing_there"];
/// How soon the program has to end.
const SOON: Duration = Duration::from_secs(20);

/// What a terminal sends for keys that are no characters.
const SEQUENCES: [&str; 18] = [
    "\r", "\r", "\r", "\x1b", "\t", "\x1b[A", "\x1b[B", "\x1b[C", "\x1b[D", "\x1b[5~", "\x1b[6~",
    "\x1b[H", "\x1b[F", "\x1b[Z", "\x7f", "\x1bOP", "\x1b[I", "\x1b[O",
];
/// Keys of commands, and some that mean nothing.
const LETTERS: &str =
    "rrrrjjkklluuUhotwsRBHe1122345678xyYSz$]pDn/?:mac'cvidfFWTLMXNEA.+-=0 9!~{}é日";

fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("orbitscope-{name}-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder");
    for model in MODELS {
        let path = project().join("models").join(model).with_extension("csp");
        // One is missing: then the screen says so.
        let _ = std::fs::copy(path, folder.join(model).with_extension("csp"));
    }
    folder
}

fn start(folder: &Path, model: &str) -> Terminal {
    let program = env!("CARGO_BIN_EXE_orbitscope");
    // Whenever the program is suspended, the shell continues it at once.
    let script = format!(
        "set -m; export XDG_STATE_HOME=\"$PWD/state\" ORBITSCOPE_STATE_DIR=\"$PWD/state\" ORBITSCOPE_LESSONS_DIR=/nowhere ORBITSCOPE_CONFIG_DIR=/nowhere; \
         before=$(stty -g); sh -c 'echo $$ > pid; exec env -u TMUX -u STY \"{program}\" {model}.csp'; code=$?; \
         while [ $code -gt 145 ]; do echo STOPPED; fg > /dev/null; code=$?; done; \
         echo EXIT=$code; [ \"$before\" = \"$(stty -g)\" ] && echo RESTORED; sleep 60"
    );
    let mut terminal = Terminal::run(folder, &script);
    terminal.wait("1 Animate");
    terminal
}

/// One event, as a terminal sends it.
fn event(terminal: &mut Terminal, random: &mut Random) {
    let letters: Vec<char> = LETTERS.chars().collect();
    let at = |random: &mut Random| (1 + random.below(125), 1 + random.below(40));
    match random.below(100) {
        0..55 => terminal.press(&random.of(&letters).to_string()),
        55..75 => terminal.press(random.of(&SEQUENCES)),
        75..88 => {
            let (x, y) = at(random);
            // Pressed, let go, dragged, the wheel.
            let (button, last) = random.of(&[
                (0, 'M'),
                (0, 'M'),
                (0, 'm'),
                (32, 'M'),
                (64, 'M'),
                (65, 'M'),
            ]);
            terminal.press(&format!("\x1b[<{button};{x};{y}{last}"));
        }
        88..91 => {
            let (x, y) = at(random);
            terminal.press(&format!("\x1b[<0;{x};{y}M\x1b[<0;{x};{y}m\x1b[<0;{x};{y}M"));
        }
        91..93 => terminal.press("\x1b[200~pasted text\nof two lines\x1b[201~"),
        93..95 => terminal.press("jjkk99rll\r\x1b"),
        95 => suspend(terminal),
        96 => terminal.press("\x0c"),
        97 => quit(terminal, random),
        _ => {
            let (columns, rows) =
                random.of(&[(120, 36), (80, 24), (60, 16), (1, 1), (300, 100), (61, 17)]);
            terminal.resize(columns, rows);
        }
    }
}

/// Suspends the program, which the shell continues. What was typed in between would be on the screen of the shell.
fn suspend(terminal: &mut Terminal) {
    let stops = |written: &[u8]| String::from_utf8_lossy(written).matches("STOPPED").count();
    let before = stops(&terminal.written);
    terminal.press("\x1a");
    // Where a text is typed the key means nothing.
    let end = Instant::now() + Duration::from_millis(1_500);
    while Instant::now() < end {
        terminal.shows(Duration::from_millis(10), |_| false);
        if stops(&terminal.written) > before && terminal.screen.screen().alternate_screen() {
            return;
        }
    }
}

/// Makes the terminal large enough for what the shell says at the end.
fn room(terminal: &mut Terminal) {
    terminal.resize(120, 36);
    terminal.shows(Duration::from_millis(100), |_| false);
}

/// Asks to quit. What is typed after the end would be on the screen of the shell.
fn quit(terminal: &mut Terminal, random: &mut Random) {
    room(terminal);
    terminal.press("q");
    if !terminal.shows(Duration::from_millis(500), |s| s.contains("EXIT=")) {
        terminal.press(random.of(&["n", "\x1b", "y"]));
        terminal.shows(Duration::from_millis(500), |s| s.contains("EXIT="));
    }
}

fn pid(folder: &Path) -> String {
    let pid = std::fs::read_to_string(folder.join("pid")).expect("its number");
    pid.trim().to_owned()
}

/// What the program does, as far as the operating system tells; nothing if it has ended, whether or not somebody has
/// taken note of that.
fn state(pid: &str) -> Option<String> {
    let asked = Command::new("kill").args(["-0", pid]).output();
    if !asked.is_ok_and(|asked| asked.status.success()) {
        return None;
    }
    let told = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let line = told.lines().find_map(|line| line.strip_prefix("State:"));
    let state = line.unwrap_or("not known").trim();
    (!state.starts_with('Z')).then(|| state.to_owned())
}

/// That the program has ended like this, and has left the terminal as it was.
fn ended(terminal: &mut Terminal, code: i32, what: &str) {
    let is_over = terminal.shows(SOON, |s| s.contains("EXIT=") && s.contains("RESTORED"));
    let left = terminal.contents();
    assert!(is_over, "{what}: it does not end, or not restored\n{left}");
    assert!(left.contains(&format!("EXIT={code}")), "{what}: {left}");
    let screen = terminal.screen.screen();
    assert!(!screen.alternate_screen(), "{what}: the alternate screen");
    assert!(!screen.hide_cursor(), "{what}: the cursor is hidden");
    let mouse = screen.mouse_protocol_mode();
    assert_eq!(mouse, vt100::MouseProtocolMode::None, "{what}");
    assert!(!screen.bracketed_paste(), "{what}: pastes are bracketed");
    // A busy machine takes its time from when the terminal is as it was to the end: what is typed meanwhile is shown.
    let is_typed = |(last, _): (&str, &str)| terminal.typed.ends_with(last);
    let known = |line: &str| {
        let is_end = line.split_once("EXIT=").is_some_and(is_typed);
        ["", "STOPPED", "RESTORED"].contains(&line.trim()) || is_end
    };
    let garbage: Vec<&str> = left.lines().filter(|line| !known(line)).collect();
    assert!(garbage.is_empty(), "{what}: it leaves {garbage:?}\n{left}");
    let written = String::from_utf8_lossy(&terminal.written);
    for words in ["panicked", "internal error", "Internal error"] {
        assert!(!written.contains(words), "{what}: {words}\n{left}");
    }
}

/// Events until an end; how many there were.
fn course(folder: &Path, end: End, count: usize, random: &mut Random) -> usize {
    let model = random.of(&MODELS);
    let what = format!("{model}, {end:?}, PROPTEST_RNG_SEED={}", seed());
    let mut terminal = start(folder, model);
    for done in 0..count {
        event(&mut terminal, random);
        let wait = random.of(&[0, 0, 0, 1, 5, 60]);
        let over = terminal.shows(Duration::from_millis(wait), |s| s.contains("EXIT="));
        if over {
            // It was quit, and perhaps a question answered.
            ended(&mut terminal, 0, &what);
            return done;
        }
    }
    // What was half typed as a sequence is no part of what follows.
    room(&mut terminal);
    // The last keys may have quit it, which shows only now.
    if terminal.shows(Duration::ZERO, |s| s.contains("EXIT=")) {
        ended(&mut terminal, 0, &what);
        return count;
    }
    match end {
        End::Key => {
            terminal.press("\x03");
            ended(&mut terminal, 0, &what);
        }
        End::Signal(name, code) => {
            let mut kill = Command::new("kill");
            let sent = kill.args([&format!("-{name}"), &pid(folder)]);
            let sent = sent.status().is_ok_and(|s| s.success());
            // There is nobody to get it only if those keys have quit it meanwhile.
            ended(&mut terminal, if sent { code } else { 0 }, &what);
        }
        End::Hangup => {
            let pid = pid(folder);
            terminal.hang_up();
            let begun = Instant::now();
            while let Some(state) = state(&pid) {
                assert!(begun.elapsed() < SOON, "{what}: it goes on ({state})");
                std::thread::sleep(Duration::from_millis(20));
            }
        }
    }
    count
}

#[test]
fn random_keys_in_a_terminal_leave_it_as_it_was() {
    let mut random = Random(seed());
    let folder = folder("pty-keys");
    let (courses, most) = match tiers::tries_all() {
        true => (16, 250),
        false => (3, 60),
    };
    // Another end first with each seed.
    let first = seed() as usize;
    let mut done = 0;
    for nth in 0..courses {
        let end = ENDS[(first + nth) % ENDS.len()];
        let count = most / 2 + random.below(most / 2);
        done += course(&folder, end, count, &mut random);
    }
    say(&format!(
        "pty_keys: {done} events in a terminal, {courses} ends, seed {}",
        seed()
    ));
    let _ = std::fs::remove_dir_all(folder);
}
