//! Declarations, and where they are allowed.

use super::assertion::assertion;
use super::literal;
use super::pattern::{pattern, patterns};
use super::types::scheme;
use super::{Around, DeclLowering, Enclosing, ExprLowering};
use crate::source::stack::deep;
use crate::source::{Diagnostic, Span};
use crate::syntax::ast::{Decl, DeclKind, Expr, Ident};
use crate::syntax::grammar::{Pair, Rule, parts};
use crate::syntax::words::code;

impl<'a> DeclLowering<'a> {
    /// One declaration of the grammar: none or several of the tree, because of includes.
    pub(super) fn decl(&self, pair: Pair<'_>) -> Vec<Decl> {
        deep(|| self.decl_now(pair))
    }

    fn decl_now(&self, pair: Pair<'_>) -> Vec<Decl> {
        let span = self.piece.span(&pair);
        self.refuse_misplaced(&pair);
        // The declarations of the file take the place of the `include`, as if they were written
        // here.
        if pair.as_rule() == Rule::include {
            return match parts(pair).next() {
                Some(name) => {
                    let at = self.piece.span(&name);
                    let target = literal::string(name.as_str());
                    self.around.script.include(self.piece.file, at, &target)
                }
                None => Vec::new(),
            };
        }
        self.decl_kind(pair, span)
            .map(|kind| Decl { kind, span })
            .into_iter()
            .collect()
    }

    fn decl_kind(&self, pair: Pair<'_>, span: Span) -> Option<DeclKind> {
        let rule = pair.as_rule();
        Some(match rule {
            Rule::clause => self.clause(pair, span)?,
            Rule::module => self.module(pair, span),
            Rule::timed => self.timed(pair),
            Rule::datatype => self.datatype(pair, span),
            Rule::assertion => DeclKind::Assert(assertion(&self.exprs(), pair)?),
            _ => {
                let text = pair.as_str();
                let mut inner = parts(pair);
                let first = inner.next()?;
                match rule {
                    Rule::binding => DeclKind::Pattern {
                        pattern: pattern(self.piece, first),
                        body: self.expr(inner.next()?),
                    },
                    Rule::annotation => {
                        self.refuse_glued(text, span);
                        DeclKind::Annotation {
                            names: self.piece.idents(first),
                            scheme: scheme(self.piece, inner.next()?),
                        }
                    }
                    Rule::channel => DeclKind::Channel {
                        names: self.piece.idents(first),
                        fields: inner.next().map(|e| self.expr(e)),
                    },
                    Rule::nametype => DeclKind::Nametype {
                        name: self.piece.ident(&first),
                        body: self.expr(inner.next()?),
                    },
                    Rule::external => DeclKind::External(self.piece.idents(first)),
                    Rule::transparent => DeclKind::Transparent(self.piece.idents(first)),
                    Rule::print => DeclKind::Print(self.expr(first)),
                    _ => DeclKind::Instance {
                        name: self.piece.ident(&first),
                        module: self.piece.ident(&inner.next()?),
                        args: inner
                            .next()
                            .map(|a| parts(a).map(|e| self.expr(e)).collect())
                            .unwrap_or_default(),
                    },
                }
            }
        })
    }

    fn clause(&self, pair: Pair<'_>, span: Span) -> Option<DeclKind> {
        let mut name = None;
        let mut groups = Vec::new();
        let mut body: Option<Expr> = None;
        for part in parts(pair) {
            match part.as_rule() {
                Rule::ident => name = Some(part),
                Rule::params => groups.push(patterns(self.piece, part)),
                _ => body = Some(self.expr(part)),
            }
        }
        Some(DeclKind::Clause {
            name: self.piece.ident_or_empty(name, span),
            groups,
            body: body?,
        })
    }

    fn datatype(&self, pair: Pair<'_>, span: Span) -> DeclKind {
        // Asked of all children: words are left out of `parts`.
        let subtype = pair
            .clone()
            .into_inner()
            .any(|p| p.as_rule() == Rule::kw_subtype);
        let mut inner = parts(pair);
        let name = self.piece.ident_or_empty(inner.next(), span);
        let clauses = inner
            .map(|c| {
                let mut inner = parts(c);
                let name = self.piece.ident_or_empty(inner.next(), span);
                (name, inner.next().map(|e| self.expr(e)))
            })
            .collect();
        DeclKind::Datatype {
            subtype,
            name,
            clauses,
        }
    }

