//! The `diamond` compression: a system with no more than one τ on the way to what is stable, but for divergence.
//!
//! (Roscoe, Gardiner, Goldsmith, Hulance, Jackson and Scattergood, *Hierarchical compression for
//! model-checking CSP*, 1995.) A state `t` becomes `Full(t)`, which offers at once what `t` offers
//! now or after τ. Of several targets of one event those are dropped that another reaches by τ. The
//! authors label `t` with its minimal acceptances and with whether it diverges. Here `Full(t)` has a τ to each of the
//! stable states that τ reaches from `t` and whose events are minimal, and one to itself if `t` diverges. So a state
//! without τ is one that the system has. Where it does not diverge and those stable states do together all that `t` does,
//! up to bisimilarity of what follows, `Full(t)` is not needed: an event that led to `t` leads to them. Traces, stable
//! failures and divergences stay as they are:
//!
//! - `Full(t)` offers only what `t` can do, and so do the stable states, all together all of it;
//! - what a stable state that `t` reaches by τ refuses is refused by a minimal one, and each minimal one is there;
//! - `Full(t)` diverges at once if and only if `t` does.

use std::cmp::Reverse;

use super::bisim::bisimulation;
use super::graph::{Builder, Lts, Name, Part, Partition, State, TAU, TICK};
use super::normal::{alternatives_of, minimal};
use super::tau::{Closure, silent_components};
use crate::source::diagnostic::Result;
use crate::source::hash::{IndexSet, Set};

/// The image of a state `t`.
struct Alternatives {
    /// The stable states that τ reaches and whose events are minimal, ascending.
    least: Box<[State]>,
    /// Whether `Full(t)` stands beside them: they do not do all that it does, or it diverges.
    has_full: bool,
    diverges: bool,
    /// The events and targets of `Full(t)`.
    steps: Box<[(u32, State)]>,
}

/// The alternatives of states, found out once.
struct AllAlternatives<'a> {
    lts: &'a Lts,
    closure: Closure,
    /// Ranks fall along τ.
    rank: Vec<u32>,
    known: Vec<Option<Alternatives>>,
}

/// The images of the reachable states, by number: a stable state, or `Full` of another.
struct Spread {
    numbers: IndexSet<State>,
    /// The transitions, to states of the old system.
    rows: Vec<Vec<(u32, State)>>,
}

/// The compressed system, initial state first, of a system whose only cycles of τ are loops.
pub(super) fn diamond(
    lts: &Lts,
    initial: State,
    poll: &dyn Fn(usize) -> Result<()>,
) -> Result<(Lts, Vec<Name>)> {
    let mut all = AllAlternatives::new(lts);
    let spread = all.spread(initial, poll)?;
    let needless = all.needless(&spread, poll)?;
    let mut kept: IndexSet<State> = spread.numbers.clone();
    kept.retain(|t| !needless.contains(t));
    // State 0 is the process as a whole: it becomes one of the alternatives.
    let number = |t: &State| kept.get_index_of(t).map_or(0, |at| at as u32 + 1);
    let rows: Vec<Vec<(u32, State)>> = kept
        .iter()
        .map(|t| {
            let row = all.with_tau(*t, spread.row(*t), &kept);
            let numbered = row.into_iter().map(|(event, to)| (event, number(&to)));
            numbered.collect()
        })
        .collect();
    let first = all.becomes(initial, &kept);
    let first = all.undominated(first);
    let mut builder = Builder::default();
    builder.push(alternatives_of(
        &first,
        |t| rows[number(t) as usize - 1].clone(),
        |t| number(t),
    ));
    let mut names = vec![Name {
        members: vec![initial],
        part: Part::Whole,
    }];
    for (t, row) in kept.iter().zip(&rows) {
        builder.push(row.iter().copied());
        names.push(Name {
            members: vec![*t],
            part: Part::Full,
        });
    }
    Ok((builder.finish(), names))
}

impl Spread {
    fn row(&self, t: State) -> &[(u32, State)] {
        let at = self.numbers.get_index_of(&t);
        at.map_or(&[], |at| &self.rows[at])
    }
}

impl<'a> AllAlternatives<'a> {
    fn new(lts: &'a Lts) -> Self {
        let mut known = Vec::new();
        known.resize_with(lts.len(), || None);
        Self {
            lts,
            closure: Closure::new(lts.len()),
            rank: silent_components(lts).class,
            known,
        }
    }

    fn of(&mut self, t: State) -> &Alternatives {
        let slot = &mut self.known[t as usize];
        slot.get_or_insert_with(|| alternatives(self.lts, t, &mut self.closure))
    }

