//! The components that a walk has not come to, and how they are told apart.

/// A component that was not walked to. Those that differ in nothing but the last field are equal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Unreached {
    /// Control state and class.
    pub(super) key: u64,
    /// Names of its values, a byte each.
    pub(super) names: u128,
    pub(super) component: u16,
}

impl Unreached {
    /// Whether they are equal.
    #[inline]
    pub(super) fn is_like(&self, other: &Self) -> bool {
        (self.key, self.names) == (other.key, other.names)
    }
}

/// The components of sorted entries, equal ones together.
pub(super) fn classes(unreached: &[Unreached]) -> Vec<Vec<u16>> {
    let runs = unreached.chunk_by(Unreached::is_like);
    runs.map(|run| run.iter().map(|entry| entry.component).collect())
        .collect()
}
