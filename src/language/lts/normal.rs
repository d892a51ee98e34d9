//! The `normal` compression: after a trace the system is in one node, the set of all states that it
//! may be in.
//!
//! A node has minimal acceptances and may diverge. As a plain system it is one stable state for each minimal
//! acceptance, which offers these events alone; and a state that offers every event of the node, if that is more than the
//! acceptances do together or if the node diverges. That one has a τ to each of the others, and one to itself if the node
//! diverges; an event that leads to the node leads to it. Where there is none, the event leads to each of the stable
//! states. So only what some member can refuse is refused. Nothing is cut off after divergence.

use std::ops::Range;

use super::graph::{Builder, Lts, Name, Part, State, TAU};
use super::tau::Closure;
use crate::source::diagnostic::Result;
use crate::source::hash::IndexMap;
use crate::source::list_set::ListSet;

/// The pairs that are minimal by inclusion of their events.
pub(super) fn minimal<T>(mut pairs: Vec<(Vec<u32>, T)>) -> Vec<(Vec<u32>, T)> {
    pairs.sort_by(|a, b| a.0.len().cmp(&b.0.len()).then_with(|| a.0.cmp(&b.0)));
    let mut kept: Vec<(Vec<u32>, T)> = Vec::new();
    // Equal sets of events stand side by side: one look at what is smaller is enough for all.
    let mut sets: Vec<usize> = Vec::new();
    let mut last: Option<(Vec<u32>, bool)> = None;
    for (events, what) in pairs {
        let keep = match &last {
            Some((same, keep)) if *same == events => *keep,
            _ => {
                let keep = !sets.iter().any(|at| subset(&kept[*at].0, &events));
                if keep {
                    sets.push(kept.len());
                }
                last = Some((events.clone(), keep));
                keep
            }
        };
        if keep {
            kept.push((events, what));
        }
    }
    kept
}

fn subset(small: &[u32], large: &[u32]) -> bool {
    let mut rest = large.iter();
    small.iter().all(|e| rest.any(|f| f == e))
}

/// The transitions of a state that becomes one of several: those of the only one, or τs.
pub(super) fn alternatives_of<T>(
    all: &[T],
    steps: impl Fn(&T) -> Vec<(u32, State)>,
    number: impl Fn(&T) -> State,
) -> Vec<(u32, State)> {
    match all {
        [one] => steps(one),
        _ => all.iter().map(|t| (TAU, number(t))).collect(),
    }
}

/// A node and what it becomes.
struct NormalNode {
    /// The members that no other member reaches by τ.
    sources: Vec<State>,
    events: Vec<u32>,
    targets: Vec<u32>,
    /// The number of its first part in the result, and the parts: if one is full, that is the first.
    first: u32,
    parts: Vec<Part>,
    diverges: bool,
}

/// Nodes by their members.
struct NodeSets<'a> {
    lts: &'a Lts,
    closure: Closure,
    sets: ListSet<State>,
    size: usize,
}

impl NodeSets<'_> {
    fn node(&mut self, from: impl IntoIterator<Item = State>) -> u32 {
        // Ascending, so that equal sets are equal.
        let mut members = self.closure.close(self.lts, from).to_vec();
        members.sort_unstable();
        self.size += members.len();
        self.sets.insert((), &members)
    }
}

/// The compressed system, initial state first, of a system whose only cycles of τ are loops.
pub(super) fn normal(
    lts: &Lts,
    initial: State,
    poll: &dyn Fn(usize) -> Result<()>,
) -> Result<(Lts, Vec<Name>)> {
    let mut nodes = NodeSets {
        lts,
        closure: Closure::new(lts.len()),
        sets: ListSet::default(),
        size: 0,
    };
    nodes.node([initial]);
    let mut done: Vec<NormalNode> = Vec::new();
    // State 0 is the initial one, which may be several parts of the first node.
    let mut first = 1;
    while done.len() < nodes.sets.len() {
        let node = expand(&mut nodes, done.len(), first);
        first += node.parts.len() as u32;
        done.push(node);
        poll(nodes.size)?;
    }
    Ok(spread(&done))
}

fn expand(nodes: &mut NodeSets<'_>, at: usize, first: u32) -> NormalNode {
    let members = nodes.sets.list(at as u32).to_vec();
    let lts = nodes.lts;
    let mut by_event: IndexMap<u32, Vec<State>> = IndexMap::default();
    let mut stable = Vec::new();
    let mut diverges = false;
    let mut inner: Vec<State> = Vec::new();
    for s in &members {
        for (event, to) in lts.visible(*s) {
            by_event.entry(*event).or_default().push(*to);
        }
        diverges |= lts.loops(*s);
        inner.extend(lts.silent(*s).iter().map(|t| t.1).filter(|to| to != s));
        if lts.is_stable(*s) {
            stable.push((lts.initials(*s), ()));
        }
    }
    // So that numbers of nodes depend on events, not on the order of members.
    by_event.sort_unstable_keys();
    inner.sort_unstable();
    let mut sources = members.to_vec();
    // The others follow from these: τ leads to them.
    sources.retain(|s| inner.binary_search(s).is_err());
    let mut events = Vec::with_capacity(by_event.len());
    let mut targets = Vec::with_capacity(by_event.len());
    for (event, to) in by_event {
        events.push(event);
        targets.push(nodes.node(to));
    }
    let acceptances = minimal_acceptances(stable);
    let mut covered: Vec<u32> = acceptances.iter().flatten().copied().collect();
    covered.sort_unstable();
    covered.dedup();
    let mut parts = Vec::new();
    // One acceptance that is all events is the full part itself, and needs no other.
    if diverges || covered.len() < events.len() || acceptances == [events.as_slice()] {
        parts.push(Part::Full);
    }
    let offers = acceptances.into_iter().filter(|a| diverges || *a != events);
    parts.extend(offers.map(|a| Part::Offer(a.into())));
    NormalNode {
        sources,
        events,
        targets,
        first,
        parts,
        diverges,
    }
}

