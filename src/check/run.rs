//! From an assertion to its outcome.

use num_bigint::BigUint;

use std::time::Instant;

use super::conclude::{Asked, conclude};
use super::counterexample::{RawRun, RawStep};
use super::has_trace::{Trace, follow};
use super::plan::{Plan, PlanKey, by_first, plans};
use super::product::{Demands, Pair};
use super::question::{Question, question, side};
use super::represented::Represented;
use super::search::{Control, Figures, Sides, search};
use super::specification::Specification;
use super::system::System;
use crate::machine::pack::Packer;
use crate::machine::{EventId, Machine, Network};
use crate::script::load::Loaded;
use crate::source::diagnostic::Result;
use crate::source::{Budget, Cancel, Diagnostic, Kind, Limits, Span, Stop};
use crate::symmetry::StrategyKind;
use crate::symmetry::permutation::whole_order;

/// How to check.
#[derive(Clone, Debug)]
pub struct Options {
    /// Reduction demanded or forbidden. `None` reduces by every type in which both sides are
    /// symmetric; where that cannot be verified, an assertion without `:[symmetry reduce]` is checked
    /// unreduced.
    pub symmetry: Option<bool>,
    /// Datatypes to reduce by, by name; empty means as the assertion says, or all.
    pub types: Vec<String>,
    /// How representatives are chosen.
    pub strategy: StrategyKind,
    /// Whether to count what the states of a reduced search stand for.
    pub count_full: bool,
    /// Whether bisimilar local states are merged. Not while `count_full` counts: it counts states of
    /// the script.
    pub merging: bool,
    /// Threads.
    pub threads: usize,
    /// Bounds.
    pub limits: Limits,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            symmetry: None,
            types: Vec::new(),
            strategy: StrategyKind::default(),
            count_full: false,
            merging: true,
            threads: std::thread::available_parallelism().map_or(1, usize::from),
            limits: Limits::default(),
        }
    }
}

/// Whether an assertion holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It does.
    Holds,
    /// It does not.
    Fails,
    /// A limit or a cancellation came first.
    Stopped(Stop),
}

/// What a violation is, or what a run shows of a trace that was asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Violation {
    /// None: the run performs the trace.
    Performed,
    /// The run performs as much of the trace as can be.
    Unable {
        /// What should come next.
        event: EventId,
        /// What can come next, in some state after the same events.
        offered: Vec<EventId>,
    },
    /// The last state refuses the next event of the trace.
    Reluctant {
        /// That event.
        event: EventId,
    },
    /// The specification does not allow the last event.
    Refused,
    /// The last state has no transitions.
    Deadlock,
    /// The last state refuses more than the specification does.
    Refusal,
    /// The last state refuses an event that is possible after the same trace.
    Ambiguity,
    /// The last `lap` steps, all τ, can be repeated for ever: with other names each time, until after
    /// `laps` of them the state is the same again.
    Divergence {
        /// Steps of one lap.
        lap: usize,
        /// Laps until the state is the same.
        laps: usize,
    },
}

/// A violation and the run of the unreduced system that leads to it.
#[derive(Clone, Debug)]
pub struct Failure {
    /// What goes wrong.
    pub violation: Violation,
    /// How it comes about.
    pub run: RawRun,
    /// For a divergence, the laps after the first, until the state is the same; none if they are very
    /// many.
    pub further: Vec<RawStep>,
}

/// What was counted.
#[derive(Clone, Debug, Default)]
pub struct Statistics {
    /// Of the search.
    pub figures: Figures,
    /// Of the whole check, compilation included.
    pub seconds: f64,
    /// Of these, until the search began.
    pub compile_seconds: f64,
    /// Of these, for the search alone: what follows looks for divergence, unwinds counterexamples and
    /// counts what was represented.
    pub search_seconds: f64,
    /// Local states given to the evaluator: one an orbit.
    pub evaluated: usize,
    /// Local states in all.
    pub local_states: usize,
    /// Of those, how many a bisimilar one stands for; once for each component.
    pub merged: usize,
    /// Nodes of the specification made, if there is one.
    pub nodes: Option<usize>,
    /// Whether these are known to be those of the normal form (Def. 3), with no two bisimilar.
    pub normal: bool,
    /// Components of the initial state.
    pub components: usize,
    /// Rules of all formats.
    pub rules: usize,
    /// Formats: structures of parallel operators that were met.
    pub formats: usize,
    /// Whether the components may be others than those of an unreduced check.
    pub kept_together: bool,
    /// What the strategy does where it cannot do what it is named for.
    pub instead: &'static str,
    /// What the search stands for, if that was asked for and is known.
    pub represented: Option<Represented>,
}

/// The reduction that a check used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reduction {
    /// Name and number of values of each symmetric type.
    pub types: Vec<(String, usize)>,
    /// First local state and number of each set of identical components.
    pub copies: Vec<(String, usize)>,
    /// Order of the group.
    pub group_order: BigUint,
    /// Name of the strategy.
    pub strategy: &'static str,
}

