//! The components that a walk has not reached, and how they are distinguished.

/// An unreached component.
#[derive(Clone, Copy, Debug)]
pub(super) struct Unreached {
    /// Its kind, and then the component in the last 16 bits.
    key: u64,
    /// Names of its values, a byte each.
    pub(super) names: u128,
}

impl Unreached {
    /// An entry without names, by its key ([`key`]).
    #[inline]
    pub(super) fn new(key: u64) -> Self {
        Self { key, names: 0 }
    }

    #[inline]
    pub(super) fn component(&self) -> u16 {
        component_of(self.key)
    }

    /// Control state and class.
    #[inline]
    pub(super) fn kind(&self) -> u64 {
        self.key >> 16
    }

    /// Whether nothing but the component differs.
    #[inline]
    pub(super) fn is_like(&self, other: &Self) -> bool {
        (self.kind(), self.names) == (other.kind(), other.names)
    }
}

/// The key of a component, of its kind in 48 bits: keys ascend by kinds, and then by components.
#[inline]
pub(super) fn key(kind: u64, component: u16) -> u64 {
    kind << 16 | u64::from(component)
}

/// The component of a key.
#[inline]
pub(super) fn component_of(key: u64) -> u16 {
    key as u16
}

/// Sorts entries by their keys.
#[inline]
pub(super) fn sort_by_key(unreached: &mut [Unreached]) {
    unreached.sort_unstable_by_key(|entry| entry.key);
}

/// Sorts entries of one kind by their names. Ties are broken by components, for a fixed order only.
#[inline]
pub(super) fn sort_by_names(run: &mut [Unreached]) {
    run.sort_unstable_by_key(|entry| (entry.names, entry.key));
}

/// The equivalence classes of sorted entries, as components.
pub(super) fn classes(unreached: &[Unreached]) -> Vec<Vec<u16>> {
    let runs = unreached.chunk_by(Unreached::is_like);
    runs.map(|run| run.iter().map(Unreached::component).collect())
        .collect()
}
