//! The neighbourhood of a state: layers of orbits or of states, with the transitions between them, as plain data;
//! and its computation from any source of states.
//!
//! Every box holds a state that is reached from the present one by transitions of the unreduced system: the one by
//! which the search reached its orbit first. So a person can go there, and sees the promised state. Predecessors of
//! the present state come from the history alone: finding others takes a search of all states.
//!
//! A permutation takes the transitions of a state to those of its image, so how many transitions of this one
//! state lead to an orbit is how many those of any other in its orbit do.

use std::collections::VecDeque;

use num_bigint::BigUint;

use super::transition::{StateId, TransitionView};
use crate::report::parted::PartedText;
use crate::report::words::{ComponentView, ErrorText, EventKind};
use crate::source::Stop;
use crate::source::hash::{IndexMap, Map, Set};

/// Largest number of boxes.
pub const BOXES_MAX: usize = 200;
/// Largest number of transitions computed for a picture.
const TRANSITIONS_MAX: usize = 20_000;
/// Largest number of states shown of an unfolded orbit.
pub const MEMBERS_MAX: usize = 120;

/// A request for a neighbourhood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NeighbourhoodRequest {
    /// The state in the middle.
    pub state: StateId,
    /// The states of the history before it, the oldest first.
    pub before: Vec<StateId>,
    /// The radius: the number of steps from the middle.
    pub radius: usize,
    /// Whether each box is a state, and not an orbit.
    pub full: bool,
    /// The states of a counterexample, whose boxes are marked.
    pub path: Vec<StateId>,
}

/// Layers around a state.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Neighbourhood {
    /// The boxes in the order of discovery: those of the history first, then breadth-first.
    pub boxes: Vec<NeighbourBox>,
    /// In ascending order of where they begin: all that lead from one of the boxes to another.
    pub edges: Vec<NeighbourEdge>,
    /// The box of the state in the middle.
    pub current: usize,
    /// Whether there are more than [`BOXES_MAX`] within the radius, or more transitions than are computed.
    pub is_cut: bool,
    /// The limit that came first, if one did.
    pub stop: Option<Stop>,
    /// Whether the group is not trivial.
    pub reduces: bool,
    /// Whether boxes that differ are known to be different orbits.
    pub orbits_known: bool,
}

/// An orbit by one of its states, or a state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NeighbourBox {
    /// The state, which is reached from the present one by the steps of `way`.
    pub state: StateId,
    /// The representative of its orbit.
    pub orbit: StateId,
    /// The layer, counted from the oldest one.
    pub layer: usize,
    /// The number of states in the orbit, if that is known.
    pub size: Option<BigUint>,
    /// The components of the state.
    pub components: Vec<ComponentView>,
    /// The components that differ from the box that it was reached from; before the present state, from the box
    /// after it.
    pub moved: Vec<usize>,
    /// The first step found to it, with the box where it begins; `None` for the present state and those before it.
    pub way: Option<(usize, NeighbourStep)>,
    /// Whether its transitions were computed.
    pub expanded: bool,
    /// The number of its transitions, each once.
    pub transitions: usize,
    /// The number of those that lead out of the picture.
    pub outside: usize,
    /// The number of orbits or states that these lead to.
    pub more: usize,
    /// The number of transitions that were left out of a very long list.
    pub omitted: usize,
    /// Whether it is a deadlock: no transition, and not terminated.
    pub deadlocked: bool,
    /// Whether all of it has terminated.
    pub terminated: bool,
    /// Why its transitions could not be evaluated.
    pub failure: Option<ErrorText>,
    /// Whether a state of the counterexample is in it.
    pub on_path: bool,
}

/// The edge from a box to another, for one channel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NeighbourEdge {
    /// The box where it begins.
    pub from: usize,
    /// The box that it leads to.
    pub to: usize,
    /// Hidden, ✓ or visible.
    pub kind: EventKind,
    /// The channel; empty where nothing was hidden.
    pub channel: String,
    /// The events, as `initNode.T1.{N0,N2}.A`.
    pub event: String,
    /// The transitions of the state that the first box holds.
    pub steps: Vec<NeighbourStep>,
}

