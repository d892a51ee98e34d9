//! The built-in functions on sets, sequences and maps.

use super::Evaluator;
use super::lazy::Held;
use crate::script::core::Builtin;
use crate::source::Span;
use crate::source::diagnostic::Result;
use crate::value::{Data, LazySet, Value, ValueError, ValueResult};

/// Items looked at between two looks at the limits.
const POLL_EVERY: usize = 4096;

/// How much of an argument a built-in function needs.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Need {
    /// Nothing: it becomes a part of the result.
    Nothing,
    /// The value, but not its parts.
    Value,
    /// The value with all its parts.
    Whole,
}

fn need(b: Builtin, argument: usize) -> Need {
    match (b, argument) {
        (Builtin::MapUpdate, 2) => Need::Nothing,
        (
            Builtin::Head
            | Builtin::Tail
            | Builtin::Null
            | Builtin::Length
            | Builtin::Concat
            | Builtin::MapFromList
            | Builtin::MapToList
            | Builtin::Error,
            _,
        )
        | (Builtin::Elem, 1)
        | (
            Builtin::MapLookup
            | Builtin::MapMember
            | Builtin::MapUpdate
            | Builtin::MapDelete
            | Builtin::MapUpdateMultiple,
            0,
        )
        | (Builtin::MapUpdateMultiple, 1) => Need::Value,
        _ => Need::Whole,
    }
}

impl Evaluator {
    /// The arguments of a built-in function, evaluated as far as it needs them.
    pub(super) fn builtin_args(
        &mut self,
        b: Builtin,
        args: &[Held],
        span: Span,
    ) -> Result<Vec<Value>> {
        let mut values = Vec::with_capacity(args.len());
        for (i, arg) in args.iter().enumerate() {
            values.push(match need(b, i) {
                Need::Nothing => self.capture(arg, span)?,
                Need::Value => self.forced(arg, span)?,
                Need::Whole => {
                    let v = self.forced(arg, span)?;
                    self.whole(v, span)?
                }
            });
        }
        Ok(values)
    }

    /// The built-in functions on data; none if the name or the number of arguments is wrong.
    pub(super) fn data_builtin(
        &mut self,
        b: Builtin,
        args: &[Value],
        span: Span,
    ) -> Result<Option<Value>> {
        if let Some(v) = self.sequence_builtin(b, args, span)? {
            return Ok(Some(v));
        }
        if let Some(v) = self.map_builtin(b, args, span)? {
            return Ok(Some(v));
        }
        if let Some(v) = self.relation_builtin(b, args, span)? {
            return Ok(Some(v));
        }
        let result = match args {
            [x] => self.unary_builtin(b, *x),
            [x, y] => self.binary_builtin(b, *x, *y),
            _ => None,
        };
        result.map(|v| self.at(v, span)).transpose()
    }

    fn unary_builtin(&mut self, b: Builtin, x: Value) -> Option<ValueResult<Value>> {
        let set = |this: &mut Self| this.as_plain_set(x);
        Some(match b {
            Builtin::BigUnion => set(self).and_then(|s| self.store.big_union(s)),
            Builtin::BigInter => set(self).and_then(|s| self.store.big_inter(s)),
            Builtin::Card => set(self)
                .and_then(|s| self.store.card(s))
                .map(|n| self.store.int(n)),
            Builtin::Empty => set(self)
                .and_then(|s| self.store.is_empty_set(s))
                .map(|b| self.store.bool(b)),
            Builtin::Powerset => set(self).and_then(|s| {
                let set = self.store.lazy(LazySet::Powerset(s));
                self.store.settle_set(set)
            }),
            Builtin::SeqsOver => set(self).and_then(|s| {
                let set = self.store.lazy(LazySet::Seqs(s));
                self.store.settle_set(set)
            }),
            Builtin::SeqOf => set(self)
                .and_then(|s| self.store.elements(s))
                .map(|items| self.store.seq(items.as_ref())),
            _ => return None,
        })
    }

