//! Scopes, look-up, and suggestions for names that are not found.

use std::rc::Rc;

use super::Resolver;
use crate::script::core::{Builtin, ChannelId, CtorId, GlobalId, LocalId, TypeId};
use crate::source::hash::IndexMap;
use crate::source::{Diagnostic, Span};

/// What a name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Entity {
    Local(LocalId),
    Global(GlobalId),
    Type(TypeId),
    Ctor(CtorId),
    Channel(ChannelId),
    Builtin(Builtin),
    /// Declared in a part of the script that this release does not support; already reported.
    Skipped,
}

/// A name of one scope.
#[derive(Clone, Copy, Debug)]
pub(super) struct Binding {
    pub entity: Entity,
    pub span: Span,
}

/// The names of one scope.
pub(super) type Frame = IndexMap<Rc<str>, Binding>;

/// Scopes, outermost first. Builtins lie outside all of them, so that scripts can redefine them.
#[derive(Debug)]
pub(super) struct Scopes {
    frames: Vec<Frame>,
}

impl Scopes {
    pub fn new() -> Self {
        Self {
            frames: vec![Frame::default()],
        }
    }

    pub fn push(&mut self) {
        self.frames.push(Frame::default());
    }

    pub fn pop(&mut self) {
        self.frames.pop();
    }

    /// The binding of a name in the innermost scope only.
    pub fn innermost(&self, name: &str) -> Option<Binding> {
        self.frames.last().and_then(|f| f.get(name)).copied()
    }

    pub fn define(&mut self, name: &Rc<str>, entity: Entity, span: Span) {
        if let Some(frame) = self.frames.last_mut() {
            frame.insert(Rc::clone(name), Binding { entity, span });
        }
    }

    /// What a name stands for. The head of a path decides if the path itself is unknown: all of an
    /// unsupported module is unsupported.
    pub fn lookup(&self, name: &str) -> Option<Entity> {
        let bound = |n: &str| self.frames.iter().rev().find_map(|f| f.get(n));
        if let Some(binding) = bound(name) {
            return Some(binding.entity);
        }
        if let Some((module, _)) = name.split_once("::") {
            let skipped = bound(module).is_some_and(|b| b.entity == Entity::Skipped);
            return skipped.then_some(Entity::Skipped);
        }
        Builtin::ALL
            .iter()
            .find(|b| b.name() == name && availability(**b) == Availability::Always)
            .map(|b| Entity::Builtin(*b))
    }

    /// The known name that is closest to an unknown one, if any is close.
    pub fn suggestion(&self, name: &str) -> Option<Rc<str>> {
        let allowed = (name.chars().count() / 3).clamp(1, 3);
        let own = self.frames.iter().rev().flat_map(|f| f.keys().cloned());
        let builtin = Builtin::ALL
            .iter()
            .filter(|b| availability(**b) == Availability::Always)
            .map(|b| Rc::from(b.name()));
        own.chain(builtin)
            .map(|n| (distance(name, &n), n))
            .filter(|(d, n)| *d <= allowed && *d < n.chars().count())
            .min_by_key(|(d, _)| *d)
            .map(|(_, n)| n)
    }
}

/// Edit distance with swaps of neighbours, ignoring case at half a step (rounded down).
fn distance(a: &str, b: &str) -> usize {
    let a: Vec<char> = a.chars().collect();
    let b: Vec<char> = b.chars().collect();
    let width = b.len() + 1;
    let mut rows = vec![0usize; (a.len() + 1) * width];
    for i in 0..=a.len() {
        for j in 0..=b.len() {
            rows[i * width + j] = if i == 0 || j == 0 {
                i + j
            } else {
                let same = a[i - 1].eq_ignore_ascii_case(&b[j - 1]);
                let replaced = rows[(i - 1) * width + j - 1] + usize::from(!same);
                let dropped = rows[(i - 1) * width + j] + 1;
                let added = rows[i * width + j - 1] + 1;
                let mut best = replaced.min(dropped).min(added);
                if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                    best = best.min(rows[(i - 2) * width + j - 2] + 1);
                }
                best
            };
        }
    }
    rows[a.len() * width + b.len()]
}

/// When a builtin can be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Availability {
    Always,
    /// After `transparent` or `external`; which of them is customary.
    Declared(&'static str),
    /// In `Timed` sections only.
    Timed,
}

pub(super) fn availability(builtin: Builtin) -> Availability {
    use Builtin as B;
    match builtin {
        B::Wait | B::TSkip | B::TStop | B::TimedPriority => Availability::Timed,
        B::Explicate
        | B::LazyEnumerate
        | B::Diamond
        | B::Normal
        | B::LazyNorm
        | B::Sbisim
        | B::Dbisim
        | B::Wbisim
        | B::TauLoopFactor
        | B::ModelCompress => Availability::Declared("transparent"),
        B::Chase
        | B::ChaseNoCache
        | B::Deter
        | B::Loop
        | B::FailureWatchdog
        | B::TraceWatchdog
        | B::Prioritise
        | B::PrioritiseNoCache
        | B::PrioritisePo
        | B::MTransClose
        | B::RelationalImage
        | B::RelationalInverseImage
        | B::Transpose => Availability::Declared("external"),
        _ => Availability::Always,
    }
}

impl Resolver {
    /// Puts a name into the innermost scope; an earlier one there stays, and is reported.
    pub(super) fn declare(&mut self, name: &Rc<str>, entity: Entity, span: Span) -> bool {
        if let Some(earlier) = self.scopes.innermost(name) {
            self.report(
                Diagnostic::error("E0202", span, format!("`{name}` is defined twice"))
                    .label("defined again here")
                    .also(earlier.span, "first defined here"),
            );
            return false;
        }
        self.scopes.define(name, entity, span);
        true
    }

    /// Reports a name that is not in scope, with what may have been meant.
    pub(super) fn unbound(&mut self, name: &str, span: Span) -> String {
        let message = format!("`{name}` is not defined");
        let mut diagnostic =
            Diagnostic::error("E0201", span, message.clone()).label("not found in this scope");
        let builtin = Builtin::ALL.iter().find(|b| b.name() == name);
        match builtin.map(|b| availability(*b)) {
            Some(Availability::Declared(how)) => {
                diagnostic.code = "E0212";
                diagnostic.message = format!("`{name}` is used but not declared");
                diagnostic =
                    diagnostic.note(format!("add the line `{how} {name}` to use the built-in"));
            }
            Some(Availability::Timed) => {
                diagnostic = diagnostic.note(format!("`{name}` exists in Timed sections only"));
            }
            _ => {
                if let Some(near) = self.scopes.suggestion(name) {
                    diagnostic = diagnostic.note(format!("did you mean `{near}`?"));
                }
            }
        }
        self.report(diagnostic);
        message
    }
}
