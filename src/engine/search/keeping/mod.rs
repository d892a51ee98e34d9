//! Ways to store pairs, by which a search decides whether a pair is new.
//!
//! Most searches store representatives (Sec. 3.4 of the paper), chosen by a [`crate::symmetry::strategy::Strategy`].
//! The ways of other tools choose none: they store whole orbits, or the pair generated first, or a number that all
//! pairs of an orbit share. All of them use the same search, [`crate::search::breadth_first`]; their differences are
//! here.

pub(super) mod buckets;
mod first_seen;
mod flood;
pub(super) mod markers;

use super::product::{Product, ProductMiss};
use super::store::{RecordLayout, StateStore, StoredId};
use crate::reductions::sleep::Movers;
use crate::reductions::steps::RawPair;
use crate::reductions::table::ReductionKind;
use crate::symmetry::marker::MarkerScratch;
use crate::symmetry::{Representative, StrategyKind, StructuralKind};

/// The stored form of a pair, packed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Kept {
    /// The key of the seen set.
    pub key: Vec<u8>,
    /// The pair to expand, if it is not the key; otherwise empty.
    pub pair: Vec<u8>,
    /// Its sleep set, if it is generated here first.
    pub(super) sleep: Vec<Movers>,
}

impl Kept {
    /// Appends it to a list of bytes, for [`Kept::split`] to take apart.
    // A call would take half as long as the copy.
    #[inline(always)]
    pub(super) fn write(&self, out: &mut Vec<u8>) {
        // In words of the sizes in which it was written: a copy of unknown length is a call, which reads other pieces.
        let (words, rest) = self.key.as_chunks::<8>();
        words.iter().for_each(|word| out.extend_from_slice(word));
        let (halves, rest) = rest.as_chunks::<4>();
        halves.iter().for_each(|half| out.extend_from_slice(half));
        let (quarters, rest) = rest.as_chunks::<2>();
        quarters.iter().for_each(|two| out.extend_from_slice(two));
        rest.iter().for_each(|byte| out.push(*byte));
        if self.pair.is_empty() {
            return;
        }
        out.extend_from_slice(&self.pair);
        out.extend_from_slice(&(self.key.len() as u32).to_le_bytes());
    }

    /// Splits written bytes into key and pair; `has_pair` is false if there is no pair.
    pub(super) fn split(bytes: &[u8], has_pair: bool) -> (&[u8], &[u8]) {
        match bytes.split_last_chunk() {
            Some((rest, end)) if has_pair => rest.split_at(u32::from_le_bytes(*end) as usize),
            _ => (bytes, &[]),
        }
    }
}

/// Buffers of one thread.
#[derive(Debug, Default)]
pub struct KeepingScratch {
    /// The last representative computed.
    pub representative: Representative,
    marker: MarkerScratch,
}

/// The result of storing a pair one by one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Entered {
    /// Whether it is new, and so has to be expanded.
    pub is_new: bool,
    /// Whether this is uncertain: it may lie in a stored orbit.
    pub fell_back: bool,
    /// The number of other pairs stored with it.
    pub unreached: usize,
}

/// A way to store pairs other than by representatives; the pairs expanded are those that steps lead to.
pub trait Keeping: Sync {
    /// Leaves the stored form of a pair in `kept`. Returns whether a fallback was used.
    ///
    /// # Errors
    /// A missing table entry.
    fn remember(
        &self,
        product: &Product<'_>,
        pair: RawPair<'_>,
        scratch: &mut KeepingScratch,
        kept: &mut Kept,
    ) -> Result<bool, ProductMiss>;

    /// The layout of records for packed pairs of at most `pair_max` bytes.
    fn layout(&self, pair_max: usize) -> RecordLayout {
        RecordLayout {
            key: pair_max,
            pair: 0,
        }
    }

    /// Whether a search without violations proves that there are none.
    fn proves(&self) -> bool {
        true
    }

    /// Whether pairs are stored one by one by [`Keeping::enter`], not by their keys alone.
    fn enters_by_itself(&self) -> bool {
        false
    }

    /// Stores a pair.
    ///
    /// # Errors
    /// A missing table entry: then no pair was stored.
    fn enter(
        &self,
        _product: &Product<'_>,
        store: &mut StateStore,
        key: &[u8],
        pair: &[u8],
        parent: StoredId,
    ) -> Result<Entered, ProductMiss> {
        Ok(Entered {
            is_new: store.insert(key, pair, parent),
            ..Entered::default()
        })
    }
}

