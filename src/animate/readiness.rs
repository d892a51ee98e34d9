//! Readiness and waiting of components in a state, in numbers ([`super::structure`] has the definitions, and
//! `structured` the words).

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
/// Largest number of their transitions.
const STEPS_MAX: usize = 400_000;
/// Pairs of components of which one waits for the other.
const EDGES_MAX: usize = 100_000;
/// Events of one pair that are kept.
const EVENTS_MAX: usize = 500;
/// Components that are named as not ready for one event.
const MISSING_MAX: usize = 64;

/// The fate of an event that a component is ready for.
#[derive(Clone, Debug)]
pub struct EventReadiness {
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
    /// Whether the other one might become ready for one of them later.
    pub hope: bool,
}

/// The readiness of all components.
#[derive(Debug, Default)]
pub struct NetworkReadiness {
    /// The events that each component is ready for.
    pub ready: Vec<IndexMap<EventId, EventReadiness>>,
    /// The standing of each component.
    pub standing: Vec<Standing>,
    /// Results of possible rules.
    pub possible: IndexSet<EventId>,
    /// The wait-for graph.
    pub edges: IndexMap<(u16, u16), WaitEdge>,
    /// Edges that are not kept because there are too many.
    pub omitted: usize,
    /// The cycles of the wait-for graph.
    pub cycles: Vec<Vec<u16>>,
    /// Rules that are possible, by their numbers.
    pub fired: Set<u32>,
}

/// Looks at a state.
///
/// # Errors
/// An evaluation error of a local state, or a limit.
pub fn network_readiness(
    machine: &mut Machine,
    network: &mut Network,
    format: FormatId,
    state: &[LocalId],
) -> Checked<NetworkReadiness> {
    let fired = fired(machine, network, format, state)?;
    let mut found = NetworkReadiness {
        fired,
        ..NetworkReadiness::default()
    };
    for local in state {
        let transitions = machine.locals().transitions(*local).unwrap_or(&[]);
        let events = transitions.iter().map(|t| t.0);
        let own = events.filter(|e| *e != EventId::DONE).map(|event| {
            let unknown = EventReadiness {
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
        // After a cache miss the enumeration begins again.
        fired.clear();
        let (locals, mut seen) = (machine.locals(), 0_usize);
        let cut = network.successors(locals, format, state, &mut scratch, |s| {
            fired.insert(s.rule);
            seen += 1;
            if seen.is_multiple_of(POLL_EVERY) && machine.eval.check_time().is_err() {
                return Err(CutShort::Stopped);
            }
            Ok(())
        });
        match cut {
            Ok(()) => return Ok(fired),
            Err(CutShort::Missed(miss)) => machine.resolve(network, &miss)?,
            // `check_time` reports the reason, and ends the loop.
            Err(CutShort::Stopped) => {}
        }
        machine.eval.check_time()?;
    }
}

impl NetworkReadiness {
    /// Computes the fate of each event that a component is ready for: the best that a rule makes of it.
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
            // A rule for joint termination is no event that a component waits for.
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

    /// Computes the standing of each component.
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

    /// Adds the edges that rules make, from the waiting components.
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
                let shown = if rule.shown.is_visible() {
                    rule.shown
                } else {
                    *event
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

    /// Adds edges for events in no rule: to the participants that never perform them.
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

    /// Finds a shortest cycle in each strongly connected component of the wait-for graph.
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

/// Largest number of nodes of a component of the graph from which a shortest cycle is searched.
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

/// The future events of components: those of the local states that each can still reach on its own.
struct Futures<'a> {
    machine: &'a Machine,
    network: &'a Network,
    format: FormatId,
    /// The events of each component, computed on request; `None` where unknown.
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

    /// Whether a component may become ready for an event; true where unknown.
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
    let mut seen: IndexSet<LocalId> = IndexSet::default();
    seen.insert(from);
    let mut events = Set::default();
    let (mut at, mut steps) = (0, 0);
    while let Some(local) = seen.get_index(at).copied() {
        let transitions = machine.locals().transitions(local)?;
        steps += transitions.len();
        if seen.len() > REACHED_MAX || steps > STEPS_MAX || changes(local) {
            return None;
        }
        for (event, target) in transitions {
            events.insert(*event);
            seen.insert(*target);
        }
        at += 1;
    }
    Some(events)
}
