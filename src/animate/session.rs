//! What a person is doing: where they are, what they may do next, and what the last step changed.

use std::rc::Rc;

use super::groups::{self, TransitionGroup};
use super::history::{History, NodeId, Taken};
use super::model::{
    ComponentView, Counterexample, EventKind, Explanation, Failure, StateId, StateView,
    TransitionView, TypeOrdering,
};
use crate::source::hash::{Map, Set};

/// A state as the engine described it, or why it could not.
pub type Fetched<T> = Result<Rc<T>, Failure>;

/// One animation: its history and everything the engine has told about its states.
#[derive(Debug)]
pub struct Session {
    /// Where we were and are.
    pub history: History,
    /// The transitions on offer, grouped and filtered.
    pub groups: Vec<TransitionGroup>,
    views: Map<StateId, Fetched<StateView>>,
    explanations: Map<(StateId, TypeOrdering), Fetched<Explanation>>,
    visited: Set<StateId>,
    grouped: bool,
    filter: String,
    last_event: Option<String>,
    random: u64,
}

/// What taking a transition would do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Preview {
    /// Label, local state before, local state after.
    pub movers: Vec<(String, String, String)>,
    /// How many components stay as they are.
    pub unchanged: usize,
    /// What is known of the target.
    pub target: Target,
}

/// What is known of the target of a transition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// No state of its orbit was visited.
    New,
    /// A state of its orbit was visited.
    VisitedOrbit,
    /// The state itself is on record.
    VisitedState,
    /// It is the present state.
    Here,
    /// It is known to be deadlocked.
    Deadlock,
}

impl Session {
    /// A session at the initial state of a process.
    #[must_use]
    pub fn new(process: &str, state: StateId, seed: u64) -> Self {
        Self {
            history: History::new(process, state),
            groups: Vec::new(),
            views: Map::default(),
            explanations: Map::default(),
            visited: Set::default(),
            grouped: true,
            filter: String::new(),
            last_event: None,
            random: seed,
        }
    }

    /// The present state.
    #[must_use]
    pub fn current(&self) -> StateId {
        self.history.here().state
    }

    /// What the engine said of the present state, if it has answered.
    #[must_use]
    pub fn fetched(&self) -> Option<&Fetched<StateView>> {
        self.views.get(&self.current())
    }

    /// The present state, if it is known and could be evaluated.
    #[must_use]
    pub fn view(&self) -> Option<&Rc<StateView>> {
        self.fetched()?.as_ref().ok()
    }

    /// Any state that is known.
    #[must_use]
    pub fn view_of(&self, state: StateId) -> Option<&Rc<StateView>> {
        self.views.get(&state)?.as_ref().ok()
    }

    /// Whether the engine has answered for a state.
    #[must_use]
    pub fn knows(&self, state: StateId) -> bool {
        self.views.contains_key(&state)
    }

    /// Records what the engine said of a state.
    pub fn learn(&mut self, state: StateId, view: Result<StateView, Failure>) {
        self.views.insert(state, view.map(Rc::new));
        if state == self.current() {
            self.arrived();
        }
    }

    /// How the representative of the present state was computed, if known.
    #[must_use]
    pub fn explanation(&self, order: TypeOrdering) -> Option<&Fetched<Explanation>> {
        self.explanations.get(&(self.current(), order))
    }

    /// Records an explanation.
    pub fn learn_explanation(
        &mut self,
        state: StateId,
        order: TypeOrdering,
        explanation: Result<Explanation, Failure>,
    ) {
        let explanation = explanation.map(Rc::new);
        self.explanations.insert((state, order), explanation);
    }

    /// To be called when the present state, the filter or the grouping has changed.
    fn arrived(&mut self) {
        let orbit = self.view().map(|view| orbit_of(view));
        self.visited.extend(orbit);
        self.groups = self.view().map_or_else(Vec::new, |view| {
            groups::group(view, self.grouped, &self.filter)
        });
    }

    /// Takes a transition of the present state.
    pub fn take(&mut self, transition: &TransitionView) {
        let components = self.view().map_or(&[][..], |view| &view.components);
        let movers = transition.movers.iter().map(|(index, _, after)| {
            let who = components.get(*index).map(ComponentView::label);
            (who.unwrap_or_default(), after.as_str())
        });
        let taken = Taken::new(transition.kind, &transition.event, movers);
        self.history.step(taken, transition.target);
        self.last_event = Some(transition.event.clone()).filter(|event| !event.is_empty());
        self.arrived();
    }

    /// Undoes at most `count` steps; gives how many.
    pub fn undo(&mut self, count: usize) -> usize {
        let done = self.history.undo(count);
        self.arrived();
        done
    }

    /// Redoes at most `count` steps; gives how many.
    pub fn redo(&mut self, count: usize) -> usize {
        let done = self.history.redo(count);
        self.arrived();
        done
    }

    /// Goes to an entry of the history.
    pub fn jump(&mut self, to: NodeId) {
        self.history.jump(to);
        self.arrived();
    }

    /// Goes to the initial state of the present process.
    pub fn restart(&mut self) {
        self.undo(usize::MAX);
    }

    /// Goes to the end of the next branch.
    pub fn next_branch(&mut self) {
        self.history.next_branch();
        self.arrived();
    }

