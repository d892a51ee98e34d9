//! Making two types equal, with the rules of dots.
//!
//! A product `t.u.v` may be more than its parts: `c.0` is an event if `c` wants one number. What a
//! product comes to is decided as late as possible: when it meets a type that is none, or when a
//! definition is complete ([`Store::evaluate`]).

use super::products::Take;
use super::ty::{Kind, Store, Ty, VarId};
use crate::source::Span;
use crate::source::hash::Map;
use crate::source::stack::deep;

/// Why two types do not fit.
#[derive(Clone, Debug)]
pub enum Mismatch {
    /// They differ: what was expected, what was found, and where each came from.
    Differ(Side, Side),
    /// A variable would stand for a type that contains it.
    Infinite(Ty),
    /// A type lacks constraints.
    Lacks(Ty, u8),
    /// Too many steps.
    TooLarge,
}

impl Mismatch {
    /// With the sides exchanged.
    pub(super) fn turned(self) -> Self {
        match self {
            Self::Differ(a, b) => Self::Differ(b, a),
            other => other,
        }
    }
}

/// A type that does not fit another one.
#[derive(Clone, Copy, Debug)]
pub struct Side {
    /// The type.
    pub ty: Ty,
    /// Where it was found out.
    pub origin: Option<Span>,
}

pub(super) type Unified<T = ()> = Result<T, Mismatch>;

/// Steps of one unification. No script that people write comes near.
pub(super) const FUEL: u32 = 1_000_000;

/// Steps after which it is kept in mind what was done.
const PATIENCE: u32 = 1_000;

impl Store {
    /// Makes two types equal, or says why that cannot be. The first is what is expected.
    pub(super) fn unify(&mut self, expected: Ty, actual: Ty) -> Unified {
        self.begin();
        self.meet(expected, actual, None, None)
    }

    /// The same where no product may be split: `f(x.y)` does not fit `f(c.1)`.
    pub(super) fn unify_whole(&mut self, expected: Ty, actual: Ty) -> Unified {
        self.splitting = false;
        let result = self.unify(expected, actual);
        self.splitting = true;
        result
    }

    /// A type with the products in it put together as far as possible: a last variable takes all
    /// fields that are still wanted.
    pub(super) fn evaluate(&mut self, t: Ty) -> Unified<Ty> {
        self.begin();
        self.evaluated(t)
    }

    /// Begins to count steps.
    pub(super) fn begin(&mut self) {
        self.fuel = FUEL;
        self.done.clear();
    }

    pub(super) fn evaluated(&mut self, t: Ty) -> Unified<Ty> {
        self.put_together(t, &mut Map::default())
    }

    fn put_together(&mut self, t: Ty, known: &mut Map<Ty, Ty>) -> Unified<Ty> {
        let t = self.shallow(t);
        if self.is_settled(t) || matches!(self.kind(t), Kind::Var(_)) {
            return Ok(t);
        }
        if self.is_over() {
            return Err(Mismatch::TooLarge);
        }
        if self.is_together(t) {
            return Ok(t);
        }
        if let Some(done) = known.get(&t) {
            return Ok(*done);
        }
        let out = deep(|| {
            let kind = self.kind(t).clone();
            let mut many = |store: &mut Self, ts: &[Ty]| -> Unified<Vec<Ty>> {
                let each = ts.iter().map(|t| store.put_together(*t, known));
                each.collect()
            };
            Ok(match kind {
                Kind::Set(a) => {
                    let a = many(self, &[a])?;
                    self.set(a[0])
                }
                Kind::Seq(a) => {
                    let a = many(self, &[a])?;
                    self.seq(a[0])
                }
                Kind::Map(k, v) => {
                    let ts = many(self, &[k, v])?;
                    self.map(ts[0], ts[1])
                }
                Kind::Tuple(ts) => {
                    let ts = many(self, &ts)?;
                    self.tuple(ts)
                }
                Kind::Fun(ps, r) => {
                    let ps = many(self, &ps)?;
                    let r = many(self, &[r])?;
                    self.fun(ps, r[0])
                }
                Kind::Dots(_) => {
                    let parts = self.parts(t);
                    let parts = self.reduce(parts, Take::All)?;
                    self.dots(&parts)
                }
                _ => t,
            })
        })?;
        known.insert(t, out);
        self.put(out);
        Ok(out)
    }

    pub(super) fn step(&mut self) -> Unified {
        self.fuel = self.fuel.saturating_sub(1);
        if self.fuel == 0 || self.is_over() {
            return Err(Mismatch::TooLarge);
        }
        Ok(())
    }

    /// Whether something was not done before. Only what takes long is kept in mind.
    pub(super) fn is_new(&mut self, a: Ty, b: Ty) -> bool {
        self.fuel > FUEL - PATIENCE || self.done.insert((a, b))
    }

