//! The interner of values, their constructors and their total order.

use std::cell::Cell;
use std::ops::{Deref, DerefMut};
use std::rc::Rc;

use super::Value;
use super::interner::Interner;
use crate::script::core::{ChannelId, CtorId, TypeId};
use crate::source::hash::{Map, Set};
use crate::source::{Cancel, Limits};
use crate::value::atoms::SplitMemo;

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
    pub(super) values: Interner,
    signature: Signature,
    pub(super) limits: Limits,
    pub(super) cancel: Cancel,
    pub(super) enumerated: Map<Value, Rc<[Value]>>,
    pub(super) members: Map<Value, Set<Value>>,
    pub(super) joint: Map<Value, Vec<Joint>>,
    pub(super) split_memo: SplitMemo,
    /// How often [`Store::look`] was asked.
    pub(super) looks: Cell<u32>,
}

impl Store {
    /// An empty store for a script with this many channels, constructors and types.
    #[must_use]
    pub fn new(limits: &Limits, channels: usize, ctors: usize, types: usize) -> Self {
        Self {
            values: Interner::default(),
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
}

/// A store is its values, and what is remembered about them. Values may be added past everything
/// that is remembered, since they never change.
impl Deref for Store {
    type Target = Interner;

    fn deref(&self) -> &Interner {
        &self.values
    }
}

impl DerefMut for Store {
    fn deref_mut(&mut self) -> &mut Interner {
        &mut self.values
    }
}
