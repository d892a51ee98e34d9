//! What is around a state: layers of orbits or of states, with the transitions between them, as plain data; and
//! how it is put together, whoever tells about states.
//!
//! Every box holds a state that is reached from the present one by transitions of the unreduced system: the one
//! by which the search came to its orbit first. So a person can go there, and what is then shown is what the box
//! has promised. Of what leads *to* the present state only the history tells: to look for other predecessors,
//! all states would have to be gone through.
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

/// So many boxes are worked out.
pub const BOXES_MAX: usize = 200;
/// So many transitions are looked at for one picture.
const TRANSITIONS_MAX: usize = 20_000;
/// So many states are told of an orbit that is unfolded.
pub const MEMBERS_MAX: usize = 120;

/// Which neighbourhood is wanted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NeighbourhoodRequest {
    /// The state in the middle.
    pub state: StateId,
    /// The states of the history before it, the oldest first.
    pub before: Vec<StateId>,
    /// How many steps from the middle.
    pub radius: usize,
    /// Whether each box is a state, and not an orbit.
    pub full: bool,
    /// The states of a counterexample: what is on it is marked.
    pub path: Vec<StateId>,
}

/// Layers around a state.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Neighbourhood {
    /// In the order in which they were met: first what the history tells, then breadth-first.
    pub boxes: Vec<NeighbourBox>,
    /// In ascending order of where they begin: all that lead from one of the boxes to another.
    pub edges: Vec<NeighbourEdge>,
    /// The box of the state in the middle.
    pub current: usize,
    /// There are more than [`BOXES_MAX`] within the radius, or more transitions than are looked at.
    pub is_cut: bool,
    /// The limit that came first, if one did.
    pub stop: Option<Stop>,
    /// Whether there is anything to permute or to exchange.
    pub reduces: bool,
    /// Whether boxes that differ are known to be different orbits.
    pub orbits_known: bool,
}

/// An orbit by one of its states, or a state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NeighbourBox {
    /// The state, which is reached from the present one by the steps of `way`.
    pub state: StateId,
    /// The state that stands for its orbit.
    pub orbit: StateId,
    /// The layer, counted from the oldest one.
    pub layer: usize,
    /// How many states the orbit has, if that is known.
    pub size: Option<BigUint>,
    /// The components of the state.
    pub components: Vec<ComponentView>,
    /// Those that tell it from the box that it was reached from; of what is before the present state, from the
    /// box after it.
    pub moved: Vec<usize>,
    /// The step that led here first and the box where it begins; none of the present state and of what was before.
    pub way: Option<(usize, NeighbourStep)>,
    /// Whether its transitions were looked at.
    pub expanded: bool,
    /// How many transitions it has, each once.
    pub transitions: usize,
    /// How many of them lead to what is no box.
    pub outside: usize,
    /// How many orbits or states these lead to.
    pub more: usize,
    /// How many transitions were left out since there are so very many.
    pub omitted: usize,
    /// Nothing is possible, and it has not terminated.
    pub deadlocked: bool,
    /// All of it has terminated.
    pub terminated: bool,
    /// Why its transitions could not be evaluated.
    pub failure: Option<ErrorText>,
    /// Whether a state of the counterexample is in it.
    pub on_path: bool,
}

/// What leads from a box to another, by one channel.
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
    /// The states, that which was asked for first.
    pub members: Vec<OrbitMember>,
    /// Whether there are others.
    pub is_cut: bool,
}

/// A state of an orbit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OrbitMember {
    /// Its number.
    pub state: StateId,
    /// Its components.
    pub components: Vec<ComponentView>,
}

/// What a state is, without its transitions.
pub struct Described {
    /// Its components.
    pub components: Vec<ComponentView>,
    /// The state that stands for its orbit.
    pub orbit: StateId,
    /// How many states the orbit has, if that is known.
    pub size: Option<BigUint>,
}

/// The transitions of a state.
pub struct Outgoing {
    /// Each once, in a fixed order.
    pub transitions: Vec<TransitionView>,
    /// How many were left out.
    pub omitted: usize,
    /// Whether different orbits are known to be different.
    pub orbits_known: bool,
}

/// Why something is not told of a state.
pub enum NotTold {
    /// It cannot be evaluated.
    Failed(ErrorText),
    /// A limit came first, or somebody cancelled; in words, too.
    Stopped(Stop, ErrorText),
}

