//! The question of an assertion in plain words, known from its text before anything is compiled.

use super::columns::width;
use crate::script::core::{Assertion, AssertionKind, Expr, ExprKind, Model, Property};
use crate::script::load::Loaded;
use crate::source::{Span, visible_line};

/// The question of an assertion, and the processes that it is about.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct QuestionView {
    /// The conditions under which it holds, in sentences.
    pub sentences: Vec<String>,
    /// Its processes, the implementation first.
    pub sides: Vec<AskedSide>,
    /// Whether it asks for partial order reduction.
    pub partial_order: bool,
}

/// A process that an assertion is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AskedSide {
    /// Its part in the assertion, such as `implementation`.
    pub role: &'static str,
    /// The process as the assertion writes it, on one line.
    pub process: String,
    /// The place where the name that it begins with is defined, without the folder, if it begins with one.
    pub place: Option<String>,
}

impl AskedSide {
    /// The process in a sentence: by its text if that is short, or else by its role.
    fn called(&self) -> String {
        short(&self.process, &format!("the {}", self.role))
    }
}

/// Columns up to which an expression stands in a sentence.
const CALLED_MAX: usize = 32;

fn short(text: &str, otherwise: &str) -> String {
    match width(text) {
        0..=CALLED_MAX => text.to_owned(),
        _ => otherwise.to_owned(),
    }
}

/// The question of an assertion.
#[must_use]
pub fn question(loaded: &Loaded, assertion: &Assertion) -> QuestionView {
    let side = |role, e: &Expr| AskedSide {
        role,
        process: folded(loaded, e.span),
        place: definition(loaded, e),
    };
    let (conditions, sides) = match &assertion.kind {
        AssertionKind::Refinement { spec, model, imp } => {
            let (imp, spec) = (side("implementation", imp), side("specification", spec));
            let conditions = refinement(*model, &imp.called(), &spec.called());
            (conditions, vec![imp, spec])
        }
        AssertionKind::Property {
            process,
            property,
            model,
        } => {
            let side = side("process", process);
            (of_property(*property, *model, &side.called()), vec![side])
        }
        AssertionKind::HasTrace {
            process,
            model,
            trace,
        } => {
            let side = side("process", process);
            let trace = short(&folded(loaded, trace.span), "the trace");
            (has_trace(*model, &side.called(), &trace), vec![side])
        }
        AssertionKind::Symmetric { process, types } => {
            let side = side("expression", process);
            let types = types.iter().map(|spec| folded(loaded, spec.span));
            let types = types.collect::<Vec<_>>().join(" and ");
            let text = format!(
                "the text of {} treats all values of {types} alike",
                side.called()
            );
            (text, vec![side])
        }
    };
    let word = if assertion.negated { "unless" } else { "if" };
    let mut sentences = vec![format!("It holds {word} {conditions}.")];
    if let Some(set) = &assertion.tau_priority {
        let set = short(&folded(loaded, set.span), "the set");
        sentences.push(format!(
            "An event of {set} happens only where neither τ nor ✓ can."
        ));
    }
    QuestionView {
        sentences,
        sides,
        partial_order: assertion.partial_order.is_some(),
    }
}

/// The conditions of a refinement, which `assets/manual/refinement.md` explains.
fn refinement(model: Model, imp: &str, spec: &str) -> String {
    let traces = format!("every trace of {imp} is one of {spec}");
    let refusals = format!("what {imp} refuses after a trace {spec} can refuse after it");
    let base = match model {
        Model::Traces => return traces,
        Model::Failures | Model::FailuresDivergences => format!("{traces}, and {refusals}"),
        Model::Revivals | Model::RevivalsDivergences => format!(
            "{traces}, {refusals}, and where {imp} can still perform an event {spec} can perform it with the same refusal"
        ),
        Model::Refusals | Model::RefusalsDivergences => format!(
            "every run of {imp}, with what is seen to be refused before each event, is one of {spec}"
        ),
    };
    match model {
        Model::FailuresDivergences | Model::RevivalsDivergences | Model::RefusalsDivergences => {
            format!("{base}, and {imp} does not diverge, up to where {spec} diverges")
        }
        _ => base,
    }
}

/// The conditions of a property, by default in the model FD.
fn of_property(property: Property, model: Option<Model>, process: &str) -> String {
    let quiet = format!("{process} never goes on for ever without a visible event");
    let main = match property {
        Property::DivergenceFree => return quiet,
        Property::DeadlockFree => {
            format!("no reachable state of {process} is stuck without having terminated")
        }
        Property::Deterministic => format!(
            "{process} never refuses, after a trace, an event that it can perform after the same trace"
        ),
    };
    match model.unwrap_or(Model::FailuresDivergences) {
        Model::FailuresDivergences => format!("{main}, and {quiet}"),
        _ => main,
    }
}

/// The conditions of a trace that a process has to have, by default in the model FD.
fn has_trace(model: Option<Model>, process: &str, trace: &str) -> String {
    let main = format!("{process} can perform {trace}");
    match model.unwrap_or(Model::FailuresDivergences) {
        Model::Traces => main,
        Model::FailuresDivergences => {
            format!("{main}, and on the way neither refuses the next event nor diverges")
        }
        _ => format!("{main}, and on the way never refuses the next event"),
    }
}

/// The text of a place on one line.
fn folded(loaded: &Loaded, span: Span) -> String {
    let words = loaded.sources.text(span).split_whitespace();
    visible_line(&words.collect::<Vec<_>>().join(" ")).into_owned()
}

/// The place of the definition that an expression calls.
fn definition(loaded: &Loaded, e: &Expr) -> Option<String> {
    let mut called = e;
    while let ExprKind::Apply(function, _) = &called.kind {
        called = function;
    }
    let ExprKind::Global(id) = called.kind else {
        return None;
    };
    let global = loaded.script.globals.get(id.0 as usize)?;
    let place = loaded.sources.place(global.span);
    place.rsplit('/').next().map(str::to_owned)
}
