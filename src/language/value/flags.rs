//! Flags of a value: what occurs anywhere in it, known without a traversal.

use super::Data;

/// Flags of a value, computed when it is interned.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ValueFlags(u8);

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

impl ValueFlags {
    /// The flags of data, given those of all parts together.
    pub(super) fn of(data: &Data, parts: Self) -> Self {
        let flags = parts.0;
        // Everything but what is said here holds of a value if it holds of a part.
        Self(match data {
            Data::Hole { .. } => HOLE,
            Data::Ctor(_) => CTOR,
            Data::Process(_) => PROCESS,
            Data::View { .. } => flags | VIEW,
            // A value that is equal may be listed, or be made in another way.
            Data::Lazy(_) | Data::From(_) => flags | LAZY,
            // Functions are not compared, so what one captures need not be evaluated.
            Data::Closure { .. } => flags & !SUSPENDED,
            Data::Suspended { .. } => flags | SUSPENDED,
            _ => flags,
        })
    }

    /// The union of two sets of flags.
    pub(super) fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether a [`Data::View`] occurs.
    #[must_use]
    pub fn has_view(self) -> bool {
        self.0 & VIEW != 0
    }
    /// Whether no other value has the same meaning: there is no part that is not evaluated, and no
    /// set that is not listed.
    #[must_use]
    pub fn is_plain(self) -> bool {
        self.0 & (SUSPENDED | LAZY | VIEW) == 0
    }
    /// Whether a part is not evaluated yet, or is a view: then the handle says nothing about
    /// equality.
    #[must_use]
    pub fn is_partial(self) -> bool {
        self.0 & (SUSPENDED | VIEW) != 0
    }
    /// Whether a [`Data::Hole`] occurs.
    #[must_use]
    pub fn has_hole(self) -> bool {
        self.0 & HOLE != 0
    }
    /// Whether a constructor or a process occurs: only then can there be atoms.
    #[must_use]
    pub fn may_have_atoms(self) -> bool {
        self.0 & (CTOR | PROCESS) != 0
    }
    /// Whether a process occurs.
    #[must_use]
    pub fn has_process(self) -> bool {
        self.0 & PROCESS != 0
    }
}
