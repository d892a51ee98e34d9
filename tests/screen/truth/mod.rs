//! The raw system beside a screen: whatever any view says of states is held to it.
//!
//! A place of the history may stand for several raw states, since an event may lead to several: those that the
//! steps to it can lead to are followed, and at each place the one is kept that reads as what is shown.

mod places;
mod representatives;
mod searches;

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use orbitscope::animate::comparison::RelationView;
use orbitscope::animate::history::HistoryId;
use orbitscope::animate::model::{
    ComponentView, Counterexample, EventKind, StateId, StateView, UniquenessView,
};
use orbitscope::animate::neighbourhood::{Neighbourhood, NeighbourhoodRequest};
use orbitscope::animate::session::{Session, Target};
use orbitscope::animate::worker::{Reply, Request};
use orbitscope::source::Limits;
use orbitscope::tui::app::{App, Status};

use crate::net::{Bounds, State, Step, is_cut};
use crate::oracle::Oracle;
use places::raw_states;

/// Whether a claim was looked at, or what is wrong with it.
type Held = Result<(), String>;

/// Boxes of a graph that are looked at.
const BOXES_MAX: usize = 60;

/// A file, what is in it, and what bounds its engine.
type ScriptKey = (PathBuf, String, Bounds);

thread_local! {
    /// Raw systems that are not needed just now: to make one takes long.
    static POOL: RefCell<BTreeMap<(ScriptKey, String), Option<Oracle>>> = RefCell::default();
}

impl Drop for Truth {
    fn drop(&mut self) {
        let oracles = std::mem::take(&mut self.oracles);
        let Some(script) = self.script.take() else {
            return;
        };
        let _ = POOL.try_with(|pool| {
            let back = oracles.into_iter();
            let back = back.map(|(process, oracle)| ((script.clone(), process), oracle));
            pool.borrow_mut().extend(back);
        });
    }
}

/// What is known of the raw system.
#[derive(Default)]
pub struct Truth {
    /// By process: none for those that cannot be compared.
    oracles: BTreeMap<String, Option<Oracle>>,
    bounds: Bounds,
    /// What the script is.
    script: Option<ScriptKey>,
    /// The raw states that a place of the history may stand for.
    places: BTreeMap<HistoryId, Vec<State>>,
    /// The process of each network.
    processes: BTreeMap<u32, String>,
    /// Where the test saw the person: network, and texts of state and orbit.
    visited: BTreeSet<(u32, Vec<String>)>,
    orbits: BTreeSet<(u32, Vec<String>)>,
    /// What each number stands for.
    texts: BTreeMap<StateId, Vec<String>>,
    /// What was looked at last of what is held once only.
    graph: Option<(NeighbourhoodRequest, Rc<Neighbourhood>)>,
    found: Vec<Counterexample>,
}

fn texts_of(components: &[ComponentView]) -> Vec<String> {
    components.iter().map(|c| c.text.clone()).collect()
}

impl Truth {
    /// What an engine with these limits shows.
    pub fn of_engine(limits: &Limits) -> Self {
        let mut truth = Self::default();
        truth.bounds = limits.into();
        truth
    }

    /// Holds all that is said of states.
    pub fn compare(&mut self, path: &Path, app: &App) -> Held {
        self.compare_found(path, app)?;
        let Some(session) = &app.session else {
            return Ok(());
        };
        let Some((process, state)) = self.compare_here(path, session)? else {
            return Ok(());
        };
        let network = session.current().network;
        self.compare_targets(session, &process, &state)?;
        if let Some(view) = session.view() {
            self.compare_previews(session, view)?;
            self.compare_representative(&process, view)?;
        }
        self.compare_orbit(app, &process)?;
        self.compare_graph(app, &process, &state)?;
        self.compare_members(app, &process, network)?;
        self.compare_pair(app, &process, network)?;
        self.compare_structure(app, &process, &state)
    }

