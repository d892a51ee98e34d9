//! How much work a reduction may take before it is seen whether there is less to do without it.
//!
//! Where permutations keep a parallel composition inside of one component ([`Machine::kept_together`]), its interleavings
//! are local states, which are evaluated one by one: a reduced check may then take very much more work than one without
//! reduction, or very much less, and nothing tells beforehand. So both are tried in turn, within bounds that are counted:
//! the reduced one for a short while, the other one for longer, the reduced one for as long again; then the one that has
//! come deeper goes on to its end ([`super::attempts`]). A check that ends soon either way costs little more than the cheaper of the two.
//!
//! [`Machine::kept_together`]: crate::machine::Machine::kept_together

use std::cell::Cell;
use std::rc::Rc;

/// Local states and transitions of the first attempt: some hundredths of a second.
const FIRST: (usize, u64) = (4_096, 16_384);
/// How many times as much the longer attempts may take.
pub(super) const LONGER: usize = 16;

/// How much work one attempt may take.
#[derive(Clone, Debug)]
pub(super) struct Patience {
    /// Local states.
    pub(super) local_states: usize,
    /// Transitions of the search.
    pub(super) transitions: u64,
    /// The depth that its search has reached.
    pub(super) reached: Rc<Cell<usize>>,
}

impl Patience {
    /// So many times as much as in the first attempt.
    pub(super) fn times(factor: usize) -> Self {
        Self {
            local_states: FIRST.0 * factor,
            transitions: FIRST.1 * factor as u64,
            reached: Rc::default(),
        }
    }
}
