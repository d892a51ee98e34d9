//! The built-in functions.

use super::Evaluator;
use crate::process::term::TermData;
use crate::script::core::{BinOp, Builtin};
use crate::source::diagnostic::Result;
use crate::source::{Diagnostic, Span};
use crate::value::{Data, LazySet, Value, ValueError, ValueResult};

impl Evaluator {
    /// A built-in name on its own: a constant, or a function not applied yet.
    pub(super) fn builtin_value(&mut self, b: Builtin, span: Span) -> Result<Value> {
        Ok(match b {
            Builtin::True => self.store.bool(true),
            Builtin::False => self.store.bool(false),
            Builtin::IntSet => self.store.lazy(LazySet::Ints),
            Builtin::CharSet => self.store.lazy(LazySet::Chars),
            Builtin::BoolSet => {
                let both = vec![self.store.bool(false), self.store.bool(true)];
                self.store.set(both)
            }
            Builtin::EmptyMap => self.store.map(Vec::new()),
            Builtin::Events => self.events(span)?,
            Builtin::Stop => self.constant(TermData::Stop),
            Builtin::Skip => self.constant(TermData::Skip),
            Builtin::Div => self.constant(TermData::Div),
            Builtin::Proc | Builtin::TSkip | Builtin::TStop => {
                return Err(Self::refused(b, span));
            }
            _ => self.store.intern(Data::Builtin(b)),
        })
    }

    fn constant(&mut self, data: TermData) -> Value {
        let t = self.terms.intern(&self.store, data);
        self.process_value(t)
    }

    fn refused(b: Builtin, span: Span) -> Box<Diagnostic> {
        let message = format!("`{}` is not supported", b.name());
        Box::new(
            Diagnostic::error("E0601", span, message)
                .note("scripts that use it are loaded, but what depends on it cannot be evaluated"),
        )
    }

    /// Applies a built-in function.
    pub(super) fn builtin(&mut self, b: Builtin, args: &[Value], span: Span) -> Result<Value> {
        if let Some(v) = self.process_builtin(b, args, span)? {
            return Ok(v);
        }
        match (b, args) {
            (Builtin::Error, [text]) => {
                let text = self.plain_text(*text);
                Err(Box::new(Diagnostic::error(
                    "E0419",
                    span,
                    format!("the script reports: {text}"),
                )))
            }
            (Builtin::Extensions, [v]) => {
                let completions = self.store.completions(*v);
                let whole = self.at(completions, span)?;
                let rest = whole.into_iter().filter_map(|w| self.store.suffix(*v, w));
                let rest: Vec<Value> = rest.collect();
                Ok(self.store.set(rest))
            }
            (Builtin::Productions, [v]) => {
                let set = self.store.productions(vec![*v]);
                self.at(set, span)
            }
            (Builtin::Show, [v]) => {
                let text = self.store.show(*v, &self.script);
                Ok(self.store.string(&text))
            }
            _ => {
                let result = match self.data_builtin(b, args) {
                    Some(result) => result,
                    None => return Err(Self::misapplied(b, args.len(), span)),
                };
                self.at(result, span)
            }
        }
    }

    fn misapplied(b: Builtin, given: usize, span: Span) -> Box<Diagnostic> {
        let known = matches!(
            b,
            Builtin::MTransClose
                | Builtin::RelationalImage
                | Builtin::RelationalInverseImage
                | Builtin::Wait
                | Builtin::TimedPriority
        );
        if known {
            return Self::refused(b, span);
        }
        let message = format!("`{}` does not take {given} arguments", b.name());
        Box::new(Diagnostic::error("E0412", span, message))
    }

    /// A sequence of characters as text, anything else as shown.
    fn plain_text(&self, v: Value) -> String {
        let Ok(items) = self.store.as_seq(v) else {
            return self.store.show_short(v, &self.script);
        };
        let chars = items.iter().map(|c| match self.store.data(*c) {
            Data::Char(c) => Some(*c),
            _ => None,
        });
        let text: Option<String> = chars.collect();
        text.unwrap_or_else(|| self.store.show_short(v, &self.script))
    }

