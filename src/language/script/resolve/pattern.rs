//! Resolving patterns: constants are distinguished from variables, sequences split into three parts.

use std::rc::Rc;

use super::locals::Variables;
use super::names::NameTable;
use super::scope::Entity;
use crate::script::core::{Pattern, PatternKind, VariableId};
use crate::source::stack::deep;
use crate::source::{Diagnostic, Span};
use crate::syntax::ast;

/// The way in which a variable of a pattern gets its slot.
pub(super) enum Binder<'a> {
    /// A new one in the innermost scope.
    Fresh,
    /// It was declared in the innermost scope before (`let`).
    Declared,
    /// A new one that is no name at all; the list says which name it belongs to (top level).
    Listed(&'a mut Vec<(Rc<str>, VariableId)>),
}

/// Resolves patterns; their variables are usable as soon as it is done.
pub(super) struct Patterns<'r, 'b> {
    pub names: &'r mut NameTable,
    pub locals: &'r mut Variables,
    pub binder: Binder<'b>,
}

impl Patterns<'_, '_> {
    pub fn pattern(&mut self, p: &ast::Pattern) -> Pattern {
        deep(|| {
            let kind = self.pattern_kind(p);
            Pattern { kind, span: p.span }
        })
    }

    fn patterns(&mut self, ps: &[ast::Pattern]) -> Vec<Pattern> {
        ps.iter().map(|p| self.pattern(p)).collect()
    }

    fn pattern_kind(&mut self, p: &ast::Pattern) -> PatternKind {
        use ast::PatternKind as A;
        match &p.kind {
            A::Name(name) => self.pattern_name(name, p.span),
            A::Wild => PatternKind::Wild,
            A::Int(i) => PatternKind::Int(*i),
            A::Bool(b) => PatternKind::Bool(*b),
            A::Char(c) => PatternKind::Char(*c),
            A::Str(s) => PatternKind::Seq(characters(s, p.span)),
            A::Tuple(ps) => PatternKind::Tuple(self.patterns(ps)),
            A::Seq(ps) => PatternKind::Seq(self.patterns(ps)),
            A::Concat(..) => self.concatenation(p),
            A::Dot(..) => self.dotted(p),
            A::Set(ps) => self.set_pattern(ps, p.span),
            A::Both(a, b) => {
                PatternKind::Both(Box::new(self.pattern(a)), Box::new(self.pattern(b)))
            }
            A::Paren(inner) => self.pattern(inner).kind,
        }
    }

    /// Constructors and channels are constants, every other name binds.
    fn pattern_name(&mut self, name: &Rc<str>, span: Span) -> PatternKind {
        match self.names.scopes.lookup(name) {
            Some(Entity::Ctor(c)) => return PatternKind::Ctor(c),
            Some(Entity::Channel(c)) => return PatternKind::Channel(c),
            Some(Entity::Skipped) if name.contains("::") => return PatternKind::Wild,
            _ => {}
        }
        // A path binds nothing: it is a constant, or a mistake.
        if name.contains("::") {
            if self.names.scopes.path(name).is_ok() {
                let message = format!("`{name}` is neither a constructor nor a channel");
                self.names.errors.report(
                    Diagnostic::error("E0226", span, message)
                        .label("a pattern cannot match this")
                        .note("match a variable, and compare it with `==`"),
                );
            } else {
                self.names.unbound(name, span);
            }
            return PatternKind::Wild;
        }
        match &mut self.binder {
            Binder::Declared => match self.names.scopes.innermost(name) {
                Some(binding) => match binding.entity {
                    Entity::Local(local) => PatternKind::Bind(local),
                    _ => PatternKind::Wild,
                },
                None => PatternKind::Wild,
            },
            Binder::Listed(list) => {
                let local = self.locals.fresh(name);
                list.push((Rc::clone(name), local));
                PatternKind::Bind(local)
            }
            Binder::Fresh => {
                if let Some(earlier) = self.names.scopes.innermost(name) {
                    self.names.errors.report(
                        Diagnostic::error(
                            "E0205",
                            span,
                            format!("the variable `{name}` is bound twice"),
                        )
                        .label("bound again here")
                        .also(earlier.span, "first bound here")
                        .note("use another name and compare the two"),
                    );
                    return PatternKind::Wild;
                }
                let local = self.locals.fresh(name);
                self.names.scopes.define(name, Entity::Local(local), span);
                PatternKind::Bind(local)
            }
        }
    }

    fn set_pattern(&mut self, ps: &[ast::Pattern], span: Span) -> PatternKind {
        match ps {
            [] => PatternKind::EmptySet,
            [p] => PatternKind::Singleton(Box::new(self.pattern(p))),
            _ => {
                self.patterns(ps);
                self.names.errors.report(
                    Diagnostic::error("E0207", span, "a set pattern has at most one element")
                        .note("sets have no order, so nothing says which element is which"),
                );
                PatternKind::Wild
            }
        }
    }

