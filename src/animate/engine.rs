//! The engine behind the screen: states by number, views in words.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::asking::ExplainedView;
use super::conditions::split_outside;
use super::kept_symmetry::KeptSymmetry;
use super::model::{
    AskedStrategy, AssertionInfo, Counterexample, ErrorText, Explanation, FOUND_STATES_MAX,
    FindStart, FoundView, Listing, LoadFailure, PartView, PlacesView, PlannedView, ScriptInfo,
    StateComparison, StateId, StateView, StrategyKind, StrategyView, StructureView, TransitionView,
    TypeOrdering,
};
use super::neighbourhood::{self, Neighbourhood, NeighbourhoodRequest, OrbitMembers};
use super::neighbours::ProcessStates;
use super::openable::{openable, processes};
use super::opened::{AnimatedProcess, Opening};
use crate::report::inputs::inputs;
use crate::report::parted::compact;
use crate::report::{asked, plans, words};
use crate::script::core::Expr;
use crate::script::load::{Loaded, load_within};
use crate::source::diagnostic::Result as Checked;
use crate::source::hash::IndexMap;
use crate::source::{Bounds, Budget, Cancel, Limits, Severity, SourceMap};

/// The error for a state of another engine.
const NOT_OPEN: &str = "no such state is open";

/// Animates the processes of one script.
pub struct ScriptEngine {
    path: PathBuf,
    loaded: Loaded,
    info: ScriptInfo,
    /// The open processes, by text and plan. None is dropped, since the history leads back to all of them.
    networks: IndexMap<(String, Opening), OpenProcess>,
    pub(super) budget: Budget,
}

/// An open process, and the texts that its errors point into.
pub(super) struct OpenProcess {
    pub(super) opened: AnimatedProcess,
    pub(super) sources: Arc<SourceMap>,
    /// The symmetry in its structure, once it was asked for.
    pub(super) symmetry: Option<Box<KeptSymmetry>>,
}

impl ScriptEngine {
    /// Loads a script. The sound part of a script with errors is loaded; the errors are in
    /// [`ScriptInfo::diagnostics`].
    ///
    /// # Errors
    /// When nothing of it can be used.
    pub fn load(path: PathBuf) -> Result<Self, LoadFailure> {
        Self::load_within(path, Limits::default(), &Cancel::default())
    }

    /// Loads a script within limits, which then hold for each request, and until it is cancelled.
    ///
    /// # Errors
    /// When nothing of it can be used.
    pub fn load_within(
        path: PathBuf,
        limits: Limits,
        cancel: &Cancel,
    ) -> Result<Self, LoadFailure> {
        let bounds = Bounds::new(&limits, cancel);
        Self::load_listed(path, limits, cancel, &bounds, Listing::new)
    }

    /// Loads a script while the caller watches its limits. The listing stays empty, which saves much time and memory
    /// in a long script whose text is not shown.
    ///
    /// # Errors
    /// When nothing of it can be used.
    pub fn load_bounded(
        path: PathBuf,
        limits: Limits,
        cancel: &Cancel,
        bounds: &Bounds,
    ) -> Result<Self, LoadFailure> {
        Self::load_listed(path, limits, cancel, bounds, |_| Listing::default())
    }

    fn load_listed(
        path: PathBuf,
        limits: Limits,
        cancel: &Cancel,
        bounds: &Bounds,
        list: impl FnOnce(&Loaded) -> Listing,
    ) -> Result<Self, LoadFailure> {
        let loaded = load_within(&path, None, bounds)
            .map_err(|e| LoadFailure::from(error_texts(&e.diagnostics, &e.sources)))?;
        let listing = Arc::new(list(&loaded));
        // Errors are no obstacle as long as something is sound that can be animated.
        if loaded.has_errors() && loaded.script.globals.is_empty() {
            return Err(LoadFailure {
                errors: error_texts(&loaded.diagnostics, &loaded.sources),
                listing,
            });
        }
        let info = info(&path, &loaded, listing);
        Ok(Self {
            path,
            loaded,
            info,
            networks: IndexMap::default(),
            budget: Budget {
                limits,
                cancel: cancel.clone(),
            },
        })
    }

    /// The loaded script.
    pub(super) fn loaded(&self) -> &Loaded {
        &self.loaded
    }

