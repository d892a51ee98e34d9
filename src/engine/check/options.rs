//! Options of checks.

use std::fmt;
use std::sync::{Arc, Mutex};
use std::time::Duration;

pub use crate::mesh::ProcessLine;
use crate::mesh::{Mesh, ProcessBoard};
use crate::reductions::partial_order::Looks;
use crate::reductions::table::{
    ReductionKind, ReductionObstacle, ReductionSet, Requirement, obstacle,
};
use crate::search::disk_store::DiskBudget;
use crate::search::keeping::KeepingKind;
use crate::search::on_disk::SearchFolder;
use crate::source::Limits;
use crate::source::threads::lock;

/// Options of a check, for any assertion.
#[derive(Clone, Debug)]
pub struct Options {
    /// Whether reduction is required (`true`) or forbidden (`false`). `None` reduces by every type in which both sides
    /// are symmetric; where that cannot be verified, an assertion without `:[symmetry reduce]` is checked unreduced.
    pub symmetry: Option<bool>,
    /// Whether to reduce by structural symmetry alone, which then has to exist (`true`), or never (`false`). `None`
    /// searches for it beside symmetric datatypes.
    pub structure: Option<bool>,
    /// Whether to use adaptive reduction ([`super::adaptive`]), for traces, failures and deadlock alone.
    pub adaptive: bool,
    /// Names of datatypes to reduce by; empty for those of the assertion, or all.
    pub types: Vec<String>,
    /// The way to store states of a reduced search.
    pub keeping: KeepingKind,
    /// Whether state symmetry follows only one of the transitions that automorphisms of a state map to one another.
    pub state_symmetry: bool,
    /// Whether to use sleep sets ([`crate::reductions::sleep`]). Counts other than that of representatives stay the
    /// same.
    pub sleep_sets: bool,
    /// Whether to use partial order reduction; `None` where an assertion asks for it.
    pub partial_order: Option<bool>,
    /// Whether a counterexample found by partial order reduction is to be a shortest one
    /// ([`super::outcome::SHORTEST_STATES`]).
    pub shortest: bool,
    /// The number of states, those of the specification included, after which random runs are made under partial order
    /// reduction ([`super::simulation`]).
    pub simulate_after: usize,
    /// The number of states of a specification after which it is compressed under partial order reduction
    /// ([`crate::specification`]).
    pub compress_after: usize,
    /// The number of transitions after which it is decided whether partial order reduction pays
    /// ([`crate::reductions::partial_order::Looks`]).
    pub look_after: u64,
    /// The bytes of all keys after which they are collapsed, if that makes them shorter ([`crate::search::store`]),
    /// which takes a tenth more time.
    pub collapse_after: usize,
    /// Where the search goes on once its states are many; `None` keeps them in memory.
    pub store: Option<StorePlan>,
    /// The processes that share the search once its states are many; `None` for this one alone.
    pub processes: Option<ProcessPlan>,
    /// Whether to count the states that those of a reduced search represent.
    pub count_full: bool,
    /// Whether to merge bisimilar local states. Off while `count_full` counts: it counts states of the script.
    pub merging: bool,
    /// Threads of the search, at least one.
    pub threads: usize,
    /// Bounds on time, memory, states and counterexamples.
    pub limits: Limits,
}

/// Where and when a search keeps its states on disk.
#[derive(Clone, Debug)]
pub struct StorePlan {
    /// The folder.
    pub folder: SearchFolder,
    /// Whether to go on from the last commit in that folder.
    pub resume: bool,
    /// The number of states after which it goes on there.
    pub after: usize,
    /// Main memory for it; `None` takes a share of what is left when it goes there.
    pub budget: Option<DiskBudget>,
}

/// The processes that share a search, all of which run the same check.
#[derive(Clone)]
pub struct ProcessPlan {
    /// The connections to the others.
    pub mesh: Arc<Mutex<Mesh>>,
    /// What they told of themselves last.
    pub board: Arc<ProcessBoard>,
    /// The number of states after which they share them. Until then each process searches for itself.
    pub after: usize,
}

impl ProcessPlan {
    /// Processes that share a search by these connections, after this number of states.
    #[must_use]
    pub fn new(mesh: Mesh, after: usize) -> Self {
        Self {
            board: mesh.board(),
            mesh: Arc::new(Mutex::new(mesh)),
            after,
        }
    }
}

impl fmt::Debug for ProcessPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mesh = lock(&self.mesh);
        write!(f, "process {} of {}", mesh.own(), mesh.processes())
    }
}

impl StorePlan {
    /// States after which a search goes on on disk: some seconds of work, so that what is decided while the states are
    /// few needs no files.
    pub const AFTER: usize = 1 << 18;

    /// Time between two commits.
    pub const COMMIT_EVERY: Duration = Duration::from_secs(30);
}

impl Options {
    /// The reductions of a search, except partial order reduction, which an assertion may request too.
    #[must_use]
    pub fn reductions(&self) -> ReductionSet {
        ReductionSet::default()
            .with(self.keeping.reduction(), true)
            .with(ReductionKind::StateSymmetry, self.state_symmetry)
            .with(ReductionKind::SleepSets, self.sleep_sets)
            .with(ReductionKind::Adaptive, self.adaptive)
    }

    /// Why options rule out partial order reduction, if they do.
    #[must_use]
    pub fn without_partial_order(&self) -> Option<&'static str> {
        let counts = |r| r == Requirement::NoCounting && self.count_full;
        let used = self.reductions().without(ReductionKind::SleepSets);
        match obstacle(ReductionKind::PartialOrder, used, |r| !counts(r))? {
            ReductionObstacle::Unmet(_) => {
                Some("what is counted are the states and transitions of the whole system")
            }
            ReductionObstacle::ExcludedBy(_) => Some(
                "it does not go together with `--adaptive`, `--state-symmetry`, or with other ways to \
                 remember states than representatives",
            ),
        }
    }

    /// Whether an option asks for reduction, which is then not given up for its cost.
    #[must_use]
    pub fn wants_reduction(&self) -> bool {
        let is_chosen = self.keeping != KeepingKind::default() || self.state_symmetry;
        is_chosen || self.count_full || self.symmetry == Some(true)
    }

    /// Whether to reduce by structure, as [`Options::structure`]; a strategy for structural groups implies it.
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
            simulate_after: 20_000,
            compress_after: 20_000,
            look_after: Looks::AFTER,
            collapse_after: 1 << 29,
            store: None,
            processes: None,
            count_full: false,
            merging: true,
            threads: std::thread::available_parallelism().map_or(1, usize::from),
            limits: Limits::default(),
        }
    }
}
