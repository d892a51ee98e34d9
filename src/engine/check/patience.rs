//! How much work a reduction may take before it is seen whether there is less to do without it.
//!
//! Where permutations keep a parallel composition inside of one component ([`Machine::kept_together`]), its interleavings
//! are local states, which are evaluated one by one: a reduced check may then take very much more work than one without
//! reduction, or very much less, and nothing tells beforehand. So both are tried in turn, within bounds that are counted:
//! the reduced one for a short while, the other one for longer, the reduced one for as long again; then the one that has
//! come deeper goes on to its end ([`super::attempts`]). A check that ends soon either way costs little more than the cheaper of the two.
//!
//! The same is done where equal local states are merged further without permutations ([`MergedStates::kept_apart`]), by more
//! than permutations save. And where orbits are too small to make up for the representatives, or most of these have to be
//! searched for ([`Representative::leaves`]), each of which takes as long as many transitions. Then the other check goes to
//! its end only where orbits are too small.
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
/// How many times as much the longer attempts may take.
pub(super) const LONGER: usize = 16;

/// How much work one attempt may take.
#[derive(Clone, Debug)]
pub(super) struct Patience {
    /// Local states.
    pub(super) local_states: usize,
    /// Steps of work of the search.
    pub(super) work: u64,
    /// The depth that its search has reached.
    pub(super) reached: Rc<Cell<usize>>,
    /// Whether it met a limit of states or memory without reduction.
    pub(super) limited: Rc<Cell<bool>>,
    /// Said of a search that was ended while its representatives were dear.
    pub(super) dear: Rc<Cell<Option<Dear>>>,
}

/// What is known of representatives that take much work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Dear {
    /// Whether orbits are too small to make up for it.
    pub(super) small_orbits: bool,
    /// Whether no other reason is known why the reduction may take more work than none.
    pub(super) alone: bool,
}

impl Patience {
    /// So many times as much as in the first attempt.
    pub(super) fn times(factor: usize) -> Self {
        Self::of(FIRST.1 * factor as u64)
    }

    /// So many steps of work, and local states in proportion.
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

/// Whether there may be fewer states without symmetric types, because equal local states are merged further then: how many
/// combinations of local states that leaves out, against how many permutations of values there are.
pub(super) fn merges_further_unreduced(machine: &Machine, network: &Network) -> bool {
    let atoms = machine.atoms();
    let kinds = (0..atoms.kinds()).map(|kind| atoms.atoms(kind as u8).len());
    let permutations: f64 = kinds.flat_map(|n| (2..=n).map(|k| (k as f64).log2())).sum();
    network.first().merged().kept_apart > permutations
}

/// Why a reduction is given up where that is so.
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

/// How many times as large orbits may become as they are so far.
const LARGER: f64 = 2.0;

/// Whether representatives take more than they may save, as far as the sizes of some orbits tell, or searches for them more
/// than the transitions themselves; `alone` if no other reason is known why the reduction may be dear.
pub(super) fn dear(figures: &Figures, orbits: &[f64], alone: bool) -> Option<Dear> {
    let mean = orbits.iter().sum::<f64>() / orbits.len() as f64;
    // Nothing is known of their mean where there are none.
    let small_orbits = LARGER * mean * figures.steps.transitions as f64 <= figures.work() as f64;
    let is_dear = small_orbits || Figures::LEAF * figures.steps.leaves >= figures.steps.transitions;
    is_dear.then_some(Dear {
        small_orbits,
        alone,
    })
}

/// Why a reduction is given up where that is so.
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