    /// `a` is expected, `b` is there; with where each was found out.
    pub(super) fn meet(&mut self, a: Ty, b: Ty, from: Option<Span>, to: Option<Span>) -> Unified {
        if a == b {
            return Ok(());
        }
        self.step()?;
        let (_, from) = self.trace(a, from);
        let (_, to) = self.trace(b, to);
        let (a, b) = (self.shallow(a), self.shallow(b));
        if a == b || !self.is_new(a, b) {
            return Ok(());
        }
        let sides = Sides { a, b, from, to };
        deep(|| self.meet_kinds(sides))
    }

    fn meet_kinds(&mut self, s: Sides) -> Unified {
        let (x, y) = (self.kind(s.a).clone(), self.kind(s.b).clone());
        match (&x, &y) {
            (Kind::Any, _) => {
                self.give_up(s.b);
                Ok(())
            }
            (_, Kind::Any) => {
                self.give_up(s.a);
                Ok(())
            }
            (Kind::Var(v), Kind::Var(w)) => self.meet_vars(*v, *w, s),
            (Kind::Var(v), _) => self.bind(*v, s.b, s),
            (_, Kind::Var(v)) => self.bind(*v, s.a, s),
            (Kind::Set(x), Kind::Set(y)) | (Kind::Seq(x), Kind::Seq(y)) => {
                self.meet(*x, *y, s.from, s.to)
            }
            (Kind::Map(k, v), Kind::Map(l, w)) => {
                self.meet(*k, *l, s.from, s.to)?;
                self.meet(*v, *w, s.from, s.to)
            }
            (Kind::Tuple(xs), Kind::Tuple(ys)) if xs.len() == ys.len() => self.meet_all(xs, ys, s),
            (Kind::Fun(xs, r), Kind::Fun(ys, t)) if xs.len() == ys.len() => {
                self.meet_all(xs, ys, s)?;
                self.meet(*r, *t, s.from, s.to)
            }
            (Kind::Dotable(..), Kind::Dotable(..)) => self.meet_dotables(s),
            (Kind::Dots(_), Kind::Dots(_)) => {
                let (xs, ys) = (self.parts(s.a), self.parts(s.b));
                self.combine(xs, ys, s)
            }
            (Kind::Dots(_), _) => self.product_expected(&y, s),
            (_, Kind::Dots(_)) => self.product_given(&x, s),
            (Kind::Extendable(..) | Kind::Dotable(..), _)
            | (_, Kind::Extendable(..) | Kind::Dotable(..)) => self.meet_extendable(&x, &y, s),
            _ => s.differ(),
        }
    }

    fn meet_all(&mut self, xs: &[Ty], ys: &[Ty], s: Sides) -> Unified {
        let mut pairs = xs.iter().zip(ys);
        pairs.try_for_each(|(x, y)| self.meet(*x, *y, s.from, s.to))
    }

    // -------------------------------------------------------------------------- variables

    fn meet_vars(&mut self, v: VarId, w: VarId, s: Sides) -> Unified {
        match (self.rigid(v).is_some(), self.rigid(w).is_some()) {
            (true, true) => s.differ(),
            (true, false) => self.bind(w, s.a, s),
            (false, true) => self.bind(v, s.b, s),
            // The older one stays.
            _ if v < w => self.bind(w, s.a, s),
            _ => self.bind(v, s.b, s),
        }
    }

    fn bind(&mut self, v: VarId, t: Ty, s: Sides) -> Unified {
        if self.rigid(v).is_some() {
            let var = self.make(Kind::Var(v));
            // What stands for any value wants no fields.
            return match *self.kind(t) {
                Kind::Extendable(result, w) => {
                    self.meet(result, var, s.from, s.to)?;
                    self.extend(w, Ty::NO_FIELDS, s)
                }
                _ => s.differ(),
            };
        }
        let wanted = self.constraints(v);
        if let Err(lacking) = self.demand(t, wanted) {
            // It fits everything from now on, so that what is wrong is said once.
            self.link(v, Ty::ANY);
            return Err(lacking);
        }
        let mut t = self.shallow(t);
        if self.occurs(v, t) {
            t = self.evaluated(t)?;
            if *self.kind(t) == Kind::Var(v) {
                return Ok(());
            }
            if self.occurs(v, t) {
                return Err(Mismatch::Infinite(t));
            }
        }
        self.link(v, t);
        Ok(())
    }

    /// Lets all that is open in a type be wrong already, like what it should be equal to: otherwise it
    /// would be told that it is not determined.
    fn give_up(&mut self, t: Ty) {
        for v in self.free(t) {
            if self.rigid(v).is_none() {
                self.link(v, Ty::ANY);
            }
        }
    }

    /// Binds the variable of an extendable type to the fields that it takes.
    pub(super) fn extend(&mut self, v: VarId, fields: Ty, s: Sides) -> Unified {
        if self.rigid(v).is_some() {
            return s.differ();
        }
        if self.occurs(v, fields) {
            return match self.kind(fields) {
                Kind::Var(_) => Ok(()),
                _ => Err(Mismatch::Infinite(fields)),
            };
        }
        self.link(v, fields);
        Ok(())
    }

