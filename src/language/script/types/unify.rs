//! Making two types equal, with the rules of dots.
//!
//! A product `t.u.v` may be more than its parts: `c.0` is an event if `c` wants one number. What a
//! product comes to is decided as late as possible: when it meets a type that is none, or when a
//! definition is complete ([`Unifier::evaluate`]).

use super::products::FieldsTaken;
use super::ty::{Ty, TyKind, TypeVarId};
use super::unifier::{Mismatch, TypePair, Unified, Unifier};
use crate::source::Span;
use crate::source::hash::Map;
use crate::source::stack::deep;

impl Unifier {
    /// Makes two types equal, or says why that cannot be. The first is what is expected.
    pub(super) fn unify(&mut self, expected: Ty, actual: Ty) -> Unified {
        self.begin();
        self.meet(expected, actual, None, None)
    }

    /// The same where no product may be split: `f(x.y)` does not fit `f(c.1)`.
    pub(super) fn unify_whole(&mut self, expected: Ty, actual: Ty) -> Unified {
        self.unsplit(|unifier| unifier.unify(expected, actual))
    }

    /// A type with the products in it combined as much as possible: a last variable takes all missing fields.
    pub(super) fn evaluate(&mut self, t: Ty) -> Unified<Ty> {
        self.begin();
        self.evaluated(t)
    }

    pub(super) fn evaluated(&mut self, t: Ty) -> Unified<Ty> {
        self.put_together(t, &mut Map::default())
    }

    fn put_together(&mut self, t: Ty, known: &mut Map<Ty, Ty>) -> Unified<Ty> {
        let t = self.store.shallow(t);
        // Nothing to put together: no products, and no variables that could bring some in.
        if self.store.is_settled(t) || matches!(self.store.kind(t), TyKind::Var(_)) {
            return Ok(t);
        }
        if self.store.is_over() {
            return Err(Mismatch::TooLarge);
        }
        // Nothing was bound since that could have brought in a product.
        if self.is_together(t) {
            return Ok(t);
        }
        if let Some(done) = known.get(&t) {
            return Ok(*done);
        }
        let out = deep(|| {
            let kind = self.store.kind(t).clone();
            let mut many = |unifier: &mut Self, ts: &[Ty]| -> Unified<Vec<Ty>> {
                let each = ts.iter().map(|t| unifier.put_together(*t, known));
                each.collect()
            };
            Ok(match kind {
                TyKind::Set(a) => {
                    let a = many(self, &[a])?;
                    self.store.set(a[0])
                }
                TyKind::Seq(a) => {
                    let a = many(self, &[a])?;
                    self.store.seq(a[0])
                }
                TyKind::Map(k, v) => {
                    let ts = many(self, &[k, v])?;
                    self.store.map(ts[0], ts[1])
                }
                TyKind::Tuple(ts) => {
                    let ts = many(self, &ts)?;
                    self.store.tuple(ts)
                }
                TyKind::Fun(ps, r) => {
                    let ps = many(self, &ps)?;
                    let r = many(self, &[r])?;
                    self.store.fun(ps, r[0])
                }
                TyKind::Dots(_) => {
                    let parts = self.store.parts(t);
                    // Here a definition is complete, so what can still take fields takes all there
                    // are.
                    let parts = self.reduce(parts, FieldsTaken::All)?;
                    self.store.dots(&parts)
                }
                _ => t,
            })
        })?;
        known.insert(t, out);
        self.put(out);
        Ok(out)
    }

    /// `a` is expected, `b` is there; with where each was found out.
    pub(super) fn meet(&mut self, a: Ty, b: Ty, from: Option<Span>, to: Option<Span>) -> Unified {
        if a == b {
            return Ok(());
        }
        self.step()?;
        let (_, from) = self.store.trace(a, from);
        let (_, to) = self.store.trace(b, to);
        // The places are those where the two types were found out, before the chains that say so
        // are shortened.
        let (a, b) = (self.store.shallow(a), self.store.shallow(b));
        // A pair that is being made equal already is taken to be equal: this is what ends the
        // unification of types that share their parts many times.
        if a == b || !self.is_new(a, b) {
            return Ok(());
        }
        let sides = TypePair { a, b, from, to };
        deep(|| self.meet_kinds(sides))
    }

