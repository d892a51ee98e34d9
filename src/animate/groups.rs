//! Transitions grouped up to symmetry: one group for each orbit of targets and kind of movers.

use std::cmp::Ordering;

use super::model::{ComponentView, EventKind, StateId, StateView, TransitionView};
use super::sets::{compress, local_states};
use crate::report::numbers::natural;
use crate::report::parted::PartedText;
use crate::source::hash::IndexMap;

/// Transitions that are one transition up to symmetry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TransitionGroup {
    /// Indices into the state's transitions, never empty.
    pub members: Vec<usize>,
    /// τ, ✓ or visible.
    pub kind: EventKind,
    /// The common text, as `initNode.T1.{N0,N2}.{A,D}.N4`.
    pub label: String,
    /// The components that move, as `Thread[T1] + Node[*]`.
    pub with: String,
}

/// Groups the transitions that pass the filter; one group each if `grouped` is false.
#[must_use]
pub fn group(view: &StateView, grouped: bool, filter: &str) -> Vec<TransitionGroup> {
    let needle = filter.to_lowercase();
    // Groups come in the order of their first members, so the list does not jump while one filters.
    let mut groups: IndexMap<GroupKey<'_>, Vec<usize>> = IndexMap::default();
    for (index, transition) in view.transitions.iter().enumerate() {
        if !needle.is_empty() && !matches(view, transition, &needle) {
            continue;
        }
        // The orbit of the target is not enough: two different steps may lead to states of one orbit. So kind,
        // channel and the families of the components that move have to agree, too.
        let key = if grouped {
            GroupKey::of(view, transition)
        } else {
            GroupKey::single(index)
        };
        groups.entry(key).or_default().push(index);
    }
    let mut members: Vec<Vec<usize>> = groups.into_values().collect();
    if !grouped {
        members.sort_by(|a, b| by_effect(&view.transitions[a[0]], &view.transitions[b[0]]));
    }
    members
        .into_iter()
        .map(|members| describe(view, members))
        .collect()
}

/// Orders single transitions by their events, and those with the same event by the components that move and their
/// targets.
fn by_effect(a: &TransitionView, b: &TransitionView) -> Ordering {
    let movers = || {
        let mut pairs = a.movers.iter().zip(&b.movers);
        let first = pairs.find_map(|((x, _, one), (y, _, other))| {
            let order = x.cmp(y).then_with(|| natural(one, other));
            order.is_ne().then_some(order)
        });
        first.unwrap_or_else(|| a.movers.len().cmp(&b.movers.len()))
    };
    let kinds = a.kind.cmp(&b.kind);
    kinds
        .then_with(|| natural(&a.event, &b.event))
        .then_with(movers)
}

/// The number of orbits among the targets of all transitions.
#[must_use]
pub fn orbit_count(view: &StateView) -> usize {
    let mut orbits: Vec<_> = view.transitions.iter().map(|t| t.orbit).collect();
    orbits.sort_unstable();
    orbits.dedup();
    orbits.len()
}

/// The key of a group: the common properties of its members.
#[derive(PartialEq, Eq, Hash)]
struct GroupKey<'a> {
    kind: EventKind,
    orbit: StateId,
    channel: &'a str,
    families: Vec<&'a str>,
    single: Option<usize>,
}

impl<'a> GroupKey<'a> {
    fn of(view: &'a StateView, transition: &'a TransitionView) -> Self {
        Self {
            kind: transition.kind,
            orbit: transition.orbit,
            channel: transition.event.head(),
            families: movers(view, transition)
                .map(|c| c.family.as_str())
                .collect(),
            single: None,
        }
    }

    fn single(index: usize) -> Self {
        Self {
            // The index alone distinguishes these keys; the rest is the same in all.
            kind: EventKind::Tau,
            orbit: StateId::new(0, 0),
            channel: "",
            families: Vec::new(),
            single: Some(index),
        }
    }
}

fn movers<'a>(
    view: &'a StateView,
    transition: &'a TransitionView,
) -> impl Iterator<Item = &'a ComponentView> {
    transition
        .movers
        .iter()
        .filter_map(|(index, _, _)| view.components.get(*index))
}

/// Whether the event, a component that moves, or one of its local states contains the text.
fn matches(view: &StateView, transition: &TransitionView, needle: &str) -> bool {
    let has = |text: &str| text.to_lowercase().contains(needle);
    has(&transition.event)
        || (transition.kind == EventKind::Tau && has("tau"))
        || movers(view, transition).any(|c| has(&c.label()))
        || transition.movers.iter().any(|(_, a, b)| has(a) || has(b))
}

fn describe(view: &StateView, members: Vec<usize>) -> TransitionGroup {
    let transitions: Vec<_> = members.iter().map(|i| &view.transitions[*i]).collect();
    let events: Vec<_> = transitions.iter().map(|t| &t.event).collect();
    // Members agree in channel, so either all have an event or none has one.
    let label = if events.iter().all(|event| event.is_empty()) {
        internal(&transitions)
    } else {
        compress(&events)
    };
    TransitionGroup {
        kind: transitions.first().map_or(EventKind::Tau, |t| t.kind),
        label,
        with: participants(view, &transitions),
        members,
    }
}

/// The movers position by position: the component if all members agree, otherwise `Family[*]`.
fn participants(view: &StateView, transitions: &[&TransitionView]) -> String {
    let mut columns: Vec<(String, String)> = Vec::new();
    for (nth, transition) in transitions.iter().enumerate() {
        for (at, component) in movers(view, transition).enumerate() {
            if nth == 0 {
                columns.push((component.label(), component.family.clone()));
            // Members agree in the families position by position (`GroupKey`), so the columns fit.
            } else if let Some((label, family)) = columns.get_mut(at)
                && *label != component.label()
            {
                *label = format!("{family}[*]");
            }
        }
    }
    let labels: Vec<_> = columns.into_iter().map(|(label, _)| label).collect();
    labels.join(" + ")
}

/// The text of steps without an event: `-> Pushing({T0,T1},{A,B})`, the local states that they lead to.
fn internal(transitions: &[&TransitionView]) -> String {
    let width = transitions.first().map_or(0, |t| t.movers.len());
    let column = |at: usize| -> Vec<&PartedText> {
        let movers = transitions.iter().filter_map(|t| t.movers.get(at));
        movers.map(|(_, _, after)| after).collect()
    };
    let columns: Vec<_> = (0..width).map(|at| local_states(&column(at))).collect();
    if columns.is_empty() {
        String::new()
    } else {
        format!("-> {}", columns.join(" + "))
    }
}
