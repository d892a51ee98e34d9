//! A session of the animator: the present state, the possible steps, and the effect of the last step.

use std::collections::VecDeque;
use std::rc::Rc;
use std::sync::Arc;

use super::earlier::earlier_states;
use super::followed::FollowedRun;
use super::groups::{self, TransitionGroup};
use super::history::{History, HistoryId};
use super::model::{
    AskedStrategy, ErrorText, EventKind, Explanation, ReductionView, StateComparison, StateId,
    StateView, StrategyKind, StrategyView, TransitionView, TypeOrdering,
};
use super::neighbourhood::NeighbourStep;
pub use super::preview::{Preview, Target};
use super::replayed::StepDetails;
use super::visits::Visits;
use crate::report::runs::TakenStep;
use crate::source::hash::{IndexMap, Map, Set};

mod recording;

/// A state as the engine described it, or why it could not.
pub type Fetched<T> = Result<Rc<T>, ErrorText>;

/// Lines of cached views: components, transitions and some more for each. A dropped view is requested again.
const LINES_MAX: usize = 100_000;
/// Explanations that are kept.
const EXPLANATIONS_MAX: usize = 200;

/// An animation: its history, a cache of the engine's answers, and the place of the user.
#[derive(Debug)]
pub struct Session {
    /// The history, with the present entry.
    pub history: History,
    /// The transitions on offer, grouped and filtered.
    pub groups: Vec<TransitionGroup>,
    views: Map<StateId, Fetched<StateView>>,
    /// The states of `views`, oldest first, and their total size.
    kept: VecDeque<StateId>,
    lines: usize,
    explanations: IndexMap<(StateId, TypeOrdering), Fetched<Explanation>>,
    strategies: IndexMap<(StateId, StrategyKind), Fetched<StrategyView>>,
    comparisons: IndexMap<(StateId, StateId, AskedStrategy), Fetched<StateComparison>>,
    /// The reduction of each network.
    reductions: Map<u32, Arc<ReductionView>>,
    /// Requests that were cancelled: they are repeated when the user goes on.
    cancelled: Vec<StateId>,
    /// The states where the person was, and their orbits.
    visits: Visits,
    /// States that are known to be deadlocked, visited or not.
    deadlocked: Set<StateId>,
    /// Runs of checks that are branches of the history, those that were loaded last at the end.
    pub(super) runs: Vec<FollowedRun>,
    grouped: bool,
    filter: String,
    pub(super) last_event: Option<String>,
    random: u64,
    /// Fingerprints of the described states, which identify them in another run of the program too.
    prints: Map<StateId, String>,
    /// Details of the steps taken, for a record.
    details: Map<HistoryId, StepDetails>,
}

impl Session {
    /// A session at the initial state of a process.
    #[must_use]
    pub fn new(process: &str, state: StateId, seed: u64) -> Self {
        Self {
            history: History::new(process, state),
            groups: Vec::new(),
            views: Map::default(),
            kept: VecDeque::new(),
            lines: 0,
            explanations: IndexMap::default(),
            strategies: IndexMap::default(),
            comparisons: IndexMap::default(),
            reductions: Map::default(),
            cancelled: Vec::new(),
            visits: Visits::default(),
            deadlocked: Set::default(),
            runs: Vec::new(),
            grouped: true,
            filter: String::new(),
            last_event: None,
            random: seed,
            prints: Map::default(),
            details: Map::default(),
        }
    }

    /// The state at the present place of the history.
    #[must_use]
    pub fn current(&self) -> StateId {
        self.history.here().state
    }

    /// The engine's answer on the present state, if there is one.
    #[must_use]
    pub fn fetched(&self) -> Option<&Fetched<StateView>> {
        self.views.get(&self.current())
    }

    /// The present state, if it is known and could be evaluated.
    #[must_use]
    pub fn view(&self) -> Option<&Rc<StateView>> {
        self.fetched()?.as_ref().ok()
    }