fn minimal_acceptances(stable: Vec<(Vec<u32>, ())>) -> Vec<Vec<u32>> {
    let mut all: Vec<Vec<u32>> = minimal(stable).into_iter().map(|a| a.0).collect();
    all.dedup();
    all
}

impl NormalNode {
    /// The numbers of its parts in the result.
    fn states(&self) -> Range<State> {
        self.first..self.first + self.parts.len() as u32
    }

    /// The targets of an event that leads to the node.
    fn entered(&self) -> Range<State> {
        match self.parts[0] {
            Part::Full => self.first..self.first + 1,
            _ => self.states(),
        }
    }

    /// The targets of τ of one of its parts.
    fn silent(&self, part: &Part) -> Range<State> {
        let own = u32::from(!self.diverges);
        match part {
            Part::Full => self.first + own..self.first + self.parts.len() as u32,
            _ => 0..0,
        }
    }
}

/// Nodes as states.
fn spread(nodes: &[NormalNode]) -> (Lts, Vec<Name>) {
    let steps = |node: &NormalNode, part: &Part| {
        let mut steps: Vec<(u32, State)> = node.silent(part).map(|to| (TAU, to)).collect();
        for (event, target) in node.events.iter().zip(&node.targets) {
            let offered = match part {
                Part::Offer(events) => events.binary_search(event).is_ok(),
                _ => true,
            };
            if offered {
                let entered = nodes[*target as usize].entered();
                steps.extend(entered.map(|to| (*event, to)));
            }
        }
        steps
    };
    let root = &nodes[0];
    let alternatives: Vec<u32> = root.entered().collect();
    let mut builder = Builder::default();
    builder.push(alternatives_of(
        &alternatives,
        |i| steps(root, &root.parts[(*i - root.first) as usize]),
        |i| *i,
    ));
    let mut names = vec![Name {
        members: root.sources.clone(),
        part: Part::Whole,
    }];
    for node in nodes {
        for part in &node.parts {
            builder.push(steps(node, part));
            names.push(Name {
                members: node.sources.clone(),
                part: part.clone(),
            });
        }
    }
    (builder.finish(), names)
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::*;
    use crate::lts::testing::without_cycles;
    use proptest::prelude::*;

    /// Traces are compared up to this length.
    const LENGTH: usize = 4;

    /// The observations after a trace: the minimal acceptances, and divergence.
    type Shown = (BTreeSet<BTreeSet<u32>>, bool);

    fn closed(lts: &Lts, from: impl IntoIterator<Item = State>) -> BTreeSet<State> {
        let mut reached: BTreeSet<State> = BTreeSet::new();
        let mut open: Vec<State> = from.into_iter().collect();
        while let Some(s) = open.pop() {
            if reached.insert(s) {
                open.extend(lts.silent(s).iter().map(|t| t.1));
            }
        }
        reached
    }

    /// By definition, for every trace: from the set of states that it may lead to.
    fn seen_after_traces(lts: &Lts, initial: State) -> BTreeMap<Vec<u32>, Shown> {
        let mut found = BTreeMap::new();
        let mut open = vec![(Vec::new(), closed(lts, [initial]))];
        while let Some((trace, states)) = open.pop() {
            let stable = states.iter().filter(|s| lts.is_stable(**s));
            let all: BTreeSet<BTreeSet<u32>> = stable
                .map(|s| lts.initials(*s).into_iter().collect())
                .collect();
            let has_less = |a: &BTreeSet<u32>| all.iter().any(|b| b != a && b.is_subset(a));
            let least = all.iter().filter(|a| !has_less(a)).cloned().collect();
            let diverges = states.iter().any(|s| lts.loops(*s));
            if trace.len() < LENGTH {
                let events = states.iter().flat_map(|s| lts.initials(*s));
                for event in events.collect::<BTreeSet<u32>>() {
                    let steps = states.iter().flat_map(|s| lts.visible(*s));
                    let to = steps.filter(|t| t.0 == event).map(|t| t.1);
                    let mut longer: Vec<u32> = trace.clone();
                    longer.push(event);
                    open.push((longer, closed(lts, to)));
                }
            }
            found.insert(trace, (least, diverges));
        }
        found
    }

    proptest! {
        #[test]
        fn a_normal_form_shows_the_same_and_is_deterministic(lts in without_cycles(7, 3, 16)) {
            let (normal, names) = normal(&lts, 0, &|_| Ok(())).expect("nothing stops it");
            prop_assert_eq!(seen_after_traces(&lts, 0), seen_after_traces(&normal, 0));
            prop_assert_eq!(names.len(), normal.len());
            for s in normal.states() {
                // All that an event leads to is one node: the parts of one set of states. So is what τ leads to, and
                // that is stable but for divergence.
                let node = |t: &(u32, State)| &names[t.1 as usize].members;
                let stays = |t: &(u32, State)| {
                    node(t) == &names[s as usize].members && (t.1 == s || normal.is_stable(t.1))
                };
                prop_assert!(s == 0 || normal.silent(s).iter().all(stays));
                for same in normal.visible(s).chunk_by(|a, b| a.0 == b.0) {
                    prop_assert!(same.iter().all(|t| node(t) == node(&same[0])));
                }
            }
        }
    }
}