impl Reduction {
    /// The reduction of a network by all that is symmetric in it; none if nothing is.
    #[must_use]
    pub fn new(machine: &mut Machine, network: &Network, strategy: StrategyKind) -> Option<Self> {
        let format = &network.formats[0];
        if machine.atoms.is_empty() && format.copies.is_empty() {
            return None;
        }
        let kinds = 0..machine.atoms.kinds() as u8;
        let size = |kind| {
            (
                machine.atoms.name(kind).to_owned(),
                machine.atoms.atoms(kind).len(),
            )
        };
        let types = kinds.map(size).collect();
        let sets = format.copies.sets().iter();
        let copies = sets
            .map(|set| {
                let first = format.components[set[0] as usize].initial;
                (machine.show_local(first), set.len())
            })
            .collect();
        Some(Self {
            types,
            copies,
            group_order: whole_order(&machine.atoms, format).to_big(),
            strategy: strategy.strategy().name(),
        })
    }
}

/// The end of a check.
#[derive(Debug)]
pub struct Outcome {
    /// The answer, `not` taken into account.
    pub verdict: Verdict,
    /// Figures.
    pub statistics: Statistics,
    /// The reduction, if there was one.
    pub reduction: Option<Reduction>,
    /// Why the assertion (without its `not`) fails: shortest first, at most as many as were asked for.
    pub failures: Vec<Failure>,
    /// What was asked for and could not be had, though there is a verdict.
    pub missing: Vec<Missing>,
}

/// Something that there is not, although the verdict is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Missing {
    /// As `the counterexample`.
    pub what: &'static str,
    /// The limit that cut it off; none if it cannot be told.
    pub stop: Option<Stop>,
}

/// A check with everything that it made: kept so that its counterexample can be put into words.
pub struct Check {
    /// The tables and the evaluator.
    pub machine: Machine,
    /// The implementation.
    pub network: Network,
    /// The specification.
    pub specification: Option<Specification>,
    reduction: Option<Reduction>,
    plan: PlanKey,
    strategy: StrategyKind,
    count_full: bool,
    negated: bool,
    demands: Demands,
    divergence: bool,
    trace: Option<Trace>,
    span: Span,
    started: Instant,
    /// Seconds that compiling took.
    compiled: f64,
}

/// Local states of a specification's component that are explored before the search.
const SPECIFICATION_AHEAD: usize = 2_000;

/// Both sides of a check, ready to be searched.
struct Compiled {
    machine: Machine,
    network: Network,
    specification: Option<Specification>,
}

impl Compiled {
    fn new(
        loaded: &Loaded,
        question: &Question<'_>,
        plan: &Plan,
        options: &Options,
        cancel: &Cancel,
    ) -> Result<Self> {
        let explore_max = options.limits.local_states_max;
        let make = |machine: &mut Machine| side(machine, question, question.implementation);
        let budget = Budget {
            limits: options.limits.clone(),
            cancel: cancel.clone(),
        };
        let system = System::made(loaded, plan, &budget, explore_max, make)?;
        let System {
            mut machine,
            mut network,
        } = system;
        if options.merging && !options.count_full && question.trace.is_none() {
            network.merge_bisimilar(&mut machine, question.visible())?;
        }
        let specification = match question.specification {
            Some(expr) => {
                let term = side(&mut machine, question, expr)?;
                // Its nodes are made one by one anyway, and what the implementation never does is not
                // needed: a stack of nineteen has a million states.
                let ahead = explore_max.min(SPECIFICATION_AHEAD);
                let network = Network::new(&mut machine, term, ahead)?;
                let most = options.limits.states_max;
                let normalised = Specification::new(&mut machine, network, most);
                let work = "normalising the specification";
                let mut specification = machine.during(work, Some(expr.span), normalised)?;
                if options.merging && !options.count_full {
                    let merged = specification.factor(&mut machine, question.compared());
                    let work = "merging nodes of the specification";
                    machine.during(work, Some(expr.span), merged)?;
                }
                Some(specification)
            }
            None => None,
        };
        Ok(Self {
            machine,
            network,
            specification,
        })
    }

    /// Whether both sides are mappable to themselves (Sec. 6.1).
    fn verified(&self) -> Result<()> {
        let mut sides = self
            .specification
            .iter()
            .map(Specification::network)
            .chain([&self.network]);
        sides.try_for_each(|side| side.formats[0].mappable.clone())
    }
}

