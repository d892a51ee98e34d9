//! Scripts that were found to be hard, opened on the screen: opening ends or can be cancelled, in little
//! memory, and a signal ends the program at any moment.
//!
//! An ordinary test takes a sample. All of them, with a table of what was seen:
//! `cargo test --test screen hard::all -- --ignored --nocapture`

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use crate::pty::{Terminal, project};
use crate::support::{self, hard::Random};

/// When Esc is pressed, how soon opening has to be over, and how long a signal may take.
const ESCAPE: Duration = Duration::from_secs(2);
const TIME_MAX: Duration = Duration::from_secs(6);
const SIGNAL_MAX: Duration = Duration::from_secs(1);
/// The program takes an eighth of the address space that it may use; in kilobytes.
const ADDRESSES: u64 = 4 << 20;
const MEMORY_MAX: u64 = 650 << 20;
/// Moments of each signal for each script; a variable asks for others.
const MOMENTS: u32 = 10;
const SIGNALS: [(&str, i32); 3] = [("INT", 130), ("TERM", 143), ("HUP", 129)];

/// A script on the screen, and the number of the program's process.
struct Opened {
    terminal: Terminal,
    note: PathBuf,
}

impl Opened {
    fn start(script: &Path) -> Self {
        let note = support::script(&format!("{}.pid", support::hard::name(script)), "");
        let run = format!(
            "ulimit -v {ADDRESSES}; before=$(stty -g); \
             sh -c 'echo $$ > \"{}\"; exec \"{}\" \"{}\"'; echo EXIT=$?; \
             [ \"$before\" = \"$(stty -g)\" ] && echo RESTORED; sleep 60",
            note.display(),
            env!("CARGO_BIN_EXE_orbitscope"),
            script.display()
        );
        let terminal = Terminal::run(project(), &run);
        Self { terminal, note }
    }

    fn number(&self) -> Option<String> {
        let number = std::fs::read_to_string(&self.note).ok()?;
        Some(number.trim().to_owned()).filter(|n| !n.is_empty())
    }

    fn signal(&self, name: &str) {
        if let Some(number) = self.number() {
            let mut kill = Command::new("kill");
            let _ = kill.args([&format!("-{name}"), &number]).status();
        }
    }

    fn peak(&self) -> u64 {
        let number = self.number().and_then(|n| n.parse().ok());
        number.map_or(0, support::hard::peak)
    }

    /// Ends the program whatever it does.
    fn kill(&self) {
        self.signal("KILL");
    }
}

/// Whether opening is over: a state is shown, or why there is none.
fn is_open(shown: &str) -> bool {
    let over = [
        "takes:",
        "step 0/",
        "cannot be opened",
        "was not opened",
        "has errors",
        "No process is open",
    ];
    over.iter().any(|text| shown.contains(text)) && !shown.contains("Esc cancels")
}

/// Opens a script; how long that took, the most memory, and what was wrong.
fn opening(script: &Path) -> (Duration, u64, Vec<String>) {
    let name = support::hard::name(script);
    let mut opened = Opened::start(script);
    let begun = Instant::now();
    let mut wrong = Vec::new();
    if !opened.terminal.shows(ESCAPE, is_open) {
        opened.terminal.press("\x1b");
        let left = TIME_MAX.saturating_sub(begun.elapsed());
        if !opened.terminal.shows(left, is_open) {
            wrong.push(format!(
                "{name} is not open and not cancelled after {:.1} s:\n{}",
                begun.elapsed().as_secs_f64(),
                opened.terminal.contents()
            ));
        }
    }
    let took = begun.elapsed();
    let peak = opened.peak();
    if peak > MEMORY_MAX {
        wrong.push(format!("{name} took {} MB", peak >> 20));
    }
    opened.terminal.press("\x03");
    if !opened.terminal.shows(SIGNAL_MAX, |s| s.contains("EXIT=0")) {
        wrong.push(format!("{name} is not left within a second"));
    }
    opened.kill();
    (took, peak, wrong)
}

/// Sends signals at random moments of opening; what was wrong.
fn interrupted(script: &Path, whole: Duration, moments: u32, random: &mut Random) -> Vec<String> {
    let mut wrong = Vec::new();
    for (signal, code) in SIGNALS {
        for _ in 0..moments {
            // The handlers have to be there.
            let moment = Duration::from_millis(200) + whole.mul_f64(random.part());
            let mut opened = Opened::start(script);
            let ready = Duration::from_secs(20);
            opened.terminal.shows(ready, |s| s.contains("1 Animate"));
            opened.terminal.shows(moment, |_| false);
            let sent = Instant::now();
            opened.signal(signal);
            let ends = format!("EXIT={code}");
            let ended = opened.terminal.shows(4 * SIGNAL_MAX, |s| {
                s.contains(&ends) && s.contains("RESTORED")
            });
            let took = sent.elapsed();
            if !ended || took > SIGNAL_MAX {
                wrong.push(format!(
                    "{}, {signal} after {:.2} s: {} {:.1} s",
                    support::hard::name(script),
                    moment.as_secs_f64(),
                    if ended { "it took" } else { "not ended after" },
                    took.as_secs_f64()
                ));
            }
            opened.kill();
        }
    }
    wrong
}

#[test]
fn sample() {
    if !support::tiers::has_time("screen hard::sample") {
        return;
    }
    let Some(folder) = support::findings("screen hard::sample") else {
        return;
    };
    let mut random = Random::seeded("screen hard::sample");
    let mut wrong = Vec::new();
    for name in ["hide", "events_ten_million", "threads5"] {
        let script = folder.join(name).with_extension("csp");
        wrong.extend(opening(&script).2);
        wrong.extend(interrupted(&script, ESCAPE, 1, &mut random));
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Takes some minutes: see the head of this file.
#[test]
#[ignore = "takes some minutes"]
fn all() {
    let mut random = Random::seeded("screen hard::all");
    let moments = support::hard::number("ORBITSCOPE_MOMENTS").unwrap_or(MOMENTS);
    let mut all = Vec::new();
    for script in support::hard::hard_scripts("screen hard::all") {
        let (took, peak, mut wrong) = opening(&script);
        let of_opening = wrong.len();
        let whole = took.min(ESCAPE);
        wrong.extend(interrupted(&script, whole, moments, &mut random));
        support::say(&format!(
            "{:<32} open {:>5.2} s {:>5} MB  opening {}  signals {}",
            support::hard::name(&script),
            took.as_secs_f64(),
            peak >> 20,
            support::hard::kept(of_opening),
            support::hard::kept(wrong.len() - of_opening),
        ));
        all.extend(wrong);
    }
    assert!(all.is_empty(), "{all:#?}");
}