    fn binary_builtin(&mut self, b: Builtin, x: Value, y: Value) -> Option<ValueResult<Value>> {
        Some(match b {
            Builtin::Union | Builtin::Inter | Builtin::Diff | Builtin::MapsOver => {
                let (a, c) = match (self.as_plain_set(x), self.as_plain_set(y)) {
                    (Ok(a), Ok(c)) => (a, c),
                    (Err(error), _) | (_, Err(error)) => return Some(Err(error)),
                };
                match b {
                    Builtin::Union => self.store.union(a, c),
                    Builtin::Inter => self.store.inter(a, c),
                    Builtin::Diff => self.store.diff(a, c),
                    _ => {
                        let set = self.store.lazy(LazySet::Maps(a, c));
                        self.store.settle_set(set)
                    }
                }
            }
            Builtin::Member => self
                .as_plain_set(y)
                .and_then(|s| self.store.contains(s, x))
                .map(|b| self.store.bool(b)),
            _ => return None,
        })
    }

    pub(super) fn as_plain_set(&mut self, v: Value) -> ValueResult<Value> {
        self.store.as_set(v).ok_or(ValueError::Expected("a set", v))
    }

    fn sequence_builtin(
        &mut self,
        b: Builtin,
        args: &[Value],
        span: Span,
    ) -> Result<Option<Value>> {
        let none = |this: &Self, name: &str| {
            let text = format!("`{name}` of the empty sequence");
            Err(this.fail_at("E0406", text, span))
        };
        Ok(Some(match (b, args) {
            (Builtin::Length, [s]) => {
                let length = self.length(*s, span)?;
                self.store.int(length as i64)
            }
            (Builtin::Null, [s]) => {
                let empty = self.take(*s, 1, span)?.is_none();
                self.store.bool(empty)
            }
            (Builtin::Head, [s]) => match self.take(*s, 1, span)? {
                Some((items, _)) => self.settled(items[0], span)?,
                None => return none(self, "head"),
            },
            (Builtin::Tail, [s]) => match self.take(*s, 1, span)? {
                Some((_, rest)) => self.settled(rest, span)?,
                None => return none(self, "tail"),
            },
            (Builtin::Concat, [s]) => self.concat(*s, span)?,
            (Builtin::Elem, [v, s]) => {
                let found = self.occurs(*v, *s, span)?;
                self.store.bool(found)
            }
            (Builtin::SetOf, [s]) => {
                let items = self.listed(*s, span)?;
                let set = self.store.set_of(items.to_vec());
                self.at(set, span)?
            }
            _ => return Ok(None),
        }))
    }

    /// `elem(v, s)`: the search ends at the first item that is equal.
    fn occurs(&mut self, v: Value, s: Value, span: Span) -> Result<bool> {
        let mut rest = Some(s);
        let mut seen = 0;
        while let Some(next) = rest {
            let next = self.settled(next, span)?;
            if let (Data::From(n), Data::Int(i)) = (self.store.data(next), self.store.data(v)) {
                return Ok(i >= n);
            }
            if let Some(length) = self.store.known_length(next) {
                return self.occurs_among(v, next, length, span);
            }
            let (items, after) = self.seq_step(next, span)?;
            for item in items.iter() {
                if self.equal(v, *item, span)? {
                    return Ok(true);
                }
            }
            seen += items.len();
            if seen > self.limits.elements_max {
                let text = format!("not found among the first {seen} elements");
                return Err(self.fail_at("E0403", text, span));
            }
            rest = after;
        }
        Ok(false)
    }