impl Check {
    /// Compiles both sides of assertion `index` (from 0) by the first plan that can be gone as far as
    /// that.
    ///
    /// # Errors
    /// What the assertion needs and this version lacks, an evaluation error, or a failed verification
    /// of the symmetry.
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
        let started = Instant::now();
        let script = &loaded.script;
        let question = question(script, index)?;
        let place = |mut error: Box<Diagnostic>| {
            if error.kind == Kind::Asymmetric {
                error.span.get_or_insert(script.assertions[index].span);
            }
            error
        };
        let compiled = Compiled::new(loaded, &question, plan, options, cancel).map_err(place)?;
        compiled.verified().map_err(place)?;
        let Compiled {
            mut machine,
            network,
            specification,
        } = compiled;
        let trace = match question.trace {
            Some((trace, model)) => Some(Trace::new(&mut machine, trace, model)?),
            None => None,
        };
        let span = script.assertions[index].span;
        let reduction = Reduction::new(&mut machine, &network, options.strategy);
        Ok(Self {
            machine,
            network,
            specification,
            reduction,
            plan: PlanKey::new(script, plan),
            strategy: options.strategy,
            count_full: options.count_full,
            negated: script.assertions[index].negated,
            demands: question.demands,
            divergence: question.divergence,
            trace,
            span,
            started,
            compiled: started.elapsed().as_secs_f64(),
        })
    }

    /// Both sides, for searching and for putting a counterexample into words.
    pub fn sides(&mut self) -> Sides<'_> {
        Sides {
            packer: Packer::new(&self.network),
            machine: &mut self.machine,
            network: &mut self.network,
            specification: self.specification.as_mut(),
            demands: self.demands,
            strategy: self.reduction.is_some().then(|| self.strategy.strategy()),
        }
    }

    /// The initial state of the unreduced system.
    #[must_use]
    pub fn initial(&self) -> Pair {
        Pair {
            node: 0,
            format: 0,
            locals: self.network.initial.clone(),
        }
    }

    /// By which plan both sides were compiled.
    #[must_use]
    pub fn plan(&self) -> &PlanKey {
        &self.plan
    }

    /// Whether the assertion forbids divergence.
    #[must_use]
    pub fn divergence_counts(&self) -> bool {
        self.divergence
    }

    /// Follows the trace that the assertion asks for, if it does.
    ///
    /// # Errors
    /// An evaluation error, or a limit of those that evaluation has.
    pub fn trace_answer(&mut self) -> Result<Option<Failure>> {
        let Some(trace) = self.trace.clone() else {
            return Ok(None);
        };
        let limits = self.machine.eval.limits().clone();
        let mut control = Control {
            threads: 1,
            limits: &limits,
            cancel: &Cancel::default(),
            progress: &mut |_| {},
        };
        let (_, answer) = follow(&mut self.sides(), &trace, &mut control)?;
        self.machine.eval.check_time()?;
        Ok(answer.conclusion().failures.pop())
    }

    /// Searches.
    ///
    /// # Errors
    /// An evaluation error of a state that the search reached.
    pub fn run(&mut self, control: &mut Control<'_>) -> Result<Outcome> {
        let asked = Asked {
            divergence: self.divergence,
            count_full: self.count_full,
        };
        let before = Instant::now();
        let trace = self.trace.clone();
        let mut sides = self.sides();
        let found = match &trace {
            Some(trace) => follow(&mut sides, trace, control).map(|(figures, answer)| {
                let searched = before.elapsed().as_secs_f64();
                (figures, searched, answer.conclusion())
            }),
            None => search(&mut sides, control).and_then(|search| {
                let searched = before.elapsed().as_secs_f64();
                let conclusion = conclude(&mut sides, &search, asked, control)?;
                Ok((search.figures, searched, conclusion))
            }),
        };
        let (figures, search_seconds, conclusion) = found.map_err(|mut error| {
            error.span.get_or_insert(self.span);
            error
        })?;
        let verdict = match (conclusion.verdict, self.negated) {
            (Verdict::Holds, true) => Verdict::Fails,
            (Verdict::Fails, true) => Verdict::Holds,
            (other, _) => other,
        };
        Ok(Outcome {
            verdict,
            statistics: Statistics {
                figures,
                seconds: self.started.elapsed().as_secs_f64(),
                compile_seconds: self.compiled,
                search_seconds,
                represented: conclusion.represented,
                ..self.sizes()
            },
            reduction: self.reduction.clone(),
            failures: conclusion.failures,
            missing: conclusion.missing,
        })
    }

    /// How much there is of what was compiled.
    fn sizes(&self) -> Statistics {
        let formats = &self.network.formats;
        Statistics {
            evaluated: self.machine.locals.evaluated,
            local_states: self.machine.locals.len(),
            merged: formats.first().map_or(0, |f| f.merged.count),
            nodes: self.specification.as_ref().map(Specification::len),
            normal: self
                .specification
                .as_ref()
                .is_some_and(Specification::is_normal),
            components: formats.first().map_or(0, |f| f.components.len()),
            rules: formats.iter().map(|f| f.rules.list.len()).sum(),
            formats: formats.len(),
            kept_together: self.machine.kept_together(),
            instead: self.strategy.strategy().instead(),
            ..Statistics::default()
        }
    }
}
