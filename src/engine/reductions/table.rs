//! The table of reductions, and which of them go together.
//!
//! A check asks [`obstacle`] before it uses one. The manual's page ([`page`]) is printed from the same rows, and a law
//! takes its cases from them.

use std::fmt::Write as _;

use super::method::ReductionRow;
pub use super::method::{Preserved, ReductionKind, ReductionMethod, ReductionSet, Requirement};
use super::partial_order::PartialOrderMethod;
use super::sleep::SleepSetMethod;

use Preserved::{Shortest, States, Transitions, Verdict};
use ReductionKind as Kind;
use Requirement as Needs;

/// All reductions, each at the place of its kind.
pub const TABLE: [&dyn ReductionMethod; 10] = [
    &ReductionRow {
        kind: Kind::Representatives,
        name: "Representatives",
        used: "by default; `--types` and `--rep` choose",
        requires: &[Needs::Symmetric, Needs::NoTrace],
        preserves: &[Verdict, Shortest],
        excludes: &[],
    },
    &ReductionRow {
        kind: Kind::Structure,
        name: "Structural symmetry",
        used: "by default where no datatype is symmetric; with `--structure`",
        requires: &[Needs::Explored, Needs::NoPriorities, Needs::NoTrace],
        preserves: &[Verdict, Shortest],
        // Where values are permuted, that is what people know the states by.
        excludes: &[Kind::Representatives],
    },
    &ReductionRow {
        kind: Kind::OrbitsAsMet,
        name: "Orbits as met",
        used: "with `--rep first-seen`, `flood` or `buckets`",
        requires: &[Needs::Symmetric, Needs::NoTrace],
        preserves: &[Verdict, Shortest],
        excludes: &[Kind::Representatives, Kind::Structure],
    },
    &ReductionRow {
        kind: Kind::Markers,
        name: "Markers",
        used: "with `--rep markers`",
        requires: &[Needs::Symmetric, Needs::NoTrace],
        // Orbits that share a number are taken for one: what it finds is there, and it proves nothing.
        preserves: &[],
        excludes: &[Kind::Representatives, Kind::Structure, Kind::OrbitsAsMet],
    },
    &ReductionRow {
        kind: Kind::Twins,
        name: "Twins",
        used: "by default",
        requires: &[Needs::Symmetric],
        preserves: &[Verdict, Shortest],
        excludes: &[],
    },
    &ReductionRow {
        kind: Kind::StateSymmetry,
        name: "State symmetry",
        used: "with `--state-symmetry`",
        requires: &[Needs::Symmetric],
        preserves: &[Verdict, Shortest, States, Transitions],
        excludes: &[],
    },
    &PartialOrderMethod,
    &SleepSetMethod,
    &ReductionRow {
        kind: Kind::Merging,
        name: "Merging",
        used: "by default; not with `--no-merging`",
        requires: &[Needs::NoCounting, Needs::NoTrace],
        preserves: &[Verdict, Shortest],
        excludes: &[],
    },
    &ReductionRow {
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
pub fn row(kind: ReductionKind) -> &'static dyn ReductionMethod {
    let row = TABLE[kind as usize];
    debug_assert_eq!(row.kind(), kind);
    row
}

/// Whether a search may use both of two reductions.
#[must_use]
pub fn go_together(one: ReductionKind, other: ReductionKind) -> bool {
    !row(one).excludes().contains(&other) && !row(other).excludes().contains(&one)
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
    let mut required = row(kind).requires().iter();
    let unmet = required.find(|requirement| !holds(**requirement));
    if let Some(requirement) = unmet {
        return Some(ReductionObstacle::Unmet(*requirement));
    }
    let mut others = TABLE.iter().map(|row| row.kind());
    let beside = others.find(|other| used.contains(*other) && !go_together(kind, *other));
    beside.map(ReductionObstacle::Beside)
}

/// The list of the manual's page, in Markdown.
#[must_use]
pub fn page() -> String {
    let mut text = String::new();
    for row in TABLE {
        let requires: Vec<_> = row.requires().iter().map(|r| r.phrase()).collect();
        let preserves: Vec<_> = row.preserves().iter().map(|p| p.phrase()).collect();
        let apart = TABLE.iter().filter(|o| !go_together(row.kind(), o.kind()));
        let apart: Vec<_> = apart.map(|other| other.name()).collect();
        let lists = [
            ("requires that", requires.join("; ")),
            ("preserves", preserves.join(", ")),
            ("not combined with", apart.join(", ")),
        ];
        let (name, used) = (row.name(), row.used());
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
