//! Assertions and their options.

use super::Pen;
use super::expression::write_expr;
use super::level::Fit;
use crate::syntax::ast::{
    Assertion, AssertionKind, AssertionOption, Expr, Model, Property, SymmetrySpec,
};

pub(super) fn write_assertion(pen: &mut Pen, assertion: &Assertion) {
    pen.write("assert ");
    if assertion.negated {
        pen.write("not ");
    }
    assertion_kind(pen, &assertion.kind);
    for option in &assertion.options {
        write_option(pen, option);
    }
}

fn assertion_kind(pen: &mut Pen, kind: &AssertionKind) {
    match kind {
        AssertionKind::Refinement { spec, model, imp } => {
            subject(pen, spec);
            pen.write(" [");
            pen.write(model.name());
            pen.write("= ");
            write_expr(pen, imp, Fit::FREE);
        }
        AssertionKind::Property {
            process,
            property,
            model,
        } => {
            subject(pen, process);
            write_property(pen, property_name(*property), *model);
        }
        AssertionKind::HasTrace {
            process,
            model,
            trace,
        } => {
            subject(pen, process);
            write_property(pen, "has trace", *model);
            pen.write(": ");
            write_expr(pen, trace, Fit::FREE);
        }
        AssertionKind::Symmetric { process, types } => {
            subject(pen, process);
            write_property(pen, "symmetric", None);
            pen.write(": ");
            write_specs(pen, types);
        }
    }
}

/// The process of an assertion. A leading `not` would be parsed as part of the assertion.
fn subject(pen: &mut Pen, process: &Expr) {
    let from = pen.text.len();
    write_expr(pen, process, Fit::FREE);
    // Looked for in the text: the `not` may be the leftmost part of a larger expression.
    if pen.text[from..].starts_with("not ") {
        pen.text.insert(from, '(');
        pen.write(")");
    }
}

fn write_property(pen: &mut Pen, name: &str, model: Option<Model>) {
    pen.write(" :[");
    pen.write(name);
    if let Some(model) = model {
        pen.write(" [");
        pen.write(model.name());
        pen.write("]");
    }
    pen.write("]");
}

fn write_option(pen: &mut Pen, option: &AssertionOption) {
    match option {
        AssertionOption::TauPriority(set, _) => {
            pen.write(" :[tau priority]: ");
            write_expr(pen, set, Fit::FREE);
        }
        AssertionOption::PartialOrder(mode, _) => {
            pen.write(" :[partial order reduce");
            if let Some(mode) = mode {
                pen.bracket(" [", "]", |pen| pen.write(mode));
            }
            pen.write("]");
        }
        AssertionOption::Symmetry(specs, _) => {
            pen.write(" :[symmetry reduce]");
            if !specs.is_empty() {
                pen.write(": ");
                write_specs(pen, specs);
            }
        }
    }
}

fn write_specs(pen: &mut Pen, specs: &[SymmetrySpec]) {
    pen.list(specs, |pen, spec| {
        if spec.fixed.is_empty() {
            pen.write(&spec.name.text);
        } else {
            pen.write("diff(");
            pen.write(&spec.name.text);
            pen.write(", {|");
            pen.names(&spec.fixed);
            pen.write("|})");
        }
    });
}

fn property_name(property: Property) -> &'static str {
    match property {
        Property::DeadlockFree => "deadlock free",
        Property::DivergenceFree => "divergence free",
        Property::Deterministic => "deterministic",
    }
}