    fn meet_kinds(&mut self, s: TypePair) -> Unified {
        let (x, y) = (self.store.kind(s.a).clone(), self.store.kind(s.b).clone());
        match (&x, &y) {
            // What is wrong already fits everything, and makes what it meets just as vague, so that
            // one mistake gives one message.
            (TyKind::Any, _) => {
                self.give_up(s.b);
                Ok(())
            }
            (_, TyKind::Any) => {
                self.give_up(s.a);
                Ok(())
            }
            (TyKind::Var(v), TyKind::Var(w)) => self.meet_vars(*v, *w, s),
            (TyKind::Var(v), _) => self.bind(*v, s.b, s),
            (_, TyKind::Var(v)) => self.bind(*v, s.a, s),
            (TyKind::Set(x), TyKind::Set(y)) | (TyKind::Seq(x), TyKind::Seq(y)) => {
                self.meet(*x, *y, s.from, s.to)
            }
            (TyKind::Map(k, v), TyKind::Map(l, w)) => {
                self.meet(*k, *l, s.from, s.to)?;
                self.meet(*v, *w, s.from, s.to)
            }
            (TyKind::Tuple(xs), TyKind::Tuple(ys)) if xs.len() == ys.len() => {
                self.meet_all(xs, ys, s)
            }
            (TyKind::Fun(xs, r), TyKind::Fun(ys, t)) if xs.len() == ys.len() => {
                self.meet_all(xs, ys, s)?;
                self.meet(*r, *t, s.from, s.to)
            }
            (TyKind::Dotable(..), TyKind::Dotable(..)) => self.meet_dotables(s),
            (TyKind::Dots(_), TyKind::Dots(_)) => {
                let (xs, ys) = (self.store.parts(s.a), self.store.parts(s.b));
                self.combine(xs, ys, s)
            }
            // From here on one side is a product and the other is not, or one may take fields: the
            // types are equal if the product comes to the other one.
            (TyKind::Dots(_), _) => self.product_expected(&y, s),
            (_, TyKind::Dots(_)) => self.product_given(&x, s),
            (TyKind::Extendable(..) | TyKind::Dotable(..), _)
            | (_, TyKind::Extendable(..) | TyKind::Dotable(..)) => self.meet_extendable(&x, &y, s),
            _ => s.differ(),
        }
    }

    fn meet_all(&mut self, xs: &[Ty], ys: &[Ty], s: TypePair) -> Unified {
        let mut pairs = xs.iter().zip(ys);
        pairs.try_for_each(|(x, y)| self.meet(*x, *y, s.from, s.to))
    }

    // -------------------------------------------------------------------------- variables

    fn meet_vars(&mut self, v: TypeVarId, w: TypeVarId, s: TypePair) -> Unified {
        match (
            self.store.vars().rigid(v).is_some(),
            self.store.vars().rigid(w).is_some(),
        ) {
            // Variables of annotations stand for every type: two of them are never equal, and one
            // is equal to nothing but itself.
            (true, true) => s.differ(),
            (true, false) => self.bind(w, s.a, s),
            (false, true) => self.bind(v, s.b, s),
            // The older one stays.
            _ if v < w => self.bind(w, s.a, s),
            _ => self.bind(v, s.b, s),
        }
    }

    fn bind(&mut self, v: TypeVarId, t: Ty, s: TypePair) -> Unified {
        if self.store.vars().rigid(v).is_some() {
            let var = self.store.make(TyKind::Var(v));
            // What stands for any value wants no fields.
            return match *self.store.kind(t) {
                TyKind::Extendable(result, w) => {
                    self.meet(result, var, s.from, s.to)?;
                    self.extend(w, Ty::NO_FIELDS, s)
                }
                _ => s.differ(),
            };
        }
        // Constraints first: they may bind variables of `t`.
        let wanted = self.store.vars().constraints(v);
        if let Err(lacking) = self.demand(t, wanted) {
            // It fits everything from now on, so that what is wrong is said once.
            self.store.link(v, Ty::ANY);
            return Err(lacking);
        }
        let mut t = self.store.shallow(t);
        // A variable in its own type would be an infinite type, unless putting products together
        // makes it disappear, as in `a.b` where `b` takes nothing.
        if self.store.occurs(v, t) {
            t = self.evaluated(t)?;
            if *self.store.kind(t) == TyKind::Var(v) {
                return Ok(());
            }
            if self.store.occurs(v, t) {
                return Err(Mismatch::Infinite(t));
            }
        }
        self.store.link(v, t);
        Ok(())
    }

    /// Binds all open variables of a type to [`Ty::ANY`] after an error: otherwise they would be reported as
    /// undetermined.
    fn give_up(&mut self, t: Ty) {
        // Variables of annotations keep their meaning: the definition is held to them elsewhere.
        for v in self.store.free(t) {
            if self.store.vars().rigid(v).is_none() {
                self.store.link(v, Ty::ANY);
            }
        }
    }

    /// Binds the variable of an extendable type to the fields that it takes.
    pub(super) fn extend(&mut self, v: TypeVarId, fields: Ty, s: TypePair) -> Unified {
        if self.store.vars().rigid(v).is_some() {
            return s.differ();
        }
        if self.store.occurs(v, fields) {
            return match self.store.kind(fields) {
                TyKind::Var(_) => Ok(()),
                _ => Err(Mismatch::Infinite(fields)),
            };
        }
        self.store.link(v, fields);
        Ok(())
    }

    // ------------------------------------------------------- what becomes something else

