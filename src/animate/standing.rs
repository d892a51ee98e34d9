//! Who is ready for what in a state, and who waits for whom, in numbers ([`super::structure`] has the
//! definitions, and `structured` the words).

use super::raw::CutShort;
use super::structure::{Fate, Standing};
use crate::machine::network::RuleScratch;
use crate::machine::partners::{Lacking, lacking};
use crate::machine::{EventId, FormatId, LocalId, Machine, Network};
use crate::source::components;
use crate::source::diagnostic::Result as Checked;
use crate::source::hash::{IndexMap, IndexSet, Map, Set};

/// Rules between two looks at the limits.
const POLL_EVERY: usize = 4_096;
/// Local states of a component that are looked through for whether it can ever be ready for an event again.
const REACHED_MAX: usize = 20_000;
/// Transitions of these.
const STEPS_MAX: usize = 400_000;
/// Pairs of components of which one waits for the other.
const EDGES_MAX: usize = 100_000;
/// Events of one pair that are kept.
const EVENTS_MAX: usize = 500;
/// Components that are named as not ready for one event.
const MISSING_MAX: usize = 64;

/// What an event that a component is ready for comes to.
#[derive(Clone, Debug)]
pub struct Readiness {
    /// Possible, or why not.
    pub fate: Fate,
    /// In how many rules the component performs it.
    pub rules: usize,
    /// Components that are not ready for their parts; the first ones if they are very many.
    pub missing: Vec<u16>,
}

/// An edge from a component to one that it waits for.
#[derive(Clone, Debug, Default)]
pub struct WaitEdge {
    /// The first events, as they are seen from outside.
    pub events: IndexSet<EventId>,
    /// Whether there are more than these.
    pub is_cut: bool,
    /// Whether the other one might be ready for one of them later.
    pub hope: bool,
}

/// All of it.
#[derive(Debug, Default)]
pub struct Standings {
    /// What each component is ready for.
    pub ready: Vec<IndexMap<EventId, Readiness>>,
    /// How each component stands.
    pub standing: Vec<Standing>,
    /// Results of possible rules.
    pub possible: IndexSet<EventId>,
    /// Who waits for whom.
    pub edges: IndexMap<(u16, u16), WaitEdge>,
    /// Edges that are not kept because there are too many.
    pub omitted: usize,
    /// Cycles of waiting.
    pub cycles: Vec<Vec<u16>>,
    /// Rules that are possible, by their numbers.
    pub fired: Set<u32>,
}

/// Looks at a state.
///
/// # Errors
/// An evaluation error of a local state, or a limit.
pub fn standings(
    machine: &mut Machine,
    network: &mut Network,
    format: FormatId,
    state: &[LocalId],
) -> Checked<Standings> {
    let fired = fired(machine, network, format, state)?;
    let mut found = Standings {
        fired,
        ..Standings::default()
    };
    for local in state {
        let transitions = machine.locals().transitions(*local).unwrap_or(&[]);
        let events = transitions.iter().map(|t| t.0);
        let own = events.filter(|e| *e != EventId::DONE).map(|event| {
            let unknown = Readiness {
                fate: Fate::Never,
                rules: 0,
                missing: Vec::new(),
            };
            (event, unknown)
        });
        found.ready.push(own.collect());
    }
    let mut futures = Futures::new(machine, network, format);
    found.fates(machine, network, format, state, &mut futures)?;
    found.settle(machine, state);
    found.wait_for_whom(machine, network, format, state, &mut futures)?;
    found.wait_for_nobody(machine, network, format)?;
    found.close_cycles();
    Ok(found)
}

/// The rules that can fire, as the network finds them.
fn fired(
    machine: &mut Machine,
    network: &mut Network,
    format: FormatId,
    state: &[LocalId],
) -> Checked<Set<u32>> {
    let mut scratch = RuleScratch::default();
    let mut fired = Set::default();
    loop {
        // After a miss everything is gone through once more.
        fired.clear();
        let (locals, mut met) = (machine.locals(), 0_usize);
        let cut = network.successors(locals, format, state, &mut scratch, |s| {
            fired.insert(s.rule);
            met += 1;
            if met.is_multiple_of(POLL_EVERY) && machine.eval.check_time().is_err() {
                return Err(CutShort::Stopped);
            }
            Ok(())
        });
        match cut {
            Ok(()) => return Ok(fired),
            Err(CutShort::Missed(miss)) => machine.resolve(network, &miss)?,
            // `check_time` says by what it was stopped, and ends the loop.
            Err(CutShort::Stopped) => {}
        }
        machine.eval.check_time()?;
    }
}