    fn module(&self, pair: Pair<'_>, span: Span) -> DeclKind {
        let mut name = None;
        let mut params: Vec<Ident> = Vec::new();
        let (mut private, mut exports) = (Vec::new(), Vec::new());
        let inside = Enclosing {
            in_module: true,
            ..self.around.enclosing
        };
        for part in parts(pair) {
            match part.as_rule() {
                Rule::ident => name = Some(part),
                Rule::module_params => {
                    params = parts(part).flat_map(|n| self.piece.idents(n)).collect();
                }
                Rule::module_private => private = self.decls_in(inside, part),
                _ => exports = self.decls_in(inside, part),
            }
        }
        DeclKind::Module {
            name: self.piece.ident_or_empty(name, span),
            params,
            private,
            exports,
        }
    }

    fn timed(&self, pair: Pair<'_>) -> DeclKind {
        let inside = Enclosing {
            in_timed: true,
            ..self.around.enclosing
        };
        let (mut durations, mut decls) = (None, Vec::new());
        for part in parts(pair) {
            if part.as_rule() == Rule::decls {
                decls = self.decls_in(inside, part);
            } else {
                durations = Some(self.expr(part));
            }
        }
        DeclKind::Timed { durations, decls }
    }

    /// The declarations of a `let`.
    pub(super) fn let_decls(&self, pair: Pair<'_>) -> Vec<Decl> {
        let inside = Enclosing {
            in_let: true,
            ..self.around.enclosing
        };
        self.decls_in(inside, pair)
    }

    fn decls_in(&self, enclosing: Enclosing, pair: Pair<'_>) -> Vec<Decl> {
        let around = Around {
            enclosing,
            ..self.around
        };
        let inner = Self { around, ..*self };
        // A module wraps its two lists once more.
        let list = if pair.as_rule() == Rule::decls {
            Some(pair)
        } else {
            parts(pair).next()
        };
        let decls = list.into_iter().flat_map(parts);
        decls.flat_map(|d| inner.decl(d)).collect()
    }

    fn expr(&self, pair: Pair<'_>) -> Expr {
        self.exprs().expr(pair)
    }

    fn exprs(&self) -> ExprLowering<'a> {
        let Self { piece, around } = *self;
        ExprLowering { piece, around }
    }

    fn refuse_misplaced(&self, pair: &Pair<'_>) {
        let Some(what) = declared(pair.as_rule()) else {
            return;
        };
        let Some(inside) = forbidden(pair.as_rule(), self.around.enclosing) else {
            return;
        };
        // A module may be hundreds of lines long; its first line says which.
        let first_line = pair.as_str().lines().next().unwrap_or_default().len();
        let span = self.piece.span(pair);
        self.piece.report(
            Diagnostic::error(
                code::MISPLACED,
                Span {
                    end: span.start + first_line as u32,
                    ..span
                },
                format!("{what} cannot stand inside {inside}"),
            )
            .label("not allowed here")
            .note("move it to the top level of the file"),
        );
    }

    /// `f::T` is a path; an annotation needs a blank on one side at least.
    fn refuse_glued(&self, text: &str, span: Span) {
        let Some(at) = text.find("::") else { return };
        let blank = |c: Option<char>| c.is_some_and(char::is_whitespace);
        if !blank(text[..at].chars().next_back()) && !blank(text[at + 2..].chars().next()) {
            let start = span.start + at as u32;
            self.piece.report(
                Diagnostic::error(
                    code::GLUED,
                    Span {
                        start,
                        end: start + 2,
                        ..span
                    },
                    "a type annotation needs a blank beside `::`",
                )
                .write_here(" :: ")
                .note("without a blank, `a::b` means the `b` of the module `a`"),
            );
        }
    }
}

/// The kinds of declarations that are not allowed everywhere, in words.
fn declared(rule: Rule) -> Option<&'static str> {
    Some(match rule {
        Rule::channel => "a channel declaration",
        Rule::datatype => "a datatype",
        Rule::nametype => "a nametype",
        Rule::assertion => "an assertion",
        Rule::module => "a module",
        Rule::instance => "an instance",
        Rule::print => "`print`",
        _ => return None,
    })
}

/// Inside what the declaration is forbidden, if it is.
fn forbidden(rule: Rule, around: Enclosing) -> Option<&'static str> {
    let assert_or_print = matches!(rule, Rule::assertion | Rule::print);
    // The innermost that matters: nothing of this list may stand in a `let`, wherever the `let` is.
    if around.in_let {
        Some("`let`")
    } else if around.in_module && assert_or_print {
        Some("a module")
    } else if around.in_timed && rule == Rule::print {
        Some("a timed section")
    } else {
        None
    }
}
