//! Making two types equal, with the rules of dots.
//!
//! A product `t.u.v` may be more than its parts: `c.0` is an event if `c` wants one number. What a
//! product comes to is decided as late as possible: when it meets a type that is none, or when a
//! definition is complete ([`Store::evaluate`]).

use super::ty::{Kind, Store, Ty, VarId};
use crate::source::Span;
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

/// How many fields a last variable takes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Take {
    /// All that are wanted.
    All,
    /// One.
    One,
    /// None yet: nothing is decided that what follows may decide otherwise.
    None,
}

impl Store {
    /// Makes two types equal, or says why that cannot be. The first is what is expected.
    pub(super) fn unify(&mut self, expected: Ty, actual: Ty) -> Unified {
        self.fuel = FUEL;
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
        self.fuel = FUEL;
        self.evaluated(t)
    }

    pub(super) fn evaluated(&mut self, t: Ty) -> Unified<Ty> {
        let t = self.shallow(t);
        deep(|| {
            let kind = self.kind(t).clone();
            let many = |store: &mut Self, ts: &[Ty]| -> Unified<Vec<Ty>> {
                ts.iter().map(|t| store.evaluated(*t)).collect()
            };
            Ok(match kind {
                Kind::Set(a) => {
                    let a = self.evaluated(a)?;
                    self.set(a)
                }
                Kind::Seq(a) => {
                    let a = self.evaluated(a)?;
                    self.seq(a)
                }
                Kind::Map(k, v) => {
                    let (k, v) = (self.evaluated(k)?, self.evaluated(v)?);
                    self.map(k, v)
                }
                Kind::Tuple(ts) => {
                    let ts = many(self, &ts)?;
                    self.tuple(ts)
                }
                Kind::Fun(ps, r) => {
                    let ps = many(self, &ps)?;
                    let r = self.evaluated(r)?;
                    self.fun(ps, r)
                }
                Kind::Dots(_) => {
                    let parts = self.parts(t);
                    let parts = self.reduce(parts, Take::All)?;
                    self.dots(&parts)
                }
                _ => t,
            })
        })
    }

    pub(super) fn step(&mut self) -> Unified {
        self.fuel = self.fuel.saturating_sub(1);
        if self.fuel == 0 {
            return Err(Mismatch::TooLarge);
        }
        Ok(())
    }

    /// `a` is expected, `b` is there; with where each was found out.
    fn meet(&mut self, a: Ty, b: Ty, from: Option<Span>, to: Option<Span>) -> Unified {
        if a == b {
            return Ok(());
        }
        self.step()?;
        let (_, from) = self.trace(a, from);
        let (_, to) = self.trace(b, to);
        let (a, b) = (self.shallow(a), self.shallow(b));
        if a == b {
            return Ok(());
        }
        let sides = Sides { a, b, from, to };
        deep(|| self.meet_kinds(sides))
    }

