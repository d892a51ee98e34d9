//! Types, type variables and unification.
//!
//! Dotted types follow FDR4 where they can be decided. Where they cannot (a parameter that may be
//! any channel), unification accepts and marks the variables as vague: a false rejection is worse
//! than a missed error.

use std::rc::Rc;

use crate::script::core::TypeId;
use crate::source::hash::Map;
use crate::source::stack::deep;

/// A type variable.
pub type VarId = u32;

/// A type.
#[derive(Clone, Debug, PartialEq)]
pub enum Ty {
    /// Not known yet, or any.
    Var(VarId),
    /// Not decided by this checker; fits everything.
    Any,
    /// Integers.
    Int,
    /// Truth values.
    Bool,
    /// Characters.
    Char,
    /// Complete events.
    Event,
    /// Processes.
    Proc,
    /// A datatype.
    Data(TypeId),
    /// `{t}`
    Set(Rc<Ty>),
    /// `<t>`
    Seq(Rc<Ty>),
    /// `(| k => v |)`
    Map(Rc<Ty>, Rc<Ty>),
    /// `(t, u)`
    Tuple(Rc<[Ty]>),
    /// `(t, u) -> v`
    Fun(Rc<[Ty]>, Rc<Ty>),
    /// `t.u`, at least two parts.
    Dots(Rc<[Ty]>),
    /// `t => u => r`: becomes `r` when the fields (at least one) are given.
    Dotable(Rc<[Ty]>, Rc<Ty>),
}

/// What a type can be asked to support.
pub mod constraint {
    /// `==`
    pub const EQ: u8 = 1;
    /// `<`
    pub const ORD: u8 = 2;
    /// Being an element of a set.
    pub const SET: u8 = 4;
}

/// Why two types do not fit.
#[derive(Clone, Debug)]
pub enum Mismatch {
    /// They differ.
    Differ(Ty, Ty),
    /// A variable would stand for a type that contains it.
    Infinite,
    /// A type lacks a constraint.
    Lacks(Ty, u8),
}

#[derive(Clone, Debug)]
struct Var {
    link: Option<Ty>,
    level: u32,
    constraints: u8,
    /// Met something that the checker accepts without deciding it.
    vague: bool,
}

/// All type variables.
#[derive(Debug, Default)]
pub struct Store {
    vars: Vec<Var>,
    /// Depth of the definition group being inferred; deeper variables can be generalised.
    pub level: u32,
}

pub(super) fn set(t: Ty) -> Ty {
    Ty::Set(Rc::new(t))
}
pub(super) fn seq(t: Ty) -> Ty {
    Ty::Seq(Rc::new(t))
}
pub(super) fn fun(params: Vec<Ty>, result: Ty) -> Ty {
    Ty::Fun(params.into(), Rc::new(result))
}
/// One part is itself, several are a product.
pub(super) fn dots(mut parts: Vec<Ty>) -> Ty {
    match (parts.len(), parts.pop()) {
        (1, Some(only)) => only,
        (_, Some(last)) => {
            parts.push(last);
            Ty::Dots(parts.into())
        }
        (_, None) => Ty::Any,
    }
}
/// Without fields it is the result itself.
pub(super) fn dotable(fields: Vec<Ty>, result: Ty) -> Ty {
    if fields.is_empty() {
        result
    } else {
        Ty::Dotable(fields.into(), Rc::new(result))
    }
}

type Unified<T = ()> = Result<T, Mismatch>;

impl Store {
    pub(super) fn fresh(&mut self) -> Ty {
        self.fresh_with(0, false)
    }

    pub(super) fn fresh_with(&mut self, constraints: u8, vague: bool) -> Ty {
        self.vars.push(Var {
            link: None,
            level: self.level,
            constraints,
            vague,
        });
        Ty::Var(self.vars.len() as u32 - 1)
    }

    fn var(&self, v: VarId) -> &Var {
        &self.vars[v as usize]
    }

    pub(super) fn constraints(&self, v: VarId) -> u8 {
        self.var(v).constraints
    }

    pub(super) fn is_vague(&self, v: VarId) -> bool {
        self.var(v).vague
    }

    pub(super) fn level_of(&self, v: VarId) -> u32 {
        self.var(v).level
    }

    /// The type behind a chain of bound variables.
    pub fn shallow(&self, t: &Ty) -> Ty {
        let mut t = t.clone();
        while let Ty::Var(v) = t {
            match &self.var(v).link {
                Some(next) => t = next.clone(),
                None => break,
            }
        }
        t
    }

