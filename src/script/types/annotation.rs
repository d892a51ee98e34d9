//! Written types, and whether definitions are as general as they say.

use std::rc::Rc;

use super::infer::Infer;
use super::ty::{Ty, VarId, constraint, dotable, dots, fun, seq, set};
use crate::script::core::TypeId;
use crate::script::resolve::Target;
use crate::source::Diagnostic;
use crate::source::hash::Map;
use crate::source::stack::deep;
use crate::syntax::ast::{TypeExpr, TypeKind, TypeScheme};

impl Infer<'_> {
    /// A written type; its variables become fresh ones, listed in `vars`.
    pub fn written(&mut self, scheme: &TypeScheme, vars: &mut Map<Rc<str>, Ty>) -> Ty {
        let t = self.written_type(&scheme.body, vars);
        for (class, name) in &scheme.constraints {
            let wanted = match &*class.text {
                "Eq" => constraint::EQ,
                "Ord" => constraint::ORD | constraint::EQ,
                "Set" => constraint::SET,
                "Complete" | "Yieldable" => 0,
                _ => {
                    let message = format!("there is no type constraint `{}`", class.text);
                    self.push(
                        Diagnostic::error("E0309", class.span, message)
                            .note("there are Eq, Ord, Set, Complete and Yieldable"),
                    );
                    0
                }
            };
            if let Some(v) = vars.get(&name.text).cloned() {
                self.require(name.span, &v, wanted);
            }
        }
        t
    }

    fn written_type(&mut self, t: &TypeExpr, vars: &mut Map<Rc<str>, Ty>) -> Ty {
        deep(|| match &t.kind {
            TypeKind::Name(name) => self.type_name(name, t, vars),
            TypeKind::Set(t) => set(self.written_type(t, vars)),
            TypeKind::Seq(t) => seq(self.written_type(t, vars)),
            TypeKind::Tuple(ts) => match ts.as_slice() {
                [only] => self.written_type(only, vars),
                _ => {
                    let ts: Vec<Ty> = ts.iter().map(|t| self.written_type(t, vars)).collect();
                    Ty::Tuple(ts.into())
                }
            },
            TypeKind::Map(k, v) => {
                let k = self.written_type(k, vars);
                Ty::Map(k.into(), self.written_type(v, vars).into())
            }
            TypeKind::Dot(a, b) => {
                let parts = [self.written_type(a, vars), self.written_type(b, vars)];
                match self.store.flatten(&parts) {
                    Ok(parts) => dots(parts),
                    Err(_) => Ty::Any,
                }
            }
            TypeKind::Dotable(a, b) => {
                let a = self.written_type(a, vars);
                let b = self.written_type(b, vars);
                match (self.store.flatten(&[a]), b) {
                    (Ok(mut fields), Ty::Dotable(more, end)) => {
                        fields.extend(more.iter().cloned());
                        dotable(fields, (*end).clone())
                    }
                    (Ok(fields), end) => dotable(fields, end),
                    (Err(_), _) => Ty::Any,
                }
            }
            // Any number of fields: not decided here.
            TypeKind::Extendable(a, b) => {
                self.written_type(a, vars);
                self.written_type(b, vars);
                Ty::Any
            }
            TypeKind::Function(ps, r) => {
                let ps = ps.iter().map(|t| self.written_type(t, vars)).collect();
                let r = self.written_type(r, vars);
                fun(ps, r)
            }
        })
    }

    fn type_name(&mut self, name: &Rc<str>, t: &TypeExpr, vars: &mut Map<Rc<str>, Ty>) -> Ty {
        match &**name {
            "Int" => return Ty::Int,
            "Bool" => return Ty::Bool,
            "Char" => return Ty::Char,
            "Event" => return Ty::Event,
            "Proc" => return Ty::Proc,
            _ => {}
        }
        let known = self.script.types.iter().position(|d| d.name == *name);
        if let Some(at) = known {
            return Ty::Data(self.owner(TypeId(at as u32)));
        }
        // A type of a module, which is reported where the module stands.
        if name.contains("::") {
            return Ty::Any;
        }
        if name.starts_with(|c: char| c.is_ascii_uppercase()) {
            let message = format!("there is no type `{name}`");
            self.push(
                Diagnostic::error("E0308", t.span, message)
                    .note("type variables start with a small letter"),
            );
            return Ty::Any;
        }
        if let Some(v) = vars.get(name) {
            return v.clone();
        }
        let v = self.store.fresh();
        vars.insert(Rc::clone(name), v.clone());
        v
    }

    /// Reports an annotation that promises more than its definition keeps.
    pub fn check_annotation(&mut self, target: Target, node: usize) {
        let Some(annotation) = self.annotation(target) else {
            return;
        };
        let mut vars = Map::default();
        let written = self.written(&annotation.scheme, &mut vars);
        let mut wanted: Vec<VarId> = self.store.free(&written);
        let actual = self.globals[node].clone();
        let actual = self.instantiate(&actual, annotation.span);
        let shown = self.show(&[&written, &actual]);
        if let Err(mismatch) = self.store.unify(&actual, &written) {
            self.mismatch(annotation.span, &actual, &written, &mismatch, None);
            return;
        }
        // Each written variable must still stand for itself.
        let before = wanted.len();
        let mut images: Vec<Ty> = Vec::new();
        wanted.retain(|v| {
            let image = self.store.shallow(&Ty::Var(*v));
            let own = matches!(image, Ty::Var(_) | Ty::Any) && !images.contains(&image);
            images.push(image);
            own
        });
        if wanted.len() < before {
            let message = format!("the definition is less general than {}", shown[0]);
            self.push(
                Diagnostic::error("E0310", annotation.span, message)
                    .label(format!("its type is {}", shown[1])),
            );
        }
    }
}