    // ------------------------------------------------------- what becomes something else

    fn meet_extendable(&mut self, x: &Kind, y: &Kind, s: Sides) -> Unified {
        match (x, y) {
            (Kind::Extendable(r, v), Kind::Extendable(t, w)) => {
                self.meet(*r, *t, s.from, s.to)?;
                let (from, to) = if self.rigid(*w).is_some() {
                    (*v, *w)
                } else {
                    (*w, *v)
                };
                let to = self.make(Kind::Var(to));
                self.extend(from, to, s)
            }
            (Kind::Extendable(r, v), Kind::Dotable(fields, result)) => {
                let (rest, open) = self.open_end(*r);
                self.meet(open, *result, s.from, s.to)?;
                let taken = self.dotable(fields, rest);
                self.extend(*v, taken, s)
            }
            (Kind::Dotable(fields, result), Kind::Extendable(r, v)) => {
                let (rest, open) = self.open_end(*r);
                self.meet(*result, open, s.from, s.to)?;
                let taken = self.dotable(fields, rest);
                self.extend(*v, taken, s)
            }
            (Kind::Extendable(r, v), _) => {
                self.meet(*r, s.b, s.from, s.to)?;
                self.extend(*v, Ty::NO_FIELDS, s)
            }
            (_, Kind::Extendable(r, v)) => {
                self.meet(s.a, *r, s.from, s.to)?;
                self.extend(*v, Ty::NO_FIELDS, s)
            }
            _ => s.differ(),
        }
    }

    /// A new variable, and `v=>*result` with it.
    fn open_end(&mut self, result: Ty) -> (Ty, Ty) {
        let v = self.fresh_var(0, None);
        (
            self.make(Kind::Var(v)),
            self.make(Kind::Extendable(result, v)),
        )
    }

    fn meet_dotables(&mut self, s: Sides) -> Unified {
        let (xs, r) = self.split(s.a);
        let (ys, t) = self.split(s.b);
        let open = |kind: &Kind| matches!(kind, Kind::Extendable(..));
        if !open(self.kind(r)) && !open(self.kind(t)) {
            self.meet(r, t, s.from, s.to)?;
            return self.combine(xs, ys, s);
        }
        // What is extendable may want more fields than it says.
        let xs = self.reduce(xs, Take::All)?;
        let ys = self.reduce(ys, Take::All)?;
        for (x, y) in xs.iter().zip(&ys) {
            let (x_end, y_end) = (self.split(*x).1, self.split(*y).1);
            self.meet(x_end, y_end, s.from, s.to)?;
        }
        let r = self.dotable(xs.get(ys.len()..).unwrap_or_default(), r);
        let t = self.dotable(ys.get(xs.len()..).unwrap_or_default(), t);
        self.meet(r, t, s.from, s.to)
    }

    /// A product is expected, and something else is there.
    fn product_expected(&mut self, given: &Kind, s: Sides) -> Unified {
        if !self.splitting {
            return s.differ();
        }
        match given {
            Kind::Data(_) | Kind::Event | Kind::Extendable(..) => {
                let (head, wanted) = self.wanting(s.a, s.b);
                self.meet(wanted, head, s.to, s.from)
            }
            Kind::Dotable(..) => {
                let (head, wanted) = self.wanting(s.a, s.b);
                self.meet(head, wanted, s.from, s.to)
            }
            _ => s.differ(),
        }
    }

    /// A product is there, and something else is expected.
    fn product_given(&mut self, expected: &Kind, s: Sides) -> Unified {
        match expected {
            Kind::Data(_) | Kind::Event | Kind::Dotable(..) => {
                let (head, wanted) = self.wanting(s.b, s.a);
                self.meet(wanted, head, s.from, s.to)
            }
            Kind::Extendable(..) => {
                let parts = self.parts(s.b);
                let parts = self.reduce(parts, Take::One)?;
                let product = self.dots(&parts);
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
        let parts = self.parts(product);
        (parts[0], self.dotable(&parts[1..], result))
    }
}

/// Two types that should be equal.
#[derive(Clone, Copy)]
pub(super) struct Sides {
    pub a: Ty,
    pub b: Ty,
    pub from: Option<Span>,
    pub to: Option<Span>,
}

impl Sides {
    /// A type that should be equal to itself.
    pub(super) fn of(t: Ty) -> Self {
        Self {
            a: t,
            b: t,
            from: None,
            to: None,
        }
    }

    pub(super) fn turned(self) -> Self {
        Self {
            a: self.b,
            b: self.a,
            from: self.to,
            to: self.from,
        }
    }

    pub(super) fn differ<T>(self) -> Unified<T> {
        let side = |ty, origin| Side { ty, origin };
        Err(Mismatch::Differ(
            side(self.a, self.from),
            side(self.b, self.to),
        ))
    }
}
