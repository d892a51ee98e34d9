//! Constraints that types are known to satisfy.

use super::ty::Ty;
use crate::source::hash::Set;

/// Answers about constraints that hold for good.
///
/// An answer that rests on something open (a variable, a datatype whose fields are not known yet, what
/// is being asked already) may become another one later. Each such case is a doubt, and an answer is kept
/// only if none came up while it was found.
#[derive(Debug, Default)]
pub(super) struct Granted {
    known: Set<(Ty, u8)>,
    doubts: u32,
}

impl Granted {
    pub fn has(&self, t: Ty, wanted: u8) -> bool {
        self.known.contains(&(t, wanted))
    }

    pub fn doubt(&mut self) {
        self.doubts += 1;
    }

    pub fn doubts(&self) -> u32 {
        self.doubts
    }

    /// Keeps an answer, unless doubts have come up since there were `before`.
    pub fn grant(&mut self, t: Ty, wanted: u8, before: u32) {
        if self.doubts == before {
            self.known.insert((t, wanted));
        }
    }
}
