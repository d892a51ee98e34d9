//! How to check: what people choose.

use crate::reductions::partial_order::Looks;
use crate::reductions::table::{
    ReductionKind, ReductionObstacle, ReductionSet, Requirement, obstacle,
};
use crate::search::keeping::KeepingKind;
use crate::source::Limits;

/// What somebody wants of a check, whatever the assertion is.
#[derive(Clone, Debug)]
pub struct Options {
    /// Reduction demanded or forbidden. `None` reduces by every type in which both sides are
    /// symmetric; where that cannot be verified, an assertion without `:[symmetry reduce]` is checked
    /// unreduced.
    pub symmetry: Option<bool>,
    /// Whether to reduce by what is found in the structure of the network: by that alone, which then has to be
    /// there, or never. `None` looks for it where no datatype is symmetric.
    pub structure: Option<bool>,
    /// Whether to give symmetry up only where something asymmetric has happened ([`super::adaptive`]), which is for
    /// traces, failures and deadlock alone.
    pub adaptive: bool,
    /// Datatypes to reduce by, by name; empty means as the assertion says, or all.
    pub types: Vec<String>,
    /// What a reduced search remembers of a state.
    pub keeping: KeepingKind,
    /// Whether of the transitions that automorphisms of a state take to one another only one is followed.
    pub state_symmetry: bool,
    /// Whether steps sleep that lead to what is met from another state ([`crate::reductions::sleep`]). All counts are the same, but
    /// that of representatives.
    pub sleep_sets: bool,
    /// Whether steps are left out by partial order; none: where an assertion asks for it.
    pub partial_order: Option<bool>,
    /// Whether a counterexample that was found with steps left out is to be as short as without ([`super::outcome::SHORTEST_STATES`]).
    pub shortest: bool,
    /// From how many states on, those of the specification counted, runs are tried at random where partial order
    /// reduction is asked for ([`super::diving`]).
    pub dive_after: usize,
    /// From how many states of a specification on it is made smaller, where steps of it are left out by partial order
    /// ([`crate::specification`]).
    pub compress_after: usize,
    /// Transitions of states at which it is looked what partial order leaves out, until it is decided whether that pays
    /// ([`crate::reductions::partial_order::Looks`]).
    pub look_after: u64,
    /// From how many bytes of keys on, of all states of a search, they are collapsed, if that makes them shorter
    /// ([`crate::search::store`]). It takes a tenth more time, so smaller ones are left alone.
    pub collapse_after: usize,
    /// Whether to count what the states of a reduced search stand for.
    pub count_full: bool,
    /// Whether bisimilar local states are merged. Not while `count_full` counts: it counts states of
    /// the script.
    pub merging: bool,
    /// Threads that search, at least one.
    pub threads: usize,
    /// Bounds on time, memory, states and counterexamples.
    pub limits: Limits,
}

impl Options {
    /// The reductions of a search, besides that by partial order: for this an assertion may ask, too.
    #[must_use]
    pub fn reductions(&self) -> ReductionSet {
        ReductionSet::default()
            .with(self.keeping.reduction(), true)
            .with(ReductionKind::StateSymmetry, self.state_symmetry)
            .with(ReductionKind::SleepSets, self.sleep_sets)
            .with(ReductionKind::Adaptive, self.adaptive)
    }

    /// Why no steps are left out by partial order, whatever the network is, if they are not.
    #[must_use]
    pub fn without_partial_order(&self) -> Option<&'static str> {
        let counts = |r| r == Requirement::NoCounting && self.count_full;
        let used = self.reductions().without(ReductionKind::SleepSets);
        match obstacle(ReductionKind::PartialOrder, used, |r| !counts(r))? {
            ReductionObstacle::Unmet(_) => {
                Some("what is counted are the states and transitions of the whole system")
            }
            ReductionObstacle::Beside(_) => Some(
                "it does not go together with `--adaptive`, `--state-symmetry`, or with other ways to \
                 remember states than representatives",
            ),
        }
    }

    /// Whether an option asks for reduction: then it is not given up for the work that it takes.
    #[must_use]
    pub fn wants_reduction(&self) -> bool {
        let is_chosen = self.keeping != KeepingKind::default() || self.state_symmetry;
        is_chosen || self.count_full || self.symmetry == Some(true)
    }

    /// Whether to reduce by what is found in the structure of the network, as [`Options::structure`]: a strategy
    /// of such groups is for nothing else.
    #[must_use]
    pub fn wanted_structure(&self) -> Option<bool> {
        match self.keeping.by_structure() {
            Some(_) => self.structure.or(Some(true)),
            None => self.structure,
        }
    }
}

impl Default for Options {
    fn default() -> Self {
        Self {
            symmetry: None,
            structure: None,
            adaptive: false,
            types: Vec::new(),
            keeping: KeepingKind::default(),
            state_symmetry: false,
            sleep_sets: true,
            partial_order: None,
            shortest: false,
            dive_after: 20_000,
            compress_after: 20_000,
            look_after: Looks::AFTER,
            collapse_after: 1 << 29,
            count_full: false,
            merging: true,
            threads: std::thread::available_parallelism().map_or(1, usize::from),
            limits: Limits::default(),
        }
    }
}
