//! Dotted values: constructed data, events, and how they grow field by field.

use super::declared::FieldSets;
use super::interner::Interner;
use super::{Data, LazySet, Value};
use crate::script::core::ChannelId;

/// Questions about dotted values, constructors and channels: what they have, and what they lack.
#[derive(Clone, Copy, Debug)]
pub struct Dotted<'a> {
    values: &'a Interner,
    declared: &'a FieldSets,
}

impl<'a> Dotted<'a> {
    pub(super) fn of(values: &'a Interner, declared: &'a FieldSets) -> Self {
        Self { values, declared }
    }

    /// The number of fields that a constructor or channel takes; 0 for any other value.
    #[must_use]
    pub fn arity(self, head: Value) -> usize {
        self.fields_of(head).len()
    }

    /// The field sets of a constructor or channel.
    pub(super) fn fields_of(self, head: Value) -> &'a [Value] {
        let fields = match self.values.data(head) {
            Data::Ctor(id) => self.declared.ctor(*id),
            Data::Channel(id) => self.declared.channel(*id),
            _ => None,
        };
        fields.map_or(&[], |f| f)
    }

    /// The parts of a dotted value; any other value is its own only part.
    #[must_use]
    pub fn parts(self, v: Value) -> Vec<Value> {
        match self.values.data(v) {
            Data::Dot(parts) => parts.to_vec(),
            _ => vec![v],
        }
    }

    /// The parts of a value between dots, dotted parts flattened.
    #[must_use]
    pub fn leaves(self, v: Value) -> Vec<Value> {
        let (mut found, mut open) = (Vec::new(), vec![v]);
        while let Some(value) = open.pop() {
            match self.values.data(value) {
                Data::Dot(parts) => open.extend(parts.iter().rev()),
                _ => found.push(value),
            }
        }
        found
    }

    /// The channel at the head of an event or partial event.
    #[must_use]
    pub fn channel_of(self, v: Value) -> Option<ChannelId> {
        match self.values.data(v) {
            Data::Channel(id) => Some(*id),
            Data::Dot(parts) => match self.values.data(parts[0]) {
                Data::Channel(id) => Some(*id),
                _ => None,
            },
            _ => None,
        }
    }

    /// Whether it is a constructor or channel that takes fields, with or without some of them.
    fn is_constructed(self, v: Value) -> bool {
        match self.values.data(v) {
            Data::Dot(parts) => self.arity(parts[0]) > 0,
            _ => self.arity(v) > 0,
        }
    }

    /// The field sets that a constructor, channel or event still lacks, in order: first those of an
    /// incomplete last field. Empty for every other value.
    #[must_use]
    pub fn missing(self, v: Value) -> Vec<Value> {
        let Data::Dot(parts) = self.values.data(v) else {
            return self.fields_of(v).to_vec();
        };
        let last = parts[parts.len() - 1];
        // The last part may be a constructor that is still being filled: `c.Pair.1` lacks the
        // second field of `Pair` before it lacks the second field of `c`.
        let mut missing = self.missing(last);
        // The head is no field.
        let given = parts.len() - 1;
        missing.extend(self.fields_of(parts[0]).iter().skip(given));
        missing
    }

    /// The number of fields that are missing entirely, those of an incomplete field not counted.
    fn own_missing(self, v: Value) -> usize {
        match self.values.data(v) {
            // The head counts as a part, hence the 1. A value may have more parts than its head
            // takes fields (a plain number dotted on has arity 0), so the difference is cut at 0.
            Data::Dot(parts) => (self.arity(parts[0]) + 1).saturating_sub(parts.len()),
            _ => self.arity(v),
        }
    }

    /// Whether its last field is begun and lacks fields of its own.
    #[must_use]
    pub fn is_begun(self, v: Value) -> bool {
        match self.values.data(v) {
            Data::Dot(parts) => !self.is_complete(parts[parts.len() - 1]),
            _ => false,
        }
    }

    /// Whether nothing can be appended to it: nothing is [`Dotted::missing`].
    #[must_use]
    pub fn is_complete(self, v: Value) -> bool {
        self.own_missing(v) == 0 && !self.is_begun(v)
    }

    /// Whether it is an event with all its fields.
    #[must_use]
    pub fn is_event(self, v: Value) -> bool {
        self.channel_of(v).is_some() && self.is_complete(v)
    }
}

/// `a.b`. If the last field of `a` is a constructor that lacks fields, `b` goes into it;
/// otherwise it is appended.
pub(super) fn extend(values: &mut Interner, declared: &FieldSets, a: Value, b: Value) -> Value {
    let dotted = Dotted::of(values, declared);
    if let Data::Dot(parts) = values.data(b)
        && !dotted.is_constructed(b)
    {
        let parts = parts.clone();
        // A dot that is not constructed has no meaning as a whole: `c.(1.2)` is `c.1.2`, and
        // each part goes where it belongs. A constructed one below stays a single field.
        return parts
            .iter()
            .fold(a, |dot, part| extend(values, declared, dot, *part));
    }
    let of_a = match values.data(a) {
        Data::Dot(parts) => parts,
        _ => std::slice::from_ref(&a),
    };
    let (before, last) = (&of_a[..of_a.len() - 1], of_a[of_a.len() - 1]);
    if !before.is_empty() && !dotted.is_complete(last) {
        // The open field takes what comes, however deep: `extend` finds the innermost one.
        let mut parts = of_a.to_vec();
        let filled = extend(values, declared, last, b);
        let end = parts.len() - 1;
        parts[end] = filled;
        return values.dot(parts);
    }
    // A complete constructed value is one part of whatever it is dotted into.
    let full = !before.is_empty() && of_a.len() > dotted.arity(of_a[0]);
    if full && dotted.is_constructed(a) {
        return values.dot([a, b]);
    }
    let parts = [of_a, &[b]].concat();
    values.dot(parts)
}

