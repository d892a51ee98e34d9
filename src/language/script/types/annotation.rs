//! Written types.

use std::rc::Rc;

use super::constraint;
use super::constraints::Constraints;
use super::scheme::{Scheme, mono, promised};
use super::ty::{Ty, TyKind};
use crate::script::annotation::{Annotated, Annotation};
use crate::script::core::{Script, TypeId};
use crate::source::Diagnostic;
use crate::source::hash::Map;
use crate::source::stack::deep;
use crate::syntax::ast::{TypeExpr, TypeKind, TypeScheme};

/// Type variables by their names.
type TypeNames = Map<Rc<str>, Ty>;

/// The annotations of a script, and what their variables mean.
pub(super) struct Annotations<'a> {
    all: Map<Annotated, &'a Annotation>,
    /// The datatype that owns the values of each type with a name.
    type_names: Map<Rc<str>, TypeId>,
    /// Their type variables, until the definitions are inferred.
    named: Map<Annotated, TypeNames>,
    /// Type variables of the enclosing annotations, outermost first: inner annotations can use them.
    scoped: Vec<TypeNames>,
}

impl<'a> Annotations<'a> {
    pub fn new(script: &Script, annotations: &'a [Annotation]) -> Self {
        let names = script.types.iter().map(|t| Rc::clone(&t.name));
        let owners = (0..).map(|t| script.owner(TypeId(t)));
        Self {
            all: annotations.iter().map(|a| (a.target, a)).collect(),
            type_names: names.zip(owners).collect(),
            named: Map::default(),
            scoped: Vec::new(),
        }
    }

    /// The annotation of a definition, if it has one.
    pub fn of(&self, target: Annotated) -> Option<&'a Annotation> {
        self.all.get(&target).copied()
    }

    /// Begins a definition, with its annotation if it has one.
    pub fn begin(&mut self, target: Option<Annotated>) {
        let names = target.and_then(|target| self.named.remove(&target));
        self.scoped.push(names.unwrap_or_default());
    }

    /// Ends what was begun last.
    pub fn end(&mut self) {
        self.scoped.pop();
    }

    /// The initial type of a definition: its annotation, or a variable.
    pub fn start(&mut self, target: Annotated, types: &mut Constraints<'_>) -> Scheme {
        match self.of(target) {
            Some(annotation) => {
                let t = self.written(annotation, types);
                promised(t, types.store())
            }
            None => mono(types.store().fresh()),
        }
    }

    /// The type of an annotation. Its variables are rigid until it is generalised.
    pub fn written(&mut self, annotation: &Annotation, types: &mut Constraints<'_>) -> Ty {
        let mut reading = Reading {
            annotations: self,
            types,
            scheme: &annotation.scheme,
            known: TypeNames::default(),
        };
        let t = reading.scheme();
        let known = reading.known;
        self.named.insert(annotation.target, known);
        t
    }
}

/// An annotation that is being read.
struct Reading<'r, 'a, 'c> {
    annotations: &'r Annotations<'a>,
    types: &'r mut Constraints<'c>,
    scheme: &'r TypeScheme,
    /// Its variables so far.
    known: TypeNames,
}

