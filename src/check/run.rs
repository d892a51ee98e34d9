//! From an assertion to its outcome.

use std::rc::Rc;
use std::time::Instant;

use super::conclude::{Asked, conclude};
use super::counterexample::{RawRun, RawStep};
use super::load::Loaded;
use super::product::{Demands, Pair};
use super::represented::Represented;
use super::search::{Control, Figures, Sides, search};
use super::specification::Specification;
use crate::eval::Evaluator;
use crate::machine::pack::Packer;
use crate::machine::{Machine, Network};
use crate::script::core::{AssertionKind, Expr, Model, Property, Script};
use crate::script::symmetric::{self, SymmetricType, Trust};
use crate::source::diagnostic::Result;
use crate::source::{Cancel, Diagnostic, Limits, Span, Stop};
use crate::symmetry::StrategyKind;
use crate::symmetry::permutation::group_order;
use crate::value::AtomTypes;

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

/// What a violation is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Violation {
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
    /// Nodes of the specification made, if there is one.
    pub nodes: Option<usize>,
    /// Components of the initial state.
    pub components: usize,
    /// Rules of all formats.
    pub rules: usize,
    /// Formats: structures of parallel operators that were met.
    pub formats: usize,
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
    /// Why the assertion (without its `not`) fails: shortest first, at most as many as were asked for.
    pub failures: Vec<Failure>,
    /// What was asked for and could not be had within the limits, though there is a verdict.
    pub missing: Vec<Missing>,
}

/// Something that a limit has cut off after the verdict was known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Missing {
    /// As `the counterexample`.
    pub what: &'static str,
    /// The limit.
    pub stop: Stop,
}

/// What an assertion asks of the engine.
struct Question<'a> {
    specification: Option<&'a Expr>,
    implementation: &'a Expr,
    demands: Demands,
    divergence: bool,
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
    span: Span,
    started: Instant,
    /// Seconds that compiling took.
    compiled: f64,
}

fn unsupported(span: Span, what: &str) -> Box<Diagnostic> {
    Box::new(
        Diagnostic::error("E0601", span, format!("{what} is not supported yet"))
            .note("supported are refinement in T, F and FD, deadlock and divergence freedom, and determinism"),
    )
}

fn question(script: &Script, index: usize) -> Result<Question<'_>> {
    let assertion = &script.assertions[index];
    if let Some(set) = &assertion.tau_priority {
        return Err(unsupported(set.span, "`:[tau priority]`"));
    }
    match &assertion.kind {
        AssertionKind::Refinement { spec, model, imp } => {
            if let Model::Other(name) = model {
                let name = format!("refinement in the model {name}");
                return Err(unsupported(assertion.span, &name));
            }
            let divergence = *model == Model::FailuresDivergences;
            Ok(Question {
                specification: Some(spec),
                implementation: imp,
                demands: Demands {
                    acceptances: *model != Model::Traces,
                    divergent_allows_all: divergence,
                    ..Demands::default()
                },
                divergence,
            })
        }
        AssertionKind::Property {
            process,
            property,
            model,
        } => property_question(assertion.span, process, *property, *model),
        AssertionKind::HasTrace { .. } => Err(unsupported(assertion.span, "`:[has trace]`")),
        AssertionKind::Symmetric { .. } => Err(unsupported(assertion.span, "`:[symmetric]`")),
    }
}

fn property_question(
    span: Span,
    process: &Expr,
    property: Property,
    model: Option<Model>,
) -> Result<Question<'_>> {
    let model = model.unwrap_or(Model::FailuresDivergences);
    if let Model::Other(name) = model {
        return Err(unsupported(span, &format!("the model {name}")));
    }
    let question = Question {
        specification: None,
        implementation: process,
        demands: Demands::default(),
        divergence: model == Model::FailuresDivergences,
    };
    Ok(match property {
        // In FD a divergent process is not deadlock free: it refuses everything.
        Property::DeadlockFree => Question {
            demands: Demands {
                progress: true,
                ..Demands::default()
            },
            ..question
        },
        Property::DivergenceFree => Question {
            divergence: true,
            ..question
        },
        // Every stable state offers what the normalised process can do after the same trace (App. B).
        Property::Deterministic => Question {
            specification: Some(process),
            demands: Demands {
                determinism: true,
                ..Demands::default()
            },
            ..question
        },
    })
}

/// The symmetric types that a check uses.
fn reduction_types(
    loaded: &Loaded,
    index: usize,
    roots: &[&Expr],
    options: &Options,
) -> Result<Vec<SymmetricType>> {
    let script = &*loaded.script;
    let assertion = &script.assertions[index];
    if options.symmetry == Some(false) {
        return Ok(Vec::new());
    }
    if options.types.is_empty()
        && let Some(specs) = assertion.symmetry.as_ref().filter(|s| !s.is_empty())
    {
        let first = |mut errors: Vec<Diagnostic>| Box::new(errors.swap_remove(0));
        return symmetric::explicit(script, &loaded.types, specs, roots, Trust::Nothing)
            .map_err(first);
    }
    let all = symmetric::symmetric_types(script, &loaded.types, roots, Trust::Nothing);
    for name in &options.types {
        let found = all.iter().find(|t| is_called(script, t, name));
        if found.is_none_or(|t| !t.is_usable()) {
            return Err(not_symmetric(name, assertion.span, found));
        }
    }
    let chosen = |t: &SymmetricType| {
        options.types.is_empty() || options.types.iter().any(|n| is_called(script, t, n))
    };
    Ok(all
        .into_iter()
        .filter(|t| t.members.len() > 1 && chosen(t))
        .collect())
}

