//! Small random systems for tests.

use proptest::prelude::*;

use super::graph::{Builder, Lts, Partition, State, TAU};

/// Systems of up to so many states and transitions, with so many events besides τ (✓ is none of them).
pub(super) fn arbitrary(states: u32, events: u32, steps: usize) -> impl Strategy<Value = Lts> {
    let events = prop_oneof![2 => Just(TAU), 3 => 2..2 + events];
    let all = (1..=states).prop_flat_map(move |n| {
        let step = (0..n, events.clone(), 0..n);
        (Just(n), proptest::collection::vec(step, 0..=steps))
    });
    all.prop_map(|(n, steps)| built(n, &steps))
}

/// The same where the only cycles of τ are loops.
pub(super) fn without_cycles(states: u32, events: u32, steps: usize) -> impl Strategy<Value = Lts> {
    arbitrary(states, events, steps).prop_map(|lts| {
        let turned = lts.states().flat_map(|s| {
            let steps = lts.steps(s).iter();
            // A τ that leads back leads forward instead.
            steps.map(move |(event, to)| match *event {
                TAU => (s.min(*to), TAU, s.max(*to)),
                event => (s, event, *to),
            })
        });
        let steps: Vec<(State, u32, State)> = turned.collect();
        built(lts.len() as u32, &steps)
    })
}

/// Partitions of so many states.
pub(super) fn partition_of(states: usize) -> impl Strategy<Value = Partition> {
    proptest::collection::vec(0u32..2, states).prop_map(|class| {
        let all_alike = class.iter().all(|c| *c == class[0]);
        Partition {
            count: if all_alike { 1 } else { 2 },
            class: if all_alike {
                vec![0; class.len()]
            } else {
                class
            },
        }
    })
}

fn built(states: u32, steps: &[(State, u32, State)]) -> Lts {
    let mut builder = Builder::default();
    for s in 0..states {
        let own = steps.iter().filter(|t| t.0 == s);
        builder.push(own.map(|t| (t.1, t.2)));
    }
    builder.finish()
}