    fn occurs_among(&mut self, v: Value, s: Value, length: usize, span: Span) -> Result<bool> {
        for i in 0..length {
            if i % POLL_EVERY == POLL_EVERY - 1 {
                self.poll(span)?;
            }
            if let Some(item) = self.store.known_item(s, i)
                && self.equal(v, item, span)?
            {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn map_builtin(&mut self, b: Builtin, args: &[Value], span: Span) -> Result<Option<Value>> {
        Ok(Some(match (b, args) {
            (Builtin::MapFromList, [list]) => {
                let pairs = self.pairs_in(*list, span)?;
                self.store.map(pairs)
            }
            (Builtin::MapToList, [map]) => {
                let pairs = self.at(self.store.as_map(*map), span)?.to_vec();
                let items = pairs.into_iter();
                let items: Vec<Value> = items.map(|(k, v)| self.store.tuple(vec![k, v])).collect();
                self.store.seq(items)
            }
            (Builtin::MapLookup, [map, key]) => self.map_lookup(*map, *key, span)?,
            (Builtin::MapMember, [map, key]) => {
                let place = self.at(self.store.map_position(*map, *key), span)?;
                self.store.bool(place.is_ok())
            }
            (Builtin::MapDelete, [map, key]) => {
                let mut pairs = self.at(self.store.as_map(*map), span)?.to_vec();
                if let Ok(at) = self.at(self.store.map_position(*map, *key), span)? {
                    pairs.remove(at);
                }
                self.store.map(pairs)
            }
            (Builtin::MapUpdate, [map, key, value]) => {
                let mut pairs = self.at(self.store.as_map(*map), span)?.to_vec();
                match self.at(self.store.map_position(*map, *key), span)? {
                    Ok(at) => pairs[at].1 = *value,
                    Err(at) => pairs.insert(at, (*key, *value)),
                }
                self.store.map(pairs)
            }
            (Builtin::MapUpdateMultiple, [map, list]) => {
                let mut pairs = self.at(self.store.as_map(*map), span)?.to_vec();
                // The first pair with a key counts, as if the last were inserted first.
                let mut more = self.pairs_in(*list, span)?;
                more.reverse();
                pairs.extend(more);
                self.store.map(pairs)
            }
            _ => return Ok(None),
        }))
    }

    fn map_lookup(&mut self, map: Value, key: Value, span: Span) -> Result<Value> {
        match self.at(self.store.map_position(map, key), span)? {
            Ok(at) => {
                let v = self.at(self.store.as_map(map), span)?[at].1;
                self.settled(v, span)
            }
            Err(_) => {
                let shown = self.store.show_short(key, &self.script);
                let text = format!("the map has no key `{shown}`");
                Err(self.fail_at("E0406", text, span))
            }
        }
    }

    /// The pairs of a sequence of pairs: the first parts evaluated.
    fn pairs_in(&mut self, list: Value, span: Span) -> Result<Vec<(Value, Value)>> {
        let items = self.listed(list, span)?;
        let mut pairs = Vec::with_capacity(items.len());
        for item in items.iter() {
            let item = self.settled(*item, span)?;
            let (key, value) = self.at(self.pair(item), span)?;
            let key = self.settled(key, span)?;
            pairs.push((self.whole(key, span)?, value));
        }
        Ok(pairs)
    }

    pub(super) fn pair(&self, v: Value) -> ValueResult<(Value, Value)> {
        match self.store.data(v) {
            Data::Tuple(parts) if parts.len() == 2 => Ok((parts[0], parts[1])),
            _ => Err(ValueError::Expected("a pair", v)),
        }
    }

    /// A sequence of characters as text, anything else as shown.
    pub(super) fn plain_text(&mut self, v: Value, span: Span) -> Result<String> {
        let v = self.whole(v, span)?;
        let chars = self.store.as_seq(v).ok().and_then(|items| {
            let chars = items.iter().map(|c| match self.store.data(*c) {
                Data::Char(c) => Some(*c),
                _ => None,
            });
            chars.collect::<Option<String>>()
        });
        Ok(chars.unwrap_or_else(|| self.store.show_short(v, &self.script)))
    }
}
