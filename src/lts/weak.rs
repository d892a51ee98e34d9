//! Weak and delay bisimulation that respect divergence (Boulgakov, Gibson-Robinson and Roscoe,
//! *Computing maximal weak and other bisimulations*, 2016).
//!
//! States are weakly bisimilar if each step of one is matched by a step of the other with any number
//! of τs before and after it (a τ also by none), into bisimilar states, and either both can diverge
//! or none. Delay bisimilarity allows no τs after. On a system whose only cycles of τ are loops the
//! steps with τs around them need not be written down: signatures are computed along τ, backwards.
//!
//! As in strong bisimulation the largest part of a class keeps its number, and a signature is computed anew
//! only where a class that it names has changed: on a long chain each round splits one state off, so rounds
//! that look at all states would take the square of its length.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::bisim::{Blocks, numbered};
use super::graph::{Builder, Lts, Partition, Sources, State, TAU};
use super::tau::silent_components;
use crate::source::diagnostic::Result;

/// Pairs computed between two calls of `poll`, roughly.
const POLL_EVERY: usize = 1 << 14;

/// Which of the two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weak {
    /// τs may come before and after an event.
    Weak,
    /// τs may come before an event.
    Delay,
}

/// The coarsest bisimulation of a kind on a system whose only cycles of τ are loops.
///
/// # Errors
/// What `poll` reports; it is given the size of what is being made.
pub fn weak_bisimulation(
    lts: &Lts,
    kind: Weak,
    poll: &dyn Fn(usize) -> Result<()>,
) -> Result<Partition> {
    refine(lts, kind, poll).map(|known| known.partition)
}

/// The partition, and what the members of each class can do.
struct Known {
    partition: Partition,
    /// The other classes that a class reaches by τ.
    after: Vec<Vec<u32>>,
    /// Pairs of visible event and class, with τs around; ascending.
    offered: Vec<Vec<(u32, u32)>>,
    diverges: Vec<bool>,
}

fn refine(lts: &Lts, kind: Weak, poll: &dyn Fn(usize) -> Result<()>) -> Result<Known> {
    let order = against_tau(lts);
    let diverges = divergent(lts, &order);
    // Divergence is respected: what can diverge is never put together with what cannot.
    let parted = diverges.iter();
    let parted = parted.map(|d| u32::from(Some(d) != diverges.first()));
    let parted: Vec<u32> = parted.collect();
    let mut blocks = Blocks::new(&numbered(&parted));
    let mut signatures = KnownSignatures::new(lts, kind, order);
    // Nothing is known of any signature yet.
    let mut renamed: Vec<State> = lts.states().collect();
    while !renamed.is_empty() {
        for s in signatures.update(&blocks.class, &renamed, poll)? {
            blocks.mark(s);
        }
        renamed.clear();
        // Only now, since all signatures of a round are about the same classes.
        for class in std::mem::take(&mut blocks.open) {
            let groups = signatures.groups(blocks.dirty(class));
            for new in blocks.divide(class, &groups) {
                renamed.extend_from_slice(blocks.members(new));
            }
        }
    }
    let partition = numbered(&blocks.class);
    let mut known = Known {
        after: Vec::with_capacity(partition.count),
        offered: Vec::with_capacity(partition.count),
        diverges: Vec::with_capacity(partition.count),
        partition,
    };
    for s in lts.states() {
        let class = known.partition.class[s as usize];
        // Numbers are in the order of first states, and any member will do.
        if class as usize == known.after.len() {
            let (after, offered) = signatures.in_classes(s, &blocks, &known.partition);
            known.after.push(after);
            known.offered.push(offered);
            known.diverges.push(diverges[s as usize]);
        }
    }
    Ok(known)
}

/// What states can do, in classes.
struct KnownSignatures<'a> {
    lts: &'a Lts,
    kind: Weak,
    sources: Sources,
    /// The states in an order in which τ leads backwards, and the place of each.
    order: Vec<State>,
    place: Vec<u32>,
    /// The classes that τ reaches from each state, its own among them; ascending.
    reached: Vec<Box<[u32]>>,
    /// Pairs of visible event and class, with τs around; ascending.
    offered: Vec<Box<[(u32, u32)]>>,
    /// How much both hold.
    size: usize,
    /// What was computed since `poll` was called last.
    work: usize,
}

