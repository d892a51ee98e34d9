//! Assertions and their options.

use std::mem::discriminant;
use std::rc::Rc;

use super::Lower;
use crate::source::Diagnostic;
use crate::syntax::ast::{
    Assertion, AssertionKind, AssertionOption, Expr, Model, Property, SymmetrySpec,
};
use crate::syntax::grammar::{Pair, Rule, parts};
use crate::syntax::words::code;

impl Lower<'_> {
    pub(super) fn assertion(&self, pair: Pair<'_>) -> Option<Assertion> {
        let span = self.span(&pair);
        // Asked of all children: words are left out of `parts`.
        let negated = pair
            .clone()
            .into_inner()
            .any(|p| p.as_rule() == Rule::kw_not);
        let mut inner = parts(pair);
        let process = self.expr(inner.next()?);
        let kind = self.assertion_kind(process, inner.next()?)?;
        let mut options: Vec<AssertionOption> = Vec::new();
        for part in inner {
            let place = self.span(&part);
            let Some(option) = self.assertion_option(part) else {
                continue;
            };
            if let Some(earlier) = options
                .iter()
                // By kind, whatever they contain: two different sets of priority events contradict
                // each other as well.
                .find(|o| discriminant(*o) == discriminant(&option))
            {
                self.report(
                    Diagnostic::error(code::ASSERTION, place, "this option is given twice")
                        .also(option_span(earlier), "first here"),
                );
            }
            // Kept although it was reported: all errors of a script are shown at once.
            options.push(option);
        }
        Some(Assertion {
            negated,
            kind,
            options,
            span,
        })
    }

    fn assertion_kind(&self, process: Expr, pair: Pair<'_>) -> Option<AssertionKind> {
        let rule = pair.as_rule();
        let mut model = None;
        let mut rest = Vec::new();
        for part in parts(pair) {
            // Told apart by the rule: there may be a model, an expression, both or neither.
            if part.as_rule() == Rule::model {
                model = self.model(part);
            } else {
                rest.push(part);
            }
        }
        let mut rest = rest.into_iter();
        let property = match rule {
            Rule::refinement => {
                let refines = rest.next()?;
                let name = refines.as_str().trim_matches(['[', '=']);
                return Some(AssertionKind::Refinement {
                    spec: process,
                    model: model_named(name)?,
                    imp: self.expr(rest.next()?),
                });
            }
            Rule::has_trace => {
                return Some(AssertionKind::HasTrace {
                    process,
                    model,
                    trace: self.expr(rest.next()?),
                });
            }
            Rule::symmetric => {
                let types = self.specs(rest.next()?);
                return Some(AssertionKind::Symmetric { process, types });
            }
            Rule::deadlock => Property::DeadlockFree,
            Rule::divergence => Property::DivergenceFree,
            _ => Property::Deterministic,
        };
        Some(AssertionKind::Property {
            process,
            property,
            model,
        })
    }

    fn model(&self, pair: Pair<'_>) -> Option<Model> {
        let name = parts(pair).next()?;
        let model = model_named(name.as_str());
        if model.is_none() {
            self.report(
                Diagnostic::error(
                    code::ASSERTION,
                    self.span(&name),
                    format!("there is no model called `{}`", name.as_str()),
                )
                .note(
                    "the models are `T` (traces), `F` (failures) and `FD` (failures-divergences)",
                ),
            );
        }
        model
    }

    fn assertion_option(&self, pair: Pair<'_>) -> Option<AssertionOption> {
        let span = self.span(&pair);
        let rule = pair.as_rule();
        let inner = parts(pair).next();
        Some(match rule {
            Rule::tau_priority => AssertionOption::TauPriority(self.expr(inner?), span),
            Rule::partial_order => {
                AssertionOption::PartialOrder(inner.and_then(|mode| self.reduce_mode(&mode)), span)
            }
            _ => AssertionOption::Symmetry(inner.map(|s| self.specs(s)).unwrap_or_default(), span),
        })
    }

    fn reduce_mode(&self, mode: &Pair<'_>) -> Option<Rc<str>> {
        let name = mode.as_str();
        if ["precise", "hybrid", "fast"].contains(&name) {
            return Some(Rc::from(name));
        }
        self.report(
            Diagnostic::error(
                code::ASSERTION,
                self.span(mode),
                format!("there is no partial order reduction called `{name}`"),
            )
            .note("it is `precise`, `hybrid` or `fast`"),
        );
        None
    }

    fn specs(&self, pair: Pair<'_>) -> Vec<SymmetrySpec> {
        parts(pair).filter_map(|p| self.spec(p)).collect()
    }

    fn spec(&self, pair: Pair<'_>) -> Option<SymmetrySpec> {
        let span = self.span(&pair);
        let inner = parts(pair).next()?;
        if inner.as_rule() == Rule::path {
            return Some(SymmetrySpec {
                name: self.ident(&inner),
                fixed: Vec::new(),
                span,
            });
        }
        let mut names = self.idents(inner).into_iter();
        Some(SymmetrySpec {
            name: names.next()?,
            fixed: names.collect(),
            span,
        })
    }
}

fn option_span(option: &AssertionOption) -> crate::source::Span {
    match option {
        AssertionOption::TauPriority(_, span)
        | AssertionOption::PartialOrder(_, span)
        | AssertionOption::Symmetry(_, span) => *span,
    }
}

fn model_named(name: &str) -> Option<Model> {
    Some(match name {
        "T" => Model::Traces,
        "F" => Model::Failures,
        "FD" => Model::FailuresDivergences,
        // Models that are read and then refused by name: see `script`.
        "V" => Model::Other("V"),
        "VD" => Model::Other("VD"),
        "R" => Model::Other("R"),
        "RD" => Model::Other("RD"),
        _ => return None,
    })
}