impl Standings {
    /// What becomes of each event that a component is ready for: the best that a rule makes of it.
    fn fates(
        &mut self,
        machine: &Machine,
        network: &Network,
        format: FormatId,
        state: &[LocalId],
        futures: &mut Futures<'_>,
    ) -> Checked<()> {
        let rules = network.format(format).rules();
        for (number, rule) in (0..).zip(rules.list()) {
            if (number as usize).is_multiple_of(POLL_EVERY) {
                machine.eval.check_time()?;
            }
            // What needs all to have terminated is no event that anybody asks for.
            if rule.parts.iter().any(|p| p.1 == EventId::DONE) {
                if self.fired.contains(&number) {
                    self.possible.insert(rule.result);
                }
                continue;
            }
            let is_ready = |p: &&(u16, EventId)| self.ready[usize::from(p.0)].contains_key(&p.1);
            if !rule.parts.iter().any(|p| is_ready(&p)) {
                continue;
            }
            let missing = rule.parts.iter().filter(|p| !is_ready(p));
            let missing: Vec<(u16, EventId)> = missing.copied().collect();
            let fate = match (missing.is_empty(), self.fired.contains(&number)) {
                (true, true) => {
                    self.possible.insert(rule.result);
                    Fate::Possible
                }
                (true, false) => Fate::HeldBack,
                (false, _) if missing.iter().all(|p| futures.may(state, *p)) => Fate::Blocked,
                (false, _) => Fate::Hopeless,
            };
            for (component, event) in &rule.parts {
                let Some(own) = self.ready[usize::from(*component)].get_mut(event) else {
                    continue;
                };
                own.fate = own.fate.min(fate);
                own.rules += 1;
                for (other, _) in &missing {
                    if own.missing.len() < MISSING_MAX && !own.missing.contains(other) {
                        own.missing.push(*other);
                    }
                }
            }
        }
        Ok(())
    }

    /// How each component stands.
    fn settle(&mut self, machine: &Machine, state: &[LocalId]) {
        for (component, local) in state.iter().enumerate() {
            let transitions = machine.locals().transitions(*local).unwrap_or(&[]);
            let ready = &self.ready[component];
            let best = ready.values().map(|own| own.fate).min();
            self.standing.push(match best {
                Some(Fate::Possible) => Standing::Free,
                Some(Fate::HeldBack) => Standing::HeldBack,
                Some(Fate::Blocked) => Standing::Waiting,
                Some(Fate::Hopeless | Fate::Never) => Standing::Hopeless,
                None if transitions.is_empty() => Standing::Stopped,
                None => Standing::Terminated,
            });
        }
        for ready in &mut self.ready {
            for own in ready.values_mut() {
                own.missing.sort_unstable();
            }
        }
    }

    /// The edges that rules make, from those who wait.
    fn wait_for_whom(
        &mut self,
        machine: &Machine,
        network: &Network,
        format: FormatId,
        state: &[LocalId],
        futures: &mut Futures<'_>,
    ) -> Checked<()> {
        let rules = network.format(format).rules();
        for (number, rule) in rules.list().iter().enumerate() {
            if number.is_multiple_of(POLL_EVERY) {
                machine.eval.check_time()?;
            }
            if rule.parts.len() < 2 || rule.parts.iter().any(|p| p.1 == EventId::DONE) {
                continue;
            }
            for (from, event) in &rule.parts {
                let at = usize::from(*from);
                if !self.standing[at].waits() || !self.ready[at].contains_key(event) {
                    continue;
                }
                let shown = match rule.shown.is_visible() {
                    true => rule.shown,
                    false => *event,
                };
                for (to, part) in &rule.parts {
                    if !self.ready[usize::from(*to)].contains_key(part) {
                        let hope = futures.may(state, (*to, *part));
                        self.add_edge((*from, *to), shown, hope);
                    }
                }
            }
        }
        Ok(())
    }

    fn add_edge(&mut self, pair: (u16, u16), event: EventId, hope: bool) {
        if self.edges.len() >= EDGES_MAX && !self.edges.contains_key(&pair) {
            self.omitted += 1;
            return;
        }
        let edge = self.edges.entry(pair).or_default();
        edge.hope |= hope;
        if edge.events.len() < EVENTS_MAX {
            edge.events.insert(event);
        } else if !edge.events.contains(&event) {
            edge.is_cut = true;
        }
    }

