//! Built-in functions that scripts have to declare.

use super::Resolver;
use super::scope::{Availability, Entity, availability};
use crate::script::core::Builtin;
use crate::source::Diagnostic;
use crate::syntax::ast::{self, DeclKind};

impl Resolver {
    /// `transparent` and `external` names; a definition of the script with the same name wins.
    pub(super) fn declare_builtins(&mut self, decls: &[ast::Decl]) {
        for decl in decls {
            let (DeclKind::External(names) | DeclKind::Transparent(names)) = &decl.kind else {
                continue;
            };
            for name in names {
                let known = Builtin::ALL.iter().find(|b| {
                    b.name() == &*name.text
                        && matches!(availability(**b), Availability::Declared(_))
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
            .filter(|b| matches!(availability(**b), Availability::Declared(_)))
            .map(|b| b.name())
            .collect();
        let message = format!("there is no built-in function `{}`", name.text);
        self.report(
            Diagnostic::error("E0213", name.span, message)
                .note(format!("known are {}", known.join(", "))),
        );
        if self.scopes.innermost(&name.text).is_none() {
            self.scopes.define(&name.text, Entity::Skipped, name.span);
        }
    }
}
