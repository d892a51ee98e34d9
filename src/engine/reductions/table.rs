//! The table of reductions: requirements, preserved properties, and combinations.
//!
//! A check asks [`obstacle`] before it uses a reduction. The manual's page ([`page`]) is printed from the same rows,
//! and a law takes its cases from them.

use std::fmt::Write as _;

/// A reduction of states or of steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ReductionKind {
    /// One representative of each orbit under permutations of values and copies.
    Representatives,
    /// One representative of each orbit under a structural group.
    Structure,
    /// Whole orbits, or the first pair of each.
    OrbitsAsMet,
    /// A hash of each orbit, which others may share.
    Markers,
    /// Steps of interchangeable values or copies of one state.
    Twins,
    /// Steps that automorphisms of one state map to one another.
    StateSymmetry,
    /// Stubborn sets, with intermediate states that are not stored.
    PartialOrder,
    /// Steps to states reached from another state.
    SleepSets,
    /// One local state of each class of strong bisimilarity.
    Merging,
    /// Symmetry of a part of the network.
    Adaptive,
}

/// A set of reductions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReductionSet(u16);

impl ReductionSet {
    /// Adds a reduction, if `is_used`.
    #[must_use]
    pub fn with(self, kind: ReductionKind, is_used: bool) -> Self {
        Self(self.0 | u16::from(is_used) << kind as u16)
    }

    /// Removes a reduction.
    #[must_use]
    pub fn without(self, kind: ReductionKind) -> Self {
        Self(self.0 & !(1 << kind as u16))
    }

    /// Whether it contains a reduction.
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
    /// The strategy chooses representatives that are unique unless it uses its fallback, and gives the image of each
    /// component; no node of the specification leaves the order of its values open.
    UniqueRepresentatives,
    /// The states of the whole system are not counted.
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
    /// A phrase for display: "it requires that …".
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

/// A result that is the same without the reduction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Preserved {
    /// Whether the assertion holds.
    Verdict,
    /// The number of steps of a shortest counterexample, except for divergences.
    Shortest,
    /// The number of stored states, in a complete search.
    States,
    /// The number of transitions of these.
    Transitions,
}

impl Preserved {
    fn phrase(self) -> &'static str {
        match self {
            Self::Verdict => "verdict",
            Self::Shortest => "length of a shortest counterexample",
            Self::States => "states",
            Self::Transitions => "transitions",
        }
    }
}

/// The requirements and preserved properties of a reduction. Every counterexample found with it is one of the whole
/// system.
pub struct ReductionRow {
    /// The reduction.
    pub kind: ReductionKind,
    /// Its name in the manual.
    pub name: &'static str,
    /// The condition for its use: by default, or the option.
    pub used: &'static str,
    /// The conditions of its soundness.
    pub requires: &'static [Requirement],
    /// The results that it preserves.
    pub preserves: &'static [Preserved],
    /// The reductions that exclude it. Listed in one of two such rows.
    pub excludes: &'static [ReductionKind],
}

use Preserved::{Shortest, States, Transitions, Verdict};
use ReductionKind as Kind;
use Requirement as Needs;

