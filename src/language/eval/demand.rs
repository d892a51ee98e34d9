//! What is evaluated when it is first asked for, and at most once.

use crate::source::diagnostic::Result;
use crate::value::Value;

/// How far the evaluation of something is.
#[derive(Clone, Copy, Debug, Default)]
pub(super) enum OnDemand {
    /// Not asked for yet.
    #[default]
    Idle,
    /// Being evaluated: whoever asks for it now asks for it on its own behalf.
    Open,
    /// Known for good.
    Done(Value),
}

impl OnDemand {
    /// How far it is after an evaluation. One that failed may succeed later, with other limits.
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