/// Who tells about states.
pub trait TellStates {
    /// What a state is.
    ///
    /// # Errors
    /// That it could not be told.
    fn described(&mut self, state: StateId) -> Result<Described, NotTold>;

    /// The transitions of a state.
    ///
    /// # Errors
    /// That they could not be told.
    fn outgoing(&mut self, state: StateId) -> Result<Outgoing, NotTold>;

    /// Whether there is anything to permute or to exchange.
    fn reduces(&mut self, state: StateId) -> bool;
}

impl NeighbourEdge {
    /// How many transitions it stands for.
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
/// That it was cancelled, or that not even the state itself could be described.
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
    /// The transitions of each box, as far as they were looked at.
    listed: Vec<Option<Vec<TransitionView>>>,
    /// So many transitions may still be looked at.
    budget: usize,
    found: Neighbourhood,
}

/// What was cancelled has no result; other limits leave a part.
fn unless_cancelled(stop: Stop, told: ErrorText) -> Result<Stop, ErrorText> {
    match stop {
        Stop::Cancelled => Err(told),
        stop => Ok(stop),
    }
}

/// Which components of the second state are not as in the first.
fn difference(before: &[ComponentView], after: &[ComponentView]) -> Vec<usize> {
    let same = |(at, now): (usize, &ComponentView)| {
        let is_it = |c: &&ComponentView| c.family == now.family && c.index == now.index;
        let here = before.get(at).filter(is_it);
        // Where the network has changed, it may stand at another place.
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
                    // What was met twice stands where it was met last: nearest to the present state.
                    line.shift_remove(&key);
                    line.insert(key, (state, described));
                }
                Err(NotTold::Stopped(Stop::Cancelled, told)) => return Err(told),
                Err(NotTold::Failed(told) | NotTold::Stopped(_, told))
                    if state == request.state =>
                {
                    return Err(told);
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

    /// Breadth-first from the middle. The transitions of all boxes are looked at, also of those that are
    /// as far away as was asked for: it is to be told how many more there are.
    fn layers(&mut self, request: &NeighbourhoodRequest) -> Result<(), ErrorText> {
        let middle = self.found.current;
        let mut queue = VecDeque::from([middle]);
        while let Some(at) = queue.pop_front() {
            if !self.look(at)? {
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
                    Err(NotTold::Stopped(stop, told)) => {
                        self.found.stop = Some(unless_cancelled(stop, told)?);
                    }
                    Err(NotTold::Failed(told)) => self.found.boxes[at].failure = Some(told),
                }
            }
        }
        // What the history tells comes last: the present state and what follows are worth more.
        for at in 0..middle {
            self.look(at)?;
        }
        Ok(())
    }

    /// Looks at the transitions of a box; whether there are any.
    fn look(&mut self, at: usize) -> Result<bool, ErrorText> {
        if self.found.stop.is_some() || self.budget == 0 {
            self.found.is_cut |= self.budget == 0;
            return Ok(false);
        }
        match self.states.outgoing(self.found.boxes[at].state) {
            Ok(told) => {
                self.budget = self.budget.saturating_sub(told.transitions.len());
                self.found.orbits_known &= told.orbits_known;
                let place = &mut self.found.boxes[at];
                let ends = told.transitions.is_empty();
                let all = |c: &ComponentView| c.text == crate::report::words::OMEGA;
                // As the animator says it: where the whole has not yet terminated, ✓ is still to come.
                let done = !place.components.is_empty() && place.components.iter().all(all);
                (place.terminated, place.deadlocked) = (ends && done, ends && !done);
                (place.expanded, place.omitted) = (true, told.omitted);
                place.transitions = told.transitions.len();
                self.listed[at] = Some(told.transitions);
                Ok(true)
            }
            Err(NotTold::Failed(told)) => {
                self.found.boxes[at].failure = Some(told);
                Ok(false)
            }
            Err(NotTold::Stopped(stop, told)) => {
                self.found.stop = Some(unless_cancelled(stop, told)?);
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

    /// Marks what a counterexample goes through.
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
                Err(NotTold::Stopped(stop, told)) => {
                    self.found.stop = Some(unless_cancelled(stop, told)?);
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
