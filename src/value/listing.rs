//! The elements of finite sets that are given by what belongs to them.

use std::rc::Rc;

use super::{LazySet, Store, Value, ValueResult};
use crate::script::core::{ChannelId, TypeId};

impl Store {
    pub(super) fn list(&mut self, lazy: &LazySet) -> ValueResult<Vec<Value>> {
        match lazy {
            LazySet::Ints(ints) => {
                let numbered = ints.numbers().enumerate();
                let items = numbered.map(|(i, n)| self.poll_at(i).map(|()| self.int(n)));
                items.collect()
            }
            LazySet::Chars => Ok(('\0'..=char::MAX).map(|c| self.char(c)).collect()),
            // Not reached: `elements` refuses a set without a size, as this one is.
            LazySet::Processes => Ok(Vec::new()),
            LazySet::Maps(keys, values) => self.list_maps(*keys, *values),
            // It has a size only over an empty set.
            LazySet::Seqs(_) => Ok(vec![self.seq([])]),
            LazySet::Events => self.list_events(),
            LazySet::Productions(heads) => self.list_completions(heads),
            LazySet::Datatype(id) => self.list_datatype(*id),
            LazySet::Product(sets) => {
                let rows = self.list_product(sets)?.into_iter().enumerate();
                let joined = rows.map(|(i, row)| self.poll_at(i).map(|()| self.join(&row)));
                joined.collect()
            }
            LazySet::Tuples(sets) => {
                let rows = self.list_product(sets)?.into_iter().enumerate();
                let tuples = rows.map(|(i, row)| self.poll_at(i).map(|()| self.tuple(row)));
                tuples.collect()
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
                // At least one has a size, or the whole had none. The other may be infinite.
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
            .map(|i| self.channel(ChannelId(i)))
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
            for (i, row) in self.list_product(fields)?.into_iter().enumerate() {
                self.poll_at(i)?;
                let value = row.iter().fold(head, |dot, part| self.extend(dot, *part));
                // The product of the fields has more than the declaration allows where fields
                // depend on each other.
                if self.fits_jointly(value)? {
                    all.push(value);
                }
            }
        }
        Ok(all)
    }

    fn list_product(&mut self, sets: &[Value]) -> ValueResult<Vec<Vec<Value>>> {
        // One row without columns: each set multiplies what is there, and no sets leave the one
        // empty row.
        let mut rows = vec![Vec::new()];
        for set in sets {
            let elements = self.elements(*set)?;
            let mut longer: Vec<Vec<Value>> = Vec::new();
            for row in &rows {
                for e in elements.iter() {
                    self.poll_at(longer.len())?;
                    longer.push(row.iter().copied().chain([*e]).collect());
                }
            }
            rows = longer;
        }
        Ok(rows)
    }

    fn list_subsets(&mut self, set: Value) -> ValueResult<Vec<Value>> {
        let elements = self.elements(set)?;
        let mut subsets: Vec<Vec<Value>> = vec![Vec::new()];
        for e in elements.iter() {
            // The range is fixed before anything is pushed: every subset so far is taken once
            // without `e` (it stays) and once with it.
            for i in 0..subsets.len() {
                self.poll_at(i)?;
                let with = subsets[i].iter().copied().chain([*e]).collect();
                subsets.push(with);
            }
        }
        let subsets = subsets.into_iter().enumerate();
        let sets = subsets.map(|(i, s)| self.poll_at(i).map(|()| self.set(s)));
        sets.collect()
    }

    fn list_maps(&mut self, keys: Value, values: Value) -> ValueResult<Vec<Value>> {
        let (keys, values) = (self.elements(keys)?, self.elements(values)?);
        let mut maps: Vec<Vec<(Value, Value)>> = vec![Vec::new()];
        for key in keys.iter() {
            // A key may also be absent: the maps so far stay, and each is extended by every value.
            let longer = maps.iter().flat_map(|map| {
                values.iter().map(move |v| {
                    let mut map = map.clone();
                    map.push((*key, *v));
                    map
                })
            });
            let longer = longer.enumerate();
            let longer = longer.map(|(i, map)| self.poll_at(i).map(|()| map));
            let longer: Vec<_> = longer.collect::<ValueResult<_>>()?;
            maps.extend(longer);
        }
        let maps = maps.into_iter().enumerate();
        let maps = maps.map(|(i, pairs)| self.poll_at(i).map(|()| self.map(pairs)));
        maps.collect()
    }
}
