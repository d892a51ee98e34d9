//! Timed sections: their `tock`, their durations, and the processes that their translation needs.

use std::rc::Rc;

use super::Resolver;
use super::body::{Pending, Place, Work};
use super::scope::Entity;
use crate::script::annotation::{Annotation, Target};
use crate::script::core::{
    BinOp, Builtin, Clause, Expr, ExprKind, Function, GlobalId, GlobalKind, LocalDef, LocalId,
    Pattern, PatternKind, ProcOp,
};
use crate::source::{Diagnostic, Span};
use crate::syntax::ast::{Ident, TypeExpr, TypeKind, TypeScheme};

/// A definition that the translation refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Callee {
    Global(GlobalId),
    Local(LocalId),
}

/// A Timed section.
#[derive(Clone, Copy, Debug)]
pub(super) struct Section {
    /// The word `Timed`.
    pub span: Span,
    /// What `tock` is; `None` if it is not defined, which is reported.
    pub tock: Option<Entity>,
    /// `TSTOP()`, `TSKIP()`, `WAIT(n)` and `timed_priority(P)`.
    pub helpers: [Callee; 4],
    /// How long events take; one tock if this is `None`.
    pub durations: Option<Callee>,
    /// The layer of scopes that holds it.
    pub layer: usize,
}

/// The names of [`Section::helpers`].
pub(super) const HELPERS: [Builtin; 4] = [
    Builtin::TStop,
    Builtin::TSkip,
    Builtin::Wait,
    Builtin::TimedPriority,
];

impl Section {
    /// A section that is none.
    pub fn nowhere(span: Span) -> Self {
        Self {
            span,
            tock: None,
            helpers: [Callee::Global(GlobalId(u32::MAX)); 4],
            durations: None,
            layer: 0,
        }
    }

    /// The word `Timed` at the start of a section.
    pub fn word(section: Span) -> Span {
        Span {
            end: section.start + "Timed".len() as u32,
            ..section
        }
    }

    /// The local definitions that were made for it.
    pub fn made(&self) -> impl Iterator<Item = LocalId> {
        let all = self.helpers.into_iter().chain(self.durations);
        all.filter_map(|callee| match callee {
            Callee::Local(local) => Some(local),
            Callee::Global(_) => None,
        })
    }

    pub fn helper(&self, b: Builtin) -> Option<Callee> {
        let index = HELPERS.iter().position(|h| *h == b)?;
        Some(self.helpers[index])
    }
}

fn at(kind: ExprKind, span: Span) -> Expr {
    Expr { kind, span }
}

impl Callee {
    pub fn expr(self, span: Span) -> Expr {
        let kind = match self {
            Self::Global(g) => ExprKind::Global(g),
            Self::Local(l) => ExprKind::Local(l),
        };
        at(kind, span)
    }

    pub fn call(self, args: Vec<Expr>, span: Span) -> Expr {
        at(ExprKind::Apply(Box::new(self.expr(span)), args), span)
    }
}

impl Resolver {
    /// The place inside a section. The section is described once all names are declared.
    pub(super) fn open_section(&mut self, span: Span, place: &Place) -> Place {
        let frame = self.scopes.frame();
        for b in [Builtin::Wait, Builtin::TimedPriority] {
            let name = Rc::from(b.name());
            self.scopes
                .define_in(frame, &name, Entity::Builtin(b), span);
        }
        self.sections.push(Section::nowhere(span));
        let mut inner = place.clone();
        inner.frames.push(frame);
        inner.section = Some(self.sections.len() - 1);
        inner
    }

    /// Finds the `tock` of each section not described yet.
    pub(super) fn declare_sections(&mut self, work: &mut Work) {
        for index in self.described..work.sections.len() {
            let (span, durations, place) = work.sections[index].clone();
            self.enter(&place);
            let tock = self.tock(span);
            let same = |s: &&Section| s.tock.is_some() && s.tock == tock;
            let known = self.sections[..index].iter().find(same).map(|s| s.helpers);
            let helpers = known.unwrap_or_else(|| {
                let made = HELPERS.map(|b| {
                    let name = b.name().into();
                    self.anonymous(name, span, Pending::Made, &place, work)
                });
                self.unwritten.push(index);
                made.map(Callee::Global)
            });
            let durations = durations.map(|e| {
                let pending = Pending::Value(e);
                let id = self.anonymous("Timed".into(), e.span, pending, &place, work);
                self.script.globals[id.0 as usize].made = true;
                self.annotations
                    .push(duration_type(Target::Global(id), e.span));
                Callee::Global(id)
            });
            self.sections[index] = Section {
                span,
                tock,
                helpers,
                durations,
                layer: 0,
            };
        }
        self.described = work.sections.len();
    }

    /// What `tock` means here.
    pub(super) fn tock(&mut self, span: Span) -> Option<Entity> {
        match self.scopes.lookup("tock") {
            Some(Entity::Skipped) => None,
            Some(found) => Some(found),
            None => {
                self.report(
                    Diagnostic::error("E0223", span, "`tock` is not defined")
                        .label("a Timed section needs it")
                        .note("add the line `channel tock`: its event is the passing of time"),
                );
                None
            }
        }
    }

    /// Defines the processes of all sections of the top level and of modules.
    pub(super) fn write_sections(&mut self) {
        for index in std::mem::take(&mut self.unwritten) {
            let section = self.sections[index];
            for (which, callee) in HELPERS.into_iter().zip(section.helpers) {
                if let Callee::Global(id) = callee {
                    let function = self.helper(&section, which);
                    self.script.globals[id.0 as usize].kind = GlobalKind::Function(function);
                }
            }
        }
    }

