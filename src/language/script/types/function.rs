//! Types of functions, from their clauses.

use super::store::TypeStore;
use super::terms::TermInference;
use super::ty::{Ty, TyKind};
use super::words::SecondPlace;
use crate::script::core::{Clause, Function, Pattern};
use crate::source::{Diagnostic, Span};

/// The types that the clauses of a function have in common.
struct ClauseTypes {
    groups: Vec<Vec<Ty>>,
    result: Ty,
    /// Whether the types were declared in an annotation: then no pattern can split them.
    written: bool,
}

impl ClauseTypes {
    /// The type of the function.
    fn whole(&self, store: &mut TypeStore) -> Ty {
        let groups = self.groups.iter().rev();
        groups.fold(self.result, |r, g| store.fun(g.as_slice(), r))
    }
}

impl TermInference<'_> {
    /// A function from its clauses. With `known`, that type (an annotation, or the variable for a
    /// definition that may refer to itself) is demanded before the bodies are inferred.
    pub fn function(&mut self, f: &Function, known: Option<(Ty, Span)>) -> Ty {
        let mut shape = ClauseTypes {
            groups: Vec::new(),
            result: self.store().fresh(),
            written: false,
        };
        for group in &f.arity {
            let types = (0..*group).map(|_| self.store().fresh()).collect();
            shape.groups.push(types);
        }
        // All clauses share these types, so that what one of them says of a parameter holds for
        // all.
        let whole = shape.whole(self.store());
        let mut fits = true;
        if let Some((known, span)) = known {
            // A definition without an annotation starts with a variable; anything else was written.
            shape.written = !matches!(self.store().look(known), TyKind::Var(_));
            fits = !shape.written || self.arity_fits(f, known, span);
            // Bound before the bodies are looked at: a function may call itself, and then has one
            // type (monomorphic recursion), unless it is annotated.
            if fits {
                self.types.agree(span, whole, known, None);
            }
        }
        for clause in &f.clauses {
            self.clause(clause, f.clauses.first(), &shape);
        }
        match f.clauses.first() {
            // A definition whose parameters do not match its annotation is reported once, and fits
            // everything.
            Some(first) if fits => self.types.evaluate(first.span, whole),
            _ => Ty::ANY,
        }
    }

    /// `\ x, y @ e`. Nothing else has to fit the type of its body, so that type is taken as it is: in a
    /// deep nest of such functions, to look through it for variables at every level takes long.
    pub fn lambda(&mut self, f: &Function) -> Ty {
        let [clause] = &f.clauses[..] else {
            return self.function(f, None);
        };
        let mut groups: Vec<Vec<Ty>> = Vec::new();
        for patterns in &clause.groups {
            let mut group = Vec::new();
            for p in patterns {
                let t = self.pattern(p);
                group.push(self.types.evaluate(p.span, t));
            }
            groups.push(group);
        }
        let result = self.infer(&clause.body);
        let result = self.types.evaluate(clause.body.span, result);
        let groups = groups.iter().rev();
        let whole = groups.fold(result, |r, group| self.store().fun(group.as_slice(), r));
        self.types.evaluate(clause.span, whole)
    }

    /// Reports an annotation that is for another number of parameters.
    fn arity_fits(&mut self, f: &Function, known: Ty, span: Span) -> bool {
        let mut at = known;
        for (i, given) in f.arity.iter().enumerate() {
            let of = if i == 0 { "" } else { " of a further group" };
            let says = match self.store().look(at) {
                TyKind::Fun(params, _) if params.len() == *given => None,
                TyKind::Fun(params, _) => Some(count(params.len(), "parameter")),
                TyKind::Var(_) | TyKind::Any => return true,
                _ => Some("no parameters".to_owned()),
            };
            if let (Some(says), Some(first)) = (says, f.clauses.first()) {
                let has = count(*given, "parameter");
                let message = format!("`{}` has {has}{of}, its annotation {says}", f.name);
                self.types.push(
                    Diagnostic::error("E0305", span, message).also(first.span, "defined here"),
                );
                return false;
            }
            if let TyKind::Fun(_, result) = self.store().look(at) {
                at = result;
            }
        }
        true
    }

    fn clause(&mut self, clause: &Clause, first: Option<&Clause>, shape: &ClauseTypes) {
        let first = first.filter(|c| c.span != clause.span);
        let mut own: Vec<(Span, Ty)> = Vec::new();
        for (at, (patterns, types)) in clause.groups.iter().zip(&shape.groups).enumerate() {
            for (i, (p, expected)) in patterns.iter().zip(types).enumerate() {
                let same = first.and_then(|c| c.groups.get(at)?.get(i));
                let why = same.map(|q| (q.span, "the first clause has this"));
                let t = self.parameter_type(p, *expected, shape.written, why);
                own.push((p.span, t));
            }
        }
        // The clauses before this one have decided the type of the result.
        let why = first.map(|c| (c.body.span, "the first clause gives this"));
        // Each branch of the body is held to the annotation by itself. Otherwise the body has a
        // type of its own first, and is put together before it meets those of the other clauses.
        if shape.written {
            self.check(&clause.body, shape.result, why);
        } else {
            let t = self.store().fresh();
            self.check(&clause.body, t, None);
            let t = self.types.evaluate(clause.body.span, t);
            self.types.agree(clause.body.span, t, shape.result, why);
        }
        // What the body told about the parameters may complete them.
        for (span, t) in own {
            self.types.evaluate(span, t);
        }
    }

    fn parameter_type(&mut self, p: &Pattern, expected: Ty, written: bool, why: SecondPlace) -> Ty {
        let t = self.pattern(p);
        let t = self.types.evaluate(p.span, t);
        if written {
            // The pattern is what is expected here: it may not split what the annotation has whole.
            let expected = self.types.evaluate(p.span, expected);
            let unified = self.types.unifier.at(p.span).unify_whole(t, expected);
            if let Err(mismatch) = unified {
                self.types
                    .mismatch(p.span, t, expected, &mismatch.turned(), why);
            }
        } else {
            self.types.agree(p.span, t, expected, why);
        }
        t
    }
}

fn count(n: usize, of: &str) -> String {
    format!("{n} {of}{}", if n == 1 { "" } else { "s" })
}
