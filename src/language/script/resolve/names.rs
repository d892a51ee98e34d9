//! Names and what is wrong with them: declaring, finding, and saying why one cannot be used.

use std::rc::Rc;

use super::errors::NameErrors;
use super::scope::{BuiltinAccess, Entity, ModuleId, Obstacle, Scopes, availability};
use crate::script::core::{Builtin, Expr, ExprKind};
use crate::source::{Diagnostic, Kind, Span};
use crate::syntax::ast::{self, DeclKind};

/// The replacement of an expression that cannot be resolved.
pub(super) fn broken(span: Span, message: &str) -> Expr {
    let text = Expr {
        kind: ExprKind::Str(message.into()),
        span,
    };
    let error = Expr {
        kind: ExprKind::Builtin(Builtin::Error),
        span,
    };
    Expr {
        kind: ExprKind::Apply(Box::new(error), vec![text]),
        span,
    }
}

/// The names in scope, and what was found to be wrong with names.
pub(super) struct NameTable {
    pub scopes: Scopes,
    pub errors: NameErrors,
}

impl NameTable {
    /// Puts a name into the innermost scope; an earlier one there stays, and is reported.
    pub(super) fn declare(&mut self, name: &Rc<str>, entity: Entity, span: Span) -> bool {
        if let Some(earlier) = self.scopes.innermost(name) {
            self.errors.report(
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
        let diagnostic = match self.scopes.path(name) {
            // A path says where it breaks off, which tells more than that it is not defined.
            Err(obstacle) if name.contains("::") => self.blocked(name, span, &obstacle),
            _ => self.not_defined(name, span),
        };
        let message = diagnostic.message.clone();
        // It may be defined in what could not be read, which was reported.
        if !(self.scopes.is_incomplete()
            && diagnostic.kind == Kind::Undefined
            && diagnostic.notes.is_empty())
        {
            self.errors.report(diagnostic);
        }
        message
    }

    fn not_defined(&self, name: &str, span: Span) -> Diagnostic {
        let diagnostic = Diagnostic::error("E0201", span, format!("`{name}` is not defined"))
            .label("not found in this scope");
        let builtin = Builtin::ALL.iter().find(|b| b.name() == name);
        match builtin.map(|b| availability(*b)) {
            Some(BuiltinAccess::Declared(how)) => {
                let message = format!("`{name}` is used but not declared");
                Diagnostic::error("E0212", span, message)
                    .label("not found in this scope")
                    .add_line(&format!("{how} {name}"), " to use the built-in")
            }
            Some(BuiltinAccess::Timed) => {
                diagnostic.note(format!("`{name}` exists in Timed sections only"))
            }
            _ => self.did_you_mean(diagnostic, name),
        }
    }

    fn did_you_mean(&self, diagnostic: Diagnostic, name: &str) -> Diagnostic {
        match self.scopes.suggestion(name) {
            Some(near) => diagnostic.did_you_mean(&near),
            None => diagnostic,
        }
    }

    /// Why a path cannot be used.
    pub(super) fn blocked(&self, name: &str, span: Span, obstacle: &Obstacle) -> Diagnostic {
        let module = |id: &ModuleId| self.scopes.module(*id);
        match obstacle {
            Obstacle::Unknown(Some(id), part) => {
                let m = module(id);
                let message = format!("the module `{}` has no `{part}`", m.name);
                let diagnostic = Diagnostic::error("E0201", span, message)
                    .label("not found in the module")
                    .also(m.span, "the module is defined here");
                self.did_you_mean(diagnostic, name)
            }
            Obstacle::Unknown(None, part) => {
                let message = format!("there is no module `{part}`");
                let diagnostic =
                    Diagnostic::error("E0201", span, message).label("not found in this scope");
                self.did_you_mean(diagnostic, name)
            }
            Obstacle::Private(id, part, place) => {
                let m = module(id);
                let message = format!("`{part}` is not exported by the module `{}`", m.name);
                Diagnostic::error("E0219", span, message)
                    .label("used outside the module here")
                    .also(*place, "defined before `exports` here")
                    .note("move the definition behind `exports` to use it outside")
            }
            Obstacle::Parametrised(id) => {
                let m = module(id);
                let message = format!("the module `{}` has parameters", m.name);
                Diagnostic::error("E0220", span, message)
                    .label("only an instance of it has names")
                    .also(m.span, "the module is defined here")
                    .note(format!(
                        "add a line such as `instance I = {}(…)` and use the names of `I`",
                        m.name
                    ))
            }
            Obstacle::NoModule(part, place) => {
                let message = format!("`{part}` is not a module");
                Diagnostic::error("E0221", span, message)
                    .label("`::` follows the name of a module")
                    .also(*place, "defined here")
            }
        }
    }

    /// A module where a value is needed.
    pub(super) fn module_as_value(&mut self, name: &str, id: ModuleId, span: Span) -> String {
        let m = self.scopes.module(id);
        let message = format!("`{name}` is a module, not a value");
        let diagnostic = Diagnostic::error("E0221", span, message.clone())
            .label("a value is needed here")
            .also(m.span, "the module is defined here");
        // One of the names is enough for an example.
        let first = self.scopes.members(id).find(|(_, b)| b.exported);
        let diagnostic = match first {
            Some((member, _)) => diagnostic.note(format!(
                "the names that it exports are used as in `{name}::{member}`"
            )),
            None => diagnostic,
        };
        self.errors.report(diagnostic);
        message
    }

    /// The meaning of `tock` here.
    pub(super) fn tock(&mut self, span: Span) -> Option<Entity> {
        match self.scopes.lookup("tock") {
            Some(Entity::Skipped) => None,
            Some(found) => Some(found),
            None => {
                self.errors.report(
                    Diagnostic::error("E0223", span, "`tock` is not defined")
                        .label("a Timed section needs it")
                        .add_line("channel tock", ": its event is the passing of time"),
                );
                None
            }
        }
    }

    /// `transparent` and `external` names; a definition of the script with the same name wins.
    pub(super) fn declare_builtins(&mut self, decls: &[ast::Decl]) {
        for decl in decls {
            let (DeclKind::External(names) | DeclKind::Transparent(names)) = &decl.kind else {
                continue;
            };
            for name in names {
                // Only what has to be declared can be: `transparent union` is a slip.
                let known = Builtin::ALL.iter().find(|b| {
                    b.name() == &*name.text
                        && matches!(availability(**b), BuiltinAccess::Declared(_))
                });
                match known {
                    Some(b) if self.scopes.innermost(&name.text).is_none() => {
                        let builtin = Entity::Builtin(*b);
                        self.scopes.define(&name.text, builtin, name.span);
                    }
                    Some(_) => {}
                    None => self.unknown_builtin(name),
                }
            }
        }
    }

    fn unknown_builtin(&mut self, name: &ast::Ident) {
        let known: Vec<&str> = Builtin::ALL
            .iter()
            .filter(|b| matches!(availability(**b), BuiltinAccess::Declared(_)))
            .map(|b| b.name())
            .collect();
        let message = format!("there is no built-in function `{}`", name.text);
        self.errors.report(
            Diagnostic::error("E0213", name.span, message)
                .note(format!("known are {}", known.join(", "))),
        );
        // Its uses are no further errors.
        if self.scopes.innermost(&name.text).is_none() {
            self.scopes.define(&name.text, Entity::Skipped, name.span);
        }
    }
}
