//! The structure of a network, made by hand: families interleaved, in parallel, and the events hidden.

use super::*;
use crate::animate::structure::{
    CycleView, EventClass, Fate, OfferView, PartView, Standing, StandingView, StructureNode,
    StructureView, SyncView, WaitView,
};

fn class(pieces: &[&str]) -> EventClass {
    EventClass {
        pieces: pieces.iter().map(|p| p.to_string()).collect(),
        count: pieces.len(),
        is_whole: true,
    }
}

pub fn structured(view: &StateView) -> StructureView {
    let families: Vec<&[ComponentView]> = view
        .components
        .chunk_by(|a, b| a.family == b.family)
        .collect();
    let mut nodes = Vec::new();
    let all = view.components.len();
    let node = |depth, parent, sign, words: &str, components, size, form| StructureNode {
        depth,
        parent,
        sign,
        words: words.to_string(),
        set: String::new(),
        components,
        size,
        form,
    };
    nodes.push(node(0, None, "\\ A", "hiding", (0, all), 0, 100));
    nodes.push(node(
        1,
        Some(0),
        "[|A|]",
        "parallel, sharing",
        (0, all),
        0,
        101,
    ));
    nodes[0].set = "lock.*, unlock.*".to_string();
    let mut first = 0;
    for (form, family) in families.iter().enumerate() {
        let range = (first, first + family.len());
        let mut parent = 1;
        if family.len() > 1 {
            parent = nodes.len();
            nodes.push(node(
                2,
                Some(1),
                "|||",
                "interleaving",
                range,
                1 + family.len(),
                50 + form,
            ));
        }
        for (n, own) in family.iter().enumerate() {
            let depth = if parent == 1 { 2 } else { 3 };
            let own_range = (first + n, first + n + 1);
            nodes.push(node(
                depth,
                Some(parent),
                "",
                &own.label(),
                own_range,
                1,
                form,
            ));
        }
        first += family.len();
    }
    nodes[0].size = nodes.len();
    nodes[1].size = nodes.len() - 1;
    let movers: Vec<usize> = view
        .transitions
        .iter()
        .flat_map(|t| t.movers.iter().map(|m| m.0))
        .collect();
    let lock = all - 1;
    let components = view.components.iter().enumerate().map(|(n, own)| {
        let free = movers.contains(&n);
        StandingView {
            label: PartedText::label(&own.family, &own.index),
            state: own.text.clone(),
            standing: if free {
                Standing::Free
            } else {
                Standing::Waiting
            },
            is_stable: true,
            offers: vec![OfferView {
                events: class(&[&format!("lock.{}", own.index)]),
                fate: if free { Fate::Possible } else { Fate::Blocked },
                missing: if free { Vec::new() } else { vec![lock] },
                several: false,
            }],
            refuses: class(&["unlock.*"]),
        }
    });
    let components: Vec<StandingView> = components.collect();
    let waits = components
        .iter()
        .enumerate()
        .filter(|(_, c)| c.standing.waits());
    let waits = waits.map(|(from, own)| WaitView {
        from,
        to: lock,
        events: own.offers[0].events.clone(),
        never: from % 2 == 1,
    });
    StructureView {
        nodes,
        initials: class(&["push.*", "tau"]),
        is_stable: false,
        refuses: class(&[]),
        is_deadlock: view.deadlocked,
        is_terminated: view.terminated,
        waits: waits.collect(),
        omitted: 0,
        cycles: match view.deadlocked {
            true => vec![CycleView {
                steps: vec![(0, "lock.T0".to_string()), (lock, "unlock.T0".to_string())],
            }],
            false => Vec::new(),
        },
        components,
    }
}

pub fn part(view: &StructureView, node: usize) -> PartView {
    PartView {
        events: class(&["lock.T0", "unlock.T0", "push.T0.*"]),
        is_complete: node.is_multiple_of(2),
        syncs: vec![
            SyncView {
                with: vec!["Thread".to_string(), "Lock".to_string()],
                events: class(&["lock.*"]),
            },
            SyncView {
                with: Vec::new(),
                events: class(&[view.nodes[node].words.as_str()]),
            },
        ],
    }
}

/// One step, unless the condition says otherwise.
pub fn found(view: &StateView, condition: &str) -> Result<FoundView, ErrorText> {
    use crate::animate::model::{FoundStepView, FoundWord};
    if condition.contains("Thred") {
        return Err(ErrorText::new(
            "condition, column 6: no family is called `Thred`",
            format!("wrong\n\n  | {condition}\n  |      ^^^^^"),
        ));
    }
    let step = view.transitions.first().map(|t| FoundStepView {
        kind: t.kind,
        event: t.event.to_string(),
        changes: Vec::new(),
        target: t.target,
    });
    let is_there = condition != "deadlock";
    Ok(FoundView {
        from: view.id,
        word: if is_there {
            FoundWord::Found
        } else {
            FoundWord::Nowhere
        },
        steps: step.into_iter().filter(|_| is_there).collect(),
        states: 1_234,
        reduced: true,
        not_reduced: String::new(),
    })
}
