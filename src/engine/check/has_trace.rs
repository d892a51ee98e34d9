//! `P :[has trace]: <…>`.
//!
//! In the traces model, `P` can perform the trace. In the failures model, moreover, after no proper prefix of the trace
//! has it a stable state that refuses the next event: an environment that insists on the trace gets it, however `P`
//! resolves its choices. In the failures-divergences model, moreover, it diverges after no proper prefix.
//!
//! Only states after prefixes of the trace are explored, prefix by prefix. Symmetry would save little, so the system is
//! never reduced.

use super::conclude::Conclusion;
use super::outcome::{CheckVerdict, RawCounterexample, RunEnding};
use crate::machine::{EventId, Machine};
use crate::process::term::Label;
use crate::script::core::{Expr, Model};
use crate::search::breadth_first::{Figures, LazyProduct, SearchControl, Stop};
use crate::search::counterexample::{ProductTransition, RawRun, moves, raw_step};
use crate::search::product::ProductState;
use crate::source::WorkStage;
use crate::source::diagnostic::Result;
use crate::source::hash::{IndexMap, IndexSet};
use crate::specification::settle;

/// The trace to follow, in a model.
#[derive(Clone, Debug)]
pub struct Trace {
    pub events: Vec<EventId>,
    pub model: Model,
}

impl Trace {
    /// Evaluates the trace of an expression.
    ///
    /// # Errors
    /// An error of the evaluation, or a value that is not an event.
    pub fn new(machine: &mut Machine, e: &Expr, model: Model) -> Result<Self> {
        let events = machine.eval.trace(e)?.into_iter();
        let events = events.map(|event| machine.intern_event(Label::Event(event)));
        Ok(Self {
            events: events.collect(),
            model,
        })
    }
}

/// The answer, with a run unless a limit came first.
#[derive(Debug)]
pub enum TraceAnswer {
    /// The process has the trace; the run performs it.
    Has(RawCounterexample),
    /// The process lacks the trace; the run shows why.
    Lacks(RawCounterexample),
    /// A limit or a cancellation.
    Stopped(Stop),
}

impl TraceAnswer {
    /// The conclusion for the assertion.
    #[must_use]
    pub fn conclusion(self) -> Conclusion {
        let (verdict, counterexample) = match self {
            Self::Has(run) => (CheckVerdict::Holds, Some(run)),
            Self::Lacks(run) => (CheckVerdict::Fails, Some(run)),
            Self::Stopped(stop) => (CheckVerdict::Stopped(stop), None),
        };
        Conclusion {
            verdict,
            counterexamples: counterexample.into_iter().collect(),
            represented: None,
            missing: Vec::new(),
        }
    }
}

fn shown(ending: RunEnding, run: RawRun) -> RawCounterexample {
    RawCounterexample {
        ending,
        run,
        further: Vec::new(),
    }
}

/// A state after a prefix, and the step by which it was first reached.
struct TracedState {
    at: ProductState,
    from: Option<(usize, ProductTransition)>,
}

/// The states after one prefix.
#[derive(Default)]
struct Layer {
    /// The index of the first of them in the visits; the others follow.
    first: usize,
    /// For each, the targets of its τ steps, counted from the first.
    quiet: Vec<Vec<usize>>,
    /// Visible events and ✓ that some of them perform.
    offered: IndexSet<EventId>,
    /// A stable state that refuses the next event.
    refusing: Option<usize>,
    /// The states after the next event.
    next: Vec<TracedState>,
}

struct TraceSearch<'a, 's> {
    lazy: &'a mut LazyProduct<'s>,
    visits: Vec<TracedState>,
    figures: Figures,
}

/// Follows the trace.
///
/// # Errors
/// An evaluation error of a state that the trace reaches.
pub fn follow(
    lazy: &mut LazyProduct<'_>,
    trace: &Trace,
    control: &mut SearchControl<'_>,
) -> Result<(Figures, TraceAnswer)> {
    let initial = TracedState {
        at: ProductState::initial(lazy.network),
        from: None,
    };
    let mut walk = TraceSearch {
        lazy,
        visits: Vec::new(),
        figures: Figures::default(),
    };
    let answer = walk.answer(initial, trace, control)?;
    walk.figures.states = walk.visits.len();
    (control.progress)(&walk.figures);
    Ok((walk.figures, answer))
}

