//! Random keys, mouse events, sizes and lines of commands on all shipped models, on scripts of the corpus and on
//! scripts that are hard in their own ways: nothing panics, and whatever is shown of states, transitions, orbits,
//! representatives, surroundings, counterexamples and searches is what the raw system does.
//!
//! A failure tells its seed, and the fewest acts that were found to bring it about again.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use orbitscope::source::Limits;
use orbitscope::tui::app::Msg;

use super::acts::{Act, Random, escape};
use super::session::Screen;
use super::support::{corpus, repository, say, script, tiers};

/// Scripts that are taken of the corpus.
const CORPUS_MAX: usize = 10;
/// Acts on one screen; then a new one begins.
const ACTS: usize = 300;
/// How long is waited for an answer before it is cancelled.
const ANSWER: Duration = Duration::from_millis(1_500);
/// How long is looked for fewer acts that fail.
const SHRINKING: Duration = Duration::from_secs(90);

pub fn seed() -> u64 {
    let given = std::env::var("PROPTEST_RNG_SEED").ok();
    given.and_then(|text| text.parse().ok()).unwrap_or(1)
}

pub fn listed(folder: PathBuf) -> Vec<PathBuf> {
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
}

/// The shipped models, scripts that are hard for a screen, and some of the corpus: others with each seed.
fn scripts(seed: u64) -> Vec<PathBuf> {
    let mut all = listed(repository("models"));
    all.extend(listed(repository("tests/data")));
    for slip in ["missing_within", "several_at_once", "types_disagree"] {
        all.push(repository("tests/slips").join(slip).with_extension("csp"));
    }
    all.push(script(
        "three_hundred_on_screen.csp",
        "datatype N = N.{0..299}\nchannel a, b : {0..299}\nC(i) = a.i -> b.i -> C(i)\n\
         P = ||| i : {0..299} @ C(i)\nassert P :[deadlock free]\n",
    ));
    all.push(script(
        "wide_on_screen.csp",
        "datatype A_type_with_a_long_name = The_first_of_its_values | The_second_of_its_values\n\
         channel an_event_with_a_long_name : A_type_with_a_long_name.Seq(A_type_with_a_long_name)\n\
         P(s) = #s < 9 & an_event_with_a_long_name?x!s -> P(<x>^s) [] #s > 3 & SKIP\n\
         Q = P(<>); STOP\nassert Q :[deadlock free]\nassert STOP [T= Q\n",
    ));
    if let Some(folder) = corpus("screen random_keys") {
        let others = listed(folder);
        let each = (others.len() / CORPUS_MAX).max(1);
        let first = seed as usize % each;
        let some = others.into_iter().skip(first).step_by(each);
        all.extend(some.take(CORPUS_MAX));
    }
    all
}

/// A screen and what is done to it.
struct Course {
    path: PathBuf,
    /// Which limits the engine has.
    manner: usize,
    /// Acts, and whether it is waited for what comes of them.
    acts: Vec<(Act, bool)>,
}

impl Course {
    fn random(path: &Path, random: &mut Random, count: usize) -> Self {
        let manner = random.below(8);
        let acts = (0..count).map(|_| (Act::random(random), random.below(4) > 0));
        Self {
            path: path.to_path_buf(),
            manner,
            acts: acts.collect(),
        }
    }

    /// Mostly those of the program; some are so tight that little comes of anything.
    fn limits(&self) -> Limits {
        let usual = Limits::default().with_memory(2 << 30);
        match self.manner {
            0 => usual.with_timeout(Duration::from_millis(20)),
            1 => Limits {
                states_max: 30,
                ..usual
            },
            2 => usual.with_memory(1 << 20),
            _ => usual,
        }
    }

    /// Does some of the acts on a new screen; how many went well, and what did not.
    fn play(&self, acts: &[(Act, bool)], end: Instant) -> (usize, Result<(), String>) {
        let mut done = 0;
        let played = catch_unwind(AssertUnwindSafe(|| {
            let mut screen = Screen::hasty(&self.path, self.limits());
            settle(&mut screen);
            for (act, waits) in acts {
                if Instant::now() >= end {
                    break;
                }
                step(&mut screen, act, *waits)?;
                done += 1;
            }
            Ok(())
        }));
        let result = played.unwrap_or_else(|panic| {
            let text = panic.downcast_ref::<String>().cloned();
            let word = panic.downcast_ref::<&str>().map(|t| (*t).to_owned());
            Err(format!("panic: {}", text.or(word).unwrap_or_default()))
        });
        (done, result)
    }

