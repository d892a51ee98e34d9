//! Types and type variables.
//!
//! A [`Ty`] is a number: equal types that mention the same variables have the same number, so types
//! are copied and compared for nothing, however deep they are. Variables are bound in place.

use std::rc::Rc;

use crate::script::core::TypeId;
use crate::source::hash::{IndexSet, Map, Set};
use crate::source::stack::deep;
use crate::source::{Bounds, Span};

/// What is done here, for the message that it had to end.
pub(super) const PHASE: &str = "types were inferred";

/// A type: an index into the [`Store`] that made it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Ty(u32);

impl Ty {
    /// Stands for everything: the type of what is wrong already.
    pub const ANY: Self = Self(0);
    /// Integers.
    pub const INT: Self = Self(1);
    /// Truth values.
    pub const BOOL: Self = Self(2);
    /// Characters.
    pub const CHAR: Self = Self(3);
    /// Complete events.
    pub const EVENT: Self = Self(4);
    /// Processes.
    pub const PROC: Self = Self(5);
    /// A number that is no type, for constraints.
    pub(super) fn mark(constraints: u8) -> Self {
        Self(u32::MAX - u32::from(constraints))
    }
    /// What the variable of an extendable type is bound to when no field is wanted.
    pub(super) const NO_FIELDS: Self = Self(6);
}

/// The kinds with fixed numbers, in order.
const FIXED: [Kind; 7] = [
    Kind::Any,
    Kind::Int,
    Kind::Bool,
    Kind::Char,
    Kind::Event,
    Kind::Proc,
    Kind::NoFields,
];

/// A type variable.
pub type VarId = u32;

/// What a type is made of.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// See [`Ty::ANY`].
    Any,
    /// See [`Ty::INT`].
    Int,
    /// See [`Ty::BOOL`].
    Bool,
    /// See [`Ty::CHAR`].
    Char,
    /// See [`Ty::EVENT`].
    Event,
    /// See [`Ty::PROC`].
    Proc,
    /// Only ever what the variable of [`Kind::Extendable`] is bound to.
    NoFields,
    /// Not known yet, or any type that the constraints of the variable admit.
    Var(VarId),
    /// A datatype.
    Data(TypeId),
    /// `{t}`
    Set(Ty),
    /// `<t>`
    Seq(Ty),
    /// `(| k => v |)`
    Map(Ty, Ty),
    /// `(t, u)`
    Tuple(Rc<[Ty]>),
    /// `(t, u) -> v`
    Fun(Rc<[Ty]>, Ty),
    /// `t.u`: at least two parts.
    Dots(Rc<[Ty]>),
    /// `t=>u=>r`: becomes `r` when the fields (at least one) are given.
    Dotable(Rc<[Ty]>, Ty),
    /// `v=>*t`: becomes `t` when the fields that the variable `v` stands for (none is possible) are
    /// given. `v` is bound to [`Kind::NoFields`], or to a [`Kind::Dotable`] whose result is again
    /// such a variable or nothing.
    Extendable(Ty, VarId),
}

#[derive(Clone, Debug)]
struct Var {
    link: Option<Ty>,
    /// Where it was bound: the place that a type came from.
    origin: Option<Span>,
    level: u32,
    constraints: u8,
    /// The name of a variable of an annotation, which stands for itself alone.
    rigid: Option<Rc<str>>,
}

/// All types and type variables.
#[derive(Clone, Debug)]
pub struct Store {
    kinds: IndexSet<Kind>,
    /// Whether a type mentions variables.
    open: Vec<bool>,
    /// Whether it mentions products, too.
    dotted: Vec<bool>,
    vars: Vec<Var>,
    /// The types of the fields of all constructors of a datatype, once they are known.
    pub(super) fields: Vec<Option<Vec<Ty>>>,
    pub(super) comparable: Map<TypeId, bool>,
    /// Depth of the definition group being inferred; deeper variables can be generalised.
    pub(super) level: u32,
    /// The place whose types are being unified.
    pub(super) here: Option<Span>,
    /// Whether a product may stand where an event or a value is given: `x.y` for `c.1`.
    pub(super) splitting: bool,
    /// Steps left to the unification under way.
    pub(super) fuel: u32,
    /// What was done already in a unification that takes many steps.
    pub(super) done: Set<(Ty, Ty)>,
    /// Types that were put together, with how many products had been bound by then: as long as there
    /// are no more, there is nothing new to put together in them.
    together: Map<Ty, u32>,
    /// How many variables were bound to types that mention products.
    products: u32,
    /// Constraints that types are known to have, now and ever.
    pub(super) granted: Set<(Ty, u8)>,
    /// How many answers about constraints may become others later.
    pub(super) doubts: u32,
    pub(super) bounds: Bounds,
}