    /// Goes to the initial state of another process, or of this one.
    pub fn open(&mut self, process: &str, state: StateId) {
        self.history.open(process, state);
        self.arrived();
    }

    /// Adds the path of a counterexample as a branch and goes to its first state. `states` are those
    /// that [`super::model::Engine::replay`] gave.
    pub fn load(&mut self, counterexample: &Counterexample, states: &[StateId]) {
        let Some((first, rest)) = states.split_first() else {
            return;
        };
        self.history.open(&counterexample.process, *first);
        let start = self.history.current();
        for (step, state) in counterexample.steps.iter().zip(rest) {
            let movers = step.changes.iter().map(|(index, after)| {
                let who = counterexample.components.get(*index);
                (who.cloned().unwrap_or_default(), after.as_str())
            });
            let taken = Taken::new(step.kind, &step.event, movers);
            self.history.step(taken, *state);
        }
        let end = self.history.current();
        self.history.jump(end);
        let length = rest.len().min(counterexample.steps.len());
        self.history.undo(length);
        debug_assert_eq!(self.history.current(), start);
        self.arrived();
    }

    /// Whether transitions are grouped up to symmetry.
    #[must_use]
    pub fn grouped(&self) -> bool {
        self.grouped
    }

    /// Groups or lists the transitions.
    pub fn set_grouped(&mut self, grouped: bool) {
        self.grouped = grouped;
        self.arrived();
    }

    /// The text that transitions must contain.
    #[must_use]
    pub fn filter(&self) -> &str {
        &self.filter
    }

    /// Shows only transitions that contain a text (in the event or in a component that moves).
    pub fn set_filter(&mut self, filter: &str) {
        self.filter = filter.to_string();
        self.arrived();
    }

    /// A member of a group.
    #[must_use]
    pub fn member(&self, group: usize, member: usize) -> Option<&TransitionView> {
        let group = self.groups.get(group)?;
        let index = group.members.get(member % group.members.len().max(1))?;
        self.view()?.transitions.get(*index)
    }

    /// The event taken last.
    #[must_use]
    pub fn last_event(&self) -> Option<&str> {
        self.last_event.as_deref()
    }

    /// A transition of the present state with the event taken last.
    #[must_use]
    pub fn repeatable(&self) -> Option<&TransitionView> {
        let event = self.last_event.as_deref()?;
        let transitions = &self.view()?.transitions;
        transitions.iter().find(|t| t.event == event)
    }

    /// A transition of the present state chosen by the seeded generator.
    pub fn draw(&mut self) -> Option<TransitionView> {
        let count = self.view()?.transitions.len();
        // SplitMix64: a counter and a finaliser, enough for a walk that must be repeatable.
        self.random = self.random.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.random;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^= z >> 31;
        let at = (z % count.max(1) as u64) as usize;
        self.view()?.transitions.get(at).cloned()
    }

    /// For each component its local state before the last step, where it is another one.
    #[must_use]
    pub fn changed(&self) -> Vec<Option<String>> {
        let Some(now) = self.view() else {
            return Vec::new();
        };
        let parent = self.history.here().parent;
        let before = parent.and_then(|id| self.view_of(self.history.node(id).state));
        let Some(before) = before else {
            return vec![None; now.components.len()];
        };
        let old = |index: usize, label: &str| {
            let same = |c: &&ComponentView| c.label() == label;
            let here = before.components.get(index).filter(same);
            here.or_else(|| before.components.iter().find(same))
        };
        let difference = |(index, c): (usize, &ComponentView)| match old(index, &c.label()) {
            Some(old) if old.text == c.text => None,
            Some(old) => Some(old.text.clone()),
            None => Some("not there".to_string()),
        };
        let components = now.components.iter().enumerate();
        components.map(difference).collect()
    }

    /// What a transition of the present state would do.
    #[must_use]
    pub fn preview(&self, transition: &TransitionView) -> Preview {
        let components = self.view().map_or(&[][..], |view| &view.components);
        let movers = transition.movers.iter().map(|(index, before, after)| {
            let label = components.get(*index).map(|c| c.label());
            (label.unwrap_or_default(), before.clone(), after.clone())
        });
        let still = transition.movers.iter().filter(|(_, a, b)| a == b).count();
        Preview {
            unchanged: (components.len() + still).saturating_sub(transition.movers.len()),
            movers: movers.collect(),
            target: self.target(transition),
        }
    }

    fn target(&self, transition: &TransitionView) -> Target {
        let known = self.view_of(transition.target);
        if transition.target == self.current() {
            Target::Here
        } else if known.is_some_and(|view| view.deadlocked) {
            Target::Deadlock
        } else if known.is_some() {
            Target::VisitedState
        } else if self.visited.contains(&transition.orbit) {
            Target::VisitedOrbit
        } else {
            Target::New
        }
    }

    /// `<a, b>`: the visible events so far.
    #[must_use]
    pub fn trace_text(&self) -> String {
        format!("<{}>", self.history.visible_trace().join(", "))
    }
}

fn orbit_of(view: &StateView) -> StateId {
    view.representative.as_ref().map_or(view.id, |rep| rep.id)
}

/// How a kind of event is written.
#[must_use]
pub fn kind_word(kind: EventKind) -> &'static str {
    match kind {
        EventKind::Tau => "tau",
        EventKind::Tick => "TICK",
        EventKind::Visible => "VISIBLE",
    }
}
