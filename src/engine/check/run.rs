//! Runs of checks, from an assertion to its outcome.

mod compressing;
mod counted;
mod deciding;
mod looking;
mod normalising;
mod reductions;
mod shortest;
mod simulation;
mod storing;

use std::time::Instant;

use compressing::SpecificationCompression;
use looking::StructureSearch;
pub(crate) use normalising::specification_of;
use reductions::{SearchReductions, wants_partial_order};

use super::adaptive::{self, CellGroups};
use super::conclude::Asked;
use super::has_trace::{Trace, follow};
use super::look_bounds::LookBounds;
use super::options::{Options, ProcessPlan, StorePlan};
use super::outcome::{CheckVerdict, Outcome, RawCounterexample, Statistics};
use super::patience::Patience;
use super::plan::{Plan, PlanKey, by_first, plans};
use super::question::{Question, question, side};
use super::reduction::Reduction;
use super::shared_systems::SharedSystems;
use super::simulation::Simulation;
use super::structural::states_before;
use super::system::System;
use crate::machine::pack::Packer;
use crate::machine::{Machine, Network};
use crate::reductions::table::{ReductionKind, ReductionSet};
use crate::script::core::Expr;
use crate::script::load::Loaded;
use crate::search::breadth_first::{LazyProduct, Search, SearchControl};
use crate::search::keeping::KeepingKind;
use crate::search::product::{Demands, ProductState};
use crate::source::diagnostic::Result;
use crate::source::{Budget, Cancel, Diagnostic, Kind, Span, cpu};
use crate::specification::Specification;

/// A check with both sides and tables, kept so that its counterexample can be displayed.
pub struct Check {
    /// The tables and the evaluator.
    pub machine: Machine,
    /// The implementation.
    pub network: Network,
    /// The specification.
    pub specification: Option<Specification>,
    reduction: Option<Reduction>,
    structure: StructureSearch,
    /// The groups of an adaptive search, if it is one.
    adaptive: Option<Box<CellGroups>>,
    plan: PlanKey,
    attempt: AttemptBounds,
    reductions: SearchReductions,
    compression: SpecificationCompression,
    assertion: CheckedAssertion,
    times: Times,
}

/// The demands of an assertion, and its place.
struct CheckedAssertion {
    span: Span,
    /// Whether it is negated by `not`.
    negated: bool,
    demands: Demands,
    divergence: bool,
    trace: Option<Trace>,
    /// Whether to count the states of the unreduced system too.
    count_full: bool,
}

/// Bounds of one attempt at an assertion.
struct AttemptBounds {
    /// The bound on its work.
    patience: Option<Patience>,
    /// Random runs of the unreduced system made during the search.
    simulation: Simulation,
    /// Where the search goes on once its states are many.
    store: Option<StorePlan>,
    /// The processes that share the search once its states are many.
    processes: Option<ProcessPlan>,
}

/// The time when compilation began, and its seconds.
struct Times {
    started: Instant,
    compiled: f64,
}

/// Advice where a strategy does not apply.
const COUNTED_INSTEAD: &str =
    "the default has no such condition, and `--types` leaves types out of the reduction";

/// Both sides of a check, compiled.
struct CompiledCheck {
    machine: Machine,
    network: Network,
    specification: Option<Specification>,
}

impl CompiledCheck {
    fn new(
        loaded: &Loaded,
        question: &Question<'_>,
        plan: &Plan,
        (options, cancel): (&Options, &Cancel),
        shared: &mut SharedSystems,
    ) -> Result<Self> {
        let make = |machine: &mut Machine| side(machine, question, question.implementation);
        let budget = Budget {
            limits: options.limits.clone(),
            cancel: cancel.clone(),
        };
        let system = shared.system(loaded, plan, &budget, make)?;
        let System {
            mut machine,
            mut network,
        } = system;
        // The machine may have been compiled for another attempt.
        machine.set_patience(plan.patience.as_ref().map(|patience| patience.local_states));
        // Counting needs the states of the system as it is; so does following a trace.
        let used = options.reductions();
        let merges = options.merging && question.may_use(ReductionKind::Merging, used, options);
        if merges || wants_partial_order(question, options) {
            // Both need all local states.
            let explored = network.explore_to_the_end(&mut machine);
            machine.during("exploring components to the end", None, explored)?;
        }
        if merges {
            network.merge_bisimilar(&mut machine, question.visible())?;
        }
        let specification = specification_of(&mut machine, question, options)?;
        machine.check_patience()?;
        Ok(Self {
            machine,
            network,
            specification,
        })
    }

