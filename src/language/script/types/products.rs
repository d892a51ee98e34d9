//! Products: which part takes which of those after it.

use super::store::TypeStore;
use super::ty::{Ty, TyKind};
use super::unifier::{Mismatch, TypePair, Unified, Unifier};

/// The number of fields that a last variable takes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum FieldsTaken {
    /// All that are wanted.
    All,
    /// One.
    One,
    /// None yet: nothing is decided that what follows may decide otherwise.
    None,
}

impl Unifier {
    /// Makes two products equal, from left to right.
    pub(super) fn combine(&mut self, xs: Vec<Ty>, ys: Vec<Ty>, s: TypePair) -> Unified {
        let mut xs = ProductParts::new(xs);
        let mut ys = ProductParts::new(ys);
        loop {
            self.step()?;
            let (x, y) = (xs.first(&mut self.store), ys.first(&mut self.store));
            let (Some(x), Some(y)) = (x, y) else {
                return match (x, y) {
                    (None, None) => Ok(()),
                    _ => s.differ(),
                };
            };
            // The last part of one side is equal to all that is left of the other: products have no
            // fixed length.
            if ys.is_last() {
                let all = xs.all(&mut self.store);
                return self.meet(all, y, s.from, s.to);
            }
            if xs.is_last() {
                let all = ys.all(&mut self.store);
                return self.meet(x, all, s.from, s.to);
            }
            let wants =
                |unifier: &Self, t: Ty| matches!(unifier.store.kind(t), TyKind::Dotable(..));
            // Whichever side starts with something that wants fields is fed first: what it becomes
            // decides what the other side is compared with.
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
    fn feed(&mut self, xs: &mut ProductParts, ys: &mut ProductParts, s: TypePair) -> Unified<bool> {
        let Some(first) = xs.first(&mut self.store) else {
            return Ok(false);
        };
        xs.drop_first();
        // `first` wants `fields[0]` now, and the others when it has got it.
        let (fields, result) = self.store.split(first);
        let Some(given) = xs.first(&mut self.store) else {
            return Ok(false);
        };
        let last = xs.is_last();
        let wanted = fields[0];
        let remaining = self.store.dotable(&fields[1..], result);
        // A field that wants fields itself is given as a whole. Any
        // other field is given complete, and if what is given is not, it takes further parts first.
        let complex = matches!(self.store.kind(wanted), TyKind::Dotable(..));
        match self.store.kind(given).clone() {
            TyKind::Var(_) if last && !complex => {
                // The last part is a variable, and may stand for several fields. So the other side
                // decides: what it comes to is the result, and what it has left over is what the
                // variable stands for.
                let rest = ys.take_all(&mut self.store);
                let rest = self.reduce(rest, FieldsTaken::All)?;
                self.meet(result, rest[0], s.from, s.to)?;
                let mut taken = fields;
                taken.extend(&rest[1..]);
                let taken = self.store.dots(&taken);
                self.meet(given, taken, s.from, s.to)?;
                return Ok(true);
            }
            TyKind::Dotable(..) if !complex => {
                let (inner, end) = self.store.split(given);
                self.meet(wanted, end, s.from, s.to)?;
                xs.drop_first();
                // `first.given` wants what `given` wants, and then what `first` wants.
                let next = self.store.dotable(&inner, remaining);
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

    /// Combines a product where later information cannot change the result. An error is the number of a part that
    /// does not fit.
    pub(super) fn join(&mut self, parts: Vec<Ty>) -> Result<Ty, (usize, Mismatch)> {
        self.begin();
        let count = parts.len();
        let mut todo = ProductParts::new(parts);
        match self.reduce_all(&mut todo, FieldsTaken::None) {
            Ok(parts) => Ok(self.store.dots(&parts)),
            // What is left says how far it got; the part that did not fit is the one before that.
            Err(mismatch) => Err((count.saturating_sub(todo.0.len() + 1), mismatch)),
        }
    }

    /// The same, where a last variable takes one field.
    pub(super) fn join_one(&mut self, parts: Vec<Ty>) -> Unified<Vec<Ty>> {
        self.begin();
        self.reduce(parts, FieldsTaken::One)
    }

    /// Gives the parts of a product to those before them that want fields.
    pub(super) fn reduce(&mut self, parts: Vec<Ty>, take: FieldsTaken) -> Unified<Vec<Ty>> {
        self.reduce_all(&mut ProductParts::new(parts), take)
    }

    fn reduce_all(&mut self, todo: &mut ProductParts, take: FieldsTaken) -> Unified<Vec<Ty>> {
        // Parts of which nothing more will come are moved from `todo` to `done`; what comes of two
        // parts goes back to the front of `todo`, since it may take the next part.
        let mut done = Vec::new();
        while let Some(first) = todo.first(&mut self.store) {
            self.step()?;
            if todo.is_last() || take == FieldsTaken::None && self.is_undecided(first, todo) {
                // Everything after it may depend on it as well.
                done.extend(todo.take_all(&mut self.store));
                break;
            }
            todo.drop_first();
            match self.store.kind(first).clone() {
                TyKind::Dotable(..) => {
                    let next = self.reduce_first(first, todo, take)?;
                    todo.push_first(next);
                }
                TyKind::Extendable(result, v) => {
                    let taken = match take {
                        FieldsTaken::All => {
                            let rest = todo.take_all(&mut self.store);
                            self.reduce(rest, take)?
                        }
                        FieldsTaken::One | FieldsTaken::None => {
                            let one = todo.first(&mut self.store);
                            todo.drop_first();
                            one.into_iter().collect()
                        }
                    };
                    let fields = self.store.dotable(&taken, Ty::NO_FIELDS);
                    let same = TypePair::of(first);
                    self.extend(v, fields, same)?;
                    todo.push_first(result);
                }
                _ => done.push(first),
            }
        }
        Ok(done)
    }

    /// Whether what comes of the first two parts may depend on what is not known yet. A variable of an annotation is
    /// known: it is rigid, so it fits itself or nothing.
    fn is_undecided(&mut self, first: Ty, todo: &mut ProductParts) -> bool {
        if !matches!(self.store.kind(first), TyKind::Dotable(..)) {
            return matches!(
                self.store.kind(first),
                TyKind::Var(_) | TyKind::Extendable(..)
            );
        }
        todo.drop_first();
        let second = todo.first(&mut self.store);
        todo.push_first(first);
        // It wants fields and none are left: they may follow where the whole product is used.
        let Some(second) = second else { return true };
        let (fields, _) = self.store.split(first);
        if is_rigid(&self.store, fields[0]) {
            // Fields of what is given may show only later.
            let (_, end) = self.store.split(second);
            return is_vague(&self.store, end);
        }
        // A variable of an annotation that is given where a field of another type is wanted may still be
        // part of a value that is compared with its like: that is found out where both are known.
        let is_open = matches!(
            self.store.kind(second),
            TyKind::Var(_) | TyKind::Extendable(..)
        );
        is_open || is_vague(&self.store, fields[0])
    }

    /// `first` takes the next part (or all, if that is a last variable); what comes of it.
    fn reduce_first(
        &mut self,
        first: Ty,
        todo: &mut ProductParts,
        take: FieldsTaken,
    ) -> Unified<Ty> {
        let (fields, result) = self.store.split(first);
        let Some(given) = todo.first(&mut self.store) else {
            return Ok(first);
        };
        let last = todo.is_last();
        todo.drop_first();
        let remaining = self.store.dotable(&fields[1..], result);
        let complex = matches!(self.store.kind(fields[0]), TyKind::Dotable(..));
        Ok(match self.store.kind(given).clone() {
            // The last variable takes all fields that are wanted; one of an annotation is one
            // field, whatever it is.
            TyKind::Var(_) if last && take == FieldsTaken::All && !is_rigid(&self.store, given) => {
                let all = self.store.dots(&fields);
                self.meet(given, all, None, None)?;
                result
            }
            TyKind::Extendable(end, v) => {
                self.meet(fields[0], end, None, None)?;
                self.store.make(TyKind::Extendable(remaining, v))
            }
            TyKind::Dotable(..) if !complex => {
                let (inner, end) = self.store.split(given);
                self.meet(fields[0], end, None, None)?;
                self.store.dotable(&inner, remaining)
            }
            _ => {
                self.meet(fields[0], given, None, None)?;
                remaining
            }
        })
    }
}

/// Whether a type is a variable of an annotation.
fn is_rigid(store: &TypeStore, t: Ty) -> bool {
    matches!(store.kind(t), TyKind::Var(v) if store.vars().rigid(*v).is_some())
}

/// Whether it may still become anything.
fn is_vague(store: &TypeStore, t: Ty) -> bool {
    matches!(store.kind(t), TyKind::Var(_) | TyKind::Extendable(..)) && !is_rigid(store, t)
}

/// The parts of a product that are still to be looked at, the first on top.
struct ProductParts(Vec<Ty>);

impl ProductParts {
    fn new(mut parts: Vec<Ty>) -> Self {
        parts.reverse();
        Self(parts)
    }

    /// The first part, which is no product itself.
    fn first(&mut self, store: &mut TypeStore) -> Option<Ty> {
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

    fn take_all(&mut self, store: &mut TypeStore) -> Vec<Ty> {
        let mut out = Vec::new();
        while let Some(t) = self.0.pop() {
            out.extend(store.parts(t));
        }
        out
    }

    fn all(&mut self, store: &mut TypeStore) -> Ty {
        let parts = self.take_all(store);
        store.dots(&parts)
    }
}