    fn oracle(&mut self, path: &Path, process: &str) -> Option<&mut Oracle> {
        if !self.oracles.contains_key(process) {
            let script = self.script.get_or_insert_with(|| {
                let text = std::fs::read_to_string(path).unwrap_or_default();
                (path.to_path_buf(), text, self.bounds)
            });
            let key = (script.clone(), process.to_owned());
            let made = POOL.with(|pool| pool.borrow_mut().remove(&key));
            let made = made.unwrap_or_else(|| Oracle::open(path, process, self.bounds));
            self.oracles.insert(process.to_owned(), made);
        }
        self.oracles.get_mut(process)?.as_mut()
    }

    fn known(&mut self, process: &str) -> Option<&mut Oracle> {
        self.oracles.get_mut(process)?.as_mut()
    }

    /// That a number always stands for the same state.
    fn note(&mut self, id: StateId, texts: &[String]) -> Held {
        let before = self.texts.entry(id).or_insert_with(|| texts.to_vec());
        match *before == texts {
            true => Ok(()),
            false => Err(format!("{id:?} is {before:?} and {texts:?}")),
        }
    }

    /// The present state; the process and the raw state, if it can be held to one.
    fn compare_here(
        &mut self,
        path: &Path,
        session: &Session,
    ) -> Result<Option<(String, State)>, String> {
        let process = session.history.process().to_owned();
        let network = session.current().network;
        let before = self.processes.entry(network).or_insert(process.clone());
        if *before != process {
            return Err(format!("{before} and {process} are one network"));
        }
        if self.oracle(path, &process).is_none() {
            return Ok(None);
        }
        let Some(Some(oracle)) = self.oracles.get_mut(&process) else {
            return Ok(None);
        };
        let here = session.history.current();
        let places = &mut self.places;
        let history = &session.history;
        for place in history
            .ids()
            .filter(|id| history.node(*id).state.network == network)
        {
            raw_states(oracle, places, session, place);
            let node = history.node(place);
            if places.get(&place).is_some_and(Vec::is_empty) && history.is_reached(place) {
                return Err(format!("{:?} of {:?} is no step", node.origin, node.parent));
            }
        }
        let Some(view) = session.view().filter(|_| history.is_reached(here)) else {
            return Ok(None);
        };
        let shown = texts_of(&view.components);
        if shown.iter().any(|text| text.contains("(expression)")) {
            // It is called otherwise where it is a definition of its own.
            return Ok(None);
        }
        let candidates = places.get_mut(&here).ok_or("no place")?;
        candidates.retain(|state| oracle.raw.texts(state) == shown);
        let Some(state) = candidates.first().cloned() else {
            return Err(format!("{shown:?} is not where the history leads"));
        };
        oracle.compare(&state, view)?;
        if let Some(rep) = &view.representative
            && matches!(
                rep.uniqueness,
                UniquenessView::Proved(_) | UniquenessView::AllPicksAgree(_)
            )
            && oracle.several_representatives(&shown)
        {
            return Err(format!("{}, but it is not", rep.uniqueness.badge()));
        }
        self.visited.insert((network, shown.clone()));
        let orbit = oracle.orbit_of(&shown);
        self.orbits
            .extend(orbit.map(|orbit| (network, orbit.least.clone())));
        self.note(view.id, &shown)?;
        Ok(Some((process, state)))
    }