impl TraceSearch<'_, '_> {
    fn answer(
        &mut self,
        initial: TracedState,
        trace: &Trace,
        control: &mut SearchControl<'_>,
    ) -> Result<TraceAnswer> {
        let mut starts = vec![initial];
        for (done, event) in trace.events.iter().enumerate() {
            let layer = match self.layer(starts, *event, control)? {
                Ok(layer) => layer,
                Err(stop) => return Ok(TraceAnswer::Stopped(stop)),
            };
            if let Some(counterexample) = self.lacking(&layer, done, trace) {
                return Ok(TraceAnswer::Lacks(counterexample));
            }
            starts = layer.next;
            self.figures.ply += 1;
        }
        // One state after the whole trace is enough, without its τ steps: demands apply to proper prefixes alone.
        let end = self.visits.len();
        // There is one, or the last event would have been lacking.
        self.visits.extend(starts.into_iter().next());
        let run = self.run_to(end);
        Ok(TraceAnswer::Has(shown(RunEnding::Performed, run)))
    }

    /// The violation that prevents the event after the first `done` ones.
    fn lacking(&self, layer: &Layer, done: usize, trace: &Trace) -> Option<RawCounterexample> {
        let event = trace.events[done];
        // First, since in this model a divergent process may do anything.
        if trace.model == Model::FailuresDivergences
            && let Some(cycle) = cycle(&layer.quiet)
        {
            let run = self.run_around(layer, &cycle);
            let lap = cycle.len();
            return Some(shown(RunEnding::Divergence { lap, laps: 1 }, run));
        }
        if layer.next.is_empty() {
            let offered = layer.offered.iter().copied().collect();
            // No state after the prefix can perform it, so the first one is as good as any.
            let ending = RunEnding::Unable { event, offered };
            return Some(shown(ending, self.run_to(layer.first)));
        }
        let refusing = layer.refusing.filter(|_| trace.model != Model::Traces)?;
        Some(shown(RunEnding::Reluctant { event }, self.run_to(refusing)))
    }

    /// The closure of some states under τ.
    fn layer(
        &mut self,
        starts: Vec<TracedState>,
        event: EventId,
        control: &mut SearchControl<'_>,
    ) -> Result<std::result::Result<Layer, Stop>> {
        let mut layer = Layer {
            first: self.visits.len(),
            ..Layer::default()
        };
        // Parallel to the visits from `first` on: an index here is that of a visit less `first`.
        let mut known: IndexMap<ProductState, ()> = IndexMap::default();
        for start in starts {
            if known.insert(start.at.clone(), ()).is_none() {
                self.visits.push(start);
            }
        }
        let mut next: IndexSet<ProductState> = IndexSet::default();
        let mut at = layer.first;
        while at < self.visits.len() {
            if let Some(stop) = self.stop(at, control) {
                return Ok(Err(stop));
            }
            let mut initials = Vec::new();
            let mut quiet = Vec::new();
            for step in self.moves(at)? {
                initials.push(step.event);
                let after = after(&step);
                let from = Some((at, step));
                if initials.last() == Some(&EventId::TAU) {
                    let (index, earlier) = known.insert_full(after.clone(), ());
                    quiet.push(index);
                    if earlier.is_none() {
                        self.visits.push(TracedState { at: after, from });
                    }
                } else if initials.last() == Some(&event) && next.insert(after.clone()) {
                    layer.next.push(TracedState { at: after, from });
                }
            }
            layer.quiet.push(quiet);
            layer
                .offered
                .extend(initials.iter().filter(|e| **e != EventId::TAU));
            // Where ✓ is possible, it may be chosen over all other events, so they can be refused.
            if settle(&mut initials) && !initials.contains(&event) {
                layer.refusing.get_or_insert(at);
            }
            at += 1;
        }
        layer.offered.sort_unstable();
        Ok(Ok(layer))
    }

