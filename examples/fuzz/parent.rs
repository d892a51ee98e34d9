//! Watches a child, keeps what it finds, and makes it smaller.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use crate::mutate;

/// Seconds of processor time that a stage may take.
const SECONDS_MAX: u64 = 10;
/// Resident memory that a child may have.
const MEGABYTES_MAX: u64 = 1_500;
/// Inputs kept of one kind of failure.
const KEPT: usize = 3;
/// A child is replaced after so many inputs, lest it grows.
const INPUTS_PER_CHILD: u64 = 20_000;

/// What is to be done.
pub struct Plan {
    pub folders: Vec<PathBuf>,
    pub minutes: u64,
    pub seed: u64,
    pub from: u64,
    pub out: PathBuf,
}

impl Default for Plan {
    fn default() -> Self {
        Self {
            folders: Vec::new(),
            minutes: 1,
            seed: 1,
            from: 0,
            out: PathBuf::from("fuzz-found"),
        }
    }
}

impl Plan {
    /// The file with the input that is being tried.
    pub fn current(&self) -> PathBuf {
        self.out.join(format!("current-{}.csp", self.seed))
    }

    /// The file with an input that a child survived although it failed.
    pub fn found(&self, n: u64) -> PathBuf {
        self.out.join(format!("found-{}-{n}.csp", self.seed))
    }
}

/// A child and the lines that it writes.
struct Watched {
    child: Child,
    lines: Receiver<String>,
    /// The last stage that it said to have begun.
    stage: String,
}

/// What became of a wait for the next line.
enum News {
    Line(String),
    Failed(String),
}

impl Watched {
    fn start(args: &[String]) -> Self {
        let program = std::env::current_exe().expect("this program has a path");
        let mut child = Command::new(program)
            .args(args)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("a child can be started");
        let out = BufReader::new(child.stdout.take().expect("it is piped"));
        let (send, lines) = channel();
        std::thread::spawn(move || {
            out.lines()
                .map_while(Result::ok)
                .try_for_each(|l| send.send(l))
        });
        Self {
            child,
            lines,
            stage: String::new(),
        }
    }

    /// The next line that is no stage.
    fn next(&mut self) -> News {
        let mut begun = self.seconds();
        loop {
            match self.lines.recv_timeout(Duration::from_millis(200)) {
                Ok(line) => match line.strip_prefix("stage ") {
                    Some(stage) => {
                        stage.clone_into(&mut self.stage);
                        begun = self.seconds();
                    }
                    None => return News::Line(line),
                },
                Err(RecvTimeoutError::Disconnected) => {
                    let ended = self.child.wait().map(|s| s.to_string()).unwrap_or_default();
                    return News::Failed(format!("{}: {ended}", self.stage));
                }
                Err(RecvTimeoutError::Timeout) => {
                    let too = if self.seconds() > begun + SECONDS_MAX {
                        "too long"
                    } else if self.megabytes() > MEGABYTES_MAX {
                        "too much memory"
                    } else {
                        continue;
                    };
                    self.end();
                    return News::Failed(format!("{}: {too}", self.stage));
                }
            }
        }
    }