    /// Where transitions lead: to what was visited, or not.
    fn compare_targets(&mut self, session: &Session, process: &str, state: &State) -> Held {
        let network = session.current().network;
        let Some(Some(oracle)) = self.oracles.get_mut(process) else {
            return Ok(());
        };
        let Some(view) = session.view() else {
            return Ok(());
        };
        let passed: BTreeSet<Vec<String>> = session
            .history
            .ids()
            .filter(|id| session.history.node(*id).state.network == network)
            .filter_map(|id| self.places.get(&id))
            .flatten()
            .map(|state| oracle.raw.texts(state))
            .collect();
        let here = oracle.raw.texts(state);
        let steps = oracle.raw.steps(state).unwrap_or_default();
        for transition in &view.transitions {
            let said = session.preview(transition).target;
            let target = steps.iter().find(|((kind, event, texts), _)| {
                *kind == transition.kind
                    && transition.event == *event
                    && transition
                        .movers
                        .iter()
                        .all(|(at, _, after)| texts.get(*at).is_some_and(|text| *after == *text))
            });
            let Some(((_, event, texts), target)) = target else {
                return Err(format!("{transition:?} is no step"));
            };
            let alone = steps
                .iter()
                .filter(|((_, e, t), _)| e == event && t != texts)
                .count()
                == 0;
            if !alone && transition.movers.len() < texts.len() {
                // Another step with the same event may be meant.
                continue;
            }
            let orbit = oracle.orbit_of(texts).map(|orbit| orbit.least.clone());
            let seen = self.visited.contains(&(network, texts.clone()));
            let orbit_seen = orbit
                .as_ref()
                .is_some_and(|o| self.orbits.contains(&(network, o.clone())));
            let wrong = match said {
                Target::Here => *texts != here,
                Target::Deadlock => oracle.raw.steps(target).is_some_and(|s| !s.is_empty()),
                Target::VisitedState => !passed.contains(texts),
                Target::VisitedOrbit => {
                    orbit.is_some()
                        && !orbit_seen
                        && passed.iter().all(|p| {
                            oracle
                                .orbit_of(p)
                                .is_some_and(|of| Some(&of.least) != orbit.as_ref())
                        })
                }
                // Two states whose texts are cut may read alike.
                Target::New => (seen || orbit_seen) && !is_cut(texts),
            };
            if wrong {
                return Err(format!("{event} to {texts:?}: {said:?} is said"));
            }
        }
        Ok(())
    }

    /// What is said of a step before it is taken: who moves, from where to where.
    fn compare_previews(&mut self, session: &Session, view: &StateView) -> Held {
        let here = texts_of(&view.components);
        for transition in &view.transitions {
            let preview = session.preview(transition);
            if preview.movers.len() != transition.movers.len() {
                return Err(format!("{preview:?} of {transition:?}"));
            }
            for ((label, before, after), (at, from, to)) in
                preview.movers.iter().zip(&transition.movers)
            {
                // Where an operator ends, there may be more components than before.
                let component = view.components.get(*at);
                let named = component.is_none_or(|c| c.label() == *label && *before == c.text);
                if before != from || after != to || !named {
                    return Err(format!("{preview:?} of {transition:?} in {here:?}"));
                }
            }
            if let Some(texts) = self.texts.get(&transition.target)
                && texts.len() == here.len()
            {
                let mut after = here.clone();
                for (at, _, to) in &transition.movers {
                    if let Some(place) = after.get_mut(*at) {
                        *place = to.to_string();
                    }
                }
                if after != *texts {
                    return Err(format!("{transition:?} leads to {texts:?}"));
                }
            }
        }
        Ok(())
    }

    /// The state and the representative that Orbit is about.
    fn compare_orbit(&mut self, app: &App, process: &str) -> Held {
        let Some(view) = app.session.as_ref().and_then(Session::view) else {
            return Ok(());
        };
        let here = texts_of(&view.components);
        if let Some(told) = app.explanation() {
            if texts_of(&told.components) != here {
                return Err(format!(
                    "Orbit explains {:?} at {here:?}",
                    texts_of(&told.components)
                ));
            }
            let chosen = texts_of(&told.representative.components);
            if let Some(oracle) = self.known(process)
                && oracle.is_in_orbit(&here, &chosen) == Some(false)
            {
                return Err(format!("Orbit comes from {here:?} to {chosen:?}"));
            }
        }
        Ok(())
    }

