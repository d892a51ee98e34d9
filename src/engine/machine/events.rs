//! Events, interned.

use crate::process::term::Label;
use crate::source::hash::IndexSet;
use crate::value::Value;

/// An interned label: τ, ✓ or a visible event.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize,
)]
pub struct EventId(pub u32);

impl EventId {
    /// τ
    pub const TAU: Self = Self(0);
    /// ✓
    pub const TICK: Self = Self(1);
    /// Termination of a component: used only by the rule for ✓ of a whole network.
    pub const DONE: Self = Self(2);

    /// Whether the event is visible: none of τ, ✓ and [`Self::DONE`].
    #[must_use]
    pub fn is_visible(self) -> bool {
        self.0 > 2
    }
}

/// All labels interned so far.
#[derive(Clone, Debug)]
pub struct Events {
    labels: IndexSet<Label>,
}

impl Default for Events {
    fn default() -> Self {
        Self {
            labels: [Label::Tau, Label::Tick, Label::Done].into_iter().collect(),
        }
    }
}

impl Events {
    /// Interns a label.
    pub fn intern(&mut self, label: Label) -> EventId {
        EventId(self.labels.insert_full(label).0 as u32)
    }

    /// The label of an id.
    #[must_use]
    pub fn label(&self, event: EventId) -> Label {
        self.labels[event.0 as usize]
    }

    /// The value of a visible event.
    #[must_use]
    pub fn value(&self, event: EventId) -> Option<Value> {
        match self.label(event) {
            Label::Event(value) => Some(value),
            Label::Tau | Label::Tick | Label::Done => None,
        }
    }
}
