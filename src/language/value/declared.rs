//! Facts about declarations that values depend on: the fields of channels and constructors.

use std::rc::Rc;

use super::Value;
use crate::script::core::{ChannelId, CtorId, TypeId};
use crate::source::hash::Map;

/// The field sets of one constructor or channel, one a field.
pub type Fields = Rc<[Value]>;

/// The constructors of a datatype with their field sets.
pub type Clauses = Rc<[(CtorId, Fields)]>;

/// Fields that must belong to a set together: a field set whose elements are themselves dotted, as in
/// `channel c : {0.1, 1.0}`, describes several fields that depend on each other.
#[derive(Clone, Copy, Debug)]
pub struct JointFields {
    /// The first of the fields, from 0.
    pub start: usize,
    /// The number of consecutive fields in it.
    pub width: usize,
    /// The set of their values, dotted together.
    pub set: Value,
}

/// The field sets of channels, constructors and datatypes. `eval` tells each of them before it
/// makes the first value that depends on it.
#[derive(Clone, Debug)]
pub struct FieldSets {
    channels: Vec<Option<Fields>>,
    ctors: Vec<Option<Fields>>,
    types: Vec<Option<Clauses>>,
    /// By constructor or channel; no entry where the fields are independent of each other.
    joint: Map<Value, Vec<JointFields>>,
}

impl FieldSets {
    /// A table for so many channels, constructors and types, with nothing known yet.
    pub(super) fn new(channels: usize, ctors: usize, types: usize) -> Self {
        Self {
            channels: vec![None; channels],
            ctors: vec![None; ctors],
            types: vec![None; types],
            joint: Map::default(),
        }
    }

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
    /// The number of declared channels.
    #[must_use]
    pub fn channel_count(&self) -> u32 {
        self.channels.len() as u32
    }
    /// The fields of a constructor or channel that depend on each other.
    #[must_use]
    pub fn joint(&self, head: Value) -> &[JointFields] {
        self.joint.get(&head).map_or(&[], |joint| joint)
    }
    /// Whether no constructor and no channel has fields that depend on each other.
    #[must_use]
    pub fn are_independent(&self) -> bool {
        self.joint.is_empty()
    }

    /// Tells the field sets of a channel.
    pub fn set_channel(&mut self, id: ChannelId, fields: Vec<Value>) {
        if let Some(slot) = self.channels.get_mut(id.0 as usize) {
            *slot = Some(fields.into());
        }
    }
    /// Tells the field sets of a constructor.
    pub fn set_ctor(&mut self, id: CtorId, fields: Vec<Value>) {
        if let Some(slot) = self.ctors.get_mut(id.0 as usize) {
            *slot = Some(fields.into());
        }
    }
    /// Tells the constructors of a datatype or subtype.
    pub fn set_type(&mut self, id: TypeId, clauses: Vec<(CtorId, Fields)>) {
        if let Some(slot) = self.types.get_mut(id.0 as usize) {
            *slot = Some(clauses.into());
        }
    }
    /// Tells which fields of a constructor or channel depend on each other, in their order.
    pub fn set_joint(&mut self, head: Value, joint: Vec<JointFields>) {
        if !joint.is_empty() {
            self.joint.insert(head, joint);
            #[cfg(debug_assertions)]
            self.assert_consistent(head);
        }
    }

    /// Checks that the groups of dependent fields of a constructor or channel are in order, and that none is a
    /// single field, which would be an ordinary field set.
    #[cfg(debug_assertions)]
    fn assert_consistent(&self, head: Value) {
        let joint = self.joint(head);
        assert!(joint.iter().all(|group| group.width > 1));
        let apart = |w: &[JointFields]| w[0].start + w[0].width <= w[1].start;
        assert!(joint.windows(2).all(apart));
    }
}