    /// Boxes, what leads to them, and the edges between them.
    fn compare_graph(&mut self, app: &App, process: &str, state: &State) -> Held {
        let Some((asked, Ok(told))) = &app.graph.known else {
            return Ok(());
        };
        let here = app.session.as_ref().map(Session::current);
        let is_same = |(before, boxes): &(NeighbourhoodRequest, Rc<Neighbourhood>)| {
            before == asked && Rc::ptr_eq(boxes, told)
        };
        if here != Some(asked.state) || self.graph.as_ref().is_some_and(is_same) {
            return Ok(());
        }
        // Boxes of which the texts are cut may stand for several states.
        let mut raw = BTreeMap::from([(told.current, vec![state.clone()])]);
        for (at, place) in told.boxes.iter().enumerate().take(BOXES_MAX) {
            let texts = texts_of(&place.components);
            self.note(place.state, &texts)?;
            let oracle = self.known(process).ok_or("no raw system")?;
            if let Some((from, step)) = &place.way {
                let Some(before) = raw.get(from) else {
                    continue;
                };
                let mut reached: Vec<State> = Vec::new();
                for before in before {
                    let steps = oracle.raw.steps(before).unwrap_or_default();
                    reached.extend(steps.into_iter().filter_map(
                        |((kind, event, after), target)| {
                            let is_it =
                                (kind, &after) == (step.kind, &texts) && step.event == event;
                            is_it.then_some(target)
                        },
                    ));
                }
                if reached.is_empty() {
                    return Err(format!("no {} leads to the box {texts:?}", step.event));
                }
                reached.sort_unstable();
                reached.dedup();
                raw.insert(at, reached);
            }
            let Some([state]) = raw.get(&at).map(Vec::as_slice) else {
                // It was passed on the way here, where it was held to the raw system, or it may be several states.
                continue;
            };
            if oracle.raw.texts(state) != texts {
                return Err(format!("the box {at} is {texts:?}"));
            }
            oracle.pass(state);
            let Some(steps) = oracle.raw.steps(state) else {
                continue;
            };
            if place.expanded && place.failure.is_none() {
                let targets: BTreeSet<&Step> = steps.iter().map(|(step, _)| step).collect();
                let said = place.transitions + place.omitted;
                if said < targets.len() || said > steps.len() {
                    return Err(format!("{said} steps of {texts:?}, not {}", targets.len()));
                }
                if place.deadlocked != (steps.is_empty() && !place.terminated) {
                    return Err(format!("{texts:?}: deadlocked is {}", place.deadlocked));
                }
            }
            if let (Some(size), Some(orbit)) = (&place.size, oracle.orbit_of(&texts))
                && !asked.full
                && size.to_string() != orbit.size.to_string()
            {
                return Err(format!("{size} states like {texts:?}, not {}", orbit.size));
            }
        }
        for edge in &told.edges {
            let Some(before) = raw.get(&edge.from) else {
                continue;
            };
            let oracle = self.known(process).ok_or("no raw system")?;
            let steps = before.iter().flat_map(|state| oracle.raw.steps(state));
            let steps: Vec<(Step, State)> = steps.flatten().collect();
            for step in &edge.steps {
                let same = |((kind, event, _), _): &(Step, State)| {
                    *kind == step.kind && step.event == *event
                };
                if !steps.iter().any(same) {
                    return Err(format!("no {} from the box {}", step.event, edge.from));
                }
            }
        }
        self.graph = Some((asked.clone(), Rc::clone(told)));
        Ok(())
    }

    /// The states that a box is taken apart into.
    fn compare_members(&mut self, app: &App, process: &str, network: u32) -> Held {
        let Some(unfolding) = &app.graph.unfolding else {
            return Ok(());
        };
        let Some(Ok(told)) = &unfolding.members else {
            return Ok(());
        };
        if unfolding.state.network != network {
            return Ok(());
        }
        let first = told.members.first().ok_or("an orbit without states")?;
        let of = texts_of(&first.components);
        for member in &told.members {
            let texts = texts_of(&member.components);
            self.note(member.state, &texts)?;
            let oracle = self.known(process).ok_or("no raw system")?;
            if oracle.is_in_orbit(&of, &texts) == Some(false) {
                return Err(format!("{texts:?} is not of the orbit of {of:?}"));
            }
        }
        Ok(())
    }

