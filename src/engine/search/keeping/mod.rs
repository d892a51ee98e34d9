//! What a search remembers of a pair instead of its representative, and so when it takes one for new.
//!
//! Most searches remember representatives (Sec. 3.4 of the paper), and which ones is up to a
//! [`crate::symmetry::strategy::Strategy`]. The ways of other tools do not choose any: they remember whole orbits, or the pair that was met first, or
//! a number that all pairs of an orbit share. All of them are searched by the one search of
//! [`crate::search::breadth_first`]; what differs is here.

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

/// What is remembered of a pair, in packed form.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Kept {
    /// What it is looked up by.
    pub key: Vec<u8>,
    /// The pair that is expanded, where that is not the key; otherwise empty.
    pub pair: Vec<u8>,
    /// Which of its steps need not be followed, if it is met here first.
    pub(super) sleep: Vec<Movers>,
}

impl Kept {
    /// Appends it to a list of bytes, from where [`Kept::split`] takes it apart again.
    #[inline]
    pub(super) fn write(&self, out: &mut Vec<u8>) {
        // In the words that it was written in: a copy of unknown length is a call, which reads other pieces.
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

    /// Key and pair of what was written; `has_pair` tells whether there is one.
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

/// What came of entering a pair into the store by itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Entered {
    /// Whether it is new, and so has to be expanded.
    pub is_new: bool,
    /// Whether this is not certain: it may be of the orbit of one that is there.
    pub fell_back: bool,
    /// How many others were entered with it.
    pub beside: usize,
}

/// A way to remember pairs other than by their representatives: the pairs that are expanded are those that steps lead to.
pub trait Keeping: Sync {
    /// Leaves in `kept` what is remembered of a pair; true if that took something else than the name
    /// promises.
    ///
    /// # Errors
    /// What the tables do not hold.
    fn remember(
        &self,
        product: &Product<'_>,
        pair: RawPair<'_>,
        scratch: &mut KeepingScratch,
        kept: &mut Kept,
    ) -> Result<bool, ProductMiss>;

    /// How long records are if a packed pair takes at most so many bytes.
    fn layout(&self, pair_max: usize) -> RecordLayout {
        RecordLayout {
            key: pair_max,
            pair: 0,
        }
    }

    /// Whether a search that found nothing wrong proves that there is nothing.
    fn proves(&self) -> bool {
        true
    }

    /// Whether pairs are entered one after the other by [`Keeping::enter`], and not by their keys alone.
    fn enters_by_itself(&self) -> bool {
        false
    }

    /// Enters a pair into the store.
    ///
    /// # Errors
    /// What the tables do not hold: then nothing was entered.
    fn enter(
        &self,
        _product: &Product<'_>,
        store: &mut StateStore,
        (key, pair): (&[u8], &[u8]),
        parent: StoredId,
    ) -> Result<Entered, ProductMiss> {
        Ok(Entered {
            is_new: store.insert(key, pair, parent),
            ..Entered::default()
        })
    }
}

/// The ways to remember pairs by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum KeepingKind {
    /// The representative that a strategy chooses.
    Representatives(StrategyKind),
    /// The representative under a group that was found in the structure of the network.
    Structural(StructuralKind),
    /// The first pair of each orbit that was met, found by the exact form (RuleBase).
    FirstSeen,
    /// All pairs of each orbit that was met (ProB's permutation flooding).
    Flood,
    /// The first pair of each orbit, found by pairwise tests among those that look alike (SMC).
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
    /// Those that choose no representatives.
    const OTHERS: [Self; 4] = [Self::FirstSeen, Self::Flood, Self::Buckets, Self::Markers];

    /// All for the symmetry of datatypes and copies, the default first.
    pub fn all() -> impl Iterator<Item = Self> + Clone {
        let strategies = StrategyKind::ALL.into_iter().map(Self::Representatives);
        strategies.chain(Self::OTHERS)
    }

    /// All for symmetry that is found in the structure of a network, that first which is used if nothing else is
    /// asked for.
    pub fn structural() -> impl Iterator<Item = Self> + Clone {
        StructuralKind::ALL.into_iter().map(Self::Structural)
    }

    /// The strategy under a group that was found in the structure, if it is one.
    #[must_use]
    pub fn by_structure(self) -> Option<StructuralKind> {
        match self {
            Self::Structural(kind) => Some(kind),
            _ => None,
        }
    }

    /// As shown to people and accepted by `--rep`.
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

    /// The one with this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        let mut all = Self::all().chain(Self::structural());
        all.find(|kind| kind.name() == name)
    }

    /// What chooses the representatives where values are permuted, or the forms by which pairs of one orbit are
    /// known elsewhere.
    #[must_use]
    pub fn strategy(self) -> StrategyKind {
        match self {
            Self::Representatives(kind) => kind,
            Self::Structural(_) | Self::FirstSeen | Self::Flood | Self::Buckets | Self::Markers => {
                StrategyKind::Exact
            }
        }
    }

    /// What does it, if it is not a representative that is remembered.
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

    /// The reduction that this is.
    #[must_use]
    pub fn reduction(self) -> ReductionKind {
        match self {
            Self::Representatives(_) => ReductionKind::Representatives,
            Self::Structural(_) => ReductionKind::Structure,
            Self::FirstSeen | Self::Flood | Self::Buckets => ReductionKind::OrbitsAsMet,
            Self::Markers => ReductionKind::Markers,
        }
    }

    /// What it does where it cannot do what it is named for; empty if that does not happen.
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

    /// Where a search keeps one state of each orbit: a phrase after the name and a colon, as
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
