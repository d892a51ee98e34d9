//! What the integration tests share: scripts on disk, checks in one call, the program itself.

#![allow(dead_code, reason = "each test file uses a part")]

pub mod behaviour;
pub mod equations;
pub mod front;
pub mod hard;
pub mod lts;
pub mod processes;
pub mod scan;
pub mod shape;
pub mod sized;
pub mod tiers;

use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use orbitscope::animate::engine::ScriptEngine;
use orbitscope::animate::model::{CheckOutcome, Counterexample, Verdict};
use orbitscope::check::Options;
use orbitscope::check::look_bounds::LookBounds;
use orbitscope::report::checks;
use orbitscope::report::follow::ReplayMode;
use orbitscope::report::run_file::RunFile;
use orbitscope::report::runs::traced;
use orbitscope::script::load::{Loaded, load};
use orbitscope::search::keeping::KeepingKind;
use orbitscope::source::{Cancel, Limits};
use orbitscope::symmetry::StrategyKind;

/// A line on the real stderr, which the test runner does not capture.
pub fn say(line: &str) {
    let _ = writeln!(std::io::stderr(), "{line}");
}

/// A file of the repository.
pub fn repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// The folder of scripts beside the checkout; a test that finds none is left out, with a line that says
/// so.
///
/// # Panics
/// When it is absent although `CI` is set.
pub fn corpus(test: &str) -> Option<PathBuf> {
    tiers::shared("corpus", test)
}

/// All scripts in a folder and those in it, sorted.
pub fn scripts_below(folder: &Path) -> Vec<PathBuf> {
    let (mut scripts, mut open) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|e| e == "csp") {
                scripts.push(path);
            }
        }
    }
    scripts.sort();
    scripts
}

/// The same of the folder of counts that were obtained independently of this project.
pub fn oracle(test: &str) -> Option<PathBuf> {
    tiers::shared("oracle", test)
}

/// The same of the folder of small scripts that were found to be hard.
pub fn findings(test: &str) -> Option<PathBuf> {
    tiers::shared("findings", test)
}

/// Writes a script into a folder of its own, which only this run of the tests writes to.
pub fn script(name: &str, text: impl AsRef<[u8]>) -> PathBuf {
    let run = format!("scripts-{}", std::process::id());
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(run);
    std::fs::create_dir_all(&folder).expect("the folder can be made");
    let path = folder.join(name);
    // Another test may be reading a script of this name and text: it is there whole or not at all.
    let own = folder.join(format!("{name}.{:?}", std::thread::current().id()));
    std::fs::write(&own, text).expect("the script can be written");
    std::fs::rename(&own, &path).expect("the script can be put in its place");
    path
}

/// A script that must be sound.
#[track_caller]
pub fn sound(path: &Path) -> Loaded {
    let loaded = load(path, None).expect("no expression was given");
    assert!(
        !loaded.has_errors(),
        "{}: {:?}",
        path.display(),
        loaded.diagnostics
    );
    loaded
}

/// Options of a check.
pub fn options(symmetry: Option<bool>, keeping: impl Into<KeepingKind>, threads: usize) -> Options {
    Options {
        symmetry,
        // What is compared are ways to permute values.
        structure: Some(false),
        keeping: keeping.into(),
        threads,
        ..Options::default()
    }
}

/// The same, keeping bisimilar local states apart: for counts, and for loops as they are written.
pub fn unmerged(options: Options) -> Options {
    Options {
        merging: false,
        ..options
    }
}

/// How long a bounded check may take: none comes near it, but one that hangs shall fail.
const TIME_MAX: Duration = Duration::from_secs(60);

/// The same, with a bound on the states.
pub fn bounded(options: Options, states: usize) -> Options {
    let limits = Limits {
        states_max: states,
        ..options.limits
    };
    Options {
        limits: limits.with_timeout(TIME_MAX),
        ..options
    }
}

/// Checks assertion `number` (from 1). Whatever is checked, looking for symmetry that nobody asked for may take no more
/// work than the search, and what takes some hundredths of a second.
pub fn check(loaded: &Loaded, number: usize, options: &Options) -> CheckOutcome {
    let outcome = checks::run(loaded, number, options, &Cancel::default(), &mut |_| {});
    let looked = outcome.details.as_ref().and_then(|d| d.structure_looked);
    if let Some(looked) = looked.filter(|_| options.wanted_structure() != Some(true)) {
        let most = LookBounds::BY_ITSELF.work + looked.searched;
        assert!(looked.work <= most, "looked for symmetry: {looked:?}");
    }
    outcome
}

/// States and transitions.
pub fn counts(outcome: &CheckOutcome) -> (u64, u64) {
    (outcome.progress.states, outcome.progress.transitions)
}

/// Steps of the counterexample, if there is one.
pub fn length(outcome: &CheckOutcome) -> Option<usize> {
    outcome.counterexample.as_ref().map(|c| c.steps.len())
}

/// `pass`, `fail`, or what else came out.
pub fn verdict(outcome: &CheckOutcome) -> String {
    match &outcome.verdict {
        Verdict::Holds => "pass".to_owned(),
        Verdict::Fails => "fail".to_owned(),
        Verdict::Approximate(_) => "approximate".to_owned(),
        Verdict::Inconclusive(why) => format!("inconclusive: {why}"),
        Verdict::Error(failure) => format!("error: {}", failure.detail),
    }
}