/// The ways to store pairs, by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum KeepingKind {
    /// The representative chosen by a strategy.
    Representatives(StrategyKind),
    /// The representative under a structural group.
    Structural(StructuralKind),
    /// The first pair of each orbit, found by its canonical form (RuleBase).
    FirstSeen,
    /// All pairs of each orbit reached (ProB's permutation flooding).
    Flood,
    /// The first pair of each orbit, found by pairwise tests among those with the same marker (SMC).
    Buckets,
    /// A number that all pairs of an orbit share (ProB's symmetry markers).
    Markers,
}

impl Default for KeepingKind {
    fn default() -> Self {
        Self::Representatives(StrategyKind::default())
    }
}

impl From<StrategyKind> for KeepingKind {
    fn from(strategy: StrategyKind) -> Self {
        Self::Representatives(strategy)
    }
}

impl From<StructuralKind> for KeepingKind {
    fn from(strategy: StructuralKind) -> Self {
        Self::Structural(strategy)
    }
}

impl KeepingKind {
    /// The ways without representatives.
    const OTHERS: [Self; 4] = [Self::FirstSeen, Self::Flood, Self::Buckets, Self::Markers];

    /// All ways for the symmetry of datatypes and copies, the default first.
    pub fn all() -> impl Iterator<Item = Self> + Clone {
        let strategies = StrategyKind::ALL.into_iter().map(Self::Representatives);
        strategies.chain(Self::OTHERS)
    }

    /// All ways for structural symmetry, the default first.
    pub fn structural() -> impl Iterator<Item = Self> + Clone {
        StructuralKind::ALL.into_iter().map(Self::Structural)
    }

    /// The strategy under a structural group, if it is one.
    #[must_use]
    pub fn by_structure(self) -> Option<StructuralKind> {
        match self {
            Self::Structural(kind) => Some(kind),
            _ => None,
        }
    }

    /// The displayed name, as accepted by `--rep`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Representatives(kind) => kind.strategy().name(),
            Self::Structural(kind) => kind.name(),
            Self::FirstSeen => "first-seen",
            Self::Flood => "flood",
            Self::Buckets => "buckets",
            Self::Markers => "markers",
        }
    }

    /// The way with this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        let mut all = Self::all().chain(Self::structural());
        all.find(|kind| kind.name() == name)
    }

    /// The strategy for representatives where values are permuted, or for the canonical forms of other ways.
    #[must_use]
    pub fn strategy(self) -> StrategyKind {
        match self {
            Self::Representatives(kind) => kind,
            Self::Structural(_) | Self::FirstSeen | Self::Flood | Self::Buckets | Self::Markers => {
                StrategyKind::Exact
            }
        }
    }

    /// The implementation, if it does not store representatives.
    #[must_use]
    pub fn keeping(self) -> Option<&'static dyn Keeping> {
        match self {
            Self::Representatives(_) | Self::Structural(_) => None,
            Self::FirstSeen => Some(&first_seen::FirstSeen),
            Self::Flood => Some(&flood::Flood),
            Self::Buckets => Some(&buckets::Buckets),
            Self::Markers => Some(&markers::Markers),
        }
    }

    /// Its kind in the table of reductions.
    #[must_use]
    pub fn reduction(self) -> ReductionKind {
        match self {
            Self::Representatives(_) => ReductionKind::Representatives,
            Self::Structural(_) => ReductionKind::Structure,
            Self::FirstSeen | Self::Flood | Self::Buckets => ReductionKind::OrbitsAsMet,
            Self::Markers => ReductionKind::Markers,
        }
    }

    /// Its fallback; empty if it has none.
    #[must_use]
    pub fn instead(self) -> &'static str {
        match self {
            Self::Representatives(kind) => kind.strategy().instead(),
            Self::Structural(kind) => kind.instead(),
            Self::FirstSeen => StrategyKind::Exact.strategy().instead(),
            Self::Buckets => {
                "the pairwise test was given up, so a pair was kept that may be of an orbit that is there"
            }
            Self::Flood | Self::Markers => "",
        }
    }

    /// The condition under which a search stores one state of each orbit: a phrase after the name and a colon, as
    /// [`StrategyKind::exact_for`].
    #[must_use]
    pub fn exact_for(self) -> &'static str {
        match self {
            Self::Representatives(kind) => kind.exact_for(),
            Self::Structural(kind) => kind.exact_for(),
            Self::FirstSeen => {
                "exact where exact is; what is kept and expanded is the first state of an orbit that was met"
            }
            Self::Flood => {
                "exact for all states: it expands one of each orbit, and remembers all the others, as many \
                 as an unreduced search"
            }
            Self::Buckets => {
                "exact as long as 2,000 nodes are enough for each test of two states that look alike; enters \
                 states with one thread"
            }
            Self::Markers => {
                "never exact: states that look alike are taken for one orbit, so it finds counterexamples \
                 and proves nothing"
            }
        }
    }
}