impl Reading<'_, '_, '_> {
    fn scheme(&mut self) -> Ty {
        let scheme = self.scheme;
        for (class, _) in &scheme.constraints {
            if !constraint::NAMES.iter().any(|(_, n)| *n == &*class.text) {
                let message = format!("there is no type constraint `{}`", class.text);
                self.types.push(
                    Diagnostic::error("E0309", class.span, message)
                        .note("there are Eq, Ord, Set, Complete and Yieldable"),
                );
            }
        }
        let t = self.read(&scheme.body);
        for (_, variable) in &scheme.constraints {
            if !self.known.contains_key(&variable.text) {
                let message = format!("`{}` does not occur in this type", variable.text);
                self.types.push(
                    Diagnostic::error("E0309", variable.span, message)
                        .label("a constraint is about a variable of the type"),
                );
            }
        }
        t
    }

    fn read(&mut self, t: &TypeExpr) -> Ty {
        deep(|| match &t.kind {
            TypeKind::Name(name) => self.type_name(name, t),
            TypeKind::Set(t) => {
                let t = self.read(t);
                self.types.store().set(t)
            }
            TypeKind::Seq(t) => {
                let t = self.read(t);
                self.types.store().seq(t)
            }
            TypeKind::Tuple(ts) => match ts.as_slice() {
                [only] => self.read(only),
                _ => {
                    let ts: Vec<Ty> = ts.iter().map(|t| self.read(t)).collect();
                    self.types.store().tuple(ts)
                }
            },
            TypeKind::Map(k, v) => {
                let (k, v) = (self.read(k), self.read(v));
                self.types.store().map(k, v)
            }
            TypeKind::Dot(a, b) => {
                let mut parts = Vec::new();
                for side in [a, b] {
                    let t = self.read(side);
                    parts.extend(self.types.store().parts(t));
                }
                self.types.store().dots(&parts)
            }
            TypeKind::Dotable(a, b) => {
                let (a, b) = (self.read(a), self.read(b));
                self.types.store().dotable(&[a], b)
            }
            TypeKind::Extendable(a, b) => self.extendable(a, b),
            TypeKind::Function(ps, r) => {
                let ps: Vec<Ty> = ps.iter().map(|t| self.read(t)).collect();
                let r = self.read(r);
                self.types.store().fun(ps, r)
            }
        })
    }

    /// `a=>*t`: `a` is a variable.
    fn extendable(&mut self, a: &TypeExpr, b: &TypeExpr) -> Ty {
        let fields = self.read(a);
        let result = self.read(b);
        match *self.types.store().kind(fields) {
            TyKind::Var(v) => self.types.store().make(TyKind::Extendable(result, v)),
            TyKind::Any => Ty::ANY,
            _ => {
                let message = "only a type variable can stand before `=>*`";
                self.types.push(
                    Diagnostic::error("E0314", a.span, message)
                        .note("`a=>*t` is what becomes a `t` when fields, as yet unknown, follow"),
                );
                Ty::ANY
            }
        }
    }

    fn type_name(&mut self, name: &Rc<str>, t: &TypeExpr) -> Ty {
        match &**name {
            "Int" => return Ty::INT,
            "Bool" => return Ty::BOOL,
            "Char" => return Ty::CHAR,
            "Event" => return Ty::EVENT,
            "Proc" => return Ty::PROC,
            _ => {}
        }
        if let Some(owner) = self.annotations.type_names.get(name) {
            return self.types.store().data(*owner);
        }
        // A type of a module, which is reported where the module stands.
        if name.contains("::") {
            return Ty::ANY;
        }
        // Type variables start with a small letter, so this was meant as a type.
        if name.starts_with(|c: char| c.is_ascii_uppercase()) {
            let message = format!("there is no type `{name}`");
            self.types.push(
                Diagnostic::error("E0308", t.span, message)
                    .note("types are Int, Bool, Char, Event, Proc and the datatypes; type variables start with a small letter"),
            );
            return Ty::ANY;
        }
        if let Some(v) = self.known.get(name) {
            return *v;
        }
        // A constraint in this annotation makes the variable one of its own, even if the annotation
        // around has one of that name.
        let constraints = self.scheme.constraints.iter();
        let of = constraints.filter(|(_, v)| v.text == *name);
        // A variable of an annotation around this one, unless it is constrained anew here.
        let around = self
            .annotations
            .scoped
            .iter()
            .rev()
            .find_map(|s| s.get(name).copied());
        if let (Some(v), None) = (around, of.clone().next()) {
            self.known.insert(Rc::clone(name), v);
            return v;
        }
        let wanted = of
            .flat_map(|(class, _)| constraint::NAMES.iter().filter(|(_, n)| *n == &*class.text))
            .fold(0, |have, (bit, _)| have | bit);
        let v = self
            .types
            .store()
            .vars_mut()
            .add(wanted, Some(Rc::clone(name)));
        let v = self.types.store().make(TyKind::Var(v));
        self.known.insert(Rc::clone(name), v);
        v
    }
}
