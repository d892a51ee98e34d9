//! The reduction of a process or an assertion, and why it is not more: plain data, and words for it.
//!
//! Reduction is a matter of the process, not of the script: two processes of one script may be symmetric in
//! different types, one on trust and the other verified, or not at all.

use num_bigint::BigUint;
use serde_json::{Value, json};

use super::document::sizes;
use super::numbers::grouped;
use super::words::ErrorText;
use crate::check::StructureUse;

/// The symmetry of one datatype (Def. 23) in some part of the script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypeInfo {
    /// Its name for users: the datatype, or its symmetric part.
    pub name: String,
    /// Its interchangeable values.
    pub members: Vec<String>,
    /// The values left out, each with why and where: `("Null", "named at x.csp:8:3")`.
    pub excluded: Vec<(String, String)>,
    /// Whether that part of the script uses the datatype at all.
    pub is_met: bool,
}

/// The symmetry that a reduction used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SymmetrySummary {
    /// Name and number of values of each type.
    pub types: Vec<(String, usize)>,
    /// First state and number of each set of identical components that are exchanged.
    pub copies: Vec<(String, usize)>,
    /// The symmetry found in the structure of the network, if it is reduced by that.
    pub structure: Option<StructureSummary>,
    /// The order of the group: the number of permutations.
    pub group_order: BigUint,
    /// The name of the strategy.
    pub strategy: String,
    /// The states for which it is exact (one representative an orbit), in a phrase.
    pub exact_for: &'static str,
}

impl SymmetrySummary {
    /// Its types, copies, generators and order as JSON.
    #[must_use]
    pub fn json(&self) -> Value {
        let structure = self.structure.as_ref();
        json!({
            "types": sizes(&self.types),
            "copies": sizes(&self.copies),
            "structure": structure.map(StructureSummary::json),
            "group_order": self.group_order.to_string(),
        })
    }
}

/// A group that was found in the structure of a network.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StructureSummary {
    /// Generators of the group: the action of each on components, as cycles of their names, `(Fork(0) Fork(1))`.
    /// Empty where it moves local states and events alone.
    pub generators: Vec<String>,
    /// Its action in words, if that has a name: `rotation of 3`.
    pub action: Option<String>,
}

impl StructureSummary {
    /// Its generators and its action as JSON.
    #[must_use]
    pub fn json(&self) -> Value {
        json!({ "generators": self.generators, "action": self.action })
    }

    /// `the structure of the network (rotation of 3)`.
    #[must_use]
    pub fn in_full(&self) -> String {
        let action = self.action.as_ref();
        let action = action.map_or_else(String::new, |action| format!(" ({action})"));
        format!("the structure of the network{action}")
    }
}

/// The basis of a plan.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Basis {
    /// The text is constant-free (Def. 23), and permutations map the network to itself (Def. 29).
    #[default]
    Verified,
    /// The text is symmetric if functions such as `seq` are trusted where they see events only.
    Trusted,
    /// No reduction was wanted.
    Off,
    /// Only the states that a trace leads to are searched: there is little to reduce.
    Trace,
    /// A look at the text decides; there is nothing to explore.
    Text,
}

/// The way that something was explored, or is to be.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PlanView {
    /// The basis of the plan.
    pub basis: Basis,
    /// Why a better plan could not be gone, if there was one.
    pub instead: Option<ErrorText>,
    /// Whether the user asked for a reduction.
    pub asked: bool,
    /// Why types that were asked for by name reduce nothing, for each of which that is so.
    pub idle: Vec<String>,
}

/// The reduction of an open process.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReductionView {
    /// The permuted types and exchanged components; `None` if there are none.
    pub used: Option<SymmetrySummary>,
    /// The plan: verified, on trust, or why there is none.
    pub plan: PlanView,
    /// Every datatype with two or more atomic values, in the part of the script that it reaches.
    pub types: Vec<TypeInfo>,
    /// Whether values and more of the structure are symmetric, so that strategies of both kinds can be asked.
    pub has_other: bool,
}

/// The planned reduction of an assertion that was not checked yet. Only its network shows whether the plan can be
/// run, and which copies there are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PlannedView {
    /// The name of each permuted type, with the number of its values.
    pub types: Vec<(String, usize)>,
    /// The basis of the plan.
    pub basis: Basis,
    /// All types, as in [`ReductionView::types`].
    pub all: Vec<TypeInfo>,
}

