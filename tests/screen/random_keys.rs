//! Random keys on all shipped models and some scripts of the corpus: whatever is shown of states,
//! transitions, orbits and what was visited is what the raw system does.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use orbitscope::source::Limits;
use orbitscope::tui::app::Msg;

use super::session::Screen;
use super::support::{corpus, repository, say};

const KEYS: [&str; 62] = [
    "enter", "enter", "enter", "enter", "enter", "enter", "r", "r", "r", "u", "u", "U", "j", "j",
    "k", "l", "h", "o", "w", "s", ".", "R", "B", "H", "e", "esc", "esc", "1", "1", "1", "2", "4",
    "x", "y", "Y", "tab", "S", "z", "down", "$", "]", "p", "D", "n", "/", "?", "3", "m", "a", "'",
    "c", "c", "a", "v", "x", "d", "8", "8", "i", "f", "F", "9",
];
const SIZES: [(u16, u16); 5] = [(120, 36), (80, 24), (60, 16), (20, 5), (200, 60)];
const CORPUS_MAX: usize = 10;

/// A generator whose numbers are the same for the same seed.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % n.max(1)
    }
}

fn seed() -> u64 {
    let given = std::env::var("PROPTEST_RNG_SEED").ok();
    given.and_then(|text| text.parse().ok()).unwrap_or(1)
}

/// The shipped models, then scripts of the corpus.
fn scripts() -> Vec<PathBuf> {
    let listed = |folder: PathBuf| -> Vec<PathBuf> {
        let mut found = Vec::new();
        let mut folders = vec![folder];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
                let path = entry.path();
                if path.is_dir() {
                    folders.push(path);
                } else if path.extension().is_some_and(|e| e == "csp") {
                    found.push(path);
                }
            }
        }
        found.sort();
        found
    };
    let mut all = listed(repository("models"));
    if let Some(folder) = corpus("random_keys") {
        let others = listed(folder);
        let each = (others.len() / CORPUS_MAX).max(1);
        all.extend(others.into_iter().step_by(each).take(CORPUS_MAX));
    }
    all
}

/// Keys on one script; gives how many there were.
fn session(path: &Path, random: &mut Random, keys: usize, end: Instant) -> usize {
    let limits = Limits::default().with_memory(2 << 30);
    let mut screen = Screen::start(path, None, limits);
    settle(&mut screen);
    for pressed in 0..keys {
        if Instant::now() >= end {
            return pressed;
        }
        match random.below(100) {
            0..3 => open(&mut screen, random),
            3 => {
                let (width, height) = SIZES[random.below(SIZES.len())];
                screen.send(Msg::Resize(width, height));
            }
            _ => screen.key(KEYS[random.below(KEYS.len())]),
        }
        settle(&mut screen);
        screen.text();
        screen.compare();
    }
    keys
}

/// Waits for an answer, but not for ever: then it is cancelled, as a person would.
fn settle(screen: &mut Screen) {
    let begun = Instant::now();
    screen.wait_for("answer", |_| begun.elapsed() > Duration::from_secs(3));
    screen.send(Msg::Tick(0));
    while !screen.is_idle() {
        screen.key("X");
        for _ in 0..3 {
            screen.key("esc");
        }
        screen.settle();
    }
}

/// Opens a process of the script, or two of them side by side.
fn open(screen: &mut Screen, random: &mut Random) {
    let Some(info) = screen.app.info() else {
        return;
    };
    let names = info.processes.clone();
    if names.is_empty() {
        return;
    }
    let name = names[random.below(names.len())].clone();
    let other = names[random.below(names.len())].clone();
    let text = match random.below(3) {
        0 => format!("{name} ||| {other}"),
        _ => name,
    };
    for _ in 0..3 {
        screen.key("esc");
    }
    screen.key("1");
    screen.ask_for(&text);
}

fn run(keys: usize, time: Duration) {
    let seed = seed();
    let mut random = Random(seed);
    let scripts = scripts();
    let end = Instant::now() + time;
    let each = (keys / scripts.len()).max(1);
    let mut pressed = 0;
    for (nth, path) in scripts.iter().enumerate() {
        let rest = end.saturating_duration_since(Instant::now());
        let share = rest / (scripts.len() - nth) as u32;
        pressed += session(path, &mut random, each, Instant::now() + share);
    }
    say(&format!(
        "random_keys: {pressed} keys on {} scripts, seed {seed}",
        scripts.len()
    ));
}

#[test]
fn what_is_shown_is_what_the_raw_system_does() {
    run(2_000, Duration::from_secs(10));
}

/// `PROPTEST_RNG_SEED=7 cargo test --test screen fifty_thousand -- --ignored --nocapture`
#[test]
#[ignore = "takes many minutes"]
fn fifty_thousand_keys() {
    run(50_000, Duration::from_secs(4 * 3600));
}