impl<'a> KnownSignatures<'a> {
    fn new(lts: &'a Lts, kind: Weak, order: Vec<State>) -> Self {
        let mut place = vec![0; order.len()];
        for (at, s) in order.iter().enumerate() {
            place[*s as usize] = at as u32;
        }
        Self {
            lts,
            kind,
            sources: lts.sources(),
            order,
            place,
            reached: vec![Box::default(); lts.len()],
            offered: vec![Box::default(); lts.len()],
            size: 0,
            work: 0,
        }
    }

    /// Brings the signatures up to date after states have changed their classes; those that are others now.
    fn update(
        &mut self,
        class: &[u32],
        renamed: &[State],
        poll: &dyn Fn(usize) -> Result<()>,
    ) -> Result<Vec<State>> {
        let mut moved = Vec::new();
        let mut queue = Queue::default();
        queue.extend(renamed.iter().map(|s| self.place[*s as usize]));
        while let Some(at) = queue.pop() {
            let s = self.order[at as usize];
            let own = self.reached_by(s, class);
            self.worked(own.len(), poll)?;
            if own[..] != self.reached[s as usize][..] {
                self.size = self.size + own.len() - self.reached[s as usize].len();
                self.reached[s as usize] = own.into();
                moved.push(s);
                queue.extend(self.before(s));
            }
        }
        // All that is offered in terms of what has changed.
        let sources = match self.kind {
            Weak::Weak => &moved[..],
            Weak::Delay => renamed,
        };
        let sources = sources.iter().flat_map(|s| self.sources.of(*s));
        queue.extend(sources.map(|s| self.place[*s as usize]));
        let mut changed = moved;
        while let Some(at) = queue.pop() {
            let s = self.order[at as usize];
            let own = self.offered_by(s, class);
            self.worked(own.len(), poll)?;
            if own[..] != self.offered[s as usize][..] {
                self.size = self.size + own.len() - self.offered[s as usize].len();
                self.offered[s as usize] = own.into();
                changed.push(s);
                queue.extend(self.before(s));
            }
        }
        Ok(changed)
    }

    /// Counts what a signature was made of, and polls now and then.
    fn worked(&mut self, pairs: usize, poll: &dyn Fn(usize) -> Result<()>) -> Result<()> {
        self.work += pairs + 1;
        if self.work >= POLL_EVERY {
            self.work = 0;
            // Signatures may be as large as the square of the system.
            poll(self.size)?;
        }
        Ok(())
    }

    /// The places of the other states that have a τ to a state: they come later in the order.
    fn before(&self, s: State) -> impl Iterator<Item = u32> {
        let sources = self.sources.of(s).iter();
        let silent =
            move |p: &&State| **p != s && self.lts.steps(**p).binary_search(&(TAU, s)).is_ok();
        sources.filter(silent).map(|p| self.place[*p as usize])
    }

    fn reached_by(&self, s: State, class: &[u32]) -> Vec<u32> {
        let mut own = vec![class[s as usize]];
        for (_, to) in self.lts.silent(s) {
            // A τ to itself adds nothing.
            if *to != s {
                own.extend_from_slice(&self.reached[*to as usize]);
            }
        }
        own.sort_unstable();
        own.dedup();
        own
    }

    fn offered_by(&self, s: State, class: &[u32]) -> Vec<(u32, u32)> {
        let mut own = Vec::new();
        for (event, to) in self.lts.visible(s) {
            match self.kind {
                Weak::Weak => own.extend(self.reached[*to as usize].iter().map(|c| (*event, *c))),
                Weak::Delay => own.push((*event, class[*to as usize])),
            }
        }
        for (_, to) in self.lts.silent(s) {
            if *to != s {
                own.extend_from_slice(&self.offered[*to as usize]);
            }
        }
        own.sort_unstable();
        own.dedup();
        own
    }

    /// States grouped by their signatures.
    fn groups(&self, states: &[State]) -> Vec<Vec<State>> {
        let signature = |s: State| (&self.reached[s as usize], &self.offered[s as usize]);
        let mut states = states.to_vec();
        // By number where signatures are equal: nothing may depend on the order of dirty states.
        states.sort_by(|a, b| signature(*a).cmp(&signature(*b)).then(a.cmp(b)));
        let groups = states.chunk_by(|a, b| signature(*a) == signature(*b));
        groups.map(<[State]>::to_vec).collect()
    }