    fn meet_extendable(&mut self, x: &TyKind, y: &TyKind, s: TypePair) -> Unified {
        match (x, y) {
            (TyKind::Extendable(r, v), TyKind::Extendable(t, w)) => {
                self.meet(*r, *t, s.from, s.to)?;
                // Only a variable that stands for anything can be bound to the other.
                let (from, to) = if self.store.vars().rigid(*w).is_some() {
                    (*v, *w)
                } else {
                    (*w, *v)
                };
                let to = self.store.make(TyKind::Var(to));
                self.extend(from, to, s)
            }
            (TyKind::Extendable(r, v), TyKind::Dotable(fields, result)) => {
                // The dotable type shows some of the fields that the extendable one takes; more may
                // follow, which the new variable stands for.
                let (rest, open) = self.open_end(*r);
                self.meet(open, *result, s.from, s.to)?;
                let taken = self.store.dotable(fields, rest);
                self.extend(*v, taken, s)
            }
            (TyKind::Dotable(fields, result), TyKind::Extendable(r, v)) => {
                let (rest, open) = self.open_end(*r);
                self.meet(*result, open, s.from, s.to)?;
                let taken = self.store.dotable(fields, rest);
                self.extend(*v, taken, s)
            }
            (TyKind::Extendable(r, v), _) => {
                self.meet(*r, s.b, s.from, s.to)?;
                self.extend(*v, Ty::NO_FIELDS, s)
            }
            (_, TyKind::Extendable(r, v)) => {
                self.meet(s.a, *r, s.from, s.to)?;
                self.extend(*v, Ty::NO_FIELDS, s)
            }
            _ => s.differ(),
        }
    }

    /// A new variable, and `v=>*result` with it.
    fn open_end(&mut self, result: Ty) -> (Ty, Ty) {
        let v = self.store.vars_mut().add(0, None);
        (
            self.store.make(TyKind::Var(v)),
            self.store.make(TyKind::Extendable(result, v)),
        )
    }

    fn meet_dotables(&mut self, s: TypePair) -> Unified {
        let (xs, r) = self.store.split(s.a);
        let (ys, t) = self.store.split(s.b);
        let open = |kind: &TyKind| matches!(kind, TyKind::Extendable(..));
        // Both say what they become, so how many fields each wants is known, and they can be
        // compared from left to right.
        if !open(self.store.kind(r)) && !open(self.store.kind(t)) {
            self.meet(r, t, s.from, s.to)?;
            return self.combine(xs, ys, s);
        }
        // What is extendable may want more fields than it says.
        let xs = self.reduce(xs, FieldsTaken::All)?;
        let ys = self.reduce(ys, FieldsTaken::All)?;
        // Field by field, as far as both go; what one of them has more is wanted by the rest of the
        // other.
        for (x, y) in xs.iter().zip(&ys) {
            let (x_end, y_end) = (self.store.split(*x).1, self.store.split(*y).1);
            self.meet(x_end, y_end, s.from, s.to)?;
        }
        let r = self
            .store
            .dotable(xs.get(ys.len()..).unwrap_or_default(), r);
        let t = self
            .store
            .dotable(ys.get(xs.len()..).unwrap_or_default(), t);
        self.meet(r, t, s.from, s.to)
    }

    /// A product is expected, and something else is there.
    fn product_expected(&mut self, given: &TyKind, s: TypePair) -> Unified {
        if !self.may_split() {
            return s.differ();
        }
        match given {
            TyKind::Data(_) | TyKind::Event | TyKind::Extendable(..) => {
                // `h.x.y` is a `t` if `h` wants `x` and `y` and then becomes a `t`: so it is said
                // of the head alone, which is known more often than the whole.
                let (head, wanted) = self.wanting(s.a, s.b);
                self.meet(wanted, head, s.to, s.from)
            }
            TyKind::Dotable(..) => {
                let (head, wanted) = self.wanting(s.a, s.b);
                self.meet(head, wanted, s.from, s.to)
            }
            _ => s.differ(),
        }
    }

    /// A product is there, and something else is expected.
    fn product_given(&mut self, expected: &TyKind, s: TypePair) -> Unified {
        match expected {
            TyKind::Data(_) | TyKind::Event | TyKind::Dotable(..) => {
                let (head, wanted) = self.wanting(s.b, s.a);
                self.meet(wanted, head, s.from, s.to)
            }
            TyKind::Extendable(..) => {
                let parts = self.store.parts(s.b);
                let parts = self.reduce(parts, FieldsTaken::One)?;
                let product = self.store.dots(&parts);
                // It came to one type after all: no product is left to be split.
                if parts.len() < 2 {
                    return self.meet(s.a, product, s.from, s.to);
                }
                let (head, wanted) = self.wanting(product, s.a);
                self.meet(wanted, head, s.from, s.to)
            }
            _ => s.differ(),
        }
    }

    /// The first part of a product, and the type that it must have for the product to have the type
    /// `result`.
    fn wanting(&mut self, product: Ty, result: Ty) -> (Ty, Ty) {
        let parts = self.store.parts(product);
        (parts[0], self.store.dotable(&parts[1..], result))
    }
}
