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
//! that look at all states would take the square of its length. What states reach by τ are sets that share their
//! parts ([`super::sets`]), and states that come to an end are settled one by one, without rounds.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::bisim::{Blocks, numbered};
use super::graph::{Builder, Lts, Partition, Sources, State, TAU};
use super::sets::{EMPTY, SetId, SharedSets};
use super::tau::silent_components;
use crate::source::components::{self, Digraph};
use crate::source::diagnostic::Result;
use crate::source::hash::Map;

/// Pairs computed between two calls of `poll`, roughly.
const POLL_EVERY: usize = 1 << 14;

/// The kind of bisimulation: weak or delay.
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
/// Errors of `poll`, which gets the size of the data under construction.
pub fn weak_bisimulation(
    lts: &Lts,
    kind: Weak,
    poll: &dyn Fn(usize) -> Result<()>,
) -> Result<Partition> {
    refine(lts, kind, poll).map(|known| numbered(&known.class))
}

/// The classes, in numbers of their own, and what states can do in terms of them.
struct Known<'a> {
    class: Vec<u32>,
    signatures: WeakSignatures<'a>,
}

fn refine<'a>(
    lts: &'a Lts,
    kind: Weak,
    poll: &'a dyn Fn(usize) -> Result<()>,
) -> Result<Known<'a>> {
    let mut signatures = WeakSignatures::new(lts, kind, poll);
    let mut blocks = Blocks::new(&signatures.settle()?);
    // Nothing is known of any other signature yet.
    let mut renamed: Vec<State> = lts.states().collect();
    renamed.retain(|s| !signatures.settled[*s as usize]);
    while !renamed.is_empty() {
        for s in signatures.update(&blocks.class, &renamed)? {
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
    Ok(Known {
        class: blocks.class,
        signatures,
    })
}

/// Visible events with the classes that they lead to, with τs around: ascending, each event once.
type WeakOffers = Box<[(u32, SetId)]>;

/// Behaviours of states, by class.
struct WeakSignatures<'a> {
    lts: &'a Lts,
    kind: Weak,
    poll: &'a dyn Fn(usize) -> Result<()>,
    sources: Sources,
    /// The states in an order in which τ leads backwards, and the place of each.
    order: Vec<State>,
    place: Vec<u32>,
    diverges: Vec<bool>,
    /// Whether the class of a state will not change any more.
    settled: Vec<bool>,
    sets: SharedSets,
    /// The classes that τ reaches from each state, its own among them.
    reached: Vec<SetId>,
    offered: Vec<WeakOffers>,
    /// The number of events that all states offer together.
    events: usize,
    /// Work done since the last call of `poll`.
    work: usize,
}

impl<'a> WeakSignatures<'a> {
    fn new(lts: &'a Lts, kind: Weak, poll: &'a dyn Fn(usize) -> Result<()>) -> Self {
        let order = against_tau(lts);
        let mut place = vec![0; order.len()];
        for (at, s) in order.iter().enumerate() {
            place[*s as usize] = at as u32;
        }
        Self {
            lts,
            kind,
            poll,
            sources: lts.sources(),
            diverges: divergent(lts, &order),
            settled: vec![false; lts.len()],
            order,
            place,
            sets: SharedSets::new(lts.len()),
            reached: vec![EMPTY; lts.len()],
            offered: vec![WeakOffers::default(); lts.len()],
            events: 0,
            work: 0,
        }
    }

    /// The classes of the states from which no run performs events for ever, and one class for the others that can
    /// diverge, one for those that cannot.
    ///
    /// Such states are bisimilar to such states alone. All that they lead to can be settled before them, so that each is
    /// looked at once: what does the same as one that was met before, or besides reaching it by τ does nothing else, is
    /// in its class.
    fn settle(&mut self) -> Result<Partition> {
        let mut class = vec![0; self.lts.len()];
        let mut count = 0;
        // By what τ reaches, the class itself among it or not.
        let mut known: Map<(SetId, WeakOffers, bool), u32> = Map::default();
        for s in self.terminating() {
            let after = self.after(s);
            let offered = self.offered_by(s, &class);
            let diverges = self.diverges[s as usize];
            let entry = known.entry((after, offered.clone(), diverges));
            let own = *entry.or_insert(count);
            let single = self.sets.single(own);
            let reached = self.sets.union(after, single);
            if own == count {
                count += 1;
                known.insert((reached, offered.clone(), diverges), own);
            }
            self.events += offered.len();
            class[s as usize] = own;
            (self.reached[s as usize], self.offered[s as usize]) = (reached, offered);
            self.settled[s as usize] = true;
            self.worked(self.lts.steps(s).len())?;
        }
        // Divergence is respected: what can diverge is never put together with what cannot.
        let mut others = [None; 2];
        for s in self.lts.states().filter(|s| !self.settled[*s as usize]) {
            let slot = &mut others[usize::from(self.diverges[s as usize])];
            class[s as usize] = *slot.get_or_insert_with(|| {
                count += 1;
                count - 1
            });
        }
        Ok(Partition {
            class,
            count: count as usize,
        })
    }