    /// Events in no rule: who would have to perform them, and never does.
    fn wait_for_nobody(
        &mut self,
        machine: &mut Machine,
        network: &Network,
        format: FormatId,
    ) -> Checked<()> {
        const LOOKED_UP_MAX: usize = 2_000;
        let mut looked_up = 0;
        for component in 0..self.ready.len() {
            let waits = self.standing[component].waits();
            let own = self.ready[component].iter();
            let events = own.filter(|(e, own)| e.is_visible() && own.rules == 0);
            let events: Vec<EventId> = events.map(|(e, _)| *e).collect();
            for event in events {
                looked_up += 1;
                if looked_up > LOOKED_UP_MAX {
                    return Ok(());
                }
                let entry = network.format(format);
                let Lacking { components, .. } = lacking(machine, entry, component as u16, event)?;
                for other in components.iter().filter(|_| waits) {
                    self.add_edge((component as u16, *other), event, false);
                }
                if let Some(own) = self.ready[component].get_mut(&event) {
                    own.missing = components;
                    own.missing.truncate(MISSING_MAX);
                }
            }
        }
        Ok(())
    }

    /// Of each group of components that wait for each other, a shortest cycle.
    fn close_cycles(&mut self) {
        let mut graph: Vec<Vec<usize>> = vec![Vec::new(); self.standing.len()];
        for (from, to) in self.edges.keys() {
            if self.standing[usize::from(*to)].waits() {
                graph[usize::from(*from)].push(usize::from(*to));
            }
        }
        for edges in &mut graph {
            edges.sort_unstable();
        }
        for group in components::components(&graph) {
            if let Some(cycle) = shortest_cycle(&graph, &group) {
                self.cycles.push(cycle);
            }
        }
        self.cycles.sort();
    }
}

/// Nodes of a group from which a shortest cycle is looked for.
const STARTS_MAX: usize = 200;

/// A shortest cycle within a strongly connected component, from its least node; none if it has no edge.
fn shortest_cycle(graph: &[Vec<usize>], group: &[usize]) -> Option<Vec<u16>> {
    let inside: Set<usize> = group.iter().copied().collect();
    let mut best: Option<Vec<usize>> = None;
    for start in group.iter().take(STARTS_MAX) {
        let mut before: Map<usize, usize> = Map::default();
        let mut queue = std::collections::VecDeque::from([*start]);
        'search: while let Some(node) = queue.pop_front() {
            for next in graph[node].iter().filter(|n| inside.contains(*n)) {
                if next == start {
                    let mut path = vec![node];
                    while let Some(earlier) = path.last().and_then(|n| before.get(n)) {
                        path.push(*earlier);
                    }
                    path.reverse();
                    if best.as_ref().is_none_or(|b| path.len() < b.len()) {
                        best = Some(path);
                    }
                    break 'search;
                }
                if !before.contains_key(next) {
                    before.insert(*next, node);
                    queue.push_back(*next);
                }
            }
        }
    }
    let path = best?;
    Some(path.into_iter().map(|n| n as u16).collect())
}

/// What components can be ready for in local states that they can still come to, on their own.
struct Futures<'a> {
    machine: &'a Machine,
    network: &'a Network,
    format: FormatId,
    /// For each component, once it was asked for; nothing where it is not known.
    known: Map<u16, Option<Set<EventId>>>,
}

impl<'a> Futures<'a> {
    fn new(machine: &'a Machine, network: &'a Network, format: FormatId) -> Self {
        Self {
            machine,
            network,
            format,
            known: Map::default(),
        }
    }

    /// Whether a component may come to be ready for an event, as far as it is known.
    fn may(&mut self, state: &[LocalId], (component, event): (u16, EventId)) -> bool {
        let (machine, network, format) = (self.machine, self.network, self.format);
        let known = self.known.entry(component).or_insert_with(|| {
            let entry = network.format(format);
            // An operator that ends may put other components in its place.
            if entry.rules().end_operators() {
                return None;
            }
            reached(
                machine,
                |local| entry.tree().may_change(machine.locals(), component, local),
                state[usize::from(component)],
            )
        });
        known.as_ref().is_none_or(|events| events.contains(&event))
    }
}

/// The events of all local states that a component can reach on its own; nothing if some are not known.
fn reached(
    machine: &Machine,
    changes: impl Fn(LocalId) -> bool,
    from: LocalId,
) -> Option<Set<EventId>> {
    let mut met: IndexSet<LocalId> = IndexSet::default();
    met.insert(from);
    let mut events = Set::default();
    let (mut at, mut steps) = (0, 0);
    while let Some(local) = met.get_index(at).copied() {
        let transitions = machine.locals().transitions(local)?;
        steps += transitions.len();
        if met.len() > REACHED_MAX || steps > STEPS_MAX || changes(local) {
            return None;
        }
        for (event, target) in transitions {
            events.insert(*event);
            met.insert(*target);
        }
        at += 1;
    }
    Some(events)
}