/// Dots parts together from left to right.
pub(super) fn join(values: &mut Interner, declared: &FieldSets, parts: &[Value]) -> Value {
    let mut parts = parts.iter();
    let first = parts.next().copied();
    let empty = first.unwrap_or_else(|| values.seq([]));
    parts.fold(empty, |dot, part| extend(values, declared, dot, *part))
}

/// Whether `v` extends `prefix`, as in `prefix.…`.
pub(super) fn is_extension(values: &Interner, prefix: Value, v: Value) -> bool {
    if prefix == v {
        return true;
    }
    let Data::Dot(whole) = values.data(v) else {
        return false;
    };
    let Data::Dot(start) = values.data(prefix) else {
        return whole[0] == prefix;
    };
    let last = start.len() - 1;
    // All parts but the last must be the same. The last of the prefix may be a constructor that
    // is filled further in `v`, so it is asked in its turn.
    start.len() <= whole.len()
        && start[..last] == whole[..last]
        && is_extension(values, start[last], whole[last])
}

/// The part of `v` that follows `prefix`, if `v` extends it: one value, or a dotted one.
pub fn suffix(values: &mut Interner, prefix: Value, v: Value) -> Option<Value> {
    let rest = suffix_parts(values, prefix, v)?;
    if rest.is_empty() {
        None
    } else {
        Some(values.dot(rest))
    }
}

fn suffix_parts(values: &Interner, prefix: Value, v: Value) -> Option<Vec<Value>> {
    if prefix == v {
        return Some(Vec::new());
    }
    let Data::Dot(whole) = values.data(v) else {
        return None;
    };
    let Data::Dot(start) = values.data(prefix) else {
        return (whole[0] == prefix).then(|| whole[1..].to_vec());
    };
    let last = start.len() - 1;
    if start.len() > whole.len() || start[..last] != whole[..last] {
        return None;
    }
    // First what completes the begun field, then the fields behind it: the order of `missing`.
    let mut rest = suffix_parts(values, start[last], whole[last])?;
    rest.extend(&whole[start.len()..]);
    Some(rest)
}

/// The columns of a finite set whose elements are dotted values that are not constructed, if it
/// is one: the sets of their first, second, … parts.
pub(super) fn columns(
    values: &mut Interner,
    declared: &FieldSets,
    set: Value,
) -> Option<Vec<Value>> {
    let Data::Set(items) = values.data(set) else {
        return None;
    };
    let items = items.clone();
    let mut columns: Vec<Vec<Value>> = Vec::new();
    for item in items.iter() {
        let Data::Dot(parts) = values.data(*item) else {
            return None;
        };
        // A constructed element is a single field, and columns of different length would not be
        // columns.
        if Dotted::of(values, declared).is_constructed(*item)
            || !(columns.is_empty() || columns.len() == parts.len())
        {
            return None;
        }
        columns.resize(parts.len(), Vec::new());
        for (column, part) in columns.iter_mut().zip(parts) {
            column.push(*part);
        }
    }
    let columns: Vec<Value> = columns.into_iter().map(|c| values.set(c)).collect();
    (!columns.is_empty()).then_some(columns)
}

/// Reads a value as a set: sets are sets, a dotted value of sets is their product, a tuple of
/// sets is the set of tuples (as in channel declarations and `?x:A.B`).
pub fn as_set(values: &mut Interner, v: Value) -> Option<Value> {
    match values.data(v).clone() {
        Data::Set(_) | Data::Lazy(_) => Some(v),
        Data::Dot(parts) => {
            let sets = all_sets(values, &parts)?;
            // A product within a product is flattened: dots are associative, and one form makes
            // equal products equal handles.
            let factors = sets.iter().flat_map(|s| factors(values, *s)).collect();
            Some(values.lazy(LazySet::Product(factors)))
        }
        Data::Tuple(parts) => {
            let sets = all_sets(values, &parts)?;
            Some(values.lazy(LazySet::Tuples(sets.into())))
        }
        _ => None,
    }
}

fn all_sets(values: &mut Interner, parts: &[Value]) -> Option<Vec<Value>> {
    parts.iter().map(|p| as_set(values, *p)).collect()
}

/// The sets that a product is made of; any other set is its own only factor.
#[must_use]
pub fn factors(values: &Interner, set: Value) -> Vec<Value> {
    match values.data(set) {
        Data::Lazy(LazySet::Product(sets)) => sets.to_vec(),
        _ => vec![set],
    }
}
