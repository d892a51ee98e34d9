//! The table of reductions: what each requires, what it preserves, and which of them go together.
//!
//! A check asks [`obstacle`] before it uses one. The manual's page ([`page`]) is printed from the same rows, and a law
//! takes its cases from them.

use std::fmt::Write as _;

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
    fn phrase(self) -> &'static str {
        match self {
            Self::Verdict => "verdict",
            Self::Shortest => "length of a shortest counterexample",
            Self::States => "states",
            Self::Transitions => "transitions",
        }
    }
}

/// What a reduction requires and preserves. Every counterexample that is found with it is one of the whole system.
pub struct ReductionRow {
    /// Which one it is.
    pub kind: ReductionKind,
    /// As the manual calls it.
    pub name: &'static str,
    /// When it is used: by default, or with which option.
    pub used: &'static str,
    /// What has to hold for it to be sound.
    pub requires: &'static [Requirement],
    /// What stays as it is without it.
    pub preserves: &'static [Preserved],
    /// What it is not combined with. One of two that exclude each other says so.
    pub excludes: &'static [ReductionKind],
}

use Preserved::{Shortest, States, Transitions, Verdict};
use ReductionKind as Kind;
use Requirement as Needs;

/// All reductions, each at the place of its kind.
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
        used: "by default where no datatype is symmetric; with `--structure`",
        requires: &[Needs::Explored, Needs::NoPriorities, Needs::NoTrace],
        preserves: &[Verdict, Shortest],
        // Where values are permuted, that is what people know the states by.
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
        // Orbits that share a number are taken for one: what it finds is there, and it proves nothing.
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
            // Else orbits may be stored several times, and not by which step each is met.
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
        // It has groups of its own, one for each part of a state.
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

/// Why a reduction is not used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReductionObstacle {
    /// Something that it requires does not hold.
    Unmet(Requirement),
    /// It does not go together with another one that is used.
    Beside(ReductionKind),
}

/// What stands in the way of a reduction, if something does: a requirement for which `holds` is false, or one of those
/// that are used.
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
    let beside = others.find(|other| used.contains(*other) && !go_together(kind, *other));
    beside.map(ReductionObstacle::Beside)
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
