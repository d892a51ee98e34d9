//! Adaptive reduction, for scripts that are almost symmetric: a state gives up symmetry only once an asymmetric rule
//! has fired on the way to it (Wahl; Sec. 8 of the survey by Wahl and Donaldson).
//!
//! # The method
//!
//! Rules of the compiled network are split into a *symmetric part* and the others, in classes (`choice`). The
//! symmetric part alone has a group G of symmetries that fix the initial state; the whole network has a smaller
//! one, B. A permutation *keeps* a class if it maps the rules of the class to rules of the class, along with the events
//! that they perform and with the nodes of the specification. Every element of B keeps all classes.
//!
//! The search stores entries (s, P): a pair s of a node of the specification and a state, and a subgroup P of G that
//! contains B (`groups`). The entry represents all πs with π ∈ P. The search begins with the initial pair and G. An
//! entry is expanded in images tⱼs, one for each coset of B in P (`search`):
//!
//! - a rule of the symmetric part, or of a class that P keeps, fires in one of the images, and P stays;
//! - any other rule, of class A, fires in every image, and the successor gets the permutations of P that keep A;
//! - an entry is dropped if some Q ⊇ P and a stored entry (s', Q) represent its pair s: then (s', Q) represents all
//!   that it represents.
//!
//! # Why it is right
//!
//! *Represented pairs are reachable.* The initial pair is fixed by G. Let (s, P) be expanded, and all πs be reachable.
//! If a rule of a class that P keeps leads from tⱼs to s', then for each π ∈ P the image of the rule leads from πtⱼs to
//! πs', and πtⱼ ∈ P. If a rule of class A does, and K ⊆ P keeps A, the same is true of each π ∈ K.
//!
//! *Reachable pairs are represented, at no greater depth.* Let πs with π ∈ P have a transition, by a rule of class A.
//! There are j and b ∈ B with π = b tⱼ, and b⁻¹ maps the transition to one of tⱼs, by a rule of A, to some s'. The
//! transition leads to bs'. If A was fired in this image, b ∈ B ⊆ K, so (s', K) represents bs'. If P keeps A, the same
//! is true with any image in the place of tⱼs, for some other element of P in the place of b. So breadth first an entry
//! that represents a pair is found in as many steps as the pair itself.
//!
//! *Violations.* Traces, failures and revivals refinement and freedom from deadlock ask whether some reachable pair is
//! wrong: performs an event that the specification does not allow, refuses too much, or has no transition. B maps the
//! whole network and the whole specification to themselves, acceptances included, so πs = b tⱼs is wrong if and only if
//! tⱼs is. Each tⱼs is checked. So the verdict is that of the unreduced search, and so is the length of a shortest
//! counterexample. *Refusal testing* also asks for the events offered on the way, which differ between images of
//! different cosets, so it is not supported. *Divergence* is not a property of a single pair, and a cycle of entries
//! need not be a cycle of pairs: the permutations that were given up may be needed to close it. So it is not supported
//! either.
//!
//! # At most twice the work
//!
//! Entries with the same group represent disjoint sets of pairs, all of which the unreduced search expands. So the
//! largest number of pairs that entries of one group represent is a lower bound on what the unreduced search has
//! expanded at that depth. A search that expands more than twice as many images, plus a few thousand, ends with advice
//! ([`Spent`]).

mod choice;
mod groups;
mod search;
mod unwinding;

pub use choice::Asymmetry;
pub(super) use groups::CellGroups;
pub(super) use search::{AdaptiveEnd, adaptive_search};
pub(super) use unwinding::unwind_entry;

use num_bigint::BigUint;

use super::conclude::Conclusion;
use super::look_bounds::{LookBounds, Looking};
use super::options::Options;
use super::outcome::{CheckVerdict, RawCounterexample};
use super::question::Question;
use super::structural::{component_names, structure_of, why_unknown};
use crate::machine::{Machine, Network};
use crate::reductions::table::{
    ReductionKind, ReductionObstacle, ReductionSet, Requirement, obstacle,
};
use crate::search::breadth_first::{LazyProduct, SearchControl};
use crate::search::figures::Figures;
use crate::source::diagnostic::Result;
use crate::source::{Diagnostic, Span};
use crate::specification::Specification;

/// Statistics of an adaptive search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AdaptiveUsed {
    /// Order of the group that the search began with.
    pub order: BigUint,
    /// Interchangeable components at the beginning, cells of two and more.
    pub cells: Vec<Vec<String>>,
    /// The asymmetric rules.
    pub asymmetry: Asymmetry,
    /// Number of groups of entries.
    pub groups: usize,
    /// Images expanded.
    pub images: u64,
    /// A lower bound on the number of pairs represented.
    pub at_least: u64,
    /// Whether this bound is exact.
    pub exactly: bool,
    /// The number of times that rules of each class gave an entry a smaller group.
    pub splits: Vec<(String, u64)>,
}

/// Counts of a search that was ended because it was more work than the unreduced one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spent {
    /// Entries stored.
    pub entries: usize,
    /// Images expanded.
    pub images: u64,
    /// A lower bound on the pairs that the unreduced search had expanded by then.
    pub unreduced: u64,
}

const NO_DIVERGENCE: &str = "adaptive reduction tells nothing of divergence: a loop of what it stores need not be \
                             a loop of the system";

