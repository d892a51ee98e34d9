//! Sets, finite or given by what belongs to them.

use std::rc::Rc;

use super::integers::{EAGER_MAX, both_intervals};
use super::views::without_views;
use super::{Data, LazySet, Store, Value, ValueError, ValueResult};
use crate::script::core::TypeId;
use crate::source::stack::deep;

/// Sets of at least this many elements get a hash table when membership is first asked for.
const HASHED_MIN: usize = 24;

impl Store {
    /// Lists a lazy set if it is small, so that equal sets are equal handles.
    ///
    /// # Errors
    /// If listing fails.
    pub fn settle_set(&mut self, set: Value) -> ValueResult<Value> {
        // `size` may be more than the true number of elements. Then a set that would be small stays
        // lazy, and comparisons have to take it element by element.
        let small = |n: u128| n <= EAGER_MAX;
        if !matches!(self.data(set), Data::Lazy(_)) || !self.size(set).is_some_and(small) {
            return Ok(set);
        }
        let elements = self.elements(set)?;
        Ok(self.intern(Data::Set(elements.as_ref().into())))
    }

    /// The elements of a finite set, ascending.
    ///
    /// # Errors
    /// [`ValueError::Infinite`], [`ValueError::TooLarge`], or if it is not a set.
    pub fn elements(&mut self, set: Value) -> ValueResult<Rc<[Value]>> {
        if let Some(known) = self.enumerated.get(&set) {
            return Ok(Rc::clone(known));
        }
        let elements: Rc<[Value]> = match self.data(set) {
            // Not remembered: `enumerated` would keep a second copy of every set that is ever
            // walked.
            Data::Set(items) => return Ok(items.as_ref().into()),
            Data::Lazy(lazy) => {
                let lazy = lazy.clone();
                match self.size(set) {
                    None => return Err(ValueError::Infinite(set)),
                    // `size` is an upper bound, so this may refuse a union whose sides overlap
                    // much. Exact counting would need the listing that is refused.
                    Some(n) if n > self.limits.elements_max as u128 => {
                        return Err(ValueError::TooLarge(set));
                    }
                    Some(_) => {}
                }
                // A union lists what both sides have twice, and rows of a product may dot together
                // to the same value.
                let items = deep(|| self.list(&lazy))?;
                let mut items = self.sorted(items)?;
                items.dedup();
                items.into()
            }
            _ => return Err(ValueError::Expected("a set", set)),
        };
        self.enumerated.insert(set, Rc::clone(&elements));
        Ok(elements)
    }

    pub(super) fn keep(
        &mut self,
        items: &[Value],
        set: Value,
        inside: bool,
    ) -> ValueResult<Vec<Value>> {
        let mut kept = Vec::new();
        for (i, item) in items.iter().enumerate() {
            self.poll_at(i)?;
            if self.contains(set, *item)? == inside {
                kept.push(*item);
            }
        }
        Ok(kept)
    }

    /// Whether `v` belongs to a set.
    ///
    /// # Errors
    /// If it is not a set, or when the work that asks has to stop.
    pub fn contains(&mut self, set: Value, v: Value) -> ValueResult<bool> {
        self.look()?;
        // The fields are taken one by one, not through `data()`: the table of members is filled
        // while the items are borrowed.
        let lazy = match self.values.data(set) {
            // Handles are compared, not the order of values. Elements of a set hold no views, so a
            // value that holds some would not be found here.
            Data::Set(items) if items.len() < HASHED_MIN => return Ok(items.contains(&v)),
            Data::Set(items) => {
                let members = self
                    .members
                    .entry(set)
                    .or_insert_with(|| items.iter().copied().collect());
                return Ok(members.contains(&v));
            }
            Data::Lazy(lazy) => lazy.clone(),
            _ => return Err(ValueError::Expected("a set", set)),
        };
        deep(|| self.lazy_contains(&lazy, v))
    }