    fn moves(&mut self, at: usize) -> Result<Vec<ProductTransition>> {
        let pair = &self.visits[at].at;
        let found = self.lazy.complete(|product| moves(product, pair))?;
        self.figures.steps.transitions += found.len() as u64;
        Ok(found)
    }

    /// Checks the limits now and then.
    fn stop(&mut self, at: usize, control: &mut SearchControl<'_>) -> Option<Stop> {
        const PATIENCE: usize = 256;
        if !at.is_multiple_of(PATIENCE) {
            return None;
        }
        let width = self.visits[0].at.locals.len() * size_of::<u32>();
        self.figures.states = self.visits.len();
        self.figures.frontier = self.visits.len() - at;
        // Each state is stored twice, and its step once.
        self.figures.bytes = self.visits.len() * (size_of::<TracedState>() + 3 * width);
        (control.progress)(&self.figures);
        let limits = control.limits;
        control
            .cancel
            .reach(WorkStage::Searching, self.figures.states);
        let stop = limits.reached(control.cancel, self.figures.bytes);
        stop.or((self.figures.states >= limits.states_max).then_some(Stop::States))
    }

    fn run_to(&self, end: usize) -> RawRun {
        let mut path = vec![end];
        let mut at = end;
        while let Some((before, _)) = &self.visits[at].from {
            path.push(*before);
            at = *before;
        }
        path.reverse();
        let mut run = RawRun {
            initial: self.visits[path[0]].at.clone(),
            steps: Vec::new(),
        };
        for visit in &path[1..] {
            if let Some((before, step)) = &self.visits[*visit].from {
                self.step(*before, step, &mut run);
            }
        }
        run
    }

    /// The run to a cycle of τ, and once around it.
    fn run_around(&self, layer: &Layer, cycle: &[usize]) -> RawRun {
        let visit = |at: usize| layer.first + cycle[at % cycle.len()];
        let mut run = self.run_to(visit(0));
        for at in 0..cycle.len() {
            let target = &self.visits[visit(at + 1)].at;
            let from = self.visits[visit(at)].at.clone();
            // The tables were filled before, so the moves are known.
            let all = moves(&self.lazy.product(), &from).unwrap_or_default();
            let tau = |m: &&ProductTransition| m.event == EventId::TAU && after(m) == *target;
            if let Some(step) = all.iter().find(tau) {
                self.step(visit(at), step, &mut run);
            }
        }
        run
    }

    fn step(&self, before: usize, step: &ProductTransition, run: &mut RawRun) {
        let before = &self.visits[before].at;
        let step = raw_step(self.lazy, before, step, after(step), true);
        run.steps.push(step);
    }
}

fn after(step: &ProductTransition) -> ProductState {
    ProductState {
        node: 0,
        format: step.format.0,
        locals: step.locals.clone(),
    }
}

/// Finds a cycle: its members in order; the first follows the last.
fn cycle(quiet: &[Vec<usize>]) -> Option<Vec<usize>> {
    // `open`: on the stack; `done`: on no cycle.
    let mut open = vec![false; quiet.len()];
    let mut done = vec![false; quiet.len()];
    for root in 0..quiet.len() {
        let mut stack = Vec::new();
        if !done[root] {
            open[root] = true;
            stack.push((root, 0));
        }
        while let Some((state, at)) = stack.last_mut() {
            let state = *state;
            let Some(next) = quiet[state].get(*at).copied() else {
                (open[state], done[state]) = (false, true);
                stack.pop();
                continue;
            };
            *at += 1;
            if open[next] {
                let from = stack.iter().position(|entry| entry.0 == next).unwrap_or(0);
                return Some(stack[from..].iter().map(|entry| entry.0).collect());
            }
            if !done[next] {
                open[next] = true;
                stack.push((next, 0));
            }
        }
    }
    None
}
