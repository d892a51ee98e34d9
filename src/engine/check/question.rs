//! Questions of assertions to the engine.

use super::options::Options;
use super::structural::PreservedProperties;
use crate::machine::Machine;
use crate::machine::bisimilar::Visible;
use crate::process::term::Term;
use crate::reductions::partial_order::SearchAim;
use crate::reductions::table::{ReductionKind, ReductionSet, Requirement, obstacle};
use crate::script::core::{AssertionKind, Expr, Model, Property, Script};
use crate::search::product::Demands;
use crate::source::diagnostic::Result;
use crate::source::{Diagnostic, Span};
use crate::specification::NodeEquivalence;

/// The question of an assertion to the engine.
#[derive(Clone, Copy)]
pub(crate) struct Question<'a> {
    pub(super) specification: Option<&'a Expr>,
    pub(crate) implementation: &'a Expr,
    /// A trace to follow; then nothing else is asked.
    pub(super) trace: Option<(&'a Expr, Model)>,
    /// Events below τ and ✓ in priority, on both sides.
    pub(super) below_silence: Option<&'a Expr>,
    pub(super) demands: Demands,
    pub(super) divergence: bool,
    /// Whether the assertion asks for partial order reduction.
    pub(super) partial_order: bool,
}

impl<'a> Question<'a> {
    /// A question that demands nothing of a process.
    pub(crate) fn of_process(process: &'a Expr) -> Self {
        Self {
            specification: None,
            implementation: process,
            trace: None,
            below_silence: None,
            demands: Demands::default(),
            divergence: false,
            partial_order: false,
        }
    }

    /// The expressions in which types have to be symmetric.
    pub(crate) fn roots(&self) -> Vec<&Expr> {
        let lazy = self.specification.into_iter().chain([self.implementation]);
        lazy.chain(self.below_silence).collect()
    }

    /// Whether a requirement of a reduction holds, if it depends on the assertion and the options; others depend on the
    /// network.
    pub(super) fn meets(&self, requirement: Requirement, options: &Options) -> bool {
        match requirement {
            Requirement::NoCounting => !options.count_full,
            Requirement::NoTrace => self.trace.is_none(),
            Requirement::NoDeterminism => !self.demands.determinism,
            Requirement::NoRefusalTesting => !self.demands.refusal_testing,
            Requirement::NoDivergence => !self.divergence,
            Requirement::FixedForm
            | Requirement::Explored
            | Requirement::NoPriorities
            | Requirement::Symmetric
            | Requirement::NoCopies
            | Requirement::UniqueRepresentatives => true,
        }
    }

    /// Whether the assertion and the options allow a reduction beside others.
    pub(super) fn may_use(
        &self,
        kind: ReductionKind,
        used: ReductionSet,
        options: &Options,
    ) -> bool {
        obstacle(kind, used, |requirement| self.meets(requirement, options)).is_none()
    }

    /// Equivalence of nodes of the specification.
    pub(super) fn compared(&self) -> NodeEquivalence {
        NodeEquivalence {
            acceptances: self.demands.acceptances,
            divergence: self.demands.divergent_allows_all,
        }
    }

    /// Whether more than failures and divergences of processes is observed. Compressions such as `normal` must then
    /// preserve it.
    pub(crate) fn shows_states(&self) -> bool {
        self.demands.revivals || self.demands.refusal_testing
    }

    /// Properties that a structural symmetry has to preserve.
    pub(crate) fn preserved(&self) -> PreservedProperties {
        PreservedProperties {
            names: self.visible() == Visible::Named,
            acceptances: self.demands.acceptances,
            divergence: self.demands.divergent_allows_all,
            refusals: self.demands.refusal_testing,
        }
    }

    /// Violations that the search has to find.
    pub(super) fn sought(&self) -> SearchAim {
        SearchAim {
            events: self.visible() == Visible::Named,
            divergence: self.divergence,
            deadlock: self.demands.progress,
        }
    }

    /// How visible events are distinguished.
    pub(super) fn visible(&self) -> Visible {
        let by_name = self.specification.is_some() || self.demands.determinism;
        if by_name {
            Visible::Named
        } else {
            Visible::Alike
        }
    }
}

pub(super) fn unsupported(span: Span, what: &str) -> Box<Diagnostic> {
    let message = format!("{what} is not supported");
    Box::new(Diagnostic::error("E0601", span, message))
}

pub(crate) fn question(script: &Script, index: usize) -> Result<Question<'_>> {
    let assertion = &script.assertions[index];
    let blank = |implementation| Question {
        specification: None,
        implementation,
        trace: None,
        below_silence: assertion.tau_priority.as_ref(),
        demands: Demands::default(),
        divergence: false,
        partial_order: assertion.partial_order.is_some(),
    };
    match &assertion.kind {
        AssertionKind::Refinement { spec, model, imp } => {
            let demands = refinement(*model);
            Ok(Question {
                specification: Some(spec),
                demands,
                divergence: demands.divergent_allows_all,
                ..blank(imp)
            })
        }
        AssertionKind::Property {
            process,
            property,
            model,
        } => {
            let model = model.unwrap_or(Model::FailuresDivergences);
            let divergence = supported(model, assertion.span)? == Model::FailuresDivergences;
            let question = Question {
                divergence,
                ..blank(process)
            };
            Ok(property_question(question, *property))
        }
        AssertionKind::HasTrace {
            process,
            model,
            trace,
        } => {
            let model = model.unwrap_or(Model::FailuresDivergences);
            Ok(Question {
                trace: Some((trace, supported(model, assertion.span)?)),
                ..blank(process)
            })
        }
        AssertionKind::Symmetric { .. } => Err(unsupported(assertion.span, "`:[symmetric]`")),
    }
}

/// Demands on the implementation for refinement in a model.
fn refinement(model: Model) -> Demands {
    let revivals = matches!(model, Model::Revivals | Model::RevivalsDivergences);
    let refusal_testing = matches!(model, Model::Refusals | Model::RefusalsDivergences);
    Demands {
        acceptances: model != Model::Traces,
        divergent_allows_all: matches!(
            model,
            Model::FailuresDivergences | Model::RevivalsDivergences | Model::RefusalsDivergences
        ),
        revivals,
        refusal_testing,
        ..Demands::default()
    }
}

/// The model of a property or a trace.
fn supported(model: Model, span: Span) -> Result<Model> {
    if !model.is_of_refinement_alone() {
        return Ok(model);
    }
    let name = model.name();
    let message = format!("the model {name} is not supported for anything but refinement");
    let error = Diagnostic::error("E0604", span, message);
    Err(Box::new(error.note(Model::OF_ALL)))
}

fn property_question(question: Question<'_>, property: Property) -> Question<'_> {
    match property {
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
            specification: Some(question.implementation),
            demands: Demands {
                determinism: true,
                ..Demands::default()
            },
            ..question
        },
    }
}

/// Evaluates the process of one side, with the assertion's priority of τ and ✓, which applies to both sides.
pub(crate) fn side(machine: &mut Machine, question: &Question<'_>, e: &Expr) -> Result<Term> {
    let process = machine.eval.process(e)?;
    match question.below_silence {
        Some(set) => machine.eval.silence_first(process, set),
        None => Ok(process),
    }
}