    /// The built-in functions on data; none if the name or the number of arguments is wrong.
    fn data_builtin(&mut self, b: Builtin, args: &[Value]) -> Option<ValueResult<Value>> {
        match (b, args) {
            (_, [x]) => self.unary_builtin(b, *x),
            (_, [x, y]) => self.binary_builtin(b, *x, *y),
            (Builtin::MapUpdate, [map, key, value]) => Some(self.map_update(*map, *key, *value)),
            _ => None,
        }
    }

    fn unary_builtin(&mut self, b: Builtin, x: Value) -> Option<ValueResult<Value>> {
        Some(match b {
            Builtin::BigUnion => self.as_plain_set(x).and_then(|s| self.store.big_union(s)),
            Builtin::BigInter => self.as_plain_set(x).and_then(|s| self.store.big_inter(s)),
            Builtin::Card => self
                .as_plain_set(x)
                .and_then(|s| self.store.card(s))
                .map(|n| self.store.int(n)),
            Builtin::Empty => self
                .as_plain_set(x)
                .and_then(|s| self.store.is_empty_set(s))
                .map(|b| self.store.bool(b)),
            Builtin::SetOf => self
                .store
                .as_seq(x)
                .map(<[Value]>::to_vec)
                .map(|items| self.store.set(items)),
            Builtin::Powerset => self.as_plain_set(x).and_then(|s| {
                let set = self.store.lazy(LazySet::Powerset(s));
                self.store.settle_set(set)
            }),
            Builtin::SeqsOver => self.as_plain_set(x).and_then(|s| {
                let set = self.store.lazy(LazySet::Seqs(s));
                self.store.settle_set(set)
            }),
            Builtin::SeqOf => self
                .as_plain_set(x)
                .and_then(|s| self.store.elements(s))
                .map(|items| self.store.seq(items.as_ref())),
            Builtin::Transpose => self.as_plain_set(x).and_then(|s| self.transpose(s)),
            Builtin::MapFromList => self.map_from_list(x),
            Builtin::MapToList => self.store.as_map(x).map(<[_]>::to_vec).map(|pairs| {
                let items = pairs.into_iter();
                let items: Vec<Value> = items.map(|(k, v)| self.store.tuple(vec![k, v])).collect();
                self.store.seq(items)
            }),
            _ => return self.sequence_builtin(b, x),
        })
    }

    fn sequence_builtin(&mut self, b: Builtin, x: Value) -> Option<ValueResult<Value>> {
        let items = match self.store.as_seq(x) {
            Ok(items) => items.to_vec(),
            Err(error) => {
                let applies = matches!(
                    b,
                    Builtin::Length
                        | Builtin::Null
                        | Builtin::Head
                        | Builtin::Tail
                        | Builtin::Concat
                );
                return applies.then_some(Err(error));
            }
        };
        let none = |name: &str| ValueError::Other(format!("`{name}` of the empty sequence"));
        Some(match b {
            Builtin::Length => Ok(self.store.int(items.len() as i64)),
            Builtin::Null => Ok(self.store.bool(items.is_empty())),
            Builtin::Head => items.first().copied().ok_or_else(|| none("head")),
            Builtin::Tail => match items.split_first() {
                Some((_, rest)) => Ok(self.store.seq(rest)),
                None => Err(none("tail")),
            },
            Builtin::Concat => {
                let mut all = Vec::new();
                for item in items {
                    match self.store.as_seq(item) {
                        Ok(more) => all.extend_from_slice(more),
                        Err(error) => return Some(Err(error)),
                    }
                }
                Ok(self.store.seq(all))
            }
            _ => return None,
        })
    }

