//! Assertions and their options.

use std::mem::discriminant;
use std::rc::Rc;

use super::ExprLowering;
use super::piece::Piece;
use crate::source::Diagnostic;
use crate::syntax::ast::{
    Assertion, AssertionKind, AssertionOption, Expr, Model, Property, SymmetrySpec,
};
use crate::syntax::grammar::{Pair, Rule, parts};
use crate::syntax::words::code;

pub(super) fn assertion(exprs: &ExprLowering<'_>, pair: Pair<'_>) -> Option<Assertion> {
    let piece = exprs.piece;
    let span = piece.span(&pair);
    // Asked of all children: words are left out of `parts`.
    let negated = pair
        .clone()
        .into_inner()
        .any(|p| p.as_rule() == Rule::kw_not);
    let mut inner = parts(pair);
    let process = exprs.expr(inner.next()?);
    let kind = assertion_kind(exprs, process, inner.next()?)?;
    let mut options: Vec<AssertionOption> = Vec::new();
    for part in inner {
        let place = piece.span(&part);
        let Some(option) = assertion_option(exprs, part) else {
            continue;
        };
        if let Some(earlier) = options
            .iter()
            // By kind, whatever they contain: two different sets of priority events contradict
            // each other as well.
            .find(|o| discriminant(*o) == discriminant(&option))
        {
            piece.report(
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

fn assertion_kind(
    exprs: &ExprLowering<'_>,
    process: Expr,
    pair: Pair<'_>,
) -> Option<AssertionKind> {
    let piece = exprs.piece;
    let rule = pair.as_rule();
    let mut model = None;
    let mut rest = Vec::new();
    for part in parts(pair) {
        // Told apart by the rule: there may be a model, an expression, both or neither.
        if part.as_rule() == Rule::model {
            model = written_model(piece, part);
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
                imp: exprs.expr(rest.next()?),
            });
        }
        Rule::has_trace => {
            return Some(AssertionKind::HasTrace {
                process,
                model,
                trace: exprs.expr(rest.next()?),
            });
        }
        Rule::symmetric => {
            let types = specs(piece, rest.next()?);
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

/// The model that is asked for by name, as in `:[deadlock free [FD]]`.
fn written_model(piece: &Piece, pair: Pair<'_>) -> Option<Model> {
    let name = parts(pair).next()?;
    let model = model_named(name.as_str());
    if model.is_none() {
        piece.report(
            Diagnostic::error(
                code::ASSERTION,
                piece.span(&name),
                format!("there is no model called `{}`", name.as_str()),
            )
            .note(
                "the models are `T` (traces), `F` (failures) and `FD` (failures-divergences), and of refinement also `V` \
                 and `VD` (revivals) and `R` and `RD` (refusal testing)",
            ),
        );
    }
    model
}

fn assertion_option(exprs: &ExprLowering<'_>, pair: Pair<'_>) -> Option<AssertionOption> {
    let piece = exprs.piece;
    let span = piece.span(&pair);
    let rule = pair.as_rule();
    let inner = parts(pair).next();
    Some(match rule {
        Rule::tau_priority => AssertionOption::TauPriority(exprs.expr(inner?), span),
        Rule::partial_order => {
            AssertionOption::PartialOrder(inner.and_then(|mode| reduce_mode(piece, &mode)), span)
        }
        _ => AssertionOption::Symmetry(inner.map(|s| specs(piece, s)).unwrap_or_default(), span),
    })
}

fn reduce_mode(piece: &Piece, mode: &Pair<'_>) -> Option<Rc<str>> {
    let name = mode.as_str();
    if ["precise", "hybrid", "fast"].contains(&name) {
        return Some(Rc::from(name));
    }
    piece.report(
        Diagnostic::error(
            code::ASSERTION,
            piece.span(mode),
            format!("there is no partial order reduction called `{name}`"),
        )
        .note("it is `precise`, `hybrid` or `fast`"),
    );
    None
}

fn specs(piece: &Piece, pair: Pair<'_>) -> Vec<SymmetrySpec> {
    parts(pair).filter_map(|p| spec(piece, p)).collect()
}

fn spec(piece: &Piece, pair: Pair<'_>) -> Option<SymmetrySpec> {
    let span = piece.span(&pair);
    let inner = parts(pair).next()?;
    if inner.as_rule() == Rule::path {
        return Some(SymmetrySpec {
            name: piece.ident(&inner),
            fixed: Vec::new(),
            span,
        });
    }
    let mut names = piece.idents(inner).into_iter();
    Some(SymmetrySpec {
        name: names.next()?,
        fixed: names.collect(),
        span,
    })
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
        "V" => Model::Revivals,
        "VD" => Model::RevivalsDivergences,
        "R" => Model::Refusals,
        "RD" => Model::RefusalsDivergences,
        _ => return None,
    })
}
