//! Sets, finite or given by what belongs to them.

use std::rc::Rc;

use super::{Data, LazySet, Store, Value, ValueError, ValueResult};
use crate::script::core::TypeId;
use crate::source::stack::deep;

/// Lazy sets of at most this many elements are listed as soon as they are made, so that they equal
/// the same set written out.
const EAGER_MAX: u128 = 4096;
/// Sets of at least this many elements get a hash table when membership is first asked for.
const HASHED_MIN: usize = 24;

impl Store {
    /// Number of elements of a set; none if it is infinite (or not a set).
    #[must_use]
    pub fn size(&self, set: Value) -> Option<u128> {
        self.size_within(set, &mut Vec::new())
    }

    /// `open` are the datatypes being counted: meeting one again means that it is infinite.
    fn size_within(&self, set: Value, open: &mut Vec<TypeId>) -> Option<u128> {
        let lazy = match self.data(set) {
            Data::Set(items) => return Some(items.len() as u128),
            Data::Lazy(lazy) => lazy,
            _ => return None,
        };
        deep(|| match lazy {
            LazySet::Ints | LazySet::From(_) | LazySet::Chars => None,
            LazySet::Seqs(s) => (self.size_within(*s, open)? == 0).then_some(1),
            LazySet::Events => self.size_of_events(open),
            LazySet::Productions(heads) => heads.iter().try_fold(0u128, |sum, head| {
                let more = self.size_of_product(&self.missing(*head), open)?;
                Some(sum.saturating_add(more))
            }),
            LazySet::Datatype(id) => self.size_of_datatype(*id, open),
            LazySet::Product(sets) | LazySet::Tuples(sets) => self.size_of_product(sets, open),
            LazySet::Powerset(s) => {
                let n = self.size_within(*s, open)?;
                Some(1u128.checked_shl(n.min(200) as u32).unwrap_or(u128::MAX))
            }
            LazySet::Union(a, b) => Some(
                self.size_within(*a, open)?
                    .saturating_add(self.size_within(*b, open)?),
            ),
            LazySet::Diff(a, _) => self.size_within(*a, open),
            LazySet::Inter(a, b) => self
                .size_within(*a, open)
                .or_else(|| self.size_within(*b, open)),
        })
    }

    fn size_of_product(&self, sets: &[Value], open: &mut Vec<TypeId>) -> Option<u128> {
        let mut infinite = false;
        let mut product = 1u128;
        for set in sets {
            match self.size_within(*set, open) {
                // Nothing times anything is nothing.
                Some(0) => return Some(0),
                Some(n) => product = product.saturating_mul(n),
                None => infinite = true,
            }
        }
        (!infinite).then_some(product)
    }

    fn size_of_datatype(&self, id: TypeId, open: &mut Vec<TypeId>) -> Option<u128> {
        if open.contains(&id) {
            return None;
        }
        let clauses = Rc::clone(self.signature().datatype(id)?);
        open.push(id);
        let size = clauses.iter().try_fold(0u128, |sum, (_, fields)| {
            Some(sum.saturating_add(self.size_of_product(fields, open)?))
        });
        open.pop();
        size
    }

    fn size_of_events(&self, open: &mut Vec<TypeId>) -> Option<u128> {
        let mut sum = 0u128;
        for i in 0..self.signature().channel_count() {
            let fields = self
                .signature()
                .channel(crate::script::core::ChannelId(i))?;
            sum = sum.saturating_add(self.size_of_product(fields, open)?);
        }
        Some(sum)
    }

    /// Lists a lazy set if it is small, so that equal sets are equal handles.
    ///
    /// # Errors
    /// If listing fails.
    pub fn settle_set(&mut self, set: Value) -> ValueResult<Value> {
        self.settle_up_to(set, EAGER_MAX)
    }

    /// Lists a lazy set if it is finite and not larger than the limit: for comparison of sets.
    ///
    /// # Errors
    /// If listing fails.
    pub fn realise(&mut self, set: Value) -> ValueResult<Value> {
        self.settle_up_to(set, self.elements_max as u128)
    }

    fn settle_up_to(&mut self, set: Value, max: u128) -> ValueResult<Value> {
        if !matches!(self.data(set), Data::Lazy(_)) || self.size(set).is_none_or(|n| n > max) {
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
            Data::Set(items) => return Ok(items.as_ref().into()),
            Data::Lazy(lazy) => {
                let lazy = lazy.clone();
                match self.size(set) {
                    None => return Err(ValueError::Infinite(set)),
                    Some(n) if n > self.elements_max as u128 => {
                        return Err(ValueError::TooLarge(set));
                    }
                    Some(_) => {}
                }
                let mut items = deep(|| self.list(&lazy))?;
                self.sort(&mut items);
                items.dedup();
                items.into()
            }
            _ => return Err(ValueError::Expected("a set", set)),
        };
        self.enumerated.insert(set, Rc::clone(&elements));
        Ok(elements)
    }