    /// The files that the script consists of.
    pub fn files(&self) -> impl Iterator<Item = &Path> {
        let files = self.loaded.sources.files().iter();
        files.map(|file| &*file.path)
    }

    /// Compiles a process as the next network.
    fn start(
        &self,
        loaded: &Loaded,
        expr: &Expr,
        opening: &Opening,
    ) -> Result<AnimatedProcess, ErrorText> {
        // The number that the entry will have in `networks`: `at` finds it by that.
        let number = self.networks.len() as u32;
        let opened = AnimatedProcess::new(number, loaded, expr, opening, &self.budget);
        opened.map_err(|d| words::error_text(&d, &loaded.sources))
    }

    /// Opens a process by a plan, unless it is open.
    pub(super) fn open_as(
        &mut self,
        process: &str,
        opening: &Opening,
    ) -> Result<StateId, ErrorText> {
        // An empty name means the first process, so that both are one key.
        let process = match (process, self.info.processes.first()) {
            ("", Some(first)) => first.clone(),
            _ => process.to_owned(),
        };
        // The plan is part of the key: the same process by another plan may be another network,
        // with other states.
        let key = (process, opening.clone());
        if let Some(entry) = self.networks.get(&key) {
            return Ok(entry.opened.initial());
        }
        let entry = self.with_process(&key.0, |loaded, expr| {
            Ok(OpenProcess {
                opened: self.start(loaded, expr, opening)?,
                sources: Arc::clone(&loaded.sources),
                symmetry: None,
            })
        })?;
        let initial = entry.opened.initial();
        self.networks.insert(key, entry);
        Ok(initial)
    }

    /// Does something with the expression that a process is, and with the script that it belongs to.
    pub(super) fn with_process<R>(
        &self,
        process: &str,
        work: impl FnOnce(&Loaded, &Expr) -> Result<R, ErrorText>,
    ) -> Result<R, ErrorText> {
        // Cheapest first: the script's own definitions, and then a script with the expression.
        match self.loaded.process(process) {
            Some(body) => work(&self.loaded, body),
            None => self.with_given(process, work),
        }
    }

    /// Runs a request on any expression: the script is loaded again, with the expression as a definition.
    fn with_given<R>(
        &self,
        process: &str,
        work: impl FnOnce(&Loaded, &Expr) -> Result<R, ErrorText>,
    ) -> Result<R, ErrorText> {
        let loaded = load_within(&self.path, Some(process), &self.budget.bounds())
            .map_err(|e| words::error_text(&e.diagnostics[0], &e.sources))?;
        // The script may have errors of its own, which are known. Only errors of the expression are shown.
        let fresh = |d: &&crate::source::Diagnostic| {
            d.severity == Severity::Error && !self.loaded.diagnostics.contains(d)
        };
        if let Some(error) = loaded.diagnostics.iter().find(fresh) {
            return Err(words::error_text(error, &loaded.sources));
        }
        match loaded.given() {
            Some(body) => work(&loaded, body),
            None => Err(ErrorText::line(format!("`{process}` is not a process"))),
        }
    }

    /// Runs something on the network of a state, with its diagnostics as failures.
    pub(super) fn at<R>(
        &mut self,
        state: StateId,
        work: impl FnOnce(&mut AnimatedProcess) -> Checked<R>,
    ) -> Result<R, ErrorText> {
        let entry = self.entry(state)?;
        work(&mut entry.opened).map_err(|d| words::error_text(&d, &entry.sources))
    }

    /// The text by which the process of a state was opened.
    pub(super) fn process_of(&self, state: StateId) -> Result<&str, ErrorText> {
        let entry = self.networks.get_index(state.network as usize);
        let found = entry.map(|((process, _), _)| process.as_str());
        found.ok_or_else(|| ErrorText::line(NOT_OPEN))
    }

    /// The process of a state, within the limits of a request.
    pub(super) fn entry(&mut self, state: StateId) -> Result<&mut OpenProcess, ErrorText> {
        let entry = self.networks.get_index_mut(state.network as usize);
        // Ids come from outside: one of another engine must not be taken for one of this.
        let Some((_, entry)) = entry.filter(|(_, entry)| entry.opened.has(state)) else {
            return Err(ErrorText::line(NOT_OPEN));
        };
        // Each request has its own flag, and memory counted from the present use.
        entry.opened.bound(&self.budget);
        Ok(entry)
    }
}