    /// What a state reaches besides its own class, and what it offers, in numbers of the result.
    fn in_classes(
        &self,
        s: State,
        blocks: &Blocks,
        partition: &Partition,
    ) -> (Vec<u32>, Vec<(u32, u32)>) {
        let number = |class: u32| partition.class[blocks.members(class)[0] as usize];
        let own = partition.class[s as usize];
        let reached = self.reached[s as usize].iter().map(|c| number(*c));
        let mut after: Vec<u32> = reached.filter(|c| *c != own).collect();
        after.sort_unstable();
        let offered = self.offered[s as usize].iter();
        let mut offered: Vec<(u32, u32)> = offered.map(|(e, c)| (*e, number(*c))).collect();
        offered.sort_unstable();
        (after, offered)
    }
}

/// Places in ascending order, each once as long as it is not taken.
#[derive(Default)]
struct Queue(BinaryHeap<Reverse<u32>>);

impl Queue {
    fn extend(&mut self, places: impl Iterator<Item = u32>) {
        self.0.extend(places.map(Reverse));
    }

    fn pop(&mut self) -> Option<u32> {
        let Reverse(at) = self.0.pop()?;
        // What is equal comes one after the other.
        while self.0.peek() == Some(&Reverse(at)) {
            self.0.pop();
        }
        Some(at)
    }
}

/// The states in an order in which τ leads backwards.
fn against_tau(lts: &Lts) -> Vec<State> {
    let rank = silent_components(lts).class;
    let mut order: Vec<State> = lts.states().collect();
    // Numbers of components fall along τ, so what τ reaches comes first.
    order.sort_by_key(|s| rank[*s as usize]);
    order
}

/// Which states reach a τ to itself by τ.
fn divergent(lts: &Lts, order: &[State]) -> Vec<bool> {
    let mut diverges = vec![false; lts.len()];
    for s in order {
        let mut next = lts.silent(*s).iter();
        diverges[*s as usize] = next.any(|(_, to)| to == s || diverges[*to as usize]);
    }
    diverges
}

/// The quotient by a weak bisimulation, with as few transitions as possible: those that follow from
/// others with τ before (and, for [`Weak::Weak`], after) are left out. What is left depends on the
/// classes alone: τ has no cycles among them, so every transition that is left out follows from some
/// that are not.
pub(super) fn quotient(
    lts: &Lts,
    kind: Weak,
    poll: &dyn Fn(usize) -> Result<()>,
) -> Result<(Lts, Partition)> {
    let known = refine(lts, kind, poll)?;
    let mut builder = Builder::default();
    let mut inherited: Vec<(u32, u32)> = Vec::new();
    let mut marks = Marks {
        of: vec![0; known.partition.count],
        now: 0,
    };
    for c in 0..known.partition.count {
        poll(builder.steps())?;
        let silent = nearest(&known.after[c], &known.after, &mut marks);
        // What the nearest offer is all that is offered after τ.
        inherited.clear();
        for n in &silent {
            inherited.extend_from_slice(&known.offered[*n as usize]);
        }
        inherited.sort_unstable();
        let mut steps: Vec<(u32, u32)> = silent.iter().map(|n| (TAU, *n)).collect();
        for same in known.offered[c].chunk_by(|a, b| a.0 == b.0) {
            let event = same[0].0;
            let targets: Vec<u32> = same.iter().map(|pair| pair.1).collect();
            let targets = match kind {
                Weak::Weak => nearest(&targets, &known.after, &mut marks),
                Weak::Delay => targets,
            };
            let pairs = targets.into_iter().map(|d| (event, d));
            steps.extend(pairs.filter(|pair| inherited.binary_search(pair).is_err()));
        }
        let mut after = known.after[c].iter();
        // A class diverges by a loop of its own only if it does not by what τ reaches.
        if known.diverges[c] && !after.any(|n| known.diverges[*n as usize]) {
            steps.push((TAU, c as u32));
        }
        builder.push(steps);
    }
    Ok((builder.finish(), known.partition))
}

/// Which classes were met, by the number of the call that met them.
struct Marks {
    of: Vec<u32>,
    now: u32,
}