/// Whether a strategy was refused because it does not apply; `exact` and most others always do.
pub fn refused(keeping: impl Into<KeepingKind>, outcome: &CheckOutcome) -> bool {
    let is_told =
        |failure: &orbitscope::animate::model::ErrorText| failure.detail.contains("E0515");
    keeping.into() == StrategyKind::Counters.into()
        && matches!(&outcome.verdict, Verdict::Error(failure) if is_told(failure))
}

/// Follows a counterexample in the animator, to the end.
pub fn replay(path: &Path, found: &Counterexample) -> Result<(), String> {
    let summary = |f: orbitscope::animate::model::ErrorText| f.summary;
    let mut engine =
        ScriptEngine::load(path.to_path_buf()).map_err(|f| format!("{}: {f:?}", path.display()))?;
    let visited = match &found.keys {
        Some(_) => engine.replay(found).map_err(summary)?,
        // One that was read from JSON has its events alone.
        None => {
            let events = found.steps.iter().map(|step| traced(&step.event).into());
            let trace: Vec<String> = events.collect();
            let run = engine.trace(&found.process, &trace, ReplayMode::Steps);
            let run = run.map_err(summary)?;
            let after = run.steps.iter().map(|step| step.1);
            run.first.into_iter().chain(after).collect()
        }
    };
    if visited.len() != found.steps.len() + 1 {
        return Err(format!("{} states were visited", visited.len()));
    }
    if found.reason.contains("deadlock") {
        let last = engine.view(visited[visited.len() - 1]).map_err(summary)?;
        if !last.deadlocked {
            return Err("the last state is not deadlocked".to_owned());
        }
    }
    Ok(())
}

/// Follows the counterexamples of an outcome on the unreduced system, as if they came from a file, to
/// what is wrong at their ends.
pub fn verified(loaded: &Loaded, outcome: &CheckOutcome) -> Result<(), String> {
    let file = RunFile::of([outcome]);
    for number in 1..=file.run.counterexamples.len() {
        file.verify(number, loaded, &Options::default(), &Cancel::default())
            .map_err(|e| format!("{} {:?}", e.message, e.notes))?;
    }
    Ok(())
}

/// What the program did.
pub struct Ran {
    /// Its exit code; `None` if a signal ended it.
    pub code: Option<i32>,
    /// What it printed.
    pub stdout: String,
    /// What it complained about.
    pub stderr: String,
    /// The processor time that it used, where the operating system tells, which does not depend on what else the
    /// machine does.
    pub processor: Duration,
}

/// How much time of the processors the program may take.
const PATIENCE: Duration = Duration::from_secs(40);
/// How long it may wait for them, or for something else.
const PATIENCE_OF_WAITING: Duration = Duration::from_secs(600);

/// Runs the program with `input` on its standard input.
///
/// # Panics
/// When it does not end in time, or ends in a panic.
#[track_caller]
pub fn orbitscope(args: &[&str], input: &[u8]) -> Ran {
    let mut child = Command::new(env!("CARGO_BIN_EXE_orbitscope"))
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .env("NO_COLOR", "1")
        .env_remove("CLICOLOR_FORCE")
        .spawn()
        .expect("the program starts");
    if let Some(mut stdin) = child.stdin.take() {
        let _ = stdin.write_all(input);
    }
    let stdout = drain(child.stdout.take());
    let stderr = drain(child.stderr.take());
    let started = Instant::now();
    let mut processor = Duration::ZERO;
    let status = loop {
        // Of a process that has ended, but of which nobody has asked how, it is told, too.
        processor = processor_time(child.id()).unwrap_or(processor);
        if let Some(status) = child.try_wait().expect("the program can be waited for") {
            break status;
        }
        if processor > PATIENCE || started.elapsed() > PATIENCE_OF_WAITING {
            let _ = child.kill();
            let _ = child.wait();
            panic!("{args:?} did not end within {PATIENCE:?}");
        }
        std::thread::sleep(Duration::from_millis(5));
    };
    let ran = Ran {
        code: status.code(),
        stdout: stdout.join().expect("stdout was read"),
        stderr: stderr.join().expect("stderr was read"),
        processor,
    };
    assert!(
        ran.code.is_some() && ran.code != Some(101) && !ran.stderr.contains("panicked"),
        "{args:?} ended with {status}: {}",
        ran.stderr
    );
    ran
}

/// The processor time that a process has used so far, if Linux tells.
pub fn processor_time(process: u32) -> Option<Duration> {
    let text = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The name of the program comes before, in brackets, and may hold anything.
    let (_, fields) = text.rsplit_once(')')?;
    let ticks = |at: usize| fields.split_whitespace().nth(at)?.parse::<u64>().ok();
    // A hundredth of a second each.
    Some(Duration::from_millis(10 * (ticks(11)? + ticks(12)?)))
}

/// The processor time that this thread has used so far; elsewhere than on Unix none.
pub fn thread_time() -> Duration {
    #[cfg(unix)]
    {
        use rustix::time::{ClockId, clock_gettime};
        let time = clock_gettime(ClockId::ThreadCPUTime);
        Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
    }
    #[cfg(not(unix))]
    Duration::ZERO
}

fn drain(stream: Option<impl Read + Send + 'static>) -> std::thread::JoinHandle<String> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut stream) = stream {
            let _ = stream.read_to_end(&mut bytes);
        }
        String::from_utf8_lossy(&bytes).into_owned()
    })
}