    fn meet_kinds(&mut self, s: Sides) -> Unified {
        let (x, y) = (self.kind(s.a).clone(), self.kind(s.b).clone());
        match (&x, &y) {
            (Kind::Any, _) | (_, Kind::Any) => Ok(()),
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
            return s.differ();
        }
        let wanted = self.constraints(v);
        self.demand(t, wanted)?;
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

    // --------------------------------------------------------------------------- products

    /// Makes two products equal, from left to right.
    fn combine(&mut self, xs: Vec<Ty>, ys: Vec<Ty>, s: Sides) -> Unified {
        let mut xs = Parts::new(xs);
        let mut ys = Parts::new(ys);
        loop {
            self.step()?;
            let (x, y) = (xs.first(self), ys.first(self));
            let (Some(x), Some(y)) = (x, y) else {
                return match (x, y) {
                    (None, None) => Ok(()),
                    _ => s.differ(),
                };
            };
            if ys.is_last() {
                let all = xs.all(self);
                return self.meet(all, y, s.from, s.to);
            }
            if xs.is_last() {
                let all = ys.all(self);
                return self.meet(x, all, s.from, s.to);
            }
            let wants = |store: &Self, t: Ty| matches!(store.kind(t), Kind::Dotable(..));
            if wants(self, x) {
                if self.feed(&mut xs, &mut ys, s)? {
                    return Ok(());
                }
            } else if wants(self, y) {
                if self.feed(&mut ys, &mut xs, s.turned())? {
                    return Ok(());
                }
            } else {
                self.meet(x, y, s.from, s.to)?;
                xs.drop_first();
                ys.drop_first();
            }
        }
    }

    /// The first part of `xs` wants fields, and gets them from the second. The answer is whether
    /// that settled all.
    fn feed(&mut self, xs: &mut Parts, ys: &mut Parts, s: Sides) -> Unified<bool> {
        let Some(first) = xs.first(self) else {
            return Ok(false);
        };
        xs.drop_first();
        let (fields, result) = self.split(first);
        let Some(given) = xs.first(self) else {
            return Ok(false);
        };
        let last = xs.is_last();
        let wanted = fields[0];
        let remaining = self.dotable(&fields[1..], result);
        let complex = matches!(self.kind(wanted), Kind::Dotable(..));
        match self.kind(given).clone() {
            Kind::Var(_) if last && !complex => {
                let rest = ys.take_all(self);
                let rest = self.reduce(rest, Take::All)?;
                self.meet(result, rest[0], s.from, s.to)?;
                let mut taken = fields;
                taken.extend(&rest[1..]);
                let taken = self.dots(&taken);
                self.meet(given, taken, s.from, s.to)?;
                return Ok(true);
            }
            Kind::Dotable(..) if !complex => {
                let (inner, end) = self.split(given);
                self.meet(wanted, end, s.from, s.to)?;
                xs.drop_first();
                let next = self.dotable(&inner, remaining);
                xs.push_first(next);
            }
            _ => {
                self.meet(wanted, given, s.from, s.to)?;
                xs.drop_first();
                xs.push_first(remaining);
            }
        }
        Ok(false)
    }

    /// Puts a product together as far as nothing that follows can change it. If a part does not
    /// fit, its number.
    pub(super) fn join(&mut self, parts: Vec<Ty>) -> Result<Ty, (usize, Mismatch)> {
        self.fuel = FUEL;
        let count = parts.len();
        let mut todo = Parts::new(parts);
        match self.reduce_all(&mut todo, Take::None) {
            Ok(parts) => Ok(self.dots(&parts)),
            Err(mismatch) => Err((count.saturating_sub(todo.0.len() + 1), mismatch)),
        }
    }

    /// The same, where a last variable takes one field.
    pub(super) fn join_one(&mut self, parts: Vec<Ty>) -> Unified<Vec<Ty>> {
        self.fuel = FUEL;
        self.reduce(parts, Take::One)
    }

    /// Gives the parts of a product to those before them that want fields.
    fn reduce(&mut self, parts: Vec<Ty>, take: Take) -> Unified<Vec<Ty>> {
        self.reduce_all(&mut Parts::new(parts), take)
    }

    fn reduce_all(&mut self, todo: &mut Parts, take: Take) -> Unified<Vec<Ty>> {
        let mut done = Vec::new();
        while let Some(first) = todo.first(self) {
            self.step()?;
            if todo.is_last() || take == Take::None && self.is_undecided(first, todo) {
                done.extend(todo.take_all(self));
                break;
            }
            todo.drop_first();
            match self.kind(first).clone() {
                Kind::Dotable(..) => {
                    let next = self.reduce_first(first, todo, take)?;
                    todo.push_first(next);
                }
                Kind::Extendable(result, v) => {
                    let taken = match take {
                        Take::All => {
                            let rest = todo.take_all(self);
                            self.reduce(rest, take)?
                        }
                        Take::One | Take::None => {
                            let one = todo.first(self);
                            todo.drop_first();
                            one.into_iter().collect()
                        }
                    };
                    let fields = self.dotable(&taken, Ty::NO_FIELDS);
                    let same = Sides::of(first);
                    self.extend(v, fields, same)?;
                    todo.push_first(result);
                }
                _ => done.push(first),
            }
        }
        Ok(done)
    }

    /// Whether what comes of the first two parts may depend on what is not known yet.
    fn is_undecided(&mut self, first: Ty, todo: &mut Parts) -> bool {
        let vague = |kind: &Kind| matches!(kind, Kind::Var(_) | Kind::Extendable(..));
        match self.kind(first) {
            Kind::Dotable(..) => {
                todo.drop_first();
                let second = todo.first(self);
                todo.push_first(first);
                let (fields, _) = self.split(first);
                second.is_none_or(|t| vague(self.kind(t))) || vague(self.kind(fields[0]))
            }
            kind => vague(kind),
        }
    }

    /// `first` takes the next part (or all, if that is a last variable); what comes of it.
    fn reduce_first(&mut self, first: Ty, todo: &mut Parts, take: Take) -> Unified<Ty> {
        let (fields, result) = self.split(first);
        let Some(given) = todo.first(self) else {
            return Ok(first);
        };
        let last = todo.is_last();
        todo.drop_first();
        let remaining = self.dotable(&fields[1..], result);
        let complex = matches!(self.kind(fields[0]), Kind::Dotable(..));
        Ok(match self.kind(given).clone() {
            Kind::Var(_) if last && take == Take::All => {
                let all = self.dots(&fields);
                self.meet(given, all, None, None)?;
                result
            }
            Kind::Extendable(end, v) => {
                self.meet(fields[0], end, None, None)?;
                self.make(Kind::Extendable(remaining, v))
            }
            Kind::Dotable(..) if !complex => {
                let (inner, end) = self.split(given);
                self.meet(fields[0], end, None, None)?;
                self.dotable(&inner, remaining)
            }
            _ => {
                self.meet(fields[0], given, None, None)?;
                remaining
            }
        })
    }
}

/// Two types that should be equal.
#[derive(Clone, Copy)]
pub(super) struct Sides {
    a: Ty,
    b: Ty,
    from: Option<Span>,
    to: Option<Span>,
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

    fn turned(self) -> Self {
        Self {
            a: self.b,
            b: self.a,
            from: self.to,
            to: self.from,
        }
    }

    fn differ<T>(self) -> Unified<T> {
        let side = |ty, origin| Side { ty, origin };
        Err(Mismatch::Differ(
            side(self.a, self.from),
            side(self.b, self.to),
        ))
    }
}

/// The parts of a product that are still to be looked at, the first on top.
struct Parts(Vec<Ty>);

impl Parts {
    fn new(mut parts: Vec<Ty>) -> Self {
        parts.reverse();
        Self(parts)
    }

    /// The first part, which is no product itself.
    fn first(&mut self, store: &mut Store) -> Option<Ty> {
        let top = self.0.pop()?;
        let mut parts = store.parts(top);
        parts.reverse();
        self.0.extend(parts);
        self.0.last().copied()
    }

    fn is_last(&self) -> bool {
        self.0.len() == 1
    }

    fn drop_first(&mut self) {
        self.0.pop();
    }

    fn push_first(&mut self, t: Ty) {
        self.0.push(t);
    }

    fn take_all(&mut self, store: &mut Store) -> Vec<Ty> {
        let mut out = Vec::new();
        while let Some(t) = self.0.pop() {
            out.extend(store.parts(t));
        }
        out
    }

    fn all(&mut self, store: &mut Store) -> Ty {
        let parts = self.take_all(store);
        store.dots(&parts)
    }
}