    fn list(&mut self, lazy: &LazySet) -> ValueResult<Vec<Value>> {
        match lazy {
            LazySet::Ints | LazySet::From(_) | LazySet::Chars => Ok(Vec::new()),
            LazySet::Seqs(_) => Ok(vec![self.seq([])]),
            LazySet::Events => self.list_events(),
            LazySet::Productions(heads) => self.list_completions(heads),
            LazySet::Datatype(id) => self.list_datatype(*id),
            LazySet::Product(sets) => {
                let rows = self.list_product(sets)?;
                Ok(rows.into_iter().map(|row| self.join(&row)).collect())
            }
            LazySet::Tuples(sets) => {
                let rows = self.list_product(sets)?;
                Ok(rows.into_iter().map(|row| self.tuple(row)).collect())
            }
            LazySet::Powerset(set) => self.list_subsets(*set),
            LazySet::Union(a, b) => {
                let mut all = self.elements(*a)?.to_vec();
                all.extend(self.elements(*b)?.iter());
                Ok(all)
            }
            LazySet::Diff(a, b) => {
                let elements = self.elements(*a)?;
                self.keep(&elements, *b, false)
            }
            LazySet::Inter(a, b) => {
                let (listed, other) = if self.size(*a).is_some() {
                    (*a, *b)
                } else {
                    (*b, *a)
                };
                let elements = self.elements(listed)?;
                self.keep(&elements, other, true)
            }
        }
    }

    /// Dots parts together from left to right.
    pub fn join(&mut self, parts: &[Value]) -> Value {
        let mut parts = parts.iter();
        let first = parts.next().copied();
        let empty = first.unwrap_or_else(|| self.seq([]));
        parts.fold(empty, |dot, part| self.extend(dot, *part))
    }

    fn list_events(&mut self) -> ValueResult<Vec<Value>> {
        let heads: Vec<Value> = (0..self.signature().channel_count())
            .map(|i| self.channel(crate::script::core::ChannelId(i)))
            .collect();
        self.list_completions(&heads)
    }

    fn list_completions(&mut self, heads: &[Value]) -> ValueResult<Vec<Value>> {
        let mut all = Vec::new();
        for head in heads {
            all.extend(self.completions(*head)?);
        }
        Ok(all)
    }

    fn list_datatype(&mut self, id: TypeId) -> ValueResult<Vec<Value>> {
        let Some(clauses) = self.signature().datatype(id).map(Rc::clone) else {
            return Ok(Vec::new());
        };
        let mut all = Vec::new();
        for (ctor, fields) in clauses.iter() {
            let head = self.ctor(*ctor);
            for row in self.list_product(fields)? {
                let value = row.iter().fold(head, |dot, part| self.extend(dot, *part));
                if self.fits_jointly(value)? {
                    all.push(value);
                }
            }
        }
        Ok(all)
    }

    fn list_product(&mut self, sets: &[Value]) -> ValueResult<Vec<Vec<Value>>> {
        let mut rows = vec![Vec::new()];
        for set in sets {
            let elements = self.elements(*set)?;
            rows = rows
                .iter()
                .flat_map(|row: &Vec<Value>| {
                    elements.iter().map(move |e| {
                        let mut longer = row.clone();
                        longer.push(*e);
                        longer
                    })
                })
                .collect();
        }
        Ok(rows)
    }

    fn list_subsets(&mut self, set: Value) -> ValueResult<Vec<Value>> {
        let elements = self.elements(set)?;
        let mut subsets: Vec<Vec<Value>> = vec![Vec::new()];
        for e in elements.iter() {
            let with: Vec<_> = subsets
                .iter()
                .map(|s| s.iter().copied().chain([*e]).collect())
                .collect();
            subsets.extend(with);
        }
        Ok(subsets.into_iter().map(|s| self.set(s)).collect())
    }

    fn keep(&mut self, items: &[Value], set: Value, inside: bool) -> ValueResult<Vec<Value>> {
        let mut kept = Vec::new();
        for item in items {
            if self.contains(set, *item)? == inside {
                kept.push(*item);
            }
        }
        Ok(kept)
    }