/// Characters of a number in the status line.
const SHORT: usize = 20;

/// The types and copies of a reduction, as `NodeID(6) Data(4) copies(3)`.
fn in_short(used: &SymmetrySummary) -> String {
    let types = types_in_short(&used.types, &used.copies);
    let structure = used.structure.as_ref().map(|_| {
        let order = grouped(&used.group_order);
        // Orders too long for the line are shown elsewhere.
        let order = if order.len() > SHORT { "large" } else { &order };
        format!("structure({order})")
    });
    let parts = std::iter::once(types).filter(|types| !types.is_empty());
    parts.chain(structure).collect::<Vec<_>>().join(" ")
}

/// Types and copies, as `NodeID(6) Data(4) copies(3)`.
fn types_in_short(types: &[(String, usize)], copies: &[(String, usize)]) -> String {
    let types = types.iter().map(|(name, size)| format!("{name}({size})"));
    let copies = copies.iter().map(|(_, size)| format!("copies({size})"));
    types.chain(copies).collect::<Vec<_>>().join(" ")
}

/// `NodeID (6), Data (4), copies of Cell (3)`, or `Data (4) and the structure of the network (rotation of 3)`.
#[must_use]
pub fn in_full(used: &SymmetrySummary) -> String {
    let types = types_in_full(&used.types, &used.copies);
    match &used.structure {
        Some(structure) if types.is_empty() => structure.in_full(),
        Some(structure) => format!("{types} and {}", structure.in_full()),
        None => types,
    }
}

/// `NodeID (6), Data (4), copies of Cell (3)`.
fn types_in_full(types: &[(String, usize)], copies: &[(String, usize)]) -> String {
    let types = types.iter().map(|(name, size)| format!("{name} ({size})"));
    let copies = (copies.iter()).map(|(name, size)| format!("copies of {name} ({size})"));
    types.chain(copies).collect::<Vec<_>>().join(", ")
}

/// A reduction in some words for the status line: `NodeID(6) Data(4), on trust`, or `not reduced`.
#[must_use]
pub fn short(used: Option<&SymmetrySummary>, plan: &PlanView) -> String {
    match (used, plan.basis) {
        (_, Basis::Text) => "decided by the text".to_string(),
        (None, _) => "not reduced".to_string(),
        (Some(used), basis) => {
            let trust = if basis == Basis::Trusted {
                ", on trust"
            } else {
                ""
            };
            in_short(used) + trust
        }
    }
}

/// A planned reduction in some words for the status line.
#[must_use]
pub fn short_planned(planned: &PlannedView) -> String {
    match (planned.basis, planned.types.is_empty()) {
        (Basis::Text, _) => "decided by the text".to_string(),
        (Basis::Off | Basis::Trace, _) => "not reduced".to_string(),
        (_, true) => "no symmetric type".to_string(),
        (_, false) => format!("planned: {}", types_in_short(&planned.types, &[])),
    }
}

/// Sentences on the reduction of an open process: its symmetry, its basis, and why it is not more.
#[must_use]
pub fn of_process(reduction: &ReductionView) -> Vec<String> {
    sentences(
        reduction.used.as_ref(),
        &reduction.plan,
        "checks use strategy",
        None,
    )
}

/// Sentences on the reduction of a picture.
#[must_use]
pub fn of_picture(used: Option<&SymmetrySummary>, plan: &PlanView) -> Vec<String> {
    sentences(used, plan, "strategy", None)
}

/// The reason for no reduction, where no plan had to be given up; the result of the search in the structure may be
/// that reason.
pub(super) fn why_not(plan: &PlanView, structure: Option<StructureUse>) -> &'static str {
    match (plan.basis, structure) {
        (Basis::Trace, _) => "only what the trace leads to is looked at",
        (Basis::Off, _) => "reduction is switched off",
        (Basis::Text, _) => "the text of the script decides",
        (_, Some(StructureUse::Untied)) => {
            "no permutation that leaves every event what it is maps the network to itself, and the specification is too \
             large to be permuted with it before the search was over"
        }
        (_, Some(StructureUse::TooLarge)) => {
            "the symmetry of the structure would take too much room"
        }
        (_, Some(StructureUse::Limited)) => {
            "looking for symmetry in the structure came to a limit before the search was over"
        }
        (Basis::Verified | Basis::Trusted, _) => {
            "no values that it meets and no copies of a component are interchangeable"
        }
    }
}