impl Default for Store {
    fn default() -> Self {
        Self {
            kinds: FIXED.into_iter().collect(),
            open: vec![false; FIXED.len()],
            dotted: vec![false; FIXED.len()],
            vars: Vec::new(),
            fields: Vec::new(),
            comparable: Map::default(),
            level: 0,
            here: None,
            splitting: true,
            fuel: 0,
            done: Set::default(),
            together: Map::default(),
            products: 0,
            granted: Set::default(),
            doubts: 0,
            bounds: Bounds::default(),
        }
    }
}

impl Store {
    /// What a type is made of. Bound variables are not followed: `shallow` does that.
    #[must_use]
    pub fn kind(&self, t: Ty) -> &Kind {
        self.kinds.get_index(t.0 as usize).unwrap_or(&Kind::Any)
    }

    pub(super) fn make(&mut self, kind: Kind) -> Ty {
        let open = match &kind {
            Kind::Var(_) | Kind::Extendable(..) => true,
            _ => children(&kind).any(|c| self.open[c.0 as usize]),
        };
        let dotted =
            matches!(kind, Kind::Dots(_)) || children(&kind).any(|c| self.dotted[c.0 as usize]);
        let (at, new) = self.kinds.insert_full(kind);
        if new {
            self.open.push(open);
            self.dotted.push(dotted);
        }
        Ty(at as u32)
    }

    pub(super) fn data(&mut self, t: TypeId) -> Ty {
        self.make(Kind::Data(t))
    }
    pub(super) fn set(&mut self, t: Ty) -> Ty {
        self.make(Kind::Set(t))
    }
    pub(super) fn seq(&mut self, t: Ty) -> Ty {
        self.make(Kind::Seq(t))
    }
    pub(super) fn map(&mut self, k: Ty, v: Ty) -> Ty {
        self.make(Kind::Map(k, v))
    }
    pub(super) fn tuple(&mut self, ts: impl Into<Rc<[Ty]>>) -> Ty {
        self.make(Kind::Tuple(ts.into()))
    }
    pub(super) fn fun(&mut self, params: impl Into<Rc<[Ty]>>, result: Ty) -> Ty {
        self.make(Kind::Fun(params.into(), result))
    }
    /// One part is itself, several are a product.
    pub(super) fn dots(&mut self, parts: &[Ty]) -> Ty {
        match parts {
            [] => Ty::ANY,
            [only] => *only,
            _ => self.make(Kind::Dots(parts.into())),
        }
    }
    /// Without fields it is the result itself.
    pub(super) fn dotable(&mut self, fields: &[Ty], result: Ty) -> Ty {
        if fields.is_empty() {
            return result;
        }
        self.make(Kind::Dotable(fields.into(), result))
    }

    // ------------------------------------------------------------------------------ variables

    pub(super) fn fresh(&mut self) -> Ty {
        self.fresh_with(0)
    }

    pub(super) fn fresh_with(&mut self, constraints: u8) -> Ty {
        let v = self.fresh_var(constraints, None);
        self.make(Kind::Var(v))
    }

    pub(super) fn fresh_var(&mut self, constraints: u8, rigid: Option<Rc<str>>) -> VarId {
        self.vars.push(Var {
            link: None,
            origin: None,
            level: self.level,
            constraints,
            rigid,
        });
        self.vars.len() as u32 - 1
    }

    fn var(&self, v: VarId) -> &Var {
        &self.vars[v as usize]
    }
    pub(super) fn constraints(&self, v: VarId) -> u8 {
        self.var(v).constraints
    }
    pub(super) fn add_constraints(&mut self, v: VarId, wanted: u8) {
        self.vars[v as usize].constraints |= wanted;
    }
    pub(super) fn level_of(&self, v: VarId) -> u32 {
        self.var(v).level
    }
    pub(super) fn rigid(&self, v: VarId) -> Option<&Rc<str>> {
        self.var(v).rigid.as_ref()
    }
    pub(super) fn linked(&self, v: VarId) -> Option<Ty> {
        self.var(v).link
    }
    pub(super) fn lower(&mut self, v: VarId, level: u32) {
        let var = &mut self.vars[v as usize];
        var.level = var.level.min(level);
    }
    pub(super) fn link(&mut self, v: VarId, t: Ty) {
        let here = self.here;
        // What is bound may lead to products that were bound before.
        let leads = self.products > 0 && self.open[t.0 as usize];
        let leads = leads && !matches!(self.kind(t), Kind::Var(_));
        self.products += u32::from(leads || self.dotted[t.0 as usize]);
        let var = &mut self.vars[v as usize];
        var.link = Some(t);
        var.origin = here;
    }

