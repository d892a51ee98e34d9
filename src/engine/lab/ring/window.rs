//! The windows of a circle, read off the rules of its network.

use std::collections::BTreeSet;

use super::circle::{Circle, stretch};
use super::{LetterId, NoRing, RingWindow};
use crate::source::hash::IndexSet;
use crate::structure::network_structure::NetworkStructure;

/// Letters, at most.
const LETTERS_MAX: usize = 64;
/// Windows, at most.
const WINDOWS_MAX: usize = 20_000;

/// A participant of a rule within a window: its cell, its orbit, and the numbers of its local states before and after.
type WindowPart = (usize, usize, u32, u32);

/// Reads windows.
pub struct WindowReader<'a> {
    structure: &'a NetworkStructure,
    circle: &'a Circle,
    /// The transitions of each label, by numbers of local states.
    steps: Vec<Vec<(u32, u32)>>,
}

/// The windows of a circle.
pub struct Windows {
    pub letters: IndexSet<Vec<u32>>,
    pub all: BTreeSet<RingWindow>,
    pub radius: usize,
}

impl Windows {
    pub fn letter(&self, tuple: &Vec<u32>) -> Option<LetterId> {
        self.letters.get_index_of(tuple).map(|at| at as LetterId)
    }
}

impl<'a> WindowReader<'a> {
    pub fn new(structure: &'a NetworkStructure, circle: &'a Circle) -> Self {
        let mut steps = vec![Vec::new(); structure.labels.len()];
        for (from, label, to) in &structure.steps {
            let number = |point: &u32| circle.number[*point as usize];
            steps[*label as usize].push((number(from), number(to)));
        }
        Self {
            structure,
            circle,
            steps,
        }
    }

    /// All windows over the letters of a word and those that windows make of these.
    pub fn all(&self, first: &[Vec<u32>]) -> Result<Windows, NoRing> {
        let mut changes = Vec::new();
        for (labels, _) in &self.structure.rules {
            self.add_changes(labels, &mut changes)?;
        }
        let radius = changes.iter().map(|parts| radius(parts)).max().unwrap_or(0);
        let longest = changes
            .iter()
            .map(|parts| changed(parts).len() + 2 * radius);
        let longest = longest.max().unwrap_or(0);
        if longest > self.circle.cells {
            return Err(NoRing::Short(longest));
        }
        let mut windows = Windows {
            letters: first.iter().cloned().collect(),
            all: BTreeSet::new(),
            radius,
        };
        loop {
            let before = windows.letters.len();
            windows.all.clear();
            for parts in &changes {
                add_windows(parts, &mut windows)?;
            }
            if windows.letters.len() == before {
                return Ok(windows);
            }
        }
    }

    /// Adds what a rule changes in the first cells, for each choice of transitions of its participants. Other places have
    /// the same rules.
    fn add_changes(
        &self,
        labels: &[u32],
        changes: &mut Vec<Vec<WindowPart>>,
    ) -> Result<(), NoRing> {
        let place = |label: &u32| {
            let component = self.structure.labels[*label as usize];
            self.circle.place[usize::from(component)]
        };
        let mut cells: Vec<usize> = labels.iter().map(|label| place(label).1).collect();
        let all = self.circle.cells;
        let (start, _) = stretch(&mut cells, all);
        if start != 0 {
            return Ok(());
        }
        let mut chosen: Vec<Vec<WindowPart>> = vec![Vec::new()];
        for label in labels {
            let (orbit, cell) = place(label);
            let longer = |parts: &Vec<WindowPart>| {
                let (parts, steps) = (parts.clone(), &self.steps[*label as usize]);
                steps.iter().map(move |(from, to)| {
                    let mut parts = parts.clone();
                    parts.push((cell, orbit, *from, *to));
                    parts
                })
            };
            chosen = chosen.iter().flat_map(longer).collect();
            if chosen.len() + changes.len() > WINDOWS_MAX {
                return Err(NoRing::Large("windows"));
            }
        }
        let changes_something = |parts: &Vec<WindowPart>| parts.iter().any(|part| part.2 != part.3);
        changes.extend(chosen.into_iter().filter(changes_something));
        Ok(())
    }
}

/// The cells from the first to the last that change.
fn changed(parts: &[WindowPart]) -> std::ops::Range<usize> {
    let cells = parts
        .iter()
        .filter(|part| part.2 != part.3)
        .map(|part| part.0);
    let (first, last) = (cells.clone().min().unwrap_or(0), cells.max().unwrap_or(0));
    first..last + 1
}

/// How far from those that change there are cells that matter.
fn radius(parts: &[WindowPart]) -> usize {
    let changed = changed(parts);
    let beyond = |part: &WindowPart| {
        let before = changed.start.saturating_sub(part.0);
        before.max((part.0 + 1).saturating_sub(changed.end))
    };
    parts.iter().map(beyond).max().unwrap_or(0)
}

/// Adds the windows for all letters that a change leaves open, and the letters that they make.
fn add_windows(parts: &[WindowPart], windows: &mut Windows) -> Result<(), NoRing> {
    let changed = changed(parts);
    let radius = windows.radius;
    let mut words: Vec<RingWindow> = vec![RingWindow {
        before: Vec::new(),
        after: Vec::new(),
    }];
    for at in 0..changed.len() + 2 * radius {
        let here = parts
            .iter()
            .filter(|part| part.0 + radius == changed.start + at);
        let here: Vec<&WindowPart> = here.collect();
        let mut choices: Vec<(LetterId, LetterId)> = Vec::new();
        for before in 0..windows.letters.len() {
            let letter = &windows.letters[before];
            if here
                .iter()
                .all(|(_, orbit, from, _)| letter[*orbit] == *from)
            {
                let mut after = letter.clone();
                here.iter()
                    .for_each(|(_, orbit, _, to)| after[*orbit] = *to);
                let after = windows.letters.insert_full(after).0;
                choices.push((before as LetterId, after as LetterId));
            }
        }
        if windows.letters.len() > LETTERS_MAX {
            return Err(NoRing::Large("letters"));
        }
        let longer = |window: &RingWindow| {
            let window = window.clone();
            choices.iter().map(move |(before, after)| {
                let mut window = window.clone();
                window.before.push(*before);
                window.after.push(*after);
                window
            })
        };
        words = words.iter().flat_map(longer).collect();
        if words.len() + windows.all.len() > WINDOWS_MAX {
            return Err(NoRing::Large("windows"));
        }
    }
    windows.all.extend(words);
    Ok(())
}