    /// Verifies that both sides are mappable to themselves (Sec. 6.1).
    fn verified(&self) -> Result<()> {
        let mut lazy = self
            .specification
            .iter()
            .map(Specification::network)
            .chain([&self.network]);
        lazy.try_for_each(|side| side.first().mappable())
    }
}

fn does_not_apply(span: Span, why: String) -> Box<Diagnostic> {
    Box::new(Diagnostic::error("E0515", span, why).note(COUNTED_INSTEAD))
}

/// Applies `not` to a verdict; an unknown one stays unknown.
fn turned(verdict: CheckVerdict, negated: bool) -> CheckVerdict {
    match (verdict, negated) {
        (CheckVerdict::Holds, true) => CheckVerdict::Fails,
        (CheckVerdict::Fails, true) => CheckVerdict::Holds,
        (other, _) => other,
    }
}

impl Check {
    /// Compiles both sides of assertion `index` (from 0) by the first plan that succeeds.
    ///
    /// # Errors
    /// An unsupported feature of the assertion, an evaluation error, or a failed verification of the symmetry.
    pub fn prepare(
        loaded: &Loaded,
        index: usize,
        options: &Options,
        cancel: &Cancel,
    ) -> Result<Self> {
        let plans = plans(loaded, index, options)?;
        let prepared = by_first(&plans, |plan| {
            Self::planned(loaded, index, plan, options, cancel)
        });
        prepared.map(|(check, _)| check)
    }

    /// Compiles both sides of assertion `index` (from 0) by a plan.
    ///
    /// # Errors
    /// As [`Check::prepare`].
    pub fn planned(
        loaded: &Loaded,
        index: usize,
        plan: &Plan,
        options: &Options,
        cancel: &Cancel,
    ) -> Result<Self> {
        let mut alone = SharedSystems::default();
        Self::sharing(loaded, index, plan, options, cancel, &mut alone)
    }

    /// Compiles both sides with systems that checks of a run share; the assertion has to be the present one of
    /// `shared`.
    ///
    /// # Errors
    /// As [`Check::prepare`].
    pub fn sharing(
        loaded: &Loaded,
        index: usize,
        plan: &Plan,
        options: &Options,
        cancel: &Cancel,
        shared: &mut SharedSystems,
    ) -> Result<Self> {
        let question = question(&loaded.script, index)?;
        let assertion = &loaded.script.assertions[index];
        let about = (assertion.span, assertion.negated);
        Self::asked(loaded, &question, about, plan, options, cancel, shared)
    }

    /// Compiles a process without demands: its search explores all states.
    ///
    /// # Errors
    /// An evaluation error, or a failed verification of the symmetry.
    pub(crate) fn of_process(
        loaded: &Loaded,
        process: &Expr,
        plan: &Plan,
        options: &Options,
        cancel: &Cancel,
    ) -> Result<Self> {
        Self::asked(
            loaded,
            &Question::of_process(process),
            (process.span, false),
            plan,
            options,
            cancel,
            &mut SharedSystems::default(),
        )
    }