    fn binary_builtin(&mut self, b: Builtin, x: Value, y: Value) -> Option<ValueResult<Value>> {
        Some(match b {
            Builtin::Union | Builtin::Inter | Builtin::Diff => {
                let (a, c) = match (self.as_plain_set(x), self.as_plain_set(y)) {
                    (Ok(a), Ok(c)) => (a, c),
                    (Err(error), _) | (_, Err(error)) => return Some(Err(error)),
                };
                match b {
                    Builtin::Union => self.store.union(a, c),
                    Builtin::Inter => self.store.inter(a, c),
                    _ => self.store.diff(a, c),
                }
            }
            Builtin::Member => self
                .as_plain_set(y)
                .and_then(|s| self.store.contains(s, x))
                .map(|b| self.store.bool(b)),
            Builtin::Elem => {
                let found = self.store.as_seq(y).map(|items| items.contains(&x));
                found.map(|b| self.store.bool(b))
            }
            Builtin::MapLookup => self.map_lookup(x, y),
            Builtin::MapMember => {
                let found = self.store.map_position(x, y);
                found.map(|p| self.store.bool(p.is_ok()))
            }
            Builtin::MapDelete => self.map_delete(x, y),
            Builtin::MapUpdateMultiple => self.map_update_multiple(x, y),
            Builtin::MapsOver => self.maps_over(x, y),
            _ => return None,
        })
    }

    /// `Map(K, V)`: all maps from some of the keys to the values.
    fn maps_over(&mut self, keys: Value, values: Value) -> ValueResult<Value> {
        let (keys, values) = (self.as_plain_set(keys)?, self.as_plain_set(values)?);
        let (keys, range) = (self.store.elements(keys)?, self.store.elements(values)?);
        let mut maps: Vec<Vec<(Value, Value)>> = vec![Vec::new()];
        for key in keys.iter() {
            let longer = maps.iter().flat_map(|map| {
                range.iter().map(move |v| {
                    let mut map = map.clone();
                    map.push((*key, *v));
                    map
                })
            });
            let longer: Vec<_> = longer.take(self.limits.elements_max + 1).collect();
            maps.extend(longer);
            if maps.len() > self.limits.elements_max {
                return Err(ValueError::TooLarge(values));
            }
        }
        let maps = maps
            .into_iter()
            .map(|pairs| self.store.map(pairs))
            .collect();
        Ok(self.store.set(maps))
    }