    /// The states from which no run performs events for ever, each after what it leads to.
    fn terminating(&self) -> Vec<State> {
        let lts = self.lts;
        let component = components::numbered(lts).component;
        let mut order: Vec<State> = lts.states().collect();
        order.sort_by_key(|s| component[*s as usize]);
        let mut ends = vec![false; lts.len()];
        for s in &order {
            // What leads back is in a component of the same number, and was not looked at or does not end.
            let step = |(event, to): &(u32, State)| match to == s {
                true => *event == TAU,
                false => ends[*to as usize] && component[*to as usize] < component[*s as usize],
            };
            ends[*s as usize] = lts.steps(*s).iter().all(step);
        }
        order.retain(|s| ends[*s as usize]);
        order
    }

    /// Brings the signatures up to date after states have changed their classes; those that are others now.
    fn update(&mut self, class: &[u32], renamed: &[State]) -> Result<Vec<State>> {
        self.collect();
        let mut moved = Vec::new();
        let mut queue = Queue::default();
        queue.extend(renamed.iter().map(|s| self.place[*s as usize]));
        while let Some(at) = queue.pop() {
            let s = self.order[at as usize];
            let (after, single) = (self.after(s), self.sets.single(class[s as usize]));
            let own = self.sets.union(after, single);
            self.worked(self.lts.silent(s).len())?;
            if own != self.reached[s as usize] {
                self.reached[s as usize] = own;
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
            self.worked(self.lts.steps(s).len())?;
            if own != self.offered[s as usize] {
                self.events = self.events + own.len() - self.offered[s as usize].len();
                self.offered[s as usize] = own;
                changed.push(s);
                queue.extend(self.before(s));
            }
        }
        Ok(changed)
    }

    /// Throws away what no state reaches or offers any longer, if that is likely to be much.
    fn collect(&mut self) {
        if !self.sets.is_full() {
            return;
        }
        let offered = self.offered.iter_mut().flatten().map(|(_, set)| set);
        let all = self.reached.iter_mut().chain(offered);
        self.sets.retain(|new| all.for_each(|set| *set = new(*set)));
    }

    /// Counts what a signature was made of, and polls now and then.
    fn worked(&mut self, steps: usize) -> Result<()> {
        self.work += steps + 1 + std::mem::take(&mut self.sets.work);
        if self.work >= POLL_EVERY {
            self.work = 0;
            (self.poll)(self.sets.size() + self.events)?;
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

    /// The τs of a state but for one to itself, which adds nothing.
    fn onward(&self, s: State) -> impl Iterator<Item = State> + use<'a> {
        let targets = self.lts.silent(s).iter().map(|(_, to)| *to);
        targets.filter(move |to| *to != s)
    }

    /// The classes that at least one τ reaches.
    fn after(&mut self, s: State) -> SetId {
        let mut after = EMPTY;
        for to in self.onward(s) {
            after = self.sets.union(after, self.reached[to as usize]);
        }
        after
    }

    fn offered_by(&mut self, s: State, class: &[u32]) -> WeakOffers {
        let mut own = Vec::new();
        for (event, to) in self.lts.visible(s) {
            let leads_to = match self.kind {
                Weak::Weak => self.reached[*to as usize],
                Weak::Delay => self.sets.single(class[*to as usize]),
            };
            own.push((*event, leads_to));
        }
        for to in self.onward(s) {
            own.extend_from_slice(&self.offered[to as usize]);
        }
        self.joined(own)
    }

    /// WeakOffers in any order, with one set for each event.
    fn joined(&mut self, mut offers: Vec<(u32, SetId)>) -> WeakOffers {
        offers.sort_unstable();
        offers.dedup();
        let same = offers.chunk_by(|a, b| a.0 == b.0);
        let joined = same.map(|same| {
            let union = same
                .iter()
                .fold(EMPTY, |all, (_, set)| self.sets.union(all, *set));
            (same[0].0, union)
        });
        joined.collect()
    }

    /// States grouped by their signatures.
    fn groups(&self, states: &[State]) -> Vec<Vec<State>> {
        let signature = |s: State| (self.reached[s as usize], &self.offered[s as usize]);
        let mut states = states.to_vec();
        // By number where signatures are equal: nothing may depend on the order of dirty states.
        states.sort_unstable_by(|a, b| signature(*a).cmp(&signature(*b)).then(a.cmp(b)));
        let groups = states.chunk_by(|a, b| signature(*a) == signature(*b));
        groups.map(<[State]>::to_vec).collect()
    }
}

/// All steps.
impl Digraph for Lts {
    fn nodes(&self) -> usize {
        self.len()
    }

    fn edge(&self, node: usize, number: usize) -> Option<usize> {
        let step = self.steps(node as State).get(number);
        step.map(|(_, to)| *to as usize)
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

/// For each state, whether τ leads from it to a loop of τ.
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
///
/// Each class is asked of the first of its members in the order of τ: all its τs leave the class, and what is not
/// left out is among its own steps, since everything else that it offers comes after one of them.
pub(super) fn quotient(
    lts: &Lts,
    kind: Weak,
    poll: &dyn Fn(usize) -> Result<()>,
) -> Result<(Lts, Partition)> {
    let Known {
        class,
        mut signatures,
    } = refine(lts, kind, poll)?;
    let partition = numbered(&class);
    let mut first: Vec<Option<State>> = vec![None; partition.count];
    for s in &signatures.order {
        first[partition.class[*s as usize] as usize].get_or_insert(*s);
    }
    let mut builder = Builder::default();
    for s in first.iter().copied().flatten() {
        let number = |t: State| partition.class[t as usize];
        // The first of a class tells what τ reaches from all of it besides the class.
        let first_of = |t: &State| first[number(*t) as usize].unwrap_or(*t);
        let silent: Vec<State> = signatures.onward(s).map(|t| first_of(&t)).collect();
        let silent = signatures.nearest(silent, &class);
        // What the nearest offer is all that is offered after τ.
        let offers = silent.iter().map(|t| &signatures.offered[*t as usize]);
        let offers = offers.flatten().copied().collect();
        let inherited = signatures.joined(offers);
        let mut steps: Vec<(u32, u32)> = silent.iter().map(|t| (TAU, number(*t))).collect();
        for same in lts.visible(s).chunk_by(|a, b| a.0 == b.0) {
            let event = same[0].0;
            let targets: Vec<State> = same.iter().map(|(_, t)| first_of(t)).collect();
            let targets = match kind {
                Weak::Weak => signatures.nearest(targets, &class),
                Weak::Delay => targets,
            };
            let found = inherited.binary_search_by_key(&event, |offer| offer.0);
            let known = found.map_or(EMPTY, |at| inherited[at].1);
            let follows = |t: &State| signatures.sets.contains(known, class[*t as usize]);
            let others = targets.into_iter().filter(|t| !follows(t));
            steps.extend(others.map(|t| (event, number(t))));
        }
        // A class diverges by a loop of its own only if it does not by what τ reaches.
        let mut after = signatures.onward(s);
        if signatures.diverges[s as usize] && !after.any(|t| signatures.diverges[t as usize]) {
            steps.push((TAU, number(s)));
        }
        signatures.worked(steps.len())?;
        builder.push(steps);
    }
    poll(builder.steps())?;
    Ok((builder.finish(), partition))
}

impl WeakSignatures<'_> {
    /// Those states, each the first of its class, that none of the others reaches by τ.
    fn nearest(&mut self, mut states: Vec<State>, class: &[u32]) -> Vec<State> {
        // As a rule there is one.
        if states.len() <= 1 {
            return states;
        }
        let mut beyond = EMPTY;
        for s in &states {
            let after = self.after(*s);
            beyond = self.sets.union(beyond, after);
        }
        // No class is beyond itself.
        states.retain(|s| !self.sets.contains(beyond, class[*s as usize]));
        states
    }
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

    /// A chain in which every state goes on by an event or by τ; the last one ends it or leads to `last`.
    fn chain_with_tau(states: u32, last: Option<(u32, State)>) -> Lts {
        let mut builder = Builder::default();
        for s in 1..states {
            builder.push([(2, s), (TAU, s)]);
        }
        builder.push(last);
        builder.finish()
    }

    /// A rough estimate of the work to make the quotient.
    fn work(lts: &Lts, kind: Weak) -> usize {
        let polls = Cell::new(0);
        let poll = |_| {
            polls.set(polls.get() + 1);
            Ok(())
        };
        let (small, _) = quotient(lts, kind, &poll).expect("nothing stops it");
        assert_eq!(small.len(), lts.len());
        assert_eq!(small.transitions(), lts.transitions());
        polls.get() * POLL_EVERY
    }

    #[test]
    fn a_chain_with_tau_that_ends_takes_little_more_than_linear_work() {
        for kind in [Weak::Weak, Weak::Delay] {
            let states = 30_000;
            let computed = work(&chain_with_tau(states, None), kind);
            // What states reach has, one by one, 450 million members in all.
            assert!(computed < 60 * states as usize, "{computed}");
        }
    }

    #[test]
    fn a_chain_with_tau_that_begins_anew_takes_no_more_than_square_work() {
        for kind in [Weak::Weak, Weak::Delay] {
            let states = 600;
            let computed = work(&chain_with_tau(states, Some((3, 0))), kind);
            // Each of as many rounds looks at half of the states. Written down, each would have as many members.
            let square = states as usize * states as usize;
            assert!(computed < 8 * square, "{computed}");
        }
    }
}
