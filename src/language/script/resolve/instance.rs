//! Modules and their instances.
//!
//! The declarations of a module without parameters are declared once, under names that start with
//! its own. A module with parameters is a template: every instance declares all of it anew, with the
//! parameters defined as the arguments. So instances share nothing: each has datatypes and channels of its own. The
//! template is also checked by itself, with parameters of unknown value, so that a module without instances is checked
//! too; it is removed after type inference ([`super::rehearsed`]), and its channels are not in `Events`.
//!
//! An instance follows its module in the text, and no module contains an instance of itself or of a module around it:
//! expansion ends.

use std::rc::Rc;

use super::declarer::Declarer;
use super::later::{Later, RightSide};
use super::module::{ModuleParts, Template};
use super::place::{DeclPlace, address};
use super::scope::{Entity, Module, ModuleId};
use crate::source::{Diagnostic, Span};
use crate::syntax::ast::{self, DeclKind};

/// No script is expanded to more instances than this.
const INSTANCES_MAX: usize = 2_000;

impl<'a> Declarer<'a> {
    /// Declares a module; gives the lists of declarations in it.
    pub fn open_module(&mut self, decl: &'a ast::Decl, place: &Rc<DeclPlace>) -> Vec<usize> {
        let template = Template {
            decl,
            place: Rc::clone(place),
        };
        let Some(parts) = template.parts() else {
            return Vec::new();
        };
        let id = self.names.scopes.next_module();
        if !self
            .names
            .declare(&parts.name.text, Entity::Module(id), parts.name.span)
        {
            return Vec::new();
        }
        let frame = self.names.scopes.frame();
        self.names.scopes.add_module(Module {
            name: place.qualified(&parts.name.text),
            span: parts.name.span,
            frame,
            parametrised: !parts.params.is_empty(),
        });
        self.modules.templates.insert(id, template.clone());
        if parts.params.is_empty() {
            let own = self.inner_place(id, &template, place.expanded);
            return self.open_parts(&parts, own);
        }
        if !place.expanded {
            self.modules.unchecked.push(id);
        }
        Vec::new()
    }

    /// The place of the declarations of a module or instance.
    fn inner_place(&self, id: ModuleId, template: &Template, expanded: bool) -> DeclPlace {
        let module = self.names.scopes.module(id);
        let outer = &template.place;
        let mut frames = outer.frames.clone();
        frames.push(module.frame);
        let mut inside = outer.inside.clone();
        inside.extend(self.modules.order.get(&address(template.decl)));
        DeclPlace {
            frames,
            home: module.frame,
            exporting: false,
            prefix: format!("{}::", module.name).into(),
            section: outer.section,
            inside,
            params: Rc::clone(&outer.params),
            expanded,
        }
    }

    fn open_parts(&mut self, parts: &ModuleParts<'a>, private: DeclPlace) -> Vec<usize> {
        let exports = DeclPlace {
            exporting: true,
            ..private.clone()
        };
        let private = self.open_body(parts.private, &Rc::new(private));
        vec![private, self.open_body(parts.exports, &Rc::new(exports))]
    }

    /// Checks a module with parameters by itself.
    pub fn open_template(&mut self, id: ModuleId) -> Vec<usize> {
        let Some(template) = self.modules.templates.get(&id).cloned() else {
            return Vec::new();
        };
        let Some(parts) = template.parts() else {
            return Vec::new();
        };
        let own = self.inner_place(id, &template, false);
        let place = Rc::new(own.clone());
        place.enter(&mut self.names.scopes);
        for param in parts.params {
            if !self.is_constant(&param.text) {
                let global = self.global(&param.text, param.span, RightSide::Parameter, &place);
                self.modules.parameters.extend(global);
            }
        }
        self.open_parts(&parts, own)
    }

    /// A parameter with the name of a constructor or channel is a pattern, as in functions.
    fn is_constant(&self, name: &str) -> bool {
        let found = self.names.scopes.lookup(name);
        matches!(found, Some(Entity::Ctor(_) | Entity::Channel(_)))
    }

    /// Declares an instance; gives the lists of declarations in it.
    pub fn open_instance(&mut self, decl: &'a ast::Decl, place: &Rc<DeclPlace>) -> Vec<usize> {
        let DeclKind::Instance { name, module, args } = &decl.kind else {
            return Vec::new();
        };
        // The name is known all the same, so that its uses are no further errors.
        let Some(template) = self.target(decl, module, place) else {
            self.names.declare(&name.text, Entity::Skipped, name.span);
            return Vec::new();
        };
        let Some(parts) = template.parts() else {
            return Vec::new();
        };
        if parts.params.len() != args.len() {
            self.names.errors.report(wrong_count(&parts, module, args));
            self.names.declare(&name.text, Entity::Skipped, name.span);
            return Vec::new();
        }
        let id = self.names.scopes.next_module();
        if !self
            .names
            .declare(&name.text, Entity::Module(id), name.span)
        {
            return Vec::new();
        }
        let frame = self.names.scopes.frame();
        self.names.scopes.add_module(Module {
            name: place.qualified(&name.text),
            span: name.span,
            frame,
            parametrised: false,
        });
        // What is declared inside belongs to the instance, but sees what the module sees.
        let mut own = self.inner_place(id, &template, true);
        self.modules.expanded.push(template.decl.span);
        let inner = Rc::new(own.clone());
        let mut params = own.params.to_vec();
        for (param, arg) in parts.params.iter().zip(args) {
            inner.enter(&mut self.names.scopes);
            // A parameter is a definition inside the instance, whose right side is the argument.
            let pending = RightSide::Value(arg);
            if self.is_constant(&param.text) {
                let name = inner.qualified(&param.text);
                params.push(self.anonymous(name, arg.span, pending, place));
            } else {
                // The argument means what it means where the instance stands.
                let global = self.global(&param.text, param.span, pending, &inner);
                if let Some(id) = global {
                    self.later.pending[id.0 as usize].1 = Rc::clone(place);
                    params.push(id);
                }
            }
        }
        own.params = params.into();
        self.open_parts(&parts, own)
    }