    /// `<=` on maps: every key of the first is one of the second, with a value at most as large.
    fn submap(&mut self, s: &[(Value, Value)], t: &[(Value, Value)]) -> ValueResult<bool> {
        for (key, v) in s {
            let Some((_, w)) = t.iter().find(|pair| pair.0 == *key) else {
                return Ok(false);
            };
            if !self.equal(*v, *w)? && !self.at_most(*v, *w)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn as_plain_set(&mut self, v: Value) -> ValueResult<Value> {
        self.store.as_set(v).ok_or(ValueError::Expected("a set", v))
    }

    fn transpose(&mut self, set: Value) -> ValueResult<Value> {
        let pairs = self.store.elements(set)?;
        let mut swapped = Vec::with_capacity(pairs.len());
        for pair in pairs.iter() {
            let (a, b) = self.pair(*pair)?;
            swapped.push(self.store.tuple(vec![b, a]));
        }
        Ok(self.store.set(swapped))
    }

    fn pair(&self, v: Value) -> ValueResult<(Value, Value)> {
        match self.store.data(v) {
            Data::Tuple(parts) if parts.len() == 2 => Ok((parts[0], parts[1])),
            _ => Err(ValueError::Expected("a pair", v)),
        }
    }

    fn pairs_in(&self, list: Value) -> ValueResult<Vec<(Value, Value)>> {
        let items = self.store.as_seq(list)?;
        items.iter().map(|item| self.pair(*item)).collect()
    }

    fn map_from_list(&mut self, list: Value) -> ValueResult<Value> {
        let pairs = self.pairs_in(list)?;
        Ok(self.store.map(pairs))
    }

    fn map_lookup(&mut self, map: Value, key: Value) -> ValueResult<Value> {
        match self.store.map_position(map, key)? {
            Ok(at) => Ok(self.store.as_map(map)?[at].1),
            Err(_) => {
                let shown = self.store.show_short(key, &self.script);
                let text = format!("the map has no key `{shown}`");
                Err(ValueError::Other(text))
            }
        }
    }

    fn map_delete(&mut self, map: Value, key: Value) -> ValueResult<Value> {
        let mut pairs = self.store.as_map(map)?.to_vec();
        if let Ok(at) = self.store.map_position(map, key)? {
            pairs.remove(at);
        }
        Ok(self.store.map(pairs))
    }

    fn map_update(&mut self, map: Value, key: Value, value: Value) -> ValueResult<Value> {
        let mut pairs = self.store.as_map(map)?.to_vec();
        match self.store.map_position(map, key)? {
            Ok(at) => pairs[at].1 = value,
            Err(at) => pairs.insert(at, (key, value)),
        }
        Ok(self.store.map(pairs))
    }

    fn map_update_multiple(&mut self, map: Value, list: Value) -> ValueResult<Value> {
        let mut pairs = self.store.as_map(map)?.to_vec();
        pairs.extend(self.pairs_in(list)?);
        Ok(self.store.map(pairs))
    }

    /// `==`, `<` and so on: numeric, prefix order on sequences, inclusion on sets and maps,
    /// lexicographic on tuples.
    pub(super) fn comparison(&mut self, op: BinOp, x: Value, y: Value) -> ValueResult<bool> {
        match op {
            BinOp::Eq => self.equal(x, y),
            BinOp::Ne => self.equal(x, y).map(|b| !b),
            BinOp::Le => self.at_most(x, y),
            BinOp::Ge => self.at_most(y, x),
            BinOp::Lt => Ok(!self.equal(x, y)? && self.at_most(x, y)?),
            _ => Ok(!self.equal(x, y)? && self.at_most(y, x)?),
        }
    }

    fn equal(&mut self, x: Value, y: Value) -> ValueResult<bool> {
        for v in [x, y] {
            let what = match self.store.data(v) {
                Data::Process(_) => "data to compare, not a process",
                Data::Closure { .. } | Data::Builtin(_) => "data to compare, not a function",
                _ => continue,
            };
            return Err(ValueError::Expected(what, v));
        }
        if x == y {
            return Ok(true);
        }
        match (self.store.data(x), self.store.data(y)) {
            (Data::Lazy(_), Data::Set(_) | Data::Lazy(_)) | (Data::Set(_), Data::Lazy(_)) => {
                let (x, y) = (self.store.realise(x)?, self.store.realise(y)?);
                match (self.store.data(x), self.store.data(y)) {
                    // These are in a normal form.
                    (
                        Data::Lazy(LazySet::Ints | LazySet::From(_) | LazySet::Chars),
                        Data::Lazy(LazySet::Ints | LazySet::From(_) | LazySet::Chars),
                    ) => Ok(x == y),
                    (Data::Lazy(_), Data::Lazy(_)) if x != y => Err(ValueError::Infinite(x)),
                    _ => Ok(x == y),
                }
            }
            _ => Ok(false),
        }
    }

    fn at_most(&mut self, x: Value, y: Value) -> ValueResult<bool> {
        let (a, b) = (self.store.data(x).clone(), self.store.data(y).clone());
        match (&a, &b) {
            (Data::Int(_), Data::Int(_))
            | (Data::Char(_), Data::Char(_))
            | (Data::Bool(_), Data::Bool(_)) => Ok(self.store.compare(x, y).is_le()),
            (Data::Seq(s), Data::Seq(t)) => Ok(t.starts_with(s)),
            (Data::Set(_) | Data::Lazy(_), Data::Set(_) | Data::Lazy(_)) => self.store.subset(x, y),
            (Data::Map(s), Data::Map(t)) => self.submap(s, t),
            (Data::Tuple(s), Data::Tuple(t)) => {
                for (v, w) in s.iter().zip(t) {
                    if !self.equal(*v, *w)? {
                        return self.at_most(*v, *w);
                    }
                }
                Ok(true)
            }
            _ => Err(ValueError::Expected("values that have an order", x)),
        }
    }
}