    /// The same system with all alternatives side by side: each event leads to every one of its target.
    fn spread(&mut self, initial: State, poll: &dyn Fn(usize) -> Result<()>) -> Result<Spread> {
        let mut numbers: IndexSet<State> = self.of(initial).all(initial).collect();
        let mut rows: Vec<Vec<(u32, State)>> = Vec::new();
        let mut size = 0;
        while let Some(&t) = numbers.get_index(rows.len()) {
            let steps = self.of(t).steps.clone();
            let mut row: Vec<(u32, State)> = Vec::new();
            for group in steps.chunk_by(|a, b| a.0 == b.0) {
                let targets = group.iter().map(|step| step.1).collect();
                for target in self.undominated(targets) {
                    let all = self.of(target).all(target);
                    row.extend(all.map(|to| (group[0].0, to)));
                }
            }
            row.sort_unstable();
            row.dedup();
            size += row.len();
            poll(size)?;
            numbers.extend(row.iter().map(|(_, to)| *to));
            rows.push(row);
        }
        Ok(Spread { numbers, rows })
    }

    /// The states `t` whose `Full(t)` does nothing that the stable states beside it do not do together, if what is
    /// bisimilar is the same.
    fn needless(
        &mut self,
        spread: &Spread,
        poll: &dyn Fn(usize) -> Result<()>,
    ) -> Result<Set<State>> {
        let number = |t: &State| spread.numbers.get_index_of(t).unwrap_or_default();
        let mut builder = Builder::default();
        for (t, row) in spread.numbers.iter().zip(&spread.rows) {
            let own = self.of(*t).diverges.then_some((TAU, number(t) as u32));
            let seen = row.iter().map(|(event, to)| (*event, number(to) as u32));
            builder.push(own.into_iter().chain(seen));
        }
        let lts = builder.finish();
        let class = bisimulation(&lts, &Partition::coarse(lts.len()), poll)?.class;
        let classes_of = |t: &State| {
            let row = spread.row(*t).iter();
            row.map(|(event, to)| (*event, class[number(to)]))
        };
        let mut needless = Set::default();
        for t in &spread.numbers {
            let own = self.of(*t);
            if own.has_full && !own.diverges {
                let covered: Set<(u32, u32)> = own.least.iter().flat_map(classes_of).collect();
                if classes_of(t).all(|step| covered.contains(&step)) {
                    needless.insert(*t);
                }
            }
        }
        Ok(needless)
    }

    /// The transitions of a state that is kept: of what an event leads to without what another reaches by τ.
    fn with_tau(
        &mut self,
        t: State,
        row: &[(u32, State)],
        kept: &IndexSet<State>,
    ) -> Vec<(u32, State)> {
        let own = self.of(t);
        let silent = own.least.iter().copied().filter(|to| *to != t);
        let mut steps: Vec<(u32, State)> = silent.map(|to| (TAU, to)).collect();
        steps.extend(own.diverges.then_some((TAU, t)));
        for group in row.chunk_by(|a, b| a.0 == b.0) {
            let targets = group.iter().map(|step| step.1);
            let targets = targets.filter(|to| kept.contains(to)).collect();
            let left = self.undominated(targets).into_iter();
            steps.extend(left.map(|to| (group[0].0, to)));
        }
        steps
    }

    /// The image of a state among those that are kept.
    fn becomes(&mut self, t: State, kept: &IndexSet<State>) -> Vec<State> {
        let all = self.of(t).all(t);
        all.filter(|to| kept.contains(to)).collect()
    }

    fn undominated(&mut self, targets: Vec<State>) -> Vec<State> {
        undominated(self.lts, targets, &self.rank, &mut self.closure)
    }
}

impl Alternatives {
    /// All of them, by the states whose `Full` they are.
    fn all(&self, t: State) -> impl Iterator<Item = State> + use<'_> {
        let full = self.has_full.then_some(t);
        self.least.iter().copied().chain(full)
    }
}

/// The targets of one event, ascending and each once, without those that others reach by τ. Ranks fall along τ.
fn undominated(
    lts: &Lts,
    mut targets: Vec<State>,
    rank: &[u32],
    closure: &mut Closure,
) -> Vec<State> {
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
    let mut least: Vec<State> = minimal(stable).into_iter().map(|(_, s)| s).collect();
    least.sort_unstable();
    let mut covered: Vec<(u32, State)> = least
        .iter()
        .flat_map(|s| lts.visible(*s))
        .copied()
        .collect();
    covered.sort_unstable();
    covered.dedup();
    let has_full = diverges || covered.len() < steps.len();
    // After ✓ all states are alike.
    let mut ticks = 0;
    steps.retain(|(event, _)| {
        ticks += u32::from(*event == TICK);
        *event != TICK || ticks == 1
    });
    Alternatives {
        least: least.into(),
        has_full,
        diverges,
        steps: steps.into(),
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
                    let targets: Vec<State> = group.iter().map(|t| t.1).collect();
                    let found = undominated(&lts, targets.clone(), &rank, &mut closure);
                    let by_definition: Vec<State> = targets
                        .into_iter()
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
