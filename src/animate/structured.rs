//! The structure of a network and its wait-for graph, put into words.

use super::model::{ComponentView, StateId};
use super::opened::AnimatedProcess;
use super::readiness::{EventReadiness, NetworkReadiness, network_readiness};
use super::structure::{
    CycleView, EventClass, Fate, OfferView, PartView, StandingView, StructureNode, StructureView,
    SyncView, WaitView,
};
use crate::machine::partners::has_event;
use crate::machine::tree::{EndingOperator, Precedence, Tree};
use crate::machine::{EventId, Format, FormatId, Machine};
use crate::report::parted::PartedText;
use crate::report::{events, words};
use crate::source::Diagnostic;
use crate::source::diagnostic::Result as Checked;
use crate::source::hash::{IndexMap, IndexSet};
use crate::source::stack::deep;
use crate::value::Value;

/// Events of one class that are put into words.
const WORDED_MAX: usize = 1_000;
/// Largest number of events that are searched in the set of an operator for the tree, and for a node in detail.
const LOOKED_UP: usize = 3_000;
const LOOKED_UP_CLOSELY: usize = 100_000;
/// Largest number of edges shown.
const WAITS_MAX: usize = 2_000;
/// Largest number of kinds of joint events shown of a node.
const SYNCS_MAX: usize = 200;

impl AnimatedProcess {
    /// Describes the structure of a state's network, and its wait-for graph.
    pub(super) fn structure(&mut self, id: StateId) -> Checked<StructureView> {
        let (format, locals) = self.state(id);
        let components = self.components_of(id);
        let found = network_readiness(&mut self.machine, &mut self.network, format, &locals)?;
        let nodes = self.tree_nodes(format, &components)?;
        let offers = found.offers(&self.machine)?;
        let is_stable = !found.possible.iter().any(|e| !e.is_visible());
        let standing = components.iter().zip(offers).enumerate();
        let standing = standing.map(|(n, (component, offers))| {
            let is_stable = !found.ready[n].keys().any(|e| !e.is_visible());
            let seen = self.network.format(format).seen().of(n).keys();
            let refused = seen.filter(|e| e.is_visible() && !found.ready[n].contains_key(*e));
            let refused: Vec<EventId> = refused.filter(|_| is_stable).copied().collect();
            StandingView {
                label: PartedText::label(&component.family, &component.index),
                state: component.text.clone(),
                standing: found.standing[n],
                is_stable,
                offers,
                refuses: class(&self.machine, &refused),
            }
        });
        let standing: Vec<StandingView> = standing.collect();
        let initials: Vec<EventId> = found.possible.iter().copied().collect();
        let entry = self.network.format(format);
        let results = entry.rules().list().iter().map(|rule| rule.result);
        let results: IndexSet<EventId> = results.filter(|e| e.is_visible()).collect();
        let refused = results.into_iter().filter(|e| !found.possible.contains(e));
        let refused: Vec<EventId> = refused.filter(|_| is_stable).collect();
        let is_over = found.fired.is_empty();
        let is_terminated =
            is_over && !components.is_empty() && components.iter().all(|c| c.text == words::OMEGA);
        Ok(StructureView {
            nodes,
            components: standing,
            initials: class(&self.machine, &initials),
            is_stable,
            refuses: class(&self.machine, &refused),
            is_deadlock: is_over && !is_terminated,
            is_terminated,
            omitted: found.omitted + found.edges.len().saturating_sub(WAITS_MAX),
            waits: found.waits(&self.machine),
            cycles: found.cycle_views(&self.machine),
        })
    }

    /// The tree as a list.
    fn tree_nodes(
        &mut self,
        format: FormatId,
        components: &[ComponentView],
    ) -> Checked<Vec<StructureNode>> {
        let mut listing = TreeListing {
            components,
            nodes: Vec::new(),
            forms: IndexSet::default(),
            next: 0,
        };
        let tree = self.network.format(format).tree().clone();
        listing.visit(&tree, None, 0);
        let mut nodes = listing.nodes;
        let sets = tree_sets(&tree);
        for (node, set) in nodes.iter_mut().zip(sets) {
            let Some(set) = set else { continue };
            let entry = self.network.format(format);
            let below = seen_below(entry, node.components, LOOKED_UP);
            let Some(below) = below else { continue };
            let events = set_members(&mut self.machine, set, &below)?;
            node.set = class(&self.machine, &events).text();
        }
        Ok(nodes)
    }

