//! The elements of finite sets that are given by what belongs to them.

use std::rc::Rc;

use super::dots::{extend, join};
use super::interner::Interner;
use super::sets::Sets;
use super::watch::WorkLimits;
use super::{LazySet, Value, ValueResult};
use crate::script::core::{ChannelId, TypeId};

impl Sets<'_> {
    /// The elements of a finite set, in any order and perhaps more than once.
    pub(super) fn list(&mut self, lazy: &LazySet) -> ValueResult<Vec<Value>> {
        match lazy {
            LazySet::Ints(ints) => {
                let numbered = ints.numbers().enumerate();
                let items = numbered.map(|(i, n)| self.poll_at(i).map(|()| self.values.int(n)));
                items.collect()
            }
            LazySet::Chars => Ok(('\0'..=char::MAX).map(|c| self.values.char(c)).collect()),
            // Not reached: `elements` refuses a set without a size, as this one is.
            LazySet::Processes => Ok(Vec::new()),
            LazySet::Maps(keys, images) => {
                let (keys, images) = (self.elements(*keys)?, self.elements(*images)?);
                maps(&keys, &images, self.values, self.limits)
            }
            // It has a size only over an empty set.
            LazySet::Seqs(_) => Ok(vec![self.values.seq([])]),
            LazySet::Events => self.list_events(),
            LazySet::Productions(heads) => self.list_completions(heads),
            LazySet::Datatype(id) => self.list_datatype(*id),
            LazySet::Product(sets) => {
                let rows = self.list_product(sets)?.into_iter().enumerate();
                let joined = rows.map(|(i, row)| {
                    self.poll_at(i)
                        .map(|()| join(self.values, self.declared, &row))
                });
                joined.collect()
            }
            LazySet::Tuples(sets) => {
                let rows = self.list_product(sets)?.into_iter().enumerate();
                let tuples = rows.map(|(i, row)| self.poll_at(i).map(|()| self.values.tuple(row)));
                tuples.collect()
            }
            LazySet::Powerset(set) => {
                let elements = self.elements(*set)?;
                subsets(&elements, self.values, self.limits)
            }
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
                let (listed, other) = if self.sizes().size(*a).is_some() {
                    (*a, *b)
                } else {
                    (*b, *a)
                };
                let elements = self.elements(listed)?;
                self.keep(&elements, other, true)
            }
        }
    }

    fn list_events(&mut self) -> ValueResult<Vec<Value>> {
        let heads: Vec<Value> = (0..self.declared.channel_count())
            .map(|i| self.values.channel(ChannelId(i)))
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
        let Some(clauses) = self.declared.datatype(id).map(Rc::clone) else {
            return Ok(Vec::new());
        };
        let mut all = Vec::new();
        for (ctor, fields) in clauses.iter() {
            let head = self.values.ctor(*ctor);
            for (i, row) in self.list_product(fields)?.into_iter().enumerate() {
                self.poll_at(i)?;
                let value = row.iter().fold(head, |dot, part| {
                    extend(self.values, self.declared, dot, *part)
                });
                // The product of the fields has more than the declaration allows where fields
                // depend on each other.
                if self.fits_jointly(value)? {
                    all.push(value);
                }
            }
        }
        Ok(all)
    }

    /// The rows of a product: an element of each set.
    fn list_product(&mut self, sets: &[Value]) -> ValueResult<Vec<Vec<Value>>> {
        let columns = sets.iter().map(|set| self.elements(*set));
        let columns = columns.collect::<ValueResult<Vec<_>>>()?;
        rows(&columns, self.values, self.limits)
    }
}

/// The rows with an item of each column.
fn rows(
    columns: &[Rc<[Value]>],
    values: &Interner,
    limits: &WorkLimits,
) -> ValueResult<Vec<Vec<Value>>> {
    // One row without columns: each column multiplies what is there, and no columns leave
    // the one empty row.
    let mut rows = vec![Vec::new()];
    for column in columns {
        let mut longer: Vec<Vec<Value>> = Vec::new();
        for row in &rows {
            for e in column.iter() {
                limits.poll_at(longer.len(), values.bytes())?;
                longer.push(row.iter().copied().chain([*e]).collect());
            }
        }
        rows = longer;
    }
    Ok(rows)
}

/// The subsets of a set with these elements.
fn subsets(
    elements: &[Value],
    values: &mut Interner,
    limits: &WorkLimits,
) -> ValueResult<Vec<Value>> {
    let mut subsets: Vec<Vec<Value>> = vec![Vec::new()];
    for e in elements {
        // The range is fixed before anything is pushed: every subset so far is taken once
        // without `e` (it stays) and once with it.
        for i in 0..subsets.len() {
            limits.poll_at(i, values.bytes())?;
            let with = subsets[i].iter().copied().chain([*e]).collect();
            subsets.push(with);
        }
    }
    let subsets = subsets.into_iter().enumerate();
    let sets = subsets.map(|(i, s)| limits.poll_at(i, values.bytes()).map(|()| values.set(s)));
    sets.collect()
}

/// The maps from some of the keys to some of the images.
fn maps(
    keys: &[Value],
    images: &[Value],
    values: &mut Interner,
    limits: &WorkLimits,
) -> ValueResult<Vec<Value>> {
    let mut maps: Vec<Vec<(Value, Value)>> = vec![Vec::new()];
    for key in keys {
        // A key may also be absent: the maps so far stay, and each is extended by every value.
        let longer = maps.iter().flat_map(|map| {
            images.iter().map(move |v| {
                let mut map = map.clone();
                map.push((*key, *v));
                map
            })
        });
        let longer = longer.enumerate();
        let longer = longer.map(|(i, map)| limits.poll_at(i, values.bytes()).map(|()| map));
        let longer: Vec<_> = longer.collect::<ValueResult<_>>()?;
        maps.extend(longer);
    }
    let maps = maps.into_iter().enumerate();
    let maps = maps.map(|(i, pairs)| {
        limits
            .poll_at(i, values.bytes())
            .map(|()| values.map(pairs))
    });
    maps.collect()
}