    /// Compiles both sides of a question, given its place and whether it is negated.
    // In one piece: it combines the results of all phases.
    fn asked(
        loaded: &Loaded,
        question: &Question<'_>,
        (span, negated): (Span, bool),
        plan: &Plan,
        options: &Options,
        cancel: &Cancel,
        shared: &mut SharedSystems,
    ) -> Result<Self> {
        let started = Instant::now();
        if options.adaptive {
            adaptive::applies(question, options, span)?;
        }
        storing::applies(question, options, span)?;
        let plan = &plan.showing(question.shows_states());
        let place = |mut error: Box<Diagnostic>| {
            // An error without a place gets that of the assertion.
            if matches!(error.kind, Kind::Asymmetric | Kind::Costly) {
                error.span.get_or_insert(span);
            }
            error
        };
        let compiled =
            CompiledCheck::new(loaded, question, plan, (options, cancel), shared).map_err(place)?;
        compiled.verified().map_err(place)?;
        let CompiledCheck {
            mut machine,
            mut network,
            mut specification,
        } = compiled;
        let strategy = options.keeping.strategy();
        if let Some(why) = strategy.obstacle(&mut machine, network.first()) {
            return Err(does_not_apply(span, why));
        }
        let trace = match question.trace {
            Some((trace, model)) => Some(Trace::new(&mut machine, trace, model)?),
            None => None,
        };
        let mut adaptive = None;
        if options.adaptive {
            let specification = specification.as_mut();
            let groups =
                adaptive::prepare(&mut machine, &mut network, specification, question, span)?;
            adaptive = Some(Box::new(groups));
        }
        let compared = specification.as_ref().map(Specification::network);
        let reduction = Reduction::new(&mut machine, (&network, compared), options.keeping);
        let by_default = options.keeping == KeepingKind::default();
        let may_look = by_default || options.keeping.by_structure().is_some();
        let may_reduce =
            question.may_use(ReductionKind::Structure, ReductionSet::default(), options);
        let looks = plan.structure && may_look && may_reduce;
        let reductions =
            SearchReductions::new(question, options, &mut machine, &mut network).map_err(place)?;
        storing::applies_with(reductions.partial_order(), options, span)?;
        let mut check = Self {
            machine,
            network,
            specification,
            reduction,
            structure: StructureSearch::new(
                question.preserved(),
                looks,
                options.wanted_structure() == Some(true),
            ),
            adaptive,
            plan: PlanKey::new(&loaded.script, plan),
            attempt: AttemptBounds {
                patience: plan.patience.clone(),
                simulation: Simulation::new(options.simulate_after),
                store: options.store.clone(),
                processes: options.processes.clone(),
            },
            reductions,
            compression: SpecificationCompression::new(question, plan, options),
            assertion: CheckedAssertion {
                span,
                negated,
                demands: question.demands,
                divergence: question.divergence,
                trace,
                count_full: options.count_full,
            },
            times: Times {
                started,
                compiled: 0.0,
            },
        };
        if check.structure.demanded || states_before(&check.machine, &check.network) == 0 {
            let bounds = match check.structure.demanded {
                true => LookBounds::DEMANDED_FIRST,
                // Values are permuted, or will be if this attempt is given up.
                false if !check.machine.atoms().is_empty() || check.attempt.patience.is_some() => {
                    LookBounds::beside_others(question.preserved().refusals)
                }
                false => LookBounds::BY_ITSELF,
            };
            check.look_for_structure(bounds).map_err(place)?;
        }
        check.times.compiled = started.elapsed().as_secs_f64();
        Ok(check)
    }