    /// As [`Self::shallow`], with dotted types put together as far as possible.
    pub(super) fn norm(&mut self, t: &Ty) -> Unified<Ty> {
        match self.shallow(t) {
            Ty::Dots(parts) => deep(|| self.reduce(&parts)),
            t => Ok(t),
        }
    }

    /// Parts of a product, with products among them spliced in.
    pub(super) fn flatten(&mut self, parts: &[Ty]) -> Unified<Vec<Ty>> {
        let mut flat = Vec::new();
        for part in parts {
            match self.norm(part)? {
                Ty::Dots(inner) => flat.extend(inner.iter().cloned()),
                t => flat.push(t),
            }
        }
        Ok(flat)
    }

    /// The type of `p.q.r`: from right to left, each part that wants fields takes them.
    pub(super) fn reduce(&mut self, parts: &[Ty]) -> Unified<Ty> {
        let flat = self.flatten(parts)?;
        let first = flat.iter().position(|t| matches!(t, Ty::Dotable(..)));
        let mut rest: Vec<Ty> = Vec::new();
        for (i, part) in flat.into_iter().enumerate().rev() {
            rest = match part {
                Ty::Dotable(fields, result) if !rest.is_empty() => {
                    self.attach(&fields, &result, rest, first == Some(i))?
                }
                part => {
                    rest.insert(0, part);
                    rest
                }
            };
        }
        Ok(dots(rest))
    }

    /// Gives `rest` as fields to something that wants `fields`. A last variable may stand for all
    /// fields that are still wanted, here or (unless this is the outermost part that wants any)
    /// further to the left; then nothing is decided yet.
    fn attach(
        &mut self,
        fields: &[Ty],
        result: &Ty,
        rest: Vec<Ty>,
        outermost: bool,
    ) -> Unified<Vec<Ty>> {
        let fields = self.flatten(fields)?;
        let mut given = rest.into_iter().peekable();
        let mut at = 0;
        while at < fields.len() {
            let Some(next) = given.next() else { break };
            let last = given.peek().is_none();
            match self.shallow(&next) {
                Ty::Var(_) | Ty::Any if last && (fields.len() - at > 1 || !outermost) => {
                    return Ok(vec![dotable(fields[at..].to_vec(), result.clone()), next]);
                }
                Ty::Dotable(inner, value) => {
                    self.unify(&fields[at], &value)?;
                    let mut wanted = inner.to_vec();
                    wanted.extend_from_slice(&fields[at + 1..]);
                    return self.attach(&wanted, result, given.collect(), outermost);
                }
                t => self.unify(&fields[at], &t)?,
            }
            at += 1;
        }
        let mut out = vec![dotable(fields[at..].to_vec(), result.clone())];
        out.extend(given);
        Ok(out)
    }

    /// Makes two types equal, or says why that cannot be. The first is what is expected.
    pub(super) fn unify(&mut self, a: &Ty, b: &Ty) -> Unified {
        deep(|| {
            let (a, b) = (self.norm(a)?, self.norm(b)?);
            self.unify_normal(&a, &b)
        })
    }

    fn unify_normal(&mut self, a: &Ty, b: &Ty) -> Unified {
        match (a, b) {
            (Ty::Var(v), Ty::Var(w)) if v == w => Ok(()),
            (Ty::Var(v), t) | (t, Ty::Var(v)) => self.bind(*v, t),
            (Ty::Any, t) | (t, Ty::Any) => {
                self.blur(t);
                Ok(())
            }
            (Ty::Set(x), Ty::Set(y)) | (Ty::Seq(x), Ty::Seq(y)) => self.unify(x, y),
            (Ty::Map(k, v), Ty::Map(l, w)) => {
                self.unify(k, l)?;
                self.unify(v, w)
            }
            (Ty::Tuple(xs), Ty::Tuple(ys)) if xs.len() == ys.len() => self.unify_all(xs, ys),
            (Ty::Fun(xs, r), Ty::Fun(ys, s)) if xs.len() == ys.len() => {
                self.unify_all(xs, ys)?;
                self.unify(r, s)
            }
            (Ty::Dotable(xs, r), Ty::Dotable(ys, s)) => {
                let (xs, ys) = (self.flatten(xs)?, self.flatten(ys)?);
                if xs.len() != ys.len() {
                    return Err(Mismatch::Differ(a.clone(), b.clone()));
                }
                self.unify_all(&xs, &ys)?;
                self.unify(r, s)
            }
            (Ty::Dots(xs), Ty::Dots(ys)) => self.unify_products(xs, ys, a, b),
            (Ty::Dots(parts), other) | (other, Ty::Dots(parts)) => {
                self.unify_product(parts, other, a, b)
            }
            _ if a == b => Ok(()),
            _ => Err(Mismatch::Differ(a.clone(), b.clone())),
        }
    }

