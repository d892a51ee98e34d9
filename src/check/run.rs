//! From an assertion to its outcome.

use std::rc::Rc;
use std::time::Instant;

use super::counterexample::{RawRun, path_to, unwind};
use super::divergence::{Cycles, find_cycle};
use super::has_trace::{Answer, Trace, follow};
use super::load::Loaded;
use super::plan::{Plan, atom_types, is_asymmetry, plans};
use super::product::{Demands, Flaw};
use super::question::{Question, question, side, unsupported};
use super::represented::{self, Represented};
use super::search::{Control, End, Figures, Search, Sides, Stop, search};
use super::specification::Specification;
use crate::eval::Evaluator;
use crate::machine::pack::Packer;
use crate::machine::{EventId, Machine, Network};
use crate::source::diagnostic::Result;
use crate::source::{Cancel, Diagnostic, Limits, Span};
use crate::symmetry::StrategyKind;
use crate::symmetry::permutation::group_order;

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
    /// The last `lap` steps, all τ, can be repeated for ever.
    Divergence {
        /// How many.
        lap: usize,
    },
}

/// A violation and the run of the unreduced system that leads to it.
#[derive(Clone, Debug)]
pub struct Failure {
    /// What goes wrong.
    pub violation: Violation,
    /// How it comes about.
    pub run: RawRun,
}

/// What was counted.
#[derive(Clone, Debug, Default)]
pub struct Statistics {
    /// Of the search.
    pub figures: Figures,
    /// Of the whole check, compilation included.
    pub seconds: f64,
    /// Local states given to the evaluator: one an orbit.
    pub evaluated: usize,
    /// Local states in all.
    pub local_states: usize,
    /// What the search stands for, if that was asked for and is known.
    pub represented: Option<Represented>,
}

/// The reduction that a check used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reduction {
    /// Name and number of values of each symmetric type.
    pub types: Vec<(String, usize)>,
    /// Order of the group.
    pub group_order: u128,
    /// Name of the strategy.
    pub strategy: &'static str,
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
    /// Why the assertion (without its `not`) fails; for a trace that was asked for, also why it holds.
    pub failure: Option<Failure>,
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
    strategy: StrategyKind,
    count_full: bool,
    negated: bool,
    demands: Demands,
    divergence: bool,
    trace: Option<Trace>,
    span: Span,
    started: Instant,
}

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
        let script = &loaded.script;
        let explore_max = options.limits.local_states_max;
        let eval = Evaluator::new(Rc::clone(script), &options.limits, cancel.clone());
        let mut machine = Machine::new(eval, atom_types(script, &plan.types));
        machine.trusting = plan.trusting;
        let imp = side(&mut machine, question, question.implementation)?;
        let network = Network::new(&mut machine, imp, explore_max)?;
        let specification = match question.specification {
            Some(expr) => {
                let term = side(&mut machine, question, expr)?;
                let network = Network::new(&mut machine, term, explore_max)?;
                Some(Specification::new(
                    &mut machine,
                    network,
                    options.limits.states_max,
                )?)
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
        let mut failed = None;
        for plan in plans(loaded, index, options)? {
            match Self::planned(loaded, index, &plan, options, cancel) {
                Err(error) if is_asymmetry(&error) => failed = Some(failed.unwrap_or(error)),
                other => return other,
            }
        }
        let nothing = || unsupported(loaded.script.assertions[index].span, "this assertion");
        Err(failed.unwrap_or_else(nothing))
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
            if is_asymmetry(&error) {
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
        let reduced = !machine.atoms.is_empty();
        let reduction = reduced.then(|| Reduction {
            types: (0..machine.atoms.kinds())
                .map(|k| {
                    (
                        machine.atoms.name(k as u8).to_owned(),
                        machine.atoms.atoms(k as u8).len(),
                    )
                })
                .collect(),
            group_order: group_order(&machine.atoms),
            strategy: options.strategy.strategy().name(),
        });
        Ok(Self {
            machine,
            network,
            specification,
            reduction,
            strategy: options.strategy,
            count_full: options.count_full,
            negated: script.assertions[index].negated,
            demands: question.demands,
            divergence: question.divergence,
            trace,
            span,
            started,
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

    /// Searches.
    ///
    /// # Errors
    /// An evaluation error of a state that the search reached.
    pub fn run(&mut self, control: &mut Control<'_>) -> Result<Outcome> {
        let (divergence, count_full) = (self.divergence, self.count_full);
        let trace = self.trace.clone();
        let mut sides = self.sides();
        let found = match &trace {
            Some(trace) => follow(&mut sides, trace, control).map(|(figures, answer)| {
                let (verdict, failure) = match answer {
                    Answer::Has(run) => (Verdict::Holds, Some(run)),
                    Answer::Lacks(run) => (Verdict::Fails, Some(run)),
                    Answer::Stopped(stop) => (Verdict::Stopped(stop), None),
                };
                (figures, verdict, failure, None)
            }),
            None => search(&mut sides, control).and_then(|search| {
                let (verdict, failure) = conclude(&mut sides, &search, divergence, control)?;
                let represented = if count_full && search.end == End::Exhausted {
                    represented::count(&mut sides, &search.store, control.threads)?
                } else {
                    None
                };
                Ok((search.figures, verdict, failure, represented))
            }),
        };
        let (figures, verdict, failure, represented) = found.map_err(|mut error| {
            error.span.get_or_insert(self.span);
            error
        })?;
        let verdict = match (verdict, self.negated) {
            (Verdict::Holds, true) => Verdict::Fails,
            (Verdict::Fails, true) => Verdict::Holds,
            (other, _) => other,
        };
        let statistics = Statistics {
            figures,
            seconds: self.started.elapsed().as_secs_f64(),
            evaluated: self.machine.locals.evaluated,
            local_states: self.machine.locals.len(),
            represented,
        };
        Ok(Outcome {
            verdict,
            statistics,
            reduction: self.reduction.clone(),
            failure,
        })
    }
}

fn conclude(
    sides: &mut Sides<'_>,
    search: &Search,
    divergence: bool,
    control: &Control<'_>,
) -> Result<(Verdict, Option<Failure>)> {
    match search.end {
        End::Stopped(stop) => Ok((Verdict::Stopped(stop), None)),
        End::Violation(state, flaw) => {
            let run = unwind(
                sides,
                &search.store,
                &path_to(&search.store, state),
                Some(flaw),
            )?;
            let violation = match flaw {
                Flaw::Event(_) => Violation::Refused,
                Flaw::Refusal => Violation::Refusal,
                Flaw::Ambiguity(_) => Violation::Ambiguity,
                Flaw::Deadlock => Violation::Deadlock,
            };
            Ok((Verdict::Fails, Some(Failure { violation, run })))
        }
        End::Exhausted if divergence => {
            match find_cycle(sides, &search.store, control.limits, control.cancel)? {
                Cycles::None => Ok((Verdict::Holds, None)),
                Cycles::Stopped(stop) => Ok((Verdict::Stopped(stop), None)),
                Cycles::Found(cycle) => {
                    let mut path = path_to(&search.store, cycle[0]);
                    path.extend(cycle[1..].iter().chain(&cycle[..1]));
                    let run = unwind(sides, &search.store, &path, None)?;
                    let violation = Violation::Divergence { lap: cycle.len() };
                    Ok((Verdict::Fails, Some(Failure { violation, run })))
                }
            }
        }
        End::Exhausted => Ok((Verdict::Holds, None)),
    }
}