fn error_texts(diagnostics: &[crate::source::Diagnostic], sources: &SourceMap) -> Vec<ErrorText> {
    diagnostics
        .iter()
        .map(|d| words::error_text(d, sources))
        .collect()
}

fn info(path: &Path, loaded: &Loaded, listing: Arc<Listing>) -> ScriptInfo {
    let script = &loaded.script;
    let assertions = script
        .assertions
        .iter()
        .enumerate()
        .map(|(n, a)| AssertionInfo {
            number: n + 1,
            text: a.text.to_string(),
            symmetry: a.symmetry.is_some(),
            place: loaded.sources.place(a.span),
            question: asked::question(loaded, a),
        })
        .collect();
    ScriptInfo {
        path: path.display().to_string(),
        processes: processes(loaded),
        openable: openable(loaded),
        assertions,
        types: plans::types_of_script(loaded),
        diagnostics: error_texts(&loaded.diagnostics, &loaded.sources),
        trace: start_trace(&loaded.sources),
        inputs: inputs(&loaded.sources),
        listing,
    }
}

/// The events of a line `-- orbitscope: trace <a, b.c>` of the main file: where the animator starts.
fn start_trace(sources: &SourceMap) -> Vec<String> {
    let Some(file) = sources.files().first() else {
        return Vec::new();
    };
    let directive = |line: &str| {
        line.trim_start()
            .strip_prefix("-- orbitscope: trace ")
            .map(split_trace)
    };
    file.text.lines().find_map(directive).unwrap_or_default()
}

/// Splits the events of `<a, b.(c, d)>` from a user: at commas outside brackets and strings.
#[must_use]
pub fn split_trace(text: &str) -> Vec<String> {
    let text = text.trim();
    let text = text
        .strip_prefix('<')
        .and_then(|t| t.strip_suffix('>'))
        .unwrap_or(text);
    // Events are compared without white space.
    let events = split_outside(text, ',').into_iter().map(compact);
    events.filter(|event| !event.is_empty()).collect()
}

/// The requests of the animator.
impl ScriptEngine {
    /// Facts about the loaded script.
    pub fn info(&self) -> &ScriptInfo {
        &self.info
    }

    /// Sets the flag that cancels the next requests: called before each of them, with a flag of its own.
    pub fn cancelled_by(&mut self, cancel: &Cancel) {
        self.budget.cancel = cancel.clone();
    }

    /// Starts a process: a name, or any process expression over the script. Opening the same process again in the
    /// same way gives the same network.
    ///
    /// # Errors
    /// A diagnostic of the expression or of its first evaluation.
    pub fn open(&mut self, process: &str) -> Result<StateId, ErrorText> {
        self.open_as(process, &Opening::Best)
    }

    /// A state with its transitions and representative.
    ///
    /// # Errors
    /// An evaluation error in one of the successors.
    pub fn view(&mut self, state: StateId) -> Result<StateView, ErrorText> {
        self.at(state, |open| open.view(state))
    }

    /// Explains how the representative of a state was computed.
    ///
    /// # Errors
    /// The errors of [`Self::view`], and the reason if there is no symmetry.
    pub fn explain(
        &mut self,
        state: StateId,
        order: TypeOrdering,
    ) -> Result<Explanation, ErrorText> {
        self.at(state, |open| open.explain(state, order))
    }

    /// Explains how a strategy chooses the representative of a state.
    ///
    /// # Errors
    /// The errors of [`Self::explain`].
    pub fn strategy(
        &mut self,
        state: StateId,
        kind: StrategyKind,
    ) -> Result<StrategyView, ErrorText> {
        self.at(state, |open| open.strategy(state, kind))
    }

    /// Describes a state with its representative by a strategy, and the record of the choice; without a record where
    /// nothing is permuted, or components are.
    ///
    /// # Errors
    /// The errors of [`Self::view`], and a strategy that does not apply.
    pub fn explained(
        &mut self,
        state: StateId,
        by: AskedStrategy,
    ) -> Result<ExplainedView, ErrorText> {
        self.at(state, |open| open.explained(state, by))
    }