    /// What two states are to each other.
    fn compare_pair(&mut self, app: &App, process: &str, network: u32) -> Held {
        let Some(((a, b), session)) = app.compare.states().zip(app.session.as_ref()) else {
            return Ok(());
        };
        let Some(Ok(told)) = session.comparison(a, b, app.compare.by) else {
            return Ok(());
        };
        if a.network != network || b.network != network {
            return Ok(());
        }
        let (left, right) = (texts_of(&told.a.components), texts_of(&told.b.components));
        self.note(a, &left)?;
        self.note(b, &right)?;
        let oracle = self.known(process).ok_or("no raw system")?;
        let related = oracle.is_in_orbit(&left, &right);
        let wrong = match &told.relation {
            RelationView::Same => left != right,
            RelationView::SameOrbit(_) => related == Some(false),
            RelationView::Different(_) => related == Some(true),
            _ => false,
        };
        match wrong {
            true => Err(format!("{left:?} and {right:?}: {:?}", told.relation)),
            false => Ok(()),
        }
    }

    /// What each component does in the present state.
    fn compare_structure(&mut self, app: &App, process: &str, state: &State) -> Held {
        let here = app.session.as_ref().map(Session::current);
        let reply = here.and_then(|here| app.answers.get(&Request::Structure(here)));
        let Some(Reply::Structure(_, Ok(told))) = reply else {
            return Ok(());
        };
        let oracle = self.known(process).ok_or("no raw system")?;
        let texts = oracle.raw.texts(state);
        let shown: Vec<&String> = told.components.iter().map(|c| &c.state).collect();
        if !shown.iter().copied().eq(&texts) {
            return Err(format!("Structure shows {shown:?} at {texts:?}"));
        }
        let Some(steps) = oracle.raw.steps(state) else {
            return Ok(());
        };
        let quiet = |((kind, _, _), _): &(Step, State)| *kind == EventKind::Visible;
        let visible: BTreeSet<&String> = steps
            .iter()
            .filter(|s| quiet(s))
            .map(|((_, event, _), _)| event)
            .collect();
        let has = |wanted| steps.iter().any(|((kind, _, _), _)| *kind == wanted);
        let silent = [EventKind::Tau, EventKind::Tick].map(|kind| usize::from(has(kind)));
        if told.initials.count != visible.len() + silent[0] + silent[1] {
            let count = told.initials.count;
            return Err(format!("{count} events are said, {visible:?} are possible"));
        }
        let stuck = steps.is_empty();
        if (told.is_deadlock || told.is_terminated) != stuck
            || told.is_stable != steps.iter().all(quiet)
        {
            return Err(format!("{} at {texts:?}", told.headline()));
        }
        Ok(())
    }

    /// Counterexamples: each is a run of its process.
    fn compare_found(&mut self, path: &Path, app: &App) -> Held {
        for status in &app.checks.status {
            let Status::Done(outcome) = status else {
                continue;
            };
            let Some(found) = &outcome.counterexample else {
                continue;
            };
            if self.found.contains(found) {
                continue;
            }
            self.found.push(found.clone());
            self.compare_run(path, found)?;
        }
        Ok(())
    }

    fn compare_run(&mut self, path: &Path, found: &Counterexample) -> Held {
        let Some(oracle) = self.oracle(path, &found.process) else {
            return Ok(());
        };
        if found.initial.iter().any(|t| t.contains("(expression)")) {
            return Ok(());
        }
        let mut states = vec![oracle.raw.initial()];
        let mut texts: Vec<String> = found.initial.iter().map(ToString::to_string).collect();
        states.retain(|state| oracle.raw.texts(state) == texts);
        for (number, step) in found.steps.iter().enumerate() {
            match &step.components {
                Some(all) if all.len() != texts.len() => {
                    texts = vec![String::new(); all.len()];
                }
                _ => {}
            }
            for (at, to) in &step.changes {
                let place = texts.get_mut(*at).ok_or("a component that is not there")?;
                *place = to.to_string();
            }
            let mut after: Vec<State> = Vec::new();
            for state in &states {
                for ((kind, event, to), target) in oracle.raw.steps(state).unwrap_or_default() {
                    let same = kind == step.kind && step.event == event && to == texts;
                    if same && !after.contains(&target) {
                        after.push(target);
                    }
                }
            }
            if after.is_empty() {
                return Err(format!(
                    "step {} of the counterexample, {}, does not lead to {texts:?}",
                    number + 1,
                    step.event
                ));
            }
            states = after;
        }
        Ok(())
    }
}