    /// The module that an instance is made of.
    fn target(
        &mut self,
        decl: &ast::Decl,
        module: &ast::Ident,
        place: &DeclPlace,
    ) -> Option<Template<'a>> {
        // Positions in the text, not numbers: modules inside instances are opened when the instance
        // is.
        let position = self.modules.order.get(&address(decl)).copied().unwrap_or(0);
        let found = match self.names.scopes.path(&module.text) {
            Ok(Entity::Module(id)) => self.modules.templates.get(&id).cloned(),
            Ok(Entity::Skipped) => return None,
            Ok(_) => None,
            Err(obstacle) => {
                let simple = !module.text.contains("::");
                let diagnostic = match later(&module.text, &self.later).filter(|_| simple) {
                    Some(later) => too_early(module, later),
                    None => self.names.blocked(&module.text, module.span, &obstacle),
                };
                self.names.errors.report(diagnostic);
                return None;
            }
        };
        let Some(template) = found else {
            self.names.errors.report(self.no_module(module));
            return None;
        };
        let target = self.modules.order.get(&address(template.decl)).copied();
        let target = target.unwrap_or(0);
        // In the order of the text, so that no instance depends on itself through others.
        if target > position {
            self.names
                .errors
                .report(too_early(module, name_span(template.decl)));
            return None;
        }
        // Instances are expanded here and now, so one inside its own module would never end.
        if place.inside.contains(&target) {
            let message = format!(
                "the module `{}` contains an instance of itself",
                module.text
            );
            self.names.errors.report(
                Diagnostic::error("E0222", module.span, message)
                    .label("this would have no end")
                    .also(name_span(template.decl), "the module starts here"),
            );
            return None;
        }
        self.modules.instances += 1;
        if self.modules.instances > INSTANCES_MAX {
            let message = format!("the script has more than {INSTANCES_MAX} module instances");
            self.names.errors.report(
                Diagnostic::error("E0222", module.span, message)
                    .note("instances inside modules count once for each instance of the module"),
            );
            return None;
        }
        Some(template)
    }

    fn no_module(&self, module: &ast::Ident) -> Diagnostic {
        let message = format!("`{}` is not a module with a definition", module.text);
        let diagnostic = Diagnostic::error("E0221", module.span, message)
            .note("an instance is made of a module, as in `instance I = M(3)`");
        match self.names.scopes.path(&module.text) {
            Ok(Entity::Module(id)) => {
                let place = self.names.scopes.module(id).span;
                diagnostic.also(place, "this is an instance itself")
            }
            _ => match self.names.scopes.bound(&module.text) {
                Some(binding) => diagnostic.also(binding.span, "defined here"),
                None => diagnostic,
            },
        }
    }
}

fn name_span(decl: &ast::Decl) -> Span {
    match &decl.kind {
        DeclKind::Module { name, .. } => name.span,
        _ => decl.span,
    }
}

/// The module of that name that follows in the same list.
fn later(name: &str, all: &Later) -> Option<Span> {
    let all = all.bodies.iter().flat_map(|b| b.decls);
    all.filter_map(|d| match &d.kind {
        DeclKind::Module { name: found, .. } if *found.text == *name => Some(found.span),
        _ => None,
    })
    .next()
}

fn too_early(module: &ast::Ident, place: Span) -> Diagnostic {
    let message = format!("the module `{}` is defined after its instance", module.text);
    Diagnostic::error("E0222", module.span, message)
        .label("instances follow the module")
        .also(place, "the module is defined here")
        .note("move the module before the instance")
}

fn wrong_count(parts: &ModuleParts, module: &ast::Ident, args: &[ast::Expr]) -> Diagnostic {
    let plural = |n: usize, what: &str| match n {
        1 => format!("1 {what}"),
        n => format!("{n} {what}s"),
    };
    let wanted = plural(parts.params.len(), "parameter");
    let message = format!("the module `{}` has {wanted}", module.text);
    let span = match (args.first(), args.last()) {
        (Some(a), Some(b)) => a.span.to(b.span),
        _ => module.span,
    };
    Diagnostic::error("E0340", span, message)
        .label(format!("{} given here", plural(args.len(), "argument")))
        .also(parts.name.span, "the module is defined here")
}