/// A transition of the raw system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NeighbourStep {
    /// Hidden, ✓ or visible.
    pub kind: EventKind,
    /// The event; if it is hidden, that one, or nothing where nothing was hidden.
    pub event: PartedText,
    /// Labels of the components that take part, and their local states afterwards.
    pub movers: Vec<(String, String)>,
    /// The state that it leads to.
    pub target: StateId,
}

/// The states of an orbit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OrbitMembers {
    /// The states, the requested one first.
    pub members: Vec<OrbitMember>,
    /// Whether there are others.
    pub is_cut: bool,
}

/// A state of an orbit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OrbitMember {
    /// The number of the state.
    pub state: StateId,
    /// The components of the state.
    pub components: Vec<ComponentView>,
}

/// A state without its transitions.
pub struct Described {
    /// The components of the state.
    pub components: Vec<ComponentView>,
    /// The representative of its orbit.
    pub orbit: StateId,
    /// The number of states in the orbit, if that is known.
    pub size: Option<BigUint>,
}

/// The transitions of a state.
pub struct Outgoing {
    /// The transitions, each once, in a fixed order.
    pub transitions: Vec<TransitionView>,
    /// The number of those that were left out.
    pub omitted: usize,
    /// Whether states with different representatives are in different orbits.
    pub orbits_known: bool,
}

/// The reason why a state could not be described.
pub enum NotTold {
    /// It cannot be evaluated.
    Failed(ErrorText),
    /// A limit was reached, or it was cancelled; in words, too.
    Stopped(Stop, ErrorText),
}

/// A source of states.
pub trait TellStates {
    /// Describes a state.
    ///
    /// # Errors
    /// The state could not be described.
    fn described(&mut self, state: StateId) -> Result<Described, NotTold>;

    /// The transitions of a state.
    ///
    /// # Errors
    /// The transitions could not be computed.
    fn outgoing(&mut self, state: StateId) -> Result<Outgoing, NotTold>;

    /// Whether the group is not trivial.
    fn reduces(&mut self, state: StateId) -> bool;
}

impl NeighbourEdge {
    /// The number of transitions that the edge represents.
    #[must_use]
    pub fn multiplicity(&self) -> usize {
        self.steps.len()
    }
}

impl Neighbourhood {
    /// The steps from the present state to a box, with the boxes that they lead to; none for a box that is known
    /// from the history alone.
    #[must_use]
    pub fn steps_to(&self, to: usize) -> Option<Vec<&NeighbourStep>> {
        let mut steps = Vec::new();
        let mut at = to;
        while at != self.current {
            let (from, step) = self.boxes.get(at)?.way.as_ref()?;
            steps.push(step);
            at = *from;
        }
        steps.reverse();
        Some(steps)
    }

    /// The edges that begin at a box.
    pub fn leaving(&self, from: usize) -> impl Iterator<Item = &NeighbourEdge> {
        self.edges.iter().filter(move |edge| edge.from == from)
    }

    /// The edges that lead to a box.
    pub fn arriving(&self, to: usize) -> impl Iterator<Item = &NeighbourEdge> {
        self.edges.iter().filter(move |edge| edge.to == to)
    }
}

/// Puts the neighbourhood of a state together.
///
/// # Errors
/// The request was cancelled, or not even the state itself could be described.
pub fn around(
    states: &mut dyn TellStates,
    request: &NeighbourhoodRequest,
) -> Result<Neighbourhood, ErrorText> {
    let reduces = states.reduces(request.state);
    let mut survey = Survey {
        states,
        full: request.full,
        places: Map::default(),
        listed: Vec::new(),
        budget: TRANSITIONS_MAX,
        found: Neighbourhood {
            orbits_known: true,
            reduces,
            ..Neighbourhood::default()
        },
    };
    survey.before(request)?;
    survey.layers(request)?;
    survey.mark(request)?;
    survey.connect();
    Ok(survey.found)
}

struct Survey<'a> {
    states: &'a mut dyn TellStates,
    full: bool,
    /// The box of each orbit, or of each state.
    places: Map<StateId, usize>,
    /// The transitions of each box, if they were computed.
    listed: Vec<Option<Vec<TransitionView>>>,
    /// The number of transitions that may still be computed.
    budget: usize,
    found: Neighbourhood,
}

/// Turns cancellation into an error; other limits leave a partial result.
fn unless_cancelled(stop: Stop, error: ErrorText) -> Result<Stop, ErrorText> {
    match stop {
        Stop::Cancelled => Err(error),
        stop => Ok(stop),
    }
}

