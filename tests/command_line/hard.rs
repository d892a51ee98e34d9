//! Scripts that were found to be hard, under limits: the program keeps them, or ends when it is told to.
//!
//! An ordinary test takes a sample. All of them, with a table of what was seen:
//! `cargo test --test command_line hard::all -- --ignored --nocapture`

use std::io::Read;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::support::tiers;
use crate::support::{
    self,
    hard::{Random, name},
};

/// What is given, and what it may come to: some scripts end a limit in the middle of a piece of work.
const LIMITS: [&str; 4] = ["--timeout", "5s", "--memory", "500M"];
const TIME_MAX: Duration = Duration::from_millis(6250);
const MEMORY_MAX: u64 = 625 << 20;
/// The commands that all scripts are given to, with what comes behind the script: they are about its first process.
const COMMANDS: [(&str, &[&str]); 8] = [
    ("check", &["--quiet", "--workers", "2"]),
    ("explain", &[]),
    ("structure", &[]),
    ("symmetry", &[]),
    ("find", &["deadlock"]),
    ("graph", &[]),
    ("compare", &["walk:1,3", "walk:2,3"]),
    ("race", &["--quiet", "--workers", "2"]),
];
/// How long a signal may take.
const SIGNAL_MAX: Duration = Duration::from_secs(1);
/// What a debug build tells where something took long without a look at the limits.
const UNWATCHED: &str = "no look at the limits for";
/// When a run is killed that does not end.
const PATIENCE: Duration = Duration::from_secs(60);
/// Moments at which each script is told to end.
const MOMENTS: u32 = 10;
const SIGNALS: [(&str, i32); 3] = [("INT", 130), ("TERM", 143), ("HUP", 129)];

/// What was seen of one run.
#[derive(Debug)]
struct Seen {
    code: Option<i32>,
    took: Duration,
    /// The processor time that it took: less than that where the machine is busy.
    processor: Duration,
    /// The most bytes in main memory.
    peak: u64,
    text: String,
}

fn start(script: &Path) -> Child {
    start_command(COMMANDS[0], script)
}

fn start_command((command, behind): (&str, &[&str]), script: &Path) -> Child {
    Command::new(env!("CARGO_BIN_EXE_orbitscope"))
        .arg(command)
        .arg(script)
        .args(behind)
        .args(LIMITS)
        .env("NO_COLOR", "1")
        .env("ORBITSCOPE_WATCHDOG", "1")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts")
}

/// Waits for the end; what does not end, or takes twice what it may, is killed.
fn watch(mut child: Child, begun: Instant) -> Seen {
    let streams: [Option<Box<dyn Read + Send>>; 2] = [
        child.stdout.take().map(|s| Box::new(s) as _),
        child.stderr.take().map(|s| Box::new(s) as _),
    ];
    let readers = streams.map(|stream| {
        std::thread::spawn(move || {
            let mut text = Vec::new();
            if let Some(mut stream) = stream {
                let _ = stream.read_to_end(&mut text);
            }
            String::from_utf8_lossy(&text).into_owned()
        })
    });
    let (mut most, mut processor) = (0, Duration::ZERO);
    let (code, took) = loop {
        processor = support::processor_time(child.id()).unwrap_or(processor);
        most = most.max(support::hard::peak(child.id()));
        if let Some(status) = child.try_wait().expect("it can be waited for") {
            break (status.code(), begun.elapsed());
        }
        if begun.elapsed() > PATIENCE || most > 4 * MEMORY_MAX {
            let _ = child.kill();
            let _ = child.wait();
            break (None, begun.elapsed());
        }
        std::thread::sleep(Duration::from_millis(5));
    };
    let text = readers
        .map(|reader| reader.join().expect("it was read"))
        .concat();
    Seen {
        code,
        took,
        processor,
        peak: most,
        text,
    }
}

