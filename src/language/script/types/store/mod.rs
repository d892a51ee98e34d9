//! All types that there are: made once each, looked through, and bound by their variables in place.

mod vars;

use std::rc::Rc;

use super::ty::{FIXED, Ty, TyKind, TypeVarId, children};
use crate::script::core::TypeId;
use crate::source::hash::{IndexSet, Map, Set};
use crate::source::stack::deep;
use crate::source::{Bounds, Span};
use vars::Vars;

/// The name of this phase, for messages about limits.
const PHASE: &str = "types were inferred";

/// All types and type variables.
///
/// `open` and `dotted` have one entry a type. Types are never changed or taken away: what is found out of
/// one that mentions no variables stays true.
#[derive(Clone, Debug)]
pub(super) struct TypeStore {
    kinds: IndexSet<TyKind>,
    /// Whether a type mentions variables.
    open: Vec<bool>,
    /// Whether it mentions products.
    dotted: Vec<bool>,
    vars: Vars,
    /// See [`TypeStore::products`].
    products: u32,
    bounds: Bounds,
}

impl Default for TypeStore {
    fn default() -> Self {
        Self::new(Bounds::default())
    }
}

impl TypeStore {
    pub fn new(bounds: Bounds) -> Self {
        Self {
            kinds: FIXED.into_iter().collect(),
            open: vec![false; FIXED.len()],
            dotted: vec![false; FIXED.len()],
            vars: Vars::default(),
            products: 0,
            bounds,
        }
    }

    /// The constructor of a type. Bound variables are not followed: `shallow` does that.
    #[must_use]
    pub fn kind(&self, t: Ty) -> &TyKind {
        self.kinds.get_index(t.0 as usize).unwrap_or(&TyKind::Any)
    }

    pub(super) fn make(&mut self, kind: TyKind) -> Ty {
        // A type is open if a variable occurs in it anywhere. This is asked so often, before every
        // walk through a type, that it is kept.
        let open = match &kind {
            TyKind::Var(_) | TyKind::Extendable(..) => true,
            _ => children(&kind).any(|c| self.open[c.0 as usize]),
        };
        let dotted =
            matches!(kind, TyKind::Dots(_)) || children(&kind).any(|c| self.dotted[c.0 as usize]);
        // Hash consing: a type that was made before is found again, with its number.
        let (at, new) = self.kinds.insert_full(kind);
        if new {
            self.open.push(open);
            self.dotted.push(dotted);
        }
        Ty(at as u32)
    }

    pub(super) fn data(&mut self, t: TypeId) -> Ty {
        self.make(TyKind::Data(t))
    }
    pub(super) fn set(&mut self, t: Ty) -> Ty {
        self.make(TyKind::Set(t))
    }
    pub(super) fn seq(&mut self, t: Ty) -> Ty {
        self.make(TyKind::Seq(t))
    }
    pub(super) fn map(&mut self, k: Ty, v: Ty) -> Ty {
        self.make(TyKind::Map(k, v))
    }
    pub(super) fn tuple(&mut self, ts: impl Into<Rc<[Ty]>>) -> Ty {
        self.make(TyKind::Tuple(ts.into()))
    }
    pub(super) fn fun(&mut self, params: impl Into<Rc<[Ty]>>, result: Ty) -> Ty {
        self.make(TyKind::Fun(params.into(), result))
    }
    /// One part is itself, several are a product.
    pub(super) fn dots(&mut self, parts: &[Ty]) -> Ty {
        match parts {
            [] => Ty::ANY,
            [only] => *only,
            _ => self.make(TyKind::Dots(parts.into())),
        }
    }
    /// Without fields it is the result itself.
    pub(super) fn dotable(&mut self, fields: &[Ty], result: Ty) -> Ty {
        if fields.is_empty() {
            return result;
        }
        self.make(TyKind::Dotable(fields.into(), result))
    }

    // ------------------------------------------------------------------------------ variables

    pub(super) fn fresh(&mut self) -> Ty {
        self.fresh_with(0)
    }

    pub(super) fn fresh_with(&mut self, constraints: u8) -> Ty {
        let v = self.vars.add(constraints, None);
        self.make(TyKind::Var(v))
    }

    /// The variables: what is known of each but what it is bound to, and of which group it is.
    pub(super) fn vars(&self) -> &Vars {
        &self.vars
    }

    pub(super) fn vars_mut(&mut self) -> &mut Vars {
        &mut self.vars
    }

    /// Binds a variable, here.
    pub(super) fn link(&mut self, v: TypeVarId, t: Ty) {
        // What is bound may lead to products that were bound before.
        let leads = self.products > 0 && self.open[t.0 as usize];
        let leads = leads && !matches!(self.kind(t), TyKind::Var(_));
        self.products += u32::from(leads || self.dotted[t.0 as usize]);
        self.vars.bind(v, t);
    }

