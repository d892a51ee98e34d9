//! The interner of values, their constructors and their total order.

use std::cell::Cell;
use std::cmp::Ordering;
use std::rc::Rc;

use super::{Data, LazySet, Value, ValueError, ValueResult};
use crate::script::core::{ChannelId, CtorId, TypeId};
use crate::source::hash::{IndexSet, Map, Set};
use crate::source::stack::deep;
use crate::source::{Cancel, Limits};
use crate::value::atoms::SplitMemo;
use crate::value::views::Views;

/// The field sets of one constructor or channel, one a field.
pub type Fields = Rc<[Value]>;

/// The constructors of a datatype with their field sets.
pub type Clauses = Rc<[(CtorId, Fields)]>;

/// Fields that must belong to a set together: a field set whose elements are themselves dotted,
/// as in `channel c : {0.1, 1.0}`, stands for several fields that depend on each other.
#[derive(Clone, Copy, Debug)]
pub struct Joint {
    /// The first of the fields, from 0.
    pub start: usize,
    /// How many fields follow each other in it.
    pub width: usize,
    /// What their values dotted together must belong to.
    pub set: Value,
}

/// What the store must know of declarations: the field sets of channels, constructors and
/// datatypes. `eval` fills it in before it makes the first value that depends on it.
#[derive(Debug, Default)]
pub struct Signature {
    channels: Vec<Option<Fields>>,
    ctors: Vec<Option<Fields>>,
    types: Vec<Option<Clauses>>,
}

impl Signature {
    /// The field sets of a channel; none if it is not known yet.
    #[must_use]
    pub fn channel(&self, id: ChannelId) -> Option<&Fields> {
        self.channels.get(id.0 as usize)?.as_ref()
    }
    /// The field sets of a constructor; none if it is not known yet.
    #[must_use]
    pub fn ctor(&self, id: CtorId) -> Option<&Fields> {
        self.ctors.get(id.0 as usize)?.as_ref()
    }
    /// The constructors of a datatype or subtype with their field sets there.
    #[must_use]
    pub fn datatype(&self, id: TypeId) -> Option<&Clauses> {
        self.types.get(id.0 as usize)?.as_ref()
    }
    /// How many channels are declared.
    #[must_use]
    pub fn channel_count(&self) -> u32 {
        self.channels.len() as u32
    }
}

/// Hash-consed values. A [`Value`] is an index into it; equal data have equal indices.
#[derive(Debug)]
pub struct Store {
    pub(super) data: IndexSet<Data>,
    signature: Signature,
    pub(super) limits: Limits,
    pub(super) cancel: Cancel,
    pub(super) enumerated: Map<Value, Rc<[Value]>>,
    pub(super) members: Map<Value, Set<Value>>,
    pub(super) joint: Map<Value, Vec<Joint>>,
    pub(super) split_memo: SplitMemo,
    pub(super) views: Views,
    /// One flag word a value, computed when it is interned.
    flags: Vec<u8>,
    bytes: usize,
    /// How often [`Store::look`] was asked.
    pub(super) looks: Cell<u32>,
}

/// The value has a [`Data::Hole`] somewhere.
const HOLE: u8 = 1;
/// The value has a constructor somewhere, so it may have atoms.
const CTOR: u8 = 2;
/// The value has a process somewhere.
const PROCESS: u8 = 4;
/// The value has a part that is not evaluated yet, other than in the environment of a function.
const SUSPENDED: u8 = 8;
/// The value has a set or sequence that is not listed: an equal value may have another handle.
const LAZY: u8 = 16;
/// The value has a [`Data::View`] somewhere: an equal value may have another handle.
const VIEW: u8 = 32;
/// What the interner needs for a value apart from its parts, roughly.
const OVERHEAD: usize = 56;

impl Store {
    /// An empty store for a script with this many channels, constructors and types.
    #[must_use]
    pub fn new(limits: &Limits, channels: usize, ctors: usize, types: usize) -> Self {
        Self {
            data: IndexSet::default(),
            signature: Signature {
                channels: vec![None; channels],
                ctors: vec![None; ctors],
                types: vec![None; types],
            },
            limits: limits.clone(),
            cancel: Cancel::default(),
            enumerated: Map::default(),
            members: Map::default(),
            joint: Map::default(),
            split_memo: SplitMemo::default(),
            views: Views::default(),
            flags: Vec::new(),
            bytes: 0,
            looks: Cell::default(),
        }
    }

