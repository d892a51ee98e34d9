//! The interner: values by their handles, and the constructors that keep the promises of [`Data`].

use super::buffers::Buffers;
use super::flags::ValueFlags;
use super::parts::for_each_child;
use super::{Data, LazySet, Value, ValueError, ValueResult};
use crate::script::core::{ChannelId, CtorId};
use crate::source::hash::IndexSet;

/// Hash-consed values. A [`Value`] is an index into it; equal data have equal indices. Values are added and never
/// change, so every fact about one stays true.
#[derive(Clone, Debug, Default)]
pub struct Interner {
    data: IndexSet<Data>,
    /// One for each value.
    flags: Vec<ValueFlags>,
    /// One for each value: how many values its text names.
    weights: Vec<u64>,
    /// The items of views: the one kind of value that does not hold its own.
    pub(super) buffers: Buffers,
    /// Of the values without the buffers.
    bytes: usize,
}

/// Bytes of a value without its parts, roughly.
const OVERHEAD: usize = 64;

impl Interner {
    /// The data behind a handle.
    #[must_use]
    pub fn data(&self, v: Value) -> &Data {
        &self.data[v.0 as usize]
    }
    /// The flags of a value: what occurs anywhere in it.
    #[must_use]
    pub fn flags(&self, v: Value) -> ValueFlags {
        self.flags[v.0 as usize]
    }
    /// The number of numbers, names and characters in the whole text of a value, at most [`u64::MAX`]. Parts are
    /// counted wherever they occur, so that this may be far more than the values that are stored; of a sequence that
    /// is a view, its items count one each.
    #[must_use]
    pub fn weight(&self, v: Value) -> u64 {
        self.weights[v.0 as usize]
    }
    /// All data, in the order of the handles.
    pub fn all(&self) -> impl Iterator<Item = &Data> {
        self.data.iter()
    }
    /// Number of values stored.
    #[must_use]
    pub fn len(&self) -> usize {
        self.data.len()
    }
    /// Whether nothing was stored yet.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.data.is_empty()
    }
    /// Bytes taken by the values, roughly.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.bytes + self.buffers.bytes()
    }

    /// The handle of data *as given*: sets and maps must be in order already. Shapes (see
    /// [`super::shapes`]) use it to keep their own order.
    pub fn intern(&mut self, data: Data) -> Value {
        // A value holds handles of its parts, so they were interned before it. Hence its index is
        // greater than theirs, and `flags` has an entry for each of them.
        let (index, new) = self.data.insert_full(data);
        if new {
            let data = &self.data[index];
            let (mut parts, mut occurring) = (0, ValueFlags::default());
            let mut weight = 0u64;
            for_each_child(data, &mut |part| {
                parts += 1;
                weight = weight.saturating_add(self.weights[part.0 as usize]);
                occurring = occurring.or(self.flags[part.0 as usize]);
            });
            if let Data::View { buffer, .. } = data {
                // A view has the flags of its whole buffer, perhaps more than its own items have. A
                // flag too many costs a useless walk over the value; one that is missing would leave
                // atoms unrenamed.
                occurring = self.buffers.flags(*buffer);
            }
            // One push for each new index: `flags[i]` always belongs to `data[i]`.
            self.flags.push(ValueFlags::of(data, occurring));
            self.weights.push(match data {
                // Their text does not name their parts.
                Data::Closure { .. } | Data::Suspended { .. } | Data::Applied(..) => 1,
                Data::View { start, end, .. } => end.saturating_sub(*start).max(1) as u64,
                _ => weight.max(1),
            });
            self.bytes += OVERHEAD + parts * size_of::<Value>();
            #[cfg(debug_assertions)]
            self.assert_consistent(Value(index as u32));
        }
        Value(index as u32)
    }

    /// Checks the invariants of a stored value. Sets and maps are sorted, too, but in shapes by another order (see
    /// [`super::shapes`]), which is not checked here.
    #[cfg(debug_assertions)]
    fn assert_consistent(&self, v: Value) {
        let partial = |part: &Value| self.flags(*part).is_partial();
        assert_eq!(self.flags.len(), self.data.len());
        // Parts are stored before the whole, so no value can contain itself.
        for_each_child(self.data(v), &mut |part| assert!(part < v));
        match self.data(v) {
            // One part stands for itself: otherwise it would have two handles.
            Data::Tuple(parts) | Data::Dot(parts) => assert_ne!(parts.len(), 1),
            // Without items it would be what follows.
            Data::Stream { items, .. } => assert!(!items.is_empty()),
            Data::View { start, end, .. } => assert!(start <= end),
            // Elements and keys are compared by handle, so they are evaluated to the last part.
            Data::Set(items) => assert!(items.iter().all(|item| !partial(item))),
            Data::Map(pairs) => assert!(pairs.iter().all(|pair| !partial(&pair.0))),
            _ => {}
        }
    }

    /// An integer.
    pub fn int(&mut self, i: i64) -> Value {
        self.intern(Data::Int(i))
    }
    /// A truth value.
    pub fn bool(&mut self, b: bool) -> Value {
        self.intern(Data::Bool(b))
    }
    /// A character.
    pub fn char(&mut self, c: char) -> Value {
        self.intern(Data::Char(c))
    }
    /// A string: a sequence of characters.
    pub fn string(&mut self, s: &str) -> Value {
        let chars: Vec<Value> = s.chars().map(|c| self.char(c)).collect();
        self.seq(chars)
    }
    /// A constructor without fields.
    pub fn ctor(&mut self, id: CtorId) -> Value {
        self.intern(Data::Ctor(id))
    }
    /// A channel without fields.
    pub fn channel(&mut self, id: ChannelId) -> Value {
        self.intern(Data::Channel(id))
    }
    /// A sequence.
    pub fn seq(&mut self, items: impl Into<Box<[Value]>>) -> Value {
        self.intern(Data::Seq(items.into()))
    }
    /// A tuple; one item is the item itself.
    pub fn tuple(&mut self, items: impl Into<Box<[Value]>>) -> Value {
        let items = items.into();
        match *items {
            [one] => one,
            _ => self.intern(Data::Tuple(items)),
        }
    }
    /// A dotted value with exactly these parts (no joining: see [`super::ValueStore::extend`]).
    pub fn dot(&mut self, parts: impl Into<Box<[Value]>>) -> Value {
        let parts = parts.into();
        match *parts {
            [one] => one,
            _ => self.intern(Data::Dot(parts)),
        }
    }
    /// A finite set: sorted, without duplicates.
    pub fn set(&mut self, mut items: Vec<Value>) -> Value {
        self.sort(&mut items);
        items.dedup();
        self.ascending_set(items)
    }
    /// A finite map; of equal keys the last wins.
    pub fn map(&mut self, mut pairs: Vec<(Value, Value)>) -> Value {
        // Sorting is stable and the first of equal keys stays, so the last given has to come first.
        pairs.reverse();
        pairs.sort_by(|a, b| self.compare(a.0, b.0));
        pairs.dedup_by_key(|p| p.0);
        self.intern(Data::Map(pairs.into()))
    }
    /// A set given by what belongs to it.
    pub fn lazy(&mut self, set: LazySet) -> Value {
        self.intern(Data::Lazy(set))
    }

    /// The integer that a value must be.
    ///
    /// # Errors
    /// If it is not one.
    pub fn as_int(&self, v: Value) -> ValueResult<i64> {
        match self.data(v) {
            Data::Int(i) => Ok(*i),
            _ => Err(ValueError::Expected("an integer", v)),
        }
    }
    /// The truth value that a value must be.
    ///
    /// # Errors
    /// If it is not one.
    pub fn as_bool(&self, v: Value) -> ValueResult<bool> {
        match self.data(v) {
            Data::Bool(b) => Ok(*b),
            _ => Err(ValueError::Expected("a Boolean", v)),
        }
    }
    /// The items of a sequence.
    ///
    /// # Errors
    /// If it is not a sequence.
    pub fn as_seq(&self, v: Value) -> ValueResult<&[Value]> {
        match self.data(v) {
            Data::Seq(items) => Ok(items),
            _ => Err(ValueError::Expected("a sequence", v)),
        }
    }
    /// Whether it is a sequence, known to its end or not.
    #[must_use]
    pub fn is_sequence(&self, v: Value) -> bool {
        let data = self.data(v);
        matches!(
            data,
            Data::Seq(_) | Data::View { .. } | Data::From(_) | Data::Stream { .. }
        )
    }
    /// The pairs of a map.
    ///
    /// # Errors
    /// If it is not a map.
    pub fn as_map(&self, v: Value) -> ValueResult<&[(Value, Value)]> {
        match self.data(v) {
            Data::Map(pairs) => Ok(pairs),
            _ => Err(ValueError::Expected("a map", v)),
        }
    }
    /// Checks that a value is a set.
    ///
    /// # Errors
    /// If it is not.
    pub fn expect_set(&self, v: Value) -> ValueResult<()> {
        match self.data(v) {
            Data::Set(_) | Data::Lazy(_) => Ok(()),
            _ => Err(ValueError::Expected("a set", v)),
        }
    }

    /// The place of a key in the pairs of a map, or the place where it would be inserted.
    ///
    /// # Errors
    /// If it is not a map.
    pub fn map_position(&self, map: Value, key: Value) -> ValueResult<Result<usize, usize>> {
        let pairs = self.as_map(map)?;
        Ok(pairs.binary_search_by(|p| self.compare(p.0, key)))
    }
}
