//! Conversion of histories to plain data, and back.

use super::{History, HistoryId, HistoryNode, Origin, ReplayedStep};
use crate::replayed::{Place, Rewalked};
use crate::report::runs::{RecordedEntry, RecordedRenaming, RecordedRun, RecordedStep};
use std::collections::BTreeMap;

impl History {
    /// Records the whole history; `about` gives the number of an entry's choice, and the fingerprint of its state.
    #[must_use]
    pub fn record(
        &self,
        about: impl Fn(HistoryId) -> (Option<usize>, Option<String>),
    ) -> RecordedRun {
        let entry = |id: HistoryId| {
            let node = self.node(id);
            let from = node.parent.map(|parent| parent.0 as usize);
            let from = from.filter(|from| from + 1 != id.0 as usize);
            match &node.origin {
                Origin::Opened(process) => RecordedEntry::Opened(process.clone()),
                Origin::Step(taken) => {
                    let (choice, state) = about(id);
                    RecordedEntry::Step(RecordedStep {
                        from,
                        choice,
                        ..RecordedStep::new(taken.clone(), state)
                    })
                }
                Origin::Renamed(cycles) => RecordedEntry::Renamed(RecordedRenaming {
                    from,
                    by: cycles.clone(),
                }),
            }
        };
        let redo = self.ids().filter_map(|id| {
            let node = self.node(id);
            let other = node.redo != node.children.last().copied();
            let to = node.redo.filter(|_| other)?;
            Some((id.0 as usize, to.0 as usize))
        });
        RecordedRun {
            counterexamples: Vec::new(),
            entries: self.ids().map(entry).collect(),
            marks: self.marks().map(|(c, id)| (c, id.0 as usize)).collect(),
            here: self.current.0 as usize,
            redo: redo.collect(),
        }
    }

    /// Rebuilds the history of a replayed walk, without the entries that were not reached; the present entry is that
    /// of the walk, or the nearest one that was reached. `None` if there is none.
    #[must_use]
    pub fn rebuilt(walk: &RecordedRun, found: &Rewalked) -> Option<Self> {
        let mut nodes: Vec<HistoryNode> = Vec::new();
        let mut now: Vec<Option<HistoryId>> = Vec::with_capacity(walk.entries.len());
        for (n, (entry, place)) in walk.entries.iter().zip(&found.places).enumerate() {
            let id = HistoryId(nodes.len() as u32);
            let parent = walk.before(n).and_then(|from| now.get(from).copied()?);
            let origin = place.as_ref().and_then(|p| origin_now(entry, p, parent));
            let (Some(place), Some(origin)) = (place, origin) else {
                now.push(None);
                continue;
            };
            if let Some(parent) = parent {
                let parent = &mut nodes[parent.0 as usize];
                parent.children.push(id);
                parent.redo = Some(id);
            }
            nodes.push(HistoryNode {
                state: place.state,
                parent,
                origin,
                children: Vec::new(),
                redo: None,
                replayed: Some(ReplayedStep {
                    differs: found.differing.contains(&n),
                    lost: Vec::new(),
                }),
            });
            now.push(Some(id));
        }
        let known = |n: usize| now.get(n).copied().flatten();
        for parting in &found.partings {
            let before = walk.before(parting.entry).and_then(known);
            let before = before.and_then(|id| nodes[id.0 as usize].replayed.as_mut());
            if let Some(step) = before {
                step.lost.push(parting.wanted.clone());
            }
        }
        for (from, to) in &walk.redo {
            if let (Some(from), Some(to)) = (known(*from), known(*to))
                && nodes[to.0 as usize].parent == Some(from)
            {
                nodes[from.0 as usize].redo = Some(to);
            }
        }
        let marks = walk.marks.iter();
        let marks: BTreeMap<_, _> = marks.filter_map(|(c, n)| Some((*c, known(*n)?))).collect();
        let current = nearest(walk, known);
        (!nodes.is_empty()).then_some(Self {
            nodes,
            current,
            marks,
        })
    }
}

/// The origin of an entry that was reached, after the one before it.
fn origin_now(entry: &RecordedEntry, place: &Place, parent: Option<HistoryId>) -> Option<Origin> {
    match entry {
        RecordedEntry::Opened(process) => Some(Origin::Opened(process.clone())),
        RecordedEntry::Step(_) => {
            parent?;
            place.taken.clone().map(Origin::Step)
        }
        RecordedEntry::Renamed(renaming) => {
            parent?;
            Some(Origin::Renamed(renaming.by.clone()))
        }
    }
}

/// The entry of the user, or the last one on the way to it that was reached. Any other will do if their process is not
/// there any more.
fn nearest(walk: &RecordedRun, known: impl Fn(usize) -> Option<HistoryId>) -> HistoryId {
    let mut way = walk.path_to(walk.here).into_iter().rev();
    way.find_map(known).unwrap_or(HistoryId(0))
}