    fn dotted(&mut self, p: &ast::Pattern) -> PatternKind {
        let mut leaves = Vec::new();
        dot_leaves(p, &mut leaves);
        PatternKind::Dot(leaves.into_iter().map(|l| self.pattern(l)).collect())
    }

    /// `<p>^s^<q>`: everything of known length joins the front or the back.
    fn concatenation(&mut self, p: &ast::Pattern) -> PatternKind {
        let mut leaves = Vec::new();
        concat_leaves(p, &mut leaves);
        let (mut front, mut middle, mut back) = (Vec::new(), None, Vec::new());
        for leaf in leaves {
            let resolved = self.pattern(leaf);
            let side = if middle.is_none() {
                &mut front
            } else {
                &mut back
            };
            match resolved.kind {
                // `<a>^<b>` has a known length, as `<a, b>` has; before the part of unknown length
                // it is the front, after it the back.
                PatternKind::Seq(items) => side.extend(items),
                PatternKind::Concat(..)
                | PatternKind::Bind(_)
                | PatternKind::Wild
                | PatternKind::Both(..)
                    if middle.is_none() =>
                {
                    middle = Some(resolved);
                }
                PatternKind::Concat(..)
                | PatternKind::Bind(_)
                | PatternKind::Wild
                | PatternKind::Both(..) => {
                    // `xs^ys` could be split at every place.
                    let first = middle.as_ref().map_or(p.span, |m: &Pattern| m.span);
                    self.names.errors.report(
                        Diagnostic::error(
                            "E0206",
                            leaf.span,
                            "two parts of this sequence pattern have unknown length",
                        )
                        .also(first, "the first of them")
                        .note("nothing says where the one ends and the other starts"),
                    );
                }
                _ => self.names.errors.report(
                    Diagnostic::error("E0208", leaf.span, "this pattern is no sequence")
                        .label("`^` joins sequences"),
                ),
            }
        }
        match middle {
            None => PatternKind::Seq(front),
            Some(m) => PatternKind::Concat(front, Box::new(m), back),
        }
    }
}

fn characters(text: &str, span: Span) -> Vec<Pattern> {
    text.chars()
        .map(|c| Pattern {
            kind: PatternKind::Char(c),
            span,
        })
        .collect()
}

/// `.` is associative on values, so brackets inside do not matter.
fn dot_leaves<'a>(p: &'a ast::Pattern, out: &mut Vec<&'a ast::Pattern>) {
    // On a stack of its own and not by recursion: a chain of dots may be as long as the script.
    let mut todo = vec![p];
    while let Some(p) = todo.pop() {
        match &p.kind {
            ast::PatternKind::Dot(a, b) => todo.extend([&**b, &**a]),
            ast::PatternKind::Paren(a) if matches!(strip(a).kind, ast::PatternKind::Dot(..)) => {
                todo.push(a);
            }
            _ => out.push(p),
        }
    }
}

fn concat_leaves<'a>(p: &'a ast::Pattern, out: &mut Vec<&'a ast::Pattern>) {
    let mut todo = vec![p];
    while let Some(p) = todo.pop() {
        match &p.kind {
            ast::PatternKind::Concat(a, b) => todo.extend([&**b, &**a]),
            ast::PatternKind::Paren(a) if matches!(strip(a).kind, ast::PatternKind::Concat(..)) => {
                todo.push(a);
            }
            _ => out.push(p),
        }
    }
}

/// A pattern without its brackets.
pub(super) fn strip(p: &ast::Pattern) -> &ast::Pattern {
    let mut p = p;
    while let ast::PatternKind::Paren(inner) = &p.kind {
        p = inner;
    }
    p
}

/// The names in a pattern, with their places, left to right; constants are among them.
pub(super) fn names_in(p: &ast::Pattern) -> Vec<(Rc<str>, Span)> {
    use ast::PatternKind as A;
    let mut out = Vec::new();
    let mut todo = vec![p];
    while let Some(p) = todo.pop() {
        match &p.kind {
            A::Name(n) => out.push((Rc::clone(n), p.span)),
            A::Tuple(ps) | A::Seq(ps) | A::Set(ps) => todo.extend(ps.iter().rev()),
            A::Concat(a, b) | A::Dot(a, b) | A::Both(a, b) => todo.extend([&**b, &**a]),
            A::Paren(a) => todo.push(a),
            A::Wild | A::Int(_) | A::Bool(_) | A::Char(_) | A::Str(_) => {}
        }
    }
    out
}
