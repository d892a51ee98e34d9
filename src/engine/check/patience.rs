//! Bounds on the work of a reduction, before the check without it is tried.
//!
//! Where permutations keep a parallel composition inside one component ([`Machine::kept_together`]), its interleavings
//! are local states, which are evaluated one by one: a reduced check may then take very much more work than one without
//! reduction, or very much less, and this is not predictable. So both are tried in turn, within bounds that are
//! counted: the reduced one briefly, the other one for longer, the reduced one for as long again; then the one that has
//! reached the greater depth continues to its end ([`super::attempts`]). A short check costs little more than the
//! cheaper of the two.
//!
//! The same is done where equal local states merge further without permutations ([`MergedStates::kept_apart`]), by more
//! than permutations save; and where orbits are too small to make up for the representatives, or most of these need a
//! search ([`Representative::leaves`]), which takes as long as many transitions. Then the unreduced check runs to its
//! end only where orbits are too small.
//!
//! [`Machine::kept_together`]: crate::machine::Machine::kept_together
//! [`MergedStates::kept_apart`]: crate::machine::bisimilar::MergedStates::kept_apart
//! [`Representative::leaves`]: crate::symmetry::strategy::Representative::leaves

use std::cell::Cell;
use std::rc::Rc;

use crate::machine::{Machine, Network};
use crate::search::figures::Figures;
use crate::source::Diagnostic;
use crate::source::thousands::thousands;

/// Local states and steps of work ([`Figures::work`]) of the first attempt: some hundredths of a second.
const FIRST: (usize, u64) = (4_096, 65_536);
/// Work of the longer attempts, as a multiple of the first.
pub(super) const LONGER: usize = 16;

/// The bound on the work of one attempt.
#[derive(Clone, Debug)]
pub(super) struct Patience {
    pub(super) local_states: usize,
    /// Steps of work of the search.
    pub(super) work: u64,
    /// The depth that the search has reached.
    pub(super) reached: Rc<Cell<usize>>,
    /// Whether the unreduced search reached a limit of states or memory.
    pub(super) limited: Rc<Cell<bool>>,
    /// The reason why representatives were expensive when the search was ended, if they were.
    pub(super) dear: Rc<Cell<Option<Dear>>>,
}

/// The reason why representatives are expensive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Dear {
    /// Whether orbits are too small to pay for them.
    pub(super) small_orbits: bool,
    /// Whether it is the only reason why the reduction may be more work.
    pub(super) alone: bool,
}

impl Patience {
    /// A multiple of the first attempt.
    pub(super) fn times(factor: usize) -> Self {
        Self::of(FIRST.1 * factor as u64)
    }

    /// This number of steps of work, and local states in proportion.
    pub(super) fn of(work: u64) -> Self {
        Self {
            local_states: work as usize / (FIRST.1 as usize / FIRST.0),
            work,
            reached: Rc::default(),
            limited: Rc::default(),
            dear: Rc::default(),
        }
    }
}

/// Whether there may be fewer states without symmetric types, because equal local states then merge further: compares
/// the combinations of local states saved with the number of permutations.
pub(super) fn merges_further_unreduced(machine: &Machine, network: &Network) -> bool {
    let atoms = machine.atoms();
    let kinds = (0..atoms.kinds()).map(|kind| atoms.atoms(kind as u8).len());
    let permutations: f64 = kinds.flat_map(|n| (2..=n).map(|k| (k as f64).log2())).sum();
    network.first().merged().kept_apart > permutations
}

/// The diagnostic that gives up such a reduction.
pub(super) fn unmerged(transitions: u64) -> Box<Diagnostic> {
    let transitions = thousands(transitions);
    Box::new(Diagnostic::nowhere(
        "E0514",
        format!(
            "the reduction was given up after {transitions} transitions: without permutations more local states are equal, \
             which may leave fewer states than the reduction does"
        ),
    ))
}

/// How many times as large as so far orbits may become.
const LARGER: f64 = 2.0;

/// Whether representatives cost more than they may save, by a sample of orbit sizes, or searches for them more than the
/// transitions; `alone` if there is no other reason to give up the reduction.
pub(super) fn dear(figures: &Figures, orbits: &[f64], alone: bool) -> Option<Dear> {
    let mean = orbits.iter().sum::<f64>() / orbits.len() as f64;
    // Without a sample, the mean is NaN and the comparison false.
    let small_orbits = LARGER * mean * figures.steps.transitions as f64 <= figures.work() as f64;
    let is_dear = small_orbits || Figures::LEAF * figures.steps.leaves >= figures.steps.transitions;
    is_dear.then_some(Dear {
        small_orbits,
        alone,
    })
}

/// The diagnostic that gives up such a reduction.
pub(super) fn too_dear(figures: &Figures) -> Box<Diagnostic> {
    let [representatives, transitions] =
        [figures.steps.representatives, figures.steps.transitions].map(thousands);
    Box::new(Diagnostic::nowhere(
        "E0514",
        format!(
            "the reduction was given up after {transitions} transitions: {representatives} representatives took more work than \
             it may save"
        ),
    ))
}