    /// The type behind a chain of bound variables, and where it was found out.
    pub(super) fn trace(&self, t: Ty, mut origin: Option<Span>) -> (Ty, Option<Span>) {
        let mut at = t;
        while let Kind::Var(v) = self.kind(at) {
            let var = self.var(*v);
            let Some(next) = var.link else { break };
            origin = var.origin.or(origin);
            at = next;
        }
        (at, origin)
    }

    /// The type behind a chain of bound variables; extendable types are extended as far as it is
    /// known how.
    pub(super) fn shallow(&mut self, t: Ty) -> Ty {
        let (mut at, origin) = self.trace(t, None);
        if at != t {
            self.shorten(t, at, origin);
        }
        while let Kind::Extendable(result, v) = self.kind(at) {
            let (result, v) = (*result, *v);
            at = self.extended(result, v);
            if matches!(self.kind(at), Kind::Extendable(..)) {
                break;
            }
            at = self.trace(at, None).0;
        }
        at
    }

    /// Lets all variables of a chain point at its end.
    fn shorten(&mut self, from: Ty, end: Ty, origin: Option<Span>) {
        let mut at = from;
        while let Kind::Var(v) = *self.kind(at) {
            let var = &mut self.vars[v as usize];
            let Some(next) = var.link.replace(end) else {
                var.link = None;
                break;
            };
            var.origin = origin;
            at = next;
        }
    }

    fn extended(&mut self, result: Ty, v: VarId) -> Ty {
        let mut fields: Vec<Ty> = Vec::new();
        let mut rest = self.make(Kind::Var(v));
        let end = loop {
            match self.kind(rest).clone() {
                Kind::Var(v) => match self.var(v).link {
                    Some(next) => rest = next,
                    None => break self.make(Kind::Extendable(result, v)),
                },
                Kind::Dotable(more, next) => {
                    fields.extend(more.iter());
                    rest = next;
                }
                _ => break result,
            }
        };
        self.dotable(&fields, end)
    }

    /// What a type is, with variables followed.
    pub(super) fn look(&mut self, t: Ty) -> Kind {
        let t = self.shallow(t);
        self.kind(t).clone()
    }

    /// The parts of a product, with products among them spliced in; other types are one part.
    pub(super) fn parts(&mut self, t: Ty) -> Vec<Ty> {
        let mut out = Vec::new();
        let mut todo = vec![t];
        while let Some(t) = todo.pop() {
            let t = self.shallow(t);
            match self.kind(t) {
                Kind::Dots(parts) => todo.extend(parts.iter().rev()),
                _ => out.push(t),
            }
        }
        out
    }

    /// The fields that a type wants, and what it becomes with all of them.
    pub(super) fn split(&mut self, t: Ty) -> (Vec<Ty>, Ty) {
        let mut fields = Vec::new();
        let mut at = self.shallow(t);
        while let Kind::Dotable(wanted, result) = self.kind(at).clone() {
            for field in wanted.iter() {
                fields.extend(self.parts(*field));
            }
            at = self.shallow(result);
        }
        (fields, at)
    }

    // ------------------------------------------------------------------------- whole types

    /// Visits the variables of a type that are not bound, in order of first occurrence, and all
    /// types on the way, each once. `None` if a bound was reached.
    pub(super) fn walk(&self, t: Ty, mut f: impl FnMut(&Kind)) {
        let mut seen: Set<Ty> = Set::default();
        let mut todo = vec![t];
        while let Some(t) = todo.pop() {
            if self.is_over() {
                return;
            }
            let t = self.trace(t, None).0;
            let kind = self.kind(t);
            let compound = self.open[t.0 as usize] || !matches!(kind, Kind::Var(_));
            if compound && !seen.insert(t) {
                continue;
            }
            f(kind);
            if let Kind::Extendable(_, v) = kind
                && let Some(next) = self.var(*v).link
            {
                todo.push(next);
            }
            let at = todo.len();
            todo.extend(children(kind));
            todo[at..].reverse();
        }
    }