/// Sentences on the symmetry that a reduction used, and on the plan.
pub(super) fn sentences(
    used: Option<&SymmetrySummary>,
    plan: &PlanView,
    by: &str,
    structure: Option<StructureUse>,
) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some(used) = used {
        lines.push(format!(
            "Reduced over {}: group of order {}, {by} {}.",
            in_full(used),
            grouped(&used.group_order),
            used.strategy
        ));
    }
    // In this order: whether a reduction was wanted at all, whether there was one, and its basis.
    let basis = match (plan.basis, used) {
        (Basis::Text, _) => "Decided by the text of the script.".to_owned(),
        (Basis::Trace | Basis::Off, _) | (_, None) => match &plan.instead {
            Some(_) => "Not reduced, although types are symmetric by the text.".to_owned(),
            None => format!("Not reduced: {}.", why_not(plan, structure)),
        },
        (_, Some(used)) if used.structure.is_some() => {
            "Verified: these permutations of components, local states and events map the network to itself.".to_owned()
        }
        // Only copies: no value is permuted, so the text and trust do not matter.
        (_, Some(used)) if used.types.is_empty() => {
            "Verified: exchanging these copies maps the network to itself.".to_owned()
        }
        (Basis::Verified, _) => {
            "Verified: the text names none of these values, and permuting them maps the network to \
             itself (Defs. 23 and 29)."
                .to_owned()
        }
        (Basis::Trusted, _) => {
            "On trust: functions such as seq see these values, in events only (Def. 23.2); that \
             permuting them maps the network to itself was verified (Def. 29)."
                .to_owned()
        }
    };
    lines.push(basis);
    let head = if used.is_some() { "Not by more" } else { "Why" };
    lines.extend(plan.idle.iter().map(|why| format!("{head}: {why}.")));
    if let Some(instead) = &plan.instead {
        let more = if used.is_some() {
            "Not by more: "
        } else {
            "Why: "
        };
        lines.push(format!("{more}{}", instead.summary));
    }
    lines
}

/// Sentences on the planned reduction of an assertion, and on the facts that only its check shows.
#[must_use]
pub fn planned_sentences(planned: &PlannedView) -> Vec<String> {
    let then = "Whether its network bears that out, whether copies are exchanged, and whether the structure of \
                its network has more symmetry, is not known before it is checked.";
    match (planned.basis, planned.types.is_empty()) {
        (Basis::Text, _) => vec!["The text of the script will decide.".to_string()],
        (Basis::Trace, _) => {
            vec!["It will not be reduced: only what the trace leads to is looked at.".to_string()]
        }
        (Basis::Off, _) => vec!["Reduction is switched off (o).".to_string()],
        (_, true) => vec![
            "No type is symmetric in it (V says why); whether copies are exchanged, and whether the \
             structure of its network is symmetric, is not known before it is checked."
                .to_string(),
        ],
        (basis, false) => {
            let trust = match basis {
                Basis::Trusted => ", on trust",
                _ => "",
            };
            let types = types_in_full(&planned.types, &[]);
            vec![
                format!("Planned: reduction over {types}{trust}."),
                then.to_string(),
            ]
        }
    }
}

/// Datatypes, their interchangeable values, and why others are not.
#[must_use]
pub fn type_report(types: &[TypeInfo]) -> String {
    let mut text = String::new();
    for kind in types {
        text += &format!("{}\n", kind.name);
        match &kind.members[..] {
            [] => text += "  no interchangeable values\n",
            [one] if kind.excluded.is_empty() => {
                text += &format!("  a single value, {one}: it cannot reduce anything\n");
            }
            [one] => {
                text += &format!("  no interchangeable values: {one} alone is left\n");
            }
            members => {
                let listed = members.join(", ");
                text += &format!("  {} interchangeable values: {listed}\n", members.len());
            }
        }
        if !kind.is_met && kind.members.len() > 1 {
            text += "  never met here: nothing is reduced by it\n";
        }
        for (value, reason) in &kind.excluded {
            text += &format!("  not {value}: {reason}\n");
        }
        text.push('\n');
    }
    text.trim_end().to_string()
}