/// Those of some classes that no other of them reaches by τ.
fn nearest(classes: &[u32], after: &[Vec<u32>], marks: &mut Marks) -> Vec<u32> {
    if classes.len() <= 1 {
        return classes.to_vec();
    }
    if marks.now == u32::MAX {
        marks.of.fill(0);
        marks.now = 0;
    }
    marks.now += 1;
    let mut sorted = classes.to_vec();
    // What reaches another reaches more than that one does, so it comes before it.
    sorted.sort_by_key(|c| Reverse(after[*c as usize].len()));
    sorted.retain(|c| {
        let met = marks.of[*c as usize] == marks.now;
        // What it reaches, the one that reaches it reaches as well.
        if !met {
            for next in &after[*c as usize] {
                marks.of[*next as usize] = marks.now;
            }
        }
        !met
    });
    sorted
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;
    use crate::lts::testing::without_cycles;
    use proptest::prelude::*;

    /// By definition: what a state can do, in classes, for all states at once.
    fn signatures(lts: &Lts, kind: Weak, class: &[u32]) -> Vec<Vec<(u32, u32)>> {
        let after = |s: State| {
            let mut reached = vec![s];
            let mut at = 0;
            while at < reached.len() {
                for (_, to) in lts.silent(reached[at]) {
                    if !reached.contains(to) {
                        reached.push(*to);
                    }
                }
                at += 1;
            }
            reached
        };
        let of = |s: State| {
            let mut own = Vec::new();
            for t in after(s) {
                own.push((TAU, class[t as usize]));
                for (event, to) in lts.visible(t) {
                    let last = match kind {
                        Weak::Weak => after(*to),
                        Weak::Delay => vec![*to],
                    };
                    own.extend(last.iter().map(|u| (*event, class[*u as usize])));
                }
            }
            own.sort_unstable();
            own.dedup();
            own
        };
        lts.states().map(of).collect()
    }

    /// Rounds that look at all states.
    fn by_rounds(lts: &Lts, kind: Weak) -> Partition {
        let diverges = divergent(lts, &against_tau(lts));
        let mut class: Vec<u32> = diverges.iter().map(|d| u32::from(*d)).collect();
        loop {
            let all: Vec<_> = class.iter().zip(signatures(lts, kind, &class)).collect();
            let first = |s: &(&u32, Vec<(u32, u32)>)| all.iter().position(|t| t == s);
            let firsts: Vec<u32> = all.iter().filter_map(first).map(|at| at as u32).collect();
            let finer = numbered(&firsts).class;
            if finer == class {
                return numbered(&class);
            }
            class = finer;
        }
    }

    proptest! {
        #[test]
        fn classes_and_steps_are_those_of_rounds_that_look_at_all_states(lts in without_cycles(9, 2, 26)) {
            for kind in [Weak::Weak, Weak::Delay] {
                let (small, partition) = quotient(&lts, kind, &|_| Ok(())).expect("nothing stops it");
                prop_assert_eq!(&partition, &by_rounds(&lts, kind));
                // The quotient can do the same, and nothing of it can be left out.
                let all: Vec<u32> = small.states().collect();
                let whole = signatures(&small, kind, &all);
                let own = signatures(&lts, kind, &partition.class);
                for s in lts.states() {
                    prop_assert_eq!(&own[s as usize], &whole[partition.class[s as usize] as usize]);
                }
                for c in small.states() {
                    for step in small.steps(c).iter().filter(|step| **step != (TAU, c)) {
                        let mut fewer = Builder::default();
                        for d in small.states() {
                            let left = small.steps(d).iter().copied();
                            fewer.push(left.filter(|t| (d, t) != (c, step)));
                        }
                        prop_assert_ne!(&signatures(&fewer.finish(), kind, &all), &whole);
                    }
                }
            }
        }
    }

    #[test]
    fn a_long_chain_is_not_gone_through_once_a_state() {
        let mut builder = Builder::default();
        let states = 20_000;
        for s in 1..states {
            builder.push([(2, s)]);
        }
        builder.push([(3, 0)]);
        let lts = builder.finish();
        for kind in [Weak::Weak, Weak::Delay] {
            let polls = Cell::new(0);
            let poll = |_| {
                polls.set(polls.get() + 1);
                Ok(())
            };
            let partition = weak_bisimulation(&lts, kind, &poll).expect("nothing stops it");
            assert_eq!(partition.count, states as usize);
            // Some signatures a state: 20,000 rounds over all of them would be 20,000 times as many.
            let computed = polls.get() * POLL_EVERY;
            assert!(computed < 20 * states as usize, "{computed}");
        }
    }
}
