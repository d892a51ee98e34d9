//! Traces, stable failures and divergences of transition systems, found as their definitions say.

use std::collections::BTreeSet;

use orbitscope::lts::Lts;

/// All states that these reach by τ.
pub fn closure(lts: &Lts, from: impl IntoIterator<Item = u32>) -> BTreeSet<u32> {
    let mut reached: BTreeSet<u32> = from.into_iter().collect();
    let mut open: Vec<u32> = reached.iter().copied().collect();
    while let Some(s) = open.pop() {
        for (_, to) in lts.silent(s) {
            if reached.insert(*to) {
                open.push(*to);
            }
        }
    }
    reached
}

/// Whether some run of τs from a state never ends: it comes to a state that it was in before.
pub fn diverges(lts: &Lts, s: u32) -> bool {
    closure(lts, [s]).into_iter().any(|t| {
        let next = lts.silent(t).iter().map(|x| x.1);
        closure(lts, next).contains(&t)
    })
}

/// What can be seen after one trace: events, minimal acceptances, divergence.
#[derive(Debug, PartialEq, Eq)]
pub struct Seen {
    pub events: BTreeSet<u32>,
    pub acceptances: BTreeSet<BTreeSet<u32>>,
    pub diverges: bool,
}

pub fn seen(lts: &Lts, set: &BTreeSet<u32>) -> Seen {
    let events = |s: u32| -> BTreeSet<u32> { lts.visible(s).iter().map(|t| t.0).collect() };
    let stable = set.iter().filter(|s| lts.is_stable(**s));
    let all: BTreeSet<BTreeSet<u32>> = stable.map(|s| events(*s)).collect();
    let minimal = all.iter().filter(|a| {
        let smaller = |b: &&BTreeSet<u32>| b.is_subset(a) && b != a;
        !all.iter().any(|b| smaller(&b))
    });
    Seen {
        events: set.iter().flat_map(|s| events(*s)).collect(),
        acceptances: minimal.cloned().collect(),
        diverges: set.iter().any(|s| diverges(lts, *s)),
    }
}

/// Whether two states have the same traces, stable failures and divergences.
pub fn same_behaviour(a: &Lts, s: u32, b: &Lts, t: u32) -> Result<(), String> {
    let mut open = vec![(Vec::new(), closure(a, [s]), closure(b, [t]))];
    let mut known: BTreeSet<(BTreeSet<u32>, BTreeSet<u32>)> = BTreeSet::new();
    while let Some((trace, left, right)) = open.pop() {
        if !known.insert((left.clone(), right.clone())) {
            continue;
        }
        let (of_left, of_right) = (seen(a, &left), seen(b, &right));
        if of_left != of_right {
            return Err(format!("after {trace:?}: {of_left:?}, then {of_right:?}"));
        }
        for event in of_left.events {
            let after = |lts: &Lts, set: &BTreeSet<u32>| {
                let steps = set.iter().flat_map(|s| lts.steps(*s));
                closure(lts, steps.filter(|x| x.0 == event).map(|x| x.1))
            };
            let mut longer = trace.clone();
            longer.push(event);
            open.push((longer, after(a, &left), after(b, &right)));
        }
    }
    Ok(())
}