/// All reductions, indexed by kind.
pub static TABLE: [ReductionRow; 10] = [
    ReductionRow {
        kind: Kind::Representatives,
        name: "Representatives",
        used: "by default; `--types` and `--rep` choose",
        requires: &[Needs::Symmetric, Needs::NoTrace],
        preserves: &[Verdict, Shortest],
        excludes: &[],
    },
    ReductionRow {
        kind: Kind::Structure,
        name: "Structural symmetry",
        used: "by default where it is more than that of datatypes; with `--structure`",
        requires: &[Needs::Explored, Needs::NoPriorities, Needs::NoTrace],
        preserves: &[Verdict, Shortest],
        // A structural group that contains the permutations of values replaces them.
        excludes: &[Kind::Representatives],
    },
    ReductionRow {
        kind: Kind::OrbitsAsMet,
        name: "Orbits as met",
        used: "with `--rep first-seen`, `flood` or `buckets`",
        requires: &[Needs::Symmetric, Needs::NoTrace],
        preserves: &[Verdict, Shortest],
        excludes: &[Kind::Representatives, Kind::Structure],
    },
    ReductionRow {
        kind: Kind::Markers,
        name: "Markers",
        used: "with `--rep markers`",
        requires: &[Needs::Symmetric, Needs::NoTrace],
        // Orbits that share a hash are identified: violations are real, but their absence proves nothing.
        preserves: &[],
        excludes: &[Kind::Representatives, Kind::Structure, Kind::OrbitsAsMet],
    },
    ReductionRow {
        kind: Kind::Twins,
        name: "Twins",
        used: "by default",
        requires: &[Needs::Symmetric],
        preserves: &[Verdict, Shortest],
        excludes: &[],
    },
    ReductionRow {
        kind: Kind::StateSymmetry,
        name: "State symmetry",
        used: "with `--state-symmetry`",
        requires: &[Needs::Symmetric],
        preserves: &[Verdict, Shortest, States, Transitions],
        excludes: &[],
    },
    ReductionRow {
        kind: Kind::PartialOrder,
        name: "Partial order",
        used: "with `--por`, or where an assertion says `:[partial order reduce]`",
        requires: &[
            Needs::NoCounting,
            Needs::NoTrace,
            Needs::NoPriorities,
            Needs::FixedForm,
            Needs::Explored,
        ],
        preserves: &[Verdict],
        excludes: &[
            Kind::OrbitsAsMet,
            Kind::Markers,
            Kind::StateSymmetry,
            Kind::Adaptive,
        ],
    },
    ReductionRow {
        kind: Kind::SleepSets,
        name: "Sleep sets",
        used: "by default",
        requires: &[
            Needs::FixedForm,
            Needs::NoPriorities,
            Needs::NoCopies,
            // Otherwise orbits may be stored several times, and the step that reaches each is unknown.
            Needs::UniqueRepresentatives,
            Needs::NoRefusalTesting,
            Needs::NoTrace,
        ],
        preserves: &[Verdict, Shortest, States, Transitions],
        excludes: &[
            Kind::OrbitsAsMet,
            Kind::Markers,
            Kind::PartialOrder,
            Kind::Adaptive,
        ],
    },
    ReductionRow {
        kind: Kind::Merging,
        name: "Merging",
        used: "by default; not with `--no-merging`",
        requires: &[Needs::NoCounting, Needs::NoTrace],
        preserves: &[Verdict, Shortest],
        excludes: &[],
    },
    ReductionRow {
        kind: Kind::Adaptive,
        name: "Adaptive reduction",
        used: "with `--adaptive`",
        requires: &[
            Needs::NoTrace,
            Needs::NoDeterminism,
            Needs::NoRefusalTesting,
            Needs::NoDivergence,
        ],
        preserves: &[Verdict, Shortest],
        // It has its own groups, one for each part of a state.
        excludes: &[
            Kind::Representatives,
            Kind::Structure,
            Kind::OrbitsAsMet,
            Kind::Markers,
            Kind::Twins,
            Kind::StateSymmetry,
        ],
    },
];

/// The row of a reduction.
#[must_use]
pub fn row(kind: ReductionKind) -> &'static ReductionRow {
    let row = &TABLE[kind as usize];
    debug_assert_eq!(row.kind, kind);
    row
}

/// Whether a search may use both of two reductions.
#[must_use]
pub fn go_together(one: ReductionKind, other: ReductionKind) -> bool {
    !row(one).excludes.contains(&other) && !row(other).excludes.contains(&one)
}

/// The reason why a reduction is not used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReductionObstacle {
    /// A requirement does not hold.
    Unmet(Requirement),
    /// Another used reduction excludes it.
    ExcludedBy(ReductionKind),
}

/// The obstacle to a reduction, if there is one: a requirement for which `holds` is false, or one of the reductions
/// used.
#[must_use]
pub fn obstacle(
    kind: ReductionKind,
    used: ReductionSet,
    holds: impl Fn(Requirement) -> bool,
) -> Option<ReductionObstacle> {
    let mut required = row(kind).requires.iter();
    let unmet = required.find(|requirement| !holds(**requirement));
    if let Some(requirement) = unmet {
        return Some(ReductionObstacle::Unmet(*requirement));
    }
    let mut others = TABLE.iter().map(|row| row.kind);
    let excluding = others.find(|other| used.contains(*other) && !go_together(kind, *other));
    excluding.map(ReductionObstacle::ExcludedBy)
}

/// The list of the manual's page, in Markdown.
#[must_use]
pub fn page() -> String {
    let mut text = String::new();
    for row in &TABLE {
        let requires: Vec<_> = row.requires.iter().map(|r| r.phrase()).collect();
        let preserves: Vec<_> = row.preserves.iter().map(|p| p.phrase()).collect();
        let apart = TABLE.iter().filter(|o| !go_together(row.kind, o.kind));
        let apart: Vec<_> = apart.map(|other| other.name).collect();
        let lists = [
            ("requires that", requires.join("; ")),
            ("preserves", preserves.join(", ")),
            ("not combined with", apart.join(", ")),
        ];
        let (name, used) = (row.name, row.used);
        let _ = writeln!(text, "\n## {name}\n\n- used: {used}");
        for (what, list) in lists {
            let list = match list.is_empty() {
                true => "nothing",
                false => &list,
            };
            let _ = writeln!(text, "- {what}: {list}");
        }
    }
    text
}