    /// The reduction of the animated process, once one of its states is known.
    #[must_use]
    pub fn reduction(&self) -> Option<&ReductionView> {
        let known = self.reductions.get(&self.current().network);
        known.map(AsRef::as_ref)
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

    /// Records the engine's answer on a state.
    pub fn learn(&mut self, state: StateId, view: Result<StateView, ErrorText>) {
        // Remembered apart from the views, which are dropped in time.
        if view.as_ref().is_ok_and(|view| view.deadlocked) {
            self.deadlocked.insert(state);
        }
        if let Ok(view) = &view {
            let reduction = Arc::clone(&view.reduction);
            self.reductions.insert(state.network, reduction);
            self.note_print(view);
        }
        // Counted in before the old view is counted out: the sum never goes below zero.
        self.lines += lines(&view);
        let view = view.map(Rc::new);
        match self.views.insert(state, view) {
            Some(before) => self.lines -= fetched_lines(&before),
            None => self.kept.push_back(state),
        }
        self.drop_views();
        if state == self.current() {
            self.arrived();
        }
    }

    /// Records that the person did not wait for a state to be described.
    pub fn learn_cancelled(&mut self, state: StateId, failure: ErrorText) {
        self.learn(state, Err(failure));
        self.cancelled.push(state);
    }

    /// Marks failed requests on a state to be repeated, once the user goes on.
    pub fn forget_later(&mut self, state: StateId) {
        self.cancelled.push(state);
    }

    /// Drops the oldest views while there are too many lines; not those that are shown.
    fn drop_views(&mut self) {
        let here = self.history.here();
        let parent = here.parent.map(|id| self.history.node(id).state);
        let shown = [Some(here.state), parent];
        // Each is tried once at most: those on the screen go to the back, and might be the only ones.
        for _ in 0..self.kept.len() {
            if self.lines <= LINES_MAX {
                return;
            }
            let Some(oldest) = self.kept.pop_front() else {
                return;
            };
            if shown.contains(&Some(oldest)) {
                self.kept.push_back(oldest);
            } else if let Some(view) = self.views.remove(&oldest) {
                self.lines -= fetched_lines(&view);
            }
        }
    }

    /// The explanation of a state's representative, if known.
    #[must_use]
    pub fn explanation(
        &self,
        state: StateId,
        order: TypeOrdering,
    ) -> Option<&Fetched<Explanation>> {
        self.explanations.get(&(state, order))
    }

    /// Records how a representative was computed, or why that is not known.
    pub fn learn_explanation(
        &mut self,
        state: StateId,
        order: TypeOrdering,
        explanation: Result<Explanation, ErrorText>,
    ) {
        let explanation = explanation.map(Rc::new);
        // The oldest goes. Removing at the front moves the others, but there are few.
        if self.explanations.len() >= EXPLANATIONS_MAX {
            self.explanations.shift_remove_index(0);
        }
        self.explanations.insert((state, order), explanation);
    }

    /// The choice of a strategy for a state, if known.
    #[must_use]
    pub fn strategy(&self, state: StateId, kind: StrategyKind) -> Option<&Fetched<StrategyView>> {
        self.strategies.get(&(state, kind))
    }

    /// Records how a strategy chooses a representative.
    pub fn learn_strategy(
        &mut self,
        state: StateId,
        kind: StrategyKind,
        answer: Result<StrategyView, ErrorText>,
    ) {
        if self.strategies.len() >= EXPLANATIONS_MAX {
            self.strategies.shift_remove_index(0);
        }
        self.strategies.insert((state, kind), answer.map(Rc::new));
    }

    /// Called when the present entry has changed: cancelled requests get another chance.
    pub(super) fn moved(&mut self) {
        // Only failures are forgotten. The state may have been described since by another request.
        for state in std::mem::take(&mut self.cancelled) {
            if let Some(Err(_)) = self.views.get(&state) {
                self.views.remove(&state);
                self.kept.retain(|kept| *kept != state);
                // A failure counts as one line (`lines`).
                self.lines -= 1;
            }
            let failed = |answer: &Fetched<Explanation>| answer.is_err();
            self.explanations
                .retain(|(of, _), answer| *of != state || !failed(answer));
            self.strategies
                .retain(|(of, _), answer| *of != state || answer.is_ok());
        }
        self.arrived();
    }

    /// To be called when the present state, the filter or the grouping has changed.
    fn arrived(&mut self) {
        // The orbit of a state is known only once the engine has described it. A state that was renamed by hand was
        // not reached by steps, so it does not count as visited.
        let reached = self.history.is_reached(self.history.current());
        if let Some((state, orbit)) = self
            .view()
            .map(|view| (view.id, view.orbit))
            .filter(|_| reached)
        {
            self.visits.record(state, orbit, self.history.current());
        }
        self.groups = self.view().map_or_else(Vec::new, |view| {
            groups::group(view, self.grouped, &self.filter)
        });
    }

    /// Takes a transition of the present state.
    pub fn take(&mut self, transition: &TransitionView) {
        let components = self.view().map_or(&[][..], |view| &view.components);
        let taken = transition.taken(components);
        self.history.step(taken, transition.target);
        // An internal step without a name cannot be repeated by its event.
        self.last_event = Some(transition.event.to_string()).filter(|event| !event.is_empty());
        self.moved();
    }

    /// Goes to the present state renamed by hand.
    pub fn rename(&mut self, cycles: &str, target: StateId) {
        self.history.rename(cycles, target);
        self.moved();
    }

    /// Undoes at most `count` steps. Returns their number.
    pub fn undo(&mut self, count: usize) -> usize {
        let done = self.history.undo(count);
        self.moved();
        done
    }

    /// Redoes at most `count` steps. Returns their number.
    pub fn redo(&mut self, count: usize) -> usize {
        let done = self.history.redo(count);
        self.moved();
        done
    }

    /// Goes to an entry of the history.
    pub fn jump(&mut self, to: HistoryId) {
        self.history.jump(to);
        self.moved();
    }

    /// Goes to the end of the next branch.
    pub fn next_branch(&mut self) {
        self.history.next_branch();
        self.moved();
    }

    /// Goes to the initial state of another process, or of this one.
    pub fn open(&mut self, process: &str, state: StateId) {
        self.history.open(process, state);
        self.moved();
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
        // The selected member goes round, so that one number fits groups of all sizes.
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

    /// The local state of each component before the last step, where it was different.
    #[must_use]
    pub fn changed(&self) -> Vec<Option<String>> {
        let Some(now) = self.view() else {
            return Vec::new();
        };
        let parent = self.history.here().parent;
        let before = parent.and_then(|id| self.view_of(self.history.node(id).state));
        earlier_states(before.map(AsRef::as_ref), now)
    }

    /// The effect of a transition of the present state.
    #[must_use]
    pub fn preview(&self, transition: &TransitionView) -> Preview {
        let components = self.view().map_or(&[][..], |view| &view.components);
        let movers = transition.movers.iter().map(|(index, before, after)| {
            let label = components.get(*index).map(|c| c.label());
            (label.unwrap_or_default(), before.clone(), after.clone())
        });
        // A component that takes part in an event without changing counts as unchanged.
        let still = transition.movers.iter().filter(|(_, a, b)| a == b).count();
        Preview {
            unchanged: (components.len() + still).saturating_sub(transition.movers.len()),
            movers: movers.collect(),
            target: self.target(transition),
            visited: if transition.target == self.current() {
                None
            } else {
                self.visited(transition.target, transition.orbit)
            },
        }
    }

    fn target(&self, transition: &TransitionView) -> Target {
        // The strongest fact first: the present state was visited, too, and a visited state lies in a visited orbit.
        if transition.target == self.current() {
            Target::Here
        } else if self.deadlocked.contains(&transition.target) {
            Target::Deadlock
        } else if self.visits.has(transition.target) {
            Target::VisitedState
        } else if self.visits.has_orbit(transition.orbit) {
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

/// Comparisons of the present state with others.
impl Session {
    /// The comparison of two states, and of their representatives by a strategy, if known.
    #[must_use]
    pub fn comparison(
        &self,
        a: StateId,
        b: StateId,
        by: AskedStrategy,
    ) -> Option<&Fetched<StateComparison>> {
        self.comparisons.get(&(a, b, by))
    }

    /// Records the comparison of two states.
    pub fn learn_comparison(
        &mut self,
        (a, b): (StateId, StateId),
        by: AskedStrategy,
        answer: Result<StateComparison, ErrorText>,
    ) {
        if self.comparisons.len() >= EXPLANATIONS_MAX {
            self.comparisons.shift_remove_index(0);
        }
        self.comparisons.insert((a, b, by), answer.map(Rc::new));
    }

    /// Lets two states be compared again if that has failed: a new request may have larger limits.
    pub fn retry_comparison(&mut self, a: StateId, b: StateId) {
        self.comparisons
            .retain(|(one, other, _), answer| (*one, *other) != (a, b) || answer.is_ok());
        self.explanations
            .retain(|(of, _), answer| ![a, b].contains(of) || answer.is_ok());
        self.strategies
            .retain(|(of, _), answer| ![a, b].contains(of) || answer.is_ok());
    }

    /// The entry where a state was visited, or another one of its orbit; not the present entry.
    #[must_use]
    pub fn visited(&self, state: StateId, orbit: StateId) -> Option<HistoryId> {
        self.visits.nearest(&self.history, state, orbit)
    }

    /// Whether a state was visited.
    #[must_use]
    pub fn was_at(&self, state: StateId) -> bool {
        self.visits.has(state)
    }

    /// Whether an orbit was visited, by its representative.
    #[must_use]
    pub fn was_in_orbit(&self, orbit: StateId) -> bool {
        self.visits.has_orbit(orbit)
    }

    /// The representative of the orbit of a visited state.
    #[must_use]
    pub fn orbit_visited(&self, state: StateId) -> Option<StateId> {
        self.visits.orbit(state)
    }

    /// Goes along transitions of the raw system, one after the other.
    pub fn go_along<'a>(&mut self, steps: impl IntoIterator<Item = &'a NeighbourStep>) {
        for step in steps {
            let movers = step
                .movers
                .iter()
                .map(|(who, to)| (who.clone(), to.as_str()));
            let taken = TakenStep::new(step.kind, &step.event, movers);
            self.history.step(taken, step.target);
            self.last_event = Some(step.event.to_string()).filter(|event| !event.is_empty());
        }
        self.moved();
    }

    /// The entry where the present state was visited before, or another one of its orbit.
    #[must_use]
    pub fn visited_here(&self) -> Option<HistoryId> {
        let view = self.view()?;
        self.visited(view.id, view.orbit)
    }
}

/// The number of lines of a view.
fn lines(view: &Result<StateView, ErrorText>) -> usize {
    view.as_ref().map_or(1, size)
}

fn fetched_lines(view: &Fetched<StateView>) -> usize {
    view.as_ref().map_or(1, |view| size(view))
}

fn size(view: &StateView) -> usize {
    20 + 2 * view.components.len() + view.transitions.len()
}

/// The name of a kind of event in files.
#[must_use]
pub fn kind_word(kind: EventKind) -> &'static str {
    match kind {
        EventKind::Tau => "tau",
        EventKind::Tick => "TICK",
        EventKind::Visible => "VISIBLE",
    }
}