    fn unify_all(&mut self, xs: &[Ty], ys: &[Ty]) -> Unified {
        xs.iter().zip(ys).try_for_each(|(x, y)| self.unify(x, y))
    }

    /// Whether parts of a product may still turn out to be something else.
    fn open(&self, parts: &[Ty]) -> bool {
        parts
            .iter()
            .any(|p| matches!(self.shallow(p), Ty::Var(_) | Ty::Any | Ty::Dotable(..)))
    }

    fn unify_products(&mut self, xs: &[Ty], ys: &[Ty], a: &Ty, b: &Ty) -> Unified {
        let wants = |s: &Self, ts: &[Ty]| {
            ts.iter()
                .any(|t| matches!(s.shallow(t), Ty::Dotable(..) | Ty::Any))
        };
        if wants(self, xs) || wants(self, ys) {
            self.blur(a);
            self.blur(b);
            return Ok(());
        }
        if xs.len() == ys.len() {
            return self.unify_all(xs, ys);
        }
        let (short, long) = if xs.len() < ys.len() {
            (xs, ys)
        } else {
            (ys, xs)
        };
        let last = short.len() - 1;
        if matches!(self.shallow(&short[last]), Ty::Var(_)) {
            self.unify_all(&short[..last], &long[..last])?;
            return self.unify(&short[last], &dots(long[last..].to_vec()));
        }
        if self.open(xs) || self.open(ys) {
            self.blur(a);
            self.blur(b);
            return Ok(());
        }
        Err(Mismatch::Differ(a.clone(), b.clone()))
    }

    /// A product against something that is none: `c.x` whose `x` is not known yet, or a product of
    /// sets, which is a set.
    fn unify_product(&mut self, parts: &[Ty], other: &Ty, a: &Ty, b: &Ty) -> Unified {
        let differ = Err(Mismatch::Differ(a.clone(), b.clone()));
        let head = self.shallow(&parts[0]);
        match (other, head) {
            (Ty::Set(element), _) => match self.elements(parts) {
                Some(product) => self.unify(element, &product),
                None => differ,
            },
            (Ty::Event | Ty::Data(_), Ty::Dotable(fields, result)) if parts.len() == 2 => {
                self.unify(&result, other)?;
                self.unify(&parts[1], &dots(fields.to_vec()))
            }
            (Ty::Dotable(wanted, end), Ty::Dotable(fields, result)) if parts.len() == 2 => {
                self.unify(&result, end)?;
                let taken = fields.len().saturating_sub(wanted.len());
                if taken == 0 {
                    return differ;
                }
                self.unify(&parts[1], &dots(fields[..taken].to_vec()))?;
                self.unify_all(&fields[taken..], wanted)
            }
            (Ty::Event | Ty::Data(_) | Ty::Dotable(..), Ty::Dotable(_, result)) => {
                if let Ty::Event | Ty::Data(_) = other {
                    self.unify(&result, other)?;
                }
                self.blur(a);
                self.blur(b);
                Ok(())
            }
            (Ty::Event | Ty::Data(_) | Ty::Dotable(..), Ty::Var(_) | Ty::Any) => {
                self.blur(a);
                self.blur(b);
                Ok(())
            }
            _ => differ,
        }
    }

    /// The element type of a product of sets, if it can be one.
    pub(super) fn elements(&mut self, parts: &[Ty]) -> Option<Ty> {
        let mut out = Vec::new();
        for part in parts {
            out.push(match self.shallow(part) {
                Ty::Set(e) => (*e).clone(),
                Ty::Any => Ty::Any,
                v @ Ty::Var(_) => {
                    let element = self.fresh();
                    self.unify(&v, &set(element.clone())).ok()?;
                    element
                }
                _ => return None,
            });
        }
        Some(dots(out))
    }

    fn bind(&mut self, v: VarId, t: &Ty) -> Unified {
        let mut infinite = false;
        let mut under_dots = false;
        self.occurs(v, t, false, &mut infinite, &mut under_dots);
        if infinite {
            return Err(Mismatch::Infinite);
        }
        if under_dots {
            self.blur(t);
            return Ok(());
        }
        self.require(t, self.var(v).constraints)?;
        if self.var(v).vague {
            self.blur(t);
        }
        self.vars[v as usize].link = Some(t.clone());
        Ok(())
    }

