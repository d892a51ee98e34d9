//! Lazy evaluation, at most once, of named things.

use crate::source::diagnostic::Result;
use crate::value::Value;

/// The state of a lazy evaluation.
#[derive(Clone, Copy, Debug, Default)]
pub(super) enum OnDemand {
    /// Not asked for yet.
    #[default]
    Idle,
    /// Under evaluation: a demand now is part of a cycle.
    Open,
    /// Known for good.
    Done(Value),
}

impl OnDemand {
    /// The state after an evaluation. One that failed may succeed later, with other limits.
    pub(super) fn after(result: &Result<Value>) -> Self {
        match result {
            Ok(v) => Self::Done(*v),
            Err(_) => Self::Idle,
        }
    }

    #[cfg(debug_assertions)]
    pub(super) fn is_open(self) -> bool {
        matches!(self, Self::Open)
    }
}
