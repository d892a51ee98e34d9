//! The elements of finite sets that are given by what belongs to them.

use std::rc::Rc;

use super::{LazySet, Store, Value, ValueResult};
use crate::script::core::{ChannelId, TypeId};

impl Store {
    pub(super) fn list(&mut self, lazy: &LazySet) -> ValueResult<Vec<Value>> {
        match lazy {
            LazySet::Ints(ints) => Ok(ints.numbers().map(|n| self.int(n)).collect()),
            LazySet::Chars => Ok(('\0'..=char::MAX).map(|c| self.char(c)).collect()),
            LazySet::Processes => Ok(Vec::new()),
            LazySet::Maps(keys, values) => self.list_maps(*keys, *values),
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

    fn list_maps(&mut self, keys: Value, values: Value) -> ValueResult<Vec<Value>> {
        let (keys, values) = (self.elements(keys)?, self.elements(values)?);
        let mut maps: Vec<Vec<(Value, Value)>> = vec![Vec::new()];
        for key in keys.iter() {
            let longer = maps.iter().flat_map(|map| {
                values.iter().map(move |v| {
                    let mut map = map.clone();
                    map.push((*key, *v));
                    map
                })
            });
            let longer: Vec<_> = longer.collect();
            maps.extend(longer);
        }
        Ok(maps.into_iter().map(|pairs| self.map(pairs)).collect())
    }
}