    /// Looks for `v` in `t`, and lowers the levels of the variables of `t` to that of `v`.
    fn occurs(&mut self, v: VarId, t: &Ty, dotted: bool, bad: &mut bool, under: &mut bool) {
        let level = self.var(v).level;
        let mut todo = vec![(self.shallow(t), dotted)];
        while let Some((t, dotted)) = todo.pop() {
            match &t {
                Ty::Var(w) if *w == v => {
                    *under |= dotted;
                    *bad |= !dotted;
                }
                Ty::Var(w) => {
                    let w = &mut self.vars[*w as usize];
                    w.level = w.level.min(level);
                }
                _ => {
                    let dotted = dotted || matches!(t, Ty::Dots(_) | Ty::Dotable(..));
                    todo.extend(children(&t).iter().map(|c| (self.shallow(c), dotted)));
                }
            }
        }
    }

    /// Marks the variables of a type as vague.
    pub(super) fn blur(&mut self, t: &Ty) {
        for v in self.free(t) {
            self.vars[v as usize].vague = true;
        }
    }

    /// The free variables of a type, in order of first occurrence.
    pub(super) fn free(&self, t: &Ty) -> Vec<VarId> {
        let mut out: Vec<VarId> = Vec::new();
        let mut todo = vec![self.shallow(t)];
        while let Some(t) = todo.pop() {
            match t {
                Ty::Var(v) => {
                    if !out.contains(&v) {
                        out.push(v);
                    }
                }
                t => todo.extend(children(&t).iter().rev().map(|c| self.shallow(c))),
            }
        }
        out
    }

    /// Demands constraints of a type.
    pub(super) fn require(&mut self, t: &Ty, wanted: u8) -> Unified {
        use constraint::{EQ, ORD, SET};
        if wanted == 0 {
            return Ok(());
        }
        deep(|| {
            let t = self.shallow(t);
            let lacking = match &t {
                Ty::Var(v) => {
                    self.vars[*v as usize].constraints |= wanted;
                    0
                }
                Ty::Proc => wanted & (EQ | ORD),
                Ty::Fun(..) => wanted,
                Ty::Event | Ty::Data(_) => wanted & ORD,
                _ => 0,
            };
            if lacking != 0 {
                return Err(Mismatch::Lacks(t, lacking));
            }
            // Sets, sequences and tuples compare if what they hold compares.
            let inner = match &t {
                Ty::Set(_) | Ty::Map(..) | Ty::Seq(_) => {
                    if wanted & (EQ | ORD) == 0 {
                        wanted & SET
                    } else {
                        EQ | wanted & SET
                    }
                }
                Ty::Tuple(_) => wanted,
                _ => 0,
            };
            children(&t).iter().try_for_each(|c| self.require(c, inner))
        })
    }

    /// The type with variables replaced as `with` says; bound ones are followed.
    pub(super) fn substitute(&self, t: &Ty, with: &Map<VarId, Ty>) -> Ty {
        deep(|| {
            let many = |ts: &[Ty]| {
                ts.iter()
                    .map(|t| self.substitute(t, with))
                    .collect::<Vec<_>>()
            };
            let one = |t: &Ty| Rc::new(self.substitute(t, with));
            match self.shallow(t) {
                Ty::Var(v) => with.get(&v).cloned().unwrap_or(Ty::Var(v)),
                Ty::Set(t) => Ty::Set(one(&t)),
                Ty::Seq(t) => Ty::Seq(one(&t)),
                Ty::Map(k, v) => Ty::Map(one(&k), one(&v)),
                Ty::Tuple(ts) => Ty::Tuple(many(&ts).into()),
                Ty::Fun(ps, r) => Ty::Fun(many(&ps).into(), one(&r)),
                Ty::Dots(ts) => Ty::Dots(many(&ts).into()),
                Ty::Dotable(fs, r) => Ty::Dotable(many(&fs).into(), one(&r)),
                t => t,
            }
        })
    }
}

/// The types directly inside a type.
pub(super) fn children(t: &Ty) -> Vec<Ty> {
    match t {
        Ty::Set(t) | Ty::Seq(t) => vec![(**t).clone()],
        Ty::Map(k, v) => vec![(**k).clone(), (**v).clone()],
        Ty::Tuple(ts) | Ty::Dots(ts) => ts.to_vec(),
        Ty::Fun(ts, r) | Ty::Dotable(ts, r) => {
            let mut out = ts.to_vec();
            out.push((**r).clone());
            out
        }
        _ => Vec::new(),
    }
}