    /// The number of variables that were bound to types with products: while it is unchanged, combined products stay
    /// valid.
    pub(super) fn products(&self) -> u32 {
        self.products
    }

    /// Whether a type mentions products itself, before variables are followed.
    pub(super) fn mentions_products(&self, t: Ty) -> bool {
        self.dotted[t.0 as usize]
    }

    /// The type behind a chain of bound variables, and where it was found out.
    pub(super) fn trace(&self, t: Ty, mut origin: Option<Span>) -> (Ty, Option<Span>) {
        // Bindings form chains, and the last place on the chain that says where it was bound is the
        // most telling one: it is where the type itself came from.
        let mut at = t;
        while let TyKind::Var(v) = self.kind(at) {
            let Some(next) = self.vars.link(*v) else {
                break;
            };
            origin = self.vars.origin(*v).or(origin);
            at = next;
        }
        (at, origin)
    }

    /// The type behind a chain of bound variables; extendable types are extended by the fields that are known.
    pub(super) fn shallow(&mut self, t: Ty) -> Ty {
        let (mut at, origin) = self.trace(t, None);
        // Chains grow by one with each unification; without this, a long definition would walk ever
        // longer ones (path compression, as in union-find).
        if at != t {
            self.shorten(t, at, origin);
        }
        while let TyKind::Extendable(result, v) = self.kind(at) {
            let (result, v) = (*result, *v);
            at = self.extended(result, v);
            // Its variable is free, so this is as far as it is known.
            if matches!(self.kind(at), TyKind::Extendable(..)) {
                break;
            }
            at = self.trace(at, None).0;
        }
        at
    }

    /// Lets all variables of a chain point at its end.
    fn shorten(&mut self, from: Ty, end: Ty, origin: Option<Span>) {
        let mut at = from;
        while let TyKind::Var(v) = *self.kind(at) {
            let Some(next) = self.vars.link(v) else {
                break;
            };
            self.vars.rebind(v, end, origin);
            at = next;
        }
    }

    fn extended(&mut self, result: Ty, v: TypeVarId) -> Ty {
        // The variable of `v=>*t` may be bound to some fields and a further such variable: these
        // fields are collected until the end of the chain, which says whether more may follow.
        let mut fields: Vec<Ty> = Vec::new();
        let mut rest = self.make(TyKind::Var(v));
        let end = loop {
            match self.kind(rest).clone() {
                TyKind::Var(v) => match self.vars.link(v) {
                    Some(next) => rest = next,
                    None => break self.make(TyKind::Extendable(result, v)),
                },
                TyKind::Dotable(more, next) => {
                    fields.extend(more.iter());
                    rest = next;
                }
                _ => break result,
            }
        };
        self.dotable(&fields, end)
    }