    /// Whether `v` belongs to a set.
    ///
    /// # Errors
    /// If it is not a set.
    pub fn contains(&mut self, set: Value, v: Value) -> ValueResult<bool> {
        let lazy = match &self.data[set.0 as usize] {
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
            LazySet::Ints => matches!(self.data(v), Data::Int(_)),
            LazySet::From(n) => matches!(self.data(v), Data::Int(i) if i >= n),
            LazySet::Chars => matches!(self.data(v), Data::Char(_)),
            LazySet::Seqs(s) => match self.data(v).clone() {
                Data::Seq(items) => self.all_in(*s, &items)?,
                _ => false,
            },
            LazySet::Events => {
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

    fn all_in(&mut self, set: Value, items: &[Value]) -> ValueResult<bool> {
        for item in items {
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

    /// `a <= b` on sets.
    ///
    /// # Errors
    /// If it cannot be decided because the first is infinite.
    pub fn subset(&mut self, a: Value, b: Value) -> ValueResult<bool> {
        if a == b {
            return Ok(true);
        }
        if self.size(b).is_some() && self.never_ends(a) {
            return Ok(false);
        }
        let elements = self.elements(a)?;
        self.all_in(b, &elements)
    }

    /// Whether a set certainly has infinitely many elements.
    fn never_ends(&self, set: Value) -> bool {
        let lazy = match self.data(set) {
            Data::Lazy(lazy) => lazy,
            _ => return false,
        };
        !matches!(lazy, LazySet::Diff(..) | LazySet::Inter(..)) && self.size(set).is_none()
    }

    /// `union(a, b)`
    ///
    /// # Errors
    /// If one of them is not a set.
    pub fn union(&mut self, a: Value, b: Value) -> ValueResult<Value> {
        if a == b {
            return Ok(a);
        }
        let (a, b) = (self.settle_set(a)?, self.settle_set(b)?);
        match (self.data(a), self.data(b)) {
            (Data::Set(x), Data::Set(y)) => {
                let all = x.iter().chain(y).copied().collect();
                Ok(self.set(all))
            }
            (Data::Set(x), Data::Lazy(_)) if x.is_empty() => Ok(b),
            (Data::Lazy(_), Data::Set(y)) if y.is_empty() => Ok(a),
            (Data::Set(_) | Data::Lazy(_), Data::Set(_) | Data::Lazy(_)) => {
                // Union is commutative; one order makes equal unions equal handles.
                let (a, b) = if self.compare(a, b).is_le() {
                    (a, b)
                } else {
                    (b, a)
                };
                Ok(self.lazy(LazySet::Union(a, b)))
            }
            (Data::Set(_) | Data::Lazy(_), _) => Err(ValueError::Expected("a set", b)),
            _ => Err(ValueError::Expected("a set", a)),
        }
    }

    /// `inter(a, b)`
    ///
    /// # Errors
    /// If one of them is not a set.
    pub fn inter(&mut self, a: Value, b: Value) -> ValueResult<Value> {
        self.expect_set(a)?;
        self.expect_set(b)?;
        let listed = match (self.is_listed(a), self.is_listed(b)) {
            (true, _) => Some((a, b)),
            (_, true) => Some((b, a)),
            _ => None,
        };
        let Some((listed, other)) = listed else {
            let (a, b) = if self.compare(a, b).is_le() {
                (a, b)
            } else {
                (b, a)
            };
            let both = self.lazy(LazySet::Inter(a, b));
            return self.settle_set(both);
        };
        let elements = self.elements(listed)?;
        let kept = self.keep(&elements, other, true)?;
        Ok(self.intern(Data::Set(kept.into())))
    }

    /// `diff(a, b)`
    ///
    /// # Errors
    /// If one of them is not a set.
    pub fn diff(&mut self, a: Value, b: Value) -> ValueResult<Value> {
        self.expect_set(a)?;
        self.expect_set(b)?;
        let ints = |v: Value| matches!(self.data(v), Data::Lazy(LazySet::Ints));
        let from = |v: Value| matches!(self.data(v), Data::Lazy(LazySet::From(_)));
        if a == b || (from(a) && ints(b)) {
            return Ok(self.set(Vec::new()));
        }
        if self.is_listed(a) {
            let elements = self.elements(a)?;
            let kept = self.keep(&elements, b, false)?;
            return Ok(self.intern(Data::Set(kept.into())));
        }
        let rest = self.lazy(LazySet::Diff(a, b));
        self.settle_set(rest)
    }

    fn is_listed(&self, set: Value) -> bool {
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

    /// `card(s)`
    ///
    /// # Errors
    /// If the set is infinite or too large to list.
    pub fn card(&mut self, set: Value) -> ValueResult<i64> {
        Ok(self.elements(set)?.len() as i64)
    }

    /// `empty(s)`
    ///
    /// # Errors
    /// If it cannot be decided.
    pub fn is_empty_set(&mut self, set: Value) -> ValueResult<bool> {
        match self.data(set) {
            Data::Set(items) => Ok(items.is_empty()),
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
        if elements.iter().all(|s| self.is_listed(*s)) {
            let mut all = Vec::new();
            for set in elements.iter() {
                if let Data::Set(items) = self.data(*set) {
                    all.extend_from_slice(items);
                }
            }
            return Ok(self.set(all));
        }
        let mut all = self.set(Vec::new());
        for set in elements.iter() {
            all = self.union(all, *set)?;
        }
        Ok(all)
    }

    /// `Inter(A)`; the intersection of no sets is an error.
    ///
    /// # Errors
    /// If it is not a finite, non-empty set of sets.
    pub fn big_inter(&mut self, sets: Value) -> ValueResult<Value> {
        let elements = self.elements(sets)?;
        let Some((first, rest)) = elements.split_first() else {
            return Err(ValueError::Other(
                "the intersection of no sets is not defined".to_owned(),
            ));
        };
        let mut all = *first;
        for set in rest {
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
        let set = self.lazy(LazySet::Productions(heads.into()));
        self.settle_set(set)
    }
}
