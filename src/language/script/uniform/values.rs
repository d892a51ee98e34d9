//! Sets of values that are declared or chosen from, and how many values of the datatype an element holds.

use super::{DeclaredSet, UniformScan, UsedAs};
use crate::script::core::{Builtin, Expr, ExprKind, GlobalKind, Items, LocalDef, TypeId};

impl<'a> UniformScan<'a> {
    /// A set that is declared or chosen from. Returns the most values in an element.
    pub(super) fn values(&mut self, e: &'a Expr) -> usize {
        if let Some((whole, out)) = difference(e) {
            out.iter().for_each(|v| self.term(v));
            return self.values(whole);
        }
        match &e.kind {
            ExprKind::Dot(parts) | ExprKind::Tuple(parts) => {
                let each = parts.iter().map(|p| self.values(p));
                return each.fold(0, usize::saturating_add);
            }
            ExprKind::Type(_) => {}
            ExprKind::Global(g) => self.global(*g, UsedAs::Values),
            ExprKind::Local(v) => self.local(*v, UsedAs::Values),
            _ => {
                self.term(e);
                return 0;
            }
        }
        match self.slots_of(e) {
            Some(slots) => slots,
            None => {
                let why = format!(
                    "a value here can hold any number of those of `{}`",
                    self.name()
                );
                self.obstacle(e.span, why);
                0
            }
        }
    }

    /// The most values in an element of a set; `None` if there is no bound.
    pub(super) fn slots_of(&mut self, e: &'a Expr) -> Option<usize> {
        if let Some((whole, _)) = difference(e) {
            return self.slots_of(whole);
        }
        match &e.kind {
            ExprKind::Dot(parts) | ExprKind::Tuple(parts) => {
                let mut sum = 0usize;
                for part in parts {
                    sum = sum.checked_add(self.slots_of(part)?)?;
                }
                Some(sum)
            }
            ExprKind::Type(t) => self.slots_of_type(self.script.owner(*t)),
            ExprKind::Global(g) => {
                let kind = &self.script.globals[g.0 as usize].kind;
                let (GlobalKind::Value(body) | GlobalKind::Nametype(body)) = kind else {
                    return Some(0);
                };
                let key = DeclaredSet::Global(*g);
                if let Some(known) = self.slots.get(&key) {
                    return *known;
                }
                self.slots.insert(key, None);
                let slots = self.slots_of(body);
                self.slots.insert(key, slots);
                slots
            }
            ExprKind::Local(v) => match self.lets.get(v).copied() {
                Some(LocalDef::Value(_, body)) => self.slots_of(body),
                _ => Some(0),
            },
            // If the datatype stands in it, that is an obstacle by itself.
            _ => Some(0),
        }
    }

    pub(super) fn slots_of_type(&mut self, t: TypeId) -> Option<usize> {
        if t == self.datatype {
            return Some(1);
        }
        if !self.containing.contains(&t) {
            return Some(0);
        }
        let key = DeclaredSet::Type(t);
        if let Some(known) = self.slots.get(&key) {
            return *known;
        }
        self.slots.insert(key, None);
        let mut most = Some(0);
        let script = self.script;
        for (_, fields) in &script.types[t.0 as usize].clauses {
            if let Some(fields) = fields {
                // The fields are a set like others.
                self.values(fields);
                let slots = self.slots_of(fields);
                most = most.zip(slots).map(|(a, b)| a.max(b));
            }
        }
        self.slots.insert(key, most);
        most
    }
}

/// `diff(S, {v, …})`, taken apart.
pub(super) fn difference(e: &Expr) -> Option<(&Expr, &[Expr])> {
    let ExprKind::Apply(f, args) = &e.kind else {
        return None;
    };
    let [whole, out] = &args[..] else {
        return None;
    };
    match (&f.kind, &out.kind) {
        (ExprKind::Builtin(Builtin::Diff), ExprKind::Set(Items::List(values), stmts))
            if stmts.is_empty() =>
        {
            Some((whole, values))
        }
        _ => None,
    }
}