    /// The fewest of the acts that were found to fail, with what was wrong.
    fn fewest(&self, failed: usize) -> Option<(Vec<(Act, bool)>, String)> {
        let end = Instant::now() + SHRINKING;
        let acts = &self.acts[..=failed];
        let fails = |acts: &[(Act, bool)]| {
            let (done, result) = self.play(acts, end);
            result.err().map(|why| (acts[..=done].to_vec(), why))
        };
        let mut length = 1;
        let mut found = loop {
            if let Some(found) = fails(&acts[acts.len().saturating_sub(length)..]) {
                break found;
            }
            if length >= acts.len() || Instant::now() >= end {
                return None;
            }
            length *= 2;
        };
        // Without this one and that one.
        let mut at = 0;
        while at < found.0.len() && Instant::now() < end {
            let mut fewer = found.0.clone();
            fewer.remove(at);
            match fails(&fewer) {
                Some(still) => found = still,
                None => at += 1,
            }
        }
        Some(found)
    }
}

fn step(screen: &mut Screen, act: &Act, waits: bool) -> Result<(), String> {
    let mut from = None;
    if let Act::Find(_, beginning) = act
        && screen.is_idle()
        && screen.app.lesson.is_none()
    {
        from = screen.raw(*beginning);
    }
    screen.app.find.said.clear();
    act.perform(screen);
    screen.quit = false;
    healthy(&screen.text())?;
    if !waits {
        return Ok(());
    }
    settle(screen);
    healthy(&screen.text())?;
    screen.differs()?;
    match from {
        Some(from) => screen.found_differs(&from),
        None => Ok(()),
    }
}

/// That no thread behind the screen has come to grief.
fn healthy(text: &str) -> Result<(), String> {
    match text.to_lowercase().contains("internal error") {
        true => Err(format!("on the screen: {text}")),
        false => Ok(()),
    }
}

/// Waits for an answer, but not for ever: then it is cancelled, as a person would.
fn settle(screen: &mut Screen) {
    let begun = Instant::now();
    screen.wait_for("answer", |_| begun.elapsed() > ANSWER);
    while !screen.is_idle() {
        // Where nothing is seen no key is taken.
        screen.send(Msg::Resize(120, 36));
        escape(screen);
        screen.key("X");
        escape(screen);
        screen.settle();
    }
}

/// So many acts on all scripts; tells what happened.
fn run(count: usize, time: Duration) {
    let seed = seed();
    let scripts = scripts(seed);
    let end = Instant::now() + time;
    let each = count.div_ceil(scripts.len());
    let workers = std::thread::available_parallelism().map_or(1, |n| n.get().min(4));
    let done: usize = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..workers)
            .map(|worker| {
                let mine = scripts.iter().enumerate().skip(worker).step_by(workers);
                let mine: Vec<_> = mine.collect();
                scope.spawn(move || one_worker(&mine, seed, each, end))
            })
            .collect();
        let done = workers.into_iter().map(|worker| worker.join());
        done.map(|done| done.unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
            .sum()
    });
    let short = match done < count {
        true => format!(" of {count}, for want of time"),
        false => String::new(),
    };
    say(&format!(
        "random_keys: {done} acts{short} on {} scripts, seed {seed}",
        scripts.len()
    ));
}

fn one_worker(scripts: &[(usize, &PathBuf)], seed: u64, each: usize, end: Instant) -> usize {
    let mut done = 0;
    for (nth, (number, path)) in scripts.iter().enumerate() {
        let rest = end.saturating_duration_since(Instant::now());
        let until = Instant::now() + rest / (scripts.len() - nth) as u32;
        // Each script has its own numbers: what is done to it does not depend on how long others took.
        let mut random = Random(seed.wrapping_mul(1_000_003).wrapping_add(*number as u64));
        let mut left = each;
        while left > 0 && Instant::now() < until {
            let course = Course::random(path, &mut random, left.min(ACTS));
            let (went, result) = course.play(&course.acts, until);
            done += went;
            if let Err(why) = result {
                failed(&course, went, &why, seed);
            }
            left -= course.acts.len().min(left);
        }
    }
    done
}

fn failed(course: &Course, at: usize, why: &str, seed: u64) -> ! {
    let told = |acts: &[(Act, bool)]| {
        let lines = acts.iter().map(|(act, waits)| match waits {
            true => format!("  {act:?}\n"),
            false => format!("  {act:?}, not waited for\n"),
        });
        lines.collect::<String>()
    };
    let (acts, again) = match course.fewest(at) {
        Some((acts, again)) => (told(&acts), format!("they lead to: {again}")),
        None => (
            told(&course.acts[..=at]),
            "these were all; they did not fail a second time".to_owned(),
        ),
    };
    panic!(
        "{}, PROPTEST_RNG_SEED={seed}, limits {}: after {} acts: {why}\nthe fewest acts:\n{acts}{again}",
        course.path.display(),
        course.manner,
        at + 1,
    );
}

#[test]
fn what_is_shown_is_what_the_raw_system_does() {
    match tiers::tries_all() {
        true => run(100_000, Duration::from_secs(120)),
        false => run(10_000, Duration::from_secs(30)),
    }
}

/// `PROPTEST_RNG_SEED=7 cargo test --test screen a_hundred_thousand -- --ignored --nocapture`
#[test]
#[ignore = "takes many minutes"]
fn a_hundred_thousand_acts() {
    run(100_000, Duration::from_secs(4 * 3600));
}
