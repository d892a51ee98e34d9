//! The last line of a run: how many tests were left out, and why.

#[path = "../support/tiers.rs"]
#[allow(dead_code, reason = "only what reads the notes is used here")]
mod tiers;

use std::collections::BTreeMap;

#[allow(clippy::print_stdout, reason = "it is all that this does")]
fn main() {
    let folder = tiers::notes();
    let mut reasons: BTreeMap<String, usize> = BTreeMap::new();
    for note in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
        if let Ok(why) = std::fs::read_to_string(note.path()) {
            *reasons.entry(why).or_default() += 1;
        }
    }
    // Each run tells its own.
    let _ = std::fs::remove_dir_all(&folder);
    if reasons.is_empty() {
        return;
    }
    let told = reasons.iter().map(|(why, count)| format!("{count} {why}"));
    let told: Vec<String> = told.collect();
    println!("tests that were left out: {}", told.join(", "));
}