    /// Describes a node of the tree in detail.
    pub(super) fn part(&mut self, id: StateId, at: usize) -> Checked<PartView> {
        let (format, _) = self.state(id);
        let components = self.components_of(id);
        let nodes = self.tree_nodes(format, &components)?;
        let Some(node) = nodes.get(at) else {
            let message = "there is no such part of the network".to_owned();
            return Err(Box::new(Diagnostic::nowhere("E0510", message)));
        };
        let tree = self.network.format(format).tree().clone();
        let set = tree_sets(&tree).into_iter().nth(at).flatten();
        let entry = self.network.format(format);
        let (first, last) = node.components;
        let complete = entry.reach()[first..last].iter().all(|r| r.complete);
        let (events, is_complete) = if node.is_leaf() {
            let seen = entry.seen().of(first).keys().copied();
            (seen.filter(|e| e.is_visible()).collect(), complete)
        } else {
            match (set, seen_below(entry, node.components, LOOKED_UP_CLOSELY)) {
                (Some(set), Some(below)) => {
                    (set_members(&mut self.machine, set, &below)?, complete)
                }
                (Some(_), None) => (Vec::new(), false),
                (None, _) => (Vec::new(), true),
            }
        };
        let operands = nodes.iter().filter(|n| n.parent == Some(at));
        let operands: Vec<(usize, usize)> = operands.map(|n| n.components).collect();
        Ok(PartView {
            events: class(&self.machine, &events),
            is_complete,
            syncs: self.syncs(format, &components, node.components, &operands)?,
        })
    }

    /// The components that perform events together: with a component, or across the operands of an operator.
    fn syncs(
        &self,
        format: FormatId,
        components: &[ComponentView],
        (first, last): (usize, usize),
        operands: &[(usize, usize)],
    ) -> Checked<Vec<SyncView>> {
        let families: IndexSet<&str> = components.iter().map(|c| c.family.as_str()).collect();
        let family = |c: u16| families.get_index_of(components[usize::from(c)].family.as_str());
        let operand = |c: u16| {
            let c = usize::from(c);
            operands
                .iter()
                .position(|(from, to)| (*from..*to).contains(&c))
        };
        let mut groups: IndexMap<Vec<usize>, IndexSet<EventId>> = IndexMap::default();
        for (number, rule) in self
            .network
            .format(format)
            .rules()
            .list()
            .iter()
            .enumerate()
        {
            if number.is_multiple_of(WORDED_MAX) {
                self.machine.eval.check_time()?;
            }
            let mut inside = rule.parts.iter().map(|p| p.0);
            let is_here = if operands.is_empty() {
                inside.any(|c| usize::from(c) == first)
            } else {
                let across: IndexSet<usize> = inside.filter_map(operand).collect();
                across.len() > 1
            };
            let own = rule.parts.iter().find(|p| usize::from(p.0) == first);
            let shown = match (rule.shown.is_visible(), own) {
                (true, _) => rule.shown,
                (false, Some((_, event))) => *event,
                (false, None) => EventId::TAU,
            };
            if !is_here || !shown.is_visible() {
                continue;
            }
            let is_other = |c: &u16| {
                if operands.is_empty() {
                    usize::from(*c) != first
                } else {
                    (first..last).contains(&usize::from(*c))
                }
            };
            let others = rule.parts.iter().map(|p| p.0).filter(is_other);
            let mut with: Vec<usize> = others.filter_map(family).collect();
            with.sort_unstable();
            groups.entry(with).or_default().insert(shown);
        }
        let shown = groups.into_iter().take(SYNCS_MAX);
        Ok(shown
            .map(|(with, events)| self.sync(&families, &with, events))
            .collect())
    }

