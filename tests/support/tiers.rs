//! How much a run of the tests tries.
//!
//! `cargo test` is for a change in progress: it ends within a few minutes. `cargo thorough` tries all random cases, all
//! collections of scripts and the large counts as well. `.ci/run` does so with a sixteenth of the random cases, as `cargo test`
//! does, and with a part of the most expensive other cases, but different ones every day. What a run leaves out is noted here, and the last test binary prints it in one line.

use std::io::Write;
use std::path::{Path, PathBuf};

/// How much is tried.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Tier {
    Quick,
    /// All scripts, a sixteenth of the random cases, and a part of the most expensive other ones.
    Daily,
    Thorough,
}

fn tier() -> Tier {
    match std::env::var("ORBITSCOPE_TESTS").as_deref() {
        Ok("thorough") => Tier::Thorough,
        Ok("daily") => Tier::Daily,
        _ => Tier::Quick,
    }
}

/// Whether everything but random cases is to be tried.
pub fn is_thorough() -> bool {
    tier() != Tier::Quick
}

/// Whether all random cases and all scripts are tried, so that each kind of result has to be met.
pub fn tries_all() -> bool {
    tier() == Tier::Thorough
}

/// The number of random cases of a test: `PROPTEST_CASES`, or else `thorough` in a thorough run, and a sixteenth of that in
/// others.
pub fn cases(thorough: u32) -> u32 {
    let given = std::env::var("PROPTEST_CASES").ok();
    given.and_then(|n| n.parse().ok()).unwrap_or(match tier() {
        Tier::Thorough => thorough,
        Tier::Daily | Tier::Quick => thorough.div_ceil(16),
    })
}

/// Whether the `n`th of many cases is taken: all in a thorough run, a sixteenth in others, other ones every day.
pub fn takes(n: usize) -> bool {
    takes_one_in(16, n)
}

/// As [`takes`], but one case in so many.
pub fn takes_one_in(cases: usize, n: usize) -> bool {
    let seed = std::env::var("PROPTEST_RNG_SEED").ok();
    let day: usize = seed.and_then(|seed| seed.parse().ok()).unwrap_or(0);
    tries_all() || n % cases == day % cases
}

/// Whether a test that takes long is to run; otherwise that is noted.
pub fn has_time(test: &str) -> bool {
    if !is_thorough() {
        note(test, "run by `cargo thorough` only");
    }
    is_thorough()
}

/// Notes that a test is left out, and why.
pub fn note(test: &str, why: &str) {
    let folder = notes();
    // A note that cannot be written is no reason to fail.
    let _ = std::fs::create_dir_all(&folder);
    let _ = std::fs::write(folder.join(test), why);
}

/// Where the notes are: beside what is built, in one place for all test binaries.
pub fn notes() -> PathBuf {
    let program = std::env::current_exe().unwrap_or_default();
    let target = program.ancestors().nth(3).unwrap_or(Path::new("target"));
    target.join("tmp").join("left_out")
}

/// The checkout, some of whose folders are packages of their own: what is above all of them has the `Cargo.lock`.
pub fn repository() -> &'static Path {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let holds_all = |folder: &&Path| folder.join("Cargo.lock").exists();
    package.ancestors().find(holds_all).unwrap_or(package)
}

/// A folder or file of `../shared`; a test that does not find it is left out, with a line that says so.
///
/// # Panics
/// When it is absent although `CI` is set.
pub fn shared(name: &str, test: &str) -> Option<PathBuf> {
    let shared = repository().join("../shared");
    let path = shared.join(name);
    if path.exists() {
        return Some(path);
    }
    let absent = format!("without ../shared/{name} beside the checkout");
    assert!(std::env::var_os("CI").is_none(), "{test}: {absent}");
    // On the real stderr, which the test runner does not capture.
    let _ = writeln!(std::io::stderr(), "left out: {test}: {absent}");
    note(test, &absent);
    None
}