    fn lazy_contains(&mut self, lazy: &LazySet, v: Value) -> ValueResult<bool> {
        Ok(match lazy {
            LazySet::Ints(ints) => matches!(self.data(v), Data::Int(i) if ints.contains(*i)),
            LazySet::Processes => matches!(self.data(v), Data::Process(_)),
            LazySet::Chars => matches!(self.data(v), Data::Char(_)),
            LazySet::Seqs(s) => self.seqs_contain(*s, v)?,
            // The data are cloned because each question may intern values, which moves the store.
            LazySet::Maps(keys, values) => match self.data(v).clone() {
                Data::Map(pairs) => {
                    let (k, v): (Vec<Value>, Vec<Value>) = pairs.iter().copied().unzip();
                    self.all_in(*keys, &k)? && self.all_in(*values, &v)?
                }
                _ => false,
            },
            LazySet::Events => {
                // Fields are checked against their sets: an event can be built with a field outside
                // its type, and is then no member of `Events`.
                self.is_event(v) && self.misfit(v)?.is_none() && self.fits_jointly(v)?
            }
            LazySet::Productions(heads) => {
                heads.iter().any(|h| self.is_extension(*h, v))
                    && self.is_complete(v)
                    && self.misfit(v)?.is_none()
                    && self.fits_jointly(v)?
            }
            LazySet::Datatype(id) => self.datatype_contains(*id, v)?,
            LazySet::Product(sets) => {
                let parts = self.parts(v);
                self.rows_match(sets, &parts)?
            }
            LazySet::Tuples(sets) => match self.data(v).clone() {
                Data::Tuple(parts) => self.rows_match(sets, &parts)?,
                _ => false,
            },
            LazySet::Powerset(s) => match self.data(v).clone() {
                Data::Set(items) => self.all_in(*s, &items)?,
                Data::Lazy(_) => self.subset(v, *s)?,
                _ => false,
            },
            LazySet::Union(a, b) => self.contains(*a, v)? || self.contains(*b, v)?,
            LazySet::Diff(a, b) => self.contains(*a, v)? && !self.contains(*b, v)?,
            LazySet::Inter(a, b) => self.contains(*a, v)? && self.contains(*b, v)?,
        })
    }

    /// Whether `v` is a sequence over `set`.
    fn seqs_contain(&mut self, set: Value, v: Value) -> ValueResult<bool> {
        match self.data(v).clone() {
            Data::View { .. } => {
                // Items may be views in turn, so the whole value is rebuilt before it is judged.
                let v = without_views(self, v);
                self.seqs_contain(set, v)
            }
            Data::Seq(items) => self.all_in(set, &items),
            Data::From(n) => {
                let all = self.int_range(Some(n), None);
                self.subset(all, set)
            }
            Data::Stream { items, rest } => {
                let Data::From(n) = *self.data(rest) else {
                    // What follows is not evaluated, and to evaluate it might not end.
                    return Err(ValueError::Expected("a sequence that ends", v));
                };
                let all = self.int_range(Some(n), None);
                Ok(self.all_in(set, &items)? && self.subset(all, set)?)
            }
            _ => Ok(false),
        }
    }

