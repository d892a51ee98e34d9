//! Written types, and whether definitions are as general as they say.

use std::rc::Rc;

use super::demand::constraint;
use super::infer::{Infer, TypeNames};
use super::ty::{Kind, Ty};
use crate::script::annotation::Target;
use crate::source::Diagnostic;
use crate::source::stack::deep;
use crate::syntax::ast::{TypeExpr, TypeKind, TypeScheme};

/// The variables of an annotation.
struct Names<'s> {
    scheme: &'s TypeScheme,
    known: TypeNames,
}

impl Infer<'_> {
    /// A written type. Its variables stand for themselves alone until it is generalised.
    pub fn written(&mut self, target: Target, scheme: &TypeScheme) -> Ty {
        for (class, _) in &scheme.constraints {
            if !constraint::NAMES.iter().any(|(_, n)| *n == &*class.text) {
                let message = format!("there is no type constraint `{}`", class.text);
                self.push(
                    Diagnostic::error("E0309", class.span, message)
                        .note("there are Eq, Ord, Set, Complete and Yieldable"),
                );
            }
        }
        let known = TypeNames::default();
        let mut names = Names { scheme, known };
        let t = self.written_type(&scheme.body, &mut names);
        for (_, variable) in &scheme.constraints {
            if !names.known.contains_key(&variable.text) {
                let message = format!("`{}` does not occur in this type", variable.text);
                self.push(
                    Diagnostic::error("E0309", variable.span, message)
                        .label("a constraint is about a variable of the type"),
                );
            }
        }
        self.named.insert(target, names.known);
        t
    }

    fn written_type(&mut self, t: &TypeExpr, names: &mut Names) -> Ty {
        deep(|| match &t.kind {
            TypeKind::Name(name) => self.type_name(name, t, names),
            TypeKind::Set(t) => {
                let t = self.written_type(t, names);
                self.store.set(t)
            }
            TypeKind::Seq(t) => {
                let t = self.written_type(t, names);
                self.store.seq(t)
            }
            TypeKind::Tuple(ts) => match ts.as_slice() {
                [only] => self.written_type(only, names),
                _ => {
                    let ts: Vec<Ty> = ts.iter().map(|t| self.written_type(t, names)).collect();
                    self.store.tuple(ts)
                }
            },
            TypeKind::Map(k, v) => {
                let (k, v) = (self.written_type(k, names), self.written_type(v, names));
                self.store.map(k, v)
            }
            TypeKind::Dot(a, b) => {
                let mut parts = Vec::new();
                for side in [a, b] {
                    let t = self.written_type(side, names);
                    parts.extend(self.store.parts(t));
                }
                self.store.dots(&parts)
            }
            TypeKind::Dotable(a, b) => {
                let (a, b) = (self.written_type(a, names), self.written_type(b, names));
                self.store.dotable(&[a], b)
            }
            TypeKind::Extendable(a, b) => self.extendable(a, b, names),
            TypeKind::Function(ps, r) => {
                let ps: Vec<Ty> = ps.iter().map(|t| self.written_type(t, names)).collect();
                let r = self.written_type(r, names);
                self.store.fun(ps, r)
            }
        })
    }

    /// `a=>*t`: `a` is a variable.
    fn extendable(&mut self, a: &TypeExpr, b: &TypeExpr, names: &mut Names) -> Ty {
        let fields = self.written_type(a, names);
        let result = self.written_type(b, names);
        match *self.store.kind(fields) {
            Kind::Var(v) => self.store.make(Kind::Extendable(result, v)),
            Kind::Any => Ty::ANY,
            _ => {
                let message = "only a type variable can stand before `=>*`";
                self.push(
                    Diagnostic::error("E0314", a.span, message)
                        .note("`a=>*t` is what becomes a `t` when fields, as yet unknown, follow"),
                );
                Ty::ANY
            }
        }
    }

    fn type_name(&mut self, name: &Rc<str>, t: &TypeExpr, names: &mut Names) -> Ty {
        match &**name {
            "Int" => return Ty::INT,
            "Bool" => return Ty::BOOL,
            "Char" => return Ty::CHAR,
            "Event" => return Ty::EVENT,
            "Proc" => return Ty::PROC,
            _ => {}
        }
        if let Some(at) = self.type_names.get(name) {
            let owner = self.script.owner(*at);
            return self.store.data(owner);
        }
        // A type of a module, which is reported where the module stands.
        if name.contains("::") {
            return Ty::ANY;
        }
        if name.starts_with(|c: char| c.is_ascii_uppercase()) {
            let message = format!("there is no type `{name}`");
            self.push(
                Diagnostic::error("E0308", t.span, message)
                    .note("types are Int, Bool, Char, Event, Proc and the datatypes; type variables start with a small letter"),
            );
            return Ty::ANY;
        }
        if let Some(v) = names.known.get(name) {
            return *v;
        }
        let constraints = names.scheme.constraints.iter();
        let of = constraints.filter(|(_, v)| v.text == *name);
        // A variable of an annotation around this one, unless it is constrained anew here.
        let around = self.scoped.iter().rev().find_map(|s| s.get(name).copied());
        if let (Some(v), None) = (around, of.clone().next()) {
            names.known.insert(Rc::clone(name), v);
            return v;
        }
        let wanted = of
            .flat_map(|(class, _)| constraint::NAMES.iter().filter(|(_, n)| *n == &*class.text))
            .fold(0, |have, (bit, _)| have | bit);
        let v = self.store.fresh_var(wanted, Some(Rc::clone(name)));
        let v = self.store.make(Kind::Var(v));
        names.known.insert(Rc::clone(name), v);
        v
    }
}