    /// The product automaton, for a search or for display of a counterexample.
    pub fn lazy_product(&mut self) -> LazyProduct<'_> {
        let is_reduced = self.reduction.is_some();
        LazyProduct {
            // A new packer, since the network may have new formats.
            packer: Packer::new(&self.network, self.specification.is_some()),
            machine: &mut self.machine,
            network: &mut self.network,
            specification: self.specification.as_mut(),
            demands: self.assertion.demands,
            strategy: match &self.structure.group {
                Some(group) => Some(&**group),
                None => is_reduced.then(|| self.reductions.keeping.strategy().strategy()),
            },
            keeping: match is_reduced {
                true => self.reductions.keeping.keeping(),
                false => None,
            },
            reductions: match is_reduced {
                true => self.reductions.used,
                // All pairs are stored as they are.
                false => self
                    .reductions
                    .used
                    .without(self.reductions.keeping.reduction()),
            },
            look_after: self.reductions.look_after,
            unmet: &self.reductions.unmet,
            partial_order: self.reductions.partial_order(),
        }
    }

    /// Runs `done` with one reduction of the search switched off.
    fn without<R>(&mut self, kind: ReductionKind, done: impl FnOnce(&mut Self) -> R) -> R {
        let used = self.reductions.used;
        self.reductions.used = used.without(kind);
        let done = done(self);
        self.reductions.used = used;
        done
    }

    /// The initial state of the unreduced system.
    #[must_use]
    pub fn initial(&self) -> ProductState {
        ProductState::initial(&self.network)
    }

    /// The symmetry reduction, if there is one.
    #[must_use]
    pub fn reduction(&self) -> Option<&Reduction> {
        self.reduction.as_ref()
    }

    /// Whether the reduction is by a structural group.
    #[must_use]
    pub fn is_by_structure(&self) -> bool {
        self.structure.group.is_some()
    }

    /// The plan by which both sides were compiled.
    #[must_use]
    pub fn plan(&self) -> &PlanKey {
        &self.plan
    }

    /// Whether the assertion forbids divergence.
    #[must_use]
    pub fn divergence_counts(&self) -> bool {
        self.assertion.divergence
    }

    /// Runs an adaptive search, if requested.
    fn adapt(&mut self, control: &mut SearchControl<'_>) -> Result<Option<Outcome>> {
        let Some(mut groups) = self.adaptive.take() else {
            return Ok(None);
        };
        let (before, cpu_before) = (Instant::now(), cpu::used());
        let found = adaptive::run(&mut self.lazy_product(), &mut groups, control);
        self.adaptive = Some(groups);
        let (figures, conclusion, used) = found.map_err(|mut error| {
            error.span.get_or_insert(self.assertion.span);
            error
        })?;
        let cpu = cpu::used().zip(cpu_before).map(|(now, then)| now - then);
        let verdict = turned(conclusion.verdict, self.assertion.negated);
        let statistics = Statistics {
            growing: self.growing(verdict),
            figures,
            seconds: self.times.started.elapsed().as_secs_f64(),
            compile_seconds: self.times.compiled,
            search_seconds: before.elapsed().as_secs_f64(),
            search_cpu: cpu,
            adaptive: Some(used),
            ..self.sizes()
        };
        Ok(Some(Outcome {
            verdict,
            statistics,
            reduction: None,
            counterexamples: conclusion.counterexamples,
            missing: conclusion.missing,
        }))
    }

    /// Follows the trace of the assertion, if it has one.
    ///
    /// # Errors
    /// An evaluation error, or a limit of the evaluation.
    pub fn trace_answer(&mut self) -> Result<Option<RawCounterexample>> {
        let Some(trace) = self.assertion.trace.clone() else {
            return Ok(None);
        };
        let limits = self.machine.eval.limits().clone();
        let mut control = SearchControl {
            threads: 1,
            collapse_after: usize::MAX,
            limits: &limits,
            cancel: &Cancel::default(),
            progress: &mut |_| {},
        };
        let (_, answer) = follow(&mut self.lazy_product(), &trace, &mut control)?;
        // If time is over, the missing run is an error, not an answer.
        self.machine.eval.check_time()?;
        Ok(answer.conclusion().counterexamples.pop())
    }

    /// Runs the search, and draws the conclusion.
    ///
    /// # Errors
    /// An evaluation error of a state that the search reached.
    pub fn run(&mut self, control: &mut SearchControl<'_>) -> Result<Outcome> {
        if let Some(outcome) = self.adapt(control)? {
            return Ok(outcome);
        }
        if self.attempt.store.is_some() || self.attempt.processes.is_some() {
            // On disk and among processes the shard of a state is that of its whole key.
            control.collapse_after = usize::MAX;
        }
        self.attempt.simulation.active = self.may_simulate();
        let (outcome, _) = self.run_and(control, |_, _| Ok(()))?;
        let mut outcome = self.unless_limited(outcome)?;
        outcome.statistics.unmerged_states = self.unmerged_states(&outcome, control);
        Ok(outcome)
    }

    /// Runs the search, and applies a function to it; `None` where a trace was followed instead.
    ///
    /// # Errors
    /// As [`Check::run`], and errors of the function.
    pub(crate) fn run_and<R>(
        &mut self,
        control: &mut SearchControl<'_>,
        and: impl FnOnce(&mut LazyProduct<'_>, &Search) -> Result<R>,
    ) -> Result<(Outcome, Option<R>)> {
        let asked = Asked {
            divergence: self.assertion.divergence,
            count_full: self.assertion.count_full,
        };
        let (before, cpu_before) = (Instant::now(), cpu::used());
        // Measured at the end of the search.
        let spent = || {
            let used = cpu::used().zip(cpu_before);
            (
                before.elapsed().as_secs_f64(),
                used.map(|(now, then)| now - then),
            )
        };
        let trace = self.assertion.trace.clone();
        let (started, span) = (self.times.started, self.assertion.span);
        let found = match &trace {
            Some(trace) => {
                follow(&mut self.lazy_product(), trace, control).map(|(figures, answer)| {
                    let times = (spent(), started.elapsed().as_secs_f64());
                    (figures, times, answer.conclusion(), None, None)
                })
            }
            None => self.decided(asked, control, &spent).and_then(|decided| {
                let (search, spent, mut conclusion) = decided;
                let sought = self.shorten(&search, asked, &mut conclusion, control)?;
                let times = (spent, started.elapsed().as_secs_f64());
                let done = and(&mut self.lazy_product(), &search)?;
                Ok((search.figures, times, conclusion, sought, Some(done)))
            }),
        };
        let (figures, times, conclusion, sought, done) = found.map_err(|mut error| {
            error.span.get_or_insert(span);
            self.machine.tell_growing(error)
        })?;
        let ((search_seconds, search_cpu), seconds) = times;
        let verdict = turned(conclusion.verdict, self.assertion.negated);
        let outcome = Outcome {
            verdict,
            statistics: Statistics {
                growing: self.growing(verdict),
                figures,
                seconds,
                compile_seconds: self.times.compiled,
                search_seconds,
                search_cpu,
                represented: conclusion.represented,
                shortest: sought,
                ..self.sizes()
            },
            reduction: self.reduction_used(),
            counterexamples: conclusion.counterexamples,
            missing: conclusion.missing,
        };
        Ok((outcome, done))
    }
}
