//! When a large specification is made smaller while its check goes on.

use super::Check;
use crate::source::diagnostic::Result;
use crate::specification::Specification;

/// How many states are explored for that, for each that was met.
const FOR_EACH: usize = 4;
/// It is the turn of the search until it has met so many times as many states.
const AGAIN: usize = 2;

impl Check {
    /// Whether that may be. Not where symmetry of the structure rests on the nodes that there are.
    pub(super) fn may_compress(&self) -> bool {
        let specification = self.specification.as_ref();
        let is_tied = self.structure.as_ref().is_some_and(|group| group.ties());
        self.merging.is_some() && !is_tied && specification.is_some_and(Specification::may_compress)
    }

    /// Whether it is time to go on with it.
    pub(super) fn is_compressing_due(&self) -> bool {
        let specification = self.specification.as_ref();
        let met = specification.map_or(0, Specification::met);
        self.may_compress() && met >= self.compress_at
    }

    /// Goes on with that; whether the specification is another one now, so that the search has to begin anew.
    pub(super) fn compress(&mut self) -> Result<bool> {
        let (Some(specification), Some(merging)) = (&mut self.specification, self.merging) else {
            return Ok(false);
        };
        let met = specification.met();
        self.compress_at = AGAIN * met;
        let most = FOR_EACH * met;
        self.merged = specification.compress(&mut self.machine, most, merging)?;
        Ok(self.merged.is_some())
    }
}
