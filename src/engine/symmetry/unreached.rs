//! The components that a walk has not reached, and how they are distinguished.

/// An unreached component. Entries that differ in the last field only are equal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Unreached {
    /// Control state and class.
    pub(super) key: u64,
    /// Names of its values, a byte each.
    pub(super) names: u128,
    pub(super) component: u16,
}

impl Unreached {
    #[inline]
    pub(super) fn is_like(&self, other: &Self) -> bool {
        (self.key, self.names) == (other.key, other.names)
    }
}

/// The equivalence classes of sorted entries, as components.
pub(super) fn classes(unreached: &[Unreached]) -> Vec<Vec<u16>> {
    let runs = unreached.chunk_by(Unreached::is_like);
    runs.map(|run| run.iter().map(|entry| entry.component).collect())
        .collect()
}