/// What is wrong with a run under limits.
fn breaks_limits(name: &str, seen: &Seen) -> Vec<String> {
    let mut wrong = Vec::new();
    let took = match seen.processor.is_zero() {
        true => seen.took,
        false => seen.took.min(seen.processor),
    };
    if took > TIME_MAX {
        wrong.push(format!("{name} took {:.1} s", seen.took.as_secs_f64()));
    }
    if seen.peak > MEMORY_MAX {
        wrong.push(format!("{name} took {} MB", seen.peak >> 20));
    }
    if let Some((_, gap)) = seen.text.split_once(UNWATCHED) {
        let callers: Vec<&str> = gap.lines().take(8).collect();
        wrong.push(format!("{name}: {UNWATCHED}{}", callers.join("\n")));
    }
    // A limit is told with what it was reached by; an error of the script, with its place.
    let told = match seen.code {
        Some(0 | 1) => true,
        // A script without a process is not for every command.
        Some(2) => seen.text.contains("process"),
        Some(3) => seen.text.contains("error"),
        // What is undecided says why; states of different forms are.
        Some(4) => ["limit", "allowed", "Undecided: "]
            .iter()
            .any(|told| seen.text.contains(told)),
        Some(5) => seen.text.contains("memory"),
        _ => false,
    };
    if !told {
        wrong.push(format!("{name} ended with {:?}: {}", seen.code, seen.text));
    }
    wrong
}

fn send(child: &Child, signal: &str) {
    let _ = Command::new("kill")
        .args([&format!("-{signal}"), &child.id().to_string()])
        .stderr(Stdio::null())
        .status();
}

/// Sends signals at random moments of a run that takes so long without; gives what was wrong.
fn interrupted(script: &Path, whole: Duration, moments: u32, random: &mut Random) -> Vec<String> {
    let name = name(script);
    let mut wrong = Vec::new();
    for (signal, code) in SIGNALS {
        for _ in 0..moments {
            // The handlers have to be there: a program that has not begun has the system's.
            let moment =
                Duration::from_millis(50) + whole.min(TIME_MAX).mul_f64(0.9 * random.part());
            let mut child = start(script);
            std::thread::sleep(moment);
            if child.try_wait().expect("it can be waited for").is_some() {
                continue;
            }
            send(&child, signal);
            let seen = watch(child, Instant::now());
            let at = format!("{name}, {signal} after {:.2} s", moment.as_secs_f64());
            if seen.took > SIGNAL_MAX {
                wrong.push(format!("{at}: it took {:.1} s", seen.took.as_secs_f64()));
            }
            // It may have been about to end.
            let ended = matches!(seen.code, Some(0 | 1 | 3 | 4 | 5));
            if seen.code != Some(code) && !(ended && seen.took < Duration::from_millis(100)) {
                wrong.push(format!("{at}: it ended with {:?}", seen.code));
            }
        }
    }
    wrong
}

#[test]
fn sample() {
    if !tiers::has_time("command_line hard::sample") {
        return;
    }
    let Some(folder) = support::findings("hard::sample") else {
        return;
    };
    let mut random = Random::seeded("hard::sample");
    let mut wrong = Vec::new();
    for name in [
        "both_merging",
        "count_full_formats",
        "forget_identity_4",
        "digraphs_4",
        "hide",
    ] {
        let script = folder.join(name).with_extension("csp");
        let seen = watch(start(&script), Instant::now());
        wrong.extend(breaks_limits(name, &seen));
        wrong.extend(interrupted(&script, seen.took, 1, &mut random));
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Takes about half an hour: see the head of this file.
#[test]
#[ignore = "takes about half an hour"]
fn all() {
    // Another number of moments, or none, by hand.
    let moments = support::hard::number("ORBITSCOPE_MOMENTS").unwrap_or(MOMENTS);
    let mut random = Random::seeded("hard::all");
    let mut wrong = Vec::new();
    for script in &support::hard::hard_scripts("hard::all") {
        let name = name(script);
        let seen = watch(start(script), Instant::now());
        let mut of_limits = breaks_limits(&name, &seen);
        for command in &COMMANDS[1..] {
            let seen = watch(start_command(*command, script), Instant::now());
            of_limits.extend(breaks_limits(&format!("{} of {name}", command.0), &seen));
        }
        let of_signals = interrupted(script, seen.took, moments, &mut random);
        let says = seen.text.lines().find(|l| {
            ["limit", "error", "allowed", "FAILS", "holds"]
                .iter()
                .any(|w| l.contains(w))
        });
        let says: String = says.unwrap_or_default().trim().chars().take(90).collect();
        support::say(&format!(
            "{name:<32} code {:<4} {:>6.2} s {:>6} MB  limits {}  signals {}  {says}",
            seen.code
                .map_or_else(|| "none".to_owned(), |c| c.to_string()),
            seen.took.as_secs_f64(),
            seen.peak >> 20,
            support::hard::kept(of_limits.len()),
            support::hard::kept(of_signals.len()),
        ));
        wrong.extend(of_limits);
        wrong.extend(of_signals);
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
