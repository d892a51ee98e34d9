//! Assertions: their expressions, options and text.

use std::rc::Rc;

use super::bodies::Bodies;
use super::scope::Entity;
use crate::script::core::{Assertion, AssertionKind, CtorId, Script, SymmetrySpec, TypeId};
use crate::source::{Diagnostic, Span};
use crate::syntax::ast::{self, AssertionOption, Model};

/// Resolves assertions.
pub(super) struct Assertions<'r> {
    pub bodies: &'r mut Bodies,
    /// With all its datatypes.
    pub script: &'r Script,
}

impl Assertions<'_> {
    pub fn resolve(&mut self, a: &ast::Assertion) -> Assertion {
        let kind = self.assertion_kind(&a.kind, a.span);
        let mut assertion = Assertion {
            text: self.assertion_text(a.span),
            span: a.span,
            negated: a.negated,
            kind,
            symmetry: None,
            tau_priority: None,
            partial_order: None,
        };
        for option in &a.options {
            self.option(option, &mut assertion);
        }
        assertion
    }

    fn option(&mut self, option: &AssertionOption, assertion: &mut Assertion) {
        let (taken, span) = match option {
            AssertionOption::TauPriority(_, s) => (assertion.tau_priority.is_some(), *s),
            AssertionOption::PartialOrder(_, s) => (assertion.partial_order.is_some(), *s),
            AssertionOption::Symmetry(_, s) => (assertion.symmetry.is_some(), *s),
        };
        if taken {
            let message = "this option is given twice";
            self.bodies
                .report(Diagnostic::error("E0215", span, message));
            return;
        }
        match option {
            AssertionOption::TauPriority(e, _) => {
                assertion.tau_priority = Some(self.bodies.expr(e));
            }
            AssertionOption::PartialOrder(_, s) => {
                assertion.partial_order = Some(*s);
                // There is nothing to be searched, but a trace to be followed.
                if matches!(
                    assertion.kind,
                    AssertionKind::HasTrace { .. } | AssertionKind::Symmetric { .. }
                ) {
                    let message = "partial order reduction has no effect here";
                    self.bodies.report(
                        Diagnostic::warning("E0605", *s, message)
                            .note("the assertion is checked without it, which changes no verdict"),
                    );
                }
            }
            AssertionOption::Symmetry(specs, _) => {
                assertion.symmetry = Some(self.symmetry_specs(specs));
            }
        }
    }

    fn assertion_kind(&mut self, kind: &ast::AssertionKind, span: Span) -> AssertionKind {
        match kind {
            ast::AssertionKind::Refinement { spec, model, imp } => AssertionKind::Refinement {
                spec: self.bodies.expr(spec),
                model: *model,
                imp: self.bodies.expr(imp),
            },
            ast::AssertionKind::Property {
                process,
                property,
                model,
            } => {
                self.model(*model, span);
                AssertionKind::Property {
                    process: self.bodies.expr(process),
                    property: *property,
                    model: *model,
                }
            }
            ast::AssertionKind::HasTrace {
                process,
                model,
                trace,
            } => {
                self.model(*model, span);
                AssertionKind::HasTrace {
                    process: self.bodies.expr(process),
                    model: *model,
                    trace: self.bodies.expr(trace),
                }
            }
            ast::AssertionKind::Symmetric { process, types } => AssertionKind::Symmetric {
                process: self.bodies.expr(process),
                types: self.symmetry_specs(types),
            },
        }
    }

    /// Only a warning: the assertion stays in the list, so that the others keep their numbers.
    fn model(&mut self, model: Option<Model>, span: Span) {
        if let Some(model) = model.filter(|model| model.is_of_refinement_alone()) {
            let name = model.name();
            let message = format!("the model {name} is not supported for anything but refinement");
            self.bodies.report(
                Diagnostic::warning("E0604", span, message)
                    .label("this assertion cannot be checked")
                    .note(Model::OF_ALL),
            );
        }
    }

    fn symmetry_specs(&mut self, specs: &[ast::SymmetrySpec]) -> Vec<SymmetrySpec> {
        specs.iter().filter_map(|s| self.symmetry_spec(s)).collect()
    }

    fn symmetry_spec(&mut self, spec: &ast::SymmetrySpec) -> Option<SymmetrySpec> {
        let datatype = match self.bodies.names.scopes.lookup(&spec.name.text) {
            Some(Entity::Type(t)) => t,
            Some(Entity::Skipped) => return None,
            Some(_) => {
                self.not_a_datatype(&spec.name);
                return None;
            }
            None => {
                self.bodies.names.unbound(&spec.name.text, spec.name.span);
                return None;
            }
        };
        let fixed = spec
            .fixed
            .iter()
            .filter_map(|c| self.fixed(c, datatype))
            .collect();
        Some(SymmetrySpec {
            datatype,
            fixed,
            span: spec.span,
        })
    }

    fn not_a_datatype(&mut self, name: &ast::Ident) {
        let message = format!("`{}` is not a datatype", name.text);
        self.bodies.report(
            Diagnostic::error("E0216", name.span, message)
                .note("symmetry is requested as `T` or `diff(T, {|C|})` for a datatype T"),
        );
    }

    fn fixed(&mut self, name: &ast::Ident, datatype: TypeId) -> Option<CtorId> {
        let found = match self.bodies.names.scopes.lookup(&name.text) {
            Some(Entity::Ctor(c)) => Some(c),
            _ => None,
        };
        let list = &self.script.types[datatype.0 as usize];
        match found {
            Some(c) if list.clauses.iter().any(|(d, _)| *d == c) => Some(c),
            _ => {
                let message = format!("`{}` is not a constructor of `{}`", name.text, list.name);
                let place = list.span;
                self.bodies.report(
                    Diagnostic::error("E0217", name.span, message)
                        .also(place, "the datatype is declared here"),
                );
                None
            }
        }
    }

    /// The source text without `assert` and comments, white space folded.
    fn assertion_text(&self, span: Span) -> Rc<str> {
        let text = self.script.sources.text(span);
        // Comments end with their line, so they go before lines are joined.
        let lines: Vec<&str> = text
            .lines()
            .map(|l| l.split_once("--").map_or(l, |(code, _)| code))
            .collect();
        let words: Vec<&str> = lines.iter().flat_map(|l| l.split_whitespace()).collect();
        let folded = words.join(" ");
        let bare = folded.strip_prefix("assert").unwrap_or(&folded);
        bare.trim().into()
    }
}
