//! Conversion of histories to plain data, and back.

use super::{History, HistoryId, HistoryNode, Origin};
use crate::recorded::{Place, RecordedEntry, RecordedStep, RecordedWalk, Rewalked};
use std::collections::BTreeMap;

impl History {
    /// Records the whole history; `about` gives the number of an entry's choice, and the fingerprint of its state.
    #[must_use]
    pub fn record(
        &self,
        about: impl Fn(HistoryId) -> (Option<usize>, Option<String>),
    ) -> RecordedWalk {
        let entry = |id: HistoryId| {
            let node = self.node(id);
            match (&node.origin, node.parent) {
                (Origin::Step(taken), Some(from)) => {
                    let (choice, state) = about(id);
                    let step = RecordedStep {
                        kind: taken.kind,
                        event: taken.event.clone(),
                        movers: taken.movers.clone(),
                        choice,
                        state,
                    };
                    let from = from.0 as usize;
                    RecordedEntry::Step { from, step }
                }
                (Origin::Renamed(cycles), Some(from)) => RecordedEntry::Renamed {
                    from: from.0 as usize,
                    cycles: cycles.clone(),
                },
                (Origin::Opened(process), _) => RecordedEntry::Opened(process.clone()),
                // Does not happen: an entry without a parent was opened.
                (Origin::Step(_) | Origin::Renamed(_), None) => {
                    RecordedEntry::Opened(String::new())
                }
            }
        };
        let redo = self.ids().filter_map(|id| {
            let node = self.node(id);
            let other = node.redo != node.children.last().copied();
            let to = node.redo.filter(|_| other)?;
            Some((id.0 as usize, to.0 as usize))
        });
        RecordedWalk {
            entries: self.ids().map(entry).collect(),
            marks: self.marks().map(|(c, id)| (c, id.0 as usize)).collect(),
            here: self.current.0 as usize,
            redo: redo.collect(),
        }
    }

    /// Rebuilds the history of a replayed walk, without the entries that were not reached; the present entry is that
    /// of the walk, or the nearest one that was reached. `None` if there is none.
    #[must_use]
    pub fn rebuilt(walk: &RecordedWalk, found: &Rewalked) -> Option<Self> {
        let mut nodes: Vec<HistoryNode> = Vec::new();
        let mut now: Vec<Option<HistoryId>> = Vec::with_capacity(walk.entries.len());
        for (entry, place) in walk.entries.iter().zip(&found.places) {
            let id = HistoryId(nodes.len() as u32);
            let parent = match entry {
                RecordedEntry::Opened(_) => None,
                RecordedEntry::Step { from, .. } | RecordedEntry::Renamed { from, .. } => {
                    now.get(*from).copied().flatten()
                }
            };
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
            });
            now.push(Some(id));
        }
        let known = |n: usize| now.get(n).copied().flatten();
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
        RecordedEntry::Step { .. } => {
            parent?;
            place.taken.clone().map(Origin::Step)
        }
        RecordedEntry::Renamed { cycles, .. } => {
            parent?;
            Some(Origin::Renamed(cycles.clone()))
        }
    }
}

/// The entry of the user, or the last one on the way to it that was reached.
fn nearest(walk: &RecordedWalk, known: impl Fn(usize) -> Option<HistoryId>) -> HistoryId {
    let mut here = walk.here;
    loop {
        match (known(here), walk.entries.get(here)) {
            (Some(id), _) => return id,
            (
                None,
                Some(RecordedEntry::Step { from, .. } | RecordedEntry::Renamed { from, .. }),
            ) if *from < here => here = *from,
            // Its process is not there any more: any other will do.
            _ => return HistoryId(0),
        }
    }
}