    fn sync(
        &self,
        families: &IndexSet<&str>,
        with: &[usize],
        events: IndexSet<EventId>,
    ) -> SyncView {
        let mut names: Vec<String> = Vec::new();
        for same in with.chunk_by(|a, b| a == b) {
            let name = families.get_index(same[0]).copied().unwrap_or_default();
            names.push(match same.len() {
                1 => name.to_owned(),
                n => format!("{n} {name}"),
            });
        }
        let events: Vec<EventId> = events.into_iter().collect();
        SyncView {
            with: names,
            events: class(&self.machine, &events),
        }
    }
}

/// The class of some events, in words.
fn class(machine: &Machine, all: &[EventId]) -> EventClass {
    let some = &all[..all.len().min(WORDED_MAX)];
    EventClass {
        pieces: events::pieces(machine, some),
        count: all.len(),
        is_whole: some.len() == all.len(),
    }
}

/// The visible events that components are known to perform; `None` if they are too many.
fn seen_below(entry: &Format, (first, last): (usize, usize), most: usize) -> Option<Vec<EventId>> {
    let mut found: IndexSet<EventId> = IndexSet::default();
    for component in first..last {
        let seen = entry.seen().of(component).keys().copied();
        found.extend(seen.filter(|e| e.is_visible()));
        if found.len() > most {
            return None;
        }
    }
    Some(found.into_iter().collect())
}

fn set_members(machine: &mut Machine, set: Value, events: &[EventId]) -> Checked<Vec<EventId>> {
    let mut found = Vec::new();
    for event in events {
        if has_event(machine, set, *event)? {
            found.push(*event);
        }
    }
    Ok(found)
}

/// The sets of operators, each operator before its operands.
fn tree_sets(tree: &Tree) -> Vec<Option<Value>> {
    fn visit(tree: &Tree, found: &mut Vec<Option<Value>>) {
        found.push(match tree {
            Tree::Sharing(set, _) | Tree::Hide(_, set, _) => Some(*set),
            Tree::Ending(EndingOperator::Exception(_, set, _)) => Some(*set),
            _ => None,
        });
        deep(|| {
            for inner in operands(tree) {
                visit(inner, found);
            }
        });
    }
    let mut found = Vec::new();
    visit(tree, &mut found);
    found
}

fn operands(tree: &Tree) -> Vec<&Tree> {
    match tree {
        Tree::Leaf(_) => Vec::new(),
        Tree::Interleave(parts) | Tree::Sharing(_, parts) => parts.iter().collect(),
        Tree::Alphabetised(parts) => parts.iter().map(|(_, part)| part).collect(),
        Tree::Link(left, _, right) => vec![left, right],
        Tree::Hide(inner, ..) | Tree::Rename(inner, _) | Tree::Priority(inner, _) => vec![inner],
        Tree::Ending(ending) => ending.operands(),
    }
}

/// Sign and words of an operator.
fn operator_words(tree: &Tree) -> (&'static str, &'static str) {
    match tree {
        Tree::Leaf(_) => ("", ""),
        Tree::Interleave(_) => ("|||", "interleaving"),
        Tree::Sharing(..) => ("[|A|]", "parallel, sharing"),
        Tree::Alphabetised(_) => ("[A||B]", "parallel by alphabets"),
        Tree::Link(..) => ("[a<->b]", "linked parallel"),
        Tree::Hide(_, _, false) => ("\\ A", "hiding"),
        Tree::Hide(_, _, true) => ("|\\ A", "hiding all but"),
        Tree::Rename(..) => ("[[a<-b]]", "renaming"),
        Tree::Priority(_, Precedence::Levels(_)) => ("prioritise", "priority by levels"),
        Tree::Priority(_, Precedence::Partial { .. }) => ("prioritisepo", "priority by an order"),
        Tree::Priority(_, Precedence::Chase) => ("chase", "the first silent step goes first"),
        Tree::Ending(EndingOperator::Sequence(..)) => (";", "then another process"),
        Tree::Ending(EndingOperator::Choice(_)) => ("[]", "external choice"),
        Tree::Ending(EndingOperator::Interrupt(_)) => ("/\\", "interrupt"),
        Tree::Ending(EndingOperator::Exception(..)) => ("[|A|>", "another process after one of"),
    }
}

