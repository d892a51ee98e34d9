//! The result of replaying a walk, in sentences.

use super::replayed::{Rewalked, WalkParting};
use crate::report::numbers::counted;
use crate::report::runs::{RecordedEntry, RecordedRun};

/// Largest number of partings described one by one.
const TOLD: usize = 20;
/// Steps that are named where states are others than they were.
const NAMED: usize = 8;

/// The entries after each entry.
fn after(walk: &RecordedRun) -> Vec<Vec<usize>> {
    let mut after = vec![Vec::new(); walk.entries.len()];
    for n in 0..walk.entries.len() {
        if let Some(from) = walk.before(n) {
            after[from].push(n);
        }
    }
    after
}

/// The number of steps of a walk.
#[must_use]
pub fn steps(walk: &RecordedRun) -> usize {
    let is_step = |entry: &&RecordedEntry| !matches!(entry, RecordedEntry::Opened(_));
    walk.entries.iter().filter(is_step).count()
}

/// The number of steps that were replayed.
#[must_use]
pub fn replayed(walk: &RecordedRun, found: &Rewalked) -> usize {
    let both = walk.entries.iter().zip(&found.places);
    both.filter(|(entry, place)| !matches!(entry, RecordedEntry::Opened(_)) && place.is_some())
        .count()
}

/// `42 steps were replayed`, or how many of how many.
#[must_use]
pub fn short(walk: &RecordedRun, found: &Rewalked) -> String {
    let (all, done) = (steps(walk), replayed(walk, found));
    match (all == done, done) {
        (true, 1) => "1 step was replayed".to_owned(),
        (true, n) => format!("{} were replayed", counted(n as u64, "step")),
        (false, n) => format!("{n} of {} were replayed", counted(all as u64, "step")),
    }
}

/// The sentences of a report: where each branch parted, which marks are gone, and which states are others than
/// they were. Empty if everything is as it was.
#[must_use]
pub fn sentences(walk: &RecordedRun, found: &Rewalked) -> Vec<String> {
    let after = after(walk);
    let leaves: Vec<usize> = (0..after.len()).filter(|n| after[*n].is_empty()).collect();
    let mut said = found.unverified.clone();
    for parting in found.partings.iter().take(TOLD) {
        said.push(sentence(parting, &after, &leaves));
    }
    let more = found.partings.len().saturating_sub(TOLD);
    if more > 0 {
        said.push(format!("{more} more branches parted."));
    }
    let reached = |n: usize| matches!(found.places.get(n), Some(Some(_)));
    let gone = walk.marks.iter().filter(|(_, n)| !reached(*n));
    let gone: Vec<String> = gone.map(|(letter, _)| format!("'{letter}")).collect();
    if !gone.is_empty() {
        let marks = gone.join(", ");
        said.push(format!(
            "Marks of states that were not reached are gone: {marks}."
        ));
    }
    if !found.differing.is_empty() {
        let depth = |n: usize| walk.path_to(n).len() - 1;
        let named = found.differing.iter().take(NAMED).map(|n| {
            let event = match &walk.entries[*n] {
                RecordedEntry::Step(step) => step.text(),
                RecordedEntry::Renamed(renaming) => renaming.by.clone(),
                RecordedEntry::Opened(process) => process.clone(),
            };
            format!("step {} ({event})", depth(*n))
        });
        let named: Vec<String> = named.collect();
        let more = found.differing.len().saturating_sub(NAMED);
        let more = match more {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        said.push(format!(
            "Possible as before, but the state reads otherwise than it did: {}{more}.",
            named.join(", ")
        ));
    }
    said
}

fn sentence(parting: &WalkParting, after: &[Vec<usize>], leaves: &[usize]) -> String {
    let mut text = parting.text();
    if leaves.len() > 1 {
        let next = |n: &usize| after.get(*n).and_then(|all| all.first().copied());
        let end = std::iter::successors(Some(parting.entry), next).last();
        let branch = leaves.iter().position(|leaf| Some(*leaf) == end);
        text = format!("Branch {}: {text}", branch.unwrap_or(0) + 1);
    }
    let mut lost = 0;
    let mut open: Vec<usize> = after.get(parting.entry).cloned().unwrap_or_default();
    while let Some(n) = open.pop() {
        lost += 1;
        open.extend(after.get(n).into_iter().flatten());
    }
    match lost {
        0 => text + ".",
        lost => {
            let lost = counted(lost as u64, "step");
            format!("{text}. With it {lost} after it are gone.")
        }
    }
}
