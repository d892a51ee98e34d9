//! The symmetry of the list stack, made by hand: its nodes may be turned, its threads exchanged.

use num_bigint::BigUint;

use super::*;
use crate::lab::examined::NamesMatter;
use crate::report::structure::{GeneratorView, MissView, NetworkSymmetry, StructureGroupView};

/// The cycles of components of each generator: the nodes, two of the threads, and none.
const CYCLES: [&[&[usize]]; 3] = [&[&[0, 1, 2, 3, 4, 5]], &[&[7, 8]], &[]];

/// Its symmetry.
pub fn symmetry(first: &StateView) -> ProcessSymmetry {
    let generator = |at: usize, events: &[&[&str]]| GeneratorView {
        components: CYCLES[at].iter().map(|cycle| cycle.to_vec()).collect(),
        events: events
            .iter()
            .map(|cycle| cycle.iter().map(|e| e.to_string()).collect())
            .collect(),
        event_cycles: events.len(),
        local: None,
    };
    let group = StructureGroupView {
        order: Some(36u32.into()),
        order_with_events: 72u32.into(),
        complete: true,
        name: Some("C6 x S3".to_string()),
        generators: vec![
            generator(
                0,
                &[&[
                    "free.N0", "free.N1", "free.N2", "free.N3", "free.N4", "free.N5",
                ]],
            ),
            generator(1, &[&["lock.T0", "lock.T1"], &["unlock.T0", "unlock.T1"]]),
            generator(2, &[&["push.T0.A", "push.T0.B"]]),
        ],
        orbits: vec![(0..6).collect(), vec![6], vec![7, 8, 9], vec![10]],
        graph: (812, 1_044),
        misses: vec![MissView {
            components: vec![vec![6, 10]],
            reasons: vec!["Top(Null) begins otherwise than Lock".to_string()],
            all: false,
        }],
    };
    ProcessSymmetry {
        told: NetworkSymmetry {
            assertion: None,
            subject: "System".to_string(),
            components: first.components.iter().map(|c| c.text.clone()).collect(),
            names_matter: NamesMatter::No,
            found: Ok(group),
            links: Vec::new(),
            types: vec![("NodeID".to_string(), 6), ("ThreadID".to_string(), 3)],
            copies: Vec::new(),
            known: 4_320u32.into(),
            seconds: (0.012, 0.034),
        },
        orders: vec![6u32.into(), 2u32.into(), 1u32.into()],
        milliseconds: 50,
    }
}

/// What a state becomes: its local states at other places, with the names that they had.
pub fn image(view: &StateView, by: usize, power: u64) -> Result<StateImage, ErrorText> {
    let texts: Vec<&str> = view.components.iter().map(|c| c.text.as_str()).collect();
    if texts.len() != 11 {
        return Err(ErrorText::line("not recorded in the example"));
    }
    let mut from: Vec<usize> = (0..texts.len()).collect();
    for cycle in CYCLES[by] {
        let length = cycle.len();
        for (at, component) in cycle.iter().enumerate() {
            from[cycle[(at + power as usize) % length]] = *component;
        }
    }
    let part = |(at, from): (usize, usize)| ImagePart {
        text: texts[from].to_string(),
        from,
        is_changed: texts[from] != texts[at],
    };
    let parts: Vec<ImagePart> = from.into_iter().enumerate().map(part).collect();
    Ok(StateImage {
        is_same: parts.iter().all(|part| !part.is_changed),
        is_up_to_alike: false,
        parts,
    })
}

/// A ring of so many cells, turned so many times by one.
pub fn ring(count: usize, power: usize) -> (ProcessSymmetry, StateImage) {
    let order: BigUint = count.into();
    let cell = |at: usize| format!("Cell({at})");
    let found = ProcessSymmetry {
        told: NetworkSymmetry {
            assertion: None,
            subject: "System".to_string(),
            components: (0..count).map(cell).collect(),
            names_matter: NamesMatter::No,
            found: Ok(StructureGroupView {
                order: Some(order.clone()),
                order_with_events: order.clone(),
                complete: true,
                name: Some(format!("C{count}")),
                generators: vec![GeneratorView {
                    components: vec![(0..count).collect()],
                    ..GeneratorView::default()
                }],
                orbits: vec![(0..count).collect()],
                ..StructureGroupView::default()
            }),
            links: Vec::new(),
            types: Vec::new(),
            copies: Vec::new(),
            known: 1u32.into(),
            seconds: (0.001, 0.002),
        },
        orders: vec![order],
        milliseconds: 1_234,
    };
    let part = |at: usize| {
        let from = (at + count - power % count) % count;
        ImagePart {
            text: if from == 0 {
                format!("Full({at})")
            } else {
                cell(at)
            },
            from,
            is_changed: !power.is_multiple_of(count) && (from == 0 || at == 0),
        }
    };
    let image = StateImage {
        parts: (0..count).map(part).collect(),
        is_same: power.is_multiple_of(count),
        is_up_to_alike: false,
    };
    (found, image)
}