/// The tree as it is put into a list.
struct TreeListing<'a> {
    components: &'a [ComponentView],
    nodes: Vec<StructureNode>,
    /// The forms of subtrees: a sign and those of the operands, or a family.
    forms: IndexSet<(String, Vec<usize>)>,
    next: usize,
}

impl TreeListing<'_> {
    /// Adds a tree. Returns its form.
    fn visit(&mut self, tree: &Tree, parent: Option<usize>, depth: usize) -> usize {
        let at = self.nodes.len();
        let first = self.next;
        let (sign, operator) = operator_words(tree);
        let leaf = self.components.get(first).filter(|_| sign.is_empty());
        self.nodes.push(StructureNode {
            depth,
            parent,
            sign,
            words: leaf.map_or_else(|| operator.to_owned(), ComponentView::label),
            set: String::new(),
            components: (first, first),
            size: 1,
            form: 0,
        });
        let mut below = Vec::new();
        if let Tree::Leaf(_) = tree {
            self.next += 1;
        }
        for operand in operands(tree) {
            below.push(deep(|| self.visit(operand, Some(at), depth + 1)));
        }
        let kind = leaf.map_or_else(|| sign.to_owned(), |c| format!("= {}", c.family));
        let form = self.forms.insert_full((kind, below)).0;
        let size = self.nodes.len() - at;
        let node = &mut self.nodes[at];
        (node.form, node.size, node.components.1) = (form, size, self.next);
        form
    }
}

impl NetworkReadiness {
    /// The events that each component is ready for, by their fate.
    fn offers(&self, machine: &Machine) -> Checked<Vec<Vec<OfferView>>> {
        let mut all = Vec::with_capacity(self.ready.len());
        for ready in &self.ready {
            machine.eval.check_time()?;
            let mut groups: IndexMap<(Fate, &[u16], bool), Vec<EventId>> = IndexMap::default();
            for (event, own) in ready {
                let EventReadiness {
                    fate,
                    rules,
                    missing,
                } = own;
                // Where it is possible, other ways do not matter.
                let missing = match fate {
                    Fate::Possible | Fate::HeldBack => &[][..],
                    _ => missing,
                };
                let key = (*fate, missing, *rules > 1 && !missing.is_empty());
                groups.entry(key).or_default().push(*event);
            }
            groups.sort_by(|a, _, b, _| a.cmp(b));
            let shown = groups
                .into_iter()
                .map(|((fate, missing, several), events)| OfferView {
                    events: class(machine, &events),
                    fate,
                    missing: missing.iter().map(|c| usize::from(*c)).collect(),
                    several,
                });
            all.push(shown.collect());
        }
        Ok(all)
    }

    fn waits(&self, machine: &Machine) -> Vec<WaitView> {
        let mut edges: Vec<_> = self.edges.iter().collect();
        edges.sort_by_key(|(pair, _)| **pair);
        let shown = edges.into_iter().take(WAITS_MAX).map(|((from, to), edge)| {
            let events: Vec<EventId> = edge.events.iter().copied().collect();
            let mut events = class(machine, &events);
            events.is_whole &= !edge.is_cut;
            WaitView {
                from: usize::from(*from),
                to: usize::from(*to),
                events,
                never: !edge.hope,
            }
        });
        shown.collect()
    }

    fn cycle_views(&self, machine: &Machine) -> Vec<CycleView> {
        let step = |cycle: &[u16], n: usize| {
            let next = cycle[(n + 1) % cycle.len()];
            let edge = self.edges.get(&(cycle[n], next));
            let events = edge.into_iter().flat_map(|edge| &edge.events);
            let events: Vec<EventId> = events.copied().collect();
            // A single event is not written as a set.
            let text = match events::pieces(machine, &events).as_slice() {
                [] => String::new(),
                [single] => single.clone(),
                _ => events::set_text(machine, &events).into(),
            };
            (usize::from(cycle[n]), text)
        };
        let shown = self.cycles.iter().map(|cycle| CycleView {
            steps: (0..cycle.len()).map(|n| step(cycle, n)).collect(),
        });
        shown.collect()
    }
}