    /// Compares two states of one process, and their representatives by a strategy: of one orbit, by which
    /// permutation, or why not.
    ///
    /// # Errors
    /// The errors of [`Self::explain`], states of different processes, and a strategy that does not apply.
    pub fn compare(
        &mut self,
        a: StateId,
        b: StateId,
        by: AskedStrategy,
    ) -> Result<StateComparison, ErrorText> {
        self.at(a, |open| open.compare(a, b, by))
    }

    /// Computes the neighbourhood of a state.
    ///
    /// # Errors
    /// The state cannot be described, or the request was cancelled.
    pub fn neighbourhood(
        &mut self,
        asked: &NeighbourhoodRequest,
    ) -> Result<Neighbourhood, ErrorText> {
        let entry = self.entry(asked.state)?;
        let known = |state: &StateId| entry.opened.has(*state);
        let asked = NeighbourhoodRequest {
            before: asked.before.iter().copied().filter(known).collect(),
            path: asked.path.iter().copied().filter(known).collect(),
            ..asked.clone()
        };
        let mut source = ProcessStates {
            open: &mut entry.opened,
            sources: &entry.sources,
        };
        neighbourhood::around(&mut source, &asked)
    }

    /// The states of the orbit of a state.
    ///
    /// # Errors
    /// The errors of [`Self::explain`].
    pub fn members(&mut self, state: StateId) -> Result<OrbitMembers, ErrorText> {
        self.at(state, |open| open.members(state))
    }

    /// Describes the structure of a state's network, and which components wait for which.
    ///
    /// # Errors
    /// The errors of [`Self::view`].
    pub fn structure(&mut self, state: StateId) -> Result<StructureView, ErrorText> {
        self.at(state, |open| open.structure(state))
    }

    /// Describes a node of that tree in detail, by its place in the list.
    ///
    /// # Errors
    /// The errors of [`Self::view`], and a missing node.
    pub fn part(&mut self, state: StateId, node: usize) -> Result<PartView, ErrorText> {
        self.at(state, |open| open.part(state, node))
    }

    /// Finds the components of a state in the text, and the part of it that each component takes in a transition.
    ///
    /// # Errors
    /// The errors of [`Self::view`].
    pub fn places(
        &mut self,
        state: StateId,
        transition: Option<&TransitionView>,
    ) -> Result<PlacesView, ErrorText> {
        self.at(state, |open| open.places(state, transition))
    }

    /// The shortest way to a state of which a condition holds.
    ///
    /// # Errors
    /// Errors in the condition, and those of [`Self::view`].
    pub fn find(
        &mut self,
        state: StateId,
        start: FindStart,
        condition: &str,
    ) -> Result<FoundView, ErrorText> {
        self.find_state(state, start, condition, FOUND_STATES_MAX)
    }

    /// Evaluates a condition on a state.
    ///
    /// # Errors
    /// The errors of [`Self::find`].
    pub fn holds(&mut self, state: StateId, condition: &str) -> Result<bool, ErrorText> {
        self.holds_of(state, condition)
    }

    /// Plans the check of an assertion (from 1), with reduction as it asks for, on or off.
    ///
    /// # Errors
    /// Why it cannot be checked.
    pub fn planned(
        &mut self,
        number: usize,
        symmetry: Option<bool>,
    ) -> Result<PlannedView, ErrorText> {
        plans::planned(&self.loaded, number, symmetry)
    }

    /// Replays a counterexample from the initial state of its process. Returns its states, the initial one first.
    ///
    /// # Errors
    /// Says which step could not be followed.
    pub fn replay(&mut self, counterexample: &Counterexample) -> Result<Vec<StateId>, ErrorText> {
        let Some(keys) = &counterexample.keys else {
            return Err(ErrorText::line(
                "the states of the counterexample are unknown",
            ));
        };
        let process = &counterexample.process;
        // First on the network that the person animates anyway.
        self.follow_keys(process, keys, &Opening::Best)
            .or_else(|failed| {
                // A network that changes may have other components where other values are permuted, and compressed
                // states have other names.
                let opening = Opening::AsChecked(keys.plan.clone());
                let done = self.follow_keys(process, keys, &opening);
                done.map_err(|_| failed)
            })
    }
}