/// The components of the second state that differ from the first.
fn difference(before: &[ComponentView], after: &[ComponentView]) -> Vec<usize> {
    let same = |(at, now): (usize, &ComponentView)| {
        let is_it = |c: &&ComponentView| c.family == now.family && c.index == now.index;
        let here = before.get(at).filter(is_it);
        // Where the network has changed, it may have another index.
        let old = here.or_else(|| before.iter().find(is_it));
        old.is_some_and(|old| old.text == now.text)
    };
    let differs = |(at, now)| (!same((at, now))).then_some(at);
    after.iter().enumerate().filter_map(differs).collect()
}

impl Survey<'_> {
    fn key(&self, state: StateId, orbit: StateId) -> StateId {
        if self.full { state } else { orbit }
    }

    fn push(
        &mut self,
        state: StateId,
        described: Described,
        layer: usize,
        way: Option<(usize, NeighbourStep)>,
    ) {
        let key = self.key(state, described.orbit);
        self.places.insert(key, self.found.boxes.len());
        self.found.orbits_known &= described.size.is_some();
        let from = way
            .as_ref()
            .and_then(|(from, _)| self.found.boxes.get(*from));
        let moved = from.map_or_else(Vec::new, |from| {
            difference(&from.components, &described.components)
        });
        self.found.boxes.push(NeighbourBox {
            state,
            orbit: described.orbit,
            layer,
            size: described.size,
            components: described.components,
            moved,
            way,
            expanded: false,
            transitions: 0,
            outside: 0,
            more: 0,
            omitted: 0,
            deadlocked: false,
            terminated: false,
            failure: None,
            on_path: false,
        });
        self.listed.push(None);
    }

    /// The boxes of the history, and that of the state in the middle.
    fn before(&mut self, request: &NeighbourhoodRequest) -> Result<(), ErrorText> {
        let states = request.before.iter().copied().chain([request.state]);
        let mut line: IndexMap<StateId, (StateId, Described)> = IndexMap::default();
        for state in states {
            match self.states.described(state) {
                Ok(described) => {
                    let key = self.key(state, described.orbit);
                    // A state found twice takes its last place: nearest to the present state.
                    line.shift_remove(&key);
                    line.insert(key, (state, described));
                }
                Err(NotTold::Stopped(Stop::Cancelled, error)) => return Err(error),
                Err(NotTold::Failed(error) | NotTold::Stopped(_, error))
                    if state == request.state =>
                {
                    return Err(error);
                }
                Err(_) => {}
            }
        }
        for (layer, (state, described)) in line.into_values().enumerate() {
            self.push(state, described, layer, None);
        }
        self.found.current = self.found.boxes.len().saturating_sub(1);
        for at in 0..self.found.current {
            let (here, next) = (&self.found.boxes[at], &self.found.boxes[at + 1]);
            let moved = difference(&next.components, &here.components);
            self.found.boxes[at].moved = moved;
        }
        if let Some(last) = self.found.current.checked_sub(1) {
            let (before, here) = (&self.found.boxes[last], &self.found.boxes[last + 1]);
            let moved = difference(&before.components, &here.components);
            self.found.boxes[last + 1].moved = moved;
        }
        Ok(())
    }

    /// Searches breadth-first from the middle. Transitions of the outermost boxes are computed, too, for the number
    /// of those that lead out of the picture.
    fn layers(&mut self, request: &NeighbourhoodRequest) -> Result<(), ErrorText> {
        let middle = self.found.current;
        let mut queue = VecDeque::from([middle]);
        while let Some(at) = queue.pop_front() {
            if !self.expand(at)? {
                continue;
            }
            let layer = self.found.boxes[at].layer + 1;
            if layer > self.found.boxes[middle].layer + request.radius {
                continue;
            }
            for transition in self.listed[at].clone().unwrap_or_default() {
                let key = self.key(transition.target, transition.orbit);
                if self.places.contains_key(&key) {
                    continue;
                }
                if self.found.boxes.len() >= BOXES_MAX {
                    self.found.is_cut = true;
                    break;
                }
                match self.states.described(transition.target) {
                    Ok(described) => {
                        let step = self.step(at, &transition);
                        queue.push_back(self.found.boxes.len());
                        self.push(transition.target, described, layer, Some((at, step)));
                    }
                    Err(NotTold::Stopped(stop, error)) => {
                        self.found.stop = Some(unless_cancelled(stop, error)?);
                    }
                    Err(NotTold::Failed(error)) => self.found.boxes[at].failure = Some(error),
                }
            }
        }
        // The past comes last: the present state and its successors are worth more.
        for at in 0..middle {
            self.expand(at)?;
        }
        Ok(())
    }

    /// Looks at the transitions of a box; whether there are any.
    fn expand(&mut self, at: usize) -> Result<bool, ErrorText> {
        if self.found.stop.is_some() || self.budget == 0 {
            self.found.is_cut |= self.budget == 0;
            return Ok(false);
        }
        match self.states.outgoing(self.found.boxes[at].state) {
            Ok(outgoing) => {
                self.budget = self.budget.saturating_sub(outgoing.transitions.len());
                self.found.orbits_known &= outgoing.orbits_known;
                let place = &mut self.found.boxes[at];
                let ends = outgoing.transitions.is_empty();
                let all = |c: &ComponentView| c.text == crate::report::words::OMEGA;
                // As in the animator: where the whole has not yet terminated, ✓ is still to come.
                let done = !place.components.is_empty() && place.components.iter().all(all);
                (place.terminated, place.deadlocked) = (ends && done, ends && !done);
                (place.expanded, place.omitted) = (true, outgoing.omitted);
                place.transitions = outgoing.transitions.len();
                self.listed[at] = Some(outgoing.transitions);
                Ok(true)
            }
            Err(NotTold::Failed(error)) => {
                self.found.boxes[at].failure = Some(error);
                Ok(false)
            }
            Err(NotTold::Stopped(stop, error)) => {
                self.found.stop = Some(unless_cancelled(stop, error)?);
                Ok(false)
            }
        }
    }

    fn step(&self, from: usize, transition: &TransitionView) -> NeighbourStep {
        let components = &self.found.boxes[from].components;
        let movers = transition.movers.iter().map(|(at, _, after)| {
            let label = components.get(*at).map(ComponentView::label);
            (label.unwrap_or_default(), after.to_string())
        });
        NeighbourStep {
            kind: transition.kind,
            event: transition.event.clone(),
            movers: movers.collect(),
            target: transition.target,
        }
    }

    /// Marks the boxes on the path of a counterexample.
    fn mark(&mut self, request: &NeighbourhoodRequest) -> Result<(), ErrorText> {
        let network = request.state.network;
        for state in request.path.iter().filter(|s| s.network == network) {
            if self.found.stop.is_some() {
                return Ok(());
            }
            match self.states.described(*state) {
                Ok(described) => {
                    let key = self.key(*state, described.orbit);
                    if let Some(at) = self.places.get(&key) {
                        self.found.boxes[*at].on_path = true;
                    }
                }
                Err(NotTold::Stopped(stop, error)) => {
                    self.found.stop = Some(unless_cancelled(stop, error)?);
                }
                Err(NotTold::Failed(_)) => {}
            }
        }
        Ok(())
    }

    /// The edges between boxes, and how much leads elsewhere.
    fn connect(&mut self) {
        for from in 0..self.found.boxes.len() {
            let mut edges: IndexMap<(usize, EventKind, String), Vec<NeighbourStep>> =
                IndexMap::default();
            let mut elsewhere: Set<StateId> = Set::default();
            for transition in self.listed[from].take().unwrap_or_default() {
                let key = self.key(transition.target, transition.orbit);
                let Some(to) = self.places.get(&key).copied() else {
                    elsewhere.insert(key);
                    self.found.boxes[from].outside += 1;
                    continue;
                };
                let channel = transition.event.head().to_owned();
                let step = self.step(from, &transition);
                edges
                    .entry((to, transition.kind, channel))
                    .or_default()
                    .push(step);
            }
            self.found.boxes[from].more = elsewhere.len();
            for ((to, kind, channel), steps) in edges {
                let events: Vec<&PartedText> = steps.iter().map(|s| &s.event).collect();
                let event = super::sets::compress(&events);
                self.found.edges.push(NeighbourEdge {
                    from,
                    to,
                    kind,
                    channel,
                    event,
                    steps,
                });
            }
        }
    }
}