    /// The constructor of a type, with variables followed.
    pub(super) fn look(&mut self, t: Ty) -> TyKind {
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
                // A product in a product is the same as its parts in its place: `.` is associative.
                TyKind::Dots(parts) => todo.extend(parts.iter().rev()),
                _ => out.push(t),
            }
        }
        out
    }

    /// The fields that a type wants, and what it becomes with all of them.
    pub(super) fn split(&mut self, t: Ty) -> (Vec<Ty>, Ty) {
        let mut fields = Vec::new();
        // `t=>(u=>r)` wants the same as `t=>u=>r`: what was built in several steps is taken apart
        // in one.
        let mut at = self.shallow(t);
        while let TyKind::Dotable(wanted, result) = self.kind(at).clone() {
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
    pub(super) fn walk(&self, t: Ty, mut f: impl FnMut(&TyKind)) {
        let mut seen: Set<Ty> = Set::default();
        let mut todo = vec![t];
        while let Some(t) = todo.pop() {
            if self.is_over() {
                return;
            }
            let t = self.trace(t, None).0;
            let kind = self.kind(t);
            let compound = self.open[t.0 as usize] || !matches!(kind, TyKind::Var(_));
            // Types share their parts, so as trees they may be exponentially larger than as graphs:
            // each part is visited once.
            if compound && !seen.insert(t) {
                continue;
            }
            f(kind);
            // What such a variable is bound to are fields of the type, though no child of it.
            if let TyKind::Extendable(_, v) = kind
                && let Some(next) = self.vars.link(*v)
            {
                todo.push(next);
            }
            let at = todo.len();
            todo.extend(children(kind));
            // The first child is to be on top: variables are named in the order in which they are
            // met.
            todo[at..].reverse();
        }
    }

    /// Whether a bound is reached.
    pub(super) fn is_over(&self) -> bool {
        self.bounds.over(PHASE, self.vars.here())
    }

    /// Whether a bound is reached, at a place that is being looked at.
    pub(super) fn is_over_at(&self, place: Span) -> bool {
        self.bounds.over(PHASE, Some(place))
    }

    /// Looks at no bounds from here on, if none is reached: who looks at types later has their own.
    pub(super) fn set_free(&mut self) {
        self.assert_consistent();
        if !self.bounds.is_over() {
            self.bounds = Bounds::default();
        }
    }

    /// In debug builds, that what is kept of each type is what its parts say.
    fn assert_consistent(&self) {
        if !cfg!(debug_assertions) {
            return;
        }
        assert_eq!(self.open.len(), self.kinds.len(), "one entry a type");
        assert_eq!(self.dotted.len(), self.kinds.len(), "one entry a type");
        for (at, kind) in self.kinds.iter().enumerate() {
            let some = |of: &[bool]| children(kind).any(|c| of[c.0 as usize]);
            // Parts are made before the whole, so types contain one another in no circle.
            assert!(children(kind).all(|c| (c.0 as usize) < at), "{kind:?}");
            let own = matches!(kind, TyKind::Var(_) | TyKind::Extendable(..));
            assert_eq!(self.open[at], own || some(&self.open), "{kind:?}");
            let own = matches!(kind, TyKind::Dots(_));
            assert_eq!(self.dotted[at], own || some(&self.dotted), "{kind:?}");
        }
    }

    /// Whether there is nothing to put together in a type, now or ever.
    pub(super) fn is_settled(&self, t: Ty) -> bool {
        !self.open[t.0 as usize] && !self.dotted[t.0 as usize]
    }

    /// The free variables of a type, in order of first occurrence.
    pub(super) fn free(&self, t: Ty) -> IndexSet<TypeVarId> {
        let mut out: IndexSet<TypeVarId> = IndexSet::default();
        if !self.open[t.0 as usize] {
            return out;
        }
        self.walk(t, |kind| match kind {
            TyKind::Var(v) => {
                out.insert(*v);
            }
            TyKind::Extendable(_, v) if self.vars.link(*v).is_none() => {
                out.insert(*v);
            }
            _ => {}
        });
        out
    }

    /// Whether `v` occurs in `t`; lowers the levels of the variables of `t` to that of `v`.
    pub(super) fn occurs(&mut self, v: TypeVarId, t: Ty) -> bool {
        let mut found = false;
        for w in self.free(t) {
            found |= w == v;
            // If `v` belongs to a definition outside, so does all that it is bound to: it must not
            // be generalised with the definition inside.
            self.vars.keep_with(w, v);
        }
        found
    }

    /// The type with variables replaced as `with` says; bound ones are followed.
    pub(super) fn substitute(&mut self, t: Ty, with: &Map<TypeVarId, Ty>) -> Ty {
        self.replace(t, with, &mut Map::default())
    }

    fn replace(&mut self, t: Ty, with: &Map<TypeVarId, Ty>, done: &mut Map<Ty, Ty>) -> Ty {
        let t = self.shallow(t);
        // A type without variables is its own copy.
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
                TyKind::Var(v) => with.get(&v).copied().unwrap_or(t),
                TyKind::Set(a) => {
                    let a = many(self, &[a]);
                    self.set(a[0])
                }
                TyKind::Seq(a) => {
                    let a = many(self, &[a]);
                    self.seq(a[0])
                }
                TyKind::Map(k, v) => {
                    let ts = many(self, &[k, v]);
                    self.map(ts[0], ts[1])
                }
                TyKind::Tuple(ts) => {
                    let ts = many(self, &ts);
                    self.tuple(ts)
                }
                TyKind::Fun(ps, r) => {
                    let ps = many(self, &ps);
                    let r = many(self, &[r]);
                    self.fun(ps, r[0])
                }
                TyKind::Dots(ts) => {
                    let ts = many(self, &ts);
                    self.dots(&ts)
                }
                TyKind::Dotable(fs, r) => {
                    let fs = many(self, &fs);
                    let r = many(self, &[r]);
                    self.dotable(&fs, r[0])
                }
                TyKind::Extendable(r, v) => {
                    let r = many(self, &[r]);
                    self.instance_of_end(r[0], v, with)
                }
                _ => t,
            }
        });
        done.insert(t, out);
        out
    }

    /// `v=>*result` with the variable replaced. What replaces it is a variable again (a fresh one, on
    /// instantiation) or says that no fields follow.
    fn instance_of_end(&mut self, result: Ty, v: TypeVarId, with: &Map<TypeVarId, Ty>) -> Ty {
        match with.get(&v).map(|t| self.kind(*t)) {
            None => self.make(TyKind::Extendable(result, v)),
            Some(TyKind::Var(w)) => {
                let w = *w;
                self.make(TyKind::Extendable(result, w))
            }
            Some(_) => result,
        }
    }
}
