//! Modules and their instances.
//!
//! The declarations of a module without parameters are declared once, under names that start with
//! its own. A module with parameters is a template: every instance declares all of it anew, with the
//! parameters defined as the arguments. The template is also checked by itself, with parameters of
//! which nothing is known, so that a module without instances is checked too.

use std::rc::Rc;

use super::Resolver;
use super::body::{Pending, Place, Work, address};
use super::scope::{Entity, Module, ModuleId};
use crate::source::hash::Map;
use crate::source::{Diagnostic, Span};
use crate::syntax::ast::{self, DeclKind};

/// No script is expanded to more instances than this.
const INSTANCES_MAX: usize = 2_000;

/// A module as written, and where it stands.
#[derive(Clone)]
pub(super) struct Template<'a> {
    decl: &'a ast::Decl,
    place: Rc<Place>,
}

/// The parts of a module.
struct Parts<'a> {
    name: &'a ast::Ident,
    params: &'a [ast::Ident],
    private: &'a [ast::Decl],
    exports: &'a [ast::Decl],
}

impl<'a> Template<'a> {
    fn parts(&self) -> Option<Parts<'a>> {
        match &self.decl.kind {
            DeclKind::Module {
                name,
                params,
                private,
                exports,
            } => Some(Parts {
                name,
                params,
                private,
                exports,
            }),
            _ => None,
        }
    }
}

/// Numbers the modules and instances in the order of the text.
pub(super) fn number(decls: &[ast::Decl], order: &mut Map<usize, usize>) {
    for decl in decls {
        match &decl.kind {
            DeclKind::Instance { .. } => {
                order.insert(address(decl), order.len());
            }
            DeclKind::Module {
                private, exports, ..
            } => {
                order.insert(address(decl), order.len());
                crate::source::stack::deep(|| {
                    number(private, order);
                    number(exports, order);
                });
            }
            DeclKind::Timed { decls, .. } => {
                crate::source::stack::deep(|| number(decls, order));
            }
            _ => {}
        }
    }
}

