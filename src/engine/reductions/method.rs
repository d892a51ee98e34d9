//! What a reduction says of itself: what it requires of a search, and what it preserves of the whole one.

/// A way to search fewer states, or to follow fewer steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ReductionKind {
    /// One representative of each orbit under permutations of values and copies.
    Representatives,
    /// The same under a group that was found in the structure of the network.
    Structure,
    /// Whole orbits, or the first pair of each.
    OrbitsAsMet,
    /// A number of each orbit, which others may share.
    Markers,
    /// Steps of interchangeable values or copies of one state.
    Twins,
    /// Steps that automorphisms of one state take to one another.
    StateSymmetry,
    /// Stubborn sets, with intermediate states that are skipped.
    PartialOrder,
    /// Steps to what is met from another state.
    SleepSets,
    /// One local state for all that are strongly bisimilar.
    Merging,
    /// Symmetry of a part of the network.
    Adaptive,
}

/// A set of reductions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReductionSet(u16);

impl ReductionSet {
    /// With one more, if `is_used`.
    #[must_use]
    pub fn with(self, kind: ReductionKind, is_used: bool) -> Self {
        Self(self.0 | u16::from(is_used) << kind as u16)
    }

    /// Without one of them.
    #[must_use]
    pub fn without(self, kind: ReductionKind) -> Self {
        Self(self.0 & !(1 << kind as u16))
    }

    /// Whether it is one of them.
    #[must_use]
    pub fn contains(self, kind: ReductionKind) -> bool {
        self.0 >> (kind as u16) & 1 == 1
    }
}

/// A condition on the system or the assertion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Requirement {
    /// The network keeps its components and operators.
    FixedForm,
    /// All local states of all components are known before the search.
    Explored,
    /// No step has priority over another.
    NoPriorities,
    /// Some value, copy or component can be permuted.
    Symmetric,
    /// No copies of components are exchanged.
    NoCopies,
    /// The strategy chooses representatives that are unique where nothing is given up, and says which component
    /// became which; no node of the specification leaves the order of its values open.
    UniqueRepresentatives,
    /// What is counted are not the states of the whole system.
    NoCounting,
    /// The assertion is not about one trace.
    NoTrace,
    /// The assertion is not about determinism.
    NoDeterminism,
    /// Refusals are not observed before events.
    NoRefusalTesting,
    /// Divergence does not count.
    NoDivergence,
}

impl Requirement {
    /// A phrase for people: "it requires that …".
    #[must_use]
    pub fn phrase(self) -> &'static str {
        match self {
            Self::FixedForm => "the network keeps its components and operators",
            Self::Explored => "all local states of the components are known before the search",
            Self::NoPriorities => "no step has priority over another",
            Self::Symmetric => "something can be permuted",
            Self::NoCopies => "no copies of components are exchanged",
            Self::UniqueRepresentatives => {
                "representatives, where some are kept, are chosen by `exact`, `walk` or `structure`, and no node of \
                 the specification holds a set of permuted values"
            }
            Self::NoCounting => "the states of the whole system are not counted (`--count-full`)",
            Self::NoTrace => "the assertion is not `:[has trace]`",
            Self::NoDeterminism => "the assertion is not `:[deterministic]`",
            Self::NoRefusalTesting => "the model is not one of refusal testing",
            Self::NoDivergence => "divergence does not count",
        }
    }
}

/// What a search has in common with the one without the reduction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Preserved {
    /// Whether the assertion holds.
    Verdict,
    /// How many steps a shortest counterexample takes, but for divergences.
    Shortest,
    /// How many states are stored, if all are.
    States,
    /// How many transitions these have.
    Transitions,
}

impl Preserved {
    pub(super) fn phrase(self) -> &'static str {
        match self {
            Self::Verdict => "verdict",
            Self::Shortest => "length of a shortest counterexample",
            Self::States => "states",
            Self::Transitions => "transitions",
        }
    }
}

/// What a reduction says of itself. Every counterexample that is found with it is one of the whole system.
pub trait ReductionMethod: Sync {
    /// Which one it is.
    fn kind(&self) -> ReductionKind;
    /// As the manual calls it.
    fn name(&self) -> &'static str;
    /// When it is used: by default, or with which option.
    fn used(&self) -> &'static str;
    /// What has to hold for it to be sound.
    fn requires(&self) -> &'static [Requirement];
    /// What stays as it is without it.
    fn preserves(&self) -> &'static [Preserved];
    /// What it is not combined with. One of two that exclude each other says so.
    fn excludes(&self) -> &'static [ReductionKind] {
        &[]
    }
}

/// A row of the table that needs no code of its own.
pub(super) struct ReductionRow {
    pub(super) kind: ReductionKind,
    pub(super) name: &'static str,
    pub(super) used: &'static str,
    pub(super) requires: &'static [Requirement],
    pub(super) preserves: &'static [Preserved],
    pub(super) excludes: &'static [ReductionKind],
}

impl ReductionMethod for ReductionRow {
    fn kind(&self) -> ReductionKind {
        self.kind
    }

    fn name(&self) -> &'static str {
        self.name
    }

    fn used(&self) -> &'static str {
        self.used
    }

    fn requires(&self) -> &'static [Requirement] {
        self.requires
    }

    fn preserves(&self) -> &'static [Preserved] {
        self.preserves
    }

    fn excludes(&self) -> &'static [ReductionKind] {
        self.excludes
    }
}