    /// The declared field sets.
    #[must_use]
    pub fn signature(&self) -> &Signature {
        &self.signature
    }
    /// Tells the field sets of a channel.
    pub fn declare_channel(&mut self, id: ChannelId, fields: Vec<Value>) {
        if let Some(slot) = self.signature.channels.get_mut(id.0 as usize) {
            *slot = Some(fields.into());
        }
    }
    /// Tells the field sets of a constructor.
    pub fn declare_ctor(&mut self, id: CtorId, fields: Vec<Value>) {
        if let Some(slot) = self.signature.ctors.get_mut(id.0 as usize) {
            *slot = Some(fields.into());
        }
    }
    /// Tells which fields of a constructor or channel depend on each other.
    pub fn declare_joint(&mut self, head: Value, joint: Vec<Joint>) {
        if !joint.is_empty() {
            self.joint.insert(head, joint);
        }
    }
    /// Tells the constructors of a datatype or subtype.
    pub fn declare_type(&mut self, id: TypeId, clauses: Vec<(CtorId, Fields)>) {
        if let Some(slot) = self.signature.types.get_mut(id.0 as usize) {
            *slot = Some(clauses.into());
        }
    }

    /// The data behind a handle.
    #[must_use]
    pub fn data(&self, v: Value) -> &Data {
        &self.data[v.0 as usize]
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

    /// The handle of data *as given*: sets and maps must be in order already. Shapes (see
    /// [`super::atoms`]) use it to keep their own order.
    pub fn intern(&mut self, data: Data) -> Value {
        // A value holds handles of its parts, so they were interned before it. Hence its index is
        // greater than theirs, and `flags` has an entry for each of them.
        let (index, new) = self.data.insert_full(data);
        if new {
            let flags = self.flags_of(index);
            // One push for each new index: `flags[i]` always belongs to `data[i]`.
            self.flags.push(flags);
            self.bytes += OVERHEAD;
            #[cfg(debug_assertions)]
            self.assert_consistent(Value(index as u32));
        }
        Value(index as u32)
    }

    /// What every value promises when it is stored. Sets and maps are in order, too, but in shapes
    /// by an order of their own (see [`super::atoms`]), so that is not looked at here.
    #[cfg(debug_assertions)]
    fn assert_consistent(&self, v: Value) {
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
            Data::Set(items) => assert!(items.iter().all(|item| !self.is_partial(*item))),
            Data::Map(pairs) => assert!(pairs.iter().all(|pair| !self.is_partial(pair.0))),
            _ => {}
        }
    }

    fn flags_of(&mut self, index: usize) -> u8 {
        let mut flags = match &self.data[index] {
            Data::Hole { .. } => HOLE,
            Data::Ctor(_) => CTOR,
            Data::Process(_) => PROCESS,
            // A view has the flags of its whole buffer, perhaps more than its own items have. A
            // flag too many costs a useless walk over the value; one that is missing would leave
            // atoms unrenamed.
            Data::View { buffer, .. } => VIEW | self.views.flags(*buffer),
            _ => 0,
        };
        // Everything but what is said below holds of a value if it holds of a part.
        let mut parts = 0;
        for_each_child(&self.data[index], &mut |v| {
            parts += 1;
            flags |= self.flags[v.0 as usize];
        });
        self.bytes += parts * size_of::<Value>();
        match &self.data[index] {
            // A value that is equal may be listed, or be made in another way.
            Data::Lazy(_) | Data::From(_) => flags | LAZY,
            // Functions are not compared, so what one captures need not be evaluated.
            Data::Closure { .. } => flags & !SUSPENDED,
            Data::Suspended { .. } => flags | SUSPENDED,
            _ => flags,
        }
    }

    pub(super) fn flags_at(&self, v: Value) -> u8 {
        self.flags[v.0 as usize]
    }
    pub(super) fn count_bytes(&mut self, more: usize) {
        self.bytes += more;
    }
    /// Whether a [`Data::View`] occurs in it.
    #[must_use]
    pub fn has_view(&self, v: Value) -> bool {
        self.flags[v.0 as usize] & VIEW != 0
    }