impl Resolver {
    /// Declares a module; gives the lists of declarations in it.
    pub(super) fn open_module<'a>(
        &mut self,
        decl: &'a ast::Decl,
        place: &Rc<Place>,
        work: &mut Work<'a>,
    ) -> Vec<usize> {
        let template = Template {
            decl,
            place: Rc::clone(place),
        };
        let Some(parts) = template.parts() else {
            return Vec::new();
        };
        let id = ModuleId(self.scopes.modules.len() as u32);
        if !self.declare(&parts.name.text, Entity::Module(id), parts.name.span) {
            return Vec::new();
        }
        let frame = self.scopes.frame();
        self.scopes.modules.push(Module {
            name: place.qualified(&parts.name.text),
            span: parts.name.span,
            frame,
            parametrised: !parts.params.is_empty(),
        });
        work.templates.insert(id, template.clone());
        if parts.params.is_empty() {
            let own = self.inner_place(id, &template, place.expanded, work);
            return self.open_parts(&parts, own, work);
        }
        if !place.expanded {
            work.unchecked.push(id);
        }
        Vec::new()
    }

    /// The place of the declarations of a module or instance.
    fn inner_place(&self, id: ModuleId, template: &Template, expanded: bool, work: &Work) -> Place {
        let module = &self.scopes.modules[id.0 as usize];
        let outer = &template.place;
        let mut frames = outer.frames.clone();
        frames.push(module.frame);
        let mut inside = outer.inside.clone();
        inside.extend(work.order.get(&address(template.decl)));
        Place {
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

    fn open_parts<'a>(
        &mut self,
        parts: &Parts<'a>,
        private: Place,
        work: &mut Work<'a>,
    ) -> Vec<usize> {
        let exports = Place {
            exporting: true,
            ..private.clone()
        };
        let private = self.open_body(parts.private, &Rc::new(private), work);
        vec![
            private,
            self.open_body(parts.exports, &Rc::new(exports), work),
        ]
    }

    /// Checks a module with parameters by itself.
    pub(super) fn open_template<'a>(&mut self, id: ModuleId, work: &mut Work<'a>) -> Vec<usize> {
        let Some(template) = work.templates.get(&id).cloned() else {
            return Vec::new();
        };
        let Some(parts) = template.parts() else {
            return Vec::new();
        };
        let own = self.inner_place(id, &template, false, work);
        let place = Rc::new(own.clone());
        self.enter(&place);
        for param in parts.params {
            if !self.is_constant(&param.text) {
                let name = (&param.text, param.span);
                let global = self.global(name, Pending::Parameter, &place, work);
                work.parameters.extend(global);
            }
        }
        self.open_parts(&parts, own, work)
    }

    /// A parameter with the name of a constructor or channel is a pattern, as in functions.
    fn is_constant(&self, name: &str) -> bool {
        let found = self.scopes.lookup(name);
        matches!(found, Some(Entity::Ctor(_) | Entity::Channel(_)))
    }

    /// Declares an instance; gives the lists of declarations in it.
    pub(super) fn open_instance<'a>(
        &mut self,
        decl: &'a ast::Decl,
        place: &Rc<Place>,
        work: &mut Work<'a>,
    ) -> Vec<usize> {
        let DeclKind::Instance { name, module, args } = &decl.kind else {
            return Vec::new();
        };
        let Some(template) = self.target(decl, module, place, work) else {
            self.declare(&name.text, Entity::Skipped, name.span);
            return Vec::new();
        };
        let Some(parts) = template.parts() else {
            return Vec::new();
        };
        if parts.params.len() != args.len() {
            self.report(wrong_count(&parts, module, args));
            self.declare(&name.text, Entity::Skipped, name.span);
            return Vec::new();
        }
        let id = ModuleId(self.scopes.modules.len() as u32);
        if !self.declare(&name.text, Entity::Module(id), name.span) {
            return Vec::new();
        }
        let frame = self.scopes.frame();
        self.scopes.modules.push(Module {
            name: place.qualified(&name.text),
            span: name.span,
            frame,
            parametrised: false,
        });
        let mut own = self.inner_place(id, &template, true, work);
        work.expanded.push(template.decl.span);
        let inner = Rc::new(own.clone());
        let mut params = own.params.to_vec();
        for (param, arg) in parts.params.iter().zip(args) {
            self.enter(&inner);
            let pending = Pending::Value(arg);
            if self.is_constant(&param.text) {
                let name = inner.qualified(&param.text);
                params.push(self.anonymous(name, arg.span, pending, place, work));
            } else {
                // The argument means what it means where the instance stands.
                let global = self.global((&param.text, param.span), pending, &inner, work);
                if let Some(id) = global {
                    work.pending[id.0 as usize].1 = Rc::clone(place);
                    params.push(id);
                }
            }
        }
        own.params = params.into();
        self.open_parts(&parts, own, work)
    }

    /// The module that an instance is made of.
    fn target<'a>(
        &mut self,
        decl: &ast::Decl,
        module: &ast::Ident,
        place: &Place,
        work: &mut Work<'a>,
    ) -> Option<Template<'a>> {
        let position = work.order.get(&address(decl)).copied().unwrap_or(0);
        let found = match self.scopes.path(&module.text) {
            Ok(Entity::Module(id)) => work.templates.get(&id).cloned(),
            Ok(Entity::Skipped) => return None,
            Ok(_) => None,
            Err(obstacle) => {
                let simple = !module.text.contains("::");
                let diagnostic = match later(&module.text, work).filter(|_| simple) {
                    Some(later) => too_early(module, later),
                    None => self.blocked(&module.text, module.span, &obstacle),
                };
                self.report(diagnostic);
                return None;
            }
        };
        let Some(template) = found else {
            self.report(self.no_module(module));
            return None;
        };
        let target = work.order.get(&address(template.decl)).copied();
        let target = target.unwrap_or(0);
        if target > position {
            self.report(too_early(module, name_span(template.decl)));
            return None;
        }
        if place.inside.contains(&target) {
            let message = format!(
                "the module `{}` contains an instance of itself",
                module.text
            );
            self.report(
                Diagnostic::error("E0222", module.span, message)
                    .label("this would have no end")
                    .also(name_span(template.decl), "the module starts here"),
            );
            return None;
        }
        work.instances += 1;
        if work.instances > INSTANCES_MAX {
            let message = format!("the script has more than {INSTANCES_MAX} module instances");
            self.report(
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
        match self.scopes.path(&module.text) {
            Ok(Entity::Module(id)) => {
                let place = self.scopes.modules[id.0 as usize].span;
                diagnostic.also(place, "this is an instance itself")
            }
            _ => match self.scopes.bound(&module.text) {
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
fn later(name: &str, work: &Work) -> Option<Span> {
    let all = work.bodies.iter().flat_map(|b| b.decls);
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

fn wrong_count(parts: &Parts, module: &ast::Ident, args: &[ast::Expr]) -> Diagnostic {
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