    /// The same for a section in a `let`.
    pub(super) fn local_helpers(&mut self, section: &Section) -> Vec<LocalDef> {
        let mut defs = Vec::new();
        for (which, callee) in HELPERS.into_iter().zip(section.helpers) {
            if let Callee::Local(id) = callee {
                let function = Rc::new(self.helper(section, which));
                defs.push(LocalDef::Function(id, function, section.span));
            }
        }
        defs
    }

    fn helper(&mut self, section: &Section, which: Builtin) -> Function {
        let span = section.span;
        let callee = section.helper(which);
        let this = |args: Vec<Expr>| match callee {
            Some(callee) => callee.call(args, span),
            None => super::broken(span, "not a helper"),
        };
        let clauses = match which {
            Builtin::TStop => {
                let body = self.after_tock(section, this(Vec::new()));
                vec![clause(Vec::new(), body, span)]
            }
            Builtin::TSkip => {
                let wait = Box::new(self.after_tock(section, this(Vec::new())));
                let skip = Box::new(at(ExprKind::Builtin(Builtin::Skip), span));
                let body = at(ExprKind::Process(ProcOp::ExtChoice, wait, skip), span);
                vec![clause(Vec::new(), body, span)]
            }
            Builtin::Wait => {
                let done = match section.helper(Builtin::TSkip) {
                    Some(skip) => skip.call(Vec::new(), span),
                    None => super::broken(span, "not a helper"),
                };
                return self.countdown(section, which.name().into(), done, this);
            }
            _ => {
                let process = self.fresh(&"P".into());
                let tock = self.tock_expr(section, span);
                let levels = at(
                    ExprKind::Seq(
                        crate::script::core::Items::List(vec![
                            set(Vec::new(), span),
                            set(vec![tock], span),
                        ]),
                        Vec::new(),
                    ),
                    span,
                );
                let prioritise = Box::new(at(ExprKind::Builtin(Builtin::Prioritise), span));
                let args = vec![at(ExprKind::Local(process), span), levels];
                let body = at(ExprKind::Apply(prioritise, args), span);
                vec![clause(vec![bind(process, span)], body, span)]
            }
        };
        let arity = clauses[0].groups[0].len();
        Function {
            name: which.name().into(),
            arity: vec![arity],
            clauses,
        }
    }

    /// `f(0) = done` and `f(n) = tock -> f(n - 1)`.
    pub(super) fn countdown(
        &mut self,
        section: &Section,
        name: Rc<str>,
        done: Expr,
        this: impl Fn(Vec<Expr>) -> Expr,
    ) -> Function {
        let span = section.span;
        let number = |i| at(ExprKind::Int(i), span);
        let left = self.fresh(&"left".into());
        let left_expr = || Box::new(at(ExprKind::Local(left), span));
        let more = at(
            ExprKind::Binary(BinOp::Sub, left_expr(), Box::new(number(1))),
            span,
        );
        let positive = at(
            ExprKind::Binary(BinOp::Gt, left_expr(), Box::new(number(0))),
            span,
        );
        let tock = self.tock_expr(section, span);
        let negative = super::broken(span, "a time is negative");
        let head = ExprKind::If(Box::new(positive), Box::new(tock), Box::new(negative));
        let body = at(
            ExprKind::Prefix {
                head: Box::new(at(head, span)),
                fields: Vec::new(),
                body: Box::new(this(vec![more])),
            },
            span,
        );
        let zero = Pattern {
            kind: PatternKind::Int(0),
            span,
        };
        Function {
            name,
            arity: vec![1],
            clauses: vec![
                clause(vec![zero], done, span),
                clause(vec![bind(left, span)], body, span),
            ],
        }
    }

    /// The event `tock` of a section.
    pub(super) fn tock_expr(&mut self, section: &Section, span: Span) -> Expr {
        match section.tock {
            Some(entity) => self.entity(entity, "tock", span),
            None => super::broken(span, "`tock` is not defined"),
        }
    }

    /// `tock -> after`.
    pub(super) fn after_tock(&mut self, section: &Section, after: Expr) -> Expr {
        let span = after.span;
        at(
            ExprKind::Prefix {
                head: Box::new(self.tock_expr(section, span)),
                fields: Vec::new(),
                body: Box::new(after),
            },
            span,
        )
    }
}

fn clause(patterns: Vec<Pattern>, body: Expr, span: Span) -> Clause {
    Clause {
        groups: vec![patterns],
        body,
        span,
    }
}

fn bind(local: LocalId, span: Span) -> Pattern {
    Pattern {
        kind: PatternKind::Bind(local),
        span,
    }
}

/// `f() = body`.
pub(super) fn constant(name: Rc<str>, body: Expr) -> Function {
    let span = body.span;
    Function {
        name,
        arity: vec![0],
        clauses: vec![clause(Vec::new(), body, span)],
    }
}

/// A set display.
pub(super) fn set(elements: Vec<Expr>, span: Span) -> Expr {
    let items = crate::script::core::Items::List(elements);
    at(ExprKind::Set(items, Vec::new()), span)
}

/// `(Event) -> Int`.
pub(super) fn duration_type(target: Target, span: Span) -> Annotation {
    let named = |name: &str| TypeExpr {
        kind: TypeKind::Name(name.into()),
        span,
    };
    let body = TypeExpr {
        kind: TypeKind::Function(vec![named("Event")], Box::new(named("Int"))),
        span,
    };
    let constraints = Vec::<(Ident, Ident)>::new();
    Annotation {
        target,
        scheme: TypeScheme { constraints, body },
        span,
    }
}