    /// Bytes taken by the values, roughly.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.bytes
    }
    /// Whether no other value has the same meaning: it has no part that is not evaluated, and no
    /// set that is not listed.
    #[must_use]
    pub fn is_plain(&self, v: Value) -> bool {
        self.flags[v.0 as usize] & (SUSPENDED | LAZY | VIEW) == 0
    }
    /// Whether a part of it is not evaluated yet, or is a view: then its handle says nothing about
    /// equality.
    #[must_use]
    pub fn is_partial(&self, v: Value) -> bool {
        self.flags[v.0 as usize] & (SUSPENDED | VIEW) != 0
    }

    /// Whether a [`Data::Hole`] occurs in it.
    #[must_use]
    pub fn has_hole(&self, v: Value) -> bool {
        self.flags[v.0 as usize] & HOLE != 0
    }
    /// Whether a constructor or a process occurs in it: only then can it have atoms.
    #[must_use]
    pub fn may_have_atoms(&self, v: Value) -> bool {
        self.flags[v.0 as usize] & (CTOR | PROCESS) != 0
    }
    /// Whether a process occurs in it.
    #[must_use]
    pub fn has_process(&self, v: Value) -> bool {
        self.flags[v.0 as usize] & PROCESS != 0
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
    /// A tuple; one item stands for itself.
    pub fn tuple(&mut self, items: impl Into<Box<[Value]>>) -> Value {
        let items = items.into();
        match *items {
            [one] => one,
            _ => self.intern(Data::Tuple(items)),
        }
    }
    /// A dotted value with exactly these parts (no joining: see [`Store::extend`]).
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

    /// Sorts by [`Store::compare`].
    pub fn sort(&self, items: &mut [Value]) {
        items.sort_by(|a, b| self.compare(*a, *b));
    }

    /// The total order of values: by structure, never by handle, so it is the same on every run.
    /// Integers are ordered by size, constructors and channels by declaration, the rest
    /// lexicographically.
    #[must_use]
    pub fn compare(&self, a: Value, b: Value) -> Ordering {
        if a == b {
            // Shared parts have equal handles, so there is only something to walk over where the
            // values differ.
            return Ordering::Equal;
        }
        deep(|| match (self.data(a), self.data(b)) {
            // A value that is not dotted counts as its own only part, so that the constructors of a
            // type are in order whether they have fields or not.
            (Data::Dot(x), y) if !matches!(y, Data::Dot(_)) => self.compare_slices(x, &[b]),
            (x, Data::Dot(y)) if !matches!(x, Data::Dot(_)) => self.compare_slices(&[a], y),
            (x, y) => self.compare_data(x, y),
        })
    }

    /// [`Store::compare`] on slices, lexicographically.
    #[must_use]
    pub fn compare_slices(&self, a: &[Value], b: &[Value]) -> Ordering {
        for (x, y) in a.iter().zip(b) {
            let order = self.compare(*x, *y);
            if order.is_ne() {
                return order;
            }
        }
        a.len().cmp(&b.len())
    }

    fn compare_data(&self, a: &Data, b: &Data) -> Ordering {
        match (a, b) {
            (Data::Int(x), Data::Int(y)) => x.cmp(y),
            (Data::Bool(x), Data::Bool(y)) => x.cmp(y),
            (Data::Char(x), Data::Char(y)) => x.cmp(y),
            (Data::Ctor(x), Data::Ctor(y)) => x.cmp(y),
            (Data::Channel(x), Data::Channel(y)) => x.cmp(y),
            (Data::Builtin(x), Data::Builtin(y)) => x.cmp(y),
            (Data::Process(x), Data::Process(y)) => x.cmp(y),
            (Data::Tuple(x), Data::Tuple(y))
            | (Data::Seq(x), Data::Seq(y))
            | (Data::Dot(x), Data::Dot(y))
            | (Data::Set(x), Data::Set(y)) => self.compare_slices(x, y),
            (Data::Map(x), Data::Map(y)) => self.compare_maps(x, y),
            (Data::Lazy(x), Data::Lazy(y)) => self.compare_lazy(x, y),
            (Data::From(x), Data::From(y)) => x.cmp(y),
            (Data::Stream { items: x, rest: r }, Data::Stream { items: y, rest: s }) => {
                self.compare_slices(x, y).then_with(|| self.compare(*r, *s))
            }
            (Data::Applied(f, x), Data::Applied(g, y)) => {
                f.cmp(g).then_with(|| self.compare_slices(x, y))
            }
            (Data::Closure { code: c, env: x }, Data::Closure { code: d, env: y })
            | (Data::Suspended { code: c, env: x }, Data::Suspended { code: d, env: y }) => {
                c.cmp(d).then_with(|| self.compare_slices(x, y))
            }
            // The type before the position: holes of one symmetric type stand together.
            (Data::Hole { kind: j, index: x }, Data::Hole { kind: k, index: y }) => {
                (j, x).cmp(&(k, y))
            }
            // Sequence against view, or the reverse: a view is no kind of its own in this order.
            (Data::View { .. }, _) | (_, Data::View { .. }) => self.compare_views(a, b),
            _ => rank(a).cmp(&rank(b)),
        }
    }

    /// A view counts as the sequence that it stands for.
    fn compare_views(&self, a: &Data, b: &Data) -> Ordering {
        match (self.listed_items(a), self.listed_items(b)) {
            (Some(x), Some(y)) => self.compare_slices(&x, &y),
            _ => rank(a).cmp(&rank(b)),
        }
    }

    fn compare_maps(&self, a: &[(Value, Value)], b: &[(Value, Value)]) -> Ordering {
        for (x, y) in a.iter().zip(b) {
            let order = self.compare(x.0, y.0).then_with(|| self.compare(x.1, y.1));
            if order.is_ne() {
                return order;
            }
        }
        a.len().cmp(&b.len())
    }

    fn compare_lazy(&self, a: &LazySet, b: &LazySet) -> Ordering {
        let by_rank = lazy_rank(a).cmp(&lazy_rank(b));
        if by_rank.is_ne() {
            return by_rank;
        }
        match (a, b) {
            (LazySet::Ints(x), LazySet::Ints(y)) => x.cmp(y),
            (LazySet::Datatype(x), LazySet::Datatype(y)) => x.cmp(y),
            _ => self.compare_slices(&lazy_children(a), &lazy_children(b)),
        }
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
    /// Where a key is, or would be, in the pairs of a map.
    ///
    /// # Errors
    /// If it is not a map.
    pub fn map_position(&self, map: Value, key: Value) -> ValueResult<Result<usize, usize>> {
        let pairs = self.as_map(map)?;
        Ok(pairs.binary_search_by(|p| self.compare(p.0, key)))
    }
}

/// The order of the kinds of data among each other.
/// Holes come first: the paper puts distinguished values before the other values of their supertype
/// (Def. 36, step 1).
fn rank(data: &Data) -> u8 {
    match data {
        Data::Hole { .. } => 0,
        Data::Int(_) => 1,
        Data::Bool(_) => 2,
        Data::Char(_) => 3,
        Data::Ctor(_) => 4,
        Data::Channel(_) => 5,
        Data::Dot(_) => 6,
        Data::Tuple(_) => 7,
        // A view is compared as the sequence that it stands for.
        Data::Seq(_) | Data::View { .. } => 8,
        Data::Set(_) => 9,
        Data::Map(_) => 10,
        // The numbers decide the order of elements in sets, and so the order of events and states
        // that a reader sees. To renumber them would move results.
        Data::Lazy(_) => 11,
        Data::Builtin(_) => 12,
        Data::Closure { .. } => 13,
        Data::Process(_) => 14,
        Data::From(_) => 15,
        Data::Stream { .. } => 16,
        Data::Applied(..) => 17,
        Data::Suspended { .. } => 18,
    }
}

fn lazy_rank(set: &LazySet) -> u8 {
    match set {
        LazySet::Ints(_) => 0,
        // Only the order of the numbers counts, not that there are gaps.
        LazySet::Chars => 2,
        LazySet::Seqs(_) => 3,
        LazySet::Events => 4,
        LazySet::Productions(_) => 5,
        LazySet::Datatype(_) => 6,
        LazySet::Product(_) => 7,
        LazySet::Tuples(_) => 8,
        LazySet::Powerset(_) => 9,
        LazySet::Union(..) => 10,
        LazySet::Diff(..) => 11,
        LazySet::Inter(..) => 12,
        LazySet::Maps(..) => 13,
        LazySet::Processes => 14,
    }
}

/// The values inside a lazy set.
pub(super) fn lazy_children(set: &LazySet) -> Vec<Value> {
    match set {
        LazySet::Ints(_)
        | LazySet::Chars
        | LazySet::Processes
        | LazySet::Events
        | LazySet::Datatype(_) => Vec::new(),
        LazySet::Seqs(s) | LazySet::Powerset(s) => vec![*s],
        LazySet::Productions(vs) | LazySet::Product(vs) | LazySet::Tuples(vs) => vs.to_vec(),
        LazySet::Union(a, b) | LazySet::Diff(a, b) | LazySet::Inter(a, b) | LazySet::Maps(a, b) => {
            vec![*a, *b]
        }
    }
}

/// Calls `f` for every direct part of a value.
pub(crate) fn for_each_child(data: &Data, f: &mut dyn FnMut(Value)) {
    match data {
        Data::Tuple(vs) | Data::Seq(vs) | Data::Dot(vs) | Data::Set(vs) => {
            vs.iter().for_each(|v| f(*v));
        }
        Data::Closure { env, .. } | Data::Suspended { env, .. } | Data::Applied(_, env) => {
            env.iter().for_each(|v| f(*v));
        }
        Data::Stream { items, rest } => {
            items.iter().for_each(|v| f(*v));
            f(*rest);
        }
        Data::Map(pairs) => pairs.iter().for_each(|(k, v)| {
            f(*k);
            f(*v);
        }),
        // The rest have no parts, or parts that others walk over: those of a process belong to
        // `process`, the items of a view to its buffer.
        Data::Lazy(set) => lazy_children(set).into_iter().for_each(f),
        _ => {}
    }
}