    pub(super) fn all_in(&mut self, set: Value, items: &[Value]) -> ValueResult<bool> {
        for (i, item) in items.iter().enumerate() {
            self.poll_at(i)?;
            if !self.contains(set, *item)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn rows_match(&mut self, sets: &[Value], parts: &[Value]) -> ValueResult<bool> {
        if sets.len() != parts.len() {
            return Ok(false);
        }
        for (set, part) in sets.iter().zip(parts) {
            if !self.contains(*set, *part)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn datatype_contains(&mut self, id: TypeId, v: Value) -> ValueResult<bool> {
        let parts = self.parts(v);
        let Data::Ctor(head) = *self.data(parts[0]) else {
            return Ok(false);
        };
        // A subtype has fewer constructors, and may have smaller field sets, than the datatype. So
        // the clauses of this type are asked, not the declaration of the constructor.
        let clauses = self.signature().datatype(id).map(Rc::clone);
        let fields = clauses
            .iter()
            .flat_map(|c| c.iter())
            .find(|(ctor, _)| *ctor == head)
            .map(|(_, fields)| Rc::clone(fields));
        match fields {
            Some(fields) => Ok(self.rows_match(&fields, &parts[1..])? && self.fits_jointly(v)?),
            None => Ok(false),
        }
    }

    /// `union(a, b)`
    ///
    /// # Errors
    /// If one of them is not a set.
    pub fn union(&mut self, a: Value, b: Value) -> ValueResult<Value> {
        self.expect_set(a)?;
        self.expect_set(b)?;
        if a == b {
            return Ok(a);
        }
        if let Some((x, y)) = both_intervals(self, a, b) {
            return Ok(self.int_set(x.union(&y)));
        }
        // After this a set is lazy only because it is large or its size is not known.
        let (a, b) = (self.settle_set(a)?, self.settle_set(b)?);
        match (self.data(a).clone(), self.data(b).clone()) {
            (Data::Set(x), Data::Set(y)) => {
                let all = x.iter().chain(&y).copied().collect();
                self.set_of(all)
            }
            // The order of the sides must not show in the result, as union is commutative.
            (Data::Lazy(lazy), Data::Set(items)) => self.union_with_listed(a, &lazy, &items),
            (Data::Set(items), Data::Lazy(lazy)) => self.union_with_listed(b, &lazy, &items),
            (Data::Lazy(LazySet::Productions(x)), Data::Lazy(LazySet::Productions(y))) => {
                self.productions([&*x, &*y].concat())
            }
            _ => {
                // Union is commutative; one order makes equal unions equal handles.
                let (a, b) = if self.compare(a, b).is_le() {
                    (a, b)
                } else {
                    (b, a)
                };
                Ok(self.lazy(LazySet::Union(a, b)))
            }
        }
    }

    /// The union of a set that is not listed with one that is: only what it adds is kept.
    fn union_with_listed(
        &mut self,
        set: Value,
        lazy: &LazySet,
        items: &[Value],
    ) -> ValueResult<Value> {
        let added = self.keep(items, set, false)?;
        if added.is_empty() {
            return Ok(set);
        }
        let added = self.ascending_set(added);
        match *lazy {
            // `diff(s, t)` with some of `t` added is the difference with fewer.
            LazySet::Diff(all, without) if self.is_listed(without) => {
                // With `A` for what is added: `(s \ t) ∪ A` is `(s \ (t \ A)) ∪ (A \ s)`. So taking
                // an element out and putting it back gives the set that there was before, with its
                // handle.
                let without = self.diff(without, added)?;
                let fewer = self.diff(all, without)?;
                let outside = self.diff(added, all)?;
                if self.data(outside) == &Data::Set([].into()) {
                    return Ok(fewer);
                }
                Ok(self.lazy(LazySet::Union(outside, fewer)))
            }
            LazySet::Union(some, rest) if self.is_listed(some) => {
                // All listed elements of a union are kept in one listed set, on its left.
                let some = self.union(some, added)?;
                Ok(self.lazy(LazySet::Union(some, rest)))
            }
            _ => Ok(self.lazy(LazySet::Union(added, set))),
        }
    }

    /// `inter(a, b)`
    ///
    /// # Errors
    /// If one of them is not a set.
    pub fn inter(&mut self, a: Value, b: Value) -> ValueResult<Value> {
        self.expect_set(a)?;
        self.expect_set(b)?;
        if a == b {
            return Ok(a);
        }
        if let Some((x, y)) = both_intervals(self, a, b) {
            return Ok(self.int_set(x.inter(&y)));
        }
        // With one side listed, the other only has to answer questions of membership: it may be
        // infinite.
        let listed = match (self.is_listed(a), self.is_listed(b)) {
            (true, _) => Some((a, b)),
            (_, true) => Some((b, a)),
            _ => None,
        };
        if let Some((listed, other)) = listed {
            let elements = self.elements(listed)?;
            let kept = self.keep(&elements, other, true)?;
            return Ok(self.ascending_set(kept));
        }
        let both = match (self.data(a).clone(), self.data(b).clone()) {
            (Data::Lazy(LazySet::Productions(x)), Data::Lazy(LazySet::Productions(y))) => {
                // Of two partial events one of which extends the other, the longer counts.
                let heads = x.iter().flat_map(|h| y.iter().map(move |k| (*h, *k)));
                let heads = heads.filter_map(|(h, k)| {
                    if self.is_extension(h, k) {
                        Some(k)
                    } else {
                        self.is_extension(k, h).then_some(h)
                    }
                });
                return self.productions(heads.collect());
            }
            (Data::Lazy(LazySet::Seqs(x)), Data::Lazy(LazySet::Seqs(y))) => {
                // These two distribute over intersection (and do not over union: `<1, 2>` is in
                // neither `Seq({1})` nor `Seq({2})`).
                LazySet::Seqs(self.inter(x, y)?)
            }
            (Data::Lazy(LazySet::Powerset(x)), Data::Lazy(LazySet::Powerset(y))) => {
                LazySet::Powerset(self.inter(x, y)?)
            }
            // One order of the sides, as for unions.
            _ if self.compare(a, b).is_le() => LazySet::Inter(a, b),
            _ => LazySet::Inter(b, a),
        };
        let both = self.lazy(both);
        self.settle_set(both)
    }

    /// `diff(a, b)`
    ///
    /// # Errors
    /// If one of them is not a set.
    pub fn diff(&mut self, a: Value, b: Value) -> ValueResult<Value> {
        self.expect_set(a)?;
        self.expect_set(b)?;
        if a == b {
            return Ok(self.set(Vec::new()));
        }
        if let Some((x, y)) = both_intervals(self, a, b) {
            return Ok(self.int_set(x.diff(&y)));
        }
        if self.is_listed(a) {
            let elements = self.elements(a)?;
            let kept = self.keep(&elements, b, false)?;
            return Ok(self.ascending_set(kept));
        }
        if !self.is_listed(b) {
            let rest = self.lazy(LazySet::Diff(a, b));
            return self.settle_set(rest);
        }
        let elements = self.elements(b)?;
        // Only what `a` has: differences that take away the same elements get the same handle.
        let removed = self.keep(&elements, a, true)?;
        if removed.is_empty() {
            return Ok(a);
        }
        let removed = self.ascending_set(removed);
        let rest = match *self.data(a) {
            Data::Lazy(LazySet::Diff(all, without)) if self.is_listed(without) => {
                // Flat instead of nested: a set from which one element after another is taken stays
                // two sets deep.
                LazySet::Diff(all, self.union(without, removed)?)
            }
            Data::Lazy(LazySet::Union(some, rest)) if self.is_listed(some) => {
                let (some, rest) = (self.diff(some, removed)?, self.diff(rest, removed)?);
                return self.union(some, rest);
            }
            _ => LazySet::Diff(a, removed),
        };
        let rest = self.lazy(rest);
        self.settle_set(rest)
    }

    pub(super) fn is_listed(&self, set: Value) -> bool {
        matches!(self.data(set), Data::Set(_))
    }

    /// That a value is a set.
    ///
    /// # Errors
    /// If it is not.
    pub fn expect_set(&self, v: Value) -> ValueResult<()> {
        match self.data(v) {
            Data::Set(_) | Data::Lazy(_) => Ok(()),
            _ => Err(ValueError::Expected("a set", v)),
        }
    }

    /// `empty(s)`
    ///
    /// # Errors
    /// If it cannot be decided.
    pub fn is_empty_set(&mut self, set: Value) -> ValueResult<bool> {
        match self.data(set) {
            Data::Set(items) => Ok(items.is_empty()),
            // An empty set of integers would have been listed; a powerset has the empty set, and
            // maps the empty map.
            Data::Lazy(LazySet::Ints(_) | LazySet::Powerset(_) | LazySet::Maps(..)) => Ok(false),
            Data::Lazy(_) if self.size(set).is_none() => {
                if self.never_ends(set) {
                    Ok(false)
                } else {
                    Err(ValueError::Infinite(set))
                }
            }
            _ => Ok(self.elements(set)?.is_empty()),
        }
    }

    /// `Union(A)`
    ///
    /// # Errors
    /// If it is not a finite set of sets.
    pub fn big_union(&mut self, sets: Value) -> ValueResult<Value> {
        let elements = self.elements(sets)?;
        // One sort of all elements instead of a union for each set, whose cost would be quadratic.
        if elements.iter().all(|s| self.is_listed(*s)) {
            let mut all = Vec::new();
            for set in elements.iter() {
                if let Data::Set(items) = self.data(*set) {
                    all.extend_from_slice(items);
                }
                self.poll_at(all.len())?;
            }
            return self.set_of(all);
        }
        let mut all = self.set(Vec::new());
        for (i, set) in elements.iter().enumerate() {
            self.poll_at(i)?;
            all = self.union(all, *set)?;
        }
        Ok(all)
    }

    /// `Inter(A)`; the intersection of no sets is empty, as for FDR4.
    ///
    /// # Errors
    /// If it is not a finite set of sets.
    pub fn big_inter(&mut self, sets: Value) -> ValueResult<Value> {
        let elements = self.elements(sets)?;
        let Some((first, rest)) = elements.split_first() else {
            return Ok(self.set(Vec::new()));
        };
        let mut all = *first;
        for (i, set) in rest.iter().enumerate() {
            self.poll_at(i)?;
            all = self.inter(all, *set)?;
        }
        Ok(all)
    }

    /// All complete extensions of these values: listed if there are few, lazy otherwise.
    ///
    /// # Errors
    /// If listing fails.
    pub fn productions(&mut self, mut heads: Vec<Value>) -> ValueResult<Value> {
        self.sort(&mut heads);
        heads.dedup();
        // In this order what begins another comes before it.
        let mut needed: Vec<Value> = Vec::with_capacity(heads.len());
        for head in heads {
            // Looking at the last one suffices: what lies between a prefix and its extensions in
            // this order extends it too.
            let covered = |last: &Value| self.is_extension(*last, head);
            if !needed.last().is_some_and(covered) {
                needed.push(head);
            }
        }
        let set = self.lazy(LazySet::Productions(needed.into()));
        self.settle_set(set)
    }
}
