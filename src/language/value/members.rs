//! Membership: whether a value belongs to a set.

use std::rc::Rc;

use super::dots::is_extension;
use super::sets::{LARGE, Sets};
use super::views::without_views;
use super::{Data, LazySet, Value, ValueError, ValueResult};
use crate::script::core::TypeId;
use crate::source::stack::deep;

/// Sets of at least this many elements get a hash table when membership is first asked for.
const HASHED_MIN: usize = 24;

impl Sets<'_> {
    /// Whether `v` belongs to a set.
    ///
    /// # Errors
    /// If it is not a set, or when the work that asks has to stop.
    pub fn contains(&mut self, set: Value, v: Value) -> ValueResult<bool> {
        self.look()?;
        let lazy = match self.values.data(set) {
            // Handles are compared, not the order of values. Elements of a set hold no views, so a
            // value that holds some would not be found here.
            Data::Set(items) if items.len() < HASHED_MIN => return Ok(items.contains(&v)),
            Data::Set(items) => return Ok(self.known.members(set, items).contains(&v)),
            Data::Lazy(lazy) => lazy.clone(),
            _ => return Err(ValueError::Expected("a set", set)),
        };
        let is_large = self.values.weight(set).max(self.values.weight(v)) > LARGE;
        if is_large && let Some(known) = self.known.inside.get(&(set, v)) {
            return Ok(*known);
        }
        let inside = deep(|| self.lazy_contains(&lazy, v))?;
        if is_large {
            self.known.inside.insert((set, v), inside);
        }
        Ok(inside)
    }

    fn lazy_contains(&mut self, lazy: &LazySet, v: Value) -> ValueResult<bool> {
        Ok(match lazy {
            LazySet::Ints(ints) => matches!(self.values.data(v), Data::Int(i) if ints.contains(*i)),
            LazySet::Processes => matches!(self.values.data(v), Data::Process(_)),
            LazySet::Chars => matches!(self.values.data(v), Data::Char(_)),
            LazySet::Seqs(s) => self.seqs_contain(*s, v)?,
            // The data are cloned because each question may intern values, which moves the others.
            LazySet::Maps(keys, values) => match self.values.data(v).clone() {
                Data::Map(pairs) => {
                    let (k, v): (Vec<Value>, Vec<Value>) = pairs.iter().copied().unzip();
                    self.all_in(*keys, &k)? && self.all_in(*values, &v)?
                }
                _ => false,
            },
            LazySet::Events => {
                // Fields are checked against their sets: an event can be built with a field outside
                // its type, and is then no member of `Events`.
                self.dotted().is_event(v) && self.misfit(v)?.is_none() && self.fits_jointly(v)?
            }
            LazySet::Productions(heads) => {
                heads.iter().any(|h| is_extension(self.values, *h, v))
                    && self.dotted().is_complete(v)
                    && self.misfit(v)?.is_none()
                    && self.fits_jointly(v)?
            }
            LazySet::Datatype(id) => self.datatype_contains(*id, v)?,
            LazySet::Product(sets) => {
                let parts = self.dotted().parts(v);
                self.rows_match(sets, &parts)?
            }
            LazySet::Tuples(sets) => match self.values.data(v).clone() {
                Data::Tuple(parts) => self.rows_match(sets, &parts)?,
                _ => false,
            },
            LazySet::Powerset(s) => match self.values.data(v).clone() {
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
        match self.values.data(v).clone() {
            Data::View { .. } => {
                // Items may be views in turn, so the whole value is rebuilt before it is judged.
                let v = without_views(self.values, v);
                self.seqs_contain(set, v)
            }
            Data::Seq(items) => self.all_in(set, &items),
            Data::From(n) => {
                let all = self.values.int_range(Some(n), None);
                self.subset(all, set)
            }
            Data::Stream { items, rest } => {
                let Data::From(n) = *self.values.data(rest) else {
                    // What follows is not evaluated, and to evaluate it might not end.
                    return Err(ValueError::Expected("a sequence that ends", v));
                };
                let all = self.values.int_range(Some(n), None);
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
        let parts = self.dotted().parts(v);
        let Data::Ctor(head) = *self.values.data(parts[0]) else {
            return Ok(false);
        };
        // A subtype has fewer constructors, and may have smaller field sets, than the datatype. So
        // the clauses of this type are asked, not the declaration of the constructor.
        let clauses = self.declared.datatype(id).map(Rc::clone);
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

    /// The items that belong to a set, or those that do not.
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
}