/// Whether people may mean this type by a name: that of the datatype, or that of its symmetric part.
fn is_called(script: &Script, symmetric: &SymmetricType, name: &str) -> bool {
    *script.types[symmetric.datatype.0 as usize].name == *name
        || *type_name(script, symmetric) == *name
}

/// Why a type that was asked for cannot be used: the place of each constant that stands in the way.
fn not_symmetric(name: &str, span: Span, found: Option<&SymmetricType>) -> Box<Diagnostic> {
    let message = format!("no two values of `{name}` are interchangeable in this assertion");
    let mut error = Diagnostic::error("E0502", span, message);
    match found {
        None => {
            error = error.note(format!(
                "there is no datatype `{name}` with two or more atomic values"
            ));
        }
        Some(symmetric) => {
            for (_, place, why) in &symmetric.excluded {
                error = error.also(*place, why.clone());
            }
        }
    }
    Box::new(error)
}

/// The atoms of symmetric types.
#[must_use]
pub fn atom_types(script: &Script, types: &[SymmetricType]) -> AtomTypes {
    let named: Vec<_> = types
        .iter()
        .map(|t| (type_name(script, t), t.members.clone()))
        .collect();
    AtomTypes::new(&named)
}

/// What people call a symmetric subtype: the datatype itself if nothing is left out, else the name of
/// a definition `X = diff(T, {C, …})` that leaves out the same, else the datatype's name.
#[must_use]
pub fn type_name(script: &Script, symmetric: &SymmetricType) -> Rc<str> {
    use crate::script::core::{Builtin, ExprKind, GlobalKind, Items};
    let datatype = &script.types[symmetric.datatype.0 as usize];
    let leaves_out_the_same = |body: &Expr| {
        let ExprKind::Apply(function, args) = &body.kind else {
            return false;
        };
        let (ExprKind::Builtin(Builtin::Diff), [all, out]) = (&function.kind, &args[..]) else {
            return false;
        };
        let (ExprKind::Type(of), ExprKind::Set(Items::List(listed), stmts)) =
            (&all.kind, &out.kind)
        else {
            return false;
        };
        *of == symmetric.datatype
            && stmts.is_empty()
            && listed.len() + symmetric.members.len() == datatype.clauses.len()
            && listed
                .iter()
                .all(|e| matches!(e.kind, ExprKind::Ctor(c) if !symmetric.members.contains(&c)))
    };
    if symmetric.members.len() < datatype.clauses.len() {
        for global in &script.globals {
            if let GlobalKind::Value(body) | GlobalKind::Nametype(body) = &global.kind
                && leaves_out_the_same(body)
            {
                return Rc::clone(&global.name);
            }
        }
    }
    Rc::clone(&datatype.name)
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
        types: &[SymmetricType],
        options: &Options,
        cancel: &Cancel,
    ) -> Result<Self> {
        let script = &loaded.script;
        let explore_max = options.limits.local_states_max;
        let eval = Evaluator::new(Rc::clone(script), &options.limits, cancel.clone());
        let mut machine = Machine::new(eval, atom_types(script, types));
        let imp = machine.eval.process(question.implementation)?;
        let network = Network::new(&mut machine, imp, explore_max)?;
        let specification = match question.specification {
            Some(expr) => {
                let term = machine.eval.process(expr)?;
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
    /// Compiles both sides of assertion `index` (from 0).
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
        let started = Instant::now();
        let script = &loaded.script;
        let question = question(script, index)?;
        let roots: Vec<&Expr> = question
            .specification
            .into_iter()
            .chain([question.implementation])
            .collect();
        let types = reduction_types(loaded, index, &roots, options)?;
        let demanded =
            options.symmetry == Some(true) || script.assertions[index].symmetry.is_some();
        let compiled = Compiled::new(loaded, &question, &types, options, cancel)?;
        let compiled = match compiled.verified() {
            Err(mut why) if demanded => {
                why.span.get_or_insert(script.assertions[index].span);
                return Err(why);
            }
            Err(_) => Compiled::new(loaded, &question, &[], options, cancel)?,
            Ok(()) => compiled,
        };
        let Compiled {
            machine,
            network,
            specification,
        } = compiled;
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

    /// Whether the assertion forbids divergence.
    #[must_use]
    pub fn divergence_counts(&self) -> bool {
        self.divergence
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
        let mut sides = self.sides();
        let found = search(&mut sides, control).and_then(|search| {
            let searched = before.elapsed().as_secs_f64();
            let conclusion = conclude(&mut sides, &search, asked, control)?;
            Ok((search.figures, searched, conclusion))
        });
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
            nodes: self.specification.as_ref().map(Specification::len),
            components: formats.first().map_or(0, |f| f.components.len()),
            rules: formats.iter().map(|f| f.rules.list.len()).sum(),
            formats: formats.len(),
            ..Statistics::default()
        }
    }
}