    fn end(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    fn proc_file(&self, name: &str) -> String {
        std::fs::read_to_string(format!("/proc/{}/{name}", self.child.id())).unwrap_or_default()
    }

    /// Processor time so far.
    fn seconds(&self) -> u64 {
        let stat = self.proc_file("stat");
        let after_name = stat.rsplit(')').next().unwrap_or_default();
        let ticks = after_name
            .split_whitespace()
            .skip(11)
            .take(2)
            .filter_map(|t| t.parse::<u64>().ok());
        ticks.sum::<u64>() / 100
    }

    fn megabytes(&self) -> u64 {
        let statm = self.proc_file("statm");
        let pages = statm
            .split_whitespace()
            .nth(1)
            .and_then(|p| p.parse::<u64>().ok());
        pages.unwrap_or(0) * 4 / 1024
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        self.end();
    }
}

/// Figures of a run.
#[derive(Default)]
struct Figures {
    inputs: u64,
    sound: u64,
    failures: u64,
    kinds: BTreeMap<String, usize>,
}

/// Fuzzes until the time is over.
pub fn run(plan: &Plan) {
    std::fs::create_dir_all(&plan.out).expect("the folder can be made");
    let started = Instant::now();
    let mut figures = Figures::default();
    let mut from = plan.from;
    while started.elapsed() < Duration::from_secs(plan.minutes * 60) {
        from = session(plan, from, started, &mut figures);
        report(plan, &figures, from, started);
    }
    let _ = std::fs::remove_file(plan.current());
}

/// One child, until it fails or is old. Returns the number of the next input.
fn session(plan: &Plan, from: u64, started: Instant, figures: &mut Figures) -> u64 {
    let mut args = vec![
        "child".to_owned(),
        "--seed".to_owned(),
        plan.seed.to_string(),
    ];
    args.extend(["--from".to_owned(), from.to_string(), "--out".to_owned()]);
    args.push(plan.out.display().to_string());
    args.extend(plan.folders.iter().map(|f| f.display().to_string()));
    let mut child = Watched::start(&args);
    let (mut n, mut name) = (from, String::new());
    let end = Duration::from_secs(plan.minutes * 60);
    let mut reported = Instant::now();
    while n < from + INPUTS_PER_CHILD && started.elapsed() < end {
        let news = child.next();
        let failed = match &news {
            News::Line(line) => match line.split_once(' ') {
                Some(("input", rest)) => {
                    let (number, path) = rest.split_once(' ').unwrap_or_default();
                    n = number.parse().unwrap_or(n);
                    path.clone_into(&mut name);
                    continue;
                }
                Some(("found", signature)) => Some(signature.to_owned()),
                _ => {
                    figures.sound += u64::from(line == "sound");
                    None
                }
            },
            News::Failed(signature) => Some(signature.clone()),
        };
        figures.inputs += 1;
        if reported.elapsed() > Duration::from_secs(60) {
            report(plan, figures, n, started);
            reported = Instant::now();
        }
        if let Some(signature) = failed {
            keep(plan, n, &name, &signature, figures);
        }
        if matches!(news, News::Failed(_)) {
            return n + 1;
        }
    }
    n + 1
}

fn report(plan: &Plan, figures: &Figures, next: u64, started: Instant) {
    let mut out = std::io::stdout().lock();
    let minutes = started.elapsed().as_secs_f64() / 60.0;
    let _ = writeln!(
        out,
        "seed {}: {minutes:.1} minutes, {} inputs ({} sound), {} failures of {} kinds; next is {next}",
        plan.seed,
        figures.inputs,
        figures.sound,
        figures.failures,
        figures.kinds.len()
    );
    for (kind, times) in &figures.kinds {
        let _ = writeln!(out, "  {times:5} {kind}");
    }
}

/// Stores an input that failed, and a smaller one that fails alike.
fn keep(plan: &Plan, n: u64, seed: &str, signature: &str, figures: &mut Figures) {
    figures.failures += 1;
    let times = figures.kinds.entry(signature.to_owned()).or_default();
    *times += 1;
    let found = plan.found(n);
    let read = std::fs::read(&found).or_else(|_| std::fs::read(plan.current()));
    let _ = std::fs::remove_file(found);
    let Some(bytes) = read.ok().filter(|_| *times <= KEPT) else {
        return;
    };
    let mut name: String = signature
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '_' })
        .collect();
    name.truncate(60);
    let path = plan.out.join(format!("{name}-{}-{n}.csp", plan.seed));
    let _ = std::fs::write(&path, &bytes);
    let small = smaller(&path.with_extension("try"), seed, bytes, signature);
    let _ = std::fs::write(path.with_extension("small.csp"), small);
}

/// Leaves out lines, then tokens, as long as the failure stays the same.
fn smaller(path: &Path, seed: &str, mut bytes: Vec<u8>, signature: &str) -> Vec<u8> {
    let until = Instant::now() + Duration::from_secs(60);
    let fails = |bytes: &[u8]| Instant::now() < until && outcome(path, seed, bytes) == signature;
    let mut steps = [true, false, true, false].into_iter();
    if !fails(&bytes) {
        steps.by_ref().for_each(drop);
    }
    for by_lines in steps {
        let mut size = pieces(&bytes, by_lines).len() / 2;
        while size > 0 {
            let mut at = 0;
            loop {
                let ends = pieces(&bytes, by_lines);
                if at >= ends.len() {
                    break;
                }
                let start = if at == 0 { 0 } else { ends[at - 1] };
                let end = ends[(at + size).min(ends.len()) - 1];
                let shorter = [&bytes[..start], &bytes[end..]].concat();
                if fails(&shorter) {
                    bytes = shorter;
                } else {
                    at += size;
                }
            }
            size /= 2;
        }
    }
    let _ = std::fs::remove_file(path);
    bytes
}

/// Where each line or token ends.
fn pieces(bytes: &[u8], by_lines: bool) -> Vec<usize> {
    if by_lines {
        let inner = bytes
            .iter()
            .enumerate()
            .filter(|(_, b)| **b == b'\n')
            .map(|(i, _)| i + 1);
        let mut ends: Vec<usize> = inner.collect();
        ends.push(bytes.len());
        ends.dedup();
        ends
    } else {
        mutate::tokens(bytes).into_iter().map(|t| t.end).collect()
    }
}

/// What becomes of a file: the signature of its failure, or nothing.
fn outcome(path: &Path, seed: &str, bytes: &[u8]) -> String {
    let _ = std::fs::write(path, bytes);
    let args = [
        "once".to_owned(),
        path.display().to_string(),
        seed.to_owned(),
    ];
    let mut child = Watched::start(&args);
    match child.next() {
        News::Line(line) => line
            .strip_prefix("found ")
            .map(str::to_owned)
            .unwrap_or_default(),
        News::Failed(signature) => signature,
    }
}
