//! The `diamond` compression: a system without τ, but for divergence.
//!
//! (Roscoe, Gardiner, Goldsmith, Hulance, Jackson and Scattergood, *Hierarchical compression for
//! model-checking CSP*, 1995.) A state `t` becomes `Full(t)`, which offers at once what `t` offers
//! now or after τ. Of several targets of one event those are dropped that another reaches by τ. The
//! authors label `t` with its minimal acceptances and with whether it diverges. Here an event that
//! led to `t` leads to the stable states that τ reaches from `t` and whose events are minimal, and to
//! `Full(t)` itself if they do not do everything that it does, or if `t` diverges; then `Full(t)` has
//! a τ to itself. So traces, stable failures and divergences stay as they are:
//!
//! - each alternative offers only what `t` can do, and together they offer all of it;
//! - what is refused by an alternative that is stable is refused by a stable state that `t` reaches
//!   by τ, for `Full(t)` offers no less than any of those; and each minimal one is there;
//! - an alternative diverges at once if and only if `t` does.

use std::cmp::Reverse;

use super::graph::{Builder, Lts, Name, Part, State, TAU, TICK};
use super::normal::{alternatives_of, minimal};
use super::tau::{Closure, silent_components};
use crate::source::diagnostic::Result;
use crate::source::hash::IndexMap;

/// What can become of a state at once.
struct Alternatives {
    /// States `t` that stand for `Full(t)`, ascending.
    full: Box<[State]>,
    /// The events and targets of `Full` of the state itself.
    steps: Box<[(u32, State)]>,
    diverges: bool,
}

/// The compressed system, initial state first, of a system whose only cycles of τ are loops.
pub(super) fn diamond(
    lts: &Lts,
    initial: State,
    poll: &dyn Fn(usize) -> Result<()>,
) -> Result<(Lts, Vec<Name>)> {
    let mut closure = Closure::new(lts.len());
    let rank = silent_components(lts).class;
    let mut known: Vec<Option<Alternatives>> = Vec::new();
    known.resize_with(lts.len(), || None);
    let mut numbers: IndexMap<State, ()> = IndexMap::default();
    let mut size = 0;
    // What the initial state may turn out to be comes first, in the order of numbers.
    let first = examine(lts, initial, &mut closure, &mut known).full.clone();
    numbers.extend(first.iter().map(|t| (*t, ())));
    let mut rows: Vec<Vec<(u32, State)>> = Vec::new();
    while let Some((t, ())) = numbers.get_index(rows.len()) {
        let t = *t;
        let own = examine(lts, t, &mut closure, &mut known);
        let (steps, diverges) = (own.steps.clone(), own.diverges);
        let mut row: Vec<(u32, State)> = diverges.then_some((TAU, t)).into_iter().collect();
        for group in steps.chunk_by(|a, b| a.0 == b.0) {
            for target in undominated(lts, group, &rank, &mut closure) {
                let next = examine(lts, target, &mut closure, &mut known);
                let event = group[0].0;
                row.extend(next.full.iter().map(|to| (event, *to)));
            }
        }
        size += row.len();
        poll(size)?;
        numbers.extend(row.iter().map(|(_, to)| (*to, ())));
        rows.push(row);
    }
    // State 0 is the process as a whole: it becomes one of the alternatives.
    let number = |t: &State| numbers.get_index_of(t).map_or(0, |at| at as u32 + 1);
    let mut builder = Builder::default();
    builder.push(alternatives_of(
        &first,
        |t| {
            let row = rows[number(t) as usize - 1].iter();
            row.map(|(event, to)| (*event, number(to))).collect()
        },
        |t| number(t),
    ));
    let mut names = vec![Name {
        members: vec![initial],
        part: Part::Whole,
    }];
    for (t, row) in numbers.keys().zip(&rows) {
        builder.push(row.iter().map(|(event, to)| (*event, number(to))));
        names.push(Name {
            members: vec![*t],
            part: Part::Full,
        });
    }
    Ok((builder.finish(), names))
}

/// The targets of one event without those that others reach by τ. Ranks fall along τ.
fn undominated(
    lts: &Lts,
    group: &[(u32, State)],
    rank: &[u32],
    closure: &mut Closure,
) -> Vec<State> {
    let mut targets: Vec<State> = group.iter().map(|t| t.1).collect();
    // As a rule there is one.
    if targets.len() == 1 {
        return targets;
    }
    // What reaches others comes before them, so what is reached by one that is kept is never closed itself.
    targets.sort_unstable_by_key(|t| Reverse(rank[*t as usize]));
    closure.begin();
    targets.retain(|t| {
        let reached = closure.has(*t);
        if !reached {
            closure.add(lts, *t);
        }
        !reached
    });
    targets.sort_unstable();
    targets
}

fn examine<'a>(
    lts: &Lts,
    t: State,
    closure: &mut Closure,
    known: &'a mut [Option<Alternatives>],
) -> &'a Alternatives {
    let slot = &mut known[t as usize];
    slot.get_or_insert_with(|| alternatives(lts, t, closure))
}

fn alternatives(lts: &Lts, t: State, closure: &mut Closure) -> Alternatives {
    let reached = closure.close(lts, [t]);
    let diverges = reached.iter().any(|s| lts.loops(*s));
    let mut steps: Vec<(u32, State)> = reached
        .iter()
        .flat_map(|s| lts.visible(*s))
        .copied()
        .collect();
    steps.sort_unstable();
    steps.dedup();
    let stable: Vec<(Vec<u32>, State)> = reached
        .iter()
        .filter(|s| lts.is_stable(**s))
        .map(|s| (lts.initials(*s), *s))
        .collect();
    let mut full: Vec<State> = minimal(stable).into_iter().map(|(_, s)| s).collect();
    let done: usize = {
        let mut covered: Vec<(u32, State)> =
            full.iter().flat_map(|s| lts.visible(*s)).copied().collect();
        covered.sort_unstable();
        covered.dedup();
        covered.len()
    };
    // Otherwise the stable states do all that the state can do, and may stand for it.
    if diverges || done < steps.len() {
        full.push(t);
    }
    full.sort_unstable();
    full.dedup();
    // After ✓ all states are alike.
    let mut ticks = 0;
    steps.retain(|(event, _)| {
        ticks += u32::from(*event == TICK);
        *event != TICK || ticks == 1
    });
    Alternatives {
        full: full.into(),
        steps: steps.into(),
        diverges,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lts::testing::without_cycles;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn targets_that_others_reach_are_left_out(lts in without_cycles(9, 1, 30)) {
            let rank = silent_components(&lts).class;
            let mut closure = Closure::new(lts.len());
            for s in lts.states() {
                for group in lts.steps(s).chunk_by(|a, b| a.0 == b.0) {
                    let found = undominated(&lts, group, &rank, &mut closure);
                    let targets = group.iter().map(|t| t.1);
                    let by_definition: Vec<State> = targets
                        .filter(|t| {
                            let mut others = group.iter().map(|u| u.1).filter(|u| u != t);
                            !others.any(|u| closure.close(&lts, [u]).contains(t))
                        })
                        .collect();
                    prop_assert_eq!(found, by_definition);
                }
            }
        }
    }
}