    /// Remembers that the products in a type are put together, if it mentions none.
    pub(super) fn put(&mut self, t: Ty) {
        if !self.dotted[t.0 as usize] {
            self.together.insert(t, self.products);
        }
    }

    /// Whether there is nothing new to put together in a type.
    pub(super) fn is_together(&self, t: Ty) -> bool {
        self.together.get(&t) == Some(&self.products)
    }

    /// Whether a bound is reached.
    pub(super) fn is_over(&self) -> bool {
        self.bounds.over(PHASE, self.here)
    }

    /// Whether there is nothing to put together in a type, now or ever.
    pub(super) fn is_settled(&self, t: Ty) -> bool {
        !self.open[t.0 as usize] && !self.dotted[t.0 as usize]
    }

    /// The free variables of a type, in order of first occurrence.
    pub(super) fn free(&self, t: Ty) -> IndexSet<VarId> {
        let mut out: IndexSet<VarId> = IndexSet::default();
        if !self.open[t.0 as usize] {
            return out;
        }
        self.walk(t, |kind| match kind {
            Kind::Var(v) => {
                out.insert(*v);
            }
            Kind::Extendable(_, v) if self.var(*v).link.is_none() => {
                out.insert(*v);
            }
            _ => {}
        });
        out
    }

    /// Whether `v` occurs in `t`; lowers the levels of the variables of `t` to that of `v`.
    pub(super) fn occurs(&mut self, v: VarId, t: Ty) -> bool {
        let level = self.var(v).level;
        let mut found = false;
        for w in self.free(t) {
            found |= w == v;
            let w = &mut self.vars[w as usize];
            w.level = w.level.min(level);
        }
        found
    }

    /// The type with variables replaced as `with` says; bound ones are followed.
    pub(super) fn substitute(&mut self, t: Ty, with: &Map<VarId, Ty>) -> Ty {
        self.replace(t, with, &mut Map::default())
    }

    fn replace(&mut self, t: Ty, with: &Map<VarId, Ty>, done: &mut Map<Ty, Ty>) -> Ty {
        let t = self.shallow(t);
        if !self.open[t.0 as usize] || self.is_over() {
            return t;
        }
        if let Some(known) = done.get(&t) {
            return *known;
        }
        let out = deep(|| {
            let kind = self.kind(t).clone();
            let mut many = |store: &mut Self, ts: &[Ty]| -> Vec<Ty> {
                ts.iter().map(|t| store.replace(*t, with, done)).collect()
            };
            match kind {
                Kind::Var(v) => with.get(&v).copied().unwrap_or(t),
                Kind::Set(a) => {
                    let a = many(self, &[a]);
                    self.set(a[0])
                }
                Kind::Seq(a) => {
                    let a = many(self, &[a]);
                    self.seq(a[0])
                }
                Kind::Map(k, v) => {
                    let ts = many(self, &[k, v]);
                    self.map(ts[0], ts[1])
                }
                Kind::Tuple(ts) => {
                    let ts = many(self, &ts);
                    self.tuple(ts)
                }
                Kind::Fun(ps, r) => {
                    let ps = many(self, &ps);
                    let r = many(self, &[r]);
                    self.fun(ps, r[0])
                }
                Kind::Dots(ts) => {
                    let ts = many(self, &ts);
                    self.dots(&ts)
                }
                Kind::Dotable(fs, r) => {
                    let fs = many(self, &fs);
                    let r = many(self, &[r]);
                    self.dotable(&fs, r[0])
                }
                Kind::Extendable(r, v) => {
                    let r = many(self, &[r]);
                    let to = with.get(&v).map_or(Kind::Var(v), |t| self.kind(*t).clone());
                    match to {
                        Kind::Var(v) => self.make(Kind::Extendable(r[0], v)),
                        _ => r[0],
                    }
                }
                _ => t,
            }
        });
        done.insert(t, out);
        out
    }
}

/// The types directly inside a type.
pub(super) fn children(kind: &Kind) -> impl Iterator<Item = Ty> + '_ {
    let (many, first, second): (&[Ty], _, _) = match kind {
        Kind::Set(t) | Kind::Seq(t) | Kind::Extendable(t, _) => (&[], Some(*t), None),
        Kind::Map(k, v) => (&[], Some(*k), Some(*v)),
        Kind::Tuple(ts) | Kind::Dots(ts) => (ts, None, None),
        Kind::Fun(ts, r) | Kind::Dotable(ts, r) => (ts, Some(*r), None),
        _ => (&[], None, None),
    };
    many.iter().copied().chain(first).chain(second)
}