/// Rejects questions that adaptive reduction does not support, before anything is compiled.
///
/// # Errors
/// The reason, and an option to use instead.
pub(super) fn applies(question: &Question<'_>, options: &Options, span: Span) -> Result<()> {
    let refused = |why: &str, instead: &str| {
        let error = Diagnostic::error("E0517", span, why);
        Err(Box::new(error.note(instead)))
    };
    let holds = |requirement| question.meets(requirement, options);
    let found = obstacle(ReductionKind::Adaptive, ReductionSet::default(), holds);
    let Some(ReductionObstacle::Unmet(unmet)) = found else {
        return Ok(());
    };
    match unmet {
        Requirement::NoTrace => refused(
            "adaptive reduction does not look for traces",
            "leave `--adaptive` out",
        ),
        Requirement::NoDeterminism => refused(
            "adaptive reduction is not offered for determinism",
            "leave `--adaptive` out",
        ),
        Requirement::NoRefusalTesting => refused(
            "adaptive reduction is not offered for refusal testing: where the specification goes depends on all \
             events that a state offers, the asymmetric ones too",
            "leave `--adaptive` out",
        ),
        _ => {
            let instead = match question.specification {
                Some(_) => {
                    "refinement in traces (`[T=`), failures (`[F=`) and revivals (`[V=`) can be checked with it"
                }
                None if question.demands.progress => {
                    "`:[deadlock free [F]]` can be checked with it; without `[F]` the model is FD"
                }
                None => "leave `--adaptive` out",
            };
            refused(NO_DIVERGENCE, instead)
        }
    }
}

/// Finds the symmetric part of both sides, and its group.
///
/// # Errors
/// No symmetric part, or an unknown structure; a limit.
pub(super) fn prepare(
    machine: &mut Machine,
    network: &mut Network,
    specification: Option<&mut Specification>,
    question: &Question<'_>,
    span: Span,
) -> Result<CellGroups> {
    if network.first().components().len() < 2 {
        let why = "no part of the network is more symmetric in its components than all of it: there is only one";
        return Err(Box::new(
            Diagnostic::error("E0517", span, why).note("leave `--adaptive` out"),
        ));
    }
    let structure = structure_of(
        machine,
        network,
        specification,
        (question.preserved(), &Looking::new(LookBounds::ON_DEMAND)),
    )?;
    let structure = structure.map_err(|unknown| {
        let instead = "leave `--adaptive` out";
        Box::new(Diagnostic::error("E0517", span, why_unknown(unknown)).note(instead))
    })?;
    if structure.has_priorities {
        let why =
            "some events wait for others (priority), and a search cannot give that up step by step";
        return Err(Box::new(
            Diagnostic::error("E0517", span, why).note("leave `--adaptive` out"),
        ));
    }
    network.give_up_copies();
    let names = component_names(machine, network.first());
    let found = choice::choose(machine, structure);
    let found = machine.during("looking for the symmetric part", None, found)?;
    let Some(chosen) = found else {
        let why = "no part of the network is more symmetric than all of it, and that is not symmetric at all";
        let instead = "components have to be alike but for some of the events that they take part in; \
                       leave `--adaptive` out";
        return Err(Box::new(
            Diagnostic::error("E0517", span, why).note(instead),
        ));
    };
    CellGroups::new(machine, chosen, &names)
}

/// Searches, and draws the conclusion.
///
/// # Errors
/// An evaluation error, or advice where the search is more work than the unreduced one.
pub(super) fn run(
    lazy: &mut LazyProduct<'_>,
    groups: &mut CellGroups,
    control: &mut SearchControl<'_>,
) -> Result<(Figures, Conclusion, AdaptiveUsed)> {
    let found = adaptive_search(lazy, groups, control)?;
    let mut conclusion = Conclusion::default();
    match found.end {
        AdaptiveEnd::Exhausted => {}
        AdaptiveEnd::Stopped(stop) => conclusion.verdict = CheckVerdict::Stopped(stop),
        AdaptiveEnd::Violated(violating) => {
            conclusion.verdict = CheckVerdict::Fails;
            let run = unwind_entry(lazy, groups, &found.entries, violating)?;
            conclusion.counterexamples.push(RawCounterexample {
                ending: super::conclude::ending(violating.violation),
                run,
                further: Vec::new(),
            });
        }
        AdaptiveEnd::TooMuch(spent) => return Err(advice(groups, spent)),
    }
    let used = {
        let (at_least, exactly, splits) = found.at_least;
        groups.used(found.images, at_least, exactly, splits)
    };
    Ok((found.figures, conclusion, used))
}

/// The diagnostic that recommends other options where too little is symmetric.
fn advice(groups: &CellGroups, spent: Spent) -> Box<Diagnostic> {
    let Spent {
        entries,
        images,
        unreduced,
    } = spent;
    let message = format!(
        "adaptive reduction is more work here than the unreduced search: it expanded {images} states for {entries} \
         that it keeps, and without reduction these may be as few as {unreduced}"
    );
    let mut error = Diagnostic::nowhere("E0517", message);
    let splits = groups.splits();
    let most: Vec<String> = splits
        .iter()
        .take(5)
        .map(|(rules, times)| format!("{rules} ({times} times)"))
        .collect();
    if !most.is_empty() {
        error = error.note(format!(
            "interchangeable components were told apart by {}",
            most.join(", ")
        ));
    }
    let error = error
        .note(format!(
            "not symmetric: {}; if these can be written so that each component may do the same, or happen \
             seldom, the reduction pays",
            groups.asymmetry().names.join(", ")
        ))
        .note("leave `--adaptive` out to check without it");
    Box::new(error)
}
